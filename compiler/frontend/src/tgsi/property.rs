//! Properties. TGSI, section "Properties".

use super::lex::Word;
use crate::lang::Stages;
use glasm_ir::primitive::MAX_PATCH_VERTICES;

/// Values that a property takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
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
pub(super) const ANY: Value = Value::Number(0, u32::MAX - 1);
const SWITCH: Value = Value::Number(0, 1);
/// Default of the maximum number of vertices that a geometry program emits: Mesa's software
/// pipeline reserves memory for as many.
pub(super) const DEFAULT_VERTICES: u32 = 32;

/// An entry of the table of properties.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) property: Property,
    pub(super) stages: Stages,
    pub(super) value: Value,
    /// Human-readable description.
    pub(super) text: &'static str,
}

macro_rules! properties {
    ($($name:ident ($($word:literal)+) $stages:ident $value:expr, $text:literal;)*) => {
        /// A property.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Property { $($name,)* }

        static PROPERTIES: &[Row] = &[$($(Row {
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
    InputPrimitive ("GS_INPUT_PRIMITIVE" "GS_INPUT_PRIM") GEOMETRY Value::Word(INPUT_PRIMITIVES), "what comes in";
    OutputPrimitive ("GS_OUTPUT_PRIMITIVE" "GS_OUTPUT_PRIM") GEOMETRY Value::Word(OUTPUT_PRIMITIVES), "what goes out";
    MaxVertices ("GS_MAX_OUTPUT_VERTICES" "GS_MAX_VERTICES") GEOMETRY Value::Number(0, 1024), "vertices that an invocation emits at most";
    Origin ("FS_COORD_ORIGIN") FRAGMENT Value::Word(ORIGINS), "where y of POSITION is 0";
    Center ("FS_COORD_PIXEL_CENTER") FRAGMENT Value::Word(CENTERS), "whether POSITION of the first pixel is 0.5 or 0";
    Color0All ("FS_COLOR0_WRITES_ALL_CBUFS") FRAGMENT SWITCH, "whether color 0 goes to all attachments";
    DepthLayout ("FS_DEPTH_LAYOUT") FRAGMENT Value::Number(0, 4), "a promise of how depths change: 0 none, 1 any, 2 greater, 3 less, 4 unchanged";
    ProhibitPlanes ("VS_PROHIBIT_UCPS") VERTICES SWITCH, "whether user clip planes have no effect";
    Invocations ("GS_INVOCATIONS") GEOMETRY Value::Number(0, 127), "invocations for each primitive";
    WindowSpace ("VS_WINDOW_SPACE_POSITION") VERTEX SWITCH, "whether POSITION is the place in the window, with 1 / w in w";
    PatchVertices ("TCS_VERTICES_OUT") TESS_CONTROL Value::Number(1, MAX_PATCH_VERTICES), "vertices of the patch that is made";
    TessMode ("TES_PRIM_MODE") TESS_EVAL Value::Number(1, 7), "what patches are divided into: 1 lines, 4 triangles, 7 quads";
    Spacing ("TES_SPACING") TESS_EVAL Value::Number(0, 2), "how edges are divided: 0 odd fractions, 1 even fractions, 2 equal parts";
    Clockwise ("TES_VERTEX_ORDER_CW") TESS_EVAL SWITCH, "whether triangles are clockwise";
    PointMode ("TES_POINT_MODE") TESS_EVAL SWITCH, "whether patches become points";
    ClipDistances ("NUM_CLIPDIST_ENABLED") VERTICES Value::Number(0, 8), "how many distances clip";
    CullDistances ("NUM_CULLDIST_ENABLED") VERTICES Value::Number(0, 8), "how many distances, behind those that clip, cull";
    EarlyTests ("FS_EARLY_DEPTH_STENCIL") FRAGMENT SWITCH, "whether depth and stencil are tested before the program";
    PostDepthCoverage ("FS_POST_DEPTH_COVERAGE") FRAGMENT SWITCH, "whether SAMPLEMASK has only samples that passed those tests";
    NextShader ("NEXT_SHADER") ALL Value::Word(PROCESSORS), "the stage that follows; no effect";
    Width ("CS_FIXED_BLOCK_WIDTH") COMPUTE ANY, "threads of a block in x; 0: the caller says";
    Height ("CS_FIXED_BLOCK_HEIGHT") COMPUTE ANY, "threads of a block in y; 0: the caller says";
    Depth ("CS_FIXED_BLOCK_DEPTH") COMPUTE ANY, "threads of a block in z; 0: the caller says";
    ZeroProduct ("LEGACY_MATH_RULES" "MUL_ZERO_WINS") ALL SWITCH, "whether zero times anything is zero";
    LayerOfViewport ("LAYER_VIEWPORT_RELATIVE") VERTICES SWITCH, "whether the number of the viewport is added to LAYER";
    BlitRegisters ("VS_BLIT_SGPRS_AMD") VERTEX ANY, "for a driver of its own; no effect";
    UserDataCount ("CS_USER_DATA_COMPONENTS_AMD") COMPUTE ANY, "components of CS_USER_DATA_AMD that are used; no effect";
    BlendEquation ("FS_BLEND_EQUATION_ADVANCED") FRAGMENT ANY, "advanced blend equations; no effect, because blending is part of the pipeline";
    Separable ("SEPARABLE_PROGRAM") ALL ANY, "whether the program is linked alone; no effect";
    RoundLevels ("TCS_TESS_FACTOR_ROUND_TO_POW2") TESS_CONTROL ANY, "for a driver of its own; no effect";
    MaxLevel ("TCS_TESS_FACTOR_MAX") TESS_CONTROL ANY, "for a driver of its own; no effect";
}

/// Returns all properties, each spelling once.
pub(super) fn rows() -> &'static [Row] {
    PROPERTIES
}

impl Row {
    /// Returns the property of a word.
    pub(super) fn of(word: &Word<'_>) -> Option<&'static Self> {
        // Programs have few properties, so that a linear search suffices.
        PROPERTIES.iter().find(|row| word.is(row.name))
    }
}
