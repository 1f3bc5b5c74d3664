//! Bytes of a source as lines and columns, in the units that protocols of editors count.

/// Unit of columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnUnit {
    /// Bytes of UTF-8.
    Utf8,
    /// Code units of UTF-16.
    Utf16,
}

/// Line and column, both from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LineColumn {
    /// Line, from 0.
    pub line: u32,
    /// Column in units, from 0.
    pub column: u32,
}

/// A character of more than one byte.
#[derive(Clone, Copy, Debug)]
struct WideCharacter {
    start: u32,
    end: u32,
    /// Bytes up to its end minus code units up to its end.
    surplus: u32,
}

/// The lines of a source, which answer in logarithmic time even if all of it is one line. Lines end
/// with LF, CR or CR LF.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
    wide: Vec<WideCharacter>,
    length: u32,
    /// Ends of the lines without their line ends, in the order of `starts`.
    ends: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of a source, of which the first 4 GiB are looked at.
    pub fn new(text: &str) -> Self {
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let bytes = &text.as_bytes()[..length as usize];
        let (mut starts, mut ends) = (vec![0], Vec::new());
        for (at, byte) in (0u32..).zip(bytes) {
            let next = bytes.get(at as usize + 1);
            let is_end = *byte == b'\n' || *byte == b'\r' && next != Some(&b'\n');
            if is_end {
                let is_pair = *byte == b'\n' && at > 0 && bytes[at as usize - 1] == b'\r';
                ends.push(at - u32::from(is_pair));
                starts.push(at + 1);
            }
        }
        ends.push(length);
        let mut surplus = 0;
        let characters = text.char_indices().filter(|(_, it)| !it.is_ascii());
        let wide = characters.map(|(at, character)| {
            let (start, bytes) = (at as u32, character.len_utf8() as u32);
            surplus += bytes - character.len_utf16() as u32;
            WideCharacter {
                start,
                end: start.saturating_add(bytes),
                surplus,
            }
        });
        Self {
            wide: wide.collect(),
            starts,
            ends,
            length,
        }
    }

    /// Returns the number of code units of UTF-16 before a byte.
    fn count_units(&self, offset: u32) -> u32 {
        let before = self.wide.partition_point(|it| it.end <= offset);
        let surplus = before.checked_sub(1).map_or(0, |it| self.wide[it].surplus);
        offset - surplus
    }

    /// Returns line and column of a byte; those of the end for bytes after it.
    pub fn position(&self, offset: u32, unit: ColumnUnit) -> LineColumn {
        let offset = offset.min(self.length);
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let start = self.starts[line];
        let column = match unit {
            ColumnUnit::Utf8 => offset - start,
            ColumnUnit::Utf16 => self.count_units(offset) - self.count_units(start),
        };
        LineColumn {
            line: line as u32,
            column,
        }
    }

    /// Returns the byte at line and column. Columns after the end of a line denote its end, lines
    /// after the last one the end of the source; a column within a character denotes its start.
    pub fn offset(&self, position: LineColumn, unit: ColumnUnit) -> u32 {
        let line = position.line as usize;
        let (Some(&start), Some(&end)) = (self.starts.get(line), self.ends.get(line)) else {
            return self.length;
        };
        let offset = match unit {
            ColumnUnit::Utf8 => start.saturating_add(position.column),
            ColumnUnit::Utf16 => {
                let units = self.count_units(start).saturating_add(position.column);
                let before = self.wide.partition_point(|it| it.end - it.surplus <= units);
                let surplus = before.checked_sub(1).map_or(0, |it| self.wide[it].surplus);
                units.saturating_add(surplus)
            }
        };
        let index = self.wide.partition_point(|it| it.end <= offset);
        let inside = self.wide.get(index).filter(|it| it.start < offset);
        inside.map_or(offset, |it| it.start).min(end)
    }

    /// Returns the number of lines, at least 1.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the column of a byte in code units, computed by the standard library.
    fn count(text: &str, from: usize, to: usize) -> u32 {
        text[from..to].encode_utf16().count() as u32
    }

    #[test]
    fn columns_are_code_units() {
        // One, two, three and four bytes: one, one, one and two code units.
        let text = "a\u{e9}\u{20ac}\u{1f600}b\nc\u{1f600}d\r\ne\rf";
        let lines = LineIndex::new(text);
        assert_eq!(lines.line_count(), 4);
        let starts = [
            0,
            text.find('c').unwrap(),
            text.find('e').unwrap(),
            text.len() - 1,
        ];
        for (at, _) in text.char_indices() {
            let line = starts.iter().rposition(|start| *start <= at).unwrap();
            let expected = LineColumn {
                line: line as u32,
                column: count(text, starts[line], at),
            };
            assert_eq!(lines.position(at as u32, ColumnUnit::Utf16), expected);
            if !matches!(text.as_bytes()[at], b'\n' | b'\r') {
                assert_eq!(lines.offset(expected, ColumnUnit::Utf16), at as u32);
            }
        }
    }

    #[test]
    fn positions_outside_are_clamped() {
        let lines = LineIndex::new("ab\u{1f600}\nc\n");
        let offset = |line, column, unit| lines.offset(LineColumn { line, column }, unit);
        assert_eq!(offset(0, 99, ColumnUnit::Utf16), 6);
        // Between the two code units of a character.
        assert_eq!(offset(0, 3, ColumnUnit::Utf16), 2);
        assert_eq!(offset(0, 4, ColumnUnit::Utf8), 2);
        assert_eq!(offset(1, u32::MAX, ColumnUnit::Utf16), 8);
        assert_eq!(offset(7, 0, ColumnUnit::Utf16), 9);
        let end = LineColumn { line: 2, column: 0 };
        assert_eq!(lines.position(u32::MAX, ColumnUnit::Utf8), end);
    }
}
