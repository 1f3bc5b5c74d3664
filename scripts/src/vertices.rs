//! Vertices of draws, as every runner reads them.

use crate::script::vertex_data;
use crate::script::{Draw, DrawSource, VertexData};

/// Attributes that have current values.
pub const ATTRIBUTES: usize = vertex_data::ATTRIBUTES as usize;

/// Returns the initial current values of all attributes: OpenGL compatibility profile, table
/// "Current Values".
pub fn initial_attributes() -> [[f32; 4]; ATTRIBUTES] {
    let mut values = [[0.0, 0.0, 0.0, 1.0]; ATTRIBUTES];
    // The normal, and the primary color.
    values[2] = [0.0, 0.0, 1.0, 1.0];
    values[3] = [1.0; 4];
    values
}

/// Checks that all vertices and indices of a draw exist, that indices fit their type, and that the
/// instances of attributes with divisors exist. Draws of rectangles need none; without vertex data
/// only indices are checked.
///
/// # Errors
/// If one does not: a description of it.
pub fn check_bounds(draw: &Draw, data: Option<&VertexData>, indices: &[u32]) -> Result<(), String> {
    let rows = data.map(|data| i64::from(data.rows));
    let needed = match draw.source {
        DrawSource::Rect { .. } => return Ok(()),
        DrawSource::Arrays { first, count } => i64::from(first) + i64::from(count),
        DrawSource::Indexed {
            first,
            count,
            vertex_offset,
            width,
        } => {
            let wanted = first as usize..first as usize + count as usize;
            let Some(used) = indices.get(wanted.clone()) else {
                return Err(format!(
                    "the draw needs {} indices, but [indices] has {}",
                    wanted.end,
                    indices.len()
                ));
            };
            let highest = width.max_index();
            if let Some(wide) = indices.iter().find(|index| **index > highest) {
                return Err(format!("index {wide} is larger than {highest}"));
            }
            // An index that restarts primitives is that of no vertex.
            let restarts = |index: u32| draw.state.primitive_restart && index == highest;
            let used = used.iter().filter(|index| !restarts(**index));
            let vertex = |index: &u32| i64::from(*index) + i64::from(vertex_offset);
            if let Some(vertex) = used.clone().map(vertex).find(|vertex| *vertex < 0) {
                return Err(format!("the draw needs vertex {vertex}"));
            }
            used.map(|index| vertex(index) + 1).max().unwrap_or(0)
        }
    };
    let Some(rows) = rows else { return Ok(()) };
    if needed > rows {
        return Err(format!(
            "the draw needs {needed} vertices, but [vertex data] has {rows}"
        ));
    }
    for column in data.iter().flat_map(|data| &data.columns) {
        let divisor = i64::from(draw.divisors.0[column.location as usize]);
        if divisor > 0 && draw.instances > 0 {
            // Vulkan and GL divide the number of the instance from 0 on, and then add the first
            // one.
            let last = i64::from(draw.first_instance) + i64::from(draw.instances - 1) / divisor;
            if last >= rows {
                return Err(format!(
                    "attribute {} needs {} rows for its instances, but [vertex data] has {rows}",
                    column.location,
                    last + 1
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::command::Divisors;
    use crate::script::pipeline_state::PipelineState;
    use crate::script::{GlOutcome, IndexWidth, PrimitiveAssembly, Script};
    use ash::vk;

    fn data(text: &str) -> VertexData {
        Script::parse(format!("[vertex data]\n{text}").as_bytes())
            .unwrap()
            .vertex_data
            .unwrap()
    }

    fn draw(source: DrawSource) -> Draw {
        Draw {
            state: PipelineState {
                primitive_restart: true,
                ..PipelineState::default()
            },
            topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
            assembly: PrimitiveAssembly::Direct,
            source,
            divisors: Divisors::default(),
            instances: 1,
            first_instance: 0,
            outcome: GlOutcome::Accepted,
        }
    }

    #[test]
    fn draws_past_the_data_are_refused() {
        let data = data("0/R32_SFLOAT\n1\n2\n3\n");
        let arrays = |first, count| {
            check_bounds(&draw(DrawSource::Arrays { first, count }), Some(&data), &[])
        };
        assert_eq!(arrays(0, 3), Ok(()));
        assert!(arrays(1, 3).is_err());
        assert!(arrays(u32::MAX, u32::MAX).is_err());
        let source = |vertex_offset, first, count, width| DrawSource::Indexed {
            first,
            count,
            vertex_offset,
            width,
        };
        let indexed = |vertex_offset, count, indices: &[u32]| {
            let source = source(vertex_offset, 0, count, IndexWidth::U32);
            check_bounds(&draw(source), Some(&data), indices)
        };
        assert_eq!(indexed(0, 2, &[2, u32::MAX, 7]), Ok(()));
        assert_eq!(
            indexed(1, 1, &[2]).unwrap_err(),
            "the draw needs 4 vertices, but [vertex data] has 3"
        );
        assert_eq!(
            indexed(-3, 1, &[2]).unwrap_err(),
            "the draw needs vertex -1"
        );
        assert_eq!(indexed(-2, 1, &[2]), Ok(()));
        assert_eq!(
            indexed(0, 2, &[0]).unwrap_err(),
            "the draw needs 2 indices, but [indices] has 1"
        );
        let narrow = draw(source(0, 1, 2, IndexWidth::U8));
        assert_eq!(check_bounds(&narrow, Some(&data), &[0, 255, 1]), Ok(()));
        assert_eq!(
            check_bounds(&narrow, Some(&data), &[0, 256, 1]).unwrap_err(),
            "index 256 is larger than 255"
        );
        let mut plain = draw(source(0, 0, 1, IndexWidth::U32));
        plain.state.primitive_restart = false;
        assert!(check_bounds(&plain, Some(&data), &[u32::MAX]).is_err());
        // Without [vertex data] programs generate their vertices.
        assert_eq!(
            check_bounds(&draw(DrawSource::Arrays { first: 0, count: 9 }), None, &[]),
            Ok(())
        );
    }

    #[test]
    fn instances_past_the_data_are_refused() {
        let data = data("0/R32_SFLOAT\n1\n2\n3\n");
        let mut draw = draw(DrawSource::Arrays { first: 0, count: 3 });
        draw.divisors.0[0] = 2;
        draw.first_instance = 1;
        draw.instances = 4;
        // Rows 1 and 2: first instance, then one row more after two instances.
        assert_eq!(check_bounds(&draw, Some(&data), &[]), Ok(()));
        draw.instances = 5;
        assert_eq!(
            check_bounds(&draw, Some(&data), &[]).unwrap_err(),
            "attribute 0 needs 4 rows for its instances, but [vertex data] has 3"
        );
    }
}
