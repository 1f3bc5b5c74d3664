//! Transform feedback: commands of NVIDIA's extensions, most of which OpenGL has under other names.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{client_memory, current_context, driver};
use crate::transform_feedback;

/// Sets the results that are captured, three numbers for each (NV_transform_feedback). Records the
/// errors of [`transform_feedback::check_attrib_counts`] and
/// [`transform_feedback::set_captured_outputs`]; then nothing changes.
pub(crate) unsafe extern "system" fn TransformFeedbackAttribsNV(
    count: GLsizei,
    parts: *const GLint,
    mode: GLenum,
) {
    current_context::with(|state| {
        transform_feedback::check_attrib_counts(state, [count, 0], mode)?;
        // SAFETY: three numbers for each part.
        let parts = unsafe { client_memory::values(parts.cast::<[GLint; 3]>(), count) };
        transform_feedback::set_captured_outputs(state, parts.collect(), &[], mode);
        Some(())
    });
}

/// Sets the results that are captured, and the vertex stream of each buffer (NV_transform_feedback
/// with ARB_transform_feedback3). Records the errors of [`transform_feedback::check_attrib_counts`]
/// and [`transform_feedback::set_captured_outputs`]; then nothing changes.
pub(crate) unsafe extern "system" fn TransformFeedbackStreamAttribsNV(
    count: GLsizei,
    parts: *const GLint,
    buffers: GLsizei,
    streams: *const GLint,
    mode: GLenum,
) {
    current_context::with(|state| {
        transform_feedback::check_attrib_counts(state, [count, buffers], mode)?;
        // SAFETY: three numbers for each part.
        let parts = unsafe { client_memory::values(parts.cast::<[GLint; 3]>(), count) };
        // SAFETY: a number for each buffer.
        let streams: Vec<GLint> = unsafe { client_memory::values(streams, buffers) }.collect();
        transform_feedback::set_captured_outputs(state, parts.collect(), &streams, mode);
        Some(())
    });
}

/// Prepares programs for a mode of primitives and begins to capture from now on, from programs of
/// this library or of the driver.
pub(crate) unsafe extern "system" fn BeginTransformFeedback(primitive: GLenum) {
    if current_context::with(|state| transform_feedback::begin_feedback(state, primitive)).is_none()
    {
        driver::BeginTransformFeedback(primitive);
    }
}

pub(crate) use BeginTransformFeedback as BeginTransformFeedbackEXT;
pub(crate) use BeginTransformFeedback as BeginTransformFeedbackNV;

/// Ends the capture of primitives in the driver, and for programs of this library.
pub(crate) unsafe extern "system" fn EndTransformFeedback() {
    if current_context::with(transform_feedback::end_feedback).is_none() {
        driver::EndTransformFeedback();
    }
}

pub(crate) use EndTransformFeedback as EndTransformFeedbackEXT;
pub(crate) use EndTransformFeedback as EndTransformFeedbackNV;

/// Pauses transform feedback: the command of GL 4.0 with the same semantics.
pub(crate) unsafe extern "system" fn PauseTransformFeedbackNV() {
    driver::PauseTransformFeedback();
}

/// Resumes transform feedback: the command of GL 4.0 with the same semantics.
pub(crate) unsafe extern "system" fn ResumeTransformFeedbackNV() {
    driver::ResumeTransformFeedback();
}

/// Binds a transform feedback object: the command of GL 4.0 with the same semantics.
pub(crate) unsafe extern "system" fn BindTransformFeedbackNV(target: GLenum, name: GLuint) {
    driver::BindTransformFeedback(target, name);
}

/// Deletes transform feedback objects, which are the driver's.
pub(crate) unsafe extern "system" fn DeleteTransformFeedbacksNV(
    count: GLsizei,
    names: *const GLuint,
) {
    // SAFETY: the application follows the specification.
    unsafe { driver::DeleteTransformFeedbacks(count, names) };
}

/// Generates names of transform feedback objects of the driver.
pub(crate) unsafe extern "system" fn GenTransformFeedbacksNV(count: GLsizei, names: *mut GLuint) {
    // SAFETY: the application follows the specification.
    unsafe { driver::GenTransformFeedbacks(count, names) };
}

/// Returns true if a name is that of a transform feedback object: the command of GL 4.0.
pub(crate) unsafe extern "system" fn IsTransformFeedbackNV(name: GLuint) -> GLboolean {
    driver::IsTransformFeedback(name)
}

/// Prepares programs and draws the captured vertices of a transform feedback object. Draws nothing
/// if the draw is rejected.
pub(crate) unsafe extern "system" fn DrawTransformFeedbackNV(mode: GLenum, name: GLuint) {
    if let Some(mode) = super::primitives(mode) {
        driver::DrawTransformFeedback(mode, name);
    }
}
