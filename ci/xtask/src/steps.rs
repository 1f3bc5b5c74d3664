//! The steps of `cargo xtask test`: one table with the name, purpose and function of each.

use crate::cargo_steps;
use crate::coverage;
use crate::crates;
use crate::drivers;
use crate::suite::{self, Pass, Scope};
use crate::support::{self, Verdict};
use crate::{
    gl_spirv, i386, installed, piglit_tests, races, random, reference, state as state_step,
    validate, vendor, virgl, wine,
};
use anyhow::{Context, Result, bail, ensure};
use glasm_ci_support::report::ScriptResult;
use glasm_ci_support::tally::{Skip, Tally};
use glasm_ci_support::vulkan;
use std::path::PathBuf;

/// State of a test run, and data that steps pass to later ones.
#[derive(Default)]
pub(crate) struct State {
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
    /// Runs it.
    pub(crate) run: fn(&mut State) -> Result<Tally>,
}

/// Steps, in the order in which they run: those with early results first.
pub(crate) static STEPS: &[Step] = &[
    Step {
        name: "fmt",
        scope: Scope::Quick,
        about: "`cargo fmt --check`",
        run: |_| cargo_steps::check("fmt --all --check"),
    },
    Step {
        name: "clippy",
        scope: Scope::Quick,
        about: "`cargo clippy --workspace --all-targets -- -D warnings`",
        run: |_| cargo_steps::check("clippy --workspace --all-targets -- -D warnings"),
    },
    Step {
        name: "deps",
        scope: Scope::Quick,
        about: "the compiler crates need no C or C++ with default features, nor the command without SPIRV-Cross",
        run: |_| cargo_steps::check_pure_rust(),
    },
    Step {
        name: "crates",
        scope: Scope::All,
        about: "the library as others get it: documentation without warnings, the list of its surface, packages, 32-bit targets, the oldest Rust that it names",
        run: |_| crates::test(),
    },
    Step {
        name: "build",
        scope: Scope::Quick,
        about: "everything that the next steps need",
        run: |_| cargo_steps::check("build --workspace --bins --tests"),
    },
    Step {
        name: "unit",
        scope: Scope::Quick,
        about: "unit and integration tests (cargo nextest if installed); the quick run leaves out those of [.config/nextest.toml](.config/nextest.toml)",
        run: |state| cargo_steps::run_unit_tests(state.scope),
    },
    Step {
        name: "doc",
        scope: Scope::All,
        about: "documentation tests",
        run: |_| cargo_steps::run_documentation_tests(),
    },
    Step {
        name: "scripts",
        scope: Scope::Quick,
        about: "tests/cases/run and shaders on lavapipe and on SwiftShader, validation layer on; on SwiftShader the quick run leaves out scripts whose modules are those of lavapipe",
        run: test_suites,
    },
    Step {
        name: "machines",
        scope: Scope::All,
        about: "scripts on lavapipe as it is on other CPUs, with the system's validation layer",
        run: |_| test_other_machines(),
    },
    Step {
        name: "state",
        scope: Scope::All,
        about: "scripts that set GL state, with the state in specialization constants and in a uniform block",
        run: |_| state_step::test(),
    },
    Step {
        name: "random",
        scope: Scope::All,
        about: "scripts of random programs of the typed languages on both drivers",
        run: |_| suite::on_each_driver(random::test),
    },
    Step {
        name: "text",
        scope: Scope::All,
        about: "scripts on lavapipe, each program written as WGSL and as GLSL, and compiled from that",
        run: |_| test_through_text(),
    },
    Step {
        name: "spirv-val",
        scope: Scope::Quick,
        about: "every module that the step `scripts` of the same run produced",
        run: |state| validate_modules(state),
    },
    Step {
        name: "spirv-tools",
        scope: Scope::All,
        about: "the feature spirv-tools: the validator in the process, linked with the system's static library or built from source",
        run: |_| cargo_steps::test_in_process_validation(),
    },
    Step {
        name: "opengl",
        scope: Scope::All,
        about: "scripts that Mesa's OpenGL drivers for the CPU can run, compared with lavapipe",
        run: |_| reference::test(),
    },
    Step {
        name: "gl-spirv",
        scope: Scope::All,
        about: "scripts through OpenGL as modules of glasm, which Mesa's driver for the CPU takes as SPIR-V",
        run: |_| gl_spirv::test(),
    },
    Step {
        name: "vendor",
        scope: Scope::Quick,
        about: "programs of the NV and ARB languages through the vendor library, before Mesa's driver for the CPU; the quick run takes one script in eight",
        run: |state| vendor::test(state.scope),
    },
    Step {
        name: "drivers",
        scope: Scope::All,
        about: "scripts on the versions of Mesa of Debian 13 and of Debian's unstable, on Vulkan and through the vendor library; their packages are unpacked below target",
        run: |_| drivers::test(),
    },
    Step {
        name: "piglit",
        scope: Scope::All,
        about: "piglit's tests with programs through the vendor library, before the same driver",
        run: |_| piglit_tests::test(),
    },
    Step {
        name: "cg",
        scope: Scope::All,
        about: "NVIDIA's Cg runtime and Panda3D, unmodified, through the vendor library",
        run: |_| cargo_steps::run_cg_tests(),
    },
    Step {
        name: "wine",
        scope: Scope::All,
        about: "programs of Windows in Wine through the vendor library: OpenGL, and Direct3D 9 through Wine's ARB backend",
        run: |_| wine::test(),
    },
    Step {
        name: "races",
        scope: Scope::All,
        about: "the vendor library built with ThreadSanitizer, and its clients whose threads share contexts or objects",
        run: |_| races::test(),
    },
    Step {
        name: "i386",
        scope: Scope::All,
        about: "the vendor library for 32-bit applications, built and tried with Debian's packages, which are unpacked below target",
        run: |_| i386::test(),
    },
    Step {
        name: "virgl",
        scope: Scope::All,
        about: "GLSL on Mesa's OpenGL driver for the CPU, and the TGSI that virpipe made of it, compared",
        run: |_| virgl::test(),
    },
    Step {
        name: "coverage",
        scope: Scope::All,
        about: "the feature lists that passing scripts prove; docs/support.md says the same",
        run: |state| test_coverage(state),
    },
    Step {
        name: "mutate",
        scope: Scope::All,
        about: "a sample of faults in the compiler, which scripts and tests have to notice",
        run: |_| glasm_mutate::test(),
    },
];

/// Returns the step of a name.
pub(crate) fn find(name: &str) -> Result<&'static Step> {
    let names = || STEPS.iter().map(|step| step.name).collect::<Vec<_>>();
    let found = STEPS.iter().find(|step| step.name == name);
    found.with_context(|| format!("no step `{name}`; there are {}", names().join(", ")))
}

fn test_suites(state: &mut State) -> Result<Tally> {
    let mut tally = Tally::default();
    let modules = state.modules.insert(Vec::new());
    for (name, driver) in suite::drivers() {
        let Some(driver) = driver else {
            println!("{name} is not installed: its suite is skipped");
            tally += Tally::skip();
            continue;
        };
        // A driver that does not start must not hide the failures that the other finds.
        let pass = match (state.scope, modules.first()) {
            (Scope::Quick, Some(known)) => Pass::except(known.clone()),
            (Scope::Quick | Scope::All, _) => Pass::MAIN,
        };
        match suite::run_on(&driver, pass) {
            Ok(run) => {
                println!("{name}: {}\n", run.tally);
                tally += run.tally;
                state.results.extend(run.results);
                modules.push(run.modules);
            }
            Err(error) => {
                println!("error: {error:#}");
                tally += Tally::check(false);
            }
        }
    }
    if !vulkan::validation_layer_present() {
        println!("the validation layer is not installed: scripts ran without it");
        tally += Tally::skip();
    }
    Ok(tally)
}

/// Runs the scripts as on other machines: lavapipe with vectors of other widths, and the system's
/// validation layer.
fn test_other_machines() -> Result<Tally> {
    let driver = vulkan::require_lavapipe()?;
    let mut tally = Tally::default();
    for pass in [Pass::NARROW, Pass::WIDE_DOUBLES] {
        let run = suite::run_on(&driver, pass)?;
        println!("{}: {}\n", run.name, run.tally);
        tally += run.tally;
    }
    if !vulkan::installed_layer_present() {
        println!("no validation layer is installed: scripts ran without it");
        tally += Tally::skip();
    }
    Ok(tally)
}

/// Runs the scripts with translated programs. That all programs can be translated is a unit test.
fn test_through_text() -> Result<Tally> {
    let driver = vulkan::require_lavapipe()?;
    let mut tally = suite::run_through("wgsl", &driver)?;
    if installed::has_program("glslangValidator") {
        tally += suite::run_through("glsl", &driver)?;
    } else {
        println!("glslangValidator is not installed: no scripts through GLSL");
        tally += Tally::skip();
    }
    Ok(tally)
}

/// Validates the modules of this run; those of other runs are ignored.
fn validate_modules(state: &State) -> Result<Tally> {
    let Some(dirs) = &state.modules else {
        bail!("there are no modules: run this together with the step `scripts`, which makes them");
    };
    ensure!(
        !dirs.is_empty(),
        Skip::because("no driver ran the scripts, so there are no modules")
    );
    let tally = validate::run(dirs)?;
    println!(
        "{} modules, {} valid",
        tally.passed + tally.failed,
        tally.passed
    );
    Ok(tally)
}

fn test_coverage(state: &State) -> Result<Tally> {
    let own;
    let results = match state.results.as_slice() {
        [] => {
            own = suite::run_everywhere()?;
            &own
        }
        results => results,
    };
    let mut tally = Tally::check(coverage::print_report(results, coverage::List::Nothing)?);
    tally += match support::check(results)? {
        Verdict::Current => Tally::check(true),
        Verdict::Outdated(message) => {
            println!("error: {message}");
            Tally::check(false)
        }
        Verdict::Unknown(reason) => {
            println!("{reason}");
            Tally::skip()
        }
    };
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::{State, validate_modules};
    use crate::installed;
    use glasm_ci_support::tally::Skip;
    use std::path::PathBuf;

    #[test]
    fn modules_are_those_of_this_run() {
        let validate = |modules| {
            validate_modules(&State {
                modules,
                ..State::default()
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
