//! What a caller chooses.

use crate::Language;

/// How a program is written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The language.
    pub language: Language,
    /// Whose rules for clip space the program follows.
    pub conventions: Conventions,
    /// What becomes of NaN in minima, maxima and clamps.
    pub nan: Nan,
    /// Options of the compiler. What depends on the language is decided by [`compiler_options`](crate::compiler_options): device
    /// features, conventions and debug information do not count here. With the target [`OpenGl4_5`](glasm::Target::OpenGl4_5) GLSL has the
    /// bindings of these options ([`BindingLayout::opengl`](glasm::BindingLayout::opengl)) and OpenGL's rectangles; without it the
    /// numbers are those of `docs/text-output.md`.
    pub compiler: glasm::Options,
}

impl Options {
    /// The defaults for a language.
    pub fn new(language: Language) -> Self {
        Self {
            language,
            ..Self::default()
        }
    }
}

/// Rules for clip space: those that the program follows. Where the language has others, positions are converted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Conventions {
    /// Those of the language, so that positions pass unchanged.
    #[default]
    Own,
    /// OpenGL's: depth from -w to w, y up.
    OpenGl,
    /// Vulkan's: depth from 0 to w, y down.
    Vulkan,
}

/// What minima, maxima and clamps of GLSL give for NaN, which GLSL leaves open. The other languages have functions that do as programs
/// want, or none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Nan {
    /// What the functions of the language give: on most devices the number, as programs want.
    #[default]
    Open,
    /// What programs want, by tests that make the text long. GLSL compilers leave these, and all other arithmetic, as they are.
    Exact,
}
