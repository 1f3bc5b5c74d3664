//! Features that versions of the languages lack, for all writers: contents of modules, which are
//! checked before these are written, and identifiers of GLSL, which are checked in the finished
//! source.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "opcodes of SPIR-V, of which a few matter"
)]

mod glsl_features;
mod language_limits;
mod module_features;

pub(crate) use glsl_features::{Textures1d, add_required_extensions};
pub(crate) use language_limits::check_limits;
pub(crate) use module_features::ModuleFeature;
