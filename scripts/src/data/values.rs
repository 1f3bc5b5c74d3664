//! Arrays of values in buffers: writing and printing.

use super::DataLayout;
use super::{DataType, Scalar, Value};

/// Notation of a number in a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LiteralNotation {
    /// Compared as a number.
    Number,
    /// Compared as bits, which are given in hexadecimal.
    Bits,
}

/// Number of a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Literal {
    /// Bits, in the low ones of these 64.
    pub bits: u64,
    /// Notation in the script, which selects the comparison.
    pub notation: LiteralNotation,
}

impl Literal {
    /// Parses a number of a type, or its bits in hexadecimal with `0x`; `None` if the type does not
    /// have it.
    pub fn parse(scalar: Scalar, text: &str) -> Option<Self> {
        let written = if text.starts_with("0x") || text.starts_with("0X") {
            LiteralNotation::Bits
        } else {
            LiteralNotation::Number
        };
        let bits = scalar.parse_bits(text)?;
        Some(Self {
            bits,
            notation: written,
        })
    }
}

/// Values of a script line with their type, layout and location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypedData {
    /// Type of an element.
    pub ty: DataType,
    /// Layout of the scalars of elements.
    pub layout: DataLayout,
    /// First byte, from the start of the buffer.
    pub offset: u64,
    /// Scalars of whole elements.
    pub literals: Vec<Literal>,
    /// Repeat count of the scalars.
    pub repeat_count: usize,
}

impl TypedData {
    /// Returns the number of scalars, with repetitions.
    pub fn scalar_count(&self) -> usize {
        self.literals.len() * self.repeat_count
    }

    /// Returns the scalars and their byte offsets from the start of the buffer, with repetitions.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Literal)> + '_ {
        let offsets = self
            .layout
            .offsets(self.ty, self.offset, self.scalar_count());
        offsets.zip(self.literals.iter().copied().cycle())
    }

    /// Returns the byte offset of the end of the values, without padding after the last element.
    pub fn end(&self) -> u64 {
        let elements = self.scalar_count() / self.ty.components();
        self.layout.end(self.ty, self.offset, elements)
    }

    /// Returns the same values, repeated as often as all of them fit between their offset and the
    /// end of a buffer of `bytes` bytes.
    pub fn repeat_to_fill(&self, bytes: u64) -> Self {
        let round =
            (self.literals.len() / self.ty.components()) as u64 * self.layout.stride(self.ty);
        Self {
            repeat_count: (bytes.saturating_sub(self.offset) / round) as usize,
            ..self.clone()
        }
    }

    /// Writes the scalars to a buffer; padding remains unchanged. Panics if the slice ends before
    /// [`Self::end`].
    pub fn write(&self, bytes: &mut [u8]) {
        let size = self.ty.scalar.size();
        for (at, literal) in self.iter() {
            let at = at as usize;
            bytes[at..at + size].copy_from_slice(&literal.bits.to_le_bytes()[..size]);
        }
    }
}

/// Numbers at equal distances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sequence {
    /// Type of an element.
    pub ty: DataType,
    /// Layout of the scalars of elements.
    pub layout: DataLayout,
    /// First byte, from the start of the buffer.
    pub offset: u64,
    /// Number of elements; their components are numbered consecutively.
    pub count: usize,
    /// Bits of the first number.
    pub start: u64,
    /// Bits of the distance.
    pub step: u64,
}

impl Sequence {
    /// Returns the byte offset of the end of the numbers, without padding after the last element.
    pub fn end(&self) -> u64 {
        self.layout.end(self.ty, self.offset, self.count)
    }

    /// Writes the numbers to a buffer; padding remains unchanged. Integers wrap around; floats are
    /// computed with 64 bits and rounded. Panics if the slice ends before [`Self::end`].
    pub fn write(&self, bytes: &mut [u8]) {
        let scalar = self.ty.scalar;
        let total = self.count * self.ty.components();
        let offsets = self.layout.offsets(self.ty, self.offset, total);
        for (at, index) in offsets.zip(0u64..) {
            let bits = match (scalar.decode(self.start), scalar.decode(self.step)) {
                (Value::Float(start), Value::Float(step)) => {
                    scalar.float_bits(start + index as f64 * step)
                }
                _ => self.start.wrapping_add(self.step.wrapping_mul(index)),
            };
            let at = at as usize;
            bytes[at..at + scalar.size()].copy_from_slice(&bits.to_le_bytes()[..scalar.size()]);
        }
    }
}

/// Radix in which numbers are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Radix {
    /// Numbers of their type.
    Decimal,
    /// Bits of all types.
    Hexadecimal,
}

/// Array of values in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataRange {
    /// Type of an element.
    pub ty: DataType,
    /// Layout of the scalars of elements.
    pub layout: DataLayout,
    /// First byte, from the start of the buffer.
    pub offset: u64,
    /// Number of elements.
    pub count: usize,
    /// Radix of the output.
    pub radix: Radix,
}

impl DataRange {
    /// Formats the values of a buffer, separated by spaces; vectors and matrices in parentheses.
    /// Returns an error if the buffer is too short.
    pub fn print(&self, bytes: &[u8]) -> Result<String, String> {
        let scalar = self.ty.scalar;
        let components = self.ty.components();
        let mut text = String::new();
        let offsets = self
            .layout
            .offsets(self.ty, self.offset, self.count * components);
        for (index, at) in offsets.enumerate() {
            let end = at + scalar.size() as u64;
            if end > bytes.len() as u64 {
                return Err(format!(
                    "byte {end} is past the end of the buffer ({} bytes)",
                    bytes.len()
                ));
            }
            let component = index % components;
            text.push_str(match (index, component) {
                (0, _) => "",
                (_, 0) => " ",
                _ => ", ",
            });
            text.push_str(if components > 1 && component == 0 {
                "("
            } else {
                ""
            });
            let bits = scalar.read_bits(&bytes[at as usize..]);
            text.push_str(&match self.radix {
                Radix::Decimal => scalar.print(bits),
                Radix::Hexadecimal => scalar.print_hex(bits),
            });
            text.push_str(if components > 1 && component == components - 1 {
                ")"
            } else {
                ""
            });
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(ty: &str, offset: u64, bits: &[u64], times: usize) -> TypedData {
        let written = LiteralNotation::Number;
        TypedData {
            ty: DataType::parse(ty).unwrap(),
            layout: DataLayout::STD430,
            offset,
            literals: bits
                .iter()
                .map(|bits| Literal {
                    bits: *bits,
                    notation: written,
                })
                .collect(),
            repeat_count: times,
        }
    }

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes
            .chunks(4)
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
            .collect()
    }

    #[test]
    fn writing_leaves_padding_alone() {
        let data = data("vec3", 4, &[1, 2, 3, 4, 5, 6], 1);
        assert_eq!(data.end(), 32);
        let mut bytes = vec![0xaa; 32];
        data.write(&mut bytes);
        assert_eq!(words(&bytes), [0xaaaa_aaaa, 1, 2, 3, 0xaaaa_aaaa, 4, 5, 6]);
    }

    #[test]
    fn repeated_values_stand_one_after_the_other() {
        let data = data("uvec2", 4, &[1, 2, 3, 4], 2);
        assert_eq!((data.scalar_count(), data.end()), (8, 36));
        let mut bytes = vec![0; 36];
        data.write(&mut bytes);
        assert_eq!(words(&bytes), [0, 1, 2, 3, 4, 1, 2, 3, 4]);
    }

    #[test]
    fn filling_takes_whole_rounds() {
        let data = data("uvec2", 0, &[1, 2, 3, 4], 1);
        assert_eq!(data.repeat_to_fill(47).repeat_count, 2);
        assert_eq!(data.repeat_to_fill(48).repeat_count, 3);
        assert_eq!(data.repeat_to_fill(15).repeat_count, 0);
        assert_eq!(data.repeat_to_fill(15).end(), 0);
    }

    #[test]
    fn sequences_count_through_components_and_wrap() {
        let sequence = |ty: &str, count, start: &str, step: &str| {
            let ty = DataType::parse(ty).unwrap();
            Sequence {
                ty,
                layout: DataLayout::STD430,
                offset: 4,
                count,
                start: ty.scalar.parse_bits(start).unwrap(),
                step: ty.scalar.parse_bits(step).unwrap(),
            }
        };
        let mut bytes = vec![0; 12];
        let bytewise = sequence("uint8_t", 4, "254", "1");
        assert_eq!(bytewise.end(), 8);
        bytewise.write(&mut bytes);
        assert_eq!(bytes[4..8], [254, 255, 0, 1]);
        let floats = sequence("vec2", 1, "1.5", "-0.25");
        floats.write(&mut bytes);
        assert_eq!(words(&bytes)[1..], [1.5f32, 1.25].map(f32::to_bits));
    }

    #[test]
    fn row_major_matrices_end_with_their_last_row() {
        let mut data = data("mat2x3", 0, &[1, 2, 3, 4, 5, 6], 1);
        data.layout.major = super::super::MajorAxis::Row;
        // Three rows of two floats: the last one is at 5.
        assert_eq!(data.end(), 24);
    }

    #[test]
    fn ranges_print_vectors_in_parentheses() {
        let bytes: Vec<u8> = [1.5f32, -2.0, 3.0, 4.0]
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let range = |name, offset, count, radix| {
            DataRange {
                ty: DataType::parse(name).unwrap(),
                layout: DataLayout::STD430,
                offset,
                count,
                radix,
            }
            .print(&bytes)
        };
        let decimal = Radix::Decimal;
        assert_eq!(range("float", 4, 2, decimal).as_deref(), Ok("-2 3"));
        assert_eq!(
            range("vec2", 0, 2, decimal).as_deref(),
            Ok("(1.5, -2) (3, 4)")
        );
        assert_eq!(
            range("float", 4, 1, Radix::Hexadecimal).as_deref(),
            Ok("0xc0000000")
        );
        assert_eq!(
            range("float", 8, 3, decimal).unwrap_err(),
            "byte 20 is past the end of the buffer (16 bytes)"
        );
    }
}
