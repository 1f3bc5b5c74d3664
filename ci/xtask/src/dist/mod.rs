//! `cargo xtask dist`: the packages that users install, below a directory: an archive, packages of
//! Debian, and the crates.
//!
//! Two builds of a commit have equal files: timestamps are those of the commit, paths of the
//! machine are replaced, and archives are sorted.

mod archive;
mod build;
mod crates;
mod debian;
mod installation;
mod licenses;
mod release;
mod tree;
mod windows;

use crate::{cross, downloads, installed, web};
use anyhow::{Result, ensure};
use build::Builds;
use glasm_ci_support::counts::{Counts, Skip};
use glasm_ci_support::shell;
use licenses::Scope;
use release::Release;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Help after the options of the command.
pub(crate) const HELP: &str = "\
Writes to dist/, or the directory of --output:

  glasm-VERSION-linux-x86_64.tar.xz        command, vendor libraries, manual pages, completions
  glasm-VERSION-linux-x86_64-debug.tar.xz  their debug information
  *.deb                                    packages of Debian: glasm, libglx-glasm, libglasm0, libglasm-dev
  glasm-VERSION-windows.zip                command and vendor library for Windows, 64 and 32 bits
  crates/                                  the crates, and the order in which a registry takes them

Binaries run with glibc 2.28 and later (Debian 10, Ubuntu 18.10, RHEL 8): they are linked by cargo-zigbuild
and zig, which are downloaded below the target directory (103 MB). Binaries for Windows are linked by MinGW-w64.
SOURCE_DATE_EPOCH sets the timestamps of all files; without it they are that of the commit.";

/// Limits on the sizes of stripped binaries in bytes, which are checked for builds with the profile
/// `dist`.
const SIZE_LIMITS: [(&str, u64); 2] = [("glasm", 16 << 20), ("libglasm_glvendor.so", 11 << 20)];

/// `cargo xtask dist`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Directory for the packages; files with the same names are replaced
    #[arg(long, value_name = "DIR", default_value = "dist")]
    output: PathBuf,
    /// Profile of Cargo: `dist` is optimized; `dev` takes a quarter of the time, to try packages
    #[arg(long, value_name = "NAME", default_value = "dist")]
    profile: String,
    /// Write only some of the files; may be repeated
    #[arg(long, value_name = "PART", conflicts_with = "check")]
    only: Vec<Part>,
    /// Test the packages in root file systems of Debian 12 and 13, which needs mmdebstrap and root
    #[arg(long)]
    check: bool,
}

/// Files that are built together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Part {
    /// Archives for Linux and packages of Debian
    Linux,
    /// Archive for Windows
    Windows,
    /// Crates
    Crates,
}

impl Options {
    /// Returns true if the command writes a part.
    fn includes(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}

/// Runs the command: builds everything and prints the files with their sizes.
pub(crate) fn run_command(options: &Options) -> Result<ExitCode> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")) && downloads::can_unpack(),
        "packages are built on Debian and its relatives, on x86-64"
    );
    let release = Release::read(9)?;
    check_tools()?;
    for part in [Part::Linux, Part::Windows] {
        if options.includes(part) {
            check_targets(part)?;
        }
    }
    if options.check {
        // Before builds that take long.
        installation::check_tools()?;
    }
    check_work_tree()?;
    shell::create_dir(&options.output)?;
    let site = if options.includes(Part::Linux) || options.includes(Part::Windows) {
        web::build_if_possible()?
    } else {
        None
    };
    let site = site.as_deref();
    if options.includes(Part::Linux) {
        write_linux_files(options, &release, site)?;
    }
    if options.includes(Part::Windows) {
        windows::write_archive(&options.profile, &release, site, &options.output)?;
    }
    if options.includes(Part::Crates) {
        crates::write_crates(&options.output.join("crates"))?;
    }
    print_files(&options.output)?;
    if options.check {
        let counts = installation::test_packages(&options.output)?;
        println!("{counts}");
        return Ok(ExitCode::from(u8::from(counts.failed > 0)));
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds everything for Linux, and writes the archives and the packages of Debian, with the
/// playground in a directory.
fn write_linux_files(
    options: &Options,
    release: &Release,
    playground: Option<&Path>,
) -> Result<()> {
    let builds = Builds::create(&options.profile, release, playground)?;
    if options.profile == "dist" {
        check_sizes(&builds)?;
    }
    write_packages(&builds, release, &options.output)?;
    archive::write_debug_archive(&builds, release, &options.output)
}

/// Runs the step that installs packages in root file systems of Debian and tests them there. Their
/// binaries are unoptimized and linked for this machine.
pub(crate) fn run_step() -> Result<Counts> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")) && downloads::can_unpack(),
        Skip::with_reason("packages are built on Debian and its relatives, on x86-64")
    );
    installation::check_tools()?;
    let output = shell::below_target("packages/output");
    shell::create_empty_dir(&output)?;
    let builds = Builds::create_with_system_linker()?;
    let release = Release::read(0)?;
    write_packages(&builds, &release, &output)?;
    let mut counts = test_reproducibility(&builds, &release, &output)?;
    counts += installation::test_packages(&output)?;
    Ok(counts)
}

/// Writes the packages of the same binaries again and counts the files that differ, which it prints,
/// as failures.
fn test_reproducibility(builds: &Builds, release: &Release, output: &Path) -> Result<Counts> {
    let again = shell::below_target("packages/again");
    shell::create_empty_dir(&again)?;
    write_packages(builds, release, &again)?;
    let mut counts = Counts::default();
    for entry in std::fs::read_dir(output)? {
        let path = entry?.path();
        let second = again.join(path.file_name().unwrap_or_default());
        let equal = std::fs::read(&path)? == std::fs::read(&second).unwrap_or_default();
        if !equal {
            println!("{} differs from {}", path.display(), second.display());
        }
        counts += Counts::from_check(equal);
    }
    Ok(counts)
}

/// Writes the archive and the packages of Debian to a directory.
fn write_packages(builds: &Builds, release: &Release, output: &Path) -> Result<()> {
    let licenses = shell::below_target("dist/THIRD-PARTY-LICENSES.txt");
    let libraries = builds.zig_directory.as_deref();
    let text = licenses::collect_licenses(&Scope {
        binaries: &["glasm-cli", "glasm-glvendor", "glasm-capi"],
        platform: "x86_64-unknown-linux-gnu",
        libraries: libraries.map_or_else(Vec::new, licenses::list_zig_libraries),
    })?;
    shell::create_dir(licenses.parent().unwrap_or(Path::new(".")))?;
    std::fs::write(&licenses, text)?;
    archive::write_command_archive(builds, &licenses, release, output)?;
    debian::write_packages(builds, &licenses, release, output)
}

/// Fails if a program is missing that builds need at their end.
fn check_tools() -> Result<()> {
    for name in ["git", "gzip", "objcopy", "pip3", "python3", "xz"] {
        ensure!(installed::has_program(name), "{name} is not installed");
    }
    Ok(())
}

/// Fails if Rust lacks the standard library of a target that the files are built for.
fn check_targets(part: Part) -> Result<()> {
    let targets: &[&str] = match part {
        Part::Linux => &[cross::LINUX_32],
        Part::Windows => &[cross::WINDOWS_64, cross::WINDOWS_32],
        Part::Crates => &[],
    };
    for target in targets {
        ensure!(
            cross::has_target(target),
            "the standard library of {target} is not installed: rustup target add {target}"
        );
    }
    Ok(())
}

/// Fails if files differ from the commit, whose name and time the packages have.
fn check_work_tree() -> Result<()> {
    let mut git = Command::new("git");
    let changes = shell::read_checked_output(git.args(["status", "--porcelain"]))?;
    let changes = String::from_utf8_lossy(&changes);
    ensure!(
        changes.is_empty(),
        "packages are built from a commit, but files have changed:\n{}",
        changes.trim_end()
    );
    Ok(())
}

/// Fails if a binary exceeds the limit on its size.
fn check_sizes(builds: &Builds) -> Result<()> {
    for path in builds.binaries() {
        let limit = SIZE_LIMITS.iter().find(|(name, _)| path.ends_with(name));
        check_size(path, limit)?;
    }
    Ok(())
}

/// Fails if a file exceeds a limit: its name, and a number of bytes.
fn check_size(path: &Path, limit: Option<&(&str, u64)>) -> Result<()> {
    let size = std::fs::metadata(path)?.len();
    if let Some((_, limit)) = limit {
        ensure!(
            size <= *limit,
            "{} has {size} bytes, at most {limit} are allowed",
            path.display()
        );
    }
    Ok(())
}

/// Prints the files below a directory with their sizes.
fn print_files(directory: &Path) -> Result<()> {
    for entry in walkdir::WalkDir::new(directory).sort_by_file_name() {
        let entry = entry?;
        if entry.file_type().is_file() {
            let size = entry.metadata()?.len();
            println!("{:>8} KiB  {}", size.div_ceil(1024), entry.path().display());
        }
    }
    Ok(())
}
