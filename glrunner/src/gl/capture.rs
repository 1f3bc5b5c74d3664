//! Transform feedback: vertices that are captured while it is active and not paused.

use super::context::Gl;
use crate::error::Error;
use std::rc::Rc;

/// Transform feedback that is active until its end, or that of the context. What it captures and where to is set before.
pub(crate) struct Capture {
    gl: Rc<Gl>,
}

impl Capture {
    /// Captures from now on, from the start of the buffers; `primitives` are `GL_POINTS`, `GL_LINES` or `GL_TRIANGLES`.
    pub(crate) fn begin(gl: &Rc<Gl>, primitives: u32) -> Result<Self, Error> {
        if gl.has("GL_NV_transform_feedback") {
            gl.BeginTransformFeedbackNV(primitives)?;
        } else {
            gl.BeginTransformFeedback(primitives)?;
        }
        gl.check("glBeginTransformFeedback")?;
        Ok(Self { gl: Rc::clone(gl) })
    }

    /// Captures nothing until it is resumed. Meanwhile the buffers can be read.
    pub(crate) fn pause(&self) -> Result<(), Error> {
        if self.gl.has("GL_NV_transform_feedback2") {
            self.gl.PauseTransformFeedbackNV()?;
        } else {
            self.gl.PauseTransformFeedback()?;
        }
        self.gl.check("glPauseTransformFeedback")
    }

    /// Goes on behind the last vertex.
    pub(crate) fn resume(&self) -> Result<(), Error> {
        if self.gl.has("GL_NV_transform_feedback2") {
            self.gl.ResumeTransformFeedbackNV()?;
        } else {
            self.gl.ResumeTransformFeedback()?;
        }
        self.gl.check("glResumeTransformFeedback")
    }

    /// Captures no more, whether or not it is paused.
    pub(crate) fn end(self) -> Result<(), Error> {
        if self.gl.has("GL_NV_transform_feedback") {
            self.gl.EndTransformFeedbackNV()?;
        } else {
            self.gl.EndTransformFeedback()?;
        }
        self.gl.check("glEndTransformFeedback")
    }
}
