//! `glasm trace` compared with a device: the color of pixel (0, 0) of many scripts.

use crate::support::{Folder, run};
use glasm_tests::skip::skip;
use rayon::prelude::*;
use serde_json::Value;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// One of so many scripts is traced.
const INTERVAL: usize = 18;

/// Scripts whose differences have reasons that the trace does not list: a viewport index that does
/// not exist reads as 0 in fragment programs, and components that no instruction writes have the
/// type of the attachment, not that of the result.
const EXPLAINED: [&str; 3] = [
    "geometry/result/viewport",
    "runner/ir/typeless_bits",
    "tgsi/group/masks_fragment",
];

/// Returns scripts with fragment programs, in alphabetical order.
fn list_scripts() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/run");
    let files = WalkDir::new(root).sort_by_file_name().into_iter();
    let paths = files.map(|entry| entry.unwrap().into_path());
    let has_fragments = |path: &PathBuf| {
        let is_script = path.to_string_lossy().ends_with(".shader_test");
        is_script && {
            let text = std::fs::read(path).unwrap();
            let text = String::from_utf8_lossy(&text);
            text.contains("\n[fragment program") && text.contains("\ndraw ")
        }
    };
    paths.filter(has_fragments).collect()
}

/// Returns the report of a trace of pixel (0, 0); `None` if no draw covers it.
fn trace(folder: &Folder, script: &Path) -> Option<Value> {
    let path = script.to_string_lossy();
    let (status, stdout, stderr) = run(folder, &["trace", &path, "--at", "0,0", "--json"]);
    if status == 2 {
        assert!(
            stderr.contains("no draw covers pixel (0, 0)"),
            "{path}: {stderr}"
        );
        return None;
    }
    Some(serde_json::from_str(&stdout).unwrap())
}

#[test]
fn simulated_colors_agree_with_the_device() {
    let folder = Folder::new("trace-device");
    let (status, _, stderr) = run(&folder, &["devices"]);
    if status != 0 {
        skip(stderr);
        return;
    }
    let scripts: Vec<PathBuf> = list_scripts().into_iter().step_by(INTERVAL).collect();
    let reports: Vec<(PathBuf, Option<Value>)> = scripts
        .into_par_iter()
        .map(|script| {
            let report = trace(&folder, &script);
            (script, report)
        })
        .collect();
    let (mut agreeing, mut differing) = (0, Vec::new());
    for (script, report) in &reports {
        let Some(report) = report
            .as_ref()
            .filter(|it| it["device"]["compared"] == true)
        else {
            continue;
        };
        let is_complete = report["limitations"].as_array().unwrap().is_empty();
        let path = script.to_string_lossy();
        let is_explained = EXPLAINED.iter().any(|name| path.contains(name));
        if report["device"]["agrees"] == true {
            agreeing += 1;
        } else if is_complete && !is_explained {
            differing.push(format!("{path}: {}", report["device"]));
        }
    }
    assert!(differing.is_empty(), "{differing:#?}");
    assert!(
        agreeing >= 100,
        "only {agreeing} of {} scripts agree",
        reports.len()
    );
}

/// Traces a script with options, and returns the comparison with the device.
fn compare(folder: &Folder, script: &str, options: &[&str]) -> Value {
    folder.write("a.shader_test", script);
    let mut args = vec!["trace", "a.shader_test", "--json"];
    args.extend(options);
    let (_, stdout, stderr) = run(folder, &args);
    assert_eq!(stderr, "", "{options:?}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    report["device"].clone()
}

#[test]
fn vertices_agree_with_the_device() {
    let folder = Folder::new("trace-vertices");
    let (status, _, stderr) = run(&folder, &["devices"]);
    if status != 0 {
        skip(stderr);
        return;
    }
    for require in ["", "[require]\nGL >= 1.3\n"] {
        let script = format!(
            "{require}[vertex program]\n!!NVvp4.0\nTEMP a;\nI2F a.x, vertex.id.x;\n\
             MUL result.position, vertex.attrib[0], {{0.5, 0.5, 0.25, 1}};\n\
             MOV result.color, vertex.attrib[1];\nMOV result.texcoord[1], a.x;\nEND\n\
             [geometry program]\n!!NVgp4.0\nPRIMITIVE_IN TRIANGLES;\nPRIMITIVE_OUT TRIANGLE_STRIP;\n\
             VERTICES_OUT 3;\nEND\n\
             [fragment program]\n!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n\
             [vertex data]\n0/R32G32B32_SFLOAT 1/R32G32_SFLOAT\n\
             0 0 0  1 2\n1 0 1  3 4\n1 1 1  5 6\n0 1 0  7 8\n\
             [test]\ndraw arrays TRIANGLE_STRIP 0 4\n"
        );
        let device = compare(&folder, &script, &["--vertex", "2"]);
        if device["compared"] != true {
            skip(device["reason"].as_str().unwrap());
            return;
        }
        assert_eq!(device["agrees"], true, "{device}");
        let results = device["vertices"].as_array().unwrap();
        let find = |name: &str| {
            let mut results = results.iter();
            let found = results.find(|it| it["name"].as_str().unwrap().contains(name));
            found.unwrap()["observed"].clone()
        };
        assert_eq!(find("position"), serde_json::json!([0.5, 0.5, 0.25, 1.0]));
        assert_eq!(find("color"), serde_json::json!([5.0, 6.0, 0.0, 1.0]));
        assert_eq!(find("texcoord"), serde_json::json!([2.0, 2.0, 2.0, 2.0]));
    }
}

/// Checks the vertices of a rectangle, whose corners the script does not list.
#[test]
fn corners_of_rectangles_agree_with_the_device() {
    let folder = Folder::new("trace-corners");
    let (status, _, stderr) = run(&folder, &["devices"]);
    if status != 0 {
        skip(stderr);
        return;
    }
    let script = "[vertex program]\n!!ARBvp1.0\nMOV result.position, vertex.position;\n\
                  MOV result.texcoord[0], vertex.texcoord[0];\nEND\n\
                  [fragment program]\n!!ARBfp1.0\nMOV result.color, fragment.texcoord[0];\nEND\n\
                  [test]\ndraw rect tex -1 -1 2 2 0 0 3 5\n";
    let device = compare(&folder, script, &["--vertex", "3"]);
    if device["compared"] != true {
        skip(device["reason"].as_str().unwrap());
        return;
    }
    assert_eq!(device["agrees"], true, "{device}");
    let observed = &device["vertices"][1]["observed"];
    assert_eq!(*observed, serde_json::json!([3.0, 5.0, 0.0, 1.0]));
}

#[test]
fn primitives_agree_with_the_device() {
    let folder = Folder::new("trace-primitives");
    let (status, _, stderr) = run(&folder, &["devices"]);
    if status != 0 {
        skip(stderr);
        return;
    }
    // Two triangles of a strip of four vertices: the second has the other order.
    let script = "[vertex program]\n!!NVvp4.0\nMOV result.position, vertex.position;\nEND\n\
                  [geometry program]\n!!NVgp4.0\nPRIMITIVE_IN LINES;\n\
                  PRIMITIVE_OUT TRIANGLE_STRIP;\nVERTICES_OUT 4;\n\
                  MOV result.texcoord[0], 1;\nMOV result.position, vertex[0].position;\nEMIT;\n\
                  MOV result.texcoord[0], 2;\nMOV result.position, vertex[1].position;\nEMIT;\n\
                  MOV result.texcoord[0], 3;\nMOV result.position, vertex[0].position.yxzw;\nEMIT;\n\
                  MOV result.texcoord[0], 4;\nMOV result.position, vertex[1].position.yxzw;\nEMIT;\n\
                  END\n\
                  [fragment program]\n!!ARBfp1.0\nMOV result.color, 1;\nEND\n\
                  [vertex data]\n0/R32G32B32_SFLOAT\n0 0 0\n0.5 0 1\n0.25 1 1\n0 1 0\n\
                  [test]\ndraw arrays LINES 0 4\n";
    let device = compare(&folder, script, &["--primitive", "1"]);
    if device["compared"] != true {
        skip(device["reason"].as_str().unwrap());
        return;
    }
    assert_eq!(device["agrees"], true, "{device}");
    let vertices = device["vertices"].as_array().unwrap();
    let positions = vertices.iter().filter(|it| it["name"] == "result.position");
    assert_eq!(positions.count(), 6);
}
