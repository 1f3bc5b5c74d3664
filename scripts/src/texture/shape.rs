//! Size and format of a texture, and its planes.

use crate::format::Format;
use glasm::ir::TexTarget;

/// Maximum size of a texture in bytes: bounds the memory that a short script can request.
const MAX_BYTES: u64 = 256 << 20;

/// Size and format of a texture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
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

impl Shape {
    /// Returns width, height and depth of a level.
    pub fn level_extent(&self, level: u32) -> [u32; 3] {
        self.extent
            .map(|side| side.checked_shr(level).unwrap_or(0).max(1))
    }

    /// Returns the number of slices of a 3D texture's level, or of layers.
    pub fn slices(&self, level: u32) -> u32 {
        self.level_extent(level)[2] * self.layers
    }

    /// Returns the number of levels that halve the sides down to 1.
    pub fn max_levels(&self) -> u32 {
        match self.target {
            TexTarget::Rect | TexTarget::Buffer | TexTarget::D2Ms | TexTarget::D2MsArray => 1,
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

    /// Returns the bytes of a plane of a level.
    pub fn plane_bytes(&self, level: u32) -> usize {
        let [width, height, _] = self.level_extent(level);
        width as usize * height as usize * self.format.size()
    }

    /// Returns true if the first level is of an acceptable size; all levels together take less than
    /// twice that.
    pub(crate) fn is_bearable(&self) -> bool {
        let sides =
            self.extent
                .into_iter()
                .chain([self.layers, self.samples, self.format.size() as u32]);
        let mut bytes = 1u64;
        for side in sides {
            bytes = bytes.saturating_mul(u64::from(side));
        }
        bytes <= MAX_BYTES
    }

    /// Returns all planes of a level.
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

    /// Returns all planes.
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
    ("2DMS", TexTarget::D2Ms),
    ("2DMSArray", TexTarget::D2MsArray),
];

/// Finds the target of that name.
pub(crate) fn find_target(name: &str) -> Option<TexTarget> {
    TARGETS
        .iter()
        .find(|(text, _)| *text == name)
        .map(|(_, target)| *target)
}

/// Returns the name of a target in scripts.
pub fn target_name(target: TexTarget) -> &'static str {
    TARGETS
        .iter()
        .find(|(_, known)| *known == target)
        .map_or("texture", |(text, _)| text)
}
