//! The shape of the IR where a value test cannot see it: textures, memory, inputs, outputs, routines.

use glasm_frontend::{Source, translate};

/// The lines of the main routine of a program, without places.
#[track_caller]
fn lower_main(text: &str) -> Vec<String> {
    let printed = lower_program(text);
    let body = printed.split("routine fn0").nth(1).expect("a main routine");
    let lines = body.lines().skip(1).take_while(|line| *line != "}");
    lines
        .map(|line| {
            line.split("    ; @")
                .next()
                .unwrap_or(line)
                .trim()
                .to_owned()
        })
        .collect()
}

#[track_caller]
fn lower_program(text: &str) -> String {
    let (program, diagnostics) = translate(&Source::new("test", text));
    let program = program.unwrap_or_else(|| panic!("{:#?}", diagnostics.list));
    glasm_ir::verify::verify(&program).unwrap_or_else(|errors| panic!("{program}\n{errors:#?}"));
    program.to_string()
}

/// The one instruction of a fragment program with a temporary `r`, which is r0, and the coordinate `c`, which is in0.
#[track_caller]
fn lower_fragment_instruction(line: &str) -> Vec<String> {
    lower_main(&format!(
        "!!NVfp5.0 TEMP r, i; ATTRIB c = fragment.texcoord[0]; {line} END"
    ))
}

#[test]
fn texture_sources_follow_the_target() {
    assert_eq!(
        lower_fragment_instruction("TEX r, c, texture[3], 2D;"),
        ["r0.xyzw = tex.f32 (tex0 implicit) in0.xyzw"]
    );
    assert_eq!(
        lower_fragment_instruction("TXB r, c, texture[3], 2D;"),
        ["r0.xyzw = tex.f32 (tex0 bias) in0.xyzw, in0.wwww"]
    );
    assert_eq!(
        lower_fragment_instruction("TXL r, c, texture[3], 3D;"),
        ["r0.xyzw = tex.f32 (tex0 lod) in0.xyzw, in0.wwww"]
    );
    // Tables X.17: the reference of 2D is z, of CUBE and ARRAY2D w.
    assert_eq!(
        lower_fragment_instruction("TEX r, c, texture, SHADOW2D;"),
        ["r0.xyzw = tex.f32 (tex0 implicit) in0.xyzw, in0.zzzz"]
    );
    assert_eq!(
        lower_fragment_instruction("TEX r, c, texture, SHADOWCUBE;"),
        ["r0.xyzw = tex.f32 (tex0 implicit) in0.xyzw, in0.wwww"]
    );
    assert_eq!(
        lower_fragment_instruction("TEX r, c, c.y, texture, SHADOWARRAYCUBE;"),
        ["r0.xyzw = tex.f32 (tex0 implicit) in0.xyzw, in0.yyyy"]
    );
    assert_eq!(
        lower_fragment_instruction("TXD r, c, c.x, c.y, texture, 2D;"),
        ["r0.xyzw = tex.f32 (tex0 grad) in0.xyzw, in0.xxxx, in0.yyyy"]
    );
    assert_eq!(
        lower_fragment_instruction("TXP r.xy, c, texture, 2D;"),
        [
            "r0.xyzw = div.f32 in0.xyzw, in0.wwww",
            "r1.xy = tex.f32 (tex0 implicit) r0.xyzw"
        ]
    );
    assert_eq!(
        lower_fragment_instruction("TXF.U r, c, texture, 2D;"),
        ["r0.xyzw = tex.u32 (tex0 fetch) in0.xyzw, in0.wwww"]
    );
    assert_eq!(
        lower_fragment_instruction("TXQ r, c, texture, 2D;"),
        ["r0.xyzw = tex.s32 (tex0 query_size) in0.xxxx"]
    );
}

#[test]
fn texel_offsets() {
    let constant = lower_fragment_instruction("TEX r, c, texture, 2D, (1, -2);");
    assert!(
        constant[0].contains("1, -2, 0") || constant[0].contains("1 -2 0"),
        "{constant:?}"
    );
    assert_eq!(
        lower_fragment_instruction("TEX r, c, texture, 2D, (0, 0);"),
        ["r0.xyzw = tex.f32 (tex0 implicit) in0.xyzw"]
    );
    let dynamic = lower_fragment_instruction("TEX r, c, texture, 2D, offset(i);");
    assert_eq!(dynamic.len(), 1);
    assert!(dynamic[0].contains("in0.xyzw, r"), "{dynamic:?}");
}

#[test]
fn one_texture_per_unit_target_and_type() {
    let text = lower_program(
        "!!NVfp5.0 TEMP r; TEX r, r, texture[1], 2D; TXL r, r, texture[1], 2D; TEX.U r, r, texture[1], 2D; \
         TEX r, r, texture[2], SHADOW2D; END",
    );
    let textures: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("tex") && line.contains("unit"))
        .collect();
    assert_eq!(textures.len(), 3, "{textures:#?}");
}

#[test]
fn interpolation_reaches_direct_uses() {
    let text = lower_program(
        "!!NVfp5.0 MOV result.color, fragment.attrib[3]; FLAT ATTRIB a = fragment.attrib[3]; END",
    );
    assert!(text.contains("in0: generic[3] float flat"), "{text}");
    let text = lower_program(
        "!!NVfp5.0 CENTROID NOPERSPECTIVE ATTRIB a = fragment.color; MOV result.color, a; MOV result.depth.z, fragment.position; END",
    );
    assert!(
        text.contains("centroid") && text.contains("noperspective"),
        "{text}"
    );
}

#[test]
fn equal_bindings_share_a_slot() {
    let text = lower_program(
        "!!NVfp5.0 PARAM a = program.local[4]; PARAM b[] = { program.local[4..5] }; TEMP r; ADD r, a, b[0]; \
         ADD r, r, program.local[4]; ADD result.color, r, b[1]; OUTPUT o = result.color; MOV o.x, r; END",
    );
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with('p') && line.contains("local"))
            .count(),
        2,
        "{text}"
    );
    assert_eq!(
        text.lines().filter(|line| line.starts_with("out")).count(),
        1,
        "{text}"
    );
}

#[test]
fn parameter_buffers_are_loaded() {
    assert_eq!(
        lower_fragment_instruction("BUFFER b[] = { program.buffer[2][4..9] }; MOV r, b[3];"),
        [
            "r0.x = load.u32 (buf0 x1 +28) {0}",
            "r1.xyzw = mov.f32 r0.xxxx"
        ]
    );
    assert_eq!(
        lower_fragment_instruction("BUFFER4 b[] = { program.buffer[2] }; MOV.U r, b[3].w;"),
        [
            "r0.xyzw = load.u32 (buf0 x4 +48) {0}",
            "r1.xyzw = mov.u32 r0.wwww"
        ]
    );
    assert_eq!(
        lower_fragment_instruction("BUFFER4 b[] = { program.buffer[2] }; MOV.U r, b[i.y + 2];"),
        [
            "r1.xyzw = mul.u32 r0.yyyy, {16}",
            "r2.xyzw = load.u32 (buf0 x4 +32) r1.xxxx",
            "r3.xyzw = mov.u32 r2.xyzw"
        ]
    );
    assert_eq!(
        lower_fragment_instruction("CBUFFER b[] = { program.buffer[0] }; LDC.F32X2 r, b[i.x + 8];"),
        ["r1.xyzw = load.f32 (buf0 x2 +8) r0.xxxx"]
    );
    // Suffix and signs of the operand of LDC apply to what was loaded.
    assert_eq!(
        lower_fragment_instruction("CBUFFER b[] = { program.buffer[0] }; LDC.F32 r, -b[4].x;"),
        [
            "r0.xyzw = load.f32 (buf0 x1 +4) {0}",
            "r1.xyzw = mov.f32 -r0.xxxx"
        ]
    );
}

#[test]
fn global_memory() {
    assert_eq!(
        lower_fragment_instruction("LOAD.U8 r.x, i.y;"),
        [
            "r1.xyzw = cvt.u64 (u32 even) r0.xyzw",
            "r2.x = load.u8 (global x1) r1.yyyy"
        ]
    );
    assert_eq!(
        lower_fragment_instruction("LONG TEMP l; STORE.F32X4.COH.VOL r, l.z;").len(),
        1
    );
    assert_eq!(
        lower_fragment_instruction("LONG TEMP l; ATOM.ADD.U32 r (FL), i, l.x;"),
        ["r2.xyzw if(fl cc3.xyzw) = atom.u32 (global x1 add) r1.xyzw, r0.xxxx"]
    );
}

#[test]
fn kil_tests_a_vector() {
    assert_eq!(
        lower_fragment_instruction("KIL c;"),
        [
            "r1.xyzw, cc0 = mov.f32 in0.xyzw",
            "if any(lt cc0.xyzw) {",
            "demote.u32",
            "}"
        ]
    );
    // No component of an unsigned vector is negative.
    assert_eq!(lower_fragment_instruction("KIL.U c;"), Vec::<String>::new());
    // A declared variable wins over the condition of the same name.
    assert_eq!(lower_fragment_instruction("TEMP EQ; KIL EQ;").len(), 4);
    assert_eq!(
        lower_fragment_instruction("KIL EQ.x;"),
        ["if any(eq cc0.xxxx) {", "demote.u32", "}"]
    );
}

#[test]
fn code_that_cannot_run_is_left_out() {
    let text = "!!NVvp5.0 TEMP r; REP 4; BRK; MOV r, 1; IF TR; MOV r, 2; ENDIF; ENDREP; RET; MOV r, 3; f: MOV r, 4; END";
    let printed = lower_program(text);
    assert!(!printed.contains("mov.f32"), "{printed}");
    assert_eq!(printed.matches("routine").count(), 1, "{printed}");
}

#[test]
fn precision_reaches_the_instructions() {
    let lines = lower_fragment_instruction(
        "MUL.PREC r, c, c; MULH r, c, c; SHORT TEMP h; MUL h, c, c; MUL r, c, c;",
    );
    assert!(
        lines[0].contains("precise") && !lines[3].contains("precise"),
        "{lines:?}"
    );
    assert!(
        lines[1].contains("relaxed")
            && lines[2].contains("relaxed")
            && !lines[3].contains("relaxed"),
        "{lines:?}"
    );
}

/// ARB_derivative_control: FINE and COARSE choose how a derivative is computed.
#[test]
fn derivatives_have_their_precision() {
    for (opcode, op) in [("DDX", "ddx"), ("DDY", "ddy")] {
        for (modifier, precision) in [("", ""), (".FINE", "fine"), (".COARSE", "coarse")] {
            let lines = lower_main(&format!(
                "!!NVfp5.0 OPTION ARB_derivative_control; TEMP r; {opcode}{modifier} r, fragment.texcoord[0]; END"
            ));
            assert_eq!(lines, [format!("r0.xyzw = {op}{precision}.f32 in0.xyzw")]);
        }
    }
}

#[test]
fn program_modes() {
    let text = lower_program(
        "!!NVfp5.0 OPTION NV_early_fragment_tests; OPTION ARB_fragment_coord_origin_upper_left; \
         OPTION ARB_fragment_coord_pixel_center_integer; END",
    );
    for mode in [
        "early_fragment_tests",
        "origin_upper_left",
        "pixel_center_integer",
    ] {
        assert!(text.contains(mode), "{text}");
    }
    assert!(lower_program("!!NVcp5.0 GROUP_SIZE 8 4; END").contains("workgroup_size 8 4 1"));
    let variable = lower_program("!!NVcp5.0 OPTION ARB_compute_variable_group_size; END");
    assert!(variable.contains("workgroup_size 0 0 0"), "{variable}");
}

/// NV_compute_program5, section 2.X.7.Y: SHARED_MEMORY says how many bytes a group has, wherever in the program it is.
#[test]
fn shared_memory_has_its_declared_size() {
    for text in [
        "SHARED_MEMORY 72; SHARED m[] = { program.sharedmem }; LDS.U32 r, m[4]; END",
        "SHARED m[4] = { program.sharedmem[0..3] }; LDS.U32 r, m[0]; SHARED_MEMORY 72; END",
    ] {
        let printed = lower_program(&format!("!!NVcp5.0 GROUP_SIZE 4; TEMP r; {text}"));
        assert!(printed.contains("shared 0 size 72\n"), "{printed}");
    }
}

/// The inputs that a TGSI text of a fragment program with these declarations has in the IR.
#[track_caller]
fn list_tgsi_inputs(declarations: &str, statements: &str) -> Vec<String> {
    let printed = lower_program(&format!(
        "FRAG\n{declarations}\nDCL OUT[0], COLOR\nDCL CONST[0]\nDCL ADDR[0]\nDCL TEMP[0]\n\
         UARL ADDR[0].x, CONST[0].xxxx\n{statements}\nMOV OUT[0], TEMP[0]\nEND\n"
    ));
    let inputs = printed.lines().filter(|line| line.starts_with("in"));
    inputs.map(str::to_owned).collect()
}

#[test]
fn indexed_inputs_are_in_one_array() {
    // Without the id of an array, the registers around the number that the index is added to.
    let one_by_one = "DCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], GENERIC[1], PERSPECTIVE";
    let statements = "MOV TEMP[0], IN[ADDR[0].x]\nADD TEMP[0], TEMP[0], IN[ADDR[0].x+1]";
    assert_eq!(
        list_tgsi_inputs(one_by_one, statements),
        ["in0: generic[0] float", "in1: generic[1] float"]
    );
    // With the id, the registers of the array, whatever the number is.
    let array =
        "DCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1..2], ARRAY(1), GENERIC[1], PERSPECTIVE";
    let statements = "MOV TEMP[0], IN[ADDR[0].x](1)\nADD TEMP[0], TEMP[0], IN[ADDR[0].x+1](1)";
    assert_eq!(
        list_tgsi_inputs(array, statements),
        ["in0: generic[1] float", "in1: generic[2] float"]
    );
}

/// TGSI, TGSI_SEMANTIC_TESS_DEFAULT_OUTER_LEVEL: the levels are those of the state, of whichever vertex they are read.
#[test]
fn default_levels_of_vertices_are_those_of_the_state() {
    let levels = |declared: &str, read: &str| {
        let text = format!(
            "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 1\n{declared}, TESS_DEFAULT_OUTER_LEVEL\nDCL OUT[0], TESSOUTER\nMOV OUT[0], {read}\nEND\n"
        );
        lower_main(&text)
    };
    assert_eq!(
        levels("DCL IN[][0]", "IN[0][0]"),
        levels("DCL SV[0]", "SV[0]")
    );
}

#[test]
fn invariant_position_is_computed_first() {
    let text = "!!NVvp5.0 OPTION ARB_position_invariant; MOV result.color, vertex.position; END";
    let printed = lower_program(text);
    assert!(printed.contains("position float invariant"), "{printed}");
    let lines = lower_main(text);
    assert_eq!(lines.len(), 5);
    assert!(
        lines[2].starts_with("r0.z = dp4.f32") && lines[2].ends_with("p2.xyzw, in0.xyzw"),
        "{lines:#?}"
    );
}

/// Whether the loops of an ARB program count what they run.
#[track_caller]
fn counts_steps(loops: &str) -> bool {
    let text = format!("!!ARBfp1.0 OPTION NV_fragment_program2; TEMP r; MOV r, 0; {loops} END");
    let limit = Source::new("test", &text).step_limit.unwrap_or_default();
    lower_program(&text).contains(&format!("{{{limit:#x}}}"))
}

#[test]
fn only_loops_that_may_run_too_long_count_their_steps() {
    let nest = |outer: &str, inner: &str| {
        format!("REP {outer}; REP {inner}; ADD r, r, 1; MUL r, r, 0.5; ENDREP; ENDREP;")
    };
    assert!(!counts_steps("REP 255; ADD r, r, 1; ENDREP;"));
    assert!(!counts_steps(&nest("8", "200")));
    // One loop after the other is no nest, and no call is in a loop.
    let one = "REP 255; ADD r, r, 1; ENDREP;";
    assert!(!counts_steps(&format!(
        "{one} {one} CAL f; RET; f: MUL r, r, 0.5; RET;"
    )));
    // 255 * 255 rounds of three lines are more than 65,536.
    assert!(counts_steps(&nest("255", "255")));
    assert!(counts_steps(&nest("1000", "1.0e30")));
    assert!(counts_steps(&nest("255", "program.local[0].x")));
    assert!(!counts_steps(&nest("-1", "{0.5}.x")));
    // What a literal says counts, not what the loop does.
    assert!(!counts_steps(&nest("2", "program.local[0].x")));
}

/// Routines have the order of their labels, not that of the calls.
#[test]
fn routines_have_the_order_of_the_text() {
    let printed = lower_program(
        "!!NVfp4.0 TEMP r; main: MOV r, 1; CAL z; CAL a; CAL z; CAL a; MOV result.color, r; RET; \
         a: ADD r, r, 1; RET; z: MUL r, r, 2; RET; END",
    );
    let names = printed
        .lines()
        .filter_map(|line| line.strip_prefix("routine "))
        .collect::<Vec<_>>();
    assert_eq!(names, ["fn0 \"main\" {", "fn1 \"a\" {", "fn2 \"z\" {"]);
}

/// The component of a binding that is an index is part of it.
#[test]
fn bindings_are_indices() {
    for (index, term) in [
        ("vertex.attrib[1].z", "z"),
        ("vertex.attrib[1].w+2", "w+2"),
        ("vertex.id", "x"),
    ] {
        let lines = lower_main(&format!(
            "!!NVvp4.0 TEMP r; PARAM p[4] = {{ program.env[0..3] }}; MOV r, p[{index}]; END"
        ));
        let access = format!(".{term} of 4].xyzw");
        assert!(lines[1].starts_with("r1.xyzw = mov.f32 p0[r0"), "{lines:?}");
        assert!(lines[1].ends_with(&access), "{lines:?}");
    }
}
