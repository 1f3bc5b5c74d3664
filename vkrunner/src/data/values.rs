//! Arrays of values in buffers: writing and printing.

use super::{DataLayout, DataType};

/// Values of a script line with their type, layout and place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TypedData {
    pub(crate) ty: DataType,
    pub(crate) layout: DataLayout,
    pub(crate) offset: u64,
    /// Bits of every scalar.
    pub(crate) bits: Vec<u64>,
}

impl TypedData {
    /// One past the last byte.
    pub(crate) fn end(&self) -> u64 {
        let size = self.ty.scalar.size() as u64;
        self.offsets()
            .last()
            .map_or(self.offset, |last| last + size)
    }

    /// Where the scalars stand.
    pub(crate) fn offsets(&self) -> impl Iterator<Item = u64> {
        self.layout.offsets(self.ty, self.offset, self.bits.len())
    }

    /// Writes the scalars; the slice must reach to [`Self::end`].
    pub(crate) fn write(&self, bytes: &mut [u8]) {
        let size = self.ty.scalar.size();
        for (at, bits) in self.offsets().zip(&self.bits) {
            let at = at as usize;
            bytes[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }

    /// The values as numbers.
    pub(crate) fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.bits.iter().map(|bits| self.ty.scalar.value(*bits))
    }

    /// Whether the type is a float type.
    pub(crate) fn is_float(&self) -> bool {
        self.ty.scalar.is_float()
    }
}

/// An array of values in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DataRange {
    pub(crate) ty: DataType,
    pub(crate) layout: DataLayout,
    pub(crate) offset: u64,
    /// Number of elements.
    pub(crate) count: usize,
}

impl DataRange {
    /// The values as text; vectors and matrices in parentheses.
    pub(crate) fn print(&self, bytes: &[u8]) -> Result<String, String> {
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
            let place = index % components;
            text.push_str(match (index, place) {
                (0, _) => "",
                (_, 0) => " ",
                _ => ", ",
            });
            text.push_str(if components > 1 && place == 0 {
                "("
            } else {
                ""
            });
            text.push_str(&scalar.value(scalar.read(&bytes[at as usize..])).to_string());
            text.push_str(if components > 1 && place == components - 1 {
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

    #[test]
    fn writing_leaves_padding_alone() {
        let data = TypedData {
            ty: DataType::parse("vec3").unwrap(),
            layout: DataLayout::STD430,
            offset: 4,
            bits: vec![1, 2, 3, 4, 5, 6],
        };
        assert_eq!(data.end(), 32);
        let mut bytes = vec![0xaa; 32];
        data.write(&mut bytes);
        let words: Vec<u32> = bytes
            .chunks(4)
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
            .collect();
        assert_eq!(words, [0xaaaa_aaaa, 1, 2, 3, 0xaaaa_aaaa, 4, 5, 6]);
    }

    #[test]
    fn ranges_print_vectors_in_parentheses() {
        let bytes: Vec<u8> = [1.5f32, -2.0, 3.0, 4.0]
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let range = |name, offset, count| {
            DataRange {
                ty: DataType::parse(name).unwrap(),
                layout: DataLayout::STD430,
                offset,
                count,
            }
            .print(&bytes)
        };
        assert_eq!(range("float", 4, 2).as_deref(), Ok("-2 3"));
        assert_eq!(range("vec2", 0, 2).as_deref(), Ok("(1.5, -2) (3, 4)"));
        assert_eq!(
            range("float", 8, 3).unwrap_err(),
            "byte 20 is past the end of the buffer (16 bytes)"
        );
    }
}
