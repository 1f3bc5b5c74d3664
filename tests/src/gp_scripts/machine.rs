//! The machine that computes what a program must give: all invocations go through it together, statement by statement.

use super::arith::{self, Val};
use super::convert::{Excess, convert, half_bits};
use super::flags::{self, Flags, Term};
use super::memory::Region;
use super::ops::{Compute, Op, Signature, Sums, Vector};
use super::program::{
    Action, Clamp, Dest, Index, Inst, Operand, Place, Program, Stmt, Test, VarId,
};
use super::state::State;
use super::value::{Base, F16, F32, Lane, Num, Open, Type, read, write};

/// A set of invocations.
pub(super) type Mask = u64;

/// Statements that all invocations together may execute.
const STEPS: usize = 30_000;
/// Passes of a loop.
const PASSES: usize = 24;

/// Buffers and shared memory.
#[derive(Clone)]
pub(super) struct Memory {
    pub(super) constants: Vec<u8>,
    pub(super) given: Vec<u8>,
    pub(super) out: Region,
    /// One for each group.
    pub(super) shared: Vec<Region>,
}

/// All invocations.
#[derive(Clone)]
pub(super) struct Machine {
    pub(super) states: Vec<State>,
    pub(super) memory: Memory,
    /// Invocations of a group.
    pub(super) group: usize,
    steps: usize,
}

/// How a loop ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// When its count is reached.
    ByCount,
    /// By BRK or RET.
    ByItself,
}

impl Ends {
    /// The end of a loop with this count, or without.
    pub(super) fn of<T>(count: Option<&T>) -> Self {
        match count {
            Some(_) => Self::ByCount,
            None => Self::ByItself,
        }
    }
}

/// What is to do of a loop.
#[derive(Clone, Copy)]
pub(super) struct Passes<'c> {
    /// Passes of each invocation.
    pub(super) counts: &'c [usize],
    /// Those before this one are done.
    pub(super) first: usize,
    pub(super) ends: Ends,
}

/// Invocations that have left a block.
#[derive(Clone, Copy, Default)]
pub(super) struct Exits {
    pub(super) broken: Mask,
    pub(super) continued: Mask,
    pub(super) returned: Mask,
}

impl Exits {
    pub(super) fn all(self) -> Mask {
        self.broken | self.continued | self.returned
    }

    pub(super) fn add(&mut self, other: Self) {
        self.broken |= other.broken;
        self.continued |= other.continued;
        self.returned |= other.returned;
    }
}

/// The numbers of the invocations of a set.
pub(super) fn members(mask: Mask) -> impl Iterator<Item = usize> {
    (0..64).filter(move |bit| mask >> bit & 1 == 1)
}

/// What an instruction gives for each component.
pub(super) struct Outcome {
    pub(super) values: [arith::Result; 4],
    /// Bits that go into a register as they are.
    pub(super) raw: Option<[Lane; 4]>,
    pub(super) ty: Type,
}

/// Whether an operand has no signs.
pub(super) fn is_plain(operand: &Operand) -> bool {
    !operand.inner_negated && !operand.absolute && !operand.negated
}

impl Machine {
    pub(super) fn new(states: Vec<State>, memory: Memory, group: usize) -> Self {
        Self {
            states,
            memory,
            group,
            steps: 0,
        }
    }

    /// Begins to count statements anew.
    pub(super) fn rest(&mut self) {
        self.steps = 0;
    }

    /// Everybody.
    pub(super) fn all(&self) -> Mask {
        u64::MAX >> (64 - self.states.len())
    }

    /// The invocations for which a condition holds.
    pub(super) fn passing(&self, test: Option<&Test>, active: Mask) -> Result<Mask, Open> {
        let Some(test) = test else { return Ok(active) };
        let mut passing = 0;
        for who in members(active) {
            passing |= u64::from(self.states[who].passes(test)?) << who;
        }
        Ok(passing)
    }

    pub(super) fn block(
        &mut self,
        program: &Program,
        stmts: &[Stmt],
        active: Mask,
    ) -> Result<Exits, Open> {
        let mut exits = Exits::default();
        for stmt in stmts {
            let running = active & !exits.all();
            if running == 0 {
                break;
            }
            exits.add(self.stmt(program, stmt, running)?);
        }
        Ok(exits)
    }

    pub(super) fn stmt(
        &mut self,
        program: &Program,
        stmt: &Stmt,
        active: Mask,
    ) -> Result<Exits, Open> {
        self.steps += 1;
        if self.steps > STEPS {
            return Err(Open);
        }
        let mut exits = Exits::default();
        match stmt {
            Stmt::Inst(inst) => self.inst(program, inst, active)?,
            Stmt::Store(access, operand) => self.store(program, access, operand, active)?,
            Stmt::If(test, then, otherwise) => {
                let passing = self.passing(Some(test), active)?;
                exits.add(self.block(program, then, passing)?);
                exits.add(self.block(program, otherwise, active & !passing)?);
            }
            Stmt::Rep(count, body) => exits = self.repeat(program, count.as_ref(), body, active)?,
            Stmt::Break(test) => exits.broken = self.passing(test.as_ref(), active)?,
            Stmt::Continue(test) => exits.continued = self.passing(test.as_ref(), active)?,
            Stmt::Return(test) => exits.returned = self.passing(test.as_ref(), active)?,
            Stmt::Call(routine, test) => {
                let passing = self.passing(test.as_ref(), active)?;
                self.block(program, &program.routines[*routine], passing)?;
            }
            Stmt::Barrier if active == self.all() => {
                for region in &mut self.memory.shared {
                    region.barrier();
                }
            }
            Stmt::Barrier => return Err(Open),
            Stmt::Sequence(stmts) => exits.add(self.block(program, stmts, active)?),
            Stmt::Text(_) => {}
        }
        Ok(exits)
    }

    /// How often each invocation repeats a loop.
    pub(super) fn counts(
        &self,
        program: &Program,
        count: Option<&(Type, Operand)>,
        active: Mask,
    ) -> Result<Vec<usize>, Open> {
        let mut counts = vec![0; self.states.len()];
        for who in members(active) {
            counts[who] = match count {
                None => PASSES,
                Some((ty, operand)) => {
                    let value = match self.states[who].operand(program, operand, *ty, 0)? {
                        Num::F(value) if value.is_nan() => return Err(Open),
                        Num::F(value) => value.floor().clamp(-1.0, 1000.0) as i128,
                        Num::I(value) => value,
                    };
                    usize::try_from(value.max(0)).map_err(|_| Open)?
                }
            };
        }
        if counts.iter().all(|count| *count <= PASSES) {
            Ok(counts)
        } else {
            Err(Open)
        }
    }

    fn repeat(
        &mut self,
        program: &Program,
        count: Option<&(Type, Operand)>,
        body: &[Stmt],
        active: Mask,
    ) -> Result<Exits, Open> {
        let counts = self.counts(program, count, active)?;
        let due = Passes {
            counts: &counts,
            first: 0,
            ends: Ends::of(count),
        };
        self.passes(program, due, body, active)
    }

    /// Passes of a loop.
    pub(super) fn passes(
        &mut self,
        program: &Program,
        due: Passes<'_>,
        body: &[Stmt],
        active: Mask,
    ) -> Result<Exits, Open> {
        let mut running = active;
        let mut exits = Exits::default();
        for pass in due.first.. {
            let these: Mask = members(running)
                .filter(|who| pass < due.counts[*who])
                .fold(0, |mask, who| mask | 1 << who);
            if these == 0 {
                break;
            }
            let left = self.block(program, body, these)?;
            exits.returned |= left.returned;
            running = these & !(left.broken | left.returned);
            // A loop without count must end by BRK or RET.
            if due.ends == Ends::ByItself && running != 0 && pass + 1 == PASSES {
                return Err(Open);
            }
        }
        Ok(exits)
    }

    fn inst(&mut self, program: &Program, inst: &Inst, active: Mask) -> Result<(), Open> {
        for who in members(active) {
            let outcome = self.outcome(program, inst, who)?;
            let state = &self.states[who];
            let element = state.element(program, inst.dest.var, inst.dest.index)?;
            let tests = inst
                .dest
                .test
                .as_ref()
                .map_or([Ok(true); 4], |test| state.tests(test));
            let width = program.vars[inst.dest.var].width;
            // All components are read, and all conditions tested, before any is written.
            let mut changes = Vec::new();
            for (lane, test) in tests.into_iter().enumerate() {
                if !inst.dest.lanes[lane] {
                    continue;
                }
                if !test? {
                    // Mesa makes the negation of a truth value, -0, of a choice between -1 and 0.
                    let chosen = outcome.values[lane].map(|val| val.num);
                    let kept = state.vars[inst.dest.var][element][lane];
                    if chosen == Ok(Num::F(-1.0)) && kept == Lane::Bits(0) {
                        return Err(Open);
                    }
                    continue;
                }
                let (held, flags) = result(inst, &outcome, lane, width)?;
                let flags = match inst.sets {
                    Some(_) => Some(self.with_sums(program, inst, who, lane, flags.ok_or(Open)?)),
                    None => None,
                };
                changes.push((lane, held, flags));
            }
            let state = &mut self.states[who];
            for (lane, held, flags) in changes {
                state.vars[inst.dest.var][element][lane] = held;
                if let Some(register) = inst.sets {
                    state.flags[register][lane] = flags;
                }
            }
        }
        Ok(())
    }

    /// What an instruction gives; memory that it changes is changed.
    fn outcome(&mut self, program: &Program, inst: &Inst, who: usize) -> Result<Outcome, Open> {
        match &inst.action {
            Action::Op(op, ty) => Ok(self.compute(program, inst, op, *ty, who)),
            Action::Convert(to, from, rounding, _) => {
                let state = &self.states[who];
                let excess = match inst.clamp {
                    Some(_) => Excess::Clamps,
                    None => Excess::Wraps,
                };
                let values = std::array::from_fn(|lane| {
                    let value = state.operand(program, &inst.operands[0], *from, lane)?;
                    arith::exactly(convert(*to, *from, *rounding, excess, value)?)
                });
                Ok(Outcome {
                    values,
                    raw: None,
                    ty: *to,
                })
            }
            Action::Swizzle(lanes) => {
                let state = &self.states[who];
                let operand = &inst.operands[0];
                let ty = F32;
                let values = lanes.map(|(negated, name)| {
                    let value = match name {
                        "0" => Num::F(0.0),
                        "1" => Num::F(1.0),
                        lane => {
                            let lane = "xyzw".find(lane).unwrap_or(0);
                            state.operand(program, operand, ty, lane)?
                        }
                    };
                    arith::exactly(if negated {
                        arith::negated(ty, value)
                    } else {
                        value
                    })
                });
                Ok(Outcome {
                    values,
                    raw: None,
                    ty,
                })
            }
            Action::Load(access) => self.load(program, inst, access, who),
            Action::Atomic(access, atomic) => self.atomic(program, inst, access, *atomic, who),
        }
    }

    fn compute(&self, program: &Program, inst: &Inst, op: &Op, ty: Type, who: usize) -> Outcome {
        let state = &self.states[who];
        let operands = inst.operands.iter().enumerate();
        let v: Vec<Vector> = operands
            .map(|(index, operand)| state.vector(program, operand, op.signature.operand(ty, index)))
            .collect();
        let values = match op.compute {
            Compute::One(f) => v[0].map(|a| f(ty, a?)),
            Compute::Scalar(f) => [v[0][0].and_then(|a| f(ty, a)); 4],
            Compute::Two(f) => std::array::from_fn(|lane| f(ty, v[0][lane]?, v[1][lane]?)),
            Compute::TwoScalar(f) => std::array::from_fn(|lane| f(ty, v[0][lane]?, v[1][0]?)),
            Compute::Three(f) => {
                std::array::from_fn(|lane| f(ty, v[0][lane]?, v[1][lane]?, v[2][lane]?))
            }
            Compute::Whole(_, f) | Compute::WholeScalar(f) => f(ty, &v),
        };
        let operand = &inst.operands[0];
        let copies = op.name == "MOV" && inst.clamp.is_none() && is_plain(operand);
        let raw = copies
            .then(|| self.copy(program, inst, operand, ty, who))
            .flatten();
        Outcome {
            values,
            raw,
            ty: op.signature.result(ty),
        }
    }

    /// The bits that a plain MOV between registers of one size copies.
    fn copy(
        &self,
        program: &Program,
        inst: &Inst,
        operand: &Operand,
        ty: Type,
        who: usize,
    ) -> Option<[Lane; 4]> {
        let to = program.vars[inst.dest.var].width;
        let mut lanes = [Lane::Open; 4];
        for (lane, held) in lanes.iter_mut().enumerate() {
            let (from, width) = self.states[who].source(program, operand, lane).ok()??;
            if width != to || width != ty.bits {
                return None;
            }
            *held = from;
        }
        Some(lanes)
    }

    fn with_sums(
        &self,
        program: &Program,
        inst: &Inst,
        who: usize,
        lane: usize,
        flags: Flags,
    ) -> Flags {
        match self.sums(program, inst, who, lane) {
            Some([overflow, carry]) => Flags {
                overflow,
                carry,
                ..flags
            },
            None => flags,
        }
    }

    /// Overflow and carry of an instruction that adds or subtracts integers.
    fn sums(
        &self,
        program: &Program,
        inst: &Inst,
        who: usize,
        lane: usize,
    ) -> Option<[Option<bool>; 2]> {
        let Action::Op(op, ty) = inst.action else {
            return None;
        };
        if ty.is_float() || op.sums == Sums::No {
            return None;
        }
        let open = Some([None; 2]);
        let term = |index: usize| {
            let operand = &inst.operands[index];
            let ty = op.signature.operand(ty, index);
            let value = self.states[who].unsigned(program, operand, ty, lane).ok()?;
            // A minus in bars that change nothing.
            if operand.inner_negated && ty.base == Base::U {
                return None;
            }
            // The sign before a number is one of the operand; between braces it belongs to the number.
            let signed = matches!(&operand.place, Place::Literal(text, _) if text.starts_with('-'));
            Some(if signed {
                Term {
                    value: arith::negated(ty, value),
                    negated: true,
                }
            } else {
                Term {
                    value,
                    negated: operand.negated,
                }
            })
        };
        let (Some(a), Some(b)) = (term(0), term(1)) else {
            return open;
        };
        Some(match op.sums {
            Sums::No => return None,
            Sums::Add => flags::of_sum(ty, a, b),
            Sums::Sub => flags::of_sum(
                ty,
                a,
                Term {
                    negated: !b.negated,
                    ..b
                },
            ),
            Sums::Mad | Sums::Sad => {
                let Some(c) = term(2) else { return open };
                match op.sums {
                    Sums::Mad => flags::of_mad(ty, a, b, c),
                    Sums::No | Sums::Add | Sums::Sub | Sums::Sad => {
                        let signed = |it: Term| {
                            if it.negated {
                                arith::negated(ty, it.value)
                            } else {
                                it.value
                            }
                        };
                        flags::of_sad(ty, signed(a), signed(b), c)
                    }
                }
            }
        })
    }
}

/// What a component becomes, and its flags before those of sums.
fn result(
    inst: &Inst,
    outcome: &Outcome,
    lane: usize,
    width: u32,
) -> Result<(Lane, Option<Flags>), Open> {
    if let Some(raw) = outcome.raw
        && inst.sets.is_none()
    {
        // What is open may go to where nobody looks, as results of atomic operations that all take part in do.
        return match (raw[lane], &inst.action) {
            (Lane::Open, Action::Op(..) | Action::Load(_)) => Err(Open),
            (held, _) => Ok((held, None)),
        };
    }
    let Val { num, rounded } = outcome.values[lane]?;
    if rounded && !inst.precise {
        return Err(Open);
    }
    let num = match (inst.clamp, &inst.action) {
        // The conversion itself has clamped.
        (None, _) | (_, Action::Convert(..)) => num,
        (Some(clamp), _) => clamped(clamp, num)?,
    };
    let held = if outcome.ty == F16 {
        Lane::Bits(half_bits(num.float())?)
    } else {
        write(num, outcome.ty, width)?
    };
    let floats = matches!(inst.action, Action::Op(op, ty)
        if op.signature == Signature::Unpack64 && ty.is_float());
    let seen = if floats && inst.sets.is_some() {
        // UP64 gives what its modifier says: the flags of F are those of floats.
        read(held, width, F32)?
    } else {
        num
    };
    let flags = match (seen, held) {
        (Num::F(value), _) => {
            // A number that becomes zero in its register leaves the flags open.
            let vanishes = value != 0.0 && held == write(Num::F(0.0), outcome.ty, width)?;
            if vanishes && inst.sets.is_some() {
                return Err(Open);
            }
            Some(flags::of_float(value))
        }
        (Num::I(_), Lane::Bits(bits)) => Some(flags::of_bits(bits, width)),
        (Num::I(_), Lane::Nan | Lane::Open) => None,
    };
    Ok((held, flags))
}

/// SAT and SSAT. What becomes of NaN, and of the sign of zero, is not told.
fn clamped(clamp: Clamp, num: Num) -> Result<Num, Open> {
    let value = num.float();
    if value.is_nan() || value == 0.0 && value.is_sign_negative() {
        return Err(Open);
    }
    Ok(Num::F(match clamp {
        Clamp::Sat if value < 0.0 => 0.0,
        Clamp::Sat => value.min(1.0),
        Clamp::Ssat => value.clamp(-1.0, 1.0),
    }))
}

/// A destination of all components.
pub(super) fn whole(var: VarId) -> Dest {
    Dest {
        var,
        index: Index::None,
        lanes: [true; 4],
        test: None,
    }
}
