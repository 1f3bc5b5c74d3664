//! `cargo xtask bench`: runs the benchmarks of the test package and writes their tables to
//! `docs/performance.md`.

use crate::{bench_draws, bench_scripts, installed};
use anyhow::{Context, Result};
use glasm_ci_support::{shell, vulkan};
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
Refreshes the tables of docs/performance.md. Without --only it measures:

  translate  the time from program text to SPIR-V on generated shaders, next to naga on the same
             shaders in GLSL, the instructions retired for it, which valgrind counts, the peak heap
             and the allocations
  shapes     the time that one megabyte of each repeated or nested construct takes
  pairs      the time that lavapipe takes for shaders, next to the same arithmetic in GLSL
  draws      the time of draws through the vendor library, next to programs of the driver itself,
             and of the first use of a pair of programs
  scripts    how many scripts run in a second on the CPU drivers, where the time goes, the cost of
             the validation layer, and the memory of a process that runs ten thousand";

/// Duration of the measurements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// Long enough for stable figures.
    Full,
    /// Short measurements, which detect large changes.
    Quick,
}

/// What to measure; the help text describes each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Part {
    Translate,
    Shapes,
    Pairs,
    Draws,
    Scripts,
}

/// `cargo xtask bench`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Options {
    /// Measure shortly and print only; docs/performance.md stays as it is
    #[arg(long)]
    quick: bool,
    /// Measure only this part
    #[arg(long, value_name = "PART")]
    only: Option<Part>,
}

/// Document with the tables.
const DOCUMENT: &str = "docs/performance.md";

/// Returns the lines before and after the tables of a part.
fn marks(part: &str) -> [String; 2] {
    ["begin", "end"].map(|word| format!("<!-- {word} {part}: written by `cargo xtask bench` -->"))
}

/// Runs `cargo xtask bench`.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let out = std::path::absolute(shell::below_target("bench"))?;
    shell::create_dir(&out)?;
    let effort = if options.quick {
        Effort::Quick
    } else {
        Effort::Full
    };
    let full = effort == Effort::Full;
    let wanted = |part| options.only.is_none_or(|only| only == part);
    if wanted(Part::Translate) {
        bench_translation(effort, &out)?;
        if full {
            refresh("translation", &read_tables(&out, "tables.md")?)?;
        }
    }
    if wanted(Part::Shapes) {
        bench_target("shapes", Effort::Full, &out)?;
        if full {
            refresh("shapes", &read_tables(&out, "shapes.md")?)?;
        }
    }
    if wanted(Part::Pairs) && bench_pairs(effort, &out)? && full {
        refresh("pairs", &read_tables(&out, "pairs.md")?)?;
    }
    let show = |part: &str, tables: &str| match effort {
        Effort::Full => refresh(part, tables),
        Effort::Quick => {
            println!("\n{tables}");
            Ok(())
        }
    };
    if wanted(Part::Draws)
        && let Some(tables) = bench_draws::measure(effort, &out)?
    {
        show("draws", &tables)?;
    }
    if wanted(Part::Scripts) {
        show("scripts", &bench_scripts::measure(effort, &out)?)?;
    }
    if full {
        println!(
            "refreshed {DOCUMENT}; raw figures: {}/*.json",
            out.display()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the tables that a benchmark has written.
fn read_tables(out: &Path, name: &str) -> Result<String> {
    std::fs::read_to_string(out.join(name)).context("the benchmark wrote no tables")
}

fn quick_word(effort: Effort) -> Option<&'static str> {
    (effort == Effort::Quick).then_some("--quick")
}

/// Compares shaders with equivalent ones in GLSL, on lavapipe. `Ok(false)`: a requirement is
/// missing, which a message describes.
fn bench_pairs(effort: Effort, out: &Path) -> Result<bool> {
    let Some(driver) = vulkan::lavapipe() else {
        println!("skipped: lavapipe is not installed, so no shaders are timed (cargo xtask setup)");
        return Ok(false);
    };
    if !installed::has_program("glslangValidator") {
        println!(
            "skipped: glslangValidator is not installed, so no shaders are compared with GLSL (cargo xtask setup)"
        );
        return Ok(false);
    }
    let mut command = shell::cargo();
    vulkan::use_driver(&mut command, &driver);
    command
        .env("GLASM_BENCH_OUT", out)
        // Only the driver's work is timed.
        .args(["bench", "--profile", "dev", "--package", "glasm-tests"])
        .args(["--bench", "pairs", "--"])
        .args(quick_word(effort));
    shell::run(&mut command)?;
    Ok(true)
}

fn bench_translation(effort: Effort, out: &Path) -> Result<()> {
    // Heap first: the timing run prints the tables of both.
    for target in ["heap", "translate"] {
        bench_target(target, effort, out)?;
    }
    Ok(())
}

/// Runs a benchmark of the test package, built with optimization.
fn bench_target(target: &str, effort: Effort, out: &Path) -> Result<()> {
    let mut command = shell::cargo();
    command.args(["bench", "--package", "glasm-tests", "--bench", target, "--"]);
    shell::run(command.args(quick_word(effort)).env("GLASM_BENCH_OUT", out))
}

fn refresh(part: &str, tables: &str) -> Result<()> {
    let text = std::fs::read_to_string(DOCUMENT).with_context(|| format!("reading {DOCUMENT}"))?;
    let text = splice(
        &text,
        &marks(part),
        &format!("{tables}\n{}\n", describe_machine()),
    )
    .context(DOCUMENT)?;
    std::fs::write(DOCUMENT, text).with_context(|| format!("writing {DOCUMENT}"))
}

/// Replaces the content between two marks of a document. A missing mark is an error.
pub(crate) fn splice(text: &str, marks: &[impl AsRef<str>; 2], tables: &str) -> Result<String> {
    let [begin, end] = marks.each_ref().map(AsRef::as_ref);
    let start = text
        .find(begin)
        .context("the line that begins the tables is missing")?
        + begin.len();
    let end = text
        .find(end)
        .context("the line that ends the tables is missing")?;
    anyhow::ensure!(start <= end, "the tables end before they begin");
    Ok(format!(
        "{}\n\n{}\n\n{}",
        &text[..start],
        tables.trim(),
        &text[end..]
    ))
}

/// Returns processor and cores, without a date: the tables are ratios of one run.
fn describe_machine() -> String {
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
    use super::{marks, splice};

    #[test]
    fn only_the_marked_part_changes() {
        let [begin, end] = marks("a");
        let [other_begin, other_end] = marks("b");
        let text = format!("before\n{begin}\nold\n{end}\nafter\n{other_begin}\nx\n{other_end}\n");
        let expected =
            format!("before\n{begin}\n\nnew\n\n{end}\nafter\n{other_begin}\nx\n{other_end}\n");
        assert_eq!(splice(&text, &marks("a"), "new").unwrap(), expected);
        assert!(splice("no marks", &marks("a"), "new").is_err());
        assert!(splice(&format!("{end}\n{begin}"), &marks("a"), "new").is_err());
    }
}
