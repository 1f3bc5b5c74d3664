//! The rules of TGSI, and their reports.

mod declaration;
mod flow;
mod numbers;
mod operand;
mod routines;

pub(super) use declaration::Suffixes;
pub(super) use flow::Blocks;
pub(super) use routines::Routines;

use super::ast::Ast;
use super::opcodes::Row;
use crate::check::Usage;
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::stage_name;
use crate::report::Reports;
use crate::source::TgsiOptions;
use crate::tgsi::failure::quote;
use glasm_ir::{Span, Stage};

/// A reported error. The rest of the statement is skipped.
#[derive(Clone, Copy, Debug)]
pub(in crate::tgsi) struct Reported;

/// Result of checking and lowering.
pub(in crate::tgsi) type Parsed<T> = Result<T, Reported>;

/// Checks a program. It has access to the source and the reports, but not to the program that is
/// built.
pub(in crate::tgsi) struct TgsiChecker<'a> {
    pub(in crate::tgsi) ast: &'a Ast<'a>,
    pub(in crate::tgsi) stage: Stage,
    pub(in crate::tgsi) options: &'a TgsiOptions,
    pub(in crate::tgsi) reports: Reports,
    /// The numbers of registers and semantics that a caller may limit.
    pub(in crate::tgsi) usage: Usage,
    pub(super) routines: &'a Routines,
    pub(super) blocks: Blocks,
}

impl TgsiChecker<'_> {
    /// Reports the syntax error of a statement, if it has one.
    #[inline]
    pub(in crate::tgsi) fn check_failure(&mut self, failure: Option<u32>) -> Parsed<()> {
        match failure {
            None => Ok(()),
            Some(failure) => Err(self.report_failure(failure)),
        }
    }

    #[cold]
    fn report_failure(&mut self, failure: u32) -> Reported {
        let failure = self.ast.failures[failure as usize];
        let (code, message, hint) = failure.describe(self.ast.text);
        self.error_with(code, failure.span(), message, hint)
    }

    /// Reports an error at `span`.
    #[cold]
    pub(in crate::tgsi) fn error(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> Reported {
        self.reports.error(code, span, message);
        Reported
    }

    /// Reports an error with a hint.
    #[cold]
    pub(in crate::tgsi) fn error_with(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> Reported {
        let notes = hint.into_iter().collect();
        self.reports.error_with(code, span, message, notes);
        Reported
    }

    /// Reports a broken rule that shipped programs break. Returns true if the program is accepted.
    #[cold]
    pub(in crate::tgsi) fn lenient(
        &mut self,
        rule: Rule,
        span: Span,
        message: impl Into<String>,
    ) -> bool {
        self.reports.lenient(rule, span, message)
    }

    pub(in crate::tgsi) fn text_of(&self, span: Span) -> String {
        quote(&self.ast.text[span.range()])
    }

    /// Reports an opcode that programs of this stage or of this version do not have.
    #[cold]
    pub(in crate::tgsi) fn report_refused_opcode(&mut self, row: &Row, span: Span) -> Reported {
        if !row.stages.has(self.stage) {
            let stage = stage_name(self.stage);
            let message = format!("`{}` is no opcode of {stage} programs", row.name);
            return self.error(Code::FeatureStage, span, message);
        }
        let message = format!("`{}` is an opcode of the text of 2010", row.name);
        self.error(Code::OldLanguage, span, message)
    }

    /// Reports an instruction where subroutines are expected.
    #[cold]
    pub(in crate::tgsi) fn report_misplaced(&mut self, inst: Span) -> Parsed<()> {
        let message = "only subroutines stand behind `END`";
        let accepted = self.lenient(Rule::TextBehindEnd, inst, message);
        accepted.then_some(()).ok_or(Reported)
    }

    /// Reports a clamp of integers.
    #[cold]
    pub(super) fn report_clamp_on_integers(&mut self, row: &Row, span: Span) {
        let message = format!("`{}` gives integers, which are not clamped", row.name);
        self.lenient(Rule::ClampOnInteger, span, message);
    }
}
