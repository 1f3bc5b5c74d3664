//! Finds declarations of the module by what they declare: types, constants. A table holds their
//! offsets; what the module has there is compared, so that nothing is stored twice.

use crate::kept::refill;

/// Slots of a table at first.
const ROOM: usize = 64;

/// Numbers of declarations by the hash of what they declare.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// Hash and number, in the first free slot from the hash on. Number 0 is a free slot; there is
    /// always one.
    places: Vec<(u32, u32)>,
    /// The slots before the table grew, retained for their memory.
    spare: Vec<(u32, u32)>,
    count: usize,
}

impl Declared {
    /// Removes all of them. The capacity for many is put aside, so that small programs do not clear
    /// what a large one needed.
    pub(super) fn clear(&mut self) {
        // Sizes are powers of two, and so is `ROOM`: masks of hashes depend on that.
        if self.count * 8 < self.places.len() {
            self.places.truncate(ROOM);
        }
        self.places.fill((0, 0));
        self.count = 0;
    }

    /// Finds the number with this hash for which `is_same` holds.
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
        // At most half full, so that a search ends at a free slot soon.
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

/// Computes the hash of some words.
#[inline]
pub(super) fn hash(words: impl IntoIterator<Item = u64>) -> u32 {
    // A product has all words in its upper half; the rotation lets their order count. The factor is
    // 2^64 divided by the golden ratio, an odd number: multiples of it are spread evenly (Fibonacci
    // hashing).
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
