//! Meshes: vertices with positions, normals, tangents, texture coordinates and colors, and the
//! primitives of the default scenes.

use std::collections::BTreeMap;
use std::f32::consts::TAU;

/// Vertex of a mesh.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Vertex {
    /// Position in object space.
    pub position: [f32; 3],
    /// Normal of length 1.
    pub normal: [f32; 3],
    /// Tangent of length 1, in the direction in which the first texture coordinate grows.
    pub tangent: [f32; 3],
    /// Texture coordinates.
    pub texcoord: [f32; 2],
    /// Color, opaque.
    pub color: [f32; 3],
}

/// Vertices, and the primitives that connect them.
#[derive(Clone, PartialEq, Debug)]
pub struct Mesh {
    /// Topology in the words of scripts.
    pub topology: &'static str,
    /// Vertices.
    pub vertices: Vec<Vertex>,
    /// Vertices of the primitives; empty if each vertex is used once, in its order.
    pub indices: Vec<u32>,
}

/// Radii of the torus: of the ring, and of the tube.
const RADII: [f32; 2] = [1.0, 0.42];

impl Mesh {
    /// Returns a rectangle that covers clip space, with a color at each corner.
    pub fn rectangle() -> Self {
        const COLORS: [[f32; 3]; 4] = [
            [1.0, 0.3, 0.2],
            [0.2, 0.9, 0.3],
            [0.2, 0.4, 1.0],
            [1.0, 0.9, 0.4],
        ];
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        let vertex = |([s, t], color): ([f32; 2], [f32; 3])| Vertex {
            position: [2.0 * s - 1.0, 2.0 * t - 1.0, 0.0],
            normal: [0.0, 0.0, 1.0],
            tangent: [1.0, 0.0, 0.0],
            texcoord: [s, t],
            color,
        };
        Self {
            topology: "TRIANGLE_STRIP",
            vertices: corners.into_iter().zip(COLORS).map(vertex).collect(),
            indices: Vec::new(),
        }
    }

    /// Returns a torus around the z axis as triangles, with these numbers of quadrilaterals along
    /// the ring and around the tube. Vertices at seams exist twice.
    pub fn torus(ring: u32, tube: u32) -> Self {
        let mut vertices = Vec::new();
        for j in 0..=tube {
            for i in 0..=ring {
                let coords = [i as f32 / ring as f32, j as f32 / tube as f32];
                vertices.push(torus_vertex(coords));
            }
        }
        let mut indices = Vec::new();
        for [a, b, c, d] in quads(ring, tube) {
            indices.extend([a, b, d, a, d, c]);
        }
        Self {
            topology: "TRIANGLES",
            vertices,
            indices,
        }
    }

    /// Returns the quadrilaterals of the torus as patches of four vertices: the corners (0, 0),
    /// (1, 0), (0, 1) and (1, 1).
    pub fn torus_patches(ring: u32, tube: u32) -> Self {
        Self {
            topology: "PATCHES",
            indices: quads(ring, tube).flatten().collect(),
            ..Self::torus(ring, tube)
        }
    }

    /// Returns one patch of any number of vertices: a grid of control points above a square if the
    /// number is a square, else the corners of a regular polygon.
    pub fn single_patch(count: u32) -> Self {
        let side = (1..).find(|side| side * side >= count).unwrap_or(1);
        let is_grid = side * side == count && side > 1;
        let vertex = |number: u32| {
            let [x, y] = if is_grid {
                let unit = |n: u32| 2.0 * n as f32 / (side - 1) as f32 - 1.0;
                [unit(number % side), unit(number / side)]
            } else {
                let angle = TAU * number as f32 / count as f32;
                [angle.cos(), angle.sin()]
            };
            let height = 0.6 * (1.0 - x * x) * (1.0 - y * y);
            let position = [x, y, if is_grid { height } else { 0.0 }];
            Vertex {
                position,
                normal: [0.0, 0.0, 1.0],
                tangent: [1.0, 0.0, 0.0],
                texcoord: [0.5 + 0.5 * x, 0.5 + 0.5 * y],
                color: color_at(position),
            }
        };
        Self {
            topology: "PATCHES",
            vertices: (0..count).map(vertex).collect(),
            indices: Vec::new(),
        }
    }

    /// Returns the vertices as points.
    pub fn into_points(self) -> Self {
        Self {
            topology: "POINTS",
            indices: Vec::new(),
            ..self
        }
    }

    /// Returns the edges of the triangles as lines, each once.
    pub fn into_lines(self) -> Self {
        let edges = self.find_opposite_vertices();
        Self {
            topology: "LINES",
            indices: edges.into_keys().flatten().collect(),
            ..self
        }
    }

    /// Returns the edges of the triangles as lines, each once, with the third vertices of the
    /// triangles at both sides as adjacent vertices.
    pub fn into_lines_with_adjacency(self) -> Self {
        let edges = self.find_opposite_vertices().into_iter();
        let line = |([a, b], opposite): ([u32; 2], Vec<u32>)| {
            let first = opposite.first().copied().unwrap_or(a);
            let last = opposite.last().copied().unwrap_or(b);
            [first, a, b, last]
        };
        Self {
            topology: "LINES_ADJACENCY",
            indices: edges.flat_map(line).collect(),
            ..self
        }
    }

    /// Returns the triangles with the third vertices of their neighbors as adjacent vertices; at a
    /// border, a triangle is its own neighbor.
    pub fn into_triangles_with_adjacency(self) -> Self {
        let edges = self.find_opposite_vertices();
        let adjacent = |a: u32, b: u32, own: u32| {
            let opposite = edges.get(&[a.min(b), a.max(b)]);
            let other = opposite.and_then(|all| all.iter().find(|vertex| **vertex != own));
            other.copied().unwrap_or(own)
        };
        let mut indices = Vec::with_capacity(2 * self.indices.len());
        for triangle in self.indices.chunks_exact(3) {
            if let [a, b, c] = *triangle {
                indices.extend([
                    a,
                    adjacent(a, b, c),
                    b,
                    adjacent(b, c, a),
                    c,
                    adjacent(c, a, b),
                ]);
            }
        }
        Self {
            topology: "TRIANGLES_ADJACENCY",
            indices,
            ..self
        }
    }

    /// Returns a mesh that uses each vertex once, in its order, so that numbers of vertices are
    /// those of the draw.
    pub fn without_indices(self) -> Self {
        if self.indices.is_empty() {
            return self;
        }
        let vertex = |index: &u32| self.vertices.get(*index as usize).copied();
        Self {
            vertices: self.indices.iter().filter_map(vertex).collect(),
            indices: Vec::new(),
            ..self
        }
    }

    /// Returns the edges of the triangles, each with the third vertices of its triangles.
    fn find_opposite_vertices(&self) -> BTreeMap<[u32; 2], Vec<u32>> {
        let mut edges: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        for triangle in self.indices.chunks_exact(3) {
            if let [a, b, c] = *triangle {
                for (from, to, opposite) in [(a, b, c), (b, c, a), (c, a, b)] {
                    let edge = [from.min(to), from.max(to)];
                    edges.entry(edge).or_default().push(opposite);
                }
            }
        }
        edges
    }
}

/// Returns the corners of the quadrilaterals of a grid of vertices, which has one vertex more than
/// quadrilaterals in each direction.
fn quads(columns: u32, lines: u32) -> impl Iterator<Item = [u32; 4]> {
    (0..lines).flat_map(move |j| {
        (0..columns).map(move |i| {
            let a = j * (columns + 1) + i;
            [a, a + 1, a + columns + 1, a + columns + 2]
        })
    })
}

/// Returns the vertex of the torus at texture coordinates.
fn torus_vertex([s, t]: [f32; 2]) -> Vertex {
    let (ring, tube) = (TAU * s, TAU * t);
    let distance = RADII[0] + RADII[1] * tube.cos();
    let position = [
        distance * ring.cos(),
        distance * ring.sin(),
        RADII[1] * tube.sin(),
    ];
    Vertex {
        position,
        normal: [tube.cos() * ring.cos(), tube.cos() * ring.sin(), tube.sin()],
        tangent: [-ring.sin(), ring.cos(), 0.0],
        texcoord: [s, t],
        color: color_at(position),
    }
}

/// Returns the color of a vertex, which its position determines.
pub(super) fn color_at(position: [f32; 3]) -> [f32; 3] {
    position.map(|value| (0.55 + 0.35 * value).clamp(0.1, 1.0))
}

/// Returns the cross product of two vectors.
pub(super) fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Returns a vector with length 1; `fallback` if it has no direction.
pub(super) fn normalize(vector: [f32; 3], fallback: [f32; 3]) -> [f32; 3] {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length.is_finite() && length > 0.0 {
        vector.map(|value| value / length)
    } else {
        fallback
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn the_torus_is_a_surface_with_outward_normals() {
        let torus = Mesh::torus(16, 8);
        for vertex in &torus.vertices {
            let [x, y, z] = vertex.position;
            // (sqrt(x^2 + y^2) - 1)^2 + z^2 = 0.42^2
            let distance = (x * x + y * y).sqrt() - RADII[0];
            assert!((distance * distance + z * z - RADII[1] * RADII[1]).abs() < 1e-5);
            assert!((dot(vertex.normal, vertex.normal) - 1.0).abs() < 1e-5);
            assert!(dot(vertex.normal, vertex.tangent).abs() < 1e-5);
        }
        // Triangles are counter-clockwise, seen from outside.
        for triangle in torus.indices.chunks_exact(3) {
            let corner = |index: usize| torus.vertices[triangle[index] as usize];
            let edge = |to: usize| -> [f32; 3] {
                std::array::from_fn(|axis| corner(to).position[axis] - corner(0).position[axis])
            };
            let normal = cross(edge(1), edge(2));
            assert!(dot(normal, corner(0).normal) > 0.0, "{triangle:?}");
        }
    }

    #[test]
    fn adjacent_vertices_are_those_of_neighbors() {
        // Two triangles that share the edge from 1 to 2.
        let square = Mesh {
            topology: "TRIANGLES",
            vertices: vec![Vertex::default(); 4],
            indices: vec![0, 1, 2, 2, 1, 3],
        };
        let triangles = square.clone().into_triangles_with_adjacency();
        assert_eq!(triangles.indices, [0, 2, 1, 3, 2, 1, 2, 0, 1, 2, 3, 1]);
        assert_eq!(
            square.clone().into_lines().indices,
            [0, 1, 0, 2, 1, 2, 1, 3, 2, 3]
        );
        let lines = square.clone().into_lines_with_adjacency().indices;
        assert_eq!(lines[8..12], [0, 1, 2, 3]);
        assert_eq!(square.without_indices().vertices.len(), 6);
    }

    #[test]
    fn single_patches_are_grids_or_polygons() {
        let grid = Mesh::single_patch(16);
        assert_eq!(grid.vertices[0].position, [-1.0, -1.0, 0.0]);
        assert_eq!(grid.vertices[15].position, [1.0, 1.0, 0.0]);
        let polygon = Mesh::single_patch(6);
        for vertex in &polygon.vertices {
            assert!((dot(vertex.position, vertex.position) - 1.0).abs() < 1e-5);
        }
        assert_eq!(Mesh::single_patch(1).vertices.len(), 1);
    }
}
