//! Primitives of draws, as lists of vertices.

use crate::script::pipeline_state::PipelineState;
use crate::script::stages::ProvokingVertex;
use crate::script::{Draw, DrawSource, PrimitiveAssembly};
use ash::vk::PrimitiveTopology;

/// Vertices that a simulated draw can have at most.
const MAX_VERTICES: u32 = 1 << 20;

/// Kind of primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PrimitiveKind {
    Points,
    Lines,
    Triangles,
    LinesAdjacency,
    TrianglesAdjacency,
    Patches,
}

impl PrimitiveKind {
    /// Returns the number of vertices of a rasterized primitive; 1 for those that are not rasterized.
    pub(super) const fn vertex_count(self) -> usize {
        match self {
            Self::Points | Self::LinesAdjacency | Self::TrianglesAdjacency | Self::Patches => 1,
            Self::Lines => 2,
            Self::Triangles => 3,
        }
    }

    /// Returns the topology of separate primitives of this kind.
    pub(super) const fn list_topology(self) -> PrimitiveTopology {
        match self {
            Self::Points => PrimitiveTopology::POINT_LIST,
            Self::Lines => PrimitiveTopology::LINE_LIST,
            Self::Triangles => PrimitiveTopology::TRIANGLE_LIST,
            Self::LinesAdjacency => PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
            Self::TrianglesAdjacency => PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY,
            Self::Patches => PrimitiveTopology::PATCH_LIST,
        }
    }
}

/// Primitives of a draw, each of the same number of vertices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PrimitiveList {
    pub(super) kind: PrimitiveKind,
    /// Vertices of a primitive.
    pub(super) size: usize,
    /// Indices of the vertices, with the offset of the draw.
    pub(super) vertices: Vec<i64>,
}

impl PrimitiveList {
    /// Returns the primitives in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[i64]> {
        self.vertices.chunks_exact(self.size)
    }
}

/// Returns the vertices of a draw in their order, in runs between restarts.
///
/// # Errors
/// If there are too many vertices, or indices are missing.
pub(super) fn list_runs(draw: &Draw, indices: &[u32]) -> Result<Vec<Vec<i64>>, String> {
    let count = match draw.source {
        DrawSource::Rect { .. } => 4,
        DrawSource::Arrays { count, .. } | DrawSource::Indexed { count, .. } => count,
    };
    if count > MAX_VERTICES {
        return Err(format!("the draw has more than {MAX_VERTICES} vertices"));
    }
    match draw.source {
        DrawSource::Rect { .. } => Ok(vec![(0..4).collect()]),
        DrawSource::Arrays { first, count } => {
            let first = i64::from(first);
            Ok(vec![(first..first + i64::from(count)).collect()])
        }
        DrawSource::Indexed {
            first,
            count,
            vertex_offset,
            width,
        } => {
            let used = indices.get(first as usize..first as usize + count as usize);
            let used = used.ok_or("the draw needs more indices than there are")?;
            let restart = draw.state.primitive_restart.then(|| width.max_index());
            let runs = used.split(|index| Some(*index) == restart);
            let shift = |index: &u32| i64::from(*index) + i64::from(vertex_offset);
            Ok(runs.map(|run| run.iter().map(shift).collect()).collect())
        }
    }
}

/// Returns the primitives of a draw.
///
/// # Errors
/// Those of [`list_runs`].
pub(super) fn assemble_primitives(draw: &Draw, indices: &[u32]) -> Result<PrimitiveList, String> {
    let (kind, size) = find_kind(draw.topology, &draw.state);
    let mut vertices = Vec::new();
    for run in list_runs(draw, indices)? {
        match draw.assembly {
            PrimitiveAssembly::Direct => append_topology(&mut vertices, draw, size, &run),
            PrimitiveAssembly::Quads
            | PrimitiveAssembly::QuadStrip
            | PrimitiveAssembly::Polygon
            | PrimitiveAssembly::LineLoop => append_assembly(&mut vertices, draw, &run),
        }
    }
    Ok(PrimitiveList {
        kind,
        size,
        vertices,
    })
}

/// Returns the kind of the primitives of a topology, and the number of vertices of each.
fn find_kind(topology: PrimitiveTopology, state: &PipelineState) -> (PrimitiveKind, usize) {
    use PrimitiveTopology as T;
    let table = [
        (T::POINT_LIST, PrimitiveKind::Points, 1),
        (T::LINE_LIST, PrimitiveKind::Lines, 2),
        (T::LINE_STRIP, PrimitiveKind::Lines, 2),
        (
            T::LINE_LIST_WITH_ADJACENCY,
            PrimitiveKind::LinesAdjacency,
            4,
        ),
        (
            T::LINE_STRIP_WITH_ADJACENCY,
            PrimitiveKind::LinesAdjacency,
            4,
        ),
        (
            T::TRIANGLE_LIST_WITH_ADJACENCY,
            PrimitiveKind::TrianglesAdjacency,
            6,
        ),
        (
            T::PATCH_LIST,
            PrimitiveKind::Patches,
            state.patch_control_points.max(1) as usize,
        ),
    ];
    let found = table.iter().find(|(known, ..)| *known == topology);
    found.map_or((PrimitiveKind::Triangles, 3), |(_, kind, size)| {
        (*kind, *size)
    })
}

/// Appends the vertices of the primitives of a topology: the provoking vertex of triangles is the
/// first or the last, as the state of the draw specifies.
fn append_topology(list: &mut Vec<i64>, draw: &Draw, size: usize, run: &[i64]) {
    use PrimitiveTopology as T;
    let is_first = draw.state.provoking_vertex == ProvokingVertex::First;
    if draw.topology == T::TRIANGLE_STRIP {
        append_strip(list, is_first, run);
    } else if draw.topology == T::TRIANGLE_FAN {
        let Some((center, rest)) = run.split_first() else {
            return;
        };
        for edge in rest.windows(2) {
            let [a, b] = [edge[0], edge[1]];
            list.extend(if is_first {
                [a, b, *center]
            } else {
                [*center, a, b]
            });
        }
    } else if draw.topology == T::LINE_STRIP || draw.topology == T::LINE_STRIP_WITH_ADJACENCY {
        list.extend(run.windows(size).flatten());
    } else {
        let whole = run.len() - run.len() % size;
        list.extend_from_slice(&run[..whole]);
    }
}

/// Appends the triangles of a strip, all with the same orientation.
pub(super) fn append_strip(list: &mut Vec<i64>, is_first_provoking: bool, strip: &[i64]) {
    for (number, triangle) in strip.windows(3).enumerate() {
        let [a, b, c] = [triangle[0], triangle[1], triangle[2]];
        list.extend(match (number % 2, is_first_provoking) {
            (0, _) => [a, b, c],
            (_, true) => [a, c, b],
            (_, false) => [b, a, c],
        });
    }
}

/// Appends the primitives of GL that Vulkan lacks, as triangles and lines.
fn append_assembly(list: &mut Vec<i64>, draw: &Draw, run: &[i64]) {
    let is_first = draw.state.provoking_vertex == ProvokingVertex::First;
    let mut append_quad = |[a, b, c, d]: [i64; 4]| {
        list.extend(if is_first {
            [a, b, c, a, c, d]
        } else {
            [a, b, d, b, c, d]
        });
    };
    match draw.assembly {
        PrimitiveAssembly::Direct => {}
        PrimitiveAssembly::Quads => run
            .chunks_exact(4)
            .for_each(|quad| append_quad([quad[0], quad[1], quad[2], quad[3]])),
        PrimitiveAssembly::QuadStrip => run.windows(4).step_by(2).for_each(|pair| {
            append_quad(if is_first {
                [pair[0], pair[1], pair[3], pair[2]]
            } else {
                [pair[2], pair[0], pair[1], pair[3]]
            });
        }),
        PrimitiveAssembly::Polygon => {
            for edge in run.get(1..).unwrap_or_default().windows(2) {
                let [a, b] = [edge[0], edge[1]];
                // The provoking vertex of GL's polygons is always the first.
                list.extend(if is_first {
                    [run[0], a, b]
                } else {
                    [a, b, run[0]]
                });
            }
        }
        PrimitiveAssembly::LineLoop => {
            list.extend(run.windows(2).flatten());
            if let ([first, ..], [.., last]) = (run, run)
                && run.len() > 1
            {
                list.extend([*last, *first]);
            }
        }
    }
}
