//! `cargo xtask test`: every check of the repository, in order of how soon they tell something.

use crate::cg;
use crate::coverage;
use crate::crates;
use crate::drivers;
use crate::setup::{self, Purpose};
use crate::suite::{self, Pass, ScriptResult};
use crate::support::{self, Verdict};
use crate::tally::Tally;
use crate::test_run::test_run;
use crate::vulkan;
use crate::{
    gl_spirv, i386, mutate, piglit_tests, random, reference, shell, state as state_step, validate,
    vendor, virgl, wine,
};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// What `test` was asked for.
#[derive(Default)]
pub(crate) struct Options {
    /// Whether to look for missing packages.
    pub(crate) setup: Setup,
    /// Run only these; empty: all.
    pub(crate) only: Vec<Step>,
}

/// Whether to look for missing packages.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Setup {
    /// Install what is missing.
    #[default]
    Ensure,
    /// Take the machine as it is.
    Skip,
}

/// The steps, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Formatting.
    Fmt,
    /// Lints.
    Clippy,
    /// No C or C++ in the compiler.
    Deps,
    /// The library as others get it: documentation, surface, packages, other targets, the oldest Rust.
    Crates,
    /// Tests and programs.
    Build,
    /// Unit and integration tests.
    Unit,
    /// Documentation tests.
    Doc,
    /// Script suites.
    Scripts,
    /// The scripts on lavapipe as it is on other CPUs, with another validation layer.
    Machines,
    /// Scripts whose GL state programs read when they run.
    State,
    /// Scripts of random programs.
    Random,
    /// Scripts through WGSL and GLSL.
    Text,
    /// Every module.
    SpirvVal,
    /// The validator inside of the process, which is C++.
    SpirvTools,
    /// Comparison with OpenGL drivers.
    OpenGl,
    /// Scripts as modules on OpenGL.
    GlSpirv,
    /// Scripts through the vendor library.
    Vendor,
    /// Scripts on newer versions of Mesa, on Vulkan and through the vendor library.
    Drivers,
    /// Piglit's tests through the vendor library.
    Piglit,
    /// NVIDIA's Cg runtime through the vendor library.
    Cg,
    /// Programs of Windows in Wine through the vendor library.
    Wine,
    /// The vendor library for 32-bit applications.
    I386,
    /// GLSL, compared with the TGSI that Mesa made of it.
    Virgl,
    /// Feature lists.
    Coverage,
    /// Faults in the compiler.
    Mutate,
}

/// Names for the command line, in the order in which they run.
const STEPS: &[(&str, Step)] = &[
    ("fmt", Step::Fmt),
    ("clippy", Step::Clippy),
    ("deps", Step::Deps),
    ("crates", Step::Crates),
    ("build", Step::Build),
    ("unit", Step::Unit),
    ("doc", Step::Doc),
    ("scripts", Step::Scripts),
    ("machines", Step::Machines),
    ("state", Step::State),
    ("random", Step::Random),
    ("text", Step::Text),
    ("spirv-val", Step::SpirvVal),
    ("spirv-tools", Step::SpirvTools),
    ("opengl", Step::OpenGl),
    ("gl-spirv", Step::GlSpirv),
    ("vendor", Step::Vendor),
    ("drivers", Step::Drivers),
    ("piglit", Step::Piglit),
    ("cg", Step::Cg),
    ("wine", Step::Wine),
    ("i386", Step::I386),
    ("virgl", Step::Virgl),
    ("coverage", Step::Coverage),
    ("mutate", Step::Mutate),
];

impl Step {
    /// The step of this name.
    pub(crate) fn from_name(name: &str) -> Result<Self> {
        let found = STEPS.iter().find(|(known, _)| *known == name);
        let known = || {
            STEPS
                .iter()
                .map(|(name, _)| *name)
                .collect::<Vec<_>>()
                .join(", ")
        };
        found
            .map(|(_, step)| *step)
            .with_context(|| format!("no step `{name}`; there are {}", known()))
    }
}

/// What later steps take from earlier ones.
#[derive(Default)]
struct State {
    results: Vec<ScriptResult>,
    /// Where the suites left their modules; `None` if no suite was to run.
    modules: Option<Vec<PathBuf>>,
}

/// `cargo xtask test`.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    if options.setup == Setup::Ensure {
        setup::ensure(Purpose::Test)?;
    }
    let mut state = State::default();
    let mut total = Tally::default();
    let mut lines = Vec::new();
    let mut failures = Vec::new();
    let start = Instant::now();
    for (name, step) in STEPS
        .iter()
        .filter(|(_, step)| options.only.is_empty() || options.only.contains(step))
    {
        println!("\n== {name} (after {:.0} s)", start.elapsed().as_secs_f64());
        // A step that cannot run is a failure of that step; the others still tell something.
        let tally = run_step(*step, &mut state).unwrap_or_else(|error| {
            println!("error: {error:#}");
            Tally::check(false)
        });
        lines.push(format!("{name:<10} {tally}"));
        total += tally;
        let commands = shell::take_failures();
        if tally.failed > 0 {
            failures.extend(commands.iter().map(|command| format!("{name}: {command}")));
        }
    }
    if !failures.is_empty() {
        println!("\nCommands that failed:\n{}", failures.join("\n"));
    }
    println!("\n{}\n\n{total}", lines.join("\n"));
    Ok(if total.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

fn run_step(step: Step, state: &mut State) -> Result<Tally> {
    match step {
        Step::Fmt => cargo_check(&["fmt", "--all", "--check"]),
        Step::Clippy => cargo_check(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]),
        Step::Deps => compiler_is_pure_rust(),
        Step::Crates => crates::test(),
        // The same selection as the test run, so that nothing is built twice.
        Step::Build => cargo_check(&["build", "--workspace", "--bins", "--tests"]),
        Step::Unit => unit_tests(),
        Step::Doc => test_run(shell::cargo().args(["test", "--workspace", "--doc"])),
        Step::Scripts => script_suites(state),
        Step::Machines => other_machines(),
        Step::State => state_step::test(),
        Step::Random => random_scripts(),
        Step::Text => scripts_through_text(),
        Step::SpirvVal => validate_modules(state),
        Step::SpirvTools => in_process_validation(),
        Step::OpenGl => reference::test(),
        Step::GlSpirv => gl_spirv::test(),
        Step::Vendor => vendor::test(),
        Step::Drivers => drivers::test(),
        Step::Piglit => piglit_tests::test(),
        Step::Cg => cg::test(),
        Step::Wine => wine::test(),
        Step::I386 => i386::test(),
        Step::Virgl => virgl::test(),
        Step::Coverage => coverage_report(state),
        Step::Mutate => mutate::test(),
    }
}

/// A cargo command that passes or fails as a whole.
fn cargo_check(args: &[&str]) -> Result<Tally> {
    let passed = shell::succeeds(shell::cargo().args(args))?;
    for problem in if passed {
        Vec::new()
    } else {
        setup::missing_rust_components()
    } {
        println!("{problem}");
    }
    Ok(Tally::check(passed))
}

/// The compiler's crates, with default features, must not need a C or C++ compiler, nor the command without SPIRV-Cross.
fn compiler_is_pure_rust() -> Result<Tally> {
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
        tree.args([
            "tree",
            "--package",
            package,
            "--edges",
            "normal,build",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ]);
        tree.args(features);
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
        match native.as_slice() {
            [] => println!("{package}: pure Rust"),
            found => println!("{package}: builds native code through {}", found.join(", ")),
        }
        tally += Tally::check(native.is_empty());
    }
    Ok(tally)
}

fn unit_tests() -> Result<Tally> {
    let mut command = shell::cargo();
    if shell::find_program("cargo-nextest").is_some() {
        command.args([
            "nextest",
            "run",
            "--workspace",
            "--no-fail-fast",
            "--status-level",
            "slow",
        ]);
    } else {
        command.args([
            "test",
            "--workspace",
            "--lib",
            "--bins",
            "--tests",
            "--no-fail-fast",
            "--quiet",
        ]);
    }
    // They have a step of their own.
    let (variable, value) = cg::OFF;
    test_run(command.env(variable, value))
}

/// The feature `spirv-tools`, which no other step builds. Of the command only what is tested by itself: its program stays as it is.
fn in_process_validation() -> Result<Tally> {
    test_run(shell::cargo().args([
        "test",
        "--package",
        "glasm",
        "--package",
        "glasm-cli",
        "--package",
        "glasm-capi",
        "--no-default-features",
        "--features",
        "glasm/spirv-tools,glasm-cli/spirv-tools,glasm-capi/spirv-tools",
        "--lib",
        "--bins",
        "--test",
        "c",
        "--",
        "valid",
        "the_interface_in_c",
    ]))
}

fn script_suites(state: &mut State) -> Result<Tally> {
    let mut tally = Tally::default();
    let modules = state.modules.insert(Vec::new());
    for (name, driver) in suite::drivers() {
        let Some(driver) = driver else {
            println!("{name} is not installed: its suite is skipped");
            tally += Tally::skip();
            continue;
        };
        // One driver that does not start must not hide what the other finds.
        match suite::run_on(&driver, Pass::MAIN) {
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

/// The scripts as other machines run them: lavapipe with vectors of other widths, and the system's validation layer.
fn other_machines() -> Result<Tally> {
    let Some(driver) = vulkan::lavapipe() else {
        println!("lavapipe is not installed: skipped");
        return Ok(Tally::skip());
    };
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

/// Scripts of random programs of the typed languages, on both drivers. What needs a feature that a driver lacks is left to the other.
fn random_scripts() -> Result<Tally> {
    let mut tally = Tally::default();
    for (name, driver) in suite::drivers() {
        match driver {
            Some(driver) => tally += random::test(&driver)?,
            None => {
                println!("{name} is not installed: skipped");
                tally += Tally::skip();
            }
        }
    }
    Ok(tally)
}

/// The same scripts, drawn from translated programs. That all programs can be translated is a unit test.
fn scripts_through_text() -> Result<Tally> {
    let Some(driver) = vulkan::lavapipe() else {
        println!("lavapipe is not installed: skipped");
        return Ok(Tally::skip());
    };
    let mut tally = suite::run_through("wgsl", &driver)?;
    if shell::find_program("glslangValidator").is_some() {
        tally += suite::run_through("glsl", &driver)?;
    } else {
        println!("glslangValidator is not installed: no scripts through GLSL");
        tally += Tally::skip();
    }
    Ok(tally)
}

/// The modules of this run: what other runs have left tells nothing.
fn validate_modules(state: &State) -> Result<Tally> {
    let Some(dirs) = &state.modules else {
        bail!("there are no modules: run this together with the step `scripts`, which makes them");
    };
    if dirs.is_empty() {
        println!("no driver ran the scripts, so there are no modules: skipped");
        return Ok(Tally::skip());
    }
    let Some(tally) = validate::run(dirs)? else {
        println!("spirv-val is not installed: skipped");
        return Ok(Tally::skip());
    };
    println!(
        "{} modules, {} valid",
        tally.passed + tally.failed,
        tally.passed
    );
    Ok(tally)
}

fn coverage_report(state: &State) -> Result<Tally> {
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
    use crate::tally::Tally;
    use std::path::PathBuf;

    #[test]
    fn modules_are_those_of_this_run() {
        let validate = |modules| {
            validate_modules(&State {
                modules,
                ..State::default()
            })
        };
        assert!(validate(None).is_err());
        assert_eq!(validate(Some(Vec::new())).ok(), Some(Tally::skip()));
        let empty = PathBuf::from("src/no-such-folder");
        let found = validate(Some(vec![empty]));
        assert!(found.is_err() || found.ok() == Some(Tally::skip()));
    }
}
