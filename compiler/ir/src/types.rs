//! Scalar types: the interpretation of the bits of a lane.

use crate::text_keywords::{Word, words};

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
pub enum Base {
    /// IEEE 754 binary floating point.
    Float,
    /// Two's complement.
    Signed,
    /// Unsigned.
    Unsigned,
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
            pub const fn base(self) -> Base {
                match self { $(Self::$name => Base::$base,)* }
            }

            /// Returns the width.
            pub const fn width(self) -> Width {
                match self { $(Self::$name => Width::$width,)* }
            }
        }
    };
}

types! {
    U8 "u8" Unsigned W8;
    S8 "s8" Signed W8;
    U16 "u16" Unsigned W16;
    S16 "s16" Signed W16;
    F16 "f16" Float W16;
    U32 "u32" Unsigned W32;
    S32 "s32" Signed W32;
    F32 "f32" Float W32;
    U64 "u64" Unsigned W64;
    S64 "s64" Signed W64;
    F64 "f64" Float W64;
}

impl Type {
    /// Returns the type of `base` at `width`; `U8` for an 8-bit float, which does not exist.
    pub const fn of(base: Base, width: Width) -> Self {
        match (base, width) {
            (Base::Unsigned | Base::Float, Width::W8) => Self::U8,
            (Base::Signed, Width::W8) => Self::S8,
            (Base::Unsigned, Width::W16) => Self::U16,
            (Base::Signed, Width::W16) => Self::S16,
            (Base::Float, Width::W16) => Self::F16,
            (Base::Unsigned, Width::W32) => Self::U32,
            (Base::Signed, Width::W32) => Self::S32,
            (Base::Float, Width::W32) => Self::F32,
            (Base::Unsigned, Width::W64) => Self::U64,
            (Base::Signed, Width::W64) => Self::S64,
            (Base::Float, Width::W64) => Self::F64,
        }
    }

    /// Returns true if this is a float type.
    pub const fn is_float(self) -> bool {
        matches!(self.base(), Base::Float)
    }

    /// Returns true if this is an integer type.
    pub const fn is_int(self) -> bool {
        !self.is_float()
    }

    /// Returns true if this is a signed integer type.
    pub const fn is_signed_int(self) -> bool {
        matches!(self.base(), Base::Signed)
    }

    /// Returns the unsigned type of the same width, in which bits are stored.
    pub const fn bits_type(self) -> Self {
        Self::of(Base::Unsigned, self.width())
    }

    /// Returns the type with the same base at another width.
    pub const fn with_width(self, width: Width) -> Self {
        Self::of(self.base(), width)
    }
}

words! {
    Base { Float = "float", Signed = "signed", Unsigned = "unsigned" }
}

impl Word for Type {
    fn word(self) -> &'static str {
        self.name()
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|ty| ty.name() == word)
    }
}
