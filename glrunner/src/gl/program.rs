//! Assembly programs, loaded by the driver's own assembler.

use super::bindings::constants::*;
use super::context::Gl;
use super::object::{Object, ObjectKind};
use crate::error::Error;
use std::rc::Rc;

/// Kind of a program: the target of OpenGL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Target {
    /// Vertex programs.
    Vertex,
    /// Vertex state programs, which `glExecuteProgramNV` runs.
    VertexState,
    /// Tessellation control programs.
    TessControl,
    /// Tessellation evaluation programs.
    TessEvaluation,
    /// Geometry programs.
    Geometry,
    /// Fragment programs.
    Fragment,
    /// Compute programs.
    Compute,
}

/// Command that loads the program string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Loader {
    /// `glProgramStringARB`.
    Arb,
    /// `glLoadProgramNV`.
    Nv,
}

impl Loader {
    /// Selects the command by the header. Program strings without a header are loaded by the
    /// current commands of the target.
    fn of(target: Target, text: &[u8]) -> Self {
        const NV: [&[u8]; 4] = [b"!!VP", b"!!VSP", b"!!FP", b"!!FCP"];
        if target == Target::VertexState || NV.iter().any(|header| text.starts_with(header)) {
            Self::Nv
        } else {
            Self::Arb
        }
    }

    fn target(self, target: Target) -> u32 {
        match (self, target) {
            (_, Target::Vertex) => VERTEX_PROGRAM_ARB,
            (_, Target::VertexState) => VERTEX_STATE_PROGRAM_NV,
            (_, Target::TessControl) => TESS_CONTROL_PROGRAM_NV,
            (_, Target::TessEvaluation) => TESS_EVALUATION_PROGRAM_NV,
            (_, Target::Geometry) => GEOMETRY_PROGRAM_NV,
            (Self::Arb, Target::Fragment) => FRAGMENT_PROGRAM_ARB,
            (Self::Nv, Target::Fragment) => FRAGMENT_PROGRAM_NV,
            (_, Target::Compute) => COMPUTE_PROGRAM_NV,
        }
    }
}

/// Reason why the driver rejected a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LoadError {
    /// `GL_PROGRAM_ERROR_POSITION_ARB`: the byte offset of the error; the length of the program
    /// string if the error has no position.
    pub(crate) position: i32,
    /// `GL_PROGRAM_ERROR_STRING_ARB`.
    pub(crate) message: String,
    /// Result of `glGetError`, such as `GL_INVALID_OPERATION`.
    pub(crate) error: u32,
}

/// Program that the driver has accepted.
pub(crate) struct Program {
    object: Object,
    target: u32,
    loader: Loader,
}

impl Program {
    /// Loads a program string; the header determines the command. The program remains bound.
    ///
    /// The inner result is the driver's verdict on the program string, the outer one indicates all
    /// other errors.
    pub(crate) fn load(
        gl: &Rc<Gl>,
        target: Target,
        text: &[u8],
    ) -> Result<Result<Self, LoadError>, Error> {
        let loader = Loader::of(target, text);
        let program = Self {
            object: Object::new(
                gl,
                match loader {
                    Loader::Arb => ObjectKind::ArbProgram,
                    Loader::Nv => ObjectKind::NvProgram,
                },
            )?,
            target: loader.target(target),
            loader,
        };
        let length = i32::try_from(text.len()).map_err(|_| Error::Length {
            what: "program",
            length: text.len(),
            needed: i32::MAX as usize,
        })?;
        gl.check("before loading a program")?;
        // SAFETY: OpenGL reads as many bytes as the slice has.
        unsafe {
            match loader {
                Loader::Arb => {
                    gl.BindProgramARB(program.target, program.name())?;
                    gl.check("glBindProgramARB")?;
                    gl.ProgramStringARB(
                        program.target,
                        PROGRAM_FORMAT_ASCII_ARB,
                        length,
                        text.as_ptr().cast(),
                    )
                }
                Loader::Nv => {
                    gl.LoadProgramNV(program.target, program.name(), length, text.as_ptr())
                }
            }
        }?;
        if let Some(refusal) = verdict(gl)? {
            return Ok(Err(refusal));
        }
        // State programs are not bound: they run by name.
        if loader == Loader::Nv && target != Target::VertexState {
            gl.BindProgramNV(program.target, program.name())?;
        }
        gl.check("binding a program")?;
        Ok(Ok(program))
    }

    /// Returns the name, to bind it.
    pub(crate) fn name(&self) -> u32 {
        self.object.name()
    }

    /// Returns the target of OpenGL, which is also the capability that enables it, for all but
    /// state programs.
    pub(crate) fn target(&self) -> u32 {
        self.target
    }

    /// Binds the program to its target.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        let gl = self.object.gl();
        match self.loader {
            Loader::Arb => gl.BindProgramARB(self.target, self.name()),
            Loader::Nv => gl.BindProgramNV(self.target, self.name()),
        }?;
        gl.check("binding a program")
    }

    /// Queries `GL_PROGRAM_UNDER_NATIVE_LIMITS_ARB` or another property of a program that
    /// `glProgramStringARB` loaded. `None` for others, which have none of these properties.
    pub(crate) fn property(&self, name: u32) -> Result<Option<i32>, Error> {
        if self.loader == Loader::Nv || name == PROGRAM_STRING_ARB {
            return Ok(None);
        }
        self.bind()?;
        let gl = self.object.gl();
        let mut value = 0;
        // SAFETY: properties other than the string have one value.
        unsafe { gl.GetProgramivARB(self.target, name, &mut value) }?;
        gl.check("glGetProgramivARB")?;
        Ok(Some(value))
    }
}

/// Returns the driver's result for the program that was just loaded.
fn verdict(gl: &Gl) -> Result<Option<LoadError>, Error> {
    let errors = gl.take_errors()?;
    // These messages are redundant.
    let messages = gl.take_messages();
    let Some(&error) = errors.first() else {
        return Ok(None);
    };
    let mut position = -1;
    // SAFETY: this state has one value.
    unsafe { gl.GetIntegerv(PROGRAM_ERROR_POSITION_ARB, &mut position) }?;
    let mut message = gl.string(PROGRAM_ERROR_STRING_ARB)?.trim().to_owned();
    if message.is_empty() {
        message = messages.join("; ");
    }
    Ok(Some(LoadError {
        position,
        message,
        error,
    }))
}
