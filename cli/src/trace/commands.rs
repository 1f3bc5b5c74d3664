//! Traces that `trace` commands of a script request, for `glasm run`.

use super::device::DeviceRun;
use super::format::{Style, format_report};
use super::scene::{Report, Scene};
use super::{compare_result, json};
use crate::batch::catch_panic;
use glasm_scene::trace::Trace;
use glasm_scripts::results::read_script;
use glasm_scripts::script::{Command, Script};
use glasm_scripts::software::FragmentSelection;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// First word of the command.
const COMMAND: &[u8] = b"trace";

/// Commands of a script that are traced at most.
const MAX_TRACES: usize = 64;

/// Statements of a trace at most.
const MAX_STATEMENTS: usize = 1000;

/// Steps of an invocation at most.
const MAX_STEPS: u64 = 100_000;

/// Trace of the fragment that a command requests.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct CommandTrace {
    /// Line of the command.
    pub(crate) line: u32,
    /// X and y of the pixel.
    pub(crate) pixel: [u32; 2],
    /// Lines that `glasm trace` prints, or the reason for a missing trace.
    pub(crate) text: Vec<String>,
    /// JSON form of the trace; null if there is none.
    pub(crate) trace: Value,
}

/// Traces the fragments that the commands of a script request. `run` runs a script that
/// was built from the one in a file on the device whose results are compared, and observes them.
pub(crate) fn trace_commands(
    path: &Path,
    run: &mut dyn FnMut(&Path, &Script) -> DeviceRun,
) -> Vec<CommandTrace> {
    let Ok(text) = read_script(path) else {
        return Vec::new();
    };
    // Most scripts trace nothing, and need not be parsed again.
    if !text.windows(COMMAND.len()).any(|word| word == COMMAND) {
        return Vec::new();
    }
    let Ok(script) = Script::parse_runnable(&text) else {
        return Vec::new();
    };
    let steps = script.steps.iter().filter_map(|step| {
        if let Command::TracePixel { pixel } = step.command {
            Some((step.line, pixel))
        } else {
            None
        }
    });
    let selected: Vec<(u32, [u32; 2])> = steps.collect();
    let scene = Scene::from_script(path, script);
    let mut traces = Vec::with_capacity(selected.len().min(MAX_TRACES));
    for (number, (line, pixel)) in selected.into_iter().enumerate() {
        let result = if number < MAX_TRACES {
            trace_pixel(&scene, line, pixel, run)
        } else {
            Err(format!("only {MAX_TRACES} commands of a script are traced"))
        };
        let (text, trace) = result.unwrap_or_else(|reason| {
            let [x, y] = pixel;
            let reason = format!("line {line}: trace pixel {x} {y}: {reason}");
            (reason, Value::Null)
        });
        traces.push(CommandTrace {
            line,
            pixel,
            text: text.lines().map(str::to_owned).collect(),
            trace,
        });
    }
    traces
}

/// Returns the trace of the fragment that determines the color of a pixel before a line, as text and
/// as JSON.
///
/// # Errors
/// If no draw before the line covers the pixel, or it cannot be simulated.
fn trace_pixel(
    scene: &Scene,
    line: u32,
    pixel: [u32; 2],
    run: &mut dyn FnMut(&Path, &Script) -> DeviceRun,
) -> Result<(String, Value), String> {
    let selection = FragmentSelection {
        pixel,
        line: None,
        end_line: Some(line),
        step_limit: MAX_STEPS,
    };
    catch_panic(|| {
        let located = scene.locate_pixel(&selection)?;
        let trace = Trace::run(&located.invocation, MAX_STEPS, false);
        let count = trace.statements.len();
        let report = Report {
            comparison: compare_result(scene, &located, &trace, run),
            omitted: count.saturating_sub(MAX_STATEMENTS),
            shown: (0..count.min(MAX_STATEMENTS)).collect(),
            scene,
            located: &located,
            trace: &trace,
        };
        let style = Style {
            bits: false,
            ir: false,
        };
        let text = format_report(&report, style);
        Ok((text, json::format_report(&report, false)))
    })?
}
