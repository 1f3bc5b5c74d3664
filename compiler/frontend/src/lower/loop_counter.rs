//! Iterations of loops: REP, and LOOP with its address register. NV_gpu_program4 section 2.X.5,
//! NV_fragment_program2 sections 3.11.X.5, 6, 8 and 9.

use super::ir_map::{LoopCounter, LoopIndex};
use super::op_builder::{OpBuilder, S32};
use super::{Lowerer, splat};
use crate::lang::arb;
use crate::lang::opcodes::{FlowOp, Translation};
use crate::resolved_inst::{OperandValue, ResolvedInst};
use glasm_ir::inst::{InstData, Rounding};
use glasm_ir::structurize::{StepBound, StepTest};
use glasm_ir::types::{BaseType, Type, Width};
use glasm_ir::{Cond, Dst, Op, OperandBase, Src, WriteMask};

/// Lanes of the register of a loop index: the index and its increment.
const INDEX_LANE: WriteMask = WriteMask::X;
const INDEX_AND_STEP: WriteMask = WriteMask(0b0011);

/// Emits the start of LOOP, or of REP with a count, before the loop: reads the operand once, and
/// returns the registers that count iterations. The count is stored negated and increases to 0.
pub(super) fn begin_counted_loop(
    l: &mut Lowerer<'_>,
    line: &ResolvedInst,
    op: FlowOp,
) -> LoopCounter {
    let (source, ty) = load_count(l, line);
    let count = l.resources.add_register(ty.width());
    let zero = l.splat_bits(0);
    l.emit_to_register(count, WriteMask::X, Op::Sub, ty, &[zero, source]);
    let index = (op == FlowOp::Loop).then(|| begin_loop_index(l, line));
    LoopCounter { count, ty, index }
}

/// Emits the instructions that compute the count of a loop, and returns it with its integer type:
/// the floor of lane x, not below zero, and in ARB programs not more than a loop may run.
fn load_count(lowerer: &mut Lowerer<'_>, line: &ResolvedInst) -> (Src, Type) {
    let ty = line.types.ty;
    let operand = lowerer.resources.checked.insts.source(line, 0);
    let mut source = splat(lowerer.load_operand(&operand, ty), 0);
    let count = match ty.base() {
        BaseType::Float => Type::from_base(BaseType::SignedInt, ty.width()),
        BaseType::SignedInt | BaseType::UnsignedInt => ty,
    };
    if ty.is_float() {
        let floor = lowerer.alloc_hidden(count.width());
        let dst = Some(Dst::new(floor, WriteMask::X));
        lowerer.emit_inst(Op::Cvt, count, dst, floor_conversion(ty), &[source]);
        source = Src::from_register(floor);
    }
    // ARB programs: more iterations than MAX_PROGRAM_LOOP_COUNT_NV are not run.
    // NV_fragment_program2 section 3.11.4.X.
    if let Some(max_iterations) = lowerer.resources.ast.dialect.traits().max_loop_iterations {
        let (most, least) = (
            lowerer.splat_bits(u64::from(max_iterations)),
            lowerer.alloc_hidden(count.width()),
        );
        lowerer.emit_to_register(least, WriteMask::X, Op::Min, count, &[source, most]);
        source = Src::from_register(least);
    }
    // A count below zero skips the loop, as 0 does. NV_fragment_program2 section 3.11.X.8.
    if count.base() == BaseType::SignedInt {
        let (zero, most) = (lowerer.splat_bits(0), lowerer.alloc_hidden(count.width()));
        lowerer.emit_to_register(most, WriteMask::X, Op::Max, count, &[source, zero]);
        source = Src::from_register(most);
    }
    (source, count)
}

/// Emits the computation of first index and step of a LOOP as integers, and makes a new register
/// the address register, whose previous location it saves in the result. NV_fragment_program2
/// section 3.11.X.8.
fn begin_loop_index(lowerer: &mut Lowerer<'_>, line: &ResolvedInst) -> LoopIndex {
    let operand = lowerer.resources.checked.insts.source(line, 0);
    let values = lowerer.load_operand(&operand, Type::F32);
    // x is the count, y the first index, z the step. NV_fragment_program2 section 3.11.X.8.
    let lanes = glasm_ir::Swizzle::new([1, 2, 1, 2]);
    let (register, address) = (
        lowerer.resources.add_register(Width::W32),
        lowerer.resources.add_register(Width::W32),
    );
    let dst = Some(Dst::new(register, INDEX_AND_STEP));
    lowerer.emit_inst(
        Op::Cvt,
        S32,
        dst,
        floor_conversion(Type::F32),
        &[values.swizzled(lanes)],
    );
    let mut index = LoopIndex {
        index_register: register,
        address_register: address,
        outer_address: None,
    };
    update_loop_address(lowerer, &index);
    if let Some(location) = lowerer.resources.find_loop_address_location() {
        // Inside the block the address register is a register of this loop, so that the enclosing
        // loop retains its index.
        index.outer_address = location.replace(OperandBase::Register(address));
    }
    index
}

/// Emits the assignment of the index to the address register, or of 0 if it is negative.
/// NV_fragment_program2 section 3.11.3.Y.
fn update_loop_address(l: &mut Lowerer<'_>, index: &LoopIndex) {
    let zero = l.splat_bits(0);
    let sources = [Src::from_register(index.index_register), zero];
    l.emit_to_register(index.address_register, INDEX_LANE, Op::Max, S32, &sources);
}

/// Emits the test that no iterations remain and returns it as a condition.
pub(super) fn test_loop_counter_done(lowerer: &mut Lowerer<'_>, counter: &LoopCounter) -> Cond {
    let (zero, done) = (
        lowerer.splat_bits(0),
        lowerer.alloc_hidden(counter.ty.width()),
    );
    // Negated unsigned counts are large numbers: only 0 itself means that none is left.
    let test = match counter.ty.base() {
        BaseType::UnsignedInt => Op::SetEq,
        BaseType::Float | BaseType::SignedInt => Op::SetGe,
    };
    let sources = [Src::from_register(counter.count), zero];
    lowerer.emit_to_register(done, WriteMask::X, test, counter.ty, &sources);
    Cond::NonZero(done, 0, counter.ty)
}

/// Emits the instructions that advance the count and, of LOOP, the index and the address register,
/// at the end of each iteration.
pub(super) fn advance_loop_counter(lowerer: &mut Lowerer<'_>, counter: &LoopCounter) {
    let (count, one) = (Src::from_register(counter.count), lowerer.splat_bits(1));
    lowerer.emit_to_register(
        counter.count,
        WriteMask::X,
        Op::Add,
        counter.ty,
        &[count, one],
    );
    if let Some(index) = &counter.index {
        let value = Src::from_register(index.index_register);
        lowerer.emit_to_register(
            index.index_register,
            INDEX_LANE,
            Op::Add,
            S32,
            &[value, splat(value, 1)],
        );
        update_loop_address(lowerer, index);
    }
}

/// Restores the location of the address register of the enclosing loop after a LOOP; emits nothing.
pub(super) fn end_counted_loop(l: &mut Lowerer<'_>, counter: &LoopCounter) {
    if let Some(index) = counter.index
        && let Some(location) = l.resources.find_loop_address_location()
    {
        *location = index.outer_address;
    }
}

/// Adds a register that counts executed instructions, emits its initialization, and returns it with
/// the bound `step_limit`. Returns `None` and emits nothing if the language does not bound executed
/// instructions, if `step_limit` is `None`, or if the program cannot exceed it.
pub(super) fn add_step_bound_if_needed(
    l: &mut Lowerer<'_>,
    step_limit: Option<u32>,
) -> Option<StepBound> {
    let test = l.resources.ast.dialect.traits().step_test?;
    let max = step_limit?;
    // A program that cannot run so many instructions needs no count.
    let is_needed = match test {
        StepTest::Loops => may_exceed_by_loops(l, max),
        StepTest::Blocks => l.resources.may_exceed_by_branches(max),
    };
    is_needed.then(|| add_step_bound(l, max, test))
}

/// Returns true if the loops of an ARB program can run `max` instructions or more: loops in loops,
/// calls in loops, and branches back. A loop alone never does. NV_fragment_program2 section
/// 3.11.4.X.
fn may_exceed_by_loops(lowerer: &mut Lowerer<'_>, max: u32) -> bool {
    let checked = lowerer.resources.checked;
    let mut open_loops = 0u32;
    // A loop alone needs no count: 255 iterations of a source of limited length end soon, and
    // implementations may allow more than the 65536 instructions of the specification.
    let mut has_nested_repeats = checked.call_graph.has_cycles();
    let mut has_calls = has_nested_repeats;
    for line in &checked.insts.insts {
        match line.opcode.info().lower {
            Translation::Flow(FlowOp::Rep | FlowOp::Loop) => {
                has_nested_repeats |= open_loops > 0;
                open_loops += 1;
            }
            Translation::Flow(FlowOp::EndRep | FlowOp::EndLoop) => {
                open_loops = open_loops.saturating_sub(1)
            }
            Translation::Flow(FlowOp::Cal) => {
                has_nested_repeats |= open_loops > 0;
                has_calls = true;
            }
            Translation::Flow(_) | Translation::Op(_) | Translation::Expand(_) => {}
        }
    }
    // `find_max_steps` follows no calls: with calls in loops the counter is always needed.
    has_nested_repeats && (has_calls || find_max_steps(lowerer) >= u64::from(max))
}

/// Returns the maximum number of instructions that the loops of a program without calls can run,
/// saturated: at least as many as [`count_steps`] counts.
fn find_max_steps(lowerer: &mut Lowerer<'_>) -> u64 {
    let checked = lowerer.resources.checked;
    // Iterations of the open loops, the innermost last.
    let mut open_loops: Vec<u64> = Vec::new();
    let mut steps = 0u64;
    for line in &checked.insts.insts {
        match line.opcode.info().lower {
            Translation::Flow(FlowOp::Rep | FlowOp::Loop) => {
                let outer = open_loops.last().copied().unwrap_or(1);
                open_loops.push(outer.saturating_mul(find_max_iterations(lowerer, line)));
            }
            Translation::Flow(FlowOp::EndRep | FlowOp::EndLoop) => drop(open_loops.pop()),
            Translation::Flow(_) | Translation::Op(_) | Translation::Expand(_) => {}
        }
        // The instruction that begins a loop is counted in each of its iterations.
        steps = steps.saturating_add(open_loops.last().copied().unwrap_or(0));
    }
    steps
}

/// Returns the maximum number of iterations of a loop: its count if that is a literal, else the
/// limit of ARB programs. A REP without a count is unbounded, `u64::MAX`. Adds the literal to the
/// program, but emits nothing.
fn find_max_iterations(lowerer: &mut Lowerer<'_>, line: &ResolvedInst) -> u64 {
    let max_iterations = u64::from(arb::LOOP_COUNT);
    if line.source_count == 0 {
        return u64::MAX;
    }
    let operand = lowerer.resources.checked.insts.source(line, 0);
    if !matches!(
        operand.base,
        OperandValue::Scalar(_) | OperandValue::Vector { .. }
    ) {
        return max_iterations;
    }
    let source = lowerer.load_operand(&operand, Type::F32);
    let OperandBase::Literal(literal) = source.base else {
        return max_iterations;
    };
    let bits = lowerer.resources.builder.program.literals[literal][source.swizzle.lane(0)];
    // NaN becomes 0.
    (f32::from_bits(bits as u32).floor() as u64).min(max_iterations)
}

/// Adds a register that counts executed instructions, emits its initialization to 0, and returns it
/// with the bound `max`.
fn add_step_bound(l: &mut Lowerer<'_>, max: u32, test: StepTest) -> StepBound {
    let counter = l.resources.add_register(Width::W32);
    let zero = l.splat_bits(0);
    l.emit_to_register(counter, WriteMask::X, Op::Mov, Type::U32, &[zero]);
    StepBound { counter, max, test }
}

/// Emits the addition of `steps` to the count of executed instructions.
pub(super) fn count_steps(l: &mut Lowerer<'_>, bound: StepBound, steps: u32) {
    let sources = [
        Src::from_register(bound.counter),
        l.splat_bits(u64::from(steps)),
    ];
    l.emit_to_register(bound.counter, WriteMask::X, Op::Add, Type::U32, &sources);
}

/// Emits the test that the bound of executed instructions is reached and returns it as a condition.
pub(super) fn test_step_bound(l: &mut Lowerer<'_>, bound: StepBound) -> Cond {
    let (max, is_exceeded) = (
        l.splat_bits(u64::from(bound.max)),
        l.alloc_hidden(Width::W32),
    );
    let sources = [Src::from_register(bound.counter), max];
    l.emit_to_register(is_exceeded, WriteMask::X, Op::SetGe, Type::U32, &sources);
    Cond::NonZero(is_exceeded, 0, Type::U32)
}

/// Returns the data of a conversion from the float type `ty` to the integer at or below, which
/// saturates.
fn floor_conversion(ty: Type) -> InstData {
    InstData::Cvt {
        from: ty,
        rounding: Rounding::Floor,
        saturate: true,
    }
}
