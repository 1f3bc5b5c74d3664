//! Pipelines, and the input of their vertices.

use super::descriptors::{Layout, LayoutKey};
use super::device::Device;
use super::fixed_function::{FixedFunction, RasterizationExtensions, depth_stencil_state};
use super::framebuffer::{Framebuffer, FramebufferKey};
use super::pool::{Poolable, Pooled};
use super::shader::{ShaderStage, Specialization, StageKey};
use crate::error::Error;
use ash::vk;
use glasm::ir::Stage;
use glasm_scripts::script::pipeline_state::PipelineState;
use glasm_scripts::timing::Phase;
use std::rc::Rc;

/// Rules of the clip space that the last stage before rasterization writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClipSpace {
    /// Depth from 0 to w.
    Vulkan,
    /// Depth from -w to w.
    OpenGl,
}

/// Properties of a graphics pipeline.
pub(crate) struct PipelineDesc<'a> {
    pub(crate) stages: &'a [ShaderStage<'a>],
    pub(crate) layout: &'a Layout,
    pub(crate) framebuffer: &'a Framebuffer,
    pub(crate) state: &'a PipelineState,
    pub(crate) topology: vk::PrimitiveTopology,
    pub(crate) clip_space: ClipSpace,
    pub(crate) domain_origin: vk::TessellationDomainOrigin,
    pub(crate) attributes: &'a [VertexAttribute],
    pub(crate) bindings: &'a [VertexBinding],
}

impl<'a> PipelineDesc<'a> {
    /// Returns the stages that the pipeline uses: all, except for the fragment stage if primitives
    /// are discarded before rasterization, where Vulkan allows none.
    fn used_stages(&self) -> impl Iterator<Item = &'a ShaderStage<'a>> {
        let discards = self.state.rasterizer_discard;
        let is_used = move |stage: &&ShaderStage<'_>| !discards || stage.stage() != Stage::Fragment;
        self.stages.iter().filter(is_used)
    }

    /// Returns the topology and primitive restart in Vulkan's form.
    fn input_assembly(&self) -> vk::PipelineInputAssemblyStateCreateInfo<'static> {
        vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(self.topology)
            .primitive_restart_enable(self.state.primitive_restart)
    }

    /// Returns the key under which the pipeline is pooled: everything that Vulkan compiles into it.
    fn key(&self) -> PipelineKey {
        // All members are listed, so that the compiler reports a new one.
        let Self {
            stages,
            layout,
            framebuffer,
            state,
            topology,
            clip_space,
            domain_origin,
            attributes,
            bindings,
        } = self;
        PipelineKey {
            stages: stages.iter().map(ShaderStage::key).collect(),
            layout: Rc::clone(&layout.key),
            framebuffer: Rc::clone(&framebuffer.key),
            state: format!(
                "{state:?} {topology:?} {clip_space:?} {domain_origin:?} {attributes:?} {bindings:?}"
            ),
        }
    }
}

/// Key of a graphics pipeline.
#[derive(PartialEq, Eq)]
pub(crate) struct PipelineKey {
    stages: Vec<StageKey>,
    layout: Rc<LayoutKey>,
    framebuffer: Rc<FramebufferKey>,
    /// Debug output of all states: it distinguishes all states that the pipeline can distinguish.
    state: String,
}

/// Key of a compute pipeline.
#[derive(PartialEq, Eq)]
pub(crate) struct ComputeKey {
    stage: StageKey,
    layout: Rc<LayoutKey>,
}

/// Graphics pipeline.
pub(crate) type GraphicsPipeline = Pooled<GraphicsPipelineObject>;

/// Vulkan objects of a [`GraphicsPipeline`].
pub(crate) struct GraphicsPipelineObject {
    pub(super) raw: vk::Pipeline,
    device: Rc<Device>,
}

impl GraphicsPipeline {
    /// Creates a graphics pipeline with fixed viewport and no dynamic state, or takes an equal one
    /// from the pool.
    pub(crate) fn new(device: &Rc<Device>, desc: &PipelineDesc<'_>) -> Result<Self, Error> {
        let _phase = device.clock.enter(Phase::Pipelines);
        let make = || GraphicsPipelineObject::create(device, desc);
        Self::get_or_create(device, desc.key(), make)
    }
}

impl GraphicsPipelineObject {
    /// Creates the graphics pipeline of a description, with specialized stages and no dynamic
    /// state, through the pipeline cache of the device.
    fn create(device: &Rc<Device>, desc: &PipelineDesc<'_>) -> Result<Self, Error> {
        let constants: Vec<_> = desc
            .used_stages()
            .map(ShaderStage::specialization)
            .collect();
        let constants: Vec<_> = constants.iter().map(Specialization::info).collect();
        let stages = desc.used_stages().zip(&constants);
        let stages: Vec<_> = stages
            .map(|(stage, constants)| stage.info(constants))
            .collect();
        let vertices = VertexInputState::new(desc.attributes, desc.bindings);
        let mut divisors = vertices.divisor_state();
        let vertex_input = vertices.state(&mut divisors);
        let state = desc.state;
        let input_assembly = desc.input_assembly();
        let mut origin = vk::PipelineTessellationDomainOriginStateCreateInfo::default()
            .domain_origin(desc.domain_origin);
        let tessellation = vk::PipelineTessellationStateCreateInfo::default()
            .patch_control_points(state.patch_control_points)
            .push_next(&mut origin);
        let written = desc
            .stages
            .iter()
            .fold(0, |all, it| all | it.written_attachments());
        let fixed = FixedFunction::new(device, state, desc.framebuffer, written);
        let mut clip_control =
            vk::PipelineViewportDepthClipControlCreateInfoEXT::default().negative_one_to_one(true);
        let mut viewport_state = fixed.viewport_state();
        if desc.clip_space == ClipSpace::OpenGl {
            viewport_state = viewport_state.push_next(&mut clip_control);
        }
        let mut extensions = RasterizationExtensions::new(device, state);
        let rasterization = extensions.state(state);
        let multisample = fixed.multisample_state(state, desc.framebuffer);
        let depth_stencil = depth_stencil_state(state, desc.framebuffer);
        let color_blend = fixed.color_blend_state(state);
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertex_input)
            .input_assembly_state(&input_assembly)
            .viewport_state(&viewport_state)
            .rasterization_state(&rasterization)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth_stencil)
            .color_blend_state(&color_blend)
            .layout(desc.layout.raw)
            .render_pass(desc.framebuffer.render_pass);
        let mut all = desc.stages.iter();
        if all.any(|stage| stage.stage() == Stage::TessEval) {
            info = info.tessellation_state(&tessellation);
        }
        // SAFETY: all pointers are to locals; modules, layout and render pass are from this device.
        let pipelines = unsafe {
            device
                .raw
                .create_graphics_pipelines(device.pipeline_cache, &[info], None)
        };
        let raw = first_pipeline(pipelines, "vkCreateGraphicsPipelines")?;
        Ok(Self {
            raw,
            device: Rc::clone(device),
        })
    }
}

impl Poolable for GraphicsPipelineObject {
    type Key = PipelineKey;
    const LIMIT: usize = 64;
}

impl Drop for GraphicsPipelineObject {
    fn drop(&mut self) {
        if !self.device.is_lost() {
            let _phase = self.device.clock.enter(Phase::Pipelines);
            // SAFETY: the pipeline was created from this device, and the device is idle.
            unsafe { self.device.raw.destroy_pipeline(self.raw, None) };
        }
    }
}

/// Compute pipeline.
pub(crate) type ComputePipeline = Pooled<ComputePipelineObject>;

/// Vulkan objects of a [`ComputePipeline`].
pub(crate) struct ComputePipelineObject {
    pub(super) raw: vk::Pipeline,
    device: Rc<Device>,
}

impl ComputePipeline {
    /// Creates a compute pipeline, or takes an equal one from the pool.
    pub(crate) fn new(
        device: &Rc<Device>,
        stage: &ShaderStage<'_>,
        layout: &Layout,
    ) -> Result<Self, Error> {
        let _phase = device.clock.enter(Phase::Pipelines);
        let key = ComputeKey {
            stage: stage.key(),
            layout: Rc::clone(&layout.key),
        };
        let make = || ComputePipelineObject::create(device, stage, layout);
        Self::get_or_create(device, key, make)
    }
}

impl ComputePipelineObject {
    /// Creates the pipeline of a compute stage with its specialization constants, through the
    /// pipeline cache of the device.
    fn create(
        device: &Rc<Device>,
        stage: &ShaderStage<'_>,
        layout: &Layout,
    ) -> Result<Self, Error> {
        let constants = stage.specialization();
        let constants = constants.info();
        let stage = stage.info(&constants);
        let info = vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(layout.raw);
        // SAFETY: module and layout are from this device.
        let pipelines = unsafe {
            device
                .raw
                .create_compute_pipelines(device.pipeline_cache, &[info], None)
        };
        let raw = first_pipeline(pipelines, "vkCreateComputePipelines")?;
        Ok(Self {
            raw,
            device: Rc::clone(device),
        })
    }
}

impl Poolable for ComputePipelineObject {
    type Key = ComputeKey;
    const LIMIT: usize = 32;
}

impl Drop for ComputePipelineObject {
    fn drop(&mut self) {
        if !self.device.is_lost() {
            let _phase = self.device.clock.enter(Phase::Pipelines);
            // SAFETY: the pipeline was created from this device, and the device is idle.
            unsafe { self.device.raw.destroy_pipeline(self.raw, None) };
        }
    }
}

/// Returns the only pipeline of a call that creates pipelines, or its error with the name of the
/// call.
fn first_pipeline(
    pipelines: Result<Vec<vk::Pipeline>, (Vec<vk::Pipeline>, vk::Result)>,
    call: &'static str,
) -> Result<vk::Pipeline, Error> {
    // If the only pipeline fails its handle is null, so there is nothing to destroy.
    pipelines
        .map(|pipelines| pipelines[0])
        .map_err(|(_, result)| Error::Vulkan { call, result })
}

/// Vertex attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VertexAttribute {
    pub(crate) location: u32,
    pub(crate) binding: u32,
    pub(crate) format: vk::Format,
    pub(crate) offset: u32,
}

/// Vertex buffer binding; with stride 0 all vertices have the same values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VertexBinding {
    pub(crate) binding: u32,
    pub(crate) stride: u32,
    /// Number of instances that share a value; 0 advances per vertex instead.
    pub(crate) divisor: u32,
}

/// Structures of a pipeline that its state points to.
pub(super) struct VertexInputState {
    bindings: Vec<vk::VertexInputBindingDescription>,
    attributes: Vec<vk::VertexInputAttributeDescription>,
    /// Divisors of bindings that advance more slowly than per instance.
    divisors: Vec<vk::VertexInputBindingDivisorDescriptionEXT>,
}

impl VertexInputState {
    /// Creates the state of attributes and their bindings.
    pub(super) fn new(attributes: &[VertexAttribute], bindings: &[VertexBinding]) -> Self {
        let attribute = |attribute: &VertexAttribute| vk::VertexInputAttributeDescription {
            location: attribute.location,
            binding: attribute.binding,
            format: attribute.format,
            offset: attribute.offset,
        };
        let slow = bindings.iter().filter(|binding| binding.divisor > 1);
        let divisor = |binding: &VertexBinding| vk::VertexInputBindingDivisorDescriptionEXT {
            binding: binding.binding,
            divisor: binding.divisor,
        };
        Self {
            bindings: bindings.iter().map(description).collect(),
            attributes: attributes.iter().map(attribute).collect(),
            divisors: slow.map(divisor).collect(),
        }
    }

    /// Returns the divisors greater than 1 in Vulkan's form, for [`Self::state`].
    pub(super) fn divisor_state(&self) -> vk::PipelineVertexInputDivisorStateCreateInfoEXT<'_> {
        vk::PipelineVertexInputDivisorStateCreateInfoEXT::default()
            .vertex_binding_divisors(&self.divisors)
    }

    /// Returns the vertex input state in Vulkan's form, with `divisors` if there are any greater
    /// than 1: devices without the extension do not know the structure.
    pub(super) fn state<'a>(
        &'a self,
        divisors: &'a mut vk::PipelineVertexInputDivisorStateCreateInfoEXT<'a>,
    ) -> vk::PipelineVertexInputStateCreateInfo<'a> {
        let state = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&self.bindings)
            .vertex_attribute_descriptions(&self.attributes);
        if self.divisors.is_empty() {
            state
        } else {
            state.push_next(divisors)
        }
    }
}

/// Returns a vertex binding in Vulkan's form: a divisor of 0 advances it per vertex, any other per
/// instance.
fn description(binding: &VertexBinding) -> vk::VertexInputBindingDescription {
    vk::VertexInputBindingDescription::default()
        .binding(binding.binding)
        .stride(binding.stride)
        .input_rate(match binding.divisor {
            0 => vk::VertexInputRate::VERTEX,
            _ => vk::VertexInputRate::INSTANCE,
        })
}
