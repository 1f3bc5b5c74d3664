//! Stages that pipelines need in addition to their programs.

use crate::diagnostics::glasm_diagnostics;
use crate::enums::read_number;
use crate::ffi_args::{self, require, require_out_handle, write_out};
use crate::ffi_guard::{Failure, catch_to_result, glasm_result};
use crate::options::glasm_options;
use crate::options_from_c::read_options;
use crate::program::write_shader_result;
use crate::shader::glasm_shader;
use glasm::ir::primitive::InputPrimitive;
use glasm::stages::{build_control_stage, build_replication_stage};
use glasm::{DefaultTessLevels, Source};
use std::mem::MaybeUninit;
use std::ptr;

/// Creates the geometry stage that must follow a shader whose reflection has `has_view_replication`, for
/// draws of such primitives on a device with that many viewports.
///
/// `last_vertex_stage` stays the caller's, and so do `options`, of which only target and device are used and
/// which may be NULL. `primitive` is a glasm_input_primitive. `shader` is set to a shader that the
/// caller owns and frees with `glasm_shader_free`, or to NULL if none is needed or there are
/// errors. `diagnostics` may be NULL; it is set to errors, which the caller owns and frees with
/// `glasm_diagnostics_free`, or to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_shader_create_view_replication(
    last_vertex_stage: Option<&glasm_shader>,
    primitive: u32,
    viewports: u32,
    options: *const glasm_options,
    shader: Option<&mut MaybeUninit<*mut glasm_shader>>,
    mut diagnostics: Option<&mut MaybeUninit<*mut glasm_diagnostics>>,
) -> glasm_result {
    catch_to_result(|| {
        write_out(diagnostics.as_deref_mut(), ptr::null_mut());
        let shader = require_out_handle(shader, "shader")?;
        let reflection = &require(last_vertex_stage, "last_vertex_stage")?
            .shader()
            .reflection;
        let primitive: InputPrimitive = read_number(primitive, "primitive")?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let options = unsafe { read_options(options) }?;
        match build_replication_stage(reflection, primitive, viewports, &options) {
            Some(made) => write_shader_result(made, shader, diagnostics, &make_empty_source()),
            None => Ok(()),
        }
    })
}

/// Creates the control stage between a vertex and an evaluation shader that were linked without
/// one: patches of that many vertices pass through it.
///
/// `vertex` and `evaluation` stay the caller's, and so do `tess_levels`, four outer and two inner ones,
/// and `options`, of which only target and device are used and which may be NULL. `shader` is set
/// to a shader that the caller owns and frees with `glasm_shader_free`, or to NULL if there are
/// errors. `diagnostics` may be NULL; it is set to errors, which the caller owns and frees with
/// `glasm_diagnostics_free`, or to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_shader_create_tess_control(
    vertex: Option<&glasm_shader>,
    evaluation: Option<&glasm_shader>,
    vertices: u32,
    tess_levels: *const f32,
    options: *const glasm_options,
    shader: Option<&mut MaybeUninit<*mut glasm_shader>>,
    mut diagnostics: Option<&mut MaybeUninit<*mut glasm_diagnostics>>,
) -> glasm_result {
    catch_to_result(|| {
        write_out(diagnostics.as_deref_mut(), ptr::null_mut());
        let shader = require_out_handle(shader, "shader")?;
        let vertex = &require(vertex, "vertex")?.shader().reflection;
        let evaluation = &require(evaluation, "evaluation")?.shader().reflection;
        if vertices == 0 || vertices > glasm::ir::primitive::MAX_PATCH_VERTICES {
            return Err(Failure::invalid_argument(
                "`vertices` is not a valid number of patch vertices",
            ));
        }
        // SAFETY: the caller has six floats there.
        let [a, b, c, d, e, f] = unsafe { ffi_args::read_array(tess_levels, "tess_levels") }?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let options = unsafe { read_options(options) }?;
        let levels = DefaultTessLevels::new([a, b, c, d], [e, f]);
        let made = build_control_stage(vertex, evaluation, vertices, levels, &options);
        write_shader_result(made, shader, diagnostics, &make_empty_source())
    })
}

/// Stages that the library makes have no text.
fn make_empty_source() -> Source<'static> {
    Source::new("generated stage", b"")
}
