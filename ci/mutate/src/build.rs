//! A copy of the workspace with mutations in it, and its build.
//!
//! The copy has a separate target directory, so that its programs are not confused with the real
//! ones; build artifacts of other crates are linked from the target directory of the workspace.

use crate::replacements::rewrite;
use crate::sample::{CRATES, Mutation};
use anyhow::{Context, Result, bail, ensure};
use glasm_ci_support::shell;
use glasm_ci_support::test_programs::{TestProgram, list_test_programs, parse_json_lines};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// Directory of all output.
pub(crate) static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("mutate"));

/// Switch that is added to the crate `ir`, for all crates.
const SWITCH: &str = include_str!("runtime_switch.rs");

/// Instrumentation of the copy, which reports the mutants that scripts reach and the output of the
/// compiler: file, original source, and replacement.
const INSTRUMENTATION: [(&str, &str, &str); 5] = [
    (
        "compiler/ir/src/lib.rs",
        "pub mod builder;",
        "pub mod builder;\npub mod mutation_switch;",
    ),
    (
        "cli/src/run/worker.rs",
        "let record = Box::new(work.run_script(&path));",
        "let record = Box::new(work.run_script(&path)); glasm::ir::mutation_switch::end_script(&path);",
    ),
    (
        "vkrunner/src/runner.rs",
        "        drop(compiling);",
        "        drop(compiling); glasm::ir::mutation_switch::note(&sets);",
    ),
    (
        "scripts/src/compile.rs",
        "glasm::compile(&self.source(section), &self.compile_options(section.stage))",
        "{ let made = glasm::compile(&self.source(section), &self.compile_options(section.stage)); glasm::ir::mutation_switch::note(&made); made }",
    ),
    (
        "scripts/src/compile.rs",
        "let stages = compiler.link_with(&stages);",
        "let stages = compiler.link_with(&stages); glasm::ir::mutation_switch::note(&stages);",
    ),
];

/// Packages with tests for code that scripts do not cover.
pub(crate) struct TestStage {
    pub(crate) packages: &'static [&'static str],
    /// Arguments of Cargo that select the targets with tests.
    pub(crate) targets: &'static [&'static str],
}

/// Stages in the order in which their tests run: first the mutated crates, whose tests take seconds,
/// then those that use them.
pub(crate) static TEST_STAGES: [TestStage; 2] = [
    TestStage {
        packages: &["glasm-ir", "glasm-frontend", "glasm-codegen"],
        targets: &["--lib", "--test", "*"],
    },
    TestStage {
        packages: &["glasm", "glasm-cli", "glasm-tests"],
        targets: &["--lib", "--bins", "--test", "*"],
    },
];

/// Maximum number of iterations of removing mutations that do not compile.
const MAX_BUILD_ROUNDS: usize = 40;

/// Built copy of the workspace.
pub(crate) struct WorkspaceCopy {
    root: PathBuf,
    target: PathBuf,
}

impl WorkspaceCopy {
    /// Builds the `glasm` command with the mutations in it; their numbers are their indices in the
    /// list. Returns those that compile.
    pub(crate) fn build(mutations: &[Mutation]) -> Result<(Self, BTreeSet<usize>)> {
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
        let mut alive: BTreeSet<usize> = (0..mutations.len()).collect();
        for round in 1..=MAX_BUILD_ROUNDS {
            let parts = copy.write_mutations(mutations, &alive)?;
            println!("build {round}: {} mutations", alive.len());
            let Some(wrong) = copy.try_build(&parts)? else {
                return Ok((copy, alive));
            };
            alive.retain(|number| !wrong.contains(number));
        }
        bail!("the copy does not build after {MAX_BUILD_ROUNDS} rounds")
    }

    /// Returns the path of the `glasm` executable that is built from the copy.
    pub(crate) fn glasm_path(&self) -> PathBuf {
        self.target.join("debug/glasm")
    }

    /// Copies the files that git tracks; unchanged files retain their modification time, so that
    /// cargo does not build them again.
    fn copy_sources(&self) -> Result<()> {
        let listed = list_workspace_files()?;
        // Some may be deleted, but not yet for git.
        let present = listed.iter().filter(|name| Path::new(name).is_file());
        for name in present.filter(|name| !is_rewritten(name)) {
            let bytes = std::fs::read(name).with_context(|| format!("reading {name}"))?;
            self.write_if_changed(name, &add_instrumentation(name, bytes)?)?;
        }
        for file in walkdir::WalkDir::new(&self.root) {
            let file = file?;
            let name = file.path().strip_prefix(&self.root)?.to_string_lossy();
            let is_known = listed.contains(&*name) || name == SWITCH_FILE;
            if file.file_type().is_file() && !is_known {
                std::fs::remove_file(file.path())?;
            }
        }
        Ok(())
    }

    /// Writes a file of the copy, unless it has this content: cargo does not rebuild it then.
    fn write_if_changed(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.root.join(name);
        if std::fs::read(&path).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))
    }

    /// Writes the compiler with the remaining mutations, and returns their byte ranges in the
    /// files.
    fn write_mutations(
        &self,
        mutations: &[Mutation],
        alive: &BTreeSet<usize>,
    ) -> Result<MutationRanges> {
        let count = format!("const COUNT: usize = {};\n", mutations.len());
        self.write_if_changed(SWITCH_FILE, (SWITCH.to_owned() + &count).as_bytes())?;
        let mut parts = MutationRanges::new();
        for (krate, switch) in CRATES {
            for path in shell::find_files_below(Path::new(&format!("compiler/{krate}/src")), "rs")?
            {
                let name = path.display().to_string();
                let text = std::fs::read_to_string(&path)?;
                let here = alive
                    .iter()
                    .filter(|number| mutations[**number].file == name);
                let edits: Vec<_> = here
                    .flat_map(|number| {
                        mutations[*number]
                            .site
                            .edits
                            .iter()
                            .map(|edit| (*number, edit))
                    })
                    .collect();
                let mut rewritten = rewrite(&text, &edits, switch);
                for (_, from, to) in INSTRUMENTATION.iter().filter(|(file, ..)| *file == name) {
                    rewritten.text = rewritten.text.replacen(from, to, 1);
                }
                self.write_if_changed(&name, rewritten.text.as_bytes())?;
                parts.insert(name, rewritten.mutation_ranges);
            }
        }
        Ok(parts)
    }

    /// Returns a cargo command for the copy, offline and with messages as JSON.
    fn cargo_command(&self, words: &[&str]) -> Command {
        let mut cargo = shell::cargo();
        cargo
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target)
            .args(words)
            .args(["--offline", "--message-format=json"])
            .stderr(Stdio::null());
        cargo
    }

    /// Builds `glasm` with the mutations in the copy. Returns `None` if it compiles, and otherwise
    /// the numbers of the mutations that the errors are about.
    fn try_build(&self, parts: &MutationRanges) -> Result<Option<BTreeSet<usize>>> {
        let [first, ..] = &TEST_STAGES;
        let mut build = self.cargo_command(&["build", "--bin", "glasm", "--keep-going"]);
        select_packages(&mut build, first.packages);
        build.args(["--features", TEST_FEATURES]);
        let output = shell::capture_output(&mut build)?;
        if output.status.success() {
            return Ok(None);
        }
        let mut wrong = BTreeSet::new();
        let mut messages = String::new();
        for message in find_compiler_errors(&output.stdout) {
            messages += message["rendered"].as_str().unwrap_or_default();
            wrong.extend(find_error_causes(&message, parts));
        }
        ensure!(
            !wrong.is_empty(),
            "the copy does not build, and no mutation is the cause:\n{messages}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(Some(wrong))
    }

    /// Builds the test programs of a stage and returns them. The error has the compiler's messages.
    pub(crate) fn build_tests(&self, stage: &TestStage) -> Result<Vec<TestProgram>> {
        let mut test = self.cargo_command(&["test", "--no-run"]);
        select_packages(&mut test, stage.packages);
        test.args(stage.targets);
        let output = shell::capture_output(&mut test)?;
        if !output.status.success() {
            let errors = find_compiler_errors(&output.stdout);
            let errors: String = errors
                .filter_map(|message| message["rendered"].as_str().map(str::to_owned))
                .collect();
            bail!("the tests do not build:\n{errors}");
        }
        let mut programs = list_test_programs(&output.stdout);
        programs.retain(|program| {
            let directory = program.package_dir.file_name().unwrap_or_default();
            let is_in_directory =
                |name: &&str| OsStr::new(name.trim_start_matches("glasm-")) == directory;
            stage.packages.iter().any(is_in_directory)
        });
        Ok(programs)
    }
}

/// Package of the command.
const COMMAND: &str = "glasm-cli";

/// Features that tests of the mutated crates need. The build of the command has them, too.
const TEST_FEATURES: &str = "glasm-ir/generate";

/// Selects packages, and that of the command. Cargo selects the features of crates by the packages:
/// the command and the tests of the first stage have the same compiler.
fn select_packages(cargo: &mut Command, packages: &[&str]) {
    let others = packages.iter().filter(|name| **name != COMMAND);
    cargo.args(others.flat_map(|name| ["--package", *name]));
    cargo.args(["--package", COMMAND]);
}

/// Byte ranges of the mutations in each file.
type MutationRanges = BTreeMap<String, Vec<(usize, Range<usize>)>>;

/// Switch, in the copy.
const SWITCH_FILE: &str = "compiler/ir/src/mutation_switch.rs";

/// Returns the files of the workspace that git does not ignore.
fn list_workspace_files() -> Result<BTreeSet<String>> {
    let words = "ls-files -z --cached --others --exclude-standard";
    let listed = shell::capture_output(Command::new("git").args(words.split(' ')))?;
    ensure!(listed.status.success(), "git does not list the files");
    let listed = String::from_utf8_lossy(&listed.stdout);
    let names = listed.split('\0').filter(|name| !name.is_empty());
    Ok(names.map(str::to_owned).collect())
}

/// Returns the content of a file with its [`INSTRUMENTATION`]. Fails if the original source of that
/// is not in it.
fn add_instrumentation(name: &str, content: Vec<u8>) -> Result<Vec<u8>> {
    let mut content = content;
    for (_, from, to) in INSTRUMENTATION.iter().filter(|(file, ..)| *file == name) {
        let text = String::from_utf8(content)?;
        ensure!(
            text.contains(from),
            "{name} has no `{from}`: see {}",
            file!()
        );
        content = text.replacen(from, to, 1).into_bytes();
    }
    Ok(content)
}

/// Returns true if a file of the copy is instrumented with mutations: a Rust source of one of
/// [`CRATES`].
fn is_rewritten(name: &str) -> bool {
    let of = |krate: &str| name.starts_with(&format!("compiler/{krate}/src/"));
    name.ends_with(".rs") && CRATES.iter().any(|(krate, _)| of(krate))
}

/// Returns the compiler's error messages in cargo's JSON output, without warnings.
fn find_compiler_errors(output: &[u8]) -> impl Iterator<Item = Value> {
    parse_json_lines(output)
        .filter(|line| line["reason"] == "compiler-message" && line["message"]["level"] == "error")
        .map(|line| line["message"].clone())
}

/// Returns the mutations that an error is about: the smallest one around one of its locations, or
/// else the nearest one in the file.
fn find_error_causes(message: &Value, parts: &MutationRanges) -> Vec<usize> {
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

/// Hard-links the build artifacts of crates outside of the workspace from one target directory into
/// another. Does nothing if `to` exists or `from` has no fingerprints.
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
                hard_link_tree(&from.join(folder).join(&name), &to.join(folder).join(&name))?;
            }
        }
    }
    Ok(())
}

/// Creates hard links: `to` for a file, or one for each file of a directory below `to`. Creates
/// missing directories. Ignores files that cannot be linked, because cargo rebuilds them; returns
/// an error if a directory cannot be read or created.
fn hard_link_tree(from: &Path, to: &Path) -> Result<()> {
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
    use super::{INSTRUMENTATION, MutationRanges, find_error_causes};
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn places_to_watch_are_there_once() {
        for (file, from, _) in INSTRUMENTATION {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../..")
                .join(file);
            let text = std::fs::read_to_string(path).unwrap();
            assert_eq!(text.matches(from).count(), 1, "`{from}` in {file}");
        }
    }

    #[test]
    fn the_smallest_mutation_around_an_error_causes_it() {
        let parts = MutationRanges::from([(
            "a.rs".to_owned(),
            vec![(1, 10..90), (2, 20..40), (3, 95..99)],
        )]);
        let spans = |start: u64, end: u64| {
            json!({ "spans": [{
                "file_name": "a.rs", "byte_start": start, "byte_end": end, "is_primary": true
            }] })
        };
        assert_eq!(find_error_causes(&spans(25, 30), &parts), [2]);
        assert_eq!(find_error_causes(&spans(41, 50), &parts), [1]);
        // An error about code around mutations, and one outside of all of them.
        assert_eq!(find_error_causes(&spans(5, 92), &parts), [1, 2]);
        assert_eq!(find_error_causes(&spans(110, 111), &parts), [3]);
        assert!(find_error_causes(&json!({ "spans": [] }), &parts).is_empty());
    }
}
