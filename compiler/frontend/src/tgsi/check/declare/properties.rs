//! Properties of a program, and the modes that they select.

use crate::codes::{Code, LenientRule};
use crate::lang::stage_name;
use crate::tgsi::ast;
use crate::tgsi::check::checker::CheckResult;
use crate::tgsi::check::contexts::Declarer;
use crate::tgsi::declaration_tables::{DEFAULT_MAX_VERTICES, Property};
use glasm_ir::Stage;
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive, TessMode, TessSpacing, TessWinding};

impl Declarer<'_, '_> {
    /// Applies all properties of the program: they are the same for all of its statements, and the
    /// last one of a kind is valid. Properties that this stage lacks or whose values are invalid
    /// are ignored; they are reported where their statements are checked.
    pub(in crate::tgsi::check) fn apply_properties(&mut self) {
        let ast = self.resolver.checker.ast;
        for statement in &ast.properties {
            let row = statement.row;
            if !row.stages.contains_stage(self.resolver.checker.stage) {
                continue;
            }
            if row.property == Property::InputPrimitive {
                let start = &mut self.resolver.properties.input_primitive_start;
                start.get_or_insert(statement.name.start);
            }
            self.set_property(row.property, statement.value);
        }
    }

    /// Checks a property statement. Properties that have no effect in this stage and counts of 0
    /// are reported leniently, values without an interpretation are errors.
    pub(in crate::tgsi::check) fn check_property(
        &mut self,
        statement: &ast::Property,
    ) -> CheckResult<()> {
        self.resolver.current_span = statement.name;
        let &ast::Property {
            row,
            value,
            value_span,
            ..
        } = statement;
        let checker = &mut self.resolver.checker;
        if !row.stages.contains_stage(checker.stage) {
            let stage = stage_name(checker.stage);
            let message = format!("`{}` has no effect in {stage} programs", row.name);
            checker.report_lenient(LenientRule::PropertyOfStage, statement.span, message);
            return Ok(());
        }
        if row.property == Property::TessMode && decode_tess_mode(value).is_none() {
            let message = "`TES_PRIM_MODE` is 1 (lines), 4 (triangles) or 7 (quads)";
            return Err(checker.report_error(Code::PropertyValue, value_span, message));
        }
        if row.property == Property::MaxVertices && value == 0 {
            let name = "GS_MAX_OUTPUT_VERTICES";
            checker.report_zero_count(name, DEFAULT_MAX_VERTICES, value_span);
        }
        if row.property == Property::Invocations && value == 0 {
            checker.report_zero_count("GS_INVOCATIONS", 1, value_span);
        }
        Ok(())
    }

    /// Sets a property to a value, which the parser has checked to be in the range of the table.
    /// Values that are invalid nevertheless are ignored.
    fn set_property(&mut self, property: Property, number: u32) {
        let properties = &mut self.resolver.properties;
        let set = number != 0;
        match property {
            Property::InputPrimitive => {
                properties.input_primitive = Some(decode_input_primitive(number))
            }
            Property::OutputPrimitive => {
                properties.output_primitive = Some(decode_output_primitive(number))
            }
            Property::MaxVertices => {
                properties.modes.vertices_out = match number {
                    0 => DEFAULT_MAX_VERTICES,
                    count => count,
                }
            }
            Property::PatchVertices => properties.modes.vertices_out = number,
            Property::Origin => properties.origin_lower_left = set,
            Property::Center => properties.pixel_center_integer = set,
            Property::Color0All => properties.color0_writes_all = set,
            Property::ProhibitPlanes => properties.disables_clip_planes = set,
            Property::Invocations => properties.modes.invocations = number.max(1),
            Property::WindowSpace => properties.window_space_position = set,
            Property::TessMode => {
                properties.tess_mode = decode_tess_mode(number).or(properties.tess_mode);
            }
            Property::Spacing => properties.modes.tess_spacing = decode_tess_spacing(number),
            Property::Clockwise if set => properties.modes.tess_order = TessWinding::Cw,
            Property::Clockwise => properties.modes.tess_order = TessWinding::Ccw,
            Property::PointMode => properties.modes.point_mode = set,
            Property::ClipDistances => properties.clip_distances = Some(number),
            Property::CullDistances => properties.cull_distances = Some(number),
            Property::EarlyTests => properties.modes.early_fragment_tests = set,
            Property::PostDepthCoverage => properties.modes.post_depth_coverage = set,
            Property::Width => properties.block_size[0] = number,
            Property::Height => properties.block_size[1] = number,
            Property::Depth => properties.block_size[2] = number,
            Property::ZeroProduct => properties.modes.zero_times_inf_is_zero = set,
            Property::LayerOfViewport => properties.layer_viewport_relative = set,
            Property::DepthLayout
            | Property::NextShader
            | Property::BlitRegisters
            | Property::UserDataCount
            | Property::BlendEquation
            | Property::Separable
            | Property::RoundLevels
            | Property::MaxLevel => {}
        }
    }

    /// Applies the modes that the properties select; reports required properties that are missing.
    pub(in crate::tgsi::check) fn apply_modes(&mut self) {
        let properties = self.resolver.properties;
        let open = self.resolver.checker.options.block_size;
        let mut modes = properties.modes;
        if self.resolver.checker.stage == Stage::Geometry && modes.vertices_out == 0 {
            modes.vertices_out = DEFAULT_MAX_VERTICES;
            let message = "geometry programs need the property `GS_MAX_OUTPUT_VERTICES`";
            self.resolver
                .checker
                .reports
                .report_lenient_program(LenientRule::MissingOutputCount, message);
        }
        modes.workgroup_size = [0, 1, 2].map(|axis| match properties.block_size[axis] {
            // The caller has the sizes that the program leaves open. A block has at least one
            // thread.
            0 => open[axis].max(1),
            size => size,
        });
        modes.primitive_in = properties.input_primitive.unwrap_or_default();
        modes.primitive_out = properties.output_primitive.unwrap_or_default();
        modes.tess_mode = properties.tess_mode.unwrap_or_default();
        // Otherwise color 0 is written to all attachments.
        modes.separate_colors = !properties.color0_writes_all;
        self.resolver.program.modes = modes;
        // As in OpenGL (`ARB_gpu_shader5`): strips cannot be distinguished by stream.
        if let Some(span) = properties.nonzero_stream
            && modes.primitive_out != OutputPrimitive::Points
        {
            let message = "streams other than 0 need GS_OUTPUT_PRIMITIVE POINTS";
            self.resolver
                .checker
                .reports
                .report_error(Code::EmitsOutput, span, message);
        }
        self.report_missing_properties();
    }

    /// Reports the properties that programs of this stage require and this program does not have.
    fn report_missing_properties(&mut self) {
        let properties = &self.resolver.properties;
        let no_count = properties.modes.vertices_out == 0;
        let needed: &[(&str, bool)] = match self.resolver.checker.stage {
            Stage::Geometry => &[
                ("GS_INPUT_PRIMITIVE", properties.input_primitive.is_none()),
                ("GS_OUTPUT_PRIMITIVE", properties.output_primitive.is_none()),
            ],
            Stage::TessControl => &[("TCS_VERTICES_OUT", no_count)],
            Stage::TessEval => &[("TES_PRIM_MODE", properties.tess_mode.is_none())],
            Stage::Vertex | Stage::Fragment | Stage::Compute => &[],
        };
        for (name, _) in needed.iter().filter(|(_, is_missing)| *is_missing) {
            let stage = stage_name(self.resolver.checker.stage);
            let message = format!("{stage} programs need the property `{name}`");
            self.resolver
                .checker
                .reports
                .report_program_error(Code::DeclarationMissing, message);
        }
    }
}

/// Returns the input primitive of one of Gallium's numbers (`PIPE_PRIM_*`).
const fn decode_input_primitive(number: u32) -> InputPrimitive {
    match number {
        1 => InputPrimitive::Lines,
        4 => InputPrimitive::Triangles,
        10 => InputPrimitive::LinesAdjacency,
        12 => InputPrimitive::TrianglesAdjacency,
        // The other words of the table; its numbers are Gallium's.
        _ => InputPrimitive::Points,
    }
}

/// Returns the output primitive of one of Gallium's numbers (`PIPE_PRIM_*`).
const fn decode_output_primitive(number: u32) -> OutputPrimitive {
    match number {
        3 => OutputPrimitive::LineStrip,
        5 => OutputPrimitive::TriangleStrip,
        // POINTS, as for the input primitive.
        _ => OutputPrimitive::Points,
    }
}

/// Returns the tessellation mode of one of Gallium's numbers, None for numbers of other primitives.
const fn decode_tess_mode(number: u32) -> Option<TessMode> {
    match number {
        1 => Some(TessMode::Isolines),
        4 => Some(TessMode::Triangles),
        7 => Some(TessMode::Quads),
        _ => None,
    }
}

/// Returns the spacing of one of Gallium's numbers (`PIPE_TESS_SPACING_*`).
const fn decode_tess_spacing(number: u32) -> TessSpacing {
    match number {
        0 => TessSpacing::FractionalOdd,
        1 => TessSpacing::FractionalEven,
        // 2, the only number left within the bounds of the table.
        _ => TessSpacing::Equal,
    }
}
