//! Scripts through OpenGL as modules of glasm, which Mesa's driver for the CPU receives as SPIR-V:
//! the form that drivers of applications would receive.

use crate::suite;
use crate::{installed, reference};
use anyhow::Result;
use glasm_ci_support::report::SCRIPTS;
use glasm_ci_support::shell;
use glasm_ci_support::tally::Tally;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Known differences, with the reasons.
const EXPECTED: &str = "tests/opengl/expected-failures.txt";

/// Output directory of the report.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("gl-spirv"));

/// Driver.
const DRIVER: &str = "llvmpipe";

/// Fewer passing scripts would mean that the driver rejects programs that it accepted before.
const LEAST: u64 = 2500;

/// Runs the step of `cargo xtask test`. Scripts about features that OpenGL does not have, or about
/// errors, are ignored here.
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
