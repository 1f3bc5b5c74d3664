//! Filling of multisample images: every sample of every layer is drawn with a pipeline whose mask
//! selects only that sample.
//!
//! The source of the texels is an array texture with a layer for each layer and sample. It needs no
//! feature, unlike storage images with samples or shaders that run per sample.

mod modules;

use super::device::Device;
use super::image::{Image, ImageDesc, ViewDesc};
use super::sampler::nearest_sampler;
use super::texels::{all_aspects, texel_aspect, upload};
use crate::error::{CallContext, Error};
use ash::vk;
use glasm::ir::TexTarget;
use glasm_scripts::format::Aspect;
use glasm_scripts::texture::{PlaneId, Shape};
use std::rc::Rc;

/// Fills an image with samples, which ends in a layout.
pub(super) fn fill(
    device: &Rc<Device>,
    image: &Image,
    shape: &Shape,
    plane: impl Fn(PlaneId) -> Vec<u8>,
    layout: vk::ImageLayout,
) -> Result<(), Error> {
    let source = create_source(device, shape, plane)?;
    let mut filler = Filler {
        render_pass: vk::RenderPass::null(),
        set_layout: vk::DescriptorSetLayout::null(),
        layout: vk::PipelineLayout::null(),
        pool: vk::DescriptorPool::null(),
        sampler: vk::Sampler::null(),
        modules: Vec::new(),
        pipelines: Vec::new(),
        views: Vec::new(),
        framebuffers: Vec::new(),
        device: Rc::clone(device),
    };
    filler.create_render_pass(shape)?;
    let set = filler.create_layout(&source)?;
    filler.create_modules(shape)?;
    for sample in 0..shape.samples {
        filler.create_pipeline(shape, sample)?;
    }
    for layer in 0..shape.layers {
        filler.create_framebuffer(image, shape, layer)?;
    }
    filler.run(image, shape, set, layout)
}

/// Creates an array texture with a layer for each layer and sample.
fn create_source(
    device: &Rc<Device>,
    shape: &Shape,
    plane: impl Fn(PlaneId) -> Vec<u8>,
) -> Result<Image, Error> {
    let samples = shape.samples;
    let layers = Shape {
        target: TexTarget::D2Array,
        layers: shape.layers * samples,
        samples: 1,
        ..shape.clone()
    };
    let [width, height, _] = shape.extent;
    let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
    let desc = ImageDesc {
        view_type: vk::ImageViewType::TYPE_2D_ARRAY,
        layers: layers.layers,
        aspects: all_aspects(&shape.format),
        ..ImageDesc::plane(shape.format.vk, width, height, usage)
    };
    let mut image = Image::without_view(device, &desc)?;
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(texel_aspect(&shape.format))
        .level_count(1)
        .layer_count(layers.layers);
    image.view = image.create_view(&ViewDesc {
        view_type: desc.view_type,
        format: desc.format,
        components: vk::ComponentMapping::default(),
        range,
    })?;
    let planes: Vec<PlaneId> = layers.planes().collect();
    let of_sample = |id: PlaneId| {
        plane(PlaneId {
            slice: id.slice / samples,
            sample: id.slice % samples,
            ..id
        })
    };
    let layouts = [
        vk::ImageLayout::UNDEFINED,
        vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
    ];
    upload(device, &image, &layers, &planes, of_sample, layouts)?;
    Ok(image)
}

/// Objects of the draws; all of them are destroyed after the draws.
struct Filler {
    render_pass: vk::RenderPass,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    sampler: vk::Sampler,
    modules: Vec<vk::ShaderModule>,
    /// Pipelines, one for each sample.
    pipelines: Vec<vk::Pipeline>,
    views: Vec<vk::ImageView>,
    /// Framebuffers, one for each layer.
    framebuffers: Vec<vk::Framebuffer>,
    device: Rc<Device>,
}

/// Returns the layout of the image during the draws.
fn attachment_layout(shape: &Shape) -> vk::ImageLayout {
    match shape.format.aspect {
        Aspect::Color => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
        Aspect::Depth => vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
    }
}

impl Filler {
    fn create_render_pass(&mut self, shape: &Shape) -> Result<(), Error> {
        let layout = attachment_layout(shape);
        // The samples that the mask excludes must be preserved.
        let attachments = [vk::AttachmentDescription::default()
            .format(shape.format.vk)
            .samples(vk::SampleCountFlags::from_raw(shape.samples))
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)
            .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
            .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
            .initial_layout(layout)
            .final_layout(layout)];
        let references = [vk::AttachmentReference {
            attachment: 0,
            layout,
        }];
        let subpass =
            vk::SubpassDescription::default().pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS);
        let subpasses = [match shape.format.aspect {
            Aspect::Color => subpass.color_attachments(&references),
            Aspect::Depth => subpass.depth_stencil_attachment(&references[0]),
        }];
        let info = vk::RenderPassCreateInfo::default()
            .attachments(&attachments)
            .subpasses(&subpasses);
        // SAFETY: the reference is to the attachment of the pass.
        self.render_pass = unsafe { self.device.raw.create_render_pass(&info, None) }
            .call("vkCreateRenderPass")?;
        Ok(())
    }

    /// Creates layouts, and a descriptor set with the source.
    fn create_layout(&mut self, source: &Image) -> Result<vk::DescriptorSet, Error> {
        let raw = &self.device.raw;
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the create info is valid.
        self.set_layout = unsafe { raw.create_descriptor_set_layout(&info, None) }
            .call("vkCreateDescriptorSetLayout")?;
        let set_layouts = [self.set_layout];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts);
        // SAFETY: the set layout was created from this device.
        self.layout =
            unsafe { raw.create_pipeline_layout(&info, None) }.call("vkCreatePipelineLayout")?;
        let sizes = [vk::DescriptorPoolSize {
            ty: vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            descriptor_count: 1,
        }];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        // SAFETY: the create info is valid.
        self.pool =
            unsafe { raw.create_descriptor_pool(&info, None) }.call("vkCreateDescriptorPool")?;
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.pool)
            .set_layouts(&set_layouts);
        // SAFETY: the pool has space for the set.
        let sets =
            unsafe { raw.allocate_descriptor_sets(&info) }.call("vkAllocateDescriptorSets")?;
        self.sampler = nearest_sampler(&self.device)?;
        let images = [vk::DescriptorImageInfo {
            sampler: self.sampler,
            image_view: source.view,
            image_layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        }];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(sets[0])
            .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
            .image_info(&images);
        // SAFETY: the set is new, and the source outlives its use.
        unsafe { raw.update_descriptor_sets(&[write], &[]) };
        Ok(sets[0])
    }

    fn create_modules(&mut self, shape: &Shape) -> Result<(), Error> {
        for words in [
            modules::vertex_module(&self.device.capabilities)?,
            modules::fragment_module(&shape.format, &self.device.capabilities)?,
        ] {
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            // SAFETY: the words are a valid module.
            let module = unsafe { self.device.raw.create_shader_module(&info, None) };
            self.modules.push(module.call("vkCreateShaderModule")?);
        }
        Ok(())
    }

    fn create_pipeline(&mut self, shape: &Shape, sample: u32) -> Result<(), Error> {
        let stage = |flag, module| {
            vk::PipelineShaderStageCreateInfo::default()
                .stage(flag)
                .module(module)
                .name(c"main")
        };
        let stages = [
            stage(vk::ShaderStageFlags::VERTEX, self.modules[0]),
            stage(vk::ShaderStageFlags::FRAGMENT, self.modules[1]),
        ];
        let vertex_input = vk::PipelineVertexInputStateCreateInfo::default();
        let input_assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let area = area(shape);
        let viewports = [vk::Viewport {
            width: area.extent.width as f32,
            height: area.extent.height as f32,
            max_depth: 1.0,
            ..vk::Viewport::default()
        }];
        let scissors = [area];
        let viewport_state = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let rasterization = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        // The mask has 32 samples to a word.
        let mut mask = [0u32; 2];
        mask[sample as usize / 32 % 2] = 1 << (sample % 32);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::from_raw(shape.samples))
            .sample_mask(&mask);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_write_enable(true)
            .depth_compare_op(vk::CompareOp::ALWAYS);
        let all = vk::ColorComponentFlags::RGBA;
        let attachments = [vk::PipelineColorBlendAttachmentState::default().color_write_mask(all)];
        let mut color_blend = vk::PipelineColorBlendStateCreateInfo::default();
        if shape.format.aspect == Aspect::Color {
            color_blend = color_blend.attachments(&attachments);
        }
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertex_input)
            .input_assembly_state(&input_assembly)
            .viewport_state(&viewport_state)
            .rasterization_state(&rasterization)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&color_blend)
            .layout(self.layout)
            .render_pass(self.render_pass);
        self.pipelines.push(first_pipeline(&self.device, &info)?);
        Ok(())
    }

    fn create_framebuffer(
        &mut self,
        image: &Image,
        shape: &Shape,
        layer: u32,
    ) -> Result<(), Error> {
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(all_aspects(&shape.format))
            .level_count(1)
            .base_array_layer(layer)
            .layer_count(1);
        let view = image.create_view(&ViewDesc {
            view_type: vk::ImageViewType::TYPE_2D,
            format: shape.format.vk,
            components: vk::ComponentMapping::default(),
            range,
        })?;
        self.views.push(view);
        let views = [view];
        let extent = area(shape).extent;
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(self.render_pass)
            .attachments(&views)
            .width(extent.width)
            .height(extent.height)
            .layers(1);
        // SAFETY: the view matches the attachment of the render pass.
        let framebuffer = unsafe { self.device.raw.create_framebuffer(&info, None) };
        self.framebuffers
            .push(framebuffer.call("vkCreateFramebuffer")?);
        Ok(())
    }

    fn run(
        &self,
        image: &Image,
        shape: &Shape,
        set: vk::DescriptorSet,
        layout: vk::ImageLayout,
    ) -> Result<(), Error> {
        let during = attachment_layout(shape);
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        self.device.run(|raw, commands| {
            image.change_layout(raw, commands, vk::ImageLayout::UNDEFINED, during);
            for (framebuffer, layer) in self.framebuffers.iter().zip(0..) {
                let begin = vk::RenderPassBeginInfo::default()
                    .render_pass(self.render_pass)
                    .framebuffer(*framebuffer)
                    .render_area(area(shape));
                // SAFETY: the command buffer is being recorded; the image is in the layout that the
                // pass expects, and all bound objects were created for the layout and the pass.
                unsafe {
                    raw.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
                    raw.cmd_bind_descriptor_sets(commands, graphics, self.layout, 0, &[set], &[]);
                    for (pipeline, sample) in self.pipelines.iter().zip(0..) {
                        let source: u32 = layer * shape.samples + sample;
                        raw.cmd_bind_pipeline(commands, graphics, *pipeline);
                        raw.cmd_draw(commands, 3, 1, 3 * source, 0);
                    }
                    raw.cmd_end_render_pass(commands);
                }
            }
            image.change_layout(raw, commands, during, layout);
        })
    }
}

impl Drop for Filler {
    fn drop(&mut self) {
        if self.device.is_lost() {
            return;
        }
        let raw = &self.device.raw;
        // SAFETY: all were created from this device or are null, and the device is idle. The pool
        // frees its set.
        unsafe {
            for framebuffer in &self.framebuffers {
                raw.destroy_framebuffer(*framebuffer, None);
            }
            for view in &self.views {
                raw.destroy_image_view(*view, None);
            }
            for pipeline in &self.pipelines {
                raw.destroy_pipeline(*pipeline, None);
            }
            for module in &self.modules {
                raw.destroy_shader_module(*module, None);
            }
            raw.destroy_descriptor_pool(self.pool, None);
            raw.destroy_sampler(self.sampler, None);
            raw.destroy_pipeline_layout(self.layout, None);
            raw.destroy_descriptor_set_layout(self.set_layout, None);
            raw.destroy_render_pass(self.render_pass, None);
        }
    }
}

fn first_pipeline(
    device: &Device,
    info: &vk::GraphicsPipelineCreateInfo<'_>,
) -> Result<vk::Pipeline, Error> {
    // SAFETY: all pointers are to locals of the caller; modules, layout and render pass are from
    // this device.
    let made = unsafe {
        device
            .raw
            .create_graphics_pipelines(device.pipeline_cache, &[*info], None)
    };
    // If the only pipeline fails its handle is null, so there is nothing to destroy.
    made.map(|pipelines| pipelines[0])
        .map_err(|(_, result)| Error::Vulkan {
            call: "vkCreateGraphicsPipelines",
            result,
        })
}

fn area(shape: &Shape) -> vk::Rect2D {
    let [width, height, _] = shape.extent;
    vk::Rect2D {
        offset: vk::Offset2D::default(),
        extent: vk::Extent2D { width, height },
    }
}
