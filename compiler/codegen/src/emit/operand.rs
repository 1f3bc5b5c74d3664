//! Sources of instructions: base and index, swizzle, type, absolute value, negation.

use super::Emit;
use super::array::Element;
use super::cx::InstCx;
use crate::builder::{Lane, Scalar, Val, is_prefix};
use crate::error::{Error, Failure};
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::inst::{IndexId, LiteralId};
use glasm_ir::{Base, Inst, ParamId, Src, Swizzle, Type, WriteMask};
use spirv::Op;

impl Emit<'_> {
    /// Source `number` of `inst`, read as the instruction's type; see [`source_as`](Self::source_as).
    #[inline]
    pub(super) fn source(&mut self, inst: &Inst, number: usize, lanes: u8) -> Result<Val, Failure> {
        let program = self.program;
        let src = &program.srcs[inst.first_source as usize + number];
        self.source_as(src, inst.ty, lanes)
    }

    /// The lanes `lanes` of a source as a value of type `ty`, modifiers applied. Lanes come one after the other; a source
    /// whose lanes are all equal gives a scalar.
    #[inline]
    pub(super) fn source_as(&mut self, src: &Src, ty: Type, lanes: u8) -> Result<Val, Failure> {
        match self.whole_source(src, ty, lanes) {
            Some(val) => Ok(val),
            None => self.source_of_parts(src, ty, lanes),
        }
    }

    /// The value of a register or parameter that is read as it was written. Most operands are such.
    #[inline]
    fn whole_source(&self, src: &Src, ty: Type, lanes: u8) -> Option<Val> {
        let size = WriteMask(lanes).count() as u8;
        let is_plain = src.swizzle == Swizzle::XYZW && !src.has_modifier() && ty != Type::F16;
        if !is_plain || !is_prefix(lanes) || lanes == 0 {
            return None;
        }
        let scalar = self.w.read_scalar(ty);
        match src.base {
            Base::Register(register) => {
                let slot = self.analysis.slot(self.program, register, src.index)?;
                self.w.whole(self.lanes.slot(slot), size, scalar)
            }
            Base::Param(param) if src.index.is_none() => {
                let id = self.interface.params.loaded[param.index()];
                let is_whole = id.is_some() && (scalar, size) == (Scalar::F32, 4);
                is_whole.then_some(Val { id, scalar, size })
            }
            Base::Param(_) | Base::Input(_) | Base::Output(_) | Base::Literal(_) => None,
        }
    }

    fn source_of_parts(&mut self, src: &Src, ty: Type, lanes: u8) -> Result<Val, Failure> {
        let scalar = self.w.read_scalar(ty);
        let mut from = [Lane::UNDEFINED; 4];
        let count = self.source_lanes(src, scalar, lanes, &mut from)?;
        let mut val = if count == 0 {
            let zero = self.w.constant(scalar, 0);
            return Ok(self.w.val(zero));
        } else if scalar == Scalar::Pair {
            // Instructions on pairs go lane by lane and ask for one lane at a time.
            let id = self.w.scalar(from[0], scalar);
            self.w.val(id)
        } else {
            self.w.gather_first(&from, count as u8, scalar)
        };
        if val.size > 1 && from[0].id() != val.id {
            self.keep_vector(src, lanes, &from[..count], val);
        }
        if ty == Type::F16 {
            val = self.w.half_to_float(val);
        }
        Ok(if src.has_modifier() {
            self.w.modify(val, src, ty)
        } else {
            val
        })
    }

    /// Lanes that were collected from several values are read from the new vector from now on.
    fn keep_vector(&mut self, src: &Src, lanes: u8, from: &[Lane], val: Val) {
        let Base::Register(register) = src.base else {
            return;
        };
        if from.iter().any(|lane| lane.id() == val.id)
            || from.iter().all(|lane| lane.id() == from[0].id())
        {
            return;
        }
        let Some(slot) = self.analysis.slot(self.program, register, src.index) else {
            return;
        };
        let mask = WriteMask(lanes);
        // Only without a swizzle do the components stand for the lanes of the register.
        if mask.lanes().any(|lane| src.swizzle.lane(lane) != lane) {
            return;
        }
        for (component, lane) in mask.lanes().enumerate() {
            self.lanes.set(slot, lane, Lane::of(val.id, component));
        }
    }

    /// Puts the lanes of a source into `out`, one after the other and before modifiers; gives their number. Literals are
    /// constants of type `scalar`.
    #[inline(always)]
    pub(super) fn source_lanes(
        &mut self,
        src: &Src,
        scalar: Scalar,
        lanes: u8,
        out: &mut [Lane; 4],
    ) -> Result<usize, Failure> {
        let base = match src.base {
            Base::Register(register) => {
                match self.analysis.slot(self.program, register, src.index) {
                    Some(slot) => *self.lanes.slot(slot),
                    None => self.other_lanes(src, scalar, lanes)?,
                }
            }
            Base::Param(param) if src.index.is_none() => {
                match self.interface.params.loaded[param.index()] {
                    ValueWord::NONE => self.io().param(param),
                    id => Lane::all_of(id),
                }
            }
            Base::Param(_) | Base::Input(_) | Base::Output(_) | Base::Literal(_) => {
                self.other_lanes(src, scalar, lanes)?
            }
        };
        Ok(pick(&base, src.swizzle, lanes, out))
    }

    /// The lanes of what a source names, where they are not at hand.
    fn other_lanes(&mut self, src: &Src, scalar: Scalar, lanes: u8) -> Result<[Lane; 4], Failure> {
        let read = src.swizzle.source_lanes(lanes);
        match src.base {
            Base::Register(register) => self.memory_lanes(register, src.index, read),
            Base::Param(param) => self.param_lanes(param, src.index),
            Base::Input(input) => self.input_lanes(input, src.index),
            Base::Literal(literal) => Ok(self.literal_lanes(literal, scalar, read)),
            Base::Output(_) => Err(Error::unsupported(
                "outputs cannot be read back in this stage",
            )),
        }
    }

    fn literal_lanes(&mut self, literal: LiteralId, scalar: Scalar, read: u8) -> [Lane; 4] {
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

    fn param_lanes(
        &mut self,
        param: ParamId,
        index: Option<IndexId>,
    ) -> Result<[Lane; 4], Failure> {
        if let Some(index) = index {
            return self.indexed_param(param, index);
        }
        Ok(self.io().param(param))
    }

    fn indexed_param(&mut self, param: ParamId, index: IndexId) -> Result<[Lane; 4], Failure> {
        let last = (self.program.params.len() - 1 - param.index()) as u32;
        let len = self.program.indices[index].len.min(last + 1);
        match self.element(Some(index), len)? {
            Element::Constant(element) => {
                let param = ParamId::new(param.index() + element as usize);
                self.param_lanes(param, None)
            }
            Element::Dynamic(element) => {
                let start = self.io().param_array_start(param);
                let first = self.w.uint(param.index() as u32 - start);
                let element = self.w.val(element);
                let first = self.w.val(first);
                let slot = self.w.binary(Op::IAdd, element, first);
                let id = self.io().param_at(param, slot.id);
                Ok(Lane::all_of(id))
            }
        }
    }

    /// The three operands of a three-operand instruction.
    pub(super) fn three(&mut self, cx: InstCx<'_>) -> Result<[Val; 3], Failure> {
        let [a, b] = self.two(cx)?;
        Ok([a, b, self.source(cx.inst, 2, cx.lanes)?])
    }

    /// The two operands of a two-operand instruction.
    #[inline]
    pub(super) fn two(&mut self, cx: InstCx<'_>) -> Result<[Val; 2], Failure> {
        Ok([
            self.source(cx.inst, 0, cx.lanes)?,
            self.source(cx.inst, 1, cx.lanes)?,
        ])
    }
}

/// The lanes that the swizzled lanes `lanes` read, one after the other; gives their number.
#[inline(always)]
pub(super) fn pick(base: &[Lane; 4], swizzle: Swizzle, lanes: u8, out: &mut [Lane; 4]) -> usize {
    if is_prefix(lanes) {
        // The lanes behind them do not matter.
        *out = if swizzle == Swizzle::XYZW {
            *base
        } else {
            std::array::from_fn(|lane| base[swizzle.lane(lane)])
        };
        return WriteMask(lanes).count() as usize;
    }
    let mut count = 0;
    for lane in WriteMask(lanes).lanes() {
        out[count] = base[swizzle.lane(lane)];
        count += 1;
    }
    count
}
