//! Draws: programs, pipelines and vertex buffers.

use super::draw_validation::{CaptureMode, check_outcome, draw_rejection_reason};
use super::primitive_assembly::assemble_list;
use super::programs::Programs;
use super::resources::Resources;
use super::vertices::{self, CURRENT_BINDING, StageAttribute, VertexPlan};
use crate::error::CommandError;
use crate::programs::{DrawShape, Module};
use crate::vk::{
    Buffer, BufferUse, ClipSpace, Device, DrawCall, DrawCount, Framebuffer, GraphicsPipeline,
    IndexedDraw, PipelineDesc,
};
use ash::vk::{IndexType, PrimitiveTopology, TessellationDomainOrigin};
use glasm::ir::Stage;
use glasm::ir::primitive::InputPrimitive;
use glasm::reflect::PrimitiveInfo;
use glasm_scripts::script::pipeline_state::PipelineState;
use glasm_scripts::script::{Convention, Draw, DrawSource, IndexWidth, Script, VertexData};
use glasm_scripts::vertices::check_bounds;
use std::rc::Rc;

/// Pipeline and the key that it was created for.
struct CachedPipeline {
    state: PipelineState,
    topology: PrimitiveTopology,
    vertices: VertexPlan,
    pipeline: GraphicsPipeline,
}

/// State that draws of a script share.
pub(super) struct Draws<'a> {
    device: Rc<Device>,
    programs: Programs<'a>,
    clip_space: ClipSpace,
    pipelines: Vec<CachedPipeline>,
    vertex_buffer: Option<Buffer>,
    index_buffers: Vec<(IndexWidth, Buffer)>,
}

/// Returns a function from a stage to the name of the entry point that a draw uses in this stage.
fn entry_name<'a>(script: &'a Script, state: &'a PipelineState) -> impl Fn(Stage) -> String + 'a {
    |stage| script.entry_names[state.entry_points.get(stage)].clone()
}

impl<'a> Draws<'a> {
    /// Uploads the vertices of the script, if it has any, and prepares the modules of all stages
    /// but compute. Pipelines and index buffers are created with the first draw that uses them.
    pub(super) fn new(
        device: &Rc<Device>,
        script: &Script,
        modules: &'a [Module],
    ) -> Result<Self, CommandError> {
        let vertices = script
            .vertex_data
            .as_ref()
            .map(|data| data.bytes.as_slice())
            .unwrap_or_default();
        let vertex_buffer = if vertices.is_empty() {
            None
        } else {
            Some(Buffer::with_contents(device, BufferUse::Vertex, vertices)?)
        };
        Ok(Self {
            device: Rc::clone(device),
            programs: Programs::new(device, script, modules, |stage| stage != Stage::Compute)?,
            clip_space: select_clip_space(script, modules),
            pipelines: Vec::new(),
            vertex_buffer,
            index_buffers: Vec::new(),
        })
    }

    /// Returns true if a draw is to be executed, false if GL rejects it as the script expects; an
    /// error if its outcome differs from the expected one.
    fn should_execute(&self, draw: &Draw, resources: &Resources) -> Result<bool, String> {
        let capturing = if resources.feedback.is_on() {
            CaptureMode::Active
        } else {
            CaptureMode::Inactive
        };
        let refusal = draw_rejection_reason(draw, &self.programs.modules(), capturing);
        check_outcome(draw.outcome, refusal, "the draw")
    }

    /// Enables depth clamping for a draw, and thereby disables clipping at the near and far planes,
    /// if the fragment program requires it. Skips the script on devices that cannot clamp depth.
    fn leave_depth_unclipped(&self, draw: &mut Draw) -> Result<(), CommandError> {
        if !self.is_unclipped() {
            return Ok(());
        }
        draw.state.depth_clamp = true;
        if self.device.capabilities.features.contains("depthClamp") {
            Ok(())
        } else {
            let message = "the device lacks depthClamp, without which depth clips";
            Err(CommandError::Unsupported(message.to_owned()))
        }
    }

    /// Executes a draw: checks its bounds and interfaces, writes the descriptors, creates the
    /// pipeline if it is new, submits the draw and adds its transform feedback counts to those of
    /// the capture. Clears the sample counter first. Does nothing if GL rejects the draw as the
    /// script expects; a draw without a vertex or index buffer writes descriptors but is not
    /// submitted.
    pub(super) fn draw(
        &mut self,
        script: &Script,
        framebuffer: &Framebuffer,
        resources: &mut Resources,
        draw: &Draw,
    ) -> Result<(), CommandError> {
        if !self.should_execute(draw, resources)? {
            return Ok(());
        }
        if let Some(counter) = &resources.sample_counter {
            counter.discard_count();
        }
        let corners = rectangle_vertices(draw);
        let data = corners.as_ref().or(script.vertex_data.as_ref());
        check_bounds(draw, data, &script.indices)?;
        self.programs
            .check_interfaces(entry_name(script, &draw.state))?;
        let inputs = self.vertex_inputs(script, draw);
        let plan = vertices::plan_vertices(draw, data, inputs.as_deref())?;
        resources
            .params
            .set_draw_state(&script.requirements, &draw.state);
        self.programs.bind_resources(resources, Some(framebuffer))?;
        let (draw, list) = self.to_vulkan_draw(draw, &script.indices)?;
        let pipeline = self.get_or_create_pipeline(script, framebuffer, &draw, &plan)?;
        let list = self.prepare_indices(script, &draw, list)?;
        let vertex_buffer =
            |data: &VertexData| Buffer::with_contents(&self.device, BufferUse::Vertex, &data.bytes);
        let corners = corners.as_ref().map(vertex_buffer).transpose()?;
        let current = vertices::current_value_bytes(&resources.attributes, &plan);
        let current = Buffer::with_contents(&self.device, BufferUse::Vertex, &current)?;
        let mut vertex_buffers = Vec::new();
        for binding in &plan.bindings {
            let buffer = match binding.binding {
                CURRENT_BINDING => Some(&current),
                _ => corners.as_ref().or(self.vertex_buffer.as_ref()),
            };
            // Without a buffer the draw, whose bounds are checked, has no vertices and no effect.
            let Some(buffer) = buffer else { return Ok(()) };
            vertex_buffers.push((binding.binding, buffer));
        }
        let Some(count) = self.draw_count(&draw, list.as_ref()) else {
            return Ok(());
        };
        let call = DrawCall {
            pipeline: &self.pipelines[pipeline].pipeline,
            layout: self.programs.layout(),
            push: &resources.push,
            vertex_buffers,
            count,
            instances: draw.instances,
            first_instance: draw.first_instance,
            capture: resources.capture_call(script)?,
            samples: resources.sample_counter.as_ref(),
        };
        self.device.draw(framebuffer, &call)?;
        drop(call);
        resources.feedback.add_draw_counts()
    }

    /// Returns a draw in Vulkan's form, with the list of vertex indices that replaces its vertices
    /// if Vulkan lacks its primitives or cannot restart them; `None` if the draw can be executed
    /// directly. Skips the script if the device lacks depth clamping and a program requires it.
    fn to_vulkan_draw(
        &self,
        draw: &Draw,
        indices: &[u32],
    ) -> Result<(Draw, Option<Vec<u32>>), CommandError> {
        let mut draw = *draw;
        self.leave_depth_unclipped(&mut draw)?;
        let list = assemble_list(&draw, indices)?;
        if list.is_some() {
            draw.state.primitive_restart = false;
        }
        self.replace_patches(&mut draw);
        Ok((draw, list))
    }

    /// Changes a draw of patches to primitives of the same number of vertices, if the geometry
    /// program receives patches; other draws remain unchanged. [`glasm::link`] has generated an
    /// evaluation stage for all other programs.
    fn replace_patches(&self, draw: &mut Draw) {
        let geometry = self.programs.module(Stage::Geometry);
        let primitives = geometry.and_then(|module| module.reflection.as_ref()?.primitive_info);
        let takes_patches = matches!(
            primitives,
            Some(PrimitiveInfo::Geometry {
                input_primitive: InputPrimitive::Patches,
                ..
            })
        );
        if !takes_patches || draw.topology != PrimitiveTopology::PATCH_LIST {
            return;
        }
        let vertices = draw.state.patch_control_points;
        draw.topology = match InputPrimitive::from_vertex_count(vertices) {
            Some(InputPrimitive::Points) => PrimitiveTopology::POINT_LIST,
            Some(InputPrimitive::Lines) => PrimitiveTopology::LINE_LIST,
            Some(InputPrimitive::LinesAdjacency) => PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
            Some(InputPrimitive::TrianglesAdjacency) => {
                PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY
            }
            Some(InputPrimitive::Triangles | InputPrimitive::Patches) | None => {
                PrimitiveTopology::TRIANGLE_LIST
            }
        };
    }

    /// Creates the index buffer of a list that replaces the draw's own vertices, and returns it
    /// with the number of indices; an empty list has no buffer. Without a list, uploads the indices
    /// of the draw and returns `None`.
    fn prepare_indices(
        &mut self,
        script: &Script,
        draw: &Draw,
        list: Option<Vec<u32>>,
    ) -> Result<Option<(Option<Buffer>, u32)>, CommandError> {
        let Some(list) = list else {
            self.upload_indices(script, draw)?;
            return Ok(None);
        };
        let buffer = create_index_buffer(&self.device, &list, IndexWidth::U32)?;
        Ok(Some((buffer, list.len() as u32)))
    }

    /// Returns true if the fragment program replaces clipping at the near and far planes. Devices
    /// clip only if they do not clamp; no fragment needs clamping, because the program has
    /// discarded those outside.
    fn is_unclipped(&self) -> bool {
        let fragment = self.programs.module(Stage::Fragment);
        let reflection = fragment.and_then(|module| module.reflection.as_ref());
        reflection.is_some_and(|reflection| reflection.requires_depth_clamp)
    }

    /// Returns the inputs of the vertex stage, by location; `None` if there is no vertex module, or
    /// if its entry point has no known interface.
    fn vertex_inputs(&self, script: &Script, draw: &Draw) -> Option<Vec<StageAttribute>> {
        let module = self.programs.module(Stage::Vertex)?;
        let name = entry_name(script, &draw.state)(Stage::Vertex);
        match &module.reflection {
            Some(reflection) => Some(vertices::reflected_inputs(reflection)),
            None => {
                let entry = module.entry_point(&name).ok()??;
                let input = |input: &crate::programs::Varying| StageAttribute {
                    location: input.location,
                    scalar: input.scalar,
                    attribute: input.location,
                    half: None,
                };
                let mut inputs: Vec<_> = entry.inputs.iter().map(input).collect();
                inputs.dedup_by_key(|input| input.location);
                Some(inputs)
            }
        }
    }

    /// Creates the index buffer with the script's indices in the index type of a draw and retains
    /// it. Does nothing if the draw is not indexed, the script has no indices or the buffer exists.
    fn upload_indices(&mut self, script: &Script, draw: &Draw) -> Result<(), CommandError> {
        let DrawSource::Indexed { width, .. } = draw.source else {
            return Ok(());
        };
        if !self.index_buffers.iter().any(|(known, _)| *known == width)
            && !script.indices.is_empty()
        {
            let buffer = create_index_buffer(&self.device, &script.indices, width)?;
            self.index_buffers
                .extend(buffer.map(|buffer| (width, buffer)));
        }
        Ok(())
    }

    /// Returns the range of vertices or indices to draw; `None` if the required index buffer does
    /// not exist because there are no indices. `list` contains the buffer and the number of indices
    /// that replace the vertices of the draw.
    fn draw_count<'b>(
        &'b self,
        draw: &Draw,
        list: Option<&'b (Option<Buffer>, u32)>,
    ) -> Option<DrawCount<'b>> {
        if let Some((indices, count)) = list {
            let vertex_offset = match draw.source {
                DrawSource::Indexed { vertex_offset, .. } => vertex_offset,
                DrawSource::Rect { .. } | DrawSource::Arrays { .. } => 0,
            };
            return Some(DrawCount::Indices(IndexedDraw {
                indices: indices.as_ref()?,
                index_type: IndexType::UINT32,
                first: 0,
                count: *count,
                vertex_offset,
            }));
        }
        match draw.source {
            DrawSource::Rect { .. } => Some(DrawCount::Vertices { first: 0, count: 4 }),
            DrawSource::Arrays { first, count } => Some(DrawCount::Vertices { first, count }),
            DrawSource::Indexed {
                first,
                count,
                vertex_offset,
                width,
            } => {
                let mut buffers = self.index_buffers.iter();
                let (_, indices) = buffers.find(|(known, _)| *known == width)?;
                Some(DrawCount::Indices(IndexedDraw {
                    indices,
                    index_type: match width {
                        IndexWidth::U8 => IndexType::UINT8_EXT,
                        IndexWidth::U16 => IndexType::UINT16,
                        IndexWidth::U32 => IndexType::UINT32,
                    },
                    first,
                    count,
                    vertex_offset,
                }))
            }
        }
    }

    /// Returns the index of the pipeline for a draw with this state, topology and vertex layout. If
    /// it is new, generates the modules of stages with templates, and creates and caches the
    /// pipeline.
    fn get_or_create_pipeline(
        &mut self,
        script: &Script,
        framebuffer: &Framebuffer,
        draw: &Draw,
        plan: &VertexPlan,
    ) -> Result<usize, CommandError> {
        let same = |cached: &CachedPipeline| {
            cached.state == draw.state
                && cached.topology == draw.topology
                && cached.vertices == *plan
        };
        if let Some(index) = self.pipelines.iter().position(same) {
            return Ok(index);
        }
        let shape = DrawShape {
            topology: draw.topology,
            patch_vertices: draw.state.patch_control_points,
            tess_levels: draw.state.tess_levels,
            viewports: draw.state.viewport_count() as u32,
        };
        self.programs.generate_modules(&shape)?;
        let stages = self
            .programs
            .shader_stages(&shape, entry_name(script, &draw.state));
        let desc = PipelineDesc {
            stages: &stages,
            layout: self.programs.layout(),
            framebuffer,
            state: &draw.state,
            topology: draw.topology,
            clip_space: self.clip_space,
            domain_origin: match script.requirements.convention {
                Convention::Vulkan => TessellationDomainOrigin::UPPER_LEFT,
                Convention::OpenGl => TessellationDomainOrigin::LOWER_LEFT,
            },
            attributes: &plan.attributes,
            bindings: &plan.bindings,
        };
        let pipeline = GraphicsPipeline::new(&self.device, &desc)?;
        let vertices = plan.clone();
        self.pipelines.push(CachedPipeline {
            state: draw.state,
            topology: draw.topology,
            vertices,
            pipeline,
        });
        Ok(self.pipelines.len() - 1)
    }
}

/// Returns the four vertices of a draw of a rectangle; `None` for other draws.
fn rectangle_vertices(draw: &Draw) -> Option<VertexData> {
    match draw.source {
        DrawSource::Rect { position, texcoord } => Some(VertexData::rectangle(position, texcoord)),
        DrawSource::Arrays { .. } | DrawSource::Indexed { .. } => None,
    }
}

/// Returns the clip space that the last stage before rasterization writes: GL's in scripts with
/// GL's conventions if neither the compiler nor the runner generated its module, else Vulkan's.
fn select_clip_space(script: &Script, modules: &[Module]) -> ClipSpace {
    let last = [Stage::Geometry, Stage::TessEval, Stage::Vertex]
        .into_iter()
        .find_map(|stage| modules.iter().find(|module| module.stage == stage));
    match script.requirements.convention {
        Convention::OpenGl if last.is_some_and(|module| module.reflection.is_none()) => {
            ClipSpace::OpenGl
        }
        Convention::OpenGl | Convention::Vulkan => ClipSpace::Vulkan,
    }
}

/// Creates a buffer of indices in an index type, to whose range the caller has checked that they
/// belong; `None` if there are no indices.
fn create_index_buffer(
    device: &Rc<Device>,
    indices: &[u32],
    width: IndexWidth,
) -> Result<Option<Buffer>, CommandError> {
    let bytes: Vec<u8> = match width {
        IndexWidth::U8 => indices.iter().map(|index| *index as u8).collect(),
        IndexWidth::U16 => indices
            .iter()
            .flat_map(|index| (*index as u16).to_le_bytes())
            .collect(),
        IndexWidth::U32 => indices
            .iter()
            .flat_map(|index| index.to_le_bytes())
            .collect(),
    };
    if bytes.is_empty() {
        Ok(None)
    } else {
        Ok(Some(Buffer::with_contents(
            device,
            BufferUse::Index,
            &bytes,
        )?))
    }
}
