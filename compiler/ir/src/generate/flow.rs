//! Control flow. Loops count up to a small number and test it first, so all of them end.

use super::Generator;
use crate::inst::{Cond, Dst, Src, WriteMask};
use crate::op::Op;
use crate::program::{Case, Node, Switch};
use crate::span::Span;
use crate::types::Type;

/// How deep loops are nested.
pub(super) const MAX_LOOPS: usize = 2;
/// How deep blocks are nested.
const MAX_DEPTH: usize = 4;

/// Where statements stand.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum RoutineRole {
    /// In the main routine.
    Main,
    /// In a subroutine.
    Subroutine,
}

/// What surrounds a block.
#[derive(Clone, Copy)]
struct Around {
    place: RoutineRole,
    depth: usize,
    /// The nearest loop or switch.
    nearest: Nearest,
}

#[derive(Clone, Copy, PartialEq)]
enum Nearest {
    None,
    Loop,
    Switch,
}

impl Generator {
    /// Statements with about `budget` instructions.
    pub(super) fn statements(&mut self, budget: u32, place: RoutineRole) {
        self.sequence(
            budget,
            Around {
                place,
                depth: 0,
                nearest: Nearest::None,
            },
        );
    }

    fn sequence(&mut self, budget: u32, around: Around) {
        let end = self.budget.saturating_sub(budget);
        while self.budget > end {
            self.statement(around, self.budget - end);
        }
    }

    fn statement(&mut self, around: Around, budget: u32) {
        let options = self.options;
        let deeper = around.depth < MAX_DEPTH && budget >= 4;
        match self.random.below(20) {
            0..=2 if options.branches && deeper => self.branch(around, budget),
            3 if options.loops && deeper && self.loops < MAX_LOOPS => self.repeat(around, budget),
            4 if options.switches && deeper => self.switch(around, budget),
            5 if !self.callable.is_empty() && self.loops == 0 => self.call(),
            6 if options.branches && deeper => self.leave(around),
            _ => self.computation(),
        }
    }

    /// A block of its own.
    fn inner(&mut self, budget: u32, around: Around) -> crate::program::BlockId {
        self.builder.open_block();
        self.sequence(
            budget,
            Around {
                depth: around.depth + 1,
                ..around
            },
        );
        self.builder.close_block()
    }

    fn cond(&mut self) -> Cond {
        if self.options.conditions && self.random.percent(60) {
            return Cond::Any(self.guard());
        }
        let lane = self.random.below(4) as u8;
        if self.options.float && self.random.percent(30) {
            return Cond::NonZero(self.random.pick(&self.pools.float), lane, Type::F32);
        }
        let scratch = self.pools.scratch;
        self.small_number(scratch, 2);
        Cond::NonZero(scratch, 0, Type::U32)
    }

    fn branch(&mut self, around: Around, budget: u32) {
        let cond = self.cond();
        let part = 1 + budget / 3;
        let then = self.inner(part, around);
        let otherwise = if self.random.percent(50) {
            Some(self.inner(part, around))
        } else {
            None
        };
        self.builder.branch(cond, then, otherwise, Span::new(1, 2));
    }

    fn repeat(&mut self, around: Around, budget: u32) {
        let counter = self.pools.counters[self.loops];
        let (zero, one) = (self.literal(0), self.literal(1));
        let rounds = 1 + self.random.below(4) as u64;
        let rounds = self.literal(rounds);
        let x = Dst::new(counter, WriteMask::X);
        self.emit(Op::Mov, Type::S32, x, &[zero]);
        self.loops += 1;
        self.builder.open_block();
        let test = Dst::new(self.pools.scratch, WriteMask::X);
        self.emit(
            Op::SetGe,
            Type::S32,
            test,
            &[Src::register(counter), rounds],
        );
        self.builder.open_block();
        self.builder.node(Node::Break);
        let leave = self.builder.close_block();
        self.builder.branch(
            Cond::NonZero(self.pools.scratch, 0, Type::S32),
            leave,
            None,
            Span::default(),
        );
        self.sequence(
            1 + budget / 2,
            Around {
                depth: around.depth + 1,
                nearest: Nearest::Loop,
                ..around
            },
        );
        let body = self.builder.close_block();
        self.builder.open_block();
        self.emit(Op::Add, Type::S32, x, &[Src::register(counter), one]);
        let continuing = Some(self.builder.close_block());
        self.loops -= 1;
        self.builder.node(Node::Loop {
            body,
            continuing,
            span: Span::new(3, 9),
        });
    }

    fn switch(&mut self, around: Around, budget: u32) {
        let scratch = self.pools.scratch;
        self.small_number(scratch, 4);
        let around = Around {
            nearest: Nearest::Switch,
            ..around
        };
        let part = 1 + budget / 4;
        let cases = vec![
            Case {
                values: vec![0],
                block: self.inner(part, around),
            },
            Case {
                values: vec![3, 1],
                block: self.inner(part, around),
            },
        ];
        let default = if self.random.percent(50) {
            Some(self.inner(part, around))
        } else {
            None
        };
        let switch = Switch {
            selector: (scratch, 0),
            cases,
            default,
            span: Span::new(4, 8),
        };
        let switch = self.builder.program.switches.push(switch);
        self.builder.node(Node::Switch(switch));
    }

    fn call(&mut self) {
        let routine = self.random.pick(&self.callable);
        self.budget = self.budget.saturating_sub(1);
        self.builder.node(Node::Call(routine, Span::default()));
    }

    /// A conditional `Break`, `Continue` or `Return`.
    fn leave(&mut self, around: Around) {
        let mut choices = Vec::new();
        if around.nearest != Nearest::None {
            choices.push(Node::Break);
        }
        if self.loops > 0 {
            choices.push(Node::Continue);
        }
        if around.place == RoutineRole::Subroutine || self.random.percent(5) && self.may_return() {
            choices.push(Node::Return);
        }
        if choices.is_empty() {
            return self.computation();
        }
        let node = self.random.pick(&choices);
        let cond = self.cond();
        self.builder.open_block();
        self.builder.node(node);
        let then = self.builder.close_block();
        self.builder.branch(cond, then, None, Span::default());
        self.budget = self.budget.saturating_sub(1);
    }

    /// Whether main may end early: where the results are outputs, which have values from the start.
    fn may_return(&self) -> bool {
        !self.builder.program.outputs.is_empty()
    }
}
