//! `glasm trace`: executes one invocation of a program of a script in the interpreter, and prints
//! what it does, statement by statement.
//!
//! `scene` selects the invocation, which `glasm_scripts::software` provides with its inputs;
//! `glasm_scene::trace` runs it as statements of the source; `format`, `json` and `diff` print them;
//! `device` runs the script on a device, `comparison` compares the results. `commands` traces what
//! `trace` commands of scripts request.

mod commands;
mod comparison;
mod device;
mod diff;
mod format;
mod json;
mod scene;

use crate::args::TraceArgs;
use crate::batch::{STACK_SIZE, catch_panic};
use crate::console::{Console, Fatal, Status, replace_control_characters};
use comparison::Comparison;
use device::{DeviceRun, compare_with_device, run_on_vulkan};
use diff::{Difference, Side, find_difference};
use format::Style;
use glasm_scene::trace::{Statement, Trace};
use glasm_scripts::script::{ProgramForm, Script};
use scene::{Located, Report, Scene};
use std::path::Path;

pub(crate) use commands::{CommandTrace, trace_commands};

/// Traces the selected invocation. Returns `Failed` if the device has another result, or if two
/// programs differ.
pub(crate) fn trace(args: &TraceArgs, console: Console) -> Result<Status, Fatal> {
    // Scripts nest blocks as deep as the compiler permits.
    let run = || catch_panic(|| run_trace(args, console));
    let result = std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK_SIZE);
        let thread = builder
            .spawn_scoped(scope, run)
            .map_err(|error| Fatal(format!("a thread cannot be started: {error}")))?;
        let result = thread.join();
        result.map_err(|_| Fatal("the trace has failed".to_owned()))
    })?;
    result.map_err(Fatal)?
}

/// Traces the selected invocation and prints the trace.
fn run_trace(args: &TraceArgs, console: Console) -> Result<Status, Fatal> {
    let scene = Scene::read(&args.input, console)?;
    if let Some(other) = &args.diff {
        let other = scene.replace_program(other, console)?;
        return run_difference(args, [scene, other], console);
    }
    let located = scene.locate(args)?;
    let trace = Trace::run(
        &located.invocation,
        args.max_steps,
        shows_ir(args, &located),
    );
    let selected = select_statements(args, &trace)?;
    let is_selection = args.last_write.is_some() || args.first_nan || !args.watch.is_empty();
    let limit = args.max_statements;
    let report = Report {
        comparison: if args.no_device {
            Comparison::None("not requested".to_owned())
        } else {
            let device = args.device.as_deref();
            let mut run = |path: &Path, script: &Script| run_on_vulkan(device, path, script);
            compare_result(&scene, &located, &trace, &mut run)
        },
        omitted: selected.len().saturating_sub(limit),
        shown: selected.into_iter().take(limit).collect(),
        scene: &scene,
        located: &located,
        trace: &trace,
    };
    if args.json || console.is_json() {
        let value = json::format_report(&report, shows_ir(args, &located));
        console.write_out(format!("{value}\n"))?;
    } else {
        let style = Style {
            bits: args.bits,
            ir: shows_ir(args, &located),
        };
        let mut text = format::format_report(&report, style);
        if is_selection && report.shown.is_empty() {
            text += "no statement was selected\n";
        }
        console.write_out(replace_control_characters(&text))?;
    }
    Ok(Status::from_failures(usize::from(
        report.comparison.is_different(),
    )))
}

/// Compares the result of a trace with that of the device on which `run` runs scripts.
fn compare_result(
    scene: &Scene,
    located: &Located,
    trace: &Trace,
    run: &mut dyn FnMut(&Path, &Script) -> DeviceRun,
) -> Comparison {
    if trace.result.is_none() {
        return Comparison::None("the program has not ended".to_owned());
    }
    compare_with_device(scene, located, run)
}

/// Returns true if instructions of the IR are shown: on request, and for programs in that form, which
/// have no statements.
fn shows_ir(args: &TraceArgs, located: &Located) -> bool {
    args.ir || located.invocation.program.section.form == ProgramForm::Ir
}

/// Returns the indices of the statements that the options select, in order.
fn select_statements(args: &TraceArgs, trace: &Trace) -> Result<Vec<usize>, Fatal> {
    let all = trace.statements.iter().enumerate();
    if let Some(name) = &args.last_write {
        let mut written = all.filter(|(_, statement)| statement.writes(name));
        let last = written.next_back();
        return Ok(last.map(|(number, _)| number).into_iter().collect());
    }
    if args.first_nan {
        let firsts = trace.list_first_findings();
        let found = firsts.iter().find(|first| first.finding.is_not_finite());
        return Ok(found.map(|first| first.statement).into_iter().collect());
    }
    let is_watched = |statement: &Statement| {
        args.watch.is_empty() || args.watch.iter().any(|name| statement.uses(name))
    };
    let shown = all.filter(|(_, statement)| is_watched(statement));
    Ok(shown.map(|(number, _)| number).collect())
}

/// Traces an invocation in two scenes and prints the first difference. Returns `Failed` if there is
/// one.
fn run_difference(args: &TraceArgs, scenes: [Scene; 2], console: Console) -> Result<Status, Fatal> {
    let [own, other] = scenes.map(|scene| {
        let located = scene.locate(args)?;
        let trace = Trace::run(
            &located.invocation,
            args.max_steps,
            shows_ir(args, &located),
        );
        Ok::<Side, Fatal>(Side {
            scene,
            located,
            trace,
        })
    });
    let sides = [own?, other?];
    let difference = find_difference(&sides[0], &sides[1]);
    if args.json || console.is_json() {
        let value = diff::format_difference_json(&sides, difference);
        console.write_out(format!("{value}\n"))?;
    } else {
        let style = Style {
            bits: args.bits,
            ir: args.ir,
        };
        let text = diff::format_difference(&sides, difference, style);
        console.write_out(replace_control_characters(&text))?;
    }
    Ok(Status::from_failures(usize::from(
        difference != Difference::None,
    )))
}
