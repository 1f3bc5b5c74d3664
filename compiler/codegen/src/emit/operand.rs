//! Sources of instructions: base and index, swizzle, type, absolute value, negation.

use super::cx::InstCx;
use super::memory::array::Element;
use crate::builder::{Lane, Picks, Scalar, Val, arith, narrow, precision};
use crate::emit::cx::FunctionEmitter;
use crate::error::Failure;
use glasm_ir::arena::Id;
use glasm_ir::inst::{IndexId, LiteralId};
use glasm_ir::{Base, Inst, ParamId, Src, Swizzle, Type, WriteMask};
use spirv::Op;

impl FunctionEmitter<'_> {
    /// Loads source `number` of `inst` with the type of the instruction; see
    /// [`load_source_as`](Self::load_source_as).
    // Negation and absolute value require instructions.
    #[inline(always)]
    pub(super) fn load_source(
        &mut self,
        inst: &Inst,
        number: usize,
        lanes: u8,
    ) -> Result<Val, Failure> {
        let src = &self.program.srcs[inst.first_source as usize + number];
        if !src.has_modifier()
            && let Some(val) = self.find_source(src, inst.ty, lanes)
        {
            return Ok(val);
        }
        self.make_source(inst, src, lanes)
    }

    /// Returns the value of a source without modifiers if it needs no instruction, which is the
    /// most common case. A separate function, because an optional value is returned in a register,
    /// while a result with an error is returned in memory.
    #[inline(never)]
    fn find_source(&self, src: &Src, ty: Type, lanes: u8) -> Option<Val> {
        // Halves are widened and denormals flushed, which requires instructions.
        if ty == Type::F16 || self.w.flushes_denormals {
            return None;
        }
        let scalar = self.w.read_scalar(ty);
        let param;
        let base = match src.base {
            Base::Register(_) => self.lanes.slot(self.find_source_slot(src)?),
            Base::Param(_) => {
                param = self.find_loaded_param(src)?;
                &param
            }
            Base::Literal(literal) => match &self.tables.literals[literal.index()] {
                // A literal has constants of one type at a time: the type with which it was read
                // last.
                (Some(known), constants) if *known == scalar => constants,
                _ => return None,
            },
            // Reading these may require the declaration of a variable.
            Base::Input(_) | Base::Output(_) => return None,
        };
        self.w.find_available(base, src.swizzle, lanes, scalar)
    }

    /// Emits the value of a source that is not available without instructions.
    #[inline(never)]
    fn make_source(&mut self, inst: &Inst, src: &Src, lanes: u8) -> Result<Val, Failure> {
        if self.should_flush(inst) {
            let val = self.load_source_as(src, inst.ty, lanes)?;
            return Ok(precision::flush_denormals(self.w, val));
        }
        if src.has_modifier() || inst.ty == Type::F16 {
            return self.load_source_as(src, inst.ty, lanes);
        }
        let scalar = self.w.read_scalar(inst.ty);
        let slot = self.find_source_slot(src);
        let base = match slot {
            Some(slot) => *self.lanes.slot(slot),
            None => self.load_base_lanes(src, scalar, lanes)?,
        };
        Ok(self.gather_source(slot, &base, src.swizzle, lanes, scalar))
    }

    /// Loads the lanes `lanes` of a source as a value of type `ty`, with modifiers applied. The
    /// lanes are consecutive components; a source whose lanes are all equal is returned as a
    /// scalar.
    pub(super) fn load_source_as(
        &mut self,
        src: &Src,
        ty: Type,
        lanes: u8,
    ) -> Result<Val, Failure> {
        let scalar = self.w.read_scalar(ty);
        let slot = self.find_source_slot(src);
        let base = match slot {
            Some(slot) => *self.lanes.slot(slot),
            None => self.load_base_lanes(src, scalar, lanes)?,
        };
        let val = match self.w.find_available(&base, src.swizzle, lanes, scalar) {
            Some(val) => val,
            None => self.gather_source(slot, &base, src.swizzle, lanes, scalar),
        };
        if src.has_modifier() || ty == Type::F16 {
            return Ok(self.apply_modifiers(val, src, ty));
        }
        Ok(val)
    }

    /// Returns the slot that a source reads, if it is a register in values.
    #[inline(always)]
    fn find_source_slot(&self, src: &Src) -> Option<u32> {
        match src.base {
            Base::Register(register) => self.analysis.slot(self.program, register, src.index),
            Base::Param(_) | Base::Input(_) | Base::Output(_) | Base::Literal(_) => None,
        }
    }

    /// Gathers a source from the lanes `base`, which are the lanes of `slot` if it is a register in
    /// values.
    #[inline(always)]
    fn gather_source(
        &mut self,
        slot: Option<u32>,
        base: &[Lane; 4],
        swizzle: Swizzle,
        lanes: u8,
        scalar: Scalar,
    ) -> Val {
        let picks = Picks::new(swizzle, lanes);
        if let Some(val) = self.w.gather_vector_of(base, picks, scalar) {
            return val;
        }
        let val = self.w.gather_picks(base, picks, scalar);
        // Only without a swizzle are the components those of the register.
        if let Some(slot) = slot
            && val.size > 1
            && picks == Picks::new(Swizzle::XYZW, lanes)
        {
            self.keep_vector(slot, lanes, &picks.of(base), val);
        }
        val
    }

    /// Replaces lanes that were collected from several values by the components of the new vector.
    #[inline]
    fn keep_vector(&mut self, slot: u32, lanes: u8, from: &[Lane; 4], val: Val) {
        let is_of_one = from.iter().all(|lane| lane.id() == from[0].id());
        if !is_of_one && from.iter().all(|lane| lane.id() != val.id) {
            self.lanes.set_lanes(slot, lanes, &val.spread(lanes));
        }
    }

    #[inline(never)]
    fn apply_modifiers(&mut self, val: Val, src: &Src, ty: Type) -> Val {
        let val = if ty == Type::F16 {
            narrow::unpack_halves(self.w, val)
        } else {
            val
        };
        if src.has_modifier() {
            arith::apply_modifiers(self.w, val, src, ty)
        } else {
            val
        }
    }

    /// Stores the lanes of a source in `out`, consecutively and before modifiers; returns their
    /// number. Literals are constants of type `scalar`.
    pub(super) fn load_source_lanes(
        &mut self,
        src: &Src,
        scalar: Scalar,
        lanes: u8,
        out: &mut [Lane; 4],
    ) -> Result<usize, Failure> {
        let picks = Picks::new(src.swizzle, lanes);
        *out = match self.find_source_slot(src) {
            Some(slot) => picks.of(self.lanes.slot(slot)),
            None => picks.of(&self.load_base_lanes(src, scalar, lanes)?),
        };
        Ok(usize::from(picks.size))
    }

    /// Loads the lanes of the base of a source that is not a register in values.
    #[inline(always)]
    fn load_base_lanes(
        &mut self,
        src: &Src,
        scalar: Scalar,
        lanes: u8,
    ) -> Result<[Lane; 4], Failure> {
        match self.find_loaded_param(src) {
            Some(lanes) => Ok(lanes),
            None => self.load_other_lanes(src, scalar, lanes),
        }
    }

    /// Returns the lanes of a parameter that has been loaded before.
    #[inline(always)]
    fn find_loaded_param(&self, src: &Src) -> Option<[Lane; 4]> {
        let Base::Param(param) = src.base else {
            return None;
        };
        let known = self.interface.params.loaded[param.index()];
        (src.index.is_none() && known.is_some()).then(|| Lane::all_of(known))
    }

    /// Loads the lanes of the base of a source that are not available without instructions.
    fn load_other_lanes(
        &mut self,
        src: &Src,
        scalar: Scalar,
        lanes: u8,
    ) -> Result<[Lane; 4], Failure> {
        let read = src.swizzle.source_lanes(lanes);
        match src.base {
            Base::Register(register) => self.load_memory_lanes(register, src.index, read),
            Base::Param(param) => self.load_param(param, src.index),
            Base::Input(input) => self.load_input(input, src.index),
            Base::Literal(literal) => Ok(self.load_literal(literal, scalar, read)),
            Base::Output(output) => self.read_output(output, src.index),
        }
    }

    fn load_literal(&mut self, literal: LiteralId, scalar: Scalar, read: u8) -> [Lane; 4] {
        let known = &mut self.tables.literals[literal.index()];
        if known.0 != Some(scalar) {
            *known = (Some(scalar), [Lane::UNDEFINED; 4]);
        }
        for lane in WriteMask(read).lanes() {
            if !known.1[lane].is_some() {
                let bits = self.program.literals[literal][lane];
                known.1[lane] = Lane::scalar(self.w.constant(scalar, bits));
            }
        }
        known.1
    }

    fn load_param(&mut self, param: ParamId, index: Option<IndexId>) -> Result<[Lane; 4], Failure> {
        if let Some(index) = index {
            return self.load_indexed_param(param, index);
        }
        Ok(self.io().params().load(param))
    }

    fn load_indexed_param(&mut self, param: ParamId, index: IndexId) -> Result<[Lane; 4], Failure> {
        // Not past the last parameter, even if the index can select elements beyond it.
        let last = (self.program.params.len() - 1 - param.index()) as u32;
        let len = self.program.indices[index].len.min(last + 1);
        match self.find_element(Some(index), len)? {
            Element::Constant(element) => {
                let param = ParamId::new(param.index() + element as usize);
                self.load_param(param, None)
            }
            Element::Dynamic(element) => {
                // The member of the block may begin before this array: overlapping arrays are one
                // member.
                let start = self.io().params().find_array_start(param);
                let first = self.w.uint_val(param.index() as u32 - start);
                let slot = self.w.binary(Op::IAdd, self.w.val(element), first);
                let id = self.io().params().load_at(param, slot.id);
                Ok(Lane::all_of(id))
            }
        }
    }

    /// Returns true if code flushes the operands and the result of an instruction.
    #[inline(always)]
    pub(super) fn should_flush(&self, inst: &Inst) -> bool {
        self.w.flushes_denormals && inst.ty == Type::F32 && inst.op.computes_floats()
    }

    /// Loads the three operands of a three-operand instruction.
    #[inline(always)]
    pub(super) fn load_three(&mut self, cx: InstCx<'_>) -> Result<[Val; 3], Failure> {
        let [a, b] = self.load_two(cx)?;
        Ok([a, b, self.load_source(cx.inst, 2, cx.lanes)?])
    }

    /// Loads the two operands of a two-operand instruction.
    #[inline(always)]
    pub(super) fn load_two(&mut self, cx: InstCx<'_>) -> Result<[Val; 2], Failure> {
        Ok([
            self.load_source(cx.inst, 0, cx.lanes)?,
            self.load_source(cx.inst, 1, cx.lanes)?,
        ])
    }
}
