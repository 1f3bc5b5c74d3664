//! `glasm compile`: programs to SPIR-V and other forms.

use crate::args::{CompileArgs, ConventionsArg, EmitFormat, SourceOptions};
use crate::batch::{InputResult, run_batch};
use crate::check::Validator;
use crate::check::format_closing_line;
use crate::console::{Console, Fatal, Status};
use crate::inputs::{Input, Inputs, find_inputs};
use crate::loaded_input::{InputProgram, LoadedInput, list_program_labels};
use crate::output_formats::{self, EmitError, EmittedProgram};
use glasm::{Conventions, DebugInfo, Options, ProgramType, Source, StateSources, Target};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

/// A program, by its input and the label that distinguishes it from other programs there: it has
/// one output.
type OutputKey = (Input, Option<String>);

/// Location of the output of one program.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Destination {
    Stdout,
    File(PathBuf),
}

/// Compiles all programs and writes their outputs; prints a closing count if there are several.
/// Returns `Failed` if an input fails, and an error before any output if the usage is wrong:
/// outputs that share a file, a binary module for a terminal, or `--validate` without a module.
pub(crate) fn compile(args: &CompileArgs, console: Console) -> Result<Status, Fatal> {
    let validator = match (args.validate, args.emit) {
        (false, _) => None,
        (true, EmitFormat::Ir) => {
            return Err(Fatal(
                "--validate needs a SPIR-V module, and --emit ir makes none".to_owned(),
            ));
        }
        (true, _) => Some(Validator::find()?),
    };
    let inputs = find_inputs(&args.inputs)?;
    let reading = SourceOptions::from(&args.source_args);
    let outputs = list_outputs(&inputs, args.stage, reading);
    let destinations = resolve_destinations(&inputs, &outputs, args.output.as_deref(), args.emit)?;
    let binary_output = destinations
        .values()
        .any(|destination| *destination == Destination::Stdout)
        && !args.emit.is_text();
    if binary_output && io::stdout().is_terminal() {
        return Err(Fatal(
            "a SPIR-V module is binary and is not written to a terminal; use -o FILE or --emit spvasm".to_owned(),
        ));
    }
    let options = build_options(args);
    let settings = output_formats::EmitSettings {
        format: args.emit,
        program_type: args.stage,
        source_options: reading,
        step_limit: Some(args.step_limit).filter(|&limit| limit > 0),
        #[cfg(feature = "translate")]
        text_conventions: match args.conventions {
            None => glasm_text::ClipConventions::OfCompilerOptions,
            Some(ConventionsArg::Opengl) => glasm_text::ClipConventions::OpenGl,
            Some(ConventionsArg::Vulkan) => glasm_text::ClipConventions::Vulkan,
        },
        #[cfg(feature = "translate")]
        nan: if args.exact_nan {
            glasm_text::NanMode::Exact
        } else {
            glasm_text::NanMode::Unspecified
        },
        options,
        validator,
    };
    let totals = run_batch(&inputs.list, console, |input, text| {
        compile_input(&settings, input, text, &destinations, console)
    })?;
    if !inputs.is_single_file || totals.programs > 1 {
        console.write_err(&format_closing_line(inputs.list.len(), &totals, console));
    }
    Ok(Status::from_failures(totals.failed))
}

/// Returns the options of the compiler that the command line specifies. `--conventions opengl` has
/// no effect on the target OpenGL, which has them.
fn build_options(args: &CompileArgs) -> Options {
    let target = Target::from(args.target);
    let base = match target {
        Target::OpenGl4_5 => glasm::opengl::build_default_options(),
        Target::Vulkan1_1 | Target::Vulkan1_2 | Target::Vulkan1_3 => Options::default(),
    };
    Options {
        target,
        conventions: match args.conventions {
            Some(ConventionsArg::Opengl) if target != Target::OpenGl4_5 => Conventions::opengl(),
            Some(ConventionsArg::Opengl | ConventionsArg::Vulkan) | None => base.conventions,
        },
        debug: DebugInfo {
            names: args.debug,
            lines: args.debug,
        },
        state_sources: StateSources::all(args.state.into()),
        zero_wins_multiply: args.legacy_multiply,
        skip_precision_rounding: args.fast_precision,
        emulate_denormal_flush: args.exact_denormals,
        ..base
    }
}

/// Compiles all programs of an input, writes each to its destination, and returns the messages and
/// the bytes for standard output. An input that cannot be parsed, or without programs of the
/// requested type, fails.
fn compile_input(
    settings: &output_formats::EmitSettings,
    input: &Input,
    text: &[u8],
    destinations: &HashMap<OutputKey, Destination>,
    console: Console,
) -> InputResult {
    let name = input.name();
    let content = match LoadedInput::load(input, &name, text, settings.source_options) {
        Ok(content) => content,
        Err(errors) => return InputResult::from_script_errors(&name, &errors, console),
    };
    let programs = content.list_programs(settings.program_type, &settings.options);
    if programs.is_empty() {
        let message = match settings.program_type {
            Some(wanted) => format!("it has no {} program", wanted.name()),
            None => "it has no assembly program".to_owned(),
        };
        return InputResult::from_failure(console.format_error(Some(&name), &message));
    }
    let mut done = InputResult {
        programs: programs.len(),
        ..InputResult::default()
    };
    for program in &programs {
        let output = (input.clone(), program.label.clone());
        let result = compile_program(
            settings,
            &content,
            program,
            &name,
            destinations.get(&output),
            console,
        );
        done.messages += &result.messages;
        done.output.extend(result.output);
        done.failed |= result.failed;
    }
    done
}

/// Compiles a program and writes the result to its destination. Returns the messages, the bytes for
/// standard output, and whether it failed. A program without a destination fails: its input has
/// changed since they were resolved.
fn compile_program(
    settings: &output_formats::EmitSettings,
    content: &LoadedInput<'_>,
    program: &InputProgram<'_>,
    name: &str,
    destination: Option<&Destination>,
    console: Console,
) -> InputResult {
    let source = Source {
        step_limit: settings.step_limit,
        ..program.source
    };
    match output_formats::emit_program(&build_program_settings(settings, program), &source) {
        Ok(EmittedProgram { bytes, warnings }) => {
            let mut done = InputResult {
                messages: content.format_diagnostics(program, &warnings, console),
                ..InputResult::default()
            };
            match destination.map(|destination| write_output(destination, bytes)) {
                Some(Ok(output)) => done.output = output,
                Some(Err(message)) => {
                    done.failed = true;
                    done.messages += &console.format_error(None, &message);
                }
                None => {
                    done.failed = true;
                    // Destinations are planned for the programs that were there at first.
                    let message = "it was changed while it was read";
                    done.messages += &console.format_error(Some(name), message);
                }
            }
            done
        }
        Err(EmitError::Program(diagnostics)) => {
            InputResult::from_failure(content.format_diagnostics(program, &diagnostics, console))
        }
        Err(EmitError::Tool { warnings, message }) => {
            let messages = content.format_diagnostics(program, &warnings, console);
            let name = match &program.label {
                Some(label) => format!("{name} ({label})"),
                None => name.to_owned(),
            };
            InputResult::from_failure(messages + &console.format_error(Some(&name), &message))
        }
    }
}

/// Returns the settings for one of the programs: those given, with the options and the clip
/// conventions of its script.
fn build_program_settings(
    settings: &output_formats::EmitSettings,
    program: &InputProgram<'_>,
) -> output_formats::EmitSettings {
    output_formats::EmitSettings {
        format: settings.format,
        program_type: settings.program_type,
        source_options: settings.source_options,
        step_limit: settings.step_limit,
        options: program.options.clone(),
        #[cfg(feature = "translate")]
        text_conventions: if program.follows_gl() {
            glasm_text::ClipConventions::OpenGl
        } else {
            settings.text_conventions
        },
        #[cfg(feature = "translate")]
        nan: settings.nan,
        validator: settings.validator,
    }
}

/// Writes a file and returns no bytes, or returns the bytes for standard output. The error contains
/// the path.
fn write_output(destination: &Destination, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    match destination {
        Destination::Stdout => Ok(bytes),
        Destination::File(path) => match write_file(path, &bytes) {
            Ok(()) => Ok(Vec::new()),
            Err(error) => Err(format!("{}: {error}", path.display())),
        },
    }
}

/// Writes a file, and creates the missing directories above it.
fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)?;
    }
    std::fs::write(path, bytes)
}

/// Reads all inputs in parallel and returns the key of each program's output, in the order of the
/// inputs. An input that cannot be read or parsed has one, which fails later.
fn list_outputs(
    inputs: &Inputs,
    stage: Option<ProgramType>,
    reading: SourceOptions,
) -> Vec<OutputKey> {
    let list_input_outputs = |input: &Input| {
        let labels = match input.read() {
            Ok(text) => list_program_labels(input, &text, stage, reading),
            Err(_) => vec![None],
        };
        let outputs = labels.into_iter().map(|label| (input.clone(), label));
        outputs.collect::<Vec<_>>()
    };
    inputs
        .list
        .par_iter()
        .flat_map_iter(list_input_outputs)
        .collect()
}

/// Resolves the locations of all outputs before any work is done. Returns an error if two outputs
/// share a file, or those of [`resolve_destination`].
fn resolve_destinations(
    inputs: &Inputs,
    outputs: &[OutputKey],
    output: Option<&Path>,
    emit: EmitFormat,
) -> Result<HashMap<OutputKey, Destination>, Fatal> {
    let count = if inputs.is_single_file {
        InputCount::OneFile(outputs.len())
    } else {
        InputCount::Files
    };
    let mut destinations = HashMap::new();
    let mut taken: HashMap<PathBuf, String> = HashMap::new();
    for key in outputs {
        let destination = resolve_destination(key, count, output, emit)?;
        let name = match &key.1 {
            Some(label) => format!("{} ({label})", key.0.name()),
            None => key.0.name(),
        };
        if let Destination::File(path) = &destination
            && let Some(other) = taken.insert(path.clone(), name.clone())
        {
            let path = path.display();
            return Err(Fatal(format!(
                "{other} and {name} would both be written to {path}"
            )));
        }
        destinations.insert(key.clone(), destination);
    }
    Ok(destinations)
}

/// Kind of inputs that the command line names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum InputCount {
    /// One file, with that many programs.
    OneFile(usize),
    /// Several files, or directories.
    Files,
}

/// Returns the file or stream for the output of a program: `-o`, as a file or a directory; by
/// default standard output for one program as text or from standard input, otherwise a file next to
/// the input. Returns an error if `-o` names one file or stream for several programs, or a file in
/// a directory that does not exist.
fn resolve_destination(
    (input, label): &OutputKey,
    count: InputCount,
    output: Option<&Path>,
    emit: EmitFormat,
) -> Result<Destination, Fatal> {
    let names_dir = |output: &Path| output.is_dir() || ends_with_separator(output);
    match (output, count) {
        (Some(output), InputCount::OneFile(0 | 1)) if output.as_os_str() == "-" => {
            Ok(Destination::Stdout)
        }
        (Some(output), InputCount::OneFile(_)) if output.as_os_str() == "-" => Err(Fatal(format!(
            "-o - takes one program, and {} has several; --stage chooses one",
            input.name()
        ))),
        (Some(output), InputCount::Files) if output.as_os_str() == "-" => Err(Fatal(
            "-o - takes one program; with several files, -o names a directory".to_owned(),
        )),
        (Some(output), InputCount::OneFile(programs)) if !names_dir(output) => {
            if programs > 1 {
                return Err(Fatal(format!(
                    "{} has {programs} programs, and -o {} names one file; `-o {}/` names a directory, --stage chooses one program",
                    input.name(),
                    output.display(),
                    output.display()
                )));
            }
            check_parent_dir(output)?;
            Ok(Destination::File(output.to_owned()))
        }
        (Some(output), _) => {
            let path = output.join(input.get_mirrored_path());
            Ok(Destination::File(append_extensions(
                &path,
                label.as_deref(),
                emit,
            )))
        }
        (None, _) => Ok(match (input, count) {
            (Input::Stdin, InputCount::OneFile(0 | 1)) => Destination::Stdout,
            (Input::Stdin, _) if label.is_none() => Destination::Stdout,
            (Input::Stdin, _) => {
                return Err(Fatal(
                    "standard input has several programs; -o names a directory for them, --stage chooses one"
                        .to_owned(),
                ));
            }
            (Input::File(_), InputCount::OneFile(0 | 1)) if emit.is_text() => Destination::Stdout,
            (Input::File(path), _) => {
                Destination::File(append_extensions(path, label.as_deref(), emit))
            }
        }),
    }
}

/// Returns an error if the directory of an output file does not exist. It is not created: the path
/// may be misspelt.
fn check_parent_dir(output: &Path) -> Result<(), Fatal> {
    let dir = output.parent().filter(|it| !it.as_os_str().is_empty());
    match dir {
        Some(dir) if !dir.is_dir() => Err(Fatal(format!(
            "{}: directory {} does not exist",
            output.display(),
            dir.display()
        ))),
        Some(_) | None => Ok(()),
    }
}

/// Returns true if a path on the command line ends with a separator, and so names a directory.
fn ends_with_separator(path: &Path) -> bool {
    path.as_os_str()
        .as_encoded_bytes()
        .last()
        .is_some_and(|&byte| std::path::is_separator(char::from(byte)))
}

/// Converts `a/b.txt` to `a/b.txt.spv`, or to `a/b.txt.fragment.spv` for one of several programs.
fn append_extensions(path: &Path, label: Option<&str>, emit: EmitFormat) -> PathBuf {
    let mut name = OsString::from(path);
    for ending in label.into_iter().chain([emit.extension()]) {
        name.push(".");
        name.push(ending);
    }
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination_of(
        path: &str,
        single: bool,
        output: Option<&str>,
        emit: EmitFormat,
    ) -> Option<PathBuf> {
        let count = if single {
            InputCount::OneFile(1)
        } else {
            InputCount::Files
        };
        let program = (Input::File(PathBuf::from(path)), None);
        match resolve_destination(&program, count, output.map(Path::new), emit).unwrap() {
            Destination::Stdout => None,
            Destination::File(path) => Some(path),
        }
    }

    #[test]
    fn outputs_go_where_the_help_says() {
        let file = |path: &str| Some(PathBuf::from(path));
        assert_eq!(
            destination_of("a/b.txt", true, None, EmitFormat::Spirv),
            file("a/b.txt.spv")
        );
        assert_eq!(
            destination_of("a/b.txt", true, None, EmitFormat::Spvasm),
            None
        );
        assert_eq!(
            destination_of("a/b.txt", false, None, EmitFormat::Reflect),
            file("a/b.txt.json")
        );
        assert_eq!(
            destination_of("a/b.txt", true, Some("-"), EmitFormat::Spirv),
            None
        );
        assert_eq!(
            destination_of("a/b.txt", true, Some("x.spv"), EmitFormat::Spirv),
            file("x.spv")
        );
        assert_eq!(
            destination_of("a/b.txt", true, Some("new/"), EmitFormat::Spirv),
            file("new/a/b.txt.spv")
        );
        assert_eq!(
            destination_of("a/b.txt", false, Some("out"), EmitFormat::Ir),
            file("out/a/b.txt.ir")
        );
        assert_eq!(
            destination_of("../a/b.txt", false, Some("out"), EmitFormat::Ir),
            file("out/a/b.txt.ir")
        );
    }

    #[test]
    fn outputs_do_not_overwrite_each_other() {
        let list = vec![Input::File("a.vp".into()), Input::File("../a.vp".into())];
        let outputs: Vec<OutputKey> = list.iter().map(|input| (input.clone(), None)).collect();
        let inputs = Inputs {
            list,
            is_single_file: false,
            skipped: Vec::new(),
        };
        let plan = |output: &str| {
            resolve_destinations(
                &inputs,
                &outputs,
                Some(Path::new(output)),
                EmitFormat::Spirv,
            )
        };
        let Err(Fatal(message)) = plan("out") else {
            panic!("planned")
        };
        assert_eq!(
            message,
            "a.vp and ../a.vp would both be written to out/a.vp.spv"
        );
        assert!(plan("-").is_err());
    }

    #[test]
    fn several_programs_of_a_file_go_to_several_files() {
        let input = Input::File("a.vfp".into());
        let outputs = ["vertex", "fragment"].map(|label| (input.clone(), Some(label.to_owned())));
        let inputs = Inputs {
            list: vec![input],
            is_single_file: true,
            skipped: Vec::new(),
        };
        let plan = |output: Option<&str>| {
            let plan =
                resolve_destinations(&inputs, &outputs, output.map(Path::new), EmitFormat::Ir)?;
            let mut paths: Vec<_> = plan.into_values().map(|it| format!("{it:?}")).collect();
            paths.sort();
            Ok::<_, Fatal>(paths)
        };
        let file = |path: &str| format!("File({path:?})");
        assert_eq!(
            plan(None).unwrap(),
            [file("a.vfp.fragment.ir"), file("a.vfp.vertex.ir")]
        );
        assert_eq!(
            plan(Some("new/")).unwrap(),
            [file("new/a.vfp.fragment.ir"), file("new/a.vfp.vertex.ir")]
        );
        for (output, says) in [("x.ir", "`-o x.ir/` names a directory"), ("-", "--stage")] {
            let Err(Fatal(message)) = plan(Some(output)) else {
                panic!("planned")
            };
            assert!(message.contains(says), "{message}");
        }
    }
}
