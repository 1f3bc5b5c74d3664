//! glasm IR to SPIR-V: liveness backward, emission forward, reflection beside it.
//!
//! Knows no source language.

pub mod options;
pub mod reflect;

pub use options::Options;
pub use reflect::Reflection;
