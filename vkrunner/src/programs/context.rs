//! Context in which programs are compiled, and the translation of modules to a shading language and
//! back before they reach the device.

use crate::external_tools::Tools;
#[cfg(feature = "text")]
use crate::external_tools::{TextLanguage, ToolError, ToolInput};
use crate::options::TextRoundTrip;
use crate::requirements::Capabilities;
#[cfg(feature = "text")]
use glasm::Code;
use glasm::ir::Stage;
use glasm::{
    DebugInfo, DeviceFeatures, Reflection, Shader, StateBlock, StateSources, Target, TextTarget,
};
use glasm_scripts::compile::{DisabledFeatures, ScriptCompiler};
use glasm_scripts::results::Failure;
use glasm_scripts::script::{ProgramSection, ProgramState, Script};

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
    pub(crate) text_round_trip: Option<TextRoundTrip>,
    /// Sources of the GL state in modules.
    pub(crate) state_sources: StateSources,
    /// Features that are hidden from the compiler.
    pub(crate) disabled_features: &'a DisabledFeatures,
}

impl CompileContext<'_> {
    /// Returns the compiler of the programs, with the options for the device and the state of
    /// programs.
    pub(crate) fn compiler(&self) -> ScriptCompiler<'_> {
        ScriptCompiler {
            name: self.name,
            script: self.script,
            state: self.state,
            base_options: glasm::Options {
                target: self.target,
                device: self.device_features(),
                bindings: self.capabilities.binding_layout(),
                debug: self.debug_info(),
                state_sources: self.state_sources,
                text_target: self.text_target(),
                ..glasm::Options::default()
            },
            implied_point_size: self.implied_point_size(),
        }
    }

    /// Returns the state block with the current GL state for a module that reads state when it
    /// runs; `None` for any other module.
    pub(super) fn module_state(&self, reflection: &Reflection) -> Option<Box<StateBlock>> {
        let reads = reflection.state_block.is_some();
        reads.then(|| Box::new(self.compiler().state_words()))
    }

    /// Returns the last stage before rasterization.
    pub(super) fn last_stage(&self) -> Stage {
        self.compiler().last_stage()
    }

    /// Returns the debug information that modules contain: names if they are translated to a
    /// shading language, otherwise the default.
    fn debug_info(&self) -> DebugInfo {
        match self.text_round_trip {
            None => DebugInfo::default(),
            Some(TextRoundTrip::Glsl | TextRoundTrip::Wgsl) => TEXT_DEBUG_INFO,
        }
    }

    /// Returns the language that modules are compiled for if they are translated to one. Conventions
    /// remain those of the runner, because Vulkan draws the modules that the text is compiled to.
    fn text_target(&self) -> Option<TextTarget> {
        self.text_round_trip.and_then(make_text_target)
    }

    /// Returns the bits of the size of points that modules receive which write none: 1 pixel for
    /// WGSL, whose points have no other size; `None` otherwise.
    fn implied_point_size(&self) -> Option<u32> {
        match self.text_round_trip {
            None | Some(TextRoundTrip::Glsl) => None,
            Some(TextRoundTrip::Wgsl) => Some(1.0f32.to_bits()),
        }
    }

    /// Returns the features that modules may use: those of the device that are not hidden from the
    /// compiler; with a translation to a shading language only those that this language supports.
    pub(super) fn device_features(&self) -> DeviceFeatures {
        let device = self.capabilities.device_features(self.disabled_features);
        match self.text_round_trip {
            None => device,
            // The text compares words by their declared type.
            Some(TextRoundTrip::Glsl) => DeviceFeatures {
                signed_atomics: false,
                ..device
            },
            Some(TextRoundTrip::Wgsl) => features_of_wgsl(device),
        }
    }
}

/// Returns the features that modules may use which are translated to WGSL, independent of the
/// device.
#[cfg(feature = "text")]
fn features_of_wgsl(_: DeviceFeatures) -> DeviceFeatures {
    let options = glasm_text::Options::new(glasm_text::Language::Wgsl);
    glasm_text::compiler_options(&options).device
}

/// Returns the features of the device unchanged: this build cannot write WGSL, and [`through_wgsl`]
/// skips the script.
#[cfg(not(feature = "text"))]
fn features_of_wgsl(device: DeviceFeatures) -> DeviceFeatures {
    device
}

/// Returns the language of a translation, for modules that are translated.
#[cfg(feature = "text")]
fn make_text_target(round_trip: TextRoundTrip) -> Option<TextTarget> {
    let language = match round_trip {
        TextRoundTrip::Glsl => glasm_text::Language::VulkanGlsl,
        TextRoundTrip::Wgsl => glasm_text::Language::Wgsl,
    };
    glasm_text::compiler_options(&glasm_text::Options::new(language)).text_target
}

/// Returns `None`: this build translates no modules.
#[cfg(not(feature = "text"))]
fn make_text_target(_: TextRoundTrip) -> Option<TextTarget> {
    None
}

/// Names, and no lines, which other languages do not preserve.
const TEXT_DEBUG_INFO: DebugInfo = DebugInfo {
    names: true,
    lines: false,
};

impl CompileContext<'_> {
    /// Translates a program to the shading language of the options and back; only the words of its
    /// module change. Returns it unchanged without that option. Skips the script if the language
    /// cannot express the program.
    pub(super) fn round_trip(
        &self,
        section: &ProgramSection,
        shader: Shader,
    ) -> Result<Shader, Refusal> {
        match self.text_round_trip {
            None => Ok(shader),
            Some(TextRoundTrip::Glsl) => self.through_glsl(section, shader),
            Some(TextRoundTrip::Wgsl) => through_wgsl(section, shader),
        }
    }

    /// Translates a compiled program to GLSL and back with `glslangValidator`, and replaces the
    /// words of its module. Skips the script if GLSL or the installed compiler lacks a feature; any
    /// other error is a failure.
    #[cfg(feature = "text")]
    fn through_glsl(
        &self,
        section: &ProgramSection,
        mut shader: Shader,
    ) -> Result<Shader, Refusal> {
        let options = glasm_text::Options::new(glasm_text::Language::VulkanGlsl);
        let text = glasm_text::write_shader(&shader, &options).map_err(|error| {
            let message = error.to_string();
            // Messages about features that the language lacks begin with its name; all others are
            // faults.
            if message.starts_with("vulkan-glsl") {
                Refusal::Skip(message)
            } else {
                self.round_trip_failure(section, &message, None)
            }
        })?;
        let job = ToolInput {
            language: TextLanguage::Glsl,
            stage: section.stage,
            target: self.target,
            texts: vec![text.source.clone().into_bytes()],
        };
        let words = self.tools.translate(job).map_err(|error| match error {
            ToolError::Missing(reason) => Refusal::Skip(reason),
            ToolError::Rejected(messages) => {
                let said: Vec<String> = messages.into_iter().map(|it| it.text).collect();
                // A compiler that is older than an extension cannot judge sources that use it.
                match said
                    .iter()
                    .find(|it| it.contains("extension not supported"))
                {
                    Some(missing) => Refusal::Skip(format!("glslangValidator: {missing}")),
                    None => self.round_trip_failure(section, &said.join("; "), Some(&text.source)),
                }
            }
        })?;
        shader.words = words;
        Ok(shader)
    }

    /// Skips the script, since this build cannot write GLSL.
    #[cfg(not(feature = "text"))]
    fn through_glsl(&self, _: &ProgramSection, _: Shader) -> Result<Shader, Refusal> {
        let reason =
            "programs cannot be written as GLSL: the feature `text` is missing in this build";
        Err(Refusal::Skip(reason.to_owned()))
    }

    /// Creates the failure of a program whose translation to GLSL or back is rejected, with the
    /// GLSL source if there is one.
    #[cfg(feature = "text")]
    fn round_trip_failure(
        &self,
        section: &ProgramSection,
        message: &str,
        text: Option<&str>,
    ) -> Refusal {
        let stage = section.stage.name();
        let text = text.map_or_else(String::new, |text| format!(" in:\n{text}"));
        Refusal::Fail(Failure::new(
            Some(section.line),
            format!("the {stage} program as GLSL: {message}{text}"),
        ))
    }
}

/// Translates a compiled program to WGSL and back with naga, and replaces the words of its module.
/// Skips the script if WGSL cannot express the program or its translation is reported to differ;
/// WGSL that naga rejects is a failure.
#[cfg(feature = "text")]
fn through_wgsl(section: &ProgramSection, mut shader: Shader) -> Result<Shader, Refusal> {
    let stage = section.stage.name();
    let skip = |reason| Refusal::Skip(format!("the {stage} program as WGSL: {reason}"));
    let options = glasm_text::Options::new(glasm_text::Language::Wgsl);
    let text =
        glasm_text::write_shader(&shader, &options).map_err(|error| skip(error.to_string()))?;
    let mut warnings = text.warnings.list.iter();
    if let Some(difference) = warnings.find(|warning| warning.code == Code::TextDiffers) {
        return Err(skip(difference.message.clone()));
    }
    // SPIR-V requires arrays of them, which naga does not generate.
    if text.source.contains("@builtin(sample_mask)") {
        return Err(skip("naga makes wrong modules of sample masks".to_owned()));
    }
    let words = glasm_text::wgsl_to_spirv(&text.source).map_err(|error| {
        Refusal::Fail(Failure::new(
            Some(section.line),
            format!("the {stage} program as WGSL: {error} in:\n{}", text.source),
        ))
    })?;
    shader.words = words;
    Ok(shader)
}

/// Skips the script, since this build cannot write WGSL.
#[cfg(not(feature = "text"))]
fn through_wgsl(_: &ProgramSection, _: Shader) -> Result<Shader, Refusal> {
    let reason = "programs cannot be written as WGSL: the feature `text` is missing in this build";
    Err(Refusal::Skip(reason.to_owned()))
}
