//! Comparison of pixels with expected colors.

use super::tolerance::Tolerances;
use crate::format::{Encoding, Format};
use crate::image::Image;

/// A rectangle of pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Region {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// A color that pixels must have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ExpectedColor {
    pub(crate) color: [f64; 4],
    /// 3 leaves alpha out.
    pub(crate) components: usize,
}

/// Compares all pixels of a region. The message names the first pixel that differs and how many do.
pub(crate) fn check_pixels(
    image: &Image,
    region: Region,
    expected: ExpectedColor,
    tolerances: &Tolerances,
) -> Result<(), String> {
    check_region(image, region)?;
    let expected = expected.rounded_to(&image.format);
    let mut differing = 0u64;
    let mut first = None;
    let mut last: Option<(&[u8], bool)> = None;
    for y in region.y..region.y + region.height {
        for x in region.x..region.x + region.width {
            let texel = image.texel(x, y);
            // Neighbors are mostly alike, so the verdict on the texel before is kept.
            let accepted = match last {
                Some((same, accepted)) if same == texel => accepted,
                _ => color_accepted(image.format.decode(texel), expected, tolerances),
            };
            last = Some((texel, accepted));
            if !accepted {
                differing += 1;
                first.get_or_insert((x, y, image.format.decode(texel)));
            }
        }
    }
    let Some((x, y, observed)) = first else {
        return Ok(());
    };
    let pixels = u64::from(region.width) * u64::from(region.height);
    let print = |color: [f64; 4]| print_color(color, expected.components, &image.format);
    Err(format!(
        "pixel ({x}, {y}) differs, and {differing} of {pixels} pixels do\n  expected: {}\n  observed: {}\n  tolerance: {}",
        print(expected.color),
        print(observed),
        print_list(&tolerances[..expected.components]),
    ))
}

fn check_region(image: &Image, region: Region) -> Result<(), String> {
    let inside =
        |start: u32, size: u32, limit: u32| start.checked_add(size).is_some_and(|end| end <= limit);
    let Region {
        x,
        y,
        width,
        height,
    } = region;
    if inside(x, width, image.width) && inside(y, height, image.height) {
        return Ok(());
    }
    let size = format!("{} x {}", image.width, image.height);
    Err(format!(
        "({x}, {y}, {width}, {height}) is not within the {size} framebuffer"
    ))
}

impl ExpectedColor {
    /// The color in the precision of a float format: 0.1 in a script means the 32-bit float that is nearest.
    fn rounded_to(self, format: &Format) -> Self {
        let color = match format.encoding {
            Encoding::Sfloat => self.color.map(|value| f64::from(value as f32)),
            Encoding::Unorm
            | Encoding::Snorm
            | Encoding::Uscaled
            | Encoding::Sscaled
            | Encoding::Uint
            | Encoding::Sint
            | Encoding::Srgb => self.color,
        };
        Self { color, ..self }
    }
}

fn color_accepted(observed: [f64; 4], expected: ExpectedColor, tolerances: &Tolerances) -> bool {
    let pairs = observed
        .iter()
        .zip(&expected.color)
        .zip(tolerances)
        .take(expected.components);
    pairs
        .into_iter()
        .all(|((observed, expected), tolerance)| tolerance.accepts(*observed, *expected))
}

fn print_color(color: [f64; 4], components: usize, format: &Format) -> String {
    let color = &color[..components];
    if format.encoding == Encoding::Sfloat {
        // As many digits as tell 32-bit floats apart.
        let texts: Vec<String> = color
            .iter()
            .map(|value| format!("{:?}", *value as f32))
            .collect();
        return print_list(&texts);
    }
    // Six digits tell all 16-bit channels apart, and more would only show the noise of the conversion.
    let rounded: Vec<f64> = color
        .iter()
        .map(|value| (value * 1e6).round() / 1e6)
        .collect();
    print_list(&rounded)
}

fn print_list<T: std::fmt::Display>(values: &[T]) -> String {
    values
        .iter()
        .map(T::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::Tolerance;

    const EXACT: Tolerance = Tolerance::Absolute(0.0);

    fn image() -> Image {
        let mut data = vec![255; 4 * 4 * 2];
        data[4..8].copy_from_slice(&[0, 255, 255, 0]);
        Image {
            width: 4,
            height: 2,
            format: Format::parse("R8G8B8A8_UNORM").unwrap(),
            data,
        }
    }

    #[test]
    fn pixels_outside_the_tolerance_are_counted() {
        let white = ExpectedColor {
            color: [1.0; 4],
            components: 4,
        };
        let tolerances = [Tolerance::default(); 4];
        let row = Region {
            x: 0,
            y: 1,
            width: 4,
            height: 1,
        };
        assert_eq!(check_pixels(&image(), row, white, &tolerances), Ok(()));
        let all = Region {
            x: 0,
            y: 0,
            width: 4,
            height: 2,
        };
        let message = check_pixels(&image(), all, white, &tolerances).unwrap_err();
        assert!(
            message.starts_with("pixel (1, 0) differs, and 1 of 8 pixels do\n"),
            "{message}"
        );
        assert!(message.contains("observed: 0 1 1 0\n"), "{message}");
    }

    #[test]
    fn alpha_can_be_left_out() {
        let pixel = Region {
            x: 1,
            y: 0,
            width: 1,
            height: 1,
        };
        let cyan = ExpectedColor {
            color: [0.0, 1.0, 1.0, 1.0],
            components: 3,
        };
        assert_eq!(check_pixels(&image(), pixel, cyan, &[EXACT; 4]), Ok(()));
        assert!(
            check_pixels(
                &image(),
                pixel,
                ExpectedColor {
                    components: 4,
                    ..cyan
                },
                &[EXACT; 4]
            )
            .is_err()
        );
    }

    #[test]
    fn decimal_numbers_mean_the_nearest_float() {
        let format = Format::parse("R32_SFLOAT").unwrap();
        let image = Image {
            width: 1,
            height: 1,
            format,
            data: 0.1f32.to_le_bytes().to_vec(),
        };
        let pixel = Region {
            x: 0,
            y: 0,
            width: 1,
            height: 1,
        };
        let expect = |red| ExpectedColor {
            color: [red, 0.0, 0.0, 1.0],
            components: 4,
        };
        assert_eq!(
            check_pixels(&image, pixel, expect(0.1), &[EXACT; 4]),
            Ok(())
        );
        let message = check_pixels(&image, pixel, expect(0.1000001), &[EXACT; 4]).unwrap_err();
        assert!(
            message.contains("expected: 0.1000001 0.0 0.0 1.0\n  observed: 0.1 0.0 0.0 1.0\n"),
            "{message}"
        );
    }

    #[test]
    fn regions_outside_the_image_fail() {
        let white = ExpectedColor {
            color: [1.0; 4],
            components: 4,
        };
        let outside = Region {
            x: 3,
            y: 0,
            width: 2,
            height: 1,
        };
        assert!(check_pixels(&image(), outside, white, &[EXACT; 4]).is_err());
        let wrapping = Region {
            x: u32::MAX,
            y: 0,
            width: 2,
            height: 1,
        };
        assert!(check_pixels(&image(), wrapping, white, &[EXACT; 4]).is_err());
    }
}
