//! The runner's own shader modules: they copy a layer of an array texture, texel by pixel, to a color or depth attachment.

use crate::spirv::{ModuleWriter, texel_scalar};
use glasm::ir::Stage;
use glasm::reflect::Scalar;
use glasm_scripts::format::{Aspect, Format};
use rspirv::spirv::{BuiltIn, ExecutionMode, ImageOperands, Op, StorageClass};

/// A vertex shader: vertices 0 to 2 span a triangle around the whole viewport, with corners at -1 and 3.
pub(super) fn vertex_module() -> Vec<u32> {
    let mut w = ModuleWriter::default();
    let (int, bool) = (w.vector(Scalar::Int, 1), w.bool());
    let (float, vec4) = (w.vector(Scalar::Float, 1), w.vector(Scalar::Float, 4));
    let vertex = w.built_in(StorageClass::Input, int, BuiltIn::VertexIndex);
    let position = w.built_in(StorageClass::Output, vec4, BuiltIn::Position);
    let (near, far) = (w.float(-1.0), w.float(3.0));
    let (zero, one) = (w.float(0.0), w.float(1.0));

    let vertex = w.load(int, vertex);
    let [x, y] = [1, 2].map(|number| {
        let number = w.number(Scalar::Int, number);
        let is_far = w.result(Op::IEqual, bool, &[vertex, number]);
        w.result(Op::Select, float, &[is_far, far, near])
    });
    let corner = w.result(Op::CompositeConstruct, vec4, &[x, y, zero, one]);
    w.store(position, corner);
    w.finish(Stage::Vertex)
}

/// A fragment shader: the texel at the pixel's place in the layer that the push constant names, of the texture at set 0, binding 0,
/// becomes the color or depth.
pub(super) fn fragment_module(format: &Format) -> Vec<u32> {
    let mut w = ModuleWriter::default();
    w.mode(ExecutionMode::OriginUpperLeft, &[]);
    let (float, vec4) = (w.vector(Scalar::Float, 1), w.vector(Scalar::Float, 4));
    let (int, ivec3) = (w.vector(Scalar::Int, 1), w.vector(Scalar::Int, 3));
    let scalar = texel_scalar(format.encoding);
    let (component, texel) = (w.vector(scalar, 1), w.vector(scalar, 4));
    let image_type = w.array_image(component, 0);
    let image = w.descriptor(StorageClass::UniformConstant, image_type, 0);
    let push = w.push_constants(int, 1);
    let position = w.built_in(StorageClass::Input, vec4, BuiltIn::FragCoord);

    let position = w.load(vec4, position);
    let [x, y] = [0, 1].map(|number| {
        let coordinate = w.component(float, position, number);
        w.result(Op::ConvertFToS, int, &[coordinate])
    });
    let layer = w.push_constant(int, push, 0);
    let coordinates = w.result(Op::CompositeConstruct, ivec3, &[x, y, layer]);
    let image = w.load(image_type, image);
    let level = w.number(Scalar::Int, 0);
    let operands = [image, coordinates, ImageOperands::LOD.bits(), level];
    let fetched = w.result(Op::ImageFetch, texel, &operands);
    if format.aspect == Aspect::Depth {
        w.mode(ExecutionMode::DepthReplacing, &[]);
        let depth = w.built_in(StorageClass::Output, float, BuiltIn::FragDepth);
        let value = w.component(component, fetched, 0);
        w.store(depth, value);
    } else {
        let color = w.located(StorageClass::Output, texel, 0);
        w.store(color, fetched);
    }
    w.finish(Stage::Fragment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::assert_valid;

    #[test]
    fn modules_are_valid() {
        assert_valid(&vertex_module());
        for name in ["R8_UNORM", "R8_UINT", "R8_SINT", "D16_UNORM"] {
            assert_valid(&fragment_module(&Format::parse_texture(name).unwrap()));
        }
    }
}
