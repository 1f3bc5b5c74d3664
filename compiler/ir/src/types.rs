//! Scalar types: the interpretation of the bits of a lane.

use crate::text_keywords::{Keyword, words};

/// Storage width of a register's lanes in bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Width {
    /// 8 bits; only in memory and conversions, never in registers.
    W8,
    /// 16 bits.
    W16,
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}

impl Width {
    /// Returns the number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::W8 => 8,
            Self::W16 => 16,
            Self::W32 => 32,
            Self::W64 => 64,
        }
    }

    /// Returns the number of bytes.
    pub const fn bytes(self) -> u32 {
        self.bits() / 8
    }
}

/// Interpretation of the bits of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum BaseType {
    /// IEEE 754 binary floating point.
    Float,
    /// Two's complement.
    SignedInt,
    /// Unsigned.
    UnsignedInt,
}

macro_rules! types {
    ($($name:ident $text:literal $base:ident $width:ident;)*) => {
        /// The data type of an operation; printed in lower case (`f32`).
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Type { $(
            #[doc = concat!("`", $text, "`")]
            $name,
        )* }

        impl Type {
            /// All types.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the name in the text form.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Returns the base type: float, signed or unsigned.
            pub const fn base(self) -> BaseType {
                match self { $(Self::$name => BaseType::$base,)* }
            }

            /// Returns the width.
            pub const fn width(self) -> Width {
                match self { $(Self::$name => Width::$width,)* }
            }
        }
    };
}

types! {
    U8 "u8" UnsignedInt W8;
    S8 "s8" SignedInt W8;
    U16 "u16" UnsignedInt W16;
    S16 "s16" SignedInt W16;
    F16 "f16" Float W16;
    U32 "u32" UnsignedInt W32;
    S32 "s32" SignedInt W32;
    F32 "f32" Float W32;
    U64 "u64" UnsignedInt W64;
    S64 "s64" SignedInt W64;
    F64 "f64" Float W64;
}

impl Type {
    /// Returns the type of `base` at `width`; `U8` for an 8-bit float, which does not exist.
    pub const fn from_base(base: BaseType, width: Width) -> Self {
        match (base, width) {
            (BaseType::UnsignedInt | BaseType::Float, Width::W8) => Self::U8,
            (BaseType::SignedInt, Width::W8) => Self::S8,
            (BaseType::UnsignedInt, Width::W16) => Self::U16,
            (BaseType::SignedInt, Width::W16) => Self::S16,
            (BaseType::Float, Width::W16) => Self::F16,
            (BaseType::UnsignedInt, Width::W32) => Self::U32,
            (BaseType::SignedInt, Width::W32) => Self::S32,
            (BaseType::Float, Width::W32) => Self::F32,
            (BaseType::UnsignedInt, Width::W64) => Self::U64,
            (BaseType::SignedInt, Width::W64) => Self::S64,
            (BaseType::Float, Width::W64) => Self::F64,
        }
    }

    /// Returns true if this is a float type.
    pub const fn is_float(self) -> bool {
        matches!(self.base(), BaseType::Float)
    }

    /// Returns true if this is an integer type.
    pub const fn is_int(self) -> bool {
        !self.is_float()
    }

    /// Returns true if this is a signed integer type.
    pub const fn is_signed_int(self) -> bool {
        matches!(self.base(), BaseType::SignedInt)
    }

    /// Returns the unsigned type of the same width, in which bits are stored.
    pub const fn to_unsigned(self) -> Self {
        Self::from_base(BaseType::UnsignedInt, self.width())
    }

    /// Returns the type with the same base at another width.
    pub const fn with_width(self, width: Width) -> Self {
        Self::from_base(self.base(), width)
    }
}

words! {
    BaseType { Float = "float", SignedInt = "signed", UnsignedInt = "unsigned" }
}

impl Keyword for Type {
    fn keyword(self) -> &'static str {
        self.name()
    }

    fn from_keyword(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|ty| ty.name() == word)
    }
}
