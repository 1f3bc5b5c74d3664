//! `cargo xtask bench`: runs the benchmarks of the test package and puts their tables into `docs/performance.md`.

use crate::{bench_draws, bench_scripts, installed};
use anyhow::{Context, Result};
use glasm_ci_support::{shell, vulkan};
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

/// What to measure.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Everything.
    #[default]
    All,
    /// Translation of programs.
    Translate,
    /// Large programs and scripts of repeated constructs.
    Shapes,
    /// Shaders beside the same in GLSL, on lavapipe.
    Pairs,
    /// Draws through the vendor library.
    Draws,
    /// Scripts on CPU drivers.
    Scripts,
}

/// The arguments of the command.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    pub(crate) effort: Effort,
    pub(crate) part: Part,
}

/// The document that holds the tables.
const DOCUMENT: &str = "docs/performance.md";

/// The tables of a part lie between these lines.
fn marks(part: &str) -> [String; 2] {
    ["begin", "end"].map(|word| format!("<!-- {word} {part}: written by `cargo xtask bench` -->"))
}

/// `cargo xtask bench`.
pub(crate) fn run(options: Options) -> Result<ExitCode> {
    let out = std::path::absolute(shell::below_target("bench"))?;
    shell::create_dir(&out)?;
    let full = options.effort == Effort::Full;
    let wanted = |part| options.part == Part::All || options.part == part;
    if wanted(Part::Translate) {
        translate(options.effort, &out)?;
        if full {
            refresh("translation", &written(&out, "tables.md")?)?;
        }
    }
    if wanted(Part::Shapes) {
        bench_target("shapes", Effort::Full, &out)?;
        if full {
            refresh("shapes", &written(&out, "shapes.md")?)?;
        }
    }
    if wanted(Part::Pairs) && pairs(options.effort, &out)? && full {
        refresh("pairs", &written(&out, "pairs.md")?)?;
    }
    if wanted(Part::Draws)
        && let Some(tables) = bench_draws::measure(options.effort, &out)?
    {
        match full {
            true => refresh("draws", &tables)?,
            false => println!("\n{tables}"),
        }
    }
    if wanted(Part::Scripts) {
        let tables = bench_scripts::measure(options.effort, &out)?;
        match full {
            true => refresh("scripts", &tables)?,
            false => println!("\n{tables}"),
        }
    }
    if full {
        println!(
            "refreshed {DOCUMENT}; raw figures: {}/*.json",
            out.display()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// What a benchmark has written.
fn written(out: &Path, name: &str) -> Result<String> {
    std::fs::read_to_string(out.join(name)).context("the benchmark wrote no tables")
}

fn quick_word(effort: Effort) -> Option<&'static str> {
    (effort == Effort::Quick).then_some("--quick")
}

/// Shaders beside the same in GLSL, on lavapipe. `Ok(false)`: something is missing, and a line says what.
fn pairs(effort: Effort, out: &Path) -> Result<bool> {
    let Some(driver) = vulkan::lavapipe() else {
        println!("skipped: lavapipe is not installed, so no shaders are timed (cargo xtask setup)");
        return Ok(false);
    };
    if !installed::has_program("glslangValidator") {
        println!(
            "skipped: glslangValidator is not installed, so no shaders are timed beside GLSL (cargo xtask setup)"
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

fn translate(effort: Effort, out: &Path) -> Result<()> {
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
    let text =
        splice(&text, &marks(part), &format!("{tables}\n{}\n", machine())).context(DOCUMENT)?;
    std::fs::write(DOCUMENT, text).with_context(|| format!("writing {DOCUMENT}"))
}

/// Replaces what is between two marks of a document. A missing mark is an error.
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
