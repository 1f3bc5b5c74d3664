//! Errors in scripts are reported at lines of the script, in every report.

use crate::support::{Folder, run};
use glasm_tests::skip::skip;
use serde_json::Value;
use std::fs;

/// Two mistakes in the fragment program: at line 8, column 19, and at line 9, column 1.
const TWO_MISTAKES: &str = "# A script.\n\n[vertex program passthrough]\n\n[fragment program]\n!!NVfp5.0\n\
    # note\nMOV result.color, tint;\nMOVE result.color, 1;\nEND\n[test]\ndraw rect -1 -1 2 2\n";

/// Returns the records of all scripts in the directory `s`; `None` without a device.
fn run_and_parse(folder: &Folder, args: &[&str]) -> Option<Vec<Value>> {
    let json = ["run", "s", "--message-format", "json"];
    let (status, stdout, stderr) = run(folder, &[&json[..], args].concat());
    if status == 2 {
        skip(stderr);
        return None;
    }
    let lines = stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    Some(lines.collect())
}

fn collect_positions(record: &Value) -> Vec<(u64, u64)> {
    let failures = record["failures"].as_array().unwrap().iter();
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let place = |failure: &Value| (number(&failure["line"]), number(&failure["column"]));
    failures.map(place).collect()
}

#[test]
fn errors_of_programs_have_lines_of_the_script() {
    let folder = Folder::new("script-lines");
    folder.write("s/a.shader_test", TWO_MISTAKES);
    let Some(found) = run_and_parse(&folder, &[]) else {
        return;
    };
    assert_eq!(collect_positions(&found[0]), [(8, 19), (9, 1)]);
    let message = found[0]["failures"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("error[E0201]: "), "{message}");
    assert!(
        message.contains("--> s/a.shader_test:8:19")
            && message.contains("8 | MOV result.color, tint;\n")
            && message.contains("note: in [fragment program]"),
        "{message}"
    );
    let (_, stdout, _) = run(&folder, &["run", "s"]);
    assert!(
        stdout.contains("     line 8, column 19: error[E0201]: ")
            && stdout.contains("     line 9, column 1: error[E0103]: "),
        "{stdout}"
    );
}

#[test]
fn reports_annotate_the_line() {
    let folder = Folder::new("script-reports");
    folder.write("s/a.shader_test", TWO_MISTAKES);
    let reports = ["--junit", "r.xml", "--html", "r.html", "--json", "r.json"];
    if run_and_parse(&folder, &reports).is_none() {
        return;
    }
    let read = |name: &str| fs::read_to_string(folder.0.join(name)).unwrap();
    let junit = read("r.xml");
    assert!(
        junit.contains("file=\"s/a.shader_test\" line=\"8\"")
            && junit.contains("line 8, column 19: error[E0201]"),
        "{junit}"
    );
    let html = read("r.html");
    let marked =
        "<span class=\"at\"><span class=\"number\">    8  </span>MOV result.color, tint;</span>";
    assert!(html.contains(marked), "{html}");
    let json: Value = serde_json::from_str(&read("r.json")).unwrap();
    assert_eq!(collect_positions(&json["scripts"][0]), [(8, 19), (9, 1)]);
}

#[test]
fn every_kind_of_section_has_its_lines() {
    let folder = Folder::new("script-kinds");
    let test = "[test]\ndraw rect -1 -1 2 2\n";
    let vertex = "[vertex program passthrough]\n";
    // Line 5 contains two lines of the program with the same mistake, which is reported once.
    folder.write(
        "s/1.shader_test",
        format!("{vertex}[fragment program repeated]\n!!NVfp5.0\nTEMP r;\n%repeat 2 MOV r, q;\nMOV r, p;\nEND\n{test}"),
    );
    // A program in another form.
    folder.write(
        "s/2.shader_test",
        format!("{vertex}[fragment program ir]\nfragment \n{test}"),
    );
    // An error that is found only together with another stage.
    folder.write(
        "s/3.shader_test",
        "[vertex program]\n!!ARBvp1.0\nOPTION NV_vertex_program3;\nTEX result.position, 0, texture[3], CUBE;\nEND\n\
         [fragment program]\n!!ARBfp1.0\nTEX result.color, 0, texture[3], 2D;\nEND\n[test]\ndraw rect -1 -1 2 2\n",
    );
    // A program that a command loads.
    folder.write(
        "s/4.shader_test",
        format!("{vertex}[fragment program]\n!!NVfp5.0\nMOV result.color, 1;\nEND\n[fragment program other]\n!!NVfp5.0\nMOV x, 1;\nEND\n\
                 [test]\nload fragment other\ndraw rect -1 -1 2 2\n"),
    );
    // An error that no line expects, in addition to an expected one.
    folder.write(
        "s/5.shader_test",
        "[fragment program]\n!!NVfp5.0\nMOV x, 1;\nMOVE y, 1;\nEND\n[test]\nexpect error E0201\n",
    );
    // A line that cannot be read.
    folder.write("s/6.shader_test", format!("{vertex}{test}clear colour 1\n"));
    let Some(found) = run_and_parse(&folder, &[]) else {
        return;
    };
    let found: Vec<_> = found[..6].iter().map(collect_positions).collect();
    assert_eq!(found[0], [(5, 18), (6, 8)]);
    assert_eq!(found[1].len(), 1);
    assert!((2..=4).contains(&found[1][0].0), "{:?}", found[1]);
    assert_eq!(found[2], [(8, 1)]);
    assert_eq!(found[3], [(8, 5)]);
    assert_eq!(found[4], [(4, 1)]);
    assert_eq!(found[5], [(4, 7)]);
}

#[test]
fn programs_are_told_how_to_become_scripts() {
    let folder = Folder::new("run-program");
    for (name, text, what) in [
        (
            "tint.fp",
            "!!ARBfp1.0\nMOV result.color, {1, 0, 0, 1};\nEND\n",
            "a fragment program",
        ),
        (
            "lit.vp",
            "!!NVvp5.0\nMOV result.position, vertex.position;\nMOV result.color, 1;\nEND",
            "a vertex program",
        ),
        (
            "plain.vp",
            "# c\n!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\0\0",
            "a vertex program",
        ),
        (
            "sum.cp",
            "!!NVcp5.0\nGROUP_SIZE 1;\nEND\n",
            "a compute program",
        ),
        (
            "both.vfp",
            "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n!!ARBfp1.0\nMOV result.color, 1;\nEND\n",
            "programs (vertex, fragment)",
        ),
    ] {
        folder.write(name, text);
        let (status, script, stderr) = run(&folder, &["run", name]);
        assert_eq!(status, 2, "{stderr}");
        let own = name.split('.').next().unwrap().to_owned() + ".shader_test";
        assert!(
            stderr.contains(what) && stderr.contains(&format!("`glasm run {name} > {own}`")),
            "{stderr}"
        );
        folder.write(&own, &script);
        let (status, stdout, stderr) = run(&folder, &["run", &own, "--save-images", "."]);
        if status == 2 {
            skip(stderr);
            continue;
        }
        assert!(
            stdout.starts_with(&format!("PASS {own}")),
            "{stdout}{stderr}\n{script}"
        );
        let picture = folder.0.join(own.replace("shader_test", "png"));
        assert_eq!(picture.is_file(), name != "sum.cp", "{name}");
    }
}

#[test]
fn programs_that_no_script_can_be_made_of_are_told_so() {
    let folder = Folder::new("run-programs");
    let program = "!!ARBfp1.0\nMOV result.color, {1, 0, 0, 1};\nEND\n";
    for name in ["tint.fp", "other.fp"] {
        folder.write(name, program);
    }
    let (_, stdout, _) = run(&folder, &["run", "tint.fp", "--message-format", "json"]);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert!(
        json["script"]
            .as_str()
            .unwrap()
            .contains("[fragment program]")
    );
    let (status, stdout, stderr) = run(&folder, &["run", "tint.fp", "other.fp"]);
    assert_eq!((status, stdout.as_str()), (2, ""));
    assert!(stderr.contains("2 of the files are programs"), "{stderr}");
    folder.write("old.vp", "!!FCP1.0\nEND\n");
    let (status, stdout, stderr) = run(&folder, &["run", "old.vp"]);
    assert_eq!((status, stdout.as_str()), (2, ""));
    assert!(stderr.contains("the language of `!!FCP1.0`"), "{stderr}");
}
