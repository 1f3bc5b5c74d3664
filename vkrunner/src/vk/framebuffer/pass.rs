//! Render passes of framebuffers.

use super::{COLOR_LAYOUT, DEPTH_LAYOUT};
use crate::error::{CallContext, Error};
use crate::vk::Device;
use ash::vk;
use glasm_scripts::script::Attachments;

/// A pass that keeps what the attachments hold.
pub(super) fn create(device: &Device, wanted: &Attachments) -> Result<vk::RenderPass, Error> {
    let attachment = |format, layout| {
        vk::AttachmentDescription::default()
            .format(format)
            .samples(vk::SampleCountFlags::from_raw(wanted.samples))
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)
            .stencil_load_op(vk::AttachmentLoadOp::LOAD)
            .stencil_store_op(vk::AttachmentStoreOp::STORE)
            .initial_layout(layout)
            .final_layout(layout)
    };
    let mut attachments = Vec::new();
    let mut references = Vec::new();
    for format in &wanted.colors {
        let number = match format {
            Some(format) => {
                attachments.push(attachment(format.vk, COLOR_LAYOUT));
                attachments.len() as u32 - 1
            }
            None => vk::ATTACHMENT_UNUSED,
        };
        references.push(vk::AttachmentReference {
            attachment: number,
            layout: COLOR_LAYOUT,
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
    let subpasses = [subpass];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses);
    // SAFETY: the references are to attachments of the pass.
    unsafe { device.raw.create_render_pass(&info, None) }.call("vkCreateRenderPass")
}
