//! Programs of the stages of a script in the IR: loaded, or generated for stages that forward their
//! inputs and for fixed functions.

use super::initial_results::add_initial_results;
use super::state::SceneState;
use crate::script::{FixedVertexOutputs, ProgramForm, ProgramSection, SourceMap, VertexProcessing};
use glasm::fixed_function::{MAX_TEXTURE_UNITS, generate_vertex_program};
use glasm::ir::resource::MemorySpace;
use glasm::ir::{self, BufferKind, MemAccess, OpFlags, ParamSource, Semantic, Stage};
use glasm::reflect::NamedParameter;
use glasm::stages::{AttributeCopy, build_passthrough_vertex};
use glasm::{Program, ProgramType};
use std::collections::HashMap;
use std::rc::Rc;

/// Programs that have been loaded, by stage and text.
#[derive(Default)]
pub(super) struct ProgramCache(HashMap<(Stage, Vec<u8>), Rc<StageProgram>>);

/// Program of a stage.
#[derive(Clone, Debug)]
pub struct StageProgram {
    /// The program in the IR.
    pub ir: ir::Program,
    /// Section of the script; generated programs have no position in it.
    pub section: ProgramSection,
    /// Results that its instructions write.
    written_results: Vec<Semantic>,
}

/// Returns the results that instructions of a program write, or that are passed through.
fn list_written_results(program: &ir::Program) -> Vec<Semantic> {
    let is_written = |register: ir::RegisterId| {
        let mut results = program.insts.iter().filter_map(|inst| inst.dst);
        results.any(|dst| dst.register == register)
    };
    let mut written = Vec::new();
    for (register, outputs) in program.output_registers() {
        let is_written = is_written(register);
        let outputs = &program.outputs.as_slice()[outputs];
        let outputs = outputs.iter();
        let own = outputs.filter(|output| is_written || !output.passthrough.is_empty());
        written.extend(own.map(|output| output.semantic));
    }
    written
}

impl StageProgram {
    /// Returns the program of a section with this intermediate representation, to which the initial
    /// values of its results are added.
    fn new(mut ir: ir::Program, section: ProgramSection) -> Self {
        let written_results = list_written_results(&ir);
        add_initial_results(&mut ir);
        Self {
            ir,
            section,
            written_results,
        }
    }

    /// Returns the stage.
    pub fn stage(&self) -> Stage {
        self.ir.stage
    }

    /// Returns true if the program is not part of the script.
    pub fn is_generated(&self) -> bool {
        self.section.source_map == SourceMap::default()
    }

    /// Returns the line of the section in the script.
    pub(super) fn line(&self) -> u32 {
        self.section.line
    }

    /// Returns the parameters with names and their initial values.
    pub(super) fn list_named_parameters(&self) -> Vec<NamedParameter> {
        let named = self.ir.named_params.iter();
        named
            .map(|param| NamedParameter {
                name: self.ir.names.get(param.name).to_owned(),
                initial_bits: param.initial,
            })
            .collect()
    }

    /// Returns the sources of the parameters, in the order of the slots.
    pub(super) fn list_parameter_sources(&self) -> Vec<ParamSource> {
        self.ir.params.iter().map(|param| param.source).collect()
    }

    /// Returns true if the program accesses memory that it shares with other invocations.
    pub(super) fn accesses_shared_memory(&self) -> bool {
        let is_shared = |access: &MemAccess| match access.space {
            MemorySpace::Global => true,
            MemorySpace::Buffer(buffer) => {
                let kind = self.ir.buffers[buffer].kind;
                !matches!(kind, BufferKind::Private | BufferKind::ProgramParameter)
            }
        };
        self.ir.mem_accesses.iter().any(is_shared)
    }

    /// Returns what the simulation leaves out for the operations and inputs of the program.
    pub fn list_notes(&self) -> impl Iterator<Item = &'static str> {
        let has = |flag: OpFlags| self.ir.insts.iter().any(|inst| inst.op.has(flag));
        let is_of_subgroup = |semantic: Semantic| {
            let others = [
                Semantic::SubgroupSize,
                Semantic::SubgroupInvocation,
                Semantic::SubgroupEqMask,
                Semantic::SubgroupGeMask,
                Semantic::SubgroupGtMask,
                Semantic::SubgroupLeMask,
                Semantic::SubgroupLtMask,
                Semantic::WarpId,
                Semantic::SmId,
            ];
            semantic.is_thread_index() || others.contains(&semantic)
        };
        let mut inputs = self.ir.inputs.iter();
        let notes = [
            (
                has(OpFlags::NON_UNIFORM) || inputs.any(|input| is_of_subgroup(input.semantic)),
                "a subgroup has one invocation",
            ),
            (
                self.stage() == Stage::Fragment
                    && has(OpFlags::WRITES)
                    && (self.accesses_shared_memory() || !self.ir.images.is_empty()),
                "memory does not have the stores of fragments of other pixels",
            ),
        ];
        let notes = notes.into_iter().filter(|(applies, _)| *applies);
        notes.map(|(_, note)| note)
    }

    /// Returns true if an input of the program has this semantic.
    pub(super) fn reads(&self, semantic: Semantic) -> bool {
        self.ir.inputs.iter().any(|it| it.semantic == semantic)
    }

    /// Returns true if the program writes a result with this semantic.
    pub(super) fn writes(&self, semantic: Semantic) -> bool {
        self.written_results.contains(&semantic)
    }
}

impl SceneState<'_> {
    /// Returns the current program of a stage; `None` if the script has none.
    ///
    /// # Errors
    /// If the program does not load, or has a form that is not interpreted.
    pub(super) fn find_program(
        &mut self,
        stage: Stage,
    ) -> Result<Option<Rc<StageProgram>>, String> {
        let Some(section) = self.program_state.program(self.script, stage) else {
            return Ok(None);
        };
        let section = section.clone();
        let program = match section.form {
            ProgramForm::Assembly | ProgramForm::Ir => self.load_program(section)?,
            ProgramForm::FixedFunction => {
                let text = self.generate_fixed_function(stage)?;
                self.load_program(generated_section(&section, text))?
            }
            ProgramForm::PassThrough if stage == Stage::Vertex => {
                Rc::new(self.build_passthrough(&section)?)
            }
            ProgramForm::PassThrough
            | ProgramForm::Glsl
            | ProgramForm::SpirvText
            | ProgramForm::SpirvWords => {
                return Err(format!(
                    "line {}: the {} stage is not an assembly program, and only these are interpreted",
                    section.line,
                    stage.name()
                ));
            }
        };
        Ok(Some(program))
    }

    /// Returns the current tessellation control program; `None` if the script has none, or patches
    /// remain unchanged.
    ///
    /// # Errors
    /// Those of [`Self::find_program`].
    pub(super) fn find_control_program(&mut self) -> Result<Option<Rc<StageProgram>>, String> {
        let section = self.program_state.program(self.script, Stage::TessControl);
        match section.map(|section| section.form) {
            None | Some(ProgramForm::PassThrough) => Ok(None),
            Some(_) => self.find_program(Stage::TessControl),
        }
    }

    /// Returns the program of the stage after the vertex stage; `None` if the script has none.
    fn find_after_vertex(&mut self) -> Result<Option<Rc<StageProgram>>, String> {
        if let Some(program) = self.find_control_program()? {
            return Ok(Some(program));
        }
        for stage in [Stage::TessEval, Stage::Geometry, Stage::Fragment] {
            if let Some(program) = self.find_program(stage)? {
                return Ok(Some(program));
            }
        }
        Ok(None)
    }

    /// Returns true if fragments of back faces have the back colors: the script requires it, or its
    /// fixed functions light both sides.
    pub(super) fn has_two_sided_colors(&self) -> bool {
        let vertex = self.program_state.program(self.script, Stage::Vertex);
        let is_fixed = vertex.is_some_and(|it| it.form == ProgramForm::FixedFunction);
        self.script.requirements.fixed.two_sided_color
            || is_fixed && self.program_state.fixed.is_two_sided()
    }

    /// Loads the program of a section, or returns it from the cache.
    fn load_program(&mut self, section: ProgramSection) -> Result<Rc<StageProgram>, String> {
        let key = (section.stage, section.text.clone());
        if let Some(known) = self.programs.0.get(&key)
            && known.section.line == section.line
        {
            return Ok(Rc::clone(known));
        }
        let ir = if section.form == ProgramForm::Ir {
            let text = String::from_utf8_lossy(&section.text);
            ir::parse(&text).map_err(|error| error.message)?
        } else {
            let source = self.script.requirements.source("", &section);
            let program = Program::load(&source).map_err(|errors| errors.render(&source))?;
            program.ir().clone()
        };
        ir::verify(&ir).map_err(|errors| {
            let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
            messages.join("; ")
        })?;
        let mut ir = ir;
        ir.modes.zero_times_inf_is_zero |= self.script.requirements.legacy_multiply;
        let program = Rc::new(StageProgram::new(ir, section));
        self.programs.0.insert(key, Rc::clone(&program));
        Ok(program)
    }

    /// Returns the text of the program that does what the fixed functions of a stage do.
    fn generate_fixed_function(&mut self, stage: Stage) -> Result<String, String> {
        let is_fixed = |section: Option<&ProgramSection>| {
            section.is_some_and(|section| section.form == ProgramForm::FixedFunction)
        };
        let vertex_is_fixed = is_fixed(self.program_state.program(self.script, Stage::Vertex));
        let fragment = self.program_state.program(self.script, Stage::Fragment);
        let fragment_is_fixed = is_fixed(fragment);
        let vertices = if vertex_is_fixed {
            VertexProcessing::Fixed
        } else {
            VertexProcessing::Program
        };
        let enables = self.program_state.texture_enables.clone();
        if stage == Stage::Fragment {
            let unclamped = !self.script.requirements.fixed.clamp_fragment_colors;
            let fixed = &self.program_state.fixed;
            return Ok(fixed.generate_fragment_text(&enables, vertices, unclamped));
        }
        let fixed = &self.program_state.fixed;
        let key = fixed.fragment_key(&enables, vertices);
        let coordinate_sets = fixed.fragment_coordinate_sets(&enables);
        let mut reads = FixedVertexOutputs::default();
        let next = self.find_after_vertex()?;
        let is_last = next
            .as_ref()
            .is_none_or(|next| next.stage() == Stage::Fragment);
        if fragment_is_fixed && is_last {
            reads.texcoords = coordinate_sets;
            reads.fog_coordinate = key.fog_mode.is_some();
        } else if let Some(next) = next {
            for set in 0..MAX_TEXTURE_UNITS as u8 {
                reads.texcoords |= u8::from(next.reads(Semantic::TexCoord(set))) << set;
            }
            reads.fog_coordinate = next.reads(Semantic::FogCoord);
        }
        Ok(generate_vertex_program(
            &self.program_state.fixed.vertex_key(reads),
        ))
    }

    /// Builds the vertex program that copies attributes to the inputs of the next stage.
    fn build_passthrough(&mut self, section: &ProgramSection) -> Result<StageProgram, String> {
        let mut copies: Vec<AttributeCopy> = Vec::new();
        let next = self.find_after_vertex()?;
        let inputs = next.iter().flat_map(|program| program.ir.inputs.iter());
        for input in inputs {
            let Some(attribute) = find_conventional_attribute(input.semantic) else {
                continue;
            };
            let known = copies.iter().find(|copy| copy.attribute == attribute);
            let base = match (attribute, known) {
                (_, Some(known)) => known.base,
                (0, None) => ir::BaseType::Float,
                (_, None) => input.base,
            };
            let is_new = !copies.iter().any(|copy| copy.varying == input.semantic);
            if base == input.base && is_new {
                copies.push(AttributeCopy {
                    attribute,
                    base,
                    first_component: 0,
                    varying: input.semantic,
                });
            }
        }
        Ok(StageProgram::new(
            build_passthrough_vertex(&copies),
            generated_section(section, String::new()),
        ))
    }
}

/// Returns a section with a generated text instead of the one of the script.
fn generated_section(section: &ProgramSection, text: String) -> ProgramSection {
    ProgramSection {
        text: text.into_bytes(),
        form: ProgramForm::Assembly,
        program_type: ProgramType::Stage(section.stage),
        source_map: SourceMap::default(),
        ..section.clone()
    }
}

/// Returns the vertex attribute that a stage which forwards attributes copies to a varying.
fn find_conventional_attribute(semantic: Semantic) -> Option<u8> {
    if let Semantic::Color(number) = semantic {
        Some(3 + number)
    } else if semantic == Semantic::FogCoord {
        Some(5)
    } else if let Semantic::TexCoord(unit) = semantic {
        Some(8 + unit)
    } else if let Semantic::GenericVarying(number) = semantic {
        Some(number)
    } else {
        None
    }
}
