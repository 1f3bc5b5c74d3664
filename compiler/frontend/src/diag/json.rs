//! Messages as JSON for tools. Written by hand: a few fields do not justify that every user of the
//! library builds a serializer.

use super::line_map::LineMap;
use super::{Diagnostics, Location};
use crate::source::Source;
use std::fmt::Write;

/// Returns one JSON object for each message.
pub(super) fn lines(diagnostics: &Diagnostics, source: &Source<'_>) -> Vec<String> {
    let map = LineMap::new(source.text);
    let record = |diagnostic: &super::Diagnostic| {
        let span = match diagnostic.location {
            Location::Span(span) => Some(super::render::clamp(span, source.text.len())),
            Location::WholeProgram => None,
        };
        let position = span.map(|span| map.position(span.start as usize));
        let mut object = Object::default();
        // Tools read the fields by name; their order is that of `Diagnostics::to_json` for users
        // who read a line.
        object.text("code", diagnostic.code.id());
        object.text("severity", diagnostic.severity.name());
        object.text("message", &diagnostic.message);
        object.text("name", source.name);
        object.number("start", span.map(|span| span.start as usize));
        object.number("end", span.map(|span| span.end as usize));
        object.number("line", position.map(|position| position.line));
        object.number("column", position.map(|position| position.column));
        object.texts("notes", &diagnostic.notes);
        object.finish()
    };
    diagnostics.list.iter().map(record).collect()
}

/// A JSON object that is being written; its fields are in the order of the calls.
#[derive(Default)]
struct Object(String);

impl Object {
    fn key(&mut self, name: &str) {
        // The brace is written with the first field.
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        push_string(&mut self.0, name);
        self.0.push(':');
    }

    fn text(&mut self, name: &str, value: &str) {
        self.key(name);
        push_string(&mut self.0, value);
    }

    fn number(&mut self, name: &str, value: Option<usize>) {
        self.key(name);
        match value {
            Some(value) => push(&mut self.0, format_args!("{value}")),
            // Fields are never left out, so that every record has the same ones.
            None => self.0.push_str("null"),
        }
    }

    fn texts(&mut self, name: &str, values: &[String]) {
        self.key(name);
        self.0.push('[');
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.0.push(',');
            }
            push_string(&mut self.0, value);
        }
        self.0.push(']');
    }

    fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// Appends a JSON string: quotes, backslashes and control characters are escaped, all other
/// characters are copied. RFC 8259 section 7.
fn push_string(json: &mut String, text: &str) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            // Control characters with a short form are above.
            '\0'..'\u{20}' => push(json, format_args!("\\u{:04x}", u32::from(character))),
            _ => json.push(character),
        }
    }
    json.push('"');
}

fn push(json: &mut String, text: std::fmt::Arguments<'_>) {
    json.write_fmt(text).expect("strings take any text");
}

#[cfg(test)]
mod tests {
    use super::push_string;

    #[test]
    fn strings_are_those_of_a_serializer() {
        let all: String = ('\0'..='\u{2ff}')
            .chain(['\u{2028}', '\u{1f600}', '\u{10ffff}'])
            .collect();
        let mut json = String::new();
        push_string(&mut json, &all);
        assert_eq!(json, serde_json::to_string(&all).unwrap());
    }
}
