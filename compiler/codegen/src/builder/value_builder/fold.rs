//! Constant folding of single SPIR-V instructions, which occur in longer sequences if some sources
//! of an instruction are constants, and identities that hold for every value. The values are
//! computed as in [`glasm_ir::interp`].

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V has hundreds of operations, few of which fold"
)]

use super::Scalar;
use glasm_ir::interp::{self, FloatArithmetic, SourceLanes};
use glasm_ir::{BaseType, InstData, Op, Type, Width};
use spirv::Op as Spv;

/// Result of an operation on constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FoldResult {
    /// This constant.
    Constant(u64),
    /// First operand.
    First,
    /// Second operand.
    Second,
    /// Not foldable.
    NotFoldable,
}

/// Evaluates `a op b` if both are known, or reduces it to an operand if one is neutral. Identities
/// hold for words, 64-bit integers and 32-bit floats only.
pub(crate) fn fold_binary(op: Spv, scalar: Scalar, a: Option<u64>, b: Option<u64>) -> FoldResult {
    if let (Some(a), Some(b)) = (a, b) {
        return find_ir_op(op)
            .and_then(|(op, base)| evaluate_op(op, base, scalar, a, b))
            .map_or(FoldResult::NotFoldable, FoldResult::Constant);
    }
    match scalar {
        Scalar::U32 => fold_int_identity(op, 32, a, b),
        Scalar::U64 => fold_int_identity(op, 64, a, b),
        Scalar::F32 => {
            fold_float_identity(op, a.map(|bits| bits as u32), b.map(|bits| bits as u32))
        }
        Scalar::BoolFloat
        | Scalar::BoolInt
        | Scalar::U8
        | Scalar::U16
        | Scalar::S32
        | Scalar::F64
        | Scalar::Pair => FoldResult::NotFoldable,
    }
}

/// Folds `a op b` for comparisons of numbers and operations of booleans. Returns `None` for other
/// operations and if the operands are not numbers of the operation's type.
pub(crate) fn fold_comparison(op: Spv, scalar: Scalar, a: u64, b: u64) -> Option<bool> {
    use BaseType::{Float, SignedInt, UnsignedInt};
    let holds = |op, base| evaluate_op(op, base, scalar, a, b).map(|bits| bits != 0);
    match op {
        Spv::LogicalAnd => Some(a != 0 && b != 0),
        Spv::LogicalOr => Some(a != 0 || b != 0),
        Spv::LogicalNotEqual => Some((a != 0) != (b != 0)),
        Spv::IEqual => holds(Op::SetEq, UnsignedInt),
        Spv::INotEqual => holds(Op::SetNe, UnsignedInt),
        Spv::ULessThan => holds(Op::SetLt, UnsignedInt),
        Spv::ULessThanEqual => holds(Op::SetLe, UnsignedInt),
        Spv::UGreaterThan => holds(Op::SetGt, UnsignedInt),
        Spv::UGreaterThanEqual => holds(Op::SetGe, UnsignedInt),
        Spv::SLessThan => holds(Op::SetLt, SignedInt),
        Spv::SLessThanEqual => holds(Op::SetLe, SignedInt),
        Spv::SGreaterThan => holds(Op::SetGt, SignedInt),
        Spv::SGreaterThanEqual => holds(Op::SetGe, SignedInt),
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

/// Returns the IR operation of a SPIR-V instruction, and the base type of its operands. Returns
/// `None` for instructions that are not folded.
fn find_ir_op(op: Spv) -> Option<(Op, BaseType)> {
    use BaseType::{Float, SignedInt, UnsignedInt};
    Some(match op {
        // In two's complement sums, differences and the low halves of products are independent of
        // the signedness.
        Spv::IAdd => (Op::Add, UnsignedInt),
        Spv::ISub => (Op::Sub, UnsignedInt),
        Spv::IMul => (Op::Mul, UnsignedInt),
        Spv::BitwiseAnd => (Op::And, UnsignedInt),
        Spv::BitwiseOr => (Op::Or, UnsignedInt),
        Spv::BitwiseXor => (Op::Xor, UnsignedInt),
        Spv::ShiftLeftLogical => (Op::Shl, UnsignedInt),
        Spv::ShiftRightLogical => (Op::Shr, UnsignedInt),
        Spv::ShiftRightArithmetic => (Op::Shr, SignedInt),
        Spv::FAdd => (Op::Add, Float),
        Spv::FSub => (Op::Sub, Float),
        Spv::FMul => (Op::Mul, Float),
        Spv::FDiv => (Op::Div, Float),
        _ => return None,
    })
}

/// Evaluates an operation of the IR on two numbers of type `scalar`. Returns `None` for booleans,
/// pairs, narrow integers, and numbers that are floats where `base` is an integer or vice versa.
fn evaluate_op(op: Op, base: BaseType, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    let (width, is_float) = match scalar {
        Scalar::U32 | Scalar::S32 => (Width::W32, false),
        Scalar::U64 => (Width::W64, false),
        Scalar::F32 => (Width::W32, true),
        Scalar::F64 => (Width::W64, true),
        Scalar::BoolFloat | Scalar::BoolInt | Scalar::U8 | Scalar::U16 | Scalar::Pair => {
            return None;
        }
    };
    if is_float != (base == BaseType::Float) {
        return None;
    }
    // The first lane suffices: components of a splat are equal.
    let mut sources = SourceLanes::default();
    (sources[0][0], sources[1][0]) = (a, b);
    // `OpFMul` itself is an IEEE product; products in which zero takes precedence are sequences of
    // instructions, see `arith::multiply_legacy`.
    let lanes = interp::evaluate_op(
        op,
        Type::from_base(base, width),
        InstData::None,
        &sources,
        FloatArithmetic::default(),
    )?;
    Some(lanes[0])
}

/// Returns the operand that an integer operation equals if the other one, a constant, is neutral.
/// `width` is that of the integers in bits.
fn fold_int_identity(op: Spv, width: u32, a: Option<u64>, b: Option<u64>) -> FoldResult {
    let mask = u64::MAX >> (64 - width);
    match op {
        Spv::IAdd | Spv::BitwiseOr | Spv::BitwiseXor => fold_neutral_zero(a, b),
        Spv::ISub | Spv::ShiftLeftLogical | Spv::ShiftRightLogical | Spv::ShiftRightArithmetic
            if b == Some(0) =>
        {
            FoldResult::First
        }
        Spv::IMul if b == Some(1) => FoldResult::First,
        Spv::IMul if a == Some(1) => FoldResult::Second,
        Spv::BitwiseAnd if b == Some(mask) => FoldResult::First,
        Spv::BitwiseAnd if a == Some(mask) => FoldResult::Second,
        _ => FoldResult::NotFoldable,
    }
}

/// Returns the other operand if one is zero, for operations with the neutral element 0.
fn fold_neutral_zero(a: Option<u64>, b: Option<u64>) -> FoldResult {
    match (a, b) {
        (_, Some(0)) => FoldResult::First,
        (Some(0), _) => FoldResult::Second,
        _ => FoldResult::NotFoldable,
    }
}

/// Returns the operand that a 32-bit float operation equals for all values including -0 and NaN, if
/// the other one is neutral.
fn fold_float_identity(op: Spv, a: Option<u32>, b: Option<u32>) -> FoldResult {
    const NEGATIVE_ZERO: u32 = 0x8000_0000;
    const ONE: u32 = 0x3f80_0000;
    // Only identities that hold for -0, infinities and NaN: x + 0 turns -0 into +0, and 0 * x is
    // NaN for an infinite x.
    match op {
        Spv::FMul | Spv::FDiv if b == Some(ONE) => FoldResult::First,
        Spv::FMul if a == Some(ONE) => FoldResult::Second,
        Spv::FAdd if b == Some(NEGATIVE_ZERO) => FoldResult::First,
        Spv::FAdd if a == Some(NEGATIVE_ZERO) => FoldResult::Second,
        // -0 - +0 is -0 + -0, a sum of equal signs, whose sign is preserved (IEEE 754 section 6.3).
        Spv::FSub if b == Some(0) => FoldResult::First,
        _ => FoldResult::NotFoldable,
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
            fold_binary(Spv::IAdd, Scalar::U32, max, Some(2)),
            FoldResult::Constant(1)
        );
        assert_eq!(
            fold_binary(Spv::ISub, Scalar::U32, Some(0), Some(1)),
            FoldResult::Constant(0xffff_ffff)
        );
        assert_eq!(
            fold_binary(Spv::IMul, Scalar::U32, Some(0x8000_0001), Some(2)),
            FoldResult::Constant(2)
        );
        assert_eq!(
            fold_binary(Spv::IAdd, Scalar::U64, max, Some(2)),
            FoldResult::Constant(0x1_0000_0001)
        );
    }

    #[test]
    fn shift_counts_are_taken_modulo_the_width() {
        assert_eq!(
            fold_binary(Spv::ShiftLeftLogical, Scalar::U32, Some(1), Some(33)),
            FoldResult::Constant(2)
        );
        assert_eq!(
            fold_binary(Spv::ShiftRightLogical, Scalar::U64, Some(4), Some(65)),
            FoldResult::Constant(2)
        );
    }

    #[test]
    fn shifts_to_the_right_know_the_sign() {
        for (op, value) in [
            (Spv::ShiftRightArithmetic, 0xffff_fffe),
            (Spv::ShiftRightLogical, 0x7fff_fffe),
        ] {
            assert_eq!(
                fold_binary(op, Scalar::U32, Some(0xffff_fffc), Some(1)),
                FoldResult::Constant(value)
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
                fold_binary(op, Scalar::F32, f(a), f(b)),
                FoldResult::Constant(f(value).unwrap()),
                "{op:?} {a} {b}"
            );
        }
        let nan = f(f32::NAN).unwrap();
        assert_eq!(
            fold_binary(Spv::FDiv, Scalar::F32, f(0.0), f(-0.0)),
            FoldResult::Constant(nan)
        );
        assert_eq!(
            fold_binary(Spv::FDiv, Scalar::F32, f(0.0), None),
            FoldResult::NotFoldable
        );
        let (a, b) = (1e300f64.to_bits(), 1e-10f64.to_bits());
        assert_eq!(
            fold_binary(Spv::FMul, Scalar::F64, Some(a), Some(b)),
            FoldResult::Constant((1e300f64 * 1e-10).to_bits())
        );
    }

    #[test]
    fn comparisons_know_signs_and_nan() {
        let minus = 0xffff_fffb;
        assert_eq!(
            fold_comparison(Spv::SLessThan, Scalar::U32, minus, 3),
            Some(true)
        );
        assert_eq!(
            fold_comparison(Spv::ULessThan, Scalar::U32, minus, 3),
            Some(false)
        );
        let (one, nan) = (f(1.0).unwrap(), f(f32::NAN).unwrap());
        for (op, with_one, with_nan) in [
            (Spv::FOrdEqual, true, false),
            (Spv::FOrdNotEqual, false, false),
            (Spv::FUnordNotEqual, false, true),
            (Spv::FUnordLessThan, false, true),
            (Spv::FOrdGreaterThanEqual, true, false),
        ] {
            assert_eq!(
                fold_comparison(op, Scalar::F32, one, one),
                Some(with_one),
                "{op:?}"
            );
            assert_eq!(
                fold_comparison(op, Scalar::F32, nan, one),
                Some(with_nan),
                "{op:?}"
            );
        }
        assert_eq!(
            fold_comparison(Spv::LogicalAnd, Scalar::BoolInt, 1, 0),
            Some(false)
        );
        assert_eq!(
            fold_comparison(Spv::LogicalOr, Scalar::BoolInt, 1, 0),
            Some(true)
        );
        assert_eq!(
            fold_comparison(Spv::LogicalNotEqual, Scalar::BoolInt, 1, 1),
            Some(false)
        );
        assert_eq!(fold_comparison(Spv::IAdd, Scalar::U32, 1, 1), None);
    }

    #[test]
    fn identities_hold_for_negative_zero() {
        // x + 0 turns -0 into +0, x + -0 never changes x.
        assert_eq!(
            fold_binary(Spv::FAdd, Scalar::F32, None, f(0.0)),
            FoldResult::NotFoldable
        );
        assert_eq!(
            fold_binary(Spv::FAdd, Scalar::F32, None, f(-0.0)),
            FoldResult::First
        );
        assert_eq!(
            fold_binary(Spv::FSub, Scalar::F32, None, f(0.0)),
            FoldResult::First
        );
        assert_eq!(
            fold_binary(Spv::FSub, Scalar::F32, None, f(-0.0)),
            FoldResult::NotFoldable
        );
        assert_eq!(
            fold_binary(Spv::FMul, Scalar::F32, f(1.0), None),
            FoldResult::Second
        );
        // 0 * x is NaN for infinite x.
        assert_eq!(
            fold_binary(Spv::FMul, Scalar::F32, f(0.0), None),
            FoldResult::NotFoldable
        );
        assert_eq!(
            fold_binary(Spv::IMul, Scalar::U32, Some(1), None),
            FoldResult::Second
        );
        assert_eq!(
            fold_binary(Spv::BitwiseAnd, Scalar::U32, None, Some(0xffff_ffff)),
            FoldResult::First
        );
    }
}
