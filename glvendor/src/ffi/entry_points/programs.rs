//! Program objects.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{client_memory, current_context, driver};
use crate::check_arguments;
use crate::compute;
use crate::draw::{self, DrawDecision};
use crate::mixed_pipeline;
use crate::program_commands::{self, Command};
use crate::queries;
use std::ffi::c_void;

/// Generates names of programs, in batches, and writes them to `names`; none for a null pointer.
/// Records the errors of [`check_arguments::check_name_count`].
pub(crate) unsafe extern "system" fn GenProgramsARB(count: GLsizei, names: *mut GLuint) {
    current_context::with(|state| {
        // Without a list no names are generated.
        if check_arguments::check_name_count(state, count).is_none() || names.is_null() {
            return;
        }
        let mut left = usize::try_from(count).unwrap_or(0);
        let mut next = names;
        while left > 0 {
            let generated = program_commands::generate_programs(
                state,
                left.min(check_arguments::NAME_BATCH_SIZE),
            );
            // SAFETY: the application has space for `count` names, of which these are the next
            // ones.
            unsafe {
                client_memory::write(next, &generated);
                next = next.add(generated.len());
            }
            left -= generated.len();
        }
    });
}

pub(crate) use GenProgramsARB as GenProgramsNV;

/// Deletes programs; records `GL_INVALID_VALUE` for a negative count.
pub(crate) unsafe extern "system" fn DeleteProgramsARB(count: GLsizei, names: *const GLuint) {
    current_context::with(|state| match count {
        0.. => {
            // SAFETY: the application has as many names.
            let names = unsafe { client_memory::values(names, count) };
            program_commands::delete_programs(state, names);
        }
        _ => state.record_error(program_commands::INVALID_VALUE),
    });
}

pub(crate) use DeleteProgramsARB as DeleteProgramsNV;

/// Binds a program to a target, now or in the display list that is being compiled, with the errors
/// of `BindProgram`.
pub(crate) unsafe extern "system" fn BindProgramARB(target: GLenum, name: GLuint) {
    current_context::with(|state| {
        program_commands::issue(state, Command::BindProgram(target, name))
    });
}

pub(crate) use BindProgramARB as BindProgramNV;

/// Returns true if a name is that of a program; false for generated names that were never bound.
pub(crate) unsafe extern "system" fn IsProgramARB(name: GLuint) -> GLboolean {
    current_context::with(|state| state.lock_share_group().find_program(name).is_some())
        .unwrap_or(false)
        .into()
}

pub(crate) use IsProgramARB as IsProgramNV;

/// Loads a program string of `length` bytes into the bound program of a target, now or in the
/// display list that is being compiled. Records an error for an unknown target or format, an
/// invalid length, or a string that does not load.
pub(crate) unsafe extern "system" fn ProgramStringARB(
    target: GLenum,
    format: GLenum,
    length: GLsizei,
    text: *const c_void,
) {
    current_context::with(|state| {
        check_arguments::check_format(state, target, format)?;
        check_arguments::check_program_length(state, length)?;
        // SAFETY: the text has that length.
        let text = unsafe { client_memory::bytes(text.cast(), length) };
        program_commands::issue(state, Command::ProgramString(target, format, text));
        Some(())
    });
}

/// Loads a program string of `length` bytes into a program by name (EXT_direct_state_access), now
/// or in the display list that is being compiled. Records an error for an unknown target or format,
/// an invalid length, or a string that does not load.
pub(crate) unsafe extern "system" fn NamedProgramStringEXT(
    program: GLuint,
    target: GLenum,
    format: GLenum,
    length: GLsizei,
    text: *const c_void,
) {
    current_context::with(|state| {
        check_arguments::check_format(state, target, format)?;
        check_arguments::check_program_length(state, length)?;
        // SAFETY: the text has that length.
        let text = unsafe { client_memory::bytes(text.cast(), length) };
        program_commands::issue(
            state,
            Command::NamedProgramString(program, target, format, text),
        );
        Some(())
    });
}

/// Loads a program string of `length` bytes into a program by name (NV_vertex_program), now or in
/// the display list that is being compiled. Records an error for an unknown target, name 0, an
/// invalid length, or a string that does not load.
pub(crate) unsafe extern "system" fn LoadProgramNV(
    target: GLenum,
    name: GLuint,
    length: GLsizei,
    text: *const GLubyte,
) {
    current_context::with(|state| {
        check_arguments::check_load_target(state, target, name)?;
        check_arguments::check_program_length(state, length)?;
        // SAFETY: the text has that length.
        let text = unsafe { client_memory::bytes(text, length) };
        program_commands::issue(state, Command::LoadProgram(target, name, text));
        Some(())
    });
}

/// Executes a vertex state program with an argument of four components, zeros for a null pointer
/// (NV_vertex_program). Records `GL_INVALID_ENUM` for a target other than
/// `GL_VERTEX_STATE_PROGRAM_NV`.
pub(crate) unsafe extern "system" fn ExecuteProgramNV(
    target: GLenum,
    name: GLuint,
    argument: *const GLfloat,
) {
    current_context::with(|state| {
        if target != program_commands::VERTEX_STATE_PROGRAM_NV {
            return state.record_error(program_commands::INVALID_ENUM);
        }
        // SAFETY: four components.
        let argument = unsafe { client_memory::values(argument.cast::<[GLfloat; 4]>(), 1) }.next();
        program_commands::issue(
            state,
            Command::ExecuteProgram(name, argument.unwrap_or_default()),
        );
    });
}

/// Returns true if all names are those of programs, which are always resident; residences are not
/// written. Records `GL_INVALID_VALUE` and returns false for a negative count or another name.
pub(crate) unsafe extern "system" fn AreProgramsResidentNV(
    count: GLsizei,
    names: *const GLuint,
    residences: *mut GLboolean,
) -> GLboolean {
    if count < 0 {
        current_context::with(|state| state.record_error(program_commands::INVALID_VALUE));
        return 0;
    }
    // SAFETY: the application has as many names.
    let names = unsafe { client_memory::values(names, count) };
    let all =
        current_context::with(|state| queries::are_all_programs(state, names)).unwrap_or(false);
    if !all {
        return 0;
    }
    // All programs are always resident; their residences are not written then.
    let _ = residences;
    1
}

/// Does nothing, since programs are always resident; records `INVALID_VALUE` for negative counts.
pub(crate) unsafe extern "system" fn RequestResidentProgramsNV(
    count: GLsizei,
    _names: *const GLuint,
) {
    // All programs are always resident.
    if count < 0 {
        current_context::with(|state| state.record_error(program_commands::INVALID_VALUE));
    }
}

/// Lets four environment parameters track the rows of a matrix (NV_vertex_program), now or in the
/// display list that is being compiled.
pub(crate) unsafe extern "system" fn TrackMatrixNV(
    target: GLenum,
    address: GLuint,
    matrix: GLenum,
    transform: GLenum,
) {
    current_context::with(|state| {
        program_commands::issue(
            state,
            Command::TrackMatrix(target, address, matrix, transform),
        )
    });
}

/// Queries the matrix, or its transform, that environment parameters track. Writes nothing after an
/// error, which is recorded.
pub(crate) unsafe extern "system" fn GetTrackMatrixivNV(
    target: GLenum,
    address: GLuint,
    name: GLenum,
    value: *mut GLint,
) {
    let answer =
        current_context::with(|state| queries::query_track_matrix(state, target, address, name))
            .flatten();
    if let Some(answer) = answer {
        // SAFETY: the application has space for one value.
        unsafe { client_memory::write(value, &[answer]) };
    }
}

/// Sets the maximum number of vertices that the bound geometry program emits, immediately, also
/// while a list is compiled (NV_geometry_program4). Errors are those of
/// [`program_commands::set_vertex_limit`].
pub(crate) unsafe extern "system" fn ProgramVertexLimitNV(target: GLenum, limit: GLint) {
    current_context::with(|state| program_commands::set_vertex_limit(state, target, limit));
}

/// Queries a property of the bound program of a target, or a limit of the target. Writes nothing
/// after an error, which is recorded.
pub(crate) unsafe extern "system" fn GetProgramivARB(
    target: GLenum,
    name: GLenum,
    value: *mut GLint,
) {
    let answer = current_context::with(|state| {
        let target = queries::find_target(state, target)?;
        let program = std::sync::Arc::clone(&state.target_state(target).program);
        queries::query_program_value(state, target, &program, name)
    });
    if let Some(answer) = answer.flatten() {
        // SAFETY: the application has space for one value.
        unsafe { client_memory::write(value, &[answer]) };
    }
}

/// Queries a property of a program by name, which is created if there is none
/// (EXT_direct_state_access). Writes nothing after an error, which is recorded.
pub(crate) unsafe extern "system" fn GetNamedProgramivEXT(
    program: GLuint,
    target: GLenum,
    name: GLenum,
    value: *mut GLint,
) {
    let answer = current_context::with(|state| {
        let target = queries::find_target(state, target)?;
        let program = state.lock_share_group().get_or_create_program(program);
        queries::query_program_value(state, target, &program, name)
    });
    if let Some(answer) = answer.flatten() {
        // SAFETY: the application has space for one value.
        unsafe { client_memory::write(value, &[answer]) };
    }
}

/// Queries a property of a program by name (NV_vertex_program). Writes nothing after an error,
/// which is recorded.
pub(crate) unsafe extern "system" fn GetProgramivNV(
    program: GLuint,
    name: GLenum,
    value: *mut GLint,
) {
    let answer =
        current_context::with(|state| queries::query_nv_program_value(state, program, name))
            .flatten();
    if let Some(answer) = answer {
        // SAFETY: the application has space for one value.
        unsafe { client_memory::write(value, &[answer]) };
    }
}

/// Writes a program string to memory of the application, without a terminating zero; nothing for
/// `None` or a null pointer.
///
/// # Safety
/// The memory has sufficient size.
unsafe fn write_program_string(destination: *mut c_void, text: Option<Vec<u8>>) {
    if let Some(text) = text {
        // SAFETY: ensured by the caller.
        unsafe { client_memory::write(destination.cast(), &text) };
    }
}

/// Writes the string of the bound program of a target to memory of the application. Writes nothing
/// after an error, which is recorded.
pub(crate) unsafe extern "system" fn GetProgramStringARB(
    target: GLenum,
    name: GLenum,
    text: *mut c_void,
) {
    let answer = current_context::with(|state| queries::bound_program_string(state, target, name));
    // SAFETY: the application has queried the length.
    unsafe { write_program_string(text, answer.flatten()) };
}

/// Writes the string of a program by name to memory of the application (EXT_direct_state_access).
/// Writes nothing after an error, which is recorded.
pub(crate) unsafe extern "system" fn GetNamedProgramStringEXT(
    program: GLuint,
    _target: GLenum,
    name: GLenum,
    text: *mut c_void,
) {
    let answer = current_context::with(|state| queries::named_program_string(state, program, name));
    // SAFETY: the application has queried the length.
    unsafe { write_program_string(text, answer.flatten()) };
}

/// Writes the string of a program by name to memory of the application (NV_vertex_program). Writes
/// nothing after an error, which is recorded.
pub(crate) unsafe extern "system" fn GetProgramStringNV(
    program: GLuint,
    name: GLenum,
    text: *mut GLubyte,
) {
    let answer = current_context::with(|state| queries::named_program_string(state, program, name));
    // SAFETY: the application has queried the length.
    unsafe { write_program_string(text.cast(), answer.flatten()) };
}

/// Uses a program object of the application, which takes precedence over programs of this library,
/// now or in the display list that is being compiled.
pub(crate) unsafe extern "system" fn UseProgram(program: GLuint) {
    if current_context::with(|state| program_commands::issue(state, Command::UseProgram(program)))
        .is_none()
    {
        driver::UseProgram(program);
    }
}

pub(crate) use UseProgram as UseProgramObjectARB;

/// Returns the program object that the application uses, which may not be the driver's current one;
/// all other handles are the driver's.
pub(crate) unsafe extern "system" fn GetHandleARB(name: GLenum) -> GLhandleARB {
    const PROGRAM_OBJECT: GLenum = driver::constants::PROGRAM_OBJECT_ARB;
    let used =
        current_context::with(|state| state.capabilities.works.then_some(state.glsl_program));
    match used.flatten() {
        Some(used) if name == PROGRAM_OBJECT => used,
        Some(_) | None => driver::GetHandleARB(name),
    }
}

/// Links a program object of the application, which may draw together with programs of this
/// library.
pub(crate) unsafe extern "system" fn LinkProgram(program: GLuint) {
    if current_context::with(|state| mixed_pipeline::link_program(state, program)).is_none() {
        driver::LinkProgram(program);
    }
}

pub(crate) use LinkProgram as LinkProgramARB;

/// Queries a property of a program object: separability as the application has set it, all others
/// from the driver.
pub(crate) unsafe extern "system" fn GetProgramiv(
    program: GLuint,
    name: GLenum,
    value: *mut GLint,
) {
    let answer =
        current_context::with(|state| queries::query_glsl_program_value(state, program, name))
            .flatten();
    match answer {
        // SAFETY: the application has space for one value.
        Some(answer) => unsafe { client_memory::write(value, &[answer]) },
        // SAFETY: the application has space for the value.
        None => unsafe { driver::GetProgramiv(program, name, value) },
    }
}

/// Restores the application's state of draws, marks programs as changed, and binds a pipeline
/// object of the application.
pub(crate) unsafe extern "system" fn BindProgramPipeline(pipeline: GLuint) {
    current_context::with(|state| {
        draw::restore_application_state(state);
        state.glsl_pipeline = pipeline;
        state.mark_changed(crate::context::StateGroups::PROGRAMS);
    });
    driver::BindProgramPipeline(pipeline);
}

/// Prepares the compute program and dispatches work groups. Dispatches nothing if the preparation
/// records an error.
pub(crate) unsafe extern "system" fn DispatchCompute(x: GLuint, y: GLuint, z: GLuint) {
    if prepare_dispatch(None) {
        driver::DispatchCompute(x, y, z);
    }
}

/// Prepares the compute program and dispatches as many work groups as a buffer states. Dispatches
/// nothing if the preparation records an error.
pub(crate) unsafe extern "system" fn DispatchComputeIndirect(offset: GLintptr) {
    if prepare_dispatch(None) {
        driver::DispatchComputeIndirect(offset);
    }
}

/// Dispatches groups of a size: with a program of this library, whose modules contain the size, by
/// `DispatchCompute`, otherwise by the driver's command. Records `GL_INVALID_VALUE` for an invalid
/// size.
pub(crate) unsafe extern "system" fn DispatchComputeGroupSizeARB(
    x: GLuint,
    y: GLuint,
    z: GLuint,
    group_x: GLuint,
    group_y: GLuint,
    group_z: GLuint,
) {
    let group = [group_x, group_y, group_z];
    match current_context::with(|state| compute::check_group_size(state, group)) {
        Some(Some(true)) if prepare_dispatch(Some(group)) => driver::DispatchCompute(x, y, z),
        Some(Some(_)) => {}
        Some(None) | None => {
            current_context::with(draw::restore_application_state);
            driver::DispatchComputeGroupSizeARB(x, y, z, group_x, group_y, group_z);
        }
    }
}

/// Prepares the compute program for work groups. Returns false if that has recorded an error, so
/// that nothing may be dispatched; true without a context of this library.
fn prepare_dispatch(group_size: Option<[u32; 3]>) -> bool {
    current_context::with(|state| compute::prepare_dispatch(state, group_size))
        != Some(DrawDecision::Skip)
}

/// Returns the barriers for the driver: with that of atomic counters also that of storage buffers,
/// which counters are in modules of this library.
fn translate_barriers(barriers: GLbitfield) -> GLbitfield {
    match barriers & driver::constants::ATOMIC_COUNTER_BARRIER_BIT {
        0 => barriers,
        _ => barriers | driver::constants::SHADER_STORAGE_BARRIER_BIT,
    }
}

/// Orders memory accesses: `glMemoryBarrier` with the bits of [`translate_barriers`].
pub(crate) unsafe extern "system" fn MemoryBarrier(bits: GLbitfield) {
    driver::MemoryBarrier(translate_barriers(bits));
}

/// Orders memory accesses of fragments in the same region: `glMemoryBarrierByRegion` with the bits
/// of [`translate_barriers`].
pub(crate) unsafe extern "system" fn MemoryBarrierByRegion(bits: GLbitfield) {
    driver::MemoryBarrierByRegion(translate_barriers(bits));
}
