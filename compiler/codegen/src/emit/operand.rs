//! Sources of instructions: base and index, swizzle, type, absolute value, negation.
//! An index selects an element of an array.

use super::context::{FunctionEmitter, InstContext};
use super::memory::memory_registers::Element;
use crate::builder::{Lane, LaneSelection, Scalar, Val, arith, float_narrowing};
use crate::error::Failure;
use crate::spirv_writer::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::inst::{IndexId, IndexTerm, LiteralId};
use glasm_ir::{Inst, OperandBase, ParamId, RegisterId, Src, Swizzle, Type, WriteMask};
use spirv::{GlslStd450Op as GlslOp, Op, Op as Spv};

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
            && let Some(val) = self.find_source_fast(src, inst.ty, lanes)
        {
            return Ok(val);
        }
        self.load_source_slow(inst, src, lanes)
    }

    /// Returns the value of a source without modifiers if it needs no instruction, which is the
    /// most common case, else `None`. A separate function, because an optional value is returned in
    /// a register, while a result with an error is returned in memory.
    #[inline(never)]
    fn find_source_fast(&self, src: &Src, ty: Type, lanes: u8) -> Option<Val> {
        // Halves are widened and denormals flushed, which requires instructions.
        if ty == Type::F16 || self.builder.flushes_denormals {
            return None;
        }
        let scalar = self.builder.lane_scalar(ty);
        let param;
        let base = match src.base {
            OperandBase::Register(_) => self.lanes.get_slot(self.find_source_slot(src)?),
            OperandBase::Param(_) => {
                param = self.find_loaded_param(src)?;
                &param
            }
            OperandBase::Literal(literal) => match &self.operand_cache.literals[literal.index()] {
                // A literal has constants of one type at a time: the type with which it was read
                // last.
                (Some(known), constants) if *known == scalar => constants,
                _ => return None,
            },
            // Reading these may require the declaration of a variable.
            OperandBase::Input(_) | OperandBase::Output(_) => return None,
        };
        self.builder
            .find_available(base, src.swizzle, lanes, scalar)
    }

    /// Emits the value of a source that is not available without instructions, with modifiers
    /// applied and denormals flushed if the instruction requires it.
    #[inline(never)]
    fn load_source_slow(&mut self, inst: &Inst, src: &Src, lanes: u8) -> Result<Val, Failure> {
        if self.should_flush_denormals(inst) {
            let val = self.load_source_as(src, inst.ty, lanes)?;
            return Ok(float_narrowing::flush_denormals(self.builder, val));
        }
        if src.has_modifier() || inst.ty == Type::F16 {
            return self.load_source_as(src, inst.ty, lanes);
        }
        let scalar = self.builder.lane_scalar(inst.ty);
        let slot = self.find_source_slot(src);
        let base = match slot {
            Some(slot) => *self.lanes.get_slot(slot),
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
        let scalar = self.builder.lane_scalar(ty);
        let slot = self.find_source_slot(src);
        let base = match slot {
            Some(slot) => *self.lanes.get_slot(slot),
            None => self.load_base_lanes(src, scalar, lanes)?,
        };
        let val = match self
            .builder
            .find_available(&base, src.swizzle, lanes, scalar)
        {
            Some(val) => val,
            None => self.gather_source(slot, &base, src.swizzle, lanes, scalar),
        };
        if src.has_modifier() || ty == Type::F16 {
            return Ok(self.apply_modifiers(val, src, ty));
        }
        Ok(val)
    }

    /// Returns the slot that a source reads, if it is a register in values; `None` for registers in
    /// memory and other operands.
    #[inline(always)]
    fn find_source_slot(&self, src: &Src) -> Option<u32> {
        match src.base {
            OperandBase::Register(register) => {
                self.analysis.find_slot(self.program, register, src.index)
            }
            OperandBase::Param(_)
            | OperandBase::Input(_)
            | OperandBase::Output(_)
            | OperandBase::Literal(_) => None,
        }
    }

    /// Gathers a source from the lanes `base`, which are the lanes of `slot` if it is a register in
    /// values. A vector that is gathered without a swizzle becomes the value of the register's
    /// lanes.
    #[inline(always)]
    fn gather_source(
        &mut self,
        slot: Option<u32>,
        base: &[Lane; 4],
        swizzle: Swizzle,
        lanes: u8,
        scalar: Scalar,
    ) -> Val {
        let selection = LaneSelection::new(swizzle, lanes);
        if let Some(val) = self.builder.gather_from_vector(base, selection, scalar) {
            return val;
        }
        let val = self.builder.gather_selected(base, selection, scalar);
        // Only without a swizzle are the components those of the register.
        if let Some(slot) = slot
            && val.size > 1
            && selection == LaneSelection::new(Swizzle::XYZW, lanes)
        {
            self.cache_vector(slot, lanes, &selection.select(base), val);
        }
        val
    }

    /// Replaces the lanes of a slot by the components of `val`, which was gathered from them. Does
    /// nothing if all lanes were components of one value.
    fn cache_vector(&mut self, slot: u32, lanes: u8, from: &[Lane; 4], val: Val) {
        let is_of_one = from.iter().all(|lane| lane.id() == from[0].id());
        if !is_of_one && from.iter().all(|lane| lane.id() != val.id) {
            self.lanes.set_lanes(slot, lanes, &val.to_lanes(lanes));
        }
    }

    /// Applies absolute value and negation of a source to its value, after halves are unpacked to
    /// floats.
    #[inline(never)]
    fn apply_modifiers(&mut self, val: Val, src: &Src, ty: Type) -> Val {
        let val = if ty == Type::F16 {
            float_narrowing::unpack_halves(self.builder, val)
        } else {
            val
        };
        if src.has_modifier() {
            arith::apply_modifiers(self.builder, val, src, ty)
        } else {
            val
        }
    }

    /// Replaces `out` by the lanes of a source, consecutively and before modifiers; returns their
    /// number. Literals are constants of type `scalar`.
    pub(super) fn load_source_lanes(
        &mut self,
        src: &Src,
        scalar: Scalar,
        lanes: u8,
        out: &mut [Lane; 4],
    ) -> Result<usize, Failure> {
        let selection = LaneSelection::new(src.swizzle, lanes);
        *out = match self.find_source_slot(src) {
            Some(slot) => selection.select(self.lanes.get_slot(slot)),
            None => selection.select(&self.load_base_lanes(src, scalar, lanes)?),
        };
        Ok(usize::from(selection.size))
    }

    /// Loads the lanes of the base of a source that is not a register in values, before its
    /// swizzle. Literals are constants of type `scalar`; only the lanes that the source reads are
    /// valid.
    #[inline(always)]
    fn load_base_lanes(
        &mut self,
        src: &Src,
        scalar: Scalar,
        lanes: u8,
    ) -> Result<[Lane; 4], Failure> {
        match self.find_loaded_param(src) {
            Some(lanes) => Ok(lanes),
            None => self.load_base_lanes_slow(src, scalar, lanes),
        }
    }

    /// Returns the lanes of a parameter that the function has loaded; `None` otherwise and for
    /// dynamic indices.
    #[inline(always)]
    fn find_loaded_param(&self, src: &Src) -> Option<[Lane; 4]> {
        let OperandBase::Param(param) = src.base else {
            return None;
        };
        let known = self.interface.params.loaded[param.index()];
        (src.index.is_none() && known.is_some()).then(|| Lane::all_components(known))
    }

    /// Loads the lanes of the base of a source that are not available without instructions. Returns
    /// an error for inputs that the stage lacks.
    fn load_base_lanes_slow(
        &mut self,
        src: &Src,
        scalar: Scalar,
        lanes: u8,
    ) -> Result<[Lane; 4], Failure> {
        let read = src.swizzle.find_source_lanes(lanes);
        match src.base {
            OperandBase::Register(register) => self.load_memory_lanes(register, src.index, read),
            OperandBase::Param(param) => self.load_param(param, src.index),
            OperandBase::Input(input) => self.load_input(input, src.index),
            OperandBase::Literal(literal) => Ok(self.load_literal(literal, scalar, read)),
            OperandBase::Output(output) => self.load_shared_output(output, src.index),
        }
    }

    /// Returns the lanes of a literal as constants of type `scalar`, of which those in `read` are
    /// valid. Caches the constants of the type with which a literal was read last.
    fn load_literal(&mut self, literal: LiteralId, scalar: Scalar, read: u8) -> [Lane; 4] {
        let known = &mut self.operand_cache.literals[literal.index()];
        if known.0 != Some(scalar) {
            *known = (Some(scalar), [Lane::UNDEFINED; 4]);
        }
        for lane in WriteMask(read).lanes() {
            if !known.1[lane].is_some() {
                let bits = self.program.literals[literal][lane];
                known.1[lane] = Lane::scalar(self.builder.constant(scalar, bits));
            }
        }
        known.1
    }

    /// Loads the vector of a program parameter, with or without an index.
    fn load_param(&mut self, param: ParamId, index: Option<IndexId>) -> Result<[Lane; 4], Failure> {
        if let Some(index) = index {
            return self.load_indexed_param(param, index);
        }
        Ok(self.io().params().load(param))
    }

    /// Loads the vector of a parameter array at an index; dynamic indices are clamped to the array.
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
                let first = self.builder.constant_u32_val(param.index() as u32 - start);
                let slot = self
                    .builder
                    .emit_binary(Op::IAdd, self.builder.val(element), first);
                let id = self.io().params().load_at(param, slot.id);
                Ok(Lane::all_components(id))
            }
        }
    }

    /// Returns true if code flushes the operands and the result of an instruction.
    #[inline(always)]
    pub(super) fn should_flush_denormals(&self, inst: &Inst) -> bool {
        self.builder.flushes_denormals && inst.ty == Type::F32 && inst.op.is_float_math()
    }

    /// Loads the three operands of a three-operand instruction.
    #[inline(always)]
    pub(super) fn load_three_sources(&mut self, cx: InstContext<'_>) -> Result<[Val; 3], Failure> {
        let [a, b] = self.load_two_sources(cx)?;
        Ok([a, b, self.load_source(cx.inst, 2, cx.lanes)?])
    }

    /// Loads the two operands of a two-operand instruction.
    #[inline(always)]
    pub(super) fn load_two_sources(&mut self, cx: InstContext<'_>) -> Result<[Val; 2], Failure> {
        Ok([
            self.load_source(cx.inst, 0, cx.lanes)?,
            self.load_source(cx.inst, 1, cx.lanes)?,
        ])
    }
}

impl FunctionEmitter<'_> {
    /// Returns the element of a register array that an index selects; the first one without an
    /// index.
    pub(in crate::emit) fn find_register_element(
        &mut self,
        register: RegisterId,
        index: Option<IndexId>,
    ) -> Result<Element, Failure> {
        self.find_element(index, self.program.registers[register].element_count())
    }

    /// Returns the element that an index selects, clamped to `0..len`.
    pub(in crate::emit) fn find_element(
        &mut self,
        index: Option<IndexId>,
        len: u32,
    ) -> Result<Element, Failure> {
        match index {
            Some(index) => self.compute_element(self.program.indices[index].element, len),
            None => Ok(Element::Constant(0)),
        }
    }

    /// Computes the element that a term selects, clamped to `0..len` as a signed number: beyond it
    /// the result is undefined, but the access must be harmless (NV_gpu_program4 section 2.X.4.2).
    pub(in crate::emit) fn compute_element(
        &mut self,
        term: IndexTerm,
        len: u32,
    ) -> Result<Element, Failure> {
        let last = len.max(1) - 1;
        let Some((register, lane)) = term.relative else {
            return Ok(Element::Constant((term.offset.max(0) as u32).min(last)));
        };
        let relative = self.load_index(register, lane)?;
        let relative = self.builder.val(relative);
        let offset = self.builder.constant_u32_val(term.offset as u32);
        let sum = self.builder.emit_binary(Spv::IAdd, relative, offset);
        if let Some(bits) = self.builder.splat_bits(sum) {
            // Signed, as at run time: a negative number is clamped to element 0.
            let element = (bits as u32 as i32).clamp(0, last as i32);
            return Ok(Element::Constant(element as u32));
        }
        let zero = self.builder.constant_like(sum, 0);
        let last = self.builder.constant_like(sum, u64::from(last));
        let clamped = self.builder.emit_ext(GlslOp::SClamp, &[sum, zero, last]);
        Ok(Element::Dynamic(clamped.id))
    }

    /// Loads a lane of a register as a 32-bit integer, for indices and selectors, without a clamp.
    pub(in crate::emit) fn load_index(
        &mut self,
        register: RegisterId,
        lane: u8,
    ) -> Result<ValueWord, Failure> {
        let lane = usize::from(lane & 3);
        let value = match self.analysis.find_slot(self.program, register, None) {
            Some(slot) => self.lanes.get(slot, lane),
            None => self.load_memory_lanes(register, None, 1 << lane)?[lane],
        };
        Ok(self.builder.read_lane(value, Scalar::U32))
    }

    /// Loads the lanes `read` of an element of a register that is in memory.
    pub(in crate::emit) fn load_memory_lanes(
        &mut self,
        register: RegisterId,
        index: Option<IndexId>,
        read: u8,
    ) -> Result<[Lane; 4], Failure> {
        let element = self.find_register_element(register, index)?;
        Ok(self.memory().load_register(register, element, read))
    }
}
