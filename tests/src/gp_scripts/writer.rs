//! Writes programs: a statement is tried on the machine, and stands in the program only if the specifications decide all that it gives.

use super::machine::{Machine, Mask, members};
use super::ops::{OPS, Op};
use super::program::{Index, Inst, Operand, Place, Program, Stmt, Var, VarId};
use super::value::{Lane, Type};
use super::values::{self, Class};
use crate::rng::Rng;

/// What the programs of a script may need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Profile {
    /// 40 or 50.
    pub(super) version: u32,
    /// Integers of 64 bits.
    pub(super) long: bool,
    /// Of those only what the compiler emulates on devices without them.
    pub(super) emulated: bool,
    /// Doubles.
    pub(super) double: bool,
    /// Buffers are reached by address.
    pub(super) global: bool,
}

/// A variable that instructions choose from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) var: VarId,
    pub(super) class: Class,
    pub(super) reads: bool,
    pub(super) writes: bool,
}

/// A program while it is written.
pub(super) struct Writer {
    pub(super) rng: Rng,
    pub(super) profile: Profile,
    pub(super) program: Program,
    pub(super) machine: Machine,
    pub(super) slots: Vec<Slot>,
    /// Indices of arrays.
    pub(super) indices: VarId,
    /// Multiples of 16.
    pub(super) offsets: VarId,
    /// Loop counters, one for each depth.
    pub(super) counters: Vec<VarId>,
    /// Results of vertex and fragment programs.
    pub(super) results: Vec<VarId>,
    /// What only compute programs have.
    pub(super) compute: Option<super::access::Places>,
    /// Routines that are being written.
    pub(super) open_routines: usize,
    /// Statements that are left to write.
    pub(super) budget: usize,
}

/// How often a statement of a kind is tried before another kind is.
const TRIES: usize = 25;

impl Writer {
    /// Runs a statement, and takes it back if something is open.
    pub(super) fn accepts(&mut self, stmt: &Stmt, active: Mask) -> bool {
        let before = self.machine.clone();
        match self.machine.stmt(&self.program, stmt, active) {
            Ok(_) => true,
            Err(_) => {
                self.machine = before;
                false
            }
        }
    }

    /// A statement of some kind that the machine accepts.
    pub(super) fn first_accepted(
        &mut self,
        active: Mask,
        mut make: impl FnMut(&mut Self) -> Option<Stmt>,
    ) -> Option<Stmt> {
        for _ in 0..TRIES {
            let Some(stmt) = make(self) else { continue };
            let before = self.machine.clone();
            if self.accepts(&stmt, active) {
                if self.is_tame(&stmt, active) {
                    return Some(stmt);
                }
                self.machine = before;
                continue;
            }
            // What rounds must say that it is precise.
            if let Some(precise) = self.precise(&stmt)
                && self.accepts(&precise, active)
                && self.is_tame(&precise, active)
            {
                return Some(precise);
            }
            self.machine = before;
        }
        None
    }

    fn precise(&self, stmt: &Stmt) -> Option<Stmt> {
        let Stmt::Inst(inst) = stmt else { return None };
        let takes = matches!(inst.action, super::program::Action::Op(op, ty)
            if ty.is_float() && !op.signature.is_raw() && self.profile.version == 50);
        takes.then(|| {
            Stmt::Inst(Inst {
                precise: true,
                ..inst.clone()
            })
        })
    }

    /// Few results are infinite or NaN, lest all become so.
    fn is_tame(&mut self, stmt: &Stmt, active: Mask) -> bool {
        let Stmt::Inst(inst) = stmt else { return true };
        let width = self.program.vars[inst.dest.var].width;
        let var = inst.dest.var;
        // Nothing reads results, so that bits of a NaN could not be brought to a number.
        let known = |lane: &Lane| matches!(lane, Lane::Bits(_));
        let tells = members(active).all(|who| {
            let elements = &self.machine.states[who].vars[var];
            elements.iter().flatten().all(known)
        });
        if self.results.contains(&var) && !tells {
            return false;
        }
        let float = match &inst.action {
            super::program::Action::Op(op, ty) => op.signature.result(*ty).is_float(),
            super::program::Action::Convert(ty, ..) => ty.is_float() && ty.bits > 16,
            super::program::Action::Swizzle(_) => true,
            super::program::Action::Load(_) | super::program::Action::Atomic(..) => false,
        };
        if !float {
            return true;
        }
        let wild = |lane: &Lane| match (lane, width) {
            (Lane::Nan, _) => true,
            (Lane::Bits(bits), 32) => bits & 0x7f80_0000 == 0x7f80_0000,
            (Lane::Bits(bits), _) => bits >> 52 & 0x7ff == 0x7ff,
            (Lane::Open, _) => false,
        };
        let any = members(active).any(|who| {
            let elements = &self.machine.states[who].vars[var];
            elements.iter().flatten().any(wild)
        });
        !any || self.rng.percent(15)
    }

    pub(super) fn variable(&mut self, name: &str, width: u32, elements: Option<usize>) -> VarId {
        self.program.vars.push(Var {
            name: name.to_owned(),
            width,
            elements,
        });
        let count = elements.unwrap_or(1);
        for state in &mut self.machine.states {
            state.vars.push(vec![[Lane::Open; 4]; count]);
        }
        self.program.vars.len() - 1
    }

    /// One of the operations of the version and the types that may be needed.
    pub(super) fn any_op(&mut self) -> (&'static Op, Type) {
        loop {
            let total: usize = OPS.iter().map(|op| op.weight).sum();
            let mut at = self.rng.below(total);
            let mut chosen = &OPS[0];
            for op in OPS {
                if at < op.weight {
                    chosen = op;
                    break;
                }
                at -= op.weight;
            }
            let ty = *self.rng.pick(chosen.types);
            let divides = matches!(chosen.name, "DIV" | "MOD");
            if divides && ty.bits == 64 && !ty.is_float() && self.profile.emulated {
                continue;
            }
            if chosen.since <= self.profile.version
                && self.has_type(ty)
                && self.has_type(chosen.signature.operand(ty, 0))
                && self.has_type(chosen.signature.result(ty))
            {
                return (chosen, ty);
            }
        }
    }

    /// Whether programs of this kind have a type.
    pub(super) fn has_type(&self, ty: Type) -> bool {
        match (ty.bits, ty.is_float()) {
            (64, true) => self.profile.double,
            (64, false) => self.profile.long,
            _ => true,
        }
    }

    /// A variable for a type, mostly one that holds such values.
    pub(super) fn slot(&mut self, ty: Type, fits: impl Fn(&Slot) -> bool) -> Slot {
        let class = Class::of(ty);
        let fitting: Vec<Slot> = self
            .slots
            .iter()
            .copied()
            .filter(|slot| fits(slot))
            .collect();
        let own: Vec<Slot> = fitting
            .iter()
            .copied()
            .filter(|slot| slot.class == class)
            .collect();
        if own.is_empty() || self.rng.percent(12) {
            *self.rng.pick(&fitting)
        } else {
            *self.rng.pick(&own)
        }
    }

    /// An element of a variable.
    pub(super) fn index(&mut self, var: VarId) -> Index {
        let Some(elements) = self.program.vars[var].elements else {
            return Index::None;
        };
        if self.rng.percent(50) {
            return Index::Constant(self.rng.below(elements));
        }
        // Indices are below 4.
        let offset = self.rng.below(elements.saturating_sub(3));
        Index::Register(self.indices, self.rng.below(4), offset)
    }

    pub(super) fn swizzle(&mut self) -> [usize; 4] {
        match self.rng.below(10) {
            0..4 => [0, 1, 2, 3],
            4..7 => [self.rng.below(4); 4],
            _ => std::array::from_fn(|_| self.rng.below(4)),
        }
    }

    /// An operand without signs.
    pub(super) fn plain_operand(&mut self, ty: Type, literals: usize) -> Operand {
        let place = if self.rng.percent(literals) {
            let (text, nums) = values::literal(&mut self.rng, ty);
            Place::Literal(text, nums)
        } else {
            let slot = self.slot(ty, |slot| slot.reads);
            Place::Var(slot.var, self.index(slot.var))
        };
        let swizzle = match &place {
            // Only vectors have a swizzle.
            Place::Literal(text, _) if !text.starts_with('{') => [0, 1, 2, 3],
            Place::Literal(..) | Place::Var(..) => self.swizzle(),
        };
        Operand {
            place,
            swizzle,
            scalar: false,
            inner_negated: false,
            absolute: false,
            negated: false,
        }
    }

    /// An operand with signs.
    pub(super) fn operand(&mut self, ty: Type, literals: usize) -> Operand {
        let plain = self.plain_operand(ty, literals);
        let literal = matches!(plain.place, Place::Literal(..));
        let absolute = !literal && self.rng.percent(12);
        Operand {
            absolute,
            inner_negated: absolute && self.rng.percent(30),
            negated: !literal && self.rng.percent(22),
            ..plain
        }
    }

    /// A scalar of an operand.
    pub(super) fn as_scalar(&mut self, operand: Operand) -> Operand {
        Operand {
            swizzle: [self.rng.below(4); 4],
            scalar: true,
            ..operand
        }
    }
}
