//! Checks of load errors.

use glasm_frontend::{Code, Location, Source, translate};

/// Checks that `text` gives exactly the errors `codes`, at the marked places in this order.
#[track_caller]
pub(crate) fn errors(text: &str, codes: &[Code]) {
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
    let (program, diagnostics) = translate(&Source::new("test", &plain));
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
    assert_eq!(program.is_none(), !codes.is_empty());
}
