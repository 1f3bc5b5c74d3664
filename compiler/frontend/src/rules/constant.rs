//! Constants. NV_gpu_program4 section 2.X.3.3, constant bindings.

use super::Checker;
use crate::codes::Code;
use crate::statement::Literal;
use glasm_ir::Width;
use glasm_ir::types::{Base, Type};

impl Checker<'_> {
    /// Bits of a scalar constant in a declaration: the value in every lane; a float unless the declaration is of integer type.
    pub(super) fn scalar_constant(&mut self, literal: u32, base: Option<Base>) -> Option<[u32; 4]> {
        let ty = Type::of(base.unwrap_or(Base::Float), Width::W32);
        let literal = self.syntax.reading.literals[literal as usize];
        Some([self.literal(literal, ty)? as u32; 4])
    }

    /// Bits of a constant in braces; missing lanes are 0, 0, 1.
    pub(super) fn vector_constant(
        &mut self,
        first: u32,
        count: u8,
        base: Option<Base>,
    ) -> Option<[u32; 4]> {
        let ty = Type::of(base.unwrap_or(Base::Float), Width::W32);
        let mut bits = default_constant(ty);
        for lane in 0..count {
            let literal = self.syntax.reading.literals[(first + u32::from(lane)) as usize];
            bits[lane as usize] = self.literal(literal, ty)?;
        }
        Some(bits.map(|bits| bits as u32))
    }

    /// Bits of a literal in type `ty`; reports literals that do not fit.
    pub(super) fn literal(&mut self, literal: Literal, ty: Type) -> Option<u64> {
        match literal_bits(self.syntax.reading.text, literal, ty) {
            Ok(bits) => Some(bits),
            Err(code) => {
                let text = self.source_text(literal.span);
                let sign = if literal.negative { "-" } else { "" };
                let message = format!("`{sign}{text}` cannot be a value of type {}", ty.name());
                self.error(code, literal.span, message);
                None
            }
        }
    }
}

/// The vector (0, 0, 0, 1) in a type: what missing components of a constant are.
pub(crate) fn default_constant(ty: Type) -> [u64; 4] {
    let one = match ty {
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
    [0, 0, 0, one]
}

/// Bits of a literal in type `ty`. NV_gpu_program4 section 2.X.3.3, constant bindings.
pub(crate) fn literal_bits(text: &[u8], literal: Literal, ty: Type) -> Result<u64, Code> {
    let digits = || std::str::from_utf8(&text[literal.span.range()]).unwrap_or("");
    if ty.is_float() {
        // Decimal digits are read at the width of the type, so that the value is rounded once.
        let hex = digits().starts_with("0x");
        return Ok(match (ty, literal.int) {
            (Type::F64, Some(value)) if hex => signed(value as f64, literal.negative).to_bits(),
            (_, Some(value)) if hex => {
                u64::from((signed(value as f64, literal.negative) as f32).to_bits())
            }
            (Type::F64, _) => signed(digits().parse().unwrap_or(0.0), literal.negative).to_bits(),
            _ => {
                let value: f32 = digits().parse().unwrap_or(0.0);
                u64::from((if literal.negative { -value } else { value }).to_bits())
            }
        });
    }
    let Some(value) = literal.int else {
        return Err(Code::FloatAsInteger);
    };
    if literal.overflow {
        return Err(Code::LiteralTooLarge);
    }
    let bits = ty.width().bits();
    let limit = if bits == 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    };
    if literal.negative {
        if ty.base() == Base::Unsigned && value != 0 {
            return Err(Code::NegativeUnsigned);
        }
        // The least number of two's complement has a magnitude one above that of the greatest.
        return if value > limit / 2 + 1 {
            Err(Code::LiteralTooLarge)
        } else {
            Ok(value.wrapping_neg() & limit)
        };
    }
    // Bit patterns with the top bit set are written for signed operands as well.
    if value > limit {
        Err(Code::LiteralTooLarge)
    } else {
        Ok(value)
    }
}

fn signed(value: f64, negative: bool) -> f64 {
    if negative { -value } else { value }
}
