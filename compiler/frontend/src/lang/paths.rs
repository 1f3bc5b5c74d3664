//! The rows of all binding tables by the words of their paths.

use crate::lang::bindings::{ATTRIBS, BindingInfo, Number, RESULTS};
use crate::lang::state::{STATE, StateInfo};
use crate::source::Dialect;
use crate::words;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// Parameters that all programs of a type share.
pub(crate) const ENV: &str = "program.env[]";

/// Parameters of one program.
pub(crate) const LOCAL: &str = "program.local[]";

/// The key of a path without words.
pub(crate) const START: u64 = 0;

/// The words of the longest row, with `state`.
pub(crate) const LONGEST: usize = 4;

/// The key of a path that has one more word, with or without brackets.
#[inline(always)]
pub(crate) fn step(key: u64, word: u64, brackets: bool) -> u64 {
    (key.rotate_left(29) ^ word)
        .wrapping_add(u64::from(brackets))
        .wrapping_mul(words::HOME_FACTOR)
}

/// A row that paths name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PathRow {
    Attrib(&'static BindingInfo),
    Result(&'static BindingInfo),
    /// The words of the row stand behind `state`.
    State(&'static StateInfo),
    /// `program.env[n]`
    Env,
    /// `program.local[n]`
    Local,
}

/// The row whose words have a key, if a language has one: where several rows are spelled alike, the first one. Other words may have the
/// same key.
pub(crate) fn row(dialect: Dialect, key: u64) -> Option<PathRow> {
    static TABLES: [OnceLock<FxHashMap<u64, PathRow>>; Dialect::ALL.len()] =
        [const { OnceLock::new() }; Dialect::ALL.len()];
    let table = TABLES[dialect as usize].get_or_init(|| table(dialect));
    table.get(&key).copied()
}

fn table(dialect: Dialect) -> FxHashMap<u64, PathRow> {
    let mut table = FxHashMap::default();
    for (rows, new) in [
        (ATTRIBS, PathRow::Attrib as fn(_) -> _),
        (RESULTS, PathRow::Result),
    ] {
        let known =
            |row: &&BindingInfo| row.stages.has(dialect.stage()) && row.known_in(dialect.family());
        for row in rows.iter().filter(known) {
            add(&mut table, START, (row.path, row.number), new(row));
        }
    }
    let required = Number::Required(0);
    for (path, row) in [(ENV, PathRow::Env), (LOCAL, PathRow::Local)] {
        add(&mut table, START, (path, required), row);
    }
    let state = step(START, words::key(b"state"), false);
    for row in STATE.iter().filter(|row| row.known_in(dialect)) {
        let path = (row.path, row.number);
        add(&mut table, state, path, PathRow::State(row));
    }
    table
}

/// Adds a row under each spelling of its path: a number that may be missing gives two.
fn add(
    table: &mut FxHashMap<u64, PathRow>,
    start: u64,
    (path, number): (&str, Number),
    row: PathRow,
) {
    let keyed = |numbered: bool| {
        path.split('.').fold(start, |key, part| {
            let word = part.trim_end_matches("[]");
            let brackets = numbered && word.len() < part.len();
            step(key, words::key(word.as_bytes()), brackets)
        })
    };
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
            PathRow::Attrib(row) | PathRow::Result(row) => Some(row.path),
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
        let io = ATTRIBS.iter().chain(RESULTS).map(|row| row.path);
        let lengths = io.map(|path| path.split('.').count());
        let state = STATE.iter().map(|row| 1 + row.path.split('.').count());
        assert_eq!(lengths.chain(state).max(), Some(LONGEST));
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
