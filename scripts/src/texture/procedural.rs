//! Patterns that functions of normalized coordinates define, so that all levels of a texture show
//! the same: a grid that shows orientation, noise, and the normals of a bumpy surface.

use glasm::ir::TexTarget;
use std::f64::consts::TAU;

/// Location in a texture: coordinates from 0 to 1, and the layer, face or slice.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Location {
    /// Coordinates of the center of the texel: x, y, slice.
    pub(super) center: [f64; 3],
    /// Number of the layer, face or slice.
    pub(super) slice: u32,
}

/// Fields of a grid along a side.
const FIELDS: f64 = 8.0;

/// Colors of the faces of cubes: +x, -x, +y, -y, +z, -z.
const FACE_COLORS: [[f64; 3]; 6] = [
    [1.0, 0.35, 0.3],
    [0.3, 0.9, 1.0],
    [0.4, 1.0, 0.35],
    [1.0, 0.4, 1.0],
    [0.35, 0.45, 1.0],
    [1.0, 0.95, 0.35],
];

/// Returns the color of the grid: fields that are bright and dark in turn, of a color in which red
/// grows with x, green with y and blue with the slice of 3D textures; faces of cubes have a color
/// each, layers have exchanged channels. The field at the origin is white.
pub(super) fn grid_color(target: TexTarget, location: Location) -> [f64; 4] {
    let [x, y, slice] = location.center;
    let field = |value: f64| (value * FIELDS).floor();
    let depth = if target == TexTarget::D3 { slice } else { 0.0 };
    if field(x) == 0.0 && field(y) == 0.0 && field(depth) == 0.0 {
        return [1.0; 4];
    }
    let is_dark = (field(x) + field(y) + field(depth)) % 2.0 != 0.0;
    let factor = if is_dark { 0.55 } else { 1.0 };
    let rise = |value: f64| 0.15 + 0.85 * value;
    let color = if target.is_cube() {
        let face = FACE_COLORS[location.slice as usize % FACE_COLORS.len()];
        face.map(|channel| channel * (0.7 + 0.15 * (x + y)))
    } else if target == TexTarget::D3 {
        [rise(x), rise(y), rise(slice)]
    } else {
        [rise(x), rise(y), 0.9 - 0.45 * (x + y)]
    };
    let mut color = color.map(|channel| channel * factor);
    if target.is_array() && !target.is_cube() {
        color.rotate_right(location.slice as usize % 3);
    }
    let [red, green, blue] = color;
    [red, green, blue, 1.0]
}

/// Cells of the coarsest noise along a side.
const NOISE_CELLS: u32 = 8;

/// Returns smooth noise in all four channels but alpha, which is 1: three octaves of interpolated
/// random values. It continues at the opposite edges.
pub(super) fn noise_color(location: Location) -> [f64; 4] {
    let channel = |number: u32| {
        let octaves = [(1, 0.5), (2, 0.3), (4, 0.2)];
        octaves
            .iter()
            .map(|(factor, weight)| weight * octave(location, NOISE_CELLS * factor, number))
            .sum()
    };
    [channel(0), channel(1), channel(2), 1.0]
}

/// Returns one octave of noise, from 0 to 1, with this number of cells along a side.
fn octave(location: Location, cells: u32, channel: u32) -> f64 {
    let scaled = location.center.map(|value| value * f64::from(cells) - 0.5);
    let lower = scaled.map(f64::floor);
    let weight = |axis: usize, far: u32| {
        let t = scaled[axis] - lower[axis];
        let smooth = t * t * (3.0 - 2.0 * t);
        if far == 1 { smooth } else { 1.0 - smooth }
    };
    let mut sum = 0.0;
    for corner in 0..8_u32 {
        let far = [corner & 1, corner >> 1 & 1, corner >> 2];
        let cell: [u32; 3] = std::array::from_fn(|axis| {
            let index = lower[axis] as i64 + i64::from(far[axis]);
            index.rem_euclid(cells.into()) as u32
        });
        let weights = (0..3).map(|axis| weight(axis, far[axis]));
        sum += weights.product::<f64>() * random_value(cell, channel);
    }
    sum
}

/// Returns a number from 0 to 1 that depends on a cell and a channel in no visible way: the
/// finalizer of MurmurHash3 of their combination.
fn random_value([x, y, z]: [u32; 3], channel: u32) -> f64 {
    let mut bits = x
        .wrapping_mul(0x9e37_79b1)
        .wrapping_add(y.wrapping_mul(0x85eb_ca77))
        .wrapping_add(z.wrapping_mul(0xc2b2_ae3d))
        .wrapping_add(channel.wrapping_mul(0x27d4_eb2f));
    for factor in [0x85eb_ca6b_u32, 0xc2b2_ae35] {
        bits = (bits ^ bits >> 15).wrapping_mul(factor);
    }
    f64::from(bits ^ bits >> 16) / f64::from(u32::MAX)
}

/// Bumps along a side.
const BUMPS: f64 = 4.0;

/// Returns the normal of a bumpy surface, mapped from -1..1 to 0..1: x and y to the right and
/// upward, z out of the surface.
pub(super) fn bump_normal(location: Location) -> [f64; 4] {
    let [x, y, _] = location.center.map(|value| value * TAU * BUMPS);
    let normal = [-x.cos() * y.sin(), -x.sin() * y.cos(), 1.5];
    let length = normal.iter().map(|value| value * value).sum::<f64>().sqrt();
    let [x, y, z] = normal.map(|value| 0.5 + 0.5 * value / length);
    [x, y, z, 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64) -> Location {
        Location {
            center: [x, y, 0.5],
            slice: 0,
        }
    }

    #[test]
    fn the_grid_shows_orientation() {
        let grid = |x, y| grid_color(TexTarget::D2, at(x, y));
        assert_eq!(grid(0.05, 0.05), [1.0; 4]);
        // Two fields of the same brightness: red grows to the right, green upward.
        let (left, right, top) = (grid(0.05, 0.3), grid(0.8, 0.05), grid(0.05, 0.8));
        assert!(right[0] > left[0] && top[1] > left[1]);
        // Neighbors differ by the factor 0.55.
        let (bright, dark) = (grid(0.26, 0.01), grid(0.26, 0.13));
        assert!(dark[0] / bright[0] - 0.55 < 1e-9, "{bright:?} {dark:?}");
        for (face, color) in FACE_COLORS.iter().enumerate() {
            let location = Location {
                center: [0.5, 0.5, 0.0],
                slice: face as u32,
            };
            let found = grid_color(TexTarget::Cube, location);
            let ratio = found[0] / color[0];
            assert!((found[1] / color[1] - ratio).abs() < 1e-9);
        }
    }

    #[test]
    fn noise_is_smooth_and_periodic() {
        let near = |a: [f64; 4], b: [f64; 4], limit: f64| {
            a.iter().zip(b).all(|(a, b)| (a - b).abs() < limit)
        };
        assert!(near(
            noise_color(at(0.0, 0.3)),
            noise_color(at(1.0, 0.3)),
            1e-9
        ));
        assert!(near(
            noise_color(at(0.4, 0.3)),
            noise_color(at(0.4001, 0.3)),
            0.02
        ));
        let values: Vec<f64> = (0..64)
            .map(|n| noise_color(at(f64::from(n) / 64.0, 0.7))[0])
            .collect();
        let range = values.iter().fold([1.0_f64, 0.0], |[low, high], value| {
            [low.min(*value), high.max(*value)]
        });
        assert!(
            range[0] >= 0.0 && range[1] <= 1.0 && range[1] - range[0] > 0.3,
            "{range:?}"
        );
    }

    #[test]
    fn normals_have_length_1() {
        for (x, y) in [(0.0, 0.0), (0.1, 0.2), (0.7, 0.9)] {
            let [a, b, c, _] = bump_normal(at(x, y)).map(|value| 2.0 * value - 1.0);
            assert!((a * a + b * b + c * c - 1.0).abs() < 1e-9);
        }
        // At the origin the surface is horizontal.
        assert_eq!(bump_normal(at(0.0, 0.0)), [0.5, 0.5, 1.0, 1.0]);
    }
}
