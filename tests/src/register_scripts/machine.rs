//! What invocations hold, and what statements do to it.

use super::Kind;
use super::exact::Precision;
use super::ops::Vector;
use super::program::{Action, Inst, Place, Source, Stmt, Test};

/// Which invocations take part.
pub(super) type Active = Vec<bool>;

/// What one invocation holds.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) full: [Vector; 16],
    pub(super) half: [Vector; 4],
    pub(super) attributes: Vec<Vector>,
    pub(super) results: [Vector; 8],
    /// The values that the condition code came from.
    codes: [f64; 4],
    addresses: [[i32; 4]; 2],
    pub(super) dead: bool,
}

impl State {
    pub(super) fn new(attributes: Vec<Vector>) -> Self {
        Self {
            full: [[None; 4]; 16],
            half: [[None; 4]; 4],
            attributes,
            results: [[Some(0.0), Some(0.0), Some(0.0), Some(1.0)]; 8],
            codes: [0.0; 4],
            addresses: [[0; 4]; 2],
            dead: false,
        }
    }

    fn passes(&self, test: Test) -> [bool; 4] {
        test.swizzle.map(|lane| {
            let code = self.codes[lane];
            match test.rule {
                0 => code == 0.0,
                1 => code != 0.0,
                2 => code < 0.0,
                3 => code >= 0.0,
                4 => code <= 0.0,
                5 => code > 0.0,
                rule => rule == 6,
            }
        })
    }
}

/// All invocations.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) kind: Kind,
    pub(super) states: Vec<State>,
    pub(super) parameters: Vec<[f64; 4]>,
    pub(super) names: [[f64; 4]; 3],
    pub(super) routines: Vec<Vec<Stmt>>,
    /// Instructions that may still be executed: programs end after many.
    pub(super) fuel: usize,
}

/// A statement whose results are not exact.
#[derive(Debug)]
pub(super) struct Open;

impl Machine {
    /// All invocations take part.
    pub(super) fn all(&self) -> Active {
        vec![true; self.states.len()]
    }

    /// Those that take part and pass a test in any component.
    pub(super) fn passing(&self, test: Test, active: &Active) -> Active {
        let any = |(state, &active): (&State, &bool)| active && state.passes(test).contains(&true);
        self.states.iter().zip(active).map(any).collect()
    }

    /// Executes statements.
    pub(super) fn block(&mut self, block: &[Stmt], active: &Active) -> Result<(), Open> {
        block.iter().try_for_each(|stmt| self.stmt(stmt, active))
    }

    /// Executes a statement.
    pub(super) fn stmt(&mut self, stmt: &Stmt, active: &Active) -> Result<(), Open> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Open)?;
        match stmt {
            Stmt::Inst(inst) => self.inst(inst, active),
            Stmt::Skip(test, _, body) => {
                let over = self.passing(*test, active);
                let rest = active
                    .iter()
                    .zip(over)
                    .map(|(&active, over)| active && !over);
                self.block(body, &rest.collect())
            }
            Stmt::Loop(_, begin, body, end) => {
                self.inst(begin, active)?;
                let mut active = active.clone();
                while active.contains(&true) {
                    self.block(body, &active)?;
                    self.inst(end, &active)?;
                    active = self.passing(again(), &active);
                }
                Ok(())
            }
            Stmt::Call(test, routine) => {
                let active = match test {
                    Some(test) => self.passing(*test, active),
                    None => active.clone(),
                };
                let body = self.routines[*routine].clone();
                self.block(&body, &active)
            }
            Stmt::Kill(test) => {
                let killed = self.passing(*test, active);
                for (state, killed) in self.states.iter_mut().zip(killed) {
                    state.dead |= killed;
                }
                Ok(())
            }
        }
    }

    fn inst(&mut self, inst: &Inst, active: &Active) -> Result<(), Open> {
        let mut running = (0..self.states.len())
            .zip(active)
            .filter(|(_, active)| **active);
        running.try_for_each(|(who, _)| self.one(inst, who))
    }

    /// Executes an instruction in one invocation.
    fn one(&mut self, inst: &Inst, who: usize) -> Result<(), Open> {
        let passes = match inst.test {
            Some(test) => self.states[who].passes(test),
            None => [true; 4],
        };
        let enabled: [bool; 4] = std::array::from_fn(|lane| inst.mask[lane] && passes[lane]);
        // What a condition keeps from being written must be known, too: another invocation may write it.
        let result = self.result(inst, who)?;
        let state = &mut self.states[who];
        for lane in (0..4).filter(|&lane| enabled[lane]) {
            let number = result[lane].ok_or(Open)?;
            match inst.to {
                Place::Full(register) => state.full[register][lane] = Some(number),
                Place::Half(register) => state.half[register][lane] = Some(number),
                Place::Result(register) => state.results[register][lane] = Some(number),
                Place::Address(register) => state.addresses[register][lane] = number as i32,
                Place::Parameter(register) => self.parameters[register][lane] = number,
                _ => {}
            }
            if inst.sets {
                state.codes[lane] = number;
            }
        }
        Ok(())
    }

    fn result(&self, inst: &Inst, who: usize) -> Result<Vector, Open> {
        let addresses = self.states[who].addresses;
        if let Action::AddAddresses = inst.action {
            let Place::Address(register) = inst.from[0].place else {
                return Err(Open);
            };
            let [x, y, z, w] = addresses[register].map(f64::from);
            let sums = [x + z, y + w].map(|sum| Some(sum.clamp(-512.0, 511.0)));
            return Ok([sums[0], sums[1], sums[0], sums[1]]);
        }
        let stored = match inst.to {
            Place::Half(_) => Precision::Half,
            _ => Precision::Full,
        };
        // Texture coordinates are not brought to a lower precision. NV_fragment_program section 3.11.4.1.
        let coordinates = self.kind == Kind::Fragment
            && inst
                .from
                .iter()
                .any(|it| matches!(it.place, Place::Attribute(1..)));
        let precision = if coordinates {
            Precision::Full
        } else {
            inst.precision.unwrap_or(stored)
        };
        let from: Vec<Vector> = inst
            .from
            .iter()
            .map(|source| self.source(source, who, precision))
            .collect();
        let result = match inst.action {
            Action::Op(op) => (op.evaluate)(&from, precision),
            Action::Address(nearest) => from[0].map(|number| self.address(number?, nearest)),
            Action::AddAddresses => return Err(Open),
        };
        let convert = |number: f64| {
            let clamped = if inst.saturates {
                number.clamp(0.0, 1.0)
            } else {
                number
            };
            let fits = precision.holds(number) && stored.holds(clamped);
            fits.then_some(clamped)
        };
        Ok(result.map(|number| convert(number?)))
    }

    /// A number as an address. Those of NV_vertex_program2 have ten bits.
    fn address(&self, number: f64, nearest: bool) -> Option<f64> {
        let whole = if nearest {
            number.round_ties_even()
        } else {
            number.floor()
        };
        Some(match self.kind {
            Kind::Vertex20 => whole.clamp(-512.0, 511.0),
            _ => whole,
        })
    }

    /// An operand, as far as it is exact in the precision of the instruction.
    fn source(&self, source: &Source, who: usize, precision: Precision) -> Vector {
        let state = &self.states[who];
        let vector = match source.place {
            Place::Full(number) => state.full[number],
            Place::Half(number) => state.half[number],
            Place::Attribute(number) => state.attributes[number],
            Place::Parameter(number) => self.parameters[number].map(Some),
            Place::Named(number) => self.names[number].map(Some),
            Place::Literal(numbers) => numbers.map(Some),
            Place::Relative(address, lane, offset) => {
                let index = state.addresses[address][lane] + offset;
                let index = usize::try_from(index).ok();
                let found = index.and_then(|index| self.parameters.get(index));
                found.copied().unwrap_or_default().map(Some)
            }
            Place::Result(_) | Place::Codes | Place::Address(_) => [None; 4],
        };
        source.swizzle.map(|lane| {
            let number = vector[lane].filter(|&number| precision.holds(number))?;
            let number = if source.absolute {
                number.abs()
            } else {
                number
            };
            Some(if source.negated { -number } else { number })
        })
    }
}

/// The condition of loops: `(GT.x)`.
fn again() -> Test {
    Test {
        rule: 5,
        swizzle: [0; 4],
    }
}
