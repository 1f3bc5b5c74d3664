//! Numbers with the bits of a format that registers do not have: half precision and fixed point of FP1.0 programs.

use crate::builder::Val;
use crate::emit::Emit;
use crate::emit::cx::InstCx;
use crate::error::Failure;
use glasm_ir::InstFlags;

impl Emit<'_> {
    /// The source as half precision has it.
    pub(in crate::emit) fn round_half(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let value = self.exact_source(cx)?;
        Ok(match self.w.fast_precision {
            // A register has 32 bits in any case: without the rounding a number keeps digits and a range that half precision lacks.
            true => value,
            false => self.w.as_half(value),
        })
    }

    /// The source as signed fixed point numbers with ten fraction bits have it.
    pub(in crate::emit) fn round_fixed(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let value = self.exact_source(cx)?;
        Ok(match self.w.fast_precision {
            // The clamp to [-2048/1024, 2047/1024] stays (NV_fragment_program section 3.11.4.2): it changes more than last digits.
            true => self.w.in_fixed_range(value),
            false => self.w.as_fixed(value),
        })
    }

    /// The source. What is done with it is not relaxed: that would leave the rounding to the device.
    fn exact_source(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let value = self.source(cx.inst, 0, cx.lanes)?;
        self.w.flags = InstFlags::empty();
        Ok(value)
    }
}
