//! Parameters that a program reads from fixed-function GL state (`state.*`).
//!
//! ARB_vertex_program section 2.14.3.3, ARB_fragment_program section 3.11.3.3.

use crate::text_keywords::words;

pub use crate::state_params::{
    StateParam, describe_matrix, describe_matrix_form, describe_state_param, make_variable_name,
};

/// A face of two-sided lighting.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Face {
    /// Front.
    Front,
    /// Back.
    Back,
}

/// Material and light colors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum ColorTerm {
    /// Ambient.
    Ambient,
    /// Diffuse.
    Diffuse,
    /// Specular.
    Specular,
    /// Emission (materials only).
    Emission,
}

/// A coordinate of texture coordinate generation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum TexGenCoord {
    /// s.
    S,
    /// t.
    T,
    /// r.
    R,
    /// q.
    Q,
}

/// A plane of texture coordinate generation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum TexGenPlane {
    /// Eye plane.
    Eye,
    /// Object plane.
    Object,
}

/// A matrix of GL state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum MatrixName {
    /// Modelview, with its index.
    Modelview(u32),
    /// Projection.
    Projection,
    /// Projection times modelview 0.
    ModelviewProjection,
    /// Texture, by coordinate set.
    Texture(u32),
    /// Matrix palette entry.
    Palette(u32),
    /// Program matrix.
    Program(u32),
}

/// Operation on a matrix before a row of it is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum MatrixForm {
    /// The unchanged matrix.
    #[default]
    Plain,
    /// Inverted.
    Inverse,
    /// Transposed.
    Transpose,
    /// Inverted and transposed.
    InverseTranspose,
}

/// A property of the device's thread groups.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum ThreadProperty {
    /// Invocations of a thread group, at most 32.
    WarpSize,
    /// Thread groups that a processor runs concurrently.
    WarpsPerSm,
    /// Number of processors.
    SmCount,
}

words! {
    Face { Front = "front", Back = "back" }
    ColorTerm { Ambient = "ambient", Diffuse = "diffuse", Specular = "specular", Emission = "emission" }
    TexGenCoord { S = "s", T = "t", R = "r", Q = "q" }
    TexGenPlane { Eye = "eye", Object = "object" }
    ThreadProperty { WarpSize = "warpsize", WarpsPerSm = "warpspersm", SmCount = "smcount" }
    MatrixForm { Plain = "plain", Inverse = "inverse", Transpose = "transpose", InverseTranspose = "invtrans" }
}
