//! Interned names: every identifier of a program string gets a small number.
//!
//! Names of up to eight bytes are their own key, so that most look-ups compare one integer.

use glasm_ir::Span;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A name of the program string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NameId(pub(crate) u32);

impl NameId {
    /// Position in tables that hold something per name.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// The name at a position of such tables.
    pub(crate) fn of(index: usize) -> Self {
        Self(index as u32)
    }
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Named {
    Nothing,
    /// A variable by its number.
    Var(u32),
    SubroutineType,
    /// A mistake was reported already.
    Poisoned,
}

/// A slot of the table: key and entry number plus one, 0 for a free slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    number: u32,
}

const FREE: Slot = Slot { key: 0, number: 0 };

/// Slots of a new table; a power of two.
const FIRST_SLOTS: usize = 128;

/// The tables of [`Names`], which serve one program after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTables {
    spans: Vec<Span>,
    /// Open addressing; the length is a power of two.
    slots: Vec<Slot>,
}

/// The names seen so far, in a program string.
#[derive(Clone, Debug)]
pub struct Names<'s> {
    source: &'s [u8],
    tables: NameTables,
}

impl<'s> Names<'s> {
    /// No names yet of `source`.
    pub(crate) fn new(source: &'s [u8], mut tables: NameTables) -> Self {
        tables.spans.clear();
        tables.slots.clear();
        tables.slots.resize(FIRST_SLOTS, FREE);
        Self { source, tables }
    }

    /// No names, and no memory for any.
    pub(crate) fn none(source: &'s [u8]) -> Self {
        Self {
            source,
            tables: NameTables::default(),
        }
    }

    /// The tables, for the next program.
    pub(crate) fn into_tables(self) -> NameTables {
        self.tables
    }

    /// The number of names.
    #[inline]
    pub fn len(&self) -> usize {
        self.tables.spans.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.tables.spans.is_empty()
    }

    /// The text of a name.
    pub fn text(&self, id: NameId) -> &'s [u8] {
        &self.source[self.tables.spans[id.index()].range()]
    }

    /// The text of a name of letters and digits.
    pub(crate) fn word(&self, id: NameId) -> &'s str {
        std::str::from_utf8(self.text(id)).unwrap_or_default()
    }

    /// The text of a name for messages.
    pub fn display(&self, id: NameId) -> String {
        String::from_utf8_lossy(self.text(id)).into_owned()
    }

    /// All names with their texts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NameId, &'s [u8])> + '_ {
        (0..self.len() as u32).map(|number| (NameId(number), self.text(NameId(number))))
    }

    /// The number of the name of `length` bytes that begins at byte `start`, new if it was not seen before.
    #[inline(always)]
    pub(crate) fn intern(&mut self, start: usize, length: usize) -> NameId {
        let eight = self.source.get(start..start + 8);
        if let Some(&bytes) = eight.and_then(|bytes| bytes.first_chunk::<8>())
            && length.wrapping_sub(1) < 8
        {
            // Names of up to eight bytes are read at once: no loop over their bytes.
            let key = u64::from_be_bytes(bytes) >> (64 - 8 * length);
            let slots = self.tables.slots.as_slice();
            let home = home(key) & (slots.len() - 1);
            // Free slots have the key 0, which no name has.
            if let Some(slot) = slots.get(home).filter(|slot| slot.key == key) {
                return NameId(slot.number - 1);
            }
            return self.find(key, start, length);
        }
        self.find_long(start, length)
    }

    #[inline(never)]
    fn find_long(&mut self, start: usize, length: usize) -> NameId {
        let key = key(&self.source[start..start + length]);
        self.find(key, start, length)
    }

    /// The name, in a slot at or behind the first one that is meant for it.
    #[inline(never)]
    fn find(&mut self, key: u64, start: usize, length: usize) -> NameId {
        let span = Span::new(start as u32, (start + length) as u32);
        let slots = self.tables.slots.as_slice();
        let mask = slots.len() - 1;
        let mut position = home(key) & mask;
        while let Some(slot) = slots.get(position).filter(|slot| slot.number != 0) {
            if slot.key == key && (length <= 8 || self.is_text(*slot, span)) {
                return NameId(slot.number - 1);
            }
            position = (position + 1) & mask;
        }
        self.add(position, key, span)
    }

    /// Whether the name in a slot is spelled as the bytes of `span`.
    fn is_text(&self, slot: Slot, span: Span) -> bool {
        self.text(NameId(slot.number - 1)) == &self.source[span.range()]
    }

    #[cold]
    fn add(&mut self, position: usize, key: u64, span: Span) -> NameId {
        let NameTables { spans, slots } = &mut self.tables;
        spans.push(span);
        let number = spans.len() as u32;
        slots[position] = Slot { key, number };
        // At least half of the slots stay free, so that searches are short and end.
        if spans.len() * 2 > slots.len() {
            grow(slots);
        }
        NameId(number - 1)
    }
}

fn grow(slots: &mut Vec<Slot>) {
    let mask = slots.len() * 4 - 1;
    let old = std::mem::replace(slots, vec![FREE; mask + 1]);
    for slot in old.into_iter().filter(|slot| slot.number != 0) {
        let mut position = home(slot.key) & mask;
        while slots[position].number != 0 {
            position = (position + 1) & mask;
        }
        slots[position] = slot;
    }
}

/// Where the search for a key starts, before it is cut to the table.
#[inline]
fn home(key: u64) -> usize {
    // Multiplying by 2^64 over the golden ratio spreads similar names; the bits from 32 on depend on four letters at least.
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}

/// Names of up to eight bytes give themselves (they hold no NUL); longer ones a hash with the top bit set, which no ASCII
/// name of eight bytes has.
#[inline]
fn key(text: &[u8]) -> u64 {
    if text.len() <= 8 {
        let mut key = 0u64;
        for &byte in text {
            key = key << 8 | u64::from(byte);
        }
        key
    } else {
        let mut hasher = FxHasher::default();
        hasher.write(text);
        hasher.finish() | 1 << 63
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of a text of words with blanks in between.
    fn interned(text: &str) -> (Names<'_>, Vec<NameId>) {
        let mut names = Names::new(text.as_bytes(), NameTables::default());
        let mut start = 0;
        let ids = text.split(' ').map(|word| {
            let span = Span::new(start, start + word.len() as u32);
            start = span.end + 1;
            names.intern(span.start as usize, word.len())
        });
        let ids = ids.collect();
        (names, ids)
    }

    #[test]
    fn same_text_same_number() {
        let texts: Vec<String> = (0..2000)
            .map(|n| format!("{}name{n}", "x".repeat(n % 12)))
            .collect();
        let twice = [texts.join(" "), texts.join(" ")].join(" ");
        let (names, ids) = interned(&twice);
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(ids[number], ids[number + 2000]);
            assert_eq!(names.text(ids[number]), text.as_bytes());
        }
        assert_eq!(names.len(), 2000);
    }

    #[test]
    fn prefixes_differ() {
        let (_, ids) = interned("a aa aaaaaaaaa");
        assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    }
}
