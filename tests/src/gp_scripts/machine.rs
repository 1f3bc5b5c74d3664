//! The machine that computes what a program must give: all invocations go through it together, statement by statement.

use super::arith::{self, Val};
use super::convert::{convert, half_bits, half_value};
use super::flags::{self, Flags, Rule, Term};
use super::memory::Region;
use super::ops::{Compute, Op, Signature, Sums, Vector};
use super::program::{
    Access, Action, Atomic, Clamp, Dest, Index, Inst, Operand, Place, Program, Space, Stmt, Test,
    VarId,
};
use super::value::{Base, F16, F32, Lane, Num, Open, S32, Type, U32, raw, read, write};

/// A set of invocations.
pub(super) type Mask = u64;

/// Statements that all invocations together may execute.
const STEPS: usize = 30_000;
/// Passes of a loop.
const PASSES: usize = 24;

/// Registers and condition codes of an invocation.
#[derive(Clone)]
pub(super) struct State {
    /// Elements of each variable.
    pub(super) vars: Vec<Vec<[Lane; 4]>>,
    flags: [[Option<Flags>; 4]; 2],
}

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
    group: usize,
    steps: usize,
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

impl State {
    pub(super) fn new(vars: Vec<Vec<[Lane; 4]>>) -> Self {
        Self {
            vars,
            flags: [[None; 4]; 2],
        }
    }

    fn element(&self, program: &Program, var: VarId, index: Index) -> Result<usize, Open> {
        let element = match index {
            Index::None => 0,
            Index::Constant(element) => element,
            Index::Register(by, lane, offset) => {
                let lane = self.vars[by][0][lane];
                let value = read(lane, program.vars[by].width, S32)?.int();
                usize::try_from(value).map_err(|_| Open)? + offset
            }
        };
        match element < self.vars[var].len() {
            true => Ok(element),
            false => Err(Open),
        }
    }

    /// The component that stands at `lane` of an operand, without signs, and its width; `None` for literals.
    fn source(
        &self,
        program: &Program,
        operand: &Operand,
        lane: usize,
    ) -> Result<Option<(Lane, u32)>, Open> {
        let Place::Var(var, index) = operand.place else {
            return Ok(None);
        };
        let element = self.element(program, var, index)?;
        let held = self.vars[var][element][operand.swizzle[lane]];
        Ok(Some((held, program.vars[var].width)))
    }

    /// A component of an operand before the sign in front of it.
    fn unsigned(
        &self,
        program: &Program,
        operand: &Operand,
        ty: Type,
        lane: usize,
    ) -> Result<Num, Open> {
        let source = self.source(program, operand, lane)?;
        let mut num = match (&operand.place, source) {
            (Place::Literal(_, nums), _) => nums[operand.swizzle[lane]],
            (_, Some((Lane::Bits(bits), _))) if ty == F16 => Num::F(half_value(bits & 0xffff)?),
            (_, Some((held, width))) => read(held, width, ty)?,
            (Place::Var(..), None) => return Err(Open),
        };
        if operand.inner_negated {
            num = arith::negated(ty, num);
        }
        if operand.absolute {
            num = arith::absolute(ty, num);
        }
        Ok(num)
    }

    /// A component of an operand.
    pub(super) fn operand(
        &self,
        program: &Program,
        operand: &Operand,
        ty: Type,
        lane: usize,
    ) -> Result<Num, Open> {
        let num = self.unsigned(program, operand, ty, lane)?;
        Ok(match operand.negated {
            true => arith::negated(ty, num),
            false => num,
        })
    }

    fn vector(&self, program: &Program, operand: &Operand, ty: Type) -> Vector {
        std::array::from_fn(|lane| self.operand(program, operand, ty, lane))
    }

    /// Each component of a condition.
    fn tests(&self, test: &Test) -> [Result<bool, Open>; 4] {
        test.swizzle
            .map(|lane| match (test.rule, self.flags[test.register][lane]) {
                (Rule::Fl, _) => Ok(false),
                (Rule::Tr, _) => Ok(true),
                (_, None) => Err(Open),
                (rule, Some(flags)) => flags.test(rule),
            })
    }

    /// Whether a condition holds for any component.
    fn passes(&self, test: &Test) -> Result<bool, Open> {
        let mut any = false;
        for holds in self.tests(test) {
            any |= holds?;
        }
        Ok(any)
    }

    /// The byte that an access begins at.
    fn address(&self, program: &Program, access: &Access) -> Result<usize, Open> {
        let base = match access.at {
            None => 0,
            Some((var, lane)) => read(self.vars[var][0][lane], program.vars[var].width, U32)?.int(),
        };
        let base = usize::try_from(base).map_err(|_| Open)?;
        base.checked_add(access.offset).ok_or(Open)
    }
}

/// What an instruction gives for each component.
struct Outcome {
    values: [arith::Result; 4],
    /// Bits that go into a register as they are.
    raw: Option<[Lane; 4]>,
    ty: Type,
}

fn is_plain(operand: &Operand) -> bool {
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
        match counts.iter().all(|count| *count <= PASSES) {
            true => Ok(counts),
            false => Err(Open),
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
        self.passes(program, &counts, 0, body, active, count.is_none())
    }

    /// The passes of a loop from number `first` on.
    pub(super) fn passes(
        &mut self,
        program: &Program,
        counts: &[usize],
        first: usize,
        body: &[Stmt],
        active: Mask,
        endless: bool,
    ) -> Result<Exits, Open> {
        let mut running = active;
        let mut exits = Exits::default();
        for pass in first.. {
            let due: Mask = members(running)
                .filter(|who| pass < counts[*who])
                .fold(0, |mask, who| mask | 1 << who);
            if due == 0 {
                break;
            }
            let left = self.block(program, body, due)?;
            exits.returned |= left.returned;
            running = due & !(left.broken | left.returned);
            // A loop without count must end by BRK or RET.
            if endless && running != 0 && pass + 1 == PASSES {
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
            for lane in 0..4 {
                if !inst.dest.lanes[lane] {
                    continue;
                }
                if !tests[lane]? {
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
                let saturate = inst.clamp.is_some();
                let values = std::array::from_fn(|lane| {
                    let value = state.operand(program, &inst.operands[0], *from, lane)?;
                    arith::exactly(convert(*to, *from, *rounding, saturate, value)?)
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

    fn load(
        &mut self,
        program: &Program,
        inst: &Inst,
        access: &Access,
        who: usize,
    ) -> Result<Outcome, Open> {
        let at = self.states[who].address(program, access)?;
        let len = access.ty.bits as usize / 8;
        if !at.is_multiple_of(access.bytes()) {
            return Err(Open);
        }
        let mut words = [0; 4];
        for (lane, word) in words.iter_mut().take(access.count).enumerate() {
            *word = self.fetch(access.space, at + lane * len, len, who)?;
        }
        let ty = access.ty;
        let values = words.map(|word| arith::exactly(read(Lane::Bits(word), ty.bits, ty)?));
        let width = program.vars[inst.dest.var].width;
        let raw = (width == ty.bits).then(|| words.map(Lane::Bits));
        Ok(Outcome { values, raw, ty })
    }

    fn region(&mut self, space: Space, who: usize) -> &mut Region {
        match space {
            Space::Shared => &mut self.memory.shared[who / self.group],
            Space::Constant | Space::Input | Space::Output => &mut self.memory.out,
        }
    }

    fn fetch(&mut self, space: Space, at: usize, len: usize, who: usize) -> Result<u64, Open> {
        let fixed = match space {
            Space::Constant => &self.memory.constants,
            Space::Input => &self.memory.given,
            Space::Output | Space::Shared => return self.region(space, who).read(at, len, who),
        };
        let bytes = fixed.get(at..at + len).ok_or(Open)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    fn store(
        &mut self,
        program: &Program,
        access: &Access,
        operand: &Operand,
        active: Mask,
    ) -> Result<(), Open> {
        let len = access.ty.bits as usize / 8;
        for who in members(active) {
            let at = self.states[who].address(program, access)?;
            if !at.is_multiple_of(access.bytes()) {
                return Err(Open);
            }
            for lane in 0..access.count {
                let bits = self.stored(program, access.ty, operand, lane, who)?;
                self.region(access.space, who)
                    .write(at + lane * len, len, bits, who)?;
            }
        }
        Ok(())
    }

    /// The bits that a store makes of a component.
    fn stored(
        &self,
        program: &Program,
        ty: Type,
        operand: &Operand,
        lane: usize,
        who: usize,
    ) -> Result<u64, Open> {
        let state = &self.states[who];
        if let Some((held, width)) = state.source(program, operand, lane)?
            && width == ty.bits
            && is_plain(operand)
        {
            return raw(held);
        }
        let wide = ty.with_bits(ty.bits.max(32));
        let num = state.operand(program, operand, wide, lane)?;
        raw(write(num, wide, wide.bits)?)
    }

    fn atomic(
        &mut self,
        program: &Program,
        inst: &Inst,
        access: &Access,
        atomic: Atomic,
        who: usize,
    ) -> Result<Outcome, Open> {
        let ty = access.ty;
        let len = ty.bits as usize / 8;
        let at = self.states[who].address(program, access)?;
        let x = self.states[who]
            .operand(program, &inst.operands[0], ty, 0)?
            .int();
        let y = self.states[who].operand(program, &inst.operands[0], ty, 1);
        let change = |old: u64, y| {
            let old = ty.wrap(i128::from(old));
            (atomic.kind.apply(ty, x, y, old) & ((1 << ty.bits) - 1)) as u64
        };
        let mut values = [Err(Open); 4];
        let mut lanes = [Lane::Open; 4];
        let region = self.region(access.space, who);
        if atomic.common {
            region.join(at, len, atomic.kind, |old| change(old, 0))?;
            return Ok(Outcome {
                values,
                raw: Some(lanes),
                ty,
            });
        }
        let old = region.read(at, len, who)?;
        let y = match atomic.kind {
            super::program::AtomicKind::Cswap => y?.int(),
            _ => 0,
        };
        region.write(at, len, change(old, y), who)?;
        values[0] = arith::int(ty.wrap(i128::from(old)));
        lanes[0] = Lane::Bits(old);
        let width = program.vars[inst.dest.var].width;
        Ok(Outcome {
            values,
            raw: (width == ty.bits).then_some(lanes),
            ty,
        })
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
            // Whether the sign of a literal is that of an operand is a question of its own.
            let literal = matches!(operand.place, Place::Literal(..));
            // So is that of a minus in bars that change nothing.
            let inside = operand.inner_negated && ty.base == Base::U;
            let questionable = inside || literal && value.int() < 0;
            (!questionable).then_some(Term {
                value,
                negated: operand.negated,
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
                        let signed = |it: Term| match it.negated {
                            true => arith::negated(ty, it.value),
                            false => it.value,
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
        return Ok((raw[lane], None));
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
    let seen = match floats && inst.sets.is_some() {
        // UP64 gives what its modifier says: the flags of F are those of floats.
        true => read(held, width, F32)?,
        false => num,
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
