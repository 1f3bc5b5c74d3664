//! Typed numbers in buffers: types by their names, layouts, encoding and decoding.

mod values;

use crate::float16;

pub use values::{DataRange, Literal, LiteralNotation, Radix, Sequence, TypedData};

/// Memory layout rules of GLSL blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// `std140`: the stride of array elements and matrix columns is a multiple of 16 bytes.
    Std140,
    /// `std430`: they are as close as their alignment allows.
    Std430,
}

/// Order of the scalars of a matrix in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MajorAxis {
    /// `column_major`: the components of a column are contiguous.
    Column,
    /// `row_major`: the components of a row are contiguous.
    Row,
}

/// Memory layout of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataLayout {
    /// Distance between vectors.
    pub packing: Packing,
    /// Storage order of matrices; ignored for other types.
    pub major: MajorAxis,
}

impl DataLayout {
    /// Default layout of storage buffers and buffers with an address.
    pub const STD430: Self = Self {
        packing: Packing::Std430,
        major: MajorAxis::Column,
    };
    /// Default layout of uniform buffers.
    pub const STD140: Self = Self {
        packing: Packing::Std140,
        major: MajorAxis::Column,
    };

    /// Returns the stride of the vectors of an array in bytes; those of three components are
    /// aligned as four. OpenGL 4.6 section 7.6.2.2, rules 1 to 4.
    fn vector_stride(self, scalar: Scalar, components: u8) -> u64 {
        let size = scalar.size() as u64;
        let aligned = size * u64::from(if components == 3 { 4 } else { components });
        match self.packing {
            Packing::Std140 => aligned.next_multiple_of(16),
            Packing::Std430 => aligned,
        }
    }

    /// Returns the bytes from an element of an array to the next.
    pub fn stride(self, ty: DataType) -> u64 {
        match (ty.columns, self.major) {
            (1, _) => self.vector_stride(ty.scalar, ty.rows),
            (_, MajorAxis::Column) => {
                u64::from(ty.columns) * self.vector_stride(ty.scalar, ty.rows)
            }
            (_, MajorAxis::Row) => u64::from(ty.rows) * self.vector_stride(ty.scalar, ty.columns),
        }
    }

    /// Returns the byte offset of a component in an element; components are counted column after
    /// column.
    fn component_offset(self, ty: DataType, component: usize) -> u64 {
        let (column, row) = (
            component as u64 / u64::from(ty.rows),
            component as u64 % u64::from(ty.rows),
        );
        let size = ty.scalar.size() as u64;
        match (ty.columns, self.major) {
            (1, _) => row * size,
            (_, MajorAxis::Column) => column * self.vector_stride(ty.scalar, ty.rows) + row * size,
            (_, MajorAxis::Row) => row * self.vector_stride(ty.scalar, ty.columns) + column * size,
        }
    }

    /// Returns the byte offset of the end of an array of `count` elements that starts at `offset`,
    /// without padding after the last element; `offset` for no elements.
    pub fn end(self, ty: DataType, offset: u64, count: usize) -> u64 {
        let Some(last) = count.checked_sub(1) else {
            return offset;
        };
        let components = 0..ty.components();
        let within = components.map(|component| self.component_offset(ty, component));
        let size = ty.scalar.size() as u64;
        offset + last as u64 * self.stride(ty) + within.max().unwrap_or(0) + size
    }

    /// Returns the byte offsets of the first `count` scalars of an array of `ty` that starts at
    /// `offset`.
    pub fn offsets(self, ty: DataType, offset: u64, count: usize) -> impl Iterator<Item = u64> {
        let components = ty.components();
        (0..count).map(move |index| {
            let element = (index / components) as u64;
            offset + element * self.stride(ty) + self.component_offset(ty, index % components)
        })
    }
}

/// Scalar types of buffer contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// 8-bit signed integer: `int8_t`.
    I8,
    /// 8-bit unsigned integer: `uint8_t`.
    U8,
    /// 16-bit signed integer: `int16_t`.
    I16,
    /// 16-bit unsigned integer: `uint16_t`.
    U16,
    /// 32-bit signed integer: `int`.
    I32,
    /// 32-bit unsigned integer: `uint`.
    U32,
    /// 64-bit signed integer: `int64_t`.
    I64,
    /// 64-bit unsigned integer: `uint64_t`.
    U64,
    /// 16-bit float: `float16_t`.
    F16,
    /// 32-bit float: `float`.
    F32,
    /// 64-bit float: `double`.
    F64,
}

/// Number in a buffer.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub enum Value {
    /// Value of an integer type; every one fits.
    Int(i128),
    /// Value of a float type, which 64 bits represent exactly.
    Float(f64),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
        }
    }
}

impl Scalar {
    /// Returns the size in bytes.
    pub const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Returns the name of the type in scripts; of several, the one of GLSL.
    pub fn name(self) -> &'static str {
        let mut names = SCALAR_NAMES.iter();
        let found = names.find(|(_, scalar)| *scalar == self);
        found.map_or("", |(name, _)| name)
    }

    /// Returns true if it is a float type.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// Returns true if it is a signed integer type.
    const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// Parses the bits that a number in a script denotes. Hexadecimal numbers are the bits
    /// themselves, also of floats. `None` if the text is not a number of the type, or if it is out
    /// of range.
    pub fn parse_bits(self, text: &str) -> Option<u64> {
        let bits = 8 * self.size() as u32;
        let field = if bits == 64 {
            u64::MAX
        } else {
            (1 << bits) - 1
        };
        if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            return u64::from_str_radix(digits, 16)
                .ok()
                .filter(|value| value & !field == 0);
        }
        match self {
            Self::F16 => text
                .parse()
                .ok()
                .map(|value| u64::from(float16::from_f32(value))),
            Self::F32 => text
                .parse()
                .ok()
                .map(|value: f32| u64::from(value.to_bits())),
            Self::F64 => text.parse().ok().map(f64::to_bits),
            Self::I8
            | Self::U8
            | Self::I16
            | Self::U16
            | Self::I32
            | Self::U32
            | Self::I64
            | Self::U64 => {
                let value: i128 = text.parse().ok()?;
                let limit = 1i128 << bits;
                let range = if self.is_signed() {
                    -limit / 2..limit / 2
                } else {
                    0..limit
                };
                range.contains(&value).then_some(value as u64 & field)
            }
        }
    }

    /// Returns the number that the bits of the type represent.
    pub fn decode(self, bits: u64) -> Value {
        match self {
            Self::I8 => Value::Int(i128::from(bits as i8)),
            Self::I16 => Value::Int(i128::from(bits as i16)),
            Self::I32 => Value::Int(i128::from(bits as i32)),
            Self::I64 => Value::Int(i128::from(bits as i64)),
            Self::U8 => Value::Int(i128::from(bits as u8)),
            Self::U16 => Value::Int(i128::from(bits as u16)),
            Self::U32 => Value::Int(i128::from(bits as u32)),
            Self::U64 => Value::Int(i128::from(bits)),
            Self::F16 => Value::Float(f64::from(float16::to_f32(bits as u16))),
            Self::F32 => Value::Float(f64::from(f32::from_bits(bits as u32))),
            Self::F64 => Value::Float(f64::from_bits(bits)),
        }
    }

    /// Returns the bits of the float of the type that is nearest to a number; of integer types, the
    /// bits of its integral part, clamped to 64 bits.
    pub fn float_bits(self, value: f64) -> u64 {
        match self {
            Self::F16 => u64::from(float16::from_f32(value as f32)),
            Self::F32 => u64::from((value as f32).to_bits()),
            Self::F64 => value.to_bits(),
            Self::I8
            | Self::U8
            | Self::I16
            | Self::U16
            | Self::I32
            | Self::U32
            | Self::I64
            | Self::U64 => value as i64 as u64,
        }
    }

    /// Formats the number that the bits represent with the fewest digits that distinguish it; NaNs
    /// as `NaN` with their bits in hexadecimal.
    pub fn print(self, bits: u64) -> String {
        let text = match self {
            Self::F16 => format!("{:?}", float16::to_f32(bits as u16)),
            Self::F32 => format!("{:?}", f32::from_bits(bits as u32)),
            Self::F64 => format!("{:?}", f64::from_bits(bits)),
            Self::I8
            | Self::U8
            | Self::I16
            | Self::U16
            | Self::I32
            | Self::U32
            | Self::I64
            | Self::U64 => return self.decode(bits).to_string(),
        };
        match text.as_str() {
            "NaN" => format!("NaN ({})", self.print_hex(bits)),
            _ => text.strip_suffix(".0").unwrap_or(&text).to_owned(),
        }
    }

    /// Formats the bits as a hexadecimal number with `0x` and all digits of the type.
    pub fn print_hex(self, bits: u64) -> String {
        format!("{bits:#0width$x}", width = 2 + 2 * self.size())
    }

    /// Returns the distance of two values, given as bits, in representable numbers of the type; -0
    /// and 0 are the same number. `None` if one is NaN.
    pub fn distance(self, a: u64, b: u64) -> Option<u128> {
        let (a, b) = (self.ordinal(a)?, self.ordinal(b)?);
        Some(a.abs_diff(b))
    }

    /// Returns the position of a number in the order of all numbers of the type, with 0 and -0 at
    /// 0; `None` for NaN.
    fn ordinal(self, bits: u64) -> Option<i128> {
        match self.decode(bits) {
            Value::Int(value) => Some(value),
            Value::Float(value) if value.is_nan() => None,
            Value::Float(_) => {
                let sign = 1 << (8 * self.size() - 1);
                let magnitude = i128::from(bits & (sign - 1));
                Some(match bits & sign {
                    0 => magnitude,
                    _ => -magnitude,
                })
            }
        }
    }

    /// Reads the bits of a value from the first bytes of a slice, in little-endian order. Panics if
    /// the slice is too short.
    pub fn read_bits(self, bytes: &[u8]) -> u64 {
        bytes[..self.size()]
            .iter()
            .rev()
            .fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    }
}

/// Type: a scalar, a vector of `rows` components, or a matrix of `columns` such vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataType {
    /// Type of the components.
    pub scalar: Scalar,
    /// 1 to 4; 1 for scalars and vectors.
    pub columns: u8,
    /// 1 to 4; 1 for scalars.
    pub rows: u8,
}

const SCALAR_NAMES: &[(&str, Scalar)] = &[
    ("int", Scalar::I32),
    ("uint", Scalar::U32),
    ("float", Scalar::F32),
    ("double", Scalar::F64),
    ("int8_t", Scalar::I8),
    ("uint8_t", Scalar::U8),
    ("int16_t", Scalar::I16),
    ("uint16_t", Scalar::U16),
    ("int64_t", Scalar::I64),
    ("uint64_t", Scalar::U64),
    ("int64", Scalar::I64),
    ("uint64", Scalar::U64),
    ("float16_t", Scalar::F16),
];

const VECTOR_PREFIXES: &[(&str, Scalar)] = &[
    ("vec", Scalar::F32),
    ("dvec", Scalar::F64),
    ("ivec", Scalar::I32),
    ("uvec", Scalar::U32),
    ("i8vec", Scalar::I8),
    ("u8vec", Scalar::U8),
    ("i16vec", Scalar::I16),
    ("u16vec", Scalar::U16),
    ("i64vec", Scalar::I64),
    ("u64vec", Scalar::U64),
    ("f16vec", Scalar::F16),
];

/// Parses a dimension of a vector or matrix type: 2, 3 or 4; `None` for any other string.
fn parse_dimension(text: &str) -> Option<u8> {
    match text {
        "2" => Some(2),
        "3" => Some(3),
        "4" => Some(4),
        _ => None,
    }
}

impl DataType {
    /// Parses the name of a type, as in GLSL, also those of its extensions for other widths; `None`
    /// if there is no such type.
    pub fn parse(name: &str) -> Option<Self> {
        if let Some((_, scalar)) = SCALAR_NAMES.iter().find(|(text, _)| *text == name) {
            return Some(Self {
                scalar: *scalar,
                columns: 1,
                rows: 1,
            });
        }
        for (prefix, scalar) in VECTOR_PREFIXES {
            if let Some(rows) = name.strip_prefix(prefix).and_then(parse_dimension) {
                return Some(Self {
                    scalar: *scalar,
                    columns: 1,
                    rows,
                });
            }
        }
        let (prefix, extents) = name.split_once("mat")?;
        let scalar = match prefix {
            "" => Scalar::F32,
            "d" => Scalar::F64,
            "f16" => Scalar::F16,
            _ => return None,
        };
        let (columns, rows) = extents.split_once('x').unwrap_or((extents, extents));
        Some(Self {
            scalar,
            columns: parse_dimension(columns)?,
            rows: parse_dimension(rows)?,
        })
    }

    /// Returns the suffix of a component in messages: `.y` of a vector, `[1][2]` (column and row
    /// index) of a matrix, empty for scalars.
    pub fn component_name(self, component: usize) -> String {
        let rows = usize::from(self.rows);
        match (self.columns, self.rows) {
            (1, 1) => String::new(),
            (1, _) => format!(".{}", ["x", "y", "z", "w"][component % 4]),
            _ => format!("[{}][{}]", component / rows, component % rows),
        }
    }

    /// Returns the number of scalars.
    pub const fn components(self) -> usize {
        self.columns as usize * self.rows as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(name: &str, layout: DataLayout, count: usize) -> Vec<u64> {
        layout
            .offsets(DataType::parse(name).unwrap(), 0, count)
            .collect()
    }

    #[test]
    fn std430_packs_scalars_and_pads_three_component_vectors() {
        assert_eq!(offsets("float", DataLayout::STD430, 3), [0, 4, 8]);
        assert_eq!(
            offsets("vec3", DataLayout::STD430, 6),
            [0, 4, 8, 16, 20, 24]
        );
        assert_eq!(offsets("vec2", DataLayout::STD430, 4), [0, 4, 8, 12]);
    }

    #[test]
    fn std140_rounds_strides_up_to_sixteen() {
        assert_eq!(offsets("float", DataLayout::STD140, 3), [0, 16, 32]);
        assert_eq!(offsets("mat2", DataLayout::STD140, 4), [0, 4, 16, 20]);
    }

    #[test]
    fn matrices_follow_the_major_axis() {
        let row = DataLayout {
            packing: Packing::Std430,
            major: MajorAxis::Row,
        };
        // Two columns of three rows; values are given column by column.
        assert_eq!(
            offsets("mat2x3", DataLayout::STD430, 6),
            [0, 4, 8, 16, 20, 24]
        );
        assert_eq!(offsets("mat2x3", row, 6), [0, 8, 16, 4, 12, 20]);
    }

    #[test]
    fn type_names() {
        assert_eq!(
            DataType::parse("uint"),
            Some(DataType {
                scalar: Scalar::U32,
                columns: 1,
                rows: 1
            })
        );
        assert_eq!(
            DataType::parse("u16vec3"),
            Some(DataType {
                scalar: Scalar::U16,
                columns: 1,
                rows: 3
            })
        );
        assert_eq!(
            DataType::parse("dmat2x4"),
            Some(DataType {
                scalar: Scalar::F64,
                columns: 2,
                rows: 4
            })
        );
        assert_eq!(
            DataType::parse("mat3"),
            Some(DataType {
                scalar: Scalar::F32,
                columns: 3,
                rows: 3
            })
        );
        assert_eq!(
            DataType::parse("f16mat2x3"),
            Some(DataType {
                scalar: Scalar::F16,
                columns: 2,
                rows: 3
            })
        );
        for name in ["vec5", "i8mat2", "mat1", "bool", "matx", "d", ""] {
            assert_eq!(DataType::parse(name), None, "{name}");
        }
    }

    #[test]
    fn numbers_have_ranges_and_hexadecimal_numbers_are_bits() {
        assert_eq!(Scalar::I8.parse_bits("-128"), Some(0x80));
        assert_eq!(Scalar::I8.parse_bits("128"), None);
        assert_eq!(Scalar::I8.parse_bits("0xff"), Some(0xff));
        assert_eq!(Scalar::U8.parse_bits("-1"), None);
        assert_eq!(Scalar::U8.parse_bits("0x100"), None);
        assert_eq!(Scalar::F32.parse_bits("1"), Some(0x3f80_0000));
        assert_eq!(Scalar::F32.parse_bits("0x7fc00000"), Some(0x7fc0_0000));
        assert_eq!(Scalar::F16.parse_bits("-2"), Some(0xc000));
        assert_eq!(
            Scalar::U64.parse_bits("18446744073709551615"),
            Some(u64::MAX)
        );
        assert_eq!(Scalar::I64.decode(u64::MAX), Value::Int(-1));
    }

    #[test]
    fn floats_print_as_short_as_tells_them_apart() {
        assert_eq!(Scalar::F32.print(0.1f32.to_bits().into()), "0.1");
        assert_eq!(Scalar::F32.print(0x8000_0000), "-0");
        assert_eq!(Scalar::F32.print(0x7f7f_ffff), "3.4028235e38");
        assert_eq!(Scalar::F64.print(0.1f64.to_bits()), "0.1");
        assert_eq!(Scalar::F16.print(0x3c00), "1");
        assert_eq!(Scalar::F32.print(0xff80_0000), "-inf");
        assert_eq!(Scalar::F32.print(0xffc0_0001), "NaN (0xffc00001)");
        assert_eq!(Scalar::I8.print(0xff), "-1");
        assert_eq!(Scalar::I8.print_hex(0xf), "0x0f");
    }

    #[test]
    fn distances_count_the_numbers_of_the_type() {
        let one = u64::from(1f32.to_bits());
        assert_eq!(Scalar::F32.distance(one, one + 3), Some(3));
        // The two zeros are one number; the smallest subnormals are 2 apart.
        assert_eq!(Scalar::F32.distance(0x8000_0000, 0), Some(0));
        assert_eq!(Scalar::F32.distance(0x8000_0001, 1), Some(2));
        assert_eq!(Scalar::F64.distance(0, f64::NAN.to_bits()), None);
        assert_eq!(Scalar::F16.distance(0x3c00, 0x3bff), Some(1));
        assert_eq!(
            Scalar::I64.distance(i64::MIN as u64, i64::MAX as u64),
            Some(u128::from(u64::MAX))
        );
        assert_eq!(Scalar::U8.distance(0, 255), Some(255));
    }

    #[test]
    fn components_have_names() {
        let name = |ty, component| DataType::parse(ty).unwrap().component_name(component);
        assert_eq!(name("float", 0), "");
        assert_eq!(name("ivec3", 2), ".z");
        assert_eq!(name("mat2x3", 4), "[1][1]");
    }
}
