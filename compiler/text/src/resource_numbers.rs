//! Numbers of resources in languages that do not have those of the module, for both writers.

use crate::ResourceKind;
use glasm::ir::{BufferKind, Stage};
use glasm::reflect::DescriptorSlot;
use glasm::{Reflection, Shader};

/// The uniform buffer of the state block in GL, which all stages of a pipeline share: between those of
/// the other stages and those of fragment programs.
const STATE_BLOCK_UNIFORM: u32 = 17;
/// The first uniform buffer of fragment programs in GL, where the stages of a pipeline share
/// numbers: 16 program parameter buffers and the parameters of the vertex program come before. 36
/// is the least that GL 3.1 and GLES 3.1 offer.
const FIRST_FRAGMENT_UNIFORM: u32 = 18;
/// The first storage buffer of atomic counters, after those that programs declare.
const FIRST_COUNTER: u32 = 32;
/// The storage buffer of the image lock.
const IMAGE_LOCK: u32 = 31;

/// Version of SPIR-V in the header of modules for [`Target::OpenGl4_5`](glasm::Target::OpenGl4_5), and
/// of no others.
const OPENGL_SPIRV_VERSION: u32 = 0x0001_0000;

/// Returns true if the target of a module is OpenGL, whose bindings its text has, too.
pub(crate) fn is_for_opengl(shader: &Shader) -> bool {
    shader.words.get(1) == Some(&OPENGL_SPIRV_VERSION)
}

/// The way in which a language numbers resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Numbering {
    /// As in the module.
    AsInModule,
    /// Each kind from 0 on, in a space that all stages of a pipeline share.
    SharedByStages,
    /// Each kind from 0 on, for each stage. Storage buffers and images share the numbers of
    /// unordered access views.
    HlslRegisters,
    /// Buffers of both kinds from 0 on, and textures and images, for each stage.
    MslIndices,
}

/// Gives numbers to the variables of a module.
#[derive(Debug)]
pub(crate) struct NumberAllocator<'a> {
    numbering: Numbering,
    reflection: &'a Reflection,
    /// Spaces and ranges of numbers that are taken.
    allocated: Vec<(u8, u32, u32)>,
}

impl<'a> NumberAllocator<'a> {
    /// Returns an allocator that has not assigned any number; `reflection` describes the same
    /// module.
    pub(crate) fn new(numbering: Numbering, reflection: &'a Reflection) -> Self {
        Self {
            numbering,
            reflection,
            allocated: Vec::new(),
        }
    }

    /// Returns the number of the next variable, which has `count` elements, and reserves it where
    /// numbers must differ: the preferred one, or the next free one. Variables must come in the
    /// order of their slots.
    pub(crate) fn allocate(&mut self, kind: ResourceKind, slot: DescriptorSlot, count: u32) -> u32 {
        let wanted = match self.numbering {
            Numbering::AsInModule => return slot.binding,
            // Several variables of one slot denote the same object there.
            Numbering::SharedByStages => return self.get_preferred_number(kind, slot),
            Numbering::HlslRegisters => self.get_preferred_number(kind, slot),
            Numbering::MslIndices => match kind {
                ResourceKind::Texture => self.get_preferred_number(kind, slot),
                ResourceKind::UniformBuffer | ResourceKind::StorageBuffer | ResourceKind::Image => {
                    0
                }
            },
        };
        let space = self.get_number_space(kind);
        let mut number = wanted;
        while let Some(&(_, _, end)) = self
            .allocated
            .iter()
            .find(|&&(other, start, end)| other == space && start < number + count && number < end)
        {
            number = end;
        }
        self.allocated.push((space, number, number + count));
        number
    }

    /// Returns an index that is equal for kinds of resources whose numbers must differ; in Metal
    /// both kinds of buffers, and textures and images.
    fn get_number_space(&self, kind: ResourceKind) -> u8 {
        let metal = self.numbering == Numbering::MslIndices;
        match kind {
            ResourceKind::UniformBuffer => 0,
            ResourceKind::StorageBuffer if metal => 0,
            ResourceKind::Texture => 1,
            ResourceKind::Image if metal => 1,
            ResourceKind::StorageBuffer | ResourceKind::Image => 2,
        }
    }

    /// Returns the number that a resource has in GL: texture unit, image unit or buffer binding;
    /// [`allocate`](Self::allocate) may assign a greater one if it is taken.
    fn get_preferred_number(&self, kind: ResourceKind, slot: DescriptorSlot) -> u32 {
        let reflection = self.reflection;
        match kind {
            ResourceKind::Texture => slot.binding,
            ResourceKind::Image => {
                let mut images = reflection.images.iter();
                let unit = images.find_map(|image| {
                    let element = find_element(image.slot, image.descriptor_count, slot)?;
                    Some(image.unit + element)
                });
                unit.unwrap_or(0)
            }
            ResourceKind::UniformBuffer | ResourceKind::StorageBuffer => {
                let mut buffers = reflection.buffers.iter();
                let buffer = buffers.find_map(|buffer| {
                    let element = find_element(buffer.slot, buffer.descriptor_count, slot)?;
                    Some((buffer.kind, buffer.program_binding + element))
                });
                match buffer {
                    Some((BufferKind::ProgramParameter, binding)) => {
                        self.get_first_uniform_number() + 1 + binding
                    }
                    Some((BufferKind::AtomicCounter, binding)) => FIRST_COUNTER + binding,
                    Some((
                        BufferKind::Storage
                        | BufferKind::Shared
                        | BufferKind::Private
                        | BufferKind::VertexStateParameters,
                        binding,
                    )) => binding,
                    None if reflection.image_lock_slot == Some(slot) => IMAGE_LOCK,
                    None if self.is_shared_state_block(slot) => STATE_BLOCK_UNIFORM,
                    None => self.get_first_uniform_number(),
                }
            }
        }
    }

    /// Returns true if a slot is that of the state block, which must have one number in all stages
    /// that share numbers. Elsewhere it has the next number after the parameters of its stage.
    fn is_shared_state_block(&self, slot: DescriptorSlot) -> bool {
        let state = self.reflection.state_block.as_ref();
        let state_slot = state.and_then(|state| state.slot);
        self.numbering == Numbering::SharedByStages && state_slot == Some(slot)
    }

    /// Returns the number of the uniform buffer of parameters, which the declared uniform buffers
    /// follow: 0, or a number above those of other stages for fragment programs that share numbers
    /// with them.
    fn get_first_uniform_number(&self) -> u32 {
        let is_fragment = self.reflection.stage == Stage::Fragment;
        if is_fragment && self.numbering == Numbering::SharedByStages {
            FIRST_FRAGMENT_UNIFORM
        } else {
            0
        }
    }
}

/// Returns the element of an array of `count` descriptors at `first` that is at `slot`, if there is
/// one: a writer may have split the array into variables at consecutive bindings.
fn find_element(first: DescriptorSlot, count: u32, slot: DescriptorSlot) -> Option<u32> {
    let element = slot.binding.checked_sub(first.binding)?;
    (first.set == slot.set && element < count.max(1)).then_some(element)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_split_arrays_are_found_by_their_bindings() {
        let slot = |set, binding| DescriptorSlot { set, binding };
        let find = |count, at| find_element(slot(2, 5), count, at);
        assert_eq!(find(3, slot(2, 5)), Some(0));
        assert_eq!(find(3, slot(2, 7)), Some(2));
        for outside in [slot(2, 4), slot(2, 8), slot(1, 5)] {
            assert_eq!(find(3, outside), None, "{outside:?}");
        }
        assert_eq!((find(0, slot(2, 5)), find(0, slot(2, 6))), (Some(0), None));
    }
}
