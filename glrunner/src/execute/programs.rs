//! The programs of a script: loads them into the driver's assembler, with generated ones that
//! forward their inputs.

use super::assembler::{err_rejected, load_section, target_for_stage};
use super::gl_features::require_extension;
use super::program_info::ProgramInfo;
use super::program_info::TextureUsage;
use crate::error::Problem;
use crate::gl::{self, Gl, Program};
use glasm::ProgramType;
use glasm::ir::{Semantic, Stage};
use glasm::reflect::ScalarType;
use glasm_scripts::params::resource_count;
use glasm_scripts::script::{
    Command, CountKind, ExpectedError, ProgramForm, ProgramSection, ProgramState, Script,
    ScriptStep,
};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

/// Programs that draws and dispatches use, one for a stage.
#[derive(Default)]
pub(super) struct Programs {
    loaded: Vec<LoadedProgram>,
}

/// Program of a stage.
struct LoadedProgram {
    stage: Stage,
    /// `None` for shaders, which are linked into one program.
    program: Option<Program>,
    /// Line of its section, which distinguishes programs; 0 for programs without section.
    line: u32,
    info: ProgramInfo,
}

impl Programs {
    /// Returns the assembly program of a stage; `None` if shaders or OpenGL's fixed functions do
    /// its work.
    pub(super) fn get(&self, stage: Stage) -> Option<&Program> {
        self.find_loaded(stage)?.program.as_ref()
    }

    /// Returns the assembly program of a stage, with the line of its section; `None` if shaders or
    /// OpenGL's fixed functions do its work.
    pub(super) fn get_with_line(&self, stage: Stage) -> Option<(&Program, u32)> {
        let loaded = self.find_loaded(stage)?;
        Some((loaded.program.as_ref()?, loaded.line))
    }

    /// Returns the properties of the program of a stage; `None` if the stage has none.
    pub(super) fn info(&self, stage: Stage) -> Option<ProgramInfo> {
        self.find_loaded(stage).map(|loaded| loaded.info.clone())
    }

    /// Returns the texture lookups of the programs of all stages.
    pub(super) fn texture_usage(&self) -> impl Iterator<Item = &TextureUsage> {
        self.loaded.iter().map(|loaded| &loaded.info.texture_usage)
    }

    /// Returns the colors that the fragment program writes; bit n is color n. All bits without a
    /// program: fixed functions write all.
    pub(super) fn written_colors(&self) -> u32 {
        let fragment = self.find_loaded(Stage::Fragment);
        fragment.map_or(u32::MAX, |fragment| !fragment.info.unwritten_colors)
    }

    /// Returns true if the fragment program distinguishes integers from floats.
    pub(super) fn writes_integers(&self) -> bool {
        let fragment = self.find_loaded(Stage::Fragment);
        fragment.is_some_and(|fragment| fragment.info.has_typed_data)
    }

    /// Returns the type of integers that the vertex program reads an attribute as; `None` if it
    /// reads floats or there is no program.
    pub(super) fn integer_attribute(&self, location: u32) -> Option<ScalarType> {
        self.find_loaded(Stage::Vertex)?
            .info
            .integer_attribute(location)
    }

    /// Returns the stages that have a program.
    pub(super) fn stages(&self) -> Vec<Stage> {
        self.loaded.iter().map(|loaded| loaded.stage).collect()
    }

    /// Returns the loaded program of a stage, if there is one.
    fn find_loaded(&self, stage: Stage) -> Option<&LoadedProgram> {
        let mut loaded = self.loaded.iter();
        loaded.find(|loaded| loaded.stage == stage)
    }

    /// Sets the program of a stage, which replaces another one; `line` is that of its section in
    /// the script.
    pub(super) fn set_program(
        &mut self,
        stage: Stage,
        (program, line): (Program, u32),
        facts: ProgramInfo,
    ) {
        self.loaded.retain(|loaded| loaded.stage != stage);
        self.loaded.push(LoadedProgram {
            stage,
            program: Some(program),
            line,
            info: facts,
        });
    }

    /// Replaces all programs by the properties of GLSL shaders.
    pub(super) fn set_shaders(&mut self, shaders: impl Iterator<Item = (Stage, ProgramInfo)>) {
        self.loaded.clear();
        shaders.for_each(|(stage, facts)| self.set_shader(stage, facts));
    }

    /// Adds the properties of a GLSL shader as the program of a stage, which must not have one yet.
    pub(super) fn set_shader(&mut self, stage: Stage, facts: ProgramInfo) {
        self.loaded.push(LoadedProgram {
            stage,
            program: None,
            line: 0,
            info: facts,
        });
    }
}

/// Loaded state programs: that of the script without a name, and alternate programs, which remain
/// loaded after their execution.
#[derive(Default)]
pub(super) struct StatePrograms {
    loaded: BTreeMap<Option<usize>, Program>,
}

impl StatePrograms {
    /// Records a loaded vertex state program: that of the script, or an alternate one by number.
    pub(super) fn insert(&mut self, alternate: Option<usize>, program: Program) {
        self.loaded.insert(alternate, program);
    }

    /// Returns a loaded vertex state program: that of the script, or an alternate one by number.
    pub(super) fn get(&self, alternate: Option<usize>) -> Option<&Program> {
        self.loaded.get(&alternate)
    }

    /// Returns true if any is loaded, so that parameters of vertex programs follow
    /// NV_vertex_program.
    pub(super) fn has_any(&self) -> bool {
        !self.loaded.is_empty()
    }
}

/// Queries the number of a resource that the program of a stage uses from the driver; 0 for
/// programs without such properties. Fails if the stage has no program; skips scripts that need an
/// extension that the driver lacks.
pub(super) fn query_resource_count(
    gl: &Gl,
    programs: &Programs,
    stage: Stage,
    kind: CountKind,
) -> Result<u64, Problem> {
    let name = match kind {
        CountKind::AttribComponents => gl::PROGRAM_ATTRIB_COMPONENTS_NV,
        CountKind::ResultComponents => gl::PROGRAM_RESULT_COMPONENTS_NV,
        CountKind::Instructions => gl::PROGRAM_INSTRUCTIONS_ARB,
        CountKind::AluInstructions => gl::PROGRAM_ALU_INSTRUCTIONS_ARB,
        CountKind::TextureInstructions => gl::PROGRAM_TEX_INSTRUCTIONS_ARB,
        CountKind::TextureIndirections => gl::PROGRAM_TEX_INDIRECTIONS_ARB,
        CountKind::Temporaries => gl::PROGRAM_TEMPORARIES_ARB,
        CountKind::Parameters => gl::PROGRAM_PARAMETERS_ARB,
        CountKind::Attribs => gl::PROGRAM_ATTRIBS_ARB,
        CountKind::AddressRegisters => gl::PROGRAM_ADDRESS_REGISTERS_ARB,
    };
    if matches!(
        kind,
        CountKind::AttribComponents | CountKind::ResultComponents
    ) {
        require_extension(gl, "GL_NV_gpu_program4")?;
    }
    let program = programs.get(stage);
    let program = program.ok_or_else(|| missing_program_message(stage))?;
    // A count is never negative.
    Ok(program.property(name)?.unwrap_or(0).unsigned_abs().into())
}

/// Counts the number of a resource in the source of a program that runs as a module. Fails if the
/// stage has no assembly program, or it has errors.
pub(super) fn count_resources_in_source(
    script: &Script,
    state: &ProgramState,
    stage: Stage,
    kind: CountKind,
) -> Result<u64, Problem> {
    let program = state.program(script, stage);
    let program = program
        .filter(|program| program.form == ProgramForm::Assembly)
        .ok_or_else(|| missing_program_message(stage))?;
    let source = script.requirements.source("program", program);
    let counts =
        glasm::count_resources(&source).map_err(|diagnostics| diagnostics.render(&source))?;
    Ok(resource_count(&counts, kind).into())
}

/// Returns the error message for a command that needs a program of a stage without one.
fn missing_program_message(stage: Stage) -> String {
    format!("there is no {} program", stage.name())
}

/// Returns true if programs of the script violate a rule that not every driver enforces.
fn expects_warnings(script: &Script) -> bool {
    let expects = |step: &ScriptStep| matches!(step.command, Command::ExpectWarning(_));
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
    /// Loads the assembly programs that the script begins with, and generated ones for stages that
    /// pass through. A program that the driver rejects is a failure or, if the script expects
    /// warnings, a reason to skip. Skips scripts with forms of programs that only Vulkan runs.
    pub(super) fn load_programs(&mut self) -> Result<(), Problem> {
        let script = self.script;
        for program in &script.programs {
            match program.form {
                ProgramForm::Assembly => {
                    let loaded = load_section(self.gl, program)?;
                    let loaded = match loaded {
                        Err(_) if expects_warnings(script) => {
                            let reason = "the driver refuses what glasm takes with a warning";
                            return Err(Problem::Unsupported(reason.to_owned()));
                        }
                        loaded => loaded.map_err(|error| err_rejected(script, program, &error))?,
                    };
                    match program.program_type {
                        ProgramType::VertexState => self.state_programs.insert(None, loaded),
                        ProgramType::Stage(stage) => {
                            let facts = self.program_info(program);
                            self.programs
                                .set_program(stage, (loaded, program.line), facts);
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
                    return Err(Problem::Unsupported(
                        "only Vulkan runs the program".to_owned(),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Loads a generated program that forwards the inputs of a vertex or fragment stage. Does
    /// nothing for geometry and tessellation control stages, which need none; skips scripts with
    /// other stages.
    fn load_passthrough(&mut self, stage: Stage) -> Result<(), Problem> {
        let text = match stage {
            Stage::Vertex => generate_vertex_program(self.fragment_inputs().as_deref()),
            Stage::Fragment => FRAGMENT_PROGRAM.to_owned(),
            // Without the program, primitives and patches pass through unchanged.
            Stage::Geometry | Stage::TessControl => return Ok(()),
            Stage::TessEval | Stage::Compute => {
                let reason = format!("OpenGL passes nothing through the {} stage", stage.name());
                return Err(Problem::Unsupported(reason));
            }
        };
        let loaded = Program::load(self.gl, target_for_stage(stage), text.as_bytes())?;
        let loaded = loaded
            .map_err(|error| format!("the program that passes on is refused: {}", error.message))?;
        self.programs
            .set_program(stage, (loaded, 0), ProgramInfo::default());
        Ok(())
    }

    /// Returns the properties of a program for the color attachments of the script.
    fn program_info(&self, program: &ProgramSection) -> ProgramInfo {
        let colors = self.script.requirements.attachments.colors.iter().zip(0..);
        let drawn = colors.filter(|(color, _)| color.is_some());
        let drawn = drawn.fold(0, |bits, (_, number)| bits | 1 << number);
        ProgramInfo::from_source(program.stage, &program.text, drawn)
    }

    /// Returns the inputs of the fragment program; `None` if the script has no assembly program or
    /// it does not compile.
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

    /// Executes `load`: replaces the program of a stage by the alternate one with this index, or
    /// checks that the driver rejects it if an error is expected. Returns the stage whose program
    /// was replaced, `None` after an expected rejection. The program that was replaced remains if
    /// the driver rejects the alternate one.
    pub(super) fn load_alternate(
        &mut self,
        alternate: usize,
        expected: Option<&ExpectedError>,
    ) -> Result<Option<Stage>, Problem> {
        let script = self.script;
        let program = &script.alternates[alternate].program;
        match (load_section(self.gl, program)?, expected) {
            (Ok(loaded), None) => {
                let facts = self.program_info(program);
                self.programs
                    .set_program(program.stage, (loaded, program.line), facts);
                Ok(Some(program.stage))
            }
            (Err(_), Some(_)) => Ok(None),
            (Ok(_), Some(expected)) => {
                let code = expected.code.id();
                Err(format!("expected error {code}, but the driver accepts the program").into())
            }
            (Err(error), None) => Err(err_rejected(script, program, &error)),
        }
    }
}

/// Copy of a vertex attribute to an input of the fragment program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AttributeCopy {
    /// Result and attribute by their names in all languages.
    Conventional(&'static str, &'static str),
    TexCoord(u8),
    /// Attribute of NV_gpu_program4.
    Attrib(u8),
}

/// Copies that are made if the inputs of the fragment program are unknown.
const DEFAULT_COPIES: &[AttributeCopy] = &[
    AttributeCopy::Conventional("color", "color"),
    AttributeCopy::Conventional("color.secondary", "color.secondary"),
    AttributeCopy::Conventional("fogcoord", "fogcoord"),
    AttributeCopy::TexCoord(0),
];

/// Returns a vertex program that writes the inputs of the fragment program, colors, fog and one
/// texture coordinate set if they are unknown (`None`), and forwards the position.
pub(super) fn generate_vertex_program(inputs: Option<&[Semantic]>) -> String {
    let copies: Vec<AttributeCopy> = match inputs {
        None => DEFAULT_COPIES.to_vec(),
        Some(inputs) => inputs
            .iter()
            .filter_map(|input| find_copy(*input))
            .collect(),
    };
    let is_typed = copies
        .iter()
        .any(|copy| matches!(copy, AttributeCopy::Attrib(_)));
    // A program refers to the same attribute by names or by numbers.
    let (header, position) = if is_typed {
        ("!!NVvp4.0", "attrib[0]")
    } else {
        ("!!ARBvp1.0", "position")
    };
    let mut text = format!("{header}\nMOV result.position, vertex.{position};\n");
    for copy in copies {
        // Writing to a string does not fail.
        let _ = match copy {
            AttributeCopy::Conventional(result, attribute) => {
                writeln!(text, "MOV result.{result}, vertex.{attribute};")
            }
            AttributeCopy::TexCoord(set) => {
                writeln!(text, "MOV result.texcoord[{set}], vertex.texcoord[{set}];")
            }
            AttributeCopy::Attrib(number) => {
                writeln!(
                    text,
                    "MOV result.attrib[{number}], vertex.attrib[{number}];"
                )
            }
        };
    }
    text + "END\n"
}

/// Returns the attribute that an input of a fragment program is copied from; `None` if its source
/// is not an attribute.
fn find_copy(input: Semantic) -> Option<AttributeCopy> {
    if let Semantic::TexCoord(set) = input {
        return Some(AttributeCopy::TexCoord(set));
    }
    if let Semantic::GenericVarying(number) = input {
        return Some(AttributeCopy::Attrib(number));
    }
    [
        (Semantic::Color(0), "color"),
        (Semantic::Color(1), "color.secondary"),
        (Semantic::FogCoord, "fogcoord"),
    ]
    .into_iter()
    .find(|(known, _)| *known == input)
    .map(|(_, name)| AttributeCopy::Conventional(name, name))
}

/// Fragment program whose color is the primary color.
pub(super) const FRAGMENT_PROGRAM: &str = "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_fragment_program_reads_is_passed_on() {
        let inputs = [
            Semantic::Position,
            Semantic::TexCoord(3),
            Semantic::Color(1),
        ];
        assert_eq!(
            generate_vertex_program(Some(&inputs)),
            "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.texcoord[3], vertex.texcoord[3];\n\
             MOV result.color.secondary, vertex.color.secondary;\nEND\n"
        );
        // No program may have a name and a number for one attribute.
        assert_eq!(
            generate_vertex_program(Some(&[Semantic::GenericVarying(0)])),
            "!!NVvp4.0\nMOV result.position, vertex.attrib[0];\nMOV result.attrib[0], vertex.attrib[0];\nEND\n"
        );
    }

    #[test]
    fn the_texts_are_programs() {
        let texts = [
            generate_vertex_program(None),
            generate_vertex_program(Some(&[Semantic::GenericVarying(0)])),
            FRAGMENT_PROGRAM.to_owned(),
        ];
        for text in texts {
            let source = glasm::Source::new("passthrough", &text);
            assert!(glasm::compile(&source, &glasm::Options::default()).is_ok());
        }
    }
}
