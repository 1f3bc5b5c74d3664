//! Floats cut to a narrower format in a given direction.
//!
//! All of it is integer arithmetic on the bits. Converting to the nearest, converting back and
//! comparing takes fewer instructions, but compilers take a conversion to and fro for the value
//! itself (Mesa 25.0 with LLVM 19, regardless of contraction in the module), and then nothing is
//! ever rounded.

use super::{Builder, Scalar, Val};
use glasm_ir::inst::Rounding;
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// What a float is cut to.
#[derive(Clone, Copy)]
struct Narrow {
    /// Bits of the mantissa, without the leading one.
    mantissa: u32,
    /// The exponent of infinities and NaN.
    special: u64,
    /// The same in the wider format.
    special_before: u64,
    /// The difference of the biases.
    bias: u64,
}

/// A 32-bit float of a 64-bit one.
const SINGLE: Narrow = Narrow {
    mantissa: 23,
    special: 0xff,
    special_before: 0x7ff,
    bias: 1023 - 127,
};

/// A half of a 32-bit float.
const HALF: Narrow = Narrow {
    mantissa: 10,
    special: 0x1f,
    special_before: 0xff,
    bias: 127 - 15,
};

/// The parts of a float, as words.
#[derive(Clone, Copy)]
struct Parts {
    /// The highest bit of the word, if the float has a sign.
    sign: Val,
    exponent: Val,
    /// The bits of the mantissa that the narrower format has.
    kept: Val,
    /// Those that it has not.
    rest: Val,
}

/// The magnitude of a float in the narrower format, rounded toward zero.
struct Cut {
    bits: Val,
    inexact: Val,
}

impl Builder {
    /// The 32-bit float next to a 64-bit one in a direction; to the nearest the conversion itself goes.
    pub(super) fn convert_double_to_single(&mut self, val: Val, rounding: Rounding) -> Val {
        let parts = self.unpack_double(val);
        let bits = self.round_directed(SINGLE, parts, rounding);
        let bits = self.binary(Spv::BitwiseOr, bits, parts.sign);
        self.reread(bits, Scalar::F32)
    }

    /// The 32-bit float with an odd last bit next to an inexact 64-bit one. Rounding that to a half is the same as rounding once.
    pub(super) fn round_to_odd(&mut self, val: Val) -> Val {
        let parts = self.unpack_double(val);
        let Cut { bits, inexact } = self.clear_low_bits(SINGLE, parts);
        let odd = self.binary_bits(Spv::BitwiseOr, bits, 1);
        let bits = self.select(inexact, odd, bits);
        let bits = self.select_special_or(SINGLE, parts, bits);
        let bits = self.binary(Spv::BitwiseOr, bits, parts.sign);
        self.reread(bits, Scalar::F32)
    }

    /// The half next to a 32-bit float in a direction, as a 32-bit float.
    pub(super) fn convert_single_to_half(&mut self, val: Val, rounding: Rounding) -> Val {
        let word = self.reread(val, Scalar::U32);
        let exponent = self.extract_field(word, 23, HALF.special_before);
        let parts = Parts {
            sign: self.binary_bits(Spv::BitwiseAnd, word, 0x8000_0000),
            exponent,
            kept: self.extract_field(word, 13, 0x3ff),
            rest: self.binary_bits(Spv::BitwiseAnd, word, 0x1fff),
        };
        let bits = self.round_directed(HALF, parts, rounding);
        let sign = self.binary_bits(Spv::ShiftRightLogical, parts.sign, 16);
        let bits = self.binary(Spv::BitwiseOr, bits, sign);
        self.half_to_float(bits)
    }

    fn unpack_double(&mut self, val: Val) -> Parts {
        let [low, high] = self.unpack_doubles(val);
        let exponent = self.extract_field(high, 20, SINGLE.special_before);
        let upper = self.binary_bits(Spv::BitwiseAnd, high, 0xf_ffff);
        let upper = self.binary_bits(Spv::ShiftLeftLogical, upper, 3);
        let lower = self.binary_bits(Spv::ShiftRightLogical, low, 29);
        Parts {
            sign: self.binary_bits(Spv::BitwiseAnd, high, 0x8000_0000),
            exponent,
            kept: self.binary(Spv::BitwiseOr, upper, lower),
            rest: self.binary_bits(Spv::BitwiseAnd, low, 0x1fff_ffff),
        }
    }

    /// The low and the high words of doubles.
    fn unpack_doubles(&mut self, val: Val) -> [Val; 2] {
        [0, 1].map(|half| {
            self.each(val, |emit, index| {
                let double = emit.component(val, index);
                let words = emit.op(Spv::Bitcast, Scalar::U32, 2, &[double.id.0]);
                emit.component(words, half)
            })
        })
    }

    /// Returns the bits of `mask` of a word that is shifted right.
    fn extract_field(&mut self, word: Val, shift: u64, mask: u64) -> Val {
        let shifted = self.binary_bits(Spv::ShiftRightLogical, word, shift);
        self.binary_bits(Spv::BitwiseAnd, shifted, mask)
    }

    /// The magnitude in the narrower format, rounded in a direction.
    fn round_directed(&mut self, to: Narrow, parts: Parts, rounding: Rounding) -> Val {
        let Cut { bits, inexact } = self.clear_low_bits(to, parts);
        // The bits of neighboring floats of one sign are neighboring numbers, up to infinity. Away from zero are numbers above positive
        // ones and below negative ones.
        let grows = match rounding {
            Rounding::Trunc | Rounding::Even => None,
            Rounding::Floor => Some(Spv::INotEqual),
            Rounding::Ceil => Some(Spv::IEqual),
        };
        let bits = grows.map_or(bits, |sign| {
            let grows = self.compare_bits(sign, parts.sign, 0);
            let grows = self.test(Spv::LogicalAnd, grows, inexact);
            let next = self.binary_bits(Spv::IAdd, bits, 1);
            self.select(grows, next, bits)
        });
        self.select_special_or(to, parts, bits)
    }

    /// The magnitude of a finite number, rounded toward zero.
    fn clear_low_bits(&mut self, to: Narrow, parts: Parts) -> Cut {
        let Parts { exponent, kept, .. } = parts;
        let leading = self.constant_like(kept, 1 << to.mantissa);
        let zero = self.constant_like(kept, 0);
        let is_normal = self.compare_bits(Spv::INotEqual, exponent, 0);
        let leading = self.select(is_normal, leading, zero);
        let mantissa = self.binary(Spv::BitwiseOr, kept, leading);
        // Numbers below the least normal one lose a bit for each power of two.
        let bias = self.constant_like(exponent, to.bias);
        let exponent = self.binary(Spv::ISub, exponent, bias);
        let one = self.constant_like(kept, 1);
        let least = self.ext(GlslOp::SMax, &[exponent, one]);
        let lost = self.binary(Spv::ISub, least, exponent);
        let all = self.constant_like(kept, u64::from(to.mantissa) + 1);
        let lost = self.ext(GlslOp::UMin, &[lost, all]);
        let shifted = self.binary(Spv::ShiftRightLogical, mantissa, lost);
        let back = self.binary(Spv::ShiftLeftLogical, shifted, lost);
        let dropped = self.binary(Spv::BitwiseXor, mantissa, back);
        let dropped = self.binary(Spv::BitwiseOr, dropped, parts.rest);
        // The leading one of the mantissa adds 1 to the exponent.
        let special = self.constant_like(kept, to.special);
        let exponent = self.ext(GlslOp::UMin, &[least, special]);
        let exponent = self.binary(Spv::ISub, exponent, one);
        let exponent = self.binary_bits(Spv::ShiftLeftLogical, exponent, to.mantissa.into());
        let bits = self.binary(Spv::IAdd, exponent, shifted);
        let inexact = self.compare_bits(Spv::INotEqual, dropped, 0);
        let largest = self.constant_like(bits, (to.special << to.mantissa) - 1);
        let beyond = self.test(Spv::UGreaterThan, bits, largest);
        Cut {
            bits: self.ext(GlslOp::UMin, &[bits, largest]),
            inexact: self.test(Spv::LogicalOr, inexact, beyond),
        }
    }

    /// An infinity or NaN of the narrower format where the float is one, else `bits`.
    fn select_special_or(&mut self, to: Narrow, parts: Parts, bits: Val) -> Val {
        let infinity = self.constant_like(bits, to.special << to.mantissa);
        // The highest bit of the mantissa is that of a quiet NaN.
        let quiet = (to.special << 1 | 1) << (to.mantissa - 1);
        let quiet = self.constant_like(bits, quiet);
        let fraction = self.binary(Spv::BitwiseOr, parts.kept, parts.rest);
        let is_infinity = self.compare_bits(Spv::IEqual, fraction, 0);
        let special = self.select(is_infinity, infinity, quiet);
        let is_special = self.compare_bits(Spv::IEqual, parts.exponent, to.special_before);
        self.select(is_special, special, bits)
    }
}
