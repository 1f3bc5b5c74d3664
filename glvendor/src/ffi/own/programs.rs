//! Program objects.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{current, driver, memory};
use crate::answers;
use crate::arguments;
use crate::commands::{self, Command};
use crate::compute;
use crate::draw::{self, Draw};
use crate::mixed_pipeline;
use std::ffi::c_void;

pub(crate) unsafe extern "system" fn GenProgramsARB(count: GLsizei, names: *mut GLuint) {
    current::with(|state| {
        // Without a list no names are generated.
        if arguments::check_names(state, count).is_none() || names.is_null() {
            return;
        }
        let mut left = usize::try_from(count).unwrap_or(0);
        let mut next = names;
        while left > 0 {
            let made = commands::generate(state, left.min(arguments::NAMES_AT_A_TIME));
            // SAFETY: the application has space for `count` names, of which these are the next
            // ones.
            unsafe {
                memory::write(next, &made);
                next = next.add(made.len());
            }
            left -= made.len();
        }
    });
}

pub(crate) use GenProgramsARB as GenProgramsNV;

pub(crate) unsafe extern "system" fn DeleteProgramsARB(count: GLsizei, names: *const GLuint) {
    current::with(|state| match count {
        // SAFETY: the application has as many names.
        0.. => commands::delete(state, unsafe { memory::values(names, count) }),
        _ => state.fail(commands::INVALID_VALUE),
    });
}

pub(crate) use DeleteProgramsARB as DeleteProgramsNV;

pub(crate) unsafe extern "system" fn BindProgramARB(target: GLenum, name: GLuint) {
    current::with(|state| commands::issue(state, Command::Bind(target, name)));
}

pub(crate) use BindProgramARB as BindProgramNV;

pub(crate) unsafe extern "system" fn IsProgramARB(name: GLuint) -> GLboolean {
    current::with(|state| state.shared().find(name).is_some())
        .unwrap_or(false)
        .into()
}

pub(crate) use IsProgramARB as IsProgramNV;

pub(crate) unsafe extern "system" fn ProgramStringARB(
    target: GLenum,
    format: GLenum,
    length: GLsizei,
    text: *const c_void,
) {
    current::with(|state| {
        arguments::check_format(state, target, format)?;
        arguments::check_length(state, length)?;
        // SAFETY: the text has that length.
        let text = unsafe { memory::bytes(text.cast(), length) };
        commands::issue(state, Command::LoadBound(target, format, text));
        Some(())
    });
}

pub(crate) unsafe extern "system" fn NamedProgramStringEXT(
    program: GLuint,
    target: GLenum,
    format: GLenum,
    length: GLsizei,
    text: *const c_void,
) {
    current::with(|state| {
        arguments::check_format(state, target, format)?;
        arguments::check_length(state, length)?;
        // SAFETY: the text has that length.
        let text = unsafe { memory::bytes(text.cast(), length) };
        commands::issue(state, Command::LoadNamed(program, target, format, text));
        Some(())
    });
}

pub(crate) unsafe extern "system" fn LoadProgramNV(
    target: GLenum,
    name: GLuint,
    length: GLsizei,
    text: *const GLubyte,
) {
    current::with(|state| {
        arguments::check_load(state, target, name)?;
        arguments::check_length(state, length)?;
        // SAFETY: the text has that length.
        let text = unsafe { memory::bytes(text, length) };
        commands::issue(state, Command::Load(target, name, text));
        Some(())
    });
}

pub(crate) unsafe extern "system" fn ExecuteProgramNV(
    target: GLenum,
    name: GLuint,
    argument: *const GLfloat,
) {
    current::with(|state| {
        if target != commands::VERTEX_STATE_PROGRAM_NV {
            return state.fail(commands::INVALID_ENUM);
        }
        // SAFETY: four components.
        let argument = unsafe { memory::values(argument.cast::<[GLfloat; 4]>(), 1) }.next();
        commands::issue(state, Command::Execute(name, argument.unwrap_or_default()));
    });
}

pub(crate) unsafe extern "system" fn AreProgramsResidentNV(
    count: GLsizei,
    names: *const GLuint,
    residences: *mut GLboolean,
) -> GLboolean {
    if count < 0 {
        current::with(|state| state.fail(commands::INVALID_VALUE));
        return 0;
    }
    // SAFETY: the application has as many names.
    let names = unsafe { memory::values(names, count) };
    let all = current::with(|state| answers::are_programs(state, names)).unwrap_or(false);
    if !all {
        return 0;
    }
    // All programs are always resident; their residences are not written then.
    let _ = residences;
    1
}

pub(crate) unsafe extern "system" fn RequestResidentProgramsNV(
    count: GLsizei,
    _names: *const GLuint,
) {
    // All programs are always resident.
    if count < 0 {
        current::with(|state| state.fail(commands::INVALID_VALUE));
    }
}

pub(crate) unsafe extern "system" fn TrackMatrixNV(
    target: GLenum,
    address: GLuint,
    matrix: GLenum,
    transform: GLenum,
) {
    current::with(|state| {
        commands::issue(state, Command::Track(target, address, matrix, transform))
    });
}

pub(crate) unsafe extern "system" fn GetTrackMatrixivNV(
    target: GLenum,
    address: GLuint,
    name: GLenum,
    value: *mut GLint,
) {
    let answer =
        current::with(|state| answers::track_matrix(state, target, address, name)).flatten();
    if let Some(answer) = answer {
        // SAFETY: the application has space for one value.
        unsafe { memory::write(value, &[answer]) };
    }
}

pub(crate) unsafe extern "system" fn ProgramVertexLimitNV(target: GLenum, limit: GLint) {
    current::with(|state| commands::set_vertex_limit(state, target, limit));
}

pub(crate) unsafe extern "system" fn GetProgramivARB(
    target: GLenum,
    name: GLenum,
    value: *mut GLint,
) {
    let answer = current::with(|state| {
        let target = answers::target(state, target)?;
        let program = std::sync::Arc::clone(&state.bound(target).program);
        answers::program_value(state, target, &program, name)
    });
    if let Some(answer) = answer.flatten() {
        // SAFETY: the application has space for one value.
        unsafe { memory::write(value, &[answer]) };
    }
}

pub(crate) unsafe extern "system" fn GetNamedProgramivEXT(
    program: GLuint,
    target: GLenum,
    name: GLenum,
    value: *mut GLint,
) {
    let answer = current::with(|state| {
        let target = answers::target(state, target)?;
        let program = state.shared().program(program);
        answers::program_value(state, target, &program, name)
    });
    if let Some(answer) = answer.flatten() {
        // SAFETY: the application has space for one value.
        unsafe { memory::write(value, &[answer]) };
    }
}

pub(crate) unsafe extern "system" fn GetProgramivNV(
    program: GLuint,
    name: GLenum,
    value: *mut GLint,
) {
    let answer = current::with(|state| answers::nv_program_value(state, program, name)).flatten();
    if let Some(answer) = answer {
        // SAFETY: the application has space for one value.
        unsafe { memory::write(value, &[answer]) };
    }
}

/// Writes a program string; GL adds no zero to it.
///
/// # Safety
/// The memory has sufficient size.
unsafe fn write_text(place: *mut c_void, text: Option<Vec<u8>>) {
    if let Some(text) = text {
        // SAFETY: ensured by the caller.
        unsafe { memory::write(place.cast(), &text) };
    }
}

pub(crate) unsafe extern "system" fn GetProgramStringARB(
    target: GLenum,
    name: GLenum,
    text: *mut c_void,
) {
    let answer = current::with(|state| answers::bound_text(state, target, name));
    // SAFETY: the application has queried the length.
    unsafe { write_text(text, answer.flatten()) };
}

pub(crate) unsafe extern "system" fn GetNamedProgramStringEXT(
    program: GLuint,
    _target: GLenum,
    name: GLenum,
    text: *mut c_void,
) {
    let answer = current::with(|state| answers::text(state, program, name));
    // SAFETY: the application has queried the length.
    unsafe { write_text(text, answer.flatten()) };
}

pub(crate) unsafe extern "system" fn GetProgramStringNV(
    program: GLuint,
    name: GLenum,
    text: *mut GLubyte,
) {
    let answer = current::with(|state| answers::text(state, program, name));
    // SAFETY: the application has queried the length.
    unsafe { write_text(text.cast(), answer.flatten()) };
}

pub(crate) unsafe extern "system" fn UseProgram(program: GLuint) {
    if current::with(|state| commands::issue(state, Command::Use(program))).is_none() {
        driver::UseProgram(program);
    }
}

pub(crate) use UseProgram as UseProgramObjectARB;

pub(crate) unsafe extern "system" fn GetHandleARB(name: GLenum) -> GLhandleARB {
    const PROGRAM_OBJECT: GLenum = driver::constants::PROGRAM_OBJECT_ARB;
    let used = current::with(|state| state.capabilities.works.then_some(state.used_program));
    match used.flatten() {
        Some(used) if name == PROGRAM_OBJECT => used,
        Some(_) | None => driver::GetHandleARB(name),
    }
}

pub(crate) unsafe extern "system" fn LinkProgram(program: GLuint) {
    if current::with(|state| mixed_pipeline::link(state, program)).is_none() {
        driver::LinkProgram(program);
    }
}

pub(crate) use LinkProgram as LinkProgramARB;

pub(crate) unsafe extern "system" fn GetProgramiv(
    program: GLuint,
    name: GLenum,
    value: *mut GLint,
) {
    let answer = current::with(|state| answers::object_value(state, program, name)).flatten();
    match answer {
        // SAFETY: the application has space for one value.
        Some(answer) => unsafe { memory::write(value, &[answer]) },
        // SAFETY: the application has space for the value.
        None => unsafe { driver::GetProgramiv(program, name, value) },
    }
}

pub(crate) unsafe extern "system" fn BindProgramPipeline(pipeline: GLuint) {
    current::with(|state| {
        draw::release(state);
        state.used_pipeline = pipeline;
        state.touch(crate::context::Groups::PROGRAMS);
    });
    driver::BindProgramPipeline(pipeline);
}

pub(crate) unsafe extern "system" fn DispatchCompute(x: GLuint, y: GLuint, z: GLuint) {
    if is_ready(None) {
        driver::DispatchCompute(x, y, z);
    }
}

pub(crate) unsafe extern "system" fn DispatchComputeIndirect(offset: GLintptr) {
    if is_ready(None) {
        driver::DispatchComputeIndirect(offset);
    }
}

/// Dispatches groups of a size, which modules of this library contain.
pub(crate) unsafe extern "system" fn DispatchComputeGroupSizeARB(
    x: GLuint,
    y: GLuint,
    z: GLuint,
    group_x: GLuint,
    group_y: GLuint,
    group_z: GLuint,
) {
    let group = [group_x, group_y, group_z];
    match current::with(|state| compute::checks_group(state, group)) {
        Some(Some(true)) if is_ready(Some(group)) => driver::DispatchCompute(x, y, z),
        Some(Some(_)) => {}
        Some(None) | None => {
            current::with(draw::release);
            driver::DispatchComputeGroupSizeARB(x, y, z, group_x, group_y, group_z);
        }
    }
}

/// Prepares programs for work groups; returns true if the driver may run them.
fn is_ready(group: Option<[u32; 3]>) -> bool {
    current::with(|state| compute::before_dispatch(state, group)) != Some(Draw::Nothing)
}

/// Converts barriers: counters are storage buffers in modules of this library.
fn barriers(barriers: GLbitfield) -> GLbitfield {
    match barriers & driver::constants::ATOMIC_COUNTER_BARRIER_BIT {
        0 => barriers,
        _ => barriers | driver::constants::SHADER_STORAGE_BARRIER_BIT,
    }
}

pub(crate) unsafe extern "system" fn MemoryBarrier(bits: GLbitfield) {
    driver::MemoryBarrier(barriers(bits));
}

pub(crate) unsafe extern "system" fn MemoryBarrierByRegion(bits: GLbitfield) {
    driver::MemoryBarrierByRegion(barriers(bits));
}
