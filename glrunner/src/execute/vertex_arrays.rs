//! Vertex attributes: arrays and current values.
//!
//! An attribute has a number, and some have a conventional name as well. Drivers may store both
//! separately or in one location (ARB_vertex_program, issue 4), so each value is written to both;
//! if they share a location, the generic attribute takes precedence.

use super::gl_features::{Feature, NO_VERSION};
use super::program_info::WordInput;
use super::programs::Programs;
use crate::error::Problem;
use crate::formats::VertexFormat;
use crate::gl::{
    self, ArrayAttribute, AttributeKind, Buffer, ConventionalAttribute, GenericFormat, Gl, Version,
    VertexArray,
};
use glasm::reflect::{AttributeHalf, ScalarType};
use glasm_scripts::format::Format;
use glasm_scripts::script::{Column, Draw, DrawSource, VertexData};
use glasm_scripts::vertices::{ATTRIBUTES, initial_attributes};
use std::rc::Rc;

/// Bytes of four floats.
const VECTOR_BYTES: usize = 16;
/// Number of the first instance that an attribute without array may have.
const MAX_FIRST_INSTANCE: u32 = 1 << 16;
/// First number of texture coordinates.
const FIRST_TEXCOORD: u32 = 8;
/// Texture coordinates that have a number.
const TEXCOORDS: u32 = 8;

const INSTANCES: Feature = Feature {
    core: Version(3, 3),
    extensions: &[],
};
const DOUBLES: Feature = Feature {
    core: Version(4, 1),
    extensions: &["GL_ARB_vertex_attrib_64bit"],
};
const LONG_INTEGERS: Feature = Feature {
    core: NO_VERSION,
    extensions: &["GL_NV_vertex_attrib_integer_64bit"],
};

/// Vertex attributes: arrays and current values.
pub(super) struct VertexState {
    pub(super) current: [[f32; 4]; ATTRIBUTES],
    /// Vertex data of the script, uploaded at its first draw.
    data: Option<Rc<UploadedArrays>>,
}

impl Default for VertexState {
    fn default() -> Self {
        Self {
            current: initial_attributes(),
            data: None,
        }
    }
}

/// Arrays in a buffer.
pub(super) struct UploadedArrays {
    pub(super) buffer: Buffer,
    /// With the numbers of their attributes. They step with vertices.
    arrays: Vec<(u32, VertexArray)>,
}

/// Numbers of attributes of a driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct AttributeLimits {
    attributes: u32,
    texcoords: u32,
}

impl AttributeLimits {
    /// Queries the numbers of attributes and of texture coordinates that the driver has.
    fn query(gl: &Gl) -> Result<Self, Problem> {
        Ok(Self {
            attributes: gl.integer(gl::MAX_VERTEX_ATTRIBS)?.unsigned_abs(),
            texcoords: gl.integer(gl::MAX_TEXTURE_COORDS)?.unsigned_abs(),
        })
    }

    /// Returns the conventional attribute that aliases a generic one by number; `None` if there is
    /// none within the driver's limits.
    fn conventional_attribute(self, location: u32) -> Option<ConventionalAttribute> {
        // NV_vertex_program, table X.2. The attributes that alias 1, 6 and 7 are not available to
        // vertex programs.
        match location {
            2 => Some(ConventionalAttribute::Normal),
            3 => Some(ConventionalAttribute::Color),
            4 => Some(ConventionalAttribute::SecondaryColor),
            5 => Some(ConventionalAttribute::FogCoord),
            _ => {
                let set = location.checked_sub(FIRST_TEXCOORD)?;
                (set < self.texcoords.min(TEXCOORDS))
                    .then_some(ConventionalAttribute::TexCoord(set))
            }
        }
    }
}

/// Arrays as bytes.
#[derive(Default)]
struct ArrayPlan {
    bytes: Vec<u8>,
    arrays: Vec<(u32, VertexArray)>,
}

impl ArrayPlan {
    /// Returns the arrays of all columns, each unchanged and converted to the format of the
    /// conventional attribute; 64-bit columns as `words` read them. Returns
    /// [`Problem::Unsupported`] for attributes or formats that the driver lacks.
    fn from_data(
        gl: &Gl,
        limits: AttributeLimits,
        data: &VertexData,
        words: &[WordInput],
    ) -> Result<Self, Problem> {
        let mut plan = Self {
            bytes: data.bytes.clone(),
            arrays: Vec::new(),
        };
        for column in &data.columns {
            plan.add_column(gl, limits, data, (column, words))?;
        }
        Ok(plan)
    }

    /// Adds the arrays of the attribute that a column of vertex data describes: the generic one,
    /// and the conventional one that aliases it. 64-bit columns are added as `words` read them, if
    /// there are any. Returns [`Problem::Unsupported`] for attributes or formats that the driver
    /// lacks.
    fn add_column(
        &mut self,
        gl: &Gl,
        limits: AttributeLimits,
        data: &VertexData,
        (column, words): (&Column, &[WordInput]),
    ) -> Result<(), Problem> {
        let location = column.location;
        if column.format.has_64_bit_channels() && !words.is_empty() {
            self.add_words(data, column, words);
            return Ok(());
        }
        if location >= limits.attributes {
            let reason = format!("the driver lacks vertex attribute {location}");
            return Err(Problem::Unsupported(reason));
        }
        let native = native_format(gl, &column.format)?;
        let is_long = native.is_some_and(|native| native.kind == AttributeKind::Long);
        let conventional = limits.conventional_attribute(location).filter(|_| !is_long);
        let generic = match native {
            Some(format) => VertexArray {
                attribute: ArrayAttribute::Generic(location, format),
                offset: column.offset as usize,
                stride: data.stride as usize,
                size: column.format.texel_size(),
                divisor: 0,
            },
            None => self.add_converted(
                data,
                column,
                describe_float_attribute(location, &column.format)?,
            ),
        };
        self.arrays.push((location, generic));
        if let Some(slot) = conventional {
            let array = self.add_converted(data, column, ArrayAttribute::Conventional(slot));
            self.arrays.push((location, array));
        }
        Ok(())
    }

    /// Adds arrays for a column of 64-bit components in the form in which modules read it: in pairs
    /// of words, two components at a location. Registers of words have the third and fourth
    /// component after the attribute, unless it is read as one. Alternatively, all of them are
    /// doubles. Adds nothing if no module reads the attribute.
    fn add_words(&mut self, data: &VertexData, column: &Column, words: &[WordInput]) {
        let is_split = |number| {
            let mut words = words.iter();
            words.any(|input| input.attribute == number && input.half.is_some())
        };
        for input in words {
            if input.is_doubles {
                if input.attribute == column.location {
                    self.add_doubles(data, column, input.location);
                }
                continue;
            }
            let first_words = match (input.attribute.checked_sub(column.location), input.half) {
                (Some(0), Some(AttributeHalf::Xy) | None) => 0,
                (Some(0), Some(AttributeHalf::Zw)) => 2,
                (Some(1), None) if !is_split(column.location) => 2,
                _ => continue,
            };
            let count = column
                .format
                .channels
                .len()
                .saturating_sub(first_words)
                .min(2);
            if count == 0 {
                continue;
            }
            let format = GenericFormat {
                size: 2 * count as u32,
                ty: gl::UNSIGNED_INT,
                kind: AttributeKind::Integer,
            };
            let array = VertexArray {
                attribute: ArrayAttribute::Generic(input.location, format),
                offset: column.offset as usize + 8 * first_words,
                stride: data.stride as usize,
                size: 8 * count,
                divisor: 0,
            };
            self.arrays.push((column.location, array));
        }
    }

    /// Adds an array of the bits of 64-bit components as those of doubles, at a location.
    fn add_doubles(&mut self, data: &VertexData, column: &Column, location: u32) {
        let count = column.format.channels.len();
        let format = GenericFormat {
            size: count as u32,
            ty: gl::DOUBLE,
            kind: AttributeKind::Long,
        };
        let array = VertexArray {
            attribute: ArrayAttribute::Generic(location, format),
            offset: column.offset as usize,
            stride: data.stride as usize,
            size: 8 * count,
            divisor: 0,
        };
        self.arrays.push((column.location, array));
    }

    /// Appends the column, converted to four floats per vertex, to the bytes, and returns its array
    /// for an attribute, which the caller adds.
    fn add_converted(
        &mut self,
        data: &VertexData,
        column: &Column,
        slot: ArrayAttribute,
    ) -> VertexArray {
        let offset = self.bytes.len().next_multiple_of(VECTOR_BYTES);
        self.bytes.resize(offset, 0);
        let format = &column.format;
        // Rows have at least one byte, and columns are not empty.
        for row in data.bytes.chunks_exact(data.stride as usize) {
            let texel = &row[column.offset as usize..][..format.texel_size()];
            let floats = format.decode(texel).map(|value| value as f32);
            self.bytes
                .extend(floats.into_iter().flat_map(f32::to_ne_bytes));
        }
        VertexArray {
            attribute: slot,
            offset,
            stride: VECTOR_BYTES,
            size: VECTOR_BYTES,
            divisor: 0,
        }
    }

    /// Returns true if there is an array for the position, possibly with words of another
    /// attribute.
    fn has_position(&self) -> bool {
        let mut arrays = self.arrays.iter();
        arrays.any(|(_, array)| matches!(array.attribute, ArrayAttribute::Generic(0, _)))
    }

    /// Adds an array with the current value of the position: without an array for it OpenGL draws
    /// nothing. It advances per instance, of which the draw has too few for a second value.
    fn add_position(&mut self, draw: &Draw, value: [u32; 4], format: GenericFormat) {
        let offset = self.bytes.len().next_multiple_of(VECTOR_BYTES);
        self.bytes.resize(offset, 0);
        for _ in 0..=draw.first_instance {
            self.bytes
                .extend(value.into_iter().flat_map(u32::to_ne_bytes));
        }
        let array = VertexArray {
            attribute: ArrayAttribute::Generic(0, format),
            offset,
            stride: VECTOR_BYTES,
            size: VECTOR_BYTES,
            divisor: draw.instances.max(1),
        };
        self.arrays.push((0, array));
    }

    /// Uploads the bytes of all arrays to one buffer.
    fn upload(self, gl: &Rc<Gl>) -> Result<UploadedArrays, Problem> {
        Ok(UploadedArrays {
            buffer: Buffer::new(gl, &self.bytes, gl::STATIC_DRAW)?,
            arrays: self.arrays,
        })
    }
}

/// Returns the format of an attribute by the names of OpenGL; `None` if it must be converted, also
/// because the driver lacks its extension. Returns [`Problem::Unsupported`] for 64-bit formats that
/// the driver lacks.
fn native_format(gl: &Gl, format: &Format) -> Result<Option<GenericFormat>, Problem> {
    let Some(VertexFormat {
        size,
        ty,
        kind,
        extension,
    }) = VertexFormat::from_format(format)
    else {
        return Ok(None);
    };
    if kind == AttributeKind::Long {
        let feature = match ty {
            gl::DOUBLE => DOUBLES,
            _ => LONG_INTEGERS,
        };
        feature.require(gl)?;
    } else if extension.is_some_and(|extension| !gl.has_extension(extension)) {
        return Ok(None);
    }
    Ok(Some(GenericFormat { size, ty, kind }))
}

/// Returns the generic attribute for values that the caller converts to four floats. Returns
/// [`Problem::Unsupported`] for integer formats, which cannot be converted.
fn describe_float_attribute(location: u32, format: &Format) -> Result<ArrayAttribute, Problem> {
    if format.encoding.is_integer() {
        let reason = format!("OpenGL has no vertex attributes of format {:?}", format.vk);
        return Err(Problem::Unsupported(reason));
    }
    Ok(ArrayAttribute::Generic(location, FLOATS))
}

/// Four floats.
const FLOATS: GenericFormat = GenericFormat {
    size: 4,
    ty: gl::FLOAT,
    kind: AttributeKind::Float,
};

/// Returns a current value as a program reads it: format and bits; converted to integers of the
/// type `integers`, if there is one.
fn current_value_bits(value: [f32; 4], integers: Option<ScalarType>) -> (GenericFormat, [u32; 4]) {
    let integer = |ty| GenericFormat {
        size: 4,
        ty,
        kind: AttributeKind::Integer,
    };
    match integers {
        Some(ScalarType::Sint32) => (
            integer(gl::INT),
            value.map(|component| (component as i32).cast_unsigned()),
        ),
        Some(ScalarType::Uint32) => (
            integer(gl::UNSIGNED_INT),
            value.map(|component| component as u32),
        ),
        None | Some(ScalarType::Float32 | ScalarType::Float64) => (FLOATS, value.map(f32::to_bits)),
    }
}

impl UploadedArrays {
    /// Returns the arrays of a draw with its divisors. Only generic attributes can step with
    /// instances: conventional ones that would are omitted.
    pub(super) fn select_for_draw(&self, draw: &Draw) -> Vec<VertexArray> {
        let of_draw = |(location, array): &(u32, VertexArray)| {
            let divisor = match array.divisor {
                0 => draw.divisors.0[*location as usize].into(),
                divisor => divisor,
            };
            let is_generic = matches!(array.attribute, ArrayAttribute::Generic(..));
            (is_generic || divisor == 0).then_some(VertexArray { divisor, ..*array })
        };
        self.arrays.iter().filter_map(of_draw).collect()
    }
}

impl VertexState {
    /// Sets the current values of attributes and returns the arrays of a draw: those of the script,
    /// which are uploaded at its first draw, or of a rectangle, with an array for the position if
    /// there is none. Returns [`Problem::Unsupported`] if the driver does not support the
    /// attributes, or the first instance of a draw without position array.
    pub(super) fn prepare_arrays(
        &mut self,
        gl: &Rc<Gl>,
        programs: &Programs,
        data: Option<&VertexData>,
        draw: &Draw,
    ) -> Result<Rc<UploadedArrays>, Problem> {
        let limits = AttributeLimits::query(gl)?;
        set_current(gl, limits, &self.current, programs)?;
        if let Some(arrays) = &self.data
            && !matches!(draw.source, DrawSource::Rect { .. })
        {
            return Ok(Rc::clone(arrays));
        }
        let facts = programs.info(glasm::ir::Stage::Vertex);
        let words = facts.map_or_else(Vec::new, |facts| facts.word_inputs);
        let mut plan = match draw.source {
            DrawSource::Rect { position, texcoord } => {
                let data = VertexData::rectangle(position, texcoord);
                ArrayPlan::from_data(gl, limits, &data, &words)?
            }
            DrawSource::Arrays { .. } | DrawSource::Indexed { .. } => match data {
                Some(data) => ArrayPlan::from_data(gl, limits, data, &words)?,
                None => ArrayPlan::default(),
            },
        };
        let has_position = plan.has_position();
        if has_position {
            let arrays = Rc::new(plan.upload(gl)?);
            if !matches!(draw.source, DrawSource::Rect { .. }) {
                self.data = Some(Rc::clone(&arrays));
            }
            return Ok(arrays);
        }
        INSTANCES.require(gl)?;
        if draw.first_instance > MAX_FIRST_INSTANCE {
            let reason = format!("the first instance is beyond {MAX_FIRST_INSTANCE}");
            return Err(Problem::Unsupported(reason));
        }
        let integers = programs.integer_attribute(0);
        let (format, value) = current_value_bits(self.current[0], integers);
        plan.add_position(draw, value, format);
        Ok(Rc::new(plan.upload(gl)?))
    }
}

/// Sets the current values of all attributes but the position, conventional and generic ones, in
/// the type that the vertex program reads. Draws leave the values of attributes with arrays
/// undefined.
fn set_current(
    gl: &Gl,
    limits: AttributeLimits,
    values: &[[f32; 4]; ATTRIBUTES],
    programs: &Programs,
) -> Result<(), Problem> {
    let values = values.iter().zip(0..).skip(1);
    for (&[x, y, z, w], location) in values.clone() {
        match limits.conventional_attribute(location) {
            Some(ConventionalAttribute::Normal) => gl.Normal3f(x, y, z)?,
            Some(ConventionalAttribute::Color) => gl.Color4f(x, y, z, w)?,
            Some(ConventionalAttribute::SecondaryColor) => gl.SecondaryColor3f(x, y, z)?,
            Some(ConventionalAttribute::FogCoord) => gl.FogCoordf(x)?,
            Some(ConventionalAttribute::TexCoord(set)) => {
                gl.MultiTexCoord4f(gl::TEXTURE0 + set, x, y, z, w)?
            }
            None => {}
        }
    }
    // If both share a location, these values take precedence.
    for (value, location) in values.take_while(|(_, location)| *location < limits.attributes) {
        let (format, [x, y, z, w]) =
            current_value_bits(*value, programs.integer_attribute(location));
        match (format.kind, format.ty) {
            (AttributeKind::Integer, gl::INT) => {
                let [x, y, z, w] = [x, y, z, w].map(u32::cast_signed);
                gl.VertexAttribI4i(location, x, y, z, w)?;
            }
            (AttributeKind::Integer, _) => gl.VertexAttribI4ui(location, x, y, z, w)?,
            _ => {
                let [x, y, z, w] = [x, y, z, w].map(f32::from_bits);
                gl.VertexAttrib4f(location, x, y, z, w)?;
            }
        }
    }
    Ok(gl.check_errors("setting current values")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: AttributeLimits = AttributeLimits {
        attributes: 16,
        texcoords: 4,
    };

    #[test]
    fn conventional_attributes_have_numbers() {
        let found: Vec<_> = (0..16)
            .filter(|location| LIMITS.conventional_attribute(*location).is_some())
            .collect();
        assert_eq!(found, [2, 3, 4, 5, 8, 9, 10, 11]);
        assert_eq!(
            LIMITS.conventional_attribute(3),
            Some(ConventionalAttribute::Color)
        );
        assert_eq!(
            LIMITS.conventional_attribute(9),
            Some(ConventionalAttribute::TexCoord(1))
        );
    }

    #[test]
    fn current_values_have_the_type_that_programs_read() {
        let value = [-1.0, 2.5, 0.0, 1.0];
        assert_eq!(
            current_value_bits(value, None),
            (FLOATS, value.map(f32::to_bits))
        );
        let (format, words) = current_value_bits(value, Some(ScalarType::Sint32));
        assert_eq!((format.ty, words), (gl::INT, [u32::MAX, 2, 0, 1]));
        let (format, words) = current_value_bits(value, Some(ScalarType::Uint32));
        assert_eq!((format.ty, words), (gl::UNSIGNED_INT, [0, 2, 0, 1]));
    }

    /// Tests four components of 64 bits at attribute 1: 16 bytes for each half.
    #[test]
    fn words_of_wide_attributes_lie_where_modules_read_them() {
        let text = "[vertex data]\n0/R32_UINT 1/R64G64B64_SINT\n7 1 2 3\n[test]\n";
        let script = glasm_scripts::script::Script::parse(text.as_bytes()).unwrap();
        let data = script.vertex_data.unwrap();
        let column = data
            .columns
            .iter()
            .find(|column| column.location == 1)
            .unwrap();
        let word = |attribute, location, half| WordInput {
            attribute,
            location,
            half,
            is_doubles: false,
        };
        let found = |words: &[WordInput]| {
            let mut plan = ArrayPlan::default();
            plan.add_words(&data, column, words);
            let place = |(_, array): &(u32, VertexArray)| match array.attribute {
                ArrayAttribute::Generic(location, format) => {
                    (location, format.size, array.offset as u32 - column.offset)
                }
                ArrayAttribute::Conventional(_) => panic!("words have numbers"),
            };
            plan.arrays.iter().map(place).collect::<Vec<_>>()
        };
        let halves = [
            word(1, 1, Some(AttributeHalf::Xy)),
            word(1, 5, Some(AttributeHalf::Zw)),
        ];
        assert_eq!(found(&halves), [(1, 4, 0), (5, 2, 16)]);
        // Registers of words have the rest after the attribute.
        let registers = [word(1, 1, None), word(2, 2, None), word(0, 0, None)];
        assert_eq!(found(&registers), [(1, 4, 0), (2, 2, 16)]);
        let doubles = WordInput {
            is_doubles: true,
            ..word(1, 1, None)
        };
        assert_eq!(found(&[doubles]), [(1, 3, 0)]);
    }

    #[test]
    fn conversions_follow_the_bytes_of_the_script() {
        let data = VertexData::rectangle([0.0, 0.0, 1.0, 1.0], Some([0.0, 0.0, 4.0, 2.0]));
        let mut plan = ArrayPlan {
            bytes: data.bytes.clone(),
            arrays: Vec::new(),
        };
        let array = plan.add_converted(
            &data,
            &data.columns[1],
            ArrayAttribute::Conventional(ConventionalAttribute::TexCoord(0)),
        );
        assert_eq!((array.offset, array.stride), (128, VECTOR_BYTES));
        assert_eq!(plan.bytes.len(), 192);
        // The fourth corner has the texture coordinates (4, 2).
        assert_eq!(plan.bytes[176..184], data.bytes[112..120]);
        assert_eq!(plan.bytes[176..180], 4f32.to_ne_bytes());
    }
}
