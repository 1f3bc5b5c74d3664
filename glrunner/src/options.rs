//! What a caller chooses.

pub use glasm_scripts::observation::Observe;
use glasm_scripts::runner::DeviceChoice;
use std::path::PathBuf;

/// What assembly programs are on their way to the driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Through {
    /// Modules that glasm compiles for OpenGL.
    Spirv,
    /// What is written of these modules in GLSL. Needs the feature `text`.
    Glsl,
}

/// Options of a [`Runner`](crate::Runner).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunOptions {
    /// Which device to run on.
    pub device: DeviceChoice,
    /// Directory for the images of `save image`, made if it is missing; without it nothing is
    /// saved.
    pub save_images: Option<PathBuf>,
    /// Directory for images of failures, made if it is missing; without it none are written.
    pub failure_images: Option<PathBuf>,
    /// How the driver gets assembly programs; `None` leaves them to its own assembler.
    pub through: Option<Through>,
    /// Whether what programs leave is recorded.
    pub observe: Observe,
}
