//! Messages about programs whose header names no language of glasm.

use crate::lang::languages::{Language, Standing, headers};
use crate::source::ProgramType;
use crate::suggest::suggest;

/// Maximum number of bytes of a first word that are examined.
const WORD: usize = 16;

/// First word of a source that starts with no known header.
pub(crate) struct Unknown {
    /// Number of bytes at its start that the message is about.
    pub(crate) length: usize,
    pub(crate) message: String,
    pub(crate) notes: Vec<String>,
}

/// Describes a source that starts with no header, where a program of type `wanted` may be required.
pub(crate) fn describe(text: &[u8], wanted: Option<ProgramType>) -> Unknown {
    let known = format!("known headers: {}", headers(wanted).join(", "));
    // A language that is known by name gets specific advice.
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
    // The cut may be within a character; then no candidate is close to the word, and no hint is
    // added.
    let word = std::str::from_utf8(&text[..length]).unwrap_or_default();
    let close = suggest(word, headers(wanted).into_iter());
    Unknown {
        length,
        message: "the program does not start with a known header".to_owned(),
        notes: close.into_iter().chain([known]).collect(),
    }
}

/// Returns the message about a language that glasm does not have, and a note.
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
