//! Raster positions, pixels and bitmaps.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{client_memory, current_context, driver, driver_state};
use crate::context::State;
use crate::pixels::{self, Bitmap as Bits, PixelImage};
use crate::program_commands::{self, Command};
use std::ffi::c_void;
use std::sync::Arc;

/// Executes `RasterPos` with all four coordinates: by this library if it works in the context, now
/// or in the list that is being compiled, and otherwise by the driver.
pub(crate) fn raster_position(coordinates: [f32; 4]) {
    let issued = current_context::with(|state| {
        if state.capabilities.works {
            program_commands::issue(state, Command::RasterPosition(coordinates));
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

/// Returns true if this library may draw pixels of a size. False leaves the command, and its
/// errors, to the driver: the library does not work in the context, the size is negative, or
/// primitives are open.
fn may_emulate_pixels(state: &State, [width, height]: [GLsizei; 2]) -> bool {
    state.capabilities.works && !state.is_inside_begin_end && width >= 0 && height >= 0
}

/// Draws an image at the raster position: colors as a texture if programs of this library apply to
/// them, all else by the driver. In display lists the image is uploaded when it is recorded. Errors
/// of arguments are those of the driver.
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
    let done = current_context::with(|state| {
        if !may_emulate_pixels(state, size) {
            return false;
        }
        if state.recording.is_some() {
            return state.record_with_native(native, |state, list| {
                let texture = if pixels::is_color(format) {
                    pixels::upload_texture(state, size, fill)
                } else {
                    None
                };
                let texture = texture.map(|name| state.register_texture(name, size));
                Command::DrawPixels(Arc::new(PixelImage {
                    texture,
                    driver_list: list,
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

/// Copies pixels of the framebuffer to the raster position, with the programs of this library, now
/// or in the list that is being compiled.
pub(crate) unsafe extern "system" fn CopyPixels(
    x: GLint,
    y: GLint,
    width: GLsizei,
    height: GLsizei,
    kind: GLenum,
) {
    let done = current_context::with(|state| {
        let is_seen = may_emulate_pixels(state, [width, height]);
        if is_seen {
            program_commands::issue(state, Command::CopyPixels([x, y], [width, height], kind));
        }
        is_seen
    });
    if done != Some(true) {
        driver::CopyPixels(x, y, width, height, kind);
    }
}

/// Draws the set bits of a bitmap at the raster position, as rectangles if programs of this library
/// apply to them, and advances the raster position. In display lists the bits are read when it is
/// recorded. Records the errors of [`read_bitmap_runs`].
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
        let runs = unsafe { read_bitmap_runs([width, height], bits) };
        let runs = runs.map_err(|error| state.record_error(error)).ok()?;
        Some(Arc::new(Bits {
            origin: [x, y],
            step: [x_step, y_step],
            runs,
        }))
    };
    let done = current_context::with(|state| {
        if !may_emulate_pixels(state, [width, height]) {
            return false;
        }
        if state.recording.is_none() {
            pixels::draw_bitmap(state, bitmap, native);
            return true;
        }
        let is_outside = state
            .recording
            .as_ref()
            .is_some_and(|it| !it.is_inside_begin_end);
        match is_outside.then(|| bitmap(state)) {
            Some(Some(bitmap)) => {
                state.record_with_native(native, |_, list| Command::Bitmap(bitmap, list))
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
struct BitmapLayout {
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

impl BitmapLayout {
    /// Reads the state of unpacking from the driver, for a bitmap of this width and height. `None`
    /// for bitmaps without bits.
    fn read([width, height]: [GLsizei; 2]) -> Option<Self> {
        const LSB_FIRST: u32 = driver::constants::UNPACK_LSB_FIRST;
        // The names follow each other.
        let [lsb_first, row_length, skip_rows, skip_pixels, alignment] =
            [0, 1, 2, 3, 4].map(|n| driver_state::integer(LSB_FIRST + n));
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

    /// Returns true if the bit of a column and a row is set; `byte` returns the byte at an offset
    /// from the beginning of the bitmap.
    fn is_set(&self, byte: impl Fn(u64) -> u8, [column, row]: [i32; 2]) -> bool {
        let bit = self.first_bit + u64::from(column.unsigned_abs());
        let offset = self.first_byte + u64::from(row.unsigned_abs()) * self.stride + bit / 8;
        let shift = if self.is_lsb_first {
            bit % 8
        } else {
            7 - bit % 8
        };
        byte(offset) >> shift & 1 != 0
    }
}

/// Returns the runs of set bits of a bitmap in memory or in the bound buffer; none for a null
/// pointer. `Err` is GL's error: `GL_OUT_OF_MEMORY` for too many bits, `GL_INVALID_OPERATION` if
/// the buffer is mapped or has no such bytes.
///
/// # Safety
/// The list is null or has the bits that the state of unpacking specifies, or it is an offset in
/// the bound buffer.
unsafe fn read_bitmap_runs(
    [width, height]: [GLsizei; 2],
    bits: *const GLubyte,
) -> Result<Vec<[i32; 3]>, GLenum> {
    let Some(layout) = BitmapLayout::read([width, height]) else {
        return Ok(Vec::new());
    };
    let unpacked = driver_state::unpacked_bytes(bits as usize, layout.size);
    match unpacked {
        driver_state::UnpackSource::Missing => return Err(program_commands::INVALID_OPERATION),
        driver_state::UnpackSource::Memory if bits.is_null() => return Ok(Vec::new()),
        driver_state::UnpackSource::Memory | driver_state::UnpackSource::Buffer(_) => {}
    }
    // Number of pixels of the largest window that drivers support.
    const MOST: u64 = 1 << 28;
    if u64::from(width.unsigned_abs()) * u64::from(height.unsigned_abs()) > MOST {
        return Err(program_commands::OUT_OF_MEMORY);
    }
    let byte = |offset: u64| match &unpacked {
        driver_state::UnpackSource::Buffer(bytes) => {
            bytes.get(offset as usize).copied().unwrap_or(0)
        }
        // SAFETY: the caller ensures that the list has the byte.
        driver_state::UnpackSource::Memory | driver_state::UnpackSource::Missing => unsafe {
            client_memory::value(bits, offset as usize)
        },
    };
    Ok(pixels::find_bit_runs(width, height, |row, column| {
        layout.is_set(byte, [column, row])
    }))
}
