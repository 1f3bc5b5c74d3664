//! `cargo xtask coverage`: which features of the languages the passing scripts prove.
//!
//! `features` joins the claims of scripts with the feature lists; this prints the sums, and `support` writes them up for people. A row
//! is covered when all its variants are; an id that names nothing is an error.

use crate::features::{self, Features, Share};
use crate::suite;
use crate::support;
use anyhow::Result;
use glasm_ci_support::report::{self, ScriptResult};
use std::path::PathBuf;
use std::process::ExitCode;

/// What `coverage` was asked for.
#[derive(Default)]
pub(crate) struct Options {
    /// What to print beside the totals.
    pub(crate) list: List,
    /// What to do with the page on support.
    pub(crate) page: Page,
    /// Reports of earlier runs; none: run the suites now.
    pub(crate) reports: Vec<PathBuf>,
}

/// What to print beside the totals.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum List {
    /// Nothing.
    #[default]
    Nothing,
    /// Every uncovered id.
    Missing,
}

/// What to do with the page on support.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Page {
    /// Nothing.
    #[default]
    Leave,
    /// Write it.
    Write,
}

/// `cargo xtask coverage`.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let results = if options.reports.is_empty() {
        suite::run_everywhere()?
    } else {
        report::read_reports(&options.reports)?
    };
    let covered = print_report(&results, options.list)?;
    if options.page == Page::Write {
        support::write(&results)?;
    }
    Ok(if covered {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// Prints a line per language. `false` if a script claims an id that does not exist.
pub(crate) fn print_report(results: &[ScriptResult], list: List) -> Result<bool> {
    let features = Features::load()?;
    let coverage = features::join(&features, results);
    for problem in &coverage.problems {
        println!("error: {problem}");
    }
    for (language, rows) in features.languages() {
        println!("{}", summary(language, coverage.share(&rows)));
    }
    if list == List::Missing {
        for id in features.ids().filter(|id| !coverage.covers(id)) {
            println!("missing {id}");
        }
    }
    Ok(coverage.problems.is_empty())
}

/// `gp 873/1041 rows 2210/2652 variants 83.9 %`: the share is that of rows.
fn summary(language: &str, share: Share) -> String {
    let Share { rows, claims } = share;
    format!(
        "{language} {}/{} rows {}/{} variants {:.1} %",
        rows[0],
        rows[1],
        claims[0],
        claims[1],
        share.percent()
    )
}

#[cfg(test)]
mod tests {
    use super::{Share, summary};

    #[test]
    fn the_share_is_that_of_rows() {
        let share = Share {
            rows: [1, 2],
            claims: [2, 3],
        };
        assert_eq!(summary("gp", share), "gp 1/2 rows 2/3 variants 50.0 %");
    }
}
