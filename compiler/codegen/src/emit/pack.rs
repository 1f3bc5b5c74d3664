//! Packing of small numbers into words, half precision, and 64-bit lanes from and to words.

use super::Emit;
use super::constant::single;
use super::inst::Job;
use super::result::Outcome;
use crate::error::Failure;
use crate::gather::Lane;
use crate::writer::{Scalar, Val};
use glasm_ir::{Type, WriteMask};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

impl Emit<'_> {
    /// PK2H: half-precision numbers of lanes x and y in one word.
    pub(super) fn pack_halves(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let numbers = self.source(job.inst, 0, 0b0011)?;
        let numbers = self.w.widen(numbers, 2);
        Ok(self.halves_in_word(numbers))
    }

    /// Numbers of the lanes `lanes` in one word.
    pub(super) fn pack(&mut self, job: Job<'_>, op: GlslOp, lanes: u8) -> Result<Val, Failure> {
        let numbers = self.source(job.inst, 0, lanes)?;
        let numbers = self.w.widen(numbers, WriteMask(lanes).count() as u8);
        Ok(self.ext_to(op, Scalar::U32, 1, numbers.id))
    }

    /// The `size` numbers of a word; further lanes repeat them.
    pub(super) fn unpack(
        &mut self,
        job: Job<'_>,
        op: GlslOp,
        size: u8,
    ) -> Result<Outcome, Failure> {
        let program = self.program;
        let src = &program.srcs[job.inst.first_source as usize];
        let word = self.source_as(src, Type::U32, 1)?;
        let numbers = self.ext_to(op, Scalar::F32, size, word.id);
        Ok(Outcome::Lanes(std::array::from_fn(|lane| {
            numbers.lane(lane % size as usize)
        })))
    }

    /// 64-bit lanes of pairs of words.
    pub(super) fn pack64(&mut self, job: Job<'_>) -> Result<Outcome, Failure> {
        let program = self.program;
        let src = &program.srcs[job.inst.first_source as usize];
        let odd = WriteMask(job.lanes).lanes().any(|lane| lane % 2 == 1);
        let even = WriteMask(job.lanes).lanes().any(|lane| lane % 2 == 0);
        let mut wide = [Lane::UNDEFINED; 2];
        for (half, mask) in [(0, 0b0011), (1, 0b1100)] {
            if half == 0 && even || half == 1 && odd {
                let words = self.source_as(src, Type::U32, mask)?;
                let words = self.w.widen(words, 2);
                wide[half] = self.wide_from_words(words);
            }
        }
        Ok(Outcome::Lanes(std::array::from_fn(|lane| wide[lane % 2])))
    }

    /// A 64-bit lane from a vector of two words.
    pub(super) fn wide_from_words(&mut self, words: Val) -> Lane {
        if let (Some(low), Some(high)) = (self.part_bits(words, 0), self.part_bits(words, 1)) {
            let scalar = self.wide_int();
            return Lane::scalar(self.w.constant(scalar, low | high << 32));
        }
        let scalar = self.wide_int();
        if scalar == Scalar::Pair {
            // The same vector under another name: a pair is a vector of two words.
            let operands = [words.id.0];
            return self.w.op(Spv::CopyObject, scalar, 1, &operands).lane(0);
        }
        self.w.op(Spv::Bitcast, scalar, 1, &[words.id.0]).lane(0)
    }

    fn part_bits(&self, words: Val, index: usize) -> Option<u64> {
        let part = if words.size == 1 {
            words.id
        } else {
            self.w.derived(words.id).parts[index]
        };
        part.is_some().then(|| self.w.constant_bits(part)).flatten()
    }

    /// The two words of a 64-bit lane as a vector.
    pub(super) fn words_of_wide(&mut self, lane: Lane) -> Val {
        let scalar = self.wide_int();
        let wide = self.w.scalar(lane, scalar);
        let op = if scalar == Scalar::Pair {
            Spv::CopyObject
        } else {
            Spv::Bitcast
        };
        self.w.op(op, Scalar::U32, 2, &[wide.0])
    }

    /// Words of 64-bit lanes.
    pub(super) fn unpack64(&mut self, job: Job<'_>) -> Result<Outcome, Failure> {
        let program = self.program;
        let src = &program.srcs[job.inst.first_source as usize];
        let mut lanes = [Lane::UNDEFINED; 4];
        for half in 0..2 {
            if job.lanes >> (2 * half) & 3 == 0 {
                continue;
            }
            let wide = self.source_as(src, Type::U64, 1 << half)?;
            let words = self.words_of_wide(wide.lane(0));
            lanes[2 * half] = words.lane(0);
            lanes[2 * half + 1] = words.lane(1);
        }
        Ok(Outcome::Lanes(lanes))
    }

    /// Half-precision numbers in the low bits of words, as floats.
    pub(super) fn half_to_float(&mut self, words: Val) -> Val {
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
    pub(super) fn float_to_half(&mut self, floats: Val) -> Val {
        let zero = self.w.float(0.0);
        let floats = self.beyond_halves_as_one(floats);
        self.each(floats, |emit, index| {
            let number = emit.component(floats, index);
            let pair = emit.w.op(
                Spv::CompositeConstruct,
                Scalar::F32,
                2,
                &[number.id.0, zero.0],
            );
            emit.ext_to(GlslOp::PackHalf2x16, Scalar::U32, 1, pair.id)
        })
    }

    /// Two floats as half-precision numbers in one word.
    pub(super) fn halves_in_word(&mut self, pair: Val) -> Val {
        let pair = self.beyond_halves_as_one(pair);
        self.ext_to(GlslOp::PackHalf2x16, Scalar::U32, 1, pair.id)
    }

    /// Floats of which those that are too large for half precision are +-65536, which becomes an infinity everywhere: SwiftShader makes NaN of
    /// infinities and of what is larger.
    fn beyond_halves_as_one(&mut self, floats: Val) -> Val {
        let low = self.float_like(floats, -65536.0);
        let high = self.float_like(floats, 65536.0);
        let near = self.ext(GlslOp::FClamp, &[floats, low, high]);
        // A clamp may make anything of NaN.
        let is_nan = self.compare(Spv::FUnordNotEqual, Scalar::BoolInt, floats, floats);
        self.select(is_nan, floats, near)
    }
}
