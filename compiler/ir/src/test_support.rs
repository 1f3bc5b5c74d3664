//! Support for the tests of control flow: programs that record visited points in a trace and branch
//! on random numbers, and [`TraceModel`], which computes the same trace for the interpreters with
//! which they are compared.

use crate::builder::Builder;
use crate::inst::Src;
use crate::interp::{Environment, Interpreter};
use crate::op::Op;
use crate::program::{Node, Program, Register, RegisterId, Stage, Storage};
use crate::semantic::{Output, Semantic};
use crate::structurize::{StepBound, StepTest, selector};
use crate::types::Width;
use crate::verify::verify;

const MULTIPLIER: u32 = 1_664_525;
const INCREMENT: u32 = 1_013_904_223;
/// Low bits of these random numbers have short periods.
const DRAWN_BIT: u32 = 20;

/// Trace and random number.
#[derive(Clone, Copy)]
pub(crate) struct TraceModel {
    pub(crate) trace: u32,
    random: u32,
}

impl TraceModel {
    /// Returns the state before the first visit: an empty trace and `seed` as random number.
    pub(crate) const fn new(seed: u32) -> Self {
        Self {
            trace: 0,
            random: seed,
        }
    }

    /// Records that a point is visited.
    pub(crate) const fn visit_point(&mut self, point: u32) {
        self.trace = self.trace.wrapping_mul(31).wrapping_add(point);
        self.random = self.random.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
    }

    /// Returns the random number to branch on.
    pub(crate) const fn get_random_bits(&self) -> usize {
        (self.random >> DRAWN_BIT) as usize
    }
}

/// Builder of a program that computes the trace of a [`TraceModel`], its only output.
pub(crate) struct TraceProgramBuilder {
    pub(crate) builder: Builder,
    pub(crate) trace: RegisterId,
    random: RegisterId,
    /// The lowest bits of the random number.
    pub(crate) random_bits: RegisterId,
}

impl TraceProgramBuilder {
    /// Returns a builder for a vertex program with the registers of the trace, which is an output,
    /// and of the random number.
    pub(crate) fn new() -> Self {
        let mut program = Program::new(Stage::Vertex);
        let output = program
            .outputs
            .push(Output::new(Semantic::GenericVarying(0)));
        let trace = program.registers.push(Register {
            storage: Storage::Output(output),
            width: Width::W32,
            array_len: None,
            name: None,
        });
        let mut builder = Builder::new(program);
        let [random, draw] = std::array::from_fn(|_| selector::push_register(&mut builder));
        Self {
            builder,
            trace,
            random,
            random_bits: draw,
        }
    }

    /// Emits the initialization of the trace to 0, of the random number to `seed`, and of the drawn
    /// bits from it.
    pub(crate) fn emit_initialization(&mut self, seed: u32) {
        selector::emit_set_word(&mut self.builder, self.random, seed);
        selector::emit_set_word(&mut self.builder, self.trace, 0);
        selector::emit_set_word(&mut self.builder, self.random_bits, (seed >> DRAWN_BIT) & 1);
    }

    /// Returns the limit of `max` steps, with a new register that counts them, whose initialization
    /// it emits. Returns `None` without a limit.
    pub(crate) fn make_step_bound(
        &mut self,
        max: Option<u32>,
        test: StepTest,
    ) -> Option<StepBound> {
        let max = max?;
        let counter = selector::push_register(&mut self.builder);
        selector::emit_set_word(&mut self.builder, counter, 0);
        Some(StepBound { counter, max, test })
    }

    /// Emits `register.x = op(from.x, value)` on unsigned words.
    pub(crate) fn emit_op(&mut self, register: RegisterId, op: Op, from: RegisterId, value: u32) {
        let value = selector::push_word_literal(&mut self.builder, value);
        let sources = [Src::from_register(from), value];
        selector::emit_op(&mut self.builder, register, op, &sources);
    }

    /// Emits the visit of a point, which adds its number to the trace, advances the random number
    /// and draws the bits `mask` of it.
    pub(crate) fn emit_visit(&mut self, point: u32, mask: u32) {
        let (trace, random, draw) = (self.trace, self.random, self.random_bits);
        self.emit_op(trace, Op::Mul, trace, 31);
        self.emit_op(trace, Op::Add, trace, point);
        self.emit_op(random, Op::Mul, random, MULTIPLIER);
        self.emit_op(random, Op::Add, random, INCREMENT);
        self.emit_op(draw, Op::Shr, random, DRAWN_BIT);
        self.emit_op(draw, Op::And, draw, mask);
    }
}

/// Returns the trace of a program, which must be valid: runs it in the interpreter. Panics if it is
/// invalid or exceeds the step limit.
pub(crate) fn compute_trace(program: &Program) -> u32 {
    let errors = verify(program).err();
    assert!(errors.is_none(), "{errors:?}\n{}", crate::print(program));
    let interpreter = Interpreter::new(program).unwrap();
    let outcome = interpreter.run_main(&mut Environment::default()).unwrap();
    outcome.outputs[0][0] as u32
}

/// Checks the trace of a program.
pub(crate) fn assert_trace(program: &Program, expected: u32, context: impl std::fmt::Debug) {
    let text = crate::print(program);
    assert_eq!(compute_trace(program), expected, "{context:?}\n{text}");
}

/// Counts the nodes of all blocks for which `is_match` returns true.
pub(crate) fn count_nodes(program: &Program, is_match: fn(&Node) -> bool) -> usize {
    let blocks = program.blocks.ids();
    let nodes = blocks.flat_map(|block| program.block_nodes(block));
    nodes.filter(|node| is_match(node)).count()
}

/// Returns the number of loops in all blocks.
pub(crate) fn count_loops(program: &Program) -> usize {
    count_nodes(program, |node| matches!(node, Node::Loop { .. }))
}

/// Returns the number of switches in all blocks.
pub(crate) fn count_switches(program: &Program) -> usize {
    count_nodes(program, |node| matches!(node, Node::Switch(_)))
}
