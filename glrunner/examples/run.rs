//! Runs scripts on OpenGL and prints what became of each.
#![allow(clippy::print_stdout, reason = "an example")]

use glasm_glrunner::{DeviceChoice, RunOptions, Runner};
use glasm_scripts::find::find_scripts;
use glasm_scripts::outcome::{Outcome, Summary};

fn main() -> Result<(), glasm_glrunner::Error> {
    let device = std::env::var("GLASM_DEVICE").ok();
    let runner = Runner::new(&RunOptions {
        device: device.map_or(DeviceChoice::Best, DeviceChoice::Name),
        ..RunOptions::default()
    })?;
    let info = runner.device_info();
    println!("{} ({})", info.name, info.driver);
    let mut summary = Summary::default();
    for argument in std::env::args().skip(1) {
        for path in find_scripts(argument.as_ref()) {
            let report = runner.run_file(&path);
            summary.add(&report.outcome);
            match &report.outcome {
                Outcome::Pass => println!("PASS {}", report.name),
                Outcome::Skip(reason) => println!("SKIP {}: {reason}", report.name),
                Outcome::Fail => {
                    println!("FAIL {}", report.name);
                    for failure in &report.failures {
                        println!("     {failure}");
                    }
                }
            }
        }
    }
    println!("{summary}");
    Ok(())
}
