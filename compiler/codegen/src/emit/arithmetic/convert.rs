//! Conversions between all types, and numbers with the bits of a format that registers do not have. Out-of-range floats never reach a SPIR-V conversion.

use crate::builder::{Builder, Val};
use glasm_ir::inst::Rounding;
use glasm_ir::{InstFlags, Src, Type, Width};

/// What a conversion is from and how.
#[derive(Clone, Copy)]
pub(in crate::emit) struct Conversion {
    pub(in crate::emit) from: Type,
    pub(in crate::emit) rounding: Rounding,
    pub(in crate::emit) saturate: bool,
}

/// Cuts words to the width of a narrow type, then applies the modifiers of the source as the type that they are (NV_gpu_program5 section
/// 2.X.8.Z, CVT).
pub(in crate::emit) fn narrow_source(w: &mut Builder, words: Val, src: &Src, from: Type) -> Val {
    let val = w.extend(words, from.width().bits(), from.is_signed_int());
    w.modify(val, src, from.with_width(Width::W32))
}

/// `Cvt`. The result has the type in which the target is kept: narrow integers are extended, halves are floats here.
pub(in crate::emit) fn emit_convert(w: &mut Builder, to: Type, how: Conversion, val: Val) -> Val {
    let Conversion {
        from,
        rounding,
        saturate,
    } = how;
    match (from.is_float(), to.is_float()) {
        (false, false) => w.int_to_int(val, from, to, saturate),
        (false, true) => w.int_to_float(val, from, to, rounding),
        (true, false) => w.float_to_int(val, to, rounding, saturate),
        (true, true) => w.float_to_float(val, to, rounding),
    }
}

/// A number as half precision has it.
pub(in crate::emit) fn round_half(w: &mut Builder, value: Val) -> Val {
    // The rounding is not relaxed: that would leave it to the device.
    w.flags = InstFlags::empty();
    match w.fast_precision {
        // A register has 32 bits in any case: without the rounding a number keeps digits and a range that half precision lacks.
        true => value,
        false => w.as_half(value),
    }
}

/// A number as signed fixed point numbers with ten fraction bits have it.
pub(in crate::emit) fn round_fixed(w: &mut Builder, value: Val) -> Val {
    // The rounding is not relaxed: that would leave it to the device.
    w.flags = InstFlags::empty();
    match w.fast_precision {
        // The clamp to [-2048/1024, 2047/1024] stays (NV_fragment_program section 3.11.4.2): it changes more than last digits.
        true => w.in_fixed_range(value),
        false => w.as_fixed(value),
    }
}
