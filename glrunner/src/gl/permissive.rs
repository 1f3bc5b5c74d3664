//! A driver for tests that accepts every program and does not execute it: no vertex and no work
//! group reaches a program. Buffers, textures, images and all other state of OpenGL are those of
//! the real driver, which detects errors in their use.

use super::pretend::{self, real};
use super::tests::open;
use super::*;
use std::ffi::c_void;
use std::rc::Rc;

/// Returns the device that tests use, with these extensions in addition to its own. `None` if there
/// is no device.
pub(crate) fn open_permissive(extensions: &[&str]) -> Option<Rc<Gl>> {
    let gl = Rc::into_inner(open()?)?;
    // SAFETY: `replace` follows the registry.
    let gl = unsafe { gl.pretend(extensions, replace) };
    Some(Rc::new(gl.expect("EGL is loaded")))
}

fn replace(name: &str) -> Option<*const c_void> {
    Some(match name {
        "glBeginTransformFeedbackNV" => one as *const c_void,
        "glBindProgramARB" | "glBindProgramNV" => bind_program as *const c_void,
        "glDeleteProgramsNV" => real("glDeleteProgramsARB"),
        "glDepthBoundsEXT" => depth_bounds as *const c_void,
        "glDisable" => disable as *const c_void,
        "glDispatchCompute" => three as *const c_void,
        "glDispatchComputeIndirect" => indirect as *const c_void,
        "glDrawArrays" => arrays as *const c_void,
        "glDrawArraysInstanced" => arrays_instanced as *const c_void,
        "glDrawArraysInstancedBaseInstance" => arrays_base as *const c_void,
        "glDrawElements" => elements as *const c_void,
        "glDrawElementsBaseVertex" => elements_instanced as *const c_void,
        "glDrawElementsInstanced" => elements_instanced as *const c_void,
        "glDrawElementsInstancedBaseVertex" => elements_vertex as *const c_void,
        "glDrawElementsInstancedBaseVertexBaseInstance" => elements_base as *const c_void,
        "glEnable" => enable as *const c_void,
        "glExecuteProgramNV" => execute_program as *const c_void,
        "glEndTransformFeedbackNV" | "glPauseTransformFeedbackNV" => none as *const c_void,
        "glGetProgramEnvParameterfvARB" => get_parameter as *const c_void,
        "glGetProgramLocalParameterfvARB" => get_parameter as *const c_void,
        "glGetProgramNamedParameterfvNV" => get_named as *const c_void,
        "glGetProgramParameterfvNV" => get_nv_parameter as *const c_void,
        "glGenProgramsNV" => real("glGenProgramsARB"),
        "glIsEnabled" => is_enabled as *const c_void,
        "glLoadProgramNV" => load_program as *const c_void,
        "glProgramNamedParameter4fvNV" => set_named as *const c_void,
        "glProgramVertexLimitNV" => two as *const c_void,
        "glTrackMatrixNV" => four as *const c_void,
        "glProgramEnvParameter4fARB" | "glProgramLocalParameter4fARB" => set as *const c_void,
        "glProgramStringARB" => program_string as *const c_void,
        "glResumeTransformFeedbackNV" => none as *const c_void,
        _ => return pretend::replace(name),
    })
}

/// Returns true for a capability or a target that the driver does not know.
fn is_pretended(capability: u32) -> bool {
    matches!(
        capability,
        COMPUTE_PROGRAM_NV
            | CONSERVATIVE_RASTERIZATION_NV
            | DEPTH_BOUNDS_TEST_EXT
            | FRAGMENT_PROGRAM_NV
            | GEOMETRY_PROGRAM_NV
            | TESS_CONTROL_PROGRAM_NV
            | TESS_EVALUATION_PROGRAM_NV
            | VERTEX_STATE_PROGRAM_NV
    )
}

extern "system" fn enable(capability: u32) {
    if !is_pretended(capability) {
        // SAFETY: the command has this signature.
        let command: extern "system" fn(u32) = unsafe { std::mem::transmute(real("glEnable")) };
        command(capability);
    }
}

extern "system" fn disable(capability: u32) {
    if !is_pretended(capability) {
        // SAFETY: the command has this signature.
        let command: extern "system" fn(u32) = unsafe { std::mem::transmute(real("glDisable")) };
        command(capability);
    }
}

extern "system" fn is_enabled(capability: u32) -> u8 {
    if is_pretended(capability) {
        return FALSE;
    }
    // SAFETY: the command has this signature.
    let command: extern "system" fn(u32) -> u8 =
        unsafe { std::mem::transmute(real("glIsEnabled")) };
    command(capability)
}

extern "system" fn bind_program(target: u32, name: u32) {
    if !is_pretended(target) {
        // SAFETY: the command has this signature.
        let command: extern "system" fn(u32, u32) =
            unsafe { std::mem::transmute(real("glBindProgramARB")) };
        command(target, name);
    }
}

/// Accepts any program string, instead of which the driver receives a supported one.
extern "system" fn program_string(target: u32, format: u32, _length: i32, _text: *const c_void) {
    let text: &[u8] = match target {
        VERTEX_PROGRAM_ARB => b"!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n",
        FRAGMENT_PROGRAM_ARB => b"!!ARBfp1.0\nMOV result.color, 1.0;\nEND\n",
        _ => return,
    };
    let length = i32::try_from(text.len()).expect("the texts are short");
    // SAFETY: the command has this signature.
    let command: unsafe extern "system" fn(u32, u32, i32, *const c_void) =
        unsafe { std::mem::transmute(real("glProgramStringARB")) };
    // SAFETY: the string has this number of bytes.
    unsafe { command(target, format, length, text.as_ptr().cast()) };
}

extern "system" fn load_program(target: u32, name: u32, length: i32, text: *const u8) {
    bind_program(target, name);
    program_string(target, PROGRAM_FORMAT_ASCII_ARB, length, text.cast());
}

unsafe extern "system" fn get_parameter(_target: u32, _index: u32, value: *mut [f32; 4]) {
    // SAFETY: the caller has space for four values.
    unsafe { *value = [0.0; 4] };
}

unsafe extern "system" fn get_named(_: u32, _: i32, _: *const u8, value: *mut [f32; 4]) {
    // SAFETY: the caller has space for four values.
    unsafe { *value = [0.0; 4] };
}

unsafe extern "system" fn get_nv_parameter(_: u32, _: u32, _: u32, value: *mut [f32; 4]) {
    // SAFETY: the caller has space for four values.
    unsafe { *value = [0.0; 4] };
}

extern "system" fn execute_program(_: u32, _: u32, _: *const f32) {}
extern "system" fn set_named(_: u32, _: i32, _: *const u8, _: *const f32) {}
extern "system" fn set(_: u32, _: u32, _: f32, _: f32, _: f32, _: f32) {}
extern "system" fn none() {}
extern "system" fn one(_: u32) {}
extern "system" fn two(_: u32, _: i32) {}
extern "system" fn four(_: u32, _: u32, _: u32, _: u32) {}
extern "system" fn three(_: u32, _: u32, _: u32) {}
extern "system" fn indirect(_: isize) {}
extern "system" fn depth_bounds(_: f64, _: f64) {}
extern "system" fn arrays(_: u32, _: i32, _: i32) {}
extern "system" fn arrays_instanced(_: u32, _: i32, _: i32, _: i32) {}
extern "system" fn elements(_: u32, _: i32, _: u32, _: *const c_void) {}
extern "system" fn elements_instanced(_: u32, _: i32, _: u32, _: *const c_void, _: i32) {}
extern "system" fn arrays_base(_: u32, _: i32, _: i32, _: i32, _: u32) {}
extern "system" fn elements_vertex(_: u32, _: i32, _: u32, _: *const c_void, _: i32, _: i32) {}
extern "system" fn elements_base(_: u32, _: i32, _: u32, _: *const c_void, _: i32, _: i32, _: u32) {
}
