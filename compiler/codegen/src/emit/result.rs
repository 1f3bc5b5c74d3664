//! Results of instructions: clamp, guard, write, condition-code update, in this order
//! (NV_gpu_program4 sections 2.X.4.1 and 2.X.4.3).

use super::arithmetic::wide::resize_lanes;
use super::cx::{FlagLanes, Outcome, Written};
use crate::builder::{Flags, Lane, Scalar, arith, compute_scalar, masked, narrow, test};
use crate::emit::cx::FunctionEmitter;
use crate::error::Failure;
use glasm_ir::arena::Id;
use glasm_ir::inst::{Guard, result_type};
use glasm_ir::{Dst, Inst, RegisterId, Saturate, Type, Width, WriteMask};

impl FunctionEmitter<'_> {
    /// Writes a result to its register without conversion; returns false for results that need one.
    #[inline]
    pub(super) fn write_direct(&mut self, inst: &Inst, needed: u8, outcome: &Outcome) -> bool {
        let Some(dst) = &inst.dst else {
            return false;
        };
        if !self.is_direct(inst, dst, needed) {
            return false;
        }
        // Registers in memory are stored as a whole, which `write_lanes` implements.
        let Some(slot) = self.analysis.slot(self.program, dst.register, dst.index) else {
            return false;
        };
        let values = match outcome {
            Outcome::Val(val) => val.spread(needed),
            Outcome::Lanes(lanes) => *lanes,
            Outcome::None => return false,
        };
        self.name_result(dst, needed, &values);
        self.lanes.set_lanes(slot, needed, &values);
        true
    }

    /// Returns true if a result is written unchanged: no clamp, guard, codes, and no different
    /// width or type.
    #[inline]
    fn is_direct(&self, inst: &Inst, dst: &Dst, needed: u8) -> bool {
        let has_width = || {
            if inst.op.adds() {
                // Sums of integers may be written to registers of another width.
                self.program.registers[dst.register].width == Width::W32
            } else {
                true
            }
        };
        dst.guard.is_none()
            && dst.saturate == Saturate::None
            // Lanes of the result in the low half, and no codes in the high half.
            && matches!(needed, 1..=15)
            && (inst.ty == Type::F32 || inst.ty.width() == Width::W32 && has_width())
    }

    /// Writes the result of `inst`. `needed` contains the result lanes in its low half, those of
    /// the codes in the high half.
    pub(super) fn write_result(
        &mut self,
        inst: &Inst,
        needed: u8,
        outcome: Outcome,
        flags: Option<Flags>,
    ) -> Result<(), Failure> {
        let ty = result_type(inst);
        if ty != inst.ty {
            // From this point on only the type of the result matters.
            return self.write_result(&Inst { ty, ..*inst }, needed, outcome, flags);
        }
        let Some(dst) = inst.dst else { return Ok(()) };
        let lanes = needed & 15 | needed >> 4;
        if lanes == 0 {
            return Ok(());
        }
        let width = self.program.registers[dst.register].width;
        if width != ty.width() && inst.op.adds() && ty.is_int() {
            // Sign and zero flag are those of the written value (NV_gpu_program4 section 2.X.4.3),
            // overflow and carry those of the operation, which were computed before.
            let ty = ty.with_width(width);
            let outcome = match outcome {
                Outcome::Val(val) => {
                    Outcome::Lanes(resize_lanes(self.w, val.spread(lanes), inst.ty, lanes))
                }
                Outcome::Lanes(values) => {
                    Outcome::Lanes(resize_lanes(self.w, values, inst.ty, lanes))
                }
                Outcome::None => outcome,
            };
            return self.write_result(&Inst { ty, ..*inst }, needed, outcome, flags);
        }
        let fresh = self.apply_clamp(inst, &dst, lanes, outcome);
        let flags = flags.map(|flags| flag_lanes(lanes, flags));
        let mut written = Written {
            values: masked::convert_comparisons(self.w, inst, needed & 15, fresh),
            codes: fresh,
            flags: flags.unwrap_or_default(),
        };
        if dst.cc.is_some() {
            for lane in WriteMask(needed >> 4).lanes() {
                written.codes[lane] = masked::convert_to_code(self.w, inst, fresh[lane]);
            }
        }
        self.write_guarded(inst.ty, &dst, needed, written)
    }

    /// Writes lanes of a result of type `ty` and of condition codes for which the guard passes.
    pub(super) fn write_guarded(
        &mut self,
        ty: Type,
        dst: &Dst,
        mut needed: u8,
        mut written: Written,
    ) -> Result<(), Failure> {
        let lanes = needed & 15 | needed >> 4;
        self.name_result(dst, lanes, &written.values);
        let Some(guard) = dst.guard else {
            self.write_values(dst, needed, &written)?;
            self.write_codes(dst, needed, &written);
            return Ok(());
        };
        // Both writes test the old codes.
        let passes = self.test_guard(guard, lanes)?;
        if self.is_of_patch(dst.register) {
            // Other invocations may write at the same time, so old values must not be written back.
            self.store_shared_where(dst, needed & 15, &passes, &written.values)?;
            // The values are written; the codes belong to the invocation.
            needed &= !15;
        }
        self.select_guarded_values(ty, dst, needed & 15, &passes, &mut written.values)?;
        if let Some(cc) = dst.cc.filter(|_| needed >> 4 != 0) {
            self.select_guarded_codes(cc, needed >> 4, &passes, &mut written);
        }
        self.write_codes(dst, needed, &written);
        self.write_values(dst, needed, &written)
    }

    fn write_values(&mut self, dst: &Dst, needed: u8, written: &Written) -> Result<(), Failure> {
        match needed & 15 {
            0 => Ok(()),
            lanes => self.write_lanes(dst, lanes, written.values),
        }
    }

    fn write_codes(&mut self, dst: &Dst, needed: u8, written: &Written) {
        if let Some(cc) = dst.cc.filter(|_| needed >> 4 != 0) {
            self.set_codes(cc, needed >> 4, written);
        }
    }

    /// Selects the old values of lanes whose guard fails.
    fn select_guarded_values(
        &mut self,
        ty: Type,
        dst: &Dst,
        lanes: u8,
        passes: &[Lane; 4],
        values: &mut [Lane; 4],
    ) -> Result<(), Failure> {
        if lanes == 0 {
            return Ok(());
        }
        let old = self.load_old_lanes(dst, lanes)?;
        // If old and new lanes are booleans, the result is a boolean, too.
        let scalar = masked::choose_scalar(self.w, ty, lanes, values, &old);
        masked::select_lanes(self.w, lanes, scalar, passes, values, &old);
        Ok(())
    }

    /// Applies the clamp and converts the lanes to the representation in registers.
    fn apply_clamp(&mut self, inst: &Inst, dst: &Dst, lanes: u8, outcome: Outcome) -> [Lane; 4] {
        // Booleans of halves are converted to half-precision numbers by
        // `masked::convert_comparisons`.
        let packs =
            inst.ty == Type::F16 && matches!(outcome, Outcome::Val(val) if !val.scalar.is_bool());
        let clamps = dst.saturate != Saturate::None && inst.ty.is_float();
        let mut val = match outcome {
            Outcome::Val(val) => val,
            Outcome::Lanes(values) if !clamps => return values,
            Outcome::Lanes(values) => {
                let scalar = compute_scalar(inst.ty, self.w.wide_ints);
                self.w.gather_lanes(lanes, &values, scalar)
            }
            Outcome::None => return [Lane::UNDEFINED; 4],
        };
        // Booleans are already 0 or 1.
        if clamps && val.scalar != Scalar::BoolFloat {
            val = arith::clamp(self.w, val, dst.saturate);
        }
        if packs {
            val = narrow::pack_halves(self.w, val);
        }
        val.spread(lanes)
    }

    fn write_lanes(&mut self, dst: &Dst, lanes: u8, values: [Lane; 4]) -> Result<(), Failure> {
        if let Some(slot) = self.analysis.slot(self.program, dst.register, dst.index) {
            self.lanes.set_lanes(slot, lanes, &values);
            return Ok(());
        }
        let element = self.find_register_element(dst.register, dst.index)?;
        if self.analysis.shared_outputs[dst.register.index()] {
            return self.store_shared_output(dst.register, element, lanes, values);
        }
        self.memory()
            .store_register(dst.register, element, lanes, values);
        Ok(())
    }

    fn load_old_lanes(&mut self, dst: &Dst, lanes: u8) -> Result<[Lane; 4], Failure> {
        if let Some(slot) = self.analysis.slot(self.program, dst.register, dst.index) {
            return Ok(*self.lanes.slot(slot));
        }
        let element = self.find_register_element(dst.register, dst.index)?;
        if self.analysis.shared_outputs[dst.register.index()] {
            return self.load_own_output(dst.register, element);
        }
        Ok(self.memory().load_register(dst.register, element, lanes))
    }

    /// Returns for each lane of the destination if the guard lets the write pass.
    fn test_guard(&mut self, guard: Guard, lanes: u8) -> Result<[Lane; 4], Failure> {
        let passes = self.test_lanes(guard, lanes)?;
        Ok(passes.spread(lanes))
    }

    /// Selects the old codes of lanes whose guard fails.
    fn select_guarded_codes(
        &mut self,
        cc: RegisterId,
        lanes: u8,
        passes: &[Lane; 4],
        written: &mut Written,
    ) {
        let (old, old_flags) = self.read_codes(cc);
        let scalar = self.analysis.cond_scalar(cc, self.w.wide_int());
        // Old and new codes may have different types, which a selection cannot mix.
        let mut before = old;
        for lane in WriteMask(lanes).lanes() {
            let new = written.codes[lane];
            written.codes[lane] = Lane::scalar(test::convert_lane(self.w, new, scalar));
            before[lane] = Lane::scalar(test::convert_lane(self.w, old[lane], scalar));
        }
        masked::select_lanes(self.w, lanes, scalar, passes, &mut written.codes, &before);
        if self.analysis.reads_overflow {
            for (new, old) in written.flags.iter_mut().zip(&old_flags) {
                masked::select_lanes(self.w, lanes, Scalar::BoolInt, passes, new, old);
            }
        }
    }

    fn set_codes(&mut self, cc: RegisterId, lanes: u8, written: &Written) {
        let Written { codes, flags, .. } = written;
        let Some(slot) = self.analysis.slot(self.program, cc, None) else {
            return self.memory().store_codes(cc, lanes, *codes, *flags);
        };
        self.lanes.set_lanes(slot, lanes, codes);
        if self.analysis.reads_overflow {
            self.lanes.set_lanes(slot + 1, lanes, &flags[0]);
            self.lanes.set_lanes(slot + 2, lanes, &flags[1]);
        }
    }
}

/// Returns overflow and carry by destination lane.
fn flag_lanes(lanes: u8, flags: Flags) -> FlagLanes {
    [flags.overflow.spread(lanes), flags.carry.spread(lanes)]
}
