//! Draws: programs, pipelines and vertex buffers.

use super::programs::Programs;
use super::vertices::{self, CURRENT_BINDING, DRAW_BINDING, VertexPlan};
use super::{Problem, Resources};
use crate::programs::Module;
use crate::script::pipeline_state::PipelineState;
use crate::script::{Draw, DrawSource, Script};
use crate::vk::{
    Buffer, BufferUse, Device, DrawCall, DrawCount, Framebuffer, GraphicsPipeline, PipelineDesc,
};
use ash::vk::PrimitiveTopology;
use glasm::Reflection;
use glasm::ir::Stage;
use std::rc::Rc;

/// A pipeline and what it was made for.
struct CachedPipeline {
    state: PipelineState,
    topology: PrimitiveTopology,
    vertices: VertexPlan,
    pipeline: GraphicsPipeline,
}

/// Everything that draws of a script share.
pub(super) struct Draws {
    device: Rc<Device>,
    programs: Programs,
    /// Reflection of the vertex program, unless it is one that the compiler did not make.
    reflection: Option<Reflection>,
    pipelines: Vec<CachedPipeline>,
    vertex_buffer: Option<Buffer>,
    index_buffer: Option<Buffer>,
}

impl Draws {
    /// Uploads vertices and programs.
    pub(super) fn new(
        device: &Rc<Device>,
        script: &Script,
        modules: &[Module],
    ) -> Result<Self, Problem> {
        let find = |stage| modules.iter().find(|module| module.stage == stage);
        let vertex = find(Stage::Vertex).ok_or_else(|| "there is no vertex program".to_owned())?;
        find(Stage::Fragment).ok_or_else(|| "there is no fragment program".to_owned())?;
        let vertices = script
            .vertex_data
            .as_ref()
            .map(|data| data.bytes.as_slice())
            .unwrap_or_default();
        let indices: Vec<u8> = script
            .indices
            .iter()
            .flat_map(|index| index.to_le_bytes())
            .collect();
        let upload = |usage, bytes: &[u8]| match bytes.is_empty() {
            true => Ok(None),
            false => Buffer::with_contents(device, usage, bytes).map(Some),
        };
        Ok(Self {
            device: Rc::clone(device),
            programs: Programs::new(device, script, modules, |stage| stage != Stage::Compute)?,
            reflection: vertex.reflection.clone(),
            pipelines: Vec::new(),
            vertex_buffer: upload(BufferUse::Vertex, vertices)?,
            index_buffer: upload(BufferUse::Index, &indices)?,
        })
    }

    /// Draws.
    pub(super) fn draw(
        &mut self,
        script: &Script,
        framebuffer: &Framebuffer,
        resources: &mut Resources,
        draw: &Draw,
    ) -> Result<(), Problem> {
        let data = script.vertex_data.as_ref();
        vertices::check_bounds(draw, data, &script.indices)?;
        let plan = vertices::plan_vertices(&draw.source, data, self.reflection.as_ref())?;
        self.programs.bind(resources)?;
        let pipeline = self.pipeline(framebuffer, draw, &plan)?;
        let rect = match draw.source {
            DrawSource::Rect { position, texcoord } => {
                let bytes = vertices::rect_bytes(position, texcoord);
                Some(Buffer::with_contents(
                    &self.device,
                    BufferUse::Vertex,
                    &bytes,
                )?)
            }
            DrawSource::Arrays { .. } | DrawSource::Indexed { .. } => None,
        };
        let current = vertices::current_bytes(&resources.attributes, &plan);
        let current = Buffer::with_contents(&self.device, BufferUse::Vertex, &current)?;
        let mut vertex_buffers = Vec::new();
        for binding in &plan.bindings {
            let buffer = match binding.binding {
                CURRENT_BINDING => Some(&current),
                DRAW_BINDING => rect.as_ref().or(self.vertex_buffer.as_ref()),
                _ => None,
            };
            // Without a buffer there are no vertices, and the draw, whose bounds are checked, draws none.
            let Some(buffer) = buffer else { return Ok(()) };
            vertex_buffers.push((binding.binding, buffer));
        }
        let call = DrawCall {
            pipeline: &self.pipelines[pipeline].pipeline,
            layout: self.programs.layout(),
            push: &resources.push,
            vertex_buffers,
            count: self.count(draw)?,
            instances: draw.instances,
        };
        Ok(self.device.draw(framebuffer, &call)?)
    }

    fn count(&self, draw: &Draw) -> Result<DrawCount<'_>, Problem> {
        match draw.source {
            DrawSource::Rect { .. } => Ok(DrawCount::Vertices { first: 0, count: 4 }),
            DrawSource::Arrays { first, count } => Ok(DrawCount::Vertices { first, count }),
            DrawSource::Indexed {
                vertex_offset,
                count,
            } => {
                let indices = self
                    .index_buffer
                    .as_ref()
                    .ok_or_else(|| "there are no indices".to_owned())?;
                let vertex_offset = i32::try_from(vertex_offset)
                    .map_err(|_| "the first vertex is too large".to_owned())?;
                Ok(DrawCount::Indices {
                    indices,
                    count,
                    vertex_offset,
                })
            }
        }
    }

    /// The number of the pipeline for a draw, which is made if it is new.
    fn pipeline(
        &mut self,
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
        let desc = PipelineDesc {
            modules: self.programs.modules(),
            layout: self.programs.layout(),
            framebuffer,
            state: &draw.state,
            topology: draw.topology,
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
