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

#[derive(Clone, Copy, Debug)]
struct Entry<'s> {
    key: u64,
    text: &'s [u8],
}

/// The names seen so far.
#[derive(Clone, Debug)]
pub struct Names<'s> {
    entries: Vec<Entry<'s>>,
    /// Open addressing; a slot holds an entry number plus one, or 0. The length is a power of two.
    slots: Vec<u32>,
}

impl<'s> Names<'s> {
    /// No names.
    pub(crate) fn new() -> Self {
        Self { entries: Vec::with_capacity(64), slots: vec![0; 256] }
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The text of a name.
    pub fn text(&self, id: NameId) -> &'s [u8] {
        self.entries[id.index()].text
    }

    /// The text of a name for messages.
    pub fn display(&self, id: NameId) -> String {
        String::from_utf8_lossy(self.text(id)).into_owned()
    }

    /// All names with their texts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NameId, &'s [u8])> + '_ {
        self.entries.iter().enumerate().map(|(index, entry)| (NameId(index as u32), entry.text))
    }

    /// The number of `text`, new if it was not seen before.
    #[inline]
    pub(crate) fn intern(&mut self, text: &'s [u8]) -> NameId {
        let key = key(text);
        let short = text.len() <= 8;
        let mask = self.slots.len() - 1;
        let mut slot = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return self.add(slot, Entry { key, text }),
                taken => {
                    let entry = &self.entries[taken as usize - 1];
                    if entry.key == key && (short || entry.text == text) {
                        return NameId(taken - 1);
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    #[cold]
    fn add(&mut self, slot: usize, entry: Entry<'s>) -> NameId {
        self.entries.push(entry);
        let number = self.entries.len() as u32;
        self.slots[slot] = number;
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        NameId(number - 1)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 4 - 1;
        self.slots = vec![0; mask + 1];
        for (index, entry) in self.entries.iter().enumerate() {
            let mut slot = (entry.key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = index as u32 + 1;
        }
    }
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
        let texts: Vec<String> = (0..2000).map(|n| format!("{}name{n}", "x".repeat(n % 12))).collect();
        let ids: Vec<NameId> = texts.iter().map(|text| names.intern(text.as_bytes())).collect();
        for (text, &id) in texts.iter().zip(&ids) {
            assert_eq!(names.intern(text.as_bytes()), id);
            assert_eq!(names.text(id), text.as_bytes());
        }
        assert_eq!(names.len(), 2000);
    }

    #[test]
    fn prefixes_differ() {
        let mut names = Names::new();
        let (a, b, c) = (names.intern(b"a"), names.intern(b"aa"), names.intern(b"aaaaaaaaa"));
        assert!(a != b && b != c && a != c);
    }
}
