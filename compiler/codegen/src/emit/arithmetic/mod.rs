//! Arithmetic of floats, and of integers if it is the same, and comparisons: functions of the
//! builder and of values, which access neither operands nor registers.

pub(super) mod convert;
pub(super) mod int;
pub(super) mod wide;

use crate::builder::{
    Extreme, Scalar, Val, ValueBuilder, arith, by_base, fused, test, truth_scalar,
};
use glasm_ir::{InstFlags, Op, Type};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Returns true if the module requires the device to preserve signs of zero, infinities and NaN, as
/// the languages specify.
pub(super) fn keeps_special_numbers(w: &ValueBuilder) -> bool {
    w.device.signed_zero_inf_nan_preserve_float32 && !w.fast_precision
}

/// Makes the following sum or difference exact if special numbers must be preserved.
///
/// Mesa 26.2 computes `a - a` as 0 also for infinities and NaN, and `a + b - a` as `b`, whether or
/// not the module has the execution mode for special numbers. Only sums are decorated: products
/// followed by a sum within one instruction, as in MAD, may still be fused with it.
fn keep_sum(w: &mut ValueBuilder, scalar: Scalar) {
    if scalar == Scalar::F32 && keeps_special_numbers(w) {
        w.flags |= InstFlags::PRECISE;
    }
}

/// Emits `a + b`.
pub(in crate::emit) fn emit_add(w: &mut ValueBuilder, [a, b]: [Val; 2]) -> Val {
    keep_sum(w, a.scalar);
    arith::add(w, a, b)
}

/// Emits `a - b`.
pub(in crate::emit) fn emit_sub(w: &mut ValueBuilder, [a, b]: [Val; 2]) -> Val {
    let op = if a.scalar.is_float() {
        Spv::FSub
    } else {
        Spv::ISub
    };
    keep_sum(w, a.scalar);
    w.binary(op, a, b)
}

/// Emits `a * b`.
pub(in crate::emit) fn emit_mul(w: &mut ValueBuilder, [a, b]: [Val; 2]) -> Val {
    arith::multiply(w, a, b)
}

/// Emits `a * b + c`.
pub(in crate::emit) fn emit_mad(w: &mut ValueBuilder, [a, b, c]: [Val; 3]) -> Val {
    let product = arith::multiply(w, a, b);
    arith::add(w, product, c)
}

/// Emits `a * b + c`, rounded once.
pub(in crate::emit) fn emit_fma(w: &mut ValueBuilder, ty: Type, [a, b, c]: [Val; 3]) -> Val {
    fused::add_product(w, [a, b], c, ty)
}

/// Emits `a / b` of floats.
pub(in crate::emit) fn emit_float_div(w: &mut ValueBuilder, [a, b]: [Val; 2]) -> Val {
    let divisor = w.splat_bits(b).filter(|_| b.scalar == Scalar::F64);
    if let Some(bits) = divisor.filter(|bits| bits << 1 == 0) {
        // The product with the infinity of the same sign is equal to the quotient; Mesa 22.3
        // divides vectors by zeros incorrectly.
        let infinity = w.constant_like(b, bits | f64::INFINITY.to_bits());
        return w.binary(Spv::FMul, a, infinity);
    }
    w.binary(Spv::FDiv, a, b)
}

/// Emits `a > b ? b : a` or `a > b ? a : b`: NV_gpu_program4 section 2.X.8.Z, MIN and MAX. The
/// results of `FMin` and `FMax` for NaN are undefined.
pub(in crate::emit) fn emit_min_max(
    w: &mut ValueBuilder,
    ty: Type,
    which: Extreme,
    [a, b]: [Val; 2],
) -> Val {
    let ops = [Spv::FOrdGreaterThan, Spv::SGreaterThan, Spv::UGreaterThan];
    // The comparison is false for NaN, so MIN returns `a` and MAX returns `b`, as the formulas
    // specify.
    let greater = w.test(by_base(ty, ops), a, b);
    let chosen = arith::select_extreme(w, which, greater, a, b);
    if which == Extreme::Max {
        // If `a` is NaN, the result is `b`.
        arith::note_lower_bound(w, chosen, b);
    }
    chosen
}

/// Emits `a - floor(a)`, which is always below 1 (NV_gpu_program4 section 2.X.8.Z, FRC): if the
/// difference of a tiny negative number is rounded to 1, the largest number below 1 replaces it.
pub(in crate::emit) fn emit_fract(w: &mut ValueBuilder, ty: Type, a: Val) -> Val {
    let fraction = w.ext(GlslOp::Fract, &[a]);
    let reached = w.compare_float(Spv::FOrdGreaterThanEqual, fraction, 1.0);
    let below = if ty == Type::F64 {
        1.0f64.next_down()
    } else if ty == Type::F16 {
        // Below 1 also in half precision, which has 11 binary digits: 1 - 2^-11.
        1.0 - 1.0 / 2048.0
    } else {
        f64::from(1.0f32.next_down())
    };
    let below = w.float_like(fraction, below);
    w.select(reached, below, fraction)
}

/// Emits the sign of a value: 1, 0 or -1.
pub(in crate::emit) fn emit_sign(w: &mut ValueBuilder, ty: Type, a: Val) -> Val {
    if ty.is_float() {
        return w.ext(GlslOp::FSign, &[a]);
    }
    if ty.is_signed_int() {
        return w.ext(GlslOp::SSign, &[a]);
    }
    let any = w.compare_bits(Spv::INotEqual, a, 0);
    let (one, zero) = (w.constant_like(a, 1), w.constant_like(a, 0));
    w.select(any, one, zero)
}

/// Emits `1 / a`.
pub(in crate::emit) fn emit_reciprocal(w: &mut ValueBuilder, a: Val) -> Val {
    let one = w.float_like(a, 1.0);
    w.binary(Spv::FDiv, one, a)
}

/// Emits `exp2(b * log2(a))`: NV_gpu_program4 section 2.X.8.Z, POW.
pub(in crate::emit) fn emit_pow(w: &mut ValueBuilder, [a, b]: [Val; 2]) -> Val {
    let log = arith::compute_log2(w, a);
    let product = arith::multiply(w, log, b);
    w.ext(GlslOp::Exp2, &[product])
}

/// Emits `log2(a)`.
pub(in crate::emit) fn emit_log2(w: &mut ValueBuilder, a: Val) -> Val {
    arith::compute_log2(w, a)
}

/// Emits `a < 0 ? b : c`.
pub(in crate::emit) fn select_less(w: &mut ValueBuilder, ty: Type, [a, b, c]: [Val; 3]) -> Val {
    let op = match (ty.is_float(), ty.is_signed_int()) {
        (true, _) => Spv::FOrdLessThan,
        (false, true) => Spv::SLessThan,
        // No unsigned value is below 0.
        (false, false) => return c,
    };
    let less = w.compare_bits(op, a, 0);
    w.select(less, b, c)
}

/// Order in which the products of a dot product are added.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::emit) enum SumOrder {
    /// Any order that the device chooses.
    Any,
    /// In the order of the components, starting with x.
    Fixed,
}

/// Emits the sum of the products of `size` components.
pub(in crate::emit) fn emit_dot(
    w: &mut ValueBuilder,
    order: SumOrder,
    size: u8,
    [a, b]: [Val; 2],
) -> Val {
    // Precise sums have a fixed order, which OpDot leaves to the device; OpDot also does not
    // support products in which zero takes precedence.
    let in_order =
        order == SumOrder::Fixed || w.flags.contains(InstFlags::PRECISE) || w.zero_product;
    if !in_order || a.scalar != Scalar::F32 {
        let (a, b) = (w.widen(a, size), w.widen(b, size));
        let val = w.op(Spv::Dot, a.scalar, 1, &[a.id.0, b.id.0]);
        w.decorate_result(val, Spv::Dot);
        return val;
    }
    let product = arith::multiply(w, a, b);
    let mut sum = w.component(product, 0);
    for index in 1..size as usize {
        let part = w.component(product, index);
        sum = w.binary(Spv::FAdd, sum, part);
    }
    sum
}

/// Emits `truth ? b : c`.
pub(in crate::emit) fn select_if(
    w: &mut ValueBuilder,
    ty: Type,
    truth: Val,
    [b, c]: [Val; 2],
) -> Val {
    // All ones and 0 are the integer representation of booleans: if the value is a boolean with
    // that representation, a branch on it needs no number.
    if ty == Type::U32 && test::is_truth_of_int(w, b, c) {
        return test::copy_as_int_truth(w, truth);
    }
    w.select(truth, b, c)
}

/// Returns whether any bit of each component is set.
pub(in crate::emit) fn test_bits(w: &mut ValueBuilder, a: Val) -> Val {
    if a.scalar.is_wide() && w.wide_int() == Scalar::Pair {
        return w.map_components(a, |w, index| {
            let part = w.component(a, index);
            let pair = w.reread(part, Scalar::Pair);
            let words = crate::builder::wide::split(w, pair);
            crate::builder::wide::test_nonzero(w, words)
        });
    }
    let a = w.reread(a, a.scalar.as_int());
    w.compare_bits(Spv::INotEqual, a, 0)
}

/// Emits one of the set-on comparisons.
pub(in crate::emit) fn emit_comparison(
    w: &mut ValueBuilder,
    ty: Type,
    op: Op,
    [a, b]: [Val; 2],
) -> Val {
    let truth = truth_scalar(ty);
    let op = compare_op(op, ty);
    w.compare(op, truth, a, b)
}

/// SPIR-V comparisons of floats, signed and unsigned integers. Only "not equal" is true for NaN.
// IEEE 754: a value compared with NaN is neither less, equal nor greater, and therefore not equal.
const COMPARISONS: [(Op, [Spv; 3]); 6] = [
    (Op::SetEq, [Spv::FOrdEqual, Spv::IEqual, Spv::IEqual]),
    (
        Op::SetNe,
        [Spv::FUnordNotEqual, Spv::INotEqual, Spv::INotEqual],
    ),
    (
        Op::SetLt,
        [Spv::FOrdLessThan, Spv::SLessThan, Spv::ULessThan],
    ),
    (
        Op::SetLe,
        [
            Spv::FOrdLessThanEqual,
            Spv::SLessThanEqual,
            Spv::ULessThanEqual,
        ],
    ),
    (
        Op::SetGt,
        [Spv::FOrdGreaterThan, Spv::SGreaterThan, Spv::UGreaterThan],
    ),
    (
        Op::SetGe,
        [
            Spv::FOrdGreaterThanEqual,
            Spv::SGreaterThanEqual,
            Spv::UGreaterThanEqual,
        ],
    ),
];

/// Returns the comparison of an operation and type; the operation must be a comparison.
fn compare_op(op: Op, ty: Type) -> Spv {
    let row = COMPARISONS.iter().find(|row| row.0 == op);
    by_base(ty, row.unwrap_or(&COMPARISONS[0]).1)
}
