//! From the program sections of a script to SPIR-V modules.

mod capabilities;
mod descriptors;
mod expected;
mod fixed_function;
mod generated;
mod image_formats;
mod interface;
mod link;
mod passthrough;
mod point_size;
mod through;
mod verdicts;

use crate::options::Through;
use crate::requirements::{Capabilities, missing_components, missing_for_module};
use crate::tools::{Job, TextLanguage, ToolError, Tools};
use glasm::ir::{Semantic, Stage, TypeBase};
use glasm::reflect::InterfaceVariable;
use glasm::{
    Code, Diagnostic, Diagnostics, Reflection, Severity, Shader, Source, Target, TransformFeedback,
};
use glasm_scripts::format::{Encoding, Format};
use glasm_scripts::outcome::Failure;
use glasm_scripts::script::stages::MAIN;
use glasm_scripts::script::{
    Attachments, Convention, ProgramForm, ProgramSection, ProgramState, Script, VertexData,
};

pub(crate) use generated::{DrawShape, Template};
use image_formats::image_formats;
pub(crate) use interface::{EntryPoint, Interface, Varying};
pub(crate) use link::check_interfaces;

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

/// What became of a program that was compiled together with others.
type LinkedStage = (Stage, Result<Shader, Diagnostics>);

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
}

impl CompileContext<'_> {
    /// Modules of all programs, or all reasons why there are none.
    pub(crate) fn build_modules(&self) -> Result<Vec<Module>, Vec<Refusal>> {
        let mut modules = Vec::new();
        let mut refusals = Vec::new();
        let mut generated = Vec::new();
        let mut linked = self.link_assembly();
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
                if let Some(header) = missing_language(&section.text) {
                    return Err(vec![Refusal::Skip(format!(
                        "the language of `{header}` is not supported yet"
                    ))]);
                }
                let same = linked.iter().position(|(stage, _)| *stage == section.stage);
                Ok(Some(match same {
                    Some(place) => self.finish_assembly(section, linked.swap_remove(place).1)?,
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
                    return Err(vec![Refusal::Fail(Failure {
                        line: Some(section.line),
                        message: "these words are no SPIR-V module".to_owned(),
                    })]);
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

    /// The stages of a pipeline that has nothing but programs, compiled together; else nothing.
    pub(super) fn link_assembly(&self) -> Vec<LinkedStage> {
        let sections = self.script.programs.iter();
        let mut sections: Vec<_> = sections
            .filter(|section| section.stage != Stage::Compute)
            .collect();
        let is_program = |section: &&ProgramSection| {
            section.form == ProgramForm::Assembly && missing_language(&section.text).is_none()
        };
        if sections.len() < 2 || !sections.iter().all(is_program) {
            return Vec::new();
        }
        sections.sort_by_key(|section| link::place(section.stage));
        let names: Vec<_> = sections
            .iter()
            .map(|section| self.source_name(section))
            .collect();
        let options: Vec<_> = sections
            .iter()
            .map(|section| self.options(section.stage))
            .collect();
        let sources: Vec<_> = names
            .iter()
            .zip(&sections)
            .map(|(name, section)| Source::new(name, &section.text).for_stage(section.stage))
            .collect();
        let stages: Vec<_> = sources.iter().zip(&options).collect();
        let stages = glasm::link(&stages).stages.into_iter();
        sections
            .iter()
            .map(|section| section.stage)
            .zip(stages)
            .collect()
    }

    /// The module of a program that was compiled together with others.
    fn finish_assembly(
        &self,
        section: &ProgramSection,
        compiled: Result<Shader, Diagnostics>,
    ) -> Result<Module, Refusal> {
        let name = self.source_name(section);
        let source = Source::new(&name, &section.text).for_stage(section.stage);
        self.finish(section, &source, compiled)
    }

    /// The module of a program.
    fn compile_assembly(&self, section: &ProgramSection) -> Result<Module, Refusal> {
        let name = self.source_name(section);
        let source = Source::new(&name, &section.text).for_stage(section.stage);
        let compiled = glasm::compile(&source, &self.options(section.stage));
        self.finish(section, &source, compiled)
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
        let job = Job {
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
                    Refusal::Fail(Failure {
                        line: Some(place.unwrap_or(first.line)),
                        message: message.text,
                    })
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
        })
    }

    fn source_name(&self, section: &ProgramSection) -> String {
        format!(
            "{} [{} program]",
            self.name,
            section.stage.name().replace('_', " ")
        )
    }

    fn compile_ir(&self, section: &ProgramSection) -> Result<Module, Refusal> {
        let text = String::from_utf8_lossy(&section.text);
        let program = glasm::ir::parse(&text).map_err(|error| {
            Refusal::Fail(Failure {
                line: Some(section.line + error.line as u32),
                message: error.message,
            })
        })?;
        let name = self.source_name(section);
        let source = Source::new(&name, &section.text);
        let compiled = glasm::Compiler::new().compile_ir(&program, &self.options(section.stage));
        self.finish(section, &source, compiled)
    }

    /// A module that the device can run, or why there is none.
    fn finish(
        &self,
        section: &ProgramSection,
        source: &Source<'_>,
        compiled: Result<Shader, Diagnostics>,
    ) -> Result<Module, Refusal> {
        let shader = match compiled {
            Ok(shader) => shader,
            Err(diagnostics) => {
                let is_error = |found: &&Diagnostic| found.severity != Severity::Warning;
                let mut errors = diagnostics.list.iter().filter(is_error).peekable();
                let first = errors.peek().map(|error| error.message.clone());
                return Err(match first {
                    Some(first) if errors.all(|error| error.code == Code::FeatureMissing) => {
                        Refusal::Skip(format!("the {} program: {first}", section.stage.name()))
                    }
                    _ => Refusal::Fail(Failure {
                        line: Some(section.line),
                        message: diagnostics.render(source),
                    }),
                });
            }
        };
        let features = shader.reflection.requirements.features.iter().copied();
        if let Some(feature) = self.capabilities.missing_feature(features) {
            let stage = section.stage.name();
            return Err(Refusal::Skip(format!(
                "the device lacks {feature}, which the {stage} program needs"
            )));
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
        // Not all languages have sizes of points, which the program does not write here.
        let shader = self.take_detour(section, shader)?;
        let words = match self.needs_point_size(section.stage, &shader.reflection) {
            true => point_size::add(&shader.words).unwrap_or(shader.words),
            false => shader.words,
        };
        Ok(Module {
            stage: section.stage,
            words,
            reflection: Some(shader.reflection),
            interface: None,
            template: None,
        })
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
        let has = |stage: &Stage| {
            let mut programs = self.script.programs.iter();
            programs.any(|program| program.stage == *stage)
        };
        [Stage::Geometry, Stage::TessEval]
            .into_iter()
            .find(has)
            .unwrap_or(Stage::Vertex)
    }

    /// Whether a program must be made to write the size of points.
    fn needs_point_size(&self, stage: Stage, reflection: &Reflection) -> bool {
        let writes_it = |output: &InterfaceVariable| output.semantic == Semantic::PointSize;
        stage == Stage::Vertex
            && self.last_stage() == stage
            && self.script.draws_points()
            && !reflection.outputs.iter().any(writes_it)
    }

    /// What clip space needs in a stage: GL's depth range is remapped once, at the end.
    fn conventions(&self, stage: Stage) -> glasm::Conventions {
        match self.script.requirements.convention {
            Convention::OpenGl if stage == self.last_stage() || stage == Stage::Fragment => {
                glasm::Conventions::opengl()
            }
            Convention::OpenGl | Convention::Vulkan => glasm::Conventions::vulkan(),
        }
    }

    /// GL state as far as a stage has to do with it.
    fn fixed_state(&self, stage: Stage) -> glasm::FixedState {
        let requirements = &self.script.requirements;
        let is_last = self.last_stage() == stage;
        let colors = requirements.attachments.colors.iter().enumerate();
        let drawn = colors.filter(|(_, color)| color.is_some());
        glasm::FixedState {
            clamp_vertex_colors: requirements.fixed.clamp_vertex_colors && is_last,
            point_size: self
                .state
                .point_size
                .or(requirements.fixed.point_size)
                .filter(|_| is_last),
            draw_buffers: drawn.fold(0, |bits, (number, _)| bits | 1 << number),
            point_origin: self.state.point_origin,
            ..requirements.fixed
        }
    }

    fn options(&self, stage: Stage) -> glasm::Options {
        let script = self.script;
        glasm::Options {
            target: self.target,
            device: self.device_features(),
            conventions: self.conventions(stage),
            interface: glasm::InterfaceTypes {
                attributes: script
                    .vertex_data
                    .as_ref()
                    .map(attribute_types)
                    .unwrap_or_default(),
                colors: color_types(&script.requirements.attachments),
                ..glasm::InterfaceTypes::default()
            },
            fixed: self.fixed_state(stage),
            handles: script.handle_limits(),
            bindings: self.capabilities.binding_layout(),
            depth_modes: self.state.depth_modes.clone(),
            texture_wraps: self.state.texture_wraps.clone(),
            lod_biases: self.state.lod_biases.clone(),
            image_formats: image_formats(script),
            transform_feedback: match self.last_stage() == stage {
                true => script.feedback.clone(),
                false => TransformFeedback::default(),
            },
            legacy_multiply: script.requirements.legacy_multiply,
            debug: self.debug_info(),
        }
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

/// Headers of the languages that programs may be written in.
const LANGUAGES: &[&str] = &[
    "!!FP1.0",
    "!!FP2.0",
    "!!NVgp4.0",
    "!!NVgp4.1",
    "!!NVgp5.0",
    "!!NVtcp5.0",
    "!!NVtep5.0",
    "!!VP1.0",
    "!!VP1.1",
    "!!VP2.0",
    "!!VP3.0",
    "!!VSP1.0",
];

/// The header of a program whose language the compiler does not have.
fn missing_language(text: &[u8]) -> Option<&'static str> {
    if glasm::Dialect::of(text).is_some() {
        return None;
    }
    let known = |header: &&&str| text.starts_with(header.as_bytes());
    LANGUAGES.iter().find(known).copied()
}

fn type_base(encoding: Encoding) -> TypeBase {
    match encoding {
        Encoding::Uint => TypeBase::Unsigned,
        Encoding::Sint => TypeBase::Signed,
        Encoding::Unorm
        | Encoding::Snorm
        | Encoding::Uscaled
        | Encoding::Sscaled
        | Encoding::Sfloat
        | Encoding::Srgb
        | Encoding::Ufloat
        | Encoding::SharedExponent => TypeBase::Float,
    }
}

/// Types by attachment; numbers without attachment are float.
fn color_types(attachments: &Attachments) -> Vec<TypeBase> {
    let base = |format: &Option<Format>| match format {
        Some(format) => type_base(format.encoding),
        None => TypeBase::Float,
    };
    attachments.colors.iter().map(base).collect()
}

/// Types by location; what lies between columns is float, as current values are.
fn attribute_types(data: &VertexData) -> Vec<TypeBase> {
    let count = data
        .columns
        .iter()
        .map(|column| column.location as usize + 1)
        .max()
        .unwrap_or(0);
    let mut types = vec![TypeBase::Float; count];
    for column in &data.columns {
        types[column.location as usize] = type_base(column.format.encoding);
    }
    types
}

/// The name of a target, as in `--target` of tools.
pub(crate) fn target_name(target: Target) -> &'static str {
    match target {
        Target::Vulkan1_1 => "vulkan1.1",
        Target::Vulkan1_2 => "vulkan1.2",
        Target::Vulkan1_3 => "vulkan1.3",
    }
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

    #[test]
    fn languages_that_are_missing_are_known_by_their_headers() {
        assert_eq!(missing_language(b"!!VP1.0\nEND"), Some("!!VP1.0"));
        assert_eq!(missing_language(b"!!NVvp5.0\nEND"), None);
        assert_eq!(missing_language(b"!!nothing\nEND"), None);
    }
}
