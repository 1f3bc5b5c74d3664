//! Messages about programs whose header names no language of glasm.

use crate::lang::languages::{Language, Standing, headers};
use crate::source::ProgramType;
use crate::suggest::suggest;

/// Bytes of a first word that are looked at.
const WORD: usize = 16;

/// What a text starts with instead of a header.
pub(crate) struct Unknown {
    /// Bytes at its start that the message is about.
    pub(crate) length: usize,
    pub(crate) message: String,
    pub(crate) notes: Vec<String>,
}

/// What to say of a text that starts with no header, where a program of a type may be wanted.
pub(crate) fn describe(text: &[u8], wanted: Option<ProgramType>) -> Unknown {
    let known = format!("known headers: {}", headers(wanted).join(", "));
    // A language that is known by name gets advice of its own.
    if let Some(row) = Language::of(text) {
        let (message, note) = describe_language(row);
        return Unknown {
            length: row.start.len(),
            message,
            notes: vec![note, known],
        };
    }
    let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let length = text.iter().position(ends).unwrap_or(text.len()).min(WORD);
    // The cut may lie within a character; then nothing is close to the word, and no hint is given.
    let word = std::str::from_utf8(&text[..length]).unwrap_or_default();
    let close = suggest(word, headers(wanted).into_iter());
    Unknown {
        length,
        message: "the program does not start with a known header".to_owned(),
        notes: close.into_iter().chain([known]).collect(),
    }
}

/// The message about a language that glasm does not have, and a note.
fn describe_language(row: &Language) -> (String, String) {
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
