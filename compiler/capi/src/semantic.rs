//! Semantics of stage inputs and outputs.

#![expect(
    missing_docs,
    reason = "some names of GL and Vulkan say all that there is to say"
)]

use crate::enums::CNumber;
use crate::ffi_guard::Failure;
use glasm::ir::Semantic;
use glasm_capi_macros::c_enum;

macro_rules! semantics {
    (plain { $($plain:ident)* } numbered { $($numbered:ident)* }) => {
        impl From<Semantic> for glasm_semantic_info {
            fn from(semantic: Semantic) -> Self {
                let (semantic, index, source) = match semantic {
                    $(Semantic::$plain => (glasm_semantic::$plain, 0, 0),)*
                    $(Semantic::$numbered(number) => (glasm_semantic::$numbered, number, 0),)*
                    Semantic::FragColor { buffer, index } => (glasm_semantic::FragColor, buffer, index),
                };
                Self { name: semantic as u32, index: index.into(), blend_source: source.into() }
            }
        }

        /// Returns the semantic with the number `number` in C, its index and blend source; `None`
        /// for unknown numbers.
        fn find_semantic(number: u32, index: u8, source: u8) -> Option<Semantic> {
            Some(match glasm_semantic::read(number)? {
                $(glasm_semantic::$plain => Semantic::$plain,)*
                $(glasm_semantic::$numbered => Semantic::$numbered(index),)*
                glasm_semantic::FragColor => Semantic::FragColor { buffer: index, index: source },
            })
        }
    };
}

semantics! {
    plain {
        Position PointSize FogCoord FogCoordVec4 Layer ViewportIndex ViewportMask SecondaryPosition SecondaryViewportMask PrimitiveId VertexId
        InstanceId BaseVertex BaseInstance DrawId InvocationId InputVertexCount TessCoord FaceSign PointCoord SampleId SamplePosition SampleMask
        FullyCovered HelperInvocation FragDepth FragStencil WorkgroupId WorkgroupCount WorkgroupSize LocalInvocationId GlobalInvocationId
        LocalInvocationIndex ThreadId ThreadEqMask ThreadLtMask ThreadLeMask ThreadGtMask ThreadGeMask SubgroupSize SubgroupInvocation
        SubgroupEqMask SubgroupGeMask SubgroupGtMask SubgroupLeMask SubgroupLtMask WarpId SmId LineStippleStart
        ClipVertex
    }
    numbered {
        VertexAttribute Color BackColor TexCoord GenericVarying ClipDistance CullDistance TessLevelOuter TessLevelInner GenericPatchVarying
        FlatColor FlatBackColor
    }
}

/// Semantics of stage inputs and outputs. Those with an index say so.
#[c_enum]
#[repr(u32)]
pub enum glasm_semantic {
    /// Vertex attribute by number.
    VertexAttribute = 0,
    /// Clip-space position of a vertex; as fragment input the window position (x, y, z, 1/w).
    Position = 1,
    PointSize = 2,
    /// Front-facing primary (0) or secondary (1) color.
    Color = 3,
    /// Back-facing primary (0) or secondary (1) color.
    BackColor = 4,
    FogCoord = 5,
    /// Fog as a vector of four components.
    FogCoordVec4 = 6,
    /// Texture coordinate set by number.
    TexCoord = 7,
    /// Generic varying by number.
    GenericVarying = 8,
    /// Clip distance by number.
    ClipDistance = 9,
    /// Cull distance by number.
    CullDistance = 10,
    Layer = 11,
    ViewportIndex = 12,
    ViewportMask = 13,
    /// Position in the second view.
    SecondaryPosition = 14,
    /// Mask of viewports of the second view.
    SecondaryViewportMask = 15,
    PrimitiveId = 16,
    /// Vertex number; includes the base vertex.
    VertexId = 17,
    /// Instance number, from 0 in every draw.
    InstanceId = 18,
    BaseVertex = 19,
    BaseInstance = 20,
    /// Number of the draw in a multi-draw.
    DrawId = 21,
    /// Number of the invocation of a geometry or tessellation control program.
    InvocationId = 22,
    /// Number of vertices of the input primitive or patch.
    InputVertexCount = 23,
    /// Position in the subdivided patch.
    TessCoord = 24,
    /// Outer tessellation level by number.
    TessLevelOuter = 25,
    /// Inner tessellation level by number.
    TessLevelInner = 26,
    /// Generic varying of the patch by number.
    GenericPatchVarying = 27,
    /// Facing: +1.0 front, -1.0 back.
    FaceSign = 28,
    PointCoord = 29,
    SampleId = 30,
    SamplePosition = 31,
    SampleMask = 32,
    /// True if the primitive covers all of the fragment.
    FullyCovered = 33,
    HelperInvocation = 34,
    /// Fragment color of draw buffer `index`; `blend_source` 1 is the second source of dual-source
    /// blending.
    FragColor = 35,
    FragDepth = 36,
    FragStencil = 37,
    WorkgroupId = 38,
    WorkgroupCount = 39,
    WorkgroupSize = 40,
    LocalInvocationId = 41,
    GlobalInvocationId = 42,
    LocalInvocationIndex = 43,
    /// Invocation number in the thread group.
    ThreadId = 44,
    ThreadEqMask = 45,
    ThreadLtMask = 46,
    ThreadLeMask = 47,
    ThreadGtMask = 48,
    ThreadGeMask = 49,
    SubgroupSize = 50,
    SubgroupInvocation = 51,
    SubgroupEqMask = 52,
    SubgroupGeMask = 53,
    SubgroupGtMask = 54,
    SubgroupLeMask = 55,
    SubgroupLtMask = 56,
    /// Number of the thread group.
    WarpId = 57,
    /// Number of the processor.
    SmId = 58,
    /// A color by index as a separate output, which is not interpolated; see
    /// glasm_options.state_sources.
    FlatColor = 59,
    /// A back color by index as a separate output, which is not interpolated.
    FlatBackColor = 60,
    /// Start of the line of a fragment, in pixels.
    LineStippleStart = 61,
    /// Vertex that user clip planes clip by.
    ClipVertex = 62,
}

/// The semantic of a stage input or output.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct glasm_semantic_info {
    /// A glasm_semantic.
    pub name: u32,
    /// Its index, for semantics that have one; else 0.
    pub index: u32,
    /// Blend source of fragment colors; else 0.
    pub blend_source: u32,
}

/// Reads a semantic of the caller.
///
/// # Errors
/// If its members do not denote a semantic.
pub(crate) fn read_semantic(meaning: glasm_semantic_info) -> Result<Semantic, Failure> {
    let numbers = (
        u8::try_from(meaning.index),
        u8::try_from(meaning.blend_source),
    );
    let (Ok(index), Ok(source)) = numbers else {
        return Err(Failure::invalid_argument(
            "`index` or `blend_source` is too large",
        ));
    };
    find_semantic(meaning.name, index, source).ok_or_else(|| {
        let number = meaning.name;
        Failure::invalid_argument(format!("invalid value {number} for `name`"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_come_back() {
        let found: Vec<Semantic> = (0..64)
            .filter_map(|number| find_semantic(number, 3, 1))
            .collect();
        assert_eq!(found.len(), glasm_semantic::ClipVertex as usize + 1);
        for known in found {
            assert_eq!(read_semantic(known.into()).unwrap(), known);
        }
        let beyond = glasm_semantic_info {
            name: glasm_semantic::ClipVertex as u32 + 1,
            index: 0,
            blend_source: 0,
        };
        assert!(read_semantic(beyond).is_err());
    }
}
