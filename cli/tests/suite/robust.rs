//! Scripts that go wrong in every way: each has one clear outcome, and all others run.
//!
//! The tests need a Vulkan device, and end without one.

use glasm_tests::skip::skip;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Draws red and expects it.
const GOOD: &str = "[require]\nfbsize 4 4\n[vertex program passthrough]\n[fragment program]\n!!NVfp5.0\n\
    MOV result.color, {1, 0, 0, 1};\nEND\n[test]\ndraw rect -1 -1 2 2\nprobe all rgba 1 0 0 1\n";
/// Reads and writes unmapped memory.
const WILD: &str = "[compute program]\n!!NVcp5.0\nGROUP_SIZE 1;\nLONG TEMP a;\nTEMP r;\nPK64.U a.x, program.local[0];\n\
    LOAD.U32 r.x, a.x;\nADD.U r.x, r.x, 1;\nSTORE.U32 r.x, a.x;\nEND\n[test]\n\
    parameter local_cp 0 (64, 0, 0, 0)\ncompute 1 1 1\n";
/// Loops without end.
const ENDLESS: &str = "[compute program]\n!!NVcp5.0\nGROUP_SIZE 1;\nLONG TEMP a;\nTEMP r;\nPK64.U a.x, program.local[0];\n\
    MOV.U r.x, 0;\nREP;\nADD.U r.x, r.x, 1;\nSTORE.U32 r.x, a.x;\nSEQ.U.CC0 r.y, r.x, 0;\nBRK (NE0.y);\nENDREP;\nEND\n\
    [test]\nbuffer out 16\nparameter local_cp 0 address out\ncompute 1 1 1\n";

/// A directory that is removed with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("glasm-{}-{test}", std::process::id()));
        fs::create_dir_all(path.join("s")).unwrap();
        Self(path)
    }

    fn script(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.0.join("s").join(format!("{name}.shader_test")), text).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_glasm"));
        let json = ["run", "s", "--message-format", "json"];
        command.current_dir(&self.0).args(json).args(args);
        command
    }

    /// Runs the scripts; the results by name, in order. `None` without a device.
    fn run(&self, args: &[&str]) -> Option<Vec<Value>> {
        let start = Instant::now();
        let output = self.command(args).stdin(Stdio::null()).output().unwrap();
        assert!(start.elapsed() < Duration::from_secs(120));
        self.parse_records(&output)
    }

    fn parse_records(&self, output: &std::process::Output) -> Option<Vec<Value>> {
        let stderr = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(2) {
            skip(stderr);
            return None;
        }
        let stdout = String::from_utf8_lossy(&output.stdout);
        let mut lines: Vec<Value> = stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let summary = lines.pop().unwrap();
        let failed = summary["failed"].as_u64().unwrap();
        assert_eq!(output.status.code(), Some(i32::from(failed > 0)));
        Some(lines)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn collect_outcomes(records: &[Value]) -> Vec<(&str, &str)> {
    records
        .iter()
        .map(|record| {
            let name = record["name"].as_str().unwrap();
            (name, record["outcome"].as_str().unwrap())
        })
        .collect()
}

#[test]
fn crashes_take_one_script_with_them() {
    let folder = Folder::new("crash");
    folder.script("1-good", GOOD);
    folder.script("2-wild", WILD);
    folder.script("3-good", GOOD);
    let Some(records) = folder.run(&["--jobs", "1", "--retries", "1"]) else {
        return;
    };
    if records[1]["outcome"] == "skip" {
        skip("the device has no addresses");
        return;
    }
    // Some devices shrug off wild addresses, or lose themselves instead of the process.
    if records[1]["fault"] == "crash" {
        let message = records[1]["failures"][0]["message"].as_str().unwrap();
        assert!(
            message.starts_with("crashed: the worker process died of SIG"),
            "{message}"
        );
        assert_eq!(records[1]["earlier_attempts"].as_array().unwrap().len(), 1);
    }
    assert_eq!(
        [&records[0]["outcome"], &records[2]["outcome"]],
        ["pass", "pass"]
    );
}

#[test]
fn endless_programs_are_stopped() {
    let folder = Folder::new("endless");
    folder.script("1-good", GOOD);
    folder.script("2-endless", ENDLESS);
    folder.script("3-good", GOOD);
    let Some(records) = folder.run(&["--jobs", "1", "--timeout", "20", "--draw-timeout", "1"])
    else {
        return;
    };
    // Some devices end such loops themselves.
    if records[1]["outcome"] == "fail" {
        let message = records[1]["failures"][0]["message"].as_str().unwrap();
        assert!(message.contains("timed out"), "{message}");
        assert_eq!(records[1]["fault"], "device_lost");
        assert_eq!(records[1]["failures"][0]["line"], 18);
    }
    assert_eq!(
        [&records[0]["outcome"], &records[2]["outcome"]],
        ["pass", "pass"]
    );
}

#[test]
fn every_mistake_has_one_outcome() {
    let folder = Folder::new("robust-mistakes");
    folder.script("1-good", GOOD);
    folder.script("2-empty", "");
    folder.script("3-line", GOOD.replace("probe all", "prob all"));
    folder.script("4-bytes", b"\xff\xfe\0[test]\n[[\n\x80");
    folder.script(
        "5-feature",
        GOOD.replace("fbsize", "VK_EXT_no_such_thing\nfbsize"),
    );
    folder.script("6-program", GOOD.replace("MOV", "MOVE"));
    std::os::unix::fs::symlink("nowhere", folder.0.join("s/7-link.shader_test")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.0.join("s/8-zero.shader_test")).unwrap();
    folder.script("9-good", GOOD);
    let Some(records) = folder.run(&[]) else {
        return;
    };
    let expected = [
        ("1-good", "pass"),
        ("2-empty", "fail"),
        ("3-line", "fail"),
        ("4-bytes", "fail"),
        ("5-feature", "skip"),
        ("6-program", "fail"),
        ("7-link", "fail"),
        ("8-zero", "fail"),
        ("9-good", "pass"),
    ];
    assert_eq!(collect_outcomes(&records), expected);
    for record in &records {
        assert_eq!(record["fault"], Value::Null);
        assert!(record["outcome"] == "pass" || !record["reason"].as_str().unwrap().is_empty());
    }
    assert_eq!(records[2]["failures"][0]["line"], 10);
}

#[test]
fn scripts_that_want_too_much_memory_fail_alone() {
    let folder = Folder::new("memory");
    folder.script("1-good", GOOD);
    // 960 MB, which pass the limits of each buffer.
    let buffers = (0..8).map(|number| format!("ssbo {number} 120000000\n"));
    folder.script("2-big", format!("[test]\n{}", buffers.collect::<String>()));
    folder.script("3-good", GOOD);
    let command = folder.command(&["--jobs", "1", "--validation", "off"]);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -v 800000; exec \"$0\" \"$@\""])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(&folder.0)
        .stdin(Stdio::null());
    let output = limited.output().unwrap();
    let Some(records) = folder.parse_records(&output) else {
        return;
    };
    assert_eq!(
        collect_outcomes(&records),
        [("1-good", "pass"), ("2-big", "fail"), ("3-good", "pass")]
    );
    // Where the driver says so; where it or the runner aborts, its last words do.
    let message = records[1]["failures"][0]["message"].as_str().unwrap();
    assert!(message.to_lowercase().contains("memory"), "{message}");
}

#[test]
fn thousands_of_scripts_are_run() {
    let folder = Folder::new("thousands");
    for number in 0..3000 {
        folder.script(&format!("{number:04}"), "[test]\nexpect error E0201\n");
    }
    folder.script("good", GOOD);
    let Some(records) = folder.run(&["--jobs", "3"]) else {
        return;
    };
    assert_eq!(records.len(), 3001);
    let names: Vec<&str> = collect_outcomes(&records)
        .iter()
        .map(|(name, _)| *name)
        .collect();
    assert!(names.is_sorted());
    assert_eq!(collect_outcomes(&records)[3000], ("good", "pass"));
}

#[test]
fn shards_lists_and_early_ends() {
    let folder = Folder::new("select");
    for number in 0..5 {
        let text = if number == 1 {
            GOOD.replace("rgba 1", "rgba 0")
        } else {
            GOOD.to_owned()
        };
        folder.script(&number.to_string(), text);
    }
    let list = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_glasm"));
        command.current_dir(&folder.0).args(["run", "s", "--list"]);
        let output = command.args(args).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let path = |number: u32| format!("s/{number}.shader_test\n");
    assert_eq!(list(&["--shard", "1/2"]), path(0) + &path(2) + &path(4));
    assert_eq!(list(&["--shard", "2/2"]), path(1) + &path(3));
    assert_eq!(
        list(&["--filter", "!1", "--shard", "2/2"]),
        path(2) + &path(4)
    );
    let Some(records) = folder.run(&["--jobs", "1", "--fail-fast"]) else {
        return;
    };
    assert_eq!(collect_outcomes(&records), [("0", "pass"), ("1", "fail")]);
}

#[test]
fn devices_stand_side_by_side() {
    let folder = Folder::new("robust-devices");
    folder.script("1-good", GOOD);
    folder.script("2-bad", GOOD.replace("rgba 1", "rgba 0"));
    let Some(records) = folder.run(&[
        "--device", "all", "--json", "out.json", "--html", "out.html",
    ]) else {
        return;
    };
    let report: Value =
        serde_json::from_slice(&fs::read(folder.0.join("out.json")).unwrap()).unwrap();
    let devices = report["devices"].as_array().unwrap();
    assert_eq!(records.len(), 2 * devices.len());
    let names: Vec<&Value> = devices.iter().map(|device| &device["name"]).collect();
    for (index, record) in records.iter().enumerate() {
        assert_eq!(&record["device"], names[index % devices.len()]);
        let expected = ["pass", "fail"][index / devices.len()];
        assert_eq!(record["outcome"], expected);
    }
    for device in devices {
        assert_eq!(
            (&device["passed"], &device["failed"]),
            (&1.into(), &1.into())
        );
    }
    let page = fs::read_to_string(folder.0.join("out.html")).unwrap();
    assert!(page.contains("s/2-bad.shader_test") && page.ends_with("</html>\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn killed_workers_cost_one_script() {
    let folder = Folder::new("killed");
    for number in 0..400 {
        folder.script(&format!("{number:03}"), GOOD);
    }
    let child = folder
        .command(&["--jobs", "1"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let parent = child.id();
    // As the system does when memory runs out, and as soon as there is a worker.
    let killer = std::thread::spawn(move || {
        let end = Instant::now() + Duration::from_secs(60);
        while Instant::now() < end && fs::metadata(format!("/proc/{parent}/status")).is_ok() {
            if let Some(worker) = find_busy_child(parent) {
                let kill = Command::new("kill").args(["-9", &worker]).status();
                return kill.is_ok_and(|status| status.success());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    });
    let output = child.wait_with_output().unwrap();
    let killed = killer.join().unwrap();
    let Some(records) = folder.parse_records(&output) else {
        return;
    };
    assert_eq!(records.len(), 400);
    let failed: Vec<&Value> = records
        .iter()
        .filter(|record| record["outcome"] != "pass")
        .collect();
    assert_eq!(failed.len(), usize::from(killed), "{failed:#?}");
    for record in failed {
        let reason = record["reason"].as_str().unwrap();
        assert!(reason.contains("SIGKILL"), "{reason}");
    }
}

/// Returns a worker of a run that has answered some requests.
#[cfg(target_os = "linux")]
fn find_busy_child(parent: u32) -> Option<String> {
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let process = entry.path();
        let status = fs::read_to_string(process.join("status")).unwrap_or_default();
        if !status.contains(&format!("\nPPid:\t{parent}\n")) {
            continue;
        }
        let command = fs::read_to_string(process.join("cmdline")).unwrap_or_default();
        let counts = fs::read_to_string(process.join("io")).unwrap_or_default();
        // The number of bytes that it has written grows with its answers.
        let written = counts
            .lines()
            .find_map(|line| line.strip_prefix("wchar: "))
            .and_then(|count| count.parse::<u64>().ok());
        if command.contains("run-worker") && written.is_some_and(|count| count > 2000) {
            return Some(entry.file_name().to_string_lossy().into_owned());
        }
    }
    None
}
