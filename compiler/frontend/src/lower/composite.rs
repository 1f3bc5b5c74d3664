//! Instructions that stand for several operations. NV_gpu_program4 section 2.X.8.Z has the formulas.

use super::operand::{lanes, splat};
use super::{InstCx, Lowerer};
use crate::ast::{ExtSelect, Extra};
use glasm_ir::types::{Base as TypeBase, Type};
use glasm_ir::{Op, Src, Swizzle, WriteMask};

const F: Type = Type::F32;
/// Just below 128: the bound of the exponent of LIT.
const LIT_BOUND: f32 = 127.996_1;

/// DP2A: `dp2(a, b) + c.x`.
pub(super) fn dp2a(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let (a, b, c) = (l.value(cx, 0, F), l.value(cx, 1, F), l.value(cx, 2, F));
    let dot = l.compute(Op::Dp2, F, &[a, b]);
    l.finish(cx, Op::Add, F, &[dot, splat(c, 0)]);
}

/// DPH: `dp3(a, b) + b.w`.
pub(super) fn dph(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let (a, b) = (l.value(cx, 0, F), l.value(cx, 1, F));
    let dot = l.compute(Op::Dp3, F, &[a, b]);
    l.finish(cx, Op::Add, F, &[dot, splat(b, 3)]);
}

/// DST: `(1, a.y * b.y, a.z, b.w)`.
pub(super) fn dst(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let (a, b) = (l.value(cx, 0, F), l.value(cx, 1, F));
    let one = l.float(1.0);
    let register = l.hidden(F.width());
    l.put(register, WriteMask(1), Op::Mov, F, &[one]);
    l.put(register, WriteMask(2), Op::Mul, F, &[a, b]);
    l.put(register, WriteMask(4), Op::Mov, F, &[a]);
    l.put(register, WriteMask(8), Op::Mov, F, &[b]);
    l.finish_mov(cx, Src::register(register));
}

/// LIT: `(1, max(x, 0), x > 0 ? max(y, 0) ^ clamp(w) : 0, 1)` with 0 ^ 0 = 1.
pub(super) fn lit(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let source = l.value(cx, 0, F);
    let (zero, one) = (l.float(0.0), l.float(1.0));
    let (low, high) = (l.float(-LIT_BOUND), l.float(LIT_BOUND));
    let positive = l.compute(Op::SelLt, F, &[source, zero, source]);
    let exponent = splat(source, 3);
    let exponent = l.compute(Op::Max, F, &[exponent, low]);
    let exponent = l.compute(Op::Min, F, &[exponent, high]);
    let power = l.compute(Op::Pow, F, &[splat(positive, 1), exponent]);
    // 0^0 is 1 by the text, but devices may compute a NaN.
    let is_zero = l.compute(Op::SetEq, F, &[exponent, zero]);
    let power = l.compute(Op::SelNz, F, &[is_zero, one, power]);
    let register = l.hidden(F.width());
    l.put(register, WriteMask(9), Op::Mov, F, &[one]);
    l.put(register, WriteMask(2), Op::Mov, F, &[splat(positive, 0)]);
    l.put(
        register,
        WriteMask(4),
        Op::SelLt,
        F,
        &[splat(positive, 0).negated(), power, zero],
    );
    l.finish_mov(cx, Src::register(register));
}

/// LRP: `a * b + (1 - a) * c`.
pub(super) fn lrp(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let (a, b, c) = (l.value(cx, 0, F), l.value(cx, 1, F), l.value(cx, 2, F));
    let one = l.float(1.0);
    // Two products as in the text: `c + a * (b - c)` would not give b exactly where a is 1.
    let rest = l.compute(Op::Sub, F, &[one, a]);
    let rest = l.compute(Op::Mul, F, &[rest, c]);
    l.finish(cx, Op::Mad, F, &[a, b, rest]);
}

/// NRM: `a / length(a.xyz)`.
pub(super) fn nrm(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let a = l.value(cx, 0, F);
    let square = l.compute(Op::Dp3, F, &[a, a]);
    let scale = l.compute(Op::Rsq, F, &[square]);
    l.finish(cx, Op::Mul, F, &[a, scale]);
}

/// RCC: positive reciprocals lie in `[2^-64, 2^64]`, all others in `[-2^64, -2^-64]`.
pub(super) fn rcc(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let a = l.value(cx, 0, F);
    let (small, large) = (2f32.powi(-64), 2f32.powi(64));
    let reciprocal = l.compute(Op::Rcp, F, &[a]);
    let (low, high) = (l.float(small), l.float(large));
    let positive = l.compute(Op::Max, F, &[reciprocal, low]);
    let positive = l.compute(Op::Min, F, &[positive, high]);
    let negative = l.compute(Op::Min, F, &[reciprocal, low.negated()]);
    let negative = l.compute(Op::Max, F, &[negative, high.negated()]);
    l.finish(
        cx,
        Op::SelLt,
        F,
        &[reciprocal.negated(), positive, negative],
    );
}

/// RFL: `2 * dot(a, b) / dot(a, a) * a - b`.
pub(super) fn rfl(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let (axis, direction) = (l.value(cx, 0, F), l.value(cx, 1, F));
    let two = l.float(2.0);
    let square = l.compute(Op::Dp3, F, &[axis, axis]);
    let dot = l.compute(Op::Dp3, F, &[axis, direction]);
    let dot = l.compute(Op::Mul, F, &[dot, two]);
    let scale = l.compute(Op::Div, F, &[dot, square]);
    l.finish(cx, Op::Mad, F, &[scale, axis, direction.negated()]);
}

/// SAD: `|a - b| + c`; the difference is taken without overflow, sum and result are unsigned.
pub(super) fn sad(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let ty = cx.types.ty;
    let unsigned = Type::of(TypeBase::Unsigned, ty.width());
    let (a, b) = (l.value(cx, 0, ty), l.value(cx, 1, ty));
    let c = l.value(cx, 2, unsigned);
    let larger = l.compute(Op::Max, ty, &[a, b]);
    let smaller = l.compute(Op::Min, ty, &[a, b]);
    let difference = l.compute(Op::Sub, unsigned, &[larger, smaller]);
    l.finish(cx, Op::Add, unsigned, &[difference, c]);
}

/// SCS: `(cos a, sin a)`.
pub(super) fn scs(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let a = l.value(cx, 0, F);
    let register = l.hidden(F.width());
    // Components z and w are undefined; they get a value so that no lane is without one.
    l.put(register, WriteMask(0b1101), Op::Cos, F, &[a]);
    l.put(register, WriteMask(0b0010), Op::Sin, F, &[a]);
    l.finish_mov(cx, Src::register(register));
}

/// SWZ: every component picks a lane, 0 or 1, with a sign of its own.
pub(super) fn swz(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let Extra::ExtSwizzle(components) = cx.line.extra else {
        return;
    };
    let source = l.value(cx, 0, F);
    let mut order = [0; 4];
    let mut constants = [0u64; 4];
    let (mut plain, mut negated, mut constant) =
        (WriteMask::NONE, WriteMask::NONE, WriteMask::NONE);
    for (lane, component) in components.iter().enumerate() {
        let bit = 1 << lane;
        let value: f32 = match component.select {
            ExtSelect::Lane(select) => {
                order[lane] = select;
                if component.negate {
                    negated.0 |= bit
                } else {
                    plain.0 |= bit
                }
                continue;
            }
            ExtSelect::Zero => 0.0,
            ExtSelect::One => 1.0,
        };
        constant.0 |= bit;
        constants[lane] = u64::from(if component.negate { -value } else { value }.to_bits());
    }
    let picked = source.swizzled(Swizzle::new(order));
    match (plain, negated, constant) {
        (WriteMask::XYZW, _, _) => return l.finish_mov(cx, picked),
        (_, WriteMask::XYZW, _) => return l.finish_mov(cx, picked.negated()),
        _ => {}
    }
    let literal = Src::new(glasm_ir::Base::Literal(l.literal_id(constants)));
    let register = l.hidden(F.width());
    for (mask, source) in [
        (plain, picked),
        (negated, picked.negated()),
        (constant, literal),
    ] {
        if !mask.is_empty() {
            l.put(register, mask, Op::Mov, F, &[source]);
        }
    }
    l.finish_mov(cx, Src::register(register));
}

/// X2D: `a.xyxy + b.x * c.xzxz + b.y * c.ywyw`.
pub(super) fn x2d(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let (a, b, c) = (l.value(cx, 0, F), l.value(cx, 1, F), l.value(cx, 2, F));
    let sum = l.compute(
        Op::Mad,
        F,
        &[splat(b, 0), lanes(c, [0, 2, 0, 2]), lanes(a, [0, 1, 0, 1])],
    );
    l.finish(cx, Op::Mad, F, &[splat(b, 1), lanes(c, [1, 3, 1, 3]), sum]);
}

/// XPD: `a.yzx * b.zxy - a.zxy * b.yzx`.
pub(super) fn xpd(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let (a, b) = (l.value(cx, 0, F), l.value(cx, 1, F));
    let (yzx, zxy) = ([1, 2, 0, 3], [2, 0, 1, 3]);
    let product = l.compute(Op::Mul, F, &[lanes(a, zxy), lanes(b, yzx)]);
    l.finish(
        cx,
        Op::Mad,
        F,
        &[lanes(a, yzx), lanes(b, zxy), product.negated()],
    );
}
