//! Preparation of draws: selects the programs and the pipeline, uses it and uploads its parameters.
//!
//! [`Drawing`] combines the caches of a context, each with its own module: pipelines
//! (`draw::cache`), upload of parameters (`draw::upload`), pairing with shaders of the application
//! (`mixed_pipeline`), textures (`textures`) and state that differs from that of the application
//! while a pipeline is in use (`overrides`, `images`, `arrays`, `materials`).

mod cache;
mod choice;
mod upload;

pub(crate) use choice::{purge_deleted, purge_program};

use crate::commands::INVALID_OPERATION;
use crate::compute::ComputeKey;
use crate::context::{Groups, State};
use crate::dump;
use crate::feedback::Feedback;
use crate::ffi::query::ImageUnit;
use crate::ffi::{driver, query};
use crate::materials::{self, Materials};
use crate::mixed_pipeline::{self, MixedPipeline};
use crate::objects::Orphans;
use crate::overrides::Overridden;
use crate::pipeline::{Pipeline, Programs, STAGES, TARGETS_OF_STAGES};
use crate::reader;
use crate::shapes::Shape;
use crate::target::{Row, TARGETS, Target};
use crate::textures::Lookups;
use crate::window::Window;
use cache::{DrawKind, PipelineCache};
use choice::choose_pipeline;
use glasm::Compiler;
use std::sync::{Arc, LazyLock};
use upload::{ParameterUpload, Values};

/// Groups of state that decide about any pipeline.
const DECIDING: Groups = Groups::PROGRAMS
    .union(Groups::RASTER)
    .union(Groups::ENABLES)
    .union(Groups::FRAMEBUFFER);

/// Program objects that draw in a context.
#[derive(Default)]
pub(crate) struct Drawing {
    selection: Selection,
    current: CurrentDraw,
    pipelines: PipelineCache,
    upload: ParameterUpload,
    /// Program object of this library that is in use; 0 if that of the application is.
    in_use: u32,
    pub(crate) mixed: MixedPipeline,
    pub(crate) lookups: Lookups,
    pub(crate) overridden: Overridden,
    /// Image units that pipelines use, with the images that the application has bound there.
    pub(crate) images: Vec<(u32, ImageUnit)>,
    /// Numbered arrays that were enabled instead of conventional ones.
    pub(crate) arrays: u32,
    /// Materials that change between `Begin` and `End`.
    pub(crate) materials: Materials,
    /// Vertex programs that draw pixels.
    pub(crate) window: Window,
    pub(crate) feedback: Feedback,
    pub(crate) compiler: Compiler,
}

/// Programs that draw, by the enabled targets and the shaders of the application.
#[derive(Default)]
struct Selection {
    /// `None` if the programs of the driver draw, or shaders of the application.
    programs: Option<Programs>,
    /// True if a program is enabled that does not exist.
    is_invalid: bool,
}

impl Selection {
    /// Returns true if a geometry program draws.
    fn has_geometry(&self) -> bool {
        let geometry = |programs: &Programs| programs[STAGES - 2].is_some();
        self.programs.as_ref().is_some_and(geometry)
    }
}

/// State of the draw that is prepared.
#[derive(Default)]
struct CurrentDraw {
    /// True if the draw is an error of this library.
    is_refused: bool,
    /// Mode, and the one that the driver draws instead.
    replaced: Option<(u32, u32)>,
    /// True if the vertices are sent individually.
    is_immediate: bool,
}

impl Drawing {
    /// Returns the objects of the driver that the other contexts delete after this one is deleted.
    pub(crate) fn orphans(&mut self) -> Orphans {
        Orphans {
            programs: self.pipelines.program_objects(),
            buffer: self.upload.take_buffer(),
        }
    }

    /// Sets the groups of state that decide about pipelines of these programs.
    fn set_deciding(&mut self, programs: &Programs) {
        let loaded = programs.iter().flatten().filter_map(|it| it.loaded());
        let lookups = self.lookups.set_programs(loaded);
        let [vertex, _, evaluation, geometry, fragment] = programs.each_ref().map(Option::is_some);
        let mut deciding = DECIDING | lookups;
        if !fragment {
            deciding |= Groups::TEXTURE | Groups::TEXENV | Groups::FOG;
        }
        if !vertex {
            deciding |=
                Groups::FOG | Groups::LIGHT | Groups::MATERIAL | Groups::TEXGEN | Groups::POINT;
        }
        if evaluation || geometry {
            deciding |= Groups::PATCH;
        }
        self.pipelines.set_deciding(deciding);
    }

    /// Makes a program object current in the driver unless it is.
    fn use_program(&mut self, pipeline: &Pipeline, theirs: u32) {
        if self.in_use == pipeline.program {
            return;
        }
        match pipeline.mixed {
            None => self.feedback.use_program(pipeline.program),
            Some(group) => self.mixed.bind(group, pipeline.program, theirs),
        }
        self.in_use = pipeline.program;
    }

    /// Removes and returns the compute pipeline if it has this key; otherwise returns the name of
    /// the program object of the pipeline that it drops, if there is one.
    pub(crate) fn take_compute(&mut self, key: &ComputeKey) -> Result<Pipeline, Option<u32>> {
        self.pipelines.take_compute(key)
    }

    /// Stores the pipeline that [`Self::take_compute`] returns next.
    pub(crate) fn put_back_compute(&mut self, key: ComputeKey, pipeline: Pipeline) {
        self.pipelines.put_back_compute(key, pipeline);
    }
}

/// Returns true if this library executes all programs, including those of ARB that the driver
/// supports: `GLASM_ALL=1`.
pub(crate) fn takes_all() -> bool {
    static ALL: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("GLASM_ALL").is_some_and(|it| it == "1"));
    *ALL
}

/// Handling of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Draw {
    /// The driver draws.
    On,
    /// The draw is an error, and nothing is drawn.
    Nothing,
}

/// Prepares a draw, with primitives of a mode if it has them.
#[inline]
pub(crate) fn prepare_draw(state: &mut State, primitive: Option<u32>) -> Draw {
    state.drawing.current.replaced = None;
    state.drawing.current.is_refused = false;
    if state.recording.is_none() || state.record_draw(primitive) {
        prepare(state, primitive);
    }
    state.drawing.feedback.has_drawn();
    if state.recording.as_ref().is_some_and(|it| it.has_geometry) {
        // Lists contain the primitives that the driver draws with the geometry program that is
        // enabled while they are compiled.
        let shape = Shape::of(primitive);
        state.drawing.current.replaced = shape.replaced().or(state.drawing.current.replaced);
    }
    if state.drawing.current.is_refused {
        Draw::Nothing
    } else {
        Draw::On
    }
}

/// Prepares primitives of a mode whose vertices are sent individually.
pub(crate) fn prepare_vertices(state: &mut State, mode: u32) -> Draw {
    state.drawing.current.is_immediate = true;
    let draw = prepare_draw(state, Some(mode));
    state.drawing.current.is_immediate = false;
    draw
}

/// Prepares the draws of a list: all vertices are sent individually, including those of arrays.
pub(crate) fn prepare_list(state: &mut State, primitive: Option<u32>) {
    state.drawing.current.is_immediate = true;
    prepare(state, primitive);
    state.drawing.current.is_immediate = false;
}

/// Selects the programs that draw, if one of them is of this library. `Err` if a program is enabled
/// that does not exist, which is an error of GL.
pub(crate) fn select_programs(state: &mut State) -> Result<Option<Programs>, ()> {
    if state.undecided.contains(Groups::PROGRAMS) {
        select_enabled(state);
    }
    if state.drawing.selection.is_invalid {
        state.fail(INVALID_OPERATION);
        return Err(());
    }
    // If shaders of the application draw, the driver draws pixels.
    let programs = state.drawing.selection.programs.as_ref();
    Ok(programs
        .filter(|_| state.drawing.mixed.group.is_none())
        .cloned())
}

/// Disables programs of this library for commands that they do not affect, or do not support:
/// raster positions and pixels of the driver. Returns which targets are disabled, as the driver has
/// no program there.
pub(crate) fn suspend_programs(state: &mut State) -> [bool; TARGETS.len()] {
    if state.recording.is_some() || state.is_inside {
        return [false; TARGETS.len()];
    }
    release(state);
    TARGETS.each_ref().map(|row| {
        let bound = state.bound(row.target);
        // A program that does not exist is an error that the driver reports.
        let is_ours = bound.enabled
            && row.is_drivers
            && bound.program.serial() != 0
            && !bound.program.contents().is_drivers;
        if is_ours {
            driver::Disable(row.number);
        }
        is_ours
    })
}

/// Enables the programs again that [`suspend_programs`] has disabled.
pub(crate) fn resume_programs(disabled: [bool; TARGETS.len()]) {
    for (row, _) in TARGETS
        .iter()
        .zip(disabled)
        .filter(|(_, disabled)| *disabled)
    {
        driver::Enable(row.number);
    }
}

/// Returns true if a geometry program is enabled, now or at this point of a list.
pub(crate) fn has_geometry(state: &State) -> bool {
    match &state.recording {
        Some(recording) => recording.has_geometry,
        None => {
            state.capabilities.works
                && mixed_pipeline::leaves_vertices(state)
                && state.bound(Target::Geometry).enabled
        }
    }
}

/// Returns the mode that the driver draws instead of the application's.
pub(crate) fn find_mode(state: &State, mode: u32) -> u32 {
    match state.drawing.current.replaced {
        Some((replaced, other)) if replaced == mode => other,
        _ => mode,
    }
}

/// Prepares the bound programs, and uses their pipeline.
pub(crate) fn prepare(state: &mut State, primitive: Option<u32>) {
    if state.is_inside {
        return;
    }
    if state.undecided.contains(Groups::PROGRAMS) {
        select_enabled(state);
    }
    if state.drawing.selection.is_invalid {
        state.drawing.current.is_refused = true;
        state.fail(INVALID_OPERATION);
        return release(state);
    }
    if state.drawing.selection.programs.is_none() {
        return release(state);
    }
    let has_geometry = state.drawing.selection.has_geometry();
    let shape = Shape::of(primitive).before(has_geometry);
    if state.undecided.contains(Groups::FRAMEBUFFER) {
        renew_origin(state);
    }
    let kind = DrawKind {
        shape,
        material_attributes: if state.drawing.current.is_immediate {
            materials::ALL
        } else {
            0
        },
    };
    if state.drawing.pipelines.is_stale(state.undecided, kind) {
        choose_pipeline(state, kind);
    }
    let Some((index, mut pipeline)) = state.drawing.pipelines.take_current() else {
        // The application's shaders draw alone, with the driver's fixed functions.
        if state.drawing.mixed.group.is_some() {
            return release(state);
        }
        // Incompatible programs draw nothing.
        state.drawing.current.is_refused = true;
        state.fail(INVALID_OPERATION);
        return release(state);
    };
    state.drawing.current.replaced = pipeline.replaced;
    use_pipeline(state, &pipeline);
    send_parameters(state, &mut pipeline);
    state.apply_arrays(pipeline.attributes);
    state.apply_materials(pipeline.materials);
    if dump::is_wanted()
        && !std::mem::replace(&mut pipeline.is_dumped, true)
        && let Some(programs) = &state.drawing.selection.programs
    {
        dump::write(state, programs, &pipeline.blocks);
    }
    state.drawing.pipelines.put_back(index, pipeline);
}

/// Renews the origin of window coordinates of fragments. Mesa 22.3 caches it for a program that has
/// drawn, regardless of the bound framebuffer: it is a constant of the program, and those are
/// renewed with parameters of the environment.
fn renew_origin(state: &State) {
    let number = Target::Fragment.row().number;
    let parameter = state.bound(Target::Fragment).env.first().copied();
    query::set_env_parameter(number, 0, parameter.unwrap_or_default().map(f32::from_bits));
}

/// Prepares programs that draw pixels, which differ from the bound ones. Returns true if they form
/// a pipeline.
pub(crate) fn prepare_pixels(state: &mut State, programs: Programs) -> bool {
    state.restore_arrays();
    state.drawing.set_deciding(&programs);
    state.drawing.selection.programs = Some(programs);
    let kind = DrawKind {
        shape: Shape::Pixels,
        ..state.drawing.pipelines.kind()
    };
    choose_pipeline(state, kind);
    let current = state.drawing.pipelines.take_current();
    let is_ready = current.is_some();
    if let Some((index, mut pipeline)) = current {
        use_pipeline(state, &pipeline);
        send_parameters(state, &mut pipeline);
        state.drawing.pipelines.put_back(index, pipeline);
    }
    // The next draw selects its programs again.
    state.touch(Groups::PROGRAMS);
    is_ready
}

/// Uses a pipeline in the driver, with its buffers, images and state.
pub(crate) fn use_pipeline(state: &mut State, pipeline: &Pipeline) {
    state.drawing.use_program(pipeline, state.used_program);
    for (target, index, binding) in &pipeline.buffers {
        let bound = state.buffers[*target as usize]
            .get(*index as usize)
            .copied()
            .unwrap_or_default();
        query::bind_first(*binding, bound.buffer, bound.size, state.capabilities.binds);
    }
    for (binding, storage_binding) in &pipeline.counters {
        query::bind_counters(*binding, *storage_binding);
    }
    state.apply_images(&pipeline.images);
    state.drawing.overridden.apply(pipeline);
    state.drawing.lookups.apply_depth_modes();
}

/// Selects the programs that draw: the enabled ones, if one of them is of this library and the
/// application has no shaders in GLSL instead.
fn select_enabled(state: &mut State) {
    purge_deleted(state);
    state.undecided -= Groups::PROGRAMS;
    state.drawing.pipelines.deselect();
    state.drawing.selection.programs = None;
    state.drawing.selection.is_invalid = false;
    state.drawing.mixed.group = None;
    if !state.capabilities.works {
        return;
    }
    let side = match (state.used_program, state.used_pipeline) {
        (0, 0) => None,
        (0, _) => return,
        (_, _) => match mixed_pipeline::side(state) {
            None => return,
            side => side,
        },
    };
    let counts = |row: &Row| side.is_none_or(|side| side.has(row.stage));
    let mut programs = find_enabled_programs(state);
    for (program, target) in programs.iter_mut().zip(TARGETS_OF_STAGES) {
        program.take_if(|_| !counts(target.row()));
    }
    let has_ours = programs
        .iter()
        .flatten()
        .any(|it| !it.contents().is_drivers);
    state.drawing.selection.is_invalid = TARGETS
        .iter()
        .any(|row| counts(row) && is_missing(state, row) && (has_ours || !row.is_drivers));
    let is_captured = side.is_none()
        && state.drawing.feedback.captured().is_some()
        && programs.iter().any(Option::is_some);
    if has_ours || is_captured {
        state.start_mirroring();
        state.drawing.set_deciding(&programs);
        state.drawing.mixed.group = side;
        state.drawing.selection.programs = Some(programs);
    }
}

/// Returns true if an enabled program that draws does not exist, which is an error. The driver
/// reports it for its own programs.
fn is_missing(state: &State, row: &Row) -> bool {
    let bound = state.bound(row.target);
    bound.enabled && bound.program.serial() == 0 && row.target != Target::Compute
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

/// Returns the program of a target, if it is enabled and exists.
pub(crate) fn find_enabled_program(
    state: &State,
    target: Target,
) -> Option<Arc<crate::objects::Program>> {
    let bound = state.bound(target);
    (bound.enabled && bound.program.serial() != 0).then(|| Arc::clone(&bound.program))
}

/// Reads the GL state that the parameters of a pipeline need, and uploads the parameters that have
/// changed.
pub(crate) fn send_parameters(state: &mut State, pipeline: &mut Pipeline) {
    let changed = state.dirty & pipeline.needs.groups();
    if !changed.is_empty() {
        reader::refresh(&mut state.gl, &pipeline.needs, changed);
        state.gl.depth_clamp &= !state.drawing.overridden.clamps_depths();
        // State that this pipeline does not need is read when another one needs it.
        state.dirty -= changed;
        state.drawing.upload.change_state();
    }
    let values = Values {
        bound: &state.bound,
        gl: &state.gl,
    };
    let (upload, blocks) = (&mut state.drawing.upload, &mut pipeline.blocks);
    upload.send(blocks, values, &state.capabilities, &state.share);
}

/// Uses the program object of the application again and restores its arrays and state.
pub(crate) fn release(state: &mut State) {
    if state.drawing.in_use != 0 {
        state.drawing.mixed.restore(state.used_pipeline);
        driver::UseProgram(state.used_program);
        state.drawing.in_use = 0;
        state.restore_images();
        state.drawing.overridden.restore();
        state.restore_materials();
        state.drawing.lookups.restore_depth_modes();
    }
    state.restore_arrays();
}
