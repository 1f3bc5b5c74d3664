//! Buffers by the targets of parameter buffers: NV_parameter_buffer_object section 2.9. The driver
//! has none of these targets, so another one is used, whose buffer is restored.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{current, driver, memory, query};
use crate::target::Target;
use std::ffi::c_void;

/// `COPY_WRITE_BUFFER`, which affects no draw and is not part of the state of arrays.
const OTHER: GLenum = 0x8F37;

/// Driver's target for a target of this library, with the buffer that is bound again after the
/// command.
struct Stand {
    target: GLenum,
    before: Option<GLuint>,
}

impl Stand {
    /// Binds the buffer of a target of this library to a target of the driver.
    fn of(target: GLenum) -> Self {
        let Some(ours) = Target::of_buffers(target) else {
            return Self {
                target,
                before: None,
            };
        };
        let bound = current::with(|state| state.bound_buffers[ours as usize]).unwrap_or(0);
        let before = query::integer(driver::constants::COPY_WRITE_BUFFER_BINDING) as GLuint;
        driver::BindBuffer(OTHER, bound);
        Self {
            target: OTHER,
            before: Some(before),
        }
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            driver::BindBuffer(OTHER, before);
        }
    }
}

pub(crate) unsafe extern "system" fn BindBuffer(target: GLenum, buffer: GLuint) {
    match Target::of_buffers(target) {
        Some(ours) => {
            // The driver creates a buffer of the name.
            let stand = Stand::of(target);
            driver::BindBuffer(stand.target, buffer);
            current::with(|state| state.bound_buffers[ours as usize] = buffer);
        }
        None => driver::BindBuffer(target, buffer),
    }
}

pub(crate) unsafe extern "system" fn BufferData(
    target: GLenum,
    size: GLsizeiptr,
    data: *const c_void,
    usage: GLenum,
) {
    let stand = Stand::of(target);
    // SAFETY: the application has as many bytes.
    unsafe { driver::BufferData(stand.target, size, data, usage) };
}

pub(crate) unsafe extern "system" fn BufferSubData(
    target: GLenum,
    offset: GLintptr,
    size: GLsizeiptr,
    data: *const c_void,
) {
    let stand = Stand::of(target);
    // SAFETY: the application has as many bytes.
    unsafe { driver::BufferSubData(stand.target, offset, size, data) };
}

pub(crate) unsafe extern "system" fn GetBufferSubData(
    target: GLenum,
    offset: GLintptr,
    size: GLsizeiptr,
    data: *mut c_void,
) {
    let stand = Stand::of(target);
    // SAFETY: the application has space for as many bytes.
    unsafe { driver::GetBufferSubData(stand.target, offset, size, data) };
}

pub(crate) unsafe extern "system" fn GetBufferParameteriv(
    target: GLenum,
    name: GLenum,
    value: *mut GLint,
) {
    let stand = Stand::of(target);
    // SAFETY: the application has space for the value.
    unsafe { driver::GetBufferParameteriv(stand.target, name, value) };
}

pub(crate) unsafe extern "system" fn MapBuffer(target: GLenum, access: GLenum) -> *mut c_void {
    let stand = Stand::of(target);
    // SAFETY: it reads no memory.
    unsafe { driver::MapBuffer(stand.target, access) }
}

pub(crate) unsafe extern "system" fn MapBufferRange(
    target: GLenum,
    offset: GLintptr,
    length: GLsizeiptr,
    access: GLbitfield,
) -> *mut c_void {
    let stand = Stand::of(target);
    // SAFETY: it reads no memory.
    unsafe { driver::MapBufferRange(stand.target, offset, length, access) }
}

pub(crate) unsafe extern "system" fn UnmapBuffer(target: GLenum) -> GLboolean {
    let stand = Stand::of(target);
    driver::UnmapBuffer(stand.target)
}

/// Returns the buffer of a numbered binding, if the target has parameter buffers.
fn bound(target: GLenum, index: GLuint) -> Option<GLint> {
    let ours = Target::of_buffers(target)?;
    let buffers = current::with(|state| state.buffers[ours as usize])?;
    Some(buffers.get(index as usize)?.buffer as GLint)
}

pub(crate) unsafe extern "system" fn GetIntegeri_v(
    target: GLenum,
    index: GLuint,
    value: *mut GLint,
) {
    match bound(target, index) {
        // SAFETY: the application has space for the value.
        Some(buffer) => unsafe { memory::write(value, &[buffer]) },
        None => {
            // SAFETY: the application has space for the values.
            unsafe { driver::GetIntegeri_v(target, index, value) };
            if target == driver::constants::UNIFORM_BUFFER_BINDING && !value.is_null() {
                // SAFETY: the binding is one number, which the driver has written or left
                // unchanged.
                let buffer = unsafe { memory::value(value.cast_const(), 0) } as GLuint;
                if super::foreign_buffer(buffer) != buffer {
                    // SAFETY: the application has space for it.
                    unsafe { memory::write(value, &[0]) };
                }
            }
        }
    }
}

pub(crate) use GetIntegeri_v as GetIntegerIndexedvEXT;
