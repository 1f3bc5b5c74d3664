//! Results of runs with skipped scripts and with a list of expected failures.
//!
//! The tests need a Vulkan device, and end without one.

use crate::support::{Folder, run};
use glasm_tests::skip::skip;
use serde_json::Value;
use std::fs;

/// Returns a script that draws red and expects `color`.
fn script(require: &str, color: &str) -> String {
    format!(
        "[require]\nfbsize 4 4\n{require}\n[vertex program passthrough]\n[fragment program]\n!!NVfp5.0\n\
         MOV result.color, {{1, 0, 0, 1}};\nEND\n[test]\ndraw rect -1 -1 2 2\nprobe all rgba {color}\n"
    )
}

/// Creates a directory with a script that passes, one that fails, and one that is skipped; returns
/// `None` without a device.
fn write_scripts(test: &str) -> Option<Folder> {
    let folder = Folder::new(test);
    let (status, _, stderr) = run(&folder, &["devices"]);
    if status != 0 {
        skip(stderr);
        return None;
    }
    folder.write("s/a/good.shader_test", script("", "1 0 0 1"));
    folder.write("s/a/bad.shader_test", script("", "0 1 0 1"));
    folder.write(
        "s/b/skip.shader_test",
        script("VK_EXT_no_such_thing", "1 0 0 1"),
    );
    Some(folder)
}

/// Returns the lines of scripts without times and details, and the last line.
fn first_words(stdout: &str) -> Vec<&str> {
    let lines = stdout.lines().filter(|line| !line.starts_with(' '));
    lines.map(|line| line.split(" (").next().unwrap()).collect()
}

#[test]
fn skipped_scripts_fail_on_demand() {
    let Some(folder) = write_scripts("skips") else {
        return;
    };
    for (path, args, status, says) in [
        ("s/b", &[][..], 0, ""),
        (
            "s/b",
            &["--fail-on-skip"],
            1,
            "error: --fail-on-skip: 1 script skipped\n",
        ),
        ("s/b", &["--fail-on-skip=any"], 1, "1 script skipped\n"),
        ("s/b", &["--fail-on-skip=all"], 1, " skipped every script\n"),
        ("s/a/good.shader_test", &["--fail-on-skip"], 0, ""),
    ] {
        let (found, stdout, stderr) = run(&folder, &[&["run", path], args].concat());
        assert_eq!(found, status, "{path} {args:?}: {stdout}{stderr}");
        assert!(stderr.ends_with(says), "{path} {args:?}: {stderr}");
    }
    let some = ["run", "s", "--filter", "!bad"];
    let (status, _, stderr) = run(&folder, &[&some[..], &["--fail-on-skip=all"]].concat());
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(
        run(&folder, &[&some[..], &["--fail-on-skip"]].concat()).0,
        1
    );
}

#[test]
fn listed_scripts_fail_as_expected() {
    let Some(folder) = write_scripts("expected") else {
        return;
    };
    folder.write("list", "# Ours.\na/bad.shader_test  # red for green\n");
    let list = ["run", "s", "--expected-failures", "list"];
    let (status, stdout, stderr) = run(&folder, &list);
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert_eq!(
        first_words(&stdout),
        [
            "XFAIL s/a/bad.shader_test: red for green",
            "PASS s/a/good.shader_test",
            "SKIP s/b/skip.shader_test: the device lacks VK_EXT_no_such_thing",
            "1 passed, 0 failed, 1 skipped, 1 failed as expected"
        ]
    );
    assert!(stdout.contains("     line 11: "), "{stdout}");
    // Only that list makes it so.
    assert_eq!(run(&folder, &list[..2]).0, 1);
    let reports = ["--json", "r.json", "--junit", "r.xml", "--html", "r.html"];
    let json = ["--message-format", "json"];
    let (status, stdout, _) = run(&folder, &[&list[..], &reports, &json].concat());
    assert_eq!(status, 0);
    let counts: Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert_eq!(counts["expected_failures"], 1);
    let read = |name: &str| fs::read_to_string(folder.0.join(name)).unwrap();
    let report: Value = serde_json::from_str(&read("r.json")).unwrap();
    assert_eq!(report["scripts"][0]["outcome"], "expected_fail");
    assert_eq!(report["scripts"][0]["reason"], "red for green (list:2)");
    assert_eq!(
        (&report["failed"], &report["expected_failures"]),
        (&0.into(), &1.into())
    );
    let junit = read("r.xml");
    assert!(
        junit.contains("failures=\"0\"") && junit.contains("type=\"expected_fail\""),
        "{junit}"
    );
    let html = read("r.html");
    assert!(
        html.contains("<h2>Expected failures</h2>") && html.contains(">XFAIL</span>"),
        "{html}"
    );
    assert!(!html.contains("<h2>Failures</h2>"), "{html}");
}

#[test]
fn listed_scripts_that_pass_are_failures() {
    let Some(folder) = write_scripts("unexpected") else {
        return;
    };
    folder.write("list", "a/*.shader_test\n");
    let list = ["run", "s", "--expected-failures", "list"];
    let (status, stdout, _) = run(&folder, &list);
    assert_eq!(status, 1, "{stdout}");
    assert!(
        stdout.contains("XPASS s/a/good.shader_test")
            && stdout.contains("     passes, although list:1 expects it to fail\n"),
        "{stdout}"
    );
    assert!(
        stdout.ends_with(
            "0 passed, 1 failed, 1 skipped, 1 failed as expected; 1 of the failed is expected to fail and passed\n"
        ),
        "{stdout}"
    );
    let (_, stdout, _) = run(
        &folder,
        &[&list[..], &["--message-format", "json"]].concat(),
    );
    let good: Value = serde_json::from_str(stdout.lines().nth(1).unwrap()).unwrap();
    assert_eq!(good["outcome"], "unexpected_pass");
    // An unexpected pass is a failure for --fail-fast, too.
    let fast = ["--fail-fast", "--jobs", "1", "--filter", "a/"];
    let (_, stdout, _) = run(&folder, &[&list[..], &fast].concat());
    assert!(!stdout.contains("not run"), "{stdout}");
    folder.write("list", "good.shader_test");
    let (_, stdout, _) = run(
        &folder,
        &[&list[..], &["--fail-fast", "--jobs", "1"]].concat(),
    );
    assert!(stdout.contains("2 scripts not run"), "{stdout}");
}

#[test]
fn lists_that_fit_no_script_are_told() {
    let Some(folder) = write_scripts("strays") else {
        return;
    };
    // An entry for scripts that only the filter excludes is not a mistake.
    folder.write("list", "gone.shader_test\nbad.shader_test\n");
    let args = [
        "run",
        "s",
        "--expected-failures",
        "list",
        "--filter",
        "good",
    ];
    let (status, stdout, stderr) = run(&folder, &args);
    assert_eq!(status, 0, "{stdout}");
    assert!(
        stderr.starts_with("warning: list:1: no script matches `gone.shader_test`\n"),
        "{stderr}"
    );
    assert_eq!(stderr.matches("warning").count(), 1, "{stderr}");
    let (status, _, stderr) = run(&folder, &["run", "s", "--expected-failures", "nowhere"]);
    assert_eq!(status, 2);
    assert!(stderr.starts_with("error: nowhere: "), "{stderr}");
}
