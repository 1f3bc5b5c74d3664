//! Programs of a script: loading them into the driver's assembler.

use super::facts::Facts;
use super::lookups::Lookups;
use super::refusals::refuses_together;
use super::verdicts::error_place;
use super::{Execution, Problem, passthrough};
use crate::error::Error;
use crate::gl::{Gl, LoadError, Program, Target};
use glasm::ProgramType;
use glasm::ir::{Semantic, Stage};
use glasm::reflect::Scalar;
use glasm_scripts::outcome::Failure;
use glasm_scripts::results::Results;
use glasm_scripts::script::{Command, ExpectedError, ProgramForm, ProgramSection, Script, Step};
use std::rc::Rc;

/// The programs that draws and dispatches use, one for a stage.
#[derive(Default)]
pub(super) struct Programs {
    loaded: Vec<Loaded>,
}

/// The program of a stage.
struct Loaded {
    stage: Stage,
    /// `None` for shaders, which are linked into one program.
    program: Option<Program>,
    /// The line of its section, which tells programs apart; 0 of those that no section has.
    line: u32,
    facts: Facts,
}

impl Programs {
    /// The program of a stage, unless OpenGL's fixed functions do its work.
    pub(super) fn get(&self, stage: Stage) -> Option<&Program> {
        self.loaded(stage)?.program.as_ref()
    }

    /// The program of a stage, with the line of its section.
    pub(super) fn with_line(&self, stage: Stage) -> Option<(&Program, u32)> {
        let loaded = self.loaded(stage)?;
        Some((loaded.program.as_ref()?, loaded.line))
    }

    /// What has to be known about the program of a stage.
    pub(super) fn facts(&self, stage: Stage) -> Option<Facts> {
        self.loaded(stage).map(|loaded| loaded.facts.clone())
    }

    /// What the programs of all stages read of textures.
    pub(super) fn lookups(&self) -> impl Iterator<Item = &Lookups> {
        self.loaded.iter().map(|loaded| &loaded.facts.lookups)
    }

    /// Bit n: the fragment program writes color n. Fixed functions write all.
    pub(super) fn written_colors(&self) -> u32 {
        let fragment = self.loaded(Stage::Fragment);
        fragment.map_or(u32::MAX, |fragment| !fragment.facts.untouched_colors)
    }

    /// Whether the fragment program tells integers from floats.
    pub(super) fn writes_integers(&self) -> bool {
        let fragment = self.loaded(Stage::Fragment);
        fragment.is_some_and(|fragment| fragment.facts.is_typed)
    }

    /// The type of integers that the vertex program reads an attribute as; `None` of floats.
    pub(super) fn integer_attribute(&self, location: u32) -> Option<Scalar> {
        self.loaded(Stage::Vertex)?
            .facts
            .integer_attribute(location)
    }

    /// The stages that have a program.
    pub(super) fn stages(&self) -> Vec<Stage> {
        self.loaded.iter().map(|loaded| loaded.stage).collect()
    }

    fn loaded(&self, stage: Stage) -> Option<&Loaded> {
        let mut loaded = self.loaded.iter();
        loaded.find(|loaded| loaded.stage == stage)
    }

    fn set(&mut self, stage: Stage, (program, line): (Program, u32), facts: Facts) {
        self.loaded.retain(|loaded| loaded.stage != stage);
        self.loaded.push(Loaded {
            stage,
            program: Some(program),
            line,
            facts,
        });
    }

    /// What is known of shaders that take the place of all others.
    pub(super) fn set_shaders(&mut self, shaders: impl Iterator<Item = (Stage, Facts)>) {
        self.loaded.clear();
        shaders.for_each(|(stage, facts)| self.set_shader(stage, facts));
    }

    /// What is known of the shader of a stage.
    pub(super) fn set_shader(&mut self, stage: Stage, facts: Facts) {
        self.loaded.push(Loaded {
            stage,
            program: None,
            line: 0,
            facts,
        });
    }
}

/// Whether the driver refuses a program of a script that expects an error; `None` if it expects none. The positions of errors are
/// compared with those of other runs, not here: drivers may count them in their own way.
pub(crate) fn check_expected_errors(gl: &Rc<Gl>, script: &Script) -> Option<Results> {
    let mut steps = script.steps.iter();
    let expected = steps.find(|step| matches!(step.command, Command::ExpectError(_)))?;
    let mut results = Results::default();
    let own = script
        .programs
        .iter()
        .filter(|program| program.form == ProgramForm::Assembly);
    for program in own {
        match load(gl, program) {
            Ok(Ok(_)) => {}
            Ok(Err(_)) => return Some(results),
            Err(error) => {
                results.fail(Some(program.line), error.to_string());
                return Some(results);
            }
        }
    }
    match refuses_together(gl, script) {
        Ok(true) => {}
        Ok(false) => results.fail(Some(expected.line), "the driver accepts the program"),
        Err(message) => results.fail(Some(expected.line), message),
    }
    Some(results)
}

/// Whether programs of the script break a rule that not every driver knows.
fn expects_warnings(script: &Script) -> bool {
    let expects = |step: &Step| matches!(step.command, Command::ExpectWarning(_));
    script.steps.iter().any(expects)
}

/// What OpenGL calls programs of a type.
pub(crate) fn target(program_type: ProgramType) -> Target {
    match program_type {
        ProgramType::Stage(stage) => target_of_stage(stage),
        ProgramType::VertexState => Target::VertexState,
    }
}

fn target_of_stage(stage: Stage) -> Target {
    match stage {
        Stage::Vertex => Target::Vertex,
        Stage::TessControl => Target::TessControl,
        Stage::TessEval => Target::TessEvaluation,
        Stage::Geometry => Target::Geometry,
        Stage::Fragment => Target::Fragment,
        Stage::Compute => Target::Compute,
    }
}

/// Loads a program of the assembler.
pub(super) fn load(
    gl: &Rc<Gl>,
    program: &ProgramSection,
) -> Result<Result<Program, LoadError>, Error> {
    Program::load(gl, target(program.program_type), &program.text)
}

impl Execution<'_> {
    /// Loads the programs that the script starts with.
    pub(super) fn load_programs(&mut self) -> Result<(), Problem> {
        let script = self.script;
        for program in &script.programs {
            match program.form {
                ProgramForm::Assembly => {
                    let loaded = load(&self.gl, program)?;
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
                // Nothing is loaded: OpenGL does the work itself.
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

    /// A stage that passes on what it gets.
    fn load_passthrough(&mut self, stage: Stage) -> Result<(), Problem> {
        let text = match stage {
            Stage::Vertex => passthrough::vertex_program(self.fragment_inputs().as_deref()),
            Stage::Fragment => passthrough::FRAGMENT_PROGRAM.to_owned(),
            // Without the program primitives and patches pass on as they are.
            Stage::Geometry | Stage::TessControl => return Ok(()),
            Stage::TessEval | Stage::Compute => {
                let reason = format!("OpenGL passes nothing through the {} stage", stage.name());
                return Err(Problem::Lacking(reason));
            }
        };
        let loaded = Program::load(&self.gl, target_of_stage(stage), text.as_bytes())?;
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

    /// What the fragment program reads, if the script has one.
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

    /// `load`: another program takes the place of the stage's, or is refused.
    pub(super) fn load_spare(
        &mut self,
        spare: usize,
        expected: Option<&ExpectedError>,
    ) -> Result<(), Problem> {
        let program = &self.script.spares[spare].program;
        match (load(&self.gl, program)?, expected) {
            (Ok(loaded), None) => {
                let facts = self.facts_of(program);
                let line = program.line;
                self.programs.set(program.stage, (loaded, line), facts);
                self.upload_locals(program.stage)?;
                self.upload_named(program.stage)?;
            }
            (Err(_), Some(_)) => {}
            (Ok(_), Some(expected)) => {
                let code = expected.code.id();
                return Err(
                    format!("expected error {code}, but the driver accepts the program").into(),
                );
            }
            (Err(error), None) => return Err(refused(self.script, program, &error)),
        }
        Ok(())
    }
}

/// The failure for a program that the driver does not take, at the line of the script where the driver finds the error.
pub(super) fn refused(script: &Script, program: &ProgramSection, error: &LoadError) -> Problem {
    let stage = program.stage.name();
    let byte = error_place(error, &program.text);
    let at = byte.map_or(String::new(), |byte| format!(" at byte {byte}"));
    let message = error.message.trim_end();
    let place = byte
        .filter(|byte| *byte < program.text.len())
        .and_then(|byte| script.position(program, byte));
    let number = |number: usize| u32::try_from(number).ok();
    Problem::Program(Failure {
        line: place
            .and_then(|place| number(place.line))
            .or(Some(program.line)),
        column: place.and_then(|place| number(place.column)),
        message: format!("the driver refuses the {stage} program{at}: {message}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_stand_at_lines_of_the_script() {
        let text = b"# note\n\n[fragment program]\n!!ARBfp1.0\nMOV r, q;\nEND\n";
        let script = Script::parse(text).unwrap();
        let failure = |position: i32, message: &str| {
            let error = LoadError {
                position,
                message: message.to_owned(),
                error: 0,
            };
            let problem = refused(&script, &script.programs[0], &error);
            let Problem::Program(failure) = problem else {
                panic!("{problem:?}")
            };
            failure
        };
        let found = failure(18, "no q\n");
        assert_eq!((found.line, found.column), (Some(5), Some(8)));
        assert_eq!(
            found.message,
            "the driver refuses the fragment program at byte 18: no q"
        );
        // What drivers say of the whole program is said of its section.
        let whole = failure(25, "no END");
        assert_eq!((whole.line, whole.column), (Some(3), None));
        let unknown = failure(-1, "no reason");
        assert_eq!((unknown.line, unknown.column), (Some(3), None));
        assert_eq!(
            unknown.message,
            "the driver refuses the fragment program: no reason"
        );
        // The places of Mesa's parser count.
        let mesa = failure(3, "line 2, char 5: error: no r");
        assert_eq!((mesa.line, mesa.column), (Some(5), Some(5)));
    }
}
