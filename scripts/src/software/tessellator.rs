//! Subdivision of the domain of a patch. Vulkan specification, "Tessellation Primitive Generation".
//!
//! The specification leaves open where shorter segments are, and how the triangles between two
//! polylines connect them; here they are symmetric, and each triangle advances on the polyline of
//! which less is connected.

use glasm::ir::primitive::{TessMode, TessSpacing, TessWinding};

/// Maximum number of segments of an edge: the least `maxTessellationGenerationLevel`.
const MAX_SEGMENTS: f64 = 64.0;

/// Modes of the subdivision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TessModes {
    pub(super) mode: TessMode,
    pub(super) spacing: TessSpacing,
    pub(super) winding: TessWinding,
    /// True for points instead of lines or triangles.
    pub(super) has_points: bool,
}

/// Levels of a patch.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct TessLevels {
    pub(super) outer: [f32; 4],
    pub(super) inner: [f32; 2],
}

/// Subdivision of a domain.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Subdivision {
    /// Coordinates of the vertices: u, v, and w of triangles.
    pub(super) vertices: Vec<[f64; 3]>,
    /// Vertices of a primitive.
    pub(super) size: usize,
    /// Indices of the vertices of the primitives.
    pub(super) indices: Vec<usize>,
}

/// Returns the subdivision of a patch: without vertices if an outer level culls it.
pub(super) fn subdivide(modes: TessModes, levels: TessLevels) -> Subdivision {
    let used = match modes.mode {
        TessMode::Triangles => 3,
        TessMode::Quads => 4,
        TessMode::Isolines => 2,
    };
    let is_culled = levels.outer[..used]
        .iter()
        .any(|level| level.is_nan() || *level <= 0.0);
    let mut builder = Builder {
        result: Subdivision::default(),
        modes,
    };
    if !is_culled {
        match modes.mode {
            TessMode::Triangles => builder.subdivide_triangle(levels),
            TessMode::Quads => builder.subdivide_quad(levels),
            TessMode::Isolines => builder.subdivide_isolines(levels),
        }
    }
    let mut result = builder.result;
    if modes.has_points {
        result.size = 1;
        result.indices = (0..result.vertices.len()).collect();
    }
    result
}

/// Returns the positions from 0 to 1 that divide an edge with a level.
fn divide_edge(level: f32, spacing: TessSpacing) -> Vec<f64> {
    let level = f64::from(level);
    let (clamped, count) = match spacing {
        TessSpacing::Equal => {
            let count = level.clamp(1.0, MAX_SEGMENTS).ceil();
            (count, count)
        }
        TessSpacing::FractionalEven => {
            let clamped = level.clamp(2.0, MAX_SEGMENTS);
            (clamped, 2.0 * (clamped / 2.0).ceil())
        }
        TessSpacing::FractionalOdd => {
            let clamped = level.clamp(1.0, MAX_SEGMENTS - 1.0);
            (clamped, 2.0 * ((clamped - 1.0) / 2.0).ceil() + 1.0)
        }
    };
    let count = count as usize;
    if count <= 1 {
        return vec![0.0, 1.0];
    }
    // All segments but two have the length 1 / level; the two are the first and the last.
    let long = 1.0 / clamped;
    let short = (1.0 - (count - 2) as f64 * long) / 2.0;
    let inner = (0..count - 1).map(|number| short + number as f64 * long);
    std::iter::once(0.0).chain(inner).chain([1.0]).collect()
}

/// Returns the number of segments that a level divides an edge into.
fn count_segments(level: f32, spacing: TessSpacing) -> usize {
    divide_edge(level, spacing).len() - 1
}

/// Returns an inner level for a domain that is divided: 1 is treated as slightly larger.
fn raise_level(level: f32, spacing: TessSpacing) -> f32 {
    if count_segments(level, spacing) == 1 {
        1.0 + f32::EPSILON
    } else {
        level
    }
}

/// A subdivision that is being built.
struct Builder {
    result: Subdivision,
    modes: TessModes,
}

impl Builder {
    /// Adds a vertex and returns its index.
    fn add_vertex(&mut self, coordinate: [f64; 3]) -> usize {
        self.result.vertices.push(coordinate);
        self.result.vertices.len() - 1
    }

    /// Adds a triangle in the winding of the program, unless it has no area.
    fn add_triangle(&mut self, [a, b, c]: [usize; 3]) {
        let at = |index: usize| self.result.vertices[index];
        let (from, to, last) = (at(a), at(b), at(c));
        let area =
            (to[0] - from[0]) * (last[1] - from[1]) - (to[1] - from[1]) * (last[0] - from[0]);
        if area.abs() < 1e-12 {
            return;
        }
        let is_ccw = area > 0.0;
        let triangle = if is_ccw == (self.modes.winding == TessWinding::Ccw) {
            [a, b, c]
        } else {
            [a, c, b]
        };
        self.result.indices.extend(triangle);
    }

    /// Adds the triangles between two polylines with the same direction.
    fn connect(&mut self, outer: &[usize], inner: &[usize]) {
        let (mut i, mut j) = (0, 0);
        while i + 1 < outer.len() || j + 1 < inner.len() {
            let progress = |index: usize, line: &[usize]| {
                (2 * index + 1) as f64 / (2 * line.len().max(2) - 2) as f64
            };
            let is_outer = j + 1 >= inner.len()
                || i + 1 < outer.len() && progress(i, outer) <= progress(j, inner);
            if is_outer {
                self.add_triangle([outer[i], outer[i + 1], inner[j]]);
                i += 1;
            } else {
                self.add_triangle([outer[i], inner[j + 1], inner[j]]);
                j += 1;
            }
        }
    }

    /// Divides a square into lines of constant v.
    fn subdivide_isolines(&mut self, levels: TessLevels) {
        self.result.size = 2;
        let lines = count_segments(levels.outer[0], TessSpacing::Equal);
        let places = divide_edge(levels.outer[1], self.modes.spacing);
        for line in 0..lines {
            let v = line as f64 / lines as f64;
            let first = self.result.vertices.len();
            for u in &places {
                self.add_vertex([*u, v, 0.0]);
            }
            let segments = first..first + places.len() - 1;
            self.result
                .indices
                .extend(segments.flat_map(|start| [start, start + 1]));
        }
    }

    /// Divides a square into triangles.
    fn subdivide_quad(&mut self, levels: TessLevels) {
        self.result.size = 3;
        let spacing = self.modes.spacing;
        let [mut inner_u, mut inner_v] = levels.inner;
        let is_whole = [&levels.outer[..], &levels.inner[..]]
            .concat()
            .iter()
            .all(|level| count_segments(*level, spacing) == 1);
        if is_whole {
            let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
            let [a, b, c, d] = corners.map(|[u, v]| self.add_vertex([u, v, 0.0]));
            self.add_triangle([a, b, c]);
            return self.add_triangle([a, c, d]);
        }
        inner_u = raise_level(inner_u, spacing);
        inner_v = raise_level(inner_v, spacing);
        let (places_u, places_v) = (divide_edge(inner_u, spacing), divide_edge(inner_v, spacing));
        let columns = &places_u[1..places_u.len() - 1];
        let rows = &places_v[1..places_v.len() - 1];
        let mut grid: Vec<Vec<usize>> = Vec::new();
        for v in rows {
            grid.push(
                columns
                    .iter()
                    .map(|u| self.add_vertex([*u, *v, 0.0]))
                    .collect(),
            );
        }
        for pair in grid.windows(2) {
            for column in 0..columns.len().saturating_sub(1) {
                let (low, high) = (&pair[0], &pair[1]);
                self.add_triangle([low[column], low[column + 1], high[column + 1]]);
                self.add_triangle([low[column], high[column + 1], high[column]]);
            }
        }
        self.connect_quad(levels, &grid);
    }

    /// Adds the outer edges of a square, and the triangles between them and the inner grid.
    fn connect_quad(&mut self, levels: TessLevels, grid: &[Vec<usize>]) {
        let spacing = self.modes.spacing;
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let corners = corners.map(|[u, v]| self.add_vertex([u, v, 0.0]));
        let (Some(bottom), Some(top)) = (grid.first(), grid.last()) else {
            return;
        };
        let left: Vec<usize> = grid.iter().map(|row| row[0]).collect();
        let right: Vec<usize> = grid.iter().filter_map(|row| row.last().copied()).collect();
        // Level, first and last corner, and the inner edge in the same direction.
        let edges = [
            (levels.outer[0], [0, 3], left),
            (levels.outer[1], [0, 1], bottom.clone()),
            (levels.outer[2], [1, 2], right),
            (levels.outer[3], [3, 2], top.clone()),
        ];
        for (level, [first, last], inner) in edges {
            let places = divide_edge(level, spacing);
            let outer = self.add_edge([corners[first], corners[last]], &places);
            self.connect(&outer, &inner);
        }
    }

    /// Adds the vertices between two existing ones at some positions from 0 to 1, and returns the
    /// indices of all.
    fn add_edge(&mut self, [from, to]: [usize; 2], places: &[f64]) -> Vec<usize> {
        let ends = [from, to].map(|index| self.result.vertices[index]);
        let mut edge = vec![from];
        for place in &places[1..places.len() - 1] {
            let coordinate =
                std::array::from_fn(|axis| ends[0][axis] * (1.0 - place) + ends[1][axis] * place);
            edge.push(self.add_vertex(coordinate));
        }
        edge.push(to);
        edge
    }

    /// Divides a triangle into triangles: concentric ones, and the outer edges around them.
    fn subdivide_triangle(&mut self, levels: TessLevels) {
        self.result.size = 3;
        let spacing = self.modes.spacing;
        let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let corners = corners.map(|corner| self.add_vertex(corner));
        let is_whole = |level: &f32| count_segments(*level, spacing) == 1;
        if levels.outer[..3].iter().all(is_whole) && is_whole(&levels.inner[0]) {
            return self.add_triangle(corners);
        }
        let places = divide_edge(raise_level(levels.inner[0], spacing), spacing);
        // The outer edges: u = 0 is opposite of the first corner.
        let outer: [Vec<usize>; 3] = std::array::from_fn(|edge| {
            let ends = [corners[(edge + 1) % 3], corners[(edge + 2) % 3]];
            self.add_edge(ends, &divide_edge(levels.outer[edge], spacing))
        });
        let mut around = outer;
        let segments = places.len() - 1;
        for ring in 1..=segments / 2 {
            let inner = self.add_ring(&places, ring);
            for (edge, inner) in around.iter().zip(&inner) {
                self.connect(edge, inner);
            }
            around = inner;
        }
        if segments % 2 == 1 {
            let corners = [around[0][0], around[1][0], around[2][0]];
            self.add_triangle(corners);
        }
    }

    /// Adds the vertices of a concentric triangle and returns its edges, in the order of the outer
    /// ones; three times the center if it is a point.
    fn add_ring(&mut self, places: &[f64], ring: usize) -> [Vec<usize>; 3] {
        let last = places.len() - 1 - ring;
        // Perpendiculars on the edges at the first position meet at this distance from them.
        let distance = places[ring] * 2.0 / 3.0;
        if last <= ring {
            let center = self.add_vertex([1.0 / 3.0; 3]);
            return std::array::from_fn(|_| vec![center]);
        }
        let corner = |number: usize| {
            let mut coordinate = [distance; 3];
            coordinate[number] = 1.0 - 2.0 * distance;
            coordinate
        };
        let corners = [0, 1, 2].map(|number| self.add_vertex(corner(number)));
        std::array::from_fn(|edge| {
            let (first, second) = ((edge + 1) % 3, (edge + 2) % 3);
            let mut indices = vec![corners[first]];
            for place in &places[ring + 1..last] {
                let mut coordinate = [distance; 3];
                coordinate[first] = 1.0 - place - distance / 2.0;
                coordinate[second] = place - distance / 2.0;
                indices.push(self.add_vertex(coordinate));
            }
            indices.push(corners[second]);
            indices
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subdivide_with(mode: TessMode, outer: [f32; 4], inner: [f32; 2]) -> Subdivision {
        let modes = TessModes {
            mode,
            spacing: TessSpacing::Equal,
            winding: TessWinding::Ccw,
            has_points: false,
        };
        subdivide(modes, TessLevels { outer, inner })
    }

    /// Returns the sum of the signed areas of the triangles in the plane of u and v.
    fn area(result: &Subdivision) -> f64 {
        let triangles = result.indices.chunks_exact(3);
        let areas = triangles.map(|triangle| {
            let [a, b, c] = [0, 1, 2].map(|number| result.vertices[triangle[number]]);
            let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            assert!(area > 0.0, "{a:?} {b:?} {c:?}");
            area / 2.0
        });
        areas.sum()
    }

    #[test]
    fn edges_are_divided_as_the_spacing_requires() {
        let divide = |level, spacing| divide_edge(level, spacing);
        assert_eq!(divide(2.5, TessSpacing::Equal).len(), 4);
        assert_eq!(divide(0.5, TessSpacing::Equal), [0.0, 1.0]);
        assert_eq!(divide(1000.0, TessSpacing::Equal).len(), 65);
        // Two segments of 1 / 2.5, and two of half of the rest, 0.1.
        let even = divide(2.5, TessSpacing::FractionalEven);
        for (own, expected) in even.iter().zip([0.0, 0.1, 0.5, 0.9, 1.0]) {
            assert!((own - expected).abs() < 1e-7, "{even:?}");
        }
        assert_eq!(even.len(), 5);
        assert_eq!(divide(3.5, TessSpacing::FractionalOdd).len(), 6);
        assert_eq!(divide(1.0, TessSpacing::FractionalOdd).len(), 2);
    }

    #[test]
    fn triangles_cover_the_whole_domain_once() {
        for level in [1.0, 2.0, 3.0, 4.0, 7.0] {
            for inner in [1.0, 2.0, 3.0, 6.0] {
                let outer = [level, 1.0, 3.0, 2.0];
                let quad = subdivide_with(TessMode::Quads, outer, [inner, 2.0]);
                assert!((area(&quad) - 1.0).abs() < 1e-9, "{level} {inner}");
                let triangle = subdivide_with(TessMode::Triangles, outer, [inner, 0.0]);
                assert!((area(&triangle) - 0.5).abs() < 1e-9, "{level} {inner}");
            }
        }
    }

    /// Compares numbers of triangles with those of the specification: n * n for equal levels of a
    /// square, and for a triangle 1, 6 and 13 with levels of 1 to 3 (the center, and rings of
    /// outer and inner segments: 3 * (2 + 0), 3 * (3 + 1) + 1).
    #[test]
    fn equal_levels_have_known_numbers_of_triangles() {
        let quads = |level| subdivide_with(TessMode::Quads, [level; 4], [level; 2]);
        assert_eq!(quads(1.0).indices.len() / 3, 2);
        assert_eq!(quads(4.0).indices.len() / 3, 32);
        let triangles = |level| subdivide_with(TessMode::Triangles, [level; 4], [level; 2]);
        assert_eq!(triangles(1.0).indices.len() / 3, 1);
        assert_eq!(triangles(2.0).indices.len() / 3, 6);
        assert_eq!(triangles(3.0).indices.len() / 3, 13);
    }

    #[test]
    fn lines_do_not_reach_the_last_row() {
        let lines = subdivide_with(TessMode::Isolines, [2.0, 3.0, 0.0, 0.0], [0.0; 2]);
        assert_eq!((lines.vertices.len(), lines.indices.len()), (8, 12));
        let last = lines.vertices.last().unwrap();
        assert_eq!(*last, [1.0, 0.5, 0.0]);
    }

    #[test]
    fn levels_cull_patches() {
        for outer in [[0.0, 1.0, 1.0, 1.0], [f32::NAN; 4], [-1.0; 4]] {
            assert!(
                subdivide_with(TessMode::Quads, outer, [1.0; 2])
                    .vertices
                    .is_empty()
            );
        }
        let unused = subdivide_with(TessMode::Triangles, [1.0, 1.0, 1.0, 0.0], [1.0; 2]);
        assert_eq!(unused.vertices.len(), 3);
    }
}
