//! Generated texels.

use super::procedural::{Location, bump_normal, grid_color, noise_color};
use super::shape::{PlaneId, TextureShape};
use crate::format::{Encoding, Format};
use glasm::ir::TexTarget;

const RED: [f64; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f64; 4] = [0.0, 1.0, 0.0, 1.0];
const BLUE: [f64; 4] = [0.0, 0.0, 1.0, 1.0];
const WHITE: [f64; 4] = [1.0; 4];
const YELLOW: [f64; 4] = [1.0, 1.0, 0.0, 1.0];
const MAGENTA: [f64; 4] = [1.0, 0.0, 1.0, 1.0];
const CYAN: [f64; 4] = [0.0, 1.0, 1.0, 1.0];
const BLACK: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// Colors of quarters, levels and layers, and of the eighths of a 3D texture.
const EIGHT_COLORS: [[f64; 4]; 8] = [RED, GREEN, BLUE, WHITE, YELLOW, MAGENTA, CYAN, BLACK];

/// Function from texel locations to colors.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pattern {
    /// Red, green / blue, white quarters of each plane; of 1D and buffer textures, along the
    /// texture; of 3D textures, the near half, and yellow, magenta / cyan, black the far one.
    Rgbw(StoredComponents),
    /// Fields of these sizes, in (even, odd) columns of even rows, then of odd rows.
    Quads {
        /// Colors of the four fields, which repeat.
        colors: [[f64; 4]; 4],
        /// Width and height of a field in texels.
        field: [u32; 2],
    },
    /// Red, green, blue or white per level, in turn.
    Levels,
    /// Red, green, blue or white per layer, face or slice, in turn.
    Layers,
    /// Ramp from 0 at the left edge to 1 at the right one, in all of red, green and blue.
    Ramp,
    /// Red from left to right, green from row 0 to the last, blue from slice 0 to the last, each
    /// from 0 to 1.
    Gradient,
    /// Coordinates x, y, slice, and level or, for multisample textures, sample: numbers for
    /// integers and floats.
    Coordinates,
    /// One color for all texels.
    Solid([f64; 4]),
    /// Fields whose colors show the orientation of the texture, the face of cubes and the layer.
    Grid,
    /// Smooth random colors.
    Noise,
    /// Normals of a bumpy surface, mapped from -1..1 to 0..1.
    Bumps,
    /// Coordinates x, y and two more numbers, distributed over the channels as in piglit.
    Integers {
        /// Additional numbers.
        more: [f64; 2],
        /// Channels of the format, 1 to 4.
        channels: u8,
    },
}

/// Stored components of a color, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoredComponents {
    /// All four components.
    All,
    /// Alpha alone, in the first channel.
    Alpha,
    /// Red in the first channel, alpha in the second.
    RedAndAlpha,
}

impl StoredComponents {
    /// Moves the stored components of a color to the first channels, in order; the following ones
    /// are 0, but the last one is 1.
    fn select(self, [red, green, blue, alpha]: [f64; 4]) -> [f64; 4] {
        match self {
            Self::All => [red, green, blue, alpha],
            Self::Alpha => [alpha, 0.0, 0.0, 1.0],
            Self::RedAndAlpha => [red, alpha, 0.0, 1.0],
        }
    }
}

/// Location of a texel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TexelLocation {
    x: u32,
    y: u32,
    id: PlaneId,
}

impl Pattern {
    /// Returns the texels of a plane that the pattern fills, encoded in the format of the texture.
    pub fn generate_plane(&self, shape: &TextureShape, id: PlaneId) -> Vec<u8> {
        let [width, height, _] = shape.level_extent(id.level);
        let mut texels = Vec::with_capacity(shape.plane_bytes(id.level));
        for y in 0..height {
            for x in 0..width {
                let color = self.color_at(shape, TexelLocation { x, y, id });
                texels.extend(shape.format.encode(color));
            }
        }
        texels
    }

    /// Returns the color of the pattern at a texel of a texture with this shape.
    fn color_at(&self, shape: &TextureShape, spot: TexelLocation) -> [f64; 4] {
        let TexelLocation { x, y, id } = spot;
        let [width, height, depth] = shape.level_extent(id.level);
        let ramp = |at: u32, side: u32| match side {
            0 | 1 => 0.0,
            _ => f64::from(at) / f64::from(side - 1),
        };
        match self {
            Self::Rgbw(stored) => stored.select(rgbw_color(shape, spot)),
            Self::Quads { colors, field } => {
                let (column, row) = (x / field[0].max(1) % 2, y / field[1].max(1) % 2);
                colors[(2 * row + column) as usize]
            }
            Self::Levels => EIGHT_COLORS[id.level as usize % 4],
            Self::Layers => EIGHT_COLORS[id.slice as usize % 4],
            Self::Ramp => {
                let value = ramp(x, width);
                [value, value, value, 1.0]
            }
            Self::Gradient => {
                let slices = depth.max(shape.layers);
                [ramp(x, width), ramp(y, height), ramp(id.slice, slices), 1.0]
            }
            Self::Coordinates => {
                let last = if shape.samples > 1 {
                    id.sample
                } else {
                    id.level
                };
                [x, y, id.slice, last].map(f64::from)
            }
            Self::Solid(color) => *color,
            Self::Integers { more, channels } => {
                integer_color(*channels, f64::from(x), f64::from(y), *more)
            }
            Self::Grid => grid_color(shape.target, normalize_location(shape, spot)),
            Self::Noise => noise_color(normalize_location(shape, spot)),
            Self::Bumps => bump_normal(normalize_location(shape, spot)),
        }
    }

    /// Returns true if a format can represent the values of the pattern: fractions need more than
    /// integers, and numbers more than normalized formats.
    pub fn is_suitable_for(&self, format: &Format) -> bool {
        let is_normalized = matches!(
            format.encoding,
            Encoding::Unorm | Encoding::Snorm | Encoding::Srgb
        );
        match self {
            Self::Ramp | Self::Gradient | Self::Grid | Self::Noise | Self::Bumps => {
                !format.encoding.is_integer()
            }
            Self::Coordinates | Self::Integers { .. } => !is_normalized,
            Self::Rgbw(_) | Self::Quads { .. } | Self::Levels | Self::Layers | Self::Solid(_) => {
                true
            }
        }
    }
}

/// Returns the location of a texel with coordinates from 0 to 1.
fn normalize_location(shape: &TextureShape, spot: TexelLocation) -> Location {
    let [width, height, depth] = shape.level_extent(spot.id.level);
    let slices = depth.max(shape.layers);
    let center = |at: u32, side: u32| (f64::from(at) + 0.5) / f64::from(side.max(1));
    Location {
        center: [
            center(spot.x, width),
            center(spot.y, height),
            center(spot.id.slice, slices),
        ],
        slice: spot.id.slice,
    }
}

/// Returns the color of a texel in piglit's `rgbw` pattern: one color for each quarter of a plane,
/// eighth of a 3D level, or quarter of the width of 1D and buffer textures.
fn rgbw_color(shape: &TextureShape, spot: TexelLocation) -> [f64; 4] {
    let [width, height, depth] = shape.level_extent(spot.id.level);
    let far = |at: u32, side: u32| usize::from(at >= side / 2);
    let quarter = far(spot.x, width) + 2 * far(spot.y, height);
    match shape.target {
        TexTarget::D1 | TexTarget::D1Array | TexTarget::Buffer => {
            let quarter = u64::from(spot.x) * 4 / u64::from(width.max(1));
            EIGHT_COLORS[quarter as usize % 4]
        }
        TexTarget::D3 => {
            EIGHT_COLORS[quarter
                + if depth > 1 {
                    4 * far(spot.id.slice, depth)
                } else {
                    0
                }]
        }
        TexTarget::D2
        | TexTarget::Cube
        | TexTarget::Rect
        | TexTarget::D2Array
        | TexTarget::CubeArray
        | TexTarget::D2Multisample
        | TexTarget::D2MultisampleArray => EIGHT_COLORS[quarter],
    }
}

/// Returns the integer color of piglit's pattern at pixel (x, y). Four channels are (x, y, b, a);
/// with fewer channels, the numbers are combined, so that b and a affect every format.
fn integer_color(channels: u8, x: f64, y: f64, [b, a]: [f64; 2]) -> [f64; 4] {
    match channels {
        1 => [x + y * b + a, 0.0, 0.0, 1.0],
        2 => [x + b, y + a, 0.0, 1.0],
        3 => [x, y, b + a, 1.0],
        _ => [x, y, b, a],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(target: TexTarget, extent: [u32; 3], layers: u32, format: &str) -> TextureShape {
        TextureShape {
            target,
            format: Format::parse_color_or_depth(format).unwrap(),
            extent,
            levels: 4,
            layers,
            samples: 1,
        }
    }

    fn color(pattern: Pattern, shape: &TextureShape, place: [u32; 4]) -> [f64; 4] {
        let [x, y, slice, level] = place;
        let id = PlaneId {
            level,
            slice,
            sample: 0,
        };
        pattern.color_at(shape, TexelLocation { x, y, id })
    }

    #[test]
    fn quarters_start_with_red_at_the_origin() {
        let flat = shape(TexTarget::D2, [8, 4, 1], 1, "R8G8B8A8_UNORM");
        for (x, y, expected) in [
            (0, 0, RED),
            (3, 1, RED),
            (4, 1, GREEN),
            (7, 0, GREEN),
            (3, 2, BLUE),
            (4, 2, WHITE),
        ] {
            assert_eq!(
                color(Pattern::Rgbw(StoredComponents::All), &flat, [x, y, 0, 0]),
                expected
            );
        }
        // All rows of level 2, which is 2 x 1, are upper ones.
        assert_eq!(
            color(Pattern::Rgbw(StoredComponents::All), &flat, [0, 0, 0, 2]),
            BLUE
        );
    }

    #[test]
    fn quarters_of_lines_and_eighths_of_blocks() {
        let line = shape(TexTarget::D1, [4, 1, 1], 1, "R8G8B8A8_UNORM");
        let colors =
            [0, 1, 2, 3].map(|x| color(Pattern::Rgbw(StoredComponents::All), &line, [x, 0, 0, 0]));
        assert_eq!(colors, [RED, GREEN, BLUE, WHITE]);
        let block = shape(TexTarget::D3, [2, 2, 2], 1, "R8G8B8A8_UNORM");
        let all = [0, 1, 2, 3, 4, 5, 6, 7].map(|at| {
            color(
                Pattern::Rgbw(StoredComponents::All),
                &block,
                [at & 1, at >> 1 & 1, at >> 2, 0],
            )
        });
        assert_eq!(all, [RED, GREEN, BLUE, WHITE, YELLOW, MAGENTA, CYAN, BLACK]);
    }

    #[test]
    fn fields_repeat() {
        let flat = shape(TexTarget::D2, [8, 8, 1], 1, "R8G8B8A8_UNORM");
        let colors = [RED, GREEN, BLUE, WHITE];
        let quads = Pattern::Quads {
            colors,
            field: [2, 4],
        };
        assert_eq!(color(quads, &flat, [1, 3, 0, 0]), RED);
        assert_eq!(color(quads, &flat, [2, 3, 0, 0]), GREEN);
        assert_eq!(color(quads, &flat, [5, 4, 0, 0]), BLUE);
        assert_eq!(color(quads, &flat, [7, 7, 0, 0]), WHITE);
    }

    #[test]
    fn levels_and_layers_go_round() {
        let array = shape(TexTarget::D2Array, [8, 8, 1], 6, "R8G8B8A8_UNORM");
        assert_eq!(color(Pattern::Levels, &array, [0, 0, 5, 2]), BLUE);
        assert_eq!(color(Pattern::Layers, &array, [0, 0, 5, 2]), GREEN);
    }

    #[test]
    fn ramps_reach_both_ends() {
        let depth = shape(TexTarget::D2, [5, 3, 1], 1, "D32_SFLOAT");
        let values = [0, 1, 4].map(|x| color(Pattern::Ramp, &depth, [x, 1, 0, 0])[0]);
        assert_eq!(values, [0.0, 0.25, 1.0]);
        let plane = Pattern::Ramp.generate_plane(
            &depth,
            PlaneId {
                level: 1,
                slice: 0,
                sample: 0,
            },
        );
        assert_eq!(plane, [0f32.to_le_bytes(), 1f32.to_le_bytes()].concat());
        let single = shape(TexTarget::D1, [1, 1, 1], 1, "D32_SFLOAT");
        assert_eq!(color(Pattern::Ramp, &single, [0, 0, 0, 0])[0], 0.0);
        let array = shape(TexTarget::D2Array, [3, 2, 1], 5, "R8G8B8A8_UNORM");
        assert_eq!(
            color(Pattern::Gradient, &array, [1, 1, 3, 0]),
            [0.5, 1.0, 0.75, 1.0]
        );
    }

    #[test]
    fn coordinates_are_numbers() {
        let array = shape(TexTarget::D2Array, [8, 8, 1], 6, "R8G8B8A8_UINT");
        assert_eq!(
            color(Pattern::Coordinates, &array, [3, 2, 5, 1]),
            [3.0, 2.0, 5.0, 1.0]
        );
        assert!(Pattern::Coordinates.is_suitable_for(&array.format));
        assert!(!Pattern::Gradient.is_suitable_for(&array.format));
        assert!(!Pattern::Coordinates.is_suitable_for(&Format::parse("R8_UNORM").unwrap()));
        let samples = TextureShape {
            samples: 4,
            ..shape(TexTarget::D2Multisample, [8, 8, 1], 1, "R8G8B8A8_UINT")
        };
        let id = PlaneId {
            level: 0,
            slice: 0,
            sample: 3,
        };
        assert_eq!(
            Pattern::Coordinates.color_at(&samples, TexelLocation { x: 1, y: 2, id }),
            [1.0, 2.0, 0.0, 3.0]
        );
    }

    #[test]
    fn integers_use_all_numbers() {
        let shape = shape(TexTarget::D2, [8, 8, 1], 1, "R32G32B32A32_SINT");
        let with = |channels| {
            let integers = Pattern::Integers {
                more: [10.0, 20.0],
                channels,
            };
            color(integers, &shape, [3, 2, 0, 0])
        };
        assert_eq!(with(4), [3.0, 2.0, 10.0, 20.0]);
        assert_eq!(with(3), [3.0, 2.0, 30.0, 1.0]);
        assert_eq!(with(2), [13.0, 22.0, 0.0, 1.0]);
        assert_eq!(with(1), [43.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn stored_components_come_first() {
        let flat = shape(TexTarget::D2, [2, 2, 1], 1, "R8G8_UNORM");
        let green = |stored| color(Pattern::Rgbw(stored), &flat, [1, 0, 0, 0]);
        assert_eq!(green(StoredComponents::Alpha)[0], 1.0);
        assert_eq!(green(StoredComponents::RedAndAlpha)[..2], [0.0, 1.0]);
    }
}
