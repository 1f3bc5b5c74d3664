//! Primitives: input and output of geometry programs, and subdivision of patches.

use crate::text_keywords::words_of_tables;

macro_rules! word_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize), serde(rename_all = "snake_case"))]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// All variants with their keywords in the text form.
            pub const ALL: &'static [(Self, &'static str)] = &[$((Self::$variant, $word)),*];
        }
    };
}

word_enum! {
    /// Input primitive of a geometry program. NV_geometry_program4 section 2.14.6.1; patches:
    /// NV_gpu_program5.
    InputPrimitive {
        /// One vertex.
        #[default]
        Points = "points",
        /// Two vertices.
        Lines = "lines",
        /// Four vertices: 1 and 2 are the line, 0 and 3 its neighbors.
        LinesAdjacency = "lines_adjacency",
        /// Three vertices.
        Triangles = "triangles",
        /// Six vertices: 0, 2 and 4 are the triangle, 1, 3 and 5 its neighbors.
        TrianglesAdjacency = "triangles_adjacency",
        /// As many vertices as the patch has.
        Patches = "patches",
    }
}

impl InputPrimitive {
    /// Returns the primitive with that number of vertices; `None` for primitives whose number
    /// depends on the draw.
    pub fn from_vertex_count(vertices: u32) -> Option<Self> {
        let mut all = Self::ALL.iter().map(|row| row.0);
        all.find(|primitive| primitive.vertex_count() == Some(vertices))
    }

    /// Returns the number of vertices of a primitive, adjacent ones included; `None` for patches,
    /// whose number depends on the draw.
    pub const fn vertex_count(self) -> Option<u32> {
        match self {
            Self::Points => Some(1),
            Self::Lines => Some(2),
            Self::Triangles => Some(3),
            Self::LinesAdjacency => Some(4),
            Self::TrianglesAdjacency => Some(6),
            Self::Patches => None,
        }
    }
}

word_enum! {
    /// Output primitive of a geometry program. NV_geometry_program4 section 2.14.6.2.
    OutputPrimitive {
        /// Points.
        #[default]
        Points = "points",
        /// Lines that share vertices.
        LineStrip = "line_strip",
        /// Triangles that share edges.
        TriangleStrip = "triangle_strip",
    }
}

word_enum! {
    /// Domain of the subdivision of a patch. NV_tessellation_program5 section 2.X.7.Y, `TESS_MODE`.
    TessMode {
        /// A triangle.
        #[default]
        Triangles = "triangles",
        /// A square.
        Quads = "quads",
        /// Horizontal lines.
        Isolines = "isolines",
    }
}

word_enum! {
    /// Division of edges into segments. NV_tessellation_program5 section 2.X.7.Y, `TESS_SPACING`.
    TessSpacing {
        /// Segments of equal length.
        #[default]
        Equal = "equal",
        /// An odd number of segments, two of them possibly shorter.
        FractionalOdd = "fractional_odd",
        /// An even number of segments, two of them possibly shorter.
        FractionalEven = "fractional_even",
    }
}

word_enum! {
    /// Orientation of the triangles of a subdivision in which u grows to the right and v grows
    /// upward. NV_tessellation_program5 section 2.X.7.Y, `TESS_VERTEX_ORDER`.
    TessWinding {
        /// Counterclockwise.
        #[default]
        Ccw = "ccw",
        /// Clockwise.
        Cw = "cw",
    }
}

/// Maximum number of vertices of a patch: the least `GL_MAX_PATCH_VERTICES` and
/// `maxTessellationPatchSize`.
pub const MAX_PATCH_VERTICES: u32 = 32;

/// Maximum number of vertex streams. NV_gpu_program5 section 2.X.8.Z, `EMITS`.
pub const MAX_VERTEX_STREAMS: u32 = 4;

words_of_tables! { InputPrimitive OutputPrimitive TessMode TessSpacing TessWinding }
