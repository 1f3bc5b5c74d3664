//! Compilation of the program sections of a script to SPIR-V modules, and the compiler's acceptance
//! of the programs, for comparisons with other compilers.

mod compile;
mod context;
mod interface;
mod interface_check;
mod passthrough;
mod per_draw_stages;
mod spirv_features;
mod synthesized_stages;

use crate::external_tools::TextLanguage;
use glasm::frontend::lang::dialect_traits::UnsupportedLanguage;
use glasm::ir::Stage;
use glasm::{Code, Diagnostic, Diagnostics, Reflection, Severity, Source, StateBlock};
use glasm_scripts::compile::LinkedStage;
use glasm_scripts::observation::{Rejection, Verdict, assembly_programs};
use glasm_scripts::results::Failure;
use glasm_scripts::script::stages::DEFAULT_ENTRY_POINT;
use glasm_scripts::script::{Convention, ProgramForm, ProgramSection, ProgramState};
use interface::{EntryPoint, Interface};
use per_draw_stages::DrawTemplate;

pub(crate) use context::{CompileContext, Refusal};
pub(crate) use interface::Varying;
pub(crate) use interface_check::check_interfaces;
pub(crate) use per_draw_stages::DrawShape;

impl CompileContext<'_> {
    /// Returns the modules of all stages of the script, including those that the compiler adds when
    /// it links programs and those that the runner generates; or all reasons why programs have no
    /// module. Also returns an error if the device cannot implement GL's conventions, or has too
    /// few descriptors for the modules that run together.
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
            match self.create_generated_module(stage, made) {
                Ok(module) => modules.push(module),
                Err(refusal) => refusals.extend(refusal),
            }
        }
        if refusals.is_empty() {
            self.add_generated_modules(&mut modules, generated)?;
            self.add_replication_stage(&mut modules);
            self.check_conventions(&modules)?;
            for compute in [false, true] {
                let together = |module: &&Module| (module.stage == Stage::Compute) == compute;
                let together = modules.iter().filter(together);
                let limits = self.capabilities.descriptors;
                if let Some(reason) = interface_check::missing_descriptors(together, limits) {
                    return Err(vec![Refusal::Skip(reason)]);
                }
            }
            Ok(modules)
        } else {
            Err(refusals)
        }
    }

    /// Returns the module of a stage from its first section and all sections of the stage. An
    /// assembly program that was linked is taken out of `linked`. `None` for stages that are
    /// generated to match the others.
    fn build_module(
        &self,
        section: &ProgramSection,
        sections: &[&ProgramSection],
        linked: &mut Vec<LinkedStage>,
    ) -> Result<Option<Module>, Vec<Refusal>> {
        match section.form {
            ProgramForm::Assembly => {
                if let Some(language) = UnsupportedLanguage::detect_missing(&section.text) {
                    return Err(vec![Refusal::Skip(format!(
                        "the language of `{}` is not supported yet",
                        language.start
                    ))]);
                }
                let same = linked.iter().position(|(stage, _)| *stage == section.stage);
                Ok(Some(match same {
                    Some(place) => self.finish_program(section, linked.swap_remove(place).1)?,
                    None => self.compile_assembly(section)?,
                }))
            }
            ProgramForm::Ir => Ok(Some(self.compile_ir(section)?)),
            ProgramForm::SpirvText => Ok(Some(
                self.compile_with_tool(TextLanguage::SpirvAssembly, sections)?,
            )),
            ProgramForm::SpirvWords => {
                let words = section
                    .text
                    .chunks_exact(4)
                    .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                    .collect();
                let module = self.external_module(section.stage, words)?;
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
                Ok(Some(self.compile_with_tool(TextLanguage::Glsl, sections)?))
            }
            ProgramForm::PassThrough | ProgramForm::FixedFunction => Ok(None),
        }
    }
}

/// Returns the number after `#version` in a GLSL source; 110, GLSL's default, without one or if it
/// is no number.
fn glsl_version(text: &[u8]) -> u32 {
    let text = String::from_utf8_lossy(text);
    let line = text
        .lines()
        .find_map(|line| line.trim_start().strip_prefix("#version"));
    let number = line.and_then(|rest| rest.split_ascii_whitespace().next());
    number.and_then(|word| word.parse().ok()).unwrap_or(110)
}

/// Module, ready for the device.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) stage: Stage,
    /// Words; empty if a template generates them.
    pub(crate) words: Vec<u32>,
    /// Reflection; `None` for modules that neither the compiler nor the runner generated.
    pub(crate) reflection: Option<Reflection>,
    /// Inputs and outputs of the entry points of the other modules, if they can be analyzed.
    pub(crate) interface: Option<Interface>,
    /// Template that generates the words of modules that depend on the draw.
    pub(crate) template: Option<DrawTemplate>,
    /// State that the module reads at run time.
    pub(crate) state: Option<Box<StateBlock>>,
}

impl Module {
    /// Returns the entry point of a name in the stage of the module; an error that names another
    /// entry point if there is none. `None` if the module cannot be analyzed: then any name is
    /// accepted, but only [`DEFAULT_ENTRY_POINT`] for modules of the compiler.
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
            None if self.reflection.is_some() && name != DEFAULT_ENTRY_POINT => {
                Err(what(Some(DEFAULT_ENTRY_POINT)))
            }
            None => Ok(None),
        }
    }
}

/// Modules for a state in effect at draws or dispatches.
#[derive(Clone, Debug)]
pub(crate) struct ModuleSet {
    pub(crate) state: ProgramState,
    pub(crate) modules: Vec<Module>,
}

impl CompileContext<'_> {
    /// Compiles each assembly program, including those that the script loads later, and returns the
    /// verdict on it: accepted, or rejected with position and message. Programs that only lack
    /// features of the device, and those in languages that are not supported, have no verdict.
    pub(crate) fn verdicts(&self) -> Vec<Verdict> {
        let compiler = self.compiler();
        let mut verdicts = Vec::new();
        for (number, section) in assembly_programs(self.script) {
            if UnsupportedLanguage::detect_missing(&section.text).is_some() {
                continue;
            }
            let rejected = match compiler.compile(section) {
                Ok(_) => None,
                Err(diagnostics) => match to_rejection(&diagnostics, &compiler.source(section)) {
                    None => continue,
                    rejection => rejection,
                },
            };
            verdicts.push(Verdict {
                stage: section.stage,
                index: number,
                rejected,
            });
        }
        verdicts
    }
}

/// Returns the first error of a program, with its GL error position; `None` if the program only
/// needs features that the device lacks, or if its errors have no position.
fn to_rejection(diagnostics: &Diagnostics, source: &Source<'_>) -> Option<Rejection> {
    let counts = |found: &&Diagnostic| {
        found.severity != Severity::Warning && found.code != Code::FeatureMissing
    };
    let errors: Vec<Diagnostic> = diagnostics.list.iter().filter(counts).cloned().collect();
    let errors = Diagnostics { list: errors };
    let position = errors.gl_error_position(source)?;
    let message = errors.list.first()?.message.clone();
    Some(Rejection {
        position: Some(position),
        message,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::ir::Span;

    #[test]
    fn versions_of_glsl() {
        assert_eq!(glsl_version(b"void main() {}"), 110);
        assert_eq!(glsl_version(b"// old\n  #version 130\n"), 130);
        assert_eq!(glsl_version(b"#version 450 core\n"), 450);
    }

    #[test]
    fn programs_that_the_device_cannot_run_are_not_rejected() {
        let source = Source::new("x", b"!!ARBvp1.0\nEND\n");
        let missing = Diagnostic::error(Code::FeatureMissing, Span::new(3, 4), "no doubles");
        let wrong = Diagnostic::error(Code::UndeclaredName, Span::new(11, 12), "no name");
        let late = Diagnostic::whole_program(Code::FeatureMissing, "no room");
        let of = |list: Vec<Diagnostic>| to_rejection(&Diagnostics { list }, &source);
        assert_eq!(of(vec![missing.clone(), late.clone()]), None);
        let rejection = of(vec![missing, wrong, late]).unwrap();
        assert_eq!(
            (rejection.position, rejection.message.as_str()),
            (Some(11), "no name")
        );
    }
}
