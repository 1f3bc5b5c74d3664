//! Scripts on devices that have less: the compiler is not told of one feature after the other, and programs that do without it must give
//! what they give with it.
#![expect(clippy::print_stdout, reason = "says why nothing ran")]

use glasm::DeviceFeatures;
use glasm_scripts::compile::{ScriptCompiler, Withheld};
use glasm_scripts::script::{ProgramForm, ProgramState, Script};
use glasm_tests::{gp_scripts, scripts};
use glasm_vkrunner::{Outcome, RunOptions, Runner};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Seeds of random programs of each kind: eight in a row have all that programs may need.
const SEEDS: u64 = 8;
/// Scripts of the repository that run without a feature, of those that it matters for.
const SCRIPTS: usize = 4;

/// A script, and what the compiler makes of its programs with all features.
struct Subject {
    path: PathBuf,
    script: Script,
    modules: Vec<Option<Vec<u32>>>,
}

/// What the compiler is told of a device that has everything but what is withheld.
fn told(withheld: &Withheld) -> DeviceFeatures {
    let rest = DeviceFeatures {
        signed_zero_inf_nan_preserve_float32: true,
        ..DeviceFeatures::default()
    };
    withheld.told(rest, |_| true)
}

/// The modules of a script's programs, those apart that do not compile.
fn modules(script: &Script, device: DeviceFeatures) -> Vec<Option<Vec<u32>>> {
    let state = ProgramState::default();
    let compiler = ScriptCompiler {
        name: "a",
        script,
        state: &state,
        base: glasm::Options {
            device,
            ..glasm::Options::default()
        },
    };
    let programs = script.programs.iter();
    let assembly = programs.filter(|section| section.form == ProgramForm::Assembly);
    let compiled = assembly.map(|section| compiler.compile(section));
    compiled.map(|shader| Some(shader.ok()?.words)).collect()
}

fn subject(path: PathBuf, text: &[u8], device: DeviceFeatures) -> Option<Subject> {
    let script = Script::parse(text).ok()?;
    let modules = modules(&script, device);
    Some(Subject {
        path,
        script,
        modules,
    })
}

/// Random programs, written to `folder`.
fn random(folder: &Path) -> Vec<Subject> {
    let everything = told(&Withheld::default());
    let mut subjects = Vec::new();
    for seed in 0..SEEDS {
        for (kind, name) in gp_scripts::Kind::ALL {
            let text = gp_scripts::script(seed, kind);
            let path = folder.join(format!("{name}-{seed}.shader_test"));
            std::fs::write(&path, &text).unwrap();
            subjects.extend(subject(path, text.as_bytes(), everything));
        }
    }
    subjects
}

/// The scripts whose programs are others, or none, without all that can be withheld.
fn sensitive() -> Vec<Subject> {
    let names = Withheld::known();
    let nothing = told(&Withheld::new(names.iter().map(String::as_str)).unwrap());
    let everything = told(&Withheld::default());
    let mut subjects = Vec::new();
    for path in scripts::find() {
        let text = std::fs::read(&path).unwrap();
        let found = subject(path, &text, everything);
        subjects.extend(found.filter(|it| modules(&it.script, nothing) != it.modules));
    }
    subjects
}

/// Scripts whose programs compile to something else without a feature: the first few, with distance between them.
fn affected<'s>(subjects: &'s [Subject], withheld: &Withheld, most: usize) -> Vec<&'s Subject> {
    let device = told(withheld);
    let others = |subject: &&Subject| {
        let less = modules(&subject.script, device);
        less != subject.modules && less.iter().all(Option::is_some)
    };
    let found: Vec<&Subject> = subjects.iter().filter(others).collect();
    let step = found.len().div_ceil(most.max(1)).max(1);
    found.into_iter().step_by(step).collect()
}

/// A folder of this test's own.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn programs_give_the_same_without_each_feature() {
    let folder =
        Folder(std::env::temp_dir().join(format!("glasm-withheld-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let (random, sensitive) = (random(&folder.0), sensitive());
    let (mut passed, mut failures) = (0, Vec::new());
    for name in Withheld::known() {
        let withheld = Withheld::new([name.as_str()]).unwrap();
        let mut subjects = affected(&random, &withheld, random.len());
        subjects.extend(affected(&sensitive, &withheld, SCRIPTS));
        if subjects.is_empty() {
            continue;
        }
        let options = RunOptions {
            without: withheld,
            timeout: Duration::from_secs(120),
            script_timeout: Duration::from_secs(240),
            ..RunOptions::default()
        };
        let runner = match Runner::new(&options) {
            Ok(runner) => runner,
            Err(error) => {
                println!("skipped: {error}");
                return;
            }
        };
        for subject in subjects {
            let report = runner.run_file(&subject.path);
            match report.outcome {
                Outcome::Pass => passed += 1,
                Outcome::Skip(_) => {}
                Outcome::Fail => {
                    let path = scripts::name(&subject.path);
                    failures.push(format!("without {name}: {path}: {:?}", report.failures));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(passed > 0, "no script ran");
}
