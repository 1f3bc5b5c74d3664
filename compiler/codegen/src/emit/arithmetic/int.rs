//! Integer operations whose undefined cases in SPIR-V have a meaning here.

use crate::builder::{Val, by_sign};
use crate::emit::Emit;
use crate::emit::cx::InstCx;
use crate::error::Failure;
use spirv::Op as Spv;

impl Emit<'_> {
    /// The upper half of the product.
    pub(in crate::emit) fn mul_high(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(cx)?;
        let op = by_sign(cx.inst.ty, [Spv::SMulExtended, Spv::UMulExtended]);
        // The members of the structure have the type of the operands.
        let (a, b) = self.w.same_size(a, b);
        let halves = self.w.extended_product(op, a, b);
        let (part, operands) = (Spv::CompositeExtract, [halves.0, 1]);
        Ok(self.w.op(part, a.scalar, a.size, &operands))
    }

    /// Quotient toward zero; all ones for a zero divisor, which NV_gpu_program4 section 2.X.8.Z, DIV, leaves undefined.
    pub(in crate::emit) fn int_div(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(cx)?;
        let signed = cx.inst.ty.is_signed_int();
        let op = if signed { Spv::SDiv } else { Spv::UDiv };
        let (safe, is_zero, is_minus_one) = self.w.safe_divisor(b, signed);
        let mut quotient = self.w.binary(op, a, safe);
        if let Some(is_minus_one) = is_minus_one {
            // The quotient of the least value by -1 does not exist; negation wraps.
            let negated = self.w.unary(Spv::SNegate, a);
            quotient = self.w.select(is_minus_one, negated, quotient);
        }
        Ok(self.w.all_ones_if(is_zero, quotient))
    }

    /// Remainder with the sign of the dividend; all ones for a zero divisor.
    pub(in crate::emit) fn int_mod(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(cx)?;
        let signed = cx.inst.ty.is_signed_int();
        let op = if signed { Spv::SRem } else { Spv::UMod };
        // The remainder by -1 is that by 1.
        let (safe, is_zero, _) = self.w.safe_divisor(b, signed);
        let remainder = self.w.binary(op, a, safe);
        Ok(self.w.all_ones_if(is_zero, remainder))
    }

    /// A shift by a count modulo the width: larger counts are undefined in NV_gpu_program4 section 2.X.8.Z, SHL, and in SPIR-V.
    pub(in crate::emit) fn shift(&mut self, cx: InstCx<'_>, op: Spv) -> Result<Val, Failure> {
        let [a, b] = self.two(cx)?;
        let last = u64::from(cx.inst.ty.width().bits()) - 1;
        let count = self.w.binary_bits(Spv::BitwiseAnd, b, last);
        Ok(self.w.binary(op, a, count))
    }

    /// `b` bits of `a` from bit `c` up, sign- or zero-extended.
    pub(in crate::emit) fn bit_extract(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let [a, count, offset] = self.three(cx)?;
        let width = self.w.constant_like(count, 32);
        let mut count = self.w.int_min(count, width);
        let last = self.w.constant_like(offset, 31);
        let shift = self.w.int_min(offset, last);
        if !cx.inst.ty.is_signed_int() {
            // Beyond the top bit there are only zeros.
            let beyond = self.w.compare_bits(Spv::UGreaterThan, offset, 31);
            let none = self.w.constant_like(count, 0);
            count = self.w.select(beyond, none, count);
        }
        let signed_ops = (Spv::ShiftRightArithmetic, Spv::BitFieldSExtract);
        let unsigned_ops = (Spv::ShiftRightLogical, Spv::BitFieldUExtract);
        let (shift_op, op) = by_sign(cx.inst.ty, [signed_ops, unsigned_ops]);
        // Shifted down first: from bit 0 no field reaches beyond the word, which SPIR-V leaves undefined.
        let shifted = self.w.binary(shift_op, a, shift);
        let zero = self.w.uint(0);
        Ok(self.w.bit_field(shifted, count, |emit, a, count| {
            emit.op(op, a.scalar, a.size, &[a.id.0, zero.0, count.id.0])
        }))
    }

    /// The low `c` bits of `b` put into `a` at bit `d`.
    pub(in crate::emit) fn bit_insert(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let [a, b, count] = self.three(cx)?;
        let offset = self.source(cx.inst, 3, cx.lanes)?;
        // Offsets and counts that NV_gpu_program5 section 2.X.8.Z, BFI, leaves undefined are brought to a field that exists.
        let width = self.w.constant_like(offset, 32);
        let offset = self.w.int_min(offset, width);
        let width = self.w.constant_like(offset, 32);
        // SPIR-V leaves fields undefined that reach beyond the word.
        let room = self.w.binary(Spv::ISub, width, offset);
        let count = self.w.int_min(count, room);
        let size = a.size.max(b.size).max(offset.size).max(count.size);
        let (a, b) = (self.w.widen(a, size), self.w.widen(b, size));
        if offset.size == 1 && count.size == 1 {
            return Ok(self.w.insert_bits(a, b, offset, count));
        }
        Ok(self.w.each(a, |emit, index| {
            let [a, b, offset, count] = [a, b, offset, count].map(|val| emit.component(val, index));
            emit.insert_bits(a, b, offset, count)
        }))
    }
}
