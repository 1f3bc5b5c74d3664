//! The entries of all binding tables by the words of their paths.

use crate::lang::Stages;
use crate::lang::bindings::{ATTRIBS, BindingInfo, Number, RESULTS, Traits};
use crate::lang::state::{STATE, StateInfo};
use crate::source::Dialect;
use crate::vars::Side;
use crate::words;
use glasm_ir::Stage;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// Parameters that all programs of a type share.
pub(crate) const ENV: &str = "program.env[]";

/// Parameters of one program.
pub(crate) const LOCAL: &str = "program.local[]";

/// The key of a path without words.
pub(crate) const START: u64 = 0;

/// Number of words of the longest path, with `state`.
pub(crate) const LONGEST: usize = 5;

/// Returns the key of a path that has one more word, with or without brackets.
#[inline(always)]
pub(crate) fn step(key: u64, word: u64, brackets: bool) -> u64 {
    // The rotation prevents short words from canceling each other out, the product spreads them
    // over all bits.
    (key.rotate_left(29) ^ word)
        .wrapping_add(u64::from(brackets))
        .wrapping_mul(words::HOME_FACTOR)
}

/// A table entry that paths name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PathRow {
    /// An attribute or result binding, whose path does not include the words of the prefix.
    Attrib(&'static BindingInfo, Prefix),
    Result(&'static BindingInfo),
    /// A state binding, whose path follows `state`.
    State(&'static StateInfo),
    /// `program.env[n]`
    Env,
    /// `program.local[n]`
    Local,
}

/// Words after the first word of an attribute path in addition to those of its table entry.
/// NV_tessellation_program5 table X.2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Prefix {
    /// The word `in` or `out`.
    pub(crate) side: Option<Side>,
    /// True if the number of a vertex follows.
    pub(crate) numbered: bool,
}

impl Prefix {
    /// Returns all prefixes that programs of a stage know, the empty one first.
    pub(crate) fn of_stage(stage: Stage) -> impl Iterator<Item = Self> {
        let sides: &[_] = match stage {
            Stage::TessControl => &[None, Some(Side::In), Some(Side::Out)],
            Stage::TessEval => &[None, Some(Side::In)],
            Stage::Vertex | Stage::Geometry | Stage::Fragment | Stage::Compute => &[None],
        };
        // Only these stages see several vertices.
        let numbers: &[_] = if Stages::PRIMITIVES.has(stage) {
            &[false, true]
        } else {
            &[false]
        };
        let prefixes = |&side| numbers.iter().map(move |&numbered| Self { side, numbered });
        sides.iter().flat_map(prefixes)
    }

    /// Returns true if an attribute can have the prefix.
    pub(crate) fn goes_with(self, row: &BindingInfo) -> bool {
        let side = match self.side {
            None => Traits::empty(),
            Some(Side::In) => Traits::IN,
            Some(Side::Out) => Traits::OUT,
        };
        let number = if self.numbered {
            Traits::PER_VERTEX
        } else {
            Traits::empty()
        };
        row.traits.contains(side | number)
    }

    /// Returns the word after the first one.
    pub(crate) const fn word(self) -> Option<&'static str> {
        match self.side {
            None => None,
            Some(Side::In) => Some("in"),
            Some(Side::Out) => Some("out"),
        }
    }

    /// Returns the number of words up to its end.
    pub(crate) const fn length(self) -> usize {
        1 + self.side.is_some() as usize
    }
}

/// Returns the entry whose words have a key, if a language has one: of several entries with the
/// same spelling, the first one. Other words may have the same key.
pub(crate) fn row(dialect: Dialect, key: u64) -> Option<PathRow> {
    static TABLES: [OnceLock<FxHashMap<u64, PathRow>>; Dialect::ALL.len()] =
        [const { OnceLock::new() }; Dialect::ALL.len()];
    let table = TABLES[dialect as usize].get_or_init(|| table(dialect));
    table.get(&key).copied()
}

fn table(dialect: Dialect) -> FxHashMap<u64, PathRow> {
    let mut table = FxHashMap::default();
    // A language's table has its own entries only, so that a path of another language is unknown at
    // once.
    let known =
        |row: &&BindingInfo| row.stages.has(dialect.stage()) && row.known_in(dialect.family());
    for row in ATTRIBS.iter().filter(known) {
        let prefixes = Prefix::of_stage(dialect.stage());
        for prefix in prefixes.filter(|prefix| prefix.goes_with(row)) {
            let start = prefix_key(row.path, prefix);
            let path = (behind_first(row.path), row.number);
            add(&mut table, start, path, PathRow::Attrib(row, prefix));
        }
    }
    for row in RESULTS.iter().filter(known) {
        let path = (row.path, row.number);
        add(&mut table, START, path, PathRow::Result(row));
    }
    // Any number: the limit is checked later.
    let required = Number::Required(0);
    for (path, row) in [(ENV, PathRow::Env), (LOCAL, PathRow::Local)] {
        add(&mut table, START, (path, required), row);
    }
    // Entries of state omit this word.
    let state = step(START, words::key(b"state"), false);
    for row in STATE.iter().filter(|row| row.known_in(dialect)) {
        let path = (row.path, row.number);
        add(&mut table, state, path, PathRow::State(row));
    }
    table
}

/// Returns the words of a path after the first one.
pub(crate) fn behind_first(path: &str) -> &str {
    path.split_once('.').map_or("", |(_, words)| words)
}

/// Returns the key of the first word of a path with a prefix.
fn prefix_key(path: &str, prefix: Prefix) -> u64 {
    let first = path.split('.').next().unwrap_or(path);
    let key = |word: &str| words::key(word.as_bytes());
    match prefix.word() {
        None => step(START, key(first), prefix.numbered),
        Some(word) => step(step(START, key(first), false), key(word), prefix.numbered),
    }
}

/// Adds an entry under each spelling of its path: an optional number has two.
fn add(
    table: &mut FxHashMap<u64, PathRow>,
    start: u64,
    (path, number): (&str, Number),
    row: PathRow,
) {
    let keyed = |numbered: bool| {
        path.split('.').fold(start, |key, part| {
            let word = part.trim_end_matches("[]");
            // Without a number, the brackets in the pattern are optional ones.
            let brackets = numbered && word.len() < part.len();
            step(key, words::key(word.as_bytes()), brackets)
        })
    };
    // `or_insert`: of entries with the same spelling the first one is used.
    table.entry(keyed(true)).or_insert(row);
    if matches!(number, Number::Optional(_)) {
        table.entry(keyed(false)).or_insert(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(dialect: Dialect, path: &str) -> Option<&'static str> {
        let key = path.split('.').fold(START, |key, part| {
            let word = part.trim_end_matches("[]");
            step(key, words::key(word.as_bytes()), word != part)
        });
        match row(dialect, key)? {
            PathRow::Attrib(row, _) | PathRow::Result(row) => Some(row.path),
            PathRow::State(row) => Some(row.path),
            PathRow::Env => Some(ENV),
            PathRow::Local => Some(LOCAL),
        }
    }

    #[test]
    fn numbers_may_be_missing_where_they_are_optional() {
        let dialect = Dialect::NvFp5_0;
        let texcoord = Some("fragment.texcoord[]");
        assert_eq!(found(dialect, "fragment.texcoord"), texcoord);
        assert_eq!(found(dialect, "fragment.texcoord[]"), texcoord);
        assert_eq!(found(dialect, "fragment.attrib"), None);
        assert_eq!(found(dialect, "fragment[].attrib"), None);
    }

    #[test]
    fn no_row_is_longer_than_the_longest() {
        let words = |row: &BindingInfo| {
            let behind = row.traits.intersects(Traits::IN | Traits::OUT);
            row.path.split('.').count() + usize::from(behind)
        };
        let lengths = ATTRIBS.iter().chain(RESULTS).map(words);
        let state = STATE.iter().map(|row| 1 + row.path.split('.').count());
        assert_eq!(lengths.chain(state).max(), Some(LONGEST));
    }

    #[test]
    fn attributes_of_vertices_have_prefixes() {
        let position = Some("vertex.position");
        for path in [
            "vertex.position",
            "vertex[].position",
            "vertex.in.position",
            "vertex.in[].position",
        ] {
            assert_eq!(found(Dialect::NvTep5_0, path), position, "{path}");
        }
        assert_eq!(found(Dialect::NvTcp5_0, "vertex.out[].position"), position);
        for path in [
            "vertex.out.position",
            "vertex[].in.position",
            "vertex[].tesscoord",
            "primitive[].id",
        ] {
            assert_eq!(found(Dialect::NvTep5_0, path), None, "{path}");
        }
        assert_eq!(found(Dialect::NvGp5_0, "vertex.in.position"), None);
        assert_eq!(found(Dialect::NvVp5_0, "vertex[].position"), None);
    }

    #[test]
    fn languages_have_rows_of_their_own() {
        let position = "result.position";
        assert_eq!(found(Dialect::ArbVp1_0, position), Some(position));
        assert_eq!(found(Dialect::ArbFp1_0, position), None);
        let direction = "state.light[].spot.direction";
        let row = Some("light[].spot.direction");
        assert_eq!(found(Dialect::ArbFp1_0, direction), row);
    }
}
