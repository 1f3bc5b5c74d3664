//! Lanes: the bits of a value in the low bits of a `u64`, all others 0.

use std::cmp::Ordering;

use super::convert::to_f64;
use crate::types::{Base, Type, Width};

/// All bits of a lane.
pub(super) const fn mask(width: Width) -> u64 {
    u64::MAX >> (64 - width.bits())
}

/// The sign bit of a lane.
pub(super) const fn top_bit(width: Width) -> u64 {
    1 << (width.bits() - 1)
}

/// The lane as a signed integer.
pub(super) const fn signed(width: Width, bits: u64) -> i64 {
    let unused = 64 - width.bits();
    ((bits << unused) as i64) >> unused
}

/// The bits of 1.0.
pub(super) const fn one(ty: Type) -> u64 {
    match (ty.base(), ty.width()) {
        // There are no floats of 8 bits; the row only makes the match whole.
        (Base::Float, Width::W8 | Width::W16) => 0x3c00,
        (Base::Float, Width::W32) => 0x3f80_0000,
        (Base::Float, Width::W64) => 0x3ff0_0000_0000_0000,
        (Base::Signed | Base::Unsigned, _) => 1,
    }
}

/// A truth value: 1.0 or all ones, and 0.
pub(super) const fn truth(ty: Type, value: bool) -> u64 {
    match (value, ty.is_float()) {
        (false, _) => 0,
        (true, true) => one(ty),
        (true, false) => mask(ty.width()),
    }
}

/// The order of two values; `None` with NaN.
pub(super) fn compare(ty: Type, a: u64, b: u64) -> Option<Ordering> {
    match ty.base() {
        Base::Float => to_f64(ty, a).partial_cmp(&to_f64(ty, b)),
        Base::Signed => Some(signed(ty.width(), a).cmp(&signed(ty.width(), b))),
        Base::Unsigned => Some(a.cmp(&b)),
    }
}

/// Whether a value is 0; -0.0 is, NaN is not.
pub(super) fn is_zero(ty: Type, bits: u64) -> bool {
    compare(ty, bits & mask(ty.width()), 0) == Some(Ordering::Equal)
}

/// Whether a value is below 0.
pub(super) fn is_negative(ty: Type, bits: u64) -> bool {
    compare(ty, bits & mask(ty.width()), 0) == Some(Ordering::Less)
}

/// The absolute value. The least signed integer has none and stays what it is, and so do unsigned integers.
pub(super) const fn absolute(ty: Type, bits: u64) -> u64 {
    match ty.base() {
        Base::Float => bits & !top_bit(ty.width()),
        Base::Signed if bits & top_bit(ty.width()) != 0 => negated(ty, bits),
        Base::Signed | Base::Unsigned => bits,
    }
}

/// The negated value, in two's complement for integers.
pub(super) const fn negated(ty: Type, bits: u64) -> u64 {
    match ty.base() {
        Base::Float => bits ^ top_bit(ty.width()),
        Base::Signed | Base::Unsigned => bits.wrapping_neg() & mask(ty.width()),
    }
}

/// The value in a lane of `width`: signed integers are extended by their sign, all others by zeros.
pub(super) const fn extended(ty: Type, bits: u64, width: Width) -> u64 {
    match ty.base() {
        Base::Signed => signed(ty.width(), bits) as u64 & mask(width),
        Base::Float | Base::Unsigned => bits & mask(width),
    }
}
