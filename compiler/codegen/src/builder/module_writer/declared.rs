//! Hash-consing of module-scope declarations, types and constants: a table holds their offsets; the
//! declarations in the module are compared, so that no key is stored twice.

use crate::kept::refill;

/// Initial number of slots of a table.
const ROOM: usize = 64;

/// Numbers of declarations by the hash of their contents.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// Hash and number, in the first free slot at or after the hash. Number 0 marks a free slot; at
    /// least one exists.
    places: Vec<(u32, u32)>,
    /// Slots before the table grew, retained for reuse of their memory.
    spare: Vec<(u32, u32)>,
    count: usize,
}

impl Declared {
    /// Removes all entries. A large capacity is set aside, so that small programs need not clear
    /// the slots of a large one.
    pub(super) fn clear(&mut self) {
        // Sizes are powers of two, and so is `ROOM`: masks of hashes depend on this property.
        if self.count * 8 < self.places.len() {
            self.places.truncate(ROOM);
        }
        self.places.fill((0, 0));
        self.count = 0;
    }

    /// Returns the number with this hash for which `is_same` holds.
    #[inline]
    pub(super) fn find(&self, hash: u32, is_same: impl Fn(u32) -> bool) -> Option<u32> {
        // The table is empty before the first number is added.
        let last = self.places.len().checked_sub(1)?;
        let mut place = hash as usize & last;
        loop {
            let (known, number) = self.places[place & last];
            if number == 0 {
                return None;
            }
            if known == hash && is_same(number) {
                return Some(number);
            }
            place += 1;
        }
    }

    /// Adds a number that is not 0.
    pub(super) fn insert(&mut self, hash: u32, number: u32) {
        // At most half full, so that searches end at a free slot after few steps.
        if (self.count + 1) * 2 > self.places.len() {
            self.grow();
        }
        self.count += 1;
        self.put(hash, number);
    }

    fn put(&mut self, hash: u32, number: u32) {
        let last = self.places.len() - 1;
        let mut place = hash as usize & last;
        while self.places[place].1 != 0 {
            place = (place + 1) & last;
        }
        self.places[place] = (hash, number);
    }

    #[cold]
    fn grow(&mut self) {
        let room = (self.places.len() * 2).max(ROOM);
        refill(&mut self.spare, room, (0, 0));
        std::mem::swap(&mut self.places, &mut self.spare);
        for index in 0..self.spare.len() {
            let (hash, number) = self.spare[index];
            if number != 0 {
                self.put(hash, number);
            }
        }
    }
}

/// Computes a hash of words.
#[inline]
pub(super) fn hash(words: impl IntoIterator<Item = u64>) -> u32 {
    // The upper half of a product depends on all words; the rotation makes their order significant.
    // The factor is 2^64 divided by the golden ratio, an odd number: its multiples are distributed
    // evenly (Fibonacci hashing).
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = words.into_iter().fold(0_u64, |mixed, word| {
        (mixed.rotate_left(26) ^ word).wrapping_mul(FACTOR)
    });
    (mixed >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_what_they_stand_for() {
        let words: Vec<u64> = (0..1000).map(|number| number * number % 613).collect();
        let mut declared = Declared::default();
        for round in 0..2 {
            let mut different = 0;
            for (index, &word) in words.iter().enumerate() {
                let hash = hash([word, 7]) % 50;
                let first = words.iter().position(|&it| it == word).unwrap();
                let found = declared.find(hash, |number| words[number as usize - 1] == word);
                if first < index {
                    assert_eq!(found, Some(first as u32 + 1), "round {round}");
                } else {
                    assert_eq!(found, None, "round {round}");
                    declared.insert(hash, index as u32 + 1);
                    different += 1;
                }
            }
            assert_eq!(declared.count, different);
            declared.clear();
        }
    }

    #[test]
    fn the_order_of_words_counts() {
        assert_ne!(hash([1, 2]), hash([2, 1]));
        assert_ne!(hash([0]), hash([1]));
    }
}
