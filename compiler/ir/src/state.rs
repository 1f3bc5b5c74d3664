//! Parameters that a program reads from fixed-function GL state (`state.*`).
//!
//! ARB_vertex_program section 2.14.3.3, ARB_fragment_program section 3.11.3.3.

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
    /// Modelview, by number.
    Modelview(u32),
    /// Projection.
    Projection,
    /// Projection times modelview 0.
    Mvp,
    /// Texture, by coordinate set.
    Texture(u32),
    /// Matrix palette entry.
    Palette(u32),
    /// Program matrix.
    Program(u32),
}

/// What is done to a matrix before its row is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum MatrixForm {
    /// Nothing.
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
    /// Thread groups that a processor runs at a time.
    WarpsPerSm,
    /// Number of processors.
    SmCount,
}

/// One vec4 of GL state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum StateParam {
    /// A row of a matrix.
    MatrixRow {
        /// Matrix.
        matrix: MatrixName,
        /// Form.
        form: MatrixForm,
        /// Row, 0 to 3.
        row: u8,
    },
    /// Color of a material.
    Material(Face, ColorTerm),
    /// `(shininess, 0, 0, 1)`
    MaterialShininess(Face),
    /// Color of a light.
    Light(u32, ColorTerm),
    /// Position of a light.
    LightPosition(u32),
    /// `(constant, linear, quadratic attenuation, spot exponent)`
    LightAttenuation(u32),
    /// `(spot direction, cosine of the spot cutoff)`
    LightSpotDirection(u32),
    /// Half vector of a light: `(normalize(P + (0, 0, 1)), 1)`.
    LightHalf(u32),
    /// Ambient color of the light model.
    LightModelAmbient,
    /// Scene color of a face.
    LightModelSceneColor(Face),
    /// Product of light and material color.
    LightProduct(u32, Face, ColorTerm),
    /// Plane of texture coordinate generation.
    TexGen(u32, TexGenPlane, TexGenCoord),
    /// Texture environment color.
    TexEnvColor(u32),
    /// Fog color.
    FogColor,
    /// `(density, start, end, 1 / (end - start))`
    FogParams,
    /// Clip plane in eye space.
    ClipPlane(u32),
    /// `(size, min, max, fade threshold)`
    PointSize,
    /// `(constant, linear, quadratic attenuation, 1)`
    PointAttenuation,
    /// `(near, far, far - near, 1)`
    DepthRange,
    /// `(x, y, width, height)` of the viewport.
    Viewport,
    /// `(least, largest, 0, 1)`: depths between which fragments lie whose depth a program replaces. NV_fragment_program section 3.11.6.
    DepthBounds,
    /// `(scale, offset, 0, 1)`: what makes of y of the window position a count from the top.
    WindowOrigin,
    /// `(scale, offset, 0, 1)` that make of the window y a count from the bottom.
    WindowOriginLower,
    /// Property of thread groups: an integer in lane x.
    Thread(ThreadProperty),
    /// `(factor, 0, 0, 1)`: what makes normals as long as before the modelview matrix, if that scales all axes alike.
    NormalScale,
    /// Samples of the framebuffer: an integer in lane x.
    Samples,
    /// `(x, y, 0, 1)`: place of a sample in its pixel.
    SamplePosition(u32),
}

impl StateParam {
    /// Whether no specification names it, only the programs that a driver's compiler writes.
    pub fn is_drivers(self) -> bool {
        matches!(
            self,
            Self::NormalScale | Self::Samples | Self::SamplePosition(_)
        )
    }
}
