//! Queries and captures, which last from a begin to an end.

use super::bindings::constants::QUERY_RESULT;
use super::context::Gl;
use super::devices::Version;
use super::object::{Object, ObjectKind};
use crate::error::Error;
use std::rc::Rc;

/// Query of one target, such as `GL_SAMPLES_PASSED`.
pub(crate) struct Query {
    object: Object,
    target: u32,
    /// Vertex stream, of targets that count each stream.
    stream: u32,
}

impl Query {
    /// Runs `work` and returns its result and the count of a query of the target.
    #[cfg(test)]
    pub(crate) fn count<R>(
        gl: &Rc<Gl>,
        target: u32,
        work: impl FnOnce() -> Result<R, Error>,
    ) -> Result<(R, u64), Error> {
        let query = Self::begin(gl, target)?;
        let result = work();
        let count = query.end()?;
        Ok((result?, count))
    }

    /// Starts to count.
    pub(crate) fn begin(gl: &Rc<Gl>, target: u32) -> Result<Self, Error> {
        Self::begin_stream(gl, target, 0)
    }

    /// Begins a query of a vertex stream. Streams other than 0 are those of
    /// GL_ARB_transform_feedback3.
    pub(crate) fn begin_stream(gl: &Rc<Gl>, target: u32, stream: u32) -> Result<Self, Error> {
        let object = Object::new(gl, ObjectKind::Query)?;
        match stream {
            0 => gl.BeginQuery(target, object.name()),
            stream => gl.BeginQueryIndexed(target, stream, object.name()),
        }?;
        gl.check("glBeginQuery")?;
        Ok(Self {
            object,
            target,
            stream,
        })
    }

    /// Ends the query, waits, and returns the result.
    pub(crate) fn end(self) -> Result<u64, Error> {
        let gl = self.object.gl();
        match self.stream {
            0 => gl.EndQuery(self.target),
            stream => gl.EndQueryIndexed(self.target, stream),
        }?;
        let name = self.object.name();
        let mut count = 0_u64;
        if gl.version() >= Version(3, 3) || gl.has("GL_ARB_timer_query") {
            // SAFETY: the result is one number.
            unsafe { gl.GetQueryObjectui64v(name, QUERY_RESULT, &mut count) }?;
        } else {
            let mut short = 0_u32;
            // SAFETY: the result is one number.
            unsafe { gl.GetQueryObjectuiv(name, QUERY_RESULT, &mut short) }?;
            count = short.into();
        }
        gl.check("glGetQueryObject")?;
        Ok(count)
    }
}

/// Transform feedback that is active until this value or the context is dropped. The captured
/// outputs and the buffers are set before.
pub(crate) struct Capture {
    gl: Rc<Gl>,
}

impl Capture {
    /// Captures from now on, from the start of the buffers; `primitives` are `GL_POINTS`,
    /// `GL_LINES` or `GL_TRIANGLES`.
    pub(crate) fn begin(gl: &Rc<Gl>, primitives: u32) -> Result<Self, Error> {
        if gl.has("GL_NV_transform_feedback") {
            gl.BeginTransformFeedbackNV(primitives)?;
        } else {
            gl.BeginTransformFeedback(primitives)?;
        }
        gl.check("glBeginTransformFeedback")?;
        Ok(Self { gl: Rc::clone(gl) })
    }

    /// Pauses the capture until it is resumed. While it is paused, the buffers can be read.
    pub(crate) fn pause(&self) -> Result<(), Error> {
        if self.gl.has("GL_NV_transform_feedback2") {
            self.gl.PauseTransformFeedbackNV()?;
        } else {
            self.gl.PauseTransformFeedback()?;
        }
        self.gl.check("glPauseTransformFeedback")
    }

    /// Resumes after the last vertex.
    pub(crate) fn resume(&self) -> Result<(), Error> {
        if self.gl.has("GL_NV_transform_feedback2") {
            self.gl.ResumeTransformFeedbackNV()?;
        } else {
            self.gl.ResumeTransformFeedback()?;
        }
        self.gl.check("glResumeTransformFeedback")
    }

    /// Ends the capture, paused or not.
    pub(crate) fn end(self) -> Result<(), Error> {
        if self.gl.has("GL_NV_transform_feedback") {
            self.gl.EndTransformFeedbackNV()?;
        } else {
            self.gl.EndTransformFeedback()?;
        }
        self.gl.check("glEndTransformFeedback")
    }
}
