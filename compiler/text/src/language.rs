//! The languages.

/// A shading language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Language {
    /// The language of WebGPU.
    Wgsl,
    /// The language of Metal.
    Msl,
    /// The language of Direct3D.
    Hlsl,
    /// The language of OpenGL.
    #[default]
    Glsl,
}
