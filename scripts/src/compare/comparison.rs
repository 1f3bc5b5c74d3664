//! Comparison of two runs of a script.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Driver that ran a script.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Driver {
    /// Interface: `gl` or `vulkan`.
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

/// Comparison of two runs of a script.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// Drivers that ran the script.
    pub drivers: [Driver; 2],
    /// Degree of agreement.
    pub class: Class,
    /// Numbers that were compared.
    pub values: u64,
    /// Number of differing ones.
    pub differing: u64,
    /// Number of zeros that differ in sign only; they are treated as equal.
    pub zero_signs: u64,
    /// Largest distance of two floats, in units in the last place of their type.
    pub ulp: f64,
    /// Largest difference of two floats near zero, for which units in the last place are not used.
    pub near_zero: f64,
    /// Largest distance of two numbers with a fixed point, in steps.
    pub steps: f64,
    /// Verdicts on programs that were compared.
    pub verdicts: usize,
    /// Differences, largest first.
    pub differences: Vec<Difference>,
}

/// Degree of agreement of two runs of a script.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// All values are equal.
    Exact,
    /// All values are within the tolerances of the probes that read them, or within those of GL.
    Within,
    /// Some values differ beyond the tolerances.
    Different,
    /// There is nothing to compare, for the reason in the string.
    NotCompared(String),
}

/// Kind of a difference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DifferenceKind {
    /// Outcome of the script.
    Outcome,
    /// Acceptance of a program.
    Verdict,
    /// Position of the error of a program.
    Position,
    /// Contents of framebuffers, buffers and images.
    Values,
}

impl DifferenceKind {
    /// Returns the word for it in files.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Outcome => "outcome",
            Self::Verdict => "verdict",
            Self::Position => "position",
            Self::Values => "values",
        }
    }
}

/// Difference of two runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Difference {
    /// Kind of the difference.
    pub kind: DifferenceKind,
    /// True if the difference exceeds the tolerance.
    pub beyond: bool,
    /// Line of the script that shows it, if there is one.
    pub line: Option<u32>,
    /// Complete description.
    pub text: String,
    /// First and the worst pair of values, for values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
}

/// Two values that differ, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// Location of the value: `(3, 4) green`, `byte 12`.
    pub place: String,
    /// Values of the two runs.
    pub values: [String; 2],
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
    pub(super) fn empty(drivers: [Driver; 2], class: Class) -> Self {
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

    /// Creates the comparison of a script that one side cannot run.
    pub fn not_compared(drivers: [Driver; 2], reason: String) -> Self {
        Self::empty(drivers, Class::NotCompared(reason))
    }

    /// Creates the comparison of a script that has failed on one side before it had any
    /// observation.
    pub fn broken(drivers: [Driver; 2], text: String) -> Self {
        let mut comparison = Self::empty(drivers, Class::Different);
        comparison.differ(DifferenceKind::Outcome, None, text);
        comparison
    }

    pub(super) fn differ(&mut self, kind: DifferenceKind, line: Option<u32>, text: String) {
        self.differences.push(Difference {
            kind,
            beyond: true,
            line,
            text,
            samples: Vec::new(),
        });
    }

    /// Returns the distance such as `3 ulp`, `1 step`, `3 ulp and 2e-7 near zero`; `None` if all
    /// numbers are equal.
    pub fn distance(&self) -> Option<String> {
        distance(self.ulp, self.near_zero, self.steps)
    }
}

/// Formats a distance such as `3 ulp`, `1 step`, `3 ulp and 2e-7 near zero`; `None` if all are 0.
pub(super) fn distance(ulp: f64, near_zero: f64, steps: f64) -> Option<String> {
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
