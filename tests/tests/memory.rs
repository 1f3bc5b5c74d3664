//! One process runs a thousand scripts: its memory does not grow with them.
//!
//! In a process of its own, so that no other test takes memory meanwhile. The benchmark `scripts` runs ten thousand.

use glasm_tests::memory::{endure, resident};
use glasm_tests::scripts;
use glasm_tests::skip::skip;
use glasm_vkrunner::{Outcome, RunOptions, Runner, Validation};
use std::process::Command;

/// Scripts of the rounds that warm up, and of each of the rounds that are compared.
const ROUND: usize = 200;
/// Iterations over the scripts that warm up: the heap grows with its fragments, less in each of them.
const WARM_UP: usize = 4;
/// Rounds that are compared.
const ROUNDS: usize = 5;
/// Bytes for each script that are no leak of ours: drivers keep some kilobytes for each pipeline that they ever made.
const ALLOWED: u64 = 12 << 10;
/// Folders whose scripts are left out: for programs with many branches lavapipe keeps up to a megabyte for each pipeline.
const LEFT_OUT: [&str; 12] = [
    "/arb/fp2/",
    "/arb/vp2opt/",
    "/arb/vp3/",
    "/gp/bindless/",
    "/gp/flow/",
    "/gp/image/",
    "/gp/mem/",
    "/gp/tex/",
    "/tgsi/flow/",
    "/tgsi/image/",
    "/tgsi/mem/",
    "/tgsi/tex/",
];

/// Variable of glibc: number of heaps. Each thread of a driver would have its own, and the memory of each would grow until the
/// thread has executed the largest script.
const HEAPS: &str = "MALLOC_ARENA_MAX";

#[test]
fn memory_does_not_grow_with_scripts() {
    if std::env::var_os(HEAPS).is_none() {
        // glibc reads the variable when a process starts.
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([
            "--exact",
            "memory_does_not_grow_with_scripts",
            "--nocapture",
        ]);
        let status = command.env(HEAPS, "1").status().unwrap();
        assert!(status.success(), "{status}");
        return;
    }
    // The validation layer keeps the state of all objects that ever were.
    let options = RunOptions {
        validation: Validation::Off,
        ..RunOptions::default()
    };
    let runner = match Runner::new(&options) {
        Ok(runner) => runner,
        Err(error) => return skip(error),
    };
    if resident().is_none() {
        return skip("the system does not tell how much memory is in use");
    }
    let mut scripts = scripts::find();
    scripts.retain(|script| {
        !LEFT_OUT
            .iter()
            .any(|folder| scripts::name(script).contains(folder))
    });
    // Twice as many as a round has, as some do not run on every device.
    let step = scripts.len().div_ceil(2 * ROUND).max(1);
    let candidates = scripts.into_iter().step_by(step);
    let passing = candidates.filter(|script| runner.run_file(script).outcome == Outcome::Pass);
    let passing: Vec<_> = passing.collect();
    let step = passing.len().div_ceil(ROUND).max(1);
    let some: Vec<_> = passing.into_iter().step_by(step).collect();
    let measured = endure(
        &some,
        (WARM_UP + ROUNDS) * some.len(),
        some.len(),
        |script| {
            assert_eq!(runner.run_file(script).outcome, Outcome::Pass);
        },
    );
    // The first value is that after the first iteration.
    let growth = measured.windows(2).skip(WARM_UP - 1);
    let mut growth: Vec<u64> = growth.map(|pair| pair[1].saturating_sub(pair[0])).collect();
    growth.sort_unstable();
    // A leak grows in every iteration, as all run the same scripts. The median leaves out those in
    // which the system takes pages of the process or returns them.
    let Some(median) = growth.get(growth.len() / 2) else {
        panic!("{} scripts run", some.len());
    };
    assert!(
        *median < ALLOWED * some.len() as u64,
        "{} scripts took {} KB: {measured:?}",
        some.len(),
        median >> 10
    );
}
