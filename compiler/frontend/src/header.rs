//! The header of a program: its language, the part of the source that belongs to the program, and
//! messages about headers that name no language of glasm.
//!
//! GL requires the header in the very first byte and one program in a string. Files and memory of
//! shipped programs contain more: byte order marks, whitespace and comments before a header,
//! several programs in one source. This module finds the program to translate in them.

pub(crate) use crate::parsed_header::{ParsedHeader, report_text_after_end};
pub use crate::program_span::{ProgramSpan, split_programs};

use crate::codes::{Code, LenientRule};
use crate::diag::{Diagnostics, line_number_at};
use crate::diagnostic_sink::{DiagnosticSink, suggest_spelling};
use crate::lang::dialect_traits::{SupportStatus, UnsupportedLanguage, list_headers};
use crate::lang::limits;
use crate::parsed_header::find_header_span;
use crate::program_span::count_leading_bytes;
use crate::source::{Acceptance, Dialect, Family, ProgramType, Source};
use crate::tgsi::lex;
use glasm_ir::Span;

/// Returns the language of a program string and the offset of the byte after its header.
///
/// # Errors
/// An error is returned if the string is too large or has no known header.
pub fn detect_language(source: &Source<'_>) -> Result<(Dialect, usize), Diagnostics> {
    parse_header(source).map(|start| (start.dialect, start.body_start))
}

/// Reads the header of a program string: finds the program, its language and the bytes that belong
/// to it. Without a named language it searches for the header where the source accepts that, and
/// reports by lenient rules what precedes it. Fails if the program is too large, of another type,
/// or in an unknown language.
pub(crate) fn parse_header<'s>(source: &Source<'s>) -> Result<ParsedHeader<'s>, Diagnostics> {
    let mut reports = DiagnosticSink::new(source.acceptance);
    if report_if_too_large(source, &mut reports) {
        // The source is not searched: positions in it may not fit into a token.
        return Err(reports.finish());
    }
    let ProgramSpan {
        span: part,
        header,
        dialect: found,
    } = find_program(source, &mut reports);
    if report_if_wrong_type(source, found, header, &mut reports) {
        return Err(reports.finish());
    }
    let text = &source.text[..part.end as usize];
    let header_end = |dialect: Dialect| header as usize + dialect.header().len();
    let (dialect, body_start) = match (source.dialect, found) {
        (None, Some(dialect)) => (dialect, header_end(dialect)),
        // A header that contradicts the caller is treated as an unknown one.
        (Some(wanted), Some(dialect)) if wanted == dialect => (dialect, header_end(dialect)),
        // A caller that names the language may leave the header out. An unknown header is an error
        // even then.
        (Some(wanted), None) if !text[header as usize..].starts_with(b"!!") => {
            (wanted, part.start as usize)
        }
        _ => {
            report_unknown_header(&mut reports, text, (part, header), source.program_type);
            return Err(reports.finish());
        }
    };
    Ok(ParsedHeader {
        dialect,
        text,
        body_start,
        requested_type: source.program_type,
        reports,
        tgsi: source.tgsi,
    })
}

/// Reports a program that has more bytes than the limit, as an error of the whole program, and
/// returns true for it. Without an explicit part, the whole source is the program.
fn report_if_too_large(source: &Source<'_>, reports: &mut DiagnosticSink) -> bool {
    // The size of the part is limited, not that of the surrounding source; without an explicit
    // part, `Source::part` would hide bytes past 4 GiB.
    let bytes = match source.program_span {
        Some(_) => source.program_span().range().len(),
        None => source.text.len(),
    };
    let max_bytes = limits::PROGRAM_BYTES;
    if bytes > max_bytes {
        let message = format!("the program has {bytes} bytes, more than {max_bytes}");
        reports.report_program_error(Code::ProgramTooLarge, message);
    }
    bytes > max_bytes
}

/// Returns the location of the program to translate in the source, with its header and language;
/// the language is `None` if no header is found. Reports, by lenient rules, programs and text that
/// are skipped; only sources accepted as shipped programs are searched.
fn find_program(source: &Source<'_>, reports: &mut DiagnosticSink) -> ProgramSpan {
    let program_span = source.program_span();
    let text = &source.text[program_span.range()];
    let mut candidate = ProgramSpan {
        span: program_span,
        header: program_span.start,
        dialect: Dialect::detect(text),
    };
    // Before the search below: whitespace before such a header is not a mistake, so no warning is
    // due.
    if candidate.dialect.is_none()
        && let Some((skipped, dialect)) = find_header_after_blanks(text)
    {
        (candidate.header, candidate.dialect) = (program_span.start + skipped, Some(dialect));
    }
    // A program that starts as it should is taken unchanged: only others are searched for a header
    // further on.
    let has_requested_type =
        (candidate.dialect).is_some_and(|dialect| has_program_type(dialect, source.program_type));
    if !has_requested_type && source.acceptance == Acceptance::Shipped {
        find_surrounded_program(source, program_span, reports)
    } else {
        candidate
    }
}

/// Returns true if a language defines programs of the requested type, or if no type is requested.
fn has_program_type(dialect: Dialect, requested_type: Option<ProgramType>) -> bool {
    requested_type.is_none_or(|wanted| dialect.program_type() == wanted)
}

/// Returns true if a header is of another program type than the caller requires, and reports it: GL
/// loads a program for a target, and refuses one whose header is of another. `header` is its
/// position; without a header or a required type the result is false.
fn report_if_wrong_type(
    source: &Source<'_>,
    header_dialect: Option<Dialect>,
    header: u32,
    reports: &mut DiagnosticSink,
) -> bool {
    let (Some(requested_type), Some(dialect)) = (source.program_type, header_dialect) else {
        return false;
    };
    let is_wrong = !has_program_type(dialect, Some(requested_type));
    if is_wrong {
        let (wanted, named) = (requested_type.name(), dialect.program_type().name());
        let message = format!("this is the header of a {named} program, not of a {wanted} program");
        let span = Span::new(header, header + dialect.header().len() as u32);
        reports.report_error(Code::HeaderStage, span, message);
    }
    is_wrong
}

/// Returns the language of a program that follows whitespace or comments, and the offset of its
/// header. That is not a mistake in the languages with registers and in TGSI, whose headers are
/// tokens. NV_vertex_program section 2.14.1.7, NV_fragment_program section 3.11.2.
fn find_header_after_blanks(text: &[u8]) -> Option<(u32, Dialect)> {
    let mut skipped = count_leading_bytes(text);
    // TGSI has a different comment syntax, so leading bytes are skipped again by its rules.
    let dialect_found = Dialect::detect(&text[skipped..]).or_else(|| {
        skipped = lex::count_leading_bytes(text);
        Dialect::detect(&text[skipped..]).filter(|dialect| dialect.family() == Family::Tgsi)
    });
    let dialect = dialect_found?;
    let is_token = dialect.traits().registers.is_some() || dialect.family() == Family::Tgsi;
    is_token.then_some((skipped as u32, dialect))
}

/// Returns the program in a source that does not start with a header of the requested type.
/// Whitespace and comments before the header, and programs of other types, are skipped and reported
/// by lenient rules. The whole source is returned if anything else precedes the first header.
fn find_surrounded_program(
    source: &Source<'_>,
    source_span: Span,
    reports: &mut DiagnosticSink,
) -> ProgramSpan {
    let text = &source.text[source_span.range()];
    let mut program_spans = split_programs(text);
    let first_program = program_spans.next().filter(|first| {
        let header = first.header as usize;
        // Anything else before the first header, be it TGSI or prose, shows that the source is not
        // a program of these languages.
        header == count_leading_bytes(text) && text[header..].starts_with(b"!!")
    });
    let Some(first) = first_program else {
        return ProgramSpan {
            span: source_span,
            header: source_span.start,
            dialect: Dialect::detect(text),
        };
    };
    // An unknown header is reported as such.
    let has_requested_type =
        (first.dialect).is_none_or(|dialect| has_program_type(dialect, source.program_type));
    // Only a first program of the wrong type is skipped.
    let only_requested = if has_requested_type {
        None
    } else {
        find_only_program(program_spans, source.program_type)
    };
    if let (Some(other), Some(requested_type)) = (only_requested, source.program_type) {
        let (part, wanted) = (other.with_offset(source_span.start), requested_type.name());
        let message =
            format!("the source contains several programs; this {wanted} program is used");
        let span = find_header_span(source.text, part);
        reports.report_lenient(LenientRule::OtherPrograms, span, message);
        return part;
    }
    // The rest is left to the parser, which finds the end of the program.
    let located_program = ProgramSpan {
        span: source_span,
        ..first.with_offset(source_span.start)
    };
    if has_requested_type && first.header > 0 {
        let message = "the program does not start at the first byte of the source";
        let span = find_header_span(source.text, located_program);
        reports.report_lenient(LenientRule::LeadingText, span, message);
    }
    located_program
}

/// Returns the program of the wanted type; `None` if there are none or several.
fn find_only_program(
    parts: impl Iterator<Item = ProgramSpan>,
    wanted: Option<ProgramType>,
) -> Option<ProgramSpan> {
    let mut matching = parts.filter(|part| part.dialect.map(Dialect::program_type) == wanted);
    let part = matching.next()?;
    // Of two programs of the type neither is preferred.
    matching.next().is_none().then_some(part)
}

/// Reports a header that no translated language has, at byte `header`, with advice: the language it
/// belongs to, a similar header, the list of headers, or a known header further on.
fn report_unknown_header(
    reports: &mut DiagnosticSink,
    text: &[u8],
    (program_span, header): (Span, u32),
    requested_type: Option<ProgramType>,
) {
    let text_from_header = &text[header as usize..program_span.end as usize];
    let UnknownHeader {
        span_length: length,
        message,
        mut notes,
    } = describe_unknown_header(text_from_header, requested_type);
    // A known header further on is most likely the intended one.
    let later_program =
        split_programs(&text[program_span.range()]).find(|found| found.dialect.is_some());
    if let Some((found, dialect)) = later_program.and_then(|found| Some((found, found.dialect?)))
        && found.header > 0
        && found.header + program_span.start != header
    {
        let line = line_number_at(text, program_span.start + found.header);
        notes.push(format!(
            "`{}` is in line {line}; only whitespace, comments and a byte order mark may precede a header",
            dialect.header()
        ));
    } else if let Some((line, word)) = find_later_processor(text, program_span) {
        notes.push(format!(
            "`{word}` is alone in line {line}; a TGSI program may start there, and only whitespace, comments and a byte order mark may precede it"
        ));
    }
    let span = Span::new(header, header + length as u32);
    reports.report_error_with_notes(Code::HeaderUnknown, span, message, notes);
}

/// Finds the first line of a part that consists of the name of a TGSI processor, as in logs of
/// drivers, and whitespace; returns its number, from 1, and the name.
fn find_later_processor(text: &[u8], part: Span) -> Option<(usize, &'static str)> {
    let mut start = part.start;
    for line in text[part.range()].split(|byte| *byte == b'\n') {
        let word = line.trim_ascii();
        let dialect = Dialect::detect(word).filter(|it| it.family() == Family::Tgsi);
        if let Some(dialect) = dialect.filter(|it| it.header().len() == word.len()) {
            return Some((line_number_at(text, start), dialect.header()));
        }
        start += line.len() as u32 + 1;
    }
    None
}

/// Maximum number of bytes of a first word that are examined.
const MAX_WORD_BYTES: usize = 16;

/// First word of a source that starts with no known header.
pub(crate) struct UnknownHeader {
    /// Number of bytes at its start that the message is about.
    pub(crate) span_length: usize,
    pub(crate) message: String,
    pub(crate) notes: Vec<String>,
}

/// Returns the message, the notes and the length to mark of a source that starts with no header,
/// where a program of type `wanted` may be required: its headers are listed first.
pub(crate) fn describe_unknown_header(text: &[u8], wanted: Option<ProgramType>) -> UnknownHeader {
    if text.trim_ascii().is_empty() {
        return UnknownHeader {
            span_length: 0,
            message: "the program is empty".to_owned(),
            notes: Vec::new(),
        };
    }
    let known_headers = format!("known headers: {}", list_headers(wanted).join(", "));
    // A language that is known by name gets specific advice.
    if let Some(row) = UnsupportedLanguage::detect(text) {
        let (message, note) = describe_language(row);
        return UnknownHeader {
            span_length: row.start.len(),
            message,
            notes: vec![note, known_headers],
        };
    }
    let is_word_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let length = text
        .iter()
        .position(is_word_end)
        .unwrap_or(text.len())
        .min(MAX_WORD_BYTES);
    // The cut may be within a character; then no candidate is close to the word, and no hint is
    // added.
    let word = std::str::from_utf8(&text[..length]).unwrap_or_default();
    let suggestion = suggest_spelling(word, list_headers(wanted).into_iter());
    UnknownHeader {
        span_length: length,
        message: "the program does not start with a known header".to_owned(),
        notes: suggestion.into_iter().chain([known_headers]).collect(),
    }
}

/// Returns the message about a language that glasm does not translate, and a note.
fn describe_language(row: &UnsupportedLanguage) -> (String, String) {
    let (start, name) = (row.start, row.name);
    match row.status {
        SupportStatus::Unsupported(_) => (
            format!("glasm does not have the language of `{start}` yet"),
            format!("note: `{start}` starts {name}"),
        ),
        SupportStatus::Foreign(advice) => (
            format!("this is not an assembly program of OpenGL: `{start}` starts {name}"),
            format!("note: {advice}"),
        ),
        SupportStatus::NonExistent(advice) => {
            (format!("there is no language `{start}`"), advice.to_owned())
        }
    }
}
