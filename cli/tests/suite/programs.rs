//! Tests `glasm check` and `glasm compile` with files that hold several programs: scripts, and
//! sources with several programs.

use crate::support::{Folder, run, run_with_input};
use serde_json::Value;
use std::fs;

/// A vertex and a fragment program, which load.
const BOTH: &str = "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n\n!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n";
/// A script with three programs, two of which are wrong: at line 8, and at line 13.
const SCRIPT: &str = "# note\n[require]\nGL >= 1.3\n[vertex program]\n!!ARBvp1.0\nMOV result.position, vertex.position;\n\
    MOV result.color, 1;\nMOV r, 1;\nEND\n[fragment program]\n!!ARBfp1.0\nTEMP r;\nMOV result.color, q;\nEND\n\
    [fragment program red]\n!!ARBfp1.0\nMOV result.color, {1, 0, 0, 1};\nEND\n[test]\ndraw rect -1 -1 2 2\nload fragment red\n";

/// Returns a script of the same form without mistakes.
fn right() -> String {
    SCRIPT.replace("MOV r, 1;\n", "").replace(", q;", ", 0;")
}

fn files(folder: &Folder, name: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.0.join(name)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn every_program_of_a_script_is_checked() {
    let folder = Folder::new("check-script");
    folder.write("t.shader_test", SCRIPT);
    let (status, stdout, stderr) = run(&folder, &["check", "t.shader_test"]);
    assert_eq!(
        (status, stdout.as_str()),
        (1, "1 file with 3 programs, 1 failed\n"),
        "{stderr}"
    );
    for part in [
        "--> t.shader_test:8:5\n",
        "8 | MOV r, 1;\n",
        "= note: in [vertex program]\n",
        "--> t.shader_test:13:19\n",
        "= note: in [fragment program]\n",
    ] {
        assert!(stderr.contains(part), "{part}\n{stderr}");
    }
    assert_eq!(stderr.matches("error[").count(), 2, "{stderr}");
    let (_, _, stderr) = run(
        &folder,
        &["check", "t.shader_test", "--message-format", "json"],
    );
    let first: Value = serde_json::from_str(stderr.lines().next().unwrap()).unwrap();
    assert_eq!((&first["line"], &first["column"]), (&8.into(), &5.into()));
    assert_eq!(
        (&first["name"], &first["notes"][0]),
        (&"t.shader_test".into(), &"note: in [vertex program]".into())
    );
    let start = SCRIPT.find("MOV r, 1;").unwrap() + 4;
    assert_eq!(first["start"], start);
    let one = run(&folder, &["check", "t.shader_test", "--stage", "fragment"]);
    assert_eq!(one.1, "1 file with 2 programs, 1 failed\n");
    assert_eq!(one.2.matches("error[").count(), 1, "{}", one.2);
    folder.write("t.shader_test", right());
    let fine = run(&folder, &["check", "t.shader_test"]);
    assert_eq!(
        fine,
        (
            0,
            "1 file with 3 programs, 0 failed\n".into(),
            String::new()
        )
    );
}

#[test]
fn stages_of_a_script_are_checked_beside_each_other() {
    let folder = Folder::new("check-linked");
    // By themselves the color and attribute 27 would meet at one location.
    let text = "[vertex program]\n!!NVvp4.0\nMOV result.position, 0;\nMOV result.color, 1;\nMOV result.attrib[27], 2;\nEND\n\
                [fragment program]\n!!NVfp4.0\nMOV result.color, fragment.attrib[27];\nEND\n[test]\n";
    folder.write("conflict.shader_test", text);
    let vertex = text.split("[fragment").next().unwrap();
    folder.write("alone.shader_test", format!("{vertex}[test]\n"));
    assert_eq!(run(&folder, &["check", "alone.shader_test"]).0, 1);
    let targets = "[vertex program]\n!!ARBvp1.0\nOPTION NV_vertex_program3;\nTEX result.position, 0, texture[3], CUBE;\nEND\n\
                   [fragment program]\n!!ARBfp1.0\nTEX result.color, 0, texture[3], 2D;\nEND\n[test]\n";
    folder.write("targets.shader_test", targets);
    let (status, _, stderr) = run(&folder, &["check", "targets.shader_test"]);
    assert_eq!(status, 1);
    assert!(
        stderr.contains("error[E0703]") && stderr.contains("targets.shader_test:8:1"),
        "{stderr}"
    );
}

#[test]
fn errors_that_a_script_expects_are_fine() {
    let folder = Folder::new("check-expected");
    let script = |expected: &str| {
        format!("[fragment program]\n!!NVfp5.0\nMOV q, 1;\nEND\n[test]\n{expected}")
    };
    folder.write("1.shader_test", script("expect error E0201\n"));
    folder.write(
        "2.shader_test",
        "[fragment program]\n!!NVfp5.0\nEND\n[fragment program bad]\n!!NVfp5.0\nMOV q, 1;\nEND\n[test]\n\
         load fragment bad fails with E0201\n",
    );
    let both = ["check", "1.shader_test", "2.shader_test"];
    assert_eq!(
        run(&folder, &both),
        (
            0,
            "2 files with 3 programs, 0 failed; 2 with the errors that scripts expect\n".into(),
            String::new()
        )
    );
    folder.write("3.shader_test", script("expect error E0202\n"));
    let (status, stdout, stderr) = run(&folder, &["check", "3.shader_test"]);
    assert_eq!((status, stdout.as_str()), (1, "1 file, 1 failed\n"));
    assert!(
        stderr.contains("error: 3.shader_test:6: no program gives error E0202\n")
            && stderr.contains("error: 3.shader_test:3:5: unexpected error E0201"),
        "{stderr}"
    );
    folder.write(
        "4.shader_test",
        right().replace("red\n", "red fails with E0201\n").replacen(
            "red fails with E0201",
            "red",
            0,
        ),
    );
    let (status, _, stderr) = run(&folder, &["check", "4.shader_test"]);
    assert_eq!(status, 1);
    assert!(stderr.contains("but the program loads"), "{stderr}");
}

#[test]
fn requirements_of_scripts_count() {
    let folder = Folder::new("script-options");
    let script = |require: &str| {
        format!(
            "[require]\n{require}\n[vertex program]\n!!ARBvp1.0\nMUL result.position, vertex.position, program.local[0];\nEND\n[test]\n"
        )
    };
    let compiled = |require: &str| {
        folder.write("t.shader_test", script(require));
        let text = run(&folder, &["compile", "t.shader_test", "--emit", "spvasm"]);
        assert_eq!(text.0, 0, "{}", text.2);
        text.1
    };
    let plain = compiled("vulkan 1.1");
    assert!(!plain.contains("OpSelect"), "{plain}");
    assert!(compiled("legacy_multiply").contains("OpSelect"));
    // GL's depth range is remapped.
    assert_ne!(compiled("GL >= 1.3"), plain);
}

#[test]
fn every_program_has_an_output() {
    let folder = Folder::new("compile-several");
    folder.write("in/t.shader_test", right());
    folder.write("in/both.vfp", BOTH);
    folder.write(
        "in/glsl.shader_test",
        "[fragment shader]\nvoid main() {}\n[test]\n",
    );
    folder.write(
        "in/piglit.shader_test",
        "[require]\nINT 32\n[vertex shader]\n[test]\nnonsense\n",
    );
    let (status, stdout, stderr) = run(&folder, &["compile", "in", "-o", "out"]);
    assert_eq!(
        (status, stdout.as_str(), stderr.as_str()),
        (0, "", "2 files with 5 programs, 0 failed\n")
    );
    assert_eq!(
        files(&folder, "out/in"),
        [
            "both.vfp.fragment.spv",
            "both.vfp.vertex.spv",
            "t.shader_test.fragment.red.spv",
            "t.shader_test.fragment.spv",
            "t.shader_test.vertex.spv"
        ]
    );
    // Without -o outputs are next to their input, also in text forms.
    let (status, stdout, stderr) = run(&folder, &["compile", "in/both.vfp", "--emit", "ir"]);
    assert_eq!((status, stdout.as_str()), (0, ""), "{stderr}");
    assert!(files(&folder, "in").contains(&"both.vfp.vertex.ir".to_owned()));
    // One of them is chosen by its stage.
    let choose = ["compile", "in/both.vfp", "--stage", "fragment"];
    let (status, stdout, stderr) = run(&folder, &[&choose[..], &["--emit", "spvasm"]].concat());
    assert_eq!(status, 0, "{stderr}");
    assert!(stdout.contains("OpEntryPoint Fragment"), "{stdout}");
    assert_eq!(run(&folder, &[&choose[..], &["-o", "x.spv"]].concat()).0, 0);
    assert!(folder.0.join("x.spv").is_file());
}

#[test]
fn several_programs_need_a_folder() {
    let folder = Folder::new("compile-folder");
    folder.write("both.vfp", BOTH);
    folder.write("t.shader_test", right());
    for file in ["both.vfp", "t.shader_test"] {
        for output in ["x.spv", "-"] {
            let (status, _, stderr) = run(&folder, &["compile", file, "-o", output]);
            assert_eq!(status, 2, "{stderr}");
            assert!(
                stderr.contains(file) && stderr.contains("--stage"),
                "{stderr}"
            );
        }
    }
    assert!(!folder.0.join("x.spv").exists());
    let input = ["compile", "-", "--emit", "ir"];
    let (status, _, stderr) = run_with_input(&folder, &input, BOTH);
    assert_eq!(status, 2, "{stderr}");
    let one = [&input[..], &["--stage", "vertex"]].concat();
    let (status, stdout, stderr) = run_with_input(&folder, &one, BOTH);
    assert_eq!(status, 0, "{stderr}");
    assert!(stdout.starts_with("program vertex"), "{stdout}");
    let (status, _, stderr) = run(&folder, &["compile", "t.shader_test", "--stage", "compute"]);
    assert_eq!(status, 1);
    assert_eq!(stderr, "error: t.shader_test: it has no compute program\n");
}

#[test]
fn outputs_of_scripts_do_not_hide_others() {
    let folder = Folder::new("compile-taken");
    folder.write("in/t.shader_test", right());
    folder.write(
        "in/t.shader_test.vertex",
        "!!ARBvp1.0\nMOV result.position, 0;\nEND\n",
    );
    let (status, _, stderr) = run(&folder, &["compile", "in", "-o", "out"]);
    assert_eq!(status, 2);
    assert!(
        stderr.contains("in/t.shader_test (vertex) and in/t.shader_test.vertex would both"),
        "{stderr}"
    );
}

#[test]
fn several_programs_in_a_text_are_checked() {
    let folder = Folder::new("check-several");
    folder.write(
        "bad.vfp",
        format!("# both\n{BOTH}").replace("fragment.color", "colour"),
    );
    let (status, stdout, stderr) = run(&folder, &["check", "bad.vfp"]);
    assert_eq!(
        (status, stdout.as_str()),
        (1, "1 file with 2 programs, 1 failed\n"),
        "{stderr}"
    );
    assert!(stderr.contains("--> bad.vfp:7:19"), "{stderr}");
    assert_eq!(run_with_input(&folder, &["check", "-"], BOTH).0, 0);
}

#[test]
fn scripts_that_cannot_be_read_have_places() {
    let folder = Folder::new("check-unreadable");
    folder.write("t.shader_test", right() + "draw circle\nclear colour 1\n");
    let line = right().lines().count() + 1;
    let (status, stdout, stderr) = run(&folder, &["check", "t.shader_test"]);
    assert_eq!(
        (status, stdout.as_str()),
        (1, "1 file with 0 programs, 1 failed\n")
    );
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
    assert!(
        stderr.starts_with(&format!("error: t.shader_test:{line}:6: expected")),
        "{stderr}"
    );
    let json = run(
        &folder,
        &[
            "compile",
            "t.shader_test",
            "-o",
            "out/",
            "--message-format",
            "json",
        ],
    );
    let first: Value = serde_json::from_str(json.2.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["line"], &first["column"]),
        (&line.into(), &6.into())
    );
    // Scripts of other languages have nothing to check.
    folder.write(
        "glsl.shader_test",
        "[fragment shader]\nvoid main() {}\n[test]\n",
    );
    let (status, stdout, _) = run(&folder, &["check", "glsl.shader_test"]);
    assert_eq!(
        (status, stdout.as_str()),
        (0, "1 file with 0 programs, 0 failed\n")
    );
    assert_eq!(run(&folder, &["compile", "glsl.shader_test"]).0, 1);
}
