//! Compilation of one stage of a script to a module for the device, or to the reason why there is
//! none.

use super::capabilities;
use super::context::{CompileContext, Refusal};
use super::interface::Interface;
use super::module::Module;
use crate::requirements::{missing_components, missing_for_module};
use crate::tools::{TextLanguage, ToolError, ToolInput};
use glasm::ir::Stage;
use glasm::{Code, Diagnostic, Diagnostics, Reflection, Severity, Shader};
use glasm_scripts::compile::wrong_blame;
use glasm_scripts::outcome::Failure;
use glasm_scripts::script::ProgramSection;

impl CompileContext<'_> {
    /// Returns the module of a program.
    pub(super) fn compile_assembly(
        &self,
        section: &ProgramSection,
    ) -> Result<Module, Vec<Refusal>> {
        self.finish(section, self.compiler().compile(section))
    }

    /// Returns the module that an external tool compiles from sections.
    pub(super) fn translate(
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
            ToolError::Refused(messages) => messages
                .into_iter()
                .map(|message| {
                    let place = message
                        .place
                        .and_then(|(index, line)| Some(sections.get(index)?.line + line));
                    let line = place.unwrap_or(first.line);
                    Refusal::Fail(Failure::new(Some(line), message.text))
                })
                .collect(),
        })?;
        Ok(self.plain_module(first.stage, words)?)
    }

    /// Returns a module that came as SPIR-V or GLSL.
    pub(super) fn plain_module(&self, stage: Stage, words: Vec<u32>) -> Result<Module, Refusal> {
        let features = capabilities::needed_features(&words);
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
            interface: Interface::read(&words),
            words,
            reflection: None,
            template: None,
            state: None,
        })
    }

    /// Returns the module of a program in the form of the intermediate representation.
    pub(super) fn compile_ir(&self, section: &ProgramSection) -> Result<Module, Vec<Refusal>> {
        let text = String::from_utf8_lossy(&section.text);
        let program = glasm::ir::parse(&text).map_err(|error| {
            let line = section.line + error.line as u32;
            vec![Refusal::Fail(Failure::new(Some(line), error.message))]
        })?;
        let options = self.compiler().options(section.stage);
        let compiled = glasm::Compiler::new().compile_ir(&program, &options);
        // The spans in a program of this form refer to the source that it was generated from.
        let compiled = compiled.map_err(Diagnostics::without_places);
        self.finish(section, compiled)
    }

    /// Returns a module for the device, or the reason why there is none.
    pub(super) fn finish(
        &self,
        section: &ProgramSection,
        compiled: Result<Shader, Diagnostics>,
    ) -> Result<Module, Vec<Refusal>> {
        let shader = compiled.map_err(|diagnostics| self.refuse(section, &diagnostics))?;
        Ok(self.module_of(section, shader)?)
    }

    /// Returns the module of a stage that programs of the pipeline need.
    pub(super) fn finish_made(
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
        self.finish(&section, compiled)
    }

    /// Returns the reasons why a program with errors is not run.
    fn refuse(&self, section: &ProgramSection, diagnostics: &Diagnostics) -> Vec<Refusal> {
        let is_error = |found: &&Diagnostic| found.severity != Severity::Warning;
        let mut errors = diagnostics.list.iter().filter(is_error).peekable();
        let first = errors.peek().map(|error| error.message.clone());
        match first {
            Some(first) if errors.all(|error| error.code == Code::FeatureMissing) => {
                let stage = section.stage.name();
                let told = self.device_features();
                match wrong_blame(&told, section.stage, &diagnostics.list) {
                    Some(wrong) => Refusal::Fail(Failure::new(
                        Some(section.line),
                        format!("the {stage} program: {wrong}, says the compiler, but it has it"),
                    )),
                    None => Refusal::Skip(format!("the {stage} program: {first}")),
                }
                .into()
            }
            _ => {
                let failures = self.script.failures(self.name, section, diagnostics);
                failures.into_iter().map(Refusal::Fail).collect()
            }
        }
    }

    /// Returns the module of a compiled program, if the device can run it.
    fn module_of(&self, section: &ProgramSection, shader: Shader) -> Result<Module, Refusal> {
        let features = shader.reflection.requirements.features.iter().copied();
        if let Some(feature) = features.clone().find(|name| self.without.hides(name)) {
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
        let shader = self.take_detour(section, shader)?;
        Ok(Module {
            stage: section.stage,
            words: shader.words,
            state: self.state_of(&shader.reflection),
            reflection: Some(shader.reflection),
            interface: None,
            template: None,
        })
    }

    /// Returns the first vertex attribute that a program reads and the device cannot have.
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
    use crate::requirements::Capabilities;
    use crate::tools::Tools;
    use glasm::{DeviceFeatures, StateForms, Target};
    use glasm_scripts::compile::Withheld;
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
        let without = Withheld::default();
        let context = |capabilities| CompileContext {
            name: "a",
            script: &script,
            state: &state,
            capabilities,
            target: Target::Vulkan1_1,
            tools: &tools,
            through: None,
            forms: StateForms::default(),
            without: &without,
        };
        let section = &script.programs[0];
        let compiled = context(&told).compiler().compile(section);
        context(&has)
            .finish(section, compiled)
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
