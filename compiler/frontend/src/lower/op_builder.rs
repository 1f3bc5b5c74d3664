//! Building blocks of formulas of several operations: the first operands, values in hidden
//! registers, results that are assembled from parts.

use super::resource::Resources;
use super::{InstContext, Lowerer};
use super::{nearest_conversion, placeholder_source};
use crate::lang::modifiers::register_type;
use glasm_ir::inst::{InstData, LiteralId};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Dst, Inst, Op, RegisterId, Src, WriteMask};

/// The type of most formulas.
pub(super) const F32: Type = Type::F32;
/// The type of bits.
pub(super) const U32: Type = Type::U32;
/// The type of bits that are compared or shifted with their sign.
pub(super) const S32: Type = Type::S32;

/// The sign bit of a float.
pub(super) const SIGN_MASK: u64 = 0x8000_0000;
/// All other bits of a float.
pub(super) const MAGNITUDE_MASK: u64 = 0x7fff_ffff;

/// A step of a result whose components are computed separately: mask of the components, operation,
/// type, sources.
pub(crate) type ResultPart<'a> = (u8, Op, Type, &'a [Src]);

/// Returns the absolute value of a source; a sign before it is dropped.
pub(crate) fn with_abs(mut source: Src) -> Src {
    (source.abs, source.negate) = (true, false);
    source
}

/// Interface between formulas and the lowering of a language, which provides operands, appends
/// operations and writes the result.
pub(crate) trait OpBuilder {
    /// An instruction whose operands were resolved.
    type Inst<'l>;

    /// Returns operand `operand`, from 0, of the instruction, read as type `ty`; emits conversions
    /// and adds what it reads to the program.
    fn load_source(&mut self, line: &Self::Inst<'_>, operand: usize, ty: Type) -> Src;

    /// Appends an instruction to the open block of the program.
    fn emit_inst(&mut self, op: Op, ty: Type, dst: Option<Dst>, aux: InstData, sources: &[Src]);

    /// Returns a register of at least this width for intermediate values of the instruction, which
    /// is free again when the next one begins.
    fn alloc_hidden(&mut self, width: Width) -> RegisterId;

    /// Returns the literal vector with these bits; equal vectors share one literal.
    fn intern_literal(&mut self, bits: [u64; 4]) -> LiteralId;

    /// Appends the last operation of an instruction, with auxiliary data: `op`, computed in the
    /// type `ty`, writes the result, with the mask, condition, clamp and condition codes of the
    /// instruction.
    fn emit_result_with_aux(
        &mut self,
        line: &Self::Inst<'_>,
        op: Op,
        ty: Type,
        aux: InstData,
        sources: &[Src],
    );

    /// Returns the type of the instruction's result.
    fn result_type(line: &Self::Inst<'_>) -> Type;

    /// Returns the first `N` operands, each read as the type with its number in `types`; emits what
    /// they need.
    fn load_sources<const N: usize>(
        &mut self,
        line: &Self::Inst<'_>,
        types: [Type; N],
    ) -> [Src; N] {
        std::array::from_fn(|number| self.load_source(line, number, types[number]))
    }

    /// Returns the first `N` operands of the instruction, read as 32-bit floats.
    fn load_floats<const N: usize>(&mut self, line: &Self::Inst<'_>) -> [Src; N] {
        self.load_sources(line, [F32; N])
    }

    /// Appends an instruction that writes the lanes in `mask` of a hidden register, without clamp
    /// and condition codes.
    fn emit_to_register(
        &mut self,
        register: RegisterId,
        mask: WriteMask,
        op: Op,
        ty: Type,
        sources: &[Src],
    ) {
        let dst = Dst::new(register, mask);
        self.emit_inst(op, ty, Some(dst), InstData::None, sources);
    }

    /// Returns a hidden register that holds the result of an operation in all lanes.
    fn compute(&mut self, op: Op, ty: Type, sources: &[Src]) -> Src {
        self.compute_with_aux(op, ty, InstData::None, sources)
    }

    /// Emits an operation with auxiliary data and returns a hidden register, of the width of `ty`,
    /// that holds its result in all lanes.
    fn compute_with_aux(&mut self, op: Op, ty: Type, aux: InstData, sources: &[Src]) -> Src {
        let register = self.alloc_hidden(ty.width());
        // All lanes, regardless of the result: emission leaves out unused ones.
        let dst = Dst::new(register, WriteMask::XYZW);
        self.emit_inst(op, ty, Some(dst), aux, sources);
        Src::from_register(register)
    }

    /// Emits the conversion of a source from type `from` to the nearest value of type `to`, and
    /// returns the hidden register that holds it.
    fn compute_conversion(&mut self, source: Src, from: Type, to: Type) -> Src {
        let register = self.alloc_hidden(register_type(to).width());
        let dst = Dst::new(register, WriteMask::XYZW);
        self.emit_inst(Op::Cvt, to, Some(dst), nearest_conversion(from), &[source]);
        Src::from_register(register)
    }

    /// Returns a literal with the same bits in all lanes, which is added to the program.
    fn splat_bits(&mut self, bits: u64) -> Src {
        Src::new(glasm_ir::OperandBase::Literal(
            self.intern_literal([bits; 4]),
        ))
    }

    /// Returns a literal with the same float in all lanes.
    fn splat_float(&mut self, value: f32) -> Src {
        self.splat_bits(u64::from(value.to_bits()))
    }

    /// Appends the last operation of an instruction, without auxiliary data.
    fn emit_result(&mut self, line: &Self::Inst<'_>, op: Op, ty: Type, sources: &[Src]) {
        self.emit_result_with_aux(line, op, ty, InstData::None, sources);
    }

    /// Writes a value as the instruction's result, with its mask, guard and clamp.
    fn emit_result_copy(&mut self, line: &Self::Inst<'_>, source: Src) {
        self.emit_result(line, Op::Mov, Self::result_type(line), &[source]);
    }

    /// Emits `min(max(value, low), high)` of floats and returns the hidden register that holds it.
    fn compute_clamp(&mut self, value: Src, low: Src, high: Src) -> Src {
        let raised = self.compute(Op::Max, F32, &[value, low]);
        self.compute(Op::Min, F32, &[raised, high])
    }

    /// Emits the polynomial of `value` with these coefficients, that of the lowest power first, and
    /// returns it. Horner's scheme: one multiplication and addition for each.
    fn compute_polynomial(&mut self, value: Src, coefficients: &[f32]) -> Src {
        let mut highest_first = coefficients.iter().rev();
        let mut sum = self.splat_float(highest_first.next().copied().unwrap_or(0.0));
        for &coefficient in highest_first {
            let coefficient = self.splat_float(coefficient);
            sum = self.compute(Op::Mad, F32, &[sum, value, coefficient]);
        }
        sum
    }

    /// Emits the result of LIT: 1, the diffuse part, `power` if the diffuse part is greater than 0,
    /// else 0, and 1.
    fn emit_lit_result(&mut self, line: &Self::Inst<'_>, diffuse: Src, power: Src) {
        let (zero, one) = (self.splat_float(0.0), self.splat_float(1.0));
        let parts: [ResultPart<'_>; 3] = [
            (0b1001, Op::Mov, F32, &[one]),
            (0b0010, Op::Mov, F32, &[diffuse]),
            // A value above zero is below zero when negated; a diffuse part of 0 has no specular
            // one. NV_gpu_program4 section 2.X.8.Z, LIT.
            (0b0100, Op::SelLt, F32, &[diffuse.negated(), power, zero]),
        ];
        self.emit_result_parts(line, &parts);
    }

    /// Emits operations that each write some components of a hidden register, and returns it. They
    /// must not read it.
    fn compute_parts(&mut self, parts: &[ResultPart<'_>]) -> Src {
        let register = self.alloc_hidden(F32.width());
        for &(mask, op, ty, sources) in parts {
            self.emit_to_register(register, WriteMask(mask), op, ty, sources);
        }
        Src::from_register(register)
    }

    /// Emits the result of an instruction whose components are computed by separate operations. All
    /// are computed before the result is written, which may be one of the operands.
    fn emit_result_parts(&mut self, line: &Self::Inst<'_>, parts: &[ResultPart<'_>]) {
        let value = self.compute_parts(parts);
        self.emit_result_copy(line, value);
    }
}

impl OpBuilder for Lowerer<'_> {
    type Inst<'l> = InstContext<'l>;

    fn load_source(&mut self, cx: &InstContext<'_>, operand: usize, ty: Type) -> Src {
        let source = &self.resources.checked.insts.sources[cx.inst.first_source as usize + operand];
        self.load_operand(source, ty)
    }

    fn emit_inst(&mut self, op: Op, ty: Type, dst: Option<Dst>, aux: InstData, sources: &[Src]) {
        let inst = Inst {
            op,
            ty,
            flags: self.flags,
            // The builder counts the sources.
            source_count: 0,
            first_source: 0,
            dst,
            data: aux,
            span: self.span,
        };
        self.resources.builder.push_inst(inst, sources);
    }

    fn alloc_hidden(&mut self, width: Width) -> RegisterId {
        let Resources {
            builder, ir_map, ..
        } = &mut self.resources;
        ir_map.hidden_registers.alloc(&mut builder.program, width)
    }

    fn intern_literal(&mut self, bits: [u64; 4]) -> LiteralId {
        self.resources.intern_literal(bits)
    }

    fn emit_result_with_aux(
        &mut self,
        cx: &InstContext<'_>,
        op: Op,
        ty: Type,
        aux: InstData,
        sources: &[Src],
    ) {
        self.emit_converted_result(cx, op, ty, aux, sources);
    }

    fn result_type(cx: &InstContext<'_>) -> Type {
        cx.types.result
    }
}

/// Sources of an instruction that are collected sequentially. No operation has more.
pub(super) struct SourceList {
    sources: [Src; 6],
    count: usize,
}

impl SourceList {
    /// Returns an empty list, which has space for six sources, the most that an instruction has.
    pub(super) fn new() -> Self {
        Self {
            sources: [placeholder_source(); 6],
            count: 0,
        }
    }

    /// Appends a source; the list must not be full.
    pub(super) fn push(&mut self, source: Src) {
        self.sources[self.count] = source;
        self.count += 1;
    }

    /// Returns the sources that have been appended, in order.
    pub(super) fn as_slice(&self) -> &[Src] {
        &self.sources[..self.count]
    }
}
