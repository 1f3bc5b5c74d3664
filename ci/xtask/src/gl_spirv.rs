//! Scripts through OpenGL as modules of glasm, which Mesa's driver for the CPU takes as SPIR-V:
//! what drivers of applications would be given.

use crate::suite;
use crate::{installed, reference};
use anyhow::Result;
use glasm_ci_support::report::SCRIPTS;
use glasm_ci_support::shell;
use glasm_ci_support::tally::Tally;
use std::path::PathBuf;
use std::sync::LazyLock;

/// What is known to differ, with the reasons.
const EXPECTED: &str = "tests/opengl/expected-failures.txt";

/// Where the report goes.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("gl-spirv"));

/// The driver.
const DRIVER: &str = "llvmpipe";

/// Fewer would mean that the driver refuses what it took before.
const LEAST: u64 = 2500;

/// Runs the step of `cargo xtask test`. Scripts about what OpenGL has not got, or about errors, are
/// no checks here.
pub(crate) fn test() -> Result<Tally> {
    installed::require_opengl()?;
    shell::create_dir(&OUT)?;
    let report = OUT.join("report.json");
    let mut command = suite::glasm()?;
    reference::use_gallium(&mut command, DRIVER);
    command.arg("run").args(SCRIPTS);
    command.args(["--api", "gl", "--through", "spirv", "--device", DRIVER]);
    command.args(["--expected-failures", EXPECTED]);
    command.arg("--json").arg(&report);
    let (tally, results) = suite::run_reported(command, &report, DRIVER)?;
    println!("{DRIVER}: {tally}\n");
    if results
        .iter()
        .any(|result| result.reason == "the driver lacks GL_ARB_gl_spirv")
    {
        return Ok(Tally::skip());
    }
    Ok(tally.with_least(LEAST, "scripts").without_skipped())
}
