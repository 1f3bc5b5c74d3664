//! `cargo xtask bench`: runs the benchmarks of the test package and writes their tables to
//! `docs/performance.md`.

use crate::{bench_runs, installed};
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
pub(crate) enum BenchDuration {
    /// Long enough for stable figures.
    Full,
    /// Short measurements, which detect large changes.
    Quick,
}

/// What to measure; the help text describes each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum BenchPart {
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
    only: Option<BenchPart>,
}

/// Document with the tables.
const DOCUMENT: &str = "docs/performance.md";

/// Returns the comments in the document that enclose the tables of a part.
fn section_marks(part: &str) -> [String; 2] {
    ["begin", "end"].map(|word| format!("<!-- {word} {part}: written by `cargo xtask bench` -->"))
}

/// Runs `cargo xtask bench`: measures the selected parts, and writes their tables to the document
/// after a full run.
pub(crate) fn run_command(options: &Options) -> Result<ExitCode> {
    let out = std::path::absolute(shell::below_target("bench"))?;
    shell::create_dir(&out)?;
    let effort = if options.quick {
        BenchDuration::Quick
    } else {
        BenchDuration::Full
    };
    let full = effort == BenchDuration::Full;
    let wanted = |part| options.only.is_none_or(|only| only == part);
    if wanted(BenchPart::Translate) {
        bench_translation(effort, &out)?;
        if full {
            refresh_document("translation", &read_tables(&out, "tables.md")?)?;
        }
    }
    if wanted(BenchPart::Shapes) {
        bench_target("shapes", BenchDuration::Full, &out)?;
        if full {
            refresh_document("shapes", &read_tables(&out, "shapes.md")?)?;
        }
    }
    if wanted(BenchPart::Pairs) && bench_pairs(effort, &out)? && full {
        refresh_document("pairs", &read_tables(&out, "pairs.md")?)?;
    }
    let show = |part: &str, tables: &str| match effort {
        BenchDuration::Full => refresh_document(part, tables),
        BenchDuration::Quick => {
            println!("\n{tables}");
            Ok(())
        }
    };
    if wanted(BenchPart::Draws)
        && let Some(tables) = bench_runs::measure_draws(effort, &out)?
    {
        show("draws", &tables)?;
    }
    if wanted(BenchPart::Scripts) {
        show("scripts", &bench_runs::measure_scripts(effort, &out)?)?;
    }
    if full {
        println!(
            "refreshed {DOCUMENT}; raw figures: {}/*.json",
            out.display()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the Markdown tables that a benchmark has written to `out`.
fn read_tables(out: &Path, name: &str) -> Result<String> {
    std::fs::read_to_string(out.join(name)).context("the benchmark wrote no tables")
}

/// Returns the argument of the benchmark programs for a quick run; `None` for a full one.
fn quick_word(effort: BenchDuration) -> Option<&'static str> {
    (effort == BenchDuration::Quick).then_some("--quick")
}

/// Compares shaders with equivalent ones in GLSL, on lavapipe. `Ok(false)`: a requirement is
/// missing, which a message describes.
fn bench_pairs(effort: BenchDuration, out: &Path) -> Result<bool> {
    let Some(driver) = vulkan::find_lavapipe() else {
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
    shell::run_checked(&mut command)?;
    Ok(true)
}

/// Runs the benchmarks of translation: allocations, then times.
fn bench_translation(effort: BenchDuration, out: &Path) -> Result<()> {
    // Heap first: the timing run prints the tables of both.
    for target in ["heap", "translate"] {
        bench_target(target, effort, out)?;
    }
    Ok(())
}

/// Runs one benchmark program of the test package, which writes its results to `out`.
fn bench_target(target: &str, effort: BenchDuration, out: &Path) -> Result<()> {
    let mut command = shell::cargo();
    command.args(["bench", "--package", "glasm-tests", "--bench", target, "--"]);
    shell::run_checked(command.args(quick_word(effort)).env("GLASM_BENCH_OUT", out))
}

/// Replaces the tables of a part of the document, and the description of the machine below them.
fn refresh_document(part: &str, tables: &str) -> Result<()> {
    let text = std::fs::read_to_string(DOCUMENT).with_context(|| format!("reading {DOCUMENT}"))?;
    let text = replace_between_marks(
        &text,
        &section_marks(part),
        &format!("{tables}\n{}\n", describe_machine()),
    )
    .context(DOCUMENT)?;
    std::fs::write(DOCUMENT, text).with_context(|| format!("writing {DOCUMENT}"))
}

/// Replaces the content between two marks of a document. A missing mark is an error.
pub(crate) fn replace_between_marks(
    text: &str,
    marks: &[impl AsRef<str>; 2],
    tables: &str,
) -> Result<String> {
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
    use super::{replace_between_marks, section_marks};

    #[test]
    fn only_the_marked_part_changes() {
        let [begin, end] = section_marks("a");
        let [other_begin, other_end] = section_marks("b");
        let text = format!("before\n{begin}\nold\n{end}\nafter\n{other_begin}\nx\n{other_end}\n");
        let expected =
            format!("before\n{begin}\n\nnew\n\n{end}\nafter\n{other_begin}\nx\n{other_end}\n");
        assert_eq!(
            replace_between_marks(&text, &section_marks("a"), "new").unwrap(),
            expected
        );
        assert!(replace_between_marks("no marks", &section_marks("a"), "new").is_err());
        assert!(
            replace_between_marks(&format!("{end}\n{begin}"), &section_marks("a"), "new").is_err()
        );
    }
}
