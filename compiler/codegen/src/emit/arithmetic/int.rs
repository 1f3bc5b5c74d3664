//! Integer operations for which the languages define cases that are undefined in SPIR-V.

use crate::builder::{Val, ValueBuilder, by_sign, int};
use glasm_ir::Type;
use spirv::Op as Spv;

/// Emits the upper half of a product.
pub(in crate::emit) fn emit_mul_high(w: &mut ValueBuilder, ty: Type, [a, b]: [Val; 2]) -> Val {
    let op = by_sign(ty, [Spv::SMulExtended, Spv::UMulExtended]);
    // The members of the structure have the type of the operands.
    let (a, b) = w.widen_both(a, b);
    let halves = int::emit_extended_product(w, op, a, b);
    let (part, operands) = (Spv::CompositeExtract, [halves.0, 1]);
    w.op(part, a.scalar, a.size, &operands)
}

/// Emits a quotient rounded toward zero; all ones for a zero divisor, which NV_gpu_program4 section
/// 2.X.8.Z, DIV, leaves undefined.
pub(in crate::emit) fn emit_int_div(w: &mut ValueBuilder, ty: Type, [a, b]: [Val; 2]) -> Val {
    let signed = ty.is_signed_int();
    let op = if signed { Spv::SDiv } else { Spv::UDiv };
    let (safe, is_zero, is_minus_one) = int::make_safe_divisor(w, b, signed);
    let mut quotient = w.binary(op, a, safe);
    if let Some(is_minus_one) = is_minus_one {
        // The quotient of the least value by -1 is not representable; negation wraps.
        let negated = w.unary(Spv::SNegate, a);
        quotient = w.select(is_minus_one, negated, quotient);
    }
    int::select_all_ones(w, is_zero, quotient)
}

/// Emits a remainder with the sign of the dividend; all ones for a zero divisor.
pub(in crate::emit) fn emit_int_mod(w: &mut ValueBuilder, ty: Type, [a, b]: [Val; 2]) -> Val {
    let signed = ty.is_signed_int();
    let op = if signed { Spv::SRem } else { Spv::UMod };
    // The remainder by -1 is equal to the remainder by 1.
    let (safe, is_zero, _) = int::make_safe_divisor(w, b, signed);
    let remainder = w.binary(op, a, safe);
    int::select_all_ones(w, is_zero, remainder)
}

/// Emits a shift by a count modulo the width: larger counts are undefined in NV_gpu_program4
/// section 2.X.8.Z, SHL, and in SPIR-V.
pub(in crate::emit) fn emit_shift(
    w: &mut ValueBuilder,
    ty: Type,
    op: Spv,
    [a, b]: [Val; 2],
) -> Val {
    let last = u64::from(ty.width().bits()) - 1;
    let count = w.binary_bits(Spv::BitwiseAnd, b, last);
    w.binary(op, a, count)
}

/// Extracts `b` bits of `a` from bit `c` up, sign- or zero-extended.
pub(in crate::emit) fn emit_bit_extract(
    w: &mut ValueBuilder,
    ty: Type,
    [a, count, offset]: [Val; 3],
) -> Val {
    let width = w.constant_like(count, 32);
    let mut count = int::select_min(w, count, width);
    let last = w.constant_like(offset, 31);
    let shift = int::select_min(w, offset, last);
    if !ty.is_signed_int() {
        // All bits beyond the top bit are zero.
        let beyond = w.compare_bits(Spv::UGreaterThan, offset, 31);
        let none = w.constant_like(count, 0);
        count = w.select(beyond, none, count);
    }
    let signed_ops = (Spv::ShiftRightArithmetic, Spv::BitFieldSExtract);
    let unsigned_ops = (Spv::ShiftRightLogical, Spv::BitFieldUExtract);
    let (shift_op, op) = by_sign(ty, [signed_ops, unsigned_ops]);
    // Shifted down first: a field from bit 0 up never extends beyond the word, which SPIR-V leaves
    // undefined.
    let shifted = w.binary(shift_op, a, shift);
    let zero = w.uint(0);
    int::apply_to_bit_field(w, shifted, count, |w, a, count| {
        w.op(op, a.scalar, a.size, &[a.id.0, zero.0, count.id.0])
    })
}

/// Inserts the low `count` bits of `b` into `a` at bit `offset`.
pub(in crate::emit) fn emit_bit_insert(
    w: &mut ValueBuilder,
    [a, b, count]: [Val; 3],
    offset: Val,
) -> Val {
    // Offsets and counts that NV_gpu_program5 section 2.X.8.Z, BFI, leaves undefined are clamped to
    // a valid field.
    let width = w.constant_like(offset, 32);
    let offset = int::select_min(w, offset, width);
    let width = w.constant_like(offset, 32);
    // SPIR-V leaves fields undefined that extend beyond the word.
    let room = w.binary(Spv::ISub, width, offset);
    let count = int::select_min(w, count, room);
    let size = a.size.max(b.size).max(offset.size).max(count.size);
    let (a, b) = (w.widen(a, size), w.widen(b, size));
    if offset.size == 1 && count.size == 1 {
        return int::insert_bits(w, a, b, offset, count);
    }
    w.map_components(a, |w, index| {
        let [a, b, offset, count] = [a, b, offset, count].map(|val| w.component(val, index));
        int::insert_bits(w, a, b, offset, count)
    })
}
