//! Control flow. Loops count up to a small number, which they test first, so all of them terminate.

use super::generator::Generator;
use super::patch_outputs::Allowed;
use crate::inst::{Cond, Dst, Src, WriteMask};
use crate::op::Op;
use crate::program::{Case, Node, RegisterId, Switch};
use crate::span::Span;
use crate::types::Type;

/// Maximum nesting depth of loops.
pub(super) const MAX_LOOPS: usize = 2;
/// Maximum nesting depth of blocks.
const MAX_DEPTH: usize = 4;

/// A kind of statement.
#[derive(Clone, Copy)]
enum Kind {
    Branch,
    Loop,
    Switch,
    Call,
    Leave,
    Exchange,
    Vertex,
    Computation,
}

/// Frequency of each kind among [`OFTEN`] statements.
const COMPUTING: &[(Kind, usize)] = &[
    (Kind::Branch, 3),
    (Kind::Loop, 1),
    (Kind::Switch, 1),
    (Kind::Call, 1),
    (Kind::Leave, 1),
    (Kind::Computation, 13),
];
/// Frequencies for programs whose invocations communicate: control flow is relevant there.
const EXCHANGING: &[(Kind, usize)] = &[
    (Kind::Branch, 4),
    (Kind::Loop, 2),
    (Kind::Switch, 2),
    (Kind::Call, 1),
    (Kind::Leave, 3),
    (Kind::Exchange, 7),
    (Kind::Computation, 1),
];
/// Frequencies for programs that read and emit vertices.
const OF_VERTICES: &[(Kind, usize)] = &[
    (Kind::Branch, 3),
    (Kind::Loop, 1),
    (Kind::Switch, 1),
    (Kind::Call, 1),
    (Kind::Leave, 1),
    (Kind::Vertex, 8),
    (Kind::Computation, 5),
];
const OFTEN: usize = 20;

/// Routine that contains a statement.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum RoutineRole {
    /// The main routine.
    Main,
    /// A subroutine.
    Subroutine,
}

/// Context of a block.
#[derive(Clone, Copy)]
struct Around {
    place: RoutineRole,
    depth: usize,
    /// The innermost loop or switch.
    nearest: Nearest,
    /// Outputs that invocations may exchange.
    allowed: Allowed,
}

#[derive(Clone, Copy, PartialEq)]
enum Nearest {
    None,
    Loop,
    Switch,
}

impl Generator {
    /// Generates statements with about `budget` instructions.
    pub(super) fn generate_statements(
        &mut self,
        budget: u32,
        place: RoutineRole,
        allowed: Allowed,
    ) {
        self.generate_sequence(
            budget,
            Around {
                place,
                depth: 0,
                nearest: Nearest::None,
                allowed,
            },
        );
    }

    fn generate_sequence(&mut self, budget: u32, around: Around) {
        let end = self.budget.saturating_sub(budget);
        while self.budget > end {
            self.generate_statement(around, self.budget - end);
        }
    }

    fn generate_statement(&mut self, around: Around, budget: u32) {
        let options = self.options;
        let deeper = around.depth < MAX_DEPTH && budget >= 4;
        match self.pick_kind() {
            Kind::Branch if options.branches && deeper => self.generate_branch(around, budget),
            Kind::Loop if options.loops && deeper && self.loops < MAX_LOOPS => {
                self.generate_loop(around, budget);
            }
            Kind::Switch if options.switches && deeper => self.generate_switch(around, budget),
            Kind::Call if !self.callable.is_empty() && self.loops == 0 => {
                self.generate_call(around)
            }
            Kind::Leave if options.branches && deeper => self.generate_exit(around),
            Kind::Exchange => self.generate_exchange(around.allowed),
            Kind::Vertex => self.generate_vertex_statement(),
            Kind::Branch
            | Kind::Loop
            | Kind::Switch
            | Kind::Call
            | Kind::Leave
            | Kind::Computation => self.generate_computation(),
        }
    }

    fn pick_kind(&mut self) -> Kind {
        let kinds = match (&self.pools.exchange, &self.pools.vertices) {
            (Some(_), _) => EXCHANGING,
            (None, Some(_)) => OF_VERTICES,
            (None, None) => COMPUTING,
        };
        let mut drawn = self.random.draw_below(OFTEN);
        let mut kinds = kinds.iter();
        let kind = kinds.find(|(_, often)| {
            let found = drawn < *often;
            drawn = drawn.saturating_sub(*often);
            found
        });
        kind.map_or(Kind::Computation, |(kind, _)| *kind)
    }

    /// Generates a separate block and returns it.
    fn generate_block(&mut self, budget: u32, around: Around) -> crate::program::BlockId {
        self.builder.open_block();
        self.generate_sequence(
            budget,
            Around {
                depth: around.depth + 1,
                ..around
            },
        );
        self.builder.close_block()
    }

    fn pick_cond(&mut self) -> Cond {
        if self.options.conditions && self.random.draw_percent(60) {
            return Cond::Any(self.pick_guard());
        }
        let lane = self.random.draw_below(4) as u8;
        if self.options.float && self.random.draw_percent(30) {
            return Cond::NonZero(self.random.pick(&self.pools.float), lane, Type::F32);
        }
        let scratch = self.pools.scratch;
        self.emit_small_number(scratch, 2);
        Cond::NonZero(scratch, 0, Type::U32)
    }

    fn generate_branch(&mut self, around: Around, budget: u32) {
        let (cond, allowed) = self.pick_branch_cond(around.allowed, 2);
        let part = 1 + budget / 3;
        let group = |number: usize| Around {
            allowed: allowed[number],
            ..around
        };
        let then = self.generate_block(part, group(0));
        let otherwise = if self.random.draw_percent(50) {
            Some(self.generate_block(part, group(1)))
        } else {
            None
        };
        self.builder.branch(cond, then, otherwise, Span::new(1, 2));
    }

    /// Returns the condition of a branch, and the outputs that each of its groups may exchange.
    fn pick_branch_cond(&mut self, allowed: Allowed, groups: usize) -> (Cond, Vec<Allowed>) {
        if let Some((register, lane)) = self.pick_same_lane() {
            let cond = Cond::NonZero(register, lane, Type::U32);
            return (cond, vec![allowed; groups]);
        }
        (self.pick_cond(), self.split_outputs(allowed, groups))
    }

    fn generate_loop(&mut self, around: Around, budget: u32) {
        let counter = self.pools.counters[self.loops];
        let (zero, one) = (self.add_literal(0), self.add_literal(1));
        let rounds = 1 + self.random.draw_below(4) as u64;
        let rounds = self.add_literal(rounds);
        let x = Dst::new(counter, WriteMask::X);
        self.emit(Op::Mov, Type::S32, x, &[zero]);
        self.loops += 1;
        self.builder.open_block();
        let done = self.pools.scratch;
        let test = Dst::new(done, WriteMask::X);
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
            Cond::NonZero(done, 0, Type::S32),
            leave,
            None,
            Span::default(),
        );
        self.generate_sequence(
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

    fn generate_switch(&mut self, around: Around, budget: u32) {
        let around = Around {
            nearest: Nearest::Switch,
            ..around
        };
        let part = 1 + budget / 4;
        let (selector, shares) = self.pick_selector(around.allowed);
        let group = |number: usize| Around {
            allowed: shares[number],
            ..around
        };
        let cases = vec![
            Case {
                values: vec![0],
                block: self.generate_block(part, group(0)),
            },
            Case {
                values: vec![3, 1],
                block: self.generate_block(part, group(1)),
            },
        ];
        let default = if self.random.draw_percent(50) {
            Some(self.generate_block(part, group(2)))
        } else {
            None
        };
        let switch = Switch {
            selector,
            cases,
            default,
            span: Span::new(4, 8),
        };
        let switch = self.builder.program.switches.push(switch);
        self.builder.node(Node::Switch(switch));
    }

    /// Returns the selector of a switch, and the outputs that each of its three ways may exchange.
    fn pick_selector(&mut self, allowed: Allowed) -> ((RegisterId, u8), Vec<Allowed>) {
        if let Some(same) = self.pick_same_lane() {
            return (same, vec![allowed; 3]);
        }
        let scratch = self.pools.scratch;
        self.emit_small_number(scratch, 4);
        ((scratch, 0), self.split_outputs(allowed, 3))
    }

    fn generate_call(&mut self, around: Around) {
        let (routine, exchanged) = self.random.pick(&self.callable);
        if exchanged & !around.allowed != 0 {
            return self.generate_computation();
        }
        self.budget = self.budget.saturating_sub(1);
        self.builder.node(Node::Call(routine, Span::default()));
    }

    /// Generates a conditional `Break`, `Continue` or `Return`.
    fn generate_exit(&mut self, around: Around) {
        let mut choices = Vec::new();
        if around.nearest != Nearest::None {
            choices.push(Node::Break);
        }
        if self.loops > 0 {
            choices.push(Node::Continue);
        }
        let early = match self.pools.exchange {
            Some(_) => 30,
            None => 5,
        };
        if around.place == RoutineRole::Subroutine
            || self.random.draw_percent(early) && self.may_return()
        {
            choices.push(Node::Return);
        }
        if choices.is_empty() {
            return self.generate_computation();
        }
        let node = self.random.pick(&choices);
        let (cond, _) = self.pick_branch_cond(around.allowed, 1);
        self.builder.open_block();
        self.builder.node(node);
        let then = self.builder.close_block();
        self.builder.branch(cond, then, None, Span::default());
        self.budget = self.budget.saturating_sub(1);
    }

    /// Returns true if main may end early: the results are outputs, which have initial values.
    fn may_return(&self) -> bool {
        !self.builder.program.outputs.is_empty()
    }
}
