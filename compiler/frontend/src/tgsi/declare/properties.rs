//! Properties: their effects, and those that programs require.

use super::Declarer;
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::stage_name;
use crate::tgsi::ast;
use crate::tgsi::check::Parsed;
use crate::tgsi::property::{DEFAULT_VERTICES, Property, Row};
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive, TessMode, TessOrder, TessSpacing};
use glasm_ir::{Span, Stage};

impl Declarer<'_, '_> {
    /// Applies a property.
    pub(in crate::tgsi) fn property(&mut self, it: &ast::Property) -> Parsed<()> {
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

    /// Applies the properties to the program; reports required ones that are missing.
    pub(in crate::tgsi) fn apply_properties(&mut self) {
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
            // The caller has the sizes that the program leaves open. A block has at least one
            // thread.
            0 => open[axis].max(1),
            size => size,
        });
        modes.primitive_in = it.input_primitive.unwrap_or_default();
        modes.primitive_out = it.output_primitive.unwrap_or_default();
        modes.tess_mode = it.tess_mode.unwrap_or_default();
        // Otherwise color 0 is written to all attachments.
        modes.numbered_colors = !it.color0_all;
        self.cx.emit.builder.program.modes = modes;
        // As in OpenGL (`ARB_gpu_shader5`): strips cannot be distinguished by stream.
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
        // POINTS, as for the input primitive.
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
