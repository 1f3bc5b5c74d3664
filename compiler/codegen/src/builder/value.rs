//! Values of the module: their types, the part of the module that defines them, their known
//! properties, and the cache of results computed from a value (swizzles of vectors, tests of
//! condition codes), which is a list for each value.

use super::lane::LaneSelection;
use crate::spirv_writer::{TypeWord, ValueWord};
use glasm_ir::{BaseType, CondTest, Type, interp};

/// Type of the components of a SPIR-V value. Integers in registers are unsigned; operations choose
/// the signedness.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Scalar {
    /// Boolean that represents 1.0 or 0.0.
    BoolFloat,
    /// Boolean that represents all ones or 0.
    BoolInt,
    /// 8-bit integer, in memory only.
    U8,
    /// 16-bit integer, in memory only.
    U16,
    /// 32-bit integer.
    U32,
    /// 32-bit signed integer, of images and interface variables only.
    S32,
    /// 32-bit float.
    F32,
    /// 64-bit integer.
    U64,
    /// 64-bit float.
    F64,
    /// Two words of a 64-bit lane where the device has no 64-bit integers; in SPIR-V a vector.
    Pair,
}

/// Number of [`Scalar`]s.
pub(super) const SCALAR_COUNT: usize = 10;

impl Scalar {
    /// Returns true if values are booleans, of either numeric form.
    pub(crate) const fn is_bool(self) -> bool {
        matches!(self, Self::BoolFloat | Self::BoolInt)
    }

    /// Returns true if this is a float.
    pub(crate) const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Returns the unsigned integer type of the same width, 32 or 64 bits.
    pub(crate) const fn as_int(self) -> Self {
        if self.is_wide() { Self::U64 } else { Self::U32 }
    }

    /// Returns true if a lane has 64 bits.
    pub(crate) const fn is_wide(self) -> bool {
        matches!(self, Self::U64 | Self::F64 | Self::Pair)
    }
}

/// Part of the module that defines a value. The order matters: a value derived from several others
/// is defined in the last of their parts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ValueOrigin {
    /// Module scope.
    Constant,
    /// Start of the function.
    Prologue,
    /// Rest of the function.
    Body,
}

/// Properties of the value of an id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueInfo {
    /// Type of the components.
    pub(crate) scalar: Scalar,
    /// Number of components.
    pub(crate) size: u8,
    /// Part of the module that defines it.
    pub(crate) origin: ValueOrigin,
    /// Index of its entry in `derived` of the writer, or 0. Most values are never decomposed.
    pub(super) derived: u32,
}

/// Entry of ids that are not values: labels, functions, variables, pointers.
pub(super) const NO_VALUE: ValueInfo = ValueInfo {
    scalar: Scalar::U32,
    size: 1,
    origin: ValueOrigin::Body,
    derived: 0,
};
/// Bits of a constant, and values that were derived from a value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DerivedValues {
    /// Bits of a scalar constant.
    pub(crate) bits: u64,
    /// Vectors: ids of the components. Scalars: ids of the vectors of `index + 1` copies.
    pub(crate) parts: [ValueWord; 4],
    /// Bit casts of the value to an integer and to a float.
    pub(crate) casts: [ValueWord; 2],
    /// List of its results.
    pub(super) results: CacheListEnd,
}

/// Value with its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Val {
    /// Id.
    pub(crate) id: ValueWord,
    /// Type of the components.
    pub(crate) scalar: Scalar,
    /// Number of components.
    pub(crate) size: u8,
}

impl Val {
    /// Returns the value of an id with its type: `size` components of type `scalar`.
    pub(crate) const fn new(id: ValueWord, scalar: Scalar, size: u8) -> Self {
        Self { id, scalar, size }
    }

    /// Returns the same boolean with another numeric form of true: 1.0 or all ones.
    pub(crate) const fn as_bool(self, scalar: Scalar) -> Self {
        Self { scalar, ..self }
    }
}

/// Selection of the lesser or the greater of two values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extreme {
    Min,
    Max,
}

/// Number of storage classes with small numbers, which are nearly all.
// The last of them is `StorageBuffer`, 12. The numbers of classes of extensions start in the
// thousands.
pub(super) const STORAGE_CLASS_COUNT: usize = 13;

/// Declarations for a type.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TypeDeclarations {
    /// Pointers to it, by storage class.
    pub(super) pointers: [TypeWord; STORAGE_CLASS_COUNT],
    pub(super) null_constant: ValueWord,
}

/// Overflow and carry of the needed lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OverflowCarry {
    pub(crate) overflow: Val,
    pub(crate) carry: Val,
}

/// Returns the scalar in which an operation of type `ty` computes; `wide_ints` is the
/// representation of 64-bit integers.
pub(crate) fn arithmetic_scalar(ty: Type, wide_ints: WideIntRepr) -> Scalar {
    match (ty, wide_ints) {
        // Halves are computed as 32-bit floats and rounded when they are written: SPIR-V without
        // `Float16` has no arithmetic on them.
        (Type::F16 | Type::F32, _) => Scalar::F32,
        (Type::F64, _) => Scalar::F64,
        (Type::U64 | Type::S64, WideIntRepr::Native) => Scalar::U64,
        (Type::U64 | Type::S64, WideIntRepr::Pairs) => Scalar::Pair,
        // Narrow integers are in memory only. Without `Int8` and `Int16` SPIR-V has no arithmetic
        // on them, so loads extend them.
        (Type::U8 | Type::S8 | Type::U16 | Type::S16 | Type::U32 | Type::S32, _) => Scalar::U32,
    }
}

/// Returns the boolean that represents the results of a comparison of type `ty`.
pub(crate) fn bool_scalar(ty: Type) -> Scalar {
    if ty.is_float() {
        Scalar::BoolFloat
    } else {
        Scalar::BoolInt
    }
}

/// Selects the first item for signed types, the second for all others.
pub(crate) fn select_by_sign<T>(ty: Type, [signed, other]: [T; 2]) -> T {
    if ty.is_signed_int() { signed } else { other }
}

/// Selects by the base of a type: floats, signed or unsigned integers.
pub(crate) fn select_by_base<T>(ty: Type, [float, signed, unsigned]: [T; 3]) -> T {
    match ty.base() {
        BaseType::Float => float,
        BaseType::SignedInt => signed,
        BaseType::UnsignedInt => unsigned,
    }
}

/// Representation of 64-bit integers in computations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum WideIntRepr {
    /// As 64-bit integers.
    #[default]
    Native,
    /// As pairs of 32-bit integers.
    Pairs,
}

/// Converts the bits of a half float to those of a float of 32 bits.
pub(crate) fn half_to_single_bits(bits: u64) -> u64 {
    // Exact: the larger format contains all numbers of the smaller one.
    interp::from_f64(Type::F32, interp::to_f64(Type::F16, bits))
}

/// Kind of a result computed from a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ResultKey(u16);

impl ResultKey {
    /// Value without denormals. No swizzle has this key.
    // Swizzles use bits up to 10, because sizes are at most 4; tests use bit 15.
    pub(super) const FLUSHED: Self = Self(0x4000);
    /// The value itself, if it is a number above zero.
    pub(super) const POSITIVE: Self = Self(0x4001);
    /// The value itself, if it is a number that is not below zero.
    pub(super) const NOT_NEGATIVE: Self = Self(0x4002);

    /// Returns the cache key of a vector of selected components.
    pub(super) fn from_swizzle(picks: LaneSelection) -> Self {
        // The number of components is part of the key, so that (x, x) and (x, x, x) differ.
        Self(u16::from(picks.components.0) | u16::from(picks.size) << 8)
    }

    /// Returns the cache key of a condition-code test.
    pub(super) const fn from_test(test: CondTest) -> Self {
        // The highest bit distinguishes tests from swizzles.
        Self(test as u16 | 0x8000)
    }
}

/// Values of all lists.
#[derive(Debug, Default)]
pub(super) struct ValueCache {
    entries: Vec<CacheEntry>,
    /// First entry of the current function; earlier entries belong to finished functions.
    first_valid: u32,
}

/// Last entry of a list in [`ValueCache`], as its number from 1 on; 0 is an empty list.
type CacheListEnd = u32;

#[derive(Clone, Copy, Debug)]
struct CacheEntry {
    key: ResultKey,
    value: ValueWord,
    /// Previously computed result of the same value.
    previous: CacheListEnd,
}

impl ValueCache {
    /// Removes all lists of cached results.
    pub(super) fn reset(&mut self) {
        self.entries.clear();
        self.end_function();
    }

    /// Invalidates all lists, because a function ends.
    pub(super) fn end_function(&mut self) {
        self.first_valid = self.entries.len() as u32 + 1;
    }

    /// Returns the last entry of the list that ends at `end`; `None` if the list is empty or belongs to a
    /// function that has ended.
    fn get_last_entry(&self, end: CacheListEnd) -> Option<&CacheEntry> {
        // At least 1, so that a list that was never used is empty, too.
        (end >= self.first_valid).then(|| &self.entries[end as usize - 1])
    }

    /// Returns the cached result with this key in the list that ends at `end`; `None` if there is
    /// none.
    pub(super) fn find(&self, mut end: CacheListEnd, key: ResultKey) -> Option<ValueWord> {
        while let Some(computed) = self.get_last_entry(end) {
            if computed.key == key {
                return Some(computed.value);
            }
            end = computed.previous;
        }
        None
    }

    /// Appends a result to the list that ends at `before` and returns the new end of the list.
    pub(super) fn add(
        &mut self,
        before: CacheListEnd,
        key: ResultKey,
        value: ValueWord,
    ) -> CacheListEnd {
        self.entries.push(CacheEntry {
            key,
            value,
            previous: before,
        });
        self.entries.len() as CacheListEnd
    }

    /// Removes the result with this key from a list and returns the new end of the list. The list
    /// is unchanged if it has no such result.
    pub(super) fn remove(&mut self, end: CacheListEnd, key: ResultKey) -> CacheListEnd {
        // The newest result is usually removed first, so the search is short.
        let (mut newer, mut next) = (None, end);
        while let Some(&computed) = self.get_last_entry(next) {
            if computed.key != key {
                (newer, next) = (Some(next), computed.previous);
                continue;
            }
            let Some(newer) = newer else {
                return computed.previous;
            };
            self.entries[newer as usize - 1].previous = computed.previous;
            break;
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_ir::Swizzle;

    const KEYS: [ResultKey; 3] = [ResultKey(1), ResultKey(2), ResultKey(3)];

    #[test]
    fn values_are_found_until_they_are_removed() {
        let mut results = ValueCache::default();
        results.reset();
        let mut end = 0;
        for (number, &key) in KEYS.iter().enumerate() {
            assert_eq!(results.find(end, key), None);
            end = results.add(end, key, ValueWord(number as u32 + 10));
        }
        for removed in [1, 2, 0] {
            assert!(results.find(end, KEYS[removed]).is_some());
            end = results.remove(end, KEYS[removed]);
            assert_eq!(results.find(end, KEYS[removed]), None);
        }
        assert!(KEYS.iter().all(|&key| results.find(end, key).is_none()));
    }

    #[test]
    fn functions_do_not_see_results_of_others() {
        let mut results = ValueCache::default();
        results.reset();
        let before = results.add(0, KEYS[0], ValueWord(7));
        results.end_function();
        assert_eq!(results.find(before, KEYS[0]), None);
        let end = results.add(before, KEYS[1], ValueWord(8));
        assert_eq!(results.find(end, KEYS[1]), Some(ValueWord(8)));
        assert_eq!(results.find(end, KEYS[0]), None);
    }

    #[test]
    fn keys_tell_sizes_and_tests_apart() {
        let keys = [
            ResultKey::from_swizzle(LaneSelection::new(Swizzle::splat(0), 0b0011)),
            ResultKey::from_swizzle(LaneSelection::new(Swizzle::splat(0), 0b0111)),
            ResultKey::from_test(CondTest::Eq),
            ResultKey::from_test(CondTest::Ne),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[index + 1..].contains(key));
        }
    }
}
