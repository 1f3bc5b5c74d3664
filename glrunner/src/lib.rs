//! Runs `.shader_test` scripts on OpenGL, without a window: the driver's own assembler provides
//! results that are independent of this project's interpretation of the specifications.
//!
//! Only `gl` calls EGL, WGL and OpenGL, and all `unsafe` code is there.

#![deny(unsafe_code)]

mod error;
mod execute;
mod formats;
#[allow(unsafe_code, reason = "the only place that calls EGL, WGL and OpenGL")]
mod gl;
mod options;
mod required_extensions;
mod requirements;
mod runner;

pub use error::Error;
pub use gl::{DeviceInfo, Version, devices};
pub use glasm_scripts::runner::DeviceChoice;
pub use options::{ModuleForm, ObservationMode, RunOptions};
pub use runner::Runner;
