//! Blocks of the open function: how each begins and ends, and accesses to memory.

use super::ValueBuilder;
use crate::words::{LabelWord, TypeWord, ValueWord};
use spirv::{LoopControl, Op, SelectionControl, StorageClass};

impl ValueBuilder {
    /// Begins a block, which is the open one then.
    pub(crate) fn begin_block(&mut self, label: LabelWord) {
        self.body.op(Op::Label, &[label.0]);
        self.block = label;
        self.reachable = true;
    }

    /// Ends the open block, after which another one is begun at once.
    pub(crate) fn jump(&mut self, label: LabelWord) {
        self.body.op(Op::Branch, &[label.0]);
    }

    /// Ends the open block; what comes next is not reached from here.
    pub(crate) fn branch(&mut self, label: LabelWord) {
        self.jump(label);
        self.reachable = false;
    }

    /// Ends the open block by a condition.
    pub(crate) fn jump_if(&mut self, cond: ValueWord, then: LabelWord, otherwise: LabelWord) {
        let operands = [cond.0, then.0, otherwise.0];
        self.body.op(Op::BranchConditional, &operands);
    }

    /// Declares where the ways of the selection meet that the open block ends with.
    pub(crate) fn merge_selection(&mut self, merge: LabelWord) {
        // Whether to flatten a branch is left to the driver.
        let none = SelectionControl::NONE.bits();
        self.body.op(Op::SelectionMerge, &[merge.0, none]);
    }

    /// Declares the open block the header of a loop.
    pub(crate) fn merge_loop(&mut self, merge: LabelWord, next: LabelWord, control: LoopControl) {
        self.body
            .op(Op::LoopMerge, &[merge.0, next.0, control.bits()]);
    }

    /// Computes a pointer to what a pointer to an aggregate and indices lead to.
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

/// Chooses how drivers may change a loop with `exits` ways out.
///
/// Unrolling is left to the driver if there is one. Mesa 25.0 deletes exits of a loop that it would
/// unroll: once it has found for one of several exits how often the loop runs at most, it drops all
/// others whose first value or step is a uniform.
pub(crate) const fn choose_loop_control(exits: u32) -> LoopControl {
    match exits {
        0 | 1 => LoopControl::NONE,
        _ => LoopControl::DONT_UNROLL,
    }
}
