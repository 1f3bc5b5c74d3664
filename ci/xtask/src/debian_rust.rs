//! Debian's newer Rust, which its browsers are built with: unpacked below `target` for targets whose
//! standard library is not installed. That library is a package, or is built from its sources.
//!
//! The machine is not changed.

use crate::downloads::{self, Download};
use anyhow::{Context as _, Result};
use glasm_ci_support::counts::Skip;
use glasm_ci_support::shell;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler with its standard library for i386.
const WITH_I386: Download<'_> = Download::without_hashes(
    downloads::SYSTEM_EXCEPT_INSTALLED,
    "rustc-web libstd-rust-web-dev:i386",
);

/// The compiler with the sources of its standard library. The sources of the compiler itself, a
/// third of the package, are not unpacked.
const WITH_SOURCES: Download<'_> = Download {
    source: downloads::NATIVE_EXCEPT_INSTALLED,
    packages: "rustc-web rust-web-src",
    sha256: "",
    paths: "./usr/bin/* ./usr/lib/* ./usr/src/*/library",
};

/// Oldest version whose sources Cargo builds here: the minimum version of the library.
const MIN_VERSION: (u32, u32) = (1, 88);

/// Objects that the linker puts around all others in programs for MinGW-w64. They are part of the
/// standard library and Cargo does not build them.
const STARTUP_OBJECTS: [&str; 2] = ["rsbegin", "rsend"];

/// Features that the crates use and that are unstable in Debian's Rust 1.85: Rust 1.88, the minimum
/// version of the library, has all of them as stable.
const UNSTABLE: &str = "let_chains,unsigned_is_multiple_of,slice_as_chunks,unbounded_shifts,float_next_up_down,hash_extract_if,vec_pop_if";

/// Unstable features of dependencies that use some of them, by crate; crates without `std` do not
/// have the others.
const UNSTABLE_OF_DEPENDENCIES: [(&str, &str); 2] = [
    ("annotate_snippets", "let_chains,integer_sign_cast"),
    ("naga", "const_vec_string_slice,unsigned_is_multiple_of"),
];

/// Returns true if the standard library of the current toolchain is installed for a target.
pub(crate) fn has_target(target: &str) -> Result<bool> {
    let mut rustc = Command::new("rustc");
    let output =
        shell::capture_output(rustc.args(["--print", "target-libdir", "--target", target]))?;
    let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(output.status.success() && Path::new(&folder).exists())
}

/// Lets a build for i386 use Debian's compiler, which is unpacked below a directory, with its
/// standard library.
pub(crate) fn use_i386_package(build: &mut Command, directory: &Path) -> Result<()> {
    let rust = directory.join("rust");
    WITH_I386.fetch(&rust)?;
    build.env("RUSTC", write_wrapper(directory, &rust, UNSTABLE)?);
    build.arg("--ignore-rust-version");
    Ok(())
}

/// Lets a build for a target of MinGW-w64 use Debian's compiler, which is unpacked below a
/// directory, and build the standard library. Fails with [`Skip`] if the compiler is not available.
pub(crate) fn use_sources(build: &mut Command, target: &str, directory: &Path) -> Result<()> {
    let rust = directory.join("rust");
    WITH_SOURCES.fetch(&rust)?;
    let compiler = write_wrapper(directory, &rust, "")?;
    let version = read_version(&compiler)?;
    if version < MIN_VERSION {
        // Later lists of packages may have a newer one.
        std::fs::remove_dir_all(&rust)?;
        let (major, minor) = version;
        let reason = format!("Debian's rustc-web {major}.{minor} is too old");
        return Err(Skip::with_reason(reason).into());
    }
    build_startup_objects(&compiler, &rust, target)?;
    build.env("RUSTC", compiler);
    // Cargo accepts options for unstable features.
    build.env("RUSTC_BOOTSTRAP", "1");
    build.arg("-Zbuild-std=std,panic_unwind");
    Ok(())
}

/// Builds the [`STARTUP_OBJECTS`] where the compiler finds them, unless that was done.
fn build_startup_objects(compiler: &Path, rust: &Path, target: &str) -> Result<()> {
    let rustlib = rust.join("usr/lib/rustlib");
    let sources = rustlib.join("src/rust/library/rtstartup");
    let objects = rustlib.join(target).join("lib");
    shell::create_dir(&objects)?;
    for name in STARTUP_OBJECTS {
        let object = objects.join(format!("{name}.o"));
        if object.exists() {
            continue;
        }
        let mut command = Command::new(compiler);
        command.args(["--target", target, "--emit", "obj", "-o"]);
        command.arg(object).arg(sources.join(format!("{name}.rs")));
        shell::run_checked(&mut command)?;
    }
    Ok(())
}

/// Returns major and minor version of a compiler.
fn read_version(compiler: &Path) -> Result<(u32, u32)> {
    let text = shell::read_output(Command::new(compiler).arg("--version"))?;
    parse_version(&text).with_context(|| format!("rustc has no version: {text}"))
}

/// Parses what `rustc --version` prints, such as `rustc 1.96.0 (ac68faa20 2026-05-25)`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(' ').nth(1)?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Writes a script that wraps a compiler below `root`, and returns its path: it sets the library
/// path, and the unstable features that crates may use.
fn write_wrapper(directory: &Path, root: &Path, features: &str) -> Result<PathBuf> {
    let root = std::path::absolute(root)?;
    let root = root.display();
    let mut cases = String::new();
    let mut add = |crates: &str, features: &str| {
        cases += &format!(
            "*'--crate-name {crates}'*) set -- -Zcrate-attr='feature({features})' \"$@\" ;;\n"
        );
    };
    if !features.is_empty() {
        add("glasm", features);
        for (name, features) in UNSTABLE_OF_DEPENDENCIES {
            // The names of some crates begin with those of others.
            add(&format!("{name} "), features);
        }
    }
    let text = format!(
        "#!/bin/sh\n\
         export RUSTC_BOOTSTRAP=1 LD_LIBRARY_PATH={root}/usr/lib/x86_64-linux-gnu\n\
         case \"$*\" in\n\
         {cases}\
         esac\n\
         exec {root}/usr/bin/rustc \"$@\"\n"
    );
    shell::write_program(&directory.join("rustc"), &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(
            parse_version("rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)"),
            Some((1, 96))
        );
        assert_eq!(parse_version("rustc"), None);
        assert_eq!(parse_version("rustc 1"), None);
    }
}
