//! The fast search: offsets in data at which programs may begin.
//!
//! Data without programs is passed at the speed of the vector instructions of the CPU. Three
//! searches share blocks that fit into a cache: two marks `!!`, the same in UTF-16, and the names
//! of the processors of TGSI. Everything else is done at the few offsets that they find.

use aho_corasick::packed;
use glasm::{Dialect, Family};
use memchr::memmem::{self, Finder};
use std::ops::Range;

/// Bytes of a block, which all searches pass while it is in a cache of the processor core.
const BLOCK: usize = 128 << 10;

/// Bytes of the longest header, in UTF-16.
const LONGEST_HEADER: usize = 2 * 16;

/// Whitespace characters after the name of a processor at most.
const MAX_BLANKS: usize = 64;

/// An offset at which a header is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Anchor {
    /// Offset of the first character of the header.
    pub(crate) at: usize,
    /// Bytes from one character of the header to the next: 1, or 2 in UTF-16.
    pub(crate) stride: usize,
    /// Language of the header.
    pub(crate) dialect: Dialect,
}

/// Names of the processors, up to where they differ from other words, with the bytes between their
/// characters in UTF-16.
const PROCESSORS: [&[u8]; 15] = [
    b"VERT",
    b"FRAG",
    b"GEOM",
    b"TESS",
    b"COMP",
    b"vert",
    b"frag",
    b"geom",
    b"tess",
    b"comp",
    b"V\0E\0R\0T",
    b"F\0R\0A\0G",
    b"G\0E\0O\0M",
    b"T\0E\0S\0S",
    b"C\0O\0M\0P",
];

/// The prepared searches.
#[derive(Debug)]
pub(crate) struct Search {
    marks: Finder<'static>,
    wide_marks: Finder<'static>,
    processors: Option<packed::Searcher>,
}

impl Search {
    /// Prepares the searches.
    pub(crate) fn new() -> Self {
        Self {
            marks: Finder::new(b"!!"),
            wide_marks: Finder::new(b"!\0!"),
            processors: packed::Searcher::new(PROCESSORS),
        }
    }

    /// Returns the headers that begin in a range of the data, by offset.
    pub(crate) fn find_anchors(&self, data: &[u8], range: Range<usize>) -> Vec<Anchor> {
        let mut found = Vec::new();
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start + BLOCK);
            // A header may end in the next block.
            let visible = data.len().min(end + LONGEST_HEADER);
            let first_new = found.len();
            self.search_block(data, start..end, visible, &mut found);
            found[first_new..].sort_unstable();
            start = end;
        }
        found.dedup();
        found
    }

    /// Adds the headers that begin in a block; bytes up to `visible` may belong to them.
    fn search_block(
        &self,
        data: &[u8],
        block: Range<usize>,
        visible: usize,
        found: &mut Vec<Anchor>,
    ) {
        for (finder, stride) in [(&self.marks, 1), (&self.wide_marks, 2)] {
            let mut from = block.start;
            while let Some(offset) = finder.find(&data[from..visible]) {
                let at = from + offset;
                if at >= block.end {
                    break;
                }
                found.extend(check_anchor(data, at, stride));
                // Marks overlap: in `!!!` a header may begin with the second one.
                from = at + 1;
            }
        }
        let mut examine = |at: usize, length: usize| {
            let stride = if length == 4 { 1 } else { 2 };
            if at < block.end {
                found.extend(check_anchor(data, at, stride).filter(|it| is_word(data, it)));
            }
        };
        let visible_block = &data[block.start..visible];
        match &self.processors {
            // The vector search needs a minimum of bytes.
            Some(searcher) if visible_block.len() >= searcher.minimum_len() => {
                for hit in searcher.find_iter(visible_block) {
                    examine(block.start + hit.start(), hit.end() - hit.start());
                }
            }
            Some(_) | None => {
                for word in PROCESSORS {
                    for offset in memmem::find_iter(visible_block, word) {
                        examine(block.start + offset, word.len());
                    }
                }
            }
        }
    }
}

/// Returns the header at an offset, if there is one of a known language.
fn check_anchor(data: &[u8], at: usize, stride: usize) -> Option<Anchor> {
    let rest = &data[at..data.len().min(at + LONGEST_HEADER)];
    let dialect = if stride == 1 {
        Dialect::detect(rest)
    } else {
        let mut units = rest.chunks(2);
        let word: Vec<u8> = units
            .by_ref()
            .take_while(|unit| unit.get(1).is_none_or(|high| *high == 0))
            .map(|unit| unit[0])
            .collect();
        Dialect::detect(&word)
    };
    dialect.map(|dialect| Anchor {
        at,
        stride,
        dialect,
    })
}

/// Returns true if the name of a processor is a word with the end of a line after it, as the text
/// is written or in a literal.
fn is_word(data: &[u8], anchor: &Anchor) -> bool {
    let Anchor {
        at,
        stride,
        dialect,
    } = *anchor;
    let before = at.checked_sub(stride).map(|before| data[before]);
    if dialect.family() != Family::Tgsi
        || before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            // The escape `\n` before a word ends with a word character.
            && !is_after_escape(data, at, stride)
    {
        return false;
    }
    let end = data.len().min(at + dialect.header().len() * stride);
    let mut after = data[end..].iter().step_by(stride).take(MAX_BLANKS);
    let after = after.find(|byte| !matches!(byte, b' ' | b'\t'));
    after.is_some_and(|byte| matches!(byte, b'\n' | b'\r' | b'#' | b'\\' | b'"' | b'\'' | b'&'))
}

/// Returns true if the two characters before an offset are an escape of a line end or tab.
fn is_after_escape(data: &[u8], at: usize, stride: usize) -> bool {
    let Some(start) = at.checked_sub(2 * stride) else {
        return false;
    };
    data[start] == b'\\' && matches!(data[start + stride], b'n' | b'r' | b't')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(data: &[u8]) -> Vec<(usize, usize, &'static str)> {
        let found = Search::new().find_anchors(data, 0..data.len());
        let describe = |it: &Anchor| (it.at, it.stride, it.dialect.header());
        found.iter().map(describe).collect()
    }

    #[test]
    fn every_header_of_the_compiler_is_found() {
        for dialect in Dialect::ALL {
            let header = dialect.header();
            let narrow = format!("\0{header}\n");
            assert_eq!(find(narrow.as_bytes()), [(1, 1, header)]);
            let wide: Vec<u8> = narrow.bytes().flat_map(|byte| [byte, 0]).collect();
            assert_eq!(find(&wide), [(2, 2, header)], "{header}");
        }
    }

    #[test]
    fn other_words_and_marks_are_ignored() {
        assert!(find(b"FRAGMENT\nCOMPUTE\n!! ARBvp1.0 AVERT\n VERTEX").is_empty());
        assert!(find(b"").is_empty() && find(b"!").is_empty());
        assert_eq!(find(b"!!!ARBvp1.0"), [(1, 1, "!!ARBvp1.0")]);
    }

    #[test]
    fn headers_are_found_at_every_offset_around_the_end_of_a_block() {
        for at in BLOCK - 20..BLOCK + 4 {
            let mut data = vec![b'.'; BLOCK + 100];
            data[at..at + 10].copy_from_slice(b"!!ARBfp1.0");
            assert_eq!(find(&data), [(at, 1, "!!ARBfp1.0")]);
        }
    }
}
