//! Iterations of loops: REP, and LOOP with its address register. NV_gpu_program4 section 2.X.5,
//! NV_fragment_program2 sections 3.11.X.5, 6, 8 and 9.

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

/// Lanes of the register of a loop index: the index and its increment.
const INDEX: WriteMask = WriteMask::X;
const INDEX_AND_STEP: WriteMask = WriteMask(0b0011);

/// Begins LOOP, or REP with a count: its operand is read once.
pub(super) fn begin_rounds(l: &mut Lowerer<'_>, line: &Line, op: FlowOp) -> Rounds {
    let (source, ty) = load_count(l, line);
    let count = l.resources.add_register(ty.width());
    let zero = l.bits(0);
    l.put(count, WriteMask::X, Op::Sub, ty, &[zero, source]);
    let index = (op == FlowOp::Loop).then(|| begin_index(l, line));
    Rounds { count, ty, index }
}

/// Loads the count of a loop: the floor of lane x, not below zero, and in ARB programs not more
/// than a loop may run.
fn load_count(l: &mut Lowerer<'_>, line: &Line) -> (Src, Type) {
    let ty = line.types.ty;
    let operand = l.resources.checked.lines.source(line, 0);
    let mut source = splat(l.load_operand(&operand, ty), 0);
    let count = match ty.base() {
        TypeBase::Float => Type::of(TypeBase::Signed, ty.width()),
        TypeBase::Signed | TypeBase::Unsigned => ty,
    };
    if ty.is_float() {
        let floor = l.hidden(count.width());
        let dst = Some(Dst::new(floor, WriteMask::X));
        l.inst(Op::Cvt, count, dst, floor_of(ty), &[source]);
        source = Src::register(floor);
    }
    // ARB programs: more iterations than MAX_PROGRAM_LOOP_COUNT_NV are not run.
    // NV_fragment_program2 section 3.11.4.X.
    if let Some(rounds) = l.resources.ast.dialect.facts().loop_rounds {
        let (most, least) = (l.bits(u64::from(rounds)), l.hidden(count.width()));
        l.put(least, WriteMask::X, Op::Min, count, &[source, most]);
        source = Src::register(least);
    }
    // A count below zero skips the loop, as 0 does. NV_fragment_program2 section 3.11.X.8.
    if count.base() == TypeBase::Signed {
        let (zero, most) = (l.bits(0), l.hidden(count.width()));
        l.put(most, WriteMask::X, Op::Max, count, &[source, zero]);
        source = Src::register(most);
    }
    (source, count)
}

fn begin_index(l: &mut Lowerer<'_>, line: &Line) -> LoopIndex {
    let operand = l.resources.checked.lines.source(line, 0);
    let values = l.load_operand(&operand, Type::F32);
    // x is the count, y the first index, z the step. NV_fragment_program2 section 3.11.X.8.
    let lanes = glasm_ir::Swizzle::new([1, 2, 1, 2]);
    let (register, address) = (
        l.resources.add_register(Width::W32),
        l.resources.add_register(Width::W32),
    );
    let dst = Some(Dst::new(register, INDEX_AND_STEP));
    l.inst(
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
    set_address(l, &index);
    if let Some(place) = l.resources.find_loop_index_place() {
        // Inside the block the address register is a register of this loop, so that the enclosing
        // loop retains its index.
        index.outer = place.replace(Base::Register(address));
    }
    index
}

/// Sets the address register to the index, or to 0 if that is negative. NV_fragment_program2
/// section 3.11.3.Y.
fn set_address(l: &mut Lowerer<'_>, index: &LoopIndex) {
    let zero = l.bits(0);
    let sources = [Src::register(index.register), zero];
    l.put(index.address, INDEX, Op::Max, S, &sources);
}

/// Returns the condition that no iteration is left.
pub(super) fn test_rounds_done(l: &mut Lowerer<'_>, rounds: &Rounds) -> Cond {
    let (zero, done) = (l.bits(0), l.hidden(rounds.ty.width()));
    // Negated unsigned counts are large numbers: only 0 itself means that none is left.
    let test = match rounds.ty.base() {
        TypeBase::Unsigned => Op::SetEq,
        TypeBase::Float | TypeBase::Signed => Op::SetGe,
    };
    let sources = [Src::register(rounds.count), zero];
    l.put(done, WriteMask::X, test, rounds.ty, &sources);
    Cond::NonZero(done, 0, rounds.ty)
}

/// Advances the count and the index at the end of each iteration.
pub(super) fn advance_rounds(l: &mut Lowerer<'_>, rounds: &Rounds) {
    let (count, one) = (Src::register(rounds.count), l.bits(1));
    l.put(
        rounds.count,
        WriteMask::X,
        Op::Add,
        rounds.ty,
        &[count, one],
    );
    if let Some(index) = &rounds.index {
        let value = Src::register(index.register);
        l.put(index.register, INDEX, Op::Add, S, &[value, splat(value, 1)]);
        set_address(l, index);
    }
}

/// Restores the address register of the enclosing loop after the loop.
pub(super) fn end_rounds(l: &mut Lowerer<'_>, rounds: &Rounds) {
    if let Some(index) = rounds.index
        && let Some(place) = l.resources.find_loop_index_place()
    {
        *place = index.outer;
    }
}

/// Returns a bound on the instructions that run, if the language has one and the program could run
/// more of them.
pub(super) fn find_step_bound(l: &mut Lowerer<'_>, step_limit: Option<u32>) -> Option<StepBound> {
    let test = l.resources.ast.dialect.facts().counted_instructions?;
    let max = step_limit?;
    // A program that cannot run so many instructions needs no count.
    let is_needed = match test {
        StepTest::Rounds => may_loop_beyond(l, max),
        StepTest::Blocks => l.resources.may_run_beyond(max),
    };
    is_needed.then(|| add_bound(l, max, test))
}

/// Returns true if the loops of an ARB program can run more instructions than it may: loops in
/// loops, calls in loops, and branches back. NV_fragment_program2 section 3.11.4.X.
fn may_loop_beyond(l: &mut Lowerer<'_>, max: u32) -> bool {
    let checked = l.resources.checked;
    let mut open = 0u32;
    // A loop alone needs no count: 255 iterations of a source of limited length end soon, and
    // implementations may allow more than the 65536 instructions of the specification.
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
    // `find_most_steps` follows no calls: with calls in loops the counter is always needed.
    nested && (calls || find_most_steps(l) >= u64::from(max))
}

/// Returns the maximum number of instructions that the loops of a program without calls can run: at
/// least as many as [`count_steps`] counts.
fn find_most_steps(l: &mut Lowerer<'_>) -> u64 {
    let checked = l.resources.checked;
    // Iterations of the open loops, the innermost last.
    let mut open: Vec<u64> = Vec::new();
    let mut steps = 0u64;
    for line in &checked.lines.list {
        match line.opcode.info().lower {
            Lower::Flow(FlowOp::Rep | FlowOp::Loop) => {
                let outer = open.last().copied().unwrap_or(1);
                open.push(outer.saturating_mul(find_most_rounds(l, line)));
            }
            Lower::Flow(FlowOp::EndRep | FlowOp::EndLoop) => drop(open.pop()),
            Lower::Flow(_) | Lower::Op(_) | Lower::Expand(_) => {}
        }
        // The line that begins a loop is counted in each of its iterations.
        steps = steps.saturating_add(open.last().copied().unwrap_or(0));
    }
    steps
}

/// Returns the maximum number of iterations of a loop: its count if that is a literal. A REP
/// without a count is unbounded.
fn find_most_rounds(l: &mut Lowerer<'_>, line: &Line) -> u64 {
    let most = u64::from(limits::LOOP_COUNT);
    if line.source_count == 0 {
        return u64::MAX;
    }
    let operand = l.resources.checked.lines.source(line, 0);
    if !matches!(operand.base, Value::Scalar(_) | Value::Vector { .. }) {
        return most;
    }
    let source = l.load_operand(&operand, Type::F32);
    let Base::Literal(literal) = source.base else {
        return most;
    };
    let bits = l.resources.builder.program.literals[literal][source.swizzle.lane(0)];
    // NaN becomes 0.
    (f32::from_bits(bits as u32).floor() as u64).min(most)
}

/// Adds a count of executed instructions, zero at the start.
fn add_bound(l: &mut Lowerer<'_>, max: u32, test: StepTest) -> StepBound {
    let counter = l.resources.add_register(Width::W32);
    let zero = l.bits(0);
    l.put(counter, WriteMask::X, Op::Mov, Type::U32, &[zero]);
    StepBound { counter, max, test }
}

/// Counts the instructions that ran in an iteration.
pub(super) fn count_steps(l: &mut Lowerer<'_>, bound: StepBound, steps: u32) {
    let sources = [Src::register(bound.counter), l.bits(u64::from(steps))];
    l.put(bound.counter, WriteMask::X, Op::Add, Type::U32, &sources);
}

/// Returns the condition that the bound is reached.
pub(super) fn test_bound(l: &mut Lowerer<'_>, bound: StepBound) -> Cond {
    let (max, beyond) = (l.bits(u64::from(bound.max)), l.hidden(Width::W32));
    let sources = [Src::register(bound.counter), max];
    l.put(beyond, WriteMask::X, Op::SetGe, Type::U32, &sources);
    Cond::NonZero(beyond, 0, Type::U32)
}

fn floor_of(ty: Type) -> Aux {
    Aux::Cvt {
        from: ty,
        rounding: Rounding::Floor,
        saturate: true,
    }
}
