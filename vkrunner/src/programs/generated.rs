//! Stages that the runner generates: those that forward their inputs, and fixed-function stages.

use super::context::{CompileContext, Refusal};
use super::fixed_function;
use super::interface::{Interface, Primitive, StageInterface, Varying};
use super::module::Module;
use super::passthrough::{Passed, of_patches, output_meaning, passed};
use super::template::{Template, TemplateKind, beside, messages};
use glasm::ir::primitive::TessMode;
use glasm::ir::{Interpolation, Program, Semantic, Stage, TypeBase};
use glasm::reflect::{InterfaceVariable, Primitives, Requirements};
use glasm::stages::{self, AttributeCopy, Shading};
use glasm::{Compiler, DebugInfo, Options, Reflection, Varyings};
use glasm_scripts::outcome::Failure;
use glasm_scripts::script::stages::{MAIN, ProvokingVertex};
use glasm_scripts::script::{
    Command, Convention, Origin, ProgramForm, ProgramSection, VertexProcessing,
};

/// Returns the varying that the vertex stage forwards, by its source attribute.
fn conventional_attribute(semantic: Semantic) -> Option<u32> {
    if let Semantic::Color(number) = semantic {
        Some(3 + u32::from(number))
    } else if semantic == Semantic::FogCoord {
        Some(5)
    } else if let Semantic::TexCoord(unit) = semantic {
        Some(8 + u32::from(unit))
    } else if let Semantic::Generic(number) = semantic {
        Some(u32::from(number))
    } else {
        None
    }
}

/// Returns a reflection of a module that only needs vertices.
fn reflection(stage: Stage, inputs: Vec<InterfaceVariable>) -> Reflection {
    Reflection {
        stage,
        entry_point: MAIN,
        named: Vec::new(),
        state_program: None,
        params: None,
        state: None,
        images: Vec::new(),
        handle_arrays: Vec::new(),
        textures: Vec::new(),
        samplers: Vec::new(),
        attachments: Vec::new(),
        buffers: Vec::new(),
        image_lock: None,
        inputs,
        outputs: Vec::new(),
        replication: None,
        primitives: None,
        workgroup_size: None,
        unclipped_depth: false,
        transparent_missing: false,
        requirements: Requirements::default(),
    }
}

/// Returns a stage whose words are generated for each draw.
fn templated(stage: Stage, template: Template) -> Module {
    Module {
        stage,
        words: Vec::new(),
        reflection: Some(reflection(stage, Vec::new())),
        interface: None,
        template: Some(template),
        state: None,
    }
}

impl CompileContext<'_> {
    /// Adds the modules of sections that are generated to match the others.
    pub(super) fn generate(
        &self,
        modules: &mut Vec<Module>,
        mut sections: Vec<&ProgramSection>,
    ) -> Result<(), Vec<Refusal>> {
        // The vertex stage must match the following stage, all others the previous one.
        sections.sort_by_key(|section| section.stage);
        for section in sections {
            let module = match (section.form, section.stage) {
                (ProgramForm::FixedFunction, Stage::Vertex) => {
                    self.fixed_vertex(modules, section)?
                }
                (_, Stage::Vertex) => self.pass_vertex(modules, section)?,
                (_, Stage::TessControl) => {
                    let passed = self.passed_before(modules, section)?;
                    let options = self.generated_options(section.stage);
                    let template = Template::new(TemplateKind::TessControl, passed, options);
                    let built_ins = built_ins_before(modules, section.stage);
                    let read = built_ins.into_iter().filter(|it| is_read(modules, *it));
                    templated(section.stage, template.with_built_ins(read.collect()))
                }
                (_, Stage::TessEval) => self.pass_tess_eval(modules, section)?,
                (_, Stage::Geometry) => self.pass_geometry(modules, section)?,
                (_, Stage::Fragment | Stage::Compute) => self.pass_fragment(modules, section)?,
            };
            modules.push(module);
        }
        Ok(())
    }

    /// Returns the options with which generated stages are compiled.
    fn generated_options(&self, stage: Stage) -> Options {
        Options {
            debug: DebugInfo::default(),
            device: self.capabilities.device_features(self.without),
            ..self.compiler().fixed_options(stage)
        }
    }

    /// Returns the module of a generated stage.
    fn generated(
        &self,
        section: &ProgramSection,
        program: &Program,
        options: &Options,
    ) -> Result<Module, Refusal> {
        let fail = |message: String| Refusal::Fail(Failure::new(Some(section.line), message));
        let shader = Compiler::new().compile_ir(program, options);
        let shader = shader.map_err(|errors| fail(messages(&errors)))?;
        let features = shader.reflection.requirements.features.iter().copied();
        if let Some(feature) = self.capabilities.missing_feature(features) {
            let stage = section.stage.name();
            return Err(Refusal::Skip(format!(
                "the device lacks {feature}, which the {stage} stage needs"
            )));
        }
        Ok(Module {
            stage: section.stage,
            interface: Interface::read(&shader.words),
            words: shader.words,
            state: self.state_of(&shader.reflection),
            reflection: Some(shader.reflection),
            template: None,
        })
    }

    /// Returns the outputs of the previous stage, as a stage that passes them through declares
    /// them.
    fn passed_before(
        &self,
        modules: &[Module],
        section: &ProgramSection,
    ) -> Result<Vec<Passed>, Refusal> {
        let passed = outputs_before(modules, section.stage);
        passed.map_err(|message| Refusal::Fail(Failure::new(Some(section.line), message)))
    }

    /// Adds the stage that replicates primitives to several viewports or views, if the last program
    /// requires it.
    pub(super) fn replicate(&self, modules: &mut Vec<Module>) {
        let last = self.last_stage();
        let mut all = modules.iter();
        let before = all
            .find(|module| module.stage == last)
            .and_then(|module| module.reflection.as_ref())
            .filter(|before| before.replication.is_some());
        let Some(before) = before else { return };
        let kind = TemplateKind::Replication(Box::new(before.clone()));
        let passed = outputs_before(modules, Stage::Geometry).unwrap_or_default();
        let options = self.generated_options(Stage::Geometry);
        let template = Template::new(kind, passed, options);
        modules.push(templated(Stage::Geometry, template));
    }

    fn fixed_vertex(
        &self,
        modules: &[Module],
        section: &ProgramSection,
    ) -> Result<Module, Vec<Refusal>> {
        let next = modules
            .iter()
            .filter(|module| module.stage > Stage::Vertex && module.stage < Stage::Compute)
            .min_by_key(|module| module.stage)
            .and_then(|module| module.reflection.as_ref());
        let inputs = next.map(|next| next.inputs.as_slice());
        let text = fixed_function::vertex_text(self.state, inputs);
        self.compile_assembly(&program(section, text))
    }

    fn pass_vertex(&self, modules: &[Module], section: &ProgramSection) -> Result<Module, Refusal> {
        let next = [
            Stage::TessControl,
            Stage::TessEval,
            Stage::Geometry,
            Stage::Fragment,
        ]
        .into_iter()
        .find_map(|stage| modules.iter().find(|module| module.stage == stage));
        let mut inputs = Vec::new();
        let mut reflection = None;
        if let Some(module) = next {
            let entry = module.interface.as_ref().and_then(|interface| {
                let mut entries = interface.entry_points.iter();
                entries.find(|entry| entry.stage == module.stage)
            });
            let found = StageInterface::of(module, entry).map(|found| found.inputs);
            inputs = found.unwrap_or_default();
            reflection = module.reflection.as_ref();
        }
        let read = |varying: &Varying| {
            let mut inputs = reflection?.inputs.iter();
            let same = inputs.find(|input| input.location == Some(varying.location))?;
            Some(same.semantic)
        };
        inputs.retain(|input| !input.patch);
        let passed = passed(&inputs, read)
            .map_err(|message| Refusal::Fail(Failure::new(Some(section.line), message)))?;
        let mut copies: Vec<AttributeCopy> = Vec::new();
        for Passed { varying, place } in &passed {
            let attribute = match reflection {
                Some(_) => conventional_attribute(place.semantic),
                None => Some(varying.location),
            };
            let attribute = attribute.and_then(|attribute| u8::try_from(attribute).ok());
            let Some(attribute) = attribute else { continue };
            // An attribute has one type, that of attribute 0 is known.
            let known = copies.iter().find(|copy| copy.attribute == attribute);
            let base = match (attribute, known) {
                (_, Some(known)) => known.base,
                (0, None) => TypeBase::Float,
                (_, None) => place.base,
            };
            let fits = varying.component.saturating_add(varying.components) <= 4;
            if base == place.base && fits {
                copies.push(AttributeCopy {
                    attribute,
                    base,
                    first: place.component,
                    to: place.semantic,
                });
            }
        }
        let mut options = beside(self.generated_options(section.stage), &[], &passed);
        options.interface.attributes = Vec::new();
        self.generated(section, &stages::pass_vertex(&copies), &options)
    }

    fn pass_tess_eval(
        &self,
        modules: &[Module],
        section: &ProgramSection,
    ) -> Result<Module, Refusal> {
        let control = modules
            .iter()
            .find(|module| module.stage == Stage::TessControl);
        let entry = control
            .and_then(|module| module.interface.as_ref())
            .and_then(|interface| {
                let mut entries = interface.entry_points.iter();
                entries.find(|entry| entry.stage == Stage::TessControl)
            });
        let told = control.and_then(|module| module.reflection.as_ref()?.primitives);
        let vertices = match told {
            Some(Primitives::TessControl { vertices }) => Some(vertices),
            Some(Primitives::TessEval { .. } | Primitives::Geometry { .. }) | None => {
                entry.and_then(|entry| entry.output_vertices)
            }
        };
        let vertices = vertices.unwrap_or_else(|| self.first_patch_size());
        let passed = self.passed_before(modules, section)?;
        let (varyings, outputs) = of_patches(&passed);
        let mut options = beside(self.generated_options(section.stage), &passed, &[]);
        options.interface.outputs = Varyings::Placed(outputs);
        let program = stages::pass_evaluation(&varyings, vertices);
        self.generated(section, &program, &options)
    }

    /// Returns the number of vertices of the patches of the first draw.
    fn first_patch_size(&self) -> u32 {
        let draw = self.script.steps.iter().find_map(|step| {
            if let Command::Draw(draw) = &step.command {
                Some(draw.state.patch_control_points)
            } else {
                None
            }
        });
        draw.unwrap_or(3)
    }

    fn pass_geometry(
        &self,
        modules: &[Module],
        section: &ProgramSection,
    ) -> Result<Module, Refusal> {
        let evaluation = modules
            .iter()
            .find(|module| module.stage == Stage::TessEval);
        let tessellated = evaluation.map(made_primitive);
        let passed = self.passed_before(modules, section)?;
        let options = self.generated_options(section.stage);
        let kind = TemplateKind::Geometry(tessellated);
        let has_size = options.device.tessellation_and_geometry_point_size;
        let mut built_ins = built_ins_before(modules, section.stage);
        built_ins.retain(|semantic| has_size || *semantic != Semantic::PointSize);
        let template = Template::new(kind, passed, options).with_built_ins(built_ins);
        Ok(templated(section.stage, template))
    }

    /// Returns the primary color of programs, location 0 of other modules.
    fn pass_fragment(
        &self,
        modules: &[Module],
        section: &ProgramSection,
    ) -> Result<Module, Vec<Refusal>> {
        let writes_color = |module: &Module| {
            let reflection = module.reflection.as_ref();
            let mut outputs = reflection.iter().flat_map(|found| &found.outputs);
            outputs.any(|output| output.semantic == Semantic::Color(0))
        };
        let has_color = modules.iter().any(writes_color);
        if section.form == ProgramForm::FixedFunction && has_color {
            let mut programs = self.script.programs.iter();
            let is_fixed = programs.any(|program| {
                (program.stage, program.form) == (Stage::Vertex, ProgramForm::FixedFunction)
            });
            let vertices = if is_fixed {
                VertexProcessing::Fixed
            } else {
                VertexProcessing::Program
            };
            let fixed = &self.script.requirements.fixed;
            let text = fixed_function::fragment_text(self.state, vertices, fixed);
            return self.compile_assembly(&program(section, text));
        }
        let passed = self.passed_before(modules, section)?;
        let color = passed
            .iter()
            .find(|passed| (passed.varying.location, passed.varying.component) == (0, 0));
        let Some(color) = color else {
            return Err(vec![Refusal::Fail(Failure::new(
                Some(section.line),
                "no stage writes a color for the fragment stage to pass on",
            ))]);
        };
        let (base, semantic) = (color.place.base, color.place.semantic);
        let shading = if base == TypeBase::Float && !color.varying.flat {
            Shading::Smooth
        } else {
            Shading::Flat
        };
        let options = self.generated_options(section.stage);
        let mut options = beside(options, std::slice::from_ref(color), &[]);
        options.interface.colors = vec![base];
        options.fixed.draw_buffers = 0;
        let program = stages::pass_color(semantic, base, shading);
        Ok(self.generated(section, &program, &options)?)
    }

    /// Checks that the device can implement the conventions of GL that the script needs. `Err` skips
    /// the script.
    pub(super) fn check_conventions(&self, modules: &[Module]) -> Result<(), Refusal> {
        let has = |feature| self.capabilities.features.contains(feature);
        let opengl = self.script.requirements.convention == Convention::OpenGl;
        if opengl && self.needs_clip_control(modules) && !has("depthClipControl") {
            return Err(Refusal::Skip(
                "the device lacks depthClipControl, which GL's clip space needs with shaders that are no programs"
                    .to_owned(),
            ));
        }
        let mut draws = self.script.steps.iter();
        let last = draws.any(|step| matches!(&step.command, Command::Draw(draw) if draw.state.provoking_vertex == ProvokingVertex::Last));
        if last && !has("provokingVertexLast") && modules.iter().any(reads_flat) {
            return Err(Refusal::Skip(
                "the device lacks provokingVertexLast, which values that are not interpolated need"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    fn needs_clip_control(&self, modules: &[Module]) -> bool {
        let last = self.last_stage();
        modules
            .iter()
            .any(|module| module.stage == last && module.reflection.is_none())
    }
}

/// Returns true if a fragment module reads values that are not interpolated.
fn reads_flat(module: &Module) -> bool {
    let entries = module
        .interface
        .iter()
        .flat_map(|found| &found.entry_points);
    let inputs = module.reflection.iter().flat_map(|found| &found.inputs);
    module.stage == Stage::Fragment
        && (entries
            .flat_map(|entry| &entry.inputs)
            .any(|input| input.flat)
            || inputs
                .into_iter()
                .any(|input| input.interpolation == Interpolation::Flat))
}

/// Returns the outputs of the previous stage, as a stage that passes them through declares them.
fn outputs_before(modules: &[Module], stage: Stage) -> Result<Vec<Passed>, String> {
    let before = modules
        .iter()
        .filter(|module| module.stage < stage)
        .max_by_key(|module| module.stage);
    let Some(module) = before else {
        return Ok(Vec::new());
    };
    if let Some(template) = &module.template {
        return Ok(template.passed.clone());
    }
    let entry = module
        .interface
        .as_ref()
        .and_then(|interface| interface.entry_points.first());
    let outputs = StageInterface::of(module, entry).map(|found| found.outputs);
    let meaning = output_meaning(module.reflection.as_ref());
    passed(&outputs.unwrap_or_default(), meaning)
}

/// Returns sizes of points and clip distances that the previous program writes.
fn built_ins_before(modules: &[Module], stage: Stage) -> Vec<Semantic> {
    let before = modules
        .iter()
        .filter(|module| module.stage < stage)
        .max_by_key(|module| module.stage)
        .and_then(|module| module.reflection.as_ref());
    let outputs = before.iter().flat_map(|before| &before.outputs);
    outputs
        .map(|output| output.semantic)
        .filter(|it| {
            matches!(
                it,
                Semantic::PointSize | Semantic::ClipDistance(_) | Semantic::CullDistance(_)
            )
        })
        .collect()
}

/// Returns true if an evaluation program reads a semantic of its vertices.
fn is_read(modules: &[Module], semantic: Semantic) -> bool {
    let mut evaluation = modules
        .iter()
        .filter(|module| module.stage == Stage::TessEval)
        .filter_map(|module| module.reflection.as_ref())
        .flat_map(|reflection| &reflection.inputs);
    evaluation.any(|input| input.semantic == semantic)
}

/// Returns the primitive that an evaluation module generates.
fn made_primitive(evaluation: &Module) -> Primitive {
    let told = evaluation
        .reflection
        .as_ref()
        .and_then(|reflection| reflection.primitives);
    if let Some(Primitives::TessEval { mode, points, .. }) = told {
        return match (points, mode) {
            (true, _) => Primitive::Points,
            (false, TessMode::Isolines) => Primitive::Lines,
            (false, TessMode::Triangles | TessMode::Quads) => Primitive::Triangles,
        };
    }
    let interface = evaluation.interface.as_ref();
    let entry = interface.and_then(|interface| interface.entry_points.first());
    match entry.and_then(|entry| entry.primitive) {
        Some(Primitive::Isolines) => Primitive::Lines,
        _ => Primitive::Triangles,
    }
}

/// Returns a section with a program of the runner.
fn program(section: &ProgramSection, text: String) -> ProgramSection {
    ProgramSection {
        form: ProgramForm::Assembly,
        text: text.into_bytes(),
        origin: Origin::default(),
        ..section.clone()
    }
}
