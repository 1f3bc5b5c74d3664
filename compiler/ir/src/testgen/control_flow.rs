//! Control flow. Loops count up to a small number, which they test first, so all of them terminate.

use super::generator::Generator;
use super::patch_outputs::OutputSet;
use crate::inst::{Cond, Dst, Src, WriteMask};
use crate::op::Op;
use crate::program::{Case, Node, RegisterId, Switch};
use crate::span::Span;
use crate::types::Type;

/// Maximum nesting depth of loops.
pub(super) const MAX_LOOP_DEPTH: usize = 2;
/// Maximum nesting depth of blocks.
const MAX_BLOCK_DEPTH: usize = 4;

/// A kind of statement.
#[derive(Clone, Copy)]
enum StatementKind {
    Branch,
    Loop,
    Switch,
    Call,
    Exit,
    Exchange,
    Vertex,
    Computation,
}

/// Frequency of each kind among [`FREQUENCY_SUM`] statements.
const COMPUTE_FREQUENCIES: &[(StatementKind, usize)] = &[
    (StatementKind::Branch, 3),
    (StatementKind::Loop, 1),
    (StatementKind::Switch, 1),
    (StatementKind::Call, 1),
    (StatementKind::Exit, 1),
    (StatementKind::Computation, 13),
];
/// Frequencies for programs whose invocations communicate: control flow is relevant there.
const EXCHANGE_FREQUENCIES: &[(StatementKind, usize)] = &[
    (StatementKind::Branch, 4),
    (StatementKind::Loop, 2),
    (StatementKind::Switch, 2),
    (StatementKind::Call, 1),
    (StatementKind::Exit, 3),
    (StatementKind::Exchange, 7),
    (StatementKind::Computation, 1),
];
/// Frequencies for programs that read and emit vertices.
const VERTEX_FREQUENCIES: &[(StatementKind, usize)] = &[
    (StatementKind::Branch, 3),
    (StatementKind::Loop, 1),
    (StatementKind::Switch, 1),
    (StatementKind::Call, 1),
    (StatementKind::Exit, 1),
    (StatementKind::Vertex, 8),
    (StatementKind::Computation, 5),
];
const FREQUENCY_SUM: usize = 20;

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
struct StatementContext {
    role: RoutineRole,
    depth: usize,
    /// The innermost loop or switch.
    innermost: InnermostScope,
    /// Outputs that invocations may exchange.
    exchangeable: OutputSet,
}

#[derive(Clone, Copy, PartialEq)]
enum InnermostScope {
    None,
    Loop,
    Switch,
}

impl Generator {
    /// Generates the statements of a routine, about `budget` instructions, which may exchange the
    /// outputs `allowed`.
    pub(super) fn generate_statements(
        &mut self,
        budget: u32,
        role: RoutineRole,
        allowed: OutputSet,
    ) {
        self.generate_sequence(
            budget,
            StatementContext {
                role,
                depth: 0,
                innermost: InnermostScope::None,
                exchangeable: allowed,
            },
        );
    }

    /// Generates statements until they have used about `budget` instructions of the remaining
    /// budget.
    fn generate_sequence(&mut self, budget: u32, context: StatementContext) {
        let end = self.budget.saturating_sub(budget);
        while self.budget > end {
            self.generate_statement(context, self.budget - end);
        }
    }

    /// Generates a statement of a random kind, of at most `budget` instructions; a computation if
    /// the options or the nesting depth do not allow that kind.
    fn generate_statement(&mut self, context: StatementContext, budget: u32) {
        let options = self.options;
        let deeper = context.depth < MAX_BLOCK_DEPTH && budget >= 4;
        match self.pick_kind() {
            StatementKind::Branch if options.branches && deeper => {
                self.generate_branch(context, budget)
            }
            StatementKind::Loop if options.loops && deeper && self.loop_depth < MAX_LOOP_DEPTH => {
                self.generate_loop(context, budget);
            }
            StatementKind::Switch if options.switches && deeper => {
                self.generate_switch(context, budget)
            }
            StatementKind::Call if !self.callable.is_empty() && self.loop_depth == 0 => {
                self.generate_call(context)
            }
            StatementKind::Exit if options.branches && deeper => self.generate_exit(context),
            StatementKind::Exchange => self.generate_exchange(context.exchangeable),
            StatementKind::Vertex => self.generate_vertex_statement(),
            StatementKind::Branch
            | StatementKind::Loop
            | StatementKind::Switch
            | StatementKind::Call
            | StatementKind::Exit
            | StatementKind::Computation => self.generate_computation(),
        }
    }

    /// Picks the kind of the next statement with the frequencies for the stage.
    fn pick_kind(&mut self) -> StatementKind {
        let kinds = match (&self.pools.patch_exchange, &self.pools.vertex_io) {
            (Some(_), _) => EXCHANGE_FREQUENCIES,
            (None, Some(_)) => VERTEX_FREQUENCIES,
            (None, None) => COMPUTE_FREQUENCIES,
        };
        let mut drawn = self.random.draw_below(FREQUENCY_SUM);
        let mut kinds = kinds.iter();
        let kind = kinds.find(|(_, often)| {
            let found = drawn < *often;
            drawn = drawn.saturating_sub(*often);
            found
        });
        kind.map_or(StatementKind::Computation, |(kind, _)| *kind)
    }

    /// Generates a block of statements, one level deeper than `context`, and returns it.
    fn generate_block(
        &mut self,
        budget: u32,
        context: StatementContext,
    ) -> crate::program::BlockId {
        self.builder.open_block();
        self.generate_sequence(
            budget,
            StatementContext {
                depth: context.depth + 1,
                ..context
            },
        );
        self.builder.close_block()
    }

    /// Returns a random condition: a guard, a float lane, or a random bit, whose computation it
    /// emits.
    fn pick_cond(&mut self) -> Cond {
        if self.options.conditions && self.random.draw_percent(60) {
            return Cond::Any(self.pick_guard());
        }
        let lane = self.random.draw_below(4) as u8;
        if self.options.float && self.random.draw_percent(30) {
            return Cond::NonZero(self.random.pick(&self.pools.float), lane, Type::F32);
        }
        let scratch = self.pools.scratch;
        self.emit_random_index(scratch, 2);
        Cond::NonZero(scratch, 0, Type::U32)
    }

    /// Generates a two-way branch with random blocks, the second with 50% probability.
    fn generate_branch(&mut self, context: StatementContext, budget: u32) {
        let (cond, allowed) = self.pick_branch_cond(context.exchangeable, 2);
        let part = 1 + budget / 3;
        let group = |number: usize| StatementContext {
            exchangeable: allowed[number],
            ..context
        };
        let then = self.generate_block(part, group(0));
        let otherwise = if self.random.draw_percent(50) {
            Some(self.generate_block(part, group(1)))
        } else {
            None
        };
        self.builder
            .push_branch(cond, then, otherwise, Span::new(1, 2));
    }

    /// Returns the condition of a branch, and the outputs that each of its `groups` groups of
    /// invocations may exchange: all of `allowed` if the condition is uniform, else separate parts.
    /// Emits the computation of the condition.
    fn pick_branch_cond(&mut self, allowed: OutputSet, groups: usize) -> (Cond, Vec<OutputSet>) {
        if let Some((register, lane)) = self.pick_uniform_lane() {
            let cond = Cond::NonZero(register, lane, Type::U32);
            return (cond, vec![allowed; groups]);
        }
        (self.pick_cond(), self.split_outputs(allowed, groups))
    }

    /// Generates a loop of at most 1 to 4 iterations with a counter and a random body, which may
    /// leave it early.
    fn generate_loop(&mut self, context: StatementContext, budget: u32) {
        let counter = self.pools.counters[self.loop_depth];
        let (zero, one) = (self.push_literal(0), self.push_literal(1));
        let rounds = 1 + self.random.draw_below(4) as u64;
        let rounds = self.push_literal(rounds);
        let x = Dst::new(counter, WriteMask::X);
        self.emit_op(Op::Mov, Type::S32, x, &[zero]);
        self.loop_depth += 1;
        self.builder.open_block();
        let done = self.pools.scratch;
        let test = Dst::new(done, WriteMask::X);
        self.emit_op(
            Op::SetGe,
            Type::S32,
            test,
            &[Src::from_register(counter), rounds],
        );
        self.builder.open_block();
        self.builder.push_node(Node::Break);
        let leave = self.builder.close_block();
        self.builder.push_branch(
            Cond::NonZero(done, 0, Type::S32),
            leave,
            None,
            Span::default(),
        );
        self.generate_sequence(
            1 + budget / 2,
            StatementContext {
                depth: context.depth + 1,
                innermost: InnermostScope::Loop,
                ..context
            },
        );
        let body = self.builder.close_block();
        self.builder.open_block();
        self.emit_op(Op::Add, Type::S32, x, &[Src::from_register(counter), one]);
        let continuing = Some(self.builder.close_block());
        self.loop_depth -= 1;
        self.builder.push_node(Node::Loop {
            body,
            continuing,
            span: Span::new(3, 9),
        });
    }

    /// Generates a switch with two cases and, with 50% probability, a default block.
    fn generate_switch(&mut self, context: StatementContext, budget: u32) {
        let context = StatementContext {
            innermost: InnermostScope::Switch,
            ..context
        };
        let part = 1 + budget / 4;
        let (selector, shares) = self.pick_selector(context.exchangeable);
        let group = |number: usize| StatementContext {
            exchangeable: shares[number],
            ..context
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
        self.builder.push_node(Node::Switch(switch));
    }

    /// Returns the selector of a switch, whose computation it emits, and the outputs that each of
    /// its three ways may exchange: all of `allowed` if the selector is uniform, else separate
    /// parts.
    fn pick_selector(&mut self, allowed: OutputSet) -> ((RegisterId, u8), Vec<OutputSet>) {
        if let Some(same) = self.pick_uniform_lane() {
            return (same, vec![allowed; 3]);
        }
        let scratch = self.pools.scratch;
        self.emit_random_index(scratch, 4);
        ((scratch, 0), self.split_outputs(allowed, 3))
    }

    /// Generates a call of a random routine; a computation instead if the routine exchanges outputs
    /// that this context must not exchange.
    fn generate_call(&mut self, context: StatementContext) {
        let (routine, exchanged) = self.random.pick(&self.callable);
        if exchanged & !context.exchangeable != 0 {
            return self.generate_computation();
        }
        self.budget = self.budget.saturating_sub(1);
        self.builder.push_node(Node::Call(routine, Span::default()));
    }

    /// Generates a conditional `Break`, `Continue` or `Return`, as the context allows; a
    /// computation if it allows none.
    fn generate_exit(&mut self, context: StatementContext) {
        let mut choices = Vec::new();
        if context.innermost != InnermostScope::None {
            choices.push(Node::Break);
        }
        if self.loop_depth > 0 {
            choices.push(Node::Continue);
        }
        let early = match self.pools.patch_exchange {
            Some(_) => 30,
            None => 5,
        };
        if context.role == RoutineRole::Subroutine
            || self.random.draw_percent(early) && self.may_return()
        {
            choices.push(Node::Return);
        }
        if choices.is_empty() {
            return self.generate_computation();
        }
        let node = self.random.pick(&choices);
        let (cond, _) = self.pick_branch_cond(context.exchangeable, 1);
        self.builder.open_block();
        self.builder.push_node(node);
        let then = self.builder.close_block();
        self.builder.push_branch(cond, then, None, Span::default());
        self.budget = self.budget.saturating_sub(1);
    }

    /// Returns true if main may end early: the results are outputs, which have initial values.
    fn may_return(&self) -> bool {
        !self.builder.program.outputs.is_empty()
    }
}
