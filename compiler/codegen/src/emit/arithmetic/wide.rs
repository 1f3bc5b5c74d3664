//! 64-bit integers on devices without them: pairs of words, lane by lane.
//!
//! Addresses need addition, subtraction, shifts, logic, comparison and conversion; multiplication
//! requires little more. Division and conversion from and to floats require devices with 64-bit
//! integers.

use crate::analysis::is_comparison;
use crate::builder::{Lane, Scalar, Val, ValueBuilder, convert, int, wide};
use crate::error::{Error, Failure};
use glasm_ir::{Inst, Type, Width, WriteMask};
use spirv::Op as Spv;

/// Emits one lane of an instruction on 64-bit integers. Operands that the operation does not have
/// are not read.
///
/// # Errors
///
/// Returns an error if the operation is not emulated.
pub(in crate::emit) fn emit_wide_lane(
    w: &mut ValueBuilder,
    inst: &Inst,
    operands: [Val; 3],
) -> Result<Val, Failure> {
    let [x, y, z] = operands.map(|val| wide::split(w, val));
    if is_comparison(inst.op) {
        return Ok(wide::compare(w, inst, x, y));
    }
    match wide::compute(w, inst, x, y, z) {
        Some(words) => Ok(wide::join(w, words)),
        None => Err(unsupported(inst)),
    }
}

/// Converts a 64-bit integer to one of type `to`.
pub(in crate::emit) fn convert_from_wide(w: &mut ValueBuilder, to: Type, val: Val) -> Val {
    if to.width() == Width::W64 {
        return val;
    }
    let [low, _] = wide::split(w, val);
    narrow_word(w, low, to)
}

/// Converts a word of type `from`, or of a narrower type in it, to a 64-bit integer.
pub(in crate::emit) fn convert_to_wide(w: &mut ValueBuilder, from: Type, word: Val) -> Val {
    // Narrow types are stored in words: truncated to their width here, as in conversions to words.
    let low = narrow_word(w, word, from);
    let high = wide::compute_sign_word(w, low, from);
    wide::join(w, [low, high])
}

/// Converts integers of type `from` to the other width, 32 or 64 bits.
pub(in crate::emit) fn resize_lanes(
    w: &mut ValueBuilder,
    mut values: [Lane; 4],
    from: Type,
    lanes: u8,
) -> [Lane; 4] {
    let (scalar, pairs) = (w.read_scalar(from), w.wide_int() == Scalar::Pair);
    for lane in WriteMask(lanes).lanes() {
        let value = w.lane_val(values[lane], scalar);
        let resized = match (from.width() == Width::W64, pairs) {
            (true, true) => wide::split(w, value)[0],
            (true, false) => w.unary_to(Spv::UConvert, Scalar::U32, value),
            (false, true) => {
                let high = wide::compute_sign_word(w, value, from);
                wide::join(w, [value, high])
            }
            (false, false) if from.is_signed_int() => convert::extend_sign(w, value),
            (false, false) => w.unary_to(Spv::UConvert, Scalar::U64, value),
        };
        values[lane] = resized.lane(0);
    }
    values
}

/// Extends the low bits of a word that contain a narrow integer to the word.
fn narrow_word(w: &mut ValueBuilder, word: Val, ty: Type) -> Val {
    match ty.width() {
        Width::W32 | Width::W64 => word,
        Width::W8 | Width::W16 => int::extend(w, word, ty.width().bits(), ty.is_signed_int()),
    }
}

/// Returns the error of an operation that is not emulated.
pub(in crate::emit) fn unsupported(inst: &Inst) -> Failure {
    let (op, ty) = (inst.op.name(), inst.ty.name());
    let what = format!("shaderInt64, and {op}.{ty} is not emulated");
    Error::missing_feature("shaderInt64").calling_it(&what)
}
