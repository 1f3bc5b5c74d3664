//! Comparison of observed with expected values.
//!
//! Two NaNs count as equal, and so do infinities of one sign: programs produce them on purpose. A tolerance applies to
//! pixels and to `~=`; the other comparisons are exact.

use crate::data::{TypedData, Value};
use crate::format::{Encoding, Format};
use crate::image::Image;

/// How far an observed value may be off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Tolerance {
    Absolute(f64),
    /// Percent of the expected value.
    Percent(f64),
}

impl Default for Tolerance {
    fn default() -> Self {
        Self::Absolute(0.01)
    }
}

impl Tolerance {
    /// Reads `0.01` or `0.5%`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (number, make): (&str, fn(f64) -> Self) = match text.strip_suffix('%') {
            Some(number) => (number, Self::Percent),
            None => (text, Self::Absolute),
        };
        number.parse().ok().filter(|value| *value >= 0.0).map(make)
    }

    /// Whether the observed value is near enough.
    pub(crate) fn accepts(self, observed: f64, expected: f64) -> bool {
        if observed == expected || (observed.is_nan() && expected.is_nan()) {
            return true;
        }
        let allowed = match self {
            Self::Absolute(allowed) => allowed,
            Self::Percent(percent) => expected.abs() * percent / 100.0,
        };
        expected.is_finite() && (observed - expected).abs() <= allowed
    }
}

impl std::fmt::Display for Tolerance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Absolute(value) => write!(f, "{value}"),
            Self::Percent(value) => write!(f, "{value}%"),
        }
    }
}

/// Tolerances of the four components.
pub(crate) type Tolerances = [Tolerance; 4];

/// How an observed value must relate to the expected one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Near,
}

const COMPARISONS: &[(&str, Comparison)] = &[
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<", Comparison::Less),
    ("<=", Comparison::LessEqual),
    (">", Comparison::Greater),
    (">=", Comparison::GreaterEqual),
    ("~=", Comparison::Near),
];

impl Comparison {
    /// The comparison of that sign.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        COMPARISONS
            .iter()
            .find(|(sign, _)| *sign == text)
            .map(|(_, comparison)| *comparison)
    }

    fn sign(self) -> &'static str {
        COMPARISONS[self as usize].0
    }

    /// Whether the comparison holds.
    pub(crate) fn holds(self, observed: Value, expected: Value, tolerance: Tolerance) -> bool {
        let (a, b) = match (observed, expected) {
            (Value::Int(a), Value::Int(b)) => return self.holds_for_integers(a, b, tolerance),
            (a, b) => (to_f64(a), to_f64(b)),
        };
        let equal = a == b || (a.is_nan() && b.is_nan());
        match self {
            Self::Equal => equal,
            Self::NotEqual => !equal,
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterEqual => a >= b,
            Self::Near => tolerance.accepts(a, b),
        }
    }

    fn holds_for_integers(self, a: i128, b: i128, tolerance: Tolerance) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterEqual => a >= b,
            Self::Near => a == b || tolerance.accepts(a as f64, b as f64),
        }
    }
}

fn to_f64(value: Value) -> f64 {
    match value {
        Value::Int(value) => value as f64,
        Value::Float(value) => value,
    }
}

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

/// Compares buffer contents with expected values. The message lists the first value that differs and how many do.
pub(crate) fn check_values(
    bytes: &[u8],
    expected: &TypedData,
    comparison: Comparison,
    tolerances: &Tolerances,
) -> Result<(), String> {
    if expected.end() > bytes.len() as u64 {
        return Err(format!(
            "byte {} is past the end of the buffer ({} bytes)",
            expected.end(),
            bytes.len()
        ));
    }
    let scalar = expected.ty.scalar;
    let rows = usize::from(expected.ty.rows);
    let mut failures = Vec::new();
    let count = expected.bits.len();
    for (index, (at, wanted)) in expected.offsets().zip(expected.values()).enumerate() {
        let observed = scalar.value(scalar.read(&bytes[at as usize..]));
        let tolerance = tolerances[index % rows];
        if !comparison.holds(observed, wanted, tolerance) {
            failures.push((index, at, observed, wanted, tolerance));
        }
    }
    let Some((index, at, observed, wanted, tolerance)) = failures.first() else {
        return Ok(());
    };
    let mut message = format!(
        "value {index} at byte {at} differs, and {} of {count} values do\n  expected: {} {wanted}\n  observed: {observed}",
        failures.len(),
        comparison.sign(),
    );
    if comparison == Comparison::Near {
        message.push_str(&format!("\n  tolerance: {tolerance}"));
    }
    if !expected.is_float()
        && matches!((observed, wanted), (Value::Int(a), Value::Int(b)) if *a > 9 || *b > 9)
    {
        message.push_str(&format!(
            "\n  in hexadecimal: expected {}, observed {}",
            print_hex(*wanted),
            print_hex(*observed)
        ));
    }
    Err(message)
}

fn print_hex(value: Value) -> String {
    match value {
        Value::Int(value) if value < 0 => format!("-{:#x}", value.unsigned_abs()),
        Value::Int(value) => format!("{value:#x}"),
        Value::Float(value) => format!("{:#x}", value.to_bits()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DataLayout, DataType};

    const EXACT: Tolerance = Tolerance::Absolute(0.0);

    #[test]
    fn not_a_number_and_infinities_equal_themselves() {
        let tolerance = Tolerance::default();
        assert!(tolerance.accepts(f64::NAN, f64::NAN));
        assert!(!tolerance.accepts(f64::NAN, 0.0));
        assert!(!tolerance.accepts(0.0, f64::NAN));
        assert!(tolerance.accepts(f64::INFINITY, f64::INFINITY));
        assert!(!tolerance.accepts(f64::NEG_INFINITY, f64::INFINITY));
        assert!(!tolerance.accepts(1e30, f64::INFINITY));
        assert!(!Tolerance::Percent(10.0).accepts(1.0, f64::INFINITY));
    }

    #[test]
    fn percentages_follow_the_expected_value() {
        let tolerance = Tolerance::parse("1%").unwrap();
        assert!(tolerance.accepts(-99.5, -100.0));
        assert!(!tolerance.accepts(98.5, 100.0));
        assert!(!tolerance.accepts(1e-9, 0.0));
    }

    #[test]
    fn tolerances_are_not_negative() {
        assert_eq!(Tolerance::parse("0.25"), Some(Tolerance::Absolute(0.25)));
        assert_eq!(Tolerance::parse("-1"), None);
        assert_eq!(Tolerance::parse("nan"), None);
        assert_eq!(Tolerance::parse("%"), None);
    }

    #[test]
    fn comparisons_of_floats() {
        let nan = Value::Float(f64::NAN);
        let one = Value::Float(1.0);
        assert!(Comparison::Equal.holds(nan, nan, EXACT));
        assert!(!Comparison::NotEqual.holds(nan, nan, EXACT));
        assert!(Comparison::NotEqual.holds(nan, one, EXACT));
        for ordered in [
            Comparison::Less,
            Comparison::LessEqual,
            Comparison::Greater,
            Comparison::GreaterEqual,
        ] {
            assert!(!ordered.holds(nan, one, EXACT), "{ordered:?}");
        }
        assert!(Comparison::Equal.holds(Value::Float(-0.0), Value::Float(0.0), EXACT));
        assert!(Comparison::Near.holds(Value::Float(1.005), one, Tolerance::default()));
        assert!(!Comparison::Near.holds(Value::Float(1.02), one, Tolerance::default()));
    }

    #[test]
    fn comparisons_of_wide_integers_are_exact() {
        let (big, bigger) = (
            Value::Int(i128::from(u64::MAX) - 1),
            Value::Int(i128::from(u64::MAX)),
        );
        assert!(!Comparison::Equal.holds(big, bigger, EXACT));
        assert!(Comparison::Less.holds(big, bigger, EXACT));
        assert!(Comparison::GreaterEqual.holds(bigger, bigger, EXACT));
        assert!(Comparison::Near.holds(Value::Int(99), Value::Int(100), Tolerance::Percent(1.0)));
    }

    #[test]
    fn signs_and_comparisons_agree() {
        for (sign, comparison) in COMPARISONS {
            assert_eq!(comparison.sign(), *sign);
        }
    }

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

    #[test]
    fn buffers_are_compared_value_by_value() {
        let expected = TypedData {
            ty: DataType::parse("uint").unwrap(),
            layout: DataLayout::STD430,
            offset: 4,
            bits: vec![2, 30],
        };
        let bytes: Vec<u8> = [1u32, 2, 31]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let message = check_values(&bytes, &expected, Comparison::Equal, &[EXACT; 4]).unwrap_err();
        assert!(
            message.starts_with("value 1 at byte 8 differs, and 1 of 2 values do\n"),
            "{message}"
        );
        assert!(
            message.contains("expected 0x1e, observed 0x1f"),
            "{message}"
        );
        assert_eq!(
            check_values(&bytes, &expected, Comparison::GreaterEqual, &[EXACT; 4]),
            Ok(())
        );
        assert!(check_values(&bytes[..8], &expected, Comparison::Equal, &[EXACT; 4]).is_err());
    }
}
