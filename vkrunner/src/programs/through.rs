//! Translation of modules to a shading language and back before they reach the device.

use super::context::{CompileContext, Refusal};
use crate::options::Through;
#[cfg(feature = "text")]
use crate::tools::{TextLanguage, ToolError, ToolInput};
#[cfg(feature = "text")]
use glasm::Code;
use glasm::Shader;
#[cfg(feature = "text")]
use glasm_scripts::outcome::Failure;
use glasm_scripts::script::ProgramSection;

impl CompileContext<'_> {
    /// Returns the module for the device.
    pub(super) fn take_detour(
        &self,
        section: &ProgramSection,
        shader: Shader,
    ) -> Result<Shader, Refusal> {
        match self.through {
            None => Ok(shader),
            Some(Through::Glsl) => self.through_glsl(section, shader),
            Some(Through::Wgsl) => through_wgsl(section, shader),
        }
    }

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
                self.detour_failure(section, &message, None)
            }
        })?;
        let job = ToolInput {
            language: TextLanguage::Glsl,
            stage: section.stage,
            target: self.target,
            texts: vec![text.text.clone().into_bytes()],
        };
        let words = self.tools.translate(job).map_err(|error| match error {
            ToolError::Missing(reason) => Refusal::Skip(reason),
            ToolError::Refused(messages) => {
                let said: Vec<String> = messages.into_iter().map(|it| it.text).collect();
                // A compiler that is older than an extension cannot judge sources that use it.
                match said
                    .iter()
                    .find(|it| it.contains("extension not supported"))
                {
                    Some(missing) => Refusal::Skip(format!("glslangValidator: {missing}")),
                    None => self.detour_failure(section, &said.join("; "), Some(&text.text)),
                }
            }
        })?;
        shader.words = words;
        Ok(shader)
    }

    #[cfg(not(feature = "text"))]
    fn through_glsl(&self, _: &ProgramSection, _: Shader) -> Result<Shader, Refusal> {
        let reason =
            "programs cannot be written as GLSL: the feature `text` is missing in this build";
        Err(Refusal::Skip(reason.to_owned()))
    }

    #[cfg(feature = "text")]
    fn detour_failure(
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

/// Translates the module to WGSL and back. Skips programs whose translation is reported to differ.
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
    if text.text.contains("@builtin(sample_mask)") {
        return Err(skip("naga makes wrong modules of sample masks".to_owned()));
    }
    let words = glasm_text::wgsl_to_spirv(&text.text).map_err(|error| {
        Refusal::Fail(Failure::new(
            Some(section.line),
            format!("the {stage} program as WGSL: {error} in:\n{}", text.text),
        ))
    })?;
    shader.words = words;
    Ok(shader)
}

#[cfg(not(feature = "text"))]
fn through_wgsl(_: &ProgramSection, _: Shader) -> Result<Shader, Refusal> {
    let reason = "programs cannot be written as WGSL: the feature `text` is missing in this build";
    Err(Refusal::Skip(reason.to_owned()))
}
