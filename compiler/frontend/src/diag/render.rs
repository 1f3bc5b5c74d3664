//! Messages in a human-readable form, in the layout of rustc, drawn by annotate-snippets; and as
//! JSON for tools, written by hand: a few fields do not justify that every user of the library
//! builds a serializer.
//!
//! Only the lines that a message points at are handed to the drawing crate, in printable form and
//! cut to a bounded width, so that its work is bounded too: line and column are computed here.

use super::{
    Diagnostic, Diagnostics, LineMap, Location, PrintableLine, Severity, to_printable_char,
};
use crate::source::Source;
use annotate_snippets::{
    Annotation, AnnotationKind, Element, Level, Message, Origin, Renderer, Snippet,
};
use glasm_ir::Span;
use std::fmt::Write;
use std::ops::{Range, RangeInclusive};

/// Style of the output: with or without colors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// No colors.
    Plain,
    /// ANSI escape sequences.
    Ansi,
}

/// A message that points at more lines than this is drawn for its first line only.
const MAX_LINES: usize = 6;
/// Longer lines, in bytes, are drawn in part only. The drawing crate fits shorter ones to the width
/// of a terminal.
const MAX_LINE_BYTES: usize = 4096;
/// Bytes of such a line that are shown before and after the span.
const CONTEXT_BYTES: usize = 100;
/// Maximum number of underlined bytes of such a line.
const MAX_UNDERLINE_BYTES: usize = 200;

/// Source lines in printable form, and the marked range in them.
struct Excerpt {
    /// The lines.
    text: String,
    /// The marked bytes of `text`.
    marked: Range<usize>,
}

/// Renders all messages, each followed by an empty line, and a summary line if there are several.
/// The result is empty without messages.
pub(super) fn render(diagnostics: &Diagnostics, source: &Source<'_>, style: Style) -> String {
    let mut text = String::new();
    for message in render_each(diagnostics, source, style) {
        text.push_str(&message);
        text.push_str("\n\n");
    }
    text.push_str(&format_summary_line(diagnostics, source));
    text
}

/// Renders each message separately, in the order of the list, with its excerpt of the source.
pub(super) fn render_each(
    diagnostics: &Diagnostics,
    source: &Source<'_>,
    style: Style,
) -> Vec<String> {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        // Links to documentation would need an address for each code.
        Style::Ansi => Renderer::styled().hyperlink(false),
    };
    let map = LineMap::new(source.text);
    let one = |diagnostic: &Diagnostic| render_diagnostic(diagnostic, source, &map, &renderer);
    diagnostics.list.iter().map(one).collect()
}

/// Returns `NAME: 3 errors, 1 warning` with a line end if there are several messages, else an empty
/// string.
fn format_summary_line(diagnostics: &Diagnostics, source: &Source<'_>) -> String {
    let plural = |count: usize, word: &str| match count {
        0 => None,
        1 => Some(format!("1 {word}")),
        _ => Some(format!("{count} {word}s")),
    };
    // A single message needs no count.
    if diagnostics.list.len() < 2 {
        return String::new();
    }
    let counts = [
        plural(diagnostics.error_count(), "error"),
        plural(diagnostics.warning_count(), "warning"),
    ];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    format!("{}: {}\n", to_single_line(source.name), counts.join(", "))
}

/// Returns a diagnostic as text: the title with the code, the marked source lines or, for the whole
/// program, the name of the source, and the notes.
fn render_diagnostic(
    diagnostic: &Diagnostic,
    source: &Source<'_>,
    map: &LineMap<'_>,
    renderer: &Renderer,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        // The crate has no level for it.
        Severity::InternalError => Level::ERROR.with_name("internal error"),
    };
    let title = level
        .primary_title(to_single_line(&diagnostic.message))
        .id(diagnostic.code.id());
    let mut elements: Vec<Element<'_>> = match diagnostic.location {
        Location::Span(span) => draw_span(source, map, clamp_span(span, source.text.len())),
        // The name alone: no single line represents the whole program.
        Location::WholeProgram => vec![Origin::path(to_single_line(source.name)).into()],
    };
    elements.extend(
        diagnostic
            .notes
            .iter()
            .map(|note| Element::from(make_note_message(note))),
    );
    renderer.render(&[title.elements(elements)])
}

/// Returns a note on one line, titled by its prefix: `note: `, or `help: `, which is also the
/// default.
fn make_note_message(note: &str) -> Message<'static> {
    match note.strip_prefix("note: ") {
        Some(note) => Level::NOTE.message(to_single_line(note)),
        None => Level::HELP.message(to_single_line(note.strip_prefix("help: ").unwrap_or(note))),
    }
}

/// Clamps both ends of the span to a source of this length in bytes, and the end to the start or
/// later.
pub(super) fn clamp_span(span: Span, length: usize) -> Span {
    // Spans are 32 bits wide, so programs are never longer than that; a longer source has no span
    // past its first 4 GiB.
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    let start = span.start.min(length);
    Span::new(start, span.end.clamp(start, length))
}

/// Returns the location and the lines that the span touches, with the mark below them. Only the
/// first line is drawn if they are too many, and only a part of it if one is too long.
fn draw_span(source: &Source<'_>, map: &LineMap<'_>, span: Span) -> Vec<Element<'static>> {
    let name = to_single_line(source.name);
    let span = span.range();
    let first_line = map.line_at(span.start);
    // The line of the last byte, not of the byte after it, which may begin a line; an empty span
    // has its start only.
    let last_line = map.line_at(span.end.saturating_sub(1).max(span.start));
    let last = if last_line - first_line < MAX_LINES {
        last_line
    } else {
        first_line
    };
    // The crate's work grows with the length of a line, and a program may be one line of 16 MiB.
    if (first_line..=last).all(|line| map.line_range(line).len() <= MAX_LINE_BYTES) {
        return vec![
            make_snippet(
                excerpt_lines(source.text, map, first_line..=last, span),
                first_line,
            )
            .path(name)
            .into(),
        ];
    }
    // The column in the excerpt is not that in the line, so the location is stated separately.
    let position = map.position_at(span.start);
    let origin = Origin::path(name)
        .line(position.line)
        .char_column(position.column);
    vec![
        origin.into(),
        make_snippet(
            excerpt_within_line(source.text, map.line_range(first_line), span),
            first_line,
        )
        .into(),
    ]
}

/// Returns the drawing of an excerpt whose first line has the number `first`, with its marked span.
fn make_snippet(excerpt: Excerpt, first: usize) -> Snippet<'static, Annotation<'static>> {
    Snippet::source(excerpt.text)
        .line_start(first)
        .annotation(AnnotationKind::Primary.span(excerpt.marked))
}

/// Returns an excerpt of whole lines, in printable form, with the part that `span` marks. A span
/// that continues past the last line is marked up to its end.
fn excerpt_lines(
    text: &[u8],
    map: &LineMap<'_>,
    lines: RangeInclusive<usize>,
    span: Range<usize>,
) -> Excerpt {
    let mut excerpt = Excerpt {
        text: String::new(),
        marked: 0..0,
    };
    for line in lines.clone() {
        // Line ends of any kind become the one that the crate supports.
        if line > *lines.start() {
            excerpt.text.push('\n');
        }
        let range = map.line_range(line);
        let printable = PrintableLine::new(&text[range.clone()]);
        let printable_offset = |offset: usize| {
            excerpt.text.len() + printable.printable_offset(offset.saturating_sub(range.start))
        };
        if line == *lines.start() {
            excerpt.marked.start = printable_offset(span.start);
        }
        // Set in each iteration: the last line has the end.
        excerpt.marked.end = printable_offset(span.end).max(excerpt.marked.start);
        excerpt.text.push_str(&printable.text);
    }
    excerpt
}

/// Returns an excerpt of a long line around the start of the span, in printable form, with dots
/// where it is cut. The mark ends with the line or after `MAX_UNDERLINE_BYTES`.
fn excerpt_within_line(text: &[u8], line: Range<usize>, span: Range<usize>) -> Excerpt {
    let start = span.start.clamp(line.start, line.end);
    // Only the first line is drawn here, so the mark ends with it.
    let end = span
        .end
        .clamp(start, line.end.min(start + MAX_UNDERLINE_BYTES));
    let window =
        start.saturating_sub(CONTEXT_BYTES).max(line.start)..(end + CONTEXT_BYTES).min(line.end);
    let cut_before = if window.start > line.start { "..." } else { "" };
    let cut_after = if window.end < line.end { "..." } else { "" };
    let printable = PrintableLine::new(&text[window.clone()]);
    let printable_offset =
        |offset: usize| cut_before.len() + printable.printable_offset(offset - window.start);
    let marked = printable_offset(start)..printable_offset(end);
    Excerpt {
        text: format!("{cut_before}{}{cut_after}", printable.text),
        marked,
    }
}

/// Replaces control characters, so that the result fits on one line.
fn to_single_line(text: &str) -> String {
    text.chars().map(to_printable_char).collect()
}

/// Renders each message as one JSON object; the span and its line and column are `null` for
/// messages about the whole program.
pub(super) fn render_json_objects(diagnostics: &Diagnostics, source: &Source<'_>) -> Vec<String> {
    let map = LineMap::new(source.text);
    let record = |diagnostic: &Diagnostic| {
        let span = match diagnostic.location {
            Location::Span(span) => Some(clamp_span(span, source.text.len())),
            Location::WholeProgram => None,
        };
        let position = span.map(|span| map.position_at(span.start as usize));
        let mut object = JsonObject::default();
        // Tools read the fields by name; their order is that of `Diagnostics::to_json` for users
        // who read a line.
        object.push_string_field("code", diagnostic.code.id());
        object.push_string_field("severity", diagnostic.severity.name());
        object.push_string_field("message", &diagnostic.message);
        object.push_string_field("name", source.name);
        object.push_number_field("start", span.map(|span| span.start as usize));
        object.push_number_field("end", span.map(|span| span.end as usize));
        object.push_number_field("line", position.map(|position| position.line));
        object.push_number_field("column", position.map(|position| position.column));
        object.push_string_list_field("notes", &diagnostic.notes);
        object.finish()
    };
    diagnostics.list.iter().map(record).collect()
}

/// A JSON object that is being written; its fields are in the order of the calls.
#[derive(Default)]
struct JsonObject(String);

impl JsonObject {
    /// Appends the separator, or the opening brace before the first field, and the name of a field.
    fn push_key(&mut self, name: &str) {
        // The brace is written with the first field.
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        push_string(&mut self.0, name);
        self.0.push(':');
    }

    /// Appends a field with a string.
    fn push_string_field(&mut self, name: &str, value: &str) {
        self.push_key(name);
        push_string(&mut self.0, value);
    }

    /// Appends a field with a number; `None` becomes `null`.
    fn push_number_field(&mut self, name: &str, value: Option<usize>) {
        self.push_key(name);
        match value {
            Some(value) => push_formatted(&mut self.0, format_args!("{value}")),
            // Fields are never left out, so that every record has the same ones.
            None => self.0.push_str("null"),
        }
    }

    /// Appends a field with a list of strings.
    fn push_string_list_field(&mut self, name: &str, values: &[String]) {
        self.push_key(name);
        self.0.push('[');
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.0.push(',');
            }
            push_string(&mut self.0, value);
        }
        self.0.push(']');
    }

    /// Appends the closing brace and returns the JSON object, which must have at least one field.
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
            '\0'..'\u{20}' => push_formatted(json, format_args!("\\u{:04x}", u32::from(character))),
            _ => json.push(character),
        }
    }
    json.push('"');
}

/// Appends formatted characters without an intermediate string.
fn push_formatted(json: &mut String, text: std::fmt::Arguments<'_>) {
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
