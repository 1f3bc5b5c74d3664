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
//! scripts matching each of its patterns were compared with such a driver is [stale](Known::stale),
//! unless it has `sometimes = true`.

use super::comparison::{Class, Comparison, Difference, DifferenceKind, Driver};
use serde::de::{self, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

/// List of known differences.
#[derive(Debug, Default)]
pub struct Known {
    entries: Vec<Entry>,
}

/// Entry, with a flag of its use.
#[derive(Debug)]
struct Entry {
    known: KnownDifference,
    /// For each of its patterns, true if a matching script was compared with a driver of the entry.
    compared: Vec<AtomicBool>,
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
struct File {
    #[serde(default)]
    difference: Vec<KnownDifference>,
}

/// Deserializes one value or a list of them.
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

impl Known {
    /// Reads a list.
    ///
    /// # Errors
    /// If it is not as described, with line and column.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
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
            compared: known.scripts.iter().map(|_| false.into()).collect(),
            matched: false.into(),
            known,
        };
        Ok(Self {
            entries: file.difference.into_iter().map(entry).collect(),
        })
    }

    /// Returns the entries that explain all differences of a script beyond tolerances; `None` if a
    /// difference is unexplained, or there is none.
    pub fn explain(&self, script: &str, comparison: &Comparison) -> Option<Vec<&KnownDifference>> {
        let differs = match &comparison.class {
            Class::NotCompared(_) => return None,
            Class::Exact | Class::Within => false,
            Class::Different => true,
        };
        let entries = self.entries_for(script, reference(&comparison.drivers));
        let mut explanations: Vec<&KnownDifference> = Vec::new();
        let mut left = false;
        for difference in comparison.differences.iter().filter(|found| found.beyond) {
            match entries.iter().find(|entry| entry.explains(difference)) {
                Some(entry) => {
                    entry.matched.store(true, Ordering::Relaxed);
                    if !explanations.contains(&&entry.known) {
                        explanations.push(&entry.known);
                    }
                }
                None => left = true,
            }
        }
        (differs && !left).then_some(explanations)
    }

    /// Returns an entry that explains why a driver ends the process that runs a script.
    pub fn explain_crash(&self, script: &str, driver: &Driver) -> Option<&KnownDifference> {
        let entries = self.entries_for(script, driver).into_iter();
        let mut of_outcome =
            entries.filter(|entry| entry.known.kind.contains(&DifferenceKind::Outcome));
        let entry = of_outcome.next()?;
        entry.matched.store(true, Ordering::Relaxed);
        Some(&entry.known)
    }

    /// Returns the entries that speak of a script and a driver, which have now been compared.
    fn entries_for(&self, script: &str, driver: &Driver) -> Vec<&Entry> {
        let driver = driver.to_string().to_lowercase();
        let speaks = |entry: &&Entry| {
            driver.contains(&entry.known.driver.to_lowercase()) && entry.note_script(script)
        };
        self.entries.iter().filter(speaks).collect()
    }

    /// Returns the entries that explain nothing although scripts matching each of their patterns
    /// were compared.
    pub fn stale(&self) -> Vec<&KnownDifference> {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let is_stale = |entry: &&Entry| {
            let shows = entry.known.sometimes || is_set(&entry.matched);
            !shows && entry.compared.iter().all(is_set)
        };
        let stale = self.entries.iter().filter(is_stale);
        stale.map(|entry| &entry.known).collect()
    }
}

impl Entry {
    /// Returns true if a script matches one of the patterns, and records the match.
    fn note_script(&self, script: &str) -> bool {
        let mut found = false;
        for (pattern, compared) in self.known.scripts.iter().zip(&self.compared) {
            if is_path_like(pattern, script) {
                compared.store(true, Ordering::Relaxed);
                found = true;
            }
        }
        found
    }

    fn explains(&self, difference: &Difference) -> bool {
        self.known.kind.contains(&difference.kind)
    }
}

/// Returns the driver whose differences are listed: the GL driver, which others are compared with,
/// and otherwise the first one.
pub fn reference(drivers: &[Driver; 2]) -> &Driver {
    let mut of_gl = drivers.iter().filter(|driver| driver.api == "gl");
    of_gl.next().unwrap_or(&drivers[0])
}

/// Returns true if the end of a path matches a pattern, in which `*` denotes any part of a name and
/// `**` any directories.
pub fn is_path_like(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let path: Vec<&str> = path.split(['/', '\\']).collect();
    (0..path.len()).any(|start| are_parts_like(&pattern, &path[start..]))
}

fn are_parts_like(pattern: &[&str], path: &[&str]) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((&"**", rest)) => (0..=path.len()).any(|skip| are_parts_like(rest, &path[skip..])),
        Some((first, rest)) => path.split_first().is_some_and(|(part, others)| {
            is_name_like(first.as_bytes(), part.as_bytes()) && are_parts_like(rest, others)
        }),
    }
}

/// Returns true if a name matches a pattern with `*` for any part of it. Backtracks to the last `*`
/// only, which is sufficient.
fn is_name_like(pattern: &[u8], name: &[u8]) -> bool {
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

    fn comparison(kinds: &[DifferenceKind]) -> Comparison {
        let driver = |api: &str, name: &str| Driver {
            api: api.into(),
            device: "d".into(),
            driver: name.into(),
        };
        let drivers = [driver("vulkan", "SwiftShader"), driver("gl", "Mesa 22")];
        let mut comparison = Comparison::empty(drivers, Class::Exact);
        for kind in kinds {
            comparison.differ(*kind, None, String::new());
            comparison.class = Class::Different;
        }
        comparison
    }

    #[test]
    fn entries_explain_their_kind_of_difference() {
        let known = Known::parse(ENTRY).unwrap();
        let script = "tests/arb/op/add.shader_test";
        let values = comparison(&[DifferenceKind::Values, DifferenceKind::Values]);
        let found = known.explain(script, &values).unwrap();
        assert_eq!(found[0].section, "ARB_vertex_program 2.14");
        assert_eq!(found.len(), 1);
        assert_eq!(known.explain("arb/tex/add.shader_test", &values), None);
        let both = comparison(&[DifferenceKind::Values, DifferenceKind::Verdict]);
        assert_eq!(known.explain(script, &both), None);
        let list = Known::parse(&ENTRY.replace("'values'", "['verdict', 'values']")).unwrap();
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
            let known = Known::parse(ENTRY).unwrap();
            for (script, kinds) in uses {
                known.explain(script, &comparison(kinds));
            }
            known.stale().len()
        };
        assert_eq!(stale(&[]), 0);
        assert_eq!(stale(&[("gp/add.shader_test", &[])]), 0);
        assert_eq!(stale(&[(script, &[])]), 1);
        assert_eq!(stale(&[(script, &[DifferenceKind::Verdict])]), 1);
        assert_eq!(
            stale(&[(script, &[]), (script, &[DifferenceKind::Values])]),
            0
        );
        let known = Known::parse(&format!("{ENTRY}sometimes = true\n")).unwrap();
        known.explain(script, &comparison(&[]));
        assert!(known.stale().is_empty());
        let known = Known::parse(ENTRY).unwrap();
        let skipped = Class::NotCompared("no".into());
        let drivers = comparison(&[]).drivers;
        known.explain(script, &Comparison::empty(drivers, skipped));
        assert!(known.stale().is_empty());
    }

    #[test]
    fn crashes_are_outcomes() {
        let driver = Driver {
            driver: "Mesa".into(),
            ..Driver::default()
        };
        let script = "arb/op/add.shader_test";
        let values = Known::parse(ENTRY).unwrap();
        assert_eq!(values.explain_crash(script, &driver), None);
        let outcome = Known::parse(&ENTRY.replace("values", "outcome")).unwrap();
        assert!(outcome.explain_crash(script, &driver).is_some());
        assert!(outcome.stale().is_empty());
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
            let error = Known::parse(&ENTRY.replace(from, to)).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        assert!(Known::parse("").is_ok());
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
            assert!(is_path_like(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("a.x", "ba.x"),
            ("b/*.x", "b/c/a.x"),
            ("a", "a/b"),
            ("*a*b", "aba"),
            ("c/**/*.x", "b/a.x"),
        ] {
            assert!(!is_path_like(pattern, path), "{pattern} {path}");
        }
    }
}
