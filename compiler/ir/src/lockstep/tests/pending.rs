//! Tests of accesses that are pending after control flow.

use super::runs::check_body_runs;
use super::{BARRIER, READ, WRITE, check_body};

/// A lane that is equal in all invocations.
const SAME: &str = "r0.z = mov.s32 p0.xyzw\n";
/// A write and a read of a per-patch output.
const OTHER_WRITE: &str = "r3.xyzw = mov.f32 {4.0}\n";
const OTHER_READ: &str = "r1.xyzw = mov.f32 out1.xyzw\n";

/// `{` and `}` of a uniform branch.
fn build_branch(then: &str, otherwise: Option<&str>) -> String {
    let otherwise = otherwise.map(|block| format!(" else {{\n{block}}}"));
    format!(
        "if nonzero.s32 r0.z {{\n{then}}}{}\n",
        otherwise.unwrap_or_default()
    )
}

/// Checks that writes after a branch wait for its reads, and reads for its writes.
#[test]
fn behind_branches() {
    let (crossing, crossed) = (format!("{WRITE}{READ}"), format!("{WRITE}{BARRIER}{READ}"));
    check_body(
        &format!("{SAME}{}{WRITE}", build_branch(&crossing, None)),
        &format!("{SAME}{}{BARRIER}{WRITE}", build_branch(&crossed, None)),
    );
    let (writing, written) = (format!("{READ}{WRITE}"), format!("{READ}{BARRIER}{WRITE}"));
    check_body(
        &format!("{SAME}{}{READ}", build_branch(&crossing, Some(&writing))),
        &format!(
            "{SAME}{}{BARRIER}{READ}",
            build_branch(&crossed, Some(&written))
        ),
    );
}

/// Checks that a barrier in both ways of a branch clears the pending accesses.
#[test]
fn across_branches() {
    let (crossing, crossed) = (format!("{WRITE}{READ}"), format!("{WRITE}{BARRIER}{READ}"));
    check_body(
        &format!(
            "{SAME}{OTHER_WRITE}{}{OTHER_READ}",
            build_branch(&crossing, None)
        ),
        &format!(
            "{SAME}{OTHER_WRITE}{}{BARRIER}{OTHER_READ}",
            build_branch(&crossed, None)
        ),
    );
    let both = |block: &str| build_branch(block, Some(block));
    check_body(
        &format!("{SAME}{OTHER_WRITE}{}{OTHER_READ}", both(&crossing)),
        &format!("{SAME}{OTHER_WRITE}{}{OTHER_READ}", both(&crossed)),
    );
}

#[test]
fn behind_loops() {
    let body = |barrier: &str| {
        format!(
            "{SAME}loop {{\nif nonzero.s32 r0.z {{\nbreak\n}}\n{barrier}{WRITE}{barrier}{READ}}}\n{barrier}{WRITE}"
        )
    };
    check_body(&body(""), &body(BARRIER));
    let body = |barrier: &str| {
        format!(
            "{SAME}loop {{\nif nonzero.s32 r0.z {{\nbreak\n}}\n{barrier}{WRITE}}} continuing {{\n{barrier}{READ}}}\n{barrier}{READ}"
        )
    };
    check_body(&body(""), &body(BARRIER));
}

#[test]
fn behind_switches() {
    let body = |barrier: &str| {
        format!(
            "{SAME}switch r0.z {{\ncase 0 {{\n{WRITE}{barrier}{READ}}}\ndefault {{\n{READ}}}\n}}\n{barrier}{WRITE}"
        )
    };
    check_body(&body(""), &body(BARRIER));
}

#[test]
fn behind_calls() {
    let program = |barrier: &str| {
        format!(
            "routine fn0 {{\n{WRITE}{barrier}{READ}}}\nroutine fn1 {{\ncall fn0\n{barrier}{WRITE}}}"
        )
    };
    super::check(
        &format!("{}{}\nmain fn1\n", super::DECLARATIONS, program("")),
        &program(BARRIER),
    );
}

/// Checks that control flow without barriers is not changed, and that later accesses wait for it.
#[test]
fn behind_what_stays() {
    let body = |barrier: &str| {
        format!(
            "r0.x = mov.s32 in0.xxxx\nif nonzero.s32 r0.x {{\n{WRITE}}}\n{barrier}{READ}{barrier}{WRITE}"
        )
    };
    check_body(&body(""), &body(BARRIER));
}

/// Checks that a barrier of the program clears the pending accesses.
#[test]
fn behind_barriers() {
    check_body(
        &format!("{WRITE}{BARRIER}{READ}{WRITE}"),
        &format!("{WRITE}{BARRIER}{READ}{BARRIER}{WRITE}"),
    );
}

/// Checks that ways of a divergent branch, executed one after the other, share their barriers.
#[test]
fn across_parted_ways() {
    let count = |body: &str| {
        super::lower_and_print(&super::build_text(body))
            .unwrap()
            .matches("bar.u32")
            .count()
    };
    let own = "r0.x = mov.s32 in0.xxxx\n";
    let ways = [
        format!("if nonzero.s32 r0.x {{\n{WRITE}{READ}}}\n"),
        format!("switch r0.x {{\ncase 1 {{\n{WRITE}{READ}}}\ndefault {{\n}}\n}}\n"),
    ];
    for way in ways {
        assert_eq!(
            count(&format!("{own}{OTHER_WRITE}{way}{OTHER_READ}")),
            1,
            "{way}"
        );
        assert_eq!(count(&format!("{own}{way}{WRITE}")), 2, "{way}");
    }
}

/// Checks that a loop that invocations leave independently ends with a barrier.
#[test]
fn across_parted_loops() {
    let body = format!(
        "r0.x = mov.s32 in0.xxxx\n{OTHER_WRITE}loop {{\nif nonzero.s32 r0.x {{\nbreak\n}}\n{WRITE}{READ}}}\n{OTHER_READ}"
    );
    let found = super::lower_and_print(&super::build_text(&body)).unwrap();
    let (_, behind) = found.split_once("\n  }\n  bar.u32\n").unwrap();
    assert!(!behind.contains("bar.u32"), "{found}");
}

/// Checks that per-patch writes of invocations that leave are ordered before those of the others.
#[test]
fn those_who_left_have_written() {
    // Lane x differs between invocations, and so does lane y, which is 0 in another one.
    let start = "r0.x = mov.s32 in0.xxxx\nr0.y = sub.s32 in0.xxxx, {1}\nr0.z = mov.s32 p0.xyzw\nr0.w = mov.s32 {0}\n";
    // Reads and writes of all invocations ensure that the program needs barriers.
    let all = "r2.x = mov.s32 in0.xxxx\nr1.x = mov.s32 out0[0 of 1, vertex 2].xxxx\nr2.y = mov.s32 r1.xxxx\n";
    let before = "r3.x = mov.f32 {5.0}\n";
    let first = "r3.x = mov.f32 {2.0}\n";
    let last = "r3.x = mov.f32 {1.0}\n";
    let some = |leave: &str| format!("if nonzero.s32 r0.x {{\n{first}{leave}\n}}\n");
    let bodies = [
        format!("{}{last}", some("return")),
        format!("if nonzero.s32 r0.x {{\n{all}{first}return\n}}\n{last}"),
        format!("if nonzero.s32 r0.y {{\n{}{last}{all}}}\n", some("return")),
        format!("loop {{\n{}{last}break\n}}\n", some("break")),
        format!("loop {{\n{}{last}{all}break\n}}\n{last}", some("return")),
        format!("loop {{\n{}break\n}}\n{last}", some("return")),
        format!("loop {{\n{all}{}break\n}}\n{last}", some("return")),
        format!(
            "loop {{\nif nonzero.s32 r0.w {{\nbreak\n}}\nr0.w = mov.s32 {{1}}\n{}{last}{all}}}\n",
            some("continue")
        ),
        format!(
            "loop {{\nif nonzero.s32 r0.w {{\nbreak\n}}\n{}}} continuing {{\n{last}r0.w = mov.s32 {{1}}\n}}\n",
            some("break")
        ),
        format!(
            "loop {{\nif nonzero.s32 r0.w {{\nbreak\n}}\n{all}{}}} continuing {{\n{last}r0.w = mov.s32 {{1}}\n}}\n",
            some("return")
        ),
        format!(
            "switch r0.z {{\ndefault {{\n{}{last}}}\n}}\n",
            some("break")
        ),
        format!("switch r0.x {{\ncase 1 {{\n{first}return\n}}\n}}\n{last}"),
        format!("switch r0.x {{\ncase 1 {{\nreturn\n}}\n}}\n{last}"),
        format!("if nonzero.s32 r0.x {{\nreturn\n}}\n{last}"),
        format!("switch r0.x {{\ncase 1 {{\n{all}{first}return\n}}\n}}\n{last}"),
        format!(
            "switch r0.x {{\ncase 1, 2 {{\nif nonzero.s32 r0.y {{\n{first}break\n}}\n{last}}}\n}}\n"
        ),
        format!(
            "loop {{\nif nonzero.s32 r0.w {{\nbreak\n}}\nr0.w = mov.s32 {{1}}\nswitch r0.x {{\ncase 1 {{\n{all}{first}continue\n}}\n}}\n{last}}}\n"
        ),
    ];
    for body in bodies {
        check_body_runs(&format!("{start}{body}"));
        check_body_runs(&format!("{start}{all}{body}{all}"));
        check_body_runs(&format!("{start}{before}{body}{all}"));
    }
}

/// Checks that a single invocation waits for no other one.
#[test]
fn patches_of_one_vertex() {
    let text = super::build_text(&format!("{WRITE}{READ}{WRITE}"));
    assert!(super::lower_and_print(&text).is_some());
    assert_eq!(
        super::lower_and_print(&text.replace("vertices_out 3", "vertices_out 1")),
        None
    );
}
