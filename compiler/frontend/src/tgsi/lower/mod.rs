//! Instructions to IR.

mod alu;
mod image;
mod memory;
mod outputs;
mod steps;
mod texture;
mod view;
mod wide;

use super::inst::Inst;
use super::opcodes::{Interpolate, Lower};
use super::operand::splat;
use super::state::{Parsed, Translation};
use crate::codes::Code;
use crate::lower::formula::Formulas;
use glasm_ir::inst::Aux;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Base, Cond, CondTest, Guard, Interpolation, Op, Saturate, Src, Swizzle, WriteMask};

impl Translation<'_> {
    /// Translates an instruction that is no flow control.
    pub(super) fn lower(&mut self, inst: &Inst) -> Parsed<()> {
        let sources = &inst.sources[..inst.count];
        match inst.row.lower {
            Lower::Move => self.copy(inst),
            Lower::Direct(op, ty) => self.direct(inst, op, ty),
            Lower::First(op, ty) => {
                // The second one is that of opcodes with one source, too, where it is left out below.
                let firsts = [inst.scalar(0), inst.scalar(1)];
                self.finish(inst, op, ty, &firsts[..inst.count]);
            }
            Lower::Formula(formula) => self.formula(inst, formula),
            Lower::Bits(op, ty) => self.comparison(inst, op, ty),
            Lower::Convert(from, to, rounding) => {
                // Floats beyond the range of integers become its ends.
                let aux = Aux::Cvt {
                    from,
                    rounding,
                    saturate: from.is_float(),
                };
                self.finish_with(inst, Op::Cvt, to, aux, &[sources[0]]);
            }
            Lower::Wide(op, ty) => return self.wide(inst, op, ty),
            Lower::WideBits(op, ty) => return self.wide_comparison(inst, op, ty),
            Lower::WideFormula(formula) => return self.wide_formula(inst, formula),
            Lower::WideShift(op, ty) => return self.wide_shift(inst, op, ty),
            Lower::Widen(from, to) => return self.widen(inst, from, to),
            Lower::Narrow(from, to) => return self.narrow_pairs(inst, from, to),
            Lower::WideConvert(from, to) => return self.wide_convert(inst, from, to),
            Lower::Lookup(lookup) => return self.lookup(inst, lookup),
            Lower::ViewLookup(lookup) => return self.view_lookup(inst, lookup),
            Lower::Memory(memory) => return self.memory_access(inst, memory),
            Lower::Flow(_) => {}
            Lower::KillIf => self.kill_if(inst),
            Lower::Demote => self.inst(Op::Demote, Type::U32, None, Aux::None, &[]),
            Lower::Emit => {
                let stream = self.stream(inst)?;
                self.inst(Op::EmitVertex, Type::S32, None, Aux::None, &[stream]);
            }
            Lower::EndPrimitive => {
                // Checked only: the operation of the IR has no stream.
                self.stream(inst)?;
                self.inst(Op::EndPrimitive, Type::U32, None, Aux::None, &[]);
            }
            Lower::Barrier => self.inst(Op::Barrier, Type::U32, None, Aux::None, &[]),
            // For all memory, whichever kinds the operand names: more order than was asked for does no harm.
            Lower::MemoryBarrier => self.inst(Op::MemoryBarrier, Type::U32, None, Aux::None, &[]),
            Lower::Interpolate(at) => return self.interpolate(inst, at),
            Lower::Vote(op) => {
                let all = inst.sources[0];
                self.finish(inst, op, Type::U32, &[all]);
            }
            Lower::Ballot => {
                let first = inst.scalar(0);
                self.finish(inst, Op::GroupBallotWide, Type::U32, &[first]);
            }
        }
        Ok(())
    }

    /// MOV: a sign changes its bit alone, that of NaN, too.
    #[inline]
    fn copy(&mut self, inst: &Inst) {
        let source = inst.sources[0];
        // A plain move keeps all bits; a clamp is one of floats anyway.
        if !source.has_modifier() || inst.saturate != Saturate::None {
            return self.finish(inst, Op::Mov, Type::F32, &[source]);
        }
        let (op, source, bits) = self.sign_change(source);
        self.finish(inst, op, Type::U32, &[source, bits]);
    }

    /// The number of a stream: an immediate, 0 if there is none.
    fn stream(&mut self, inst: &Inst) -> Parsed<Src> {
        if inst.count == 0 {
            return Ok(self.word(0));
        }
        let source = splat(inst.sources[0], 0);
        let span = inst.registers[0].span;
        // SPIR-V wants the number of a stream as a constant.
        let Base::Literal(literal) = source.base else {
            let message = "the number of a stream is an immediate";
            return Err(self.error(Code::OperandNotVariable, span, message));
        };
        let words = self.builder.program.literals[literal];
        if words[source.swizzle.lane(0)] != 0 {
            self.properties.later_stream.get_or_insert(span);
        }
        Ok(source)
    }

    /// KILL_IF: discards the fragment if any of four components is below 0.
    fn kill_if(&mut self, inst: &Inst) {
        let guard = Guard {
            cc: self.tested(inst.sources[0]),
            // NaN is not below 0 and discards nothing.
            test: CondTest::Lt,
            swizzle: Swizzle::XYZW,
        };
        self.discard(Cond::Any(guard));
    }

    /// INTERP_CENTROID, INTERP_SAMPLE, INTERP_OFFSET: the source is an input.
    fn interpolate(&mut self, inst: &Inst, at: Interpolate) -> Parsed<()> {
        let source = inst.sources[0];
        let register = inst.registers[0];
        let Base::Input(input) = source.base else {
            let message = format!("the source of `{}` is an input", inst.row.name);
            return Err(self.error(Code::InterpolationOperand, register.span, message));
        };
        let flat = self.builder.program.inputs[input].interpolation;
        // Such an input has one value for the whole primitive.
        if flat == Interpolation::Flat {
            let message = "this input is not interpolated";
            return Err(self.error(Code::InterpolationOperand, register.span, message));
        }
        match at {
            Interpolate::Centroid => self.finish(inst, Op::InterpCentroid, Type::F32, &[source]),
            Interpolate::Sample => {
                let sample = inst.scalar(1);
                self.finish(inst, Op::InterpSample, Type::F32, &[source, sample]);
            }
            Interpolate::Offset => {
                let offset = self.pixel_offset(inst.sources[1]);
                self.finish(inst, Op::InterpOffset, Type::F32, &[source, offset]);
            }
        }
        Ok(())
    }

    /// An offset within a pixel, whose y grows downward.
    fn pixel_offset(&mut self, offset: Src) -> Src {
        let scale = self.downward();
        let turned = self.hidden(Width::W32);
        self.put(turned, WriteMask(0b1101), Op::Mov, Type::F32, &[offset]);
        let sources = [offset, scale];
        self.put(turned, WriteMask(0b0010), Op::Mul, Type::F32, &sources);
        Src::register(turned)
    }
}
