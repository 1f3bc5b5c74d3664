//! Branches around `OpKill`, because naga loses the position of blocks that no branch targets.
//!
//! Code generation continues after `OpKill` in a block that is unreachable but belongs to the construct of the discard. The SPIR-V front
//! end of naga takes such a block for the first one of the function, where a branch out of the construct is an invalid `break`. As the
//! merge block of a selection it stays in its construct.

use crate::rewriter::Rewriter;
use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::{Op, SelectionControl, Word};
use std::collections::HashSet;

/// Replaces each `OpKill` that an unreachable block follows with a selection that always discards and has that block as merge block.
pub(super) fn guard_discards(rewriter: &mut Rewriter) {
    let kills = |function: &Function| function.blocks.iter().any(ends_with_kill);
    if !rewriter.module.functions.iter().any(kills) {
        return;
    }
    let bool = rewriter.bool();
    let always = rewriter.global(Op::ConstantTrue, Some(bool), vec![]);
    let mut functions = std::mem::take(&mut rewriter.module.functions);
    for function in &mut functions {
        guard_discards_of(rewriter, function, always);
    }
    rewriter.module.functions = functions;
}

fn guard_discards_of(rewriter: &mut Rewriter, function: &mut Function, always: Word) {
    let targets: HashSet<Word> = function
        .blocks
        .iter()
        .flat_map(|block| &block.instructions)
        // Unreachable blocks are in `OpPhi` as well.
        .filter(|instruction| instruction.result_id.is_none())
        .flat_map(|instruction| &instruction.operands)
        .filter_map(Operand::id_ref_any)
        .collect();
    let mut blocks = std::mem::take(&mut function.blocks).into_iter().peekable();
    while let Some(mut block) = blocks.next() {
        let next = blocks.peek().and_then(label);
        let merge = next.filter(|next| ends_with_kill(&block) && !targets.contains(next));
        let Some(merge) = merge else {
            function.blocks.push(block);
            continue;
        };
        let kill = block.instructions.split_off(block.instructions.len() - 1);
        let discard = rewriter.id();
        let control = Operand::SelectionControl(SelectionControl::NONE);
        let targets = [always, discard, merge].map(Operand::IdRef).to_vec();
        block.instructions.extend([
            Instruction::new(
                Op::SelectionMerge,
                None,
                None,
                vec![Operand::IdRef(merge), control],
            ),
            Instruction::new(Op::BranchConditional, None, None, targets),
        ]);
        function.blocks.push(block);
        function.blocks.push(Block {
            label: Some(Instruction::new(Op::Label, None, Some(discard), vec![])),
            instructions: kill,
        });
    }
}

fn label(block: &Block) -> Option<Word> {
    block.label.as_ref()?.result_id
}

fn ends_with_kill(block: &Block) -> bool {
    let last = block.instructions.last();
    last.is_some_and(|last| last.class.opcode == Op::Kill)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rspirv::dr::Builder;
    use rspirv::spirv::FunctionControl;

    /// Returns the operations of the blocks of a function whose last block, with the label that `first` gets, returns.
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
        let mut rewriter = Rewriter::new(builder.module());
        guard_discards(&mut rewriter);
        let blocks = rewriter.finish().0.functions.remove(0).blocks;
        let ops = |block: Block| {
            block
                .instructions
                .iter()
                .map(|it| it.class.opcode)
                .collect()
        };
        blocks.into_iter().map(ops).collect()
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
