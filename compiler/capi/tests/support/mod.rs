//! Programs in C and C++ that are built with the library that Cargo has built for the tests.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm_tests::skip::{has_program, skip};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Library that a program is linked with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(dead_code, reason = "the examples need one of them")]
pub(crate) enum Linkage {
    /// The shared library.
    Shared,
    /// The static library, with what its own dependencies need.
    Static,
}

/// Returns the directory of the crate.
pub(crate) fn crate_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Finds a library that Cargo has built: next to the test program, or above it.
fn find_library(name: &str) -> PathBuf {
    let program = std::env::current_exe().unwrap();
    let mut folders = program.ancestors().skip(1).take(2);
    let found = folders.find(|folder| folder.join(name).exists());
    let found = found.unwrap_or_else(|| panic!("{name} is not beside {}", program.display()));
    found.join(name)
}

/// Returns a compiler: that of the environment, else the system's. The test is skipped where there
/// is none, and on Windows, whose compilers take other arguments.
fn find_compiler(variable: &str, name: &str) -> Option<OsString> {
    if cfg!(windows) {
        skip("compilers on Windows take other arguments");
        return None;
    }
    let program = std::env::var_os(variable).unwrap_or_else(|| name.into());
    has_program(&program.to_string_lossy()).then_some(program)
}

/// Returns the path of a file that tests write.
pub(crate) fn output_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name.replace(['/', ' '], "_"))
}

/// Returns a command that compiles a source of the crate; `None` without a compiler.
fn compile(source: &str) -> Option<Command> {
    let is_c = source.ends_with(".c");
    let mut command = Command::new(if is_c {
        find_compiler("CC", "cc")?
    } else {
        find_compiler("CXX", "c++")?
    });
    command
        .arg(if is_c { "-std=c11" } else { "-std=c++17" })
        .args(["-g", "-Wall", "-Wextra", "-Werror"])
        .arg("-I")
        .arg(crate_dir().join("include"))
        .arg(crate_dir().join(source));
    Some(command)
}

fn run_successfully(command: &mut Command) {
    let built = command.output().unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{command:?}\n{said}");
}

/// Builds a program of a source of the crate; nothing if there is no compiler.
pub(crate) fn build(source: &str, linkage: Linkage, flags: &[&str]) -> Option<PathBuf> {
    let program = output_path(&format!("{source}-{linkage:?}{}", flags.concat()));
    let mut command = compile(source)?;
    command.arg("-o").arg(&program);
    link(&mut command, linkage);
    run_successfully(command.args(flags).arg("-lm"));
    Some(program)
}

/// Compiles a source of the crate for programs that are built with it; nothing if there is no
/// compiler.
#[allow(dead_code, reason = "the test target of the examples needs it")]
pub(crate) fn build_object(source: &str) -> Option<PathBuf> {
    let object = output_path(&format!("{source}.o"));
    run_successfully(compile(source)?.arg("-c").arg("-o").arg(&object));
    Some(object)
}

/// Returns true if the C compiler builds a source with these flags; else the test is skipped.
pub(crate) fn check_compiles(text: &str, flags: &[&str], missing: &str) -> bool {
    let source = output_path(&format!("{missing}.c"));
    std::fs::write(&source, text).unwrap();
    let Some(compiler) = find_compiler("CC", "cc") else {
        return false;
    };
    let mut command = Command::new(compiler);
    command
        .arg(&source)
        .arg("-o")
        .arg(source.with_extension("out"));
    let built = command.args(flags).output();
    let is_there = built.is_ok_and(|built| built.status.success());
    if !is_there {
        skip(format!("{missing} is not installed"));
    }
    is_there
}

fn link(command: &mut Command, linkage: Linkage) {
    match linkage {
        Linkage::Static => {
            command.arg(find_library("libglasm_capi.a"));
            if cfg!(target_os = "linux") {
                command.args(["-lpthread", "-ldl", "-lgcc_s"]);
            }
        }
        Linkage::Shared => {
            let extension = if cfg!(target_os = "macos") {
                "dylib"
            } else {
                "so"
            };
            let library = find_library(&format!("libglasm_capi.{extension}"));
            let folder = library.parent().unwrap();
            let mut path = OsString::from("-Wl,-rpath,");
            path.push(folder);
            command.arg(&library).arg(path);
        }
    }
}

/// Runs a program, which must succeed, and gives what it has printed.
pub(crate) fn run(command: &mut Command) -> String {
    let ran = command.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(
        ran.status.success(),
        "{command:?}: {}\n{said}{errors}",
        ran.status
    );
    said
}
