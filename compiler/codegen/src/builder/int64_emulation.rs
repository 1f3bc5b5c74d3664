//! Arithmetic of 64-bit integers on devices without them: pairs of words. Also conversion of 64-bit
//! lanes from and to words.

use super::{Lane, ModuleWriter, Scalar, Val, ValueBuilder, int, select_by_sign};
use glasm_ir::{Inst, Op, Type};
use spirv::Op as Spv;

/// Low and high word of a 64-bit value.
pub(crate) type WideWords = [Val; 2];

/// Computes the result of an operation on 64-bit integers in pairs of words; returns `None` if it
/// is not emulated. Unused operands are arbitrary. Shifts use the low word of `y`.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only some operations are emulated"
)]
pub(crate) fn compute_op(
    builder: &mut ValueBuilder,
    inst: &Inst,
    x: WideWords,
    y: WideWords,
    z: WideWords,
) -> Option<WideWords> {
    let signed = inst.ty.is_signed_int();
    Some(match inst.op {
        Op::Mov => x,
        Op::Add => add_words(builder, x, y),
        Op::Sub => subtract_words(builder, x, y),
        Op::Mul => multiply_words(builder, x, y),
        Op::Mad => {
            let product = multiply_words(builder, x, y);
            add_words(builder, product, z)
        }
        Op::And => apply_to_words(builder, Spv::BitwiseAnd, x, y),
        Op::Or => apply_to_words(builder, Spv::BitwiseOr, x, y),
        Op::Xor => apply_to_words(builder, Spv::BitwiseXor, x, y),
        Op::Not => x.map(|word| builder.emit_unary(Spv::Not, word)),
        Op::Shl => shift_left(builder, x, y[0]),
        Op::Shr => shift_right(builder, x, y[0], inst.ty),
        // `x > y ? y : x`, as in `emit_min_max`.
        Op::Min => {
            let greater = test_less(builder, y, x, signed);
            select_words(builder, greater, y, x)
        }
        Op::Max => {
            let greater = test_less(builder, y, x, signed);
            select_words(builder, greater, x, y)
        }
        Op::Sign => compute_sign(builder, x, signed),
        // No unsigned value is below 0.
        Op::SelLt if !signed => z,
        Op::SelLt => {
            let below = builder.emit_compare_bits(Spv::SLessThan, x[1], 0);
            select_words(builder, below, y, z)
        }
        Op::SelNz => {
            let any = test_nonzero(builder, x);
            select_words(builder, any, y, z)
        }
        _ => return None,
    })
}

/// Returns the boolean of a comparison instruction on two 64-bit integers in pairs of words. Other
/// operations are treated as `SetEq`.
#[expect(clippy::wildcard_enum_match_arm, reason = "only comparisons come here")]
pub(crate) fn compare_words(
    builder: &mut ValueBuilder,
    inst: &Inst,
    x: WideWords,
    y: WideWords,
) -> Val {
    let signed = inst.ty.is_signed_int();
    match inst.op {
        Op::SetNe => {
            let equal = test_equal(builder, x, y);
            builder.emit_not(equal)
        }
        Op::SetLt => test_less(builder, x, y, signed),
        Op::SetGt => test_less(builder, y, x, signed),
        Op::SetGe => {
            let less = test_less(builder, x, y, signed);
            builder.emit_not(less)
        }
        Op::SetLe => {
            let greater = test_less(builder, y, x, signed);
            builder.emit_not(greater)
        }
        // `SetEq`, the only remaining operation.
        _ => test_equal(builder, x, y),
    }
}

/// Computes the upper word for the extension of a 32-bit integer to 64 bits.
pub(crate) fn compute_high_word(builder: &mut ValueBuilder, low: Val, from: Type) -> Val {
    if from.is_signed_int() {
        builder.emit_binary_bits(Spv::ShiftRightArithmetic, low, 31)
    } else {
        builder.constant_like(low, 0)
    }
}

/// Splits a 64-bit integer that is a pair into its low and its high word.
pub(crate) fn split_pair(builder: &mut ValueBuilder, val: Val) -> WideWords {
    // Words of constants are constants, so that known words are folded further.
    if let Some(bits) = builder.constant_bits(val.id) {
        return [bits, bits >> 32].map(|word| builder.constant_u32_val(word as u32));
    }
    [0, 1].map(|word| builder.emit_op(Spv::CompositeExtract, Scalar::U32, 1, &[val.id.0, word]))
}

/// Joins the low and the high word of a 64-bit integer to a pair.
pub(crate) fn join_pair(builder: &mut ValueBuilder, [low, high]: WideWords) -> Val {
    if let (Some(low), Some(high)) = (builder.splat_bits(low), builder.splat_bits(high)) {
        return builder.constant_splat(Scalar::Pair, low | high << 32, 1);
    }
    let operands = [low.id.0, high.id.0];
    builder.emit_op(Spv::CompositeConstruct, Scalar::Pair, 1, &operands)
}

/// Emits the sum of a 64-bit integer, which may be a pair of words, and a constant.
pub(crate) fn add_constant(builder: &mut ValueBuilder, val: Val, constant: u64) -> Val {
    if constant == 0 {
        return val;
    }
    let constant = builder.constant_like(val, constant);
    if val.scalar != Scalar::Pair {
        return builder.emit_binary(Spv::IAdd, val, constant);
    }
    let (a, b) = (split_pair(builder, val), split_pair(builder, constant));
    let sum = add_words(builder, a, b);
    join_pair(builder, sum)
}

/// Tests that a pair of words is less than another, as unsigned 64-bit integers.
pub(crate) fn test_unsigned_less(builder: &mut ValueBuilder, a: Val, b: Val) -> Val {
    let (a, b) = (split_pair(builder, a), split_pair(builder, b));
    test_less(builder, a, b, false)
}

/// Computes the low 64 bits of the product of two pairs of words.
pub(crate) fn compute_product(builder: &mut ValueBuilder, a: Val, b: Val) -> Val {
    let (a, b) = (split_pair(builder, a), split_pair(builder, b));
    let product = multiply_words(builder, a, b);
    join_pair(builder, product)
}

/// Emits the negation of a 64-bit integer that is a pair of words.
pub(crate) fn negate(builder: &mut ValueBuilder, val: Val) -> Val {
    let words = split_pair(builder, val);
    let zero = words.map(|word| builder.constant_like(word, 0));
    let negated = subtract_words(builder, zero, words);
    join_pair(builder, negated)
}

/// Computes the absolute value of a signed 64-bit integer that is a pair of words.
pub(crate) fn compute_absolute(builder: &mut ValueBuilder, val: Val) -> Val {
    let words = split_pair(builder, val);
    let negated = negate(builder, val);
    let negated = split_pair(builder, negated);
    let below = builder.emit_compare_bits(Spv::SLessThan, words[1], 0);
    let result = select_words(builder, below, negated, words);
    join_pair(builder, result)
}

/// Emits `passes ? a : b` of lanes that are pairs of words.
pub(crate) fn select_pair(builder: &mut ValueBuilder, passes: Lane, a: Lane, b: Lane) -> Lane {
    let passes = builder.read_lane_val(passes, Scalar::BoolInt);
    let [a, b] = [a, b].map(|lane| {
        let val = builder.read_lane_val(lane, Scalar::Pair);
        split_pair(builder, val)
    });
    let words = select_words(builder, passes, a, b);
    join_pair(builder, words).lane(0)
}

/// Emits `cond ? a : b` of 64-bit integers in two words.
fn select_words(builder: &mut ValueBuilder, cond: Val, a: WideWords, b: WideWords) -> WideWords {
    [
        builder.emit_select(cond, a[0], b[0]),
        builder.emit_select(cond, a[1], b[1]),
    ]
}

/// Emits a bitwise instruction for the low and for the high words.
fn apply_to_words(builder: &mut ValueBuilder, op: Spv, a: WideWords, b: WideWords) -> WideWords {
    [
        builder.emit_binary(op, a[0], b[0]),
        builder.emit_binary(op, a[1], b[1]),
    ]
}

/// Emits the word 1 if the condition is true, else 0.
fn select_bit(builder: &mut ValueBuilder, cond: Val) -> Val {
    let zero = builder.constant_u32_val(0);
    let one = builder.constant_like(zero, 1);
    builder.emit_select(cond, one, zero)
}

/// Adds 64-bit integers, with carry between the words.
fn add_words(builder: &mut ValueBuilder, a: WideWords, b: WideWords) -> WideWords {
    let low = builder.emit_binary(Spv::IAdd, a[0], b[0]);
    // An unsigned sum that wrapped is less than each summand.
    let carry = builder.emit_test(Spv::ULessThan, low, a[0]);
    let carry = select_bit(builder, carry);
    let high = builder.emit_binary(Spv::IAdd, a[1], b[1]);
    [low, builder.emit_binary(Spv::IAdd, high, carry)]
}

/// Subtracts 64-bit integers, with borrow between the words.
fn subtract_words(builder: &mut ValueBuilder, a: WideWords, b: WideWords) -> WideWords {
    // A low word that is less than its subtrahend borrows 2^32 from the high word.
    let low = builder.emit_binary(Spv::ISub, a[0], b[0]);
    let borrow = builder.emit_test(Spv::ULessThan, a[0], b[0]);
    let borrow = select_bit(builder, borrow);
    let high = builder.emit_binary(Spv::ISub, a[1], b[1]);
    [low, builder.emit_binary(Spv::ISub, high, borrow)]
}

/// Multiplies 64-bit integers; returns the low 64 bits.
// (a1 2^32 + a0)(b1 2^32 + b0) modulo 2^64 is a0 b0 + (a0 b1 + a1 b0) 2^32; only the low words of
// the two cross products contribute. In two's complement the same holds for signed factors.
fn multiply_words(builder: &mut ValueBuilder, a: WideWords, b: WideWords) -> WideWords {
    let [low, high] = int::compute_wide_product(builder, a[0], b[0]);
    // The product of the high words is beyond 64 bits.
    let cross = builder.emit_binary(Spv::IMul, a[0], b[1]);
    let high = builder.emit_binary(Spv::IAdd, high, cross);
    let cross = builder.emit_binary(Spv::IMul, a[1], b[0]);
    [low, builder.emit_binary(Spv::IAdd, high, cross)]
}

/// Computes the sign of a 64-bit integer: -1, 0 or 1; never -1 if it is unsigned.
fn compute_sign(builder: &mut ValueBuilder, a: WideWords, signed: bool) -> WideWords {
    let any = test_nonzero(builder, a);
    let low = select_bit(builder, any);
    let zero = builder.constant_like(low, 0);
    if !signed {
        return [low, zero];
    }
    let below = builder.emit_compare_bits(Spv::SLessThan, a[1], 0);
    let ones = builder.constant_like(low, 0xffff_ffff);
    select_words(builder, below, [ones, ones], [low, zero])
}

/// Tests that a 64-bit integer in two words is not 0.
pub(crate) fn test_nonzero(builder: &mut ValueBuilder, a: WideWords) -> Val {
    let any = builder.emit_binary(Spv::BitwiseOr, a[0], a[1]);
    builder.emit_compare_bits(Spv::INotEqual, any, 0)
}

/// Tests that two 64-bit integers are equal.
fn test_equal(builder: &mut ValueBuilder, a: WideWords, b: WideWords) -> Val {
    let low = builder.emit_test(Spv::IEqual, a[0], b[0]);
    let high = builder.emit_test(Spv::IEqual, a[1], b[1]);
    builder.emit_logical(Spv::LogicalAnd, low, high)
}

/// Tests that `a` is less than `b`, as signed or unsigned 64-bit integers.
fn test_less(builder: &mut ValueBuilder, a: WideWords, b: WideWords, signed: bool) -> Val {
    let op = if signed {
        Spv::SLessThan
    } else {
        Spv::ULessThan
    };
    // The sign is in the high words; low words compare as unsigned in either case.
    let above = builder.emit_test(op, a[1], b[1]);
    let same = builder.emit_test(Spv::IEqual, a[1], b[1]);
    let below = builder.emit_test(Spv::ULessThan, a[0], b[0]);
    let both = builder.emit_logical(Spv::LogicalAnd, same, below);
    builder.emit_logical(Spv::LogicalOr, above, both)
}

/// Splits the count of a shift, modulo 64, into the count within a word, 31 less that count, and a
/// flag for counts of a word or more.
fn split_shift_count(builder: &mut ValueBuilder, count: Val) -> (Val, Val, Val) {
    // Counts are taken modulo 64: bit 5 represents a whole word, the lower bits the rest.
    let (last, word) = (
        builder.constant_like(count, 31),
        builder.constant_like(count, 32),
    );
    let within = builder.emit_binary(Spv::BitwiseAnd, count, last);
    let complement = builder.emit_binary(Spv::ISub, last, within);
    let beyond = builder.emit_binary(Spv::BitwiseAnd, count, word);
    let beyond = builder.emit_compare_bits(Spv::INotEqual, beyond, 0);
    (within, complement, beyond)
}

/// Emits `a << count` of a 64-bit integer in two words; counts are taken modulo 64.
fn shift_left(builder: &mut ValueBuilder, a: WideWords, count: Val) -> WideWords {
    let (within, complement, beyond) = split_shift_count(builder, count);
    let low = builder.emit_binary(Spv::ShiftLeftLogical, a[0], within);
    // Shifted in two steps: for a count of 0 a single shift would be by 32, which SPIR-V leaves
    // undefined.
    let carried = builder.emit_binary_bits(Spv::ShiftRightLogical, a[0], 1);
    let carried = builder.emit_binary(Spv::ShiftRightLogical, carried, complement);
    let high = builder.emit_binary(Spv::ShiftLeftLogical, a[1], within);
    let high = builder.emit_binary(Spv::BitwiseOr, high, carried);
    let zero = builder.constant_like(low, 0);
    // By a word or more: the shifted low word becomes the high one.
    select_words(builder, beyond, [zero, low], [low, high])
}

/// Shifts a 64-bit integer to the right by `count` modulo 64 bits, arithmetically for signed types.
fn shift_right(builder: &mut ValueBuilder, a: WideWords, count: Val, ty: Type) -> WideWords {
    let op = select_by_sign(ty, [Spv::ShiftRightArithmetic, Spv::ShiftRightLogical]);
    let (within, complement, beyond) = split_shift_count(builder, count);
    let high = builder.emit_binary(op, a[1], within);
    // In two steps for the same reason as in `shift_left`.
    let carried = builder.emit_binary_bits(Spv::ShiftLeftLogical, a[1], 1);
    let carried = builder.emit_binary(Spv::ShiftLeftLogical, carried, complement);
    let low = builder.emit_binary(Spv::ShiftRightLogical, a[0], within);
    let low = builder.emit_binary(Spv::BitwiseOr, low, carried);
    // Bits shifted in from above a whole word: copies of the sign, or zeros.
    let fill = compute_high_word(builder, a[1], ty);
    select_words(builder, beyond, [high, fill], [low, high])
}

/// Extracts 64-bit lane `half` of the two that four words contain.
pub(crate) fn extract_wide_lane(builder: &mut ValueBuilder, words: Val, half: usize) -> Lane {
    let pair = [words.lane(2 * half), words.lane(2 * half + 1)];
    let pair = builder.gather_vector(&pair, Scalar::U32);
    pack_words(builder, pair)
}

/// Packs a vector of two words as a 64-bit lane: an integer, or a pair if the device lacks them.
/// Constant words become a constant.
pub(crate) fn pack_words(builder: &mut ValueBuilder, words: Val) -> Lane {
    let (scalar, op) = choose_word_cast(builder);
    if let (Some(low), Some(high)) = (
        find_constant_word(builder, words, 0),
        find_constant_word(builder, words, 1),
    ) {
        return Lane::scalar(builder.constant(scalar, low | high << 32));
    }
    builder.emit_op(op, scalar, 1, &[words.id.0]).lane(0)
}

/// Unpacks a 64-bit lane as a vector of two words.
pub(crate) fn unpack_words(builder: &mut ValueBuilder, lane: Lane) -> Val {
    let (scalar, op) = choose_word_cast(builder);
    let wide = builder.read_lane(lane, scalar);
    builder.emit_op(op, Scalar::U32, 2, &[wide.0])
}

/// Chooses the scalar of 64-bit integers, and the operation that converts a vector of two words to
/// one and back.
fn choose_word_cast(module: &ModuleWriter) -> (Scalar, Spv) {
    let scalar = module.wide_int_scalar();
    let op = if scalar == Scalar::Pair {
        // The same vector as another type: a pair is a vector of two words.
        Spv::CopyObject
    } else {
        Spv::Bitcast
    };
    (scalar, op)
}

/// Returns the bits of component `index` of a vector of words, or of a scalar; `None` if it is not
/// constant.
fn find_constant_word(module: &ModuleWriter, words: Val, index: usize) -> Option<u64> {
    let part = if words.size == 1 {
        words.id
    } else {
        module.derived(words.id).parts[index]
    };
    part.is_some().then(|| module.constant_bits(part)).flatten()
}
