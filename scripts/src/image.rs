//! Images in memory, and PNG files created from them.

use crate::format::{Encoding, Format};
use std::io::{self, Write};

/// Order of the rows of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowOrder {
    /// Row 0 is the top, as in Vulkan.
    TopFirst,
    /// Row 0 is the bottom, as in GL.
    BottomFirst,
}

/// Pixels of a framebuffer, row 0 first.
#[derive(Clone, Debug)]
pub struct Image {
    /// Pixels of a row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Format of the texels.
    pub format: Format,
    /// True if the texels are colors; otherwise they are depth or stencil values, in the first
    /// component.
    pub is_color: bool,
    /// Texels, tightly packed.
    pub data: Vec<u8>,
}

impl Image {
    /// Returns the bytes of a texel, with y as in the order of the data. Panics if the coordinates
    /// are outside of the image.
    pub fn texel(&self, x: u32, y: u32) -> &[u8] {
        let size = self.format.texel_size();
        let at = (y as usize * self.width as usize + x as usize) * size;
        &self.data[at..at + size]
    }

    /// Converts the image to 8-bit RGBA, the top of the image first. Values are clamped to [0, 1];
    /// depths and stencil values are gray, with a stencil value of 255 as white.
    fn to_rgba8(&self, order: RowOrder) -> Vec<u8> {
        let gray = |value: f64| [value, value, value, 1.0];
        let to_byte = |value: f64| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
        let mut bytes = Vec::with_capacity(self.width as usize * self.height as usize * 4);
        for row in 0..self.height {
            let y = match order {
                RowOrder::TopFirst => row,
                RowOrder::BottomFirst => self.height - 1 - row,
            };
            for x in 0..self.width {
                let values = self.format.decode(self.texel(x, y));
                let shown = match (self.is_color, self.format.encoding) {
                    (true, _) => values,
                    // Stencil values fill a byte.
                    (false, Encoding::Uint) => gray(values[0] / 255.0),
                    (false, _) => gray(values[0]),
                };
                bytes.extend(shown.map(to_byte));
            }
        }
        bytes
    }

    /// Writes the image as an upright PNG file of 8-bit RGBA. Returns an error if writing fails.
    pub fn write_png(&self, out: impl Write, order: RowOrder) -> io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.to_rgba8(order))?;
        writer.finish()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_upright_in_both_orders() {
        let format = Format::parse("R8_UNORM").unwrap();
        let image = Image {
            width: 1,
            height: 2,
            format,
            is_color: true,
            data: vec![10, 20],
        };
        assert_eq!(
            image.to_rgba8(RowOrder::TopFirst),
            [10, 0, 0, 255, 20, 0, 0, 255]
        );
        assert_eq!(
            image.to_rgba8(RowOrder::BottomFirst),
            [20, 0, 0, 255, 10, 0, 0, 255]
        );
    }

    #[test]
    fn png_files_decode_to_the_same_pixels() {
        let format = Format::parse("B8G8R8A8_UNORM").unwrap();
        let image = Image {
            width: 2,
            height: 1,
            format,
            is_color: true,
            data: vec![1, 2, 3, 4, 5, 6, 7, 8],
        };
        let mut file = Vec::new();
        image.write_png(&mut file, RowOrder::TopFirst).unwrap();
        let mut reader = png::Decoder::new(io::Cursor::new(file))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, [3, 2, 1, 4, 7, 6, 5, 8]);
    }
}
