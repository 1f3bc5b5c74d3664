//! The stages of a script: missing stages are added or rejected. The list of its programs for users
//! that do not run it.

use super::command::{Command, Draw, GlOutcome, ScriptStep};
use super::model::{Convention, Requirements, Script};
use super::section::{
    ProgramForm, ProgramSection, STATE_PROGRAM, SectionKind, is_blank_or_comment, split_sections,
};
use super::source_map::SourceMap;
use super::tokenizer::ScriptError;
use ash::vk::PrimitiveTopology;
use glasm::ProgramType;
use glasm::ir::Stage;
use std::fmt;
use std::ops::Range;

pub use super::pipeline_state::{DEFAULT_ENTRY_POINT, EntryPoints, ProvokingVertex};

/// Adds the stages that draws need and the script omits: a pass-through tessellation control stage
/// for an evaluation program, and in scripts with GL's convention fixed-function vertex and
/// fragment stages. Returns an error at the first command that lacks a stage otherwise, or whose
/// primitives do not match the stages.
pub(super) fn add_missing_stages(
    programs: &mut Vec<ProgramSection>,
    steps: &[ScriptStep],
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
    // ARB_tessellation_shader forwards the patch unchanged without a control shader; pipelines of
    // Vulkan have both stages or none.
    if let (None, Some(line)) = (control, evaluation) {
        programs.push(implied_section(
            Stage::TessControl,
            ProgramForm::PassThrough,
            line,
        ));
    }
    for step in steps {
        if let Some(message) = find_missing_stage(programs, &step.command, requirements) {
            return Err(ScriptError::new(step.line, 1, message));
        }
    }
    let first_draw = steps
        .iter()
        .find(|step| matches!(step.command, Command::Draw(_)));
    if let (Some(step), Convention::OpenGl) = (first_draw, requirements.convention) {
        for stage in [Stage::Vertex, Stage::Fragment] {
            if find(programs, stage).is_none() {
                programs.push(implied_section(
                    stage,
                    ProgramForm::FixedFunction,
                    step.line,
                ));
            }
        }
    }
    Ok(())
}

/// Creates a section without source for a stage that the script lacks; `line` is that of the
/// section or command that requires the stage.
fn implied_section(stage: Stage, form: ProgramForm, line: u32) -> ProgramSection {
    ProgramSection {
        program_type: ProgramType::Stage(stage),
        stage,
        form,
        text: Vec::new(),
        line,
        source_map: SourceMap::default(),
    }
}

/// Returns the reason why a command lacks a stage, or why its primitives do not match the stages;
/// `None` if it can be executed, for draws that GL is expected to reject, and for other commands.
fn find_missing_stage(
    programs: &[ProgramSection],
    command: &Command,
    requirements: &Requirements,
) -> Option<String> {
    let has = |stage| programs.iter().any(|program| program.stage == stage);
    let fixed_function = requirements.convention == Convention::OpenGl;
    if let Command::Compute { .. } = command {
        return (!has(Stage::Compute)).then(|| "there is no compute program".to_owned());
    }
    if let Command::StateProgram {
        alternate: None, ..
    } = command
    {
        return (!has(Stage::Compute)).then(|| format!("there is no section `[{STATE_PROGRAM}]`"));
    }
    let Command::Draw(draw) = command else {
        return None;
    };
    let patches = draw.topology == PrimitiveTopology::PATCH_LIST;
    let is_accepted = draw.outcome == GlOutcome::Accepted;
    // A geometry program receives whole patches without tessellation.
    let takes_patches = [Stage::TessControl, Stage::TessEval, Stage::Geometry];
    if !is_accepted {
        None
    } else if !has(Stage::Vertex) && !fixed_function {
        Some("there is no vertex program".to_owned())
    } else if !has(Stage::Fragment) && !fixed_function && writes_color(draw, requirements) {
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

/// Returns true if a draw needs a fragment program: it rasterizes, and there is no depth or stencil
/// buffer that it could write alone.
fn writes_color(draw: &Draw, requirements: &Requirements) -> bool {
    !draw.state.rasterizer_discard && requirements.attachments.depth.is_none()
}

/// Label that distinguishes an assembly program from the others of its script. Displays as part of
/// a file name: `fragment`, or `fragment.red` for the program that `load fragment red` loads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ProgramLabel {
    /// Type that the program must have.
    pub program_type: ProgramType,
    /// Name by which commands load it.
    pub name: Option<String>,
}

impl fmt::Display for ProgramLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.program_type.identifier();
        match &self.name {
            Some(name) => write!(f, "{word}.{name}"),
            None => f.write_str(word),
        }
    }
}

/// Returns true if a source is a script: its first line that is neither empty nor a comment is the
/// header of a section. No program begins with one.
pub fn is_script(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n');
    let first = lines.find(|line| !is_blank_or_comment(line));
    first.is_some_and(|line| line.starts_with(b"["))
}

/// Returns the program types and the bytes of the assembly programs of a script, in its order, those
/// that commands load by name included. Sections with repeated lines are left out: their programs
/// have other bytes. The script is not validated.
pub fn find_assembly_programs(text: &[u8]) -> Vec<(ProgramType, Range<usize>)> {
    let sections = split_sections(text, &mut Vec::new()).into_iter();
    let programs = sections.filter_map(|section| {
        let program_type = find_assembly_type(&section.kind)?;
        let is_repeated = matches!(section.kind, SectionKind::RepeatedProgram(_));
        let range = section.start..section.start + section.body.len();
        (!is_repeated).then_some((program_type, range))
    });
    programs.collect()
}

/// Returns the labels of the assembly programs of a script, in its order. The script is not
/// validated: only its section headers are parsed, and errors in them are ignored.
pub fn program_labels(text: &[u8]) -> Vec<ProgramLabel> {
    let sections = split_sections(text, &mut Vec::new()).into_iter();
    let labels = sections.filter_map(|section| {
        let program_type = find_assembly_type(&section.kind)?;
        let is_alternate = matches!(section.kind, SectionKind::AlternateProgram(_));
        let name = is_alternate.then(|| section.name.to_owned());
        Some(ProgramLabel { program_type, name })
    });
    labels.collect()
}

/// Returns the program type of a section with an assembly program; `None` for other sections.
fn find_assembly_type(kind: &SectionKind) -> Option<ProgramType> {
    match *kind {
        SectionKind::Program(program_type, ProgramForm::Assembly)
        | SectionKind::RepeatedProgram(program_type)
        | SectionKind::AlternateProgram(program_type) => Some(program_type),
        SectionKind::Program(
            _,
            ProgramForm::Ir
            | ProgramForm::Glsl
            | ProgramForm::SpirvText
            | ProgramForm::SpirvWords
            | ProgramForm::PassThrough
            | ProgramForm::FixedFunction,
        )
        | SectionKind::Comment
        | SectionKind::Require
        | SectionKind::VertexData
        | SectionKind::Indices
        | SectionKind::Test => None,
    }
}

impl Script {
    /// Returns the assembly programs with their labels, sorted by line, those that commands load
    /// among them.
    pub fn assembly_sections(&self) -> Vec<(ProgramLabel, &ProgramSection)> {
        let own = self.programs.iter().map(|section| (None, section));
        let alternates = self.alternates.iter();
        let alternates =
            alternates.map(|alternate| (Some(alternate.name.clone()), &alternate.program));
        let all = own.chain(alternates);
        let all = all.filter(|(_, section)| section.form == ProgramForm::Assembly);
        let labeled = all.map(|(name, section)| {
            let program_type = section.program_type;
            (ProgramLabel { program_type, name }, section)
        });
        let mut list: Vec<_> = labeled.collect();
        list.sort_by_key(|(_, section)| section.line);
        list
    }
}

/// Returns the ids on all `# covers:` lines of a script, which may be anywhere in it, also in
/// programs.
pub fn read_covers(text: &[u8]) -> Vec<String> {
    let mut ids = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let Some(comment) = line.trim_ascii_start().strip_prefix(b"#") else {
            continue;
        };
        if let Some(list) = comment.trim_ascii_start().strip_prefix(b"covers:") {
            ids.extend(
                String::from_utf8_lossy(list)
                    .split_ascii_whitespace()
                    .map(str::to_owned),
            );
        }
    }
    ids
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
    fn assembly_programs_are_found() {
        let text = "[vertex program]\nA\n[fragment shader]\nB\n[fragment program x]\nC\n[vertex program repeated]\nD\n";
        let found = find_assembly_programs(text.as_bytes());
        let found: Vec<_> = (found.into_iter())
            .map(|(program_type, range)| (program_type.stage(), &text[range]))
            .collect();
        let expected = [(Stage::Vertex, "A\n"), (Stage::Fragment, "C\n")];
        assert_eq!(found, expected);
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

    const TEXT: &str = "# note\n\n[fragment program red]\nr\n[vertex program repeated]\nv\n[geometry shader passthrough]\n\
                        [fragment program]\nf\n[test]\nload fragment red\n";

    #[test]
    fn assembly_programs_are_found_in_their_order() {
        let labels: Vec<String> = program_labels(TEXT.as_bytes())
            .iter()
            .map(ProgramLabel::to_string)
            .collect();
        assert_eq!(labels, ["fragment.red", "vertex", "fragment"]);
        let script = Script::parse(TEXT.as_bytes()).unwrap();
        let sections = script.assembly_sections();
        let of_script: Vec<String> = sections
            .iter()
            .map(|(label, _)| label.to_string())
            .collect();
        assert_eq!(of_script, labels);
        assert_eq!(sections[0].1.text, b"r\n");
    }

    #[test]
    fn scripts_are_known_by_their_first_header() {
        for text in ["[test]\n", "# c\n\n  # d\n[require]\n", TEXT] {
            assert!(is_script(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "#[test]\n",
            "!!NVvp5.0\n[test]\n",
            "# c\n!!ARBvp1.0\nEND\n",
        ] {
            assert!(!is_script(text.as_bytes()), "{text}");
        }
    }
}
