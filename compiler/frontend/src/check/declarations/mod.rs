//! Options and declarations: context of their rules, tables of bindable declarations, and the rules
//! for OPTION lines. NV_gpu_program4 section 2.X.6.

pub(crate) mod bound_variables;
pub(crate) mod declaration;
pub(crate) mod elements;
pub(crate) mod stage_declarations;

use crate::ast::DeclKind;
use crate::check::context::RuleCx;
use crate::check::names::Resolver;
use crate::codes::{Code, LenientRule};
use crate::diagnostic_sink::suggest_spelling;
use crate::interner::NameId;
use crate::lang::bindings::BindingInfo;
use crate::lang::options::{Dependency, Features, OptionGroup, OptionInfo};
use crate::lang::{options as lang_options, stage_name};
use crate::variables::BufferLayout;
use glasm_ir::Span;
use glasm_ir::program::Modes;
use rustc_hash::FxHashMap;

/// Requirement for a declaration to exist.
#[derive(Clone, Copy)]
pub(super) enum DeclRequirement {
    None,
    /// Language version 5.0.
    Version5,
    Option(Features),
    /// An option before language version 5.0.
    VersionOrOption(Features),
}

/// Declarations that take bindings: kind, word, description of the bindings, requirement.
pub(super) static BINDING_DECLARATIONS: &[(DeclKind, &str, &str, DeclRequirement)] = &[
    (
        DeclKind::Attrib,
        "ATTRIB",
        "an attribute",
        DeclRequirement::None,
    ),
    (
        DeclKind::Output,
        "OUTPUT",
        "a result",
        DeclRequirement::None,
    ),
    (
        DeclKind::Param,
        "PARAM",
        "a parameter or a constant",
        DeclRequirement::None,
    ),
    (
        DeclKind::Buffer,
        "BUFFER",
        "program.buffer",
        DeclRequirement::None,
    ),
    (
        DeclKind::Buffer4,
        "BUFFER4",
        "program.buffer",
        DeclRequirement::None,
    ),
    (
        DeclKind::Cbuffer,
        "CBUFFER",
        "program.buffer",
        DeclRequirement::VersionOrOption(Features::CBUFFER),
    ),
    (
        DeclKind::Storage,
        "STORAGE",
        "program.storage",
        DeclRequirement::Option(Features::STORAGE_BUFFER),
    ),
    (
        DeclKind::Counter,
        "COUNTER",
        "program.counter",
        DeclRequirement::Option(Features::ATOMIC_COUNTERS),
    ),
    (
        DeclKind::Shared,
        "SHARED",
        "program.sharedmem",
        DeclRequirement::None,
    ),
    (
        DeclKind::Texture,
        "TEXTURE",
        "a texture image unit",
        DeclRequirement::Version5,
    ),
    (
        DeclKind::Image,
        "IMAGE",
        "an image unit",
        DeclRequirement::Version5,
    ),
    (
        DeclKind::Subroutine,
        "SUBROUTINE",
        "program.subroutine",
        DeclRequirement::Version5,
    ),
];

/// State that declarations count and compare.
#[derive(Debug, Default)]
pub(crate) struct DeclarationState {
    /// Attributes or results of the current declaration, by entry and number.
    pub(crate) io_elements: Vec<(&'static BindingInfo, u32)>,
    /// Number of elements of temporaries.
    pub(crate) temporaries: u64,
    /// Number of address registers.
    pub(crate) addresses: u64,
    /// Number of elements of parameter arrays.
    pub(crate) parameters: u64,
    /// The type of each `program.subroutine[n]`.
    pub(crate) subroutine_params: FxHashMap<u32, NameId>,
    /// Layout of each program parameter buffer, BUFFER or BUFFER4.
    pub(crate) buffer_layouts: FxHashMap<u32, BufferLayout>,
}

impl DeclarationState {
    /// Clears the state for another program.
    pub(crate) fn reset(&mut self) {
        self.io_elements.clear();
        (self.temporaries, self.addresses, self.parameters) = (0, 0, 0);
        self.subroutine_params.clear();
        self.buffer_layouts.clear();
    }
}

/// Rules for declarations, which create variables.
pub(crate) struct DeclarationRules<'r, 'a, 's> {
    pub(crate) resolver: &'r mut Resolver<'a, 's>,
    pub(crate) state: &'r mut DeclarationState,
}

/// State that the OPTION lines have set.
#[derive(Debug, Default)]
pub(crate) struct OptionState {
    /// Groups of options that exclude each other, with the option of each.
    groups: Vec<(OptionGroup, &'static str)>,
    /// Dependency of an option, with its span.
    pending_dependency: Option<(Dependency, Span)>,
}

impl OptionState {
    /// Removes all options.
    pub(crate) fn reset(&mut self) {
        self.groups.clear();
        self.pending_dependency = None;
    }
}

/// Checks an OPTION line, and enables the features and sets the mode of the option. Reports unknown
/// options, and those that exclude another one of the program, which are applied nevertheless; one
/// of a later version by a lenient rule. Records an option that it requires. NV_gpu_program4
/// section 2.X.6.
pub(crate) fn check_option(
    cx: &mut RuleCx<'_>,
    (modes, options): (&mut Modes, &mut OptionState),
    name: NameId,
    span: Span,
) {
    let text = cx.ast.names.as_str(name);
    let (dialect, acceptance) = (cx.ast.dialect, cx.reports.acceptance());
    // An option of another type of program or of a later version is unknown in this one.
    let Some(row) = lang_options::find_option(text.as_bytes(), dialect, acceptance) else {
        return report_unknown_option(cx, text, span);
    };
    if row.is_early_in(dialect) {
        warn_early_option(cx, row, span);
    }
    let excludes = |&&(group, other): &&(OptionGroup, &str)| {
        group == row.group && group != OptionGroup::None && other != row.name
    };
    if let Some((_, other)) = options.groups.iter().find(excludes) {
        let message = format!("option `{text}` excludes `{other}`");
        let reports = &mut cx.reports;
        reports.report_error(Code::OptionConflict, span, message);
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
    if let Some(dependency) = row.requires.filter(|it| it.stages.contains_stage(cx.stage)) {
        options.pending_dependency = Some((dependency, span));
    }
}

/// Reports an option that programs of this type do not have, with a hint if the name of an
/// available one is similar.
pub(crate) fn report_unknown_option(cx: &mut RuleCx<'_>, text: &str, span: Span) {
    let available_options = lang_options::OPTIONS
        .iter()
        .filter(|row| row.is_known_in(cx.ast.dialect));
    let notes = suggest_spelling(text, available_options.map(|row| row.name));
    let message = format!(
        "unknown option `{text}` in a {} program",
        stage_name(cx.stage)
    );
    let (code, notes) = (Code::OptionUnknown, notes.into_iter().collect());
    cx.report_error_with_notes(code, span, message, notes);
}

/// Reports an option that needs another one, which may follow it, if that is missing at the end of
/// the program.
pub(crate) fn check_option_dependencies(cx: &mut RuleCx<'_>, options: &OptionState) {
    // No stage has options with different dependencies.
    if let Some((dependency, span)) = options.pending_dependency
        && !cx.has_option(dependency.features)
    {
        let (code, message) = (Code::OptionNeedsOther, dependency.message);
        cx.report_error(code, span, message);
    }
}

/// Reports, by a lenient rule, an option of version 5.0 that drivers know from 4.0 on.
fn warn_early_option(cx: &mut RuleCx<'_>, row: &OptionInfo, span: Span) {
    let message = format!(
        "option `{}` needs language version {}",
        row.name,
        row.since.name()
    );
    cx.report_lenient(LenientRule::DualSourceEarly, span, message);
}
