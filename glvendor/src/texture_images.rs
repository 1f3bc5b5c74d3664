//! Images of textures with formats of NV_texture_shader: commands that define them or a part of
//! them, with the pixels that the application specifies, and the conversion of these pixels.

use crate::context::State;
use crate::ffi::driver_state;
use crate::program_commands::{INVALID_ENUM, INVALID_OPERATION};
use crate::texture_formats::{self, FormatRow, PixelGroup, UNSIGNED_INT_S8_S8_8_8};
use glasm::fixed_function::TextureFormatType;

/// Part of a texture that a command defines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ImageRegion {
    /// Dimensions of the command: 1 for `TexImage1D` and `TexSubImage1D`.
    pub(crate) dimensions: usize,
    /// Target of the image: of cube maps a face.
    pub(crate) target: u32,
    pub(crate) level: i32,
    /// Position of `TexSubImage`; `None` for `TexImage`, which defines all of the image.
    pub(crate) offset: Option<[i32; 3]>,
    /// Width, height and depth, 1 for dimensions that the command does not have.
    pub(crate) size: [i32; 3],
    /// Border of `TexImage`.
    pub(crate) border: i32,
}

/// Command that defines an image, in display lists, too.
#[derive(Clone, Debug)]
pub(crate) struct TextureImage {
    pub(crate) region: ImageRegion,
    pub(crate) row: &'static FormatRow,
    /// Components of all pixels as floats, before pixel transfers if they are not colors; `None` if
    /// the image is undefined. Colors have four components.
    pub(crate) pixels: Option<Vec<f32>>,
}

impl ImageRegion {
    /// Returns the number of pixels; `None` for sizes that no driver supports and for parameters
    /// that are errors, which the driver reports.
    pub(crate) fn count_pixels(&self) -> Option<u64> {
        // More than any driver supports.
        const MOST: u64 = 1 << 28;
        let known = match self.dimensions {
            1 => matches!(self.target, 0x0DE0 | 0x8063),
            2 => matches!(
                self.target,
                0x0DE1 | 0x84F5 | 0x8515..=0x851A | 0x8064 | 0x84F7 | 0x851B
            ),
            _ => matches!(self.target, 0x806F | 0x8070),
        };
        let is_valid = known && (0..31).contains(&self.level) && matches!(self.border, 0 | 1);
        let sizes = self.size.map(|size| u64::try_from(size).ok());
        let [Some(width), Some(height), Some(depth)] = sizes else {
            return None;
        };
        let count = width.checked_mul(height)?.checked_mul(depth)?;
        (is_valid && count <= MOST).then_some(count)
    }

    /// Returns true for proxies, which have no pixels.
    pub(crate) fn is_proxy(&self) -> bool {
        matches!(self.target, 0x8063 | 0x8064 | 0x84F7 | 0x851B | 0x8070)
    }

    /// Returns true if the part is within the image, so that the driver reports no error.
    pub(crate) fn is_inside(&self) -> bool {
        const SIZES: [u32; 3] = [0x1000, 0x1001, 0x8071];
        const BORDER: u32 = 0x1005;
        let Some(offset) = self.offset else {
            return true;
        };
        let value = |name| driver_state::tex_level_parameter::<1>(self.target, self.level, name)[0];
        let border = value(BORDER);
        (0..self.dimensions).all(|n| {
            let end = offset[n].checked_add(self.size[n]);
            offset[n] >= -border && end.is_some_and(|end| end <= value(SIZES[n]) - border)
        })
    }
}

/// Returns the error of a format of pixels and a type for an internal format: NV_texture_shader,
/// "Errors". `row` is `None` for formats of the driver.
pub(crate) fn check_pixels(row: Option<&FormatRow>, format: u32, ty: u32) -> Result<(), u32> {
    let wanted = row.and_then(|row| row.group).map(|group| group.format);
    let given = texture_formats::find_group(format).map(|group| group.format);
    if wanted != given {
        return Err(INVALID_OPERATION);
    }
    let is_packed = texture_formats::is_packed_group_type(ty);
    if is_packed && given != Some(0x86F7) {
        return Err(INVALID_OPERATION);
    }
    match given {
        Some(_) if !is_packed => find_component_size(ty).map(|_| ()),
        Some(_) | None => Ok(()),
    }
}

/// Returns the bytes of a component of a type; `Err` is GL's error: packed types of colors do not
/// match the format.
fn find_component_size(ty: u32) -> Result<u64, u32> {
    match ty {
        0x1400 | 0x1401 => Ok(1),
        0x1402 | 0x1403 | 0x140B => Ok(2),
        0x1404..=0x1406 => Ok(4),
        0x8032..=0x8036 | 0x8362..=0x8368 => Err(INVALID_OPERATION),
        _ => Err(INVALID_ENUM),
    }
}

/// Returns a component of a type as a float, from its bytes in the order of this machine. Signed
/// integers are fractions of the largest one, as of OpenGL 4.2, so that 0 is exact.
fn convert_component(ty: u32, bytes: [u8; 4]) -> f32 {
    let [a, b, ..] = bytes;
    let signed = |value: f64, most: f64| (value / most).max(-1.0) as f32;
    match ty {
        0x1400 => signed(f64::from(i8::from_ne_bytes([a])), 127.0),
        0x1401 => f32::from(a) / 255.0,
        0x1402 => signed(f64::from(i16::from_ne_bytes([a, b])), 32767.0),
        0x1403 => f32::from(u16::from_ne_bytes([a, b])) / 65535.0,
        0x1404 => signed(f64::from(i32::from_ne_bytes(bytes)), f64::from(i32::MAX)),
        0x1405 => (f64::from(u32::from_ne_bytes(bytes)) / f64::from(u32::MAX)) as f32,
        0x140B => convert_half(u16::from_ne_bytes([a, b])),
        _ => f32::from_ne_bytes(bytes),
    }
}

/// Returns the value of a 16-bit float.
fn convert_half(bits: u16) -> f32 {
    let magnitude = match (bits >> 10 & 0x1F, bits & 0x3FF) {
        (0, mantissa) => f32::from(mantissa) / 16_777_216.0,
        (0x1F, 0) => f32::INFINITY,
        (0x1F, _) => f32::NAN,
        (exponent, mantissa) => {
            f32::from_bits((u32::from(exponent) + 112) << 23 | u32::from(mantissa) << 13)
        }
    };
    if bits >> 15 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// Returns the four components of a number of a packed type: two signed ones, two unsigned ones.
fn unpack_group(ty: u32, bits: u32) -> [f32; 4] {
    let [first, second, third, fourth] = match ty {
        UNSIGNED_INT_S8_S8_8_8 => bits.to_be_bytes(),
        _ => bits.to_le_bytes(),
    };
    let signed = |byte: u8| convert_component(0x1400, [byte, 0, 0, 0]);
    let unsigned = |byte: u8| f32::from(byte) / 255.0;
    [
        signed(first),
        signed(second),
        unsigned(third),
        unsigned(fourth),
    ]
}

/// Returns four components as a number of a packed type, each rounded to the nearest value.
fn pack_group(ty: u32, [first, second, third, fourth]: [f32; 4]) -> u32 {
    let signed = |value: f32| (value.clamp(-1.0, 1.0) * 127.0).round() as i8 as u8;
    let unsigned = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
    let bytes = [
        signed(first),
        signed(second),
        unsigned(third),
        unsigned(fourth),
    ];
    match ty {
        UNSIGNED_INT_S8_S8_8_8 => u32::from_be_bytes(bytes),
        _ => u32::from_le_bytes(bytes),
    }
}

/// Layout of pixels in memory: GL 2.1 section 3.6.4, "Unpacking", and section 4.3.2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PixelLayout {
    ty: u32,
    components: usize,
    size: [u64; 3],
    swaps_bytes: bool,
    /// Bytes of a component, or of all components of a packed type.
    element: u64,
    pixel: u64,
    row: u64,
    image: u64,
    /// Bytes before the first pixel.
    first: u64,
}

/// State of pixel storage in the order of the enumerants: `SWAP_BYTES`, `ROW_LENGTH`, `SKIP_ROWS`,
/// `SKIP_PIXELS`, `ALIGNMENT`, `SKIP_IMAGES`, `IMAGE_HEIGHT`.
pub(crate) type PixelStorage = [i32; 7];

impl PixelLayout {
    /// Returns the layout of pixels of a group; `None` for types that do not exist, and for an
    /// image whose end has no number. Skipped images and their heights apply to 3D textures only.
    pub(crate) fn new(
        (ty, components): (u32, usize),
        (dimensions, size): (usize, [i32; 3]),
        storage: PixelStorage,
    ) -> Option<Self> {
        let [
            swaps,
            row_length,
            skip_rows,
            skip_pixels,
            alignment,
            skip_images,
            image_height,
        ] = storage.map(|value| u64::try_from(value).unwrap_or(0));
        let size = size.map(|size| u64::try_from(size).unwrap_or(0));
        let is_packed = texture_formats::is_packed_group_type(ty);
        let element = if is_packed {
            4
        } else {
            find_component_size(ty).ok()?
        };
        let pixel = element * if is_packed { 1 } else { components as u64 };
        let length = if row_length > 0 { row_length } else { size[0] };
        let row = length.checked_mul(pixel)?;
        // Elements that are as large as the alignment are aligned anyway.
        let row = if element >= alignment.max(1) {
            row
        } else {
            row.checked_next_multiple_of(alignment)?
        };
        let height = match image_height {
            0 => size[1],
            height => height,
        };
        let image = if dimensions > 2 {
            height.checked_mul(row)?
        } else {
            0
        };
        let skipped_images = if dimensions > 2 {
            skip_images.checked_mul(image)?
        } else {
            0
        };
        let skipped_rows = if dimensions > 1 {
            skip_rows.checked_mul(row)?
        } else {
            0
        };
        let first = skipped_images
            .checked_add(skipped_rows)?
            .checked_add(skip_pixels.checked_mul(pixel)?)?;
        Some(Self {
            ty,
            components,
            size,
            swaps_bytes: swaps != 0,
            element,
            pixel,
            row,
            image,
            first,
        })
    }

    /// Returns the number of bytes from the beginning to the last pixel; 0 without pixels.
    pub(crate) fn count_bytes(&self) -> Option<u64> {
        let [width, height, depth] = self.size;
        if width == 0 || height == 0 || depth == 0 {
            return Some(0);
        }
        let last_image = (depth - 1).checked_mul(self.image)?;
        let last_row = (height - 1).checked_mul(self.row)?;
        let end = self.first.checked_add(last_image)?.checked_add(last_row)?;
        end.checked_add(width.checked_mul(self.pixel)?)
    }

    /// Returns the offsets of all pixels in their order.
    fn pixel_offsets(self) -> impl Iterator<Item = u64> {
        let [width, height, depth] = self.size;
        (0..depth).flat_map(move |z| {
            (0..height).flat_map(move |y| {
                (0..width).map(move |x| self.first + z * self.image + y * self.row + x * self.pixel)
            })
        })
    }

    /// Returns the bytes of an element at an offset in the order of this machine.
    fn read_element(&self, byte: impl Fn(u64) -> u8, offset: u64) -> [u8; 4] {
        let mut bytes = [0; 4];
        let used = &mut bytes[..self.element as usize];
        for (to, at) in used.iter_mut().zip(offset..) {
            *to = byte(at);
        }
        if self.swaps_bytes {
            used.reverse();
        }
        bytes
    }

    /// Returns the components of all pixels; `byte` returns the byte at an offset.
    pub(crate) fn unpack(&self, byte: impl Fn(u64) -> u8) -> Vec<f32> {
        let mut pixels = Vec::new();
        for offset in self.pixel_offsets() {
            if texture_formats::is_packed_group_type(self.ty) {
                let bits = u32::from_ne_bytes(self.read_element(&byte, offset));
                pixels.extend(unpack_group(self.ty, bits));
            } else {
                for number in 0..self.components as u64 {
                    let bytes = self.read_element(&byte, offset + number * self.element);
                    pixels.push(convert_component(self.ty, bytes));
                }
            }
        }
        pixels
    }

    /// Returns the bytes of all pixels of a packed type, each with its offset.
    pub(crate) fn pack_groups(&self, pixels: &[f32]) -> Vec<(u64, [u8; 4])> {
        let (groups, _) = pixels.as_chunks();
        let offsets = self.pixel_offsets();
        let packed = offsets.zip(groups).map(|(offset, group)| {
            let mut bytes = pack_group(self.ty, *group).to_ne_bytes();
            if self.swaps_bytes {
                bytes.reverse();
            }
            (offset, bytes)
        });
        packed.collect()
    }
}

impl TextureImage {
    /// Returns the pixels in the form of the driver: components with scale and bias of pixel
    /// transfers, clamped to the range of the internal format. `transfers` are scale and bias of
    /// each component of [`texture_formats::TRANSFERS`]. Section 3.8.1.
    fn convert_pixels(&self, transfers: &[[f32; 2]; texture_formats::TRANSFERS]) -> Vec<f32> {
        let pixels = self.pixels.as_deref().unwrap_or_default();
        let least = |component: usize| match (self.row.format_type, component) {
            (TextureFormatType::UnsignedRgba | TextureFormatType::UnsignedHilo, _) => 0.0,
            (TextureFormatType::SignedRgbUnsignedAlpha, 3) => 0.0,
            (TextureFormatType::DsdtMag | TextureFormatType::DsdtMagIntensity, 2 | 3) => 0.0,
            (
                TextureFormatType::SignedRgba
                | TextureFormatType::SignedRgbUnsignedAlpha
                | TextureFormatType::SignedHilo
                | TextureFormatType::Dsdt
                | TextureFormatType::DsdtMag
                | TextureFormatType::DsdtMagIntensity,
                _,
            ) => -1.0,
        };
        let clamp = |component: usize, value: f32| value.max(least(component)).min(1.0);
        let mut converted = Vec::with_capacity(pixels.len());
        match self.row.group {
            None => {
                let values = pixels.iter().enumerate();
                converted.extend(values.map(|(n, value)| clamp(n % 4, *value)));
            }
            Some(group) => {
                for pixel in pixels.chunks(group.components) {
                    for (component, value) in pixel.iter().enumerate() {
                        let [scale, bias] = transfers[group.first_transfer + component];
                        converted.push(clamp(component, value * scale + bias));
                    }
                    if self.row.format_type == TextureFormatType::UnsignedHilo {
                        converted.push(1.0);
                    }
                }
            }
        }
        converted
    }

    /// Returns the format of the pixels that [`Self::convert_pixels`] returns: `RG`, `RGB` or
    /// `RGBA`.
    fn driver_format(&self) -> u32 {
        let components = match (self.row.format_type, self.row.group) {
            (TextureFormatType::UnsignedHilo, _) => 3,
            (_, Some(PixelGroup { components, .. })) => components,
            (_, None) => 4,
        };
        match components {
            2 => 0x8227,
            3 => 0x1907,
            _ => 0x1908,
        }
    }
}

/// Executes a command that defines an image or a part of it. The format of a whole image is
/// recorded unless the driver reports an error. Records `GL_INVALID_OPERATION` if a part has
/// another format than the image.
pub(crate) fn define_image(state: &mut State, image: &TextureImage) {
    let region = image.region;
    let known = texture_formats::find_image_format(state, region.target, region.level);
    let is_part = region.offset.is_some();
    if is_part && known.and_then(|row| row.group) != image.row.group {
        return state.record_error(INVALID_OPERATION);
    }
    state.textures_change();
    // A part is converted for the format that the image has now.
    let image = &TextureImage {
        row: known.filter(|_| is_part).unwrap_or(image.row),
        ..image.clone()
    };
    let transfers = state.extensions.texture_shaders.state.transfers;
    let pixels = image
        .pixels
        .is_some()
        .then(|| image.convert_pixels(&transfers));
    state.save_driver_error();
    driver_state::upload_floats(
        &region,
        image.row.driver,
        image.driver_format(),
        pixels.as_deref(),
    );
    let error = crate::ffi::driver::GetError();
    if error != 0 {
        state.record_error(error);
    } else if !is_part {
        let row = Some(image.row);
        texture_formats::record_image_format(state, region.target, region.level, row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::texture_formats::UNSIGNED_INT_8_8_S8_S8_REV;

    const DEFAULT: PixelStorage = [0, 0, 0, 0, 4, 0, 0];

    /// Tests the positions of NV_texture_shader table 3.11: the first component is in the highest
    /// bits of `UNSIGNED_INT_S8_S8_8_8_NV` and in the lowest ones of the other type.
    #[test]
    fn packed_groups_have_their_order() {
        let expected = [1.0, -1.0, 1.0, 51.0 / 255.0];
        assert_eq!(unpack_group(UNSIGNED_INT_S8_S8_8_8, 0x7F80_FF33), expected);
        assert_eq!(
            unpack_group(UNSIGNED_INT_8_8_S8_S8_REV, 0x33FF_807F),
            expected
        );
        assert_eq!(pack_group(UNSIGNED_INT_S8_S8_8_8, expected), 0x7F81_FF33);
        assert_eq!(
            pack_group(UNSIGNED_INT_8_8_S8_S8_REV, expected),
            0x33FF_817F
        );
    }

    #[test]
    fn components_have_their_types() {
        let convert = |ty, bytes: &[u8]| {
            let mut all = [0; 4];
            all[..bytes.len()].copy_from_slice(bytes);
            convert_component(ty, all)
        };
        assert_eq!(convert(0x1400, &[0x81]), -1.0);
        assert_eq!(convert(0x1401, &[51]), 0.2);
        assert_eq!(convert(0x1402, &i16::MIN.to_ne_bytes()), -1.0);
        assert_eq!(convert(0x1403, &13107_u16.to_ne_bytes()), 0.2);
        assert_eq!(convert(0x1404, &0_i32.to_ne_bytes()), 0.0);
        assert_eq!(convert(0x1405, &u32::MAX.to_ne_bytes()), 1.0);
        assert_eq!(convert(0x1406, &0.25_f32.to_ne_bytes()), 0.25);
        // 1.5, the least denormal number and negative infinity.
        assert_eq!(convert(0x140B, &0x3E00_u16.to_ne_bytes()), 1.5);
        assert_eq!(convert(0x140B, &1_u16.to_ne_bytes()), 2.0_f32.powi(-24));
        assert_eq!(
            convert(0x140B, &0xFC00_u16.to_ne_bytes()),
            f32::NEG_INFINITY
        );
    }

    /// Tests GL 2.1 section 3.6.4: lines of three pairs of bytes, aligned to four, with pixels,
    /// lines and images before.
    #[test]
    fn layouts_follow_pixel_storage() {
        let size = (3, [2, 2, 2]);
        let plain = PixelLayout::new((0x1401, 2), size, DEFAULT).unwrap();
        assert_eq!(plain.count_bytes(), Some(16));
        let storage = [0, 3, 1, 1, 4, 1, 3];
        let layout = PixelLayout::new((0x1401, 2), size, storage).unwrap();
        // Lines have 8 bytes, images 24.
        assert_eq!(layout.first, 24 + 8 + 2);
        assert_eq!(layout.count_bytes(), Some(34 + 24 + 8 + 4));
        let bytes: Vec<u8> = (0..70).collect();
        let pixels = layout.unpack(|offset| bytes[offset as usize]);
        let numbers = [
            34, 35, 36, 37, 42, 43, 44, 45, 58, 59, 60, 61, 66, 67, 68, 69,
        ];
        assert_eq!(pixels, numbers.map(|it: u8| f32::from(it) / 255.0));
        // Skipped lines and images do not apply to fewer dimensions.
        let line = PixelLayout::new((0x1401, 2), (1, [2, 1, 1]), storage).unwrap();
        assert_eq!(line.first, 2);
        let swapped = PixelLayout::new((0x1403, 1), (1, [1, 1, 1]), [1, 0, 0, 0, 1, 0, 0]).unwrap();
        let bytes = 0x1234_u16.swap_bytes().to_ne_bytes();
        let pixels = swapped.unpack(|offset| bytes[offset as usize]);
        assert_eq!(pixels, [f32::from(0x1234_u16) / 65535.0]);
        let huge = [0, i32::MAX, i32::MAX, i32::MAX, 8, i32::MAX, i32::MAX];
        let layout = PixelLayout::new((0x1406, 4), (3, [1, 1, 1]), huge);
        assert!(layout.is_none_or(|it| it.count_bytes().is_some()));
    }

    #[test]
    fn pixels_match_internal_formats() {
        let row = |internal| texture_formats::find_format(internal);
        assert_eq!(check_pixels(row(0x86FA), 0x86F4, 0x1402), Ok(()));
        assert_eq!(
            check_pixels(row(0x86FA), 0x1908, 0x1402),
            Err(INVALID_OPERATION)
        );
        assert_eq!(check_pixels(None, 0x86F4, 0x1402), Err(INVALID_OPERATION));
        assert_eq!(
            check_pixels(row(0x86FC), 0x86F4, 0x1402),
            Err(INVALID_OPERATION)
        );
        assert_eq!(check_pixels(row(0x86FC), 0x1908, 0x1400), Ok(()));
        assert_eq!(
            check_pixels(row(0x8709), 0x86F6, 0x1400),
            Err(INVALID_OPERATION)
        );
        assert_eq!(check_pixels(row(0x870B), 0x86F7, 0x86DA), Ok(()));
        assert_eq!(
            check_pixels(row(0x870A), 0x86F6, 0x86DA),
            Err(INVALID_OPERATION)
        );
        assert_eq!(check_pixels(None, 0x1908, 0x86DA), Err(INVALID_OPERATION));
        assert_eq!(
            check_pixels(row(0x870B), 0x86F7, 0x8035),
            Err(INVALID_OPERATION)
        );
        assert_eq!(check_pixels(row(0x870B), 0x86F7, 0x1A00), Err(INVALID_ENUM));
    }
}
