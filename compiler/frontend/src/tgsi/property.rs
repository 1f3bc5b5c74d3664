//! Properties. TGSI, section "Properties".

use super::ast;
use super::lex::Word;
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::{Stages, stage_name};
use crate::tgsi::check::Parsed;
use crate::tgsi::declare::Declarer;
use glasm_ir::primitive::{
    InputPrimitive, MAX_PATCH_VERTICES, OutputPrimitive, TessMode, TessOrder, TessSpacing,
};
use glasm_ir::{Span, Stage};

/// What a property takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// A number between these bounds.
    Number(u32, u32),
    /// One of these words, which stand for numbers.
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
/// The largest number stands for all that are larger, which are refused.
pub(super) const ANY: Value = Value::Number(0, u32::MAX - 1);
const SWITCH: Value = Value::Number(0, 1);
/// Vertices that a geometry program emits at most where the text does not say it: Mesa's software pipeline reserves memory for as many.
const DEFAULT_VERTICES: u32 = 32;

/// A row of the table of properties.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    property: Property,
    pub(super) stages: Stages,
    pub(super) value: Value,
    /// What it says, for people.
    pub(super) text: &'static str,
}

macro_rules! properties {
    ($($name:ident ($($word:literal)+) $stages:ident $value:expr, $text:literal;)*) => {
        /// A property.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        enum Property { $($name,)* }

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
    // name, words, stages, value, text
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

/// All properties, each spelling once.
pub(super) fn rows() -> &'static [Row] {
    PROPERTIES
}

impl Row {
    /// Returns the property of a word.
    pub(super) fn of(word: &Word<'_>) -> Option<&'static Self> {
        // Programs have few properties, so that a search will do.
        PROPERTIES.iter().find(|row| word.is(row.name))
    }
}

impl Declarer<'_, '_> {
    /// Applies a property.
    pub(super) fn property(&mut self, it: &ast::Property) -> Parsed<()> {
        self.cx.emit.span = it.name;
        let Row {
            name,
            property,
            stages,
            ..
        } = *it.row;
        if !stages.has(self.cx.check.stage) {
            let stage = stage_name(self.cx.check.stage);
            let message = format!("`{name}` means nothing in {stage} programs");
            self.cx
                .check
                .lenient(Rule::PropertyOfStage, it.span, message);
            return Ok(());
        }
        self.set_property(property, it.value, it.value_span)
    }

    fn set_property(&mut self, property: Property, number: u32, place: Span) -> Parsed<()> {
        let it = &mut self.cx.properties;
        let set = number != 0;
        match property {
            Property::InputPrimitive => it.input_primitive = Some(input_primitive(number)),
            Property::OutputPrimitive => it.output_primitive = Some(output_primitive(number)),
            Property::MaxVertices => {
                it.modes.vertices_out = number;
                if number == 0 {
                    it.modes.vertices_out = DEFAULT_VERTICES;
                    self.cx.check.report_zero_count(
                        "GS_MAX_OUTPUT_VERTICES",
                        DEFAULT_VERTICES,
                        place,
                    );
                }
            }
            Property::PatchVertices => it.modes.vertices_out = number,
            Property::Origin => it.lower_left = set,
            Property::Center => it.integer_center = set,
            Property::Color0All => it.color0_all = set,
            Property::ProhibitPlanes => it.prohibits_planes = set,
            Property::Invocations => {
                it.modes.invocations = number.max(1);
                if number == 0 {
                    self.cx.check.report_zero_count("GS_INVOCATIONS", 1, place);
                }
            }
            Property::WindowSpace => it.window_space = set,
            Property::TessMode => {
                let Some(mode) = tess_mode(number) else {
                    let message = "`TES_PRIM_MODE` is 1 (lines), 4 (triangles) or 7 (quads)";
                    return Err(self.cx.check.error(Code::PropertyValue, place, message));
                };
                it.tess_mode = Some(mode);
            }
            Property::Spacing => it.modes.tess_spacing = tess_spacing(number),
            Property::Clockwise if set => it.modes.tess_order = TessOrder::Cw,
            Property::Clockwise => it.modes.tess_order = TessOrder::Ccw,
            Property::PointMode => it.modes.point_mode = set,
            Property::ClipDistances => it.clip_distances = Some(number),
            Property::CullDistances => it.cull_distances = Some(number),
            Property::EarlyTests => it.modes.early_fragment_tests = set,
            Property::PostDepthCoverage => it.modes.post_depth_coverage = set,
            Property::Width => it.block[0] = number,
            Property::Height => it.block[1] = number,
            Property::Depth => it.block[2] = number,
            Property::ZeroProduct => it.modes.zero_product = set,
            Property::LayerOfViewport => it.layer_of_viewport = set,
            Property::DepthLayout
            | Property::NextShader
            | Property::BlitRegisters
            | Property::UserDataCount
            | Property::BlendEquation
            | Property::Separable
            | Property::RoundLevels
            | Property::MaxLevel => {}
        }
        Ok(())
    }

    /// Gives the program what its properties say; reports those that it cannot do without.
    pub(super) fn apply_properties(&mut self) {
        let it = self.cx.properties;
        let open = self.cx.check.options.block_size;
        let mut modes = it.modes;
        if self.cx.check.stage == Stage::Geometry && modes.vertices_out == 0 {
            modes.vertices_out = DEFAULT_VERTICES;
            let message = "geometry programs need the property `GS_MAX_OUTPUT_VERTICES`";
            self.cx
                .check
                .reports
                .lenient_whole(Rule::MissingOutputCount, message);
        }
        modes.workgroup_size = [0, 1, 2].map(|axis| match it.block[axis] {
            // The caller knows the sizes that the text leaves open. A block has at least one thread.
            0 => open[axis].max(1),
            size => size,
        });
        modes.primitive_in = it.input_primitive.unwrap_or_default();
        modes.primitive_out = it.output_primitive.unwrap_or_default();
        modes.tess_mode = it.tess_mode.unwrap_or_default();
        // Else color 0 goes to all attachments.
        modes.numbered_colors = !it.color0_all;
        self.cx.emit.builder.program.modes = modes;
        // As in OpenGL (`ARB_gpu_shader5`): strips cannot be told apart by stream.
        if let Some(span) = it.later_stream
            && modes.primitive_out != OutputPrimitive::Points
        {
            let message = "streams other than 0 need GS_OUTPUT_PRIMITIVE POINTS";
            self.cx
                .check
                .reports
                .error(Code::EmitsOutput, span, message);
        }
        self.report_missing_properties();
    }

    fn report_missing_properties(&mut self) {
        let it = &self.cx.properties;
        let no_count = it.modes.vertices_out == 0;
        let needed: &[(&str, bool)] = match self.cx.check.stage {
            Stage::Geometry => &[
                ("GS_INPUT_PRIMITIVE", it.input_primitive.is_none()),
                ("GS_OUTPUT_PRIMITIVE", it.output_primitive.is_none()),
            ],
            Stage::TessControl => &[("TCS_VERTICES_OUT", no_count)],
            Stage::TessEval => &[("TES_PRIM_MODE", it.tess_mode.is_none())],
            Stage::Vertex | Stage::Fragment | Stage::Compute => &[],
        };
        for (name, _) in needed.iter().filter(|(_, is_missing)| *is_missing) {
            let stage = stage_name(self.cx.check.stage);
            let message = format!("{stage} programs need the property `{name}`");
            self.cx
                .check
                .reports
                .whole(Code::DeclarationMissing, message);
        }
    }
}

const fn input_primitive(number: u32) -> InputPrimitive {
    match number {
        1 => InputPrimitive::Lines,
        4 => InputPrimitive::Triangles,
        10 => InputPrimitive::LinesAdjacency,
        12 => InputPrimitive::TrianglesAdjacency,
        // The other words of the table; its numbers are Gallium's.
        _ => InputPrimitive::Points,
    }
}

const fn output_primitive(number: u32) -> OutputPrimitive {
    match number {
        3 => OutputPrimitive::LineStrip,
        5 => OutputPrimitive::TriangleStrip,
        // POINTS, as for what comes in.
        _ => OutputPrimitive::Points,
    }
}

const fn tess_mode(number: u32) -> Option<TessMode> {
    match number {
        1 => Some(TessMode::Isolines),
        4 => Some(TessMode::Triangles),
        7 => Some(TessMode::Quads),
        _ => None,
    }
}

const fn tess_spacing(number: u32) -> TessSpacing {
    match number {
        0 => TessSpacing::FractionalOdd,
        1 => TessSpacing::FractionalEven,
        // 2, the only number left within the bounds of the table.
        _ => TessSpacing::Equal,
    }
}
