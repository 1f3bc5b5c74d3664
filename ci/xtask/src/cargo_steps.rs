//! Steps that run Cargo: checks of the sources, and tests.

use crate::installed;
use crate::setup;
use crate::suite::Scope;
use anyhow::{Context, Result};
use glasm_ci_support::shell;
use glasm_ci_support::tally::Tally;
use glasm_ci_support::vulkan::{self, Layer};
use glasm_tests::skip;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

/// List of the tests that are skipped, which they write.
static SKIPPED: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("skipped-tests"));

/// Runs tests and counts them. The scripts have a separate step, on two drivers, so the test target
/// that runs them is empty.
pub(crate) fn run_tests(command: &mut Command) -> Result<Tally> {
    if let Some(driver) = vulkan::lavapipe() {
        vulkan::use_driver(command, &driver);
    }
    vulkan::use_validation_layer(command, Layer::Newest)?;
    let list = std::path::absolute(&*SKIPPED)?;
    match std::fs::remove_file(&list) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| SKIPPED.display().to_string());
        }
        Ok(()) | Err(_) => {}
    }
    command.env(skip::LIST, &list);
    let transcript = shell::tee(command.env("GLASM_TEST_SCRIPTS", "off"))?;
    let tally = Tally::of_test_run(&transcript.text, transcript.success);
    anyhow::ensure!(tally != Tally::default(), "no test was run");
    // Without a skipped test the list does not exist.
    let skipped = std::fs::read_to_string(&list).unwrap_or_default();
    let skipped = skip::tests_of(&skipped);
    for (test, reason) in &skipped {
        println!("SKIP {test}: {reason}");
    }
    Ok(tally.with_skipped(skipped.len() as u64))
}

/// Runs a command of Cargo that passes or fails as a whole.
pub(crate) fn check(words: &str) -> Result<Tally> {
    let passed = shell::succeeds(shell::cargo().args(words.split(' ')))?;
    if !passed {
        for problem in setup::missing_rust_components() {
            println!("{problem}");
        }
    }
    Ok(Tally::check(passed))
}

/// Checks that the crates of the compiler need no C or C++ compiler with default features, nor the
/// command without SPIRV-Cross.
pub(crate) fn check_pure_rust() -> Result<Tally> {
    const NATIVE: &[&str] = &[
        "cc",
        "cmake",
        "bindgen",
        "pkg-config",
        "cxx",
        "cxx-build",
        "spirv-tools-sys",
    ];
    // Numbers and types of system calls, in Rust.
    const KERNEL: &str = "linux-raw-sys";
    let mut tally = Tally::default();
    let without_cross = ["--no-default-features", "--features", "run,translate"];
    for (package, features) in [
        ("glasm-ir", &[][..]),
        ("glasm-frontend", &[]),
        ("glasm-codegen", &[]),
        ("glasm", &[]),
        ("glasm-text", &[]),
        ("glasm-cli", &without_cross),
    ] {
        let mut tree = shell::cargo();
        tree.args(["tree", "--package", package]).args(features);
        tree.args("--edges normal,build --prefix none --format {p}".split(' '));
        let output = shell::capture(&mut tree)?;
        anyhow::ensure!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let names = text.lines().filter_map(|line| line.split(' ').next());
        let native: Vec<&str> = names
            .filter(|name| NATIVE.contains(name) || name.ends_with("-sys") && *name != KERNEL)
            .collect();
        if native.is_empty() {
            println!("{package}: pure Rust");
        } else {
            println!(
                "{package}: builds native code through {}",
                native.join(", ")
            );
        }
        tally += Tally::check(native.is_empty());
    }
    Ok(tally)
}

/// Excludes the tests with NVIDIA's Cg runtime from the step that runs all others.
const CG_OFF: (&str, &str) = ("GLASM_TEST_CG", "off");

/// Runs the unit and integration tests, with nextest if it is installed.
pub(crate) fn run_unit_tests(scope: Scope) -> Result<Tally> {
    let mut command = shell::cargo();
    if installed::has_program("cargo-nextest") {
        command.args("nextest run --workspace --no-fail-fast --status-level slow".split(' '));
        if scope == Scope::Quick {
            command.args(["--profile", "quick"]);
        }
    } else {
        let words = "test --workspace --lib --bins --tests --no-fail-fast --quiet";
        command.args(words.split(' '));
    }
    let (variable, value) = CG_OFF;
    run_tests(command.env(variable, value))
}

/// Runs the documentation tests.
pub(crate) fn run_documentation_tests() -> Result<Tally> {
    run_tests(shell::cargo().args(["test", "--workspace", "--doc"]))
}

/// Runs the tests with NVIDIA's Cg runtime and Panda3D as applications of the vendor library.
pub(crate) fn run_cg_tests() -> Result<Tally> {
    installed::require([
        ("the Cg runtime", glasm_tests::cg::libraries().is_some()),
        ("Xvfb", installed::has_program("xvfb-run")),
        ("Mesa's GLX", installed::has_glx()),
    ])?;
    let words = "test --package glasm-glvendor --test cg -- --quiet";
    run_tests(shell::cargo().args(words.split(' ')))
}

/// Tests the feature `spirv-tools`, which no other step builds. Only unit tests of the command run:
/// its program is not built again. If the system has SPIRV-Tools as a static library, the tests
/// link with it, instead of building it for minutes.
pub(crate) fn test_in_process_validation() -> Result<Tally> {
    let mut command = shell::cargo();
    if let Some(directory) = find_spirv_tools() {
        // Replaces the build script of the crate spirv-tools-sys, whose `links` is `spirv-tools`.
        let target = format!(
            "target.{}-unknown-linux-gnu.spirv-tools",
            std::env::consts::ARCH
        );
        let directory = directory.display();
        command.arg("--config").arg(format!(
            "{target}.rustc-link-lib = ['static=SPIRV-Tools', 'stdc++']"
        ));
        command.arg("--config").arg(format!(
            "{target}.rustc-link-search = ['native={directory}']"
        ));
    }
    let words = "test --package glasm --package glasm-cli --package glasm-capi \
                 --no-default-features \
                 --features glasm/spirv-tools,glasm-cli/spirv-tools,glasm-capi/spirv-tools \
                 --lib --bins --test c -- valid the_interface_in_c";
    run_tests(command.args(words.split(' ')))
}

/// Returns the directory of the system's static library of SPIRV-Tools, if there is one where
/// Debian and Fedora install it.
fn find_spirv_tools() -> Option<PathBuf> {
    let arch = std::env::consts::ARCH;
    let directories = [
        format!("/usr/lib/{arch}-linux-gnu"),
        "/usr/lib64".to_owned(),
    ];
    directories
        .into_iter()
        .map(PathBuf::from)
        .find(|directory| cfg!(target_os = "linux") && directory.join("libSPIRV-Tools.a").is_file())
}
