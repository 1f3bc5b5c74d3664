//! Compilation of the program sections of a script to SPIR-V modules.

mod capabilities;
mod compile;
mod context;
mod descriptors;
mod fixed_function;
mod generated;
mod interface;
mod link;
mod module;
mod passthrough;
mod template;
mod through;
mod verdicts;

use crate::tools::TextLanguage;
use glasm::frontend::lang::languages::Language;
use glasm::ir::Stage;
use glasm_scripts::compile::LinkedStage;
use glasm_scripts::outcome::Failure;
use glasm_scripts::script::{Convention, ProgramForm, ProgramSection};

pub(crate) use context::{CompileContext, Refusal};
pub(crate) use interface::Varying;
pub(crate) use link::check_interfaces;
pub(crate) use module::{Module, ModuleSet};
pub(crate) use template::DrawShape;

impl CompileContext<'_> {
    /// Returns the modules of all programs, or all reasons why there are none.
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

    /// Returns the module of a stage: of its first section, and all that are linked together.
    /// `None` for stages that are generated to match the others.
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
}

/// Returns the number after `#version`; without one it is 110.
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

    #[test]
    fn versions_of_glsl() {
        assert_eq!(glsl_version(b"void main() {}"), 110);
        assert_eq!(glsl_version(b"// old\n  #version 130\n"), 130);
        assert_eq!(glsl_version(b"#version 450 core\n"), 450);
    }
}
