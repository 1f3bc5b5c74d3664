//! Textures and storage images on the device: an image or a buffer of texels, filled and read plane
//! by plane.

use super::buffer::Buffer;
use super::device::Device;
use super::image::{Image, ImageDesc, ViewDesc};
use super::image_copy::{all_aspects, plane_copy, upload_planes, view_range, view_type};
use super::usage::{BufferUse, MULTISAMPLE_STORAGE};
use super::{multisample, sample_copy};
use crate::error::{CallContext, Error};
use ash::vk;
use glasm::ir::TexTarget;
use glasm_scripts::format::{Aspect, Format};
use glasm_scripts::image::Image as Picture;
use glasm_scripts::texture::{ImagePart, PlaneId, StorageView, TextureShape};
use std::rc::Rc;

/// Access of programs to a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextureUse {
    /// Through samplers, or as a buffer texture.
    Sampled,
    /// Storage image or storage texel buffer.
    Storage,
}

/// Memory that holds the texels.
enum TexelMemory {
    Image(Image),
    /// Buffer texture.
    Texels(Buffer, vk::BufferView),
}

/// Texture or storage image.
pub(crate) struct Texture {
    shape: TextureShape,
    usage: TextureUse,
    memory: TexelMemory,
    /// Views of a storage image that differ from the whole image in its format.
    views: Vec<(StorageView, View)>,
    device: Rc<Device>,
}

/// View of a storage image.
#[derive(Clone, Copy)]
enum View {
    Image(vk::ImageView),
    Texels(vk::BufferView),
}

impl Texture {
    /// Creates a texture whose contents are undefined, those of buffer textures zero. The caller
    /// has checked that the device supports such textures, and fills them before their use.
    pub(crate) fn new(
        device: &Rc<Device>,
        shape: &TextureShape,
        usage: TextureUse,
    ) -> Result<Self, Error> {
        let memory = if shape.target == TexTarget::Buffer {
            create_texels(device, shape, usage)?
        } else {
            let mut desc = image_desc(shape, usage);
            if usage == TextureUse::Storage && device.has_flat_views_of_3d() {
                desc.flags |= slice_view_flags(shape);
            }
            TexelMemory::Image(Image::new(device, &desc)?)
        };
        Ok(Self {
            shape: shape.clone(),
            usage,
            memory,
            views: Vec::new(),
            device: Rc::clone(device),
        })
    }

    /// Creates a view of a storage image, unless it exists or shows the whole image in its own
    /// format. The caller has checked that the image has the part, and that texels of both formats
    /// have the same size.
    pub(crate) fn add_view(&mut self, view: &StorageView) -> Result<(), Error> {
        if self.find_view(view).is_some() || *view == self.whole_view() {
            return Ok(());
        }
        let view_object = match &self.memory {
            TexelMemory::Texels(buffer, _) => {
                let size = self.shape.plane_bytes(0) as u64;
                View::Texels(texel_view(&self.device, buffer, view.format, size)?)
            }
            TexelMemory::Image(image) => {
                let desc = storage_view(&self.shape, view);
                View::Image(image.create_view(&desc)?)
            }
        };
        self.views.push((*view, view_object));
        Ok(())
    }

    /// Returns the view of all parts of a storage image, in its own format.
    pub(crate) fn whole_view(&self) -> StorageView {
        StorageView {
            target: self.shape.target,
            part: ImagePart::default(),
            format: self.shape.format.vk,
        }
    }

    /// Returns a view that [`Self::add_view`] has created; `None` otherwise, also for the view of
    /// the whole image.
    fn find_view(&self, view: &StorageView) -> Option<View> {
        let mut views = self.views.iter();
        views
            .find(|(known, _)| known == view)
            .map(|(_, made)| *made)
    }

    /// Returns the layout of the image between commands.
    fn layout(&self) -> vk::ImageLayout {
        match self.usage {
            TextureUse::Sampled => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            TextureUse::Storage => vk::ImageLayout::GENERAL,
        }
    }

    /// Fills all planes of a new texture with the bytes that `plane` returns for them, and
    /// transitions images to their layout between commands. Discards previous contents.
    pub(crate) fn fill_planes(&mut self, plane: impl Fn(PlaneId) -> Vec<u8>) -> Result<(), Error> {
        let planes: Vec<PlaneId> = self.shape.planes().collect();
        let layout = self.layout();
        match &mut self.memory {
            TexelMemory::Texels(buffer, _) => {
                for id in planes {
                    let bytes = plane(id);
                    buffer.bytes_mut()[..bytes.len()].copy_from_slice(&bytes);
                }
                Ok(())
            }
            TexelMemory::Image(image)
                if self.shape.samples > 1 && self.usage == TextureUse::Storage =>
            {
                sample_copy::transition_to_general(&self.device, image)?;
                sample_copy::write(&self.device, image, &self.shape, &planes, plane)
            }
            TexelMemory::Image(image) if self.shape.samples > 1 => {
                multisample::fill_samples(&self.device, image, &self.shape, plane, layout)
            }
            TexelMemory::Image(image) => {
                let old = vk::ImageLayout::UNDEFINED;
                upload_planes(
                    &self.device,
                    image,
                    &self.shape,
                    &planes,
                    plane,
                    [old, layout],
                )
            }
        }
    }

    /// Replaces the contents of some planes with the bytes that `plane` returns. Other planes
    /// retain the results of programs, except for buffers and sampled multisample images, which are
    /// filled entirely.
    pub(crate) fn replace_planes(
        &mut self,
        planes: &[PlaneId],
        plane: impl Fn(PlaneId) -> Vec<u8>,
    ) -> Result<(), Error> {
        let layout = self.layout();
        match &self.memory {
            TexelMemory::Image(image) if self.shape.samples == 1 => {
                upload_planes(&self.device, image, &self.shape, planes, plane, [layout; 2])
            }
            TexelMemory::Image(image) if self.usage == TextureUse::Storage => {
                sample_copy::write(&self.device, image, &self.shape, planes, plane)
            }
            TexelMemory::Image(_) | TexelMemory::Texels(..) => self.fill_planes(plane),
        }
    }

    /// Reads the texels of a plane; of multisample textures only if they are storage images.
    pub(crate) fn read_plane(&self, id: PlaneId) -> Result<Picture, Error> {
        let [width, height, _] = self.shape.level_extent(id.level);
        let size = self.shape.plane_bytes(id.level);
        let data = match &self.memory {
            TexelMemory::Texels(buffer, _) => buffer.bytes()[..size].to_vec(),
            TexelMemory::Image(image) if self.shape.samples > 1 => {
                sample_copy::read(&self.device, image, &self.shape, id)?
            }
            TexelMemory::Image(image) => self.read_image(image, id, size)?,
        };
        Ok(Picture {
            width,
            height,
            format: self.shape.format.clone(),
            is_color: self.shape.format.aspect == Aspect::Color,
            data,
        })
    }

    /// Reads a plane of an image: copies it to a buffer, waits for the device, and returns `size`
    /// bytes.
    fn read_image(&self, image: &Image, id: PlaneId, size: usize) -> Result<Vec<u8>, Error> {
        let readback = Buffer::new(&self.device, BufferUse::Readback, size as u64)?;
        let copies = [plane_copy(&self.shape, id, 0)];
        let (layout, transfer) = (self.layout(), vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
        self.device.submit_and_wait(|raw, commands| {
            image.change_layout(raw, commands, layout, transfer);
            // SAFETY: the buffer is as large as the plane.
            unsafe {
                raw.cmd_copy_image_to_buffer(commands, image.raw, transfer, readback.raw, &copies);
            }
            image.change_layout(raw, commands, transfer, layout);
        })?;
        Ok(readback.bytes()[..size].to_vec())
    }

    /// Returns the buffer view through which programs access a storage texel buffer in the format
    /// of `view`, which must have been added if it differs from the own format; `None` for images.
    pub(super) fn storage_texels(&self, view: &StorageView) -> Option<vk::BufferView> {
        match self.find_view(view) {
            Some(View::Texels(view)) => Some(view),
            Some(View::Image(_)) | None => self.texel_view(),
        }
    }

    /// Returns the view of a buffer texture in its own format; `None` for images.
    pub(super) fn texel_view(&self) -> Option<vk::BufferView> {
        match &self.memory {
            TexelMemory::Texels(_, view) => Some(*view),
            TexelMemory::Image(_) => None,
        }
    }

    /// Returns the image, unless it is a buffer texture.
    pub(super) fn image(&self) -> Option<&Image> {
        match &self.memory {
            TexelMemory::Image(image) => Some(image),
            TexelMemory::Texels(..) => None,
        }
    }

    /// Returns the shape of the texture.
    pub(crate) fn shape(&self) -> &TextureShape {
        &self.shape
    }

    /// Returns the image view and layout that a descriptor of a storage image refers to; the view
    /// of the whole image if `view` has not been added.
    pub(super) fn storage_descriptor(&self, view: &StorageView) -> vk::DescriptorImageInfo {
        let own = || {
            self.image()
                .map_or(vk::ImageView::null(), |image| image.view)
        };
        vk::DescriptorImageInfo {
            sampler: vk::Sampler::null(),
            image_view: match self.find_view(view) {
                Some(View::Image(view)) => view,
                Some(View::Texels(_)) | None => own(),
            },
            image_layout: self.layout(),
        }
    }
}

impl Drop for Texture {
    fn drop(&mut self) {
        if self.device.is_lost() {
            return;
        }
        for (_, view) in &self.views {
            // SAFETY: the views were created from this device, and the device is idle.
            unsafe {
                match view {
                    View::Image(view) => self.device.raw.destroy_image_view(*view, None),
                    View::Texels(view) => self.device.raw.destroy_buffer_view(*view, None),
                }
            }
        }
        if let TexelMemory::Texels(_, view) = &self.memory {
            // SAFETY: the view was created from this device, and the device is idle.
            unsafe { self.device.raw.destroy_buffer_view(*view, None) };
        }
    }
}

/// Returns the flags of images whose slices programs may access as two-dimensional images; empty
/// for all but three-dimensional ones.
fn slice_view_flags(shape: &TextureShape) -> vk::ImageCreateFlags {
    if shape.target == TexTarget::D3 {
        vk::ImageCreateFlags::TYPE_2D_VIEW_COMPATIBLE_EXT
    } else {
        vk::ImageCreateFlags::empty()
    }
}

/// Returns the description of the image of a texture: its type, extent, levels, layers, samples,
/// and the usages that its use requires. Its format is mutable for storage images, and if views may
/// omit the sRGB curve.
fn image_desc(shape: &TextureShape, usage: TextureUse) -> ImageDesc {
    let mut flags = match (usage, shape.samples) {
        (TextureUse::Sampled, 1) => {
            vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST
        }
        (TextureUse::Sampled, _) => vk::ImageUsageFlags::SAMPLED | attachment_usage(&shape.format),
        (TextureUse::Storage, 1) => {
            vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_DST
        }
        (TextureUse::Storage, _) => MULTISAMPLE_STORAGE,
    };
    if shape.samples == 1 {
        flags |= vk::ImageUsageFlags::TRANSFER_SRC;
    }
    let [width, height, depth] = shape.extent;
    // A view may omit the sRGB curve, or show the texels of a storage image unchanged.
    let one_format = shape.format.without_srgb() == shape.format.vk;
    let create_flags = if one_format && usage == TextureUse::Sampled {
        vk::ImageCreateFlags::empty()
    } else {
        vk::ImageCreateFlags::MUTABLE_FORMAT
    };
    ImageDesc {
        flags: create_flags,
        format: shape.format.vk,
        view_type: view_type(shape.target),
        extent: vk::Extent3D {
            width,
            height,
            depth,
        },
        levels: shape.levels,
        layers: shape.layers,
        samples: vk::SampleCountFlags::from_raw(shape.samples),
        usage: flags,
        aspects: all_aspects(&shape.format),
    }
}

/// Returns the usage of an image that draws write as an attachment: color or depth.
pub(super) fn attachment_usage(format: &Format) -> vk::ImageUsageFlags {
    match format.aspect {
        Aspect::Color => vk::ImageUsageFlags::COLOR_ATTACHMENT,
        Aspect::Depth => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
    }
}

/// Creates the buffer of a buffer texture or buffer image, filled with zeros, and its view.
fn create_texels(
    device: &Rc<Device>,
    shape: &TextureShape,
    usage: TextureUse,
) -> Result<TexelMemory, Error> {
    let usage = match usage {
        TextureUse::Sampled => BufferUse::Texels,
        TextureUse::Storage => BufferUse::StorageTexels,
    };
    let size = shape.plane_bytes(0) as u64;
    let buffer = Buffer::new(device, usage, size)?;
    let view = texel_view(device, &buffer, shape.format.vk, size)?;
    Ok(TexelMemory::Texels(buffer, view))
}

/// Creates a view of the first `size` bytes of a buffer as texels of a format; the caller destroys
/// it.
fn texel_view(
    device: &Rc<Device>,
    buffer: &Buffer,
    format: vk::Format,
    size: u64,
) -> Result<vk::BufferView, Error> {
    let info = vk::BufferViewCreateInfo::default()
        .buffer(buffer.raw)
        .format(format)
        .range(size);
    // SAFETY: the buffer has the usage, and the caller has checked that the format supports it.
    unsafe { device.raw.create_buffer_view(&info, None) }.call("vkCreateBufferView")
}

/// Returns the description of the view of a part of a storage image: one level, and one slice or
/// all of them.
fn storage_view(shape: &TextureShape, view: &StorageView) -> ViewDesc {
    let level = view.part.level;
    let all = view_range(shape, level..level + 1);
    ViewDesc {
        view_type: view_type(view.target),
        format: view.format,
        components: vk::ComponentMapping::default(),
        range: match view.part.slice {
            Some(slice) => all.base_array_layer(slice).layer_count(1),
            None => all,
        },
    }
}
