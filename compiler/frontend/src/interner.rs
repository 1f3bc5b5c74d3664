//! Interned names: every identifier of a program string has a small number.
//!
//! Names of up to eight bytes are their own key, so that most look-ups compare one integer.

use crate::keyword_table;
use glasm_ir::Span;
use std::collections::BTreeMap;

/// A name of the program string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NameId(pub(crate) u32);

impl NameId {
    /// Returns the name as an index into tables with an entry per name.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the name with an index into tables with an entry per name.
    pub(crate) fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
}

/// A slot of the table: key and entry number plus one, 0 for a free slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    index_plus_one: u32,
}

const FREE: Slot = Slot {
    key: 0,
    index_plus_one: 0,
};

/// The slots that are looked at together.
type Bucket = [Slot; 2];

/// Pairs of slots of a new table; a power of two.
const INITIAL_BUCKETS: usize = 64;

/// Maximum number of pairs that are probed for a name. Names can be chosen so that all of them hash
/// to one slot: an unbounded search would take quadratic time for a program of such names.
const MAX_PROBES: usize = 12;

/// The tables of [`Interner`], which consecutive programs reuse.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTables {
    spans: Vec<Span>,
    /// Open addressing; the length is a power of two.
    buckets: Vec<Bucket>,
    /// The names that found no free slot.
    overflow: BTreeMap<Box<[u8]>, u32>,
}

/// The names seen in a program string up to the current statement.
#[derive(Clone, Debug, Default)]
pub struct Interner<'s> {
    source: &'s [u8],
    /// Words that no program can use as names; they have the first numbers.
    reserved: &'static [&'static str],
    tables: NameTables,
}

impl<'s> Interner<'s> {
    /// Returns the names of another program, initially only the reserved ones, in the memory of
    /// these. Reserved words have the first numbers, in their order.
    pub(crate) fn reuse_for<'t>(
        self,
        source: &'t [u8],
        reserved: &'static [&'static str],
    ) -> Interner<'t> {
        let mut tables = self.tables;
        tables.spans.clear();
        tables.buckets.clear();
        // Small again, even after a program of many names: most have few, and a small table fits
        // the cache.
        tables.buckets.resize(INITIAL_BUCKETS, [FREE; 2]);
        tables.overflow.clear();
        let mut names = Interner {
            source,
            reserved,
            tables,
        };
        for word in reserved {
            // Their bytes are those of the list, see `text`.
            let span = Span::default();
            names.find_or_add(
                word.as_bytes(),
                keyword_table::word_key(word.as_bytes()),
                span,
            );
        }
        names
    }

    /// Removes all names and retains the memory of the tables. Names can be added only after
    /// [`reuse_for`](Self::reuse_for).
    pub(crate) fn into_empty(self) -> Interner<'static> {
        Interner {
            source: &[],
            reserved: &[],
            tables: self.tables,
        }
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.tables.spans.len()
    }

    /// Returns true if the interner contains no names.
    pub fn is_empty(&self) -> bool {
        self.tables.spans.is_empty()
    }

    /// Returns the bytes of a name, from the list of reserved words or the source.
    pub fn bytes(&self, id: NameId) -> &'s [u8] {
        match self.reserved.get(id.index()) {
            Some(word) => word.as_bytes(),
            None => &self.source[self.tables.spans[id.index()].range()],
        }
    }

    /// Returns true if the name is reserved, so that no program can use it.
    #[inline(always)]
    pub(crate) fn is_reserved(&self, id: NameId) -> bool {
        id.index() < self.reserved.len()
    }

    /// Returns a name as a string; it consists of ASCII alphanumeric characters.
    pub(crate) fn as_str(&self, id: NameId) -> &'s str {
        std::str::from_utf8(self.bytes(id)).unwrap_or_default()
    }

    /// Returns a name as a string for messages; invalid UTF-8 is replaced.
    pub fn display(&self, id: NameId) -> String {
        String::from_utf8_lossy(self.bytes(id)).into_owned()
    }

    /// Returns all names with their bytes, in the order in which they were added.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NameId, &'s [u8])> + '_ {
        (0..self.len() as u32).map(|number| (NameId(number), self.bytes(NameId(number))))
    }

    /// Returns the name at a span, whose key is `key`, that of its bytes; adds it if it was not
    /// seen before.
    #[inline(always)]
    pub(crate) fn intern(&mut self, span: Span, key: u64) -> NameId {
        debug_assert_ne!(key, 0, "an empty name would match free slots");
        // Nearly all names are short and in one of the two slots that they hash to.
        let pairs = self.tables.buckets.as_slice();
        if let Some([first, second]) =
            pairs.get(keyword_table::hash_key(key) & pairs.len().wrapping_sub(1))
            && keyword_table::is_short(key)
        {
            // Free slots have the key 0, which no name has.
            for slot in [first, second] {
                if slot.key == key {
                    return NameId(slot.index_plus_one.wrapping_sub(1));
                }
            }
        }
        self.find_or_add(&self.source[span.range()], key, span)
    }

    /// Returns the number of the name `text` with its key, which is added with `span` if it is new.
    /// Names that do not fit into the probed buckets go into the overflow table.
    #[inline(never)]
    fn find_or_add(&mut self, text: &[u8], key: u64, span: Span) -> NameId {
        let mask = self.tables.buckets.len() - 1;
        let home_bucket = keyword_table::hash_key(key);
        for step in 0..MAX_PROBES {
            let position = (home_bucket + step) & mask;
            for (side, slot) in self.tables.buckets[position].iter().enumerate() {
                // Names are never removed, so a free slot ends the search.
                if slot.index_plus_one == 0 {
                    return self.add_name(Some((position, side)), key, span);
                }
                let name = NameId(slot.index_plus_one - 1);
                // A key of eight bytes at most is the name itself. Longer ones are hashes, which
                // two names may share.
                if slot.key == key && (text.len() <= 8 || self.bytes(name) == text) {
                    return name;
                }
            }
        }
        // Twelve full pairs in sequence happen hardly ever, except for names that were chosen so.
        match self.tables.overflow.get(text) {
            Some(&number) => NameId(number),
            None => self.add_name(None, key, span),
        }
    }

    /// Adds a name with the next number and returns it: in `free_slot`, a bucket and one of its two
    /// slots, or without one in the overflow table. Enlarges the hash table when half of it is
    /// full.
    fn add_name(&mut self, free_slot: Option<(usize, usize)>, key: u64, span: Span) -> NameId {
        let tables = &mut self.tables;
        tables.spans.push(span);
        let index_plus_one = tables.spans.len() as u32;
        match free_slot {
            Some((position, side)) => {
                tables.buckets[position][side] = Slot {
                    key,
                    index_plus_one,
                }
            }
            None => {
                (tables.overflow).insert(self.source[span.range()].into(), index_plus_one - 1);
            }
        }
        // At least half of the slots are free, so that searches are short.
        if tables.spans.len() > tables.buckets.len() {
            self.grow();
        }
        NameId(index_plus_one - 1)
    }

    /// Enlarges the hash table by a factor of four and inserts all names again, also those of the
    /// overflow table.
    fn grow(&mut self) {
        // Four times as many, so that growth is cheap in total.
        let mask = self.tables.buckets.len() * 4 - 1;
        self.tables.buckets.clear();
        self.tables.buckets.resize(mask + 1, [FREE; 2]);
        // Every name is inserted again, also those that had no slot.
        self.tables.overflow.clear();
        for number in 1..=self.tables.spans.len() as u32 {
            let text = self.bytes(NameId(number - 1));
            let key = keyword_table::word_key(text);
            let home = keyword_table::hash_key(key);
            let mut probed_buckets = (0..MAX_PROBES).map(|step| (home + step) & mask);
            let pairs = &mut self.tables.buckets;
            match probed_buckets.find(|&position| pairs[position][1].index_plus_one == 0) {
                // The second slot is free, and perhaps the first.
                Some(position) => {
                    let side = usize::from(pairs[position][0].index_plus_one != 0);
                    pairs[position][side] = Slot {
                        key,
                        index_plus_one: number,
                    };
                }
                None => drop(self.tables.overflow.insert(text.into(), number - 1)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interns the words of a whitespace-separated list; returns the names and their ids.
    fn interned(text: &str) -> (Interner<'_>, Vec<NameId>) {
        let mut names = Interner::default().reuse_for(text.as_bytes(), &[]);
        let mut start = 0;
        let ids = text.split(' ').map(|word| {
            let span = Span::new(start, start + word.len() as u32);
            start = span.end + 1;
            names.intern(span, keyword_table::word_key(word.as_bytes()))
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
            assert_eq!(names.bytes(ids[number]), text.as_bytes());
        }
        assert_eq!(names.len(), 2000);
    }

    #[test]
    fn prefixes_differ() {
        let (_, ids) = interned("a aa aaaaaaaaa");
        assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    }

    #[test]
    fn names_of_one_slot_cost_no_more_than_others() {
        // Keys whose products with the constant of the hash agree in all bits that choose a slot.
        let inverse = (0..6).fold(1u64, |inverse, _| {
            inverse
                .wrapping_mul(2u64.wrapping_sub(inverse.wrapping_mul(keyword_table::HASH_FACTOR)))
        });
        let keys = (1..60_000u64).map(|low| (7 << 32 | low).wrapping_mul(inverse));
        let text: Vec<u8> = keys.flat_map(u64::to_be_bytes).collect();
        let mut names = Interner::default().reuse_for(&text, &[]);
        let mut read = || -> Vec<NameId> {
            let starts = (0..text.len()).step_by(8);
            let key = |at| keyword_table::word_key(&text[at..at + 8]);
            let span = |at| Span::new(at as u32, at as u32 + 8);
            starts.map(|at| names.intern(span(at), key(at))).collect()
        };
        let (first, again) = (read(), read());
        assert_eq!((first.len(), first), (names.len(), again));
        assert!(names.tables.overflow.len() > names.len() / 2);
    }

    #[test]
    fn reserved_words_come_first() {
        let text = "a state b vertex";
        let mut names = Interner::default().reuse_for(text.as_bytes(), &["vertex", "state"]);
        let mut name = |from: usize, to: usize| {
            let key = keyword_table::word_key(&text.as_bytes()[from..to]);
            names.intern(Span::new(from as u32, to as u32), key)
        };
        let found = [name(0, 1), name(2, 7), name(8, 9), name(10, 16)];
        assert_eq!(found.map(NameId::index), [2, 1, 3, 0]);
        assert_eq!(
            found.map(|name| names.is_reserved(name)),
            [false, true, false, true]
        );
        assert_eq!(names.bytes(found[1]), b"state");
    }
}
