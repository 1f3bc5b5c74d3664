//! Context in which programs are compiled.

use crate::options::Through;
use crate::requirements::Capabilities;
use crate::tools::Tools;
use glasm::ir::Stage;
use glasm::{DebugInfo, DeviceFeatures, Reflection, StateForms, StateWords, Target};
use glasm_scripts::compile::{ScriptCompiler, Withheld};
use glasm_scripts::outcome::Failure;
use glasm_scripts::script::{ProgramState, Script};

/// Reason why a program has no module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    Fail(Failure),
    Skip(String),
}

impl From<Refusal> for Vec<Refusal> {
    fn from(refusal: Refusal) -> Self {
        vec![refusal]
    }
}

/// Context in which programs are compiled.
pub(crate) struct CompileContext<'a> {
    /// Name of the script, for messages.
    pub(crate) name: &'a str,
    pub(crate) script: &'a Script,
    pub(crate) state: &'a ProgramState,
    pub(crate) capabilities: &'a Capabilities,
    pub(crate) target: Target,
    pub(crate) tools: &'a Tools,
    pub(crate) through: Option<Through>,
    /// Sources of the GL state in modules.
    pub(crate) forms: StateForms,
    /// Features that are hidden from the compiler.
    pub(crate) without: &'a Withheld,
}

impl CompileContext<'_> {
    /// Returns the compiler of the programs, for the device.
    pub(crate) fn compiler(&self) -> ScriptCompiler<'_> {
        ScriptCompiler {
            name: self.name,
            script: self.script,
            state: self.state,
            base: glasm::Options {
                target: self.target,
                device: self.device_features(),
                bindings: self.capabilities.binding_layout(),
                debug: self.debug_info(),
                forms: self.forms,
                ..glasm::Options::default()
            },
            implied_point_size: self.implied_point_size(),
        }
    }

    /// Returns the state that a module reads when it runs.
    pub(super) fn state_of(&self, reflection: &Reflection) -> Option<Box<StateWords>> {
        let reads = reflection.state.is_some();
        reads.then(|| Box::new(self.compiler().state_words()))
    }

    /// Returns the last stage before rasterization.
    pub(super) fn last_stage(&self) -> Stage {
        self.compiler().last_stage()
    }

    /// Returns the debug information of modules: source programs have names.
    fn debug_info(&self) -> DebugInfo {
        match self.through {
            None => DebugInfo::default(),
            Some(Through::Glsl | Through::Wgsl) => TEXT_DEBUG_INFO,
        }
    }

    /// Returns the bits of the size of points for modules that write none: in WGSL all have one
    /// pixel.
    fn implied_point_size(&self) -> Option<u32> {
        match self.through {
            None | Some(Through::Glsl) => None,
            Some(Through::Wgsl) => Some(1.0f32.to_bits()),
        }
    }

    /// Returns the features that modules may use: those of the device that the language of the
    /// translation supports, too.
    pub(super) fn device_features(&self) -> DeviceFeatures {
        let device = self.capabilities.device_features(self.without);
        match self.through {
            None => device,
            // The text compares words by their declared type.
            Some(Through::Glsl) => DeviceFeatures {
                signed_atomics: false,
                ..device
            },
            Some(Through::Wgsl) => features_of_wgsl(device),
        }
    }
}

#[cfg(feature = "text")]
fn features_of_wgsl(_: DeviceFeatures) -> DeviceFeatures {
    let options = glasm_text::Options::new(glasm_text::Language::Wgsl);
    glasm_text::compiler_options(&options).device
}

#[cfg(not(feature = "text"))]
fn features_of_wgsl(device: DeviceFeatures) -> DeviceFeatures {
    device
}

/// Names, and no lines, which other languages do not preserve.
const TEXT_DEBUG_INFO: DebugInfo = DebugInfo {
    names: true,
    lines: false,
};
