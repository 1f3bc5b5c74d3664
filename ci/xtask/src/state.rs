//! Scripts whose GL state programs read when they run, from specialization constants and from a uniform block: pictures must be those of
//! programs that have it compiled in.

use crate::suite;
use anyhow::{Context as _, Result};
use glasm_ci_support::report::SCRIPTS;
use glasm_ci_support::tally::Tally;
use glasm_ci_support::{shell, vulkan};
use std::path::{Path, PathBuf};

/// The forms, as the command line has them.
const FORMS: [&str; 2] = ["specialized", "uniform"];

/// Lines that set state which programs may read.
const STATES: [&str; 9] = [
    "fixed alpha_test",
    "fixed clamped_",
    "fixed clip_plane",
    "fixed flat_colors",
    "fixed line_stipple",
    "fixed point_",
    "fixed polygon_stipple",
    "fixed two_sided_color",
    "texparameter",
];

/// Runs them on every driver.
pub(crate) fn test() -> Result<Tally> {
    let scripts = stateful()?;
    anyhow::ensure!(!scripts.is_empty(), "no script sets state");
    let mut tally = Tally::default();
    for (name, driver) in suite::drivers() {
        let Some(driver) = driver else {
            println!("{name} is not installed: skipped");
            tally += Tally::skip();
            continue;
        };
        for form in FORMS {
            tally += run(&driver, form, &scripts)?;
        }
    }
    Ok(tally)
}

/// The scripts that set state.
fn stateful() -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in SCRIPTS {
        for path in shell::files_below(Path::new(folder), "shader_test")? {
            let text = std::fs::read(&path).with_context(|| path.display().to_string())?;
            let text = String::from_utf8_lossy(&text);
            let sets = |line: &str| STATES.iter().any(|state| line.starts_with(state));
            if text.lines().any(sets) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

fn run(driver: &vulkan::Driver, form: &str, scripts: &[PathBuf]) -> Result<Tally> {
    let name = format!("{}, state {form}", driver.name);
    let mut command = suite::glasm()?;
    vulkan::use_driver(&mut command, driver);
    let layer = vulkan::use_validation_layer(&mut command, vulkan::Layer::Newest)?;
    command.arg("run").args(scripts);
    command.args(["--state", form]);
    if layer {
        command.args(["--validation", "require"]);
    }
    let folder = format!("state-{form}-{}", driver.name);
    let tally = suite::run_in_folder(command, &folder, &name)?;
    println!("{name}: {tally}\n");
    Ok(tally)
}
