//! Stores of stage outputs at the end of the entry point, or for each vertex that a geometry
//! program emits.
//!
//! `layer_viewport` implements further stores, `output_variable` declares the variables;
//! `added_varyings` stores the varyings that GL state and transform feedback add, and `fragment`
//! emits the tests of fragments. `geometry` emits vertices and primitives. The other modules
//! implement inputs, shared outputs (`tess_control_outputs`) and instructions of fragments and
//! groups.

pub(super) mod added_varyings;
pub(super) mod fragment;
pub(super) mod geometry;
pub(super) mod group;
pub(super) mod inputs;
pub(super) mod layer_viewport;
pub(super) mod output_variable;
pub(super) mod replicate;
pub(super) mod tess_control_outputs;

use crate::analysis::RegisterClass;
use crate::builder::{Lane, Scalar, Val, ValueBuilder, arith};
use crate::dynamic_state::StateField;
use crate::emit::context::OutputEmitter;
use crate::emit::memory::memory_registers::Element;
use crate::emit::stage::added_varyings::store_added_varyings;
use crate::emit::stage::fragment::emit_fragment_tests;
use crate::emit::stage::layer_viewport::{ViewSelection, is_view_selector};
use crate::emit::stage::output_variable::{
    choose_color_target, choose_output_target, compute_element_pointer, compute_own_pointer,
    declare_distance, declare_distance_array, find_builtin_output, is_disabled,
    make_values_distinct, store_output_lanes,
};
use crate::error::Failure;
use crate::interface::names::output_name;
use crate::interface::{Io, Vertex, input_primitive};
use crate::options::{ClipDepth, Options, PointSize};
use crate::spirv_writer::ValueWord;
use crate::varyings::{DistanceKind, written_lanes};
use glasm_ir::arena::Id;
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive};
use glasm_ir::{
    BaseType, InputId, Inst, Output, OutputId, Program, RegisterId, Saturate, Semantic, Stage,
};
use spirv::{BuiltIn, Op as Spv, StorageClass};

/// Color that programs without numbered colors write.
const COLOR_0: Semantic = Semantic::FragColor {
    buffer: 0,
    index: 0,
};

impl OutputEmitter<'_, '_> {
    /// Stores all outputs that the program writes to their variables at the end of a program other
    /// than a geometry program. Emits the fragment tests here if the program does not write color
    /// 0.
    pub(super) fn store_outputs(&mut self) -> Result<(), Failure> {
        if self.function.program.stage == Stage::Fragment
            && self.function.options.tests_fragments()
            // A color is tested when it is stored; stipples apply without a color, too.
            && !self.writes_color_0()
        {
            emit_fragment_tests(&mut self.function.io(), None);
        }
        self.store_vertex(None)
    }

    /// Stores all outputs that the program writes, those that state adds, and the point size.
    /// Passthrough lanes are those of vertex `passthrough_vertex` of the input primitive; `None`
    /// passes none through.
    pub(super) fn store_vertex(&mut self, passthrough_vertex: Option<u32>) -> Result<(), Failure> {
        let program = self.function.program;
        let mut views = ViewSelection::default();
        clear_distances(&mut self.function.io());
        for (id, outputs) in program.output_registers() {
            if !self.function.analysis.written[id.index()]
                || self.function.analysis.shared_outputs[id.index()]
            {
                continue;
            }
            for (element, output) in (0..).zip(outputs.map(OutputId::new)) {
                let mut lanes = self.load_output_value(id, element, output);
                if let Some(vertex) = passthrough_vertex {
                    lanes = load_passthrough_lanes(&mut self.function.io(), output, vertex, lanes)?;
                }
                let semantic = program.outputs[output].semantic;
                if !is_view_selector(semantic)
                    || is_forwarded(self.function.program, self.function.options, semantic)
                {
                    let stored = self.store_output(output, lanes);
                    self.check_output(output, stored)?;
                    continue;
                }
                self.store_captures(output, &lanes);
                if semantic != Semantic::Layer
                    || !self
                        .function
                        .options
                        .pipeline_state
                        .is_framebuffer_unlayered
                {
                    // Stored together at the end: the selection of built-ins among them depends on
                    // the others.
                    views.record(semantic, output, lanes[0]);
                }
            }
        }
        if let Some(vertex) = passthrough_vertex {
            self.store_passthrough(vertex)?;
        }
        self.store_point_size();
        self.store_views(&views)
    }

    /// Returns true if the program writes fragment color 0, on which the alpha test operates.
    fn writes_color_0(&self) -> bool {
        let mut outputs = self.function.program.outputs.iter_enumerated();
        outputs.any(|(id, output)| output.semantic == COLOR_0 && self.is_written(id))
    }

    /// Stores the passthrough outputs that no instruction writes, with the values of vertex
    /// `vertex` of the input primitive.
    fn store_passthrough(&mut self, vertex: u32) -> Result<(), Failure> {
        for (id, output) in self.function.program.outputs.iter_enumerated() {
            if !output.passthrough.is_empty() && !self.is_written(id) {
                let pad = self.function.builder.float_padding();
                let lanes = load_passthrough_lanes(&mut self.function.io(), id, vertex, pad)?;
                let stored = self.store_output(id, lanes);
                self.check_output(id, stored)?;
            }
        }
        Ok(())
    }

    /// Returns `stored`, the result of storing or declaring output `id`, or an error if the device
    /// lacks a feature that this requires. Errors get the position of the first instruction that
    /// writes the output.
    pub(super) fn check_output<T>(
        &mut self,
        id: OutputId,
        stored: Result<T, Failure>,
    ) -> Result<T, Failure> {
        let checked = self.function.builder.check_requirements();
        stored
            .and_then(|stored| checked.map(|()| stored))
            .map_err(|error| error.at_inst(find_writer(self.function.program, id)))
    }

    /// Returns the current lanes of an output register's element. An unwritten w of floats in
    /// values is 1; other unwritten lanes are undefined. From memory only the lanes are loaded that
    /// the output has.
    fn load_output_value(
        &mut self,
        register: RegisterId,
        element: u32,
        output: OutputId,
    ) -> [Lane; 4] {
        if self.function.analysis.classes[register.index()] == RegisterClass::Values {
            let slot = self.function.analysis.slot_base[register.index()] + element;
            let mut lanes = *self.function.lanes.get_slot(slot);
            // Lanes that are never written are undefined; w = 1 makes a color opaque and a
            // coordinate a point.
            if !lanes[3].id().is_some()
                && self.function.program.outputs[output].base == BaseType::Float
            {
                lanes[3] = Lane::scalar(self.function.builder.constant_f32(1.0));
            }
            return lanes;
        }
        let read = written_lanes(self.function.program.outputs[output].semantic);
        self.function
            .memory()
            .load_register(register, Element::Constant(element), read)
    }

    /// Captures an output, converts it, applies fragment tests to color 0, and writes its variables
    /// and those of the varyings that state adds. Outputs that no later stage reads are only
    /// captured.
    fn store_output(&mut self, id: OutputId, lanes: [Lane; 4]) -> Result<(), Failure> {
        let output = self.function.program.outputs[id];
        // Captured first: transform feedback captures results that no stage reads, and positions
        // before their depth is remapped.
        self.store_captures(id, &lanes);
        if is_dropped(
            self.function.program,
            self.function.options,
            output.semantic,
        ) {
            return Ok(());
        }
        // All distances of a kind are elements of one built-in.
        if let Some((distances, plane)) = DistanceKind::from_semantic(output.semantic) {
            return store_distance(&mut self.function.io(), id, distances, plane, lanes[0]);
        }
        let lanes = convert_output(&mut self.function.io(), &output, lanes);
        if output.semantic == COLOR_0 && self.function.options.tests_fragments() {
            emit_fragment_tests(&mut self.function.io(), Some((&output, lanes)));
        }
        let fixed = &self.function.options.pipeline_state;
        // Programs with `result.color[n]` specify the attachments themselves (ARB_draw_buffers).
        let is_single = self.function.program.modes.separate_colors || fixed.draw_buffer_mask == 0;
        if output.semantic == COLOR_0 && !is_single {
            return self.store_broadcast(id, lanes);
        }
        let target = choose_output_target(&mut self.function.io(), id)?;
        let variable = self.get_output_variable(id, &target)?;
        let lanes = match target.location {
            Some(_) => {
                make_values_distinct(self.function, id, target.scalar, target.lane_mask(), lanes)
            }
            None => lanes,
        };
        // The mask is an array of words (VUID-SampleMask-SampleMask-04359), of which programs write
        // the first.
        let pointer = if output.semantic == Semantic::SampleMask {
            compute_element_pointer(self.function.builder, variable, target.scalar, 0)
        } else {
            compute_own_pointer(&mut self.function.io(), variable, &target)
        };
        store_output_lanes(self.function.builder, pointer, &target, lanes);
        store_added_varyings(&mut self.function.io(), output.semantic, lanes)
    }

    /// Stores color 0 to all attachments in the mask of draw buffers: ARB_draw_buffers section
    /// 4.2.1. Declares a variable for each attachment on first use.
    fn store_broadcast(&mut self, id: OutputId, lanes: [Lane; 4]) -> Result<(), Failure> {
        let drawn = self.function.options.pipeline_state.draw_buffer_mask;
        for buffer in (0..8).filter(|buffer| drawn >> buffer & 1 != 0) {
            let target =
                choose_color_target(self.function.program, self.function.options, id, buffer);
            let mut variable = self.function.interface.outputs.color_copies[usize::from(buffer)];
            if !variable.is_some() {
                variable = self.declare_output(id, &target)?;
                self.function.interface.outputs.color_copies[usize::from(buffer)] = variable;
            }
            store_output_lanes(self.function.builder, variable, &target, lanes);
        }
        Ok(())
    }

    /// Stores the point size that state specifies, if there is one: it overrides the size that the
    /// program writes (GL 2.1 section 3.3), or replaces a missing one. If Vulkan requires a size
    /// and none is specified, it is 1. Declares and reflects the variable on first use.
    pub(super) fn store_point_size(&mut self) {
        let Some(size) = self.choose_point_size() else {
            return;
        };
        // Geometry programs call this function for each vertex.
        if !self.function.interface.outputs.point_size.is_some() {
            let ty = self.function.builder.get_type(Scalar::F32, 1);
            let variable = self
                .function
                .io()
                .declare_in_out_variable(StorageClass::Output, ty);
            self.function
                .builder
                .decorate_builtin(variable, BuiltIn::PointSize);
            self.function
                .builder
                .name_object(variable, || output_name(Semantic::PointSize));
            let output = Output::new(Semantic::PointSize);
            self.function
                .interface
                .reflect_output(&output, None, Scalar::F32, 1);
            self.function.interface.outputs.point_size = variable;
            self.function.io().require_point_size();
        }
        let pointer = self.function.interface.outputs.point_size;
        let size = match size {
            PointSizeSource::Constant(size) => self.function.builder.constant_f32(size.pixels()),
            PointSizeSource::State => self.function.io().gl_state().load(StateField::PointSize),
        };
        self.function.builder.emit_store(pointer, size);
    }

    /// Chooses the source of a point size that overrides the size of the program, or replaces a
    /// missing one. Returns `None` if no size is stored here, also if the store of the program's
    /// size selects between both at run time.
    fn choose_point_size(&self) -> Option<PointSizeSource> {
        let fixed = self.function.options.pipeline_state.forced_point_size;
        let unwritten = self.function.options.pipeline_state.default_point_size;
        let unwritten = match self.function.program.stage {
            Stage::Vertex => unwritten,
            Stage::TessEval | Stage::Geometry => {
                // Without the feature Vulkan uses 1.0 for the size, and forbids writing one.
                let has_size = self
                    .function
                    .builder
                    .device
                    .tessellation_and_geometry_point_size;
                if !has_size || !emits_points(self.function.program, self.function.options) {
                    return None;
                }
                unwritten.or(Some(1.0.into()))
            }
            Stage::TessControl | Stage::Fragment | Stage::Compute => return None,
        };
        if !self.function.options.state_sources.point_size.is_fixed() {
            // The store of the program's size selects between it and the size of the state:
            // `select_point_size`.
            return (!self.has_point_size()).then_some(PointSizeSource::State);
        }
        fixed
            .or_else(|| unwritten.filter(|_| !self.has_point_size()))
            .map(PointSizeSource::Constant)
    }

    /// Returns true if vertices have a size that the program writes or passes through.
    fn has_point_size(&self) -> bool {
        let mut outputs = self.function.program.outputs.iter_enumerated();
        outputs.any(|(id, output)| {
            output.semantic == Semantic::PointSize
                && (self.is_written(id) || !output.passthrough.is_empty())
        })
    }
}

/// Returns the first instruction that writes an output; `None` if there is none.
fn find_writer(program: &Program, id: OutputId) -> Option<&Inst> {
    let holds = |register| {
        let mut registers = program.output_registers();
        registers.any(|(own, outputs)| own == register && outputs.contains(&id.index()))
    };
    let mut insts = program.insts.iter();
    insts.find(|inst| inst.dst.is_some_and(|dst| holds(dst.register)))
}

/// Returns true if an output that selects layers, viewports or views is passed to the next stage
/// like any other.
fn is_forwarded(program: &Program, options: &Options, semantic: Semantic) -> bool {
    program.stage == Stage::TessControl
        || options.interface.outputs.find_varying(semantic).is_some()
}

/// Replaces the lanes of an output that are passed through by those of vertex `vertex` of the input
/// primitive, and returns all four. `lanes` is unchanged if nothing is passed through or the
/// program has no input with the semantic.
fn load_passthrough_lanes(
    io: &mut Io<'_>,
    id: OutputId,
    vertex: u32,
    mut lanes: [Lane; 4],
) -> Result<[Lane; 4], Failure> {
    let output = io.program.outputs[id];
    let mut inputs = io.program.inputs.iter_enumerated();
    // Inputs per vertex with the same semantic: their components are passed through.
    let own = inputs.find(|(_, input)| input.per_vertex && input.semantic == output.semantic);
    let own: Option<InputId> = own.map(|(id, _)| id);
    let (Some(own), false) = (own, output.passthrough.is_empty()) else {
        return Ok(lanes);
    };
    let passthrough = io.get_vertex_lanes(own, Vertex::Constant(vertex))?;
    for lane in output.passthrough.lanes() {
        lanes[lane] = passthrough[lane];
    }
    Ok(lanes)
}

/// Returns true if the program emits points, whose size Vulkan requires.
fn emits_points(program: &Program, options: &Options) -> bool {
    let modes = &program.modes;
    match program.stage {
        Stage::TessEval => modes.point_mode,
        Stage::Geometry if modes.passthrough => input_primitive(program, options)
            .is_ok_and(|primitive| primitive == InputPrimitive::Points),
        Stage::Geometry => modes.primitive_out == OutputPrimitive::Points,
        Stage::Vertex | Stage::TessControl | Stage::Fragment | Stage::Compute => false,
    }
}

/// Returns true if an output is not stored: another one takes its location, state replaces or
/// disables it, it only affects rasterization in an earlier stage, or no later stage reads it.
fn is_dropped(program: &Program, options: &Options, semantic: Semantic) -> bool {
    // Only in the fixed table, in which other varyings take precedence over them: few stages read
    // them, and transform feedback has already captured them.
    let gives_way = matches!(semantic, Semantic::VertexId | Semantic::ClipVertex)
        && shares_location(program, options, semantic);
    gives_way
        || semantic == Semantic::PointSize && has_fixed_size(options)
        || is_disabled(program, options, semantic)
        || is_for_rasterization(program, options, semantic)
        || options.interface.outputs.omits(semantic)
}

/// Returns true if an output has no effect because the stage is not the last one before
/// rasterization. Only tessellation control programs have such outputs here.
fn is_for_rasterization(program: &Program, options: &Options, semantic: Semantic) -> bool {
    program.stage == Stage::TessControl
        && !semantic.is_per_patch()
        && DistanceKind::from_semantic(semantic).is_none()
        && find_builtin_output(Stage::TessControl, semantic).is_none()
        && options.interface.outputs.find_varying(semantic).is_none()
}

/// Returns true if the program has another output at the location of `semantic`, or if neither has
/// a location.
fn shares_location(program: &Program, options: &Options, semantic: Semantic) -> bool {
    let varyings = &options.interface.outputs;
    let location = varyings.location(semantic);
    let mut outputs = program.outputs.iter();
    outputs.any(|other| other.semantic != semantic && varyings.location(other.semantic) == location)
}

/// Converts positions to the clip depth of the caller, selects the point size by GL state, and
/// clamps colors according to it. Other outputs, integer colors, and all outputs of tessellation
/// control programs are unchanged.
fn convert_output(io: &mut Io<'_>, output: &Output, lanes: [Lane; 4]) -> [Lane; 4] {
    if io.program.stage == Stage::TessControl {
        return lanes;
    }
    if output.semantic == Semantic::Position {
        return convert_depth(io.builder, io.options, lanes);
    }
    if output.semantic == Semantic::PointSize {
        return select_point_size(io, lanes);
    }
    let fixed = &io.options.pipeline_state;
    let is_vertex_color = matches!(output.semantic, Semantic::Color(_) | Semantic::BackColor(_));
    let is_float_color =
        matches!(output.semantic, Semantic::FragColor { .. }) && output.base == BaseType::Float;
    // The clamp does not apply to integer fragment colors (EXT_texture_integer).
    let (word, is_clamped) = if is_vertex_color {
        (StateField::ClampVertexColors, fixed.clamp_vertex_colors)
    } else if is_float_color {
        (StateField::ClampFragmentColors, fixed.clamp_fragment_colors)
    } else {
        return lanes;
    };
    if !is_clamped && word.source(&io.options.state_sources).is_fixed() {
        return lanes;
    }
    let is_clamped = io.gl_state().test_flag(word);
    clamp_color(io.builder, is_clamped, lanes)
}

/// Returns true if all points have one size in all pipelines of the module.
fn has_fixed_size(options: &Options) -> bool {
    options.state_sources.point_size.is_fixed()
        && options.pipeline_state.forced_point_size.is_some()
}

/// Selects the size that the program writes, or the size of the state, by the flag of the state.
/// Returns `lanes` unchanged if the source of the point size is fixed.
fn select_point_size(io: &mut Io<'_>, mut lanes: [Lane; 4]) -> [Lane; 4] {
    if io.options.state_sources.point_size.is_fixed() {
        return lanes;
    }
    let is_own = io.gl_state().test_flag(StateField::ProgramPointSize);
    let own = io.builder.read_lane_val(lanes[0], Scalar::F32);
    let given = io.gl_state().load(StateField::PointSize);
    let given = io.builder.val(given);
    lanes[0] = io.builder.emit_select(is_own, own, given).lane(0);
    lanes
}

/// Maps the depth of a position in clip space from [-w, w] to [0, w]. Returns `lanes` unchanged if
/// the conventions already have that range.
// GL 2.1 section 2.12 clips to -w <= z <= w, Vulkan to 0 <= z <= w ("Primitive Clipping"). (z + w)
// / 2 maps one range to the other, and the depth z / w from [-1, 1] to [0, 1].
fn convert_depth(builder: &mut ValueBuilder, options: &Options, lanes: [Lane; 4]) -> [Lane; 4] {
    if options.conventions.clip_depth == ClipDepth::ZeroToOne {
        return lanes;
    }
    let [z, divisor] = [lanes[2], lanes[3]].map(|lane| builder.read_lane_val(lane, Scalar::F32));
    let sum = builder.emit_binary(Spv::FAdd, z, divisor);
    let depth = builder.emit_binary_float(Spv::FMul, sum, 0.5);
    [lanes[0], lanes[1], depth.lane(0), lanes[3]]
}

/// Stores a clip or cull distance in its element of the built-in array, which is declared on first
/// use; planes that are disabled at run time get the distance 0. In tessellation control programs
/// the array is that of the vertex of the invocation.
fn store_distance(
    io: &mut Io<'_>,
    id: OutputId,
    distances: DistanceKind,
    plane: u32,
    lane: Lane,
) -> Result<(), Failure> {
    declare_distance(io, id, distances)?;
    let variable = io.interface.outputs.distances[distances as usize];
    let value = select_enabled_distance(io, distances, plane, lane);
    let mut operands = vec![variable.0];
    if io.program.stage == Stage::TessControl {
        operands.push(io.load_invocation_id().0);
    }
    operands.push(io.builder.constant_u32(plane).0);
    let ty = io.builder.get_type(Scalar::F32, 1);
    let pointer = io
        .builder
        .emit_access_chain(StorageClass::Output, ty, &operands);
    io.builder.emit_store(pointer, value);
    Ok(())
}

/// Selects the distance, or 0, which clips nothing, if its plane is disabled. Cull distances are
/// unchanged, and so are clip distances if the program does not use GL's enabled planes or these
/// are fixed.
fn select_enabled_distance(
    io: &mut Io<'_>,
    distances: DistanceKind,
    plane: u32,
    lane: Lane,
) -> ValueWord {
    let value = io.builder.read_lane(lane, Scalar::F32);
    let is_chosen =
        io.program.modes.enabled_clip_distances && !io.options.state_sources.clip_planes.is_fixed();
    if distances != DistanceKind::Clip || !is_chosen {
        return value;
    }
    let is_enabled = io.gl_state().test_bit(StateField::ClipPlanes, plane);
    let value = io.builder.val(value);
    let zero = io.builder.constant_float_like(value, 0.0);
    io.builder.emit_select(is_enabled, value, zero).id
}

/// Clears all declared distances of a geometry program, which are undefined after emitting a
/// vertex; those that the program does not write must neither clip nor cull. Does nothing in other
/// stages.
fn clear_distances(io: &mut Io<'_>) {
    for distances in [DistanceKind::Clip, DistanceKind::Cull] {
        let variable = io.interface.outputs.distances[distances as usize];
        if io.program.stage != Stage::Geometry || !variable.is_some() {
            continue;
        }
        let array = declare_distance_array(io, distances);
        let zero = io.builder.null_constant(array);
        io.builder.emit_store(variable, zero);
    }
}

/// Source of the size of points.
enum PointSizeSource {
    Constant(PointSize),
    /// State that the module reads at run time.
    State,
}

/// Clamps a color to [0, 1] if `is_clamped` is true; NaN becomes 0.
fn clamp_color(builder: &mut ValueBuilder, is_clamped: Val, lanes: [Lane; 4]) -> [Lane; 4] {
    let color = builder.gather_vector(&lanes, Scalar::F32);
    let clamped = arith::clamp(builder, color, Saturate::Unsigned);
    builder.emit_select(is_clamped, clamped, color).lanes()
}
