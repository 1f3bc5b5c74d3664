//! What is said of a program that does not start with the header of a language that glasm has.

use crate::check::suggest;
use crate::diag::Code;
use crate::lang::languages::{Language, Standing, headers};
use crate::report::Reports;
use crate::source::Source;
use glasm_ir::Span;

/// Bytes of a first word that are shown at most.
const WORD: usize = 16;

/// Reports what the program starts with instead of a header.
pub(crate) fn report(source: &Source<'_>, reports: &mut Reports) {
    let text = source.text;
    let blank = text.iter().position(u8::is_ascii_whitespace);
    let end = blank.unwrap_or(text.len()).min(WORD);
    let known = format!("known headers: {}", headers(source.stage).join(", "));
    let (end, message, notes) = match Language::of(text) {
        Some(row) => {
            let (message, note) = describe(row);
            (row.start.len(), message, vec![note, known])
        }
        None => {
            let word = std::str::from_utf8(&text[..end]).unwrap_or_default();
            let close = suggest(word, headers(source.stage).into_iter());
            let message = "the program does not start with a known header".to_owned();
            (end, message, close.into_iter().chain([known]).collect())
        }
    };
    let span = Span::new(0, end as u32);
    reports.error_with(Code::HeaderUnknown, span, message, notes);
}

/// The message about a language that glasm does not have, and a note.
fn describe(row: &Language) -> (String, String) {
    let (start, name) = (row.start, row.name);
    match row.standing {
        Standing::Missing(_) => (
            format!("glasm does not have the language of `{start}` yet"),
            format!("note: `{start}` starts {name}"),
        ),
        Standing::Foreign(advice) => (
            format!("this is not an assembly program of OpenGL: `{start}` starts {name}"),
            format!("note: {advice}"),
        ),
        Standing::Never(advice) => (format!("there is no language `{start}`"), advice.to_owned()),
    }
}
