//! State of a script between two commands, as its commands set it.

use super::images::SceneImages;
use super::programs::ProgramCache;
use super::sampler::TextureUnits;
use crate::gl_state;
use crate::params::{ParamKey, Params, replace_component_pairs};
use crate::script::{
    BindTarget, BufferAddress, BufferId, BufferKey, BufferKind, BufferRange, Command, Draw,
    ParamBank, ParamValue, ProgramState, Script,
};
use crate::texture::{Sampling, TextureData};
use crate::vertices::{ATTRIBUTES, initial_attributes};
use glasm::ir::Stage;
use std::collections::HashMap;

/// First address of the buffers of a script in global memory.
const FIRST_ADDRESS: u64 = 0x1_0000;
/// Alignment of the addresses of buffers.
const ADDRESS_ALIGNMENT: u64 = 0x1000;

/// State of a script between two commands.
pub struct SceneState<'s> {
    pub(super) script: &'s Script,
    /// State that programs are compiled for.
    pub(super) program_state: ProgramState,
    pub(super) programs: ProgramCache,
    pub(super) params: Params,
    /// Current values of vertex attributes.
    pub(super) attributes: [[f32; 4]; ATTRIBUTES],
    pub(super) textures: TextureUnits,
    /// Contents of the buffers, by [`BufferId`].
    pub(super) buffers: Vec<Vec<u8>>,
    bound_buffers: HashMap<BindTarget, BufferRange>,
    pub(super) images: SceneImages,
}

impl<'s> SceneState<'s> {
    /// Returns the state before the first command.
    pub fn new(script: &'s Script) -> Self {
        let sizes = script.buffers.iter().map(|decl| decl.size);
        Self {
            script,
            program_state: ProgramState::default(),
            programs: ProgramCache::default(),
            params: Params::from_requirements(&script.requirements),
            attributes: initial_attributes(),
            textures: TextureUnits::new(script.requirements.convention),
            buffers: sizes
                .map(|size| vec![0; usize::try_from(size).unwrap_or(0)])
                .collect(),
            bound_buffers: find_initial_bindings(script),
            images: SceneImages::default(),
        }
    }

    /// Applies a command that changes state or buffers; all others, draws and dispatches among them,
    /// only change the state that programs are compiled for. Returns an error if the command sets a
    /// parameter that the program does not declare, or changes the size of an image.
    pub fn apply(&mut self, command: &Command) -> Result<(), String> {
        self.program_state.apply_command(command, self.script);
        if let Command::Parameter {
            bank,
            stage,
            index,
            value,
        } = command
        {
            return self.set_parameter((*bank, *stage, *index), value);
        }
        self.apply_gl_state(command);
        self.apply_resources(command);
        self.images.apply(command)
    }

    /// Applies a change of GL state, of the values of attributes and of textures.
    fn apply_gl_state(&mut self, command: &Command) {
        if let Command::Matrix { target, update } = command {
            self.params.update_matrix(*target, *update);
        } else if let Command::Track { address, tracking } = command {
            self.params.track_matrix(*address, *tracking);
        } else if let Command::GlState(update) = command {
            gl_state::apply(&mut self.params.state, *update);
        } else if let Command::DepthRange(range) = command {
            self.params.state.depth_range = *range;
        } else if let Command::Attribute { location, value } = command {
            if let Some(attribute) = self.attributes.get_mut(*location as usize) {
                *attribute = *value;
            }
        } else if let Command::Texture { unit, update } = command {
            self.textures.update(*unit, update);
        } else if let Command::Sampling { unit, sampling } = command {
            self.textures.set_sampling(*unit, *sampling);
        }
    }

    /// Applies a change of the contents or the binding of a buffer.
    fn apply_resources(&mut self, command: &Command) {
        if let Command::BufferData { buffer, data } = command {
            data.write(&mut self.buffers[buffer.0]);
        } else if let Command::BufferFill { buffer, data } = command {
            let bytes = &mut self.buffers[buffer.0];
            data.repeat_to_fill(bytes.len() as u64).write(bytes);
        } else if let Command::BufferSequence { buffer, sequence } = command {
            sequence.write(&mut self.buffers[buffer.0]);
        } else if let Command::BufferAddresses {
            buffer,
            offset,
            addresses,
        } = command
        {
            let addresses = addresses.iter().map(|address| self.find_address(*address));
            let bytes: Vec<u8> = addresses.flat_map(u64::to_le_bytes).collect();
            let start = *offset as usize;
            if let Some(target) = self.buffers[buffer.0].get_mut(start..start + bytes.len()) {
                target.copy_from_slice(&bytes);
            }
        } else if let Command::BindBuffer { target, range } = command {
            self.bound_buffers.insert(*target, *range);
        }
    }

    /// Sets a parameter. Returns an error if it has a name that the current program does not
    /// declare, or if it tracks a matrix.
    fn set_parameter(
        &mut self,
        (bank, stage, index): (ParamBank, Stage, u32),
        value: &ParamValue,
    ) -> Result<(), String> {
        let key = if bank == ParamBank::Named {
            let program = self.find_program(stage)?;
            let Some(program) = program else {
                return Err(format!("there is no {} program", stage.name()));
            };
            let name = &self.script.param_names[index as usize];
            let place = (stage, program.line());
            let declared = program.list_named_parameters();
            self.params.declare_and_find_named(place, &declared, name)?
        } else {
            ParamKey::Indexed(bank, stage, index)
        };
        let (before, _) = self.params.get_by_key(&key);
        let (words, ty) = match value {
            ParamValue::Words(ty, words) => (*words, *ty),
            ParamValue::Addresses(addresses) => {
                let addresses: Vec<u64> =
                    addresses.iter().map(|it| self.find_address(*it)).collect();
                (replace_component_pairs(before, &addresses), None)
            }
            ParamValue::Handles(handles) => {
                let units: Vec<u64> = handles.iter().map(|it| it.unit().into()).collect();
                (replace_component_pairs(before, &units), None)
            }
        };
        self.params.set_by_key(&key, words, ty)
    }

    /// Returns the address of an offset in a buffer.
    fn find_address(&self, address: BufferAddress) -> u64 {
        self.find_buffer_start(address.buffer)
            .wrapping_add(address.offset)
    }

    /// Returns the address of the first byte of a buffer: buffers follow each other in their order.
    pub(super) fn find_buffer_start(&self, buffer: BufferId) -> u64 {
        let before = self.buffers.iter().take(buffer.0);
        let sizes =
            before.map(|bytes| (bytes.len() as u64 + 1).next_multiple_of(ADDRESS_ALIGNMENT));
        FIRST_ADDRESS + sizes.sum::<u64>()
    }

    /// Returns the state that programs are compiled for.
    pub fn program_state(&self) -> &ProgramState {
        &self.program_state
    }

    /// Returns the parameters and the GL state.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Returns the current value of a vertex attribute; `None` for numbers of other attributes.
    pub fn get_attribute(&self, location: u32) -> Option<[f32; 4]> {
        self.attributes.get(location as usize).copied()
    }

    /// Returns the texture of a unit, and how it is sampled; `None` if it has none.
    pub fn find_texture(&self, unit: u32) -> Option<(&TextureData, &Sampling)> {
        self.textures.find(unit)
    }

    /// Returns the bytes that are bound for a program parameter buffer of a stage; `None` if no buffer
    /// is bound.
    pub fn find_parameter_buffer(&self, stage: Stage, binding: u32) -> Option<&[u8]> {
        let (buffer, range) = self.find_range(BufferKind::Uniform, stage, binding)?;
        self.buffers[buffer.0].get(range)
    }

    /// Returns the range that is bound for a buffer of a program: for its stage, else for all
    /// stages.
    pub(super) fn find_bound_range(
        &self,
        kind: BufferKind,
        stage: Stage,
        binding: u32,
    ) -> Option<BufferRange> {
        let own = BindTarget::Param {
            stage,
            index: binding,
        };
        let own = self.bound_buffers.get(&own);
        let shared = BindTarget::Descriptor {
            kind,
            set: 0,
            binding,
        };
        let own = own.filter(|_| kind == BufferKind::Uniform);
        own.or_else(|| self.bound_buffers.get(&shared)).copied()
    }

    /// Sets the GL state of a draw that programs read.
    pub fn begin_draw(&mut self, draw: &Draw) {
        self.params
            .set_draw_state(&self.script.requirements, &draw.state);
    }
}

/// Returns the bindings of buffers that are named after their bind target.
fn find_initial_bindings(script: &Script) -> HashMap<BindTarget, BufferRange> {
    let mut bindings = HashMap::new();
    for (decl, index) in script.buffers.iter().zip(0..) {
        if let BufferKey::Descriptor { kind, set, binding } = decl.key {
            let range = BufferRange {
                buffer: BufferId(index),
                offset: 0,
                size: None,
            };
            bindings.insert(BindTarget::Descriptor { kind, set, binding }, range);
        }
    }
    bindings
}
