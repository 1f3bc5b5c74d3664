//! Runs every script of the repository on the default Vulkan device: one test per `.shader_test` file, named by its path, and one per
//! example of the manual, named by its line and heading.
//!
//! What the device cannot run, and everything if there is no device, is reported as ignored. `GLASM_TEST_SCRIPTS=off` leaves the list empty: `cargo xtask test` sets
//! it, because it runs the scripts through `glasm run` on two drivers.
#![expect(clippy::print_stderr, reason = "says why scripts are ignored")]

use glasm_tests::manual::{self, Example};
use glasm_tests::scripts;
use glasm_vkrunner::{Outcome, RunOptions, Runner};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::cell::Cell;
use std::path::Path;
use std::process::ExitCode;

thread_local! {
    /// The runner of this test thread: devices and pipelines are reused from script to script. It is never dropped: nobody waits for the
    /// destructors of thread-local variables, and a device that is closed while the driver's exit handlers run crashes.
    static RUNNER: Cell<Option<&'static Runner>> = const { Cell::new(None) };
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let off = std::env::var_os("GLASM_TEST_SCRIPTS").is_some_and(|value| value == "off");
    let (scripts, examples) = if off {
        (Vec::new(), Vec::new())
    } else {
        let examples = manual::read_examples(scripts::repository()).unwrap_or_default();
        (scripts::find(), examples)
    };
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
        let trial = Trial::ignorable_test(scripts::name(&script), {
            let script = script.clone();
            move || run(&script)
        });
        trial.with_ignored_flag(missing.is_some())
    });
    let examples = examples.into_iter().map(|example| {
        let trial = Trial::ignorable_test(example.name(), move || run_example(&example));
        trial.with_ignored_flag(missing.is_some())
    });
    libtest_mimic::run(&arguments, trials.chain(examples).collect()).exit_code()
}

/// Why no script can run.
fn missing_device() -> Option<String> {
    Runner::new(&RunOptions::default())
        .err()
        .map(|error| error.to_string())
}

fn run(script: &Path) -> Result<Completion, Failed> {
    Ok(match run_script(script)? {
        Some(reason) => Completion::ignored_with(reason),
        None => Completion::Completed,
    })
}

/// Examples must show what they are there for: only a device may keep them from running, not a missing tool or a feature that the runner
/// lacks.
fn run_example(example: &Example) -> Result<Completion, Failed> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    match run_script(&example.write(folder)?)? {
        Some(reason) if !depends_on_device(&reason) => {
            Err(Failed::from(format!("an example is skipped: {reason}")))
        }
        Some(reason) => Ok(Completion::ignored_with(reason)),
        None => Ok(Completion::Completed),
    }
}

/// Returns true if a script is skipped because of what the device has or lacks.
fn depends_on_device(reason: &str) -> bool {
    ["device lacks", "device cannot", "device has"]
        .iter()
        .any(|words| reason.contains(words))
}

/// Runs a script; gives the reason if it is skipped.
fn run_script(script: &Path) -> Result<Option<String>, Failed> {
    let runner = match RUNNER.get() {
        Some(runner) => runner,
        None => Box::leak(Box::new(Runner::new(&RunOptions::default())?)),
    };
    RUNNER.set(Some(runner));
    let report = runner.run_file(script);
    match report.outcome {
        Outcome::Pass => Ok(None),
        Outcome::Skip(reason) => Ok(Some(reason)),
        Outcome::Fail => {
            let failures: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
            Err(Failed::from(failures.join("\n")))
        }
    }
}
