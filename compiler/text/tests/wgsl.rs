//! All programs of the scripts as WGSL, which naga's own front end takes back. What cannot be written says what the language lacks.

use glasm::ir::Stage;
use glasm_scripts::script::{ProgramForm, Script};
use glasm_text::{Error, Language, Options, Source, write};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What WGSL has no words for, as messages name it. The number of programs of the suite that need it says how much is missing.
const LACKING: &[&str] = &[
    "the device lacks the feature bufferDeviceAddress",
    "the device lacks the feature shaderFloat64",
    "the device lacks the feature shaderInt64",
    "the device lacks the feature subgroups in vertex programs",
    "WGSL has no 64-bit floats",
    "WGSL has no arrays of textures with several samples",
    "WGSL has no atomic operations on images",
    "WGSL has no clip distances in fragment programs",
    "WGSL has no images of any format",
    "WGSL has no images with several samples",
    "WGSL has no resources of several kinds at one binding",
];

/// The stack of a thread that parses what nests deep.
const STACK: usize = 256 << 20;

/// A program, and the name of its script.
struct Program {
    name: String,
    text: Vec<u8>,
    stage: Stage,
}

fn programs() -> Vec<Program> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["tests/cases/run", "shaders"].map(|folder| root.join(folder));
    let files = folders.iter().flat_map(walkdir::WalkDir::new).flatten();
    let is_script = |path: &PathBuf| {
        path.extension()
            .is_some_and(|extension| extension == "shader_test")
    };
    let mut programs = Vec::new();
    for path in files.map(walkdir::DirEntry::into_path).filter(is_script) {
        let Ok(script) = Script::parse(&std::fs::read(&path).expect("scripts can be read")) else {
            continue;
        };
        let sections = script.programs.into_iter();
        let assembly = sections.filter(|section| section.form == ProgramForm::Assembly);
        programs.extend(assembly.map(|section| Program {
            name: path.display().to_string(),
            text: section.text.to_vec(),
            stage: section.stage,
        }));
    }
    programs
}

/// What became of a program; nothing for those that the compiler refuses anyway.
fn outcome(program: &Program) -> Option<Result<(), String>> {
    let source = Source::new(&program.name, &program.text).for_stage(program.stage);
    let written = match write(&source, &Options::new(Language::Wgsl)) {
        Ok(written) => written,
        Err(error) => {
            glasm::compile(&source, &glasm::Options::default()).ok()?;
            let message = match error {
                Error::Program(errors) => errors.list[0].message.clone(),
                Error::Writer { message, .. } => message,
            };
            return Some(Err(message));
        }
    };
    Some(take_back(&written.text))
}

fn take_back(text: &str) -> Result<(), String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| error.emit_to_string(text))?;
    Ok(())
}

#[test]
fn programs_of_scripts_come_out_as_wgsl() {
    let programs = Mutex::new(programs().into_iter());
    let next = || programs.lock().expect("no thread panics with it").next();
    let tally: Mutex<BTreeMap<&str, u32>> = Mutex::new(BTreeMap::new());
    let faults = Mutex::new(Vec::new());
    let work = || {
        while let Some(program) = next() {
            let Some(outcome) = outcome(&program) else {
                continue;
            };
            let class = match &outcome {
                Ok(()) => Some("written"),
                Err(message) => LACKING
                    .iter()
                    .copied()
                    .find(|what| message.starts_with(what)),
            };
            match class {
                Some(class) => {
                    let mut tally = tally.lock().expect("no thread panics with it");
                    *tally.entry(class).or_default() += 1;
                }
                None => faults
                    .lock()
                    .expect("no thread panics with it")
                    .push(format!("{}: {:?}", program.name, outcome)),
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get().min(8));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, work)
                .expect("threads can be made");
        }
    });
    let tally = tally.into_inner().expect("no thread panics with it");
    let faults = faults.into_inner().expect("no thread panics with it");
    println!("{tally:#?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(tally["written"] > 1800, "{tally:#?}");
}
