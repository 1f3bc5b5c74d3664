//! What the tests of control flow run: programs that note in a trace where they come by, and draw random numbers by which they branch.
//! The direct walks that they are compared with do the same in [`Walk`].

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
/// Lower bits of these random numbers repeat soon.
const DRAWN_BIT: u32 = 20;

/// Trace and random number of a walk.
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

    /// Comes by a place.
    pub(crate) const fn step(&mut self, place: u32) {
        self.trace = self.trace.wrapping_mul(31).wrapping_add(place);
        self.random = self.random.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
    }

    /// The random number by which to branch.
    pub(crate) const fn drawn(&self) -> usize {
        (self.random >> DRAWN_BIT) as usize
    }
}

/// Makes a program that does what a [`Walk`] does; its only output is the trace.
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

    /// What the program begins with.
    pub(crate) fn begin(&mut self, seed: u32) {
        code::set(&mut self.builder, self.random, seed);
        code::set(&mut self.builder, self.trace, 0);
        code::set(&mut self.builder, self.draw, (seed >> DRAWN_BIT) & 1);
    }

    /// The bound of steps as the program counts them.
    pub(crate) fn bound(&mut self, max: Option<u32>, test: StepTest) -> Option<StepBound> {
        let max = max?;
        let counter = code::new_register(&mut self.builder);
        code::set(&mut self.builder, counter, 0);
        Some(StepBound { counter, max, test })
    }

    pub(crate) fn put(&mut self, register: RegisterId, op: Op, from: RegisterId, value: u32) {
        let value = code::word(&mut self.builder, value);
        let sources = [Src::register(from), value];
        code::put(&mut self.builder, register, op, &sources);
    }

    /// Comes by a place, and draws the bits `mask` of a random number.
    pub(crate) fn step(&mut self, place: u32, mask: u32) {
        let (trace, random, draw) = (self.trace, self.random, self.draw);
        self.put(trace, Op::Mul, trace, 31);
        self.put(trace, Op::Add, trace, place);
        self.put(random, Op::Mul, random, MULTIPLIER);
        self.put(random, Op::Add, random, INCREMENT);
        self.put(draw, Op::Shr, random, DRAWN_BIT);
        self.put(draw, Op::And, draw, mask);
    }
}

/// The trace of a program, which has to be a valid one.
pub(crate) fn trace_of(program: &Program) -> u32 {
    let errors = verify(program).err();
    assert!(errors.is_none(), "{errors:?}\n{}", crate::print(program));
    let interpreter = Interpreter::new(program).unwrap();
    let outcome = interpreter.run(&mut Environment::default()).unwrap();
    outcome.outputs[0][0] as u32
}

/// Checks the trace of a program.
pub(crate) fn assert_trace(program: &Program, expected: u32, of: impl std::fmt::Debug) {
    let text = crate::print(program);
    assert_eq!(trace_of(program), expected, "{of:?}\n{text}");
}

/// How many nodes that blocks use are such.
pub(crate) fn count_nodes(program: &Program, wanted: fn(&Node) -> bool) -> usize {
    let blocks = program.blocks.ids();
    let nodes = blocks.flat_map(|block| program.block(block));
    nodes.filter(|node| wanted(node)).count()
}

pub(crate) fn loops(program: &Program) -> usize {
    count_nodes(program, |node| matches!(node, Node::Loop { .. }))
}

pub(crate) fn switches(program: &Program) -> usize {
    count_nodes(program, |node| matches!(node, Node::Switch(_)))
}
