//! Comparison of the pixels of a framebuffer with an expected value.
//!
//! Floats and normalized numbers have a tolerance; integers, stencil values among them, are
//! compared exactly.

use super::{Precision, Tolerance, Tolerances};
use crate::format::Format;
use crate::image::Image;
use std::fmt;

/// Rectangle of pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// Leftmost column.
    pub x: u32,
    /// First row.
    pub y: u32,
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
}

/// Buffer of a framebuffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FramebufferPlane {
    /// Color attachment.
    Color(u32),
    /// Depth buffer.
    Depth,
    /// Stencil buffer.
    Stencil,
}

/// Two-dimensional image in a framebuffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Surface {
    /// Buffer.
    pub plane: FramebufferPlane,
    /// Layer of the framebuffer, from 0.
    pub layer: u32,
    /// Sample index; `None` denotes the resolved value of a pixel.
    pub sample: Option<u32>,
}

impl Surface {
    /// Returns the surface of layer 0 of a plane, with samples resolved.
    pub fn from_plane(plane: FramebufferPlane) -> Self {
        Self {
            plane,
            layer: 0,
            sample: None,
        }
    }

    /// Returns true if it contains colors, not depth or stencil values.
    pub fn is_color(self) -> bool {
        match self.plane {
            FramebufferPlane::Color(_) => true,
            FramebufferPlane::Depth | FramebufferPlane::Stencil => false,
        }
    }

    /// Returns the name of the surface as a part of file names, such as `attachment0` or
    /// `depth.layer1`.
    pub fn file_name(self) -> String {
        let mut name = match self.plane {
            FramebufferPlane::Color(number) => format!("attachment{number}"),
            FramebufferPlane::Depth => "depth".to_owned(),
            FramebufferPlane::Stencil => "stencil".to_owned(),
        };
        if self.layer > 0 {
            name.push_str(&format!(".layer{}", self.layer));
        }
        if let Some(sample) = self.sample {
            name.push_str(&format!(".sample{sample}"));
        }
        name
    }
}

impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plane {
            FramebufferPlane::Color(number) => write!(f, "attachment {number}")?,
            FramebufferPlane::Depth => f.write_str("the depth buffer")?,
            FramebufferPlane::Stencil => f.write_str("the stencil buffer")?,
        }
        if self.layer > 0 {
            write!(f, ", layer {}", self.layer)?;
        }
        match self.sample {
            Some(sample) => write!(f, ", sample {sample}"),
            None => Ok(()),
        }
    }
}

/// Values that pixels must have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expected {
    /// Red, green, blue and alpha; depth and stencil are the first one.
    pub values: [f64; 4],
    /// Number of compared components: 4 or 3 of a color, 1 of depth and stencil.
    pub components: usize,
}

/// Comparison of pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PixelProbe {
    /// Surface that contains the pixels.
    pub surface: Surface,
    /// Region that is compared.
    pub region: Region,
    /// Expected value of each pixel.
    pub expected: Expected,
    /// Tolerance of each component.
    pub tolerances: Tolerances,
}

/// Differing pixels, counted during the comparison.
#[derive(Default)]
struct PixelDifferences {
    count: u64,
    /// First difference in row order.
    first: Option<PixelDifference>,
    /// Largest difference; values that have no distance, such as NaN, are ignored.
    largest: Option<(f64, PixelDifference)>,
}

#[derive(Clone, Copy)]
struct PixelDifference {
    x: u32,
    y: u32,
    observed: [f64; 4],
}

impl PixelProbe {
    /// Compares all pixels of the region with the expected value; `image` is the surface, which the
    /// caller has read.
    ///
    /// # Errors
    /// If the region is not within the image, or pixels differ: the message describes the first and
    /// the largest difference.
    pub fn check(&self, image: &Image) -> Result<(), String> {
        if !self.is_region_within(image) {
            let Region {
                x,
                y,
                width,
                height,
            } = self.region;
            return Err(format!(
                "({x}, {y}, {width}, {height}) is not within the {} x {} framebuffer",
                image.width, image.height
            ));
        }
        let differences = self.differences(image);
        let Some(first) = differences.first else {
            return Ok(());
        };
        Err(self.describe(image, &differences, first))
    }

    /// Returns true if a decoded texel matches the expected value in the compared components:
    /// integers exactly, others within their tolerance.
    pub(crate) fn accepts(&self, format: &Format, observed: [f64; 4]) -> bool {
        let exact = format.encoding.is_integer();
        let expected = self.rounded_expected(format);
        (0..self.expected.components).all(|component| {
            let (observed, expected) = (observed[component], expected[component]);
            if exact {
                observed == expected
            } else {
                let precision = Precision::from_channel(format, component);
                self.tolerances[component].accepts_in(precision, observed, expected)
            }
        })
    }

    /// Returns the expected values; for float formats rounded to 32-bit floats, because 0.1 in a
    /// script means the nearest one.
    pub(crate) fn rounded_expected(&self, format: &Format) -> [f64; 4] {
        if format.encoding.is_float() {
            self.expected.values.map(|value| f64::from(value as f32))
        } else {
            self.expected.values
        }
    }

    /// Counts the pixels of the region that differ from the expected value, and finds the first one
    /// and the one with the largest distance. The region must be within the image.
    fn differences(&self, image: &Image) -> PixelDifferences {
        let Region {
            x,
            y,
            width,
            height,
        } = self.region;
        let mut differences = PixelDifferences::default();
        let mut last: Option<(&[u8], bool)> = None;
        for y in y..y + height {
            for x in x..x + width {
                let texel = image.texel(x, y);
                // Neighbors are mostly equal, so the verdict on the previous texel is cached.
                let accepted = match last {
                    Some((same, accepted)) if same == texel => accepted,
                    _ => self.accepts(&image.format, image.format.decode(texel)),
                };
                last = Some((texel, accepted));
                if !accepted {
                    let observed = image.format.decode(texel);
                    let difference = PixelDifference { x, y, observed };
                    differences
                        .record_difference(difference, self.distance(&image.format, observed));
                }
            }
        }
        differences
    }

    /// Returns the largest absolute difference of a compared component from its expected value;
    /// NaNs are ignored.
    fn distance(&self, format: &Format, observed: [f64; 4]) -> f64 {
        let expected = self.rounded_expected(format);
        let pairs = observed.iter().zip(&expected);
        pairs
            .take(self.expected.components)
            .map(|(observed, expected)| (observed - expected).abs())
            .filter(|distance| !distance.is_nan())
            .fold(0.0, f64::max)
    }

    /// Returns the message of a failed probe: the number of different pixels, expected and observed
    /// values of the first one, the tolerances unless pixels are integers, and the largest
    /// difference.
    fn describe(
        &self,
        image: &Image,
        differences: &PixelDifferences,
        first: PixelDifference,
    ) -> String {
        let Region { width, height, .. } = self.region;
        let pixels = u64::from(width) * u64::from(height);
        let surface = if self.surface == Surface::from_plane(FramebufferPlane::Color(0)) {
            String::new()
        } else {
            format!(" of {}", self.surface)
        };
        let print =
            |values: [f64; 4]| print_pixel(&values[..self.expected.components], &image.format);
        let mut message = format!(
            "pixel ({}, {}){surface} differs, and {} of {pixels} pixels do\n  expected: {}\n  observed: {}",
            first.x,
            first.y,
            differences.count,
            print(self.rounded_expected(&image.format)),
            print(first.observed),
        );
        if !image.format.encoding.is_integer() {
            let tolerances = self.tolerances[..self.expected.components].iter();
            let texts: Vec<String> = tolerances.map(Tolerance::to_string).collect();
            message.push_str(&format!("\n  tolerance: {}", texts.join(" ")));
        }
        if let Some((distance, pixel)) = differences.largest {
            message.push_str(&format!(
                "\n  largest difference: {} at ({}, {})",
                print_pixel(&[distance], &image.format),
                pixel.x,
                pixel.y
            ));
        }
        message
    }

    /// Returns true if the region is within an image.
    pub(crate) fn is_region_within(&self, image: &Image) -> bool {
        let inside = |start: u32, size: u32, limit: u32| {
            start.checked_add(size).is_some_and(|end| end <= limit)
        };
        let region = self.region;
        inside(region.x, region.width, image.width) && inside(region.y, region.height, image.height)
    }
}

impl PixelDifferences {
    /// Counts a differing pixel, and retains it if it is the first one, or if its distance exceeds
    /// the largest one. A distance of 0 or NaN never does.
    fn record_difference(&mut self, difference: PixelDifference, distance: f64) {
        self.count += 1;
        self.first.get_or_insert(difference);
        if distance > self.largest.map_or(0.0, |(largest, _)| largest) {
            self.largest = Some((distance, difference));
        }
    }
}

/// Formats all texels of an image in the order of its data, each in parentheses; images of more
/// than one line have each of them on a separate line.
pub fn print_texels(image: &Image) -> String {
    let mut text = String::new();
    for y in 0..image.height {
        if image.height > 1 {
            text.push_str("\n ");
        }
        for x in 0..image.width {
            let values = image.format.decode(image.texel(x, y));
            let components = image.format.channels.len().min(4);
            let texel = print_pixel(&values[..components], &image.format);
            text.push_str(&format!(" ({texel})"));
        }
    }
    text
}

/// Formats the values of a pixel, separated by spaces: of float formats with the digits that
/// distinguish 32-bit floats, of others rounded to six decimals.
pub fn print_pixel(values: &[f64], format: &Format) -> String {
    let texts: Vec<String> = if format.encoding.is_float() {
        // Enough digits to distinguish all 32-bit floats.
        values
            .iter()
            .map(|value| format!("{:?}", *value as f32))
            .collect()
    } else {
        // Six digits distinguish all 16-bit channels, and more would only show the noise of the
        // conversion.
        values
            .iter()
            .map(|value| ((value * 1e6).round() / 1e6).to_string())
            .collect()
    };
    texts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Tolerances = [Tolerance::Absolute(0.0); 4];

    fn image() -> Image {
        let mut data = vec![255; 4 * 4 * 2];
        data[4..8].copy_from_slice(&[0, 255, 204, 0]);
        data[8..12].copy_from_slice(&[255, 255, 204, 255]);
        Image {
            width: 4,
            height: 2,
            format: Format::parse("R8G8B8A8_UNORM").unwrap(),
            is_color: true,
            data,
        }
    }

    fn region(x: u32, y: u32, width: u32, height: u32) -> Region {
        Region {
            x,
            y,
            width,
            height,
        }
    }

    fn probe(region: Region, values: [f64; 4], components: usize) -> PixelProbe {
        PixelProbe {
            surface: Surface::from_plane(FramebufferPlane::Color(0)),
            region,
            expected: Expected { values, components },
            tolerances: [Tolerance::default(); 4],
        }
    }

    #[test]
    fn texels_are_printed_row_by_row() {
        let picture = Image {
            width: 2,
            height: 2,
            format: Format::parse("R8G8_UINT").unwrap(),
            is_color: true,
            data: vec![1, 2, 3, 4, 5, 6, 7, 8],
        };
        assert_eq!(print_texels(&picture), "\n  (1 2) (3 4)\n  (5 6) (7 8)");
    }

    #[test]
    fn pixels_outside_the_tolerance_are_counted() {
        assert_eq!(
            probe(region(0, 1, 4, 1), [1.0; 4], 4).check(&image()),
            Ok(())
        );
        let message = probe(region(0, 0, 4, 2), [1.0; 4], 4)
            .check(&image())
            .unwrap_err();
        assert_eq!(
            message,
            "pixel (1, 0) differs, and 2 of 8 pixels do\n  expected: 1 1 1 1\n  observed: 0 1 0.8 0\n  \
             tolerance: 0.01 0.01 0.01 0.01\n  largest difference: 1 at (1, 0)"
        );
    }

    #[test]
    fn the_largest_difference_need_not_be_the_first() {
        let expected = [0.0, 1.0, 0.8 + 0.125, 0.0];
        let message = probe(region(1, 0, 3, 1), expected, 3)
            .check(&image())
            .unwrap_err();
        assert!(message.contains("pixel (1, 0) differs, and 3 of 3"));
        assert!(
            message.ends_with("largest difference: 1 at (2, 0)"),
            "{message}"
        );
    }

    #[test]
    fn alpha_can_be_left_out() {
        let cyan = [0.0, 1.0, 0.8, 1.0];
        assert_eq!(probe(region(1, 0, 1, 1), cyan, 3).check(&image()), Ok(()));
        assert!(
            probe(region(1, 0, 1, 1), cyan, 4)
                .check(&image())
                .unwrap_err()
                .contains("0.8")
        );
    }

    #[test]
    fn decimal_numbers_mean_the_nearest_float() {
        let image = Image {
            width: 1,
            height: 1,
            format: Format::parse("R32_SFLOAT").unwrap(),
            is_color: true,
            data: 0.1f32.to_le_bytes().to_vec(),
        };
        let expect = |red| PixelProbe {
            tolerances: EXACT,
            ..probe(region(0, 0, 1, 1), [red, 0.0, 0.0, 1.0], 4)
        };
        assert_eq!(expect(0.1).check(&image), Ok(()));
        let message = expect(0.1000001).check(&image).unwrap_err();
        assert!(
            message.contains("expected: 0.1000001 0.0 0.0 1.0\n  observed: 0.1 0.0 0.0 1.0\n"),
            "{message}"
        );
    }

    #[test]
    fn integers_are_exact_whatever_the_tolerance() {
        let image = Image {
            width: 1,
            height: 1,
            format: Format::parse("R32_UINT").unwrap(),
            is_color: true,
            data: u32::MAX.to_le_bytes().to_vec(),
        };
        let expect = |red: u32| PixelProbe {
            tolerances: [Tolerance::Percent(50.0); 4],
            ..probe(region(0, 0, 1, 1), [f64::from(red), 0.0, 0.0, 1.0], 4)
        };
        assert_eq!(expect(u32::MAX).check(&image), Ok(()));
        let message = expect(u32::MAX - 1).check(&image).unwrap_err();
        assert!(
            message.ends_with(
                "expected: 4294967294 0 0 1\n  observed: 4294967295 0 0 1\n  largest difference: 1 at (0, 0)"
            ),
            "{message}"
        );
    }

    #[test]
    fn messages_name_the_place() {
        let mut probe = probe(region(0, 0, 4, 2), [0.5, 0.0, 0.0, 0.0], 1);
        probe.surface = Surface {
            plane: FramebufferPlane::Color(2),
            layer: 3,
            sample: Some(1),
        };
        let message = probe.check(&image()).unwrap_err();
        assert!(
            message.starts_with("pixel (0, 0) of attachment 2, layer 3, sample 1 differs, and 8 of 8 pixels do\n  expected: 0.5\n"),
            "{message}"
        );
        probe.surface = Surface::from_plane(FramebufferPlane::Depth);
        let message = probe.check(&image()).unwrap_err();
        assert!(
            message.starts_with("pixel (0, 0) of the depth buffer differs"),
            "{message}"
        );
    }

    #[test]
    fn not_a_number_has_no_distance() {
        let image = Image {
            width: 2,
            height: 1,
            format: Format::parse("R32_SFLOAT").unwrap(),
            is_color: true,
            data: [f32::NAN, 2.0]
                .iter()
                .flat_map(|x| x.to_le_bytes())
                .collect(),
        };
        let message = probe(region(0, 0, 2, 1), [0.5; 4], 1)
            .check(&image)
            .unwrap_err();
        assert!(
            message.contains("observed: NaN\n")
                && message.ends_with("largest difference: 1.5 at (1, 0)"),
            "{message}"
        );
    }

    #[test]
    fn regions_outside_the_image_fail() {
        for outside in [region(3, 0, 2, 1), region(u32::MAX, 0, 2, 1)] {
            let message = probe(outside, [1.0; 4], 4).check(&image()).unwrap_err();
            assert!(
                message.ends_with("is not within the 4 x 2 framebuffer"),
                "{message}"
            );
        }
    }
}
