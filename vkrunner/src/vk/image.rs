//! Images of every type with their memory and views.

use super::device::Device;
use crate::error::{CallContext, Error};
use ash::vk;
use glasm_scripts::timing::Phase;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use std::rc::Rc;

/// Properties of an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageDesc {
    pub(super) flags: vk::ImageCreateFlags,
    pub(super) format: vk::Format,
    /// Type of the view of the whole image; it determines the type of the image.
    pub(super) view_type: vk::ImageViewType,
    pub(super) extent: vk::Extent3D,
    pub(super) levels: u32,
    /// Layers; six for every cube.
    pub(super) layers: u32,
    pub(super) samples: vk::SampleCountFlags,
    pub(super) usage: vk::ImageUsageFlags,
    /// All aspects of the format.
    pub(super) aspects: vk::ImageAspectFlags,
}

impl ImageDesc {
    /// Returns the description of a two-dimensional color image of one level, layer and sample.
    pub(super) fn single_plane(
        format: vk::Format,
        width: u32,
        height: u32,
        usage: vk::ImageUsageFlags,
    ) -> Self {
        Self {
            flags: vk::ImageCreateFlags::empty(),
            format,
            view_type: vk::ImageViewType::TYPE_2D,
            extent: vk::Extent3D {
                width,
                height,
                depth: 1,
            },
            levels: 1,
            layers: 1,
            samples: vk::SampleCountFlags::TYPE_1,
            usage,
            aspects: vk::ImageAspectFlags::COLOR,
        }
    }

    /// Returns the dimensionality of the image that its view type requires; cubes are
    /// two-dimensional.
    fn image_type(&self) -> vk::ImageType {
        match self.view_type {
            vk::ImageViewType::TYPE_1D | vk::ImageViewType::TYPE_1D_ARRAY => vk::ImageType::TYPE_1D,
            vk::ImageViewType::TYPE_3D => vk::ImageType::TYPE_3D,
            _ => vk::ImageType::TYPE_2D,
        }
    }

    /// Returns the flags to create the image with: those of the description, and compatibility with
    /// cube views if its view is a cube.
    fn create_flags(&self) -> vk::ImageCreateFlags {
        match self.view_type {
            vk::ImageViewType::CUBE | vk::ImageViewType::CUBE_ARRAY => {
                self.flags | vk::ImageCreateFlags::CUBE_COMPATIBLE
            }
            _ => self.flags,
        }
    }
}

/// Range and format of a view of an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewDesc {
    pub(super) view_type: vk::ImageViewType,
    pub(super) format: vk::Format,
    pub(super) components: vk::ComponentMapping,
    pub(super) range: vk::ImageSubresourceRange,
}

/// Image with a view of all of it.
pub(super) struct Image {
    pub(super) raw: vk::Image,
    pub(super) view: vk::ImageView,
    aspects: vk::ImageAspectFlags,
    levels: u32,
    layers: u32,
    allocation: Option<Allocation>,
    device: Rc<Device>,
}

impl Image {
    /// Creates an image whose contents and layout are undefined, with a view of all of it.
    pub(super) fn new(device: &Rc<Device>, desc: &ImageDesc) -> Result<Self, Error> {
        let mut image = Self::without_view(device, desc)?;
        let whole = ViewDesc {
            view_type: desc.view_type,
            format: desc.format,
            components: vk::ComponentMapping::default(),
            range: image.full_range(),
        };
        image.view = image.create_view(&whole)?;
        Ok(image)
    }

    /// Creates an image with memory, whose contents and layout are undefined; its view is null. The
    /// caller has checked that the device supports format and size.
    pub(super) fn without_view(device: &Rc<Device>, desc: &ImageDesc) -> Result<Self, Error> {
        let _phase = device.clock.enter(Phase::Resources);
        let info = vk::ImageCreateInfo::default()
            .flags(desc.create_flags())
            .image_type(desc.image_type())
            .format(desc.format)
            .extent(desc.extent)
            .mip_levels(desc.levels)
            .array_layers(desc.layers)
            .samples(desc.samples)
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
            layers: desc.layers,
            allocation: None,
            device: Rc::clone(device),
        };
        image.bind_memory()?;
        Ok(image)
    }

    /// Creates a view, which the caller destroys before the image.
    pub(super) fn create_view(&self, desc: &ViewDesc) -> Result<vk::ImageView, Error> {
        let info = vk::ImageViewCreateInfo::default()
            .image(self.raw)
            .view_type(desc.view_type)
            .format(desc.format)
            .components(desc.components)
            .subresource_range(desc.range);
        // SAFETY: the image has memory, and the caller requests a view that fits it.
        unsafe { self.device.raw.create_image_view(&info, None) }.call("vkCreateImageView")
    }

    /// Allocates memory for the image and binds it. The image frees it when it is dropped.
    fn bind_memory(&mut self) -> Result<(), Error> {
        // SAFETY: the image was created from this device.
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

    /// Returns all aspects, levels and layers.
    pub(super) fn full_range(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange::default()
            .aspect_mask(self.aspects)
            .level_count(self.levels)
            .layer_count(self.layers)
    }

    /// Records a transition of all levels and layers from layout `old` to `new`, with a barrier
    /// after all previous and before all later accesses. Layout `UNDEFINED` discards the contents.
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
            .subresource_range(self.full_range());
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
        let _phase = self.device.clock.enter(Phase::Resources);
        // SAFETY: view and image were created from this device or are null, and the device is idle.
        unsafe {
            self.device.raw.destroy_image_view(self.view, None);
            self.device.raw.destroy_image(self.raw, None);
        }
        if let Some(allocation) = self.allocation.take() {
            self.device.free(allocation);
        }
    }
}
