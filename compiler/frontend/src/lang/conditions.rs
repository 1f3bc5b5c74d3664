//! Condition-code tests. NV_gpu_program4 and EXT_sparse_texture2 table X.16,
//! NV_vertex_program2_option section 2.14.4.3.

use crate::source::Family;
use glasm_ir::CondTest;

/// A test and the condition-code register it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Test {
    /// The test.
    pub test: CondTest,
    /// Register: 0, 1 or [`SPARSE_REGISTER`].
    pub register: u8,
}

/// The sparse condition code, which has one component.
pub const SPARSE_REGISTER: u8 = 2;

/// Languages that have a mask rule, and the register that it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scope {
    /// All languages: register 0 or 1.
    All,
    /// Programs with data types: register 0 or 1.
    Typed,
    /// Programs with data types: the sparse condition code, which has no number.
    Sparse,
}

use Scope::{All, Sparse, Typed};

/// Mask rules, without the number of their register.
static TESTS: &[(&str, CondTest, Scope)] = &[
    ("EQ", CondTest::Eq, All),
    ("GE", CondTest::Ge, All),
    ("GT", CondTest::Gt, All),
    ("LE", CondTest::Le, All),
    ("LT", CondTest::Lt, All),
    ("NE", CondTest::Ne, All),
    ("FL", CondTest::False, All),
    ("TR", CondTest::True, All),
    // Tests of single flags need codes that are flags: those of the ARB languages are a comparison
    // with zero each.
    ("NAN", CondTest::Nan, Typed),
    ("LEG", CondTest::Leg, Typed),
    ("CF", CondTest::Carry, Typed),
    ("NCF", CondTest::NoCarry, Typed),
    ("OF", CondTest::Overflow, Typed),
    ("NOF", CondTest::NoOverflow, Typed),
    ("SF", CondTest::Sign, Typed),
    ("NSF", CondTest::NoSign, Typed),
    ("AB", CondTest::Above, Typed),
    ("BLE", CondTest::BelowEqual, Typed),
    // RESF is one bit, stored as a number that is 0 if a texel is missing.
    ("RESIDENT", CondTest::Ne, Sparse),
    ("NONRESIDENT", CondTest::Eq, Sparse),
];

/// Returns the test that a mask rule such as `GT1` names in a language.
pub fn lookup(family: Family, rule: &[u8]) -> Option<Test> {
    let (name, number) = match rule {
        [name @ .., b'0'] => (name, Some(0)),
        [name @ .., b'1'] => (name, Some(1)),
        _ => (rule, None),
    };
    // No name ends with a digit, so that the number can be removed first.
    let row = TESTS.iter().find(|(text, ..)| text.as_bytes() == name);
    let &(_, test, scope) = row.filter(|(.., scope)| *scope == All || family == Family::Typed)?;
    let register = match (scope, number) {
        // "If 0 or 1 is appended to the rule name, the corresponding condition code register is
        // loaded, otherwise CC0."
        (All | Typed, number) => number.unwrap_or(0),
        (Sparse, None) => SPARSE_REGISTER,
        (Sparse, Some(_)) => return None,
    };
    Some(Test { test, register })
}

/// Returns true if a mask rule names the register that it tests.
pub fn is_numbered(rule: &[u8]) -> bool {
    rule.ends_with(b"0") || rule.ends_with(b"1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_name_test_and_register() {
        let case = |rule: &str, test, register| {
            let found = lookup(Family::Typed, rule.as_bytes());
            assert_eq!(found, Some(Test { test, register }), "{rule}");
        };
        case("GT", CondTest::Gt, 0);
        case("GT0", CondTest::Gt, 0);
        case("BLE1", CondTest::BelowEqual, 1);
        case("NONRESIDENT", CondTest::Eq, SPARSE_REGISTER);
        for rule in ["RESIDENT0", "GT2", "gt", ""] {
            assert_eq!(lookup(Family::Typed, rule.as_bytes()), None, "{rule}");
        }
    }

    #[test]
    fn arb_programs_have_eight_rules() {
        for &(rule, test, scope) in TESTS {
            let found = lookup(Family::Arb, rule.as_bytes());
            let expected = (scope == All).then_some(Test { test, register: 0 });
            assert_eq!(found, expected, "{rule}");
        }
        assert!(is_numbered(b"EQ1") && !is_numbered(b"EQ"));
    }
}
