//! Invocations that run together: work groups and patches.

use super::*;

fn parse_program(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn parse_compute_program(size: &str, body: &str) -> Program {
    parse_program(&format!(
        "program compute\nworkgroup_size {size}\nr0: temp32\nr1: temp32\nr2: temp32\n\
         in0: workgroup_id unsigned\nin1: local_invocation_id unsigned\nin2: global_invocation_id unsigned\n\
         in3: local_invocation_index unsigned\nbuf0: storage 0\n\
         routine fn0 {{\n{body}\n}}\nmain fn0\n"
    ))
}

/// Returns the numbers in the buffer after a run of a work group.
fn run_work_group(
    program: &Program,
    len: usize,
    group: [u32; 3],
    schedule: &mut Schedule<'_>,
) -> Vec<u32> {
    let mut environment = Environment::default();
    environment.memory.buffers = vec![vec![vec![0; 4 * len]]];
    let interpreter = Interpreter::new(program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let run = interpreter.run_work_group(&mut environment, group, schedule);
    run.unwrap();
    let words = environment.memory.buffers[0][0].chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

/// Returns orders in which invocations run: the first one as far as possible, the last one, each in
/// turn, and an index out of range.
fn list_schedules() -> Vec<(&'static str, Box<Schedule<'static>>)> {
    let mut turn = 0;
    let in_turn = move |count: usize| {
        turn += 1;
        turn % count
    };
    vec![
        ("first", Box::new(|_| 0)),
        ("last", Box::new(|count| count - 1)),
        ("in turn", Box::new(in_turn)),
        ("outside", Box::new(|_| usize::MAX)),
    ]
}

#[test]
fn invocations_of_a_group_know_their_numbers() {
    let program = parse_compute_program(
        "3 2 2",
        "r0.x = mul.u32 in3.xyzw, {48}\n\
         store.u32 (buf0 x4) in0.xyzw, r0.xyzw\n\
         store.u32 (buf0 x4 +16) in1.xyzw, r0.xyzw\n\
         store.u32 (buf0 x4 +32) in2.xyzw, r0.xyzw",
    );
    for (name, mut schedule) in list_schedules() {
        let found = run_work_group(&program, 12 * 12, [5, 6, 7], &mut *schedule);
        let mut invocations = found.chunks_exact(12);
        for (z, y, x) in (0..2).flat_map(|z| (0..6).map(move |n| (z, n / 3, n % 3))) {
            let expected = [
                [5, 6, 7, 0],
                [x, y, z, 0],
                [5 * 3 + x, 6 * 2 + y, 7 * 2 + z, 0],
            ];
            let own = invocations.next().unwrap();
            assert_eq!(own, expected.as_flattened(), "{name}, {x} {y} {z}");
        }
    }
}

/// Checks a program in which each invocation adds the value of its neighbor, written before a
/// barrier.
#[test]
fn invocations_of_a_group_wait_at_barriers() {
    let body = |barrier: &str| {
        format!(
            "r0.x = mul.u32 in3.xyzw, {{4}}\n\
             r1.x = add.u32 in3.xyzw, {{10}}\n\
             store.u32 (buf0 x1) r1.xyzw, r0.xyzw\n\
             {barrier}\
             r0.y = add.u32 r0.xxxx, {{4}}\n\
             r0.y = and.u32 r0.yyyy, {{15}}\n\
             r2.x = load.u32 (buf0 x1) r0.yyyy\n\
             {barrier}\
             r1.x = add.u32 r1.xxxx, r2.xxxx\n\
             store.u32 (buf0 x1) r1.xyzw, r0.xyzw"
        )
    };
    let with = parse_compute_program("4 1 1", &body("bar.u32\n"));
    for (name, mut schedule) in list_schedules() {
        let found = run_work_group(&with, 4, [0; 3], &mut *schedule);
        // 10 + 11, 11 + 12, 12 + 13, 13 + 10
        assert_eq!(found, [21, 23, 25, 23], "{name}");
    }
    // Without it, the last invocation reads no value, and the others read sums.
    let without = parse_compute_program("4 1 1", &body(""));
    let found = run_work_group(&without, 4, [0; 3], &mut |count| count - 1);
    assert_eq!(found, [10 + 36, 11 + 25, 12 + 13, 13]);
}

/// Checks that invocations that have ended are not waited for.
#[test]
fn ended_invocations_let_others_go_on() {
    let program = parse_compute_program(
        "3 1 1",
        "r0.x = mul.u32 in3.xyzw, {4}\n\
         r1.x = sub.u32 in3.xyzw, {1}\n\
         if nonzero.u32 r1.x {\nbar.u32\nstore.u32 (buf0 x1) {8}, r0.xyzw\nbar.u32\n}\n\
         r1.x = atom.u32 (buf0 x1 add) {1}, r0.xyzw",
    );
    for (name, mut schedule) in list_schedules() {
        let found = run_work_group(&program, 3, [0; 3], &mut *schedule);
        assert_eq!(found, [9, 1, 9], "{name}");
    }
}

#[test]
fn endless_invocations_reach_the_limit() {
    let program = parse_compute_program("2 1 1", "loop {\nbar.u32\n}");
    let interpreter = Interpreter::new(&program).unwrap();
    let run = interpreter.run_work_group(&mut Environment::default(), [0; 3], &mut |_| 0);
    assert_eq!(run, Err(StepLimitExceeded(1_000_000)));
}

const CONTROL: &str = "\
program tess_control
vertices_out 3
r0: temp32
r1: output32 out0
r2: output32 out1
in0: invocation_id unsigned
in1: vertex_count unsigned
in2: generic[0] unsigned per_vertex
out0: generic[0] unsigned
out1: patch_generic[0] unsigned
";

/// Runs a control program for a patch of two vertices, whose values are 30 and 40.
fn run_patch(modes: &str, body: &str, schedule: &mut Schedule<'_>) -> PatchOutputs {
    let declarations = CONTROL.replace("r0:", &format!("{modes}r0:"));
    let program = parse_program(&format!(
        "{declarations}routine fn0 {{\n{body}\n}}\nmain fn0\n"
    ));
    let vertex = |value| vec![[0; 4], [0; 4], [value, 0, 0, 0]];
    let mut environment = Environment {
        vertices: vec![vertex(30), vertex(40)],
        ..Environment::default()
    };
    let interpreter = Interpreter::new(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    interpreter.run_patch(&mut environment, schedule).unwrap()
}

fn list_vertex_values(patch: &PatchOutputs) -> Vec<u64> {
    let lanes = patch.vertices.iter().map(|outputs| outputs[0][0]);
    lanes.collect()
}

#[test]
fn invocations_of_a_patch_write_their_vertices() {
    let body = "\
r1.x = mad.u32 in0.xyzw, {100}, in2[0 of 1, vertex 1].xyzw
r2.x = mov.u32 in1.xyzw
bar.u32
r0.x = mov.u32 out0[0 of 1, vertex 2].xyzw
bar.u32
r1.x = add.u32 r0.xyzw, r1.xyzw";
    for (name, mut schedule) in list_schedules() {
        let patch = run_patch("", body, &mut *schedule);
        assert_eq!(
            list_vertex_values(&patch),
            [240 + 40, 240 + 140, 240 + 240],
            "{name}"
        );
        assert_eq!(patch.outputs[1], [2, 0, 0, 0], "{name}");
        assert!(!patch.has_divergent_barrier, "{name}");
    }
}

/// Checks that in lock step no invocation reads before all have written, and the second block of a
/// branch runs last.
#[test]
fn invocations_of_a_patch_run_in_lock_step() {
    let body = "\
r1.x = add.u32 in0.xyzw, {7}
r1.x = add.u32 out0[0 of 1, vertex 2].xyzw, in0.xyzw
r0.x = mov.u32 in0.xyzw
if nonzero.u32 r0.x {
r2.x = mov.u32 {50}
} else {
r2.x = mov.u32 {60}
}";
    let patch = run_patch("lockstep\n", body, &mut |_| 0);
    assert_eq!(list_vertex_values(&patch), [9, 10, 11]);
    assert_eq!(patch.outputs[1], [60, 0, 0, 0]);
}

#[test]
fn invocations_of_a_patch_part_at_barriers() {
    let one = "r0.x = mov.u32 in0.xyzw\nif nonzero.u32 r0.x {\nbar.u32\n}";
    let two = "r0.x = mov.u32 in0.xyzw\nif nonzero.u32 r0.x {\nbar.u32\n} else {\nbar.u32\n}";
    for (name, mut schedule) in list_schedules() {
        let meeting_again = format!("{two}\nbar.u32");
        for body in [one, two, &meeting_again] {
            assert!(
                run_patch("", body, &mut *schedule).has_divergent_barrier,
                "{name}"
            );
        }
        assert!(!run_patch("", "bar.u32", &mut *schedule).has_divergent_barrier);
    }
}
