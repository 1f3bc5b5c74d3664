//! Operands: registers, their indices, swizzles, signs and masks. TGSI, section "Instruction Set".

mod constants;
mod declared;
mod inputs;
mod named;
mod outputs;
mod registers;

use super::ast;
use super::check::TgsiChecker;
use super::lower::emitter::Emitter;
use super::modes::Properties;
use super::symbols::Declared;
use crate::lower::formula::Formulas;
use crate::tgsi::check::Parsed;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Base, IndexTerm, Op, RegisterId, Span, Src, WriteMask};
pub(super) use named::{ADDRESSES, Number, Register, Target, splat};

/// Resolves registers to operands of the program, with the instructions that compute them.
pub(super) struct TgsiResolver<'a> {
    pub(super) check: TgsiChecker<'a>,
    pub(super) emit: Emitter,
    pub(super) declared: Declared,
    pub(super) properties: Properties,
    /// Type that the current instruction reads constants as.
    pub(super) constant_type: Type,
}

impl TgsiResolver<'_> {
    /// Resolves the indices of a register.
    #[inline]
    pub(super) fn resolve_register(&mut self, register: &ast::Register) -> Parsed<Register> {
        let outer = match register.outer {
            None => None,
            Some(outer) => Some(self.resolve_index(outer)?),
        };
        Ok(Register {
            file: register.file,
            outer,
            number: self.resolve_index(register.index)?,
            span: register.span,
        })
    }

    #[inline]
    fn resolve_index(&mut self, index: ast::Index) -> Parsed<Number> {
        let relative = match index.relative {
            None => None,
            Some(relative) => Some(self.resolve_relative(relative)?),
        };
        let term = IndexTerm {
            relative,
            offset: index.offset,
        };
        Ok(Number {
            term,
            array: index.array,
        })
    }

    /// Returns the register and lane that an index reads. An index that is not a register of the
    /// program is copied to one.
    #[cold]
    fn resolve_relative(&mut self, relative: u32) -> Parsed<(RegisterId, u8)> {
        let ast::Relative { register, lane } = self.check.ast.relatives[relative as usize];
        let register = self.resolve_register(&register)?;
        let source = self.resolve_source(&register)?;
        // An index of the IR names a register and a lane: immediates, constants and elements of
        // arrays are not allowed.
        if let (Base::Register(found), None) = (source.base, source.index) {
            return Ok((found, source.swizzle.lane(lane.into()) as u8));
        }
        let copy = self.emit.hidden(Width::W32);
        self.emit
            .put(copy, WriteMask::XYZW, Op::Mov, Type::U32, &[source]);
        Ok((copy, lane))
    }

    /// Resolves a source with sign, bars and swizzle.
    #[inline]
    pub(super) fn source(
        &mut self,
        operand: &ast::Operand,
        register: &mut Register,
    ) -> Parsed<Src> {
        *register = self.resolve_register(&operand.register)?;
        let source = self.resolve_source(register)?;
        Ok(Src {
            negate: operand.negate,
            abs: operand.abs,
            ..source.swizzled(operand.swizzle)
        })
    }

    /// Resolves a result: register and mask.
    #[inline]
    pub(super) fn target(&mut self, operand: &ast::Operand) -> Parsed<Target> {
        let register = self.resolve_register(&operand.register)?;
        Ok(Target {
            register,
            mask: operand.mask,
            span: Span::new(register.span.start, operand.end),
        })
    }
}
