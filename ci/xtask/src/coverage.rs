//! `cargo xtask coverage` prints which features of the languages the passing scripts prove, and
//! `support` writes the human-readable page.

use crate::features::{Features, Share, join_claims};
use crate::{suite, support};
use anyhow::Result;
use glasm_ci_support::report::{self, ScriptResult};
use glasm_ci_support::shell;
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
pub(crate) enum ListedIds {
    /// Prints totals only.
    Totals,
    /// Every uncovered id.
    Missing,
}

/// Runs `cargo xtask coverage`: prints the report on the given results or on those of a run on all
/// drivers, and writes the support page if requested.
pub(crate) fn run_command(options: &Options) -> Result<ExitCode> {
    let results = if options.json.is_empty() {
        suite::run_everywhere()?
    } else {
        report::read_reports(&options.json)?
    };
    let list = if options.missing {
        ListedIds::Missing
    } else {
        ListedIds::Totals
    };
    let covered = print_report(&results, list)?;
    if options.write_support {
        support::write_page(&results)?;
    }
    Ok(ExitCode::from(u8::from(!covered)))
}

/// Prints a line per language. `false` if a script claims an id that does not exist.
pub(crate) fn print_report(results: &[ScriptResult], list: ListedIds) -> Result<bool> {
    let features = Features::load()?;
    let coverage = join_claims(&features, results);
    for problem in &coverage.problems {
        shell::report_failure(&format!("error: {problem}"));
    }
    for (language, rows) in features.languages() {
        println!("{}", format_summary(language, coverage.proved_share(&rows)));
    }
    if list == ListedIds::Missing {
        for id in features.claimable_ids().filter(|id| !coverage.covers(id)) {
            println!("missing {id}");
        }
    }
    Ok(coverage.problems.is_empty())
}

/// Formats `gp 873/1041 rows 2210/2652 variants 83.9 %`: the percentage is that of the entries
/// which are proved completely.
fn format_summary(language: &str, share: Share) -> String {
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
    use super::{Share, format_summary};

    #[test]
    fn the_share_is_that_of_rows() {
        let share = Share {
            rows: [1, 2],
            claims: [2, 3],
        };
        assert_eq!(
            format_summary("gp", share),
            "gp 1/2 rows 2/3 variants 50.0 %"
        );
    }
}
