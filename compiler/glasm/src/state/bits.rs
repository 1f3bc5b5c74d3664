//! Comparison of state by the bits of its floats, as programs read them.

/// State that is compared by the bits of its floats: −0 is another value than 0, and a NaN is
/// equal to itself.
pub(super) trait EqualBits {
    /// Returns true if all values have the same bits.
    fn has_equal_bits(&self, other: &Self) -> bool;
}

impl EqualBits for f32 {
    fn has_equal_bits(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl<T: EqualBits> EqualBits for [T] {
    fn has_equal_bits(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .iter()
                .zip(other)
                .all(|(one, other)| one.has_equal_bits(other))
    }
}

impl<T: EqualBits, const N: usize> EqualBits for [T; N] {
    fn has_equal_bits(&self, other: &Self) -> bool {
        self.as_slice().has_equal_bits(other.as_slice())
    }
}

impl<T: EqualBits> EqualBits for Vec<T> {
    fn has_equal_bits(&self, other: &Self) -> bool {
        self.as_slice().has_equal_bits(other.as_slice())
    }
}

impl<T: EqualBits> EqualBits for Option<T> {
    fn has_equal_bits(&self, other: &Self) -> bool {
        self.as_slice().has_equal_bits(other.as_slice())
    }
}

impl<T: EqualBits, U: EqualBits> EqualBits for (T, U) {
    fn has_equal_bits(&self, other: &Self) -> bool {
        self.0.has_equal_bits(&other.0) && self.1.has_equal_bits(&other.1)
    }
}

/// Implements the comparison for types without floats.
macro_rules! equal_values {
    ($($ty:ty),*) => {$(
        impl $crate::state::bits::EqualBits for $ty {
            fn has_equal_bits(&self, other: &Self) -> bool {
                self == other
            }
        }
    )*};
}

equal_values!(bool, u32);

/// Implements the comparison for structures, whose fields are all listed.
macro_rules! equal_fields {
    ($($ty:ident { $($field:ident),* })*) => {$(
        impl $crate::state::bits::EqualBits for $ty {
            fn has_equal_bits(&self, other: &Self) -> bool {
                let Self { $($field),* } = self;
                $($field.has_equal_bits(&other.$field))&&*
            }
        }
    )*};
}

pub(super) use {equal_fields, equal_values};
