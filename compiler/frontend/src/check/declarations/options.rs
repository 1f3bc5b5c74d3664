//! OPTION lines. NV_gpu_program4 section 2.X.6.

use crate::check::context::RuleCx;
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::options::{Dependency, Group, OptionInfo};
use crate::lang::{options as lang_options, stage_name};
use crate::names::NameId;
use crate::suggest::suggest;
use glasm_ir::Span;
use glasm_ir::program::Modes;

/// State that the OPTION lines have set.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// Groups of options that exclude each other, with the option of each.
    groups: Vec<(Group, &'static str)>,
    /// Dependency of an option, with its span.
    required: Option<(Dependency, Span)>,
}

impl Options {
    /// Removes all options.
    pub(crate) fn reset(&mut self) {
        self.groups.clear();
        self.required = None;
    }
}

/// Checks an OPTION line. NV_gpu_program4 section 2.X.6.
pub(crate) fn check_option(
    cx: &mut RuleCx<'_>,
    (modes, options): (&mut Modes, &mut Options),
    name: NameId,
    span: Span,
) {
    let text = cx.ast.names.word(name);
    let (dialect, acceptance) = (cx.ast.dialect, cx.reports.acceptance());
    // An option of another type of program or of a later version is unknown in this one.
    let Some(row) = lang_options::find(text.as_bytes(), dialect, acceptance) else {
        return report_unknown_option(cx, text, span);
    };
    if row.is_early_in(dialect) {
        warn_early_option(cx, row, span);
    }
    let excludes = |&&(group, other): &&(Group, &str)| {
        group == row.group && group != Group::None && other != row.name
    };
    if let Some((_, other)) = options.groups.iter().find(excludes) {
        let message = format!("option `{text}` excludes `{other}`");
        let reports = &mut cx.reports;
        reports.error(Code::OptionConflict, span, message);
    }
    // An option that is named twice does not conflict with itself. The list has each option once,
    // so that repeated lines do not slow the search above.
    if !options.groups.contains(&(row.group, row.name)) {
        options.groups.push((row.group, row.name));
    }
    // An option that excludes another is applied nevertheless, so that uses of its features are not
    // reported in addition.
    cx.features |= row.enables;
    (row.mode)(modes);
    if let Some(dependency) = row.requires.filter(|it| it.stages.has(cx.stage)) {
        options.required = Some((dependency, span));
    }
}

#[cold]
pub(crate) fn report_unknown_option(cx: &mut RuleCx<'_>, text: &str, span: Span) {
    let known = lang_options::OPTIONS
        .iter()
        .filter(|row| row.known_in(cx.ast.dialect));
    let notes = suggest(text, known.map(|row| row.name));
    let message = format!(
        "unknown option `{text}` in a {} program",
        stage_name(cx.stage)
    );
    let (code, notes) = (Code::OptionUnknown, notes.into_iter().collect());
    cx.error_with(code, span, message, notes);
}

/// Checks options that need others, which may follow them.
pub(crate) fn check_option_dependencies(cx: &mut RuleCx<'_>, options: &Options) {
    // No stage has options with different dependencies.
    if let Some((dependency, span)) = options.required
        && !cx.has_option(dependency.features)
    {
        let (code, message) = (Code::OptionNeedsOther, dependency.message);
        cx.error(code, span, message);
    }
}

/// Warns of an option of version 5.0 that drivers know from 4.0 on.
#[cold]
fn warn_early_option(cx: &mut RuleCx<'_>, row: &OptionInfo, span: Span) {
    let message = format!(
        "option `{}` needs language version {}",
        row.name,
        row.since.name()
    );
    cx.lenient(Rule::DualSourceEarly, span, message);
}
