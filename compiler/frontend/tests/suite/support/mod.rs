//! Checks of load errors.

pub(crate) mod arb;
pub(crate) mod edits;
pub(crate) mod jumps;

use glasm_frontend::{Code, Diagnostics, Location, Source, translate};

/// Checks that a strict caller gets exactly the errors `codes` for `text`, at the marked places in this order.
#[track_caller]
pub(crate) fn errors(text: &str, codes: &[Code]) {
    let (plain, places) = marked(text);
    let (program, diagnostics) = translate(&Source::new("test", &plain).strict());
    compare(&plain, &diagnostics, codes, places);
    assert_eq!(program.is_none(), !codes.is_empty());
}

/// Checks that `text` loads with exactly the warnings `codes` at the marked places, and that a strict caller gets errors.
#[track_caller]
pub(crate) fn accepted(text: &str, codes: &[Code]) {
    let (plain, places) = marked(text);
    let (program, diagnostics) = translate(&Source::new("test", &plain));
    compare(&plain, &diagnostics, codes, places.clone());
    assert!(program.is_some(), "{plain}\n{:#?}", diagnostics.list);
    let (program, diagnostics) = translate(&Source::new("test", &plain).strict());
    assert!(program.is_none(), "{plain}");
    let first = diagnostics.list.first().map(|found| found.code);
    assert_eq!(first.as_ref(), codes.first(), "{plain}");
}

/// The text without its marks, and the marked places.
fn marked(text: &str) -> (String, Vec<(u32, u32)>) {
    let mut plain = String::new();
    let mut places = Vec::new();
    for part in text.split('«') {
        match part.split_once('»') {
            Some((marked, rest)) => {
                places.push((plain.len() as u32, (plain.len() + marked.len()) as u32));
                plain.push_str(marked);
                plain.push_str(rest);
            }
            None => plain.push_str(part),
        }
    }
    (plain, places)
}

/// Compares codes and places.
#[track_caller]
fn compare(plain: &str, diagnostics: &Diagnostics, codes: &[Code], places: Vec<(u32, u32)>) {
    let found: Vec<(Code, Option<(u32, u32)>)> = (diagnostics.list.iter())
        .map(|diagnostic| match diagnostic.location {
            Location::Span(span) => (diagnostic.code, Some((span.start, span.end))),
            Location::WholeProgram => (diagnostic.code, None),
        })
        .collect();
    let mut places = places.into_iter();
    let expected: Vec<(Code, Option<(u32, u32)>)> =
        codes.iter().map(|&code| (code, places.next())).collect();
    assert_eq!(found, expected, "\n{plain}\n{:#?}", diagnostics.list);
}
