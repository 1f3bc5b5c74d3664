//! Semantics of registers in declarations. TGSI, section "Declaration Semantic".

use super::lex::Word;
use crate::source::TgsiOptions;
use glasm_ir::types::Base as TypeBase;
use glasm_ir::{Semantic, Stage};

macro_rules! names {
    ($($name:ident $($word:literal)+, $text:literal;)*) => {
        /// A semantic name.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(super) enum Name { $($name,)* }

        static NAMES: &[(&str, Name)] = &[$($(($word, Name::$name),)+)*];

        impl Name {
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
    Position "POSITION", "position in clip space; of fragments the place in the window, as output the depth in z";
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
    ClipDistance "CLIPDIST", "distances to planes 4n to 4n + 3, to clip and, behind those, to cull";
    CullDistance "CULLDIST", "distances to planes to cull, as texts of virgl have them";
    ClipVertex "CLIPVERTEX", "vector whose distances to user clip planes clip";
    PointCoord "PCOORD", "place in a point sprite: (s, t, 0, 1)";
    ViewportIndex "VIEWPORT_INDEX", "number of the viewport, an integer in x";
    ViewportMask "VIEWPORT_MASK", "viewports that get the primitive, as bits in x";
    Layer "LAYER", "layer of the framebuffer, an integer in x";
    SampleId "SAMPLEID", "number of the sample, an integer";
    SamplePosition "SAMPLEPOS", "place of the sample in its pixel, from 0 to 1";
    SampleMask "SAMPLEMASK", "covered samples, as bits in x";
    InvocationId "INVOCATIONID", "number of the invocation for the primitive or patch, an integer";
    Patch "PATCH", "a value of the patch, by its number";
    TessCoord "TESSCOORD", "place in the divided patch: (u, v, w)";
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
    WorkDim "WORK_DIM", "dimensions of the grid, an integer that the caller gives";
    UserData "CS_USER_DATA_AMD", "four words that the caller gives";
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
pub(super) enum Content {
    /// An input of the stage.
    Input(Semantic, TypeBase),
    /// Lanes that are lane x of a separate input each; the others are 0.
    Lanes([Option<Semantic>; 4]),
    /// (all ones for front faces, 0, 0, 1) as integers.
    FaceBits,
    /// All ones if the fragment was a helper invocation where the program began.
    Helper,
    /// The vertex number without the base vertex.
    VertexNumber,
    /// Values that the options define.
    Words(Source),
}

/// Values that the options of a translation provide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    WorkDim,
    UserData,
    OuterLevels,
    InnerLevels,
}

/// Destination of a register that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sink {
    /// An output of the stage.
    Output(Semantic, TypeBase),
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

impl Name {
    /// Returns the name of a word.
    #[inline]
    pub(super) fn of(word: &Word<'_>) -> Option<Self> {
        let row = NAMES.iter().find(|(known, _)| word.is(known));
        row.map(|&(_, name)| name)
    }

    /// Returns all names, by their words.
    pub(super) fn all() -> impl Iterator<Item = (&'static str, Self)> {
        NAMES.iter().copied()
    }

    /// Returns the words of all names.
    pub(super) fn words() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|row| row.0)
    }

    /// Returns true if there is one value for a patch, or for the primitive, so that registers with
    /// it have no vertices.
    pub(super) const fn is_single(self) -> bool {
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
    /// value. `value`: a system value, else an input; `old`: in the document of 2010, where fog is
    /// a number.
    pub(super) fn content(
        self,
        index: u8,
        stage: Stage,
        value: bool,
        old: bool,
    ) -> Option<Content> {
        use Stage::{Fragment, Geometry, TessControl, TessEval};
        // Values of earlier stages are inputs, never system values; vertex programs have attributes
        // only.
        let varying = matches!(stage, Geometry | TessControl | TessEval | Fragment) && !value;
        match (self, stage) {
            (Self::Face, Fragment) if value => Some(Content::FaceBits),
            (Self::Patch, TessEval) if !value => Some(float(Semantic::PatchGeneric(index))),
            // Two registers of four distances each. TGSI, TGSI_SEMANTIC_CLIPDIST.
            (Self::ClipDistance, Fragment | Geometry | TessControl | TessEval) if index < 2 => {
                Some(lanes(Semantic::ClipDistance, 4 * index, 4))
            }
            // Most inputs are such values. A value that the stage also provides is the same one.
            _ if varying => {
                let passed = self.varying(index, stage, old);
                passed.or_else(|| self.value_of_stage(stage))
            }
            _ => self.value_of_stage(stage),
        }
    }

    /// Returns the value that the stage itself provides to programs.
    #[inline]
    fn value_of_stage(self, stage: Stage) -> Option<Content> {
        use Stage::{Compute, Fragment, Geometry, TessControl, TessEval, Vertex};
        Some(match (self, stage) {
            (Self::Position, Fragment) => float(Semantic::Position),
            (Self::Face, Fragment) => float(Semantic::Facing),
            (Self::PointCoord, Fragment) => float(Semantic::PointCoord),
            (Self::SampleId, Fragment) => word(Semantic::SampleId),
            (Self::SamplePosition, Fragment) => float(Semantic::SamplePosition),
            (Self::SampleMask, Fragment) => word(Semantic::SampleMask),
            (Self::HelperInvocation, Fragment) => Content::Helper,
            (Self::Layer, Fragment) => word(Semantic::Layer),
            (Self::ViewportIndex, Fragment) => word(Semantic::ViewportIndex),
            (Self::PrimitiveId, Fragment | Geometry | TessControl | TessEval) => {
                word(Semantic::PrimitiveId)
            }
            (Self::InstanceId, Vertex) => word(Semantic::InstanceId),
            (Self::VertexId, Vertex) => word(Semantic::VertexId),
            (Self::VertexIdNoBase, Vertex) => Content::VertexNumber,
            (Self::BaseVertex, Vertex) => word(Semantic::BaseVertex),
            (Self::BaseInstance, Vertex) => word(Semantic::BaseInstance),
            (Self::DrawId, Vertex) => word(Semantic::DrawId),
            (Self::InvocationId, Geometry | TessControl) => word(Semantic::InvocationId),
            (Self::VerticesIn, TessControl | TessEval) => word(Semantic::VertexCount),
            (Self::TessCoord, TessEval) => float(Semantic::TessCoord),
            (Self::TessOuter, TessEval) => lanes(Semantic::TessOuter, 0, 4),
            (Self::TessInner, TessEval) => lanes(Semantic::TessInner, 0, 2),
            // State of OpenGL that Vulkan does not have, so that the caller provides it.
            (Self::DefaultOuter, TessControl) => Content::Words(Source::OuterLevels),
            (Self::DefaultInner, TessControl) => Content::Words(Source::InnerLevels),
            (Self::GridSize, Compute) => word(Semantic::WorkgroupCount),
            (Self::BlockId, Compute) => word(Semantic::WorkgroupId),
            (Self::BlockSize, Compute) => word(Semantic::WorkgroupSize),
            (Self::ThreadId, Compute) => word(Semantic::LocalInvocationId),
            (Self::WorkDim, Compute) => Content::Words(Source::WorkDim),
            (Self::UserData, Compute) => Content::Words(Source::UserData),
            (Self::SubgroupSize, _) => word(Semantic::SubgroupSize),
            (Self::SubgroupInvocation, _) => word(Semantic::SubgroupInvocation),
            (Self::SubgroupEqMask, _) => word(Semantic::SubgroupEqMask),
            (Self::SubgroupGeMask, _) => word(Semantic::SubgroupGeMask),
            (Self::SubgroupGtMask, _) => word(Semantic::SubgroupGtMask),
            (Self::SubgroupLeMask, _) => word(Semantic::SubgroupLeMask),
            (Self::SubgroupLtMask, _) => word(Semantic::SubgroupLtMask),
            _ => return None,
        })
    }

    /// Returns the input that is an output of an earlier stage, for stages that have one.
    #[inline]
    fn varying(self, index: u8, stage: Stage, old: bool) -> Option<Content> {
        let semantic = match (self, stage) {
            (Self::PointSize, _) => Semantic::PointSize,
            (Self::Position, _) => Semantic::Position,
            (Self::ClipVertex, Stage::Geometry | Stage::TessControl | Stage::TessEval) => {
                Semantic::ClipVertex
            }
            (Self::Fog, _) if old => Semantic::FogCoord,
            // Fog has become a vector like others.
            (Self::Fog, _) => Semantic::FogVector,
            _ => self.numbered(index)?,
        };
        Some(float(semantic))
    }

    /// Returns the semantic of a numbered output of stages before rasterization.
    #[inline]
    fn numbered(self, index: u8) -> Option<Semantic> {
        Some(match (self, index) {
            (Self::Color, 0..2) => Semantic::Color(index),
            (Self::BackColor, 0..2) => Semantic::BackColor(index),
            // "The semantic index permitted with this semantic is limited to <= 7." TGSI,
            // TGSI_SEMANTIC_TEXCOORD.
            (Self::TexCoord, 0..8) => Semantic::TexCoord(index),
            (Self::Generic, _) => Semantic::Generic(index),
            _ => return None,
        })
    }

    /// Returns the destination of a register that instructions write. `None` if the stage has no
    /// such output.
    pub(super) fn sink(self, index: u8, stage: Stage, options: &TgsiOptions) -> Option<Sink> {
        use Stage::{Compute, Fragment, Geometry, TessControl};
        let float = |semantic| Sink::Output(semantic, TypeBase::Float);
        let word = |semantic| Sink::Output(semantic, TypeBase::Unsigned);
        Some(match (self, stage) {
            (_, Fragment) => return self.fragment_sink(index, options.dual_source),
            (_, Compute) => return None,
            (Self::Patch, TessControl) => float(Semantic::PatchGeneric(index)),
            (Self::TessOuter, TessControl) => Sink::OuterLevels,
            (Self::TessInner, TessControl) => Sink::InnerLevels,
            (Self::Position, _) => float(Semantic::Position),
            (Self::PointSize, _) => float(Semantic::PointSize),
            (Self::Fog, _) if options.old => float(Semantic::FogCoord),
            (Self::Fog, _) => float(Semantic::FogVector),
            (Self::Layer, _) => word(Semantic::Layer),
            (Self::ViewportIndex, _) => word(Semantic::ViewportIndex),
            (Self::ViewportMask, _) => word(Semantic::ViewportMask),
            (Self::PrimitiveId, Geometry) => word(Semantic::PrimitiveId),
            (Self::ClipDistance, _) if index < 2 => Sink::Distances(4 * index),
            (Self::CullDistance, _) if index < 2 => Sink::CullDistances(4 * index),
            (Self::ClipVertex, _) => Sink::ClipVertex,
            (Self::EdgeFlag, _) => Sink::Dropped,
            _ => float(self.numbered(index)?),
        })
    }

    #[inline]
    fn fragment_sink(self, index: u8, dual_source: bool) -> Option<Sink> {
        let (semantic, base) = match (self, index) {
            // Only z of the output counts. TGSI, TGSI_SEMANTIC_POSITION.
            (Self::Position, _) => (Semantic::FragDepth, TypeBase::Float),
            (Self::Color, 0..8) => {
                // Color 1 is a second color for attachment 0 or the color of attachment 1: the
                // program does not specify it, the state of blending does.
                let (buffer, index) = if dual_source { (0, index) } else { (index, 0) };
                (Semantic::FragColor { buffer, index }, TypeBase::Float)
            }
            (Self::Stencil, _) => (Semantic::FragStencil, TypeBase::Unsigned),
            (Self::SampleMask, _) => (Semantic::SampleMask, TypeBase::Unsigned),
            _ => return None,
        };
        Some(Sink::Output(semantic, base))
    }
}

const fn float(semantic: Semantic) -> Content {
    Content::Input(semantic, TypeBase::Float)
}

const fn word(semantic: Semantic) -> Content {
    Content::Input(semantic, TypeBase::Unsigned)
}

/// Returns the first `count` lanes, from a number on.
#[inline]
fn lanes(first: fn(u8) -> Semantic, from: u8, count: u8) -> Content {
    let lane = |lane: u8| (lane < count).then(|| first(from + lane));
    Content::Lanes([0, 1, 2, 3].map(lane))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_unique() {
        let mut words: Vec<_> = Name::words().collect();
        words.sort_unstable();
        let count = words.len();
        words.dedup();
        assert_eq!(words.len(), count);
        for (text, name) in Name::all() {
            let text = text.as_bytes();
            assert_eq!(Name::of(&Word { text, start: 0 }), Some(name));
        }
    }

    #[test]
    fn what_stages_write_later_stages_read() {
        let options = TgsiOptions::default();
        let passed = [Name::Generic, Name::Color, Name::BackColor, Name::TexCoord];
        for name in passed.into_iter().chain([Name::Fog, Name::ClipDistance]) {
            for index in [0, 1] {
                assert!(name.sink(index, Stage::Vertex, &options).is_some());
                let read = name.content(index, Stage::Fragment, false, false);
                assert!(read.is_some(), "{name:?}");
                assert!(name.content(index, Stage::Vertex, false, false).is_none());
                assert!(name.content(index, Stage::Compute, false, false).is_none());
            }
        }
    }

    #[test]
    fn numbers_have_ends() {
        let options = TgsiOptions::default();
        let ends = [
            (Name::Color, Stage::Vertex, 2),
            (Name::Color, Stage::Fragment, 8),
            (Name::BackColor, Stage::Vertex, 2),
            (Name::TexCoord, Stage::Vertex, 8),
            (Name::ClipDistance, Stage::Vertex, 2),
            (Name::CullDistance, Stage::Geometry, 2),
        ];
        for (name, stage, end) in ends {
            assert!(name.sink(end - 1, stage, &options).is_some(), "{name:?}");
            assert!(name.sink(end, stage, &options).is_none(), "{name:?}");
        }
        let last = Name::Generic.sink(255, Stage::Vertex, &options);
        assert!(last.is_some());
    }

    #[test]
    fn the_second_color_may_be_blended_with() {
        let color = |dual_source| {
            let options = TgsiOptions {
                dual_source,
                ..TgsiOptions::default()
            };
            Name::Color.sink(1, Stage::Fragment, &options)
        };
        let output = |buffer, index| {
            let semantic = Semantic::FragColor { buffer, index };
            Some(Sink::Output(semantic, TypeBase::Float))
        };
        assert_eq!(color(false), output(1, 0));
        assert_eq!(color(true), output(0, 1));
    }
}
