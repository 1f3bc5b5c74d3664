//! Positions of the bytes of a program in the document that contains it.

use glasm::ir::Span;
use glasm_extract::SourceRun;

/// Bytes that follow each other in the program and in the document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    program: u32,
    document: u32,
    length: u32,
}

/// Positions of the bytes of a program in its document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PositionMap {
    /// Runs in the order of both; empty if all positions are equal.
    runs: Vec<Run>,
    /// The end of the program in the document.
    end: u32,
}

impl PositionMap {
    /// Returns the map of a program whose source is the document.
    pub(super) fn identity() -> Self {
        Self {
            runs: Vec::new(),
            end: 0,
        }
    }

    /// Returns true if the source of the program is the document.
    pub(super) fn is_identity(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the map of a program of `length` bytes in literals of a document, in which it ends
    /// at `end`.
    pub(super) fn from_runs(runs: &[SourceRun], length: usize, end: u32) -> Self {
        let ends = runs.iter().skip(1).map(|run| run.program);
        let ends = ends.chain([length]);
        let runs = runs.iter().zip(ends).map(|(run, end)| Run {
            program: run.program as u32,
            document: run.data as u32,
            length: end.saturating_sub(run.program) as u32,
        });
        Self {
            runs: runs.filter(|run| run.length > 0).collect(),
            end,
        }
    }

    /// Returns the byte of the document for a byte of the program.
    fn map_byte(&self, offset: u32) -> Option<u32> {
        let after = self.runs.partition_point(|run| run.program <= offset);
        let run = self.runs.get(after.checked_sub(1)?)?;
        let within = offset - run.program;
        // Past the last byte.
        (within < run.length).then_some(run.document + within)
    }

    /// Returns the bytes of the document from the first to the last of a span; `None` if the span
    /// is not in the document.
    pub(super) fn to_document(&self, span: Span) -> Option<Span> {
        if self.runs.is_empty() {
            return Some(span);
        }
        let start = self.map_byte(span.start).unwrap_or(self.end);
        if span.start >= span.end {
            return Some(Span::new(start, start));
        }
        let last = self.map_byte(span.end - 1)?;
        (last >= start).then(|| Span::new(start, last + 1))
    }

    /// Returns the byte of the program for a byte of the document: the next one if it is in the
    /// text between literals or in an escape.
    pub(super) fn to_program(&self, offset: u32) -> Option<u32> {
        if self.runs.is_empty() {
            return Some(offset);
        }
        let after = self.runs.partition_point(|run| run.document <= offset);
        let run = self.runs.get(after.checked_sub(1)?)?;
        Some(run.program + (offset - run.document).min(run.length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_have_two_bytes() {
        // "AB\nC", where the escape is one byte of the program: A at 10, B at 11, C at 14.
        let runs = [(0, 10), (3, 14)];
        let runs = runs.map(|(program, data)| SourceRun { program, data });
        let map = PositionMap::from_runs(&runs, 4, 15);
        let span = |start, end| map.to_document(Span::new(start, end));
        assert_eq!(span(0, 2), Some(Span::new(10, 12)));
        assert_eq!(span(3, 4), Some(Span::new(14, 15)));
        assert_eq!(span(1, 4), Some(Span::new(11, 15)));
        // The end of the program.
        assert_eq!(span(4, 4), Some(Span::new(15, 15)));
        let byte = |offset| map.to_program(offset);
        assert_eq!((byte(9), byte(10), byte(11)), (None, Some(0), Some(1)));
        // In the escape, after it, after the end.
        assert_eq!((byte(13), byte(14), byte(20)), (Some(3), Some(3), Some(4)));
    }

    #[test]
    fn sources_are_their_documents() {
        let map = PositionMap::identity();
        assert_eq!(map.to_document(Span::new(3, 9)), Some(Span::new(3, 9)));
        assert_eq!(map.to_program(7), Some(7));
    }
}
