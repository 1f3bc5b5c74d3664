//! What a caller chooses.

use glasm::StateForm;
use glasm_scripts::compile::Withheld;
use glasm_scripts::observation::Observe;
use glasm_scripts::runner::DeviceChoice;
use std::path::PathBuf;
use std::time::Duration;

/// Whether to load the validation layer. Its messages fail the script that causes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Validation {
    /// If it is installed.
    #[default]
    Auto,
    /// It must be installed.
    Require,
    /// Not.
    Off,
}

/// A detour that assembly programs take to the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Through {
    /// Each module is written as GLSL for Vulkan and compiled from that, by the program `glslangValidator`. Needs the feature `text`.
    Glsl,
    /// Each module is written as WGSL and taken back by naga. Scripts whose programs WGSL cannot say exactly are skipped. Needs the feature
    /// `text`.
    Wgsl,
}

/// What becomes of draws and dispatches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Work {
    /// The device does them.
    #[default]
    Done,
    /// They do nothing. A script that passes nevertheless proves nothing of what its programs
    /// compute.
    Left,
}

/// Options of a [`Runner`](crate::Runner).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunOptions {
    /// Which device to run on.
    pub device: DeviceChoice,
    /// Whether to load the validation layer.
    pub validation: Validation,
    /// Directory for the images of `save image`, made if it is missing; without it nothing is
    /// saved.
    pub save_images: Option<PathBuf>,
    /// Directory for images of failures, made if it is missing; without it none are written. A
    /// script that fails leaves one of every attachment and of every failed probe of pixels: see
    /// [`ScriptReport::failure_images`](crate::ScriptReport::failure_images).
    pub failure_images: Option<PathBuf>,
    /// Directory for every SPIR-V module that is used, made if it is missing:
    /// `SCRIPT.STAGE.TARGET.spv`, for example `scripts_lit.fragment.vulkan1.3.spv` for the script
    /// `scripts/lit.shader_test`.
    pub module_dir: Option<PathBuf>,
    /// Directory with modules as another run has written them to its
    /// [`module_dir`](Self::module_dir). Scripts whose modules are all there and equal are
    /// skipped: they were run already. Scripts with modules that are compiled again for each draw
    /// are not skipped.
    pub known_modules: Option<PathBuf>,
    /// How long the device may work on one draw or dispatch.
    pub timeout: Duration,
    /// How long a script may take. It is over time at the first use of the device after that; the time that a compiler or a driver takes
    /// in between cannot be cut short.
    pub script_timeout: Duration,
    /// Target to compile for; by default the newest that the device takes.
    pub target: Option<glasm::Target>,
    /// The detour that assembly programs take to the device; without one their modules are taken as they are.
    pub through: Option<Through>,
    /// Where modules have GL state from.
    pub state: StateForm,
    /// Features that the compiler is not informed of: its programs must do without. What scripts
    /// require stays unchanged.
    pub without: Withheld,
    /// Whether reports hold what programs left to be seen: see [`ScriptReport::observations`](crate::ScriptReport::observations).
    pub observe: Observe,
    /// What becomes of draws and dispatches. For tests of scripts: the others have no use for less than all of it.
    pub work: Work,
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
            through: None,
            state: StateForm::Fixed,
            without: Withheld::default(),
            observe: Observe::Off,
            work: Work::Done,
        }
    }
}
