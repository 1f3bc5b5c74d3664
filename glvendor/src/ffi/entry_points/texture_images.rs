//! Images of textures: formats of NV_texture_shader, whose pixels this library converts.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{client_memory, current_context, driver, driver_state};
use crate::context::State;
use crate::extension_commands::ExtensionCommand;
use crate::program_commands::{self, Command, INVALID_ENUM, INVALID_OPERATION, INVALID_VALUE};
use crate::texture_formats::{self, FormatRow, PixelGroup};
use crate::texture_images::{self, ImageRegion, PixelLayout, TextureImage};
use crate::texture_shaders::TextureShaderCommand;
use glasm::fixed_function::TextureFormatType;
use std::ffi::c_void;
use std::sync::Arc;

/// Pixels of the application: format, type, and memory or an offset in the bound buffer.
#[derive(Clone, Copy)]
struct Pixels {
    format: GLenum,
    ty: GLenum,
    pointer: *const c_void,
}

/// Returns true if this library may execute commands of the application: it works in the context,
/// and no primitives are open, where the driver reports an error.
fn may_execute(state: &State) -> bool {
    state.capabilities.works && !state.is_inside_begin_end
}

/// Returns the components of pixels of a group before pixel transfers; `None` if there are none:
/// for a null pointer, a proxy, and parameters that are errors, which the driver reports. `Err` is
/// GL's error.
///
/// # Safety
/// The pixels have the layout that the state of unpacking specifies.
unsafe fn read_group_pixels(
    region: &ImageRegion,
    group: PixelGroup,
    pixels: Pixels,
) -> Result<Option<Vec<f32>>, u32> {
    let has_buffer = driver_state::is_true(driver::constants::PIXEL_UNPACK_BUFFER_BINDING);
    let has_pixels = has_buffer || !pixels.pointer.is_null();
    if region.count_pixels().is_none() || region.is_proxy() || !has_pixels || !region.is_inside() {
        return Ok(None);
    }
    let layout = PixelLayout::new(
        (pixels.ty, group.components),
        (region.dimensions, region.size),
        driver_state::read_unpack_storage(),
    );
    let layout = layout.ok_or(INVALID_VALUE)?;
    let bytes = layout.count_bytes().ok_or(INVALID_VALUE)?;
    let source = driver_state::unpacked_bytes(pixels.pointer as usize, bytes);
    Ok(Some(match source {
        driver_state::UnpackSource::Missing => return Err(INVALID_OPERATION),
        driver_state::UnpackSource::Buffer(bytes) => {
            layout.unpack(|offset| bytes.get(offset as usize).copied().unwrap_or(0))
        }
        driver_state::UnpackSource::Memory => layout.unpack(|offset| {
            // SAFETY: the caller ensures that the pixels have the layout.
            unsafe { client_memory::value(pixels.pointer.cast::<u8>(), offset as usize) }
        }),
    }))
}

/// Defines an image, or a part of it, with pixels of a group: now, or when the list that is being
/// compiled is called.
///
/// # Safety
/// As [`read_group_pixels`].
unsafe fn define_group(
    state: &mut State,
    region: ImageRegion,
    row: &'static FormatRow,
    pixels: Pixels,
) {
    let Some(group) = row.group else { return };
    // SAFETY: ensured by the caller.
    let command = match unsafe { read_group_pixels(&region, group, pixels) } {
        Err(error) => Command::Fail(error),
        // Without pixels a part does not change.
        Ok(None) if region.offset.is_some() && region.is_inside() => return,
        Ok(pixels) => {
            let image = Arc::new(TextureImage {
                region,
                row,
                pixels,
            });
            build_command(TextureShaderCommand::Image(image))
        }
    };
    program_commands::issue(state, command);
}

fn build_command(command: TextureShaderCommand) -> Command {
    Command::Extension(ExtensionCommand::TextureShader(command))
}

/// Defines an image of a color format: the driver stores it in `row`'s format, by `native`. Colors
/// with signed components next to unsigned ones are converted here.
fn define_colors(
    state: &mut State,
    region: ImageRegion,
    row: &'static FormatRow,
    native: impl Fn(GLenum),
    read_colors: impl FnOnce() -> Option<Result<Vec<f32>, u32>>,
) {
    if state.recording.is_some() {
        let internal = row.internal;
        state.record_with_native(
            || native(row.driver),
            |_, list| build_command(TextureShaderCommand::NativeImage(list, region, internal)),
        );
        return;
    }
    let is_mixed = row.format_type == TextureFormatType::SignedRgbUnsignedAlpha;
    let colors = if is_mixed { read_colors() } else { None };
    match colors {
        Some(Err(error)) => state.record_error(error),
        Some(Ok(colors)) => {
            let image = TextureImage {
                region,
                row,
                pixels: Some(colors),
            };
            texture_images::define_image(state, &image);
        }
        None => {
            state.textures_change();
            state.save_driver_error();
            native(row.driver);
            let error = driver::GetError();
            if error != 0 {
                state.record_error(error);
            } else if region.offset.is_none() {
                let row = Some(row);
                texture_formats::record_image_format(state, region.target, region.level, row);
            }
        }
    }
}

/// Executes `TexImage` with an internal format of NV_texture_shader. Returns false for those of the
/// driver, whose image then has none.
///
/// # Safety
/// As [`read_group_pixels`].
unsafe fn define_image(
    region: ImageRegion,
    internal: GLint,
    pixels: Pixels,
    native: impl Fn(GLenum),
) -> bool {
    let done = current_context::with(|state| {
        state.textures_change();
        if !may_execute(state) {
            return false;
        }
        let row = texture_formats::find_format(internal as u32);
        let is_group = texture_formats::find_group(pixels.format).is_some()
            || texture_formats::is_packed_group_type(pixels.ty);
        if row.is_none() && !is_group {
            if state.recording.is_none() {
                texture_formats::record_image_format(state, region.target, region.level, None);
            }
            return false;
        }
        let check = texture_images::check_pixels(row, pixels.format, pixels.ty);
        match (row, check) {
            (Some(row), Ok(())) if row.group.is_some() => {
                // SAFETY: ensured by the caller.
                unsafe { define_group(state, region, row, pixels) };
            }
            (Some(row), Ok(())) => {
                define_colors(state, region, row, native, || {
                    // SAFETY: ensured by the caller.
                    unsafe { read_mixed_colors(&region, pixels) }
                });
            }
            (_, Err(error)) => program_commands::issue(state, Command::Fail(error)),
            (None, Ok(())) => return false,
        }
        true
    });
    done == Some(true)
}

/// Returns the colors of pixels after pixel transfers; `None` if the driver may convert them: there
/// are none, or the parameters are errors. `Err` is GL's error.
///
/// # Safety
/// As [`read_group_pixels`].
unsafe fn read_mixed_colors(region: &ImageRegion, pixels: Pixels) -> Option<Result<Vec<f32>, u32>> {
    let has_buffer = driver_state::is_true(driver::constants::PIXEL_UNPACK_BUFFER_BINDING);
    let has_pixels = has_buffer || !pixels.pointer.is_null();
    let count = region.count_pixels().filter(|count| *count > 0);
    if count.is_none() || region.is_proxy() || !has_pixels || !region.is_inside() {
        return None;
    }
    let Pixels {
        format,
        ty,
        pointer,
    } = pixels;
    // SAFETY: ensured by the caller.
    Some(unsafe { driver_state::convert_colors(region, format, ty, pointer) })
}

/// Executes `TexSubImage` for an image with a format of NV_texture_shader, or with its formats of
/// pixels. Returns false for others.
///
/// # Safety
/// As [`read_group_pixels`].
unsafe fn define_part(region: ImageRegion, pixels: Pixels, native: impl Fn()) -> bool {
    let done = current_context::with(|state| {
        if !may_execute(state) {
            return false;
        }
        let given = texture_formats::find_group(pixels.format);
        let is_packed = texture_formats::is_packed_group_type(pixels.ty);
        if state.recording.is_some() {
            // The image is that of the time when the list is called.
            let row = given.and_then(texture_formats::find_any_format);
            match row.map(|row| {
                (
                    row,
                    texture_images::check_pixels(Some(row), pixels.format, pixels.ty),
                )
            }) {
                None if is_packed => {
                    program_commands::issue(state, Command::Fail(INVALID_OPERATION))
                }
                None => return false,
                Some((_, Err(error))) => program_commands::issue(state, Command::Fail(error)),
                // SAFETY: ensured by the caller.
                Some((row, Ok(()))) => unsafe { define_group(state, region, row, pixels) },
            }
            return true;
        }
        let known = texture_formats::find_image_format(state, region.target, region.level);
        if known.is_none() && given.is_none() && !is_packed {
            return false;
        }
        let check = texture_images::check_pixels(known, pixels.format, pixels.ty);
        match (known, check) {
            (_, Err(error)) => state.record_error(error),
            (Some(row), Ok(())) if row.group.is_some() => {
                // SAFETY: ensured by the caller.
                unsafe { define_group(state, region, row, pixels) };
            }
            (Some(row), Ok(())) => {
                define_colors(
                    state,
                    region,
                    row,
                    |_| native(),
                    || {
                        // SAFETY: ensured by the caller.
                        unsafe { read_mixed_colors(&region, pixels) }
                    },
                );
            }
            (None, Ok(())) => return false,
        }
        true
    });
    done == Some(true)
}

/// Commands that define an image, or a part of it, of 1, 2 or 3 dimensions.
macro_rules! images {
    ($($image:ident $part:ident $dimensions:literal ($($offset:ident),*) ($($size:ident),*);)*) => {$(
        /// Defines an image of the texture that is bound to a target.
        pub(crate) unsafe extern "system" fn $image(
            target: GLenum,
            level: GLint,
            internal: GLint,
            $($size: GLsizei,)*
            border: GLint,
            format: GLenum,
            ty: GLenum,
            pointer: *const c_void,
        ) {
            let region = ImageRegion {
                dimensions: $dimensions,
                target,
                level,
                offset: None,
                size: extend([$($size),*]),
                border,
            };
            // SAFETY: the application follows the specification.
            let native = |internal: GLenum| unsafe {
                driver::$image(target, level, internal as GLint, $($size,)* border, format, ty, pointer);
            };
            let pixels = Pixels { format, ty, pointer };
            // SAFETY: the application has pixels of this size.
            if !unsafe { define_image(region, internal, pixels, native) } {
                native(internal as GLenum);
            }
        }

        /// Defines a part of an image of the texture that is bound to a target.
        pub(crate) unsafe extern "system" fn $part(
            target: GLenum,
            level: GLint,
            $($offset: GLint,)*
            $($size: GLsizei,)*
            format: GLenum,
            ty: GLenum,
            pointer: *const c_void,
        ) {
            let mut offset = [0; 3];
            offset[..$dimensions].copy_from_slice(&[$($offset),*]);
            let region = ImageRegion {
                dimensions: $dimensions,
                target,
                level,
                offset: Some(offset),
                size: extend([$($size),*]),
                border: 0,
            };
            // SAFETY: the application follows the specification.
            let native = || unsafe {
                driver::$part(target, level, $($offset,)* $($size,)* format, ty, pointer);
            };
            let pixels = Pixels { format, ty, pointer };
            // SAFETY: the application has pixels of this size.
            if !unsafe { define_part(region, pixels, native) } {
                native();
            }
        }
    )*};
}

/// Returns a size with 1 for missing dimensions.
fn extend<const N: usize>(size: [GLsizei; N]) -> [GLsizei; 3] {
    std::array::from_fn(|n| size.get(n).copied().unwrap_or(1))
}

images! {
    TexImage1D TexSubImage1D 1 (x) (width);
    TexImage2D TexSubImage2D 2 (x, y) (width, height);
    TexImage3D TexSubImage3D 3 (x, y, z) (width, height, depth);
}

/// Executes a command that defines an image with pixels of the framebuffer. Returns false for
/// internal formats of the driver.
fn copy_image(region: ImageRegion, internal: GLenum, native: impl Fn(GLenum)) -> bool {
    let done = current_context::with(|state| {
        state.textures_change();
        if !may_execute(state) {
            return false;
        }
        match texture_formats::find_format(internal) {
            Some(row) if row.group.is_some() => {
                program_commands::issue(state, Command::Fail(INVALID_OPERATION));
            }
            Some(row) => define_colors(state, region, row, native, || None),
            None => {
                if state.recording.is_none() {
                    texture_formats::record_image_format(state, region.target, region.level, None);
                }
                return false;
            }
        }
        true
    });
    done == Some(true)
}

/// Commands that copy pixels of the framebuffer to an image.
macro_rules! copies {
    ($($name:ident $dimensions:literal ($($size:ident),*);)*) => {$(
        /// Defines an image of the texture that is bound to a target by pixels of the framebuffer.
        pub(crate) unsafe extern "system" fn $name(
            target: GLenum,
            level: GLint,
            internal: GLenum,
            x: GLint,
            y: GLint,
            $($size: GLsizei,)*
            border: GLint,
        ) {
            let region = ImageRegion {
                dimensions: $dimensions,
                target,
                level,
                offset: None,
                size: extend([$($size),*]),
                border,
            };
            let native = |internal| driver::$name(target, level, internal, x, y, $($size,)* border);
            if !copy_image(region, internal, native) {
                native(internal);
            }
        }
    )*};
}

copies! {
    CopyTexImage1D 1 (width);
    CopyTexImage2D 2 (width, height);
}

/// Returns false, and records `GL_INVALID_OPERATION`, if pixels of the framebuffer cannot be copied
/// to an image: it has no colors.
fn may_copy_part(target: GLenum, level: GLint) -> bool {
    let is_allowed = current_context::with(|state| {
        if !may_execute(state) || state.recording.is_some() {
            return true;
        }
        let row = texture_formats::find_image_format(state, target, level);
        let is_group = row.is_some_and(|row| row.group.is_some());
        if is_group {
            state.record_error(INVALID_OPERATION);
        }
        !is_group
    });
    is_allowed != Some(false)
}

/// Commands that copy pixels of the framebuffer to a part of an image.
macro_rules! part_copies {
    ($($name:ident($($parameter:ident),*);)*) => {$(
        /// Copies pixels of the framebuffer to a part of an image of the texture that is bound to a
        /// target.
        pub(crate) unsafe extern "system" fn $name(target: GLenum, level: GLint, $($parameter: GLint),*) {
            if may_copy_part(target, level) {
                driver::$name(target, level, $($parameter),*);
            }
        }
    )*};
}

part_copies! {
    CopyTexSubImage1D(offset, x, y, width);
    CopyTexSubImage2D(x_offset, y_offset, x, y, width, height);
    CopyTexSubImage3D(x_offset, y_offset, z_offset, x, y, width, height);
}

/// Writes an image of the texture that is bound to a target to memory or to the bound buffer:
/// images with formats of NV_texture_shader in the formats of pixels that they have.
pub(crate) unsafe extern "system" fn GetTexImage(
    target: GLenum,
    level: GLint,
    format: GLenum,
    ty: GLenum,
    pointer: *mut c_void,
) {
    let found = current_context::with(|state| {
        if !may_execute(state) {
            return None;
        }
        let given = texture_formats::find_group(format);
        let row = texture_formats::find_image_format(state, target, level);
        let is_packed = texture_formats::is_packed_group_type(ty);
        if given.is_none() && !is_packed && row.is_none_or(|row| row.group.is_none()) {
            return None;
        }
        if let Err(error) = texture_images::check_pixels(row, format, ty) {
            state.record_error(error);
            return Some(None);
        }
        Some(given)
    });
    let group = match found.flatten() {
        // SAFETY: the application follows the specification.
        None => return unsafe { driver::GetTexImage(target, level, format, ty, pointer) },
        Some(None) => return,
        Some(Some(group)) => group,
    };
    if texture_formats::is_packed_group_type(ty) {
        // SAFETY: the application has space for the image.
        unsafe { write_packed_image(target, level, ty, pointer.cast()) };
    } else {
        let format = match group.components {
            2 => 0x8227,
            3 => 0x1907,
            _ => 0x1908,
        };
        // SAFETY: the application has space for the image.
        unsafe { driver::GetTexImage(target, level, format, ty, pointer) };
    }
}

/// Writes an image with four components as numbers of a packed type to memory or to the bound
/// buffer, with the layout that the state of packing specifies. Records `GL_INVALID_OPERATION` for
/// a buffer that is too small or mapped.
///
/// # Safety
/// The memory, if no buffer is bound, has space for the image.
unsafe fn write_packed_image(target: GLenum, level: GLint, ty: GLenum, pointer: *mut u8) {
    let (pixels, size) = driver_state::read_texture_floats(target, level);
    let dimensions = if target == 0x806F { 3 } else { 2 };
    let storage = driver_state::read_pack_storage();
    let Some(layout) = PixelLayout::new((ty, 4), (dimensions, size), storage) else {
        return;
    };
    let words = layout.pack_groups(&pixels);
    if !driver_state::is_true(driver::constants::PIXEL_PACK_BUFFER_BINDING) {
        for (offset, bytes) in words.into_iter().filter(|_| !pointer.is_null()) {
            // SAFETY: the caller ensures that there is space for the image.
            unsafe { client_memory::write(pointer.add(offset as usize), &bytes) };
        }
    } else if !driver_state::write_packed_bytes(pointer as usize, &words) {
        current_context::with(|state| state.record_error(INVALID_OPERATION));
    }
}

/// Commands that query a parameter of an image.
macro_rules! level_parameters {
    ($($name:ident, $ty:ty;)*) => {$(
        /// Writes a parameter of an image of the texture that is bound to a target.
        pub(crate) unsafe extern "system" fn $name(target: GLenum, level: GLint, name: GLenum, value: *mut $ty) {
            let found = current_context::with(|state| {
                may_execute(state).then(|| texture_formats::query_level_parameter(state, target, level, name))
            });
            match found.flatten().flatten() {
                // SAFETY: the application has space for one value.
                Some(found) => unsafe { client_memory::write(value, &[found as $ty]) },
                // SAFETY: the application follows the specification.
                None => unsafe { driver::$name(target, level, name, value) },
            }
        }
    )*};
}

level_parameters! {
    GetTexLevelParameterfv, GLfloat;
    GetTexLevelParameteriv, GLint;
}

/// Reads pixels of the framebuffer. Records `GL_INVALID_ENUM` for formats and types that only
/// textures have.
pub(crate) unsafe extern "system" fn ReadPixels(
    x: GLint,
    y: GLint,
    width: GLsizei,
    height: GLsizei,
    format: GLenum,
    ty: GLenum,
    pointer: *mut c_void,
) {
    let is_error = current_context::with(|state| {
        let is_group = texture_formats::find_group(format).is_some()
            || texture_formats::is_packed_group_type(ty);
        let is_error = may_execute(state) && is_group;
        if is_error {
            state.record_error(INVALID_ENUM);
        }
        is_error
    });
    if is_error != Some(true) {
        // SAFETY: the application follows the specification.
        unsafe { driver::ReadPixels(x, y, width, height, format, ty, pointer) };
    }
}
