//! spirv-val accepts the module of every program of the scripts and of generated programs, for every target, with and without
//! debug information. Without spirv-val on the machine the tests are skipped.
#![expect(clippy::unwrap_used, reason = "a broken machine fails the test")]

mod support;

use glasm::{Code, DebugInfo, Diagnostics, Options, Target};
use glasm_tests::generator::{Variant, program};
use glasm_tests::scripts::{self, Expected, Program};
use glasm_tests::skip::has_program;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn spirv_val_is_installed() -> bool {
    has_program("spirv-val")
}

/// What spirv-val says against the module; `None` if it is valid.
fn problem(words: &[u32], target: Target) -> Option<String> {
    let mut child = Command::new("spirv-val")
        .args(["--target-env", target.name(), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    (!output.status.success())
        .then(|| String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

fn options_for(target: Target) -> Options {
    match target {
        Target::OpenGl4_5 => glasm::opengl::build_default_options(),
        Target::Vulkan1_1 | Target::Vulkan1_2 | Target::Vulkan1_3 => Options {
            target,
            ..Options::default()
        },
    }
}

/// Whether all errors say what OpenGL's SPIR-V has no form for.
fn names_what_opengl_lacks(errors: &Diagnostics) -> bool {
    errors.list.iter().all(|error| {
        let has = |word: &str| error.message.contains(word);
        let is_missing = has("bufferDeviceAddress") || has("subgroup");
        error.code == Code::FeatureMissing && is_missing
            || error.code == Code::Unsupported && has("OpenGL")
    })
}

/// The options that a program is compiled with: all targets, and one of them with names and lines.
/// Debug information is the same for all targets, so each target gets that of a fourth of the
/// programs.
fn combinations(number: usize) -> impl Iterator<Item = (Target, DebugInfo)> {
    let all = Target::ALL
        .iter()
        .map(|target| (*target, DebugInfo::default()));
    let full = DebugInfo {
        names: true,
        lines: true,
    };
    all.chain([(Target::ALL[number % Target::ALL.len()], full)])
}

/// Returns everything wrong with a program. The other stages of its script are among `all`. The number
/// selects the target with debug information.
fn problems(number: usize, subject: &Program, all: &[Program]) -> Vec<String> {
    let mut found = Vec::new();
    for (target, debug) in combinations(number) {
        let options = Options {
            debug,
            ..options_for(target)
        };
        let what = match support::compile(subject, all, &options) {
            Ok(shader) => problem(&shader.words, target),
            Err(errors) if target == Target::OpenGl4_5 && names_what_opengl_lacks(&errors) => None,
            Err(errors) => Some(errors.render(&support::source(subject))),
        };
        let name = target.name();
        found.extend(what.map(|what| format!("{} for {name}, {debug:?}: {what}", subject.name)));
    }
    found
}

/// Checks programs, as many at a time as there are cores. The other stages of their scripts are among
/// `all`.
fn check(programs: &[Program], all: &[Program]) {
    if !spirv_val_is_installed() {
        return;
    }
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(subject) = programs.get(number) else {
                        break;
                    };
                    let more = problems(number, subject, all);
                    found.lock().unwrap().extend(more);
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    let shown = found[..found.len().min(20)].join("\n");
    assert!(
        found.is_empty(),
        "{} modules are not valid; the first of them:\n{shown}",
        found.len()
    );
}

#[test]
fn programs_of_scripts() {
    let [programs, all] = [scripts::distinct_programs(), scripts::all_programs()].map(|mut it| {
        it.retain(|program| program.expected == Expected::Loads);
        it
    });
    assert!(programs.len() >= 3);
    check(&programs, &all);
}

#[test]
fn generated_programs() {
    let mut programs = Vec::new();
    for variant in Variant::ALL {
        for (size, seeds) in [(10, 10), (60, 10), (400, 2)] {
            programs.extend((0..seeds).map(|seed| Program {
                name: format!("generated {} {size} {seed}", variant.name()),
                text: program(variant, size, seed).assembly(),
                expected: Expected::Loads,
                tgsi_old: false,
            }));
        }
    }
    check(&programs, &programs);
}

#[test]
fn spirv_val_notices_a_broken_module() {
    if spirv_val_is_installed() {
        assert!(
            problem(
                &[0x0723_0203, 0x0001_0300, 0, 10, 0, 0x0002_0011],
                Target::Vulkan1_1
            )
            .is_some()
        );
    }
}
