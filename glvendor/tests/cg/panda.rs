//! Panda3D with a shader of Cg: its window must show the same image as on the driver alone.

use crate::panda_runs::{PandaRun, REFERENCE, RUNS, compare_images};
use crate::picture::ClientImage;
use crate::support::{self, Window};
use glasm_tests::cg;
use libtest_mimic::{Completion, Failed, Trial};
use std::process::Command;

/// Returns one test for each run except for the reference.
pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    RUNS.iter().map(|run| {
        let name = format!("panda3d::{}", run.name);
        Trial::ignorable_test(name, move || compare(run))
    })
}

fn compare(run: &PandaRun) -> Result<Completion, Failed> {
    if Command::new(cg::PYTHON).arg("--version").output().is_err() {
        let reason = format!("{} is not installed", cg::PYTHON);
        return Ok(Completion::ignored_with(reason));
    }
    let reference = draw_window(&REFERENCE, run.name)?;
    compare_images(&reference, &draw_window(run, run.name)?, 0)?;
    Ok(Completion::Completed)
}

/// Runs it for a test, and reads the image that it has drawn.
fn draw_window(run: &PandaRun, test: &str) -> Result<ClientImage, Failed> {
    let picture = support::test_output_path(&format!("panda3d-{test}-{}.pam", run.name));
    let _ = std::fs::remove_file(&picture);
    let mut command = Command::new(cg::PYTHON);
    support::set_vendor(&mut command, Window::Glx, run.vendor);
    run.add_arguments(&mut command, &picture);
    command.env("PYTHONPATH", cg::folder());
    let output = command.output().map_err(|error| error.to_string())?;
    Ok(run.read_image(&output, &picture)?)
}
