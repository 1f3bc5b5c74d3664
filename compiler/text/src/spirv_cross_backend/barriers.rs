//! Barriers of tessellation control programs, at which invocations wait for outputs of the others.
//!
//! - SPIRV-Cross puts a read of an output where its value is used, also after a barrier: the value
//!   goes to a variable first.
//! - GLSL has `barrier()` outside of flow control only, in `main` and in front of any `return`
//!   (GLSL 4.60 section 8.16).

use crate::spirv_edit::{InstructionExt, ModuleEditor, to_id_operands};
use rspirv::dr::{Block, Function, Instruction};
use rspirv::spirv::{ExecutionModel, Op, StorageClass, Word};
use std::collections::{HashMap, HashSet};

/// Copies the values that are read of outputs to local variables in tessellation control programs
/// with barriers, such that reads remain before the barriers that follow them.
pub(super) fn store_output_reads(editor: &mut ModuleEditor) {
    if find_tess_control_entry(editor).is_none() || !editor.has_op(&[Op::ControlBarrier]) {
        return;
    }
    let outputs = editor.iter_variables(&[StorageClass::Output]);
    // With pointers to their parts.
    let mut outputs: HashSet<Word> = outputs.map(|(id, _)| id).collect();
    editor.rewrite_instructions(|code, instruction| {
        let is_output = instruction
            .id_operand(0)
            .is_some_and(|base| outputs.contains(&base));
        match (instruction.op(), instruction.result_type) {
            (Op::Load, Some(ty)) if is_output => {
                let variable = code.declare_local(ty);
                let value = code.emit_op_with(Op::Load, ty, instruction.operands.clone());
                let stored = to_id_operands(&[variable, value]);
                code.emit(Instruction::new(Op::Store, None, None, stored));
                code.replace_with_op(&instruction, Op::Load, to_id_operands(&[variable]));
            }
            (op, _) => {
                if op == Op::AccessChain && is_output {
                    outputs.extend(instruction.result_id);
                }
                code.emit_unchanged(instruction);
            }
        }
    });
}

/// Returns true if all barriers of a tessellation control program are where GLSL allows them: in
/// the main function, outside of flow control, and not after a return. True for other programs.
pub(super) fn are_barriers_allowed(editor: &ModuleEditor) -> bool {
    let Some(main) = find_tess_control_entry(editor) else {
        return true;
    };
    editor.module().functions.iter().all(|function| {
        let has = |block: &Block, op: Op| block.instructions.iter().any(|it| it.op() == op);
        let has_barrier = |block: &Block| has(block, Op::ControlBarrier);
        if !function.blocks.iter().any(has_barrier) {
            return true;
        }
        let outside = collect_top_level_blocks(function);
        let is_allowed = |block: &Block| {
            let is_outside = block.label_id().is_some_and(|id| outside.contains(&id));
            is_outside || !has_barrier(block) && !has(block, Op::Return)
        };
        function.def_id() == Some(main) && function.blocks.iter().all(is_allowed)
    })
}

/// Returns the function of the entry point of a tessellation control module; `None` for other
/// modules.
fn find_tess_control_entry(editor: &ModuleEditor) -> Option<Word> {
    let is_control = editor.has_execution_model(&[ExecutionModel::TessellationControl]);
    editor.find_entry_function().filter(|_| is_control)
}

/// Returns the labels of the blocks outside of constructs: those that branches and merges reach
/// from the first one. The first block of a loop is in its construct.
fn collect_top_level_blocks(function: &Function) -> HashSet<Word> {
    let blocks: HashMap<Word, &Block> = function
        .blocks
        .iter()
        .filter_map(|block| Some((block.label_id()?, block)))
        .collect();
    let mut outside = HashSet::new();
    let mut next = function.blocks.first().and_then(Block::label_id);
    while let Some(id) = next {
        let Some(block) = blocks.get(&id) else { break };
        let target = |op: Op| {
            let mut instructions = block.instructions.iter();
            instructions.find(|it| it.op() == op)?.id_operand(0)
        };
        let after_loop = target(Op::LoopMerge);
        if after_loop.is_none() && !outside.insert(id) {
            break;
        }
        next = after_loop
            .or_else(|| target(Op::SelectionMerge))
            .or_else(|| target(Op::Branch));
    }
    outside
}
