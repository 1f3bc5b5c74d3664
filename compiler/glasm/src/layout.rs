//! Descriptor set layouts: the bindings that the modules of a pipeline require, from their
//! reflections.
//!
//! [`descriptors`] lists the slots of one reflection, [`set_layouts`] the slots that several
//! reflections require together. Neither calls Vulkan: kinds and stages have the numeric values of
//! Vulkan.
//!
//! ```
//! use glasm::layout::{DescriptorKind, set_layouts};
//! use glasm::{Options, Program, Source, link};
//!
//! let vertex = Program::load(&Source::new("v", "!!ARBvp1.0
//!     OPTION ARB_position_invariant;
//!     MOV result.texcoord[0], vertex.texcoord[0];
//!     END"))?;
//! let fragment = Program::load(&Source::new("f", "!!ARBfp1.0
//!     TEX result.color, fragment.texcoord[0], texture[0], 2D;
//!     END"))?;
//! let linked = link(&[&vertex, &fragment], &Options::default());
//! let shaders: Vec<_> = linked.stages.into_iter().collect::<Result<_, _>>()?;
//! let reflections: Vec<_> = shaders.iter().map(|shader| &shader.reflection).collect();
//! let sets = set_layouts(&reflections).unwrap_or_else(|conflict| panic!("{conflict}"));
//! // Set 0 has the matrix of the vertex program, set 1 the texture of the fragment program.
//! assert_eq!(sets.len(), 2);
//! assert_eq!(sets[0].bindings[0].kind, DescriptorKind::UniformBuffer);
//! assert_eq!(sets[1].bindings[0].kind.vulkan(), 1); // VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER
//! assert_eq!(sets[1].bindings[0].stages, 0x10); // VK_SHADER_STAGE_FRAGMENT_BIT
//! # Ok::<(), glasm::Diagnostics>(())
//! ```

#[cfg(test)]
mod tests;

use glasm_codegen::reflect::{
    AttachmentBinding, BufferBinding, DescriptorSlot, HandleArray, HandleKind, ImageBinding,
    ParamBlock, Reflection, SamplerBinding, StateBinding, StateProgram, TextureBinding,
};
use glasm_ir::{BufferKind, Stage, TexTarget};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

/// Type of a descriptor. Vulkan specification, section "Descriptor Types".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DescriptorKind {
    /// A texture with its sampler.
    CombinedImageSampler,
    /// An image.
    StorageImage,
    /// A buffer texture.
    UniformTexelBuffer,
    /// An image whose target is a buffer.
    StorageTexelBuffer,
    /// Parameters, and program parameter buffers.
    UniformBuffer,
    /// Storage and atomic counter buffers, large parameter blocks, and the buffers of state
    /// programs and of image locks.
    StorageBuffer,
    /// A color attachment that the program reads.
    InputAttachment,
}

impl DescriptorKind {
    /// Returns the value of `VkDescriptorType`.
    pub const fn vulkan(self) -> u32 {
        match self {
            Self::CombinedImageSampler => 1,
            Self::StorageImage => 3,
            Self::UniformTexelBuffer => 4,
            Self::StorageTexelBuffer => 5,
            Self::UniformBuffer => 6,
            Self::StorageBuffer => 7,
            Self::InputAttachment => 10,
        }
    }

    /// Returns the kind with which programs read textures of a target.
    pub const fn of_texture(target: TexTarget) -> Self {
        if is_buffer(target) {
            Self::UniformTexelBuffer
        } else {
            Self::CombinedImageSampler
        }
    }

    /// Returns the kind with which programs access images of a target.
    pub const fn of_image(target: TexTarget) -> Self {
        if is_buffer(target) {
            Self::StorageTexelBuffer
        } else {
            Self::StorageImage
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::CombinedImageSampler => "combined image sampler",
            Self::StorageImage => "storage image",
            Self::UniformTexelBuffer => "uniform texel buffer",
            Self::StorageTexelBuffer => "storage texel buffer",
            Self::UniformBuffer => "uniform buffer",
            Self::StorageBuffer => "storage buffer",
            Self::InputAttachment => "input attachment",
        }
    }
}

impl fmt::Display for DescriptorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const fn is_buffer(target: TexTarget) -> bool {
    match target {
        TexTarget::Buffer => true,
        TexTarget::D1
        | TexTarget::D2
        | TexTarget::D3
        | TexTarget::Cube
        | TexTarget::Rect
        | TexTarget::D1Array
        | TexTarget::D2Array
        | TexTarget::CubeArray
        | TexTarget::D2Ms
        | TexTarget::D2MsArray => false,
    }
}

/// Returns the bit of a stage in `VkShaderStageFlags`.
pub const fn stage_bit(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => 0x01,
        Stage::TessControl => 0x02,
        Stage::TessEval => 0x04,
        Stage::Geometry => 0x08,
        Stage::Fragment => 0x10,
        Stage::Compute => 0x20,
    }
}

/// Descriptors that a module requires at a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Descriptor<'a> {
    /// Slot.
    pub slot: DescriptorSlot,
    /// Kind.
    pub kind: DescriptorKind,
    /// Number of descriptors.
    pub count: u32,
    /// Resource to write to them.
    pub resource: Resource<'a>,
}

/// The member of the reflection that a slot belongs to: the content of its descriptors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resource<'a> {
    /// The parameter block.
    Params(&'a ParamBlock),
    /// The uniform block of GL state that modules read at run time.
    StateBlock(&'a StateBinding),
    /// The parameters that a state program reads and writes.
    State(&'a StateProgram),
    /// Textures with their samplers.
    Texture(&'a TextureBinding),
    /// A sampler, whose texture is ignored.
    Sampler(&'a SamplerBinding),
    /// A color attachment.
    Attachment(&'a AttachmentBinding),
    /// Images.
    Image(&'a ImageBinding),
    /// The resources that handles index.
    Handles(&'a HandleArray),
    /// Program parameter, storage or atomic counter buffers.
    Buffer(&'a BufferBinding),
    /// The lock of images: [`Reflection::image_lock`].
    ImageLock,
}

/// Returns the descriptors that a module requires. A slot may occur twice, with the same kind: a
/// unit whose texture is read and whose sampler is used for another one.
pub fn descriptors(reflection: &Reflection) -> Vec<Descriptor<'_>> {
    // Without `..`, so that a new member must be handled.
    let Reflection {
        stage: _,
        entry_point: _,
        params,
        state,
        named: _,
        state_program,
        textures,
        samplers,
        attachments,
        images,
        handle_arrays,
        buffers,
        image_lock,
        inputs: _,
        outputs: _,
        replication: _,
        primitives: _,
        workgroup_size: _,
        unclipped_depth: _,
        transparent_missing: _,
        requirements: _,
    } = reflection;
    let mut all = Vec::new();
    all.extend(params.iter().map(Descriptor::from_params));
    all.extend(state.iter().filter_map(Descriptor::from_state_block));
    all.extend(state_program.iter().map(Descriptor::from_state));
    all.extend(textures.iter().map(Descriptor::of_texture));
    all.extend(samplers.iter().map(Descriptor::from_sampler));
    all.extend(attachments.iter().map(Descriptor::from_attachment));
    all.extend(images.iter().map(Descriptor::of_image));
    all.extend(handle_arrays.iter().map(Descriptor::from_handles));
    all.extend(buffers.iter().filter_map(Descriptor::from_buffer));
    all.extend(image_lock.map(Descriptor::from_lock));
    all
}

impl<'a> Descriptor<'a> {
    fn new(slot: DescriptorSlot, kind: DescriptorKind, resource: Resource<'a>) -> Self {
        Self {
            slot,
            kind,
            count: 1,
            resource,
        }
    }

    fn from_params(block: &'a ParamBlock) -> Self {
        let kind = if block.storage {
            DescriptorKind::StorageBuffer
        } else {
            DescriptorKind::UniformBuffer
        };
        Self::new(block.slot, kind, Resource::Params(block))
    }

    fn from_state_block(state: &'a StateBinding) -> Option<Self> {
        let resource = Resource::StateBlock(state);
        Some(Self::new(
            state.slot?,
            DescriptorKind::UniformBuffer,
            resource,
        ))
    }

    fn from_state(program: &'a StateProgram) -> Self {
        let resource = Resource::State(program);
        Self::new(program.slot, DescriptorKind::StorageBuffer, resource)
    }

    fn of_texture(texture: &'a TextureBinding) -> Self {
        Self {
            slot: texture.slot,
            kind: DescriptorKind::of_texture(texture.target),
            count: texture.count,
            resource: Resource::Texture(texture),
        }
    }

    fn from_sampler(sampler: &'a SamplerBinding) -> Self {
        let resource = Resource::Sampler(sampler);
        Self::new(sampler.slot, DescriptorKind::CombinedImageSampler, resource)
    }

    fn from_attachment(attachment: &'a AttachmentBinding) -> Self {
        let resource = Resource::Attachment(attachment);
        Self::new(attachment.slot, DescriptorKind::InputAttachment, resource)
    }

    fn of_image(image: &'a ImageBinding) -> Self {
        Self {
            slot: image.slot,
            kind: DescriptorKind::of_image(image.target),
            count: image.count,
            resource: Resource::Image(image),
        }
    }

    fn from_handles(array: &'a HandleArray) -> Self {
        let kind = match array.kind {
            HandleKind::Texture(_) | HandleKind::Comparison | HandleKind::QueriedTexture => {
                DescriptorKind::of_texture(array.target)
            }
            HandleKind::Image(_) => DescriptorKind::of_image(array.target),
        };
        Self {
            slot: array.slot,
            kind,
            count: array.count,
            resource: Resource::Handles(array),
        }
    }

    fn from_buffer(buffer: &'a BufferBinding) -> Option<Self> {
        let kind = match buffer.kind {
            BufferKind::Constant => DescriptorKind::UniformBuffer,
            BufferKind::Storage | BufferKind::Counter => DescriptorKind::StorageBuffer,
            // Reported by `Reflection::state_program`.
            BufferKind::State => return None,
            // Internal memory of the module.
            BufferKind::Shared | BufferKind::Private => return None,
        };
        Some(Self {
            slot: buffer.slot,
            kind,
            count: buffer.count,
            resource: Resource::Buffer(buffer),
        })
    }

    fn from_lock(slot: DescriptorSlot) -> Self {
        Self::new(slot, DescriptorKind::StorageBuffer, Resource::ImageLock)
    }
}

/// A binding of a descriptor set layout: `VkDescriptorSetLayoutBinding`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayoutBinding {
    /// Its index.
    pub binding: u32,
    /// Kind of its descriptors.
    pub kind: DescriptorKind,
    /// Number of descriptors.
    pub count: u32,
    /// The stages that use it, as `VkShaderStageFlags`.
    pub stages: u32,
}

/// A descriptor set layout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetLayout {
    /// Index of the set.
    pub set: u32,
    /// Bindings in ascending order; empty if the set only fills the gap before another one.
    pub bindings: Vec<LayoutBinding>,
}

/// Error: two stages require descriptors of different kinds at the same slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayoutConflict {
    /// The slot.
    pub slot: DescriptorSlot,
    /// The first stage that uses the slot, and the kind that it requires.
    pub first: (Stage, DescriptorKind),
    /// The stage that requires a different kind.
    pub second: (Stage, DescriptorKind),
}

impl fmt::Display for LayoutConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DescriptorSlot { set, binding } = self.slot;
        let ((first, one), (second, other)) = (self.first, self.second);
        let (first, second) = (first.name(), second.name());
        write!(
            f,
            "set {set}, binding {binding}: {one} for stage {first}, {other} for stage {second}"
        )
    }
}

impl std::error::Error for LayoutConflict {}

/// Returns the descriptor set layouts that the modules of a pipeline require together, one for each
/// set from 0 to the last that has a binding: set n is at index n, as in a pipeline layout.
///
/// Stages that use the same slot share its descriptors: their number is that of the stage with the
/// longest array. This corresponds to GL for textures, images, storage and counter buffers, whose
/// units all stages share. Parameters are separate for each stage: stages have the same slot of
/// them only if [`BindingLayout::param_binding`](crate::BindingLayout::param_binding) is set.
///
/// # Errors
/// If two stages require descriptors of different kinds at a slot.
pub fn set_layouts(reflections: &[&Reflection]) -> Result<Vec<SetLayout>, LayoutConflict> {
    let mut slots = BTreeMap::new();
    for reflection in reflections {
        for descriptor in descriptors(reflection) {
            join(&mut slots, reflection.stage, &descriptor)?;
        }
    }
    let set_count = slots.keys().last().map_or(0, |slot| slot.set + 1);
    let sets = (0..set_count).map(|set| SetLayout {
        set,
        bindings: Vec::new(),
    });
    let mut sets: Vec<_> = sets.collect();
    for (slot, (_, binding)) in slots {
        sets[slot.set as usize].bindings.push(binding);
    }
    Ok(sets)
}

/// Merges the descriptors of a stage into the recorded state of a slot: the stage that used it
/// first, and the binding.
fn join(
    slots: &mut BTreeMap<DescriptorSlot, (Stage, LayoutBinding)>,
    stage: Stage,
    wanted: &Descriptor<'_>,
) -> Result<(), LayoutConflict> {
    let binding = LayoutBinding {
        binding: wanted.slot.binding,
        kind: wanted.kind,
        count: wanted.count,
        stages: stage_bit(stage),
    };
    match slots.entry(wanted.slot) {
        Entry::Vacant(entry) => {
            entry.insert((stage, binding));
        }
        Entry::Occupied(mut entry) => {
            let (first, known) = entry.get_mut();
            if known.kind != wanted.kind {
                return Err(LayoutConflict {
                    slot: wanted.slot,
                    first: (*first, known.kind),
                    second: (stage, wanted.kind),
                });
            }
            known.count = known.count.max(wanted.count);
            known.stages |= binding.stages;
        }
    }
    Ok(())
}
