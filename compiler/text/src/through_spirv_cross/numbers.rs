//! Numbers of resources in languages that do not have those of the module.

use crate::ResourceKind;
use glasm::Reflection;
use glasm::ir::{BufferKind, Stage};
use glasm::reflect::DescriptorSlot;

/// The first uniform buffer of fragment programs in GL, where the stages of a pipeline share
/// numbers: 16 program parameter buffers and the parameters of the vertex program come before. 36
/// is the least that GL 3.1 and GLES 3.1 offer.
const FIRST_FRAGMENT_UNIFORM: u32 = 18;
/// The first storage buffer of atomic counters, after those that programs declare.
const FIRST_COUNTER: u32 = 32;
/// The storage buffer of the image lock.
const IMAGE_LOCK: u32 = 31;

/// The way in which a language numbers resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Numbering {
    /// As in the module.
    Kept,
    /// Each kind from 0 on, in a space that all stages of a pipeline share.
    Shared,
    /// Each kind from 0 on, for each stage. Storage buffers and images share the numbers of
    /// unordered access views.
    Registers,
    /// Buffers of both kinds from 0 on, and textures and images, for each stage.
    Metal,
}

/// Gives numbers to the variables of a module.
#[derive(Debug)]
pub(crate) struct Numbers<'a> {
    numbering: Numbering,
    reflection: &'a Reflection,
    /// Spaces and ranges of numbers that are taken.
    taken: Vec<(u8, u32, u32)>,
}

impl<'a> Numbers<'a> {
    pub(crate) fn new(numbering: Numbering, reflection: &'a Reflection) -> Self {
        Self {
            numbering,
            reflection,
            taken: Vec::new(),
        }
    }

    /// Returns the number of the next variable, which has `count` elements. Variables must come in
    /// the order of their slots.
    pub(crate) fn next(&mut self, kind: ResourceKind, slot: DescriptorSlot, count: u32) -> u32 {
        let wanted = match self.numbering {
            Numbering::Kept => return slot.binding,
            // Several variables of one slot denote the same object there.
            Numbering::Shared => return self.get_wanted(kind, slot),
            Numbering::Registers => self.get_wanted(kind, slot),
            Numbering::Metal => match kind {
                ResourceKind::Texture => self.get_wanted(kind, slot),
                ResourceKind::Uniform | ResourceKind::Storage | ResourceKind::Image => 0,
            },
        };
        let space = self.get_space(kind);
        let mut number = wanted;
        while let Some(&(_, _, end)) = self
            .taken
            .iter()
            .find(|&&(other, start, end)| other == space && start < number + count && number < end)
        {
            number = end;
        }
        self.taken.push((space, number, number + count));
        number
    }

    /// Returns an index that is equal for kinds that share numbers.
    fn get_space(&self, kind: ResourceKind) -> u8 {
        let metal = self.numbering == Numbering::Metal;
        match kind {
            ResourceKind::Uniform => 0,
            ResourceKind::Storage if metal => 0,
            ResourceKind::Texture => 1,
            ResourceKind::Image if metal => 1,
            ResourceKind::Storage | ResourceKind::Image => 2,
        }
    }

    fn get_wanted(&self, kind: ResourceKind, slot: DescriptorSlot) -> u32 {
        let reflection = self.reflection;
        match kind {
            ResourceKind::Texture => slot.binding,
            ResourceKind::Image => {
                let image = reflection.images.iter().find(|image| image.slot == slot);
                image.map_or(0, |image| image.unit)
            }
            ResourceKind::Uniform | ResourceKind::Storage => {
                let buffer = reflection.buffers.iter().find(|buffer| buffer.slot == slot);
                match buffer {
                    Some(buffer) if buffer.kind == BufferKind::Constant => {
                        self.get_first_uniform() + 1 + buffer.index
                    }
                    Some(buffer) if buffer.kind == BufferKind::Counter => {
                        FIRST_COUNTER + buffer.index
                    }
                    Some(buffer) => buffer.index,
                    None if reflection.image_lock == Some(slot) => IMAGE_LOCK,
                    None => self.get_first_uniform(),
                }
            }
        }
    }

    fn get_first_uniform(&self) -> u32 {
        let is_fragment = self.reflection.stage == Stage::Fragment;
        if is_fragment && self.numbering == Numbering::Shared {
            FIRST_FRAGMENT_UNIFORM
        } else {
            0
        }
    }
}
