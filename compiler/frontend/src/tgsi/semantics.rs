//! Semantics of registers in declarations. TGSI, section "Declaration Semantic".

use super::lex::Word;
use crate::source::TgsiOptions;
use glasm_ir::types::BaseType;
use glasm_ir::{Semantic, Stage};

macro_rules! names {
    ($($name:ident $($word:literal)+, $text:literal;)*) => {
        /// A semantic name.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(super) enum SemanticName { $($name,)* }

        static NAMES: &[(&str, SemanticName)] = &[$($(($word, SemanticName::$name),)+)*];

        impl SemanticName {
            /// Returns a human-readable description.
            pub(super) const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

names! {
    // Columns: name, words, description.
    Generic "GENERIC", "a value that passes between stages, by its number";
    Position "POSITION", "position in clip space; of fragments the position in the window, as output the depth in z";
    Color "COLOR", "primary (0) or secondary (1) color; of fragments the color for attachment n";
    TexCoord "TEXCOORD", "set n of texture coordinates, which point sprites may replace";
    BackColor "BCOLOR", "color of back faces";
    Fog "FOG", "fog";
    PointSize "PSIZE", "size of points, in x";
    Normal "NORMAL", "normal of a vertex; no stage has it";
    Face "FACE", "input: +1.0 in x for front faces, -1.0 for back faces; system value: all ones or 0";
    EdgeFlag "EDGEFLAG", "whether an edge is drawn; dropped with a warning, because Vulkan has none";
    PrimitiveId "PRIM_ID" "PRIMID", "number of the primitive, an integer";
    InstanceId "INSTANCEID", "number of the instance from 0 on, an integer";
    VertexId "VERTEXID", "number of the vertex with the base vertex, an integer";
    VertexIdNoBase "VERTEXID_NOBASE", "number of the vertex without the base vertex, an integer";
    BaseVertex "BASEVERTEX", "base vertex of the draw, an integer";
    BaseInstance "BASEINSTANCE", "base instance of the draw, an integer";
    DrawId "DRAWID", "number of the draw in a multi-draw, an integer";
    Stencil "STENCIL", "stencil reference of the fragment, an integer in y";
    ClipDistance "CLIPDIST", "distances to planes 4n to 4n + 3, to clip and, after those, to cull";
    CullDistance "CULLDIST", "distances to planes to cull, as programs of virgl have them";
    ClipVertex "CLIPVERTEX", "vector whose distances to user clip planes clip";
    PointCoord "PCOORD", "position in a point sprite: (s, t, 0, 1)";
    ViewportIndex "VIEWPORT_INDEX", "number of the viewport, an integer in x";
    ViewportMask "VIEWPORT_MASK", "viewports that get the primitive, as bits in x";
    Layer "LAYER", "layer of the framebuffer, an integer in x";
    SampleId "SAMPLEID", "number of the sample, an integer";
    SamplePosition "SAMPLEPOS", "position of the sample in its pixel, from 0 to 1";
    SampleMask "SAMPLEMASK", "covered samples, as bits in x";
    InvocationId "INVOCATIONID", "number of the invocation for the primitive or patch, an integer";
    Patch "PATCH", "a value of the patch, by its number";
    TessCoord "TESSCOORD", "position in the tessellated patch: (u, v, w)";
    TessOuter "TESSOUTER", "levels of the edges of a patch";
    TessInner "TESSINNER", "levels of the inside of a patch, in x and y";
    DefaultOuter "TESS_DEFAULT_OUTER_LEVEL", "levels of the edges that the caller has set";
    DefaultInner "TESS_DEFAULT_INNER_LEVEL", "levels of the inside that the caller has set";
    VerticesIn "VERTICESIN", "vertices of the patch that comes in, an integer";
    HelperInvocation "HELPER_INVOCATION", "all ones if the fragment was a helper when the program began, else 0";
    GridSize "GRID_SIZE", "blocks of the grid in each dimension, integers";
    BlockId "BLOCK_ID", "number of the block in each dimension, integers";
    BlockSize "BLOCK_SIZE", "threads of a block in each dimension, integers";
    ThreadId "THREAD_ID", "number of the thread in its block in each dimension, integers";
    WorkDim "WORK_DIM", "dimensions of the grid, an integer that the caller specifies";
    UserData "CS_USER_DATA_AMD", "four words that the caller specifies";
    SubgroupSize "SUBGROUP_SIZE", "invocations of a subgroup, an integer";
    SubgroupInvocation "SUBGROUP_INVOCATION", "number of the invocation in its subgroup, an integer";
    SubgroupEqMask "SUBGROUP_EQ_MASK", "bit of the invocation in its subgroup, 64 bits in x and y";
    SubgroupGeMask "SUBGROUP_GE_MASK", "bits of the invocation and those above it, 64 bits in x and y";
    SubgroupGtMask "SUBGROUP_GT_MASK", "bits of invocations above, 64 bits in x and y";
    SubgroupLeMask "SUBGROUP_LE_MASK", "bits of the invocation and those below it, 64 bits in x and y";
    SubgroupLtMask "SUBGROUP_LT_MASK", "bits of invocations below, 64 bits in x and y";
}

/// Contents of a register that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InputKind {
    /// An input of the stage.
    Input(Semantic, BaseType),
    /// Lanes that are lane x of a separate input each; the others are 0.
    Lanes([Option<Semantic>; 4]),
    /// (all ones for front faces, 0, 0, 1) as integers.
    FaceBits,
    /// All ones if the fragment was a helper invocation where the program began.
    Helper,
    /// The vertex number without the base vertex.
    VertexIdNoBase,
    /// Values that the options define.
    OptionValue(OptionValue),
}

/// Values that the options of a translation provide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OptionValue {
    WorkDim,
    UserData,
    OuterLevels,
    InnerLevels,
}

/// Destination of a register that is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum OutputTarget {
    /// An output of the stage.
    Output(Semantic, BaseType),
    /// Four distances from this number on, to clip and to cull.
    Distances(u8),
    /// Four distances to cull, from this number on.
    CullDistances(u8),
    /// The vector whose distances to user clip planes clip.
    ClipVertex,
    OuterLevels,
    InnerLevels,
    /// The device has no such output.
    Dropped,
}

impl SemanticName {
    /// Returns the semantic with this name, without regard to case.
    #[inline]
    pub(super) fn from_word(word: &Word<'_>) -> Option<Self> {
        let row = NAMES.iter().find(|(known, _)| word.is(known));
        row.map(|&(_, name)| name)
    }

    /// Returns all spellings of semantics with the semantics that they denote.
    pub(super) fn words_and_names() -> impl Iterator<Item = (&'static str, Self)> {
        NAMES.iter().copied()
    }

    /// Returns all spellings of semantics.
    pub(super) fn words() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|row| row.0)
    }

    /// Returns true if there is one value for a patch, or for the primitive, so that registers with
    /// it have no vertices.
    pub(super) const fn is_per_patch_or_primitive(self) -> bool {
        matches!(
            self,
            Self::Patch | Self::TessOuter | Self::TessInner | Self::PrimitiveId
        )
    }

    /// Returns true if there are several values of it, distinguished by their numbers.
    pub(super) const fn is_numbered(self) -> bool {
        matches!(
            self,
            Self::Generic | Self::TexCoord | Self::Color | Self::BackColor | Self::Patch
        )
    }

    /// Returns the contents of a register that instructions read. `None` if the stage has no such
    /// value. `is_system_value`: a system value, else an input; `is_2010`: in the document of 2010,
    /// where fog is a number.
    pub(super) fn input_kind(
        self,
        index: u8,
        stage: Stage,
        is_system_value: bool,
        is_2010: bool,
    ) -> Option<InputKind> {
        use Stage::{Fragment, Geometry, TessControl, TessEval};
        // Values of earlier stages are inputs, never system values; vertex programs have attributes
        // only.
        let varying =
            matches!(stage, Geometry | TessControl | TessEval | Fragment) && !is_system_value;
        match (self, stage) {
            (Self::Face, Fragment) if is_system_value => Some(InputKind::FaceBits),
            (Self::Patch, TessEval) if !is_system_value => {
                Some(float_input(Semantic::GenericPatchVarying(index)))
            }
            // Two registers of four distances each. TGSI, TGSI_SEMANTIC_CLIPDIST.
            (Self::ClipDistance, Fragment | Geometry | TessControl | TessEval) if index < 2 => {
                Some(lane_inputs(Semantic::ClipDistance, 4 * index, 4))
            }
            // Most inputs are such values. A value that the stage also provides is the same one.
            _ if varying => {
                let passed = self.varying_kind(index, stage, is_2010);
                passed.or_else(|| self.system_value_kind(stage))
            }
            _ => self.system_value_kind(stage),
        }
    }

    /// Returns how a stage provides a system value; `None` if the stage has no such value.
    fn system_value_kind(self, stage: Stage) -> Option<InputKind> {
        use Stage::{Compute, Fragment, Geometry, TessControl, TessEval, Vertex};
        Some(match (self, stage) {
            (Self::Position, Fragment) => float_input(Semantic::Position),
            (Self::Face, Fragment) => float_input(Semantic::FaceSign),
            (Self::PointCoord, Fragment) => float_input(Semantic::PointCoord),
            (Self::SampleId, Fragment) => word_input(Semantic::SampleId),
            (Self::SamplePosition, Fragment) => float_input(Semantic::SamplePosition),
            (Self::SampleMask, Fragment) => word_input(Semantic::SampleMask),
            (Self::HelperInvocation, Fragment) => InputKind::Helper,
            (Self::Layer, Fragment) => word_input(Semantic::Layer),
            (Self::ViewportIndex, Fragment) => word_input(Semantic::ViewportIndex),
            (Self::PrimitiveId, Fragment | Geometry | TessControl | TessEval) => {
                word_input(Semantic::PrimitiveId)
            }
            (Self::InstanceId, Vertex) => word_input(Semantic::InstanceId),
            (Self::VertexId, Vertex) => word_input(Semantic::VertexId),
            (Self::VertexIdNoBase, Vertex) => InputKind::VertexIdNoBase,
            (Self::BaseVertex, Vertex) => word_input(Semantic::BaseVertex),
            (Self::BaseInstance, Vertex) => word_input(Semantic::BaseInstance),
            (Self::DrawId, Vertex) => word_input(Semantic::DrawId),
            (Self::InvocationId, Geometry | TessControl) => word_input(Semantic::InvocationId),
            (Self::VerticesIn, TessControl | TessEval) => word_input(Semantic::InputVertexCount),
            (Self::TessCoord, TessEval) => float_input(Semantic::TessCoord),
            (Self::TessOuter, TessEval) => lane_inputs(Semantic::TessLevelOuter, 0, 4),
            (Self::TessInner, TessEval) => lane_inputs(Semantic::TessLevelInner, 0, 2),
            // State of OpenGL that Vulkan does not have, so that the caller provides it.
            (Self::DefaultOuter, TessControl) => InputKind::OptionValue(OptionValue::OuterLevels),
            (Self::DefaultInner, TessControl) => InputKind::OptionValue(OptionValue::InnerLevels),
            (Self::GridSize, Compute) => word_input(Semantic::WorkgroupCount),
            (Self::BlockId, Compute) => word_input(Semantic::WorkgroupId),
            (Self::BlockSize, Compute) => word_input(Semantic::WorkgroupSize),
            (Self::ThreadId, Compute) => word_input(Semantic::LocalInvocationId),
            (Self::WorkDim, Compute) => InputKind::OptionValue(OptionValue::WorkDim),
            (Self::UserData, Compute) => InputKind::OptionValue(OptionValue::UserData),
            (Self::SubgroupSize, _) => word_input(Semantic::SubgroupSize),
            (Self::SubgroupInvocation, _) => word_input(Semantic::SubgroupInvocation),
            (Self::SubgroupEqMask, _) => word_input(Semantic::SubgroupEqMask),
            (Self::SubgroupGeMask, _) => word_input(Semantic::SubgroupGeMask),
            (Self::SubgroupGtMask, _) => word_input(Semantic::SubgroupGtMask),
            (Self::SubgroupLeMask, _) => word_input(Semantic::SubgroupLeMask),
            (Self::SubgroupLtMask, _) => word_input(Semantic::SubgroupLtMask),
            _ => return None,
        })
    }

    /// Returns the input that is an output of an earlier stage, for stages that have one.
    fn varying_kind(self, index: u8, stage: Stage, is_2010: bool) -> Option<InputKind> {
        let semantic = match (self, stage) {
            (Self::PointSize, _) => Semantic::PointSize,
            (Self::Position, _) => Semantic::Position,
            (Self::ClipVertex, Stage::Geometry | Stage::TessControl | Stage::TessEval) => {
                Semantic::ClipVertex
            }
            (Self::Fog, _) if is_2010 => Semantic::FogCoord,
            // Fog has become a vector like others.
            (Self::Fog, _) => Semantic::FogCoordVec4,
            _ => self.numbered_semantic(index)?,
        };
        Some(float_input(semantic))
    }

    /// Returns the semantic of a numbered output of stages before rasterization.
    fn numbered_semantic(self, index: u8) -> Option<Semantic> {
        Some(match (self, index) {
            (Self::Color, 0..2) => Semantic::Color(index),
            (Self::BackColor, 0..2) => Semantic::BackColor(index),
            // "The semantic index permitted with this semantic is limited to <= 7." TGSI,
            // TGSI_SEMANTIC_TEXCOORD.
            (Self::TexCoord, 0..8) => Semantic::TexCoord(index),
            (Self::Generic, _) => Semantic::GenericVarying(index),
            _ => return None,
        })
    }

    /// Returns the destination of a register that instructions write. `None` if the stage has no
    /// such output.
    pub(super) fn output_target(
        self,
        index: u8,
        stage: Stage,
        options: &TgsiOptions,
    ) -> Option<OutputTarget> {
        use Stage::{Compute, Fragment, Geometry, TessControl};
        let float = |semantic| OutputTarget::Output(semantic, BaseType::Float);
        let word = |semantic| OutputTarget::Output(semantic, BaseType::UnsignedInt);
        Some(match (self, stage) {
            (_, Fragment) => {
                return self.fragment_output_target(index, options.dual_source_blending);
            }
            (_, Compute) => return None,
            (Self::Patch, TessControl) => float(Semantic::GenericPatchVarying(index)),
            (Self::TessOuter, TessControl) => OutputTarget::OuterLevels,
            (Self::TessInner, TessControl) => OutputTarget::InnerLevels,
            (Self::Position, _) => float(Semantic::Position),
            (Self::PointSize, _) => float(Semantic::PointSize),
            (Self::Fog, _) if options.legacy_semantics => float(Semantic::FogCoord),
            (Self::Fog, _) => float(Semantic::FogCoordVec4),
            (Self::Layer, _) => word(Semantic::Layer),
            (Self::ViewportIndex, _) => word(Semantic::ViewportIndex),
            (Self::ViewportMask, _) => word(Semantic::ViewportMask),
            (Self::PrimitiveId, Geometry) => word(Semantic::PrimitiveId),
            (Self::ClipDistance, _) if index < 2 => OutputTarget::Distances(4 * index),
            (Self::CullDistance, _) if index < 2 => OutputTarget::CullDistances(4 * index),
            (Self::ClipVertex, _) => OutputTarget::ClipVertex,
            (Self::EdgeFlag, _) => OutputTarget::Dropped,
            _ => float(self.numbered_semantic(index)?),
        })
    }

    /// Returns the target of a fragment output, None for semantics that fragment programs do not
    /// write. With `dual_source` both colors are blended into attachment 0.
    fn fragment_output_target(self, index: u8, dual_source: bool) -> Option<OutputTarget> {
        let (semantic, base) = match (self, index) {
            // Only z of the output counts. TGSI, TGSI_SEMANTIC_POSITION.
            (Self::Position, _) => (Semantic::FragDepth, BaseType::Float),
            (Self::Color, 0..8) => {
                // Color 1 is a second color for attachment 0 or the color of attachment 1: the
                // program does not specify it, the state of blending does.
                let (buffer, index) = if dual_source { (0, index) } else { (index, 0) };
                (Semantic::FragColor { buffer, index }, BaseType::Float)
            }
            (Self::Stencil, _) => (Semantic::FragStencil, BaseType::UnsignedInt),
            (Self::SampleMask, _) => (Semantic::SampleMask, BaseType::UnsignedInt),
            _ => return None,
        };
        Some(OutputTarget::Output(semantic, base))
    }
}

/// Returns the kind of an input of floats.
const fn float_input(semantic: Semantic) -> InputKind {
    InputKind::Input(semantic, BaseType::Float)
}

/// Returns the kind of an input of unsigned integers.
const fn word_input(semantic: Semantic) -> InputKind {
    InputKind::Input(semantic, BaseType::UnsignedInt)
}

/// Returns the kind of a register whose first `count` lanes are consecutive scalar inputs from
/// number `from` on.
fn lane_inputs(first: fn(u8) -> Semantic, from: u8, count: u8) -> InputKind {
    let lane = |lane: u8| (lane < count).then(|| first(from + lane));
    InputKind::Lanes([0, 1, 2, 3].map(lane))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_unique() {
        let mut words: Vec<_> = SemanticName::words().collect();
        words.sort_unstable();
        let count = words.len();
        words.dedup();
        assert_eq!(words.len(), count);
        for (text, name) in SemanticName::words_and_names() {
            let text = text.as_bytes();
            assert_eq!(
                SemanticName::from_word(&Word { text, start: 0 }),
                Some(name)
            );
        }
    }

    #[test]
    fn what_stages_write_later_stages_read() {
        let options = TgsiOptions::default();
        let passed = [
            SemanticName::Generic,
            SemanticName::Color,
            SemanticName::BackColor,
            SemanticName::TexCoord,
        ];
        for name in passed
            .into_iter()
            .chain([SemanticName::Fog, SemanticName::ClipDistance])
        {
            for index in [0, 1] {
                assert!(name.output_target(index, Stage::Vertex, &options).is_some());
                let read = name.input_kind(index, Stage::Fragment, false, false);
                assert!(read.is_some(), "{name:?}");
                assert!(
                    name.input_kind(index, Stage::Vertex, false, false)
                        .is_none()
                );
                assert!(
                    name.input_kind(index, Stage::Compute, false, false)
                        .is_none()
                );
            }
        }
    }

    #[test]
    fn numbers_have_ends() {
        let options = TgsiOptions::default();
        let ends = [
            (SemanticName::Color, Stage::Vertex, 2),
            (SemanticName::Color, Stage::Fragment, 8),
            (SemanticName::BackColor, Stage::Vertex, 2),
            (SemanticName::TexCoord, Stage::Vertex, 8),
            (SemanticName::ClipDistance, Stage::Vertex, 2),
            (SemanticName::CullDistance, Stage::Geometry, 2),
        ];
        for (name, stage, end) in ends {
            assert!(
                name.output_target(end - 1, stage, &options).is_some(),
                "{name:?}"
            );
            assert!(
                name.output_target(end, stage, &options).is_none(),
                "{name:?}"
            );
        }
        let last = SemanticName::Generic.output_target(255, Stage::Vertex, &options);
        assert!(last.is_some());
    }

    #[test]
    fn the_second_color_may_be_blended_with() {
        let color = |dual_source| {
            let options = TgsiOptions {
                dual_source_blending: dual_source,
                ..TgsiOptions::default()
            };
            SemanticName::Color.output_target(1, Stage::Fragment, &options)
        };
        let output = |buffer, index| {
            let semantic = Semantic::FragColor { buffer, index };
            Some(OutputTarget::Output(semantic, BaseType::Float))
        };
        assert_eq!(color(false), output(1, 0));
        assert_eq!(color(true), output(0, 1));
    }
}
