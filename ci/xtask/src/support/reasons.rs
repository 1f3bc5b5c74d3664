//! Reasons why features are not proved: from the notes, from missing features of the drivers, or
//! from missing claims.

use super::texts::Texts;
use crate::features::{Coverage, Features, Row, Standing};
use std::collections::{BTreeMap, BTreeSet};

/// Reason why a feature is not proved, in the order of the page.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
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
    texts: &'a Texts,
    /// True for programs that load, by the ends of their headers, such as `fp5.0`.
    loads: BTreeMap<&'a str, bool>,
}

impl<'a> Reasons<'a> {
    /// Determines the programs that load.
    pub(super) fn new(
        features: &'a Features,
        coverage: &'a Coverage<'a>,
        texts: &'a Texts,
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

    /// Returns the reason why this claim on this row is not proved.
    pub(super) fn of(&self, row: &Row, claim: &str) -> Reason {
        if let Some(note) = self.texts.why_open(claim) {
            return Reason::Note(note.to_owned());
        }
        match self.coverage.standings.get(claim) {
            Some(standing) if standing.failed => Reason::Failing,
            Some(standing) => Reason::Lacking(lacking(standing)),
            None if self.absent(row) => Reason::NoProgram,
            None => Reason::NoScript,
        }
    }

    /// Returns true if none of the programs that have this row load.
    fn absent(&self, row: &Row) -> bool {
        let mut headers = row.headers.split(',');
        headers.all(|header| self.loads.get(header) == Some(&false))
    }

    /// Returns the heading of everything that has this reason.
    pub(super) fn heading(&self, reason: &Reason) -> String {
        match reason {
            Reason::Note(text) | Reason::Lacking(text) => text.clone(),
            Reason::Failing => "A script finds other values".to_owned(),
            Reason::NoScript => "No script proves it yet".to_owned(),
            Reason::NoProgram => {
                let absent = self.loads.iter().filter(|(_, loads)| !**loads);
                let names: Vec<String> = absent
                    .map(|(header, _)| format!("`!!NV{header}`"))
                    .collect();
                format!("Programs that do not load yet: {}", names.join(", "))
            }
        }
    }
}

/// Returns the features that the drivers lack, in a sentence.
fn lacking(standing: &Standing<'_>) -> String {
    let drivers: Vec<(&str, String)> = standing
        .skipped
        .iter()
        .map(|(driver, reasons)| {
            let reasons: BTreeSet<String> =
                reasons.iter().map(|reason| shortened(reason)).collect();
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
pub(super) fn shortened(reason: &str) -> String {
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
    use super::shortened;

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
            assert_eq!(shortened(reason), expected);
        }
    }
}
