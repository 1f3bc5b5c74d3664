//! Instructions that consist of several operations. NV_gpu_program4 section 2.X.8.Z has the
//! formulas, ARB_vertex_program section 2.14.5 those of opcodes that only ARB programs have.

use super::op_builder::{F32, OpBuilder, ResultPart, S32, U32, with_abs};
use super::operand::reorder_lanes;
use super::splat;
use super::{InstContext, Lowerer};
use crate::ast::{ExtSelect, ExtraPart};
use glasm_ir::inst::{InstData, Rounding};
use glasm_ir::types::{BaseType, Type};
use glasm_ir::{Op, OperandBase, Src, Swizzle, WriteMask};

/// Just below 128: the bound of the exponent of LIT.
const LIT_MAX_EXPONENT: f32 = 127.996_1;

/// The minimum and the maximum address of ten bits.
const SHORT_ADDRESS_RANGE: [i32; 2] = [-512, 511];

/// Bits of the mantissa of a float.
const MANTISSA_MASK: u64 = 0x007f_ffff;
/// Number of those bits.
const MANTISSA_BITS: u64 = 23;
/// The exponent of 1.0.
const EXPONENT_BIAS: u64 = 127;

/// Lowers ARA: `(a.x + a.z, a.y + a.w, a.x + a.z, a.y + a.w)` of signed integers.
pub(super) fn lower_ara(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let pairs = load_address_pairs(l, cx);
    l.emit_result(cx, Op::Add, cx.types.result, &pairs);
}

/// Lowers ARA of NV_vertex_program2 (section 2.14.3.3): the sums are clamped to [-512, 511].
pub(super) fn lower_short_ara(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    // Operands are ten bits wide, so the sum itself does not overflow before it is clamped.
    let pairs = load_address_pairs(l, cx);
    let sums = l.compute(Op::Add, S32, &pairs);
    emit_short_address(l, cx, sums);
}

/// Returns the two operands that ARA adds: the address, as signed integers, as `xyxy` and as
/// `zwzw`.
fn load_address_pairs(l: &mut Lowerer<'_>, cx: &InstContext<'_>) -> [Src; 2] {
    let address = l.load_source(cx, 0, S32);
    [
        reorder_lanes(address, [0, 1, 0, 1]),
        reorder_lanes(address, [2, 3, 2, 3]),
    ]
}

/// Lowers ARL and ARR. ARL: the largest integer not above the operand; ARR: the nearest one, the
/// even one of two. Results beyond the range of integers saturate.
pub(super) fn lower_arl(l: &mut Lowerer<'_>, cx: &InstContext<'_>, rounding: Rounding) {
    let [source] = l.load_floats(cx);
    l.emit_result_with_aux(
        cx,
        Op::Cvt,
        cx.types.result,
        float_to_int_conversion(rounding),
        &[source],
    );
}

/// Lowers ARL and ARR of NV_vertex_program2 (sections 2.14.3.4 and 2.14.3.5), with the roundings of
/// [`lower_arl`]: the integers are clamped to [-512, 511].
pub(super) fn lower_short_arl(l: &mut Lowerer<'_>, cx: &InstContext<'_>, rounding: Rounding) {
    let [source] = l.load_floats(cx);
    let integer = l.compute_with_aux(Op::Cvt, S32, float_to_int_conversion(rounding), &[source]);
    emit_short_address(l, cx, integer);
}

/// Returns the data of a conversion from a 32-bit float to an integer with this rounding, which
/// saturates.
fn float_to_int_conversion(rounding: Rounding) -> InstData {
    InstData::Cvt {
        from: F32,
        rounding,
        saturate: true,
    }
}

/// Emits the result of an instruction, a vector of addresses clamped to the range of ten bits with
/// sign. NV_vertex_program2 section 2.14.1.3.
fn emit_short_address(l: &mut Lowerer<'_>, cx: &InstContext<'_>, address: Src) {
    let [low, high] = SHORT_ADDRESS_RANGE.map(|bound| l.splat_bits(u64::from(bound as u32)));
    let raised = l.compute(Op::Max, S32, &[address, low]);
    l.emit_result(cx, Op::Min, S32, &[raised, high]);
}

/// Lowers DP2A: `dp2(a, b) + c.x`.
pub(crate) fn lower_dp2a<L: OpBuilder>(l: &mut L, cx: &L::Inst<'_>) {
    let [a, b, c] = l.load_floats(cx);
    let dot = l.compute(Op::Dp2, F32, &[a, b]);
    l.emit_result(cx, Op::Add, F32, &[dot, splat(c, 0)]);
}

/// Lowers DPH: `dp3(a, b) + b.w`.
pub(crate) fn lower_dph<L: OpBuilder>(l: &mut L, cx: &L::Inst<'_>) {
    let [a, b] = l.load_floats(cx);
    let dot = l.compute(Op::Dp3, F32, &[a, b]);
    l.emit_result(cx, Op::Add, F32, &[dot, splat(b, 3)]);
}

/// Lowers DST: `(1, a.y * b.y, a.z, b.w)`.
pub(crate) fn lower_dst<L: OpBuilder>(lowerer: &mut L, cx: &L::Inst<'_>) {
    let [a, b] = lowerer.load_floats(cx);
    let one = lowerer.splat_float(1.0);
    let parts: [ResultPart<'_>; 4] = [
        (0b0001, Op::Mov, F32, &[one]),
        (0b0010, Op::Mul, F32, &[a, b]),
        (0b0100, Op::Mov, F32, &[a]),
        (0b1000, Op::Mov, F32, &[b]),
    ];
    lowerer.emit_result_parts(cx, &parts);
}

/// Lowers EXP: `(2^floor(a), a - floor(a), 2^a, 1)`. The power of two is built from its exponent,
/// which is exact.
pub(crate) fn lower_exp<L: OpBuilder>(lowerer: &mut L, cx: &L::Inst<'_>) {
    let [a] = lowerer.load_floats(cx);
    let one = lowerer.splat_float(1.0);
    // Exponents out of range become those of 0 and infinity.
    let (low, high) = (lowerer.splat_float(-127.0), lowerer.splat_float(128.0));
    let floor = lowerer.compute(Op::Floor, F32, &[a]);
    let exponent = lowerer.compute_clamp(floor, low, high);
    let exponent = lowerer.compute_conversion(exponent, F32, S32);
    let (bias, shift) = (
        lowerer.splat_bits(EXPONENT_BIAS),
        lowerer.splat_bits(MANTISSA_BITS),
    );
    let exponent = lowerer.compute(Op::Add, S32, &[exponent, bias]);
    let parts: [ResultPart<'_>; 4] = [
        (0b0001, Op::Shl, U32, &[exponent, shift]),
        (0b0010, Op::Sub, F32, &[a, floor]),
        (0b0100, Op::Exp2, F32, &[a]),
        (0b1000, Op::Mov, F32, &[one]),
    ];
    lowerer.emit_result_parts(cx, &parts);
}

/// Lowers LIT: `(1, max(x, 0), x > 0 ? max(y, 0) ^ clamp(w) : 0, 1)` with 0 ^ 0 = 1.
pub(crate) fn lower_lit<L: OpBuilder>(l: &mut L, cx: &L::Inst<'_>) {
    lower_lit_bounded(l, cx, LIT_MAX_EXPONENT);
}

/// Lowers LIT: `(1, max(x, 0), x > 0 ? max(y, 0)^w : 0, 1)` with the exponent `w` clamped to
/// `-bound` and `bound`; 0^0 is 1.
pub(crate) fn lower_lit_bounded<L: OpBuilder>(lowerer: &mut L, cx: &L::Inst<'_>, bound: f32) {
    let [source] = lowerer.load_floats(cx);
    let (zero, one) = (lowerer.splat_float(0.0), lowerer.splat_float(1.0));
    let (low, high) = (lowerer.splat_float(-bound), lowerer.splat_float(bound));
    let positive = lowerer.compute(Op::SelLt, F32, &[source, zero, source]);
    let exponent = lowerer.compute_clamp(splat(source, 3), low, high);
    let power = lowerer.compute(Op::Pow, F32, &[splat(positive, 1), exponent]);
    // 0^0 is 1 by the specification, but devices may compute a NaN.
    let is_zero = lowerer.compute(Op::SetEq, F32, &[exponent, zero]);
    let power = lowerer.compute(Op::SelNz, F32, &[is_zero, one, power]);
    lowerer.emit_lit_result(cx, splat(positive, 0), power);
}

/// Lowers LOG: `(floor(log2(|a|)), |a| / 2^floor(log2(|a|)), log2(|a|), 1)`. Exponent and mantissa
/// are taken from the bits, which is exact; 0 gives (-Inf, 1, -Inf, 1) and infinity (Inf, 1, Inf,
/// 1). Denormals are treated as 0, except in the third component.
pub(crate) fn lower_log<L: OpBuilder>(lowerer: &mut L, cx: &L::Inst<'_>) {
    let a = with_abs(lowerer.load_source(cx, 0, F32));
    let (zero, one) = (lowerer.splat_bits(0), lowerer.splat_float(1.0));
    let value = lowerer.compute(Op::Mov, F32, &[a]);
    let (shift, bias) = (
        lowerer.splat_bits(MANTISSA_BITS),
        lowerer.splat_bits(EXPONENT_BIAS),
    );
    // The sign bit is 0, so that the exponent remains after the shift.
    let biased = lowerer.compute(Op::Shr, U32, &[value, shift]);
    let exponent = lowerer.compute(Op::Sub, S32, &[biased, bias]);
    let exponent = lowerer.compute_conversion(exponent, S32, F32);
    // Values without a normal exponent: their logarithm is infinite, or treated as such.
    let (smallest, infinity) = (
        lowerer.splat_float(f32::MIN_POSITIVE),
        lowerer.splat_float(f32::INFINITY),
    );
    let tiny = lowerer.compute(Op::SetLt, F32, &[value, smallest]);
    let exponent = lowerer.compute(Op::SelNz, F32, &[tiny, infinity.negated(), exponent]);
    let huge = lowerer.compute(Op::SetEq, F32, &[value, infinity]);
    let mantissa_bits = lowerer.splat_bits(MANTISSA_MASK);
    let mantissa = lowerer.compute(Op::And, U32, &[value, mantissa_bits]);
    let mantissa = lowerer.compute(Op::SelNz, U32, &[tiny, zero, mantissa]);
    let parts: [ResultPart<'_>; 4] = [
        (0b0001, Op::SelNz, F32, &[huge, infinity, exponent]),
        // The bits of 1.0 are the exponent that a mantissa from 1 to 2 has.
        (0b0010, Op::Or, U32, &[mantissa, one]),
        (0b0100, Op::Log2, F32, &[a]),
        (0b1000, Op::Mov, F32, &[one]),
    ];
    lowerer.emit_result_parts(cx, &parts);
}

/// Lowers LRP: `a * b + (1 - a) * c`, as two products, so that it is exactly b where a is 1.
pub(crate) fn lower_lrp<L: OpBuilder>(l: &mut L, cx: &L::Inst<'_>) {
    let [a, b, c] = l.load_floats(cx);
    let one = l.splat_float(1.0);
    // Two products as in the specification: `c + a * (b - c)` would not be exactly b where a is 1.
    let rest = l.compute(Op::Sub, F32, &[one, a]);
    let rest = l.compute(Op::Mul, F32, &[rest, c]);
    l.emit_result(cx, Op::Mad, F32, &[a, b, rest]);
}

/// Lowers NRM: `a / length(a.xyz)`; component w, which is undefined, is scaled as well.
pub(crate) fn lower_nrm<L: OpBuilder>(l: &mut L, cx: &L::Inst<'_>) {
    let [a] = l.load_floats(cx);
    let square = l.compute(Op::Dp3, F32, &[a, a]);
    // w of the result is undefined, so it may be scaled with the others.
    let scale = l.compute(Op::Rsq, F32, &[square]);
    l.emit_result(cx, Op::Mul, F32, &[a, scale]);
}

/// Lowers POW: `2^(b * log2(a))`, and 1 where b is 0. By the formula, 0 to the power 0 is NaN, or a
/// value that depends on the device's product, but "may be implemented" otherwise:
/// ARB_vertex_program section 2.14.5.20, ARB_fragment_program section 3.11.5.20, NV_gpu_program4
/// section 2.X.8.Z.
pub(crate) fn lower_pow<L: OpBuilder>(l: &mut L, cx: &L::Inst<'_>) {
    let [base, exponent] = l.load_floats(cx);
    let (zero, one) = (l.splat_float(0.0), l.splat_float(1.0));
    let power = l.compute(Op::Pow, F32, &[base, exponent]);
    let is_zero = l.compute(Op::SetEq, F32, &[exponent, zero]);
    l.emit_result(cx, Op::SelNz, F32, &[is_zero, one, power]);
}

/// Lowers RCC: positive reciprocals are clamped to `[2^-64, 2^64]`, all others, zeros and NaN
/// included, to `[-2^64, -2^-64]`.
pub(crate) fn lower_rcc<L: OpBuilder>(lowerer: &mut L, cx: &L::Inst<'_>) {
    let [a] = lowerer.load_floats(cx);
    let reciprocal = lowerer.compute(Op::Rcp, F32, &[a]);
    let (low, high) = (
        lowerer.splat_float(2f32.powi(-64)),
        lowerer.splat_float(2f32.powi(64)),
    );
    let positive = lowerer.compute_clamp(reciprocal, low, high);
    // The range of negative reciprocals is mirrored, so its bounds are exchanged.
    let negative = lowerer.compute(Op::Min, F32, &[reciprocal, low.negated()]);
    let negative = lowerer.compute(Op::Max, F32, &[negative, high.negated()]);
    // A value above zero is below zero when negated, and the selection tests that.
    let choices = [reciprocal.negated(), positive, negative];
    lowerer.emit_result(cx, Op::SelLt, F32, &choices);
}

/// Lowers RFL: `2 * dot(a, b) / dot(a, a) * a - b`, with products of three components.
pub(crate) fn lower_rfl<L: OpBuilder>(l: &mut L, cx: &L::Inst<'_>) {
    let [axis, direction] = l.load_floats(cx);
    let two = l.splat_float(2.0);
    let square = l.compute(Op::Dp3, F32, &[axis, axis]);
    let dot = l.compute(Op::Dp3, F32, &[axis, direction]);
    let dot = l.compute(Op::Mul, F32, &[dot, two]);
    let scale = l.compute(Op::Div, F32, &[dot, square]);
    l.emit_result(cx, Op::Mad, F32, &[scale, axis, direction.negated()]);
}

/// Lowers RSQ of ARB programs: the reciprocal square root of the absolute value.
pub(crate) fn lower_rsq<L: OpBuilder>(l: &mut L, cx: &L::Inst<'_>) {
    let source = with_abs(l.load_source(cx, 0, F32));
    l.emit_result(cx, Op::Rsq, F32, &[source]);
}

/// Lowers SAD: `|a - b| + c`; the difference is taken without overflow, sum and result are
/// unsigned.
pub(super) fn lower_sad(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let ty = cx.types.ty;
    let unsigned = Type::from_base(BaseType::UnsignedInt, ty.width());
    let [a, b, c] = l.load_sources(cx, [ty, ty, unsigned]);
    let larger = l.compute(Op::Max, ty, &[a, b]);
    let smaller = l.compute(Op::Min, ty, &[a, b]);
    let difference = l.compute(Op::Sub, unsigned, &[larger, smaller]);
    l.emit_result(cx, Op::Add, unsigned, &[difference, c]);
}

/// Lowers SCS: `(cos a, sin a)`; z and w, which are undefined, also get the cosine.
pub(crate) fn lower_scs<L: OpBuilder>(l: &mut L, cx: &L::Inst<'_>) {
    let [a] = l.load_floats(cx);
    // Components z and w are undefined; they get a value so that no lane is without one.
    l.emit_result_parts(
        cx,
        &[(0b1101, Op::Cos, F32, &[a]), (0b0010, Op::Sin, F32, &[a])],
    );
}

/// Lowers SWZ: every component selects a lane of the source, 0 or 1, with a separate sign, also of
/// 0.
pub(super) fn lower_swz(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let ExtraPart::ExtSwizzle(components) = cx.inst.extra else {
        return;
    };
    let source = lowerer.load_source(cx, 0, F32);
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
        [0b1111, 0, 0] => return lowerer.emit_result_copy(cx, picked),
        [0, 0b1111, 0] => return lowerer.emit_result_copy(cx, picked.negated()),
        _ => {}
    }
    let literal = Src::new(OperandBase::Literal(
        lowerer.resources.intern_literal(constants),
    ));
    let register = lowerer.alloc_hidden(F32.width());
    for (mask, source) in masks.into_iter().zip([picked, picked.negated(), literal]) {
        if mask != 0 {
            lowerer.emit_to_register(register, WriteMask(mask), Op::Mov, F32, &[source]);
        }
    }
    lowerer.emit_result_copy(cx, Src::from_register(register));
}

/// Lowers X2D: `a.xyxy + b.x * c.xzxz + b.y * c.ywyw`.
pub(crate) fn lower_x2d<L: OpBuilder>(l: &mut L, cx: &L::Inst<'_>) {
    let [a, b, c] = l.load_floats(cx);
    let (even, odd) = (
        reorder_lanes(c, [0, 2, 0, 2]),
        reorder_lanes(c, [1, 3, 1, 3]),
    );
    let sum = l.compute(
        Op::Mad,
        F32,
        &[splat(b, 0), even, reorder_lanes(a, [0, 1, 0, 1])],
    );
    l.emit_result(cx, Op::Mad, F32, &[splat(b, 1), odd, sum]);
}

/// Lowers XPD: `a.yzx * b.zxy - a.zxy * b.yzx`; component w, which is undefined, is `a.w * b.w -
/// a.w * b.w`.
pub(crate) fn lower_xpd<L: OpBuilder>(l: &mut L, cx: &L::Inst<'_>) {
    let [a, b] = l.load_floats(cx);
    let (yzx, zxy) = ([1, 2, 0, 3], [2, 0, 1, 3]);
    let product = l.compute(
        Op::Mul,
        F32,
        &[reorder_lanes(a, zxy), reorder_lanes(b, yzx)],
    );
    let sources = [
        reorder_lanes(a, yzx),
        reorder_lanes(b, zxy),
        product.negated(),
    ];
    l.emit_result(cx, Op::Mad, F32, &sources);
}
