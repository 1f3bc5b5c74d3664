//! Legacy GPU assembly to the glasm IR.
//!
//! [`translate`] reads, checks and lowers a program string in one pass over its statements. Facts about the languages stand in tables under [`lang`].

#![forbid(unsafe_code)]

pub mod codes;
pub mod diag;
mod header;
mod kept;
pub mod lang;
pub mod lex;
mod line;
mod lower;
pub mod names;
mod pass;
mod report;
mod rules;
pub mod source;
pub mod split;
pub mod statement;
mod syntax;
pub mod tgsi;
mod tgsi_outputs;
mod unknown_header;
mod vars;
mod whole;
mod words;

pub use diag::{Code, Diagnostic, Diagnostics, Location, Severity};
pub use header::start;
pub use kept::Scratch;
pub use rules::{Components, closest};
pub use source::{Acceptance, Dialect, ProgramType, Source, TgsiOptions};
pub use split::{Part, programs};
pub use tgsi_outputs::tgsi_outputs;

use pass::Keep;
use report::Reports;
use source::Family;

/// Translates a program string. The program is `None` exactly if the diagnostics hold an error.
///
/// Callers with many programs keep a [`Scratch`] for [`translate_with`].
pub fn translate(source: &Source<'_>) -> (Option<glasm_ir::Program>, Diagnostics) {
    translate_with(&mut Scratch::new(), source)
}

/// [`translate`] with scratch that serves many translations.
pub fn translate_with(
    scratch: &mut Scratch,
    source: &Source<'_>,
) -> (Option<glasm_ir::Program>, Diagnostics) {
    match translate_until(scratch, source, Stage::Lower) {
        Ok((program, reports)) => (program, reports.finish()),
        Err(diagnostics) => (None, diagnostics),
    }
}

/// Counts the components of attributes and results that a program uses, for callers that answer GL's queries. This takes as long as
/// loading the program: translations count no components, so that callers without such queries do not pay for it. The limits are
/// [`lang::limits::ATTRIB_COMPONENTS`] and [`lang::limits::RESULT_COMPONENTS`].
///
/// # Errors
/// All errors of the program, if it does not load.
pub fn count_components(source: &Source<'_>) -> Result<Components, Diagnostics> {
    let mut scratch = Scratch::new();
    let start = header::read(source)?;
    let checker = pass::check(start, &mut scratch, Keep::All);
    let components = checker.so_far().0.components();
    let reports = checker.finish(&mut scratch);
    match reports.has_errors() {
        false => Ok(components),
        true => Err(reports.finish()),
    }
}

/// The stages of a translation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Bytes to statements that keep the rules of the language.
    Check,
    /// The same, and each of them to IR.
    Lower,
}

/// Runs the stages up to the end of `last` and drops what it made, for measurements.
///
/// # Errors
/// If the string is too large or has no known header; other errors of the program are not returned.
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

/// The program is `None` if there is an error, or if `last` is an earlier stage than the one that makes it.
fn translate_until(
    scratch: &mut Scratch,
    source: &Source<'_>,
    last: Stage,
) -> Result<(Option<glasm_ir::Program>, Reports), Diagnostics> {
    let start = header::read(source)?;
    if start.dialect.family() == Family::Tgsi {
        return Ok(tgsi::translate(start, scratch));
    }
    if last == Stage::Check {
        let checker = pass::check(start, scratch, Keep::None);
        return Ok((None, checker.finish(scratch)));
    }
    Ok(pass::translate(start, source.step_limit, scratch))
}
