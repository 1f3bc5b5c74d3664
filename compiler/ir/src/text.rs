//! Words of the text form that printer and parser share.

use crate::inst::{CondTest, Rounding};
use crate::program::Stage;
use crate::resource::{AtomicOp, BufferKind, TexTarget};
use crate::semantic::{Interpolation, Sampling, Semantic};
use crate::state::{ColorTerm, Face, MatrixForm, TexGenCoord, TexGenPlane, ThreadProperty};
use crate::types::{Base, Type};

/// An enum whose variants are single words of the text form.
pub(crate) trait Word: Sized {
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

words_of_tables! { Stage CondTest TexTarget AtomicOp }

words! {
    Base { Float = "float", Signed = "signed", Unsigned = "unsigned" }
    Rounding { Even = "even", Floor = "floor", Ceil = "ceil", Trunc = "trunc" }
    Interpolation { Smooth = "smooth", NoPerspective = "noperspective", Flat = "flat" }
    Sampling { Center = "center", Centroid = "centroid", Sample = "sample" }
    BufferKind { Constant = "constant", Storage = "storage", Shared = "shared", Counter = "counter" }
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

macro_rules! semantics {
    (plain { $($plain:ident = $plain_text:literal),* $(,)? } numbered { $($numbered:ident = $numbered_text:literal),* $(,)? }) => {
        /// The word of a semantic and its numbers.
        pub(crate) fn semantic_parts(semantic: Semantic) -> (&'static str, [Option<u8>; 2]) {
            match semantic {
                $(Semantic::$plain => ($plain_text, [None, None]),)*
                $(Semantic::$numbered(n) => ($numbered_text, [Some(n), None]),)*
                Semantic::FragColor { buffer, index } => ("frag_color", [Some(buffer), Some(index)]),
            }
        }

        /// The semantic of a word and its numbers.
        pub(crate) fn semantic_from_parts(word: &str, numbers: &[u8]) -> Option<Semantic> {
            match (word, numbers) {
                $(($plain_text, []) => Some(Semantic::$plain),)*
                $(($numbered_text, &[n]) => Some(Semantic::$numbered(n)),)*
                ("frag_color", &[buffer, index]) => Some(Semantic::FragColor { buffer, index }),
                _ => None,
            }
        }
    };
}

semantics! {
    plain {
        Position = "position", PointSize = "point_size", FogCoord = "fog_coord", Layer = "layer",
        ViewportIndex = "viewport_index", ViewportMask = "viewport_mask",
        SecondaryPosition = "secondary_position", SecondaryViewportMask = "secondary_viewport_mask",
        FullyCovered = "fully_covered", PrimitiveId = "primitive_id", VertexId = "vertex_id",
        InstanceId = "instance_id", BaseVertex = "base_vertex", BaseInstance = "base_instance", DrawId = "draw_id",
        Facing = "facing", PointCoord = "point_coord", SampleId = "sample_id", SampleMask = "sample_mask",
        HelperInvocation = "helper_invocation", FragDepth = "frag_depth", WorkgroupId = "workgroup_id",
        WorkgroupCount = "workgroup_count", WorkgroupSize = "workgroup_size",
        LocalInvocationId = "local_invocation_id", GlobalInvocationId = "global_invocation_id",
        LocalInvocationIndex = "local_invocation_index", ThreadId = "thread_id", ThreadEqMask = "thread_eq_mask",
        ThreadLtMask = "thread_lt_mask", ThreadLeMask = "thread_le_mask", ThreadGtMask = "thread_gt_mask",
        ThreadGeMask = "thread_ge_mask", WarpId = "warp_id", SmId = "sm_id",
    }
    numbered {
        Attrib = "attrib", Color = "color", BackColor = "back_color", TexCoord = "tex_coord", Generic = "generic",
        ClipDistance = "clip_distance",
    }
}
