//! Resources that programs read and draws use, as set by the previous commands.

use super::bindings::{Bound, BufferPlace};
use super::feedback::Feedback;
use super::images::Images;
use super::plan::Source;
use super::textures::Textures;
use super::wanted::{Missing, WantedImage, WantedTexture};
use crate::error::Problem;
use crate::vk::{Buffer, CaptureCall, Comparing, Device, Resource, SampleCounter};
use glasm::ir::{Stage, TexTarget};
use glasm::reflect::{HandleKind, Scalar};
use glasm_scripts::params::{Params, replace_pairs};
use glasm_scripts::script::{BufferAddress, ParamValue, Script};
use glasm_scripts::vertices::{ATTRIBUTES, initial_values};
use std::collections::HashMap;
use std::rc::Rc;

/// Resources that programs read, as set by the previous commands.
pub(super) struct Resources {
    pub(super) buffers: Vec<Buffer>,
    pub(super) bound: Bound,
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
    /// Creates the resources before the first command.
    pub(super) fn new(device: &Device, script: &Script) -> Self {
        let requirements = &script.requirements;
        let mut params = Params::of_script(requirements);
        params.state.threads.warp_size = device.capabilities.compiler.subgroups.size.min(32);
        Self {
            buffers: Vec::new(),
            bound: Bound::new(&script.buffers, &script.steps),
            feedback: Feedback::new(),
            sample_counter: None,
            params,
            program_lines: HashMap::new(),
            textures: Textures::new(requirements.convention),
            images: Images::default(),
            attributes: initial_values(),
            push: vec![0; script.push_size as usize],
        }
    }

    /// Returns the line of the program of a stage, which distinguishes programs; 0 if there is
    /// none.
    pub(super) fn program_line(&self, stage: Stage) -> u32 {
        self.program_lines.get(&stage).copied().unwrap_or(0)
    }

    /// Returns the address of an offset in a buffer.
    pub(super) fn address(&self, address: BufferAddress) -> u64 {
        let start = self.buffers[address.buffer.0].address();
        start.wrapping_add(address.offset)
    }

    /// Returns the bits of a parameter; addresses and handles replace pairs of components of its
    /// previous value.
    pub(super) fn resolve_param(&self, value: &ParamValue, before: [u32; 4]) -> [u32; 4] {
        match value {
            ParamValue::Words(_, words) => *words,
            ParamValue::Addresses(addresses) => {
                let addresses: Vec<u64> = addresses.iter().map(|it| self.address(*it)).collect();
                replace_pairs(before, &addresses)
            }
            ParamValue::Handles(handles) => {
                let units: Vec<u64> = handles.iter().map(|it| it.unit().into()).collect();
                replace_pairs(before, &units)
            }
        }
    }

    /// Returns the capture of a draw, if one has begun.
    pub(super) fn capture_call(&self, script: &Script) -> Result<Option<CaptureCall<'_>>, String> {
        let Self { bound, buffers, .. } = self;
        self.feedback.capture_call(script, bound, buffers)
    }

    /// Returns the buffer that is bound for a descriptor, or zeros.
    pub(super) fn buffer<'a>(
        &'a self,
        place: &BufferPlace,
        zeros: &'a Buffer,
    ) -> Result<Resource<'a>, Problem> {
        Ok(match self.bound.find(place)? {
            Some(range) => Resource::Buffer {
                buffer: &self.buffers[range.buffer.0],
                offset: range.offset,
                size: range.size,
            },
            None => Resource::whole(zeros),
        })
    }

    /// Returns the contents of a buffer that the runner writes itself.
    pub(super) fn block_bytes(&self, source: &Source) -> Vec<u8> {
        match source {
            Source::Params(stage, block, named) => {
                let program = self.program_line(*stage);
                self.params.block(*stage, block, (program, named))
            }
            Source::StateBlock(words) => words.bytes().to_vec(),
            Source::State => self.params.state_bytes(),
            // No program is running, so the lock is free.
            Source::ImageLock => vec![0; 4],
            Source::Textures(..)
            | Source::Sampler(..)
            | Source::Attachment(_)
            | Source::Image(_)
            | Source::Images(..)
            | Source::Handles(..)
            | Source::Buffers(_) => Vec::new(),
        }
    }

    /// Returns the resource of element `unit` of an array for `target`.
    pub(super) fn by_handle(
        &mut self,
        device: &Rc<Device>,
        kind: HandleKind,
        target: TexTarget,
        unit: u32,
    ) -> Result<Resource<'_>, Problem> {
        let texture = |texel, comparing| WantedTexture {
            target,
            texel,
            comparing: Some(comparing),
            missing: Missing::Black,
        };
        let wanted = match kind {
            HandleKind::Texture(texel) => texture(texel, Comparing::Off),
            HandleKind::Comparison => texture(Scalar::Float, Comparing::On),
            HandleKind::QueriedTexture => {
                let texel = self.textures.texel(unit).unwrap_or(Scalar::Float);
                texture(texel, Comparing::Off)
            }
            HandleKind::Image(format) => {
                return self
                    .images
                    .by_handle(device, unit, WantedImage { target, format });
            }
        };
        let found = self.textures.fitting(device, unit, wanted)?;
        Ok(Resource::Texture(found))
    }
}
