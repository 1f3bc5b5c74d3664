//! Buffers by the targets of parameter buffers: NV_parameter_buffer_object section 2.9. The driver
//! has none of these targets, so another one is used, whose buffer is restored.
//!
//! Object names that applications use, before the command that uses them: an object of this library
//! with such a name is renamed. See `crate::object_names`.

#![allow(non_snake_case, reason = "names are those of the registry")]
use super::super::driver::types::*;
use super::super::{client_memory, current_context, driver, driver_state};
use crate::context::State;
use crate::object_names;
use crate::program_commands::INVALID_VALUE;
use crate::program_limits;
use crate::target::Target;
use std::ffi::c_void;

/// `COPY_WRITE_BUFFER`, which affects no draw and is not part of the state of arrays.
const SUBSTITUTE_TARGET: GLenum = 0x8F37;

/// Driver's target for a target of this library, with the buffer that is bound again after the
/// command.
struct TargetSubstitution {
    target: GLenum,
    previous_buffer: Option<GLuint>,
}

impl TargetSubstitution {
    /// Binds the buffer of a target of this library to [`SUBSTITUTE_TARGET`] of the driver until
    /// the value is dropped. For other targets it binds nothing and uses the target itself.
    fn bind_substitute(target: GLenum) -> Self {
        let Some(ours) = Target::from_buffer_enumerant(target) else {
            return Self {
                target,
                previous_buffer: None,
            };
        };
        let bound = current_context::with(|state| state.bound_buffers[ours as usize]).unwrap_or(0);
        let before = driver_state::integer(driver::constants::COPY_WRITE_BUFFER_BINDING) as GLuint;
        driver::BindBuffer(SUBSTITUTE_TARGET, bound);
        Self {
            target: SUBSTITUTE_TARGET,
            previous_buffer: Some(before),
        }
    }
}

impl Drop for TargetSubstitution {
    fn drop(&mut self) {
        if let Some(before) = self.previous_buffer {
            driver::BindBuffer(SUBSTITUTE_TARGET, before);
        }
    }
}

/// Binds a buffer to a target. For targets of parameter buffers the driver creates the buffer if
/// the name is new, and the binding is recorded by this library.
pub(crate) unsafe extern "system" fn BindBuffer(target: GLenum, buffer: GLuint) {
    match Target::from_buffer_enumerant(target) {
        Some(ours) => {
            // The driver creates a buffer of the name.
            let stand = TargetSubstitution::bind_substitute(target);
            driver::BindBuffer(stand.target, buffer);
            current_context::with(|state| state.bound_buffers[ours as usize] = buffer);
        }
        None => driver::BindBuffer(target, buffer),
    }
}

/// Allocates the buffer of a target and fills it, for parameter buffers through a substitute
/// target.
pub(crate) unsafe extern "system" fn BufferData(
    target: GLenum,
    size: GLsizeiptr,
    data: *const c_void,
    usage: GLenum,
) {
    let stand = TargetSubstitution::bind_substitute(target);
    // SAFETY: the application has as many bytes.
    unsafe { driver::BufferData(stand.target, size, data, usage) };
}

/// Writes a part of the buffer of a target, for parameter buffers through a substitute target.
pub(crate) unsafe extern "system" fn BufferSubData(
    target: GLenum,
    offset: GLintptr,
    size: GLsizeiptr,
    data: *const c_void,
) {
    let stand = TargetSubstitution::bind_substitute(target);
    // SAFETY: the application has as many bytes.
    unsafe { driver::BufferSubData(stand.target, offset, size, data) };
}

/// Reads a part of the buffer of a target, for parameter buffers through a substitute target.
pub(crate) unsafe extern "system" fn GetBufferSubData(
    target: GLenum,
    offset: GLintptr,
    size: GLsizeiptr,
    data: *mut c_void,
) {
    let stand = TargetSubstitution::bind_substitute(target);
    // SAFETY: the application has space for as many bytes.
    unsafe { driver::GetBufferSubData(stand.target, offset, size, data) };
}

/// Queries a property of the buffer of a target, for parameter buffers through a substitute target.
pub(crate) unsafe extern "system" fn GetBufferParameteriv(
    target: GLenum,
    name: GLenum,
    value: *mut GLint,
) {
    let stand = TargetSubstitution::bind_substitute(target);
    // SAFETY: the application has space for the value.
    unsafe { driver::GetBufferParameteriv(stand.target, name, value) };
}

/// Maps the buffer of a target, for parameter buffers through a substitute target.
pub(crate) unsafe extern "system" fn MapBuffer(target: GLenum, access: GLenum) -> *mut c_void {
    let stand = TargetSubstitution::bind_substitute(target);
    // SAFETY: it reads no memory.
    unsafe { driver::MapBuffer(stand.target, access) }
}

/// Maps a part of the buffer of a target, for parameter buffers through a substitute target.
pub(crate) unsafe extern "system" fn MapBufferRange(
    target: GLenum,
    offset: GLintptr,
    length: GLsizeiptr,
    access: GLbitfield,
) -> *mut c_void {
    let stand = TargetSubstitution::bind_substitute(target);
    // SAFETY: it reads no memory.
    unsafe { driver::MapBufferRange(stand.target, offset, length, access) }
}

/// Unmaps the buffer of a target, for parameter buffers through a substitute target.
pub(crate) unsafe extern "system" fn UnmapBuffer(target: GLenum) -> GLboolean {
    let stand = TargetSubstitution::bind_substitute(target);
    driver::UnmapBuffer(stand.target)
}

/// Result of a query of indexed state.
enum IndexedQuery {
    Value(GLint),
    /// The query is an error, which is recorded.
    Error,
    /// The driver has the state.
    Driver,
}

/// Queries indexed state that this library defines: the buffer of a numbered binding of parameter
/// buffers, 0 for none, and the maximum size of a work group. Records `GL_INVALID_VALUE` for a
/// binding beyond the limit (NV_parameter_buffer_object, "Errors").
fn query_indexed(target: GLenum, index: GLuint) -> IndexedQuery {
    let query = |state: &mut State| {
        if let Some(ours) = Target::from_buffer_enumerant(target) {
            let buffer = state.buffers[ours as usize].get(index as usize);
            let Some(buffer) = buffer.map(|it| it.buffer as GLint) else {
                state.record_error(INVALID_VALUE);
                return IndexedQuery::Error;
            };
            return IndexedQuery::Value(buffer);
        }
        let is_group = target == driver::constants::MAX_COMPUTE_WORK_GROUP_SIZE;
        let size = (is_group && state.capabilities.works && !state.is_inside_begin_end)
            .then(|| program_limits::query_group_size_limit(index));
        size.flatten()
            .map_or(IndexedQuery::Driver, IndexedQuery::Value)
    };
    current_context::with(query).unwrap_or(IndexedQuery::Driver)
}

/// Queries indexed state: that of [`query_indexed`] from this library, all other from the driver; a
/// uniform buffer of this library is reported as 0.
pub(crate) unsafe extern "system" fn GetIntegeri_v(
    target: GLenum,
    index: GLuint,
    value: *mut GLint,
) {
    match query_indexed(target, index) {
        // SAFETY: the application has space for the value.
        IndexedQuery::Value(found) => unsafe { client_memory::write(value, &[found]) },
        IndexedQuery::Error => {}
        IndexedQuery::Driver => {
            // SAFETY: the application has space for the values.
            unsafe { driver::GetIntegeri_v(target, index, value) };
            if target == driver::constants::UNIFORM_BUFFER_BINDING && !value.is_null() {
                // SAFETY: the binding is one number, which the driver has written or left
                // unchanged.
                let buffer = unsafe { client_memory::value(value.cast_const(), 0) } as GLuint;
                if hide_buffer_name(buffer) != buffer {
                    // SAFETY: the application has space for it.
                    unsafe { client_memory::write(value, &[0]) };
                }
            }
        }
    }
}

pub(crate) use GetIntegeri_v as GetIntegerIndexedvEXT;

/// Calls `work` with the state of the current context. `None`, without a call, if this library has
/// no objects or there is no context.
fn with_state_if_objects<R>(work: impl FnOnce(&mut State) -> R) -> Option<R> {
    if object_names::may_have_objects() {
        current_context::with(work)
    } else {
        None
    }
}

/// Deletes the buffer of this library that has a name, so that the application can use the name.
pub(crate) fn claim_buffer(name: GLuint) {
    with_state_if_objects(|state| state.claim_buffer(name));
}

/// Deletes the buffers of this library that have one of the names, so that the application can use
/// these.
///
/// # Safety
/// `list` is null or has `count` names.
pub(crate) unsafe fn claim_buffers(count: GLsizei, list: *const GLuint) {
    with_state_if_objects(|state| {
        // SAFETY: ensured by the caller.
        let names = unsafe { client_memory::values(list, count) };
        names.for_each(|name| state.claim_buffer(name));
    });
}

/// Moves the texture of this library that has a name to another name, so that the application can
/// use the name.
pub(crate) fn claim_texture(name: GLuint) {
    with_state_if_objects(|state| state.claim_texture(name));
}

/// Moves the textures of this library that have one of the names to other names, so that the
/// application can use these.
///
/// # Safety
/// `list` is null or has `count` names.
pub(crate) unsafe fn claim_textures(count: GLsizei, list: *const GLuint) {
    with_state_if_objects(|state| {
        // SAFETY: ensured by the caller.
        let names = unsafe { client_memory::values(list, count) };
        names.for_each(|name| state.claim_texture(name));
    });
}

/// Returns the name of a buffer for the driver: an unused one if a buffer of this library has it,
/// and `name` otherwise.
pub(crate) fn hide_buffer_name(name: GLuint) -> GLuint {
    with_state_if_objects(|state| state.hide_buffer_name(name)).unwrap_or(name)
}

/// Returns the name of a program object for the driver: an unused one if a program object of this
/// library has it, and `name` otherwise.
pub(crate) fn hide_program_name(name: GLuint) -> GLuint {
    with_state_if_objects(|state| state.hide_program_name(name)).unwrap_or(name)
}

/// Returns the name of a pipeline object for the driver: an unused one if it is the internal
/// pipeline object of the current context, and `name` otherwise.
pub(crate) fn hide_pipeline_name(name: GLuint) -> GLuint {
    with_state_if_objects(|state| state.hide_pipeline_name(name)).unwrap_or(name)
}

/// Returns the name of an object of a kind (`GL_BUFFER`) for the driver: an unused one if an object
/// of this library has it, and `name` otherwise. A texture of this library moves to another name
/// instead.
pub(crate) fn hide_object_name(kind: GLenum, name: GLuint) -> GLuint {
    match kind {
        driver::constants::BUFFER => hide_buffer_name(name),
        driver::constants::PROGRAM => hide_program_name(name),
        driver::constants::PROGRAM_PIPELINE => hide_pipeline_name(name),
        driver::constants::TEXTURE => {
            claim_texture(name);
            name
        }
        _ => name,
    }
}

/// Executes `DeleteProgramPipelines` if the list has the name of this library's pipeline object,
/// which is ignored as any name that was not generated. Returns true if it did; false leaves the
/// command to the driver.
///
/// # Safety
/// `list` is null or has `count` names.
pub(crate) unsafe fn delete_pipelines(count: GLsizei, list: *const GLuint) -> bool {
    // SAFETY: ensured by the caller.
    let names = || unsafe { client_memory::values(list, count) };
    let has_ours =
        with_state_if_objects(|state| names().any(|name| state.hide_pipeline_name(name) != name));
    if has_ours != Some(true) {
        return false;
    }
    for name in names().filter(|name| hide_pipeline_name(*name) == *name) {
        // SAFETY: one name is read.
        unsafe { driver::DeleteProgramPipelines(1, &name) };
    }
    true
}
