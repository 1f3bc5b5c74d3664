//! The command as its users meet it: output, exit status, files.

use crate::support::{Folder, run, run_with_input};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A vertex program without mistakes.
const GOOD: &str = "!!NVvp5.0\nMOV result.position, vertex.position;\nEND\n";
/// An undeclared name, an unknown opcode, a missing operand, in this order.
const THREE_MISTAKES: &str =
    "!!NVvp5.0\nTEMP r;\nMOV r, q;\nMOVE r, 1;\nADD r, r;\nMOV result.position, r;\nEND\n";

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
fn version_names_commit_and_features() {
    let folder = Folder::new("version");
    let (status, stdout, _) = run(&folder, &["--version"]);
    assert_eq!(status, 0);
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(
        lines.first(),
        Some(&concat!("glasm ", env!("CARGO_PKG_VERSION")))
    );
    assert!(lines[1].starts_with("commit: "), "{stdout}");
    assert_eq!(
        lines[2].contains("run"),
        cfg!(feature = "run"),
        "features of the build: {stdout}"
    );
    let (_, short, _) = run(&folder, &["-V"]);
    assert_eq!(short, concat!("glasm ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn shells_complete_commands_and_options() {
    let folder = Folder::new("completions");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (status, script, stderr) = run(&folder, &["completions", shell]);
        assert_eq!(status, 0, "{shell}: {stderr}");
        for word in ["check", "compile", "explain", "step-limit"] {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
    }
    let Ok(output) = Command::new("bash")
        .args(["-c", "source <(\"$0\" completions bash); COMP_WORDS=(glasm comp); COMP_CWORD=1; _glasm glasm comp glasm; echo \"${COMPREPLY[@]}\""])
        .arg(env!("CARGO_BIN_EXE_glasm"))
        .output()
    else {
        return;
    };
    let words = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        words.split_whitespace().collect::<Vec<_>>(),
        ["compile", "completions"],
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = Folder::new("manual");
    let (status, _, stderr) = run(&folder, &["man-pages", "."]);
    assert_eq!(status, 0, "{stderr}");
    for (page, part) in [
        ("glasm.1", "glasm\\-check(1)"),
        ("glasm-check.1", "strict"),
        ("glasm-compile.1", "step\\-limit"),
        ("glasm-explain.1", "explain"),
    ] {
        let text = fs::read_to_string(folder.0.join(page)).unwrap();
        assert!(text.starts_with(".ie"), "{page} is not a page: {text}");
        assert!(text.contains(part), "{page} lacks {part}");
    }
    assert!(!folder.0.join("glasm-man-pages.1").exists());
    let (status, _, stderr) = run(&folder, &["man-pages", "missing"]);
    assert_eq!(status, 2);
    assert!(stderr.contains("missing"), "{stderr}");
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
    assert_eq!(
        counts,
        serde_json::json!({ "files": 1, "programs": 1, "failed": 1, "scripts_with_expected_errors": 0 })
    );
}

#[test]
fn programs_have_the_type_that_is_asked_for() {
    let folder = Folder::new("stage");
    folder.write("good.vp", GOOD);
    for command in ["check", "compile"] {
        let right = run(&folder, &[command, "good.vp", "--stage", "vertex"]);
        assert_eq!(right.0, 0, "{}", right.2);
        let wrong = run(&folder, &[command, "good.vp", "--stage", "fragment"]);
        assert_eq!(wrong.0, 1);
        assert!(wrong.2.contains("E0907"), "{}", wrong.2);
        let unknown = run(&folder, &[command, "good.vp", "--stage", "pixel"]);
        assert_eq!(unknown.0, 2);
        assert!(unknown.2.contains("tess_eval"), "{}", unknown.2);
    }
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
    assert_eq!(status, 0);
    assert!(
        stderr.contains("warning[E0901]") && stderr.contains("--> <stdin>:1:2"),
        "{stderr}"
    );
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
    assert_eq!(run(&folder, &["compile", "a.vp", "-o", "x.spv"]).0, 0);
    assert!(is_module(&folder.0.join("x.spv")));
    assert_eq!(run(&folder, &["compile", "a.vp", "-o", "new/"]).0, 0);
    assert!(is_module(&folder.0.join("new/a.vp.spv")));
    assert_eq!(run(&folder, &["compile", "a.vp", "-o", "new/x.spv"]).0, 0);
    assert!(is_module(&folder.0.join("new/x.spv")));
    folder.write("blocked", "a file where a folder must be");
    for output in ["blocked/x.spv", "missing/x.spv", "new/missing/x.spv"] {
        let (status, _, stderr) = run(&folder, &["compile", "a.vp", "-o", output]);
        assert_eq!(status, 2);
        let (missing, _) = output.rsplit_once('/').unwrap();
        assert_eq!(
            stderr,
            format!("error: {output}: directory {missing} does not exist\n")
        );
        assert!(!folder.0.join("missing").exists());
    }
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
fn state_is_read_from_where_the_caller_says() {
    let folder = Folder::new("state");
    folder.write(
        "a.fp",
        "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n",
    );
    for (form, has_constants, has_block) in [
        ("fixed", false, false),
        ("specialized", true, false),
        ("uniform", false, true),
    ] {
        let line = [
            "compile",
            "a.fp",
            "--state-source",
            form,
            "--emit",
            "spvasm",
        ];
        let (status, stdout, stderr) = run(&folder, &line);
        assert_eq!(status, 0, "{form}: {stderr}");
        let has = |word: &str| stdout.split_ascii_whitespace().any(|it| it == word);
        assert_eq!(
            (has("SpecId"), has("Block")),
            (has_constants, has_block),
            "{form}: {stdout}"
        );
    }
}

#[cfg(feature = "translate")]
#[test]
fn textures_are_translated() {
    let folder = Folder::new("textures");
    let program = "!!NVfp5.0\nTEMP r;\nTEX r, fragment.texcoord[0], texture[3], 2D;\n\
                   MUL result.color, r, program.local[0];\nEND\n";
    folder.write("a.fp", program);
    let wgsl = run(&folder, &["compile", "a.fp", "--emit", "wgsl"]).1;
    for mark in [
        "@group(1) @binding(3)",
        "texture_2d<f32>",
        "@group(1) @binding(131)",
        ": sampler",
        "textureSample(",
    ] {
        assert!(wgsl.contains(mark), "{mark}:\n{wgsl}");
    }
    for (form, mark) in [
        ("msl", ".sample("),
        ("hlsl", ".Sample("),
        ("glsl", "texture("),
    ] {
        for target in ["vulkan1.1", "vulkan1.3"] {
            let (status, stdout, stderr) = run(
                &folder,
                &["compile", "a.fp", "--emit", form, "--target", target],
            );
            assert!(
                status == 0 && stdout.contains(mark),
                "{form} {target}:\n{stdout}{stderr}"
            );
        }
    }
}

#[cfg(feature = "translate")]
#[test]
fn features_that_languages_lack_are_named() {
    let folder = Folder::new("lacking");
    folder.write(
        "a.cp",
        "!!NVcp5.0\nGROUP_SIZE 1;\nLONG TEMP a;\nMOV.U64 a, 0;\nSTORE.U32 1, a.x;\nEND\n",
    );
    assert_eq!(run(&folder, &["compile", "a.cp", "--emit", "reflect"]).0, 0);
    let (status, _, stderr) = run(&folder, &["compile", "a.cp", "--emit", "wgsl"]);
    assert_eq!(status, 1, "{stderr}");
    assert!(
        stderr.contains("bufferDeviceAddress") && stderr.contains("= note: wgsl does not have it"),
        "{stderr}"
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
        run(
            &folder,
            &["compile", "a.vp", "--emit", "spvasm", "--debug-info"]
        )
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
fn zero_times_infinity_is_a_choice() {
    let folder = Folder::new("legacy-multiply");
    folder.write(
        "a.vp",
        "!!ARBvp1.0\nMUL result.position, vertex.position, program.local[0];\nEND\n",
    );
    let compile = ["compile", "a.vp", "--emit", "spvasm"];
    assert!(!run(&folder, &compile).1.contains("OpSelect"));
    let (status, stdout, stderr) = run(&folder, &[&compile[..], &["--legacy-multiply"]].concat());
    assert_eq!(status, 0, "{stderr}");
    assert!(stdout.contains("OpSelect"), "{stdout}");
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
    let expected = if cfg!(feature = "spirv-tools") { 0 } else { 2 };
    assert_eq!(output.status.code(), Some(expected));
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
    for (topic, says) in [
        ("NV_fragment_program2", "OPTION NV_fragment_program2;"),
        ("ARB_fog_linear", "GL's fog"),
        ("fragment.color", "primary color"),
        ("result.depth", "depth of the fragment"),
        ("vertex.attrib[3]", "vertex.attrib[n]: vertex attribute"),
        (
            "state.matrix.mvp",
            "projection matrix times modelview matrix 0",
        ),
        ("state.light[0].half", "half vector of a light"),
        ("state.texenv[0].color", "color of a texture environment"),
        ("state.fog.color", "color of fog"),
        ("SHADOW2D", "whose depths are compared"),
        ("!!FCP1.0", "not there yet"),
        ("state", "state.fog.params"),
    ] {
        let (status, stdout, stderr) = run(&folder, &["explain", topic]);
        assert_eq!(status, 0, "{stderr}");
        assert!(stdout.contains(says), "{topic}: {stdout}");
    }
}

#[test]
fn explanations_are_json_on_demand() {
    let folder = Folder::new("explain-json");
    let explain = |args: &[&str]| {
        let json = ["explain", "--message-format", "json"];
        let (status, stdout, stderr) = run(&folder, &[&json[..], args].concat());
        let lines = stdout.lines().chain(stderr.lines());
        let lines = lines.map(|line| serde_json::from_str(line).unwrap());
        (status, lines.collect::<Vec<serde_json::Value>>())
    };
    let (status, mad) = explain(&["mad"]);
    assert_eq!((status, mad.len()), (0, 6));
    assert_eq!(mad[0]["kind"], "opcode");
    assert_eq!(mad[0]["syntax"], "MAD result, a, b, c;");
    assert_eq!(mad[0]["fields"]["result"], "vector");
    let (_, code) = explain(&["E0201"]);
    assert_eq!(
        (&code[0]["name"], &code[0]["summary"]),
        (&"E0201".into(), &"undeclared name".into())
    );
    assert!(code[0]["description"].as_str().unwrap().len() > 20);
    let (_, all) = explain(&[]);
    for kind in [
        "opcode", "error", "option", "binding", "state", "target", "language",
    ] {
        assert!(all.iter().any(|line| line["kind"] == kind), "{kind}");
    }
    let (status, wrong) = explain(&["fragment.colr"]);
    assert_eq!(status, 2);
    let message = wrong[0]["message"].as_str().unwrap();
    assert!(
        message.contains("did you mean `fragment.color`?"),
        "{message}"
    );
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

#[cfg(feature = "run")]
mod run_scripts {
    use super::*;
    use glasm_tests::skip::skip;

    /// Returns true if the machine has a Vulkan device.
    fn has_device(folder: &Folder) -> bool {
        let (status, _, stderr) = run(folder, &["devices"]);
        if status != 0 {
            skip(stderr);
        }
        status == 0
    }

    #[test]
    fn wrong_usage_ends_with_status_2() {
        let folder = Folder::new("run-usage");
        folder.write("a.shader_test", "");
        fs::create_dir(folder.0.join("empty")).unwrap();
        let cases: &[&[&str]] = &[
            &["run"],
            &["run", "missing.shader_test"],
            &["run", "empty"],
            &["run", "a.shader_test", "--filter", "nothing like it"],
            &["run", "a.shader_test", "--device", "no such device"],
            &["run", "a.shader_test", "--device", "4000"],
            &["run", "a.shader_test", "--jobs", "0"],
            &["run", "a.shader_test", "--timeout", "-1"],
        ];
        for args in cases {
            let (status, stdout, stderr) = run(&folder, args);
            assert_eq!((status, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
            assert!(!stderr.is_empty(), "{args:?} says nothing");
        }
    }

    #[test]
    fn devices_are_listed_or_missing() {
        let folder = Folder::new("devices");
        let (status, stdout, stderr) = run(&folder, &["devices"]);
        match status {
            0 => assert!(
                stdout.starts_with("0: ") && stdout.contains("Vulkan 1."),
                "{stdout}"
            ),
            _ => assert!(
                status == 2 && stderr.starts_with("error: "),
                "{status}: {stderr}"
            ),
        }
    }

    /// Returns a script that draws red and expects `color`.
    fn script(color: &str) -> String {
        let lines = [
            "# covers: gp.op.MOV/F",
            "[require]",
            "fbsize 4 4",
            "[vertex program passthrough]",
            "[fragment program]",
            "!!NVfp5.0",
            "MOV result.color, {1, 0, 0, 1};",
            "END",
            "[test]",
            "draw rect -1 -1 2 2",
            &format!("probe all rgba {color}"),
        ];
        lines.join("\n") + "\n"
    }

    /// Scripts that pass, fail, pass, and are skipped.
    fn write_scripts(folder: &Folder) {
        folder.write("s/1-good.shader_test", script("1 0 0 1"));
        folder.write("s/2-bad.shader_test", script("0 1 0 1"));
        folder.write("s/3-good.shader_test", script("1 0 0 1"));
        let skipped = script("1 0 0 1").replace("fbsize", "VK_EXT_no_such_thing\nfbsize");
        folder.write("s/4-skip.shader_test", skipped);
    }

    #[test]
    fn scripts_are_run_in_order() {
        let folder = Folder::new("run");
        if !has_device(&folder) {
            return;
        }
        write_scripts(&folder);
        let (status, stdout, stderr) = run(&folder, &["run", "s", "--jobs", "2"]);
        assert_eq!(status, 1, "{stdout}{stderr}");
        let heads: Vec<&str> = stdout
            .lines()
            .filter(|line| !line.starts_with(' '))
            .map(|line| &line[..9])
            .collect();
        assert_eq!(
            heads,
            [
                "PASS s/1-",
                "FAIL s/2-",
                "PASS s/3-",
                "SKIP s/4-",
                "2 passed,"
            ],
            "{stdout}"
        );
        assert!(
            stdout.ends_with("2 passed, 1 failed, 1 skipped\n"),
            "{stdout}"
        );
        let (status, stdout, _) = run(
            &folder,
            &["run", "s", "--filter", "good", "--message-format", "json"],
        );
        assert_eq!(status, 0);
        let lines: Vec<serde_json::Value> = stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(
            lines[2],
            serde_json::json!({
                "passed": 2, "failed": 0, "skipped": 0, "expected_failures": 0, "unexpected_passes": 0,
            })
        );
    }

    #[test]
    fn reports_are_written() {
        let folder = Folder::new("run-report");
        if !has_device(&folder) {
            return;
        }
        write_scripts(&folder);
        run(
            &folder,
            &[
                "run",
                "s",
                "--json",
                "out/report.json",
                "--junit",
                "out/report.xml",
            ],
        );
        let text = fs::read_to_string(folder.0.join("out/report.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let scripts = report["scripts"].as_array().unwrap();
        let outcomes: Vec<_> = scripts
            .iter()
            .map(|script| script["outcome"].as_str().unwrap())
            .collect();
        assert_eq!(outcomes, ["pass", "fail", "pass", "skip"]);
        assert_eq!(
            scripts[0]["covered_features"],
            serde_json::json!(["gp.op.MOV/F"])
        );
        assert_eq!(scripts[1]["failures"][0]["line"], 11);
        assert!(
            fs::read_to_string(folder.0.join("out/report.xml"))
                .unwrap()
                .contains("failures=\"1\"")
        );
    }
}
