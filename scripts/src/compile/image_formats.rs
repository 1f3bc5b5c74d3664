//! The formats of a script's image units, for devices that must find them in the module. Pure.

use crate::format::Format;
use crate::script::{Command, ImageKey, Script};
use glasm::TexelFormat;
use std::collections::BTreeMap;

/// Returns the format that each image unit has throughout the script; none if it changes, since a
/// module cannot declare several.
pub(super) fn image_formats(script: &Script) -> Vec<Option<TexelFormat>> {
    let mut places: BTreeMap<ImageKey, Option<TexelFormat>> = BTreeMap::new();
    for step in &script.steps {
        let (place, format) = if let Command::Image { key, update } = &step.command {
            (*key, texel_format(&update.shape.format))
        } else if let Command::BindImage { place, bound } = &step.command {
            let own = || places.get(&bound.image).copied().flatten();
            let given = bound.format.as_ref();
            (*place, given.map_or_else(own, texel_format))
        } else {
            continue;
        };
        let known = places.entry(place).or_insert(format);
        if *known != format {
            *known = None;
        }
    }
    let units = places
        .iter()
        .filter_map(|(place, format)| Some((place.unit()? as usize, *format)));
    let mut formats = Vec::new();
    for (unit, format) in units {
        formats.resize(formats.len().max(unit + 1), None);
        formats[unit] = format;
    }
    formats
}

fn texel_format(format: &Format) -> Option<TexelFormat> {
    TexelFormat::from_vulkan_name(&format!("{:?}", format.vk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_with_one_format_have_it() {
        let script = Script::parse(
            b"[test]\nimage 2D 1 R8G8B8A8_UNORM (2, 2)\nimage 2D 2 R32_UINT (1, 1)\nimage 2D 2 R32_SINT (1, 1)\n\
              image 2D 1 level 1 R8G8B8A8_UNORM (1, 1)\nimage 2D 3 R8G8B8A8_SRGB (1, 1)\nimage 2D 0:1 R8_UNORM (1, 1)\n",
        );
        let formats = image_formats(&script.unwrap());
        assert_eq!(formats, [None, Some(TexelFormat::Rgba8), None, None]);
        let script = Script::parse(
            b"[test]\nimage 2D 1 R8_SNORM (2, 2)\nbind image 2 1\nimage 2D 0 R8_UNORM (1, 1)\nbind image 0 1\n\
              bind image 3 1 format R8_UINT\n",
        );
        let formats = image_formats(&script.unwrap());
        let snorm = Some(TexelFormat::R8Snorm);
        assert_eq!(formats, [None, snorm, snorm, Some(TexelFormat::R8ui)]);
        let none = Script::parse(b"[test]\n").unwrap();
        assert!(image_formats(&none).is_empty());
    }
}
