//! What applications ask for: state, strings, errors.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{current, driver, memory};
use crate::answers;

pub(crate) unsafe extern "system" fn GetError() -> GLenum {
    let inside = current::with(|state| std::mem::take(&mut state.error)).unwrap_or(0);
    match inside {
        0 => driver::GetError(),
        error => error,
    }
}

pub(crate) unsafe extern "system" fn GetString(name: GLenum) -> *const GLubyte {
    match current::with(|state| answers::string(state, name)).flatten() {
        Some(text) => text.cast(),
        // SAFETY: it has no pointers.
        None => unsafe { driver::GetString(name) },
    }
}

pub(crate) unsafe extern "system" fn GetStringi(name: GLenum, index: GLuint) -> *const GLubyte {
    match current::with(|state| answers::indexed_string(state, name, index)).flatten() {
        Some(text) => text.cast(),
        // SAFETY: it has no pointers.
        None => unsafe { driver::GetStringi(name, index) },
    }
}

pub(crate) unsafe extern "system" fn IsEnabled(capability: GLenum) -> GLboolean {
    match current::with(|state| answers::is_enabled(state, capability)).flatten() {
        Some(answer) => answer.into(),
        None => driver::IsEnabled(capability),
    }
}

macro_rules! get {
    ($($name:ident, $ty:ty, $convert:expr;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(name: GLenum, values: *mut $ty) {
            match current::with(|state| answers::integer(state, name)).flatten() {
                // SAFETY: the application has room for the value.
                Some(answer) => unsafe { memory::write(values, &[($convert)(answer)]) },
                // SAFETY: the application has room for the values.
                None => unsafe { driver::$name(name, values) },
            }
        }
    )*};
}

get! {
    GetIntegerv, GLint, |it: i32| it;
    GetFloatv, GLfloat, |it: i32| it as f32;
    GetDoublev, GLdouble, f64::from;
    GetBooleanv, GLboolean, |it: i32| GLboolean::from(it != 0);
}

pub(crate) unsafe extern "system" fn BindImageTexture(
    unit: GLuint,
    texture: GLuint,
    level: GLint,
    layered: GLboolean,
    layer: GLint,
    access: GLenum,
    format: GLenum,
) {
    current::with(|state| state.images_change());
    driver::BindImageTexture(unit, texture, level, layered, layer, access, format);
}

pub(crate) unsafe extern "system" fn BindImageTextures(
    first: GLuint,
    count: GLsizei,
    textures: *const GLuint,
) {
    current::with(|state| state.images_change());
    // SAFETY: the application has as many names.
    unsafe { driver::BindImageTextures(first, count, textures) };
}
