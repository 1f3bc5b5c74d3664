//! NVIDIA's Cg runtime and Panda3D as applications of the vendor library: the test target `cg` of the vendor library.

use crate::installed;
use crate::test_run::test_run;
use anyhow::Result;
use glasm_ci_support::shell;
use glasm_ci_support::tally::Tally;

/// Keeps the test target empty in the step that runs all others.
pub(crate) const OFF: (&str, &str) = ("GLASM_TEST_CG", "off");

/// What is not installed.
fn missing() -> Option<&'static str> {
    let needs = [
        ("the Cg runtime", glasm_tests::cg::libraries().is_some()),
        ("Xvfb", installed::has_program("xvfb-run")),
        ("Mesa's GLX", installed::has_glx()),
    ];
    let missing = needs.into_iter().find(|(_, is_there)| !is_there);
    missing.map(|(what, _)| what)
}

/// The step of `cargo xtask test`.
pub(crate) fn test() -> Result<Tally> {
    if let Some(what) = missing() {
        println!("{what} is not installed: skipped");
        return Ok(Tally::skip());
    }
    let mut command = shell::cargo();
    command.args(["test", "--package", "glasm-glvendor", "--test", "cg"]);
    test_run(command.args(["--", "--quiet"]))
}
