//! Interned names: every identifier of a program string has a small number.
//!
//! Names of up to eight bytes are their own key, so that most look-ups compare one integer.

use crate::words;
use glasm_ir::Span;
use std::collections::BTreeMap;

/// A name of the program string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NameId(pub(crate) u32);

impl NameId {
    /// Returns the index into tables that hold something per name.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the name at an index of such tables.
    pub(crate) fn of(index: usize) -> Self {
        Self(index as u32)
    }
}

/// A slot of the table: key and entry number plus one, 0 for a free slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    number: u32,
}

const FREE: Slot = Slot { key: 0, number: 0 };

/// The slots that are looked at together.
type Pair = [Slot; 2];

/// Pairs of slots of a new table; a power of two.
const FIRST_PAIRS: usize = 64;

/// Maximum number of pairs that are probed for a name. Names can be chosen so that all of them hash
/// to one slot: an unbounded search would take quadratic time for a program of such names.
const PROBES: usize = 12;

/// The tables of [`Names`], which consecutive programs reuse.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTables {
    spans: Vec<Span>,
    /// Open addressing; the length is a power of two.
    pairs: Vec<Pair>,
    /// The names that found no free slot.
    crowded: BTreeMap<Box<[u8]>, u32>,
}

/// The names seen in a program string up to the current statement.
#[derive(Clone, Debug, Default)]
pub struct Names<'s> {
    source: &'s [u8],
    /// Words that no program can use as names; they have the first numbers.
    reserved: &'static [&'static str],
    tables: NameTables,
}

impl<'s> Names<'s> {
    /// Returns the names of another program, initially only the reserved ones, in the memory of
    /// these.
    pub(crate) fn reuse<'t>(
        self,
        source: &'t [u8],
        reserved: &'static [&'static str],
    ) -> Names<'t> {
        let mut tables = self.tables;
        tables.spans.clear();
        tables.pairs.clear();
        // Small again, even after a program of many names: most have few, and a small table fits
        // the cache.
        tables.pairs.resize(FIRST_PAIRS, [FREE; 2]);
        tables.crowded.clear();
        let mut names = Names {
            source,
            reserved,
            tables,
        };
        for word in reserved {
            // Their bytes are those of the list, see `text`.
            let span = Span::default();
            names.find(word.as_bytes(), words::key(word.as_bytes()), span);
        }
        names
    }

    /// Returns no names, in the memory of these.
    pub(crate) fn release(self) -> Names<'static> {
        Names {
            source: &[],
            reserved: &[],
            tables: self.tables,
        }
    }

    /// Returns the number of names.
    #[inline]
    pub fn len(&self) -> usize {
        self.tables.spans.len()
    }

    /// Returns true if there are no names.
    pub fn is_empty(&self) -> bool {
        self.tables.spans.is_empty()
    }

    /// Returns the bytes of a name.
    pub fn text(&self, id: NameId) -> &'s [u8] {
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
    pub(crate) fn word(&self, id: NameId) -> &'s str {
        std::str::from_utf8(self.text(id)).unwrap_or_default()
    }

    /// Returns a name for messages.
    pub fn display(&self, id: NameId) -> String {
        String::from_utf8_lossy(self.text(id)).into_owned()
    }

    /// Returns all names with their bytes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NameId, &'s [u8])> + '_ {
        (0..self.len() as u32).map(|number| (NameId(number), self.text(NameId(number))))
    }

    /// Returns the name at a span, whose key is `key`; a new one if it was not seen before.
    #[inline(always)]
    pub(crate) fn intern(&mut self, span: Span, key: u64) -> NameId {
        // Nearly all names are short and in one of the two slots that they hash to.
        let pairs = self.tables.pairs.as_slice();
        if let Some([first, second]) = pairs.get(words::home(key) & pairs.len().wrapping_sub(1))
            && span.end - span.start <= 8
        {
            // Free slots have the key 0, which no name has.
            for slot in [first, second] {
                if slot.key == key {
                    return NameId(slot.number.wrapping_sub(1));
                }
            }
        }
        self.find(&self.source[span.range()], key, span)
    }

    #[inline(never)]
    fn find(&mut self, text: &[u8], key: u64, span: Span) -> NameId {
        let mask = self.tables.pairs.len() - 1;
        let home = words::home(key);
        for step in 0..PROBES {
            let position = (home + step) & mask;
            for (side, slot) in self.tables.pairs[position].iter().enumerate() {
                // Names are never removed, so a free slot ends the search.
                if slot.number == 0 {
                    return self.add(Some((position, side)), key, span);
                }
                let name = NameId(slot.number - 1);
                // A key of eight bytes at most is the name itself. Longer ones are hashes, which
                // two names may share.
                if slot.key == key && (text.len() <= 8 || self.text(name) == text) {
                    return name;
                }
            }
        }
        // Twelve full pairs in sequence happen hardly ever, except for names that were chosen so.
        match self.tables.crowded.get(text) {
            Some(&number) => NameId(number),
            None => self.add(None, key, span),
        }
    }

    /// Adds a name, in a free slot if there is one near the first one that it hashes to.
    #[inline]
    fn add(&mut self, place: Option<(usize, usize)>, key: u64, span: Span) -> NameId {
        let tables = &mut self.tables;
        tables.spans.push(span);
        let number = tables.spans.len() as u32;
        match place {
            Some((position, side)) => tables.pairs[position][side] = Slot { key, number },
            None => drop((tables.crowded).insert(self.source[span.range()].into(), number - 1)),
        }
        // At least half of the slots are free, so that searches are short.
        if tables.spans.len() > tables.pairs.len() {
            self.grow();
        }
        NameId(number - 1)
    }

    /// Moves all names to a larger table.
    #[cold]
    fn grow(&mut self) {
        // Four times as many, so that growth is cheap in total.
        let mask = self.tables.pairs.len() * 4 - 1;
        self.tables.pairs.clear();
        self.tables.pairs.resize(mask + 1, [FREE; 2]);
        // Every name is inserted again, also those that had no slot.
        self.tables.crowded.clear();
        for number in 1..=self.tables.spans.len() as u32 {
            let text = self.text(NameId(number - 1));
            let key = words::key(text);
            let home = words::home(key);
            let mut near = (0..PROBES).map(|step| (home + step) & mask);
            let pairs = &mut self.tables.pairs;
            match near.find(|&position| pairs[position][1].number == 0) {
                // The second slot is free, and perhaps the first.
                Some(position) => {
                    let side = usize::from(pairs[position][0].number != 0);
                    pairs[position][side] = Slot { key, number };
                }
                None => drop(self.tables.crowded.insert(text.into(), number - 1)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interns the words of a whitespace-separated list; returns the names and their ids.
    fn interned(text: &str) -> (Names<'_>, Vec<NameId>) {
        let mut names = Names::default().reuse(text.as_bytes(), &[]);
        let mut start = 0;
        let ids = text.split(' ').map(|word| {
            let span = Span::new(start, start + word.len() as u32);
            start = span.end + 1;
            names.intern(span, words::key(word.as_bytes()))
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

    #[test]
    fn names_of_one_slot_cost_no_more_than_others() {
        // Keys whose products with the constant of the hash agree in all bits that choose a slot.
        let inverse = (0..6).fold(1u64, |inverse, _| {
            inverse.wrapping_mul(2u64.wrapping_sub(inverse.wrapping_mul(words::HOME_FACTOR)))
        });
        let keys = (1..60_000u64).map(|low| (7 << 32 | low).wrapping_mul(inverse));
        let text: Vec<u8> = keys.flat_map(u64::to_be_bytes).collect();
        let mut names = Names::default().reuse(&text, &[]);
        let mut read = || -> Vec<NameId> {
            let starts = (0..text.len()).step_by(8);
            let key = |at| words::key(&text[at..at + 8]);
            let span = |at| Span::new(at as u32, at as u32 + 8);
            starts.map(|at| names.intern(span(at), key(at))).collect()
        };
        let (first, again) = (read(), read());
        assert_eq!((first.len(), first), (names.len(), again));
        assert!(names.tables.crowded.len() > names.len() / 2);
    }

    #[test]
    fn reserved_words_come_first() {
        let text = "a state b vertex";
        let mut names = Names::default().reuse(text.as_bytes(), &["vertex", "state"]);
        let mut name = |from: usize, to: usize| {
            let key = words::key(&text.as_bytes()[from..to]);
            names.intern(Span::new(from as u32, to as u32), key)
        };
        let found = [name(0, 1), name(2, 7), name(8, 9), name(10, 16)];
        assert_eq!(found.map(NameId::index), [2, 1, 3, 0]);
        assert_eq!(
            found.map(|name| names.is_reserved(name)),
            [false, true, false, true]
        );
        assert_eq!(names.text(found[1]), b"state");
    }
}
