//! Tests of lowering alone: IR of a checked program.

use super::{LowerMemory, lower};
use crate::source::Source;
use crate::tgsi::ast::Ast;
use crate::tgsi::check::{CheckMemory, check};
use crate::tgsi::syntax;
use crate::{ProgramPool, header};
use glasm_ir::{Op, Program, Semantic, Storage};

/// Parses, checks and lowers a program without errors.
fn lower_source(text: &str) -> Program {
    let start = header::parse_header(&Source::new("test", text)).expect("a known header");
    let (stage, options) = (start.dialect.stage(), start.tgsi);
    let ast = syntax::parse(&start, Ast::default());
    let mut checked = CheckMemory::default();
    let reports = check(&ast, start, &mut checked);
    assert!(!reports.has_errors(), "{text}: {:?}", reports.finish());
    // Lowering reads nothing else.
    drop(ast);
    lower(
        &checked.program,
        (stage, &options),
        (&mut LowerMemory::default(), &mut ProgramPool::default()),
    )
}

/// Returns the operations of a program in the order of its instructions.
fn list_ops(text: &str) -> Vec<Op> {
    let program = lower_source(text);
    program.insts.iter().map(|inst| inst.op).collect()
}

#[test]
fn simple_instructions_are_one_operation() {
    let program = lower_source(
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\nIMM[0] FLT32 {2, 2, 2, 2}\n\
         MUL TEMP[0], IN[0], IMM[0]\nMOV OUT[0], TEMP[0]\nEND\n",
    );
    let ops: Vec<Op> = program.insts.iter().map(|inst| inst.op).collect();
    assert_eq!(ops, [Op::Mul, Op::Mov]);
    assert_eq!(program.inputs.len(), 1);
    assert_eq!(program.outputs.len(), 1);
    // OUT[0] is the output itself.
    let written = program.insts.iter().filter_map(|inst| inst.dst).next_back();
    let written = program.registers[written.expect("a result").register];
    assert!(matches!(written.storage, Storage::Output(_)));
}

#[test]
fn composite_instructions_write_their_result_last() {
    // CLAMP of 2010: a where it is in [b, c], else the bound. TGSI of 2010, section "Instruction
    // Set".
    let program =
        lower_source("FRAG\nDCL TEMP[0..3]\nCLAMP TEMP[0].x, TEMP[1], TEMP[2], TEMP[3]\nEND\n");
    let written: Vec<_> = program.insts.iter().filter_map(|inst| inst.dst).collect();
    let (last, before) = written.split_last().expect("instructions");
    assert_eq!(last.mask.0, 0b0001);
    assert!(!before.is_empty());
    assert!(before.iter().all(|dst| dst.register != last.register));
}

#[test]
fn constants_are_loaded_once_in_a_block() {
    let head = "FRAG\nDCL CONST[0..1]\nDCL TEMP[0]\n";
    let add = "ADD TEMP[0], TEMP[0], CONST[1]\n";
    let straight = format!("{head}{add}{add}END\n");
    assert_eq!(list_ops(&straight), [Op::Load, Op::Add, Op::Add]);
    // What a branch loads is not valid after it.
    let branch = format!("{head}IF TEMP[0].xxxx\n{add}{add}ENDIF\n{add}END\n");
    let loads = list_ops(&branch);
    assert_eq!(loads.iter().filter(|&&op| op == Op::Load).count(), 2);
    // What precedes a branch is valid in it.
    let before = format!("{head}{add}IF TEMP[0].xxxx\n{add}ENDIF\n{add}END\n");
    let loads = list_ops(&before);
    assert_eq!(loads.iter().filter(|&&op| op == Op::Load).count(), 1);
}

#[test]
fn subroutines_are_routines() {
    let text =
        "FRAG\nDCL TEMP[0]\nCAL :3\nCAL :3\nEND\nBGNSUB\nMOV TEMP[0], TEMP[0].wzyx\nRET\nENDSUB\n";
    let program = lower_source(text);
    assert_eq!(program.routines.len(), 2);
    assert_eq!(program.insts.len(), 1);
}

#[test]
fn distances_are_separate_outputs() {
    let program =
        lower_source("VERT\nDCL OUT[0], CLIPDIST\nDCL TEMP[0]\nMOV OUT[0].xz, TEMP[0]\nEND\n");
    let outputs: Vec<_> = program.outputs.iter().map(|it| it.semantic).collect();
    assert_eq!(
        outputs,
        [Semantic::ClipDistance(0), Semantic::ClipDistance(2)]
    );
}

/// Properties may follow the declarations and the instructions that depend on them.
#[test]
fn properties_have_no_order() {
    let outputs = "DCL OUT[0], POSITION\nDCL OUT[1], LAYER\nDCL OUT[2], VIEWPORT_INDEX\n";
    let body = "DCL TEMP[0]\nMOV OUT[0], TEMP[0]\nMOV OUT[1].x, TEMP[0]\nMOV OUT[2].x, TEMP[0]\n";
    for property in [
        "PROPERTY VS_WINDOW_SPACE_POSITION 1\n",
        "PROPERTY LAYER_VIEWPORT_RELATIVE 1\n",
    ] {
        // Spaces instead of the property, so that the spans of instructions are equal.
        let blank = " ".repeat(property.len());
        let lower_with = |[first, second, third]: [&str; 3]| {
            let text = format!("VERT\n{first}{outputs}{second}{body}{third}END\n");
            lower_source(&text).to_string()
        };
        let first = lower_with([property, &blank, &blank]);
        assert_eq!(lower_with([&blank, property, &blank]), first);
        assert_eq!(lower_with([&blank, &blank, property]), first);
        assert_ne!(lower_with([&blank, &blank, &blank]), first);
    }
}
