//! Rounds of loops: REP, and LOOP with its address register. NV_gpu_program4 section 2.X.5, NV_fragment_program2 sections
//! 3.11.X.5, 6, 8 and 9.

use super::Lowerer;
use super::context::splat;
use super::formula::{Formulas, S};
use super::tables::{LoopIndex, Rounds};
use crate::lang::arb::limits;
use crate::lang::opcodes::{FlowOp, Lower};
use crate::line::{Line, Value};
use glasm_ir::inst::{Aux, Rounding};
use glasm_ir::structurize::{StepBound, StepTest};
use glasm_ir::types::{Base as TypeBase, Type, Width};
use glasm_ir::{Base, Cond, Dst, Op, Src, WriteMask};

/// Lanes of the register of a loop index: the index and what each round adds to it.
const INDEX: WriteMask = WriteMask::X;
const INDEX_AND_STEP: WriteMask = WriteMask(0b0011);

impl Lowerer<'_> {
    /// LOOP, or REP with a count: its operand is read once.
    pub(super) fn begin_rounds(&mut self, line: &Line, op: FlowOp) -> Rounds {
        let (source, ty) = self.count(line);
        let count = self.new_register(ty.width());
        let zero = self.bits(0);
        self.put(count, WriteMask::X, Op::Sub, ty, &[zero, source]);
        let index = (op == FlowOp::Loop).then(|| self.begin_index(line));
        Rounds { count, ty, index }
    }

    /// The count of a loop: the floor of lane x, not below zero, and in ARB programs not more than a loop may run.
    fn count(&mut self, line: &Line) -> (Src, Type) {
        let ty = line.types.ty;
        let operand = self.checked.lines.source(line, 0);
        let mut source = splat(self.operand(&operand, ty), 0);
        let count = match ty.base() {
            TypeBase::Float => Type::of(TypeBase::Signed, ty.width()),
            TypeBase::Signed | TypeBase::Unsigned => ty,
        };
        if ty.is_float() {
            let floor = self.hidden(count.width());
            let dst = Some(Dst::new(floor, WriteMask::X));
            self.inst(Op::Cvt, count, dst, floor_of(ty), &[source]);
            source = Src::register(floor);
        }
        // ARB programs: more rounds than MAX_PROGRAM_LOOP_COUNT_NV are not run. NV_fragment_program2 section 3.11.4.X.
        if let Some(rounds) = self.ast.dialect.facts().loop_rounds {
            let (most, least) = (self.bits(u64::from(rounds)), self.hidden(count.width()));
            self.put(least, WriteMask::X, Op::Min, count, &[source, most]);
            source = Src::register(least);
        }
        // A count below zero skips the loop as 0 does. NV_fragment_program2 section 3.11.X.8.
        if count.base() == TypeBase::Signed {
            let (zero, most) = (self.bits(0), self.hidden(count.width()));
            self.put(most, WriteMask::X, Op::Max, count, &[source, zero]);
            source = Src::register(most);
        }
        (source, count)
    }

    fn begin_index(&mut self, line: &Line) -> LoopIndex {
        let operand = self.checked.lines.source(line, 0);
        let values = self.operand(&operand, Type::F32);
        // x is the count, y the first index, z the step. NV_fragment_program2 section 3.11.X.8.
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
            // Inside the block the address register is a register of this loop, so that the loop around keeps its own.
            index.outer = place.replace(Base::Register(address));
        }
        index
    }

    /// The address register of the innermost LOOP, if the program uses one.
    fn loop_index_place(&mut self) -> Option<&mut Option<Base>> {
        let var = self.checked.loop_index?;
        Some(self.tables.place(var, 0))
    }

    /// Sets the address register to the index, or to 0 if that is negative. NV_fragment_program2 section 3.11.3.Y.
    fn set_address(&mut self, index: &LoopIndex) {
        let zero = self.bits(0);
        let sources = [Src::register(index.register), zero];
        self.put(index.address, INDEX, Op::Max, S, &sources);
    }

    /// Whether no round is left.
    pub(super) fn rounds_done(&mut self, rounds: &Rounds) -> Cond {
        let (zero, done) = (self.bits(0), self.hidden(rounds.ty.width()));
        // Negated unsigned counts are large numbers: only 0 itself says that none is left.
        let test = match rounds.ty.base() {
            TypeBase::Unsigned => Op::SetEq,
            TypeBase::Float | TypeBase::Signed => Op::SetGe,
        };
        let sources = [Src::register(rounds.count), zero];
        self.put(done, WriteMask::X, test, rounds.ty, &sources);
        Cond::NonZero(done, 0, rounds.ty)
    }

    /// At the end of each round.
    pub(super) fn next_round(&mut self, rounds: &Rounds) {
        let (count, one) = (Src::register(rounds.count), self.bits(1));
        self.put(
            rounds.count,
            WriteMask::X,
            Op::Add,
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

    /// A bound on the instructions that run, if the language has one and the program could run more of them.
    pub(super) fn step_bound(&mut self, step_limit: Option<u32>) -> Option<StepBound> {
        let test = self.ast.dialect.facts().counted_instructions?;
        let max = step_limit?;
        // A program that cannot run so many instructions is spared the count.
        let is_needed = match test {
            StepTest::Rounds => self.may_loop_beyond(max),
            StepTest::Blocks => self.may_run_beyond(max),
        };
        is_needed.then(|| self.new_bound(max, test))
    }

    /// Whether branches back or chains of calls can run more instructions than a program of NV_vertex_program2 may. NV_vertex_program2
    /// section 2.14.2.3.
    fn may_run_beyond(&self, max: u32) -> bool {
        let call_graph = &self.checked.call_graph;
        let most = call_graph
            .most_runs()
            .saturating_mul(self.checked.lines.list.len() as u64);
        call_graph.repeats() || most > u64::from(max)
    }

    /// Whether the loops of an ARB program can run more than it may: loops in loops, calls in loops, and branches back.
    /// NV_fragment_program2 section 3.11.4.X.
    fn may_loop_beyond(&mut self, max: u32) -> bool {
        let checked = self.checked;
        let mut open = 0u32;
        // A loop alone needs no count: 255 rounds of a text of limited length end soon, and implementations may allow more than the 65536
        // instructions of the text.
        let mut nested = checked.call_graph.repeats();
        let mut calls = nested;
        for line in &checked.lines.list {
            match line.opcode.info().lower {
                Lower::Flow(FlowOp::Rep | FlowOp::Loop) => {
                    nested |= open > 0;
                    open += 1;
                }
                Lower::Flow(FlowOp::EndRep | FlowOp::EndLoop) => open = open.saturating_sub(1),
                Lower::Flow(FlowOp::Cal) => {
                    nested |= open > 0;
                    calls = true;
                }
                Lower::Flow(_) | Lower::Op(_) | Lower::Expand(_) => {}
            }
        }
        // `most_steps` follows no calls: with calls in loops the count is always kept.
        nested && (calls || self.most_steps() >= u64::from(max))
    }

    /// The most instructions that the loops of a program without calls can run: no fewer than [`count_steps`](Self::count_steps) counts.
    fn most_steps(&mut self) -> u64 {
        let checked = self.checked;
        // How often the open loops run, the innermost last.
        let mut open: Vec<u64> = Vec::new();
        let mut steps = 0u64;
        for line in &checked.lines.list {
            match line.opcode.info().lower {
                Lower::Flow(FlowOp::Rep | FlowOp::Loop) => {
                    let outer = open.last().copied().unwrap_or(1);
                    open.push(outer.saturating_mul(self.most_rounds(line)));
                }
                Lower::Flow(FlowOp::EndRep | FlowOp::EndLoop) => drop(open.pop()),
                Lower::Flow(_) | Lower::Op(_) | Lower::Expand(_) => {}
            }
            // The line that begins a loop counts in each of its rounds.
            steps = steps.saturating_add(open.last().copied().unwrap_or(0));
        }
        steps
    }

    /// The most rounds of a loop: its count if that is a literal. A REP without a count has no end of its own.
    fn most_rounds(&mut self, line: &Line) -> u64 {
        let most = u64::from(limits::LOOP_COUNT);
        if line.source_count == 0 {
            return u64::MAX;
        }
        let operand = self.checked.lines.source(line, 0);
        if !matches!(operand.base, Value::Scalar(_) | Value::Vector { .. }) {
            return most;
        }
        let source = self.operand(&operand, Type::F32);
        let Base::Literal(literal) = source.base else {
            return most;
        };
        let bits = self.builder.program.literals[literal][source.swizzle.lane(0)];
        // A number that is none becomes 0.
        (f32::from_bits(bits as u32).floor() as u64).min(most)
    }

    /// A count of executed instructions, zero at the start.
    fn new_bound(&mut self, max: u32, test: StepTest) -> StepBound {
        let counter = self.new_register(Width::W32);
        let zero = self.bits(0);
        self.put(counter, WriteMask::X, Op::Mov, Type::U32, &[zero]);
        StepBound { counter, max, test }
    }

    /// Counts what ran in a round.
    pub(super) fn count_steps(&mut self, bound: StepBound, steps: u32) {
        let sources = [Src::register(bound.counter), self.bits(u64::from(steps))];
        self.put(bound.counter, WriteMask::X, Op::Add, Type::U32, &sources);
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
