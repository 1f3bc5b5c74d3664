//! The same scripts with Mesa's OpenGL drivers for the CPU, which have an assembler of their own, compared with what lavapipe makes of
//! glasm's modules. `docs/comparing.md` tells how results are compared.

use crate::suite::{self, Outcome};
use crate::tally::Tally;
use crate::vulkan::{self, Driver};
use crate::{opengl, shell};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Mesa's drivers, by the names that choose them; the document tells of the first.
const DRIVERS: [&str; 2] = ["llvmpipe", "softpipe"];

/// What runs.
const SCRIPTS: &str = "tests/cases/run";

/// Differences that are decided.
const KNOWN: &str = "tests/reference/known-differences.toml";

/// The document about the comparison.
const DOCUMENT: &str = "docs/reference.md";

/// `cargo xtask reference`: compares with the first driver and writes the document.
pub(crate) fn run() -> Result<ExitCode> {
    let lavapipe = vulkan::lavapipe().context("lavapipe is not installed (cargo xtask setup)")?;
    shell::run(shell::cargo().args(["build", "--package", "glasm-cli"]))?;
    let tally = compare(DRIVERS[0], &lavapipe, Some(Path::new(DOCUMENT)))?;
    println!("wrote {DOCUMENT}");
    Ok(match tally.failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    })
}

/// The step of `cargo xtask test`.
pub(crate) fn test() -> Result<Tally> {
    let Some(lavapipe) = vulkan::lavapipe() else {
        println!("lavapipe is not installed: nothing is compared");
        return Ok(Tally::skip());
    };
    if !opengl::egl_present() || !opengl::mesa_present() {
        println!("EGL or Mesa's OpenGL drivers are not installed: nothing is compared");
        return Ok(Tally::skip());
    }
    let mut tally = Tally::default();
    for driver in DRIVERS {
        tally += compare(driver, &lavapipe, None)?;
    }
    Ok(tally)
}

/// Compares all scripts. What the driver cannot run does not count as skipped: no OpenGL driver for the CPU knows the newer languages.
fn compare(opengl: &str, lavapipe: &Driver, document: Option<&Path>) -> Result<Tally> {
    let folder = PathBuf::from(suite::OUT).join("reference");
    std::fs::create_dir_all(&folder)?;
    let report = folder.join(format!("{opengl}.json"));
    let mut command = suite::glasm()?;
    vulkan::use_driver(&mut command, lavapipe);
    command
        .env("LIBGL_ALWAYS_SOFTWARE", "true")
        .env("GALLIUM_DRIVER", opengl)
        .args(["run", SCRIPTS, "--known", KNOWN, "--validation", "off"])
        .args(["--compare", &format!("gl:{opengl},vulkan")])
        .arg("--json")
        .arg(&report);
    if let Some(document) = document {
        command.arg("--report").arg(document);
    }
    println!("$ {}", shell::display(&command));
    let output = shell::capture(&mut command)?;
    print!("{}", String::from_utf8_lossy(&output.stderr));
    // The table and the counts; lines about scripts that differ come from the report.
    let text = String::from_utf8_lossy(&output.stdout);
    let is_of_table = |line: &&str| !line.starts_with([' ', 'S', 'N', 'D', 'K', 'F']);
    let table: Vec<&str> = text.lines().filter(is_of_table).collect();
    println!("{}", table.join("\n"));
    let results = suite::read_report(&report)
        .with_context(|| format!("glasm run with {opengl} ended with {}", output.status))?;
    let mut tally = Tally::default();
    for result in &results {
        match result.outcome {
            Outcome::Pass => tally.passed += 1,
            Outcome::Fail => {
                println!("DIFF {}\n{}", result.script, result.failures.join("\n"));
                tally.failed += 1;
            }
            Outcome::Skip => {}
        }
    }
    if !output.status.success() && tally.failed == 0 {
        tally.failed = 1;
    }
    Ok(tally)
}
