//! Instructions that consist of several operations. NV_gpu_program4 section 2.X.8.Z has the
//! formulas, ARB_vertex_program section 2.14.5 those of opcodes that only ARB programs have.

use super::context::splat;
use super::formula::{F, Formulas, Part, S, U, absolute};
use super::operand::lanes;
use super::{InstCx, Lowerer};
use crate::ast::{ExtSelect, Extra};
use glasm_ir::inst::{Aux, Rounding};
use glasm_ir::types::{Base as TypeBase, Type};
use glasm_ir::{Base, Op, Src, Swizzle, WriteMask};

/// Just below 128: the bound of the exponent of LIT.
const LIT_BOUND: f32 = 127.996_1;

/// The minimum and the maximum address of ten bits.
const SHORT_ADDRESSES: [i32; 2] = [-512, 511];

/// Bits of the mantissa of a float.
const MANTISSA: u64 = 0x007f_ffff;
/// Number of those bits.
const MANTISSA_BITS: u64 = 23;
/// The exponent of 1.0.
const BIAS: u64 = 127;

/// Lowers ARA: `(a.x + a.z, a.y + a.w, a.x + a.z, a.y + a.w)`.
pub(super) fn ara(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let pairs = address_pairs(l, cx);
    l.finish(cx, Op::Add, cx.result, &pairs);
}

/// Lowers ARA of NV_vertex_program2 (section 2.14.3.3): the sums are clamped to [-512, 511].
pub(super) fn short_ara(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    // Operands are ten bits wide, so the sum itself does not overflow before it is clamped.
    let pairs = address_pairs(l, cx);
    let sums = l.compute(Op::Add, S, &pairs);
    finish_short_address(l, cx, sums);
}

/// Returns the two operands that ARA adds.
fn address_pairs(l: &mut Lowerer<'_>, cx: &InstCx<'_>) -> [Src; 2] {
    let address = l.value(cx, 0, S);
    [lanes(address, [0, 1, 0, 1]), lanes(address, [2, 3, 2, 3])]
}

/// Lowers ARL and ARR. ARL: the largest integer not above the operand; ARR: the nearest one, the
/// even one of two. Both within the range of integers.
pub(super) fn arl(l: &mut Lowerer<'_>, cx: &InstCx<'_>, rounding: Rounding) {
    let [source] = l.floats(cx);
    l.finish_with(cx, Op::Cvt, cx.result, rounded(rounding), &[source]);
}

/// Lowers ARL and ARR of NV_vertex_program2 (sections 2.14.3.4 and 2.14.3.5): the integers are
/// clamped to [-512, 511].
pub(super) fn short_arl(l: &mut Lowerer<'_>, cx: &InstCx<'_>, rounding: Rounding) {
    let [source] = l.floats(cx);
    let integer = l.compute_with(Op::Cvt, S, rounded(rounding), &[source]);
    finish_short_address(l, cx, integer);
}

/// Returns the conversion of a float to an integer.
fn rounded(rounding: Rounding) -> Aux {
    Aux::Cvt {
        from: F,
        rounding,
        saturate: true,
    }
}

/// Writes addresses, clamped to the range of ten bits. NV_vertex_program2 section 2.14.1.3.
fn finish_short_address(l: &mut Lowerer<'_>, cx: &InstCx<'_>, address: Src) {
    let [low, high] = SHORT_ADDRESSES.map(|bound| l.bits(u64::from(bound as u32)));
    let raised = l.compute(Op::Max, S, &[address, low]);
    l.finish(cx, Op::Min, S, &[raised, high]);
}

/// Lowers DP2A: `dp2(a, b) + c.x`.
pub(crate) fn dp2a<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let [a, b, c] = l.floats(cx);
    let dot = l.compute(Op::Dp2, F, &[a, b]);
    l.finish(cx, Op::Add, F, &[dot, splat(c, 0)]);
}

/// Lowers DPH: `dp3(a, b) + b.w`.
pub(crate) fn dph<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let [a, b] = l.floats(cx);
    let dot = l.compute(Op::Dp3, F, &[a, b]);
    l.finish(cx, Op::Add, F, &[dot, splat(b, 3)]);
}

/// Lowers DST: `(1, a.y * b.y, a.z, b.w)`.
pub(crate) fn dst<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let [a, b] = l.floats(cx);
    let one = l.float(1.0);
    let parts: [Part<'_>; 4] = [
        (0b0001, Op::Mov, F, &[one]),
        (0b0010, Op::Mul, F, &[a, b]),
        (0b0100, Op::Mov, F, &[a]),
        (0b1000, Op::Mov, F, &[b]),
    ];
    l.finish_parts(cx, &parts);
}

/// Lowers EXP: `(2^floor(a), a - floor(a), 2^a, 1)`. The power of two is built from its exponent,
/// which is exact.
pub(crate) fn exp<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let [a] = l.floats(cx);
    let one = l.float(1.0);
    // Exponents out of range become those of 0 and infinity.
    let (low, high) = (l.float(-127.0), l.float(128.0));
    let floor = l.compute(Op::Floor, F, &[a]);
    let exponent = l.clamp(floor, low, high);
    let exponent = l.converted(exponent, F, S);
    let (bias, shift) = (l.bits(BIAS), l.bits(MANTISSA_BITS));
    let exponent = l.compute(Op::Add, S, &[exponent, bias]);
    let parts: [Part<'_>; 4] = [
        (0b0001, Op::Shl, U, &[exponent, shift]),
        (0b0010, Op::Sub, F, &[a, floor]),
        (0b0100, Op::Exp2, F, &[a]),
        (0b1000, Op::Mov, F, &[one]),
    ];
    l.finish_parts(cx, &parts);
}

/// Lowers LIT: `(1, max(x, 0), x > 0 ? max(y, 0) ^ clamp(w) : 0, 1)` with 0 ^ 0 = 1.
pub(crate) fn lit<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    lit_within(l, cx, LIT_BOUND);
}

/// Lowers LIT with the exponent between `-bound` and `bound`.
pub(crate) fn lit_within<L: Formulas>(l: &mut L, cx: &L::Line<'_>, bound: f32) {
    let [source] = l.floats(cx);
    let (zero, one) = (l.float(0.0), l.float(1.0));
    let (low, high) = (l.float(-bound), l.float(bound));
    let positive = l.compute(Op::SelLt, F, &[source, zero, source]);
    let exponent = l.clamp(splat(source, 3), low, high);
    let power = l.compute(Op::Pow, F, &[splat(positive, 1), exponent]);
    // 0^0 is 1 by the specification, but devices may compute a NaN.
    let is_zero = l.compute(Op::SetEq, F, &[exponent, zero]);
    let power = l.compute(Op::SelNz, F, &[is_zero, one, power]);
    l.finish_lit(cx, splat(positive, 0), power);
}

/// Lowers LOG: `(floor(log2(|a|)), |a| / 2^floor(log2(|a|)), log2(|a|), 1)`. Exponent and mantissa
/// are taken from the bits, which is exact; 0 gives (-Inf, 1, -Inf, 1) and infinity (Inf, 1, Inf,
/// 1).
pub(crate) fn log<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let a = absolute(l.value(cx, 0, F));
    let (zero, one) = (l.bits(0), l.float(1.0));
    let value = l.compute(Op::Mov, F, &[a]);
    let (shift, bias) = (l.bits(MANTISSA_BITS), l.bits(BIAS));
    // The sign bit is 0, so that the exponent remains after the shift.
    let biased = l.compute(Op::Shr, U, &[value, shift]);
    let exponent = l.compute(Op::Sub, S, &[biased, bias]);
    let exponent = l.converted(exponent, S, F);
    // Values without a normal exponent: their logarithm is infinite, or treated as such.
    let (smallest, infinity) = (l.float(f32::MIN_POSITIVE), l.float(f32::INFINITY));
    let tiny = l.compute(Op::SetLt, F, &[value, smallest]);
    let exponent = l.compute(Op::SelNz, F, &[tiny, infinity.negated(), exponent]);
    let huge = l.compute(Op::SetEq, F, &[value, infinity]);
    let mantissa_bits = l.bits(MANTISSA);
    let mantissa = l.compute(Op::And, U, &[value, mantissa_bits]);
    let mantissa = l.compute(Op::SelNz, U, &[tiny, zero, mantissa]);
    let parts: [Part<'_>; 4] = [
        (0b0001, Op::SelNz, F, &[huge, infinity, exponent]),
        // The bits of 1.0 are the exponent that a mantissa from 1 to 2 has.
        (0b0010, Op::Or, U, &[mantissa, one]),
        (0b0100, Op::Log2, F, &[a]),
        (0b1000, Op::Mov, F, &[one]),
    ];
    l.finish_parts(cx, &parts);
}

/// Lowers LRP: `a * b + (1 - a) * c`.
pub(crate) fn lrp<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let [a, b, c] = l.floats(cx);
    let one = l.float(1.0);
    // Two products as in the specification: `c + a * (b - c)` would not be exactly b where a is 1.
    let rest = l.compute(Op::Sub, F, &[one, a]);
    let rest = l.compute(Op::Mul, F, &[rest, c]);
    l.finish(cx, Op::Mad, F, &[a, b, rest]);
}

/// Lowers NRM: `a / length(a.xyz)`.
pub(crate) fn nrm<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let [a] = l.floats(cx);
    let square = l.compute(Op::Dp3, F, &[a, a]);
    // w of the result is undefined, so it may be scaled with the others.
    let scale = l.compute(Op::Rsq, F, &[square]);
    l.finish(cx, Op::Mul, F, &[a, scale]);
}

/// Lowers POW: `2^(b * log2(a))`, and 1 where b is 0. By the formula, 0 to the power 0 is NaN, or a
/// value that depends on the device's product, but "may be implemented" otherwise:
/// ARB_vertex_program section 2.14.5.20, ARB_fragment_program section 3.11.5.20, NV_gpu_program4
/// section 2.X.8.Z.
pub(crate) fn pow<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let [base, exponent] = l.floats(cx);
    let (zero, one) = (l.float(0.0), l.float(1.0));
    let power = l.compute(Op::Pow, F, &[base, exponent]);
    let is_zero = l.compute(Op::SetEq, F, &[exponent, zero]);
    l.finish(cx, Op::SelNz, F, &[is_zero, one, power]);
}

/// Lowers RCC: positive reciprocals are clamped to `[2^-64, 2^64]`, all others to
/// `[-2^64, -2^-64]`.
pub(crate) fn rcc<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let [a] = l.floats(cx);
    let reciprocal = l.compute(Op::Rcp, F, &[a]);
    let (low, high) = (l.float(2f32.powi(-64)), l.float(2f32.powi(64)));
    let positive = l.clamp(reciprocal, low, high);
    // The range of negative reciprocals is mirrored, so its bounds are exchanged.
    let negative = l.compute(Op::Min, F, &[reciprocal, low.negated()]);
    let negative = l.compute(Op::Max, F, &[negative, high.negated()]);
    // A value above zero is below zero when negated, and the selection tests that.
    let choices = [reciprocal.negated(), positive, negative];
    l.finish(cx, Op::SelLt, F, &choices);
}

/// Lowers RFL: `2 * dot(a, b) / dot(a, a) * a - b`.
pub(crate) fn rfl<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let [axis, direction] = l.floats(cx);
    let two = l.float(2.0);
    let square = l.compute(Op::Dp3, F, &[axis, axis]);
    let dot = l.compute(Op::Dp3, F, &[axis, direction]);
    let dot = l.compute(Op::Mul, F, &[dot, two]);
    let scale = l.compute(Op::Div, F, &[dot, square]);
    l.finish(cx, Op::Mad, F, &[scale, axis, direction.negated()]);
}

/// Lowers RSQ of ARB programs: of the absolute value.
pub(crate) fn rsq<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let source = absolute(l.value(cx, 0, F));
    l.finish(cx, Op::Rsq, F, &[source]);
}

/// Lowers SAD: `|a - b| + c`; the difference is taken without overflow, sum and result are
/// unsigned.
pub(super) fn sad(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let ty = cx.types.ty;
    let unsigned = Type::of(TypeBase::Unsigned, ty.width());
    let [a, b, c] = l.values(cx, [ty, ty, unsigned]);
    let larger = l.compute(Op::Max, ty, &[a, b]);
    let smaller = l.compute(Op::Min, ty, &[a, b]);
    let difference = l.compute(Op::Sub, unsigned, &[larger, smaller]);
    l.finish(cx, Op::Add, unsigned, &[difference, c]);
}

/// Lowers SCS: `(cos a, sin a)`.
pub(crate) fn scs<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let [a] = l.floats(cx);
    // Components z and w are undefined; they get a value so that no lane is without one.
    l.finish_parts(
        cx,
        &[(0b1101, Op::Cos, F, &[a]), (0b0010, Op::Sin, F, &[a])],
    );
}

/// Lowers SWZ: every component selects a lane, 0 or 1, with a separate sign.
pub(super) fn swz(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let Extra::ExtSwizzle(components) = cx.line.extra else {
        return;
    };
    let source = l.value(cx, 0, F);
    let mut order = [0; 4];
    let mut constants = [0u64; 4];
    // Components that select a lane, a negated lane, a constant.
    let mut masks = [0; 3];
    for (lane, component) in components.iter().enumerate() {
        let kind = match component.select {
            ExtSelect::Lane(select) => {
                order[lane] = select;
                usize::from(component.negate)
            }
            ExtSelect::Zero | ExtSelect::One => {
                // A sign before 0 is preserved: the specification negates the selected value, and
                // that of 0.0 is -0.0.
                let value = f32::from(u8::from(component.select == ExtSelect::One));
                let value = if component.negate { -value } else { value };
                constants[lane] = u64::from(value.to_bits());
                2
            }
        };
        masks[kind] |= 1 << lane;
    }
    let picked = source.swizzled(Swizzle::new(order));
    // The common case, one kind of components, takes one instruction.
    match masks {
        [0b1111, 0, 0] => return l.finish_mov(cx, picked),
        [0, 0b1111, 0] => return l.finish_mov(cx, picked.negated()),
        _ => {}
    }
    let literal = Src::new(Base::Literal(l.resources.literal_id(constants)));
    let register = l.hidden(F.width());
    for (mask, source) in masks.into_iter().zip([picked, picked.negated(), literal]) {
        if mask != 0 {
            l.put(register, WriteMask(mask), Op::Mov, F, &[source]);
        }
    }
    l.finish_mov(cx, Src::register(register));
}

/// Lowers X2D: `a.xyxy + b.x * c.xzxz + b.y * c.ywyw`.
pub(crate) fn x2d<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let [a, b, c] = l.floats(cx);
    let (even, odd) = (lanes(c, [0, 2, 0, 2]), lanes(c, [1, 3, 1, 3]));
    let sum = l.compute(Op::Mad, F, &[splat(b, 0), even, lanes(a, [0, 1, 0, 1])]);
    l.finish(cx, Op::Mad, F, &[splat(b, 1), odd, sum]);
}

/// Lowers XPD: `a.yzx * b.zxy - a.zxy * b.yzx`.
pub(crate) fn xpd<L: Formulas>(l: &mut L, cx: &L::Line<'_>) {
    let [a, b] = l.floats(cx);
    let (yzx, zxy) = ([1, 2, 0, 3], [2, 0, 1, 3]);
    let product = l.compute(Op::Mul, F, &[lanes(a, zxy), lanes(b, yzx)]);
    let sources = [lanes(a, yzx), lanes(b, zxy), product.negated()];
    l.finish(cx, Op::Mad, F, &sources);
}
