//! `glasm check`: reports the errors and warnings of programs.

use crate::args::{CheckArgs, Reading};
use crate::batch::{Done, Totals, run_batch};
use crate::console::{Console, Fatal, Status, plural};
use crate::inputs::{Input, describe_left_out, find_inputs};
use crate::programs::{Content, Program};
use glasm::{Diagnostics, Options, Shader};
use glasm_scripts::compile::ScriptCompiler;

/// Checks all programs and prints a closing count.
pub(crate) fn check(args: &CheckArgs, console: Console) -> Result<Status, Fatal> {
    let inputs = find_inputs(&args.inputs)?;
    let totals = run_batch(&inputs.list, console, |input, text| {
        check_one(args, input, text, console)
    })?;
    if let Some(reason) = describe_left_out(&inputs.left_out).filter(|_| !console.is_json()) {
        console.out(format!("{reason}\n"))?;
    }
    console.out(closing_line(inputs.list.len(), &totals, console))?;
    Ok(Status::from_failures(totals.failed))
}

fn check_one(args: &CheckArgs, input: &Input, text: &[u8], console: Console) -> Done {
    let name = input.name();
    let content = match Content::read(input, &name, text, Reading::from(&args.reading)) {
        Ok(content) => content,
        Err(errors) => return Done::unreadable(&name, &errors, console),
    };
    let base = Options {
        device: content.device(),
        ..Options::default()
    };
    let programs = content.programs(args.stage, &base);
    let count = programs.len();
    let mut done = match content.compiler(&base) {
        None => check_programs(&content, &programs, console),
        Some(script) if !script.script.expected_errors().is_empty() => {
            check_expected(&script, &name, console)
        }
        Some(script) => check_script(&content, &programs, &script, &name, console),
    };
    done.programs = count;
    done
}

fn check_programs(content: &Content<'_>, programs: &[Program<'_>], console: Console) -> Done {
    let mut done = Done::default();
    for program in programs {
        // Compiling finds more than reading does: what no target can express.
        let result = glasm::compile(&program.source, &program.options);
        add(&mut done, content, program, result, console);
    }
    done
}

/// Reports the errors of a program, or the warnings of one without.
fn add(
    done: &mut Done,
    content: &Content<'_>,
    program: &Program<'_>,
    result: Result<Shader, Diagnostics>,
    console: Console,
) {
    done.failed |= result.is_err();
    let diagnostics = result.map_or_else(|errors| errors, |shader| shader.warnings);
    done.messages += &content.format(program, &diagnostics, console);
}

/// Checks whether the programs of a script have the errors that its commands expect, and no
/// others.
fn check_expected(script: &ScriptCompiler<'_>, name: &str, console: Console) -> Done {
    let failures = script.check_expected_errors().unwrap_or_default();
    let message = |failure: &_| console.format_failure(name, failure);
    Done {
        messages: failures.iter().map(message).collect(),
        failed: !failures.is_empty(),
        expected: usize::from(failures.is_empty()),
        ..Done::default()
    }
}

/// The programs of a script that expects none of its pipeline to fail: those of a pipeline fit each other, and those that commands load
/// are right, or wrong as the command says.
fn check_script(
    content: &Content<'_>,
    programs: &[Program<'_>],
    script: &ScriptCompiler<'_>,
    name: &str,
    console: Console,
) -> Done {
    let mut compiled = script.compile_all();
    compiled.extend(script.compile_loads());
    let to_load = programs.iter().filter_map(|program| {
        let place = compiled.iter().position(|(section, _)| program.is(section));
        place.map(|place| (program, compiled.swap_remove(place).1))
    });
    let mut done = Done::default();
    for (program, result) in to_load.collect::<Vec<_>>() {
        add(&mut done, content, program, result, console);
    }
    let mut failures = script.check_warnings();
    failures.extend(script.check_loads());
    for failure in &failures {
        done.messages += &console.format_failure(name, failure);
    }
    let refuses = script.script.refused_loads().next().is_some();
    done.failed |= !failures.is_empty();
    done.expected = usize::from(refuses && !done.failed);
    done
}

/// `3 files, 1 failed`, with the number of programs where that is another.
pub(crate) fn closing_line(files: usize, totals: &Totals, console: Console) -> String {
    let Totals {
        failed,
        programs,
        expected,
    } = *totals;
    if console.is_json() {
        let counts = serde_json::json!({
            "files": files, "programs": programs, "failed": failed, "expected": expected,
        });
        return format!("{counts}\n");
    }
    let mut line = plural(files, "file");
    if programs != files {
        line += &format!(" with {}", plural(programs, "program"));
    }
    line += &format!(", {failed} failed");
    if expected > 0 {
        line += &format!("; {expected} with the errors that scripts expect");
    }
    line + "\n"
}
