//! Stores of stage outputs at the end of the entry point.

use super::Emit;
use super::array::Element;
use super::views::Views;
use crate::analysis::Class;
use crate::builder::{Builder, Lane, Scalar};
use crate::capability::Need;
use crate::error::{Error, Failure};
use crate::interface::base_scalar;
use crate::interface::names::output_name;
use crate::options::ClipDepth;
use crate::varyings::clip_planes;
use crate::varyings::written_lanes;
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::{Output, OutputId, RegisterId, Saturate, Semantic, Stage, Storage, TypeBase};
use spirv::{BuiltIn, Decoration, Op as Spv, StorageClass};

/// The color that programs without numbered ones write.
const COLOR_0: Semantic = Semantic::FragColor {
    buffer: 0,
    index: 0,
};

/// The variable that an output goes to.
pub(super) struct OutputPlace {
    builtin: Option<BuiltIn>,
    location: Option<u32>,
    scalar: Scalar,
    size: u8,
    /// First lane stored.
    first: usize,
}

impl Emit<'_> {
    /// Stores all outputs that the program writes.
    pub(super) fn store_outputs(&mut self) -> Result<(), Failure> {
        let program = self.program;
        let mut views = Views::default();
        for (id, register) in program.registers.iter_enumerated() {
            let Storage::Output(first) = register.storage else {
                continue;
            };
            if !self.analysis.written[id.index()] {
                continue;
            }
            for element in 0..register.array.unwrap_or(1).max(1) {
                let output = OutputId::new(first.index() + element as usize);
                if output.index() < program.outputs.len() {
                    let lanes = self.output_value(id, element, output);
                    let semantic = program.outputs[output].semantic;
                    if !views.keep(semantic, output, lanes[0]) {
                        self.store_output(output, lanes)?;
                    } else if !self.tables.captures.is_empty() {
                        self.store_captures(output, &lanes);
                    }
                }
            }
        }
        self.store_fixed_point_size();
        self.store_views(&views)
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
        if let Semantic::ClipDistance(plane) = output.semantic {
            return self.store_clip_distance(id, plane, lanes[0]);
        }
        let lanes = self.adapted_output(&output, lanes);
        let fixed = &self.options.fixed;
        let is_single = self.program.modes.numbered_colors || fixed.draw_buffers == 0;
        if output.semantic == COLOR_0 && !is_single {
            return self.store_broadcast(id, lanes);
        }
        let target = self.output_target(id)?;
        let variable = self.output_variable_of(id, &target)?;
        let pointer = match output.semantic == Semantic::SampleMask {
            true => self.w.element_pointer(variable, target.scalar, 0),
            false => variable,
        };
        self.w.store_lanes(pointer, &target, lanes);
        Ok(())
    }

    /// Whether no stage reads an output.
    fn is_dropped(&self, semantic: Semantic) -> bool {
        // Only transform feedback takes vertex numbers.
        let is_number = (self.program.stage, semantic) == (Stage::Vertex, Semantic::VertexId);
        let has_fixed_size = self.options.fixed.point_size.is_some();
        is_number
            || has_fixed_size && semantic == Semantic::PointSize
            || self.is_disabled(semantic)
            || self.options.interface.outputs.drops(semantic)
    }

    /// Whether it is the distance of a clip plane that is not enabled, in a program that clips by enabled ones only.
    fn is_disabled(&self, semantic: Semantic) -> bool {
        let Semantic::ClipDistance(plane) = semantic else {
            return false;
        };
        let planes = u32::from(self.options.fixed.clip_planes);
        let is_enabled = planes.checked_shr(plane.into()).unwrap_or(0) & 1 != 0;
        self.program.modes.enabled_clip_distances && !is_enabled
    }

    /// Positions with the depth that the caller wants, colors as GL state clamps them.
    fn adapted_output(&mut self, output: &Output, lanes: [Lane; 4]) -> [Lane; 4] {
        if output.semantic == Semantic::Position {
            return self.remap_depth(lanes);
        }
        let fixed = &self.options.fixed;
        let is_vertex_color =
            matches!(output.semantic, Semantic::Color(_) | Semantic::BackColor(_));
        let is_float_color =
            matches!(output.semantic, Semantic::FragColor { .. }) && output.base == TypeBase::Float;
        let is_clamped = is_vertex_color && fixed.clamp_vertex_colors
            || is_float_color && fixed.clamp_fragment_colors;
        match is_clamped {
            true => self.w.clamp_color(lanes),
            false => lanes,
        }
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
            self.w.store_lanes(variable, &target, lanes);
        }
        Ok(())
    }

    /// Where the color of an attachment goes.
    fn color_target(&self, id: OutputId, buffer: u8) -> OutputPlace {
        let declared = self.options.interface.colors.get(usize::from(buffer));
        let base = declared.copied().unwrap_or(self.program.outputs[id].base);
        OutputPlace {
            builtin: None,
            location: Some(u32::from(buffer)),
            scalar: base_scalar(base),
            size: 4,
            first: 0,
        }
    }

    /// The size of all points, in place of what the program writes. GL 2.1 section 3.3.
    fn store_fixed_point_size(&mut self) {
        let Some(bits) = self
            .options
            .fixed
            .point_size
            .filter(|_| self.program.stage == Stage::Vertex)
        else {
            return;
        };
        if !self.interface.outputs.point_size.is_some() {
            let ty = self.w.ty(Scalar::F32, 1);
            let variable = self.io().variable(StorageClass::Output, ty);
            let decoration = [BuiltIn::PointSize as u32];
            self.w.decorate(variable, Decoration::BuiltIn, &decoration);
            self.w.name(variable, || output_name(Semantic::PointSize));
            let output = Output::new(Semantic::PointSize);
            self.interface.reflect_output(&output, None, Scalar::F32, 1);
            self.interface.outputs.point_size = variable;
        }
        let (pointer, size) = (
            self.interface.outputs.point_size,
            self.w.float(f32::from_bits(bits)),
        );
        self.w.store(pointer, size);
    }

    pub(super) fn output_target(&mut self, id: OutputId) -> Result<OutputPlace, Failure> {
        let semantic = self.program.outputs[id].semantic;
        if let (Stage::Fragment, Semantic::FragColor { buffer, .. }) =
            (self.program.stage, semantic)
        {
            return Ok(self.color_target(id, buffer));
        }
        self.interface.outputs.writes_depth |= semantic == Semantic::FragDepth;
        if let Some(target) = builtin_output(self.program.stage, semantic) {
            return Ok(target);
        }
        let varyings = &self.options.interface.outputs;
        let location = varyings.location(semantic);
        match location.filter(|_| self.program.stage == Stage::Vertex) {
            Some(location) => Ok(OutputPlace {
                builtin: None,
                location: Some(location),
                scalar: Scalar::F32,
                size: 4,
                first: 0,
            }),
            None => Err(Error::unsupported(format!(
                "{semantic:?} is no output of {} programs",
                self.program.stage.name()
            ))),
        }
    }

    pub(super) fn output_variable_of(
        &mut self,
        id: OutputId,
        target: &OutputPlace,
    ) -> Result<ValueWord, Failure> {
        let known = self.interface.outputs.variables[id.index()];
        if known.is_some() {
            return Ok(known);
        }
        let variable = self.declare_output(id, target)?;
        self.interface.outputs.variables[id.index()] = variable;
        Ok(variable)
    }

    fn declare_output(&mut self, id: OutputId, target: &OutputPlace) -> Result<ValueWord, Failure> {
        let output = self.program.outputs[id];
        self.check_location(id, target)?;
        let mut ty = self.w.ty(target.scalar, target.size);
        // SPIR-V has these built-ins as arrays of words.
        if matches!(
            output.semantic,
            Semantic::SampleMask | Semantic::ViewportMask
        ) {
            ty = self.w.array_type(ty, 1);
        }
        let variable = self.io().variable(StorageClass::Output, ty);
        self.decorate_output(&output, target, variable);
        self.capture_in_place(output.semantic, variable);
        self.w.name(variable, || output_name(output.semantic));
        self.interface
            .reflect_output(&output, target.location, target.scalar, target.size);
        Ok(variable)
    }

    fn decorate_output(&mut self, output: &Output, target: &OutputPlace, variable: ValueWord) {
        if let Some(builtin) = target.builtin {
            self.w
                .decorate(variable, Decoration::BuiltIn, &[builtin as u32]);
        }
        if let Some(location) = target.location {
            self.w.decorate(variable, Decoration::Location, &[location]);
        }
        if let Semantic::FragColor { index, .. } = output.semantic
            && index > 0
        {
            self.w
                .decorate(variable, Decoration::Index, &[u32::from(index)]);
        }
        if output.semantic == Semantic::SampleMask && self.program.modes.sample_mask_override {
            self.w.needs.insert(Need::SampleMaskOverride);
            self.w
                .decorate(variable, Decoration::OverrideCoverageNV, &[]);
        }
        if output.invariant {
            self.w.decorate(variable, Decoration::Invariant, &[]);
        }
    }

    /// Two varyings of one location cannot both be written.
    fn check_location(&self, id: OutputId, target: &OutputPlace) -> Result<(), Failure> {
        let semantic = self.program.outputs[id].semantic;
        if matches!(semantic, Semantic::FragColor { .. }) || target.location.is_none() {
            return Ok(());
        }
        let varyings = &self.options.interface.outputs;
        let clash = self
            .program
            .outputs
            .iter_enumerated()
            .find(|(other, data)| {
                *other != id
                    && self.interface.outputs.variables[other.index()].is_some()
                    && varyings.location(data.semantic) == target.location
            });
        match clash {
            Some((_, other)) => Err(Error::unsupported(format!(
                "{:?} and {semantic:?} need the same location unless their programs are linked",
                other.semantic
            ))),
            None => Ok(()),
        }
    }

    /// GL's clip depth -w to w becomes 0 to w.
    fn remap_depth(&mut self, lanes: [Lane; 4]) -> [Lane; 4] {
        if self.options.conventions.clip_depth == ClipDepth::ZeroToOne {
            return lanes;
        }
        let [z, w] = [lanes[2], lanes[3]].map(|lane| {
            let id = self.w.scalar(lane, Scalar::F32);
            self.w.val(id)
        });
        let sum = self.w.binary(Spv::FAdd, z, w);
        let half = self.w.float_like(sum, 0.5);
        let depth = self.w.binary(Spv::FMul, sum, half);
        [lanes[0], lanes[1], depth.lane(0), lanes[3]]
    }

    fn store_clip_distance(&mut self, id: OutputId, plane: u8, lane: Lane) -> Result<(), Failure> {
        if self.program.stage != Stage::Vertex {
            return Err(Error::unsupported(
                "clip distances are outputs of vertex programs only",
            ));
        }
        if !self.interface.outputs.clip_distances.is_some() {
            self.declare_clip_distances();
        }
        if !self.interface.outputs.variables[id.index()].is_some() {
            let output = self.program.outputs[id];
            self.interface.outputs.variables[id.index()] = self.interface.outputs.clip_distances;
            self.interface.reflect_output(&output, None, Scalar::F32, 1);
        }
        let variable = self.interface.outputs.clip_distances;
        let value = self.w.scalar(lane, Scalar::F32);
        let pointer = self
            .w
            .element_pointer(variable, Scalar::F32, u32::from(plane));
        self.w.store(pointer, value);
        Ok(())
    }

    /// Distances of planes that the program does not write are 0, which clips nothing.
    fn declare_clip_distances(&mut self) {
        self.w.needs.insert(Need::ClipDistance);
        let semantics = self.program.outputs.iter().map(|output| output.semantic);
        let count = clip_planes(semantics.filter(|&semantic| !self.is_disabled(semantic)));
        let float = self.w.ty(Scalar::F32, 1);
        let array = self.w.array_type(float, count);
        let variable = self.io().variable(StorageClass::Output, array);
        self.w.decorate(
            variable,
            Decoration::BuiltIn,
            &[BuiltIn::ClipDistance as u32],
        );
        self.interface.outputs.clip_distances = variable;
        let zero = self.w.null(array);
        self.w.prologue.op(Spv::Store, &[variable.0, zero.0]);
    }
}

/// Where an output that is a built-in goes.
fn builtin_output(stage: Stage, semantic: Semantic) -> Option<OutputPlace> {
    let (builtin, scalar, size) = match (stage, semantic) {
        (Stage::Vertex, Semantic::Position) => (BuiltIn::Position, Scalar::F32, 4),
        (Stage::Vertex, Semantic::PointSize) => (BuiltIn::PointSize, Scalar::F32, 1),
        (Stage::Vertex, Semantic::Layer) => (BuiltIn::Layer, Scalar::U32, 1),
        (Stage::Vertex, Semantic::ViewportIndex) => (BuiltIn::ViewportIndex, Scalar::U32, 1),
        (Stage::Vertex, Semantic::ViewportMask) => (BuiltIn::ViewportMaskNV, Scalar::U32, 1),
        (Stage::Fragment, Semantic::FragDepth) => (BuiltIn::FragDepth, Scalar::F32, 1),
        (Stage::Fragment, Semantic::SampleMask) => (BuiltIn::SampleMask, Scalar::U32, 1),
        _ => return None,
    };
    Some(OutputPlace {
        builtin: Some(builtin),
        location: None,
        scalar,
        size,
        // The depth is component z of the result: ARB_fragment_program section 3.11.3.4.
        first: if semantic == Semantic::FragDepth {
            2
        } else {
            0
        },
    })
}

impl Builder {
    fn store_lanes(&mut self, pointer: ValueWord, target: &OutputPlace, lanes: [Lane; 4]) {
        let part = &lanes[target.first..target.first + target.size as usize];
        let value = if target.size == 1 {
            self.scalar(part[0], target.scalar)
        } else {
            self.gather_vector(part, target.scalar).id
        };
        self.store(pointer, value);
    }

    /// A color clamped to [0, 1]; NaN becomes 0.
    fn clamp_color(&mut self, lanes: [Lane; 4]) -> [Lane; 4] {
        let color = self.gather_vector(&lanes, Scalar::F32);
        let clamped = self.clamp(color, Saturate::Unsigned);
        std::array::from_fn(|lane| clamped.lane(lane))
    }

    pub(super) fn element_pointer(
        &mut self,
        variable: ValueWord,
        scalar: Scalar,
        index: u32,
    ) -> ValueWord {
        let ty = self.ty(scalar, 1);
        let pointer_ty = self.pointer(StorageClass::Output, ty);
        let index = self.uint(index);
        let pointer = self.object();
        self.body.result(
            Spv::AccessChain,
            pointer_ty,
            pointer,
            &[variable.0, index.0],
        );
        pointer
    }
}
