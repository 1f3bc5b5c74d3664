//! Options of the caller.

pub use glasm_scripts::observation::ObservationMode;
use glasm_scripts::runner::DeviceChoice;
use std::path::PathBuf;

/// Translation of assembly programs before they are passed to the driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModuleForm {
    /// Modules that glasm compiles for OpenGL.
    Spirv,
    /// GLSL translations of these modules. Needs the feature `text`.
    Glsl,
}

/// Options of a [`Runner`](crate::Runner).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunOptions {
    /// Device to run on.
    pub device: DeviceChoice,
    /// Directory for the images of `save image`, created if it is missing; `None` saves nothing.
    pub save_images: Option<PathBuf>,
    /// Directory for images of failures, created if it is missing; `None` writes none.
    pub failure_images: Option<PathBuf>,
    /// Form in which the driver receives assembly programs; `None` leaves them to its assembler.
    pub module_form: Option<ModuleForm>,
    /// Recording of observable output.
    pub observe: ObservationMode,
}
