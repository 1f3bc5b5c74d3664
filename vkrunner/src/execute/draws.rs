//! Draws: programs, pipelines and vertex buffers.

use super::assembly::assemble;
use super::programs::Programs;
use super::refusals::{Capturing, check_outcome, find_draw_refusal};
use super::resources::Resources;
use super::vertices::{self, CURRENT_BINDING, VertexInput, VertexPlan};
use crate::error::Problem;
use crate::programs::{DrawShape, Module};
use crate::vk::{
    Buffer, BufferUse, ClipSpace, Device, DrawCall, DrawCount, Framebuffer, GraphicsPipeline,
    IndexedDraw, PipelineDesc,
};
use ash::vk::{IndexType, PrimitiveTopology, TessellationDomainOrigin};
use glasm::ir::Stage;
use glasm::ir::primitive::InputPrimitive;
use glasm::reflect::Primitives;
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

/// Returns the name of the entry point that a draw uses.
fn entry_name<'a>(script: &'a Script, state: &'a PipelineState) -> impl Fn(Stage) -> String + 'a {
    |stage| script.entry_names[state.entry_points.get(stage)].clone()
}

impl<'a> Draws<'a> {
    /// Uploads vertices and programs.
    pub(super) fn new(
        device: &Rc<Device>,
        script: &Script,
        modules: &'a [Module],
    ) -> Result<Self, Problem> {
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
            clip_space: clip_space(script, modules),
            pipelines: Vec::new(),
            vertex_buffer,
            index_buffers: Vec::new(),
        })
    }

    /// Returns true if the draw is to be executed; an error if GL rejects it and the script does
    /// not expect that.
    fn is_accepted(&self, draw: &Draw, resources: &Resources) -> Result<bool, String> {
        let capturing = if resources.feedback.is_on() {
            Capturing::Yes
        } else {
            Capturing::No
        };
        let refusal = find_draw_refusal(draw, &self.programs.modules(), capturing);
        check_outcome(draw.outcome, refusal, "the draw")
    }

    /// Disables clipping at near and far planes, if the program requires it.
    fn leave_depth_unclipped(&self, draw: &mut Draw) -> Result<(), Problem> {
        if !self.is_unclipped() {
            return Ok(());
        }
        draw.state.depth_clamp = true;
        if self.device.capabilities.features.contains("depthClamp") {
            Ok(())
        } else {
            let message = "the device lacks depthClamp, without which depth clips";
            Err(Problem::Lacking(message.to_owned()))
        }
    }

    /// Executes a draw.
    pub(super) fn draw(
        &mut self,
        script: &Script,
        framebuffer: &Framebuffer,
        resources: &mut Resources,
        draw: &Draw,
    ) -> Result<(), Problem> {
        if !self.is_accepted(draw, resources)? {
            return Ok(());
        }
        if let Some(counter) = &resources.sample_counter {
            counter.forget();
        }
        let corners = corners(draw);
        let data = corners.as_ref().or(script.vertex_data.as_ref());
        check_bounds(draw, data, &script.indices)?;
        self.programs.check(entry_name(script, &draw.state))?;
        let inputs = self.vertex_inputs(script, draw);
        let plan = vertices::plan_vertices(draw, data, inputs.as_deref())?;
        resources
            .params
            .set_draw_state(&script.requirements, &draw.state);
        self.programs.bind(resources, Some(framebuffer))?;
        let (draw, list) = self.translate(draw, &script.indices)?;
        let pipeline = self.pipeline(script, framebuffer, &draw, &plan)?;
        let list = self.indices(script, &draw, list)?;
        let vertex_buffer =
            |data: &VertexData| Buffer::with_contents(&self.device, BufferUse::Vertex, &data.bytes);
        let corners = corners.as_ref().map(vertex_buffer).transpose()?;
        let current = vertices::current_bytes(&resources.attributes, &plan);
        let current = Buffer::with_contents(&self.device, BufferUse::Vertex, &current)?;
        let mut vertex_buffers = Vec::new();
        for binding in &plan.bindings {
            let buffer = match binding.binding {
                CURRENT_BINDING => Some(&current),
                _ => corners.as_ref().or(self.vertex_buffer.as_ref()),
            };
            // Without a buffer there are no vertices, and the draw, whose bounds are checked, has
            // no effect.
            let Some(buffer) = buffer else { return Ok(()) };
            vertex_buffers.push((binding.binding, buffer));
        }
        let Some(count) = self.count(&draw, list.as_ref()) else {
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
        resources.feedback.drawn()
    }

    /// Returns a draw in Vulkan's form, with the list that replaces its vertices if Vulkan lacks
    /// its primitives.
    fn translate(&self, draw: &Draw, indices: &[u32]) -> Result<(Draw, Option<Vec<u32>>), Problem> {
        let mut draw = *draw;
        self.leave_depth_unclipped(&mut draw)?;
        let list = assemble(&draw, indices)?;
        if list.is_some() {
            draw.state.primitive_restart = false;
        }
        self.replace_patches(&mut draw);
        Ok((draw, list))
    }

    /// Draws primitives of the same number of vertices instead of patches, if the geometry program
    /// receives patches. [`glasm::link`] has generated an evaluation stage for all others.
    fn replace_patches(&self, draw: &mut Draw) {
        let geometry = self.programs.module(Stage::Geometry);
        let told = geometry.and_then(|module| module.reflection.as_ref()?.primitives);
        let takes_patches = matches!(
            told,
            Some(Primitives::Geometry {
                input: InputPrimitive::Patches,
                ..
            })
        );
        if !takes_patches || draw.topology != PrimitiveTopology::PATCH_LIST {
            return;
        }
        let vertices = draw.state.patch_control_points;
        draw.topology = match InputPrimitive::of_vertices(vertices) {
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

    /// Returns the indices of a list that replaces the draw's own vertices. Otherwise those of the
    /// draw are uploaded.
    fn indices(
        &mut self,
        script: &Script,
        draw: &Draw,
        list: Option<Vec<u32>>,
    ) -> Result<Option<(Option<Buffer>, u32)>, Problem> {
        let Some(list) = list else {
            self.upload_indices(script, draw)?;
            return Ok(None);
        };
        let buffer = index_buffer(&self.device, &list, IndexWidth::U32)?;
        Ok(Some((buffer, list.len() as u32)))
    }

    /// Returns true if the fragment program replaces clipping by depth. Devices clip only if they
    /// do not clamp; no fragment needs clamping, since the program has discarded those outside.
    fn is_unclipped(&self) -> bool {
        let fragment = self.programs.module(Stage::Fragment);
        let reflection = fragment.and_then(|module| module.reflection.as_ref());
        reflection.is_some_and(|reflection| reflection.unclipped_depth)
    }

    /// Returns the inputs of the vertex stage, unless they are unknown.
    fn vertex_inputs(&self, script: &Script, draw: &Draw) -> Option<Vec<VertexInput>> {
        let module = self.programs.module(Stage::Vertex)?;
        let name = entry_name(script, &draw.state)(Stage::Vertex);
        match &module.reflection {
            Some(reflection) => Some(vertices::reflected_inputs(reflection)),
            None => {
                let entry = module.entry_point(&name).ok()??;
                let input = |input: &crate::programs::Varying| VertexInput {
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

    /// Uploads the indices of a draw in its index type.
    fn upload_indices(&mut self, script: &Script, draw: &Draw) -> Result<(), Problem> {
        let DrawSource::Indexed { width, .. } = draw.source else {
            return Ok(());
        };
        if !self.index_buffers.iter().any(|(known, _)| *known == width)
            && !script.indices.is_empty()
        {
            let buffer = index_buffer(&self.device, &script.indices, width)?;
            self.index_buffers
                .extend(buffer.map(|buffer| (width, buffer)));
        }
        Ok(())
    }

    /// Returns the vertices to draw; `None` for none. `list` replaces the vertices of the draw.
    fn count<'b>(
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

    /// Returns the index of the pipeline for a draw, which is created if it is new.
    fn pipeline(
        &mut self,
        script: &Script,
        framebuffer: &Framebuffer,
        draw: &Draw,
        plan: &VertexPlan,
    ) -> Result<usize, Problem> {
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
        self.programs.make_modules(&shape)?;
        let stages = self
            .programs
            .stages(&shape, entry_name(script, &draw.state));
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

/// Returns the vertices of a rectangle.
fn corners(draw: &Draw) -> Option<VertexData> {
    match draw.source {
        DrawSource::Rect { position, texcoord } => Some(VertexData::rectangle(position, texcoord)),
        DrawSource::Arrays { .. } | DrawSource::Indexed { .. } => None,
    }
}

/// Returns the clip space. Modules that neither the compiler nor the runner generated write GL's
/// clip space in scripts with GL's conventions.
fn clip_space(script: &Script, modules: &[Module]) -> ClipSpace {
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

/// Returns a buffer of indices, which the caller has checked to fit; `None` for none.
fn index_buffer(
    device: &Rc<Device>,
    indices: &[u32],
    width: IndexWidth,
) -> Result<Option<Buffer>, Problem> {
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
