//! Branches around `OpKill`, because naga loses the position of blocks that no branch targets.
//!
//! Code generation continues after `OpKill` in a block that is unreachable but belongs to the
//! construct of the discard. The SPIR-V front end of naga takes such a block for the first one of
//! the function, where a branch out of the construct is an invalid `break`. As the merge block of a
//! selection it stays in its construct.

use crate::spirv_edit::{InstructionExt, ModuleEditor, to_id_operands};
use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::{Op, SelectionControl, Word};
use std::collections::HashSet;

/// Replaces each `OpKill` that an unreachable block follows with a selection that always discards
/// and has that block as merge block.
pub(super) fn wrap_kills_in_selections(editor: &mut ModuleEditor) {
    if !editor.has_op(&[Op::Kill]) {
        return;
    }
    let bool = editor.intern_bool();
    let always = editor.intern_global(Op::ConstantTrue, Some(bool), vec![]);
    editor.rewrite_functions(|editor, function| wrap_function_kills(editor, function, always));
}

/// Wraps the `OpKill` instructions of a function as [`wrap_kills_in_selections`] describes;
/// `true_constant` is the id of a constant that is true.
fn wrap_function_kills(editor: &mut ModuleEditor, function: &mut Function, true_constant: Word) {
    let targets: HashSet<Word> = function
        .blocks
        .iter()
        .flat_map(|block| &block.instructions)
        // Unreachable blocks are in `OpPhi` as well.
        .filter(|instruction| instruction.result_id.is_none())
        .flat_map(InstructionExt::id_operands)
        .collect();
    let mut blocks = std::mem::take(&mut function.blocks).into_iter().peekable();
    while let Some(mut block) = blocks.next() {
        let next = blocks.peek().and_then(Block::label_id);
        let merge = next.filter(|next| ends_with_kill(&block) && !targets.contains(next));
        let Some(merge) = merge else {
            function.blocks.push(block);
            continue;
        };
        let kill = block.instructions.split_off(block.instructions.len() - 1);
        let discard = editor.new_id();
        let control = Operand::SelectionControl(SelectionControl::NONE);
        let construct = vec![Operand::IdRef(merge), control];
        let targets = to_id_operands(&[true_constant, discard, merge]);
        block.instructions.extend([
            Instruction::new(Op::SelectionMerge, None, None, construct),
            Instruction::new(Op::BranchConditional, None, None, targets),
        ]);
        function.blocks.push(block);
        function.blocks.push(Block {
            label: Some(Instruction::new(Op::Label, None, Some(discard), vec![])),
            instructions: kill,
        });
    }
}

/// Returns true if the last instruction of a block is `OpKill`.
fn ends_with_kill(block: &Block) -> bool {
    let last = block.instructions.last();
    last.is_some_and(|last| last.op() == Op::Kill)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rspirv::dr::Builder;
    use rspirv::spirv::FunctionControl;

    /// Returns the operations of the blocks of a function whose last block, with the label that
    /// `first` gets, returns.
    fn blocks_after(first: impl Fn(&mut Builder, Word)) -> Vec<Vec<Op>> {
        let mut builder = Builder::new();
        let void = builder.type_void();
        let ty = builder.type_function(void, vec![]);
        builder
            .begin_function(void, None, FunctionControl::NONE, ty)
            .unwrap();
        builder.begin_block(None).unwrap();
        let next = builder.id();
        first(&mut builder, next);
        builder.begin_block(Some(next)).unwrap();
        builder.ret().unwrap();
        builder.end_function().unwrap();
        let mut editor = ModuleEditor::new(builder.module());
        wrap_kills_in_selections(&mut editor);
        let blocks = &editor.module().functions[0].blocks;
        let ops = |block: &Block| block.instructions.iter().map(|it| it.op()).collect();
        blocks.iter().map(ops).collect()
    }

    #[test]
    fn unreachable_blocks_become_merge_blocks() {
        let blocks = blocks_after(|builder, _| builder.kill().unwrap());
        assert_eq!(
            blocks,
            [
                vec![Op::SelectionMerge, Op::BranchConditional],
                vec![Op::Kill],
                vec![Op::Return]
            ]
        );
    }

    #[test]
    fn merge_blocks_stay_those_of_their_construct() {
        let blocks = blocks_after(|builder, next| {
            let bool = builder.type_bool();
            let condition = builder.constant_true(bool);
            let kill = builder.id();
            builder
                .selection_merge(next, SelectionControl::NONE)
                .unwrap();
            builder
                .branch_conditional(condition, kill, next, [])
                .unwrap();
            builder.begin_block(Some(kill)).unwrap();
            builder.kill().unwrap();
        });
        assert_eq!(
            blocks,
            [
                vec![Op::SelectionMerge, Op::BranchConditional],
                vec![Op::Kill],
                vec![Op::Return]
            ]
        );
    }
}
