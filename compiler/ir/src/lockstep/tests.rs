//! Tests of the lowering of lock step to barriers: programs in the text form before and after.

mod pending;
mod random;
mod runs;
mod uniform;

use super::lower;
use crate::{parse, print, verify};

const DECLARATIONS: &str = "\
program tess_control
vertices_out 3
lockstep
r0: temp32
r1: temp32
r2: output32 out0
r3: output32 out1
r4: output32 out2
cc5: cond32
p0: local[0]
in0: invocation_id signed
in1: generic[0] float per_vertex
out0: generic[0] float
out1: patch_generic[29] float
out2: tess_outer[0] float
";

fn build_text(body: &str) -> String {
    format!("{DECLARATIONS}routine fn0 {{\n{body}}}\nmain fn0\n")
}

/// Returns the main routine of a lowered program, without spans; `None` if the program needs no
/// change.
fn lower_and_print(program: &str) -> Option<String> {
    let program = parse(program).unwrap_or_else(|error| panic!("{error}\n{program}"));
    assert_eq!(verify(&program), Ok(()));
    let lowered = lower(&program)?;
    assert_eq!(verify(&lowered), Ok(()), "{lowered}");
    assert!(!lowered.modes.lockstep);
    Some(print(&lowered))
}

/// Checks the routines of a lowered program.
fn check(program: &str, expected: &str) {
    let found = lower_and_print(program).expect("the program has barriers");
    let routines = found.find("routine").unwrap();
    let (routines, _) = found[routines..].split_once("main fn").unwrap();
    assert_eq!(
        strip_indentation(routines),
        strip_indentation(expected),
        "{program}\n{found}"
    );
}

/// Returns the text without indentation.
fn strip_indentation(text: &str) -> String {
    let lines = text.trim().lines().map(str::trim_start);
    lines.collect::<Vec<_>>().join("\n")
}

/// Checks the main routine.
fn check_body(body: &str, expected: &str) {
    check(&build_text(body), &format!("routine fn0 {{\n{expected}}}"));
}

const OWN: &str = "  r0.x = mov.s32 in0.xyzw\n";
const WRITE: &str = "  r2.xyzw = mov.f32 {1.0}\n";
const READ: &str = "  r1.xyzw = mov.f32 out0[0 of 1, vertex r0.x+1].xyzw\n";
const BARRIER: &str = "  bar.u32\n";

#[test]
fn programs_that_need_no_barrier() {
    let separate = "  r2.x = mov.f32 {1.0}\n  r1.y = mov.f32 out0[0 of 1, vertex 0].xyzw\n";
    let of_patch = "  r3.x = mov.f32 {1.0}\n  r3.y = mov.f32 {1.0}\n  r3.x = mov.f32 {2.0}\n";
    let own = "  r2.x = mov.f32 {1.0}\n  r2.x if(gt cc5.xyzw) = mov.f32 {2.0}\n";
    let groups = "  if nonzero.s32 r0.x {\n  r2.x = mov.f32 {1.0}\n  } else {\n  r1.x = mov.f32 out0[0 of 1, vertex 0].xyzw\n  }\n";
    for body in [WRITE, READ, separate, of_patch, own, groups] {
        assert_eq!(lower_and_print(&build_text(body)), None, "{body}");
    }
    let body = format!("{WRITE}{READ}");
    let without = build_text(&body).replace("lockstep\n", "");
    assert_eq!(lower_and_print(&without), None);
}

#[test]
fn accesses_wait_for_others() {
    check_body(
        &format!("{WRITE}{READ}"),
        &format!("{WRITE}{BARRIER}{READ}"),
    );
    check_body(
        &format!("{READ}{WRITE}"),
        &format!("{READ}{BARRIER}{WRITE}"),
    );
    let again = "  r1.xyzw = mov.f32 out0[0 of 1, vertex 0].xyzw\n";
    check_body(
        &format!("{WRITE}{READ}{again}{WRITE}"),
        &format!("{WRITE}{BARRIER}{READ}{again}{BARRIER}{WRITE}"),
    );
}

#[test]
fn writes_of_the_patch_replace_others() {
    let first = "  r3.xy = mov.f32 {1.0}\n";
    let some = "  r3.y if(gt cc5.xyzw) = mov.f32 {2.0}\n";
    check_body(
        &format!("{first}{some}"),
        &format!("{first}{BARRIER}{some}"),
    );
    let one = "  if nonzero.s32 r0.x {\n    r3.x = mov.f32 {2.0}\n  }\n";
    check_body(&format!("{first}{one}"), &format!("{first}{BARRIER}{one}"));
}

/// Checks that there is one barrier before a branch in which no other access waits.
#[test]
fn branches_stay_what_they_are() {
    let branch = "\
  if nonzero.s32 r0.x {
    r1.xyzw = mov.f32 out0[0 of 1, vertex 0].xyzw
    r3.xyzw = mov.f32 r1.xyzw
  }
";
    check_body(
        &format!("{OWN}{WRITE}{branch}"),
        &format!("{OWN}{WRITE}{BARRIER}{branch}"),
    );
}

#[test]
fn invocations_part_at_a_branch() {
    check_body(
        "\
  r0.x = mov.s32 in0.xyzw
  if nonzero.s32 r0.x {
    r2.xyzw = mov.f32 {1.0}
    r1.xyzw = mov.f32 out0[0 of 1, vertex 0].xyzw
  } else {
    r1.xyzw = mov.f32 {2.0}
  }
  r2.xyzw = mov.f32 r1.xyzw
",
        "\
  r0.x = mov.s32 in0.xyzw
  r6.x = mov.u32 {0}
  r7.x = mov.u32 {1}
  if nonzero.s32 r0.x {
    r6.x = mov.u32 r7.xyzw
    r7.x = mov.u32 {0}
  }
  if nonzero.u32 r6.x {
    r2.xyzw = mov.f32 {1.0}
  }
  bar.u32
  if nonzero.u32 r6.x {
    r1.xyzw = mov.f32 out0[0 of 1, vertex 0].xyzw
  }
  if nonzero.u32 r7.x {
    r1.xyzw = mov.f32 {2.0}
  }
  bar.u32
  r2.xyzw = mov.f32 r1.xyzw
",
    );
}

#[test]
fn invocations_go_through_a_branch_together() {
    let body = |barrier: &str| {
        format!(
            "\
  r0.x = mov.s32 in1[0 of 1, vertex 2].xyzw
  if nonzero.s32 r0.x {{
    r2.xyzw = mov.f32 {{1.0}}
{barrier}    r1.xyzw = mov.f32 out0[0 of 1, vertex 0].xyzw
  }}
"
        )
    };
    check_body(&body(""), &body("    bar.u32\n"));
}

#[test]
fn invocations_go_through_a_loop_together() {
    let body = |[first, second]: [&str; 2]| {
        format!(
            "\
  r0.x = mov.s32 p0.xyzw
  loop {{
    if nonzero.s32 r0.x {{
      break
    }}
{first}    r2.xyzw = mov.f32 r1.xyzw
{second}    r1.xyzw = mov.f32 out0[0 of 1, vertex 0].xyzw
  }} continuing {{
    r0.x = add.s32 r0.xyzw, {{1}}
  }}
"
        )
    };
    let bar = "    bar.u32\n";
    check_body(&body([""; 2]), &body([bar; 2]));
}

#[test]
fn invocations_leave_a_loop_one_by_one() {
    check_body(
        "\
  r0.x = mov.s32 in0.xyzw
  loop {
    r1.xyzw = mov.f32 out0[0 of 1, vertex 0].xyzw
    if nonzero.s32 r0.x {
      break
    }
    r2.xyzw = mov.f32 r1.xyzw
  } continuing {
    r0.x = add.s32 r0.xyzw, {1}
  }
",
        "\
  r12.x = mov.u32 {0x3f800000}
  r11.x = mov.u32 {0x3f800000}
  bar.u32
  r0.x = mov.s32 in0.xyzw
  r6.x = mov.u32 {1}
  loop {
    r7.x = mov.u32 r6.xyzw
    r8.x = mov.u32 r6.xyzw
    if nonzero.u32 r8.x {
      r1.xyzw = mov.f32 out0[0 of 1, vertex 0].xyzw
    }
    r9.x = mov.u32 {0}
    r10.x = mov.u32 r8.xyzw
    if nonzero.s32 r0.x {
      r9.x = mov.u32 r10.xyzw
      r10.x = mov.u32 {0}
    }
    r6.x = xor.u32 r6.xyzw, r9.xyzw
    r9.x = mov.u32 {0}
    r8.x = mov.u32 r9.xyzw
    r8.x = or.u32 r8.xyzw, r10.xyzw
    bar.u32
    if nonzero.u32 r8.x {
      r2.xyzw = mov.f32 r1.xyzw
    }
    if nonzero.u32 r6.x {
      r0.x = add.s32 r0.xyzw, {1}
    }
    r12.x = add.u32 r12.xyzw, {1}
    if nonzero.u32 r6.x {
      r11.x = mov.u32 r12.xyzw
    }
    bar.u32
    r13.x = setlt.u32 out3.xxxx, r12.xyzw
    if nonzero.u32 r13.x {
      break
    }
  }
  bar.u32
",
    );
}

/// Checks that invocations that have ended reach the barriers of the others. After the last barrier
/// they are not masked.
#[test]
fn some_return() {
    let leave = "  if nonzero.s32 r0.x {\n    return\n  }\n";
    let found = lower_and_print(&build_text(&format!(
        "{OWN}{leave}{WRITE}{READ}{leave}{READ}"
    )))
    .unwrap();
    assert_eq!(found.matches("return").count(), 1, "{found}");
    assert!(found.contains("  bar.u32\n"), "{found}");
    let body = |barrier| format!("{OWN}{WRITE}{barrier}{leave}{READ}");
    check_body(&body(""), &body(BARRIER));
}

#[test]
fn votes_have_an_output_of_their_own() {
    let body = "\
  r0.x = mov.s32 in0.xyzw
  loop {
    if nonzero.s32 r0.x {
      break
    }
    r2.xyzw = mov.f32 out0[0 of 1, vertex 0].xyzw
  }
";
    let found = lower_and_print(&build_text(body)).unwrap();
    assert!(
        found.contains("out3: patch_generic[28] unsigned"),
        "{found}"
    );
    let free = build_text(body).replace("patch_generic[29]", "patch_generic[3]");
    assert!(
        lower_and_print(&free)
            .unwrap()
            .contains("out3: patch_generic[29]")
    );
}

/// Checks that a routine that only some invocations enter has a mask, and a routine without
/// barriers is not changed.
#[test]
fn routines() {
    let program = format!(
        "{DECLARATIONS}\
routine fn0 {{
  r2.xyzw = mov.f32 {{1.0}}
  call fn1
  r1.xyzw = mov.f32 out0[0 of 1, vertex 0].xyzw
}}
routine fn1 {{
  r1.xyzw = mov.f32 {{3.0}}
}}
routine fn2 {{
  r0.x = mov.s32 in0.xyzw
  call fn0
  if nonzero.s32 r0.x {{
    call fn0
  }}
}}
main fn2
"
    );
    check(
        &program,
        "\
routine fn0 {
  if nonzero.u32 r6.x {
    r2.xyzw = mov.f32 {1.0}
  }
  bar.u32
  if nonzero.u32 r6.x {
    call fn1
    r1.xyzw = mov.f32 out0[0 of 1, vertex 0].xyzw
  }
}
routine fn1 {
  r1.xyzw = mov.f32 {3.0}
}
routine fn2 {
  r0.x = mov.s32 in0.xyzw
  r6.x = mov.u32 {1}
  call fn0
  bar.u32
  r7.x = mov.u32 {0}
  r8.x = mov.u32 {1}
  if nonzero.s32 r0.x {
    r7.x = mov.u32 r8.xyzw
    r8.x = mov.u32 {0}
  }
  r6.x = mov.u32 r7.xyzw
  call fn0
}",
    );
}
