//! Lanes: the bits of a value in the low bits of a `u64`, all other bits 0.

use std::cmp::Ordering;

use super::convert::to_f64;
use crate::types::{Base, Type, Width};

/// Returns all bits of a lane.
pub(super) const fn lane_mask(width: Width) -> u64 {
    u64::MAX >> (64 - width.bits())
}

/// Returns the sign bit of a lane.
pub(super) const fn get_top_bit(width: Width) -> u64 {
    1 << (width.bits() - 1)
}

/// Returns the lane as a signed integer.
pub(super) const fn to_signed(width: Width, bits: u64) -> i64 {
    let unused = 64 - width.bits();
    ((bits << unused) as i64) >> unused
}

/// Returns the bits of 1.0.
pub(super) const fn encode_one(ty: Type) -> u64 {
    match (ty.base(), ty.width()) {
        // There are no 8-bit floats; the pattern only makes the match exhaustive.
        (Base::Float, Width::W8 | Width::W16) => 0x3c00,
        (Base::Float, Width::W32) => 0x3f80_0000,
        (Base::Float, Width::W64) => 0x3ff0_0000_0000_0000,
        (Base::Signed | Base::Unsigned, _) => 1,
    }
}

/// Returns a boolean: 1.0 or all ones for true, 0 for false.
pub(super) const fn encode_bool(ty: Type, value: bool) -> u64 {
    match (value, ty.is_float()) {
        (false, _) => 0,
        (true, true) => encode_one(ty),
        (true, false) => lane_mask(ty.width()),
    }
}

/// Returns the order of two values; `None` with NaN.
pub(super) fn compare(ty: Type, a: u64, b: u64) -> Option<Ordering> {
    match ty.base() {
        Base::Float => to_f64(ty, a).partial_cmp(&to_f64(ty, b)),
        Base::Signed => Some(to_signed(ty.width(), a).cmp(&to_signed(ty.width(), b))),
        Base::Unsigned => Some(a.cmp(&b)),
    }
}

/// Returns true if a value is 0; true for -0.0, false for NaN.
pub(super) fn is_zero(ty: Type, bits: u64) -> bool {
    compare(ty, bits & lane_mask(ty.width()), 0) == Some(Ordering::Equal)
}

/// Returns true if a value is below 0.
pub(super) fn is_negative(ty: Type, bits: u64) -> bool {
    compare(ty, bits & lane_mask(ty.width()), 0) == Some(Ordering::Less)
}

/// Returns the absolute value. The least signed integer, which has none, and unsigned integers are
/// returned unchanged.
pub(super) const fn compute_abs(ty: Type, bits: u64) -> u64 {
    match ty.base() {
        Base::Float => bits & !get_top_bit(ty.width()),
        Base::Signed if bits & get_top_bit(ty.width()) != 0 => compute_neg(ty, bits),
        Base::Signed | Base::Unsigned => bits,
    }
}

/// Returns the negated value, in two's complement for integers.
pub(super) const fn compute_neg(ty: Type, bits: u64) -> u64 {
    match ty.base() {
        Base::Float => bits ^ get_top_bit(ty.width()),
        Base::Signed | Base::Unsigned => bits.wrapping_neg() & lane_mask(ty.width()),
    }
}

/// Returns the value extended to a lane of `width`: signed integers are sign-extended, all others
/// zero-extended.
pub(super) const fn extend_bits(ty: Type, bits: u64, width: Width) -> u64 {
    match ty.base() {
        Base::Signed => to_signed(ty.width(), bits) as u64 & lane_mask(width),
        Base::Float | Base::Unsigned => bits & lane_mask(width),
    }
}
