//! Programs that are loaded.

use super::facts::Facts;
use super::lookups::Lookups;
use super::support::require_extension;
use crate::error::Problem;
use crate::gl::{self, Gl, Program};
use glasm::ir::Stage;
use glasm::reflect::Scalar;
use glasm_scripts::params::count_of;
use glasm_scripts::script::{CountKind, ProgramForm, ProgramState, Script};
use std::collections::BTreeMap;

/// Programs that draws and dispatches use, one for a stage.
#[derive(Default)]
pub(super) struct Programs {
    loaded: Vec<Loaded>,
}

/// Program of a stage.
struct Loaded {
    stage: Stage,
    /// `None` for shaders, which are linked into one program.
    program: Option<Program>,
    /// Line of its section, which distinguishes programs; 0 for programs without section.
    line: u32,
    facts: Facts,
}

impl Programs {
    /// Returns the program of a stage, unless OpenGL's fixed functions do its work.
    pub(super) fn get(&self, stage: Stage) -> Option<&Program> {
        self.loaded(stage)?.program.as_ref()
    }

    /// Returns the program of a stage, with the line of its section.
    pub(super) fn with_line(&self, stage: Stage) -> Option<(&Program, u32)> {
        let loaded = self.loaded(stage)?;
        Some((loaded.program.as_ref()?, loaded.line))
    }

    /// Returns the properties of the program of a stage.
    pub(super) fn facts(&self, stage: Stage) -> Option<Facts> {
        self.loaded(stage).map(|loaded| loaded.facts.clone())
    }

    /// Returns the texture lookups of the programs of all stages.
    pub(super) fn lookups(&self) -> impl Iterator<Item = &Lookups> {
        self.loaded.iter().map(|loaded| &loaded.facts.lookups)
    }

    /// Returns the colors that the fragment program writes; bit n is color n. Fixed functions write
    /// all.
    pub(super) fn written_colors(&self) -> u32 {
        let fragment = self.loaded(Stage::Fragment);
        fragment.map_or(u32::MAX, |fragment| !fragment.facts.untouched_colors)
    }

    /// Returns true if the fragment program distinguishes integers from floats.
    pub(super) fn writes_integers(&self) -> bool {
        let fragment = self.loaded(Stage::Fragment);
        fragment.is_some_and(|fragment| fragment.facts.is_typed)
    }

    /// Returns the type of integers that the vertex program reads an attribute as; `None` of
    /// floats.
    pub(super) fn integer_attribute(&self, location: u32) -> Option<Scalar> {
        self.loaded(Stage::Vertex)?
            .facts
            .integer_attribute(location)
    }

    /// Returns the stages that have a program.
    pub(super) fn stages(&self) -> Vec<Stage> {
        self.loaded.iter().map(|loaded| loaded.stage).collect()
    }

    fn loaded(&self, stage: Stage) -> Option<&Loaded> {
        let mut loaded = self.loaded.iter();
        loaded.find(|loaded| loaded.stage == stage)
    }

    /// Replaces the program of a stage, with the line of its section.
    pub(super) fn set(&mut self, stage: Stage, (program, line): (Program, u32), facts: Facts) {
        self.loaded.retain(|loaded| loaded.stage != stage);
        self.loaded.push(Loaded {
            stage,
            program: Some(program),
            line,
            facts,
        });
    }

    /// Sets the properties of shaders that replace all others.
    pub(super) fn set_shaders(&mut self, shaders: impl Iterator<Item = (Stage, Facts)>) {
        self.loaded.clear();
        shaders.for_each(|(stage, facts)| self.set_shader(stage, facts));
    }

    /// Sets the properties of the shader of a stage.
    pub(super) fn set_shader(&mut self, stage: Stage, facts: Facts) {
        self.loaded.push(Loaded {
            stage,
            program: None,
            line: 0,
            facts,
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
    /// Records a loaded program.
    pub(super) fn set(&mut self, spare: Option<usize>, program: Program) {
        self.loaded.insert(spare, program);
    }

    /// Returns a program, if it is loaded.
    pub(super) fn get(&self, spare: Option<usize>) -> Option<&Program> {
        self.loaded.get(&spare)
    }

    /// Returns true if any is loaded, so that parameters of vertex programs follow
    /// NV_vertex_program.
    pub(super) fn any(&self) -> bool {
        !self.loaded.is_empty()
    }
}

/// Queries the use count of a resource that GL limits, for the program of a stage.
pub(super) fn query_count(
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
    let program = program.ok_or_else(|| missing_program(stage))?;
    // A count is never negative.
    Ok(program.property(name)?.unwrap_or(0).unsigned_abs().into())
}

/// Counts the same in the source of a program that runs as a module.
pub(super) fn count_in_source(
    script: &Script,
    state: &ProgramState,
    stage: Stage,
    kind: CountKind,
) -> Result<u64, Problem> {
    let program = state.program(script, stage);
    let program = program
        .filter(|program| program.form == ProgramForm::Assembly)
        .ok_or_else(|| missing_program(stage))?;
    let source = script.requirements.source("program", program);
    let counts = glasm::count(&source).map_err(|diagnostics| diagnostics.render(&source))?;
    Ok(count_of(&counts, kind).into())
}

fn missing_program(stage: Stage) -> String {
    format!("there is no {} program", stage.name())
}
