//! Tests of lowering alone: IR of a checked program.

use super::ir_map::IrMap;
use super::program::lower;
use crate::check::{CheckScratch, check};
use crate::source::Source;
use crate::syntax::SyntaxMemory;
use crate::{ProgramPool, header, syntax};
use glasm_ir::{Op, Program};

fn lower_source(text: &str) -> Program {
    let start = header::parse_header(&Source::new("test", text)).expect("a known header");
    let mut scratch = CheckScratch::default();
    let parsed = syntax::parse(start, &mut SyntaxMemory::default());
    let parsed = check(parsed, &mut scratch);
    assert!(!parsed.reports.has_errors());
    let (mut tables, mut memory) = (IrMap::default(), ProgramPool::default());
    lower(
        (&parsed.ast, &scratch.program),
        None,
        (&mut tables, &mut memory),
    )
}

#[test]
fn simple_instructions_are_one_operation() {
    let program = lower_source(
        "!!ARBvp1.0\nTEMP t;\nMUL t, vertex.position, 2;\nMOV result.position, t;\nEND",
    );
    let ops: Vec<Op> = program.insts.iter().map(|inst| inst.op).collect();
    assert_eq!(ops, [Op::Mul, Op::Mov]);
    assert_eq!(program.inputs.len(), 1);
    assert_eq!(program.outputs.len(), 1);
}

#[test]
fn composite_instructions_write_their_result_last() {
    // LRP: op0 * op1 + (1 - op0) * op2, ARB_fragment_program section 3.11.5.
    let program =
        lower_source("!!ARBfp1.0\nTEMP t;\nLRP t.x, t.y, t.z, t.w;\nMOV result.color, t;\nEND");
    let written = program.insts.iter().filter_map(|inst| inst.dst);
    let registers: Vec<_> = written.map(|dst| dst.register).collect();
    let result = registers[registers.len() - 2];
    assert_eq!(program.register_name(result), Some("t"));
    let before = &registers[..registers.len() - 2];
    assert!(!before.is_empty() && !before.contains(&result));
}
