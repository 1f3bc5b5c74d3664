//! Fixed-function state of graphics pipelines, from the state of scripts.

use super::device::Device;
use super::framebuffer::Framebuffer;
use ash::vk;
use glasm_scripts::script::pipeline_state::{BlendState, PipelineState, StencilFace};
use glasm_scripts::script::stages::ProvokingVertex;

/// Structures of a pipeline that others point to.
pub(super) struct FixedFunction {
    viewports: Vec<vk::Viewport>,
    scissors: Vec<vk::Rect2D>,
    sample_mask: [u32; 2],
    blend_attachments: Vec<vk::PipelineColorBlendAttachmentState>,
}

impl FixedFunction {
    /// Creates the viewports, scissor rectangles, sample mask and blending of a pipeline; `written`
    /// has bit N set if the fragment program writes color attachment N.
    pub(super) fn new(
        device: &Device,
        state: &PipelineState,
        framebuffer: &Framebuffer,
        written: u32,
    ) -> Self {
        let rectangles = &state.viewports[..state.viewport_count()];
        let viewports = rectangles.iter();
        Self {
            viewports: viewports
                .map(|rectangle| choose_viewport(*rectangle, state, framebuffer))
                .collect(),
            scissors: vec![choose_scissor(state, framebuffer); rectangles.len()],
            sample_mask: [state.sample_mask as u32, (state.sample_mask >> 32) as u32],
            blend_attachments: blend_attachments(device, state, framebuffer, written),
        }
    }

    /// Returns the viewports and scissor rectangles in Vulkan's form, which borrows them.
    pub(super) fn viewport_state(&self) -> vk::PipelineViewportStateCreateInfo<'_> {
        vk::PipelineViewportStateCreateInfo::default()
            .viewports(&self.viewports)
            .scissors(&self.scissors)
    }

    /// Returns the multisampling state in Vulkan's form: samples of the framebuffer, sample
    /// shading, sample mask and alpha coverage.
    pub(super) fn multisample_state(
        &self,
        state: &PipelineState,
        framebuffer: &Framebuffer,
    ) -> vk::PipelineMultisampleStateCreateInfo<'_> {
        vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(framebuffer.samples())
            .sample_shading_enable(state.sample_shading)
            .min_sample_shading(state.min_sample_shading)
            .sample_mask(&self.sample_mask)
            .alpha_to_coverage_enable(state.alpha_to_coverage)
            .alpha_to_one_enable(state.alpha_to_one)
    }

    /// Returns the blending of all attachments, the logical operation and the blend constants in
    /// Vulkan's form.
    pub(super) fn color_blend_state(
        &self,
        state: &PipelineState,
    ) -> vk::PipelineColorBlendStateCreateInfo<'_> {
        vk::PipelineColorBlendStateCreateInfo::default()
            .logic_op_enable(state.logic_op_enable)
            .logic_op(state.logic_op)
            .attachments(&self.blend_attachments)
            .blend_constants(state.blend_constants)
    }
}

/// Returns the viewport of a draw, in pixels: the rectangle of the script, or the whole framebuffer
/// if it has none, with the depth range of the state.
fn choose_viewport(
    rectangle: Option<[f32; 4]>,
    state: &PipelineState,
    framebuffer: &Framebuffer,
) -> vk::Viewport {
    let extent = framebuffer.full_area().extent;
    let full_viewport = [0.0, 0.0, extent.width as f32, extent.height as f32];
    let [x, y, width, height] = rectangle.unwrap_or(full_viewport);
    let [min_depth, max_depth] = state.depth_range;
    vk::Viewport {
        x,
        y,
        width,
        height,
        min_depth,
        max_depth,
    }
}

/// Returns the scissor rectangle of a draw: the one of the script, or the whole framebuffer.
fn choose_scissor(state: &PipelineState, framebuffer: &Framebuffer) -> vk::Rect2D {
    let Some([x, y, width, height]) = state.scissor else {
        return framebuffer.full_area();
    };
    vk::Rect2D {
        offset: vk::Offset2D {
            x: x as i32,
            y: y as i32,
        },
        extent: vk::Extent2D { width, height },
    }
}

/// Structures that extensions add to the state of rasterization.
pub(super) struct RasterizationExtensions {
    provoking: Option<vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT<'static>>,
    conservative: Option<vk::PipelineRasterizationConservativeStateCreateInfoEXT<'static>>,
}

impl RasterizationExtensions {
    /// Creates the structures for the last provoking vertex and for conservative rasterization that
    /// the state needs. Omits the former on devices without the feature, whose scripts read no flat
    /// inputs.
    pub(super) fn new(device: &Device, state: &PipelineState) -> Self {
        // Without the feature no program reads values of one vertex only: scripts that do were
        // skipped.
        let is_last = state.provoking_vertex == ProvokingVertex::Last
            && device.capabilities.features.contains("provokingVertexLast");
        let mode = state.conservative_rasterization;
        let is_conservative = mode != vk::ConservativeRasterizationModeEXT::DISABLED;
        Self {
            provoking: is_last.then(|| {
                vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default()
                    .provoking_vertex_mode(vk::ProvokingVertexModeEXT::LAST_VERTEX)
            }),
            conservative: is_conservative.then(|| {
                vk::PipelineRasterizationConservativeStateCreateInfoEXT::default()
                    .conservative_rasterization_mode(mode)
            }),
        }
    }

    /// Returns the rasterization state in Vulkan's form, with the structures of extensions that it
    /// needs.
    pub(super) fn state(
        &mut self,
        state: &PipelineState,
    ) -> vk::PipelineRasterizationStateCreateInfo<'_> {
        let mut info = rasterization_state(state);
        if let Some(provoking) = &mut self.provoking {
            info = info.push_next(provoking);
        }
        if let Some(conservative) = &mut self.conservative {
            info = info.push_next(conservative);
        }
        info
    }
}

/// Returns the rasterization state in Vulkan's form, without the structures of extensions.
fn rasterization_state(state: &PipelineState) -> vk::PipelineRasterizationStateCreateInfo<'static> {
    vk::PipelineRasterizationStateCreateInfo::default()
        .depth_clamp_enable(state.depth_clamp)
        .rasterizer_discard_enable(state.rasterizer_discard)
        .polygon_mode(state.polygon_mode)
        .cull_mode(state.cull_mode)
        .front_face(state.front_face)
        .depth_bias_enable(state.depth_bias)
        .depth_bias_constant_factor(state.depth_bias_constant_factor)
        .depth_bias_clamp(state.depth_bias_clamp)
        .depth_bias_slope_factor(state.depth_bias_slope_factor)
        .line_width(state.line_width)
}

/// Returns the depth and stencil state in Vulkan's form. Tests of buffers that the framebuffer
/// lacks are disabled, as in GL.
pub(super) fn depth_stencil_state(
    state: &PipelineState,
    framebuffer: &Framebuffer,
) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    let format = framebuffer.depth_format();
    let has_depth = format.is_some_and(|format| format.has_depth);
    let has_stencil = format.is_some_and(|format| format.has_stencil);
    vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(state.depth_test && has_depth)
        .depth_write_enable(state.depth_write && has_depth)
        .depth_compare_op(state.depth_compare_op)
        .depth_bounds_test_enable(state.depth_bounds_test && has_depth)
        .min_depth_bounds(state.min_depth_bounds)
        .max_depth_bounds(state.max_depth_bounds)
        .stencil_test_enable(state.stencil_test && has_stencil)
        .front(stencil_state(&state.front))
        .back(stencil_state(&state.back))
}

/// Returns the stencil state of one face in Vulkan's form.
fn stencil_state(face: &StencilFace) -> vk::StencilOpState {
    vk::StencilOpState {
        fail_op: face.fail_op,
        pass_op: face.pass_op,
        depth_fail_op: face.depth_fail_op,
        compare_op: face.compare_op,
        compare_mask: face.compare_mask,
        write_mask: face.write_mask,
        reference: face.reference,
    }
}

/// Returns the blend states of all color attachments, including numbers without attachment.
/// Attachments that the program does not write, which would become undefined, are masked if it
/// writes none, or if the device supports separate state per attachment.
fn blend_attachments(
    device: &Device,
    state: &PipelineState,
    framebuffer: &Framebuffer,
    written: u32,
) -> Vec<vk::PipelineColorBlendAttachmentState> {
    let independent = written == 0 || device.capabilities.features.contains("independentBlend");
    let attachments = state.attachments.iter().zip(0..);
    attachments
        .take(framebuffer.color_count())
        .map(|(attachment, number)| {
            let blend = blend_attachment(attachment);
            if independent && written >> number & 1 == 0 {
                blend.color_write_mask(vk::ColorComponentFlags::empty())
            } else {
                blend
            }
        })
        .collect()
}

/// Returns the blending and color mask of one attachment in Vulkan's form.
fn blend_attachment(state: &BlendState) -> vk::PipelineColorBlendAttachmentState {
    vk::PipelineColorBlendAttachmentState::default()
        .blend_enable(state.blend)
        .src_color_blend_factor(state.src_color_factor)
        .dst_color_blend_factor(state.dst_color_factor)
        .color_blend_op(state.color_op)
        .src_alpha_blend_factor(state.src_alpha_factor)
        .dst_alpha_blend_factor(state.dst_alpha_factor)
        .alpha_blend_op(state.alpha_op)
        .color_write_mask(state.color_write_mask)
}
