//! Comparison of typed values in buffers.

use super::tolerance::{Comparison, Tolerance, Tolerances};
use crate::data::{Literal, Scalar, TypedData, Written};

/// Maximum number of differing values that a message lists.
const MAX_LISTED: usize = 8;

/// Value that is not as expected.
struct Mismatch {
    index: usize,
    at: u64,
    observed: u64,
    expected: Literal,
    tolerance: Tolerance,
}

/// Compares buffer contents with expected values. The message lists the first values that differ
/// and states their total number; `name` is the name of the buffer in messages.
pub fn check_values(
    name: &str,
    bytes: &[u8],
    expected: &TypedData,
    comparison: Comparison,
    tolerances: &Tolerances,
) -> Result<(), String> {
    if expected.end() > bytes.len() as u64 {
        return Err(format!(
            "{name} has {} bytes, but the values reach to byte {}",
            bytes.len(),
            expected.end()
        ));
    }
    let scalar = expected.ty.scalar;
    let rows = usize::from(expected.ty.rows);
    let mut listed = Vec::new();
    let mut differing = 0usize;
    for (index, (at, literal)) in expected.iter().enumerate() {
        let observed = scalar.read(&bytes[at as usize..]);
        let tolerance = tolerances[index % rows];
        if comparison.holds(scalar, observed, literal, tolerance) {
            continue;
        }
        differing += 1;
        if listed.len() < MAX_LISTED {
            listed.push(Mismatch {
                index,
                at,
                observed,
                expected: literal,
                tolerance,
            });
        }
    }
    if differing == 0 {
        return Ok(());
    }
    let mut message = format!(
        "{differing} of {} values of {name} differ",
        expected.count()
    );
    for mismatch in &listed {
        message.push_str(&describe(expected, comparison, mismatch));
    }
    if differing > listed.len() {
        message.push_str(&format!("\n  and {} more", differing - listed.len()));
    }
    Err(message)
}

fn describe(data: &TypedData, comparison: Comparison, mismatch: &Mismatch) -> String {
    let components = data.ty.components();
    let scalar = data.ty.scalar;
    let Mismatch {
        index,
        at,
        observed,
        expected,
        tolerance,
    } = mismatch;
    let place = data.ty.component_name(index % components);
    let in_bits = expected.written == Written::Bits;
    let mut text = format!(
        "\n  byte {at}, element {}{place}: expected {} {}, observed {}",
        index / components,
        comparison.sign(),
        print(scalar, expected.bits, in_bits),
        print(scalar, *observed, in_bits),
    );
    if let Some(distance) = scalar.distance(*observed, expected.bits)
        && scalar.is_float()
    {
        text.push_str(&format!(", {distance} ulp away"));
    }
    if comparison == Comparison::Near {
        text.push_str(&format!(", tolerance {tolerance}"));
    }
    text
}

/// Formats a number, with its bits if they are compared, or distinguish it better.
fn print(scalar: Scalar, bits: u64, in_bits: bool) -> String {
    let text = scalar.print(bits);
    let telling = in_bits || (!scalar.is_float() && bits > 9);
    if telling && !text.ends_with(')') {
        format!("{text} ({})", scalar.print_hex(bits))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DataLayout, DataType};

    const EXACT: Tolerance = Tolerance::Absolute(0.0);

    fn data(ty: &str, offset: u64, values: &[&str], times: usize) -> TypedData {
        let ty = DataType::parse(ty).unwrap();
        let literal = |text: &&str| Literal::parse(ty.scalar, text).unwrap();
        TypedData {
            ty,
            layout: DataLayout::STD430,
            offset,
            literals: values.iter().map(literal).collect(),
            times,
        }
    }

    fn bytes<const N: usize>(values: impl IntoIterator<Item = [u8; N]>) -> Vec<u8> {
        values.into_iter().flatten().collect()
    }

    #[test]
    fn messages_list_place_expected_and_observed() {
        let expected = data("uint", 4, &["2", "30"], 1);
        let bytes = bytes([1u32, 2, 31].map(u32::to_le_bytes));
        let check = |bytes: &[u8], comparison| {
            check_values("buffer out", bytes, &expected, comparison, &[EXACT; 4])
        };
        assert_eq!(
            check(&bytes, Comparison::Equal).unwrap_err(),
            "1 of 2 values of buffer out differ\n  \
             byte 8, element 1: expected == 30 (0x0000001e), observed 31 (0x0000001f)"
        );
        assert_eq!(check(&bytes, Comparison::GreaterEqual), Ok(()));
        assert_eq!(
            check(&bytes[..8], Comparison::Equal).unwrap_err(),
            "buffer out has 8 bytes, but the values reach to byte 12"
        );
    }

    #[test]
    fn floats_say_how_many_ulp_they_are_away() {
        let near_one = f32::from_bits(1f32.to_bits() + 3);
        let bytes = bytes([1.0, near_one, f32::NAN].map(f32::to_le_bytes));
        let tolerances = [Tolerance::Ulps(2.0); 4];
        let expected = data("vec3", 0, &["1", "1", "0x3f800000"], 1);
        let near = check_values("ssbo 0:3", &bytes, &expected, Comparison::Near, &tolerances);
        assert_eq!(
            near.unwrap_err(),
            "2 of 3 values of ssbo 0:3 differ\n  \
             byte 4, element 0.y: expected ~= 1, observed 1.0000004, 3 ulp away, tolerance 2ulp\n  \
             byte 8, element 0.z: expected ~= 1 (0x3f800000), observed NaN (0x7fc00000), tolerance 2ulp"
        );
    }

    #[test]
    fn tolerances_count_by_row() {
        let bytes = bytes([1.25, 1.25, 1.25, 1.25].map(f32::to_le_bytes));
        let mut tolerances = [Tolerance::Absolute(0.5); 4];
        tolerances[1] = EXACT;
        let expected = data("mat2", 0, &["1"; 4], 1);
        let message =
            check_values("b", &bytes, &expected, Comparison::Near, &tolerances).unwrap_err();
        assert!(
            message.starts_with("2 of 4 values of b differ\n"),
            "{message}"
        );
        assert!(
            message.contains("byte 12, element 0[1][1]: expected ~= 1,"),
            "{message}"
        );
    }

    #[test]
    fn long_lists_are_abbreviated() {
        let bytes = vec![1; 1000];
        let expected = data("uint8_t", 0, &["1", "0"], 500);
        let message =
            check_values("b", &bytes, &expected, Comparison::Equal, &[EXACT; 4]).unwrap_err();
        assert!(message.starts_with("500 of 1000 values of b differ\n  byte 1, element 1:"));
        assert_eq!(message.lines().count(), 10);
        assert!(message.ends_with("\n  and 492 more"), "{message}");
    }
}
