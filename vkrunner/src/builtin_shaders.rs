//! The compute shaders that copy one sample of every pixel between a multisample image and a
//! buffer.
//!
//! One invocation per pixel. The image is two-dimensional, arrayed and multisampled; the buffer has
//! texels of four components, row by row. The parameters are the layer, the sample, the width in
//! pixels, and the row of the image that is the first one in the buffer.
//!
//! The runner's own shaders are programs in the text form of the compiler's intermediate
//! representation. All their bindings are in descriptor set 0.

use crate::error::Error;
use crate::requirements::Capabilities;
use glasm::reflect::DescriptorSlot;
use glasm::{BindingLayout, Options, Reflection, Shader};
use glasm_scripts::compile::DisabledFeatures;
use glasm_scripts::format::Encoding;

/// Bytes of the block of parameters.
pub(crate) const PARAMETERS_SIZE: u32 = 16;
/// Bytes of a texel in the buffer.
pub(crate) const TEXEL_SIZE: u32 = 16;

/// Direction of the copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CopyDirection {
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

/// Compiles the compute shader that copies between `texels[y * width + x]` in the buffer and sample
/// `sample` of the texel at `(x, y + first_row, layer)` in the image, for a device. Returns an
/// error if the compiler rejects the shader on this device.
pub(crate) fn compile_copy_shader(
    copying: CopyDirection,
    capabilities: &Capabilities,
) -> Result<SampleCopy, Error> {
    let shader = compile_shader(&shader_text(copying), capabilities)?;
    let reflection = &shader.reflection;
    let binding = |slot: Option<DescriptorSlot>| {
        let missing = || Error::BuiltinShader("a binding is missing".to_owned());
        slot.map(|slot| slot.binding).ok_or_else(missing)
    };
    Ok(SampleCopy {
        image: binding(image_slot(reflection))?,
        texels: binding(reflection.buffers.first().map(|buffer| buffer.slot))?,
        parameters: binding(reflection.parameter_block.as_ref().map(|block| block.slot))?,
        words: shader.words,
    })
}

/// Returns the slot of the first texture of a shader, else that of its first storage image.
fn image_slot(reflection: &Reflection) -> Option<DescriptorSlot> {
    let texture = reflection.textures.first().map(|texture| texture.slot);
    texture.or_else(|| reflection.images.first().map(|image| image.slot))
}

/// Returns the source of the copy shader, in the text form of the IR; see the documentation of this
/// module for its parameters. Texels in the buffer have 16 bytes in both directions.
fn shader_text(copying: CopyDirection) -> String {
    let (image, copy) = match copying {
        CopyDirection::Read(encoding) => {
            let (texel, _) = texel_words(encoding.base());
            let copy = format!(
                "r2.xyzw = tex.{texel} (tex0 fetch_sample) r0.xyzw, p0.yyyy
  store.u32 (buf0 x4) r2.xyzw, r1.xxxx"
            );
            (format!("tex0: unit 0 2dmsarray {texel}"), copy)
        }
        CopyDirection::Write(bits) => {
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

/// Binding of the parameters: greater than all bindings that depend on units.
const PARAMETER_BINDING: u32 = 1000;

/// Compiles a shader of the runner, in the text form of the IR, for the best target and the
/// features of a device. Parse and compile errors are returned as [`Error::BuiltinShader`].
pub(crate) fn compile_shader(text: &str, capabilities: &Capabilities) -> Result<Shader, Error> {
    let options = Options {
        target: capabilities.best_target(),
        device: capabilities.device_features(&DisabledFeatures::default()),
        bindings: BindingLayout {
            parameter_block_set: 0,
            parameter_block_binding: Some(PARAMETER_BINDING),
            texture_set: 0,
            storage_set: 0,
            ..BindingLayout::default()
        },
        ..Options::default()
    };
    let fault = |message: String| Error::BuiltinShader(message);
    let program = glasm::ir::parse(text).map_err(|error| fault(error.to_string()))?;
    let shader = glasm::Compiler::new().compile_ir(&program, &options);
    shader.map_err(|errors| {
        let messages = errors.list.into_iter().map(|error| error.message);
        fault(messages.collect::<Vec<_>>().join("; "))
    })
}

/// Returns the two keywords of IR text for a base type: the type of texels and operations, and the
/// type of inputs and outputs.
pub(crate) const fn texel_words(base: glasm::ir::BaseType) -> (&'static str, &'static str) {
    match base {
        glasm::ir::BaseType::Float => ("f32", "float"),
        glasm::ir::BaseType::SignedInt => ("s32", "signed"),
        glasm::ir::BaseType::UnsignedInt => ("u32", "unsigned"),
    }
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
            let copy = compile_copy_shader(CopyDirection::Read(encoding), &capabilities).unwrap();
            assert_eq!((copy.image, copy.texels), (0, 1));
            assert_valid(&copy.words);
        }
        for bits in [8, 16, 32, 64, 128] {
            let copy = compile_copy_shader(CopyDirection::Write(bits), &capabilities).unwrap();
            assert_valid(&copy.words);
        }
    }
}
