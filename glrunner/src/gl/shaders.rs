//! Programs of GLSL, compiled and linked by the driver.

use super::object::{Object, ObjectKind};
use super::*;
use crate::error::Error;
use std::rc::Rc;

/// The part of a message of the driver that is kept.
const MESSAGE: usize = 8192;

/// What the driver says against a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    /// The shader, by its place in the list; `None` if only linking found it.
    pub(crate) shader: Option<usize>,
    /// The driver's words.
    pub(crate) message: String,
}

/// Shaders of one or several stages that the driver has linked.
pub(crate) struct ShaderProgram {
    object: Object,
}

impl ShaderProgram {
    /// Compiles texts, each for a stage such as `GL_VERTEX_SHADER`, and links them.
    ///
    /// The inner result is the driver's verdict on the texts, the outer one that of everything else.
    pub(crate) fn link(
        gl: &Rc<Gl>,
        texts: &[(u32, &[u8])],
    ) -> Result<Result<Self, Refusal>, Error> {
        let object = Object::new(gl, ObjectKind::GlslProgram)?;
        for (index, (stage, text)) in texts.iter().enumerate() {
            let shader = gl.CreateShader(*stage)?;
            let start = text.as_ptr().cast();
            let length = i32::try_from(text.len()).map_err(|_| Error::Length {
                what: "shader",
                length: text.len(),
                needed: i32::MAX as usize,
            })?;
            // SAFETY: there is one text of this length.
            unsafe { gl.ShaderSource(shader, 1, &raw const start, &raw const length) }?;
            gl.CompileShader(shader)?;
            gl.AttachShader(object.name(), shader)?;
            let mut compiled = 0;
            // SAFETY: this state has one value.
            unsafe { gl.GetShaderiv(shader, COMPILE_STATUS, &raw mut compiled) }?;
            let message = log(|size, length, bytes| {
                // SAFETY: the driver writes at most `size` bytes.
                unsafe { gl.GetShaderInfoLog(shader, size, length, bytes) }
            })?;
            // It lives as long as the program.
            gl.DeleteShader(shader)?;
            if compiled == 0 {
                forget_messages(gl)?;
                let shader = Some(index);
                return Ok(Err(Refusal { shader, message }));
            }
        }
        gl.LinkProgram(object.name())?;
        let program = Self { object };
        if program.property(LINK_STATUS)? == 0 {
            let name = program.object.name();
            let message = log(|size, length, bytes| {
                // SAFETY: the driver writes at most `size` bytes.
                unsafe { gl.GetProgramInfoLog(name, size, length, bytes) }
            })?;
            forget_messages(gl)?;
            let shader = None;
            return Ok(Err(Refusal { shader, message }));
        }
        gl.check("glLinkProgram")?;
        Ok(Ok(program))
    }

    /// Makes it what draws and dispatches run.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        let gl = self.object.gl();
        gl.UseProgram(self.object.name())?;
        gl.check("glUseProgram")
    }

    /// A property with one value, such as `GL_GEOMETRY_OUTPUT_TYPE`.
    pub(crate) fn property(&self, name: u32) -> Result<i32, Error> {
        let mut value = 0;
        let gl = self.object.gl();
        // SAFETY: callers ask for what has one value.
        unsafe { gl.GetProgramiv(self.object.name(), name, &raw mut value) }?;
        Ok(value)
    }
}

/// The driver may report as an error what the log says.
fn forget_messages(gl: &Gl) -> Result<(), Error> {
    gl.take_errors()?;
    gl.take_messages();
    Ok(())
}

/// What a command writes that takes a size, a place for the length and one for the bytes.
fn log(
    read: impl FnOnce(i32, *mut i32, *mut std::ffi::c_char) -> Result<(), Error>,
) -> Result<String, Error> {
    let mut bytes = [0_u8; MESSAGE];
    let mut length = 0;
    read(MESSAGE as i32, &raw mut length, bytes.as_mut_ptr().cast())?;
    let length = usize::try_from(length).unwrap_or(0).min(MESSAGE);
    Ok(String::from_utf8_lossy(&bytes[..length]).trim().to_owned())
}
