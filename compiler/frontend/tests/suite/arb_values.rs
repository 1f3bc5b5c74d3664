//! What instructions of ARB programs compute, run by the IR's interpreter. Expected values are worked out from the formulas of
//! ARB_vertex_program section 2.14.5 and ARB_fragment_program section 3.11.5.

use crate::support::arb::{close, run};
use glasm_ir::Semantic;

#[track_caller]
fn check_vertex(statements: &str, expected: [f32; 4]) {
    let text =
        format!("!!ARBvp1.0 TEMP r, a; ADDRESS A; {statements} MOV result.texcoord[0], r; END");
    close(&text, run(&text, Semantic::TexCoord(0)), expected);
}

#[track_caller]
fn check_fragment(statements: &str, expected: [f32; 4]) {
    let text = format!("!!ARBfp1.0 TEMP r, a; {statements} MOV result.color, r; END");
    let color = Semantic::FragColor {
        buffer: 0,
        index: 0,
    };
    close(&text, run(&text, color), expected);
}

#[test]
fn constants_and_suffixes() {
    check_vertex("MOV r, -2;", [-2.0; 4]);
    check_vertex("MOV r, {1};", [1.0, 0.0, 0.0, 1.0]);
    check_vertex("MOV r, -{1, 2, 3, 4}.wzyx;", [-4.0, -3.0, -2.0, -1.0]);
    check_vertex(
        "PARAM c[] = { 3, {3} }; ADD r, c[0], c[1];",
        [6.0, 3.0, 3.0, 4.0],
    );
    check_vertex("RCP r, 4.x;", [0.25; 4]);
    check_vertex("RCP r, -4.0.x;", [-0.25; 4]);
    check_vertex("MOV r, 1.5e1.xxxx;", [15.0; 4]);
    check_fragment("MOV r, {1, 2, 3, 4}.abgr;", [4.0, 3.0, 2.0, 1.0]);
}

#[test]
fn roots_take_the_magnitude() {
    check_vertex("RSQ r, -4.0.x;", [0.5; 4]);
    check_fragment("RSQ r, {-16}.x;", [0.25; 4]);
}

#[test]
fn exponentials_in_parts() {
    check_vertex("EXP r, 2.5.x;", [4.0, 0.5, 2.5f32.exp2(), 1.0]);
    check_vertex("EXP r, -0.25.x;", [0.5, 0.75, (-0.25f32).exp2(), 1.0]);
    check_vertex(
        "EXP r, -126.0.x;",
        [2f32.powi(-126), 0.0, 2f32.powi(-126), 1.0],
    );
    check_vertex(
        "EXP r, 127.0.x;",
        [2f32.powi(127), 0.0, 2f32.powi(127), 1.0],
    );
    check_vertex("EXP r, 200.0.x;", [f32::INFINITY, 0.0, f32::INFINITY, 1.0]);
    check_vertex("EXP r, -200.0.x;", [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn logarithms_in_parts() {
    check_vertex("LOG r, -12.0.x;", [3.0, 1.5, 12f32.log2(), 1.0]);
    check_vertex("LOG r, 1.0.x;", [0.0, 1.0, 0.0, 1.0]);
    check_vertex("LOG r, 0.375.x;", [-2.0, 1.5, 0.375f32.log2(), 1.0]);
    let infinity = f32::INFINITY;
    check_vertex("LOG r, 0.0.x;", [-infinity, 1.0, -infinity, 1.0]);
    check_vertex("LOG r, 1e40.x;", [infinity, 1.0, infinity, 1.0]);
}

#[test]
fn addresses_are_rounded_down() {
    let array = "PARAM c[] = { program.local[0..9] };";
    check_vertex(
        &format!("{array} ARL A.x, 2.75.x; MOV r, c[A.x + 3];"),
        [5.0, 5.25, 5.5, 5.75],
    );
    check_vertex(
        &format!("{array} ARL A.x, -1.5.x; MOV r, c[A.x + 3];"),
        [1.0, 1.25, 1.5, 1.75],
    );
    check_vertex(
        &format!("{array} ARL A.x, 12.0.x; MOV r, c[A.x - 8].w;"),
        [4.75; 4],
    );
}

#[test]
fn comparisons() {
    check_fragment("CMP r, {-1, 0, 1, -0.5}, 2, 3;", [2.0, 3.0, 3.0, 2.0]);
    check_fragment("SLT r, {1, 2, 3}, 2;", [1.0, 0.0, 0.0, 1.0]);
    check_fragment("SGE r, {1, 2, 3}, 2;", [0.0, 1.0, 1.0, 0.0]);
    check_fragment("MIN r, {1, 2, 3}, 2;", [1.0, 2.0, 2.0, 1.0]);
    check_fragment(
        "MAX_SAT r, {1, -2, 0.25}, {-1, -2, 0};",
        [1.0, 0.0, 0.25, 1.0],
    );
}

#[test]
fn clamps_let_nan_pass() {
    check_fragment(
        "MUL_SAT r, 1e40, {0, 1, -1, 0};",
        [f32::NAN, 1.0, 0.0, f32::NAN],
    );
}

#[test]
fn attributes() {
    check_vertex("MOV r, vertex.position;", [1.0, -2.0, 0.5, 4.0]);
    check_vertex("ATTRIB w = vertex.weight[4]; MOV r, w.w;", [4.0; 4]);
    check_fragment("ATTRIB t = fragment.texcoord[3]; DPH r, t, t;", [9.25; 4]);
    check_fragment(
        "MOV r, 0; SWZ r.xyw, fragment.color, -y, 1, 0, w;",
        [2.0, 1.0, 0.0, 4.0],
    );
}
