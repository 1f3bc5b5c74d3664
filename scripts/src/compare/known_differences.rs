//! Differences between drivers that are decided already: by a section of a specification, with the
//! reason.
//!
//! ```toml
//! [[difference]]
//! scripts = ["arb/op/exp*.shader_test"]
//! driver = "Mesa"
//! kind = "values"
//! section = "ARB_vertex_program 2.14.5.9"
//! reason = "the driver rounds the exponent first"
//! ```
//!
//! `scripts` and `kind` may be lists. `*` in a script denotes any part of a name, `**` for any
//! directories; the path is compared from its end. An entry applies to drivers whose interface,
//! device or name contains `driver`, and to no others. An entry that explains nothing although
//! scripts matching each of its patterns were compared with such a driver is
//! [stale](KnownDifferences::stale_entries), unless it has `sometimes = true`.

use super::differences::{Agreement, Difference, DifferenceKind, Driver, RunComparison};
use serde::de::{self, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

/// List of known differences.
#[derive(Debug, Default)]
pub struct KnownDifferences {
    entries: Vec<Entry>,
}

/// Entry, with a flag of its use.
#[derive(Debug)]
struct Entry {
    difference: KnownDifference,
    /// For each of its patterns, true if a matching script was compared with a driver of the entry.
    compared_patterns: Vec<AtomicBool>,
    matched: AtomicBool,
}

/// Difference that is decided.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownDifference {
    /// Scripts that show it.
    #[serde(deserialize_with = "one_or_more")]
    pub scripts: Vec<String>,
    /// Substring of the driver's name.
    pub driver: String,
    /// Kinds of differences that the entry covers.
    #[serde(deserialize_with = "one_or_more")]
    pub kind: Vec<DifferenceKind>,
    /// Section of the specification that decides it.
    pub section: String,
    /// Reason for the driver's deviation.
    pub reason: String,
    /// True if the difference does not occur in every run: such entries are never stale.
    #[serde(default)]
    pub sometimes: bool,
}

/// Assessment of a difference: the reason why it is or is not a fault of a driver.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Decision {
    /// Section of the specification that decides.
    pub section: String,
    /// Reason for the difference of the drivers.
    pub reason: String,
}

impl From<&KnownDifference> for Decision {
    fn from(known: &KnownDifference) -> Self {
        Self {
            section: known.section.clone(),
            reason: known.reason.clone(),
        }
    }
}

/// File.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownDifferencesFile {
    #[serde(default)]
    difference: Vec<KnownDifference>,
}

/// Deserializes a string as a list of one value, or a list of values.
fn one_or_more<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    struct OneOrMore<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMore<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text or a list of texts")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<T>, E> {
            T::deserialize(text.into_deserializer()).map(|one| vec![one])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut all = Vec::new();
            while let Some(one) = list.next_element()? {
                all.push(one);
            }
            Ok(all)
        }
    }

    from.deserialize_any(OneOrMore(PhantomData))
}

impl KnownDifferences {
    /// Parses a list of known differences.
    ///
    /// # Errors
    /// If the text is not a list as described, with line and column, or if a required field of an
    /// entry is empty.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: KnownDifferencesFile = toml::from_str(text).map_err(|error| error.to_string())?;
        for known in &file.difference {
            let texts = [&known.driver, &known.section, &known.reason];
            let all = texts.into_iter().chain(&known.scripts);
            if known.scripts.is_empty()
                || known.kind.is_empty()
                || all.into_iter().any(|text| text.trim().is_empty())
            {
                return Err(format!(
                    "an entry for {:?} says nothing in one of its fields",
                    known.scripts
                ));
            }
        }
        let entry = |known: KnownDifference| Entry {
            compared_patterns: known.scripts.iter().map(|_| false.into()).collect(),
            matched: false.into(),
            difference: known,
        };
        Ok(Self {
            entries: file.difference.into_iter().map(entry).collect(),
        })
    }

    /// Returns the entries that explain all differences of a script beyond tolerances; `None` if
    /// one is unexplained, or if the runs do not differ or were not compared. Records the use of
    /// the entries, and that the script was compared, for [`Self::stale_entries`].
    pub fn explain(
        &self,
        script: &str,
        comparison: &RunComparison,
    ) -> Option<Vec<&KnownDifference>> {
        let differs = match &comparison.agreement {
            Agreement::NotCompared(_) => return None,
            Agreement::Exact | Agreement::WithinTolerance => false,
            Agreement::Different => true,
        };
        let entries = self.entries_for(script, reference_driver(&comparison.drivers));
        let mut explanations: Vec<&KnownDifference> = Vec::new();
        let mut left = false;
        for difference in comparison
            .differences
            .iter()
            .filter(|found| found.exceeds_tolerance)
        {
            match entries.iter().find(|entry| entry.explains(difference)) {
                Some(entry) => {
                    entry.matched.store(true, Ordering::Relaxed);
                    if !explanations.contains(&&entry.difference) {
                        explanations.push(&entry.difference);
                    }
                }
                None => left = true,
            }
        }
        (differs && !left).then_some(explanations)
    }

    /// Returns the first entry for differences of the outcome, which explains why a driver ends the
    /// process that runs a script; `None` if there is none. Records the use of the entry, and that
    /// the script was compared.
    pub fn explain_crash(&self, script: &str, driver: &Driver) -> Option<&KnownDifference> {
        let entries = self.entries_for(script, driver).into_iter();
        let mut of_outcome =
            entries.filter(|entry| entry.difference.kind.contains(&DifferenceKind::Outcome));
        let entry = of_outcome.next()?;
        entry.matched.store(true, Ordering::Relaxed);
        Some(&entry.difference)
    }

    /// Returns the entries whose patterns match a script and whose driver matches, without regard
    /// to case. Records that the script was compared, for [`Self::stale_entries`].
    fn entries_for(&self, script: &str, driver: &Driver) -> Vec<&Entry> {
        let driver = driver.to_string().to_lowercase();
        let speaks = |entry: &&Entry| {
            driver.contains(&entry.difference.driver.to_lowercase()) && entry.record_script(script)
        };
        self.entries.iter().filter(speaks).collect()
    }

    /// Returns the entries that explained nothing although scripts matching each of their patterns
    /// were compared. Entries with `sometimes` are never among them.
    pub fn stale_entries(&self) -> Vec<&KnownDifference> {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let is_stale = |entry: &&Entry| {
            let shows = entry.difference.sometimes || is_set(&entry.matched);
            !shows && entry.compared_patterns.iter().all(is_set)
        };
        let stale = self.entries.iter().filter(is_stale);
        stale.map(|entry| &entry.difference).collect()
    }
}

impl Entry {
    /// Returns true if a script matches one of the patterns, and records for each pattern that it
    /// matched.
    fn record_script(&self, script: &str) -> bool {
        let mut is_match = false;
        for (pattern, compared) in self.difference.scripts.iter().zip(&self.compared_patterns) {
            if matches_path(pattern, script) {
                compared.store(true, Ordering::Relaxed);
                is_match = true;
            }
        }
        is_match
    }

    fn explains(&self, difference: &Difference) -> bool {
        self.difference.kind.contains(&difference.kind)
    }
}

/// Returns the driver whose differences are listed: the first GL driver, because the others are
/// compared with it, and without one the first driver.
pub fn reference_driver(drivers: &[Driver; 2]) -> &Driver {
    let mut of_gl = drivers.iter().filter(|driver| driver.api == "gl");
    of_gl.next().unwrap_or(&drivers[0])
}

/// Returns true if a suffix of the path's components matches a pattern, in which `*` denotes any
/// part of a name and `**` any number of directories.
pub fn matches_path(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let path: Vec<&str> = path.split(['/', '\\']).collect();
    (0..path.len()).any(|start| matches_components(&pattern, &path[start..]))
}

/// Returns true if all components of a path match those of a glob pattern: `**` matches any number
/// of components, including none, and each other one matches a component by [`matches_name`].
fn matches_components(pattern: &[&str], path: &[&str]) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((&"**", rest)) => (0..=path.len()).any(|skip| matches_components(rest, &path[skip..])),
        Some((first, rest)) => path.split_first().is_some_and(|(part, others)| {
            matches_name(first.as_bytes(), part.as_bytes()) && matches_components(rest, others)
        }),
    }
}

/// Returns true if a name matches a pattern with `*` for any part of it. Backtracks to the last `*`
/// only, which is sufficient.
fn matches_name(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while place < name.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at, place));
            at += 1;
        } else if pattern.get(at) == Some(&name[place]) {
            (at, place) = (at + 1, place + 1);
        } else if let Some((star_at, star_place)) = star {
            star = Some((star_at, star_place + 1));
            (at, place) = (star_at + 1, star_place + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "[[difference]]\nscripts = 'arb/op/*.shader_test'\ndriver = 'mesa'\nkind = 'values'\n\
                         section = 'ARB_vertex_program 2.14'\nreason = 'rounds'\n";

    fn comparison(kinds: &[DifferenceKind]) -> RunComparison {
        let driver = |api: &str, name: &str| Driver {
            api: api.into(),
            device: "d".into(),
            driver: name.into(),
        };
        let drivers = [driver("vulkan", "SwiftShader"), driver("gl", "Mesa 22")];
        let mut comparison = RunComparison::new(drivers, Agreement::Exact);
        for kind in kinds {
            comparison.add_difference(*kind, None, String::new());
            comparison.agreement = Agreement::Different;
        }
        comparison
    }

    #[test]
    fn entries_explain_their_kind_of_difference() {
        let known = KnownDifferences::parse(ENTRY).unwrap();
        let script = "tests/arb/op/add.shader_test";
        let values = comparison(&[DifferenceKind::Values, DifferenceKind::Values]);
        let found = known.explain(script, &values).unwrap();
        assert_eq!(found[0].section, "ARB_vertex_program 2.14");
        assert_eq!(found.len(), 1);
        assert_eq!(known.explain("arb/tex/add.shader_test", &values), None);
        let both = comparison(&[DifferenceKind::Values, DifferenceKind::Verdict]);
        assert_eq!(known.explain(script, &both), None);
        let list =
            KnownDifferences::parse(&ENTRY.replace("'values'", "['verdict', 'values']")).unwrap();
        assert!(list.explain(script, &both).is_some());
        let mut other = comparison(&[DifferenceKind::Values]);
        other.drivers[1].driver = "NVIDIA".into();
        assert_eq!(known.explain(script, &other), None);
        // The other side may be Mesa's too without being meant.
        other.drivers[0].driver = "Mesa".into();
        assert_eq!(known.explain(script, &other), None);
        assert_eq!(known.explain(script, &comparison(&[])), None);
    }

    #[test]
    fn entries_without_use_are_stale() {
        let script = "arb/op/add.shader_test";
        let stale = |uses: &[(&str, &[DifferenceKind])]| {
            let known = KnownDifferences::parse(ENTRY).unwrap();
            for (script, kinds) in uses {
                known.explain(script, &comparison(kinds));
            }
            known.stale_entries().len()
        };
        assert_eq!(stale(&[]), 0);
        assert_eq!(stale(&[("gp/add.shader_test", &[])]), 0);
        assert_eq!(stale(&[(script, &[])]), 1);
        assert_eq!(stale(&[(script, &[DifferenceKind::Verdict])]), 1);
        assert_eq!(
            stale(&[(script, &[]), (script, &[DifferenceKind::Values])]),
            0
        );
        let known = KnownDifferences::parse(&format!("{ENTRY}sometimes = true\n")).unwrap();
        known.explain(script, &comparison(&[]));
        assert!(known.stale_entries().is_empty());
        let known = KnownDifferences::parse(ENTRY).unwrap();
        let skipped = Agreement::NotCompared("no".into());
        let drivers = comparison(&[]).drivers;
        known.explain(script, &RunComparison::new(drivers, skipped));
        assert!(known.stale_entries().is_empty());
    }

    #[test]
    fn crashes_are_outcomes() {
        let driver = Driver {
            driver: "Mesa".into(),
            ..Driver::default()
        };
        let script = "arb/op/add.shader_test";
        let values = KnownDifferences::parse(ENTRY).unwrap();
        assert_eq!(values.explain_crash(script, &driver), None);
        let outcome = KnownDifferences::parse(&ENTRY.replace("values", "outcome")).unwrap();
        assert!(outcome.explain_crash(script, &driver).is_some());
        assert!(outcome.stale_entries().is_empty());
    }

    #[test]
    fn mistakes_have_places() {
        for (from, to, message) in [
            ("reason = 'rounds'\n", "", "missing field `reason`"),
            ("reason", "raeson", "unknown field `raeson`"),
            ("'values'", "'value'", "unknown variant `value`"),
            ("'mesa'", "7", "line 3, column 10"),
            (
                "[[difference]]",
                "[[differences]]",
                "unknown field `differences`",
            ),
            ("'rounds'", "' '", "says nothing"),
            ("'arb/op/*.shader_test'", "[]", "says nothing"),
            ("'values'", "[]", "says nothing"),
            ("'values'", "['values', 'x']", "unknown variant `x`"),
        ] {
            let error = KnownDifferences::parse(&ENTRY.replace(from, to)).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        assert!(KnownDifferences::parse("").is_ok());
    }

    #[test]
    fn patterns_are_compared_from_the_end() {
        for (pattern, path) in [
            ("a.x", "a.x"),
            ("a.x", "b/a.x"),
            ("b/*.x", "c/b/a.x"),
            ("c/**/*.x", "c/a.x"),
            ("c/**/*.x", "d/c/b/b/a.x"),
            ("*a*b*", "aab"),
            ("**", "a/b"),
        ] {
            assert!(matches_path(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("a.x", "ba.x"),
            ("b/*.x", "b/c/a.x"),
            ("a", "a/b"),
            ("*a*b", "aba"),
            ("c/**/*.x", "b/a.x"),
        ] {
            assert!(!matches_path(pattern, path), "{pattern} {path}");
        }
    }
}
