//! The command as its users meet it: output, exit status, files.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A vertex program without mistakes.
const GOOD: &str = "!!NVvp5.0\nMOV result.position, vertex.position;\nEND\n";
/// An undeclared name, an unknown opcode, a missing operand, in this order.
const THREE_MISTAKES: &str =
    "!!NVvp5.0\nTEMP r;\nMOV r, q;\nMOVE r, 1;\nADD r, r;\nMOV result.position, r;\nEND\n";

/// A folder that disappears with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("glasm-{}-{test}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn glasm(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_glasm"));
        command.current_dir(&self.0).stdin(Stdio::null());
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(folder: &Folder, args: &[&str]) -> (i32, String, String) {
    read(folder.glasm().args(args).output().unwrap())
}

fn run_with_input(folder: &Folder, args: &[&str], input: &str) -> (i32, String, String) {
    let mut child = folder
        .glasm()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    read(child.wait_with_output().unwrap())
}

fn read(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn is_module(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| {
        bytes.len() % 4 == 0 && bytes.starts_with(&0x0723_0203_u32.to_le_bytes())
    })
}

#[test]
fn wrong_usage_ends_with_status_2() {
    let folder = Folder::new("usage");
    folder.write("notes.txt", "no program");
    folder.write("a.vp", GOOD);
    folder.write("b.vp", GOOD);
    let cases: &[&[&str]] = &[
        &[],
        &["nonsense"],
        &["check"],
        &["check", "missing.vp"],
        &["compile", "a.vp", "--emit", "morse"],
        &["compile", "a.vp", "--target", "vulkan9.9"],
        &["compile", "a.vp", "b.vp", "-o", "-"],
        &["compile", "a.vp", "--emit", "ir", "--validate"],
        &["explain", "NOSUCH"],
    ];
    for args in cases {
        let (status, stdout, stderr) = run(&folder, args);
        assert_eq!(status, 2, "{args:?}: {stdout}{stderr}");
        assert!(!stderr.is_empty(), "{args:?} says nothing");
    }
    fs::create_dir(folder.0.join("empty")).unwrap();
    let (status, _, stderr) = run(&folder, &["check", "empty"]);
    assert_eq!(status, 2);
    assert!(stderr.contains("no programs found"), "{stderr}");
}

#[test]
fn three_mistakes_give_three_messages() {
    let folder = Folder::new("mistakes");
    folder.write("bad.vp", THREE_MISTAKES);
    let (status, stdout, stderr) = run(&folder, &["check", "bad.vp"]);
    assert_eq!(
        (status, stdout.as_str()),
        (1, "1 file, 1 failed\n"),
        "{stderr}"
    );
    for (code, place) in [
        ("E0201", "bad.vp:3:8"),
        ("E0103", "bad.vp:4:1"),
        ("E0104", "bad.vp:5:"),
    ] {
        assert!(
            stderr.contains(&format!("error[{code}]: "))
                && stderr.contains(&format!("--> {place}")),
            "{code}:\n{stderr}"
        );
    }
    assert!(stderr.contains("3 | MOV r, q;\n  |        ^"), "{stderr}");
    assert!(stderr.ends_with("bad.vp: 3 errors\n"), "{stderr}");
}

#[test]
fn json_messages_parse() {
    let folder = Folder::new("json");
    folder.write("bad.vp", THREE_MISTAKES);
    let (status, stdout, stderr) = run(&folder, &["check", "bad.vp", "--message-format", "json"]);
    assert_eq!(status, 1);
    let messages: Vec<serde_json::Value> = stderr
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(messages.len(), 3);
    assert_eq!(
        (&messages[0]["code"], &messages[0]["name"]),
        (&"E0201".into(), &"bad.vp".into())
    );
    assert_eq!(
        (&messages[0]["line"], &messages[0]["column"]),
        (&3.into(), &8.into())
    );
    assert_eq!(
        (&messages[0]["start"], &messages[0]["end"]),
        (&25.into(), &26.into())
    );
    let counts: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(counts, serde_json::json!({ "files": 1, "failed": 1 }));
}

#[test]
fn standard_input_is_a_program() {
    let folder = Folder::new("stdin");
    let (status, stdout, _) = run_with_input(&folder, &["check", "-"], GOOD);
    assert_eq!((status, stdout.as_str()), (0, "1 file, 0 failed\n"));
    let (status, stdout, stderr) =
        run_with_input(&folder, &["compile", "-", "--emit", "spvasm"], GOOD);
    assert_eq!(status, 0, "{stderr}");
    assert!(stdout.contains("OpEntryPoint Vertex"), "{stdout}");
    let (status, _, stderr) = run_with_input(&folder, &["check", "-"], "!!NVvp5.0\nEND extra\n\0");
    assert!(status == 0 || stderr.contains("<stdin>"), "{stderr}");
    let (status, _, stderr) = run_with_input(&folder, &["check", "-"], "\u{feff}!!NVvp5.0\nEND\n");
    assert_eq!(status, 1);
    assert!(stderr.contains("--> <stdin>:1:1"), "{stderr}");
}

#[test]
fn outputs_mirror_the_inputs() {
    let folder = Folder::new("mirror");
    folder.write("in/a/b.txt", GOOD);
    folder.write("in/c.vp", GOOD);
    folder.write("in/notes.txt", "no program");
    folder.write("in/.hidden/d.vp", GOOD);
    folder.write("in/empty.vp", "");
    let (status, stdout, stderr) = run(&folder, &["compile", "in", "-o", "out"]);
    assert_eq!(
        (status, stdout.as_str(), stderr.as_str()),
        (0, "", "2 files, 0 failed\n")
    );
    assert!(is_module(&folder.0.join("out/in/a/b.txt.spv")));
    assert!(is_module(&folder.0.join("out/in/c.vp.spv")));
    assert_eq!(fs::read_dir(folder.0.join("out/in")).unwrap().count(), 2);
}

#[test]
fn failing_files_do_not_stop_the_others() {
    let folder = Folder::new("some-fail");
    folder.write("in/bad.vp", THREE_MISTAKES);
    folder.write("in/good.vp", GOOD);
    folder.write("in/binary.vp", b"!!\xff\x00\x80");
    let (status, _, stderr) = run(&folder, &["compile", "in", "-o", "out"]);
    assert_eq!(status, 1);
    assert!(stderr.ends_with("3 files, 2 failed\n"), "{stderr}");
    assert!(is_module(&folder.0.join("out/in/good.vp.spv")));
    assert!(!folder.0.join("out/in/bad.vp.spv").exists());
}

#[test]
fn one_file_goes_where_o_says() {
    let folder = Folder::new("one");
    folder.write("a.vp", GOOD);
    assert_eq!(run(&folder, &["compile", "a.vp"]).0, 0);
    assert!(is_module(&folder.0.join("a.vp.spv")));
    assert_eq!(run(&folder, &["compile", "a.vp", "-o", "new/x.spv"]).0, 0);
    assert!(is_module(&folder.0.join("new/x.spv")));
    folder.write("blocked", "a file where a folder must be");
    let (status, _, stderr) = run(&folder, &["compile", "a.vp", "-o", "blocked/x.spv"]);
    assert_eq!(status, 1);
    assert!(stderr.contains("blocked/x.spv"), "{stderr}");
}

#[test]
fn every_form_is_written() {
    let folder = Folder::new("forms");
    folder.write("a.vp", GOOD);
    let mut forms = vec![
        ("spvasm", "OpCapability Shader"),
        ("ir", ""),
        ("reflect", "\"entry_point\": \"main\""),
    ];
    if cfg!(feature = "translate") {
        forms.extend([
            ("wgsl", "@vertex"),
            ("msl", "vertex "),
            ("hlsl", "SV_Position"),
            ("glsl", "#version 450"),
        ]);
    }
    for (form, mark) in forms {
        let (status, stdout, stderr) = run(&folder, &["compile", "a.vp", "--emit", form]);
        assert_eq!(status, 0, "{form}: {stderr}");
        assert!(
            !stdout.is_empty() && stdout.contains(mark),
            "{form}: {stdout}"
        );
    }
    let json = run(&folder, &["compile", "a.vp", "--emit", "reflect"]).1;
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["stage"],
        "vertex"
    );
}

#[test]
fn modules_follow_target_and_debug() {
    let folder = Folder::new("target");
    folder.write("a.vp", GOOD);
    for (target, version) in [
        ("vulkan1.1", "1.3"),
        ("vulkan1.2", "1.5"),
        ("vulkan1.3", "1.6"),
    ] {
        let (_, stdout, stderr) = run(
            &folder,
            &["compile", "a.vp", "--emit", "spvasm", "--target", target],
        );
        assert!(
            stdout.contains(&format!("; Version: {version}")),
            "{target}: {stdout}{stderr}"
        );
    }
    assert!(
        run(&folder, &["compile", "a.vp", "--emit", "spvasm", "--debug"])
            .1
            .contains("OpLine")
    );
    assert!(
        !run(&folder, &["compile", "a.vp", "--emit", "spvasm"])
            .1
            .contains("OpLine")
    );
}

#[test]
fn validation_uses_spirv_val() {
    let folder = Folder::new("validate");
    folder.write("a.vp", GOOD);
    let found = Command::new("spirv-val").arg("--version").output().is_ok();
    let (status, _, stderr) = run(&folder, &["compile", "a.vp", "--validate"]);
    if found || cfg!(feature = "spirv-tools") {
        assert_eq!(status, 0, "{stderr}");
    } else {
        assert_eq!(status, 2);
        assert!(stderr.contains("spirv-val"), "{stderr}");
    }
    // Without a program of that name: an empty search path.
    let output = folder
        .glasm()
        .env("PATH", "")
        .args(["compile", "a.vp", "--validate"])
        .output()
        .unwrap();
    if !cfg!(feature = "spirv-tools") {
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn opcodes_and_codes_are_explained() {
    let folder = Folder::new("explain");
    let (status, stdout, _) = run(&folder, &["explain", "E0201"]);
    assert_eq!(status, 0);
    assert!(stdout.starts_with("E0201: undeclared name\n\n"), "{stdout}");
    assert!(
        run(&folder, &["explain", "mad"])
            .1
            .contains("multiply and add")
    );
    let all = run(&folder, &["explain"]).1;
    assert!(all.contains("MAD") && all.contains("E0201"));
}

#[test]
fn colors_are_for_terminals_or_on_demand() {
    let folder = Folder::new("color");
    folder.write("bad.vp", THREE_MISTAKES);
    assert!(!run(&folder, &["check", "bad.vp"]).2.contains('\x1b'));
    assert!(
        run(&folder, &["check", "bad.vp", "--color", "always"])
            .2
            .contains('\x1b')
    );
}
