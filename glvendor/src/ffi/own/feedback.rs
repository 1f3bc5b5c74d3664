//! Transform feedback: commands of NVIDIA's extensions, most of which OpenGL has under other names.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{current, driver, memory};
use crate::feedback;

pub(crate) unsafe extern "system" fn TransformFeedbackAttribsNV(
    count: GLsizei,
    parts: *const GLint,
    mode: GLenum,
) {
    current::with(|state| {
        feedback::check(state, [count, 0], mode)?;
        // SAFETY: three numbers for each part.
        let parts = unsafe { memory::values(parts.cast::<[GLint; 3]>(), count) };
        feedback::choose(state, parts.collect(), &[], mode);
        Some(())
    });
}

pub(crate) unsafe extern "system" fn TransformFeedbackStreamAttribsNV(
    count: GLsizei,
    parts: *const GLint,
    buffers: GLsizei,
    streams: *const GLint,
    mode: GLenum,
) {
    current::with(|state| {
        feedback::check(state, [count, buffers], mode)?;
        // SAFETY: three numbers for each part.
        let parts = unsafe { memory::values(parts.cast::<[GLint; 3]>(), count) };
        // SAFETY: a number for each buffer.
        let streams: Vec<GLint> = unsafe { memory::values(streams, buffers) }.collect();
        feedback::choose(state, parts.collect(), &streams, mode);
        Some(())
    });
}

pub(crate) unsafe extern "system" fn BeginTransformFeedback(primitive: GLenum) {
    if current::with(|state| feedback::begin(state, primitive)).is_none() {
        driver::BeginTransformFeedback(primitive);
    }
}

pub(crate) use BeginTransformFeedback as BeginTransformFeedbackEXT;
pub(crate) use BeginTransformFeedback as BeginTransformFeedbackNV;

pub(crate) unsafe extern "system" fn EndTransformFeedback() {
    if current::with(feedback::end).is_none() {
        driver::EndTransformFeedback();
    }
}

pub(crate) use EndTransformFeedback as EndTransformFeedbackEXT;
pub(crate) use EndTransformFeedback as EndTransformFeedbackNV;

pub(crate) unsafe extern "system" fn PauseTransformFeedbackNV() {
    driver::PauseTransformFeedback();
}

pub(crate) unsafe extern "system" fn ResumeTransformFeedbackNV() {
    driver::ResumeTransformFeedback();
}

pub(crate) unsafe extern "system" fn BindTransformFeedbackNV(target: GLenum, name: GLuint) {
    driver::BindTransformFeedback(target, name);
}

pub(crate) unsafe extern "system" fn DeleteTransformFeedbacksNV(
    count: GLsizei,
    names: *const GLuint,
) {
    // SAFETY: the application follows the specification.
    unsafe { driver::DeleteTransformFeedbacks(count, names) };
}

pub(crate) unsafe extern "system" fn GenTransformFeedbacksNV(count: GLsizei, names: *mut GLuint) {
    // SAFETY: the application follows the specification.
    unsafe { driver::GenTransformFeedbacks(count, names) };
}

pub(crate) unsafe extern "system" fn IsTransformFeedbackNV(name: GLuint) -> GLboolean {
    driver::IsTransformFeedback(name)
}

pub(crate) unsafe extern "system" fn DrawTransformFeedbackNV(mode: GLenum, name: GLuint) {
    if let Some(mode) = super::primitives(mode) {
        driver::DrawTransformFeedback(mode, name);
    }
}
