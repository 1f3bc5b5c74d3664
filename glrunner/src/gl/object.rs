//! Names of objects of OpenGL.

use super::context::Gl;
use crate::error::Error;
use std::rc::Rc;

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

/// Object of OpenGL; dropping it deletes the object. It keeps its context alive.
pub(super) struct Object {
    gl: Rc<Gl>,
    kind: ObjectKind,
    name: u32,
}

impl Object {
    /// Generates a new name. The object is created when it is first bound.
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

    /// Returns its context.
    pub(super) fn gl(&self) -> &Rc<Gl> {
        &self.gl
    }

    /// Returns its name.
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
