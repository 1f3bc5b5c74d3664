//! A look at the whole text before it is read: which files and arrays have run-time indices.
//!
//! Declarations come before instructions, but what a register becomes depends on how instructions index it.

use super::cursor::{Cursor, is_word};
use super::files::File;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// What the text will do.
#[derive(Debug, Default)]
pub(super) struct Scan {
    indexed: FxHashSet<Indexed>,
}

/// Something that is indexed at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Indexed {
    file: File,
    /// The array that the operand names, 0 for none and for the first of two indices, where it does not matter.
    array: u32,
    place: IndexPlace,
}

/// Which of the indices of an operand a register is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum IndexPlace {
    /// The first one of two.
    Outer,
    /// The only one, or the second one.
    Element,
}

impl Scan {
    /// Looks at what stands behind a cursor, with the memory of an earlier look.
    pub(super) fn again(mut self, cursor: Cursor<'_>) -> Self {
        self.indexed.clear();
        let Cursor { text, at, .. } = cursor;
        let mut start = at;
        // A chunk has one byte more than is looked at: the byte behind a bracket decides.
        while let Some(chunk) = text[start..].first_chunk() {
            if has_unusual_index(chunk) {
                self.indices(cursor, start..start + CHUNK);
            }
            start += CHUNK;
        }
        self.indices(cursor, start..text.len());
        self
    }

    /// Looks at the indices that begin in a part of the text.
    fn indices(&mut self, cursor: Cursor<'_>, part: Range<usize>) {
        for open in part.filter(|&at| cursor.text[at] == b'[') {
            let inside = cursor.text[open + 1..].trim_ascii_start();
            // A register stands in this index. Signs and digits begin numbers, which are no run-time indices.
            if inside.first().is_some_and(u8::is_ascii_alphabetic) {
                self.index(cursor, open);
            }
        }
    }

    /// An index that begins with a register.
    #[cold]
    fn index(&mut self, cursor: Cursor<'_>, open: usize) {
        let before = &cursor.text[cursor.at..open];
        let first = before_index(before);
        // The word before the first of two brackets, also if the index is in the second.
        let Some(file) = File::of(last_word(first.unwrap_or(before))) else {
            return;
        };
        let Some(length) = length_of_index(&cursor.text[open..]) else {
            return;
        };
        let mut behind = Cursor {
            at: open + length,
            ..cursor
        };
        let array = array_id(&mut behind);
        let (array, place) = match first.is_none() && behind.sees(b'[') {
            true => (0, IndexPlace::Outer),
            false => (array, IndexPlace::Element),
        };
        self.indexed.insert(Indexed { file, array, place });
    }

    /// Whether elements of a file are indexed at run time without an array id.
    pub(super) fn indexes_file(&self, file: File) -> bool {
        self.has(file, 0, IndexPlace::Element)
    }

    /// Whether an array of a file is indexed at run time, by its id.
    pub(super) fn indexes_array(&self, file: File, id: u32) -> bool {
        id != 0 && self.has(file, id, IndexPlace::Element)
    }

    /// Whether the first of two indices is computed at run time.
    pub(super) fn indexes_first(&self, file: File) -> bool {
        self.has(file, 0, IndexPlace::Outer)
    }

    fn has(&self, file: File, array: u32, place: IndexPlace) -> bool {
        self.indexed.contains(&Indexed { file, array, place })
    }
}

/// Bytes that are looked at together.
const CHUNK: usize = 64;

/// Whether an index begins in the first [`CHUNK`] bytes that is no plain number.
#[inline]
fn has_unusual_index(bytes: &[u8; CHUNK + 1]) -> bool {
    let mut found = false;
    // Without a branch, so that many bytes are one operation of the processor.
    for at in 0..CHUNK {
        found |= (bytes[at] == b'[') & (bytes[at + 1].wrapping_sub(b'0') > 9);
    }
    found
}

/// Brackets in each other that are looked through: an index holds a register, whose own index is a number. Where there are more, the text is
/// wrong; to look for their other ends would take time that grows with the square of its length.
const DEPTH: i32 = 2;

/// What stands before the index that a text ends with, which may have an array id behind it. `None` if the text ends with something else.
fn before_index(text: &[u8]) -> Option<&[u8]> {
    let text = before_id(text.trim_ascii_end());
    if text.last() != Some(&b']') {
        return None;
    }
    let mut depth = 0;
    for (at, &byte) in text.iter().enumerate().rev() {
        depth += i32::from(byte == b']') - i32::from(byte == b'[');
        if depth == 0 {
            return Some(&text[..at]);
        }
        if depth > DEPTH {
            break;
        }
    }
    // Without a start no word stands before it.
    Some(&[])
}

/// What stands before the array id that a text ends with, or the text.
fn before_id(text: &[u8]) -> &[u8] {
    let is_inside = |byte: &&u8| byte.is_ascii_digit() || byte.is_ascii_whitespace();
    let Some(inside) = text.strip_suffix(b")") else {
        return text;
    };
    let length = inside.iter().rev().take_while(is_inside).count();
    let before = inside[..inside.len() - length].strip_suffix(b"(");
    before.map_or(text, <[u8]>::trim_ascii_end)
}

/// The word at the end of a text.
fn last_word(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_end();
    let start = text.iter().rposition(|&byte| !is_word(byte));
    &text[start.map_or(0, |at| at + 1)..]
}

/// Bytes of the index that a text starts with, its brackets included.
fn length_of_index(text: &[u8]) -> Option<usize> {
    let mut depth = 0;
    for (at, &byte) in text.iter().enumerate() {
        depth += i32::from(byte == b'[') - i32::from(byte == b']');
        if depth == 0 {
            return Some(at + 1);
        }
        if depth > DEPTH {
            break;
        }
    }
    None
}

/// Takes the id of an array, which is 0 if there is none.
fn array_id(cursor: &mut Cursor<'_>) -> u32 {
    let mut ahead = *cursor;
    if ahead.byte() != b'(' {
        return 0;
    }
    ahead.at += 1;
    let id = ahead.number().unwrap_or(0);
    if ahead.eat(b')') {
        *cursor = ahead;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Scan {
        Scan::default().again(Cursor {
            text: text.as_bytes(),
            at: 0,
            extended: true,
        })
    }

    /// What a text indexes at run time: files, arrays, and the first of two indices.
    fn found(text: &str) -> Vec<(File, u32, IndexPlace)> {
        let found = scan(text).indexed;
        let mut found: Vec<_> = found
            .iter()
            .map(|it| (it.file, it.array, it.place))
            .collect();
        found.sort_unstable_by_key(|&(_, array, place)| (place, array));
        found
    }

    #[test]
    fn known_indices_are_none() {
        for text in [
            "MOV TEMP[0], IN[1]",
            "MOV TEMP[0](1), CONST[1][2]",
            "DCL IN[][0], POSITION",
            "DCL OUT[0..1], ARRAY(1), GENERIC[2]",
            "MOV TEMP[-1].x, -|IMM[0].xyzw|",
            "LOAD TEMP[0], MEMORY[ 0 ], TEMP[1]",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn the_only_index() {
        for text in [
            "MOV TEMP[ADDR[0].x], IN[0]",
            "MOV TEMP[ADDR[0]], IN[0]",
            "MOV TEMP[ADDR[0].x+2].xy, IN[0]",
            "MOV TEMP [ ADDR [ 0 ] . x - 2 ] , IN[0]",
            "mov temp[addr[0].x]",
            "ADD OUT[0], -|TEMP[TEMP[1].w+1]|, TEMP[3]",
        ] {
            assert_eq!(
                found(text),
                [(File::Temp, 0, IndexPlace::Element)],
                "{text}"
            );
        }
    }

    #[test]
    fn an_index_with_an_array() {
        for text in [
            "MOV TEMP[ADDR[0].x](3)",
            "MOV TEMP[ADDR[0].x]( 3 ).x",
            "MOV TEMP[ADDR[0].x+1](3).xyzw",
        ] {
            assert_eq!(
                found(text),
                [(File::Temp, 3, IndexPlace::Element)],
                "{text}"
            );
        }
    }

    #[test]
    fn the_first_of_two_indices() {
        for text in [
            "MOV TEMP[0], CONST[ADDR[0].x][1]",
            "MOV TEMP[0], CONST[ADDR[0].x] [ 1 ]",
            "MOV TEMP[0], CONST[TEMP[0].x+1]\n[1].x",
        ] {
            assert_eq!(found(text), [(File::Const, 0, IndexPlace::Outer)], "{text}");
        }
        let outer = [(File::In, 0, IndexPlace::Outer)];
        assert_eq!(found("MOV TEMP[0], IN[ADDR[0].x](2)[1]"), outer);
    }

    #[test]
    fn the_second_of_two_indices() {
        for text in [
            "MOV TEMP[0], IN[1][ADDR[0].x]",
            "MOV TEMP[0], IN[1] [ADDR[0].x].x",
            "MOV TEMP[0], IN[1](2)[ADDR[0].x]",
            "MOV TEMP[0], IN[1](2) [ADDR[0].x]",
        ] {
            assert_eq!(found(text), [(File::In, 0, IndexPlace::Element)], "{text}");
        }
        let array = [(File::In, 2, IndexPlace::Element)];
        assert_eq!(found("MOV TEMP[0], IN[1][ADDR[0].x](2)"), array);
        assert_eq!(found("MOV TEMP[0], IN[1](1)[ADDR[0].x](2)"), array);
    }

    #[test]
    fn both_of_two_indices() {
        let both = [
            (File::In, 0, IndexPlace::Outer),
            (File::In, 1, IndexPlace::Element),
        ];
        assert_eq!(found("MOV OUT[0], IN[ADDR[0].x][ADDR[1].x+1](1)"), both);
        assert_eq!(
            found("MOV OUT[0], IN[ADDR[0].x] [ ADDR[1].x + 1 ](1)"),
            both
        );
    }

    #[test]
    fn questions_are_answered() {
        let scan = scan("MOV TEMP[ADDR[0].x](3), IN[ADDR[0].x][0]\nMOV OUT[ADDR[0].x], CONST[0]");
        assert!(scan.indexes_array(File::Temp, 3));
        assert!(!scan.indexes_array(File::Temp, 2));
        assert!(!scan.indexes_file(File::Temp));
        assert!(scan.indexes_first(File::In));
        assert!(!scan.indexes_first(File::Const));
        assert!(scan.indexes_file(File::Out));
        assert!(!scan.indexes_array(File::Out, 0));
    }

    #[test]
    fn arrays_are_as_many_as_a_text_has_room_for() {
        let ids = 1..=100_000;
        let text: String = ids.map(|id| format!("IN[A]({id}) ")).collect();
        assert_eq!(scan(&text).indexed.len(), 100_000);
    }

    #[test]
    fn brackets_without_ends_have_no_index() {
        for text in [
            "",
            "[",
            "[A",
            "]",
            "TEMP[ADDR[0]",
            "TEMP[ADDR[[[[0",
            "][ADDR[0].x]",
            ")[ADDR[0].x]",
            "(1)[ADDR[0].x]",
            "5][ADDR[0].x]",
            "NOTHING[ADDR[0].x]",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
