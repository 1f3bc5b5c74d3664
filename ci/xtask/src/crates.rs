//! The step `crates` of `cargo xtask test`: the crates as dependents of the library see them.

use crate::installed;
use anyhow::{Context, Result, ensure};
use glasm_ci_support::shell;
use glasm_ci_support::tally::Tally;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Crates of the compiler in dependency order.
const CRATES: [&str; 5] = [
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

/// Targets with other pointers, and without an operating system.
const TARGETS: [&str; 2] = ["i686-unknown-linux-gnu", "wasm32-unknown-unknown"];

/// Oldest supported Rust.
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// Directory of builds for other configurations, so that they do not displace the normal one.
static BUILDS: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("crates"));

/// Surface of `glasm` by names.
const SURFACE: &str = "tests/acceptance/public-api.txt";

/// Runs the step.
pub(crate) fn test() -> Result<Tally> {
    let mut tally = check_dependencies()?;
    let documented = check_documentation()?;
    tally += documented;
    if documented.failed == 0 {
        tally += check_surface()?;
    }
    tally += check_compatibility()?;
    for target in TARGETS {
        tally += check_target(target)?;
    }
    tally += check_oldest_rust()?;
    tally += check_packages()?;
    Ok(tally)
}

fn check_dependencies() -> Result<Tally> {
    let tree = "tree --package glasm --edges normal,build --prefix none --format {p}";
    let output = shell::capture(shell::cargo().args(tree.split(' ')))?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "cargo {tree}");
    let names = text.lines().filter_map(|line| line.split(' ').next());
    let found: BTreeSet<_> = names.filter(|name| !CRATES.contains(name)).collect();
    let is_as_known = found == BTreeSet::from(DEPENDENCIES);
    if !is_as_known {
        println!("error: glasm depends on {found:?}, which should be {DEPENDENCIES:?}");
    }
    Ok(Tally::check(is_as_known))
}

fn check_documentation() -> Result<Tally> {
    let mut doc = shell::cargo();
    doc.args(["doc", "--no-deps", "--target-dir"]).arg(&*BUILDS);
    doc.args(CRATES.iter().flat_map(|name| ["--package", name]));
    let passed = shell::succeeds(doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Tally::check(passed))
}

/// Compares the names of the documentation with the list; `BLESS=1` writes the list.
fn check_surface() -> Result<Tally> {
    let found = list_surface(&BUILDS.join("doc/glasm"))?;
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(SURFACE, &found).context(SURFACE)?;
    }
    let known = std::fs::read_to_string(SURFACE).context(SURFACE)?;
    let [old, new] = [&known, &found].map(|text| parse_items(text));
    for name in old.difference(&new) {
        println!("gone: {name}");
    }
    for name in new.difference(&old) {
        println!("new: {name}");
    }
    if old != new {
        println!(
            "error: the surface of glasm has changed: say so in CHANGELOG.md, then BLESS=1 cargo xtask test --only crates"
        );
    }
    Ok(Tally::check(old == new))
}

/// Checks with cargo-semver-checks that the version reflects the changes since the last release.
/// The tool reads the output of a stable rustdoc only if the compiler is treated as an unstable
/// one.
fn check_compatibility() -> Result<Tally> {
    if !installed::has_program("cargo-semver-checks") {
        println!(
            "cargo-semver-checks is not installed, skipped: cargo install cargo-semver-checks --locked"
        );
        return Ok(Tally::skip());
    }
    let mut describe = std::process::Command::new("git");
    let output =
        shell::capture(describe.args(["describe", "--tags", "--abbrev=0", "--match", "v*"]))?;
    if !output.status.success() {
        println!(
            "no release to compare the surface with, skipped: releases have tags such as v0.1.0"
        );
        return Ok(Tally::skip());
    }
    let release = String::from_utf8_lossy(&output.stdout);
    let mut check = shell::cargo();
    check.args(["semver-checks", "--package", "glasm", "--default-features"]);
    check.args(["--baseline-rev", release.trim()]);
    check
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", &*BUILDS);
    Ok(Tally::check(shell::succeeds(&mut check)?))
}

/// Returns the lines of a list, members with their item.
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
    let links = after_each(&index, "<li><a href=\"");
    let pages: BTreeSet<&str> = links.filter(|page| page.ends_with(".html")).collect();
    ensure!(pages.len() > 50, "rustdoc lists items in another way");
    let mut list = String::from(
        "# Names of the surface of glasm, as rustdoc lists them. Written by: BLESS=1 cargo xtask test --only crates\n",
    );
    for page in pages {
        let name = page.trim_end_matches(".html").replace('/', "::");
        writeln!(list, "{name}")?;
        let text = read(page)?;
        // The following section has the traits, with the methods that all types have.
        let own = text.split("id=\"trait-implementations\"").next();
        let ids = after_each(own.unwrap_or_default(), " id=\"");
        let members = ["structfield.", "variant.", "associatedconstant.", "method."];
        let is_member = |id: &&str| members.iter().any(|kind| id.starts_with(kind));
        for id in ids.filter(is_member).collect::<BTreeSet<_>>() {
            writeln!(list, "  {id}")?;
        }
    }
    Ok(list)
}

/// Returns the text between each occurrence of `start` and the next quotation mark.
fn after_each<'t>(text: &'t str, start: &'t str) -> impl Iterator<Item = &'t str> {
    let rest = text.split(start).skip(1);
    rest.filter_map(|rest| rest.split('"').next())
}

fn check_target(target: &str) -> Result<Tally> {
    let Some(libraries) = find_sysroot(None)? else {
        println!("rustc does not say where its libraries are: skipped");
        return Ok(Tally::skip());
    };
    if !Path::new(&libraries)
        .join("lib/rustlib")
        .join(target)
        .exists()
    {
        println!("the target is not installed, skipped: rustup target add {target}");
        return Ok(Tally::skip());
    }
    let mut check = shell::cargo();
    check.args(["check", "--package", "glasm", "--features", "serde"]);
    check
        .args(["--target", target, "--target-dir"])
        .arg(&*BUILDS);
    let passed = shell::succeeds(&mut check)?;
    Ok(Tally::check(passed))
}

fn check_oldest_rust() -> Result<Tally> {
    if find_sysroot(Some(OLDEST))?.is_none() {
        println!("Rust {OLDEST} is not installed, skipped: rustup toolchain install {OLDEST}");
        return Ok(Tally::skip());
    }
    // Compilers do not share build artifacts. The command uses rustup, because a cargo knows its
    // own compiler only.
    let mut check = std::process::Command::new("rustup");
    check.args(["run", OLDEST, "cargo", "check", "--features", "glasm/serde"]);
    check.arg("--target-dir").arg(BUILDS.join(OLDEST));
    check.args(CRATES.iter().flat_map(|name| ["--package", name]));
    // Set for the compiler that built this program.
    check.env_remove("RUSTC").env_remove("RUSTUP_TOOLCHAIN");
    let passed = shell::succeeds(&mut check)?;
    Ok(Tally::check(passed))
}

/// Returns the sysroot of a toolchain; of the current one without a version.
fn find_sysroot(version: Option<&str>) -> Result<Option<String>> {
    let mut rustc = match version {
        Some(_) if !installed::has_program("rustup") => return Ok(None),
        Some(version) => {
            let mut rustup = std::process::Command::new("rustup");
            rustup.args(["run", version, "rustc"]);
            rustup
        }
        None => std::process::Command::new("rustc"),
    };
    let output = shell::capture(rustc.args(["--print", "sysroot"]))?;
    let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(output.status.success().then_some(path))
}

/// Packs the crates as if for a registry, and builds the small ones from that.
fn check_packages() -> Result<Tally> {
    let version = shell::read_output(shell::cargo().arg("--version"))?;
    // Since then cargo packs crates together that depend on each other and are not published.
    if parse_minor_version(&version).is_none_or(|minor| minor < 90) {
        println!("cargo 1.90 packs crates that are not published yet, this is {version}: skipped");
        return Ok(Tally::skip());
    }
    remove_packed()?;
    let mut tally = Tally::check(pack(&CRATES[..4], &[])?);
    tally += Tally::check(pack(&CRATES, &["--no-verify"])?);
    Ok(tally)
}

/// Packs crates with the dependencies that cargo has fetched for the workspace. The registry is
/// only used if these do not suffice, once per crate: a late response is not a fault of the crates.
fn pack(crates: &[&str], arguments: &[&str]) -> Result<bool> {
    for network in [&["--offline"][..], &[]] {
        let mut package = shell::cargo();
        package
            .args(["package", "--allow-dirty", "--target-dir"])
            .arg(&*BUILDS);
        package.args(network).args(arguments);
        package.args(crates.iter().flat_map(|name| ["--package", name]));
        if shell::tee(&mut package)?.success {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Forces cargo to unpack and build the packed crates again: it identifies crates of a registry by
/// name and version, which do not change.
fn remove_packed() -> Result<()> {
    remove_ours(&BUILDS.join("debug/.fingerprint"))?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let Some(unpacked) = home.map(|home| home.join("registry/src")) else {
        return Ok(());
    };
    let Ok(registries) = std::fs::read_dir(unpacked) else {
        return Ok(());
    };
    for registry in registries {
        let registry = registry?;
        // Directories are named after host and hash; the registry of packed crates has no host.
        if registry.file_name().to_string_lossy().starts_with('-') {
            remove_ours(&registry.path())?;
        }
    }
    Ok(())
}

/// Removes the directories of this workspace's crates from a directory, if there is one.
fn remove_ours(directory: &Path) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Ok(());
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("glasm") {
            std::fs::remove_dir_all(entry.path())
                .with_context(|| format!("removing {}", entry.path().display()))?;
        }
    }
    Ok(())
}

/// Returns the second number of `cargo 1.95.0 (...)`.
fn parse_minor_version(text: &str) -> Option<u32> {
    text.split(['.', ' ']).nth(2)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_compare_by_item_and_member() {
        let old = parse_items("# text\nstruct.A\n  structfield.x\nstruct.B\n");
        let new = parse_items("struct.A\nstruct.B\n  structfield.x\n");
        let gone: Vec<_> = old.difference(&new).collect();
        assert_eq!(gone, ["struct.A structfield.x"]);
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
