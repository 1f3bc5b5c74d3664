//! Materials, which may change between `glBegin` and `glEnd`.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{current, driver};

/// A value of a material, as four components.
///
/// # Safety
/// The list has as many components as the name asks for.
unsafe fn value<T: Copy>(
    name: GLenum,
    values: *const T,
    color: fn(T) -> f32,
    number: fn(T) -> f32,
) -> [f32; 4] {
    const SHININESS: GLenum = driver::constants::SHININESS;
    const COLOR_INDEXES: GLenum = driver::constants::COLOR_INDEXES;
    match name {
        _ if values.is_null() => [0.0; 4],
        // SAFETY: the caller says so.
        SHININESS => [number(unsafe { values.read_unaligned() }), 0.0, 0.0, 1.0],
        COLOR_INDEXES => [0.0; 4],
        // SAFETY: the caller says so.
        _ => std::array::from_fn(|n| color(unsafe { values.add(n).read_unaligned() })),
    }
}

pub(crate) unsafe extern "system" fn Materialf(face: GLenum, name: GLenum, number: GLfloat) {
    driver::Materialf(face, name, number);
    // Colors are not set so: that is an error of the driver.
    if name == driver::constants::SHININESS {
        current::with(|state| state.material(face, name, [number, 0.0, 0.0, 1.0]));
    }
}

pub(crate) unsafe extern "system" fn Materiali(face: GLenum, name: GLenum, number: GLint) {
    // SAFETY: it has no pointers.
    unsafe { Materialf(face, name, number as GLfloat) };
}

pub(crate) unsafe extern "system" fn Materialfv(
    face: GLenum,
    name: GLenum,
    values: *const GLfloat,
) {
    // SAFETY: the application keeps to the specification.
    unsafe { driver::Materialfv(face, name, values) };
    // SAFETY: the same.
    let value = unsafe { value(name, values, |it| it, |it| it) };
    current::with(|state| state.material(face, name, value));
}

pub(crate) unsafe extern "system" fn Materialiv(face: GLenum, name: GLenum, values: *const GLint) {
    // SAFETY: the application keeps to the specification.
    unsafe { driver::Materialiv(face, name, values) };
    let fraction = |it: GLint| ((2.0 * f64::from(it) + 1.0) / 4_294_967_295.0) as f32;
    // SAFETY: the same.
    let value = unsafe { value(name, values, fraction, |it| it as f32) };
    current::with(|state| state.material(face, name, value));
}
