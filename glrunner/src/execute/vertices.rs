//! Vertex attributes: arrays and current values.
//!
//! An attribute has a number, and some have a conventional name as well. Drivers may store both
//! separately or in one location (ARB_vertex_program, issue 4), so each value is written to both;
//! if they share a location, the generic attribute takes precedence.

use super::facts::WordInput;
use super::programs::Programs;
use super::support::{Feature, NO_VERSION};
use crate::error::Problem;
use crate::formats::VertexFormat;
use crate::gl::{
    self, ArraySlot, AttributeKind, Buffer, Conventional, GenericFormat, Gl, Version, VertexArray,
};
use glasm::reflect::{Half, Scalar};
use glasm_scripts::format::Format;
use glasm_scripts::script::{Column, Draw, DrawSource, VertexData};
use glasm_scripts::vertices::{ATTRIBUTES, initial_values};
use std::rc::Rc;

/// Bytes of four floats.
const VECTOR: usize = 16;
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
pub(super) struct Vertices {
    pub(super) current: [[f32; 4]; ATTRIBUTES],
    /// Vertex data of the script, uploaded at its first draw.
    data: Option<Rc<Arrays>>,
}

impl Default for Vertices {
    fn default() -> Self {
        Self {
            current: initial_values(),
            data: None,
        }
    }
}

/// Arrays in a buffer.
pub(super) struct Arrays {
    pub(super) buffer: Buffer,
    /// With the numbers of their attributes. They step with vertices.
    arrays: Vec<(u32, VertexArray)>,
}

/// Numbers of attributes of a driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Limits {
    attributes: u32,
    texcoords: u32,
}

impl Limits {
    fn of(gl: &Gl) -> Result<Self, Problem> {
        Ok(Self {
            attributes: gl.integer(gl::MAX_VERTEX_ATTRIBS)?.unsigned_abs(),
            texcoords: gl.integer(gl::MAX_TEXTURE_COORDS)?.unsigned_abs(),
        })
    }

    /// Returns the conventional attribute of a number.
    fn conventional(self, location: u32) -> Option<Conventional> {
        // NV_vertex_program, table X.2. The attributes that alias 1, 6 and 7 are not available to
        // vertex programs.
        match location {
            2 => Some(Conventional::Normal),
            3 => Some(Conventional::Color),
            4 => Some(Conventional::SecondaryColor),
            5 => Some(Conventional::FogCoord),
            _ => {
                let set = location.checked_sub(FIRST_TEXCOORD)?;
                (set < self.texcoords.min(TEXCOORDS)).then_some(Conventional::TexCoord(set))
            }
        }
    }
}

/// Arrays as bytes.
#[derive(Default)]
struct Plan {
    bytes: Vec<u8>,
    arrays: Vec<(u32, VertexArray)>,
}

impl Plan {
    /// Returns the arrays of all columns, each unchanged and converted to the format of the
    /// conventional attribute.
    fn of(
        gl: &Gl,
        limits: Limits,
        data: &VertexData,
        words: &[WordInput],
    ) -> Result<Self, Problem> {
        let mut plan = Self {
            bytes: data.bytes.clone(),
            arrays: Vec::new(),
        };
        for column in &data.columns {
            plan.add(gl, limits, data, (column, words))?;
        }
        Ok(plan)
    }

    fn add(
        &mut self,
        gl: &Gl,
        limits: Limits,
        data: &VertexData,
        (column, words): (&Column, &[WordInput]),
    ) -> Result<(), Problem> {
        let location = column.location;
        if column.format.is_wide() && !words.is_empty() {
            self.add_words(data, column, words);
            return Ok(());
        }
        if location >= limits.attributes {
            let reason = format!("the driver lacks vertex attribute {location}");
            return Err(Problem::Lacking(reason));
        }
        let native = native_format(gl, &column.format)?;
        let is_long = native.is_some_and(|native| native.kind == AttributeKind::Long);
        let conventional = limits.conventional(location).filter(|_| !is_long);
        let generic = match native {
            Some(format) => VertexArray {
                slot: ArraySlot::Generic(location, format),
                offset: column.offset as usize,
                stride: data.stride as usize,
                size: column.format.size(),
                divisor: 0,
            },
            None => self.converted(data, column, generic_floats(location, &column.format)?),
        };
        self.arrays.push((location, generic));
        if let Some(slot) = conventional {
            let array = self.converted(data, column, ArraySlot::Conventional(slot));
            self.arrays.push((location, array));
        }
        Ok(())
    }

    /// Adds a column of 64-bit components in the form in which modules read it: in pairs of words,
    /// two components at a location. Registers of words have the third and fourth component after
    /// the attribute, unless it is read as one. Alternatively, all of them are doubles.
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
            let first = match (input.attribute.checked_sub(column.location), input.half) {
                (Some(0), Some(Half::Low) | None) => 0,
                (Some(0), Some(Half::High)) => 2,
                (Some(1), None) if !is_split(column.location) => 2,
                _ => continue,
            };
            let count = column.format.channels.len().saturating_sub(first).min(2);
            if count == 0 {
                continue;
            }
            let format = GenericFormat {
                size: 2 * count as u32,
                ty: gl::UNSIGNED_INT,
                kind: AttributeKind::Integer,
            };
            let array = VertexArray {
                slot: ArraySlot::Generic(input.location, format),
                offset: column.offset as usize + 8 * first,
                stride: data.stride as usize,
                size: 8 * count,
                divisor: 0,
            };
            self.arrays.push((column.location, array));
        }
    }

    /// Adds the bits of 64-bit components as those of doubles.
    fn add_doubles(&mut self, data: &VertexData, column: &Column, location: u32) {
        let count = column.format.channels.len();
        let format = GenericFormat {
            size: count as u32,
            ty: gl::DOUBLE,
            kind: AttributeKind::Long,
        };
        let array = VertexArray {
            slot: ArraySlot::Generic(location, format),
            offset: column.offset as usize,
            stride: data.stride as usize,
            size: 8 * count,
            divisor: 0,
        };
        self.arrays.push((column.location, array));
    }

    /// Converts a column to four floats per row.
    fn converted(&mut self, data: &VertexData, column: &Column, slot: ArraySlot) -> VertexArray {
        let offset = self.bytes.len().next_multiple_of(VECTOR);
        self.bytes.resize(offset, 0);
        let format = &column.format;
        // Rows have at least one byte, and columns are not empty.
        for row in data.bytes.chunks_exact(data.stride as usize) {
            let texel = &row[column.offset as usize..][..format.size()];
            let floats = format.decode(texel).map(|value| value as f32);
            self.bytes
                .extend(floats.into_iter().flat_map(f32::to_ne_bytes));
        }
        VertexArray {
            slot,
            offset,
            stride: VECTOR,
            size: VECTOR,
            divisor: 0,
        }
    }

    /// Returns true if there is an array for the position, possibly with words of another
    /// attribute.
    fn has_position(&self) -> bool {
        let mut arrays = self.arrays.iter();
        arrays.any(|(_, array)| matches!(array.slot, ArraySlot::Generic(0, _)))
    }

    /// Adds the current value of the position: without an array for it OpenGL draws nothing. It
    /// advances per instance, of which the draw has too few for a second value.
    fn add_position(&mut self, draw: &Draw, value: [u32; 4], format: GenericFormat) {
        let offset = self.bytes.len().next_multiple_of(VECTOR);
        self.bytes.resize(offset, 0);
        for _ in 0..=draw.first_instance {
            self.bytes
                .extend(value.into_iter().flat_map(u32::to_ne_bytes));
        }
        let array = VertexArray {
            slot: ArraySlot::Generic(0, format),
            offset,
            stride: VECTOR,
            size: VECTOR,
            divisor: draw.instances.max(1),
        };
        self.arrays.push((0, array));
    }

    fn upload(self, gl: &Rc<Gl>) -> Result<Arrays, Problem> {
        Ok(Arrays {
            buffer: Buffer::new(gl, &self.bytes, gl::STATIC_DRAW)?,
            arrays: self.arrays,
        })
    }
}

/// Returns the format of an attribute by the names of OpenGL; `None` if it must be converted.
fn native_format(gl: &Gl, format: &Format) -> Result<Option<GenericFormat>, Problem> {
    let Some(VertexFormat {
        size,
        ty,
        kind,
        extension,
    }) = VertexFormat::of(format)
    else {
        return Ok(None);
    };
    if kind == AttributeKind::Long {
        let feature = match ty {
            gl::DOUBLE => DOUBLES,
            _ => LONG_INTEGERS,
        };
        feature.require(gl)?;
    } else if extension.is_some_and(|extension| !gl.has(extension)) {
        return Ok(None);
    }
    Ok(Some(GenericFormat { size, ty, kind }))
}

/// Returns the slot of a generic attribute with converted values.
fn generic_floats(location: u32, format: &Format) -> Result<ArraySlot, Problem> {
    if format.encoding.is_integer() {
        let reason = format!("OpenGL has no vertex attributes of format {:?}", format.vk);
        return Err(Problem::Lacking(reason));
    }
    Ok(ArraySlot::Generic(location, FLOATS))
}

/// Four floats.
const FLOATS: GenericFormat = GenericFormat {
    size: 4,
    ty: gl::FLOAT,
    kind: AttributeKind::Float,
};

/// Returns a current value as a program reads it: format and bits.
fn current_words(value: [f32; 4], integers: Option<Scalar>) -> (GenericFormat, [u32; 4]) {
    let integer = |ty| GenericFormat {
        size: 4,
        ty,
        kind: AttributeKind::Integer,
    };
    match integers {
        Some(Scalar::Int) => (
            integer(gl::INT),
            value.map(|component| (component as i32).cast_unsigned()),
        ),
        Some(Scalar::Uint) => (
            integer(gl::UNSIGNED_INT),
            value.map(|component| component as u32),
        ),
        None | Some(Scalar::Float | Scalar::Double) => (FLOATS, value.map(f32::to_bits)),
    }
}

impl Arrays {
    /// Returns the arrays of a draw. Only generic attributes can step with instances.
    pub(super) fn of_draw(&self, draw: &Draw) -> Vec<VertexArray> {
        let of_draw = |(location, array): &(u32, VertexArray)| {
            let divisor = match array.divisor {
                0 => draw.divisors.0[*location as usize].into(),
                divisor => divisor,
            };
            let is_generic = matches!(array.slot, ArraySlot::Generic(..));
            (is_generic || divisor == 0).then_some(VertexArray { divisor, ..*array })
        };
        self.arrays.iter().filter_map(of_draw).collect()
    }
}

impl Vertices {
    /// Returns the arrays of a draw; all other attributes have their current values.
    pub(super) fn of_draw(
        &mut self,
        gl: &Rc<Gl>,
        programs: &Programs,
        data: Option<&VertexData>,
        draw: &Draw,
    ) -> Result<Rc<Arrays>, Problem> {
        let limits = Limits::of(gl)?;
        set_current(gl, limits, &self.current, programs)?;
        if let Some(arrays) = &self.data
            && !matches!(draw.source, DrawSource::Rect { .. })
        {
            return Ok(Rc::clone(arrays));
        }
        let facts = programs.facts(glasm::ir::Stage::Vertex);
        let words = facts.map_or_else(Vec::new, |facts| facts.words);
        let mut plan = match draw.source {
            DrawSource::Rect { position, texcoord } => {
                let data = VertexData::rectangle(position, texcoord);
                Plan::of(gl, limits, &data, &words)?
            }
            DrawSource::Arrays { .. } | DrawSource::Indexed { .. } => match data {
                Some(data) => Plan::of(gl, limits, data, &words)?,
                None => Plan::default(),
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
            return Err(Problem::Lacking(reason));
        }
        let integers = programs.integer_attribute(0);
        let (format, value) = current_words(self.current[0], integers);
        plan.add_position(draw, value, format);
        Ok(Rc::new(plan.upload(gl)?))
    }
}

/// Sets the current values of all attributes but the position. Draws leave the values of attributes
/// with arrays undefined.
fn set_current(
    gl: &Gl,
    limits: Limits,
    values: &[[f32; 4]; ATTRIBUTES],
    programs: &Programs,
) -> Result<(), Problem> {
    let values = values.iter().zip(0..).skip(1);
    for (&[x, y, z, w], location) in values.clone() {
        match limits.conventional(location) {
            Some(Conventional::Normal) => gl.Normal3f(x, y, z)?,
            Some(Conventional::Color) => gl.Color4f(x, y, z, w)?,
            Some(Conventional::SecondaryColor) => gl.SecondaryColor3f(x, y, z)?,
            Some(Conventional::FogCoord) => gl.FogCoordf(x)?,
            Some(Conventional::TexCoord(set)) => {
                gl.MultiTexCoord4f(gl::TEXTURE0 + set, x, y, z, w)?
            }
            None => {}
        }
    }
    // If both share a location, these values take precedence.
    for (value, location) in values.take_while(|(_, location)| *location < limits.attributes) {
        let (format, [x, y, z, w]) = current_words(*value, programs.integer_attribute(location));
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
    Ok(gl.check("setting current values")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        attributes: 16,
        texcoords: 4,
    };

    #[test]
    fn conventional_attributes_have_numbers() {
        let found: Vec<_> = (0..16)
            .filter(|location| LIMITS.conventional(*location).is_some())
            .collect();
        assert_eq!(found, [2, 3, 4, 5, 8, 9, 10, 11]);
        assert_eq!(LIMITS.conventional(3), Some(Conventional::Color));
        assert_eq!(LIMITS.conventional(9), Some(Conventional::TexCoord(1)));
    }

    #[test]
    fn current_values_have_the_type_that_programs_read() {
        let value = [-1.0, 2.5, 0.0, 1.0];
        assert_eq!(
            current_words(value, None),
            (FLOATS, value.map(f32::to_bits))
        );
        let (format, words) = current_words(value, Some(Scalar::Int));
        assert_eq!((format.ty, words), (gl::INT, [u32::MAX, 2, 0, 1]));
        let (format, words) = current_words(value, Some(Scalar::Uint));
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
            let mut plan = Plan::default();
            plan.add_words(&data, column, words);
            let place = |(_, array): &(u32, VertexArray)| match array.slot {
                ArraySlot::Generic(location, format) => {
                    (location, format.size, array.offset as u32 - column.offset)
                }
                ArraySlot::Conventional(_) => panic!("words have numbers"),
            };
            plan.arrays.iter().map(place).collect::<Vec<_>>()
        };
        let halves = [word(1, 1, Some(Half::Low)), word(1, 5, Some(Half::High))];
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
        let mut plan = Plan {
            bytes: data.bytes.clone(),
            arrays: Vec::new(),
        };
        let array = plan.converted(
            &data,
            &data.columns[1],
            ArraySlot::Conventional(Conventional::TexCoord(0)),
        );
        assert_eq!((array.offset, array.stride), (128, VECTOR));
        assert_eq!(plan.bytes.len(), 192);
        // The fourth corner has the texture coordinates (4, 2).
        assert_eq!(plan.bytes[176..184], data.bytes[112..120]);
        assert_eq!(plan.bytes[176..180], 4f32.to_ne_bytes());
    }
}
