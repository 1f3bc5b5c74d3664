//! Integer operations: flags, bit fields, and results that are defined in the languages but
//! undefined in SPIR-V.

use super::{Flags, Scalar, Val, ValueBuilder, arith, wide};
use crate::words::ValueWord;
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Computes the low and the high word of a product of unsigned words.
pub(crate) fn compute_wide_product(w: &mut ValueBuilder, a: Val, b: Val) -> [Val; 2] {
    let id = emit_extended_product(w, Spv::UMulExtended, a, b);
    [0, 1].map(|part| w.op(Spv::CompositeExtract, Scalar::U32, 1, &[id.0, part]))
}

/// Emits a product whose result is a structure of its low and its high half.
pub(crate) fn emit_extended_product(w: &mut ValueBuilder, op: Spv, a: Val, b: Val) -> ValueWord {
    let half = w.ty(a.scalar, a.size);
    let pair = w.declare_type(Spv::TypeStruct, &[half.0, half.0]);
    let id = w.object();
    w.body.result(op, pair, id, &[a.id.0, b.id.0]);
    id
}

/// Replaces a divisor by one without undefined results, and tests whether the original was zero or
/// -1: SPIR-V defines neither division by zero nor division of the least signed value by -1.
pub(crate) fn make_safe_divisor(
    w: &mut ValueBuilder,
    b: Val,
    signed: bool,
) -> (Val, Option<Val>, Option<Val>) {
    let minus_one = if b.scalar == Scalar::U64 {
        u64::MAX
    } else {
        0xffff_ffff
    };
    if w.splat_bits(b)
        .is_some_and(|bits| bits != 0 && !(signed && bits == minus_one))
    {
        return (b, None, None);
    }
    // The remainder for -1 is that for 1; any nonzero number would be valid instead of 0.
    let one = w.constant_like(b, 1);
    let is_zero = w.compare_bits(Spv::IEqual, b, 0);
    let mut safe = w.select(is_zero, one, b);
    let is_minus_one = signed.then(|| {
        let is_minus_one = w.compare_bits(Spv::IEqual, b, minus_one);
        safe = w.select(is_minus_one, one, safe);
        is_minus_one
    });
    (safe, Some(is_zero), is_minus_one)
}

/// Replaces a quotient or remainder by all ones if a condition holds.
// UDIV and UMOD of TGSI return all ones for a zero divisor; NV_gpu_program4 leaves DIV and MOD
// undefined for it.
pub(crate) fn select_all_ones(w: &mut ValueBuilder, cond: Option<Val>, val: Val) -> Val {
    let Some(cond) = cond else { return val };
    let ones = w.constant_like(val, u64::MAX);
    w.select(cond, ones, val)
}

/// Replaces `count` bits of `a` from `offset` on by the low bits of `b`.
pub(crate) fn insert_bits(w: &mut ValueBuilder, a: Val, b: Val, offset: Val, count: Val) -> Val {
    let operands = [a.id.0, b.id.0, offset.id.0, count.id.0];
    w.op(Spv::BitFieldInsert, a.scalar, a.size, &operands)
}

/// Applies a bit-field operation: its count is a scalar in SPIR-V, so different counts are
/// processed lane by lane.
pub(crate) fn apply_to_bit_field(
    w: &mut ValueBuilder,
    a: Val,
    count: Val,
    op: impl Fn(&mut ValueBuilder, Val, Val) -> Val,
) -> Val {
    if count.size == 1 {
        return op(w, a, count);
    }
    // Wide enough for the lanes of both.
    let a = w.widen(a, count.size.max(a.size));
    w.map_components(a, |w, index| {
        let [a, count] = [a, count].map(|val| w.component(val, index));
        op(w, a, count)
    })
}

/// Returns a value that is negative if the integers of both pairs differ in sign.
// The sign of an exclusive or is set if the signs of its operands differ; the sign of an and if
// both are set.
fn compare_signs(w: &mut ValueBuilder, pairs: [(Val, Val); 2]) -> Val {
    let [x, y] = pairs.map(|(a, b)| w.binary(Spv::BitwiseXor, a, b));
    w.binary(Spv::BitwiseAnd, x, y)
}

/// Computes overflow and carry of `a + b = sum`: NV_gpu_program4 section 2.X.4.3.
pub(crate) fn compute_add_flags(w: &mut ValueBuilder, a: Val, b: Val, sum: Val) -> Flags {
    let [a_high, b_high, sum_high] = [a, b, sum].map(|val| take_upper_word(w, val));
    // Overflow: both operands have the opposite sign of the sum.
    let both = compare_signs(w, [(a_high, sum_high), (b_high, sum_high)]);
    Flags {
        overflow: w.compare_bits(Spv::SLessThan, both, 0),
        // An unsigned sum that wrapped is less than each summand.
        carry: test_below(w, sum, a),
    }
}

/// Computes overflow and carry of `a - b = difference`: NV_gpu_program4 section 2.X.4.3. The carry
/// of a difference is set if no borrow occurs.
pub(crate) fn compute_sub_flags(w: &mut ValueBuilder, a: Val, b: Val, difference: Val) -> Flags {
    let [a_high, b_high, high] = [a, b, difference].map(|val| take_upper_word(w, val));
    // Overflow: the operands differ in sign, and the difference has the opposite sign of `a`.
    let both = compare_signs(w, [(a_high, b_high), (a_high, high)]);
    // NV_gpu_program4 defines a difference as a sum with the complement, which carries unless it
    // borrows.
    let carry = if a.scalar == Scalar::Pair {
        let borrow = wide::test_below(w, a, b);
        w.not(borrow)
    } else {
        w.test(Spv::UGreaterThanEqual, a, b)
    };
    Flags {
        overflow: w.compare_bits(Spv::SLessThan, both, 0),
        carry,
    }
}

/// Returns the word that contains the sign of an integer: itself, or the high word of a pair.
fn take_upper_word(w: &mut ValueBuilder, val: Val) -> Val {
    if val.scalar == Scalar::Pair {
        wide::split(w, val)[1]
    } else {
        val
    }
}

/// Tests `a < b`, unsigned.
fn test_below(w: &mut ValueBuilder, a: Val, b: Val) -> Val {
    if a.scalar == Scalar::Pair {
        wide::test_below(w, a, b)
    } else {
        w.test(Spv::ULessThan, a, b)
    }
}

/// Computes the product of two integers.
pub(crate) fn compute_product(w: &mut ValueBuilder, a: Val, b: Val) -> Val {
    if a.scalar == Scalar::Pair {
        wide::compute_product(w, a, b)
    } else {
        arith::multiply(w, a, b)
    }
}

/// Extends the low `bits` bits to 32 bits, by their sign or by zeros.
pub(crate) fn extend(w: &mut ValueBuilder, val: Val, bits: u32, signed: bool) -> Val {
    if !signed {
        return w.binary_bits(Spv::BitwiseAnd, val, (1 << bits) - 1);
    }
    let shift = w.constant_like(val, u64::from(32 - bits));
    let up = w.binary(Spv::ShiftLeftLogical, val, shift);
    w.binary(Spv::ShiftRightArithmetic, up, shift)
}

/// Clamps an integer as signed or unsigned.
pub(crate) fn clamp(w: &mut ValueBuilder, val: Val, low: u64, high: u64, signed: bool) -> Val {
    let (low, high) = (w.constant_like(val, low), w.constant_like(val, high));
    let op = if signed {
        GlslOp::SClamp
    } else {
        GlslOp::UClamp
    };
    w.ext(op, &[val, low, high])
}

/// Selects the smaller one of two unsigned integers.
pub(crate) fn select_min(w: &mut ValueBuilder, a: Val, b: Val) -> Val {
    if let (Some(a_bits), Some(b_bits)) = (w.splat_bits(a), w.splat_bits(b)) {
        return if a_bits <= b_bits { a } else { b };
    }
    w.ext(GlslOp::UMin, &[a, b])
}

/// Tests whether bit `number` of an integer is set.
pub(crate) fn test_bit(w: &mut ValueBuilder, bits: Val, number: Val) -> Val {
    let bit = w.binary(Spv::ShiftRightLogical, bits, number);
    let bit = w.binary_bits(Spv::BitwiseAnd, bit, 1);
    w.compare_bits(Spv::INotEqual, bit, 0)
}
