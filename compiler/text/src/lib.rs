//! Legacy GPU assembly programs as text of the shading languages: WGSL, MSL, HLSL, GLSL.
//!
//! [`write`] compiles a program with `glasm` and writes the module in a [`Language`]:
//!
//! ```
//! use glasm_text::{Language, Options, Source, write};
//!
//! let source = Source::new(
//!     "tint.fp",
//!     "!!NVfp5.0\nMUL result.color, fragment.color, program.local[0];\nEND",
//! );
//! let text = write(&source, &Options::new(Language::Wgsl)).unwrap();
//! assert!(text.text.contains("@fragment"));
//! assert!(text.reflection.params.is_some()); // the buffer of program.local[0] must be bound
//! ```
//!
//! No function of this crate panics or hangs, whatever the program string holds.

#![forbid(unsafe_code)]

mod error;
mod language;
mod options;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod spirv_val;
mod through_naga;
mod write;

pub use error::Error;
pub use glasm::Source;
pub use language::Language;
pub use options::{Conventions, Options};
pub use write::{Text, compiler_options, explain_features, write, write_shader};
