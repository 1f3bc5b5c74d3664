//! Licenses of the dependencies, whose terms require that packages contain them.

use anyhow::{Context as _, Result};
use glasm_ci_support::shell;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Beginnings of the names of files with licenses.
const NAMES: [&str; 4] = ["license", "copying", "notice", "unlicense"];

/// Ends of the names of files that are code.
const SOURCES: [&str; 5] = [".c", ".cpp", ".h", ".py", ".rs"];

/// Depth of directories in which licenses are searched: sources in C++ are below a crate's root.
const MAX_DEPTH: usize = 3;

/// Library of a compiler that is part of binaries.
pub(super) struct SystemLibrary {
    /// Name for users.
    pub(super) name: String,
    /// Name of the license.
    pub(super) license: &'static str,
    /// File with the text of the license.
    pub(super) file: PathBuf,
}

/// Binaries whose licenses are collected.
pub(super) struct Scope<'a> {
    /// Packages whose dependencies are part of binaries.
    pub(super) binaries: &'a [&'a str],
    /// Rust's name of their target.
    pub(super) platform: &'a str,
    /// Other libraries that are part of them.
    pub(super) libraries: Vec<SystemLibrary>,
}

/// Returns the libraries of zig in a directory that are part of binaries: for C++ and for stack
/// unwinding.
pub(super) fn list_zig_libraries(zig: &Path) -> Vec<SystemLibrary> {
    let libraries = ["libcxx", "libcxxabi", "libunwind"];
    let libraries = libraries.map(|library| SystemLibrary {
        name: format!("LLVM {library}"),
        license: "Apache-2.0 WITH LLVM-exception",
        file: zig.join("lib").join(library).join("LICENSE.TXT"),
    });
    libraries.into()
}

/// Returns the names and licenses of all crates that are part of the binaries, and each license text
/// once, with the crates that it applies to.
pub(super) fn collect_licenses(scope: &Scope<'_>) -> Result<String> {
    let mut command = shell::cargo();
    command.args([
        "metadata",
        "--format-version=1",
        "--locked",
        "--all-features",
    ]);
    command.args(["--filter-platform", scope.platform]);
    let metadata: Value = serde_json::from_slice(&shell::read_checked_output(&mut command)?)?;
    let ids = find_dependencies(&metadata, scope.binaries)?;
    let mut list = String::new();
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in array(&metadata["packages"])? {
        if package["source"].is_null() || !ids.contains(text(&package["id"])?) {
            continue;
        }
        let name = format!("{} {}", text(&package["name"])?, text(&package["version"])?);
        let license = package["license"].as_str().unwrap_or("see its text");
        writeln!(list, "{name}: {license}")?;
        let manifest = Path::new(text(&package["manifest_path"])?);
        for file in find_license_files(manifest.parent().unwrap_or(Path::new(".")))? {
            let content = fs::read(&file).with_context(|| file.display().to_string())?;
            let content = String::from_utf8_lossy(&content).trim().to_owned();
            texts.entry(content).or_default().insert(name.clone());
        }
    }
    list += "Rust's standard library: MIT OR Apache-2.0\n";
    for SystemLibrary {
        name,
        license,
        file,
    } in &scope.libraries
    {
        writeln!(list, "{name}: {license}")?;
        let content = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let names = texts.entry(content.trim().to_owned()).or_default();
        names.insert(name.clone());
    }
    let mut all = format!(
        "glasm contains code of the following packages, under the licenses that are named. The license \
         texts of the packages follow.\n\n{list}"
    );
    for (content, names) in texts {
        let names: Vec<String> = names.into_iter().collect();
        write!(
            all,
            "\n{}\n{}\n\n{content}\n",
            "-".repeat(80),
            names.join(", ")
        )?;
    }
    Ok(all)
}

/// Returns the ids of the packages that the binaries of these packages link, directly or indirectly:
/// neither those of builds nor those of tests.
fn find_dependencies<'a>(metadata: &'a Value, binaries: &[&str]) -> Result<BTreeSet<&'a str>> {
    let mut edges: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for node in array(&metadata["resolve"]["nodes"])? {
        let mut linked = Vec::new();
        for dependency in array(&node["deps"])? {
            let mut kinds = array(&dependency["dep_kinds"])?.iter();
            if kinds.any(|kind| kind["kind"].is_null()) {
                linked.push(text(&dependency["pkg"])?);
            }
        }
        edges.insert(text(&node["id"])?, linked);
    }
    let mut open = Vec::new();
    for package in array(&metadata["packages"])? {
        if binaries.contains(&text(&package["name"])?) {
            open.push(text(&package["id"])?);
        }
    }
    let mut ids = BTreeSet::new();
    while let Some(id) = open.pop() {
        if ids.insert(id) {
            open.extend(edges.get(id).into_iter().flatten());
        }
    }
    Ok(ids)
}

/// Returns the files of a package that contain licenses, sorted.
fn find_license_files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = walkdir::WalkDir::new(directory).max_depth(MAX_DEPTH);
    for entry in entries.sort_by_file_name() {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let is_source = SOURCES.iter().any(|extension| name.ends_with(extension));
        let is_named = NAMES.iter().any(|start| name.starts_with(start));
        if entry.file_type().is_file() && is_named && !is_source {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

/// Returns the elements of a JSON array.
fn array(value: &Value) -> Result<&Vec<Value>> {
    value.as_array().context("cargo metadata lacks a list")
}

/// Returns the content of a JSON string.
fn text(value: &Value) -> Result<&str> {
    value.as_str().context("cargo metadata lacks a string")
}
