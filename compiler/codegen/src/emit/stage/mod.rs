//! Stores of stage outputs at the end of the entry point, or for each vertex that a geometry program emits.
//!
//! `views` and `capture` store others, in the variables of `output_variable`; `gl_state` is what GL state adds to them, and
//! `fragment_tests` are the tests of fragments. The other modules are about inputs and what else depends on the stage.

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
use crate::builder::{Builder, Lane, Scalar, Val};
use crate::emit::Emit;
use crate::emit::memory::array::Element;
use crate::emit::stage::output_variable::{
    builtin_output, compute_element_pointer, store_output_lanes,
};
use crate::emit::stage::views::{Views, chooses};
use crate::error::Failure;
use crate::interface::names::output_name;
use crate::interface::{Vertex, input_primitive};
use crate::options::ClipDepth;
use crate::state::Word;
use crate::varyings::{Distances, written_lanes};
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive};
use glasm_ir::{InputId, Output, OutputId, RegisterId, Saturate, Semantic, Stage, TypeBase};
use spirv::{BuiltIn, Op as Spv, StorageClass};

/// The color that programs without numbered ones write.
const COLOR_0: Semantic = Semantic::FragColor {
    buffer: 0,
    index: 0,
};

impl Emit<'_> {
    /// Stores all outputs that the program writes.
    pub(super) fn store_outputs(&mut self) -> Result<(), Failure> {
        if self.program.stage == Stage::Fragment
            && self.options.tests_fragments()
            // A color is tested when it is stored; stipples count without one, too.
            && !self.writes_color_0()
        {
            self.test_fragment(None);
        }
        self.store_vertex(None)
    }

    /// Stores all outputs that the program writes; those that the vertices of the input primitive keep are those of vertex `kept`.
    pub(super) fn store_vertex(&mut self, kept: Option<u32>) -> Result<(), Failure> {
        let program = self.program;
        let mut views = Views::default();
        self.clear_distances();
        for (id, outputs) in program.output_registers() {
            if !self.analysis.written[id.index()] || self.analysis.shared_outputs[id.index()] {
                continue;
            }
            for (element, output) in (0..).zip(outputs.map(OutputId::new)) {
                let mut lanes = self.output_value(id, element, output);
                if let Some(vertex) = kept {
                    lanes = self.kept_lanes(output, vertex, lanes)?;
                }
                let semantic = program.outputs[output].semantic;
                if !chooses(semantic) || self.hands_on(semantic) {
                    self.store_output(output, lanes)?;
                    continue;
                }
                self.store_captures(output, &lanes);
                if semantic != Semantic::Layer || !self.options.fixed.single_layer {
                    // Stored together at the end: which of them are built-ins depends on the others.
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
        let mut outputs = self.program.outputs.iter_enumerated();
        outputs.any(|(id, output)| output.semantic == COLOR_0 && self.writes(id))
    }

    /// Whether an output that chooses layers, viewports or views goes to the next stage like any other.
    fn hands_on(&self, semantic: Semantic) -> bool {
        self.program.stage == Stage::TessControl
            || self.options.interface.outputs.place(semantic).is_some()
    }

    /// Stores the outputs that vertices keep and no instruction writes.
    fn store_kept(&mut self, vertex: u32) -> Result<(), Failure> {
        for (id, output) in self.program.outputs.iter_enumerated() {
            if !output.passthrough.is_empty() && !self.writes(id) {
                let pad = self.w.float_pad();
                let lanes = self.kept_lanes(id, vertex, pad)?;
                self.store_output(id, lanes)?;
            }
        }
        Ok(())
    }

    fn output_value(&mut self, register: RegisterId, element: u32, output: OutputId) -> [Lane; 4] {
        if self.analysis.class[register.index()] == Class::Values {
            let slot = self.analysis.slot_base[register.index()] + element;
            let mut lanes = *self.lanes.slot(slot);
            // Lanes that are never written are undefined; w is what makes a color opaque and a coordinate a point.
            if !lanes[3].id().is_some() && self.program.outputs[output].base == TypeBase::Float {
                lanes[3] = Lane::scalar(self.w.float(1.0));
            }
            return lanes;
        }
        let read = written_lanes(self.program.outputs[output].semantic);
        self.load_register(register, Element::Constant(element), read)
    }

    fn store_output(&mut self, id: OutputId, lanes: [Lane; 4]) -> Result<(), Failure> {
        let output = self.program.outputs[id];
        // Captured first: transform feedback takes results that no stage reads, and positions before their depth is remapped.
        self.store_captures(id, &lanes);
        if self.is_dropped(output.semantic) {
            return Ok(());
        }
        // All distances of a kind are elements of one built-in.
        if let Some((distances, plane)) = Distances::of(output.semantic) {
            return self.store_distance(id, distances, plane, lanes[0]);
        }
        let lanes = self.adapted_output(&output, lanes);
        if output.semantic == COLOR_0 && self.options.tests_fragments() {
            self.test_fragment(Some((&output, lanes)));
        }
        let fixed = &self.options.fixed;
        // Programs with `result.color[n]` say themselves which attachment gets what (ARB_draw_buffers).
        let is_single = self.program.modes.numbered_colors || fixed.draw_buffers == 0;
        if output.semantic == COLOR_0 && !is_single {
            return self.store_broadcast(id, lanes);
        }
        let target = self.output_target(id)?;
        let variable = self.output_variable_of(id, &target)?;
        let lanes = match target.location {
            Some(_) => self.make_own_values(id, target.scalar, target.written(), lanes),
            None => lanes,
        };
        // The mask is an array of words (VUID-SampleMask-SampleMask-04359), of which programs write the first.
        let pointer = match output.semantic == Semantic::SampleMask {
            true => compute_element_pointer(self.w, variable, target.scalar, 0),
            false => self.own_variable(variable, &target),
        };
        store_output_lanes(self.w, pointer, &target, lanes);
        self.store_added(output.semantic, lanes)
    }

    /// The lanes of an output, some of which are those of a vertex of the input primitive.
    fn kept_lanes(
        &mut self,
        id: OutputId,
        vertex: u32,
        mut lanes: [Lane; 4],
    ) -> Result<[Lane; 4], Failure> {
        let output = self.program.outputs[id];
        let mut inputs = self.program.inputs.iter_enumerated();
        // Inputs per vertex of the same meaning: that is what passthrough keeps.
        let own = inputs.find(|(_, input)| input.per_vertex && input.semantic == output.semantic);
        let own: Option<InputId> = own.map(|(id, _)| id);
        let (Some(own), false) = (own, output.passthrough.is_empty()) else {
            return Ok(lanes);
        };
        let kept = self.io().vertex_lanes(own, Vertex::Constant(vertex))?;
        for lane in output.passthrough.lanes() {
            lanes[lane] = kept[lane];
        }
        Ok(lanes)
    }

    /// Whether the program makes points, whose size Vulkan wants to be told.
    fn makes_points(&self) -> bool {
        let modes = &self.program.modes;
        match self.program.stage {
            Stage::TessEval => modes.point_mode,
            Stage::Geometry if modes.passthrough => input_primitive(self.program, self.options)
                .is_ok_and(|primitive| primitive == InputPrimitive::Points),
            Stage::Geometry => modes.primitive_out == OutputPrimitive::Points,
            Stage::Vertex | Stage::TessControl | Stage::Fragment | Stage::Compute => false,
        }
    }

    /// Whether no stage reads an output.
    fn is_dropped(&self, semantic: Semantic) -> bool {
        // In the fixed table only, and there they give way: few stages read them, and transform feedback has taken them already.
        let gives_way = matches!(semantic, Semantic::VertexId | Semantic::ClipVertex)
            && self.shares_location(semantic);
        gives_way
            || semantic == Semantic::PointSize && self.has_fixed_size()
            || self.is_disabled(semantic)
            || self.is_for_rasterization(semantic)
            || self.options.interface.outputs.drops(semantic)
    }

    /// Whether an output has no effect because the stage is not the last one before rasterization.
    fn is_for_rasterization(&self, semantic: Semantic) -> bool {
        self.program.stage == Stage::TessControl
            && !semantic.is_per_patch()
            && Distances::of(semantic).is_none()
            && builtin_output(Stage::TessControl, semantic).is_none()
            && self.options.interface.outputs.place(semantic).is_none()
    }

    /// Whether the program has another output at the location of an output.
    fn shares_location(&self, semantic: Semantic) -> bool {
        let varyings = &self.options.interface.outputs;
        let location = varyings.location(semantic);
        let mut outputs = self.program.outputs.iter();
        outputs.any(|other| {
            other.semantic != semantic && varyings.location(other.semantic) == location
        })
    }

    /// Positions with the depth that the caller wants, colors as GL state clamps them.
    fn adapted_output(&mut self, output: &Output, lanes: [Lane; 4]) -> [Lane; 4] {
        if self.program.stage == Stage::TessControl {
            return lanes;
        }
        if output.semantic == Semantic::Position {
            return self.remap_depth(lanes);
        }
        if output.semantic == Semantic::PointSize {
            return self.chosen_size(lanes);
        }
        let fixed = &self.options.fixed;
        let is_vertex_color =
            matches!(output.semantic, Semantic::Color(_) | Semantic::BackColor(_));
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
        if !is_clamped && word.form(&self.options.forms).is_fixed() {
            return lanes;
        }
        let is_clamped = self.io().state_flag(word);
        clamp_color(self.w, is_clamped, lanes)
    }

    /// Stores color 0 to all attachments that are drawn to. ARB_draw_buffers section 4.2.1.
    fn store_broadcast(&mut self, id: OutputId, lanes: [Lane; 4]) -> Result<(), Failure> {
        let drawn = self.options.fixed.draw_buffers;
        for buffer in (0..8).filter(|buffer| drawn >> buffer & 1 != 0) {
            let target = self.color_target(id, buffer);
            let mut variable = self.interface.outputs.color_copies[usize::from(buffer)];
            if !variable.is_some() {
                variable = self.declare_output(id, &target)?;
                self.interface.outputs.color_copies[usize::from(buffer)] = variable;
            }
            store_output_lanes(self.w, variable, &target, lanes);
        }
        Ok(())
    }

    /// The size of all points, in place of what the program writes: GL 2.1 section 3.3. Where Vulkan wants a size and there is none, it
    /// is 1.
    pub(super) fn store_point_size(&mut self) {
        let Some(size) = self.point_size() else {
            return;
        };
        // Geometry programs come here for each vertex.
        if !self.interface.outputs.point_size.is_some() {
            let ty = self.w.ty(Scalar::F32, 1);
            let variable = self.io().variable(StorageClass::Output, ty);
            self.w.decorate_builtin(variable, BuiltIn::PointSize);
            self.w.name(variable, || output_name(Semantic::PointSize));
            let output = Output::new(Semantic::PointSize);
            self.interface.reflect_output(&output, None, Scalar::F32, 1);
            self.interface.outputs.point_size = variable;
            self.io().need_point_size();
        }
        let pointer = self.interface.outputs.point_size;
        let size = match size {
            Size::Bits(bits) => self.w.float(f32::from_bits(bits)),
            Size::State => self.io().state(Word::PointSize),
        };
        self.w.store(pointer, size);
    }

    /// Whether all points have one size in all pipelines that the module is for.
    fn has_fixed_size(&self) -> bool {
        self.options.forms.point_size.is_fixed() && self.options.fixed.point_size.is_some()
    }

    /// The size that the program writes, or that of the state.
    fn chosen_size(&mut self, mut lanes: [Lane; 4]) -> [Lane; 4] {
        if self.options.forms.point_size.is_fixed() {
            return lanes;
        }
        let is_own = self.io().state_flag(Word::ProgramPointSize);
        let own = self.w.lane_val(lanes[0], Scalar::F32);
        let given = self.io().state(Word::PointSize);
        let given = self.w.val(given);
        lanes[0] = self.w.select(is_own, own, given).lane(0);
        lanes
    }

    /// The size of points that the program does not write, or that counts in its place.
    fn point_size(&self) -> Option<Size> {
        let fixed = self.options.fixed.point_size;
        let unwritten = self.options.fixed.unwritten_point_size;
        let unwritten = match self.program.stage {
            Stage::Vertex => unwritten,
            Stage::TessEval | Stage::Geometry => {
                // Without the feature Vulkan takes 1.0 for the size, and forbids to write one.
                let has_size = self.w.device.tessellation_and_geometry_point_size;
                if !has_size || !self.makes_points() {
                    return None;
                }
                unwritten.or(Some(1.0f32.to_bits()))
            }
            Stage::TessControl | Stage::Fragment | Stage::Compute => return None,
        };
        if !self.options.forms.point_size.is_fixed() {
            // A size of the program is chosen against that of the state where it is stored: `chosen_size`.
            return (!self.has_point_size()).then_some(Size::State);
        }
        fixed
            .or_else(|| unwritten.filter(|_| !self.has_point_size()))
            .map(Size::Bits)
    }

    /// Whether vertices have a size that the program writes or that they keep.
    fn has_point_size(&self) -> bool {
        let mut outputs = self.program.outputs.iter_enumerated();
        outputs.any(|(id, output)| {
            output.semantic == Semantic::PointSize
                && (self.writes(id) || !output.passthrough.is_empty())
        })
    }

    /// GL's clip depth -w to w becomes 0 to w.
    // GL 2.1 section 2.12 clips to -w <= z <= w, Vulkan to 0 <= z <= w ("Primitive Clipping"). (z + w) / 2 takes one range
    // to the other, and the depth z / w from [-1, 1] to [0, 1].
    fn remap_depth(&mut self, lanes: [Lane; 4]) -> [Lane; 4] {
        if self.options.conventions.clip_depth == ClipDepth::ZeroToOne {
            return lanes;
        }
        let [z, w] = [lanes[2], lanes[3]].map(|lane| self.w.lane_val(lane, Scalar::F32));
        let sum = self.w.binary(Spv::FAdd, z, w);
        let depth = self.w.binary_float(Spv::FMul, sum, 0.5);
        [lanes[0], lanes[1], depth.lane(0), lanes[3]]
    }

    fn store_distance(
        &mut self,
        id: OutputId,
        distances: Distances,
        plane: u32,
        lane: Lane,
    ) -> Result<(), Failure> {
        self.declare_distance(id, distances)?;
        let variable = self.interface.outputs.distances[distances as usize];
        let value = self.enabled_distance(distances, plane, lane);
        let mut operands = vec![variable.0];
        if self.program.stage == Stage::TessControl {
            operands.push(self.io().own_vertex().0);
        }
        operands.push(self.w.uint(plane).0);
        let ty = self.w.ty(Scalar::F32, 1);
        let pointer = self.w.chain(StorageClass::Output, ty, &operands);
        self.w.store(pointer, value);
        Ok(())
    }

    /// A distance, or 0, which clips nothing, if its plane is not enabled.
    fn enabled_distance(&mut self, distances: Distances, plane: u32, lane: Lane) -> ValueWord {
        let value = self.w.scalar(lane, Scalar::F32);
        let is_chosen =
            self.program.modes.enabled_clip_distances && !self.options.forms.clip_planes.is_fixed();
        if distances != Distances::Clip || !is_chosen {
            return value;
        }
        let is_enabled = self.io().state_bit(Word::ClipPlanes, plane);
        let value = self.w.val(value);
        let zero = self.w.float_like(value, 0.0);
        self.w.select(is_enabled, value, zero).id
    }

    /// Emitting a vertex leaves all distances undefined; those that the program does not write must clip and cull nothing.
    fn clear_distances(&mut self) {
        for distances in [Distances::Clip, Distances::Cull] {
            let variable = self.interface.outputs.distances[distances as usize];
            if self.program.stage != Stage::Geometry || !variable.is_some() {
                continue;
            }
            let array = self.distance_array(distances);
            let zero = self.w.null(array);
            self.w.store(variable, zero);
        }
    }
}

/// Where the size of points is from.
enum Size {
    Bits(u32),
    /// It is read when the module runs.
    State,
}

/// A color, clamped to [0, 1] if it is to be; NaN becomes 0.
fn clamp_color(w: &mut Builder, is_clamped: Val, lanes: [Lane; 4]) -> [Lane; 4] {
    let color = w.gather_vector(&lanes, Scalar::F32);
    let clamped = w.clamp(color, Saturate::Unsigned);
    w.select(is_clamped, clamped, color).lanes()
}
