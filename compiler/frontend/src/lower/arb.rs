//! Instructions that only ARB programs have, or that mean something else there. ARB_vertex_program section 2.14.5.

use super::{InstCx, Lowerer};
use glasm_ir::inst::{Aux, Rounding};
use glasm_ir::types::Type;
use glasm_ir::{Op, Src, Swizzle, WriteMask};

const F: Type = Type::F32;
const U: Type = Type::U32;
const S: Type = Type::S32;

/// Bits of the mantissa of a float.
const MANTISSA: u64 = 0x007f_ffff;
/// Number of those bits.
const MANTISSA_BITS: u64 = 23;
/// The exponent of 1.0.
const BIAS: u64 = 127;

/// ARL: the largest integer not above the operand; ARR: the nearest one, the even one of two. Both within the range of integers.
pub(super) fn load_address(l: &mut Lowerer<'_>, cx: &InstCx<'_>, rounding: Rounding) {
    let source = l.value(cx, 0, F);
    let aux = Aux::Cvt {
        from: F,
        rounding,
        saturate: true,
    };
    l.finish_with(cx, Op::Cvt, cx.result, aux, &[source]);
}

/// ARA: `(a.x + a.z, a.y + a.w, a.x + a.z, a.y + a.w)`
pub(super) fn add_addresses(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let address = l.value(cx, 0, S);
    let pairs = [[0, 1, 0, 1], [2, 3, 2, 3]].map(|lanes| address.swizzled(Swizzle::new(lanes)));
    l.finish(cx, Op::Add, cx.result, &pairs);
}

/// RSQ: of the absolute value.
pub(super) fn reciprocal_root(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let mut source = l.value(cx, 0, F);
    (source.abs, source.negate) = (true, false);
    l.finish(cx, Op::Rsq, F, &[source]);
}

/// EXP: `(2^floor(a), a - floor(a), 2^a, 1)`. The power of two is made of its exponent, which is exact.
pub(super) fn exp(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let a = l.value(cx, 0, F);
    let one = l.float(1.0);
    // Exponents out of range become those of 0 and infinity.
    let (low, high) = (l.float(-127.0), l.float(128.0));
    let floor = l.compute(Op::Floor, F, &[a]);
    let exponent = l.compute(Op::Max, F, &[floor, low]);
    let exponent = l.compute(Op::Min, F, &[exponent, high]);
    let exponent = l.converted(exponent, F, S);
    let (bias, shift) = (l.bits(BIAS), l.bits(MANTISSA_BITS));
    let exponent = l.compute(Op::Add, S, &[exponent, bias]);
    let register = l.hidden(F.width());
    l.put(register, WriteMask(0b0001), Op::Shl, U, &[exponent, shift]);
    l.put(register, WriteMask(0b0010), Op::Sub, F, &[a, floor]);
    l.put(register, WriteMask(0b0100), Op::Exp2, F, &[a]);
    l.put(register, WriteMask(0b1000), Op::Mov, F, &[one]);
    l.finish_mov(cx, Src::register(register));
}

/// LOG: `(floor(log2(|a|)), |a| / 2^floor(log2(|a|)), log2(|a|), 1)`. Exponent and mantissa are taken from the bits, which is exact;
/// 0 gives (-Inf, 1, -Inf, 1) and infinity (Inf, 1, Inf, 1).
pub(super) fn log(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let mut a = l.value(cx, 0, F);
    (a.abs, a.negate) = (true, false);
    let (zero, one) = (l.bits(0), l.float(1.0));
    let value = l.compute(Op::Mov, F, &[a]);
    let (shift, bias) = (l.bits(MANTISSA_BITS), l.bits(BIAS));
    let biased = l.compute(Op::Shr, U, &[value, shift]);
    let exponent = l.compute(Op::Sub, S, &[biased, bias]);
    let exponent = l.converted(exponent, S, F);
    // Values without a normal exponent: their logarithm is infinite, or taken to be.
    let (smallest, infinity) = (l.float(f32::MIN_POSITIVE), l.float(f32::INFINITY));
    let tiny = l.compute(Op::SetLt, F, &[value, smallest]);
    let exponent = l.compute(Op::SelNz, F, &[tiny, infinity.negated(), exponent]);
    let huge = l.compute(Op::SetEq, F, &[value, infinity]);
    let mantissa_bits = l.bits(MANTISSA);
    let mantissa = l.compute(Op::And, U, &[value, mantissa_bits]);
    let mantissa = l.compute(Op::SelNz, U, &[tiny, zero, mantissa]);
    let register = l.hidden(F.width());
    l.put(
        register,
        WriteMask(0b0001),
        Op::SelNz,
        F,
        &[huge, infinity, exponent],
    );
    l.put(register, WriteMask(0b0010), Op::Or, U, &[mantissa, one]);
    l.put(register, WriteMask(0b0100), Op::Log2, F, &[a]);
    l.put(register, WriteMask(0b1000), Op::Mov, F, &[one]);
    l.finish_mov(cx, Src::register(register));
}
