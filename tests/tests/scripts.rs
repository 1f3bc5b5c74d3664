//! Runs every script of the repository on the default Vulkan device: one test per `.shader_test` file, named by its path.
//!
//! Without a device all of them are reported as ignored. `GLASM_TEST_SCRIPTS=off` leaves the list empty: `cargo xtask test` sets
//! it, because it runs the scripts through `glasm run` on two drivers.
#![expect(clippy::print_stderr, reason = "says why scripts are ignored")]

use glasm_tests::scripts;
use glasm_vkrunner::{Outcome, RunOptions, Runner};
use libtest_mimic::{Arguments, Failed, Trial};
use std::cell::Cell;
use std::path::Path;
use std::process::ExitCode;

thread_local! {
    /// The runner of this test thread: devices and pipelines are reused from script to script. It is never dropped: the test threads
    /// may still run when the process ends, and a device that is closed while the driver's own clean-up runs crashes.
    static RUNNER: Cell<Option<&'static Runner>> = const { Cell::new(None) };
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let off = std::env::var_os("GLASM_TEST_SCRIPTS").is_some_and(|value| value == "off");
    let scripts = if off { Vec::new() } else { scripts::find() };
    // Listing must not need a device.
    let missing = if arguments.list || scripts.is_empty() {
        None
    } else {
        missing_device()
    };
    if let Some(reason) = &missing {
        eprintln!("scripts are ignored: {reason}");
    }
    let trials = scripts.into_iter().map(|script| {
        let trial = Trial::test(scripts::name(&script), {
            let script = script.clone();
            move || run(&script)
        });
        trial.with_ignored_flag(missing.is_some())
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Why no script can run.
fn missing_device() -> Option<String> {
    Runner::new(&RunOptions::default())
        .err()
        .map(|error| error.to_string())
}

fn run(script: &Path) -> Result<(), Failed> {
    let runner = match RUNNER.get() {
        Some(runner) => runner,
        None => Box::leak(Box::new(Runner::new(&RunOptions::default())?)),
    };
    RUNNER.set(Some(runner));
    let report = runner.run_file(script);
    match report.outcome {
        Outcome::Pass => Ok(()),
        Outcome::Skip(reason) => {
            eprintln!("{}: skipped: {reason}", report.name);
            Ok(())
        }
        Outcome::Fail => {
            let failures: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
            Err(Failed::from(failures.join("\n")))
        }
    }
}
