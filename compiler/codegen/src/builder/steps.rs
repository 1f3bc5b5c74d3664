//! Steps of one or two instructions that emission takes everywhere: constants and lanes as values, operations with a constant, blocks.

use super::{Builder, Lane, Scalar, Val};
use crate::words::{LabelWord, TypeWord, ValueWord};
use spirv::{Decoration, LoopControl, Op, SelectionControl, StorageClass};

impl Val {
    /// Where the components are; a scalar stands for all four.
    pub(crate) fn lanes(self) -> [Lane; 4] {
        self.spread(0b1111)
    }

    /// The first component alone: what blocks give that compute one value.
    pub(crate) fn alone(self) -> [Lane; 4] {
        let none = Lane::UNDEFINED;
        [self.lane(0), none, none, none]
    }
}

impl Builder {
    /// A 32-bit integer constant as a value.
    pub(crate) fn uint_val(&mut self, value: u32) -> Val {
        self.constant_splat(Scalar::U32, u64::from(value), 1)
    }

    /// A 32-bit float constant as a value.
    pub(crate) fn float_val(&mut self, value: f32) -> Val {
        let id = self.float(value);
        self.val(id)
    }

    /// (0, 0, 0, 1) of floats
    pub(crate) fn float_pad(&mut self) -> [Lane; 4] {
        let [zero, one] = [0.0, 1.0].map(|number| Lane::scalar(self.float(number)));
        [zero, zero, zero, one]
    }

    /// What holds always.
    pub(crate) fn always(&mut self) -> Val {
        self.constant_splat(Scalar::BoolInt, 1, 1)
    }

    /// What never holds.
    pub(crate) fn never(&mut self) -> Val {
        self.constant_splat(Scalar::BoolInt, 0, 1)
    }

    /// A lane as a value of type `to`.
    pub(crate) fn lane_val(&mut self, lane: Lane, to: Scalar) -> Val {
        let id = self.scalar(lane, to);
        self.val(id)
    }

    /// `a op constant`
    pub(crate) fn binary_bits(&mut self, op: Op, a: Val, bits: u64) -> Val {
        let b = self.constant_like(a, bits);
        self.binary(op, a, b)
    }

    /// `a op constant` of floats
    pub(crate) fn binary_float(&mut self, op: Op, a: Val, value: f64) -> Val {
        let b = self.float_like(a, value);
        self.binary(op, a, b)
    }

    /// `a op constant` of floats as a boolean.
    pub(crate) fn compare_float(&mut self, op: Op, a: Val, value: f64) -> Val {
        let b = self.float_like(a, value);
        self.test(op, a, b)
    }

    /// Whether bit `number` of an integer is set.
    pub(crate) fn has_bit(&mut self, bits: Val, number: Val) -> Val {
        let bit = self.binary(Op::ShiftRightLogical, bits, number);
        let bit = self.binary_bits(Op::BitwiseAnd, bit, 1);
        self.compare_bits(Op::INotEqual, bit, 0)
    }

    /// The components of a vector, then zeros.
    pub(crate) fn zero_filled(&mut self, val: Val) -> [Lane; 4] {
        let zero = Lane::scalar(self.constant(val.scalar, 0));
        Lane::first_of(val.id, val.size, [zero; 4])
    }

    /// The first `size` components of a value.
    pub(crate) fn first_components(&mut self, val: Val, size: u8) -> Val {
        if val.size <= size {
            return val;
        }
        self.gather_vector(&val.lanes()[..usize::from(size)], val.scalar)
    }

    /// The type of arrays of `len` elements.
    pub(crate) fn array_type(&mut self, element: TypeWord, len: u32) -> TypeWord {
        let len = self.uint(len);
        self.declare_type(Op::TypeArray, &[element.0, len.0])
    }

    /// A pointer to what a pointer to an aggregate and indices lead to.
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

    pub(crate) fn store(&mut self, pointer: ValueWord, value: ValueWord) {
        self.body.op(Op::Store, &[pointer.0, value.0]);
    }

    /// Notes that a value may differ between the invocations that use it together.
    pub(crate) fn decorate_divergent(&mut self, id: ValueWord) {
        self.decorate(id, Decoration::NonUniform, &[]);
    }

    pub(crate) fn labels<const N: usize>(&mut self) -> [LabelWord; N] {
        std::array::from_fn(|_| self.label())
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

    /// Returns how drivers may change a loop with `exits` ways out.
    ///
    /// Unrolling is left to the driver if there is one. Mesa 25.0 deletes exits of a loop that it would unroll: once it has found for one of
    /// several exits how often the loop runs at most, it drops all others whose first value or step is a uniform.
    pub(crate) const fn loop_control(exits: u32) -> LoopControl {
        match exits {
            0 | 1 => LoopControl::NONE,
            _ => LoopControl::DONT_UNROLL,
        }
    }
}
