//! The part of `cargo xtask bench` that draws through the vendor library: the cost of a draw
//! compared with the driver's own programs, and the cost of the first use of a pair.

use crate::bench::Effort;
use crate::{installed, reference};
use anyhow::{Context, Result};
use glasm_ci_support::shell;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

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
pub(crate) fn measure(effort: Effort, out: &Path) -> Result<Option<String>> {
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
    shell::run(&mut compiler)?;
    shell::run(shell::cargo().args(["build", "--release", "--package", "glasm-glvendor"]))?;
    let icd = write_icd(out)?;
    let (rounds, draws) = match effort {
        Effort::Full => (9, "100000"),
        Effort::Quick => (3, "20000"),
    };
    // Variants are measured in turn, repeatedly: other load of the machine affects all of them.
    let mut times = [const { Vec::new() }; VARIANTS.len()];
    let mut pair = None;
    for _ in 0..rounds {
        for ((language, through, _), times) in VARIANTS.into_iter().zip(&mut times) {
            let mut command = Command::new(&application);
            reference::use_gallium(&mut command, "llvmpipe");
            command
                .args([language, draws])
                .env("XDG_RUNTIME_DIR", out)
                .env("GLASM_LOG", "info");
            if through {
                command.env("__EGL_VENDOR_LIBRARY_FILENAMES", &icd);
            }
            let output = command.output().context("draws")?;
            anyhow::ensure!(
                output.status.success(),
                "draws: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            times.push(
                String::from_utf8_lossy(&output.stdout)
                    .trim()
                    .parse::<f64>()
                    .context("draws")?,
            );
            pair = parse_first_use(&String::from_utf8_lossy(&output.stderr)).or(pair);
        }
    }
    Ok(Some(tables(&times.map(median), pair)))
}

/// Writes the file that names the library to libEGL.
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

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn tables(times: &[f64; VARIANTS.len()], pair: Option<(u64, u64)>) -> String {
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
    use super::*;

    #[test]
    fn the_log_tells_both_times() {
        let log = "glasm: program 1: 78 bytes\nglasm: pipeline [1, 0, 0, 0, 2]: program object 3, 85 us, the driver 2310 us\n";
        assert_eq!(parse_first_use(log), Some((85, 2310)));
        assert_eq!(parse_first_use("glasm: program 1: 78 bytes\n"), None);
    }

    #[test]
    fn medians_and_ratios() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        let text = tables(&[1000.0, 1010.0, 900.0], Some((85, 2310)));
        assert!(
            text.contains("| 900 | 0.90 |") && text.contains("85 us in the library"),
            "{text}"
        );
    }
}
