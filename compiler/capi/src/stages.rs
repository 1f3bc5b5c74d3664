//! Stages that pipelines need in addition to their programs.

use crate::call::{Failure, enter, glasm_result};
use crate::diagnostics::glasm_diagnostics;
use crate::enums::read_number;
use crate::memory::{self, clear_handle, give, require};
use crate::options::glasm_options;
use crate::program::give_shader;
use crate::read_options::read_options;
use crate::shader::glasm_shader;
use glasm::ir::primitive::InputPrimitive;
use glasm::stages::{control_stage, replication_stage};
use glasm::{PatchLevels, Source};
use std::mem::MaybeUninit;
use std::ptr;

/// Creates the geometry stage that must follow a shader whose reflection has `has_replication`, for
/// draws of such primitives on a device with that many viewports.
///
/// `before` stays the caller's, and so do `options`, of which only target and device are used and
/// which may be NULL. `primitive` is a glasm_input_primitive. `shader` is set to a shader that the
/// caller owns and frees with `glasm_shader_free`, or to NULL if none is needed or there are
/// errors. `diagnostics` may be NULL; it is set to errors, which the caller owns and frees with
/// `glasm_diagnostics_free`, or to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_replication_stage(
    before: Option<&glasm_shader>,
    primitive: u32,
    viewports: u32,
    options: *const glasm_options,
    shader: Option<&mut MaybeUninit<*mut glasm_shader>>,
    mut diagnostics: Option<&mut MaybeUninit<*mut glasm_diagnostics>>,
) -> glasm_result {
    enter(|| {
        give(diagnostics.as_deref_mut(), ptr::null_mut());
        let shader = clear_handle(shader, "shader")?;
        let before = &require(before, "before")?.shader().reflection;
        let primitive: InputPrimitive = read_number(primitive, "primitive")?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let options = unsafe { read_options(options) }?;
        match replication_stage(before, primitive, viewports, &options) {
            Some(made) => give_shader(made, shader, diagnostics, &make_empty_source()),
            None => Ok(()),
        }
    })
}

/// Creates the control stage between a vertex and an evaluation shader that were linked without
/// one: patches of that many vertices pass through it.
///
/// `vertex` and `evaluation` stay the caller's, and so do `levels`, four outer and two inner ones,
/// and `options`, of which only target and device are used and which may be NULL. `shader` is set
/// to a shader that the caller owns and frees with `glasm_shader_free`, or to NULL if there are
/// errors. `diagnostics` may be NULL; it is set to errors, which the caller owns and frees with
/// `glasm_diagnostics_free`, or to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_control_stage(
    vertex: Option<&glasm_shader>,
    evaluation: Option<&glasm_shader>,
    vertices: u32,
    levels: *const f32,
    options: *const glasm_options,
    shader: Option<&mut MaybeUninit<*mut glasm_shader>>,
    mut diagnostics: Option<&mut MaybeUninit<*mut glasm_diagnostics>>,
) -> glasm_result {
    enter(|| {
        give(diagnostics.as_deref_mut(), ptr::null_mut());
        let shader = clear_handle(shader, "shader")?;
        let vertex = &require(vertex, "vertex")?.shader().reflection;
        let evaluation = &require(evaluation, "evaluation")?.shader().reflection;
        if vertices == 0 || vertices > glasm::ir::primitive::MAX_PATCH_VERTICES {
            return Err(Failure::argument(
                "`vertices` is no number of vertices of a patch",
            ));
        }
        // SAFETY: the caller has six floats there.
        let [a, b, c, d, e, f] = unsafe { memory::read_array(levels, "levels") }?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let options = unsafe { read_options(options) }?;
        let levels = PatchLevels::new([a, b, c, d], [e, f]);
        let made = control_stage(vertex, evaluation, vertices, levels, &options);
        give_shader(made, shader, diagnostics, &make_empty_source())
    })
}

/// Stages that the library makes have no text.
fn make_empty_source() -> Source<'static> {
    Source::new("made stage", b"")
}
