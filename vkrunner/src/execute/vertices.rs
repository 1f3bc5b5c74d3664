//! Vertex buffers and attributes that a draw needs. Pure.

use crate::vk::{VertexAttribute, VertexBinding};
use glasm::Reflection;
use glasm::ir::Semantic;
use glasm::reflect::{AttributeHalf, InterfaceVariable, ScalarType};
use glasm_scripts::format::{Encoding, Format};
use glasm_scripts::script::{Column, Draw, VertexData};
use glasm_scripts::vertices::ATTRIBUTES;

/// Binding of the vertices of the draw.
pub(super) const DRAW_BINDING: u32 = 0;
/// Binding of current values: one vec4 for each attribute, the same for all vertices.
pub(super) const CURRENT_BINDING: u32 = 1;
/// First of the bindings of the draw's vertices that step with instances.
const FIRST_DIVISOR_BINDING: u32 = 2;
/// Vertex input of a draw.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct VertexPlan {
    pub(super) attributes: Vec<VertexAttribute>,
    pub(super) bindings: Vec<VertexBinding>,
}

/// Attribute that the draw itself provides.
struct DrawAttribute {
    location: u32,
    format: Format,
    offset: u32,
}

/// Attribute that the vertex stage reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StageAttribute {
    pub(super) location: u32,
    /// Number of the attribute: the location too, but for second halves.
    pub(super) attribute: u32,
    pub(super) scalar: ScalarType,
    /// Components of a 64-bit attribute that are read, as words.
    pub(super) half: Option<AttributeHalf>,
}

/// Returns the vertex attributes that a program reads, with their locations in the module. Inputs
/// that are no attributes, such as the vertex index, are omitted.
pub(super) fn reflected_inputs(reflection: &Reflection) -> Vec<StageAttribute> {
    let input = |input: &InterfaceVariable| {
        let Semantic::VertexAttribute(number) = input.semantic else {
            return None;
        };
        Some(StageAttribute {
            location: input.location.unwrap_or(u32::from(number)),
            attribute: u32::from(number),
            scalar: input.scalar_type,
            half: input.attribute_half,
        })
    };
    reflection.inputs.iter().filter_map(input).collect()
}

/// Selects the source of each attribute that the vertex stage reads, vertex data or current values,
/// and the vertex bindings. Modules whose `inputs` are unknown (`None`) receive all attributes of
/// the vertex data. Returns an error if the types of data and program do not match.
pub(super) fn plan_vertices(
    draw: &Draw,
    data: Option<&VertexData>,
    inputs: Option<&[StageAttribute]>,
) -> Result<VertexPlan, String> {
    let (given, stride) = find_draw_attributes(data);
    let mut plan = VertexPlan::default();
    match inputs {
        None => plan
            .attributes
            .extend(given.iter().map(describe_unconverted_attribute)),
        Some(inputs) => {
            for input in inputs {
                plan.attributes.push(plan_attribute(&given, input, inputs)?);
            }
        }
    }
    plan_bindings(&mut plan, draw, stride, inputs.unwrap_or_default());
    Ok(plan)
}

/// Returns the source of an attribute of the program: a column of the vertex data, components of a
/// 64-bit column at this or the previous location as words, or the current value. `inputs` are all
/// attributes of the program. Returns an error if the types do not match.
fn plan_attribute(
    given: &[DrawAttribute],
    input: &StageAttribute,
    inputs: &[StageAttribute],
) -> Result<VertexAttribute, String> {
    let find = |number| given.iter().find(|given| given.location == number);
    if let Some(given) = find(input.attribute) {
        return match input.half {
            Some(half) => half_attribute(given, input, half),
            None if given.format.has_64_bit_channels() && input.scalar == ScalarType::Uint32 => {
                half_attribute(given, input, AttributeHalf::Xy)
            }
            None => check_attribute(given, input),
        };
    }
    // Registers of words have the rest of a 64-bit attribute after it, except if the program reads
    // the location as an attribute.
    let before = input.attribute.checked_sub(1);
    let in_halves = |number| {
        let mut inputs = inputs.iter();
        inputs.any(|input| input.attribute == number && input.half.is_some())
    };
    let before = before.filter(|number| !in_halves(*number)).and_then(find);
    match before {
        Some(given) if given.format.has_64_bit_channels() && input.scalar == ScalarType::Uint32 => {
            half_attribute(given, input, AttributeHalf::Zw)
        }
        Some(_) | None => current_attribute(input),
    }
}

/// Assigns a vertex binding to each attribute, one for each divisor of the draw, and adds the
/// bindings to the plan in ascending order. `stride` is that of the vertex data, in bytes; current
/// values have stride 0.
fn plan_bindings(plan: &mut VertexPlan, draw: &Draw, stride: u32, inputs: &[StageAttribute]) {
    for attribute in &mut plan.attributes {
        let same = |input: &&StageAttribute| input.location == attribute.location;
        let input = inputs.iter().find(same);
        let number = input.map_or(attribute.location, |input| input.attribute);
        let divisor = draw.divisors.0.get(number as usize);
        let divisor = divisor.copied().map_or(0, u32::from);
        let (binding, stride, divisor) = match attribute.binding {
            DRAW_BINDING if divisor > 0 => {
                let same = |known: &&VertexBinding| known.divisor == divisor;
                let existing = plan.bindings.iter().find(same);
                let next = plan.bindings.iter().map(|known| known.binding + 1).max();
                let fresh = next.unwrap_or(0).max(FIRST_DIVISOR_BINDING);
                (
                    existing.map_or(fresh, |known| known.binding),
                    stride,
                    divisor,
                )
            }
            DRAW_BINDING => (DRAW_BINDING, stride, 0),
            other => (other, 0, 0),
        };
        attribute.binding = binding;
        if !plan.bindings.iter().any(|known| known.binding == binding) {
            plan.bindings.push(VertexBinding {
                binding,
                stride,
                divisor,
            });
        }
    }
    plan.bindings.sort_by_key(|binding| binding.binding);
}

/// Returns the attributes that the vertex data provides, and the stride of its vertices in bytes;
/// none and 0 without data.
fn find_draw_attributes(data: Option<&VertexData>) -> (Vec<DrawAttribute>, u32) {
    let column = |column: &Column| DrawAttribute {
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

/// Describes an attribute that is fetched from the vertex buffer of the draw in the format of the
/// data.
fn describe_unconverted_attribute(given: &DrawAttribute) -> VertexAttribute {
    let DrawAttribute {
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

/// Returns the attribute that reads two components of a 64-bit column as 32-bit words: `x` and `y`
/// or `z` and `w`. If the column has none of the two, it is the current value. Returns an error if
/// the column has no 64-bit components.
fn half_attribute(
    given: &DrawAttribute,
    input: &StageAttribute,
    half: AttributeHalf,
) -> Result<VertexAttribute, String> {
    let DrawAttribute { format, offset, .. } = given;
    if !format.has_64_bit_channels() {
        let (attribute, format) = (input.attribute, format.vk);
        return Err(format!(
            "attribute {attribute} is given as {format:?}, but the program reads 64-bit components"
        ));
    }
    let first = if half == AttributeHalf::Xy { 0 } else { 2 };
    let count = format.channels.len().saturating_sub(first).min(2);
    if count == 0 {
        return current_attribute(input);
    }
    Ok(VertexAttribute {
        location: input.location,
        binding: DRAW_BINDING,
        format: Format::from_channels(Encoding::Uint, 32, 2 * count as u8).vk,
        offset: offset + 8 * first as u32,
    })
}

/// Returns the attribute that reads a column of the vertex data without conversion. Returns an
/// error if the column does not have the type and width that the program reads.
fn check_attribute(
    given: &DrawAttribute,
    input: &StageAttribute,
) -> Result<VertexAttribute, String> {
    let wide = given.format.has_64_bit_channels();
    let fits = match (input.scalar, given.format.encoding) {
        (ScalarType::Sint32, encoding) => encoding == Encoding::Sint,
        (ScalarType::Uint32, encoding) => encoding == Encoding::Uint,
        (ScalarType::Float32, Encoding::Sint | Encoding::Uint) => false,
        (ScalarType::Float32, _) => !wide,
        (ScalarType::Float64, _) => wide,
    };
    if fits {
        Ok(describe_unconverted_attribute(given))
    } else {
        let (location, format) = (given.location, given.format.vk);
        Err(format!(
            "attribute {location} is given as {format:?}, but the program reads it as {:?}",
            input.scalar
        ))
    }
}

/// Returns the attribute that reads the current value of a location, which is the same for all
/// vertices. Returns an error for doubles and for locations from [`ATTRIBUTES`] on, which have no
/// current value.
fn current_attribute(input: &StageAttribute) -> Result<VertexAttribute, String> {
    let location = input.location;
    let encoding = match input.scalar {
        ScalarType::Float32 => Encoding::Sfloat,
        ScalarType::Sint32 => Encoding::Sint,
        ScalarType::Uint32 => Encoding::Uint,
        ScalarType::Float64 => {
            return Err(format!(
                "attribute {location} is a double and has no current value"
            ));
        }
    };
    if location as usize >= ATTRIBUTES {
        return Err(format!("attribute {location} has no current value"));
    }
    let format = Format::from_channels(encoding, 32, 4).vk;
    Ok(VertexAttribute {
        location,
        binding: CURRENT_BINDING,
        format,
        offset: location * 16,
    })
}

/// Returns the contents of the buffer of current values, 16 bytes for each location. Values are
/// converted to the integer type with which the plan reads a location, otherwise they are floats.
pub(super) fn current_value_bytes(values: &[[f32; 4]; ATTRIBUTES], plan: &VertexPlan) -> Vec<u8> {
    let [signed, unsigned] =
        [Encoding::Sint, Encoding::Uint].map(|it| Format::from_channels(it, 32, 4).vk);
    let has_format = |location: usize, format| {
        plan.attributes.iter().any(|attribute| {
            attribute.binding == CURRENT_BINDING
                && attribute.location as usize == location
                && attribute.format == format
        })
    };
    let mut bytes = Vec::with_capacity(ATTRIBUTES * 16);
    for (location, value) in values.iter().enumerate() {
        let words = if has_format(location, signed) {
            value.map(|component| component as i32 as u32)
        } else if has_format(location, unsigned) {
            value.map(|component| component as u32)
        } else {
            value.map(f32::to_bits)
        };
        bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::reflection;
    use ash::vk;
    use glasm::ir::{Interpolation, Stage};
    use glasm_scripts::script::command::Divisors;
    use glasm_scripts::script::pipeline_state::PipelineState;
    use glasm_scripts::script::{DrawSource, GlOutcome, PrimitiveAssembly, Script};
    use glasm_scripts::vertices::initial_attributes;

    fn data(text: &str) -> VertexData {
        Script::parse(format!("[vertex data]\n{text}").as_bytes())
            .unwrap()
            .vertex_data
            .unwrap()
    }

    fn input(number: u8, scalar: ScalarType) -> InterfaceVariable {
        InterfaceVariable {
            semantic: Semantic::VertexAttribute(number),
            location: Some(u32::from(number)),
            scalar_type: scalar,
            component_count: 4,
            interpolation: Interpolation::Smooth,
            attribute_half: None,
            is_per_vertex: false,
        }
    }

    fn reads(inputs: Vec<InterfaceVariable>) -> Vec<StageAttribute> {
        reflected_inputs(&Reflection {
            inputs,
            ..reflection(Stage::Vertex)
        })
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
    fn attributes_that_the_draw_lacks_have_current_values() {
        let inputs = reads(vec![
            input(0, ScalarType::Float32),
            input(3, ScalarType::Sint32),
        ]);
        let corners = VertexData::rectangle([-1.0, -1.0, 2.0, 2.0], None);
        let arrays = draw(DrawSource::Arrays { first: 0, count: 4 });
        let plan = plan_vertices(&arrays, Some(&corners), Some(&inputs)).unwrap();
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
        let bindings: Vec<_> = plan
            .bindings
            .iter()
            .map(|known| (known.binding, known.stride, known.divisor))
            .collect();
        assert_eq!(bindings, [(0, 16, 0), (1, 0, 0)]);
        let bytes = current_value_bytes(&initial_attributes(), &plan);
        assert_eq!(bytes[48..52], 1i32.to_le_bytes());
        assert_eq!(bytes[44..48], 1f32.to_le_bytes());
    }

    #[test]
    fn attributes_that_no_program_reads_are_left_out() {
        let data = data("0/R32G32_SFLOAT 5/R32_UINT\n");
        let arrays = draw(DrawSource::Arrays { first: 0, count: 0 });
        let plan = |inputs: Option<&[StageAttribute]>| plan_vertices(&arrays, Some(&data), inputs);
        let unsigned = plan(Some(&reads(vec![input(5, ScalarType::Uint32)]))).unwrap();
        assert_eq!(unsigned.attributes.len(), 1);
        let attribute = unsigned.attributes[0];
        assert_eq!((attribute.location, attribute.offset), (5, 8));
        assert_eq!(plan(None).unwrap().attributes.len(), 2);
        assert_eq!(
            plan(Some(&reads(vec![input(5, ScalarType::Float32)]))).unwrap_err(),
            "attribute 5 is given as R32_UINT, but the program reads it as Float32"
        );
    }

    #[test]
    fn every_rate_has_a_binding() {
        let data = data("0/R32_SFLOAT 1/R32_SFLOAT 2/R32_SFLOAT 3/R32_SFLOAT\n");
        let mut arrays = draw(DrawSource::Arrays { first: 0, count: 0 });
        arrays.divisors.0[1] = 2;
        arrays.divisors.0[2] = 1;
        arrays.divisors.0[3] = 2;
        let plan = plan_vertices(&arrays, Some(&data), None).unwrap();
        let of_attributes: Vec<_> = plan.attributes.iter().map(|a| a.binding).collect();
        assert_eq!(of_attributes, [0, 2, 3, 2]);
        let rates: Vec<_> = plan
            .bindings
            .iter()
            .map(|known| (known.binding, known.divisor))
            .collect();
        assert_eq!(rates, [(0, 0), (2, 2), (3, 1)]);
    }

    #[test]
    fn registers_of_words_get_wide_attributes_in_two() {
        let inputs = reads(vec![
            input(1, ScalarType::Uint32),
            input(2, ScalarType::Uint32),
        ]);
        let draw = draw(DrawSource::Arrays { first: 0, count: 1 });
        let plan = |text: &str| {
            let plan = plan_vertices(&draw, Some(&data(text)), Some(&inputs)).unwrap();
            let attributes = plan.attributes.into_iter();
            let found = attributes.map(|a| (a.location, a.binding, a.format, a.offset));
            found.collect::<Vec<_>>()
        };
        let words = vk::Format::R32G32B32A32_UINT;
        let low = (1, DRAW_BINDING, words, 8);
        let high = (2, DRAW_BINDING, vk::Format::R32G32_UINT, 24);
        assert_eq!(
            plan("0/R32_SFLOAT 1/R64G64B64_SFLOAT\n0 1 2 3\n"),
            [low, high]
        );
        let current = (2, CURRENT_BINDING, words, 32);
        assert_eq!(
            plan("0/R32_SFLOAT 1/R64G64_SFLOAT\n0 1 2\n"),
            [low, current]
        );
    }

    #[test]
    fn halves_of_wide_attributes_are_words() {
        let half = |half, location| InterfaceVariable {
            location: Some(location),
            attribute_half: Some(half),
            is_per_vertex: false,
            ..input(1, ScalarType::Uint32)
        };
        let inputs = reads(vec![half(AttributeHalf::Xy, 1), half(AttributeHalf::Zw, 0)]);
        let arrays = DrawSource::Arrays { first: 0, count: 1 };
        let draw = draw(arrays);
        let plan = |text: &str| plan_vertices(&draw, Some(&data(text)), Some(&inputs));
        let found = |plan: VertexPlan| -> Vec<_> {
            let attributes = plan.attributes.into_iter();
            attributes
                .map(|a| (a.location, a.binding, a.format, a.offset))
                .collect()
        };
        let three = plan("0/R32_SFLOAT 1/R64G64B64_SFLOAT\n0 1 2 3\n").unwrap();
        assert_eq!(
            found(three),
            [
                (1, DRAW_BINDING, vk::Format::R32G32B32A32_UINT, 8),
                (0, DRAW_BINDING, vk::Format::R32G32_UINT, 24)
            ]
        );
        let mut stepping = draw;
        stepping.divisors.0[1] = 2;
        let wide = data("1/R64G64B64A64_SINT\n1 2 3 4\n");
        let stepped = plan_vertices(&stepping, Some(&wide), Some(&inputs)).unwrap();
        let bindings: Vec<_> = stepped.attributes.iter().map(|a| a.binding).collect();
        assert_eq!(bindings, [FIRST_DIVISOR_BINDING; 2]);
        let one = found(plan("1/R64_SINT\n-1\n").unwrap());
        assert_eq!(one[0], (1, DRAW_BINDING, vk::Format::R32G32_UINT, 0));
        assert_eq!(one[1].1, CURRENT_BINDING);
        let message = plan("1/R32_SINT\n-1\n").unwrap_err();
        assert_eq!(
            message,
            "attribute 1 is given as R32_SINT, but the program reads 64-bit components"
        );
    }
}
