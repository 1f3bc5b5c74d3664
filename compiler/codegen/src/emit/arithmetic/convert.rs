//! Conversions between all types, rounding to formats that registers do not have, and packing of
//! several numbers into words. Out-of-range floats never reach a SPIR-V conversion.

use crate::builder::{
    Lane, Scalar, Val, ValueBuilder, arith, convert, int, narrow, precision, wide,
};
use glasm_ir::inst::Rounding;
use glasm_ir::{InstFlags, Src, Type, Width, WriteMask};
use spirv::GlslStd450Op as GlslOp;

/// Source types and rounding of a conversion.
#[derive(Clone, Copy)]
pub(in crate::emit) struct Conversion {
    pub(in crate::emit) from: Type,
    pub(in crate::emit) rounding: Rounding,
    pub(in crate::emit) saturate: bool,
}

/// Truncates words to the width of a narrow type, then applies the modifiers of the source in that
/// type (NV_gpu_program5 section 2.X.8.Z, CVT).
pub(in crate::emit) fn narrow_source(
    w: &mut ValueBuilder,
    words: Val,
    src: &Src,
    from: Type,
) -> Val {
    let val = int::extend(w, words, from.width().bits(), from.is_signed_int());
    arith::apply_modifiers(w, val, src, from.with_width(Width::W32))
}

/// Emits `Cvt`. The result has the type in which registers contain the target: narrow integers are
/// extended to words, halves are floats.
pub(in crate::emit) fn emit_convert(
    w: &mut ValueBuilder,
    to: Type,
    how: Conversion,
    val: Val,
) -> Val {
    let Conversion {
        from,
        rounding,
        saturate,
    } = how;
    match (from.is_float(), to.is_float()) {
        (false, false) => convert::convert_int(w, val, from, to, saturate),
        (false, true) => convert::round_int_to_float(w, val, from, to, rounding),
        (true, false) => convert::round_float_to_int(w, val, to, rounding, saturate),
        (true, true) => convert::round_float(w, val, to, rounding),
    }
}

/// Returns a number rounded to half precision.
pub(in crate::emit) fn round_half(w: &mut ValueBuilder, value: Val) -> Val {
    // The rounding is not relaxed: the device could omit it then.
    w.flags = InstFlags::empty();
    if w.fast_precision {
        // A register has 32 bits in any case: without the rounding a number retains digits and a
        // range that half precision lacks.
        value
    } else {
        precision::round_to_half(w, value)
    }
}

/// Returns a number rounded to signed fixed point with ten fraction bits.
pub(in crate::emit) fn round_fixed(w: &mut ValueBuilder, value: Val) -> Val {
    // The rounding is not relaxed: the device could omit it then.
    w.flags = InstFlags::empty();
    if w.fast_precision {
        // The clamp to [-2048/1024, 2047/1024] remains (NV_fragment_program section 3.11.4.2): it
        // changes more than the last digits.
        precision::clamp_to_fixed(w, value)
    } else {
        precision::round_to_fixed(w, value)
    }
}

/// Emits PK2H: packs two half-precision numbers into one word.
pub(in crate::emit) fn pack_halves(w: &mut ValueBuilder, numbers: Val) -> Val {
    let numbers = w.widen(numbers, 2);
    narrow::pack_two_halves(w, numbers)
}

/// Packs the numbers in the lanes `lanes` into one word.
// PK2US and PK4UB clamp to [0, 1], multiply by 65535 or 255 and round (NV_gpu_program4 section
// 2.X.8.Z), and so do `PackUnorm2x16` and `PackUnorm4x8`. PK4B uses a different formula, which
// front ends expand: its bytes have a bias of 128.
pub(in crate::emit) fn pack_numbers(
    w: &mut ValueBuilder,
    op: GlslOp,
    lanes: u8,
    numbers: Val,
) -> Val {
    let numbers = w.widen(numbers, WriteMask(lanes).count() as u8);
    w.ext_to(op, Scalar::U32, 1, numbers.id)
}

/// Unpacks the `size` numbers of a word; further lanes repeat them (NV_gpu_program4 section
/// 2.X.8.Z, UP2H).
pub(in crate::emit) fn unpack_numbers(
    w: &mut ValueBuilder,
    op: GlslOp,
    size: u8,
    word: Val,
) -> [Lane; 4] {
    let numbers = w.ext_to(op, Scalar::F32, size, word.id);
    std::array::from_fn(|lane| numbers.lane(lane % size as usize))
}

/// Packs two words into a 64-bit lane.
pub(in crate::emit) fn pack_wide(w: &mut ValueBuilder, words: Val) -> Lane {
    let words = w.widen(words, 2);
    wide::pack_words(w, words)
}

/// Unpacks the two words of a 64-bit lane.
pub(in crate::emit) fn unpack_wide(w: &mut ValueBuilder, wide: Val) -> [Lane; 2] {
    let words = wide::unpack_words(w, wide.lane(0));
    [words.lane(0), words.lane(1)]
}
