//! Rounds of loops: REP, and LOOP with its address register. NV_gpu_program4 section 2.X.5, NV_fragment_program2 sections
//! 3.11.X.5, 6, 8 and 9.

use super::Lowerer;
use super::operand::splat;
use crate::ast::Inst as Line;
use crate::lang::arb::limits;
use crate::lang::opcodes::{FlowOp, Lower};
use glasm_ir::inst::{Aux, Rounding};
use glasm_ir::structurize::StepBound;
use glasm_ir::types::{Base as TypeBase, Type, Width};
use glasm_ir::{Base, Cond, Dst, Op, RegisterId, Src, WriteMask};

const S: Type = Type::S32;
/// Lanes of the register of a loop index: the index and what each round adds to it.
const INDEX: WriteMask = WriteMask::X;
const INDEX_AND_STEP: WriteMask = WriteMask(0b0011);

/// The rounds that a loop has left, and its index.
#[derive(Clone, Copy)]
pub(super) struct Rounds {
    pub(super) count: RegisterId,
    pub(super) ty: Type,
    pub(super) index: Option<LoopIndex>,
}

/// The index of a LOOP.
#[derive(Clone, Copy)]
pub(super) struct LoopIndex {
    /// Index and step.
    pub(super) register: RegisterId,
    /// What the address register is inside: the index, but never below zero.
    pub(super) address: RegisterId,
    /// What it is around.
    outer: Option<Base>,
}

impl Lowerer<'_> {
    /// LOOP, or REP with a count: its operand is read once.
    pub(super) fn begin_rounds(&mut self, number: u32, line: &Line, op: FlowOp) -> Rounds {
        let (count, ty) = self.count(number, line);
        if self.is_arb() {
            let most = self.bits(u64::from(limits::LOOP_COUNT));
            self.put(
                count,
                WriteMask::X,
                Op::Min,
                ty,
                &[Src::register(count), most],
            );
        }
        let index = (op == FlowOp::Loop).then(|| self.begin_index(line));
        Rounds { count, ty, index }
    }

    /// The count of a loop, latched in a register of its own: the floor of lane x.
    fn count(&mut self, number: u32, line: &Line) -> (RegisterId, Type) {
        let ty = self.checked.types[number as usize].ty;
        let operand = self.checked.operand(line, 0);
        let source = splat(self.operand(&operand, ty), 0);
        let count = match ty.base() {
            TypeBase::Float => Type::of(TypeBase::Signed, ty.width()),
            TypeBase::Signed | TypeBase::Unsigned => ty,
        };
        let register = self.new_register(count.width());
        let dst = Some(Dst::new(register, WriteMask::X));
        if ty.is_float() {
            self.inst(Op::Cvt, count, dst, floor_of(ty), &[source]);
        } else {
            self.inst(Op::Mov, count, dst, Aux::None, &[source]);
        }
        (register, count)
    }

    fn begin_index(&mut self, line: &Line) -> LoopIndex {
        let operand = self.checked.operand(line, 0);
        let values = self.operand(&operand, Type::F32);
        let lanes = glasm_ir::Swizzle::new([1, 2, 1, 2]);
        let (register, address) = (self.new_register(Width::W32), self.new_register(Width::W32));
        let dst = Some(Dst::new(register, INDEX_AND_STEP));
        self.inst(
            Op::Cvt,
            S,
            dst,
            floor_of(Type::F32),
            &[values.swizzled(lanes)],
        );
        let mut index = LoopIndex {
            register,
            address,
            outer: None,
        };
        self.set_address(&index);
        if let Some(place) = self.loop_index_place() {
            index.outer = place.replace(Base::Register(address));
        }
        index
    }

    /// The address register of the innermost LOOP, if the program uses one.
    fn loop_index_place(&mut self) -> Option<&mut Option<Base>> {
        let var = self.checked.loop_index?;
        let first = self.first_place[var as usize];
        self.places.get_mut(first as usize)
    }

    /// What the address register shows of the index.
    fn set_address(&mut self, index: &LoopIndex) {
        let zero = self.bits(0);
        let sources = [Src::register(index.register), zero];
        self.put(index.address, INDEX, Op::Max, S, &sources);
    }

    /// Whether no round is left.
    pub(super) fn rounds_done(&mut self, rounds: &Rounds) -> Cond {
        let (zero, done) = (self.bits(0), self.hidden(rounds.ty.width()));
        let sources = [Src::register(rounds.count), zero];
        self.put(done, WriteMask::X, Op::SetLe, rounds.ty, &sources);
        Cond::NonZero(done, 0, rounds.ty)
    }

    /// At the end of each round.
    pub(super) fn next_round(&mut self, rounds: &Rounds) {
        let (count, one) = (Src::register(rounds.count), self.bits(1));
        self.put(
            rounds.count,
            WriteMask::X,
            Op::Sub,
            rounds.ty,
            &[count, one],
        );
        if let Some(index) = &rounds.index {
            let value = Src::register(index.register);
            self.put(index.register, INDEX, Op::Add, S, &[value, splat(value, 1)]);
            self.set_address(index);
        }
    }

    /// Behind the loop: the address register is that of the loop around it.
    pub(super) fn end_rounds(&mut self, rounds: &Rounds) {
        if let Some(index) = rounds.index
            && let Some(place) = self.loop_index_place()
        {
            *place = index.outer;
        }
    }

    /// A bound on what the loops of an ARB program run, if they could run more than a program may: loops in loops, calls in loops, and
    /// branches back. NV_fragment_program2 section 3.11.4.X.
    pub(super) fn loop_bound(&mut self) -> Option<StepBound> {
        let checked = self.checked;
        if !self.is_arb() {
            return None;
        }
        let mut open = 0u32;
        let mut nested = checked.plan.repeats();
        for line in &checked.ast.insts {
            match line.opcode.info().lower {
                Lower::Flow(FlowOp::Rep | FlowOp::Loop) => {
                    nested |= open > 0;
                    open += 1;
                }
                Lower::Flow(FlowOp::EndRep | FlowOp::EndLoop) => open = open.saturating_sub(1),
                Lower::Flow(FlowOp::Cal) => nested |= open > 0,
                Lower::Flow(_) | Lower::Op(_) | Lower::Expand(_) | Lower::Missing => {}
            }
        }
        if nested { self.step_bound() } else { None }
    }

    /// A count of executed instructions, zero at the start.
    fn step_bound(&mut self) -> Option<StepBound> {
        let max = self.step_limit?;
        let counter = self.new_register(Width::W32);
        let zero = self.bits(0);
        self.put(counter, WriteMask::X, Op::Mov, Type::U32, &[zero]);
        Some(StepBound { counter, max })
    }

    /// Counts what ran in a round.
    pub(super) fn count_steps(&mut self, bound: StepBound, steps: u32) {
        let (counter, steps) = (Src::register(bound.counter), self.bits(u64::from(steps)));
        self.put(
            bound.counter,
            WriteMask::X,
            Op::Add,
            Type::U32,
            &[counter, steps],
        );
    }

    /// Whether the bound is reached.
    pub(super) fn is_beyond(&mut self, bound: StepBound) -> Cond {
        let (max, beyond) = (self.bits(u64::from(bound.max)), self.hidden(Width::W32));
        let sources = [Src::register(bound.counter), max];
        self.put(beyond, WriteMask::X, Op::SetGe, Type::U32, &sources);
        Cond::NonZero(beyond, 0, Type::U32)
    }
}

fn floor_of(ty: Type) -> Aux {
    Aux::Cvt {
        from: ty,
        rounding: Rounding::Floor,
        saturate: true,
    }
}
