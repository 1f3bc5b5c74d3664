//! Assembly programs, loaded by the driver's own assembler, and the commands of NVIDIA's extensions
//! that take pointers or have indexed limits.

use super::bindings::constants::*;
use super::buffer::{Buffer, Object, ObjectKind};
use super::context::Gl;
use crate::error::Error;
use std::rc::Rc;

/// Kind of a program: the target of OpenGL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ProgramTarget {
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
enum LoadCommand {
    /// `glProgramStringARB`.
    Arb,
    /// `glLoadProgramNV`.
    Nv,
}

impl LoadCommand {
    /// Returns the command for a program string: [`Nv`](Self::Nv) for vertex state programs and
    /// those with a header of the first NV languages, [`Arb`](Self::Arb) for all others, including
    /// strings without a header.
    fn from_header(target: ProgramTarget, text: &[u8]) -> Self {
        const NV: [&[u8]; 4] = [b"!!VP", b"!!VSP", b"!!FP", b"!!FCP"];
        if target == ProgramTarget::VertexState || NV.iter().any(|header| text.starts_with(header))
        {
            Self::Nv
        } else {
            Self::Arb
        }
    }

    /// Returns the enumerant of a program target for this command: NV_fragment_program has a
    /// separate target.
    fn target(self, target: ProgramTarget) -> u32 {
        match (self, target) {
            (_, ProgramTarget::Vertex) => VERTEX_PROGRAM_ARB,
            (_, ProgramTarget::VertexState) => VERTEX_STATE_PROGRAM_NV,
            (_, ProgramTarget::TessControl) => TESS_CONTROL_PROGRAM_NV,
            (_, ProgramTarget::TessEvaluation) => TESS_EVALUATION_PROGRAM_NV,
            (_, ProgramTarget::Geometry) => GEOMETRY_PROGRAM_NV,
            (Self::Arb, ProgramTarget::Fragment) => FRAGMENT_PROGRAM_ARB,
            (Self::Nv, ProgramTarget::Fragment) => FRAGMENT_PROGRAM_NV,
            (_, ProgramTarget::Compute) => COMPUTE_PROGRAM_NV,
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
    loader: LoadCommand,
}

impl Program {
    /// Loads a program string; the header determines the command. The program is bound afterwards,
    /// unless it is a state program. Errors of OpenGL that are pending before are returned as an
    /// outer error.
    ///
    /// The inner result is the driver's verdict on the program string, the outer one indicates all
    /// other errors.
    pub(crate) fn load(
        gl: &Rc<Gl>,
        target: ProgramTarget,
        text: &[u8],
    ) -> Result<Result<Self, LoadError>, Error> {
        let loader = LoadCommand::from_header(target, text);
        let program = Self {
            object: Object::new(
                gl,
                match loader {
                    LoadCommand::Arb => ObjectKind::ArbProgram,
                    LoadCommand::Nv => ObjectKind::NvProgram,
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
        gl.check_errors("before loading a program")?;
        // SAFETY: OpenGL reads as many bytes as the slice has.
        unsafe {
            match loader {
                LoadCommand::Arb => {
                    gl.BindProgramARB(program.target, program.name())?;
                    gl.check_errors("glBindProgramARB")?;
                    gl.ProgramStringARB(
                        program.target,
                        PROGRAM_FORMAT_ASCII_ARB,
                        length,
                        text.as_ptr().cast(),
                    )
                }
                LoadCommand::Nv => {
                    gl.LoadProgramNV(program.target, program.name(), length, text.as_ptr())
                }
            }
        }?;
        if let Some(refusal) = read_load_result(gl)? {
            return Ok(Err(refusal));
        }
        // State programs are not bound: they run by name.
        if loader == LoadCommand::Nv && target != ProgramTarget::VertexState {
            gl.BindProgramNV(program.target, program.name())?;
        }
        gl.check_errors("binding a program")?;
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

    /// Binds the program to its target, by the command of the extension that loaded it.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        let gl = self.object.gl();
        match self.loader {
            LoadCommand::Arb => gl.BindProgramARB(self.target, self.name()),
            LoadCommand::Nv => gl.BindProgramNV(self.target, self.name()),
        }?;
        gl.check_errors("binding a program")
    }

    /// Returns `GL_PROGRAM_UNDER_NATIVE_LIMITS_ARB` or another property with one value of a program
    /// that `glProgramStringARB` loaded, which remains bound. `None` for programs of
    /// `glLoadProgramNV`, and for the program string.
    pub(crate) fn property(&self, name: u32) -> Result<Option<i32>, Error> {
        if self.loader == LoadCommand::Nv || name == PROGRAM_STRING_ARB {
            return Ok(None);
        }
        self.bind()?;
        let gl = self.object.gl();
        let mut value = 0;
        // SAFETY: properties other than the string have one value.
        unsafe { gl.GetProgramivARB(self.target, name, &mut value) }?;
        gl.check_errors("glGetProgramivARB")?;
        Ok(Some(value))
    }
}

/// Returns the driver's error for the program that was just loaded; `None` if there is none. Clears
/// the errors and messages of the driver.
fn read_load_result(gl: &Gl) -> Result<Option<LoadError>, Error> {
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

/// More values than any indexed state has.
const MAX_VALUES: usize = 16;

/// Output of a vertex that transform feedback captures, as an argument of
/// `glTransformFeedbackAttribsNV`: result or separator, components, index.
pub(crate) type CapturedResult = [i32; 3];

impl Gl {
    /// Returns the first integer of the state with this index, such as a limit in one dimension.
    pub(crate) fn indexed_integer(&self, name: u32, index: u32) -> Result<i32, Error> {
        let mut values = [0; MAX_VALUES];
        // SAFETY: no indexed state has more values.
        unsafe { self.GetIntegeri_v(name, index, values.as_mut_ptr()) }?;
        self.check_errors("glGetIntegeri_v")?;
        Ok(values[0])
    }

    /// Makes a buffer accessible to programs by its address, which is returned; `access` such as
    /// `GL_READ_WRITE`. A second call for a buffer is an error of OpenGL (NV_shader_buffer_load).
    pub(crate) fn make_resident(&self, buffer: &Buffer, access: u32) -> Result<u64, Error> {
        self.MakeNamedBufferResidentNV(buffer.name(), access)?;
        let mut address = 0;
        // SAFETY: this state has one value.
        unsafe {
            self.GetNamedBufferParameterui64vNV(buffer.name(), BUFFER_GPU_ADDRESS_NV, &mut address)
        }?;
        self.check_errors("glMakeNamedBufferResidentNV")?;
        Ok(address)
    }

    /// Executes a vertex state program, which need not be bound, with `argument` in `v[0]`
    /// (NV_vertex_program).
    pub(crate) fn execute_program(
        &self,
        program: &Program,
        argument: [f32; 4],
    ) -> Result<(), Error> {
        let target = program.target();
        // SAFETY: OpenGL reads four components.
        unsafe { self.ExecuteProgramNV(target, program.name(), argument.as_ptr()) }?;
        self.check_errors("glExecuteProgramNV")
    }

    /// Returns an environment parameter of vertex programs by the query of NV_vertex_program.
    pub(crate) fn program_parameter(&self, index: u32) -> Result<[f32; 4], Error> {
        let mut value = [0.0; 4];
        let name = PROGRAM_PARAMETER_NV;
        // SAFETY: OpenGL writes four components.
        unsafe {
            self.GetProgramParameterfvNV(VERTEX_PROGRAM_ARB, index, name, value.as_mut_ptr())
        }?;
        self.check_errors("glGetProgramParameterfvNV")?;
        Ok(value)
    }

    /// Sets a parameter that a program declares by name (NV_fragment_program). Fails with the error
    /// of OpenGL if the program has no such parameter.
    pub(crate) fn set_named_parameter(
        &self,
        program: &Program,
        name: &str,
        value: [f32; 4],
    ) -> Result<(), Error> {
        let size = gl_count("glProgramNamedParameter4fvNV", name.len())?;
        // SAFETY: OpenGL reads as many bytes as the name has, and four components.
        unsafe {
            self.ProgramNamedParameter4fvNV(program.name(), size, name.as_ptr(), value.as_ptr())
        }?;
        self.check_errors("glProgramNamedParameter4fvNV")
    }

    /// Queries a parameter that a program declares by name (NV_fragment_program). Fails with the
    /// error of OpenGL if the program has no such parameter.
    pub(crate) fn query_named_parameter(
        &self,
        program: &Program,
        name: &str,
    ) -> Result<[f32; 4], Error> {
        let size = gl_count("glGetProgramNamedParameterfvNV", name.len())?;
        let (mut value, text) = ([0.0; 4], name.as_ptr());
        // SAFETY: OpenGL reads as many bytes as the name has, and writes four components.
        unsafe {
            self.GetProgramNamedParameterfvNV(program.name(), size, text, value.as_mut_ptr())
        }?;
        self.check_errors("glGetProgramNamedParameterfvNV")?;
        Ok(value)
    }

    /// Specifies the outputs of assembler programs that transform feedback captures, interleaved,
    /// into buffers with several results. `streams` are those of the buffers, or none if all of
    /// them capture stream 0. Fails with the error of OpenGL during a capture.
    pub(crate) fn set_captured_outputs(
        &self,
        results: &[CapturedResult],
        streams: &[i32],
    ) -> Result<(), Error> {
        let count = gl_count("glTransformFeedbackAttribsNV", results.len())?;
        let buffers = gl_count("glTransformFeedbackStreamAttribsNV", streams.len())?;
        let values = results.as_flattened().as_ptr();
        // SAFETY: OpenGL reads three values for each result and one for each buffer.
        unsafe {
            if streams.is_empty() {
                self.TransformFeedbackAttribsNV(count, values, INTERLEAVED_ATTRIBS_NV)
            } else {
                self.TransformFeedbackStreamAttribsNV(
                    count,
                    values,
                    buffers,
                    streams.as_ptr(),
                    INTERLEAVED_ATTRIBS_NV,
                )
            }
        }?;
        self.check_errors("glTransformFeedbackAttribsNV")
    }
}

/// Returns a length as a `GLsizei`; an error that names the operation if it is too long.
fn gl_count(operation: &'static str, length: usize) -> Result<i32, Error> {
    i32::try_from(length).map_err(|_| Error::Length {
        what: operation,
        length,
        needed: i32::MAX as usize,
    })
}
