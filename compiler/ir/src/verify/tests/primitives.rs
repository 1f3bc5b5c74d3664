//! Rules of primitives and patches: each has a program that fails this rule only.

use super::{assert_error, list_messages};
use crate::{parse, print};

const GEOMETRY: &str = "\
program geometry
primitive_in triangles_adjacency
primitive_out points
vertices_out 6
invocations 4
r0: temp32
r1: output32 out0
in0: position float per_vertex
in1: vertex_count signed
out0: position float
routine fn0 {
  r1.xyzw = mov.f32 in0[0 of 1, vertex r0.x+1].xyzw
  emit.s32 r0.xyzw
  endprim.u32
}
main fn0
";

const CONTROL: &str = "\
program tess_control
vertices_out 3
lockstep
r0: temp32
r1: output32 out0
r2: output32 out1
in0: invocation_id signed
out0: generic[2] float
out1: tess_outer[3] float
routine fn0 {
  r1.xyzw = mov.f32 {1.0}
  r0.xyzw = mov.f32 out0[0 of 1, vertex r0.x].xyzw
  r2.x = mov.f32 out1.xyzw
}
main fn0
";

const EVALUATION: &str = "\
program tess_eval
tess_mode isolines
tess_spacing fractional_even
tess_order cw
point_mode
in0: tess_coord float
in1: patch_generic[29] float
out0: position float
routine fn0 {
}
main fn0
";

const PASSTHROUGH: &str = "\
program geometry
primitive_in lines
primitive_out line_strip
vertices_out 2
passthrough
out0: generic[0] float passthrough.xz
routine fn0 {
}
main fn0
";

const VALID_PROGRAMS: [&str; 4] = [GEOMETRY, CONTROL, EVALUATION, PASSTHROUGH];

#[test]
fn right_programs_print_as_they_were() {
    for text in VALID_PROGRAMS {
        let program = parse(text).unwrap();
        assert_eq!(list_messages(&program), Vec::<String>::new(), "{text}");
        assert_eq!(print(&program), text);
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn wrong_programs() {
    let cases = [
        (GEOMETRY, "vertices_out 6\n", "", "vertices_out is required"),
        (
            EVALUATION,
            "point_mode\n",
            "vertices_out 1\n",
            "vertices_out is required",
        ),
        (
            CONTROL,
            "vertices_out 3",
            "vertices_out 33",
            "the patch has too many vertices",
        ),
        (
            CONTROL,
            "lockstep",
            "invocations 2",
            "only geometry programs run several times",
        ),
        (
            EVALUATION,
            "point_mode",
            "lockstep",
            "only invocations of tessellation control programs",
        ),
        (
            CONTROL,
            "out0[0 of 1, vertex r0.x].xyzw",
            "out0.xyzw",
            "outputs per vertex, and only those",
        ),
        (
            CONTROL,
            "mov.f32 out1.xyzw",
            "mov.f32 out1[0 of 1, vertex 0].xyzw",
            "outputs per vertex, and only those",
        ),
        (
            CONTROL,
            "vertex r0.x]",
            "vertex -1]",
            "a vertex index cannot be negative",
        ),
        (
            EVALUATION,
            "{\n}",
            "{\nendprim.u32\n}",
            "tess_eval programs do not have the operation",
        ),
        (
            PASSTHROUGH,
            "{\n}",
            "{\nendprim.u32\n}",
            "a passthrough program cannot emit vertices",
        ),
        (
            PASSTHROUGH,
            "passthrough\n",
            "",
            "passthrough outputs require a passthrough program",
        ),
        (
            PASSTHROUGH,
            "in lines",
            "in lines_adjacency",
            "passthrough requires a geometry program",
        ),
    ];
    for (text, from, to, expected) in cases {
        assert!(text.contains(from), "{from} is not in the program");
        let changed = text.replacen(from, to, 1);
        let program = parse(&changed).unwrap_or_else(|error| panic!("{error}\n{changed}"));
        assert_error(&program, expected);
    }
}
