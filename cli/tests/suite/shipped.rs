//! Programs that break a rule as shipped ones do: warnings, and `--strict`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ALIAS: &str = "!!ARBfp1.0\nALIAS color = result.color;\nMOV color, 1.x;\nEND\n";

fn glasm(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_glasm"));
    command.args(arguments).current_dir(folder);
    command.output().expect("the command starts")
}

/// Creates a directory with the program as `a.fp`.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("a.fp"), ALIAS).expect("a file");
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_warning_names_the_rule_and_strict_refuses() {
    let folder = folder("shipped_strict");
    for command in ["check", "compile"] {
        let output = glasm(&folder, &[command, "a.fp"]);
        let messages = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{messages}");
        assert!(
            messages.contains("warning[E0352]: `result.color` is a binding"),
            "{messages}"
        );
        assert!(messages.contains("a.fp:2:15"), "{messages}");
        let output = glasm(&folder, &[command, "a.fp", "--strict"]);
        let messages = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{messages}");
        assert!(
            messages.contains("error[E0352]: `result.color` is a binding"),
            "{messages}"
        );
    }
}

#[test]
fn json_has_the_severity() {
    let folder = folder("shipped_json");
    let output = glasm(&folder, &["check", "a.fp", "--message-format", "json"]);
    let messages = text(&output.stderr);
    assert!(
        messages.contains(r#""code":"E0352","severity":"warning""#),
        "{messages}"
    );
}

#[test]
fn explain_tells_what_is_accepted() {
    for (code, accepted) in [
        ("E0352", "a binding is a variable of that binding."),
        ("E0108", "`END\\0\\0\\0`:"),
        ("e0511", "`TEX r, c, texture[0], ARRAYCUBE;`:"),
    ] {
        let output = glasm(Path::new("."), &["explain", code]);
        let answer = text(&output.stdout).replace('\n', " ");
        assert!(answer.contains("a warning without --strict: `"), "{answer}");
        assert!(answer.contains(accepted), "{answer}");
    }
    let output = glasm(Path::new("."), &["explain", "E0201"]);
    assert!(!text(&output.stdout).contains("--strict"));
}
