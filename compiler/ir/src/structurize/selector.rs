//! Instructions for control flow: a register with the next target, and its tests.

use crate::arena::Id;
use crate::builder::Builder;
use crate::inst::{Cond, Dst, Inst, InstData, InstFlags, LiteralId, OperandBase, Src, WriteMask};
use crate::op::Op;
use crate::program::{Node, Register, RegisterId, Storage};
use crate::span::Span;
use crate::types::{Type, Width};

use super::graph::StepBound;

/// Adds a 32-bit temporary register to the program and returns it.
pub(crate) fn push_register(builder: &mut Builder) -> RegisterId {
    builder.program.registers.push(Register {
        storage: Storage::Temp,
        width: Width::W32,
        array_len: None,
        name: None,
    })
}

/// Returns an operand that reads a literal with `value` in all lanes; reuses one of the last eight
/// literals if it is equal, else adds one.
pub(crate) fn push_word_literal(builder: &mut Builder, value: u32) -> Src {
    // Reuses recent literals only: a search in all literals would take quadratic time for long
    // programs.
    let (literals, value) = (&mut builder.program.literals, u64::from(value));
    let first = literals.len().saturating_sub(8);
    let last = literals.as_slice()[first..].iter();
    let same = last
        .rev()
        .position(|lanes| lanes[0] == value && *lanes == [value; 4]);
    let id = match same {
        Some(distance) => LiteralId::new(literals.len() - 1 - distance),
        None => literals.push([value; 4]),
    };
    Src::new(OperandBase::Literal(id))
}

/// Emits `register.x = op(sources)` on unsigned words.
pub(crate) fn emit_op(builder: &mut Builder, register: RegisterId, op: Op, sources: &[Src]) {
    emit_op_at(builder, register, op, sources, Span::default());
}

/// Emits `register.x = op(sources)` on unsigned words, with the span of a source instruction.
pub(crate) fn emit_op_at(
    builder: &mut Builder,
    register: RegisterId,
    op: Op,
    sources: &[Src],
    span: Span,
) {
    let dst = Dst::new(register, WriteMask::X);
    emit_inst(builder, dst, (op, Type::U32), sources, span);
}

/// Emits `dst = value`.
pub(crate) fn emit_mov(builder: &mut Builder, dst: Dst, ty: Type, value: Src) {
    emit_inst(builder, dst, (Op::Mov, ty), &[value], Span::default());
}

/// Appends an instruction with a destination, without flags and additional data, to the open block.
fn emit_inst(builder: &mut Builder, dst: Dst, (op, ty): (Op, Type), sources: &[Src], span: Span) {
    let inst = Inst {
        op,
        ty,
        flags: InstFlags::empty(),
        source_count: 0,
        first_source: 0,
        dst: Some(dst),
        data: InstData::None,
        span,
    };
    builder.push_inst(inst, sources);
}

/// Emits `register.x = value`.
pub(crate) fn emit_set_word(builder: &mut Builder, register: RegisterId, value: u32) {
    let value = push_word_literal(builder, value);
    emit_op(builder, register, Op::Mov, &[value]);
}

/// Emits `if (condition) { nodes of then }`.
pub(crate) fn emit_if(builder: &mut Builder, cond: Cond, then: impl FnOnce(&mut Builder)) {
    emit_if_at(builder, cond, Span::default(), then);
}

/// Emits the same branch as [`emit_if`], with the span of a source instruction.
pub(crate) fn emit_if_at(
    builder: &mut Builder,
    cond: Cond,
    span: Span,
    then: impl FnOnce(&mut Builder),
) {
    builder.open_block();
    then(builder);
    let block = builder.close_block();
    builder.push_branch(cond, block, None, span);
}

/// Emits `if (!condition) { nodes of otherwise }`.
pub(crate) fn emit_if_not(builder: &mut Builder, cond: Cond, otherwise: impl FnOnce(&mut Builder)) {
    builder.open_block();
    let then = builder.close_block();
    builder.open_block();
    otherwise(builder);
    let block = builder.close_block();
    builder.push_branch(cond, then, Some(block), Span::default());
}

/// Returns a condition that holds if lane x of `register` is not zero.
pub(crate) fn make_non_zero_cond(register: RegisterId) -> Cond {
    Cond::NonZero(register, 0, Type::U32)
}

/// Emits `if (register.x == value) { nodes of then }`; `scratch` is overwritten.
pub(crate) fn emit_if_equal(
    builder: &mut Builder,
    register: RegisterId,
    value: u32,
    scratch: RegisterId,
    then: impl FnOnce(&mut Builder),
) {
    let value = push_word_literal(builder, value);
    emit_op(
        builder,
        scratch,
        Op::SetEq,
        &[Src::from_register(register), value],
    );
    emit_if(builder, make_non_zero_cond(scratch), then);
}

/// Emits the code that adds the steps of a block to the counter of the bound; nothing for 0 steps.
/// The bound is not tested.
pub(crate) fn emit_step_count(builder: &mut Builder, bound: StepBound, steps: u32) {
    if steps == 0 {
        return;
    }
    let steps = push_word_literal(builder, steps);
    emit_op(
        builder,
        bound.counter,
        Op::Add,
        &[Src::from_register(bound.counter), steps],
    );
}

/// Emits a return if the counter has reached the bound; `scratch` is overwritten.
pub(crate) fn emit_bound_test(builder: &mut Builder, bound: StepBound, scratch: RegisterId) {
    let max = push_word_literal(builder, bound.max);
    emit_op(
        builder,
        scratch,
        Op::SetGe,
        &[Src::from_register(bound.counter), max],
    );
    emit_if(builder, make_non_zero_cond(scratch), |builder| {
        builder.push_node(Node::Return);
    });
}

/// Emits the code that counts the steps of a block, and a return if the counter then exceeds the
/// bound; nothing for 0 steps. `scratch` is overwritten.
pub(crate) fn emit_step_count_and_test(
    builder: &mut Builder,
    bound: StepBound,
    steps: u32,
    scratch: RegisterId,
) {
    if steps == 0 {
        return;
    }
    emit_step_count(builder, bound, steps);
    let (counter, max) = (
        Src::from_register(bound.counter),
        push_word_literal(builder, bound.max),
    );
    emit_op(builder, scratch, Op::SetGt, &[counter, max]);
    emit_if(builder, make_non_zero_cond(scratch), |builder| {
        builder.push_node(Node::Return);
    });
}

/// A register that is created on first use.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LazyRegister(Option<RegisterId>);

impl LazyRegister {
    /// Returns the register, which the first call adds to the program.
    pub(crate) fn get_or_create(&mut self, builder: &mut Builder) -> RegisterId {
        *self.0.get_or_insert_with(|| push_register(builder))
    }
}

/// Returns the value that denotes a block in registers; 0 denotes none.
pub(crate) fn encode_block(block: super::FlowId) -> u32 {
    block.index() as u32 + 1
}
