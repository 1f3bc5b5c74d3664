//! Descriptors of shaders.

use crate::enums::glasm_descriptor_kind;
use crate::reflection::glasm_slot;
use glasm::Reflection;
use glasm::layout::{Descriptor, Resource};
use std::ptr;

/// Resource of a descriptor, and the list of the reflection that has it.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum glasm_descriptor_resource {
    /// The parameter block: `parameters`.
    Parameters = 0,
    /// The 96 parameters that a vertex state program reads and writes.
    StateProgram = 1,
    /// An entry of `textures`.
    Texture = 2,
    /// An entry of `samplers`, whose texture is ignored.
    Sampler = 3,
    /// An entry of `attachments`.
    Attachment = 4,
    /// An entry of `images`.
    Image = 5,
    /// An entry of `handle_arrays`.
    HandleArray = 6,
    /// An entry of `buffers`.
    Buffer = 7,
    /// The lock of images.
    ImageLock = 8,
    /// The uniform buffer of GL state that the shader reads when it runs:
    /// `glasm_options_state_words`.
    StateBlock = 9,
}

/// Descriptor that a module requires at a slot. A slot may appear twice, with the same kind: a unit
/// whose texture is read and whose sampler is used for another one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_descriptor {
    /// Slot that it is bound to.
    pub slot: glasm_slot,
    /// Its kind, a VkDescriptorType.
    pub kind: glasm_descriptor_kind,
    /// Number of descriptors.
    pub count: u32,
    /// Its resource.
    pub resource: glasm_descriptor_resource,
    /// The index in the list of the reflection that `resource` names; 0 without such a list.
    pub index: u32,
}

impl glasm_descriptor {
    pub(crate) fn new(descriptor: &Descriptor<'_>, reflection: &Reflection) -> Self {
        fn find_index<T>(list: &[T], entry: &T) -> u32 {
            let place = list.iter().position(|it| ptr::eq(it, entry));
            place.unwrap_or_default() as u32
        }
        use glasm_descriptor_resource as C;
        let (resource, index) = match descriptor.resource {
            Resource::Params(_) => (C::Parameters, 0),
            Resource::StateBlock(_) => (C::StateBlock, 0),
            Resource::State(_) => (C::StateProgram, 0),
            Resource::Texture(it) => (C::Texture, find_index(&reflection.textures, it)),
            Resource::Sampler(it) => (C::Sampler, find_index(&reflection.samplers, it)),
            Resource::Attachment(it) => (C::Attachment, find_index(&reflection.attachments, it)),
            Resource::Image(it) => (C::Image, find_index(&reflection.images, it)),
            Resource::Handles(it) => (C::HandleArray, find_index(&reflection.handle_arrays, it)),
            Resource::Buffer(it) => (C::Buffer, find_index(&reflection.buffers, it)),
            Resource::ImageLock => (C::ImageLock, 0),
        };
        Self {
            slot: descriptor.slot.into(),
            kind: descriptor.kind.into(),
            count: descriptor.count,
            resource,
            index,
        }
    }
}
