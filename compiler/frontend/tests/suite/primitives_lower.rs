//! Geometry and tessellation programs: what declarations, bindings of vertices and patches, and
//! emitted vertices become.

use glasm_frontend::{Source, translate};

const GEOMETRY: &str =
    "!!NVgp5.0 PRIMITIVE_IN TRIANGLES; PRIMITIVE_OUT POINTS; VERTICES_OUT 3; TEMP r; INT TEMP i;";
const CONTROL: &str = "!!NVtcp5.0 VERTICES_OUT 4; TEMP r; INT TEMP i;";
const PASSTHROUGH: &str =
    "!!NVgp4.0 OPTION NV_geometry_program_passthrough; PRIMITIVE_IN LINES; TEMP r;";

/// The declarations of the IR of a program, and the main routine without places.
#[track_caller]
fn lower_to_text(text: &str) -> (Vec<String>, Vec<String>) {
    let (program, diagnostics) = translate(&Source::new("test", text).strict());
    let program = program.unwrap_or_else(|| panic!("{text}\n{:#?}", diagnostics.list));
    glasm_ir::verify::verify(&program).unwrap_or_else(|errors| panic!("{program}\n{errors:#?}"));
    let printed = program.to_string();
    let (head, body) = printed.split_once("routine fn0 {\n").expect("a routine");
    let without_place = |line: &str| {
        line.split("    ; @")
            .next()
            .map(|line| line.trim().to_owned())
    };
    let body = body.lines().take_while(|line| *line != "}");
    (
        head.lines().map(str::to_owned).collect(),
        body.filter_map(without_place).collect(),
    )
}

#[track_caller]
fn lower_main(beginning: &str, statements: &str) -> Vec<String> {
    lower_to_text(&format!("{beginning} {statements} END")).1
}

#[test]
fn what_is_passed_on() {
    let (head, body) = lower_to_text(&format!(
        "{PASSTHROUGH} PASSTHROUGH result.attrib[3].x; PASSTHROUGH result.color.back.primary; PASSTHROUGH result.attrib[3].zw; \
         PASSTHROUGH result.clip[1..2].x; MOV.S result.layer.x, primitive.id; END"
    ));
    assert_eq!(
        head,
        [
            "program geometry",
            "primitive_in lines",
            "primitive_out line_strip",
            "vertices_out 2",
            "passthrough",
            "r0: output32 out0",
            "in0: primitive_id signed",
            "in1: generic[3] float per_vertex",
            "in2: back_color[0] float per_vertex",
            "in3: clip_distance[1] float per_vertex",
            "in4: clip_distance[2] float per_vertex",
            "out0: layer signed",
            "out1: generic[3] float passthrough.xzw",
            "out2: back_color[0] float passthrough.xyzw",
            "out3: clip_distance[1] float passthrough.x",
            "out4: clip_distance[2] float passthrough.x",
        ]
    );
    assert_eq!(body, ["r0.x = mov.s32 in0.xyzw"]);
}

#[test]
fn modes_of_tessellation() {
    let (head, _) = lower_to_text(
        "!!NVtep5.0 TESS_MODE ISOLINES; TESS_VERTEX_ORDER CW; TESS_SPACING FRACTIONAL_EVEN; TESS_POINT_MODE; END",
    );
    let expected = [
        "program tess_eval",
        "tess_mode isolines",
        "tess_spacing fractional_even",
        "tess_order cw",
        "point_mode",
    ];
    assert_eq!(head, expected);
    let (head, _) = lower_to_text("!!NVtep5.0 TESS_MODE TRIANGLES; END");
    assert!(
        !head
            .iter()
            .any(|line| line.contains("point_mode") || line.contains(" cw")),
        "{head:?}"
    );
    let (head, _) = lower_to_text(
        "!!NVgp5.0 INVOCATIONS 7; VERTICES_OUT 5; PRIMITIVE_OUT TRIANGLE_STRIP; PRIMITIVE_IN TRIANGLES_ADJACENCY; END",
    );
    let expected = [
        "program geometry",
        "primitive_in triangles_adjacency",
        "primitive_out triangle_strip",
        "vertices_out 5",
        "invocations 7",
    ];
    assert_eq!(head, expected);
}

#[test]
fn vertices_and_elements() {
    let read = |operand: &str| {
        let declarations = "ATTRIB p = vertex.position; ATTRIB a[] = { vertex.attrib[2..4] }; ATTRIB b[] = { vertex[2].attrib[0..3] };";
        let body = lower_main(GEOMETRY, &format!("{declarations} MOV r, {operand};"));
        let [line] = &body[..] else {
            panic!("{body:?}")
        };
        line.strip_prefix("r0.xyzw = mov.f32 ")
            .expect("a move")
            .to_owned()
    };
    assert_eq!(read("p[2]"), "in0[0 of 1, vertex 2].xyzw");
    assert_eq!(
        read("vertex[1].position.wzyx"),
        "in0[0 of 1, vertex 1].wzyx"
    );
    assert_eq!(read("a[1][2]"), "in0[0 of 1, vertex 1].xyzw");
    assert_eq!(read("b[1]"), "in0[0 of 1, vertex 2].xyzw");
    let body = lower_main(
        GEOMETRY,
        "ATTRIB p = vertex.position; MOV.S i, vertex[0].id; MOV r, -|p[i.y + 2]|;",
    );
    assert_eq!(
        body,
        [
            "r0.xyzw = mov.s32 in0[0 of 1, vertex 0].xyzw",
            "r1.xyzw = mov.f32 -|in1[0 of 1, vertex r0.y+2].xyzw|",
        ]
    );
}

#[test]
fn arrays_share_slots() {
    // Each array lies behind its first slot, whatever was declared first.
    let (head, body) = lower_to_text(&format!(
        "{GEOMETRY} ATTRIB b[] = {{ vertex.attrib[2..4] }}; ATTRIB a[] = {{ vertex[2].attrib[0..3] }}; MOV.S i, 0; MOV r, b[1][i.x]; \
         MOV r, b[i.y][2]; MOV r, a[i.z + 1]; END"
    ));
    let inputs = head.iter().filter(|line| line.starts_with("in"));
    let inputs: Vec<&str> = inputs
        .map(String::as_str)
        .filter(|line| line.contains("generic"))
        .collect();
    let expected = [
        "in0: generic[0]",
        "in1: generic[1]",
        "in2: generic[2]",
        "in3: generic[3]",
        "in4: generic[4]",
    ];
    assert_eq!(
        inputs,
        expected.map(|line| format!("{line} float per_vertex"))
    );
    assert_eq!(
        body[1..],
        [
            "r1.xyzw = mov.f32 in2[r0.x of 3, vertex 1].xyzw",
            "r1.xyzw = mov.f32 in2[2 of 3, vertex r0.y].xyzw",
            "r1.xyzw = mov.f32 in0[r0.z+1 of 4, vertex 2].xyzw",
        ]
    );
}

#[test]
fn outputs_that_other_invocations_have_written() {
    let (head, body) = lower_to_text(&format!(
        "{CONTROL} ATTRIB p = vertex.out.position; ATTRIB l[] = {{ primitive.out.tessouter[1..3] }}; OUTPUT o[] = {{ result.patch.tessouter[0..2] }}; \
         MOV.S i, primitive.invocation; MOV result.position, 0; MOV o[i.x], 1; ADD r, p[i.x + 1], p[0]; ADD r, r, l[i.x]; \
         ADD r, r, primitive.out.patch.attrib[7]; ADD r, r, vertex.out[3].attrib[1]; END"
    ));
    assert!(head.iter().any(|line| line == "lockstep"));
    let outputs: Vec<&String> = head.iter().filter(|line| line.starts_with("out")).collect();
    assert_eq!(
        outputs,
        [
            "out0: tess_outer[0] float",
            "out1: tess_outer[1] float",
            "out2: tess_outer[2] float",
            "out3: tess_outer[3] float",
            "out4: position float",
            "out5: patch_generic[7] float",
            "out6: generic[1] float",
        ]
    );
    assert_eq!(
        body[3..],
        [
            "r3.xyzw = add.f32 out4[0 of 1, vertex r1.x+1].xyzw, out4[0 of 1, vertex 0].xyzw",
            "r3.xyzw = add.f32 r3.xyzw, out1[r1.x of 3].xyzw",
            "r3.xyzw = add.f32 r3.xyzw, out5.xyzw",
            "r3.xyzw = add.f32 r3.xyzw, out6[0 of 1, vertex 3].xyzw",
        ]
    );
    let (head, _) = lower_to_text(&format!(
        "{CONTROL} MOV result.position, vertex[0].position; MOV.S i, primitive.out.id; END"
    ));
    assert!(!head.iter().any(|line| line == "lockstep"), "{head:?}");
}

#[test]
fn vertices_are_emitted() {
    let body = lower_main(
        GEOMETRY,
        "MOV.S i, 1; EMIT; EMITS i.y; EMITS.U 2; EMITS -i.w; ENDPRIM;",
    );
    assert_eq!(
        body[1..],
        [
            "emit.s32 {0}.xxxx",
            "emit.s32 r0.yyyy",
            "emit.u32 {2}.xxxx",
            "emit.s32 -r0.wwww",
            "endprim.u32",
        ]
    );
}
