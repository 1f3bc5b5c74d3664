//! Statements, in source order.

use super::checker::CheckResult;
use super::contexts::Declarer;
use super::contexts::StatementChecker;
use super::registers::{MAX_ADDRESS_REGISTERS, TgsiInst};
use crate::codes::LenientRule;
use crate::tgsi::ast::{PredicateGuard, Statement, StatementKind};
use crate::tgsi::checked::{CheckedGuard, RelatedOutputs, add};
use crate::tgsi::opcodes::{Flow, OpcodeLowering};
use crate::tgsi::semantics::InputKind;
use crate::tgsi::syntax;
use glasm_ir::{CondTest, Span};

impl StatementChecker<'_> {
    /// Checks all statements in source order, then the end of the program.
    pub(super) fn check_statements(&mut self) {
        let ast = self.resolver.checker.ast;
        Declarer::new(&mut self.resolver).apply_properties();
        let mut inst = TgsiInst::empty();
        // Statements that begin before this byte are in the line of an invalid one.
        let mut resumption = 0;
        for statement in &ast.statements {
            if self.resolver.checker.reports.is_full() {
                break;
            }
            if statement.start < resumption {
                continue;
            }
            if self.check_statement(&mut inst, statement).is_ok() {
                continue;
            }
            debug_assert!(self.resolver.checker.reports.has_errors());
            // The parser has skipped the rest of a statement after a syntax error.
            if statement.syntax_error.is_none() {
                resumption = syntax::find_resumption(ast.text, statement.start, statement.end);
            }
        }
        // After the last statement: declarations may follow instructions where the rule is not
        // strict.
        Declarer::new(&mut self.resolver).check_overlapping_constants();
        Declarer::new(&mut self.resolver).apply_modes();
        let resolver = &mut self.resolver;
        let graph = (&resolver.program.cfg, &resolver.program.call_graph);
        resolver.checker.check_program_end(graph);
        resolver.program.properties = resolver.properties;
        let outputs = &resolver.program.output_registers;
        resolver.program.related_outputs = RelatedOutputs::find(outputs);
        let mut values = resolver.declared.system_values.iter().flatten();
        resolver.program.reads_helper = values.any(|value| value.kind == InputKind::Helper);
    }

    /// Checks a statement: instruction, declaration, immediate or property. `Err` after
    /// a reported error.
    fn check_statement(&mut self, inst: &mut TgsiInst, statement: &Statement) -> CheckResult<()> {
        let ast = self.resolver.checker.ast;
        match statement.kind {
            StatementKind::Inst(id) => {
                let parsed = &ast.insts[id as usize];
                let guard = match parsed.guard {
                    Some(guard) => Some(self.resolve_predicate(&ast.guards[guard as usize])?),
                    None => None,
                };
                // A second END has a separate message.
                if self.resolver.checker.expects_subroutines()
                    && !matches!(
                        parsed.opcode_row.lower,
                        OpcodeLowering::Flow(Flow::Subroutine | Flow::End)
                    )
                {
                    self.resolver.checker.report_misplaced(parsed.opcode)?;
                }
                self.check_instruction(inst, parsed, guard, statement.syntax_error)
            }
            StatementKind::Broken => self
                .resolver
                .checker
                .check_syntax_error(statement.syntax_error),
            StatementKind::UnknownOpcode(word) => {
                if self.resolver.checker.expects_subroutines() {
                    self.resolver.checker.report_misplaced(word)?;
                }
                self.resolver
                    .checker
                    .check_syntax_error(statement.syntax_error)
            }
            StatementKind::Declaration { keyword, id } => {
                self.begin_declaration(keyword);
                match id {
                    Some(id) => {
                        let declaration = &ast.declarations[id as usize];
                        Declarer::new(&mut self.resolver)
                            .declare_registers(declaration, statement.syntax_error)
                    }
                    None => self
                        .resolver
                        .checker
                        .check_syntax_error(statement.syntax_error),
                }
            }
            StatementKind::Immediate { keyword, id } => {
                self.begin_declaration(keyword);
                Declarer::new(&mut self.resolver).declare_immediate(&ast.immediates[id as usize]);
                self.resolver
                    .checker
                    .check_syntax_error(statement.syntax_error)
            }
            StatementKind::Property(id) => {
                let property = &ast.properties[id as usize];
                Declarer::new(&mut self.resolver).check_property(property)
            }
            StatementKind::UnknownProperty(name) => {
                self.resolver.checker.report_unknown_property(name);
                Ok(())
            }
        }
    }

    /// Begins a declaration or an immediate, which precede instructions.
    fn begin_declaration(&mut self, keyword: Span) {
        if self.has_instructions {
            let message = "declarations and immediates come before instructions";
            self.resolver
                .checker
                .report_lenient(LenientRule::LateDeclaration, keyword, message);
        }
        self.resolver.current_span = keyword;
    }

    /// Resolves the predicate in front of an instruction: register, test and swizzle. Returns its
    /// number in the checked program.
    #[cold]
    fn resolve_predicate(&mut self, guard: &PredicateGuard) -> CheckResult<u32> {
        let register = self.resolver.resolve_register(&guard.register)?;
        let number = self
            .resolver
            .checker
            .require_constant_number(&register, MAX_ADDRESS_REGISTERS)?;
        let guard = CheckedGuard {
            register: self.resolver.get_predicate_register(number),
            test: if guard.is_inverted {
                CondTest::Eq
            } else {
                CondTest::Ne
            },
            swizzle: guard.swizzle,
        };
        Ok(add(&mut self.resolver.program.guards, guard))
    }
}
