//! Primitives that Vulkan does not have, as lists of vertices. Pure.
//!
//! Quadrilaterals, polygons and closed lines become triangles and lines; so do restarted lists,
//! which would need a feature. The provoking vertex remains the one that GL defines, first or last.

use ash::vk::PrimitiveTopology;
use glasm_scripts::script::stages::ProvokingVertex;
use glasm_scripts::script::{Draw, DrawSource, PrimitiveAssembly};

/// Vertices that a list can have at most.
const MAX_VERTICES: usize = 1 << 24;

/// Returns the number of vertices of a primitive of a list, `patch` for patches; `None` for strips
/// and fans, which Vulkan itself restarts.
fn vertices_per_primitive(topology: PrimitiveTopology, patch: u32) -> Option<usize> {
    [
        (PrimitiveTopology::POINT_LIST, 1),
        (PrimitiveTopology::LINE_LIST, 2),
        (PrimitiveTopology::TRIANGLE_LIST, 3),
        (PrimitiveTopology::LINE_LIST_WITH_ADJACENCY, 4),
        (PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY, 6),
        (PrimitiveTopology::PATCH_LIST, patch as usize),
    ]
    .into_iter()
    .find_map(|(known, size)| (known == topology).then_some(size))
}

/// Returns the vertex indices of a draw that Vulkan cannot do directly, as a list of Vulkan's
/// primitives; `None` if it can. The vertex offset of an indexed draw is not added. Returns an
/// error if the draw has more than [`MAX_VERTICES`].
pub(super) fn assemble_list(draw: &Draw, indices: &[u32]) -> Result<Option<Vec<u32>>, String> {
    let restarts = draw.state.primitive_restart;
    let size = vertices_per_primitive(draw.topology, draw.state.patch_control_points);
    let (sequence, restart): (Vec<u32>, Option<u32>) = match draw.source {
        DrawSource::Rect { .. } => return Ok(None),
        DrawSource::Arrays { first, count } => {
            if draw.assembly == PrimitiveAssembly::Direct {
                return Ok(None);
            }
            check_size(count as usize)?;
            ((first..first + count).collect(), None)
        }
        DrawSource::Indexed {
            first,
            count,
            width,
            ..
        } => {
            if draw.assembly == PrimitiveAssembly::Direct && (!restarts || size.is_none()) {
                return Ok(None);
            }
            check_size(count as usize)?;
            // The caller has checked that the indices exist.
            let used = indices.get(first as usize..).unwrap_or_default();
            let used = used.iter().take(count as usize).copied().collect();
            (used, restarts.then_some(width.max_index()))
        }
    };
    let mut list = Vec::new();
    let runs = sequence.split(|index| Some(*index) == restart);
    for run in runs {
        append_run(&mut list, draw, size.unwrap_or(1).max(1), run);
    }
    Ok(Some(list))
}

/// Returns an error if a draw has more vertices than the runner decomposes.
fn check_size(count: usize) -> Result<(), String> {
    if count > MAX_VERTICES {
        Err(format!("the draw has more than {MAX_VERTICES} vertices"))
    } else {
        Ok(())
    }
}

/// Appends the vertices of the primitives that a sequence of vertices without restart forms, in the
/// order that retains GL's provoking vertex. `size` is the number of vertices of a primitive that
/// needs no decomposition. Incomplete primitives are dropped.
fn append_run(list: &mut Vec<u32>, draw: &Draw, size: usize, run: &[u32]) {
    let provoking = draw.state.provoking_vertex;
    match draw.assembly {
        PrimitiveAssembly::Direct => {
            let whole = run.len() - run.len() % size;
            list.extend_from_slice(&run[..whole]);
        }
        PrimitiveAssembly::Quads => {
            for quad in run.chunks_exact(4) {
                append_quad(list, provoking, [quad[0], quad[1], quad[2], quad[3]]);
            }
        }
        PrimitiveAssembly::QuadStrip => {
            for pair in run.windows(4).step_by(2) {
                // The provoking vertices are the first and the fourth of the strip's order.
                match provoking {
                    ProvokingVertex::First => {
                        append_quad(list, provoking, [pair[0], pair[1], pair[3], pair[2]]);
                    }
                    ProvokingVertex::Last => {
                        append_quad(list, provoking, [pair[2], pair[0], pair[1], pair[3]]);
                    }
                }
            }
        }
        PrimitiveAssembly::Polygon => {
            for edge in run.get(1..).unwrap_or_default().windows(2) {
                // The provoking vertex of GL's polygons is always the first.
                list.extend(match provoking {
                    ProvokingVertex::First => [run[0], edge[0], edge[1]],
                    ProvokingVertex::Last => [edge[0], edge[1], run[0]],
                });
            }
        }
        PrimitiveAssembly::LineLoop => {
            for line in run.windows(2) {
                list.extend_from_slice(line);
            }
            if let [first, _, .., last] | [first, last] = run {
                list.extend([*last, *first]);
            }
        }
    }
}

/// Appends two triangles with the orientation of the quadrilateral `abcd`, both with its provoking
/// vertex: `a` if it is the first, `d` if it is the last.
fn append_quad(list: &mut Vec<u32>, provoking: ProvokingVertex, [a, b, c, d]: [u32; 4]) {
    list.extend(match provoking {
        ProvokingVertex::First => [a, b, c, a, c, d],
        ProvokingVertex::Last => [a, b, d, b, c, d],
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_scripts::script::{Command, Script};

    /// Returns the list for the draw of a line.
    fn list(convention: &str, setup: &str, line: &str, indices: &[u32]) -> Option<Vec<u32>> {
        let text = format!(
            "[require]\n{convention}\n[vertex shader passthrough]\n[fragment shader passthrough]\n[test]\n{setup}\n{line}\n"
        );
        let script = Script::parse(text.as_bytes()).unwrap();
        let draw = script.steps.iter().find_map(|step| {
            if let Command::Draw(draw) = &step.command {
                Some(**draw)
            } else {
                None
            }
        });
        assemble_list(&draw.unwrap(), indices).unwrap()
    }

    #[test]
    fn quads_keep_their_direction_and_provoking_vertex() {
        let line = "draw arrays QUADS 4 5";
        // Vertices 4 to 7; the fifth is unused.
        assert_eq!(list("", "", line, &[]).unwrap(), [4, 5, 6, 4, 6, 7]);
        assert_eq!(
            list("GL >= 2.1", "", line, &[]).unwrap(),
            [4, 5, 7, 5, 6, 7]
        );
    }

    #[test]
    fn strips_of_quads_share_edges() {
        let line = "draw arrays QUAD_STRIP 0 6";
        // The quadrilaterals are 0 1 3 2 and 2 3 5 4.
        assert_eq!(
            list("", "", line, &[]).unwrap(),
            [0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4]
        );
        // The same cycles, the provoking vertices 3 and 5 last.
        assert_eq!(
            list("GL >= 2.1", "", line, &[]).unwrap(),
            [2, 0, 3, 0, 1, 3, 4, 2, 5, 2, 3, 5]
        );
    }

    #[test]
    fn polygons_and_loops_close() {
        assert_eq!(
            list("", "", "draw arrays POLYGON 0 5", &[]).unwrap(),
            [0, 1, 2, 0, 2, 3, 0, 3, 4]
        );
        assert_eq!(
            list("GL >= 2.1", "", "draw arrays POLYGON 0 4", &[]).unwrap(),
            [1, 2, 0, 2, 3, 0]
        );
        assert_eq!(
            list("", "", "draw arrays LINE_LOOP 1 3", &[]).unwrap(),
            [1, 2, 2, 3, 3, 1]
        );
        for line in ["draw arrays LINE_LOOP 1 1", "draw arrays POLYGON 1 2"] {
            assert!(list("", "", line, &[]).unwrap().is_empty(), "{line}");
        }
    }

    #[test]
    fn restarts_cut_lists() {
        let setup = "primitiveRestartEnable true\nindex type uint8";
        let indices = [9, 0, 1, 2, 3, 255, 4, 5, 6];
        let line = "draw arrays indexed TRIANGLE_LIST 0 8 first_index 1";
        assert_eq!(list("", setup, line, &indices).unwrap(), [0, 1, 2, 4, 5, 6]);
        // Without restart 255 is a vertex, and Vulkan draws the list unchanged.
        assert_eq!(list("", "index type uint8", line, &indices), None);
        let strip = "draw arrays indexed TRIANGLE_STRIP 0 9";
        assert_eq!(list("", setup, strip, &indices), None);
    }
}
