//! Compares two runs of a script: what programs left to be seen, which of them were accepted, and what became of the script.
//!
//! A run is a [`Recording`], fresh from a runner or read from a file. [`compare`] gives a [`Comparison`]; [`Known`] says which differences
//! are decided already; [`report`] adds them up by family.

pub mod known;
mod numbers;
mod observations;
pub mod recording;
pub mod report;

pub use known::{Decision, Known};
pub use observations::Sample;
pub use recording::Recording;

use crate::observation::Verdict;
use crate::outcome::{Failure, Outcome};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Differences that are told of one script, at most.
const MAX_DIFFERENCES: usize = 100;

/// Who ran a script.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Driver {
    /// The interface: `gl` or `vulkan`.
    pub api: String,
    /// Name of the device.
    pub device: String,
    /// Name and version of the driver.
    pub driver: String,
}

impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {} ({})", self.api, self.device, self.driver)
    }
}

/// What two runs of a script come to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// Who ran the script.
    pub drivers: [Driver; 2],
    /// How they agree.
    pub class: Class,
    /// Numbers that were compared.
    pub values: u64,
    /// Those among them that differ.
    pub differing: u64,
    /// Zeros that differ in sign only; they count as equal.
    pub zero_signs: u64,
    /// The largest distance of two floats, in units in the last place of their type.
    pub ulp: f64,
    /// The largest difference of two floats near zero, where places do not count.
    pub near_zero: f64,
    /// The largest distance of two numbers with a fixed point, in steps.
    pub steps: f64,
    /// Verdicts on programs that were compared.
    pub verdicts: usize,
    /// What differs, worst first.
    pub differences: Vec<Difference>,
}

/// How two runs of a script agree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// In everything.
    Exact,
    /// All values are within the tolerances of the probes that looked at them, or within those of GL.
    Within,
    /// In something they do not.
    Different,
    /// There is nothing to compare; the text says why.
    NotCompared(String),
}

/// What differs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DifferenceKind {
    /// Whether the script passes.
    Outcome,
    /// Whether a program is accepted.
    Verdict,
    /// Where the error of a program is.
    Position,
    /// What programs left in framebuffers, buffers and images.
    Values,
}

impl DifferenceKind {
    /// The word for it in files.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Outcome => "outcome",
            Self::Verdict => "verdict",
            Self::Position => "position",
            Self::Values => "values",
        }
    }
}

/// One thing that differs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Difference {
    /// What differs.
    pub kind: DifferenceKind,
    /// Whether it is more than a tolerance allows.
    pub beyond: bool,
    /// Line of the script that shows it, where there is one.
    pub line: Option<u32>,
    /// All about it.
    pub text: String,
    /// The first and the worst pair of values, for values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.text)
    }
}

impl Comparison {
    fn empty(drivers: [Driver; 2], class: Class) -> Self {
        Self {
            drivers,
            class,
            values: 0,
            differing: 0,
            zero_signs: 0,
            ulp: 0.0,
            near_zero: 0.0,
            steps: 0.0,
            verdicts: 0,
            differences: Vec::new(),
        }
    }

    /// The comparison of a script that one side cannot show.
    pub fn not_compared(drivers: [Driver; 2], reason: String) -> Self {
        Self::empty(drivers, Class::NotCompared(reason))
    }

    /// The comparison of a script of which a side has gone wrong before it could show anything.
    pub fn broken(drivers: [Driver; 2], text: String) -> Self {
        let mut comparison = Self::empty(drivers, Class::Different);
        comparison.differ(DifferenceKind::Outcome, None, text);
        comparison
    }

    fn differ(&mut self, kind: DifferenceKind, line: Option<u32>, text: String) {
        self.differences.push(Difference {
            kind,
            beyond: true,
            line,
            text,
            samples: Vec::new(),
        });
    }

    /// `3 ulp`, `1 step`, `3 ulp and 2e-7 near zero`; nothing if all numbers are equal.
    pub fn distance(&self) -> Option<String> {
        distance(self.ulp, self.near_zero, self.steps)
    }
}

/// `3 ulp`, `1 step`, `3 ulp and 2e-7 near zero`; nothing if all are 0.
fn distance(ulp: f64, near_zero: f64, steps: f64) -> Option<String> {
    let mut parts = Vec::new();
    if ulp > 0.0 {
        parts.push(format!("{ulp} ulp"));
    }
    if near_zero > 0.0 {
        parts.push(format!("{near_zero:.0e} near zero"));
    }
    if steps > 0.0 {
        let plural = if steps == 1.0 { "" } else { "s" };
        parts.push(format!("{steps} step{plural}"));
    }
    (!parts.is_empty()).then(|| parts.join(" and "))
}

/// Compares two runs of a script.
pub fn compare(a: &Recording, b: &Recording) -> Comparison {
    let drivers = [a.driver.clone(), b.driver.clone()];
    let names = names(&drivers);
    let skipped = |run: &Recording, name: &str| match &run.outcome {
        Outcome::Skip(reason) => Some(format!("{name}: {reason}")),
        Outcome::Pass | Outcome::Fail => None,
    };
    if let Some(reason) = skipped(a, &names[0]).or_else(|| skipped(b, &names[1])) {
        return Comparison::not_compared(drivers, reason);
    }
    if a.digest != b.digest {
        let reason = "the script has changed since it was recorded";
        return Comparison::not_compared(drivers, reason.to_owned());
    }
    let mut comparison = Comparison::empty(drivers, Class::Exact);
    compare_outcomes([a, b], &names, &mut comparison);
    compare_verdicts([&a.verdicts, &b.verdicts], &names, &mut comparison);
    let refuses = |found: &Difference| found.kind == DifferenceKind::Verdict;
    // What a script leaves says nothing of programs that one side has not run.
    if !comparison.differences.iter().any(refuses) {
        observations::compare([a, b], &names, &mut comparison);
    }
    let differences = &mut comparison.differences;
    differences.sort_by_key(|difference| (!difference.beyond, difference.kind));
    comparison.class = match differences.first() {
        Some(difference) if difference.beyond => Class::Different,
        Some(_) => Class::Within,
        None => Class::Exact,
    };
    differences.truncate(MAX_DIFFERENCES);
    comparison
}

/// What messages call the two runs: their interface, or the device where that is the same.
pub fn names(drivers: &[Driver; 2]) -> [String; 2] {
    let [a, b] = drivers;
    match (a.api == b.api, a.device == b.device) {
        (false, _) => [a, b].map(|driver| driver.api.clone()),
        (true, false) => [a, b].map(|driver| driver.device.clone()),
        (true, true) => ["first".to_owned(), "second".to_owned()],
    }
}

fn compare_outcomes(runs: [&Recording; 2], names: &[String; 2], comparison: &mut Comparison) {
    let [a, b] = [0, 1].map(|side| runs[side].outcome == Outcome::Pass);
    if a == b {
        return;
    }
    let (passing, failing) = if a { (0, 1) } else { (1, 0) };
    let failure: Option<&Failure> = runs[failing].failures.first();
    let message = failure.map_or("no reason given", |failure| first_line(&failure.message));
    let text = format!(
        "passes with {}, fails with {}: {message}",
        names[passing], names[failing]
    );
    let line = failure.and_then(|failure| failure.line);
    comparison.differ(DifferenceKind::Outcome, line, text);
}

fn compare_verdicts(
    verdicts: [&Vec<Verdict>; 2],
    names: &[String; 2],
    comparison: &mut Comparison,
) {
    for a in verdicts[0] {
        let same = |b: &&Verdict| (b.stage, b.number) == (a.stage, a.number);
        let Some(b) = verdicts[1].iter().find(same) else {
            continue;
        };
        comparison.verdicts += 1;
        let what = match a.number {
            0 => format!("the {} program", a.stage.name()),
            number => format!("{} program {}", a.stage.name(), number + 1),
        };
        let at = |position: Option<usize>| match position {
            Some(position) => format!(" at {position}"),
            None => String::new(),
        };
        match (&a.rejected, &b.rejected) {
            (None, None) => {}
            (Some(x), Some(y)) => {
                let differ = x.position.zip(y.position).is_some_and(|(x, y)| x != y);
                if differ {
                    let side = |side: usize, rejection: &crate::observation::Rejection| {
                        let at = at(rejection.position);
                        let message = first_line(&rejection.message);
                        format!("{at} with {} ({message})", names[side])
                    };
                    let text = format!("{what} has its error{} and{}", side(0, x), side(1, y));
                    comparison.differ(DifferenceKind::Position, None, text);
                }
            }
            (Some(rejection), None) | (None, Some(rejection)) => {
                let rejecting = usize::from(a.rejected.is_none());
                let text = format!(
                    "{what} is accepted with {} and rejected with {}{}: {}",
                    names[1 - rejecting],
                    names[rejecting],
                    at(rejection.position),
                    first_line(&rejection.message)
                );
                comparison.differ(DifferenceKind::Verdict, None, text);
            }
        }
    }
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests;
