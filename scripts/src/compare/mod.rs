//! Comparison of two runs of a script: observed values, acceptance of programs, and the outcome of
//! the script.
//!
//! A run is a [`Recording`], from a runner or from a file. [`compare_runs`] returns a
//! [`RunComparison`]; [`KnownDifferences`] lists the differences that are decided already;
//! [`report`] sums them by family.

mod differences;
pub mod known_differences;
mod numeric_diff;
mod observations;
pub mod recording;
pub mod report;

use crate::observation::Verdict;
use crate::results::{Failure, Outcome};

pub use differences::{Agreement, Difference, DifferenceKind, Driver, RunComparison, Sample};
pub use known_differences::{Decision, KnownDifferences};
pub use recording::Recording;

/// Maximum number of differences that are reported per script.
const MAX_DIFFERENCES: usize = 100;

/// Compares two runs of a script: outcomes, verdicts and, unless a verdict differs, observed
/// values. Runs that were skipped, or whose scripts have different digests, are not compared, with
/// the reason. The differences are sorted, those beyond the tolerance first, and at most
/// [`MAX_DIFFERENCES`].
pub fn compare_runs(a: &Recording, b: &Recording) -> RunComparison {
    let drivers = [a.driver.clone(), b.driver.clone()];
    let names = run_names(&drivers);
    let skipped = |run: &Recording, name: &str| match &run.outcome {
        Outcome::Skip(reason) => Some(format!("{name}: {reason}")),
        Outcome::Pass | Outcome::Fail => None,
    };
    if let Some(reason) = skipped(a, &names[0]).or_else(|| skipped(b, &names[1])) {
        return RunComparison::not_compared(drivers, reason);
    }
    if a.digest != b.digest {
        let reason = "the script has changed since it was recorded";
        return RunComparison::not_compared(drivers, reason.to_owned());
    }
    let mut comparison = RunComparison::new(drivers, Agreement::Exact);
    compare_outcomes([a, b], &names, &mut comparison);
    compare_verdicts([&a.verdicts, &b.verdicts], &names, &mut comparison);
    let refuses = |difference: &Difference| difference.kind == DifferenceKind::Verdict;
    // The output of a script is not comparable if one side has not run all programs.
    if !comparison.differences.iter().any(refuses) {
        observations::compare_observations([a, b], &names, &mut comparison);
    }
    let differences = &mut comparison.differences;
    differences.sort_by_key(|difference| (!difference.exceeds_tolerance, difference.kind));
    comparison.agreement = match differences.first() {
        Some(difference) if difference.exceeds_tolerance => Agreement::Different,
        Some(_) => Agreement::WithinTolerance,
        None => Agreement::Exact,
    };
    differences.truncate(MAX_DIFFERENCES);
    comparison
}

/// Returns the names of the two runs in messages: their interfaces; their devices if both have one
/// interface; `first` and `second` if they have the same device, too.
pub fn run_names(drivers: &[Driver; 2]) -> [String; 2] {
    let [a, b] = drivers;
    match (a.api == b.api, a.device == b.device) {
        (false, _) => [a, b].map(|driver| driver.api.clone()),
        (true, false) => [a, b].map(|driver| driver.device.clone()),
        (true, true) => ["first".to_owned(), "second".to_owned()],
    }
}

/// Adds a difference if exactly one of the two runs has passed, with the message and line of the
/// first failure of the other run. `names` are those of the runs.
fn compare_outcomes(runs: [&Recording; 2], names: &[String; 2], comparison: &mut RunComparison) {
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
    comparison.add_difference(DifferenceKind::Outcome, line, text);
}

/// Compares the acceptance of the programs that both sides have compiled, and counts them. Adds a
/// difference for each program that one side only rejects, or that both reject at different known
/// positions. Programs without a verdict on one side are ignored.
fn compare_verdicts(
    verdicts: [&Vec<Verdict>; 2],
    names: &[String; 2],
    comparison: &mut RunComparison,
) {
    for a in verdicts[0] {
        let same = |b: &&Verdict| (b.stage, b.index) == (a.stage, a.index);
        let Some(b) = verdicts[1].iter().find(same) else {
            continue;
        };
        comparison.compared_verdicts += 1;
        let subject = match a.index {
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
                    let text = format!("{subject} has its error{} and{}", side(0, x), side(1, y));
                    comparison.add_difference(DifferenceKind::Position, None, text);
                }
            }
            (Some(rejection), None) | (None, Some(rejection)) => {
                let rejecting = usize::from(a.rejected.is_none());
                let text = format!(
                    "{subject} is accepted with {} and rejected with {}{}: {}",
                    names[1 - rejecting],
                    names[rejecting],
                    at(rejection.position),
                    first_line(&rejection.message)
                );
                comparison.add_difference(DifferenceKind::Verdict, None, text);
            }
        }
    }
}

/// Returns the first line of a message; an empty one for an empty message.
fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests;
