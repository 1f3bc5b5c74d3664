//! Single SPIR-V instructions on values: operands of one size, decorations, folding.

use super::{Lane, Scalar, Val, ValueBuilder, fold};
use crate::words::ValueWord;
use glasm_ir::InstFlags;
use spirv::{Decoration, GlslStd450Op as GlslOp, Op};

impl ValueBuilder {
    /// Widens two operands to the same number of components.
    #[inline]
    pub(crate) fn widen_both(&mut self, a: Val, b: Val) -> (Val, Val) {
        let size = a.size.max(b.size);
        (self.widen(a, size), self.widen(b, size))
    }

    /// Adds the decorations that the flags of the instruction require.
    #[inline]
    pub(crate) fn decorate_result(&mut self, val: Val, op: Op) {
        if self.is_exact || !self.flags.is_empty() {
            self.decorate_flagged(val, op);
        }
    }

    #[inline(never)]
    fn decorate_flagged(&mut self, val: Val, op: Op) {
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

    /// Emits `op a`, with the type of `a`.
    pub(crate) fn unary(&mut self, op: Op, a: Val) -> Val {
        self.unary_to(op, a.scalar, a)
    }

    /// Emits `op a`, with components of type `to`.
    pub(crate) fn unary_to(&mut self, op: Op, to: Scalar, a: Val) -> Val {
        let val = self.op(op, to, a.size, &[a.id.0]);
        self.decorate_result(val, op);
        val
    }

    /// Emits `a op b`, with the type of `a`. Folds constants and exact identities.
    #[inline]
    pub(crate) fn binary(&mut self, op: Op, a: Val, b: Val) -> Val {
        if a.size != b.size || self.is_constant(a.id) || self.is_constant(b.id) {
            return self.fold_or_write_binary(op, a, b);
        }
        self.write_binary(op, a, b)
    }

    /// Emits `a op b` for operands of different sizes, or if one is a constant.
    #[inline(never)]
    fn fold_or_write_binary(&mut self, op: Op, a: Val, b: Val) -> Val {
        if let Some(known) = self.fold_binary(op, a, b) {
            return known;
        }
        // After folding, because widening may emit an instruction that is then unused.
        let (a, b) = self.widen_both(a, b);
        self.write_binary(op, a, b)
    }

    #[inline]
    fn write_binary(&mut self, op: Op, a: Val, b: Val) -> Val {
        let val = self.op(op, a.scalar, a.size, &[a.id.0, b.id.0]);
        self.decorate_result(val, op);
        val
    }

    fn fold_binary(&mut self, op: Op, a: Val, b: Val) -> Option<Val> {
        let (x, y) = (self.splat_bits(a), self.splat_bits(b));
        if x.is_none() && y.is_none() {
            return None;
        }
        // The result has the size of the larger operand, so a smaller one cannot replace it.
        match fold::binary(op, a.scalar, x, y) {
            fold::Folded::Constant(bits) => {
                Some(self.constant_splat(a.scalar, bits, a.size.max(b.size)))
            }
            fold::Folded::First if a.size >= b.size => Some(a),
            fold::Folded::Second if b.size >= a.size => Some(b),
            fold::Folded::First | fold::Folded::Second | fold::Folded::No => None,
        }
    }

    /// Emits a comparison, or an operation of booleans; the result has the type `truth`. Folds
    /// constants.
    pub(crate) fn compare(&mut self, op: Op, truth: Scalar, a: Val, b: Val) -> Val {
        if self.is_constant(a.id)
            && self.is_constant(b.id)
            && let Some(known) = self.fold_comparison(op, truth, a, b)
        {
            return known;
        }
        let (a, b) = self.widen_both(a, b);
        self.op(op, truth, a.size, &[a.id.0, b.id.0])
    }

    #[cold]
    fn fold_comparison(&mut self, op: Op, truth: Scalar, a: Val, b: Val) -> Option<Val> {
        let (x, y) = (self.constant_parts(a)?, self.constant_parts(b)?);
        let mut parts = [0; 4];
        for (index, part) in parts.iter_mut().enumerate() {
            *part = u64::from(fold::truth(op, a.scalar, x[index], y[index])?);
        }
        Some(self.constant_of(truth, parts, a.size.max(b.size)))
    }

    /// Emits a comparison of numbers as a boolean.
    pub(crate) fn test(&mut self, op: Op, a: Val, b: Val) -> Val {
        self.compare(op, Scalar::BoolInt, a, b)
    }

    /// Emits `a op constant` as a boolean.
    pub(crate) fn compare_bits(&mut self, op: Op, a: Val, bits: u64) -> Val {
        let b = self.constant_like(a, bits);
        self.test(op, a, b)
    }

    /// Emits `cond ? a : b`. Folds constant conditions.
    pub(crate) fn select(&mut self, cond: Val, a: Val, b: Val) -> Val {
        if a.id == b.id {
            return a;
        }
        if let Some(parts) = self.constant_parts(cond) {
            return self.select_known(cond, &parts, a, b);
        }
        // Before SPIR-V 1.4 a vector is selected by a vector of booleans, not by a single one.
        let size = cond.size.max(a.size).max(b.size);
        let cond = self.widen(cond, size);
        let a = self.widen(a, size);
        let b = self.widen(b, size);
        let val = self.op(Op::Select, a.scalar, size, &[cond.id.0, a.id.0, b.id.0]);
        self.decorate_result(val, Op::Select);
        val
    }

    #[cold]
    fn select_known(&mut self, cond: Val, parts: &[u64; 4], a: Val, b: Val) -> Val {
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

    /// Emits a GLSL.std.450 instruction, with the type of the first argument.
    pub(crate) fn ext<const N: usize>(&mut self, op: GlslOp, args: &[Val; N]) -> Val {
        // GLSL.std.450 requires all operands to have the type of the result; only a few
        // instructions accept scalars with vectors.
        let size = args.iter().fold(1, |size, arg| size.max(arg.size));
        // No instruction of GLSL.std.450 has more than three arguments.
        let mut operands = [self.glsl().0, op as u32, 0, 0, 0];
        for (operand, &arg) in operands[2..].iter_mut().zip(args) {
            *operand = self.widen(arg, size).id.0;
        }
        let val = self.long_op(Op::ExtInst, args[0].scalar, size, &operands[..2 + N]);
        self.decorate_result(val, Op::ExtInst);
        val
    }

    /// Emits a GLSL.std.450 instruction on one value with a result of another type.
    pub(crate) fn ext_to(&mut self, op: GlslOp, scalar: Scalar, size: u8, arg: ValueWord) -> Val {
        let glsl = self.glsl();
        self.op(Op::ExtInst, scalar, size, &[glsl.0, op as u32, arg.0])
    }

    /// Maps the components of `val` individually: `f` maps each to a scalar.
    pub(crate) fn map_components(
        &mut self,
        val: Val,
        mut f: impl FnMut(&mut Self, usize) -> Val,
    ) -> Val {
        let mut lanes = [Lane::UNDEFINED; 4];
        // `f` may return another type than that of its argument.
        let mut scalar = val.scalar;
        for (index, lane) in lanes[..val.size as usize].iter_mut().enumerate() {
            let part = f(self, index);
            scalar = part.scalar;
            *lane = part.lane(0);
        }
        self.gather_vector(&lanes[..val.size as usize], scalar)
    }

    /// Extracts component `index` of `val`; returns `val` itself if it is a scalar.
    pub(crate) fn component(&mut self, val: Val, index: usize) -> Val {
        let id = if val.size == 1 {
            val.id
        } else {
            self.extract(val.id, index)
        };
        Val { id, size: 1, ..val }
    }

    /// Reads `val` as another type of the same width.
    pub(crate) fn reread(&mut self, val: Val, scalar: Scalar) -> Val {
        let id = self.cast(val.id, scalar);
        Val { id, scalar, ..val }
    }

    /// Emits `!value`. Folds constants.
    pub(crate) fn not(&mut self, value: Val) -> Val {
        if let Some(parts) = self.constant_parts(value) {
            let parts = parts.map(|bits| u64::from(bits == 0));
            return self.constant_of(Scalar::BoolInt, parts, value.size);
        }
        self.op(Op::LogicalNot, Scalar::BoolInt, value.size, &[value.id.0])
    }

    /// Emits a logical operation. Folds constants.
    pub(crate) fn truth_op(&mut self, op: Op, a: Val, b: Val) -> Val {
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
        self.test(op, a, b)
    }

    /// Emits `a op constant`.
    pub(crate) fn binary_bits(&mut self, op: Op, a: Val, bits: u64) -> Val {
        let b = self.constant_like(a, bits);
        self.binary(op, a, b)
    }

    /// Emits `a op constant` of floats.
    pub(crate) fn binary_float(&mut self, op: Op, a: Val, value: f64) -> Val {
        let b = self.float_like(a, value);
        self.binary(op, a, b)
    }

    /// Emits `a op constant` of floats as a boolean.
    pub(crate) fn compare_float(&mut self, op: Op, a: Val, value: f64) -> Val {
        let b = self.float_like(a, value);
        self.test(op, a, b)
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
