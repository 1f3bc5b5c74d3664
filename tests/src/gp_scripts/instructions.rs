//! Instructions of random programs.

use super::convert::Rounding;
use super::flags::any_rule;
use super::ops::{Compute, Op, Signature};
use super::program::{Action, Clamp, Dest, Inst, Operand, Place, Stmt, Test};
use super::value::{Base, F16, F32, F64, Num, S32, S64, Type, U32, U64};
use super::writer::Writer;

const CVT_TYPES: &[Type] = &[
    F16,
    F32,
    F64,
    Type::new(Base::S, 8),
    Type::new(Base::S, 16),
    S32,
    S64,
    Type::new(Base::U, 8),
    Type::new(Base::U, 16),
    U32,
    U64,
];

/// Result and operand of conversions that often round.
const ROUNDED: &[(Type, Type)] = &[
    (F16, F32),
    (F16, F32),
    (F16, F64),
    (F32, F64),
    (F32, F64),
    (F32, S32),
    (F32, U32),
    (S32, F32),
    (U32, F32),
    (S32, F64),
    (S64, F64),
];

impl Writer {
    /// A condition of one of the registers.
    pub(super) fn test(&mut self) -> Test {
        let (rule, name) = any_rule(&mut self.rng);
        Test {
            rule,
            name,
            register: self.rng.below(2),
            swizzle: self.swizzle(),
        }
    }

    /// Components that are written: mostly all.
    fn lanes(&mut self) -> [bool; 4] {
        if self.rng.percent(45) {
            return [true; 4];
        }
        let bits = 1 + self.rng.below(15);
        std::array::from_fn(|lane| bits >> lane & 1 == 1)
    }

    pub(super) fn dest(&mut self, ty: Type, width: Option<u32>) -> Dest {
        let widths: Vec<u32> = self.program.vars.iter().map(|var| var.width).collect();
        let slot = self.slot(ty, |slot| {
            slot.writes && width.is_none_or(|width| widths[slot.var] == width)
        });
        Dest {
            var: slot.var,
            index: self.index(slot.var),
            lanes: self.lanes(),
            test: self.rng.percent(20).then(|| self.test()),
        }
    }

    /// An instruction that computes.
    pub(super) fn instruction(&mut self) -> Option<Stmt> {
        let kind = self.rng.below(100);
        match kind {
            0..8 if self.profile.version == 50 => self.conversion(),
            8..10 => self.extended_swizzle(),
            10..13 => Some(self.new_indices()),
            _ => self.operation(),
        }
    }

    fn operation(&mut self) -> Option<Stmt> {
        let (op, ty) = self.any_op();
        let result = op.signature.result(ty);
        let raw = op.signature.is_raw();
        let mut operands: Vec<Operand> = Vec::new();
        for index in 0..op.compute.operands() {
            operands.push(self.op_operand(op, ty, index)?);
        }
        let dest = self.dest(result, raw.then_some(result.bits));
        let packs = matches!(op.signature, Signature::Pack | Signature::Pack64);
        let sets = (!packs && self.rng.percent(25)).then(|| self.rng.below(2));
        let clamps = result.is_float() && op.signature != Signature::ToFloat && !raw;
        let clamp =
            (clamps && self.rng.percent(12)).then(|| *self.rng.pick(&[Clamp::Sat, Clamp::Ssat]));
        let precise = ty.is_float() && !raw && self.profile.version == 50 && self.rng.percent(10);
        let suffixes = ty == F32 && !raw && !precise && !op.name.contains('.');
        Some(Stmt::Inst(Inst {
            action: Action::Op(op, ty),
            dest,
            operands,
            sets,
            clamp,
            precise,
            suffixes: suffixes && self.rng.percent(15),
        }))
    }

    /// An operand of an operation, with what suits it.
    fn op_operand(&mut self, op: &Op, ty: Type, index: usize) -> Option<Operand> {
        let operand_type = op.signature.operand(ty, index);
        let is_field = matches!(op.name, "BFE" | "BFI") && index == 0;
        if is_field && self.rng.percent(80) {
            return Some(self.bit_field(ty));
        }
        if op.signature.is_raw() && op.signature != Signature::Pack {
            // Bits of registers of just that size.
            let plain = self.plain_operand(operand_type, 0);
            let Place::Var(var, _) = plain.place else {
                return None;
            };
            if self.program.vars[var].width != operand_type.bits {
                return None;
            }
            return Some(match op.compute {
                Compute::WholeScalar(_) => self.as_scalar(plain),
                Compute::One(_)
                | Compute::Two(_)
                | Compute::Three(_)
                | Compute::TwoScalar(_)
                | Compute::Scalar(_)
                | Compute::Whole(..) => plain,
            });
        }
        let scalar = op.compute.is_scalar(index);
        let literals = if scalar && index == 1 { 60 } else { 22 };
        if scalar && matches!(op.name, "SHL" | "SHR") && self.rng.percent(70) {
            let count = self.rng.below(ty.bits as usize);
            return Some(literal(count.to_string(), Num::I(count as i128)));
        }
        let operand = self.operand(operand_type, literals);
        let vector = matches!(&operand.place, Place::Literal(text, _) if text.starts_with('{'));
        let literal = matches!(operand.place, Place::Literal(..));
        Some(if scalar && (!literal || vector) {
            self.as_scalar(operand)
        } else {
            operand
        })
    }

    /// Number and offset of bits.
    fn bit_field(&mut self, ty: Type) -> Operand {
        let offset = self.rng.below(ty.bits as usize);
        let count = self.rng.below(ty.bits as usize - offset + 1);
        let nums = [count, offset, 0, 0].map(|value| Num::I(value as i128));
        Operand {
            place: Place::Literal(format!("{{{count}, {offset}, 0, 0}}"), nums),
            ..literal(String::new(), Num::I(0))
        }
    }

    fn conversion(&mut self) -> Option<Stmt> {
        let (to, from) = if self.rng.percent(45) {
            *self.rng.pick(ROUNDED)
        } else {
            (*self.rng.pick(CVT_TYPES), *self.rng.pick(CVT_TYPES))
        };
        if !self.has_type(from) || !self.has_type(to) {
            return None;
        }
        let is_long = |ty: Type| ty.bits == 64 && !ty.is_float();
        if self.profile.emulated && (is_long(from) || is_long(to)) {
            return None;
        }
        let (rounding, name) = *self.rng.pick(&Rounding::ALL);
        let operand = self.plain_operand(from, 0);
        let dest = self.dest(to, None);
        Some(Stmt::Inst(Inst {
            action: Action::Convert(to, from, rounding, name),
            dest,
            operands: vec![operand],
            sets: (to != F16 && self.rng.percent(15)).then(|| self.rng.below(2)),
            clamp: (to != F16 && self.rng.percent(35)).then_some(Clamp::Sat),
            precise: false,
            suffixes: false,
        }))
    }

    fn extended_swizzle(&mut self) -> Option<Stmt> {
        let lanes = std::array::from_fn(|_| {
            let name = *self.rng.pick(&["x", "y", "z", "w", "0", "1"]);
            // Mesa takes the absolute value of a constant -0 beside components that are none for -0.
            (name != "0" && self.rng.percent(30), name)
        });
        let plain = self.plain_operand(F32, 0);
        let operand = Operand {
            swizzle: [0, 1, 2, 3],
            ..plain
        };
        let dest = self.dest(F32, Some(32));
        Some(Stmt::Inst(Inst {
            action: Action::Swizzle(lanes),
            dest,
            operands: vec![operand],
            sets: self.rng.percent(20).then(|| self.rng.below(2)),
            clamp: None,
            precise: false,
            suffixes: false,
        }))
    }

    /// Other indices of arrays, all below 4.
    pub(super) fn new_indices(&mut self) -> Stmt {
        let operand = self.plain_operand(U32, 0);
        let dest = Dest {
            lanes: self.lanes(),
            ..super::machine::whole(self.indices)
        };
        let op = super::layout::op("AND");
        Stmt::Inst(Inst {
            action: Action::Op(op, U32),
            dest,
            operands: vec![operand, literal("3".to_owned(), Num::I(3))],
            sets: None,
            clamp: None,
            precise: false,
            suffixes: false,
        })
    }
}

/// A scalar constant.
pub(super) fn literal(text: String, num: Num) -> Operand {
    Operand {
        place: Place::Literal(text, [num; 4]),
        swizzle: [0, 1, 2, 3],
        scalar: false,
        inner_negated: false,
        absolute: false,
        negated: false,
    }
}
