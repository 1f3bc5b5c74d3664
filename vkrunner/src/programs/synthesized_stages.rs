//! Stages that the runner generates: those that forward their inputs, and fixed-function stages,
//! whose programs the library generates for the state of the script.

use super::Module;
use super::context::{CompileContext, Refusal};
use super::interface::{Interface, Primitive, StageInterface, Varying};
use super::passthrough::{PassedVarying, output_semantic, passed_varyings, patch_varyings};
use super::per_draw_stages::{DrawTemplate, TemplateKind, join_messages, options_between};
use glasm::fixed_function::{MAX_TEXTURE_UNITS, generate_vertex_program};
use glasm::ir::primitive::TessMode;
use glasm::ir::{BaseType, Interpolation, Program, Semantic, Stage};
use glasm::reflect::{InterfaceVariable, PrimitiveInfo, Requirements};
use glasm::stages::{AttributeCopy, FragmentShading};
use glasm::{Compiler, DebugInfo, Options, PipelineState, Reflection, Varyings, stages};
use glasm_scripts::results::Failure;
use glasm_scripts::script::stages::{DEFAULT_ENTRY_POINT, ProvokingVertex};
use glasm_scripts::script::{
    Command, Convention, FixedVertexOutputs, ProgramForm, ProgramSection, ProgramState, SourceMap,
    VertexProcessing,
};

/// Returns the vertex attribute that the generated vertex stage copies to a varying of this
/// semantic: 3 and 4 for colors, 5 for fog coordinates, 8 and greater for texture coordinates, the
/// number of generic varyings; `None` for others.
fn conventional_attribute(semantic: Semantic) -> Option<u32> {
    if let Semantic::Color(number) = semantic {
        Some(3 + u32::from(number))
    } else if semantic == Semantic::FogCoord {
        Some(5)
    } else if let Semantic::TexCoord(unit) = semantic {
        Some(8 + u32::from(unit))
    } else if let Semantic::GenericVarying(number) = semantic {
        Some(u32::from(number))
    } else {
        None
    }
}

/// Returns the reflection of a stage that has these inputs, and neither outputs nor resources.
fn vertex_reflection(stage: Stage, inputs: Vec<InterfaceVariable>) -> Reflection {
    Reflection {
        stage,
        entry_point: DEFAULT_ENTRY_POINT,
        named_parameters: Vec::new(),
        state_program: None,
        parameter_block: None,
        state_block: None,
        images: Vec::new(),
        handle_arrays: Vec::new(),
        textures: Vec::new(),
        samplers: Vec::new(),
        input_attachments: Vec::new(),
        buffers: Vec::new(),
        image_lock_slot: None,
        inputs,
        outputs: Vec::new(),
        view_replication: None,
        primitive_info: None,
        workgroup_size: None,
        requires_depth_clamp: false,
        missing_textures_have_zero_alpha: false,
        requirements: Requirements::default(),
        text_target: None,
    }
}

/// Creates a module without words, which the template generates for each draw.
fn template_module(stage: Stage, template: DrawTemplate) -> Module {
    Module {
        stage,
        words: Vec::new(),
        reflection: Some(vertex_reflection(stage, Vec::new())),
        interface: None,
        template: Some(template),
        state: None,
    }
}

impl CompileContext<'_> {
    /// Builds the modules of pass-through and fixed-function sections so that they match the
    /// adjacent stages, and adds them to `modules`, from the vertex stage on. Returns the first
    /// error.
    pub(super) fn add_generated_modules(
        &self,
        modules: &mut Vec<Module>,
        mut sections: Vec<&ProgramSection>,
    ) -> Result<(), Vec<Refusal>> {
        // The vertex stage must match the following stage, all others the previous one.
        sections.sort_by_key(|section| section.stage);
        for section in sections {
            let module = match (section.form, section.stage) {
                (ProgramForm::FixedFunction, Stage::Vertex) => {
                    self.build_fixed_vertex(modules, section)?
                }
                (_, Stage::Vertex) => self.build_vertex_passthrough(modules, section)?,
                (_, Stage::TessControl) => {
                    let passed = self.require_passed_outputs(modules, section)?;
                    let options = self.generated_options(section.stage);
                    let template = DrawTemplate::new(TemplateKind::TessControl, passed, options);
                    let built_ins = find_written_built_ins(modules, section.stage);
                    let read = built_ins.into_iter().filter(|it| is_read(modules, *it));
                    template_module(section.stage, template.with_built_ins(read.collect()))
                }
                (_, Stage::TessEval) => self.build_tess_eval_passthrough(modules, section)?,
                (_, Stage::Geometry) => self.build_geometry_passthrough(modules, section)?,
                (_, Stage::Fragment | Stage::Compute) => {
                    self.build_fragment_passthrough(modules, section)?
                }
            };
            modules.push(module);
        }
        Ok(())
    }

    /// Returns the options with which generated stages are compiled: those of fixed-function
    /// programs for the device, without debug information.
    fn generated_options(&self, stage: Stage) -> Options {
        Options {
            debug: DebugInfo::default(),
            device: self.capabilities.device_features(self.disabled_features),
            ..self.compiler().fixed_options(stage)
        }
    }

    /// Compiles a stage that the runner has generated as IR and returns its module. Errors of the
    /// compiler are failures at the line of the section; the script is skipped if the device lacks
    /// a feature that the stage needs.
    fn compile_generated(
        &self,
        section: &ProgramSection,
        program: &Program,
        options: &Options,
    ) -> Result<Module, Refusal> {
        let fail = |message: String| Refusal::Fail(Failure::new(Some(section.line), message));
        let shader = Compiler::new().compile_ir(program, options);
        let shader = shader.map_err(|errors| fail(join_messages(&errors)))?;
        let features = shader.reflection.requirements.features.iter().copied();
        if let Some(feature) = self.capabilities.missing_feature(features) {
            let stage = section.stage.name();
            return Err(Refusal::Skip(format!(
                "the device lacks {feature}, which the {stage} stage needs"
            )));
        }
        Ok(Module {
            stage: section.stage,
            interface: Interface::parse(&shader.words),
            words: shader.words,
            state: self.module_state(&shader.reflection),
            reflection: Some(shader.reflection),
            template: None,
        })
    }

    /// Returns the result of [`find_passed_outputs`] for the stage of a section; its error fails
    /// the script at the line of the section.
    fn require_passed_outputs(
        &self,
        modules: &[Module],
        section: &ProgramSection,
    ) -> Result<Vec<PassedVarying>, Refusal> {
        let passed = find_passed_outputs(modules, section.stage);
        passed.map_err(|message| Refusal::Fail(Failure::new(Some(section.line), message)))
    }

    /// Adds the geometry stage that replicates primitives to several viewports or views, if the
    /// last program before rasterization requires it. Its words are generated for each draw.
    pub(super) fn add_replication_stage(&self, modules: &mut Vec<Module>) {
        let last = self.last_stage();
        let mut all = modules.iter();
        let before = all
            .find(|module| module.stage == last)
            .and_then(|module| module.reflection.as_ref())
            .filter(|before| before.view_replication.is_some());
        let Some(before) = before else { return };
        let kind = TemplateKind::Replication(Box::new(before.clone()));
        let passed = find_passed_outputs(modules, Stage::Geometry).unwrap_or_default();
        let options = self.generated_options(Stage::Geometry);
        let template = DrawTemplate::new(kind, passed, options);
        modules.push(template_module(Stage::Geometry, template));
    }

    /// Builds the vertex program that replaces GL's fixed-function vertex processing for the state
    /// of the script. It writes the texture and fog coordinates that the next stage reads, or those
    /// that fixed-function fragment processing reads if there is no such program.
    fn build_fixed_vertex(
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
        let text = vertex_text(self.state, inputs);
        self.compile_assembly(&program_section(section, text))
    }

    /// Builds a vertex module that forwards attributes to the inputs of the next stage that the
    /// script has, with attribute 0 as the position. For programs the attribute follows from the
    /// semantic of the input, for other modules it has the number of the location. Inputs that have
    /// another type than a previous use of the attribute, or more than its four components, are not
    /// written.
    fn build_vertex_passthrough(
        &self,
        modules: &[Module],
        section: &ProgramSection,
    ) -> Result<Module, Refusal> {
        let next = [
            Stage::TessControl,
            Stage::TessEval,
            Stage::Geometry,
            Stage::Fragment,
        ]
        .into_iter()
        .find_map(|stage| modules.iter().find(|module| module.stage == stage));
        let mut inputs = next.map(find_inputs).unwrap_or_default();
        let reflection = next.and_then(|module| module.reflection.as_ref());
        let read = |varying: &Varying| {
            let mut inputs = reflection?.inputs.iter();
            let same = inputs.find(|input| input.location == Some(varying.location))?;
            Some(same.semantic)
        };
        inputs.retain(|input| !input.patch);
        let passed = passed_varyings(&inputs, read)
            .map_err(|message| Refusal::Fail(Failure::new(Some(section.line), message)))?;
        let mut copies: Vec<AttributeCopy> = Vec::new();
        for PassedVarying { varying, location } in &passed {
            let attribute = match reflection {
                Some(_) => conventional_attribute(location.semantic),
                None => Some(varying.location),
            };
            let attribute = attribute.and_then(|attribute| u8::try_from(attribute).ok());
            let Some(attribute) = attribute else { continue };
            // An attribute has one type, that of attribute 0 is known.
            let existing = copies.iter().find(|copy| copy.attribute == attribute);
            let base = match (attribute, existing) {
                (_, Some(known)) => known.base,
                (0, None) => BaseType::Float,
                (_, None) => location.base_type,
            };
            let fits = varying.component.saturating_add(varying.components) <= 4;
            if base == location.base_type && fits {
                copies.push(AttributeCopy {
                    attribute,
                    base,
                    first_component: location.first_component,
                    varying: location.semantic,
                });
            }
        }
        let mut options = options_between(self.generated_options(section.stage), &[], &passed);
        options.interface.attributes = Vec::new();
        self.compile_generated(
            section,
            &stages::build_passthrough_vertex(&copies),
            &options,
        )
    }

    /// Builds a tessellation evaluation module that forwards the outputs of the tessellation
    /// control module. The number of vertices of a patch is that of the control module; if that is
    /// unknown, of the first draw.
    fn build_tess_eval_passthrough(
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
        let primitives = control.and_then(|module| module.reflection.as_ref()?.primitive_info);
        let vertices = match primitives {
            Some(PrimitiveInfo::TessControl { vertices }) => Some(vertices),
            Some(PrimitiveInfo::TessEval { .. } | PrimitiveInfo::Geometry { .. }) | None => {
                entry.and_then(|entry| entry.output_vertices)
            }
        };
        let vertices = vertices.unwrap_or_else(|| self.first_patch_size());
        let passed = self.require_passed_outputs(modules, section)?;
        let (varyings, outputs) = patch_varyings(&passed);
        let mut options = options_between(self.generated_options(section.stage), &passed, &[]);
        options.interface.outputs = Varyings::Explicit(outputs);
        let program = stages::build_passthrough_evaluation(&varyings, vertices);
        self.compile_generated(section, &program, &options)
    }

    /// Returns the number of vertices of the patches of the first draw; 3 if the script does not
    /// draw.
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

    /// Builds a geometry module that emits its input primitive unchanged; its words are generated
    /// for each draw. The size of points is forwarded if the device supports it in geometry stages.
    fn build_geometry_passthrough(
        &self,
        modules: &[Module],
        section: &ProgramSection,
    ) -> Result<Module, Refusal> {
        let evaluation = modules
            .iter()
            .find(|module| module.stage == Stage::TessEval);
        let tessellated = evaluation.map(generated_primitive);
        let passed = self.require_passed_outputs(modules, section)?;
        let options = self.generated_options(section.stage);
        let kind = TemplateKind::Geometry(tessellated);
        let has_size = options.device.tessellation_and_geometry_point_size;
        let mut built_ins = find_written_built_ins(modules, section.stage);
        built_ins.retain(|semantic| has_size || *semantic != Semantic::PointSize);
        let template = DrawTemplate::new(kind, passed, options).with_built_ins(built_ins);
        Ok(template_module(section.stage, template))
    }

    /// Builds the fragment module. A fixed-function section after a program that writes the primary
    /// color becomes GL's fragment processing for the state of the script; any other section
    /// outputs the varying at location 0. The script fails if no stage writes it.
    fn build_fragment_passthrough(
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
            let text = fragment_text(self.state, vertices, fixed);
            return self.compile_assembly(&program_section(section, text));
        }
        let passed = self.require_passed_outputs(modules, section)?;
        let color = passed
            .iter()
            .find(|passed| (passed.varying.location, passed.varying.component) == (0, 0));
        let Some(color) = color else {
            return Err(vec![Refusal::Fail(Failure::new(
                Some(section.line),
                "no stage writes a color for the fragment stage to pass on",
            ))]);
        };
        let (base, semantic) = (color.location.base_type, color.location.semantic);
        let shading = if base == BaseType::Float && !color.varying.flat {
            FragmentShading::Smooth
        } else {
            FragmentShading::Flat
        };
        let options = self.generated_options(section.stage);
        let mut options = options_between(options, std::slice::from_ref(color), &[]);
        options.interface.colors = vec![base];
        options.pipeline_state.draw_buffer_mask = 0;
        let program = stages::build_color_fragment(semantic, base, shading);
        Ok(self.compile_generated(section, &program, &options)?)
    }

    /// Returns the reason to skip the script if the device cannot implement the conventions of GL
    /// that it needs: GL's clip space for modules of other compilers, and the last vertex as
    /// provoking vertex where the fragment stage reads flat inputs.
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
        if last && !has("provokingVertexLast") && modules.iter().any(reads_flat_inputs) {
            return Err(Refusal::Skip(
                "the device lacks provokingVertexLast, which values that are not interpolated need"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// Returns true if the last stage before rasterization is a module of another compiler. Only
    /// the device can convert the depths of its positions from GL's clip space.
    fn needs_clip_control(&self, modules: &[Module]) -> bool {
        let last = self.last_stage();
        modules
            .iter()
            .any(|module| module.stage == last && module.reflection.is_none())
    }
}

/// Returns the inputs of a module, of its first entry point for the stage; empty if they are
/// unknown.
fn find_inputs(module: &Module) -> Vec<Varying> {
    let entry = module.interface.as_ref().and_then(|interface| {
        let mut entries = interface.entry_points.iter();
        entries.find(|entry| entry.stage == module.stage)
    });
    StageInterface::from_module(module, entry)
        .map(|interface| interface.inputs)
        .unwrap_or_default()
}

/// Returns true if a fragment module reads values that are not interpolated.
fn reads_flat_inputs(module: &Module) -> bool {
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

/// Returns the outputs of the last of `modules` before `stage`, as a stage that passes them through
/// declares them; none if there is no such module. Fails if outputs cannot be passed through, see
/// [`passed_varyings`].
fn find_passed_outputs(modules: &[Module], stage: Stage) -> Result<Vec<PassedVarying>, String> {
    let previous = modules
        .iter()
        .filter(|module| module.stage < stage)
        .max_by_key(|module| module.stage);
    let Some(module) = previous else {
        return Ok(Vec::new());
    };
    if let Some(template) = &module.template {
        return Ok(template.passed.clone());
    }
    let entry = module
        .interface
        .as_ref()
        .and_then(|interface| interface.entry_points.first());
    let outputs = StageInterface::from_module(module, entry).map(|found| found.outputs);
    let semantic = output_semantic(module.reflection.as_ref());
    passed_varyings(&outputs.unwrap_or_default(), semantic)
}

/// Returns the point size, clip and cull distances that the last program before `stage` writes;
/// empty if its module is not one of the compiler.
fn find_written_built_ins(modules: &[Module], stage: Stage) -> Vec<Semantic> {
    let previous = modules
        .iter()
        .filter(|module| module.stage < stage)
        .max_by_key(|module| module.stage)
        .and_then(|module| module.reflection.as_ref());
    let outputs = previous.iter().flat_map(|reflection| &reflection.outputs);
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

/// Returns true if a tessellation evaluation program reads a semantic; false if its module is not
/// one of the compiler.
fn is_read(modules: &[Module], semantic: Semantic) -> bool {
    let mut evaluation = modules
        .iter()
        .filter(|module| module.stage == Stage::TessEval)
        .filter_map(|module| module.reflection.as_ref())
        .flat_map(|reflection| &reflection.inputs);
    evaluation.any(|input| input.semantic == semantic)
}

/// Returns the primitive that a tessellation evaluation module generates: points, lines or
/// triangles; triangles if its mode is unknown. Point mode is only known for programs of the
/// compiler.
fn generated_primitive(evaluation: &Module) -> Primitive {
    let primitives = evaluation
        .reflection
        .as_ref()
        .and_then(|reflection| reflection.primitive_info);
    if let Some(PrimitiveInfo::TessEval {
        mode,
        point_mode: points,
        ..
    }) = primitives
    {
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

/// Returns a copy of a section whose program is `text`, in assembly that the runner has generated;
/// it maps to no lines of the script.
fn program_section(section: &ProgramSection, text: String) -> ProgramSection {
    ProgramSection {
        form: ProgramForm::Assembly,
        text: text.into_bytes(),
        source_map: SourceMap::default(),
        ..section.clone()
    }
}

/// Returns GL's fragment processing as an assembly program, for vertices from a vertex program or
/// from fixed-function processing. Colors are only clamped between units if the script specifies
/// it.
pub(super) fn fragment_text(
    state: &ProgramState,
    vertices: VertexProcessing,
    fixed: &PipelineState,
) -> String {
    let unclamped = !fixed.clamp_fragment_colors;
    state
        .fixed
        .generate_fragment_text(&state.texture_enables, vertices, unclamped)
}

/// Returns GL's vertex processing as an assembly program, which writes the texture and fog
/// coordinates among `inputs`, the inputs of the following stage; with `None` those that the
/// fragment stage of [`fragment_text`] reads.
pub(super) fn vertex_text(state: &ProgramState, inputs: Option<&[InterfaceVariable]>) -> String {
    let mut reads = FixedVertexOutputs::default();
    match inputs {
        Some(inputs) => {
            for input in inputs {
                if let Semantic::TexCoord(set) = input.semantic
                    && usize::from(set) < MAX_TEXTURE_UNITS
                {
                    reads.texcoords |= 1 << set;
                } else if input.semantic == Semantic::FogCoord {
                    reads.fog_coordinate = true;
                }
            }
        }
        None => {
            let vertices = VertexProcessing::Fixed;
            let key = state.fixed.fragment_key(&state.texture_enables, vertices);
            reads.texcoords = state.fixed.fragment_coordinate_sets(&state.texture_enables);
            reads.fog_coordinate = key.fog_mode.is_some();
        }
    }
    generate_vertex_program(&state.fixed.vertex_key(reads))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::{Options, Source, compile};
    use glasm_scripts::script::Script;

    /// Returns the state of the draw of a script.
    fn state(commands: &str) -> ProgramState {
        let text = format!("[require]\nGL >= 1.3\n[test]\n{commands}\ndraw rect -1 -1 2 2\n");
        let mut script = Script::parse(text.as_bytes()).unwrap();
        script.complete_stages().unwrap();
        script.program_states().remove(0)
    }

    fn text(state: &ProgramState, clamp_fragment_colors: bool) -> String {
        let fixed = PipelineState {
            clamp_fragment_colors,
            ..PipelineState::default()
        };
        fragment_text(state, VertexProcessing::Fixed, &fixed)
    }

    /// Returns the inputs of a program that loads.
    fn inputs(text: &str) -> Vec<InterfaceVariable> {
        let source = Source::new("fixed function", text.as_bytes());
        let shader = compile(&source, &Options::default());
        let shader = shader.unwrap_or_else(|errors| panic!("{text}{}", errors.render(&source)));
        shader.reflection.inputs
    }

    #[test]
    fn the_vertex_stage_writes_what_the_fragment_stage_reads() {
        let state = state(
            "active_texture 5\nenable GL_TEXTURE_CUBE_MAP\nactive_texture 2\nenable GL_TEXTURE_1D\nenable GL_FOG",
        );
        let fragment = inputs(&text(&state, true));
        for vertex in [
            vertex_text(&state, None),
            vertex_text(&state, Some(&fragment)),
        ] {
            for result in [
                "result.texcoord[5]",
                "result.texcoord[2]",
                "result.fogcoord",
            ] {
                assert!(vertex.contains(result), "{vertex}");
            }
            assert!(!vertex.contains("result.texcoord[0]"), "{vertex}");
            inputs(&vertex);
        }
    }

    #[test]
    fn colors_are_clamped_where_the_script_says_so() {
        let state = state("enable GL_COLOR_SUM");
        assert!(text(&state, true).contains("ADD_SAT"));
        assert!(!text(&state, false).contains("_SAT"));
    }
}
