//! Which vertex buffers and attributes a draw needs. Pure.

use crate::format::{Encoding, Format};
use crate::script::{Column, Draw, DrawSource, VertexData};
use crate::vk::{VertexAttribute, VertexBinding};
use glasm::Reflection;
use glasm::ir::Semantic;
use glasm::reflect::{InterfaceVariable, Scalar};

/// Binding of the vertices of the draw.
pub(super) const DRAW_BINDING: u32 = 0;
/// Binding of current values: one vec4 for each attribute, the same for all vertices.
pub(super) const CURRENT_BINDING: u32 = 1;
/// Attributes that have current values.
pub(super) const ATTRIBUTES: usize = 32;

const TEXCOORD_LOCATION: u32 = 8;
/// Position and texture coordinate of a corner, four floats each.
const RECT_STRIDE: u32 = 32;

/// Vertex input of a draw.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct VertexPlan {
    pub(super) attributes: Vec<VertexAttribute>,
    pub(super) bindings: Vec<VertexBinding>,
}

/// An attribute that the draw itself brings.
struct Given {
    location: u32,
    format: Format,
    offset: u32,
}

/// Decides where each attribute comes from. Modules without reflection get all that the draw brings.
pub(super) fn plan_vertices(
    source: &DrawSource,
    data: Option<&VertexData>,
    reflection: Option<&Reflection>,
) -> Result<VertexPlan, String> {
    let (given, stride) = given_attributes(source, data);
    let mut plan = VertexPlan::default();
    match reflection {
        None => plan.attributes.extend(given.iter().map(draw_attribute)),
        Some(reflection) => {
            for input in &reflection.inputs {
                let (Semantic::Attrib(number), location) = (input.semantic, input.location) else {
                    continue;
                };
                let location = location.unwrap_or(u32::from(number));
                plan.attributes.push(
                    match given.iter().find(|given| given.location == location) {
                        Some(given) => checked_attribute(given, input)?,
                        None => current_attribute(location, input)?,
                    },
                );
            }
        }
    }
    for (binding, stride) in [(DRAW_BINDING, stride), (CURRENT_BINDING, 0)] {
        if plan
            .attributes
            .iter()
            .any(|attribute| attribute.binding == binding)
        {
            plan.bindings.push(VertexBinding { binding, stride });
        }
    }
    Ok(plan)
}

fn given_attributes(source: &DrawSource, data: Option<&VertexData>) -> (Vec<Given>, u32) {
    match source {
        DrawSource::Rect { texcoord, .. } => {
            let corner = |location, offset| Given {
                location,
                format: Format::wide(Encoding::Sfloat, 32, 4),
                offset,
            };
            let mut given = vec![corner(0, 0)];
            given.extend(texcoord.map(|_| corner(TEXCOORD_LOCATION, 16)));
            (given, RECT_STRIDE)
        }
        DrawSource::Arrays { .. } | DrawSource::Indexed { .. } => {
            let column = |column: &Column| Given {
                location: column.location,
                format: column.format.clone(),
                offset: column.offset,
            };
            let columns = data.map(|data| data.columns.iter().map(column).collect());
            (
                columns.unwrap_or_default(),
                data.map_or(0, |data| data.stride),
            )
        }
    }
}

fn draw_attribute(given: &Given) -> VertexAttribute {
    let Given {
        location,
        format,
        offset,
    } = given;
    VertexAttribute {
        location: *location,
        binding: DRAW_BINDING,
        format: format.vk,
        offset: *offset,
    }
}

fn checked_attribute(given: &Given, input: &InterfaceVariable) -> Result<VertexAttribute, String> {
    let wide = given
        .format
        .channels
        .iter()
        .any(|channel| channel.bits == 64);
    let fits = match (input.scalar, given.format.encoding) {
        (Scalar::Int, encoding) => encoding == Encoding::Sint,
        (Scalar::Uint, encoding) => encoding == Encoding::Uint,
        (Scalar::Float, Encoding::Sint | Encoding::Uint) => false,
        (Scalar::Float, _) => !wide,
        (Scalar::Double, _) => wide,
    };
    if fits {
        Ok(draw_attribute(given))
    } else {
        let (location, format) = (given.location, given.format.vk);
        Err(format!(
            "attribute {location} is given as {format:?}, but the program reads it as {:?}",
            input.scalar
        ))
    }
}

fn current_attribute(location: u32, input: &InterfaceVariable) -> Result<VertexAttribute, String> {
    let encoding = match input.scalar {
        Scalar::Float => Encoding::Sfloat,
        Scalar::Int => Encoding::Sint,
        Scalar::Uint => Encoding::Uint,
        Scalar::Double => {
            return Err(format!(
                "attribute {location} is a double and has no current value"
            ));
        }
    };
    if location as usize >= ATTRIBUTES {
        return Err(format!("attribute {location} has no current value"));
    }
    let format = Format::wide(encoding, 32, 4).vk;
    Ok(VertexAttribute {
        location,
        binding: CURRENT_BINDING,
        format,
        offset: location * 16,
    })
}

/// Current values of all attributes, before a script sets any: OpenGL compatibility profile, table "Current Values".
pub(super) fn initial_values() -> [[f32; 4]; ATTRIBUTES] {
    let mut values = [[0.0, 0.0, 0.0, 1.0]; ATTRIBUTES];
    values[2] = [0.0, 0.0, 1.0, 1.0];
    values[3] = [1.0; 4];
    values
}

/// Contents of the buffer of current values, in the types that the plan reads.
pub(super) fn current_bytes(values: &[[f32; 4]; ATTRIBUTES], plan: &VertexPlan) -> Vec<u8> {
    let is_integer = |location: usize, encoding| {
        let format = Format::wide(encoding, 32, 4).vk;
        plan.attributes.iter().any(|attribute| {
            attribute.binding == CURRENT_BINDING
                && attribute.location as usize == location
                && attribute.format == format
        })
    };
    let mut bytes = Vec::with_capacity(ATTRIBUTES * 16);
    for (location, value) in values.iter().enumerate() {
        let words = if is_integer(location, Encoding::Sint) {
            value.map(|component| component as i32 as u32)
        } else if is_integer(location, Encoding::Uint) {
            value.map(|component| component as u32)
        } else {
            value.map(f32::to_bits)
        };
        bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
    }
    bytes
}

/// Vertices of the corners of a rectangle, as a triangle strip.
pub(super) fn rect_bytes(position: [f32; 4], texcoord: Option<[f32; 4]>) -> Vec<u8> {
    let corner = |[x, y, width, height]: [f32; 4], right: f32, top: f32| {
        [x + width * right, y + height * top, 0.0, 1.0]
    };
    let mut bytes = Vec::new();
    for (right, top) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
        let components = [
            corner(position, right, top),
            corner(texcoord.unwrap_or_default(), right, top),
        ];
        bytes.extend(
            components
                .iter()
                .flatten()
                .flat_map(|component: &f32| component.to_le_bytes()),
        );
    }
    bytes
}

/// Checks that all vertices and indices of a draw exist.
pub(super) fn check_bounds(
    draw: &Draw,
    data: Option<&VertexData>,
    indices: &[u32],
) -> Result<(), String> {
    let rows = data.map(|data| u64::from(data.rows));
    match draw.source {
        DrawSource::Rect { .. } => Ok(()),
        DrawSource::Arrays { first, count } => match rows {
            Some(rows) if u64::from(first) + u64::from(count) > rows => Err(format!(
                "the draw needs {} vertices, but [vertex data] has {rows}",
                u64::from(first) + u64::from(count)
            )),
            _ => Ok(()),
        },
        DrawSource::Indexed {
            vertex_offset,
            count,
        } => {
            let Some(used) = indices.get(..count as usize) else {
                return Err(format!(
                    "the draw needs {count} indices, but [indices] has {}",
                    indices.len()
                ));
            };
            let restarts = |index: u32| draw.state.primitive_restart && index == u32::MAX;
            let last = used.iter().filter(|index| !restarts(**index)).max();
            match (
                last.map(|last| u64::from(*last) + u64::from(vertex_offset)),
                rows,
            ) {
                (Some(last), Some(rows)) if last >= rows => Err(format!(
                    "the draw needs vertex {last}, but [vertex data] has {rows}"
                )),
                _ => Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::test_support::reflection;
    use crate::script::Script;
    use crate::script::pipeline_state::PipelineState;
    use ash::vk;
    use glasm::ir::{Interpolation, Stage};

    const RECT: DrawSource = DrawSource::Rect {
        position: [-1.0, -1.0, 2.0, 2.0],
        texcoord: None,
    };

    fn data(text: &str) -> VertexData {
        Script::parse(format!("[vertex data]\n{text}").as_bytes())
            .unwrap()
            .vertex_data
            .unwrap()
    }

    fn input(number: u8, scalar: Scalar) -> InterfaceVariable {
        InterfaceVariable {
            semantic: Semantic::Attrib(number),
            location: Some(u32::from(number)),
            scalar,
            components: 4,
            interpolation: Interpolation::Smooth,
        }
    }

    fn reads(inputs: Vec<InterfaceVariable>) -> Reflection {
        Reflection {
            inputs,
            ..reflection(Stage::Vertex)
        }
    }

    #[test]
    fn attributes_that_the_draw_lacks_have_current_values() {
        let reflection = reads(vec![input(0, Scalar::Float), input(3, Scalar::Int)]);
        let plan = plan_vertices(&RECT, None, Some(&reflection)).unwrap();
        let found: Vec<_> = plan
            .attributes
            .iter()
            .map(|a| (a.location, a.binding, a.format, a.offset))
            .collect();
        assert_eq!(
            found,
            [
                (0, DRAW_BINDING, vk::Format::R32G32B32A32_SFLOAT, 0),
                (3, CURRENT_BINDING, vk::Format::R32G32B32A32_SINT, 48),
            ]
        );
        assert_eq!(
            plan.bindings,
            [
                VertexBinding {
                    binding: 0,
                    stride: 32
                },
                VertexBinding {
                    binding: 1,
                    stride: 0
                }
            ]
        );
        let bytes = current_bytes(&initial_values(), &plan);
        assert_eq!(bytes[48..52], 1i32.to_le_bytes());
        assert_eq!(bytes[44..48], 1f32.to_le_bytes());
    }

    #[test]
    fn attributes_that_no_program_reads_are_left_out() {
        let data = data("0/R32G32_SFLOAT 5/R32_UINT\n");
        let arrays = DrawSource::Arrays { first: 0, count: 0 };
        let plan = plan_vertices(
            &arrays,
            Some(&data),
            Some(&reads(vec![input(5, Scalar::Uint)])),
        )
        .unwrap();
        assert_eq!(plan.attributes.len(), 1);
        assert_eq!(
            (plan.attributes[0].location, plan.attributes[0].offset),
            (5, 8)
        );
        let plan = plan_vertices(&arrays, Some(&data), None).unwrap();
        assert_eq!(plan.attributes.len(), 2);
        let message = plan_vertices(
            &arrays,
            Some(&data),
            Some(&reads(vec![input(5, Scalar::Float)])),
        )
        .unwrap_err();
        assert_eq!(
            message,
            "attribute 5 is given as R32_UINT, but the program reads it as Float"
        );
    }

    #[test]
    fn rectangles_are_strips_of_four_corners() {
        let bytes = rect_bytes([-1.0, 0.0, 2.0, 1.0], Some([0.0, 0.0, 4.0, 2.0]));
        let floats: Vec<f32> = bytes
            .chunks(4)
            .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
            .collect();
        assert_eq!(floats.len(), 32);
        assert_eq!(floats[8..16], [1.0, 0.0, 0.0, 1.0, 4.0, 0.0, 0.0, 1.0]);
        assert_eq!(floats[16..24], [-1.0, 1.0, 0.0, 1.0, 0.0, 2.0, 0.0, 1.0]);
    }

    #[test]
    fn draws_past_the_data_are_refused() {
        let data = data("0/R32_SFLOAT\n1\n2\n3\n");
        let draw = |source| Draw {
            state: PipelineState {
                primitive_restart: true,
                ..PipelineState::default()
            },
            topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
            source,
            instances: 1,
        };
        let arrays = |first, count| {
            check_bounds(&draw(DrawSource::Arrays { first, count }), Some(&data), &[])
        };
        assert_eq!(arrays(0, 3), Ok(()));
        assert!(arrays(1, 3).is_err());
        assert!(arrays(u32::MAX, u32::MAX).is_err());
        let indexed = |vertex_offset, count, indices: &[u32]| {
            check_bounds(
                &draw(DrawSource::Indexed {
                    vertex_offset,
                    count,
                }),
                Some(&data),
                indices,
            )
        };
        assert_eq!(indexed(0, 2, &[2, u32::MAX, 7]), Ok(()));
        assert_eq!(
            indexed(1, 1, &[2]).unwrap_err(),
            "the draw needs vertex 3, but [vertex data] has 3"
        );
        assert_eq!(
            indexed(0, 2, &[0]).unwrap_err(),
            "the draw needs 2 indices, but [indices] has 1"
        );
        let mut plain = draw(DrawSource::Indexed {
            vertex_offset: 0,
            count: 1,
        });
        plain.state.primitive_restart = false;
        assert!(check_bounds(&plain, Some(&data), &[u32::MAX]).is_err());
        // Without [vertex data] programs make their vertices themselves.
        assert_eq!(
            check_bounds(&draw(DrawSource::Arrays { first: 0, count: 9 }), None, &[]),
            Ok(())
        );
    }
}
