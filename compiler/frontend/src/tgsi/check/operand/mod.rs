//! Values of registers: vectors of constant buffers here, temporaries, addresses, predicates and
//! immediates in `register_access`, inputs and outputs in `inputs`.

mod inputs;
mod register_access;

use crate::tgsi::ast::Register;
use crate::tgsi::check::checker::CheckResult;
use crate::tgsi::check::contexts::TgsiResolver;
use crate::tgsi::check::registers::{RegisterIndex, ResolvedRegister};
use crate::tgsi::check::symbols::DeclaredRange;
use crate::tgsi::checked::{CheckedValue, ConstantBuffer, IndexedConstant, add};
use crate::tgsi::declaration_tables::RegisterFile;

impl TgsiResolver<'_> {
    /// Returns the value of a declared vector with constant indices, `None` for others.
    pub(in crate::tgsi::check) fn find_constant_fast(
        &mut self,
        register: &Register,
    ) -> Option<CheckedValue> {
        let number = u32::try_from(register.index.offset).ok()?;
        let buffer = match register.outer {
            None => 0,
            Some(outer) if outer.relative.is_some() => return None,
            Some(_) if self.checker.ast.is_outer_indexed(RegisterFile::Const) => return None,
            Some(outer) => u32::try_from(outer.offset).ok()?,
        };
        let is_declared = self.declared.constants.contains(buffer, number);
        is_declared.then_some(CheckedValue::Constant { buffer, number })
    }

    /// Returns the value of a vector of a constant buffer.
    pub(in crate::tgsi::check) fn resolve_constant(
        &mut self,
        register: &ResolvedRegister,
    ) -> CheckResult<CheckedValue> {
        if register
            .outer
            .and_then(RegisterIndex::as_constant)
            .is_some_and(|number| number < 0)
        {
            return Ok(self.resolve_out_of_bounds(register));
        }
        if register.index.as_constant().is_none() && self.declared.constants.ranges.is_empty() {
            self.declare_leniently(register)?;
        }
        // If any operand selects the buffer dynamically, all buffers are one array of which each is
        // an element.
        let of_any = self.checker.ast.is_outer_indexed(RegisterFile::Const);
        let buffer = register
            .outer
            .and_then(RegisterIndex::as_constant)
            .unwrap_or(0) as u32;
        let buffer = match (register.outer, register.index.as_constant()) {
            (Some(outer), _) if of_any => ConstantBuffer::Element {
                index: outer.term,
                count: self.count_constant_buffers(),
            },
            // Two equal static addresses are the same vector; a computed address may differ each
            // time.
            (_, Some(number)) => return self.resolve_constant_at(register, buffer, number),
            (_, None) => ConstantBuffer::Number(buffer),
        };
        let constant = IndexedConstant {
            buffer,
            index: register.index.term,
        };
        let id = add(&mut self.program.indexed_constants, constant);
        Ok(CheckedValue::IndexedConstant(id))
    }

    /// Returns the value of a vector whose address is known.
    fn resolve_constant_at(
        &mut self,
        register: &ResolvedRegister,
        buffer: u32,
        number: i32,
    ) -> CheckResult<CheckedValue> {
        if number < 0 {
            return Ok(self.resolve_out_of_bounds(register));
        }
        let number = number as u32;
        if !self.declared.constants.contains(buffer, number) {
            self.declare_constant(register, buffer, number)?;
        }
        Ok(CheckedValue::Constant { buffer, number })
    }

    /// Reports an undeclared vector of a constant buffer leniently and declares it.
    #[cold]
    fn declare_constant(
        &mut self,
        register: &ResolvedRegister,
        buffer: u32,
        number: u32,
    ) -> CheckResult<()> {
        self.declare_leniently(register)?;
        // So that the next operand detects it as declared, and its buffer is counted.
        self.declared.constants.push(DeclaredRange {
            buffer,
            first: number,
            last: number,
            span: register.span,
        });
        Ok(())
    }

    /// Returns the number of constant buffers that dynamic indices select from.
    pub(in crate::tgsi::check) fn count_constant_buffers(&self) -> u32 {
        self.declared.constants.buffer_count.max(1)
    }
}
