//! `glasm compile`: programs to SPIR-V and other forms.

use crate::args::{CompileArgs, ConventionsArg, Emit};
use crate::batch::{Done, run_batch};
use crate::check::closing_line;
use crate::console::{Console, Fatal, Status};
use crate::emit::{self, Emitted, Failure};
use crate::inputs::{Input, Inputs, find_inputs};
use crate::validate::Validator;
use glasm::{Conventions, DebugInfo, Options, Source};
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

/// Where the output of one program goes.
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
    let destinations = plan(&inputs, args.output.as_deref(), args.emit)?;
    let binary_output = destinations
        .values()
        .any(|destination| *destination == Destination::Stdout)
        && !args.emit.is_text();
    if binary_output && io::stdout().is_terminal() {
        return Err(Fatal(
            "a SPIR-V module is no text for a terminal; use -o FILE or --emit spvasm".to_owned(),
        ));
    }
    let options = options(args);
    let job = emit::Job {
        emit: args.emit,
        stage: args.stage,
        step_limit: Some(args.step_limit).filter(|&limit| limit > 0),
        #[cfg(feature = "translate")]
        text_conventions: match args.conventions {
            None => glasm_text::Conventions::Own,
            Some(ConventionsArg::Opengl) => glasm_text::Conventions::OpenGl,
            Some(ConventionsArg::Vulkan) => glasm_text::Conventions::Vulkan,
        },
        options,
        validator,
    };
    let failed = run_batch(&inputs.list, console, |input, text| {
        compile_one(&job, input, text, &destinations[input], console)
    })?;
    if !inputs.single {
        console.err(&closing_line(inputs.list.len(), failed, console));
    }
    Ok(Status::from_failures(failed))
}

fn options(args: &CompileArgs) -> Options {
    Options {
        target: args.target.into(),
        conventions: match args.conventions {
            Some(ConventionsArg::Opengl) => Conventions::opengl(),
            Some(ConventionsArg::Vulkan) | None => Conventions::vulkan(),
        },
        debug: DebugInfo {
            names: args.debug,
            lines: args.debug,
        },
        legacy_multiply: args.legacy_multiply,
        ..Options::default()
    }
}

fn compile_one(
    job: &emit::Job,
    input: &Input,
    text: &[u8],
    destination: &Destination,
    console: Console,
) -> Done {
    let name = input.name();
    let source = Source {
        stage: job.stage,
        step_limit: job.step_limit,
        ..Source::new(&name, text)
    };
    match emit::emit(job, &source) {
        Ok(Emitted { bytes, warnings }) => {
            let messages = console.format_diagnostics(&warnings, &source);
            match destination {
                Destination::Stdout => Done {
                    messages,
                    output: bytes,
                    failed: false,
                },
                Destination::File(path) => match write_file(path, &bytes) {
                    Ok(()) => Done {
                        messages,
                        output: Vec::new(),
                        failed: false,
                    },
                    Err(error) => Done::failed(
                        messages
                            + &console.format_error(
                                Some(&path.display().to_string()),
                                &error.to_string(),
                            ),
                    ),
                },
            }
        }
        Err(Failure::Program(diagnostics)) => {
            Done::failed(console.format_diagnostics(&diagnostics, &source))
        }
        Err(Failure::Tool { warnings, message }) => {
            let messages = console.format_diagnostics(&warnings, &source);
            Done::failed(messages + &console.format_error(Some(&name), &message))
        }
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes)
}

/// Decides where everything goes, before any work is done. Two outputs never share a file.
fn plan(
    inputs: &Inputs,
    output: Option<&Path>,
    emit: Emit,
) -> Result<HashMap<Input, Destination>, Fatal> {
    let mut destinations = HashMap::new();
    let mut taken: HashMap<PathBuf, String> = HashMap::new();
    for input in &inputs.list {
        let destination = destination(input, inputs.single, output, emit)?;
        if let Destination::File(path) = &destination
            && let Some(other) = taken.insert(path.clone(), input.name())
        {
            return Err(Fatal(format!(
                "{other} and {} would both be written to {}",
                input.name(),
                path.display()
            )));
        }
        destinations.insert(input.clone(), destination);
    }
    Ok(destinations)
}

fn destination(
    input: &Input,
    single: bool,
    output: Option<&Path>,
    emit: Emit,
) -> Result<Destination, Fatal> {
    match output {
        Some(output) if output.as_os_str() == "-" && !single => Err(Fatal(
            "-o - takes one program; with several, -o names a folder".to_owned(),
        )),
        Some(output) if output.as_os_str() == "-" => Ok(Destination::Stdout),
        Some(output) if single && !output.is_dir() && !ends_with_separator(output) => {
            Ok(Destination::File(output.to_owned()))
        }
        Some(output) => Ok(Destination::File(
            output.join(with_extension_added(&input.mirrored(), emit)),
        )),
        None => Ok(match input {
            Input::Stdin => Destination::Stdout,
            Input::File(_) if single && emit.is_text() => Destination::Stdout,
            Input::File(path) => Destination::File(with_extension_added(path, emit)),
        }),
    }
}

fn ends_with_separator(path: &Path) -> bool {
    path.as_os_str()
        .as_encoded_bytes()
        .last()
        .is_some_and(|&byte| std::path::is_separator(char::from(byte)))
}

/// `a/b.txt` to `a/b.txt.spv`.
fn with_extension_added(path: &Path, emit: Emit) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".");
    name.push(emit.extension());
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
        match destination(
            &Input::File(PathBuf::from(path)),
            single,
            output.map(Path::new),
            emit,
        )
        .unwrap()
        {
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
        let inputs = Inputs {
            list,
            single: false,
        };
        let Err(Fatal(message)) = plan(&inputs, Some(Path::new("out")), Emit::Spirv) else {
            panic!("planned")
        };
        assert_eq!(
            message,
            "a.vp and ../a.vp would both be written to out/a.vp.spv"
        );
        assert!(plan(&inputs, Some(Path::new("-")), Emit::Spirv).is_err());
    }
}
