//! Tests of the checker alone: its results for a parsed program.

use super::{CheckScratch, CheckedProgram, VarKind, check};
use crate::ast::Index;
use crate::codes::Code;
use crate::resolved_inst::OperandValue;
use crate::source::Source;
use crate::syntax::{self, SyntaxMemory};
use crate::{Diagnostics, header};
use glasm_ir::Semantic;
use glasm_ir::types::Type;

fn checked(text: &str) -> (CheckedProgram, Diagnostics) {
    let start = header::parse_header(&Source::new("test", text)).expect("a known header");
    let mut scratch = CheckScratch::default();
    let parsed = syntax::parse(start, &mut SyntaxMemory::default());
    let parsed = check(parsed, &mut scratch);
    (scratch.program, parsed.reports.finish())
}

#[test]
fn names_and_paths_become_variables() {
    let (checked, diagnostics) = checked(
        "!!NVvp4.0\nTEMP t[4];\nADD.U t[3], vertex.attrib[2], t[1];\nMOV t[0], vertex.attrib[2];\nEND",
    );
    assert!(!diagnostics.has_errors(), "{:?}", diagnostics.list);
    let [add, mov] = &checked.insts.insts[..] else {
        panic!("{:?}", checked.insts.insts);
    };
    assert_eq!(add.types.ty, Type::U32);
    let result = add.dst.expect("a result");
    assert_eq!(result.index, Index::Const(3));
    assert_eq!(checked.vars[result.var as usize].kind, VarKind::Temp);
    let sources = checked.insts.sources(add);
    let OperandValue::Var(attribute) = sources[0].base else {
        panic!("{sources:?}");
    };
    let kind = checked.vars[attribute as usize].kind;
    assert_eq!(
        checked.bindings_from(kind)[0].semantic,
        Semantic::VertexAttribute(2)
    );
    // The same binding is the same variable everywhere.
    assert_eq!(
        checked.insts.source(mov, 0).base,
        OperandValue::Var(attribute)
    );
}

#[test]
fn syntax_errors_and_broken_rules_are_reported_in_source_order() {
    let (_, diagnostics) =
        checked("!!ARBvp1.0\nMOV nothing, 1;\nMOV result.position;\nMOV vertex.color, 1;\nEND");
    let codes: Vec<Code> = diagnostics.list.iter().map(|it| it.code).collect();
    assert_eq!(
        codes,
        [
            Code::UndeclaredName,
            Code::MissingOperand,
            Code::WriteReadOnly
        ]
    );
}

#[test]
fn labels_begin_basic_blocks() {
    let (checked, diagnostics) =
        checked("!!NVvp4.0\nTEMP t;\nmain: CAL sub;\nRET;\nsub: MOV t, 1;\nRET;\nEND");
    assert!(!diagnostics.has_errors(), "{:?}", diagnostics.list);
    let blocks = checked.cfg.blocks();
    let ranges: Vec<_> = blocks.map(|(_, block)| block.insts()).collect();
    assert_eq!(ranges, [0..0, 0..2, 2..4]);
}
