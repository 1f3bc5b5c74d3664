//! Tests of the uniformity analysis: lanes that are equal in all invocations on all paths.

use super::runs::check_runs;
use super::{DECLARATIONS, lower_and_print, strip_indentation};

/// The index of the invocation in x; the parameter, which is equal in all invocations, in z.
const START: &str = "r0.x = mov.s32 in0.xxxx\nr0.z = mov.s32 p0.xyzw\n";

/// A branch by lane y in which invocations wait for each other.
const EXCHANGE: &str = "\
if nonzero.s32 r0.y {
r2.x = add.s32 r0.xxxx, {7}
r1.x = mov.s32 out0[0 of 1, vertex 2].xxxx
r2.y = add.s32 r1.xxxx, {1}
}
";

/// Returns true if control flow is uniform, so that the lowering only adds barriers. The results
/// must not change.
fn is_uniform_flow(routines: &str) -> bool {
    let declarations = DECLARATIONS.replace("cc5: cond32\n", "cc5: cond32\nr6: temp32[2]\n");
    let text = format!("{declarations}{routines}");
    check_runs(&text);
    let lowered = lower_and_print(&text).unwrap_or_else(|| panic!("no barriers\n{text}"));
    let (_, found) = lowered.split_once("routine").unwrap();
    let (_, given) = text.split_once("routine").unwrap();
    let found = strip_indentation(found);
    let found = found.lines().filter(|line| *line != "bar.u32");
    found.eq(strip_indentation(given).lines())
}

/// Returns a program that exchanges values at the end, in a branch by lane y.
fn build_main_routine(body: &str) -> String {
    format!("routine fn0 {{\n{START}{body}{EXCHANGE}}}\nmain fn0\n")
}

/// Returns a program that exchanges values inside of `body`, in the position of `EXCHANGE`.
fn append_exchange(body: &str) -> String {
    let body = body.replace("EXCHANGE\n", EXCHANGE);
    format!("routine fn0 {{\n{START}{body}}}\nmain fn0\n")
}

fn check_divergent(bodies: &[&str]) {
    for body in bodies {
        assert!(!is_uniform_flow(&build_main_routine(body)), "{body}");
    }
}

fn check_uniform(bodies: &[&str]) {
    for body in bodies {
        assert!(is_uniform_flow(&build_main_routine(body)), "{body}");
    }
}

#[test]
fn branches_join() {
    check_divergent(&[
        "if nonzero.s32 r0.z {\nr0.y = mov.s32 in0.xxxx\n} else {\nr0.y = mov.s32 {1}\n}\n",
        "if nonzero.s32 r0.z {\nr0.y = mov.s32 {1}\n} else {\nr0.y = mov.s32 in0.xxxx\n}\n",
        "r0.y = mov.s32 in0.xxxx\nif nonzero.s32 r0.z {\nr0.y = mov.s32 {1}\n}\n",
        "r0.y = mov.s32 {1}\nif nonzero.s32 r0.z {\nr0.y = mov.s32 in0.xxxx\n}\n",
    ]);
    check_uniform(&[
        "if nonzero.s32 r0.z {\nr0.y = mov.s32 {0}\n} else {\nr0.y = mov.s32 {1}\n}\n",
        // No invocation comes from the branch.
        "r0.y = mov.s32 {1}\nif nonzero.s32 r0.z {\nr0.y = mov.s32 in0.xxxx\nreturn\n}\n",
        "r0.y = mov.s32 in0.xxxx\nif nonzero.s32 r0.z {\nr0.x = mov.s32 {5}\n}\nr0.y = mov.s32 {1}\n",
    ]);
}

/// Checks that the second way begins with the state before the first.
#[test]
fn ways_of_branches_are_apart() {
    let body = "r0.y = mov.s32 {1}\nif nonzero.s32 r0.z {\nr0.y = mov.s32 in0.xxxx\n} else {\nEXCHANGE\n}\n";
    assert!(is_uniform_flow(&append_exchange(body)));
    let body = "r0.y = mov.s32 {1}\nswitch r0.z {\ncase 0 {\nr0.y = mov.s32 in0.xxxx\n}\ncase 1 {\nEXCHANGE\n}\n}\n";
    assert!(is_uniform_flow(&append_exchange(body)));
}

/// Checks instructions that only some invocations run.
#[test]
fn parted_invocations_write() {
    check_divergent(&[
        "r0.y = mov.s32 {0}\nif nonzero.s32 r0.x {\nr0.y = mov.s32 {1}\n}\n",
        "r0.y = mov.s32 {0}\nswitch r0.x {\ncase 1 {\nr0.y = mov.s32 {1}\n}\n}\n",
        "r0.y = mov.s32 {0}\nloop {\nif nonzero.s32 r0.x {\nbreak\n}\nr0.y = mov.s32 {1}\nbreak\n}\n",
    ]);
    // Called by some invocations, or left by some.
    let leaving = "if nonzero.s32 r0.x {\nreturn\n}\n";
    let branch = ["if nonzero.s32 r0.x {\n", "}\n"];
    for (leave, [before, after]) in [("", branch), (leaving, [""; 2])] {
        let called = format!(
            "routine fn0 {{\n{leave}r0.y = mov.s32 {{1}}\n}}\nroutine fn1 {{\n{START}r0.y = mov.s32 {{0}}\n\
             {before}call fn0\n{after}{EXCHANGE}}}\nmain fn1\n"
        );
        assert!(!is_uniform_flow(&called), "{called}");
    }
}

/// Checks that the next iteration begins with the state at the end of the previous one.
#[test]
fn rounds_join() {
    let ends = [
        "r0.y = mov.s32 in0.xxxx\n}\n",
        "} continuing {\nr0.y = mov.s32 in0.xxxx\n}\n",
    ];
    for end in ends {
        let body = format!(
            "r0.y = mov.s32 {{1}}\nloop {{\nEXCHANGE\nif nonzero.s32 r0.z {{\nbreak\n}}\n\
             r0.z = add.s32 r0.zzzz, {{1}}\n{end}"
        );
        assert!(!is_uniform_flow(&append_exchange(&body)), "{body}");
        let body = body.replace("in0.xxxx", "{0}");
        assert!(is_uniform_flow(&append_exchange(&body)), "{body}");
    }
}

#[test]
fn breaks_join() {
    let body = |[before, after]: [&str; 2]| {
        format!(
            "loop {{\nr0.y = mov.s32 {before}\nif nonzero.s32 r0.z {{\nbreak\n}}\n\
             r0.y = mov.s32 {after}\nr0.z = add.s32 r0.zzzz, {{1}}\n}}\n"
        )
    };
    check_divergent(&[&body(["in0.xxxx", "{1}"])]);
    check_uniform(&[&body(["{1}", "in0.xxxx"])]);
    // No invocation reaches the end of the body.
    check_divergent(&["\
loop {
if nonzero.s32 r0.z {
r0.y = mov.s32 in0.xxxx
break
}
r0.y = mov.s32 {1}
break
}
"]);
}

/// Checks that `Continue` propagates its state to the next iteration of the loop, also from a
/// switch.
#[test]
fn continues_join() {
    let leaving = [
        "if nonzero.s32 r0.z {\ncontinue\n}\n",
        "switch r0.z {\ncase 1 {\ncontinue\n}\n}\n",
    ];
    for leave in leaving {
        let body = format!(
            "r0.y = mov.s32 {{1}}\nr0.w = mov.s32 {{0}}\nloop {{\nEXCHANGE\nr0.w = add.s32 r0.wwww, {{1}}\n\
             r1.y = setge.s32 r0.wwww, {{3}}\nif nonzero.s32 r1.y {{\nbreak\n}}\n\
             r0.y = mov.s32 in0.xxxx\n{leave}r0.y = mov.s32 {{1}}\n}}\n"
        );
        assert!(!is_uniform_flow(&append_exchange(&body)), "{body}");
        let body = body.replace("in0.xxxx", "{0}");
        assert!(is_uniform_flow(&append_exchange(&body)), "{body}");
    }
}

#[test]
fn switches_join() {
    check_divergent(&[
        "switch r0.z {\ncase 0 {\nr0.y = mov.s32 in0.xxxx\n}\ndefault {\nr0.y = mov.s32 {1}\n}\n}\n",
        "switch r0.z {\ncase 0 {\nr0.y = mov.s32 {1}\n}\ndefault {\nr0.y = mov.s32 in0.xxxx\n}\n}\n",
        "r0.y = mov.s32 in0.xxxx\nswitch r0.z {\ncase 0 {\nr0.y = mov.s32 {1}\n}\n}\n",
        "\
r0.w = mov.s32 p0.xyzw
switch r0.z {
default {
r0.y = mov.s32 in0.xxxx
if nonzero.s32 r0.w {
break
}
r0.y = mov.s32 {1}
}
}
",
    ]);
    check_uniform(&[
        "switch r0.z {\ncase 0 {\nr0.y = mov.s32 {0}\n}\ndefault {\nr0.y = mov.s32 {1}\n}\n}\n",
    ]);
}

/// Checks that a read of an output that another invocation writes in the same instruction may
/// differ.
#[test]
fn races_part() {
    let body = "r2.x, cc5 = add.s32 out0[0 of 1, vertex 0].xxxx, {1}\nif any(gt cc5.xxxx) {\nEXCHANGE\n}\n";
    let text = format!("{DECLARATIONS}{}", append_exchange(body));
    let branch = "  if any(gt cc5.xxxx) {\n    if nonzero.s32 r0.y {\n";
    let found = lower_and_print(&text).unwrap();
    assert!(!found.contains(branch), "{found}");
    let same = text.replace("out0[0 of 1, vertex 0].xxxx", "p0.xxxx");
    let found = lower_and_print(&same.replace("r2.x, cc5", "r1.x, cc5")).unwrap();
    assert!(found.contains(branch), "{found}");
}

#[test]
fn returns_join() {
    let program = |value: &str| {
        format!(
            "routine fn0 {{\nr0.y = mov.s32 {value}\nif nonzero.s32 r0.z {{\nreturn\n}}\nr0.y = mov.s32 {{1}}\n}}\n\
             routine fn1 {{\n{START}call fn0\n{EXCHANGE}}}\nmain fn1\n"
        )
    };
    assert!(!is_uniform_flow(&program("in0.xxxx")));
    assert!(is_uniform_flow(&program("{0}")));
}

/// Checks that a routine begins with the merged state of its callers.
#[test]
fn calls_join() {
    let program = |value: &str| {
        format!(
            "routine fn0 {{\n{EXCHANGE}}}\n\
             routine fn1 {{\n{START}r0.y = mov.s32 {value}\ncall fn0\nr0.y = mov.s32 {{1}}\ncall fn0\n}}\nmain fn1\n"
        )
    };
    assert!(!is_uniform_flow(&program("in0.xxxx")));
    assert!(is_uniform_flow(&program("{0}")));
}

#[test]
fn guards_join() {
    check_divergent(&[
        // Lanes that are not written are preserved.
        "r0.y = mov.s32 in0.xxxx\nr1.x, cc5 = mov.s32 p0.xxxx\nr0.y if(gt cc5.xxxx) = mov.s32 {1}\n",
        // Only some invocations write.
        "r0.y = mov.s32 {0}\nr1.x, cc5 = mov.s32 in0.xxxx\nr0.y if(gt cc5.xxxx) = mov.s32 {1}\n",
    ]);
    check_uniform(&[
        "r0.y = mov.s32 {0}\nr1.x, cc5 = mov.s32 p0.xxxx\nr0.y if(gt cc5.xxxx) = mov.s32 {1}\n",
    ]);
}

#[test]
fn indices_part() {
    check_divergent(&[
        // One element represents all.
        "r6[0 of 2].x = mov.s32 in0.xxxx\nr6[1 of 2].x = mov.s32 {1}\nr0.y = mov.s32 r6[0 of 2].xxxx\n",
        "r6[0 of 2].x = mov.s32 {0}\nr6[r0.x of 2].x = mov.s32 {1}\nr0.y = mov.s32 r6[0 of 2].xxxx\n",
        "r6[0 of 2].x = mov.s32 {0}\nr6[1 of 2].x = mov.s32 {1}\nr0.y = mov.s32 r6[r0.x of 2].xxxx\n",
        "r0.y = mov.s32 in1[0 of 1, vertex r0.x].xxxx\n",
    ]);
    check_uniform(&[
        "r6[0 of 2].x = mov.s32 {0}\nr6[1 of 2].x = mov.s32 {1}\nr0.y = mov.s32 r6[r0.z of 2].xxxx\n",
        "r0.y = mov.s32 in1[0 of 1, vertex r0.z].xxxx\n",
    ]);
}
