//! Blocks of the open function: their labels and terminators, and accesses to memory.

use super::ValueBuilder;
use crate::words::{LabelWord, TypeWord, ValueWord};
use spirv::{LoopControl, Op, SelectionControl, StorageClass};

impl ValueBuilder {
    /// Begins a block and makes it the open block.
    pub(crate) fn begin_block(&mut self, label: LabelWord) {
        self.body.op(Op::Label, &[label.0]);
        self.block = label;
        self.reachable = true;
    }

    /// Ends the open block; the caller begins another block immediately.
    pub(crate) fn jump(&mut self, label: LabelWord) {
        self.body.op(Op::Branch, &[label.0]);
    }

    /// Ends the open block; the following code is unreachable from it.
    pub(crate) fn branch(&mut self, label: LabelWord) {
        self.jump(label);
        self.reachable = false;
    }

    /// Ends the open block with a conditional branch.
    pub(crate) fn jump_if(&mut self, cond: ValueWord, then: LabelWord, otherwise: LabelWord) {
        let operands = [cond.0, then.0, otherwise.0];
        self.body.op(Op::BranchConditional, &operands);
    }

    /// Declares the merge block of the selection whose header is the open block.
    pub(crate) fn merge_selection(&mut self, merge: LabelWord) {
        // The driver decides whether to flatten a branch.
        let none = SelectionControl::NONE.bits();
        self.body.op(Op::SelectionMerge, &[merge.0, none]);
    }

    /// Declares the open block as the header of a loop.
    pub(crate) fn merge_loop(&mut self, merge: LabelWord, next: LabelWord, control: LoopControl) {
        self.body
            .op(Op::LoopMerge, &[merge.0, next.0, control.bits()]);
    }

    /// Computes a pointer to an element of an aggregate from a pointer and indices.
    pub(crate) fn chain(
        &mut self,
        class: StorageClass,
        pointee: TypeWord,
        operands: &[u32],
    ) -> ValueWord {
        let ty = self.pointer(class, pointee);
        let pointer = self.object();
        self.body
            .long_result(Op::AccessChain, ty, pointer, operands);
        pointer
    }

    /// Writes a value to memory.
    pub(crate) fn store(&mut self, pointer: ValueWord, value: ValueWord) {
        self.body.op(Op::Store, &[pointer.0, value.0]);
    }
}

/// Chooses the loop control for a loop with `exits` exits.
///
/// Unrolling is left to the driver if there is only one exit. Mesa 25.0 deletes exits of a loop
/// that it would unroll: after computing the maximum number of iterations from one of several
/// exits, it drops all other exits whose first value or step is a uniform.
pub(crate) const fn choose_loop_control(exits: u32) -> LoopControl {
    match exits {
        0 | 1 => LoopControl::NONE,
        _ => LoopControl::DONT_UNROLL,
    }
}
