//! Differences of two runs of a script, and their drivers.

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
pub struct RunComparison {
    /// Drivers that ran the script.
    pub drivers: [Driver; 2],
    /// Degree of agreement.
    pub agreement: Agreement,
    /// Numbers that were compared.
    pub compared_values: u64,
    /// Number of differing ones.
    pub differing_values: u64,
    /// Number of zeros that differ in sign only; they are treated as equal.
    pub zero_sign_differences: u64,
    /// Largest distance of two floats, in ulp of their type.
    pub max_ulp_distance: f64,
    /// Largest difference of two floats near zero, where ulp are not used.
    pub max_difference_near_zero: f64,
    /// Largest distance of two numbers with a fixed point, in steps.
    pub max_step_distance: f64,
    /// Verdicts on programs that were compared.
    pub compared_verdicts: usize,
    /// Differences, largest first.
    pub differences: Vec<Difference>,
}

/// Degree of agreement of two runs of a script.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// All values are equal.
    Exact,
    /// All values are within the tolerances of the probes that read them, or within those of GL.
    WithinTolerance,
    /// Some values differ beyond the tolerances.
    Different,
    /// There is nothing to compare, for the reason in the string.
    NotCompared(String),
}

/// Kind of a difference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// Returns the keyword of the kind in files.
    pub const fn name(self) -> &'static str {
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
    pub exceeds_tolerance: bool,
    /// Line of the script that shows it, if there is one.
    pub line: Option<u32>,
    /// Complete description.
    pub description: String,
    /// First and the worst pair of values, for values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
}

/// Two values that differ, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// Location of the value: `(3, 4) green`, `byte 12`.
    pub location: String,
    /// Values of the two runs.
    pub values: [String; 2],
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.description)
    }
}

impl RunComparison {
    /// Creates a comparison with a degree of agreement and all counts and distances zero.
    pub(super) fn new(drivers: [Driver; 2], agreement: Agreement) -> Self {
        Self {
            drivers,
            agreement,
            compared_values: 0,
            differing_values: 0,
            zero_sign_differences: 0,
            max_ulp_distance: 0.0,
            max_difference_near_zero: 0.0,
            max_step_distance: 0.0,
            compared_verdicts: 0,
            differences: Vec::new(),
        }
    }

    /// Creates the comparison of a script that one side cannot run.
    pub fn not_compared(drivers: [Driver; 2], reason: String) -> Self {
        Self::new(drivers, Agreement::NotCompared(reason))
    }

    /// Creates the comparison of a script that has failed on one side before it had any
    /// observation: the runs are different, and the outcome with the description `text` is the only
    /// difference.
    pub fn from_failure(drivers: [Driver; 2], text: String) -> Self {
        let mut comparison = Self::new(drivers, Agreement::Different);
        comparison.add_difference(DifferenceKind::Outcome, None, text);
        comparison
    }

    /// Appends a difference that exceeds the tolerance and has no pairs of values. Does not change
    /// the class or the counts.
    pub(super) fn add_difference(&mut self, kind: DifferenceKind, line: Option<u32>, text: String) {
        self.differences.push(Difference {
            kind,
            exceeds_tolerance: true,
            line,
            description: text,
            samples: Vec::new(),
        });
    }

    /// Formats the largest distances, such as `3 ulp`, `1 step`, `3 ulp and 2e-7 near zero`; `None`
    /// if all are 0.
    pub fn describe_distance(&self) -> Option<String> {
        format_distance(
            self.max_ulp_distance,
            self.max_difference_near_zero,
            self.max_step_distance,
        )
    }
}

/// Formats a distance such as `3 ulp`, `1 step`, `3 ulp and 2e-7 near zero`; `None` if all are 0.
pub(super) fn format_distance(ulp: f64, near_zero: f64, steps: f64) -> Option<String> {
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
