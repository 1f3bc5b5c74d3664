//! Maps bytes of programs to bytes of their script.

use super::section::Section;
use glasm::ir::Span;
use std::ops::Range;

/// Positions of the bytes of a program in its script. The default denotes programs that are in no
/// script.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SourceMap {
    /// Bytes of the script with the header of the section.
    header: Range<usize>,
    /// Runs of bytes in the order of the program. Only repeated lines result in more than one.
    ranges: Vec<MappedRange>,
}

/// Bytes of a program from `text` on to the next entry: those of the script in `script`,
/// repeatedly.
#[derive(Clone, PartialEq, Eq, Debug)]
struct MappedRange {
    program_offset: usize,
    script_range: Range<usize>,
}

impl SourceMap {
    /// Returns the origin of a section whose program is its body.
    pub(super) fn from_section(section: &Section<'_>) -> Self {
        let mut origin = Self::without_ranges(section);
        origin.add_range(0, section.start..section.start + section.body.len());
        origin
    }

    /// Returns the origin of a section whose program has no bytes yet.
    pub(super) fn without_ranges(section: &Section<'_>) -> Self {
        Self {
            header: section.header_start..section.start,
            ranges: Vec::new(),
        }
    }

    /// Records that the bytes of the program from offset `text` on are those of the script in
    /// `script`, which may be repeated. Ranges are added in the order of the program.
    pub(super) fn add_range(&mut self, text: usize, script: Range<usize>) {
        self.ranges.push(MappedRange {
            program_offset: text,
            script_range: script,
        });
    }

    /// Returns the bytes of the script with the header of the section.
    pub(super) fn header(&self) -> Range<usize> {
        self.header.clone()
    }

    /// Returns the byte of the script for one of a program of `length` bytes; the end of the
    /// section for those past the end. `None` for programs that are in no script.
    pub(super) fn script_offset(&self, length: usize, byte: usize) -> Option<usize> {
        if byte >= length {
            return self.ranges.last().map(|piece| piece.script_range.end);
        }
        let after = self
            .ranges
            .partition_point(|piece| piece.program_offset <= byte);
        let piece = self.ranges.get(after.checked_sub(1)?)?;
        let within = (byte - piece.program_offset).checked_rem(piece.script_range.len())?;
        Some(piece.script_range.start + within)
    }

    /// Returns the bytes of the script for those of a program of `length` bytes: a span of the same
    /// length from its start on. `None` for programs that are in no script.
    pub(super) fn script_span(&self, length: usize, span: Span) -> Option<Span> {
        let start = self.script_offset(length, span.start as usize)?;
        let start = u32::try_from(start).ok()?;
        // Spans may cover repeated bytes, so the end is computed from the start.
        let length = span.end.saturating_sub(span.start);
        Some(Span::new(start, start.saturating_add(length)))
    }
}
