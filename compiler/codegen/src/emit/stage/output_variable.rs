//! Variables of outputs: their selection and declaration.

use crate::builder::{Lane, Scalar, ValueBuilder};
use crate::capability::Need;
use crate::emit::cx::{FunctionEmitter, OutputEmitter};
use crate::error::{Error, Failure};
use crate::interface::names::output_name;
use crate::interface::{Io, base_scalar};
use crate::options::Options;
use crate::varyings::{Distances, Place, written_lanes};
use crate::words::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{Output, OutputId, Program, Semantic, Stage, WriteMask};
use spirv::{BuiltIn, Decoration, Op as Spv, StorageClass};

/// Variable of an output.
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
    /// Returns the target of a varying.
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

impl OutputEmitter<'_, '_> {
    /// Returns true if any instruction writes an output.
    pub(super) fn is_written(&self, output: OutputId) -> bool {
        let mut registers = self.f.program.output_registers();
        registers.any(|(id, outputs)| {
            self.f.analysis.written[id.index()] && outputs.contains(&output.index())
        })
    }

    pub(super) fn get_output_variable(
        &mut self,
        id: OutputId,
        target: &OutputPlace,
    ) -> Result<ValueWord, Failure> {
        let known = self.f.interface.outputs.variables[id.index()];
        if known.is_some() {
            return Ok(known);
        }
        let variable = self.declare_output(id, target)?;
        self.f.interface.outputs.variables[id.index()] = variable;
        Ok(variable)
    }

    pub(super) fn declare_output(
        &mut self,
        id: OutputId,
        target: &OutputPlace,
    ) -> Result<ValueWord, Failure> {
        let output = self.f.program.outputs[id];
        check_location(&self.f.io(), id)?;
        let mut ty = self.f.w.ty(target.scalar, target.size);
        // In SPIR-V these built-ins are arrays of words.
        if matches!(
            output.semantic,
            Semantic::SampleMask | Semantic::ViewportMask
        ) {
            ty = self.f.w.declare_array(ty, 1);
        }
        let is_shared = output.semantic.is_per_patch();
        let per_vertex = self.f.program.stage == Stage::TessControl && !is_shared;
        if per_vertex {
            ty = self
                .f
                .w
                .declare_array(ty, self.f.program.modes.vertices_out);
        }
        let variable = self.f.io().variable(StorageClass::Output, ty);
        decorate_output(&mut self.f.io(), &output, target, variable);
        self.capture_in_place(output.semantic, variable);
        self.f.w.name(variable, || output_name(output.semantic));
        if is_shared {
            self.f.w.decorate(variable, Decoration::Patch, &[]);
        }
        self.f
            .interface
            .reflect_output(&output, target.location, target.scalar, target.size);
        self.f.interface.reflected_per_vertex(per_vertex);
        Ok(variable)
    }
}

/// Returns a pointer to the part of a variable that the invocation writes: in a tessellation
/// control program the element of its vertex.
pub(super) fn access_own_variable(
    io: &mut Io<'_>,
    variable: ValueWord,
    target: &OutputPlace,
) -> ValueWord {
    // Outputs per vertex are arrays in this stage, of which an invocation may write its own element
    // only.
    if io.program.stage != Stage::TessControl {
        return variable;
    }
    let operands = [variable.0, io.own_vertex().0];
    let ty = io.w.ty(target.scalar, target.size);
    io.w.chain(StorageClass::Output, ty, &operands)
}

/// Returns true if the output is the distance of a disabled clip plane, in a program that clips by
/// enabled ones only.
pub(super) fn is_disabled(program: &Program, options: &Options, semantic: Semantic) -> bool {
    let Semantic::ClipDistance(plane) = semantic else {
        return false;
    };
    let planes = u32::from(options.fixed.clip_planes);
    let is_enabled = planes.checked_shr(plane.into()).unwrap_or(0) & 1 != 0;
    program.modes.enabled_clip_distances && !is_enabled
}

/// Chooses the variable of the color of an attachment.
pub(super) fn choose_color_target(
    program: &Program,
    options: &Options,
    id: OutputId,
    buffer: u8,
) -> OutputPlace {
    let declared = options.interface.colors.get(usize::from(buffer));
    let output = program.outputs[id];
    let base = declared.copied().unwrap_or(output.base);
    OutputPlace::varying(&Place::vector(output.semantic, buffer.into(), base))
}

pub(super) fn choose_output_target(io: &mut Io<'_>, id: OutputId) -> Result<OutputPlace, Failure> {
    let semantic = io.program.outputs[id].semantic;
    if let (Stage::Fragment, Semantic::FragColor { buffer, .. }) = (io.program.stage, semantic) {
        return Ok(choose_color_target(io.program, io.options, id, buffer));
    }
    // Recorded for the modes, which must declare it (VUID-FragDepth-FragDepth-04216).
    io.vars.outputs.writes_depth |= semantic == Semantic::FragDepth;
    io.vars.outputs.writes_stencil |= semantic == Semantic::FragStencil;
    if let Some(target) = builtin_output(io.program.stage, semantic) {
        require_output(io, semantic)?;
        return Ok(target);
    }
    let varyings = &io.options.interface.outputs;
    let place = varyings.place(semantic);
    let has_varyings = match io.program.stage {
        Stage::TessControl => true,
        Stage::Vertex | Stage::TessEval | Stage::Geometry => !semantic.is_per_patch(),
        Stage::Fragment | Stage::Compute => false,
    };
    match place.filter(|_| has_varyings) {
        Some(place) => Ok(OutputPlace::varying(&place)),
        None => Err(Error::unsupported(format!(
            "{semantic:?} is no output of {} programs",
            io.program.stage.name()
        ))),
    }
}

/// Requires the capabilities of built-in outputs. Returns an error if the device lacks one.
fn require_output(io: &mut Io<'_>, semantic: Semantic) -> Result<(), Failure> {
    let stage = io.program.stage;
    if semantic == Semantic::PointSize && stage != Stage::Vertex {
        // One feature covers both stages.
        Need::GeometryPointSize.check(&io.w.device)?;
        io.need_point_size();
    }
    let need = match (stage, semantic) {
        // In other stages the built-in has a separate capability: `require_layer_output`.
        (Stage::Geometry, Semantic::ViewportIndex) => Need::MultiViewport,
        (Stage::Fragment, Semantic::FragStencil) => Need::StencilExport,
        _ => return Ok(()),
    };
    io.w.require(need)
}

fn decorate_output(io: &mut Io<'_>, output: &Output, target: &OutputPlace, variable: ValueWord) {
    if let Some(builtin) = target.builtin {
        io.w.decorate_builtin(variable, builtin);
    }
    if let Some(location) = target.location {
        io.w.decorate(variable, Decoration::Location, &[location]);
    }
    // Without the decoration the component is 0.
    if target.component > 0 {
        let component = u32::from(target.component);
        io.w.decorate(variable, Decoration::Component, &[component]);
    }
    if let Semantic::FragColor { index, .. } = output.semantic
        // Without the decoration `Index` is 0.
        && index > 0
    {
        io.w.decorate(variable, Decoration::Index, &[u32::from(index)]);
    }
    if output.semantic == Semantic::SampleMask && io.program.modes.sample_mask_override {
        io.w.needs.insert(Need::SampleMaskOverride);
        io.w.decorate(variable, Decoration::OverrideCoverageNV, &[]);
    }
    if output.invariant {
        io.w.decorate(variable, Decoration::Invariant, &[]);
    }
}

/// Returns an error if another varying of the same location is written. Built-in outputs and colors
/// of fragments, whose locations are numbers of attachments, are not varyings.
fn check_location(io: &Io<'_>, id: OutputId) -> Result<(), Failure> {
    let semantic = io.program.outputs[id].semantic;
    let declared = io.program.outputs.iter_enumerated();
    let declared = declared
        .filter(|(other, _)| *other != id && io.vars.outputs.variables[other.index()].is_some());
    let others = declared.map(|(_, other)| other.semantic);
    io.options.interface.outputs.check_apart(semantic, others)
}

/// Declares the array of distances that contains an output.
pub(super) fn declare_distance(
    io: &mut Io<'_>,
    id: OutputId,
    distances: Distances,
) -> Result<(), Failure> {
    let semantic = io.program.outputs[id].semantic;
    if matches!(io.program.stage, Stage::Fragment | Stage::Compute) {
        let stage = io.program.stage.name();
        let message = format!("{semantic:?} is no output of {stage} programs");
        return Err(Error::unsupported(message));
    }
    if !io.vars.outputs.distances[distances as usize].is_some() {
        declare_distances(io, distances);
    }
    // Each distance is reflected separately, although all are one variable.
    if !io.vars.outputs.variables[id.index()].is_some() {
        let output = io.program.outputs[id];
        io.vars.outputs.variables[id.index()] = io.vars.outputs.distances[distances as usize];
        io.vars.reflect_output(&output, None, Scalar::F32, 1);
        let per_vertex = io.program.stage == Stage::TessControl;
        io.vars.reflected_per_vertex(per_vertex);
    }
    Ok(())
}

/// Declares the type of the distances from the planes of a program.
pub(super) fn declare_distance_array(io: &mut Io<'_>, distances: Distances) -> TypeWord {
    let float = io.w.ty(Scalar::F32, 1);
    let semantics = io.program.outputs.iter().map(|output| output.semantic);
    let len =
        distances.len(semantics.filter(|&semantic| !is_disabled(io.program, io.options, semantic)));
    io.w.declare_array(float, len)
}

/// Initializes the distances of planes that the program does not write to 0, which neither clips
/// nor culls.
fn declare_distances(io: &mut Io<'_>, distances: Distances) {
    io.w.needs.insert(Need::of(distances));
    let mut array = declare_distance_array(io, distances);
    let is_patch = io.program.stage == Stage::TessControl;
    if is_patch {
        array = io.w.declare_array(array, io.program.modes.vertices_out);
    }
    let variable = io.variable(StorageClass::Output, array);
    io.w.decorate_builtin(variable, distances.builtin());
    io.vars.outputs.distances[distances as usize] = variable;
    if is_patch {
        // Nothing is clipped in this stage, and the other vertices belong to other invocations.
        return;
    }
    // In the prologue, before any store of the program.
    let zero = io.w.null(array);
    io.w.prologue.op(Spv::Store, &[variable.0, zero.0]);
}

/// Returns lanes of which those in `write` are equal to the given ones, as values that no other
/// output has and that compilers must assume to differ between invocations. OpenGL linkers merge
/// two outputs if the only value stored in either is the same, even if the conditions of the stores
/// differ (Mesa 25.0), and do not interpolate outputs of geometry programs whose only store, in a
/// loop, has a value that all invocations share (Mesa 25.0 to 26.2).
pub(super) fn make_own_values(
    f: &mut FunctionEmitter<'_>,
    id: OutputId,
    scalar: Scalar,
    write: u8,
    mut values: [Lane; 4],
) -> [Lane; 4] {
    // No draw reaches the number to which the values are compared, which compilers cannot know.
    let number = match f.program.stage {
        _ if !f.options.target.is_opengl() => return values,
        Stage::TessControl => f.io().patch_number(),
        Stage::Geometry if f.analysis.has_loops => f.io().own_vertex(),
        Stage::Vertex | Stage::TessEval | Stage::Geometry | Stage::Fragment | Stage::Compute => {
            return values;
        }
    };
    let number = f.w.val(number);
    let unreached = u64::from(u32::MAX) - id.index() as u64;
    let is_other = f.w.compare_bits(Spv::INotEqual, number, unreached);
    for lane in WriteMask(write).lanes() {
        let value = f.w.lane_val(values[lane], scalar);
        if !f.w.is_constant(value.id) {
            let zero = f.w.constant_like(value, 0);
            values[lane] = f.w.select(is_other, value, zero).lane(0);
        }
    }
    values
}

/// Returns the variable of a built-in output, or `None` for other outputs.
pub(super) fn builtin_output(stage: Stage, semantic: Semantic) -> Option<OutputPlace> {
    let makes_vertices = !matches!(stage, Stage::Fragment | Stage::Compute);
    // A control program passes such outputs as varyings, if at all.
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
    w: &mut ValueBuilder,
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
    w: &mut ValueBuilder,
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
