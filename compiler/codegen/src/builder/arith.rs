//! Arithmetic of values: sums, products, logarithms, signs, clamps; operands with their modifiers.
//!
//! [`emit_fma`] rounds a product and a sum once, on devices without a guaranteed fused instruction:
//! `Fma` of GLSL.std.450 may round twice.
//!
//! An error-free sum or product is a pair: the rounded value and the rounding error, both floats.
//! The last bit of a sum rounded *to odd* records whether it was rounded; rounding it again, to
//! fewer digits, is equal to rounding the exact sum. (S. Boldo, G. Melquiond: Emulation of FMA and
//! correctly rounded sums, 2008.)

use super::{Extreme, ModuleWriter, ResultKey, Scalar, Val, ValueBuilder, int64_emulation};
use glasm_ir::{InstFlags, Saturate, Src, Type, interp};
use spirv::{GlslStd450Op as GlslOp, Op, Op as Spv};

/// Emits the sum of two values of one type.
pub(crate) fn add(builder: &mut ValueBuilder, a: Val, b: Val) -> Val {
    // Signed and unsigned integers have the same sum in two's complement, so registers need no
    // signedness.
    let op = if a.scalar.is_float() {
        Spv::FAdd
    } else {
        Spv::IAdd
    };
    builder.emit_binary(op, a, b)
}

/// Returns the product of two values of one type. A vector times a scalar is one instruction. If
/// the program requires that zero times anything is zero, 32-bit products have this rule.
pub(crate) fn multiply(builder: &mut ValueBuilder, a: Val, b: Val) -> Val {
    if !a.scalar.is_float() {
        // The low half of a product is the same for signed and unsigned factors.
        return builder.emit_binary(Spv::IMul, a, b);
    }
    if builder.zero_product && a.scalar == Scalar::F32 {
        return multiply_legacy(builder, a, b);
    }
    // Constant factors become vectors: `binary` folds products by 1, and a constant vector costs no
    // instruction. `OpVectorTimesScalar` takes a scalar; a product of vectors would need a
    // construction for it.
    match (a.size, b.size) {
        (1, 1) => builder.emit_binary(Spv::FMul, a, b),
        (_, 1) if builder.splat_bits(b).is_none() => scale(builder, a, b),
        (1, _) if builder.splat_bits(a).is_none() => scale(builder, b, a),
        _ => builder.emit_binary(Spv::FMul, a, b),
    }
}

/// Emits the product of a vector and a scalar.
fn scale(builder: &mut ValueBuilder, vector: Val, factor: Val) -> Val {
    let op = Spv::VectorTimesScalar;
    let operands = [vector.id.0, factor.id.0];
    let val = builder.emit_op(op, vector.scalar, vector.size, &operands);
    builder.decorate_result(val, op);
    val
}

/// Returns a product of floats in which zero of either sign times anything is +0 (NV_vertex_program
/// section 2.14.1.11). Squares and products with known factors need no test.
fn multiply_legacy(builder: &mut ValueBuilder, a: Val, b: Val) -> Val {
    if a.id == b.id {
        // Squares need no test: 0 * 0 is always +0.
        return builder.emit_binary(Spv::FMul, a, b);
    }
    let is_zero_product = match (find_known_zero(builder, a), find_known_zero(builder, b)) {
        // For any other factor, infinities and NaN included.
        (Some(true), _) | (_, Some(true)) => {
            return builder.constant_splat(a.scalar, 0, a.size.max(b.size));
        }
        (Some(false), Some(false)) => return builder.emit_binary(Spv::FMul, a, b),
        (Some(false), None) => test_zero(builder, b),
        (None, Some(false)) => test_zero(builder, a),
        (None, None) => {
            let a_zero = test_zero(builder, a);
            let b_zero = test_zero(builder, b);
            builder.emit_test(Spv::LogicalOr, a_zero, b_zero)
        }
    };
    let product = builder.emit_binary(Spv::FMul, a, b);
    let zero_value = builder.constant_like(product, 0);
    builder.emit_select(is_zero_product, zero_value, product)
}

/// Tests on the device if a factor is zero, even for constants: only the device determines if a
/// denormal factor is flushed to zero, and the product must be consistent with the test.
fn test_zero(builder: &mut ValueBuilder, a: Val) -> Val {
    let zero = builder.constant_like(a, 0);
    let operands = [a.id.0, zero.id.0];
    builder.emit_op(Spv::FOrdEqual, Scalar::BoolInt, a.size, &operands)
}

/// Decides whether all components of a constant are zero, or none is; returns `None` if only the
/// device can decide.
fn find_known_zero(module: &ModuleWriter, a: Val) -> Option<bool> {
    let value = f32::from_bits(module.splat_bits(a)? as u32);
    // Devices may flush denormals to zero.
    (!value.is_subnormal()).then_some(value == 0.0)
}

/// Records that `val` is a number not below `bound`, if `bound` is a constant of 32 bits that is
/// not negative: logarithms then omit the tests that it makes unnecessary. Does nothing for other
/// bounds.
pub(crate) fn record_lower_bound(builder: &mut ValueBuilder, val: Val, bound: Val) {
    let Some(bits) = builder.splat_bits(bound) else {
        return;
    };
    let bound = f32::from_bits(bits as u32);
    let is_known = val.scalar == Scalar::F32 && bound >= 0.0;
    if is_known {
        // Devices may flush denormals to zero.
        let key = if bound.is_normal() {
            ResultKey::POSITIVE
        } else {
            ResultKey::NOT_NEGATIVE
        };
        builder.cache_result(val.id, key, val.id);
    }
}

/// Returns `log2(a)`. GLSL.std.450 leaves it undefined for 0 and below: this function returns -inf
/// for 0, and NaN for negative numbers and NaN, by tests that recorded lower bounds of `a` make
/// unnecessary.
pub(crate) fn compute_log2(builder: &mut ValueBuilder, a: Val) -> Val {
    let log = builder.emit_ext(GlslOp::Log2, &[a]);
    if builder
        .find_cached_result(a.id, ResultKey::POSITIVE)
        .is_some()
    {
        return log;
    }
    let infinity = builder.constant_float_like(a, f64::NEG_INFINITY);
    let is_number = builder
        .find_cached_result(a.id, ResultKey::NOT_NEGATIVE)
        .is_some();
    let special = if is_number {
        infinity
    } else {
        let zero = builder.emit_compare_bits(Spv::FOrdEqual, a, 0);
        let nan = builder.constant_float_like(a, f64::NAN);
        builder.emit_select(zero, infinity, nan)
    };
    // An ordered comparison, which is false for NaN: the result is then the NaN of `special`.
    let positive = builder.emit_compare_bits(Spv::FOrdGreaterThan, a, 0);
    builder.emit_select(positive, log, special)
}

/// Applies the modifiers of a source: absolute value, then negation (NV_gpu_program4 section
/// 2.X.4.2). Constants are modified at compile time.
pub(crate) fn apply_modifiers(
    builder: &mut ValueBuilder,
    mut val: Val,
    src: &Src,
    ty: Type,
) -> Val {
    if builder.is_constant(val.id) {
        return modify_constant(builder, val, src, ty);
    }
    if src.abs {
        val = compute_absolute(builder, val, ty);
    }
    if src.negate {
        val = negate(builder, val, ty);
    }
    val
}

/// Applies absolute value and negation of a source to a constant, at compile time.
fn modify_constant(module: &mut ModuleWriter, val: Val, src: &Src, ty: Type) -> Val {
    let parts = module.constant_parts(val).unwrap_or_default();
    // Halves have already been converted to floats.
    let ty = if ty == Type::F16 { Type::F32 } else { ty };
    let parts = parts.map(|bits| interp::apply_modifiers(src, ty, bits));
    module.constant_vector(val.scalar, parts, val.size)
}

/// Returns `|val|` by type; unsigned values are unchanged (NV_gpu_program4 section 2.X.4.2).
fn compute_absolute(builder: &mut ValueBuilder, val: Val, ty: Type) -> Val {
    if ty.is_float() {
        builder.emit_ext(GlslOp::FAbs, &[val])
    } else if !ty.is_signed_int() {
        val
    } else if val.scalar == Scalar::Pair {
        int64_emulation::compute_absolute(builder, val)
    } else {
        builder.emit_ext(GlslOp::SAbs, &[val])
    }
}

/// Emits `-val`: two's complement for integers, also those in pairs of words.
fn negate(builder: &mut ValueBuilder, val: Val, ty: Type) -> Val {
    if ty.is_float() {
        builder.emit_unary(Op::FNegate, val)
    } else if val.scalar == Scalar::Pair {
        int64_emulation::negate(builder, val)
    } else {
        builder.emit_unary(Op::SNegate, val)
    }
}

/// Selects the lesser or the greater of two values; `greater` is true if the first value is the
/// greater one.
pub(crate) fn select_extreme(
    builder: &mut ValueBuilder,
    extreme: Extreme,
    greater: Val,
    a: Val,
    b: Val,
) -> Val {
    match extreme {
        Extreme::Min => builder.emit_select(greater, b, a),
        Extreme::Max => builder.emit_select(greater, a, b),
    }
}

/// Clamps a float to [0, 1] or [-1, 1], according to the destination of an instruction. NaN becomes
/// the lower bound, unless the clamp preserves it.
pub(crate) fn clamp(builder: &mut ValueBuilder, val: Val, saturate: Saturate) -> Val {
    let low = builder.constant_float_like(val, saturate.lower_bound());
    let high = builder.constant_float_like(val, 1.0);
    // The result of `FClamp` for NaN is undefined.
    let clamped = builder.emit_ext(GlslOp::NClamp, &[val, low, high]);
    if !saturate.preserves_nan() {
        return clamped;
    }
    // `NClamp` returns the lower bound for NaN.
    let nan = builder.emit_test(Op::FUnordNotEqual, val, val);
    builder.emit_select(nan, val, clamped)
}

/// Returns `a * b + c` of floats of type `ty`, rounded once.
///
/// Exact for halves, and for 32-bit floats on devices with 64-bit floats. Otherwise products that
/// exceed the range of the type, or whose last digits do, may be rounded twice.
pub(crate) fn emit_fma(
    builder: &mut ValueBuilder,
    factors: [Val; 2],
    summand: Val,
    ty: Type,
) -> Val {
    // No step may be contracted or computed with fewer digits.
    let flags = std::mem::replace(&mut builder.flags, InstFlags::PRECISE);
    let size = factors
        .iter()
        .fold(summand.size, |size, factor| size.max(factor.size));
    let [a, b] = clear_factors(builder, factors, ty);
    let [a, b, c] = [a, b, summand].map(|val| builder.widen(val, size));
    let val = if ty == Type::F16 {
        // The product of two halves is a float of 32 bits.
        let product = builder.emit_binary(Op::FMul, a, b);
        add_to_odd(builder, product, c)
    } else if ty == Type::F32 && builder.device.float64 {
        let [a, b, c] = [a, b, c].map(|val| builder.emit_unary_to(Op::FConvert, Scalar::F64, val));
        let product = builder.emit_binary(Op::FMul, a, b);
        let sum = add_wide_to_odd(builder, product, c);
        builder.emit_unary_to(Op::FConvert, Scalar::F32, sum)
    } else {
        compute_by_parts(builder, [a, b, c])
    };
    builder.flags = flags;
    val
}

/// Replaces both factors by 0 where either is 0, if the program requires that zero times infinities
/// and NaN is +0; returns them unchanged otherwise and for types other than 32-bit floats.
fn clear_factors(builder: &mut ValueBuilder, factors: [Val; 2], ty: Type) -> [Val; 2] {
    if !builder.zero_product || ty != Type::F32 {
        return factors;
    }
    let [a_zero, b_zero] =
        factors.map(|factor| builder.emit_compare_bits(Op::FOrdEqual, factor, 0));
    let either = builder.emit_test(Op::LogicalOr, a_zero, b_zero);
    factors.map(|factor| {
        let zero = builder.constant_like(factor, 0);
        builder.emit_select(either, zero, factor)
    })
}

/// Computes `a * b + c` with one rounding by error-free products and sums, in arithmetic of the
/// type itself. Where these overflow, and for infinities and NaN, the result is that of the
/// device's instruction.
fn compute_by_parts(builder: &mut ValueBuilder, [a, b, c]: [Val; 3]) -> Val {
    let plain = builder.emit_ext(GlslOp::Fma, &[a, b, c]);
    let (product, low) = multiply_with_error(builder, a, b);
    let (sum, error) = add_with_error(builder, c, low);
    let (high, remainder) = add_with_error(builder, product, sum);
    // All preceding steps are exact: `high`, `remainder` and `error` represent the exact sum. Two
    // roundings remain, of the remainder and of the sum. Rounding to odd in the first one preserves
    // the information that the second one needs.
    let remainder = if plain.scalar == Scalar::F64 {
        add_wide_to_odd(builder, error, remainder)
    } else {
        add_to_odd(builder, error, remainder)
    };
    let exact = builder.emit_binary(Op::FAdd, high, remainder);
    // The result is NaN for infinities and for factors too large to be split.
    let difference = builder.emit_binary(Op::FSub, exact, exact);
    let finite = builder.emit_compare_bits(Op::FOrdEqual, difference, 0);
    builder.emit_select(finite, exact, plain)
}

/// Emits the rounded sum `a + b` and its exact rounding error.
fn add_with_error(builder: &mut ValueBuilder, a: Val, b: Val) -> (Val, Val) {
    let sum = builder.emit_binary(Op::FAdd, a, b);
    let part = builder.emit_binary(Op::FSub, sum, a);
    let remainder = builder.emit_binary(Op::FSub, sum, part);
    let [of_a, of_b] =
        [(a, remainder), (b, part)].map(|(a, b)| builder.emit_binary(Op::FSub, a, b));
    (sum, builder.emit_binary(Op::FAdd, of_a, of_b))
}

/// Emits the rounded product `a * b` and its rounding error, which is exact unless a step overflows
/// or underflows.
fn multiply_with_error(builder: &mut ValueBuilder, a: Val, b: Val) -> (Val, Val) {
    let product = builder.emit_binary(Op::FMul, a, b);
    let ([a_high, a_low], [b_high, b_low]) = (split_float(builder, a), split_float(builder, b));
    let highs = builder.emit_binary(Op::FMul, a_high, b_high);
    let mut error = builder.emit_binary(Op::FSub, highs, product);
    for (a, b) in [(a_high, b_low), (a_low, b_high), (a_low, b_low)] {
        let part = builder.emit_binary(Op::FMul, a, b);
        error = builder.emit_binary(Op::FAdd, error, part);
    }
    (product, error)
}

/// Splits `a` into the sum of two floats with half of its digits, the high one first. The result is
/// NaN for factors that are too large.
fn split_float(builder: &mut ValueBuilder, a: Val) -> [Val; 2] {
    // Half of the digits, rounded up: of 53 and 24. Products of halves are then exact (Veltkamp,
    // Dekker).
    let digits = if a.scalar == Scalar::F64 { 27 } else { 12 };
    let scaled = builder.emit_binary_float(Op::FMul, a, f64::from((1u32 << digits) + 1));
    let remainder = builder.emit_binary(Op::FSub, scaled, a);
    let high = builder.emit_binary(Op::FSub, scaled, remainder);
    [high, builder.emit_binary(Op::FSub, a, high)]
}

/// Tests whether a rounded sum is inexact and has an even last bit, and whether it was rounded away
/// from zero. `error` is the rounding error, `low` the word with the last bits of the sum.
fn check_rounding(builder: &mut ValueBuilder, sum: Val, error: Val, low: Val) -> [Val; 2] {
    let last = builder.emit_binary_bits(Op::BitwiseAnd, low, 1);
    let even = builder.emit_compare_bits(Op::IEqual, last, 0);
    let inexact =
        [Op::FOrdLessThan, Op::FOrdGreaterThan].map(|op| builder.emit_compare_bits(op, error, 0));
    let negative = builder.emit_compare_bits(Op::FOrdLessThan, sum, 0);
    let away = builder.emit_test(Op::LogicalNotEqual, inexact[0], negative);
    let inexact = builder.emit_test(Op::LogicalOr, inexact[0], inexact[1]);
    [builder.emit_test(Op::LogicalAnd, even, inexact), away]
}

/// Emits the sum of two 32-bit floats rounded to odd: an inexact sum has an odd mantissa, so that a
/// second rounding is exact.
fn add_to_odd(builder: &mut ValueBuilder, a: Val, b: Val) -> Val {
    let (sum, error) = add_with_error(builder, a, b);
    let bits = builder.cast_val(sum, Scalar::U32);
    let [wrong, away] = check_rounding(builder, sum, error, bits);
    let [below, above] = [Op::ISub, Op::IAdd].map(|op| builder.emit_binary_bits(op, bits, 1));
    let odd = builder.emit_select(away, below, above);
    let bits = builder.emit_select(wrong, odd, bits);
    builder.cast_val(bits, Scalar::F32)
}

/// Computes the sum of two 64-bit floats, rounded to odd. Their bits are words, because devices may
/// lack integers of that width.
fn add_wide_to_odd(builder: &mut ValueBuilder, a: Val, b: Val) -> Val {
    let (sums, errors) = add_with_error(builder, a, b);
    builder.map_components(sums, |w, index| {
        let (sum, error) = (
            w.extract_component(sums, index),
            w.extract_component(errors, index),
        );
        let pair = w.emit_ext_to(GlslOp::UnpackDouble2x32, Scalar::Pair, 1, sum.id);
        let [low, high] = int64_emulation::split_pair(w, pair);
        let [wrong, away] = check_rounding(w, sum, error, low);
        // Minus 1 in two's complement: a borrow may propagate into the high word.
        let below = int64_emulation::add_constant(w, pair, u64::MAX);
        let [below, below_high] = int64_emulation::split_pair(w, below);
        // The last bit is even if this value is selected, so no carry occurs.
        let above = w.emit_binary_bits(Op::BitwiseOr, low, 1);
        let odd = [(below, above), (below_high, high)].map(|(a, b)| w.emit_select(away, a, b));
        let words = [(odd[0], low), (odd[1], high)].map(|(a, b)| w.emit_select(wrong, a, b));
        let bits = int64_emulation::join_pair(w, words);
        w.emit_ext_to(GlslOp::PackDouble2x32, Scalar::F64, 1, bits.id)
    })
}
