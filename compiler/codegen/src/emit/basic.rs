//! Single SPIR-V instructions on values: operands brought to one size, decorations, folding.

use super::{Emit, fold};
use crate::gather::Lane;
use crate::words::ValueWord;
use crate::writer::{Scalar, Val};
use glasm_ir::InstFlags;
use spirv::{Decoration, GlslStd450Op as GlslOp, Op};

impl Emit<'_> {
    /// Brings two operands to the same number of components.
    #[inline]
    pub(super) fn same_size(&mut self, a: Val, b: Val) -> (Val, Val) {
        if a.size == b.size {
            return (a, b);
        }
        let size = a.size.max(b.size);
        (self.w.widen(a, size), self.w.widen(b, size))
    }

    /// A constant of the type and size of `like`.
    pub(super) fn constant_like(&mut self, like: Val, bits: u64) -> Val {
        self.w.constant_splat(like.scalar, bits, like.size)
    }

    /// A float constant of the type and size of `like`.
    pub(super) fn float_like(&mut self, like: Val, value: f64) -> Val {
        let bits = if like.scalar == Scalar::F64 {
            value.to_bits()
        } else {
            u64::from((value as f32).to_bits())
        };
        self.constant_like(like, bits)
    }

    /// The bits of `val` if it is a constant with equal components.
    #[inline]
    pub(super) fn splat_bits(&self, val: Val) -> Option<u64> {
        if !self.is_constant(val.id) {
            return None;
        }
        if val.size == 1 {
            return self.w.constant_bits(val.id);
        }
        let parts = &self.w.derived(val.id).parts[..val.size as usize];
        let equal = parts.iter().all(|&part| part == parts[0]);
        equal.then(|| self.w.constant_bits(parts[0])).flatten()
    }

    /// Decorations that the flags of the instruction ask for.
    #[inline]
    pub(super) fn decorate(&mut self, val: Val, op: Op) {
        if self.flags.is_empty() {
            return;
        }
        if self.flags.contains(InstFlags::PRECISE) && is_contractible(op) {
            self.w.decorate(val.id, Decoration::NoContraction, &[]);
        }
        let relaxes = matches!(val.scalar, Scalar::F32 | Scalar::U32 | Scalar::S32);
        if self.flags.contains(InstFlags::RELAXED) && relaxes {
            self.w.decorate(val.id, Decoration::RelaxedPrecision, &[]);
        }
    }

    /// `op a`, with the type of `a`.
    pub(super) fn unary(&mut self, op: Op, a: Val) -> Val {
        self.unary_to(op, a.scalar, a)
    }

    /// `op a`, with components of type `to`.
    pub(super) fn unary_to(&mut self, op: Op, to: Scalar, a: Val) -> Val {
        let val = self.w.op(op, to, a.size, &[a.id.0]);
        self.decorate(val, op);
        val
    }

    /// `a op b`, with the type of `a`. Folds constants and exact identities.
    pub(super) fn binary(&mut self, op: Op, a: Val, b: Val) -> Val {
        if (self.is_constant(a.id) || self.is_constant(b.id))
            && let Some(known) = self.folded(op, a, b)
        {
            return known;
        }
        let (a, b) = self.same_size(a, b);
        let val = self.w.op(op, a.scalar, a.size, &[a.id.0, b.id.0]);
        self.decorate(val, op);
        val
    }

    fn folded(&mut self, op: Op, a: Val, b: Val) -> Option<Val> {
        let (x, y) = (self.splat_bits(a), self.splat_bits(b));
        if x.is_none() && y.is_none() {
            return None;
        }
        match fold::binary(op, a.scalar, x, y) {
            fold::Folded::Constant(bits) => {
                Some(self.w.constant_splat(a.scalar, bits, a.size.max(b.size)))
            }
            fold::Folded::First if a.size >= b.size => Some(a),
            fold::Folded::Second if b.size >= a.size => Some(b),
            fold::Folded::First | fold::Folded::Second | fold::Folded::No => None,
        }
    }

    /// A comparison, or an operation of booleans; the result stands for `truth`. Folds constants.
    pub(super) fn compare(&mut self, op: Op, truth: Scalar, a: Val, b: Val) -> Val {
        if self.is_constant(a.id)
            && self.is_constant(b.id)
            && let Some(known) = self.known_truth(op, truth, a, b)
        {
            return known;
        }
        let (a, b) = self.same_size(a, b);
        self.w.op(op, truth, a.size, &[a.id.0, b.id.0])
    }

    #[cold]
    fn known_truth(&mut self, op: Op, truth: Scalar, a: Val, b: Val) -> Option<Val> {
        let (x, y) = (self.constant_parts(a)?, self.constant_parts(b)?);
        let mut parts = [0; 4];
        for (index, part) in parts.iter_mut().enumerate() {
            *part = u64::from(fold::truth(op, a.scalar, x[index], y[index])?);
        }
        Some(self.constant_of(truth, parts, a.size.max(b.size)))
    }

    /// `a op constant` as a boolean.
    pub(super) fn compare_bits(&mut self, op: Op, a: Val, bits: u64) -> Val {
        let b = self.constant_like(a, bits);
        self.compare(op, Scalar::BoolInt, a, b)
    }

    /// `cond ? a : b`
    pub(super) fn select(&mut self, cond: Val, a: Val, b: Val) -> Val {
        if a.id == b.id {
            return a;
        }
        if let Some(bits) = self.splat_bits(cond) {
            return if bits != 0 { a } else { b };
        }
        let size = cond.size.max(a.size).max(b.size);
        if let Some(parts) = self.constant_parts(cond) {
            let mut lanes = [Lane::UNDEFINED; 4];
            for (index, lane) in lanes.iter_mut().enumerate().take(size as usize) {
                *lane = if parts[index] != 0 { a } else { b }.lane(index);
            }
            return self.w.gather_vector(&lanes[..size as usize], a.scalar);
        }
        let cond = self.w.widen(cond, size);
        let a = self.w.widen(a, size);
        let b = self.w.widen(b, size);
        let val = self
            .w
            .op(Op::Select, a.scalar, size, &[cond.id.0, a.id.0, b.id.0]);
        self.decorate(val, Op::Select);
        val
    }

    /// A GLSL.std.450 instruction, with the type of the first argument.
    pub(super) fn ext(&mut self, op: GlslOp, args: &[Val]) -> Val {
        let size = args.iter().map(|arg| arg.size).max().unwrap_or(1);
        let mut operands = [self.w.glsl().0, op as u32, 0, 0, 0];
        for (operand, &arg) in operands[2..].iter_mut().zip(args) {
            *operand = self.w.widen(arg, size).id.0;
        }
        let scalar = args[0].scalar;
        let val = self
            .w
            .long_op(Op::ExtInst, scalar, size, &operands[..2 + args.len()]);
        self.decorate(val, Op::ExtInst);
        val
    }

    /// A GLSL.std.450 instruction on one value with a result of another type.
    pub(super) fn ext_to(&mut self, op: GlslOp, scalar: Scalar, size: u8, arg: ValueWord) -> Val {
        let glsl = self.w.glsl();
        self.w
            .op(Op::ExtInst, scalar, size, &[glsl.0, op as u32, arg.0])
    }

    /// Components of `val` one by one: `f` maps each to a scalar.
    pub(super) fn each(&mut self, val: Val, mut f: impl FnMut(&mut Self, usize) -> Val) -> Val {
        if val.size == 1 {
            return f(self, 0);
        }
        let mut lanes = [Lane::UNDEFINED; 4];
        let mut scalar = val.scalar;
        for (index, lane) in lanes[..val.size as usize].iter_mut().enumerate() {
            let part = f(self, index);
            scalar = part.scalar;
            *lane = part.lane(0);
        }
        self.w.gather_vector(&lanes[..val.size as usize], scalar)
    }

    /// Component `index` of `val`, or `val` itself if it is a scalar.
    pub(super) fn component(&mut self, val: Val, index: usize) -> Val {
        let id = if val.size == 1 {
            val.id
        } else {
            self.w.extract(val.id, index)
        };
        Val { id, size: 1, ..val }
    }

    /// `val` read as another type of the same width.
    pub(super) fn reread(&mut self, val: Val, scalar: Scalar) -> Val {
        let id = self.w.cast(val.id, scalar);
        Val { id, scalar, ..val }
    }

    /// The same boolean, standing for another truth value.
    pub(super) fn as_truth(val: Val, scalar: Scalar) -> Val {
        Val { scalar, ..val }
    }
}

fn is_contractible(op: Op) -> bool {
    matches!(
        op,
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::Dot | Op::VectorTimesScalar | Op::FNegate
    )
}
