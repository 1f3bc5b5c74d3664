//! Names of objects of OpenGL, buffer objects, and queries and captures, which last from a begin to
//! an end.

use super::bindings::constants::{ARRAY_BUFFER, QUERY_RESULT};
use super::context::Gl;
use super::devices::Version;
use crate::error::Error;
use std::rc::Rc;

/// Buffer of fixed size.
pub(crate) struct Buffer {
    object: Object,
    size: usize,
}

impl Buffer {
    /// Creates a buffer with this content; `usage` such as `GL_DYNAMIC_COPY`. It remains bound to
    /// `GL_ARRAY_BUFFER`.
    pub(crate) fn new(gl: &Rc<Gl>, content: &[u8], usage: u32) -> Result<Self, Error> {
        let object = Object::new(gl, ObjectKind::Buffer)?;
        gl.BindBuffer(ARRAY_BUFFER, object.name())?;
        // SAFETY: OpenGL copies as many bytes as the slice has.
        unsafe {
            gl.BufferData(
                ARRAY_BUFFER,
                gl_length(content)?,
                content.as_ptr().cast(),
                usage,
            )
        }?;
        gl.check_errors("glBufferData")?;
        let size = content.len();
        Ok(Self { object, size })
    }

    /// Returns the name of the buffer, to bind it.
    pub(crate) fn name(&self) -> u32 {
        self.object.name()
    }

    /// Returns its size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Writes bytes from the byte offset `offset` on. [`Error::Length`] if they exceed the buffer.
    /// The buffer remains bound to `GL_ARRAY_BUFFER`.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        self.check_range("glBufferSubData", offset, bytes.len())?;
        let gl = self.object.gl();
        gl.BindBuffer(ARRAY_BUFFER, self.name())?;
        // SAFETY: OpenGL copies as many bytes as the slice has. The offset is below the size, which
        // was an `isize`.
        unsafe {
            gl.BufferSubData(
                ARRAY_BUFFER,
                offset as isize,
                gl_length(bytes)?,
                bytes.as_ptr().cast(),
            )
        }?;
        gl.check_errors("glBufferSubData")
    }

    /// Reads `size` bytes from the byte offset `offset` on, after all previous commands have
    /// completed. [`Error::Length`] if they exceed the buffer. The buffer remains bound to
    /// `GL_ARRAY_BUFFER`.
    pub(crate) fn read(&self, offset: usize, size: usize) -> Result<Vec<u8>, Error> {
        self.check_range("glGetBufferSubData", offset, size)?;
        let mut bytes = vec![0; size];
        let gl = self.object.gl();
        gl.BindBuffer(ARRAY_BUFFER, self.name())?;
        // SAFETY: OpenGL writes as many bytes as the vector has. The offset is below the size,
        // which was an `isize`.
        unsafe {
            gl.GetBufferSubData(
                ARRAY_BUFFER,
                offset as isize,
                gl_length(&bytes)?,
                bytes.as_mut_ptr().cast(),
            )
        }?;
        gl.check_errors("glGetBufferSubData")?;
        Ok(bytes)
    }

    /// Checks that `size` bytes at an offset are within the buffer. Otherwise returns
    /// [`Error::Length`] with the name of the operation.
    fn check_range(
        &self,
        operation: &'static str,
        offset: usize,
        size: usize,
    ) -> Result<(), Error> {
        let end = offset.saturating_add(size);
        if end <= self.size {
            return Ok(());
        }
        Err(Error::Length {
            what: operation,
            length: self.size,
            needed: end,
        })
    }
}

/// Returns the length of a slice in bytes as a `GLsizeiptr`, which it always fits.
fn gl_length(bytes: &[u8]) -> Result<isize, Error> {
    // Every slice fits; see the documentation of `slice::from_raw_parts`.
    isize::try_from(bytes.len()).map_err(|_| Error::Length {
        what: "buffer",
        length: bytes.len(),
        needed: isize::MAX as usize,
    })
}

/// Query of one target, such as `GL_SAMPLES_PASSED`.
pub(crate) struct Query {
    object: Object,
    target: u32,
    /// Vertex stream, of targets that count each stream.
    stream: u32,
}

impl Query {
    /// Runs `work` while a query of the target is active. Returns its result and the count; the
    /// query ends also if `work` fails.
    #[cfg(test)]
    pub(crate) fn count_during<R>(
        gl: &Rc<Gl>,
        target: u32,
        work: impl FnOnce() -> Result<R, Error>,
    ) -> Result<(R, u64), Error> {
        let query = Self::begin(gl, target)?;
        let result = work();
        let count = query.end()?;
        Ok((result?, count))
    }

    /// Begins a query of a target, of vertex stream 0 for targets that count each stream, until
    /// [`Self::end`].
    pub(crate) fn begin(gl: &Rc<Gl>, target: u32) -> Result<Self, Error> {
        Self::begin_stream(gl, target, 0)
    }

    /// Begins a query of a target for a vertex stream, until [`Self::end`]. Streams other than 0
    /// are those of GL_ARB_transform_feedback3.
    pub(crate) fn begin_stream(gl: &Rc<Gl>, target: u32, stream: u32) -> Result<Self, Error> {
        let object = Object::new(gl, ObjectKind::Query)?;
        match stream {
            0 => gl.BeginQuery(target, object.name()),
            stream => gl.BeginQueryIndexed(target, stream, object.name()),
        }?;
        gl.check_errors("glBeginQuery")?;
        Ok(Self {
            object,
            target,
            stream,
        })
    }

    /// Ends the query, waits for the driver and returns the result, which has 32 bits only in
    /// drivers without OpenGL 3.3 and GL_ARB_timer_query.
    pub(crate) fn end(self) -> Result<u64, Error> {
        let gl = self.object.gl();
        match self.stream {
            0 => gl.EndQuery(self.target),
            stream => gl.EndQueryIndexed(self.target, stream),
        }?;
        let name = self.object.name();
        let mut count = 0_u64;
        if gl.version() >= Version(3, 3) || gl.has_extension("GL_ARB_timer_query") {
            // SAFETY: the result is one number.
            unsafe { gl.GetQueryObjectui64v(name, QUERY_RESULT, &mut count) }?;
        } else {
            let mut short = 0_u32;
            // SAFETY: the result is one number.
            unsafe { gl.GetQueryObjectuiv(name, QUERY_RESULT, &mut short) }?;
            count = short.into();
        }
        gl.check_errors("glGetQueryObject")?;
        Ok(count)
    }
}

/// Transform feedback that is active until this value or the context is dropped. The captured
/// outputs and the buffers are set before.
pub(crate) struct Capture {
    gl: Rc<Gl>,
}

impl Capture {
    /// Begins transform feedback, from the start of the bound buffers, by the command of
    /// NV_transform_feedback if the driver has it; `primitives` are `GL_POINTS`, `GL_LINES` or
    /// `GL_TRIANGLES`.
    pub(crate) fn begin(gl: &Rc<Gl>, primitives: u32) -> Result<Self, Error> {
        if gl.has_extension("GL_NV_transform_feedback") {
            gl.BeginTransformFeedbackNV(primitives)?;
        } else {
            gl.BeginTransformFeedback(primitives)?;
        }
        gl.check_errors("glBeginTransformFeedback")?;
        Ok(Self { gl: Rc::clone(gl) })
    }

    /// Pauses the capture until it is resumed. While it is paused, the buffers can be read.
    pub(crate) fn pause(&self) -> Result<(), Error> {
        if self.gl.has_extension("GL_NV_transform_feedback2") {
            self.gl.PauseTransformFeedbackNV()?;
        } else {
            self.gl.PauseTransformFeedback()?;
        }
        self.gl.check_errors("glPauseTransformFeedback")
    }

    /// Resumes transform feedback after [`Self::pause`]; vertices are appended to the captured
    /// ones.
    pub(crate) fn resume(&self) -> Result<(), Error> {
        if self.gl.has_extension("GL_NV_transform_feedback2") {
            self.gl.ResumeTransformFeedbackNV()?;
        } else {
            self.gl.ResumeTransformFeedback()?;
        }
        self.gl.check_errors("glResumeTransformFeedback")
    }

    /// Ends transform feedback, also if it is paused.
    pub(crate) fn end(self) -> Result<(), Error> {
        if self.gl.has_extension("GL_NV_transform_feedback") {
            self.gl.EndTransformFeedbackNV()?;
        } else {
            self.gl.EndTransformFeedback()?;
        }
        self.gl.check_errors("glEndTransformFeedback")
    }
}

/// Type of object that a name denotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ObjectKind {
    /// Program of `glProgramStringARB`.
    ArbProgram,
    Buffer,
    Framebuffer,
    /// Program of shaders.
    GlslProgram,
    /// Program of `glLoadProgramNV`.
    NvProgram,
    Query,
    Renderbuffer,
    Texture,
}

/// Object of OpenGL; dropping it deletes the object. Its context is alive as long as the object is.
pub(super) struct Object {
    gl: Rc<Gl>,
    kind: ObjectKind,
    name: u32,
}

impl Object {
    /// Generates a new name. The object is created when it is first bound; a program of shaders at
    /// once.
    pub(super) fn new(gl: &Rc<Gl>, kind: ObjectKind) -> Result<Self, Error> {
        if kind == ObjectKind::GlslProgram {
            return Ok(Self::adopt(gl, kind, gl.CreateProgram()?));
        }
        let mut name = 0;
        let out = &raw mut name;
        // SAFETY: each writes one name.
        unsafe {
            match kind {
                ObjectKind::ArbProgram => gl.GenProgramsARB(1, out),
                ObjectKind::Buffer => gl.GenBuffers(1, out),
                ObjectKind::Framebuffer => gl.GenFramebuffers(1, out),
                // Created above.
                ObjectKind::GlslProgram => Ok(()),
                ObjectKind::NvProgram => gl.GenProgramsNV(1, out),
                ObjectKind::Query => gl.GenQueries(1, out),
                ObjectKind::Renderbuffer => gl.GenRenderbuffers(1, out),
                ObjectKind::Texture => gl.GenTextures(1, out),
            }
        }?;
        Ok(Self::adopt(gl, kind, name))
    }

    /// Takes ownership of an object that a command created; 0 if it failed, which is not an object.
    pub(super) fn adopt(gl: &Rc<Gl>, kind: ObjectKind, name: u32) -> Self {
        Self {
            gl: Rc::clone(gl),
            kind,
            name,
        }
    }

    /// Returns the context that the object belongs to.
    pub(super) fn gl(&self) -> &Rc<Gl> {
        &self.gl
    }

    /// Returns the name of the object in OpenGL.
    pub(super) fn name(&self) -> u32 {
        self.name
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        let name = &raw const self.name;
        // SAFETY: each reads one name, which is of this kind. The extensions that create names can
        // delete them, so no command is missing.
        let _ = unsafe {
            match self.kind {
                ObjectKind::ArbProgram => self.gl.DeleteProgramsARB(1, name),
                ObjectKind::Buffer => self.gl.DeleteBuffers(1, name),
                ObjectKind::Framebuffer => self.gl.DeleteFramebuffers(1, name),
                ObjectKind::GlslProgram => self.gl.DeleteProgram(self.name),
                ObjectKind::NvProgram => self.gl.DeleteProgramsNV(1, name),
                ObjectKind::Query => self.gl.DeleteQueries(1, name),
                ObjectKind::Renderbuffer => self.gl.DeleteRenderbuffers(1, name),
                ObjectKind::Texture => self.gl.DeleteTextures(1, name),
            }
        };
    }
}
