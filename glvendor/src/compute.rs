//! Compute programs: NV_compute_program5, including groups whose size the command specifies
//! (ARB_compute_variable_group_size).

use crate::commands::{INVALID_OPERATION, INVALID_VALUE};
use crate::context::{Groups, State};
use crate::draw::{self, Draw};
use crate::ffi::{driver, query};
use crate::log;
use crate::pipeline;
use crate::target::Target;
use std::sync::Arc;

/// Serial number of a compute program, and the size of the groups if the command specifies it.
pub(crate) type ComputeKey = (u64, Option<[u32; 3]>);

/// Returns true if this library runs work groups, according to the state that the application has
/// set.
pub(crate) fn computes(state: &State) -> bool {
    state.capabilities.works
        && state.used_program == 0
        && draw::find_enabled_program(state, Target::Compute).is_some()
}

/// Prepares the execution of work groups, of a size that the command specifies or the program
/// declares.
pub(crate) fn before_dispatch(state: &mut State, group: Option<[u32; 3]>) -> Draw {
    if !computes(state) {
        draw::release(state);
        return Draw::On;
    }
    draw::purge_deleted(state);
    let program = Arc::clone(&state.bound(Target::Compute).program);
    let size = program.loaded().map(|it| it.ir().modes.workgroup_size);
    // ARB_compute_variable_group_size: a program has the size, or the command, and not both.
    if size.is_some_and(|size| (size == [0; 3]) != group.is_some()) {
        state.fail(INVALID_OPERATION);
        return Draw::Nothing;
    }
    let key = (program.serial(), group);
    let pipeline = match state.drawing.take_compute(&key) {
        Ok(pipeline) => Some(pipeline),
        Err(dropped) => {
            if let Some(program_object) = dropped {
                draw::release(state);
                state.delete_program(program_object);
            }
            let made = pipeline::make_compute(state, &program, group);
            made.inspect_err(|problem| {
                log::error(format_args!("a compute program does not run: {problem}"));
            })
            .ok()
        }
    };
    let Some(mut pipeline) = pipeline else {
        draw::release(state);
        return Draw::On;
    };
    draw::use_pipeline(state, &pipeline);
    // Draws and other programs may need state that this one does not, and vice versa.
    state.dirty = Groups::all();
    draw::send_parameters(state, &mut pipeline);
    state.dirty = Groups::all();
    state.drawing.put_back_compute(key, pipeline);
    Draw::On
}

/// Returns true if groups may have a size, if this library runs them:
/// ARB_compute_variable_group_size, "DispatchComputeGroupSizeARB". Otherwise `None`.
pub(crate) fn checks_group(state: &mut State, group: [u32; 3]) -> Option<bool> {
    if !computes(state) {
        return None;
    }
    let most = query::integer(driver::constants::MAX_COMPUTE_WORK_GROUP_INVOCATIONS);
    let sizes = group.map(u64::from);
    let is_valid = sizes.iter().all(|size| (1..=0xFFFF).contains(size))
        && sizes.iter().product::<u64>() <= most.max(0) as u64;
    if !is_valid {
        state.fail(INVALID_VALUE);
    }
    Some(is_valid)
}
