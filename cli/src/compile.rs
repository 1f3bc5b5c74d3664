//! `glasm compile`: programs to SPIR-V and other forms.

use crate::args::{CompileArgs, ConventionsArg, Emit, Reading};
use crate::batch::{Done, run_batch};
use crate::check::format_closing_line;
use crate::console::{Console, Fatal, Status};
use crate::emit::{self, Emitted, Failure};
use crate::inputs::{Input, Inputs, find_inputs};
use crate::programs::{Content, Program, labels};
use crate::validate::Validator;
use glasm::{Conventions, DebugInfo, Options, ProgramType, Source, StateForms, Target};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

/// A program, by its input and the label that distinguishes it from other programs there: it has
/// one output.
type Output = (Input, Option<String>);

/// Location of the output of one program.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Destination {
    Stdout,
    File(PathBuf),
}

/// Compiles all programs; prints a closing count if there are several.
pub(crate) fn compile(args: &CompileArgs, console: Console) -> Result<Status, Fatal> {
    let validator = match (args.validate, args.emit) {
        (false, _) => None,
        (true, Emit::Ir) => {
            return Err(Fatal(
                "--validate needs a SPIR-V module, and --emit ir makes none".to_owned(),
            ));
        }
        (true, _) => Some(Validator::find()?),
    };
    let inputs = find_inputs(&args.inputs)?;
    let reading = Reading::from(&args.reading);
    let outputs = list_outputs(&inputs, args.stage, reading);
    let destinations = resolve_destinations(&inputs, &outputs, args.output.as_deref(), args.emit)?;
    let binary_output = destinations
        .values()
        .any(|destination| *destination == Destination::Stdout)
        && !args.emit.is_text();
    if binary_output && io::stdout().is_terminal() {
        return Err(Fatal(
            "a SPIR-V module is no text for a terminal; use -o FILE or --emit spvasm".to_owned(),
        ));
    }
    let options = read_options(args);
    let job = emit::EmitSettings {
        emit: args.emit,
        stage: args.stage,
        reading,
        step_limit: Some(args.step_limit).filter(|&limit| limit > 0),
        #[cfg(feature = "translate")]
        text_conventions: match args.conventions {
            None => glasm_text::Conventions::Own,
            Some(ConventionsArg::Opengl) => glasm_text::Conventions::OpenGl,
            Some(ConventionsArg::Vulkan) => glasm_text::Conventions::Vulkan,
        },
        #[cfg(feature = "translate")]
        nan: if args.exact_nan {
            glasm_text::Nan::Exact
        } else {
            glasm_text::Nan::Open
        },
        options,
        validator,
    };
    let totals = run_batch(&inputs.list, console, |input, text| {
        compile_one(&job, input, text, &destinations, console)
    })?;
    if !inputs.single || totals.programs > 1 {
        console.err(&format_closing_line(inputs.list.len(), &totals, console));
    }
    Ok(Status::from_failures(totals.failed))
}

fn read_options(args: &CompileArgs) -> Options {
    let target = Target::from(args.target);
    let base = match target {
        Target::OpenGl4_5 => glasm::opengl::options_of_all(),
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
        forms: StateForms::all(args.state.into()),
        legacy_multiply: args.legacy_multiply,
        fast_precision: args.fast_precision,
        exact_denormals: args.exact_denormals,
        ..base
    }
}

fn compile_one(
    job: &emit::EmitSettings,
    input: &Input,
    text: &[u8],
    destinations: &HashMap<Output, Destination>,
    console: Console,
) -> Done {
    let name = input.name();
    let content = match Content::read(input, &name, text, job.reading) {
        Ok(content) => content,
        Err(errors) => return Done::from_script_errors(&name, &errors, console),
    };
    let programs = content.list_programs(job.stage, &job.options);
    if programs.is_empty() {
        let message = match job.stage {
            Some(wanted) => format!("it has no {} program", wanted.name()),
            None => "it has no assembly program".to_owned(),
        };
        return Done::from_failure(console.format_error(Some(&name), &message));
    }
    let mut done = Done {
        programs: programs.len(),
        ..Done::default()
    };
    for program in &programs {
        let output = (input.clone(), program.label.clone());
        let one = compile_program(
            job,
            &content,
            program,
            &name,
            destinations.get(&output),
            console,
        );
        done.messages += &one.messages;
        done.output.extend(one.output);
        done.failed |= one.failed;
    }
    done
}

fn compile_program(
    job: &emit::EmitSettings,
    content: &Content<'_>,
    program: &Program<'_>,
    name: &str,
    destination: Option<&Destination>,
    console: Console,
) -> Done {
    let source = Source {
        step_limit: job.step_limit,
        ..program.source
    };
    match emit::emit(&build_settings(job, program), &source) {
        Ok(Emitted { bytes, warnings }) => {
            let mut done = Done {
                messages: content.format(program, &warnings, console),
                ..Done::default()
            };
            match destination.map(|destination| write(destination, bytes)) {
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
        Err(Failure::Program(diagnostics)) => {
            Done::from_failure(content.format(program, &diagnostics, console))
        }
        Err(Failure::Tool { warnings, message }) => {
            let messages = content.format(program, &warnings, console);
            let name = match &program.label {
                Some(label) => format!("{name} ({label})"),
                None => name.to_owned(),
            };
            Done::from_failure(messages + &console.format_error(Some(&name), &message))
        }
    }
}

/// Returns the settings for one of the programs: those given and the requirements of its script.
fn build_settings(job: &emit::EmitSettings, program: &Program<'_>) -> emit::EmitSettings {
    emit::EmitSettings {
        emit: job.emit,
        stage: job.stage,
        reading: job.reading,
        step_limit: job.step_limit,
        options: program.options.clone(),
        #[cfg(feature = "translate")]
        text_conventions: if program.follows_gl() {
            glasm_text::Conventions::OpenGl
        } else {
            job.text_conventions
        },
        #[cfg(feature = "translate")]
        nan: job.nan,
        validator: job.validator,
    }
}

/// Writes a file, or returns the bytes for standard output.
fn write(destination: &Destination, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    match destination {
        Destination::Stdout => Ok(bytes),
        Destination::File(path) => match write_file(path, &bytes) {
            Ok(()) => Ok(Vec::new()),
            Err(error) => Err(format!("{}: {error}", path.display())),
        },
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes)
}

/// Lists the programs of all inputs. An input that cannot be read has one, which fails.
fn list_outputs(inputs: &Inputs, stage: Option<ProgramType>, reading: Reading) -> Vec<Output> {
    let of_input = |input: &Input| {
        let labels = match input.read() {
            Ok(text) => labels(input, &text, stage, reading),
            Err(_) => vec![None],
        };
        let outputs = labels.into_iter().map(|label| (input.clone(), label));
        outputs.collect::<Vec<_>>()
    };
    inputs.list.par_iter().flat_map_iter(of_input).collect()
}

/// Decides the locations of all outputs before any work is done. Two outputs never share a file.
fn resolve_destinations(
    inputs: &Inputs,
    outputs: &[Output],
    output: Option<&Path>,
    emit: Emit,
) -> Result<HashMap<Output, Destination>, Fatal> {
    let count = if inputs.single {
        Count::OneFile(outputs.len())
    } else {
        Count::Files
    };
    let mut destinations = HashMap::new();
    let mut taken: HashMap<PathBuf, String> = HashMap::new();
    for program in outputs {
        let destination = resolve_destination(program, count, output, emit)?;
        let name = match &program.1 {
            Some(label) => format!("{} ({label})", program.0.name()),
            None => program.0.name(),
        };
        if let Destination::File(path) = &destination
            && let Some(other) = taken.insert(path.clone(), name.clone())
        {
            let path = path.display();
            return Err(Fatal(format!(
                "{other} and {name} would both be written to {path}"
            )));
        }
        destinations.insert(program.clone(), destination);
    }
    Ok(destinations)
}

/// Kind of inputs that the command line names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Count {
    /// One file, with that many programs.
    OneFile(usize),
    /// Several files, or directories.
    Files,
}

fn resolve_destination(
    (input, label): &Output,
    count: Count,
    output: Option<&Path>,
    emit: Emit,
) -> Result<Destination, Fatal> {
    let names_folder = |output: &Path| output.is_dir() || ends_with_separator(output);
    match (output, count) {
        (Some(output), Count::OneFile(0 | 1)) if output.as_os_str() == "-" => {
            Ok(Destination::Stdout)
        }
        (Some(output), Count::OneFile(_)) if output.as_os_str() == "-" => Err(Fatal(format!(
            "-o - takes one program, and {} has several; --stage chooses one",
            input.name()
        ))),
        (Some(output), Count::Files) if output.as_os_str() == "-" => Err(Fatal(
            "-o - takes one program; with several files, -o names a folder".to_owned(),
        )),
        (Some(output), Count::OneFile(programs)) if !names_folder(output) => {
            if programs > 1 {
                return Err(Fatal(format!(
                    "{} has {programs} programs, and -o {} names one file; `-o {}/` names a folder, --stage chooses one program",
                    input.name(),
                    output.display(),
                    output.display()
                )));
            }
            check_folder(output)?;
            Ok(Destination::File(output.to_owned()))
        }
        (Some(output), _) => {
            let path = output.join(input.get_mirrored_path());
            Ok(Destination::File(with_endings(
                &path,
                label.as_deref(),
                emit,
            )))
        }
        (None, _) => Ok(match (input, count) {
            (Input::Stdin, Count::OneFile(0 | 1)) => Destination::Stdout,
            (Input::Stdin, _) if label.is_none() => Destination::Stdout,
            (Input::Stdin, _) => {
                return Err(Fatal(
                    "standard input has several programs; -o names a folder for them, --stage chooses one"
                        .to_owned(),
                ));
            }
            (Input::File(_), Count::OneFile(0 | 1)) if emit.is_text() => Destination::Stdout,
            (Input::File(path), _) => Destination::File(with_endings(path, label.as_deref(), emit)),
        }),
    }
}

/// Checks that the directory of an output file exists. It is not created: the path may be misspelt.
fn check_folder(output: &Path) -> Result<(), Fatal> {
    let folder = output.parent().filter(|it| !it.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => Err(Fatal(format!(
            "{}: there is no folder {}",
            output.display(),
            folder.display()
        ))),
        Some(_) | None => Ok(()),
    }
}

fn ends_with_separator(path: &Path) -> bool {
    path.as_os_str()
        .as_encoded_bytes()
        .last()
        .is_some_and(|&byte| std::path::is_separator(char::from(byte)))
}

/// Converts `a/b.txt` to `a/b.txt.spv`, or to `a/b.txt.fragment.spv` for one of several programs.
fn with_endings(path: &Path, label: Option<&str>, emit: Emit) -> PathBuf {
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
        emit: Emit,
    ) -> Option<PathBuf> {
        let count = if single {
            Count::OneFile(1)
        } else {
            Count::Files
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
            destination_of("a/b.txt", true, None, Emit::Spirv),
            file("a/b.txt.spv")
        );
        assert_eq!(destination_of("a/b.txt", true, None, Emit::Spvasm), None);
        assert_eq!(
            destination_of("a/b.txt", false, None, Emit::Reflect),
            file("a/b.txt.json")
        );
        assert_eq!(
            destination_of("a/b.txt", true, Some("-"), Emit::Spirv),
            None
        );
        assert_eq!(
            destination_of("a/b.txt", true, Some("x.spv"), Emit::Spirv),
            file("x.spv")
        );
        assert_eq!(
            destination_of("a/b.txt", true, Some("new/"), Emit::Spirv),
            file("new/a/b.txt.spv")
        );
        assert_eq!(
            destination_of("a/b.txt", false, Some("out"), Emit::Ir),
            file("out/a/b.txt.ir")
        );
        assert_eq!(
            destination_of("../a/b.txt", false, Some("out"), Emit::Ir),
            file("out/a/b.txt.ir")
        );
    }

    #[test]
    fn outputs_do_not_overwrite_each_other() {
        let list = vec![Input::File("a.vp".into()), Input::File("../a.vp".into())];
        let outputs: Vec<Output> = list.iter().map(|input| (input.clone(), None)).collect();
        let inputs = Inputs {
            list,
            single: false,
            left_out: Vec::new(),
        };
        let plan = |output: &str| {
            resolve_destinations(&inputs, &outputs, Some(Path::new(output)), Emit::Spirv)
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
            single: true,
            left_out: Vec::new(),
        };
        let plan = |output: Option<&str>| {
            let plan = resolve_destinations(&inputs, &outputs, output.map(Path::new), Emit::Ir)?;
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
        for (output, says) in [("x.ir", "`-o x.ir/` names a folder"), ("-", "--stage")] {
            let Err(Fatal(message)) = plan(Some(output)) else {
                panic!("planned")
            };
            assert!(message.contains(says), "{message}");
        }
    }
}
