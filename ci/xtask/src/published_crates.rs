//! The step `published-crates` of `cargo xtask test`: the crates as dependents of the library see them.

use crate::installed;
use anyhow::{Context, Result, ensure};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::shell;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Crates of the compiler in dependency order.
pub(crate) const CRATES: [&str; 5] = [
    "glasm-ir",
    "glasm-codegen",
    "glasm-frontend",
    "glasm",
    "glasm-text",
];

/// Dependencies of `glasm` with default features. The commit that adds one here gives the reason.
const DEPENDENCIES: [&str; 7] = [
    "annotate-snippets",
    "anstyle",
    "bitflags",
    "rustc-hash",
    "spirv",
    "unicode-width",
    "winnow",
];

/// Oldest supported Rust.
const OLDEST_RUST: &str = env!("CARGO_PKG_RUST_VERSION");

/// Start of cargo's message about a registry that does not respond, before its address.
const FAILED_DOWNLOAD: &str = "failed to download from";

/// Directory of builds for other configurations, so that they do not displace the normal one.
static BUILDS: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("crates"));

/// Surface of `glasm` by names.
const SURFACE_FILE: &str = "tests/acceptance/public-api.txt";

/// Runs the checks of the published crates: dependencies, packages, documentation, interface and
/// oldest Rust. The documentation is built from the packages, as docs.rs does it, which checks that
/// they contain all files that they need.
pub(crate) fn run_step() -> Result<Counts> {
    let mut tally = check_dependencies()?;
    let packed = pack_crates()?;
    tally += packed;
    let sources = if packed.passed > 0 {
        unpack_crates()?
    } else {
        PathBuf::from(".")
    };
    tally += check_links(&sources)?;
    let documented = check_documentation(&sources)?;
    tally += documented;
    if documented.failed == 0 {
        tally += check_surface()?;
    }
    tally += check_compatibility()?;
    tally += check_oldest_rust()?;
    Ok(tally)
}

/// Checks that the crate `glasm` depends on exactly the foreign crates of [`DEPENDENCIES`].
fn check_dependencies() -> Result<Counts> {
    let tree = "tree --package glasm --edges normal,build --prefix none --format {p}";
    let output = shell::capture_output(shell::cargo().args(tree.split(' ')))?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "cargo {tree}");
    let names = text.lines().filter_map(|line| line.split(' ').next());
    let found: BTreeSet<_> = names.filter(|name| !CRATES.contains(name)).collect();
    let is_as_known = found == BTreeSet::from(DEPENDENCIES);
    if !is_as_known {
        let text = format!("error: glasm depends on {found:?}, which should be {DEPENDENCIES:?}");
        shell::report_failure(&text);
    }
    Ok(Counts::from_check(is_as_known))
}

/// Crates that applications depend on.
const DOCUMENTED: [&str; 2] = ["glasm", "glasm-text"];

/// Features with which docs.rs builds the documentation: those of `package.metadata.docs.rs`.
const DOCUMENTED_FEATURES: &str = "glasm/ash,glasm/serde";

/// Returns the command that builds the documentation of crates of the workspace in a directory.
fn document_crates(sources: &Path, crates: &[&str]) -> Command {
    let mut doc = shell::cargo();
    doc.args(["doc", "--no-deps", "--features", DOCUMENTED_FEATURES]);
    doc.arg("--manifest-path").arg(sources.join("Cargo.toml"));
    doc.arg("--target-dir").arg(&*BUILDS);
    doc.args(crates.iter().flat_map(|name| ["--package", name]));
    doc
}

/// Checks that all links resolve in documentation of the crates that applications depend on, without
/// that of their dependencies. rustdoc reports no warning for links in items of other crates.
fn check_links(sources: &Path) -> Result<Counts> {
    let pages = BUILDS.join("doc");
    if pages.exists() {
        // Links would resolve to pages of the other crates.
        std::fs::remove_dir_all(&pages).with_context(|| pages.display().to_string())?;
    }
    if !shell::run_succeeds(&mut document_crates(sources, &DOCUMENTED))? {
        return Ok(Counts::from_check(false));
    }
    let mut folders: Vec<PathBuf> = DOCUMENTED
        .iter()
        .map(|name| pages.join(name.replace('-', "_")))
        .collect();
    let mut unresolved = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "html") {
                let page = std::fs::read_to_string(&path)?;
                let links = find_unresolved_links(&page).into_iter();
                unresolved.extend(links.map(|link| format!("{}: {link}", path.display())));
            }
        }
    }
    for link in &unresolved {
        shell::report_failure(&format!("error: the link does not resolve: {link}"));
    }
    Ok(Counts::from_check(unresolved.is_empty()))
}

/// Returns the code in brackets on a page of rustdoc, except in examples: links without a target.
fn find_unresolved_links(page: &str) -> Vec<&str> {
    let (start, end) = ("[<code>", "</code>]");
    let mut found = Vec::new();
    for part in page.split("<pre") {
        let text = part.split_once("</pre>").map_or(part, |(_, text)| text);
        let links = text.split(start).skip(1);
        found.extend(links.filter_map(|link| Some(link.split_once(end)?.0)));
    }
    found
}

/// Checks that the documentation of the published crates builds without warnings.
fn check_documentation(sources: &Path) -> Result<Counts> {
    let mut doc = document_crates(sources, &CRATES);
    let passed = shell::run_succeeds(doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Counts::from_check(passed))
}

/// Compares the names of the documentation with the list; `BLESS=1` writes the list.
fn check_surface() -> Result<Counts> {
    let found = list_surface(&BUILDS.join("doc/glasm"))?;
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(SURFACE_FILE, &found).context(SURFACE_FILE)?;
    }
    let known = std::fs::read_to_string(SURFACE_FILE).context(SURFACE_FILE)?;
    let [old, new] = [&known, &found].map(|text| parse_items(text));
    for name in old.difference(&new) {
        println!("gone: {name}");
    }
    for name in new.difference(&old) {
        println!("new: {name}");
    }
    if old != new {
        println!(
            "error: the surface of glasm has changed: say so in CHANGELOG.md, then BLESS=1 cargo xtask test --only published-crates"
        );
    }
    Ok(Counts::from_check(old == new))
}

/// Checks with cargo-semver-checks that the version reflects the changes since the last release.
/// The tool reads the output of a stable rustdoc only if the compiler is treated as an unstable
/// one.
fn check_compatibility() -> Result<Counts> {
    if !installed::has_program("cargo-semver-checks") {
        println!(
            "cargo-semver-checks is not installed, skipped: cargo install cargo-semver-checks --locked"
        );
        return Ok(Counts::one_skipped());
    }
    let mut describe = Command::new("git");
    let output = shell::capture_output(describe.args([
        "describe",
        "--tags",
        "--abbrev=0",
        "--match",
        "v*",
    ]))?;
    if !output.status.success() {
        println!(
            "no release to compare the surface with, skipped: releases have tags such as v0.1.0"
        );
        return Ok(Counts::one_skipped());
    }
    let release = String::from_utf8_lossy(&output.stdout);
    let mut check = shell::cargo();
    check.args(["semver-checks", "--package", "glasm", "--default-features"]);
    check.args(["--baseline-rev", release.trim()]);
    check
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", &*BUILDS);
    Ok(count_registry_command(&shell::run_and_capture(&mut check)?))
}

/// Parses a list of public items into a set of lines, in which members follow the name of their
/// item.
fn parse_items(list: &str) -> BTreeSet<String> {
    let mut item = "";
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let names = lines.map(|line| match line.strip_prefix("  ") {
        Some(member) => format!("{item} {member}"),
        None => {
            item = line;
            line.to_owned()
        }
    });
    names.collect()
}

/// Returns all items that rustdoc lists, with their fields, variants, constants and methods.
fn list_surface(pages: &Path) -> Result<String> {
    let read = |page: &str| std::fs::read_to_string(pages.join(page)).context(page.to_owned());
    let index = read("all.html")?;
    let links = find_quoted_after(&index, "<li><a href=\"");
    let pages: BTreeSet<&str> = links.filter(|page| page.ends_with(".html")).collect();
    ensure!(pages.len() > 50, "rustdoc lists items in another way");
    let mut list = String::from(
        "# Names of the surface of glasm, as rustdoc lists them. Written by: BLESS=1 cargo xtask test --only published-crates\n",
    );
    for page in pages {
        let name = page.trim_end_matches(".html").replace('/', "::");
        writeln!(list, "{name}")?;
        let text = read(page)?;
        // The following section has the traits, with the methods that all types have.
        let own = text.split("id=\"trait-implementations\"").next();
        let ids = find_quoted_after(own.unwrap_or_default(), " id=\"");
        let members = ["structfield.", "variant.", "associatedconstant.", "method."];
        let is_member = |id: &&str| members.iter().any(|kind| id.starts_with(kind));
        for id in ids.filter(is_member).collect::<BTreeSet<_>>() {
            writeln!(list, "  {id}")?;
        }
    }
    Ok(list)
}

/// Returns the text between each occurrence of `start` and the next quotation mark.
fn find_quoted_after<'t>(text: &'t str, start: &'t str) -> impl Iterator<Item = &'t str> {
    let rest = text.split(start).skip(1);
    rest.filter_map(|rest| rest.split('"').next())
}

/// Checks that the crates compile with the oldest supported Rust; skipped if it is not installed.
fn check_oldest_rust() -> Result<Counts> {
    if !has_toolchain(OLDEST_RUST)? {
        println!(
            "Rust {OLDEST_RUST} is not installed, skipped: rustup toolchain install {OLDEST_RUST}"
        );
        return Ok(Counts::one_skipped());
    }
    // Compilers do not share build artifacts. The command uses rustup, because a cargo knows its
    // own compiler only.
    let mut check = Command::new("rustup");
    check.args([
        "run",
        OLDEST_RUST,
        "cargo",
        "check",
        "--features",
        "glasm/serde",
    ]);
    check.arg("--target-dir").arg(BUILDS.join(OLDEST_RUST));
    check.args(CRATES.iter().flat_map(|name| ["--package", name]));
    // Set for the compiler that built this program.
    check.env_remove("RUSTC").env_remove("RUSTUP_TOOLCHAIN");
    let passed = shell::run_succeeds(&mut check)?;
    Ok(Counts::from_check(passed))
}

/// Returns true if rustup has installed a version of Rust.
fn has_toolchain(version: &str) -> Result<bool> {
    if !installed::has_program("rustup") {
        return Ok(false);
    }
    let mut rustup = Command::new("rustup");
    let output = shell::capture_output(rustup.args(["run", version, "rustc", "--version"]))?;
    Ok(output.status.success())
}

/// Packs the crates as if for a registry, with the dependencies that Cargo has fetched for the
/// workspace. The registry is only used if these do not suffice, once per crate.
fn pack_crates() -> Result<Counts> {
    let version = shell::read_output(shell::cargo().arg("--version"))?;
    // Since then Cargo packs crates together that depend on each other and are not published.
    if parse_minor_version(&version).is_none_or(|minor| minor < 90) {
        println!("cargo 1.90 packs crates that are not published yet, this is {version}: skipped");
        return Ok(Counts::one_skipped());
    }
    let pack = |network: &[&str]| {
        let mut package = shell::cargo();
        package.args(["package", "--allow-dirty", "--no-verify", "--target-dir"]);
        package.arg(&*BUILDS).args(network);
        package.args(CRATES.iter().flat_map(|name| ["--package", name]));
        shell::run_and_capture(&mut package)
    };
    if pack(&["--offline"])?.success {
        return Ok(Counts::from_check(true));
    }
    Ok(count_registry_command(&pack(&[])?))
}

/// Unpacks the packed crates into a workspace, and returns its directory. The crates depend on each
/// other there, and on the versions of other crates of the lock file.
fn unpack_crates() -> Result<PathBuf> {
    let workspace = BUILDS.join("unpacked");
    shell::create_empty_dir(&workspace)?;
    let mut manifest = String::from(
        "[workspace]\nmembers = [\"glasm*\"]\nresolver = \"3\"\n\n[patch.crates-io]\n",
    );
    for name in CRATES {
        let directory = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
        let package = BUILDS.join("package").join(format!("{directory}.crate"));
        let mut tar = Command::new("tar");
        tar.args(["--extract", "--gzip", "--directory"])
            .arg(&workspace);
        shell::run_checked(tar.arg("--file").arg(package))?;
        // The lock file of a package lists the others as crates of a registry.
        let lock = workspace.join(&directory).join("Cargo.lock");
        std::fs::remove_file(&lock).with_context(|| lock.display().to_string())?;
        writeln!(manifest, "{name} = {{ path = \"{directory}\" }}")?;
    }
    std::fs::write(workspace.join("Cargo.toml"), manifest)?;
    std::fs::copy("Cargo.lock", workspace.join("Cargo.lock")).context("Cargo.lock")?;
    Ok(workspace)
}

/// Counts a command of cargo that downloads crates as a check, which is skipped if a download
/// fails, after the attempts that cargo makes.
fn count_registry_command(output: &shell::CapturedOutput) -> Counts {
    let failure = output.text.lines().find(|it| it.contains(FAILED_DOWNLOAD));
    match failure {
        Some(failure) if !output.success => {
            println!("{}: skipped", failure.trim());
            Counts::one_skipped()
        }
        Some(_) | None => Counts::from_check(output.success),
    }
}

/// Returns the minor version in `cargo 1.95.0 (...)`: 95.
fn parse_minor_version(text: &str) -> Option<u32> {
    text.split(['.', ' ']).nth(2)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_without_a_target_are_found() {
        let page = "<p>[<code>Reflection</code>] and <a href=\"x\"><code>Shader</code></a></p>\
            <pre class=\"rust\">[<code>1</code>]</pre><p>[<code>Options::target</code>].</p>";
        assert_eq!(
            find_unresolved_links(page),
            ["Reflection", "Options::target"]
        );
    }

    #[test]
    fn documented_features_are_those_of_docs_rs() {
        let manifest = include_str!("../../../compiler/glasm/Cargo.toml");
        let names = DOCUMENTED_FEATURES.split(',');
        let names = names.map(|name| name.replacen("glasm/", "\"", 1) + "\"");
        let list = format!("features = [{}]", names.collect::<Vec<_>>().join(", "));
        let section = format!("[package.metadata.docs.rs]\n{list}\n");
        assert!(manifest.contains(&section), "{section}");
    }

    #[test]
    fn lists_compare_by_item_and_member() {
        let old = parse_items("# text\nstruct.A\n  structfield.x\nstruct.B\n");
        let new = parse_items("struct.A\nstruct.B\n  structfield.x\n");
        let gone: Vec<_> = old.difference(&new).collect();
        assert_eq!(gone, ["struct.A structfield.x"]);
    }

    #[test]
    fn failed_downloads_are_skipped() {
        let count = |success, text: &str| {
            count_registry_command(&shell::CapturedOutput {
                success,
                text: text.to_owned(),
            })
        };
        // As cargo 1.95 prints it without a network.
        let unreachable = "error: failed to prepare local package for uploading\n\nCaused by:\n  \
            failed to download from `https://index.crates.io/config.json`\n";
        assert_eq!(count(false, unreachable), Counts::one_skipped());
        assert_eq!(count(true, unreachable), Counts::from_check(true));
        let broken = "error: failed to verify package tarball\n";
        assert_eq!(count(false, broken), Counts::from_check(false));
    }

    #[test]
    fn versions_are_read() {
        assert_eq!(
            parse_minor_version("cargo 1.95.0 (f2d3ce0bd 2026-03-21)"),
            Some(95)
        );
        assert_eq!(parse_minor_version("cargo"), None);
    }
}
