//! The part of the example that any program has which draws a picture with Vulkan 1.3. What it makes lives until the process ends.

use crate::Outcome;
use ash::vk;
use glasm::vulkan::StageInfo;
use std::ffi::CStr;

/// The version that the instance is made for.
pub(crate) const VERSION: u32 = vk::API_VERSION_1_3;
/// Width and height of the picture.
pub(crate) const SIZE: u32 = 256;
const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// Bytes from a vertex to the next, and location, format and offset of each attribute.
pub(crate) struct Geometry {
    pub(crate) stride: u32,
    pub(crate) attributes: Vec<(u32, vk::Format, u32)>,
}

/// An open device, its queue, and a buffer of commands that is being recorded.
pub(crate) struct Vulkan {
    pub(crate) device: ash::Device,
    memory: vk::PhysicalDeviceMemoryProperties,
    queue: vk::Queue,
    commands: vk::CommandBuffer,
    /// Holds the library.
    _entry: ash::Entry,
}

/// The first device with Vulkan 1.3.
pub(crate) unsafe fn find_device() -> Outcome<(ash::Entry, ash::Instance, vk::PhysicalDevice)> {
    let none = "no Vulkan 1.3 device";
    let entry = ash::Entry::load().map_err(|error| format!("{none}: {error}"))?;
    let application = vk::ApplicationInfo::default().api_version(VERSION);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    let instance = entry
        .create_instance(&info, None)
        .map_err(|error| format!("{none}: {error}"))?;
    let version = |gpu| instance.get_physical_device_properties(gpu).api_version;
    let mut devices = instance.enumerate_physical_devices()?.into_iter();
    let found = devices.find(|gpu| version(*gpu) >= VERSION).ok_or(none)?;
    Ok((entry, instance, found))
}

impl Vulkan {
    pub(crate) unsafe fn open(
        entry: ash::Entry,
        instance: &ash::Instance,
        gpu: vk::PhysicalDevice,
        extensions: &[&CStr],
        features: vk::PhysicalDeviceFeatures2<'_>,
    ) -> Outcome<Self> {
        let mut rendering =
            vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true);
        let mut features = features.push_next(&mut rendering);
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let families = instance.get_physical_device_queue_family_properties(gpu);
        let mut numbered = families.iter().zip(0..);
        let (_, family) = numbered
            .find(|(it, _)| it.queue_flags.contains(vk::QueueFlags::GRAPHICS))
            .ok_or("the device draws nothing")?;
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .push_next(&mut features);
        let device = instance.create_device(gpu, &info, None)?;
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        let pool = device.create_command_pool(&info, None)?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .command_buffer_count(1);
        let commands = device.allocate_command_buffers(&info)?[0];
        device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
        Ok(Self {
            memory: instance.get_physical_device_memory_properties(gpu),
            queue: device.get_device_queue(family, 0),
            commands,
            device,
            _entry: entry,
        })
    }

    /// Memory of some kind.
    unsafe fn allocate(
        &self,
        needs: vk::MemoryRequirements,
        flags: vk::MemoryPropertyFlags,
    ) -> Outcome<vk::DeviceMemory> {
        let mut types = self.memory.memory_types.iter().zip(0..);
        let (_, index) = types
            .find(|(it, index)| {
                needs.memory_type_bits >> index & 1 == 1 && it.property_flags.contains(flags)
            })
            .ok_or("no memory of this kind")?;
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(index);
        Ok(self.device.allocate_memory(&info, None)?)
    }

    /// A buffer with these bytes, and where the process sees them.
    unsafe fn buffer(
        &self,
        bytes: &[u8],
        usage: vk::BufferUsageFlags,
    ) -> Outcome<(vk::Buffer, *mut u8)> {
        let info = vk::BufferCreateInfo::default()
            .size(bytes.len() as u64)
            .usage(usage);
        let buffer = self.device.create_buffer(&info, None)?;
        let needs = self.device.get_buffer_memory_requirements(buffer);
        let visible =
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let memory = self.allocate(needs, visible)?;
        self.device.bind_buffer_memory(buffer, memory, 0)?;
        let flags = vk::MemoryMapFlags::empty();
        let address = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags)?;
        let address = address.cast::<u8>();
        address.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        Ok((buffer, address))
    }

    /// A square picture.
    unsafe fn image(
        &self,
        size: u32,
        usage: vk::ImageUsageFlags,
    ) -> Outcome<(vk::Image, vk::ImageView)> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(FORMAT)
            .extent(extent(size))
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        let image = self.device.create_image(&info, None)?;
        let needs = self.device.get_image_memory_requirements(image);
        let memory = self.allocate(needs, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        self.device.bind_image_memory(image, memory, 0)?;
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(FORMAT)
            .subresource_range(all_of_it());
        Ok((image, self.device.create_image_view(&info, None)?))
    }

    /// Waits for all commands before, and brings an image into a layout.
    unsafe fn change(&self, image: vk::Image, old: vk::ImageLayout, new: vk::ImageLayout) {
        let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = vk::ImageMemoryBarrier::default()
            .image(image)
            .old_layout(old)
            .new_layout(new)
            .src_access_mask(access)
            .dst_access_mask(access)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .subresource_range(all_of_it());
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let flags = vk::DependencyFlags::empty();
        self.device
            .cmd_pipeline_barrier(self.commands, all, all, flags, &[], &[], &[barrier]);
    }

    /// Lets the process see what was copied.
    unsafe fn show_to_process(&self) {
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ);
        let (from, to) = (
            vk::PipelineStageFlags::TRANSFER,
            vk::PipelineStageFlags::HOST,
        );
        let flags = vk::DependencyFlags::empty();
        self.device
            .cmd_pipeline_barrier(self.commands, from, to, flags, &[barrier], &[], &[]);
    }

    /// The pipeline layout of these set layouts, and a descriptor set of each.
    pub(crate) unsafe fn sets(
        &self,
        layouts: &[vk::DescriptorSetLayout],
        sizes: &[vk::DescriptorPoolSize],
    ) -> Outcome<(vk::PipelineLayout, Vec<vk::DescriptorSet>)> {
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(layouts);
        let layout = self.device.create_pipeline_layout(&info, None)?;
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(layouts.len() as u32)
            .pool_sizes(sizes);
        let pool = self.device.create_descriptor_pool(&info, None)?;
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(layouts);
        Ok((layout, self.device.allocate_descriptor_sets(&info)?))
    }

    /// A uniform buffer.
    pub(crate) unsafe fn parameters(&self, bytes: &[u8]) -> Outcome<vk::DescriptorBufferInfo> {
        let (buffer, _) = self.buffer(bytes, vk::BufferUsageFlags::UNIFORM_BUFFER)?;
        let info = vk::DescriptorBufferInfo::default().buffer(buffer);
        Ok(info.range(vk::WHOLE_SIZE))
    }

    /// A texture of square texels with GL's wrap mode `REPEAT`.
    pub(crate) unsafe fn texture(
        &self,
        size: u32,
        texels: &[u8],
    ) -> Outcome<vk::DescriptorImageInfo> {
        let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
        let (image, view) = self.image(size, usage)?;
        let (staging, _) = self.buffer(texels, vk::BufferUsageFlags::TRANSFER_SRC)?;
        let (filled, read) = (
            vk::ImageLayout::TRANSFER_DST_OPTIMAL,
            vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        );
        self.change(image, vk::ImageLayout::UNDEFINED, filled);
        self.device
            .cmd_copy_buffer_to_image(self.commands, staging, image, filled, &[copy(size)]);
        self.change(image, filled, read);
        let info = vk::SamplerCreateInfo::default();
        Ok(vk::DescriptorImageInfo {
            sampler: self.device.create_sampler(&info, None)?,
            image_view: view,
            image_layout: read,
        })
    }

    /// A pipeline that draws triangles without those that face away.
    pub(crate) unsafe fn pipeline(
        &self,
        stages: &[StageInfo<'_>],
        layout: vk::PipelineLayout,
        geometry: &Geometry,
    ) -> Outcome<vk::Pipeline> {
        let mut infos = Vec::new();
        for stage in stages {
            let info = vk::PipelineShaderStageCreateInfo::default()
                .module(self.device.create_shader_module(&stage.module, None)?)
                .name(c"main")
                .stage(stage.flag);
            infos.push(info);
        }
        let bindings = [vk::VertexInputBindingDescription::default().stride(geometry.stride)];
        let attributes = geometry.attributes.iter();
        let attributes: Vec<_> = attributes
            .map(
                |&(location, format, offset)| vk::VertexInputAttributeDescription {
                    location,
                    binding: 0,
                    format,
                    offset,
                },
            )
            .collect();
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let size = SIZE as f32;
        let viewports = [vk::Viewport::default()
            .width(size)
            .height(size)
            .max_depth(1.0)];
        let scissors = [vk::Rect2D::default().extent(square())];
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        // GL's front faces are counterclockwise where rows count from the bottom. So they do here, but Vulkan believes that row 0 is on top.
        let rasterization = vk::PipelineRasterizationStateCreateInfo::default()
            .cull_mode(vk::CullModeFlags::BACK)
            .front_face(vk::FrontFace::CLOCKWISE)
            .line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let blends = [vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let mut rendering =
            vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&[FORMAT]);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&infos)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&rasterization)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .layout(layout)
            .push_next(&mut rendering);
        let cache = vk::PipelineCache::null();
        let made = self.device.create_graphics_pipelines(cache, &[info], None);
        Ok(made.map_err(|(_, error)| error)?[0])
    }

    /// Draws the vertices on black; the bytes of the picture.
    pub(crate) unsafe fn draw(
        &self,
        pipeline: vk::Pipeline,
        layout: vk::PipelineLayout,
        sets: &[vk::DescriptorSet],
        vertices: &[[f32; 5]],
    ) -> Outcome<Vec<u8>> {
        let (device, commands) = (&self.device, self.commands);
        let bytes = vertices.iter().flatten().copied();
        let bytes: Vec<u8> = bytes.flat_map(f32::to_le_bytes).collect();
        let (buffer, _) = self.buffer(&bytes, vk::BufferUsageFlags::VERTEX_BUFFER)?;
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
        let (image, view) = self.image(SIZE, usage)?;
        let (drawn, copied) = (
            vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        );
        self.change(image, vk::ImageLayout::UNDEFINED, drawn);
        let attachments = [vk::RenderingAttachmentInfo::default()
            .image_view(view)
            .image_layout(drawn)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let rendering = vk::RenderingInfo::default()
            .render_area(vk::Rect2D::default().extent(square()))
            .layer_count(1)
            .color_attachments(&attachments);
        let point = vk::PipelineBindPoint::GRAPHICS;
        device.cmd_begin_rendering(commands, &rendering);
        device.cmd_bind_pipeline(commands, point, pipeline);
        device.cmd_bind_descriptor_sets(commands, point, layout, 0, sets, &[]);
        device.cmd_bind_vertex_buffers(commands, 0, &[buffer], &[0]);
        device.cmd_draw(commands, vertices.len() as u32, 1, 0, 0);
        device.cmd_end_rendering(commands);
        self.change(image, drawn, copied);
        let mut rows = vec![0; 4 * (SIZE * SIZE) as usize];
        let (buffer, address) = self.buffer(&rows, vk::BufferUsageFlags::TRANSFER_DST)?;
        device.cmd_copy_image_to_buffer(commands, image, copied, buffer, &[copy(SIZE)]);
        self.show_to_process();
        device.end_command_buffer(commands)?;
        let work = [vk::SubmitInfo::default().command_buffers(std::slice::from_ref(&commands))];
        device.queue_submit(self.queue, &work, vk::Fence::null())?;
        device.device_wait_idle()?;
        address.copy_to_nonoverlapping(rows.as_mut_ptr(), rows.len());
        Ok(rows)
    }
}

fn extent(size: u32) -> vk::Extent3D {
    vk::Extent3D {
        width: size,
        height: size,
        depth: 1,
    }
}

fn square() -> vk::Extent2D {
    vk::Extent2D {
        width: SIZE,
        height: SIZE,
    }
}

fn all_of_it() -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    }
}

fn copy(size: u32) -> vk::BufferImageCopy {
    let layers = vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        layer_count: 1,
        ..Default::default()
    };
    vk::BufferImageCopy::default()
        .image_subresource(layers)
        .image_extent(extent(size))
}
