//! Legacy GPU assembly to the glasm IR.
//!
//! [`translate`] lexes, parses, checks and lowers a program string. Facts about the languages stand in tables under [`lang`].

pub mod ast;
mod check;
pub mod codes;
pub mod diag;
pub mod lang;
pub mod lex;
mod lower;
pub mod names;
mod parse;
mod report;
pub mod source;

pub use diag::{Code, Diagnostic, Diagnostics, Location, Severity};
pub use source::{Dialect, Source};

/// The stages of a translation one by one, for measurements and tools; [`translate`] runs them all.
pub mod stages {
    pub use crate::check::{Checked, check};
    pub use crate::lex::lex;
    pub use crate::lower::lower;
    pub use crate::parse::parse;
    pub use crate::report::Reports;
    pub use crate::start;
}

use crate::lang::{limits, stage_name};
use glasm_ir::Span;
use report::Reports;

/// The language of a program string and the byte behind its header.
///
/// # Errors
/// If the string is too large or has no known header.
pub fn start(source: &Source<'_>) -> Result<(Dialect, usize), Diagnostics> {
    let mut reports = Reports::new();
    if source.text.len() > limits::PROGRAM_BYTES {
        let message = format!(
            "the program has {} bytes, more than {}",
            source.text.len(),
            limits::PROGRAM_BYTES
        );
        reports.whole(Code::ProgramTooLarge, message);
        return Err(reports.finish());
    }
    let found = Dialect::of(source.text);
    if let (Some(stage), Some(dialect)) = (source.stage, found)
        && dialect.stage() != stage
    {
        let (wanted, named) = (stage_name(stage), stage_name(dialect.stage()));
        let message = format!("this is the header of a {named} program, not of a {wanted} program");
        let span = Span::new(0, dialect.header().len() as u32);
        reports.error(Code::HeaderStage, span, message);
        return Err(reports.finish());
    }
    match (source.dialect, found) {
        (None, Some(dialect)) => Ok((dialect, dialect.header().len())),
        (Some(wanted), Some(dialect)) if wanted == dialect => Ok((dialect, dialect.header().len())),
        (Some(wanted), None) if !source.text.starts_with(b"!!") => Ok((wanted, 0)),
        _ => {
            let end = source
                .text
                .iter()
                .position(u8::is_ascii_whitespace)
                .unwrap_or(source.text.len())
                .min(16);
            let headers: Vec<&str> = Dialect::ALL
                .iter()
                .map(|dialect| dialect.header())
                .collect();
            let notes = vec![format!("known headers: {}", headers.join(", "))];
            let message = "the program does not start with a known header";
            reports.error_with(
                Code::HeaderUnknown,
                Span::new(0, end as u32),
                message,
                notes,
            );
            Err(reports.finish())
        }
    }
}

/// Translates a program string. The program is `None` exactly if the diagnostics hold an error.
pub fn translate(source: &Source<'_>) -> (Option<glasm_ir::Program>, Diagnostics) {
    let (dialect, body) = match start(source) {
        Ok(found) => found,
        Err(diagnostics) => return (None, diagnostics),
    };
    let tokens = lex::lex(source.text, body);
    let (ast, reports) = parse::parse(dialect, source.text, tokens, Reports::new());
    let (checked, reports) = check::check(ast, reports);
    let program = checked.as_ref().map(lower::lower);
    (program, reports.finish())
}
