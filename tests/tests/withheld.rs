//! Scripts on devices that have less: the compiler is not told of one feature after the other, and programs that do without it must give
//! what they give with it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::{DeviceFeatures, Shader};
use glasm_scripts::compile::{DisabledFeatures, ScriptCompiler};
use glasm_scripts::script::{ProgramForm, ProgramState, Script};
use glasm_tests::skip::skip;
use glasm_tests::{gp_scripts, scripts};
use glasm_vkrunner::{Error, Outcome, RunOptions, Runner};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Seeds of random programs of each kind: any eight in a row have all that programs may need.
const SEEDS: u64 = 24;
/// Random programs that run without a feature, of those that it matters for.
const RANDOM: usize = 24;
/// Scripts of the repository that do.
const OTHERS: usize = 4;
/// Distance of the scripts that are looked at one after the other.
const STRIDE: usize = 17;
/// What programs have in them that something matters for that modules do not name.
const UNNAMED: &[(&str, &str)] = &[
    ("MIN.S32", "signedAtomics"),
    ("MAX.S32", "signedAtomics"),
    ("TGALL", "subgroupVote"),
    ("TGANY", "subgroupVote"),
    ("TGBALLOT", "subgroupBallot"),
    ("SHF", "subgroupShuffle"),
    ("QSWZ", "subgroupQuad"),
    ("NAN", "shaderSignedZeroInfNanPreserveFloat32"),
];

/// What runners leave switched on: a device that has it wants sizes of points of programs that were not told of it.
const KEPT: &str = "shaderTessellationAndGeometryPointSize";

/// A module; `None` if the program does not compile.
type Module = Option<Vec<u32>>;

/// What the compiler is told of a device that has everything but what is withheld.
fn told(withheld: &DisabledFeatures) -> DeviceFeatures {
    withheld.reported_features(DeviceFeatures {
        signed_zero_inf_nan_preserve_float32: true,
        denorm_flush_to_zero_float32: true,
        ..DeviceFeatures::default().with(|_| true)
    })
}

/// What the compiler makes of a script's programs.
fn compile(script: &Script, device: DeviceFeatures) -> Vec<Option<Shader>> {
    let state = ProgramState::default();
    let compiler = ScriptCompiler {
        name: "a",
        script,
        state: &state,
        base_options: glasm::Options {
            device,
            ..glasm::Options::default()
        },
        implied_point_size: None,
    };
    let programs = script.programs.iter();
    let assembly = programs.filter(|section| section.form == ProgramForm::Assembly);
    assembly
        .map(|section| compiler.compile(section).ok())
        .collect()
}

fn modules(shaders: Vec<Option<Shader>>) -> Vec<Module> {
    let words = |shader: Option<Shader>| Some(shader?.words);
    shaders.into_iter().map(words).collect()
}

/// Features, and the scripts whose programs compile to something else without them.
#[derive(Default)]
struct Affected(BTreeMap<String, Vec<PathBuf>>);

impl Affected {
    /// Puts a script to the features that its modules use, as long as these have fewer than `most` scripts.
    fn add(&mut self, path: &Path, text: &[u8], most: usize) {
        let Ok(script) = Script::parse(text) else {
            return;
        };
        let shaders = compile(&script, told(&DisabledFeatures::default()));
        let named = shaders.iter().flatten();
        let mut names: BTreeSet<String> = named
            .flat_map(|shader| &shader.reflection.requirements.features)
            .map(|name| (*name).to_owned())
            .collect();
        // Of what modules do not name, the text tells.
        let text = String::from_utf8_lossy(text);
        for (sign, name) in UNNAMED {
            names.extend(text.contains(sign).then(|| (*name).to_owned()));
        }
        let with = modules(shaders);
        for name in names {
            let Ok(withheld) = DisabledFeatures::new([name.as_str()]) else {
                continue;
            };
            // A script that names a feature shows what is only so with it.
            if name == KEPT || script.requirements.features.contains(&name) {
                continue;
            }
            let list = self.0.entry(name).or_default();
            if list.len() >= most {
                continue;
            }
            let without = modules(compile(&script, told(&withheld)));
            if without != with && without.iter().all(Option::is_some) {
                list.push(path.to_owned());
            }
        }
    }
}

/// A folder of this test's own.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The scripts that have to do with each feature: random ones, written to `folder`, and some of the repository.
fn affected(folder: &Path) -> Affected {
    let mut affected = Affected::default();
    for seed in 0..SEEDS {
        for (kind, name) in gp_scripts::Kind::ALL {
            let text = gp_scripts::script(seed, kind);
            let path = folder.join(format!("{name}-{seed}.shader_test"));
            std::fs::write(&path, &text).unwrap();
            affected.add(&path, text.as_bytes(), RANDOM);
        }
    }
    // Scripts of one kind stand beside each other: a stride mixes them.
    let scripts = scripts::find();
    for start in 0..STRIDE {
        for path in scripts.iter().skip(start).step_by(STRIDE) {
            affected.add(path, &std::fs::read(path).unwrap(), RANDOM + OTHERS);
        }
    }
    affected
}

/// Runs scripts where the compiler is not told of a feature; returns how many pass, or why there is no device. What fails goes to `failures`.
fn run_without(name: &str, paths: &[PathBuf], failures: &mut Vec<String>) -> Result<usize, Error> {
    let runner = Runner::new(&RunOptions {
        disabled_features: DisabledFeatures::new([name]).unwrap(),
        timeout: Duration::from_secs(120),
        script_timeout: Duration::from_secs(240),
        ..RunOptions::default()
    })?;
    let mut passed = 0;
    for path in paths {
        let report = runner.run_file(path);
        match report.outcome {
            Outcome::Pass => passed += 1,
            Outcome::Skip(_) => {}
            Outcome::Fail => {
                let path = scripts::name(path);
                failures.push(format!("without {name}: {path}: {:?}", report.failures));
            }
        }
    }
    Ok(passed)
}

#[test]
fn programs_give_the_same_without_each_feature() {
    let folder =
        Folder(std::env::temp_dir().join(format!("glasm-withheld-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let affected = affected(&folder.0);
    let (mut passed, mut failures) = (0, Vec::new());
    for (name, paths) in &affected.0 {
        match run_without(name, paths, &mut failures) {
            Ok(count) => passed += count,
            Err(error) => return skip(error),
        }
        println!("{name}: {} scripts", paths.len());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(passed > 0, "no script ran");
}

/// Runs all scripts of operations on 64-bit integers where these are pairs of words: each operation on pairs has code of its own.
#[test]
fn long_integers_are_pairs_of_words() {
    let is_long = |path: &PathBuf| {
        let name = scripts::name(path);
        let named = |folder, word| name.contains(folder) && name.contains(word);
        named("gp/op/", "_long") || named("tgsi/op/", "64")
    };
    let paths: Vec<PathBuf> = scripts::find().into_iter().filter(is_long).collect();
    let mut failures = Vec::new();
    match run_without("shaderInt64", &paths, &mut failures) {
        Ok(passed) => assert!(passed > 0 || !failures.is_empty(), "no script ran"),
        Err(error) => return skip(error),
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
