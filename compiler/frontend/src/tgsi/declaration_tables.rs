//! Tables of the words in declarations and properties: register files, modifiers and properties.
//! TGSI, sections "Declaration" and "Properties".

use super::lex::{Word, is_same};
use super::opcodes::SyntaxGeneration;
use super::semantics::SemanticName;
use crate::lang::Stages;
use glasm_ir::Interpolation;
use glasm_ir::primitive::MAX_PATCH_VERTICES;
use glasm_ir::semantic::Sampling;

macro_rules! files {
    ($($(#[$doc:meta])* $name:ident $word:literal $access:ident $era:ident $text:literal;)*) => {
        /// A register file.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(super) enum RegisterFile { $($(#[$doc])* $name,)* }

        impl RegisterFile {
            /// All files.
            pub(super) const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the keyword of the file, such as `TEMP`.
            pub(super) const fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Returns whether instructions write the file's registers, only read them, or use them
            /// as resources.
            pub(super) const fn access(self) -> FileAccess {
                match self { $(Self::$name => FileAccess::$access,)* }
            }

            /// Returns the period of TGSI in which the file was in use.
            pub(super) const fn era(self) -> SyntaxGeneration {
                match self { $(Self::$name => SyntaxGeneration::$era,)* }
            }

            /// Returns a human-readable description of its contents.
            pub(super) const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

/// Use of the registers of a file by instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FileAccess {
    /// Read and write them.
    Write,
    /// Read them.
    Read,
    /// Name them as resources.
    Resource,
}

files! {
    // Columns: name, word, access, era, description.
    Null "NULL" Write Current "nothing: reads give 0, writes are lost";
    Const "CONST" Read Current "constants: CONST[n] is vector n of constant buffer 0, CONST[b][n] that of buffer b; 0 out of bounds";
    In "IN" Read Current "inputs; with two brackets, vertex and register";
    Out "OUT" Write Current "outputs, which may be read; with two brackets, vertex and register";
    Temp "TEMP" Write Current "temporaries, four words each";
    Samp "SAMP" Resource Current "samplers, of TEX and similar opcodes also the textures";
    Addr "ADDR" Write Current "integers that index registers";
    Imm "IMM" Read Current "immediates, in source order";
    /// Predicates of TGSI of 2010.
    Pred "PRED" Write Removed "predicates, which guard instructions";
    Sv "SV" Read Current "system values";
    /// Immediate arrays of TGSI of 2010.
    ImmX "IMMX" Read Removed "arrays of immediates";
    /// Temporary arrays of TGSI of 2010.
    TempX "TEMPX" Write Removed "arrays of temporaries";
    Image "IMAGE" Resource Current "images, for LOAD, STORE and atomics";
    /// Name of images from 2011 to 2014.
    Res "RES" Resource Removed "images, as they were called from 2011 to 2014; with a type, views, as those were called before";
    Sview "SVIEW" Resource Current "views of textures, for SAMPLE and similar opcodes; they also define the types of textures";
    Buffer "BUFFER" Resource Current "storage buffers, counted in bytes";
    Memory "MEMORY" Resource Current "memory: SHARED by a block, PRIVATE, INPUT of a kernel, or GLOBAL";
    ConstBuf "CONSTBUF" Resource Current "constant buffers that LOAD reads, counted in bytes";
    HwAtomic "HWATOMIC" Resource Current "counters: HWATOMIC[b][c] is word c of counter buffer b";
}

impl RegisterFile {
    /// Returns the register file with this keyword; the common files are compared first.
    #[inline]
    pub(super) fn from_word(word: &[u8]) -> Option<Self> {
        // Those that instructions name most, in capitals, as printers write them.
        match word {
            b"TEMP" => Some(Self::Temp),
            b"CONST" => Some(Self::Const),
            b"IMM" => Some(Self::Imm),
            b"IN" => Some(Self::In),
            b"OUT" => Some(Self::Out),
            _ => Self::from_word_slow(word),
        }
    }

    /// Returns the register file of a word in any case, by a linear search.
    #[inline(never)]
    fn from_word_slow(word: &[u8]) -> Option<Self> {
        let mut files = Self::ALL.iter().copied();
        files.find(|file| is_same(word, file.word()))
    }
}

/// A modifier of a declaration, by its word.
#[derive(Clone, Copy, Debug)]
pub(super) enum DclModifierKind {
    Array(u32),
    /// A temporary that passes no value to subroutines: a hint.
    Local,
    /// A semantic with its index and the end of its index.
    Semantic(SemanticName, u32, u32),
    Stream,
    Interpolation(Interpolation),
    Sampling(Sampling),
    /// Interpolation that wraps around, of TGSI of 2010.
    Wrap,
    Invariant,
}

/// The words of modifiers other than semantics.
const DCL_MODIFIERS: [(&str, DclModifierKind); 11] = [
    ("ARRAY", DclModifierKind::Array(0)),
    ("LOCAL", DclModifierKind::Local),
    ("STREAM", DclModifierKind::Stream),
    (
        "CONSTANT",
        DclModifierKind::Interpolation(Interpolation::Flat),
    ),
    (
        "LINEAR",
        DclModifierKind::Interpolation(Interpolation::NoPerspective),
    ),
    (
        "PERSPECTIVE",
        DclModifierKind::Interpolation(Interpolation::Smooth),
    ),
    // Flat or not by the state of flat shading, which code generation has.
    (
        "COLOR",
        DclModifierKind::Interpolation(Interpolation::Smooth),
    ),
    ("CENTER", DclModifierKind::Sampling(Sampling::Center)),
    ("CENTROID", DclModifierKind::Sampling(Sampling::Centroid)),
    ("SAMPLE", DclModifierKind::Sampling(Sampling::Sample)),
    ("INVARIANT", DclModifierKind::Invariant),
];

/// Prefix of a modifier that names axes.
const WRAP_PREFIX: &str = "CYLWRAP_";

/// Returns the words of modifiers other than semantics.
pub(super) fn modifier_words() -> impl Iterator<Item = &'static str> {
    DCL_MODIFIERS.iter().map(|row| row.0)
}

impl DclModifierKind {
    /// Returns the position in the order that modifiers of a declaration must have.
    pub(super) const fn order(self) -> u8 {
        match self {
            Self::Array(_) => 1,
            Self::Local => 2,
            Self::Semantic(..) => 3,
            Self::Stream => 4,
            Self::Interpolation(_) => 5,
            Self::Sampling(_) => 6,
            Self::Wrap => 7,
            Self::Invariant => 8,
        }
    }

    /// Returns the modifier of a word, other than a semantic, in a declaration of this file.
    pub(super) fn from_word(word: &Word<'_>, file: RegisterFile) -> Option<Self> {
        let is_input = file == RegisterFile::In;
        let row = DCL_MODIFIERS.iter().find(|row| word.is(row.0));
        match row.map(|&(_, suffix)| suffix) {
            // On outputs an interpolation has no effect.
            Some(Self::Interpolation(_) | Self::Sampling(_))
                if !is_input && file != RegisterFile::Out =>
            {
                None
            }
            Some(suffix) => Some(suffix),
            None => {
                let head = word.text.split_at_checked(WRAP_PREFIX.len());
                let (head, axes) = head.filter(|_| is_input)?;
                let is_wrap = head.eq_ignore_ascii_case(WRAP_PREFIX.as_bytes()) && !axes.is_empty();
                is_wrap.then_some(Self::Wrap)
            }
        }
    }
}

/// Values that a property takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ValueDomain {
    /// A number between these bounds.
    Number(u32, u32),
    /// One of these words, which denote numbers.
    Word(&'static [(&'static str, u32)]),
}

const INPUT_PRIMITIVES: &[(&str, u32)] = &[
    // Gallium's numbers, which are those of OpenGL.
    ("POINTS", 0),
    ("LINES", 1),
    ("TRIANGLES", 4),
    ("LINES_ADJACENCY", 10),
    ("TRIANGLES_ADJACENCY", 12),
];
const OUTPUT_PRIMITIVES: &[(&str, u32)] =
    &[("POINTS", 0), ("LINE_STRIP", 3), ("TRIANGLE_STRIP", 5)];
const ORIGINS: &[(&str, u32)] = &[("UPPER_LEFT", 0), ("LOWER_LEFT", 1)];
const CENTERS: &[(&str, u32)] = &[("HALF_INTEGER", 0), ("INTEGER", 1)];
const PROCESSORS: &[(&str, u32)] = &[
    ("VERT", 0),
    ("FRAG", 1),
    ("GEOM", 2),
    ("TESS_CTRL", 3),
    ("TESS_EVAL", 4),
    ("COMP", 5),
];
/// The largest number represents all that are larger, which are refused.
pub(super) const ANY_NUMBER: ValueDomain = ValueDomain::Number(0, u32::MAX - 1);
const BOOLEAN: ValueDomain = ValueDomain::Number(0, 1);
/// Default of the maximum number of vertices that a geometry program emits: Mesa's software
/// pipeline reserves memory for as many.
pub(super) const DEFAULT_MAX_VERTICES: u32 = 32;

/// An entry of the table of properties.
#[derive(Clone, Copy, Debug)]
pub(super) struct PropertyRow {
    pub(super) name: &'static str,
    pub(super) property: Property,
    pub(super) stages: Stages,
    pub(super) value: ValueDomain,
    /// Human-readable description.
    pub(super) text: &'static str,
}

macro_rules! properties {
    ($($name:ident ($($word:literal)+) $stages:ident $value:expr, $text:literal;)*) => {
        /// A property.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Property { $($name,)* }

        static PROPERTIES: &[PropertyRow] = &[$($(PropertyRow {
            name: $word,
            property: Property::$name,
            stages: Stages::$stages,
            value: $value,
            text: $text,
        },)+)*];
    };
}

properties! {
    // Columns: name, words, stages, value, description.
    InputPrimitive ("GS_INPUT_PRIMITIVE" "GS_INPUT_PRIM") GEOMETRY ValueDomain::Word(INPUT_PRIMITIVES), "primitive that the program reads";
    OutputPrimitive ("GS_OUTPUT_PRIMITIVE" "GS_OUTPUT_PRIM") GEOMETRY ValueDomain::Word(OUTPUT_PRIMITIVES), "primitive that the program generates";
    MaxVertices ("GS_MAX_OUTPUT_VERTICES" "GS_MAX_VERTICES") GEOMETRY ValueDomain::Number(0, 1024), "vertices that an invocation emits at most";
    Origin ("FS_COORD_ORIGIN") FRAGMENT ValueDomain::Word(ORIGINS), "where y of POSITION is 0";
    Center ("FS_COORD_PIXEL_CENTER") FRAGMENT ValueDomain::Word(CENTERS), "whether POSITION of the first pixel is 0.5 or 0";
    Color0All ("FS_COLOR0_WRITES_ALL_CBUFS") FRAGMENT BOOLEAN, "whether color 0 goes to all attachments";
    DepthLayout ("FS_DEPTH_LAYOUT") FRAGMENT ValueDomain::Number(0, 4), "a promise of how depths change: 0 none, 1 any, 2 greater, 3 less, 4 unchanged";
    ProhibitPlanes ("VS_PROHIBIT_UCPS") VERTICES BOOLEAN, "whether user clip planes have no effect";
    Invocations ("GS_INVOCATIONS") GEOMETRY ValueDomain::Number(0, 127), "invocations for each primitive";
    WindowSpace ("VS_WINDOW_SPACE_POSITION") VERTEX BOOLEAN, "whether POSITION is the position in the window, with 1 / w in w";
    PatchVertices ("TCS_VERTICES_OUT") TESS_CONTROL ValueDomain::Number(1, MAX_PATCH_VERTICES), "vertices of the generated patch";
    TessMode ("TES_PRIM_MODE") TESS_EVAL ValueDomain::Number(1, 7), "what patches are divided into: 1 lines, 4 triangles, 7 quads";
    Spacing ("TES_SPACING") TESS_EVAL ValueDomain::Number(0, 2), "how edges are divided: 0 odd fractions, 1 even fractions, 2 equal parts";
    Clockwise ("TES_VERTEX_ORDER_CW") TESS_EVAL BOOLEAN, "whether triangles are clockwise";
    PointMode ("TES_POINT_MODE") TESS_EVAL BOOLEAN, "whether patches become points";
    ClipDistances ("NUM_CLIPDIST_ENABLED") VERTICES ValueDomain::Number(0, 8), "how many distances clip";
    CullDistances ("NUM_CULLDIST_ENABLED") VERTICES ValueDomain::Number(0, 8), "how many distances, after the clip distances, cull";
    EarlyTests ("FS_EARLY_DEPTH_STENCIL") FRAGMENT BOOLEAN, "whether depth and stencil are tested before the program";
    PostDepthCoverage ("FS_POST_DEPTH_COVERAGE") FRAGMENT BOOLEAN, "whether SAMPLEMASK has only samples that passed those tests";
    NextShader ("NEXT_SHADER") ALL ValueDomain::Word(PROCESSORS), "the stage that follows; no effect";
    Width ("CS_FIXED_BLOCK_WIDTH") COMPUTE ANY_NUMBER, "threads of a block in x; 0: the caller says";
    Height ("CS_FIXED_BLOCK_HEIGHT") COMPUTE ANY_NUMBER, "threads of a block in y; 0: the caller says";
    Depth ("CS_FIXED_BLOCK_DEPTH") COMPUTE ANY_NUMBER, "threads of a block in z; 0: the caller says";
    ZeroProduct ("LEGACY_MATH_RULES" "MUL_ZERO_WINS") ALL BOOLEAN, "whether zero times anything is zero";
    LayerOfViewport ("LAYER_VIEWPORT_RELATIVE") VERTICES BOOLEAN, "whether the number of the viewport is added to LAYER";
    BlitRegisters ("VS_BLIT_SGPRS_AMD") VERTEX ANY_NUMBER, "specific to one driver; no effect";
    UserDataCount ("CS_USER_DATA_COMPONENTS_AMD") COMPUTE ANY_NUMBER, "components of CS_USER_DATA_AMD that are used; no effect";
    BlendEquation ("FS_BLEND_EQUATION_ADVANCED") FRAGMENT ANY_NUMBER, "advanced blend equations; no effect, because blending is part of the pipeline";
    Separable ("SEPARABLE_PROGRAM") ALL ANY_NUMBER, "whether the program is linked alone; no effect";
    RoundLevels ("TCS_TESS_FACTOR_ROUND_TO_POW2") TESS_CONTROL ANY_NUMBER, "specific to one driver; no effect";
    MaxLevel ("TCS_TESS_FACTOR_MAX") TESS_CONTROL ANY_NUMBER, "specific to one driver; no effect";
}

/// Returns all properties, each spelling once.
pub(super) fn rows() -> &'static [PropertyRow] {
    PROPERTIES
}

impl PropertyRow {
    /// Returns the table entry of the property with this name, without regard to case.
    pub(super) fn from_word(word: &Word<'_>) -> Option<&'static Self> {
        // Programs have few properties, so that a linear search suffices.
        PROPERTIES.iter().find(|row| word.is(row.name))
    }
}
