//! The stages of a script: missing stages are added or rejected.

use super::command::{Command, Draw, GlOutcome, Step};
use super::origin::Origin;
pub use super::pipeline_state::{EntryPoints, MAIN, ProvokingVertex};
use super::requirements::{Convention, Requirements};
use super::section::{ProgramForm, ProgramSection, STATE_PROGRAM};
use super::words::ScriptError;
use ash::vk::PrimitiveTopology;
use glasm::ProgramType;
use glasm::ir::Stage;

/// Adds the stages that draws need and the script omits; rejects invalid combinations.
pub(super) fn complete(
    programs: &mut Vec<ProgramSection>,
    steps: &[Step],
    requirements: &Requirements,
) -> Result<(), ScriptError> {
    let find = |programs: &[ProgramSection], stage| {
        programs
            .iter()
            .find(|program| program.stage == stage)
            .map(|program| program.line)
    };
    let control = find(programs, Stage::TessControl);
    let evaluation = find(programs, Stage::TessEval);
    // ARB_tessellation_shader forwards the patch unchanged if there is no control shader; pipelines
    // of Vulkan have both stages or none.
    if let (None, Some(line)) = (control, evaluation) {
        programs.push(implied(Stage::TessControl, ProgramForm::PassThrough, line));
    }
    for step in steps {
        if let Some(message) = missing(programs, &step.command, requirements) {
            return Err(ScriptError::new(step.line, 1, message));
        }
    }
    let first_draw = steps
        .iter()
        .find(|step| matches!(step.command, Command::Draw(_)));
    if let (Some(step), Convention::OpenGl) = (first_draw, requirements.convention) {
        for stage in [Stage::Vertex, Stage::Fragment] {
            if find(programs, stage).is_none() {
                programs.push(implied(stage, ProgramForm::FixedFunction, step.line));
            }
        }
    }
    Ok(())
}

fn implied(stage: Stage, form: ProgramForm, line: u32) -> ProgramSection {
    ProgramSection {
        program_type: ProgramType::Stage(stage),
        stage,
        form,
        text: Vec::new(),
        line,
        origin: Origin::default(),
    }
}

/// Returns the reason why a command lacks a stage.
fn missing(
    programs: &[ProgramSection],
    command: &Command,
    requirements: &Requirements,
) -> Option<String> {
    let has = |stage| programs.iter().any(|program| program.stage == stage);
    let fixed_function = requirements.convention == Convention::OpenGl;
    if let Command::Compute { .. } = command {
        return (!has(Stage::Compute)).then(|| "there is no compute program".to_owned());
    }
    if let Command::StateProgram { spare: None, .. } = command {
        return (!has(Stage::Compute)).then(|| format!("there is no section `[{STATE_PROGRAM}]`"));
    }
    let Command::Draw(draw) = command else {
        return None;
    };
    let patches = draw.topology == PrimitiveTopology::PATCH_LIST;
    let is_accepted = draw.outcome == GlOutcome::Accepted;
    // A geometry program receives whole patches if there is no tessellation.
    let takes_patches = [Stage::TessControl, Stage::TessEval, Stage::Geometry];
    if !is_accepted {
        None
    } else if !has(Stage::Vertex) && !fixed_function {
        Some("there is no vertex program".to_owned())
    } else if !has(Stage::Fragment) && !fixed_function && shows_color(draw, requirements) {
        Some("there is no fragment program".to_owned())
    } else if patches && !takes_patches.into_iter().any(has) {
        Some("patches need a tessellation or geometry program".to_owned())
    } else if !patches && has(Stage::TessEval) {
        Some("the tess eval program needs patches".to_owned())
    } else if !patches && has(Stage::TessControl) {
        Some("the tess control program needs patches".to_owned())
    } else {
        None
    }
}

/// Returns true if a draw needs a fragment program: draws that only write depth, or nothing, do
/// not.
fn shows_color(draw: &Draw, requirements: &Requirements) -> bool {
    !draw.state.rasterizer_discard && requirements.attachments.depth.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    fn complete(text: &str) -> Result<Vec<(Stage, ProgramForm)>, (u32, String)> {
        let mut script = Script::parse(text.as_bytes()).unwrap();
        match script.complete_stages() {
            Ok(()) => Ok(script
                .programs
                .iter()
                .map(|program| (program.stage, program.form))
                .collect()),
            Err(error) => Err((error.line, error.message)),
        }
    }

    #[test]
    fn opengl_fills_the_gaps() {
        assert_eq!(
            complete("[require]\nGL >= 1.3\n[test]\ndraw rect 0 0 1 1\n"),
            Ok(vec![
                (Stage::Vertex, ProgramForm::FixedFunction),
                (Stage::Fragment, ProgramForm::FixedFunction)
            ])
        );
        // Without draws, no stage is missing.
        assert_eq!(
            complete("[require]\nGL >= 1.3\n[test]\nclear\n"),
            Ok(vec![])
        );
    }

    #[test]
    fn patches_without_control_get_one() {
        let text = "[vertex shader passthrough]\n[tess eval shader]\n[fragment shader]\n[test]\ndraw rect patch 0 0 1 1\n";
        let programs = complete(text).unwrap();
        assert!(programs.contains(&(Stage::TessControl, ProgramForm::PassThrough)));
    }

    #[test]
    fn missing_stages_are_named_at_the_command() {
        let vertex = "[vertex shader passthrough]\n";
        let both = "[vertex shader passthrough]\n[fragment shader passthrough]\n";
        for (programs, command, message) in [
            ("", "draw rect 0 0 1 1", "there is no vertex program"),
            (vertex, "draw rect 0 0 1 1", "there is no fragment program"),
            (
                both,
                "draw rect patch 0 0 1 1",
                "patches need a tessellation or geometry program",
            ),
            (both, "compute 1 1 1", "there is no compute program"),
            (
                both,
                "state program (0, 0, 0, 0)",
                "there is no section `[vertex state program]`",
            ),
        ] {
            let line = programs.lines().count() as u32 + 2;
            assert_eq!(
                complete(&format!("{programs}[test]\n{command}\n")),
                Err((line, message.to_owned()))
            );
        }
        let tessellated = "[vertex shader passthrough]\n[tess eval shader]\n[fragment shader]\n[test]\ndraw rect 0 0 1 1\n";
        assert_eq!(
            complete(tessellated).unwrap_err().1,
            "the tess eval program needs patches"
        );
        // A draw that is expected to fail may have any mode.
        assert!(complete(&tessellated.replace("0 0 1 1", "0 0 1 1 fails")).is_ok());
    }

    #[test]
    fn draws_without_color_need_no_fragment_program() {
        let vertex = "[vertex shader passthrough]\n";
        let discard = "[test]\nrasterizerDiscardEnable true\ndraw rect 0 0 1 1\n";
        assert!(complete(&format!("{vertex}{discard}")).is_ok());
        let depth = "[require]\ndepthbuffer\n";
        assert!(complete(&format!("{depth}{vertex}[test]\ndraw rect 0 0 1 1\n")).is_ok());
    }
}
