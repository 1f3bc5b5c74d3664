//! Options of the caller.

use glasm::StateSource;
use glasm_scripts::compile::DisabledFeatures;
use glasm_scripts::observation::ObservationMode;
use glasm_scripts::runner::DeviceChoice;
use std::path::PathBuf;
use std::time::Duration;

/// Use of the validation layer. Its messages fail the script that causes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Validation {
    /// If it is installed.
    #[default]
    Auto,
    /// The layer is required.
    Require,
    /// The layer is not loaded.
    Off,
}

/// Language that assembly programs are translated to before they reach the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextRoundTrip {
    /// GLSL for Vulkan, which the program `glslangValidator` compiles. Needs the feature `text`.
    Glsl,
    /// WGSL, which naga compiles. Scripts with programs that WGSL cannot express exactly are
    /// skipped. Needs the feature `text`.
    Wgsl,
}

/// Execution of draws and dispatches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ExecutionMode {
    /// The device executes draws and dispatches.
    #[default]
    Execute,
    /// Draws and dispatches are skipped. A script that passes nevertheless proves nothing about the
    /// results of its programs.
    Skip,
}

/// Options of a [`Runner`](crate::Runner).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunOptions {
    /// Device to run on.
    pub device: DeviceChoice,
    /// Use of the validation layer.
    pub validation: Validation,
    /// Directory for the images of `save image`, created if it is missing; `None` saves nothing.
    pub save_images: Option<PathBuf>,
    /// Directory for images of failures, created if it is missing; `None` writes none. For a script
    /// that fails, there is one of every attachment and of every failed probe of pixels: see
    /// [`ScriptReport::failure_images`](crate::ScriptReport::failure_images).
    pub failure_images: Option<PathBuf>,
    /// Directory for every SPIR-V module that is used, created if it is missing:
    /// `SCRIPT.STAGE.TARGET.spv`, for example `scripts_lit.fragment.vulkan1.3.spv` for the script
    /// `scripts/lit.shader_test`.
    pub module_dir: Option<PathBuf>,
    /// Directory with modules as another run has written them to its
    /// [`module_dir`](Self::module_dir). Scripts whose modules are all there and equal are
    /// skipped: they were run already. Scripts with modules that are compiled again for each draw
    /// are not skipped.
    pub known_modules: Option<PathBuf>,
    /// Time limit of the device for one draw or dispatch.
    pub timeout: Duration,
    /// Time limit of a script. It is checked at each use of the device; the work of a compiler or a
    /// driver in between cannot be interrupted.
    pub script_timeout: Duration,
    /// Target to compile for; by default the newest that the device supports.
    pub target: Option<glasm::Target>,
    /// Translation of assembly programs through another language before they reach the device;
    /// `None` uses their modules unchanged.
    pub text_round_trip: Option<TextRoundTrip>,
    /// Source of the GL state in modules.
    pub state: StateSource,
    /// Features that are hidden from the compiler: its programs must not use them. The requirements
    /// of scripts are unaffected.
    pub disabled_features: DisabledFeatures,
    /// Recording of observable output: see
    /// [`ScriptReport::observations`](crate::ScriptReport::observations).
    pub observe: ObservationMode,
    /// Execution of draws and dispatches. Other values than the default are for tests of scripts.
    pub execution_mode: ExecutionMode,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            device: DeviceChoice::Best,
            validation: Validation::Auto,
            save_images: None,
            failure_images: None,
            module_dir: None,
            known_modules: None,
            timeout: Duration::from_secs(10),
            script_timeout: Duration::from_secs(60),
            target: None,
            text_round_trip: None,
            state: StateSource::CompileTime,
            disabled_features: DisabledFeatures::default(),
            observe: ObservationMode::Off,
            execution_mode: ExecutionMode::Execute,
        }
    }
}
