//! The commands behind `cargo xtask`: everything that is done to the repository, from a fresh machine to the benchmark.
//!
//! Each command is a module with a `run` function; this file reads the arguments and holds the help texts.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line program talks through these"
)]

mod bench;
mod bench_draws;
mod bench_scripts;
mod cg;
mod coverage;
mod crates;
mod demo;
mod drivers;
mod features;
mod fuzz;
mod gallery;
mod gl_spirv;
mod glslang;
mod i386;
mod installed;
mod packages;
mod piglit;
mod piglit_package;
mod piglit_tests;
mod races;
mod random;
mod reference;
mod setup;
mod state;
mod steps;
mod suite;
mod support;
mod test;
mod test_run;
mod times;
mod unpacked;
mod validate;
mod vendor;
mod virgl;
mod wheel;
mod wine;

use anyhow::Result;
use glasm_ci_support::shell;
use lexopt::{Arg, ValueExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
Tasks of the glasm repository.

usage: cargo xtask COMMAND [OPTIONS]

commands:
  setup      install what demo and test need (Vulkan loader, EGL, CPU drivers, SPIR-V tools)
  demo       run the sample programs and write the gallery out/gallery/index.html
  test       format, lints, all tests, script suites on two CPU drivers, spirv-val, coverage
  coverage   join the passing scripts with the feature lists in tests/features
  bench      measure translation, shaders and scripts, refresh docs/performance.md
  fuzz       run a cargo-fuzz target of tests/fuzz
  piglit     compare with piglit's tests of the ARB languages
  reference  compare with Mesa's OpenGL, refresh docs/reference.md
  random     write scripts of random programs, to compare implementations with
  mutate     put faults into the compiler, to see whether scripts and tests notice them

`cargo xtask COMMAND --help` tells more.";

const HELP_SETUP: &str = "\
usage: cargo xtask setup [--yes] [--check]

Finds what is missing, says what it is for, and installs it with apt-get on Debian, Ubuntu and their
relatives: directly as root, else through sudo. On other systems it prints the package names. Piglit's
tests are unpacked below target and not installed.

  --yes     do not ask before installing
  --check   only report; exit status 1 if something is missing";

const HELP_DEMO: &str = "\
usage: cargo xtask demo

Installs what is missing (as setup --yes does), builds the glasm command, runs every script in shaders/ on
the best Vulkan device present, and writes pictures, printed numbers and program texts to
out/gallery/index.html.";

const HELP_COVERAGE: &str = "\
usage: cargo xtask coverage [--missing] [--write-support] [--json FILE]...

Joins the `# covers:` lines of passing scripts with tests/features/*.tsv and prints a line per language.
Without --json the script suite runs first, on every CPU driver found.

  --missing         print every uncovered id
  --write-support   write docs/support.md: what works, and why the rest does not; needs all CPU drivers
  --json FILE       a report of `glasm run --json` (may be repeated); a script counts if it passes on some
                    device and fails on none";

const HELP_BENCH: &str = "\
usage: cargo xtask bench [--quick] [--only translate|shapes|pairs|draws|scripts]

translate: the time from program text to SPIR-V on generated shaders, next to naga on the same shaders in GLSL,
the instructions retired for it, which valgrind counts, the peak heap and the allocations. shapes: the time that one megabyte of
each repeated or nested construct takes. pairs: the time that
lavapipe takes for shaders, next to the same arithmetic in GLSL. scripts: how many scripts run in a second on the CPU drivers, where the time goes, the cost
of the validation layer, and the memory of a process that runs ten thousand. Refreshes the tables of
docs/performance.md.

  --quick       short measurement, prints only; docs/performance.md stays as it is
  --only PART   measure only this part";

const HELP_FUZZ: &str = "\
usage: cargo xtask fuzz [TARGET] [-- LIBFUZZER OPTIONS]

Runs a fuzz target of tests/fuzz (default: compile) with cargo-fuzz, which needs a nightly toolchain:
  rustup toolchain install nightly
  cargo install cargo-fuzz
Targets: compile (any bytes), structured (programs made of valid words).";

const HELP_PIGLIT: &str = "\
usage: cargo xtask piglit CHECKOUT

Takes the folder of a piglit checkout: loads every program of
tests/asmparsertest, runs every script with a vertex or fragment program on lavapipe, and prints where our verdict
differs from piglit's. Differences that a specification decides stand in tests/acceptance/piglit.tsv.";

const HELP_RANDOM: &str = "\
usage: cargo xtask random FOLDER [--family arb|gp|register] [--count N] [--seed N]

Writes scripts of random programs to FOLDER. Equal seeds give equal scripts.

  --family arb   ARB vertex and fragment programs, the default. They expect nothing: compare what two
                 implementations make of them with `glasm run --compare gl,vulkan FOLDER`
  --family gp    vertex, fragment and compute programs of NV_gpu_program4 and 5, with the values that they must
                 give by arithmetic of the tests: `glasm run FOLDER`
  --family register
                 vertex programs of NV_vertex_program, NV_vertex_program1_1 and NV_vertex_program2, vertex state programs,
                 and fragment programs of NV_fragment_program, with the values that they must give: `glasm run FOLDER`
  --count N      scripts of each kind of program (100)
  --seed N       seed of the first one; the others count on (0)";

const HELP_MUTATE: &str = "\
usage: cargo xtask mutate [OPTIONS]

Puts faults into copies of compiler/ir, compiler/frontend and compiler/codegen, one at a time: other operators,
literals, variants and branches, statements left out. Scripts that reach the code run on lavapipe with the fault;
tests judge what no script notices. Prints the faults that nobody notices, with the scripts and tests nearest to them,
and writes all to mutate/results.tsv and results.json in the target directory. Exit status 1 if a fault survives that
tests/acceptance/mutants.tsv does not explain.

  --sample N      how many faults are drawn (300)
  --seed N        which ones (0); equal seeds draw equal faults where the code is the same
  --mutant ID     only this one (may be repeated)
  --file TEXT     only in files whose path contains this (may be repeated)
  --crate NAME    only in ir, frontend or codegen
  --list          list all that could be drawn
  --jobs N        faults that are judged at the same time; without it, as many as there are processor cores
  --corpus DIR    programs whose modules are compared with and without a fault that nothing notices";

const HELP_REFERENCE: &str = "\
usage: cargo xtask reference

Runs all scripts, and scripts of random programs, with Mesa's OpenGL drivers for the CPU (llvmpipe, softpipe) and with
lavapipe, compares all that they leave, and writes docs/reference.md. Recordings below tests/golden are compared,
too. docs/comparing.md tells how; differences that a specification decides stand in
tests/reference/known-differences.toml.";

fn main() -> ExitCode {
    match dispatch() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Reads the command line and runs the command.
fn dispatch() -> Result<ExitCode> {
    let mut parser = lexopt::Parser::from_env();
    let Some(arg) = parser.next()? else {
        println!("{HELP}");
        return Ok(ExitCode::from(2));
    };
    let command = match arg {
        Arg::Value(value) => value.to_string_lossy().into_owned(),
        Arg::Long("help") | Arg::Short('h') => "help".to_owned(),
        other @ (Arg::Long(_) | Arg::Short(_)) => return Err(other.unexpected().into()),
    };
    let folder = std::env::current_dir()?;
    shell::enter_repository_root()?;
    match command.as_str() {
        "setup" => setup_command(parser),
        "demo" => no_options(parser, HELP_DEMO, demo::run),
        "test" => test_command(parser),
        "coverage" => coverage_command(parser),
        "bench" => bench_command(parser),
        "fuzz" => fuzz_command(parser),
        "piglit" => piglit_command(parser, &folder),
        "reference" => no_options(parser, HELP_REFERENCE, reference::run),
        "random" => random_command(parser, &folder),
        "mutate" => mutate_command(parser, &folder),
        "help" => {
            println!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        other => anyhow::bail!("unknown command `{other}`\n\n{HELP}"),
    }
}

/// What an option reader found.
enum Parsed<T> {
    /// Run the command with these options.
    Run(T),
    /// `--help` was asked for and has been printed.
    Helped,
}

/// Reads the options of one command: `read` gets each argument that is not `--help`.
fn options<T: Default>(
    mut parser: lexopt::Parser,
    help: &str,
    mut read: impl FnMut(&mut T, &str, &mut lexopt::Parser) -> Result<bool>,
) -> Result<Parsed<T>> {
    let mut found = T::default();
    while let Some(arg) = parser.next()? {
        let word = match arg {
            Arg::Long("help") | Arg::Short('h') => {
                println!("{help}");
                return Ok(Parsed::Helped);
            }
            Arg::Long(name) => format!("--{name}"),
            Arg::Short(letter) => format!("-{letter}"),
            Arg::Value(value) => value.to_string_lossy().into_owned(),
        };
        if !read(&mut found, &word, &mut parser)? {
            anyhow::bail!("unexpected argument `{word}`\n\n{help}");
        }
    }
    Ok(Parsed::Run(found))
}

fn no_options(
    parser: lexopt::Parser,
    help: &str,
    run: fn() -> Result<ExitCode>,
) -> Result<ExitCode> {
    match options::<()>(parser, help, |(), _, _| Ok(false))? {
        Parsed::Run(()) => run(),
        Parsed::Helped => Ok(ExitCode::SUCCESS),
    }
}

fn setup_command(parser: lexopt::Parser) -> Result<ExitCode> {
    let parsed = options(parser, HELP_SETUP, |mode: &mut setup::Mode, word, _| {
        match word {
            "--yes" | "-y" => *mode = setup::Mode::Install,
            "--check" => *mode = setup::Mode::Report,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    match parsed {
        Parsed::Run(mode) => setup::run(mode),
        Parsed::Helped => Ok(ExitCode::SUCCESS),
    }
}

fn test_command(parser: lexopt::Parser) -> Result<ExitCode> {
    let parsed = options(
        parser,
        &test::help(),
        |found: &mut test::Options, word, parser| {
            match word {
                "--no-setup" => found.setup = test::Setup::Skip,
                "--all" => found.scope = steps::Scope::All,
                "--only" => found.only.push(parser.value()?.string()?),
                "--write-times" => found.document = test::Document::Write,
                _ => return Ok(false),
            }
            Ok(true)
        },
    )?;
    match parsed {
        Parsed::Run(found) => test::run(&found),
        Parsed::Helped => Ok(ExitCode::SUCCESS),
    }
}

fn coverage_command(parser: lexopt::Parser) -> Result<ExitCode> {
    let parsed = options(
        parser,
        HELP_COVERAGE,
        |found: &mut coverage::Options, word, parser| {
            match word {
                "--missing" => found.list = coverage::List::Missing,
                "--write-support" => found.page = coverage::Page::Write,
                "--json" => found.reports.push(parser.value()?.into()),
                _ => return Ok(false),
            }
            Ok(true)
        },
    )?;
    match parsed {
        Parsed::Run(found) => coverage::run(&found),
        Parsed::Helped => Ok(ExitCode::SUCCESS),
    }
}

fn bench_command(parser: lexopt::Parser) -> Result<ExitCode> {
    let parsed = options(
        parser,
        HELP_BENCH,
        |found: &mut bench::Options, word, parser| {
            match word {
                "--quick" => found.effort = bench::Effort::Quick,
                "--only" => {
                    found.part = match parser.value()?.to_string_lossy().as_ref() {
                        "translate" => bench::Part::Translate,
                        "shapes" => bench::Part::Shapes,
                        "pairs" => bench::Part::Pairs,
                        "draws" => bench::Part::Draws,
                        "scripts" => bench::Part::Scripts,
                        other => anyhow::bail!("no part `{other}`"),
                    };
                }
                _ => return Ok(false),
            }
            Ok(true)
        },
    )?;
    match parsed {
        Parsed::Run(options) => bench::run(options),
        Parsed::Helped => Ok(ExitCode::SUCCESS),
    }
}

/// Everything after the target name goes to the fuzzer as it is.
fn fuzz_command(mut parser: lexopt::Parser) -> Result<ExitCode> {
    let words: Vec<String> = parser
        .raw_args()?
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if words
        .first()
        .is_some_and(|word| word == "--help" || word == "-h")
    {
        println!("{HELP_FUZZ}");
        return Ok(ExitCode::SUCCESS);
    }
    fuzz::run(&words, HELP_FUZZ)
}

/// `folder` is where the command was typed: the path is relative to it.
fn random_command(parser: lexopt::Parser, folder: &Path) -> Result<ExitCode> {
    let parsed = options(
        parser,
        HELP_RANDOM,
        |found: &mut random::Options, word, parser| {
            match word {
                "--family" => {
                    found.family = random::Family::from_name(&parser.value()?.string()?)?;
                }
                "--count" => found.count = parser.value()?.parse()?,
                "--seed" => found.seed = parser.value()?.parse()?,
                _ if !word.starts_with('-') && found.folder.is_none() => {
                    found.folder = Some(folder.join(word));
                }
                _ => return Ok(false),
            }
            Ok(true)
        },
    )?;
    match parsed {
        Parsed::Run(found) => match &found.folder {
            Some(folder) => random::run(folder, &found),
            None => anyhow::bail!("no folder for the scripts\n\n{HELP_RANDOM}"),
        },
        Parsed::Helped => Ok(ExitCode::SUCCESS),
    }
}

fn mutate_command(parser: lexopt::Parser, folder: &Path) -> Result<ExitCode> {
    let parsed = options(
        parser,
        HELP_MUTATE,
        |found: &mut glasm_mutate::Options, word, parser| {
            let selection = &mut found.selection;
            match word {
                "--sample" => selection.count = Some(parser.value()?.parse()?),
                "--seed" => selection.seed = parser.value()?.parse()?,
                "--mutant" => selection.ids.push(parser.value()?.string()?),
                "--file" => selection.files.push(parser.value()?.string()?),
                "--crate" => {
                    let name = parser.value()?.string()?;
                    selection.files.push(format!("compiler/{name}/"));
                }
                "--list" => found.task = glasm_mutate::Task::List,
                "--jobs" => found.jobs = parser.value()?.parse()?,
                "--corpus" => found.corpus = Some(folder.join(parser.value()?)),
                _ => return Ok(false),
            }
            Ok(true)
        },
    )?;
    match parsed {
        Parsed::Run(found) => glasm_mutate::run(&found),
        Parsed::Helped => Ok(ExitCode::SUCCESS),
    }
}

/// `folder` is where the command was typed: the path is relative to it.
fn piglit_command(parser: lexopt::Parser, folder: &Path) -> Result<ExitCode> {
    let parsed = options(
        parser,
        HELP_PIGLIT,
        |found: &mut Option<PathBuf>, word, _| {
            let first = !word.starts_with('-') && found.is_none();
            if first {
                *found = Some(folder.join(word));
            }
            Ok(first)
        },
    )?;
    match parsed {
        Parsed::Run(Some(checkout)) => piglit::run(&checkout),
        Parsed::Run(None) => anyhow::bail!("no folder of a piglit checkout\n\n{HELP_PIGLIT}"),
        Parsed::Helped => Ok(ExitCode::SUCCESS),
    }
}
