//! Rasterization of triangles and points at single positions, in homogeneous coordinates: triangles
//! that cross the plane w = 0 need no clipping. `line` rasterizes lines.
//!
//! The weights of the vertices at a pixel solve `x y w` of the vertices times weights = `x y 1` of
//! the pixel in normalized device coordinates. They are the perspective-correct weights divided by w;
//! multiplied by w of their vertex they are the weights that are linear in screen space.

use super::line::Line;
use super::vertices::VertexResult;

/// Fixed-point units of a pixel to which devices round the positions of vertices.
const SUBPIXELS: f64 = 256.0;

/// Viewport: x, y, width, height in pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Viewport(pub(super) [f64; 4]);

impl Viewport {
    /// Returns the normalized device coordinates of a position in pixels.
    fn to_ndc(self, pixel: [f64; 2]) -> [f64; 2] {
        let Self(area) = self;
        [0, 1].map(|axis| (pixel[axis] - area[axis]) / area[axis + 2] * 2.0 - 1.0)
    }

    /// Returns the position in pixels of a position in clip space.
    pub(super) fn to_pixels(self, clip: [f64; 4]) -> [f64; 2] {
        let Self(area) = self;
        [0, 1].map(|axis| (clip[axis] / clip[3] + 1.0) / 2.0 * area[axis + 2] + area[axis])
    }
}

/// Weights of the vertices of a primitive at a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Weights {
    /// Perspective-correct; their sum is 1.
    pub(super) perspective: [f64; 3],
    /// Linear in screen space; their sum is 1.
    pub(super) linear: [f64; 3],
    /// Depth in clip space divided by w.
    pub(super) depth: f64,
    /// 1 / w
    pub(super) reciprocal_w: f64,
}

/// A primitive on the screen.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Shape {
    /// A triangle.
    Triangle(Box<Triangle>),
    /// A rectangle.
    Line(Box<Line>),
    /// A square.
    Point(Point),
}

/// A triangle.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Triangle {
    viewport: Viewport,
    clip: [[f64; 4]; 3],
    /// Rows of the inverse of the matrix of x, y and w.
    inverse: [[f64; 3]; 3],
    /// Positions of the vertices, if all are in front of the viewer.
    corners: Option<Corners<3>>,
    /// Positive if the vertices are in clockwise order.
    area: f64,
}

/// Convex polygon in fixed point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Corners<const N: usize> {
    positions: [[i64; 2]; N],
    /// 1 if they are in clockwise order on a screen whose y axis points down, else -1.
    sign: i64,
}

impl<const N: usize> Corners<N> {
    /// Returns the polygon with corners in pixels; `None` if it has no area.
    pub(super) fn new(corners: [[f64; 2]; N]) -> Option<Self> {
        let positions = corners.map(to_fixed);
        let sign = cross_product(positions[0], positions[1], positions[2]).signum();
        (sign != 0).then_some(Self { positions, sign })
    }

    /// Returns the least and the largest coordinates in pixels.
    pub(super) fn find_bounds(&self) -> [[f64; 2]; 2] {
        let all = self.positions.iter();
        [i64::min, i64::max].map(|choose| {
            [0, 1].map(|axis| {
                let coordinates = all.clone().map(|position| position[axis]);
                coordinates.reduce(choose).unwrap_or(0) as f64 / SUBPIXELS
            })
        })
    }

    /// Returns true if the polygon covers a position in pixels. Positions on an edge belong to it if
    /// it is a top or left edge.
    pub(super) fn covers(&self, pixel: [f64; 2]) -> bool {
        let place = to_fixed(pixel);
        (0..N).all(|number| {
            let (from, to) = (self.positions[number], self.positions[(number + 1) % N]);
            let side = self.sign.saturating_mul(cross_product(from, to, place));
            // The interior is to the right of a left edge, and below a top edge.
            let [dx, dy] = [0, 1].map(|axis| {
                self.sign
                    .saturating_mul(to[axis].saturating_sub(from[axis]))
            });
            let is_top_left = dy < 0 || dy == 0 && dx > 0;
            side > 0 || side == 0 && is_top_left
        })
    }
}

/// Returns a position in pixels in fixed point.
fn to_fixed(pixel: [f64; 2]) -> [i64; 2] {
    pixel.map(|coordinate| (coordinate * SUBPIXELS).round() as i64)
}

/// A point: the square around its position.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Point {
    center: [f64; 2],
    size: f64,
    depth: f64,
    reciprocal_w: f64,
}

impl Triangle {
    /// Returns the triangle with vertices in clip space; `None` if it has no area.
    pub(super) fn new(vertices: [&VertexResult; 3], viewport: Viewport) -> Option<Self> {
        let clip = vertices.map(|vertex| vertex.position);
        let rows = [0, 1, 3].map(|row| clip.map(|position| position[row]));
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [
                a[1] * b[2] - a[2] * b[1],
                a[2] * b[0] - a[0] * b[2],
                a[0] * b[1] - a[1] * b[0],
            ]
        };
        let columns = [
            cross(rows[1], rows[2]),
            cross(rows[2], rows[0]),
            cross(rows[0], rows[1]),
        ];
        let determinant: f64 = (0..3).map(|lane| rows[0][lane] * columns[0][lane]).sum();
        if determinant == 0.0 || !determinant.is_finite() {
            return None;
        }
        let inverse = std::array::from_fn(|row| columns.map(|column| column[row] / determinant));
        let corners = if clip.iter().all(|position| position[3] > 0.0) {
            Some(Corners::new(
                clip.map(|position| viewport.to_pixels(position)),
            )?)
        } else {
            None
        };
        let area = corners.map_or(determinant, |corners| corners.sign as f64);
        Some(Self {
            viewport,
            clip,
            inverse,
            corners,
            area,
        })
    }

    /// Returns true if the vertices are in clockwise order on a screen whose y axis points down.
    pub(super) fn is_clockwise(&self) -> bool {
        self.area > 0.0
    }

    /// Returns the weights divided by w at a position in pixels.
    fn solve(&self, pixel: [f64; 2]) -> [f64; 3] {
        let [x, y] = self.viewport.to_ndc(pixel);
        self.inverse.map(|row| row[0] * x + row[1] * y + row[2])
    }

    /// Returns true if the triangle covers a position in pixels.
    fn covers(&self, pixel: [f64; 2]) -> bool {
        match self.corners {
            Some(corners) => corners.covers(pixel),
            None => self.solve(pixel).iter().all(|weight| *weight > 0.0),
        }
    }
}

/// Returns the cross product of the vectors from `a` to `b` and from `a` to `c`: positive if they
/// are in clockwise order on a screen whose y axis points down.
fn cross_product(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    let difference = |p: [i64; 2]| [p[0].saturating_sub(a[0]), p[1].saturating_sub(a[1])];
    let (to_b, to_c) = (difference(b), difference(c));
    let product = |x: i64, y: i64| x.saturating_mul(y);
    product(to_b[0], to_c[1]).saturating_sub(product(to_b[1], to_c[0]))
}

impl Point {
    /// Returns the square of `size` pixels around a vertex; `None` if its w is not positive.
    pub(super) fn new(vertex: &VertexResult, size: f64, viewport: Viewport) -> Option<Self> {
        let clip = vertex.position;
        (clip[3] > 0.0).then(|| Self {
            center: viewport.to_pixels(clip),
            size,
            depth: clip[2] / clip[3],
            reciprocal_w: 1.0 / clip[3],
        })
    }

    /// Returns the coordinate in the square, from (0, 0) at the corner with the smallest x and y.
    pub(super) fn find_coordinate(&self, pixel: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|axis| 0.5 + (pixel[axis] - self.center[axis]) / self.size)
    }
}

impl Shape {
    /// Returns two positions in pixels, of which the first is left and above, the second right and
    /// below of all that the primitive covers.
    pub(super) fn find_bounds(&self) -> [[f64; 2]; 2] {
        match self {
            Self::Triangle(triangle) => {
                let unbounded = [[f64::NEG_INFINITY; 2], [f64::INFINITY; 2]];
                triangle
                    .corners
                    .map_or(unbounded, |corners| corners.find_bounds())
            }
            Self::Line(line) => line.find_bounds(),
            Self::Point(point) => {
                let half = point.size / 2.0;
                [-half, half].map(|distance| point.center.map(|place| place + distance))
            }
        }
    }

    /// Returns true if the primitive covers a position in pixels.
    pub(super) fn covers(&self, pixel: [f64; 2]) -> bool {
        match self {
            Self::Triangle(triangle) => triangle.covers(pixel),
            Self::Line(line) => line.covers(pixel),
            Self::Point(point) => {
                let coordinate = point.find_coordinate(pixel);
                coordinate.iter().all(|place| (0.0..1.0).contains(place))
            }
        }
    }

    /// Returns the weights of the vertices at a position in pixels, also outside of the primitive.
    pub(super) fn find_weights(&self, pixel: [f64; 2]) -> Weights {
        match self {
            Self::Triangle(triangle) => {
                let weights = triangle.solve(pixel);
                let reciprocal_w: f64 = weights.iter().sum();
                Weights {
                    perspective: weights.map(|weight| weight / reciprocal_w),
                    linear: std::array::from_fn(|vertex| {
                        weights[vertex] * triangle.clip[vertex][3]
                    }),
                    depth: (0..3)
                        .map(|vertex| weights[vertex] * triangle.clip[vertex][2])
                        .sum(),
                    reciprocal_w,
                }
            }
            Self::Line(line) => line.find_weights(pixel),
            Self::Point(point) => Weights {
                perspective: [1.0, 0.0, 0.0],
                linear: [1.0, 0.0, 0.0],
                depth: point.depth,
                reciprocal_w: point.reciprocal_w,
            },
        }
    }
}
