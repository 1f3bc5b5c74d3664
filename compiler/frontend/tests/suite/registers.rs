//! Programs that name registers: what they may write, and code and place of what they may not. NV_vertex_program section 2.14.1,
//! NV_vertex_program2 sections 2.14.1 and 2.14.3, NV_fragment_program sections 3.11.1 to 3.11.4.

use crate::support::errors;
use glasm_frontend::Code;

/// The same errors under both headers of older vertex programs.
#[track_caller]
fn check_vertex(body: &str, codes: &[Code]) {
    for header in ["!!VP1.0", "!!VP1.1"] {
        errors(&format!("{header} {body} MOV o[HPOS], v[0]; END"), codes);
    }
}

#[track_caller]
fn check_vertex_2(body: &str, codes: &[Code]) {
    errors(&format!("!!VP2.0 {body} MOV o[HPOS], v[0]; END"), codes);
}

#[track_caller]
fn check_fragment(body: &str, codes: &[Code]) {
    errors(&format!("!!FP1.0 {body} MOV o[COLR], f[COL0]; END"), codes);
}

#[test]
fn programs_without_errors() {
    for body in [
        "",
        "MOV R11.xw, -c[95].wzyx; DP4 R0, v[15], R1; ADD R0, c[1], c[1].x; MUL R0, v[OPOS], v[0];",
        "ARL A0.x, v[TEX7].y; MAD o[TEX7].y, c[A0.x], c[A0.x + 0].x, R0; MOV R1, c[ A0.x-64 ]; MOV R1, c[A0.x+63];",
        "RCP R0, R1.x; RSQ o[PSIZ].x, -R2.w; EXP o[FOGC].x, c[0].z; LIT o[BFC1], R0; DST o[COL0], R0, R1;",
    ] {
        check_vertex(body, &[]);
    }
    check_vertex_2(
        "main: ARL A1.xw, c[255]; MOVC CC, |R15|; ADD R0.xy (GT.wzyx), -|R1|, +R2; CAL s (NE.x); BRA e (TR); s: ARAC A0, A1; RET (FL); \
         e: MOV o[CLP5].x, c[A1.w-256]; MOV R0, c[A0.y+255];",
        &[],
    );
    check_fragment(
        "DEFINE two = 2; DECLARE d = {1, two}; ADDHC_SAT H63.xy (LE.x), -|d|, R31; TXP R0, f[TEX7], TEX15, CUBE; MOVX RC, two; \
         MULR o[DEPR].z, R1, 0.5; KIL GT.wzyx; PK2H R0.x, H1; MADX H0, {1}, -4, R0; MOV R1, p[3];",
        &[],
    );
}

/// Each letter is a token of its own. NV_vertex_program section 2.14.1.7.
#[test]
fn letters_may_stand_apart() {
    check_vertex(
        "MOV R0 . x y z, R1 . w # in between\n z y x; MOV o[COL1].x y, R0.xx y y; RCP R0, R1 . x;",
        &[],
    );
    check_fragment("MOV R0 . x y z, R1 . w z y x;", &[]);
}

#[test]
fn blanks_and_comments_may_stand_before_the_header() {
    errors(" # a comment\n\t!!VP1.0 MOV o[HPOS], v[0]; END", &[]);
    errors("\n!!FP1.0 MOV o[COLR], f[COL0]; END", &[]);
    errors("«!!VP1.2» END", &[Code::HeaderUnknown]);
}

#[test]
fn registers_have_words() {
    for body in [
        "MOV R0, «v[TEX8]»;",
        "MOV R0, «v[opos]»;",
        "MOV «o[HPO]», R0;",
        "MOV R0, «r0»;",
        "MOV R0, «temp»;",
        "MOV R0, «Q1»;",
        "MOV R0, «R01»;",
    ] {
        check_vertex(body, &[Code::UnknownRegister]);
    }
}

#[test]
fn registers_have_numbers() {
    for body in ["MOV R0, «v[16]»;", "MOV R0, «c[96]»;", "MOV «R12», R0;"] {
        check_vertex(body, &[Code::BindingRange]);
    }
    check_vertex_2("MOV R0, «c[256]»;", &[Code::BindingRange]);
    check_vertex_2("MOV «R16», R0;", &[Code::BindingRange]);
    check_fragment("MOV R0, «p[4096]»;", &[Code::BindingRange]);
}

#[test]
fn numbers_of_registers_are_decimal() {
    check_vertex("MOV R0, v[«0x5»];", &[Code::BadNumber]);
    check_vertex("MOV R0, c[«1.0»];", &[Code::BadNumber]);
    check_vertex("MOV R0, c[«1e1»];", &[Code::BadNumber]);
}

#[test]
fn addresses_are_indices_of_parameters_alone() {
    check_vertex("MOV R0, v[«A0.x»];", &[Code::AddressRegister]);
    check_vertex("MOV R0, «A0.x»;", &[Code::AddressRegister]);
    check_vertex("MOV R0, c[«A0.y»];", &[Code::AddressRegister]);
    check_vertex_2("ARL «A2», R0;", &[Code::AddressRegister]);
}

#[test]
fn offsets_have_a_range() {
    check_vertex(
        "ARL A0.x, R0.x; MOV R0, c[«A0.x+64»];",
        &[Code::IndexOffset],
    );
    check_vertex(
        "ARL A0.x, R0.x; MOV R0, c[«A0.x-65»];",
        &[Code::IndexOffset],
    );
    check_vertex_2("ARL A0.x, R0; MOV R0, c[«A0.x+256»];", &[Code::IndexOffset]);
}

#[test]
fn an_instruction_reads_one_parameter_and_one_attribute() {
    check_vertex("ADD R0, c[0], «c[1]»;", &[Code::TwoParameters]);
    check_vertex("ADD R0, v[0], -«v[1]».x;", &[Code::TwoAttributes]);
    check_vertex(
        "MAD R0, v[0], c[0], «v[1]»; MAD R0, v[0], v[OPOS], c[2];",
        &[Code::TwoAttributes],
    );
    check_vertex(
        "ARL A0.x, R0.x; ADD R0, c[A0.x+1], «c[A0.x+2]»;",
        &[Code::TwoParameters],
    );
    check_vertex(
        "ARL A0.x, R0.x; ADD R0, c[A0.x], «c[0]»;",
        &[Code::TwoParameters],
    );
    check_fragment("ADD R0, f[TEX0], «f[TEX1]»;", &[Code::TwoAttributes]);
    check_fragment("ADD R0, p[0], «p[1]»;", &[Code::TwoParameters]);
    check_fragment(
        "MAD R0, {1, 2, 3, 4}, {4, 3, 2, 1}, «5»;",
        &[Code::TwoParameters],
    );
}

#[test]
fn results_are_written_and_inputs_are_read() {
    check_vertex("MOV R0, «o[COL0]»;", &[Code::ReadResult]);
    check_vertex("MOV «v[1]», R0;", &[Code::WriteReadOnly]);
    check_vertex("MOV «c[1]», R0;", &[Code::WriteReadOnly]);
    check_fragment("MOV «f[TEX0]», R0;", &[Code::WriteReadOnly]);
}

#[test]
fn the_position_is_written() {
    errors("!!VP1.0 MOV o[COL0], v[0]; END", &[Code::PositionMissing]);
    errors("!!VP1.1 MOV o[COL0], v[0]; END", &[Code::PositionMissing]);
    errors(
        "!!VP1.1 OPTION NV_position_invariant; MOV o[COL0], v[0]; END",
        &[],
    );
    errors(
        "!!VP1.1 OPTION NV_position_invariant; MOV «o[HPOS]», v[0]; END",
        &[Code::PositionInvariant],
    );
    errors("!!FP1.0 MOV R0, f[TEX0]; END", &[Code::NoResult]);
}

#[test]
fn newer_constructs_name_their_version() {
    errors(
        "!!VP1.0 «SUB» R0, R1, R2; MOV o[HPOS], v[0]; END",
        &[Code::FeatureNewer],
    );
    errors("!!VP1.1 SUB R0, R1, R2; MOV o[HPOS], v[0]; END", &[]);
    errors(
        "!!VP1.0 MOV R0, «+»R1; MOV o[HPOS], v[0]; END",
        &[Code::FeatureNewer],
    );
    for body in [
        "«SIN» R0, R1.x;",
        "«MOVC» R0, R1;",
        "MOV R0 «(»GT), R1;",
        "MOV R0, «|R1|»;",
        "MOV «CC», R1;",
        "MOV «o[CLP0]», R1;",
        "«sub»: MOV R0, R1;",
    ] {
        check_vertex(body, &[Code::FeatureNewer]);
    }
}

#[test]
fn letters_of_components() {
    check_vertex("MOV R0, R1.«xy»;", &[Code::SwizzleLength]);
    check_vertex("MOV R0.«yx», R1;", &[Code::MaskOrder]);
    check_vertex("RCP R0, «R1»;", &[Code::ScalarSuffix]);
}

#[test]
fn labels() {
    check_vertex_2("BRA «nowhere»;", &[Code::UndefinedLabel]);
    check_vertex_2("a: MOV R0, R1; «a»: MOV R0, R1;", &[Code::DuplicateLabel]);
}
