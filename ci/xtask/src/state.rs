//! Scripts whose GL state programs read at run time, from specialization constants and from a
//! uniform block: images must equal those of programs with compiled-in state.

use crate::suite;
use anyhow::Result;
use glasm_ci_support::tally::Tally;
use glasm_ci_support::{report, vulkan};
use std::path::PathBuf;

/// Forms of state, as options of the command line.
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
    let sets = |line: &str| STATES.iter().any(|state| line.starts_with(state));
    let scripts = report::find_scripts(|text| text.lines().any(sets))?;
    anyhow::ensure!(!scripts.is_empty(), "no script sets state");
    suite::on_each_driver(|driver| {
        let mut tally = Tally::default();
        for form in FORMS {
            tally += run(driver, form, &scripts)?;
        }
        Ok(tally)
    })
}

fn run(driver: &vulkan::Driver, form: &str, scripts: &[PathBuf]) -> Result<Tally> {
    let name = format!("{}, state {form}", driver.name);
    let mut command = suite::run_command(driver, vulkan::Layer::Newest)?;
    command.args(scripts).args(["--state", form]);
    let folder = format!("state-{form}-{}", driver.name);
    let tally = suite::run_in_folder(command, &folder, &name)?;
    println!("{name}: {tally}\n");
    Ok(tally)
}
