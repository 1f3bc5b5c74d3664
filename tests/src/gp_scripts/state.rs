//! What one invocation holds, and what its operands and conditions are.

use super::arith;
use super::convert::half_value;
use super::flags::{Flags, Rule};
use super::ops::Vector;
use super::program::{Access, Index, Operand, Place, Program, Test, VarId};
use super::value::{F16, Lane, Num, Open, S32, Type, U32, read};

/// Registers and condition codes of an invocation.
#[derive(Clone)]
pub(super) struct State {
    /// Elements of each variable.
    pub(super) vars: Vec<Vec<[Lane; 4]>>,
    pub(super) flags: [[Option<Flags>; 4]; 2],
}

impl State {
    pub(super) fn new(vars: Vec<Vec<[Lane; 4]>>) -> Self {
        Self {
            vars,
            flags: [[None; 4]; 2],
        }
    }

    pub(super) fn element(
        &self,
        program: &Program,
        var: VarId,
        index: Index,
    ) -> Result<usize, Open> {
        let element = match index {
            Index::None => 0,
            Index::Constant(element) => element,
            Index::Register(by, lane, offset) => {
                let lane = self.vars[by][0][lane];
                let value = read(lane, program.vars[by].width, S32)?.int();
                usize::try_from(value).map_err(|_| Open)? + offset
            }
        };
        if element < self.vars[var].len() {
            Ok(element)
        } else {
            Err(Open)
        }
    }

    /// The component that stands at `lane` of an operand, without signs, and its width; `None` for literals.
    pub(super) fn source(
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
    pub(super) fn unsigned(
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
        Ok(if operand.negated {
            arith::negated(ty, num)
        } else {
            num
        })
    }

    pub(super) fn vector(&self, program: &Program, operand: &Operand, ty: Type) -> Vector {
        std::array::from_fn(|lane| self.operand(program, operand, ty, lane))
    }

    /// Each component of a condition.
    pub(super) fn tests(&self, test: &Test) -> [Result<bool, Open>; 4] {
        test.swizzle
            .map(|lane| match (test.rule, self.flags[test.register][lane]) {
                (Rule::Fl, _) => Ok(false),
                (Rule::Tr, _) => Ok(true),
                (_, None) => Err(Open),
                (rule, Some(flags)) => flags.test(rule),
            })
    }

    /// Whether a condition holds for any component.
    pub(super) fn passes(&self, test: &Test) -> Result<bool, Open> {
        let mut any = false;
        for holds in self.tests(test) {
            any |= holds?;
        }
        Ok(any)
    }

    /// The byte that an access begins at.
    pub(super) fn address(&self, program: &Program, access: &Access) -> Result<usize, Open> {
        let base = match access.at {
            None => 0,
            Some((var, lane)) => read(self.vars[var][0][lane], program.vars[var].width, U32)?.int(),
        };
        let base = usize::try_from(base).map_err(|_| Open)?;
        base.checked_add(access.offset).ok_or(Open)
    }
}
