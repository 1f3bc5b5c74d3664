//! Compilation of the stages of a pipeline together: only the varyings between them have locations.

mod interface_check;
mod patch_lowering;

use crate::cache::CacheKey;
use crate::layout::{DescriptorConflict, SetLayout, build_set_layouts};
use crate::program::Program;
use crate::program::{Compiler, Shader, verify_ir};
use crate::program_errors::{LinkErrors, ProgramErrors};
use glasm_codegen::options::{
    ClipDepth, Conventions, PipelineState, PrimitiveIdMode, Target, TransformFeedback, Varyings,
};
use glasm_codegen::varyings::varying_location;
use glasm_codegen::{Options, SourceText};
use glasm_frontend::{Code, Diagnostic, Diagnostics, Severity, Source};
use glasm_ir::primitive::InputPrimitive;
use glasm_ir::{self as ir, Interpolation, Semantic, Stage};
use interface_check::check_pipeline;
use std::borrow::Cow;

/// Result of [`link`].
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Linked {
    /// The programs, in the order of the arguments.
    pub programs: Vec<Program>,
    /// Result of each stage, in the order of the arguments.
    pub stages: Vec<Result<Shader, Diagnostics>>,
    /// Additional stages that the pipeline needs: those that lower patches for geometry programs
    /// and for rasterization.
    pub generated: Vec<(Stage, Result<Shader, Diagnostics>)>,
    /// Inputs that the previous stage does not write, with the stage that reads them. GL links such
    /// programs: they read (0, 0, 0, 1).
    pub unwritten: Vec<(Stage, Semantic)>,
}

impl Linked {
    /// Returns the shaders of all stages, in the order of the programs, then the generated ones.
    ///
    /// # Errors
    /// The errors of all stages that are not compiled, with the names of their programs.
    pub fn into_shaders(self) -> Result<Vec<Shader>, LinkErrors> {
        self.check()?;
        let generated = self.generated.into_iter().map(|(_, shader)| shader);
        Ok(self.stages.into_iter().chain(generated).flatten().collect())
    }

    /// Checks that all stages are compiled.
    ///
    /// # Errors
    /// The errors of the other stages, with the names of their programs.
    pub fn check(&self) -> Result<(), LinkErrors> {
        let given = self.programs.iter().zip(&self.stages);
        let given = given.filter_map(|(program, shader)| {
            let errors = shader.as_ref().err()?.clone();
            let stage = program.stage();
            Some((stage, ProgramErrors::new(errors, &program.source())))
        });
        let generated = self.generated.iter();
        let generated = generated.filter_map(|(stage, shader)| {
            let errors = shader.as_ref().err()?.clone();
            let name = format!("generated {} stage", stage.name());
            Some((*stage, ProgramErrors::new(errors, &Source::new(&name, b""))))
        });
        let stages: Vec<_> = given.chain(generated).collect();
        if stages.is_empty() {
            return Ok(());
        }
        Err(LinkErrors { stages })
    }

    /// Returns the stages of which two pipelines have different shaders, or only one has a shader,
    /// in the order of Vulkan's stages: all stages of this one if there is none before. A caller
    /// that replaces `before` by this pipeline retains the modules of all other stages
    /// ([`Shader::is_same_module`]).
    ///
    /// ```
    /// use glasm::{Options, Program, Stage, link};
    ///
    /// let vertex = "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\nEND";
    /// let vertex = Program::load_string("a.vp", Stage::Vertex, vertex)?;
    /// let fragment = "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND";
    /// let fragment = Program::load_string("a.fp", Stage::Fragment, fragment)?;
    /// let mut options = Options::default();
    /// let smooth = link(&[&vertex, &fragment], &options);
    /// options.pipeline_state.flat_colors = true;
    /// let flat = link(&[&vertex, &fragment], &options);
    /// assert_eq!(flat.find_changed_stages(Some(&smooth)), [Stage::Fragment]);
    /// assert_eq!(link(&[&fragment], &options).find_changed_stages(Some(&flat)), [Stage::Vertex]);
    /// assert_eq!(flat.find_changed_stages(None), [Stage::Vertex, Stage::Fragment]);
    /// # Ok::<(), glasm::ProgramErrors>(())
    /// ```
    pub fn find_changed_stages(&self, before: Option<&Self>) -> Vec<Stage> {
        let find_before = |stage| before.and_then(|before| before.shader(stage));
        let is_changed = |stage: &Stage| match (self.shader(*stage), find_before(*stage)) {
            (Some(shader), Some(before)) => !shader.is_same_module(before),
            (None, None) => false,
            (Some(_), None) | (None, Some(_)) => true,
        };
        let stages = Stage::ALL.iter().map(|(stage, _)| *stage);
        stages.filter(is_changed).collect()
    }

    /// Returns the shaders of all stages that are compiled, in the order of the programs, then the
    /// generated ones.
    pub fn shaders(&self) -> impl Iterator<Item = &Shader> {
        let generated = self.generated.iter().map(|(_, shader)| shader);
        self.stages.iter().chain(generated).flatten()
    }

    /// Returns the shader of a stage; `None` if the pipeline does not have it, or if it has errors.
    pub fn shader(&self, stage: Stage) -> Option<&Shader> {
        let mut shaders = self.shaders();
        shaders.find(|shader| shader.reflection.stage == stage)
    }

    /// Returns the descriptor set layouts that all stages need together
    /// ([`build_set_layouts`](crate::layout::build_set_layouts)).
    ///
    /// # Errors
    /// Returns the conflict if two stages require descriptors of different kinds at a slot.
    pub fn build_set_layouts(&self) -> Result<Vec<SetLayout>, DescriptorConflict> {
        let reflections: Vec<_> = self.shaders().map(|it| &it.reflection).collect();
        build_set_layouts(&reflections)
    }
}

/// A stage of the pipeline.
struct PipelineStage<'a> {
    /// `None` if it does not match the previous stages.
    program: Option<Cow<'a, ir::Program>>,
    /// Warnings and errors.
    diagnostics: Diagnostics,
    options: Cow<'a, Options>,
    /// For line numbers; `None` for generated stages.
    source_text: Option<SourceText<'a>>,
}

/// Compiles the stages of one pipeline, given in its order, so that their interfaces match. The
/// programs are not loaded again.
///
/// Outputs that the next program does not name, and that transform feedback does not capture, are
/// dropped; the others have locations from 0 on. State does not matter for that: back colors of a
/// color that is read remain without two-sided colors, so that the module does not depend on it. Any two results of a program can be combined,
/// unlike with the fixed table of separate stages. Of the options `interface.inputs` applies to the
/// first stage, `interface.outputs` and `transform_feedback` to the last.
///
/// Any combination of stages is supported. A program that does not match the previous ones has an
/// error that names both sides, as GL draws nothing with such programs: E0703 if it accesses a
/// texture image unit with another target, E0912 if it is a geometry program that accepts other
/// primitives.
///
/// In Vulkan patches end in an evaluation stage. If there is none, [`Linked::generated`] contains
/// it, and draws are of patches nevertheless:
///
/// - A geometry program with `PRIMITIVE_IN PATCHES` after a control program receives all its inputs
///   of a patch, up to 62 vectors, as varyings of a line. The same applies without control program
///   if it reads levels, or if no primitive of Vulkan has as many vertices as patches have
///   ([`PipelineState::patch_vertices`](crate::PipelineState::patch_vertices); the levels are
///   [`PipelineState::default_tess_levels`](crate::PipelineState::default_tess_levels)). Otherwise
///   it is compiled for that primitive, and the caller draws points, lines, triangles, lines or triangles
///   with adjacency instead of patches of 1, 2, 3, 4 or 6 vertices.
/// - The vertices of patches that a control program outputs without a following stage become
///   points.
///
/// ```
/// use glasm::{Options, Program, Source, link};
///
/// let vertex = Program::load(&Source::new("v", "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\nEND"))?;
/// let fragment = Program::load(&Source::new("f", "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND"))?;
/// let linked = link(&[&vertex, &fragment], &Options::default());
/// assert!(linked.unwritten.is_empty());
/// let [vertex, fragment] = &linked.into_shaders()?[..] else { unreachable!("no stage is generated") };
/// assert_eq!((vertex.reflection.stage, fragment.reflection.stage), (glasm::Stage::Vertex, glasm::Stage::Fragment));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn link(programs: &[&Program], options: &Options) -> Linked {
    Compiler::new().link(programs, options)
}

/// Compiles the stages of one pipeline like [`link()`], with separate options for each stage.
pub fn link_with(stages: &[(&Program, &Options)]) -> Linked {
    Compiler::new().link_with(stages)
}

/// Returns the key of the shaders that [`link()`] returns for these programs and options: the keys of
/// all programs ([`Program::cache_key`]) in their order, combined. Equal keys have equal shaders.
/// Options that cannot change the module of any of the programs alone do not change the key; linking
/// may remove what depends on others, so that different keys may have equal shaders:
/// [`PipelineCache`](crate::PipelineCache) returns one pipeline for them.
///
/// ```
/// use glasm::{Options, Program, Source, compute_pipeline_key};
///
/// let vertex = Program::load(&Source::new("v", "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\nEND"))?;
/// let fragment = Program::load(&Source::new("f", "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND"))?;
/// let mut options = Options::default();
/// let key = compute_pipeline_key(&[&vertex, &fragment], &options);
/// options.pipeline_state.coord_replace_mask = 1; // of texture coordinates, which neither program has
/// assert_eq!(compute_pipeline_key(&[&vertex, &fragment], &options), key);
/// options.pipeline_state.two_sided_color = true;
/// assert_ne!(compute_pipeline_key(&[&vertex, &fragment], &options), key);
/// # Ok::<(), glasm::Diagnostics>(())
/// ```
pub fn compute_pipeline_key(programs: &[&Program], options: &Options) -> CacheKey {
    let keys = programs.iter().map(|program| program.cache_key(options));
    let key = keys.reduce(|all, key| all.combine(key.as_bytes()));
    key.unwrap_or_else(|| CacheKey::from_bytes([0; 32]))
}

impl Compiler {
    /// Compiles the stages of one pipeline like [`link()`], with the memory of this compiler.
    pub fn link(&mut self, programs: &[&Program], options: &Options) -> Linked {
        let stages: Vec<Stage> = programs.iter().map(|program| program.stage()).collect();
        let options: Vec<_> = (0..stages.len())
            .map(|number| select_stage_options(&stages, number, options))
            .collect();
        let pairs: Vec<_> = programs
            .iter()
            .copied()
            .zip(options.iter().map(|it| &**it))
            .collect();
        self.link_with(&pairs)
    }

    /// Compiles the stages of one pipeline like [`link_with`], with the memory of this compiler.
    pub fn link_with(&mut self, stages: &[(&Program, &Options)]) -> Linked {
        let mut parts: Vec<PipelineStage<'_>> = stages
            .iter()
            .map(|(program, options)| PipelineStage {
                program: Some(Cow::Borrowed(program.ir())),
                diagnostics: program.warnings().clone(),
                options: Cow::Borrowed(options),
                source_text: Some(program.source_text()),
            })
            .collect();
        let programs: Vec<_> = stages.iter().map(|(program, _)| program.ir()).collect();
        let diagnostics = check_pipeline(&programs);
        for (index, mut found) in diagnostics.into_iter().enumerate() {
            name_mismatched_programs(&mut found, stages, index);
            parts[index].add_diagnostics(found);
        }
        // Before locations are assigned: the generated stages pass varyings through, too.
        lower_patches(&mut parts);
        let mut linked = Linked {
            programs: stages
                .iter()
                .map(|(program, _)| (*program).clone())
                .collect(),
            stages: Vec::with_capacity(stages.len()),
            generated: Vec::new(),
            unwritten: assign_locations(&mut parts),
        };
        self.match_interpolations(&mut parts);
        let mut next_image_binding = 0;
        for mut part in parts {
            let stage = part.program.as_ref().map(|program| program.stage);
            let is_made = part.source_text.is_none();
            part.renumber_images(next_image_binding);
            let compiled = part.compile(self);
            if let Ok(shader) = &compiled {
                let bound = shader.reflection.images.iter();
                let ends = bound.map(|it| it.slot.binding.saturating_add(it.descriptor_count));
                next_image_binding = ends.fold(next_image_binding, u32::max);
            }
            match stage.filter(|_| is_made) {
                Some(stage) => linked.generated.push((stage, compiled)),
                None => linked.stages.push(compiled),
            }
        }
        linked
    }
}

impl Compiler {
    /// Passes the interpolation of the inputs of the fragment stage to the stage before it, for
    /// modules that are written in a shading language; does nothing for SPIR-V. The fragment stage
    /// is compiled for that, because inputs depend on GL state.
    fn match_interpolations(&mut self, parts: &mut [PipelineStage<'_>]) {
        let [.., before, last] = parts else { return };
        let (Some(program), Some(_)) = (&last.program, &before.options.text_target) else {
            return;
        };
        if program.stage != Stage::Fragment {
            return;
        }
        // Errors are those of the stage, which is compiled again.
        let Ok(shader) = self.emit(program, &last.options, None, Diagnostics::default()) else {
            return;
        };
        let inputs = shader.reflection.inputs.iter();
        let inputs = inputs.filter(|input| input.interpolation != Interpolation::Smooth);
        let inputs = inputs.map(|input| (input.semantic, input.interpolation));
        if let Some(target) = &mut before.options.to_mut().text_target {
            target.interpolations = inputs.collect();
        }
    }
}

impl PipelineStage<'_> {
    /// Adds diagnostics of the comparison with other stages; anything but a warning removes the
    /// program, so that the stage is not compiled.
    fn add_diagnostics(&mut self, found: Vec<Diagnostic>) {
        for diagnostic in found {
            if diagnostic.severity != Severity::Warning {
                self.program = None;
            }
            self.diagnostics.push(diagnostic);
        }
    }

    /// Renumbers the image units of a stage for OpenGL from `first` on, unless its options begin at
    /// a larger number: in OpenGL all stages share the image units, and those of this stage follow
    /// those of the previous stages. Does nothing for other targets.
    fn renumber_images(&mut self, first: u32) {
        if self.options.target == Target::OpenGl4_5
            && self.options.bindings.first_image_binding < first
        {
            self.options.to_mut().bindings.first_image_binding = first;
        }
    }

    /// Compiles the program of the stage; fails with its diagnostics if the comparison with other
    /// stages found errors, and if code generation does.
    fn compile(self, compiler: &mut Compiler) -> Result<Shader, Diagnostics> {
        let Some(program) = self.program else {
            return Err(self.diagnostics);
        };
        if cfg!(debug_assertions) {
            verify_ir(&program)?;
        }
        compiler.emit(&program, &self.options, self.source_text, self.diagnostics)
    }
}

/// Returns the options of stage `number` of a pipeline: options for vertices and primitives apply
/// to the last stage before rasterization, the source of primitive indices depends on geometry
/// programs.
fn select_stage_options<'a>(
    stages: &[Stage],
    number: usize,
    options: &'a Options,
) -> Cow<'a, Options> {
    let last = stages.iter().rposition(|&stage| stage != Stage::Fragment);
    if stages[number] == Stage::Fragment {
        // Geometry programs define primitive indices themselves.
        let primitive_numbers = if stages.contains(&Stage::Geometry) {
            PrimitiveIdMode::PerPrimitive
        } else {
            options.pipeline_state.primitive_id_mode
        };
        if primitive_numbers == options.pipeline_state.primitive_id_mode
            && options.transform_feedback.is_empty()
        {
            return Cow::Borrowed(options);
        }
        let mut options = options.clone();
        options.pipeline_state.primitive_id_mode = primitive_numbers;
        options.transform_feedback = TransformFeedback::default();
        return Cow::Owned(options);
    }
    if Some(number) == last {
        return Cow::Borrowed(options);
    }
    Cow::Owned(Options {
        conventions: Conventions {
            // A position that another stage reads must be the one that the program wrote; the last
            // stage remaps it.
            clip_depth: ClipDepth::ZeroToOne,
            ..options.conventions
        },
        transform_feedback: TransformFeedback::default(),
        pipeline_state: PipelineState {
            // Colors are clamped at the end of the last stage: GL 2.1 section 2.14.6 clamps the
            // rasterized colors.
            clamp_vertex_colors: false,
            forced_point_size: None,
            default_point_size: None,
            line_stipple: None,
            ..options.pipeline_state
        },
        state_sources: options.state_sources.without_vertex_state(),
        ..options.clone()
    })
}

/// Assigns locations to the varyings between stages, in the options of both; returns the varyings
/// that are read and not written, with the stage that reads them. Stages without a program are
/// skipped.
fn assign_locations(parts: &mut [PipelineStage<'_>]) -> Vec<(Stage, Semantic)> {
    let mut unwritten = Vec::new();
    for index in 1..parts.len() {
        let [before, part] = &mut parts[index - 1..=index] else {
            continue;
        };
        let (Some(from), Some(to)) = (&before.program, &part.program) else {
            continue;
        };
        // Both sides receive one list, so that they agree independent of their other interface.
        let varyings = Varyings::pack(from, to, &before.options);
        before.options.to_mut().interface.outputs = varyings.clone();
        part.options.to_mut().interface.inputs = varyings;
        unwritten.extend(find_unwritten(from, to).map(|semantic| (to.stage, semantic)));
    }
    unwritten
}

/// Inserts the stages that patches need before geometry programs and rasterization. Does nothing if
/// the pipeline has an evaluation program, no patches, or a stage with errors.
fn lower_patches(parts: &mut Vec<PipelineStage<'_>>) {
    let stages: Option<Vec<Stage>> = parts
        .iter()
        .map(|part| part.program.as_ref().map(|program| program.stage))
        .collect();
    let Some(stages) = stages.filter(|stages| !stages.contains(&Stage::TessEval)) else {
        return;
    };
    let find = |wanted| stages.iter().position(|stage| *stage == wanted);
    match (find(Stage::TessControl), find(Stage::Geometry)) {
        (control, Some(geometry)) => lower_patches_to_geometry(parts, control, geometry),
        (Some(control), None) => lower_patches_to_points(parts, control),
        (None, None) => {}
    }
}

/// Returns the options of a stage that is generated before another one with these `options`: those
/// for the last stage before rasterization do not apply to it.
fn make_stage_options(options: &Options) -> Options {
    Options {
        target: options.target,
        device: options.device,
        bindings: options.bindings,
        debug: options.debug,
        text_target: options.text_target.clone(),
        ..Options::default()
    }
}

/// Rewrites a geometry program that takes patches to one that takes lines, and inserts an
/// evaluation stage and, if there is none, a control stage before it. Does nothing if the geometry
/// program takes other primitives, or patches can be drawn as these. Errors become those of the
/// geometry stage.
fn lower_patches_to_geometry(
    parts: &mut Vec<PipelineStage<'_>>,
    control: Option<usize>,
    geometry: usize,
) {
    let options = make_stage_options(&parts[geometry].options);
    let fixed = parts[geometry].options.pipeline_state;
    let Some(program) = &parts[geometry].program else {
        return;
    };
    if program.modes.primitive_in != InputPrimitive::Patches {
        return;
    }
    let vertices = u32::from(fixed.patch_vertices);
    let control_program = match control {
        Some(index) => parts[index].program.clone(),
        None if vertices == 0 || patch_lowering::can_draw_as_primitive(program, vertices) => None,
        None => {
            let passed = patch_lowering::build_control_for_geometry(
                program,
                vertices,
                fixed.default_tess_levels,
            );
            Some(Cow::Owned(passed))
        }
    };
    let Some(passed) = control_program else {
        return;
    };
    let bridge = match patch_lowering::build_bridge(&passed, program) {
        Ok(bridge) => bridge,
        Err(error) => return parts[geometry].add_diagnostics(vec![error]),
    };
    parts[geometry].program = Some(Cow::Owned(bridge.geometry));
    let make_generated = |program| PipelineStage {
        program: Some(Cow::Owned(program)),
        diagnostics: Diagnostics::default(),
        options: Cow::Owned(options.clone()),
        source_text: None,
    };
    parts.insert(geometry, make_generated(bridge.evaluation));
    match control {
        Some(index) => parts[index].program = Some(Cow::Owned(bridge.control)),
        None => parts.insert(geometry, make_generated(bridge.control)),
    }
}

/// Changes a control program whose patches reach the rasterizer as points: appends an evaluation
/// stage, to which the options of the last stage move. Errors become those of the control stage.
fn lower_patches_to_points(parts: &mut Vec<PipelineStage<'_>>, control: usize) {
    let part = &mut parts[control];
    let Some(program) = &part.program else { return };
    match patch_lowering::build_point_stage(program) {
        Ok((program, evaluation)) => {
            part.program = Some(Cow::Owned(program));
            let before = Options {
                // Options for the last stage before rasterization apply to the evaluation stage
                // now.
                conventions: Conventions::vulkan(),
                transform_feedback: TransformFeedback::default(),
                ..(*part.options).clone()
            };
            let evaluation_stage = PipelineStage {
                program: Some(Cow::Owned(evaluation)),
                diagnostics: Diagnostics::default(),
                options: std::mem::replace(&mut part.options, Cow::Owned(before)),
                source_text: None,
            };
            parts.insert(control + 1, evaluation_stage);
        }
        Err(error) => part.add_diagnostics(vec![error]),
    }
}

/// Adds the names of the program at `index` and of the preceding one to errors about programs that
/// do not fit each other.
fn name_mismatched_programs(
    diagnostics: &mut [Diagnostic],
    stages: &[(&Program, &Options)],
    index: usize,
) {
    let name = |index: usize| stages[index].0.source().name.to_owned();
    let Some(before) = index.checked_sub(1).map(name) else {
        return;
    };
    let mismatches = diagnostics
        .iter_mut()
        .filter(|it| it.code == Code::StageMismatch);
    mismatches.for_each(|it| {
        let own = name(index);
        it.notes
            .push(format!("note: `{own}` is linked after `{before}`"));
    });
}

/// Returns the varyings that `to` reads and `from` does not write; inputs that come from the system
/// are not varyings.
fn find_unwritten<'a>(
    from: &'a ir::Program,
    to: &'a ir::Program,
) -> impl Iterator<Item = Semantic> + 'a {
    // GL links varyings by name and leaves unmatched ones undefined. Inputs that are not varyings
    // come from the system.
    let is_written = |semantic: Semantic| {
        let mut outputs = from.outputs.iter();
        outputs.any(|output| output.semantic == semantic)
    };
    let inputs = to.inputs.iter().map(|input| input.semantic);
    inputs.filter(move |semantic| varying_location(*semantic).is_some() && !is_written(*semantic))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use glasm_codegen::reflect::InterfaceVariable;
    use glasm_frontend::Source;

    /// Loads and links programs with default options; panics if one does not load.
    fn linked(sources: &[&Source<'_>]) -> Linked {
        let programs: Vec<_> = sources
            .iter()
            .map(|source| Program::load(source).unwrap())
            .collect();
        link(&programs.iter().collect::<Vec<_>>(), &Options::default())
    }

    /// Returns semantics and locations of variables, sorted by semantic.
    fn locations(list: &[InterfaceVariable]) -> Vec<(Semantic, Option<u32>)> {
        let mut found: Vec<_> = list.iter().map(|it| (it.semantic, it.location)).collect();
        found.sort_unstable();
        found
    }

    /// Checks that linked stages number only the varyings that pass between them, and list the
    /// inputs that no stage writes.
    #[test]
    fn what_passes_is_numbered_and_the_rest_is_dropped() {
        let vertex = Source::new(
            "v",
            "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, 1;\nMOV result.attrib[27], 2;\n\
             MOV result.texcoord[3], 3;\nMOV result.attrib[30], 4;\nEND",
        );
        let fragment = Source::new(
            "f",
            "!!NVfp4.0\nTEMP r;\nMOV r, fragment.color;\nADD r, r, fragment.attrib[27];\n\
             ADD result.color, r, fragment.texcoord[5];\nEND",
        );
        // Separately compiled, color and attribute 27 share location 0.
        assert!(crate::compile(&vertex, &Options::default()).is_err());
        let linked = linked(&[&vertex, &fragment]);
        assert_eq!(linked.unwritten, [(Stage::Fragment, Semantic::TexCoord(5))]);
        let [vertex, fragment] = [0, 1].map(|stage| linked.stages[stage].as_ref().unwrap());
        assert_eq!(
            locations(&vertex.reflection.outputs),
            [
                (Semantic::Position, None),
                (Semantic::Color(0), Some(0)),
                (Semantic::GenericVarying(27), Some(1)),
            ]
        );
        assert_eq!(
            locations(&fragment.reflection.inputs),
            [
                (Semantic::Color(0), Some(0)),
                (Semantic::GenericVarying(27), Some(1)),
            ]
        );
    }

    /// Checks that stages may use a texture unit with different targets only if their textures have
    /// the same dimensions.
    #[test]
    fn stages_agree_on_targets() {
        let vertex = |target| {
            format!(
                "!!ARBvp1.0\nOPTION NV_vertex_program3;\nOPTION ARB_fragment_program_shadow;\n\
                 TEX result.position, 0, texture[3], {target};\nEND"
            )
        };
        let fragment = "!!ARBfp1.0\nTEX result.color, 0, texture[1], 3D;\nTEX result.color, 0, texture[3], 2D;\nEND";
        let fragment = Source::new("f", fragment);
        for (target, agrees) in [("2D", true), ("SHADOW2D", true), ("CUBE", false)] {
            let text = vertex(target);
            let vertex = Source::new("v", &text);
            let linked = linked(&[&vertex, &fragment]);
            assert!(linked.stages[0].is_ok());
            assert_eq!(linked.stages[1].is_ok(), agrees, "{target}");
            if let Err(found) = &linked.stages[1] {
                assert_eq!(found.list[0].code, Code::TargetConflict);
            }
        }
    }
}
