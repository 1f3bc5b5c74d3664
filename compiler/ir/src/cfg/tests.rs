//! Tests with programs of a small language, written by hand and random ones: the built routines
//! must be equivalent to a direct interpretation of the lines.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "most lines are of no concern to most walks"
)]

use super::*;
use crate::arena::Id;
use crate::inst::{Cond, Src, WriteMask};
use crate::op::Op;
use crate::program::{Node, Program};
use crate::span::Span;
use crate::structurize::{StepTest, selector};
use crate::test_support::{
    TraceModel, TraceProgramBuilder, assert_trace, compute_trace, count_loops, count_switches,
};
use crate::testgen::generator::Random;
use crate::types::Type;

/// Condition: always, or if the last random number is odd.
#[derive(Clone, Copy, PartialEq, Debug)]
enum BranchWhen {
    Always,
    Odd,
}
use BranchWhen::{Always, Odd};

#[derive(Clone, Copy, PartialEq, Debug)]
enum SourceLine {
    /// Records the position in the trace and draws a random number.
    Step,
    If,
    Else,
    EndIf,
    /// Number of iterations.
    Loop(u32),
    EndLoop,
    Break(BranchWhen),
    Continue(BranchWhen),
    Label(usize),
    Branch(usize, BranchWhen),
    Call(usize, BranchWhen),
    Return(BranchWhen),
    /// Pushes the trace on the stack.
    Push,
    Pop,
}
use SourceLine::*;

const RETURN_AT_LABEL: CallConvention = CallConvention {
    max_depth: 6,
    on_overflow: OnStackOverflow::SkipCall,
    at_label: LabelFallThrough::Return,
};
const FALL_THROUGH_AT_LABEL: CallConvention = CallConvention {
    max_depth: 4,
    on_overflow: OnStackOverflow::EndProgram,
    at_label: LabelFallThrough::FallThrough,
};

// The direct interpretation.

/// Entry of the call stack.
enum StackEntry {
    Return(usize, Vec<(usize, u32)>),
    Address(u32),
}

struct SourceInterpreter<'l> {
    lines: &'l [SourceLine],
    rules: CallConvention,
    at: usize,
    walk: TraceModel,
    stack: Vec<StackEntry>,
    /// Open loops with the number of remaining iterations.
    loops: Vec<(usize, u32)>,
    /// True if a call found the stack full.
    overflows: bool,
}

impl SourceInterpreter<'_> {
    fn run(&mut self, limit: usize) -> Option<u32> {
        for _ in 0..limit {
            let Some(&line) = self.lines.get(self.at) else {
                let ended = self.rules.at_label == LabelFallThrough::FallThrough
                    || !self.return_from_call();
                if ended {
                    return Some(self.walk.trace);
                }
                continue;
            };
            self.at += 1;
            if !self.run_line(line) {
                return Some(self.walk.trace);
            }
        }
        None
    }

    fn is_odd(&self) -> bool {
        self.walk.get_random_bits() & 1 == 1
    }

    fn is_taken(&self, when: BranchWhen) -> bool {
        when == Always || self.is_odd()
    }

    /// Skips to the line after the end of the current block, or to its else part.
    fn skip_arm(&mut self, stop_at_else: bool) {
        let mut depth = 0;
        while let Some(line) = self.lines.get(self.at) {
            self.at += 1;
            match line {
                If | Loop(_) => depth += 1,
                EndIf | EndLoop if depth == 0 => return,
                EndIf | EndLoop => depth -= 1,
                Else if depth == 0 && stop_at_else => return,
                _ => {}
            }
        }
    }

    /// Continues at the end of the innermost loop without executing it.
    fn skip_to_loop_end(&mut self) {
        let mut depth = 0;
        let (start, _) = self.loops[self.loops.len() - 1];
        self.at = start;
        while let Some(line) = self.lines.get(self.at) {
            match line {
                If | Loop(_) => depth += 1,
                EndLoop if depth == 0 => return,
                EndIf | EndLoop => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn end_iteration(&mut self) {
        let last = self.loops.len() - 1;
        let (start, left) = &mut self.loops[last];
        self.at = *start;
        if *left == 0 {
            self.loops.pop();
            self.skip_arm(false);
        } else {
            *left -= 1;
        }
    }

    fn return_from_call(&mut self) -> bool {
        match self.stack.pop() {
            Some(StackEntry::Return(at, loops)) => {
                (self.at, self.loops) = (at, loops);
                true
            }
            _ => false,
        }
    }

    fn go_to_label(&mut self, label: usize) {
        let found = self.lines.iter().position(|line| *line == Label(label));
        self.at = found.expect("the label is there") + 1;
    }

    fn is_full(&mut self) -> bool {
        let full = self.stack.len() >= self.rules.max_depth as usize;
        self.overflows |= full;
        full
    }

    fn run_line(&mut self, line: SourceLine) -> bool {
        match line {
            Step => self.walk.visit_point(self.at as u32),
            If if self.is_odd() => {}
            If => self.skip_arm(true),
            Else => self.skip_arm(false),
            EndIf => {}
            Loop(rounds) => {
                self.loops.push((self.at, rounds));
                self.end_iteration();
            }
            EndLoop => self.end_iteration(),
            Break(when) if self.is_taken(when) => {
                self.skip_to_loop_end();
                self.at += 1;
                self.loops.pop();
            }
            Continue(when) if self.is_taken(when) => self.skip_to_loop_end(),
            Branch(label, when) if self.is_taken(when) => self.go_to_label(label),
            Call(label, when) if self.is_taken(when) => {
                if self.is_full() {
                    return self.rules.on_overflow == OnStackOverflow::SkipCall;
                }
                let loops = std::mem::take(&mut self.loops);
                self.stack.push(StackEntry::Return(self.at, loops));
                self.go_to_label(label);
            }
            Return(when) if self.is_taken(when) => return self.return_from_call(),
            Label(_) if self.rules.at_label == LabelFallThrough::Return => {
                return self.return_from_call();
            }
            Push if self.is_full() => return false,
            Push => self.stack.push(StackEntry::Address(self.walk.trace)),
            Pop => match self.stack.pop() {
                Some(StackEntry::Address(trace)) => self.walk.trace = trace,
                _ => return false,
            },
            Break(_) | Continue(_) | Branch(..) | Call(..) | Return(_) | Label(_) => {}
        }
        true
    }
}

// The tree builder.

impl TraceProgramBuilder {
    fn make_cond(&self, tree: &TreeBuilder<'_>, when: BranchWhen) -> Option<Cond> {
        let conditional = when == Odd && !tree.is_dead();
        conditional.then(|| selector::make_non_zero_cond(self.random_bits))
    }

    fn emit_loop_begin(&mut self, tree: &mut TreeBuilder<'_>, rounds: u32) {
        let count = selector::push_register(&mut self.builder);
        selector::emit_set_word(&mut self.builder, count, rounds);
        let saved = SavedLanes {
            register: count,
            lanes: WriteMask::X,
            ty: Type::U32,
        };
        tree.begin_loop(&mut self.builder, vec![saved], Span::default());
        let done = selector::push_register(&mut self.builder);
        self.emit_op(done, Op::SetEq, count, 0);
        let done = Some(selector::make_non_zero_cond(done));
        tree.emit_break(&mut self.builder, done, Span::default());
        self.emit_op(count, Op::Sub, count, 1);
    }

    /// Appends a line, which may be dead code.
    fn emit_line(&mut self, tree: &mut TreeBuilder<'_>, number: usize, line: SourceLine) {
        let none = Span::default();
        match line {
            If | Loop(_) if tree.is_dead() => tree.open_dead_scope(),
            Step | Push | Pop if tree.is_dead() => {}
            Step => {
                self.emit_visit(number as u32 + 1, 1);
                tree.count_step();
            }
            If => tree.begin_if(
                &mut self.builder,
                selector::make_non_zero_cond(self.random_bits),
                none,
            ),
            Else => tree.begin_else(&mut self.builder),
            EndIf => tree.end_if(&mut self.builder),
            Loop(rounds) => self.emit_loop_begin(tree, rounds),
            EndLoop => {
                if tree.end_loop_body(&mut self.builder).is_some() {
                    tree.end_loop(&mut self.builder, None);
                }
            }
            Label(_) => {}
            Push => {
                let value = (Src::from_register(self.trace), Type::U32);
                tree.emit_push(&mut self.builder, value);
            }
            Pop => {
                let value = tree.emit_pop(&mut self.builder);
                selector::emit_op(&mut self.builder, self.trace, Op::Mov, &[value]);
            }
            Break(when) | Continue(when) | Branch(_, when) | Call(_, when) | Return(when) => {
                let cond = self.make_cond(tree, when);
                let builder = &mut self.builder;
                match line {
                    Break(_) => tree.emit_break(builder, cond, none),
                    Continue(_) => tree.emit_continue(builder, cond, none),
                    Branch(..) => tree.set_branch_condition(cond, none),
                    Call(to, _) => tree.emit_call(builder, cond, (LabelId::new(to), none), none),
                    _ => tree.emit_return(builder, cond, none),
                }
            }
        }
    }
}

fn build_cfg(lines: &[SourceLine]) -> Cfg {
    let mut cfg = Cfg::default();
    let mut open = 0;
    for (position, &line) in (0..).zip(lines) {
        match line {
            If | Loop(_) => open += 1,
            EndIf | EndLoop => open -= 1,
            Label(label) => drop(cfg.add_label(LabelId::new(label), position)),
            Branch(to, when) => {
                let kind = match when {
                    Always => BranchKind::Unconditional,
                    Odd => BranchKind::Conditional,
                };
                cfg.add_branch(LabelId::new(to), kind, position + 1);
            }
            Call(to, _) => cfg.add_call(cfg.current_block(), LabelId::new(to)),
            Return(Always) if open == 0 => cfg.add_return(),
            Push | Pop => cfg.record_address_access(),
            Step | Else | Break(_) | Continue(_) | Return(_) => {}
        }
    }
    cfg.finish(lines.len() as u32);
    cfg
}

fn build_call_graph(lines: &[SourceLine], rules: CallConvention) -> CallGraph {
    build_cfg(lines).build_call_graph(BasicBlockId::default(), rules)
}

fn build_program(
    lines: &[SourceLine],
    rules: CallConvention,
    seed: u32,
    max: Option<u32>,
) -> Program {
    let cfg = build_cfg(lines);
    let graph = cfg.build_call_graph(BasicBlockId::default(), rules);
    let mut maker = TraceProgramBuilder::new();
    let mut tree = TreeBuilder::new(&mut maker.builder, &cfg, &graph);
    let mut bound = None;
    for (id, block) in cfg.blocks() {
        tree.begin_block(&mut maker.builder, id, None);
        if id == graph.entry() {
            maker.emit_initialization(seed);
            bound = maker.make_step_bound(max, StepTest::Loops);
            if !graph.is_simple() {
                tree.end_prologue(&mut maker.builder);
            }
        }
        for number in block.insts() {
            maker.emit_line(&mut tree, number, lines[number]);
        }
    }
    tree.build_routines(&mut maker.builder, bound);
    maker.builder.program
}

/// Compares interpretation and program for some random numbers; returns the last program, if some
/// run ends.
fn compare_with_interpreter(lines: &[SourceLine], rules: CallConvention) -> Option<Program> {
    let mut last = None;
    for seed in 0..6u32 {
        let seed = seed.wrapping_mul(0x9e37_79b9);
        let mut machine = SourceInterpreter {
            lines,
            rules,
            at: 0,
            walk: TraceModel::new(seed),
            stack: Vec::new(),
            loops: Vec::new(),
            overflows: false,
        };
        let Some(expected) = machine.run(2000) else {
            continue;
        };
        // Each group of routines that call each other has a separate stack, so that the skipped
        // calls depend on the groups.
        if machine.overflows && rules.on_overflow == OnStackOverflow::SkipCall {
            continue;
        }
        let program = build_program(lines, rules, seed, None);
        assert_trace(&program, expected, (seed, lines));
        last = Some(program);
    }
    last
}

fn check_equivalence(lines: &[SourceLine], rules: CallConvention) -> Program {
    compare_with_interpreter(lines, rules).expect("some walk ends")
}

#[test]
fn structured_flow_becomes_the_tree_at_once() {
    let lines = [
        Step,
        If,
        Step,
        Else,
        Step,
        Return(Odd),
        EndIf,
        Loop(4),
        Step,
        Continue(Odd),
        Step,
        Break(Odd),
        EndLoop,
        Step,
    ];
    let program = check_equivalence(&lines, RETURN_AT_LABEL);
    assert_eq!((count_loops(&program), count_switches(&program)), (1, 0));
    assert_eq!(program.routines.len(), 1);
}

#[test]
fn code_behind_jumps_is_left_out() {
    let lines = [
        Step,
        If,
        Return(Always),
        Step,
        If,
        Step,
        Else,
        EndIf,
        EndIf,
        Step,
        Loop(3),
        Step,
        Break(Always),
        Loop(2),
        Step,
        EndLoop,
        EndLoop,
        Step,
        Return(Always),
        Step,
    ];
    let program = check_equivalence(&lines, RETURN_AT_LABEL);
    assert_eq!(count_loops(&program), 1);
}

#[test]
fn routines_return_at_the_next_label_or_go_on() {
    let lines = [
        Step,
        Call(0, Always),
        Step,
        Call(1, Odd),
        Step,
        Return(Always),
        Label(0),
        Step,
        Label(1),
        Step,
        Return(Odd),
        Step,
    ];
    let program = check_equivalence(&lines, RETURN_AT_LABEL);
    assert_eq!(program.routines.len(), 3);
    let mut ends = lines.to_vec();
    ends.push(Return(Always));
    assert_eq!(
        check_equivalence(&ends, FALL_THROUGH_AT_LABEL)
            .routines
            .len(),
        3
    );
    // The last routine ends the program for its callers.
    assert_eq!(
        check_equivalence(&lines, FALL_THROUGH_AT_LABEL)
            .routines
            .len(),
        1
    );
}

/// Checks the order of routines if calls of label 1 are found before calls of label 0, which
/// precedes it in the program.
#[test]
fn routines_have_the_order_of_the_program() {
    let lines = [
        Label(0),
        Step,
        Return(Always),
        Label(1),
        Step,
        Step,
        Call(0, Always),
        Return(Always),
    ];
    let mut called = vec![Step, Call(1, Always), Call(0, Always), Return(Always)];
    called.extend(lines);
    let program = check_equivalence(&called, RETURN_AT_LABEL);
    let size = |node: &Node| match node {
        Node::Run { len, .. } => *len,
        _ => 0,
    };
    let bodies = (program.routines.ids()).map(|routine| program.routines[routine].body);
    let sizes: Vec<u32> = bodies
        .map(|body| program.block_nodes(body).iter().map(size).sum())
        .collect();
    assert_eq!(sizes.len(), 3);
    assert!(sizes[1] < sizes[2], "{sizes:?}");
}

#[test]
fn what_nothing_reaches_is_left_out() {
    let lines = [
        Step,
        Call(1, Always),
        Return(Always),
        Label(0),
        Step,
        Call(0, Always),
        Return(Always),
        Label(1),
        Step,
        Return(Always),
    ];
    let graph = build_call_graph(&lines, RETURN_AT_LABEL);
    let reached: Vec<bool> = (0..3)
        .map(|block| graph.is_reachable(BasicBlockId::new(block)))
        .collect();
    assert_eq!(reached, [true, false, true]);
    assert_eq!(graph.group_count(), 0);
    assert_eq!(check_equivalence(&lines, RETURN_AT_LABEL).routines.len(), 2);
}

#[test]
fn groups_are_those_that_call_each_other() {
    // Labels 0 and 1 call each other, 2 itself, 3 nothing.
    let lines = [
        Step,
        Call(0, Always),
        Call(2, Odd),
        Call(3, Always),
        Return(Always),
        Label(0),
        Step,
        Call(1, Odd),
        Label(1),
        Step,
        Call(0, Odd),
        Call(3, Odd),
        Label(2),
        Step,
        Call(2, Odd),
        Step,
        Label(3),
        Step,
    ];
    let (cfg, graph) = (build_cfg(&lines), build_call_graph(&lines, RETURN_AT_LABEL));
    let group = |label: usize| graph.find_group(cfg.find_label(LabelId::new(label)).unwrap());
    assert_eq!(group(0), group(1));
    assert!(group(0).is_some() && group(2).is_some() && group(0) != group(2));
    assert_eq!((group(3), graph.find_group(graph.entry())), (None, None));
    assert_eq!((graph.group_count(), graph.max_call_depth()), (2, 3));
    check_equivalence(&lines, RETURN_AT_LABEL);
    // Both functions of a group are called from outside.
    let mut lines = lines.to_vec();
    lines.insert(1, Call(1, Odd));
    check_equivalence(&lines, RETURN_AT_LABEL);
}

#[test]
fn calls_beyond_the_stack_are_skipped_or_end_the_program() {
    let lines = [
        Step,
        Call(0, Always),
        Step,
        Return(Always),
        Label(0),
        Step,
        Call(0, Always),
        Step,
        Return(Always),
    ];
    // All calls inside the group fit except the last: 1 + 6 routines run, and each continues after
    // its call.
    let mut expected = 0u32;
    let mut note = |line: u32| expected = expected.wrapping_mul(31).wrapping_add(line);
    note(1);
    (0..7).for_each(|_| note(6));
    (0..7).for_each(|_| note(8));
    note(3);
    assert_eq!(
        compute_trace(&build_program(&lines, RETURN_AT_LABEL, 1, None)),
        expected
    );
    check_equivalence(&lines, FALL_THROUGH_AT_LABEL);
}

#[test]
fn loops_go_on_behind_calls_that_run_them_anew() {
    let lines = [
        Step,
        Call(0, Always),
        Step,
        Return(Always),
        Label(0),
        Step,
        Loop(1),
        Step,
        Loop(2),
        Step,
        If,
        Step,
        Call(0, Odd),
        EndIf,
        Step,
        EndLoop,
        EndLoop,
        Step,
        Return(Always),
    ];
    check_equivalence(&lines, RETURN_AT_LABEL);
    check_equivalence(&lines, FALL_THROUGH_AT_LABEL);
}

#[test]
fn main_can_call_itself() {
    let lines = [
        Label(0),
        Step,
        If,
        Step,
        Call(0, Odd),
        Step,
        EndIf,
        Step,
        Return(Always),
    ];
    check_equivalence(&lines, FALL_THROUGH_AT_LABEL);
    check_equivalence(&lines, RETURN_AT_LABEL);
}

#[test]
fn free_branches_become_loops_and_switches() {
    let lines = [
        Step,
        Branch(1, Odd),
        Label(0),
        Step,
        Branch(2, Odd),
        Label(1),
        Step,
        Call(3, Odd),
        Branch(0, Odd),
        Label(2),
        Step,
        Return(Always),
        Label(3),
        Step,
        Branch(4, Odd),
        Step,
        Label(4),
        Return(Always),
    ];
    let program = check_equivalence(&lines, FALL_THROUGH_AT_LABEL);
    assert!(count_loops(&program) > 0);
    assert_eq!(program.routines.len(), 2);
}

#[test]
fn addresses_share_the_stack_with_calls() {
    let lines = [
        Step,
        Push,
        Step,
        Call(0, Odd),
        Step,
        Push,
        Pop,
        Pop,
        Step,
        Return(Always),
        Label(0),
        Push,
        Step,
        Pop,
        Return(Odd),
        Pop,
    ];
    check_equivalence(&lines, FALL_THROUGH_AT_LABEL);
    check_equivalence(&[Step, Pop, Step], FALL_THROUGH_AT_LABEL);
    check_equivalence(
        &[Push, Push, Step, Push, Push, Step, Push, Step],
        FALL_THROUGH_AT_LABEL,
    );
}

#[test]
fn cycles_end_at_the_bound() {
    let lines = [Label(0), Step, Branch(0, Always)];
    assert!(build_call_graph(&lines, FALL_THROUGH_AT_LABEL).has_cycles());
    compute_trace(&build_program(&lines, FALL_THROUGH_AT_LABEL, 1, Some(1000)));
}

/// Checks unmatched constructs, which the rules of languages report.
#[test]
fn ends_without_beginnings_and_unknown_labels_are_ignored() {
    let program = build_program(
        &[EndIf, If, Call(7, Always), Else, Loop(1)],
        RETURN_AT_LABEL,
        1,
        None,
    );
    assert_eq!((program.routines.len(), count_loops(&program)), (1, 1));
}

#[test]
fn labels_and_branches_begin_basic_blocks() {
    let lines = [
        Step,
        If,
        Step,
        EndIf,
        Branch(0, Odd),
        Step,
        Return(Always),
        Label(1),
        Label(0),
        Step,
        Branch(0, Always),
    ];
    let mut cfg = build_cfg(&lines);
    let blocks: Vec<_> = cfg.blocks().map(|(_, it)| (it.insts(), it.label)).collect();
    let label = |label| Some(LabelId::new(label));
    let expected = [
        (0..5, None),
        (5..7, None),
        (7..8, label(1)),
        (8..11, label(0)),
        (11..11, None),
    ];
    assert_eq!(blocks, expected);
    let successors = |block: usize, convention: CallConvention| -> Vec<basic_blocks::Successor> {
        let block = BasicBlockId::new(block);
        cfg.successors(block, convention.at_label).collect()
    };
    let block = |block| basic_blocks::Successor::Block(BasicBlockId::new(block));
    assert_eq!(successors(0, RETURN_AT_LABEL), [block(1), block(3)]);
    assert_eq!(
        successors(1, FALL_THROUGH_AT_LABEL),
        [basic_blocks::Successor::Caller]
    );
    assert_eq!(
        successors(2, RETURN_AT_LABEL),
        [basic_blocks::Successor::Caller]
    );
    assert_eq!(successors(2, FALL_THROUGH_AT_LABEL), [block(3)]);
    assert_eq!(successors(3, FALL_THROUGH_AT_LABEL), [block(3)]);
    assert_eq!(
        successors(4, RETURN_AT_LABEL),
        [basic_blocks::Successor::Caller]
    );
    assert_eq!(
        successors(4, FALL_THROUGH_AT_LABEL),
        [basic_blocks::Successor::Exit]
    );
    // A label that is defined again begins another block.
    let again = cfg.add_label(LabelId::new(0), 11);
    assert_eq!(again, Some(BasicBlockId::new(3)));
    assert_eq!(cfg.find_label(LabelId::new(0)), Some(cfg.current_block()));
    cfg.clear();
    assert_eq!((cfg.blocks().count(), cfg.labels().count()), (1, 0));
}

impl Random {
    fn draw_when(&mut self) -> BranchWhen {
        [Odd, Odd, Odd, Always][self.draw_below(4)]
    }
}

/// Returns lines with blocks of limited depth.
fn generate_structured(
    random: &mut Random,
    lines: &mut Vec<SourceLine>,
    labels: usize,
    depth: usize,
    loops: usize,
) {
    for _ in 0..1 + random.draw_below(4) {
        lines.push(Step);
        match random.draw_below(8) {
            0 if depth > 0 => {
                lines.push(If);
                generate_structured(random, lines, labels, depth - 1, loops);
                if random.draw_below(2) == 0 {
                    lines.push(Else);
                    generate_structured(random, lines, labels, depth - 1, loops);
                }
                lines.push(EndIf);
            }
            1 if depth > 0 => {
                lines.push(Loop(random.draw_below(3) as u32));
                generate_structured(random, lines, labels, depth - 1, loops + 1);
                lines.push(EndLoop);
            }
            2 if loops > 0 => lines.push(Break(random.draw_when())),
            3 if loops > 0 => lines.push(Continue(random.draw_when())),
            4 => lines.push(Return(random.draw_when())),
            5 | 6 => lines.push(Call(random.draw_below(labels), random.draw_when())),
            _ => {}
        }
    }
}

#[test]
fn random_routines_run_like_the_text() {
    let mut random = Random::new(3);
    let mut compared = 0;
    for round in 0..600 {
        let labels = 1 + random.draw_below(4);
        let mut lines = Vec::new();
        generate_structured(&mut random, &mut lines, labels, 2, 0);
        for label in 0..labels {
            lines.push(Label(label));
            generate_structured(&mut random, &mut lines, labels, 2, 0);
        }
        let rules = [RETURN_AT_LABEL, FALL_THROUGH_AT_LABEL][round % 2];
        compared += usize::from(compare_with_interpreter(&lines, rules).is_some());
    }
    assert!(
        compared > 300,
        "only {compared} programs have walks that end"
    );
}

#[test]
fn random_branches_run_like_the_text() {
    let mut random = Random::new(5);
    let mut compared = 0;
    for round in 0..600 {
        let labels = 1 + random.draw_below(6);
        let mut lines = vec![Step];
        for label in 0..labels {
            for _ in 0..random.draw_below(4) {
                let when = random.draw_when();
                lines.push(
                    match random.draw_below(if round % 3 == 0 { 7 } else { 5 }) {
                        0 => Branch(random.draw_below(labels), when),
                        1 => Call(random.draw_below(labels), when),
                        2 => Return(when),
                        5 => Push,
                        6 => Pop,
                        _ => Step,
                    },
                );
                lines.push(Step);
            }
            lines.push(Label(label));
            lines.push(Step);
        }
        compared += usize::from(compare_with_interpreter(&lines, FALL_THROUGH_AT_LABEL).is_some());
    }
    assert!(
        compared > 300,
        "only {compared} programs have walks that end"
    );
}
