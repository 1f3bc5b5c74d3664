//! Images that a script has saved: their contents, and animated PNG files of several ones.

use crate::console::Fatal;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

/// Images that are shown in one second.
const FRAMES_PER_SECOND: u16 = 15;

/// Writes an animation that repeats without end.
///
/// # Errors
/// If an image cannot be read, or the file cannot be written.
pub(super) fn write_animation(images: &[PathBuf], output: &Path) -> Result<(), Fatal> {
    let mut frames = images.iter();
    let Some(first) = frames.next() else {
        return Err(Fatal("an animation has at least one image".to_owned()));
    };
    let Frame {
        width,
        height,
        pixels,
    } = Frame::read(first)?;
    let err_write = |error: png::EncodingError| Fatal(format!("{}: {error}", output.display()));
    let file = File::create(output).map_err(|error| Fatal::from_io(output.display(), &error))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let count = u32::try_from(images.len()).unwrap_or(u32::MAX);
    encoder.set_animated(count, 0).map_err(err_write)?;
    encoder
        .set_frame_delay(1, FRAMES_PER_SECOND)
        .map_err(err_write)?;
    let mut writer = encoder.write_header().map_err(err_write)?;
    writer.write_image_data(&pixels).map_err(err_write)?;
    for path in frames {
        let frame = Frame::read(path)?;
        writer.write_image_data(&frame.pixels).map_err(err_write)?;
    }
    writer.finish().map_err(err_write)
}

/// Contents of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ImageContents {
    /// All pixels have one color.
    OneColor,
    /// Pixels differ.
    Colors,
}

/// One image of an animation.
pub(super) struct Frame {
    width: u32,
    height: u32,
    /// RGBA with 8 bits, the upper left pixel first.
    pixels: Vec<u8>,
}

impl Frame {
    /// Reads an image that a script has saved.
    pub(super) fn read(path: &Path) -> Result<Self, Fatal> {
        let err_read = |error: png::DecodingError| Fatal(format!("{}: {error}", path.display()));
        let file = File::open(path).map_err(|error| Fatal::from_io(path.display(), &error))?;
        let decoder = png::Decoder::new(BufReader::new(file));
        let mut reader = decoder.read_info().map_err(err_read)?;
        let mut pixels = vec![0; reader.output_buffer_size().unwrap_or(0)];
        let info = reader.next_frame(&mut pixels).map_err(err_read)?;
        Ok(Self {
            width: info.width,
            height: info.height,
            pixels,
        })
    }

    /// Creates an image from RGBA with 8 bits, the upper left pixel first.
    pub(super) fn new(width: u32, height: u32, pixels: Vec<u8>) -> Self {
        Self {
            width,
            height,
            pixels,
        }
    }

    /// Writes the image as a PNG file.
    pub(super) fn write(&self, path: &Path) -> Result<(), Fatal> {
        let err_write = |error: png::EncodingError| Fatal(format!("{}: {error}", path.display()));
        let file = File::create(path).map_err(|error| Fatal::from_io(path.display(), &error))?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(err_write)?;
        writer.write_image_data(&self.pixels).map_err(err_write)?;
        writer.finish().map_err(err_write)
    }

    /// Returns whether the pixels differ.
    pub(super) fn contents(&self) -> ImageContents {
        let mut pixels = self.pixels.chunks_exact(4);
        let first = pixels.next();
        if pixels.all(|pixel| Some(pixel) == first) {
            ImageContents::OneColor
        } else {
            ImageContents::Colors
        }
    }
}
