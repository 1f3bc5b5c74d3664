//! Variables of outputs: their selection and declaration.

use crate::builder::{Lane, Scalar, ValueBuilder};
use crate::capability::Requirement;
use crate::emit::context::{FunctionEmitter, OutputEmitter};
use crate::error::{Error, Failure};
use crate::interface::inputs::are_colors_flat;
use crate::interface::names::output_name;
use crate::interface::{Io, base_scalar};
use crate::options::Options;
use crate::spirv_writer::{TypeWord, ValueWord};
use crate::varyings::{DistanceKind, VaryingLocation, Varyings, written_lanes};
use glasm_ir::arena::Id;
use glasm_ir::{Interpolation, Output, OutputId, Program, Semantic, Stage, WriteMask};
use spirv::{BuiltIn, Decoration, Op as Spv, StorageClass};

/// Variable of an output.
pub(super) struct OutputTarget {
    pub(super) builtin: Option<BuiltIn>,
    pub(super) location: Option<u32>,
    /// First component at the location.
    component: u8,
    pub(super) scalar: Scalar,
    pub(super) size: u8,
    /// First lane stored.
    pub(super) first: usize,
}

impl OutputTarget {
    /// Returns the target of an output that is a varying at this location.
    pub(super) fn from_varying(varying: &VaryingLocation) -> Self {
        Self {
            builtin: None,
            location: Some(varying.location),
            component: varying.first_component,
            scalar: base_scalar(varying.base_type),
            size: varying.component_count,
            first: 0,
        }
    }
}

impl OutputTarget {
    /// Returns a mask of the lanes of the output that are stored in the variable.
    pub(super) fn lane_mask(&self) -> u8 {
        ((1 << self.size) - 1) << self.first
    }
}

impl OutputEmitter<'_, '_> {
    /// Returns true if any instruction writes an output.
    pub(super) fn is_written(&self, output: OutputId) -> bool {
        let mut registers = self.function.program.output_registers();
        registers.any(|(id, outputs)| {
            self.function.analysis.written[id.index()] && outputs.contains(&output.index())
        })
    }

    /// Returns the variable of an output, which it declares on first use. Returns an error if its
    /// location conflicts with another varying.
    pub(super) fn get_output_variable(
        &mut self,
        id: OutputId,
        target: &OutputTarget,
    ) -> Result<ValueWord, Failure> {
        let known = self.function.interface.outputs.variables[id.index()];
        if known.is_some() {
            return Ok(known);
        }
        let variable = self.declare_output(id, target)?;
        self.function.interface.outputs.variables[id.index()] = variable;
        Ok(variable)
    }

    /// Declares, decorates, names and reflects the variable of an output, and decorates it for
    /// transform feedback if that captures the variable itself. In tessellation control programs an
    /// output per vertex is an array. Returns an error if its location conflicts with another
    /// varying.
    pub(super) fn declare_output(
        &mut self,
        id: OutputId,
        target: &OutputTarget,
    ) -> Result<ValueWord, Failure> {
        let output = self.function.program.outputs[id];
        check_location(&self.function.io(), id)?;
        let mut ty = self.function.builder.get_type(target.scalar, target.size);
        // In SPIR-V these built-ins are arrays of words.
        if matches!(
            output.semantic,
            Semantic::SampleMask | Semantic::ViewportMask
        ) {
            ty = self.function.builder.declare_array(ty, 1);
        }
        let is_shared = output.semantic.is_per_patch();
        let per_vertex = self.function.program.stage == Stage::TessControl && !is_shared;
        if per_vertex {
            ty = self
                .function
                .builder
                .declare_array(ty, self.function.program.modes.vertices_out);
        }
        let variable = self
            .function
            .io()
            .declare_in_out_variable(StorageClass::Output, ty);
        decorate_output(&mut self.function.io(), &output, target, variable);
        if target.location.is_some() {
            decorate_text_interpolation(&mut self.function.io(), variable, output.semantic);
        }
        self.capture_in_place(output.semantic, variable);
        self.function
            .builder
            .name_object(variable, || output_name(output.semantic));
        if is_shared {
            self.function
                .builder
                .decorate(variable, Decoration::Patch, &[]);
        }
        self.function.interface.reflect_output(
            &output,
            target.location,
            target.scalar,
            target.size,
        );
        self.function
            .interface
            .set_last_output_per_vertex(per_vertex);
        Ok(variable)
    }
}

/// Decorates an output of vertices with the interpolation of the fragment stage, in modules that are
/// written in a shading language. GLSL before 4.40, GLSL ES and WebGPU require the same qualifiers in
/// both stages; in SPIR-V they have no effect.
pub(super) fn decorate_text_interpolation(
    io: &mut Io<'_>,
    variable: ValueWord,
    semantic: Semantic,
) {
    let is_before_rasterization = match io.program.stage {
        Stage::Vertex | Stage::TessEval | Stage::Geometry => true,
        Stage::TessControl | Stage::Fragment | Stage::Compute => false,
    };
    if !is_before_rasterization {
        return;
    }
    match find_text_interpolation(io.options, semantic) {
        Interpolation::Smooth => {}
        Interpolation::NoPerspective => {
            io.builder
                .decorate(variable, Decoration::NoPerspective, &[]);
        }
        Interpolation::Flat => io.builder.decorate(variable, Decoration::Flat, &[]),
    }
}

/// Returns the interpolation that the fragment stage declares for a varying if modules are written
/// in a shading language, otherwise `Smooth`. In a stage that is compiled alone, it follows from
/// the state: colors may be flat, and the varyings that state adds are.
fn find_text_interpolation(options: &Options, semantic: Semantic) -> Interpolation {
    let Some(target) = &options.text_target else {
        return Interpolation::Smooth;
    };
    let is_alone = match options.interface.outputs {
        Varyings::FixedTable | Varyings::AllLocations(_) => true,
        Varyings::Packed(_) | Varyings::Explicit(_) => false,
    };
    let is_color = matches!(semantic, Semantic::Color(_) | Semantic::BackColor(_));
    let is_added = matches!(
        semantic,
        Semantic::FlatColor(_) | Semantic::FlatBackColor(_) | Semantic::LineStippleStart
    );
    if is_alone && (is_added || is_color && are_colors_flat(options)) {
        return Interpolation::Flat;
    }
    let mut known = target.interpolations.iter();
    let found = known.find(|(varying, _)| *varying == semantic);
    found.map_or(Interpolation::Smooth, |(_, interpolation)| *interpolation)
}

/// Returns a pointer to the part of a variable that the invocation writes: in a tessellation
/// control program the element of its vertex.
pub(super) fn compute_own_pointer(
    io: &mut Io<'_>,
    variable: ValueWord,
    target: &OutputTarget,
) -> ValueWord {
    // Outputs per vertex are arrays in this stage, of which an invocation may write its own element
    // only.
    if io.program.stage != Stage::TessControl {
        return variable;
    }
    let operands = [variable.0, io.load_invocation_id().0];
    let ty = io.builder.get_type(target.scalar, target.size);
    io.builder
        .emit_access_chain(StorageClass::Output, ty, &operands)
}

/// Returns true if the output is the distance of a disabled clip plane, in a program that clips by
/// enabled ones only.
pub(super) fn is_disabled(program: &Program, options: &Options, semantic: Semantic) -> bool {
    let Semantic::ClipDistance(plane) = semantic else {
        return false;
    };
    let planes = u32::from(options.pipeline_state.clip_plane_mask);
    let is_enabled = planes.checked_shr(plane.into()).unwrap_or(0) & 1 != 0;
    program.modes.enabled_clip_distances && !is_enabled
}

/// Returns the output variable to declare for the color of attachment `buffer`: at the location of
/// that attachment, with the component type that the options declare for it, or else the type of
/// the program's output.
pub(super) fn choose_color_target(
    program: &Program,
    options: &Options,
    id: OutputId,
    buffer: u8,
) -> OutputTarget {
    let declared = options.interface.colors.get(usize::from(buffer));
    let output = program.outputs[id];
    let base = declared.copied().unwrap_or(output.base);
    OutputTarget::from_varying(&VaryingLocation::vector(
        output.semantic,
        buffer.into(),
        base,
    ))
}

/// Returns the built-in or location of an output. Records that depth or stencil is written, and
/// adds the requirements of built-ins. Returns an error if the stage lacks the output or the device
/// does not support it.
pub(super) fn choose_output_target(io: &mut Io<'_>, id: OutputId) -> Result<OutputTarget, Failure> {
    let semantic = io.program.outputs[id].semantic;
    if let (Stage::Fragment, Semantic::FragColor { buffer, .. }) = (io.program.stage, semantic) {
        return Ok(choose_color_target(io.program, io.options, id, buffer));
    }
    // Recorded for the modes, which must declare it (VUID-FragDepth-FragDepth-04216).
    io.interface.outputs.writes_depth |= semantic == Semantic::FragDepth;
    io.interface.outputs.writes_stencil |= semantic == Semantic::FragStencil;
    if let Some(target) = find_builtin_output(io.program.stage, semantic) {
        require_output(io, semantic)?;
        return Ok(target);
    }
    let varyings = &io.options.interface.outputs;
    let varying = varyings.find_varying(semantic);
    let has_varyings = match io.program.stage {
        Stage::TessControl => true,
        Stage::Vertex | Stage::TessEval | Stage::Geometry => !semantic.is_per_patch(),
        Stage::Fragment | Stage::Compute => false,
    };
    match varying.filter(|_| has_varyings) {
        Some(varying) => Ok(OutputTarget::from_varying(&varying)),
        None => Err(Error::unsupported(format!(
            "{semantic:?} is not an output of {} programs",
            io.program.stage.name()
        ))),
    }
}

/// Adds the requirements of a built-in output; most have none. Returns an error if the device lacks
/// one.
fn require_output(io: &mut Io<'_>, semantic: Semantic) -> Result<(), Failure> {
    let stage = io.program.stage;
    if semantic == Semantic::PointSize && stage != Stage::Vertex {
        // One feature covers both stages.
        Requirement::GeometryPointSize.check(&io.builder.device)?;
        io.require_point_size();
    }
    let requirement = match (stage, semantic) {
        // In other stages the built-in has a separate capability: `require_layer_output`.
        (Stage::Geometry, Semantic::ViewportIndex) => Requirement::MultiViewport,
        (Stage::Fragment, Semantic::FragStencil) => Requirement::StencilExport,
        _ => return Ok(()),
    };
    io.builder.require(requirement)
}

/// Decorates an output variable with built-in, location, component, color index, invariance, and
/// the override of coverage by a sample mask, to the extent that they apply. The override adds a
/// requirement.
fn decorate_output(io: &mut Io<'_>, output: &Output, target: &OutputTarget, variable: ValueWord) {
    if let Some(builtin) = target.builtin {
        io.builder.decorate_builtin(variable, builtin);
    }
    if let Some(location) = target.location {
        io.builder
            .decorate(variable, Decoration::Location, &[location]);
    }
    // Without the decoration the component is 0.
    if target.component > 0 {
        let component = u32::from(target.component);
        io.builder
            .decorate(variable, Decoration::Component, &[component]);
    }
    if let Semantic::FragColor { index, .. } = output.semantic
        // Without the decoration `Index` is 0.
        && index > 0
    {
        io.builder
            .decorate(variable, Decoration::Index, &[u32::from(index)]);
    }
    if output.semantic == Semantic::SampleMask && io.program.modes.sample_mask_override {
        io.builder
            .requirements
            .insert(Requirement::SampleMaskOverride);
        io.builder
            .decorate(variable, Decoration::OverrideCoverageNV, &[]);
    }
    if output.invariant {
        io.builder.decorate(variable, Decoration::Invariant, &[]);
    }
}

/// Returns an error if an output variable that has been declared needs the same location. Built-in
/// outputs and colors of fragments, whose locations are numbers of attachments, are not varyings
/// and never conflict.
fn check_location(io: &Io<'_>, id: OutputId) -> Result<(), Failure> {
    let semantic = io.program.outputs[id].semantic;
    let declared = io.program.outputs.iter_enumerated();
    let declared = declared.filter(|(other, _)| {
        *other != id && io.interface.outputs.variables[other.index()].is_some()
    });
    let others = declared.map(|(_, other)| other.semantic);
    io.options
        .interface
        .outputs
        .check_no_overlap(semantic, others)
}

/// Declares the array of distances that contains an output on the first use of the array, and
/// reflects the output on its own first use. Returns an error in stages without distances.
pub(super) fn declare_distance(
    io: &mut Io<'_>,
    id: OutputId,
    distances: DistanceKind,
) -> Result<(), Failure> {
    let semantic = io.program.outputs[id].semantic;
    if matches!(io.program.stage, Stage::Fragment | Stage::Compute) {
        let stage = io.program.stage.name();
        let message = format!("{semantic:?} is not an output of {stage} programs");
        return Err(Error::unsupported(message));
    }
    if !io.interface.outputs.distances[distances as usize].is_some() {
        declare_distances(io, distances);
    }
    // Each distance is reflected separately, although all are one variable.
    if !io.interface.outputs.variables[id.index()].is_some() {
        let output = io.program.outputs[id];
        io.interface.outputs.variables[id.index()] =
            io.interface.outputs.distances[distances as usize];
        io.interface.reflect_output(&output, None, Scalar::F32, 1);
        let per_vertex = io.program.stage == Stage::TessControl;
        io.interface.set_last_output_per_vertex(per_vertex);
    }
    Ok(())
}

/// Declares the array type of the distances of a kind, which contains the planes of the outputs
/// that are not disabled.
pub(super) fn declare_distance_array(io: &mut Io<'_>, distances: DistanceKind) -> TypeWord {
    let float = io.builder.get_type(Scalar::F32, 1);
    let semantics = io.program.outputs.iter().map(|output| output.semantic);
    let len =
        distances.len(semantics.filter(|&semantic| !is_disabled(io.program, io.options, semantic)));
    io.builder.declare_array(float, len)
}

/// Declares the array of distances of a kind with its requirement and stores 0, which neither clips
/// nor culls, to all elements in the prologue. In tessellation control programs it has an array for
/// each vertex and is not initialized.
fn declare_distances(io: &mut Io<'_>, distances: DistanceKind) {
    io.builder
        .requirements
        .insert(Requirement::for_distances(distances));
    let mut array = declare_distance_array(io, distances);
    let is_patch = io.program.stage == Stage::TessControl;
    if is_patch {
        array = io
            .builder
            .declare_array(array, io.program.modes.vertices_out);
    }
    let variable = io.declare_in_out_variable(StorageClass::Output, array);
    io.builder.decorate_builtin(variable, distances.builtin());
    io.interface.outputs.distances[distances as usize] = variable;
    if is_patch {
        // Nothing is clipped in this stage, and the other vertices belong to other invocations.
        return;
    }
    // In the prologue, before any store of the program.
    let zero = io.builder.null_constant(array);
    io.builder
        .prologue
        .push_inst(Spv::Store, &[variable.0, zero.0]);
}

/// Returns `values`; for OpenGL, the lanes in `write` of control programs, and of geometry programs
/// with loops, are selections between the value and zero. The condition is always true, but
/// compilers cannot know this, and it is a different one for each output: so they must assume that
/// outputs differ from each other and between invocations.
///
/// OpenGL linkers merge two outputs if the only value stored in either is the same, even if the
/// conditions of the stores differ (Mesa 25.0), and do not interpolate outputs of geometry programs
/// whose only store, in a loop, has a value that all invocations share (Mesa 25.0 to 26.2).
pub(super) fn make_values_distinct(
    function: &mut FunctionEmitter<'_>,
    id: OutputId,
    scalar: Scalar,
    write: u8,
    mut values: [Lane; 4],
) -> [Lane; 4] {
    // No draw reaches the number to which the values are compared, which compilers cannot know.
    let number = match function.program.stage {
        _ if !function.options.target.is_opengl() => return values,
        Stage::TessControl => function.io().load_patch_id(),
        Stage::Geometry if function.analysis.has_loops => function.io().load_invocation_id(),
        Stage::Vertex | Stage::TessEval | Stage::Geometry | Stage::Fragment | Stage::Compute => {
            return values;
        }
    };
    let number = function.builder.val(number);
    let unreached = u64::from(u32::MAX) - id.index() as u64;
    let is_other = function
        .builder
        .emit_compare_bits(Spv::INotEqual, number, unreached);
    for lane in WriteMask(write).lanes() {
        let value = function.builder.read_lane_val(values[lane], scalar);
        if !function.builder.is_constant(value.id) {
            let zero = function.builder.constant_like(value, 0);
            values[lane] = function.builder.emit_select(is_other, value, zero).lane(0);
        }
    }
    values
}

/// Returns the variable of a built-in output, or `None` for other outputs. Built-ins that the stage
/// lacks also are `None`.
pub(super) fn find_builtin_output(stage: Stage, semantic: Semantic) -> Option<OutputTarget> {
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
    Some(OutputTarget {
        builtin: Some(builtin),
        location: None,
        component: 0,
        scalar,
        size,
        // Depth and stencil value are not the first lanes of their results.
        first: written_lanes(semantic).trailing_zeros() as usize,
    })
}

/// Stores the lanes that a target covers, from its first one on, through a pointer, as a scalar or
/// a vector of its type.
pub(super) fn store_output_lanes(
    builder: &mut ValueBuilder,
    pointer: ValueWord,
    target: &OutputTarget,
    lanes: [Lane; 4],
) {
    let part = &lanes[target.first..target.first + target.size as usize];
    let value = if target.size == 1 {
        builder.read_lane(part[0], target.scalar)
    } else {
        builder.gather_vector(part, target.scalar).id
    };
    builder.emit_store(pointer, value);
}

/// Emits the pointer to element `index`, a constant, of an output array of scalars.
pub(super) fn compute_element_pointer(
    builder: &mut ValueBuilder,
    variable: ValueWord,
    scalar: Scalar,
    index: u32,
) -> ValueWord {
    let ty = builder.get_type(scalar, 1);
    let pointer_ty = builder.pointer_type(StorageClass::Output, ty);
    let index = builder.constant_u32(index);
    let pointer = builder.new_object();
    builder.body.push_result_inst(
        Spv::AccessChain,
        pointer_ty,
        pointer,
        &[variable.0, index.0],
    );
    pointer
}
