//! From the program sections of a script to SPIR-V modules.

mod capabilities;
mod descriptors;
mod fixed_function;
mod generated;
mod interface;
mod link;
mod passthrough;
mod template;
mod through;
mod verdicts;

use crate::options::Through;
use crate::requirements::{Capabilities, missing_components, missing_for_module};
use crate::tools::{TextLanguage, ToolError, ToolInput, Tools};
use glasm::frontend::lang::languages::Language;
use glasm::ir::Stage;
use glasm::{
    Code, Diagnostic, Diagnostics, Reflection, Severity, Shader, StateForms, StateWords, Target,
};
use glasm_scripts::compile::{LinkedStage, ScriptCompiler, Withheld, wrong_blame};
use glasm_scripts::outcome::Failure;
use glasm_scripts::script::stages::MAIN;
use glasm_scripts::script::{Convention, ProgramForm, ProgramSection, ProgramState, Script};

pub(crate) use interface::{EntryPoint, Interface, Varying};
pub(crate) use link::check_interfaces;
pub(crate) use template::{DrawShape, Template};

/// A module, ready for the device.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) stage: Stage,
    /// Empty if a template makes them.
    pub(crate) words: Vec<u32>,
    /// `None` for modules that neither the compiler nor the runner made.
    pub(crate) reflection: Option<Reflection>,
    /// What the entry points of the other modules read and write, if it can be understood.
    pub(crate) interface: Option<Interface>,
    /// What makes the words of modules that depend on the draw.
    pub(crate) template: Option<Template>,
    /// The state that the module reads when it runs.
    pub(crate) state: Option<Box<StateWords>>,
}

impl Module {
    /// The entry point of that name: every name is right for modules that cannot be understood.
    pub(crate) fn entry_point(&self, name: &str) -> Result<Option<&EntryPoint>, String> {
        let found = |entry: Option<&str>| match entry {
            Some(known) => format!("its entry point is `{known}`"),
            None => format!("it has none for {} stages", self.stage.name()),
        };
        let what = |known| {
            let stage = self.stage.name();
            format!(
                "the {stage} module has no entry point `{name}`; {}",
                found(known)
            )
        };
        match &self.interface {
            Some(interface) => match interface.entry_point(self.stage, name) {
                Some(entry) => Ok(Some(entry)),
                None => {
                    let mut entries = interface.entry_points.iter();
                    let same = entries.find(|entry| entry.stage == self.stage);
                    Err(what(same.map(|entry| entry.name.as_str())))
                }
            },
            None if self.reflection.is_some() && name != MAIN => Err(what(Some(MAIN))),
            None => Ok(None),
        }
    }
}

/// The modules for a state that draws or dispatches meet.
#[derive(Clone, Debug)]
pub(crate) struct ModuleSet {
    pub(crate) state: ProgramState,
    pub(crate) modules: Vec<Module>,
}

/// Why a program gives no module.
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

/// What programs are compiled for.
pub(crate) struct CompileContext<'a> {
    /// Name of the script, for messages.
    pub(crate) name: &'a str,
    pub(crate) script: &'a Script,
    pub(crate) state: &'a ProgramState,
    pub(crate) capabilities: &'a Capabilities,
    pub(crate) target: Target,
    pub(crate) tools: &'a Tools,
    pub(crate) through: Option<Through>,
    /// Where modules have GL state from.
    pub(crate) forms: StateForms,
    /// What the compiler is not told about.
    pub(crate) without: &'a Withheld,
}

impl CompileContext<'_> {
    /// Modules of all programs, or all reasons why there are none.
    pub(crate) fn build_modules(&self) -> Result<Vec<Module>, Vec<Refusal>> {
        let mut modules = Vec::new();
        let mut refusals = Vec::new();
        let mut generated = Vec::new();
        let mut linked = self.compiler().link();
        for (index, section) in self.script.programs.iter().enumerate() {
            let is_same = |other: &&ProgramSection| other.stage == section.stage;
            // Further GLSL sections of a stage belong to its first.
            if self.script.programs[..index]
                .iter()
                .any(|other| is_same(&other))
            {
                continue;
            }
            let sections: Vec<_> = self.script.programs[index..]
                .iter()
                .filter(is_same)
                .collect();
            match self.build_module(section, &sections, &mut linked) {
                Ok(Some(module)) => modules.push(module),
                Ok(None) => generated.push(section),
                Err(refusal) => refusals.extend(refusal),
            }
        }
        for (stage, made) in linked {
            match self.finish_made(stage, made) {
                Ok(module) => modules.push(module),
                Err(refusal) => refusals.extend(refusal),
            }
        }
        if refusals.is_empty() {
            self.generate(&mut modules, generated)?;
            self.replicate(&mut modules);
            self.check_conventions(&modules)?;
            for compute in [false, true] {
                let together = |module: &&Module| (module.stage == Stage::Compute) == compute;
                let together = modules.iter().filter(together);
                let limits = self.capabilities.descriptors;
                if let Some(reason) = descriptors::missing(together, limits) {
                    return Err(vec![Refusal::Skip(reason)]);
                }
            }
            Ok(modules)
        } else {
            Err(refusals)
        }
    }

    /// The module of a stage: of its first section, and all that are linked together. `None` for those that are made to fit the others.
    fn build_module(
        &self,
        section: &ProgramSection,
        sections: &[&ProgramSection],
        linked: &mut Vec<LinkedStage>,
    ) -> Result<Option<Module>, Vec<Refusal>> {
        match section.form {
            ProgramForm::Assembly => {
                if let Some(language) = Language::missing(&section.text) {
                    return Err(vec![Refusal::Skip(format!(
                        "the language of `{}` is not supported yet",
                        language.start
                    ))]);
                }
                let same = linked.iter().position(|(stage, _)| *stage == section.stage);
                Ok(Some(match same {
                    Some(place) => self.finish(section, linked.swap_remove(place).1)?,
                    None => self.compile_assembly(section)?,
                }))
            }
            ProgramForm::Ir => Ok(Some(self.compile_ir(section)?)),
            ProgramForm::SpirvText => {
                Ok(Some(self.translate(TextLanguage::SpirvAssembly, sections)?))
            }
            ProgramForm::SpirvWords => {
                let words = section
                    .text
                    .chunks_exact(4)
                    .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                    .collect();
                let module = self.plain_module(section.stage, words)?;
                if module.interface.is_none() {
                    return Err(vec![Refusal::Fail(Failure::new(
                        Some(section.line),
                        "these words are no SPIR-V module",
                    ))]);
                }
                Ok(Some(module))
            }
            ProgramForm::Glsl => {
                let is_old = |section: &&ProgramSection| glsl_version(&section.text) < 140;
                let opengl = self.script.requirements.convention == Convention::OpenGl;
                if opengl && sections.iter().any(is_old) {
                    let reason = "GLSL before version 1.40 is not for Vulkan";
                    return Err(vec![Refusal::Skip(reason.to_owned())]);
                }
                Ok(Some(self.translate(TextLanguage::Glsl, sections)?))
            }
            ProgramForm::PassThrough | ProgramForm::FixedFunction => Ok(None),
        }
    }

    /// What compiles the programs, for the device.
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

    /// The module of a program.
    fn compile_assembly(&self, section: &ProgramSection) -> Result<Module, Vec<Refusal>> {
        self.finish(section, self.compiler().compile(section))
    }

    /// The module that a program of the system makes of sections.
    fn translate(
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

    /// A module that came as SPIR-V or GLSL.
    fn plain_module(&self, stage: Stage, words: Vec<u32>) -> Result<Module, Refusal> {
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

    fn compile_ir(&self, section: &ProgramSection) -> Result<Module, Vec<Refusal>> {
        let text = String::from_utf8_lossy(&section.text);
        let program = glasm::ir::parse(&text).map_err(|error| {
            let line = section.line + error.line as u32;
            vec![Refusal::Fail(Failure::new(Some(line), error.message))]
        })?;
        let options = self.compiler().options(section.stage);
        let compiled = glasm::Compiler::new().compile_ir(&program, &options);
        // The spans in a program of this form are those of the text that it was made from.
        let compiled = compiled.map_err(Diagnostics::without_places);
        self.finish(section, compiled)
    }

    /// A module that the device can run, or why there is none.
    fn finish(
        &self,
        section: &ProgramSection,
        compiled: Result<Shader, Diagnostics>,
    ) -> Result<Module, Vec<Refusal>> {
        let shader = compiled.map_err(|diagnostics| self.refuse(section, &diagnostics))?;
        Ok(self.module_of(section, shader)?)
    }

    /// The module of a stage that programs of the pipeline need.
    fn finish_made(
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

    /// Why a program with errors is not run.
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

    /// The module of a compiled program, if the device can run it.
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
            // The compiler must not use what it was told is not there.
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

    /// The state that a module reads when it runs.
    fn state_of(&self, reflection: &Reflection) -> Option<Box<StateWords>> {
        let reads = reflection.state.is_some();
        reads.then(|| Box::new(self.compiler().state_words()))
    }

    /// The first vertex attribute that a program reads and the device cannot have.
    fn missing_attribute(&self, stage: Stage, reflection: &Reflection) -> Option<u32> {
        let locations = reflection.inputs.iter().filter_map(|input| input.location);
        let mut beyond = locations
            .filter(|location| *location >= self.capabilities.vertex_attributes)
            .filter(|_| stage == Stage::Vertex);
        beyond.next()
    }

    /// The last stage before rasterization.
    fn last_stage(&self) -> Stage {
        self.compiler().last_stage()
    }
}

/// The number after `#version`; without one it is 110.
fn glsl_version(text: &[u8]) -> u32 {
    let text = String::from_utf8_lossy(text);
    let line = text
        .lines()
        .find_map(|line| line.trim_start().strip_prefix("#version"));
    let number = line.and_then(|rest| rest.split_ascii_whitespace().next());
    number.and_then(|word| word.parse().ok()).unwrap_or(110)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::DeviceFeatures;

    const SCRIPT: &[u8] = b"[vertex program]\n!!NVvp5.0\nLONG TEMP a;\nADD.F64 a, 1, 2;\n\
        CVT.F32.F64 result.position, a;\nEND\n[test]\n";

    /// What becomes of the script's program on a device with these features, if the compiler was told of `told`.
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
        // A program that needs what the compiler was told is not there.
        let used = refusals(&[], &["shaderFloat64"]);
        assert!(matches!(&used[..], [Refusal::Fail(_)]), "{used:?}");
    }

    #[test]
    fn versions_of_glsl() {
        assert_eq!(glsl_version(b"void main() {}"), 110);
        assert_eq!(glsl_version(b"// old\n  #version 130\n"), 130);
        assert_eq!(glsl_version(b"#version 450 core\n"), 450);
    }
}
