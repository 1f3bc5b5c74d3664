//! Single SPIR-V instructions on values: operands of one size, decorations, folding.
//! Labels and terminators of blocks, and accesses to memory.

use super::{Lane, Scalar, Val, ValueBuilder, fold};
use crate::spirv_writer::{LabelWord, TypeWord, ValueWord};
use glasm_ir::InstFlags;
use spirv::{Decoration, GlslStd450Op as GlslOp, LoopControl, Op, SelectionControl, StorageClass};

impl ValueBuilder {
    /// Repeats a scalar operand so that both have the same number of components.
    pub(crate) fn widen_both(&mut self, a: Val, b: Val) -> (Val, Val) {
        let size = a.size.max(b.size);
        (self.widen(a, size), self.widen(b, size))
    }

    /// Adds the decorations that the flags of the current instruction and the program require for
    /// the result of `op`.
    pub(crate) fn decorate_result(&mut self, val: Val, op: Op) {
        if self.is_exact || !self.flags.is_empty() {
            self.decorate_result_slow(val, op);
        }
    }

    /// Decorates a result as exact (`NoContraction`) or of relaxed precision by the flags of the
    /// current instruction. Exactness that the whole program requires does not apply to 64-bit
    /// floats; instructions other than contractible ones are never exact.
    #[inline(never)]
    fn decorate_result_slow(&mut self, val: Val, op: Op) {
        // Mesa's OpenGL loses infinities of doubles that are declared exact, so only instructions
        // that require exactness are.
        let is_exact = self.is_exact && val.scalar != Scalar::F64;
        if is_contractible(op) && (is_exact || self.flags.contains(InstFlags::PRECISE)) {
            self.decorate(val.id, Decoration::NoContraction, &[]);
        }
        // `RelaxedPrecision` exists for results of 32 bits only.
        let relaxes = matches!(val.scalar, Scalar::F32 | Scalar::U32 | Scalar::S32);
        if self.flags.contains(InstFlags::RELAXED) && relaxes {
            self.decorate(val.id, Decoration::RelaxedPrecision, &[]);
        }
    }

    /// Emits `op a`; the result has the type of `a`.
    pub(crate) fn emit_unary(&mut self, op: Op, a: Val) -> Val {
        self.emit_unary_to(op, a.scalar, a)
    }

    /// Emits `op a`; the result has components of type `to`.
    pub(crate) fn emit_unary_to(&mut self, op: Op, to: Scalar, a: Val) -> Val {
        let val = self.emit_op(op, to, a.size, &[a.id.0]);
        self.decorate_result(val, op);
        val
    }

    /// Emits `a op b`, with the type of `a`. Folds constants and exact identities; repeats a scalar
    /// operand if the other one is a vector.
    #[inline]
    pub(crate) fn emit_binary(&mut self, op: Op, a: Val, b: Val) -> Val {
        if a.size != b.size || self.is_constant(a.id) || self.is_constant(b.id) {
            return self.fold_or_emit_binary(op, a, b);
        }
        self.emit_unfolded_binary(op, a, b)
    }

    /// Emits `a op b` for operands of different sizes, or if one is a constant.
    #[inline(never)]
    fn fold_or_emit_binary(&mut self, op: Op, a: Val, b: Val) -> Val {
        if let Some(known) = self.fold_binary(op, a, b) {
            return known;
        }
        // After folding, because widening may emit an instruction that is then unused.
        let (a, b) = self.widen_both(a, b);
        self.emit_unfolded_binary(op, a, b)
    }

    /// Emits an instruction with two operands of equal size, without folding.
    #[inline]
    fn emit_unfolded_binary(&mut self, op: Op, a: Val, b: Val) -> Val {
        let val = self.emit_op(op, a.scalar, a.size, &[a.id.0, b.id.0]);
        self.decorate_result(val, op);
        val
    }

    /// Returns the result of a binary operation that constants determine, which may be one of the
    /// operands; `None` if the operation must be emitted.
    fn fold_binary(&mut self, op: Op, a: Val, b: Val) -> Option<Val> {
        let (x, y) = (self.splat_bits(a), self.splat_bits(b));
        if x.is_none() && y.is_none() {
            return None;
        }
        // The result has the size of the larger operand, so a smaller one cannot replace it.
        match fold::fold_binary(op, a.scalar, x, y) {
            fold::FoldResult::Constant(bits) => {
                Some(self.constant_splat(a.scalar, bits, a.size.max(b.size)))
            }
            fold::FoldResult::First if a.size >= b.size => Some(a),
            fold::FoldResult::Second if b.size >= a.size => Some(b),
            fold::FoldResult::First | fold::FoldResult::Second | fold::FoldResult::NotFoldable => {
                None
            }
        }
    }

    /// Emits a comparison, or an operation of booleans; the result is a boolean of type `truth`.
    /// Folds constants; repeats a scalar operand if the other one is a vector.
    pub(crate) fn emit_compare(&mut self, op: Op, truth: Scalar, a: Val, b: Val) -> Val {
        if self.is_constant(a.id)
            && self.is_constant(b.id)
            && let Some(known) = self.fold_comparison(op, truth, a, b)
        {
            return known;
        }
        let (a, b) = self.widen_both(a, b);
        self.emit_op(op, truth, a.size, &[a.id.0, b.id.0])
    }

    /// Returns the result of a comparison of constants; `None` if an operand is not constant or the
    /// operation is unknown.
    fn fold_comparison(&mut self, op: Op, truth: Scalar, a: Val, b: Val) -> Option<Val> {
        let (x, y) = (self.constant_parts(a)?, self.constant_parts(b)?);
        let mut parts = [0; 4];
        for (index, part) in parts.iter_mut().enumerate() {
            *part = u64::from(fold::fold_comparison(op, a.scalar, x[index], y[index])?);
        }
        Some(self.constant_vector(truth, parts, a.size.max(b.size)))
    }

    /// Emits the comparison `op` of two numbers as a boolean.
    pub(crate) fn emit_test(&mut self, op: Op, a: Val, b: Val) -> Val {
        self.emit_compare(op, Scalar::BoolInt, a, b)
    }

    /// Emits the comparison `a op constant`, where the constant has these bits, as a boolean.
    pub(crate) fn emit_compare_bits(&mut self, op: Op, a: Val, bits: u64) -> Val {
        let b = self.constant_like(a, bits);
        self.emit_test(op, a, b)
    }

    /// Emits `cond ? a : b` per component; scalars are repeated. Folds constant conditions and
    /// equal values.
    pub(crate) fn emit_select(&mut self, cond: Val, a: Val, b: Val) -> Val {
        if a.id == b.id {
            return a;
        }
        if let Some(parts) = self.constant_parts(cond) {
            return self.fold_select(cond, &parts, a, b);
        }
        // Before SPIR-V 1.4 a vector is selected by a vector of booleans, not by a single one.
        let size = cond.size.max(a.size).max(b.size);
        let cond = self.widen(cond, size);
        let a = self.widen(a, size);
        let b = self.widen(b, size);
        let val = self.emit_op(Op::Select, a.scalar, size, &[cond.id.0, a.id.0, b.id.0]);
        self.decorate_result(val, Op::Select);
        val
    }

    /// Returns the lanes that a constant condition with the components `parts` selects from `a` and
    /// `b`.
    fn fold_select(&mut self, cond: Val, parts: &[u64; 4], a: Val, b: Val) -> Val {
        if let Some(bits) = self.splat_bits(cond) {
            return if bits != 0 { a } else { b };
        }
        let size = usize::from(cond.size.max(a.size).max(b.size));
        let mut lanes = [Lane::UNDEFINED; 4];
        for (index, lane) in lanes.iter_mut().enumerate().take(size) {
            *lane = if parts[index] != 0 { a } else { b }.lane(index);
        }
        self.gather_vector(&lanes[..size], a.scalar)
    }

    /// Emits a GLSL.std.450 instruction of at most three arguments, with the type of the first one.
    /// Scalars are repeated if another argument is a vector.
    pub(crate) fn emit_ext<const N: usize>(&mut self, op: GlslOp, args: &[Val; N]) -> Val {
        // GLSL.std.450 requires all operands to have the type of the result; only a few
        // instructions accept scalars with vectors.
        let size = args.iter().fold(1, |size, arg| size.max(arg.size));
        // No instruction of GLSL.std.450 has more than three arguments.
        let mut operands = [self.get_glsl_import().0, op as u32, 0, 0, 0];
        for (operand, &arg) in operands[2..].iter_mut().zip(args) {
            *operand = self.widen(arg, size).id.0;
        }
        let val = self.emit_variadic_op(Op::ExtInst, args[0].scalar, size, &operands[..2 + N]);
        self.decorate_result(val, Op::ExtInst);
        val
    }

    /// Emits a GLSL.std.450 instruction on one value with a result of `size` components of type
    /// `scalar`. The result is not decorated.
    pub(crate) fn emit_ext_to(
        &mut self,
        op: GlslOp,
        scalar: Scalar,
        size: u8,
        arg: ValueWord,
    ) -> Val {
        let glsl = self.get_glsl_import();
        self.emit_op(Op::ExtInst, scalar, size, &[glsl.0, op as u32, arg.0])
    }

    /// Calls `map` for the index of each component of `val`, and gathers the scalars that it
    /// returns, which must have one type.
    pub(crate) fn map_components(
        &mut self,
        val: Val,
        mut map: impl FnMut(&mut Self, usize) -> Val,
    ) -> Val {
        let mut lanes = [Lane::UNDEFINED; 4];
        // `f` may return another type than that of its argument.
        let mut scalar = val.scalar;
        for (index, lane) in lanes[..val.size as usize].iter_mut().enumerate() {
            let part = map(self, index);
            scalar = part.scalar;
            *lane = part.lane(0);
        }
        self.gather_vector(&lanes[..val.size as usize], scalar)
    }

    /// Extracts component `index` of `val`; returns `val` itself if it is a scalar.
    pub(crate) fn extract_component(&mut self, val: Val, index: usize) -> Val {
        let id = if val.size == 1 {
            val.id
        } else {
            self.extract(val.id, index)
        };
        Val { id, size: 1, ..val }
    }

    /// Reads `val` as another type of the same width.
    pub(crate) fn cast_val(&mut self, val: Val, scalar: Scalar) -> Val {
        let id = self.cast(val.id, scalar);
        Val { id, scalar, ..val }
    }

    /// Emits the negation of a boolean. Folds constants.
    pub(crate) fn emit_not(&mut self, value: Val) -> Val {
        if let Some(parts) = self.constant_parts(value) {
            let parts = parts.map(|bits| u64::from(bits == 0));
            return self.constant_vector(Scalar::BoolInt, parts, value.size);
        }
        self.emit_op(Op::LogicalNot, Scalar::BoolInt, value.size, &[value.id.0])
    }

    /// Emits a logical operation of two booleans. Folds `LogicalAnd` and `LogicalOr` if one operand
    /// is constant, and other operations if both are.
    pub(crate) fn emit_logical(&mut self, op: Op, a: Val, b: Val) -> Val {
        // A constant that determines the result yields a constant, a neutral one the other operand.
        for (value, other) in [(a, b), (b, a)] {
            match (op, self.splat_bits(value)) {
                (Op::LogicalOr, Some(0)) => return other,
                (Op::LogicalAnd, Some(bits)) if bits != 0 => return other,
                (Op::LogicalOr | Op::LogicalAnd, Some(bits)) => {
                    let size = a.size.max(b.size);
                    return self.constant_splat(Scalar::BoolInt, bits, size);
                }
                _ => {}
            }
        }
        self.emit_test(op, a, b)
    }

    /// Emits `a op constant`, where the constant has the type of `a` and these bits.
    pub(crate) fn emit_binary_bits(&mut self, op: Op, a: Val, bits: u64) -> Val {
        let b = self.constant_like(a, bits);
        self.emit_binary(op, a, b)
    }

    /// Emits `a op value` with a constant, as floats of the type of `a`.
    pub(crate) fn emit_binary_float(&mut self, op: Op, a: Val, value: f64) -> Val {
        let b = self.constant_float_like(a, value);
        self.emit_binary(op, a, b)
    }

    /// Emits the comparison `a op value` with a constant float, as a boolean.
    pub(crate) fn emit_compare_float(&mut self, op: Op, a: Val, value: f64) -> Val {
        let b = self.constant_float_like(a, value);
        self.emit_test(op, a, b)
    }
}

/// Returns true if `NoContraction` matters for an instruction: for arithmetic ones, several of
/// which a device may otherwise contract into one with a single rounding (SPIR-V, Decoration).
fn is_contractible(op: Op) -> bool {
    matches!(
        op,
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::Dot | Op::VectorTimesScalar | Op::FNegate
    )
}

impl ValueBuilder {
    /// Begins the block `label`, which becomes the open block and is reachable.
    pub(crate) fn begin_block(&mut self, label: LabelWord) {
        self.body.push_inst(Op::Label, &[label.0]);
        self.block = label;
        self.reachable = true;
    }

    /// Ends the open block; the caller begins another block immediately.
    pub(crate) fn emit_branch(&mut self, label: LabelWord) {
        self.body.push_inst(Op::Branch, &[label.0]);
    }

    /// Ends the open block; the following code is unreachable from it.
    pub(crate) fn end_with_branch(&mut self, label: LabelWord) {
        self.emit_branch(label);
        self.reachable = false;
    }

    /// Emits `OpBranchConditional`, which ends the open block. `then` is the target if the
    /// condition is true.
    pub(crate) fn emit_branch_conditional(
        &mut self,
        cond: ValueWord,
        then: LabelWord,
        otherwise: LabelWord,
    ) {
        let operands = [cond.0, then.0, otherwise.0];
        self.body.push_inst(Op::BranchConditional, &operands);
    }

    /// Declares the merge block of the selection whose header is the open block.
    pub(crate) fn emit_selection_merge(&mut self, merge: LabelWord) {
        // The driver decides whether to flatten a branch.
        let none = SelectionControl::NONE.bits();
        self.body.push_inst(Op::SelectionMerge, &[merge.0, none]);
    }

    /// Emits `OpLoopMerge`, which makes the open block the header of a loop; `next` is the continue
    /// target.
    pub(crate) fn emit_loop_merge(
        &mut self,
        merge: LabelWord,
        next: LabelWord,
        control: LoopControl,
    ) {
        self.body
            .push_inst(Op::LoopMerge, &[merge.0, next.0, control.bits()]);
    }

    /// Emits the computation of a pointer to an element of type `pointee` of an aggregate.
    /// `operands` are the pointer to the aggregate and the indices.
    pub(crate) fn emit_access_chain(
        &mut self,
        class: StorageClass,
        pointee: TypeWord,
        operands: &[u32],
    ) -> ValueWord {
        let ty = self.pointer_type(class, pointee);
        let pointer = self.new_object();
        self.body
            .push_variadic_result_inst(Op::AccessChain, ty, pointer, operands);
        pointer
    }

    /// Emits `OpStore` of a value to a pointer.
    pub(crate) fn emit_store(&mut self, pointer: ValueWord, value: ValueWord) {
        self.body.push_inst(Op::Store, &[pointer.0, value.0]);
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
