//! Tests with programs of a small language, written by hand and random ones: the built routines
//! must be equivalent to a direct interpretation of the lines.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "most lines are of no concern to most walks"
)]

use super::*;
use crate::arena::Id;
use crate::generate::random::Random;
use crate::inst::{Cond, Src, WriteMask};
use crate::op::Op;
use crate::program::{Node, Program};
use crate::span::Span;
use crate::structurize::{StepTest, code};
use crate::traces::{Maker, Walk, assert_trace, compute_trace, count_loops, count_switches};
use crate::types::Type;

/// Condition: always, or if the last random number is odd.
#[derive(Clone, Copy, PartialEq, Debug)]
enum When {
    Always,
    Odd,
}
use When::{Always, Odd};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Line {
    /// Records the position in the trace and draws a random number.
    Step,
    If,
    Else,
    EndIf,
    /// Number of iterations.
    Loop(u32),
    EndLoop,
    Break(When),
    Continue(When),
    Label(usize),
    Branch(usize, When),
    Call(usize, When),
    Return(When),
    /// Pushes the trace on the stack.
    Push,
    Pop,
}
use Line::*;

const TYPED: CallConvention = CallConvention {
    depth: 6,
    overflow: OnStackOverflow::SkipCall,
    at_label: AtLabel::Return,
};
const FREE: CallConvention = CallConvention {
    depth: 4,
    overflow: OnStackOverflow::EndProgram,
    at_label: AtLabel::FallThrough,
};

// The direct interpretation.

/// Entry of the call stack.
enum Entry {
    Return(usize, Vec<(usize, u32)>),
    Address(u32),
}

struct Machine<'l> {
    lines: &'l [Line],
    rules: CallConvention,
    at: usize,
    walk: Walk,
    stack: Vec<Entry>,
    /// Open loops with the number of remaining iterations.
    loops: Vec<(usize, u32)>,
    /// True if a call found the stack full.
    overflows: bool,
}

impl Machine<'_> {
    fn run(&mut self, limit: usize) -> Option<u32> {
        for _ in 0..limit {
            let Some(&line) = self.lines.get(self.at) else {
                let ended = self.rules.at_label == AtLabel::FallThrough || !self.ret();
                if ended {
                    return Some(self.walk.trace);
                }
                continue;
            };
            self.at += 1;
            if !self.line(line) {
                return Some(self.walk.trace);
            }
        }
        None
    }

    fn odd(&self) -> bool {
        self.walk.get_drawn() & 1 == 1
    }

    fn holds(&self, when: When) -> bool {
        when == Always || self.odd()
    }

    /// Skips to the line after the end of the current block, or to its else part.
    fn skip(&mut self, stop_at_else: bool) {
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
    fn go_to_loop_end(&mut self) {
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

    fn next_round(&mut self) {
        let last = self.loops.len() - 1;
        let (start, left) = &mut self.loops[last];
        self.at = *start;
        if *left == 0 {
            self.loops.pop();
            self.skip(false);
        } else {
            *left -= 1;
        }
    }

    fn ret(&mut self) -> bool {
        match self.stack.pop() {
            Some(Entry::Return(at, loops)) => {
                (self.at, self.loops) = (at, loops);
                true
            }
            _ => false,
        }
    }

    fn go(&mut self, label: usize) {
        let found = self.lines.iter().position(|line| *line == Label(label));
        self.at = found.expect("the label is there") + 1;
    }

    fn is_full(&mut self) -> bool {
        let full = self.stack.len() >= self.rules.depth as usize;
        self.overflows |= full;
        full
    }

    fn line(&mut self, line: Line) -> bool {
        match line {
            Step => self.walk.step(self.at as u32),
            If if self.odd() => {}
            If => self.skip(true),
            Else => self.skip(false),
            EndIf => {}
            Loop(rounds) => {
                self.loops.push((self.at, rounds));
                self.next_round();
            }
            EndLoop => self.next_round(),
            Break(when) if self.holds(when) => {
                self.go_to_loop_end();
                self.at += 1;
                self.loops.pop();
            }
            Continue(when) if self.holds(when) => self.go_to_loop_end(),
            Branch(label, when) if self.holds(when) => self.go(label),
            Call(label, when) if self.holds(when) => {
                if self.is_full() {
                    return self.rules.overflow == OnStackOverflow::SkipCall;
                }
                let loops = std::mem::take(&mut self.loops);
                self.stack.push(Entry::Return(self.at, loops));
                self.go(label);
            }
            Return(when) if self.holds(when) => return self.ret(),
            Label(_) if self.rules.at_label == AtLabel::Return => return self.ret(),
            Push if self.is_full() => return false,
            Push => self.stack.push(Entry::Address(self.walk.trace)),
            Pop => match self.stack.pop() {
                Some(Entry::Address(trace)) => self.walk.trace = trace,
                _ => return false,
            },
            Break(_) | Continue(_) | Branch(..) | Call(..) | Return(_) | Label(_) => {}
        }
        true
    }
}

// The tree builder.

impl Maker {
    fn cond(&self, tree: &TreeBuilder<'_>, when: When) -> Option<Cond> {
        let conditional = when == Odd && !tree.is_dead();
        conditional.then(|| code::test_non_zero(self.draw))
    }

    fn begin_loop(&mut self, tree: &mut TreeBuilder<'_>, rounds: u32) {
        let count = code::new_register(&mut self.builder);
        code::emit_set(&mut self.builder, count, rounds);
        let saved = SavedLanes {
            register: count,
            lanes: WriteMask::X,
            ty: Type::U32,
        };
        tree.begin_loop(&mut self.builder, vec![saved], Span::default());
        let done = code::new_register(&mut self.builder);
        self.emit_op(done, Op::SetEq, count, 0);
        let done = Some(code::test_non_zero(done));
        tree.break_loop(&mut self.builder, done, Span::default());
        self.emit_op(count, Op::Sub, count, 1);
    }

    /// Appends a line, which may be dead code.
    fn line(&mut self, tree: &mut TreeBuilder<'_>, number: usize, line: Line) {
        let none = Span::default();
        match line {
            If | Loop(_) if tree.is_dead() => tree.open_dead(),
            Step | Push | Pop if tree.is_dead() => {}
            Step => {
                self.step(number as u32 + 1, 1);
                tree.count_step();
            }
            If => tree.begin_if(&mut self.builder, code::test_non_zero(self.draw), none),
            Else => tree.begin_else(&mut self.builder),
            EndIf => tree.end_if(&mut self.builder),
            Loop(rounds) => self.begin_loop(tree, rounds),
            EndLoop => {
                if tree.end_body(&mut self.builder).is_some() {
                    tree.end_loop(&mut self.builder, None);
                }
            }
            Label(_) => {}
            Push => {
                let value = (Src::register(self.trace), Type::U32);
                tree.push(&mut self.builder, value);
            }
            Pop => {
                let value = tree.pop(&mut self.builder);
                code::emit_op(&mut self.builder, self.trace, Op::Mov, &[value]);
            }
            Break(when) | Continue(when) | Branch(_, when) | Call(_, when) | Return(when) => {
                let cond = self.cond(tree, when);
                let builder = &mut self.builder;
                match line {
                    Break(_) => tree.break_loop(builder, cond, none),
                    Continue(_) => tree.continue_loop(builder, cond, none),
                    Branch(..) => tree.branch(cond, none),
                    Call(to, _) => tree.call(builder, cond, (LabelId::new(to), none), none),
                    _ => tree.ret(builder, cond, none),
                }
            }
        }
    }
}

fn cfg_of(lines: &[Line]) -> Cfg {
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
            Call(to, _) => cfg.add_call(cfg.current(), LabelId::new(to)),
            Return(Always) if open == 0 => cfg.add_return(),
            Push | Pop => cfg.add_saved_address(),
            Step | Else | Break(_) | Continue(_) | Return(_) => {}
        }
    }
    cfg.finish(lines.len() as u32);
    cfg
}

fn analyze(lines: &[Line], rules: CallConvention) -> CallGraph {
    cfg_of(lines).analyze(BasicBlockId::default(), rules)
}

fn program(lines: &[Line], rules: CallConvention, seed: u32, max: Option<u32>) -> Program {
    let cfg = cfg_of(lines);
    let graph = cfg.analyze(BasicBlockId::default(), rules);
    let mut maker = Maker::new();
    let mut tree = TreeBuilder::new(&mut maker.builder, &cfg, &graph);
    let mut bound = None;
    for (id, block) in cfg.blocks() {
        tree.begin_block(&mut maker.builder, id, None);
        if id == graph.entry() {
            maker.begin(seed);
            bound = maker.make_bound(max, StepTest::Rounds);
            if !graph.is_simple() {
                tree.end_prologue(&mut maker.builder);
            }
        }
        for number in block.insts() {
            maker.line(&mut tree, number, lines[number]);
        }
    }
    tree.finish(&mut maker.builder, bound);
    maker.builder.program
}

/// Compares interpretation and program for some random numbers; returns the last program, if some
/// run ends.
fn compare(lines: &[Line], rules: CallConvention) -> Option<Program> {
    let mut last = None;
    for seed in 0..6u32 {
        let seed = seed.wrapping_mul(0x9e37_79b9);
        let mut machine = Machine {
            lines,
            rules,
            at: 0,
            walk: Walk::new(seed),
            stack: Vec::new(),
            loops: Vec::new(),
            overflows: false,
        };
        let Some(expected) = machine.run(2000) else {
            continue;
        };
        // Each group of routines that call each other has a separate stack, so that the skipped
        // calls depend on the groups.
        if machine.overflows && rules.overflow == OnStackOverflow::SkipCall {
            continue;
        }
        let program = program(lines, rules, seed, None);
        assert_trace(&program, expected, (seed, lines));
        last = Some(program);
    }
    last
}

fn check(lines: &[Line], rules: CallConvention) -> Program {
    compare(lines, rules).expect("some walk ends")
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
    let program = check(&lines, TYPED);
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
    let program = check(&lines, TYPED);
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
    let program = check(&lines, TYPED);
    assert_eq!(program.routines.len(), 3);
    let mut ends = lines.to_vec();
    ends.push(Return(Always));
    assert_eq!(check(&ends, FREE).routines.len(), 3);
    // The last routine ends the program for its callers.
    assert_eq!(check(&lines, FREE).routines.len(), 1);
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
    let program = check(&called, TYPED);
    let size = |node: &Node| match node {
        Node::Run { len, .. } => *len,
        _ => 0,
    };
    let bodies = (program.routines.ids()).map(|routine| program.routines[routine].body);
    let sizes: Vec<u32> = bodies
        .map(|body| program.block(body).iter().map(size).sum())
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
    let graph = analyze(&lines, TYPED);
    let reached: Vec<bool> = (0..3)
        .map(|block| graph.is_reached(BasicBlockId::new(block)))
        .collect();
    assert_eq!(reached, [true, false, true]);
    assert_eq!(graph.groups(), 0);
    assert_eq!(check(&lines, TYPED).routines.len(), 2);
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
    let (cfg, graph) = (cfg_of(&lines), analyze(&lines, TYPED));
    let group = |label: usize| graph.group_of(cfg.find_label(LabelId::new(label)).unwrap());
    assert_eq!(group(0), group(1));
    assert!(group(0).is_some() && group(2).is_some() && group(0) != group(2));
    assert_eq!((group(3), graph.group_of(graph.entry())), (None, None));
    assert_eq!((graph.groups(), graph.longest_chain()), (2, 3));
    check(&lines, TYPED);
    // Both functions of a group are called from outside.
    let mut lines = lines.to_vec();
    lines.insert(1, Call(1, Odd));
    check(&lines, TYPED);
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
    assert_eq!(compute_trace(&program(&lines, TYPED, 1, None)), expected);
    check(&lines, FREE);
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
    check(&lines, TYPED);
    check(&lines, FREE);
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
    check(&lines, FREE);
    check(&lines, TYPED);
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
    let program = check(&lines, FREE);
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
    check(&lines, FREE);
    check(&[Step, Pop, Step], FREE);
    check(&[Push, Push, Step, Push, Push, Step, Push, Step], FREE);
}

#[test]
fn cycles_end_at_the_bound() {
    let lines = [Label(0), Step, Branch(0, Always)];
    assert!(analyze(&lines, FREE).repeats());
    compute_trace(&program(&lines, FREE, 1, Some(1000)));
}

/// Checks unmatched constructs, which the rules of languages report.
#[test]
fn ends_without_beginnings_and_unknown_labels_are_ignored() {
    let program = program(&[EndIf, If, Call(7, Always), Else, Loop(1)], TYPED, 1, None);
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
    let mut cfg = cfg_of(&lines);
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
    let successors = |block: usize, convention: CallConvention| -> Vec<cfg::Successor> {
        let block = BasicBlockId::new(block);
        cfg.successors(block, convention.at_label).collect()
    };
    let block = |block| cfg::Successor::Block(BasicBlockId::new(block));
    assert_eq!(successors(0, TYPED), [block(1), block(3)]);
    assert_eq!(successors(1, FREE), [cfg::Successor::Caller]);
    assert_eq!(successors(2, TYPED), [cfg::Successor::Caller]);
    assert_eq!(successors(2, FREE), [block(3)]);
    assert_eq!(successors(3, FREE), [block(3)]);
    assert_eq!(successors(4, TYPED), [cfg::Successor::Caller]);
    assert_eq!(successors(4, FREE), [cfg::Successor::Exit]);
    // A label that is defined again begins another block.
    let again = cfg.add_label(LabelId::new(0), 11);
    assert_eq!(again, Some(BasicBlockId::new(3)));
    assert_eq!(cfg.find_label(LabelId::new(0)), Some(cfg.current()));
    cfg.clear();
    assert_eq!((cfg.blocks().count(), cfg.labels().count()), (1, 0));
}

impl Random {
    fn draw_when(&mut self) -> When {
        [Odd, Odd, Odd, Always][self.draw_below(4)]
    }
}

/// Returns lines with blocks of limited depth.
fn structured(
    random: &mut Random,
    lines: &mut Vec<Line>,
    labels: usize,
    depth: usize,
    loops: usize,
) {
    for _ in 0..1 + random.draw_below(4) {
        lines.push(Step);
        match random.draw_below(8) {
            0 if depth > 0 => {
                lines.push(If);
                structured(random, lines, labels, depth - 1, loops);
                if random.draw_below(2) == 0 {
                    lines.push(Else);
                    structured(random, lines, labels, depth - 1, loops);
                }
                lines.push(EndIf);
            }
            1 if depth > 0 => {
                lines.push(Loop(random.draw_below(3) as u32));
                structured(random, lines, labels, depth - 1, loops + 1);
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
        structured(&mut random, &mut lines, labels, 2, 0);
        for label in 0..labels {
            lines.push(Label(label));
            structured(&mut random, &mut lines, labels, 2, 0);
        }
        let rules = [TYPED, FREE][round % 2];
        compared += usize::from(compare(&lines, rules).is_some());
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
        compared += usize::from(compare(&lines, FREE).is_some());
    }
    assert!(
        compared > 300,
        "only {compared} programs have walks that end"
    );
}
