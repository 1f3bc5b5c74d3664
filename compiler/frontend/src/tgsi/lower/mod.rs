//! Lowering: a checked program to IR.
//!
//! Contexts that borrow each other limit what a function can access: an `Emitter` has the program
//! that is built, an `OperandLowerer` also the checked program. `AluLowerer`, `TextureLowerer`,
//! `MemoryLowerer` and `OutputStores` borrow what their subject needs; a `TgsiLowerer` iterates over
//! the instructions.

mod alu;
mod constants;
mod emitter;
mod flow;
mod helpers;
mod image;
mod inputs;
mod inst;
mod int64_double;
mod memory;
mod operand;
mod output_stores;
mod sampler_view;
#[cfg(test)]
mod tests;
mod texture;

use super::checked::{CheckedInst, CheckedProgram, WrittenOutputs};
use super::opcodes::{Interpolate, OpcodeLowering};
use crate::ProgramPool;
use crate::lower::op_builder::OpBuilder;
use crate::source::TgsiOptions;
use alu::AluLowerer;
use emitter::{Emitter, IrCache};
use glasm_ir::cfg::TreeBuilder;
use glasm_ir::inst::InstData;
use glasm_ir::types::Type;
use glasm_ir::{InstFlags, Op, Program, Stage};
use inst::LoweredInst;
use memory::MemoryLowerer;
use operand::OperandLowerer;
use output_stores::OutputStores;
use texture::TextureLowerer;

/// Memory that lowerings use one after the other.
#[derive(Debug, Default)]
pub(super) struct LowerMemory {
    ir_cache: IrCache,
    /// See [`TgsiLowerer`].
    cache_scopes: Vec<usize>,
}

/// Lowers a checked program without errors.
pub(super) fn lower(
    program: &CheckedProgram,
    (stage, options): (Stage, &TgsiOptions),
    (memory, programs): (&mut LowerMemory, &mut ProgramPool),
) -> Program {
    let LowerMemory {
        ir_cache,
        mut cache_scopes,
    } = std::mem::take(memory);
    cache_scopes.clear();
    let mut emitter = Emitter::new(programs.take_builder(stage), ir_cache);
    emitter.add_declarations(program);
    let mut tree = TreeBuilder::new(&mut emitter.builder, &program.cfg, &program.call_graph);
    tree.track_unreachable_ends();
    let mut lowerer = TgsiLowerer {
        operands: OperandLowerer {
            program,
            stage,
            options,
            properties: program.properties,
            emitter,
            constant_type: Type::F32,
        },
        tree,
        cache_scopes,
    };
    lowerer.lower_insts();
    let TgsiLowerer {
        mut operands,
        tree,
        cache_scopes,
    } = lowerer;
    tree.build_routines(&mut operands.emitter.builder, None);
    operands.initialize_arrays();
    let Emitter {
        builder, ir_cache, ..
    } = operands.emitter;
    *memory = LowerMemory {
        ir_cache,
        cache_scopes,
    };
    programs.finish_program(builder)
}

/// Lowers the instructions of a program: flow control itself, everything else with the contexts of
/// its subject.
struct TgsiLowerer<'a> {
    operands: OperandLowerer<'a>,
    tree: TreeBuilder<'a>,
    /// Number of values that were recorded when each open block began.
    cache_scopes: Vec<usize>,
}

impl TgsiLowerer<'_> {
    /// Lowers all instructions in source order.
    fn lower_insts(&mut self) {
        let program = self.operands.program;
        let mut inst = LoweredInst::empty();
        if let Some(first) = program.insts.first() {
            self.operands.emitter.begin_inst(first.opcode);
        }
        self.begin_main();
        for checked in &program.insts {
            self.lower_inst(&mut inst, checked);
        }
    }

    /// Lowers an instruction: its operands, then its operations.
    fn lower_inst(&mut self, inst: &mut LoweredInst, checked: &CheckedInst) {
        let row = checked.opcode_row;
        let operands = &mut self.operands;
        operands.emitter.begin_inst(checked.opcode);
        operands.constant_type = row.constant_type(operands.stage);
        inst.reset_for(checked, operands.emitter.splat_word(0));
        operands.lower_operands(inst, checked);
        operands.emitter.span = checked.span;
        if checked.is_precise {
            operands.emitter.flags = InstFlags::PRECISE;
        }
        if let OpcodeLowering::Flow(flow) = row.lower {
            return self.lower_flow(flow, inst, checked);
        }
        if operands.options.legacy_semantics {
            operands.apply_integer_signs(inst);
        }
        if let (Some(guard), Some(_)) = (checked.guard, inst.dst) {
            let guard = Some(self.make_guard(guard));
            inst.dst = inst.dst.map(|dst| glasm_ir::Dst { guard, ..dst });
        }
        self.lower_non_flow_inst(inst);
        // Written components may be outputs of the device under other names.
        if checked.written_outputs != WrittenOutputs::None {
            OutputStores::new(&mut self.operands).store_device_outputs(checked);
        }
    }

    /// Lowers an instruction without effect on control flow.
    #[expect(clippy::too_many_lines, reason = "an arm for each way of lowering")]
    fn lower_non_flow_inst(&mut self, inst: &LoweredInst) {
        let operands = &mut self.operands;
        match inst.opcode_row.lower {
            OpcodeLowering::Move => operands.emitter.lower_mov(inst),
            OpcodeLowering::Direct(op, ty) => operands.emitter.lower_direct(inst, op, ty),
            OpcodeLowering::First(op, ty) => {
                // The second one is also that of opcodes with one source, where it is omitted
                // below.
                let firsts = [inst.scalar_source(0), inst.scalar_source(1)];
                operands
                    .emitter
                    .emit_result(inst, op, ty, &firsts[..inst.source_count]);
            }
            OpcodeLowering::Formula(formula) => {
                AluLowerer::new(operands).lower_formula(inst, formula)
            }
            OpcodeLowering::Bits(op, ty) => {
                AluLowerer::new(operands).lower_comparison(inst, op, ty)
            }
            OpcodeLowering::Convert(from, to, rounding) => {
                // Floats out of the range of integers are clamped to it.
                let aux = InstData::Cvt {
                    from,
                    rounding,
                    saturate: from.is_float(),
                };
                let source = inst.sources[0];
                operands
                    .emitter
                    .emit_result_with_aux(inst, Op::Cvt, to, aux, &[source]);
            }
            OpcodeLowering::Wide(op, ty) => {
                AluLowerer::new(operands).lower_wide(inst, op, ty);
            }
            OpcodeLowering::WideBits(op, ty) => {
                AluLowerer::new(operands).lower_wide_comparison(inst, op, ty);
            }
            OpcodeLowering::WideFormula(formula) => {
                AluLowerer::new(operands).lower_wide_formula(inst, formula);
            }
            OpcodeLowering::WideShift(op, ty) => {
                AluLowerer::new(operands).lower_wide_shift(inst, op, ty);
            }
            OpcodeLowering::Widen(from, to) => {
                AluLowerer::new(operands).lower_widen(inst, from, to);
            }
            OpcodeLowering::Narrow(from, to) => {
                AluLowerer::new(operands).lower_narrow(inst, from, to);
            }
            OpcodeLowering::WideConvert(from, to) => {
                AluLowerer::new(operands).lower_wide_convert(inst, from, to);
            }
            OpcodeLowering::Lookup(lookup) => {
                TextureLowerer::new(operands).lower_lookup(inst, lookup);
            }
            OpcodeLowering::ViewLookup(lookup) => {
                TextureLowerer::new(operands).lower_view_lookup(inst, lookup);
            }
            OpcodeLowering::Memory(memory) => {
                MemoryLowerer::new(operands).lower_memory_access(inst, memory);
            }
            OpcodeLowering::Flow(_) => {}
            OpcodeLowering::KillIf => operands.emitter.lower_kill_if(inst),
            OpcodeLowering::Demote => operands.emitter.emit_effect(Op::Demote),
            OpcodeLowering::Emit | OpcodeLowering::EndPrimitive => {
                self.lower_emit_or_endprim(inst);
            }
            OpcodeLowering::Barrier => operands.emitter.emit_effect(Op::Barrier),
            // For all memory, regardless of the kinds that the operand names: more order than
            // requested does no harm.
            OpcodeLowering::MemoryBarrier => operands.emitter.emit_effect(Op::MemoryBarrier),
            OpcodeLowering::Interpolate(at) => self.lower_interpolate(inst, at),
            OpcodeLowering::Vote(op) => {
                operands
                    .emitter
                    .emit_result(inst, op, Type::U32, &[inst.sources[0]])
            }
            OpcodeLowering::Ballot => {
                let first = inst.scalar_source(0);
                let op = Op::GroupBallotWide;
                operands.emitter.emit_result(inst, op, Type::U32, &[first]);
            }
        }
    }

    /// Lowers EMIT and ENDPRIM.
    fn lower_emit_or_endprim(&mut self, inst: &LoweredInst) {
        let emitter = &mut self.operands.emitter;
        if inst.opcode_row.lower != OpcodeLowering::Emit {
            // The operation of the IR has no stream.
            return emitter.emit_effect(Op::EndPrimitive);
        }
        let stream = match inst.source_count {
            0 => emitter.splat_word(0),
            _ => inst.scalar_source(0),
        };
        emitter.emit_inst(Op::EmitVertex, Type::S32, None, InstData::None, &[stream]);
    }

    /// Lowers INTERP_CENTROID, INTERP_SAMPLE and INTERP_OFFSET.
    fn lower_interpolate(&mut self, inst: &LoweredInst, location: Interpolate) {
        let source = inst.sources[0];
        let emitter = &mut self.operands.emitter;
        match location {
            Interpolate::Centroid => {
                emitter.emit_result(inst, Op::InterpCentroid, Type::F32, &[source]);
            }
            Interpolate::Sample => {
                let sample = inst.scalar_source(1);
                emitter.emit_result(inst, Op::InterpSample, Type::F32, &[source, sample]);
            }
            Interpolate::Offset => {
                let offset = emitter.convert_pixel_offset(inst.sources[1]);
                emitter.emit_result(inst, Op::InterpOffset, Type::F32, &[source, offset]);
            }
        }
    }
}

impl OperandLowerer<'_> {
    /// Applies the absolute values of integers, which only exist in TGSI of 2010.
    fn apply_integer_signs(&mut self, inst: &mut LoweredInst) {
        let (OpcodeLowering::Direct(_, ty) | OpcodeLowering::Convert(ty, ..)) =
            inst.opcode_row.lower
        else {
            return;
        };
        if ty.is_float() {
            return;
        }
        for source in &mut inst.sources[..inst.source_count] {
            if source.abs {
                *source = self.emitter.compute(Op::Mov, Type::S32, &[*source]);
            }
        }
    }
}
