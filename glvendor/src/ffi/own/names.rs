//! Names that applications use, before the command that uses them: an object of this library with
//! such a name is renamed. See `crate::names`.

use super::super::driver::types::*;
use super::super::{current, driver, memory};
use crate::names;

/// Calls `work` with the state of the current context, if this library may have objects.
fn with<R>(work: impl FnOnce(&mut crate::context::State) -> R) -> Option<R> {
    if names::exist() {
        current::with(work)
    } else {
        None
    }
}

pub(crate) fn claim_buffer(name: GLuint) {
    with(|state| state.claim_buffer(name));
}

/// # Safety
/// `list` is null or has `count` names.
pub(crate) unsafe fn claim_buffers(count: GLsizei, list: *const GLuint) {
    // SAFETY: ensured by the caller.
    with(|state| unsafe { memory::values(list, count) }.for_each(|name| state.claim_buffer(name)));
}

pub(crate) fn claim_texture(name: GLuint) {
    with(|state| state.claim_texture(name));
}

/// # Safety
/// `list` is null or has `count` names.
pub(crate) unsafe fn claim_textures(count: GLsizei, list: *const GLuint) {
    // SAFETY: ensured by the caller.
    with(|state| unsafe { memory::values(list, count) }.for_each(|name| state.claim_texture(name)));
}

pub(crate) fn foreign_buffer(name: GLuint) -> GLuint {
    with(|state| state.foreign_buffer(name)).unwrap_or(name)
}

pub(crate) fn foreign_program(name: GLuint) -> GLuint {
    with(|state| state.foreign_program(name)).unwrap_or(name)
}

pub(crate) fn foreign_pipeline(name: GLuint) -> GLuint {
    with(|state| state.foreign_pipeline(name)).unwrap_or(name)
}

/// Returns the name of an object of a kind: `GL_BUFFER`.
pub(crate) fn foreign_object(kind: GLenum, name: GLuint) -> GLuint {
    match kind {
        driver::constants::BUFFER => foreign_buffer(name),
        driver::constants::PROGRAM => foreign_program(name),
        driver::constants::PROGRAM_PIPELINE => foreign_pipeline(name),
        driver::constants::TEXTURE => {
            claim_texture(name);
            name
        }
        _ => name,
    }
}

/// Executes `DeleteProgramPipelines` if the list has the name of this library's pipeline object,
/// which is ignored as any name that was not generated. Returns true if the command is complete.
///
/// # Safety
/// `list` is null or has `count` names.
pub(crate) unsafe fn delete_pipelines(count: GLsizei, list: *const GLuint) -> bool {
    // SAFETY: ensured by the caller.
    let names = || unsafe { memory::values(list, count) };
    let has_ours = with(|state| names().any(|name| state.foreign_pipeline(name) != name));
    if has_ours != Some(true) {
        return false;
    }
    for name in names().filter(|name| foreign_pipeline(*name) == *name) {
        // SAFETY: one name is read.
        unsafe { driver::DeleteProgramPipelines(1, &name) };
    }
    true
}
