//! The vendor library built with ThreadSanitizer, and its clients whose threads share contexts or
//! objects, on Mesa's driver for the CPU: the library must have no data race.
//!
//! The flag of the compiler is unstable, and the standard library is used unchanged, without
//! instrumentation. Therefore locks of the library wait in its own code (the configuration
//! `thread_sanitizer`, `glvendor/src/lock.rs`), and reports with [`UNSEEN`] functions are ignored.

use crate::cargo_steps::run_tests;
use crate::workspace_build::prepare_vendor_test;
use crate::{cross, installed};
use anyhow::{Context as _, Result, ensure};
use glasm_ci_support::counts::{Counts, Skip};
use glasm_ci_support::shell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Rust's name of the target. Naming it excludes build scripts from the flags.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Compiler flags. Generic functions of the compiled standard library are compiled again with them.
const FLAGS: [&str; 5] = [
    "-Zsanitizer=thread",
    "-Zshare-generics=no",
    "-Cunsafe-allow-abi-mismatch=sanitizer",
    "--cfg",
    "thread_sanitizer",
];

/// Clients with state that threads share.
const CLIENTS: [&str; 8] = [
    "egl::races",
    "glx::races",
    "alone::races",
    "egl::threads",
    "glx::threads",
    "glx::owners",
    "egl::lifetimes",
    "egl::callbacks",
];

/// Functions that order threads in ways that ThreadSanitizer does not see: the last owner of an
/// `Arc` executes a fence, which ThreadSanitizer does not model, and the store that completes the
/// initialization of a `LazyLock` is in the compiled standard library.
const UNSEEN: [&str; 2] = ["drop_slow", "sync::once"];

/// Program with a race.
const RACE: &str = "#include <pthread.h>
void __tsan_write8(void *);
static long value;
static void *change(void *unused) { __tsan_write8(&value); return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    __tsan_write8(&value);
    pthread_join(thread, 0);
}
";

/// Directory of all output.
static OUT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("races"));

/// Runs the step that searches data races: multithreaded clients use a vendor library that is
/// instrumented by ThreadSanitizer.
pub(crate) fn run_step() -> Result<Counts> {
    check_machine()?;
    let runtime =
        find_runtime()?.ok_or_else(|| Skip::with_reason("this Rust has no ThreadSanitizer"))?;
    let out = std::path::absolute(&*OUT)?;
    shell::create_dir(&out)?;
    let compiler = write_c_compiler(&out, &runtime)?;
    ensure!(
        detects_race(&compiler, &out)?,
        Skip::with_reason("programs with ThreadSanitizer cannot be built or do not run here")
    );
    let mut build = cross::cargo("build", TARGET)?;
    build
        .args(["--package", "glasm-glvendor", "--lib"])
        // The feature that this disables is C++.
        .arg("--no-default-features")
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f"));
    // The clients run for less time than optimizing takes.
    cross::skip_optimization(&mut build, &cross::OPTIMIZED_CRATES);
    // Reports name lines, regardless of the settings of the caller.
    build.args(["--config", "profile.dev.debug='line-tables-only'"]);
    shell::run_checked(&mut build)?;
    let reports = out.join("reports");
    let _ = std::fs::remove_dir_all(&reports);
    shell::create_dir(&reports)?;
    let library = cross::built_file(TARGET, "dev", "libglasm_glvendor.so")?;
    let mut tally = test_clients(&library, &compiler, &reports)?;
    tally += count_reported_races(&reports)?;
    Ok(tally)
}

/// Returns the reason to skip the step if the platform or a required program is missing.
fn check_machine() -> Result<()> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")),
        Skip::with_reason("clients with ThreadSanitizer are for Linux on x86-64")
    );
    installed::require_program("cc")?;
    // Without either, reports would name no functions.
    ensure!(
        installed::has_program("addr2line") || installed::has_program("llvm-symbolizer"),
        Skip::with_reason("neither addr2line nor llvm-symbolizer is installed")
    );
    Ok(())
}

/// Returns the part of ThreadSanitizer that a program is linked with. `None` if the current Rust
/// lacks it or rejects the flags.
fn find_runtime() -> Result<Option<PathBuf>> {
    let mut rustc = Command::new("rustc");
    rustc.env("RUSTC_BOOTSTRAP", "1").args(FLAGS);
    let output =
        shell::capture_output(rustc.args(["--print", "target-libdir", "--target", TARGET]))?;
    let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    if !output.status.success() || !folder.is_dir() {
        return Ok(None);
    }
    let files = shell::find_files_below(&folder, "a")?;
    Ok(files.into_iter().find(|it| {
        let name = it.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with("_rt.tsan.a")
    }))
}

/// Writes the C compiler that links programs with ThreadSanitizer. The library finds its functions
/// in the program that loads it.
fn write_c_compiler(out: &Path, runtime: &Path) -> Result<PathBuf> {
    let text = format!(
        "#!/bin/sh\n\
         exec cc \"$@\" -Wl,--export-dynamic \\\n\
         -Wl,--whole-archive '{}' -Wl,--no-whole-archive -lpthread -ldl -lm -lrt\n",
        runtime.display()
    );
    shell::write_program(&out.join("cc"), &text)
}

/// Builds and runs a program with a data race, and returns true if ThreadSanitizer reports it.
fn detects_race(compiler: &Path, out: &Path) -> Result<bool> {
    let [source, program] = ["race.c", "race"].map(|it| out.join(it));
    std::fs::write(&source, RACE)?;
    let mut command = Command::new(compiler);
    let built = shell::capture_output(command.arg(&source).arg("-o").arg(&program))?;
    if !built.status.success() {
        return Ok(false);
    }
    let ran = shell::capture_output(Command::new(&program).env_remove("TSAN_OPTIONS"))?;
    Ok(String::from_utf8_lossy(&ran.stderr).contains("WARNING: ThreadSanitizer: data race"))
}

/// Runs the multithreaded clients with the instrumented library; ThreadSanitizer writes its reports
/// to `reports`.
fn test_clients(library: &Path, compiler: &Path, reports: &Path) -> Result<Counts> {
    // Reports are judged here: those about the driver do not end clients.
    let options = format!("exitcode=0:log_path='{}'", reports.join("report").display());
    let mut test = prepare_vendor_test("clients")?;
    test.arg("--exact")
        .args(CLIENTS)
        .env("GLASM_TEST_LIBRARY", library)
        .env("GLASM_TEST_WITHOUT_TEXT", "1")
        .env("CC", compiler)
        .env("TSAN_OPTIONS", options);
    run_tests(&mut test)
}

/// Reads the reports of the clients, and prints the races of the library.
fn count_reported_races(folder: &Path) -> Result<Counts> {
    let mut count = 0;
    let mut ours = Vec::new();
    for file in std::fs::read_dir(folder)? {
        let file = file?.path();
        let bytes = std::fs::read(&file).with_context(|| file.display().to_string())?;
        let text = String::from_utf8_lossy(&bytes);
        let reports = text
            .split("==================\n")
            .filter(|it| it.contains("WARNING: ThreadSanitizer"));
        for report in reports {
            count += 1;
            if is_library_race(report) {
                ours.push(report.to_owned());
            }
        }
    }
    for report in &ours {
        println!("{report}");
    }
    println!(
        "{count} reports, of which {} are about the vendor library",
        ours.len()
    );
    Ok(Counts::from_check(ours.is_empty()))
}

/// Returns true if a report is about two accesses of the library. Accesses of the driver, which is
/// not instrumented, are reported if it calls functions of the C library, regardless of their
/// synchronization.
fn is_library_race(report: &str) -> bool {
    let accesses: Vec<&str> = report.split("\n\n").take(2).collect();
    let modules: Vec<&str> = accesses
        .iter()
        .filter_map(|it| find_innermost_module(it))
        .collect();
    // The second stack may be lost.
    !modules.is_empty()
        && modules.iter().all(|it| it.contains("_glasm.so"))
        && !accesses
            .iter()
            .any(|access| UNSEEN.iter().any(|it| access.contains(it)))
}

/// Returns the module of the innermost frame that is neither the C library's nor the client's, with
/// which ThreadSanitizer is linked: `#0 name file:line (module+0x1234)`.
fn find_innermost_module(stack: &str) -> Option<&str> {
    let frames = stack.lines().filter(|it| it.trim_start().starts_with('#'));
    let mut modules = frames.filter_map(|frame| {
        let (before, _) = frame.rsplit_once("+0x")?;
        let (_, module) = before.rsplit_once('(')?;
        module.rsplit('/').next()
    });
    modules.find(|it| *it != "client" && !it.starts_with("libc.so"))
}

#[cfg(test)]
mod tests {
    use super::is_library_race;

    /// Returns a report about accesses with these frames.
    fn report(first: &[&str], second: &[&str]) -> String {
        let stack = |frames: &[&str]| {
            let lines = frames.iter().enumerate();
            let lines = lines.map(|(i, it)| format!("    #{i} {it}) (BuildId: 0+0)\n"));
            lines.collect::<String>()
        };
        format!(
            "WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 8 at 0x1 by thread T6:\n{}\n  \
             Previous write of size 8 at 0x1 by thread T7:\n{}\n  Thread T6 created by main thread at:\n    \
             #0 start x.c:1 (client+0x1)\n\nSUMMARY: ThreadSanitizer: data race\n",
            stack(first),
            stack(second)
        )
    }

    #[test]
    fn both_accesses_are_those_of_the_library() {
        const FREE: &str = "free x.cpp:735:3 (client+0x39dfa";
        const OURS: &str = "glasm_glvendor::f(u8) /a (b)/x.rs:1:2 (/x/libEGL_glasm.so.0+0xb9a77";
        const DRIVERS: &str = "<null> <null> (swrast_dri.so+0xb9a77";
        assert!(is_library_race(&report(&[FREE, OURS], &[OURS, DRIVERS])));
        assert!(is_library_race(&report(&[OURS], &[])));
        assert!(!is_library_race(&report(&[FREE, DRIVERS, OURS], &[OURS])));
        assert!(!is_library_race(&report(&[OURS], &[FREE, DRIVERS, OURS])));
        assert!(!is_library_race(&report(&[FREE], &[FREE])));
    }

    #[test]
    fn orders_that_are_not_seen_are_no_races() {
        const OURS: &str = "glasm_glvendor::f x.rs:1:2 (libGLX_glasm.so.0+0xb9a77";
        for unseen in [
            "<alloc::sync::Arc<u8>>::drop_slow sync.rs:1 (libGLX_glasm.so.0+0x1",
            "<std::sync::once::Once>::call_once_force::<f> once.rs:1 (libGLX_glasm.so.0+0x1",
        ] {
            assert!(!is_library_race(&report(&[OURS, unseen], &[OURS])));
            assert!(!is_library_race(&report(&[OURS], &[OURS, unseen])));
        }
    }
}
