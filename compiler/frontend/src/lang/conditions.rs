//! Condition-code tests. NV_gpu_program4 and EXT_sparse_texture2 table X.16.

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

/// Mask rules without their register number.
pub static TESTS: &[(&str, CondTest)] = &[
    ("EQ", CondTest::Eq),
    ("GE", CondTest::Ge),
    ("GT", CondTest::Gt),
    ("LE", CondTest::Le),
    ("LT", CondTest::Lt),
    ("NE", CondTest::Ne),
    ("FL", CondTest::False),
    ("TR", CondTest::True),
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

/// The test that a mask rule such as `GT1` names.
pub fn lookup(rule: &[u8]) -> Option<Test> {
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
    if let Some(test) = found(TESTS, name) {
        return Some(Test { test, register });
    }
    found(SPARSE_TESTS, rule).map(|test| Test {
        test,
        register: SPARSE_REGISTER,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_name_test_and_register() {
        assert_eq!(
            lookup(b"GT"),
            Some(Test {
                test: CondTest::Gt,
                register: 0
            })
        );
        assert_eq!(
            lookup(b"GT0"),
            Some(Test {
                test: CondTest::Gt,
                register: 0
            })
        );
        assert_eq!(
            lookup(b"BLE1"),
            Some(Test {
                test: CondTest::BelowEqual,
                register: 1
            })
        );
        assert_eq!(
            lookup(b"NONRESIDENT"),
            Some(Test {
                test: CondTest::Eq,
                register: SPARSE_REGISTER
            })
        );
        assert_eq!(lookup(b"RESIDENT0"), None);
        assert_eq!(lookup(b"GT2"), None);
        assert_eq!(lookup(b"gt"), None);
        assert_eq!(lookup(b""), None);
    }
}
