//! Raster positions, pixels and bitmaps.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{current, driver, memory, query};
use crate::commands::{self, Command};
use crate::context::State;
use crate::pixels::{self, Bitmap as Bits, Image};
use std::ffi::c_void;
use std::sync::Arc;

/// Executes `RasterPos`, with all four coordinates.
pub(crate) fn raster_position(coordinates: [f32; 4]) {
    let issued = current::with(|state| {
        if state.capabilities.works {
            commands::issue(state, Command::RasterPosition(coordinates));
            true
        } else {
            false
        }
    });
    if issued != Some(true) {
        let [x, y, z, w] = coordinates;
        driver::RasterPos4f(x, y, z, w);
    }
}

/// Returns true if this library may draw pixels: the driver draws them if there are no programs,
/// and if they are errors.
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
    // SAFETY: the application follows the specification.
    let native = || unsafe { driver::DrawPixels(width, height, format, kind, image) };
    let fill = || {
        let internal = driver::constants::RGBA32F as GLint;
        // SAFETY: images of textures have the same requirements as images of pixels.
        unsafe { driver::TexImage2D(0x0DE1, 0, internal, width, height, 0, format, kind, image) };
    };
    let done = current::with(|state| {
        if !is_seen(state, size) {
            return false;
        }
        if state.recording.is_some() {
            return state.record_instead(native, |state, list| {
                let texture = if pixels::is_color(format) {
                    pixels::texture(state, size, fill)
                } else {
                    None
                };
                let texture = texture.map(|name| state.keep_texture(name, size));
                Command::Image(Arc::new(Image {
                    texture,
                    list,
                    size,
                }))
            });
        }
        if pixels::is_color(format) {
            pixels::draw_pixels(state, size, fill, native)
        } else {
            pixels::draw_depth_or_stencil(state, native)
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
    // SAFETY: the application follows the specification.
    let native = || unsafe { driver::Bitmap(width, height, x, y, x_step, y_step, bits) };
    let bitmap = |state: &mut State| {
        // SAFETY: the application provides the bits that the state of unpacking specifies.
        let runs = unsafe { runs([width, height], bits) };
        let runs = runs.map_err(|error| state.fail(error)).ok()?;
        Some(Arc::new(Bits {
            origin: [x, y],
            step: [x_step, y_step],
            runs,
        }))
    };
    let done = current::with(|state| {
        if !is_seen(state, [width, height]) {
            return false;
        }
        if state.recording.is_none() {
            pixels::draw_bitmap(state, bitmap, native);
            return true;
        }
        let is_outside = state.recording.as_ref().is_some_and(|it| !it.is_inside);
        match is_outside.then(|| bitmap(state)) {
            Some(Some(bitmap)) => {
                state.record_instead(native, |_, list| Command::Bitmap(bitmap, list))
            }
            // It was an error.
            Some(None) => true,
            None => false,
        }
    });
    if done != Some(true) {
        native();
    }
}

/// Layout of a bitmap in memory. GL 2.1 section 3.6.4, "Unpacking", and section 3.7.
struct Layout {
    is_lsb_first: bool,
    /// Bits before the first column.
    first_bit: u64,
    /// Bytes before the first row.
    first_byte: u64,
    /// Bytes from one row to the next.
    stride: u64,
    /// Bytes from the beginning to the last bit.
    size: u64,
}

impl Layout {
    /// Reads the state of unpacking. `None` for bitmaps without bits.
    fn read([width, height]: [GLsizei; 2]) -> Option<Self> {
        const LSB_FIRST: u32 = driver::constants::UNPACK_LSB_FIRST;
        // The names follow each other.
        let [lsb_first, row_length, skip_rows, skip_pixels, alignment] =
            [0, 1, 2, 3, 4].map(|n| query::integer(LSB_FIRST + n));
        let number = |it: i32| u64::try_from(it).unwrap_or(0);
        let pixels = if row_length > 0 { row_length } else { width };
        let stride = number(pixels)
            .div_ceil(8)
            .next_multiple_of(number(alignment).max(1));
        let last = number(height).checked_sub(1).filter(|_| width > 0)?;
        let first_bit = number(skip_pixels);
        let rows = number(skip_rows) + last;
        // None of the numbers has more than 31 bits.
        Some(Self {
            is_lsb_first: lsb_first != 0,
            first_bit,
            first_byte: number(skip_rows) * stride,
            stride,
            size: rows * stride + (first_bit + number(width)).div_ceil(8),
        })
    }

    /// Returns true if the bit of a column and a row is set, by the byte at an offset.
    fn is_set(&self, byte: impl Fn(u64) -> u8, [column, row]: [i32; 2]) -> bool {
        let bit = self.first_bit + u64::from(column.unsigned_abs());
        let offset = self.first_byte + u64::from(row.unsigned_abs()) * self.stride + bit / 8;
        let place = if self.is_lsb_first {
            bit % 8
        } else {
            7 - bit % 8
        };
        byte(offset) >> place & 1 != 0
    }
}

/// Returns the runs of set bits of a bitmap. `Err` is GL's error for a bitmap that has too many
/// bits or is not in the bound buffer.
///
/// # Safety
/// The list is null or has the bits that the state of unpacking specifies, or it is an offset in
/// the bound buffer.
unsafe fn runs(
    [width, height]: [GLsizei; 2],
    bits: *const GLubyte,
) -> Result<Vec<[i32; 3]>, GLenum> {
    let Some(layout) = Layout::read([width, height]) else {
        return Ok(Vec::new());
    };
    let unpacked = query::unpacked_bytes(bits as usize, layout.size);
    match unpacked {
        query::Unpacked::Missing => return Err(commands::INVALID_OPERATION),
        query::Unpacked::Memory if bits.is_null() => return Ok(Vec::new()),
        query::Unpacked::Memory | query::Unpacked::Buffer(_) => {}
    }
    // Number of pixels of the largest window that drivers support.
    const MOST: u64 = 1 << 28;
    if u64::from(width.unsigned_abs()) * u64::from(height.unsigned_abs()) > MOST {
        return Err(commands::OUT_OF_MEMORY);
    }
    let byte = |offset: u64| match &unpacked {
        query::Unpacked::Buffer(bytes) => bytes.get(offset as usize).copied().unwrap_or(0),
        // SAFETY: the caller ensures that the list has the byte.
        query::Unpacked::Memory | query::Unpacked::Missing => unsafe {
            memory::value(bits, offset as usize)
        },
    };
    Ok(pixels::runs(width, height, |row, column| {
        layout.is_set(byte, [column, row])
    }))
}
