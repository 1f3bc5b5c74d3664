//! Arithmetic of values: sums, products, logarithms, signs, clamps; operands with their modifiers.

use super::{Extreme, ModuleWriter, ResultKey, Scalar, Val, ValueBuilder, wide};
use glasm_ir::{Saturate, Src, Type, interp};
use spirv::{GlslStd450Op as GlslOp, Op, Op as Spv};

/// Returns the sum of two values of one type.
pub(crate) fn add(w: &mut ValueBuilder, a: Val, b: Val) -> Val {
    // Signed and unsigned integers have the same sum in two's complement, so registers need no
    // signedness.
    let op = if a.scalar.is_float() {
        Spv::FAdd
    } else {
        Spv::IAdd
    };
    w.binary(op, a, b)
}

/// Returns the product of two values of one type. A vector times a scalar is one instruction.
pub(crate) fn multiply(w: &mut ValueBuilder, a: Val, b: Val) -> Val {
    if !a.scalar.is_float() {
        // The low half of a product is the same for signed and unsigned factors.
        return w.binary(Spv::IMul, a, b);
    }
    if w.zero_product && a.scalar == Scalar::F32 {
        return multiply_legacy(w, a, b);
    }
    // Constant factors become vectors: `binary` folds products by 1, and a constant vector costs no
    // instruction. `OpVectorTimesScalar` takes a scalar; a product of vectors would need a
    // construction for it.
    match (a.size, b.size) {
        (1, 1) => w.binary(Spv::FMul, a, b),
        (_, 1) if w.splat_bits(b).is_none() => scale(w, a, b),
        (1, _) if w.splat_bits(a).is_none() => scale(w, b, a),
        _ => w.binary(Spv::FMul, a, b),
    }
}

fn scale(w: &mut ValueBuilder, vector: Val, factor: Val) -> Val {
    let op = Spv::VectorTimesScalar;
    let operands = [vector.id.0, factor.id.0];
    let val = w.op(op, vector.scalar, vector.size, &operands);
    w.decorate_result(val, op);
    val
}

/// Returns a product in which zero of either sign times anything is +0 (NV_vertex_program section
/// 2.14.1.11).
fn multiply_legacy(w: &mut ValueBuilder, a: Val, b: Val) -> Val {
    if a.id == b.id {
        // Squares need no test: 0 * 0 is always +0.
        return w.binary(Spv::FMul, a, b);
    }
    let zero = match (find_known_zero(w, a), find_known_zero(w, b)) {
        // For any other factor, infinities and NaN included.
        (Some(true), _) | (_, Some(true)) => {
            return w.constant_splat(a.scalar, 0, a.size.max(b.size));
        }
        (Some(false), Some(false)) => return w.binary(Spv::FMul, a, b),
        (Some(false), None) => test_zero(w, b),
        (None, Some(false)) => test_zero(w, a),
        (None, None) => {
            let a_zero = test_zero(w, a);
            let b_zero = test_zero(w, b);
            w.test(Spv::LogicalOr, a_zero, b_zero)
        }
    };
    let product = w.binary(Spv::FMul, a, b);
    let nothing = w.constant_like(product, 0);
    w.select(zero, nothing, product)
}

/// Tests on the device if a factor is zero, even for constants: only the device determines if a
/// denormal factor is flushed to zero, and the product must be consistent with the test.
fn test_zero(w: &mut ValueBuilder, a: Val) -> Val {
    let zero = w.constant_like(a, 0);
    let operands = [a.id.0, zero.id.0];
    w.op(Spv::FOrdEqual, Scalar::BoolInt, a.size, &operands)
}

/// Decides whether all components of a constant are zero, or none is; returns `None` if only the
/// device can decide.
fn find_known_zero(w: &ModuleWriter, a: Val) -> Option<bool> {
    let value = f32::from_bits(w.splat_bits(a)? as u32);
    // Devices may flush denormals to zero.
    (!value.is_subnormal()).then_some(value == 0.0)
}

/// Records that `val` is a number not below `bound`: if that is a constant, logarithms omit the
/// tests that it makes unnecessary.
pub(crate) fn note_lower_bound(w: &mut ValueBuilder, val: Val, bound: Val) {
    let Some(bits) = w.splat_bits(bound) else {
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
        w.keep_result(val.id, key, val.id);
    }
}

/// Returns `log2(a)`. GLSL.std.450 leaves it undefined for 0 and below: this function returns -inf
/// for 0, and NaN for negative numbers and NaN.
pub(crate) fn compute_log2(w: &mut ValueBuilder, a: Val) -> Val {
    let log = w.ext(GlslOp::Log2, &[a]);
    if w.find_result(a.id, ResultKey::POSITIVE).is_some() {
        return log;
    }
    let infinity = w.float_like(a, f64::NEG_INFINITY);
    let is_number = w.find_result(a.id, ResultKey::NOT_NEGATIVE).is_some();
    let special = if is_number {
        infinity
    } else {
        let zero = w.compare_bits(Spv::FOrdEqual, a, 0);
        let nan = w.float_like(a, f64::NAN);
        w.select(zero, infinity, nan)
    };
    // An ordered comparison, which is false for NaN: the result is then the NaN of `special`.
    let positive = w.compare_bits(Spv::FOrdGreaterThan, a, 0);
    w.select(positive, log, special)
}

/// Applies the modifiers of a source: absolute value, then negation (NV_gpu_program4 section
/// 2.X.4.2).
pub(crate) fn apply_modifiers(w: &mut ValueBuilder, mut val: Val, src: &Src, ty: Type) -> Val {
    if w.is_constant(val.id) {
        return modify_constant(w, val, src, ty);
    }
    if src.abs {
        val = compute_absolute(w, val, ty);
    }
    if src.negate {
        val = negate(w, val, ty);
    }
    val
}

fn modify_constant(w: &mut ModuleWriter, val: Val, src: &Src, ty: Type) -> Val {
    let parts = w.constant_parts(val).unwrap_or_default();
    // Halves have already been converted to floats.
    let ty = if ty == Type::F16 { Type::F32 } else { ty };
    let parts = parts.map(|bits| interp::operand(src, ty, bits));
    w.constant_of(val.scalar, parts, val.size)
}

/// Returns `|val|` by type; unsigned values are unchanged (NV_gpu_program4 section 2.X.4.2).
fn compute_absolute(w: &mut ValueBuilder, val: Val, ty: Type) -> Val {
    if ty.is_float() {
        w.ext(GlslOp::FAbs, &[val])
    } else if !ty.is_signed_int() {
        val
    } else if val.scalar == Scalar::Pair {
        wide::compute_absolute(w, val)
    } else {
        w.ext(GlslOp::SAbs, &[val])
    }
}

/// Returns `-val` by type; two's complement for integers.
fn negate(w: &mut ValueBuilder, val: Val, ty: Type) -> Val {
    if ty.is_float() {
        w.unary(Op::FNegate, val)
    } else if val.scalar == Scalar::Pair {
        wide::negate(w, val)
    } else {
        w.unary(Op::SNegate, val)
    }
}

/// Selects the lesser or the greater of two values; `greater` is true if the first value is the
/// greater one.
pub(crate) fn select_extreme(
    w: &mut ValueBuilder,
    which: Extreme,
    greater: Val,
    a: Val,
    b: Val,
) -> Val {
    match which {
        Extreme::Min => w.select(greater, b, a),
        Extreme::Max => w.select(greater, a, b),
    }
}

/// Clamps a float according to the destination of an instruction.
pub(crate) fn clamp(w: &mut ValueBuilder, val: Val, saturate: Saturate) -> Val {
    let low = w.float_like(val, saturate.low());
    let high = w.float_like(val, 1.0);
    // The result of `FClamp` for NaN is undefined.
    let clamped = w.ext(GlslOp::NClamp, &[val, low, high]);
    if !saturate.keeps_nan() {
        return clamped;
    }
    // `NClamp` returns the lower bound for NaN.
    let nan = w.test(Op::FUnordNotEqual, val, val);
    w.select(nan, val, clamped)
}
