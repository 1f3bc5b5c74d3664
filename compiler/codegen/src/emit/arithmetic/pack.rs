//! Packing of small numbers into words, half precision, and 64-bit lanes from and to words.

use crate::builder::{Lane, Scalar, Val};
use crate::emit::Emit;
use crate::emit::cx::{InstCx, Outcome};
use crate::error::Failure;
use glasm_ir::{Type, WriteMask};
use spirv::GlslStd450Op as GlslOp;

impl Emit<'_> {
    /// PK2H: half-precision numbers of lanes x and y in one word.
    pub(in crate::emit) fn pack_halves(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let numbers = self.source(cx.inst, 0, 0b0011)?;
        let numbers = self.w.widen(numbers, 2);
        Ok(self.w.halves_in_word(numbers))
    }

    /// Numbers of the lanes `lanes` in one word.
    // PK2US and PK4UB clamp to [0, 1], multiply by 65535 or 255 and round (NV_gpu_program4 section 2.X.8.Z), and so do
    // `PackUnorm2x16` and `PackUnorm4x8`. PK4B is another formula, which front ends write out: its bytes have a bias of
    // 128.
    pub(in crate::emit) fn pack(
        &mut self,
        cx: InstCx<'_>,
        op: GlslOp,
        lanes: u8,
    ) -> Result<Val, Failure> {
        let numbers = self.source(cx.inst, 0, lanes)?;
        let numbers = self.w.widen(numbers, WriteMask(lanes).count() as u8);
        Ok(self.w.ext_to(op, Scalar::U32, 1, numbers.id))
    }

    /// The `size` numbers of a word; further lanes repeat them (NV_gpu_program4 section 2.X.8.Z, UP2H).
    pub(in crate::emit) fn unpack(
        &mut self,
        cx: InstCx<'_>,
        op: GlslOp,
        size: u8,
    ) -> Result<Outcome, Failure> {
        let src = self.program.source(cx.inst, 0);
        let word = self.source_as(src, Type::U32, 1)?;
        let numbers = self.w.ext_to(op, Scalar::F32, size, word.id);
        Ok(Outcome::Lanes(std::array::from_fn(|lane| {
            numbers.lane(lane % size as usize)
        })))
    }

    /// 64-bit lanes of pairs of words.
    pub(in crate::emit) fn pack64(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let src = self.program.source(cx.inst, 0);
        let mut wide = [Lane::UNDEFINED; 2];
        // Lanes x and z of the result come from the first two words, y and w from the others.
        for (half, wide) in wide.iter_mut().enumerate() {
            if cx.lanes & (0b0101 << half) != 0 {
                let words = self.source_as(src, Type::U32, 0b0011 << (2 * half))?;
                let words = self.w.widen(words, 2);
                *wide = self.w.wide_from_words(words);
            }
        }
        Ok(Outcome::Lanes(std::array::from_fn(|lane| wide[lane % 2])))
    }

    /// Words of 64-bit lanes.
    pub(in crate::emit) fn unpack64(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let src = self.program.source(cx.inst, 0);
        let mut lanes = [Lane::UNDEFINED; 4];
        for half in 0..2 {
            if cx.lanes >> (2 * half) & 3 == 0 {
                continue;
            }
            // UP64 splits lane x into lanes x and y, lane y into z and w.
            let wide = self.source_as(src, Type::U64, 1 << half)?;
            let words = self.w.words_of_wide(wide.lane(0));
            lanes[2 * half] = words.lane(0);
            lanes[2 * half + 1] = words.lane(1);
        }
        Ok(Outcome::Lanes(lanes))
    }
}
