//! What is drawn.

use crate::Outcome;
use crate::vulkan::Geometry;
use ash::vk;
use glasm::state::ConventionalAttribute;

/// The texels of the texture, light and dark.
pub(crate) const CHECKS: [[u8; 4]; 4] = [[255; 4], [96, 96, 96, 255], [96, 96, 96, 255], [255; 4]];

/// Where the attributes of a vertex are. Their numbers are their locations.
pub(crate) fn geometry() -> Outcome<Geometry> {
    let number = |it: ConventionalAttribute| it.index().ok_or("no such attribute");
    Ok(Geometry {
        stride: 20,
        attributes: vec![
            (
                number(ConventionalAttribute::Position)?,
                vk::Format::R32G32B32_SFLOAT,
                0,
            ),
            (
                number(ConventionalAttribute::Normal)?,
                vk::Format::R32G32B32_SFLOAT,
                0,
            ),
            (
                number(ConventionalAttribute::TexCoord(0))?,
                vk::Format::R32G32_SFLOAT,
                12,
            ),
        ],
    })
}

/// Triangles: for each vertex the position, which is the normal, too, and a texture coordinate.
pub(crate) fn vertices() -> Vec<[f32; 5]> {
    const SLICES: u8 = 64;
    const STACKS: u8 = 32;
    let corner = |slice: u8, stack: u8| {
        let (s, t) = (f32::from(slice) / 64.0, f32::from(stack) / 32.0);
        let (y, radius) = (t * 180.0 - 90.0).to_radians().sin_cos();
        let (x, z) = (s * 360.0).to_radians().sin_cos();
        [radius * x, y, radius * z, 8.0 * s, 4.0 * t]
    };
    let quads = (0..STACKS).flat_map(|stack| (0..SLICES).map(move |slice| (slice, stack)));
    let steps = [(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)];
    quads
        .flat_map(|(x, y)| steps.map(|(right, up)| corner(x + right, y + up)))
        .collect()
}
