//! The archive for Windows: the command and the vendor library for both word sizes, with a page of
//! instructions.

use super::archive::add_playground;
use super::build::{cargo_home, set_path_names};
use super::licenses::{self, Scope, SystemLibrary};
use super::release::Release;
use super::tree::{Tree, write_zip};
use crate::cross;
use crate::windows::toolchain::{Architecture, NARROW, Toolchain, WIDE};
use anyhow::Result;
use glasm_ci_support::shell;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Architectures, each with the directories of the command and of the library.
static WORD_SIZES: [(&Architecture, &str, &str); 2] =
    [(&WIDE, "bin64", "lib64"), (&NARROW, "bin32", "lib32")];

/// Page of instructions.
const README: &str = include_str!("windows_readme.txt");

/// Licenses of the libraries that MinGW-w64 adds to binaries: name, license, and file of a package.
const RUNTIME_LICENSES: [(&str, &str, &str); 2] = [
    (
        "GCC libgcc and libstdc++",
        "GPL-3.0-or-later WITH GCC-exception-3.1",
        "gcc-mingw-w64-base/copyright",
    ),
    (
        "MinGW-w64 runtime",
        "ZPL-2.1 and others",
        "mingw-w64-common/copyright",
    ),
];

/// Limits on the sizes of stripped binaries in bytes, for builds with the profile `dist`.
const SIZE_LIMITS: [(&str, u64); 2] = [("glasm.exe", 14 << 20), ("opengl32.dll", 12 << 20)];

/// Builds everything for Windows with a profile of Cargo, and writes the archive to a directory, with
/// the playground in another one.
pub(super) fn write_archive(
    profile: &str,
    release: &Release,
    playground: Option<&Path>,
    output: &Path,
) -> Result<()> {
    let name = format!("glasm-{}-windows", release.version);
    let tree = Tree::create(shell::below_target("dist/archive").join(&name))?;
    let mut licenses = String::new();
    for (architecture, programs, libraries) in WORD_SIZES {
        let toolchain = Toolchain::prepare(architecture, &shell::below_target("windows"))?;
        build(&toolchain, profile, release)?;
        for (target, file, built) in [
            (programs, "glasm.exe", "glasm.exe"),
            (libraries, "opengl32.dll", "glasm_glvendor.dll"),
        ] {
            let binary = cross::built_file(architecture.target, profile, built)?;
            let stripped = strip(&toolchain, architecture, &binary)?;
            if profile == "dist" {
                super::check_size(&stripped, SIZE_LIMITS.iter().find(|(it, _)| *it == file))?;
            }
            tree.add_program(&format!("{target}/{file}"), &stripped)?;
        }
        // Both word sizes have the same crates.
        licenses = collect_licenses(&toolchain.document_directory())?;
    }
    add_documents(&tree, release, &licenses)?;
    add_playground(&tree, playground, "share")?;
    write_zip(tree.root(), release, &output.join(format!("{name}.zip")))
}

/// Adds the files that are not binaries.
fn add_documents(tree: &Tree, release: &Release, licenses: &str) -> Result<()> {
    let text = README.replace("VERSION", &release.version);
    tree.add_text("README.txt", use_windows_line_ends(&text))?;
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        tree.add_data(&format!("{license}.txt"), Path::new(license))?;
    }
    tree.add_text("THIRD-PARTY-LICENSES.txt", use_windows_line_ends(licenses))?;
    let rules = Path::new("share/applications.toml");
    tree.add_data("share/glasm/applications.toml", rules)
}

/// Builds the command and the library together, so that equal sources give equal files. Crates that
/// both have are built once.
fn build(toolchain: &Toolchain, profile: &str, release: &Release) -> Result<()> {
    let mut cargo = toolchain.cargo("build")?;
    cargo.args(["--locked", "--profile", profile]);
    cargo.args(["-p", "glasm-cli", "--bins", "-p", "glasm-glvendor", "--lib"]);
    // It would be removed with the symbols.
    cargo.args(["--config", &format!("profile.{profile}.debug=false")]);
    cargo.env("SOURCE_DATE_EPOCH", release.epoch.to_string());
    let paths = [
        (std::env::current_dir()?, "/glasm"),
        (cargo_home()?, "/cargo"),
    ];
    // The linker would write the time of the build.
    let flags = ["-Clink-arg=-Wl,--no-insert-timestamp"];
    set_path_names(&mut cargo, &paths, &flags, &[]);
    shell::run_checked(&mut cargo)
}

/// Removes the symbols of a binary, and returns the path of the copy.
fn strip(toolchain: &Toolchain, architecture: &Architecture, binary: &Path) -> Result<PathBuf> {
    let directory = shell::below_target("dist/stripped").join(architecture.target);
    shell::create_dir(&directory)?;
    let stripped = directory.join(binary.file_name().unwrap_or_default());
    let mut strip = Command::new(format!("{}strip", architecture.tools));
    toolchain.set_path(&mut strip);
    strip.arg("--preserve-dates").arg("-o").arg(&stripped);
    shell::run_checked(strip.arg(binary))?;
    Ok(stripped)
}

/// Returns the licenses of the crates for Windows, and of the libraries of MinGW-w64, whose packages
/// have their documents in a directory.
fn collect_licenses(documents: &Path) -> Result<String> {
    let libraries = RUNTIME_LICENSES.map(|(name, license, file)| SystemLibrary {
        name: name.to_owned(),
        license,
        file: documents.join(file),
    });
    licenses::collect_licenses(&Scope {
        binaries: &["glasm-cli", "glasm-glvendor"],
        platform: WIDE.target,
        libraries: libraries.into(),
    })
}

/// Converts the ends of lines to those of Windows.
fn use_windows_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_on_windows() {
        assert_eq!(use_windows_line_ends("a\r\nb\n"), "a\r\nb\r\n");
    }

    /// Checks that the page is one page, and that it names all files of the archive for users.
    #[test]
    fn the_instructions_fit_on_a_page() {
        let lines: Vec<&str> = README.lines().collect();
        assert!(lines.len() <= 60);
        assert!(lines.iter().all(|line| line.len() <= 80));
        for name in [
            "lib64\\opengl32.dll",
            "lib32\\opengl32.dll",
            "bin64",
            "bin32",
            "GLASM_LOG",
        ] {
            assert!(README.contains(name), "{name}");
        }
    }
}
