//! The compute shader that reads one sample of every pixel of a multisampled attachment into a buffer. Pure.
//!
//! One invocation per pixel. Set 0 holds the image (binding 0, two-dimensional, arrayed, multisampled) and the buffer of four-component
//! texels, row by row (binding 1). Push constants are layer, sample, width in pixels, and the row of the image that is the first one in the
//! buffer.

use crate::format::Encoding;
use crate::spirv::{ModuleWriter, texel_scalar};
use glasm::ir::Stage;
use glasm::reflect::Scalar;
use rspirv::spirv::{BuiltIn, ExecutionMode, ImageOperands, Op, StorageClass};

/// Bytes of push constants.
pub(crate) const PUSH_SIZE: u32 = 4 * WORDS;
const WORDS: u32 = 4;
const TEXEL_SIZE: u32 = 16;

/// The words of the module for texels of a type: `Sfloat`, `Sint` or `Uint`; everything else is read as floats.
///
/// `texels[y * width + x] = texelFetch(image, uvec3(x, y + first_row, layer), sample)`
pub(crate) fn module(encoding: Encoding) -> Vec<u32> {
    let mut w = ModuleWriter::default();
    w.mode(ExecutionMode::LocalSize, &[1, 1, 1]);
    let (uint, uvec3) = (w.vector(Scalar::Uint, 1), w.vector(Scalar::Uint, 3));
    let scalar = texel_scalar(encoding);
    let (component, texel) = (w.vector(scalar, 1), w.vector(scalar, 4));
    let image_type = w.array_image(component, 1);
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
    let image = w.load(image_type, image);
    let operands = [image, coordinates, ImageOperands::SAMPLE.bits(), sample];
    let fetched = w.result(Op::ImageFetch, texel, &operands);
    let row = w.result(Op::IMul, uint, &[y, width]);
    let index = w.result(Op::IAdd, uint, &[row, x]);
    let member = w.uint(0);
    let place = w.place(StorageClass::StorageBuffer, texel, texels, &[member, index]);
    w.store(place, fetched);
    w.finish(Stage::Compute)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::assert_valid;

    #[test]
    fn modules_are_valid() {
        for encoding in [Encoding::Sfloat, Encoding::Sint, Encoding::Uint] {
            assert_valid(&module(encoding));
        }
    }
}
