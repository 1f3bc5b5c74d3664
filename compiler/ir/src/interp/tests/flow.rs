//! Control flow.

use super::*;

#[test]
fn branches() {
    let body = |value: &str| {
        format!(
            "r1.xyzw, cc3 = mov.f32 {{{value}}}\nif any(gt cc3.xxxx) {{\nr0.x = mov.u32 {{1}}\n}} else {{\n\
             r0.x = mov.u32 {{2}}\n}}\nif nonzero.f32 r1.x {{\nr0.y = mov.u32 {{1}}\n}}"
        )
    };
    assert_eq!(run_body(&body("1.0"))[..2], [1, 1]);
    assert_eq!(run_body(&body("-0.0"))[..2], [2, 0]);
    assert_eq!(run_body(&body("0x7fc00000"))[..2], [2, 1]);
}

/// Checks that a branch tests four lanes.
#[test]
fn any_lane_takes_the_branch() {
    let set = "r1.xyzw, cc3 = mov.s32 {0, 0, 0, 1}\n";
    let branch =
        |swizzle: &str| format!("{set}if any(ne cc3.{swizzle}) {{\nr0.x = mov.u32 {{1}}\n}}");
    assert_eq!(run_body(&branch("xyzw"))[0], 1);
    assert_eq!(run_body(&branch("xyzz"))[0], 0);
}

const SUM: &str = "\
loop {
  r2.x = setgt.u32 r1.xxxx, {5}
  if nonzero.u32 r2.x {
    break
  }
  r2.x = and.u32 r1.xxxx, {1}
  if nonzero.u32 r2.x {
    continue
  }
  r0.x = add.u32 r0.xxxx, r1.xxxx
} continuing {
  r1.x = add.u32 r1.xxxx, {1}
}";

/// Checks that the continuing block runs after `continue`: 0 + 2 + 4.
#[test]
fn loops() {
    assert_eq!(run_body(SUM)[0], 6);
}

#[test]
fn loops_without_continuing_block() {
    let body = "loop {\nr0.x = add.u32 r0.xxxx, {1}\nr1.x = setge.u32 r0.xxxx, {4}\n\
                if nonzero.u32 r1.x {\nbreak\n}\n}\nr0.y = mov.u32 {7}";
    assert_eq!(run_body(body)[..2], [4, 7]);
}

#[test]
fn switches() {
    let body = |value: u32| {
        format!(
            "r1.y = mov.u32 {{{value}}}\nswitch r1.y {{\ncase 1, 3 {{\nr0.x = mov.u32 {{10}}\nbreak\n\
             r0.x = mov.u32 {{11}}\n}}\ncase 2 {{\nr0.x = mov.u32 {{20}}\n}}\ndefault {{\nr0.x = mov.u32 {{30}}\n}}\n}}"
        )
    };
    assert_eq!(
        [1, 2, 3, 4].map(|value| run_body(&body(value))[0]),
        [10, 20, 10, 30]
    );
}

/// Checks that `continue` in a switch continues the loop around it.
#[test]
fn continue_leaves_a_switch() {
    let body = "loop {\nr1.x = add.u32 r1.xxxx, {1}\nswitch r1.x {\ncase 1, 2 {\ncontinue\n}\ndefault {\nbreak\n}\n}\n\
                r0.x = mov.u32 r1.xxxx\nbreak\n}";
    assert_eq!(run_body(body)[0], 3);
}

#[test]
fn calls_and_returns() {
    let text = format!(
        "{DECLARATIONS}routine fn0 {{\nr0.x = add.u32 r0.xxxx, {{1}}\nloop {{\nif nonzero.u32 r0.x {{\nreturn\n}}\n}}\n\
         r0.x = mov.u32 {{99}}\n}}\nroutine fn1 {{\ncall fn0\ncall fn0\nr0.y = mov.u32 {{5}}\nreturn\n\
         r0.y = mov.u32 {{6}}\n}}\nmain fn1\n"
    );
    let program = parse(&text).unwrap();
    let outcome = Interpreter::new(&program)
        .unwrap()
        .run_main(&mut Environment::default())
        .unwrap();
    assert_eq!(outcome.outputs[0], [2, 5, 0, 0]);
}

#[test]
fn endless_loops_hit_the_limit() {
    let program = parse_program("loop {\n}");
    let mut interpreter = Interpreter::new(&program).unwrap();
    interpreter.step_limit = 1000;
    assert_eq!(
        interpreter.run_main(&mut Environment::default()),
        Err(StepLimitExceeded(1000))
    );
}

#[test]
fn wrong_programs_are_refused() {
    assert!(Interpreter::new(&parse_program("break")).is_err());
}

#[test]
fn demoted_fragments_write_nothing() {
    let mut environment = Environment::default();
    environment.memory.buffers = vec![vec![vec![0; 4]]];
    let body = "r0.x = mov.u32 in1.xxxx\nr0.z = ishelper.u32\ndemote.u32\nstore.u32 (buf0 x1) {1}, {0}\n\
                r0.y = mov.u32 in1.xxxx\nr0.w = ishelper.u32";
    let outcome = run_in(&mut environment, body);
    assert!(outcome.demoted);
    let is_helper = u64::from(u32::MAX);
    assert_eq!(outcome.outputs[0], [0, is_helper, 0, is_helper]);
    assert_eq!(environment.memory.buffers[0][0], [0; 4]);
}
