//! Numbers that programs read: limits of types, and values with which sums and products stay exact.

use super::value::{Base, Num, Type};
use crate::rng::Rng;

/// What a variable mostly holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Float,
    Int,
    Double,
    Long,
}

impl Class {
    pub(super) fn of(ty: Type) -> Self {
        match (ty.base, ty.bits) {
            (Base::F, 64) => Self::Double,
            (Base::F, 16) => Self::Int,
            (Base::F, _) => Self::Float,
            (Base::S | Base::U, 64) => Self::Long,
            (Base::S | Base::U, _) => Self::Int,
        }
    }

    /// Bits of a component.
    pub(super) fn width(self) -> u32 {
        match self {
            Self::Float | Self::Int => 32,
            Self::Double | Self::Long => 64,
        }
    }
}

const SINGLES: &[f32] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    -2.5,
    255.0,
    256.0,
    -32769.0,
    65504.0,
    8_388_608.0,
    16_777_215.0,
    16_777_216.0,
    -2_147_483_648.0,
    4_294_967_040.0,
    1e30,
    -1e-30,
    f32::MAX,
    f32::MIN_POSITIVE,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

const WORDS: &[u32] = &[
    0,
    1,
    2,
    3,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x00ff_ffff,
    0x0100_0001,
    0x3c00,
    0xc100,
    0x3c00_4400,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
];

const DOUBLES: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    1e10,
    -4_294_967_296.5,
    9_007_199_254_740_993.0,
    -9_223_372_036_854_775_808.0,
    1.8e19,
    1e30,
    -1e-30,
    1e300,
    16_777_217.0,
    1.000_000_1,
];

const LONGS: &[u64] = &[
    0,
    1,
    2,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x20_0000_0000_0001,
    0x20_0000_0000_0003,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_ffff_0000_0000,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
];

/// A fraction of few bits.
fn fraction(rng: &mut Rng) -> f64 {
    (rng.below(129) as f64 - 64.0) / 4.0
}

/// Bits that a register of a class begins with.
pub(super) fn bits(rng: &mut Rng, class: Class) -> u64 {
    let common = rng.percent(60);
    match class {
        Class::Float if common => u64::from((fraction(rng) as f32).to_bits()),
        Class::Float => u64::from(rng.pick(SINGLES).to_bits()),
        Class::Int if common => match rng.below(3) {
            0 => rng.below(9) as u64,
            1 => 0xffff_ffff - rng.below(9) as u64,
            _ => rng.bits() & 0xffff_ffff,
        },
        Class::Int => u64::from(*rng.pick(WORDS)),
        Class::Double if common => fraction(rng).to_bits(),
        Class::Double => rng.pick(DOUBLES).to_bits(),
        Class::Long if common => match rng.below(3) {
            0 => rng.below(9) as u64,
            1 => u64::MAX - rng.below(9) as u64,
            _ => rng.bits(),
        },
        Class::Long => *rng.pick(LONGS),
    }
}

/// A constant in a program, with its value.
fn number(rng: &mut Rng, ty: Type) -> (String, Num) {
    if ty.is_float() {
        let exact = if rng.percent(80) {
            fraction(rng)
        } else {
            *rng.pick(&[0.0, 1.0, 1024.0, 65536.0, 0.0078125, 1e10])
        };
        return (format!("{exact:?}"), Num::F(exact));
    }
    let small = rng.below(20) as i128;
    let value = match rng.below(10) {
        0..6 => small,
        6 if ty.base == Base::S => -small,
        6 => small * 1000,
        // Words fit all types.
        _ => i128::from(*rng.pick(WORDS)),
    };
    let text = if value > 0x7fff_ffff || value > 9 && rng.percent(50) {
        format!("0x{value:x}")
    } else {
        value.to_string()
    };
    (text, Num::I(ty.wrap(value)))
}

/// A scalar or a vector in braces.
pub(super) fn literal(rng: &mut Rng, ty: Type) -> (String, [Num; 4]) {
    if rng.percent(50) {
        let (text, num) = number(rng, ty);
        return (text, [num; 4]);
    }
    let parts: Vec<(String, Num)> = (0..4).map(|_| number(rng, ty)).collect();
    let texts: Vec<&str> = parts.iter().map(|(text, _)| text.as_str()).collect();
    let text = format!("{{{}}}", texts.join(", "));
    (text, std::array::from_fn(|lane| parts[lane].1))
}
