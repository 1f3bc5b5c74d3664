//! Filling of multisample images: every sample of every layer is drawn with a pipeline whose mask
//! selects only that sample.
//!
//! The source of the texels is an array texture with a layer for each layer and sample. It needs no
//! feature, unlike storage images with samples or shaders that run per sample. The runner's own
//! shaders copy a layer, texel by pixel, to a color or depth attachment: vertices 3 n to 3 n + 2 of
//! a draw copy layer n.

use super::device::Device;
use super::image::{Image, ImageDesc, ViewDesc};
use super::image_copy::{all_aspects, texel_aspect, upload_planes};
use super::sampler::nearest_sampler;
use crate::builtin_shaders::{compile_shader, texel_words};
use crate::error::{CallContext, Error};
use crate::requirements::Capabilities;
use ash::vk;
use glasm::ir::TexTarget;
use glasm_scripts::format::{Aspect, Format};
use glasm_scripts::texture::{PlaneId, TextureShape};
use std::rc::Rc;

/// Fills all samples of all layers of an image with the texels that `plane` returns, by draws, and
/// waits for the device. Previous contents are discarded; the image ends in `layout`.
pub(super) fn fill_samples(
    device: &Rc<Device>,
    image: &Image,
    shape: &TextureShape,
    plane: impl Fn(PlaneId) -> Vec<u8>,
    layout: vk::ImageLayout,
) -> Result<(), Error> {
    let source = create_source(device, shape, plane)?;
    let mut filler = SampleFiller {
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
    filler.draw_samples(image, shape, set, layout)
}

/// Creates an array texture with a layer for each layer and sample of a multisample image (`layer *
/// samples + sample`), and uploads the texels that `plane` returns.
fn create_source(
    device: &Rc<Device>,
    shape: &TextureShape,
    plane: impl Fn(PlaneId) -> Vec<u8>,
) -> Result<Image, Error> {
    let samples = shape.samples;
    let layers = TextureShape {
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
        ..ImageDesc::single_plane(shape.format.vk, width, height, usage)
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
    upload_planes(device, &image, &layers, &planes, of_sample, layouts)?;
    Ok(image)
}

/// Objects of the draws; all of them are destroyed after the draws.
struct SampleFiller {
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

/// Returns the layout of the image during the draws, as color or depth attachment.
fn attachment_layout(shape: &TextureShape) -> vk::ImageLayout {
    match shape.format.aspect {
        Aspect::Color => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
        Aspect::Depth => vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
    }
}

impl SampleFiller {
    /// Creates the render pass of one attachment that preserves the samples which a draw does not
    /// write.
    fn create_render_pass(&mut self, shape: &TextureShape) -> Result<(), Error> {
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

    /// Creates the sampler, the layouts of the descriptor set and the pipeline, and the pool.
    /// Returns a descriptor set that refers to the source, which must outlive it.
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

    /// Compiles and creates the vertex and fragment modules that copy texels to the attachment, for
    /// the format of the texture.
    fn create_modules(&mut self, shape: &TextureShape) -> Result<(), Error> {
        for words in [
            vertex_module(&self.device.capabilities)?,
            fragment_module(&shape.format, &self.device.capabilities)?,
        ] {
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            // SAFETY: the words are a valid module.
            let module = unsafe { self.device.raw.create_shader_module(&info, None) };
            self.modules.push(module.call("vkCreateShaderModule")?);
        }
        Ok(())
    }

    /// Creates the pipeline that draws only one sample of the pixels of a texture, and appends it.
    /// Needs the modules, layout and render pass.
    fn create_pipeline(&mut self, shape: &TextureShape, sample: u32) -> Result<(), Error> {
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
        let area = full_area(shape);
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

    /// Creates a view of one layer of the image and a framebuffer that draws to it, and appends
    /// both.
    fn create_framebuffer(
        &mut self,
        image: &Image,
        shape: &TextureShape,
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
        let extent = full_area(shape).extent;
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

    /// Draws every sample of every layer of an image from the array texture in the descriptor set,
    /// leaves the image in the given layout, and waits for the device.
    fn draw_samples(
        &self,
        image: &Image,
        shape: &TextureShape,
        set: vk::DescriptorSet,
        layout: vk::ImageLayout,
    ) -> Result<(), Error> {
        let during = attachment_layout(shape);
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        self.device.submit_and_wait(|raw, commands| {
            image.change_layout(raw, commands, vk::ImageLayout::UNDEFINED, during);
            for (framebuffer, layer) in self.framebuffers.iter().zip(0..) {
                let begin = vk::RenderPassBeginInfo::default()
                    .render_pass(self.render_pass)
                    .framebuffer(*framebuffer)
                    .render_area(full_area(shape));
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

impl Drop for SampleFiller {
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

/// Creates a graphics pipeline through the pipeline cache of the device; the caller destroys it.
fn first_pipeline(
    device: &Device,
    info: &vk::GraphicsPipelineCreateInfo<'_>,
) -> Result<vk::Pipeline, Error> {
    // SAFETY: all pointers are to locals of the caller; modules, layout and render pass are from
    // this device.
    let pipelines = unsafe {
        device
            .raw
            .create_graphics_pipelines(device.pipeline_cache, &[*info], None)
    };
    // If the only pipeline fails its handle is null, so there is nothing to destroy.
    pipelines
        .map(|pipelines| pipelines[0])
        .map_err(|(_, result)| Error::Vulkan {
            call: "vkCreateGraphicsPipelines",
            result,
        })
}

/// Returns the rectangle that covers level 0 of a texture, in pixels.
fn full_area(shape: &TextureShape) -> vk::Rect2D {
    let [width, height, _] = shape.extent;
    vk::Rect2D {
        offset: vk::Offset2D::default(),
        extent: vk::Extent2D { width, height },
    }
}

/// Three vertices span a triangle around the whole viewport, with corners at -1 and 3. The layer is
/// passed to the fragments.
const VERTEX: &str = "program vertex
r0: temp32
r1: output32 out0
r2: output32 out1
in0: vertex_id unsigned
out0: position float
out1: generic[0] float
routine fn0 {
  r2.x = div.u32 in0.xxxx, {3}
  r0.x = mod.u32 in0.xxxx, {3}
  r0.x = cvt.f32 (u32 even) r0.xxxx
  r0.xy = seteq.f32 r0.xxxx, {1.0, 2.0, 0.0, 0.0}
  r1.xy = mad.f32 r0.xyxx, {4.0}, {-1.0}
  r1.zw = mov.f32 {0.0, 0.0, 0.0, 1.0}
}
main fn0
";

/// Returns the words of the vertex shader.
fn vertex_module(capabilities: &Capabilities) -> Result<Vec<u32>, Error> {
    compile_shader(VERTEX, capabilities).map(|shader| shader.words)
}

/// Compiles the fragment shader and returns its words: the texel at the pixel's position in the
/// layer, of the texture at set 0, binding 0, becomes the color or depth.
fn fragment_module(format: &Format, capabilities: &Capabilities) -> Result<Vec<u32>, Error> {
    let (texel, base) = texel_words(format.encoding.base());
    let (output, lane, value) = match format.aspect {
        Aspect::Color => (format!("frag_color[0][0] {base}"), "xyzw", "r0.xyzw"),
        Aspect::Depth => ("frag_depth float".to_owned(), "z", "r0.xxxx"),
    };
    let text = format!(
        "program fragment
r0: temp32
r1: output32 out0
in0: position float
in1: generic[0] float flat
out0: {output}
tex0: unit 0 2darray {texel}
routine fn0 {{
  r0.xy = cvt.s32 (f32 trunc) in0.xyzw
  r0.z = mov.u32 in1.xxxx
  r0.xyzw = tex.{texel} (tex0 fetch) r0.xyzw, {{0}}
  r1.{lane} = mov.{texel} {value}
}}
main fn0
"
    );
    compile_shader(&text, capabilities).map(|shader| shader.words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::assert_valid;

    #[test]
    fn modules_are_valid() {
        let capabilities = Capabilities {
            version: [1, 1, 0],
            ..Capabilities::default()
        };
        assert_valid(&vertex_module(&capabilities).unwrap());
        for name in ["R8_UNORM", "R8_UINT", "R8_SINT", "D16_UNORM"] {
            let format = Format::parse_color_or_depth(name).unwrap();
            assert_valid(&fragment_module(&format, &capabilities).unwrap());
        }
    }
}
