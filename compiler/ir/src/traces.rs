//! Support for the tests of control flow: programs that record visited points in a trace and branch
//! on random numbers, and [`Walk`], which computes the same trace for the interpreters that they
//! are compared with.

use crate::builder::Builder;
use crate::inst::Src;
use crate::interp::{Environment, Interpreter};
use crate::op::Op;
use crate::program::{Node, Program, Register, RegisterId, Stage, Storage};
use crate::semantic::{Output, Semantic};
use crate::structurize::{StepBound, StepTest, code};
use crate::types::Width;
use crate::verify::verify;

const MULTIPLIER: u32 = 1_664_525;
const INCREMENT: u32 = 1_013_904_223;
/// Low bits of these random numbers have short periods.
const DRAWN_BIT: u32 = 20;

/// Trace and random number.
#[derive(Clone, Copy)]
pub(crate) struct Walk {
    pub(crate) trace: u32,
    random: u32,
}

impl Walk {
    pub(crate) const fn new(seed: u32) -> Self {
        Self {
            trace: 0,
            random: seed,
        }
    }

    /// Records that a point is visited.
    pub(crate) const fn step(&mut self, place: u32) {
        self.trace = self.trace.wrapping_mul(31).wrapping_add(place);
        self.random = self.random.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
    }

    /// Returns the random number to branch on.
    pub(crate) const fn get_drawn(&self) -> usize {
        (self.random >> DRAWN_BIT) as usize
    }
}

/// Builder of a program that computes the trace of a [`Walk`], its only output.
pub(crate) struct Maker {
    pub(crate) builder: Builder,
    pub(crate) trace: RegisterId,
    random: RegisterId,
    /// The lowest bits of the random number.
    pub(crate) draw: RegisterId,
}

impl Maker {
    pub(crate) fn new() -> Self {
        let mut program = Program::new(Stage::Vertex);
        let output = program.outputs.push(Output::new(Semantic::Generic(0)));
        let trace = program.registers.push(Register {
            storage: Storage::Output(output),
            width: Width::W32,
            array: None,
            name: None,
        });
        let mut builder = Builder::new(program);
        let [random, draw] = std::array::from_fn(|_| code::new_register(&mut builder));
        Self {
            builder,
            trace,
            random,
            draw,
        }
    }

    /// Emits the initialization of the trace and the random number.
    pub(crate) fn begin(&mut self, seed: u32) {
        code::emit_set(&mut self.builder, self.random, seed);
        code::emit_set(&mut self.builder, self.trace, 0);
        code::emit_set(&mut self.builder, self.draw, (seed >> DRAWN_BIT) & 1);
    }

    /// Returns the limit of steps, with the registers that count them.
    pub(crate) fn make_bound(&mut self, max: Option<u32>, test: StepTest) -> Option<StepBound> {
        let max = max?;
        let counter = code::new_register(&mut self.builder);
        code::emit_set(&mut self.builder, counter, 0);
        Some(StepBound { counter, max, test })
    }

    pub(crate) fn emit_op(&mut self, register: RegisterId, op: Op, from: RegisterId, value: u32) {
        let value = code::add_word(&mut self.builder, value);
        let sources = [Src::register(from), value];
        code::emit_op(&mut self.builder, register, op, &sources);
    }

    /// Emits the visit of a point, which draws the bits `mask` of a random number.
    pub(crate) fn step(&mut self, place: u32, mask: u32) {
        let (trace, random, draw) = (self.trace, self.random, self.draw);
        self.emit_op(trace, Op::Mul, trace, 31);
        self.emit_op(trace, Op::Add, trace, place);
        self.emit_op(random, Op::Mul, random, MULTIPLIER);
        self.emit_op(random, Op::Add, random, INCREMENT);
        self.emit_op(draw, Op::Shr, random, DRAWN_BIT);
        self.emit_op(draw, Op::And, draw, mask);
    }
}

/// Returns the trace of a program, which must be valid.
pub(crate) fn compute_trace(program: &Program) -> u32 {
    let errors = verify(program).err();
    assert!(errors.is_none(), "{errors:?}\n{}", crate::print(program));
    let interpreter = Interpreter::new(program).unwrap();
    let outcome = interpreter.run(&mut Environment::default()).unwrap();
    outcome.outputs[0][0] as u32
}

/// Checks the trace of a program.
pub(crate) fn assert_trace(program: &Program, expected: u32, of: impl std::fmt::Debug) {
    let text = crate::print(program);
    assert_eq!(compute_trace(program), expected, "{of:?}\n{text}");
}

/// Counts the nodes of all blocks that match.
pub(crate) fn count_nodes(program: &Program, wanted: fn(&Node) -> bool) -> usize {
    let blocks = program.blocks.ids();
    let nodes = blocks.flat_map(|block| program.block(block));
    nodes.filter(|node| wanted(node)).count()
}

pub(crate) fn count_loops(program: &Program) -> usize {
    count_nodes(program, |node| matches!(node, Node::Loop { .. }))
}

pub(crate) fn count_switches(program: &Program) -> usize {
    count_nodes(program, |node| matches!(node, Node::Switch(_)))
}
