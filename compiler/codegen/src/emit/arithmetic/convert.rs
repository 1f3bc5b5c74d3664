//! Conversions between all types. Out-of-range floats never reach a SPIR-V conversion.

use crate::builder::Val;
use crate::emit::Emit;
use crate::emit::cx::InstCx;
use crate::error::Failure;
use glasm_ir::{Aux, Type, Width};

impl Emit<'_> {
    /// `Cvt`. The result has the type in which the target is kept: narrow integers are extended, halves are floats here.
    pub(in crate::emit) fn convert(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let Aux::Cvt {
            from,
            rounding,
            saturate,
        } = cx.inst.aux
        else {
            return self.source(cx.inst, 0, cx.lanes);
        };
        let program = self.program;
        let src = &program.srcs[cx.inst.first_source as usize];
        let to = cx.inst.ty;
        // Narrow sources are cut to their width first (NV_gpu_program5 section 2.X.8.Z, CVT), then modified as the type that they
        // are.
        let val = if from.width().bits() < 32 && from.is_int() {
            let plain = glasm_ir::Src {
                abs: false,
                negate: false,
                ..*src
            };
            let val = self.source_as(&plain, Type::U32, cx.lanes)?;
            let val = self
                .w
                .extend(val, from.width().bits(), from.is_signed_int());
            self.w.modify(val, src, from.with_width(Width::W32))
        } else {
            self.source_as(src, from, cx.lanes)?
        };
        match (from.is_float(), to.is_float()) {
            (false, false) => Ok(self.w.int_to_int(val, from, to, saturate)),
            (false, true) => Ok(self.w.int_to_float(val, from, to, rounding)),
            (true, false) => Ok(self.w.float_to_int(val, to, rounding, saturate)),
            (true, true) => Ok(self.w.float_to_float(val, to, rounding)),
        }
    }
}
