//! `glasm trace` compared with a device: the color of pixel (0, 0) of many scripts.

#![cfg(feature = "run")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod support;

use glasm_tests::skip::skip;
use rayon::prelude::*;
use serde_json::Value;
use std::path::{Path, PathBuf};
use support::{Folder, run};
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
