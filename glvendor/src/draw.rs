//! Before something draws: which programs draw it, and whether all that they read has reached them.

mod choice;

pub(crate) use choice::{catch_up, forget};

use crate::beside::{self, Side};
use crate::commands::INVALID_OPERATION;
use crate::compute::ComputeKey;
use crate::context::{Groups, State};
use crate::dump;
use crate::feedback::Feedback;
use crate::ffi::query::ImageUnit;
use crate::ffi::ring::Ring;
use crate::ffi::{driver, query};
use crate::materials::{self, Materials};
use crate::objects::Orphans;
use crate::overrides::Overrides;
use crate::params::{Block, Place};
use crate::pipeline::{Key, Pipeline, Programs, STAGES, TARGETS_OF_STAGES};
use crate::reader;
use crate::shapes::Shape;
use crate::target::{Row, TARGETS, Target};
use crate::textures::{self, Accessed};
use crate::window::Window;
use choice::choose;
use glasm::Compiler;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, LazyLock};

/// Groups of state that decide about any pipeline.
const DECIDING: Groups = Groups::PROGRAMS
    .union(Groups::RASTER)
    .union(Groups::ENABLES)
    .union(Groups::FRAMEBUFFER);

/// Parameter blocks that are bound at a time.
const BLOCK_BINDINGS: usize = STAGES;

/// What draws in a context.
#[derive(Default)]
pub(crate) struct Drawing {
    /// The programs that draw; `None` where the driver's do, or the application's in GLSL.
    programs: Option<Programs>,
    pipelines: Vec<Option<Pipeline>>,
    /// Places among them that nothing has.
    free: Vec<usize>,
    by_key: FxHashMap<Key, usize>,
    current: Option<usize>,
    /// Program strings that were gone when pipelines of them were looked for last.
    gone_count: u64,
    /// Those that are gone, but bound here.
    lingering: Vec<u64>,
    /// Whether a program is enabled that is not there.
    is_invalid: bool,
    /// Whether the last draw was an error of ours.
    is_refused: bool,
    /// That of the compute program that ran last.
    pub(crate) compute: Option<(ComputeKey, Pipeline)>,
    /// A mode, and what the driver draws in its place.
    replaced: Option<(u32, u32)>,
    /// What was drawn last.
    shape: Shape,
    /// Our program object that is in use; 0 if the application's is.
    in_use: u32,
    /// Where the programs stand beside shaders of the application.
    beside: Option<Side>,
    /// The pipeline object of ours and theirs, and whether it is bound.
    pub(crate) both: u32,
    pub(crate) is_both_bound: bool,
    /// Goes up when state was read.
    pub(crate) generation: u64,
    ring: Ring,
    bytes: Vec<u8>,
    /// What is bound to the bindings of the stages' blocks, whose numbers follow each other.
    bound: [Option<(u32, Place)>; BLOCK_BINDINGS],
    /// Shadow targets of the programs.
    shadows: Accessed,
    /// Those, and what the fixed functions compare.
    pub(crate) compared: Accessed,
    /// Targets that they access from a least level on.
    clamped: Accessed,
    /// Targets of which lookups give zeros where they are not complete.
    transparent: Accessed,
    /// Textures that are complete, with several levels or with one.
    pub(crate) complete: FxHashSet<(u32, bool)>,
    /// Units that are compared with depth mode `ALPHA`.
    pub(crate) alpha: u32,
    /// Textures, with their targets, whose depth mode is luminance for the driver, and `ALPHA` for the application.
    pub(crate) luminances: Vec<(u32, u32)>,
    /// Groups of state that decide about the pipeline.
    deciding: Groups,
    /// Image units that are ours, with what the application has bound there.
    pub(crate) images: Vec<(u32, ImageUnit)>,
    /// What is enabled otherwise than the application has it, with what it had.
    pub(crate) overridden: Vec<(u32, bool)>,
    /// The overrides that are in effect.
    pub(crate) overridden_for: Overrides,
    /// Materials that change between `Begin` and `End`.
    pub(crate) materials: Materials,
    /// Whether the vertices come one by one.
    is_immediate: bool,
    /// Parts of the material that are attributes of the pipeline that was chosen, if the fixed functions process vertices.
    attributes_of_materials: u16,
    /// What draws pixels.
    pub(crate) window: Window,
    /// What is captured.
    pub(crate) feedback: Feedback,
    /// Numbered arrays that were enabled in the place of conventional ones.
    pub(crate) arrays: u32,
    pub(crate) compiler: Compiler,
}

impl Drawing {
    /// Whether a geometry program draws.
    fn has_geometry(&self) -> bool {
        let geometry = |programs: &Programs| programs[STAGES - 2].is_some();
        self.programs.as_ref().is_some_and(geometry)
    }

    /// What is left of it when its context is gone.
    pub(crate) fn orphans(&mut self) -> Orphans {
        let compute = self.compute.iter().map(|(_, pipeline)| pipeline);
        let pipelines = self.pipelines.iter().flatten().chain(compute);
        Orphans {
            programs: pipelines.map(|it| it.program).collect(),
            buffer: self.ring.take(),
        }
    }
}

/// Whether all programs are ours, those of ARB that the driver knows, too: `GLASM_ALL=1`.
pub(crate) fn takes_all() -> bool {
    static ALL: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("GLASM_ALL").is_some_and(|it| it == "1"));
    *ALL
}

/// What becomes of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Draw {
    /// The driver draws.
    On,
    /// It is an error, and nothing is drawn.
    Nothing,
}

/// Something is about to draw, with primitives of a mode if it has them.
#[inline]
pub(crate) fn before(state: &mut State, primitive: Option<u32>) -> Draw {
    state.drawing.replaced = None;
    state.drawing.is_refused = false;
    if state.recording.is_none() || state.record_draw(primitive) {
        ready(state, primitive);
    }
    state.drawing.feedback.has_drawn();
    if state.recording.as_ref().is_some_and(|it| it.has_geometry) {
        // Lists hold what the driver draws behind the geometry program that is enabled while they are compiled.
        let shape = Shape::of(primitive);
        state.drawing.replaced = shape.replaced().or(state.drawing.replaced);
    }
    match state.drawing.is_refused {
        true => Draw::Nothing,
        false => Draw::On,
    }
}

/// Primitives of a mode are about to begin, whose vertices come one by one.
pub(crate) fn before_vertices(state: &mut State, mode: u32) -> Draw {
    state.drawing.is_immediate = true;
    let draw = before(state, Some(mode));
    state.drawing.is_immediate = false;
    draw
}

/// What a list draws is about to be drawn: its vertices come one by one, those of arrays, too.
pub(crate) fn ready_for_list(state: &mut State, primitive: Option<u32>) {
    state.drawing.is_immediate = true;
    ready(state, primitive);
    state.drawing.is_immediate = false;
}

/// The programs that draw, if one of them is ours. `Err` if a program is enabled that is not there, which is GL's error.
pub(crate) fn programs(state: &mut State) -> Result<Option<Programs>, ()> {
    if state.undecided.contains(Groups::PROGRAMS) {
        select(state);
    }
    if state.drawing.is_invalid {
        state.fail(INVALID_OPERATION);
        return Err(());
    }
    // Beside shaders of the application pixels are the driver's.
    let programs = state.drawing.programs.as_ref();
    Ok(programs.filter(|_| state.drawing.beside.is_none()).cloned())
}

/// Programs of ours do not concern what comes now, or cannot do it: raster positions and pixels of the driver. Gives what is disabled meanwhile, as
/// the driver has no program there.
pub(crate) fn leave(state: &mut State) -> [bool; TARGETS.len()] {
    if state.recording.is_some() || state.is_inside {
        return [false; TARGETS.len()];
    }
    release(state);
    TARGETS.each_ref().map(|row| {
        let bound = state.bound(row.target);
        // A program that is not there is an error that the driver tells of.
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

/// What [`leave`] has disabled is enabled again.
pub(crate) fn come_back(disabled: [bool; TARGETS.len()]) {
    for (row, _) in TARGETS
        .iter()
        .zip(disabled)
        .filter(|(_, disabled)| *disabled)
    {
        driver::Enable(row.number);
    }
}

/// Whether a geometry program is enabled, now or where a list is.
pub(crate) fn has_geometry(state: &State) -> bool {
    match &state.recording {
        Some(recording) => recording.has_geometry,
        None => {
            state.capabilities.works
                && beside::leaves_vertices(state)
                && state.bound(Target::Geometry).enabled
        }
    }
}

/// The mode that the driver draws in the place of the application's.
pub(crate) fn mode(state: &State, mode: u32) -> u32 {
    match state.drawing.replaced {
        Some((replaced, other)) if replaced == mode => other,
        _ => mode,
    }
}

/// Makes the programs that are bound ready.
pub(crate) fn ready(state: &mut State, primitive: Option<u32>) {
    if state.is_inside {
        return;
    }
    if state.undecided.contains(Groups::PROGRAMS) {
        select(state);
    }
    if state.drawing.is_invalid {
        state.drawing.is_refused = true;
        state.fail(INVALID_OPERATION);
        return release(state);
    }
    if state.drawing.programs.is_none() {
        return release(state);
    }
    let has_geometry = state.drawing.has_geometry();
    let shape = Shape::of(primitive).before(has_geometry);
    if state.undecided.contains(Groups::FRAMEBUFFER) {
        renew_origin(state);
    }
    let materials = if state.drawing.is_immediate {
        materials::ALL
    } else {
        0
    };
    if state.undecided.intersects(state.drawing.deciding)
        || shape != state.drawing.shape
        || materials != state.drawing.attributes_of_materials
        || state.drawing.current.is_none()
    {
        state.drawing.shape = shape;
        state.drawing.attributes_of_materials = materials;
        choose(state, shape);
    }
    let Some((place, mut pipeline)) = take_current(state) else {
        // The application's shaders draw without ours, with the driver's fixed functions.
        if state.drawing.beside.is_some() {
            return release(state);
        }
        // Programs that do not go together draw nothing.
        state.drawing.is_refused = true;
        state.fail(INVALID_OPERATION);
        return release(state);
    };
    state.drawing.replaced = pipeline.replaced;
    use_pipeline(state, &pipeline);
    send_parameters(state, &mut pipeline);
    state.apply_arrays(pipeline.attributes);
    state.apply_materials(pipeline.materials);
    if dump::is_wanted()
        && !std::mem::replace(&mut pipeline.is_dumped, true)
        && let Some(programs) = &state.drawing.programs
    {
        dump::write(state, programs, &pipeline.blocks);
    }
    state.drawing.pipelines[place] = Some(pipeline);
}

/// Mesa 22.3 keeps the origin of window coordinates of fragments for a program that it has drawn with, whatever framebuffer is bound then: it is a constant of
/// the program, and those are renewed with parameters of the environment.
fn renew_origin(state: &State) {
    let number = Target::Fragment.row().number;
    let parameter = state.bound(Target::Fragment).env.first().copied();
    query::set_env_parameter(number, 0, parameter.unwrap_or_default().map(f32::from_bits));
}

/// The pipeline that was chosen, which goes back to its place when it is ready.
fn take_current(state: &mut State) -> Option<(usize, Pipeline)> {
    let place = state.drawing.current?;
    Some((place, state.drawing.pipelines[place].take()?))
}

/// Makes programs ready for pixels, which are not those that are bound. Gives whether they go together.
pub(crate) fn ready_for_pixels(state: &mut State, programs: Programs) -> bool {
    state.restore_arrays();
    decide(&mut state.drawing, &programs);
    state.drawing.programs = Some(programs);
    state.drawing.shape = Shape::Pixels;
    choose(state, Shape::Pixels);
    let current = take_current(state);
    let is_ready = current.is_some();
    if let Some((place, mut pipeline)) = current {
        use_pipeline(state, &pipeline);
        send_parameters(state, &mut pipeline);
        state.drawing.pipelines[place] = Some(pipeline);
    }
    // What is drawn next is chosen anew.
    state.touch(Groups::PROGRAMS);
    is_ready
}

/// The driver draws with a pipeline, and finds its buffers, images and state.
pub(crate) fn use_pipeline(state: &mut State, pipeline: &Pipeline) {
    if state.drawing.in_use != pipeline.program {
        match pipeline.beside {
            None => state.drawing.feedback.use_program(pipeline.program),
            Some(side) => beside::use_both(state, side, pipeline.program),
        }
        state.drawing.in_use = pipeline.program;
    }
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
    state.apply_overrides(pipeline, pipeline.clip_planes);
    state.apply_depth_modes();
}

/// Which programs draw: those that are enabled, if one of them is ours and the application has no shaders in GLSL in their place.
fn select(state: &mut State) {
    catch_up(state);
    state.undecided -= Groups::PROGRAMS;
    state.drawing.current = None;
    state.drawing.programs = None;
    state.drawing.is_invalid = false;
    state.drawing.beside = None;
    if !state.capabilities.works {
        return;
    }
    let side = match (state.used_program, state.used_pipeline) {
        (0, 0) => None,
        (0, _) => return,
        (_, _) => match beside::side(state) {
            None => return,
            side => side,
        },
    };
    let counts = |row: &Row| side.is_none_or(|side| side.has(row.stage));
    let mut programs = enabled_programs(state);
    for (program, target) in programs.iter_mut().zip(TARGETS_OF_STAGES) {
        program.take_if(|_| !counts(target.row()));
    }
    let has_ours = programs
        .iter()
        .flatten()
        .any(|it| !it.contents().is_drivers);
    state.drawing.is_invalid = TARGETS
        .iter()
        .any(|row| counts(row) && is_missing(state, row) && (has_ours || !row.is_drivers));
    let is_captured = side.is_none()
        && state.drawing.feedback.captured().is_some()
        && programs.iter().any(Option::is_some);
    if has_ours || is_captured {
        state.start_mirroring();
        decide(&mut state.drawing, &programs);
        state.drawing.beside = side;
        state.drawing.programs = Some(programs);
    }
}

/// Whether a program is enabled that draws and is not there, which is an error. The driver says so of its own.
fn is_missing(state: &State, row: &Row) -> bool {
    let bound = state.bound(row.target);
    bound.enabled && bound.program.serial() == 0 && row.target != Target::Compute
}

/// The programs that are enabled, by stage; those of ARB_fragment_program come before those of NV_fragment_program.
pub(crate) fn enabled_programs(state: &State) -> Programs {
    let mut programs = TARGETS_OF_STAGES.map(|target| enabled_program(state, target));
    let fragment = &mut programs[STAGES - 1];
    *fragment = fragment
        .take()
        .or_else(|| enabled_program(state, Target::FragmentNv));
    programs
}

/// Which state decides about pipelines of these programs.
fn decide(drawing: &mut Drawing, programs: &Programs) {
    let nothing = Accessed::default();
    let (mut compared, mut clamped, mut transparent) = (nothing, nothing, nothing);
    for loaded in programs.iter().flatten().filter_map(|it| it.loaded()) {
        textures::add_compared(&mut compared, &loaded);
        textures::add_clamped(&mut clamped, &loaded);
        textures::add_transparent(&mut transparent, &loaded);
    }
    let clamps = clamped != nothing;
    let depends = clamps || compared != nothing || transparent != nothing;
    let [vertex, _, evaluation, geometry, fragment] = programs.each_ref().map(Option::is_some);
    let deciding = &mut drawing.deciding;
    *deciding = DECIDING;
    deciding.set(Groups::TEXTURE, !fragment || depends);
    deciding.set(Groups::TEXENV, !fragment || clamps);
    deciding.set(Groups::PATCH, evaluation || geometry);
    deciding.set(Groups::FOG, !vertex || !fragment);
    for group in [
        Groups::LIGHT,
        Groups::MATERIAL,
        Groups::TEXGEN,
        Groups::POINT,
    ] {
        deciding.set(group, !vertex);
    }
    drawing.shadows = compared;
    drawing.clamped = clamped;
    drawing.transparent = transparent;
}

/// The program of a target, if it is enabled and there is one.
pub(crate) fn enabled_program(
    state: &State,
    target: Target,
) -> Option<Arc<crate::objects::Program>> {
    let bound = state.bound(target);
    (bound.enabled && bound.program.serial() != 0).then(|| Arc::clone(&bound.program))
}

/// Writes what has changed of the parameters, and binds it.
pub(crate) fn send_parameters(state: &mut State, pipeline: &mut Pipeline) {
    let needed = pipeline.needs.groups();
    let changed = state.dirty & needed;
    if !changed.is_empty() {
        reader::refresh(&mut state.gl, &pipeline.needs, changed);
        // The driver says what is enabled for this pipeline.
        state.gl.depth_clamp &= !state
            .drawing
            .overridden
            .iter()
            .any(|(capability, _)| *capability == 0x864F);
        // What this pipeline does not need is read when another one does.
        state.dirty -= changed;
        state.drawing.generation += 1;
    }
    // Another thread may use the name of the buffer meanwhile: then another buffer gets all blocks.
    const MOST_TRIES: usize = 8;
    (0..MOST_TRIES).find_map(|_| send_blocks(state, pipeline));
}

/// Writes the blocks of a pipeline that have changed and binds them. `None` if the name of the buffer was given up meanwhile.
fn send_blocks(state: &mut State, pipeline: &mut Pipeline) -> Option<()> {
    let alignment = state.capabilities.uniform_alignment;
    let size = pipeline
        .blocks
        .iter()
        .map(|block| 16 * block.slots.len() + alignment)
        .sum();
    let maps = state.capabilities.maps;
    state.drawing.ring.reserve(size, maps, &state.share)?;
    for block in &mut pipeline.blocks {
        let versions = block.versions(state);
        let buffer = state.drawing.ring.buffer();
        let kept = block
            .written
            .filter(|(written, place)| *written == versions && place.buffer == buffer);
        let place = match kept {
            Some((_, place)) => Some(place),
            None => write_block(state, block, alignment),
        };
        let place = place?;
        block.written = Some((versions, place));
        let number = block.binding as usize % BLOCK_BINDINGS;
        if state.drawing.bound[number] != Some((block.binding, place)) {
            let (part, binds) = ((place.offset, place.size), state.capabilities.binds);
            state.drawing.ring.bind(block.binding, part, binds)?;
            state.drawing.bound[number] = Some((block.binding, place));
        }
    }
    Some(())
}

/// Writes the bytes of a block.
fn write_block(state: &mut State, block: &Block, alignment: usize) -> Option<Place> {
    let mut bytes = std::mem::take(&mut state.drawing.bytes);
    bytes.clear();
    let bound = block.target.map(|target| state.bound(target));
    block.fill(bound, &state.gl, &mut bytes);
    let buffer = state.drawing.ring.buffer();
    let offset = state.drawing.ring.write(&bytes, alignment);
    let size = bytes.len();
    state.drawing.bytes = bytes;
    Some(Place {
        buffer,
        offset: offset?,
        size,
    })
}

/// The application's own program is in use again, and its arrays are as it made them.
pub(crate) fn release(state: &mut State) {
    if state.drawing.in_use != 0 {
        beside::restore(state);
        driver::UseProgram(state.used_program);
        state.drawing.in_use = 0;
        state.restore_images();
        state.restore_overrides();
        state.restore_materials();
        state.restore_depth_modes();
    }
    state.restore_arrays();
}
