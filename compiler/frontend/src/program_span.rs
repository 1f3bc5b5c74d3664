//! The programs of a source that may hold several, and the bytes before a header.

use crate::dialect::{Dialect, Family};
use glasm_ir::Span;

/// The byte order mark of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A program in a source that may hold several.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ProgramSpan {
    /// Its bytes, up to the header of the next program. Those of the first part begin at the start
    /// of the source, so that no byte is left out.
    pub span: Span,
    /// Offset of the header; the first byte of `span` if there is none.
    pub header: u32,
    /// Language of the header, if it is known.
    pub dialect: Option<Dialect>,
}

impl ProgramSpan {
    /// Returns the same part of a source that has `offset` more bytes before it.
    pub(crate) fn with_offset(self, offset: u32) -> Self {
        Self {
            span: Span::new(self.span.start + offset, self.span.end + offset),
            header: self.header + offset,
            dialect: self.dialect,
        }
    }
}

/// Returns the programs of a source, in order; at least one part, even without a header.
///
/// A program starts at `!!` outside of comments, because no language has `!` in its programs. A
/// source whose first word, after whitespace and comments, is a TGSI processor is one program. Only
/// the first 4 GiB are looked at.
///
/// ```
/// let text = "# both in one file\n!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n!!ARBfp1.0\nEND\n";
/// # use glasm_frontend as glasm;
/// let parts: Vec<_> = glasm::split_programs(text.as_bytes()).collect();
/// assert_eq!(parts.len(), 2);
/// assert_eq!(parts[0].span.start, 0);
/// assert_eq!(parts[0].header, 19);
/// assert_eq!(parts[1].dialect.map(|dialect| dialect.header()), Some("!!ARBfp1.0"));
/// ```
pub fn split_programs(text: &[u8]) -> impl Iterator<Item = ProgramSpan> + '_ {
    // Positions have 32 bits.
    let text = &text[..text.len().min(u32::MAX as usize)];
    let tgsi = find_tgsi_header(text);
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let program_start = start.take()?;
        // A part other than the first begins with its header.
        let header = match program_start {
            0 => tgsi.or_else(|| find_next_header(text, 0)),
            _ => Some(program_start),
        };
        // A TGSI source is one program: `!!` in it is an error, not a header.
        let searched_header = header.filter(|_| tgsi.is_none());
        // After the two marks of this one.
        let next = searched_header.and_then(|header| find_next_header(text, header + 2));
        start = next;
        let end = next.unwrap_or(text.len());
        Some(ProgramSpan {
            span: Span::new(program_start as u32, end as u32),
            header: header.unwrap_or(program_start) as u32,
            dialect: header.and_then(|header| Dialect::detect(&text[header..])),
        })
    })
}

/// Returns the offset of the first word of a TGSI source, after whitespace and comments; `None` for
/// other languages.
fn find_tgsi_header(text: &[u8]) -> Option<usize> {
    let at = count_leading_bytes(text);
    let dialect = Dialect::detect(&text[at..])?;
    (dialect.family() == Family::Tgsi).then_some(at)
}

/// Returns the offset of the next `!!` at or after `at` that is not in a comment; `None` if there
/// is none. `at` must not be in a comment.
fn find_next_header(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += text
            .get(at..)?
            .iter()
            .position(|byte| matches!(byte, b'!' | b'#'))?;
        match (text[at], text.get(at + 1)) {
            (b'!', Some(b'!')) => return Some(at),
            // A header that is commented out begins no program.
            (b'#', _) => at = find_comment_end(text, at),
            // A single mark, such as in `! !`.
            _ => at += 1,
        }
    }
}

/// Returns the offset of the line end that ends the comment at `at`, or the end of the source.
pub(crate) fn find_comment_end(text: &[u8], at: usize) -> usize {
    let line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let rest = text[at..].iter().position(line_end);
    rest.map_or(text.len(), |length| at + length)
}

/// Returns the number of bytes at the start of a source that are a byte order mark, whitespace,
/// line ends and comments.
pub(crate) fn count_leading_bytes(text: &[u8]) -> usize {
    let mut length = if text.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    loop {
        match text.get(length) {
            Some(b'#') => length = find_comment_end(text, length),
            Some(byte) if byte.is_ascii_whitespace() => length += 1,
            Some(_) | None => return length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(text: &[u8]) -> Vec<(u32, u32, u32)> {
        let parts = split_programs(text).collect::<Vec<_>>();
        let place = |part: &ProgramSpan| (part.span.start, part.header, part.span.end);
        parts.iter().map(place).collect()
    }

    #[test]
    fn parts_tile_the_text() {
        assert_eq!(headers(b""), [(0, 0, 0)]);
        assert_eq!(headers(b"no program"), [(0, 0, 10)]);
        assert_eq!(headers(b"!!A END"), [(0, 0, 7)]);
        assert_eq!(headers(b" !!A END\n!!B END"), [(0, 1, 9), (9, 9, 16)]);
        assert_eq!(headers(b"!!!!!"), [(0, 0, 2), (2, 2, 5)]);
    }

    #[test]
    fn comments_hold_no_headers() {
        assert_eq!(headers(b"#!!A\n!!B # !!C\r# !!D"), [(0, 5, 20)]);
        assert_eq!(headers(b"!!A END # !"), [(0, 0, 11)]);
    }

    #[test]
    fn tgsi_texts_are_one_program() {
        assert_eq!(headers(b" # a\nFRAG\nEND !!A"), [(0, 5, 17)]);
        let dialects: Vec<_> = split_programs(b"comp DCL")
            .map(|part| part.dialect)
            .collect();
        assert_eq!(dialects, [Some(Dialect::TgsiCompute)]);
        assert_eq!(headers(b"FRAGMENT\n!!A"), [(0, 9, 12)]);
    }

    #[test]
    fn only_known_headers_have_a_language() {
        let text = b"!!ARBvp1.0 END !!ARBxx1.0 END";
        let dialects: Vec<_> = split_programs(text).map(|part| part.dialect).collect();
        assert_eq!(dialects, [Some(Dialect::ArbVp1_0), None]);
    }

    #[test]
    fn marks_blanks_and_comments_lead() {
        assert_eq!(count_leading_bytes(b"\xEF\xBB\xBF \r\n# a\n\t!!A"), 11);
        assert_eq!(count_leading_bytes(b"!!A"), 0);
        assert_eq!(count_leading_bytes(b"# all"), 5);
        assert_eq!(count_leading_bytes(b"\xFF\xFE!"), 0);
    }
}
