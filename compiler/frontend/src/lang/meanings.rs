//! Semantics of bindings, state and targets, one human-readable line each. `glasm explain` prints
//! them.

pub use glasm_ir::state::{form_text, matrix_text, state_text};
use glasm_ir::{Semantic, Stage, TexTarget};

/// Describes an attribute or result in programs of a stage.
#[expect(clippy::too_many_lines, reason = "a table with an arm for each row")]
pub fn semantic_text(semantic: Semantic, stage: Stage) -> &'static str {
    let is_fragment = stage == Stage::Fragment;
    match semantic {
        Semantic::Attrib(_) => "vertex attribute",
        // One semantic has two descriptions if the fragment's is the result of rasterization of the
        // vertex's.
        Semantic::Position if is_fragment => "window position of the fragment: (x, y, z, 1/w)",
        Semantic::Position => "position in clip space",
        Semantic::PointSize => "size of points, in x",
        Semantic::Color(0) => "primary color",
        Semantic::Color(_) => "secondary color",
        Semantic::BackColor(0) => "primary color of back faces",
        Semantic::BackColor(_) => "secondary color of back faces",
        Semantic::FlatColor(_) => "color that is not interpolated",
        Semantic::FlatBackColor(_) => "color of back faces that is not interpolated",
        Semantic::LineStart => "start of a line, in pixels: (x, y)",
        Semantic::ClipVertex => "what user clip planes clip by",
        Semantic::FogCoord if is_fragment => "fog coordinate: (f, 0, 0, 1)",
        Semantic::FogCoord => "fog coordinate, in x",
        Semantic::FogVector => "fog as a vector",
        Semantic::TexCoord(_) => "texture coordinate set",
        Semantic::Generic(_) => "generic value that passes between stages",
        Semantic::ClipDistance(_) => "distance to a clip plane, in x; negative is clipped",
        Semantic::CullDistance(_) => {
            "distance to a plane, in x; primitives all of whose vertices have a negative one are dropped"
        }
        Semantic::Layer => "layer of the framebuffer: an integer in x",
        Semantic::ViewportIndex => "number of the viewport: an integer in x",
        Semantic::ViewportMask => "mask of viewports that get the primitive, in x",
        Semantic::SecondaryPosition => {
            "position in the second view: x; the other components are those of the position"
        }
        Semantic::SecondaryViewportMask => "mask of viewports of the second view, in x",
        Semantic::PrimitiveId => "number of the primitive: an integer in x",
        Semantic::VertexId => "number of the vertex with the base vertex: an integer in x",
        Semantic::InstanceId => "number of the instance, from 0 in every draw: an integer in x",
        Semantic::BaseVertex => "base vertex of the draw: an integer in x",
        Semantic::BaseInstance => "base instance of the draw: an integer in x",
        Semantic::DrawId => "number of the draw in a multi-draw: an integer in x",
        Semantic::InvocationId => {
            "number of the invocation for the primitive or patch: an integer in x"
        }
        Semantic::VertexCount => "number of vertices of the primitive or patch: an integer in x",
        Semantic::TessCoord => "place in the subdivided patch: (u, v, w)",
        Semantic::TessOuter(_) => "outer tessellation level, in x",
        Semantic::TessInner(_) => "inner tessellation level, in x",
        Semantic::PatchGeneric(_) => "generic value of the patch",
        Semantic::Facing => "+1 in x for front faces, -1 for back faces",
        Semantic::PointCoord => "place in a point sprite: (s, t, 0, 1)",
        Semantic::SampleId => "number of the sample: an integer in x",
        Semantic::SamplePosition => "place of the sample in its pixel: (x, y)",
        Semantic::SampleMask => "mask of covered samples, in x",
        Semantic::FullyCovered => "1 in x if the primitive covers all of the fragment, else 0",
        Semantic::HelperInvocation => "all ones in x for helper invocations, else 0",
        Semantic::FragColor { index: 0, .. } => "color of the fragment, for a draw buffer",
        Semantic::FragColor { .. } => "second color of the fragment, for dual-source blending",
        Semantic::FragDepth => "depth of the fragment, in z",
        Semantic::FragStencil => "stencil reference of the fragment: an integer in y",
        Semantic::WorkgroupId => "number of the work group: integers in x, y, z",
        Semantic::WorkgroupCount => "number of work groups: integers in x, y, z",
        Semantic::WorkgroupSize => "size of the work group: integers in x, y, z",
        Semantic::LocalInvocationId => {
            "number of the invocation in its work group: integers in x, y, z"
        }
        Semantic::GlobalInvocationId => {
            "number of the invocation in the dispatch: integers in x, y, z"
        }
        Semantic::LocalInvocationIndex => {
            "number of the invocation in its work group, counted through: an integer in x"
        }
        Semantic::ThreadId => "number of the thread in its group (warp), in x",
        Semantic::ThreadEqMask => "mask with the bit of the thread, in x",
        Semantic::ThreadLtMask => "mask with the bits of threads of lower numbers, in x",
        Semantic::ThreadLeMask => {
            "mask with the bits of the thread and those of lower numbers, in x"
        }
        Semantic::ThreadGtMask => "mask with the bits of threads of higher numbers, in x",
        Semantic::ThreadGeMask => {
            "mask with the bits of the thread and those of higher numbers, in x"
        }
        Semantic::SubgroupSize => "number of invocations of a subgroup: an integer in x",
        Semantic::SubgroupInvocation => "number of the invocation in its subgroup: an integer in x",
        Semantic::SubgroupEqMask => "mask with the bit of the invocation in its subgroup, in x, y",
        Semantic::SubgroupGeMask => {
            "mask with the bits of the invocation and those of higher numbers, in x, y"
        }
        Semantic::SubgroupGtMask => "mask with the bits of invocations of higher numbers, in x, y",
        Semantic::SubgroupLeMask => {
            "mask with the bits of the invocation and those of lower numbers, in x, y"
        }
        Semantic::SubgroupLtMask => "mask with the bits of invocations of lower numbers, in x, y",
        Semantic::WarpId => "number of the thread group (warp), in x",
        Semantic::SmId => "number of the processor, in x",
    }
}

/// Describes the textures of a target.
pub const fn target_text(target: TexTarget) -> &'static str {
    match target {
        TexTarget::D1 => "one-dimensional texture",
        TexTarget::D2 => "two-dimensional texture",
        TexTarget::D3 => "three-dimensional texture",
        TexTarget::Cube => "cube map; the coordinate is a direction",
        TexTarget::Rect => "rectangle: coordinates count texels, and there is one level",
        TexTarget::D1Array => "array of one-dimensional textures; y is the layer",
        TexTarget::D2Array => "array of two-dimensional textures; z is the layer",
        TexTarget::CubeArray => "array of cube maps; w is the layer",
        TexTarget::Buffer => "buffer of texels, which are fetched by number",
        TexTarget::D2Ms => "two-dimensional texture with several samples",
        TexTarget::D2MsArray => {
            "array of two-dimensional textures with several samples; z is the layer"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_name_components() {
        for (semantic, of_vertices, of_fragments) in [
            (Semantic::Position, "clip space", "(x, y, z, 1/w)"),
            (Semantic::FogCoord, "in x", "(f, 0, 0, 1)"),
            (Semantic::TessCoord, "(u, v, w)", "(u, v, w)"),
            (Semantic::TessOuter(1), "outer", "outer"),
            (Semantic::TessInner(1), "inner", "inner"),
            (Semantic::PointCoord, "(s, t, 0, 1)", "(s, t, 0, 1)"),
            (Semantic::SampleId, "an integer in x", "an integer in x"),
            (Semantic::SamplePosition, "(x, y)", "(x, y)"),
            (Semantic::SampleMask, "mask", "mask"),
            (Semantic::FragDepth, "in z", "in z"),
            (Semantic::FragStencil, "in y", "in y"),
        ] {
            for (stage, part) in [
                (Stage::Vertex, of_vertices),
                (Stage::Fragment, of_fragments),
            ] {
                let text = semantic_text(semantic, stage);
                assert!(text.contains(part), "{semantic:?}: {text}");
            }
        }
    }
}
