//! Building blocks of formulas of several operations: the first operands, values in hidden
//! registers, results that are assembled from parts.

use super::context::{nearest, placeholder};
use super::{InstCx, Lowerer};
use crate::lang::modifiers::register_type;
use glasm_ir::inst::{Aux, LiteralId};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Dst, Op, RegisterId, Src, WriteMask};

/// The type of most formulas.
pub(super) const F: Type = Type::F32;
/// The type of bits.
pub(super) const U: Type = Type::U32;
/// The type of bits that are compared or shifted with their sign.
pub(super) const S: Type = Type::S32;

/// The sign bit of a float.
pub(super) const SIGN: u64 = 0x8000_0000;
/// All other bits of a float.
pub(super) const MAGNITUDE: u64 = 0x7fff_ffff;

/// A step of a result whose components are computed separately: mask of the components, operation,
/// type, sources.
pub(crate) type Part<'a> = (u8, Op, Type, &'a [Src]);

/// Returns the absolute value of a source; a sign before it has no effect.
pub(crate) fn absolute(mut source: Src) -> Src {
    (source.abs, source.negate) = (true, false);
    source
}

/// Interface between formulas and the lowering of a language, which provides operands, appends
/// operations and writes the result.
pub(crate) trait Formulas {
    /// An instruction whose operands were resolved.
    type Line<'l>;

    /// Returns an operand, read as a type.
    fn value(&mut self, line: &Self::Line<'_>, number: usize, ty: Type) -> Src;

    /// Appends an operation.
    fn inst(&mut self, op: Op, ty: Type, dst: Option<Dst>, aux: Aux, sources: &[Src]);

    /// Returns a register for intermediate values of the instruction.
    fn hidden(&mut self, width: Width) -> RegisterId;

    /// Returns the literal vector with these bits.
    fn literal_id(&mut self, bits: [u64; 4]) -> LiteralId;

    /// Appends the last operation of an instruction: `op` writes the result.
    fn finish_with(&mut self, line: &Self::Line<'_>, op: Op, ty: Type, aux: Aux, sources: &[Src]);

    /// Returns the type of the result.
    fn result_of(line: &Self::Line<'_>) -> Type;

    /// Returns the first operands, each read as a type.
    fn values<const N: usize>(&mut self, line: &Self::Line<'_>, types: [Type; N]) -> [Src; N] {
        std::array::from_fn(|number| self.value(line, number, types[number]))
    }

    /// Returns the first operands, read as floats.
    fn floats<const N: usize>(&mut self, line: &Self::Line<'_>) -> [Src; N] {
        self.values(line, [F; N])
    }

    /// Appends an instruction that writes lanes of a hidden register.
    #[inline]
    fn put(&mut self, register: RegisterId, mask: WriteMask, op: Op, ty: Type, sources: &[Src]) {
        let dst = Dst::new(register, mask);
        self.inst(op, ty, Some(dst), Aux::None, sources);
    }

    /// Returns a hidden register that holds the result of an operation in all lanes.
    fn compute(&mut self, op: Op, ty: Type, sources: &[Src]) -> Src {
        self.compute_with(op, ty, Aux::None, sources)
    }

    /// Returns a hidden register that holds the result of an operation with auxiliary data.
    fn compute_with(&mut self, op: Op, ty: Type, aux: Aux, sources: &[Src]) -> Src {
        let register = self.hidden(ty.width());
        // All lanes, regardless of the result: emission leaves out unused ones.
        let dst = Dst::new(register, WriteMask::XYZW);
        self.inst(op, ty, Some(dst), aux, sources);
        Src::register(register)
    }

    /// Returns a source converted to the nearest value of another type, in a hidden register.
    fn converted(&mut self, source: Src, from: Type, to: Type) -> Src {
        let register = self.hidden(register_type(to).width());
        let dst = Dst::new(register, WriteMask::XYZW);
        self.inst(Op::Cvt, to, Some(dst), nearest(from), &[source]);
        Src::register(register)
    }

    /// Returns the same bits in all lanes.
    fn bits(&mut self, bits: u64) -> Src {
        Src::new(glasm_ir::Base::Literal(self.literal_id([bits; 4])))
    }

    /// Returns a float in all lanes.
    fn float(&mut self, value: f32) -> Src {
        self.bits(u64::from(value.to_bits()))
    }

    /// Appends the last operation of an instruction, without auxiliary data.
    #[inline]
    fn finish(&mut self, line: &Self::Line<'_>, op: Op, ty: Type, sources: &[Src]) {
        self.finish_with(line, op, ty, Aux::None, sources);
    }

    /// Writes a value as the result.
    fn finish_mov(&mut self, line: &Self::Line<'_>, source: Src) {
        self.finish(line, Op::Mov, Self::result_of(line), &[source]);
    }

    /// Returns a value that is at least `low` and at most `high`.
    fn clamp(&mut self, value: Src, low: Src, high: Src) -> Src {
        let raised = self.compute(Op::Max, F, &[value, low]);
        self.compute(Op::Min, F, &[raised, high])
    }

    /// Returns the polynomial with these coefficients, that of the lowest power first. Horner's
    /// scheme: one multiplication and addition for each.
    fn polynomial(&mut self, value: Src, coefficients: &[f32]) -> Src {
        let mut highest_first = coefficients.iter().rev();
        let mut sum = self.float(highest_first.next().copied().unwrap_or(0.0));
        for &coefficient in highest_first {
            let coefficient = self.float(coefficient);
            sum = self.compute(Op::Mad, F, &[sum, value, coefficient]);
        }
        sum
    }

    /// Writes the result of LIT: 1, the diffuse part, the specular part if there is a diffuse one,
    /// 1.
    fn finish_lit(&mut self, line: &Self::Line<'_>, diffuse: Src, power: Src) {
        let (zero, one) = (self.float(0.0), self.float(1.0));
        let parts: [Part<'_>; 3] = [
            (0b1001, Op::Mov, F, &[one]),
            (0b0010, Op::Mov, F, &[diffuse]),
            // A value above zero is below zero when negated; a diffuse part of 0 has no specular
            // one. NV_gpu_program4 section 2.X.8.Z, LIT.
            (0b0100, Op::SelLt, F, &[diffuse.negated(), power, zero]),
        ];
        self.finish_parts(line, &parts);
    }

    /// Returns a hidden register that is written part by part.
    fn assemble(&mut self, parts: &[Part<'_>]) -> Src {
        let register = self.hidden(F.width());
        for &(mask, op, ty, sources) in parts {
            self.put(register, WriteMask(mask), op, ty, sources);
        }
        Src::register(register)
    }

    /// Writes a result whose components are computed separately.
    fn finish_parts(&mut self, line: &Self::Line<'_>, parts: &[Part<'_>]) {
        let value = self.assemble(parts);
        self.finish_mov(line, value);
    }
}

impl Formulas for Lowerer<'_> {
    type Line<'l> = InstCx<'l>;

    #[inline]
    fn value(&mut self, cx: &InstCx<'_>, number: usize, ty: Type) -> Src {
        Lowerer::value(self, cx, number, ty)
    }

    #[inline]
    fn inst(&mut self, op: Op, ty: Type, dst: Option<Dst>, aux: Aux, sources: &[Src]) {
        Lowerer::inst(self, op, ty, dst, aux, sources);
    }

    #[inline]
    fn hidden(&mut self, width: Width) -> RegisterId {
        Lowerer::hidden(self, width)
    }

    #[inline]
    fn literal_id(&mut self, bits: [u64; 4]) -> LiteralId {
        self.resources.literal_id(bits)
    }

    #[inline]
    fn finish_with(&mut self, cx: &InstCx<'_>, op: Op, ty: Type, aux: Aux, sources: &[Src]) {
        Lowerer::finish_with(self, cx, op, ty, aux, sources);
    }

    #[inline]
    fn result_of(cx: &InstCx<'_>) -> Type {
        cx.result
    }
}

/// Sources of an instruction that are collected sequentially. No operation has more.
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
