//! Attributes by number: NV_vertex_program section 2.8, where conventional attributes are the
//! numbered ones.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{client_memory, current_context, driver, driver_state};
use crate::context::{State, StateGroups};
use crate::{evaluators, extension_commands, memory_ranges, program_commands};
use std::ffi::c_void;

/// Sets a numbered attribute of NV_vertex_program, the conventional one that it aliases, and its
/// saved value if an evaluation is in progress. Attribute 0 ends the vertex.
pub(crate) fn numbered_attribute(number: u32, value: [f32; 4]) {
    current_context::with(|state| state.update_saved_attribute(number, value));
    send_attribute(number, value);
}

/// Sends a numbered attribute to the driver, after the conventional attribute that aliases it
/// (NV_vertex_program). Attribute 0 ends the vertex.
pub(super) fn send_attribute(number: u32, [x, y, z, w]: [f32; 4]) {
    match number {
        2 => driver::Normal3f(x, y, z),
        3 => driver::Color4f(x, y, z, w),
        4 => driver::SecondaryColor3f(x, y, z),
        5 => driver::FogCoordf(x),
        8..=15 => driver::MultiTexCoord4f(driver::constants::TEXTURE0 + number - 8, x, y, z, w),
        _ => {}
    }
    // Attribute 0 ends the vertex.
    driver::VertexAttrib4f(number, x, y, z, w);
}

/// Returns the number of attributes in a range that exist. Records `GL_INVALID_VALUE` if some are
/// past the last: each of these is an error, and is not read (NV_vertex_program section 2.7).
fn valid_attributes(first: GLuint, count: GLsizei) -> usize {
    const ATTRIBUTES: u32 = 16;
    let count = u32::try_from(count).unwrap_or(0);
    let valid = count.min(ATTRIBUTES.saturating_sub(first));
    if valid < count {
        current_context::with(|state| state.record_error(program_commands::INVALID_VALUE));
    }
    valid as usize
}

/// Defines commands that set several attributes; attribute 0, which ends the vertex, is last.
macro_rules! several {
    ($($name:ident, $ty:ty, $size:literal, $convert:expr;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(first: GLuint, count: GLsizei, values: *const $ty) {
            if count < 0 {
                current_context::with(|state| state.record_error(program_commands::INVALID_VALUE));
                return;
            }
            let convert: fn($ty) -> f32 = $convert;
            let count = valid_attributes(first, count);
            if values.is_null() {
                return;
            }
            for index in (0..count).rev() {
                let mut value = [0.0, 0.0, 0.0, 1.0];
                for (n, component) in value.iter_mut().take($size).enumerate() {
                    // SAFETY: the list has this number of components for each existing attribute.
                    *component = convert(unsafe { client_memory::value(values, $size * index + n) });
                }
                numbered_attribute(first + index as u32, value);
            }
        }
    )*};
}

several! {
    VertexAttribs1fvNV, GLfloat, 1, |it| it;
    VertexAttribs2fvNV, GLfloat, 2, |it| it;
    VertexAttribs3fvNV, GLfloat, 3, |it| it;
    VertexAttribs4fvNV, GLfloat, 4, |it| it;
    VertexAttribs1dvNV, GLdouble, 1, |it| it as f32;
    VertexAttribs2dvNV, GLdouble, 2, |it| it as f32;
    VertexAttribs3dvNV, GLdouble, 3, |it| it as f32;
    VertexAttribs4dvNV, GLdouble, 4, |it| it as f32;
    VertexAttribs1svNV, GLshort, 1, f32::from;
    VertexAttribs2svNV, GLshort, 2, f32::from;
    VertexAttribs3svNV, GLshort, 3, f32::from;
    VertexAttribs4svNV, GLshort, 4, f32::from;
    VertexAttribs4ubvNV, GLubyte, 4, |it| f32::from(it) / 255.0;
}

/// Restores the application's arrays, then sets a numbered one: bytes are fractions, other numbers
/// are not normalized. Instead records `GL_INVALID_ENUM` for an unknown type or
/// `GL_INVALID_OPERATION` for fewer than four bytes; the driver reports other errors.
pub(crate) unsafe extern "system" fn VertexAttribPointerNV(
    number: GLuint,
    size: GLint,
    kind: GLenum,
    stride: GLsizei,
    pointer: *const c_void,
) {
    let is_byte = kind == driver::constants::UNSIGNED_BYTE;
    let is_known = matches!(
        kind,
        driver::constants::UNSIGNED_BYTE
            | driver::constants::SHORT
            | driver::constants::FLOAT
            | driver::constants::DOUBLE
    );
    let error = match (is_known, is_byte && matches!(size, 1..=3)) {
        (false, _) => program_commands::INVALID_ENUM,
        (true, true) => program_commands::INVALID_OPERATION,
        (true, false) => 0,
    };
    if error != 0 {
        current_context::with(|state| state.record_error(error));
        return;
    }
    current_context::with(|state| state.arrays_change());
    driver_state::set_attribute_array(number, size, kind, is_byte, stride, pointer as usize);
}

/// Defines queries of NV_vertex_program by those of ARB_vertex_program, with the same numbers
/// except for `CURRENT_ATTRIB_NV`, which is the same, too.
macro_rules! get {
    ($($name:ident, $same:ident, $ty:ty;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(number: GLuint, name: GLenum, values: *mut $ty) {
            current_context::with(|state| state.arrays_change());
            // Attribute 0 has no current value: NV_vertex_program section 6.1.13.
            if number == 0 && name == driver::constants::CURRENT_VERTEX_ATTRIB {
                current_context::with(|state| state.record_error(program_commands::INVALID_VALUE));
                return;
            }
            // SAFETY: the application provides memory for the result of its query.
            unsafe { driver::$same(number, name, values) };
        }
    )*};
}

get! {
    GetVertexAttribdvNV, GetVertexAttribdv, GLdouble;
    GetVertexAttribfvNV, GetVertexAttribfv, GLfloat;
    GetVertexAttribivNV, GetVertexAttribiv, GLint;
}

/// Restores the application's arrays, then queries the pointer of a numbered one from the driver.
pub(crate) unsafe extern "system" fn GetVertexAttribPointervNV(
    number: GLuint,
    name: GLenum,
    pointer: *const *mut c_void,
) {
    current_context::with(|state| state.arrays_change());
    // SAFETY: the application has space for a pointer.
    unsafe { driver::GetVertexAttribPointerv(number, name, pointer) };
}

/// Returns the number of the attribute whose array NV_vertex_program enables by an enumerant such
/// as `VERTEX_ATTRIB_ARRAY0_NV`; `None` for other enumerants.
fn array_attribute(array: GLenum) -> Option<u32> {
    array.checked_sub(0x8650).filter(|&number| number < 16)
}

/// Enables or disables a range of memory; otherwise restores the application's arrays, then enables
/// or disables a client array, or a numbered one by its name of NV_vertex_program.
fn enable_array(array: GLenum, enable: bool) {
    let set_range = |state: &mut State| memory_ranges::set_enabled(state, array, enable);
    if current_context::with(set_range) == Some(true) {
        return;
    }
    current_context::with(|state| state.arrays_change());
    match (array_attribute(array), enable) {
        (Some(number), true) => driver::EnableVertexAttribArray(number),
        (Some(number), false) => driver::DisableVertexAttribArray(number),
        (None, true) => driver::EnableClientState(array),
        (None, false) => driver::DisableClientState(array),
    }
}

/// Enables a client array, a numbered one by its name of NV_vertex_program, or a range of memory.
pub(crate) unsafe extern "system" fn EnableClientState(array: GLenum) {
    enable_array(array, true);
}

/// Disables a client array, a numbered one by its name of NV_vertex_program, or a range of memory.
pub(crate) unsafe extern "system" fn DisableClientState(array: GLenum) {
    enable_array(array, false);
}

/// Enables a capability: see [`set_capability`].
pub(crate) unsafe extern "system" fn Enable(capability: GLenum) {
    set_capability(capability, true);
}

/// Disables a capability: see [`set_capability`].
pub(crate) unsafe extern "system" fn Disable(capability: GLenum) {
    set_capability(capability, false);
}

/// Enables or disables a capability: targets of programs and maps of numbered attributes by this
/// library, now or in the list that is being compiled, numbered arrays by their names of
/// NV_vertex_program, all others in the driver. For capabilities that programs depend on, first
/// restores the application's values and marks `ENABLES` as changed.
fn set_capability(capability: GLenum, enabled: bool) {
    if let Some(target) = crate::target::Target::from_enumerant(capability) {
        let issued = current_context::with(|state| {
            if state.capabilities.works {
                program_commands::issue(
                    state,
                    program_commands::Command::EnableTarget(target, enabled),
                );
                true
            } else {
                false
            }
        });
        if issued == Some(true) {
            return;
        }
    }
    if evaluators::numbered_map_target(capability).is_some() {
        let command = program_commands::Command::EnableMap(capability, enabled);
        let issue = |state: &mut State| {
            let is_supported = state.capabilities.works;
            if is_supported {
                program_commands::issue(state, command);
            }
            is_supported
        };
        if current_context::with(issue) == Some(true) {
            return;
        }
    }
    if let Some(command) = extension_commands::enable_command(capability, enabled) {
        let issue = |state: &mut State| {
            let is_supported = state.capabilities.works;
            if is_supported {
                program_commands::issue(state, program_commands::Command::Extension(command));
            }
            is_supported
        };
        if current_context::with(issue) == Some(true) {
            return;
        }
    }
    if array_attribute(capability).is_some() {
        return enable_array(capability, enabled);
    }
    // Capabilities that affect fixed functions, points and clip planes.
    let concerns = matches!(capability, 0x0B50 | 0x0B57 | 0x0B60 | 0x0BA1 | 0x0C60..=0x0C63 | 0x0DE0 | 0x0DE1 | 0x3000..=0x3007
        | 0x4000..=0x4007 | 0x803A | 0x806F | 0x8458 | 0x84F5 | 0x8513 | 0x8642 | 0x8643 | 0x864F | 0x8861);
    if concerns {
        current_context::with(|state| {
            state.draw_state.overridden_state.restore();
            state.mark_list_changed(StateGroups::ENABLES);
        });
    }
    if enabled {
        driver::Enable(capability)
    } else {
        driver::Disable(capability)
    }
}

/// Saves groups of state in the driver, and the enabled targets and maps of this library, now or in
/// the display list that is being compiled.
pub(crate) unsafe extern "system" fn PushAttrib(mask: GLbitfield) {
    if current_context::with(|state| state.push_attributes(mask)).is_none() {
        driver::PushAttrib(mask);
    }
}

/// Restores the state that the last `PushAttrib` saved, including that of this library, now or in
/// the display list that is being compiled.
pub(crate) unsafe extern "system" fn PopAttrib() {
    if current_context::with(|state| state.pop_attributes()).is_none() {
        driver::PopAttrib();
    }
}

/// Sets the matrix mode of the driver: matrices of NV_vertex_program are those of
/// ARB_vertex_program with the same number. Records which name the application has used, for
/// queries.
pub(crate) unsafe extern "system" fn MatrixMode(mode: GLenum) {
    let is_nv = matches!(mode, 0x8630..=0x8637);
    current_context::with(|state| state.is_matrix_nv = is_nv);
    let mode = if is_nv { mode - 0x8630 + 0x88C0 } else { mode };
    driver::MatrixMode(mode);
}

/// Returns a value of a material as four components: colors by `color`, the shininess by `number`,
/// with (0, 0, 1) after it. Zeros for a null pointer and for color indices.
///
/// # Safety
/// The list has the number of components of the name.
unsafe fn material_value<T: Copy>(
    name: GLenum,
    values: *const T,
    color: fn(T) -> f32,
    number: fn(T) -> f32,
) -> [f32; 4] {
    const SHININESS: GLenum = driver::constants::SHININESS;
    const COLOR_INDEXES: GLenum = driver::constants::COLOR_INDEXES;
    match name {
        _ if values.is_null() => [0.0; 4],
        // SAFETY: ensured by the caller.
        SHININESS => [number(unsafe { values.read_unaligned() }), 0.0, 0.0, 1.0],
        COLOR_INDEXES => [0.0; 4],
        // SAFETY: ensured by the caller.
        _ => std::array::from_fn(|n| color(unsafe { values.add(n).read_unaligned() })),
    }
}

/// Sets the shininess in the driver, and records it for programs that draw. For other names the
/// driver reports an error, and nothing is recorded.
pub(crate) unsafe extern "system" fn Materialf(face: GLenum, name: GLenum, number: GLfloat) {
    driver::Materialf(face, name, number);
    // This command does not set colors: the driver reports an error.
    if name == driver::constants::SHININESS {
        current_context::with(|state| state.record_material(face, name, [number, 0.0, 0.0, 1.0]));
    }
}

/// Sets the shininess as `Materialf` does.
pub(crate) unsafe extern "system" fn Materiali(face: GLenum, name: GLenum, number: GLint) {
    // SAFETY: it has no pointers.
    unsafe { Materialf(face, name, number as GLfloat) };
}

/// Sets a property of materials in the driver, and records it for programs that draw.
pub(crate) unsafe extern "system" fn Materialfv(
    face: GLenum,
    name: GLenum,
    values: *const GLfloat,
) {
    // SAFETY: the application follows the specification.
    unsafe { driver::Materialfv(face, name, values) };
    // SAFETY: the same.
    let value = unsafe { material_value(name, values, |it| it, |it| it) };
    current_context::with(|state| state.record_material(face, name, value));
}

/// Sets a property of materials from integers, of which colors are fractions (GL 2.1 section 2.14),
/// and records it for programs that draw.
pub(crate) unsafe extern "system" fn Materialiv(face: GLenum, name: GLenum, values: *const GLint) {
    // SAFETY: the application follows the specification.
    unsafe { driver::Materialiv(face, name, values) };
    let fraction = |it: GLint| ((2.0 * f64::from(it) + 1.0) / 4_294_967_295.0) as f32;
    // SAFETY: the same.
    let value = unsafe { material_value(name, values, fraction, |it| it as f32) };
    current_context::with(|state| state.record_material(face, name, value));
}
