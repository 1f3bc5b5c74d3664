//! NVIDIA's Cg runtime and Panda3D as applications of the vendor library: the test target `cg` of the vendor library.

use crate::tally::Tally;
use crate::test_run::test_run;
use crate::{opengl, shell};
use anyhow::Result;

/// Keeps the test target empty in the step that runs all others.
pub(crate) const OFF: (&str, &str) = ("GLASM_TEST_CG", "off");

/// What is not installed.
fn missing() -> Option<&'static str> {
    let needs = [
        ("the Cg runtime", glasm_tests::cg::libraries().is_some()),
        ("Xvfb", shell::find_program("xvfb-run").is_some()),
        (
            "Mesa's GLX",
            opengl::glx_present() && opengl::mesa_present(),
        ),
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
