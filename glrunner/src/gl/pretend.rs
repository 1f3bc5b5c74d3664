//! A driver for tests that has some of NVIDIA's extensions: their commands note what they are told, and are done by what OpenGL has of
//! the kind itself. Everything else is the driver's own.

use super::egl::Egl;
use super::tests::open;
use super::*;
use std::cell::RefCell;
use std::ffi::c_void;
use std::rc::Rc;

const PRETENDED: &[&str] = &[
    "GL_NV_gpu_program4",
    "GL_NV_gpu_program5",
    "GL_NV_shader_buffer_load",
    "GL_NV_transform_feedback",
    "GL_NV_transform_feedback2",
];

/// Parameter buffers of a kind of program, and words that programs see of each.
pub(crate) const PARAMETER_BUFFERS: i32 = 14;
pub(crate) const PARAMETER_WORDS: i32 = 16384;

thread_local! {
    static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// The calls since this was last asked for, in order.
pub(crate) fn take_calls() -> Vec<String> {
    CALLS.take()
}

fn note(call: String) {
    CALLS.with_borrow_mut(|calls| calls.push(call));
}

/// The address that a buffer has here: beyond 32 bits.
pub(crate) fn address_of(buffer: u32) -> u64 {
    0x7_0000_0000 + 0x1000 * u64::from(buffer)
}

/// The device that tests use, with more extensions. `None` if there is none.
pub(crate) fn open_pretended() -> Option<Rc<Gl>> {
    let gl = Rc::into_inner(open()?)?;
    take_calls();
    // SAFETY: `replace` keeps to the registry.
    let gl = unsafe { gl.pretend(PRETENDED, replace) };
    Some(Rc::new(gl.expect("EGL is loaded")))
}

fn replace(name: &str) -> Option<*const c_void> {
    let core = |name: &str| Egl::load().map_or(std::ptr::null(), |egl| egl.command(name));
    Some(match name {
        "glBeginTransformFeedbackNV" => core("glBeginTransformFeedback"),
        "glEndTransformFeedbackNV" => core("glEndTransformFeedback"),
        "glPauseTransformFeedbackNV" => core("glPauseTransformFeedback"),
        "glResumeTransformFeedbackNV" => core("glResumeTransformFeedback"),
        "glBindBufferRangeNV" => bind_buffer_range as *const c_void,
        "glGetProgramivARB" => get_program as *const c_void,
        "glGetNamedBufferParameterui64vNV" => get_buffer as *const c_void,
        "glMakeNamedBufferResidentNV" => make_resident as *const c_void,
        "glProgramLocalParameterI4uiNV" => set_local as *const c_void,
        "glTransformFeedbackAttribsNV" => capture as *const c_void,
        "glTransformFeedbackStreamAttribsNV" => capture_streams as *const c_void,
        _ => return None,
    })
}

extern "system" fn bind_buffer_range(
    target: u32,
    index: u32,
    buffer: u32,
    offset: isize,
    size: isize,
) {
    note(format!(
        "bind {target:#x} {index} buffer {buffer} {offset} {size}"
    ));
}

unsafe extern "system" fn get_program(_target: u32, name: u32, value: *mut i32) {
    let known = match name {
        MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV => PARAMETER_BUFFERS,
        MAX_PROGRAM_PARAMETER_BUFFER_SIZE_NV => PARAMETER_WORDS,
        _ => 1024,
    };
    // SAFETY: the caller has room for the value.
    unsafe { *value = known };
}

unsafe extern "system" fn get_buffer(buffer: u32, name: u32, value: *mut u64) {
    assert_eq!(name, BUFFER_GPU_ADDRESS_NV);
    // SAFETY: the caller has room for the value.
    unsafe { *value = address_of(buffer) };
}

extern "system" fn make_resident(buffer: u32, access: u32) {
    note(format!("resident {buffer} {access:#x}"));
}

extern "system" fn set_local(target: u32, index: u32, x: u32, y: u32, z: u32, w: u32) {
    note(format!(
        "local {target:#x} {index} {x:#x} {y:#x} {z:#x} {w:#x}"
    ));
}

unsafe extern "system" fn capture(count: i32, results: *const i32, mode: u32) {
    // SAFETY: the caller has three values for each result.
    let results = unsafe { std::slice::from_raw_parts(results, 3 * count.unsigned_abs() as usize) };
    note(format!("capture {results:?} {mode:#x}"));
}

unsafe extern "system" fn capture_streams(
    count: i32,
    results: *const i32,
    buffers: i32,
    streams: *const i32,
    mode: u32,
) {
    // SAFETY: the caller has three values for each result, and a stream for each buffer.
    let (results, streams) = unsafe {
        (
            std::slice::from_raw_parts(results, 3 * count.unsigned_abs() as usize),
            std::slice::from_raw_parts(streams, buffers.unsigned_abs() as usize),
        )
    };
    note(format!("capture {results:?} streams {streams:?} {mode:#x}"));
}
