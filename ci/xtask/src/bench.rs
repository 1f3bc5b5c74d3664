//! `cargo xtask bench`: runs the benchmark of the test package and puts its tables into `docs/performance.md`.

use crate::shell;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::ExitCode;

/// How long to measure.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// Long enough for stable figures.
    #[default]
    Full,
    /// Enough to see whether something is off.
    Quick,
}

/// The document that holds the tables.
const DOCUMENT: &str = "docs/performance.md";

/// The tables lie between these lines.
const BEGIN: &str = "<!-- begin: written by `cargo xtask bench` -->";
const END: &str = "<!-- end: written by `cargo xtask bench` -->";

/// `cargo xtask bench`.
pub(crate) fn run(effort: Effort) -> Result<ExitCode> {
    let out = std::env::current_dir()?.join("target/bench");
    std::fs::create_dir_all(&out).with_context(|| format!("creating {}", out.display()))?;
    let quick: &[&str] = if effort == Effort::Quick {
        &["--quick"]
    } else {
        &[]
    };
    // Heap first: the timing run prints the tables of both.
    for target in ["heap", "translate"] {
        let mut command = shell::cargo();
        command.args(["bench", "--package", "glasm-tests", "--bench", target, "--"]);
        shell::run(command.args(quick).env("GLASM_BENCH_OUT", &out))?;
    }
    if effort == Effort::Full {
        let tables = std::fs::read_to_string(out.join("tables.md"))
            .context("the benchmark wrote no tables")?;
        refresh(Path::new(DOCUMENT), &tables)?;
        println!("refreshed {DOCUMENT}; raw figures: target/bench/*.json");
    }
    Ok(ExitCode::SUCCESS)
}

fn refresh(document: &Path, tables: &str) -> Result<()> {
    let text = std::fs::read_to_string(document)
        .with_context(|| format!("reading {}", document.display()))?;
    let text = splice(&text, &format!("{tables}\n{}\n", machine()))
        .with_context(|| document.display().to_string())?;
    std::fs::write(document, text).with_context(|| format!("writing {}", document.display()))
}

/// Replaces what lies between the two marks.
fn splice(text: &str, tables: &str) -> Result<String> {
    let start = text
        .find(BEGIN)
        .context("the line that begins the tables is missing")?
        + BEGIN.len();
    let end = text
        .find(END)
        .context("the line that ends the tables is missing")?;
    anyhow::ensure!(start <= end, "the tables end before they begin");
    Ok(format!(
        "{}\n\n{}\n\n{}",
        &text[..start],
        tables.trim(),
        &text[end..]
    ))
}

/// Processor and cores, without a date: the tables are ratios of one run.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .unwrap_or("unknown processor");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let model = model.trim_start_matches(['\t', ' ', ':']);
    format!(
        "Machine: {model}, {cores} cores, {} {}.",
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, END, splice};

    #[test]
    fn only_the_marked_part_changes() {
        let text = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        assert_eq!(
            splice(&text, "new").unwrap(),
            format!("before\n{BEGIN}\n\nnew\n\n{END}\nafter\n")
        );
        assert!(splice("no marks", "new").is_err());
        assert!(splice(&format!("{END}\n{BEGIN}"), "new").is_err());
    }
}
