//! Storage images: `image`, `probe image`, `print image`; and GL's internal formats as Vulkan
//! formats with swizzles.
//!
//! Formats of three components, which few devices support, have a fourth one that is never read;
//! luminance, alpha and intensity are formats of one or two components (GL 2.1 specification, table
//! 3.15).

use super::texture_upload::{
    ContentsPresence, UploadTarget, parse_below, parse_face, parse_update,
};
use crate::format::Format;
use crate::probe::pixels::{Expected, FramebufferPlane, PixelProbe, Region, Surface};
use crate::script::command::{BoundImage, Command, ImageKey};
use crate::script::test::parser::{TEXTURE_IMAGE_UNITS, TestParser};
use crate::script::test::pixel_probes::{Coordinates, parse_pixel, parse_region};
use crate::script::tokenizer::{LineError, WordCursor, parse_component};
use crate::texture::Swizzle::{One, Zero};
use crate::texture::{
    ImagePart, PlaneId, StoredComponents, Swizzle, TextureShape, UpdateKind, find_target,
};
use glasm::ir::TexTarget;

/// Descriptor sets that a script can name.
const SETS: u32 = 8;

/// Bindings that a script can name.
const BINDINGS: u32 = 1024;

/// Levels and slices that a script can bind.
const MAX_LEVELS: u32 = 15;

const MAX_SLICES: u32 = 2048;

/// Consumes the image unit `UNIT`, or the descriptor `SET:BINDING`.
fn parse_key(words: &mut WordCursor<'_>) -> Result<ImageKey, LineError> {
    let what = format!("an image unit below {TEXTURE_IMAGE_UNITS}, or SET:BINDING");
    words.parse_with(&what, |word| match word.split_once(':') {
        None => {
            let unit = word
                .parse()
                .ok()
                .filter(|unit| *unit < TEXTURE_IMAGE_UNITS)?;
            Some(ImageKey::from_unit(unit))
        }
        Some((set, binding)) => Some(ImageKey {
            set: set.parse().ok().filter(|set| *set < SETS)?,
            binding: binding.parse().ok().filter(|binding| *binding < BINDINGS)?,
        }),
    })
}

/// Parses the arguments of `image TARGET KEY [SELECTION] FORMAT (SIDES) [CONTENTS]`, stores the
/// shape for later lines, and appends the command. Returns an error if an existing image would
/// change its target.
pub(crate) fn parse_image(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let target = words.parse_with("a target", find_target)?;
    let key = parse_key(words)?;
    let current = UploadTarget {
        what: "image",
        shape: parser.units.images.get(&key).cloned(),
    };
    let update = parse_update(words, target, &current, ContentsPresence::Optional)?;
    let fixed = |known: &TextureShape| known.target == target;
    if update.kind == UpdateKind::Create
        && current.shape.as_ref().is_some_and(|known| !fixed(known))
    {
        return Err(words.error_at_last("an image keeps its target for the whole script"));
    }
    parser.units.images.insert(key, update.shape.clone());
    parser.push_command(words, Command::Image { key, update })
}

/// Parses `KEY KEY [level L] [layer N | face N | slice N] [format F]` after `bind image`, the image
/// unit and the image that programs access through it, and appends the command. Returns an error if
/// the image is not set; parts that it lacks can be bound.
pub(crate) fn parse_bind_image(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let binding = parse_key(words)?;
    let image = parse_key(words)?;
    let Some(shape) = parser.units.images.get(&image) else {
        return Err(words.error_at_last(format!("{image} is not set")));
    };
    // Parts that the image lacks can be bound; programs read zeros there.
    let (mut part, mut format) = (ImagePart::default(), None);
    while let Some(word) = words.peek() {
        match word {
            "level" => {
                words.next_word("`level`")?;
                part.level = parse_below(words, "a level", MAX_LEVELS)?;
            }
            "format" => {
                words.next_word("`format`")?;
                let what = "a color format of VkFormat";
                format = Some(words.parse_with(what, Format::parse)?);
            }
            "face" if shape.target == TexTarget::Cube => {
                words.next_word("`face`")?;
                part.slice = Some(parse_face(words)?);
            }
            "layer" | "face" | "slice" => {
                words.next_word(word)?;
                part.slice = Some(parse_below(words, "a layer", MAX_SLICES)?);
            }
            _ => break,
        }
    }
    let bound = BoundImage {
        image,
        part,
        format,
    };
    parser.push_command(words, Command::BindImage { binding, bound })
}

/// Consumes `KEY [level L] [layer N | face N | slice N] [sample N]`, and returns the plane with its
/// width and height in texels. Returns an error if the image is not set or lacks the plane.
fn parse_plane(
    parser: &TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(ImageKey, PlaneId, [u32; 2]), LineError> {
    let key = parse_key(words)?;
    let Some(shape) = parser.units.images.get(&key) else {
        return Err(words.error_at_last(format!("{key} is not set")));
    };
    let (mut level, mut slice, mut sample) = (0, 0, 0);
    loop {
        match words.peek() {
            Some("level") => {
                words.next_word("`level`")?;
                level = parse_below(words, "a level", shape.levels)?;
            }
            Some("sample") => {
                words.next_word("`sample`")?;
                sample = parse_below(words, "a sample", shape.samples)?;
            }
            Some("face") if shape.target == TexTarget::Cube => {
                words.next_word("`face`")?;
                slice = parse_face(words)?;
            }
            Some(word @ ("layer" | "face" | "slice")) => {
                words.next_word(word)?;
                slice = parse_below(words, "a layer", shape.slices(level))?;
            }
            _ => break,
        }
    }
    // The level may be named after the slice, and have fewer slices than the one that was checked.
    if slice >= shape.slices(level) {
        return Err(
            words.error_at_last(format!("level {level} has {} slices", shape.slices(level)))
        );
    }
    let [width, height, _] = shape.level_extent(level);
    let plane = PlaneId {
        level,
        slice,
        sample,
    };
    Ok((key, plane, [width, height]))
}

/// Parses `KEY [PLANE] all|rect|rgb|rgba ...` after `probe image`, and appends the command with the
/// tolerances in force.
pub(crate) fn parse_image_probe(
    parser: &mut TestParser,
    coordinates: Coordinates,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let (key, plane, size) = parse_plane(parser, words)?;
    let (region, components) = match words.peek() {
        Some("all") => {
            words.next_word("`all`")?;
            let [width, height] = size;
            let all = Region {
                x: 0,
                y: 0,
                width,
                height,
            };
            (all, parse_components(words)?)
        }
        Some("rect") => {
            words.next_word("`rect`")?;
            let components = parse_components(words)?;
            (parse_region(size, coordinates, words)?, components)
        }
        _ => {
            let components = parse_components(words)?;
            (parse_pixel(size, coordinates, words)?, components)
        }
    };
    let probe = PixelProbe {
        surface: Surface::from_plane(FramebufferPlane::Color(0)),
        region,
        expected: parse_expected(components, words)?,
        tolerances: parser.tolerances,
    };
    parser.push_command(words, Command::ProbeImage { key, plane, probe })
}

/// Consumes the component selection of an image probe and returns the number of components: 3 for
/// `rgb`, 4 for `rgba`.
fn parse_components(words: &mut WordCursor<'_>) -> Result<usize, LineError> {
    words.parse_with("`rgb` or `rgba`", |word| match word {
        "rgb" => Some(3),
        "rgba" => Some(4),
        _ => None,
    })
}

/// Consumes the expected values of the first `components` components.
fn parse_expected(components: usize, words: &mut WordCursor<'_>) -> Result<Expected, LineError> {
    let mut values = [0.0; 4];
    for value in &mut values[..components] {
        *value = words.parse_with("a color component", parse_component)?;
    }
    Ok(Expected { values, components })
}

/// Parses `KEY [PLANE]` after `print image`, and appends the command.
pub(crate) fn parse_image_print(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let (key, plane, _) = parse_plane(parser, words)?;
    parser.push_command(words, Command::PrintImage { key, plane })
}

const R: Swizzle = Swizzle::Component(0);
const G: Swizzle = Swizzle::Component(1);
const B: Swizzle = Swizzle::Component(2);
const A: Swizzle = Swizzle::Component(3);

const RGBA: [Swizzle; 4] = [R, G, B, A];
const RGB: [Swizzle; 4] = [R, G, B, One];
const LUMINANCE: [Swizzle; 4] = [R, R, R, One];
const INTENSITY: [Swizzle; 4] = [R, R, R, R];
const ALPHA: [Swizzle; 4] = [Zero, Zero, Zero, R];
const LUMINANCE_ALPHA: [Swizzle; 4] = [R, R, R, G];

/// Entry of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct GlFormat {
    name: &'static str,
    /// `VkFormat`
    pub(super) format: &'static str,
    pub(super) swizzle: [Swizzle; 4],
}

macro_rules! sized_formats {
    ($($format:ident: $internal:ident $client:ident $ty:ident $layout:ident;)*) => {
        /// Formats that are stored unchanged.
        const SIZED: &[GlFormat] = &[$(row(concat!("GL_", stringify!($internal)), stringify!($format), RGBA),)*];
    };
}

crate::gl_texel_formats! { sized_formats }

/// Formats that have no textures here: stencil values are neither colors nor depths, and piglit has
/// none of the other.
const UNSUPPORTED_FORMATS: &[&str] = &["GL_STENCIL_INDEX8", "GL_RGB10_A2UI"];

/// Returns the entry of a supported GL internal format; `None` if the name is unknown or
/// unsupported.
pub(super) fn find_gl_format(name: &str) -> Option<&'static GlFormat> {
    let mut rows = FORMATS.iter().chain(SIZED);
    rows.find(|row| row.name == name && !UNSUPPORTED_FORMATS.contains(&name))
}

impl GlFormat {
    /// Returns which components of a color are stored: those from which the swizzle produces GL's
    /// components.
    pub(super) fn stored_components(&self) -> StoredComponents {
        match self.swizzle {
            ALPHA => StoredComponents::Alpha,
            LUMINANCE_ALPHA => StoredComponents::RedAndAlpha,
            _ => StoredComponents::All,
        }
    }

    /// Returns the number of components that GL's format has, which is 3 if a fourth one replaces
    /// it; `format` is the one that is stored.
    pub(super) fn channel_count(&self, format: &Format) -> u8 {
        match self.swizzle {
            RGB => 3,
            _ => format.channels.len() as u8,
        }
    }
}

/// Creates a table entry: GL's internal format, the name of the Vulkan format that replaces it, and
/// the swizzle that produces GL's components from its channels.
const fn row(name: &'static str, format: &'static str, swizzle: [Swizzle; 4]) -> GlFormat {
    GlFormat {
        name,
        format,
        swizzle,
    }
}

/// Formats without a size, which are replaced by others, and formats whose components differ from
/// those of Vulkan.
const FORMATS: &[GlFormat] = &[
    row("GL_RGBA", "R8G8B8A8_UNORM", RGBA),
    row("GL_RGBA2", "R8G8B8A8_UNORM", RGBA),
    row("GL_RGBA4", "R8G8B8A8_UNORM", RGBA),
    row("GL_RGBA12", "R16G16B16A16_UNORM", RGBA),
    row("GL_RGB5_A1", "R8G8B8A8_UNORM", RGBA),
    row("GL_SRGB_ALPHA", "R8G8B8A8_SRGB", RGBA),
    row("GL_COMPRESSED_RGBA", "R8G8B8A8_UNORM", RGBA),
    row("GL_RGB", "R8G8B8A8_UNORM", RGB),
    row("GL_RGB8", "R8G8B8A8_UNORM", RGB),
    row("GL_R3_G3_B2", "R8G8B8A8_UNORM", RGB),
    row("GL_RGB4", "R8G8B8A8_UNORM", RGB),
    row("GL_RGB5", "R8G8B8A8_UNORM", RGB),
    row("GL_RGB565", "R8G8B8A8_UNORM", RGB),
    row("GL_RGB10", "R16G16B16A16_UNORM", RGB),
    row("GL_RGB12", "R16G16B16A16_UNORM", RGB),
    row("GL_RGB16", "R16G16B16A16_UNORM", RGB),
    row("GL_RGB8_SNORM", "R8G8B8A8_SNORM", RGB),
    row("GL_RGB16_SNORM", "R16G16B16A16_SNORM", RGB),
    row("GL_RGB16F", "R16G16B16A16_SFLOAT", RGB),
    row("GL_RGB32F", "R32G32B32A32_SFLOAT", RGB),
    row("GL_SRGB", "R8G8B8A8_SRGB", RGB),
    row("GL_SRGB8", "R8G8B8A8_SRGB", RGB),
    row("GL_COMPRESSED_RGB", "R8G8B8A8_UNORM", RGB),
    row("GL_RED", "R8_UNORM", RGBA),
    row("GL_RG", "R8G8_UNORM", RGBA),
    row("GL_LUMINANCE", "R8_UNORM", LUMINANCE),
    row("GL_LUMINANCE8", "R8_UNORM", LUMINANCE),
    row("GL_LUMINANCE16", "R16_UNORM", LUMINANCE),
    row("GL_LUMINANCE16F_ARB", "R16_SFLOAT", LUMINANCE),
    row("GL_LUMINANCE32F_ARB", "R32_SFLOAT", LUMINANCE),
    row("GL_SLUMINANCE", "R8G8B8A8_SRGB", LUMINANCE),
    row("GL_SLUMINANCE8", "R8G8B8A8_SRGB", LUMINANCE),
    row("GL_INTENSITY", "R8_UNORM", INTENSITY),
    row("GL_INTENSITY8", "R8_UNORM", INTENSITY),
    row("GL_INTENSITY16", "R16_UNORM", INTENSITY),
    row("GL_INTENSITY16F_ARB", "R16_SFLOAT", INTENSITY),
    row("GL_INTENSITY32F_ARB", "R32_SFLOAT", INTENSITY),
    row("GL_ALPHA", "R8_UNORM", ALPHA),
    row("GL_ALPHA8", "R8_UNORM", ALPHA),
    row("GL_ALPHA16", "R16_UNORM", ALPHA),
    row("GL_ALPHA16F_ARB", "R16_SFLOAT", ALPHA),
    row("GL_ALPHA32F_ARB", "R32_SFLOAT", ALPHA),
    row("GL_LUMINANCE_ALPHA", "R8G8_UNORM", LUMINANCE_ALPHA),
    row("GL_LUMINANCE8_ALPHA8", "R8G8_UNORM", LUMINANCE_ALPHA),
    row("GL_LUMINANCE16_ALPHA16", "R16G16_UNORM", LUMINANCE_ALPHA),
    row(
        "GL_LUMINANCE_ALPHA16F_ARB",
        "R16G16_SFLOAT",
        LUMINANCE_ALPHA,
    ),
    row(
        "GL_LUMINANCE_ALPHA32F_ARB",
        "R32G32_SFLOAT",
        LUMINANCE_ALPHA,
    ),
    row("GL_RGB8I", "R8G8B8A8_SINT", RGB),
    row("GL_RGB8UI", "R8G8B8A8_UINT", RGB),
    row("GL_RGB16I", "R16G16B16A16_SINT", RGB),
    row("GL_RGB16UI", "R16G16B16A16_UINT", RGB),
    row("GL_RGB32I", "R32G32B32A32_SINT", RGB),
    row("GL_RGB32UI", "R32G32B32A32_UINT", RGB),
    row("GL_DEPTH_COMPONENT", "D32_SFLOAT", RGBA),
    row("GL_DEPTH_COMPONENT32", "D32_SFLOAT", RGBA),
    row("GL_DEPTH_STENCIL", "D24_UNORM_S8_UINT", RGBA),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_formats_exist_once() {
        for name in FORMATS.iter().chain(SIZED).map(|row| row.name) {
            let exists = find_gl_format(name)
                .is_none_or(|row| Format::parse_color_or_depth(row.format).is_some());
            assert!(exists, "{name}");
        }
        for (at, row) in FORMATS.iter().enumerate() {
            assert!(
                FORMATS[..at].iter().all(|other| other.name != row.name),
                "{}",
                row.name
            );
        }
    }

    #[test]
    fn components_are_stored_where_the_swizzle_reads_them() {
        let row = |name| find_gl_format(name).unwrap();
        assert_eq!(
            row("GL_ALPHA8").stored_components(),
            StoredComponents::Alpha
        );
        assert_eq!(
            row("GL_LUMINANCE_ALPHA").stored_components(),
            StoredComponents::RedAndAlpha
        );
        assert_eq!(row("GL_RGB").stored_components(), StoredComponents::All);
        let integers = Format::parse("R32G32B32A32_SINT").unwrap();
        assert_eq!(row("GL_RGB32I").channel_count(&integers), 3);
        assert_eq!(row("GL_RGBA32I").channel_count(&integers), 4);
        assert!(find_gl_format("GL_NOTHING").is_none());
    }
}
