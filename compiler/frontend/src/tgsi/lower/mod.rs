//! Instructions to IR.

pub(super) mod alu;
pub(super) mod emitter;
pub(super) mod filled;
mod flow;
mod image;
mod inputs;
mod instruction;
pub(super) mod memory;
pub(super) mod outputs;
pub(super) mod statement;
mod steps;
pub(super) mod texture;
mod view;
mod wide;

use super::inst::Inst;
use super::opcodes::{Interpolate, Lower};
use super::operand::splat;
use crate::codes::Code;
use crate::tgsi::check::Parsed;
use crate::tgsi::lower::alu::Alu;
use crate::tgsi::lower::memory::MemoryAccess;
use crate::tgsi::lower::statement::TgsiLowerer;
use crate::tgsi::lower::texture::Textures;
use glasm_ir::inst::Aux;
use glasm_ir::types::Type;
use glasm_ir::{Base, Interpolation, Op, Src};

impl TgsiLowerer<'_> {
    /// Lowers an instruction that is not flow control.
    pub(in crate::tgsi) fn lower(&mut self, inst: &Inst) -> Parsed<()> {
        let cx = &mut self.cx;
        match inst.row.lower {
            Lower::Move => cx.emit.copy(inst),
            Lower::Direct(op, ty) => cx.emit.direct(inst, op, ty),
            Lower::First(op, ty) => {
                // The second one is also that of opcodes with one source, where it is omitted
                // below.
                let firsts = [inst.scalar(0), inst.scalar(1)];
                cx.emit.finish(inst, op, ty, &firsts[..inst.count]);
            }
            Lower::Formula(formula) => Alu::new(cx).formula(inst, formula),
            Lower::Bits(op, ty) => Alu::new(cx).comparison(inst, op, ty),
            Lower::Convert(from, to, rounding) => {
                // Floats out of the range of integers are clamped to it.
                let aux = Aux::Cvt {
                    from,
                    rounding,
                    saturate: from.is_float(),
                };
                let source = inst.sources[0];
                cx.emit.finish_with(inst, Op::Cvt, to, aux, &[source]);
            }
            Lower::Wide(op, ty) => return Alu::new(cx).wide(inst, op, ty),
            Lower::WideBits(op, ty) => return Alu::new(cx).lower_wide_comparison(inst, op, ty),
            Lower::WideFormula(formula) => return Alu::new(cx).lower_wide_formula(inst, formula),
            Lower::WideShift(op, ty) => return Alu::new(cx).lower_wide_shift(inst, op, ty),
            Lower::Widen(from, to) => return Alu::new(cx).widen(inst, from, to),
            Lower::Narrow(from, to) => return Alu::new(cx).lower_narrow(inst, from, to),
            Lower::WideConvert(from, to) => return Alu::new(cx).lower_wide_convert(inst, from, to),
            Lower::Lookup(lookup) => {
                return Textures::new(cx, &mut self.lookups).lookup(inst, lookup);
            }
            Lower::ViewLookup(lookup) => {
                return Textures::new(cx, &mut self.lookups).lower_view_lookup(inst, lookup);
            }
            Lower::Memory(memory) => {
                return MemoryAccess::new(cx).lower_memory_access(inst, memory);
            }
            Lower::Flow(_) => {}
            Lower::KillIf => cx.emit.kill_if(inst),
            Lower::Demote => cx.emit.effect(Op::Demote),
            Lower::Emit | Lower::EndPrimitive => return self.end_vertex(inst),
            Lower::Barrier => cx.emit.effect(Op::Barrier),
            // For all memory, regardless of the kinds that the operand names: more order than
            // requested does no harm.
            Lower::MemoryBarrier => cx.emit.effect(Op::MemoryBarrier),
            Lower::Interpolate(at) => return self.interpolate(inst, at),
            Lower::Vote(op) => cx.emit.finish(inst, op, Type::U32, &[inst.sources[0]]),
            Lower::Ballot => {
                let first = inst.scalar(0);
                let op = Op::GroupBallotWide;
                cx.emit.finish(inst, op, Type::U32, &[first]);
            }
        }
        Ok(())
    }

    /// Lowers EMIT and ENDPRIM.
    fn end_vertex(&mut self, inst: &Inst) -> Parsed<()> {
        let stream = self.stream(inst)?;
        let emit = &mut self.cx.emit;
        if inst.row.lower == Lower::Emit {
            emit.inst(Op::EmitVertex, Type::S32, None, Aux::None, &[stream]);
        } else {
            // The stream was only checked: the operation of the IR has none.
            emit.effect(Op::EndPrimitive);
        }
        Ok(())
    }

    /// Returns the number of a stream: an immediate, 0 if there is none.
    fn stream(&mut self, inst: &Inst) -> Parsed<Src> {
        if inst.count == 0 {
            return Ok(self.cx.emit.word(0));
        }
        let source = splat(inst.sources[0], 0);
        let span = inst.registers[0].span;
        // SPIR-V requires the number of a stream to be a constant.
        let Base::Literal(literal) = source.base else {
            let message = "the number of a stream is an immediate";
            return Err(self.cx.check.error(Code::OperandNotVariable, span, message));
        };
        let words = self.cx.emit.builder.program.literals[literal];
        if words[source.swizzle.lane(0)] != 0 {
            self.cx.properties.later_stream.get_or_insert(span);
        }
        Ok(source)
    }

    /// Lowers INTERP_CENTROID, INTERP_SAMPLE, INTERP_OFFSET: the source is an input.
    fn interpolate(&mut self, inst: &Inst, at: Interpolate) -> Parsed<()> {
        let source = inst.sources[0];
        let register = inst.registers[0];
        let Base::Input(input) = source.base else {
            let message = format!("the source of `{}` is an input", inst.row.name);
            return Err(self
                .cx
                .check
                .error(Code::InterpolationOperand, register.span, message));
        };
        let flat = self.cx.emit.builder.program.inputs[input].interpolation;
        // Such an input has one value for the whole primitive.
        if flat == Interpolation::Flat {
            let message = "this input is not interpolated";
            return Err(self
                .cx
                .check
                .error(Code::InterpolationOperand, register.span, message));
        }
        match at {
            Interpolate::Centroid => {
                self.cx
                    .emit
                    .finish(inst, Op::InterpCentroid, Type::F32, &[source])
            }
            Interpolate::Sample => {
                let sample = inst.scalar(1);
                self.cx
                    .emit
                    .finish(inst, Op::InterpSample, Type::F32, &[source, sample]);
            }
            Interpolate::Offset => {
                let offset = self.cx.emit.pixel_offset(inst.sources[1]);
                self.cx
                    .emit
                    .finish(inst, Op::InterpOffset, Type::F32, &[source, offset]);
            }
        }
        Ok(())
    }
}
