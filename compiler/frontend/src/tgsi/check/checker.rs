//! The source and the reports of a program that is checked, and rules that need nothing else.

use super::blocks::BlockStack;
use super::registers::ResolvedRegister;
use super::routines::Routines;
use crate::check::IndexUsage;
use crate::codes::{Code, LenientRule};
use crate::diagnostic_sink::DiagnosticSink;
use crate::lang::stage_name;
use crate::source::TgsiOptions;
use crate::tgsi::ast::Ast;
use crate::tgsi::declaration_tables::FileAccess;
use crate::tgsi::opcodes::OpcodeRow;
use crate::tgsi::syntax_error::quote;
use glasm_ir::{Span, Stage};

/// A reported error. The rest of the statement is skipped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

/// Result of a rule.
pub(super) type CheckResult<T> = Result<T, Reported>;

/// Checks a program. It has access to the source and the reports, but not to the checked program.
pub(super) struct TgsiChecker<'a> {
    pub(super) ast: &'a Ast<'a>,
    pub(super) stage: Stage,
    pub(super) options: &'a TgsiOptions,
    pub(super) reports: DiagnosticSink,
    /// The numbers of registers and semantics that a caller may limit.
    pub(super) usage: &'a mut IndexUsage,
    pub(super) routines: &'a mut Routines,
    pub(super) blocks: &'a mut BlockStack,
}

impl TgsiChecker<'_> {
    /// Reports the syntax error of a statement if it has one, and returns `Err` for it.
    pub(super) fn check_syntax_error(&mut self, failure: Option<u32>) -> CheckResult<()> {
        match failure {
            None => Ok(()),
            Some(failure) => Err(self.report_syntax_error(failure)),
        }
    }

    /// Reports syntax error number `failure` of the tree.
    fn report_syntax_error(&mut self, failure: u32) -> Reported {
        let failure = self.ast.syntax_errors[failure as usize];
        let (code, message, hint) = failure.describe(self.ast.text);
        self.report_error_with_hint(code, failure.span(), message, hint)
    }

    /// Reports an error at `span`; the result is the proof that an error was reported.
    pub(super) fn report_error(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> Reported {
        self.reports.report_error(code, span, message);
        Reported
    }

    /// Reports an error at `span` with a hint that is shown as a note.
    pub(super) fn report_error_with_hint(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> Reported {
        let notes = hint.into_iter().collect();
        self.reports
            .report_error_with_notes(code, span, message, notes);
        Reported
    }

    /// Reports a broken rule that shipped programs break. Returns true if the program is accepted.
    pub(super) fn report_lenient(
        &mut self,
        rule: LenientRule,
        span: Span,
        message: impl Into<String>,
    ) -> bool {
        self.reports.report_lenient(rule, span, message)
    }

    /// Returns the source at `span` for messages; long ones are truncated.
    pub(super) fn quote_source(&self, span: Span) -> String {
        quote(&self.ast.text[span.range()])
    }

    /// Reports an opcode that programs of this stage or of this version do not have.
    pub(super) fn report_unavailable_opcode(&mut self, row: &OpcodeRow, span: Span) -> Reported {
        if !row.stages.contains_stage(self.stage) {
            let stage = stage_name(self.stage);
            let message = format!("`{}` is not an opcode of {stage} programs", row.name);
            return self.report_error(Code::FeatureStage, span, message);
        }
        let message = format!("`{}` is an opcode of the TGSI of 2010", row.name);
        self.report_error(Code::OldLanguage, span, message)
    }

    /// Reports, leniently, an instruction after `END`, where only subroutines are expected.
    pub(super) fn report_misplaced(&mut self, inst: Span) -> CheckResult<()> {
        let message = "only subroutines may follow `END`";
        let accepted = self.report_lenient(LenientRule::TextBehindEnd, inst, message);
        accepted.then_some(()).ok_or(Reported)
    }

    /// Reports, leniently, a clamp (`_SAT`) of an opcode with integer results.
    pub(super) fn report_clamp_on_integers(&mut self, row: &OpcodeRow, span: Span) {
        let message = format!("the integer result of `{}` cannot be clamped", row.name);
        self.report_lenient(LenientRule::ClampOnInteger, span, message);
    }
}

impl TgsiChecker<'_> {
    /// Returns the number of a register, which must be constant and less than `count`; reports
    /// others.
    pub(super) fn require_constant_number(
        &mut self,
        register: &ResolvedRegister,
        count: usize,
    ) -> CheckResult<usize> {
        match register.index.as_constant() {
            Some(number) if (number as usize) < count => Ok(number as usize),
            Some(_) => Err(self.report_no_register(register)),
            None => {
                let file = register.file.word();
                let message = format!("registers of `{file}` cannot be dynamically indexed");
                Err(self.report_error(Code::IndexVariable, register.span, message))
            }
        }
    }

    /// Reports a register whose number is larger than in any program.
    pub(super) fn report_no_register(&mut self, register: &ResolvedRegister) -> Reported {
        let text = self.quote_source(register.span);
        let message = format!("there is no `{text}`");
        self.report_error(Code::IndexOutOfBounds, register.span, message)
    }

    /// Checks that a per-vertex register has a vertex index, and that a constant one is below
    /// `vertices`.
    pub(super) fn check_vertex(
        &mut self,
        register: &ResolvedRegister,
        vertices: u32,
    ) -> CheckResult<()> {
        let Some(vertex) = register.outer else {
            let text = self.quote_source(register.span);
            let message = format!(
                "`{text}` is per vertex: it requires a vertex index in a first pair of brackets"
            );
            return Err(self.report_error(Code::VertexMissing, register.span, message));
        };
        match vertex.as_constant() {
            // Only a constant can be wrong here.
            Some(number) if number < 0 || number as u32 >= vertices => {
                let message = format!("the vertices are numbered from 0 to {}", vertices - 1);
                Err(self.report_error(Code::VertexNumber, register.span, message))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Reports a result in a register file that cannot be written.
    pub(super) fn report_read_only_register(&mut self, register: &ResolvedRegister) -> Reported {
        let file = register.file.word();
        let message = match register.file.access() {
            FileAccess::Read => format!("registers of `{file}` are read only"),
            FileAccess::Resource | FileAccess::Write => {
                format!("registers of `{file}` take no results")
            }
        };
        self.report_error(Code::WriteReadOnly, register.span, message)
    }

    /// Reports a write to an image that is not declared as writable.
    pub(super) fn report_read_only_image(&mut self, register: &ResolvedRegister) -> Reported {
        let text = self.quote_source(register.span);
        let message = format!("`{text}` is declared without `WR`: it is read only");
        self.report_error(Code::ImageAccess, register.span, message)
    }

    /// Reports a write to a resource that cannot be written.
    pub(super) fn report_read_only(&mut self, register: &ResolvedRegister) -> Reported {
        let text = self.quote_source(register.span);
        let message = format!("`{text}` is read only");
        self.report_error(Code::WriteReadOnly, register.span, message)
    }
}
