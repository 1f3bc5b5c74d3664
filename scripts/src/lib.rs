//! Shader test scripts, whatever runs them.
#![forbid(unsafe_code)]
#![allow(missing_docs)]
pub mod data;
pub mod find;
pub mod float16;
pub mod format;
pub mod gl_state;
pub mod image;
pub mod observation;
pub mod outcome;
pub mod params;
pub mod pictures;
pub mod probe;
pub mod results;
pub mod script;
pub mod texture;
pub mod timing;
