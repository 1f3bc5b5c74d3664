//! Preparation of draws: selects the programs and the pipeline, uses it and uploads its parameters.
//!
//! [`DrawState`] combines the caches of a context, each with its own module: pipelines
//! (`draw::pipeline_cache`), upload of parameters (`draw::parameter_upload`), pairing with shaders
//! of the application (`mixed_pipeline`), textures (`texture_state`) and state that differs from
//! that of the application while a pipeline is in use (`temporary_state`).

mod parameter_upload;
mod pipeline_cache;
mod select_pipeline;

pub(crate) use select_pipeline::{purge_deleted, purge_program};

use crate::compute::ComputeKey;
use crate::context::{State, StateGroups};
use crate::ffi::driver_state::ImageUnit;
use crate::ffi::{driver, driver_state};
use crate::log;
use crate::mixed_pipeline::{self, MixedPipeline};
use crate::pipeline::{Pipeline, Programs, STAGES, TARGETS_OF_STAGES};
use crate::pixel_programs::PixelPrograms;
use crate::primitives::PrimitiveClass;
use crate::program_commands::INVALID_OPERATION;
use crate::register_combiners;
use crate::settings;
use crate::share_group::OrphanedObjects;
use crate::state_snapshot;
use crate::target::{TARGETS, Target, TargetProperties};
use crate::temporary_state::OverriddenState;
use crate::temporary_state::{self, Materials};
use crate::texture_shaders;
use crate::texture_state::LookupState;
use crate::transform_feedback::FeedbackState;
use glasm::Compiler;
use glasm_settings::Setting;
use parameter_upload::{ParameterUpload, ParameterValues};
use pipeline_cache::{DrawKind, PipelineCache};
use select_pipeline::select_pipeline;
use std::sync::Arc;

/// Groups of state that decide about any pipeline.
const ALWAYS_SELECTING: StateGroups = StateGroups::PROGRAMS
    .union(StateGroups::RASTER)
    .union(StateGroups::ENABLES)
    .union(StateGroups::FRAMEBUFFER);

/// Program objects that draw in a context.
#[derive(Default)]
pub(crate) struct DrawState {
    selection: ProgramSelection,
    current_draw: CurrentDraw,
    pipelines: PipelineCache,
    parameter_upload: ParameterUpload,
    /// Program object of this library that is in use; 0 if that of the application is.
    current_program: u32,
    pub(crate) mixed_pipeline: MixedPipeline,
    pub(crate) lookups: LookupState,
    pub(crate) overridden_state: OverriddenState,
    /// Image units that pipelines use, with the images that the application has bound there.
    pub(crate) saved_images: Vec<(u32, ImageUnit)>,
    /// Numbered arrays that were enabled instead of conventional ones.
    pub(crate) enabled_arrays: u32,
    /// Materials that change between `Begin` and `End`.
    pub(crate) materials: Materials,
    /// Vertex programs that draw pixels.
    pub(crate) pixel_programs: PixelPrograms,
    pub(crate) feedback: FeedbackState,
    pub(crate) compiler: Compiler,
}

/// Programs that draw, by the enabled targets and the shaders of the application.
#[derive(Default)]
struct ProgramSelection {
    /// `None` if the programs of the driver draw, or shaders of the application.
    programs: Option<Programs>,
    /// True if a program is enabled that does not exist.
    is_invalid: bool,
}

impl ProgramSelection {
    /// Returns true if the selected programs include a geometry program.
    fn has_geometry(&self) -> bool {
        let geometry = |programs: &Programs| programs[STAGES - 2].is_some();
        self.programs.as_ref().is_some_and(geometry)
    }
}

/// State of the draw that is prepared.
#[derive(Default)]
struct CurrentDraw {
    /// True if the draw is an error of this library.
    is_rejected: bool,
    /// Mode, and the one that the driver draws instead.
    mode_replacement: Option<(u32, u32)>,
    /// True if the vertices are sent individually.
    is_immediate: bool,
}

impl DrawState {
    /// Returns the objects of the driver that another context deletes after this one is deleted:
    /// the program objects of its pipelines and its parameter buffer, which this state then no
    /// longer has.
    pub(crate) fn take_orphaned_objects(&mut self) -> OrphanedObjects {
        OrphanedObjects {
            programs: self.pipelines.program_objects(),
            buffer: self.parameter_upload.take_buffer(),
            sync_objects: Vec::new(),
        }
    }

    /// Records the programs whose textures decide about lookups, and sets the groups of state whose
    /// changes require another pipeline of these programs.
    fn set_selecting_groups(&mut self, programs: &Programs) {
        let loaded = programs
            .iter()
            .flatten()
            .filter_map(|it| it.load_translated());
        let lookups = self.lookups.set_programs(loaded);
        let [vertex, _, evaluation, geometry, fragment] = programs.each_ref().map(Option::is_some);
        let mut deciding = ALWAYS_SELECTING | lookups;
        if !fragment {
            deciding |= StateGroups::TEXTURE | StateGroups::TEXENV | StateGroups::FOG;
        }
        if !vertex {
            deciding |= StateGroups::FOG
                | StateGroups::LIGHT
                | StateGroups::MATERIAL
                | StateGroups::TEXGEN
                | StateGroups::POINT;
        }
        if evaluation || geometry {
            deciding |= StateGroups::PATCH;
        }
        self.pipelines.set_selecting_groups(deciding);
    }

    /// Makes the program object of a pipeline current in the driver, alone or combined with the
    /// application's program, unless it is current.
    fn make_program_current(&mut self, pipeline: &Pipeline, application_program: u32) {
        if self.current_program == pipeline.program {
            return;
        }
        match pipeline.stage_group {
            None => self.feedback.use_program(pipeline.program),
            Some(group) => self
                .mixed_pipeline
                .bind(group, pipeline.program, application_program),
        }
        self.current_program = pipeline.program;
    }

    /// Removes and returns the compute pipeline if it has this key; otherwise returns the name of
    /// the program object of the pipeline that it drops, if there is one.
    pub(crate) fn take_compute(&mut self, key: &ComputeKey) -> Result<Pipeline, Option<u32>> {
        self.pipelines.take_compute(key)
    }

    /// Stores `pipeline` as the only compute pipeline; replaces the previous one.
    /// [`Self::take_compute`] returns it if it is called with the same key.
    pub(crate) fn put_back_compute(&mut self, key: ComputeKey, pipeline: Pipeline) {
        self.pipelines.put_back_compute(key, pipeline);
    }
}

/// Returns true if this library executes all programs, including those of ARB that the driver
/// supports: `GLASM_COMPILE_ARB_PROGRAMS=1`.
pub(crate) fn emulates_all_programs() -> bool {
    settings::current().flag(Setting::CompileArbPrograms)
}

/// Handling of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DrawDecision {
    /// The driver draws.
    Forward,
    /// The draw is an error, and nothing is drawn.
    Skip,
}

/// Prepares the programs and state of a draw, now or, while a list is compiled, when the list is
/// called, and returns whether the driver shall execute it. `primitive` is its mode, `None` for
/// draws whose mode is unknown, such as lists. A rejected draw has recorded `GL_INVALID_OPERATION`.
#[inline]
pub(crate) fn prepare_draw(state: &mut State, primitive: Option<u32>) -> DrawDecision {
    state.draw_state.current_draw.mode_replacement = None;
    state.draw_state.current_draw.is_rejected = false;
    if state.recording.is_none() || state.record_draw(primitive) {
        prepare_programs(state, primitive);
    }
    state.draw_state.feedback.record_draw();
    if state.recording.as_ref().is_some_and(|it| it.has_geometry) {
        // Lists contain the primitives that the driver draws with the geometry program that is
        // enabled while they are compiled.
        let shape = PrimitiveClass::from_mode(primitive);
        state.draw_state.current_draw.mode_replacement = shape
            .mode_replacement()
            .or(state.draw_state.current_draw.mode_replacement);
    }
    if state.draw_state.current_draw.is_rejected {
        DrawDecision::Skip
    } else {
        DrawDecision::Forward
    }
}

/// Prepares primitives of a mode whose vertices are sent individually, as [`prepare_draw`];
/// materials are vertex attributes of the pipeline then, because they may change between the
/// vertices.
pub(crate) fn prepare_vertices(state: &mut State, mode: u32) -> DrawDecision {
    state.draw_state.current_draw.is_immediate = true;
    let draw = prepare_draw(state, Some(mode));
    state.draw_state.current_draw.is_immediate = false;
    draw
}

/// Prepares the draws of a list, now, with the errors of [`prepare_programs`]. All vertices of
/// lists are sent individually, including those of arrays, so that materials are vertex attributes
/// of the pipeline.
pub(crate) fn prepare_list(state: &mut State, primitive: Option<u32>) {
    state.draw_state.current_draw.is_immediate = true;
    prepare_programs(state, primitive);
    state.draw_state.current_draw.is_immediate = false;
}

/// Returns the programs that draw pixels and raster positions, if one of them is of this library;
/// `None` if the driver or shaders of the application do. `Err` if a program is enabled that does
/// not exist: `GL_INVALID_OPERATION` is recorded.
pub(crate) fn select_programs(state: &mut State) -> Result<Option<Programs>, ()> {
    if needs_selection(state) {
        select_enabled_programs(state);
    }
    if state.draw_state.selection.is_invalid {
        state.record_error(INVALID_OPERATION);
        return Err(());
    }
    // If shaders of the application draw, the driver draws pixels.
    let programs = state.draw_state.selection.programs.as_ref();
    Ok(programs
        .filter(|_| state.draw_state.mixed_pipeline.group.is_none())
        .cloned())
}

/// Restores the application's state in the driver and disables the targets with programs of this
/// library there, for commands that the programs do not affect or do not support: raster positions
/// and pixels of the driver. Returns which targets are disabled, for [`resume_programs`]. Does
/// nothing while a list is compiled and between `Begin` and `End`.
pub(crate) fn suspend_programs(state: &mut State) -> [bool; TARGETS.len()] {
    if state.recording.is_some() || state.is_inside_begin_end {
        return [false; TARGETS.len()];
    }
    restore_application_state(state);
    TARGETS.each_ref().map(|row| {
        let bound = state.target_state(row.target);
        // A program that does not exist is an error that the driver reports.
        let is_emulated = bound.enabled
            && row.is_driver_supported
            && bound.program.string_serial() != 0
            && !bound.program.contents().is_driver_program;
        if is_emulated {
            driver::Disable(row.enumerant);
        }
        is_emulated
    })
}

/// Enables the programs again that [`suspend_programs`] has disabled.
pub(crate) fn resume_programs(disabled: [bool; TARGETS.len()]) {
    for (row, _) in TARGETS
        .iter()
        .zip(disabled)
        .filter(|(_, disabled)| *disabled)
    {
        driver::Enable(row.enumerant);
    }
}

/// Returns true if a geometry program is enabled and processes the vertices, or, while a list is
/// compiled, if one is enabled at this point of the list.
pub(crate) fn has_geometry(state: &State) -> bool {
    match &state.recording {
        Some(recording) => recording.has_geometry,
        None => {
            state.capabilities.works
                && mixed_pipeline::processes_vertices(state)
                && state.target_state(Target::Geometry).enabled
        }
    }
}

/// Returns the mode that the driver draws instead of `mode` in the draw that was prepared last;
/// `mode` itself if it is not replaced.
pub(crate) fn replacement_mode(state: &State, mode: u32) -> u32 {
    match state.draw_state.current_draw.mode_replacement {
        Some((replaced, other)) if replaced == mode => other,
        _ => mode,
    }
}

/// Selects the pipeline of the enabled programs, makes it current in the driver, uploads its
/// parameters, and applies the arrays and materials that it reads. If none of the programs is of
/// this library, restores the application's state. Records `GL_INVALID_OPERATION` and marks the
/// draw as rejected if an enabled program does not exist or the programs form no pipeline. Does
/// nothing between `Begin` and `End`.
pub(crate) fn prepare_programs(state: &mut State, primitive: Option<u32>) {
    if state.is_inside_begin_end {
        return;
    }
    if needs_selection(state) {
        select_enabled_programs(state);
    }
    if state.draw_state.selection.is_invalid {
        state.draw_state.current_draw.is_rejected = true;
        state.record_error(INVALID_OPERATION);
        return restore_application_state(state);
    }
    if state.draw_state.selection.programs.is_none() {
        return restore_application_state(state);
    }
    let has_geometry = state.draw_state.selection.has_geometry();
    let shape = PrimitiveClass::from_mode(primitive).for_pipeline(has_geometry);
    if state
        .changed_since_selection
        .contains(StateGroups::FRAMEBUFFER)
    {
        refresh_fragment_origin(state);
    }
    let kind = DrawKind {
        shape,
        material_attributes: if state.draw_state.current_draw.is_immediate {
            temporary_state::ALL_PROPERTIES
        } else {
            0
        },
    };
    if state
        .draw_state
        .pipelines
        .is_stale(state.changed_since_selection, kind)
    {
        select_pipeline(state, kind);
    }
    let Some((index, mut pipeline)) = state.draw_state.pipelines.take_current() else {
        // The application's shaders draw alone, with the driver's fixed functions.
        if state.draw_state.mixed_pipeline.group.is_some() {
            return restore_application_state(state);
        }
        // Incompatible programs draw nothing.
        state.draw_state.current_draw.is_rejected = true;
        state.record_error(INVALID_OPERATION);
        return restore_application_state(state);
    };
    state.draw_state.current_draw.mode_replacement = pipeline.mode_replacement;
    use_pipeline(state, &pipeline);
    upload_parameters(state, &mut pipeline);
    state.apply_arrays(pipeline.attribute_mask);
    state.apply_materials(pipeline.material_attributes);
    if log::dumps_scripts()
        && !std::mem::replace(&mut pipeline.is_dumped, true)
        && let Some(programs) = &state.draw_state.selection.programs
    {
        log::dump_script(state, programs, &pipeline.blocks);
    }
    state.draw_state.pipelines.put_back(index, pipeline);
}

/// Sets the first environment parameter of fragment programs in the driver to its current value,
/// which renews the origin of window coordinates. Mesa 22.3 caches it for a program that has drawn,
/// regardless of the bound framebuffer: it is a constant of the program, and those are renewed with
/// parameters of the environment.
fn refresh_fragment_origin(state: &State) {
    let number = Target::Fragment.properties().enumerant;
    let parameter = state
        .target_state(Target::Fragment)
        .env_parameters
        .first()
        .copied();
    driver_state::set_env_parameter(number, 0, parameter.unwrap_or_default().map(f32::from_bits));
}

/// Selects the pipeline of programs that draw pixels, which differ from the bound ones, makes it
/// current and uploads its parameters. Returns false, without an error of GL, if they form no
/// pipeline. The next draw selects the bound programs again.
pub(crate) fn prepare_pixels(state: &mut State, programs: Programs) -> bool {
    state.restore_arrays();
    state.draw_state.set_selecting_groups(&programs);
    state.draw_state.selection.programs = Some(programs);
    let kind = DrawKind {
        shape: PrimitiveClass::Pixels,
        ..state.draw_state.pipelines.draw_kind()
    };
    select_pipeline(state, kind);
    let current = state.draw_state.pipelines.take_current();
    let is_ready = current.is_some();
    if let Some((index, mut pipeline)) = current {
        use_pipeline(state, &pipeline);
        upload_parameters(state, &mut pipeline);
        state.draw_state.pipelines.put_back(index, pipeline);
    }
    // The next draw selects its programs again.
    state.mark_changed(StateGroups::PROGRAMS);
    is_ready
}

/// Makes a pipeline current in the driver, with its parameter buffers, counters, images and
/// overridden state, all of which [`restore_application_state`] reverts except for buffer bindings.
/// Parameters are not uploaded.
pub(crate) fn use_pipeline(state: &mut State, pipeline: &Pipeline) {
    state
        .draw_state
        .make_program_current(pipeline, state.glsl_program);
    for (target, index, binding) in &pipeline.buffers {
        let bound = state.buffers[*target as usize]
            .get(*index as usize)
            .copied()
            .unwrap_or_default();
        driver_state::bind_first_bytes(
            *binding,
            bound.buffer,
            bound.size,
            state.capabilities.bind_method,
        );
    }
    for (binding, storage_binding) in &pipeline.counters {
        driver_state::bind_counters(*binding, *storage_binding);
    }
    state.apply_images(&pipeline.images);
    state.draw_state.overridden_state.apply(pipeline);
    state.draw_state.lookups.apply_depth_modes();
}

/// Returns true if the programs that draw must be selected again: enabled programs have changed, or
/// state that the program of texture shaders or register combiners is generated for.
#[inline]
fn needs_selection(state: &State) -> bool {
    const COMBINER_STATE: StateGroups = ALWAYS_SELECTING
        .union(StateGroups::TEXTURE)
        .union(StateGroups::FOG);
    const SHADER_STATE: StateGroups = COMBINER_STATE
        .union(StateGroups::TEXENV)
        .union(StateGroups::LIGHT);
    let groups = if texture_shaders::may_draw(state) {
        SHADER_STATE
    } else if state.extensions.combiners.state.is_enabled {
        COMBINER_STATE
    } else {
        StateGroups::PROGRAMS
    };
    state.changed_since_selection.intersects(groups)
}

/// Selects the programs that draw: the enabled ones of the stages that the application's GLSL does
/// not provide, if one of them is of this library or its outputs are captured; otherwise none.
/// Marks the selection as invalid if an enabled program does not exist. Purges pipelines of deleted
/// programs; no pipeline is current afterwards.
fn select_enabled_programs(state: &mut State) {
    purge_deleted(state);
    state.changed_since_selection -= StateGroups::PROGRAMS;
    state.draw_state.pipelines.deselect();
    state.draw_state.selection.programs = None;
    state.draw_state.selection.is_invalid = false;
    state.draw_state.mixed_pipeline.group = None;
    if !state.capabilities.works {
        return;
    }
    let stage_group = match (state.glsl_program, state.glsl_pipeline) {
        (0, 0) => None,
        (0, _) => return,
        (_, _) => match mixed_pipeline::stage_group(state) {
            None => return,
            side => side,
        },
    };
    let participates =
        |row: &TargetProperties| stage_group.is_none_or(|side| side.includes(row.stage));
    let mut programs = find_enabled_programs(state);
    for (program, target) in programs.iter_mut().zip(TARGETS_OF_STAGES) {
        program.take_if(|_| !participates(target.properties()));
    }
    if stage_group.is_none() && !is_fragment_target_enabled(state) {
        let shaders = texture_shaders::select_program(state, programs[0].is_some());
        programs[STAGES - 1] = shaders.or_else(|| register_combiners::select_program(state));
    }
    let has_emulated = programs
        .iter()
        .flatten()
        .any(|it| !it.contents().is_driver_program);
    state.draw_state.selection.is_invalid = TARGETS.iter().any(|row| {
        participates(row)
            && is_program_missing(state, row)
            && (has_emulated || !row.is_driver_supported)
    });
    let is_captured = stage_group.is_none()
        && state.draw_state.feedback.active_captures().is_some()
        && programs.iter().any(Option::is_some);
    if has_emulated || is_captured {
        state.start_mirroring();
        state.draw_state.set_selecting_groups(&programs);
        state.draw_state.mixed_pipeline.group = stage_group;
        state.draw_state.selection.programs = Some(programs);
    }
}

/// Returns true if a target of fragment programs is enabled: fragment programs replace register
/// combiners.
fn is_fragment_target_enabled(state: &State) -> bool {
    [Target::Fragment, Target::FragmentNv]
        .iter()
        .any(|target| state.target_state(*target).enabled)
}

/// Returns true if the target is enabled and its program has no string, which is an error of draws.
/// False for the compute target, which does not draw.
fn is_program_missing(state: &State, properties: &TargetProperties) -> bool {
    let bound = state.target_state(properties.target);
    bound.enabled && bound.program.string_serial() == 0 && properties.target != Target::Compute
}

/// Returns the enabled programs, by stage; those of ARB_fragment_program take precedence over those
/// of NV_fragment_program.
pub(crate) fn find_enabled_programs(state: &State) -> Programs {
    let mut programs = TARGETS_OF_STAGES.map(|target| find_enabled_program(state, target));
    let fragment = &mut programs[STAGES - 1];
    *fragment = fragment
        .take()
        .or_else(|| find_enabled_program(state, Target::FragmentNv));
    programs
}

/// Returns the program that is bound to a target; `None` if the target is disabled or the program
/// has no string.
pub(crate) fn find_enabled_program(
    state: &State,
    target: Target,
) -> Option<Arc<crate::share_group::Program>> {
    let bound = state.target_state(target);
    (bound.enabled && bound.program.string_serial() != 0).then(|| Arc::clone(&bound.program))
}

/// Reads the GL state that the parameters of a pipeline need from the driver, if it has changed
/// since the last call, and writes and binds the blocks whose parameters have changed. Depth
/// clamping that this library has enabled is not part of the state that parameters see.
pub(crate) fn upload_parameters(state: &mut State, pipeline: &mut Pipeline) {
    let changed = state.changed_since_read & pipeline.required_state.state_groups();
    if !changed.is_empty() {
        state_snapshot::read_changed_state(&mut state.gl, &pipeline.required_state, changed);
        state.gl.depth_clamp &= !state.draw_state.overridden_state.clamps_depths();
        // State that this pipeline does not need is read when another one needs it.
        state.changed_since_read -= changed;
        state.draw_state.parameter_upload.invalidate_state();
    }
    let values = ParameterValues {
        targets: &state.targets,
        gl_state: &state.gl,
    };
    let (upload, blocks) = (&mut state.draw_state.parameter_upload, &mut pipeline.blocks);
    upload.upload_blocks(blocks, values, &state.capabilities, &state.share_group);
}

/// Uses the program object of the application again and restores its images, capabilities, material
/// attributes and depth modes, if a pipeline of this library is current; restores its arrays in any
/// case.
pub(crate) fn restore_application_state(state: &mut State) {
    if state.draw_state.current_program != 0 {
        state.draw_state.mixed_pipeline.restore(state.glsl_pipeline);
        driver::UseProgram(state.glsl_program);
        state.draw_state.current_program = 0;
        state.restore_images();
        state.draw_state.overridden_state.restore();
        state.restore_material_attributes();
        state.draw_state.lookups.restore_depth_modes();
    }
    state.restore_arrays();
}
