//! The operations of the arithmetic unit, on bits of the type after swizzle and modifiers.
//!
//! First the operations on single lanes; then dot products and packs, which use whole vectors; then
//! thread group operations, for a group of one invocation with index 0.

use super::convert::{
    compare, convert, encode_bool, encode_one, from_f64, get_lane_mask, is_negative, is_zero,
    to_f64, to_signed,
};
use super::evaluate::ZeroTimesInf;
use crate::inst::{Rounding, Saturate};
use crate::op::Op;
use crate::types::{BaseType, Type};
use std::cmp::Ordering;

/// Computes in double precision and rounds to the type. NaN results are canonical, independent of
/// the host.
fn compute_float<const N: usize>(
    ty: Type,
    operands: [u64; N],
    compute: impl FnOnce([f64; N]) -> f64,
) -> u64 {
    // Sums, differences, products, quotients and square roots of narrower floats are as if rounded
    // once: the 53 digits of a double are at least 2 * 24 + 2.
    let value = compute(operands.map(|bits| to_f64(ty, bits)));
    from_f64(ty, if value.is_nan() { f64::NAN } else { value })
}

/// Computes with integers modulo the width, or with floats, by the base of `ty`.
fn compute_number<const N: usize>(
    ty: Type,
    operands: [u64; N],
    compute_floats: impl FnOnce([f64; N]) -> f64,
    compute_integers: impl FnOnce([u64; N]) -> u64,
) -> u64 {
    if ty.is_float() {
        compute_float(ty, operands, compute_floats)
    } else {
        compute_integers(operands) & get_lane_mask(ty.width())
    }
}

pub(super) fn eval_mov(_: Type, [a]: [u64; 1]) -> u64 {
    a
}

pub(super) fn eval_add(ty: Type, operands: [u64; 2]) -> u64 {
    compute_number(ty, operands, |[a, b]| a + b, |[a, b]| a.wrapping_add(b))
}

pub(super) fn eval_sub(ty: Type, operands: [u64; 2]) -> u64 {
    compute_number(ty, operands, |[a, b]| a - b, |[a, b]| a.wrapping_sub(b))
}

pub(super) fn eval_mul(ty: Type, operands: [u64; 2]) -> u64 {
    compute_number(ty, operands, |[a, b]| a * b, |[a, b]| a.wrapping_mul(b))
}

/// Returns the product, where zero of either sign times anything is +0 for 32-bit floats. Products
/// of other types are unchanged.
fn eval_legacy_mul(ty: Type, operands: [u64; 2]) -> u64 {
    if ty == Type::F32 && operands.iter().any(|&bits| to_f64(ty, bits) == 0.0) {
        0
    } else {
        eval_mul(ty, operands)
    }
}

/// Computes `a * b + c`, rounded once. `zero_times_inf` specifies the product of zero and infinity
/// of 32-bit floats.
pub(super) fn eval_fma(ty: Type, [a, b, c]: [u64; 3], zero_times_inf: ZeroTimesInf) -> u64 {
    let is_zero = |bits: u64| to_f64(ty, bits) == 0.0;
    if zero_times_inf == ZeroTimesInf::Zero && ty == Type::F32 && (is_zero(a) || is_zero(b)) {
        return eval_add(ty, [0, c]);
    }
    compute_float(ty, [a, b, c], |[a, b, c]| {
        if ty == Type::F64 {
            a.mul_add(b, c)
        } else {
            // The product of two 32-bit or narrower floats is exact: it has at most 24 + 24 digits,
            // a double has 53.
            add_to_odd(a * b, c)
        }
    })
}

/// Returns the sum rounded to odd: the last bit indicates an inexact result, so that rounding again
/// to at most half of the digits is equivalent to rounding the exact sum.
fn add_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // Knuth's two-sum: without overflow, `sum + error` is exactly `a + b`, independent of the order
    // of the operands.
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    if !sum.is_finite() || error == 0.0 || sum.to_bits() & 1 != 0 {
        return sum;
    }
    // Of the two doubles around the exact sum, this one is even.
    if (error > 0.0) == (sum > 0.0) {
        f64::from_bits(sum.to_bits() + 1)
    } else {
        f64::from_bits(sum.to_bits() - 1)
    }
}

/// Returns the multiplication whose product of zero and infinity is as `products` specifies.
pub(super) fn select_mul_function(products: ZeroTimesInf) -> fn(Type, [u64; 2]) -> u64 {
    match products {
        ZeroTimesInf::Nan => eval_mul,
        ZeroTimesInf::Zero => eval_legacy_mul,
    }
}

/// Returns the high half of the product of 32-bit integers, signed or unsigned as `ty` specifies.
pub(super) fn eval_mul_hi(ty: Type, [a, b]: [u64; 2]) -> u64 {
    // The operation exists for 32-bit integers only, so that products are far from the bounds of
    // `i128`.
    let product = match ty.base() {
        BaseType::SignedInt => {
            i128::from(to_signed(ty.width(), a)) * i128::from(to_signed(ty.width(), b))
        }
        BaseType::UnsignedInt | BaseType::Float => i128::from(a) * i128::from(b),
    };
    (product >> ty.width().bits()) as u64 & get_lane_mask(ty.width())
}

/// Returns the quotient; integer division truncates, and division by zero returns all ones.
pub(super) fn eval_div(ty: Type, operands: [u64; 2]) -> u64 {
    compute_number(
        ty,
        operands,
        |[a, b]| a / b,
        |[a, b]| compute_quotient(ty, a, b),
    )
}

/// Returns the truncated quotient of integers, all ones for division by zero; the caller truncates
/// it to the width of `ty`.
fn compute_quotient(ty: Type, a: u64, b: u64) -> u64 {
    match (ty.base(), b) {
        // NV_gpu_program4 section 2.X.8.Z, DIV, leaves division by zero undefined; code generation
        // returns all ones, too.
        (_, 0) => u64::MAX,
        (BaseType::SignedInt, _) => {
            to_signed(ty.width(), a).wrapping_div(to_signed(ty.width(), b)) as u64
        }
        (BaseType::UnsignedInt | BaseType::Float, _) => a / b,
    }
}

/// Returns the remainder of a truncated integer division, all ones for division by zero.
pub(super) fn eval_mod(ty: Type, [a, b]: [u64; 2]) -> u64 {
    let remainder = match (ty.base(), b) {
        // As in division. Negative operands are undefined as well (section 2.X.8.Z, MOD); the
        // remainder has the sign of the first operand.
        (_, 0) => u64::MAX,
        (BaseType::SignedInt, _) => {
            to_signed(ty.width(), a).wrapping_rem(to_signed(ty.width(), b)) as u64
        }
        (BaseType::UnsignedInt | BaseType::Float, _) => a % b,
    };
    remainder & get_lane_mask(ty.width())
}

/// Returns `a > b ? b : a`, which is `a` if either is NaN: NV_gpu_program4 section 2.X.8.Z, MIN.
pub(super) fn eval_min(ty: Type, [a, b]: [u64; 2]) -> u64 {
    if compare(ty, a, b) == Some(Ordering::Greater) {
        b
    } else {
        a
    }
}

/// Returns `a > b ? a : b`, which is `b` if either is NaN: NV_gpu_program4 section 2.X.8.Z, MAX.
pub(super) fn eval_max(ty: Type, [a, b]: [u64; 2]) -> u64 {
    if compare(ty, a, b) == Some(Ordering::Greater) {
        a
    } else {
        b
    }
}

/// Returns true if a float of type `ty` is NaN.
fn is_nan(ty: Type, a: u64) -> bool {
    to_f64(ty, a).is_nan()
}

/// Returns the lesser operand; if one is NaN, the other one.
pub(super) fn eval_nmin(ty: Type, [a, b]: [u64; 2]) -> u64 {
    // `min` returns its first operand for NaN, so only a NaN in that operand must be excluded.
    if is_nan(ty, a) {
        b
    } else {
        eval_min(ty, [a, b])
    }
}

/// Returns the greater operand; if one is NaN, the other one.
pub(super) fn eval_nmax(ty: Type, [a, b]: [u64; 2]) -> u64 {
    // `max` returns its second operand for NaN.
    if is_nan(ty, b) {
        a
    } else {
        eval_max(ty, [a, b])
    }
}

pub(super) fn eval_floor(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| a.floor())
}

pub(super) fn eval_ceil(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| a.ceil())
}

pub(super) fn eval_trunc(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| a.trunc())
}

/// Returns the nearest integral number, the even one of two.
pub(super) fn eval_round(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| a.round_ties_even())
}

/// Returns the value rounded to half precision: NV_fragment_program section 3.11.4.2.
pub(super) fn eval_round_half(ty: Type, [a]: [u64; 1]) -> u64 {
    let half = convert(ty, Type::F16, a, Rounding::Even, false);
    convert(Type::F16, ty, half, Rounding::Even, false)
}

/// Returns the value rounded to signed fixed point with ten fraction bits, a format without -0:
/// NV_fragment_program section 3.11.4.2. Values out of range are clamped; NaN becomes 0.
pub(super) fn eval_round_fixed(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| {
        let steps = (a * 1024.0).round_ties_even().clamp(-2048.0, 2047.0);
        // The conversion of NaN is 0.
        f64::from(steps as i32) / 1024.0
    })
}

/// Returns `a - floor(a)`, or the float below 1 if the difference rounds to 1, because fractions
/// are less than 1: NV_gpu_program4 section 2.X.8.Z, FRC.
pub(super) fn eval_fract(ty: Type, a: [u64; 1]) -> u64 {
    let difference = compute_float(ty, a, |[a]| a - a.floor());
    if difference == encode_one(ty) {
        encode_one(ty) - 1
    } else {
        difference
    }
}

/// Returns 1, 0 or -1; 0 for NaN.
pub(super) fn eval_sign(ty: Type, [a]: [u64; 1]) -> u64 {
    // NV_gpu_program4 section 2.X.8.Z, SSG, does not define the result for NaN, which compares
    // neither greater, equal nor less.
    match compare(ty, a, 0) {
        Some(Ordering::Greater) => encode_one(ty),
        Some(Ordering::Less) if ty.is_float() => from_f64(ty, -1.0),
        Some(Ordering::Less) => get_lane_mask(ty.width()),
        Some(Ordering::Equal) | None => 0,
    }
}

/// Returns the reciprocal; infinity for zero.
pub(super) fn eval_rcp(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| 1.0 / a)
}

/// Returns the reciprocal of the square root; NaN for negative numbers.
pub(super) fn eval_rsq(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| 1.0 / a.sqrt())
}

pub(super) fn eval_sqrt(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| a.sqrt())
}

pub(super) fn eval_exp2(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| a.exp2())
}

pub(super) fn eval_log2(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| a.log2())
}

/// Returns `exp2(b * log2(a))`; 1 if either factor is 0 and `zero_times_inf` defines such products
/// as 0.
pub(super) fn eval_pow(ty: Type, operands: [u64; 2], zero_times_inf: ZeroTimesInf) -> u64 {
    compute_float(ty, operands, |[a, b]| {
        // The formula of NV_gpu_program4 section 2.X.8.Z, POW: a negative base returns NaN, even
        // with an integral exponent. The logarithm of 0 is -infinity, so that 0 to the power 0 is
        // NaN, unless zero times infinity is 0.
        let log = a.log2();
        let zero_wins = zero_times_inf == ZeroTimesInf::Zero && (b == 0.0 || log == 0.0);
        if zero_wins { 1.0 } else { (b * log).exp2() }
    })
}

pub(super) fn eval_sin(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| a.sin())
}

pub(super) fn eval_cos(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| a.cos())
}

pub(super) fn eval_and(_: Type, [a, b]: [u64; 2]) -> u64 {
    a & b
}

pub(super) fn eval_or(_: Type, [a, b]: [u64; 2]) -> u64 {
    a | b
}

pub(super) fn eval_xor(_: Type, [a, b]: [u64; 2]) -> u64 {
    a ^ b
}

/// Returns the complement of the bits within the width of `ty`.
pub(super) fn eval_not(ty: Type, [a]: [u64; 1]) -> u64 {
    !a & get_lane_mask(ty.width())
}

/// Returns the count modulo the width, which is a power of two. NV_gpu_program4 section 2.X.8.Z,
/// SHL and SHR, leaves larger counts undefined.
fn wrap_shift_count(ty: Type, count: u64) -> u32 {
    count as u32 & (ty.width().bits() - 1)
}

/// Shifts left by the count modulo the width.
pub(super) fn eval_shl(ty: Type, [a, count]: [u64; 2]) -> u64 {
    a << wrap_shift_count(ty, count) & get_lane_mask(ty.width())
}

/// Shifts right by the count modulo the width: arithmetically for signed types, else logically.
pub(super) fn eval_shr(ty: Type, [a, count]: [u64; 2]) -> u64 {
    let count = wrap_shift_count(ty, count);
    match ty.base() {
        BaseType::SignedInt => {
            (to_signed(ty.width(), a) >> count) as u64 & get_lane_mask(ty.width())
        }
        BaseType::UnsignedInt | BaseType::Float => a >> count,
    }
}

/// Returns a number of bits or a bit position, clamped to 64.
fn clamp_to_64(value: u64) -> u32 {
    value.min(64) as u32
}

/// Returns `count` bits of a word from bit `offset` on, sign-extended for signed types.
/// NV_gpu_program5 section 2.X.8.Z, BFE. Bits beyond the word are copies of its sign for signed
/// types, else 0.
pub(super) fn eval_bit_extract(ty: Type, [a, count, offset]: [u64; 3]) -> u64 {
    // Fields beyond the word are undefined in NV_gpu_program5 (section 2.X.8.Z, BFE); no shift here
    // may overflow for them.
    let (count, offset) = (clamp_to_64(count), clamp_to_64(offset));
    let is_signed = ty.is_signed_int();
    // 128 bits also hold the extension of the word: its sign, or 0.
    let word = if is_signed {
        i128::from(to_signed(ty.width(), a))
    } else {
        i128::from(a)
    };
    let field = (word >> offset) & ((1 << count) - 1);
    let has_sign = is_signed && count > 0 && field >> (count - 1) & 1 == 1;
    let extended = if has_sign {
        field - (1 << count)
    } else {
        field
    };
    extended as u64 & get_lane_mask(ty.width())
}

/// Returns `a` with `count` bits from bit `offset` on replaced by the lowest bits of `b`.
/// NV_gpu_program5 section 2.X.8.Z, BFI. Bits beyond the word are dropped.
pub(super) fn eval_bit_insert(ty: Type, [a, b, count, offset]: [u64; 4]) -> u64 {
    let (count, offset) = (clamp_to_64(count), clamp_to_64(offset));
    // A field has at most 64 bits and an offset is at most 64: no bit is beyond 128 bits.
    let field = ((1u128 << count) - 1) << offset;
    let inserted = u128::from(b) << offset & field;
    (u128::from(a) & !field | inserted) as u64 & get_lane_mask(ty.width())
}

pub(super) fn eval_bit_reverse(_: Type, [a]: [u64; 1]) -> u64 {
    u64::from((a as u32).reverse_bits())
}

pub(super) fn eval_bit_count(_: Type, [a]: [u64; 1]) -> u64 {
    u64::from(a.count_ones())
}

/// Returns the position of a bit, or -1.
fn encode_bit_position(bit: Option<u32>) -> u64 {
    u64::from(bit.unwrap_or(u32::MAX))
}

/// Returns the position of the lowest bit that is 1; -1 if there is none.
pub(super) fn eval_find_lsb(_: Type, [a]: [u64; 1]) -> u64 {
    encode_bit_position((a != 0).then(|| a.trailing_zeros()))
}

/// Returns the position of the highest bit that is 1, or that is 0 for negative numbers of signed
/// types; -1 if there is none.
pub(super) fn eval_find_msb(ty: Type, [a]: [u64; 1]) -> u64 {
    // For negative numbers the highest bit that is 0: NV_gpu_program5 section 2.X.8.Z, BTFM.
    let differing = if ty.is_signed_int() && is_negative(ty, a) {
        !a & get_lane_mask(ty.width())
    } else {
        a
    };
    encode_bit_position(differing.checked_ilog2())
}

/// Returns true, in the encoding of `ty`, if the operands are equal; false with NaN.
pub(super) fn eval_set_eq(ty: Type, [a, b]: [u64; 2]) -> u64 {
    encode_bool(ty, compare(ty, a, b) == Some(Ordering::Equal))
}

/// Returns true, in the encoding of `ty`, if the operands differ or one is NaN.
pub(super) fn eval_set_ne(ty: Type, [a, b]: [u64; 2]) -> u64 {
    encode_bool(ty, compare(ty, a, b) != Some(Ordering::Equal))
}

pub(super) fn eval_set_lt(ty: Type, [a, b]: [u64; 2]) -> u64 {
    encode_bool(ty, compare(ty, a, b) == Some(Ordering::Less))
}

pub(super) fn eval_set_le(ty: Type, [a, b]: [u64; 2]) -> u64 {
    encode_bool(ty, compare(ty, a, b).is_some_and(Ordering::is_le))
}

pub(super) fn eval_set_gt(ty: Type, [a, b]: [u64; 2]) -> u64 {
    encode_bool(ty, compare(ty, a, b) == Some(Ordering::Greater))
}

pub(super) fn eval_set_ge(ty: Type, [a, b]: [u64; 2]) -> u64 {
    encode_bool(ty, compare(ty, a, b).is_some_and(Ordering::is_ge))
}

/// Returns `a < 0 ? b : c`.
pub(super) fn eval_sel_lt(ty: Type, [a, b, c]: [u64; 3]) -> u64 {
    if is_negative(ty, a) { b } else { c }
}

/// Returns `b` if a bit of `a` is 1, else `c`.
pub(super) fn eval_sel_nz(_: Type, [a, b, c]: [u64; 3]) -> u64 {
    if a != 0 { b } else { c }
}

/// Clamps a float to `[least, 1]`; NaN becomes `least`, unless the clamp preserves it. `least` is 0
/// or -1.
pub(super) fn clamp_float(ty: Type, bits: u64, clamp: Saturate) -> u64 {
    let value = to_f64(ty, bits);
    let least = clamp.lower_bound();
    if value < least || value.is_nan() && !clamp.preserves_nan() {
        from_f64(ty, least)
    } else if value > 1.0 {
        encode_one(ty)
    } else {
        bits
    }
}

type Vector = [u64; 4];

/// Returns the sum of the products of the first `N` lanes, added from the left, in all lanes.
pub(super) fn eval_dot<const N: usize>(
    ty: Type,
    sources: &[Vector],
    mul: fn(Type, [u64; 2]) -> u64,
) -> Vector {
    let product = |lane: usize| mul(ty, [sources[0][lane], sources[1][lane]]);
    let sum = (1..N).fold(product(0), |sum, lane| eval_add(ty, [sum, product(lane)]));
    [sum; 4]
}

/// Returns the bits of a float as a half float, rounded to nearest even.
fn convert_to_half(bits: u64) -> u64 {
    convert(Type::F32, Type::F16, bits, Rounding::Even, false)
}

/// Returns lanes x and y as half floats in one word, lane x in the low half. NV_gpu_program4
/// section 2.X.8.Z, PK2H.
pub(super) fn eval_pack_half2(_: Type, [a]: [Vector; 1]) -> Vector {
    [convert_to_half(a[0]) | convert_to_half(a[1]) << 16; 4]
}

/// Returns `round(clamp(v, 0, 1) * most)`; 0 for NaN.
fn convert_to_unorm(bits: u64, most: f64) -> u64 {
    let value = to_f64(Type::F32, bits);
    let value = if value.is_nan() {
        0.0
    } else {
        value.clamp(0.0, 1.0)
    };
    (value * most).round_ties_even() as u64
}

/// Returns lanes x and y as 16-bit unsigned normalized numbers in one word, lane x in the low half.
/// NV_gpu_program4 section 2.X.8.Z, PK2US.
pub(super) fn eval_pack_unorm2(_: Type, [a]: [Vector; 1]) -> Vector {
    [convert_to_unorm(a[0], 65535.0) | convert_to_unorm(a[1], 65535.0) << 16; 4]
}

/// Returns the four lanes as 8-bit unsigned normalized numbers in one word, lane x in the lowest
/// bits. NV_gpu_program4 section 2.X.8.Z, PK4UB.
pub(super) fn eval_pack_unorm4(_: Type, [a]: [Vector; 1]) -> Vector {
    [(0..4).fold(0, |word, lane| {
        word | convert_to_unorm(a[lane], 255.0) << (8 * lane)
    }); 4]
}

/// Returns the two half floats of word x as `low, high, low, high`. NV_gpu_program4 section
/// 2.X.8.Z, UP2H.
pub(super) fn eval_unpack_half2(_: Type, [a]: [Vector; 1]) -> Vector {
    let lane = |half: u64| convert(Type::F16, Type::F32, half & 0xffff, Rounding::Even, false);
    let (x, y) = (lane(a[0]), lane(a[0] >> 16));
    [x, y, x, y]
}

/// Returns the two 16-bit unsigned normalized numbers of word x as `low, high, low, high`.
/// NV_gpu_program4 section 2.X.8.Z, UP2US.
pub(super) fn eval_unpack_unorm2(_: Type, [a]: [Vector; 1]) -> Vector {
    let lane = |half: u64| from_f64(Type::F32, (half & 0xffff) as f64 / 65535.0);
    let (x, y) = (lane(a[0]), lane(a[0] >> 16));
    [x, y, x, y]
}

/// Returns the four 8-bit unsigned normalized numbers of word x, the lowest one first.
/// NV_gpu_program4 section 2.X.8.Z, UP4UB.
pub(super) fn eval_unpack_unorm4(_: Type, [a]: [Vector; 1]) -> Vector {
    [0, 8, 16, 24].map(|shift| from_f64(Type::F32, (a[0] >> shift & 0xff) as f64 / 255.0))
}

/// Returns two 64-bit lanes, each combined from two words with the low word first, as
/// `first, second, first, second`.
pub(super) fn eval_pack64(_: Type, [a]: [Vector; 1]) -> Vector {
    let (x, y) = (a[0] | a[1] << 32, a[2] | a[3] << 32);
    [x, y, x, y]
}

/// Returns the low and high words of the 64-bit lanes x and y, the low word first.
pub(super) fn eval_unpack64(_: Type, [a]: [Vector; 1]) -> Vector {
    let low = |lane: u64| lane & u64::from(u32::MAX);
    [low(a[0]), a[0] >> 32, low(a[1]), a[1] >> 32]
}

/// Returns true, as bits of the type, if the value is not zero.
pub(super) fn eval_group_any(ty: Type, [a]: [u64; 1]) -> u64 {
    encode_bool(ty, !is_zero(ty, a))
}

/// Returns true: a value equals itself.
pub(super) fn eval_group_equal(ty: Type, _: [u64; 1]) -> u64 {
    encode_bool(ty, true)
}

/// Returns the ballot: bit 0 is set if the value is not zero.
pub(super) fn eval_ballot(ty: Type, a: u64) -> u64 {
    u64::from(!is_zero(ty, a))
}

/// Returns in lane x whether the source invocation is in range, in lane y the own value. Values of
/// other invocations do not exist.
pub(super) fn eval_shuffle(op: Op, ty: Type, [value, index, mask]: [[u64; 4]; 3]) -> [u64; 4] {
    // The mask holds clamp and segmentation mask; NV_shader_thread_shuffle section 2.X.8.Z computes
    // `maxThreadId` from them. For thread 0 `minThreadId` is 0.
    let (index, limit, segments) = (index[0] & 31, mask[0] & 31, mask[0] >> 8 & 31);
    let last = limit & !segments;
    let in_range = if op == Op::ShuffleUp {
        index == 0 && last == 0
    } else if op == Op::ShuffleIndex {
        index & !segments <= last
    } else {
        index <= last
    };
    [encode_bool(ty, in_range), value[0], 0, 0]
}
