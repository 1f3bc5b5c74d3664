//! `glasm extract`, and what `glasm check` says about files that contain programs.

use crate::support::{Folder, run};
use serde_json::Value;
use std::fs;

const VERTEX: &str =
    "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\nEND";
const FRAGMENT: &str = "!!ARBfp1.0\nMOV result.color, tint;\nEND";
const TGSI: &str =
    "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\n  0: MOV OUT[0], IN[0]\n  1: END";

/// Writes sources, a log and a binary with three different programs.
fn write_inputs(folder: &Folder) {
    folder.write(
        "in/a.c",
        format!(
            "char *p = \"{}\\n\";\n",
            VERTEX.replace('\n', "\\n\"\n  \"")
        ),
    );
    folder.write("in/b.bin", format!("\x01\x02\0{FRAGMENT}\0{VERTEX}\0\x7f"));
    folder.write("in/c.log", format!("fs: 1 TGSI:\n{TGSI}\n"));
    folder.write("in/d.txt", "strcmp(s, \"!!ARBvp1.0\")\n");
}

#[test]
fn each_program_is_written_once_with_an_index() {
    let folder = Folder::new("extract");
    write_inputs(&folder);
    let (status, stdout, stderr) = run(&folder, &["extract", "in", "-o", "out"]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    let read = |name: &str| fs::read_to_string(folder.0.join("out").join(name)).unwrap();
    assert_eq!(read("0001-ARBvp1.0.vp"), VERTEX);
    assert_eq!(read("0002-ARBfp1.0.fp"), FRAGMENT);
    assert_eq!(read("0003-FRAG.tgsi"), TGSI);
    assert_eq!(fs::read_dir(folder.0.join("out")).unwrap().count(), 5);
    let index: Value = serde_json::from_str(&read("index.json")).unwrap();
    let programs = index["programs"].as_array().unwrap();
    assert_eq!(programs[0]["language"], "!!ARBvp1.0");
    assert_eq!(programs[0]["type"], "vertex");
    assert_eq!(programs[0]["options"][0], "ARB_position_invariant");
    assert_eq!(programs[0]["loads"], true);
    let places = programs[0]["occurrences"].as_array().unwrap();
    assert_eq!(places.len(), 2);
    assert_eq!(
        (&places[0]["source"], &places[0]["offset"]),
        (&"in/a.c".into(), &11.into())
    );
    assert_eq!(places[0]["decoding"], "literal");
    assert_eq!(places[1]["offset"], 3 + FRAGMENT.len() + 1);
    assert_eq!(programs[1]["loads"], false);
    assert_eq!(programs[1]["errors"], 1);
    let error = programs[1]["first_error"].as_str().unwrap();
    assert!(
        error.starts_with("line 2, column 19: ") && error.contains("tint"),
        "{error}"
    );
    assert_eq!(index["summary"]["other_headers"], 1);
    let table = read("index.tsv");
    let columns: Vec<&str> = table.lines().nth(1).unwrap().split('\t').collect();
    assert_eq!(
        columns[..6],
        [
            "0001-ARBvp1.0.vp",
            "in/a.c",
            "",
            "11",
            "literal",
            "!!ARBvp1.0"
        ]
    );
    assert_eq!(columns.last(), Some(&"1"));
    for part in [
        "4 files",
        "3 programs in 4 occurrences",
        "2 load, 1 fail",
        "1 header without",
    ] {
        assert!(stdout.contains(part), "{part} in {stdout}");
    }
}

#[test]
fn results_are_the_same_with_any_number_of_threads() {
    let folder = Folder::new("extract-jobs");
    write_inputs(&folder);
    let one = run(&folder, &["extract", "in", "--json", "--jobs", "1"]);
    assert_eq!(
        one,
        run(&folder, &["extract", "in", "--json", "--jobs", "8"])
    );
    let (status, stdout, _) = one;
    assert_eq!(status, 0);
    let lines: Vec<Value> = stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[3]["programs"], 3);
    let (_, unchecked, _) = run(&folder, &["extract", "in", "--json", "--no-check"]);
    let first: Value = serde_json::from_str(unchecked.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["loads"], &first["errors"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn output_directories_are_not_mixed() {
    let folder = Folder::new("extract-output");
    write_inputs(&folder);
    folder.write("out/mine.txt", "");
    let (status, _, stderr) = run(&folder, &["extract", "in", "-o", "out"]);
    assert_eq!(status, 2);
    assert!(stderr.contains("not empty"), "{stderr}");
    let (status, ..) = run(&folder, &["extract", "in", "-o", "out", "--overwrite"]);
    assert_eq!(status, 0);
    // The output is not searched, although it is below the input.
    let (_, stdout, _) = run(
        &folder,
        &["extract", ".", "-o", "out", "--overwrite", "--json"],
    );
    let last: Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["files"], 4, "{stdout}");
}

#[test]
fn nothing_found_and_wrong_paths_have_their_statuses() {
    let folder = Folder::new("extract-none");
    folder.write("a.txt", "nothing");
    let (status, stdout, _) = run(&folder, &["extract", "a.txt"]);
    assert_eq!(status, 1);
    assert!(stdout.contains("0 programs"), "{stdout}");
    let (status, _, stderr) = run(&folder, &["extract", "missing"]);
    assert_eq!(status, 2);
    assert!(stderr.contains("missing"), "{stderr}");
}

#[test]
fn names_in_archives_do_not_leave_the_output() {
    let folder = Folder::new("extract-names");
    // A tar archive with one member, whose name is the path of another directory and has control
    // characters. The checksum is the sum of all bytes, with spaces for itself.
    let mut header = [0_u8; 512];
    header[..16].copy_from_slice(b"../../evil\x1b[2J\t\n");
    header[124..136].copy_from_slice(format!("{:011o}\0", VERTEX.len()).as_bytes());
    header[156] = b'0';
    header[257..265].copy_from_slice(b"ustar\x0000");
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut archive = header.to_vec();
    archive.extend(VERTEX.bytes());
    archive.resize(2048, 0);
    folder.write("a.tar", archive);
    let (status, stdout, stderr) = run(&folder, &["extract", "a.tar", "-o", "d/out"]);
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert!(folder.0.join("d/out/0001-ARBvp1.0.vp").exists());
    assert!(!folder.0.join("evil").exists() && !folder.0.join("../evil").exists());
    let table = fs::read_to_string(folder.0.join("d/out/index.tsv")).unwrap();
    assert_eq!(table.lines().count(), 2, "{table}");
    assert!(
        !table.contains('\x1b') && table.contains("../../evil"),
        "{table}"
    );
    let (_, list, _) = run(&folder, &["extract", "a.tar"]);
    assert!(!list.contains('\x1b'), "{list}");
}

#[test]
fn check_names_skipped_files_and_suggests_extract() {
    let folder = Folder::new("extract-check");
    write_inputs(&folder);
    folder.write("in/good.vp", VERTEX);
    let (status, stdout, _) = run(&folder, &["check", "in"]);
    assert_eq!(status, 0, "{stdout}");
    for part in [
        "skipped 3 files",
        "`glasm extract`",
        "a.c:1: !!ARBvp1.0 in a string literal",
        "b.bin:1: !!ARBfp1.0 after other text",
        "c.log:2: FRAG after other text",
        "1 file, 0 failed",
    ] {
        assert!(stdout.contains(part), "{part} in {stdout}");
    }
    let (_, _, stderr) = run(&folder, &["check", "in", "--message-format", "json"]);
    assert_eq!(stderr.lines().count(), 3, "{stderr}");
    let first: Value = serde_json::from_str(stderr.lines().next().unwrap()).unwrap();
    assert!(first["message"].as_str().unwrap().contains("glasm extract"));
    // A single file gets the same hint, with TGSI as with other languages.
    for file in ["in/c.log", "in/a.c"] {
        let (status, _, stderr) = run(&folder, &["check", file]);
        assert_eq!(status, 1);
        assert!(
            stderr.contains(&format!("`glasm extract {file}`")),
            "{stderr}"
        );
    }
}
