//! Where errors of TGSI texts are: the marked places, in the order of the text.

use crate::support::{accepted, errors};
use glasm_frontend::{Code, Source, translate};

/// A vertex program with these statements.
fn make_vertex_program(statements: &str) -> String {
    format!("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..1]\n{statements}\nEND\n")
}

#[test]
fn operands() {
    for (statement, code) in [
        ("MOV TEMP[0], «NOTHING»[0]", Code::RegisterFile),
        ("MOV «TEMP0»[0], IN[0]", Code::RegisterFile),
        ("MOV TEMP«,» IN[0]", Code::RegisterIndex),
        ("MOV TEMP[«65536»], IN[0]", Code::IndexOutOfBounds),
        ("MOV TEMP[0].«yx», IN[0]", Code::MaskOrder),
        ("MOV TEMP[0], IN[0].«xyzq»", Code::SwizzleLetters),
        ("MOV TEMP[0], IN[0].«xy»", Code::SwizzleLetters),
        ("MOV TEMP[0], «|»IN[0]", Code::Bars),
        ("MOV «IN[0]», TEMP[0]", Code::WriteReadOnly),
        ("MOV TEMP[0], «CONST[7]»", Code::UndeclaredRegister),
        ("MOV TEMP[0], «IMM[0]»", Code::UndeclaredRegister),
        ("MOV TEMP[0], IN[0]«,» IN[0]", Code::ExtraOperand),
        ("«ADD» TEMP[0], IN[0] NOP", Code::MissingOperand),
        ("«MOOV» TEMP[0], IN[0]", Code::UnknownOpcode),
        ("«KILL»", Code::FeatureStage),
        ("«SUB» TEMP[0], IN[0], IN[0]", Code::OldLanguage),
        ("TEX TEMP[0], IN[0], SAMP[0], «2E»", Code::TargetUnknown),
    ] {
        errors(&make_vertex_program(statement), &[code]);
    }
}

#[test]
fn several_errors_are_reported() {
    let text = "MOV TEMP[0], «NOTHING»[0]\nMOV TEMP[1], IN[0].«q»\nADD TEMP[0], IN[0], IN[0]";
    errors(
        &make_vertex_program(text),
        &[Code::RegisterFile, Code::SwizzleLetters],
    );
}

#[test]
fn a_broken_declaration_declares() {
    let text = "VERT\nDCL IN[0]\nDCL OUT[0], «POSITON»\nMOV OUT[0], IN[0]\nEND\n";
    errors(text, &[Code::Declaration]);
}

#[test]
fn immediates() {
    for (statement, code) in [
        ("IMM[«1»] FLT32 {0, 0, 0, 0}", Code::ImmediateOrder),
        ("IMM[0] «FLT16» {0, 0, 0, 0}", Code::Immediate),
        ("IMM[0] FLT32 {0, 0, 0«}»", Code::Immediate),
        ("IMM[0] FLT32 {0, 0, 0, 0, «0»}", Code::Immediate),
        ("IMM[0] FLT64 {0«}»", Code::Immediate),
        ("IMM[0] FLT32 {«1.x», 0, 0, 0}", Code::BadNumber),
        ("IMM[0] UINT32 {«-1», 0, 0, 0}", Code::NegativeUnsigned),
        (
            "IMM[0] UINT32 {«4294967296», 0, 0, 0}",
            Code::LiteralTooLarge,
        ),
        (
            "IMM[0] INT32 {«2147483648», 0, 0, 0}",
            Code::LiteralTooLarge,
        ),
        (
            "IMM[0] UINT64 {«18446744073709551616», 0}",
            Code::LiteralTooLarge,
        ),
        ("IMM[0] INT64 {0, «09»}", Code::BadNumber),
        ("IMM[0] INT64 {0, «-09»}", Code::BadNumber),
    ] {
        errors(&make_vertex_program(statement), &[code]);
    }
}

#[test]
fn numbers_of_immediates() {
    for (immediate, words) in [
        (
            "FLT32 {1.5, -0.0, 0x3f800000, 1e1}",
            "{0x3fc00000, 0x80000000, 0x3f800000, 0x41200000}",
        ),
        (
            "UINT32 {4294967295, 0x10, 1, 2}",
            "{0xffffffff, 0x10, 1, 2}",
        ),
        (
            "INT32 {-1, 0x80000000, 1, 2}",
            "{0xffffffff, 0x80000000, 1, 2}",
        ),
        (
            "FLT64 {1.0, 0x00000000, 0x40000000}",
            "{0, 0x3ff00000, 0, 0x40000000}",
        ),
        ("INT64 {-2, 010}", "{0xfffffffe, 0xffffffff, 8, 0}"),
        // `strtoll` reads a sign before any base: -8, and 8 once more.
        ("INT64 {-010, +010}", "{0xfffffff8, 0xffffffff, 8, 0}"),
        ("INT64 {-0x10, +0x10}", "{0xfffffff0, 0xffffffff, 0x10, 0}"),
        ("UINT64 {+010, 00}", "{8, 0, 0, 0}"),
        ("UINT64 {0x100000002, 3}", "{2, 1, 3, 0}"),
    ] {
        let text = make_vertex_program(&format!("IMM[0] {immediate}\nMOV OUT[0], IMM[0]"));
        let (program, diagnostics) = translate(&Source::new("test", &text));
        assert!(
            diagnostics.list.is_empty(),
            "{immediate}: {:?}",
            diagnostics.list
        );
        let words: Vec<u64> = words
            .trim_matches(['{', '}'])
            .split(", ")
            .map(|word| match word.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
                None => word.parse().unwrap(),
            })
            .collect();
        let program = program.unwrap();
        let mut literals = program.literals.iter();
        assert!(
            literals.any(|literal| literal[..] == words[..]),
            "{immediate}\n{program}"
        );
    }
}

#[test]
fn properties() {
    for (statement, code) in [
        ("PROPERTY VS_PROHIBIT_UCPS «2»", Code::PropertyValue),
        ("PROPERTY VS_PROHIBIT_UCPS «x»", Code::PropertyValue),
        ("PROPERTY NUM_CLIPDIST_ENABLED «9»", Code::PropertyValue),
        ("PROPERTY NEXT_SHADER «NONE»", Code::PropertyValue),
    ] {
        errors(&make_vertex_program(statement), &[code]);
    }
    accepted(
        &make_vertex_program("PROPERTY «NO_PROPERTY» 1"),
        &[Code::PropertyUnknown],
    );
    accepted(
        &make_vertex_program("PROPERTY «FS_COORD_ORIGIN UPPER_LEFT»"),
        &[Code::PropertyValue],
    );
    errors("GEOM\nEND\n", &[Code::DeclarationMissing; 3]);
    errors("TESS_CTRL\nEND\n", &[Code::DeclarationMissing]);
    errors(
        "TESS_EVAL\nPROPERTY TES_PRIM_MODE «2»\nEND\n",
        &[Code::PropertyValue, Code::DeclarationMissing],
    );
}

#[test]
fn blocks() {
    for (statement, code) in [
        ("«ENDIF»", Code::BlockMismatch),
        ("«BRK»", Code::BreakOutsideLoop),
        ("«UIF TEMP[0].xxxx»", Code::BlockOpen),
        ("CAL «:7»", Code::UndefinedLabel),
    ] {
        errors(&make_vertex_program(statement), &[code]);
    }
    let recursive = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n0: CAL :2\n1: END\n2: BGNSUB\n3: CAL «:2»\n4: ENDSUB\n";
    errors(recursive, &[Code::RecursiveCall]);
    // Nothing calls either of them. The call that closes the circle is the error.
    let pair = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n0: MOV OUT[0], IN[0]\n1: END\n2: BGNSUB\n3: CAL :5\n4: ENDSUB\n5: BGNSUB\n6: CAL «:2»\n7: ENDSUB\n";
    errors(pair, &[Code::RecursiveCall]);
}

/// The subroutine that is not closed is the error, or, if it is closed later, END.
#[test]
fn end_inside_of_a_subroutine() {
    for text in [
        "VERT\nEND\nBGNSUB\nNOP\n«END»\nENDSUB\n",
        "VERT\nEND\nBGNSUB\nNOP\n«END»\nEND\nENDSUB\nBGNSUB\nENDSUB\n",
        "COMP\nBGNSUB\nNOP\n«END»\nENDSUB\nEND\n",
        "COMP\nDCL TEMP[0]\nBGNSUB\n«END» MOV TEMP[0], TEMP[0]\nENDSUB\nEND\n",
    ] {
        errors(text, &[Code::BlockMismatch]);
    }
    errors("VERT\nEND\n«BGNSUB»\nEND\n", &[Code::BlockOpen]);
    errors(
        "VERT\nEND\nBGNSUB\n«END»\nENDSUB\n«BGNSUB»\n",
        &[Code::BlockMismatch, Code::BlockOpen],
    );
}

#[test]
fn ranges_of_constants_do_not_overlap() {
    let text = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0][5]\nDCL «CONST[0][0..9]»\nDCL «CONST[0][1..2]»\nDCL CONST[1][1..2]\nDCL CONST[0][10]\nDCL «CONST[0][9..10]»\nMOV OUT[0], CONST[0][3]\nEND\n";
    errors(text, &[Code::RegisterTwice; 3]);
}
