//! The instructions that control flow itself needs: a register with the next target, its tests.

use crate::arena::Id;
use crate::builder::Builder;
use crate::inst::{Aux, Base, Cond, Dst, Inst, InstFlags, LiteralId, Src, WriteMask};
use crate::op::Op;
use crate::program::{Node, Register, RegisterId, Storage};
use crate::span::Span;
use crate::types::{Type, Width};

use super::graph::StepBound;

/// A new 32-bit register.
pub(crate) fn new_register(builder: &mut Builder) -> RegisterId {
    builder.program.registers.push(Register {
        storage: Storage::Temp,
        width: Width::W32,
        array: None,
        name: None,
    })
}

/// A literal word.
pub(crate) fn word(builder: &mut Builder, value: u32) -> Src {
    // A search in all literals would make long programs quadratic.
    let (literals, value) = (&mut builder.program.literals, u64::from(value));
    let first = literals.len().saturating_sub(8);
    let last = literals.as_slice()[first..].iter();
    let same = last
        .rev()
        .position(|lanes| lanes[0] == value && *lanes == [value; 4]);
    let id = match same {
        Some(behind) => LiteralId::new(literals.len() - 1 - behind),
        None => literals.push([value; 4]),
    };
    Src::new(Base::Literal(id))
}

/// `register.x = op(sources)` on unsigned words.
pub(crate) fn put(builder: &mut Builder, register: RegisterId, op: Op, sources: &[Src]) {
    put_at(builder, register, op, sources, Span::default());
}

/// The same for an instruction of the source.
pub(crate) fn put_at(
    builder: &mut Builder,
    register: RegisterId,
    op: Op,
    sources: &[Src],
    span: Span,
) {
    let dst = Dst::new(register, WriteMask::X);
    inst(builder, dst, (op, Type::U32), sources, span);
}

/// `dst = value`
pub(crate) fn mov(builder: &mut Builder, dst: Dst, ty: Type, value: Src) {
    inst(builder, dst, (Op::Mov, ty), &[value], Span::default());
}

fn inst(builder: &mut Builder, dst: Dst, (op, ty): (Op, Type), sources: &[Src], span: Span) {
    let inst = Inst {
        op,
        ty,
        flags: InstFlags::empty(),
        source_count: 0,
        first_source: 0,
        dst: Some(dst),
        aux: Aux::None,
        span,
    };
    builder.inst(inst, sources);
}

/// `register.x = value`
pub(crate) fn set(builder: &mut Builder, register: RegisterId, value: u32) {
    let value = word(builder, value);
    put(builder, register, Op::Mov, &[value]);
}

/// `if (condition) { nodes of then }`
pub(crate) fn when(builder: &mut Builder, cond: Cond, then: impl FnOnce(&mut Builder)) {
    when_at(builder, cond, Span::default(), then);
}

/// The same for an instruction of the source.
pub(crate) fn when_at(
    builder: &mut Builder,
    cond: Cond,
    span: Span,
    then: impl FnOnce(&mut Builder),
) {
    builder.open_block();
    then(builder);
    let block = builder.close_block();
    builder.branch(cond, block, None, span);
}

/// `if (!condition) { nodes of otherwise }`
pub(crate) fn unless(builder: &mut Builder, cond: Cond, otherwise: impl FnOnce(&mut Builder)) {
    builder.open_block();
    let then = builder.close_block();
    builder.open_block();
    otherwise(builder);
    let block = builder.close_block();
    builder.branch(cond, then, Some(block), Span::default());
}

/// Whether lane x of `register` is not zero.
pub(crate) fn non_zero(register: RegisterId) -> Cond {
    Cond::NonZero(register, 0, Type::U32)
}

/// `if (register.x == value) { nodes of then }`; `scratch` is overwritten.
pub(crate) fn when_equal(
    builder: &mut Builder,
    register: RegisterId,
    value: u32,
    scratch: RegisterId,
    then: impl FnOnce(&mut Builder),
) {
    let value = word(builder, value);
    put(
        builder,
        scratch,
        Op::SetEq,
        &[Src::register(register), value],
    );
    when(builder, non_zero(scratch), then);
}

/// Counts the steps of a block.
pub(crate) fn count(builder: &mut Builder, bound: StepBound, steps: u32) {
    if steps == 0 {
        return;
    }
    let steps = word(builder, steps);
    put(
        builder,
        bound.counter,
        Op::Add,
        &[Src::register(bound.counter), steps],
    );
}

/// Returns if the bound is reached; `scratch` is overwritten.
pub(crate) fn return_beyond(builder: &mut Builder, bound: StepBound, scratch: RegisterId) {
    let max = word(builder, bound.max);
    put(
        builder,
        scratch,
        Op::SetGe,
        &[Src::register(bound.counter), max],
    );
    when(builder, non_zero(scratch), |builder| {
        builder.node(Node::Return);
    });
}

/// Counts the steps of a block, and returns if they are beyond the bound; `scratch` is overwritten.
pub(crate) fn count_and_test(
    builder: &mut Builder,
    bound: StepBound,
    steps: u32,
    scratch: RegisterId,
) {
    if steps == 0 {
        return;
    }
    count(builder, bound, steps);
    let (counter, max) = (Src::register(bound.counter), word(builder, bound.max));
    put(builder, scratch, Op::SetGt, &[counter, max]);
    when(builder, non_zero(scratch), |builder| {
        builder.node(Node::Return);
    });
}

/// A register made on first use.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lazy(Option<RegisterId>);

impl Lazy {
    pub(crate) fn get(&mut self, builder: &mut Builder) -> RegisterId {
        *self.0.get_or_insert_with(|| new_register(builder))
    }
}

/// The value that stands for a block: 0 stands for none.
pub(crate) fn value_of(block: super::FlowId) -> u32 {
    block.index() as u32 + 1
}
