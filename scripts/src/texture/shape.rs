//! Size and format of a texture, its planes, and storage images as programs see them. Pure.

use crate::format::Format;
use ash::vk;
use glasm::ir::TexTarget;

/// Maximum size of a texture in bytes: bounds the memory that a short script can request.
const MAX_BYTES: u64 = 256 << 20;

/// Size and format of a texture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextureShape {
    /// Target of GL that it is for.
    pub target: TexTarget,
    /// Format of the texels.
    pub format: Format,
    /// Width, height and depth of level 0; 1 for missing dimensions of the target.
    pub extent: [u32; 3],
    /// Number of levels, from 1.
    pub levels: u32,
    /// Layers, six for a cube.
    pub layers: u32,
    /// Samples of a texel; 1 for all but multisample targets.
    pub samples: u32,
}

impl TextureShape {
    /// Returns width, height and depth of a level in texels, each at least 1.
    pub fn level_extent(&self, level: u32) -> [u32; 3] {
        self.extent
            .map(|side| side.checked_shr(level).unwrap_or(0).max(1))
    }

    /// Returns the number of slices of a 3D texture's level, or of layers, with six for each cube.
    pub fn slices(&self, level: u32) -> u32 {
        self.level_extent(level)[2] * self.layers
    }

    /// Returns the number of levels that halve the sides down to 1; 1 for rectangles, buffer and
    /// multisample textures.
    pub fn max_levels(&self) -> u32 {
        match self.target {
            TexTarget::Rect
            | TexTarget::Buffer
            | TexTarget::D2Multisample
            | TexTarget::D2MultisampleArray => 1,
            TexTarget::D1
            | TexTarget::D2
            | TexTarget::D3
            | TexTarget::Cube
            | TexTarget::D1Array
            | TexTarget::D2Array
            | TexTarget::CubeArray => {
                let [width, height, depth] = self.extent;
                u32::BITS - width.max(height).max(depth).leading_zeros()
            }
        }
    }

    /// Returns the size of a plane of a level in bytes.
    pub fn plane_bytes(&self, level: u32) -> usize {
        let [width, height, _] = self.level_extent(level);
        width as usize * height as usize * self.format.texel_size()
    }

    /// Returns true if the first level has at most [`MAX_BYTES`]; all levels together take less
    /// than twice that.
    pub(crate) fn is_within_size_limit(&self) -> bool {
        let sides = self.extent.into_iter().chain([
            self.layers,
            self.samples,
            self.format.texel_size() as u32,
        ]);
        let mut bytes = 1u64;
        for side in sides {
            bytes = bytes.saturating_mul(u64::from(side));
        }
        bytes <= MAX_BYTES
    }

    /// Returns the ids of all planes of a level, by slice and sample.
    pub(super) fn level_planes(&self, level: u32) -> impl Iterator<Item = PlaneId> {
        let samples = self.samples;
        (0..self.slices(level)).flat_map(move |slice| {
            (0..samples).map(move |sample| PlaneId {
                level,
                slice,
                sample,
            })
        })
    }

    /// Returns the ids of all planes, by level, slice and sample.
    pub fn planes(&self) -> impl Iterator<Item = PlaneId> {
        (0..self.levels).flat_map(|level| self.level_planes(level))
    }
}

/// Plane of a texture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlaneId {
    /// Level, from 0.
    pub level: u32,
    /// Layer, face or slice.
    pub slice: u32,
    /// Sample; 0 unless there are several.
    pub sample: u32,
}

/// Names of targets; the first one of each is the one that messages use.
const TARGETS: &[(&str, TexTarget)] = &[
    ("1D", TexTarget::D1),
    ("2D", TexTarget::D2),
    ("3D", TexTarget::D3),
    ("cube", TexTarget::Cube),
    ("Cube", TexTarget::Cube),
    ("1DArray", TexTarget::D1Array),
    ("2DArray", TexTarget::D2Array),
    ("cubeArray", TexTarget::CubeArray),
    ("CubeArray", TexTarget::CubeArray),
    ("Rect", TexTarget::Rect),
    ("rect", TexTarget::Rect),
    ("buffer", TexTarget::Buffer),
    ("2DMS", TexTarget::D2Multisample),
    ("2DMSArray", TexTarget::D2MultisampleArray),
];

/// Returns the target with a name in scripts; `None` if the name is unknown.
pub(crate) fn find_target(name: &str) -> Option<TexTarget> {
    TARGETS
        .iter()
        .find(|(text, _)| *text == name)
        .map(|(_, target)| *target)
}

/// Returns the name of a target in scripts; the first one of several.
pub fn target_name(target: TexTarget) -> &'static str {
    TARGETS
        .iter()
        .find(|(_, known)| *known == target)
        .map_or("texture", |(text, _)| text)
}

/// Bound part of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImagePart {
    /// Level, from 0.
    pub level: u32,
    /// Layer, face or slice, which is an image of a lower target; `None` for all of them.
    pub slice: Option<u32>,
}

/// Part of an image as a program accesses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StorageView {
    /// Target that the program names.
    pub target: TexTarget,
    /// Bound part of the image.
    pub part: ImagePart,
    /// Format in which its texels are accessed.
    pub format: vk::Format,
}

impl ImagePart {
    /// Returns true if an image of this shape has the selected level and slice.
    pub fn exists_in(self, shape: &TextureShape) -> bool {
        let slices = || shape.slices(self.level);
        self.level < shape.levels && self.slice.is_none_or(|slice| slice < slices())
    }

    /// Returns the target of the selected part of an image with a target: that of one slice if one
    /// is selected, otherwise that of the image.
    pub fn part_target(self, target: TexTarget) -> TexTarget {
        match self.slice {
            Some(_) => plane_target(target),
            None => target,
        }
    }

    /// Returns true if a program can access the part of an image of `target` as `wanted`. One layer
    /// of an array can also be accessed as an array of one layer; rectangles are two-dimensional.
    pub fn is_accessible_as(self, target: TexTarget, wanted: TexTarget) -> bool {
        let part = without_rectangle(self.part_target(target));
        let wanted = without_rectangle(wanted);
        part == wanted || (target == wanted && !is_cube(target) && wanted != TexTarget::D3)
    }
}

/// Returns the target of a single layer, face or slice of an image.
fn plane_target(target: TexTarget) -> TexTarget {
    match target {
        TexTarget::D1 | TexTarget::D1Array => TexTarget::D1,
        TexTarget::D2
        | TexTarget::D3
        | TexTarget::Cube
        | TexTarget::Rect
        | TexTarget::D2Array
        | TexTarget::CubeArray => TexTarget::D2,
        TexTarget::Buffer => TexTarget::Buffer,
        TexTarget::D2Multisample | TexTarget::D2MultisampleArray => TexTarget::D2Multisample,
    }
}

/// Converts rectangle targets to two-dimensional ones.
fn without_rectangle(target: TexTarget) -> TexTarget {
    if target == TexTarget::Rect {
        TexTarget::D2
    } else {
        target
    }
}

fn is_cube(target: TexTarget) -> bool {
    target.is_cube()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    const LAYER: ImagePart = ImagePart {
        level: 1,
        slice: Some(2),
    };

    #[test]
    fn a_layer_is_an_image_of_a_lower_target() {
        for (target, expected) in [
            (TexTarget::D1Array, TexTarget::D1),
            (TexTarget::D2Array, TexTarget::D2),
            (TexTarget::D3, TexTarget::D2),
            (TexTarget::Cube, TexTarget::D2),
            (TexTarget::CubeArray, TexTarget::D2),
            (TexTarget::D2MultisampleArray, TexTarget::D2Multisample),
        ] {
            assert_eq!(LAYER.part_target(target), expected);
            assert!(LAYER.is_accessible_as(target, expected));
            assert_eq!(ImagePart::default().part_target(target), target);
            assert!(ImagePart::default().is_accessible_as(target, target));
            assert!(!ImagePart::default().is_accessible_as(target, expected));
        }
        assert!(LAYER.is_accessible_as(TexTarget::D2Array, TexTarget::D2Array));
        assert!(LAYER.is_accessible_as(TexTarget::D2Array, TexTarget::Rect));
        assert!(!LAYER.is_accessible_as(TexTarget::Cube, TexTarget::Cube));
        assert!(!LAYER.is_accessible_as(TexTarget::D3, TexTarget::D3));
    }

    #[test]
    fn parts_beyond_an_image_do_not_exist() {
        let shape = TextureShape {
            target: TexTarget::D3,
            format: Format::parse("R8_UINT").unwrap(),
            extent: [4, 4, 6],
            levels: 2,
            layers: 1,
            samples: 1,
        };
        let part = |level, slice| ImagePart { level, slice };
        assert!(part(1, Some(2)).exists_in(&shape) && part(1, None).exists_in(&shape));
        assert!(!part(1, Some(3)).exists_in(&shape) && !part(2, None).exists_in(&shape));
    }
}
