//! Choice of the pipeline that draws, by the programs and the state that they are compiled for.

use super::cache::DrawKind;
use super::{Groups, release};
use crate::context::State;
use crate::ffi::{driver, query};
use crate::fixed;
use crate::log;
use crate::mixed_pipeline::StageGroup;
use crate::pipeline::{self, Compiled, Key, Programs};
use crate::reader;
use crate::shapes::Shape;
use crate::target::Target;
use glasm::{PatchLevels, Program as Loaded};

/// Makes the pipeline of the programs and the state current, and builds it if it is new.
pub(super) fn choose_pipeline(state: &mut State, kind: DrawKind) {
    let Some(programs) = state.drawing.selection.programs.clone() else {
        return;
    };
    state.drawing.pipelines.set_kind(kind);
    state.drawing.lookups.restore_depth_modes();
    let key = build_key(state, &programs, kind);
    state.drawing.lookups.set_depths(&key.state.depths);
    state.undecided = Groups::empty();
    // Another pipeline may read state that the last one did not need.
    state.dirty = Groups::all();
    if state.drawing.pipelines.select(&key) {
        return;
    }
    if state.drawing.pipelines.is_full() {
        release(state);
        let dropped = state.drawing.pipelines.clear();
        dropped.into_iter().for_each(|it| state.delete_program(it));
    }
    let mut compiler = std::mem::take(&mut state.drawing.compiler);
    let pipeline = pipeline::make(state, &mut compiler, &programs, &key);
    state.drawing.compiler = compiler;
    let pipeline = pipeline
        .inspect_err(|problem| log::error(format_args!("nothing of ours draws here: {problem}")));
    state.drawing.pipelines.insert(key, pipeline.ok());
}

/// Builds the key of a pipeline: the programs, the fixed functions of stages that have none, and
/// the state that all are compiled for.
fn build_key(state: &mut State, programs: &Programs, kind: DrawKind) -> Key {
    let [vertex, .., fragment] = programs;
    let mixed = state.drawing.mixed.group;
    let mut fixed_fragment = (mixed.is_none() && fragment.is_none())
        .then(|| fixed::fragment(&state.capabilities, vertex.is_some()));
    if let Some(fixed) = &mut fixed_fragment {
        state.drawing.lookups.disable_missing(fixed);
    }
    state.drawing.lookups.set_fixed(fixed_fragment.as_ref());
    let mut compiled = read_compiled_state(state, kind.shape);
    compiled.missing = state.drawing.lookups.read_missing();
    let has_vertices = mixed != Some(StageGroup::Fragment);
    let fixed_vertex = (has_vertices && vertex.is_none()).then(|| {
        let units = fixed_fragment.as_ref().map_or(0, fixed::enabled_units);
        let programs = programs.iter().flatten();
        let later: Vec<Loaded> = programs.filter_map(|it| it.loaded()).collect();
        fixed::vertex(&state.capabilities, &later, units, kind.material_attributes)
    });
    match &fixed_vertex {
        _ if mixed.is_some() => compiled.leave_varyings(),
        Some(fixed) => compiled.two_sided = fixed.lighting.is_some_and(|it| it.two_sided),
        None => {}
    }
    Key {
        serials: programs
            .each_ref()
            .map(|it| it.as_ref().map_or(0, |it| it.serial())),
        state: compiled,
        captured: state.drawing.feedback.captured().cloned(),
        vertex: fixed_vertex,
        fragment: fixed_fragment,
        biases: state.drawing.lookups.read_biases(),
        mixed,
    }
}

/// Deletes the pipelines of a deleted program string: now, and in the other contexts before they
/// select programs again.
pub(crate) fn purge_program(state: &mut State, serial: u64) {
    if serial != 0 {
        state.shared().gone.add(serial);
        purge_deleted(state);
    }
}

/// Deletes the pipelines of program strings that were deleted since the last call. Pipelines of
/// programs that are still bound in this context draw until they are not.
pub(crate) fn purge_deleted(state: &mut State) {
    let share = state.share.lock();
    let is_bound = |serial| state.bound.iter().any(|it| it.program.serial() == serial);
    let dropped = state.drawing.pipelines.purge_deleted(&share.gone, is_bound);
    drop(share);
    if let Some(dropped) = dropped {
        release(state);
        state.touch(Groups::PROGRAMS);
        dropped.into_iter().for_each(|it| state.delete_program(it));
    }
}

/// Reads the state that programs are compiled for.
fn read_compiled_state(state: &State, shape: Shape) -> Compiled {
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
    let reads_patches = state.drawing.pipelines.depends_on(Groups::PATCH);
    Compiled {
        two_sided: query::is_enabled(0x8643) && state.bound(Target::Vertex).enabled,
        flat: query::integer(0x0B54) == 0x1D00,
        clamps_vertex_colors: shape != Shape::Pixels
            && fixed::clamps(&state.capabilities, driver::constants::CLAMP_VERTEX_COLOR),
        point_sprites: sprites,
        clip_planes: clip_planes.fold(0, |mask, n| mask | 1 << n),
        draw_buffers: draw_buffers.fold(0, |mask, n| mask | 1 << n),
        depths: state.drawing.lookups.read_depths(),
        missing: 0,
        patch_vertices: if reads_patches {
            query::integer(0x8E72).clamp(0, 32) as u8
        } else {
            0
        },
        patch_levels: if reads_patches {
            PatchLevels::new(query::floats(0x8E74), query::floats(0x8E73))
        } else {
            PatchLevels::default()
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
