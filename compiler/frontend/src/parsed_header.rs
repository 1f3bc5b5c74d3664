//! A program whose header was read, and messages about what follows its END.

use crate::codes::{Code, LenientRule};
use crate::diag::line_number_at;
use crate::diagnostic_sink::DiagnosticSink;
use crate::dialect::{Dialect, ProgramType, TgsiOptions};
use crate::program_span::{ProgramSpan, split_programs};
use glasm_ir::Span;

/// A program whose header was read.
pub(crate) struct ParsedHeader<'s> {
    pub(crate) dialect: Dialect,
    /// The source up to the end of the program. Positions in it are those of the whole source.
    pub(crate) text: &'s [u8],
    /// Offset of the byte after the header.
    pub(crate) body_start: usize,
    /// The program type that the caller requested.
    pub(crate) requested_type: Option<ProgramType>,
    pub(crate) reports: DiagnosticSink,
    /// Parameters that a TGSI source does not contain.
    pub(crate) tgsi: TgsiOptions,
}

/// Reports that something follows END, at `span`: NUL, which ends a string, another program, or
/// stray bytes. NUL, and programs that are all of another type than the requested one, are lenient
/// rules.
pub(crate) fn report_text_after_end(
    reports: &mut DiagnosticSink,
    text: &[u8],
    span: Span,
    requested_type: Option<ProgramType>,
) {
    let rest_start = span.start as usize;
    // C strings end here, and so did the program for drivers that got no length.
    if text[rest_start] == 0 {
        let message = "NUL after `END`";
        reports.report_lenient(LenientRule::TextBehindNul, span, message);
        return;
    }
    if !text[rest_start..].starts_with(b"!!") {
        return reports.report_error(Code::TextAfterEnd, span, "tokens after `END`");
    }
    let others: Vec<ProgramSpan> = split_programs(&text[rest_start..]).collect();
    let has_requested_type = |part: &ProgramSpan| {
        // A part without a known language may be of the requested type, so it is not a reason to
        // continue the search.
        part.dialect
            .is_none_or(|dialect| Some(dialect.program_type()) == requested_type)
    };
    let is_only_of_type = requested_type.is_some() && !others.iter().any(has_requested_type);
    let stray_program = ProgramSpan {
        span: Span::new(span.start, text.len() as u32),
        header: span.start,
        dialect: None,
    };
    let span = find_header_span(text, stray_program);
    if is_only_of_type {
        let message = "another program after `END`";
        reports.report_lenient(LenientRule::OtherPrograms, span, message);
        return;
    }
    // A source may hold any number of programs; the first ones are enough examples.
    let notes = others.iter().take(8).map(|part| {
        let line = line_number_at(text, rest_start as u32 + part.header);
        format_program_note(part, line)
    });
    let message = "another program after `END`; a program string contains one";
    reports.report_error_with_notes(Code::TextAfterEnd, span, message, notes.collect());
}

/// Returns a note that a program of the source starts in line `line`, with its type if it is known.
fn format_program_note(part: &ProgramSpan, line: usize) -> String {
    let Some(dialect) = part.dialect else {
        return format!("note: a program starts in line {line}");
    };
    let name = dialect.program_type().name();
    format!("note: a {name} program starts in line {line}")
}

/// Returns the span of the header of a program, up to whitespace or NUL, but 16 bytes at most.
pub(crate) fn find_header_span(text: &[u8], program: ProgramSpan) -> Span {
    let header_start = program.header as usize;
    // Headers have ten bytes at most; a source without whitespace is not underlined as a whole.
    let is_word_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let length = text[header_start..program.span.end as usize]
        .iter()
        .position(is_word_end)
        .unwrap_or(program.span.end as usize - header_start)
        .min(16);
    Span::new(program.header, program.header + length as u32)
}
