//! The parts of `cargo xtask bench` that run programs: scripts per second on the CPU drivers, time
//! per phase, and memory use of one process for ten thousand scripts; the cost of a draw through
//! the vendor library compared with the driver's own programs, and of the first use of a pair.

use crate::bench::BenchDuration;
use crate::{installed, reference, suite};
use anyhow::{Context, Result};
use glasm_ci_support::shell;
use glasm_ci_support::vulkan::{self, Driver};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Scripts in one process.
const MEMORY_SCRIPTS: &str = "10000";

/// Run of the benchmark.
struct Variant {
    /// In tables.
    title: &'static str,
    driver: Driver,
    /// Environment variables.
    environment: &'static [(&'static str, &'static str)],
    args: Vec<&'static str>,
    layer: bool,
}

/// Measures the speed of running scripts on each driver and, in full runs, the memory, and returns
/// the tables in Markdown.
pub(crate) fn measure_scripts(effort: BenchDuration, out: &Path) -> Result<String> {
    let mut speeds = Vec::new();
    for variant in speed_variants() {
        speeds.push((variant.title, run_variant(&variant, effort, out)?));
    }
    let mut memory = Vec::new();
    if effort == BenchDuration::Full {
        for (title, driver) in suite::find_cpu_drivers() {
            let Some(driver) = driver else { continue };
            let variant = Variant {
                title,
                driver,
                environment: &[],
                args: vec!["--memory", MEMORY_SCRIPTS],
                layer: false,
            };
            memory.push((title, run_variant(&variant, effort, out)?));
        }
    }
    Ok(format_script_tables(&speeds, &memory))
}

/// Returns the ways to run the suite whose speed is measured, for the drivers that are installed.
fn speed_variants() -> Vec<Variant> {
    let mut variants = Vec::new();
    let variant = |title, driver| Variant {
        title,
        driver,
        environment: &[],
        args: Vec::new(),
        layer: false,
    };
    if vulkan::find_lavapipe().is_none() {
        println!("lavapipe is not installed (cargo xtask setup)");
    }
    if let Some(driver) = vulkan::find_lavapipe() {
        variants.push(Variant {
            environment: &[("MESA_SHADER_CACHE_DISABLE", "true")],
            // It takes long, and one run suffices to measure the cost of its compiler.
            args: vec!["--quick"],
            ..variant("lavapipe, nothing in its cache", driver)
        });
    }
    variants.extend(vulkan::find_lavapipe().map(|driver| variant("lavapipe", driver)));
    if let Some(driver) = vulkan::find_lavapipe().filter(|_| vulkan::has_validation_layer()) {
        variants.push(Variant {
            args: vec!["--validation"],
            layer: true,
            ..variant("lavapipe, validation layer", driver)
        });
    }
    variants.extend(vulkan::find_swiftshader().map(|driver| variant("SwiftShader", driver)));
    variants
}

/// Runs the script benchmark with the driver and environment of a variant and returns its JSON
/// figures.
fn run_variant(variant: &Variant, effort: BenchDuration, out: &Path) -> Result<Value> {
    let mut command = shell::cargo();
    vulkan::use_driver(&mut command, &variant.driver);
    if variant.layer {
        vulkan::use_validation_layer(&mut command, vulkan::Layer::Newest)?;
    }
    command
        .envs(variant.environment.iter().copied())
        .env("GLASM_BENCH_OUT", out)
        // As the tests are built. Most of the time is the driver's anyway.
        .args(["bench", "--profile", "dev", "--package", "glasm-tests"])
        .args(["--bench", "scripts", "--", "figures"])
        .args(&variant.args);
    if effort == BenchDuration::Quick {
        command.arg("--quick");
    }
    shell::run_checked(&mut command)?;
    let path = out.join("scripts-figures.json");
    let text = std::fs::read_to_string(&path).context("the benchmark wrote no figures")?;
    Ok(serde_json::from_str(&text)?)
}

/// Formats the tables of speed and memory in Markdown, with a line for each variant.
fn format_script_tables(speeds: &[(&str, Value)], memory: &[(&str, Value)]) -> String {
    let mut text = String::from("### Scripts\n\n");
    let first = speeds.first().map_or(&Value::Null, |(_, figures)| figures);
    let names: Vec<&str> = phase_names(first);
    let _ = writeln!(
        text,
        "| device | scripts | seconds | scripts per second | {} |\n|---|--:|--:|--:|{}",
        names.join(" | "),
        "--:|".repeat(names.len())
    );
    for (title, figures) in speeds {
        let (count, seconds) = (as_float(&figures["count"]), as_float(&figures["seconds"]));
        let _ = write!(
            text,
            "| {title} | {count} | {seconds:.1} | {:.0} |",
            count / seconds
        );
        for name in &names {
            let each = as_float(&figures["phases"][*name]) / count;
            let _ = write!(text, " {each:.2} |");
        }
        text.push('\n');
    }
    if !memory.is_empty() {
        text.push_str("\n### Memory of one process\n\n");
        text.push_str("| device | MB after 1,000 scripts | after 5,000 | after 10,000 | KB for each script |\n|---|--:|--:|--:|--:|\n");
    }
    for (title, figures) in memory {
        let at = |index: usize| as_float(&figures["resident"][index]);
        let _ = writeln!(
            text,
            "| {title} | {:.1} | {:.1} | {:.1} | {:.2} |",
            at(0) / 1e6,
            at(4) / 1e6,
            at(9) / 1e6,
            (at(9) - at(0)) / 9000.0 / 1e3
        );
    }
    text
}

/// Returns the names of the phases that took time, in descending order of time.
fn phase_names(figures: &Value) -> Vec<&str> {
    let phases = figures["phases"].as_object();
    let mut phases: Vec<(&str, f64)> = phases
        .into_iter()
        .flatten()
        .map(|(name, time)| (name.as_str(), as_float(time)))
        .filter(|(_, time)| *time > 0.0)
        .collect();
    phases.sort_by(|a, b| b.1.total_cmp(&a.1));
    phases.into_iter().map(|(name, _)| name).collect()
}

/// Returns a JSON value as a number; NaN if it is not one.
fn as_float(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// Application.
const SOURCE: &str = "glvendor/benches/draws.c";

/// Languages of the programs, true if the vendor library is used, and the name in the table.
const VARIANTS: [(&str, bool, &str); 3] = [
    ("arb", false, "ARB programs, the driver's own assembler"),
    (
        "arb",
        true,
        "the same, with the vendor library before the driver",
    ),
    ("nv", true, "NV_gpu_program4, through glasm"),
];

/// Measures, and returns the tables in Markdown; `None` if a requirement is missing, which a
/// message names.
pub(crate) fn measure_draws(effort: BenchDuration, out: &Path) -> Result<Option<String>> {
    let missing = match (installed::has_opengl(), shell::find_program("cc")) {
        (false, _) => Some("EGL or Mesa's OpenGL"),
        (true, None) => Some("a C compiler"),
        (true, Some(_)) => None,
    };
    if let Some(missing) = missing {
        println!("skipped: {missing} is not installed, so no draws are timed (cargo xtask setup)");
        return Ok(None);
    }
    let application = out.join("draws");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-O2", SOURCE, "-o"])
        .arg(&application)
        .args(["-lEGL", "-lGL"]);
    shell::run_checked(&mut compiler)?;
    shell::run_checked(shell::cargo().args(["build", "--release", "--package", "glasm-glvendor"]))?;
    let icd = write_icd(out)?;
    let (rounds, draws) = match effort {
        BenchDuration::Full => (9, "100000"),
        BenchDuration::Quick => (3, "20000"),
    };
    // Variants are measured in turn, repeatedly: other load of the machine affects all of them.
    let mut times = [const { Vec::new() }; VARIANTS.len()];
    let mut pair = None;
    for _ in 0..rounds {
        for ((language, through, _), times) in VARIANTS.into_iter().zip(&mut times) {
            let mut command = Command::new(&application);
            command.args([language, draws]).env("XDG_RUNTIME_DIR", out);
            if through {
                command.env("__EGL_VENDOR_LIBRARY_FILENAMES", &icd);
            }
            let (time, log) = time_draws(&mut command)?;
            times.push(time);
            pair = parse_first_use(&log).or(pair);
        }
    }
    Ok(Some(format_draw_tables(&times.map(median), pair)))
}

/// Runs the application on llvmpipe. Returns the time that it prints, and the messages of the
/// vendor library.
fn time_draws(application: &mut Command) -> Result<(f64, String)> {
    reference::use_gallium(application, "llvmpipe");
    let output = application.env("GLASM_LOG", "info").output();
    let output = output.context("draws")?;
    let [printed, log] =
        [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it).into_owned());
    anyhow::ensure!(output.status.success(), "draws: {log}");
    Ok((printed.trim().parse().context("draws")?, log))
}

/// Writes the JSON manifest by which libEGL finds the release build of the vendor library, and
/// returns its path.
fn write_icd(out: &Path) -> Result<std::path::PathBuf> {
    let library = std::env::current_dir()?
        .join(shell::target_dir())
        .join("release/libglasm_glvendor.so");
    let text = serde_json::json!({
        "file_format_version": "1.0.0",
        "ICD": { "library_path": library },
    });
    let path = out.join("glasm.json");
    std::fs::write(&path, text.to_string()).with_context(|| path.display().to_string())?;
    Ok(path)
}

/// Returns the microseconds of the library and of the driver for a pair, from the messages of the
/// library.
fn parse_first_use(log: &str) -> Option<(u64, u64)> {
    let line = log.lines().find(|line| line.contains("pipeline"))?;
    let mut numbers = line.rsplit(", ").map(|part| {
        let digits: String = part.chars().filter(char::is_ascii_digit).collect();
        digits.parse::<u64>()
    });
    let driver = numbers.next()?.ok()?;
    Some((numbers.next()?.ok()?, driver))
}

/// Returns the median of times: the upper one of the middle two of an even number. Panics if there
/// are none.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Formats the times of draws, in nanoseconds, and of the first use of a pair (of the library and
/// the driver, in microseconds) as Markdown.
fn format_draw_tables(times: &[f64; VARIANTS.len()], pair: Option<(u64, u64)>) -> String {
    let mut text = String::from(
        "### Draws with one changed parameter each, llvmpipe\n\n| programs | processor time, ns | ratio |\n|---|--:|--:|\n",
    );
    for ((.., title), time) in VARIANTS.iter().zip(times) {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "| {title} | {time:.0} | {:.2} |", time / times[0]);
    }
    if let Some((ours, driver)) = pair {
        let _ = writeln!(
            text,
            "\nThe first draw of the pair: {ours} us in the library, {driver} us in the driver."
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{format_draw_tables, format_script_tables, median, parse_first_use};
    use serde_json::json;

    #[test]
    fn figures_become_rows() {
        let speed = json!({ "count": 500, "seconds": 2.5, "phases": { "parse": 50.0, "device": 1000.0, "open": 0.0 } });
        let resident: Vec<f64> = (1..=10).map(|step| 100e6 + f64::from(step) * 1e6).collect();
        let memory = json!({ "resident": resident });
        let text = format_script_tables(&[("cpu", speed)], &[("cpu", memory)]);
        assert!(
            text.contains("| scripts per second | device | parse |\n"),
            "{text}"
        );
        assert!(
            text.contains("| cpu | 500 | 2.5 | 200 | 2.00 | 0.10 |\n"),
            "{text}"
        );
        assert!(
            text.contains("| cpu | 101.0 | 105.0 | 110.0 | 1.00 |\n"),
            "{text}"
        );
        assert!(!format_script_tables(&[], &[]).contains("Memory"));
    }

    #[test]
    fn the_log_tells_both_times() {
        let log = "glasm: program 1: 78 bytes\nglasm: pipeline [1, 0, 0, 0, 2]: program object 3, 85 us, the driver 2310 us\n";
        assert_eq!(parse_first_use(log), Some((85, 2310)));
        assert_eq!(parse_first_use("glasm: program 1: 78 bytes\n"), None);
    }

    #[test]
    fn medians_and_ratios() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        let text = format_draw_tables(&[1000.0, 1010.0, 900.0], Some((85, 2310)));
        assert!(
            text.contains("| 900 | 0.90 |") && text.contains("85 us in the library"),
            "{text}"
        );
    }
}
