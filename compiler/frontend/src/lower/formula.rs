//! What formulas of several operations are written with: the first operands, values in hidden registers, results made of parts.

use super::context::placeholder;
use super::{InstCx, Lowerer};
use glasm_ir::inst::Aux;
use glasm_ir::types::Type;
use glasm_ir::{Dst, Op, Src, WriteMask};

/// The type of most formulas.
pub(super) const F: Type = Type::F32;

/// A step of a result whose components are computed apart: mask of the components, operation, type, sources.
pub(super) type Part<'a> = (u8, Op, Type, &'a [Src]);

impl Lowerer<'_> {
    /// The first operands, each read as a type.
    pub(super) fn values<const N: usize>(&mut self, cx: &InstCx<'_>, types: [Type; N]) -> [Src; N] {
        std::array::from_fn(|number| self.value(cx, number, types[number]))
    }

    /// The first operands, read as floats.
    pub(super) fn floats<const N: usize>(&mut self, cx: &InstCx<'_>) -> [Src; N] {
        self.values(cx, [F; N])
    }

    /// A hidden register that holds the result of an operation with data of its own.
    pub(super) fn compute_with(&mut self, op: Op, ty: Type, aux: Aux, sources: &[Src]) -> Src {
        let register = self.hidden(ty.width());
        let dst = Dst::new(register, WriteMask::XYZW);
        self.inst(op, ty, Some(dst), aux, sources);
        Src::register(register)
    }

    /// A value that is at least `low` and at most `high`.
    pub(super) fn clamp(&mut self, value: Src, low: Src, high: Src) -> Src {
        let raised = self.compute(Op::Max, F, &[value, low]);
        self.compute(Op::Min, F, &[raised, high])
    }

    /// A hidden register that is written part by part.
    pub(super) fn assemble(&mut self, parts: &[Part<'_>]) -> Src {
        let register = self.hidden(F.width());
        for &(mask, op, ty, sources) in parts {
            self.put(register, WriteMask(mask), op, ty, sources);
        }
        Src::register(register)
    }

    /// Writes a result whose components are computed apart.
    pub(super) fn finish_parts(&mut self, cx: &InstCx<'_>, parts: &[Part<'_>]) {
        let value = self.assemble(parts);
        self.finish_mov(cx, value);
    }
}

/// Sources of an instruction that are collected one after the other. No operation has more.
pub(super) struct Sources {
    list: [Src; 6],
    count: usize,
}

impl Sources {
    pub(super) fn new() -> Self {
        Self {
            list: [placeholder(); 6],
            count: 0,
        }
    }

    pub(super) fn push(&mut self, source: Src) {
        self.list[self.count] = source;
        self.count += 1;
    }

    pub(super) fn all(&self) -> &[Src] {
        &self.list[..self.count]
    }
}
