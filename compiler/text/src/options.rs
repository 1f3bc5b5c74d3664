//! Options of callers.

use crate::Language;

/// Options to write a program with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The language.
    pub language: Language,
    /// Whose rules for clip space the program follows.
    pub clip_conventions: ClipConventions,
    /// The results of minima, maxima and clamps for NaN.
    pub nan_mode: NanMode,
    /// Options of the compiler. The language decides device features and debug information (see
    /// [`compiler_options`](crate::compiler_options)): they are ignored here. Of the conventions,
    /// [`ClipConventions::OfCompilerOptions`] reads whether programs follow OpenGL. With
    /// the target [`OpenGl4_5`](glasm::Target::OpenGl4_5) GLSL has the bindings of these options
    /// ([`BindingLayout::opengl`](glasm::BindingLayout::opengl)) and OpenGL's rectangles; without
    /// it the numbers are those of `docs/text-output.md`.
    pub compiler: glasm::Options,
}

impl Options {
    /// Returns the default options for a target language.
    pub fn new(language: Language) -> Self {
        Self {
            language,
            ..Self::default()
        }
    }
}

/// Rules for clip space that the program follows. Where the language has others, positions are
/// converted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ClipConventions {
    /// OpenGL's if [`Options::compiler`] has
    /// [`ClipDepth::NegativeOneToOne`](glasm::ClipDepth::NegativeOneToOne), as
    /// [`Options::for_gl_context`](glasm::Options::for_gl_context) returns it; otherwise those of
    /// the language, so that positions pass unchanged.
    #[default]
    OfCompilerOptions,
    /// OpenGL's: depth from -w to w, y up.
    OpenGl,
    /// Vulkan's: depth from 0 to w, y down.
    Vulkan,
}

/// Results of minima, maxima and clamps of GLSL for NaN, which GLSL leaves open. The other
/// languages have functions with the results that programs need, or none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum NanMode {
    /// Results of the functions of the language: on most devices the number, which programs need.
    #[default]
    Unspecified,
    /// Results that programs need, by tests that make the source long. GLSL compilers do not
    /// transform these and all other arithmetic.
    Exact,
}
