//! Writes programs: a statement is tried on the machine, and stands in the program only if all that it gives is exact.

use super::Kind;
use super::exact::Precision;
use super::machine::{Active, Machine};
use super::ops::{OPS, Op};
use super::program::{Action, Inst, Place, Source, Stmt, Test};
use crate::rng::Rng;

/// Temporaries of each kind that instructions choose from.
pub(super) const TEMPS: usize = 4;
/// Attributes, the first of which is the position.
pub(super) const ATTRIBUTES: usize = 6;
pub(super) const FRAGMENT_ATTRIBUTES: usize = 4;
/// Parameters with values.
pub(super) const PARAMETERS: usize = 12;
/// Parameters with the numbers of loops, and of approximations.
pub(super) const COUNTS: usize = 30;
const COUNTER: Place = Place::Full(15);
/// The most instructions that an invocation may execute.
pub(super) const FUEL: usize = 4000;
/// How often a statement of a kind is tried.
const TRIES: usize = 30;

/// A program while it is written.
pub(super) struct Writer {
    pub(super) rng: Rng,
    pub(super) kind: Kind,
    pub(super) machine: Machine,
    labels: usize,
    /// Loops cannot be in each other: they share a counter.
    in_loop: bool,
    /// Routines call no others, so that the stack is never full.
    in_routine: bool,
    pub(super) kills: bool,
}

impl Writer {
    pub(super) fn new(rng: Rng, kind: Kind, machine: Machine) -> Self {
        Self {
            rng,
            kind,
            machine,
            labels: 0,
            in_loop: false,
            in_routine: false,
            kills: false,
        }
    }

    fn has_codes(&self) -> bool {
        matches!(self.kind, Kind::Vertex20 | Kind::Fragment)
    }

    /// `count` statements that the machine has executed.
    pub(super) fn block(&mut self, count: usize, active: &Active) -> Vec<Stmt> {
        (0..count).filter_map(|_| self.statement(active)).collect()
    }

    fn statement(&mut self, active: &Active) -> Option<Stmt> {
        let ticket = self.rng.below(100);
        let flows = self.kind == Kind::Vertex20;
        match ticket {
            0..8 if flows => self.skip(active),
            8..12 if flows && !self.in_loop && !self.in_routine => self.repeat(active),
            12..18 if flows && !self.in_routine => self.call(active),
            18..24 if self.kind != Kind::Fragment => self.address(active),
            24..27 if self.kind == Kind::Fragment => self.kill(active),
            _ => self.instruction(active),
        }
    }

    /// Executes a statement, and takes it back if something is not exact.
    fn accepts(&mut self, stmt: &Stmt, active: &Active) -> bool {
        let before = self.machine.clone();
        let accepted = self.machine.stmt(stmt, active).is_ok();
        if !accepted {
            self.machine = before;
        }
        accepted
    }

    fn skip(&mut self, active: &Active) -> Option<Stmt> {
        let test = self.test();
        let over = self.machine.passing(test, active);
        let rest: Active = active
            .iter()
            .zip(over)
            .map(|(&it, over)| it && !over)
            .collect();
        self.labels += 1;
        let label = self.labels;
        let count = 1 + self.rng.below(4);
        let body = self.block(count, &rest);
        Some(Stmt::Skip(test, label, body))
    }

    /// A loop whose later rounds are exact as well as the first.
    fn repeat(&mut self, active: &Active) -> Option<Stmt> {
        let start = self.machine.clone();
        let lane = self.rng.below(4);
        let counts = |lane| Source {
            swizzle: [lane; 4],
            scalar: true,
            ..whole(Place::Parameter(COUNTS))
        };
        let begin = instruction(op("MOV"), COUNTER, 0, vec![counts(lane)]);
        let end = Inst {
            sets: true,
            ..instruction(op("SUB"), COUNTER, 0, vec![whole(COUNTER), counts(0)])
        };
        self.labels += 1;
        let label = self.labels;
        self.in_loop = true;
        let count = 2 + self.rng.below(4);
        let body = self.block(count, active);
        self.in_loop = false;
        // Routines that the statements brought with them stay.
        let routines = std::mem::take(&mut self.machine.routines);
        self.machine = Machine { routines, ..start };
        let stmt = Stmt::Loop(label, begin, body, end);
        self.accepts(&stmt, active).then_some(stmt)
    }

    /// A call of a new routine or of one that there is.
    fn call(&mut self, active: &Active) -> Option<Stmt> {
        let test = self.rng.percent(60).then(|| self.test());
        let called = match test {
            Some(test) => self.machine.passing(test, active),
            None => active.clone(),
        };
        let known = self.machine.routines.len();
        if known > 0 && (known == 3 || self.rng.percent(50)) {
            let stmt = Stmt::Call(test, self.rng.below(known));
            return self.accepts(&stmt, active).then_some(stmt);
        }
        self.in_routine = true;
        let count = 2 + self.rng.below(4);
        let body = self.block(count, &called);
        self.in_routine = false;
        self.machine.routines.push(body);
        Some(Stmt::Call(test, known))
    }

    /// Some fragments are discarded, but not all.
    fn kill(&mut self, active: &Active) -> Option<Stmt> {
        let test = self.test();
        let killed = self.machine.passing(test, active);
        if self.kills || !killed.contains(&false) {
            return None;
        }
        self.kills = true;
        let stmt = Stmt::Kill(test);
        self.accepts(&stmt, active).then_some(stmt)
    }

    fn address(&mut self, active: &Active) -> Option<Stmt> {
        for _ in 0..TRIES {
            let inst = self.address_instruction();
            let stmt = Stmt::Inst(inst);
            if self.accepts(&stmt, active) {
                return Some(stmt);
            }
        }
        None
    }

    fn address_instruction(&mut self) -> Inst {
        let newer = self.kind == Kind::Vertex20;
        let register = if newer { self.rng.below(2) } else { 0 };
        let to = Place::Address(register);
        if newer && self.rng.percent(20) {
            return Inst {
                action: Action::AddAddresses,
                mask: self.mask(),
                ..instruction(op("MOV"), to, 0, vec![whole(to)])
            };
        }
        let mut used = None;
        let from = self.source(!newer, &mut used);
        Inst {
            action: Action::Address(newer && self.rng.percent(50)),
            mask: if newer {
                self.mask()
            } else {
                [true, false, false, false]
            },
            sets: newer && self.rng.percent(20),
            ..instruction(op("MOV"), to, 0, vec![from])
        }
    }

    fn instruction(&mut self, active: &Active) -> Option<Stmt> {
        for _ in 0..TRIES {
            let stmt = Stmt::Inst(self.any_instruction());
            if self.accepts(&stmt, active) {
                return Some(stmt);
            }
        }
        None
    }

    fn any_instruction(&mut self) -> Inst {
        let kind = self.kind;
        let fitting: Vec<&'static Op> = OPS.iter().filter(|op| op.kinds.contains(&kind)).collect();
        let op: &'static Op = self.rng.pick::<&'static Op>(&fitting);
        let mut used = None;
        let from = (0..op.operands)
            .map(|_| self.source(op.scalar, &mut used))
            .collect();
        let plain = op.lines.is_empty();
        let codes = self.has_codes();
        let fragment = kind == Kind::Fragment;
        let sets = plain && codes && self.rng.percent(25);
        Inst {
            action: Action::Op(op),
            precision: (plain && fragment && self.rng.percent(50)).then(|| {
                let precisions = [Precision::Full, Precision::Half, Precision::Fixed];
                precisions[self.rng.below(op.precisions)]
            }),
            sets,
            saturates: plain && fragment && self.rng.percent(15),
            to: self.destination(plain, sets),
            mask: self.mask(),
            test: (codes && self.rng.percent(20)).then(|| self.test()),
            from,
        }
    }

    fn destination(&mut self, plain: bool, sets: bool) -> Place {
        let number = self.rng.below(TEMPS);
        match self.kind {
            _ if sets && self.rng.percent(30) => Place::Codes,
            Kind::Fragment if plain && self.rng.percent(50) => Place::Half(number),
            Kind::Fragment => Place::Full(number),
            Kind::State if self.rng.percent(40) => Place::Parameter(self.rng.below(PARAMETERS)),
            Kind::State => Place::Full(number),
            // Results with lower numbers get their values at the end.
            _ if self.rng.percent(12) => Place::Result(TEMPS + number),
            _ => Place::Full(number),
        }
    }

    fn mask(&mut self) -> [bool; 4] {
        if self.rng.percent(40) {
            return [true; 4];
        }
        let bits = 1 + self.rng.below(14);
        std::array::from_fn(|lane| bits >> lane & 1 == 1)
    }

    fn swizzle(&mut self, scalar: bool) -> [usize; 4] {
        match self.rng.below(10) {
            _ if scalar => [self.rng.below(4); 4],
            0..4 => [0, 1, 2, 3],
            4..7 => [self.rng.below(4); 4],
            _ => std::array::from_fn(|_| self.rng.below(4)),
        }
    }

    fn test(&mut self) -> Test {
        Test {
            // Tests that always or never pass are rare.
            rule: if self.rng.percent(5) {
                6 + self.rng.below(2)
            } else {
                self.rng.below(6)
            },
            swizzle: self.swizzle(false),
        }
    }

    /// An operand; `used` is what the instruction reads besides temporaries.
    fn source(&mut self, scalar: bool, used: &mut Option<[Option<Place>; 2]>) -> Source {
        let mut places = used.unwrap_or_default();
        let place = match self.rng.below(100) {
            0..22 => {
                let attribute = self.attribute();
                *places[0].get_or_insert(attribute)
            }
            22..50 => {
                let parameter = self.parameter();
                *places[1].get_or_insert(parameter)
            }
            ticket if self.kind == Kind::Fragment && ticket < 75 => {
                Place::Half(self.rng.below(TEMPS))
            }
            _ => Place::Full(self.rng.below(TEMPS)),
        };
        *used = Some(places);
        let bars = self.has_codes();
        Source {
            place,
            swizzle: self.swizzle(scalar),
            scalar,
            negated: self.rng.percent(25),
            absolute: bars && self.rng.percent(12),
        }
    }

    fn attribute(&mut self) -> Place {
        Place::Attribute(match self.kind {
            Kind::Fragment => self.rng.below(FRAGMENT_ATTRIBUTES),
            Kind::State => 0,
            _ => 1 + self.rng.below(ATTRIBUTES - 1),
        })
    }

    fn parameter(&mut self) -> Place {
        let number = self.rng.below(PARAMETERS);
        match (self.kind, self.rng.below(100)) {
            (Kind::Fragment, 0..30) => Place::Named(self.rng.below(3)),
            (Kind::Fragment, 30..60) => Place::Literal(numbers(&mut self.rng)),
            (Kind::Fragment, _) => Place::Parameter(number),
            (kind, 0..45) => {
                let [address, lane] = match kind {
                    Kind::Vertex20 => [self.rng.below(2), self.rng.below(4)],
                    _ => [0, 0],
                };
                let offset = self.rng.below(12) as i32 - 3;
                Place::Relative(address, lane, offset)
            }
            _ => Place::Parameter(number),
        }
    }

    /// First values of a temporary.
    pub(super) fn first(&mut self, to: Place) -> Stmt {
        loop {
            let attribute = match self.rng.percent(50) {
                // The depth of a fragment is not among what is known.
                true if self.kind == Kind::Fragment => Place::Attribute(1 + self.rng.below(3)),
                true => self.attribute(),
                false => Place::Parameter(self.rng.below(PARAMETERS)),
            };
            let stmt = Stmt::Inst(Inst {
                mask: [true; 4],
                ..instruction(op("MOV"), to, 0, vec![whole(attribute)])
            });
            let active = self.machine.all();
            if self.accepts(&stmt, &active) {
                return stmt;
            }
        }
    }
}

/// Four small numbers.
pub(super) fn numbers(rng: &mut Rng) -> [f64; 4] {
    std::array::from_fn(|_| match rng.below(10) {
        0..3 => rng.below(9) as f64 - 4.0,
        3..6 => (rng.below(17) as f64 - 8.0) / 4.0,
        6 => f64::from(1 << rng.below(5)),
        7 => 0.0,
        8 => (rng.below(33) as f64 - 16.0) / 16.0,
        _ => rng.below(41) as f64 - 20.0,
    })
}

/// The instruction of this name, which has no precisions of its own.
pub(super) fn op(name: &str) -> &'static Op {
    let mut ops = OPS.iter();
    ops.find(|op| op.name == name)
        .unwrap_or_else(|| unreachable!("{name} is in the table"))
}

/// An operand without anything at it.
pub(super) fn whole(place: Place) -> Source {
    Source {
        place,
        swizzle: [0, 1, 2, 3],
        scalar: false,
        negated: false,
        absolute: false,
    }
}

/// An instruction that writes one component.
fn instruction(op: &'static Op, to: Place, lane: usize, from: Vec<Source>) -> Inst {
    Inst {
        action: Action::Op(op),
        precision: None,
        sets: false,
        saturates: false,
        to,
        mask: std::array::from_fn(|other| other == lane),
        test: None,
        from,
    }
}
