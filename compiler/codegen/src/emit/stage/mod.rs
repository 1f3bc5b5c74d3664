//! Stores of stage outputs at the end of the entry point, or for each vertex that a geometry
//! program emits.
//!
//! `views` and `capture` implement further stores, `output_variable` declares the variables;
//! `gl_state` stores the varyings that GL state adds, and `fragment_tests` emits the tests of
//! fragments. `primitive` emits vertices and primitives. The other modules implement inputs, shared
//! outputs (`patch`) and instructions of fragments and groups.

pub(super) mod capture;
pub(super) mod copies;
pub(super) mod fragment;
pub(super) mod fragment_tests;
pub(super) mod gl_state;
pub(super) mod group;
pub(super) mod inputs;
pub(super) mod output_variable;
pub(super) mod patch;
pub(super) mod primitive;
pub(super) mod views;

use crate::analysis::Class;
use crate::builder::{Lane, Scalar, Val, ValueBuilder, arith};
use crate::emit::cx::OutputEmitter;
use crate::emit::memory::array::Element;
use crate::emit::stage::fragment_tests::test_fragment;
use crate::emit::stage::gl_state::store_added;
use crate::emit::stage::output_variable::{
    access_own_variable, builtin_output, choose_color_target, choose_output_target,
    compute_element_pointer, declare_distance, declare_distance_array, is_disabled,
    make_own_values, store_output_lanes,
};
use crate::emit::stage::views::{Views, chooses};
use crate::error::Failure;
use crate::interface::names::output_name;
use crate::interface::{Io, Vertex, input_primitive};
use crate::options::{ClipDepth, Options};
use crate::state::Word;
use crate::varyings::{Distances, written_lanes};
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive};
use glasm_ir::{
    InputId, Output, OutputId, Program, RegisterId, Saturate, Semantic, Stage, TypeBase,
};
use spirv::{BuiltIn, Op as Spv, StorageClass};

/// Color that programs without numbered colors write.
const COLOR_0: Semantic = Semantic::FragColor {
    buffer: 0,
    index: 0,
};

impl OutputEmitter<'_, '_> {
    /// Stores all outputs that the program writes.
    pub(super) fn store_outputs(&mut self) -> Result<(), Failure> {
        if self.f.program.stage == Stage::Fragment
            && self.f.options.tests_fragments()
            // A color is tested when it is stored; stipples apply without a color, too.
            && !self.writes_color_0()
        {
            test_fragment(&mut self.f.io(), None);
        }
        self.store_vertex(None)
    }

    /// Stores all outputs that the program writes; passthrough lanes are those of vertex `kept` of
    /// the input primitive.
    pub(super) fn store_vertex(&mut self, kept: Option<u32>) -> Result<(), Failure> {
        let program = self.f.program;
        let mut views = Views::default();
        clear_distances(&mut self.f.io());
        for (id, outputs) in program.output_registers() {
            if !self.f.analysis.written[id.index()] || self.f.analysis.shared_outputs[id.index()] {
                continue;
            }
            for (element, output) in (0..).zip(outputs.map(OutputId::new)) {
                let mut lanes = self.load_output_value(id, element, output);
                if let Some(vertex) = kept {
                    lanes = load_kept_lanes(&mut self.f.io(), output, vertex, lanes)?;
                }
                let semantic = program.outputs[output].semantic;
                if !chooses(semantic) || is_forwarded(self.f.program, self.f.options, semantic) {
                    self.store_output(output, lanes)?;
                    continue;
                }
                self.store_captures(output, &lanes);
                if semantic != Semantic::Layer || !self.f.options.fixed.single_layer {
                    // Stored together at the end: the selection of built-ins among them depends on
                    // the others.
                    views.keep(semantic, output, lanes[0]);
                }
            }
        }
        if let Some(vertex) = kept {
            self.store_kept(vertex)?;
        }
        self.store_point_size();
        self.store_views(&views)
    }

    fn writes_color_0(&self) -> bool {
        let mut outputs = self.f.program.outputs.iter_enumerated();
        outputs.any(|(id, output)| output.semantic == COLOR_0 && self.is_written(id))
    }

    /// Stores the passthrough outputs that no instruction writes.
    fn store_kept(&mut self, vertex: u32) -> Result<(), Failure> {
        for (id, output) in self.f.program.outputs.iter_enumerated() {
            if !output.passthrough.is_empty() && !self.is_written(id) {
                let pad = self.f.w.float_pad();
                let lanes = load_kept_lanes(&mut self.f.io(), id, vertex, pad)?;
                self.store_output(id, lanes)?;
            }
        }
        Ok(())
    }

    fn load_output_value(
        &mut self,
        register: RegisterId,
        element: u32,
        output: OutputId,
    ) -> [Lane; 4] {
        if self.f.analysis.class[register.index()] == Class::Values {
            let slot = self.f.analysis.slot_base[register.index()] + element;
            let mut lanes = *self.f.lanes.slot(slot);
            // Lanes that are never written are undefined; w = 1 makes a color opaque and a
            // coordinate a point.
            if !lanes[3].id().is_some() && self.f.program.outputs[output].base == TypeBase::Float {
                lanes[3] = Lane::scalar(self.f.w.float(1.0));
            }
            return lanes;
        }
        let read = written_lanes(self.f.program.outputs[output].semantic);
        self.f
            .memory()
            .load_register(register, Element::Constant(element), read)
    }

    fn store_output(&mut self, id: OutputId, lanes: [Lane; 4]) -> Result<(), Failure> {
        let output = self.f.program.outputs[id];
        // Captured first: transform feedback captures results that no stage reads, and positions
        // before their depth is remapped.
        self.store_captures(id, &lanes);
        if is_dropped(self.f.program, self.f.options, output.semantic) {
            return Ok(());
        }
        // All distances of a kind are elements of one built-in.
        if let Some((distances, plane)) = Distances::of(output.semantic) {
            return store_distance(&mut self.f.io(), id, distances, plane, lanes[0]);
        }
        let lanes = convert_output(&mut self.f.io(), &output, lanes);
        if output.semantic == COLOR_0 && self.f.options.tests_fragments() {
            test_fragment(&mut self.f.io(), Some((&output, lanes)));
        }
        let fixed = &self.f.options.fixed;
        // Programs with `result.color[n]` specify the attachments themselves (ARB_draw_buffers).
        let is_single = self.f.program.modes.numbered_colors || fixed.draw_buffers == 0;
        if output.semantic == COLOR_0 && !is_single {
            return self.store_broadcast(id, lanes);
        }
        let target = choose_output_target(&mut self.f.io(), id)?;
        let variable = self.get_output_variable(id, &target)?;
        let lanes = match target.location {
            Some(_) => make_own_values(self.f, id, target.scalar, target.written(), lanes),
            None => lanes,
        };
        // The mask is an array of words (VUID-SampleMask-SampleMask-04359), of which programs write
        // the first.
        let pointer = if output.semantic == Semantic::SampleMask {
            compute_element_pointer(self.f.w, variable, target.scalar, 0)
        } else {
            access_own_variable(&mut self.f.io(), variable, &target)
        };
        store_output_lanes(self.f.w, pointer, &target, lanes);
        store_added(&mut self.f.io(), output.semantic, lanes)
    }

    /// Stores color 0 to all enabled attachments: ARB_draw_buffers section 4.2.1.
    fn store_broadcast(&mut self, id: OutputId, lanes: [Lane; 4]) -> Result<(), Failure> {
        let drawn = self.f.options.fixed.draw_buffers;
        for buffer in (0..8).filter(|buffer| drawn >> buffer & 1 != 0) {
            let target = choose_color_target(self.f.program, self.f.options, id, buffer);
            let mut variable = self.f.interface.outputs.color_copies[usize::from(buffer)];
            if !variable.is_some() {
                variable = self.declare_output(id, &target)?;
                self.f.interface.outputs.color_copies[usize::from(buffer)] = variable;
            }
            store_output_lanes(self.f.w, variable, &target, lanes);
        }
        Ok(())
    }

    /// Stores the size of all points, overriding the size that the program writes: GL 2.1 section
    /// 3.3. If Vulkan requires a size and none is specified, it is 1.
    pub(super) fn store_point_size(&mut self) {
        let Some(size) = self.choose_point_size() else {
            return;
        };
        // Geometry programs call this function for each vertex.
        if !self.f.interface.outputs.point_size.is_some() {
            let ty = self.f.w.ty(Scalar::F32, 1);
            let variable = self.f.io().variable(StorageClass::Output, ty);
            self.f.w.decorate_builtin(variable, BuiltIn::PointSize);
            self.f.w.name(variable, || output_name(Semantic::PointSize));
            let output = Output::new(Semantic::PointSize);
            self.f
                .interface
                .reflect_output(&output, None, Scalar::F32, 1);
            self.f.interface.outputs.point_size = variable;
            self.f.io().need_point_size();
        }
        let pointer = self.f.interface.outputs.point_size;
        let size = match size {
            Size::Bits(bits) => self.f.w.float(f32::from_bits(bits)),
            Size::State => self.f.io().gl_state().load(Word::PointSize),
        };
        self.f.w.store(pointer, size);
    }

    /// Chooses the source of the size of points that the program does not write, or that overrides
    /// it; `None` if no size is stored here.
    fn choose_point_size(&self) -> Option<Size> {
        let fixed = self.f.options.fixed.point_size;
        let unwritten = self.f.options.fixed.unwritten_point_size;
        let unwritten = match self.f.program.stage {
            Stage::Vertex => unwritten,
            Stage::TessEval | Stage::Geometry => {
                // Without the feature Vulkan uses 1.0 for the size, and forbids writing one.
                let has_size = self.f.w.device.tessellation_and_geometry_point_size;
                if !has_size || !makes_points(self.f.program, self.f.options) {
                    return None;
                }
                unwritten.or(Some(1.0f32.to_bits()))
            }
            Stage::TessControl | Stage::Fragment | Stage::Compute => return None,
        };
        if !self.f.options.forms.point_size.is_fixed() {
            // The store of the program's size selects between it and the size of the state:
            // `select_point_size`.
            return (!self.has_point_size()).then_some(Size::State);
        }
        fixed
            .or_else(|| unwritten.filter(|_| !self.has_point_size()))
            .map(Size::Bits)
    }

    /// Returns true if vertices have a size that the program writes or passes through.
    fn has_point_size(&self) -> bool {
        let mut outputs = self.f.program.outputs.iter_enumerated();
        outputs.any(|(id, output)| {
            output.semantic == Semantic::PointSize
                && (self.is_written(id) || !output.passthrough.is_empty())
        })
    }
}

/// Returns true if an output that selects layers, viewports or views is passed to the next stage
/// like any other.
fn is_forwarded(program: &Program, options: &Options, semantic: Semantic) -> bool {
    program.stage == Stage::TessControl || options.interface.outputs.place(semantic).is_some()
}

/// Loads the lanes of an output, some of which are passed through from a vertex of the input
/// primitive.
fn load_kept_lanes(
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
    let kept = io.vertex_lanes(own, Vertex::Constant(vertex))?;
    for lane in output.passthrough.lanes() {
        lanes[lane] = kept[lane];
    }
    Ok(lanes)
}

/// Returns true if the program emits points, whose size Vulkan requires.
fn makes_points(program: &Program, options: &Options) -> bool {
    let modes = &program.modes;
    match program.stage {
        Stage::TessEval => modes.point_mode,
        Stage::Geometry if modes.passthrough => input_primitive(program, options)
            .is_ok_and(|primitive| primitive == InputPrimitive::Points),
        Stage::Geometry => modes.primitive_out == OutputPrimitive::Points,
        Stage::Vertex | Stage::TessControl | Stage::Fragment | Stage::Compute => false,
    }
}

/// Returns true if no stage reads an output.
fn is_dropped(program: &Program, options: &Options, semantic: Semantic) -> bool {
    // Only in the fixed table, in which other varyings take precedence over them: few stages read
    // them, and transform feedback has already captured them.
    let gives_way = matches!(semantic, Semantic::VertexId | Semantic::ClipVertex)
        && shares_location(program, options, semantic);
    gives_way
        || semantic == Semantic::PointSize && has_fixed_size(options)
        || is_disabled(program, options, semantic)
        || is_for_rasterization(program, options, semantic)
        || options.interface.outputs.drops(semantic)
}

/// Returns true if an output has no effect because the stage is not the last one before
/// rasterization.
fn is_for_rasterization(program: &Program, options: &Options, semantic: Semantic) -> bool {
    program.stage == Stage::TessControl
        && !semantic.is_per_patch()
        && Distances::of(semantic).is_none()
        && builtin_output(Stage::TessControl, semantic).is_none()
        && options.interface.outputs.place(semantic).is_none()
}

/// Returns true if the program has another output at the location of an output.
fn shares_location(program: &Program, options: &Options, semantic: Semantic) -> bool {
    let varyings = &options.interface.outputs;
    let location = varyings.location(semantic);
    let mut outputs = program.outputs.iter();
    outputs.any(|other| other.semantic != semantic && varyings.location(other.semantic) == location)
}

/// Converts positions to the clip depth of the caller, and clamps colors according to GL state.
fn convert_output(io: &mut Io<'_>, output: &Output, lanes: [Lane; 4]) -> [Lane; 4] {
    if io.program.stage == Stage::TessControl {
        return lanes;
    }
    if output.semantic == Semantic::Position {
        return convert_depth(io.w, io.options, lanes);
    }
    if output.semantic == Semantic::PointSize {
        return select_point_size(io, lanes);
    }
    let fixed = &io.options.fixed;
    let is_vertex_color = matches!(output.semantic, Semantic::Color(_) | Semantic::BackColor(_));
    let is_float_color =
        matches!(output.semantic, Semantic::FragColor { .. }) && output.base == TypeBase::Float;
    // The clamp does not apply to integer fragment colors (EXT_texture_integer).
    let (word, is_clamped) = if is_vertex_color {
        (Word::ClampVertexColors, fixed.clamp_vertex_colors)
    } else if is_float_color {
        (Word::ClampFragmentColors, fixed.clamp_fragment_colors)
    } else {
        return lanes;
    };
    if !is_clamped && word.form(&io.options.forms).is_fixed() {
        return lanes;
    }
    let is_clamped = io.gl_state().test_flag(word);
    clamp_color(io.w, is_clamped, lanes)
}

/// Returns true if all points have one size in all pipelines of the module.
fn has_fixed_size(options: &Options) -> bool {
    options.forms.point_size.is_fixed() && options.fixed.point_size.is_some()
}

/// Selects the size that the program writes, or the size of the state.
fn select_point_size(io: &mut Io<'_>, mut lanes: [Lane; 4]) -> [Lane; 4] {
    if io.options.forms.point_size.is_fixed() {
        return lanes;
    }
    let is_own = io.gl_state().test_flag(Word::ProgramPointSize);
    let own = io.w.lane_val(lanes[0], Scalar::F32);
    let given = io.gl_state().load(Word::PointSize);
    let given = io.w.val(given);
    lanes[0] = io.w.select(is_own, own, given).lane(0);
    lanes
}

/// Maps GL's clip depth -w to w to 0 to w.
// GL 2.1 section 2.12 clips to -w <= z <= w, Vulkan to 0 <= z <= w ("Primitive Clipping"). (z + w)
// / 2 maps one range to the other, and the depth z / w from [-1, 1] to [0, 1].
fn convert_depth(w: &mut ValueBuilder, options: &Options, lanes: [Lane; 4]) -> [Lane; 4] {
    if options.conventions.clip_depth == ClipDepth::ZeroToOne {
        return lanes;
    }
    let [z, divisor] = [lanes[2], lanes[3]].map(|lane| w.lane_val(lane, Scalar::F32));
    let sum = w.binary(Spv::FAdd, z, divisor);
    let depth = w.binary_float(Spv::FMul, sum, 0.5);
    [lanes[0], lanes[1], depth.lane(0), lanes[3]]
}

fn store_distance(
    io: &mut Io<'_>,
    id: OutputId,
    distances: Distances,
    plane: u32,
    lane: Lane,
) -> Result<(), Failure> {
    declare_distance(io, id, distances)?;
    let variable = io.vars.outputs.distances[distances as usize];
    let value = select_enabled_distance(io, distances, plane, lane);
    let mut operands = vec![variable.0];
    if io.program.stage == Stage::TessControl {
        operands.push(io.own_vertex().0);
    }
    operands.push(io.w.uint(plane).0);
    let ty = io.w.ty(Scalar::F32, 1);
    let pointer = io.w.chain(StorageClass::Output, ty, &operands);
    io.w.store(pointer, value);
    Ok(())
}

/// Selects the distance, or 0, which clips nothing, if its plane is disabled.
fn select_enabled_distance(
    io: &mut Io<'_>,
    distances: Distances,
    plane: u32,
    lane: Lane,
) -> ValueWord {
    let value = io.w.scalar(lane, Scalar::F32);
    let is_chosen =
        io.program.modes.enabled_clip_distances && !io.options.forms.clip_planes.is_fixed();
    if distances != Distances::Clip || !is_chosen {
        return value;
    }
    let is_enabled = io.gl_state().test_bit(Word::ClipPlanes, plane);
    let value = io.w.val(value);
    let zero = io.w.float_like(value, 0.0);
    io.w.select(is_enabled, value, zero).id
}

/// Clears all distances, which are undefined after emitting a vertex; those that the program does
/// not write must neither clip nor cull.
fn clear_distances(io: &mut Io<'_>) {
    for distances in [Distances::Clip, Distances::Cull] {
        let variable = io.vars.outputs.distances[distances as usize];
        if io.program.stage != Stage::Geometry || !variable.is_some() {
            continue;
        }
        let array = declare_distance_array(io, distances);
        let zero = io.w.null(array);
        io.w.store(variable, zero);
    }
}

/// Source of the size of points.
enum Size {
    Bits(u32),
    /// State that the module reads at run time.
    State,
}

/// Clamps a color to [0, 1] if `is_clamped` is true; NaN becomes 0.
fn clamp_color(w: &mut ValueBuilder, is_clamped: Val, lanes: [Lane; 4]) -> [Lane; 4] {
    let color = w.gather_vector(&lanes, Scalar::F32);
    let clamped = arith::clamp(w, color, Saturate::Unsigned);
    w.select(is_clamped, clamped, color).lanes()
}
