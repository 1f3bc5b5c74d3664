//! Comparison of typed values in buffers.

use super::tolerance::{Comparison, Tolerances};
use crate::data::{TypedData, Value};

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
    use crate::probe::Tolerance;

    const EXACT: Tolerance = Tolerance::Absolute(0.0);

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
