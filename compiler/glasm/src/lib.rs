//! Compiles the assembly shading languages of OpenGL's programmable era to SPIR-V.
//!
//! [`compile`] takes a program string and gives a SPIR-V module with a [`Reflection`] of everything that the module expects of
//! its caller, or all errors of the program with their positions:
//!
//! ```
//! use glasm::{Options, Source, compile};
//!
//! let source = Source::new("two mistakes", "!!NVfp5.0\nMOV result.color, tint;\nADD result.depth.z, 1, ;\nEND");
//! let errors = compile(&source, &Options::default()).unwrap_err();
//! assert_eq!(errors.error_count(), 2);
//! assert_eq!(errors.gl_error_position(&source), Some(28)); // at `tint`
//! ```
//!
//! [`link`] compiles the stages of a pipeline together, so that any results go with each other.
//!
//! [`state`] evaluates the `state.*` parameters that a program reads from plain GL state.
//!
//! No function of this crate panics or hangs, whatever the program string holds.

#![forbid(unsafe_code)]

mod compiler;
mod link;
pub mod state;
#[cfg(feature = "spirv-tools")]
pub mod validate;

pub use compiler::{Compiler, Shader, compile};
pub use glasm_codegen::device_features;
pub use glasm_codegen::features::is_feature;
pub use glasm_codegen::options::HandleLimits;
pub use glasm_codegen::options::{
    BindingLayout, Capture, ClipDepth, Conventions, DebugInfo, DepthMode, DeviceFeatures,
    FixedState, InterfaceTypes, LevelFilter, LodBias, Options, PointOrigin, Subgroups, Target,
    TexelFilter, TexelFormat, TextureWrap, TransformFeedback, Varyings, WrapMode,
};
pub use glasm_codegen::reflect::{self, Reflection};
pub use glasm_codegen::replicate;
pub use glasm_frontend as frontend;
pub use glasm_frontend::{
    Acceptance, Code, Components, Diagnostic, Diagnostics, Dialect, Location, Part, Severity,
    Source, count_components, programs, translate,
};
pub use glasm_ir as ir;
pub use link::{Linked, link};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct ReadmeDoctests;
