//! The contexts of the rules that add to the checked program, and operands: registers, their
//! indices, swizzles, signs and masks. TGSI, section "Instruction Set".

use super::checker::{CheckResult, TgsiChecker};
use super::registers::{RegisterIndex, ResolvedRegister};
use super::symbols::DeclaredRegisters;
use crate::tgsi::ast;
use crate::tgsi::checked::{
    CheckedIndex, CheckedInst, CheckedProgram, CheckedSource, RelativeValue, add,
};
use crate::tgsi::properties::Properties;
use glasm_ir::Span;

/// Resolves registers to values of the checked program.
pub(super) struct TgsiResolver<'a> {
    pub(super) checker: TgsiChecker<'a>,
    pub(super) program: &'a mut CheckedProgram,
    pub(super) declared: &'a mut DeclaredRegisters,
    /// All properties of the program, also those that follow the current statement.
    pub(super) properties: Properties,
    /// Location of the current statement: its keyword or opcode, or the whole instruction once its
    /// operands are resolved.
    pub(super) current_span: Span,
}

/// Declares registers.
pub(super) struct Declarer<'r, 'a> {
    pub(super) resolver: &'r mut TgsiResolver<'a>,
}

impl<'r, 'a> Declarer<'r, 'a> {
    /// Returns the context that declares registers in the tables of a resolver.
    pub(super) fn new(resolver: &'r mut TgsiResolver<'a>) -> Self {
        Self { resolver }
    }
}

/// Kinds of texture opcodes in a program.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LookupKinds {
    /// True if there are opcodes with samplers.
    pub(super) has_samplers: bool,
    pub(super) has_views: bool,
}

/// Checks the statements of a program.
pub(super) struct StatementChecker<'a> {
    pub(super) resolver: TgsiResolver<'a>,
    pub(super) lookups: LookupKinds,
    /// Number of subroutines that began.
    pub(super) subroutine_count: usize,
    /// True if there was an instruction.
    pub(super) has_instructions: bool,
}

impl TgsiResolver<'_> {
    /// Resolves a parsed register with the dynamic parts of its indices. `Err` after a reported
    /// error.
    pub(super) fn resolve_register(
        &mut self,
        register: &ast::Register,
    ) -> CheckResult<ResolvedRegister> {
        let outer = match register.outer {
            None => None,
            Some(outer) => Some(self.resolve_index(outer)?),
        };
        Ok(ResolvedRegister {
            file: register.file,
            outer,
            index: self.resolve_index(register.index)?,
            span: register.span,
        })
    }

    /// Resolves an index to a constant, or to a value and an offset.
    fn resolve_index(&mut self, index: ast::Index) -> CheckResult<RegisterIndex> {
        let relative = match index.relative {
            None => None,
            Some(relative) => Some(self.resolve_relative(relative)?),
        };
        let term = CheckedIndex {
            relative,
            offset: index.offset,
        };
        Ok(RegisterIndex {
            term,
            array: index.array,
        })
    }

    /// Returns the number of the value that an index reads.
    #[cold]
    fn resolve_relative(&mut self, relative: u32) -> CheckResult<u32> {
        let ast::RelativeIndex { register, lane } = self.checker.ast.relatives[relative as usize];
        let register = self.resolve_register(&register)?;
        let value = self.resolve_source(&register)?;
        Ok(add(
            &mut self.program.relatives,
            RelativeValue { value, lane },
        ))
    }

    /// Resolves a source operand with sign, bars and swizzle, and adds it to the checked program.
    pub(super) fn resolve_operand_source(&mut self, operand: &ast::Operand) -> CheckResult<()> {
        let value = match self.find_value_fast(&operand.register) {
            Some(value) => value,
            None => {
                let register = self.resolve_register(&operand.register)?;
                self.resolve_source(&register)?
            }
        };
        self.program.sources.push(CheckedSource {
            value,
            swizzle: operand.swizzle,
            negate: operand.negate,
            absolute: operand.absolute,
        });
        Ok(())
    }
}

impl<'a> StatementChecker<'a> {
    /// Returns the context before the first statement of a program.
    pub(super) fn new(resolver: TgsiResolver<'a>) -> Self {
        Self {
            resolver,
            lookups: LookupKinds::default(),
            subroutine_count: 0,
            has_instructions: false,
        }
    }

    /// Adds an instruction to the checked program.
    pub(super) fn push_inst(&mut self, inst: CheckedInst) {
        self.resolver.program.insts.push(inst);
    }
}
