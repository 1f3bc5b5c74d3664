//! Which pipeline draws: by the programs and the state that they are compiled for.

use super::{Groups, release};
use crate::beside::Side;
use crate::context::State;
use crate::ffi::{driver, query};
use crate::fixed;
use crate::log;
use crate::pipeline::{self, Compiled, Key, Programs};
use crate::reader;
use crate::shapes::Shape;
use crate::target::Target;
use crate::textures;
use glasm::{PatchLevels, Program as Loaded};

/// More pipelines than an application has; those of programs that are gone make room.
const MOST_PIPELINES: usize = 4096;

/// The pipeline of the programs and the state, made if it is new.
pub(super) fn choose(state: &mut State, shape: Shape) {
    let Some(programs) = state.drawing.programs.clone() else {
        return;
    };
    state.restore_depth_modes();
    let key = key(state, &programs, shape);
    state.drawing.alpha = key.state.depths.alpha();
    state.undecided = Groups::empty();
    // Another pipeline may read what the last one did not need.
    state.dirty = Groups::all();
    if let Some(&known) = state.drawing.by_key.get(&key) {
        state.drawing.current = Some(known);
        return;
    }
    if state.drawing.pipelines.len() >= MOST_PIPELINES {
        forget_pipelines(state);
    }
    let mut compiler = std::mem::take(&mut state.drawing.compiler);
    let made = pipeline::make(state, &mut compiler, &programs, &key);
    state.drawing.compiler = compiler;
    let made = made
        .inspect_err(|problem| log::error(format_args!("nothing of ours draws here: {problem}")));
    let place = state
        .drawing
        .free
        .pop()
        .unwrap_or(state.drawing.pipelines.len());
    match state.drawing.pipelines.get_mut(place) {
        Some(free) => *free = made.ok(),
        None => state.drawing.pipelines.push(made.ok()),
    }
    state.drawing.by_key.insert(key, place);
    state.drawing.current = Some(place);
}

/// The programs, the fixed functions in the place of those that are not there, and the state that all are compiled for.
fn key(state: &mut State, programs: &Programs, shape: Shape) -> Key {
    let [vertex, .., fragment] = programs;
    let is_alone = state.drawing.beside.is_none();
    let mut fixed_fragment = (is_alone && fragment.is_none())
        .then(|| fixed::fragment(&state.capabilities, vertex.is_some()));
    if let Some(fixed) = &mut fixed_fragment {
        textures::disable_missing(fixed, &mut state.drawing.complete);
    }
    state.drawing.compared = state.drawing.shadows;
    if let Some(fixed) = &fixed_fragment {
        textures::add_fixed(&mut state.drawing.compared, fixed);
    }
    let mut compiled = compiled_state(state, shape);
    let drawing = &mut state.drawing;
    compiled.missing = textures::read_missing(&drawing.transparent, &mut drawing.complete);
    let has_vertices = is_alone || state.drawing.beside == Some(Side::Vertex);
    let fixed_vertex = (has_vertices && vertex.is_none()).then(|| {
        let units = fixed_fragment.as_ref().map_or(0, fixed::enabled_units);
        let behind: Vec<Loaded> = programs
            .iter()
            .flatten()
            .filter_map(|it| it.loaded())
            .collect();
        let materials = state.drawing.attributes_of_materials;
        fixed::vertex(&state.capabilities, &behind, units, materials)
    });
    match &fixed_vertex {
        _ if !is_alone => compiled.leave_varyings(),
        Some(fixed) => compiled.two_sided = fixed.lighting.is_some_and(|it| it.two_sided),
        None => {}
    }
    Key {
        serials: std::array::from_fn(|place| programs[place].as_ref().map_or(0, |it| it.serial())),
        state: compiled,
        captured: state.drawing.feedback.captured().cloned(),
        vertex: fixed_vertex,
        fragment: fixed_fragment,
        biases: textures::read_biases(&state.drawing.clamped),
        beside: state.drawing.beside,
    }
}

/// A program string is gone, and its pipelines go with it: now, and in the other contexts before they choose programs again.
pub(crate) fn forget(state: &mut State, serial: u64) {
    if serial != 0 {
        state.shared().gone.add(serial);
        catch_up(state);
    }
}

/// The pipelines go whose program strings are gone since they were looked for last; those of programs that are bound here draw on until they are not.
pub(crate) fn catch_up(state: &mut State) {
    let share = state.share.lock();
    let seen = std::mem::replace(&mut state.drawing.gone_count, share.gone.count);
    if seen == share.gone.count && state.drawing.lingering.is_empty() {
        return;
    }
    let new: Option<Vec<u64>> = share.gone.since(seen).map(Iterator::collect);
    drop(share);
    let is_known = new.is_some();
    let mut gone = std::mem::take(&mut state.drawing.lingering);
    gone.extend(new.into_iter().flatten());
    let is_bound = |serial: &u64| state.bound.iter().any(|it| it.program.serial() == *serial);
    let (bound, gone): (Vec<u64>, Vec<u64>) = gone.into_iter().partition(is_bound);
    state.drawing.lingering = bound;
    let is_gone = |serial: u64| !is_known || gone.contains(&serial);
    let places: Vec<_> = state
        .drawing
        .by_key
        .extract_if(|key, _| key.serials.iter().any(|it| *it != 0 && is_gone(*it)))
        .map(|(_, place)| place)
        .collect();
    let compute = state.drawing.compute.take_if(|(key, _)| is_gone(key.0));
    if places.is_empty() && compute.is_none() {
        return;
    }
    release(state);
    state.drawing.current = None;
    state.touch(Groups::PROGRAMS);
    let mut pipelines: Vec<_> = compute.into_iter().map(|(_, pipeline)| pipeline).collect();
    for place in places {
        pipelines.extend(state.drawing.pipelines[place].take());
        state.drawing.free.push(place);
    }
    for pipeline in pipelines {
        state.delete_program(pipeline.program);
    }
}

fn forget_pipelines(state: &mut State) {
    release(state);
    for pipeline in std::mem::take(&mut state.drawing.pipelines)
        .into_iter()
        .flatten()
    {
        state.delete_program(pipeline.program);
    }
    state.drawing.by_key.clear();
    state.drawing.free.clear();
    state.drawing.current = None;
}

/// Reads the state that programs are compiled for.
fn compiled_state(state: &State, shape: Shape) -> Compiled {
    const CLIP_PLANES: u32 = 8;
    let clip_planes = (0..CLIP_PLANES).filter(|n| query::is_enabled(0x3000 + n));
    let mut sprites = 0;
    if shape == Shape::Points && query::is_enabled(0x8861) {
        reader::with_units(0xFF, |unit| {
            if query::tex_env_mode::<1>(0x8861, 0x8862) != [0] {
                sprites |= 1 << unit;
            }
        });
    }
    let draw_buffers = (0..8).filter(|n| query::integer(0x8825 + n) != 0);
    Compiled {
        two_sided: query::is_enabled(0x8643) && state.bound(Target::Vertex).enabled,
        flat: query::integer(0x0B54) == 0x1D00,
        clamps_vertex_colors: shape != Shape::Pixels
            && fixed::clamps(&state.capabilities, driver::constants::CLAMP_VERTEX_COLOR),
        point_sprites: sprites,
        clip_planes: clip_planes.fold(0, |mask, n| mask | 1 << n),
        draw_buffers: draw_buffers.fold(0, |mask, n| mask | 1 << n),
        depths: textures::read(&state.drawing.compared),
        missing: 0,
        patch_vertices: match state.drawing.deciding.contains(Groups::PATCH) {
            true => query::integer(0x8E72).clamp(0, 32) as u8,
            false => 0,
        },
        patch_levels: match state.drawing.deciding.contains(Groups::PATCH) {
            true => PatchLevels::new(query::floats(0x8E74), query::floats(0x8E73)),
            false => PatchLevels::default(),
        },
        shape,
        texels: match shape {
            Shape::Pixels => state.drawing.window.texels,
            Shape::Other | Shape::Points | Shape::Quads | Shape::QuadStrips | Shape::Polygon => {
                None
            }
        },
    }
}
