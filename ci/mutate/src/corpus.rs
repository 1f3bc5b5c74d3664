//! Programs of a folder as scripts, so that what the compiler makes of them is compared in the same
//! way.

use crate::build::OUT;
use anyhow::{Context, Result};
use glasm_ci_support::shell;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Starts of programs and their stages.
const STAGES: [(&str, &str); 6] = [
    ("!!NVvp", "vertex"),
    ("!!ARBvp", "vertex"),
    ("!!NVfp", "fragment"),
    ("!!ARBfp", "fragment"),
    ("!!NVgp", "geometry"),
    ("!!NVcp", "compute"),
];

/// Largest program that is taken.
const SIZE: usize = 64 << 10;

/// Writes a script for each program below `folder` and returns the folder of the scripts.
pub(crate) fn write(folder: &Path) -> Result<Vec<String>> {
    let out = OUT.join("corpus");
    shell::create_empty_dir(&out)?;
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in WalkDir::new(folder) {
        files.push(entry.context("reading the programs")?.into_path());
    }
    files.sort();
    let mut number = 0;
    for file in files.iter().filter(|file| file.is_file()) {
        let text = std::fs::read(file)?;
        let text = String::from_utf8_lossy(&text);
        let stage = STAGES.iter().find(|(start, _)| text.starts_with(start));
        // A line that begins a section would end the program.
        if let Some((_, stage)) = stage.filter(|_| text.len() < SIZE && !text.contains("\n[")) {
            let script = format!("[require]\nGL >= 1.3\n[{stage} program]\n{text}\n[test]\n");
            std::fs::write(out.join(format!("{number:05}.shader_test")), script)?;
            number += 1;
        }
    }
    println!("{number} programs of {}", folder.display());
    Ok(vec![out.display().to_string()])
}
