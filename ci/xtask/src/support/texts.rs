//! The manually maintained tables of `tests/features/support`: titles of languages and areas, notes
//! on features.

use crate::features::{self, Coverage, Features};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::path::Path;

/// Directory of the tables.
pub(super) const TEXTS: &str = "tests/features/support";

/// Manually maintained tables.
pub(super) struct Texts {
    /// Title of each language and area.
    pub(super) titles: BTreeMap<String, String>,
    pub(super) notes: Vec<Note>,
}

/// Note on some features.
pub(super) struct Note {
    /// Ids, or beginnings of ids with a `*` after.
    pub(super) patterns: Vec<String>,
    pub(super) kind: NoteKind,
    pub(super) text: String,
}

/// Kind of a note.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NoteKind {
    /// Implementation of a feature that Vulkan does not have, and its cost.
    Emulated,
    /// Chosen interpretation of specifications that contradict each other or are silent.
    Decided,
    /// Feature without visible effect, so that scripts only show that it is accepted and harmless.
    Unseen,
    /// Reason why a feature is not proved.
    Open,
}

impl Texts {
    /// Reads the tables. Notes that fit no feature and areas without title are errors.
    pub(super) fn load(features: &Features, coverage: &Coverage<'_>) -> Result<Self> {
        let dir = Path::new(TEXTS);
        let titles = features::read_table(&dir.join("titles.tsv"))?
            .into_iter()
            .map(|[id, title]| (id, title))
            .collect();
        let notes = features::read_table(&dir.join("notes.tsv"))?;
        let notes = notes.into_iter().map(parse_note).collect::<Result<_>>()?;
        let texts = Self { titles, notes };
        texts.check(features, coverage).context(TEXTS)?;
        Ok(texts)
    }

    pub(super) fn check(&self, features: &Features, coverage: &Coverage<'_>) -> Result<()> {
        for row in &features.rows {
            for id in [row.language(), row.area()] {
                ensure!(self.titles.contains_key(id), "{id} has no title");
            }
        }
        for note in &self.notes {
            for pattern in &note.patterns {
                let mut fitting = features.ids().filter(|id| fits(pattern, id)).peekable();
                ensure!(fitting.peek().is_some(), "no feature fits {pattern}");
                ensure!(
                    note.kind != NoteKind::Open || fitting.any(|id| !coverage.covers(id)),
                    "{pattern} is proved: its note has to go"
                );
            }
        }
        Ok(())
    }

    pub(super) fn title<'a>(&'a self, id: &'a str) -> &'a str {
        self.titles.get(id).map_or(id, String::as_str)
    }

    /// Returns the reason of a note why this claim is not proved.
    pub(super) fn why_open(&self, claim: &str) -> Option<&str> {
        let open = |note: &&Note| note.kind == NoteKind::Open;
        let mut notes = self.notes.iter().filter(open);
        let note = notes.find(|note| note.patterns.iter().any(|pattern| fits(pattern, claim)))?;
        Some(&note.text)
    }
}

/// Parses a row of the table of notes.
pub(super) fn parse_note([patterns, kind, text]: [String; 3]) -> Result<Note> {
    let kind = match kind.as_str() {
        "emulated" => NoteKind::Emulated,
        "decided" => NoteKind::Decided,
        "unseen" => NoteKind::Unseen,
        "open" => NoteKind::Open,
        other => {
            bail!("{TEXTS}: {patterns}: a note is emulated, decided, unseen or open, not {other}")
        }
    };
    Ok(Note {
        patterns: patterns.split(' ').map(str::to_owned).collect(),
        kind,
        text,
    })
}

/// Returns true if a pattern names this row, this variant or a row of this variant.
fn fits(pattern: &str, claim: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => claim.starts_with(beginning),
        None => claim
            .strip_prefix(pattern)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns_name_rows_and_variants() {
        assert!(fits("gp.op.ADD", "gp.op.ADD/F") && fits("gp.op.ADD/F", "gp.op.ADD/F"));
        assert!(!fits("gp.op.AD", "gp.op.ADD/F") && !fits("gp.op.ADD", "gp.op.ADD.x"));
        assert!(fits("gp.op.A*", "gp.op.ADD.x") && !fits("gp.op.A*", "gp.op.MUL"));
    }
}
