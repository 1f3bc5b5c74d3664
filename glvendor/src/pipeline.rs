//! Pipelines: programs that draw together, as program objects of the driver.

use crate::context::State;
use crate::extensions::Capabilities;
use crate::ffi::driver::constants::PATCHES;
use crate::ffi::{driver, query};
use crate::images::{self, View};
use crate::log;
use crate::mixed_pipeline::{self, StageGroup};
use crate::objects::Program;
use crate::overrides::PointSize;
use crate::params::Block;
use crate::reader::Needs;
use crate::shapes::Shape;
use crate::target::Target;
use crate::text::{self, Writer, Written};
use crate::textures::Depths;
use crate::window::Texels;
use glasm::fixed_function::{FixedFragment, FixedVertex, fragment_program, vertex_program};
use glasm::ir::primitive::InputPrimitive;
use glasm::reflect::BufferKind;
use glasm::{
    Capture, Compiler, LodBias, Options, PatchLevels, Program as Loaded, Semantic, Shader, Source,
    Stage, TransformFeedback, stages,
};
use std::sync::{Arc, Once};
use std::time::Instant;

/// Stages that draw, in their order.
pub(crate) const STAGES: usize = 5;

/// Programs of a pipeline by stage.
pub(crate) type Programs = [Option<Arc<Program>>; STAGES];

/// Key of a pipeline.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key {
    /// Serial numbers of the programs, 0 if there is none.
    pub(crate) serials: [u64; STAGES],
    pub(crate) state: Compiled,
    /// Captured outputs of the last stage before rasterization.
    pub(crate) captured: Option<Arc<TransformFeedback>>,
    /// Fixed-function vertex stage, if there is no program.
    pub(crate) vertex: Option<FixedVertex>,
    /// Fixed-function fragment stage, if there is no program.
    pub(crate) fragment: Option<FixedFragment>,
    /// Biases of levels, if they are clamped.
    pub(crate) biases: Vec<LodBias>,
    /// Stages of the programs, if they are combined with shaders of the application.
    pub(crate) mixed: Option<StageGroup>,
}

/// State that programs are compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Compiled {
    pub(crate) two_sided: bool,
    pub(crate) flat: bool,
    pub(crate) clamps_vertex_colors: bool,
    /// Texture coordinates that are the point's, where points are drawn.
    pub(crate) point_sprites: u8,
    pub(crate) clip_planes: u8,
    pub(crate) draw_buffers: u8,
    /// Textures that are compared.
    pub(crate) depths: Depths,
    /// Texture image units whose lookups return zeros.
    pub(crate) missing: u32,
    /// Number of vertices of patches, if a stage depends on it.
    pub(crate) patch_vertices: u8,
    /// Levels of patches that have no control program.
    pub(crate) patch_levels: PatchLevels,
    /// Primitives of the draw, to the extent that programs depend on them.
    pub(crate) shape: Shape,
    /// Source of the color of the fragment program, if it draws pixels.
    pub(crate) texels: Option<Texels>,
}

impl Compiled {
    /// Leaves the built-in varyings of GLSL and clip planes to the driver.
    pub(crate) fn leave_varyings(&mut self) {
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
    pub(crate) blocks: Vec<Block>,
    pub(crate) needs: Needs,
    /// Attributes that the vertex program reads.
    pub(crate) attributes: u32,
    /// Parameter buffers: binding of a target, and the binding of the driver.
    pub(crate) buffers: Vec<(Target, u32, u32)>,
    /// Buffers of atomic counters: their bindings, and those of storage buffers in modules.
    pub(crate) counters: Vec<(u32, u32)>,
    pub(crate) images: Vec<View>,
    /// True if near and far planes do not clip.
    pub(crate) is_unclipped: bool,
    /// Source of the size of points.
    pub(crate) point_size: PointSize,
    /// Distances that the last stage before rasterization writes.
    pub(crate) clip_distances: u8,
    /// Mode and the mode that the driver draws instead: patches that a geometry program accepts
    /// unchanged, quadrilaterals and polygons.
    pub(crate) replaced: Option<(u32, u32)>,
    /// Material properties that are attributes.
    pub(crate) materials: u16,
    /// True if `GLASM_DUMP` has written it.
    pub(crate) is_dumped: bool,
    /// Clip planes that were enabled when it was chosen.
    pub(crate) clip_planes: u8,
    /// Stages of this library, if shaders of the application are combined with the program object.
    pub(crate) mixed: Option<StageGroup>,
}

/// Target of each stage, in the order of the stages.
pub(crate) const TARGETS_OF_STAGES: [Target; STAGES] = [
    Target::Vertex,
    Target::TessControl,
    Target::TessEvaluation,
    Target::Geometry,
    Target::Fragment,
];

/// Returns the kind of shaders of a stage: `GL_VERTEX_SHADER`.
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

/// Returns the options that the programs of a pipeline are compiled with. `Err` if the driver does
/// not support them.
fn options(capabilities: &Capabilities, key: &Key) -> Result<Options, String> {
    let state = &key.state;
    let is_text = capabilities.writer.is_some() || key.mixed.is_some();
    let mut options = match key.mixed {
        None => capabilities.options.clone(),
        Some(_) => {
            let writer = capabilities.mixer.as_ref();
            writer
                .ok_or("the driver has no separable program objects")?
                .options()
        }
    };
    if let Some(captured) = &key.captured {
        options.transform_feedback = TransformFeedback::clone(captured);
        if is_text {
            split_positions(&mut options.transform_feedback);
        }
    }
    options.fixed.two_sided_color = state.two_sided;
    options.fixed.flat_colors = state.flat;
    options.fixed.clamp_vertex_colors = state.clamps_vertex_colors;
    options.fixed.point_sprites = state.point_sprites;
    options.fixed.clip_planes = state.clip_planes;
    options.fixed.draw_buffers = state.draw_buffers;
    options.fixed.patch_vertices = state.patch_vertices;
    options.fixed.patch_levels = state.patch_levels;
    options.fixed.primitive_numbers = state.shape.numbers();
    options.fixed.quadrilaterals = state.shape == Shape::Quads;
    options.depth_modes = state.depths.modes();
    options.lod_biases = key.biases.clone();
    Ok(options)
}

/// Splits captured positions into halves, which have separate variables: in GLSL, drivers do not
/// capture built-in ones that the source names.
fn split_positions(feedback: &mut TransformFeedback) {
    let whole = |it: &&mut Capture| it.semantic == Semantic::Position && it.count == 4;
    let mut rest = Vec::new();
    for capture in feedback.captures.iter_mut().filter(whole) {
        capture.count = 2;
        rest.push(Capture {
            first: 2,
            offset: capture.offset + 8,
            ..*capture
        });
    }
    feedback.captures.extend(rest);
}

/// Creates the pipeline of a compute program, for groups of a size if the program leaves it open.
/// `Err` has the reason of the failure.
pub(crate) fn make_compute(
    state: &mut State,
    program: &Arc<Program>,
    group: Option<[u32; 3]>,
) -> Result<Pipeline, String> {
    let loaded = program
        .loaded()
        .ok_or_else(|| format!("program {} is not loaded", program.name))?;
    let shader = loaded
        .compile(&state.capabilities.options)
        .map_err(|errors| errors.render(&loaded.source()))?;
    let mut pipeline = Pipeline::default();
    pipeline.add(
        state,
        &shader,
        Some(&(Target::Compute, Arc::clone(program))),
    );
    let group = group.as_ref().map_or(&[][..], |group| &group[..]);
    let modules = [(Stage::Compute, shader)];
    pipeline.program = program_object(&state.capabilities, &modules, group, false)?;
    state.shared().names.add_program(pipeline.program);
    Ok(pipeline)
}

/// Stage of a pipeline that is being created.
struct Part {
    loaded: Loaded,
    /// Program whose parameters it reads; `None` for the fixed functions.
    owner: Option<(Target, Arc<Program>)>,
}

/// Returns the stages of a pipeline, fixed functions among them.
fn parts(programs: &Programs, key: &Key) -> Result<Vec<Part>, String> {
    let mut parts = Vec::with_capacity(STAGES);
    for (program, target) in programs.iter().zip(TARGETS_OF_STAGES) {
        let Some(program) = program else {
            let text = match target {
                Target::Vertex => key.vertex.as_ref().map(vertex_program),
                Target::Fragment => key.fragment.as_ref().map(fragment_program),
                Target::FragmentNv
                | Target::Geometry
                | Target::TessControl
                | Target::TessEvaluation
                | Target::Compute => None,
            };
            if let Some(text) = text {
                parts.push(Part {
                    loaded: fixed(&text)?,
                    owner: None,
                });
            }
            continue;
        };
        let loaded = program
            .loaded()
            .ok_or_else(|| format!("program {} is not loaded", program.name))?;
        let loaded = key.state.depths.fit(loaded);
        let loaded = match key.state.missing {
            0 => loaded,
            missing => loaded.with_zero_lookups(missing),
        };
        let loaded = match (key.state.texels, target) {
            (Some(texels), Target::Fragment) => texels.colors_of(&loaded).unwrap_or(loaded),
            _ => loaded,
        };
        parts.push(Part {
            loaded,
            owner: Some((target, Arc::clone(program))),
        });
    }
    if key.captured.is_none() {
        enable_distances(&mut parts);
    }
    Ok(parts)
}

/// Restricts clip distances to those whose planes are enabled: NV_vertex_program2_option section
/// 2.11. The program does not write the others, since drivers of Mesa clip by all written ones if
/// none of the planes is enabled. Captured distances are written.
fn enable_distances(parts: &mut [Part]) {
    let mut stages = parts.iter_mut().map(|part| &mut part.loaded);
    let last = stages.rfind(|stage| stage.stage() != Stage::Fragment);
    let is_distance = |semantic| matches!(semantic, Semantic::ClipDistance(_));
    let last = last.filter(|stage| stage.outputs().any(|output| is_distance(output.semantic)));
    if let Some(last) = last {
        *last = last.with_enabled_clip_distances();
    }
}

/// Returns the source of the size of points: fixed functions of vertices have another one unless a
/// later stage replaces the vertices.
fn point_size([_, control, evaluation, geometry, _]: &Programs, key: &Key) -> PointSize {
    let later = [control, evaluation, geometry];
    match &key.vertex {
        Some(vertex) if later.iter().all(|program| program.is_none()) => {
            if vertex.point_attenuation {
                PointSize::Computed
            } else {
                PointSize::Constant
            }
        }
        Some(_) | None => PointSize::Application,
    }
}

/// Creates a pipeline. `Err` has the reason of the failure.
pub(crate) fn make(
    state: &mut State,
    compiler: &mut Compiler,
    programs: &Programs,
    key: &Key,
) -> Result<Pipeline, String> {
    let start = Instant::now();
    let parts = parts(programs, key)?;
    let options = options(&state.capabilities, key)?;
    let linking: Vec<&Loaded> = parts.iter().map(|part| &part.loaded).collect();
    let linked = compiler.link(&linking, &options);
    let mut pipeline = Pipeline {
        clip_planes: key.state.clip_planes,
        mixed: key.mixed,
        materials: key
            .vertex
            .as_ref()
            .map_or(0, FixedVertex::material_attributes),
        point_size: point_size(programs, key),
        replaced: if linked.made.is_empty() {
            primitive_of_patches(&linking, key.state.patch_vertices)
        } else {
            None
        }
        .map(|primitive| (PATCHES, primitive))
        .or_else(|| {
            key.state
                .shape
                .replaced()
                .filter(|_| takes_triangles(&linking))
        }),
        ..Pipeline::default()
    };
    let mut modules = Vec::with_capacity(STAGES);
    for (shader, part) in linked.stages.into_iter().zip(&parts) {
        let shader = shader.map_err(|errors| errors.render(&part.loaded.source()))?;
        pipeline.add(state, &shader, part.owner.as_ref());
        modules.push((part.loaded.stage(), shader));
    }
    // Without a control program patches have the levels of GL's state, which evaluation programs
    // may read.
    if programs[1].is_none()
        && let [(_, vertex), (Stage::TessEval, evaluation), ..] = &modules[..]
    {
        let (vertices, levels) = (key.state.patch_vertices.into(), key.state.patch_levels);
        let (vertex, evaluation) = (&vertex.reflection, &evaluation.reflection);
        let control = stages::control_stage(vertex, evaluation, vertices, levels, &options);
        let control = control.map_err(|errors| errors.to_string())?;
        modules.insert(1, (Stage::TessControl, control));
    }
    for (stage, shader) in linked.made {
        modules.push((stage, shader.map_err(|errors| errors.to_string())?));
    }
    let ours = start.elapsed();
    pipeline.program = program_object(&state.capabilities, &modules, &[], key.mixed.is_some())?;
    state.shared().names.add_program(pipeline.program);
    log::info(format_args!(
        "pipeline {:?}: program object {}, {} us, the driver {} us",
        key.serials,
        pipeline.program,
        ours.as_micros(),
        (start.elapsed() - ours).as_micros()
    ));
    Ok(pipeline)
}

/// Compiles the first program of each stage in a process when it is loaded, and discards the
/// result: the first compilation takes several times as long, and an application waits for its
/// programs where it loads them rather than where it draws.
pub(crate) fn warm_up(capabilities: &Capabilities, compiler: &mut Compiler, loaded: &Loaded) {
    static WARM: [Once; STAGES] = [const { Once::new() }; STAGES];
    let place = TARGETS_OF_STAGES
        .iter()
        .position(|target| target.row().stage == loaded.stage());
    let Some(place) = place else { return };
    WARM[place].call_once(|| {
        for shader in compiler.link(&[loaded], &capabilities.options).stages {
            if let (Ok(shader), Some(writer)) = (shader, &capabilities.writer) {
                // Features that the writer lacks are reported when the program draws.
                let _ = writer.write(&shader);
            }
        }
    });
}

/// Returns a program object of the driver, of modules whose first specialization constants have
/// these values; it is separable if it is combined with shaders of the application. `Err` has the
/// driver's message.
fn program_object(
    capabilities: &Capabilities,
    modules: &[(Stage, Shader)],
    constants: &[u32],
    is_beside: bool,
) -> Result<u32, String> {
    let writer = if is_beside {
        &capabilities.mixer
    } else {
        &capabilities.writer
    };
    run_quietly(capabilities, || {
        let texts = texts(writer.as_ref(), modules, is_beside)?;
        make_program_object(texts, modules, constants, is_beside)
    })
}

/// Runs `work` without debug output of the driver: messages about shaders of this library are not
/// for the application.
fn run_quietly<R>(capabilities: &Capabilities, work: impl FnOnce() -> R) -> R {
    let speaks =
        capabilities.has("GL_KHR_debug", 43) && query::is_enabled(driver::constants::DEBUG_OUTPUT);
    if speaks {
        driver::Disable(driver::constants::DEBUG_OUTPUT);
    }
    let made = work();
    if speaks {
        driver::Enable(driver::constants::DEBUG_OUTPUT);
    }
    made
}

/// Returns the modules as text, in the order of the stages; none without a writer.
fn texts(
    writer: Option<&Writer>,
    modules: &[(Stage, Shader)],
    is_beside: bool,
) -> Result<Vec<(Stage, Written)>, String> {
    let Some(writer) = writer else {
        return Ok(Vec::new());
    };
    let mut texts = Vec::with_capacity(modules.len());
    for (stage, module) in modules {
        let refused = |problem| {
            format!(
                "no text is written of the {} module: {problem}",
                stage.name()
            )
        };
        texts.push((*stage, writer.write(module).map_err(refused)?));
    }
    if is_beside {
        mixed_pipeline::share_varyings(&mut texts)
    } else {
        text::agree(&mut texts)
    }
    Ok(texts)
}

fn make_program_object(
    texts: Vec<(Stage, Written)>,
    modules: &[(Stage, Shader)],
    constants: &[u32],
    is_separable: bool,
) -> Result<u32, String> {
    let mut texts = texts.into_iter().map(|(_, text)| text);
    let mut shaders = Vec::with_capacity(modules.len());
    let mut named = Vec::new();
    for (stage, module) in modules {
        let kind = shader_kind(*stage);
        let made = match texts.next() {
            None => query::create_shader(kind, &module.words, constants),
            Some(text) => {
                named.extend(text.named);
                query::create_shader_of_text(kind, &text::with_constants(&text.text, constants))
            }
        };
        match made {
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
    let program = query::link_program(&shaders, is_separable)?;
    for resource in &named {
        query::set_binding(program, resource);
    }
    Ok(program)
}

/// Returns the primitive with the same number of vertices as patches, if a geometry program
/// processes patches without evaluation program.
fn primitive_of_patches(programs: &[&Loaded], vertices: u8) -> Option<u32> {
    let takes_patches = |it: &&Loaded| {
        it.stage() == Stage::Geometry && it.ir().modes.primitive_in == InputPrimitive::Patches
    };
    if !programs.iter().any(takes_patches)
        || programs.iter().any(|it| it.stage() == Stage::TessEval)
    {
        return None;
    }
    Some(match InputPrimitive::of_vertices(vertices.into())? {
        InputPrimitive::Points => 0x0000,
        InputPrimitive::Lines => 0x0001,
        InputPrimitive::Triangles => 0x0004,
        InputPrimitive::LinesAdjacency => 0x000A,
        InputPrimitive::TrianglesAdjacency => 0x000C,
        InputPrimitive::Patches => return None,
    })
}

/// Returns true if a geometry program has triangles as input.
fn takes_triangles(programs: &[&Loaded]) -> bool {
    programs.iter().any(|it| {
        it.stage() == Stage::Geometry && it.ir().modes.primitive_in == InputPrimitive::Triangles
    })
}

fn fixed(text: &str) -> Result<Loaded, String> {
    let source = Source::new("fixed functions", text);
    Loaded::load(&source).map_err(|errors| errors.render(&source))
}

impl Pipeline {
    /// Adds the resources of a stage.
    fn add(&mut self, state: &State, shader: &Shader, owner: Option<&(Target, Arc<Program>)>) {
        let reflection = &shader.reflection;
        if reflection.stage == Stage::Vertex {
            let locations = reflection.inputs.iter().filter_map(|input| input.location);
            self.attributes =
                locations.fold(0, |mask, it| mask | 1_u32.checked_shl(it).unwrap_or(0));
        }
        if let Some((target, _)) = owner {
            for buffer in reflection
                .buffers
                .iter()
                .filter(|it| it.kind == BufferKind::Constant)
            {
                let bindings =
                    (0..buffer.count).map(|n| (*target, buffer.index + n, buffer.slot.binding + n));
                self.buffers.extend(bindings);
            }
        }
        let counters = reflection.buffers.iter();
        for buffer in counters.filter(|it| it.kind == BufferKind::Counter) {
            let bindings = (0..buffer.count).map(|n| (buffer.index + n, buffer.slot.binding + n));
            self.counters.extend(bindings);
        }
        self.images
            .extend(reflection.images.iter().flat_map(images::views));
        self.is_unclipped |= reflection.unclipped_depth;
        if reflection.stage != Stage::Fragment {
            let writes = |n: &u8| {
                reflection
                    .outputs
                    .iter()
                    .any(|it| it.semantic == Semantic::ClipDistance(*n))
            };
            self.clip_distances = (0..8).filter(writes).fold(0, |mask, n| mask | 1 << n);
        }
        let Some(params) = &reflection.params else {
            return;
        };
        self.needs.add(&params.slots);
        if owner.is_some_and(|(target, _)| *target == Target::Vertex) {
            for address in (0..crate::params::TRACKING).step_by(4) {
                self.needs.add_tracking(&state.gl, address);
            }
        }
        self.blocks.push(Block {
            target: owner.map(|(target, _)| *target),
            program: owner.map(|(_, program)| Arc::clone(program)),
            binding: params.slot.binding,
            slots: params.slots.clone(),
            named: reflection.named.clone(),
            written: None,
        });
    }
}
