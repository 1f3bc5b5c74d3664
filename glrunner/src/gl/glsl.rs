//! Programs of GLSL for tests: they use buffers, dispatches and transform feedback with drivers
//! whose assembly programs cannot.

use super::*;
use crate::error::Error;
use std::ffi::CString;
use std::ptr;

/// Links a program of these shaders and makes it current; `captured` are outputs for transform
/// feedback, including `gl_NextBuffer` and `gl_SkipComponents`.
pub(crate) fn use_program(
    gl: &Gl,
    shaders: &[(u32, &str)],
    captured: &[&str],
) -> Result<(), Error> {
    let program = gl.CreateProgram()?;
    for (stage, text) in shaders {
        let shader = gl.CreateShader(*stage)?;
        let text = CString::new(*text).expect("GLSL has no zero bytes");
        let start = text.as_ptr();
        // SAFETY: one string, which ends with a zero.
        unsafe { gl.ShaderSource(shader, 1, &start, ptr::null()) }?;
        gl.CompileShader(shader)?;
        gl.AttachShader(program, shader)?;
    }
    let names: Vec<CString> = captured
        .iter()
        .map(|name| CString::new(*name).expect("names have no zero bytes"))
        .collect();
    let starts: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
    let count = i32::try_from(starts.len()).expect("tests have few names");
    // SAFETY: the list has this number of strings, which end with a zero.
    unsafe { gl.TransformFeedbackVaryings(program, count, starts.as_ptr(), INTERLEAVED_ATTRIBS) }?;
    gl.LinkProgram(program)?;
    gl.UseProgram(program)?;
    gl.check_errors("linking a program of GLSL")
}

/// Draws `count` vertices without any vertex array; shaders derive them from the vertex number.
pub(crate) fn draw_arrays(gl: &Gl, mode: u32, count: i32) -> Result<(), Error> {
    // SAFETY: no array is enabled.
    unsafe { gl.DrawArrays(mode, 0, count) }?;
    gl.check_errors("glDrawArrays")
}

/// Returns an indexed 64-bit state, such as the offset of a binding.
pub(crate) fn indexed_integer64(gl: &Gl, name: u32, index: u32) -> Result<i64, Error> {
    let mut values = [0; 16];
    // SAFETY: no indexed state has more values.
    unsafe { gl.GetInteger64i_v(name, index, values.as_mut_ptr()) }?;
    gl.check_errors("glGetInteger64i_v")?;
    Ok(values[0])
}
