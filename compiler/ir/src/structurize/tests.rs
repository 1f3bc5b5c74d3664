//! Tests with graphs written by hand and random ones: the tree must be equivalent to a direct walk
//! of the graph.

use super::*;
use crate::arena::IndexVec;
use crate::inst::{Cond, CondTest, Guard, Swizzle};
use crate::program::{Block, Node, Program, Register, Storage};
use crate::span::Span;
use crate::test_support::{
    TraceModel, TraceProgramBuilder, assert_trace, compute_trace, count_loops, count_nodes,
    count_switches,
};
use crate::testgen::generator::Random;
use crate::types::{Type, Width};
use crate::verify::verify;

/// Exit of a block of a numbered graph. All blocks do the same: they record that they ran and draw
/// a random number.
#[derive(Clone, PartialEq, Debug)]
enum BlockExit {
    Jump(usize),
    /// Selected by the parity of the random number: odd, even.
    Branch(usize, usize),
    /// Selected by the random number modulo 4.
    Switch([usize; 4]),
    Return,
}
use BlockExit::{Branch, Jump, Return, Switch as Multi};

/// Returns the trace of a walk of at most `limit` blocks, as the program computes it, and the
/// number of blocks.
fn interpret_graph(exits: &[BlockExit], seed: u32, limit: usize) -> Option<(u32, usize)> {
    let (trace, steps) = interpret_partially(exits, seed, limit);
    steps.map(|steps| (trace, steps))
}

/// Returns the trace of the first blocks of a walk, at most `limit`, and their number if the walk
/// ends with them.
fn interpret_partially(exits: &[BlockExit], seed: u32, limit: usize) -> (u32, Option<usize>) {
    let (mut walk, mut at) = (TraceModel::new(seed), 0);
    for step in 1..=limit {
        walk.visit_point(at as u32 + 1);
        let draw = walk.get_random_bits();
        at = match &exits[at] {
            Jump(target) => *target,
            Branch(odd, even) => [*even, *odd][draw & 1],
            Multi(targets) => targets[draw & 3],
            Return => return (walk.trace, Some(step)),
        };
    }
    (walk.trace, None)
}

impl TraceProgramBuilder {
    fn build_block(&mut self, number: usize, to: &BlockExit) -> FlowBlock {
        let draw = self.random_bits;
        self.builder.open_block();
        let mask = if matches!(to, Multi(_)) { 3 } else { 1 };
        self.emit_visit(number as u32 + 1, mask);
        let nodes = self.builder.close_nodes();
        let exit = match to {
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

/// Returns the tree of a graph as a program whose output is the trace.
fn build_program(exits: &[BlockExit], seed: u32, bound: Option<u32>, max_depth: usize) -> Program {
    let bound = bound.map(|max| (max, StepTest::Loops));
    build_bounded_program(exits, seed, bound, max_depth)
}

fn build_bounded_program(
    exits: &[BlockExit],
    seed: u32,
    bound: Option<(u32, StepTest)>,
    max_depth: usize,
) -> Program {
    let mut maker = TraceProgramBuilder::new();
    maker.builder.open_block();
    maker.emit_initialization(seed);
    let mut blocks = IndexVec::new();
    for (number, exit) in exits.iter().enumerate() {
        let block = maker.build_block(number, exit);
        blocks.push(block);
    }
    let entry = FlowId::new(0);
    let bound = bound.and_then(|(max, test)| maker.make_step_bound(Some(max), test));
    structurize_with_max_depth(
        &mut maker.builder,
        Graph { blocks, entry },
        bound,
        max_depth,
    );
    let body = maker.builder.program.routines[maker.builder.program.main].body;
    maker.builder.close_block_as(body);
    maker.builder.program
}

/// Compares tree and graph for some random numbers; returns the last program.
fn check_with_max_depth(exits: &[BlockExit], max_depth: usize) -> Option<Program> {
    let mut last = None;
    for seed in 0..6 {
        let Some((expected, _)) = interpret_graph(exits, seed, 500) else {
            continue;
        };
        let program = build_program(exits, seed, None, max_depth);
        assert_trace(&program, expected, (seed, exits));
        last = Some(program);
    }
    last
}

fn check(exits: &[BlockExit]) -> Program {
    check_with_max_depth(exits, MAX_DEPTH).expect("some walk ends")
}

fn count_breaks(program: &Program) -> usize {
    count_nodes(program, |node| matches!(node, Node::Break))
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
        (
            count_loops(&program),
            count_switches(&program),
            count_breaks(&program)
        ),
        (0, 0, 0)
    );
}

#[test]
fn loops_with_one_exit_break_once() {
    // while (draw) body;
    let program = check(&[Jump(1), Branch(2, 3), Jump(1), Return]);
    assert_eq!(
        (
            count_loops(&program),
            count_switches(&program),
            count_breaks(&program)
        ),
        (1, 0, 1)
    );
    // do body while (draw);
    let program = check(&[Jump(1), Jump(2), Branch(1, 3), Return]);
    assert_eq!(
        (
            count_loops(&program),
            count_switches(&program),
            count_breaks(&program)
        ),
        (1, 0, 1)
    );
}

#[test]
fn code_behind_a_loop_stands_behind_it() {
    // Two consecutive loops: neither is inside the other.
    let program = check(&[Branch(0, 1), Branch(1, 2), Return]);
    let body = program.routines[program.main].body;
    let at_top = |node: &&Node| matches!(node, Node::Loop { .. });
    assert_eq!(program.block_nodes(body).iter().filter(at_top).count(), 2);
}

#[test]
fn nested_loops_are_left_together() {
    // The inner loop continues the outer one, or leaves both.
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
    let mut exits: Vec<BlockExit> = (0..count).map(|number| Branch(count, number + 1)).collect();
    exits.push(Return);
    let program = check_with_max_depth(&exits, 32).expect("every walk ends");
    assert_eq!(count_loops(&program), 0);
}

#[test]
fn loops_entered_in_the_middle_get_a_dispatcher() {
    let program = check(&[Branch(1, 2), Branch(2, 3), Branch(1, 3), Return]);
    assert_eq!(count_loops(&program), 1);
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
    let exits = [
        Branch(1, 2),
        Branch(3, 4),
        Jump(5),
        Jump(5),
        Jump(5),
        Return,
    ];
    let program = check_with_max_depth(&exits, 0).unwrap();
    assert_eq!((count_loops(&program), count_switches(&program)), (1, 1));
}

/// Counts the branches of a dispatched graph, with a test of the lanes that `swizzle` selects.
fn count_dispatched_branches(swizzle: Swizzle) -> usize {
    let mut maker = TraceProgramBuilder::new();
    let cc = maker.builder.program.registers.push(Register {
        storage: Storage::Cond,
        width: Width::W32,
        array_len: None,
        name: None,
    });
    maker.builder.open_block();
    let mut blocks = IndexVec::new();
    for (number, exit) in [Branch(1, 2), Return, Return].iter().enumerate() {
        blocks.push(maker.build_block(number, exit));
    }
    let entry = FlowId::new(0);
    if let Exit::Branch { cond, .. } = &mut blocks[entry].exit {
        *cond = Cond::Any(Guard {
            cc,
            test: CondTest::Lt,
            swizzle,
        });
    }
    structurize_with_max_depth(&mut maker.builder, Graph { blocks, entry }, None, 0);
    let body = maker.builder.program.routines[maker.builder.program.main].body;
    maker.builder.close_block_as(body);
    let program = maker.builder.program;
    assert_eq!(verify(&program), Ok(()), "{}", crate::print(&program));
    count_nodes(&program, |node| matches!(node, Node::If { .. }))
}

/// Checks that a test of equal lanes becomes a guarded move, which tests each lane separately,
/// unlike a branch.
#[test]
fn a_test_of_one_lane_needs_no_branch() {
    assert_eq!(count_dispatched_branches(Swizzle::new([1; 4])), 0);
    assert_eq!(count_dispatched_branches(Swizzle::new([0, 1, 1, 1])), 1);
}

#[test]
fn more_blocks_than_a_switch_has_cases_for_take_several() {
    // From both switches to the other one, forward and back.
    let far = |block: usize| (block * 7 + 9_001) % 20_000;
    let exits: Vec<BlockExit> = (0..20_000)
        .map(|block| match block % 50 {
            9 => Return,
            _ => Branch(far(block), far(block + 1)),
        })
        .collect();
    let (seed, (expected, _)) = (0..6)
        .find_map(|seed| Some((seed, interpret_graph(&exits, seed, 500)?)))
        .expect("some walk ends");
    let program = build_program(&exits, seed, None, 0);
    assert_trace(&program, expected, "far jumps");
    assert_eq!((count_loops(&program), count_switches(&program)), (1, 2));
}

#[test]
fn nothing_is_left_of_blocks_that_do_nothing() {
    let mut maker = TraceProgramBuilder::new();
    maker.builder.open_block();
    maker.emit_initialization(1);
    let mut blocks = IndexVec::new();
    for exit in [Branch(1, 2), Jump(3), Jump(1), Jump(4), Jump(3)] {
        let mut block = maker.build_block(0, &exit);
        if exit != Branch(1, 2) {
            (block.nodes, block.steps) = (Block::default(), 0);
        }
        blocks.push(block);
    }
    let mut graph = Graph {
        blocks,
        entry: FlowId::new(0),
    };
    skip_empty_blocks(&mut graph);
    replace_trivial_branches(&mut graph);
    // The cycle of 3 and 4 remains one.
    assert_eq!(
        graph.blocks[FlowId::new(0)].exit,
        Exit::Jump(FlowId::new(3))
    );
    assert_eq!(
        graph.blocks[FlowId::new(3)].exit,
        Exit::Jump(FlowId::new(3))
    );
}

#[test]
fn blocks_that_cannot_be_reached_are_left_out() {
    let exits = [Return, Jump(2), Jump(1)];
    let program = build_program(&exits, 1, None, MAX_DEPTH);
    assert_eq!(count_loops(&program), 0);
    assert_eq!(compute_trace(&program), 1);
}

#[test]
fn endless_loops_are_cut() {
    for max_depth in [MAX_DEPTH, 0] {
        let program = build_program(&[Jump(1), Jump(1)], 1, Some(65_536), max_depth);
        compute_trace(&program);
    }
}

#[test]
fn loops_within_the_bound_run_to_their_end() {
    for max_depth in [MAX_DEPTH, 0] {
        let exits = [Jump(1), Branch(1, 2), Return];
        for seed in 0..20 {
            let Some((expected, _)) = interpret_graph(&exits, seed, 1000) else {
                continue;
            };
            let program = build_program(&exits, seed, Some(65_536), max_depth);
            assert_eq!(compute_trace(&program), expected);
        }
    }
}

#[test]
fn every_block_is_counted_where_all_are() {
    let mut random = Random::new(11);
    for round in 0..1000 {
        let blocks = 2 + random.draw_below(12);
        let exits = generate_graph(&mut random, blocks);
        let most = random.draw_below(60);
        // Each block has seven steps: a remainder of fewer is not enough for another one.
        let max = (7 * most + random.draw_below(7)) as u32;
        let (expected, _) = interpret_partially(&exits, round, most);
        let max_depth = [MAX_DEPTH, MAX_DEPTH, 8, 0][round as usize % 4];
        let program =
            build_bounded_program(&exits, round, Some((max, StepTest::Blocks)), max_depth);
        assert_trace(&program, expected, (max, &exits));
    }
}

fn generate_graph(random: &mut Random, blocks: usize) -> Vec<BlockExit> {
    // Near targets generate graphs like those of programs, far ones arbitrary graphs.
    let reach = [2, 4, blocks][random.draw_below(3)];
    let mut exits: Vec<BlockExit> = (0..blocks - 1)
        .map(|number| {
            let mut target = || {
                let low = number.saturating_sub(reach);
                low + random.draw_below((number + reach + 1).min(blocks - 1) - low + 1)
            };
            let targets = [target(), target(), target(), target()];
            match random.draw_below(8) {
                0 => Jump(targets[0]),
                1 => Multi(targets),
                2..=4 => Branch(targets[0], number + 1),
                5 => Branch(number + 1, targets[1]),
                6 => Branch(targets[0], targets[1]),
                _ => Jump(number + 1),
            }
        })
        .collect();
    exits.push(Return);
    exits
}

#[test]
fn trees_of_random_graphs_run_like_the_graphs() {
    let mut random = Random::new(7);
    let mut compared = 0;
    for round in 0..3000 {
        let blocks = 2 + random.draw_below(if round % 10 == 0 { 60 } else { 12 });
        let exits = generate_graph(&mut random, blocks);
        let max_depth = [MAX_DEPTH, MAX_DEPTH, 8, 0][round % 4];
        compared += usize::from(check_with_max_depth(&exits, max_depth).is_some());
    }
    assert!(
        compared > 1500,
        "only {compared} graphs have walks that end"
    );
}

#[test]
fn large_graphs_take_little_time() {
    let count = 20_000;
    // A ladder of loops whose every block may branch to the previous one.
    let mut exits: Vec<BlockExit> = (0..count)
        .map(|number: usize| Branch(number + 1, number.saturating_sub(1)))
        .collect();
    exits.push(Return);
    verify(&build_program(&exits, 1, None, MAX_DEPTH)).unwrap();
    // Every block may branch to any block.
    let mut random = Random::new(1);
    let mut exits: Vec<BlockExit> = (0..count)
        .map(|_| Branch(random.draw_below(count + 1), random.draw_below(count + 1)))
        .collect();
    exits.push(Return);
    verify(&build_program(&exits, 1, None, MAX_DEPTH)).unwrap();
}
