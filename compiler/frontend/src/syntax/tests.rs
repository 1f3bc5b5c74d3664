//! Tests of the parser alone: the tree that it builds from a source, before any rule is checked.

use super::{SyntaxMemory, parse};
use crate::ast::{
    ArraySize, Ast, DeclItem, DeclKind, ExtraPart, Index, OperandBase, PathBracket, Signs,
    Statement, Suffix, TexelOffsetArg,
};
use crate::codes::Code;
use crate::source::Source;
use crate::{Diagnostics, header};
use glasm_ir::{Swizzle, WriteMask};

/// Parses a program without syntax errors.
fn parsed(text: &str) -> Ast<'_> {
    let (ast, diagnostics) = parsed_with_errors(text);
    assert!(diagnostics.list.is_empty(), "{:?}", diagnostics.list);
    ast
}

fn parsed_with_errors(text: &str) -> (Ast<'_>, Diagnostics) {
    let start = header::parse_header(&Source::new("test", text)).expect("a known header");
    let parsed = parse(start, &mut SyntaxMemory::default());
    (parsed.ast, parsed.reports.finish())
}

/// Returns the source of a span.
fn source<'s>(ast: &Ast<'s>, span: glasm_ir::Span) -> &'s str {
    std::str::from_utf8(&ast.text[span.range()]).expect("ASCII")
}

#[test]
fn statements_are_in_source_order() {
    let ast = parsed("!!NVfp4.0\nOPTION NV_shadow;\nTEMP a, b[2];\nmain:\nMOV a, b[1];\nEND");
    let kinds: Vec<&str> = ast.statements.iter().map(kind).collect();
    assert_eq!(kinds, ["option", "declaration", "label", "instruction"]);
    assert_eq!(ast.inst_count, 1);
    let decl = ast.decls[0];
    assert_eq!(decl.kind, DeclKind::Temp);
    let [
        DeclItem::Name(a, ArraySize::NotArray, _),
        DeclItem::Name(b, ArraySize::Sized(2, size), _),
    ] = *ast.items(&decl)
    else {
        panic!("{:?}", ast.items(&decl));
    };
    assert_eq!(
        (ast.names.bytes(a), ast.names.bytes(b)),
        (&b"a"[..], &b"b"[..])
    );
    assert_eq!(source(&ast, size), "2");
}

fn kind(statement: &Statement) -> &'static str {
    match statement {
        Statement::Option(..) => "option",
        Statement::Inst(_) => "instruction",
        Statement::Decl(_) => "declaration",
        Statement::Label(..) => "label",
        Statement::Malformed { .. } => "broken",
    }
}

#[test]
fn operands_have_signs_suffixes_and_spans() {
    let ast = parsed("!!NVvp4.0\nMAD.SAT r.xz (GT.y), - | -a.w |, b [ 2 ].wzyx , 1.5;\nEND");
    let Statement::Inst(inst) = ast.statements[0] else {
        panic!("{:?}", ast.statements);
    };
    assert_eq!(
        source(&ast, inst.span),
        "MAD.SAT r.xz (GT.y), - | -a.w |, b [ 2 ].wzyx , 1.5"
    );
    let result = inst.dst.expect("a result");
    assert_eq!(result.mask, WriteMask(0b0101));
    assert_eq!(source(&ast, result.span), "r.xz");
    let guard = result.guard.expect("a condition");
    assert_eq!(guard.swizzle, Swizzle::splat(1));
    let operands = &ast.operands[inst.first_operand as usize..];
    assert_eq!(operands.len(), 3);
    assert_eq!(
        operands[0].signs,
        Signs::OUTER | Signs::ABS | Signs::INNER | Signs::WRITTEN
    );
    assert_eq!(operands[0].suffix, Suffix::from_component(3));
    assert_eq!(source(&ast, operands[0].span), "- | -a.w |");
    assert_eq!(operands[1].index, Index::Const(2));
    assert_eq!(
        operands[1].suffix,
        Suffix::from_swizzle(Swizzle::new([3, 2, 1, 0]))
    );
    assert_eq!(source(&ast, operands[1].span), "b [ 2 ].wzyx");
    let OperandBase::Scalar(literal) = operands[2].base else {
        panic!("{:?}", operands[2]);
    };
    assert_eq!(ast.literals[literal as usize].int, None);
}

#[test]
fn paths_are_segments_with_brackets() {
    let ast = parsed("!!ARBvp1.0\nPARAM m[] = { state.matrix.program[3].row[0..2] };\nEND");
    let DeclItem::Path(path) = ast.items(&ast.decls[0])[0] else {
        panic!("{:?}", ast.items);
    };
    let words: Vec<&str> = (ast.segments(path).iter())
        .map(|segment| source(&ast, segment.word_span))
        .collect();
    assert_eq!(words, ["state", "matrix", "program", "row"]);
    let brackets: Vec<PathBracket> = (ast.segments(path).iter())
        .map(|segment| segment.brackets[0])
        .collect();
    use PathBracket::*;
    assert_eq!(brackets, [None, None, Single(3), Range(0, 2)]);
}

#[test]
fn relative_indices_have_component_and_offset() {
    let ast = parsed("!!ARBvp1.0\nADDRESS a;\nMOV result.position, p[a.x - 7];\nEND");
    let [relative] = ast.relative_indices[..] else {
        panic!("{:?}", ast.relative_indices);
    };
    assert_eq!((relative.lane, relative.offset), (0, -7));
    assert_eq!(source(&ast, relative.span), "a.x - 7");
}

#[test]
fn texture_parts_have_targets_and_offsets() {
    let ast = parsed("!!NVfp4.0\nTEX r, c, texture[2], ARRAY2D, (1, -2);\nEND");
    let Statement::Inst(inst) = ast.statements[0] else {
        panic!("{:?}", ast.statements);
    };
    let ExtraPart::Texture(part) = inst.extra else {
        panic!("{:?}", inst.extra);
    };
    let part = ast.texture_accesses[part as usize];
    assert_eq!(source(&ast, part.target_span), "ARRAY2D");
    assert_eq!(part.offset, TexelOffsetArg::Constant([1, -2, 0]));
    assert_eq!(source(&ast, part.offset_span), "(1, -2)");
}

#[test]
fn parsing_continues_after_a_semicolon_and_names_are_noted() {
    let (ast, diagnostics) =
        parsed_with_errors("!!ARBfp1.0\nTEMP a b;\nMOV a, ;\nADD a, a, a;\nEND");
    let codes: Vec<Code> = diagnostics.list.iter().map(|it| it.code).collect();
    assert_eq!(codes, [Code::UnexpectedToken, Code::MissingOperand]);
    let kinds: Vec<&str> = ast.statements.iter().map(kind).collect();
    assert_eq!(kinds, ["broken", "instruction"]);
    let names = ast.poisoned.iter().map(|name| ast.names.as_str(*name));
    assert_eq!(names.collect::<Vec<_>>(), ["TEMP", "a", "b"]);
}

#[test]
fn blocks_with_errors_are_open() {
    let (ast, _) =
        parsed_with_errors("!!ARBfp1.0\nOPTION NV_fragment_program2;\nREP ;\nENDREP;\nEND");
    let Statement::Inst(inst) = ast.statements[1] else {
        panic!("{:?}", ast.statements);
    };
    assert!(inst.has_syntax_error);
    assert_eq!(kind(&ast.statements[2]), "instruction");
}

#[test]
fn programs_may_end_where_an_image_is_expected() {
    let (_, diagnostics) = parsed_with_errors("!!NVfp5.0\nLOADIM.U32 r, c,");
    let codes: Vec<Code> = diagnostics.list.iter().map(|it| it.code).collect();
    assert_eq!(codes, [Code::UnexpectedToken, Code::MissingEnd]);
}
