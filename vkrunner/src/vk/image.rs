//! Images with their memory and view.

use super::device::Device;
use crate::error::{CallContext, Error};
use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use std::rc::Rc;

/// What an image is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageDesc {
    pub(super) format: vk::Format,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) levels: u32,
    pub(super) usage: vk::ImageUsageFlags,
    pub(super) aspects: vk::ImageAspectFlags,
}

/// A two-dimensional image.
pub(super) struct Image {
    pub(super) raw: vk::Image,
    pub(super) view: vk::ImageView,
    aspects: vk::ImageAspectFlags,
    levels: u32,
    allocation: Option<Allocation>,
    device: Rc<Device>,
}

impl Image {
    /// An image whose contents are undefined.
    pub(super) fn new(device: &Rc<Device>, desc: &ImageDesc) -> Result<Self, Error> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(desc.format)
            .extent(vk::Extent3D {
                width: desc.width,
                height: desc.height,
                depth: 1,
            })
            .mip_levels(desc.levels)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(desc.usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        // SAFETY: the create info is valid, and the caller checked format and size.
        let raw = unsafe { device.raw.create_image(&info, None) }.call("vkCreateImage")?;
        let mut image = Self {
            raw,
            view: vk::ImageView::null(),
            aspects: desc.aspects,
            levels: desc.levels,
            allocation: None,
            device: Rc::clone(device),
        };
        image.bind_memory()?;
        let view_info = vk::ImageViewCreateInfo::default()
            .image(raw)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(desc.format)
            .subresource_range(image.all_levels());
        // SAFETY: the image has memory, and the view covers what it has.
        image.view =
            unsafe { device.raw.create_image_view(&view_info, None) }.call("vkCreateImageView")?;
        Ok(image)
    }

    fn bind_memory(&mut self) -> Result<(), Error> {
        // SAFETY: the image was made from this device.
        let requirements = unsafe { self.device.raw.get_image_memory_requirements(self.raw) };
        let allocation = self.device.allocate(&AllocationCreateDesc {
            name: "image",
            requirements,
            location: MemoryLocation::GpuOnly,
            linear: false,
            allocation_scheme: AllocationScheme::GpuAllocatorManaged,
        })?;
        let allocation = self.allocation.insert(allocation);
        // SAFETY: the memory fits the requirements and is bound once.
        unsafe {
            self.device
                .raw
                .bind_image_memory(self.raw, allocation.memory(), allocation.offset())
        }
        .call("vkBindImageMemory")
    }

    /// All levels.
    pub(super) fn all_levels(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange::default()
            .aspect_mask(self.aspects)
            .level_count(self.levels)
            .layer_count(1)
    }

    /// Records a change of layout that waits for everything before and holds up everything after.
    pub(super) fn change_layout(
        &self,
        raw: &ash::Device,
        commands: vk::CommandBuffer,
        old: vk::ImageLayout,
        new: vk::ImageLayout,
    ) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = vk::ImageMemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(all)
            .old_layout(old)
            .new_layout(new)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(self.raw)
            .subresource_range(self.all_levels());
        // SAFETY: the command buffer is being recorded, outside of a render pass.
        unsafe {
            raw.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &[barrier],
            );
        }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        if self.device.is_lost() {
            return;
        }
        // SAFETY: view and image were made from this device or are null, and the device is idle.
        unsafe {
            self.device.raw.destroy_image_view(self.view, None);
            self.device.raw.destroy_image(self.raw, None);
        }
        if let Some(allocation) = self.allocation.take() {
            self.device.free(allocation);
        }
    }
}
