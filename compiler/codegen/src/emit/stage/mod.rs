//! Stores of stage outputs at the end of the entry point, or for each vertex that a geometry
//! program emits.
//!
//! `views` and `capture` store others, in the variables of `output_variable`; `gl_state` is what GL
//! state adds to them, and `fragment_tests` are the tests of fragments. `primitive`
//! emits vertices and primitives. The other modules are about inputs, shared outputs (`patch`) and
//! instructions of fragments and groups.

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

/// The color that programs without numbered ones write.
const COLOR_0: Semantic = Semantic::FragColor {
    buffer: 0,
    index: 0,
};

impl OutputEmitter<'_, '_> {
    /// Stores all outputs that the program writes.
    pub(super) fn store_outputs(&mut self) -> Result<(), Failure> {
        if self.f.program.stage == Stage::Fragment
            && self.f.options.tests_fragments()
            // A color is tested when it is stored; stipples count without one, too.
            && !self.writes_color_0()
        {
            test_fragment(&mut self.f.io(), None);
        }
        self.store_vertex(None)
    }

    /// Stores all outputs that the program writes; those that the vertices of the input primitive
    /// keep are those of vertex `kept`.
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
                    // Stored together at the end: which of them are built-ins depends on the
                    // others.
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

    /// Stores the outputs that vertices keep and no instruction writes.
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
            // Lanes that are never written are undefined; w is what makes a color opaque and a
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
        // Captured first: transform feedback takes results that no stage reads, and positions
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
        // Programs with `result.color[n]` say themselves which attachment gets what
        // (ARB_draw_buffers).
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

    /// Stores color 0 to all attachments that are drawn to. ARB_draw_buffers section 4.2.1.
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

    /// Stores the size of all points, instead of what the program writes: GL 2.1 section 3.3. Where
    /// Vulkan wants a size and there is none, it is 1.
    pub(super) fn store_point_size(&mut self) {
        let Some(size) = self.choose_point_size() else {
            return;
        };
        // Geometry programs come here for each vertex.
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

    /// Chooses the size of points that the program does not write, or that counts in its place.
    fn choose_point_size(&self) -> Option<Size> {
        let fixed = self.f.options.fixed.point_size;
        let unwritten = self.f.options.fixed.unwritten_point_size;
        let unwritten = match self.f.program.stage {
            Stage::Vertex => unwritten,
            Stage::TessEval | Stage::Geometry => {
                // Without the feature Vulkan takes 1.0 for the size, and forbids to write one.
                let has_size = self.f.w.device.tessellation_and_geometry_point_size;
                if !has_size || !makes_points(self.f.program, self.f.options) {
                    return None;
                }
                unwritten.or(Some(1.0f32.to_bits()))
            }
            Stage::TessControl | Stage::Fragment | Stage::Compute => return None,
        };
        if !self.f.options.forms.point_size.is_fixed() {
            // A size of the program is chosen against that of the state where it is stored:
            // `chosen_size`.
            return (!self.has_point_size()).then_some(Size::State);
        }
        fixed
            .or_else(|| unwritten.filter(|_| !self.has_point_size()))
            .map(Size::Bits)
    }

    /// Returns whether vertices have a size that the program writes or that they keep.
    fn has_point_size(&self) -> bool {
        let mut outputs = self.f.program.outputs.iter_enumerated();
        outputs.any(|(id, output)| {
            output.semantic == Semantic::PointSize
                && (self.is_written(id) || !output.passthrough.is_empty())
        })
    }
}

/// Returns whether an output that chooses layers, viewports or views goes to the next stage like
/// any other.
fn is_forwarded(program: &Program, options: &Options, semantic: Semantic) -> bool {
    program.stage == Stage::TessControl || options.interface.outputs.place(semantic).is_some()
}

/// The lanes of an output, some of which are those of a vertex of the input primitive.
fn load_kept_lanes(
    io: &mut Io<'_>,
    id: OutputId,
    vertex: u32,
    mut lanes: [Lane; 4],
) -> Result<[Lane; 4], Failure> {
    let output = io.program.outputs[id];
    let mut inputs = io.program.inputs.iter_enumerated();
    // Inputs per vertex of the same meaning: that is what passthrough keeps.
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

/// Returns whether the program makes points, whose size Vulkan wants to be told.
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

/// Returns whether no stage reads an output.
fn is_dropped(program: &Program, options: &Options, semantic: Semantic) -> bool {
    // In the fixed table only, and there they give way: few stages read them, and transform
    // feedback has taken them already.
    let gives_way = matches!(semantic, Semantic::VertexId | Semantic::ClipVertex)
        && shares_location(program, options, semantic);
    gives_way
        || semantic == Semantic::PointSize && has_fixed_size(options)
        || is_disabled(program, options, semantic)
        || is_for_rasterization(program, options, semantic)
        || options.interface.outputs.drops(semantic)
}

/// Returns whether an output has no effect because the stage is not the last one before
/// rasterization.
fn is_for_rasterization(program: &Program, options: &Options, semantic: Semantic) -> bool {
    program.stage == Stage::TessControl
        && !semantic.is_per_patch()
        && Distances::of(semantic).is_none()
        && builtin_output(Stage::TessControl, semantic).is_none()
        && options.interface.outputs.place(semantic).is_none()
}

/// Returns whether the program has another output at the location of an output.
fn shares_location(program: &Program, options: &Options, semantic: Semantic) -> bool {
    let varyings = &options.interface.outputs;
    let location = varyings.location(semantic);
    let mut outputs = program.outputs.iter();
    outputs.any(|other| other.semantic != semantic && varyings.location(other.semantic) == location)
}

/// Positions with the depth that the caller wants, colors as GL state clamps them.
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
    // Colors of fragments that are integers are no colors in this sense (EXT_texture_integer).
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

/// Returns whether all points have one size in all pipelines that the module is for.
fn has_fixed_size(options: &Options) -> bool {
    options.forms.point_size.is_fixed() && options.fixed.point_size.is_some()
}

/// The size that the program writes, or that of the state.
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

/// GL's clip depth -w to w becomes 0 to w.
// GL 2.1 section 2.12 clips to -w <= z <= w, Vulkan to 0 <= z <= w ("Primitive Clipping"). (z + w)
// / 2 takes one range to the other, and the depth z / w from [-1, 1] to [0, 1].
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

/// Selects the distance, or 0, which clips nothing, if its plane is not enabled.
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

/// Emitting a vertex leaves all distances undefined; those that the program does not write must
/// clip and cull nothing.
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

/// Where the size of points is from.
enum Size {
    Bits(u32),
    /// It is read when the module runs.
    State,
}

/// A color, clamped to [0, 1] if it is to be; NaN becomes 0.
fn clamp_color(w: &mut ValueBuilder, is_clamped: Val, lanes: [Lane; 4]) -> [Lane; 4] {
    let color = w.gather_vector(&lanes, Scalar::F32);
    let clamped = arith::clamp(w, color, Saturate::Unsigned);
    w.select(is_clamped, clamped, color).lanes()
}
