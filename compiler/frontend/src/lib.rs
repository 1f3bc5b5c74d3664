//! Legacy GPU assembly to the glasm IR.
//!
//! [`translate`] runs three stages, each over the whole program: `syntax` parses it to an [`ast`],
//! `check` applies all rules and resolves names, types and bindings, `lower` translates the result
//! to IR. TGSI has a separate front end, [`tgsi`]. Facts about the languages are table entries
//! under [`lang`].

#![forbid(unsafe_code)]

pub mod ast;
mod check;
pub mod codes;
pub mod diag;
mod header;
pub mod lang;
pub mod lex;
mod line;
mod lower;
mod memory;
pub mod names;
mod report;
pub mod source;
pub mod split;
mod start;
mod suggest;
mod syntax;
pub mod tgsi;
mod tgsi_outputs;
mod unknown_header;
mod vars;
mod words;

pub use check::{Counts, Usage};
pub use diag::{Code, Diagnostic, Diagnostics, Location, Severity};
pub use header::start;
pub use lang::numbered::Numbered;
pub use source::{Acceptance, Dialect, ProgramType, Source, TgsiOptions};
pub use split::{Part, programs};
pub use suggest::closest;
pub use tgsi_outputs::tgsi_outputs;

use check::CheckScratch;
use glasm_ir::Program;
use lower::tables::Tables;
use memory::ProgramMemory;
use report::Reports;
use source::Family;
use syntax::SyntaxMemory;
use tgsi::TgsiMemory;

/// Memory that translations reuse. It grows to the size that the largest program needed.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) syntax: SyntaxMemory,
    pub(crate) check: CheckScratch,
    pub(crate) lowering: Tables,
    pub(crate) tgsi: TgsiMemory,
    pub(crate) program: ProgramMemory,
}

impl Scratch {
    /// Returns scratch without memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reuses the lists of a program that is no longer needed.
    pub fn recycle(&mut self, program: Program) {
        self.program.recycle(program);
    }
}

/// Translates a program string. The program is `None` exactly if the diagnostics hold an error.
///
/// Callers with many programs reuse a [`Scratch`] with [`translate_with`].
pub fn translate(source: &Source<'_>) -> (Option<Program>, Diagnostics) {
    translate_with(&mut Scratch::new(), source)
}

/// Translates like [`translate`], with scratch memory that serves many translations.
pub fn translate_with(
    scratch: &mut Scratch,
    source: &Source<'_>,
) -> (Option<Program>, Diagnostics) {
    match translate_until(scratch, source, Stage::Lower) {
        Ok((program, reports)) => (program, reports.finish()),
        Err(diagnostics) => (None, diagnostics),
    }
}

/// Counts the resources of a program that GL limits, for callers that answer GL's queries. This
/// takes as long as loading the program: translations do not count, so that callers without such
/// queries do not pay for it. GL has no queries about TGSI: all counts of such a program are 0.
///
/// # Errors
/// All errors of the program are returned if it does not load.
pub fn count(source: &Source<'_>) -> Result<Counts, Diagnostics> {
    count_and_index(source).map(|(counts, _)| counts)
}

/// Computes the result of [`count`], and the numbers by which a program names items that GL limits.
/// Programs of TGSI have none.
///
/// # Errors
/// All errors of the program are returned if it does not load.
pub fn count_and_index(source: &Source<'_>) -> Result<(Counts, Usage), Diagnostics> {
    let mut scratch = Scratch::new();
    let start = header::read(source)?;
    if start.dialect.family() == Family::Tgsi {
        let (program, reports) = tgsi::translate(start, &mut scratch.tgsi, &mut scratch.program);
        return match program {
            Some(_) => Ok((Counts::default(), scratch.tgsi.usage().clone())),
            None => Err(reports.finish()),
        };
    }
    let parsed = syntax::parse(start, &mut scratch.syntax);
    let parsed = check::check(parsed, &mut scratch.check);
    if parsed.reports.has_errors() {
        return Err(parsed.reports.finish());
    }
    let checked = &scratch.check.program;
    Ok((checked.counts(&parsed.ast), checked.usage(&parsed.ast)))
}

/// The stages of a translation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Parsing and checking.
    Check,
    /// All stages.
    Lower,
}

/// Runs the stages up to the end of `last` and drops the result, for measurements.
///
/// # Errors
/// An error is returned if the string is too large or has no known header; other errors of the
/// program are not returned.
pub fn run_until(
    scratch: &mut Scratch,
    source: &Source<'_>,
    last: Stage,
) -> Result<(), Diagnostics> {
    let (program, _) = translate_until(scratch, source, last)?;
    if let Some(program) = program {
        scratch.recycle(program);
    }
    Ok(())
}

/// Translates up to the stage `last`. The program is `None` if there is an error, or if `last` is
/// earlier than the stage that builds it.
fn translate_until(
    scratch: &mut Scratch,
    source: &Source<'_>,
    last: Stage,
) -> Result<(Option<Program>, Reports), Diagnostics> {
    let start = header::read(source)?;
    if start.dialect.family() == Family::Tgsi {
        return Ok(tgsi::translate(
            start,
            &mut scratch.tgsi,
            &mut scratch.program,
        ));
    }
    let Scratch {
        syntax,
        check,
        lowering: tables,
        program: memory,
        tgsi: _,
    } = scratch;
    let parsed = syntax::parse(start, syntax);
    let parsed = check::check(parsed, check);
    let is_lowered = last == Stage::Lower && !parsed.reports.has_errors();
    let program = is_lowered.then(|| {
        let checked = (&parsed.ast, &check.program);
        lower::lower(checked, source.step_limit, (tables, memory))
    });
    syntax.ast = parsed.ast.release();
    syntax.errors = parsed.errors;
    Ok((program, parsed.reports))
}
