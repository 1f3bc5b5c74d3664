//! Descriptor set layouts: the bindings that the modules of a pipeline require, from their
//! reflections.
//!
//! [`list_descriptors`] lists the slots of one reflection, [`build_set_layouts`] the slots that
//! several reflections require together. Neither calls Vulkan: kinds and stages have the numeric
//! values of Vulkan.
//!
//! ```
//! use glasm::layout::{DescriptorType, build_set_layouts};
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
//! let sets = build_set_layouts(&reflections).unwrap_or_else(|conflict| panic!("{conflict}"));
//! // Set 0 has the matrix of the vertex program, set 1 the texture of the fragment program.
//! assert_eq!(sets.len(), 2);
//! assert_eq!(sets[0].bindings[0].descriptor_type, DescriptorType::UniformBuffer);
//! assert_eq!(sets[1].bindings[0].descriptor_type.to_vulkan(), 1); // VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER
//! assert_eq!(sets[1].bindings[0].stage_flags, 0x10); // VK_SHADER_STAGE_FRAGMENT_BIT
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
pub enum DescriptorType {
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

impl DescriptorType {
    /// Returns the value of the kind in `VkDescriptorType`.
    pub const fn to_vulkan(self) -> u32 {
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

    /// Returns the kind of descriptor with which programs read textures of a target.
    pub const fn from_texture_target(target: TexTarget) -> Self {
        if is_buffer(target) {
            Self::UniformTexelBuffer
        } else {
            Self::CombinedImageSampler
        }
    }

    /// Returns the kind of descriptor with which programs access images of a target.
    pub const fn from_image_target(target: TexTarget) -> Self {
        if is_buffer(target) {
            Self::StorageTexelBuffer
        } else {
            Self::StorageImage
        }
    }

    /// Returns the name of the type in messages.
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

impl fmt::Display for DescriptorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns true if a target accesses texels of a buffer.
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
        | TexTarget::D2Multisample
        | TexTarget::D2MultisampleArray => false,
    }
}

/// Returns the bit of a stage in `VkShaderStageFlags`.
pub const fn get_stage_bit(stage: Stage) -> u32 {
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
    pub descriptor_type: DescriptorType,
    /// Number of descriptors.
    pub descriptor_count: u32,
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
    StateProgram(&'a StateProgram),
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
    /// The lock of images: [`Reflection::image_lock_slot`].
    ImageLock,
}

/// Returns the descriptors that a module requires. A slot may occur twice, with the same kind: a
/// unit whose texture is read and whose sampler is used for another one.
pub fn list_descriptors(reflection: &Reflection) -> Vec<Descriptor<'_>> {
    // Without `..`, so that a new member must be handled.
    let Reflection {
        stage: _,
        entry_point: _,
        parameter_block: params,
        state_block: state,
        named_parameters: _,
        state_program,
        textures,
        samplers,
        input_attachments: attachments,
        images,
        handle_arrays,
        buffers,
        image_lock_slot: image_lock,
        inputs: _,
        outputs: _,
        view_replication: _,
        primitive_info: _,
        workgroup_size: _,
        requires_depth_clamp: _,
        missing_textures_have_zero_alpha: _,
        requirements: _,
        text_target: _,
    } = reflection;
    let mut all = Vec::new();
    all.extend(params.iter().map(Descriptor::from_params));
    all.extend(state.iter().filter_map(Descriptor::from_state_block));
    all.extend(state_program.iter().map(Descriptor::from_state));
    all.extend(textures.iter().map(Descriptor::from_texture));
    all.extend(samplers.iter().map(Descriptor::from_sampler));
    all.extend(attachments.iter().map(Descriptor::from_attachment));
    all.extend(images.iter().map(Descriptor::from_image));
    all.extend(handle_arrays.iter().map(Descriptor::from_handle_array));
    all.extend(buffers.iter().filter_map(Descriptor::from_buffer));
    all.extend(image_lock.map(Descriptor::from_image_lock));
    all
}

impl<'a> Descriptor<'a> {
    /// Returns a single descriptor of a resource at a slot.
    fn new(slot: DescriptorSlot, kind: DescriptorType, resource: Resource<'a>) -> Self {
        Self {
            slot,
            descriptor_type: kind,
            descriptor_count: 1,
            resource,
        }
    }

    /// Returns the descriptor of the parameter block: a storage buffer or a uniform buffer.
    fn from_params(block: &'a ParamBlock) -> Self {
        let kind = if block.is_storage_buffer {
            DescriptorType::StorageBuffer
        } else {
            DescriptorType::UniformBuffer
        };
        Self::new(block.slot, kind, Resource::Params(block))
    }

    /// Returns the descriptor of the uniform buffer of GL state; `None` if the shader reads no
    /// state from a buffer.
    fn from_state_block(state: &'a StateBinding) -> Option<Self> {
        let resource = Resource::StateBlock(state);
        Some(Self::new(
            state.slot?,
            DescriptorType::UniformBuffer,
            resource,
        ))
    }

    /// Returns the descriptor of the storage buffer with the parameters that a vertex state program
    /// writes.
    fn from_state(program: &'a StateProgram) -> Self {
        let resource = Resource::StateProgram(program);
        Self::new(program.slot, DescriptorType::StorageBuffer, resource)
    }

    /// Returns the descriptors of a texture binding, whose type depends on the texture target.
    fn from_texture(texture: &'a TextureBinding) -> Self {
        Self {
            slot: texture.slot,
            descriptor_type: DescriptorType::from_texture_target(texture.target),
            descriptor_count: texture.descriptor_count,
            resource: Resource::Texture(texture),
        }
    }

    /// Returns the descriptor of a sampler binding, which is combined with an image.
    fn from_sampler(sampler: &'a SamplerBinding) -> Self {
        let resource = Resource::Sampler(sampler);
        Self::new(sampler.slot, DescriptorType::CombinedImageSampler, resource)
    }

    /// Returns the descriptor of an input attachment.
    fn from_attachment(attachment: &'a AttachmentBinding) -> Self {
        let resource = Resource::Attachment(attachment);
        Self::new(attachment.slot, DescriptorType::InputAttachment, resource)
    }

    /// Returns the descriptors of an image binding, whose type depends on the texture target.
    fn from_image(image: &'a ImageBinding) -> Self {
        Self {
            slot: image.slot,
            descriptor_type: DescriptorType::from_image_target(image.target),
            descriptor_count: image.descriptor_count,
            resource: Resource::Image(image),
        }
    }

    /// Returns the descriptors that handles of textures or images index; their type depends on the
    /// target.
    fn from_handle_array(array: &'a HandleArray) -> Self {
        let kind = match array.kind {
            HandleKind::Texture(_) | HandleKind::ShadowTexture | HandleKind::QueryOnlyTexture => {
                DescriptorType::from_texture_target(array.target)
            }
            HandleKind::Image(_) => DescriptorType::from_image_target(array.target),
        };
        Self {
            slot: array.slot,
            descriptor_type: kind,
            descriptor_count: array.descriptor_count,
            resource: Resource::Handles(array),
        }
    }

    /// Returns the descriptors of a buffer; `None` for memory without a separate descriptor.
    fn from_buffer(buffer: &'a BufferBinding) -> Option<Self> {
        let kind = match buffer.kind {
            BufferKind::ProgramParameter => DescriptorType::UniformBuffer,
            BufferKind::Storage | BufferKind::AtomicCounter => DescriptorType::StorageBuffer,
            // Reported by `Reflection::state_program`.
            BufferKind::VertexStateParameters => return None,
            // Internal memory of the module.
            BufferKind::Shared | BufferKind::Private => return None,
        };
        Some(Self {
            slot: buffer.slot,
            descriptor_type: kind,
            descriptor_count: buffer.descriptor_count,
            resource: Resource::Buffer(buffer),
        })
    }

    /// Returns the descriptor of the storage buffer that locks images.
    fn from_image_lock(slot: DescriptorSlot) -> Self {
        Self::new(slot, DescriptorType::StorageBuffer, Resource::ImageLock)
    }
}

/// A binding of a descriptor set layout: `VkDescriptorSetLayoutBinding`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SetLayoutBinding {
    /// Its index.
    pub binding: u32,
    /// Kind of its descriptors.
    pub descriptor_type: DescriptorType,
    /// Number of descriptors.
    pub descriptor_count: u32,
    /// The stages that use it, as `VkShaderStageFlags`.
    pub stage_flags: u32,
}

/// A descriptor set layout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetLayout {
    /// Index of the set.
    pub set: u32,
    /// Bindings in ascending order; empty if the set only fills the gap before another one.
    pub bindings: Vec<SetLayoutBinding>,
}

/// Error: two resources, of different stages or of one, have the same slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DescriptorConflict {
    /// The slot.
    pub slot: DescriptorSlot,
    /// The first stage that uses the slot, and the kind that it requires.
    pub first: (Stage, DescriptorType),
    /// The stage that requires another kind, or another resource of this kind.
    pub second: (Stage, DescriptorType),
}

impl fmt::Display for DescriptorConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DescriptorSlot { set, binding } = self.slot;
        let ((first, one), (second, other)) = (self.first, self.second);
        let (first, second) = (first.name(), second.name());
        if one == other {
            return write!(
                f,
                "set {set}, binding {binding}: a {one} for stage {first}, another for stage {second}"
            );
        }
        write!(
            f,
            "set {set}, binding {binding}: {one} for stage {first}, {other} for stage {second}"
        )
    }
}

impl std::error::Error for DescriptorConflict {}

/// Returns the descriptor set layouts that the modules of a pipeline require together, one for each
/// set from 0 to the last that has a binding: set n is at index n, as in a pipeline layout.
///
/// Stages that use the same slot share its descriptors: their number is that of the stage with the
/// longest array. This corresponds to GL for textures, images, storage and counter buffers, whose
/// units all stages share. Parameters are separate for each stage: stages have the same slot of
/// them only if
/// [`BindingLayout::parameter_block_binding`](crate::BindingLayout::parameter_block_binding) is
/// set.
///
/// # Errors
/// If a slot belongs to different resources: descriptors of different kinds, or two blocks or
/// buffers, also of one stage, other than parameter blocks of several stages. This depends on the
/// [`BindingLayout`](crate::BindingLayout) alone.
pub fn build_set_layouts(
    reflections: &[&Reflection],
) -> Result<Vec<SetLayout>, DescriptorConflict> {
    let mut slots = BTreeMap::new();
    for reflection in reflections {
        for descriptor in list_descriptors(reflection) {
            merge_descriptor(&mut slots, reflection.stage, &descriptor)?;
        }
    }
    let set_count = slots.keys().last().map_or(0, |slot| slot.set + 1);
    let sets = (0..set_count).map(|set| SetLayout {
        set,
        bindings: Vec::new(),
    });
    let mut sets: Vec<_> = sets.collect();
    for (slot, usage) in slots {
        sets[slot.set as usize].bindings.push(usage.binding);
    }
    Ok(sets)
}

/// Use of a slot by one or more stages.
struct SlotUsage {
    /// Stage that used it first.
    stage: Stage,
    content: SlotContent,
    /// Binding, with the largest count and the bits of all stages.
    binding: SetLayoutBinding,
}

/// Content of the descriptors at a slot, which the stages that use it share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SlotContent {
    Params,
    StateBlock,
    StateProgram,
    /// Texture image unit, of which programs may use the texture, the sampler or both.
    TextureUnit,
    Attachment,
    Image,
    Handles,
    /// Buffers of a kind, from a number of the language on.
    Buffer(BufferKind, u32),
    ImageLock,
}

impl SlotContent {
    /// Returns the content of the descriptors of a resource.
    const fn from_resource(resource: &Resource<'_>) -> Self {
        match resource {
            Resource::Params(_) => Self::Params,
            Resource::StateBlock(_) => Self::StateBlock,
            Resource::StateProgram(_) => Self::StateProgram,
            Resource::Texture(_) | Resource::Sampler(_) => Self::TextureUnit,
            Resource::Attachment(_) => Self::Attachment,
            Resource::Image(_) => Self::Image,
            Resource::Handles(_) => Self::Handles,
            Resource::Buffer(buffer) => Self::Buffer(buffer.kind, buffer.program_binding),
            Resource::ImageLock => Self::ImageLock,
        }
    }
}

/// Merges the descriptors of a stage into the recorded use of a slot. Fails if kinds or contents
/// differ.
fn merge_descriptor(
    slots: &mut BTreeMap<DescriptorSlot, SlotUsage>,
    stage: Stage,
    required: &Descriptor<'_>,
) -> Result<(), DescriptorConflict> {
    let binding = SetLayoutBinding {
        binding: required.slot.binding,
        descriptor_type: required.descriptor_type,
        descriptor_count: required.descriptor_count,
        stage_flags: get_stage_bit(stage),
    };
    let content = SlotContent::from_resource(&required.resource);
    match slots.entry(required.slot) {
        Entry::Vacant(entry) => {
            entry.insert(SlotUsage {
                stage,
                content,
                binding,
            });
        }
        Entry::Occupied(mut entry) => {
            let usage = entry.get_mut();
            let existing = &mut usage.binding;
            if (existing.descriptor_type, usage.content) != (required.descriptor_type, content) {
                return Err(DescriptorConflict {
                    slot: required.slot,
                    first: (usage.stage, existing.descriptor_type),
                    second: (stage, required.descriptor_type),
                });
            }
            existing.descriptor_count = existing.descriptor_count.max(required.descriptor_count);
            existing.stage_flags |= binding.stage_flags;
        }
    }
    Ok(())
}
