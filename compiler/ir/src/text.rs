//! Words of the text form that printer and parser share.

use crate::inst::{CondTest, Rounding};
use crate::primitive::{InputPrimitive, OutputPrimitive, TessMode, TessOrder, TessSpacing};
use crate::program::Stage;
use crate::resource::{AtomicOp, BufferKind, TexTarget};
use crate::semantic::{Interpolation, Sampling};
use crate::state::{ColorTerm, Face, MatrixForm, TexGenCoord, TexGenPlane, ThreadProperty};
use crate::types::{Base, Type};

/// An enum whose variants are single words of the text form.
pub trait Word: Sized {
    /// The word of a variant.
    fn word(self) -> &'static str;
    /// The variant of a word.
    fn from_word(word: &str) -> Option<Self>;
}

macro_rules! words {
    ($($ty:ident { $($variant:ident = $text:literal),* $(,)? })*) => {$(
        impl Word for $ty {
            fn word(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
            fn from_word(word: &str) -> Option<Self> {
                match word { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    )*};
}

macro_rules! words_of_tables {
    ($($ty:ident)*) => {$(
        impl Word for $ty {
            fn word(self) -> &'static str {
                Self::ALL.iter().find(|row| row.0 == self).map_or("?", |row| row.1)
            }
            fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().find(|row| row.1 == word).map(|row| row.0)
            }
        }
    )*};
}

words_of_tables! {
    Stage CondTest TexTarget AtomicOp
    InputPrimitive OutputPrimitive TessMode TessSpacing TessOrder
}

words! {
    Base { Float = "float", Signed = "signed", Unsigned = "unsigned" }
    Rounding { Even = "even", Floor = "floor", Ceil = "ceil", Trunc = "trunc" }
    Interpolation { Smooth = "smooth", NoPerspective = "noperspective", Flat = "flat" }
    Sampling { Center = "center", Centroid = "centroid", Sample = "sample" }
    BufferKind { Constant = "constant", Storage = "storage", Shared = "shared", Private = "private", Counter = "counter", State = "state" }
    Face { Front = "front", Back = "back" }
    ColorTerm { Ambient = "ambient", Diffuse = "diffuse", Specular = "specular", Emission = "emission" }
    TexGenCoord { S = "s", T = "t", R = "r", Q = "q" }
    TexGenPlane { Eye = "eye", Object = "object" }
    ThreadProperty { WarpSize = "warp_size", WarpsPerSm = "warps_per_sm", SmCount = "sm_count" }
    MatrixForm { Plain = "plain", Inverse = "inverse", Transpose = "transpose", InverseTranspose = "invtrans" }
}

impl Word for Type {
    fn word(self) -> &'static str {
        self.name()
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|ty| ty.name() == word)
    }
}
