//! Interned names: every identifier of a program string gets a small number.
//!
//! Names of up to eight bytes are their own key, so that most look-ups compare one integer.

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
}

/// A slot of the table: key and entry number plus one, 0 for a free slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    number: u32,
}

const FREE: Slot = Slot { key: 0, number: 0 };

/// The names seen so far.
#[derive(Clone, Debug)]
pub struct Names<'s> {
    texts: Vec<&'s [u8]>,
    /// Open addressing; the length is a power of two.
    slots: Vec<Slot>,
}

impl<'s> Names<'s> {
    /// No names.
    pub(crate) fn new() -> Self {
        Self {
            texts: Vec::with_capacity(64),
            slots: vec![FREE; 256],
        }
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The text of a name.
    pub fn text(&self, id: NameId) -> &'s [u8] {
        self.texts[id.index()]
    }

    /// The text of a name for messages.
    pub fn display(&self, id: NameId) -> String {
        String::from_utf8_lossy(self.text(id)).into_owned()
    }

    /// All names with their texts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NameId, &'s [u8])> + '_ {
        self.texts
            .iter()
            .enumerate()
            .map(|(index, &text)| (NameId(index as u32), text))
    }

    /// The number of `text`, new if it was not seen before.
    #[inline]
    pub(crate) fn intern(&mut self, text: &'s [u8]) -> NameId {
        self.find(key(text), text)
    }

    /// Like [`intern`](Self::intern) for the bytes `range` of `source`; does without a loop over the bytes of short names.
    #[inline]
    pub(crate) fn intern_at(&mut self, source: &'s [u8], range: std::ops::Range<usize>) -> NameId {
        let length = range.len();
        let text = &source[range.clone()];
        let word = source
            .get(range.start..range.start + 8)
            .and_then(|bytes| bytes.try_into().ok())
            .map(u64::from_be_bytes);
        match word {
            Some(word) if length <= 8 && length > 0 => self.find(word >> (64 - 8 * length), text),
            _ => self.find(key(text), text),
        }
    }

    #[inline]
    fn find(&mut self, key: u64, text: &'s [u8]) -> NameId {
        let mask = self.slots.len() - 1;
        let mut position = home(key) & mask;
        loop {
            let slot = self.slots[position];
            if slot.number == 0 {
                return self.add(position, key, text);
            }
            if slot.key == key && (text.len() <= 8 || self.texts[slot.number as usize - 1] == text)
            {
                return NameId(slot.number - 1);
            }
            position = (position + 1) & mask;
        }
    }

    #[cold]
    fn add(&mut self, position: usize, key: u64, text: &'s [u8]) -> NameId {
        self.texts.push(text);
        let number = self.texts.len() as u32;
        self.slots[position] = Slot { key, number };
        if self.texts.len() * 2 > self.slots.len() {
            self.grow();
        }
        NameId(number - 1)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 4 - 1;
        let old = std::mem::replace(&mut self.slots, vec![FREE; mask + 1]);
        for slot in old.into_iter().filter(|slot| slot.number != 0) {
            let mut position = home(slot.key) & mask;
            while self.slots[position].number != 0 {
                position = (position + 1) & mask;
            }
            self.slots[position] = slot;
        }
    }
}

/// Where the search for a key starts, before it is cut to the table.
#[inline]
fn home(key: u64) -> usize {
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

    #[test]
    fn same_text_same_number() {
        let mut names = Names::new();
        let texts: Vec<String> = (0..2000)
            .map(|n| format!("{}name{n}", "x".repeat(n % 12)))
            .collect();
        let ids: Vec<NameId> = texts
            .iter()
            .map(|text| names.intern(text.as_bytes()))
            .collect();
        for (text, &id) in texts.iter().zip(&ids) {
            assert_eq!(names.intern(text.as_bytes()), id);
            assert_eq!(names.text(id), text.as_bytes());
        }
        assert_eq!(names.len(), 2000);
    }

    #[test]
    fn prefixes_differ() {
        let mut names = Names::new();
        let (a, b, c) = (
            names.intern(b"a"),
            names.intern(b"aa"),
            names.intern(b"aaaaaaaaa"),
        );
        assert!(a != b && b != c && a != c);
    }
}
