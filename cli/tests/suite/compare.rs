//! Tests `glasm run --compare` and `--record` from the side of users. Most tests compare two
//! directories of recordings, which needs no device.

use glasm_tests::skip::skip;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const SCRIPT: &str = "\
# covers: arb.op.MOV
[require]
fbsize 4 4
[fragment program]
!!ARBfp1.0
MOV result.color, program.local[0];
END
[vertex program passthrough]
[test]
clear color 0 0 0 0
clear
parameter local_fp 0 (0, 1, 0.2, 1)
draw rect -1 -1 2 2
probe all rgba 0 1 0.2 1
";

/// A directory with scripts, which is removed with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let name = format!("glasm-compare-{}-{test}", std::process::id());
        let folder = Self(std::env::temp_dir().join(name));
        for script in [
            "s/arb/a.shader_test",
            "s/arb/b.shader_test",
            "s/gp/c.shader_test",
        ] {
            folder.write(script, SCRIPT);
        }
        folder
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a recording of a script, with a pixel of this color.
    fn record(&self, folder: &str, script: &str, api: &str, pixel: &str) {
        let text = format!(
            "glasm recording 1\nscript {script}.shader_test\ntext 0\napi {api}\ndevice {api} card\ndriver Maker 1\noutcome pass\n\
             end texels R8G8B8A8_UNORM 1x1 at 0,0 probed 0 of attachment 0\n  0: {pixel}\n"
        );
        self.write(&format!("{folder}/{script}.recording"), &text);
    }

    /// Recordings of all scripts on two sides, of which one differs.
    fn record_all(&self) {
        for (script, a, b) in [
            ("s/arb/a", "0,255,51,255", "0,255,51,255"),
            ("s/arb/b", "0,255,51,255", "1,255,51,255"),
            ("s/gp/c", "0,255,51,255", "9,255,51,255"),
        ] {
            self.record("a", script, "gl", a);
            self.record("b", script, "vulkan", b);
        }
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_glasm"));
        command.current_dir(&self.0).stdin(Stdio::null()).arg("run");
        let output = command.args(args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (
            output.status.code().unwrap(),
            text(output.stdout),
            text(output.stderr),
        )
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn known(driver: &str, scripts: &str) -> String {
    format!(
        "[[difference]]\nscripts = '{scripts}'\ndriver = '{driver}'\nkind = 'values'\nsection = 'ARB 2.1'\nreason = 'it rounds up'\n"
    )
}

#[test]
fn two_folders_of_recordings_are_compared() {
    let folder = Folder::new("folders");
    folder.record_all();
    let (status, stdout, stderr) = folder.run(&[
        "s",
        "--compare",
        "a,b",
        "--comparison-report",
        "out/report.md",
    ]);
    assert_eq!(status, 1, "{stdout}{stderr}");
    assert!(
        stderr.contains("recordings in a against recordings in b"),
        "{stderr}"
    );
    for part in [
        "SAME s/arb/a.shader_test (",
        "NEAR s/arb/b.shader_test: 1 step (",
        "DIFF s/gp/c.shader_test (",
        "     attachment 0: 1 of 4 values differ, up to 9 steps; first (0, 0) red: 0 and 0.035294;",
        "3 compared: 1 exact, 1 within tolerance, 0 known, 1 different; 0 not compared\n",
    ] {
        assert!(stdout.contains(part), "{part}\n{stdout}");
    }
    let report = fs::read_to_string(folder.0.join("out/report.md")).unwrap();
    for part in [
        "- gl on gl card (Maker 1) and vulkan on vulkan card (Maker 1)",
        "| arb | 2 | 1 | 1 | 0 | 0 | 0 | 1 step |",
        "| gp | 1 | 0 | 0 | 0 | 1 | 0 | 0 |",
    ] {
        assert!(report.contains(part), "{part}\n{report}");
    }
}

#[test]
fn known_differences_pass_and_stale_entries_fail() {
    let folder = Folder::new("known");
    folder.record_all();
    folder.write("known.toml", &known("maker", "gp/*.shader_test"));
    let args = ["s", "--compare", "a,b", "--known-differences", "known.toml"];
    let (status, stdout, stderr) = folder.run(&args);
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert!(
        stdout.contains("KNOWN s/gp/c.shader_test: it rounds up (ARB 2.1)"),
        "{stdout}"
    );
    folder.write("known.toml", &known("other maker", "gp/*.shader_test"));
    assert_eq!(folder.run(&args).0, 1);
    let stale = known("maker", "gp/*.shader_test") + &known("maker", "arb/a.shader_test");
    folder.write("known.toml", &stale);
    let (status, _, stderr) = folder.run(&args);
    assert_eq!(status, 1, "{stderr}");
    assert!(
        stderr.contains("known difference no longer occurs") && stderr.contains("arb/a"),
        "{stderr}"
    );
    folder.write("known.toml", "[[difference]]\nscripts = 'x'\n");
    let (status, _, stderr) = folder.run(&args);
    assert_eq!(status, 2, "{stderr}");
    assert!(
        stderr.contains("known.toml: ") && stderr.contains("line 1"),
        "{stderr}"
    );
}

#[test]
fn what_is_not_recorded_is_not_compared() {
    let folder = Folder::new("missing");
    folder.record("a", "s/arb/a", "gl", "0,0,0,0");
    folder.record("b", "s/arb/a", "vulkan", "0,0,0,0");
    folder.record("b", "s/arb/b", "vulkan", "0,0,0,0");
    let (status, stdout, _) = folder.run(&["s", "--compare", "a,b"]);
    assert_eq!(status, 0, "{stdout}");
    assert!(
        stdout.contains("SKIP s/gp/c.shader_test: there is no recording of this script in a"),
        "{stdout}"
    );
    let (status, _, stderr) = folder.run(&["s", "--compare", "a,nowhere"]);
    assert_eq!(status, 2, "{stderr}");
    assert!(
        stderr.contains("nowhere is not a directory of recordings"),
        "{stderr}"
    );
}

#[test]
fn recordings_that_cannot_be_read_are_failures() {
    let folder = Folder::new("unreadable");
    folder.record("b", "s/arb/b", "vulkan", "0,0,0,0");
    folder.write("a/s/arb/b.recording", "glasm recording 2\n");
    let (status, stdout, _) = folder.run(&["s", "--compare", "a,b"]);
    assert_eq!(status, 1, "{stdout}");
    assert!(stdout.contains("DIFF s/arb/b.shader_test"), "{stdout}");
    assert!(
        stdout.contains("a/s/arb/b.recording: line 1: expected"),
        "{stdout}"
    );
}

#[test]
fn reports_for_tools_tell_of_comparisons() {
    let folder = Folder::new("tools");
    folder.record_all();
    let args = [
        "s",
        "--compare",
        "a,b",
        "--json",
        "r.json",
        "--junit",
        "r.xml",
    ];
    assert_eq!(folder.run(&args).0, 1);
    let json = fs::read_to_string(folder.0.join("r.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let classes: Vec<_> = json["scripts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|script| &script["comparison"]["agreement"])
        .collect();
    assert_eq!(classes, ["exact", "within_tolerance", "different"]);
    let different = &json["scripts"][2]["comparison"];
    assert_eq!(different["max_step_distance"], 9.0);
    let sample = &different["differences"][0]["samples"][0];
    assert_eq!(sample["location"], "(0, 0) red");
    assert_eq!(json["scripts"][0]["covered_features"][0], "arb.op.MOV");
    let xml = fs::read_to_string(folder.0.join("r.xml")).unwrap();
    assert!(
        xml.contains("failures=\"1\"") && xml.contains("NEAR s/arb/b.shader_test: 1 step"),
        "{xml}"
    );
}

#[test]
fn runs_agree_with_their_recordings() {
    let folder = Folder::new("device");
    let (status, _, stderr) = folder.run(&["s", "--record", "r", "--validation", "off"]);
    if status == 2 && stderr.contains("device") {
        return skip(stderr);
    }
    assert_eq!(status, 0, "{stderr}");
    let recorded = fs::read_to_string(folder.0.join("r/s/arb/a.recording")).unwrap();
    assert!(
        recorded.contains("\nverdict fragment 0 accepted\n"),
        "{recorded}"
    );
    assert!(
        recorded.contains("probed 4 of attachment 0\n  0-3: 0,255,51,255*4\n"),
        "{recorded}"
    );
    let args = ["s", "--compare", "r,vulkan", "--validation", "off"];
    let (status, stdout, stderr) = folder.run(&args);
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert!(stdout.contains("3 compared: 3 exact"), "{stdout}");
    let wrong = recorded.replace("  same as line 14", "  0-3: 0,255,99,255*4");
    assert_ne!(wrong, recorded);
    folder.write("r/s/arb/a.recording", &wrong);
    let (status, stdout, _) = folder.run(&args);
    assert_eq!(status, 1, "{stdout}");
    assert!(stdout.contains("DIFF s/arb/a.shader_test"), "{stdout}");
    folder.write("s/arb/a.shader_test", &format!("{SCRIPT}# more\n"));
    let (status, stdout, _) = folder.run(&args);
    assert_eq!(status, 0, "{stdout}");
    let changed = "SKIP s/arb/a.shader_test: the script has changed since it was recorded";
    assert!(stdout.contains(changed), "{stdout}");
}
