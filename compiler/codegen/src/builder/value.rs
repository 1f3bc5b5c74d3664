//! Values of the module: their types, the part of the module that defines them, their known
//! properties.

use super::results::ListEnd;
use crate::words::{TypeWord, ValueWord};
use glasm_ir::{Type, TypeBase, interp};

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
pub(super) const SCALARS: usize = 10;

impl Scalar {
    /// Returns true if this is one of the booleans.
    pub(crate) const fn is_bool(self) -> bool {
        matches!(self, Self::BoolFloat | Self::BoolInt)
    }

    /// Returns true if this is a float.
    pub(crate) const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Returns the unsigned integer of the same width.
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
pub(crate) enum Home {
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
    pub(crate) home: Home,
    /// Index of its entry in `derived` of the writer, or 0. Most values are never decomposed.
    pub(super) derived: u32,
}

/// Entry of ids that are not values: labels, functions, variables, pointers.
pub(super) const NO_VALUE: ValueInfo = ValueInfo {
    scalar: Scalar::U32,
    size: 1,
    home: Home::Body,
    derived: 0,
};
/// Bits of a constant, and values that were derived from a value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Derived {
    /// Bits of a scalar constant.
    pub(crate) bits: u64,
    /// Vectors: ids of the components. Scalars: ids of the vectors of `index + 1` copies.
    pub(crate) parts: [ValueWord; 4],
    /// Bit casts of the value to an integer and to a float.
    pub(crate) casts: [ValueWord; 2],
    /// List of its results.
    pub(super) results: ListEnd,
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
    pub(crate) const fn new(id: ValueWord, scalar: Scalar, size: u8) -> Self {
        Self { id, scalar, size }
    }

    /// Returns the same boolean with another representation of true.
    pub(crate) const fn as_truth(self, scalar: Scalar) -> Self {
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
pub(super) const CLASSES: usize = 13;

/// Declarations for a type.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OfType {
    /// Pointers to it, by storage class.
    pub(super) pointers: [TypeWord; CLASSES],
    pub(super) zero: ValueWord,
}

/// Overflow and carry of the needed lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    pub(crate) overflow: Val,
    pub(crate) carry: Val,
}

/// Returns the scalar in which an operation of type `ty` computes; `wide_ints` is the
/// representation of 64-bit integers.
pub(crate) fn compute_scalar(ty: Type, wide_ints: WideInts) -> Scalar {
    match (ty, wide_ints) {
        // Halves are computed as 32-bit floats and rounded when they are written: SPIR-V without
        // `Float16` has no arithmetic on them.
        (Type::F16 | Type::F32, _) => Scalar::F32,
        (Type::F64, _) => Scalar::F64,
        (Type::U64 | Type::S64, WideInts::Native) => Scalar::U64,
        (Type::U64 | Type::S64, WideInts::Pairs) => Scalar::Pair,
        // Narrow integers are in memory only. Without `Int8` and `Int16` SPIR-V has no arithmetic
        // on them, so loads extend them.
        (Type::U8 | Type::S8 | Type::U16 | Type::S16 | Type::U32 | Type::S32, _) => Scalar::U32,
    }
}

/// Returns the boolean that represents the results of a comparison of type `ty`.
pub(crate) fn truth_scalar(ty: Type) -> Scalar {
    if ty.is_float() {
        Scalar::BoolFloat
    } else {
        Scalar::BoolInt
    }
}

/// Selects the first item for signed types, the second for all others.
#[inline]
pub(crate) fn by_sign<T>(ty: Type, [signed, other]: [T; 2]) -> T {
    if ty.is_signed_int() { signed } else { other }
}

/// Selects by the base of a type: floats, signed or unsigned integers.
#[inline]
pub(crate) fn by_base<T>(ty: Type, [float, signed, unsigned]: [T; 3]) -> T {
    match ty.base() {
        TypeBase::Float => float,
        TypeBase::Signed => signed,
        TypeBase::Unsigned => unsigned,
    }
}

/// Representation of 64-bit integers in computations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum WideInts {
    /// As 64-bit integers.
    #[default]
    Native,
    /// As pairs of 32-bit integers.
    Pairs,
}

/// Converts the bits of a half float to those of a float of 32 bits.
pub(crate) fn single(bits: u64) -> u64 {
    // Exact: the larger format contains all numbers of the smaller one.
    interp::from_f64(Type::F32, interp::to_f64(Type::F16, bits))
}
