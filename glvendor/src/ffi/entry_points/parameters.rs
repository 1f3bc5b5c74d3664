//! Parameters: of environments, of programs, by name, of buffers.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{client_memory, current_context, driver, driver_state};
use crate::check_arguments::{self, ParameterBank};
use crate::program_commands::{self, Command};
use crate::queries;
use crate::share_group::VectorBits;
use crate::target::Target;

/// Returns the bits of a float component.
fn float(value: f32) -> u32 {
    value.to_bits()
}

/// Returns the bits of a double component, rounded to single precision.
fn double(value: f64) -> u32 {
    (value as f32).to_bits()
}

/// Returns the bits of a signed component.
fn int(value: i32) -> u32 {
    value as u32
}

/// Returns an unsigned component unchanged: counterpart of [`int`] for the tables of commands.
fn uint(value: u32) -> u32 {
    value
}

/// Commands with four components as arguments.
macro_rules! components {
    ($($name:ident, $ty:ty, $bits:ident, $make:ident;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(target: GLenum, index: GLuint, x: $ty, y: $ty, z: $ty, w: $ty) {
            let values = vec![[x, y, z, w].map($bits)];
            current_context::with(|state| program_commands::issue(state, Command::$make(target, index, values)));
        }
    )*};
}

components! {
    ProgramEnvParameter4fARB, GLfloat, float, Env;
    ProgramEnvParameter4dARB, GLdouble, double, Env;
    ProgramEnvParameterI4iNV, GLint, int, Env;
    ProgramEnvParameterI4uiNV, GLuint, uint, Env;
    ProgramLocalParameter4fARB, GLfloat, float, Local;
    ProgramLocalParameter4dARB, GLdouble, double, Local;
    ProgramLocalParameterI4iNV, GLint, int, Local;
    ProgramLocalParameterI4uiNV, GLuint, uint, Local;
    ProgramParameter4fNV, GLfloat, float, Env;
    ProgramParameter4dNV, GLdouble, double, Env;
}

/// Commands with a list of one vector.
macro_rules! vector {
    ($($name:ident, $ty:ty, $bits:ident, $make:ident;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(target: GLenum, index: GLuint, values: *const $ty) {
            let command = match check_arguments::check_range(ParameterBank::$make, target, index, 1) {
                Err(error) => Command::Fail(error),
                // SAFETY: the list has four components, if the parameter is valid.
                Ok(()) => Command::$make(target, index, unsafe { client_memory::vectors(values, 1, $bits) }),
            };
            current_context::with(|state| program_commands::issue(state, command));
        }
    )*};
}

vector! {
    ProgramEnvParameter4fvARB, GLfloat, float, Env;
    ProgramEnvParameter4dvARB, GLdouble, double, Env;
    ProgramEnvParameterI4ivNV, GLint, int, Env;
    ProgramEnvParameterI4uivNV, GLuint, uint, Env;
    ProgramLocalParameter4fvARB, GLfloat, float, Local;
    ProgramLocalParameter4dvARB, GLdouble, double, Local;
    ProgramLocalParameterI4ivNV, GLint, int, Local;
    ProgramLocalParameterI4uivNV, GLuint, uint, Local;
    ProgramParameter4fvNV, GLfloat, float, Env;
    ProgramParameter4dvNV, GLdouble, double, Env;
}

/// Commands with a list of vectors, which is read if the parameters exist.
macro_rules! vectors {
    ($($name:ident, $ty:ty, $bits:ident, $make:ident;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(target: GLenum, index: GLuint, count: GLsizei, values: *const $ty) {
            let command = match check_arguments::check_range(ParameterBank::$make, target, index, count) {
                Err(error) => Command::Fail(error),
                // SAFETY: the list has four components for each vector, if the count is valid.
                Ok(()) => Command::$make(target, index, unsafe { client_memory::vectors(values, count, $bits) }),
            };
            current_context::with(|state| program_commands::issue(state, command));
        }
    )*};
}

vectors! {
    ProgramEnvParameters4fvEXT, GLfloat, float, Env;
    ProgramEnvParametersI4ivNV, GLint, int, Env;
    ProgramEnvParametersI4uivNV, GLuint, uint, Env;
    ProgramLocalParameters4fvEXT, GLfloat, float, Local;
    ProgramLocalParametersI4ivNV, GLint, int, Local;
    ProgramLocalParametersI4uivNV, GLuint, uint, Local;
    ProgramParameters4fvNV, GLfloat, float, Env;
    ProgramParameters4dvNV, GLdouble, double, Env;
}

/// Local parameters of a program that is named, with four components as arguments.
macro_rules! named_components {
    ($($name:ident, $ty:ty, $bits:ident;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(program: GLuint, target: GLenum, index: GLuint, x: $ty, y: $ty, z: $ty, w: $ty) {
            let values = vec![[x, y, z, w].map($bits)];
            current_context::with(|state| program_commands::issue(state, Command::NamedLocal(program, target, index, values)));
        }
    )*};
}

named_components! {
    NamedProgramLocalParameter4fEXT, GLfloat, float;
    NamedProgramLocalParameter4dEXT, GLdouble, double;
    NamedProgramLocalParameterI4iEXT, GLint, int;
    NamedProgramLocalParameterI4uiEXT, GLuint, uint;
}

macro_rules! named_vector {
    ($($name:ident, $ty:ty, $bits:ident;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(program: GLuint, target: GLenum, index: GLuint, values: *const $ty) {
            let command = match check_arguments::check_range(ParameterBank::Local, target, index, 1) {
                Err(error) => Command::Fail(error),
                // SAFETY: the list has four components, if the parameter is valid.
                Ok(()) => Command::NamedLocal(program, target, index, unsafe { client_memory::vectors(values, 1, $bits) }),
            };
            current_context::with(|state| program_commands::issue(state, command));
        }
    )*};
}

named_vector! {
    NamedProgramLocalParameter4fvEXT, GLfloat, float;
    NamedProgramLocalParameter4dvEXT, GLdouble, double;
    NamedProgramLocalParameterI4ivEXT, GLint, int;
    NamedProgramLocalParameterI4uivEXT, GLuint, uint;
}

macro_rules! named_vectors {
    ($($name:ident, $ty:ty, $bits:ident;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(program: GLuint, target: GLenum, index: GLuint, count: GLsizei, values: *const $ty) {
            let command = match check_arguments::check_range(ParameterBank::Local, target, index, count) {
                Err(error) => Command::Fail(error),
                // SAFETY: the list has four components for each vector, if the count is valid.
                Ok(()) => Command::NamedLocal(program, target, index, unsafe { client_memory::vectors(values, count, $bits) }),
            };
            current_context::with(|state| program_commands::issue(state, command));
        }
    )*};
}

named_vectors! {
    NamedProgramLocalParameters4fvEXT, GLfloat, float;
    NamedProgramLocalParametersI4ivEXT, GLint, int;
    NamedProgramLocalParametersI4uivEXT, GLuint, uint;
}

/// Sets a parameter by name, or compiles that into the list that is being compiled. The name is
/// only read if the program may have a parameter of that length; otherwise records the error of
/// [`check_arguments::check_name`], or of [`check_arguments::check_recorded_name_length`] in a
/// list.
///
/// # Safety
/// The name is null or has as many bytes as its length, unless the length is an error.
unsafe fn set_named(program: GLuint, (length, name): (GLsizei, *const GLubyte), value: VectorBits) {
    current_context::with(|state| {
        // A list may be called when the name denotes another program.
        let is_known = match &state.recording {
            Some(_) => check_arguments::check_recorded_name_length(state, length),
            None => check_arguments::check_name(state, program, length),
        };
        if is_known.is_some() {
            // SAFETY: ensured by the caller.
            let name = unsafe { client_memory::bytes(name, length) };
            program_commands::issue(state, Command::NamedParameter(program, name, value));
        }
    });
}

/// Parameters by name: NV_fragment_program section 5.7.
macro_rules! by_name {
    ($($components:ident, $list:ident, $get:ident, $ty:ty, $bits:ident;)*) => {$(
        pub(crate) unsafe extern "system" fn $components(
            program: GLuint,
            length: GLsizei,
            name: *const GLubyte,
            x: $ty,
            y: $ty,
            z: $ty,
            w: $ty,
        ) {
            let value = [x, y, z, w].map($bits);
            // SAFETY: the name has that length, where this is valid.
            unsafe { set_named(program, (length, name), value) };
        }

        pub(crate) unsafe extern "system" fn $list(program: GLuint, length: GLsizei, name: *const GLubyte, values: *const $ty) {
            // SAFETY: the list has four components.
            let values = unsafe { client_memory::vectors(values, 1, $bits) };
            let value = values.first().copied().unwrap_or_default();
            // SAFETY: the name has that length, where this is valid.
            unsafe { set_named(program, (length, name), value) };
        }

        pub(crate) unsafe extern "system" fn $get(program: GLuint, length: GLsizei, name: *const GLubyte, values: *mut $ty) {
            let answer = current_context::with(|state| {
                check_arguments::check_name(state, program, length)?;
                // SAFETY: the name has that length: a parameter of the program has a name of as
                // many bytes.
                let name = unsafe { client_memory::bytes(name, length) };
                queries::named_parameter(state, program, &name)
            });
            // SAFETY: the application has space for four components.
            unsafe { write_floats(values, answer.flatten()) };
        }
    )*};
}

by_name! {
    ProgramNamedParameter4fNV, ProgramNamedParameter4fvNV, GetProgramNamedParameterfvNV, GLfloat, float;
    ProgramNamedParameter4dNV, ProgramNamedParameter4dvNV, GetProgramNamedParameterdvNV, GLdouble, double;
}

/// Writes four components to memory of the application; nothing for `None` or a null pointer.
///
/// # Safety
/// The memory has sufficient size.
unsafe fn write_floats<T: From<f32> + Copy>(destination: *mut T, value: Option<VectorBits>) {
    if let Some(value) = value {
        // SAFETY: ensured by the caller.
        unsafe {
            client_memory::write(
                destination,
                &value.map(|bits| T::from(f32::from_bits(bits))),
            )
        };
    }
}

/// Queries of parameters.
macro_rules! queries {
    ($($name:ident, $ty:ty, $answer:ident, $write:expr;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(target: GLenum, index: GLuint, values: *mut $ty) {
            let answer = current_context::with(|state| queries::$answer(state, target, index)).flatten();
            if let Some(answer) = answer {
                // SAFETY: the application has space for four components.
                unsafe { client_memory::write(values, &answer.map($write)) };
            }
        }
    )*};
}

queries! {
    GetProgramEnvParameterfvARB, GLfloat, env_parameter, f32::from_bits;
    GetProgramEnvParameterdvARB, GLdouble, env_parameter, |bits| f64::from(f32::from_bits(bits));
    GetProgramEnvParameterIivNV, GLint, env_parameter, |bits| bits as i32;
    GetProgramEnvParameterIuivNV, GLuint, env_parameter, |bits| bits;
    GetProgramLocalParameterfvARB, GLfloat, local_parameter, f32::from_bits;
    GetProgramLocalParameterdvARB, GLdouble, local_parameter, |bits| f64::from(f32::from_bits(bits));
    GetProgramLocalParameterIivNV, GLint, local_parameter, |bits| bits as i32;
    GetProgramLocalParameterIuivNV, GLuint, local_parameter, |bits| bits;
}

macro_rules! named_queries {
    ($($name:ident, $ty:ty, $write:expr;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(program: GLuint, _target: GLenum, index: GLuint, values: *mut $ty) {
            let answer = current_context::with(|state| queries::named_local_parameter(state, program, index)).flatten();
            if let Some(answer) = answer {
                // SAFETY: the application has space for four components.
                unsafe { client_memory::write(values, &answer.map($write)) };
            }
        }
    )*};
}

named_queries! {
    GetNamedProgramLocalParameterfvEXT, GLfloat, f32::from_bits;
    GetNamedProgramLocalParameterdvEXT, GLdouble, |bits| f64::from(f32::from_bits(bits));
    GetNamedProgramLocalParameterIivEXT, GLint, |bits| bits as i32;
    GetNamedProgramLocalParameterIuivEXT, GLuint, |bits| bits;
}

/// NV_vertex_program has a parameter for the queried value; there is only one.
macro_rules! nv_queries {
    ($($name:ident, $ty:ty;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(target: GLenum, index: GLuint, name: GLenum, values: *mut $ty) {
            let answer = current_context::with(|state| match name {
                0x8644 => queries::env_parameter(state, target, index),
                _ => {
                    state.record_error(program_commands::INVALID_ENUM);
                    None
                }
            });
            // SAFETY: the application has space for four components.
            unsafe { write_floats(values, answer.flatten()) };
        }
    )*};
}

nv_queries! {
    GetProgramParameterfvNV, GLfloat;
    GetProgramParameterdvNV, GLdouble;
}

/// Parameter buffers: NV_parameter_buffer_object.
macro_rules! buffer_parameters {
    ($($name:ident, $ty:ty, $bits:ident;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(
            target: GLenum,
            binding: GLuint,
            first: GLuint,
            count: GLsizei,
            values: *const $ty,
        ) {
            current_context::with(|state| {
                let Some(buffer) = crate::program_parameters::check_words(state, target, binding, first, count) else { return };
                // SAFETY: the list has as many words, if the count is valid.
                let words: Vec<u32> = unsafe { client_memory::values(values, count) }.map($bits).collect();
                crate::program_parameters::set_words(buffer, first, &words);
            });
        }
    )*};
}

buffer_parameters! {
    ProgramBufferParametersfvNV, GLfloat, float;
    ProgramBufferParametersIivNV, GLint, int;
    ProgramBufferParametersIuivNV, GLuint, uint;
}

/// Binds a whole buffer to an indexed target: parameter buffers by this library, with its errors,
/// all others by the driver.
pub(crate) unsafe extern "system" fn BindBufferBase(target: GLenum, index: GLuint, buffer: GLuint) {
    match Target::from_buffer_enumerant(target) {
        Some(it) => {
            current_context::with(|state| {
                crate::program_parameters::bind_parameter_buffer(state, it, index, buffer, None)
            });
        }
        None => driver::BindBufferBase(target, index, buffer),
    }
}

pub(crate) use BindBufferBase as BindBufferBaseEXT;
pub(crate) use BindBufferBase as BindBufferBaseNV;

/// Binds a range of a buffer to an indexed target: parameter buffers by this library, with its
/// errors, all others by the driver.
pub(crate) unsafe extern "system" fn BindBufferRange(
    target: GLenum,
    index: GLuint,
    buffer: GLuint,
    offset: GLintptr,
    size: GLsizeiptr,
) {
    match Target::from_buffer_enumerant(target) {
        Some(it) => {
            current_context::with(|state| {
                crate::program_parameters::bind_parameter_buffer(
                    state,
                    it,
                    index,
                    buffer,
                    Some((offset, Some(size))),
                )
            });
        }
        None => driver::BindBufferRange(target, index, buffer, offset, size),
    }
}

pub(crate) use BindBufferRange as BindBufferRangeEXT;
pub(crate) use BindBufferRange as BindBufferRangeNV;

/// Binds the part of a buffer from a byte offset on to an indexed target: parameter buffers by this
/// library, with its errors, all others by the driver's `BindBufferRange`, which leaves the buffer
/// bound to the target.
pub(crate) unsafe extern "system" fn BindBufferOffsetNV(
    target: GLenum,
    index: GLuint,
    buffer: GLuint,
    offset: GLintptr,
) {
    match Target::from_buffer_enumerant(target) {
        Some(it) => {
            current_context::with(|state| {
                crate::program_parameters::bind_parameter_buffer(
                    state,
                    it,
                    index,
                    buffer,
                    Some((offset, None)),
                )
            });
        }
        // The rest of the buffer; the driver has no command for that.
        None => {
            let size = driver_state::buffer_size(target, buffer).saturating_sub(offset);
            driver::BindBufferRange(target, index, buffer, offset, size);
        }
    }
}

/// Selects the subroutines of the bound program of a target (NV_gpu_program5). Records
/// `GL_INVALID_VALUE` for a count that is negative or beyond the limit, `GL_INVALID_ENUM` for an
/// unknown target.
pub(crate) unsafe extern "system" fn ProgramSubroutineParametersuivNV(
    target: GLenum,
    count: GLsizei,
    values: *const GLuint,
) {
    current_context::with(|state| match usize::try_from(count) {
        Ok(..=check_arguments::SUBROUTINE_PARAMETERS) => {
            // SAFETY: the list has as many numbers.
            let values = unsafe { client_memory::values(values, count) };
            program_commands::set_subroutines(state, target, values.collect());
        }
        Ok(_) | Err(_) => state.record_error(program_commands::INVALID_VALUE),
    });
}

/// Queries the subroutine that the bound program of a target has at an index, 0 if none was
/// selected. Records `GL_INVALID_ENUM` and writes nothing for an unknown target.
pub(crate) unsafe extern "system" fn GetProgramSubroutineParameteruivNV(
    target: GLenum,
    index: GLuint,
    value: *mut GLuint,
) {
    let answer =
        current_context::with(|state| queries::query_subroutine(state, target, index)).flatten();
    if let Some(answer) = answer {
        // SAFETY: the application has space for one number.
        unsafe { client_memory::write(value, &[answer]) };
    }
}

/// Returns and clears the recorded error of this library, if there is one, otherwise the driver's.
pub(crate) unsafe extern "system" fn GetError() -> GLenum {
    let inside = current_context::with(|state| std::mem::take(&mut state.error)).unwrap_or(0);
    match inside {
        0 => driver::GetError(),
        error => error,
    }
}

/// Returns a string: the list of extensions includes those of this library, the error string of
/// programs is that of the last program that did not load; all others are the driver's.
pub(crate) unsafe extern "system" fn GetString(name: GLenum) -> *const GLubyte {
    match current_context::with(|state| queries::advertised_string(state, name)).flatten() {
        Some(text) => text.cast(),
        // SAFETY: it has no pointers.
        None => unsafe { driver::GetString(name) },
    }
}

/// Returns the extension at an index, among those of the driver and of this library; all other
/// strings and errors are the driver's.
pub(crate) unsafe extern "system" fn GetStringi(name: GLenum, index: GLuint) -> *const GLubyte {
    match current_context::with(|state| queries::advertised_extension(state, name, index)).flatten()
    {
        Some(text) => text.cast(),
        // SAFETY: it has no pointers.
        None => unsafe { driver::GetStringi(name, index) },
    }
}

/// Returns whether a capability is enabled, as the application has set it.
pub(crate) unsafe extern "system" fn IsEnabled(capability: GLenum) -> GLboolean {
    match current_context::with(|state| queries::is_enabled(state, capability)).flatten() {
        Some(answer) => answer.into(),
        None => driver::IsEnabled(capability),
    }
}

/// Returns a component of a color in [0, 1] as an integer: 1 is the greatest one. GL 2.1 section
/// 6.1.2.
fn denormalize(component: f32) -> GLint {
    (f64::from(component) * f64::from(GLint::MAX)) as GLint
}

macro_rules! get {
    ($($name:ident, $ty:ty, $convert:expr, $convert_float:expr, $convert_color:expr;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(name: GLenum, values: *mut $ty) {
            if let Some(number) = current_context::with(|state| queries::query_float(state, name)).flatten() {
                let convert: fn(f32) -> $ty = $convert_float;
                // SAFETY: the application has space for the value.
                return unsafe { client_memory::write(values, &[convert(number)]) };
            }
            if let Some(color) = current_context::with(|state| queries::query_color(state, name)).flatten() {
                // SAFETY: the application has space for four components.
                return unsafe { client_memory::write(values, &color.map($convert_color)) };
            }
            match current_context::with(|state| queries::query_integer(state, name)).flatten() {
                // SAFETY: the application has space for the value.
                Some(answer) => unsafe { client_memory::write(values, &[($convert)(answer)]) },
                // SAFETY: the application has space for the values.
                None => unsafe { driver::$name(name, values) },
            }
        }
    )*};
}

get! {
    GetIntegerv, GLint, |it: i32| it, |it| it.round() as GLint, denormalize;
    GetFloatv, GLfloat, |it: i32| it as f32, |it| it, |it| it;
    GetDoublev, GLdouble, f64::from, f64::from, f64::from;
    GetBooleanv, GLboolean, |it: i32| GLboolean::from(it != 0), |it| GLboolean::from(it != 0.0),
        |it| GLboolean::from(it != 0.0);
}

/// Restores the application's image units and marks them as changed, then binds a level of a
/// texture to one.
pub(crate) unsafe extern "system" fn BindImageTexture(
    unit: GLuint,
    texture: GLuint,
    level: GLint,
    layered: GLboolean,
    layer: GLint,
    access: GLenum,
    format: GLenum,
) {
    current_context::with(|state| state.prepare_image_change());
    driver::BindImageTexture(unit, texture, level, layered, layer, access, format);
}

/// Restores the application's image units and marks them as changed, then binds textures to
/// consecutive ones.
pub(crate) unsafe extern "system" fn BindImageTextures(
    first: GLuint,
    count: GLsizei,
    textures: *const GLuint,
) {
    current_context::with(|state| state.prepare_image_change());
    // SAFETY: the application has as many names.
    unsafe { driver::BindImageTextures(first, count, textures) };
}
