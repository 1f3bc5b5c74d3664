//! What programs use of what GL limits.

use glasm_frontend::{Code, ResourceCounts, Source};

fn count_instructions(text: &str) -> (u32, u32) {
    let counts = glasm_frontend::count_resources(&Source::new("test", text)).unwrap();
    (counts.attribute_components, counts.result_components)
}

#[test]
fn swizzles_and_masks_count() {
    let program = |body: &str| count_instructions(&format!("!!NVvp4.0\n{body}\nEND\n"));
    assert_eq!(program(""), (0, 0));
    assert_eq!(program("MOV result.position, vertex.position;"), (4, 4));
    assert_eq!(
        program("MOV result.position.xw, vertex.position.xxyy;"),
        (2, 2)
    );
    // The same component counts once.
    assert_eq!(
        program(
            "MOV result.position.x, vertex.position.y;\nADD result.position.xy, vertex.position.y, vertex.position.z;"
        ),
        (2, 2)
    );
    // Scalars have one component, whatever the swizzle says.
    assert_eq!(program("MOV result.pointsize, vertex.position.w;"), (1, 1));
    let fog = "!!NVfp4.0\nMOV result.color.xy, fragment.fogcoord;\nEND\n";
    assert_eq!(count_instructions(fog), (1, 2));
}

#[test]
fn declarations_alone_do_not_count() {
    let text = "!!NVvp4.0\nATTRIB a = vertex.attrib[3];\nATTRIB b[] = { vertex.attrib[4..7] };\nOUTPUT o = result.attrib[1];\n\
                OUTPUT p[] = { result.attrib[2..4] };\nTEMP i;\nMOV.S i, 0;\nMOV p[2].x, b[1];\nEND\n";
    assert_eq!(count_instructions(text), (4, 1));
    // With a run-time index every element may be meant.
    let text = text.replace("MOV p[2].x, b[1];", "MOV p[i.x].x, b[i.x].y;");
    assert_eq!(count_instructions(&text), (4, 3));
}

#[test]
fn programs_that_do_not_load_have_no_count() {
    let errors = glasm_frontend::count_resources(&Source::new(
        "test",
        "!!NVvp4.0\nMOV result.position, nothing;\nEND\n",
    ));
    assert_eq!(errors.unwrap_err().list[0].code, Code::UndeclaredName);
    assert!(glasm_frontend::count_resources(&Source::new("test", "")).is_err());
}

fn count_resources(text: &str) -> ResourceCounts {
    glasm_frontend::count_resources(&Source::new("test", text)).unwrap()
}

/// The examples of ARB_fragment_program, issue 24.
#[test]
fn indirections_are_nodes_of_the_chain() {
    let count =
        |body: &str| count_resources(&format!("!!ARBfp1.0\n{body}\nEND")).texture_indirections;
    assert_eq!(count("MOV result.color, fragment.color;"), 1);
    assert_eq!(
        count(
            "TEMP c;\nMUL c, fragment.texcoord[0], fragment.texcoord[1];\nTEX result.color, c, texture[0], 2D;"
        ),
        2
    );
    let three = "TEMP a, b;\nTEX a, fragment.texcoord[0], texture[0], 2D;\nMUL a, a, a;\nTEX b, fragment.texcoord[1], texture[1], 2D;\n\
                 TEX b, a, texture[2], 2D;\nTEX result.color, b, texture[3], 2D;";
    assert_eq!(count(three), 3);
    // An ALU instruction read the temporary that the access writes.
    let reused = "TEMP a;\nTEX a, fragment.texcoord[0], texture[0], 2D;\nMOV result.color, a;\nTEX a, fragment.texcoord[1], texture[1], 2D;\n\
                  MOV result.color, a;";
    assert_eq!(count(reused), 2);
    // KIL has no result.
    assert_eq!(count("TEMP a;\nMOV a, fragment.color;\nKIL a;\nKIL a;"), 2);
}

/// The example of ARB_vertex_program section 2.14.3.7: all four constants of `arr1` count, and two others.
#[test]
fn constants_of_arrays_with_a_run_time_index_count_each() {
    let text = "!!ARBvp1.0\nADDRESS a;\nPARAM arr1[4] = { {1,2,3,4}, {1,2,3,4}, {4,4,4,4}, {5,6,7,8} };\n\
                PARAM arr2[3] = { {1,2,3,4}, {5,6,7,8}, {0,1,2,3} };\nPARAM x = {4,3,2,1};\nPARAM y = {1,2,3,4};\nPARAM z = 4;\n\
                PARAM r = {4,3,2,1};\nARL a.x, vertex.position.x;\nMOV result.position, arr1[INDEX];\nEND";
    assert_eq!(count_resources(&text.replace("INDEX", "a.x")).parameters, 6);
    assert_eq!(count_resources(&text.replace("INDEX", "0")).parameters, 5);
}

/// "Two constant vectors are considered identical if the four component values are numerically equivalent": ARB_vertex_program section
/// 2.14.3.7.
#[test]
fn zeros_of_both_signs_are_one_constant() {
    let text = "!!ARBvp1.0\nPARAM x = { 0, 1, 2, 3 };\nPARAM y = { -0.0, 1, 2, 3 };\nPARAM z = 0;\n\
                MOV result.position, x;\nMOV result.color, { -0, -0.0, 0, 0 };\nEND";
    assert_eq!(count_resources(text).parameters, 2);
    // Arrays with a run-time index count both all the same.
    let array = "!!ARBvp1.0\nADDRESS a;\nPARAM p[2] = { { 0, 0, 0, 1 }, { -0, 0, 0, 1 } };\nARL a.x, vertex.position.x;\n\
                 MOV result.position, p[a.x];\nEND";
    assert_eq!(count_resources(array).parameters, 2);
}

#[test]
fn only_declared_variables_count() {
    let codes = "!!ARBvp1.0\nOPTION NV_vertex_program2;\nTEMP t;\nMOVC CC, vertex.position;\nMOV t, vertex.color;\n\
                 MOV result.position, t;\nEND";
    assert_eq!(count_resources(codes).temporaries, 1);
    let looped = "!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP t;\nLOOP {2, 0, 1};\nADD t, t, fragment.texcoord[A0.x];\n\
                  ENDLOOP;\nMOV result.color, t;\nEND";
    let found = count_resources(looped);
    assert_eq!([found.temporaries, found.address_registers], [1, 0]);
}

#[test]
fn instructions_variables_and_bindings_are_counted() {
    let text = "!!ARBfp1.0\nTEMP a, b;\nALIAS c = a;\nPARAM p = program.local[0];\nPARAM q[] = { program.env[0..2], { 1, 2 } };\n\
                ATTRIB t = fragment.texcoord[0];\nTEX a, t, texture[0], 2D;\nKIL a;\nMUL a, a, p;\nMAD a, fragment.texcoord[0], 0.5, q[1];\n\
                ADD b, a, {0.5, 0.5, 0.5, 0.5};\nADD b, b, {1, 2};\nMUL result.color, b, fragment.color;\nEND";
    let expected = ResourceCounts {
        instructions: 7,
        alu_instructions: 5,
        texture_instructions: 2,
        texture_indirections: 2,
        temporaries: 2,
        // The local, three of the environment, {1, 2, 0, 1}, and 0.5.
        parameters: 6,
        attributes: 2,
        address_registers: 0,
        attribute_components: 8,
        result_components: 4,
    };
    assert_eq!(count_resources(text), expected);
    let vertex = "!!ARBvp1.0\nADDRESS a;\nPARAM m[4] = { state.matrix.mvp };\nARL a.x, vertex.texcoord.x;\n\
                  MOV result.position, m[a.x];\nEND";
    let found = count_resources(vertex);
    assert_eq!(
        [found.address_registers, found.parameters, found.attributes],
        [1, 4, 1]
    );
    let tgsi = count_resources(
        "FRAG\nDCL OUT[0], COLOR\nDCL IN[0], COLOR, LINEAR\nMOV OUT[0], IN[0]\nEND",
    );
    assert_eq!(tgsi, ResourceCounts::default());
}
