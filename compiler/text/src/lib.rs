//! Translates legacy GPU assembly programs to the shading languages: WGSL, MSL, HLSL, GLSL.
//!
//! [`write()`] compiles a program with `glasm` and writes the module in a [`Language`]:
//!
//! ```
//! use glasm_text::{Language, Options, Source, write};
//!
//! let source = Source::new(
//!     "tint.fp",
//!     "!!NVfp5.0\nMUL result.color, fragment.color, program.local[0];\nEND",
//! );
//! let text = write(&source, &Options::new(Language::Wgsl)).unwrap();
//! assert!(text.source.contains("@fragment"));
//! assert!(text.reflection.parameter_block.is_some()); // the buffer of program.local[0] must be bound
//! ```
//!
//! GLSL, GLSL ES, HLSL and MSL come from SPIRV-Cross, with the feature `spirv-cross`, which builds
//! C++: it supports every instruction and all versions. WGSL comes from naga, which also supports a
//! part of the others without that feature. `docs/text-output.md` describes versions, conventions,
//! numbers of resources, and the limits of the languages.
//!
//! No function of this crate panics or hangs, for any program string.

#![forbid(unsafe_code)]

mod features;
mod language;
mod limits;
mod naga_backend;
mod options;
mod passes;
#[cfg_attr(
    not(feature = "spirv-cross"),
    expect(
        dead_code,
        reason = "SPIRV-Cross alone writes languages with other numbers"
    )
)]
mod resource_numbers;
#[cfg(feature = "round-trip")]
mod round_trip;
mod shader_text;
#[cfg(feature = "spirv-cross")]
mod spirv_cross_backend;
#[cfg_attr(
    not(feature = "spirv-cross"),
    expect(dead_code, reason = "passes for SPIRV-Cross alone use some functions")
)]
mod spirv_edit;
mod text_target;
mod write;

pub use glasm::Source;
pub use language::{Language, UnknownLanguage};
pub use options::{ClipConventions, NanMode, Options};
#[cfg(feature = "round-trip")]
pub use round_trip::wgsl_to_spirv;
pub use shader_text::{Resource, ResourceKind, ShaderText};
pub use text_target::LanguageMismatch;
pub use write::{
    Error, compiler_options, explain_features, link, write, write_linked, write_shader,
};

/// The examples of the page about output in other languages, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/text-output.md")]
pub struct TextOutputDoctests;
