//! `cargo xtask coverage`: which features of the languages the passing scripts prove.
//!
//! `features` joins the claims of scripts with the feature lists; this prints the sums, and
//! `support` writes the human-readable page. A row is covered if all its variants are; an unknown
//! id is an error.

use crate::features::{self, Features, Share};
use crate::suite;
use crate::support;
use anyhow::Result;
use glasm_ci_support::report::{self, ScriptResult};
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Joins the `# covers:` lines of passing scripts with tests/features/*.tsv and prints a line per
language. Without --json the script suite runs first, on every CPU driver found.";

/// `cargo xtask coverage`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Options {
    /// Print every uncovered id
    #[arg(long)]
    missing: bool,
    /// Write docs/support.md: what works, and why the rest does not; needs all CPU drivers
    #[arg(long)]
    write_support: bool,
    /// Report of `glasm run --json` (may be repeated); a script counts if it passes on some device
    /// and fails on none
    #[arg(long, value_name = "FILE")]
    json: Vec<PathBuf>,
}

/// Ids that a report lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum List {
    /// Prints totals only.
    Nothing,
    /// Every uncovered id.
    Missing,
}

/// Runs `cargo xtask coverage`.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let results = if options.json.is_empty() {
        suite::run_everywhere()?
    } else {
        report::read_reports(&options.json)?
    };
    let list = if options.missing {
        List::Missing
    } else {
        List::Nothing
    };
    let covered = print_report(&results, list)?;
    if options.write_support {
        support::write(&results)?;
    }
    Ok(ExitCode::from(u8::from(!covered)))
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

/// Formats `gp 873/1041 rows 2210/2652 variants 83.9 %`: the percentage is that of rows.
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
