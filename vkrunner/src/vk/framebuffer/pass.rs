//! Render passes of framebuffers.

use super::attachments::{DEPTH_LAYOUT, Reading};
use crate::error::{CallContext, Error};
use crate::vk::device::Device;
use ash::vk;
use glasm_scripts::script::Attachments;

/// Draws may read results of previous draws in the pass.
const READ_BY_DRAWS: vk::SubpassDependency = vk::SubpassDependency {
    src_subpass: 0,
    dst_subpass: 0,
    src_stage_mask: vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT,
    dst_stage_mask: vk::PipelineStageFlags::FRAGMENT_SHADER,
    src_access_mask: vk::AccessFlags::COLOR_ATTACHMENT_WRITE,
    dst_access_mask: vk::AccessFlags::INPUT_ATTACHMENT_READ,
    dependency_flags: vk::DependencyFlags::BY_REGION,
};

/// Returns an attachment whose contents are preserved.
fn kept(format: vk::Format, layout: vk::ImageLayout) -> vk::AttachmentDescription {
    vk::AttachmentDescription::default()
        .format(format)
        .load_op(vk::AttachmentLoadOp::LOAD)
        .store_op(vk::AttachmentStoreOp::STORE)
        .stencil_load_op(vk::AttachmentLoadOp::LOAD)
        .stencil_store_op(vk::AttachmentStoreOp::STORE)
        .initial_layout(layout)
        .final_layout(layout)
}

/// Creates a pass that preserves the contents of the attachments.
pub(super) fn create(
    device: &Device,
    wanted: &Attachments,
    reading: Reading,
) -> Result<vk::RenderPass, Error> {
    let color_layout = reading.color_layout();
    let samples = vk::SampleCountFlags::from_raw(wanted.samples);
    let attachment = |format, layout| kept(format, layout).samples(samples);
    let mut attachments = Vec::new();
    let mut references = Vec::new();
    for format in &wanted.colors {
        let number = match format {
            Some(format) => {
                attachments.push(attachment(format.vk, color_layout));
                attachments.len() as u32 - 1
            }
            None => vk::ATTACHMENT_UNUSED,
        };
        references.push(vk::AttachmentReference {
            attachment: number,
            layout: color_layout,
        });
    }
    attachments.extend(
        wanted
            .depth
            .map(|format| attachment(format.vk, DEPTH_LAYOUT)),
    );
    let depth_reference = vk::AttachmentReference {
        attachment: attachments.len() as u32 - u32::from(wanted.depth.is_some()),
        layout: DEPTH_LAYOUT,
    };
    let mut subpass = vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&references);
    if wanted.depth.is_some() {
        subpass = subpass.depth_stencil_attachment(&depth_reference);
    }
    if reading == Reading::ByPrograms {
        subpass = subpass.input_attachments(&references);
    }
    let subpasses = [subpass];
    let dependencies = [READ_BY_DRAWS];
    let mut info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses);
    if reading == Reading::ByPrograms {
        info = info.dependencies(&dependencies);
    }
    // SAFETY: the references are to attachments of the pass.
    unsafe { device.raw.create_render_pass(&info, None) }.call("vkCreateRenderPass")
}
