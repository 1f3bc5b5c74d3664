//! Integer operations for which the languages define cases that are undefined in SPIR-V.
//!
//! On devices without 64-bit integers they are pairs of words, computed lane by lane. Addresses
//! need addition, subtraction, shifts, logic, comparison and conversion; multiplication requires
//! little more. Division and conversion from and to floats require devices with 64-bit integers.

use crate::analysis::is_comparison;
use crate::builder::{
    Lane, Scalar, Val, ValueBuilder, convert, int, int64_emulation, select_by_sign,
};
use crate::error::{Error, Failure};
use glasm_ir::{Inst, Type, Width, WriteMask};
use spirv::Op as Spv;

/// Emits the upper half of the double-width product of two integers, signed or unsigned as `ty`
/// specifies.
pub(in crate::emit) fn emit_mul_high(
    builder: &mut ValueBuilder,
    ty: Type,
    [a, b]: [Val; 2],
) -> Val {
    let op = select_by_sign(ty, [Spv::SMulExtended, Spv::UMulExtended]);
    // The members of the structure have the type of the operands.
    let (a, b) = builder.widen_both(a, b);
    let halves = int::emit_extended_product(builder, op, a, b);
    let (part, operands) = (Spv::CompositeExtract, [halves.0, 1]);
    builder.emit_op(part, a.scalar, a.size, &operands)
}

/// Emits a quotient rounded toward zero; all ones for a zero divisor, which NV_gpu_program4 section
/// 2.X.8.Z, DIV, leaves undefined. The quotient of the least signed value by -1 is that value.
pub(in crate::emit) fn emit_int_div(builder: &mut ValueBuilder, ty: Type, [a, b]: [Val; 2]) -> Val {
    let signed = ty.is_signed_int();
    let op = if signed { Spv::SDiv } else { Spv::UDiv };
    let (safe, is_zero, is_minus_one) = int::make_safe_divisor(builder, b, signed);
    let mut quotient = builder.emit_binary(op, a, safe);
    if let Some(is_minus_one) = is_minus_one {
        // The quotient of the least value by -1 is not representable; negation wraps.
        let negated = builder.emit_unary(Spv::SNegate, a);
        quotient = builder.emit_select(is_minus_one, negated, quotient);
    }
    int::select_all_ones(builder, is_zero, quotient)
}

/// Emits a remainder with the sign of the dividend; all ones for a zero divisor.
pub(in crate::emit) fn emit_int_mod(builder: &mut ValueBuilder, ty: Type, [a, b]: [Val; 2]) -> Val {
    let signed = ty.is_signed_int();
    let op = if signed { Spv::SRem } else { Spv::UMod };
    // The remainder by -1 is equal to the remainder by 1.
    let (safe, is_zero, _) = int::make_safe_divisor(builder, b, signed);
    let remainder = builder.emit_binary(op, a, safe);
    int::select_all_ones(builder, is_zero, remainder)
}

/// Emits a shift by a count modulo the width: larger counts are undefined in NV_gpu_program4
/// section 2.X.8.Z, SHL, and in SPIR-V. `op` is the shift in its direction.
pub(in crate::emit) fn emit_shift(
    builder: &mut ValueBuilder,
    ty: Type,
    op: Spv,
    [a, b]: [Val; 2],
) -> Val {
    let last = u64::from(ty.width().bits()) - 1;
    let count = builder.emit_binary_bits(Spv::BitwiseAnd, b, last);
    builder.emit_binary(op, a, count)
}

/// Extracts `count` bits of `a` from bit `offset` up, sign- or zero-extended. Counts above 32 are
/// 32; an offset beyond the word yields 0, or copies of the sign for signed types.
pub(in crate::emit) fn emit_bit_extract(
    builder: &mut ValueBuilder,
    ty: Type,
    [a, count, offset]: [Val; 3],
) -> Val {
    let width = builder.constant_like(count, 32);
    let mut count = int::select_min(builder, count, width);
    let last = builder.constant_like(offset, 31);
    let shift = int::select_min(builder, offset, last);
    if !ty.is_signed_int() {
        // All bits beyond the top bit are zero.
        let beyond = builder.emit_compare_bits(Spv::UGreaterThan, offset, 31);
        let none = builder.constant_like(count, 0);
        count = builder.emit_select(beyond, none, count);
    }
    let signed_ops = (Spv::ShiftRightArithmetic, Spv::BitFieldSExtract);
    let unsigned_ops = (Spv::ShiftRightLogical, Spv::BitFieldUExtract);
    let (shift_op, op) = select_by_sign(ty, [signed_ops, unsigned_ops]);
    // Shifted down first: a field from bit 0 up never extends beyond the word, which SPIR-V leaves
    // undefined.
    let shifted = builder.emit_binary(shift_op, a, shift);
    let zero = builder.constant_u32(0);
    int::apply_to_bit_field(builder, shifted, count, |w, a, count| {
        w.emit_op(op, a.scalar, a.size, &[a.id.0, zero.0, count.id.0])
    })
}

/// Emits `a` with the low `count` bits of `b` from bit `offset` on. Fields beyond the word are
/// clamped.
pub(in crate::emit) fn emit_bit_insert(
    builder: &mut ValueBuilder,
    [a, b, count]: [Val; 3],
    offset: Val,
) -> Val {
    // Offsets and counts that NV_gpu_program5 section 2.X.8.Z, BFI, leaves undefined are clamped to
    // a valid field.
    let width = builder.constant_like(offset, 32);
    let offset = int::select_min(builder, offset, width);
    let width = builder.constant_like(offset, 32);
    // SPIR-V leaves fields undefined that extend beyond the word.
    let room = builder.emit_binary(Spv::ISub, width, offset);
    let count = int::select_min(builder, count, room);
    let size = a.size.max(b.size).max(offset.size).max(count.size);
    let (a, b) = (builder.widen(a, size), builder.widen(b, size));
    if offset.size == 1 && count.size == 1 {
        return int::insert_bits(builder, a, b, offset, count);
    }
    builder.map_components(a, |w, index| {
        let [a, b, offset, count] =
            [a, b, offset, count].map(|val| w.extract_component(val, index));
        int::insert_bits(w, a, b, offset, count)
    })
}

/// Emits one lane of an instruction on 64-bit integers in pairs of words. Operands that the
/// operation does not have are not read.
///
/// # Errors
///
/// Returns an error if the operation is not emulated.
pub(in crate::emit) fn emit_wide_lane(
    builder: &mut ValueBuilder,
    inst: &Inst,
    operands: [Val; 3],
) -> Result<Val, Failure> {
    let [x, y, z] = operands.map(|val| int64_emulation::split_pair(builder, val));
    if is_comparison(inst.op) {
        return Ok(int64_emulation::compare_words(builder, inst, x, y));
    }
    match int64_emulation::compute_op(builder, inst, x, y, z) {
        Some(words) => Ok(int64_emulation::join_pair(builder, words)),
        None => Err(err_not_emulated(inst)),
    }
}

/// Converts a 64-bit integer in a pair to type `to`: unchanged for 64 bits, truncated for 32 bits,
/// truncated and extended to a word for narrower types.
pub(in crate::emit) fn convert_from_wide(builder: &mut ValueBuilder, to: Type, val: Val) -> Val {
    if to.width() == Width::W64 {
        return val;
    }
    let [low, _] = int64_emulation::split_pair(builder, val);
    extend_narrow_word(builder, low, to)
}

/// Converts a word of type `from`, or of a narrower type in it, to a 64-bit integer in a pair.
pub(in crate::emit) fn convert_to_wide(builder: &mut ValueBuilder, from: Type, word: Val) -> Val {
    // Narrow types are stored in words: truncated to their width here, as in conversions to words.
    let low = extend_narrow_word(builder, word, from);
    let high = int64_emulation::compute_high_word(builder, low, from);
    int64_emulation::join_pair(builder, [low, high])
}

/// Converts the lanes `lanes` of integers of type `from` to the other width, 32 or 64 bits; other
/// lanes are unchanged.
pub(in crate::emit) fn resize_lanes(
    builder: &mut ValueBuilder,
    mut values: [Lane; 4],
    from: Type,
    lanes: u8,
) -> [Lane; 4] {
    let (scalar, pairs) = (
        builder.lane_scalar(from),
        builder.wide_int_scalar() == Scalar::Pair,
    );
    for lane in WriteMask(lanes).lanes() {
        let value = builder.read_lane_val(values[lane], scalar);
        let resized = match (from.width() == Width::W64, pairs) {
            (true, true) => int64_emulation::split_pair(builder, value)[0],
            (true, false) => builder.emit_unary_to(Spv::UConvert, Scalar::U32, value),
            (false, true) => {
                let high = int64_emulation::compute_high_word(builder, value, from);
                int64_emulation::join_pair(builder, [value, high])
            }
            (false, false) if from.is_signed_int() => convert::extend_sign(builder, value),
            (false, false) => builder.emit_unary_to(Spv::UConvert, Scalar::U64, value),
        };
        values[lane] = resized.lane(0);
    }
    values
}

/// Extends the low bits of a word that contain a narrow integer to the word. Types of 32 and 64
/// bits are unchanged.
fn extend_narrow_word(builder: &mut ValueBuilder, word: Val, ty: Type) -> Val {
    match ty.width() {
        Width::W32 | Width::W64 => word,
        Width::W8 | Width::W16 => {
            int::extend_low_bits(builder, word, ty.width().bits(), ty.is_signed_int())
        }
    }
}

/// Returns the error of a 64-bit operation on a device without 64-bit integers, for which no
/// emulation exists.
pub(in crate::emit) fn err_not_emulated(inst: &Inst) -> Failure {
    let (op, ty) = (inst.op.name(), inst.ty.name());
    let description = format!("shaderInt64, and {op}.{ty} is not emulated");
    Error::missing_feature("shaderInt64").describing_feature(&description)
}
