//! Programs of GLSL and modules of SPIR-V, compiled and linked by the driver.

use super::bindings::constants::*;
use super::buffer::{Object, ObjectKind};
use super::context::Gl;
use crate::error::Error;
use std::rc::Rc;

/// Number of bytes of a driver's message that are retained.
const MAX_MESSAGE_BYTES: usize = 8192;

/// Error of the driver for a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ShaderError {
    /// Index of the shader in the list; `None` if the error was only found at link time.
    pub(crate) shader: Option<usize>,
    /// Message of the driver.
    pub(crate) message: String,
}

/// Module of SPIR-V.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpirvModule<'a> {
    /// Words of the module.
    pub(crate) words: &'a [u32],
    /// Numbers and values of specialization constants.
    pub(crate) spec_constants: &'a [(u32, u32)],
}

/// Shaders of one or several stages that the driver has linked.
pub(crate) struct ShaderProgram {
    object: Object,
}

impl ShaderProgram {
    /// Compiles sources of GLSL, each for a stage such as `GL_VERTEX_SHADER`, and links them.
    /// Warnings of the driver are discarded.
    ///
    /// The inner result is the driver's verdict on the sources, the outer one indicates all other
    /// errors.
    pub(crate) fn link(
        gl: &Rc<Gl>,
        sources: &[(u32, &[u8])],
    ) -> Result<Result<Self, ShaderError>, Error> {
        Self::link_shaders(gl, sources, |shader, text| {
            let start = text.as_ptr().cast();
            let length = gl_length(text)?;
            // SAFETY: there is one text of this length.
            unsafe { gl.ShaderSource(shader, 1, &raw const start, &raw const length) }?;
            gl.CompileShader(shader)?;
            // The status indicates errors. Other messages are warnings: Mesa issues one for each
            // variable that may be used uninitialized, and none if its cache has the shader.
            gl.take_messages();
            Ok(())
        })
    }

    /// Specializes modules of SPIR-V, each for a stage such as `GL_VERTEX_SHADER`, and links them
    /// (GL_ARB_gl_spirv). The results are those of [`Self::link`].
    pub(crate) fn link_modules(
        gl: &Rc<Gl>,
        modules: &[(u32, SpirvModule<'_>)],
    ) -> Result<Result<Self, ShaderError>, Error> {
        Self::link_shaders(gl, modules, |shader, module| {
            let bytes: Vec<u8> = module
                .words
                .iter()
                .flat_map(|it| it.to_ne_bytes())
                .collect();
            let length = gl_length(&bytes)?;
            let format = SHADER_BINARY_FORMAT_SPIR_V_ARB;
            // SAFETY: there is one shader, and a module of this length.
            unsafe {
                gl.ShaderBinary(1, &raw const shader, format, bytes.as_ptr().cast(), length)
            }?;
            let numbers: Vec<u32> = module.spec_constants.iter().map(|it| it.0).collect();
            let values: Vec<u32> = module.spec_constants.iter().map(|it| it.1).collect();
            let (number, value) = (numbers.as_ptr(), values.as_ptr());
            // There are at most three of them.
            let count = module.spec_constants.len() as u32;
            // SAFETY: the name ends with a zero, and both lists have this number of entries.
            unsafe { gl.SpecializeShaderARB(shader, c"main".as_ptr(), count, number, value) }
        })
    }

    /// Compiles a shader of each source by `compile` and links them. The inner error is that of a
    /// shader or of the link, with the driver's log; then the errors and messages of the driver are
    /// cleared.
    fn link_shaders<S>(
        gl: &Rc<Gl>,
        sources: &[(u32, S)],
        compile: impl Fn(u32, &S) -> Result<(), Error>,
    ) -> Result<Result<Self, ShaderError>, Error> {
        let object = Object::new(gl, ObjectKind::GlslProgram)?;
        for (index, (stage, source)) in sources.iter().enumerate() {
            let shader = gl.CreateShader(*stage)?;
            compile(shader, source)?;
            gl.AttachShader(object.name(), shader)?;
            let mut compiled = 0;
            // SAFETY: this state has one value.
            unsafe { gl.GetShaderiv(shader, COMPILE_STATUS, &raw mut compiled) }?;
            let message = read_log(|size, length, bytes| {
                // SAFETY: the driver writes at most `size` bytes.
                unsafe { gl.GetShaderInfoLog(shader, size, length, bytes) }
            })?;
            // The shader is deleted together with the program.
            gl.DeleteShader(shader)?;
            if compiled == 0 {
                discard_messages(gl)?;
                let shader = Some(index);
                return Ok(Err(ShaderError { shader, message }));
            }
        }
        gl.LinkProgram(object.name())?;
        let program = Self { object };
        if program.property(LINK_STATUS)? == 0 {
            let name = program.object.name();
            let message = read_log(|size, length, bytes| {
                // SAFETY: the driver writes at most `size` bytes.
                unsafe { gl.GetProgramInfoLog(name, size, length, bytes) }
            })?;
            discard_messages(gl)?;
            let shader = None;
            return Ok(Err(ShaderError { shader, message }));
        }
        gl.check_errors("glLinkProgram")?;
        Ok(Ok(program))
    }

    /// Makes the program current for draws and dispatches.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        let gl = self.object.gl();
        gl.UseProgram(self.object.name())?;
        gl.check_errors("glUseProgram")
    }

    /// Returns a property with one value, such as `GL_GEOMETRY_OUTPUT_TYPE`; 0 if it fails. Errors
    /// of OpenGL are not checked.
    pub(crate) fn property(&self, name: u32) -> Result<i32, Error> {
        let mut value = 0;
        let gl = self.object.gl();
        // SAFETY: callers query state with one value.
        unsafe { gl.GetProgramiv(self.object.name(), name, &raw mut value) }?;
        Ok(value)
    }
}

/// Returns the length of a source in bytes as a `GLint`; [`Error::Length`] if it is too long.
fn gl_length(source: &[u8]) -> Result<i32, Error> {
    i32::try_from(source.len()).map_err(|_| Error::Length {
        what: "shader",
        length: source.len(),
        needed: i32::MAX as usize,
    })
}

/// Clears the messages and errors of the driver, which may report the contents of the log as an
/// error.
fn discard_messages(gl: &Gl) -> Result<(), Error> {
    gl.take_errors()?;
    gl.take_messages();
    Ok(())
}

/// Returns the log that a command writes, at most [`MAX_MESSAGE_BYTES`]; the parameters of `read`
/// are a size, a pointer for the length and one for the bytes.
fn read_log(
    read: impl FnOnce(i32, *mut i32, *mut std::ffi::c_char) -> Result<(), Error>,
) -> Result<String, Error> {
    let mut bytes = [0_u8; MAX_MESSAGE_BYTES];
    let mut length = 0;
    read(
        MAX_MESSAGE_BYTES as i32,
        &raw mut length,
        bytes.as_mut_ptr().cast(),
    )?;
    let length = usize::try_from(length).unwrap_or(0).min(MAX_MESSAGE_BYTES);
    Ok(String::from_utf8_lossy(&bytes[..length]).trim().to_owned())
}
