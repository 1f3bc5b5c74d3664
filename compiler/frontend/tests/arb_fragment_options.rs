//! NV_fragment_program_option and NV_fragment_program2, run by the IR's interpreter: precision, condition codes, loops, calls.
//! Expected values are worked out from the texts of the specifications.

#[path = "support/arb.rs"]
mod arb;
mod support;

use arb::{close, run};
use glasm_frontend::Code;
use glasm_ir::Semantic;
use support::errors;

#[track_caller]
fn fragment(option: &str, statements: &str, expected: [f32; 4]) {
    let text = format!(
        "!!ARBfp1.0 OPTION {option}; OUTPUT o = result.color; TEMP r, a; MOV r, 0; {statements} END"
    );
    let color = Semantic::FragColor {
        buffer: 0,
        index: 0,
    };
    close(&text, run(&text, color), expected);
}

/// With `result.color` written from `r` at the end.
#[track_caller]
fn second(statements: &str, expected: [f32; 4]) {
    let statements = format!("{statements} MOV o, r;");
    fragment("NV_fragment_program2", &statements, expected);
}

#[test]
fn fixed_point_saturates() {
    let high = 2047.0 / 1024.0;
    fragment(
        "NV_fragment_program",
        "ADDX r, {1.5, -1.5, 0.5, 2}, {1.5, -1.5, 0.25, 0}; MOV o, r;",
        [high, -2.0, 0.75, high],
    );
    fragment(
        "NV_fragment_program",
        "MULXC_SAT r, {3, -3, 0.5, 1}, 1; MOV r (LE), 9; MOV o, r;",
        [1.0, 9.0, 0.5, 1.0],
    );
}

#[test]
fn codes_begin_as_equal() {
    fragment(
        "NV_fragment_program",
        "MOV r (EQ), 1; MOVC a.xy, {-1, 1}; MOV r.zw (EQ), 2; MOV r (LT.x), 3; MOV o, r;",
        [3.0, 3.0, 3.0, 3.0],
    );
}

#[test]
fn loops_run_their_count() {
    second("REP 2.7; ADD r, r, 1; ENDREP;", [2.0; 4]);
    second(
        "REP {-1}; ADD r, r, 1; ENDREP; REP 0; ADD r, r, 1; ENDREP;",
        [0.0; 4],
    );
    second("REP 255; ADD r, r, 1; ENDREP;", [255.0; 4]);
    second(
        "LOOP {3, 0, 1}; REP {2}; ADD r, r, 1; ENDREP; ENDLOOP;",
        [6.0; 4],
    );
    second(
        "REP 9; ADD r, r, 1; SUBC a, r, 4; BRK (GE.x); ENDREP;",
        [4.0; 4],
    );
}

#[test]
fn loops_in_loops_end() {
    // 255 to the power of 4 rounds are cut at 65,536 instructions, of which each round of the innermost loop takes two.
    let text = "REP 255; REP 255; REP 255; REP 255; ADD r, r, 1; MOV o, r; ENDREP; ENDREP; ENDREP; ENDREP;";
    let text = format!(
        "!!ARBfp1.0 OPTION NV_fragment_program2; OUTPUT o = result.color; TEMP r; MOV r, 0; {text} END"
    );
    let color = Semantic::FragColor {
        buffer: 0,
        index: 0,
    };
    let rounds = run(&text, color)[0];
    assert!((16_000.0..=65_536.0).contains(&rounds), "{rounds}");
}

#[test]
fn branches() {
    second(
        "MOVC a, {-1, 0, 1, 0}; IF LT.x; ADD r, r, 1; ELSE; ADD r, r, 2; ENDIF; IF GT.y; ADD r, r, 4; ENDIF; IF EQ.xxyy; ADD r, r, 8; ENDIF;",
        [9.0; 4],
    );
}

#[test]
fn calls_return() {
    fragment(
        "NV_fragment_program2",
        "CAL twice; CAL twice; MOV o, r; RET; twice: ADD r, r, 1; CAL once; RET; once: ADD r, r, 10; RET;",
        [22.0; 4],
    );
    // Conditions, and a return out of a block.
    fragment(
        "NV_fragment_program2",
        "MOVC a, -1; CAL f (GT.x); CAL f (LT.x); MOV o, r; RET; f: ADD r, r, 1; REP 3; RET (LT.x); ADD r, r, 100; ENDREP; RET;",
        [1.0; 4],
    );
}

#[test]
fn routines_fall_through() {
    // Running into `f` runs it; its RET then ends the program.
    fragment(
        "NV_fragment_program2",
        "CAL f; ADD r, r, 1; f: ADD r, r, 10; MOV o, r; RET; MOV o, 99;",
        [21.0; 4],
    );
    // `f` goes on into `g`, whose RET returns for it.
    fragment(
        "NV_fragment_program2",
        "CAL f; ADD r, r, 1; MOV o, r; RET; f: ADD r, r, 10; g: ADD r, r, 100; RET;",
        [111.0; 4],
    );
    // The end of the program ends it for callers too.
    fragment(
        "NV_fragment_program2",
        "CAL f; MOV o, 99; RET; f: ADD r, r, 10; MOV o, r;",
        [10.0; 4],
    );
}

#[test]
fn calls_that_exceed_the_stack_end_the_program() {
    // r counts the calls of `f`: four fit.
    fragment(
        "NV_fragment_program2",
        "CAL f; MOV o, 99; RET; f: ADD r, r, 1; MOV o, r; CAL f; MOV o, 98; RET;",
        [4.0; 4],
    );
    // Recursion that stops in time returns to everyone; loops keep their counts.
    fragment(
        "NV_fragment_program2",
        "CAL f; MOV o, r; RET; f: ADD r.x, r, 1; REP 2; SUBC a.x, r, 3; CAL f (LT.x); ADD r.y, r, 1; ENDREP; RET;",
        [3.0, 6.0, 0.0, 0.0],
    );
}

#[test]
fn main_runs_first() {
    fragment(
        "NV_fragment_program2",
        "f: ADD r, r, 5; RET; main: MOV r, 1; CAL f; MOV o, r;",
        [6.0; 4],
    );
}

#[test]
fn rules_of_blocks() {
    let second = |statements: &str, codes: &[Code]| {
        let text = format!(
            "!!ARBfp1.0 OPTION NV_fragment_program2; TEMP r; {statements} MOV result.color, 0; END"
        );
        errors(&text, codes);
    };
    second("REP 2; «ENDLOOP»; ENDREP;", &[Code::BlockMismatch]);
    second("LOOP {2}; «ENDREP»; ENDLOOP;", &[Code::BlockMismatch]);
    second("REP «r»; ENDREP;", &[Code::LoopCount]);
    second("LOOP «fragment.color»; ENDLOOP;", &[Code::LoopCount]);
    second(
        "PARAM p = program.local[0]; LOOP p; ENDLOOP; REP program.env[1]; ENDREP;",
        &[],
    );
    let nested = |count: usize, open: &str, close: &str| open.repeat(count) + &close.repeat(count);
    second(&nested(48, "IF EQ.x; ", "ENDIF; "), &[]);
    second(&nested(4, "REP 1; ", "ENDREP; "), &[]);
    let (open, close) = ("REP 1; ".repeat(4), "ENDREP; ".repeat(5));
    second(&format!("{open}«REP 1»; {close}"), &[Code::LoopDepth]);
    let (open, close) = ("IF EQ.x; ".repeat(48), "ENDIF; ".repeat(49));
    second(&format!("{open}«IF EQ.x»; {close}"), &[Code::IfDepth]);
    second("«BRK»;", &[Code::BreakOutsideLoop]);
}
