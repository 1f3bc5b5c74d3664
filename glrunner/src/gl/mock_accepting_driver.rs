//! A driver for tests that accepts every program and does not execute it: no vertex and no work
//! group reaches a program. Buffers, textures, images and all other state of OpenGL are those of
//! the real driver, which detects errors in their use.

use super::mock_nv_driver::{self, driver_command};
use super::tests::open;
use super::*;
use std::ffi::c_void;
use std::rc::Rc;

/// Returns the device that tests use, with these extensions in addition to its own. `None` if there
/// is no device.
pub(crate) fn open_mock_accepting(extensions: &[&str]) -> Option<Rc<Gl>> {
    let gl = Rc::into_inner(open()?)?;
    // SAFETY: `find_mock_command` follows the registry.
    let gl = unsafe { gl.with_mock_commands(extensions, find_mock_command) };
    Some(Rc::new(gl.expect("EGL is loaded")))
}

/// Returns the simulated function for a command; `None` for commands that the real driver executes.
fn find_mock_command(name: &str) -> Option<*const c_void> {
    Some(match name {
        "glBeginTransformFeedbackNV" => one as *const c_void,
        "glBindProgramARB" | "glBindProgramNV" => bind_program as *const c_void,
        "glDeleteProgramsNV" => driver_command("glDeleteProgramsARB"),
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
        "glGenProgramsNV" => driver_command("glGenProgramsARB"),
        "glIsEnabled" => is_enabled as *const c_void,
        "glLoadProgramNV" => load_program as *const c_void,
        "glProgramNamedParameter4fvNV" => set_named as *const c_void,
        "glProgramVertexLimitNV" => two as *const c_void,
        "glTrackMatrixNV" => four as *const c_void,
        "glProgramEnvParameter4fARB" | "glProgramLocalParameter4fARB" => set as *const c_void,
        "glProgramStringARB" => program_string as *const c_void,
        "glResumeTransformFeedbackNV" => none as *const c_void,
        _ => return mock_nv_driver::find_mock_command(name),
    })
}

/// Returns true for a capability or a target that the real driver does not know, so that the mock
/// ignores it.
fn is_mocked(capability: u32) -> bool {
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

/// Simulates `glEnable`: ignores the mocked capabilities and forwards all others to the driver.
extern "system" fn enable(capability: u32) {
    if !is_mocked(capability) {
        // SAFETY: the command has this signature.
        let command: extern "system" fn(u32) =
            unsafe { std::mem::transmute(driver_command("glEnable")) };
        command(capability);
    }
}

/// Simulates `glDisable`: ignores the mocked capabilities and forwards all others to the driver.
extern "system" fn disable(capability: u32) {
    if !is_mocked(capability) {
        // SAFETY: the command has this signature.
        let command: extern "system" fn(u32) =
            unsafe { std::mem::transmute(driver_command("glDisable")) };
        command(capability);
    }
}

/// Simulates `glIsEnabled`: mocked capabilities are disabled; the driver is asked for all others.
extern "system" fn is_enabled(capability: u32) -> u8 {
    if is_mocked(capability) {
        return FALSE;
    }
    // SAFETY: the command has this signature.
    let command: extern "system" fn(u32) -> u8 =
        unsafe { std::mem::transmute(driver_command("glIsEnabled")) };
    command(capability)
}

/// Simulates `glBindProgramARB`: ignores the mocked targets and forwards all others to the driver.
extern "system" fn bind_program(target: u32, name: u32) {
    if !is_mocked(target) {
        // SAFETY: the command has this signature.
        let command: extern "system" fn(u32, u32) =
            unsafe { std::mem::transmute(driver_command("glBindProgramARB")) };
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
        unsafe { std::mem::transmute(driver_command("glProgramStringARB")) };
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
