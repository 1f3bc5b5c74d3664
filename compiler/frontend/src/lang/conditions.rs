//! Condition-code tests. NV_gpu_program4 and EXT_sparse_texture2 table X.16, NV_vertex_program2_option section 2.14.4.3.

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

/// Mask rules of all languages, without their register number.
pub static TESTS: &[(&str, CondTest)] = &[
    ("EQ", CondTest::Eq),
    ("GE", CondTest::Ge),
    ("GT", CondTest::Gt),
    ("LE", CondTest::Le),
    ("LT", CondTest::Lt),
    ("NE", CondTest::Ne),
    ("FL", CondTest::False),
    ("TR", CondTest::True),
];

/// Mask rules that only programs with data types have.
pub static TYPED_TESTS: &[(&str, CondTest)] = &[
    ("NAN", CondTest::Nan),
    ("LEG", CondTest::Leg),
    ("CF", CondTest::Carry),
    ("NCF", CondTest::NoCarry),
    ("OF", CondTest::Overflow),
    ("NOF", CondTest::NoOverflow),
    ("SF", CondTest::Sign),
    ("NSF", CondTest::NoSign),
    ("AB", CondTest::Above),
    ("BLE", CondTest::BelowEqual),
];

/// Mask rules that test the sparse condition code.
pub static SPARSE_TESTS: &[(&str, CondTest)] =
    &[("RESIDENT", CondTest::Ne), ("NONRESIDENT", CondTest::Eq)];

/// The test that a mask rule such as `GT1` names in a language.
pub fn lookup(family: Family, rule: &[u8]) -> Option<Test> {
    let found = |tests: &[(&str, CondTest)], name: &[u8]| {
        let mut tests = tests.iter();
        tests
            .find(|(text, _)| text.as_bytes() == name)
            .map(|&(_, test)| test)
    };
    let (name, register) = match rule {
        [name @ .., b'0'] => (name, 0),
        [name @ .., b'1'] => (name, 1),
        _ => (rule, 0),
    };
    let typed = match family {
        Family::Typed => TYPED_TESTS,
        Family::Arb => &[],
    };
    if let Some(test) = found(TESTS, name).or_else(|| found(typed, name)) {
        return Some(Test { test, register });
    }
    let sparse = match family {
        Family::Typed => SPARSE_TESTS,
        Family::Arb => &[],
    };
    found(sparse, rule).map(|test| Test {
        test,
        register: SPARSE_REGISTER,
    })
}

/// Whether a mask rule says which register it tests.
pub fn is_numbered(rule: &[u8]) -> bool {
    rule.ends_with(b"0") || rule.ends_with(b"1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_name_test_and_register() {
        assert_eq!(
            lookup(Family::Typed, b"GT"),
            Some(Test {
                test: CondTest::Gt,
                register: 0
            })
        );
        assert_eq!(
            lookup(Family::Typed, b"GT0"),
            Some(Test {
                test: CondTest::Gt,
                register: 0
            })
        );
        assert_eq!(
            lookup(Family::Typed, b"BLE1"),
            Some(Test {
                test: CondTest::BelowEqual,
                register: 1
            })
        );
        assert_eq!(
            lookup(Family::Typed, b"NONRESIDENT"),
            Some(Test {
                test: CondTest::Eq,
                register: SPARSE_REGISTER
            })
        );
        assert_eq!(lookup(Family::Typed, b"RESIDENT0"), None);
        assert_eq!(lookup(Family::Typed, b"GT2"), None);
        assert_eq!(lookup(Family::Typed, b"gt"), None);
        assert_eq!(lookup(Family::Typed, b""), None);
    }

    #[test]
    fn arb_programs_have_eight_rules() {
        for &(rule, test) in TESTS {
            let found = lookup(Family::Arb, rule.as_bytes());
            assert_eq!(found, Some(Test { test, register: 0 }));
        }
        for &(rule, _) in TYPED_TESTS.iter().chain(SPARSE_TESTS) {
            assert_eq!(lookup(Family::Arb, rule.as_bytes()), None, "{rule}");
        }
        assert!(is_numbered(b"EQ1") && !is_numbered(b"EQ"));
    }
}
