//! Texels of multisample storage images, as bits: no other form suits all formats, and none needs
//! attachments with samples.

use super::device::Device;
use super::image::Image;
use super::sample_copy::{SampleCopier, SampleImage};
use super::texels::raw_format;
use crate::error::Error;
use crate::sample_copy::{SampleCopying, TEXEL_SIZE};
use ash::vk;
use glasm_scripts::format::Encoding;
use glasm_scripts::texture::{PlaneId, Shape};
use std::rc::Rc;

/// Layout between commands.
const LAYOUT: vk::ImageLayout = vk::ImageLayout::GENERAL;

fn as_bits<'a>(image: &'a Image, shape: &Shape) -> SampleImage<'a> {
    let format = raw_format(texel_bits(shape));
    SampleImage {
        image,
        format: format.map_or(shape.format.vk, |format| format.vk),
        aspect: vk::ImageAspectFlags::COLOR,
        layout: LAYOUT,
    }
}

fn texel_bits(shape: &Shape) -> u8 {
    8 * shape.format.size() as u8
}

fn size(shape: &Shape) -> [u32; 2] {
    let [width, height, _] = shape.extent;
    [width, height]
}

/// Transitions a new image to the layout that it has between commands.
pub(super) fn prepare(device: &Device, image: &Image) -> Result<(), Error> {
    device.run(|raw, commands| {
        image.change_layout(raw, commands, vk::ImageLayout::UNDEFINED, LAYOUT);
    })
}

/// Writes planes.
pub(super) fn write(
    device: &Rc<Device>,
    image: &Image,
    shape: &Shape,
    planes: &[PlaneId],
    plane: impl Fn(PlaneId) -> Vec<u8>,
) -> Result<(), Error> {
    let copying = SampleCopying::Write(texel_bits(shape));
    let mut copier = SampleCopier::new(device, copying, size(shape))?;
    let bytes = shape.format.size();
    for id in planes {
        let mut texels = Vec::new();
        for texel in plane(*id).chunks_exact(bytes) {
            texels.extend_from_slice(texel);
            texels.resize(texels.len() + TEXEL_SIZE as usize - bytes, 0);
        }
        copier.write(&as_bits(image, shape), [id.slice, id.sample], &texels)?;
    }
    Ok(())
}

/// Reads a plane.
pub(super) fn read(
    device: &Rc<Device>,
    image: &Image,
    shape: &Shape,
    id: PlaneId,
) -> Result<Vec<u8>, Error> {
    let copying = SampleCopying::Read(Encoding::Uint);
    let mut copier = SampleCopier::new(device, copying, size(shape))?;
    let texels = copier.read(&as_bits(image, shape), [id.slice, id.sample])?;
    let bytes = shape.format.size();
    // Small texels are the low bytes of the first word.
    let texels = texels.chunks_exact(TEXEL_SIZE as usize);
    Ok(texels.flat_map(|texel| &texel[..bytes]).copied().collect())
}
