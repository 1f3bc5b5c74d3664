//! The compute shaders that copy one sample of every pixel between a multisample image and a buffer. Pure.
//!
//! One invocation per pixel. Set 0 holds the image (binding 0, two-dimensional, arrayed, multisampled) and the buffer of four-component
//! texels, row by row (binding 1). Push constants are layer, sample, width in pixels, and the row of the image that is the first one in the
//! buffer.

use crate::spirv::{ModuleWriter, texel_scalar};
use glasm::TexelFormat;
use glasm::ir::Stage;
use glasm::reflect::Scalar;
use glasm_scripts::format::Encoding;
use rspirv::spirv::{BuiltIn, Capability, ExecutionMode, ImageOperands, Op, StorageClass};

/// Bytes of push constants.
pub(crate) const PUSH_SIZE: u32 = 4 * WORDS;
const WORDS: u32 = 4;
/// Bytes of a texel in the buffer.
pub(crate) const TEXEL_SIZE: u32 = 16;

/// What is copied, and where to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SampleCopying {
    /// From a sampled image whose texels are `Sfloat`, `Sint` or `Uint`; everything else is read as floats.
    Read(Encoding),
    /// To a storage image of raw texels of so many bits.
    Write(u8),
}

/// The words of the module: `texels[y * width + x]` and sample `sample` of the texel at `(x, y + first_row, layer)`.
pub(crate) fn module(copying: SampleCopying) -> Vec<u32> {
    let mut w = ModuleWriter::default();
    w.mode(ExecutionMode::LocalSize, &[1, 1, 1]);
    let (uint, uvec3) = (w.vector(Scalar::Uint, 1), w.vector(Scalar::Uint, 3));
    let scalar = match copying {
        SampleCopying::Read(encoding) => texel_scalar(encoding),
        SampleCopying::Write(_) => Scalar::Uint,
    };
    let (component, texel) = (w.vector(scalar, 1), w.vector(scalar, 4));
    let image_type = match copying {
        SampleCopying::Read(_) => w.array_image(component, 1),
        SampleCopying::Write(bits) => storage_image(&mut w, component, bits),
    };
    let image = w.descriptor(StorageClass::UniformConstant, image_type, 0);
    let array = w.endless_array(texel, TEXEL_SIZE);
    let block = w.block(&[(array, 0)]);
    let texels = w.descriptor(StorageClass::StorageBuffer, block, 1);
    let push = w.push_constants(uint, WORDS);
    let invocation = w.built_in(StorageClass::Input, uvec3, BuiltIn::GlobalInvocationId);

    let invocation = w.load(uvec3, invocation);
    let [x, y] = [0, 1].map(|number| w.component(uint, invocation, number));
    let [layer, sample, width, first_row] =
        [0, 1, 2, 3].map(|index| w.push_constant(uint, push, index));
    let image_y = w.result(Op::IAdd, uint, &[y, first_row]);
    let coordinates = w.result(Op::CompositeConstruct, uvec3, &[x, image_y, layer]);
    let row = w.result(Op::IMul, uint, &[y, width]);
    let index = w.result(Op::IAdd, uint, &[row, x]);
    let member = w.uint(0);
    let place = w.place(StorageClass::StorageBuffer, texel, texels, &[member, index]);
    let image = w.load(image_type, image);
    let operand = ImageOperands::SAMPLE.bits();
    match copying {
        SampleCopying::Read(_) => {
            let operands = [image, coordinates, operand, sample];
            let fetched = w.result(Op::ImageFetch, texel, &operands);
            w.store(place, fetched);
        }
        SampleCopying::Write(_) => {
            let value = w.load(texel, place);
            w.op(
                Op::ImageWrite,
                &[image, coordinates, value, operand, sample],
            );
        }
    }
    w.finish(Stage::Compute)
}

fn storage_image(w: &mut ModuleWriter, component: u32, bits: u8) -> u32 {
    w.needs(Capability::StorageImageMultisample);
    w.needs(Capability::ImageMSArray);
    let format = TexelFormat::raw(bits).unwrap_or(TexelFormat::R32ui);
    if format.is_extended() {
        w.needs(Capability::StorageImageExtendedFormats);
    }
    w.multisample_storage_image(component, format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::assert_valid;

    #[test]
    fn modules_are_valid() {
        for encoding in [Encoding::Sfloat, Encoding::Sint, Encoding::Uint] {
            assert_valid(&module(SampleCopying::Read(encoding)));
        }
        for bits in [8, 16, 32, 64, 128] {
            assert_valid(&module(SampleCopying::Write(bits)));
        }
    }
}
