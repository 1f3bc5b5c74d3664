//! The part of `cargo xtask bench` that runs scripts: scripts per second on the CPU drivers, time
//! per phase, and memory use of one process for ten thousand scripts.

use crate::bench::Effort;
use crate::suite;
use anyhow::{Context, Result};
use glasm_ci_support::shell;
use glasm_ci_support::vulkan::{self, Driver};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

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

/// Measures, and returns the tables in Markdown.
pub(crate) fn measure(effort: Effort, out: &Path) -> Result<String> {
    let mut speeds = Vec::new();
    for variant in speed_variants() {
        speeds.push((variant.title, run(&variant, effort, out)?));
    }
    let mut memory = Vec::new();
    if effort == Effort::Full {
        for (title, driver) in suite::drivers() {
            let Some(driver) = driver else { continue };
            let variant = Variant {
                title,
                driver,
                environment: &[],
                args: vec!["--memory", MEMORY_SCRIPTS],
                layer: false,
            };
            memory.push((title, run(&variant, effort, out)?));
        }
    }
    Ok(tables(&speeds, &memory))
}

fn speed_variants() -> Vec<Variant> {
    let mut variants = Vec::new();
    let variant = |title, driver| Variant {
        title,
        driver,
        environment: &[],
        args: Vec::new(),
        layer: false,
    };
    if vulkan::lavapipe().is_none() {
        println!("lavapipe is not installed (cargo xtask setup)");
    }
    if let Some(driver) = vulkan::lavapipe() {
        variants.push(Variant {
            environment: &[("MESA_SHADER_CACHE_DISABLE", "true")],
            // It takes long, and one run suffices to measure the cost of its compiler.
            args: vec!["--quick"],
            ..variant("lavapipe, nothing in its cache", driver)
        });
    }
    variants.extend(vulkan::lavapipe().map(|driver| variant("lavapipe", driver)));
    if let Some(driver) = vulkan::lavapipe().filter(|_| vulkan::validation_layer_present()) {
        variants.push(Variant {
            args: vec!["--validation"],
            layer: true,
            ..variant("lavapipe, validation layer", driver)
        });
    }
    variants.extend(vulkan::swiftshader().map(|driver| variant("SwiftShader", driver)));
    variants
}

/// Runs the benchmark and reads its figures.
fn run(variant: &Variant, effort: Effort, out: &Path) -> Result<Value> {
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
    if effort == Effort::Quick {
        command.arg("--quick");
    }
    shell::run(&mut command)?;
    let path = out.join("scripts-figures.json");
    let text = std::fs::read_to_string(&path).context("the benchmark wrote no figures")?;
    Ok(serde_json::from_str(&text)?)
}

/// Returns both tables.
fn tables(speeds: &[(&str, Value)], memory: &[(&str, Value)]) -> String {
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
        let (count, seconds) = (number(&figures["count"]), number(&figures["seconds"]));
        let _ = write!(
            text,
            "| {title} | {count} | {seconds:.1} | {:.0} |",
            count / seconds
        );
        for name in &names {
            let each = number(&figures["phases"][*name]) / count;
            let _ = write!(text, " {each:.2} |");
        }
        text.push('\n');
    }
    if !memory.is_empty() {
        text.push_str("\n### Memory of one process\n\n");
        text.push_str("| device | MB after 1,000 scripts | after 5,000 | after 10,000 | KB for each script |\n|---|--:|--:|--:|--:|\n");
    }
    for (title, figures) in memory {
        let at = |index: usize| number(&figures["resident"][index]);
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

/// Returns the phases, in descending order of time.
fn phase_names(figures: &Value) -> Vec<&str> {
    let phases = figures["phases"].as_object();
    let mut phases: Vec<(&str, f64)> = phases
        .into_iter()
        .flatten()
        .map(|(name, time)| (name.as_str(), number(time)))
        .filter(|(_, time)| *time > 0.0)
        .collect();
    phases.sort_by(|a, b| b.1.total_cmp(&a.1));
    phases.into_iter().map(|(name, _)| name).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::tables;
    use serde_json::json;

    #[test]
    fn figures_become_rows() {
        let speed = json!({ "count": 500, "seconds": 2.5, "phases": { "parse": 50.0, "device": 1000.0, "open": 0.0 } });
        let resident: Vec<f64> = (1..=10).map(|step| 100e6 + f64::from(step) * 1e6).collect();
        let memory = json!({ "resident": resident });
        let text = tables(&[("cpu", speed)], &[("cpu", memory)]);
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
        assert!(!tables(&[], &[]).contains("Memory"));
    }
}
