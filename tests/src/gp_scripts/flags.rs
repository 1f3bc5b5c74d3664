//! Condition codes: NV_gpu_program4 section 2.X.4.3.

use super::arith;
use super::value::{Base, Num, Open, Type};
use crate::rng::Rng;

/// The flags of one component. Overflow and carry are open where the text says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Flags {
    pub(super) sign: bool,
    pub(super) zero: bool,
    pub(super) overflow: Option<bool>,
    pub(super) carry: Option<bool>,
}

/// A test of table X.16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    Eq,
    Ge,
    Gt,
    Le,
    Lt,
    Ne,
    Fl,
    Tr,
    Nan,
    Leg,
    Cf,
    Ncf,
    Of,
    Nof,
    Sf,
    Nsf,
    Ab,
    Ble,
}

/// All tests; those that programs have most come several times.
const RULES: &[(Rule, &str)] = &[
    (Rule::Eq, "EQ"),
    (Rule::Ge, "GE"),
    (Rule::Gt, "GT"),
    (Rule::Le, "LE"),
    (Rule::Lt, "LT"),
    (Rule::Ne, "NE"),
    (Rule::Eq, "EQ"),
    (Rule::Ge, "GE"),
    (Rule::Gt, "GT"),
    (Rule::Le, "LE"),
    (Rule::Lt, "LT"),
    (Rule::Ne, "NE"),
    (Rule::Fl, "FL"),
    (Rule::Tr, "TR"),
    (Rule::Nan, "NAN"),
    (Rule::Leg, "LEG"),
    (Rule::Cf, "CF"),
    (Rule::Ncf, "NCF"),
    (Rule::Of, "OF"),
    (Rule::Nof, "NOF"),
    (Rule::Sf, "SF"),
    (Rule::Nsf, "NSF"),
    (Rule::Ab, "AB"),
    (Rule::Ble, "BLE"),
];

/// One of the tests, with its name.
pub(super) fn any_rule(rng: &mut Rng) -> (Rule, &'static str) {
    *rng.pick(RULES)
}

impl Flags {
    /// Whether the test holds.
    pub(super) fn test(self, rule: Rule) -> Result<bool, Open> {
        let Self {
            sign: sf, zero: zf, ..
        } = self;
        let of = self.overflow.ok_or(Open);
        let cf = self.carry.ok_or(Open);
        Ok(match rule {
            Rule::Eq => !sf && zf,
            Rule::Ge => !(sf ^ of?),
            Rule::Gt => (!sf ^ of?) && !zf,
            Rule::Le => sf ^ (zf || of?),
            Rule::Lt => (sf && !zf) ^ of?,
            Rule::Ne => sf || !zf,
            Rule::Fl => false,
            Rule::Tr => true,
            Rule::Nan => sf && zf,
            Rule::Leg => !sf || !zf,
            Rule::Cf => cf?,
            Rule::Ncf => !cf?,
            Rule::Of => of?,
            Rule::Nof => !of?,
            Rule::Sf => sf,
            Rule::Nsf => !sf,
            Rule::Ab => cf? && !zf,
            Rule::Ble => !cf? || zf,
        })
    }
}

/// Sign and zero flag of a float.
pub(super) fn of_float(value: f64) -> Flags {
    Flags {
        sign: value < 0.0 || value.is_nan(),
        zero: value == 0.0 || value.is_nan(),
        overflow: Some(false),
        carry: Some(false),
    }
}

/// Sign and zero flag of an integer as a register of `width` bits has it.
pub(super) fn of_bits(bits: u64, width: u32) -> Flags {
    Flags {
        sign: bits >> (width - 1) & 1 == 1,
        zero: bits == 0,
        overflow: Some(false),
        carry: Some(false),
    }
}

/// An operand of an addition: what it is before the sign in front of it, and whether there is one.
#[derive(Clone, Copy)]
pub(super) struct Term {
    pub(super) value: Num,
    pub(super) negated: bool,
}

/// Overflow and carry of `a + b`. Negation turns additions into subtractions, and where both are negated they are open.
pub(super) fn of_sum(ty: Type, a: Term, b: Term) -> [Option<bool>; 2] {
    let (x, y) = (a.value.int(), b.value.int());
    let (first, second, adds) = match (a.negated, b.negated) {
        (false, false) => (x, y, true),
        (false, true) => (x, y, false),
        (true, false) => (y, x, false),
        (true, true) => return [None; 2],
    };
    let of_base = |base| {
        let ty = ty.with_base(base);
        let (first, second) = (ty.wrap(first), ty.wrap(second));
        let result = if adds { first + second } else { first - second };
        (ty.has(result), result)
    };
    let (fits, _) = of_base(Base::S);
    let (unsigned_fits, difference) = of_base(Base::U);
    let carry = if adds {
        !unsigned_fits
    } else {
        difference >= 0
    };
    [Some(!fits), Some(carry)]
}

/// Overflow and carry of MAD, the sum of the low half of the product and the third operand.
pub(super) fn of_mad(ty: Type, a: Term, b: Term, c: Term) -> [Option<bool>; 2] {
    if a.negated || b.negated {
        return [None; 2];
    }
    let product = ty.wrap(a.value.int().wrapping_mul(b.value.int()));
    let product = Term {
        value: Num::I(product),
        negated: false,
    };
    of_sum(ty, product, c)
}

/// Overflow and carry of SAD, the sum of the difference and the third operand.
pub(super) fn of_sad(ty: Type, a: Num, b: Num, c: Term) -> [Option<bool>; 2] {
    let Ok(difference) = arith::sad(ty, a, b, Num::I(0)) else {
        return [None; 2];
    };
    let difference = Term {
        value: difference.num,
        negated: false,
    };
    of_sum(ty.with_base(Base::U), difference, c)
}

#[cfg(test)]
mod tests {
    use super::super::value::S32;
    use super::*;

    fn term(value: i128, negated: bool) -> Term {
        Term {
            value: Num::I(value),
            negated,
        }
    }

    #[test]
    fn signed_and_unsigned_comparisons() {
        // 3 - 5: less, below. -1 - 5: less, but above.
        for (a, below) in [(3, true), (-1, false)] {
            let [overflow, carry] = of_sum(S32, term(a, false), term(5, true));
            let flags = Flags {
                overflow,
                carry,
                ..of_bits((a - 5) as u64 & 0xffff_ffff, 32)
            };
            assert_eq!(flags.test(Rule::Lt), Ok(true));
            assert_eq!(flags.test(Rule::Ble), Ok(below));
        }
        assert_eq!(of_sum(S32, term(1, true), term(1, true)), [None; 2]);
        let least = term(-(1 << 31), false);
        assert_eq!(of_sum(S32, least, least), [Some(true), Some(true)]);
    }

    #[test]
    fn nan_is_unequal_and_nothing_else() {
        let nan = of_float(f64::NAN);
        assert_eq!(nan.test(Rule::Ne), Ok(true));
        for rule in [Rule::Eq, Rule::Lt, Rule::Gt, Rule::Leg] {
            assert_eq!(nan.test(rule), Ok(false), "{rule:?}");
        }
    }
}
