//! Constant folding of single SPIR-V instructions, which occur in longer sequences if some sources
//! of an instruction are constants, and identities that hold for every value. The values are
//! computed as in [`glasm_ir::interp`].

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V has hundreds of operations, few of which fold"
)]

use super::Scalar;
use glasm_ir::interp::{Arithmetic, Sources, evaluate};
use glasm_ir::{Aux, Op, Type, TypeBase, Width};
use spirv::Op as Spv;

/// Result of an operation on constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Folded {
    /// This constant.
    Constant(u64),
    /// First operand.
    First,
    /// Second operand.
    Second,
    /// Not foldable.
    No,
}

/// Folds `a op b` if the bits of one or both are known.
pub(crate) fn binary(op: Spv, scalar: Scalar, a: Option<u64>, b: Option<u64>) -> Folded {
    if let (Some(a), Some(b)) = (a, b) {
        return arithmetic(op)
            .and_then(|(op, base)| computed(op, base, scalar, a, b))
            .map_or(Folded::No, Folded::Constant);
    }
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

/// Folds `a op b` for comparisons of numbers and operations of booleans.
pub(crate) fn truth(op: Spv, scalar: Scalar, a: u64, b: u64) -> Option<bool> {
    use TypeBase::{Float, Signed, Unsigned};
    let holds = |op, base| computed(op, base, scalar, a, b).map(|bits| bits != 0);
    match op {
        Spv::LogicalAnd => Some(a != 0 && b != 0),
        Spv::LogicalOr => Some(a != 0 || b != 0),
        Spv::LogicalNotEqual => Some((a != 0) != (b != 0)),
        Spv::IEqual => holds(Op::SetEq, Unsigned),
        Spv::INotEqual => holds(Op::SetNe, Unsigned),
        Spv::ULessThan => holds(Op::SetLt, Unsigned),
        Spv::ULessThanEqual => holds(Op::SetLe, Unsigned),
        Spv::UGreaterThan => holds(Op::SetGt, Unsigned),
        Spv::UGreaterThanEqual => holds(Op::SetGe, Unsigned),
        Spv::SLessThan => holds(Op::SetLt, Signed),
        Spv::SLessThanEqual => holds(Op::SetLe, Signed),
        Spv::SGreaterThan => holds(Op::SetGt, Signed),
        Spv::SGreaterThanEqual => holds(Op::SetGe, Signed),
        Spv::FOrdEqual => holds(Op::SetEq, Float),
        Spv::FUnordNotEqual => holds(Op::SetNe, Float),
        Spv::FOrdLessThan => holds(Op::SetLt, Float),
        Spv::FOrdLessThanEqual => holds(Op::SetLe, Float),
        Spv::FOrdGreaterThan => holds(Op::SetGt, Float),
        Spv::FOrdGreaterThanEqual => holds(Op::SetGe, Float),
        // The IR has neither of these two operations. Every ordered comparison with NaN is false
        // and every unordered one true.
        Spv::FOrdNotEqual => Some(holds(Op::SetLt, Float)? || holds(Op::SetGt, Float)?),
        Spv::FUnordLessThan => Some(!holds(Op::SetGe, Float)?),
        _ => None,
    }
}

/// Returns the IR operation of a SPIR-V instruction, and the base type of its operands.
fn arithmetic(op: Spv) -> Option<(Op, TypeBase)> {
    use TypeBase::{Float, Signed, Unsigned};
    Some(match op {
        // In two's complement sums, differences and the low halves of products are independent of
        // the signedness.
        Spv::IAdd => (Op::Add, Unsigned),
        Spv::ISub => (Op::Sub, Unsigned),
        Spv::IMul => (Op::Mul, Unsigned),
        Spv::BitwiseAnd => (Op::And, Unsigned),
        Spv::BitwiseOr => (Op::Or, Unsigned),
        Spv::BitwiseXor => (Op::Xor, Unsigned),
        Spv::ShiftLeftLogical => (Op::Shl, Unsigned),
        Spv::ShiftRightLogical => (Op::Shr, Unsigned),
        Spv::ShiftRightArithmetic => (Op::Shr, Signed),
        Spv::FAdd => (Op::Add, Float),
        Spv::FSub => (Op::Sub, Float),
        Spv::FMul => (Op::Mul, Float),
        Spv::FDiv => (Op::Div, Float),
        _ => return None,
    })
}

/// Evaluates an operation; returns `None` for operands that are not numbers of `base`.
fn computed(op: Op, base: TypeBase, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    let (width, is_float) = match scalar {
        Scalar::U32 | Scalar::S32 => (Width::W32, false),
        Scalar::U64 => (Width::W64, false),
        Scalar::F32 => (Width::W32, true),
        Scalar::F64 => (Width::W64, true),
        Scalar::BoolFloat | Scalar::BoolInt | Scalar::U8 | Scalar::U16 | Scalar::Pair => {
            return None;
        }
    };
    if is_float != (base == TypeBase::Float) {
        return None;
    }
    // The first lane suffices: components of a splat are equal.
    let mut sources = Sources::default();
    (sources[0][0], sources[1][0]) = (a, b);
    // `OpFMul` itself is an IEEE product; products in which zero takes precedence are sequences of
    // instructions, see `arith::multiply_legacy`.
    let lanes = evaluate(
        op,
        Type::of(base, width),
        Aux::None,
        &sources,
        Arithmetic::default(),
    )?;
    Some(lanes[0])
}

fn int(op: Spv, width: u32, a: Option<u64>, b: Option<u64>) -> Folded {
    let mask = u64::MAX >> (64 - width);
    match op {
        Spv::IAdd | Spv::BitwiseOr | Spv::BitwiseXor => zero_is_neutral(a, b),
        Spv::ISub | Spv::ShiftLeftLogical | Spv::ShiftRightLogical | Spv::ShiftRightArithmetic
            if b == Some(0) =>
        {
            Folded::First
        }
        Spv::IMul if b == Some(1) => Folded::First,
        Spv::IMul if a == Some(1) => Folded::Second,
        Spv::BitwiseAnd if b == Some(mask) => Folded::First,
        Spv::BitwiseAnd if a == Some(mask) => Folded::Second,
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

fn float(op: Spv, a: Option<u32>, b: Option<u32>) -> Folded {
    const NEGATIVE_ZERO: u32 = 0x8000_0000;
    const ONE: u32 = 0x3f80_0000;
    // Only identities that hold for -0, infinities and NaN: x + 0 turns -0 into +0, and 0 * x is
    // NaN for an infinite x.
    match op {
        Spv::FMul | Spv::FDiv if b == Some(ONE) => Folded::First,
        Spv::FMul if a == Some(ONE) => Folded::Second,
        Spv::FAdd if b == Some(NEGATIVE_ZERO) => Folded::First,
        Spv::FAdd if a == Some(NEGATIVE_ZERO) => Folded::Second,
        // -0 - +0 is -0 + -0, a sum of equal signs, whose sign is preserved (IEEE 754 section 6.3).
        Spv::FSub if b == Some(0) => Folded::First,
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
            binary(Spv::IAdd, Scalar::U32, max, Some(2)),
            Folded::Constant(1)
        );
        assert_eq!(
            binary(Spv::ISub, Scalar::U32, Some(0), Some(1)),
            Folded::Constant(0xffff_ffff)
        );
        assert_eq!(
            binary(Spv::IMul, Scalar::U32, Some(0x8000_0001), Some(2)),
            Folded::Constant(2)
        );
        assert_eq!(
            binary(Spv::IAdd, Scalar::U64, max, Some(2)),
            Folded::Constant(0x1_0000_0001)
        );
    }

    #[test]
    fn shift_counts_are_taken_modulo_the_width() {
        assert_eq!(
            binary(Spv::ShiftLeftLogical, Scalar::U32, Some(1), Some(33)),
            Folded::Constant(2)
        );
        assert_eq!(
            binary(Spv::ShiftRightLogical, Scalar::U64, Some(4), Some(65)),
            Folded::Constant(2)
        );
    }

    #[test]
    fn shifts_to_the_right_know_the_sign() {
        for (op, value) in [
            (Spv::ShiftRightArithmetic, 0xffff_fffe),
            (Spv::ShiftRightLogical, 0x7fff_fffe),
        ] {
            assert_eq!(
                binary(op, Scalar::U32, Some(0xffff_fffc), Some(1)),
                Folded::Constant(value)
            );
        }
    }

    #[test]
    fn floats_fold_to_ieee_values() {
        let least = f32::from_bits(1);
        for (op, a, b, value) in [
            (Spv::FAdd, 1.5, 2.0, 3.5),
            (Spv::FDiv, 3.0, -2.0, -1.5),
            (Spv::FDiv, 1.0, -0.0, f32::NEG_INFINITY),
            (Spv::FMul, 1e30, 1e30, f32::INFINITY),
            (Spv::FMul, least, 1.0, least),
            (Spv::FSub, 1e-45, 1e-45, 0.0),
        ] {
            assert_eq!(
                binary(op, Scalar::F32, f(a), f(b)),
                Folded::Constant(f(value).unwrap()),
                "{op:?} {a} {b}"
            );
        }
        let nan = f(f32::NAN).unwrap();
        assert_eq!(
            binary(Spv::FDiv, Scalar::F32, f(0.0), f(-0.0)),
            Folded::Constant(nan)
        );
        assert_eq!(binary(Spv::FDiv, Scalar::F32, f(0.0), None), Folded::No);
        let (a, b) = (1e300f64.to_bits(), 1e-10f64.to_bits());
        assert_eq!(
            binary(Spv::FMul, Scalar::F64, Some(a), Some(b)),
            Folded::Constant((1e300f64 * 1e-10).to_bits())
        );
    }

    #[test]
    fn comparisons_know_signs_and_nan() {
        let minus = 0xffff_fffb;
        assert_eq!(truth(Spv::SLessThan, Scalar::U32, minus, 3), Some(true));
        assert_eq!(truth(Spv::ULessThan, Scalar::U32, minus, 3), Some(false));
        let (one, nan) = (f(1.0).unwrap(), f(f32::NAN).unwrap());
        for (op, with_one, with_nan) in [
            (Spv::FOrdEqual, true, false),
            (Spv::FOrdNotEqual, false, false),
            (Spv::FUnordNotEqual, false, true),
            (Spv::FUnordLessThan, false, true),
            (Spv::FOrdGreaterThanEqual, true, false),
        ] {
            assert_eq!(truth(op, Scalar::F32, one, one), Some(with_one), "{op:?}");
            assert_eq!(truth(op, Scalar::F32, nan, one), Some(with_nan), "{op:?}");
        }
        assert_eq!(truth(Spv::LogicalAnd, Scalar::BoolInt, 1, 0), Some(false));
        assert_eq!(truth(Spv::LogicalOr, Scalar::BoolInt, 1, 0), Some(true));
        assert_eq!(
            truth(Spv::LogicalNotEqual, Scalar::BoolInt, 1, 1),
            Some(false)
        );
        assert_eq!(truth(Spv::IAdd, Scalar::U32, 1, 1), None);
    }

    #[test]
    fn identities_hold_for_negative_zero() {
        // x + 0 turns -0 into +0, x + -0 never changes x.
        assert_eq!(binary(Spv::FAdd, Scalar::F32, None, f(0.0)), Folded::No);
        assert_eq!(binary(Spv::FAdd, Scalar::F32, None, f(-0.0)), Folded::First);
        assert_eq!(binary(Spv::FSub, Scalar::F32, None, f(0.0)), Folded::First);
        assert_eq!(binary(Spv::FSub, Scalar::F32, None, f(-0.0)), Folded::No);
        assert_eq!(binary(Spv::FMul, Scalar::F32, f(1.0), None), Folded::Second);
        // 0 * x is NaN for infinite x.
        assert_eq!(binary(Spv::FMul, Scalar::F32, f(0.0), None), Folded::No);
        assert_eq!(
            binary(Spv::IMul, Scalar::U32, Some(1), None),
            Folded::Second
        );
        assert_eq!(
            binary(Spv::BitwiseAnd, Scalar::U32, None, Some(0xffff_ffff)),
            Folded::First
        );
    }
}
