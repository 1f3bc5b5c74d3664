//! Arithmetic of 64-bit integers on devices without them: pairs of words. Also conversion of 64-bit
//! lanes from and to words.

use super::{Lane, ModuleWriter, Scalar, Val, ValueBuilder, by_sign, int};
use glasm_ir::{Inst, Op, Type};
use spirv::Op as Spv;

/// Low and high word of a 64-bit value.
pub(crate) type WideWords = [Val; 2];

/// Computes the result of an operation; returns `None` if it is not emulated.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only some operations are emulated"
)]
pub(crate) fn compute(
    w: &mut ValueBuilder,
    inst: &Inst,
    x: WideWords,
    y: WideWords,
    z: WideWords,
) -> Option<WideWords> {
    let signed = inst.ty.is_signed_int();
    Some(match inst.op {
        Op::Mov => x,
        Op::Add => add_words(w, x, y),
        Op::Sub => subtract_words(w, x, y),
        Op::Mul => multiply_words(w, x, y),
        Op::Mad => {
            let product = multiply_words(w, x, y);
            add_words(w, product, z)
        }
        Op::And => apply_to_words(w, Spv::BitwiseAnd, x, y),
        Op::Or => apply_to_words(w, Spv::BitwiseOr, x, y),
        Op::Xor => apply_to_words(w, Spv::BitwiseXor, x, y),
        Op::Not => x.map(|word| w.unary(Spv::Not, word)),
        Op::Shl => shift_left(w, x, y[0]),
        Op::Shr => shift_right(w, x, y[0], inst.ty),
        // `x > y ? y : x`, as in `emit_min_max`.
        Op::Min => {
            let greater = test_less(w, y, x, signed);
            select_words(w, greater, y, x)
        }
        Op::Max => {
            let greater = test_less(w, y, x, signed);
            select_words(w, greater, x, y)
        }
        Op::Sign => compute_sign(w, x, signed),
        // No unsigned value is below 0.
        Op::SelLt if !signed => z,
        Op::SelLt => {
            let below = w.compare_bits(Spv::SLessThan, x[1], 0);
            select_words(w, below, y, z)
        }
        Op::SelNz => {
            let any = test_nonzero(w, x);
            select_words(w, any, y, z)
        }
        _ => return None,
    })
}

/// Emits the comparison of a comparison instruction.
#[expect(clippy::wildcard_enum_match_arm, reason = "only comparisons come here")]
pub(crate) fn compare(w: &mut ValueBuilder, inst: &Inst, x: WideWords, y: WideWords) -> Val {
    let signed = inst.ty.is_signed_int();
    match inst.op {
        Op::SetNe => {
            let equal = test_equal(w, x, y);
            w.not(equal)
        }
        Op::SetLt => test_less(w, x, y, signed),
        Op::SetGt => test_less(w, y, x, signed),
        Op::SetGe => {
            let less = test_less(w, x, y, signed);
            w.not(less)
        }
        Op::SetLe => {
            let greater = test_less(w, y, x, signed);
            w.not(greater)
        }
        // `SetEq`, the only remaining operation.
        _ => test_equal(w, x, y),
    }
}

/// Computes the upper word for the extension of a 32-bit integer to 64 bits.
pub(crate) fn compute_sign_word(w: &mut ValueBuilder, low: Val, from: Type) -> Val {
    if from.is_signed_int() {
        w.binary_bits(Spv::ShiftRightArithmetic, low, 31)
    } else {
        w.constant_like(low, 0)
    }
}

/// Splits a pair into its words.
pub(crate) fn split(w: &mut ValueBuilder, val: Val) -> WideWords {
    // Words of constants are constants, so that known words are folded further.
    if let Some(bits) = w.constant_bits(val.id) {
        return [bits, bits >> 32].map(|word| w.uint_val(word as u32));
    }
    [0, 1].map(|word| w.op(Spv::CompositeExtract, Scalar::U32, 1, &[val.id.0, word]))
}

/// Joins two words to a pair.
pub(crate) fn join(w: &mut ValueBuilder, [low, high]: WideWords) -> Val {
    if let (Some(low), Some(high)) = (w.splat_bits(low), w.splat_bits(high)) {
        return w.constant_splat(Scalar::Pair, low | high << 32, 1);
    }
    let operands = [low.id.0, high.id.0];
    w.op(Spv::CompositeConstruct, Scalar::Pair, 1, &operands)
}

/// Adds a constant to a 64-bit value.
pub(crate) fn add_constant(w: &mut ValueBuilder, val: Val, constant: u64) -> Val {
    if constant == 0 {
        return val;
    }
    let constant = w.constant_like(val, constant);
    if val.scalar != Scalar::Pair {
        return w.binary(Spv::IAdd, val, constant);
    }
    let (a, b) = (split(w, val), split(w, constant));
    let sum = add_words(w, a, b);
    join(w, sum)
}

/// Tests `a < b`, unsigned.
pub(crate) fn test_below(w: &mut ValueBuilder, a: Val, b: Val) -> Val {
    let (a, b) = (split(w, a), split(w, b));
    test_less(w, a, b, false)
}

/// Computes `a * b`.
pub(crate) fn compute_product(w: &mut ValueBuilder, a: Val, b: Val) -> Val {
    let (a, b) = (split(w, a), split(w, b));
    let product = multiply_words(w, a, b);
    join(w, product)
}

pub(crate) fn negate(w: &mut ValueBuilder, val: Val) -> Val {
    let words = split(w, val);
    let zero = words.map(|word| w.constant_like(word, 0));
    let negated = subtract_words(w, zero, words);
    join(w, negated)
}

pub(crate) fn compute_absolute(w: &mut ValueBuilder, val: Val) -> Val {
    let words = split(w, val);
    let negated = negate(w, val);
    let negated = split(w, negated);
    let below = w.compare_bits(Spv::SLessThan, words[1], 0);
    let result = select_words(w, below, negated, words);
    join(w, result)
}

/// Selects `passes ? a : b` of lanes of pairs.
pub(crate) fn select(w: &mut ValueBuilder, passes: Lane, a: Lane, b: Lane) -> Lane {
    let passes = w.lane_val(passes, Scalar::BoolInt);
    let [a, b] = [a, b].map(|lane| {
        let val = w.lane_val(lane, Scalar::Pair);
        split(w, val)
    });
    let words = select_words(w, passes, a, b);
    join(w, words).lane(0)
}

fn select_words(w: &mut ValueBuilder, cond: Val, a: WideWords, b: WideWords) -> WideWords {
    [w.select(cond, a[0], b[0]), w.select(cond, a[1], b[1])]
}

fn apply_to_words(w: &mut ValueBuilder, op: Spv, a: WideWords, b: WideWords) -> WideWords {
    [w.binary(op, a[0], b[0]), w.binary(op, a[1], b[1])]
}

/// Selects 1 if the condition is true, else 0.
fn select_bit(w: &mut ValueBuilder, cond: Val) -> Val {
    let zero = w.uint_val(0);
    let one = w.constant_like(zero, 1);
    w.select(cond, one, zero)
}

fn add_words(w: &mut ValueBuilder, a: WideWords, b: WideWords) -> WideWords {
    let low = w.binary(Spv::IAdd, a[0], b[0]);
    // An unsigned sum that wrapped is less than each summand.
    let carry = w.test(Spv::ULessThan, low, a[0]);
    let carry = select_bit(w, carry);
    let high = w.binary(Spv::IAdd, a[1], b[1]);
    [low, w.binary(Spv::IAdd, high, carry)]
}

fn subtract_words(w: &mut ValueBuilder, a: WideWords, b: WideWords) -> WideWords {
    // A low word that is less than its subtrahend borrows 2^32 from the high word.
    let low = w.binary(Spv::ISub, a[0], b[0]);
    let borrow = w.test(Spv::ULessThan, a[0], b[0]);
    let borrow = select_bit(w, borrow);
    let high = w.binary(Spv::ISub, a[1], b[1]);
    [low, w.binary(Spv::ISub, high, borrow)]
}

// (a1 2^32 + a0)(b1 2^32 + b0) modulo 2^64 is a0 b0 + (a0 b1 + a1 b0) 2^32; only the low words of
// the two cross products contribute. In two's complement the same holds for signed factors.
fn multiply_words(w: &mut ValueBuilder, a: WideWords, b: WideWords) -> WideWords {
    let [low, high] = int::compute_wide_product(w, a[0], b[0]);
    // The product of the high words is beyond 64 bits.
    let cross = w.binary(Spv::IMul, a[0], b[1]);
    let high = w.binary(Spv::IAdd, high, cross);
    let cross = w.binary(Spv::IMul, a[1], b[0]);
    [low, w.binary(Spv::IAdd, high, cross)]
}

/// Computes -1, 0 or 1.
fn compute_sign(w: &mut ValueBuilder, a: WideWords, signed: bool) -> WideWords {
    let any = test_nonzero(w, a);
    let low = select_bit(w, any);
    let zero = w.constant_like(low, 0);
    if !signed {
        return [low, zero];
    }
    let below = w.compare_bits(Spv::SLessThan, a[1], 0);
    let ones = w.constant_like(low, 0xffff_ffff);
    select_words(w, below, [ones, ones], [low, zero])
}

/// Tests whether a pair is not 0.
pub(crate) fn test_nonzero(w: &mut ValueBuilder, a: WideWords) -> Val {
    let any = w.binary(Spv::BitwiseOr, a[0], a[1]);
    w.compare_bits(Spv::INotEqual, any, 0)
}

fn test_equal(w: &mut ValueBuilder, a: WideWords, b: WideWords) -> Val {
    let low = w.test(Spv::IEqual, a[0], b[0]);
    let high = w.test(Spv::IEqual, a[1], b[1]);
    w.truth_op(Spv::LogicalAnd, low, high)
}

fn test_less(w: &mut ValueBuilder, a: WideWords, b: WideWords, signed: bool) -> Val {
    let op = if signed {
        Spv::SLessThan
    } else {
        Spv::ULessThan
    };
    // The sign is in the high words; low words compare as unsigned in either case.
    let above = w.test(op, a[1], b[1]);
    let same = w.test(Spv::IEqual, a[1], b[1]);
    let below = w.test(Spv::ULessThan, a[0], b[0]);
    let both = w.truth_op(Spv::LogicalAnd, same, below);
    w.truth_op(Spv::LogicalOr, above, both)
}

/// Splits the count of a shift into the count within a word, the remaining bits of a word, and a
/// flag for counts of a word or more.
fn split_count(w: &mut ValueBuilder, count: Val) -> (Val, Val, Val) {
    // Counts are taken modulo 64: bit 5 represents a whole word, the lower bits the rest.
    let (last, word) = (w.constant_like(count, 31), w.constant_like(count, 32));
    let within = w.binary(Spv::BitwiseAnd, count, last);
    let rest = w.binary(Spv::ISub, last, within);
    let beyond = w.binary(Spv::BitwiseAnd, count, word);
    let beyond = w.compare_bits(Spv::INotEqual, beyond, 0);
    (within, rest, beyond)
}

fn shift_left(w: &mut ValueBuilder, a: WideWords, count: Val) -> WideWords {
    let (within, rest, beyond) = split_count(w, count);
    let low = w.binary(Spv::ShiftLeftLogical, a[0], within);
    // Shifted in two steps: for a count of 0 a single shift would be by 32, which SPIR-V leaves
    // undefined.
    let carried = w.binary_bits(Spv::ShiftRightLogical, a[0], 1);
    let carried = w.binary(Spv::ShiftRightLogical, carried, rest);
    let high = w.binary(Spv::ShiftLeftLogical, a[1], within);
    let high = w.binary(Spv::BitwiseOr, high, carried);
    let zero = w.constant_like(low, 0);
    // By a word or more: the shifted low word becomes the high one.
    select_words(w, beyond, [zero, low], [low, high])
}

fn shift_right(w: &mut ValueBuilder, a: WideWords, count: Val, ty: Type) -> WideWords {
    let op = by_sign(ty, [Spv::ShiftRightArithmetic, Spv::ShiftRightLogical]);
    let (within, rest, beyond) = split_count(w, count);
    let high = w.binary(op, a[1], within);
    // In two steps for the same reason as in `shift_left`.
    let carried = w.binary_bits(Spv::ShiftLeftLogical, a[1], 1);
    let carried = w.binary(Spv::ShiftLeftLogical, carried, rest);
    let low = w.binary(Spv::ShiftRightLogical, a[0], within);
    let low = w.binary(Spv::BitwiseOr, low, carried);
    // Bits shifted in from above a whole word: copies of the sign, or zeros.
    let fill = compute_sign_word(w, a[1], ty);
    select_words(w, beyond, [high, fill], [low, high])
}

/// Extracts 64-bit lane `half` of the two that four words contain.
pub(crate) fn extract_lane(w: &mut ValueBuilder, words: Val, half: usize) -> Lane {
    let pair = [words.lane(2 * half), words.lane(2 * half + 1)];
    let pair = w.gather_vector(&pair, Scalar::U32);
    pack_words(w, pair)
}

/// Packs a vector of two words as a 64-bit lane.
pub(crate) fn pack_words(w: &mut ValueBuilder, words: Val) -> Lane {
    let (scalar, op) = choose_cast(w);
    if let (Some(low), Some(high)) = (find_part_bits(w, words, 0), find_part_bits(w, words, 1)) {
        return Lane::scalar(w.constant(scalar, low | high << 32));
    }
    w.op(op, scalar, 1, &[words.id.0]).lane(0)
}

/// Unpacks a 64-bit lane as a vector of two words.
pub(crate) fn unpack_words(w: &mut ValueBuilder, lane: Lane) -> Val {
    let (scalar, op) = choose_cast(w);
    let wide = w.scalar(lane, scalar);
    w.op(op, Scalar::U32, 2, &[wide.0])
}

/// Chooses the scalar of 64-bit integers, and the operation that converts a vector of two words to
/// one and back.
fn choose_cast(w: &ModuleWriter) -> (Scalar, Spv) {
    let scalar = w.wide_int();
    let op = if scalar == Scalar::Pair {
        // The same vector as another type: a pair is a vector of two words.
        Spv::CopyObject
    } else {
        Spv::Bitcast
    };
    (scalar, op)
}

fn find_part_bits(w: &ModuleWriter, words: Val, index: usize) -> Option<u64> {
    let part = if words.size == 1 {
        words.id
    } else {
        w.derived(words.id).parts[index]
    };
    part.is_some().then(|| w.constant_bits(part)).flatten()
}
