//! The formats of a script's image units, for devices that must find them in the module. Pure.

use crate::script::{Command, Script};
use glasm::TexelFormat;
use std::collections::BTreeMap;

/// The format that each image unit has throughout the script; none if it changes, because no module could name all of them.
pub(super) fn image_formats(script: &Script) -> Vec<Option<TexelFormat>> {
    let mut seen: BTreeMap<usize, Option<TexelFormat>> = BTreeMap::new();
    for step in &script.steps {
        let Command::Image { key, update } = &step.command else {
            continue;
        };
        let Some(unit) = key.unit() else { continue };
        let name = format!("{:?}", update.shape.format.vk);
        let format = TexelFormat::from_vulkan_name(&name);
        let known = seen.entry(unit as usize).or_insert(format);
        if *known != format {
            *known = None;
        }
    }
    let count = seen.last_key_value().map_or(0, |(unit, _)| unit + 1);
    let mut formats = vec![None; count];
    for (unit, format) in seen {
        formats[unit] = format;
    }
    formats
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
        let none = Script::parse(b"[test]\n").unwrap();
        assert!(image_formats(&none).is_empty());
    }
}
