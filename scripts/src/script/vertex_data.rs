//! The `[vertex data]` section: a line of column headers, followed by a line of values for
//! each vertex.
//!
//! Headers are VkRunner's `LOCATION/VK_FORMAT` and piglit's `NAME/GL_TYPE/GLSL_TYPE`, where a name
//! may denote a location and a location for a name. Names of variables get the remaining locations.
//!
//! Conventional names alias generic attributes as in NV_vertex_program (table X.1) and
//! ARB_vertex_program.

use super::texel_literals::parse_texel;
use super::tokenizer::{LineError, WordCursor};
use crate::data::{DataType, Scalar};
use crate::format::{Encoding, Format, write_bits};

/// Attribute of the texture coordinates of rectangles.
const TEXCOORD_LOCATION: u32 = 8;

/// Conversion of the words of a column to bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CellConversion {
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
    conversion: CellConversion,
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
    /// Parses the column headers to the end of the line, and returns the data without vertices,
    /// with the offsets of the columns and the stride in bytes, aligned as Vulkan requires. Returns
    /// an error for invalid headers and columns of the same attribute.
    pub(super) fn parse_header(words: &mut WordCursor<'_>) -> Result<Self, LineError> {
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
            data.stride = offset + format.texel_size() as u32;
            data.columns.push(Column {
                location,
                format,
                offset,
                conversion: reading,
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
            format: Format::from_channels(Encoding::Sfloat, 32, 4),
            offset: SIZE * number,
            conversion: CellConversion::Texels,
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

    /// Parses a value for each column and appends them as one vertex. Returns an error, and appends
    /// nothing, if a value is missing or invalid, or if words remain.
    pub(super) fn parse_row(&mut self, words: &mut WordCursor<'_>) -> Result<(), LineError> {
        let mut row = vec![0; self.stride as usize];
        for column in &self.columns {
            let texel = &mut row[column.offset as usize..][..column.format.texel_size()];
            parse_cell(column, words, texel)?;
        }
        words.expect_end()?;
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
    NextFree,
}

/// Consumes the headers of all columns up to the end of the line, and returns their locations,
/// formats and conversions; a matrix has several. Returns an error if two columns have one
/// location, or if there are too many.
fn parse_columns(
    words: &mut WordCursor<'_>,
) -> Result<Vec<(u32, Format, CellConversion)>, LineError> {
    // Names that denote locations are assigned first, regardless of their position.
    let mut headers = words.clone();
    let mut taken = [false; ATTRIBUTES as usize];
    while !headers.is_empty() {
        let header = parse_column(&mut headers)?;
        if let ColumnLocation::Location(first) = header.location {
            claim_locations(&mut taken, first, &header)
                .map_err(|error| headers.error_at_last(error))?;
        }
    }
    let mut columns = Vec::new();
    while !words.is_empty() {
        let header = parse_column(words)?;
        let first = match header.location {
            ColumnLocation::Location(first) => first,
            ColumnLocation::NextFree => {
                let free =
                    |first: &u32| claim_locations(&mut taken.clone(), *first, &header).is_ok();
                let first = (0..ATTRIBUTES).find(free);
                let first = first.ok_or_else(|| words.error_at_last("no attribute is left"))?;
                claim_locations(&mut taken, first, &header)
                    .map_err(|error| words.error_at_last(error))?;
                first
            }
        };
        for column in 0..header.columns {
            let location = first + column * header.locations;
            columns.push((location, header.format.clone(), header.conversion));
        }
    }
    Ok(columns)
}

/// Marks the locations of a column as used, from `first` on. Returns an error if one does not exist
/// or is used already; the previous ones are marked then.
fn claim_locations(
    taken: &mut [bool; ATTRIBUTES as usize],
    first: u32,
    header: &ColumnHeader,
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
struct ColumnHeader {
    location: ColumnLocation,
    format: Format,
    conversion: CellConversion,
    /// Number of columns of a matrix, 1 for all other types.
    columns: u32,
    /// Locations of each.
    locations: u32,
}

/// Consumes the header of a column, `LOCATION/FORMAT` or `NAME/GL_TYPE/GLSL_TYPE`. A name of a
/// variable has no location yet.
fn parse_column(words: &mut WordCursor<'_>) -> Result<ColumnHeader, LineError> {
    let header = words.next_word("a column header")?;
    let mut parts = header.split('/');
    let name = parts.next().unwrap_or_default();
    let location = match attribute_location(name) {
        Some(location) => ColumnLocation::Location(location),
        None if is_variable(name) => ColumnLocation::NextFree,
        None => {
            return Err(words.error_at_last(format!("`{name}` is no attribute location or name")));
        }
    };
    let (format, reading, columns) = match (parts.next(), parts.next(), parts.next()) {
        (Some(format), None, None) => match Format::parse(format) {
            Some(format) => (format, CellConversion::Texels, 1),
            None => return Err(words.error_at_last(format!("`{format}` is no vertex format"))),
        },
        (Some(gl_type), Some(glsl_type), None) => {
            gl_column_format(gl_type, glsl_type).ok_or_else(|| {
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
    let wide = columns > 1 && format.texel_size() > 16;
    Ok(ColumnHeader {
        location,
        format,
        conversion: reading,
        columns,
        locations: if wide { 2 } else { 1 },
    })
}

/// Returns true if a name can be that of a GLSL variable, optionally with an index; false for names
/// that begin with `gl_`.
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

/// Returns the format for data of a GL type that a GLSL type receives, its conversion, and the
/// number of its columns; `None` if there is no such pair.
fn gl_column_format(gl_type: &str, glsl_type: &str) -> Option<(Format, CellConversion, u32)> {
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
        (Scalar::F32, _) => (Encoding::Sfloat, 32, CellConversion::FloatsFrom(*data)),
        (Scalar::F64, _) if *data == Scalar::F64 => (Encoding::Sfloat, 64, CellConversion::Texels),
        (Scalar::I32, false) => (Encoding::Sint, 32, CellConversion::Texels),
        (Scalar::U32, false) => (Encoding::Uint, 32, CellConversion::Texels),
        _ => return None,
    };
    let format = Format::from_channels(encoding, bits, received.rows);
    Some((format, reading, received.columns.into()))
}

/// Consumes the value of a column in one line and writes it in the format of the column to `texel`,
/// which must be zero.
fn parse_cell(
    column: &Column,
    words: &mut WordCursor<'_>,
    texel: &mut [u8],
) -> Result<(), LineError> {
    let CellConversion::FloatsFrom(scalar) = column.conversion else {
        return parse_texel(&column.format, words, texel);
    };
    for channel in &column.format.channels {
        let bits = words.parse_with("a value of the column's type", |word| {
            parse_as_float_bits(scalar, word)
        })?;
        write_bits(texel, channel.offset, channel.bits, bits);
    }
    Ok(())
}

/// Parses a number of a GL type, converts it to a 32-bit float and returns its bits; `None` if it
/// is not a number of the type.
fn parse_as_float_bits(scalar: Scalar, word: &str) -> Option<u64> {
    let value = match scalar.decode(scalar.parse_bits(word)?) {
        crate::data::Value::Int(value) => value as f32,
        crate::data::Value::Float(value) => value as f32,
    };
    Some(u64::from(value.to_bits()))
}

/// Number of vertex attributes that scripts can name.
pub(crate) const ATTRIBUTES: u32 = 32;

const PLAIN_NAMES: &[(&str, u32)] = &[
    ("vertex.position", 0),
    ("vertex.weight", 1),
    ("vertex.normal", 2),
    ("vertex.color", 3),
    ("vertex.color.primary", 3),
    ("vertex.color.secondary", 4),
    ("vertex.fogcoord", 5),
    ("vertex.texcoord", 8),
    ("v[OPOS]", 0),
    ("v[WGHT]", 1),
    ("v[NRML]", 2),
    ("v[COL0]", 3),
    ("v[COL1]", 4),
    ("v[FOGC]", 5),
    ("piglit_vertex", 0),
    ("piglit_texcoord", 8),
    ("vertex", 0),
    ("gl_Vertex", 0),
    ("gl_Normal", 2),
    ("gl_Color", 3),
    ("gl_SecondaryColor", 4),
    ("gl_FogCoord", 5),
];

/// Prefix, suffix, first location and number of names with a number inside.
const NUMBERED_NAMES: &[(&str, &str, u32, u32)] = &[
    ("vertex.attrib[", "]", 0, ATTRIBUTES),
    ("vertex.texcoord[", "]", 8, 8),
    ("vertex.weight[", "]", 1, 1),
    ("v[TEX", "]", 8, 8),
    ("v[", "]", 0, 16),
    ("gl_MultiTexCoord", "", 8, 8),
    ("", "", 0, ATTRIBUTES),
];

/// Names of vectors of four weights or matrix indices that no generic attribute aliases, by the
/// number of the first.
const QUAD_NAMES: &[(&str, u32)] = &[
    ("vertex.weight[4]", 16),
    ("vertex.weight[8]", 17),
    ("vertex.weight[12]", 18),
    ("vertex.matrixindex[0]", 20),
    ("vertex.matrixindex[4]", 21),
    ("vertex.matrixindex[8]", 22),
    ("vertex.matrixindex[12]", 23),
];

/// Returns the location of an attribute with a conventional name or a number; `None` if it is
/// unknown.
pub(crate) fn attribute_location(name: &str) -> Option<u32> {
    let mut names = PLAIN_NAMES.iter().chain(QUAD_NAMES);
    if let Some((_, location)) = names.find(|(text, _)| *text == name) {
        return Some(*location);
    }
    NUMBERED_NAMES
        .iter()
        .find_map(|(prefix, suffix, first, count)| {
            let number: u32 = name
                .strip_prefix(prefix)?
                .strip_suffix(suffix)?
                .parse()
                .ok()?;
            (number < *count).then_some(first + number)
        })
}

/// Returns true if a name of a buffer or file consists of ASCII alphanumeric characters, `_`, `-`
/// and `.`, and does not begin with `.`, `-` or a digit.
pub(crate) fn is_identifier(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    name.chars().all(plain) && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
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

    #[test]
    fn conventional_names_alias_generic_attributes() {
        for (name, location) in [
            ("7", 7),
            ("vertex.position", 0),
            ("vertex.attrib[31]", 31),
            ("vertex.texcoord[2]", 10),
            ("vertex.weight[0]", 1),
            ("vertex.weight[4]", 16),
            ("vertex.matrixindex[12]", 23),
            ("v[TEX7]", 15),
            ("v[OPOS]", 0),
            ("v[12]", 12),
            ("gl_MultiTexCoord1", 9),
        ] {
            assert_eq!(attribute_location(name), Some(location), "{name}");
        }
        for name in [
            "32",
            "v[16]",
            "vertex.texcoord[8]",
            "vertex.attrib[]",
            "vertex.weight[1]",
            "position",
            "-1",
            "+1x",
        ] {
            assert_eq!(attribute_location(name), None, "{name}");
        }
    }

    #[test]
    fn file_names_cannot_leave_their_directory() {
        assert!(is_identifier("lit_cube.png"));
        for name in ["", "../x.png", "a/b.png", ".hidden", "1"] {
            assert!(!is_identifier(name), "{name}");
        }
    }
}
