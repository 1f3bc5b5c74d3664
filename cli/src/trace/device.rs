//! Runs of scripts on the device whose results are compared with those of the simulation.

use super::comparison::{Comparison, compare_buffers, compare_colors};
use super::scene::{Expected, Located, Scene};
use crate::args::TraceArgs;
use glasm_scripts::observation::ObservationMode;
use glasm_scripts::script::{Command, Script};
use glasm_vkrunner::{DeviceChoice, Outcome, RunOptions, Runner, ScriptReport, Validation};
use std::path::PathBuf;

/// Runs the script on the device up to the traced draw or dispatch, and compares the color of the
/// pixel, or the buffers.
pub(super) fn compare_with_device(
    scene: &Scene,
    located: &Located,
    args: &TraceArgs,
) -> Comparison {
    if args.no_device {
        return Comparison::None("not requested".to_owned());
    }
    if let Expected::Nothing(reason) = &located.expected {
        return Comparison::None(reason.clone());
    }
    let (device, report) = match run_script(scene, located.line, args) {
        Ok(run) => run,
        Err(reason) => return Comparison::None(reason),
    };
    let (mut attachments, mut buffers) = (Vec::new(), Vec::new());
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
    }
    if attachments.is_empty() && buffers.is_empty() {
        let failure = report.failures.first();
        let reason = failure.map_or("nothing was read", |it| it.message.as_str());
        return Comparison::None(format!("{device}: {reason}"));
    }
    Comparison::Results {
        device,
        attachments,
        buffers,
    }
}

/// File that is removed when it is dropped.
struct TemporaryScript(PathBuf);

impl Drop for TemporaryScript {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Returns the name of the device and the report of the script, which ends after the command at a
/// line. The error is the reason why there is none.
fn run_script(
    scene: &Scene,
    line: u32,
    args: &TraceArgs,
) -> Result<(String, ScriptReport), String> {
    let name = format!("glasm-trace-{}.shader_test", std::process::id());
    let file = TemporaryScript(std::env::temp_dir().join(name));
    let text = end_script_after(&scene.script, line);
    std::fs::write(&file.0, text).map_err(|error| format!("{}: {error}", file.0.display()))?;
    let device = args.device.as_deref();
    let options = RunOptions {
        device: device.map_or(DeviceChoice::Best, DeviceChoice::parse),
        validation: Validation::Off,
        observe: ObservationMode::On,
        ..RunOptions::default()
    };
    let runner = Runner::new(&options).map_err(|error| error.to_string())?;
    let report = runner.run_file(&file.0);
    let device = runner.device_info().name.clone();
    if let Outcome::Skip(reason) = report.outcome {
        return Err(format!("{device} skips the script: {reason}"));
    }
    Ok((device, report))
}

/// Returns the text of a script without the commands after a line that change what is compared:
/// draws, clears, dispatches, and writes to buffers. Other commands remain, among them those that a
/// script must have.
fn end_script_after(script: &Script, line: u32) -> Vec<u8> {
    let is_removed = |own: u32| {
        let mut steps = script.steps.iter().filter(|step| step.line == own);
        own > line && steps.any(|step| is_effect(&step.command))
    };
    let lines = script.text.split_inclusive(|byte| *byte == b'\n');
    let mut text = Vec::with_capacity(script.text.len());
    let mut continues = false;
    for (own, content) in (1..).zip(lines) {
        if continues || is_removed(own) {
            continues = content.trim_ascii_end().ends_with(b"\\");
            text.push(b'\n');
        } else {
            text.extend_from_slice(content);
        }
    }
    text
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
        let ended = end_script_after(&script, 8);
        let ended = String::from_utf8(ended).unwrap();
        assert!(
            ended.ends_with("probe all rgba 0 0 0 0\ndraw rect 0 0 1 1\n\n"),
            "{ended}"
        );
        let first = String::from_utf8(end_script_after(&script, 6)).unwrap();
        assert!(
            first.ends_with("draw rect -1 -1 2 2\nprobe all rgba 0 0 0 0\n\n\n"),
            "{first}"
        );
    }
}
