//! The operations on single lanes. Each function receives the operands after swizzle and modifiers,
//! as bits of the type.

use std::cmp::Ordering;

use super::convert::{convert, from_f64, to_f64};
use super::evaluate::Products;
use super::value::{compare, encode_bool, encode_one, is_negative, lane_mask, to_signed};
use crate::inst::{Rounding, Saturate};
use crate::types::{Base, Type};

/// Computes in double precision and rounds to the type. NaN results are canonical, independent of
/// the host.
fn compute_float<const N: usize>(
    ty: Type,
    operands: [u64; N],
    f: impl FnOnce([f64; N]) -> f64,
) -> u64 {
    // Sums, differences, products, quotients and square roots of narrower floats are as if rounded
    // once: the 53 digits of a double are at least 2 * 24 + 2.
    let value = f(operands.map(|bits| to_f64(ty, bits)));
    from_f64(ty, if value.is_nan() { f64::NAN } else { value })
}

/// Computes with integers modulo the width, or with floats.
fn compute_number<const N: usize>(
    ty: Type,
    operands: [u64; N],
    on_floats: impl FnOnce([f64; N]) -> f64,
    on_integers: impl FnOnce([u64; N]) -> u64,
) -> u64 {
    if ty.is_float() {
        compute_float(ty, operands, on_floats)
    } else {
        on_integers(operands) & lane_mask(ty.width())
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

/// Returns the product of floats where zero of either sign times anything is +0.
fn eval_legacy_mul(ty: Type, operands: [u64; 2]) -> u64 {
    if ty == Type::F32 && operands.iter().any(|&bits| to_f64(ty, bits) == 0.0) {
        0
    } else {
        eval_mul(ty, operands)
    }
}

/// Computes `a * b + c`, rounded once; `products` specifies the product of zero.
pub(super) fn eval_fma(ty: Type, [a, b, c]: [u64; 3], products: Products) -> u64 {
    let is_zero = |bits: u64| to_f64(ty, bits) == 0.0;
    if products == Products::ZeroWins && ty == Type::F32 && (is_zero(a) || is_zero(b)) {
        return eval_add(ty, [0, c]);
    }
    compute_float(ty, [a, b, c], |[a, b, c]| {
        if ty == Type::F64 {
            a.mul_add(b, c)
        } else {
            // The product of two 32-bit or narrower floats is exact: it has at most 24 + 24 digits, a
            // double has 53.
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

/// Returns the multiplication function for `products`.
pub(super) fn select_mul(products: Products) -> fn(Type, [u64; 2]) -> u64 {
    match products {
        Products::Ieee => eval_mul,
        Products::ZeroWins => eval_legacy_mul,
    }
}

pub(super) fn eval_mul_hi(ty: Type, [a, b]: [u64; 2]) -> u64 {
    // The operation exists for 32-bit integers only, so that products are far from the bounds of
    // `i128`.
    let product = match ty.base() {
        Base::Signed => i128::from(to_signed(ty.width(), a)) * i128::from(to_signed(ty.width(), b)),
        Base::Unsigned | Base::Float => i128::from(a) * i128::from(b),
    };
    (product >> ty.width().bits()) as u64 & lane_mask(ty.width())
}

pub(super) fn eval_div(ty: Type, operands: [u64; 2]) -> u64 {
    compute_number(
        ty,
        operands,
        |[a, b]| a / b,
        |[a, b]| compute_quotient(ty, a, b),
    )
}

fn compute_quotient(ty: Type, a: u64, b: u64) -> u64 {
    match (ty.base(), b) {
        // NV_gpu_program4 section 2.X.8.Z, DIV, leaves division by zero undefined; code generation
        // returns all ones, too.
        (_, 0) => u64::MAX,
        (Base::Signed, _) => to_signed(ty.width(), a).wrapping_div(to_signed(ty.width(), b)) as u64,
        (Base::Unsigned | Base::Float, _) => a / b,
    }
}

pub(super) fn eval_mod(ty: Type, [a, b]: [u64; 2]) -> u64 {
    let remainder = match (ty.base(), b) {
        // As in division. Negative operands are undefined as well (section 2.X.8.Z, MOD); the
        // remainder has the sign of the first operand.
        (_, 0) => u64::MAX,
        (Base::Signed, _) => to_signed(ty.width(), a).wrapping_rem(to_signed(ty.width(), b)) as u64,
        (Base::Unsigned | Base::Float, _) => a % b,
    };
    remainder & lane_mask(ty.width())
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

fn is_nan(ty: Type, a: u64) -> bool {
    to_f64(ty, a).is_nan()
}

pub(super) fn eval_nmin(ty: Type, [a, b]: [u64; 2]) -> u64 {
    // `min` returns its first operand for NaN, so only a NaN in that operand must be excluded.
    if is_nan(ty, a) {
        b
    } else {
        eval_min(ty, [a, b])
    }
}

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

pub(super) fn eval_round(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| a.round_ties_even())
}

/// Returns the value rounded to half precision: NV_fragment_program section 3.11.4.2.
pub(super) fn eval_round_half(ty: Type, [a]: [u64; 1]) -> u64 {
    let half = convert(ty, Type::F16, a, Rounding::Even, false);
    convert(Type::F16, ty, half, Rounding::Even, false)
}

/// Returns the value rounded to signed fixed point with ten fraction bits, a format without -0:
/// NV_fragment_program section 3.11.4.2.
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
        Some(Ordering::Less) => lane_mask(ty.width()),
        Some(Ordering::Equal) | None => 0,
    }
}

pub(super) fn eval_rcp(ty: Type, a: [u64; 1]) -> u64 {
    compute_float(ty, a, |[a]| 1.0 / a)
}

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

pub(super) fn eval_pow(ty: Type, operands: [u64; 2], products: Products) -> u64 {
    compute_float(ty, operands, |[a, b]| {
        // The formula of NV_gpu_program4 section 2.X.8.Z, POW: a negative base returns NaN, even
        // with an integral exponent. The logarithm of 0 is -infinity, so that 0 to the power 0 is
        // NaN, unless zero times infinity is 0.
        let log = a.log2();
        let zero_wins = products == Products::ZeroWins && (b == 0.0 || log == 0.0);
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

pub(super) fn eval_not(ty: Type, [a]: [u64; 1]) -> u64 {
    !a & lane_mask(ty.width())
}

/// Returns the count modulo the width, which is a power of two. NV_gpu_program4 section 2.X.8.Z,
/// SHL and SHR, leaves larger counts undefined.
fn shift_count(ty: Type, count: u64) -> u32 {
    count as u32 & (ty.width().bits() - 1)
}

pub(super) fn eval_shl(ty: Type, [a, count]: [u64; 2]) -> u64 {
    a << shift_count(ty, count) & lane_mask(ty.width())
}

pub(super) fn eval_shr(ty: Type, [a, count]: [u64; 2]) -> u64 {
    let count = shift_count(ty, count);
    match ty.base() {
        Base::Signed => (to_signed(ty.width(), a) >> count) as u64 & lane_mask(ty.width()),
        Base::Unsigned | Base::Float => a >> count,
    }
}

/// Returns a number of bits or a bit position, clamped to 64.
fn clamp_to_64(value: u64) -> u32 {
    value.min(64) as u32
}

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
    extended as u64 & lane_mask(ty.width())
}

pub(super) fn eval_bit_insert(ty: Type, [a, b, count, offset]: [u64; 4]) -> u64 {
    let (count, offset) = (clamp_to_64(count), clamp_to_64(offset));
    // A field has at most 64 bits and an offset is at most 64: no bit is beyond 128 bits.
    let field = ((1u128 << count) - 1) << offset;
    let inserted = u128::from(b) << offset & field;
    (u128::from(a) & !field | inserted) as u64 & lane_mask(ty.width())
}

pub(super) fn eval_bit_reverse(_: Type, [a]: [u64; 1]) -> u64 {
    u64::from((a as u32).reverse_bits())
}

pub(super) fn eval_bit_count(_: Type, [a]: [u64; 1]) -> u64 {
    u64::from(a.count_ones())
}

/// Returns the position of a bit, or -1.
fn to_position(bit: Option<u32>) -> u64 {
    u64::from(bit.unwrap_or(u32::MAX))
}

pub(super) fn eval_find_lsb(_: Type, [a]: [u64; 1]) -> u64 {
    to_position((a != 0).then(|| a.trailing_zeros()))
}

pub(super) fn eval_find_msb(ty: Type, [a]: [u64; 1]) -> u64 {
    // For negative numbers the highest bit that is 0: NV_gpu_program5 section 2.X.8.Z, BTFM.
    let differing = if ty.is_signed_int() && is_negative(ty, a) {
        !a & lane_mask(ty.width())
    } else {
        a
    };
    to_position(differing.checked_ilog2())
}

pub(super) fn eval_set_eq(ty: Type, [a, b]: [u64; 2]) -> u64 {
    encode_bool(ty, compare(ty, a, b) == Some(Ordering::Equal))
}

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

pub(super) fn eval_sel_lt(ty: Type, [a, b, c]: [u64; 3]) -> u64 {
    if is_negative(ty, a) { b } else { c }
}

pub(super) fn eval_sel_nz(_: Type, [a, b, c]: [u64; 3]) -> u64 {
    if a != 0 { b } else { c }
}

/// Clamps a float to `[least, 1]`; NaN becomes `least`, unless the clamp preserves it.
pub(super) fn clamp_float(ty: Type, bits: u64, clamp: Saturate) -> u64 {
    let value = to_f64(ty, bits);
    let least = clamp.low();
    if value < least || value.is_nan() && !clamp.keeps_nan() {
        from_f64(ty, least)
    } else if value > 1.0 {
        encode_one(ty)
    } else {
        bits
    }
}
