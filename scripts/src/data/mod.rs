//! Typed numbers in buffers: type names, layouts, encoding and decoding.

mod types;
mod values;

pub use types::{DataType, Scalar, Value};
pub use values::{DataRange, Literal, Radix, Sequence, TypedData, Written};

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

    /// Returns the stride of the vectors of an array. OpenGL 4.6 section 7.6.2.2, rules 1 to 4.
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

    /// Returns the offset of a component of an element; components are counted column after column.
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

    /// Returns the end offset of `count` elements at `offset`.
    pub fn end(self, ty: DataType, offset: u64, count: usize) -> u64 {
        let Some(last) = count.checked_sub(1) else {
            return offset;
        };
        let components = 0..ty.components();
        let within = components.map(|component| self.component_offset(ty, component));
        let size = ty.scalar.size() as u64;
        offset + last as u64 * self.stride(ty) + within.max().unwrap_or(0) + size
    }

    /// Returns the offset of each scalar of `count` scalars of an array of `ty` at `offset`.
    pub fn offsets(self, ty: DataType, offset: u64, count: usize) -> impl Iterator<Item = u64> {
        let components = ty.components();
        (0..count).map(move |index| {
            let element = (index / components) as u64;
            offset + element * self.stride(ty) + self.component_offset(ty, index % components)
        })
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
}
