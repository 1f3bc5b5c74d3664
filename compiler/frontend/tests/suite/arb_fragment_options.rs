//! NV_fragment_program_option and NV_fragment_program2, run by the IR's interpreter: precision, condition codes, loops, calls.
//! Expected values are worked out from the texts of the specifications.

use crate::support::arb::{close, run};
use crate::support::errors;
use glasm_frontend::Code;
use glasm_ir::Semantic;

#[track_caller]
fn check_fragment(option: &str, statements: &str, expected: [f32; 4]) {
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
fn check_second_color(statements: &str, expected: [f32; 4]) {
    let statements = format!("{statements} MOV o, r;");
    check_fragment("NV_fragment_program2", &statements, expected);
}

#[test]
fn fixed_point_saturates() {
    let high = 2047.0 / 1024.0;
    check_fragment(
        "NV_fragment_program",
        "ADDX r, {1.5, -1.5, 0.5, 2}, {1.5, -1.5, 0.25, 0}; MOV o, r;",
        [high, -2.0, 0.75, high],
    );
    check_fragment(
        "NV_fragment_program",
        "MULXC_SAT r, {3, -3, 0.5, 1}, 1; MOV r (LE), 9; MOV o, r;",
        [1.0, 9.0, 0.5, 1.0],
    );
}

#[test]
fn codes_begin_as_equal() {
    check_fragment(
        "NV_fragment_program",
        "MOV r (EQ), 1; MOVC a.xy, {-1, 1}; MOV r.zw (EQ), 2; MOV r (LT.x), 3; MOV o, r;",
        [3.0, 3.0, 3.0, 3.0],
    );
}

#[test]
fn loops_run_their_count() {
    check_second_color("REP 2.7; ADD r, r, 1; ENDREP;", [2.0; 4]);
    check_second_color(
        "REP {-1}; ADD r, r, 1; ENDREP; REP 0; ADD r, r, 1; ENDREP;",
        [0.0; 4],
    );
    check_second_color("REP 255; ADD r, r, 1; ENDREP;", [255.0; 4]);
    check_second_color(
        "LOOP {3, 0, 1}; REP {2}; ADD r, r, 1; ENDREP; ENDLOOP;",
        [6.0; 4],
    );
    check_second_color(
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
    check_second_color(
        "MOVC a, {-1, 0, 1, 0}; IF LT.x; ADD r, r, 1; ELSE; ADD r, r, 2; ENDIF; IF GT.y; ADD r, r, 4; ENDIF; IF EQ.xxyy; ADD r, r, 8; ENDIF;",
        [9.0; 4],
    );
}

#[test]
fn calls_return() {
    check_fragment(
        "NV_fragment_program2",
        "CAL twice; CAL twice; MOV o, r; RET; twice: ADD r, r, 1; CAL once; RET; once: ADD r, r, 10; RET;",
        [22.0; 4],
    );
    // Conditions, and a return out of a block.
    check_fragment(
        "NV_fragment_program2",
        "MOVC a, -1; CAL f (GT.x); CAL f (LT.x); MOV o, r; RET; f: ADD r, r, 1; REP 3; RET (LT.x); ADD r, r, 100; ENDREP; RET;",
        [1.0; 4],
    );
}

#[test]
fn routines_fall_through() {
    // Running into `f` runs it; its RET then ends the program.
    check_fragment(
        "NV_fragment_program2",
        "CAL f; ADD r, r, 1; f: ADD r, r, 10; MOV o, r; RET; MOV o, 99;",
        [21.0; 4],
    );
    // `f` goes on into `g`, whose RET returns for it.
    check_fragment(
        "NV_fragment_program2",
        "CAL f; ADD r, r, 1; MOV o, r; RET; f: ADD r, r, 10; g: ADD r, r, 100; RET;",
        [111.0; 4],
    );
    // The end of the program ends it for callers too.
    check_fragment(
        "NV_fragment_program2",
        "CAL f; MOV o, 99; RET; f: ADD r, r, 10; MOV o, r;",
        [10.0; 4],
    );
}

#[test]
fn calls_that_exceed_the_stack_end_the_program() {
    // r counts the calls of `f`: 32 fit.
    check_fragment(
        "NV_fragment_program2",
        "CAL f; MOV o, 99; RET; f: ADD r, r, 1; MOV o, r; CAL f; MOV o, 98; RET;",
        [32.0; 4],
    );
    // Recursion that stops in time returns to everyone; loops keep their counts.
    check_fragment(
        "NV_fragment_program2",
        "CAL f; MOV o, r; RET; f: ADD r.x, r, 1; REP 2; SUBC a.x, r, 3; CAL f (LT.x); ADD r.y, r, 1; ENDREP; RET;",
        [3.0, 6.0, 0.0, 0.0],
    );
}

#[test]
fn main_runs_first() {
    check_fragment(
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
    second(&nested(64, "IF EQ.x; ", "ENDIF; "), &[]);
    second(&nested(64, "REP 1; ", "ENDREP; "), &[]);
    let (open, close) = ("REP 1; ".repeat(64), "ENDREP; ".repeat(65));
    second(&format!("{open}«REP 1»; {close}"), &[Code::LoopDepth]);
    let (open, close) = ("IF EQ.x; ".repeat(64), "ENDIF; ".repeat(65));
    second(&format!("{open}«IF EQ.x»; {close}"), &[Code::IfDepth]);
    second("«BRK»;", &[Code::BreakOutsideLoop]);
}

#[test]
fn suffixes_that_the_second_option_adds() {
    let program = |option: &str, statement: &str| {
        format!(
            "!!ARBfp1.0 OPTION {option}; TEMP r; MOV r, 1; {statement} MOV result.color, r; END"
        )
    };
    let statements = [
        "CMPC r, r, r, r;",
        "SCSH r.xy, r.x;",
        "SWZRC r, r, x, y, 0, 1;",
        "XPDHC_SSAT r.xyz, r, r;",
    ];
    for statement in statements {
        errors(&program("NV_fragment_program2", statement), &[]);
        let opcode = statement.split(' ').next().unwrap_or_default();
        let marked = statement.replacen(opcode, &format!("«{opcode}»"), 1);
        errors(
            &program("NV_fragment_program", &marked),
            &[Code::FeatureOption],
        );
    }
    for opcode in ["CMPR", "CMPX", "SCSX", "TEXR", "KILC"] {
        let statement = match opcode {
            "SCSX" => "«SCSX» r.xy, r.x;".to_owned(),
            "TEXR" => "«TEXR» r, r, texture[0], 2D;".to_owned(),
            "KILC" => "«KILC» r;".to_owned(),
            _ => format!("«{opcode}» r, r, r, r;"),
        };
        let text = program("NV_fragment_program2", &statement);
        errors(&text, &[Code::ModifierUnsupported]);
    }
}

#[test]
fn loop_indices_belong_to_loops() {
    let second = |statements: &str, codes: &[Code]| {
        let text = format!(
            "!!ARBfp1.0 OPTION NV_fragment_program2; TEMP r; PARAM p[] = {{ 1, 2 }}; {statements} MOV result.color, 0; END"
        );
        errors(&text, codes);
    };
    second(
        "LOOP 2; ATTRIB a = fragment.texcoord[A0.x + 9]; MOV r, a; REP 2; MOV r, fragment.texcoord[A0.x]; ENDREP; ENDLOOP;",
        &[],
    );
    // All sets count, and everything else fits beside them.
    second(
        "LOOP 2; MOV r, fragment.texcoord[A0.x]; ENDLOOP; ADD r, fragment.color, fragment.color.secondary; \
         ADD r, fragment.fogcoord, fragment.position; ADD r, fragment.facing, fragment.texcoord[7];",
        &[],
    );
    second(
        "LOOP 2; MOV r, fragment.texcoord[A0.x]; ENDLOOP; MOV r, «fragment.texcoord[A0.x]»;",
        &[Code::IndexVariable],
    );
    second(
        "LOOP 2; MOV r, fragment.texcoord[«A0.x + 10»]; ENDLOOP;",
        &[Code::IndexOffset],
    );
    second("LOOP 2; MOV r, p[«A0.x»]; ENDLOOP;", &[Code::IndexVariable]);
    second(
        "LOOP 2; MOV r, fragment.texcoord[«r.x»]; ENDLOOP;",
        &[Code::IndexVariable],
    );
    second("LOOP 2; MOV r, «A0»; ENDLOOP;", &[Code::AddressRegister]);
    second("TEMP «A0»;", &[Code::DuplicateName]);
}

#[test]
fn results_have_one_size() {
    let first = |statements: &str, codes: &[Code]| {
        let text = format!("!!ARBfp1.0 OPTION NV_fragment_program; TEMP r; {statements} END");
        errors(&text, codes);
    };
    let sizes = "SHORT OUTPUT s = result.color; LONG OUTPUT l = result.color;";
    first(
        &format!("{sizes} MOV s, 1; MOV «l.x», 1;"),
        &[Code::ResultSizes],
    );
    // Only what is written counts; bindings without declaration have no size.
    first(&format!("{sizes} MOV l, 1; MOV result.color.x, 2;"), &[]);
    first(
        "SHORT OUTPUT s = result.color; SHORT OUTPUT t = result.depth; MOV s, 1; MOV t, 1;",
        &[],
    );
    first(
        "RFL «r», 1, 2; MOV result.color, 1;",
        &[Code::ReflectionMask],
    );
    first(
        "TEMP SHORT, LONG, GT; MOV SHORT, 1; MOV result.color, SHORT;",
        &[],
    );
}
