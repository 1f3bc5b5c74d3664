//! Constants. NV_gpu_program4 section 2.X.3.3, constant bindings.

use crate::ast::{self, Literal};
use crate::check::context::RuleCx;
use crate::codes::Code;
use glasm_ir::Width;
use glasm_ir::types::{BaseType, Type};

impl RuleCx<'_> {
    /// Returns the bits of a scalar constant in a declaration: the value in every lane; a float
    /// unless the declaration has an integer type. `None` after reporting a number that does not
    /// fit.
    pub(crate) fn read_scalar_constant(
        &mut self,
        literal: u32,
        base: Option<BaseType>,
    ) -> Option<[u32; 4]> {
        // "If no data type modifier is specified in a declaration, constants are interpreted as
        // floating-point values." Parameters have 32 bits: LONG is for temporaries and attributes.
        let ty = Type::from_base(base.unwrap_or(BaseType::Float), Width::W32);
        let literal = self.ast.literals[literal as usize];
        Some([self.read_literal(literal, ty)? as u32; 4])
    }

    /// Returns the bits of a constant of `count` numbers in braces, in the declared type as
    /// [`read_scalar_constant`](Self::read_scalar_constant) does; missing lanes are 0, 0, 1. `None`
    /// after reporting a number that does not fit.
    pub(crate) fn read_vector_constant(
        &mut self,
        first: u32,
        count: u8,
        base: Option<BaseType>,
    ) -> Option<[u32; 4]> {
        let ty = Type::from_base(base.unwrap_or(BaseType::Float), Width::W32);
        let mut bits = default_constant(ty);
        for lane in 0..count {
            let literal = self.ast.literals[(first + u32::from(lane)) as usize];
            bits[lane as usize] = self.read_literal(literal, ty)?;
        }
        Some(bits.map(|bits| bits as u32))
    }

    /// Returns the bits of a literal in type `ty`; `None` after reporting one that the type cannot
    /// represent.
    pub(crate) fn read_literal(&mut self, literal: Literal, ty: Type) -> Option<u64> {
        match encode_literal(self.ast.text, literal, ty) {
            Ok(bits) => Some(bits),
            Err(code) => {
                let text = self.source_string(literal.span);
                let sign = if literal.negative { "-" } else { "" };
                let message = format!("`{sign}{text}` cannot be a value of type {}", ty.name());
                self.report_error(code, literal.span, message);
                None
            }
        }
    }
}

/// Returns the bits of the vector (0, 0, 0, 1) in a type: the defaults of missing components of a
/// constant.
pub(crate) fn default_constant(ty: Type) -> [u64; 4] {
    let one_bits = match ty {
        Type::F32 => u64::from(1f32.to_bits()),
        Type::F64 => 1f64.to_bits(),
        Type::F16
        | Type::U8
        | Type::S8
        | Type::U16
        | Type::S16
        | Type::U32
        | Type::S32
        | Type::U64
        | Type::S64 => 1,
    };
    [0, 0, 0, one_bits]
}

/// Returns the bits of a literal in type `ty`. Fails, with the code of the error, for integer types
/// that cannot represent it; floats never do. NV_gpu_program4 section 2.X.3.3, constant bindings.
pub(crate) fn encode_literal(text: &[u8], literal: Literal, ty: Type) -> Result<u64, Code> {
    if ty.is_float() {
        return Ok(encode_float(&text[literal.span.range()], literal, ty));
    }
    // A number with a point or an exponent.
    let Some(value) = literal.int else {
        return Err(Code::FloatAsInteger);
    };
    if literal.overflow {
        Err(Code::LiteralTooLarge)
    } else {
        encode_integer(value, literal.negative, ty)
    }
}

/// Returns the bits of a float constant as written in the source, rounded once to the width of the
/// type: 64 bits for `F64`, else 32.
fn encode_float(written: &[u8], literal: Literal, ty: Type) -> u64 {
    // At 64 bits the quotient of `f32` values would be rounded too early.
    if let Some(value) = parse_short_decimal(written).filter(|_| ty != Type::F64) {
        let value = if literal.negative { -value } else { value };
        return u64::from(value.to_bits());
    }
    encode_long_float(written, literal, ty)
}

/// Returns the bits of a float constant that is hexadecimal, long or of 64 bits: the general case
/// of [`encode_float`].
fn encode_long_float(written: &[u8], literal: Literal, ty: Type) -> u64 {
    let digits = std::str::from_utf8(written).unwrap_or("");
    // Rust's parser of floats takes no hexadecimal digits; the lexer has read them as an integer.
    let hex = literal.int.filter(|_| digits.starts_with("0x"));
    let hex = hex.map(|value| value as f64);
    // Decimal digits are read at the width of the type, so that the value is rounded once.
    if ty == Type::F64 {
        let value = hex.unwrap_or_else(|| digits.parse().unwrap_or(0.0));
        return negate_if(value, literal.negative).to_bits();
    }
    let value = hex.map_or_else(|| digits.parse().unwrap_or(0.0), |value| value as f32);
    u64::from(if literal.negative { -value } else { value }.to_bits())
}

/// Returns the bits of an integer constant in a type. Returns an error code if the type cannot
/// represent the value or is unsigned and the value negative.
fn encode_integer(value: u64, negative: bool, ty: Type) -> Result<u64, Code> {
    let limit = u64::MAX >> (64 - ty.width().bits());
    // -0 is not a negative value.
    if negative && ty.base() == BaseType::UnsignedInt && value != 0 {
        return Err(Code::NegativeUnsigned);
    }
    // The least number of two's complement has a magnitude one above that of the greatest.
    // Bit patterns with the top bit set are written for signed operands as well.
    let largest = if negative { limit / 2 + 1 } else { limit };
    match (value > largest, negative) {
        (true, _) => Err(Code::LiteralTooLarge),
        (false, true) => Ok(value.wrapping_neg() & limit),
        (false, false) => Ok(value),
    }
}

/// Returns the bits of the vector of floats that a literal is: a number fills all lanes, missing
/// lanes of braces are 0, 0, 1. `None` if the operand is not a literal. Literals that cannot be
/// encoded are 0.
pub(crate) fn encode_float_constant(
    text: &[u8],
    literals: &[Literal],
    base: ast::OperandBase,
) -> Option<[u32; 4]> {
    use ast::OperandBase;
    let bits = |literal: u32| {
        let literal = literals[literal as usize];
        // Literals of instructions may be intended as integers; as floats they are distinguished
        // nevertheless.
        encode_literal(text, literal, Type::F32).unwrap_or(0) as u32
    };
    match base {
        OperandBase::Scalar(literal) => Some([bits(literal); 4]),
        OperandBase::Vector { first, count } => {
            let mut lanes = default_constant(Type::F32).map(|bits| bits as u32);
            for (lane, literal) in lanes.iter_mut().zip(first..first + u32::from(count)) {
                *lane = bits(literal);
            }
            Some(lanes)
        }
        OperandBase::Name(_) | OperandBase::Path(_) | OperandBase::Var(_) => None,
    }
}

/// Returns the value of a decimal number without sign and exponent, of at most eight characters and
/// below 2^24 without its point; `None` for all others.
fn parse_short_decimal(text: &[u8]) -> Option<f32> {
    /// Powers of ten, which are floats exactly, by the number of digits after the point.
    const SCALES: [f32; 8] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];
    // Seven digits and a point: the digits are an integer below 2^24, and the quotient of two exact
    // floats is the nearest one.
    if text.len() > 8 {
        return None;
    }
    let (mut digits, mut behind_point) = (0u32, None);
    for &byte in text {
        match (byte, behind_point) {
            (b'0'..=b'9', _) => {
                digits = digits * 10 + u32::from(byte - b'0');
                behind_point = behind_point.map(|count| count + 1);
            }
            (b'.', None) => behind_point = Some(0),
            _ => return None,
        }
    }
    let scale = SCALES.get(behind_point.unwrap_or(0))?;
    // Eight digits without a point may exceed the integers that an `f32` holds exactly.
    (digits < 1 << 24).then(|| digits as f32 / scale)
}

/// Returns `-value` if `negative` is true, and `value` otherwise.
fn negate_if(value: f64, negative: bool) -> f64 {
    if negative { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_decimals_are_the_nearest_floats() {
        for number in (0..10_000_000u32).step_by(997) {
            let digits = format!("{number:07}");
            for point in 0..=7 {
                let text = format!("{}.{}", &digits[..point], &digits[point..]);
                assert_eq!(
                    parse_short_decimal(text.as_bytes()),
                    text.parse().ok(),
                    "{text}"
                );
            }
        }
        assert_eq!(parse_short_decimal(b"16777215"), Some(16_777_215.0));
    }

    #[test]
    fn other_numbers_are_no_short_decimals() {
        for text in ["16777216", "0.12345678", "1e5", "0x1F", "1..2"] {
            assert_eq!(parse_short_decimal(text.as_bytes()), None, "{text}");
        }
    }
}
