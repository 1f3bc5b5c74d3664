//! Results of instructions: clamp, guard, write, condition-code update, in this order
//! (NV_gpu_program4 sections 2.X.4.1 and 2.X.4.3).

use super::arithmetic::int::resize_lanes;
use super::context::{FlagLanes, InstWrites, OpResult};
use crate::builder::masked::{
    choose_common_scalar, convert_comparisons, convert_to_code, select_lanes,
};
use crate::builder::{
    Lane, OverflowCarry, Scalar, arith, arithmetic_scalar, condition_code, float_narrowing,
};
use crate::emit::context::FunctionEmitter;
use crate::error::Failure;
use glasm_ir::arena::Id;
use glasm_ir::inst::{Guard, get_result_type};
use glasm_ir::{Dst, Inst, RegisterId, Saturate, Type, Width, WriteMask};

impl FunctionEmitter<'_> {
    /// Writes a result to its register in values without conversion. Returns false, and does
    /// nothing, for results that need a conversion and for registers in memory.
    pub(super) fn write_result_fast(
        &mut self,
        inst: &Inst,
        needed: u8,
        outcome: &OpResult,
    ) -> bool {
        let Some(dst) = &inst.dst else {
            return false;
        };
        if !self.is_written_unchanged(inst, dst, needed) {
            return false;
        }
        // Registers in memory are stored as a whole, which `write_lanes` implements.
        let Some(slot) = self
            .analysis
            .find_slot(self.program, dst.register, dst.index)
        else {
            return false;
        };
        let values = match outcome {
            OpResult::Val(val) => val.to_lanes(needed),
            OpResult::Lanes(lanes) => *lanes,
            OpResult::None => return false,
        };
        self.name_result(dst, needed, &values);
        self.lanes.set_lanes(slot, needed, &values);
        true
    }

    /// Returns true if a result is written unchanged: no clamp, guard, codes, and no different
    /// width or type. Results without needed lanes are false, too.
    fn is_written_unchanged(&self, inst: &Inst, dst: &Dst, needed: u8) -> bool {
        let has_width = || {
            if inst.op.has_carry() {
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

    /// Writes the result of `inst`, clamped and converted, and its condition codes with `flags`.
    /// `needed` contains the result lanes in its low half, those of the codes in the high half;
    /// nothing is written without needed lanes.
    pub(super) fn write_result(
        &mut self,
        inst: &Inst,
        needed: u8,
        outcome: OpResult,
        flags: Option<OverflowCarry>,
    ) -> Result<(), Failure> {
        let ty = get_result_type(inst);
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
        if width != ty.width() && inst.op.has_carry() && ty.is_int() {
            // Sign and zero flag are those of the written value (NV_gpu_program4 section 2.X.4.3),
            // overflow and carry those of the operation, which were computed before.
            let ty = ty.with_width(width);
            let outcome = match outcome {
                OpResult::Val(val) => OpResult::Lanes(resize_lanes(
                    self.builder,
                    val.to_lanes(lanes),
                    inst.ty,
                    lanes,
                )),
                OpResult::Lanes(values) => {
                    OpResult::Lanes(resize_lanes(self.builder, values, inst.ty, lanes))
                }
                OpResult::None => outcome,
            };
            return self.write_result(&Inst { ty, ..*inst }, needed, outcome, flags);
        }
        let fresh = self.clamp_and_pack(inst, &dst, lanes, outcome);
        let flags = flags.map(|flags| to_flag_lanes(lanes, flags));
        let mut written = InstWrites {
            values: convert_comparisons(self.builder, inst, needed & 15, fresh),
            codes: fresh,
            flags: flags.unwrap_or_default(),
        };
        if dst.cc.is_some() {
            for lane in WriteMask(needed >> 4).lanes() {
                written.codes[lane] = convert_to_code(self.builder, inst, fresh[lane]);
            }
        }
        self.write_guarded(inst.ty, &dst, needed, written)
    }

    /// Writes a result of type `ty` and its condition codes: all lanes in `needed`, or those for
    /// which the guard of `dst` passes, while the others preserve their old values. `needed` is
    /// that of [`write_result`](Self::write_result).
    pub(super) fn write_guarded(
        &mut self,
        ty: Type,
        dst: &Dst,
        mut needed: u8,
        mut written: InstWrites,
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

    /// Writes those result lanes that are live: the low four bits of `needed`.
    fn write_values(&mut self, dst: &Dst, needed: u8, written: &InstWrites) -> Result<(), Failure> {
        match needed & 15 {
            0 => Ok(()),
            lanes => self.write_lanes(dst, lanes, written.values),
        }
    }

    /// Writes the condition codes in the high four bits of `needed`. Does nothing if the
    /// instruction updates none.
    fn write_codes(&mut self, dst: &Dst, needed: u8, written: &InstWrites) {
        if let Some(cc) = dst.cc.filter(|_| needed >> 4 != 0) {
            self.store_cond_codes(cc, needed >> 4, written);
        }
    }

    /// Replaces the lanes in `lanes` of `values` for which the guard fails by the old values of the
    /// register. Emits loads for registers in memory.
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
        let scalar = choose_common_scalar(self.builder, ty, lanes, values, &old);
        select_lanes(self.builder, lanes, scalar, passes, values, &old);
        Ok(())
    }

    /// Applies the clamp of the destination and converts the needed lanes to the representation in
    /// registers: halves are packed. Returns undefined lanes if the instruction has no result.
    fn clamp_and_pack(
        &mut self,
        inst: &Inst,
        dst: &Dst,
        lanes: u8,
        outcome: OpResult,
    ) -> [Lane; 4] {
        // Booleans of halves are converted to half-precision numbers by
        // `convert_comparisons`.
        let packs =
            inst.ty == Type::F16 && matches!(outcome, OpResult::Val(val) if !val.scalar.is_bool());
        let clamps = dst.saturate != Saturate::None && inst.ty.is_float();
        let mut val = match outcome {
            OpResult::Val(val) => val,
            OpResult::Lanes(values) if !clamps => return values,
            OpResult::Lanes(values) => {
                let scalar = arithmetic_scalar(inst.ty, self.builder.wide_ints);
                self.builder.gather_lanes(lanes, &values, scalar)
            }
            OpResult::None => return [Lane::UNDEFINED; 4],
        };
        // Booleans are already 0 or 1.
        if clamps && val.scalar != Scalar::BoolFloat {
            val = arith::clamp(self.builder, val, dst.saturate);
        }
        if packs {
            val = float_narrowing::pack_halves(self.builder, val);
        }
        val.to_lanes(lanes)
    }

    /// Writes lanes of a register where it is held: as values, in a shared output variable or in
    /// memory.
    fn write_lanes(&mut self, dst: &Dst, lanes: u8, values: [Lane; 4]) -> Result<(), Failure> {
        if let Some(slot) = self
            .analysis
            .find_slot(self.program, dst.register, dst.index)
        {
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

    /// Returns the current lanes of a destination, which a guarded or partial write preserves. At
    /// least the lanes in `lanes` are valid.
    fn load_old_lanes(&mut self, dst: &Dst, lanes: u8) -> Result<[Lane; 4], Failure> {
        if let Some(slot) = self
            .analysis
            .find_slot(self.program, dst.register, dst.index)
        {
            return Ok(*self.lanes.get_slot(slot));
        }
        let element = self.find_register_element(dst.register, dst.index)?;
        if self.analysis.shared_outputs[dst.register.index()] {
            return self.load_own_output(dst.register, element);
        }
        Ok(self.memory().load_register(dst.register, element, lanes))
    }

    /// Returns for each lane of the destination if the guard lets the write pass.
    fn test_guard(&mut self, guard: Guard, lanes: u8) -> Result<[Lane; 4], Failure> {
        let passes = self.test_guard_lanes(guard, lanes)?;
        Ok(passes.to_lanes(lanes))
    }

    /// Replaces the condition codes, and overflow and carry, in `written` for which the guard fails
    /// by the old ones of the register. All of them get the type of the register.
    fn select_guarded_codes(
        &mut self,
        cc: RegisterId,
        lanes: u8,
        passes: &[Lane; 4],
        written: &mut InstWrites,
    ) {
        let (old, old_flags) = self.load_cond_codes(cc);
        let scalar = self
            .analysis
            .cond_scalar(cc, self.builder.wide_int_scalar());
        // Old and new codes may have different types, which a selection cannot mix.
        let mut before = old;
        for lane in WriteMask(lanes).lanes() {
            let new = written.codes[lane];
            written.codes[lane] =
                Lane::scalar(condition_code::convert_code_lane(self.builder, new, scalar));
            before[lane] = Lane::scalar(condition_code::convert_code_lane(
                self.builder,
                old[lane],
                scalar,
            ));
        }
        select_lanes(
            self.builder,
            lanes,
            scalar,
            passes,
            &mut written.codes,
            &before,
        );
        if self.analysis.reads_overflow {
            for (new, old) in written.flags.iter_mut().zip(&old_flags) {
                select_lanes(self.builder, lanes, Scalar::BoolInt, passes, new, old);
            }
        }
    }

    /// Stores lanes of a condition-code register and, if the program reads them, its overflow and
    /// carry flags.
    fn store_cond_codes(&mut self, cc: RegisterId, lanes: u8, written: &InstWrites) {
        let InstWrites { codes, flags, .. } = written;
        let Some(slot) = self.analysis.find_slot(self.program, cc, None) else {
            return self.memory().store_codes(cc, lanes, *codes, *flags);
        };
        self.lanes.set_lanes(slot, lanes, codes);
        if self.analysis.reads_overflow {
            self.lanes.set_lanes(slot + 1, lanes, &flags[0]);
            self.lanes.set_lanes(slot + 2, lanes, &flags[1]);
        }
    }
}

/// Converts overflow and carry to lanes of the destination mask.
fn to_flag_lanes(lanes: u8, flags: OverflowCarry) -> FlagLanes {
    [flags.overflow.to_lanes(lanes), flags.carry.to_lanes(lanes)]
}
