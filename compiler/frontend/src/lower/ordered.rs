//! Comparisons and choices with the rules for NaN and signed zeros of the register languages.
//! NV_vertex_program sections 2.14.1.10 and 2.14.1.11, NV_vertex_program2 section 2.14.3,
//! NV_fragment_program section 3.11.5.

use super::formula::{F, Formulas, MAGNITUDE, S, SIGN, U};
use super::{InstCx, Lowerer};
use glasm_ir::{Op, Src};

/// A quiet NaN.
const NAN: u64 = 0x7fc0_0000;
/// The largest denormal.
const LARGEST_DENORMAL: u64 = 0x007f_ffff;
/// The bits of 1.0.
const ONE: u64 = 0x3f80_0000;

/// Lowers MIN of VP1.x: `a < b ? a : b`, which is `b` with NaN. NV_vertex_program section
/// 2.14.1.10.11.
pub(super) fn min_or_second(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [a, b] = l.floats(cx);
    // `Min` returns its first source unless the second is less.
    l.finish(cx, Op::Min, F, &[b, a]);
}

/// Lowers MAX of VP1.x: `a >= b ? a : b`, which is `b` with NaN. NV_vertex_program section
/// 2.14.1.10.12.
pub(super) fn max_or_second(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [a, b] = l.floats(cx);
    // `Max` would return `b` for zeros, so that "MAX R0, R1, -R1" would not be the absolute value.
    let reaches = l.compute(Op::SetGe, F, &[a, b]);
    l.finish(cx, Op::SelNz, F, &[reaches, a, b]);
}

/// Lowers MIN: the smaller one, NaN if either is NaN. NV_vertex_program2 section 2.14.3.22,
/// NV_fragment_program section 3.11.5.17.
pub(super) fn min_or_nan(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [a, b] = l.floats(cx);
    // With NaN `Min` returns its first source.
    let smaller = l.compute(Op::Min, F, &[a, b]);
    let is_number = l.compute(Op::SetEq, F, &[b, b]);
    l.finish(cx, Op::SelNz, F, &[is_number, smaller, b]);
}

/// Lowers MAX: the larger one, NaN if either is NaN. NV_vertex_program2 section 2.14.3.21,
/// NV_fragment_program section 3.11.5.16.
pub(super) fn max_or_nan(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [a, b] = l.floats(cx);
    // With NaN `Max` returns its second source.
    let larger = l.compute(Op::Max, F, &[a, b]);
    let is_number = l.compute(Op::SetEq, F, &[a, a]);
    l.finish(cx, Op::SelNz, F, &[is_number, larger, a]);
}

/// Lowers SSG: 1, 0 or -1 by the sign; NaN of NaN. NV_vertex_program2 section 2.14.3.37.
pub(super) fn sign_or_nan(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [a] = l.floats(cx);
    let sign = l.compute(Op::Sign, F, &[a]);
    let is_number = l.compute(Op::SetEq, F, &[a, a]);
    l.finish(cx, Op::SelNz, F, &[is_number, sign, a]);
}

/// Returns the results of a comparison for equal operands, for a first operand that is greater, and
/// for one that is less.
const fn outcomes(op: Op) -> [bool; 3] {
    [
        matches!(op, Op::SetEq | Op::SetGe | Op::SetLe),
        matches!(op, Op::SetNe | Op::SetGe | Op::SetGt),
        matches!(op, Op::SetNe | Op::SetLe | Op::SetLt),
    ]
}

/// Lowers SEQ, SGE, SGT, SLE, SLT, SNE of VP2.0: 1 or 0, NaN if either operand is NaN.
/// NV_vertex_program2 sections 2.14.3.29 to 2.14.3.36.
///
/// Two comparisons distinguish all four cases: with NaN neither holds.
pub(super) fn set_or_nan(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: Op) {
    let [a, b] = l.floats(cx);
    let at_least = l.compute(Op::SetGe, F, &[a, b]);
    let at_most = l.compute(Op::SetLe, F, &[a, b]);
    let [equal, greater, less] = outcomes(op).map(|holds| l.bits(u64::from(holds) * ONE));
    let nan = l.bits(NAN);
    // SNE and SEQ, SGT and SLE distinguish these two, SGE and SLT do not.
    let from_above = if equal == greater {
        equal
    } else {
        l.compute(Op::SelNz, F, &[at_most, equal, greater])
    };
    let from_below = l.compute(Op::SelNz, F, &[at_most, less, nan]);
    l.finish(cx, Op::SelNz, F, &[at_least, from_above, from_below]);
}

/// Lowers SLT and SGE of VP1.x: -NaN is less than -Inf, -0 less than +0, +Inf less than +NaN.
/// NV_vertex_program section 2.14.1.11.
pub(super) fn set_in_total_order(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: Op) {
    let [a, b] = l.floats(cx);
    let places = [a, b].map(|value| place_in_order(l, value));
    let holds = l.compute(op, S, &places);
    let (zero, one) = (l.bits(0), l.bits(ONE));
    l.finish(cx, Op::SelNz, F, &[holds, one, zero]);
}

/// Returns the rank of a float in the total order as a signed integer: its bits, negated with a
/// sign. Denormals have the rank of the zero of their sign.
fn place_in_order(l: &mut Lowerer<'_>, value: Src) -> Src {
    let bits = get_signed_bits(l, value);
    let (mask, least) = (l.bits(MAGNITUDE), l.bits(LARGEST_DENORMAL));
    let magnitude = l.compute(Op::And, U, &[bits, mask]);
    // Zeros, too, get the bits of a denormal: negated, those of -0 are then less than those of +0.
    let magnitude = l.compute(Op::Max, S, &[magnitude, least]);
    l.compute(Op::SelLt, S, &[bits, magnitude.negated(), magnitude])
}

/// Returns the bits of a float with its sign applied, which devices need not do for NaN. VP1.x
/// has no absolute values.
fn get_signed_bits(l: &mut Lowerer<'_>, value: Src) -> Src {
    if !value.negate {
        return value;
    }
    let bits = Src {
        negate: false,
        ..value
    };
    let sign = l.bits(SIGN);
    l.compute(Op::Xor, U, &[bits, sign])
}

/// Returns the bits of a float. Its signs are applied first, because the following operations read
/// the bits as integers.
pub(super) fn get_number_bits(l: &mut Lowerer<'_>, value: Src) -> Src {
    if value.has_modifier() {
        l.compute(Op::Mov, F, &[value])
    } else {
        value
    }
}
