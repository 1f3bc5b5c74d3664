//! `glasm check`: reports the errors and warnings of programs. Modules are checked with spirv-val:
//! inside the process with the feature `spirv-tools`, else through the program of that name.

use crate::args::{CheckArgs, SourceOptions};
use crate::batch::{BatchTotals, InputResult, run_batch};
use crate::console::{Console, Fatal, Status, format_count};
use crate::inputs::{
    EmbeddedProgram, Input, SkippedFile, describe_skipped_files, find_inputs, starts_with_header,
};
use crate::loaded_input::{InputProgram, LoadedInput};
use glasm::{Diagnostics, Options, Shader, Target};
use glasm_scripts::compile::ScriptCompiler;

/// Checks the programs of all inputs, prints their messages, the files of directories that were
/// skipped with the reasons, and a closing count. Returns `Failed` if an input fails.
pub(crate) fn check(args: &CheckArgs, console: Console) -> Result<Status, Fatal> {
    let inputs = find_inputs(&args.inputs)?;
    let totals = run_batch(&inputs.list, console, |input, text| {
        check_input(args, input, text, console)
    })?;
    report_skipped_files(&inputs.skipped, console)?;
    console.write_out(format_closing_line(inputs.list.len(), &totals, console))?;
    Ok(Status::from_failures(totals.failed))
}

/// Prints which files were skipped and why: to standard output, as JSON to standard error.
fn report_skipped_files(skipped: &[SkippedFile], console: Console) -> Result<(), Fatal> {
    if console.is_json() {
        for SkippedFile { path, content } in skipped {
            let (line, reason) = (content.line, content.describe());
            let path = path.display();
            console.write_err(&console.format_warning(&format!(
                "{path}:{line}: skipped: {reason}; `glasm extract` finds it"
            )));
        }
    } else if let Some(text) = describe_skipped_files(skipped) {
        console.write_out(format!("{text}\n"))?;
    }
    Ok(())
}

/// Returns a warning with the command that finds programs in an input that does not start with one,
/// ready to print; nothing for other inputs.
fn suggest_extraction(name: &str, text: &[u8], console: Console) -> String {
    if starts_with_header(text) {
        return String::new();
    }
    EmbeddedProgram::find(text).map_or_else(String::new, |content| {
        let (line, reason) = (content.line, content.describe());
        console.format_warning(&format!(
            "{name}:{line}: {reason}; `glasm extract {name}` finds it"
        ))
    })
}

/// Checks the programs of an input and returns their errors and warnings, ready to print. In
/// scripts, errors must be those that the script expects.
fn check_input(args: &CheckArgs, input: &Input, text: &[u8], console: Console) -> InputResult {
    let name = input.name();
    let content =
        match LoadedInput::load(input, &name, text, SourceOptions::from(&args.source_args)) {
            Ok(content) => content,
            Err(errors) => return InputResult::from_script_errors(&name, &errors, console),
        };
    let base = Options {
        device: content.device_features(),
        ..Options::default()
    };
    let programs = content.list_programs(args.stage, &base);
    let count = programs.len();
    let mut done = match content.script_compiler(&base) {
        None => {
            let mut done = check_programs(&content, &programs, console);
            if done.failed {
                done.messages += &suggest_extraction(&name, text, console);
            }
            done
        }
        Some(script) if !script.script.expected_errors().is_empty() => {
            check_expected_errors(&script, &name, console)
        }
        Some(script) => check_script(&content, &programs, &script, &name, console),
    };
    done.programs = count;
    done
}

/// Compiles programs that belong to no script, and returns their errors and warnings, ready to
/// print; it fails if one has errors.
fn check_programs(
    content: &LoadedInput<'_>,
    programs: &[InputProgram<'_>],
    console: Console,
) -> InputResult {
    let mut done = InputResult::default();
    for program in programs {
        // Compilation finds more errors than reading: features that no target can express.
        let result = glasm::compile(&program.source, &program.options);
        report_result(&mut done, content, program, result, console);
    }
    done
}

/// Appends the errors of a program, or the warnings of one without, to the messages of `done`,
/// which fails if there are errors.
fn report_result(
    done: &mut InputResult,
    content: &LoadedInput<'_>,
    program: &InputProgram<'_>,
    result: Result<Shader, Diagnostics>,
    console: Console,
) {
    done.failed |= result.is_err();
    let diagnostics = result.map_or_else(|errors| errors, |shader| shader.warnings);
    done.messages += &content.format_diagnostics(program, &diagnostics, console);
}

/// Checks that the programs of a script have the errors that its commands expect, and no others.
/// Returns a message for each difference, which fails; otherwise the script is counted as one with
/// expected errors.
fn check_expected_errors(script: &ScriptCompiler<'_>, name: &str, console: Console) -> InputResult {
    let failures = script.check_expected_errors().unwrap_or_default();
    let message = |failure: &_| console.format_failure(name, failure);
    InputResult {
        messages: failures.iter().map(message).collect(),
        failed: !failures.is_empty(),
        scripts_with_expected_errors: usize::from(failures.is_empty()),
        ..InputResult::default()
    }
}

/// Checks the programs of a script without expected errors in its pipeline: programs of a pipeline
/// match each other, programs that commands load are valid or have the errors that the command
/// states, and warnings are as expected. Returns the messages, ready to print.
fn check_script(
    content: &LoadedInput<'_>,
    programs: &[InputProgram<'_>],
    script: &ScriptCompiler<'_>,
    name: &str,
    console: Console,
) -> InputResult {
    let mut compiled = script.compile_pipeline();
    compiled.extend(script.compile_loaded_programs());
    let to_load = programs.iter().filter_map(|program| {
        let place = compiled
            .iter()
            .position(|(section, _)| program.is_section(section));
        place.map(|place| (program, compiled.swap_remove(place).1))
    });
    let mut done = InputResult::default();
    for (program, result) in to_load.collect::<Vec<_>>() {
        report_result(&mut done, content, program, result, console);
    }
    let mut failures = script.check_warnings();
    failures.extend(script.check_loads());
    for failure in &failures {
        done.messages += &console.format_failure(name, failure);
    }
    let expects_load_errors = script.script.expected_load_failures().next().is_some();
    done.failed |= !failures.is_empty();
    done.scripts_with_expected_errors = usize::from(expects_load_errors && !done.failed);
    done
}

/// Formats `3 files, 1 failed`, with the number of programs if it differs from that of files, and
/// the number of scripts with expected errors if there are any; as a JSON object if messages are
/// JSON.
pub(crate) fn format_closing_line(files: usize, totals: &BatchTotals, console: Console) -> String {
    let BatchTotals {
        failed,
        programs,
        scripts_with_expected_errors: expected,
    } = *totals;
    if console.is_json() {
        let counts = serde_json::json!({
            "files": files, "programs": programs, "failed": failed,
            "scripts_with_expected_errors": expected,
        });
        return format!("{counts}\n");
    }
    let mut line = format_count(files, "file");
    if programs != files {
        line += &format!(" with {}", format_count(programs, "program"));
    }
    line += &format!(", {failed} failed");
    if expected > 0 {
        line += &format!("; {expected} with the errors that scripts expect");
    }
    line + "\n"
}

/// A usable spirv-val.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Validator(());

#[cfg(feature = "spirv-tools")]
impl Validator {
    /// Returns the validator, which is part of this build.
    pub(crate) fn find() -> Result<Self, Fatal> {
        Ok(Self(()))
    }

    /// Validates a module with spirv-val in this process.
    ///
    /// # Errors
    /// The messages about the module.
    pub(crate) fn validate(&self, words: &[u32], target: Target) -> Result<(), String> {
        glasm::validate::validate(words, target)
            .map_err(|error| format!("spirv-val rejects the module: {error}"))
    }
}

#[cfg(not(feature = "spirv-tools"))]
impl Validator {
    /// Runs `spirv-val --version`. Returns an error if the program is not installed.
    pub(crate) fn find() -> Result<Self, Fatal> {
        use std::process::Stdio;
        let found = create_command()
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        match found {
            Ok(status) if status.success() => Ok(Self(())),
            _ => Err(Fatal(
                "--validate needs the program spirv-val (Debian package spirv-tools), or glasm built with the feature spirv-tools".to_owned(),
            )),
        }
    }

    /// Validates a module with the program spirv-val.
    ///
    /// # Errors
    /// The messages about the module, or the reason why the program does not run.
    pub(crate) fn validate(&self, words: &[u32], target: Target) -> Result<(), String> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let output = run(&bytes, target).map_err(|error| format!("spirv-val: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        let said = [output.stderr, output.stdout].concat();
        Err(format!(
            "spirv-val rejects the module: {}",
            String::from_utf8_lossy(&said).trim()
        ))
    }
}

/// Creates the command of the program spirv-val, without arguments.
#[cfg(not(feature = "spirv-tools"))]
fn create_command() -> std::process::Command {
    std::process::Command::new("spirv-val")
}

/// Runs spirv-val on a module, which it reads from standard input, waits for its end, and returns
/// its exit status and output.
#[cfg(not(feature = "spirv-tools"))]
fn run(module: &[u8], target: Target) -> std::io::Result<std::process::Output> {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = create_command()
        .args(["--target-env", target.name(), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // spirv-val reads everything before it writes. If it stops early, its message is more
        // useful than a broken pipe.
        let _ = stdin.write_all(module);
    }
    child.wait_with_output()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_tests::skip::skip;

    #[test]
    fn bad_modules_are_rejected_with_a_reason() {
        let validator = match Validator::find() {
            Ok(validator) => validator,
            Err(Fatal(reason)) => return skip(reason),
        };
        let message = validator
            .validate(&[0x0723_0203, 0x0001_0300, 0, 1, 0], Target::Vulkan1_1)
            .unwrap_err();
        assert!(
            message.starts_with("spirv-val rejects the module: ") && message.len() > 40,
            "{message}"
        );
    }
}
