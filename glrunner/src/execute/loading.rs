//! Loads the programs of a script into the driver's assembler.

use super::assembler::{load, refused, target_of_stage};
use super::facts::Facts;
use super::passthrough;
use super::programs::{Programs, StatePrograms};
use crate::error::Problem;
use crate::gl::{Gl, Program};
use glasm::ProgramType;
use glasm::ir::{Semantic, Stage};
use glasm_scripts::script::{Command, ExpectedError, ProgramForm, ProgramSection, Script, Step};
use std::rc::Rc;

/// Returns true if programs of the script violate a rule that not every driver enforces.
fn expects_warnings(script: &Script) -> bool {
    let expects = |step: &Step| matches!(step.command, Command::ExpectWarning(_));
    script.steps.iter().any(expects)
}

/// Loads programs of a script into the driver.
pub(super) struct ProgramLoader<'a> {
    pub(super) gl: &'a Rc<Gl>,
    pub(super) script: &'a Script,
    pub(super) programs: &'a mut Programs,
    pub(super) state_programs: &'a mut StatePrograms,
}

impl ProgramLoader<'_> {
    /// Loads the programs that the script starts with.
    pub(super) fn load_programs(&mut self) -> Result<(), Problem> {
        let script = self.script;
        for program in &script.programs {
            match program.form {
                ProgramForm::Assembly => {
                    let loaded = load(self.gl, program)?;
                    let loaded = match loaded {
                        Err(_) if expects_warnings(script) => {
                            let reason = "the driver refuses what glasm takes with a warning";
                            return Err(Problem::Lacking(reason.to_owned()));
                        }
                        loaded => loaded.map_err(|error| refused(script, program, &error))?,
                    };
                    match program.program_type {
                        ProgramType::VertexState => self.state_programs.set(None, loaded),
                        ProgramType::Stage(stage) => {
                            let facts = self.facts_of(program);
                            self.programs.set(stage, (loaded, program.line), facts);
                        }
                    }
                }
                ProgramForm::PassThrough => self.load_passthrough(program.stage)?,
                // No program is loaded: OpenGL uses its fixed functions.
                ProgramForm::FixedFunction => {}
                ProgramForm::Ir
                | ProgramForm::Glsl
                | ProgramForm::SpirvText
                | ProgramForm::SpirvWords => {
                    return Err(Problem::Lacking("only Vulkan runs the program".to_owned()));
                }
            }
        }
        Ok(())
    }

    /// Loads a stage that forwards its inputs.
    fn load_passthrough(&mut self, stage: Stage) -> Result<(), Problem> {
        let text = match stage {
            Stage::Vertex => passthrough::vertex_program(self.fragment_inputs().as_deref()),
            Stage::Fragment => passthrough::FRAGMENT_PROGRAM.to_owned(),
            // Without the program, primitives and patches pass through unchanged.
            Stage::Geometry | Stage::TessControl => return Ok(()),
            Stage::TessEval | Stage::Compute => {
                let reason = format!("OpenGL passes nothing through the {} stage", stage.name());
                return Err(Problem::Lacking(reason));
            }
        };
        let loaded = Program::load(self.gl, target_of_stage(stage), text.as_bytes())?;
        let loaded = loaded
            .map_err(|error| format!("the program that passes on is refused: {}", error.message))?;
        self.programs.set(stage, (loaded, 0), Facts::default());
        Ok(())
    }

    fn facts_of(&self, program: &ProgramSection) -> Facts {
        let colors = self.script.requirements.attachments.colors.iter().zip(0..);
        let drawn = colors.filter(|(color, _)| color.is_some());
        let drawn = drawn.fold(0, |bits, (_, number)| bits | 1 << number);
        Facts::of(program.stage, &program.text, drawn)
    }

    /// Returns the inputs of the fragment program, if the script has one.
    fn fragment_inputs(&self) -> Option<Vec<Semantic>> {
        let mut programs = self.script.programs.iter();
        let program = programs.find(|program| {
            (program.stage, program.form) == (Stage::Fragment, ProgramForm::Assembly)
        })?;
        let source = glasm::Source::new("fragment", &program.text);
        let shader = glasm::compile(&source, &glasm::Options::default()).ok()?;
        let inputs = shader.reflection.inputs.iter();
        Some(inputs.map(|input| input.semantic).collect())
    }

    /// Executes `load`: replaces the program of a stage by a reloadable one, or checks that it is
    /// rejected. Returns the stage whose program was replaced.
    pub(super) fn load_spare(
        &mut self,
        spare: usize,
        expected: Option<&ExpectedError>,
    ) -> Result<Option<Stage>, Problem> {
        let script = self.script;
        let program = &script.spares[spare].program;
        match (load(self.gl, program)?, expected) {
            (Ok(loaded), None) => {
                let facts = self.facts_of(program);
                self.programs
                    .set(program.stage, (loaded, program.line), facts);
                Ok(Some(program.stage))
            }
            (Err(_), Some(_)) => Ok(None),
            (Ok(_), Some(expected)) => {
                let code = expected.code.id();
                Err(format!("expected error {code}, but the driver accepts the program").into())
            }
            (Err(error), None) => Err(refused(script, program, &error)),
        }
    }
}
