//! Image units: programs access an image in its own format and as raw texels, which need separate
//! units of the driver.

use crate::context::{Groups, State};
use crate::ffi::query::{self, ImageUnit};
use glasm::reflect::{ImageBinding, ImageFormat};

/// View of an image that a pipeline has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// Application's image unit.
    unit: u32,
    /// Image unit of the driver.
    place: u32,
    /// Format, if it differs from that of the application.
    format: Option<u32>,
}

/// Returns the views of an image that the reflection of a module names.
pub(crate) fn views(image: &ImageBinding) -> impl Iterator<Item = View> + use<> {
    let format = match image.format {
        // Queries read no texels: any format does that fits the texture.
        ImageFormat::Own(_) | ImageFormat::Any => None,
        ImageFormat::Raw(bits) => Some(raw_format(bits)),
    };
    let (unit, place) = (image.unit, image.slot.binding);
    (0..image.count).map(move |n| View {
        unit: unit + n,
        place: place + n,
        format,
    })
}

/// Returns the format of raw texels: `GL_R32UI` and others.
fn raw_format(bits: u8) -> u32 {
    match bits {
        8 => 0x8232,
        16 => 0x8234,
        64 => 0x823C,
        128 => 0x8D70,
        _ => 0x8236,
    }
}

impl State {
    /// Restores the image units of the application, before it binds images.
    pub(crate) fn images_change(&mut self) {
        self.restore_images();
        self.touch(Groups::IMAGES);
    }

    /// Binds the views of a pipeline.
    pub(crate) fn apply_images(&mut self, views: &[View]) {
        if views.is_empty() || !self.dirty.contains(Groups::IMAGES) {
            return;
        }
        self.restore_images();
        self.dirty -= Groups::IMAGES;
        let bound: Vec<ImageUnit> = views
            .iter()
            .map(|view| query::image_unit(view.unit))
            .collect();
        self.drawing.images = views
            .iter()
            .map(|view| (view.place, query::image_unit(view.place)))
            .collect();
        for (view, image) in views.iter().zip(bound) {
            query::bind_image_unit(view.place, image.in_format(view.format));
        }
    }

    /// Binds the images that the application has bound.
    pub(crate) fn restore_images(&mut self) {
        for (place, image) in std::mem::take(&mut self.drawing.images) {
            query::bind_image_unit(place, image);
            self.touch(Groups::IMAGES);
        }
    }
}
