//! Ranges of memory: NV_vertex_array_range, NV_pixel_data_range; and client state that they are
//! part of.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{client_memory, current_context, driver};
use crate::context::State;
use crate::memory_ranges;
use std::ffi::c_void;

/// Sets the range of vertex arrays; also while a display list is compiled.
pub(crate) unsafe extern "system" fn VertexArrayRangeNV(length: GLsizei, pointer: *const c_void) {
    current_context::with(|state| {
        memory_ranges::set_vertex_range(state, length, pointer as usize);
    });
}

/// Flushes the range of vertex arrays; also while a display list is compiled.
pub(crate) unsafe extern "system" fn FlushVertexArrayRangeNV() {
    current_context::with(memory_ranges::flush_vertex_range);
}

/// Sets a range of pixels; also while a display list is compiled.
pub(crate) unsafe extern "system" fn PixelDataRangeNV(
    target: GLenum,
    length: GLsizei,
    pointer: *const c_void,
) {
    current_context::with(|state| {
        memory_ranges::set_pixel_range(state, target, length, pointer as usize);
    });
}

/// Flushes a range of pixels; also while a display list is compiled.
pub(crate) unsafe extern "system" fn FlushPixelDataRangeNV(target: GLenum) {
    current_context::with(|state| memory_ranges::flush_pixel_range(state, target));
}

/// Writes an address that the application has set: those of ranges are of this library, all others
/// of the driver.
pub(crate) unsafe extern "system" fn GetPointerv(name: GLenum, pointer: *const *mut c_void) {
    let find = |state: &mut State| {
        let is_allowed = state.capabilities.works && !state.is_inside_begin_end;
        is_allowed.then(|| state.extensions.ranges.query_pointer(name))
    };
    match current_context::with(find).flatten().flatten() {
        // SAFETY: the application has space for a pointer.
        Some(address) => unsafe {
            client_memory::write(pointer.cast_mut(), &[address as *mut c_void]);
        },
        // SAFETY: the same.
        None => unsafe { driver::GetPointerv(name, pointer) },
    }
}

pub(crate) use GetPointerv as GetPointervEXT;

/// Saves client state in the driver, and the ranges of this library.
pub(crate) unsafe extern "system" fn PushClientAttrib(mask: GLbitfield) {
    change_client_stack(mask, || driver::PushClientAttrib(mask));
}

/// Restores client state in the driver, and the ranges of this library.
pub(crate) unsafe extern "system" fn PopClientAttrib() {
    change_client_stack(0, driver::PopClientAttrib);
}

/// Saves client state and sets it to its initial values.
pub(crate) unsafe extern "system" fn PushClientAttribDefaultEXT(mask: GLbitfield) {
    change_client_stack(mask, || driver::PushClientAttribDefaultEXT(mask));
    current_context::with(|state| memory_ranges::reset_ranges(state, mask));
}

/// Sets client state to its initial values.
pub(crate) unsafe extern "system" fn ClientAttribDefaultEXT(mask: GLbitfield) {
    current_context::with(|state| {
        state.arrays_change();
        memory_ranges::reset_ranges(state, mask);
    });
    driver::ClientAttribDefaultEXT(mask);
}

/// Executes a command of the driver that pushes or pops client state, with the ranges of the current
/// context if there is one.
fn change_client_stack(mask: GLbitfield, execute: impl Fn()) {
    let execute_with = |state: &mut State| {
        memory_ranges::change_client_stack(state, mask, &execute);
    };
    if current_context::with(execute_with).is_none() {
        execute();
    }
}
