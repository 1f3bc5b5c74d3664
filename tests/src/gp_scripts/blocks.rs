//! Blocks, loops and routines of random programs.

use super::instructions::literal;
use super::machine::{Ends, Exits, Mask, Passes, whole};
use super::program::{Action, Index, Inst, Operand, Place, Stmt, Test, VarId};
use super::value::{F32, Num, S32, U32};
use super::writer::Writer;

/// Where a block stands.
#[derive(Clone, Copy)]
pub(super) struct Around {
    /// Blocks around it in its routine.
    depth: usize,
    /// Whether BRK and CONT have a loop.
    in_loop: bool,
    /// Loops around it, those of calling routines included: each has a counter of its own.
    loops: usize,
    /// Whether RET has a routine.
    in_routine: bool,
}

impl Around {
    pub(super) const MAIN: Self = Self {
        depth: 0,
        in_loop: false,
        loops: 0,
        in_routine: false,
    };

    /// Whether all invocations come here, or none.
    pub(super) fn is_uniform(self) -> bool {
        self.depth == 0
    }

    fn inner(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }
}

/// Blocks in each other.
const DEPTH: usize = 3;
/// Loops in each other.
const LOOPS: usize = 2;
/// Routines of a program.
const ROUTINES: usize = 4;

impl Writer {
    /// A block of up to `count` statements.
    pub(super) fn block(
        &mut self,
        active: Mask,
        around: Around,
        count: usize,
    ) -> (Vec<Stmt>, Exits) {
        let mut stmts = Vec::new();
        let mut exits = Exits::default();
        for _ in 0..count {
            let running = active & !exits.all();
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            if let Some((stmt, left)) = self.statement(running, around) {
                stmts.push(stmt);
                exits.add(left);
            }
        }
        (stmts, exits)
    }

    fn statement(&mut self, active: Mask, around: Around) -> Option<(Stmt, Exits)> {
        let nests = around.depth < DEPTH;
        match self.rng.below(100) {
            0..9 if nests => self.condition(active, around),
            9..15 if nests && around.loops < LOOPS => self.repetition(active, around),
            15..21 if nests => self.call(active, around),
            21..25 if around.in_loop => self.exit(active, Stmt::Break),
            25..28 if around.in_loop => self.exit(active, Stmt::Continue),
            28..30 if around.in_routine => self.exit(active, Stmt::Return),
            30..45 if self.profile.version == 50 => {
                let stmt = self.memory_statement(active, around)?;
                Some((stmt, Exits::default()))
            }
            _ => {
                let stmt = self.first_accepted(active, Self::instruction)?;
                Some((stmt, Exits::default()))
            }
        }
    }

    /// A condition that the machine can tell, and for whom it holds.
    fn decided(&mut self, active: Mask) -> Option<(Test, Mask)> {
        for _ in 0..12 {
            let test = self.test();
            if let Ok(passing) = self.machine.passing(Some(&test), active) {
                return Some((test, passing));
            }
        }
        None
    }

    fn condition(&mut self, active: Mask, around: Around) -> Option<(Stmt, Exits)> {
        let (test, passing) = self.decided(active)?;
        let count = 1 + self.rng.below(4);
        let (then, mut exits) = self.block(passing, around.inner(), count);
        let mut otherwise = Vec::new();
        if self.rng.percent(50) {
            let count = 1 + self.rng.below(4);
            let (block, left) = self.block(active & !passing, around.inner(), count);
            otherwise = block;
            exits.add(left);
        }
        Some((Stmt::If(test, then, otherwise), exits))
    }

    /// BRK, CONT or RET, mostly with a condition.
    fn exit(&mut self, active: Mask, make: fn(Option<Test>) -> Stmt) -> Option<(Stmt, Exits)> {
        let (test, _) = self.decided(active)?;
        let stmt = make(self.rng.percent(90).then_some(test));
        let exits = self.machine.stmt(&self.program, &stmt, active).ok()?;
        Some((stmt, exits))
    }

    fn repetition(&mut self, active: Mask, around: Around) -> Option<(Stmt, Exits)> {
        let before = (self.machine.clone(), self.program.routines.len());
        let written = if self.rng.percent(65) {
            self.counted(active, around)
        } else {
            self.endless(active, around)
        };
        if written.is_none() {
            self.machine = before.0;
            self.program.routines.truncate(before.1);
        }
        written
    }

    fn inside(around: Around) -> Around {
        Around {
            in_loop: true,
            loops: around.loops + 1,
            ..around.inner()
        }
    }

    /// REP with a count that is a constant, or of small numbers that differ between invocations.
    fn counted(&mut self, active: Mask, around: Around) -> Option<(Stmt, Exits)> {
        let (ty, operand) = match self.rng.below(3) {
            0 => {
                let count = 1 + self.rng.below(3);
                let ty = *self.rng.pick(&[F32, S32, U32]);
                let num = if ty.is_float() {
                    Num::F(count as f64)
                } else {
                    Num::I(count as i128)
                };
                (ty, literal(format!("{{{count}, 0, 0, 0}}"), num))
            }
            _ => {
                let ty = *self.rng.pick(&[S32, U32]);
                (ty, self.component(self.indices))
            }
        };
        let count = Some((ty, operand));
        let counts = self
            .machine
            .counts(&self.program, count.as_ref(), active)
            .ok()?;
        let first = self.due(&counts, active);
        let length = 2 + self.rng.below(4);
        let (body, left) = self.block(first, Self::inside(around), length);
        let mut exits = Exits {
            returned: left.returned,
            ..Exits::default()
        };
        let running = first & !(left.broken | left.returned);
        let rest = self
            .machine
            .passes(&self.program, later(&counts, Ends::ByCount), &body, running)
            .ok()?;
        exits.returned |= rest.returned;
        Some((Stmt::Rep(count, body), exits))
    }

    fn due(&self, counts: &[usize], active: Mask) -> Mask {
        super::machine::members(active)
            .filter(|who| counts[*who] > 0)
            .fold(0, |mask, who| mask | 1 << who)
    }

    /// REP without a count, with a counter of its own that ends it.
    fn endless(&mut self, active: Mask, around: Around) -> Option<(Stmt, Exits)> {
        let counter = self.counters[around.loops];
        let lane = self.rng.below(4);
        let start = self.component(self.indices);
        let start = self.single("MOV", counter, lane, vec![start], None);
        let register = self.rng.below(2);
        let one = literal("1".to_owned(), Num::I(1));
        let itself = Operand {
            swizzle: [lane; 4],
            ..self.variable_operand(counter)
        };
        let step = self.single("SUB", counter, lane, vec![itself, one], Some(register));
        let test = Test {
            rule: super::flags::Rule::Lt,
            name: "LT",
            register,
            swizzle: [lane; 4],
        };
        let mut body = vec![step, Stmt::Break(Some(test))];
        self.machine.stmt(&self.program, &start, active).ok()?;
        let mut left = self.machine.block(&self.program, &body, active).ok()?;
        let running = active & !left.all();
        let length = 2 + self.rng.below(4);
        let (rest, exits) = self.block(running, Self::inside(around), length);
        left.add(exits);
        body.extend(rest);
        let counts = self.machine.counts(&self.program, None, active).ok()?;
        let running = active & !(left.broken | left.returned);
        let later = self
            .machine
            .passes(
                &self.program,
                later(&counts, Ends::ByItself),
                &body,
                running,
            )
            .ok()?;
        let exits = Exits {
            returned: left.returned | later.returned,
            ..Exits::default()
        };
        Some((Stmt::Sequence(vec![start, Stmt::Rep(None, body)]), exits))
    }

    fn variable_operand(&self, var: VarId) -> Operand {
        Operand {
            place: Place::Var(var, Index::None),
            ..literal(String::new(), Num::I(0))
        }
    }

    /// One component of a variable, for all.
    fn component(&mut self, var: VarId) -> Operand {
        Operand {
            swizzle: [self.rng.below(4); 4],
            ..self.variable_operand(var)
        }
    }

    /// An instruction of signed integers that writes one component.
    fn single(
        &self,
        name: &str,
        var: VarId,
        lane: usize,
        operands: Vec<Operand>,
        sets: Option<usize>,
    ) -> Stmt {
        let mut dest = whole(var);
        dest.lanes = std::array::from_fn(|at| at == lane);
        Stmt::Inst(Inst {
            action: Action::Op(super::layout::op(name), S32),
            dest,
            operands,
            sets,
            clamp: None,
            precise: false,
            suffixes: false,
        })
    }

    /// CAL of a routine that is there, or of a new one.
    fn call(&mut self, active: Mask, around: Around) -> Option<(Stmt, Exits)> {
        let test = if self.rng.percent(40) {
            Some(self.decided(active)?.0)
        } else {
            None
        };
        let passing = self.machine.passing(test.as_ref(), active).ok()?;
        let written = self.program.routines.len();
        let again = written > 0 && (self.rng.percent(50) || written >= ROUTINES);
        // A routine that is being written is not among them, so none calls itself.
        if again {
            let stmt = Stmt::Call(self.rng.below(written), test);
            return self
                .accepts(&stmt, active)
                .then_some((stmt, Exits::default()));
        }
        if written + self.open_routines >= ROUTINES || self.open_routines >= 2 {
            return None;
        }
        self.open_routines += 1;
        let around = Around {
            in_loop: false,
            in_routine: true,
            depth: 0,
            ..around
        };
        let length = 2 + self.rng.below(4);
        let (body, _) = self.block(passing, around, length);
        self.open_routines -= 1;
        self.program.routines.push(body);
        let stmt = Stmt::Call(self.program.routines.len() - 1, test);
        Some((stmt, Exits::default()))
    }
}

/// The passes after the first.
fn later(counts: &[usize], ends: Ends) -> Passes<'_> {
    Passes {
        counts,
        first: 1,
        ends,
    }
}
