//! Pipelines: programs that draw together, as program objects of the driver.

use crate::capabilities::Capabilities;
use crate::context::State;
use crate::ffi::driver::constants::PATCHES;
use crate::ffi::{driver, driver_state};
use crate::glsl_output::{self, GlslText, GlslWriter};
use crate::log;
use crate::mixed_pipeline::{self, StageGroup};
use crate::pixel_programs::TexelColorSource;
use crate::primitives::PrimitiveClass;
use crate::program_parameters::UniformBlock;
use crate::share_group::Program;
use crate::state_snapshot::RequiredState;
use crate::target::Target;
use crate::temporary_state::PointSize;
use crate::temporary_state::{self, ImageView};
use crate::texture_state::DepthState;
use glasm::fixed_function::{
    FixedFragmentKey, FixedVertexKey, generate_fragment_program, generate_vertex_program,
};
use glasm::ir::primitive::InputPrimitive;
use glasm::reflect::BufferKind;
use glasm::{
    Capture, Compiler, DefaultTessLevels, LodBias, Options, Program as Loaded, Semantic, Shader,
    Source, Stage, TransformFeedback, stages,
};
use std::sync::{Arc, Once};
use std::time::Instant;

/// Stages that draw, in their order.
pub(crate) const STAGES: usize = 5;

/// Programs of a pipeline by stage.
pub(crate) type Programs = [Option<Arc<Program>>; STAGES];

/// Key of a pipeline.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PipelineKey {
    /// Serial numbers of the programs, 0 if there is none.
    pub(crate) serials: [u64; STAGES],
    pub(crate) static_state: StaticState,
    /// Captured outputs of the last stage before rasterization.
    pub(crate) captured_outputs: Option<Arc<TransformFeedback>>,
    /// Fixed-function vertex stage, if there is no program.
    pub(crate) fixed_vertex: Option<FixedVertexKey>,
    /// Fixed-function fragment stage, if there is no program.
    pub(crate) fixed_fragment: Option<FixedFragmentKey>,
    /// Biases of levels, if they are clamped.
    pub(crate) lod_biases: Vec<LodBias>,
    /// Stages of the programs, if they are combined with shaders of the application.
    pub(crate) stage_group: Option<StageGroup>,
}

/// State that programs are compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct StaticState {
    pub(crate) two_sided: bool,
    pub(crate) flat: bool,
    pub(crate) clamps_vertex_colors: bool,
    /// Texture coordinates that are the point's, where points are drawn.
    pub(crate) point_sprites: u8,
    pub(crate) clip_planes: u8,
    pub(crate) draw_buffers: u8,
    /// Textures that are compared.
    pub(crate) depth_state: DepthState,
    /// Texture image units whose lookups return zeros.
    pub(crate) incomplete_units: u32,
    /// Texture image units whose textures are signed HILO: lookups return three components.
    pub(crate) signed_hilo_units: u32,
    /// Number of vertices of patches, if a stage depends on it.
    pub(crate) patch_vertices: u8,
    /// Levels of patches that have no control program.
    pub(crate) patch_levels: DefaultTessLevels,
    /// Primitives of the draw, to the extent that programs depend on them.
    pub(crate) primitive_class: PrimitiveClass,
    /// Source of the color of the fragment program, if it draws pixels.
    pub(crate) texel_colors: Option<TexelColorSource>,
}

impl StaticState {
    /// Clears the state that concerns the built-in varyings of GLSL (two-sided, flat and clamped
    /// colors, point sprites), which the driver then applies itself. Clip planes are unchanged.
    pub(crate) fn leave_varyings_to_driver(&mut self) {
        self.two_sided = false;
        self.flat = false;
        self.clamps_vertex_colors = false;
        self.point_sprites = 0;
    }
}

/// Program object with its resources.
#[derive(Debug, Default)]
pub(crate) struct Pipeline {
    /// Name in the driver.
    pub(crate) program: u32,
    pub(crate) blocks: Vec<UniformBlock>,
    pub(crate) required_state: RequiredState,
    /// Attributes that the vertex program reads.
    pub(crate) attribute_mask: u32,
    /// Parameter buffers: binding of a target, and the binding of the driver.
    pub(crate) buffers: Vec<(Target, u32, u32)>,
    /// Buffers of atomic counters: their bindings, and those of storage buffers in modules.
    pub(crate) counters: Vec<(u32, u32)>,
    pub(crate) images: Vec<ImageView>,
    /// True if near and far planes do not clip.
    pub(crate) is_unclipped: bool,
    /// Source of the size of points.
    pub(crate) point_size: PointSize,
    /// Distances that the last stage before rasterization writes.
    pub(crate) clip_distances: u8,
    /// Mode and the mode that the driver draws instead: patches that a geometry program accepts
    /// unchanged, quadrilaterals and polygons.
    pub(crate) mode_replacement: Option<(u32, u32)>,
    /// Material properties that are attributes.
    pub(crate) material_attributes: u16,
    /// True if `GLASM_DUMP_DIR` has written it.
    pub(crate) is_dumped: bool,
    /// Clip planes that were enabled when it was chosen.
    pub(crate) clip_planes: u8,
    /// Stages of this library, if shaders of the application are combined with the program object.
    pub(crate) stage_group: Option<StageGroup>,
}

/// Target of each stage, in the order of the stages.
pub(crate) const TARGETS_OF_STAGES: [Target; STAGES] = [
    Target::Vertex,
    Target::TessControl,
    Target::TessEvaluation,
    Target::Geometry,
    Target::Fragment,
];

/// Returns the enumerant of the shaders of a stage, such as `GL_VERTEX_SHADER`.
pub(crate) fn shader_kind(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => 0x8B31,
        Stage::TessControl => 0x8E88,
        Stage::TessEval => 0x8E87,
        Stage::Geometry => 0x8DD9,
        Stage::Fragment => 0x8B30,
        Stage::Compute => 0x91B9,
    }
}

/// Returns the options that the programs of a pipeline are compiled with. `Err` if the pipeline is
/// combined with shaders of the application and the driver has no separable program objects.
fn compile_options(capabilities: &Capabilities, key: &PipelineKey) -> Result<Options, String> {
    let state = &key.static_state;
    let is_text = capabilities.writer.is_some() || key.stage_group.is_some();
    let mut options = match key.stage_group {
        None => capabilities.options.clone(),
        Some(_) => {
            let writer = capabilities.separable_writer.as_ref();
            writer
                .ok_or("the driver has no separable program objects")?
                .options()
        }
    };
    if let Some(captured) = &key.captured_outputs {
        options.transform_feedback = TransformFeedback::clone(captured);
        if is_text {
            split_positions(&mut options.transform_feedback);
        }
    }
    options.pipeline_state.two_sided_color = state.two_sided;
    options.pipeline_state.flat_colors = state.flat;
    options.pipeline_state.clamp_vertex_colors = state.clamps_vertex_colors;
    options.pipeline_state.coord_replace_mask = state.point_sprites;
    options.pipeline_state.clip_plane_mask = state.clip_planes;
    options.pipeline_state.draw_buffer_mask = state.draw_buffers;
    options.pipeline_state.patch_vertices = state.patch_vertices;
    options.pipeline_state.default_tess_levels = state.patch_levels;
    options.pipeline_state.primitive_id_mode = state.primitive_class.primitive_numbering();
    options.pipeline_state.draws_quads_as_line_adjacency =
        state.primitive_class == PrimitiveClass::Quads;
    options.depth_modes = state.depth_state.depth_modes();
    options.lod_biases = key.lod_biases.clone();
    let units = 0..u32::BITS - state.signed_hilo_units.leading_zeros();
    options.signed_hilo_textures = units
        .map(|unit| state.signed_hilo_units >> unit & 1 != 0)
        .collect();
    Ok(options)
}

/// Splits captured positions of four components into two captures of two components each, which
/// have separate variables: in GLSL, drivers do not capture built-in ones that the source names.
/// The second halves are at the end of the list.
fn split_positions(feedback: &mut TransformFeedback) {
    let whole = |it: &&mut Capture| it.semantic == Semantic::Position && it.component_count == 4;
    let mut second_halves = Vec::new();
    for capture in feedback.captures.iter_mut().filter(whole) {
        capture.component_count = 2;
        second_halves.push(Capture {
            first_component: 2,
            offset: capture.offset + 8,
            ..*capture
        });
    }
    feedback.captures.extend(second_halves);
}

/// Compiles a compute program and links its program object, for groups of `group_size` if the
/// program does not declare a size, and registers the object as one of this library. `Err` is the
/// message for the log if the program is not loaded, or compiler or driver rejects it.
pub(crate) fn create_compute_pipeline(
    state: &mut State,
    program: &Arc<Program>,
    group_size: Option<[u32; 3]>,
) -> Result<Pipeline, String> {
    let loaded = program
        .load_translated()
        .ok_or_else(|| format!("program {} is not loaded", program.name))?;
    let shader = loaded
        .compile(&state.capabilities.options)
        .map_err(|errors| errors.render(&loaded.source()))?;
    let mut pipeline = Pipeline::default();
    pipeline.add_stage_resources(
        state,
        &shader,
        Some(&(Target::Compute, Arc::clone(program))),
    );
    let group = group_size.as_ref().map_or(&[][..], |group| &group[..]);
    let modules = [(Stage::Compute, shader)];
    pipeline.program = create_program_object(&state.capabilities, &modules, group, false)?;
    state.lock_share_group().names.add_program(pipeline.program);
    Ok(pipeline)
}

/// Stage of a pipeline that is being created.
struct PipelineStage {
    loaded: Loaded,
    /// Program whose parameters it reads; `None` for the fixed functions.
    parameter_owner: Option<(Target, Arc<Program>)>,
}

/// Returns the stages of a pipeline in their order: its programs, adapted to the state of textures
/// and pixels in `key`, and generated programs for the fixed-function stages of the key. Clip
/// distances are restricted to enabled planes unless outputs are captured. `Err` if a program is
/// not loaded, or has the errors of a generated program.
fn collect_stages(programs: &Programs, key: &PipelineKey) -> Result<Vec<PipelineStage>, String> {
    let mut parts = Vec::with_capacity(STAGES);
    for (program, target) in programs.iter().zip(TARGETS_OF_STAGES) {
        let Some(program) = program else {
            let text = match target {
                Target::Vertex => key.fixed_vertex.as_ref().map(generate_vertex_program),
                Target::Fragment => key.fixed_fragment.as_ref().map(generate_fragment_program),
                Target::FragmentNv
                | Target::Geometry
                | Target::TessControl
                | Target::TessEvaluation
                | Target::Compute => None,
            };
            if let Some(text) = text {
                parts.push(PipelineStage {
                    loaded: translate_fixed_function(&text)?,
                    parameter_owner: None,
                });
            }
            continue;
        };
        let loaded = program
            .load_translated()
            .ok_or_else(|| format!("program {} is not loaded", program.name))?;
        let loaded = key.static_state.depth_state.specialize_for_textures(loaded);
        let loaded = match key.static_state.incomplete_units {
            0 => loaded,
            missing => loaded.with_missing_textures(missing),
        };
        let loaded = match (key.static_state.texel_colors, target) {
            (Some(texels), Target::Fragment) => texels.apply_to_fragment(&loaded).unwrap_or(loaded),
            _ => loaded,
        };
        parts.push(PipelineStage {
            loaded,
            parameter_owner: Some((target, Arc::clone(program))),
        });
    }
    if key.captured_outputs.is_none() {
        restrict_clip_distances(&mut parts);
    }
    Ok(parts)
}

/// Replaces the last stage before fragments, if it writes clip distances, by a variant that writes
/// only those of the enabled planes: NV_vertex_program2_option section 2.11. Drivers of Mesa clip
/// by all written distances if none of the planes is enabled. Must not be applied if distances are
/// captured.
fn restrict_clip_distances(parts: &mut [PipelineStage]) {
    let mut stages = parts.iter_mut().map(|part| &mut part.loaded);
    let last = stages.rfind(|stage| stage.stage() != Stage::Fragment);
    let is_distance = |semantic| matches!(semantic, Semantic::ClipDistance(_));
    let last = last.filter(|stage| stage.outputs().any(|output| is_distance(output.semantic)));
    if let Some(last) = last {
        *last = last.with_enabled_clip_distances();
    }
}

/// Returns the source of the size of points: the fixed-function vertex stage, with or without
/// attenuation, if it is the last stage before fragments; otherwise the size that the application
/// has configured.
fn select_point_size(
    [_, control, evaluation, geometry, _]: &Programs,
    key: &PipelineKey,
) -> PointSize {
    let later = [control, evaluation, geometry];
    match &key.fixed_vertex {
        Some(vertex) if later.iter().all(|program| program.is_none()) => {
            if vertex.computes_point_size {
                PointSize::Computed
            } else {
                PointSize::Constant
            }
        }
        Some(_) | None => PointSize::Application,
    }
}

/// Returns a primitive mode of the application and the mode that the driver draws instead; `None`
/// if all modes are drawn unchanged. Patches that only a geometry program processes take
/// precedence; quadrilaterals and polygons are replaced before a geometry program that takes
/// triangles. `has_generated_stages` is true if linking added stages to `programs`.
fn select_mode_replacement(
    programs: &[&Loaded],
    has_generated_stages: bool,
    key: &PipelineKey,
) -> Option<(u32, u32)> {
    let state = &key.static_state;
    let patches = (!has_generated_stages)
        .then(|| patch_primitive(programs, state.patch_vertices))
        .flatten()
        .map(|primitive| (PATCHES, primitive));
    patches.or_else(|| {
        let replacement = state.primitive_class.mode_replacement();
        replacement.filter(|_| takes_triangles(programs))
    })
}

/// Compiles and links the programs of a pipeline for a key, including the tessellation control
/// stage that evaluation programs without one need, and registers its program object as one of this
/// library. Logs the times. `Err` is the message for the log: a program that is not loaded, or that
/// compiler or driver rejects.
pub(crate) fn create_pipeline(
    state: &mut State,
    compiler: &mut Compiler,
    programs: &Programs,
    key: &PipelineKey,
) -> Result<Pipeline, String> {
    let start_time = Instant::now();
    let parts = collect_stages(programs, key)?;
    let mut options = compile_options(&state.capabilities, key)?;
    let geometry = programs[STAGES - 2].as_ref();
    options.pipeline_state.max_output_vertices = geometry.and_then(|it| it.contents().vertex_limit);
    let linking: Vec<&Loaded> = parts.iter().map(|part| &part.loaded).collect();
    let linked = compiler.link(&linking, &options);
    let mut pipeline = Pipeline {
        clip_planes: key.static_state.clip_planes,
        stage_group: key.stage_group,
        material_attributes: key
            .fixed_vertex
            .as_ref()
            .map_or(0, FixedVertexKey::find_material_attributes),
        point_size: select_point_size(programs, key),
        mode_replacement: select_mode_replacement(&linking, !linked.generated.is_empty(), key),
        ..Pipeline::default()
    };
    let mut modules = Vec::with_capacity(STAGES);
    for (shader, part) in linked.stages.into_iter().zip(&parts) {
        let shader = shader.map_err(|errors| errors.render(&part.loaded.source()))?;
        pipeline.add_stage_resources(state, &shader, part.parameter_owner.as_ref());
        modules.push((part.loaded.stage(), shader));
    }
    // Without a control program patches have the levels of GL's state, which evaluation programs
    // may read.
    if programs[1].is_none()
        && let [(_, vertex), (Stage::TessEval, evaluation), ..] = &modules[..]
    {
        let (vertices, patch_levels) = (
            key.static_state.patch_vertices.into(),
            key.static_state.patch_levels,
        );
        let (vertex, evaluation) = (&vertex.reflection, &evaluation.reflection);
        let control =
            stages::build_control_stage(vertex, evaluation, vertices, patch_levels, &options);
        let control = control.map_err(|errors| errors.to_string())?;
        modules.insert(1, (Stage::TessControl, control));
    }
    for (stage, shader) in linked.generated {
        modules.push((stage, shader.map_err(|errors| errors.to_string())?));
    }
    let compile_time = start_time.elapsed();
    pipeline.program = create_program_object(
        &state.capabilities,
        &modules,
        &[],
        key.stage_group.is_some(),
    )?;
    state.lock_share_group().names.add_program(pipeline.program);
    log::info(format_args!(
        "pipeline {:?}: program object {}, {} us, the driver {} us",
        key.serials,
        pipeline.program,
        compile_time.as_micros(),
        (start_time.elapsed() - compile_time).as_micros()
    ));
    Ok(pipeline)
}

/// Compiles the first program of each stage in a process when it is loaded, and discards the
/// result: the first compilation takes several times as long, and an application waits for its
/// programs where it loads them rather than where it draws.
pub(crate) fn warm_up_compiler(
    capabilities: &Capabilities,
    compiler: &mut Compiler,
    loaded: &Loaded,
) {
    static WARM: [Once; STAGES] = [const { Once::new() }; STAGES];
    let stage_index = TARGETS_OF_STAGES
        .iter()
        .position(|target| target.properties().stage == loaded.stage());
    let Some(index) = stage_index else { return };
    WARM[index].call_once(|| {
        for shader in compiler.link(&[loaded], &capabilities.options).stages {
            if let (Ok(shader), Some(writer)) = (shader, &capabilities.writer) {
                // Features that the writer lacks are reported when the program draws.
                let _ = writer.write(&shader);
            }
        }
    });
}

/// Returns a new program object of the driver, of modules whose first specialization constants have
/// these values; it is separable if it is combined with shaders of the application. Debug output of
/// the driver is disabled during the call. `Err` has the message of the GLSL writer or of the
/// driver.
fn create_program_object(
    capabilities: &Capabilities,
    modules: &[(Stage, Shader)],
    constants: &[u32],
    is_separable: bool,
) -> Result<u32, String> {
    let writer = if is_separable {
        &capabilities.separable_writer
    } else {
        &capabilities.writer
    };
    without_debug_output(capabilities, || {
        let sources = write_glsl(writer.as_ref(), modules, is_separable)?;
        link_program_object(sources, modules, constants, is_separable)
    })
}

/// Calls `work` with the driver's debug output disabled, and enables it again if it was enabled:
/// messages about shaders of this library are not for the application.
fn without_debug_output<R>(capabilities: &Capabilities, work: impl FnOnce() -> R) -> R {
    let speaks = capabilities.has_extension_or_version("GL_KHR_debug", 43)
        && driver_state::is_enabled(driver::constants::DEBUG_OUTPUT);
    if speaks {
        driver::Disable(driver::constants::DEBUG_OUTPUT);
    }
    let result = work();
    if speaks {
        driver::Enable(driver::constants::DEBUG_OUTPUT);
    }
    result
}

/// Returns the modules as GLSL, in the order of the stages, with varyings that match between the
/// stages, or, if the program object is separable, those of the application's shaders; an empty
/// list without a writer. `Err` names the stage and the feature that GLSL lacks.
fn write_glsl(
    writer: Option<&GlslWriter>,
    modules: &[(Stage, Shader)],
    is_separable: bool,
) -> Result<Vec<(Stage, GlslText)>, String> {
    let Some(writer) = writer else {
        return Ok(Vec::new());
    };
    let mut sources = Vec::with_capacity(modules.len());
    for (stage, module) in modules {
        let rejected = |problem| {
            format!(
                "no text is written of the {} module: {problem}",
                stage.name()
            )
        };
        sources.push((*stage, writer.write(module).map_err(rejected)?));
    }
    if is_separable {
        mixed_pipeline::share_varyings(&mut sources)
    } else {
        glsl_output::match_interpolation(&mut sources)
    }
    Ok(sources)
}

/// Creates shaders from GLSL, or from the modules if the list of sources is empty, links them to
/// one program object and sets the bindings of resources that the sources do not specify. Returns
/// its name, or the driver's message about the shader or the program; then no shaders remain.
fn link_program_object(
    sources: Vec<(Stage, GlslText)>,
    modules: &[(Stage, Shader)],
    constants: &[u32],
    is_separable: bool,
) -> Result<u32, String> {
    let mut sources = sources.into_iter().map(|(_, text)| text);
    let mut shaders = Vec::with_capacity(modules.len());
    let mut named = Vec::new();
    for (stage, module) in modules {
        let kind = shader_kind(*stage);
        let created = match sources.next() {
            None => driver_state::create_spirv_shader(kind, &module.words, constants),
            Some(text) => {
                named.extend(text.named);
                driver_state::create_glsl_shader(
                    kind,
                    &glsl_output::set_spec_constants(&text.text, constants),
                )
            }
        };
        match created {
            Ok(shader) => shaders.push(shader),
            Err(problem) => {
                shaders.into_iter().for_each(driver::DeleteShader);
                return Err(format!(
                    "the driver refuses the {} module: {problem}",
                    stage.name()
                ));
            }
        }
    }
    let program = driver_state::link_program(&shaders, is_separable)?;
    for resource in &named {
        driver_state::set_binding(program, resource);
    }
    Ok(program)
}

/// Returns the mode of the primitive with as many vertices as patches have, if a geometry program
/// takes patches that no evaluation program processes. `None` otherwise, and for a number of
/// vertices that no primitive has.
fn patch_primitive(programs: &[&Loaded], vertices: u8) -> Option<u32> {
    let takes_patches = |it: &&Loaded| {
        it.stage() == Stage::Geometry && it.ir().modes.primitive_in == InputPrimitive::Patches
    };
    if !programs.iter().any(takes_patches)
        || programs.iter().any(|it| it.stage() == Stage::TessEval)
    {
        return None;
    }
    Some(match InputPrimitive::from_vertex_count(vertices.into())? {
        InputPrimitive::Points => 0x0000,
        InputPrimitive::Lines => 0x0001,
        InputPrimitive::Triangles => 0x0004,
        InputPrimitive::LinesAdjacency => 0x000A,
        InputPrimitive::TrianglesAdjacency => 0x000C,
        InputPrimitive::Patches => return None,
    })
}

/// Returns true if the geometry program among these takes triangles as input.
fn takes_triangles(programs: &[&Loaded]) -> bool {
    programs.iter().any(|it| {
        it.stage() == Stage::Geometry && it.ir().modes.primitive_in == InputPrimitive::Triangles
    })
}

/// Translates a program that `glasm::fixed_function` generated to the intermediate representation.
/// Returns the rendered diagnostics on failure, which is an error of the generator.
fn translate_fixed_function(text: &str) -> Result<Loaded, String> {
    let source = Source::new("fixed functions", text);
    Loaded::load(&source).map_err(|errors| errors.render(&source))
}

impl Pipeline {
    /// Adds what a draw needs for a stage: attributes, parameter and counter buffers, images,
    /// required GL state and tracked matrices, its uniform block if it has parameters, and for
    /// stages before fragments the clip distances, which replace those of earlier stages. `owner`
    /// has the parameters; `None` for generated stages.
    fn add_stage_resources(
        &mut self,
        state: &State,
        shader: &Shader,
        owner: Option<&(Target, Arc<Program>)>,
    ) {
        let reflection = &shader.reflection;
        if reflection.stage == Stage::Vertex {
            let locations = reflection.inputs.iter().filter_map(|input| input.location);
            self.attribute_mask =
                locations.fold(0, |mask, it| mask | 1_u32.checked_shl(it).unwrap_or(0));
        }
        if let Some((target, _)) = owner {
            for buffer in reflection
                .buffers
                .iter()
                .filter(|it| it.kind == BufferKind::ProgramParameter)
            {
                let bindings = (0..buffer.descriptor_count)
                    .map(|n| (*target, buffer.program_binding + n, buffer.slot.binding + n));
                self.buffers.extend(bindings);
            }
        }
        let counters = reflection.buffers.iter();
        for buffer in counters.filter(|it| it.kind == BufferKind::AtomicCounter) {
            let bindings = (0..buffer.descriptor_count)
                .map(|n| (buffer.program_binding + n, buffer.slot.binding + n));
            self.counters.extend(bindings);
        }
        self.images.extend(
            reflection
                .images
                .iter()
                .flat_map(temporary_state::image_views),
        );
        self.is_unclipped |= reflection.requires_depth_clamp;
        if reflection.stage != Stage::Fragment {
            let writes = |n: &u8| {
                reflection
                    .outputs
                    .iter()
                    .any(|it| it.semantic == Semantic::ClipDistance(*n))
            };
            self.clip_distances = (0..8).filter(writes).fold(0, |mask, n| mask | 1 << n);
        }
        let Some(params) = &reflection.parameter_block else {
            return;
        };
        self.required_state.add_sources(&params.parameters);
        if owner.is_some_and(|(target, _)| *target == Target::Vertex) {
            for address in (0..crate::program_parameters::TRACKING_PARAMETERS).step_by(4) {
                self.required_state.add_tracking(&state.gl, address);
            }
        }
        self.blocks.push(UniformBlock {
            target: owner.map(|(target, _)| *target),
            program: owner.map(|(_, program)| Arc::clone(program)),
            binding: params.slot.binding,
            sources: params.parameters.clone(),
            named_parameters: reflection.named_parameters.clone(),
            last_written: None,
        });
    }
}
