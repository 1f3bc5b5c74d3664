//! The entries of all binding tables by the words of their paths.

use crate::keyword_table;
use crate::lang::Stages;
use crate::lang::bindings::{ATTRIBS, BindingFlags, BindingInfo, IndexRule, RESULTS};
use crate::lang::state::{STATE, StateInfo};
use crate::source::Dialect;
use crate::variables::Direction;
use glasm_ir::Stage;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// Parameters that all programs of a type share.
pub(crate) const ENV_PATH: &str = "program.env[]";

/// Parameters of one program.
pub(crate) const LOCAL_PATH: &str = "program.local[]";

/// The key of a path without words.
pub(crate) const EMPTY_PATH_KEY: u64 = 0;

/// Number of words of the longest path, with `state`.
pub(crate) const MAX_PATH_WORDS: usize = 5;

/// Returns the hash key of a path that has one more word, whose key is `word`, with or without
/// brackets. Different paths may have one key.
#[inline(always)]
pub(crate) fn extend_path_key(key: u64, word: u64, brackets: bool) -> u64 {
    // The rotation prevents short words from canceling each other out, the product spreads them
    // over all bits.
    (key.rotate_left(29) ^ word)
        .wrapping_add(u64::from(brackets))
        .wrapping_mul(keyword_table::HASH_FACTOR)
}

/// A table entry that paths name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BindingEntry {
    /// An attribute or result binding, whose path does not include the words of the prefix.
    Attrib(&'static BindingInfo, AttribPrefix),
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
pub(crate) struct AttribPrefix {
    /// The word `in` or `out`.
    pub(crate) direction: Option<Direction>,
    /// True if the number of a vertex follows.
    pub(crate) has_vertex_number: bool,
}

impl AttribPrefix {
    /// Returns all prefixes that programs of a stage know, the empty one first.
    pub(crate) fn all_for_stage(stage: Stage) -> impl Iterator<Item = Self> {
        let sides: &[_] = match stage {
            Stage::TessControl => &[None, Some(Direction::Input), Some(Direction::Output)],
            Stage::TessEval => &[None, Some(Direction::Input)],
            Stage::Vertex | Stage::Geometry | Stage::Fragment | Stage::Compute => &[None],
        };
        // Only these stages see several vertices.
        let numbers: &[_] = if Stages::PRIMITIVES.contains_stage(stage) {
            &[false, true]
        } else {
            &[false]
        };
        let prefixes = |&side| {
            numbers.iter().map(move |&numbered| Self {
                direction: side,
                has_vertex_number: numbered,
            })
        };
        sides.iter().flat_map(prefixes)
    }

    /// Returns true if a binding of the table can have the prefix, with its direction and its
    /// number of a vertex.
    pub(crate) fn applies_to(self, row: &BindingInfo) -> bool {
        let allows_direction = match self.direction {
            None => BindingFlags::empty(),
            Some(Direction::Input) => BindingFlags::IN,
            Some(Direction::Output) => BindingFlags::OUT,
        };
        let allows_vertex_number = if self.has_vertex_number {
            BindingFlags::PER_VERTEX
        } else {
            BindingFlags::empty()
        };
        row.flags.contains(allows_direction | allows_vertex_number)
    }

    /// Returns the second word of the prefix, `in` or `out`; `None` if it has one word.
    pub(crate) const fn word(self) -> Option<&'static str> {
        match self.direction {
            None => None,
            Some(Direction::Input) => Some("in"),
            Some(Direction::Output) => Some("out"),
        }
    }

    /// Returns the number of words of the prefix.
    pub(crate) const fn word_count(self) -> usize {
        1 + self.direction.is_some() as usize
    }
}

/// Returns the entry whose words have this key, if a language has one: of several entries with the
/// same spelling, the first one. Other words may have the same key, so that callers compare the
/// words. Builds the table of the language at the first call.
pub(crate) fn find_entry(dialect: Dialect, key: u64) -> Option<BindingEntry> {
    static TABLES: [OnceLock<FxHashMap<u64, BindingEntry>>; Dialect::ALL.len()] =
        [const { OnceLock::new() }; Dialect::ALL.len()];
    let table = TABLES[dialect as usize].get_or_init(|| build_table(dialect));
    table.get(&key).copied()
}

/// Returns the look-up table of a language: the entries of all its attributes, results, parameters
/// and state by the key of their path, with every prefix that its attributes take.
fn build_table(dialect: Dialect) -> FxHashMap<u64, BindingEntry> {
    let mut table = FxHashMap::default();
    // A language's table has its own entries only, so that a path of another language is unknown at
    // once.
    let is_known = |row: &&BindingInfo| {
        row.stages.contains_stage(dialect.stage()) && row.is_known_in(dialect.family())
    };
    for row in ATTRIBS.iter().filter(is_known) {
        let prefixes = AttribPrefix::all_for_stage(dialect.stage());
        for prefix in prefixes.filter(|prefix| prefix.applies_to(row)) {
            let start = first_word_key(row.path, prefix);
            let path = (skip_first_word(row.path), row.number);
            add_spellings(&mut table, start, path, BindingEntry::Attrib(row, prefix));
        }
    }
    for row in RESULTS.iter().filter(is_known) {
        let path = (row.path, row.number);
        add_spellings(&mut table, EMPTY_PATH_KEY, path, BindingEntry::Result(row));
    }
    // Any number: the limit is checked later.
    let required = IndexRule::Required(0);
    for (path, row) in [
        (ENV_PATH, BindingEntry::Env),
        (LOCAL_PATH, BindingEntry::Local),
    ] {
        add_spellings(&mut table, EMPTY_PATH_KEY, (path, required), row);
    }
    // Entries of state omit this word.
    let state = extend_path_key(EMPTY_PATH_KEY, keyword_table::word_key(b"state"), false);
    for row in STATE.iter().filter(|row| row.is_known_in(dialect)) {
        let path = (row.path, row.number);
        add_spellings(&mut table, state, path, BindingEntry::State(row));
    }
    table
}

/// Returns the words of a path after the first one; empty if there is only one.
pub(crate) fn skip_first_word(path: &str) -> &str {
    path.split_once('.').map_or("", |(_, words)| words)
}

/// Returns the hash key of the first word of a path and the further words of a prefix, with the
/// bracket that the prefix has.
fn first_word_key(path: &str, prefix: AttribPrefix) -> u64 {
    let first = path.split('.').next().unwrap_or(path);
    let key = |word: &str| keyword_table::word_key(word.as_bytes());
    match prefix.word() {
        None => extend_path_key(EMPTY_PATH_KEY, key(first), prefix.has_vertex_number),
        Some(word) => extend_path_key(
            extend_path_key(EMPTY_PATH_KEY, key(first), false),
            key(word),
            prefix.has_vertex_number,
        ),
    }
}

/// Adds an entry under each spelling of its path, whose words before it have the key `start`: an
/// optional number has two. Spellings that exist are unchanged.
fn add_spellings(
    table: &mut FxHashMap<u64, BindingEntry>,
    start: u64,
    (path, number): (&str, IndexRule),
    row: BindingEntry,
) {
    let keyed = |numbered: bool| {
        path.split('.').fold(start, |key, part| {
            let word = part.trim_end_matches("[]");
            // Without a number, the brackets in the pattern are optional ones.
            let brackets = numbered && word.len() < part.len();
            extend_path_key(key, keyword_table::word_key(word.as_bytes()), brackets)
        })
    };
    // `or_insert`: of entries with the same spelling the first one is used.
    table.entry(keyed(true)).or_insert(row);
    if matches!(number, IndexRule::Optional(_)) {
        table.entry(keyed(false)).or_insert(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(dialect: Dialect, path: &str) -> Option<&'static str> {
        let key = path.split('.').fold(EMPTY_PATH_KEY, |key, part| {
            let word = part.trim_end_matches("[]");
            extend_path_key(key, keyword_table::word_key(word.as_bytes()), word != part)
        });
        match find_entry(dialect, key)? {
            BindingEntry::Attrib(row, _) | BindingEntry::Result(row) => Some(row.path),
            BindingEntry::State(row) => Some(row.path),
            BindingEntry::Env => Some(ENV_PATH),
            BindingEntry::Local => Some(LOCAL_PATH),
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
            let behind = row.flags.intersects(BindingFlags::IN | BindingFlags::OUT);
            row.path.split('.').count() + usize::from(behind)
        };
        let lengths = ATTRIBS.iter().chain(RESULTS).map(words);
        let state = STATE.iter().map(|row| 1 + row.path.split('.').count());
        assert_eq!(lengths.chain(state).max(), Some(MAX_PATH_WORDS));
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
