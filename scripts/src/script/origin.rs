//! Positions of the bytes of programs in their script, so that errors of programs can be reported
//! at lines of the script.

use super::section::Section;
use glasm::ir::Span;
use std::ops::Range;

/// Positions of the bytes of a program in its script. The default denotes programs that are in no
/// script.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// Bytes of the script with the header of the section.
    header: Range<usize>,
    /// Runs of bytes in the order of the program. Only repeated lines result in more than one.
    pieces: Vec<Piece>,
}

/// Bytes of a program from `text` on to the next entry: those of the script in `script`,
/// repeatedly.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Piece {
    text: usize,
    script: Range<usize>,
}

impl Origin {
    /// Returns the origin of a section whose program is its body.
    pub(super) fn of(section: &Section<'_>) -> Self {
        let mut origin = Self::without_pieces(section);
        origin.add(0, section.start..section.start + section.body.len());
        origin
    }

    /// Returns the origin of a section whose program has no bytes yet.
    pub(super) fn without_pieces(section: &Section<'_>) -> Self {
        Self {
            header: section.header_start..section.start,
            pieces: Vec::new(),
        }
    }

    /// Records that the bytes of the program from `text` on are those of the script in `script`,
    /// which may be repeated.
    pub(super) fn add(&mut self, text: usize, script: Range<usize>) {
        self.pieces.push(Piece { text, script });
    }

    /// Returns the bytes of the script with the header of the section.
    pub(super) fn header(&self) -> Range<usize> {
        self.header.clone()
    }

    /// Returns the byte of the script for one of a program of `length` bytes; the end of the
    /// section for those past the end.
    pub(super) fn script_offset(&self, length: usize, byte: usize) -> Option<usize> {
        if byte >= length {
            return self.pieces.last().map(|piece| piece.script.end);
        }
        let after = self.pieces.partition_point(|piece| piece.text <= byte);
        let piece = self.pieces.get(after.checked_sub(1)?)?;
        let within = (byte - piece.text).checked_rem(piece.script.len())?;
        Some(piece.script.start + within)
    }

    /// Returns the bytes of the script for those of a program of `length` bytes.
    pub(super) fn script_span(&self, length: usize, span: Span) -> Option<Span> {
        let start = self.script_offset(length, span.start as usize)?;
        let start = u32::try_from(start).ok()?;
        // Spans may cover repeated bytes, so the end is computed from the start.
        let length = span.end.saturating_sub(span.start);
        Some(Span::new(start, start.saturating_add(length)))
    }
}
