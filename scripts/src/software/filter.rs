//! Texels of a level: wrap modes, nearest and linear filters, faces of cubes, comparisons.

use crate::format::Aspect;
use crate::texture::{DepthMode, PlaneId, Sampling, TextureData, Wrap};
use ash::vk;

/// Location of a lookup in a level.
pub(super) struct Footprint {
    /// Coordinates in texels.
    pub(super) texels: [f64; 3],
    /// Number of coordinates, 1 to 3.
    pub(super) dimensions: u8,
    /// Layer or face; unused in three dimensions.
    pub(super) slice: u32,
    /// True for faces of cubes, which have no wrap modes.
    pub(super) is_cube: bool,
    /// True if neighboring texels are interpolated.
    pub(super) is_linear: bool,
}

/// Access to the texels of a level.
pub(super) struct TexelFilter<'a> {
    pub(super) data: &'a TextureData,
    pub(super) sampling: &'a Sampling,
    pub(super) level: u32,
}

/// Texel in one dimension with its weight; `None` is the border.
type WeightedTexel = (Option<i64>, f64);

impl TexelFilter<'_> {
    /// Returns the texel at integer coordinates x, y and slice; `None` outside of the texture.
    pub(super) fn find_texel(&self, [x, y, slice]: [i64; 3], sample: u32) -> Option<[f64; 4]> {
        let shape = &self.data.shape;
        if self.level >= shape.levels || sample >= shape.samples {
            return None;
        }
        let [width, height, _] = shape.level_extent(self.level);
        let x = u32::try_from(x).ok().filter(|x| *x < width)?;
        let y = u32::try_from(y).ok().filter(|y| *y < height)?;
        let slices = shape.slices(self.level);
        let slice = u32::try_from(slice).ok().filter(|slice| *slice < slices)?;
        let id = PlaneId {
            level: self.level,
            slice,
            sample,
        };
        Some(self.data.decode_texel(id, x, y))
    }

    /// Returns the filtered texels of a footprint, each of which `convert` converts before.
    pub(super) fn filter(
        &self,
        footprint: &Footprint,
        convert: impl Fn([f64; 4]) -> [f64; 4],
    ) -> [f64; 4] {
        let axes: [Vec<WeightedTexel>; 3] =
            std::array::from_fn(|axis| self.list_texels(footprint, axis));
        let mut sum = [0.0; 4];
        for (z, z_weight) in &axes[2] {
            for (y, y_weight) in &axes[1] {
                for (x, x_weight) in &axes[0] {
                    let weight = x_weight * y_weight * z_weight;
                    // The product of a weight of zero and an infinite texel is not a number.
                    if weight != 0.0 {
                        let texel = convert(self.load_texel(footprint, [*x, *y, *z]));
                        for (total, value) in sum.iter_mut().zip(texel) {
                            *total += weight * value;
                        }
                    }
                }
            }
        }
        sum
    }

    /// Returns the texel of a linear footprint at a distance from its first one.
    pub(super) fn find_corner(&self, footprint: &Footprint, corner: [i64; 2]) -> [f64; 4] {
        let place = std::array::from_fn(|axis| {
            let first = (footprint.texels[axis] - 0.5).floor() as i64;
            let offset = corner.get(axis).copied().unwrap_or(0);
            if axis < usize::from(footprint.dimensions) {
                self.wrap_texel(footprint, axis, first.saturating_add(offset))
            } else {
                Some(0)
            }
        });
        self.load_texel(footprint, place)
    }

    /// Returns the texels of a footprint in one dimension.
    fn list_texels(&self, footprint: &Footprint, axis: usize) -> Vec<WeightedTexel> {
        if axis >= usize::from(footprint.dimensions) {
            return vec![(Some(0), 1.0)];
        }
        let size = f64::from(self.data.shape.level_extent(self.level)[axis]);
        let wrap = self.find_wrap(footprint, axis);
        let place = clamp_coordinate(wrap, footprint.texels[axis], size);
        if !footprint.is_linear {
            let texel = place.floor() as i64;
            // The upper end of a clamped coordinate belongs to the last texel.
            let texel = if matches!(wrap, Wrap::Clamp | Wrap::MirrorClamp) {
                texel.min(size as i64 - 1)
            } else {
                texel
            };
            return vec![(self.wrap_texel(footprint, axis, texel), 1.0)];
        }
        let first = (place - 0.5).floor();
        let fraction = place - 0.5 - first;
        let first = first as i64;
        vec![
            (self.wrap_texel(footprint, axis, first), 1.0 - fraction),
            (
                self.wrap_texel(footprint, axis, first.saturating_add(1)),
                fraction,
            ),
        ]
    }

    /// Returns the wrap mode of a coordinate.
    fn find_wrap(&self, footprint: &Footprint, axis: usize) -> Wrap {
        if footprint.is_cube {
            Wrap::ClampToEdge
        } else {
            self.sampling.wrap[axis]
        }
    }

    /// Returns the texel of the texture for one that may be outside; `None` for the border.
    fn wrap_texel(&self, footprint: &Footprint, axis: usize, texel: i64) -> Option<i64> {
        let size = i64::from(self.data.shape.level_extent(self.level)[axis]);
        let inside = (0..size).contains(&texel);
        match self.find_wrap(footprint, axis) {
            Wrap::Repeat => Some(texel.rem_euclid(size)),
            Wrap::MirroredRepeat => {
                let place = texel.rem_euclid(2 * size);
                Some(if place < size {
                    place
                } else {
                    2 * size - 1 - place
                })
            }
            Wrap::ClampToEdge => Some(texel.clamp(0, size - 1)),
            Wrap::MirrorClampToEdge => {
                let mirrored = if texel < 0 { -1 - texel } else { texel };
                Some(mirrored.min(size - 1))
            }
            Wrap::ClampToBorder | Wrap::Clamp => inside.then_some(texel),
            Wrap::MirrorClamp | Wrap::MirrorClampToBorder => {
                let mirrored = if texel < 0 { -1 - texel } else { texel };
                (mirrored < size).then_some(mirrored)
            }
        }
    }

    /// Returns a texel, or the border color if one of its coordinates is the border.
    fn load_texel(&self, footprint: &Footprint, place: [Option<i64>; 3]) -> [f64; 4] {
        let border = || match self.data.shape.format.aspect {
            Aspect::Color => self.sampling.border_color,
            Aspect::Depth => {
                let depth = self.sampling.border_color[0];
                [depth, 0.0, 0.0, 1.0]
            }
        };
        let [Some(x), Some(y), Some(z)] = place else {
            return border();
        };
        let slice = if footprint.dimensions == 3 {
            z
        } else {
            i64::from(footprint.slice)
        };
        self.find_texel([x, y, slice], 0).unwrap_or([0.0; 4])
    }
}

/// Clamps or mirrors a coordinate in texels as the older wrap modes define it; returns it unchanged
/// for the others.
fn clamp_coordinate(wrap: Wrap, place: f64, size: f64) -> f64 {
    match wrap {
        Wrap::Clamp => place.clamp(0.0, size),
        Wrap::MirrorClamp => place.abs().clamp(0.0, size),
        Wrap::MirrorClampToBorder => place.abs(),
        Wrap::Repeat
        | Wrap::MirroredRepeat
        | Wrap::ClampToEdge
        | Wrap::ClampToBorder
        | Wrap::MirrorClampToEdge => place,
    }
}

/// Returns the face of a cube that a direction selects, and the coordinates on it from 0 to 1. GL
/// 2.1 table 3.21.
pub(super) fn find_cube_face([x, y, z]: [f64; 3]) -> (u32, f64, f64) {
    let (face, s, t, major) = if x.abs() >= y.abs() && x.abs() >= z.abs() {
        if x >= 0.0 {
            (0, -z, -y, x)
        } else {
            (1, z, -y, -x)
        }
    } else if y.abs() >= z.abs() {
        if y >= 0.0 {
            (2, x, z, y)
        } else {
            (3, x, -z, -y)
        }
    } else if z >= 0.0 {
        (4, x, -y, z)
    } else {
        (5, -x, -y, -z)
    };
    (face, (s / major + 1.0) / 2.0, (t / major + 1.0) / 2.0)
}

/// Returns the lanes of the result of a comparison.
pub(super) fn spread_comparison(mode: DepthMode, result: f64) -> [f64; 4] {
    match mode {
        DepthMode::Luminance => [result, result, result, 1.0],
        DepthMode::Intensity => [result; 4],
        DepthMode::Alpha => [0.0, 0.0, 0.0, result],
        DepthMode::Red => [result, 0.0, 0.0, 1.0],
    }
}

/// Returns true if `value` passes a comparison with the stored value; comparisons with NaN are
/// false, except that inequality is true.
pub(super) fn passes_comparison(op: vk::CompareOp, value: f64, stored: f64) -> bool {
    let table = [
        (vk::CompareOp::NEVER, false),
        (vk::CompareOp::LESS, value < stored),
        (vk::CompareOp::EQUAL, value == stored),
        (vk::CompareOp::LESS_OR_EQUAL, value <= stored),
        (vk::CompareOp::GREATER, value > stored),
        (vk::CompareOp::NOT_EQUAL, value != stored),
        (vk::CompareOp::GREATER_OR_EQUAL, value >= stored),
    ];
    let known = table.iter().find(|(known, _)| *known == op);
    known.is_none_or(|(_, passes)| *passes)
}
