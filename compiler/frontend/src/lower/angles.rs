//! Sines and cosines that are exact to 22 bits from 0 to 2 pi, which devices do not promise: Vulkan
//! requires 11 bits between -pi and pi.

use super::formula::{F, Formulas, S, SIGN, U, absolute};
use super::ordered::get_number_bits;
use super::{InstCx, Lowerer};
use glasm_ir::{Op, Src};

/// Index of the sign bit.
const SIGN_BIT: u64 = 31;

/// pi in three parts, the first two so short that their products with numbers of half turns are
/// exact for 4000 and more half turns.
const PI_PARTS: [f32; 3] = [3.140_625, 9.675_026e-4, 1.509_958e-7];

/// `(sin(r) / r - 1) / r^2` as a polynomial of `r^2`, lowest power first, for `r` up to pi/2. The
/// error of the sine is at most 5e-9: a minimax fit.
const SINE: [f32; 4] = [-0.166_666_57, 8.333_017e-3, -1.980_660_2e-4, 2.600_024_5e-6];

/// The largest angle for which the polynomial is valid.
const QUARTER_TURN: f32 = std::f32::consts::FRAC_PI_2;

/// Lowers SIN: of infinities and NaN NaN, of zeros the zero. NV_vertex_program2 section 2.14.3.33,
/// NV_fragment_program section 3.11.5.32.
pub(super) fn sine(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [a] = l.floats(cx);
    let bits = get_number_bits(l, a);
    let sign = l.bits(SIGN);
    let sign = l.compute(Op::And, U, &[bits, sign]);
    let angle = absolute(a);
    let turns = half_turns(l, angle);
    let turns = l.compute(Op::Round, F, &[turns]);
    let rest = rest_of(l, angle, turns);
    let sine = sine_near_zero(l, rest);
    // Each half turn changes the sign.
    let odd = odd_turns(l, turns);
    let sign = l.compute(Op::Xor, U, &[sign, odd]);
    let sine = l.compute(Op::Xor, U, &[sine, sign]);
    l.finish_mov(cx, sine);
}

/// Lowers COS: of infinities and NaN NaN, of zeros 1. NV_vertex_program2 section 2.14.3.8,
/// NV_fragment_program section 3.11.5.2.
pub(super) fn cosine(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [a] = l.floats(cx);
    let angle = absolute(a);
    let (half, zero, one) = (l.float(0.5), l.float(0.0), l.float(1.0));
    // Between its zeros, which are in the middle of half turns, the cosine is a sine.
    let turns = half_turns(l, angle);
    let turns = l.compute(Op::Sub, F, &[turns, half]);
    let turns = l.compute(Op::Round, F, &[turns]);
    let middle = l.compute(Op::Add, F, &[turns, half]);
    let rest = rest_of(l, angle, middle);
    // With the middle (n + 1/2) pi and the rest r the cosine is -(-1)^n sin(r).
    let cosine = sine_near_zero(l, rest.negated());
    let odd = odd_turns(l, turns);
    let cosine = l.compute(Op::Xor, U, &[cosine, odd]);
    // The polynomial may miss the last bit there.
    let is_zero = l.compute(Op::SetEq, F, &[angle, zero]);
    l.finish(cx, Op::SelNz, F, &[is_zero, one, cosine]);
}

/// Returns an angle as a number of half turns.
fn half_turns(l: &mut Lowerer<'_>, angle: Src) -> Src {
    let scale = l.float(std::f32::consts::FRAC_1_PI);
    l.compute(Op::Mul, F, &[angle, scale])
}

/// Returns the remainder of an angle without so many half turns, at most a quarter turn to either
/// side. Angles for which single precision is too coarse end somewhere there; NaN is preserved.
fn rest_of(l: &mut Lowerer<'_>, angle: Src, turns: Src) -> Src {
    // The largest part first: the difference of two numbers near to each other is exact, so that
    // small terms are added in full.
    let rest = PI_PARTS.into_iter().fold(angle, |rest, part| {
        let part = l.float(-part);
        l.compute(Op::Mad, F, &[turns, part, rest])
    });
    let (low, high) = (l.float(-QUARTER_TURN), l.float(QUARTER_TURN));
    // With NaN `Max` returns its second source, `Min` its first.
    let rest = l.compute(Op::Max, F, &[low, rest]);
    l.compute(Op::Min, F, &[rest, high])
}

/// Returns the sine of an angle of at most a quarter turn.
fn sine_near_zero(l: &mut Lowerer<'_>, angle: Src) -> Src {
    let square = l.compute(Op::Mul, F, &[angle, angle]);
    let sum = l.polynomial(square, &SINE);
    let cube = l.compute(Op::Mul, F, &[square, angle]);
    l.compute(Op::Mad, F, &[cube, sum, angle])
}

/// Returns the sign bit for an odd number of half turns.
fn odd_turns(l: &mut Lowerer<'_>, turns: Src) -> Src {
    let number = l.converted(turns, F, S);
    let shift = l.bits(SIGN_BIT);
    l.compute(Op::Shl, U, &[number, shift])
}
