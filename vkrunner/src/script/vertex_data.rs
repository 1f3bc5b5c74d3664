//! The `[vertex data]` section: a line of column headers, then rows of values.
//!
//! Headers are VkRunner's `LOCATION/VK_FORMAT` and piglit's `NAME/GL_TYPE/GLSL_TYPE`, where a name may stand for a location and a
//! location for a name.

use super::names::attribute_location;
use super::texels::parse_texel;
use super::words::{LineError, Words};
use crate::data::{DataType, Scalar};
use crate::format::{Encoding, Format, write_bits};

/// How the words of a column become bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    /// As the format has them.
    Texels,
    /// Numbers of a GL type that become floats.
    FloatsFrom(Scalar),
}

/// A column.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Column {
    pub(crate) location: u32,
    pub(crate) format: Format,
    pub(crate) offset: u32,
    reading: Reading,
}

/// Vertices.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct VertexData {
    pub(crate) columns: Vec<Column>,
    pub(crate) stride: u32,
    pub(crate) rows: u32,
    pub(crate) bytes: Vec<u8>,
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
        while !words.is_empty() {
            let (location, format, reading) = parse_column(words)?;
            if data
                .columns
                .iter()
                .any(|column| column.location == location)
            {
                return Err(words.error_at_last(format!("two columns for attribute {location}")));
            }
            let wide = format.channels.iter().any(|channel| channel.bits == 64);
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

fn parse_column(words: &mut Words<'_>) -> Result<(u32, Format, Reading), LineError> {
    let header = words.word("a column header")?;
    let mut parts = header.split('/');
    let name = parts.next().unwrap_or_default();
    let Some(location) = attribute_location(name) else {
        return Err(words.error_at_last(format!("`{name}` is no attribute location or name")));
    };
    let (format, reading) = match (parts.next(), parts.next(), parts.next()) {
        (Some(format), None, None) => match Format::parse(format) {
            Some(format) => (format, Reading::Texels),
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
    Ok((location, format, reading))
}

/// The format for data of a GL type that a GLSL type receives.
fn gl_column(gl_type: &str, glsl_type: &str) -> Option<(Format, Reading)> {
    let (_, data) = GL_TYPES.iter().find(|(name, _)| *name == gl_type)?;
    let received = match glsl_type {
        // piglit's old form gives the number of components alone.
        "1" => DataType {
            scalar: Scalar::F32,
            columns: 1,
            rows: 1,
        },
        "2" | "3" | "4" => DataType::parse(&format!("vec{glsl_type}"))?,
        _ => DataType::parse(glsl_type)?,
    };
    if received.columns != 1 {
        return None;
    }
    let is_float = matches!(data, Scalar::F16 | Scalar::F32 | Scalar::F64);
    let (encoding, bits, reading) = match (received.scalar, is_float) {
        (Scalar::F32, _) => (Encoding::Sfloat, 32, Reading::FloatsFrom(*data)),
        (Scalar::F64, _) if *data == Scalar::F64 => (Encoding::Sfloat, 64, Reading::Texels),
        (Scalar::I32, false) => (Encoding::Sint, 32, Reading::Texels),
        (Scalar::U32, false) => (Encoding::Uint, 32, Reading::Texels),
        _ => return None,
    };
    Some((Format::wide(encoding, bits, received.rows), reading))
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

/// The float that a number of a GL type becomes.
fn float_bits(scalar: Scalar, word: &str) -> Option<u64> {
    let value = match scalar.value(scalar.parse_bits(word)?) {
        crate::data::Value::Int(value) => value as f32,
        crate::data::Value::Float(value) => value as f32,
    };
    Some(u64::from(value.to_bits()))
}
