//! Constant folding: integer operations and float operations whose result is exact by IEEE 754, and identities that hold
//! for every value.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V has hundreds of operations, few of which fold"
)]

use crate::writer::Scalar;
use spirv::Op;

/// What an operation on constants comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Folded {
    /// This constant.
    Constant(u64),
    /// The first operand.
    First,
    /// The second operand.
    Second,
    /// Nothing simpler.
    No,
}

/// `a op b` where the bits of one or both are known.
pub(super) fn binary(op: Op, scalar: Scalar, a: Option<u64>, b: Option<u64>) -> Folded {
    match scalar {
        Scalar::U32 => int(op, 32, a, b),
        Scalar::U64 => int(op, 64, a, b),
        Scalar::F32 => float(op, a.map(|bits| bits as u32), b.map(|bits| bits as u32)),
        Scalar::BoolFloat
        | Scalar::BoolInt
        | Scalar::U8
        | Scalar::U16
        | Scalar::S32
        | Scalar::F64
        | Scalar::Pair => Folded::No,
    }
}

fn int(op: Op, width: u32, a: Option<u64>, b: Option<u64>) -> Folded {
    let mask = u64::MAX >> (64 - width);
    if let (Some(a), Some(b)) = (a, b) {
        let count = (b % u64::from(width)) as u32;
        let value = match op {
            Op::IAdd => a.wrapping_add(b),
            Op::ISub => a.wrapping_sub(b),
            Op::IMul => a.wrapping_mul(b),
            Op::BitwiseAnd => a & b,
            Op::BitwiseOr => a | b,
            Op::BitwiseXor => a ^ b,
            Op::ShiftLeftLogical => a << count,
            Op::ShiftRightLogical => a >> count,
            _ => return Folded::No,
        };
        return Folded::Constant(value & mask);
    }
    match op {
        Op::IAdd | Op::BitwiseOr | Op::BitwiseXor => zero_is_neutral(a, b),
        Op::ISub | Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic
            if b == Some(0) =>
        {
            Folded::First
        }
        Op::IMul if b == Some(1) => Folded::First,
        Op::IMul if a == Some(1) => Folded::Second,
        Op::BitwiseAnd if b == Some(mask) => Folded::First,
        Op::BitwiseAnd if a == Some(mask) => Folded::Second,
        _ => Folded::No,
    }
}

fn zero_is_neutral(a: Option<u64>, b: Option<u64>) -> Folded {
    match (a, b) {
        (_, Some(0)) => Folded::First,
        (Some(0), _) => Folded::Second,
        _ => Folded::No,
    }
}

/// Only results that are normal numbers or zero fold: a device may flush denormals, and NaN has many forms. A number divided by zero is
/// an infinity of the sign of both, which compilers of shading languages get wrong for negative zeros.
fn float(op: Op, a: Option<u32>, b: Option<u32>) -> Folded {
    const NEGATIVE_ZERO: u32 = 0x8000_0000;
    const ONE: u32 = 0x3f80_0000;
    if let (Some(a), Some(b)) = (a.map(f32::from_bits), b.map(f32::from_bits)) {
        let value = match op {
            Op::FAdd => a + b,
            Op::FSub => a - b,
            Op::FMul => a * b,
            Op::FDiv => a / b,
            _ => return Folded::No,
        };
        let plain = |value: f32| value.is_normal() || value == 0.0;
        let is_pole = op == Op::FDiv && b == 0.0 && a != 0.0;
        if plain(a) && plain(b) && (plain(value) || is_pole) {
            return Folded::Constant(u64::from(value.to_bits()));
        }
        return Folded::No;
    }
    match op {
        Op::FMul | Op::FDiv if b == Some(ONE) => Folded::First,
        Op::FMul if a == Some(ONE) => Folded::Second,
        Op::FAdd if b == Some(NEGATIVE_ZERO) => Folded::First,
        Op::FAdd if a == Some(NEGATIVE_ZERO) => Folded::Second,
        Op::FSub if b == Some(0) => Folded::First,
        _ => Folded::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(value: f32) -> Option<u64> {
        Some(u64::from(value.to_bits()))
    }

    #[test]
    fn integers_wrap() {
        let max = Some(0xffff_ffff);
        assert_eq!(
            binary(Op::IAdd, Scalar::U32, max, Some(2)),
            Folded::Constant(1)
        );
        assert_eq!(
            binary(Op::ISub, Scalar::U32, Some(0), Some(1)),
            Folded::Constant(0xffff_ffff)
        );
        assert_eq!(
            binary(Op::IMul, Scalar::U32, Some(0x8000_0001), Some(2)),
            Folded::Constant(2)
        );
        assert_eq!(
            binary(Op::IAdd, Scalar::U64, max, Some(2)),
            Folded::Constant(0x1_0000_0001)
        );
    }

    #[test]
    fn shift_counts_are_taken_modulo_the_width() {
        assert_eq!(
            binary(Op::ShiftLeftLogical, Scalar::U32, Some(1), Some(33)),
            Folded::Constant(2)
        );
        assert_eq!(
            binary(Op::ShiftRightLogical, Scalar::U64, Some(4), Some(65)),
            Folded::Constant(2)
        );
    }

    #[test]
    fn only_exact_float_results_fold() {
        assert_eq!(
            binary(Op::FAdd, Scalar::F32, f(1.5), f(2.0)),
            Folded::Constant(f(3.5).unwrap())
        );
        assert_eq!(
            binary(Op::FDiv, Scalar::F32, f(3.0), f(-2.0)),
            Folded::Constant(f(-1.5).unwrap())
        );
        // Other infinities, denormal and NaN results stay for the device.
        assert_eq!(
            binary(Op::FMul, Scalar::F32, f(1e-30), f(1e-15)),
            Folded::No
        );
        assert_eq!(binary(Op::FMul, Scalar::F32, f(1e30), f(1e30)), Folded::No);
        assert_eq!(
            binary(Op::FSub, Scalar::F32, f(f32::INFINITY), f(f32::INFINITY)),
            Folded::No
        );
    }

    #[test]
    fn numbers_divided_by_zero_have_the_sign_of_both() {
        for (a, b, value) in [
            (1.0, 0.0, f32::INFINITY),
            (1.0, -0.0, f32::NEG_INFINITY),
            (-2.0, -0.0, f32::INFINITY),
        ] {
            assert_eq!(
                binary(Op::FDiv, Scalar::F32, f(a), f(b)),
                Folded::Constant(f(value).unwrap())
            );
        }
        assert_eq!(binary(Op::FDiv, Scalar::F32, f(0.0), f(-0.0)), Folded::No);
        assert_eq!(binary(Op::FDiv, Scalar::F32, f(0.0), None), Folded::No);
    }

    #[test]
    fn identities_hold_for_negative_zero() {
        // x + 0 turns -0 into +0, x + -0 never changes x.
        assert_eq!(binary(Op::FAdd, Scalar::F32, None, f(0.0)), Folded::No);
        assert_eq!(binary(Op::FAdd, Scalar::F32, None, f(-0.0)), Folded::First);
        assert_eq!(binary(Op::FSub, Scalar::F32, None, f(0.0)), Folded::First);
        assert_eq!(binary(Op::FSub, Scalar::F32, None, f(-0.0)), Folded::No);
        assert_eq!(binary(Op::FMul, Scalar::F32, f(1.0), None), Folded::Second);
        // 0 * x is NaN for infinite x.
        assert_eq!(binary(Op::FMul, Scalar::F32, f(0.0), None), Folded::No);
        assert_eq!(binary(Op::IMul, Scalar::U32, Some(1), None), Folded::Second);
        assert_eq!(
            binary(Op::BitwiseAnd, Scalar::U32, None, Some(0xffff_ffff)),
            Folded::First
        );
    }
}
