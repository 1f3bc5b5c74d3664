//! What the pairs need of Vulkan besides a device: pictures of one color that are drawn by pipelines which are made whole or of
//! libraries, or by shader objects.
//!
//! What is made lives until the process ends: a test makes a few dozen small things. So every handle in here stays valid, and one device makes
//! all that meets.

use crate::device::{Extension, Result, Validation, create_instance, find_device, open, text};
use ash::vk;
use ash::vk::GraphicsPipelineLibraryFlagsEXT as Flags;
use std::ffi::c_void;
use std::slice;

/// Width and height of the pictures.
const SIZE: u32 = 2;
const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;
const PIXELS: usize = (SIZE * SIZE) as usize;

/// The corners of a strip of triangles that covers the picture.
const CORNERS: [[f32; 4]; 4] = [
    [-1.0, -1.0, 0.5, 1.0],
    [1.0, -1.0, 0.5, 1.0],
    [-1.0, 1.0, 0.5, 1.0],
    [1.0, 1.0, 0.5, 1.0],
];

/// A part of a pipeline that is a library of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part<'a> {
    /// Attributes and topology.
    Input,
    /// A vertex program, and all up to rasterization.
    Vertex(&'a [u32]),
    /// A fragment program.
    Fragment(&'a [u32]),
    /// Attachments.
    Output,
}

/// How libraries become a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Linking {
    /// As fast as the driver can.
    Fast,
    /// With what the driver does for whole pipelines.
    Optimized,
}

/// What draws.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Drawn {
    Pipeline(vk::Pipeline),
    /// A vertex and a fragment shader.
    Shaders([vk::ShaderEXT; 2]),
}

/// A device, and a picture.
pub(crate) struct Gpu {
    pub(crate) name: String,
    pub(crate) has_validation: bool,
    device: ash::Device,
    objects: Option<ash::ext::shader_object::Device>,
    queue: vk::Queue,
    commands: vk::CommandBuffer,
    layout: vk::PipelineLayout,
    corners: vk::Buffer,
    image: vk::Image,
    view: vk::ImageView,
    copy: vk::Buffer,
    /// Where the process sees the copy of the picture.
    pixels: *const [[f32; 4]; PIXELS],
    memory: vk::PhysicalDeviceMemoryProperties,
    _instance: ash::Instance,
    _entry: ash::Entry,
}

impl Gpu {
    /// A device with an extension.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn open(extension: Extension, validation: Validation) -> Result<Self> {
        // SAFETY: loading runs initialization code of the system's Vulkan loader, which is what the test is for.
        let entry = unsafe { ash::Entry::load() }.map_err(text)?;
        let (instance, has_validation) = create_instance(&entry, extension, validation)?;
        let gpu = find_device(&instance, extension)?;
        let (device, family) = open(&instance, gpu, extension)?;
        let objects = (extension == Extension::Objects)
            .then(|| ash::ext::shader_object::Device::new(&instance, &device));
        let pool = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
            .queue_family_index(family);
        let layout = vk::PipelineLayoutCreateInfo::default();
        // SAFETY: all pointers are to locals, and the device has a queue of this family.
        let (queue, commands, layout, memory, properties) = unsafe {
            let pool = device.create_command_pool(&pool, None).map_err(text)?;
            let commands = vk::CommandBufferAllocateInfo::default()
                .command_pool(pool)
                .command_buffer_count(1);
            (
                device.get_device_queue(family, 0),
                device.allocate_command_buffers(&commands).map_err(text)?[0],
                device.create_pipeline_layout(&layout, None).map_err(text)?,
                instance.get_physical_device_memory_properties(gpu),
                instance.get_physical_device_properties(gpu),
            )
        };
        let name = properties.device_name_as_c_str().unwrap_or_default();
        let mut made = Self {
            name: name.to_string_lossy().into_owned(),
            has_validation,
            device,
            objects,
            queue,
            commands,
            layout,
            corners: vk::Buffer::null(),
            image: vk::Image::null(),
            view: vk::ImageView::null(),
            copy: vk::Buffer::null(),
            pixels: std::ptr::null(),
            memory,
            _instance: instance,
            _entry: entry,
        };
        let (corners, place) = made.buffer(
            size_of_val(&CORNERS) as u64,
            vk::BufferUsageFlags::VERTEX_BUFFER,
        )?;
        // SAFETY: the buffer has room for them, and nobody reads it yet.
        unsafe { place.cast::<[[f32; 4]; 4]>().write_unaligned(CORNERS) };
        made.corners = corners;
        let size = size_of::<[[f32; 4]; PIXELS]>() as u64;
        let (copy, place) = made.buffer(size, vk::BufferUsageFlags::TRANSFER_DST)?;
        (made.copy, made.pixels) = (copy, place.cast_const().cast());
        made.create_picture()?;
        Ok(made)
    }

    /// Memory of some kind.
    fn allocate(
        &self,
        needs: vk::MemoryRequirements,
        flags: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory> {
        let mut types = self.memory.memory_types.iter().zip(0..);
        let found = types.find(|(it, index)| {
            needs.memory_type_bits >> index & 1 == 1 && it.property_flags.contains(flags)
        });
        let (_, index) = found.ok_or("no memory of this kind")?;
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(index);
        // SAFETY: the type is one that the device has.
        unsafe { self.device.allocate_memory(&info, None) }.map_err(text)
    }

    /// A buffer, and where the process sees it.
    fn buffer(&self, size: u64, usage: vk::BufferUsageFlags) -> Result<(vk::Buffer, *mut c_void)> {
        let device = &self.device;
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        let visible =
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: the memory is as the buffer needs it, and is mapped once.
        unsafe {
            let buffer = device.create_buffer(&info, None).map_err(text)?;
            let needs = device.get_buffer_memory_requirements(buffer);
            let memory = self.allocate(needs, visible)?;
            device.bind_buffer_memory(buffer, memory, 0).map_err(text)?;
            let flags = vk::MemoryMapFlags::empty();
            let place = device.map_memory(memory, 0, vk::WHOLE_SIZE, flags);
            Ok((buffer, place.map_err(text)?))
        }
    }

    fn create_picture(&mut self) -> Result<()> {
        let device = &self.device;
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(FORMAT)
            .extent(extent())
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC);
        // SAFETY: the format can be drawn to on every device, and the memory is as the image needs it.
        unsafe {
            let image = device.create_image(&info, None).map_err(text)?;
            let needs = device.get_image_memory_requirements(image);
            let memory = self.allocate(needs, vk::MemoryPropertyFlags::empty())?;
            device.bind_image_memory(image, memory, 0).map_err(text)?;
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(FORMAT)
                .subresource_range(all_of_it());
            let view = device.create_image_view(&info, None).map_err(text)?;
            (self.image, self.view) = (image, view);
        }
        Ok(())
    }

    /// A pipeline that is made at once.
    pub(crate) fn whole(&self, vertex: &[u32], fragment: &[u32]) -> Result<vk::Pipeline> {
        self.pipeline(
            None,
            &[
                (vk::ShaderStageFlags::VERTEX, vertex),
                (vk::ShaderStageFlags::FRAGMENT, fragment),
            ],
        )
    }

    /// A library.
    pub(crate) fn library(&self, part: Part<'_>) -> Result<vk::Pipeline> {
        let vertex = vk::ShaderStageFlags::VERTEX;
        let fragment = vk::ShaderStageFlags::FRAGMENT;
        match part {
            Part::Input => self.pipeline(Some(Flags::VERTEX_INPUT_INTERFACE), &[]),
            Part::Vertex(words) => {
                self.pipeline(Some(Flags::PRE_RASTERIZATION_SHADERS), &[(vertex, words)])
            }
            Part::Fragment(words) => {
                self.pipeline(Some(Flags::FRAGMENT_SHADER), &[(fragment, words)])
            }
            Part::Output => self.pipeline(Some(Flags::FRAGMENT_OUTPUT_INTERFACE), &[]),
        }
    }

    /// A pipeline of these stages, or a library: of all states Vulkan takes those that a library of this kind has.
    fn pipeline(
        &self,
        library: Option<Flags>,
        shaders: &[(vk::ShaderStageFlags, &[u32])],
    ) -> Result<vk::Pipeline> {
        let mut stages = Vec::new();
        for &(stage, words) in shaders {
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            // SAFETY: the words are a module of the compiler.
            let module = unsafe { self.device.create_shader_module(&info, None) };
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .module(module.map_err(text)?)
                .name(c"main")
                .stage(stage);
            stages.push(stage);
        }
        let (bindings, attributes) = ([binding()], [attribute()]);
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_STRIP);
        let (viewports, scissors) = ([viewport()], [rectangle()]);
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let rasterization = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let blends = [vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default();
        // The other libraries have no attachments, of which version 1.3.239 of the validation layer expects that they are blended.
        let has_output = library.is_none_or(|it| it == Flags::FRAGMENT_OUTPUT_INTERFACE);
        let formats: &[_] = if has_output { &[FORMAT] } else { &[] };
        let mut rendering =
            vk::PipelineRenderingCreateInfo::default().color_attachment_formats(formats);
        let mut kind =
            vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(library.unwrap_or_default());
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&rasterization)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .layout(self.layout)
            .push_next(&mut rendering);
        if library.is_some() {
            info = info.push_next(&mut kind).flags(
                vk::PipelineCreateFlags::LIBRARY_KHR
                    | vk::PipelineCreateFlags::RETAIN_LINK_TIME_OPTIMIZATION_INFO_EXT,
            );
        }
        let made = self.create(&info);
        for stage in &stages {
            // SAFETY: the module was made above, and pipelines do without it once they are made.
            unsafe { self.device.destroy_shader_module(stage.module, None) };
        }
        made
    }

    /// A pipeline of libraries: one of each part.
    pub(crate) fn link(
        &self,
        libraries: [vk::Pipeline; 4],
        linking: Linking,
    ) -> Result<vk::Pipeline> {
        let mut parts = vk::PipelineLibraryCreateInfoKHR::default().libraries(&libraries);
        let flags = match linking {
            Linking::Fast => vk::PipelineCreateFlags::empty(),
            Linking::Optimized => vk::PipelineCreateFlags::LINK_TIME_OPTIMIZATION_EXT,
        };
        let info = vk::GraphicsPipelineCreateInfo::default()
            .flags(flags)
            .layout(self.layout)
            .push_next(&mut parts);
        self.create(&info)
    }

    fn create(&self, info: &vk::GraphicsPipelineCreateInfo<'_>) -> Result<vk::Pipeline> {
        let cache = vk::PipelineCache::null();
        let infos = slice::from_ref(info);
        // SAFETY: the callers fill the structure with what they have made of this device.
        let made = unsafe { self.device.create_graphics_pipelines(cache, infos, None) };
        made.map(|made| made[0]).map_err(|(_, error)| text(error))
    }

    /// A shader object, which goes with any other of the neighboring stage.
    pub(crate) fn shader(&self, part: Part<'_>) -> Result<vk::ShaderEXT> {
        let (words, stage, next) = match part {
            Part::Vertex(words) => (
                words,
                vk::ShaderStageFlags::VERTEX,
                vk::ShaderStageFlags::FRAGMENT,
            ),
            Part::Fragment(words) => (
                words,
                vk::ShaderStageFlags::FRAGMENT,
                vk::ShaderStageFlags::empty(),
            ),
            Part::Input | Part::Output => return Err("no shader".into()),
        };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let info = vk::ShaderCreateInfoEXT::default()
            .stage(stage)
            .next_stage(next)
            .code_type(vk::ShaderCodeTypeEXT::SPIRV)
            .code(&bytes)
            .name(c"main");
        let objects = self.objects.as_ref().ok_or("no shader objects")?;
        // SAFETY: the words are a module of the compiler, and the device has the extension.
        let made = unsafe { objects.create_shaders(&[info], None) };
        made.map(|made| made[0]).map_err(|(_, error)| text(error))
    }

    /// Draws a picture; its pixels.
    pub(crate) fn draw(&self, drawn: Drawn) -> Result<[[f32; 4]; PIXELS]> {
        let (device, commands) = (&self.device, self.commands);
        let begin = vk::CommandBufferBeginInfo::default();
        let regions = [vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .layer_count(1),
            )
            .image_extent(extent())];
        let (target, source) = (
            vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        );
        let attachments = [vk::RenderingAttachmentInfo::default()
            .image_view(self.view)
            .image_layout(target)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let rendering = vk::RenderingInfo::default()
            .render_area(rectangle())
            .layer_count(1)
            .color_attachments(&attachments);
        let submits = [vk::SubmitInfo::default().command_buffers(slice::from_ref(&self.commands))];
        // SAFETY: all handles are of this device; the commands before have ended, and barriers stand between what depends on each other. The
        // copy of the picture is read when the device is idle.
        unsafe {
            device
                .begin_command_buffer(commands, &begin)
                .map_err(text)?;
            self.change(vk::ImageLayout::UNDEFINED, target);
            device.cmd_begin_rendering(commands, &rendering);
            match drawn {
                Drawn::Pipeline(pipeline) => {
                    let point = vk::PipelineBindPoint::GRAPHICS;
                    device.cmd_bind_pipeline(commands, point, pipeline);
                }
                Drawn::Shaders(shaders) => self.bind_shaders(shaders),
            }
            device.cmd_bind_vertex_buffers(commands, 0, &[self.corners], &[0]);
            device.cmd_draw(commands, CORNERS.len() as u32, 1, 0, 0);
            device.cmd_end_rendering(commands);
            self.change(target, source);
            device.cmd_copy_image_to_buffer(commands, self.image, source, self.copy, &regions);
            self.show_to_process();
            device.end_command_buffer(commands).map_err(text)?;
            let none = vk::Fence::null();
            device
                .queue_submit(self.queue, &submits, none)
                .map_err(text)?;
            device.device_wait_idle().map_err(text)?;
            Ok(self.pixels.read_unaligned())
        }
    }

    /// Waits for all commands before, and brings the picture into a layout.
    ///
    /// # Safety
    /// The commands must be in recording, outside of rendering, and the picture in the first layout.
    unsafe fn change(&self, old: vk::ImageLayout, new: vk::ImageLayout) {
        let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = vk::ImageMemoryBarrier::default()
            .image(self.image)
            .old_layout(old)
            .new_layout(new)
            .src_access_mask(access)
            .dst_access_mask(access)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .subresource_range(all_of_it());
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let flags = vk::DependencyFlags::empty();
        // SAFETY: what the caller of this function answers for.
        unsafe {
            self.device
                .cmd_pipeline_barrier(self.commands, all, all, flags, &[], &[], &[barrier]);
        }
    }

    /// Lets the process see what was copied.
    ///
    /// # Safety
    /// The commands must be in recording, outside of rendering.
    unsafe fn show_to_process(&self) {
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ);
        let (from, to) = (
            vk::PipelineStageFlags::TRANSFER,
            vk::PipelineStageFlags::HOST,
        );
        let flags = vk::DependencyFlags::empty();
        // SAFETY: what the caller of this function answers for.
        unsafe {
            self.device
                .cmd_pipeline_barrier(self.commands, from, to, flags, &[barrier], &[], &[]);
        }
    }

    /// Binds shader objects, and sets every state that pipelines have.
    ///
    /// # Safety
    /// The commands must be in recording, the shaders a vertex and a fragment shader of this device.
    unsafe fn bind_shaders(&self, shaders: [vk::ShaderEXT; 2]) {
        let Some(objects) = &self.objects else {
            return;
        };
        let commands = self.commands;
        let stages = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
        let bindings = [vk::VertexInputBindingDescription2EXT::default()
            .stride(binding().stride)
            .divisor(1)];
        let attributes =
            [vk::VertexInputAttributeDescription2EXT::default().format(attribute().format)];
        let one = vk::SampleCountFlags::TYPE_1;
        // SAFETY: what the caller of this function answers for; all pointers are to locals.
        unsafe {
            objects.cmd_bind_shaders(commands, &stages, &shaders);
            objects.cmd_set_vertex_input(commands, &bindings, &attributes);
            let topology = vk::PrimitiveTopology::TRIANGLE_STRIP;
            objects.cmd_set_primitive_topology(commands, topology);
            objects.cmd_set_primitive_restart_enable(commands, false);
            objects.cmd_set_viewport_with_count(commands, &[viewport()]);
            objects.cmd_set_scissor_with_count(commands, &[rectangle()]);
            objects.cmd_set_rasterizer_discard_enable(commands, false);
            objects.cmd_set_polygon_mode(commands, vk::PolygonMode::FILL);
            objects.cmd_set_cull_mode(commands, vk::CullModeFlags::NONE);
            objects.cmd_set_front_face(commands, vk::FrontFace::COUNTER_CLOCKWISE);
            objects.cmd_set_depth_bias_enable(commands, false);
            objects.cmd_set_rasterization_samples(commands, one);
            objects.cmd_set_sample_mask(commands, one, &[u32::MAX]);
            objects.cmd_set_alpha_to_coverage_enable(commands, false);
            objects.cmd_set_depth_test_enable(commands, false);
            objects.cmd_set_depth_write_enable(commands, false);
            objects.cmd_set_depth_bounds_test_enable(commands, false);
            objects.cmd_set_stencil_test_enable(commands, false);
            objects.cmd_set_color_blend_enable(commands, 0, &[vk::FALSE]);
            let all = vk::ColorComponentFlags::RGBA;
            objects.cmd_set_color_write_mask(commands, 0, &[all]);
        }
    }
}

fn binding() -> vk::VertexInputBindingDescription {
    vk::VertexInputBindingDescription::default().stride(size_of::<[f32; 4]>() as u32)
}

/// The position, which is attribute 0.
fn attribute() -> vk::VertexInputAttributeDescription {
    vk::VertexInputAttributeDescription::default().format(vk::Format::R32G32B32A32_SFLOAT)
}

fn viewport() -> vk::Viewport {
    let size = SIZE as f32;
    vk::Viewport::default()
        .width(size)
        .height(size)
        .max_depth(1.0)
}

fn rectangle() -> vk::Rect2D {
    vk::Rect2D::default().extent(vk::Extent2D {
        width: SIZE,
        height: SIZE,
    })
}

fn extent() -> vk::Extent3D {
    vk::Extent3D {
        width: SIZE,
        height: SIZE,
        depth: 1,
    }
}

fn all_of_it() -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(1)
        .layer_count(1)
}
