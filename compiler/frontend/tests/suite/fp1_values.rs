//! Programs of NV_fragment_program: load errors by code and place, what they compute by the IR's interpreter, and what becomes of their
//! parameters. Expected values come from NV_fragment_program sections 3.11.2 to 3.11.5.

use crate::support::arb::{close, run};
use crate::support::errors;
use glasm_frontend::{Code, Source, translate};
use glasm_ir::{Op, ParamSource, Program, Semantic, StateParam};

const COLOR: Semantic = Semantic::FragColor {
    buffer: 0,
    index: 0,
};

#[track_caller]
fn lower_program(statements: &str) -> Program {
    let text = format!("!!FP1.0 {statements} END");
    let (program, diagnostics) = translate(&Source::new("test", &text));
    program.unwrap_or_else(|| panic!("{text}\n{:#?}", diagnostics.list))
}

/// Checks o[COLR], of which `statements` write all components.
#[track_caller]
fn check_color(statements: &str, expected: [f32; 4]) {
    let text = format!("!!FP1.0 {statements} END");
    close(&text, run(&text, COLOR), expected);
}

fn count_operations(program: &Program, wanted: Op) -> usize {
    program
        .insts
        .iter()
        .filter(|inst| inst.op == wanted)
        .count()
}

#[test]
fn programs_without_errors() {
    for statements in [
        "MOV o[COLR], f[COL0];",
        "OPTION ARB_fragment_coord_origin_upper_left; MOV o[DEPR].z, f[WPOS];",
        "DEFINE two = 2; DEFINE v = {two, -1, two}; DEFINE w = v; DECLARE a; DECLARE b = two; DECLARE c = w; MAD o[COLR], two, w, -v.x;",
        // Words that only look like those of the language.
        "DEFINE R32 = 1; DEFINE H64 = 2; DEFINE TEX16 = 3; DEFINE movx = 4; DEFINE MOVX_ = 5; DEFINE TEXR = 6; DEFINE $ = 7; ADD o[COLR], R32, $;",
        "DEFINE EQ = 1; DEFINE CUBE = 2; DECLARE x; MOVC RC.x, EQ; KIL EQ.x; TEX o[COLR], x, TEX0, CUBE;",
        "MAD o[COLH], p[0], -|p[ 0 ].wzyx|, p[0].y;",
        "MAD o[COLR], f[TEX0], -f[TEX0].x, |f[TEX0]|;",
        "MAD R0, R1, 2, -1; ADD o[COLR], {1, 2, 3, 4}, 4;",
        "PK2H R0.x, R1; PK4UB o[COLR], H0; UP2H H1, p[3].w; UP4B R2, f[TEX7].x;",
        "MOVC HC.x, R0; KIL GT; MOV o[COLR], R0;",
    ] {
        errors(&format!("!!FP1.0 {statements} END"), &[]);
    }
}

#[test]
fn names_are_declared_once_and_before_their_use() {
    let code = Code::UndeclaredName;
    errors("!!FP1.0 MOV o[COLR], -|«tint».x|; END", &[code]);
    errors(
        "!!FP1.0 DEFINE v = {1, «two»}; MOV o[COLR], v; END",
        &[code],
    );
    errors("!!FP1.0 MOV o[COLR], «R32»; END", &[code]);
    errors("!!FP1.0 MOV «CC», 1; MOV o[COLR], 1; END", &[code]);
    let code = Code::DuplicateName;
    errors(
        "!!FP1.0 DEFINE a = 1; DECLARE «a»; MOV o[COLR], a; END",
        &[code],
    );
    let code = Code::ReservedName;
    for word in [
        "MOVXC_SAT",
        "DECLARE",
        "H63",
        "TEX15",
        "HC",
        "f",
        "p",
        "KIL",
    ] {
        errors(
            &format!("!!FP1.0 DEFINE «{word}» = 1; MOV o[COLR], 1; END"),
            &[code],
        );
    }
    errors(
        "!!FP1.0 DECLARE a; DEFINE b = «a»; MOV o[COLR], b; END",
        &[Code::UnexpectedToken],
    );
    errors(
        "!!FP1.0 DECLARE a; DEFINE b = {1, «a»}; MOV o[COLR], 1; END",
        &[Code::UnexpectedToken],
    );
}

#[test]
fn instructions_read_one_parameter_or_four_numbers() {
    let code = Code::TwoParameters;
    errors("!!FP1.0 ADD o[COLR], p[0], «p[1]»; END", &[code]);
    errors("!!FP1.0 MAD o[COLR], R0, p[0].x, -|«2»|; END", &[code]);
    errors("!!FP1.0 ADD o[COLR], {1, 2, 3, 4}, |«- 4»|; END", &[code]);
    errors(
        "!!FP1.0 ADD o[COLR], {1, 2, 3, 4}, -«{ 5 }».x; END",
        &[code],
    );
    errors(
        "!!FP1.0 DEFINE v = {2, 3}; ADD o[COLR], v, -«{4}»; END",
        &[code],
    );
    errors(
        "!!FP1.0 ADD o[COLR], f[COL0], -«f[COL1]».x; END",
        &[Code::TwoAttributes],
    );
}

#[test]
fn components_of_operands() {
    errors(
        "!!FP1.0 DEFINE two = 2; RCP o[COLR], two«.»x; END",
        &[Code::UnexpectedToken],
    );
    errors(
        "!!FP1.0 DECLARE two = 2; RCP o[COLR], -|«two»|; END",
        &[Code::ScalarSuffix],
    );
    errors("!!FP1.0 RCP o[COLR], «{2}»; END", &[Code::ScalarSuffix]);
}

#[test]
fn registers_and_units() {
    let code = Code::BindingRange;
    errors("!!FP1.0 MOV o[COLR], «p[4096]»; END", &[code]);
    let code = Code::UnknownRegister;
    errors("!!FP1.0 MOV o[COLR], «f[TEX8]».x; END", &[code]);
    errors("!!FP1.0 MOV «o[HPOS]».x, R0; MOV o[COLR], R0; END", &[code]);
    let code = Code::TextureRange;
    errors("!!FP1.0 TEX o[COLR], R0, «TEX16», 2D; END", &[code]);
    let code = Code::TextureExpected;
    errors("!!FP1.0 TEX o[COLR], R0, «texture»[0], 2D; END", &[code]);
    let code = Code::TargetUnknown;
    errors("!!FP1.0 TEX o[COLR], R0, TEX0, «SHADOW2D»; END", &[code]);
    let code = Code::WriteReadOnly;
    errors("!!FP1.0 MOV «p[3]».x, R0; MOV o[COLR], R0; END", &[code]);
    let code = Code::ReadResult;
    errors("!!FP1.0 MOV o[COLR], -|«RC».x|; END", &[code]);
    let code = Code::PackShort;
    errors("!!FP1.0 PK2H «o[COLH]».x, R0; END", &[code]);
    errors("!!FP1.0 UP2H o[COLR], -«H0».x; END", &[code]);
    let code = Code::ReflectionMask;
    errors("!!FP1.0 RFL R0.«xw», R1, R2; MOV o[COLR], R0; END", &[code]);
    let code = Code::OperandNotVariable;
    errors("!!FP1.0 MOV o[COLR], «TEX0»; END", &[code]);
}

#[test]
fn what_the_language_lacks() {
    let code = Code::UnexpectedToken;
    errors(
        "!!FP1.0 main«:» MOV o[COLR], R0; MOV o[COLR], R0; END",
        &[code],
    );
    errors("!!FP1.0 KIL «(»EQ); MOV o[COLR], R0; END", &[code]);
    errors("!!FP1.0 KIL «R0»; MOV o[COLR], R0; END", &[Code::CondTest]);
    errors(
        "!!FP1.0 «BRA» a; MOV o[COLR], R0; END",
        &[Code::FeatureStage],
    );
    let code = Code::UnknownOpcode;
    for word in ["ADDCR", "ADD_SSAT", "ADDC0", "TXB", "CMP", "TEMP"] {
        let text = format!("!!FP1.0 «{word}» R0, R1, TEX0, 2D; MOV o[COLR], R0; END");
        errors(&text, &[code]);
    }
    let code = Code::ModifierUnsupported;
    errors("!!FP1.0 «COSX» o[COLR], R0.x; END", &[code]);
    errors("!!FP1.0 «PK2HC» o[COLR], R0; END", &[code]);
}

#[test]
fn results_of_a_program() {
    errors("!!FP1.0 MOV R0, 1; END", &[Code::NoResult]);
    errors(
        "!!FP1.0 MOV o[COLR].x, 1; MOV «o[COLH]».y, 1; MOV o[COLR], 1; END",
        &[Code::ResultSizes],
    );
    let temporaries: String = (0..31)
        .map(|number| format!("MOV R{number}, 1; "))
        .collect();
    errors(&format!("!!FP1.0 {temporaries} MOV o[COLR], 1; END"), &[]);
    errors(
        &format!("!!FP1.0 {temporaries} MOV H0, 1; MOV o[COLH], 1; END"),
        &[],
    );
    errors(
        &format!("!!FP1.0 {temporaries} MOV H0, 1; MOV o[COLR], 1; END"),
        &[Code::TooManyTemporaries],
    );
}

#[test]
fn constants() {
    check_color("DEFINE two = 2; MOV o[COLR], -two;", [-2.0; 4]);
    check_color("MOV o[COLR], {2};", [2.0, 0.0, 0.0, 1.0]);
    check_color(
        "DEFINE two = 2; DEFINE v = {two, -3, two}; MOV o[COLR], -v.wzyx;",
        [-1.0, -2.0, 3.0, -2.0],
    );
    check_color("DEFINE half = -0.5; POW o[COLR], 4, half;", [0.5; 4]);
    check_color(
        "MOV R0, p[3]; ADD o[COLR], R0, p[4095].x;",
        [4098.0, 4098.25, 4098.5, 4098.75],
    );
}

#[test]
fn precisions() {
    let infinity = f32::INFINITY;
    // 2049 lies between two numbers of 11 bits, and 1 / 3 has 10 of them behind the first.
    check_color("MOVH R0, 2049; MOV o[COLR], R0;", [2048.0; 4]);
    check_color(
        "MOV H0, {2049, 65520, 1.000732421875, -0.25}; MOV o[COLR], H0;",
        [2048.0, infinity, 1.0009766, -0.25],
    );
    check_color(
        "MOVX o[COLR], {3, -3, 0.3330078125, 0.0004};",
        [2047.0 / 1024.0, -2.0, 341.0 / 1024.0, 0.0],
    );
    // By the destination, unless a suffix says otherwise: 2049 + 2049 at 32 bits is a number of half precision.
    check_color(
        "MOV R0, 2049; ADD H0, R0, R0; MOV o[COLR], H0;",
        [4096.0; 4],
    );
    check_color(
        "MOV R0, 2049; ADDR H0, R0, R0; MOV o[COLR], H0;",
        [4096.0; 4],
    );
    check_color(
        "MOV R0, 2049; MADR H0, R0, 2, R0; MOV o[COLR], H0;",
        [6148.0; 4],
    );
    check_color(
        "MOV R0, 2049; MAD H0, R0, 2, R0; MOV o[COLR], H0;",
        [6144.0; 4],
    );
    // The clamp comes before the conversion, codes are those of what is stored.
    check_color("MOVR_SAT H0, 0.99999; MOV o[COLR], H0;", [1.0; 4]);
    check_color(
        "MOV R0, 2; MOVRC HC, 1e-9; MOV R0 (EQ), 3; MOV o[COLR], R0;",
        [3.0; 4],
    );
    // The attributes of the test are (1, -2, 0.5, 4).
    check_color("MULX o[COLR], f[TEX0], 4;", [4.0, -8.0, 2.0, 16.0]);
    // At fixed point 4 is the largest number, 2047 / 1024, whose half is a tie.
    let most = 2047.0 / 1024.0;
    check_color(
        "MULX o[COLR], f[COL0], 4;",
        [most, -2.0, 1024.0 / 1024.0, most],
    );
}

#[test]
fn full_precision_takes_no_conversions() {
    let plain = lower_program("MAD R0, f[TEX0], p[0], R1; MOV H0, f[COL0]; MULR o[COLR], H0, R0;");
    assert_eq!(count_operations(&plain, Op::RoundHalf), 1);
    assert_eq!(count_operations(&plain, Op::RoundFixed), 0);
    // Operands of half precision are not converted again, and comparisons give numbers that every format has.
    let half = lower_program("ADD H0, H1, H2; SLT H3, H0, H1; MOVX o[COLH], H3;");
    assert_eq!(count_operations(&half, Op::RoundHalf), 1);
    assert_eq!(count_operations(&half, Op::RoundFixed), 1);
}

#[test]
fn parameters_are_resolved_one_by_one() {
    let found = lower_program("MOV R0, p[4095]; ADD R0, R0, p[1]; ADD o[COLR], R0, p[4095].x;");
    let sources: Vec<_> = found.params.iter().map(|param| param.source).collect();
    assert_eq!(sources, [ParamSource::Local(4095), ParamSource::Local(1)]);
}

#[test]
fn fog_has_zeros() {
    check_color("MOV o[COLR], f[FOGC];", [1.0, 0.0, 0.0, 0.0]);
    check_color(
        "ADD R0, 1, f[FOGC]; MOV o[COLR], R0.wzyx;",
        [1.0, 1.0, 1.0, 2.0],
    );
}

#[test]
fn depths_have_bounds() {
    let found = lower_program("MOV o[DEPR].z, f[WPOS].x;");
    let bounds = ParamSource::State(StateParam::DepthBounds);
    assert!(found.params.iter().any(|param| param.source == bounds));
    assert!(found.modes.unclipped_depth && found.modes.transparent_missing_textures);
    assert_eq!(count_operations(&found, Op::Demote), 1);
    let found = lower_program("MOV o[COLR], f[WPOS];");
    assert!(found.params.is_empty() && !found.modes.unclipped_depth);
}
