//! One run of tests by Cargo, counted.

use anyhow::{Context, Result};
use glasm_ci_support::shell;
use glasm_ci_support::tally::Tally;
use glasm_ci_support::vulkan::{self, Layer};
use glasm_tests::skip;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

/// Where tests note that they are skipped.
static SKIPPED: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("skipped-tests"));

/// Runs tests. The scripts have a step of their own, on two drivers, so the test target that runs them stays empty.
pub(crate) fn test_run(command: &mut Command) -> Result<Tally> {
    if let Some(driver) = vulkan::lavapipe() {
        vulkan::use_driver(command, &driver);
    }
    vulkan::use_validation_layer(command, Layer::Newest)?;
    let list = std::path::absolute(&*SKIPPED)?;
    match std::fs::remove_file(&list) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| SKIPPED.display().to_string());
        }
        Ok(()) | Err(_) => {}
    }
    command.env(skip::LIST, &list);
    let transcript = shell::tee(command.env("GLASM_TEST_SCRIPTS", "off"))?;
    let tally = Tally::of_test_run(&transcript.text, transcript.success);
    anyhow::ensure!(tally != Tally::default(), "no test was run");
    // Without a skipped test there is no list.
    let skipped = std::fs::read_to_string(&list).unwrap_or_default();
    let skipped = skip::tests_of(&skipped);
    for (test, reason) in &skipped {
        println!("SKIP {test}: {reason}");
    }
    Ok(tally.with_skipped(skipped.len() as u64))
}
