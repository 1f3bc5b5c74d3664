//! Choice of the pipeline that draws, by the programs and the state that they are compiled for.

use super::pipeline_cache::DrawKind;
use super::{StateGroups, restore_application_state};
use crate::context::State;
use crate::ffi::{driver, driver_state};
use crate::fixed_function_key;
use crate::log;
use crate::mixed_pipeline::StageGroup;
use crate::pipeline::{self, PipelineKey, Programs, StaticState};
use crate::primitives::PrimitiveClass;
use crate::state_snapshot;
use crate::target::Target;
use crate::texture_state;
use glasm::{DefaultTessLevels, Program as Loaded};

/// Makes the pipeline of the selected programs and the state that they depend on current in the
/// cache, and builds it if it is new; a full cache is cleared first. Failures to build are logged
/// and cached as well. All state is read again for the parameters of the pipeline. Does nothing if
/// no programs are selected.
pub(super) fn select_pipeline(state: &mut State, kind: DrawKind) {
    let Some(programs) = state.draw_state.selection.programs.clone() else {
        return;
    };
    state.draw_state.pipelines.set_draw_kind(kind);
    state.draw_state.lookups.restore_depth_modes();
    let key = build_key(state, &programs, kind);
    state
        .draw_state
        .lookups
        .set_depths(&key.static_state.depth_state);
    state.changed_since_selection = StateGroups::empty();
    // Another pipeline may read state that the last one did not need.
    state.changed_since_read = StateGroups::all();
    if state.draw_state.pipelines.select_cached(&key) {
        return;
    }
    if state.draw_state.pipelines.is_full() {
        restore_application_state(state);
        let dropped_programs = state.draw_state.pipelines.clear();
        dropped_programs
            .into_iter()
            .for_each(|it| state.delete_program(it));
    }
    let mut compiler = std::mem::take(&mut state.draw_state.compiler);
    let pipeline = pipeline::create_pipeline(state, &mut compiler, &programs, &key);
    state.draw_state.compiler = compiler;
    let pipeline = pipeline
        .inspect_err(|problem| log::error(format_args!("nothing of ours draws here: {problem}")));
    state.draw_state.pipelines.insert(key, pipeline.ok());
}

/// Builds the key of a pipeline from the state of the driver: the programs, the fixed functions of
/// stages that have none, and the state that all are compiled for. Records which textures of the
/// fixed functions are compared.
fn build_key(state: &mut State, programs: &Programs, kind: DrawKind) -> PipelineKey {
    let [vertex, .., fragment] = programs;
    let mixed = state.draw_state.mixed_pipeline.group;
    let mut fixed_fragment = (mixed.is_none() && fragment.is_none())
        .then(|| fixed_function_key::read_fragment_state(&state.capabilities, vertex.is_some()));
    if let Some(fixed) = &mut fixed_fragment {
        state.draw_state.lookups.disable_incomplete_units(fixed);
    }
    state
        .draw_state
        .lookups
        .set_fixed_functions(fixed_fragment.as_ref());
    let mut static_state = read_static_state(state, kind.shape);
    static_state.incomplete_units = state.draw_state.lookups.read_incomplete_units();
    static_state.signed_hilo_units = texture_state::read_signed_hilo_units(state);
    let has_vertices = mixed != Some(StageGroup::Fragment);
    let fixed_vertex = (has_vertices && vertex.is_none()).then(|| {
        let units = fixed_fragment
            .as_ref()
            .map_or(0, fixed_function_key::enabled_units);
        let programs = programs.iter().flatten();
        let later_programs: Vec<Loaded> = programs.filter_map(|it| it.load_translated()).collect();
        fixed_function_key::read_vertex_state(
            &state.capabilities,
            &later_programs,
            units,
            kind.material_attributes,
        )
    });
    match &fixed_vertex {
        _ if mixed.is_some() => static_state.leave_varyings_to_driver(),
        Some(fixed) => static_state.two_sided = fixed.lighting.is_some_and(|it| it.two_sided),
        None => {}
    }
    PipelineKey {
        serials: programs
            .each_ref()
            .map(|it| it.as_ref().map_or(0, |it| it.string_serial())),
        static_state,
        captured_outputs: state.draw_state.feedback.active_captures().cloned(),
        fixed_vertex,
        fixed_fragment,
        lod_biases: state.draw_state.lookups.read_lod_biases(),
        stage_group: mixed,
    }
}

/// Deletes the pipelines of a deleted program string, by its serial number: now, unless the string
/// is still bound, and in the other contexts before they select programs again. Does nothing for 0.
pub(crate) fn purge_program(state: &mut State, serial: u64) {
    if serial != 0 {
        state
            .lock_share_group()
            .deleted_programs
            .push_serial(serial);
        purge_deleted(state);
    }
}

/// Deletes the pipelines of program strings that were deleted since the last call, in any context
/// of the share group. Pipelines of strings that are still bound in this context draw until they
/// are not. If any is deleted, restores the application's state and marks programs as changed.
pub(crate) fn purge_deleted(state: &mut State) {
    let share = state.share_group.lock();
    let is_bound = |serial| {
        state
            .targets
            .iter()
            .any(|it| it.program.string_serial() == serial)
    };
    let dropped = state
        .draw_state
        .pipelines
        .purge_deleted(&share.deleted_programs, is_bound);
    drop(share);
    if let Some(dropped) = dropped {
        restore_application_state(state);
        state.mark_changed(StateGroups::PROGRAMS);
        dropped.into_iter().for_each(|it| state.delete_program(it));
    }
}

/// Reads the state that is compiled into modules from the driver: clip planes, point sprites, draw
/// buffers, depth modes and others. State that only other primitives or stages depend on, and
/// incomplete and signed HILO units, are left at their default.
fn read_static_state(state: &State, shape: PrimitiveClass) -> StaticState {
    const CLIP_PLANES: u32 = 8;
    let clip_planes = (0..CLIP_PLANES).filter(|n| driver_state::is_enabled(0x3000 + n));
    let mut sprite_units = 0;
    if shape == PrimitiveClass::Points && driver_state::is_enabled(0x8861) {
        state_snapshot::for_each_unit(0xFF, |unit| {
            if driver_state::tex_env_mode::<1>(0x8861, 0x8862) != [0] {
                sprite_units |= 1 << unit;
            }
        });
    }
    let draw_buffers = (0..8).filter(|n| driver_state::integer(0x8825 + n) != 0);
    let reads_patches = state.draw_state.pipelines.depends_on(StateGroups::PATCH);
    StaticState {
        two_sided: driver_state::is_enabled(0x8643) && state.target_state(Target::Vertex).enabled,
        flat: driver_state::integer(0x0B54) == 0x1D00,
        clamps_vertex_colors: shape != PrimitiveClass::Pixels
            && fixed_function_key::is_clamped(
                &state.capabilities,
                driver::constants::CLAMP_VERTEX_COLOR,
            ),
        point_sprites: sprite_units,
        clip_planes: clip_planes.fold(0, |mask, n| mask | 1 << n),
        draw_buffers: draw_buffers.fold(0, |mask, n| mask | 1 << n),
        depth_state: state.draw_state.lookups.read_depths(),
        incomplete_units: 0,
        signed_hilo_units: 0,
        patch_vertices: if reads_patches {
            driver_state::integer(0x8E72).clamp(0, 32) as u8
        } else {
            0
        },
        patch_levels: if reads_patches {
            DefaultTessLevels::new(driver_state::floats(0x8E74), driver_state::floats(0x8E73))
        } else {
            DefaultTessLevels::default()
        },
        primitive_class: shape,
        texel_colors: match shape {
            PrimitiveClass::Pixels => state.draw_state.pixel_programs.texel_colors,
            PrimitiveClass::Other
            | PrimitiveClass::Points
            | PrimitiveClass::Quads
            | PrimitiveClass::QuadStrips
            | PrimitiveClass::Polygon => None,
        },
    }
}
