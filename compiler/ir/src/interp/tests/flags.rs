//! Condition codes.

use super::*;
use crate::inst::CondTest;

/// Returns the flags of lane x of `cc3` after a body.
fn run_and_get_flags(body: &str) -> Flags {
    let program = parse_program(body);
    verify(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut environment = Environment::default();
    let mut observer = NoObserver;
    let mut machine = Machine::new(&program, &mut environment, 100, &mut observer);
    machine.begin_invocation(0, &[]);
    machine.run_to_end().unwrap();
    machine.current.condition_codes[RegisterId::new(3).index()][0]
}

/// Returns the flags that `letters` names, e.g. `SZ`.
fn parse_flags(letters: &str) -> Flags {
    let has = |letter| letters.contains(letter);
    Flags {
        sign: has('S'),
        zero: has('Z'),
        overflow: has('O'),
        carry: has('C'),
    }
}

fn check(register: &str, cases: &[(&str, &str)]) {
    for &(operation, expected) in cases {
        assert_eq!(
            run_and_get_flags(&format!("{register}.x, cc3 = {operation}")),
            parse_flags(expected),
            "{operation}"
        );
    }
}

#[test]
fn of_integer_sums() {
    check(
        "r1",
        &[
            ("add.s32 {0x7fffffff}, {1}", "SO"),
            ("add.u32 {0x7fffffff}, {1}", "SO"),
            ("add.u32 {0xffffffff}, {1}", "ZC"),
            ("add.s32 {0x80000000}, {0x80000000}", "ZOC"),
            ("add.s32 {1}, {1}", ""),
            ("sub.s32 {5}, {5}", "ZC"),
            ("sub.s32 {3}, {5}", "S"),
            ("sub.s32 {5}, {3}", "C"),
            ("sub.s32 {0x80000000}, {1}", "OC"),
            ("sub.s32 {0x7fffffff}, {-1}", "SO"),
            ("mad.u32 {2}, {3}, {0xfffffffa}", "ZC"),
            ("mad.u32 {2}, {3}, -{6}", "ZC"),
            ("mad.u32 {2}, {3}, -{7}", "S"),
        ],
    );
}

/// Checks that negation turns addition into subtraction and vice versa.
#[test]
fn of_negated_operands() {
    check(
        "r1",
        &[
            ("add.s32 {3}, -{5}", "S"),
            ("add.s32 -{5}, {3}", "S"),
            ("add.s32 {5}, -{5}", "ZC"),
            ("add.s32 {5}, -|{-5}|", "ZC"),
            ("add.s32 {0x80000000}, -{0x80000000}", "ZC"),
            ("add.u32 {0}, -{0}", "ZC"),
            ("sub.u32 {3}, -{5}", ""),
            ("sub.u32 {0xffffffff}, -{1}", "ZC"),
            ("sub.s32 {0x7fffffff}, -{1}", "SO"),
            // -3 - -5 is 5 - 3.
            ("sub.s32 -{3}, -{5}", "C"),
        ],
    );
}

#[test]
fn of_other_results() {
    check(
        "r1",
        &[
            ("mul.u32 {0x10000}, {0x10000}", "Z"),
            ("mov.u32 {0x80000000}", "S"),
            ("setlt.s32 {1}, {2}", "S"),
            ("mov.f32 {-1.0}", "S"),
            ("mov.f32 {-0.0}", "Z"),
            ("mov.f32 {1.0}", ""),
            ("mov.f32 {0x7fc00000}", "SZ"),
            ("add.f32 {0x7f7fffff}, {0x7f7fffff}", ""),
            // The clamp is applied first.
            ("mov.f32.sat {-1.0}", "Z"),
            ("mov.f32.sat {0x7fc00000}", "Z"),
            ("cvt.s8 (s32 even) {0x80}", "S"),
            ("cvt.u8 (s32 even) {0x80}", ""),
            ("packh2.f32 {0.0, -1.0, 0.0, 0.0}", "S"),
        ],
    );
    check(
        "r5",
        &[
            ("add.s64 {0x7fffffffffffffff}, {1}", "SO"),
            ("add.u64 {0xffffffffffffffff}, {1}", "ZC"),
            ("add.u64 {0xffffffff}, {1}", ""),
            ("mov.f64 {-2.0}", "S"),
        ],
    );
}

/// Checks that the tests after a subtraction are comparisons: signed GT to LE, unsigned AB, BLE,
/// CF, NCF.
#[test]
fn tests_compare() {
    let values = [
        0,
        1,
        2,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_ffff_u32,
    ];
    for (a, b) in values.iter().flat_map(|&a| values.map(|b| (a, b))) {
        let flags = run_and_get_flags(&format!("r1.x, cc3 = sub.s32 {{{a:#x}}}, {{{b:#x}}}"));
        let (x, y) = (a as i32, b as i32);
        let expected = [
            (CondTest::Eq, a == b),
            (CondTest::Ne, a != b),
            (CondTest::Lt, x < y),
            (CondTest::Le, x <= y),
            (CondTest::Gt, x > y),
            (CondTest::Ge, x >= y),
            (CondTest::Above, a > b),
            (CondTest::BelowEqual, a <= b),
            (CondTest::Carry, a >= b),
            (CondTest::NoCarry, a < b),
            (CondTest::Overflow, x.checked_sub(y).is_none()),
            (CondTest::NoOverflow, x.checked_sub(y).is_some()),
            (CondTest::Sign, x.wrapping_sub(y) < 0),
            (CondTest::NoSign, x.wrapping_sub(y) >= 0),
        ];
        for (test, holds) in expected {
            assert_eq!(flags.test(test), holds, "{test:?} of {a:#x} and {b:#x}");
        }
    }
}

#[test]
fn tests_of_nan() {
    let nan = parse_flags("SZ");
    let passing: Vec<_> = CondTest::ALL
        .iter()
        .filter(|row| nan.test(row.0))
        .map(|row| row.1)
        .collect();
    assert_eq!(passing, ["ne", "tr", "nan", "ncf", "nof", "sf", "ble"]);
    assert!(!parse_flags("Z").test(CondTest::Nan) && parse_flags("Z").test(CondTest::Leg));
}

#[test]
fn guards_use_the_old_codes() {
    // Lane tests are 1, 0, 1, 0; the write changes the codes of the written lanes only.
    let set = "r1.xyzw, cc3 = mov.s32 {1, 0, 1, 0}\n";
    let guarded = "r0.xyzw if(ne cc3.xyzw), cc3 = mov.s32 {0, 7, -1, 7}\n";
    assert_eq!(run_body(&format!("{set}{guarded}")), [0, 0, u32::MAX, 0]);
    let again = "r0.xyzw = mov.s32 {0}\nr0.xyzw if(eq cc3.xyzw) = mov.s32 {5}";
    assert_eq!(run_body(&format!("{set}{guarded}{again}")), [5, 5, 0, 5]);
    let swizzled = "r0.xyz if(ne cc3.yxxx) = mov.s32 {9}";
    assert_eq!(run_body(&format!("{set}{swizzled}")), [0, 9, 9, 0]);
}

#[test]
fn codes_start_clear() {
    assert_eq!(
        run_body("r0.x if(ge cc4.xxxx) = mov.u32 {1}\nr0.y if(eq cc4.xxxx) = mov.u32 {1}"),
        [1, 0, 0, 0]
    );
}
