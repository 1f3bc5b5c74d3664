//! Rasterization of lines as rectangles: the lines of devices with `strictLines`, and the default
//! mode of others. Vulkan specification, "Basic Line Segment Rasterization".

use super::raster::{Corners, Viewport, Weights};
use super::vertices::VertexResult;

/// Smallest w of a point of a line that is drawn; lines are clipped there.
const MIN_W: f64 = 1e-6;

/// A line.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Line {
    /// Part of the line that is drawn: weights of its second vertex.
    part: [f64; 2],
    /// Positions in clip space of the ends of the part.
    clip: [[f64; 4]; 2],
    /// Positions in pixels of the ends of the part.
    ends: [[f64; 2]; 2],
    corners: Corners<4>,
}

impl Line {
    /// Returns the line between vertices in clip space, with a width in pixels; `None` if it has no
    /// length, or w is negative everywhere.
    pub(super) fn new(
        vertices: [&VertexResult; 2],
        width: f64,
        viewport: Viewport,
    ) -> Option<Self> {
        let [from, to] = vertices.map(|vertex| vertex.position);
        let part = clip_to_front([from[3], to[3]])?;
        let clip = part.map(|weight| {
            std::array::from_fn(|lane| from[lane] + weight * (to[lane] - from[lane]))
        });
        let ends = clip.map(|position: [f64; 4]| viewport.to_pixels(position));
        let [a, b] = ends;
        let direction = [b[0] - a[0], b[1] - a[1]];
        let length = direction[0].hypot(direction[1]);
        if length == 0.0 || !length.is_finite() {
            return None;
        }
        let half = width / 2.0 / length;
        let side = [-direction[1] * half, direction[0] * half];
        let corner = |end: [f64; 2], sign: f64| [end[0] + sign * side[0], end[1] + sign * side[1]];
        let corners = [
            corner(a, -1.0),
            corner(b, -1.0),
            corner(b, 1.0),
            corner(a, 1.0),
        ];
        Some(Self {
            part,
            clip,
            ends,
            corners: Corners::new(corners)?,
        })
    }

    /// Returns the least and the largest coordinates of the rectangle in pixels.
    pub(super) fn find_bounds(&self) -> [[f64; 2]; 2] {
        self.corners.find_bounds()
    }

    /// Returns true if the rectangle covers a position in pixels.
    pub(super) fn covers(&self, pixel: [f64; 2]) -> bool {
        self.corners.covers(pixel)
    }

    /// Returns the weights of the vertices at the point of the line that is nearest to a position.
    pub(super) fn find_weights(&self, pixel: [f64; 2]) -> Weights {
        let [a, b] = self.ends;
        let direction = [b[0] - a[0], b[1] - a[1]];
        let distance = [pixel[0] - a[0], pixel[1] - a[1]];
        let product = |x: [f64; 2], y: [f64; 2]| x[0] * y[0] + x[1] * y[1];
        let t = product(distance, direction) / product(direction, direction);
        let over_w = [(1.0 - t) / self.clip[0][3], t / self.clip[1][3]];
        let reciprocal_w = over_w[0] + over_w[1];
        let linear = [1.0 - t, t];
        let depths = [0, 1].map(|end| linear[end] * self.clip[end][2] / self.clip[end][3]);
        Weights {
            perspective: self.to_vertices(over_w.map(|weight| weight / reciprocal_w)),
            linear: self.to_vertices(linear),
            depth: depths[0] + depths[1],
            reciprocal_w,
        }
    }

    /// Returns the weights of the vertices for weights of the ends of the drawn part.
    fn to_vertices(&self, [first, last]: [f64; 2]) -> [f64; 3] {
        let second = first * self.part[0] + last * self.part[1];
        [first + last - second, second, 0.0]
    }
}

/// Returns the part of a line between points with these w in which w is at least [`MIN_W`]: weights
/// of the second point. `None` if there is none.
fn clip_to_front([from, to]: [f64; 2]) -> Option<[f64; 2]> {
    let is_front = [from, to].map(|w| w >= MIN_W);
    let crossing = (MIN_W - from) / (to - from);
    match is_front {
        [true, true] => Some([0.0, 1.0]),
        [true, false] => Some([0.0, crossing]),
        [false, true] => Some([crossing, 1.0]),
        [false, false] => None,
    }
}
