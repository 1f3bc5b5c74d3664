//! Buffer objects.

use super::bindings::constants::ARRAY_BUFFER;
use super::context::Gl;
use super::object::{Object, ObjectKind};
use crate::error::Error;
use std::rc::Rc;

/// Buffer of fixed size.
pub(crate) struct Buffer {
    object: Object,
    size: usize,
}

impl Buffer {
    /// Creates a buffer with this content; `usage` such as `GL_DYNAMIC_COPY`.
    pub(crate) fn new(gl: &Rc<Gl>, content: &[u8], usage: u32) -> Result<Self, Error> {
        let object = Object::new(gl, ObjectKind::Buffer)?;
        gl.BindBuffer(ARRAY_BUFFER, object.name())?;
        // SAFETY: OpenGL copies as many bytes as the slice has.
        unsafe {
            gl.BufferData(
                ARRAY_BUFFER,
                length(content)?,
                content.as_ptr().cast(),
                usage,
            )
        }?;
        gl.check("glBufferData")?;
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

    /// Writes bytes from `offset` on.
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
                length(bytes)?,
                bytes.as_ptr().cast(),
            )
        }?;
        gl.check("glBufferSubData")
    }

    /// Reads the bytes from `offset` on, after all previous commands have completed.
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
                length(&bytes)?,
                bytes.as_mut_ptr().cast(),
            )
        }?;
        gl.check("glGetBufferSubData")?;
        Ok(bytes)
    }

    fn check_range(&self, what: &'static str, offset: usize, size: usize) -> Result<(), Error> {
        let end = offset.saturating_add(size);
        if end <= self.size {
            return Ok(());
        }
        Err(Error::Length {
            what,
            length: self.size,
            needed: end,
        })
    }
}

/// Returns the length as OpenGL counts it.
fn length(bytes: &[u8]) -> Result<isize, Error> {
    // Every slice fits; see the documentation of `slice::from_raw_parts`.
    isize::try_from(bytes.len()).map_err(|_| Error::Length {
        what: "buffer",
        length: bytes.len(),
        needed: isize::MAX as usize,
    })
}
