//! Rounding of floats to a narrower format in a given direction, and halves packed in words.
//!
//! Rounding is integer arithmetic on the bits. Converting to the nearest, converting back and
//! comparing would require fewer instructions, but compilers replace a conversion and its inverse
//! by the original value (Mesa 25.0 with LLVM 19, regardless of contraction in the module), which
//! removes the rounding.

use super::{Scalar, Val, ValueBuilder, single};
use glasm_ir::inst::Rounding;
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Narrower format.
#[derive(Clone, Copy)]
struct Narrow {
    /// Bits of the mantissa, without the leading one.
    mantissa: u32,
    /// Exponent of infinities and NaN.
    special: u64,
    /// Exponent of infinities and NaN in the wider format.
    special_before: u64,
    /// Difference of the biases.
    bias: u64,
}

/// Conversion of a 64-bit to a 32-bit float.
const SINGLE: Narrow = Narrow {
    mantissa: 23,
    special: 0xff,
    special_before: 0x7ff,
    bias: 1023 - 127,
};

/// Conversion of a 32-bit float to a half.
const HALF: Narrow = Narrow {
    mantissa: 10,
    special: 0x1f,
    special_before: 0xff,
    bias: 127 - 15,
};

/// Fields of a float, as words.
#[derive(Clone, Copy)]
struct Parts {
    /// Highest bit of the word, if the float has a sign.
    sign: Val,
    exponent: Val,
    /// Bits of the mantissa that the narrower format retains.
    kept: Val,
    /// Bits of the mantissa that the narrower format drops.
    rest: Val,
}

/// Magnitude of a float in the narrower format, rounded toward zero.
struct Cut {
    bits: Val,
    inexact: Val,
}

/// Converts to the 32-bit float next to a 64-bit one in a direction other than to the nearest, for
/// which the conversion itself is used.
pub(super) fn convert_double_to_single(w: &mut ValueBuilder, val: Val, rounding: Rounding) -> Val {
    let parts = unpack_double(w, val);
    let bits = round_directed(w, SINGLE, parts, rounding);
    let bits = w.binary(Spv::BitwiseOr, bits, parts.sign);
    w.reread(bits, Scalar::F32)
}

/// Converts an inexact 64-bit float to the adjacent 32-bit float with an odd last bit. Rounding
/// that to a half is the same as rounding once.
pub(super) fn round_to_odd(w: &mut ValueBuilder, val: Val) -> Val {
    let parts = unpack_double(w, val);
    let Cut { bits, inexact } = clear_low_bits(w, SINGLE, parts);
    let odd = w.binary_bits(Spv::BitwiseOr, bits, 1);
    let bits = w.select(inexact, odd, bits);
    let bits = select_special_or(w, SINGLE, parts, bits);
    let bits = w.binary(Spv::BitwiseOr, bits, parts.sign);
    w.reread(bits, Scalar::F32)
}

/// Converts to the half next to a 32-bit float in a direction, as a 32-bit float.
pub(super) fn convert_single_to_half(w: &mut ValueBuilder, val: Val, rounding: Rounding) -> Val {
    let word = w.reread(val, Scalar::U32);
    let exponent = extract_field(w, word, 23, HALF.special_before);
    let parts = Parts {
        sign: w.binary_bits(Spv::BitwiseAnd, word, 0x8000_0000),
        exponent,
        kept: extract_field(w, word, 13, 0x3ff),
        rest: w.binary_bits(Spv::BitwiseAnd, word, 0x1fff),
    };
    let bits = round_directed(w, HALF, parts, rounding);
    let sign = w.binary_bits(Spv::ShiftRightLogical, parts.sign, 16);
    let bits = w.binary(Spv::BitwiseOr, bits, sign);
    unpack_halves(w, bits)
}

fn unpack_double(w: &mut ValueBuilder, val: Val) -> Parts {
    let [low, high] = unpack_doubles(w, val);
    let exponent = extract_field(w, high, 20, SINGLE.special_before);
    let upper = w.binary_bits(Spv::BitwiseAnd, high, 0xf_ffff);
    let upper = w.binary_bits(Spv::ShiftLeftLogical, upper, 3);
    let lower = w.binary_bits(Spv::ShiftRightLogical, low, 29);
    Parts {
        sign: w.binary_bits(Spv::BitwiseAnd, high, 0x8000_0000),
        exponent,
        kept: w.binary(Spv::BitwiseOr, upper, lower),
        rest: w.binary_bits(Spv::BitwiseAnd, low, 0x1fff_ffff),
    }
}

/// Unpacks the low and the high words of doubles.
fn unpack_doubles(w: &mut ValueBuilder, val: Val) -> [Val; 2] {
    [0, 1].map(|half| {
        w.map_components(val, |w, index| {
            let double = w.component(val, index);
            let words = w.op(Spv::Bitcast, Scalar::U32, 2, &[double.id.0]);
            w.component(words, half)
        })
    })
}

/// Shifts a word right and returns its bits in `mask`.
fn extract_field(w: &mut ValueBuilder, word: Val, shift: u64, mask: u64) -> Val {
    let shifted = w.binary_bits(Spv::ShiftRightLogical, word, shift);
    w.binary_bits(Spv::BitwiseAnd, shifted, mask)
}

/// Returns the magnitude in the narrower format, rounded in a direction.
fn round_directed(w: &mut ValueBuilder, to: Narrow, parts: Parts, rounding: Rounding) -> Val {
    let Cut { bits, inexact } = clear_low_bits(w, to, parts);
    // The bits of neighboring floats of one sign are neighboring integers, up to infinity. Positive
    // numbers are rounded up and negative ones down by moving away from zero.
    let grows = match rounding {
        Rounding::Trunc | Rounding::Even => None,
        Rounding::Floor => Some(Spv::INotEqual),
        Rounding::Ceil => Some(Spv::IEqual),
    };
    let bits = grows.map_or(bits, |sign| {
        let grows = w.compare_bits(sign, parts.sign, 0);
        let grows = w.test(Spv::LogicalAnd, grows, inexact);
        let next = w.binary_bits(Spv::IAdd, bits, 1);
        w.select(grows, next, bits)
    });
    select_special_or(w, to, parts, bits)
}

/// Truncates the magnitude of a finite number.
fn clear_low_bits(w: &mut ValueBuilder, to: Narrow, parts: Parts) -> Cut {
    let Parts { exponent, kept, .. } = parts;
    let leading = w.constant_like(kept, 1 << to.mantissa);
    let zero = w.constant_like(kept, 0);
    let is_normal = w.compare_bits(Spv::INotEqual, exponent, 0);
    let leading = w.select(is_normal, leading, zero);
    let mantissa = w.binary(Spv::BitwiseOr, kept, leading);
    // Numbers below the least normal number lose a bit for each power of two.
    let bias = w.constant_like(exponent, to.bias);
    let exponent = w.binary(Spv::ISub, exponent, bias);
    let one = w.constant_like(kept, 1);
    let least = w.ext(GlslOp::SMax, &[exponent, one]);
    let lost = w.binary(Spv::ISub, least, exponent);
    let all = w.constant_like(kept, u64::from(to.mantissa) + 1);
    let lost = w.ext(GlslOp::UMin, &[lost, all]);
    let shifted = w.binary(Spv::ShiftRightLogical, mantissa, lost);
    let back = w.binary(Spv::ShiftLeftLogical, shifted, lost);
    let dropped = w.binary(Spv::BitwiseXor, mantissa, back);
    let dropped = w.binary(Spv::BitwiseOr, dropped, parts.rest);
    // The leading one of the mantissa adds 1 to the exponent.
    let special = w.constant_like(kept, to.special);
    let exponent = w.ext(GlslOp::UMin, &[least, special]);
    let exponent = w.binary(Spv::ISub, exponent, one);
    let exponent = w.binary_bits(Spv::ShiftLeftLogical, exponent, to.mantissa.into());
    let bits = w.binary(Spv::IAdd, exponent, shifted);
    let inexact = w.compare_bits(Spv::INotEqual, dropped, 0);
    let largest = w.constant_like(bits, (to.special << to.mantissa) - 1);
    let beyond = w.test(Spv::UGreaterThan, bits, largest);
    Cut {
        bits: w.ext(GlslOp::UMin, &[bits, largest]),
        inexact: w.test(Spv::LogicalOr, inexact, beyond),
    }
}

/// Selects an infinity or NaN of the narrower format if the float is one, else `bits`.
fn select_special_or(w: &mut ValueBuilder, to: Narrow, parts: Parts, bits: Val) -> Val {
    let infinity = w.constant_like(bits, to.special << to.mantissa);
    // The highest bit of the mantissa marks a quiet NaN.
    let quiet = (to.special << 1 | 1) << (to.mantissa - 1);
    let quiet = w.constant_like(bits, quiet);
    let fraction = w.binary(Spv::BitwiseOr, parts.kept, parts.rest);
    let is_infinity = w.compare_bits(Spv::IEqual, fraction, 0);
    let special = w.select(is_infinity, infinity, quiet);
    let is_special = w.compare_bits(Spv::IEqual, parts.exponent, to.special_before);
    w.select(is_special, special, bits)
}

/// Unpacks half-precision numbers in the low bits of words as floats.
pub(crate) fn unpack_halves(w: &mut ValueBuilder, words: Val) -> Val {
    if let Some(parts) = w.constant_parts(words) {
        return w.constant_of(Scalar::F32, parts.map(single), words.size);
    }
    w.map_components(words, |w, index| {
        let word = w.component(words, index);
        let pair = w.ext_to(GlslOp::UnpackHalf2x16, Scalar::F32, 2, word.id);
        w.component(pair, 0)
    })
}

/// Packs floats as half-precision numbers in the low bits of words.
pub(crate) fn pack_halves(w: &mut ValueBuilder, floats: Val) -> Val {
    // The other half of the word is 0.
    let zero = w.float(0.0);
    let floats = clamp_to_halves(w, floats);
    w.map_components(floats, |w, index| {
        let number = w.component(floats, index);
        let (op, operands) = (Spv::CompositeConstruct, [number.id.0, zero.0]);
        let pair = w.op(op, Scalar::F32, 2, &operands);
        w.ext_to(GlslOp::PackHalf2x16, Scalar::U32, 1, pair.id)
    })
}

/// Packs two floats as half-precision numbers in one word.
pub(crate) fn pack_two_halves(w: &mut ValueBuilder, pair: Val) -> Val {
    let pair = clamp_to_halves(w, pair);
    w.ext_to(GlslOp::PackHalf2x16, Scalar::U32, 1, pair.id)
}

/// Clamps floats that are too large for half precision, including infinities, to +-65536, which
/// every driver packs as an infinity: SwiftShader packs infinities and larger numbers as NaN.
fn clamp_to_halves(w: &mut ValueBuilder, floats: Val) -> Val {
    // The first power of two beyond half precision: numbers that round to a finite half are
    // unchanged.
    let low = w.float_like(floats, -65536.0);
    let high = w.float_like(floats, 65536.0);
    let near = w.ext(GlslOp::FClamp, &[floats, low, high]);
    // A clamp of NaN may return any value.
    let is_nan = w.test(Spv::FUnordNotEqual, floats, floats);
    w.select(is_nan, floats, near)
}
