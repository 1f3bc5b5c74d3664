//! The steps of `cargo xtask test`: one table with the name, purpose and function of each.

use crate::cargo_steps;
use crate::coverage;
use crate::dist;
use crate::drivers;
use crate::suite::{self, Scope, SuiteConfig};
use crate::support::{self, PageStatus};
use crate::{i386, installed, piglit_tests, published_crates, random, reference, script_steps};
use crate::{thread_sanitizer, virgl, web, windows, wine, workspace_build};
use anyhow::{Context, Result, bail, ensure};
use glasm_ci_support::counts::{Counts, Skip};
use glasm_ci_support::report::ScriptResult;
use glasm_ci_support::shell;
use glasm_ci_support::vulkan;
use std::path::PathBuf;

/// TestRunState of a test run, and data that steps pass to later ones.
#[derive(Default)]
pub(crate) struct TestRunState {
    /// Extent of the checks.
    pub(crate) scope: Scope,
    results: Vec<ScriptResult>,
    /// Directories of the modules of the suites; `None` if no suite was to run.
    modules: Option<Vec<PathBuf>>,
}

/// Step of a test run.
pub(crate) struct Step {
    /// Name for the command line.
    pub(crate) name: &'static str,
    /// Smallest scope that includes it.
    pub(crate) scope: Scope,
    /// Purpose of the step, for the help text and the document.
    pub(crate) about: &'static str,
    /// True if it runs in the background of a full run: it uses no result of another step, and its
    /// builds have their own directories.
    pub(crate) runs_in_background: bool,
    /// Runs it.
    pub(crate) run: fn(&mut TestRunState) -> Result<Counts>,
}

/// Steps, in the order in which they run: those with early results first. Of the steps in the
/// background, `thread-sanitizer` and `i386` need the step `build`, `windows` compares its images with
/// those of the step `cg`, and `packages` replaces a library that the step `unit` uses.
pub(crate) static STEPS: &[Step] = &[
    Step {
        name: "fmt",
        scope: Scope::Quick,
        about: "`cargo fmt --check`",
        runs_in_background: false,
        run: |_| cargo_steps::run_cargo("fmt --all --check"),
    },
    Step {
        name: "pure-rust",
        scope: Scope::Quick,
        about: "the compiler crates need no C or C++ with default features, nor the command without SPIRV-Cross",
        runs_in_background: false,
        run: |_| cargo_steps::check_pure_rust(),
    },
    Step {
        name: "published-crates",
        scope: Scope::All,
        about: "the library as others get it: packages, their documentation without warnings, the list of its surface, the oldest Rust that it names",
        runs_in_background: true,
        run: |_| published_crates::run_step(),
    },
    Step {
        name: "build",
        scope: Scope::Quick,
        about: "all targets of the workspace, which the next steps need, without warnings of rustc or Clippy",
        runs_in_background: false,
        run: |_| workspace_build::build_without_warnings(),
    },
    Step {
        name: "unit",
        scope: Scope::Quick,
        about: "unit and integration tests (cargo nextest if installed); the quick run leaves out those of [.config/nextest.toml](.config/nextest.toml)",
        runs_in_background: false,
        run: |state| cargo_steps::run_unit_tests(state.scope),
    },
    Step {
        name: "cg",
        scope: Scope::All,
        about: "NVIDIA's Cg runtime and Panda3D, unmodified, through the vendor library",
        runs_in_background: false,
        run: |_| cargo_steps::run_cg_tests(),
    },
    Step {
        name: "doctests",
        scope: Scope::All,
        about: "documentation tests",
        runs_in_background: false,
        run: |_| cargo_steps::run_documentation_tests(),
    },
    Step {
        name: "scripts",
        scope: Scope::Quick,
        about: "tests/cases/run and shaders on lavapipe and on SwiftShader, validation layer on; on SwiftShader the quick run leaves out scripts whose modules are those of lavapipe",
        runs_in_background: false,
        run: test_suites,
    },
    Step {
        name: "vector-widths",
        scope: Scope::All,
        about: "scripts on lavapipe with the vector widths of other CPUs, and with the system's validation layer",
        runs_in_background: false,
        run: |_| test_vector_widths(),
    },
    Step {
        name: "state-sources",
        scope: Scope::All,
        about: "scripts that set GL state, with the state in specialization constants and in a uniform block",
        runs_in_background: false,
        run: |_| script_steps::test_run_time_state(),
    },
    Step {
        name: "random-programs",
        scope: Scope::All,
        about: "scripts of random programs of the typed languages on both drivers",
        runs_in_background: false,
        run: |_| suite::for_each_driver(random::run_on_driver),
    },
    Step {
        name: "shading-languages",
        scope: Scope::All,
        about: "scripts on lavapipe, each program written as WGSL and as GLSL, and compiled from that",
        runs_in_background: false,
        run: |_| test_shading_languages(),
    },
    Step {
        name: "spirv-val",
        scope: Scope::Quick,
        about: "every module that the step `scripts` of the same run produced",
        runs_in_background: false,
        run: |state| validate_modules(state),
    },
    Step {
        name: "spirv-tools",
        scope: Scope::All,
        about: "the feature spirv-tools: the validator in the process, linked with the system's static library or built from source",
        runs_in_background: false,
        run: |_| cargo_steps::test_in_process_validation(),
    },
    Step {
        name: "opengl-reference",
        scope: Scope::All,
        about: "scripts that Mesa's OpenGL drivers for the CPU can run, compared with lavapipe",
        runs_in_background: false,
        run: |_| reference::run_step(),
    },
    Step {
        name: "gl-spirv",
        scope: Scope::All,
        about: "scripts through OpenGL as modules of glasm, which Mesa's driver for the CPU takes as SPIR-V",
        runs_in_background: false,
        run: |_| script_steps::test_gl_spirv(),
    },
    Step {
        name: "vendor-library",
        scope: Scope::Quick,
        about: "programs of the NV and ARB languages through the vendor library, before Mesa's driver for the CPU; the quick run takes one script in eight",
        runs_in_background: false,
        run: |state| script_steps::test_vendor_library(state.scope),
    },
    Step {
        name: "mesa-versions",
        scope: Scope::All,
        about: "scripts on the versions of Mesa of Debian 13 and of Debian's unstable, on Vulkan and through the vendor library; their packages are unpacked below target",
        runs_in_background: false,
        run: |_| drivers::run_step(),
    },
    Step {
        name: "piglit",
        scope: Scope::All,
        about: "piglit's tests with programs through the vendor library, before the same driver",
        runs_in_background: false,
        run: |_| piglit_tests::run_step(),
    },
    Step {
        name: "wine",
        scope: Scope::All,
        about: "programs of Windows in Wine through the vendor library: OpenGL, and Direct3D 9 through Wine's ARB backend",
        runs_in_background: false,
        run: |_| wine::run_step(),
    },
    Step {
        name: "web",
        scope: Scope::All,
        about: "the playground as WebAssembly, in Chromium: editing, diagnostics, images, which the interpreter of the command draws equal, traces, accessibility",
        runs_in_background: true,
        run: |_| web::run_step(),
    },
    Step {
        name: "virgl",
        scope: Scope::All,
        about: "GLSL on Mesa's OpenGL driver for the CPU, and the TGSI that virpipe generated from it, compared",
        runs_in_background: false,
        run: |_| virgl::run_step(),
    },
    Step {
        name: "coverage",
        scope: Scope::All,
        about: "the feature lists that passing scripts prove; docs/support.md says the same",
        runs_in_background: false,
        run: |state| test_coverage(state),
    },
    Step {
        name: "mutate",
        scope: Scope::All,
        about: "a sample of mutants of the compiler, which scripts and tests have to kill",
        runs_in_background: true,
        run: |_| glasm_mutate::run_step(),
    },
    Step {
        name: "thread-sanitizer",
        scope: Scope::All,
        about: "the vendor library built with ThreadSanitizer, and its clients whose threads share contexts or objects",
        runs_in_background: true,
        run: |_| thread_sanitizer::run_step(),
    },
    Step {
        name: "i386",
        scope: Scope::All,
        about: "the vendor library for 32-bit applications, built and tried with Debian's packages, which are unpacked below target; the library for C with 32 bits",
        runs_in_background: true,
        run: |_| i386::run_step(),
    },
    Step {
        name: "windows",
        scope: Scope::All,
        about: "the vendor library as opengl32.dll in Wine, for 64 and 32 bits: the clients that do not depend on X11, and cases about WGL",
        runs_in_background: true,
        run: |_| windows::run_step(),
    },
    Step {
        name: "packages",
        scope: Scope::All,
        about: "packages of Debian and the archive, installed in root file systems of Debian 12 and 13: the command, applications with 64 and 32 bits, programs in C, removal",
        runs_in_background: true,
        run: |_| dist::run_step(),
    },
];

/// Returns the step of a name; the error for an unknown name lists all steps.
pub(crate) fn find_step(name: &str) -> Result<&'static Step> {
    let names = || STEPS.iter().map(|step| step.name).collect::<Vec<_>>();
    let found = STEPS.iter().find(|step| step.name == name);
    found.with_context(|| format!("no step `{name}`; there are {}", names().join(", ")))
}

/// Runs the suite on both CPU drivers and stores the results and modules for later steps. The quick
/// run leaves out scripts on the second driver whose modules the first one ran. A driver that does
/// not start is a failure.
fn test_suites(state: &mut TestRunState) -> Result<Counts> {
    let mut tally = Counts::default();
    let modules = state.modules.insert(Vec::new());
    for (name, driver) in suite::find_cpu_drivers() {
        let Some(driver) = driver else {
            println!("{name} is not installed: its suite is skipped");
            tally += Counts::one_skipped();
            continue;
        };
        // A driver that does not start must not hide the failures that the other finds.
        let pass = match (state.scope, modules.first()) {
            (Scope::Quick, Some(known)) => SuiteConfig::without_known_modules(known.clone()),
            (Scope::Quick | Scope::All, _) => SuiteConfig::MAIN,
        };
        match suite::run_on_driver(&driver, pass) {
            Ok(run) => {
                println!("{name}: {}\n", run.tally);
                tally += run.tally;
                state.results.extend(run.results);
                modules.push(run.modules);
            }
            Err(error) => {
                shell::report_failure(&format!("error: {error:#}"));
                tally += Counts::from_check(false);
            }
        }
    }
    if !vulkan::has_validation_layer() {
        println!("the validation layer is not installed: scripts ran without it");
        tally += Counts::one_skipped();
    }
    Ok(tally)
}

/// Runs the scripts on lavapipe with vectors of other widths, and with the system's validation
/// layer.
fn test_vector_widths() -> Result<Counts> {
    let driver = vulkan::require_lavapipe()?;
    let mut tally = Counts::default();
    for pass in [SuiteConfig::NARROW, SuiteConfig::WIDE_DOUBLES] {
        let run = suite::run_on_driver(&driver, pass)?;
        println!("{}: {}\n", run.name, run.tally);
        tally += run.tally;
    }
    if !vulkan::has_installed_layer() {
        println!("no validation layer is installed: scripts ran without it");
        tally += Counts::one_skipped();
    }
    Ok(tally)
}

/// Runs the scripts with translated programs. That all programs can be translated is a unit test.
fn test_shading_languages() -> Result<Counts> {
    let driver = vulkan::require_lavapipe()?;
    let mut tally = suite::run_through_language("wgsl", &driver)?;
    if installed::has_program("glslangValidator") {
        tally += suite::run_through_language("glsl", &driver)?;
    } else {
        println!("glslangValidator is not installed: no scripts through GLSL");
        tally += Counts::one_skipped();
    }
    Ok(tally)
}

/// Validates the modules of this run; those of other runs are ignored.
fn validate_modules(state: &TestRunState) -> Result<Counts> {
    let Some(dirs) = &state.modules else {
        bail!("there are no modules: run this together with the step `scripts`, which makes them");
    };
    ensure!(
        !dirs.is_empty(),
        Skip::with_reason("no driver ran the scripts, so there are no modules")
    );
    let tally = suite::validate_modules(dirs)?;
    println!(
        "{} modules, {} valid",
        tally.passed + tally.failed,
        tally.passed
    );
    Ok(tally)
}

/// Checks the claims of scripts and that `docs/support.md` is up to date, with the results of this
/// run, or else of the last one.
fn test_coverage(state: &TestRunState) -> Result<Counts> {
    let own;
    let results = match state.results.as_slice() {
        [] => {
            own = suite::run_everywhere()?;
            &own
        }
        results => results,
    };
    let mut tally = Counts::from_check(coverage::print_report(
        results,
        coverage::ListedIds::Totals,
    )?);
    tally += match support::check_page(results)? {
        PageStatus::Current => Counts::from_check(true),
        PageStatus::Outdated(message) => {
            shell::report_failure(&format!("error: {message}"));
            Counts::from_check(false)
        }
        PageStatus::Unknown(reason) => {
            println!("{reason}");
            Counts::one_skipped()
        }
    };
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::{TestRunState, validate_modules};
    use crate::installed;
    use glasm_ci_support::counts::Skip;
    use std::path::PathBuf;

    #[test]
    fn modules_are_those_of_this_run() {
        let validate = |modules| {
            validate_modules(&TestRunState {
                modules,
                ..TestRunState::default()
            })
        };
        let is_skipped = |modules| {
            let error = validate(modules).expect_err("there is nothing to validate");
            error.is::<Skip>()
        };
        assert!(!is_skipped(None));
        assert!(is_skipped(Some(Vec::new())));
        // Without spirv-val the step is skipped, otherwise there are no modules.
        let empty = PathBuf::from("src/no-such-folder");
        assert_ne!(
            is_skipped(Some(vec![empty])),
            installed::has_program("spirv-val")
        );
    }
}
