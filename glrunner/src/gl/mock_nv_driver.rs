//! A driver for tests that has some of NVIDIA's extensions: their commands record their arguments,
//! and are implemented by equivalent commands of OpenGL. All other commands are those of the
//! driver.

use super::platform::WindowSystem;
use super::tests::open;
use super::*;
use std::cell::RefCell;
use std::ffi::c_void;
use std::rc::Rc;

const MOCKED_EXTENSIONS: &[&str] = &[
    "GL_NV_bindless_texture",
    "GL_NV_compute_program5",
    "GL_NV_geometry_program4",
    "GL_NV_gpu_program4",
    "GL_NV_gpu_program5",
    "GL_NV_shader_buffer_load",
    "GL_NV_tessellation_program5",
    "GL_NV_transform_feedback",
    "GL_NV_transform_feedback2",
];

/// Parameter buffers of a kind of program, and words that programs see of each.
pub(crate) const PARAMETER_BUFFERS: i32 = 14;
pub(crate) const PARAMETER_WORDS: i32 = 16384;

thread_local! {
    static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Returns and clears the calls of this thread since the last call of this function, in order.
pub(crate) fn take_calls() -> Vec<String> {
    CALLS.take()
}

/// Appends a call, formatted as the tests expect it, to those that [`take_calls`] returns.
fn note(call: String) {
    CALLS.with_borrow_mut(|calls| calls.push(call));
}

/// Returns the simulated GPU address of a buffer, which exceeds 32 bits.
pub(crate) fn mock_buffer_address(buffer: u32) -> u64 {
    0x7_0000_0000 + 0x1000 * u64::from(buffer)
}

/// Returns the device that tests use, with the extensions of the mock; clears the recorded calls.
/// `None` if there is no device.
pub(crate) fn open_mock_nv() -> Option<Rc<Gl>> {
    open_mock_nv_with(&[])
}

/// Opens a context with the extensions of programs that name registers, which do not support
/// drawing here.
pub(crate) fn open_mock_register_languages() -> Option<Rc<Gl>> {
    open_mock_nv_with(&["GL_NV_fragment_program", "GL_NV_vertex_program"])
}

/// Opens a context with the extensions of the mock and `extensions`, whose commands are recorded
/// instead of executed; clears the recorded calls. `None` if there is no device.
fn open_mock_nv_with(extensions: &[&str]) -> Option<Rc<Gl>> {
    let gl = Rc::into_inner(open()?)?;
    take_calls();
    let extensions = [MOCKED_EXTENSIONS, extensions].concat();
    // SAFETY: `find_mock_command` follows the registry.
    let gl = unsafe { gl.with_mock_commands(&extensions, find_mock_command) };
    Some(Rc::new(gl.expect("EGL is loaded")))
}

/// Returns the real driver's function for a command; null if it has none.
pub(super) fn driver_command(name: &str) -> *const c_void {
    WindowSystem::load().map_or(std::ptr::null(), |system| system.proc_address(name))
}

/// Returns the simulated function for a command of NV extensions; `None` for commands that the real
/// driver executes.
pub(super) fn find_mock_command(name: &str) -> Option<*const c_void> {
    Some(match name {
        "glBeginTransformFeedbackNV" => driver_command("glBeginTransformFeedback"),
        "glEndTransformFeedbackNV" => driver_command("glEndTransformFeedback"),
        "glPauseTransformFeedbackNV" => driver_command("glPauseTransformFeedback"),
        "glResumeTransformFeedbackNV" => driver_command("glResumeTransformFeedback"),
        "glBindProgramNV" => bind_program as *const c_void,
        "glDeleteProgramsNV" => driver_command("glDeleteProgramsARB"),
        "glExecuteProgramNV" => execute_program as *const c_void,
        "glGenProgramsNV" => driver_command("glGenProgramsARB"),
        "glGetProgramNamedParameterfvNV" => get_named_parameter as *const c_void,
        "glGetProgramParameterfvNV" => get_nv_parameter as *const c_void,
        "glLoadProgramNV" => load_program as *const c_void,
        "glProgramNamedParameter4fvNV" => set_named_parameter as *const c_void,
        "glProgramVertexLimitNV" => limit_vertices as *const c_void,
        "glTrackMatrixNV" => track_matrix as *const c_void,
        "glBindBufferRangeNV" => bind_buffer_range as *const c_void,
        "glGetProgramivARB" => get_program_limit as *const c_void,
        "glGetNamedBufferParameterui64vNV" => get_buffer_address as *const c_void,
        "glMakeNamedBufferResidentNV" => make_resident as *const c_void,
        "glGetProgramEnvParameterIivNV" => get_env_int as *const c_void,
        "glGetProgramEnvParameterIuivNV" => get_env_uint as *const c_void,
        "glGetProgramLocalParameterIivNV" => get_local_int as *const c_void,
        "glGetProgramLocalParameterIuivNV" => get_local_uint as *const c_void,
        "glGetProgramSubroutineParameteruivNV" => get_subroutine as *const c_void,
        "glProgramEnvParameterI4iNV" => set_env_int as *const c_void,
        "glProgramEnvParameterI4uiNV" => set_env_uint as *const c_void,
        "glProgramLocalParameterI4iNV" => set_local_int as *const c_void,
        "glProgramLocalParameterI4uiNV" => set_local as *const c_void,
        "glProgramSubroutineParametersuivNV" => set_subroutines as *const c_void,
        "glGetImageHandleNV" => image_handle as *const c_void,
        "glGetTextureHandleNV" => texture_handle as *const c_void,
        "glIsImageHandleResidentNV" | "glIsTextureHandleResidentNV" => is_resident as *const c_void,
        "glMakeImageHandleResidentNV" => make_image_resident as *const c_void,
        "glMakeTextureHandleResidentNV" => make_texture_resident as *const c_void,
        "glTransformFeedbackAttribsNV" => capture as *const c_void,
        "glTransformFeedbackStreamAttribsNV" => capture_streams as *const c_void,
        _ => return None,
    })
}

/// Simulates `glBindBufferRangeNV` of parameter buffers and records the call.
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

/// Simulates the query of a program limit: those of parameter buffers have fixed values; all others
/// are 1024.
unsafe extern "system" fn get_program_limit(_target: u32, name: u32, value: *mut i32) {
    let known = match name {
        MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV => PARAMETER_BUFFERS,
        MAX_PROGRAM_PARAMETER_BUFFER_SIZE_NV => PARAMETER_WORDS,
        _ => 1024,
    };
    // SAFETY: the caller has space for the value.
    unsafe { *value = known };
}

/// Simulates `glGetNamedBufferParameterui64vNV`: writes the address that [`mock_buffer_address`]
/// derives from the buffer's name.
unsafe extern "system" fn get_buffer_address(buffer: u32, name: u32, value: *mut u64) {
    assert_eq!(name, BUFFER_GPU_ADDRESS_NV);
    // SAFETY: the caller has space for the value.
    unsafe { *value = mock_buffer_address(buffer) };
}

/// Simulates `glMakeNamedBufferResidentNV` and records the call.
extern "system" fn make_resident(buffer: u32, access: u32) {
    note(format!("resident {buffer} {access:#x}"));
}

/// Simulates `glProgramLocalParameterI4uiNV` and records the call with the components in
/// hexadecimal.
extern "system" fn set_local(target: u32, index: u32, x: u32, y: u32, z: u32, w: u32) {
    note(format!(
        "local {target:#x} {index} {x:#x} {y:#x} {z:#x} {w:#x}"
    ));
}

/// Simulates `glTransformFeedbackAttribsNV` and records the call; each result is described by three
/// integers.
unsafe extern "system" fn capture(count: i32, results: *const i32, mode: u32) {
    // SAFETY: the caller has three values for each result.
    let results = unsafe { std::slice::from_raw_parts(results, 3 * count.unsigned_abs() as usize) };
    note(format!("capture {results:?} {mode:#x}"));
}

/// Simulates `glTransformFeedbackStreamAttribsNV` and records the call with the stream of each
/// buffer.
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

/// Simulates `glBindProgramNV` and records the target.
extern "system" fn bind_program(target: u32, _program: u32) {
    note(format!("bind program {target:#x}"));
}

/// Simulates `glLoadProgramNV` and records the target with the first line of the program string.
unsafe extern "system" fn load_program(target: u32, _program: u32, length: i32, text: *const u8) {
    // SAFETY: the caller has as many bytes.
    let text = unsafe { std::slice::from_raw_parts(text, length.unsigned_abs() as usize) };
    let text = String::from_utf8_lossy(text);
    let header = text.lines().next().unwrap_or_default();
    note(format!("load {target:#x} {header}"));
}

/// Simulates `glExecuteProgramNV` and records the target with the argument vector.
unsafe extern "system" fn execute_program(target: u32, _program: u32, argument: *const [f32; 4]) {
    // SAFETY: the caller has four values.
    let argument = unsafe { *argument };
    note(format!("execute {target:#x} {argument:?}"));
}

/// Simulates `glTrackMatrixNV` and records the call.
extern "system" fn track_matrix(target: u32, address: u32, matrix: u32, transform: u32) {
    note(format!(
        "track {target:#x} {address} {matrix:#x} {transform:#x}"
    ));
}

/// Simulates `glProgramVertexLimitNV` and records the call.
extern "system" fn limit_vertices(target: u32, limit: i32) {
    note(format!("limit {target:#x} {limit}"));
}

/// Simulates `glProgramNamedParameter4fvNV` and records the name with the value.
unsafe extern "system" fn set_named_parameter(
    _program: u32,
    length: i32,
    name: *const u8,
    value: *const [f32; 4],
) {
    // SAFETY: the caller has as many bytes, and four values.
    let (name, value) = unsafe {
        let name = std::slice::from_raw_parts(name, length.unsigned_abs() as usize);
        (String::from_utf8_lossy(name), *value)
    };
    note(format!("named {name} {value:?}"));
}

/// Returns the simulated value of a named parameter: the length of the name, in all components but
/// the last one.
unsafe extern "system" fn get_named_parameter(
    _program: u32,
    length: i32,
    _name: *const u8,
    value: *mut [f32; 4],
) {
    let length = length as f32;
    // SAFETY: the caller has space for four values.
    unsafe { *value = [length, length, length, -1.0] };
}

/// Returns the simulated value of a parameter of vertex programs: its number, in all components but
/// the last one.
unsafe extern "system" fn get_nv_parameter(
    _target: u32,
    index: u32,
    name: u32,
    value: *mut [f32; 4],
) {
    assert_eq!(name, PROGRAM_PARAMETER_NV);
    let number = index as f32;
    // SAFETY: the caller has space for four values.
    unsafe { *value = [number, number, number, -2.0] };
}

/// Returns the value of the integer parameter with this index: the first component indicates the
/// bank and type.
pub(crate) fn parameter_of(first: i32, index: u32) -> [i32; 4] {
    [first, i32::MIN, -1, index.cast_signed()]
}

/// First components of parameters by bank and type: environment and local, signed and unsigned.
pub(crate) const ENV_INT: i32 = -2;
pub(crate) const ENV_UINT: i32 = -3;
pub(crate) const LOCAL_INT: i32 = -4;
pub(crate) const LOCAL_UINT: i32 = -5;

macro_rules! parameter_commands {
    ($($get:ident $first:ident $set:ident $name:literal $ty:ty;)*) => {$(
        unsafe extern "system" fn $get(_target: u32, index: u32, value: *mut [i32; 4]) {
            // SAFETY: the caller has space for four components of 32 bits.
            unsafe { *value = parameter_of($first, index) };
        }

        extern "system" fn $set(target: u32, index: u32, x: $ty, y: $ty, z: $ty, w: $ty) {
            note(format!(concat!($name, " {:#x} {} {} {} {} {}"), target, index, x, y, z, w));
        }
    )*};
}

parameter_commands! {
    get_env_int ENV_INT set_env_int "env int" i32;
    get_env_uint ENV_UINT set_env_uint "env uint" u32;
    get_local_int LOCAL_INT set_local_int "local int" i32;
}

/// Simulates `glGetProgramLocalParameterIuivNV`: writes the value that [`parameter_of`] derives
/// from the index.
unsafe extern "system" fn get_local_uint(_target: u32, index: u32, value: *mut [i32; 4]) {
    // SAFETY: the caller has space for four components of 32 bits.
    unsafe { *value = parameter_of(LOCAL_UINT, index) };
}

/// Simulates `glProgramSubroutineParametersuivNV` and records the numbers of the subroutines.
unsafe extern "system" fn set_subroutines(target: u32, count: i32, numbers: *const u32) {
    // SAFETY: the caller has as many numbers.
    let numbers = unsafe { std::slice::from_raw_parts(numbers, count.unsigned_abs() as usize) };
    note(format!("subroutines {target:#x} {numbers:?}"));
}

/// Simulates `glGetProgramSubroutineParameteruivNV`: writes the index plus 100.
unsafe extern "system" fn get_subroutine(_target: u32, index: u32, number: *mut u32) {
    // SAFETY: the caller has space for the number.
    unsafe { *number = index + 100 };
}

/// Handles of all textures and images here.
pub(crate) const TEXTURE_HANDLE: u64 = 0x1_0000_0002;
pub(crate) const IMAGE_HANDLE: u64 = 0x3_0000_0004;

/// Simulates `glGetTextureHandleNV`: returns [`TEXTURE_HANDLE`] for all textures.
extern "system" fn texture_handle(_texture: u32) -> u64 {
    TEXTURE_HANDLE
}

/// Simulates `glGetImageHandleNV`: records the call and returns [`IMAGE_HANDLE`] for all images.
extern "system" fn image_handle(
    _texture: u32,
    level: i32,
    layered: u8,
    layer: i32,
    format: u32,
) -> u64 {
    note(format!("image {level} {layered} {layer} {format:#x}"));
    IMAGE_HANDLE
}

/// Simulates the query of the residency of a handle: no handle is resident yet.
extern "system" fn is_resident(_handle: u64) -> u8 {
    FALSE
}

/// Simulates `glMakeTextureHandleResidentNV` and records the handle.
extern "system" fn make_texture_resident(handle: u64) {
    note(format!("resident texture {handle:#x}"));
}

/// Simulates `glMakeImageHandleResidentNV` and records the handle with its access.
extern "system" fn make_image_resident(handle: u64, access: u32) {
    note(format!("resident image {handle:#x} {access:#x}"));
}
