//! Every program of the scripts as text of every language: it is written, or an error says which
//! version has what is missing; and what is written as GLSL or HLSL is accepted by
//! `glslangValidator`. Without that program on the machine the results are written and not
//! compiled.
#![expect(clippy::unwrap_used, reason = "a broken machine fails the test")]

mod support;

use glasm::ir::Stage;
use glasm::{Code, Severity};
use glasm_tests::scripts::{self, Expected, Program};
use glasm_tests::skip::has_program;
use glasm_text::{Error, Language, NanMode, Options, write};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The least and the default version of each language: all programs. The other versions get one program of [`SAMPLE`].
const LANGUAGES: &[Language] = &[
    Language::Glsl(330),
    Language::Glsl(450),
    Language::Essl(300),
    Language::Essl(310),
    Language::VulkanGlsl,
    Language::Hlsl(50),
    Language::Hlsl(60),
    Language::Msl(20),
    Language::Msl(24),
];

const SAMPLE: usize = 16;

/// Files that one process of the GLSL compiler gets: starting it costs as much as twenty files.
const FILES: usize = 120;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs `work` on all items, as many at a time as there are cores; gives what it found.
fn in_parallel<T: Sync>(items: &[T], work: impl Fn(&T) -> Vec<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let more = work(item);
                    found.lock().unwrap().extend(more);
                }
            });
        }
    });
    found.into_inner().unwrap()
}

/// The text of a program, or what is wrong with the reason why there is none. `None`: the reason is good.
fn text_of(program: &Program, language: Language) -> Result<Option<(String, Stage)>, String> {
    let source = support::source(program);
    match write(&source, &Options::new(language)) {
        Ok(text) => Ok(Some((text.source, text.reflection.stage))),
        Err(Error::Program(errors)) => {
            let is_error = |it: &&glasm::Diagnostic| it.severity == Severity::Error;
            let mut errors = errors.list.iter().filter(is_error);
            let known = |it: &glasm::Diagnostic| {
                let mut notes = it.notes.iter();
                // It names a language that has the feature.
                it.code == Code::FeatureMissing && notes.any(|it| it.contains("does not have it"))
                    // The program only fits together with the other stages of its script.
                    || it.code == Code::Unsupported
                        && (it.message.contains("unless their programs are linked")
                            || it.message.contains("a geometry program on patches"))
            };
            match errors.find(|it| !known(it)) {
                Some(other) => Err(other.message.clone()),
                None => Ok(None),
            }
        }
        // Refusals say what the language lacks; messages of SPIRV-Cross, which begin with the language and a colon, and faults do not.
        Err(Error::Writer { message, .. })
            if message.starts_with(&format!("{language} has no ")) =>
        {
            Ok(None)
        }
        Err(Error::Writer { message, .. }) => Err(message),
        Err(error @ Error::OtherLanguage(_)) => Err(error.to_string()),
    }
}

fn glslang_is_installed() -> bool {
    has_program("glslangValidator")
}

/// The limits that the compiler knows by itself are those of old GPUs; arrays of handles are longer.
fn write_limits(folder: &Path) -> PathBuf {
    let defaults = Command::new("glslangValidator").arg("-c").output().unwrap();
    let text = String::from_utf8_lossy(&defaults.stdout);
    let lines = text.lines().map(|line| match line.split_once(' ') {
        Some((name, _)) if name.ends_with("TextureImageUnits") || name.ends_with("ImageUnits") => {
            format!("{name} 65536\n")
        }
        _ => format!("{line}\n"),
    });
    let limits = folder.join("limits.conf");
    std::fs::write(&limits, lines.collect::<String>()).unwrap();
    limits
}

/// Returns what the HLSL front end of the GLSL compiler reports against programs. It links those
/// that it gets, which are not of one program; only what it reports of a file counts.
fn refused_hlsl(files: &[PathBuf], folder: &Path) -> Vec<String> {
    // It writes modules to the current directory.
    let output = Command::new("glslangValidator")
        .current_dir(folder)
        .args(["-D", "-V", "-e", "main"])
        .args(files)
        .output()
        .unwrap();
    assert!(output.status.code().is_some(), "{}", output.status);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let of_file = |line: &&str| {
        let place = line.strip_prefix("ERROR: ").unwrap_or_default();
        Path::new(place.split(':').next().unwrap_or_default()).starts_with(folder)
    };
    said.lines().filter(of_file).map(str::to_owned).collect()
}

/// What this front end does not know, and Microsoft's compiler does.
const UNKNOWN_HLSL: &[&str] = &[
    "int64_t",
    "IsHelperLane()",
    "].GetDimensions(",
    "asuint(bits, low, high)",
    // Templates and types of shader model 6.2.
    ".Load<",
    ".Store<",
    "16_t",
    // It ignores these modifiers, so that overloads for types with and without them are the same.
    "<unorm float4> Tex, out",
    "<snorm float4> Tex, out",
];

/// What the GLSL compiler says against texts.
fn refused(files: &[PathBuf], limits: &Path) -> Vec<String> {
    let output = Command::new("glslangValidator")
        .arg(limits)
        .args(files)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut file = "";
    let mut old = "";
    let mut problems = Vec::new();
    for line in said.lines() {
        if files.iter().any(|known| known.as_os_str() == line) {
            file = line;
        } else if line.contains("extension not supported") {
            // The compiler is older than the extension: what follows about this file says nothing.
            old = file;
        } else if line.starts_with("ERROR: ") && file != old {
            problems.push(format!("{file}: {line}"));
        }
    }
    problems
}

/// Checks that most programs can be written in any language. Those that several scripts have count
/// for each of them.
fn check_counts(language: Language, programs: &[Program], written: &HashSet<&str>) {
    let is_written = |it: &&&Program| written.contains(it.text.as_str());
    // The languages of ARB programs have nothing that a version from 330 on lacks. Many of the programs in TGSI are compute
    // programs, or of doubles and images, which old versions lack.
    let least_of_arb = match language {
        Language::Wgsl => 0,
        Language::Glsl(_) | Language::VulkanGlsl | Language::Hlsl(_) => 100,
        Language::Essl(_) | Language::Msl(_) => 96,
    };
    let is_string = |it: &Program| it.text.starts_with("!!");
    let is_arb = |it: &Program| it.text.starts_with("!!ARB");
    let (strings, others): (Vec<_>, Vec<_>) = programs.iter().partition(|it| is_string(it));
    let arb: Vec<_> = programs.iter().filter(|it| is_arb(it)).collect();
    for (kind, programs, least) in [
        ("ARB programs", arb, least_of_arb),
        ("program strings", strings, 75),
        ("programs in TGSI", others, 40),
    ] {
        let (all, count) = (programs.len(), programs.iter().filter(is_written).count());
        assert!(
            count * 100 >= all * least,
            "{language}: {count} of {all} {kind}"
        );
    }
}

/// Writes programs in a language to files, and compiles these. `all` are the programs with
/// repetitions. The files replace those of the last language: to create files soon after others were
/// removed takes longer in ext4 than to write the text.
fn check(language: Language, programs: &[Program], all: &[Program], folder: &Path) {
    let written = Mutex::new(Vec::new());
    let is_wgsl = language == Language::Wgsl;
    let problems = in_parallel(programs, |program| match text_of(program, language) {
        Ok(Some((text, stage))) => {
            let mut written = written.lock().unwrap();
            let path = folder.join(format!("{}.{}", written.len(), stage.file_extension()));
            std::fs::write(&path, format!("{text}// {}\n", program.name)).unwrap();
            written.push((program.text.clone(), path));
            Vec::new()
        }
        Ok(None) => Vec::new(),
        // naga writes it, and says of itself what it cannot write.
        Err(_) if is_wgsl => Vec::new(),
        Err(problem) => vec![format!("{} as {language}: {problem}", program.name)],
    });
    assert!(
        problems.is_empty(),
        "{}",
        problems[..problems.len().min(10)].join("\n")
    );
    let written = written.into_inner().unwrap();
    let texts = written.iter().map(|(text, _)| text.as_str()).collect();
    check_counts(language, all, &texts);
    let files: Vec<PathBuf> = written.into_iter().map(|(_, path)| path).collect();
    if matches!(language, Language::Hlsl(_)) && glslang_is_installed() {
        check_hlsl(language, folder, files);
    } else if matches!(language, Language::Glsl(_) | Language::Essl(_)) && glslang_is_installed() {
        let limits = write_limits(folder);
        let groups: Vec<&[PathBuf]> = files.chunks(FILES).collect();
        let problems = in_parallel(&groups, |files| refused(files, &limits));
        assert!(
            problems.is_empty(),
            "{language}:\n{}",
            problems[..problems.len().min(20)].join("\n")
        );
    }
}

/// Compiles the programs in HLSL that contain only what the front end knows.
fn check_hlsl(language: Language, folder: &Path, mut files: Vec<PathBuf>) {
    let is_known = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        !UNKNOWN_HLSL.iter().any(|word| text.contains(word))
    };
    let all = files.len();
    files.retain(is_known);
    // The share in a sample of 260 programs has a standard deviation of two percent.
    let least = if LANGUAGES.contains(&language) {
        90
    } else {
        80
    };
    assert!(
        files.len() * 100 >= all * least,
        "{language}: the front end knows {} of {all} texts only",
        files.len()
    );
    // The time to link grows faster than the number of files.
    let groups: Vec<&[PathBuf]> = files.chunks(FILES / 5).collect();
    let problems = in_parallel(&groups, |files| refused_hlsl(files, folder));
    assert!(
        problems.is_empty(),
        "{language}:\n{}",
        problems[..problems.len().min(20)].join("\n")
    );
}

#[test]
fn programs_of_scripts() {
    let [programs, all] = [scripts::distinct_programs(), scripts::all_programs()].map(|mut it| {
        it.retain(|program| program.expected == Expected::Loads);
        it
    });
    assert!(programs.len() > 1000);
    let sample: Vec<Program> = programs.iter().step_by(SAMPLE).cloned().collect();
    let folder = Folder(std::env::temp_dir().join(format!("glasm-text-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    for language in Language::ALL {
        let (programs, all) = if LANGUAGES.contains(language) {
            (&programs, &all)
        } else {
            (&sample, &sample)
        };
        check(*language, programs, all, &folder.0);
    }
}

#[test]
fn the_compiler_notices_a_broken_text() {
    if !glslang_is_installed() {
        return;
    }
    let folder =
        Folder(std::env::temp_dir().join(format!("glasm-text-{}-broken", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let path = folder.0.join("broken.frag");
    std::fs::write(&path, "#version 450\nvoid main() { nothing(); }\n").unwrap();
    let limits = write_limits(&folder.0);
    assert!(!refused(&[path], &limits).is_empty());
    let path = folder.0.join("hlsl.frag");
    std::fs::write(&path, "float4 main() : SV_Target0 { return nothing(); }\n").unwrap();
    assert!(!refused_hlsl(&[path], &folder.0).is_empty());
}

#[test]
fn clamps_test_for_nan_if_asked() {
    let source = glasm::Source::new(
        "a",
        "!!NVfp4.0\nMUL_SAT result.color, fragment.color, program.local[0];\nEND",
    );
    let text = |language, nan| {
        let options = Options {
            nan_mode: nan,
            ..Options::new(language)
        };
        write(&source, &options).unwrap().source
    };
    let open = text(Language::Glsl(330), NanMode::Unspecified);
    assert!(open.contains("clamp(") && !open.contains("isnan"), "{open}");
    let exact = text(Language::Glsl(330), NanMode::Exact);
    assert!(exact.contains("isnan"), "{exact}");
    // Metal has a clamp that is exact.
    let metal = text(Language::Msl(24), NanMode::Unspecified);
    assert!(metal.contains("precise::clamp"), "{metal}");
}
