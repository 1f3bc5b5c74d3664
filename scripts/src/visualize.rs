//! Images for users: framebuffers of any format as 8-bit colors, and the pixels that a failed probe
//! observed next to the expected ones.
//!
//! Alpha is not shown. A format of one channel, depth and stencil are gray. Values from 0 to 1 are
//! shown unchanged, sRGB formats with the bytes that they store; if there are other values, the
//! range of all values is shown from black to white. NaN is magenta.

use crate::format::{Encoding, Format};
use crate::image::{Image, RowOrder};
use crate::probe::pixels::{PixelProbe, print_pixel};
use std::io::{self, Write};

type Rgb = [u8; 3];

const NAN_COLOR: Rgb = [255, 0, 255];
const MISMATCH_COLOR: Rgb = [255, 0, 0];
const MATCH_COLOR: Rgb = [0, 96, 0];
const UNPROBED_COLOR: Rgb = [48, 48, 48];
const SEPARATOR_COLOR: Rgb = [255, 255, 255];

/// Maximum width and height of images of differences.
const MAX_PANEL_SIZE: u32 = 2048;
/// Minimum length of the longer side of images of differences: small framebuffers are magnified to
/// about this size.
const MIN_MAGNIFIED_SIZE: u32 = 128;

/// Image of 8-bit colors, top row first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RgbImage {
    pub width: u32,
    pub height: u32,
    pixels: Vec<Rgb>,
}

impl RgbImage {
    /// Creates an image of one color; the size is in pixels.
    fn new(width: u32, height: u32, color: Rgb) -> Self {
        Self {
            width,
            height,
            pixels: vec![color; width as usize * height as usize],
        }
    }

    /// Sets the color of a pixel. Panics if it is outside of the image.
    fn set(&mut self, x: u32, y: u32, color: Rgb) {
        self.pixels[y as usize * self.width as usize + x as usize] = color;
    }

    /// Encodes the image as a PNG file of 8-bit RGB.
    pub(crate) fn write_png(&self, out: impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        Ok(())
    }
}

/// Mapping from values to colors.
#[derive(Clone, Copy, PartialEq, Debug)]
struct ColorMapping {
    /// Shown black.
    low: f64,
    /// Shown at full brightness.
    high: f64,
    gray: bool,
    srgb: bool,
}

impl ColorMapping {
    /// Returns the mapping for all values of an image and of the pixel `included`: from 0 to 1,
    /// extended to the range of their finite values.
    fn new(image: &Image, included: [f64; 4]) -> Self {
        let format = &image.format;
        let gray = format.channels.len() == 1 || !image.is_color;
        let shown = |channel: &usize| *channel < if gray { 1 } else { 3 };
        let channels: Vec<usize> = format
            .channels
            .iter()
            .map(|channel| channel.component)
            .filter(shown)
            .collect();
        let (mut low, mut high) = (0.0f64, 1.0f64);
        let mut add = |values: [f64; 4]| {
            for value in channels.iter().map(|channel| values[*channel]) {
                if value.is_finite() {
                    (low, high) = (low.min(value), high.max(value));
                }
            }
        };
        add(included);
        image
            .data
            .chunks_exact(format.texel_size())
            .for_each(|texel| add(format.decode(texel)));
        Self {
            low,
            high,
            gray,
            srgb: format.encoding == Encoding::Srgb,
        }
    }

    /// Returns the color that represents a pixel: its components scaled to bytes, a gray of the
    /// first one for formats without color, and magenta if one is NaN.
    fn color(self, values: [f64; 4]) -> Rgb {
        let shown = if self.gray {
            [values[0]; 3]
        } else {
            [values[0], values[1], values[2]]
        };
        if shown.iter().any(|value| value.is_nan()) {
            return NAN_COLOR;
        }
        shown.map(|value| {
            let shade = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
            let shade = match self.srgb {
                true if shade <= 0.003_130_8 => shade * 12.92,
                true => 1.055 * shade.powf(1.0 / 2.4) - 0.055,
                false => shade,
            };
            (shade * 255.0).round() as u8
        })
    }

    /// Describes which values are black and white, for captions; empty for the default range of 0
    /// to 1.
    fn describe(self, format: &Format) -> String {
        if (self.low, self.high) == (0.0, 1.0) {
            return String::new();
        }
        let print = |value| print_pixel(&[value], format);
        format!(
            ", values from {} (black) to {} (white)",
            print(self.low),
            print(self.high)
        )
    }
}

/// Returns the y coordinate in an image of the pixels at `y` of its upright rendering.
fn source_row(image: &Image, order: RowOrder, y: u32) -> u32 {
    match order {
        RowOrder::TopFirst => y,
        RowOrder::BottomFirst => image.height - 1 - y,
    }
}

/// Renders a whole image upright, and returns it with the description of its range of values, empty
/// for 0 to 1.
pub(crate) fn render_image(image: &Image, order: RowOrder) -> (RgbImage, String) {
    let shades = ColorMapping::new(image, [0.0; 4]);
    let mut rendered = RgbImage::new(image.width, image.height, UNPROBED_COLOR);
    for y in 0..image.height {
        for x in 0..image.width {
            let texel = image.texel(x, source_row(image, order, y));
            rendered.set(x, y, shades.color(image.format.decode(texel)));
        }
    }
    (rendered, shades.describe(&image.format))
}

/// Renders the expected pixels, the observed pixels and their differences side by side, upright and
/// small regions magnified, and returns the image with the description of its range of values.
/// Images of more than [`MAX_PANEL_SIZE`] pixels are cut to a part that begins with the region of
/// the probe, which must be within the image.
pub(crate) fn render_difference(
    image: &Image,
    probe: &PixelProbe,
    order: RowOrder,
) -> (RgbImage, String) {
    let format = &image.format;
    let expected = probe.rounded_expected(format);
    let shades = ColorMapping::new(image, expected);
    let [left, width] = panel_range(image.width, probe.region.x);
    let row = match order {
        RowOrder::TopFirst => probe.region.y,
        RowOrder::BottomFirst => image.height - (probe.region.y + probe.region.height).max(1),
    };
    let [top, height] = panel_range(image.height, row);
    let scale = (MIN_MAGNIFIED_SIZE / width.max(height)).max(1);
    let gap = 2;
    let mut rendered = RgbImage::new(3 * width * scale + 2 * gap, height * scale, SEPARATOR_COLOR);
    for y in 0..height {
        let source_y = source_row(image, order, top + y);
        for x in 0..width {
            let observed = format.decode(image.texel(left + x, source_y));
            let probed = is_probed(probe, left + x, source_y);
            let mut expected_texel = observed;
            let mut verdict = UNPROBED_COLOR;
            if probed {
                expected_texel[..probe.expected.components]
                    .copy_from_slice(&expected[..probe.expected.components]);
                verdict = if probe.accepts(format, observed) {
                    MATCH_COLOR
                } else {
                    MISMATCH_COLOR
                };
            }
            let panels = [
                shades.color(expected_texel),
                shades.color(observed),
                verdict,
            ];
            for (color, number) in panels.into_iter().zip(0..) {
                let corner = number * (width * scale + gap) + x * scale;
                for dy in 0..scale {
                    for dx in 0..scale {
                        rendered.set(corner + dx, y * scale + dy, color);
                    }
                }
            }
        }
    }
    (rendered, shades.describe(format))
}

/// Returns the start and length of the range that is shown along one side of an image: at most
/// [`MAX_PANEL_SIZE`] pixels, from `center` on or, near the end, from an earlier pixel.
fn panel_range(side: u32, center: u32) -> [u32; 2] {
    let length = side.min(MAX_PANEL_SIZE);
    [center.min(side - length), length]
}

/// Returns true if a pixel is within the region that a probe compares.
fn is_probed(probe: &PixelProbe, x: u32, y: u32) -> bool {
    let region = probe.region;
    (region.x..region.x + region.width).contains(&x)
        && (region.y..region.y + region.height).contains(&y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::Tolerance;
    use crate::probe::pixels::{Expected, FramebufferPlane, Region, Surface};

    fn image(format: &str, width: u32, data: &[u8]) -> Image {
        let format = Format::parse(format).unwrap();
        let texels = data.len() / format.texel_size();
        Image {
            width,
            height: texels as u32 / width,
            format,
            is_color: true,
            data: data.to_vec(),
        }
    }

    #[test]
    fn colors_between_0_and_1_are_shown_as_they_are() {
        let image = image("B8G8R8A8_UNORM", 1, &[1, 2, 3, 0, 5, 6, 7, 0]);
        let (top, note) = render_image(&image, RowOrder::TopFirst);
        assert_eq!(
            (top.pixels, note),
            (vec![[3, 2, 1], [7, 6, 5]], String::new())
        );
        let (bottom, _) = render_image(&image, RowOrder::BottomFirst);
        assert_eq!(bottom.pixels, [[7, 6, 5], [3, 2, 1]]);
    }

    #[test]
    fn srgb_is_shown_with_its_bytes() {
        let bytes: Vec<u8> = (0..=255).flat_map(|value| [value, 0, 255, 9]).collect();
        let (picture, _) = render_image(&image("R8G8B8A8_SRGB", 16, &bytes), RowOrder::TopFirst);
        for (pixel, value) in picture.pixels.iter().zip(0..=255) {
            assert_eq!(*pixel, [value, 0, 255]);
        }
    }

    #[test]
    fn one_channel_is_gray_and_other_ranges_are_spread() {
        let words: Vec<u8> = [0i32, 50, 100]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let (picture, note) = render_image(&image("R32_SINT", 3, &words), RowOrder::TopFirst);
        assert_eq!(picture.pixels, [[0; 3], [128; 3], [255; 3]]);
        assert_eq!(note, ", values from 0 (black) to 100 (white)");
    }

    #[test]
    fn odd_floats_have_their_colors() {
        let values = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0];
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let (picture, note) = render_image(&image("R32_SFLOAT", 4, &bytes), RowOrder::TopFirst);
        assert_eq!(picture.pixels, [NAN_COLOR, [255; 3], [0; 3], [0; 3]]);
        assert_eq!(note, ", values from -1.0 (black) to 1.0 (white)");
    }

    fn probe(x: u32, y: u32, width: u32, height: u32) -> PixelProbe {
        PixelProbe {
            surface: Surface::from_plane(FramebufferPlane::Color(0)),
            region: Region {
                x,
                y,
                width,
                height,
            },
            expected: Expected {
                values: [0.0, 1.0, 0.0, 1.0],
                components: 4,
            },
            tolerances: [Tolerance::default(); 4],
        }
    }

    #[test]
    fn differences_are_red() {
        // Columns: green, black; rows: 0 and 1.
        let green = [0, 255, 0, 255];
        let black = [0, 0, 0, 255];
        let image = image("R8G8B8A8_UNORM", 2, &[green, black, green, black].concat());
        let (picture, _) = render_difference(&image, &probe(0, 0, 2, 1), RowOrder::BottomFirst);
        let scale = 64;
        assert_eq!((picture.width, picture.height), (3 * 128 + 4, 128));
        let at = |panel: u32, x: u32, y: u32| {
            let x = panel * (2 * scale + 2) + x * scale + 1;
            picture.pixels[((y * scale + 1) * picture.width + x) as usize]
        };
        // Row 0 is at the bottom.
        assert_eq!((at(0, 1, 1), at(0, 1, 0)), ([0, 255, 0], [0; 3]));
        assert_eq!((at(1, 0, 1), at(1, 1, 1)), ([0, 255, 0], [0; 3]));
        assert_eq!((at(2, 0, 1), at(2, 1, 1)), (MATCH_COLOR, MISMATCH_COLOR));
        assert_eq!(at(2, 1, 0), UNPROBED_COLOR);
        assert_eq!(picture.pixels[128], SEPARATOR_COLOR);
    }

    #[test]
    fn pictures_of_large_framebuffers_show_a_part() {
        let image = image("R8_UNORM", 5000, &vec![0; 5000 * 2]);
        let (picture, _) = render_difference(&image, &probe(4900, 0, 1, 1), RowOrder::TopFirst);
        assert_eq!((picture.width, picture.height), (3 * 2048 + 4, 2));
        assert_eq!(
            picture.pixels[(2 * 2050 + 4900 - 2952) as usize],
            MISMATCH_COLOR
        );
    }

    #[test]
    fn png_files_hold_the_pixels() {
        let (picture, _) = render_image(&image("R8G8_UNORM", 1, &[10, 20]), RowOrder::TopFirst);
        let mut file = Vec::new();
        picture.write_png(&mut file).unwrap();
        let mut reader = png::Decoder::new(io::Cursor::new(file))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, [10, 20, 0]);
    }
}
