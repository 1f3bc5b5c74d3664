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
mod memory;
pub mod names;
mod pass;
mod report;
mod rules;
pub mod source;
pub mod split;
mod start;
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
pub use lang::numbered::Numbered;
pub use rules::{Counts, Usage, closest};
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

/// Counts what a program uses of what GL limits, for callers that answer GL's queries. This takes as long as loading the program: translations
/// count nothing, so that callers without such queries do not pay for it. Nobody asks GL about TGSI: all counts of such a program are 0.
///
/// # Errors
/// All errors of the program, if it does not load.
pub fn count(source: &Source<'_>) -> Result<Counts, Diagnostics> {
    count_and_index(source).map(|(counts, _)| counts)
}

/// Computes what [`count`] does, and finds the numbers by which a program names what GL limits.
/// Programs of TGSI have none.
///
/// # Errors
/// All errors of the program, if it does not load.
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
    let checker = pass::check(start, &mut scratch.rules, Keep::All);
    let (checked, reading) = checker.so_far();
    // Lines with errors refer to what is not there.
    let counts = if checker.has_errors() {
        Default::default()
    } else {
        (checked.counts(reading), checked.usage(reading))
    };
    let reports = checker.finish(&mut scratch.rules);
    match reports.has_errors() {
        false => Ok(counts),
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
        return Ok(tgsi::translate(
            start,
            &mut scratch.tgsi,
            &mut scratch.program,
        ));
    }
    if last == Stage::Check {
        let checker = pass::check(start, &mut scratch.rules, Keep::None);
        return Ok((None, checker.finish(&mut scratch.rules)));
    }
    Ok(pass::translate(start, source.step_limit, scratch))
}
