//! Bindings of GL state, and the semantics of bindings, state and targets, one human-readable line
//! each, which `glasm explain` prints. NV_gpu_program4 tables X.3 to X.11.

pub use glasm_ir::state::{describe_matrix, describe_matrix_form, describe_state_param};

use crate::lang::Stages;
use crate::lang::bindings::{IndexRule, number, numbered};
use crate::lang::limits::LimitedItem;
use crate::lang::options::Features;
use crate::source::{Dialect, Family, Version};
use ColorTerm::{Ambient, Diffuse, Emission, Specular};
use Face::{Back, Front};
use StateParam as P;
use TexGenCoord::{Q, R, S, T};
use TexGenPlane::{Eye, Object};
use ThreadProperty::{SmCount, WarpSize, WarpsPerSm};
use glasm_ir::state::{
    ColorTerm, Face, MatrixForm, MatrixName, TexGenCoord, TexGenPlane, ThreadProperty,
};
use glasm_ir::{Semantic, Stage, StateParam, TexTarget};

/// A state binding other than matrices.
#[derive(Clone, Copy, Debug)]
pub struct StateInfo {
    /// Words after `state`; `[]` marks the position of the number.
    pub path: &'static str,
    /// Number in brackets.
    pub number: IndexRule,
    /// Kind of the numbered items, if GL limits their number.
    pub numbered: Option<LimitedItem>,
    /// The parameter for a number.
    pub param: fn(u32) -> StateParam,
    /// ARB programs that have it. Programs with types have all.
    pub arb: Stages,
    /// Features that options must have enabled.
    pub required_features: Features,
    /// True if a range of numbers is a binding, too.
    pub ranges: bool,
}

/// A matrix.
#[derive(Clone, Copy, Debug)]
pub struct MatrixInfo {
    /// Word after `state.matrix`.
    pub name: &'static str,
    /// Number in brackets.
    pub number: IndexRule,
    /// The matrix of a number.
    pub matrix: fn(u32) -> MatrixName,
    /// First version of the family with types; 1.0 if only ARB programs have it.
    pub since: Version,
}

impl StateInfo {
    /// Returns true if programs of a language have the binding: all typed ones, ARB programs of
    /// some stages, and no others.
    pub fn is_known_in(&self, dialect: Dialect) -> bool {
        match dialect.family() {
            Family::Typed => true,
            Family::Arb => self.arb.contains_stage(dialect.stage()),
            Family::Vertex1 | Family::Vertex2 | Family::Fragment1 | Family::Tgsi => false,
        }
    }
}

impl MatrixInfo {
    /// Returns true if a family, one of the two with bindings of state, has the matrix.
    pub fn is_known_in(&self, family: Family) -> bool {
        // Only called for the two families with bindings of state.
        family == Family::Arb || self.since > Version::V1_0
    }
}

macro_rules! matrices {
    ($($name:literal $number:tt $matrix:expr, $since:ident;)*) => {
        /// Matrices. Table X.11.
        pub static MATRICES: &[MatrixInfo] = &[$(MatrixInfo {
            name: $name,
            number: number! $number,
            matrix: $matrix,
            since: Version::$since,
        },)*];
    };
}

matrices! {
    // Columns: name, (number), matrix, version.
    //
    // Without a number the name denotes matrix 0; program matrices always have one. Table X.11.
    "modelview" ([? 32]) MatrixName::Modelview, V4_0;
    "projection" () |_| MatrixName::Projection, V4_0;
    "mvp" () |_| MatrixName::ModelviewProjection, V4_0;
    "texture" ([? 32]) MatrixName::Texture, V4_0;
    "program" ([32]) MatrixName::Program, V4_0;
    // NV_gpu_program4 has no palette, which only ARB_matrix_palette fills.
    "palette" ([32]) MatrixName::Palette, V1_0;
}

/// Forms that may follow the matrix.
pub static MATRIX_FORMS: &[(&str, MatrixForm)] = &[
    ("inverse", MatrixForm::Inverse),
    ("transpose", MatrixForm::Transpose),
    ("invtrans", MatrixForm::InverseTranspose),
];

macro_rules! state {
    (@arb) => { Stages::ARB };
    (@arb $arb:ident) => { Stages::$arb };
    (@ranges) => { false };
    (@ranges RANGES) => { true };
    ($([$($variant:tt)*] $($driver:ident)? $text:literal $(as $name:literal)? $meaning:literal { $(
        $path:literal $number:tt $param:expr $(=> $arb:ident $(requires $required:ident)? $(, $ranges:ident)?)?;
    )* })*) => {
        /// All state bindings but matrices.
        pub static STATE: &[StateInfo] = &[$($(StateInfo {
            path: $path,
            number: number! $number,
            numbered: numbered! $number,
            param: $param,
            arb: state!(@arb $($arb)?),
            required_features: Features::empty()$($(.union(Features::$required))?)?,
            ranges: state!(@ranges $($($ranges)?)?),
        },)*)*];
    };
}

glasm_ir::state_params! { state }

/// Returns a description, for users, of an attribute or result of programs of a stage.
#[expect(clippy::too_many_lines, reason = "a table with an arm for each row")]
pub fn describe_semantic(semantic: Semantic, stage: Stage) -> &'static str {
    let is_fragment = stage == Stage::Fragment;
    match semantic {
        Semantic::VertexAttribute(_) => "vertex attribute",
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
        Semantic::LineStippleStart => "start of a line, in pixels: (x, y)",
        Semantic::ClipVertex => "what user clip planes clip by",
        Semantic::FogCoord if is_fragment => "fog coordinate: (f, 0, 0, 1)",
        Semantic::FogCoord => "fog coordinate, in x",
        Semantic::FogCoordVec4 => "fog as a vector",
        Semantic::TexCoord(_) => "texture coordinate set",
        Semantic::GenericVarying(_) => "generic value that passes between stages",
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
        Semantic::InputVertexCount => {
            "number of vertices of the primitive or patch: an integer in x"
        }
        Semantic::TessCoord => "location in the subdivided patch: (u, v, w)",
        Semantic::TessLevelOuter(_) => "outer tessellation level, in x",
        Semantic::TessLevelInner(_) => "inner tessellation level, in x",
        Semantic::GenericPatchVarying(_) => "generic value of the patch",
        Semantic::FaceSign => "+1 in x for front faces, -1 for back faces",
        Semantic::PointCoord => "location in a point sprite: (s, t, 0, 1)",
        Semantic::SampleId => "number of the sample: an integer in x",
        Semantic::SamplePosition => "location of the sample in its pixel: (x, y)",
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

/// Returns a description of the kind of textures that a target accesses, for `glasm explain`.
pub const fn describe_target(target: TexTarget) -> &'static str {
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
        TexTarget::D2Multisample => "two-dimensional texture with several samples",
        TexTarget::D2MultisampleArray => {
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
            (Semantic::TessLevelOuter(1), "outer", "outer"),
            (Semantic::TessLevelInner(1), "inner", "inner"),
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
                let text = describe_semantic(semantic, stage);
                assert!(text.contains(part), "{semantic:?}: {text}");
            }
        }
    }
}
