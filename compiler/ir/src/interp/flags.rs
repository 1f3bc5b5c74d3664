//! Condition codes: NV_gpu_program4 section 2.X.4.3.

use super::value::{get_top_bit, is_negative, is_zero, lane_mask, to_signed};
use crate::inst::CondTest;
use crate::types::{Type, Width};

/// The flags of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// SF: below 0 or NaN; the top bit of an integer.
    pub sign: bool,
    /// ZF: 0 or NaN.
    pub zero: bool,
    /// OF: overflow of a signed sum or difference.
    pub overflow: bool,
    /// CF: carry of an unsigned sum, or no borrow of an unsigned difference.
    pub carry: bool,
}

impl Flags {
    /// Returns the flags of a result of type `ty` with the value `bits` in a lane of `width`.
    /// Overflow and carry are clear.
    pub fn of_result(ty: Type, width: Width, bits: u64) -> Self {
        if ty.is_float() {
            // NaN sets both flags, unlike any number: so NAN and LEG can detect it (NV_gpu_program4
            // table X.16).
            let nan = super::to_f64(ty, bits).is_nan();
            let (sign, zero) = (nan || is_negative(ty, bits), nan || is_zero(ty, bits));
            return Self {
                sign,
                zero,
                ..Self::default()
            };
        }
        Self {
            sign: bits & get_top_bit(width) != 0,
            zero: bits & lane_mask(width) == 0,
            ..Self::default()
        }
    }

    /// Returns true if the flags pass a test: NV_gpu_program4 table X.16.
    pub fn passes(self, test: CondTest) -> bool {
        let Self {
            sign: sf,
            zero: zf,
            overflow: of,
            carry: cf,
        } = self;
        match test {
            CondTest::Eq => !sf && zf,
            CondTest::Ne => sf || !zf,
            CondTest::Lt => (sf && !zf) ^ of,
            CondTest::Le => sf ^ (zf || of),
            CondTest::Gt => (!sf ^ of) && !zf,
            CondTest::Ge => !(sf ^ of),
            CondTest::True => true,
            CondTest::False => false,
            CondTest::Nan => sf && zf,
            CondTest::Leg => !sf || !zf,
            CondTest::Carry => cf,
            CondTest::NoCarry => !cf,
            CondTest::Overflow => of,
            CondTest::NoOverflow => !of,
            CondTest::Sign => sf,
            CondTest::NoSign => !sf,
            CondTest::Above => cf && !zf,
            CondTest::BelowEqual => !cf || zf,
        }
    }
}

/// An addend: its value without the negation that the operation applies to it.
#[derive(Clone, Copy)]
pub(super) struct Addend {
    pub(super) value: u64,
    pub(super) negated: bool,
}

/// Returns overflow and carry of `x + y` at the width of `ty`. A negated addend makes it a
/// subtraction; if both are negated the flags are undefined, and clear here.
pub(super) fn compute_overflow_and_carry(ty: Type, x: Addend, y: Addend) -> (bool, bool) {
    match (x.negated, y.negated) {
        (false, false) => compute_sum_flags(ty, x.value, y.value),
        (false, true) => compute_difference_flags(ty, x.value, y.value),
        (true, false) => compute_difference_flags(ty, y.value, x.value),
        (true, true) => (false, false),
    }
}

fn is_in_range(ty: Type, value: i128) -> bool {
    let limit = i128::from(get_top_bit(ty.width()));
    (-limit..limit).contains(&value)
}

fn compute_sum_flags(ty: Type, a: u64, b: u64) -> (bool, bool) {
    let sum = i128::from(to_signed(ty.width(), a)) + i128::from(to_signed(ty.width(), b));
    let unsigned_sum = u128::from(a) + u128::from(b);
    (
        !is_in_range(ty, sum),
        unsigned_sum > u128::from(lane_mask(ty.width())),
    )
}

fn compute_difference_flags(ty: Type, a: u64, b: u64) -> (bool, bool) {
    let difference = i128::from(to_signed(ty.width(), a)) - i128::from(to_signed(ty.width(), b));
    // Carry means no borrow: the difference of the unsigned values is not negative.
    (!is_in_range(ty, difference), a >= b)
}
