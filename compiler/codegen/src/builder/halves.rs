//! Half precision in words, and 64-bit lanes from and to words.

use super::Lane;
use super::{Builder, Scalar, Val, single};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

impl Builder {
    /// 64-bit lane `half` of two that four words hold.
    pub(crate) fn wide_half(&mut self, words: Val, half: usize) -> Lane {
        let pair = [words.lane(2 * half), words.lane(2 * half + 1)];
        let pair = self.gather_vector(&pair, Scalar::U32);
        self.wide_from_words(pair)
    }

    /// A 64-bit lane from a vector of two words.
    pub(crate) fn wide_from_words(&mut self, words: Val) -> Lane {
        let (scalar, op) = self.wide_cast();
        if let (Some(low), Some(high)) = (self.part_bits(words, 0), self.part_bits(words, 1)) {
            return Lane::scalar(self.constant(scalar, low | high << 32));
        }
        self.op(op, scalar, 1, &[words.id.0]).lane(0)
    }

    /// The scalar of 64-bit integers, and what makes one of a vector of two words, and back.
    fn wide_cast(&self) -> (Scalar, Spv) {
        let scalar = self.wide_int();
        match scalar == Scalar::Pair {
            // The same vector under another name: a pair is a vector of two words.
            true => (scalar, Spv::CopyObject),
            false => (scalar, Spv::Bitcast),
        }
    }

    fn part_bits(&self, words: Val, index: usize) -> Option<u64> {
        let part = if words.size == 1 {
            words.id
        } else {
            self.derived(words.id).parts[index]
        };
        part.is_some().then(|| self.constant_bits(part)).flatten()
    }

    /// The two words of a 64-bit lane as a vector.
    pub(crate) fn words_of_wide(&mut self, lane: Lane) -> Val {
        let (scalar, op) = self.wide_cast();
        let wide = self.scalar(lane, scalar);
        self.op(op, Scalar::U32, 2, &[wide.0])
    }

    /// Half-precision numbers in the low bits of words, as floats.
    pub(crate) fn half_to_float(&mut self, words: Val) -> Val {
        if let Some(parts) = self.constant_parts(words) {
            return self.constant_of(Scalar::F32, parts.map(single), words.size);
        }
        self.each(words, |emit, index| {
            let word = emit.component(words, index);
            let pair = emit.ext_to(GlslOp::UnpackHalf2x16, Scalar::F32, 2, word.id);
            emit.component(pair, 0)
        })
    }

    /// Floats as half-precision numbers in the low bits of words.
    pub(crate) fn float_to_half(&mut self, floats: Val) -> Val {
        // The other half of the word, which stays 0.
        let zero = self.float(0.0);
        let floats = self.beyond_halves_as_one(floats);
        self.each(floats, |emit, index| {
            let number = emit.component(floats, index);
            let (op, operands) = (Spv::CompositeConstruct, [number.id.0, zero.0]);
            let pair = emit.op(op, Scalar::F32, 2, &operands);
            emit.ext_to(GlslOp::PackHalf2x16, Scalar::U32, 1, pair.id)
        })
    }

    /// Two floats as half-precision numbers in one word.
    pub(crate) fn halves_in_word(&mut self, pair: Val) -> Val {
        let pair = self.beyond_halves_as_one(pair);
        self.ext_to(GlslOp::PackHalf2x16, Scalar::U32, 1, pair.id)
    }

    /// Brings floats that are too large for half precision, infinities included, to +-65536, which every driver packs as an
    /// infinity: SwiftShader makes NaN of infinities and of larger numbers.
    fn beyond_halves_as_one(&mut self, floats: Val) -> Val {
        // The first power of two beyond half precision, so that no number that rounds to a finite half is changed.
        let low = self.float_like(floats, -65536.0);
        let high = self.float_like(floats, 65536.0);
        let near = self.ext(GlslOp::FClamp, &[floats, low, high]);
        // A clamp may make anything of NaN.
        let is_nan = self.test(Spv::FUnordNotEqual, floats, floats);
        self.select(is_nan, floats, near)
    }
}
