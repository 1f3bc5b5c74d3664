//! Texels of images: their Vulkan formats and aspects, and copies between planes and buffers.

use super::buffer::Buffer;
use super::device::Device;
use super::image::{Image, ViewDesc};
use super::usage::BufferUse;
use crate::error::Error;
use ash::vk;
use glasm::TexelFormat;
use glasm::ir::TexTarget;
use glasm_scripts::format::{Aspect, DepthFormat, Format};
use glasm_scripts::texture::{PlaneId, TextureShape};
use std::rc::Rc;

/// Returns the integer format for texels of this number of bits whose format is ignored; `None` if
/// there is none of this size.
pub(crate) fn raw_format(bits: u8) -> Option<Format> {
    Format::parse(TexelFormat::from_raw_bits(bits)?.vulkan_name())
}

/// Returns the view type that shows a whole texture of this target. Buffer textures, which have no
/// image, are treated as two-dimensional.
pub(super) fn view_type(target: TexTarget) -> vk::ImageViewType {
    match target {
        TexTarget::D1 => vk::ImageViewType::TYPE_1D,
        TexTarget::D1Array => vk::ImageViewType::TYPE_1D_ARRAY,
        TexTarget::D3 => vk::ImageViewType::TYPE_3D,
        TexTarget::Cube => vk::ImageViewType::CUBE,
        TexTarget::CubeArray => vk::ImageViewType::CUBE_ARRAY,
        TexTarget::D2Array | TexTarget::D2MultisampleArray => vk::ImageViewType::TYPE_2D_ARRAY,
        TexTarget::D2 | TexTarget::Rect | TexTarget::D2Multisample | TexTarget::Buffer => {
            vk::ImageViewType::TYPE_2D
        }
    }
}

/// Returns all aspects of images of a format: color, depth, or depth and stencil.
pub(super) fn all_aspects(format: &Format) -> vk::ImageAspectFlags {
    let Some(depth) = DepthFormat::parse(&format!("{:?}", format.vk)) else {
        return vk::ImageAspectFlags::COLOR;
    };
    if depth.has_stencil {
        vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL
    } else {
        vk::ImageAspectFlags::DEPTH
    }
}

/// Returns the aspect that scripts access of texels of a format: color or depth.
pub(super) fn texel_aspect(format: &Format) -> vk::ImageAspectFlags {
    match format.aspect {
        Aspect::Color => vk::ImageAspectFlags::COLOR,
        Aspect::Depth => vk::ImageAspectFlags::DEPTH,
    }
}

/// Returns a copy between a plane (slice or layer of a level) and a buffer, at an offset in bytes,
/// with tightly packed texels.
pub(super) fn plane_copy(shape: &TextureShape, id: PlaneId, offset: u64) -> vk::BufferImageCopy {
    let [width, height, _] = shape.level_extent(id.level);
    let (layer, z) = if shape.target == TexTarget::D3 {
        (0, id.slice as i32)
    } else {
        (id.slice, 0)
    };
    let layers = vk::ImageSubresourceLayers::default()
        .aspect_mask(texel_aspect(&shape.format))
        .mip_level(id.level)
        .base_array_layer(layer)
        .layer_count(1);
    vk::BufferImageCopy::default()
        .buffer_offset(offset)
        .image_subresource(layers)
        .image_offset(vk::Offset3D { x: 0, y: 0, z })
        .image_extent(vk::Extent3D {
            width,
            height,
            depth: 1,
        })
}

/// Copies planes, whose bytes `plane` returns, to an image with one sample, transitions it from
/// layout `old` to `new`, and waits for the device. Other planes remain unchanged, unless `old` is
/// `UNDEFINED`.
pub(super) fn upload_planes(
    device: &Rc<Device>,
    image: &Image,
    shape: &TextureShape,
    planes: &[PlaneId],
    plane: impl Fn(PlaneId) -> Vec<u8>,
    [old, new]: [vk::ImageLayout; 2],
) -> Result<(), Error> {
    // Copies start at multiples of 4 bytes and of a texel.
    let alignment = 4 * shape.format.texel_size();
    let mut texels = Vec::new();
    let mut copies = Vec::new();
    for id in planes {
        texels.resize(texels.len().next_multiple_of(alignment), 0);
        copies.push(plane_copy(shape, *id, texels.len() as u64));
        texels.extend(plane(*id));
    }
    let staging = Buffer::with_contents(device, BufferUse::Upload, &texels)?;
    let transfer = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
    device.submit_and_wait(|raw, commands| {
        image.change_layout(raw, commands, old, transfer);
        // SAFETY: the buffer holds the texels of all planes.
        unsafe {
            raw.cmd_copy_buffer_to_image(commands, staging.raw, image.raw, transfer, &copies)
        };
        image.change_layout(raw, commands, transfer, new);
    })
}

/// Returns the range of a view: the aspect of the texels, some levels, all layers.
pub(super) fn view_range(
    shape: &TextureShape,
    levels: std::ops::Range<u32>,
) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(texel_aspect(&shape.format))
        .base_mip_level(levels.start)
        .level_count(levels.end - levels.start)
        .layer_count(shape.layers)
}

/// Returns the description of a view of some levels and all layers of a texture, in a format and
/// with a swizzle.
pub(super) fn level_view(
    shape: &TextureShape,
    format: vk::Format,
    components: vk::ComponentMapping,
    levels: std::ops::Range<u32>,
) -> ViewDesc {
    ViewDesc {
        view_type: view_type(shape.target),
        format,
        components,
        range: view_range(shape, levels),
    }
}
