//! Steps that run Cargo: checks of the sources, and tests.

use crate::installed;
use crate::setup;
use crate::suite::Scope;
use crate::workspace_build::{prepare_vendor_test, workspace_cargo};
use anyhow::{Context, Result};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::shell;
use glasm_ci_support::vulkan::{self, Layer};
use glasm_tests::skip;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

/// List of the tests that are skipped, which they write. Steps of other processes have others.
static SKIPPED_TESTS: LazyLock<PathBuf> =
    LazyLock::new(|| shell::below_target(&format!("skipped-tests-{}", std::process::id())));

/// Runs tests and counts them. The scripts have a separate step, on two drivers, so the test target
/// that runs them is empty.
pub(crate) fn run_tests(command: &mut Command) -> Result<Counts> {
    if let Some(driver) = vulkan::find_lavapipe() {
        vulkan::use_driver(command, &driver);
    }
    vulkan::disable_llvm_optimizations(command);
    vulkan::use_validation_layer(command, Layer::Newest)?;
    let list = std::path::absolute(&*SKIPPED_TESTS)?;
    command.env(skip::LIST, &list);
    let transcript = shell::run_and_capture(command.env("GLASM_TEST_SCRIPTS", "off"))?;
    let tally = Counts::from_test_output(&transcript.text, transcript.success);
    anyhow::ensure!(tally != Counts::default(), "no test was run");
    // Without a skipped test the list does not exist.
    let skipped = std::fs::read_to_string(&list).unwrap_or_default();
    if !skipped.is_empty() {
        std::fs::remove_file(&list).with_context(|| list.display().to_string())?;
    }
    let skipped = skip::tests_of(&skipped);
    for (test, reason) in &skipped {
        println!("SKIP {test}: {reason}");
    }
    Ok(tally.with_skipped(skipped.len() as u64))
}

/// Runs a Cargo command, given as words separated by spaces, as one check. Prints missing
/// components of the toolchain if it fails.
pub(crate) fn run_cargo(words: &str) -> Result<Counts> {
    let passed = shell::run_succeeds(shell::cargo().args(words.split(' ')))?;
    if !passed {
        for problem in setup::find_missing_rust_components() {
            println!("{problem}");
        }
    }
    Ok(Counts::from_check(passed))
}

/// Crates that build native code for others, in addition to those whose names end with `-sys`.
const NATIVE: [&str; 7] = [
    "cc",
    "cmake",
    "bindgen",
    "pkg-config",
    "cxx",
    "cxx-build",
    "spirv-tools-sys",
];

/// Crates in Rust in spite of their names: numbers and types of system calls, and a translation of
/// libbzip2.
const RUST_IN_SPITE_OF_NAME: [&str; 2] = ["linux-raw-sys", "libbz2-rs-sys"];

/// Checks that the crates of the compiler need no C or C++ compiler with default features, nor the
/// command without SPIRV-Cross.
pub(crate) fn check_pure_rust() -> Result<Counts> {
    let mut tally = Counts::default();
    let without_cross = ["--no-default-features", "--features", "run,translate"];
    for (package, features) in [
        ("glasm-ir", &[][..]),
        ("glasm-frontend", &[]),
        ("glasm-codegen", &[]),
        ("glasm", &[]),
        ("glasm-text", &[]),
        ("glasm-cli", &without_cross),
    ] {
        let native = find_native_dependencies(package, features)?;
        match native.join(", ").as_str() {
            "" => println!("{package}: pure Rust"),
            names => println!("{package}: builds native code through {names}"),
        }
        tally += Counts::from_check(native.is_empty());
    }
    Ok(tally)
}

/// Returns the dependencies of a package, with arguments of cargo that select its features, that
/// build native code.
fn find_native_dependencies(package: &str, features: &[&str]) -> Result<Vec<String>> {
    let mut tree = shell::cargo();
    tree.args(["tree", "--package", package]).args(features);
    tree.args("--edges normal,build --prefix none --format {p}".split(' '));
    let output = shell::capture_output(&mut tree)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "{}", errors.trim());
    let text = String::from_utf8_lossy(&output.stdout);
    let names = text.lines().filter_map(|line| line.split(' ').next());
    let is_native = |name: &&str| {
        NATIVE.contains(name) || name.ends_with("-sys") && !RUST_IN_SPITE_OF_NAME.contains(name)
    };
    Ok(names.filter(is_native).map(str::to_owned).collect())
}

/// Excludes the tests with NVIDIA's Cg runtime from the step that runs all others.
const CG_OFF: (&str, &str) = ("GLASM_TEST_CG", "off");

/// Runs the unit and integration tests, with nextest if it is installed.
pub(crate) fn run_unit_tests(scope: Scope) -> Result<Counts> {
    let mut command = workspace_cargo();
    if installed::has_program("cargo-nextest") {
        command.args("nextest run --workspace --no-fail-fast --status-level slow".split(' '));
        if scope == Scope::Quick {
            command.args(["--profile", "quick"]);
        }
    } else {
        let words = "test --workspace --lib --bins --tests --no-fail-fast --quiet";
        command.args(words.split(' '));
    }
    // The same random inputs in each run: a failure has its cause in the change that is tested.
    // `cargo xtask fuzz` and `cargo test` draw others.
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        command.env("PROPTEST_RNG_SEED", "1");
    }
    let (variable, value) = CG_OFF;
    run_tests(command.env(variable, value))
}

/// Runs the documentation tests of all crates and counts their outcomes.
pub(crate) fn run_documentation_tests() -> Result<Counts> {
    run_tests(workspace_cargo().args(["test", "--workspace", "--doc"]))
}

/// Runs the tests with NVIDIA's Cg runtime and Panda3D as applications of the vendor library.
pub(crate) fn run_cg_tests() -> Result<Counts> {
    run_tests(prepare_vendor_test("cg")?.arg("--quiet"))
}

/// Tests the feature `spirv-tools`, which no other step builds. Only unit tests of the command run:
/// its program is not built again. If the system has SPIRV-Tools as a static library, the tests
/// link with it, instead of building it for minutes.
pub(crate) fn test_in_process_validation() -> Result<Counts> {
    // With the compiler of the step `build`, and the features that it selects for glasm-ir: the crates
    // on which the feature has no effect are not built again.
    let mut command = workspace_cargo();
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
    let words = "test --package glasm --package glasm-cli --package glasm-capi --package glasm-ir \
                 --no-default-features --features glasm-ir/generate \
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
