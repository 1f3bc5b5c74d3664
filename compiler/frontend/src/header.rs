//! The header of a program: its language, and the part of the source that belongs to the program.

use crate::codes::Code;
use crate::diag::{Diagnostics, line_of};
use crate::lang::lenient::Rule;
use crate::lang::limits;
use crate::report::Reports;
use crate::source::{Acceptance, Dialect, Family, ProgramType, Source};
use crate::split::{Part, leading_bytes, programs};
use crate::start::Start;
use crate::tgsi;
use crate::unknown_header::{self, Unknown};
use glasm_ir::Span;

/// Returns the language of a program string and the offset of the byte after its header.
///
/// # Errors
/// An error is returned if the string is too large or has no known header.
pub fn start(source: &Source<'_>) -> Result<(Dialect, usize), Diagnostics> {
    read(source).map(|start| (start.dialect, start.body))
}

/// Reads the header.
pub(crate) fn read<'s>(source: &Source<'s>) -> Result<Start<'s>, Diagnostics> {
    let mut reports = Reports::new(source.acceptance);
    if is_too_large(source, &mut reports) {
        // The source is not searched: positions in it may not fit into a token.
        return Err(reports.finish());
    }
    let Part {
        span: part,
        header,
        dialect: found,
    } = find(source, &mut reports);
    if has_wrong_type(source, found, header, &mut reports) {
        return Err(reports.finish());
    }
    let text = &source.text[..part.end as usize];
    let behind = |dialect: Dialect| header as usize + dialect.header().len();
    let (dialect, body) = match (source.dialect, found) {
        (None, Some(dialect)) => (dialect, behind(dialect)),
        // A header that contradicts the caller is treated as an unknown one.
        (Some(wanted), Some(dialect)) if wanted == dialect => (dialect, behind(dialect)),
        // A caller that names the language may leave the header out. An unknown header is an error
        // even then.
        (Some(wanted), None) if !text[header as usize..].starts_with(b"!!") => {
            (wanted, part.start as usize)
        }
        _ => {
            unknown_header(&mut reports, text, (part, header), source.program_type);
            return Err(reports.finish());
        }
    };
    Ok(Start {
        dialect,
        text,
        body,
        wanted: source.program_type,
        reports,
        tgsi: source.tgsi,
    })
}

/// Reports a source beyond the limit.
#[inline]
fn is_too_large(source: &Source<'_>, reports: &mut Reports) -> bool {
    // The size of the part is limited, not that of the surrounding source; without an explicit
    // part, `Source::part` would hide bytes past 4 GiB.
    let bytes = match source.part {
        Some(_) => source.part().range().len(),
        None => source.text.len(),
    };
    let most = limits::PROGRAM_BYTES;
    if bytes > most {
        let message = format!("the program has {bytes} bytes, more than {most}");
        reports.whole(Code::ProgramTooLarge, message);
    }
    bytes > most
}

/// Finds the program to translate and its header.
#[inline]
fn find(source: &Source<'_>, reports: &mut Reports) -> Part {
    let part = source.part();
    let text = &source.text[part.range()];
    let mut found = Part {
        span: part,
        header: part.start,
        dialect: Dialect::of(text),
    };
    // Before the search below: whitespace before such a header is not a mistake, so no warning is
    // due.
    if found.dialect.is_none()
        && let Some((skipped, dialect)) = behind_blanks(text)
    {
        (found.header, found.dialect) = (part.start + skipped, Some(dialect));
    }
    // A program that starts as it should is taken unchanged: only others are searched for a header
    // further on.
    let fits = (found.dialect).is_some_and(|dialect| fits(dialect, source.program_type));
    if !fits && source.acceptance == Acceptance::Shipped {
        surrounded(source, part, reports)
    } else {
        found
    }
}

#[inline]
fn fits(dialect: Dialect, wanted: Option<ProgramType>) -> bool {
    wanted.is_none_or(|wanted| dialect.program_type() == wanted)
}

/// Returns true if a header is of another program type, which is reported: GL loads a program for a
/// target, and refuses one whose header is of another.
#[inline]
fn has_wrong_type(
    source: &Source<'_>,
    found: Option<Dialect>,
    header: u32,
    reports: &mut Reports,
) -> bool {
    let (Some(wanted), Some(dialect)) = (source.program_type, found) else {
        return false;
    };
    let is_wrong = !fits(dialect, Some(wanted));
    if is_wrong {
        let (wanted, named) = (wanted.name(), dialect.program_type().name());
        let message = format!("this is the header of a {named} program, not of a {wanted} program");
        let span = Span::new(header, header + dialect.header().len() as u32);
        reports.error(Code::HeaderStage, span, message);
    }
    is_wrong
}

/// Returns the language of a program that follows whitespace or comments, and the offset of its
/// header. That is not a mistake in the languages with registers and in TGSI, whose headers are
/// tokens. NV_vertex_program section 2.14.1.7, NV_fragment_program section 3.11.2.
#[cold]
fn behind_blanks(text: &[u8]) -> Option<(u32, Dialect)> {
    let mut skipped = leading_bytes(text);
    // TGSI has a different comment syntax, so leading bytes are skipped again by its rules.
    let found = Dialect::of(&text[skipped..]).or_else(|| {
        skipped = tgsi::leading_bytes(text);
        Dialect::of(&text[skipped..]).filter(|dialect| dialect.family() == Family::Tgsi)
    });
    let dialect = found?;
    let is_token = dialect.facts().registers.is_some() || dialect.family() == Family::Tgsi;
    is_token.then_some((skipped as u32, dialect))
}

/// Finds the program in a source that does not start with a header of the requested type.
/// Whitespace and comments before the header are left out, and so are programs of other types.
#[cold]
fn surrounded(source: &Source<'_>, whole: Span, reports: &mut Reports) -> Part {
    let text = &source.text[whole.range()];
    let mut parts = programs(text);
    let first = parts.next().filter(|first| {
        let header = first.header as usize;
        // Anything else before the first header, be it TGSI or prose, shows that the source is not
        // a program of these languages.
        header == leading_bytes(text) && text[header..].starts_with(b"!!")
    });
    let Some(first) = first else {
        return Part {
            span: whole,
            header: whole.start,
            dialect: Dialect::of(text),
        };
    };
    // An unknown header is reported as such.
    let fits = (first.dialect).is_none_or(|dialect| fits(dialect, source.program_type));
    // Only a first program of the wrong type is skipped.
    let other = if fits {
        None
    } else {
        only_program(parts, source.program_type)
    };
    if let (Some(other), Some(wanted)) = (other, source.program_type) {
        let (part, wanted) = (other.behind(whole.start), wanted.name());
        let message = format!("of several programs in the text, this {wanted} program is taken");
        let span = header_span(source.text, part);
        reports.lenient(Rule::OtherPrograms, span, message);
        return part;
    }
    // The rest is left to the parser, which finds the end of the program.
    let part = Part {
        span: whole,
        ..first.behind(whole.start)
    };
    if fits && first.header > 0 {
        let message = "the program does not start in the first byte of the text";
        let span = header_span(source.text, part);
        reports.lenient(Rule::LeadingText, span, message);
    }
    part
}

/// Returns the program of a type, if there is exactly one.
fn only_program(parts: impl Iterator<Item = Part>, wanted: Option<ProgramType>) -> Option<Part> {
    let mut fitting = parts.filter(|part| part.dialect.map(Dialect::program_type) == wanted);
    let part = fitting.next()?;
    // Of two programs of the type neither is preferred.
    fitting.next().is_none().then_some(part)
}

/// Returns the span of the header of a part.
fn header_span(text: &[u8], part: Part) -> Span {
    let from = part.header as usize;
    // Headers have ten bytes at most; a source without whitespace is not underlined as a whole.
    let word = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let length = text[from..part.span.end as usize]
        .iter()
        .position(word)
        .unwrap_or(part.span.end as usize - from)
        .min(16);
    Span::new(part.header, part.header + length as u32)
}

/// Reports a header that no language has.
#[cold]
fn unknown_header(
    reports: &mut Reports,
    text: &[u8],
    (part, header): (Span, u32),
    wanted: Option<ProgramType>,
) {
    let rest = &text[header as usize..part.end as usize];
    let Unknown {
        length,
        message,
        mut notes,
    } = unknown_header::describe(rest, wanted);
    // A known header further on is most likely the intended one.
    let later = programs(&text[part.range()]).find(|found| found.dialect.is_some());
    if let Some((found, dialect)) = later.and_then(|found| Some((found, found.dialect?)))
        && found.header > 0
        && found.header + part.start != header
    {
        let line = line_of(text, part.start + found.header);
        notes.push(format!(
            "`{}` stands in line {line}; only blanks, comments and a byte order mark may stand before a header",
            dialect.header()
        ));
    } else if let Some((line, word)) = find_later_processor(text, part) {
        notes.push(format!(
            "`{word}` stands alone in line {line}; a TGSI text starts there, and only blanks, comments and a byte order mark may stand before it"
        ));
    }
    let span = Span::new(header, header + length as u32);
    reports.error_with(Code::HeaderUnknown, span, message, notes);
}

/// Finds the first line of a part that consists of the name of a TGSI processor, as in logs of
/// drivers: its number and the name.
fn find_later_processor(text: &[u8], part: Span) -> Option<(usize, &'static str)> {
    let mut start = part.start;
    for line in text[part.range()].split(|byte| *byte == b'\n') {
        let word = line.trim_ascii();
        let dialect = Dialect::of(word).filter(|it| it.family() == Family::Tgsi);
        if let Some(dialect) = dialect.filter(|it| it.header().len() == word.len()) {
            return Some((line_of(text, start), dialect.header()));
        }
        start += line.len() as u32 + 1;
    }
    None
}

/// Reports that something follows END, at `span`: NUL, which ends a string, another program, or
/// stray bytes.
#[cold]
pub(crate) fn text_after_end(
    reports: &mut Reports,
    text: &[u8],
    span: Span,
    wanted: Option<ProgramType>,
) {
    let from = span.start as usize;
    // C strings end here, and so did the program for drivers that got no length.
    if text[from] == 0 {
        let message = "NUL behind `END`";
        reports.lenient(Rule::TextBehindNul, span, message);
        return;
    }
    if !text[from..].starts_with(b"!!") {
        return reports.error(Code::TextAfterEnd, span, "text after `END`");
    }
    let others: Vec<Part> = programs(&text[from..]).collect();
    let same = |part: &Part| {
        // A part without a known language may be of the requested type, so it is not a reason to
        // continue the search.
        part.dialect
            .is_none_or(|dialect| Some(dialect.program_type()) == wanted)
    };
    let alone = wanted.is_some() && !others.iter().any(same);
    let place = Part {
        span: Span::new(span.start, text.len() as u32),
        header: span.start,
        dialect: None,
    };
    let span = header_span(text, place);
    if alone {
        let message = "another program behind `END`";
        reports.lenient(Rule::OtherPrograms, span, message);
        return;
    }
    // A source may hold any number of programs; the first ones are enough examples.
    let notes = others.iter().take(8).map(|part| {
        let line = line_of(text, from as u32 + part.header);
        start_note(part, line)
    });
    let message = "another program behind `END`; a program string holds one";
    reports.error_with(Code::TextAfterEnd, span, message, notes.collect());
}

fn start_note(part: &Part, line: usize) -> String {
    let Some(dialect) = part.dialect else {
        return format!("note: a program starts in line {line}");
    };
    let name = dialect.program_type().name();
    format!("note: a {name} program starts in line {line}")
}
