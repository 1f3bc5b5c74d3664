//! Varyings that options add to the results of a program: flat colors and starts of lines, so that
//! fragment programs can select at run time, and copies of captured results that need a separate
//! variable for transform feedback. Also the decorations of captured results.

use super::output_variable::{OutputTarget, decorate_text_interpolation, store_output_lanes};
use crate::builder::{Lane, Scalar, Val, ValueBuilder};
use crate::capability::Requirement;
use crate::dynamic_state::StateField;
use crate::emit::context::OutputEmitter;
use crate::error::Failure;
use crate::interface::inputs::decorate_varying;
use crate::interface::names::output_name;
use crate::interface::{Io, base_scalar, find_by_key};
use crate::spirv_writer::ValueWord;
use crate::varyings::{VaryingLocation, add_state_varyings, flat_color_copy};
use crate::xfb;
use crate::xfb::CaptureSource;
use glasm_ir::arena::Id;
use glasm_ir::{Output, OutputId, Program, Semantic, Stage};
use spirv::{Decoration, Op as Spv, StorageClass};

/// Stores the varyings that state adds for a result that has been stored: the start of a line for a
/// position, the flat copy of a color. Stores nothing for other results and stages that output no
/// vertices.
pub(super) fn store_added_varyings(
    io: &mut Io<'_>,
    semantic: Semantic,
    lanes: [Lane; 4],
) -> Result<(), Failure> {
    if !outputs_vertices(io.program) {
        return Ok(());
    }
    if semantic == Semantic::Position && io.options.stipples_lines() {
        return store_line_start(io, lanes);
    }
    match flat_color_copy(semantic) {
        Some(copy) if !io.options.state_sources.flat_colors.is_fixed() => {
            store_added_varying(io, copy, lanes)
        }
        Some(_) | None => Ok(()),
    }
}

/// Stores the window position of a vertex from its position in clip space and the viewport of the
/// state, which fragments of a line read from its first vertex.
fn store_line_start(io: &mut Io<'_>, position: [Lane; 4]) -> Result<(), Failure> {
    let clip_position = position.map(|lane| io.builder.read_lane_val(lane, Scalar::F32));
    let mut lanes = [Lane::scalar(io.builder.constant_f32(0.0)); 4];
    for axis in 0..2 {
        let corner = io.gl_state().load_at(StateField::Viewport, axis as u32);
        let size = io.gl_state().load_at(StateField::Viewport, axis as u32 + 2);
        let [corner, size] = [corner, size].map(|id| io.builder.val(id));
        lanes[axis] = map_to_window(
            io.builder,
            clip_position[axis],
            clip_position[3],
            corner,
            size,
        );
    }
    store_added_varying(io, Semantic::LineStippleStart, lanes)
}

/// Stores a varying that the interface has but the program does not write; nothing if the interface
/// lacks it. Fails if another output has the same location.
fn store_added_varying(
    io: &mut Io<'_>,
    semantic: Semantic,
    lanes: [Lane; 4],
) -> Result<(), Failure> {
    let varyings = &io.options.interface.outputs;
    let Some(varying) = varyings.find_varying(semantic) else {
        return Ok(());
    };
    let others = io.program.outputs.iter().map(|output| output.semantic);
    // The program may have a generic result at that location of the fixed table.
    varyings.check_no_overlap(semantic, others)?;
    let variable = declare_added_varying(io, semantic, &varying);
    store_output_lanes(
        io.builder,
        variable,
        &OutputTarget::from_varying(&varying),
        lanes,
    );
    Ok(())
}

/// Returns the output variable of a varying that GL state adds, which it declares and reflects on
/// first use.
fn declare_added_varying(
    io: &mut Io<'_>,
    semantic: Semantic,
    varying: &VaryingLocation,
) -> ValueWord {
    if let Some(variable) = find_by_key(&io.interface.outputs.added_varyings, semantic) {
        return variable;
    }
    let scalar = base_scalar(varying.base_type);
    let ty = io.builder.get_type(scalar, varying.component_count);
    let variable = io.declare_in_out_variable(StorageClass::Output, ty);
    decorate_varying(io.builder, variable, varying);
    decorate_text_interpolation(io, variable, semantic);
    io.builder.name_object(variable, || output_name(semantic));
    let output = Output::new(semantic);
    io.interface.reflect_output(
        &output,
        Some(varying.location),
        scalar,
        varying.component_count,
    );
    io.interface
        .outputs
        .added_varyings
        .push((semantic, variable));
    variable
}

/// Declares the added varyings that the fragment program reads in programs that never finish a
/// vertex and thus stored none.
pub(in crate::emit) fn declare_added_varyings(io: &mut Io<'_>) {
    let is_needed = io.options.stipples_lines() || !io.options.state_sources.flat_colors.is_fixed();
    if !is_needed || !outputs_vertices(io.program) {
        return;
    }
    let outputs = io.program.outputs.iter();
    let mut semantics: Vec<_> = outputs.map(|output| output.semantic).collect();
    add_state_varyings(&mut semantics, io.program, io.options);
    // `add_state_varyings` appends its varyings after the outputs of the program.
    for semantic in semantics.split_off(io.program.outputs.len()) {
        if let Some(varying) = io.options.interface.outputs.find_varying(semantic) {
            declare_added_varying(io, semantic, &varying);
        }
    }
}

/// Returns true for vertex, tessellation evaluation and geometry programs, whose vertices may be
/// rasterized.
fn outputs_vertices(program: &Program) -> bool {
    matches!(
        program.stage,
        Stage::Vertex | Stage::TessEval | Stage::Geometry
    )
}

/// Emits the viewport transformation of one coordinate from clip space to pixels. `divisor` is w;
/// `corner` and `size` are those of the viewport.
fn map_to_window(
    builder: &mut ValueBuilder,
    coordinate: Val,
    divisor: Val,
    corner: Val,
    size: Val,
) -> Lane {
    // Vulkan, "Controlling the Viewport": the center plus the normalized coordinate times half of
    // the size.
    let half = builder.emit_binary_float(Spv::FMul, size, 0.5);
    let center = builder.emit_binary(Spv::FAdd, corner, half);
    let normalized = builder.emit_binary(Spv::FDiv, coordinate, divisor);
    let scaled = builder.emit_binary(Spv::FMul, normalized, half);
    builder.emit_binary(Spv::FAdd, scaled, center).lane(0)
}

impl OutputEmitter<'_, '_> {
    /// Selects the variable of each capture in the options: that of the result, or a separate copy,
    /// and adds the requirements of transform feedback. Returns an error for captures that cannot
    /// be expressed or that the device does not support. Requires that the analysis has run.
    pub(in crate::emit) fn plan_captures(&mut self) -> Result<(), Failure> {
        if self.function.options.transform_feedback.is_empty() {
            return Ok(());
        }
        let written = self.find_written_results();
        let sources =
            xfb::choose_capture_sources(self.function.program, self.function.options, &written)?;
        let captures = &self.function.options.transform_feedback.captures;
        let has_streams = captures.iter().any(|capture| capture.stream > 0);
        let streams = has_streams.then_some(Requirement::GeometryStreams);
        for requirement in [Requirement::TransformFeedback].into_iter().chain(streams) {
            let required = self.function.builder.require(requirement);
            required.map_err(|error| error.required_by_options("transform feedback"))?;
        }
        let without_variable = sources.into_iter().map(|source| (source, ValueWord::NONE));
        self.captures.extend(without_variable);
        Ok(())
    }

    /// Returns the semantics of the outputs that the program writes.
    fn find_written_results(&self) -> Vec<Semantic> {
        let registers = self.function.program.output_registers();
        let written = registers.filter(|(id, _)| self.function.analysis.written[id.index()]);
        let outputs = self.function.program.outputs.as_slice();
        let written = written.flat_map(|(_, numbers)| &outputs[numbers]);
        written.map(|output| output.semantic).collect()
    }

    /// Decorates the variable of a result for transform feedback by each capture that uses the
    /// variable itself.
    pub(super) fn capture_in_place(&mut self, semantic: Semantic, variable: ValueWord) {
        for index in 0..self.captures.len() {
            let capture = self.function.options.transform_feedback.captures[index];
            if capture.semantic == semantic && self.captures[index].0 == CaptureSource::InPlace {
                self.decorate_capture(index, variable);
            }
        }
    }

    /// Stores the captured components of a result that have a separate variable, which is declared
    /// on first use.
    pub(super) fn store_captures(&mut self, id: OutputId, lanes: &[Lane; 4]) {
        let output = self.function.program.outputs[id];
        let is_integer = matches!(
            output.semantic,
            Semantic::Layer | Semantic::ViewportIndex | Semantic::PrimitiveId | Semantic::VertexId
        );
        // Varyings are floats, regardless of the type of their contents.
        let scalar = if is_integer { Scalar::U32 } else { Scalar::F32 };
        for index in 0..self.captures.len() {
            let capture = self.function.options.transform_feedback.captures[index];
            let (CaptureSource::Copy(location), known) = self.captures[index] else {
                continue;
            };
            if capture.semantic == output.semantic {
                let variable = if known.is_some() {
                    known
                } else {
                    self.declare_capture_copy(index, location, scalar)
                };
                let (first, count) = (
                    usize::from(capture.first_component),
                    usize::from(capture.component_count),
                );
                // `xfb::check_capture` ensures that the range is valid.
                let value = match &lanes[first..first + count] {
                    [lane] => self.function.builder.read_lane(*lane, scalar),
                    part => self.function.builder.gather_vector(part, scalar).id,
                };
                self.function.builder.emit_store(variable, value);
            }
        }
    }

    /// Declares the separate variable of capture `index` at `location`, decorates it for transform
    /// feedback and records it. It is not reflected.
    fn declare_capture_copy(&mut self, index: usize, location: u32, scalar: Scalar) -> ValueWord {
        let capture = self.function.options.transform_feedback.captures[index];
        let ty = self
            .function
            .builder
            .get_type(scalar, capture.component_count);
        let variable = self
            .function
            .io()
            .declare_in_out_variable(StorageClass::Output, ty);
        self.function
            .builder
            .decorate(variable, Decoration::Location, &[location]);
        self.function.builder.name_object(variable, || {
            format!("captured_{}", output_name(capture.semantic))
        });
        self.decorate_capture(index, variable);
        self.captures[index].1 = variable;
        variable
    }

    /// Decorates a variable with the buffer, stride, offset and stream of a capture.
    fn decorate_capture(&mut self, index: usize, variable: ValueWord) {
        let feedback = &self.function.options.transform_feedback;
        let capture = feedback.captures[index];
        let stride = feedback.stride(capture.buffer);
        let builder = &mut self.function.builder;
        // All three are required together (VUID-StandaloneSpirv-Offset-04716); captures without a
        // stream are in stream 0.
        builder.decorate(variable, Decoration::XfbBuffer, &[capture.buffer]);
        builder.decorate(variable, Decoration::XfbStride, &[stride]);
        builder.decorate(variable, Decoration::Offset, &[capture.offset]);
        if capture.stream > 0 {
            builder.decorate(variable, Decoration::Stream, &[capture.stream]);
        }
    }
}
