//! Variables of outputs: which one an output goes to, and its declaration.

use crate::builder::{Builder, Lane, Scalar};
use crate::capability::Need;
use crate::emit::Emit;
use crate::error::{Error, Failure};
use crate::interface::base_scalar;
use crate::interface::names::output_name;
use crate::varyings::{Distances, Place, written_lanes};
use crate::words::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{Output, OutputId, Semantic, Stage, WriteMask};
use spirv::{BuiltIn, Decoration, Op as Spv, StorageClass};

/// The variable that an output goes to.
pub(super) struct OutputPlace {
    pub(super) builtin: Option<BuiltIn>,
    pub(super) location: Option<u32>,
    /// First component at the location.
    component: u8,
    pub(super) scalar: Scalar,
    pub(super) size: u8,
    /// First lane stored.
    pub(super) first: usize,
}

impl OutputPlace {
    /// That of a varying.
    pub(super) fn varying(place: &Place) -> Self {
        Self {
            builtin: None,
            location: Some(place.location),
            component: place.component,
            scalar: base_scalar(place.base),
            size: place.components,
            first: 0,
        }
    }
}

impl OutputPlace {
    /// Returns the lanes that are stored, as a mask.
    pub(super) fn written(&self) -> u8 {
        ((1 << self.size) - 1) << self.first
    }
}

impl Emit<'_> {
    /// Whether any instruction writes an output.
    pub(super) fn writes(&self, output: OutputId) -> bool {
        let mut registers = self.program.output_registers();
        registers.any(|(id, outputs)| {
            self.analysis.written[id.index()] && outputs.contains(&output.index())
        })
    }

    /// The part of a variable that the invocation writes: in a tessellation control program that of its vertex.
    pub(super) fn own_variable(&mut self, variable: ValueWord, target: &OutputPlace) -> ValueWord {
        // Outputs per vertex are arrays there, of which an invocation may write its own element only.
        if self.program.stage != Stage::TessControl {
            return variable;
        }
        let operands = [variable.0, self.io().own_vertex().0];
        let ty = self.w.ty(target.scalar, target.size);
        self.w.chain(StorageClass::Output, ty, &operands)
    }

    /// Whether it is the distance of a clip plane that is not enabled, in a program that clips by enabled ones only.
    pub(super) fn is_disabled(&self, semantic: Semantic) -> bool {
        let Semantic::ClipDistance(plane) = semantic else {
            return false;
        };
        let planes = u32::from(self.options.fixed.clip_planes);
        let is_enabled = planes.checked_shr(plane.into()).unwrap_or(0) & 1 != 0;
        self.program.modes.enabled_clip_distances && !is_enabled
    }

    /// Where the color of an attachment goes.
    pub(super) fn color_target(&self, id: OutputId, buffer: u8) -> OutputPlace {
        let declared = self.options.interface.colors.get(usize::from(buffer));
        let output = self.program.outputs[id];
        let base = declared.copied().unwrap_or(output.base);
        OutputPlace::varying(&Place::vector(output.semantic, buffer.into(), base))
    }

    pub(super) fn output_target(&mut self, id: OutputId) -> Result<OutputPlace, Failure> {
        let semantic = self.program.outputs[id].semantic;
        if let (Stage::Fragment, Semantic::FragColor { buffer, .. }) =
            (self.program.stage, semantic)
        {
            return Ok(self.color_target(id, buffer));
        }
        // Noted for the modes, which must tell of it (VUID-FragDepth-FragDepth-04216).
        self.interface.outputs.writes_depth |= semantic == Semantic::FragDepth;
        self.interface.outputs.writes_stencil |= semantic == Semantic::FragStencil;
        if let Some(target) = builtin_output(self.program.stage, semantic) {
            self.need_output(semantic)?;
            return Ok(target);
        }
        let varyings = &self.options.interface.outputs;
        let place = varyings.place(semantic);
        let has_varyings = match self.program.stage {
            Stage::TessControl => true,
            Stage::Vertex | Stage::TessEval | Stage::Geometry => !semantic.is_per_patch(),
            Stage::Fragment | Stage::Compute => false,
        };
        match place.filter(|_| has_varyings) {
            Some(place) => Ok(OutputPlace::varying(&place)),
            None => Err(Error::unsupported(format!(
                "{semantic:?} is no output of {} programs",
                self.program.stage.name()
            ))),
        }
    }

    /// What built-in outputs need of the device.
    fn need_output(&mut self, semantic: Semantic) -> Result<(), Failure> {
        let stage = self.program.stage;
        if semantic == Semantic::PointSize && stage != Stage::Vertex {
            // The feature is one for both stages.
            Need::GeometryPointSize.check(&self.w.device)?;
            self.io().need_point_size();
        }
        let need = match (stage, semantic) {
            // In other stages the built-in has a capability of its own: `need_layer_output`.
            (Stage::Geometry, Semantic::ViewportIndex) => Need::MultiViewport,
            (Stage::Fragment, Semantic::FragStencil) => Need::StencilExport,
            _ => return Ok(()),
        };
        self.w.require(need)
    }

    /// Returns lanes of which those in `write` are equal to those given, as values that no other output gets and that differ between invocations as far
    /// as compilers know. Linkers of OpenGL take two outputs for one if the only value stored in either is the same, even where the conditions of the
    /// stores differ (Mesa 25.0), and do not interpolate outputs of geometry programs whose only store, in a loop, has a value that all invocations
    /// share (Mesa 25.0 to 26.2).
    pub(super) fn make_own_values(
        &mut self,
        id: OutputId,
        scalar: Scalar,
        write: u8,
        mut values: [Lane; 4],
    ) -> [Lane; 4] {
        // No draw reaches the number that values are compared with, which no compiler knows.
        let number = match self.program.stage {
            _ if !self.options.target.is_opengl() => return values,
            Stage::TessControl => self.io().patch_number(),
            Stage::Geometry if self.analysis.has_loops => self.io().own_vertex(),
            Stage::Vertex
            | Stage::TessEval
            | Stage::Geometry
            | Stage::Fragment
            | Stage::Compute => return values,
        };
        let number = self.w.val(number);
        let unreached = u64::from(u32::MAX) - id.index() as u64;
        let is_other = self.w.compare_bits(Spv::INotEqual, number, unreached);
        for lane in WriteMask(write).lanes() {
            let value = self.w.lane_val(values[lane], scalar);
            if !self.w.is_constant(value.id) {
                let zero = self.w.constant_like(value, 0);
                values[lane] = self.w.select(is_other, value, zero).lane(0);
            }
        }
        values
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

    pub(super) fn declare_output(
        &mut self,
        id: OutputId,
        target: &OutputPlace,
    ) -> Result<ValueWord, Failure> {
        let output = self.program.outputs[id];
        self.check_location(id)?;
        let mut ty = self.w.ty(target.scalar, target.size);
        // SPIR-V has these built-ins as arrays of words.
        if matches!(
            output.semantic,
            Semantic::SampleMask | Semantic::ViewportMask
        ) {
            ty = self.w.array_type(ty, 1);
        }
        let is_shared = output.semantic.is_per_patch();
        let per_vertex = self.program.stage == Stage::TessControl && !is_shared;
        if per_vertex {
            ty = self.w.array_type(ty, self.program.modes.vertices_out);
        }
        let variable = self.io().variable(StorageClass::Output, ty);
        self.decorate_output(&output, target, variable);
        self.capture_in_place(output.semantic, variable);
        self.w.name(variable, || output_name(output.semantic));
        if is_shared {
            self.w.decorate(variable, Decoration::Patch, &[]);
        }
        self.interface
            .reflect_output(&output, target.location, target.scalar, target.size);
        self.interface.reflected_per_vertex(per_vertex);
        Ok(variable)
    }

    fn decorate_output(&mut self, output: &Output, target: &OutputPlace, variable: ValueWord) {
        if let Some(builtin) = target.builtin {
            self.w.decorate_builtin(variable, builtin);
        }
        if let Some(location) = target.location {
            self.w.decorate(variable, Decoration::Location, &[location]);
        }
        // 0 is what it is without the decoration.
        if target.component > 0 {
            let component = u32::from(target.component);
            self.w
                .decorate(variable, Decoration::Component, &[component]);
        }
        if let Semantic::FragColor { index, .. } = output.semantic
            // 0 is what `Index` is without the decoration.
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

    /// Returns an error if another varying of the same location is written. Built-in outputs and
    /// colors of fragments, whose locations are numbers of attachments, are no varyings.
    fn check_location(&self, id: OutputId) -> Result<(), Failure> {
        let semantic = self.program.outputs[id].semantic;
        let declared = self.program.outputs.iter_enumerated();
        let declared = declared.filter(|(other, _)| {
            *other != id && self.interface.outputs.variables[other.index()].is_some()
        });
        let others = declared.map(|(_, other)| other.semantic);
        self.options.interface.outputs.check_apart(semantic, others)
    }

    /// Declares the array of distances, of which an output is one.
    pub(super) fn declare_distance(
        &mut self,
        id: OutputId,
        distances: Distances,
    ) -> Result<(), Failure> {
        let semantic = self.program.outputs[id].semantic;
        if matches!(self.program.stage, Stage::Fragment | Stage::Compute) {
            let stage = self.program.stage.name();
            let message = format!("{semantic:?} is no output of {stage} programs");
            return Err(Error::unsupported(message));
        }
        if !self.interface.outputs.distances[distances as usize].is_some() {
            self.declare_distances(distances);
        }
        // Each distance is told of by itself, though all are one variable.
        if !self.interface.outputs.variables[id.index()].is_some() {
            let output = self.program.outputs[id];
            self.interface.outputs.variables[id.index()] =
                self.interface.outputs.distances[distances as usize];
            self.interface.reflect_output(&output, None, Scalar::F32, 1);
            let per_vertex = self.program.stage == Stage::TessControl;
            self.interface.reflected_per_vertex(per_vertex);
        }
        Ok(())
    }

    /// The type of the distances from the planes that have one.
    pub(super) fn distance_array(&mut self, distances: Distances) -> TypeWord {
        let float = self.w.ty(Scalar::F32, 1);
        let semantics = self.program.outputs.iter().map(|output| output.semantic);
        let len = distances.len(semantics.filter(|&semantic| !self.is_disabled(semantic)));
        self.w.array_type(float, len)
    }

    /// Distances of planes that the program does not write are 0, which neither clips nor culls anything.
    fn declare_distances(&mut self, distances: Distances) {
        self.w.needs.insert(Need::of(distances));
        let mut array = self.distance_array(distances);
        let is_patch = self.program.stage == Stage::TessControl;
        if is_patch {
            array = self.w.array_type(array, self.program.modes.vertices_out);
        }
        let variable = self.io().variable(StorageClass::Output, array);
        self.w.decorate_builtin(variable, distances.builtin());
        self.interface.outputs.distances[distances as usize] = variable;
        if is_patch {
            // Nothing is clipped here, and the other vertices are not the invocation's.
            return;
        }
        // In the prologue, before any store of the program.
        let zero = self.w.null(array);
        self.w.prologue.op(Spv::Store, &[variable.0, zero.0]);
    }
}

/// Where an output that is a built-in goes.
pub(super) fn builtin_output(stage: Stage, semantic: Semantic) -> Option<OutputPlace> {
    let makes_vertices = !matches!(stage, Stage::Fragment | Stage::Compute);
    // A control program hands such outputs on as varyings, if at all.
    let rasterizes = makes_vertices && stage != Stage::TessControl;
    let (builtin, scalar, size) = match (stage, semantic) {
        (_, Semantic::Position) if makes_vertices => (BuiltIn::Position, Scalar::F32, 4),
        (_, Semantic::PointSize) if makes_vertices => (BuiltIn::PointSize, Scalar::F32, 1),
        (_, Semantic::Layer) if rasterizes => (BuiltIn::Layer, Scalar::U32, 1),
        (_, Semantic::ViewportIndex) if rasterizes => (BuiltIn::ViewportIndex, Scalar::U32, 1),
        (_, Semantic::ViewportMask) if rasterizes => (BuiltIn::ViewportMaskNV, Scalar::U32, 1),
        (Stage::Geometry, Semantic::PrimitiveId) => (BuiltIn::PrimitiveId, Scalar::U32, 1),
        (Stage::Fragment, Semantic::FragDepth) => (BuiltIn::FragDepth, Scalar::F32, 1),
        (Stage::Fragment, Semantic::FragStencil) => (BuiltIn::FragStencilRefEXT, Scalar::S32, 1),
        (Stage::Fragment, Semantic::SampleMask) => (BuiltIn::SampleMask, Scalar::U32, 1),
        _ => return None,
    };
    Some(OutputPlace {
        builtin: Some(builtin),
        location: None,
        component: 0,
        scalar,
        size,
        // Depth and stencil value are not the first lanes of their results.
        first: written_lanes(semantic).trailing_zeros() as usize,
    })
}

pub(super) fn store_output_lanes(
    w: &mut Builder,
    pointer: ValueWord,
    target: &OutputPlace,
    lanes: [Lane; 4],
) {
    let part = &lanes[target.first..target.first + target.size as usize];
    let value = if target.size == 1 {
        w.scalar(part[0], target.scalar)
    } else {
        w.gather_vector(part, target.scalar).id
    };
    w.store(pointer, value);
}

pub(super) fn compute_element_pointer(
    w: &mut Builder,
    variable: ValueWord,
    scalar: Scalar,
    index: u32,
) -> ValueWord {
    let ty = w.ty(scalar, 1);
    let pointer_ty = w.pointer(StorageClass::Output, ty);
    let index = w.uint(index);
    let pointer = w.object();
    w.body.result(
        Spv::AccessChain,
        pointer_ty,
        pointer,
        &[variable.0, index.0],
    );
    pointer
}
