//! Descriptors of shaders.

use crate::enums::glasm_descriptor_type;
use crate::reflection::glasm_descriptor_slot;
use glasm::Reflection;
use glasm::layout::{Descriptor, Resource};
use std::ptr;

/// Resource of a descriptor, and the list of the reflection that has it.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum glasm_descriptor_resource {
    /// The parameter block: `parameters`.
    ParameterBlock = 0,
    /// The 96 parameters that a vertex state program reads and writes.
    VertexStateParameters = 1,
    /// An entry of `textures`.
    Texture = 2,
    /// An entry of `samplers`, whose texture is ignored.
    Sampler = 3,
    /// An entry of `attachments`.
    InputAttachment = 4,
    /// An entry of `images`.
    Image = 5,
    /// An entry of `handle_arrays`.
    HandleArray = 6,
    /// An entry of `buffers`.
    Buffer = 7,
    /// The lock of images.
    ImageLock = 8,
    /// The uniform buffer of GL state that the shader reads when it runs:
    /// `glasm_options_write_state_block`.
    StateBlock = 9,
}

/// Descriptor that a module requires at a slot. A slot may appear twice, with the same kind: a unit
/// whose texture is read and whose sampler is used for another one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_descriptor {
    /// Slot that it is bound to.
    pub slot: glasm_descriptor_slot,
    /// Its kind, a VkDescriptorType.
    pub descriptor_type: glasm_descriptor_type,
    /// Number of descriptors.
    pub descriptor_count: u32,
    /// Its resource.
    pub resource: glasm_descriptor_resource,
    /// The index in the list of the reflection that `resource` names; 0 without such a list.
    pub reflection_index: u32,
}

impl glasm_descriptor {
    /// Converts a descriptor; `reflection_index` is its index in the list of `reflection` that
    /// contains its resource, 0 for a resource without a list.
    pub(crate) fn new(descriptor: &Descriptor<'_>, reflection: &Reflection) -> Self {
        /// Returns the index of an entry, by its address.
        fn find_index<T>(list: &[T], entry: &T) -> u32 {
            let position = list.iter().position(|it| ptr::eq(it, entry));
            position.unwrap_or_default() as u32
        }
        use glasm_descriptor_resource as C;
        let (resource, index) = match descriptor.resource {
            Resource::Params(_) => (C::ParameterBlock, 0),
            Resource::StateBlock(_) => (C::StateBlock, 0),
            Resource::StateProgram(_) => (C::VertexStateParameters, 0),
            Resource::Texture(it) => (C::Texture, find_index(&reflection.textures, it)),
            Resource::Sampler(it) => (C::Sampler, find_index(&reflection.samplers, it)),
            Resource::Attachment(it) => (
                C::InputAttachment,
                find_index(&reflection.input_attachments, it),
            ),
            Resource::Image(it) => (C::Image, find_index(&reflection.images, it)),
            Resource::Handles(it) => (C::HandleArray, find_index(&reflection.handle_arrays, it)),
            Resource::Buffer(it) => (C::Buffer, find_index(&reflection.buffers, it)),
            Resource::ImageLock => (C::ImageLock, 0),
        };
        Self {
            slot: descriptor.slot.into(),
            descriptor_type: descriptor.descriptor_type.into(),
            descriptor_count: descriptor.descriptor_count,
            resource,
            reflection_index: index,
        }
    }
}
