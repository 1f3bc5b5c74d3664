//! All programs of the scripts as WGSL, which naga's own front end takes back. What cannot be
//! written says what the language lacks.

use glasm::ProgramType;
use glasm_scripts::script::{ProgramForm, Script};
use glasm_text::{Error, Language, Options, Source, write};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Features that WGSL does not have, as messages name them. The number of programs of the suite
/// that need one measures its importance.
const LACKING: &[&str] = &[
    "the device lacks the feature bufferDeviceAddress",
    "the device lacks the feature shaderFloat64",
    "the device lacks the feature shaderInt64",
    "the device lacks the feature subgroups in",
    "WGSL has no 64-bit floats",
    "WGSL has no arrays of textures with several samples",
    "WGSL has no atomic operations on images",
    "WGSL has no clip distances in fragment programs",
    "WGSL has no clocks",
    "WGSL has no comparisons within subgroups",
    "WGSL has no cull distances",
    "WGSL has no geometry programs",
    "WGSL has no images of any format",
    "WGSL has no images with several samples",
    "WGSL has no images of cube maps",
    "WGSL has no masks of subgroups",
    "WGSL has no resources of several kinds at one binding",
    "WGSL has no stencil values of fragments",
    "WGSL has no tessellation programs",
];

/// The stack of a thread that parses what nests deep.
const STACK: usize = 256 << 20;

/// A program, and the name of its script.
struct CorpusProgram {
    name: String,
    text: Vec<u8>,
    program_type: ProgramType,
}

fn list_programs() -> Vec<CorpusProgram> {
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
        programs.extend(assembly.map(|section| CorpusProgram {
            name: path.display().to_string(),
            text: section.text.to_vec(),
            program_type: section.program_type,
        }));
    }
    programs
}

/// Writes a program as WGSL and compiles that; returns `None` for programs that the compiler
/// refuses anyway.
fn check_program(program: &CorpusProgram) -> Option<Result<(), String>> {
    let source = Source::new(&program.name, &program.text).for_type(program.program_type);
    let written = match write(&source, &Options::new(Language::Wgsl)) {
        Ok(written) => written,
        Err(error) => {
            glasm::compile(&source, &glasm::Options::default()).ok()?;
            let message = match error {
                Error::Program(errors) => errors.list[0].message.clone(),
                Error::Writer { message, .. } => message,
                error @ Error::OtherLanguage(_) => error.to_string(),
            };
            return Some(Err(message));
        }
    };
    Some(parse_and_validate(&written.source))
}

fn parse_and_validate(text: &str) -> Result<(), String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| error.emit_to_string(text))?;
    Ok(())
}

#[test]
fn programs_of_scripts_come_out_as_wgsl() {
    let programs = Mutex::new(list_programs().into_iter());
    let next = || programs.lock().expect("no thread panics with it").next();
    let tally: Mutex<BTreeMap<&str, u32>> = Mutex::new(BTreeMap::new());
    let faults = Mutex::new(Vec::new());
    let work = || {
        while let Some(program) = next() {
            let Some(outcome) = check_program(&program) else {
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

fn write_wgsl(program: &str) -> glasm_text::ShaderText {
    let text = write(&Source::new("a", program), &Options::new(Language::Wgsl)).expect(program);
    assert_eq!(parse_and_validate(&text.source), Ok(()), "{}", text.source);
    text
}

fn differences(text: &glasm_text::ShaderText) -> Vec<&str> {
    let warnings = text.warnings.list.iter();
    warnings
        .filter(|warning| warning.code == glasm::Code::TextDiffers)
        .map(|warning| warning.message.as_str())
        .collect()
}

#[test]
fn special_numbers_are_read_at_run_time() {
    // The logarithm of 0 is minus infinity, that of negative numbers NaN; -0 stays -0.
    let text = write_wgsl(
        "!!NVfp5.0\nLG2 result.color.x, program.local[0].x;\nMOV result.color.y, -0.0;\nEND",
    );
    for bits in ["4286578688u", "2143289344u", "2147483648u"] {
        assert!(
            text.source.contains(&format!(": u32 = {bits};")),
            "{}",
            text.source
        );
    }
    assert!(
        text.source.contains("let minus_infinity = bitcast<f32>("),
        "{}",
        text.source
    );
    assert_eq!(differences(&text), [""; 0]);
}

#[test]
fn comparisons_hold_for_nan_as_the_program_says() {
    let text = write_wgsl("!!NVfp5.0\nSNE result.color, program.local[0], program.local[1];\nEND");
    assert!(!text.source.contains("!="), "{}", text.source);
}

#[test]
fn values_have_names() {
    let text = write_wgsl(
        "!!NVfp5.0\nTEMP tint, sum;\nTEX tint, fragment.texcoord[0], texture[0], 2D;\nMOV sum, 0;\n\
         IF GT.x;\nMUL sum, tint, fragment.color.primary;\nENDIF;\nREP 3;\nADD sum, sum, tint;\nENDREP;\n\
         MOV result.color, sum;\nEND",
    );
    for line in [
        "let tint = textureSample(texture0_, texture0_sampler, ",
        "var sum: vec4<f32>",
    ] {
        assert!(text.source.contains(line), "{line} in {}", text.source);
    }
    assert!(!text.source.contains("phi_"), "{}", text.source);
}

#[test]
fn what_the_language_lacks_is_replaced_with_a_warning() {
    let points = write_wgsl("!!NVvp5.0\nMOV result.position, 0;\nMOV result.pointsize.x, 3;\nEND");
    assert!(differences(&points)[0].starts_with("points have a size of one pixel"));
    let texture =
        write_wgsl("!!NVfp5.0\nTXB result.color, fragment.texcoord[0], texture[0], 1D;\nEND");
    assert!(
        texture.source.contains("texture_2d<f32>"),
        "{}",
        texture.source
    );
    assert!(differences(&texture)[0].starts_with("1D textures are 2D textures of height 1"));
    let instance = write_wgsl("!!NVvp5.0\nI2F.S result.position, vertex.instance.x;\nEND");
    assert!(differences(&instance)[0].starts_with("base vertex, base instance"));
}

#[test]
fn vertex_programs_have_a_position() {
    let text = write_wgsl("!!NVvp5.0\nMOV result.color, vertex.attrib[0];\nEND");
    assert!(
        text.source.contains("@builtin(position)"),
        "{}",
        text.source
    );
    assert_eq!(differences(&text), [""; 0]);
}

#[test]
fn what_cannot_be_said_is_named() {
    let program = "!!NVfp5.0\nTEMP r;\nLOAD.F32 r, program.local[0].x;\nMOV result.color, r;\nEND";
    let error = write(&Source::new("a", program), &Options::new(Language::Wgsl)).unwrap_err();
    assert!(error.to_string().contains("bufferDeviceAddress"), "{error}");
}

#[test]
fn deep_nesting_needs_no_deep_stack() {
    let (open, close) = ("IF GT.x;\n".repeat(60), "ENDIF;\n".repeat(60));
    let program = format!(
        "!!NVfp5.0\nTEMP t;\nMOV.CC t, program.local[0];\n{open}ADD t, t, 1;\n{close}MOV result.color, t;\nEND"
    );
    // 512 KiB would not do for the writer of an unoptimized build.
    let work = move || {
        write(&Source::new("a", &program), &Options::new(Language::Wgsl))
            .map(|text| text.source.len())
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(work);
    let length = thread
        .expect("threads can be made")
        .join()
        .expect("no panic");
    assert!(length.is_ok_and(|length| length > 1000));
}

#[test]
fn derivatives_behind_branches_are_announced() {
    let branch = "!!NVfp5.0\nTEMP r;\nMOV.CC r, fragment.texcoord[0];\nIF GT.x;\nTEX r, r, texture[0], 2D;\nENDIF;\nMOV result.color, r;\nEND";
    assert!(
        write_wgsl(branch)
            .source
            .starts_with("diagnostic(off, derivative_uniformity);")
    );
    let straight = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[0], 2D;\nEND";
    assert!(!write_wgsl(straight).source.contains("diagnostic"));
}
