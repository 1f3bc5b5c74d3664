//! Human-readable messages, in the layout of rustc, drawn by annotate-snippets.
//!
//! Only the lines that a message points at are handed to the drawing crate, in printable form and
//! cut to a bounded width, so that its work is bounded too: line and column are computed here.

use super::line_map::{LineMap, Printable, printable_char};
use super::{Diagnostic, Diagnostics, Location, Severity};
use crate::source::Source;
use annotate_snippets::{
    Annotation, AnnotationKind, Element, Level, Message, Origin, Renderer, Snippet,
};
use glasm_ir::Span;
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
const MAX_LINE: usize = 4096;
/// Bytes of such a line that are shown before and after the span.
const CONTEXT: usize = 100;
/// Maximum number of underlined bytes of such a line.
const MAX_UNDERLINE: usize = 200;

/// Source lines in printable form, and the marked range in them.
struct Excerpt {
    /// The lines.
    text: String,
    /// The marked bytes of `text`.
    marked: Range<usize>,
}

/// Renders all messages. The result is empty without messages.
pub(super) fn render(diagnostics: &Diagnostics, source: &Source<'_>, style: Style) -> String {
    let mut text = String::new();
    for message in render_each(diagnostics, source, style) {
        text.push_str(&message);
        text.push_str("\n\n");
    }
    text.push_str(&closing_line(diagnostics, source));
    text
}

/// Renders each message separately.
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
    let one = |diagnostic: &Diagnostic| render_one(diagnostic, source, &map, &renderer);
    diagnostics.list.iter().map(one).collect()
}

/// Returns `NAME: 3 errors, 1 warning`, if there are several messages.
fn closing_line(diagnostics: &Diagnostics, source: &Source<'_>) -> String {
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
    format!("{}: {}\n", one_line(source.name), counts.join(", "))
}

fn render_one(
    diagnostic: &Diagnostic,
    source: &Source<'_>,
    map: &LineMap<'_>,
    renderer: &Renderer,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        // The crate has no level for it.
        Severity::Bug => Level::ERROR.with_name("internal error"),
    };
    let title = level
        .primary_title(one_line(&diagnostic.message))
        .id(diagnostic.code.id());
    let mut elements: Vec<Element<'_>> = match diagnostic.location {
        Location::Span(span) => draw_span(source, map, clamp(span, source.text.len())),
        // The name alone: no single line represents the whole program.
        Location::WholeProgram => vec![Origin::path(one_line(source.name)).into()],
    };
    elements.extend(
        diagnostic
            .notes
            .iter()
            .map(|note| Element::from(note_message(note))),
    );
    renderer.render(&[title.elements(elements)])
}

fn note_message(note: &str) -> Message<'static> {
    match note.strip_prefix("note: ") {
        Some(note) => Level::NOTE.message(one_line(note)),
        None => Level::HELP.message(one_line(note.strip_prefix("help: ").unwrap_or(note))),
    }
}

/// Clamps the span to a source of this length, with its start before its end.
pub(super) fn clamp(span: Span, length: usize) -> Span {
    // Spans are 32 bits wide, so programs are never longer than that; a longer source has no span
    // past its first 4 GiB.
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    let start = span.start.min(length);
    Span::new(start, span.end.clamp(start, length))
}

/// Returns the location and the lines that the span touches, with the mark below them.
fn draw_span(source: &Source<'_>, map: &LineMap<'_>, span: Span) -> Vec<Element<'static>> {
    let name = one_line(source.name);
    let span = span.range();
    let first = map.line(span.start);
    // The line of the last byte, not of the byte after it, which may begin a line; an empty span
    // has its start only.
    let last = map.line(span.end.saturating_sub(1).max(span.start));
    let last = if last - first < MAX_LINES {
        last
    } else {
        first
    };
    // The crate's work grows with the length of a line, and a program may be one line of 16 MiB.
    if (first..=last).all(|line| map.line_range(line).len() <= MAX_LINE) {
        return vec![
            snippet(whole_lines(source.text, map, first..=last, span), first)
                .path(name)
                .into(),
        ];
    }
    // The column in the excerpt is not that in the line, so the location is stated separately.
    let position = map.position(span.start);
    let origin = Origin::path(name)
        .line(position.line)
        .char_column(position.column);
    vec![
        origin.into(),
        snippet(
            part_of_line(source.text, map.line_range(first), span),
            first,
        )
        .into(),
    ]
}

fn snippet(excerpt: Excerpt, first: usize) -> Snippet<'static, Annotation<'static>> {
    Snippet::source(excerpt.text)
        .line_start(first)
        .annotation(AnnotationKind::Primary.span(excerpt.marked))
}

/// Returns an excerpt of whole lines. A span that continues past the last line is marked up to its
/// end.
fn whole_lines(
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
        let printable = Printable::new(&text[range.clone()]);
        let place = |offset: usize| {
            excerpt.text.len() + printable.offset(offset.saturating_sub(range.start))
        };
        if line == *lines.start() {
            excerpt.marked.start = place(span.start);
        }
        // Set in each iteration: the last line has the end.
        excerpt.marked.end = place(span.end).max(excerpt.marked.start);
        excerpt.text.push_str(&printable.text);
    }
    excerpt
}

/// Returns an excerpt of a long line around the span.
fn part_of_line(text: &[u8], line: Range<usize>, span: Range<usize>) -> Excerpt {
    let start = span.start.clamp(line.start, line.end);
    // Only the first line is drawn here, so the mark ends with it.
    let end = span.end.clamp(start, line.end.min(start + MAX_UNDERLINE));
    let window = start.saturating_sub(CONTEXT).max(line.start)..(end + CONTEXT).min(line.end);
    let cut_before = if window.start > line.start { "..." } else { "" };
    let cut_after = if window.end < line.end { "..." } else { "" };
    let printable = Printable::new(&text[window.clone()]);
    let place = |offset: usize| cut_before.len() + printable.offset(offset - window.start);
    let marked = place(start)..place(end);
    Excerpt {
        text: format!("{cut_before}{}{cut_after}", printable.text),
        marked,
    }
}

/// Replaces control characters, so that the result fits on one line.
fn one_line(text: &str) -> String {
    text.chars().map(printable_char).collect()
}
