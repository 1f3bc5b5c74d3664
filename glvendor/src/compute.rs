//! Compute programs: NV_compute_program5, including groups whose size the command specifies
//! (ARB_compute_variable_group_size).

use crate::context::{State, StateGroups};
use crate::draw::{self, DrawDecision};
use crate::ffi::{driver, driver_state};
use crate::log;
use crate::pipeline;
use crate::program_commands::{INVALID_OPERATION, INVALID_VALUE};
use crate::target::Target;
use std::sync::Arc;

/// Serial number of a compute program, and the size of the groups if the command specifies it.
pub(crate) type ComputeKey = (u64, Option<[u32; 3]>);

/// Returns true if this library runs work groups: it works with the driver, the application uses no
/// GLSL program, and a compute program with a string is enabled.
pub(crate) fn runs_work_groups(state: &State) -> bool {
    state.capabilities.works
        && state.glsl_program == 0
        && draw::find_enabled_program(state, Target::Compute).is_some()
}

/// Prepares the execution of work groups: selects the compute program's pipeline, which is built if
/// it is not the last one, uses it and uploads its parameters. `group_size` is the size that the
/// command specifies. Returns `Skip` after recording `GL_INVALID_OPERATION` if program and command
/// both have a size or neither; otherwise `Forward`, also, after a message in the log, with the
/// application's state if the program cannot be built.
pub(crate) fn prepare_dispatch(state: &mut State, group_size: Option<[u32; 3]>) -> DrawDecision {
    if !runs_work_groups(state) {
        draw::restore_application_state(state);
        return DrawDecision::Forward;
    }
    draw::purge_deleted(state);
    let program = Arc::clone(&state.target_state(Target::Compute).program);
    let size = program
        .load_translated()
        .map(|it| it.ir().modes.workgroup_size);
    // ARB_compute_variable_group_size: a program has the size, or the command, and not both.
    if size.is_some_and(|size| (size == [0; 3]) != group_size.is_some()) {
        state.record_error(INVALID_OPERATION);
        return DrawDecision::Skip;
    }
    let key = (program.string_serial(), group_size);
    let pipeline = match state.draw_state.take_compute(&key) {
        Ok(pipeline) => Some(pipeline),
        Err(dropped) => {
            if let Some(program_object) = dropped {
                draw::restore_application_state(state);
                state.delete_program(program_object);
            }
            let created = pipeline::create_compute_pipeline(state, &program, group_size);
            created
                .inspect_err(|problem| {
                    log::error(format_args!("a compute program does not run: {problem}"));
                })
                .ok()
        }
    };
    let Some(mut pipeline) = pipeline else {
        draw::restore_application_state(state);
        return DrawDecision::Forward;
    };
    draw::use_pipeline(state, &pipeline);
    // Draws and other programs may need state that this one does not, and vice versa.
    state.changed_since_read = StateGroups::all();
    draw::upload_parameters(state, &mut pipeline);
    state.changed_since_read = StateGroups::all();
    state.draw_state.put_back_compute(key, pipeline);
    DrawDecision::Forward
}

/// Checks the group size of `DispatchComputeGroupSizeARB`. Returns false after recording
/// `GL_INVALID_VALUE` for a size that is not positive or beyond the limits; `None` if the driver
/// runs the groups. ARB_compute_variable_group_size.
pub(crate) fn check_group_size(state: &mut State, group_size: [u32; 3]) -> Option<bool> {
    if !runs_work_groups(state) {
        return None;
    }
    let most = driver_state::integer(driver::constants::MAX_COMPUTE_WORK_GROUP_INVOCATIONS);
    let sizes = group_size.map(u64::from);
    let is_valid = sizes.iter().all(|size| (1..=0xFFFF).contains(size))
        && sizes.iter().product::<u64>() <= most.max(0) as u64;
    if !is_valid {
        state.record_error(INVALID_VALUE);
    }
    Some(is_valid)
}
