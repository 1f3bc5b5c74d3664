//! Tests of the trees that programs are parsed to.

use super::*;
use crate::header;
use crate::source::Source;
use crate::tgsi::ast::{IndexPosition, StatementKind};
use crate::tgsi::declaration_tables::RegisterFile;

/// Parses a fragment program of shipped programs' form.
fn with_ast<T>(text: &str, inspect: impl FnOnce(&Ast<'_>) -> T) -> T {
    let text = format!("FRAG\n{text}");
    let start = header::parse_header(&Source::new("a", text.as_str())).expect("a header");
    inspect(&parse(&start, Ast::default()))
}

/// Returns the dynamic indices of a program: files, arrays, and position among two indices.
fn parse_dynamic_indices(text: &str) -> Vec<(RegisterFile, u32, IndexPosition)> {
    let mut found = with_ast(text, |ast| {
        assert!(
            ast.syntax_errors.is_empty(),
            "{text}: {:?}",
            ast.syntax_errors
        );
        let found = ast.dynamic_indices.iter();
        let found = found.map(|it| (it.file, it.array, it.position));
        found.collect::<Vec<_>>()
    });
    found.sort_unstable_by_key(|&(_, array, position)| (position, array));
    found
}

#[test]
fn constant_indices_are_not_dynamic() {
    for text in [
        "MOV TEMP[0], IN[1]",
        "MOV TEMP[0](1), CONST[1][2]",
        "DCL IN[][0], POSITION",
        "DCL OUT[0..1], ARRAY(1), GENERIC[2]",
        "MOV TEMP[-1].x, -|IMM[0].xyzw|",
        "LOAD TEMP[0], MEMORY[ 0 ], TEMP[1]",
    ] {
        assert_eq!(parse_dynamic_indices(text), [], "{text}");
    }
}

#[test]
fn elements_of_files_are_dynamically_indexed() {
    for text in [
        "MOV TEMP[ADDR[0].x], IN[0]",
        "MOV TEMP[ADDR[0]], IN[0]",
        "MOV TEMP[ADDR[0].x+2].xy, IN[0]",
        "MOV TEMP [ ADDR [ 0 ] . x - 2 ] , IN[0]",
        "mov temp[addr[0].x], in[0]",
        "ADD OUT[0], -|TEMP[TEMP[1].w+1]|, TEMP[3]",
    ] {
        let expected = [(RegisterFile::Temp, 0, IndexPosition::Inner)];
        assert_eq!(parse_dynamic_indices(text), expected, "{text}");
    }
}

#[test]
fn arrays_are_dynamically_indexed() {
    for text in [
        "MOV TEMP[ADDR[0].x](3), IN[0]",
        "MOV TEMP[ADDR[0].x]( 3 ).x, IN[0]",
        "MOV TEMP[ADDR[0].x+1](3).xyzw, IN[0]",
    ] {
        let expected = [(RegisterFile::Temp, 3, IndexPosition::Inner)];
        assert_eq!(parse_dynamic_indices(text), expected, "{text}");
    }
}

#[test]
fn both_of_two_indices_are_dynamic() {
    let outer = (RegisterFile::Const, 0, IndexPosition::Outer);
    assert_eq!(
        parse_dynamic_indices("MOV TEMP[0], CONST[ADDR[0].x] [ 1 ]"),
        [outer]
    );
    let outer = (RegisterFile::In, 0, IndexPosition::Outer);
    assert_eq!(
        parse_dynamic_indices("MOV TEMP[0], IN[ADDR[0].x](2)[1]"),
        [outer]
    );
    let element = (RegisterFile::In, 2, IndexPosition::Inner);
    assert_eq!(
        parse_dynamic_indices("MOV TEMP[0], IN[1](1)[ADDR[0].x](2)"),
        [element]
    );
    let both = [outer, (RegisterFile::In, 1, IndexPosition::Inner)];
    assert_eq!(
        parse_dynamic_indices("MOV OUT[0], IN[ADDR[0].x][ADDR[1].x+1](1)"),
        both
    );
}

/// Returns the kinds of the statements of a program, and the messages of their syntax errors.
fn describe_statements(text: &str) -> Vec<(&'static str, Option<String>)> {
    with_ast(text, |ast| {
        let statements = ast.statements.iter().map(|statement| {
            let kind = match statement.kind {
                StatementKind::Broken => "broken",
                StatementKind::UnknownOpcode(_) => "unknown",
                StatementKind::Declaration { .. } => "declaration",
                StatementKind::Immediate { .. } => "immediate",
                StatementKind::Property(_) | StatementKind::UnknownProperty(_) => "property",
                StatementKind::Inst(id) => ast.insts[id as usize].opcode_row.name,
            };
            let failure = statement
                .syntax_error
                .map(|id| ast.syntax_errors[id as usize]);
            (kind, failure.map(|failure| failure.describe(ast.text).1))
        });
        statements.collect()
    })
}

#[test]
fn a_line_may_have_several_statements() {
    let expected = [
        ("declaration", None),
        ("immediate", None),
        ("MOV", None),
        ("END", None),
    ];
    let text = "DCL OUT[0], COLOR IMM[0] FLT32 {1, 0, 0, 1} 0: MOV OUT[0], IMM[0] 1:END";
    assert_eq!(describe_statements(text), expected);
}

#[test]
fn parsing_resumes_at_the_next_number_or_line() {
    let message = Some("expected `[`, found `0`".to_owned());
    let broken = ("MOV", message);
    let end = ("END", None);
    let expected = [broken.clone(), end.clone()];
    assert_eq!(
        describe_statements("0: MOV TEMP 0], IN[0] 1: END"),
        expected
    );
    assert_eq!(describe_statements("MOV TEMP 0], IN[0] NOP\nEND"), expected);
}

#[test]
fn the_span_of_an_instruction_has_its_operands() {
    let spans = with_ast("MOV_SAT OUT[0].xy , -|TEMP[1].xyzw| # comment\n", |ast| {
        let spans = ast.insts.iter().map(|inst| {
            let text = String::from_utf8_lossy(&ast.text[inst.span.range()]);
            text.into_owned()
        });
        spans.collect::<Vec<_>>()
    });
    assert_eq!(spans, ["MOV_SAT OUT[0].xy , -|TEMP[1].xyzw|"]);
}
