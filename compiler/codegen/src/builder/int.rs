//! Integer operations: flags, bit fields, and results that are defined in the languages but
//! undefined in SPIR-V.

use super::{OverflowCarry, Scalar, Val, ValueBuilder, arith, int64_emulation};
use crate::spirv_writer::ValueWord;
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Computes the low and the high word of a product of unsigned words.
pub(crate) fn compute_wide_product(builder: &mut ValueBuilder, a: Val, b: Val) -> [Val; 2] {
    let id = emit_extended_product(builder, Spv::UMulExtended, a, b);
    [0, 1].map(|part| builder.emit_op(Spv::CompositeExtract, Scalar::U32, 1, &[id.0, part]))
}

/// Emits a product by `OpUMulExtended` or `OpSMulExtended`, whose result is a structure of its low
/// and its high half.
pub(crate) fn emit_extended_product(
    builder: &mut ValueBuilder,
    op: Spv,
    a: Val,
    b: Val,
) -> ValueWord {
    let half = builder.get_type(a.scalar, a.size);
    let pair = builder.declare_type(Spv::TypeStruct, &[half.0, half.0]);
    let id = builder.new_object();
    builder
        .body
        .push_result_inst(op, pair, id, &[a.id.0, b.id.0]);
    id
}

/// Replaces a divisor by one without undefined results, and tests whether the original was zero or
/// -1: SPIR-V defines neither division by zero nor division of the least signed value by -1. The
/// tests are `None` where a constant divisor or an unsigned type makes them unnecessary.
pub(crate) fn make_safe_divisor(
    builder: &mut ValueBuilder,
    b: Val,
    signed: bool,
) -> (Val, Option<Val>, Option<Val>) {
    let minus_one = if b.scalar == Scalar::U64 {
        u64::MAX
    } else {
        0xffff_ffff
    };
    if builder
        .splat_bits(b)
        .is_some_and(|bits| bits != 0 && !(signed && bits == minus_one))
    {
        return (b, None, None);
    }
    // The remainder for -1 is that for 1; any nonzero number would be valid instead of 0.
    let one = builder.constant_like(b, 1);
    let is_zero = builder.emit_compare_bits(Spv::IEqual, b, 0);
    let mut safe = builder.emit_select(is_zero, one, b);
    let is_minus_one = signed.then(|| {
        let is_minus_one = builder.emit_compare_bits(Spv::IEqual, b, minus_one);
        safe = builder.emit_select(is_minus_one, one, safe);
        is_minus_one
    });
    (safe, Some(is_zero), is_minus_one)
}

/// Replaces a quotient or remainder by all ones if a condition holds, `None` for never.
// UDIV and UMOD of TGSI return all ones for a zero divisor; NV_gpu_program4 leaves DIV and MOD
// undefined for it.
pub(crate) fn select_all_ones(builder: &mut ValueBuilder, cond: Option<Val>, val: Val) -> Val {
    let Some(cond) = cond else { return val };
    let ones = builder.constant_like(val, u64::MAX);
    builder.emit_select(cond, ones, val)
}

/// Emits `a` with `count` bits from bit `offset` on replaced by the low bits of `b`, in every
/// component. `offset` and `count` are scalars; the result is undefined if their sum exceeds the
/// width.
pub(crate) fn insert_bits(
    builder: &mut ValueBuilder,
    a: Val,
    b: Val,
    offset: Val,
    count: Val,
) -> Val {
    let operands = [a.id.0, b.id.0, offset.id.0, count.id.0];
    builder.emit_op(Spv::BitFieldInsert, a.scalar, a.size, &operands)
}

/// Applies a bit-field operation to `a` and `count`: the count is a scalar in SPIR-V, so different
/// counts are processed lane by lane.
pub(crate) fn apply_to_bit_field(
    builder: &mut ValueBuilder,
    a: Val,
    count: Val,
    op: impl Fn(&mut ValueBuilder, Val, Val) -> Val,
) -> Val {
    if count.size == 1 {
        return op(builder, a, count);
    }
    // Wide enough for the lanes of both.
    let a = builder.widen(a, count.size.max(a.size));
    builder.map_components(a, |w, index| {
        let [a, count] = [a, count].map(|val| w.extract_component(val, index));
        op(w, a, count)
    })
}

/// Returns a value that is negative if the integers of both pairs differ in sign.
// The sign of an exclusive or is set if the signs of its operands differ; the sign of an and if
// both are set.
fn compare_signs(builder: &mut ValueBuilder, pairs: [(Val, Val); 2]) -> Val {
    let [x, y] = pairs.map(|(a, b)| builder.emit_binary(Spv::BitwiseXor, a, b));
    builder.emit_binary(Spv::BitwiseAnd, x, y)
}

/// Computes overflow and carry of `a + b = sum`, also in pairs of words: NV_gpu_program4 section
/// 2.X.4.3.
pub(crate) fn compute_add_flags(
    builder: &mut ValueBuilder,
    a: Val,
    b: Val,
    sum: Val,
) -> OverflowCarry {
    let [a_high, b_high, sum_high] = [a, b, sum].map(|val| extract_sign_word(builder, val));
    // Overflow: both operands have the opposite sign of the sum.
    let both = compare_signs(builder, [(a_high, sum_high), (b_high, sum_high)]);
    OverflowCarry {
        overflow: builder.emit_compare_bits(Spv::SLessThan, both, 0),
        // An unsigned sum that wrapped is less than each summand.
        carry: test_unsigned_less(builder, sum, a),
    }
}

/// Computes overflow and carry of `a - b = difference`, also in pairs of words: NV_gpu_program4
/// section 2.X.4.3. The carry of a difference is set if no borrow occurs.
pub(crate) fn compute_sub_flags(
    builder: &mut ValueBuilder,
    a: Val,
    b: Val,
    difference: Val,
) -> OverflowCarry {
    let [a_high, b_high, high] = [a, b, difference].map(|val| extract_sign_word(builder, val));
    // Overflow: the operands differ in sign, and the difference has the opposite sign of `a`.
    let both = compare_signs(builder, [(a_high, b_high), (a_high, high)]);
    // NV_gpu_program4 defines a difference as a sum with the complement, which carries unless it
    // borrows.
    let carry = if a.scalar == Scalar::Pair {
        let borrow = int64_emulation::test_unsigned_less(builder, a, b);
        builder.emit_not(borrow)
    } else {
        builder.emit_test(Spv::UGreaterThanEqual, a, b)
    };
    OverflowCarry {
        overflow: builder.emit_compare_bits(Spv::SLessThan, both, 0),
        carry,
    }
}

/// Returns the word that contains the sign of an integer: itself, or the high word of a pair.
fn extract_sign_word(builder: &mut ValueBuilder, val: Val) -> Val {
    if val.scalar == Scalar::Pair {
        int64_emulation::split_pair(builder, val)[1]
    } else {
        val
    }
}

/// Emits `a < b` of unsigned integers, also those in pairs of words.
fn test_unsigned_less(builder: &mut ValueBuilder, a: Val, b: Val) -> Val {
    if a.scalar == Scalar::Pair {
        int64_emulation::test_unsigned_less(builder, a, b)
    } else {
        builder.emit_test(Spv::ULessThan, a, b)
    }
}

/// Emits the low half of the product of two integers, also those in pairs of words.
pub(crate) fn compute_product(builder: &mut ValueBuilder, a: Val, b: Val) -> Val {
    if a.scalar == Scalar::Pair {
        int64_emulation::compute_product(builder, a, b)
    } else {
        arith::multiply(builder, a, b)
    }
}

/// Extends the low `bits` bits of words, 1 to 31, to 32 bits, by their sign or by zeros.
pub(crate) fn extend_low_bits(
    builder: &mut ValueBuilder,
    val: Val,
    bits: u32,
    signed: bool,
) -> Val {
    if !signed {
        return builder.emit_binary_bits(Spv::BitwiseAnd, val, (1 << bits) - 1);
    }
    let shift = builder.constant_like(val, u64::from(32 - bits));
    let up = builder.emit_binary(Spv::ShiftLeftLogical, val, shift);
    builder.emit_binary(Spv::ShiftRightArithmetic, up, shift)
}

/// Clamps an integer to `low..=high`, given as bits, compared as signed or unsigned.
pub(crate) fn clamp(
    builder: &mut ValueBuilder,
    val: Val,
    low: u64,
    high: u64,
    signed: bool,
) -> Val {
    let (low, high) = (
        builder.constant_like(val, low),
        builder.constant_like(val, high),
    );
    let op = if signed {
        GlslOp::SClamp
    } else {
        GlslOp::UClamp
    };
    builder.emit_ext(op, &[val, low, high])
}

/// Emits the smaller one of two unsigned integers; constants are folded.
pub(crate) fn select_min(builder: &mut ValueBuilder, a: Val, b: Val) -> Val {
    if let (Some(a_bits), Some(b_bits)) = (builder.splat_bits(a), builder.splat_bits(b)) {
        return if a_bits <= b_bits { a } else { b };
    }
    builder.emit_ext(GlslOp::UMin, &[a, b])
}

/// Emits the test that bit `number` of an integer is set. Numbers beyond the integer are undefined.
pub(crate) fn test_bit(builder: &mut ValueBuilder, bits: Val, number: Val) -> Val {
    let bit = builder.emit_binary(Spv::ShiftRightLogical, bits, number);
    let bit = builder.emit_binary_bits(Spv::BitwiseAnd, bit, 1);
    builder.emit_compare_bits(Spv::INotEqual, bit, 0)
}
