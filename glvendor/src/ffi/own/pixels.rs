//! Raster positions, pixels and bitmaps.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{current, driver, memory, query};
use crate::commands::{self, Command};
use crate::context::State;
use crate::pixels::{self, Bitmap as Bits, Image};
use std::ffi::c_void;
use std::sync::Arc;

/// `RasterPos`, with all four coordinates.
pub(crate) fn raster_position(coordinates: [f32; 4]) {
    let issued = current::with(|state| match state.capabilities.works {
        true => {
            commands::issue(state, Command::RasterPosition(coordinates));
            true
        }
        false => false,
    });
    if issued != Some(true) {
        let [x, y, z, w] = coordinates;
        driver::RasterPos4f(x, y, z, w);
    }
}

/// Pixels are the driver's where there are no programs, and where they are errors.
fn is_seen(state: &State, [width, height]: [GLsizei; 2]) -> bool {
    state.capabilities.works && !state.is_inside && width >= 0 && height >= 0
}

pub(crate) unsafe extern "system" fn DrawPixels(
    width: GLsizei,
    height: GLsizei,
    format: GLenum,
    kind: GLenum,
    image: *const c_void,
) {
    let size = [width, height];
    // SAFETY: the application keeps to the specification.
    let native = || unsafe { driver::DrawPixels(width, height, format, kind, image) };
    let fill = || {
        let internal = driver::constants::RGBA32F as GLint;
        // SAFETY: images of textures are what images of pixels are.
        unsafe { driver::TexImage2D(0x0DE1, 0, internal, width, height, 0, format, kind, image) };
    };
    let done = current::with(|state| {
        if !is_seen(state, size) {
            return false;
        }
        if state.recording.is_some() {
            return state.record_instead(native, |state, list| {
                let texture = match pixels::is_color(format) {
                    true => pixels::texture(state, size, fill),
                    false => None,
                };
                Command::Image(Arc::new(Image {
                    texture,
                    list,
                    size,
                }))
            });
        }
        match pixels::is_color(format) {
            true => pixels::draw_pixels(state, size, fill, native),
            false => pixels::draw_others(state, native),
        }
        true
    });
    if done != Some(true) {
        native();
    }
}

pub(crate) unsafe extern "system" fn CopyPixels(
    x: GLint,
    y: GLint,
    width: GLsizei,
    height: GLsizei,
    kind: GLenum,
) {
    let done = current::with(|state| {
        let is_seen = is_seen(state, [width, height]);
        if is_seen {
            commands::issue(state, Command::Copy([x, y], [width, height], kind));
        }
        is_seen
    });
    if done != Some(true) {
        driver::CopyPixels(x, y, width, height, kind);
    }
}

pub(crate) unsafe extern "system" fn Bitmap(
    width: GLsizei,
    height: GLsizei,
    x: GLfloat,
    y: GLfloat,
    x_step: GLfloat,
    y_step: GLfloat,
    bits: *const GLubyte,
) {
    // SAFETY: the application keeps to the specification.
    let native = || unsafe { driver::Bitmap(width, height, x, y, x_step, y_step, bits) };
    let bitmap = || {
        Arc::new(Bits {
            origin: [x, y],
            step: [x_step, y_step],
            // SAFETY: the application has the bits that the state of unpacking asks for.
            runs: unsafe { runs(width, height, bits) },
        })
    };
    let done = current::with(|state| {
        if !is_seen(state, [width, height]) {
            return false;
        }
        if state.recording.is_some() {
            return state.record_instead(native, |_, list| Command::Bitmap(bitmap(), list));
        }
        pixels::draw_bitmap(state, bitmap, native);
        true
    });
    if done != Some(true) {
        native();
    }
}

/// The runs of bits of a bitmap that are set. GL 2.1 section 3.6.4, "Unpacking".
///
/// # Safety
/// The list has the bits that the state of unpacking asks for, or it is an offset in the buffer that is bound.
unsafe fn runs(width: GLsizei, height: GLsizei, bits: *const GLubyte) -> Vec<[i32; 3]> {
    const LSB_FIRST: u32 = driver::constants::UNPACK_LSB_FIRST;
    // The names follow each other.
    let [lsb_first, row_length, skip_rows, skip_pixels, alignment] =
        [0, 1, 2, 3, 4].map(|n| query::integer(LSB_FIRST + n));
    let number = |it: i32| usize::try_from(it).unwrap_or(0);
    let pixels = if row_length > 0 { row_length } else { width };
    let stride = number(pixels)
        .div_ceil(8)
        .next_multiple_of(number(alignment).max(1));
    let (first, columns) = (number(skip_pixels), number(width));
    let Some(last) = number(height).checked_sub(1).filter(|_| width > 0) else {
        return Vec::new();
    };
    let size = (number(skip_rows) + last) * stride + (first + columns).div_ceil(8);
    let copied = query::unpacked_bytes(bits as usize, size);
    let bytes = match &copied {
        Some(bytes) => bytes,
        // SAFETY: the caller says so.
        None => unsafe { memory::list(bits, size) },
    };
    let is_set = |row: i32, column: i32| {
        let bit = first + number(column);
        let byte = bytes
            .get((number(skip_rows) + number(row)) * stride + bit / 8)
            .copied()
            .unwrap_or(0);
        let place = if lsb_first != 0 { bit % 8 } else { 7 - bit % 8 };
        byte >> place & 1 != 0
    };
    pixels::runs(width, height, is_set)
}
