//! Texture shaders, texture environments, border values and pixel transfers: NV_texture_shader.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{client_memory, current_context, driver, driver_state};
use crate::context::{State, StateGroups};
use crate::extension_commands::ExtensionCommand;
use crate::program_commands::{self, Command, INVALID_ENUM};
use crate::texture_shaders::{self, EnvironmentUnit, TEXTURE_SHADER, TextureShaderCommand};

/// Compiles a command into the list that is being compiled, or executes it.
fn issue(state: &mut State, command: TextureShaderCommand) {
    let command = Command::Extension(ExtensionCommand::TextureShader(command));
    program_commands::issue(state, command);
}

/// Sets a parameter of the texture environment of a unit that this library has: those of texture
/// shader stages, and the mode `NONE`. `values` returns as many values as its argument states.
/// Returns false for those of the driver. Records `GL_INVALID_ENUM` for unknown names, and for
/// names with more than one value if the command has a single one.
fn set_environment(
    unit: EnvironmentUnit,
    (target, name): (GLenum, GLenum),
    is_single: bool,
    values: impl Fn(usize) -> Option<[f32; 4]>,
) -> bool {
    let done = current_context::with(|state| {
        state.mark_list_changed(StateGroups::TEXENV);
        if !state.capabilities.works {
            return false;
        }
        if texture_shaders::is_environment_mode(target, name) {
            let is_pass = values(1)
                .is_some_and(|[value, ..]| texture_shaders::is_pass_mode(target, name, value));
            if is_pass {
                issue(state, TextureShaderCommand::PassColor(unit));
            } else {
                texture_shaders::note_environment_mode(state, unit);
            }
            return is_pass;
        }
        if target != TEXTURE_SHADER {
            return false;
        }
        let count = texture_shaders::count_parameter_values(name);
        let count = count.filter(|count| !is_single || *count == 1);
        match count.and_then(values) {
            Some(values) => issue(state, TextureShaderCommand::Stage(unit, name, values)),
            None => program_commands::issue(state, Command::Fail(INVALID_ENUM)),
        }
        true
    });
    done == Some(true)
}

/// Reads `count` values of a list; `None` for a null pointer.
///
/// # Safety
/// The list is null or has as many values, at most four.
unsafe fn read_values<T: Copy>(
    values: *const T,
    count: usize,
    convert: fn(T) -> f32,
) -> Option<[f32; 4]> {
    let mut all = [0.0; 4];
    // SAFETY: ensured by the caller.
    let list = unsafe { client_memory::values(values, count as i32) };
    for (to, value) in all.iter_mut().zip(list) {
        *to = convert(value);
    }
    (!values.is_null()).then_some(all)
}

/// Writes the values of a parameter of the texture environment of a unit; nothing after an error.
/// Returns false for parameters of the driver.
///
/// # Safety
/// The memory has space for the values of the parameter.
unsafe fn write_environment<T: Copy>(
    unit: EnvironmentUnit,
    (target, name): (GLenum, GLenum),
    values: *mut T,
    convert: fn(f32) -> T,
) -> bool {
    let answer = current_context::with(|state| {
        let answer = texture_shaders::query_environment(state, unit, target, name)?;
        Some(answer.map_err(|error| state.record_error(error)))
    });
    match answer.flatten() {
        Some(Ok((found, count))) => {
            let found = found.map(convert);
            // SAFETY: ensured by the caller.
            unsafe { client_memory::write(values, &found[..count]) };
            true
        }
        Some(Err(())) => true,
        None => false,
    }
}

/// Texture unit of a command without, or with, its name.
macro_rules! unit {
    () => {
        EnvironmentUnit::Active
    };
    ($name:ident) => {
        EnvironmentUnit::Named($name)
    };
}

/// Commands that set a parameter of texture environments to a list of values or to a single one,
/// and that query a list, for a unit.
macro_rules! environments {
    ($($list:ident, $single:ident, $query:ident, ($($unit:ident)?), $ty:ty, $read:expr, $write:expr;)*) => {$(
        /// Sets a parameter of texture environments or of texture shaders to a list of values.
        pub(crate) unsafe extern "system" fn $list($($unit: GLenum,)? target: GLenum, name: GLenum, values: *const $ty) {
            // SAFETY: the list has as many values as the parameter.
            let read = |count| unsafe { read_values(values, count, $read) };
            if !set_environment(unit!($($unit)?), (target, name), false, read) {
                // SAFETY: the application follows the specification.
                unsafe { driver::$list($($unit,)? target, name, values) };
            }
        }

        /// Sets a parameter of texture environments or of texture shaders to a value.
        pub(crate) unsafe extern "system" fn $single($($unit: GLenum,)? target: GLenum, name: GLenum, value: $ty) {
            let convert: fn($ty) -> f32 = $read;
            let read = |_| Some([convert(value), 0.0, 0.0, 0.0]);
            if !set_environment(unit!($($unit)?), (target, name), true, read) {
                driver::$single($($unit,)? target, name, value);
            }
        }

        /// Writes the values of a parameter of texture environments or of texture shaders.
        pub(crate) unsafe extern "system" fn $query($($unit: GLenum,)? target: GLenum, name: GLenum, values: *mut $ty) {
            // SAFETY: the application has space for the values of the parameter.
            let done = unsafe { write_environment(unit!($($unit)?), (target, name), values, $write) };
            if !done {
                // SAFETY: the application follows the specification.
                unsafe { driver::$query($($unit,)? target, name, values) };
            }
        }
    )*};
}

environments! {
    TexEnvfv, TexEnvf, GetTexEnvfv, (), GLfloat, |it| it, |it| it;
    TexEnviv, TexEnvi, GetTexEnviv, (), GLint, |it| it as f32, |it| it.round() as GLint;
    MultiTexEnvfvEXT, MultiTexEnvfEXT, GetMultiTexEnvfvEXT, (unit), GLfloat, |it| it, |it| it;
    MultiTexEnvivEXT, MultiTexEnviEXT, GetMultiTexEnvivEXT, (unit), GLint, |it| it as f32, |it| it.round() as GLint;
}

/// Commands that set a scale or bias of pixel transfers.
macro_rules! transfers {
    ($($name:ident, $ty:ty;)*) => {$(
        /// Sets a parameter of pixel transfers.
        pub(crate) unsafe extern "system" fn $name(name: GLenum, value: $ty) {
            let done = current_context::with(|state| {
                let is_own = state.capabilities.works && texture_shaders::is_pixel_transfer(name);
                if is_own {
                    issue(state, TextureShaderCommand::PixelTransfer(name, value as f32));
                }
                is_own
            });
            if done != Some(true) {
                driver::$name(name, value);
            }
        }
    )*};
}

transfers! {
    PixelTransferf, GLfloat;
    PixelTransferi, GLint;
}

/// Returns the name in the driver of a parameter of textures: `TEXTURE_BORDER_COLOR`, which the
/// driver does not clamp, for `TEXTURE_BORDER_VALUES_NV`.
fn find_border_name(state: &State, name: GLenum) -> GLenum {
    const TEXTURE_BORDER_VALUES: GLenum = 0x871A;
    match name {
        TEXTURE_BORDER_VALUES if state.capabilities.works => 0x1004,
        name => name,
    }
}

/// Commands that set or query parameters of textures as lists, by a function that executes the
/// command of the driver.
macro_rules! texture_parameters {
    ($($name:ident, $pointer:ty, $call:ident;)*) => {$(
        /// Sets or queries a parameter of the texture that is bound to a target.
        pub(crate) unsafe extern "system" fn $name(target: GLenum, name: GLenum, values: $pointer) {
            let found = current_context::with(|state| {
                state.textures_change();
                find_border_name(state, name)
            });
            let found = found.unwrap_or(name);
            // SAFETY: the application follows the specification.
            $call(found != name, || unsafe { driver::$name(target, found, values) });
        }
    )*};
}

/// Executes a command that sets a parameter.
fn set_parameter(_is_border: bool, command: impl FnOnce()) {
    command();
}

/// Executes a command that queries a parameter, for border values without clamping of fragment
/// colors: the driver clamps what it returns otherwise.
fn query_parameter(is_border: bool, command: impl FnOnce()) {
    const CLAMP_FRAGMENT_COLOR: GLenum = driver::constants::CLAMP_FRAGMENT_COLOR;
    if is_border {
        let clamping = driver_state::integer(CLAMP_FRAGMENT_COLOR);
        driver::ClampColor(CLAMP_FRAGMENT_COLOR, 0);
        command();
        driver::ClampColor(CLAMP_FRAGMENT_COLOR, clamping as GLenum);
    } else {
        command();
    }
}

texture_parameters! {
    TexParameterfv, *const GLfloat, set_parameter;
    TexParameteriv, *const GLint, set_parameter;
    GetTexParameterfv, *mut GLfloat, query_parameter;
    GetTexParameteriv, *mut GLint, query_parameter;
}
