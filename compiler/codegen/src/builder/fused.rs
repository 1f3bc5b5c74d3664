//! Products and sums with one rounding, on devices without a guaranteed fused instruction: `Fma` of
//! GLSL.std.450 may round twice.
//!
//! An error-free sum or product is a pair: the rounded value and the rounding error, both floats.
//! The last bit of a sum rounded *to odd* records whether it was rounded; rounding it again, to
//! fewer digits, is equal to rounding the exact sum. (S. Boldo, G. Melquiond: Emulation of FMA and
//! correctly rounded sums, 2008.)

use super::{Scalar, Val, ValueBuilder, wide};
use glasm_ir::{InstFlags, Type};
use spirv::{GlslStd450Op as GlslOp, Op};

/// Returns `a * b + c` of floats of type `ty`, rounded once.
///
/// Exact for halves, and for 32-bit floats on devices with 64-bit floats. Otherwise products that
/// exceed the range of the type, or whose last digits do, may be rounded twice.
pub(crate) fn add_product(w: &mut ValueBuilder, factors: [Val; 2], summand: Val, ty: Type) -> Val {
    // No step may be contracted or computed with fewer digits.
    let flags = std::mem::replace(&mut w.flags, InstFlags::PRECISE);
    let size = factors
        .iter()
        .fold(summand.size, |size, it| size.max(it.size));
    let [a, b] = clear_factors(w, factors, ty);
    let [a, b, c] = [a, b, summand].map(|val| w.widen(val, size));
    let val = if ty == Type::F16 {
        // The product of two halves is a float of 32 bits.
        let product = w.binary(Op::FMul, a, b);
        add_to_odd(w, product, c)
    } else if ty == Type::F32 && w.device.float64 {
        let [a, b, c] = [a, b, c].map(|val| w.unary_to(Op::FConvert, Scalar::F64, val));
        let product = w.binary(Op::FMul, a, b);
        let sum = add_wide_to_odd(w, product, c);
        w.unary_to(Op::FConvert, Scalar::F32, sum)
    } else {
        compute_by_parts(w, [a, b, c])
    };
    w.flags = flags;
    val
}

/// Replaces factors whose product is +0 if zero takes precedence over infinities and NaN.
fn clear_factors(w: &mut ValueBuilder, factors: [Val; 2], ty: Type) -> [Val; 2] {
    if !w.zero_product || ty != Type::F32 {
        return factors;
    }
    let [a_zero, b_zero] = factors.map(|factor| w.compare_bits(Op::FOrdEqual, factor, 0));
    let either = w.test(Op::LogicalOr, a_zero, b_zero);
    factors.map(|factor| {
        let zero = w.constant_like(factor, 0);
        w.select(either, zero, factor)
    })
}

/// Computes the sum in arithmetic of the type itself.
fn compute_by_parts(w: &mut ValueBuilder, [a, b, c]: [Val; 3]) -> Val {
    let plain = w.ext(GlslOp::Fma, &[a, b, c]);
    let (product, low) = multiply_with_error(w, a, b);
    let (sum, error) = add_with_error(w, c, low);
    let (high, rest) = add_with_error(w, product, sum);
    // All preceding steps are exact: `high`, `rest` and `error` represent the exact sum. Two
    // roundings remain, of the rest and of the sum. Rounding to odd in the first one preserves the
    // information that the second one needs.
    let rest = if plain.scalar == Scalar::F64 {
        add_wide_to_odd(w, error, rest)
    } else {
        add_to_odd(w, error, rest)
    };
    let exact = w.binary(Op::FAdd, high, rest);
    // The result is NaN for infinities and for factors too large to be split.
    let difference = w.binary(Op::FSub, exact, exact);
    let finite = w.compare_bits(Op::FOrdEqual, difference, 0);
    w.select(finite, exact, plain)
}

/// Computes `a + b` rounded, and the rounding error.
fn add_with_error(w: &mut ValueBuilder, a: Val, b: Val) -> (Val, Val) {
    let sum = w.binary(Op::FAdd, a, b);
    let part = w.binary(Op::FSub, sum, a);
    let rest = w.binary(Op::FSub, sum, part);
    let [of_a, of_b] = [(a, rest), (b, part)].map(|(a, b)| w.binary(Op::FSub, a, b));
    (sum, w.binary(Op::FAdd, of_a, of_b))
}

/// Computes `a * b` rounded, and the rounding error.
fn multiply_with_error(w: &mut ValueBuilder, a: Val, b: Val) -> (Val, Val) {
    let product = w.binary(Op::FMul, a, b);
    let ([a_high, a_low], [b_high, b_low]) = (split_float(w, a), split_float(w, b));
    let highs = w.binary(Op::FMul, a_high, b_high);
    let mut error = w.binary(Op::FSub, highs, product);
    for (a, b) in [(a_high, b_low), (a_low, b_high), (a_low, b_low)] {
        let part = w.binary(Op::FMul, a, b);
        error = w.binary(Op::FAdd, error, part);
    }
    (product, error)
}

/// Splits `a` into the sum of two floats with half of its digits.
fn split_float(w: &mut ValueBuilder, a: Val) -> [Val; 2] {
    // Half of the digits, rounded up: of 53 and 24. Products of halves are then exact (Veltkamp,
    // Dekker).
    let digits = if a.scalar == Scalar::F64 { 27 } else { 12 };
    let scaled = w.binary_float(Op::FMul, a, f64::from((1u32 << digits) + 1));
    let rest = w.binary(Op::FSub, scaled, a);
    let high = w.binary(Op::FSub, scaled, rest);
    [high, w.binary(Op::FSub, a, high)]
}

/// Tests whether a rounded sum has an even last bit, and if it was rounded away from zero.
fn check_rounding(w: &mut ValueBuilder, sum: Val, error: Val, low: Val) -> [Val; 2] {
    let last = w.binary_bits(Op::BitwiseAnd, low, 1);
    let even = w.compare_bits(Op::IEqual, last, 0);
    let inexact = [Op::FOrdLessThan, Op::FOrdGreaterThan].map(|op| w.compare_bits(op, error, 0));
    let negative = w.compare_bits(Op::FOrdLessThan, sum, 0);
    let away = w.test(Op::LogicalNotEqual, inexact[0], negative);
    let inexact = w.test(Op::LogicalOr, inexact[0], inexact[1]);
    [w.test(Op::LogicalAnd, even, inexact), away]
}

/// Computes a sum to odd of 32-bit floats.
fn add_to_odd(w: &mut ValueBuilder, a: Val, b: Val) -> Val {
    let (sum, error) = add_with_error(w, a, b);
    let bits = w.reread(sum, Scalar::U32);
    let [wrong, away] = check_rounding(w, sum, error, bits);
    let [below, above] = [Op::ISub, Op::IAdd].map(|op| w.binary_bits(op, bits, 1));
    let odd = w.select(away, below, above);
    let bits = w.select(wrong, odd, bits);
    w.reread(bits, Scalar::F32)
}

/// Computes a sum to odd of 64-bit floats, whose bits are words: devices may lack integers of that
/// width.
fn add_wide_to_odd(w: &mut ValueBuilder, a: Val, b: Val) -> Val {
    let (sums, errors) = add_with_error(w, a, b);
    w.map_components(sums, |w, index| {
        let (sum, error) = (w.component(sums, index), w.component(errors, index));
        let pair = w.ext_to(GlslOp::UnpackDouble2x32, Scalar::Pair, 1, sum.id);
        let [low, high] = wide::split(w, pair);
        let [wrong, away] = check_rounding(w, sum, error, low);
        // Minus 1 in two's complement: a borrow may propagate into the high word.
        let below = wide::add_constant(w, pair, u64::MAX);
        let [below, below_high] = wide::split(w, below);
        // The last bit is even if this value is selected, so no carry occurs.
        let above = w.binary_bits(Op::BitwiseOr, low, 1);
        let odd = [(below, above), (below_high, high)].map(|(a, b)| w.select(away, a, b));
        let words = [(odd[0], low), (odd[1], high)].map(|(a, b)| w.select(wrong, a, b));
        let bits = wide::join(w, words);
        w.ext_to(GlslOp::PackDouble2x32, Scalar::F64, 1, bits.id)
    })
}
