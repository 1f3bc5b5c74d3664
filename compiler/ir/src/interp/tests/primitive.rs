//! Tests of the vertices that geometry programs emit for a primitive.

use super::*;

/// Returns a geometry program that emits points for lines.
fn parse_geometry_program(modes: &str, body: &str) -> Program {
    let text = format!(
        "program geometry\nprimitive_in lines\n{modes}\n\
         r0: output32 out0\nr1: output32 out1\nr2: temp32\n\
         in0: invocation_id unsigned\nin1: vertex_count unsigned\nin2: generic[0] unsigned per_vertex\n\
         in3: primitive_id unsigned\nin4: generic[1] unsigned per_vertex\n\
         out0: generic[0] unsigned{}\nout1: generic[2] unsigned\n\
         routine fn0 {{\n{body}\n}}\nmain fn0\n",
        if modes.contains("passthrough") {
            " passthrough.xz"
        } else {
            ""
        },
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns two vertices, whose input `n` has the lanes `10 n + 1` to `10 n + 4`, and 100 more in
/// the second one.
fn make_environment() -> Environment {
    let vertex = |first: u64| {
        let input = |number: u64| [1, 2, 3, 4].map(|lane| first + 10 * number + lane);
        (0..5).map(input).collect()
    };
    Environment {
        inputs: vec![[0; 4], [0; 4], [0; 4], [6, 7, 8, 9]],
        vertices: vec![vertex(0), vertex(100)],
        ..Environment::default()
    }
}

fn run_primitive(program: &Program) -> EmittedVertices {
    let interpreter = Interpreter::new(program).unwrap_or_else(|errors| panic!("{errors:?}"));
    interpreter.run_primitive(&mut make_environment()).unwrap()
}

/// Returns lane x of output 0 in the strips of a stream.
fn list_strips(emitted: &EmittedVertices, stream: usize) -> Vec<Vec<u64>> {
    let lane = |vertex: &VertexOutputs| vertex[0][0];
    let strips = emitted.streams[stream].iter();
    strips
        .map(|strip| strip.iter().map(lane).collect())
        .collect()
}

/// Returns a body that emits vertices with these numbers; 0 ends a strip.
fn build_emit_body(numbers: &[u32]) -> String {
    let statement = |number: &u32| match number {
        0 => "endprim.u32\n".to_owned(),
        number => format!("r0.x = mov.u32 {{{number}}}\nemit.s32 {{0}}\n"),
    };
    numbers.iter().map(statement).collect()
}

#[test]
fn strips_end() {
    let cases: [(&[u32], &[&[u64]]); 5] = [
        (&[1, 2, 3], &[&[1, 2, 3]]),
        (&[1, 2, 0, 3], &[&[1, 2], &[3]]),
        (&[0, 1, 0, 0, 2, 0], &[&[1], &[2]]),
        (&[0], &[]),
        (&[], &[]),
    ];
    for (numbers, expected) in cases {
        let program = parse_geometry_program(
            "primitive_out line_strip\nvertices_out 8",
            &build_emit_body(numbers),
        );
        assert_eq!(
            list_strips(&run_primitive(&program), 0),
            expected,
            "{numbers:?}"
        );
    }
}

#[test]
fn vertices_have_their_inputs() {
    let program = parse_geometry_program(
        "vertices_out 2",
        "r2.x = mov.u32 {1}\n\
         r0.xyzw = mov.u32 in2[0 of 1, vertex r2.x].wzyx\n\
         r1.xy = add.u32 in4[0 of 1, vertex 0].xyzw, in3.xyzw\n\
         emit.s32 {0}\n\
         r0.xyzw = mov.u32 in2[0 of 1, vertex r2.x-1].xyzw\n\
         emit.s32 {0}",
    );
    // Inputs 2 and 4 of the vertices, and the primitive index.
    let first = vec![[124, 123, 122, 121], [41 + 6, 42 + 7, 0, 0]];
    let second = vec![[21, 22, 23, 24], [47, 49, 0, 0]];
    assert_eq!(run_primitive(&program).streams[0], [vec![first, second]]);
}

/// Checks that invocations begin with initialized registers and outputs, and begin new strips.
#[test]
fn invocations_run_one_after_the_other() {
    let body = "\
r2.x = add.u32 r2.xyzw, {1}
r0.x = mad.u32 in0.xyzw, {10}, r2.xyzw
r1.x = add.u32 r1.xyzw, in1.xyzw
emit.s32 {0}
r0.x = add.u32 r0.xyzw, {5}
emit.s32 {0}";
    let program = |invocations: &str| {
        parse_geometry_program(
            &format!("primitive_out line_strip\nvertices_out 2{invocations}"),
            body,
        )
    };
    let three = run_primitive(&program("\ninvocations 3"));
    assert_eq!(list_strips(&three, 0), [[1, 6], [11, 16], [21, 26]]);
    // A line has two vertices.
    let counts = three.streams[0].iter().flatten();
    assert!(counts.clone().all(|vertex| vertex[1] == [2, 0, 0, 0]));
    assert_eq!(counts.count(), 6);
    assert_eq!(list_strips(&run_primitive(&program("")), 0), [[1, 6]]);
}

/// Checks that each invocation may emit as many vertices as the program declares.
#[test]
fn vertices_have_a_limit() {
    let body = build_emit_body(&[1, 2, 3, 4]);
    let modes = "primitive_out line_strip\nvertices_out 3\ninvocations 2";
    let found = run_primitive(&parse_geometry_program(modes, &body));
    assert_eq!(list_strips(&found, 0), [[1, 2, 3]; 2]);
}

#[test]
fn streams_have_points() {
    let body = "\
r0.x = mov.u32 {5}
emit.s32 {1}
r0.x = mov.u32 {6}
emit.s32 {0}
r0.x = mov.u32 {7}
r2.x = mov.s32 {3}
emit.s32 r2.xyzw
r0.x = mov.u32 {8}
emit.s32 {1}
emit.s32 {4}
emit.s32 {-1}";
    let found = run_primitive(&parse_geometry_program("vertices_out 9", body));
    let all: [Vec<Vec<u64>>; 4] = std::array::from_fn(|stream| list_strips(&found, stream));
    assert_eq!(all[0], [[6]]);
    assert_eq!(all[1], [[5], [8]]);
    assert!(all[2].is_empty());
    assert_eq!(all[3], [[7]]);
}

/// Checks that each vertex retains the passed-through lanes and receives all others from the
/// program.
#[test]
fn primitives_pass() {
    let program = parse_geometry_program(
        "primitive_out line_strip\nvertices_out 2\npassthrough",
        "r0.xyzw = mov.u32 {7, 8, 9, 10}\nr1.x = mov.u32 in2[0 of 1, vertex 1].xyzw",
    );
    let own = [121, 0, 0, 0];
    let strip = vec![vec![[21, 8, 23, 10], own], vec![[121, 8, 123, 10], own]];
    assert_eq!(run_primitive(&program).streams[0], [strip]);
}

#[test]
fn endless_programs_reach_the_limit() {
    let program = parse_geometry_program("vertices_out 1", "loop {\nemit.s32 {0}\n}");
    let interpreter = Interpreter::new(&program).unwrap();
    let run = interpreter.run_primitive(&mut make_environment());
    assert_eq!(run, Err(StepLimitExceeded(1_000_000)));
}
