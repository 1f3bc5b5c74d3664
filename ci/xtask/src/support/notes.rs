//! The manually maintained tables of `tests/features/support` (titles of languages and areas, notes
//! on features), and reasons why features are not proved: from the notes, from missing features of
//! the drivers, or from missing claims.

use crate::features::{self, ClaimResults, Coverage, FeatureRow, Features};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Directory of the tables.
pub(super) const TABLES_DIR: &str = "tests/features/support";

/// Manually maintained tables.
pub(super) struct SupportTables {
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

impl SupportTables {
    /// Reads the tables. Notes that fit no feature and areas without title are errors.
    pub(super) fn load(features: &Features, coverage: &Coverage<'_>) -> Result<Self> {
        let dir = Path::new(TABLES_DIR);
        let titles = features::read_table(&dir.join("titles.tsv"))?
            .into_iter()
            .map(|[id, title]| (id, title))
            .collect();
        let notes = features::read_table(&dir.join("notes.tsv"))?;
        let notes = notes.into_iter().map(parse_note).collect::<Result<_>>()?;
        let texts = Self { titles, notes };
        texts.check_tables(features, coverage).context(TABLES_DIR)?;
        Ok(texts)
    }

    /// Checks that all languages and areas have titles, and that each note fits a feature, which is
    /// unproved if the note says so.
    pub(super) fn check_tables(&self, features: &Features, coverage: &Coverage<'_>) -> Result<()> {
        for row in &features.rows {
            for id in [row.language(), row.area()] {
                ensure!(self.titles.contains_key(id), "{id} has no title");
            }
        }
        for note in &self.notes {
            for pattern in &note.patterns {
                let mut fitting = features
                    .claimable_ids()
                    .filter(|id| matches_claim(pattern, id))
                    .peekable();
                ensure!(fitting.peek().is_some(), "no feature fits {pattern}");
                ensure!(
                    note.kind != NoteKind::Open || fitting.any(|id| !coverage.covers(id)),
                    "{pattern} is proved: its note has to go"
                );
            }
        }
        Ok(())
    }

    /// Returns the title of a language or area; its id if it has none.
    pub(super) fn find_title<'a>(&'a self, id: &'a str) -> &'a str {
        self.titles.get(id).map_or(id, String::as_str)
    }

    /// Returns the reason in the notes why a claim is not proved; `None` without a note.
    pub(super) fn open_reason(&self, claim: &str) -> Option<&str> {
        let open = |note: &&Note| note.kind == NoteKind::Open;
        let mut notes = self.notes.iter().filter(open);
        let note = notes.find(|note| {
            note.patterns
                .iter()
                .any(|pattern| matches_claim(pattern, claim))
        })?;
        Some(&note.text)
    }
}

/// Parses a line of the table of notes: patterns, kind and text. Fails for an unknown kind.
pub(super) fn parse_note([patterns, kind, text]: [String; 3]) -> Result<Note> {
    let kind = match kind.as_str() {
        "emulated" => NoteKind::Emulated,
        "decided" => NoteKind::Decided,
        "unseen" => NoteKind::Unseen,
        "open" => NoteKind::Open,
        other => {
            bail!(
                "{TABLES_DIR}: {patterns}: a note is emulated, decided, unseen or open, not {other}"
            )
        }
    };
    Ok(Note {
        patterns: patterns.split(' ').map(str::to_owned).collect(),
        kind,
        text,
    })
}

/// Returns true if a pattern names this entry, this variant or an entry of this variant.
fn matches_claim(pattern: &str, claim: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => claim.starts_with(beginning),
        None => claim
            .strip_prefix(pattern)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
    }
}

/// Reason why a feature is not proved, in the order of the page.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GapReason {
    /// Somebody wrote down why.
    Note(String),
    /// Features that scripts need and the drivers lack.
    Lacking(String),
    /// A script observes other values.
    Failing,
    /// No script claims it.
    NoScript,
    /// Programs that have it do not load.
    NoProgram,
}

/// Finds reasons.
pub(super) struct Reasons<'a> {
    pub(super) coverage: &'a Coverage<'a>,
    texts: &'a SupportTables,
    /// True for programs that load, by the ends of their headers, such as `fp5.0`.
    loads: BTreeMap<&'a str, bool>,
}

impl<'a> Reasons<'a> {
    /// Creates the lookup of reasons, and determines for each program header whether a script
    /// proves that its programs load.
    pub(super) fn new(
        features: &'a Features,
        coverage: &'a Coverage<'a>,
        texts: &'a SupportTables,
    ) -> Self {
        let headers = features.rows.iter().filter_map(|row| {
            let (_, header) = row.id.split_once(".header.NV")?;
            Some((header, coverage.covers(&row.id)))
        });
        Self {
            coverage,
            texts,
            loads: headers.collect(),
        }
    }

    /// Returns the reason why a claim is not proved: a note, a failing script, or what drivers or
    /// scripts lack.
    pub(super) fn find_reason(&self, row: &FeatureRow, claim: &str) -> GapReason {
        if let Some(note) = self.texts.open_reason(claim) {
            return GapReason::Note(note.to_owned());
        }
        match self.coverage.claim_results.get(claim) {
            Some(standing) if standing.failed => GapReason::Failing,
            Some(standing) => GapReason::Lacking(describe_lacking(standing)),
            None if self.has_no_program(row) => GapReason::NoProgram,
            None => GapReason::NoScript,
        }
    }

    /// Returns true if none of the programs that have this feature load.
    fn has_no_program(&self, row: &FeatureRow) -> bool {
        let mut headers = row.headers.split(',');
        headers.all(|header| self.loads.get(header) == Some(&false))
    }

    /// Returns the heading of the variants that are not proved for this reason.
    pub(super) fn heading(&self, reason: &GapReason) -> String {
        match reason {
            GapReason::Note(text) | GapReason::Lacking(text) => text.clone(),
            GapReason::Failing => "A script finds other values".to_owned(),
            GapReason::NoScript => "No script proves it yet".to_owned(),
            GapReason::NoProgram => {
                let absent = self.loads.iter().filter(|(_, loads)| !**loads);
                let names: Vec<String> = absent
                    .map(|(header, _)| format!("`!!NV{header}`"))
                    .collect();
                format!("Programs that do not load yet: {}", names.join(", "))
            }
        }
    }
}

/// Describes in a sentence which features each driver lacks for a claim.
fn describe_lacking(standing: &ClaimResults<'_>) -> String {
    let drivers: Vec<(&str, String)> = standing
        .skipped
        .iter()
        .map(|(driver, reasons)| {
            let reasons: BTreeSet<String> = reasons
                .iter()
                .map(|reason| shorten_reason(reason))
                .collect();
            (
                *driver,
                reasons.into_iter().collect::<Vec<_>>().join(" or "),
            )
        })
        .collect();
    let same = drivers.iter().all(|(_, reason)| *reason == drivers[0].1);
    match drivers
        .first()
        .and_then(|(_, reason)| reason.strip_prefix("lacks "))
    {
        Some(thing) if same && drivers.len() > 1 => format!("No driver of the suite has {thing}"),
        _ => drivers
            .into_iter()
            .map(|(driver, reason)| format!("{driver} {reason}"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// Shortens a reason: `the compute program: the device lacks the feature shaderInt8` is ``lacks
/// `shaderInt8` ``.
pub(super) fn shorten_reason(reason: &str) -> String {
    let reason = reason
        .split_once(" program: ")
        .map_or(reason, |(_, rest)| rest);
    let reason = reason
        .split_once(", which the ")
        .map_or(reason, |(start, _)| start);
    let reason = reason.strip_prefix("the device ").unwrap_or(reason);
    let Some((verb, thing)) = reason.split_once(' ') else {
        return reason.to_owned();
    };
    let thing = thing.strip_prefix("the feature ").unwrap_or(thing);
    if thing.contains(' ') {
        format!("{verb} {thing}")
    } else {
        format!("{verb} `{thing}`")
    }
}

#[cfg(test)]
mod tests {
    use super::{matches_claim, shorten_reason};

    #[test]
    fn patterns_name_rows_and_variants() {
        assert!(
            matches_claim("gp.op.ADD", "gp.op.ADD/F")
                && matches_claim("gp.op.ADD/F", "gp.op.ADD/F")
        );
        assert!(
            !matches_claim("gp.op.AD", "gp.op.ADD/F") && !matches_claim("gp.op.ADD", "gp.op.ADD.x")
        );
        assert!(
            matches_claim("gp.op.A*", "gp.op.ADD.x") && !matches_claim("gp.op.A*", "gp.op.MUL")
        );
    }

    #[test]
    fn reasons_are_shortened_to_what_is_lacking() {
        for (reason, expected) in [
            ("the device lacks wideLines", "lacks `wideLines`"),
            (
                "the device lacks x, which the vertex program needs",
                "lacks `x`",
            ),
            ("the device lacks 2 samples of y", "lacks 2 samples of y"),
            ("the device has x", "has `x`"),
        ] {
            assert_eq!(shorten_reason(reason), expected);
        }
    }
}
