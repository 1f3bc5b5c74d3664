//! The compute shaders that copy one sample of every pixel between a multisample image and a
//! buffer.
//!
//! One invocation per pixel. The image is two-dimensional, arrayed and multisampled; the buffer has
//! texels of four components, row by row. The parameters are the layer, the sample, the width in
//! pixels, and the row of the image that is the first one in the buffer.

use crate::error::Error;
use crate::own_shader::{compile, texel_words};
use crate::requirements::Capabilities;
use glasm::Reflection;
use glasm::reflect::DescriptorSlot;
use glasm_scripts::format::Encoding;

/// Bytes of the block of parameters.
pub(crate) const PARAMETERS_SIZE: u32 = 16;
/// Bytes of a texel in the buffer.
pub(crate) const TEXEL_SIZE: u32 = 16;

/// Direction of the copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SampleCopying {
    /// Reads from a sampled image whose texels are `Sfloat`, `Sint` or `Uint`; all other encodings
    /// are read as floats.
    Read(Encoding),
    /// Writes to a storage image of raw texels of this number of bits.
    Write(u8),
}

/// Shader module of the copy, and its bindings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SampleCopy {
    pub(crate) words: Vec<u32>,
    pub(crate) image: u32,
    pub(crate) texels: u32,
    pub(crate) parameters: u32,
}

/// Returns the shader: `texels[y * width + x]` and sample `sample` of the texel at `(x, y +
/// first_row, layer)`.
pub(crate) fn module(
    copying: SampleCopying,
    capabilities: &Capabilities,
) -> Result<SampleCopy, Error> {
    let shader = compile(&text(copying), capabilities)?;
    let told = &shader.reflection;
    let binding = |slot: Option<DescriptorSlot>| {
        let missing = || Error::OwnShader("a binding is missing".to_owned());
        slot.map(|slot| slot.binding).ok_or_else(missing)
    };
    Ok(SampleCopy {
        image: binding(image_slot(told))?,
        texels: binding(told.buffers.first().map(|buffer| buffer.slot))?,
        parameters: binding(told.params.as_ref().map(|block| block.slot))?,
        words: shader.words,
    })
}

fn image_slot(reflection: &Reflection) -> Option<DescriptorSlot> {
    let texture = reflection.textures.first().map(|texture| texture.slot);
    texture.or_else(|| reflection.images.first().map(|image| image.slot))
}

/// Returns the shader in the text form of the IR.
fn text(copying: SampleCopying) -> String {
    let (image, copy) = match copying {
        SampleCopying::Read(encoding) => {
            let (texel, _) = texel_words(encoding.base());
            let copy = format!(
                "r2.xyzw = tex.{texel} (tex0 fetch_sample) r0.xyzw, p0.yyyy
  store.u32 (buf0 x4) r2.xyzw, r1.xxxx"
            );
            (format!("tex0: unit 0 2dmsarray {texel}"), copy)
        }
        SampleCopying::Write(bits) => {
            let (element, count) = match bits {
                8 => ("u8", 1),
                16 => ("u16", 1),
                _ => ("u32", (bits / 32).max(1)),
            };
            let copy = format!(
                "r2.xyzw = load.u32 (buf0 x4) r1.xxxx
  imgstore.{element} (img0 x{count}) r2.xyzw, r0.xyzw, p0.yyyy"
            );
            (format!("img0: unit 0 2dmsarray raw{bits}"), copy)
        }
    };
    format!(
        "program compute
workgroup_size 1 1 1
r0: temp32
r1: temp32
r2: temp32
p0: local[0]
in0: workgroup_id unsigned
{image}
buf0: storage 1
routine fn0 {{
  r0.xy = mov.u32 in0.xyxx
  r1.x = mad.u32 r0.yyyy, p0.zzzz, r0.xxxx
  r1.x = shl.u32 r1.xxxx, {{4}}
  r0.y = add.u32 r0.yyyy, p0.wwww
  r0.z = mov.u32 p0.xxxx
  {copy}
}}
main fn0
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::assert_valid;

    #[test]
    fn modules_are_valid() {
        let features = [
            "shaderStorageImageMultisample",
            "shaderStorageImageExtendedFormats",
        ];
        let capabilities = Capabilities {
            version: [1, 1, 0],
            features: features.into_iter().collect(),
            ..Capabilities::default()
        };
        for encoding in [Encoding::Sfloat, Encoding::Sint, Encoding::Uint] {
            let copy = module(SampleCopying::Read(encoding), &capabilities).unwrap();
            assert_eq!((copy.image, copy.texels), (0, 1));
            assert_valid(&copy.words);
        }
        for bits in [8, 16, 32, 64, 128] {
            let copy = module(SampleCopying::Write(bits), &capabilities).unwrap();
            assert_valid(&copy.words);
        }
    }
}
