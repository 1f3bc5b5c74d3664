//! The `[vertex data]` section: a line of column headers, followed by rows of values.
//!
//! Headers are VkRunner's `LOCATION/VK_FORMAT` and piglit's `NAME/GL_TYPE/GLSL_TYPE`, where a name
//! may denote a location and a location for a name. Names of variables get the remaining locations.

use super::names::{ATTRIBUTES, attribute_location};
use super::texels::parse_texel;
use super::words::{LineError, Words};
use crate::data::{DataType, Scalar};
use crate::format::{Encoding, Format, write_bits};

/// Attribute of the texture coordinates of rectangles.
const TEXCOORD_LOCATION: u32 = 8;

/// Conversion of the words of a column to bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    /// Values in the encoding of the format.
    Texels,
    /// Numbers of a GL type that become floats.
    FloatsFrom(Scalar),
}

/// Column.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// Number of the attribute.
    pub location: u32,
    /// Storage format of its values.
    pub format: Format,
    /// First byte in a vertex.
    pub offset: u32,
    reading: Reading,
}

/// Vertices.
#[derive(Clone, PartialEq, Debug)]
pub struct VertexData {
    /// Columns, in the order of the headers.
    pub columns: Vec<Column>,
    /// Bytes of a vertex.
    pub stride: u32,
    /// Number of vertices.
    pub rows: u32,
    /// Consecutive vertices.
    pub bytes: Vec<u8>,
}

const GL_TYPES: &[(&str, Scalar)] = &[
    ("half", Scalar::F16),
    ("float", Scalar::F32),
    ("double", Scalar::F64),
    ("byte", Scalar::I8),
    ("ubyte", Scalar::U8),
    ("short", Scalar::I16),
    ("ushort", Scalar::U16),
    ("int", Scalar::I32),
    ("uint", Scalar::U32),
];

impl VertexData {
    /// Reads the column headers.
    pub(super) fn parse_header(words: &mut Words<'_>) -> Result<Self, LineError> {
        let mut data = Self {
            columns: Vec::new(),
            stride: 0,
            rows: 0,
            bytes: Vec::new(),
        };
        let mut alignment = 4;
        for (location, format, reading) in parse_columns(words)? {
            let wide = format.channels.iter().any(|channel| channel.bits == 64);
            // In Vulkan the offset of attributes must be a multiple of the size of their
            // components: four bytes suffice for all but those of 64 bits.
            let own_alignment = if wide { 8 } else { 4 };
            alignment = alignment.max(own_alignment);
            let offset = data.stride.next_multiple_of(own_alignment);
            data.stride = offset + format.size() as u32;
            data.columns.push(Column {
                location,
                format,
                offset,
                reading,
            });
        }
        data.stride = data.stride.next_multiple_of(alignment);
        Ok(data)
    }

    /// Returns the corners of a rectangle as a triangle strip: positions (x, y, 0, 1) in attribute
    /// 0 and, if specified, texture coordinates in attribute 8. Both have x, y, width and height.
    pub fn rectangle(position: [f32; 4], texcoord: Option<[f32; 4]>) -> Self {
        const SIZE: u32 = 16;
        let rectangles = [(0, Some(position)), (TEXCOORD_LOCATION, texcoord)];
        let given = || rectangles.iter().filter_map(|(at, it)| Some((*at, (*it)?)));
        let columns = given().zip(0..).map(|((location, _), number)| Column {
            location,
            format: Format::wide(Encoding::Sfloat, 32, 4),
            offset: SIZE * number,
            reading: Reading::Texels,
        });
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
        let corner = |(right, top)| {
            given().flat_map(move |(_, [x, y, width, height])| {
                [x + width * right, y + height * top, 0.0, 1.0]
            })
        };
        let floats = corners.into_iter().flat_map(corner);
        let columns: Vec<Column> = columns.collect();
        Self {
            stride: SIZE * columns.len() as u32,
            columns,
            rows: corners.len() as u32,
            bytes: floats.flat_map(f32::to_le_bytes).collect(),
        }
    }

    /// Reads one vertex.
    pub(super) fn parse_row(&mut self, words: &mut Words<'_>) -> Result<(), LineError> {
        let mut row = vec![0; self.stride as usize];
        for column in &self.columns {
            let texel = &mut row[column.offset as usize..][..column.format.size()];
            parse_cell(column, words, texel)?;
        }
        words.finish()?;
        self.bytes.extend(row);
        self.rows += 1;
        Ok(())
    }
}

/// Location of a column.
#[derive(Clone, Copy)]
enum ColumnLocation {
    Location(u32),
    /// Next free location: columns whose names denote no location get the remaining locations, in
    /// order.
    Next,
}

/// Parses the locations, formats and readings of all columns; a matrix has several.
fn parse_columns(words: &mut Words<'_>) -> Result<Vec<(u32, Format, Reading)>, LineError> {
    // Names that denote locations are assigned first, regardless of their position.
    let mut headers = words.clone();
    let mut taken = [false; ATTRIBUTES as usize];
    while !headers.is_empty() {
        let header = parse_column(&mut headers)?;
        if let ColumnLocation::Location(first) = header.place {
            take(&mut taken, first, &header).map_err(|error| headers.error_at_last(error))?;
        }
    }
    let mut columns = Vec::new();
    while !words.is_empty() {
        let header = parse_column(words)?;
        let first = match header.place {
            ColumnLocation::Location(first) => first,
            ColumnLocation::Next => {
                let free = |first: &u32| take(&mut taken.clone(), *first, &header).is_ok();
                let first = (0..ATTRIBUTES).find(free);
                let first = first.ok_or_else(|| words.error_at_last("no attribute is left"))?;
                take(&mut taken, first, &header).map_err(|error| words.error_at_last(error))?;
                first
            }
        };
        for column in 0..header.columns {
            let location = first + column * header.locations;
            columns.push((location, header.format.clone(), header.reading));
        }
    }
    Ok(columns)
}

/// Marks the locations of a header as taken.
fn take(
    taken: &mut [bool; ATTRIBUTES as usize],
    first: u32,
    header: &Header,
) -> Result<(), String> {
    for location in first..first + header.columns * header.locations {
        match taken.get_mut(location as usize) {
            None => return Err(format!("there is no attribute {location}")),
            Some(true) => return Err(format!("two columns for attribute {location}")),
            Some(taken) => *taken = true,
        }
    }
    Ok(())
}

/// Column header.
struct Header {
    place: ColumnLocation,
    format: Format,
    reading: Reading,
    /// Number of columns of a matrix, 1 for all other types.
    columns: u32,
    /// Locations of each.
    locations: u32,
}

fn parse_column(words: &mut Words<'_>) -> Result<Header, LineError> {
    let header = words.word("a column header")?;
    let mut parts = header.split('/');
    let name = parts.next().unwrap_or_default();
    let place = match attribute_location(name) {
        Some(location) => ColumnLocation::Location(location),
        None if is_variable(name) => ColumnLocation::Next,
        None => {
            return Err(words.error_at_last(format!("`{name}` is no attribute location or name")));
        }
    };
    let (format, reading, columns) = match (parts.next(), parts.next(), parts.next()) {
        (Some(format), None, None) => match Format::parse(format) {
            Some(format) => (format, Reading::Texels, 1),
            None => return Err(words.error_at_last(format!("`{format}` is no vertex format"))),
        },
        (Some(gl_type), Some(glsl_type), None) => {
            gl_column(gl_type, glsl_type).ok_or_else(|| {
                words.error_at_last(format!(
                    "`{gl_type}/{glsl_type}` is no pair of GL and GLSL types"
                ))
            })?
        }
        _ => {
            return Err(
                words.error_at_last("a column header is LOCATION/FORMAT or NAME/GL_TYPE/GLSL_TYPE")
            );
        }
    };
    // Double vectors of three and four components of a matrix occupy two locations each; a single
    // one occupies the following location implicitly.
    let wide = columns > 1 && format.size() > 16;
    Ok(Header {
        place,
        format,
        reading,
        columns,
        locations: if wide { 2 } else { 1 },
    })
}

/// Returns true if a name could be that of a variable.
fn is_variable(name: &str) -> bool {
    let name = name
        .strip_suffix(']')
        .and_then(|name| name.split_once('['))
        .filter(|(_, index)| !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(name, |(name, _)| name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with("gl_")
}

/// Returns the format for data of a GL type that a GLSL type receives, and the number of its
/// columns.
fn gl_column(gl_type: &str, glsl_type: &str) -> Option<(Format, Reading, u32)> {
    let (_, data) = GL_TYPES.iter().find(|(name, _)| *name == gl_type)?;
    let received = match glsl_type {
        // piglit's old form specifies only the number of components.
        "1" | "2" | "3" | "4" => DataType {
            scalar: if matches!(data, Scalar::I32 | Scalar::U32) {
                *data
            } else {
                Scalar::F32
            },
            columns: 1,
            rows: glsl_type.parse().ok()?,
        },
        _ => DataType::parse(glsl_type)?,
    };
    let is_float = matches!(data, Scalar::F16 | Scalar::F32 | Scalar::F64);
    let (encoding, bits, reading) = match (received.scalar, is_float) {
        (Scalar::F32, _) => (Encoding::Sfloat, 32, Reading::FloatsFrom(*data)),
        (Scalar::F64, _) if *data == Scalar::F64 => (Encoding::Sfloat, 64, Reading::Texels),
        (Scalar::I32, false) => (Encoding::Sint, 32, Reading::Texels),
        (Scalar::U32, false) => (Encoding::Uint, 32, Reading::Texels),
        _ => return None,
    };
    let format = Format::wide(encoding, bits, received.rows);
    Some((format, reading, received.columns.into()))
}

fn parse_cell(column: &Column, words: &mut Words<'_>, texel: &mut [u8]) -> Result<(), LineError> {
    let Reading::FloatsFrom(scalar) = column.reading else {
        return parse_texel(&column.format, words, texel);
    };
    for channel in &column.format.channels {
        let bits = words.parse_with("a value of the column's type", |word| {
            float_bits(scalar, word)
        })?;
        write_bits(texel, channel.offset, channel.bits, bits);
    }
    Ok(())
}

/// Returns the float that a number of a GL type becomes.
fn float_bits(scalar: Scalar, word: &str) -> Option<u64> {
    let value = match scalar.value(scalar.parse_bits(word)?) {
        crate::data::Value::Int(value) => value as f32,
        crate::data::Value::Float(value) => value as f32,
    };
    Some(u64::from(value.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    fn locations(header: &str) -> Result<Vec<u32>, String> {
        let text = format!("[vertex data]\n{header}\n");
        match Script::parse(text.as_bytes()) {
            Ok(script) => Ok(script
                .vertex_data
                .unwrap()
                .columns
                .iter()
                .map(|column| column.location)
                .collect()),
            Err(errors) => Err(errors[0].message.clone()),
        }
    }

    #[test]
    fn variables_get_the_locations_that_are_left() {
        assert_eq!(
            locations("foo/float/1 vertex/float/3 bar[2]/float/2 2/R32_SFLOAT"),
            Ok(vec![1, 0, 3, 2])
        );
        assert_eq!(
            locations("vertx.position/float/3").unwrap_err(),
            "`vertx.position` is no attribute location or name"
        );
        assert_eq!(
            locations("gl_Nothing/float/3").unwrap_err(),
            "`gl_Nothing` is no attribute location or name"
        );
    }

    #[test]
    fn matrices_take_a_location_for_each_column() {
        assert_eq!(
            locations("matrix/float/mat3 4/float/mat2x4 foo/float/1"),
            Ok(vec![0, 1, 2, 4, 5, 3])
        );
        assert_eq!(locations("3/double/dmat2x3"), Ok(vec![3, 5]));
        assert_eq!(
            locations("3/float/mat2 4/float/1").unwrap_err(),
            "two columns for attribute 4"
        );
        assert_eq!(
            locations("31/float/mat2").unwrap_err(),
            "there is no attribute 32"
        );
    }

    #[test]
    fn old_headers_keep_integers() {
        let text = "[vertex data]\nfoo/int/1 bar/uint/2 other/ubyte/1\n-1 2 3 4\n";
        let data = Script::parse(text.as_bytes()).unwrap().vertex_data.unwrap();
        let encodings: Vec<_> = data.columns.iter().map(|c| c.format.encoding).collect();
        assert_eq!(
            encodings,
            [Encoding::Sint, Encoding::Uint, Encoding::Sfloat]
        );
    }

    #[test]
    fn rectangles_are_strips_of_four_corners() {
        let data = VertexData::rectangle([-1.0, 0.0, 2.0, 1.0], Some([0.0, 0.0, 4.0, 2.0]));
        let places: Vec<_> = data
            .columns
            .iter()
            .map(|it| (it.location, it.offset))
            .collect();
        assert_eq!(
            (places, data.stride, data.rows),
            (vec![(0, 0), (8, 16)], 32, 4)
        );
        let floats: Vec<f32> = data
            .bytes
            .chunks(4)
            .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
            .collect();
        assert_eq!(floats.len(), 32);
        assert_eq!(floats[8..16], [1.0, 0.0, 0.0, 1.0, 4.0, 0.0, 0.0, 1.0]);
        assert_eq!(floats[16..24], [-1.0, 1.0, 0.0, 1.0, 0.0, 2.0, 0.0, 1.0]);
        let plain = VertexData::rectangle([0.0; 4], None);
        assert_eq!((plain.columns.len(), plain.bytes.len()), (1, 64));
    }
}
