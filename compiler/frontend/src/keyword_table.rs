//! Tables of the words that the languages fix: opcodes, keywords, modifiers, options, bindings.
//!
//! A word of up to eight bytes is its own key, so that a look-up compares integers only.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Returns the key of a word for look-ups: the bytes of a short one (they hold no NUL); of a longer
/// one a hash with the top bit set, which no short ASCII word has.
pub(crate) fn word_key(text: &[u8]) -> u64 {
    match text.len() {
        0..=8 => text.iter().fold(0, |key, &byte| key << 8 | u64::from(byte)),
        _ => long_key(text),
    }
}

/// Returns the key of the first `length` of eight bytes; `length` is at least 1.
#[inline(always)]
pub(crate) fn short_key(eight: [u8; 8], length: u32) -> u64 {
    // The first character is the highest byte, as `key` builds it. The mask prevents a shift by 64
    // bits.
    u64::from_be_bytes(eight) >> ((64 - 8 * length) & 63)
}

/// Returns true if a key is that of a word of up to eight bytes, which is the word itself.
#[inline(always)]
pub(crate) fn is_short(key: u64) -> bool {
    key < LONG
}

/// Set in the keys of words of more than eight bytes.
const LONG: u64 = 1 << 63;

/// Returns the key of a word of more than eight bytes: its hash with the top bit set, which no
/// short key has.
#[inline(never)]
fn long_key(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    // A word of eight ASCII characters has no top bit, so that no short key equals a long one.
    hasher.finish() | LONG
}

/// 2^64 over the golden ratio: multiplying by it spreads similar words.
pub(crate) const HASH_FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns the hash of a key, at whose remainder by the table size the search for it starts.
#[inline(always)]
pub(crate) fn hash_key(key: u64) -> usize {
    // The bits from 32 on depend on at least four characters.
    (key.wrapping_mul(HASH_FACTOR) >> 32) as usize
}

/// Table of the words of a language with their data.
#[derive(Debug)]
pub(crate) struct KeywordTable<T> {
    /// Open addressing: keys, and the indices into `entries` plus one, 0 for a free slot. The
    /// length is a power of two.
    slots: Vec<(u64, u32)>,
    entries: Vec<(&'static str, T)>,
}

impl<T> FromIterator<(&'static str, T)> for KeywordTable<T> {
    /// Builds the table. Of a word that is listed several times the last entry is used.
    fn from_iter<I: IntoIterator<Item = (&'static str, T)>>(words: I) -> Self {
        let entries: Vec<(&'static str, T)> = words.into_iter().collect();
        // Most words that are looked up are in no table, so most slots are free.
        let mask = (entries.len() * 4).next_power_of_two() - 1;
        let mut slots = vec![(0, 0); mask + 1];
        for (index, (text, _)) in entries.iter().enumerate() {
            let key = word_key(text.as_bytes());
            let mut position = hash_key(key) & mask;
            // Terminates: at least three of four slots are free. A repeated word takes its existing
            // slot.
            while slots[position].1 != 0 && slots[position].0 != key {
                position = (position + 1) & mask;
            }
            slots[position] = (key, index as u32 + 1);
        }
        Self { slots, entries }
    }
}

impl<T> KeywordTable<T> {
    /// Looks up the entry of a word; `None` if it is not a keyword.
    pub(crate) fn get(&self, text: &[u8]) -> Option<&T> {
        self.find_by_key(word_key(text), text)
    }

    /// Returns the entry of the word `text`, whose hash key `key` is known; `None` if it is not a
    /// keyword.
    pub(crate) fn find_by_key(&self, key: u64, text: &[u8]) -> Option<&T> {
        let mask = self.slots.len() - 1;
        let mut position = hash_key(key) & mask;
        loop {
            // Never `None`: the position is below the number of slots.
            let (slot_key, index_plus_one) = *self.slots.get(position)?;
            // The empty word has the key 0 of free slots, whose number 0 then has no entry.
            if slot_key == key {
                let (word, entry) = self
                    .entries
                    .get((index_plus_one as usize).wrapping_sub(1))?;
                let is_same_word =
                    word.len() == text.len() && (text.len() <= 8 || word.as_bytes() == text);
                return is_same_word.then_some(entry);
            }
            if index_plus_one == 0 {
                return None;
            }
            position = (position + 1) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_by_their_text() {
        let list = ["A", "AB", "ABCDEFGH", "ABCDEFGHI", "SHARED_MEMORY"];
        let table: KeywordTable<usize> = list.iter().copied().zip(0..).collect();
        for (number, text) in list.iter().enumerate() {
            assert_eq!(table.get(text.as_bytes()), Some(&number));
        }
        for text in ["", "B", "ABCDEFG", "ABCDEFGHJ", "\0A"] {
            assert_eq!(table.get(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn the_last_entry_of_a_word_counts() {
        let table: KeywordTable<u8> = [("A", 1), ("B", 2), ("A", 3)].into_iter().collect();
        assert_eq!(table.get(b"A"), Some(&3));
    }
}
