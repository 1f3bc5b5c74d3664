//! Comparison of two runs of a script: observed values, acceptance of programs, and the outcome of
//! the script.
//!
//! A run is a [`Recording`], from a runner or from a file. [`compare`] returns a [`Comparison`];
//! [`Known`] lists the differences that are decided already; [`report`] sums them by family.

mod comparison;
pub mod known;
mod numbers;
mod observations;
pub mod recording;
pub mod report;

pub use comparison::{Class, Comparison, Difference, DifferenceKind, Driver, Sample};
pub use known::{Decision, Known};
pub use recording::Recording;

use crate::observation::Verdict;
use crate::outcome::{Failure, Outcome};

/// Maximum number of differences that are reported per script.
const MAX_DIFFERENCES: usize = 100;

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
    // The output of a script is not comparable if one side has not run all programs.
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

/// Returns the names of the two runs in messages: their interface, or the device if both have one
/// interface.
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
