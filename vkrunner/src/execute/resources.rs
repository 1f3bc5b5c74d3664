//! Resources that programs read and draws use, as set by the previous commands.

use super::binding_plan::ResourceSource;
use super::bindings::{BoundBuffers, BufferSource};
use super::feedback::Feedback;
use super::images::Images;
use super::resource_requests::{RequestedImage, RequestedTexture, UnboundResult};
use super::textures::Textures;
use crate::error::CommandError;
use crate::vk::{Buffer, CaptureCall, Comparing, Device, Resource, SampleCounter};
use glasm::ir::{Stage, TexTarget};
use glasm::reflect::{HandleKind, ScalarType};
use glasm_scripts::params::{Params, replace_component_pairs};
use glasm_scripts::script::{BufferAddress, ParamValue, Script};
use glasm_scripts::vertices::{ATTRIBUTES, initial_attributes};
use std::collections::HashMap;
use std::rc::Rc;

/// Resources that programs read, as set by the previous commands.
pub(super) struct Resources {
    pub(super) buffers: Vec<Buffer>,
    pub(super) bound_buffers: BoundBuffers,
    pub(super) feedback: Feedback,
    /// Counter that exists if the script probes numbers of samples.
    pub(super) sample_counter: Option<SampleCounter>,
    pub(super) params: Params,
    /// Lines of the programs that are loaded, by stage.
    pub(super) program_lines: HashMap<Stage, u32>,
    pub(super) textures: Textures,
    pub(super) images: Images,
    pub(super) attributes: [[f32; 4]; ATTRIBUTES],
    pub(super) push: Vec<u8>,
}

impl Resources {
    /// Creates the resources before the first command, with their initial values and without
    /// buffers, which [`Execution::create_buffers`](super::execution::Execution::create_buffers)
    /// adds. The warp size of the GL state is the device's subgroup size, at most 32.
    pub(super) fn new(device: &Device, script: &Script) -> Self {
        let requirements = &script.requirements;
        let mut params = Params::from_requirements(requirements);
        params.state.threads.warp_size = device.capabilities.compiler.subgroups.size.min(32);
        Self {
            buffers: Vec::new(),
            bound_buffers: BoundBuffers::new(&script.buffers, &script.steps),
            feedback: Feedback::new(),
            sample_counter: None,
            params,
            program_lines: HashMap::new(),
            textures: Textures::new(requirements.convention),
            images: Images::default(),
            attributes: initial_attributes(),
            push: vec![0; script.push_size as usize],
        }
    }

    /// Returns the line of the program of a stage, which distinguishes programs; 0 if there is
    /// none.
    pub(super) fn program_line(&self, stage: Stage) -> u32 {
        self.program_lines.get(&stage).copied().unwrap_or(0)
    }

    /// Returns the device address of an offset in a buffer, which must have been created with an
    /// address; the sum wraps around.
    pub(super) fn buffer_address(&self, address: BufferAddress) -> u64 {
        let start = self.buffers[address.buffer.0].address();
        start.wrapping_add(address.offset)
    }

    /// Returns the bits of a parameter; addresses and handles replace pairs of components of its
    /// previous value.
    pub(super) fn resolve_param(&self, value: &ParamValue, before: [u32; 4]) -> [u32; 4] {
        match value {
            ParamValue::Words(_, words) => *words,
            ParamValue::Addresses(addresses) => {
                let addresses: Vec<u64> = addresses
                    .iter()
                    .map(|it| self.buffer_address(*it))
                    .collect();
                replace_component_pairs(before, &addresses)
            }
            ParamValue::Handles(handles) => {
                let units: Vec<u64> = handles.iter().map(|it| it.unit().into()).collect();
                replace_component_pairs(before, &units)
            }
        }
    }

    /// Returns the buffer ranges and counters of a captured draw; `None` outside of a capture.
    /// Returns an error if a transform feedback buffer is not bound.
    pub(super) fn capture_call(&self, script: &Script) -> Result<Option<CaptureCall<'_>>, String> {
        let Self {
            bound_buffers: bound,
            buffers,
            ..
        } = self;
        self.feedback.capture_call(script, bound, buffers)
    }

    /// Returns the buffer range that is bound for a descriptor, or the buffer `zeros` if the
    /// program may read zeros. Returns an error if a required buffer is not bound.
    pub(super) fn buffer_resource<'a>(
        &'a self,
        source: &BufferSource,
        zeros: &'a Buffer,
    ) -> Result<Resource<'a>, CommandError> {
        Ok(match self.bound_buffers.find_range(source)? {
            Some(range) => Resource::Buffer {
                buffer: &self.buffers[range.buffer.0],
                offset: range.offset,
                size: range.size,
            },
            None => Resource::whole_buffer(zeros),
        })
    }

    /// Returns the current contents of a buffer that the runner writes itself; empty for sources of
    /// other kinds.
    pub(super) fn runner_buffer_bytes(&self, source: &ResourceSource) -> Vec<u8> {
        match source {
            ResourceSource::Params(stage, block, named) => {
                let program = self.program_line(*stage);
                self.params.block_contents(*stage, block, (program, named))
            }
            ResourceSource::StateBlock(words) => words.bytes().to_vec(),
            ResourceSource::StateProgramParams => self.params.state_program_params(),
            // No program is running, so the lock is free.
            ResourceSource::ImageLock => vec![0; 4],
            ResourceSource::Textures(..)
            | ResourceSource::Sampler(..)
            | ResourceSource::Attachment(_)
            | ResourceSource::Image(_)
            | ResourceSource::Images(..)
            | ResourceSource::Handles(..)
            | ResourceSource::Buffers(_) => Vec::new(),
        }
    }

    /// Returns the texture or image of element `unit` of an array that handles index; a handle is
    /// the number of the unit. If the unit has none of this target and type, returns a placeholder
    /// or a null descriptor. Creates objects that do not exist yet.
    pub(super) fn handle_resource(
        &mut self,
        device: &Rc<Device>,
        kind: HandleKind,
        target: TexTarget,
        unit: u32,
    ) -> Result<Resource<'_>, CommandError> {
        let texture = |texel, comparing| RequestedTexture {
            target,
            texel_type: texel,
            comparing: Some(comparing),
            unbound_result: UnboundResult::Black,
        };
        let requested = match kind {
            HandleKind::Texture(texel) => texture(texel, Comparing::Off),
            HandleKind::ShadowTexture => texture(ScalarType::Float32, Comparing::On),
            HandleKind::QueryOnlyTexture => {
                let texel = self
                    .textures
                    .texel_type(unit)
                    .unwrap_or(ScalarType::Float32);
                texture(texel, Comparing::Off)
            }
            HandleKind::Image(format) => {
                return self.images.handle_resource(
                    device,
                    unit,
                    RequestedImage { target, format },
                );
            }
        };
        let sampled = self.textures.matching_texture(device, unit, requested)?;
        Ok(Resource::Texture(sampled))
    }
}
