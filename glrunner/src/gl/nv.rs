//! Commands of NVIDIA's extensions with pointers, and limits that have an index.

use super::bindings::constants::*;
use super::buffer::Buffer;
use super::context::Gl;
use super::program::Program;
use crate::error::Error;

/// More values than any indexed state has.
const MAX_VALUES: usize = 16;

/// Output of a vertex that transform feedback captures, as an argument of
/// `glTransformFeedbackAttribsNV`: result or separator, components, index.
pub(crate) type CapturedResult = [i32; 3];

impl Gl {
    /// Returns one integer of the state with this index, such as a limit in one dimension.
    pub(crate) fn indexed_integer(&self, name: u32, index: u32) -> Result<i32, Error> {
        let mut values = [0; MAX_VALUES];
        // SAFETY: no indexed state has more values.
        unsafe { self.GetIntegeri_v(name, index, values.as_mut_ptr()) }?;
        self.check("glGetIntegeri_v")?;
        Ok(values[0])
    }

    /// Makes a buffer accessible to programs by its address, which is returned; `access` such as
    /// `GL_READ_WRITE`. Must not be called twice.
    pub(crate) fn make_resident(&self, buffer: &Buffer, access: u32) -> Result<u64, Error> {
        self.MakeNamedBufferResidentNV(buffer.name(), access)?;
        let mut address = 0;
        // SAFETY: this state has one value.
        unsafe {
            self.GetNamedBufferParameterui64vNV(buffer.name(), BUFFER_GPU_ADDRESS_NV, &mut address)
        }?;
        self.check("glMakeNamedBufferResidentNV")?;
        Ok(address)
    }

    /// Executes a vertex state program with this in v\[0\].
    pub(crate) fn execute_program(
        &self,
        program: &Program,
        argument: [f32; 4],
    ) -> Result<(), Error> {
        let target = program.target();
        // SAFETY: OpenGL reads four components.
        unsafe { self.ExecuteProgramNV(target, program.name(), argument.as_ptr()) }?;
        self.check("glExecuteProgramNV")
    }

    /// Returns a parameter of all vertex programs by the query of NV_vertex_program.
    pub(crate) fn program_parameter(&self, index: u32) -> Result<[f32; 4], Error> {
        let mut value = [0.0; 4];
        let name = PROGRAM_PARAMETER_NV;
        // SAFETY: OpenGL writes four components.
        unsafe {
            self.GetProgramParameterfvNV(VERTEX_PROGRAM_ARB, index, name, value.as_mut_ptr())
        }?;
        self.check("glGetProgramParameterfvNV")?;
        Ok(value)
    }

    /// Sets a parameter that a program names.
    pub(crate) fn set_named_parameter(
        &self,
        program: &Program,
        name: &str,
        value: [f32; 4],
    ) -> Result<(), Error> {
        let size = length("glProgramNamedParameter4fvNV", name.len())?;
        // SAFETY: OpenGL reads as many bytes as the name has, and four components.
        unsafe {
            self.ProgramNamedParameter4fvNV(program.name(), size, name.as_ptr(), value.as_ptr())
        }?;
        self.check("glProgramNamedParameter4fvNV")
    }

    /// Returns the value of a parameter that a program names.
    pub(crate) fn named_parameter(&self, program: &Program, name: &str) -> Result<[f32; 4], Error> {
        let size = length("glGetProgramNamedParameterfvNV", name.len())?;
        let (mut value, text) = ([0.0; 4], name.as_ptr());
        // SAFETY: OpenGL reads as many bytes as the name has, and writes four components.
        unsafe {
            self.GetProgramNamedParameterfvNV(program.name(), size, text, value.as_mut_ptr())
        }?;
        self.check("glGetProgramNamedParameterfvNV")?;
        Ok(value)
    }

    /// Specifies the outputs of assembler programs that transform feedback captures into buffers
    /// with several results. `streams` are those of the buffers, or none if all of them capture
    /// stream 0.
    pub(crate) fn set_captured(
        &self,
        results: &[CapturedResult],
        streams: &[i32],
    ) -> Result<(), Error> {
        let count = length("glTransformFeedbackAttribsNV", results.len())?;
        let buffers = length("glTransformFeedbackStreamAttribsNV", streams.len())?;
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
        self.check("glTransformFeedbackAttribsNV")
    }
}

/// Returns a number of values as OpenGL counts them.
fn length(what: &'static str, length: usize) -> Result<i32, Error> {
    i32::try_from(length).map_err(|_| Error::Length {
        what,
        length,
        needed: i32::MAX as usize,
    })
}
