//! OPTION lines. NV_gpu_program4 section 2.X.6.

use super::Checker;
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::options::{self, Group, OptionInfo};
use crate::lang::stage_name;
use crate::names::NameId;
use crate::suggest::suggest;
use glasm_ir::Span;

impl Checker<'_> {
    /// An OPTION line. NV_gpu_program4 section 2.X.6.
    pub(super) fn option(&mut self, name: NameId, span: Span) {
        let text = self.ast.names.word(name);
        let (dialect, acceptance) = (self.ast.dialect, self.reports.acceptance());
        // An option of another type of program or of a later version is unknown to this one.
        let Some(row) = options::find(text.as_bytes(), dialect, acceptance) else {
            return self.unknown_option(text, span);
        };
        if row.is_early_in(dialect) {
            self.warn_early_option(row, span);
        }
        let excludes = |&&(group, other): &&(Group, &str)| {
            group == row.group && group != Group::None && other != row.name
        };
        if let Some((_, other)) = self.options.groups.iter().find(excludes) {
            let message = format!("option `{text}` excludes `{other}`");
            let reports = &mut self.reports;
            reports.error(Code::OptionConflict, span, message);
        }
        // An option that is named twice does not conflict with itself. The list has each option
        // once, so that repeated lines do not lengthen the search above.
        if !self.options.groups.contains(&(row.group, row.name)) {
            self.options.groups.push((row.group, row.name));
        }
        // An option that excludes another counts all the same, so that what it brings is no error of its own.
        self.program.features |= row.enables;
        (row.mode)(&mut self.program.modes);
        if let Some(dependency) = row.requires.filter(|it| it.stages.has(self.stage)) {
            self.options.required = Some((dependency, span));
        }
    }

    #[cold]
    pub(super) fn unknown_option(&mut self, text: &str, span: Span) {
        let known = options::OPTIONS
            .iter()
            .filter(|row| row.known_in(self.ast.dialect));
        let notes = suggest(text, known.map(|row| row.name));
        let message = format!(
            "unknown option `{text}` in a {} program",
            stage_name(self.stage)
        );
        let (code, notes) = (Code::OptionUnknown, notes.into_iter().collect());
        self.error_with(code, span, message, notes);
    }

    /// Options that need others, which may stand behind them.
    pub(super) fn option_dependencies(&mut self) {
        // No stage has options with different dependencies.
        if let Some((dependency, span)) = self.options.required
            && !self.has_option(dependency.features)
        {
            let (code, message) = (Code::OptionNeedsOther, dependency.message);
            self.error(code, span, message);
        }
    }

    /// Warns of an option of version 5.0 that drivers know from 4.0 on.
    #[cold]
    fn warn_early_option(&mut self, row: &OptionInfo, span: Span) {
        let message = format!(
            "option `{}` needs language version {}",
            row.name,
            row.since.name()
        );
        self.lenient(Rule::DualSourceEarly, span, message);
    }
}
