//! 64-bit integers on devices without them: pairs of words, lane by lane.
//!
//! Addresses need addition, subtraction, shifts, logic, comparison and conversion; multiplication comes cheap. Division and
//! conversion from and to floats are left to devices that have 64-bit integers.

use crate::analysis::is_comparison;
use crate::builder::{Builder, Lane, Scalar, Val};
use crate::emit::Emit;
use crate::emit::cx::{InstCx, Outcome};
use crate::error::{Error, Failure};
use glasm_ir::inst::read_lanes;
use glasm_ir::{Aux, Inst, Op, Saturate, Type, TypeBase, Width, WriteMask};
use spirv::Op as Spv;

impl Emit<'_> {
    /// One instruction on 64-bit integers.
    pub(in crate::emit) fn wide_inst(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let mut lanes = [Lane::UNDEFINED; 4];
        for lane in WriteMask(cx.lanes).lanes() {
            lanes[lane] = self.wide_lane(cx, lane)?.lane(0);
        }
        Ok(Outcome::Lanes(lanes))
    }

    fn wide_lane(&mut self, cx: InstCx<'_>, lane: usize) -> Result<Val, Failure> {
        let inst = cx.inst;
        if let Aux::Cvt { from, saturate, .. } = inst.aux {
            return self.wide_convert(cx, lane, from, saturate);
        }
        let mut values = [None; 3];
        let sources = self.program.sources(inst);
        for (number, (value, src)) in values.iter_mut().zip(sources).enumerate() {
            // Scalar operands are read from another lane.
            let read = read_lanes(self.program, inst, number, 1 << lane);
            *value = Some(self.source_as(src, inst.ty, read)?);
        }
        let [Some(a), b, c] = values else {
            return Err(unsupported(inst));
        };
        // Operands that the operation does not have are not read; `a` stands in for them.
        let (b, c) = (b.unwrap_or(a), c.unwrap_or(a));
        let [x, y, z] = [a, b, c].map(|val| self.w.wide_words(val));
        if is_comparison(inst.op) {
            return Ok(self.w.wide_comparison(inst, x, y));
        }
        let Some(words) = self.w.wide_words_of(inst, x, y, z) else {
            return Err(unsupported(inst));
        };
        Ok(self.w.wide_value(words))
    }

    fn wide_convert(
        &mut self,
        cx: InstCx<'_>,
        lane: usize,
        from: Type,
        saturate: bool,
    ) -> Result<Val, Failure> {
        let to = cx.inst.ty;
        // These need comparisons and conversions of pairs that nothing else asks for.
        if from.is_float() || to.is_float() || saturate {
            return Err(unsupported(cx.inst));
        }
        let src = self.program.source(cx.inst, 0);
        if from.width() == Width::W64 {
            let val = self.source_as(src, from, 1 << lane)?;
            if to.width() == Width::W64 {
                return Ok(val);
            }
            let [low, _] = self.w.wide_words(val);
            return Ok(narrow_word(self.w, low, to));
        }
        // Narrow types lie in words: cut to their width here, as `convert` does.
        let low = self.source_as(src, from.with_width(Width::W32), 1 << lane)?;
        let low = narrow_word(self.w, low, from);
        let high = self.w.sign_word(low, from);
        Ok(self.w.wide_value([low, high]))
    }

    /// Integers of type `from` as ones of the other width, 32 or 64 bits.
    pub(in crate::emit) fn resized(&mut self, outcome: Outcome, from: Type, lanes: u8) -> Outcome {
        let mut values = match outcome {
            Outcome::Val(val) => val.spread(lanes),
            Outcome::Lanes(values) => values,
            Outcome::None => return outcome,
        };
        let (scalar, pairs) = (self.w.read_scalar(from), self.w.wide_int() == Scalar::Pair);
        for lane in WriteMask(lanes).lanes() {
            let value = self.w.lane_val(values[lane], scalar);
            let resized = match (from.width() == Width::W64, pairs) {
                (true, true) => self.w.wide_words(value)[0],
                (true, false) => self.w.unary_to(Spv::UConvert, Scalar::U32, value),
                (false, true) => {
                    let high = self.w.sign_word(value, from);
                    self.w.wide_value([value, high])
                }
                (false, false) if from.is_signed_int() => self.w.sign_extended(value),
                (false, false) => self.w.unary_to(Spv::UConvert, Scalar::U64, value),
            };
            values[lane] = resized.lane(0);
        }
        Outcome::Lanes(values)
    }

    /// Whether an instruction computes with 64-bit floats. Moves do so only if they clamp, have modifiers or set condition codes,
    /// which compares the value with 0; `codes` are the lanes of codes that are needed.
    pub(in crate::emit) fn uses_float64(&self, inst: &Inst, codes: u8) -> bool {
        let moves = if inst.op == Op::Mov {
            let clamps = inst.dst.is_some_and(|dst| dst.saturate != Saturate::None);
            !clamps && codes == 0 && !self.program.source(inst, 0).has_modifier()
        } else {
            matches!(inst.op, Op::Pack64 | Op::Unpack64)
        };
        let converts = matches!(
            inst.aux,
            Aux::Cvt {
                from: Type::F64,
                ..
            }
        );
        inst.ty == Type::F64 && !moves || converts
    }

    /// Whether an instruction computes with 64-bit integers that the device lacks.
    pub(in crate::emit) fn is_pair_op(&self, inst: &Inst) -> bool {
        if self.w.wide_int() != Scalar::Pair {
            return false;
        }
        let wide_int = |ty: Type| ty.width() == Width::W64 && ty.base() != TypeBase::Float;
        match (inst.op, inst.aux) {
            (Op::Mov, _) => wide_int(inst.ty) && self.program.source(inst, 0).has_modifier(),
            // They know pairs themselves.
            (Op::Pack64 | Op::Unpack64 | Op::Load | Op::Store | Op::Atomic | Op::Tex, _) => false,
            (_, Aux::Cvt { from, .. }) => wide_int(inst.ty) || wide_int(from),
            _ => wide_int(inst.ty),
        }
    }
}

/// The low bits of a word that an integer type has, extended to the word.
fn narrow_word(w: &mut Builder, word: Val, ty: Type) -> Val {
    match ty.width() {
        Width::W32 | Width::W64 => word,
        Width::W8 | Width::W16 => w.extend(word, ty.width().bits(), ty.is_signed_int()),
    }
}

fn unsupported(inst: &Inst) -> Failure {
    let (op, ty) = (inst.op.name(), inst.ty.name());
    let what = format!("shaderInt64, and {op}.{ty} is not emulated");
    Error::missing_feature("shaderInt64").calling_it(&what)
}
