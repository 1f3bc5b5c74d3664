//! Graphs written by hand and random ones: the tree must do what a direct walk of the graph does.

use super::*;
use crate::arena::Id;
use crate::inst::{Aux, Base, Dst, Inst, InstFlags, Src, WriteMask};
use crate::interp::{Environment, Interpreter};
use crate::op::Op;
use crate::program::{Program, Register, Stage, Storage};
use crate::semantic::{Output, Semantic};
use crate::types::{Type, Width};
use crate::verify::verify;

/// A graph of numbers: what each block does is the same for all, namely to note that it ran and to draw a random number.
#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Jump(usize),
    /// By the parity of the random number: odd, even.
    Branch(usize, usize),
    /// By the random number modulo 4.
    Switch([usize; 4]),
    Return,
}
use Kind::{Branch, Jump, Return, Switch as Multi};

const MULTIPLIER: u32 = 1_664_525;
const INCREMENT: u32 = 1_013_904_223;

/// Trace of a walk of at most `limit` blocks, as the program computes it; the number of blocks.
fn walk(kinds: &[Kind], seed: u32, limit: usize) -> Option<(u32, usize)> {
    let (mut trace, mut random, mut at) = (0u32, seed, 0);
    for step in 1..=limit {
        trace = trace.wrapping_mul(31).wrapping_add(at as u32 + 1);
        random = random.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
        let draw = (random >> 20) as usize;
        at = match &kinds[at] {
            Jump(target) => *target,
            Branch(odd, even) => [*even, *odd][draw & 1],
            Multi(targets) => targets[draw & 3],
            Return => return Some((trace, step)),
        };
    }
    None
}

struct Maker {
    builder: Builder,
    trace: RegisterId,
    random: RegisterId,
    draw: RegisterId,
}

impl Maker {
    fn new(seed: u32) -> Self {
        let mut program = Program::new(Stage::Vertex);
        let output = program.outputs.push(Output::new(Semantic::Generic(0)));
        let mut register = |storage| {
            program.registers.push(Register {
                storage,
                width: Width::W32,
                array: None,
                name: None,
            })
        };
        let trace = register(Storage::Output(output));
        let [random, draw] = [register(Storage::Temp), register(Storage::Temp)];
        let mut maker = Self {
            builder: Builder::new(program),
            trace,
            random,
            draw,
        };
        maker.builder.open_block();
        maker.put(random, Op::Mov, &[seed.into()]);
        maker.put(trace, Op::Mov, &[0.into()]);
        maker
    }

    fn put(&mut self, register: RegisterId, op: Op, sources: &[Value]) {
        let sources: Vec<Src> = sources
            .iter()
            .map(|value| match *value {
                Value::Register(register) => Src::register(register),
                Value::Word(word) => {
                    let lanes = [u64::from(word); 4];
                    Src::new(Base::Literal(self.builder.program.literals.push(lanes)))
                }
            })
            .collect();
        let inst = Inst {
            op,
            ty: Type::U32,
            flags: InstFlags::empty(),
            source_count: 0,
            first_source: 0,
            dst: Some(Dst::new(register, WriteMask::X)),
            aux: Aux::None,
            span: Span::default(),
        };
        self.builder.inst(inst, &sources);
    }

    fn block(&mut self, number: usize, kind: &Kind) -> FlowBlock {
        let (trace, random, draw) = (self.trace, self.random, self.draw);
        self.builder.open_block();
        self.put(trace, Op::Mul, &[trace.into(), 31.into()]);
        self.put(trace, Op::Add, &[trace.into(), (number as u32 + 1).into()]);
        self.put(random, Op::Mul, &[random.into(), MULTIPLIER.into()]);
        self.put(random, Op::Add, &[random.into(), INCREMENT.into()]);
        self.put(draw, Op::Shr, &[random.into(), 20.into()]);
        let mask = if matches!(kind, Multi(_)) { 3 } else { 1 };
        self.put(draw, Op::And, &[draw.into(), mask.into()]);
        let nodes = self.builder.take_nodes();
        let exit = match kind {
            Jump(target) => Exit::Jump(FlowId::new(*target)),
            Branch(odd, even) => Exit::Branch {
                cond: Cond::NonZero(draw, 0, Type::U32),
                then: FlowId::new(*odd),
                otherwise: FlowId::new(*even),
            },
            Multi([a, b, c, d]) => Exit::Switch {
                selector: (draw, 0),
                cases: [(0, a), (1, b), (2, c)]
                    .map(|(value, to)| (value, FlowId::new(*to)))
                    .into(),
                default: FlowId::new(*d),
            },
            Return => Exit::Return,
        };
        FlowBlock {
            nodes,
            exit,
            span: Span::default(),
            // Six instructions and the branch.
            steps: 7,
        }
    }
}

#[derive(Clone, Copy)]
enum Value {
    Register(RegisterId),
    Word(u32),
}

impl From<RegisterId> for Value {
    fn from(register: RegisterId) -> Self {
        Self::Register(register)
    }
}

impl From<u32> for Value {
    fn from(word: u32) -> Self {
        Self::Word(word)
    }
}

/// The tree of a graph as a program whose output is the trace.
fn program(kinds: &[Kind], seed: u32, bound: Option<u32>, max_depth: usize) -> Program {
    let mut maker = Maker::new(seed);
    let mut blocks = IndexVec::new();
    for (number, kind) in kinds.iter().enumerate() {
        let block = maker.block(number, kind);
        blocks.push(block);
    }
    let entry = FlowId::new(0);
    let bound = bound.map(|max| {
        let counter = code::new_register(&mut maker.builder);
        code::set(&mut maker.builder, counter, 0);
        StepBound { counter, max }
    });
    structurize_within(
        &mut maker.builder,
        Graph { blocks, entry },
        bound,
        max_depth,
    );
    let body = maker.builder.program.routines[maker.builder.program.main].body;
    maker.builder.close_block_as(body);
    maker.builder.program
}

fn trace_of(program: &Program) -> u32 {
    let errors = verify(program).err();
    assert!(errors.is_none(), "{errors:?}\n{}", crate::print(program));
    let interpreter = Interpreter::new(program).unwrap();
    let outcome = interpreter.run(&mut Environment::default()).unwrap();
    outcome.outputs[0][0] as u32
}

/// Compares tree and graph for some random numbers; gives the last program.
fn check_with(kinds: &[Kind], max_depth: usize) -> Option<Program> {
    let mut last = None;
    for seed in 0..6 {
        let Some((expected, _)) = walk(kinds, seed, 500) else {
            continue;
        };
        let program = program(kinds, seed, None, max_depth);
        assert_eq!(
            trace_of(&program),
            expected,
            "seed {seed} of {kinds:?}\n{}",
            crate::print(&program)
        );
        last = Some(program);
    }
    last
}

fn check(kinds: &[Kind]) -> Program {
    check_with(kinds, MAX_DEPTH).expect("some walk ends")
}

fn count(program: &Program, wanted: fn(&Node) -> bool) -> usize {
    program.nodes.iter().filter(|node| wanted(node)).count()
}

fn loops(program: &Program) -> usize {
    count(program, |node| matches!(node, Node::Loop { .. }))
}

fn switches(program: &Program) -> usize {
    count(program, |node| matches!(node, Node::Switch(_)))
}

fn breaks(program: &Program) -> usize {
    count(program, |node| matches!(node, Node::Break))
}

#[test]
fn diamonds_are_branches_without_breaks() {
    let program = check(&[
        Branch(1, 2),
        Jump(3),
        Jump(3),
        Branch(4, 5),
        Jump(5),
        Return,
    ]);
    assert_eq!(
        (loops(&program), switches(&program), breaks(&program)),
        (0, 0, 0)
    );
}

#[test]
fn loops_with_one_exit_break_once() {
    // while (draw) body;
    let program = check(&[Jump(1), Branch(2, 3), Jump(1), Return]);
    assert_eq!(
        (loops(&program), switches(&program), breaks(&program)),
        (1, 0, 1)
    );
    // do body while (draw);
    let program = check(&[Jump(1), Jump(2), Branch(1, 3), Return]);
    assert_eq!(
        (loops(&program), switches(&program), breaks(&program)),
        (1, 0, 1)
    );
}

#[test]
fn code_behind_a_loop_stands_behind_it() {
    // Two loops one after the other: neither is inside the other.
    let program = check(&[Branch(0, 1), Branch(1, 2), Return]);
    let body = program.routines[program.main].body;
    let at_top = |node: &&Node| matches!(node, Node::Loop { .. });
    assert_eq!(program.block(body).iter().filter(at_top).count(), 2);
}

#[test]
fn nested_loops_are_left_together() {
    // The inner loop goes on with the outer one, or leaves both.
    check(&[Jump(1), Jump(2), Multi([2, 1, 3, 2]), Return]);
    check(&[
        Jump(1),
        Jump(2),
        Jump(3),
        Multi([3, 2, 1, 4]),
        Jump(5),
        Return,
    ]);
}

#[test]
fn early_exits_nest_only_so_deep() {
    // if (draw) goto end; a hundred times.
    let count = 100;
    let mut kinds: Vec<Kind> = (0..count).map(|number| Branch(count, number + 1)).collect();
    kinds.push(Return);
    let program = check_with(&kinds, 32).expect("every walk ends");
    assert_eq!(loops(&program), 0);
}

#[test]
fn loops_entered_in_the_middle_get_a_dispatcher() {
    let program = check(&[Branch(1, 2), Branch(2, 3), Branch(1, 3), Return]);
    assert_eq!(loops(&program), 1);
    // Three entries, one of them the first block; an irreducible loop inside.
    check(&[
        Branch(1, 2),
        Multi([2, 0, 1, 3]),
        Multi([0, 1, 2, 3]),
        Return,
    ]);
}

#[test]
fn graphs_that_are_too_deep_are_dispatched() {
    let kinds = [
        Branch(1, 2),
        Branch(3, 4),
        Jump(5),
        Jump(5),
        Jump(5),
        Return,
    ];
    let program = check_with(&kinds, 0).unwrap();
    assert_eq!((loops(&program), switches(&program)), (1, 1));
}

#[test]
fn blocks_that_cannot_be_reached_are_left_out() {
    let kinds = [Return, Jump(2), Jump(1)];
    let program = program(&kinds, 1, None, MAX_DEPTH);
    assert_eq!(loops(&program), 0);
    assert_eq!(trace_of(&program), 1);
}

#[test]
fn endless_loops_are_cut() {
    for max_depth in [MAX_DEPTH, 0] {
        let program = program(&[Jump(1), Jump(1)], 1, Some(65_536), max_depth);
        trace_of(&program);
    }
}

#[test]
fn loops_within_the_bound_run_to_their_end() {
    for max_depth in [MAX_DEPTH, 0] {
        let kinds = [Jump(1), Branch(1, 2), Return];
        for seed in 0..20 {
            let Some((expected, _)) = walk(&kinds, seed, 1000) else {
                continue;
            };
            let program = program(&kinds, seed, Some(65_536), max_depth);
            assert_eq!(trace_of(&program), expected);
        }
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }
}

fn random_graph(random: &mut Random, blocks: usize) -> Vec<Kind> {
    // Near targets make graphs like those of programs, far ones tangle them.
    let reach = [2, 4, blocks][random.below(3)];
    let mut kinds: Vec<Kind> = (0..blocks - 1)
        .map(|number| {
            let mut target = || {
                let low = number.saturating_sub(reach);
                low + random.below((number + reach + 1).min(blocks - 1) - low + 1)
            };
            let targets = [target(), target(), target(), target()];
            match random.below(8) {
                0 => Jump(targets[0]),
                1 => Multi(targets),
                2..=4 => Branch(targets[0], number + 1),
                5 => Branch(number + 1, targets[1]),
                6 => Branch(targets[0], targets[1]),
                _ => Jump(number + 1),
            }
        })
        .collect();
    kinds.push(Return);
    kinds
}

#[test]
fn trees_of_random_graphs_run_like_the_graphs() {
    let mut random = Random(7);
    let mut compared = 0;
    for round in 0..3000 {
        let blocks = 2 + random.below(if round % 10 == 0 { 60 } else { 12 });
        let kinds = random_graph(&mut random, blocks);
        let max_depth = [MAX_DEPTH, MAX_DEPTH, 8, 0][round % 4];
        compared += usize::from(check_with(&kinds, max_depth).is_some());
    }
    assert!(
        compared > 1500,
        "only {compared} graphs have walks that end"
    );
}

#[test]
fn large_graphs_take_little_time() {
    let count = 20_000;
    // A ladder of loops whose every block may go back to the one before.
    let mut kinds: Vec<Kind> = (0..count)
        .map(|number: usize| Branch(number + 1, number.saturating_sub(1)))
        .collect();
    kinds.push(Return);
    verify(&program(&kinds, 1, None, MAX_DEPTH)).unwrap();
    // Every block may go anywhere.
    let mut random = Random(1);
    let mut kinds: Vec<Kind> = (0..count)
        .map(|_| Branch(random.below(count + 1), random.below(count + 1)))
        .collect();
    kinds.push(Return);
    verify(&program(&kinds, 1, None, MAX_DEPTH)).unwrap();
}
