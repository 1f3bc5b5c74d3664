//! Primitives that pipelines depend on: points, whose coordinates may be replaced, and primitives
//! that no geometry program accepts unchanged.
//!
//! Drivers reject `QUADS`, `QUAD_STRIP` and `POLYGON` after a geometry shader. NV_geometry_program4
//! allows them for programs with triangles as input, and leaves their decomposition open (issue 17
//! describes the first implementation). Strips and polygons are strips and fans of triangles with
//! the same vertices. A quadrilateral is a line with adjacency, which has four vertices, too: the
//! program runs twice for it.

use crate::ffi::driver::constants::{
    LINES_ADJACENCY, POINTS, POLYGON, QUAD_STRIP, QUADS, TRIANGLE_FAN, TRIANGLE_STRIP,
};
use glasm::PrimitiveIdMode;

/// Primitives of a draw, to the extent that pipelines depend on them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum PrimitiveClass {
    /// All other primitives.
    #[default]
    Other,
    /// Points.
    Points,
    /// Quadrilaterals.
    Quads,
    /// Strips of quadrilaterals.
    QuadStrips,
    /// Polygon.
    Polygon,
    /// Pixels: triangles whose colors are clamped as fragments, not as vertices.
    Pixels,
}

impl PrimitiveClass {
    /// Returns the class of the primitives of a draw; `Other` for all modes without special rules,
    /// and if the mode is unknown (`None`).
    pub(crate) fn from_mode(mode: Option<u32>) -> Self {
        match mode {
            Some(POINTS) => Self::Points,
            Some(QUADS) => Self::Quads,
            Some(QUAD_STRIP) => Self::QuadStrips,
            Some(POLYGON) => Self::Polygon,
            _ => Self::Other,
        }
    }

    /// Returns the class that pipelines depend on: without a geometry program, quadrilaterals and
    /// polygons are `Other`.
    pub(crate) fn for_pipeline(self, has_geometry: bool) -> Self {
        match self {
            Self::Quads | Self::QuadStrips | Self::Polygon if !has_geometry => Self::Other,
            Self::Other
            | Self::Points
            | Self::Quads
            | Self::QuadStrips
            | Self::Polygon
            | Self::Pixels => self,
        }
    }

    /// Returns the mode, and the one that the driver draws instead before a geometry program;
    /// `None` for primitives that are drawn unchanged.
    pub(crate) fn mode_replacement(self) -> Option<(u32, u32)> {
        match self {
            Self::Quads => Some((QUADS, LINES_ADJACENCY)),
            Self::QuadStrips => Some((QUAD_STRIP, TRIANGLE_STRIP)),
            Self::Polygon => Some((POLYGON, TRIANGLE_FAN)),
            Self::Other | Self::Points | Self::Pixels => None,
        }
    }

    /// Returns the primitive numbering of geometry programs: NV_geometry_program4 section 2.X.3.4,
    /// `primitive.id`.
    pub(crate) fn primitive_numbering(self) -> PrimitiveIdMode {
        match self {
            Self::QuadStrips => PrimitiveIdMode::PerQuad,
            Self::Polygon => PrimitiveIdMode::Constant,
            // There is one line with adjacency for each quadrilateral.
            Self::Other | Self::Points | Self::Quads | Self::Pixels => {
                PrimitiveIdMode::PerPrimitive
            }
        }
    }
}
