//! Descriptor sets and pipeline layouts.

use super::buffer::Buffer;
use super::device::Device;
use super::pool::{Poolable, Pooled};
use super::sampler::SampledTexture;
use super::shader::stage_flag;
use super::texture::Texture;
use crate::error::{CallContext, Error};
use ash::vk;
use glasm::ir::Stage;
use glasm::layout::DescriptorType;
use glasm_scripts::texture::StorageView;
use glasm_scripts::timing::Phase;
use std::rc::Rc;

/// Returns Vulkan's constant for a descriptor type.
fn descriptor_type(kind: DescriptorType) -> vk::DescriptorType {
    vk::DescriptorType::from_raw(kind.to_vulkan() as i32)
}

/// Returns the subset of `stages` that may access descriptors of a type: only fragment stages
/// access input attachments.
fn accessing_stages(kind: DescriptorType, stages: vk::ShaderStageFlags) -> vk::ShaderStageFlags {
    if kind == DescriptorType::InputAttachment {
        stages & vk::ShaderStageFlags::FRAGMENT
    } else {
        stages
    }
}

/// Descriptors of a binding that must match the declarations of the programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DescriptorMatch {
    All,
    /// Descriptors that programs access. The layout sets `PARTIALLY_BOUND` on devices with
    /// `descriptorBindingPartiallyBound`.
    Accessed,
}

/// Binding of a descriptor set; no two with the same numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Binding {
    pub(crate) set: u32,
    pub(crate) binding: u32,
    pub(crate) kind: DescriptorType,
    pub(crate) count: u32,
    pub(crate) descriptor_match: DescriptorMatch,
}

/// Resource of a descriptor.
pub(crate) enum Resource<'a> {
    /// Range of a buffer; `None` extends to its end.
    Buffer {
        buffer: &'a Buffer,
        offset: u64,
        size: Option<u64>,
    },
    /// Texture, or a buffer texture.
    Texture(&'a SampledTexture),
    /// Storage image, or a storage texel buffer, whose view exists.
    Image(&'a Texture, StorageView),
    /// Color attachment.
    Attachment(vk::DescriptorImageInfo),
    /// Null storage image or storage texel buffer, on devices that have null descriptors.
    NoImage,
}

impl<'a> Resource<'a> {
    /// Returns the range of a whole buffer.
    pub(crate) fn whole_buffer(buffer: &'a Buffer) -> Self {
        Self::Buffer {
            buffer,
            offset: 0,
            size: None,
        }
    }
}

/// Key of a layout.
#[derive(PartialEq, Eq)]
pub(crate) struct LayoutKey {
    bindings: Vec<Binding>,
    push_size: u32,
    stages: vk::ShaderStageFlags,
}

/// Pipeline layout with one descriptor set for each of its set layouts.
pub(crate) type Layout = Pooled<LayoutObject>;

/// Vulkan objects of a [`Layout`].
pub(crate) struct LayoutObject {
    pub(super) key: Rc<LayoutKey>,
    pub(super) raw: vk::PipelineLayout,
    set_layouts: Vec<vk::DescriptorSetLayout>,
    pool: vk::DescriptorPool,
    sets: Vec<vk::DescriptorSet>,
    push_size: u32,
    stages: vk::ShaderStageFlags,
    device: Rc<Device>,
}

impl Layout {
    /// Returns a layout for these bindings, which all of `stages` access, and `push_size` bytes of
    /// push constants: a pooled one with the same properties, or a new one. Its descriptors are not
    /// written yet.
    pub(crate) fn new(
        device: &Rc<Device>,
        bindings: &[Binding],
        push_size: u32,
        stages: &[Stage],
    ) -> Result<Self, Error> {
        let _phase = device.clock.enter(Phase::Pipelines);
        let stages = stages
            .iter()
            .fold(vk::ShaderStageFlags::empty(), |flags, stage| {
                flags | stage_flag(*stage)
            });
        let key = Rc::new(LayoutKey {
            bindings: bindings.to_vec(),
            push_size,
            stages,
        });
        let make = || LayoutObject::create(device, &key);
        let mut layout = Self::get_or_create(device, Rc::clone(&key), make)?;
        layout.allocate_sets()?;
        Ok(layout)
    }
}

impl LayoutObject {
    /// Creates the set layouts, also of unused sets below the last one, the pipeline layout, and
    /// the descriptor pool of a key. Sets are not allocated.
    fn create(device: &Rc<Device>, key: &Rc<LayoutKey>) -> Result<Self, Error> {
        let LayoutKey {
            ref bindings,
            push_size,
            stages,
        } = **key;
        let mut layout = Self {
            key: Rc::clone(key),
            raw: vk::PipelineLayout::null(),
            set_layouts: Vec::new(),
            pool: vk::DescriptorPool::null(),
            sets: Vec::new(),
            push_size,
            stages,
            device: Rc::clone(device),
        };
        let set_count = bindings
            .iter()
            .map(|binding| binding.set + 1)
            .max()
            .unwrap_or(0);
        for set in 0..set_count {
            layout.create_set_layout(bindings.iter().filter(|binding| binding.set == set))?;
        }
        layout.create_pipeline_layout()?;
        if set_count > 0 {
            layout.create_pool(bindings)?;
        }
        Ok(layout)
    }

    /// Creates the layout of one descriptor set and appends it to the layouts of the pipeline.
    /// Bindings of which only accessed descriptors must match are partially bound if the device
    /// supports that.
    fn create_set_layout<'a>(
        &mut self,
        bindings: impl Iterator<Item = &'a Binding>,
    ) -> Result<(), Error> {
        let (bindings, flags): (Vec<_>, Vec<_>) = bindings
            .map(|binding| {
                let layout = vk::DescriptorSetLayoutBinding::default()
                    .binding(binding.binding)
                    .descriptor_type(descriptor_type(binding.kind))
                    .descriptor_count(binding.count)
                    .stage_flags(accessing_stages(binding.kind, self.stages));
                let flags = match binding.descriptor_match {
                    DescriptorMatch::All => vk::DescriptorBindingFlags::empty(),
                    DescriptorMatch::Accessed => vk::DescriptorBindingFlags::PARTIALLY_BOUND,
                };
                (layout, flags)
            })
            .unzip();
        let mut flags =
            vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags);
        let mut info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        if self.device.has_partial_bindings() {
            info = info.push_next(&mut flags);
        }
        // SAFETY: the create info is valid.
        let layout = unsafe { self.device.raw.create_descriptor_set_layout(&info, None) };
        self.set_layouts
            .push(layout.call("vkCreateDescriptorSetLayout")?);
        Ok(())
    }

    /// Creates the pipeline layout from the set layouts and the push constants.
    fn create_pipeline_layout(&mut self) -> Result<(), Error> {
        let ranges = [vk::PushConstantRange {
            stage_flags: self.stages,
            offset: 0,
            size: self.push_size,
        }];
        let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&self.set_layouts);
        if self.push_size > 0 {
            info = info.push_constant_ranges(&ranges);
        }
        // SAFETY: the set layouts were created from this device.
        self.raw = unsafe { self.device.raw.create_pipeline_layout(&info, None) }
            .call("vkCreatePipelineLayout")?;
        Ok(())
    }

    /// Creates the pool from which the sets of the layout are allocated, with space for each once.
    fn create_pool(&mut self, bindings: &[Binding]) -> Result<(), Error> {
        let sizes: Vec<_> = bindings
            .iter()
            .map(|binding| vk::DescriptorPoolSize {
                ty: descriptor_type(binding.kind),
                descriptor_count: binding.count,
            })
            .collect();
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(self.set_layouts.len() as u32)
            .pool_sizes(&sizes);
        // SAFETY: the create info is valid.
        self.pool = unsafe { self.device.raw.create_descriptor_pool(&info, None) }
            .call("vkCreateDescriptorPool")?;
        Ok(())
    }

    /// Allocates the sets, with no descriptors written, and frees the previous ones. Does nothing
    /// for a layout without sets.
    fn allocate_sets(&mut self) -> Result<(), Error> {
        if self.set_layouts.is_empty() {
            return Ok(());
        }
        let flags = vk::DescriptorPoolResetFlags::empty();
        // SAFETY: the device is idle, and the sets of the last user are not used again.
        unsafe { self.device.raw.reset_descriptor_pool(self.pool, flags) }
            .call("vkResetDescriptorPool")?;
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.pool)
            .set_layouts(&self.set_layouts);
        // SAFETY: the pool has space for these sets.
        self.sets = unsafe { self.device.raw.allocate_descriptor_sets(&info) }
            .call("vkAllocateDescriptorSets")?;
        Ok(())
    }

    /// Writes a resource to the descriptor `element` of a binding of the layout. The device must be
    /// idle, and the resource must outlive the next use of the set; views of storage images must
    /// exist.
    pub(crate) fn write_descriptor(
        &self,
        binding: &Binding,
        element: u32,
        resource: &Resource<'_>,
    ) {
        let write = vk::WriteDescriptorSet::default()
            .dst_set(self.sets[binding.set as usize])
            .dst_binding(binding.binding)
            .dst_array_element(element)
            .descriptor_type(descriptor_type(binding.kind));
        let (buffers, images, views);
        let write = match resource {
            Resource::Buffer {
                buffer,
                offset,
                size,
            } => {
                buffers = [vk::DescriptorBufferInfo {
                    buffer: buffer.raw,
                    offset: *offset,
                    range: size.unwrap_or(buffer.size - offset),
                }];
                write.buffer_info(&buffers)
            }
            Resource::Texture(sampled) => match sampled.texture().texel_view() {
                Some(view) => {
                    views = [view];
                    write.texel_buffer_view(&views)
                }
                None => {
                    images = [sampled.descriptor()];
                    write.image_info(&images)
                }
            },
            Resource::NoImage if binding.kind == DescriptorType::StorageTexelBuffer => {
                views = [vk::BufferView::null()];
                write.texel_buffer_view(&views)
            }
            Resource::Attachment(attachment) => {
                images = [*attachment];
                write.image_info(&images)
            }
            Resource::NoImage => {
                images = [vk::DescriptorImageInfo::default()];
                write.image_info(&images)
            }
            Resource::Image(image, view) => match image.storage_texels(view) {
                Some(view) => {
                    views = [view];
                    write.texel_buffer_view(&views)
                }
                None => {
                    images = [image.storage_descriptor(view)];
                    write.image_info(&images)
                }
            },
        };
        // SAFETY: the device is idle, and the resource outlives the next use of the set, because
        // the caller that draws holds both.
        unsafe { self.device.raw.update_descriptor_sets(&[write], &[]) };
    }

    /// Records commands that bind the descriptor sets and write the push constants of the layout
    /// from the start of `push`. Records nothing for parts that the layout does not have.
    pub(super) fn record_bind(
        &self,
        raw: &ash::Device,
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        push: &[u8],
    ) {
        if !self.sets.is_empty() {
            // SAFETY: the sets were allocated for this layout.
            unsafe { raw.cmd_bind_descriptor_sets(commands, point, self.raw, 0, &self.sets, &[]) };
        }
        if self.push_size > 0 {
            let push = &push[..self.push_size as usize];
            // SAFETY: the range is the one that the layout declares.
            unsafe { raw.cmd_push_constants(commands, self.raw, self.stages, 0, push) };
        }
    }
}

impl Poolable for LayoutObject {
    type Key = Rc<LayoutKey>;
    const LIMIT: usize = 64;
}

impl Drop for LayoutObject {
    fn drop(&mut self) {
        if self.device.is_lost() {
            return;
        }
        let _phase = self.device.clock.enter(Phase::Pipelines);
        // SAFETY: all were created from this device or are null, and the device is idle. The pool
        // frees its sets.
        unsafe {
            self.device.raw.destroy_pipeline_layout(self.raw, None);
            self.device.raw.destroy_descriptor_pool(self.pool, None);
            for layout in &self.set_layouts {
                self.device.raw.destroy_descriptor_set_layout(*layout, None);
            }
        }
    }
}
