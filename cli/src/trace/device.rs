//! Runs of scripts on the device whose results are compared with those of the simulation.

use super::comparison::{Comparison, compare_buffers, compare_capture, compare_colors};
use super::scene::{Expected, Located, Scene};
use glasm_scripts::observation::ObservationMode;
use glasm_scripts::script::{Command, Script};
use glasm_vkrunner::{DeviceChoice, Outcome, RunOptions, Runner, ScriptReport, Validation};
use std::path::Path;

/// Name of a device, and the report of a script that it has run; the error is the reason why there is
/// none.
pub(super) type DeviceRun = Result<(String, ScriptReport), String>;

/// Runs the script on the device up to the traced draw or dispatch, or a script that captures the
/// vertices of the invocation, and compares the results. `run` runs a script that was built from
/// the one in a file, and observes its results.
pub(super) fn compare_with_device(
    scene: &Scene,
    located: &Located,
    run: &mut dyn FnMut(&Path, &Script) -> DeviceRun,
) -> Comparison {
    let ended;
    let script = match &located.expected {
        Expected::Nothing(reason) => return Comparison::None(reason.clone()),
        Expected::Vertices(capture) => &capture.script,
        Expected::Pixel(..) | Expected::Buffers(_) => {
            ended = end_script_after(&scene.script, located.line);
            &ended
        }
    };
    let (device, report) = match run(&scene.path, script) {
        Ok(run) => run,
        Err(reason) => return Comparison::None(reason),
    };
    if let Outcome::Skip(reason) = &report.outcome {
        return Comparison::None(format!("{device} skips the script: {reason}"));
    }
    let (mut attachments, mut buffers, mut vertices) = (Vec::new(), Vec::new(), Vec::new());
    match &located.expected {
        Expected::Nothing(_) => {}
        Expected::Pixel(pixel, colors) => {
            // Devices filter texels of 8 bits with 8 bits.
            let filter_error = if located.invocation.program.ir.textures.is_empty() {
                1e-5
            } else {
                1.0 / 255.0
            };
            attachments = compare_colors(colors, &report.observations, *pixel, filter_error);
        }
        Expected::Buffers(expected) => {
            buffers = compare_buffers(expected, &report.observations);
        }
        Expected::Vertices(capture) => {
            vertices = compare_capture(capture, &report.observations);
        }
    }
    let failure = report.failures.first();
    if attachments.is_empty() && buffers.is_empty() && vertices.is_empty() {
        let reason = failure.map_or("nothing was read", |it| it.message.as_str());
        return Comparison::None(format!("{device}: {reason}"));
    }
    Comparison::Results {
        device,
        attachments,
        buffers,
        vertices,
    }
}

/// Runs a script that was built from the one in a file on the Vulkan device of a name or number, or
/// on the best one.
pub(super) fn run_on_vulkan(device: Option<&str>, path: &Path, script: &Script) -> DeviceRun {
    let options = RunOptions {
        device: device.map_or(DeviceChoice::Best, DeviceChoice::parse),
        validation: Validation::Off,
        observe: ObservationMode::On,
        ..RunOptions::default()
    };
    let runner = Runner::new(&options).map_err(|error| error.to_string())?;
    let report = runner.run_parsed(path, script);
    Ok((runner.device_info().name.clone(), report))
}

/// Returns a script without the commands after a line that change what is compared: draws, clears,
/// dispatches, and writes to buffers. Other commands remain, among them those that a script must
/// have.
fn end_script_after(script: &Script, line: u32) -> Script {
    let mut script = script.clone();
    let steps = &mut script.steps;
    steps.retain(|step| step.line <= line || !is_effect(&step.command));
    script
}

/// Returns true for commands that change the framebuffer or buffers.
fn is_effect(command: &Command) -> bool {
    matches!(
        command,
        Command::Draw(_)
            | Command::Clear(_)
            | Command::Compute { .. }
            | Command::StateProgram { .. }
            | Command::BufferData { .. }
            | Command::BufferFill { .. }
            | Command::BufferSequence { .. }
            | Command::BufferAddresses { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_end_after_the_draw() {
        let text = b"[vertex program passthrough]\n[fragment program]\n!!ARBfp1.0\nEND\n[test]\n\
            draw rect -1 -1 2 2\nprobe all rgba 0 0 0 0\ndraw rect 0 0 1 1\nclear\n";
        let script = Script::parse(text).unwrap();
        let lines = |line| {
            let ended = end_script_after(&script, line);
            ended.steps.iter().map(|step| step.line).collect::<Vec<_>>()
        };
        assert_eq!(lines(8), [6, 7, 8]);
        assert_eq!(lines(6), [6, 7]);
    }
}
