//! A copy of the workspace with faults in it, and its build.
//!
//! The copy has a separate target directory, so that its programs are not confused with the real
//! ones; build artifacts of other crates are linked from the target directory of the workspace.

use crate::rewrite::rewrite;
use crate::sample::{CRATES, Fault};
use anyhow::{Context, Result, bail, ensure};
use glasm_ci_support::shell;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// Directory of all output.
pub(crate) static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("mutate"));

/// Switch that is added to the crate `ir`, for all crates.
const SWITCH: &str = include_str!("switch.rs");

/// Instrumentation of the copy, which reports the faults that scripts reach and the output of the
/// compiler: file, original source, and replacement.
const WATCH: [(&str, &str, &str); 5] = [
    (
        "compiler/ir/src/lib.rs",
        "pub mod builder;",
        "pub mod builder;\npub mod fault_switch;",
    ),
    (
        "cli/src/run/worker.rs",
        "let record = Box::new(work.run(&path));",
        "let record = Box::new(work.run(&path)); glasm::ir::fault_switch::end_script(&path);",
    ),
    (
        "vkrunner/src/runner.rs",
        "        drop(compiling);",
        "        drop(compiling); glasm::ir::fault_switch::note(&sets);",
    ),
    (
        "scripts/src/compile.rs",
        "glasm::compile(&self.source(section), &self.options(section.stage))",
        "{ let made = glasm::compile(&self.source(section), &self.options(section.stage)); glasm::ir::fault_switch::note(&made); made }",
    ),
    (
        "scripts/src/compile.rs",
        "let stages = compiler.link_with(&stages);",
        "let stages = compiler.link_with(&stages); glasm::ir::fault_switch::note(&stages);",
    ),
];

/// Maximum number of iterations of removing faults that do not compile.
const ROUNDS: usize = 40;

/// Built copy of the workspace.
pub(crate) struct Copy {
    root: PathBuf,
    target: PathBuf,
}

/// Program of tests.
#[derive(Clone, Debug)]
pub(crate) struct TestProgram {
    /// Name of the package and the target.
    pub(crate) name: String,
    /// Program.
    pub(crate) path: PathBuf,
    /// Working directory.
    pub(crate) folder: PathBuf,
}

impl Copy {
    /// Builds the `glasm` command with the faults in it; their numbers are their indices in the
    /// list. Returns those that compile.
    pub(crate) fn build(faults: &[Fault]) -> Result<(Self, BTreeSet<usize>)> {
        shell::create_dir(&OUT)?;
        let out = OUT.canonicalize()?;
        let copy = Self {
            root: out.join("source"),
            target: out.join("build"),
        };
        copy.copy_sources()?;
        link_dependencies(
            &shell::target_dir().join("debug"),
            &copy.target.join("debug"),
        )?;
        let mut alive: BTreeSet<usize> = (0..faults.len()).collect();
        for round in 1..=ROUNDS {
            let parts = copy.write_faults(faults, &alive)?;
            println!("build {round}: {} faults", alive.len());
            let Some(wrong) = copy.try_build(&parts)? else {
                return Ok((copy, alive));
            };
            alive.retain(|number| !wrong.contains(number));
        }
        bail!("the copy does not build after {ROUNDS} rounds")
    }

    /// Returns the command.
    pub(crate) fn glasm(&self) -> PathBuf {
        self.target.join("debug/glasm")
    }

    /// Copies the files that git tracks; unchanged files retain their modification time, so that
    /// cargo does not build them again.
    fn copy_sources(&self) -> Result<()> {
        let listed = shell::capture(Command::new("git").args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]))?;
        ensure!(listed.status.success(), "git does not list the files");
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let listed: BTreeSet<&str> = listed.split('\0').filter(|name| !name.is_empty()).collect();
        for name in &listed {
            // Deleted, but not yet for git.
            if Path::new(name).is_file() {
                let mut bytes = std::fs::read(name).with_context(|| format!("reading {name}"))?;
                for (_, from, to) in WATCH.iter().filter(|(file, ..)| file == name) {
                    let text = String::from_utf8(bytes)?;
                    ensure!(
                        text.contains(from),
                        "{name} has no `{from}`: see {}",
                        file!()
                    );
                    bytes = text.replacen(from, to, 1).into_bytes();
                }
                if !is_rewritten(name) {
                    self.write(name, &bytes)?;
                }
            }
        }
        for file in walkdir::WalkDir::new(&self.root) {
            let file = file?;
            let name = file
                .path()
                .strip_prefix(&self.root)?
                .to_string_lossy()
                .into_owned();
            if file.file_type().is_file() && !listed.contains(name.as_str()) && name != SWITCH_FILE
            {
                std::fs::remove_file(file.path())?;
            }
        }
        Ok(())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.root.join(name);
        if std::fs::read(&path).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))
    }

    /// Writes the compiler with the remaining faults, and returns their byte ranges in the files.
    fn write_faults(&self, faults: &[Fault], alive: &BTreeSet<usize>) -> Result<Parts> {
        let count = format!("const COUNT: usize = {};\n", faults.len());
        self.write(SWITCH_FILE, (SWITCH.to_owned() + &count).as_bytes())?;
        let mut parts = Parts::new();
        for (krate, switch) in CRATES {
            for path in shell::files_below(Path::new(&format!("compiler/{krate}/src")), "rs")? {
                let name = path.display().to_string();
                let text = std::fs::read_to_string(&path)?;
                let here = alive.iter().filter(|number| faults[**number].file == name);
                let edits: Vec<_> = here
                    .flat_map(|number| {
                        faults[*number]
                            .place
                            .edits
                            .iter()
                            .map(|edit| (*number, edit))
                    })
                    .collect();
                let mut rewritten = rewrite(&text, &edits, switch);
                for (_, from, to) in WATCH.iter().filter(|(file, ..)| *file == name) {
                    rewritten.text = rewritten.text.replacen(from, to, 1);
                }
                self.write(&name, rewritten.text.as_bytes())?;
                parts.insert(name, rewritten.parts);
            }
        }
        Ok(parts)
    }

    fn cargo(&self, words: &[&str]) -> Command {
        let mut cargo = shell::cargo();
        cargo
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target)
            .args(words)
            .args(["--offline", "--message-format=json"])
            .stderr(Stdio::null());
        cargo
    }

    /// Builds the command. If it does not compile: the faults to blame.
    fn try_build(&self, parts: &Parts) -> Result<Option<BTreeSet<usize>>> {
        let words = [
            "build",
            "--package",
            "glasm-cli",
            "--bin",
            "glasm",
            "--keep-going",
        ];
        let output = shell::capture(&mut self.cargo(&words))?;
        if output.status.success() {
            return Ok(None);
        }
        let mut wrong = BTreeSet::new();
        let mut messages = String::new();
        for message in compiler_errors(&output.stdout) {
            messages += message["rendered"].as_str().unwrap_or_default();
            wrong.extend(blamed(&message, parts));
        }
        ensure!(
            !wrong.is_empty(),
            "the copy does not build, and no fault is to blame:\n{messages}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(Some(wrong))
    }

    /// Builds the tests of packages.
    pub(crate) fn build_tests(&self, packages: &[&str]) -> Result<Vec<TestProgram>> {
        let mut words = vec!["test", "--no-run", "--lib", "--bins", "--tests"];
        words.extend(packages.iter().flat_map(|name| ["--package", *name]));
        let output = shell::capture(&mut self.cargo(&words))?;
        let messages: Vec<Value> = json_lines(&output.stdout).collect();
        if !output.status.success() {
            let errors = compiler_errors(&output.stdout);
            let errors: String = errors
                .filter_map(|message| message["rendered"].as_str().map(str::to_owned))
                .collect();
            bail!("the tests do not build:\n{errors}");
        }
        let programs = messages.iter().filter_map(|message| {
            let path = message["executable"].as_str()?;
            let manifest = Path::new(message["manifest_path"].as_str()?);
            let folder = manifest.parent()?.to_owned();
            let target = message["target"]["name"].as_str()?;
            message["profile"]["test"].as_bool()?.then(|| TestProgram {
                name: format!(
                    "{} {target}",
                    folder.file_name().unwrap_or_default().display()
                ),
                path: path.into(),
                folder,
            })
        });
        Ok(programs.collect())
    }
}

/// Byte ranges of the faults in each file.
type Parts = BTreeMap<String, Vec<(usize, Range<usize>)>>;

/// Switch, in the copy.
const SWITCH_FILE: &str = "compiler/ir/src/fault_switch.rs";

fn is_rewritten(name: &str) -> bool {
    let of = |krate: &str| name.starts_with(&format!("compiler/{krate}/src/"));
    name.ends_with(".rs") && CRATES.iter().any(|(krate, _)| of(krate))
}

fn json_lines(output: &[u8]) -> impl Iterator<Item = Value> {
    output
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
}

fn compiler_errors(output: &[u8]) -> impl Iterator<Item = Value> {
    json_lines(output)
        .filter(|line| line["reason"] == "compiler-message" && line["message"]["level"] == "error")
        .map(|line| line["message"].clone())
}

/// Returns the faults that an error is about: the smallest one around one of its locations, or else
/// the nearest one in the file.
fn blamed(message: &Value, parts: &Parts) -> Vec<usize> {
    let spans = message["spans"].as_array().cloned().unwrap_or_default();
    let mut primary = Vec::new();
    let mut others = Vec::new();
    let mut nearest: Option<(usize, usize)> = None;
    for span in &spans {
        let Some(file) = span["file_name"].as_str().and_then(|name| parts.get(name)) else {
            continue;
        };
        let byte = |name: &str| span[name].as_u64().unwrap_or(0) as usize;
        let (start, end) = (byte("byte_start"), byte("byte_end"));
        let around = file
            .iter()
            .filter(|(_, part)| part.start <= start && end <= part.end);
        let within = file
            .iter()
            .filter(|(_, part)| start <= part.start && part.end <= end);
        let smallest = around.min_by_key(|(_, part)| part.len());
        let found: Vec<usize> = match smallest {
            Some((number, _)) => vec![*number],
            None => within.map(|(number, _)| *number).collect(),
        };
        if span["is_primary"] == true {
            primary.extend(found);
            let distance =
                |part: &Range<usize>| part.start.abs_diff(start).min(part.end.abs_diff(end));
            let near = file
                .iter()
                .map(|(number, part)| (distance(part), *number))
                .min();
            nearest = nearest.into_iter().chain(near).min();
        } else {
            others.extend(found);
        }
    }
    match (primary.is_empty(), others.is_empty()) {
        (false, _) => primary,
        (true, false) => others,
        (true, true) => nearest.map(|(_, number)| number).into_iter().collect(),
    }
}

/// Links the build artifacts of other crates into another target directory, if it is empty.
fn link_dependencies(from: &Path, to: &Path) -> Result<()> {
    let fingerprints = from.join(".fingerprint");
    if to.exists() || !fingerprints.is_dir() {
        return Ok(());
    }
    let mut hashes = BTreeSet::new();
    for entry in std::fs::read_dir(&fingerprints)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let Some((package, hash)) = name.rsplit_once('-') else {
            continue;
        };
        if !package.starts_with("glasm") && package != "xtask" {
            hashes.insert(hash.to_owned());
        }
    }
    for folder in [".fingerprint", "build", "deps"] {
        for entry in std::fs::read_dir(from.join(folder))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let hash = name.rsplit_once('-').map_or("", |(_, rest)| rest);
            let hash = hash.split('.').next().unwrap_or(hash);
            if hashes.contains(hash) {
                link_all(&from.join(folder).join(&name), &to.join(folder).join(&name))?;
            }
        }
    }
    Ok(())
}

/// Links a file, or all files of a directory. If a file cannot be linked, cargo rebuilds it.
fn link_all(from: &Path, to: &Path) -> Result<()> {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry?;
        let target = to.join(entry.path().strip_prefix(from)?);
        let target = if entry.path() == from {
            to.to_owned()
        } else {
            target
        };
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(&target)?;
        } else {
            if let Some(folder) = target.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let _ = std::fs::hard_link(entry.path(), &target);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Parts, WATCH, blamed};
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn places_to_watch_are_there_once() {
        for (file, from, _) in WATCH {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../..")
                .join(file);
            let text = std::fs::read_to_string(path).unwrap();
            assert_eq!(text.matches(from).count(), 1, "`{from}` in {file}");
        }
    }

    #[test]
    fn the_smallest_fault_around_an_error_is_to_blame() {
        let parts = Parts::from([(
            "a.rs".to_owned(),
            vec![(1, 10..90), (2, 20..40), (3, 95..99)],
        )]);
        let spans = |start: u64, end: u64| {
            json!({ "spans": [{
                "file_name": "a.rs", "byte_start": start, "byte_end": end, "is_primary": true
            }] })
        };
        assert_eq!(blamed(&spans(25, 30), &parts), [2]);
        assert_eq!(blamed(&spans(41, 50), &parts), [1]);
        // An error about code around faults, and one outside of all of them.
        assert_eq!(blamed(&spans(5, 92), &parts), [1, 2]);
        assert_eq!(blamed(&spans(110, 111), &parts), [3]);
        assert!(blamed(&json!({ "spans": [] }), &parts).is_empty());
    }
}
