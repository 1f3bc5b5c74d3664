//! Fences, occlusion queries, conditional rendering and hints: NV_fence, NV_occlusion_query,
//! NVX_conditional_render, NV_multisample_filter_hint.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{client_memory, current_context, driver};
use crate::context::State;
use crate::extension_commands::ExtensionCommand;
use crate::fences;
use crate::multisample_hint::MULTISAMPLE_FILTER_HINT;
use crate::occlusion_queries;
use crate::program_commands::{self, Command, INVALID_OPERATION, INVALID_VALUE};

/// Compiles a command into the list that is being compiled, or executes it.
fn issue(command: ExtensionCommand) {
    current_context::with(|state| {
        program_commands::issue(state, Command::Extension(command));
    });
}

/// Checks a number of names. Records `GL_INVALID_OPERATION` between `Begin` and `End` and if
/// `is_allowed` returns false, and `GL_INVALID_VALUE` for a negative number; then returns `None`.
fn check_count(state: &mut State, count: GLsizei, is_allowed: fn(&State) -> bool) -> Option<usize> {
    let error = match usize::try_from(count) {
        _ if state.is_inside_begin_end => INVALID_OPERATION,
        Err(_) => INVALID_VALUE,
        Ok(_) if !is_allowed(state) => INVALID_OPERATION,
        Ok(count) => return Some(count),
    };
    state.record_error(error);
    None
}

/// Commands that generate names, delete objects by name, and test names.
macro_rules! names {
    ($($generate:ident, $delete:ident, $is:ident, $objects:ident, $test:ident, $is_allowed:expr;)*) => {$(
        /// Generates names, with the errors of [`check_count`].
        pub(crate) unsafe extern "system" fn $generate(count: GLsizei, names: *mut GLuint) {
            current_context::with(|state| {
                let count = check_count(state, count, $is_allowed)?;
                for index in (0..count).take_while(|_| !names.is_null()) {
                    let name = state.extensions.$objects.generate_name();
                    // SAFETY: the application has space for `count` names.
                    unsafe { client_memory::write(names.add(index), &[name]) };
                }
                Some(())
            });
        }

        /// Deletes objects, with the errors of [`check_count`]; ignores names of none.
        pub(crate) unsafe extern "system" fn $delete(count: GLsizei, names: *const GLuint) {
            current_context::with(|state| {
                check_count(state, count, $is_allowed)?;
                // SAFETY: the application has as many names.
                let names = unsafe { client_memory::values(names, count) };
                names.for_each(|name| state.extensions.$objects.delete(name));
                Some(())
            });
        }

        /// Returns true if a name is that of an object. Records `GL_INVALID_OPERATION` between
        /// `Begin` and `End`.
        pub(crate) unsafe extern "system" fn $is(name: GLuint) -> GLboolean {
            let is_object = current_context::with(|state| {
                check_count(state, 0, |_| true)?;
                Some(state.extensions.$objects.$test(name))
            });
            is_object.flatten().unwrap_or(false).into()
        }
    )*};
}

names! {
    GenFencesNV, DeleteFencesNV, IsFenceNV, fences, is_fence, |_| true;
    GenOcclusionQueriesNV, DeleteOcclusionQueriesNV, IsOcclusionQueryNV, occlusion, is_query,
        |state| !state.extensions.occlusion.is_active();
}

/// Sets a fence, now or in the display list that is being compiled.
pub(crate) unsafe extern "system" fn SetFenceNV(name: GLuint, condition: GLenum) {
    issue(ExtensionCommand::SetFence(name, condition));
}

/// Returns the status of a fence; true after an error.
pub(crate) unsafe extern "system" fn TestFenceNV(name: GLuint) -> GLboolean {
    let status = current_context::with(|state| fences::test_fence(state, name));
    status.unwrap_or(true).into()
}

/// Waits until a fence is complete.
pub(crate) unsafe extern "system" fn FinishFenceNV(name: GLuint) {
    current_context::with(|state| fences::finish_fence(state, name));
}

/// Writes the status or the condition of a fence; nothing after an error.
pub(crate) unsafe extern "system" fn GetFenceivNV(
    name: GLuint,
    property: GLenum,
    value: *mut GLint,
) {
    let found = current_context::with(|state| fences::query_fence(state, name, property));
    if let Some(found) = found.flatten() {
        // SAFETY: the application has space for one number.
        unsafe { client_memory::write(value, &[found]) };
    }
}

/// Begins an occlusion query, now or in the display list that is being compiled.
pub(crate) unsafe extern "system" fn BeginOcclusionQueryNV(name: GLuint) {
    issue(ExtensionCommand::BeginOcclusionQuery(name));
}

/// Ends the active occlusion query, now or in the display list that is being compiled.
pub(crate) unsafe extern "system" fn EndOcclusionQueryNV() {
    issue(ExtensionCommand::EndOcclusionQuery);
}

/// Writes a value of an occlusion query, converted to the type of the command; nothing after an
/// error.
macro_rules! occlusion_values {
    ($($name:ident, $ty:ty, $convert:expr;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(name: GLuint, property: GLenum, value: *mut $ty) {
            let found = current_context::with(|state| occlusion_queries::query_count(state, name, property));
            if let Some(found) = found.flatten() {
                // SAFETY: the application has space for one number.
                unsafe { client_memory::write(value, &[($convert)(found)]) };
            }
        }
    )*};
}

occlusion_values! {
    GetOcclusionQueryivNV, GLint, |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
    GetOcclusionQueryuivNV, GLuint, |count: u32| count;
}

/// Begins draws that depend on a query, now or in the display list that is being compiled.
pub(crate) unsafe extern "system" fn BeginConditionalRenderNVX(name: GLuint) {
    issue(ExtensionCommand::BeginConditionalRender(name));
}

/// Ends draws that depend on a query, now or in the display list that is being compiled.
pub(crate) unsafe extern "system" fn EndConditionalRenderNVX() {
    issue(ExtensionCommand::EndConditionalRender);
}

/// Sets a hint, now or in the display list that is being compiled: that of multisample filters in
/// this library, all others in the driver.
pub(crate) unsafe extern "system" fn Hint(target: GLenum, mode: GLenum) {
    let works = || current_context::with(|state| state.capabilities.works) == Some(true);
    if target == MULTISAMPLE_FILTER_HINT && works() {
        issue(ExtensionCommand::MultisampleHint(mode));
    } else {
        driver::Hint(target, mode);
    }
}

/// Stops the count of the occlusion test before the application begins a query of a target.
fn prepare_driver_query(target: GLenum) {
    current_context::with(|state| {
        if !state.is_inside_begin_end {
            state.extensions.occlusion.prepare_driver_query(target);
        }
    });
}

/// Ends a query of the driver of a target by `end`, and lets the occlusion test count again.
fn end_driver_query(target: GLenum, end: impl FnOnce()) {
    let query = current_context::with(|state| {
        let occlusion = &state.extensions.occlusion;
        let is_testing = occlusion.is_testing && !state.is_inside_begin_end;
        is_testing.then(|| occlusion.read_active_query())
    });
    end();
    if let Some(query) = query.flatten() {
        current_context::with(|state| {
            let occlusion = &mut state.extensions.occlusion;
            occlusion.resume_after_driver_query(target, query);
        });
    }
}

/// Begins a query of the driver.
pub(crate) unsafe extern "system" fn BeginQuery(target: GLenum, name: GLuint) {
    prepare_driver_query(target);
    driver::BeginQuery(target, name);
}

/// Ends a query of the driver.
pub(crate) unsafe extern "system" fn EndQuery(target: GLenum) {
    end_driver_query(target, || driver::EndQuery(target));
}

pub(crate) use BeginQuery as BeginQueryARB;
pub(crate) use EndQuery as EndQueryARB;

/// Begins a query of the driver for a vertex stream.
pub(crate) unsafe extern "system" fn BeginQueryIndexed(
    target: GLenum,
    index: GLuint,
    name: GLuint,
) {
    prepare_driver_query(target);
    driver::BeginQueryIndexed(target, index, name);
}

/// Ends a query of the driver for a vertex stream.
pub(crate) unsafe extern "system" fn EndQueryIndexed(target: GLenum, index: GLuint) {
    end_driver_query(target, || driver::EndQueryIndexed(target, index));
}
