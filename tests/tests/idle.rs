//! No script claims features that it does not look at: where draws and dispatches do nothing, each one that claims any must fail. Scripts
//! that expect errors draw nothing.

use glasm_tests::scripts;
use glasm_tests::skip::skip;
use glasm_vkrunner::{ExecutionMode, Outcome, RunOptions, Runner, ScriptReport, Validation};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runners side by side.
const JOBS: usize = 2;

/// Whether the script is about errors of programs: `expect error`, or loads that fail.
fn expects_error(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    lines.any(|line| {
        line.starts_with("expect error")
            || line.starts_with("load ") && line.contains(" fails with ")
    })
}

fn proves_nothing(report: &ScriptReport, script: &PathBuf) -> bool {
    let text = std::fs::read(script).unwrap_or_default();
    report.outcome == Outcome::Pass
        && !report.covers.is_empty()
        && !expects_error(&String::from_utf8_lossy(&text))
}

#[test]
fn scripts_with_claims_fail_where_nothing_is_drawn() {
    let options = RunOptions {
        validation: Validation::Off,
        execution_mode: ExecutionMode::Skip,
        ..RunOptions::default()
    };
    if let Err(error) = Runner::new(&options) {
        return skip(error);
    }
    let scripts = scripts::find();
    let next = AtomicUsize::new(0);
    let found = Mutex::new((0, Vec::new()));
    let work = || {
        let runner = Runner::new(&options).unwrap();
        while let Some(script) = scripts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let report = runner.run_file(script);
            let mut found = found.lock().unwrap();
            found.0 += usize::from(report.outcome == Outcome::Fail);
            if proves_nothing(&report, script) {
                found.1.push(scripts::name(script));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(work);
        }
    });
    let (failed, mut passed) = found.into_inner().unwrap();
    passed.sort();
    assert!(
        passed.is_empty(),
        "{} scripts pass though nothing is drawn:\n{}",
        passed.len(),
        passed.join("\n")
    );
    assert!(failed > 1000, "{failed}");
}

#[test]
fn scripts_about_errors_are_known() {
    assert!(expects_error("[test]\n  expect error E0201\n"));
    assert!(expects_error("load vertex a fails with E0201 at 3\n"));
    assert!(!expects_error(
        "load vertex a\nexpect warning E0201\n# expect error\n"
    ));
}
