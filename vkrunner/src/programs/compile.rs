//! Compilation of one stage of a script to a module for the device, or to the reason why there is
//! none.

use super::Module;
use super::context::{CompileContext, Refusal};
use super::interface::Interface;
use super::spirv_features;
use crate::external_tools::{TextLanguage, ToolError, ToolInput};
use crate::requirements::{missing_components, missing_for_module};
use glasm::ir::Stage;
use glasm::{Code, Diagnostic, Diagnostics, Reflection, Severity, Shader};
use glasm_scripts::compile::find_wrong_feature_error;
use glasm_scripts::results::Failure;
use glasm_scripts::script::ProgramSection;

impl CompileContext<'_> {
    /// Compiles an assembly program and returns its module for the device; see
    /// [`Self::finish_program`] for the errors.
    pub(super) fn compile_assembly(
        &self,
        section: &ProgramSection,
    ) -> Result<Module, Vec<Refusal>> {
        self.finish_program(section, self.compiler().compile(section))
    }

    /// Translates the sections of one stage with an external tool, and returns their module. Errors
    /// of the tool are failures at the lines of the script. The script is skipped if the tool is
    /// not installed or the device cannot run the module.
    pub(super) fn compile_with_tool(
        &self,
        language: TextLanguage,
        sections: &[&ProgramSection],
    ) -> Result<Module, Vec<Refusal>> {
        let first = sections
            .first()
            .expect("a module has at least the section that asks for it");
        let job = ToolInput {
            language,
            stage: first.stage,
            target: self.target,
            texts: sections
                .iter()
                .map(|section| section.text.clone())
                .collect(),
        };
        let words = self.tools.translate(job).map_err(|error| match error {
            ToolError::Missing(reason) => vec![Refusal::Skip(reason)],
            ToolError::Rejected(messages) => messages
                .into_iter()
                .map(|message| {
                    let position = message
                        .position
                        .and_then(|(index, line)| Some(sections.get(index)?.line + line));
                    let line = position.unwrap_or(first.line);
                    Refusal::Fail(Failure::new(Some(line), message.text))
                })
                .collect(),
        })?;
        Ok(self.external_module(first.stage, words)?)
    }

    /// Creates the module of a SPIR-V or GLSL section from its words; it has no reflection. The
    /// script is skipped if the device lacks a feature or limit that the module needs.
    pub(super) fn external_module(&self, stage: Stage, words: Vec<u32>) -> Result<Module, Refusal> {
        let features = spirv_features::required_features(&words);
        if let Some(feature) = self.capabilities.missing_feature(features) {
            let stage = stage.name();
            return Err(Refusal::Skip(format!(
                "the device lacks {feature}, which the {stage} shader needs"
            )));
        }
        if let Some(reason) = missing_for_module(stage, &words, self.capabilities) {
            return Err(Refusal::Skip(reason));
        }
        Ok(Module {
            stage,
            interface: Interface::parse(&words),
            words,
            reflection: None,
            template: None,
            state: None,
        })
    }

    /// Compiles a program in the text form of the intermediate representation and returns its
    /// module. Syntax errors are failures at their line, errors of the compiler at no line of the
    /// program.
    pub(super) fn compile_ir(&self, section: &ProgramSection) -> Result<Module, Vec<Refusal>> {
        let text = String::from_utf8_lossy(&section.text);
        let program = glasm::ir::parse(&text).map_err(|error| {
            let line = section.line + error.line as u32;
            vec![Refusal::Fail(Failure::new(Some(line), error.message))]
        })?;
        let options = self.compiler().compile_options(section.stage);
        let compiled = glasm::Compiler::new().compile_ir(&program, &options);
        // The spans in a program of this form refer to the source that it was generated from.
        let compiled = compiled.map_err(Diagnostics::without_locations);
        self.finish_program(section, compiled)
    }

    /// Creates the module of a compiled program. Returns the errors of the compiler, or the reason
    /// why the device cannot run the program; see [`Self::to_refusals`].
    pub(super) fn finish_program(
        &self,
        section: &ProgramSection,
        compiled: Result<Shader, Diagnostics>,
    ) -> Result<Module, Vec<Refusal>> {
        let shader = compiled.map_err(|diagnostics| self.to_refusals(section, &diagnostics))?;
        Ok(self.create_module(section, shader)?)
    }

    /// Creates the module of a stage that the compiler adds when it links programs. Errors are
    /// located at the geometry or tessellation control program that needs the stage; if the script
    /// has none, the error is an empty list.
    pub(super) fn create_generated_module(
        &self,
        stage: Stage,
        compiled: Result<Shader, Diagnostics>,
    ) -> Result<Module, Vec<Refusal>> {
        let mut programs = self.script.programs.iter();
        let needing =
            programs.find(|program| matches!(program.stage, Stage::Geometry | Stage::TessControl));
        let section = needing.ok_or_else(Vec::new)?;
        let section = ProgramSection {
            stage,
            ..section.clone()
        };
        self.finish_program(&section, compiled)
    }

    /// Returns the reasons why a program with errors does not run: it is skipped if all errors are
    /// about features that the device lacks, otherwise it fails. It also fails if the compiler
    /// reports a feature as missing that it was informed to be available.
    fn to_refusals(&self, section: &ProgramSection, diagnostics: &Diagnostics) -> Vec<Refusal> {
        let is_error = |found: &&Diagnostic| found.severity != Severity::Warning;
        let mut errors = diagnostics.list.iter().filter(is_error).peekable();
        let first = errors.peek().map(|error| error.message.clone());
        match first {
            Some(first) if errors.all(|error| error.code == Code::FeatureMissing) => {
                let stage = section.stage.name();
                let features = self.device_features();
                match find_wrong_feature_error(&features, section.stage, &diagnostics.list) {
                    Some(wrong) => Refusal::Fail(Failure::new(
                        Some(section.line),
                        format!("the {stage} program: {wrong}, says the compiler, but it has it"),
                    )),
                    None => Refusal::Skip(format!("the {stage} program: {first}")),
                }
                .into()
            }
            _ => {
                let failures = self.script.to_failures(self.name, section, diagnostics);
                failures.into_iter().map(Refusal::Fail).collect()
            }
        }
    }

    /// Returns the module of a compiled program, after its translation to a shading language and
    /// back if the options require that. The script is skipped if the device lacks a feature, a
    /// limit or a vertex attribute that the module needs; it fails if the compiler uses a feature
    /// that was hidden from it.
    fn create_module(&self, section: &ProgramSection, shader: Shader) -> Result<Module, Refusal> {
        let features = shader.reflection.requirements.features.iter().copied();
        if let Some(feature) = features
            .clone()
            .find(|name| self.disabled_features.is_disabled(name))
        {
            let stage = section.stage.name();
            return Err(Refusal::Fail(Failure::new(
                Some(section.line),
                format!("the {stage} program needs {feature}, which was withheld"),
            )));
        }
        if let Some(feature) = self.capabilities.missing_feature(features) {
            let stage = section.stage.name();
            let reason = format!("the device lacks {feature}, which the {stage} program needs");
            // The compiler must not use features that it was informed to be missing.
            return Err(match self.device_features().lacks(feature, section.stage) {
                Some(true) => Refusal::Fail(Failure::new(Some(section.line), reason)),
                Some(false) | None => Refusal::Skip(reason),
            });
        }
        if let Some(reason) = missing_components(&shader.reflection, self.capabilities) {
            return Err(Refusal::Skip(reason));
        }
        if let Some(reason) = missing_for_module(section.stage, &shader.words, self.capabilities) {
            return Err(Refusal::Skip(reason));
        }
        if let Some(number) = self.missing_attribute(section.stage, &shader.reflection) {
            return Err(Refusal::Skip(format!(
                "the device lacks vertex attribute {number}"
            )));
        }
        let shader = self.round_trip(section, shader)?;
        Ok(Module {
            stage: section.stage,
            words: shader.words,
            state: self.module_state(&shader.reflection),
            reflection: Some(shader.reflection),
            interface: None,
            template: None,
        })
    }

    /// Returns the first location of a vertex program's inputs that is not less than the number of
    /// vertex attributes of the device; `None` if there is none, and for other stages.
    fn missing_attribute(&self, stage: Stage, reflection: &Reflection) -> Option<u32> {
        let locations = reflection.inputs.iter().filter_map(|input| input.location);
        let mut beyond = locations
            .filter(|location| *location >= self.capabilities.vertex_attributes)
            .filter(|_| stage == Stage::Vertex);
        beyond.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::external_tools::Tools;
    use crate::requirements::Capabilities;
    use glasm::{DeviceFeatures, StateSources, Target};
    use glasm_scripts::compile::DisabledFeatures;
    use glasm_scripts::script::{ProgramState, Script};

    const SCRIPT: &[u8] = b"[vertex program]\n!!NVvp5.0\nLONG TEMP a;\nADD.F64 a, 1, 2;\n\
        CVT.F32.F64 result.position, a;\nEND\n[test]\n";

    /// Returns the reasons why the script's program is rejected on a device with these features, if
    /// the compiler was informed of `told`.
    fn refusals(has: &[&'static str], told: &[&'static str]) -> Vec<Refusal> {
        let script = Script::parse(SCRIPT).expect("the script is good");
        let capabilities = |features: &[&'static str]| Capabilities {
            features: features.iter().copied().collect(),
            compiler: DeviceFeatures::default().with(|name| features.contains(&name)),
            ..Capabilities::default()
        };
        let (has, told) = (capabilities(has), capabilities(told));
        let (state, tools) = (ProgramState::default(), Tools::default());
        let without = DisabledFeatures::default();
        let context = |capabilities| CompileContext {
            name: "a",
            script: &script,
            state: &state,
            capabilities,
            target: Target::Vulkan1_1,
            tools: &tools,
            text_round_trip: None,
            state_sources: StateSources::default(),
            disabled_features: &without,
        };
        let section = &script.programs[0];
        let compiled = context(&told).compiler().compile(section);
        context(&has)
            .finish_program(section, compiled)
            .err()
            .unwrap_or_default()
    }

    #[test]
    fn only_what_a_device_lacks_is_a_reason_to_skip() {
        let is_skip = |refusals: &[Refusal]| matches!(refusals, [Refusal::Skip(_)]);
        assert!(is_skip(&refusals(&[], &[])));
        let blamed = refusals(&["shaderFloat64"], &[]);
        assert!(
            matches!(&blamed[..], [Refusal::Fail(failure)] if failure.message.contains("but it has it")),
            "{blamed:?}"
        );
        // A program that needs a feature that the compiler was informed to be missing.
        let used = refusals(&[], &["shaderFloat64"]);
        assert!(matches!(&used[..], [Refusal::Fail(_)]), "{used:?}");
    }
}
