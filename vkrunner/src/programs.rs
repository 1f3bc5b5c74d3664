//! From the program sections of a script to SPIR-V modules, and the check of expected errors.

use crate::format::Encoding;
use crate::outcome::Failure;
use crate::passthrough;
use crate::requirements::Capabilities;
use crate::script::{
    Command, Convention, ExpectedError, ExpectedPlace, ProgramForm, ProgramSection, Script,
    VertexData,
};
use crate::tools::{Job, TextLanguage, ToolError, Tools};
use glasm::ir::{Stage, TypeBase};
use glasm::{
    Code, Diagnostic, Diagnostics, Location, Reflection, Severity, Shader, Source, Target,
};

/// A module, ready for the device.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) stage: Stage,
    pub(crate) words: Vec<u32>,
    /// `None` for modules that the compiler did not make.
    pub(crate) reflection: Option<Reflection>,
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
    pub(crate) capabilities: &'a Capabilities,
    pub(crate) target: Target,
    pub(crate) tools: &'a Tools,
}

impl CompileContext<'_> {
    /// Modules of all programs, or all reasons why there are none.
    pub(crate) fn build_modules(&self) -> Result<Vec<Module>, Vec<Refusal>> {
        let mut modules = Vec::new();
        let mut refusals = Vec::new();
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
            match self.build_module(section, &sections) {
                Ok(module) => modules.push(module),
                Err(refusal) => refusals.extend(refusal),
            }
        }
        if refusals.is_empty() {
            Ok(modules)
        } else {
            Err(refusals)
        }
    }

    /// The module of a stage: of its first section, and all that are linked together.
    fn build_module(
        &self,
        section: &ProgramSection,
        sections: &[&ProgramSection],
    ) -> Result<Module, Vec<Refusal>> {
        let stage = section.stage;
        match section.form {
            ProgramForm::Assembly => {
                let name = self.source_name(section);
                let source = Source::new(&name, &section.text);
                let compiled = glasm::compile(&source, &self.options());
                Ok(self.finish(section, &source, compiled)?)
            }
            ProgramForm::Ir => Ok(self.compile_ir(section)?),
            ProgramForm::SpirvText => self.translate(TextLanguage::SpirvAssembly, sections),
            ProgramForm::Glsl => self.translate(TextLanguage::Glsl, sections),
            ProgramForm::PassThrough => {
                let words = passthrough::module(self.script.requirements.convention);
                Ok(Module {
                    stage,
                    words,
                    reflection: Some(passthrough::reflection()),
                })
            }
        }
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
        Ok(Module {
            stage: first.stage,
            words,
            reflection: None,
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
        let compiled = glasm::Compiler::new().compile_ir(&program, &self.options());
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
        Ok(Module {
            stage: section.stage,
            words: shader.words,
            reflection: Some(shader.reflection),
        })
    }

    fn options(&self) -> glasm::Options {
        let script = self.script;
        glasm::Options {
            target: self.target,
            device: self.capabilities.device_features(),
            conventions: match script.requirements.convention {
                Convention::Vulkan => glasm::Conventions::vulkan(),
                Convention::OpenGl => glasm::Conventions::opengl(),
            },
            interface: glasm::InterfaceTypes {
                attributes: script
                    .vertex_data
                    .as_ref()
                    .map(attribute_types)
                    .unwrap_or_default(),
                colors: vec![type_base(script.requirements.color_format.encoding)],
            },
            ..glasm::Options::default()
        }
    }

    /// Compares the errors of the programs with the expected ones, where a script expects any.
    pub(crate) fn check_expected_errors(&self) -> Option<Vec<Failure>> {
        let mut expected: Vec<(u32, &ExpectedError)> = Vec::new();
        for step in &self.script.steps {
            if let Command::ExpectError(error) = &step.command {
                expected.push((step.line, error));
            }
        }
        if expected.is_empty() {
            return None;
        }
        let mut failures = Vec::new();
        for section in self
            .script
            .programs
            .iter()
            .filter(|section| section.form == ProgramForm::Assembly)
        {
            let name = self.source_name(section);
            let source = Source::new(&name, &section.text);
            let Err(diagnostics) = glasm::compile(&source, &self.options()) else {
                continue;
            };
            for diagnostic in diagnostics
                .list
                .iter()
                .filter(|found| found.severity != Severity::Warning)
            {
                let claim = expected
                    .iter()
                    .position(|(_, error)| matches(error, diagnostic, section));
                match claim {
                    Some(index) => {
                        expected.remove(index);
                    }
                    None => failures.push(Failure {
                        line: Some(section.line),
                        message: format!("unexpected error {}", describe(diagnostic, section)),
                    }),
                }
            }
        }
        failures.extend(expected.iter().map(|(line, error)| Failure {
            line: Some(*line),
            message: format!(
                "no program gives error {}{}",
                error.code.id(),
                describe_place(error.place)
            ),
        }));
        failures.sort_by_key(|failure| failure.line);
        Some(failures)
    }
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
        | Encoding::Srgb => TypeBase::Float,
    }
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

/// Line and column of a byte of a program, from 1.
fn position(text: &[u8], offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line_start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    (
        line,
        String::from_utf8_lossy(&before[line_start..])
            .chars()
            .count()
            + 1,
    )
}

fn matches(expected: &ExpectedError, found: &Diagnostic, section: &ProgramSection) -> bool {
    let place = match (expected.place, found.location) {
        (None, _) | (Some(ExpectedPlace::WholeProgram), Location::WholeProgram) => true,
        (Some(_), Location::WholeProgram)
        | (Some(ExpectedPlace::WholeProgram), Location::Span(_)) => false,
        (Some(ExpectedPlace::Start(start)), Location::Span(span)) => span.start == start,
        (Some(ExpectedPlace::Bytes { start, end }), Location::Span(span)) => {
            (span.start, span.end) == (start, end)
        }
        (Some(ExpectedPlace::Position { line, column }), Location::Span(span)) => {
            position(&section.text, span.start as usize) == (line, column)
        }
    };
    place && expected.code == found.code
}

fn describe(found: &Diagnostic, section: &ProgramSection) -> String {
    let place = match found.location {
        Location::WholeProgram => "at end".to_owned(),
        Location::Span(span) => {
            let (line, column) = position(&section.text, span.start as usize);
            format!("at {}..{} (line {line} col {column})", span.start, span.end)
        }
    };
    format!(
        "{} {place} of the {} program: {}",
        found.code.id(),
        section.stage.name(),
        found.message
    )
}

fn describe_place(place: Option<ExpectedPlace>) -> String {
    match place {
        None => String::new(),
        Some(ExpectedPlace::Start(start)) => format!(" at {start}"),
        Some(ExpectedPlace::Bytes { start, end }) => format!(" at {start}..{end}"),
        Some(ExpectedPlace::Position { line, column }) => format!(" at line {line} col {column}"),
        Some(ExpectedPlace::WholeProgram) => " at end".to_owned(),
    }
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
    use glasm::ir::Span;

    #[test]
    fn positions_count_from_one() {
        assert_eq!(position(b"ab\ncd", 0), (1, 1));
        assert_eq!(position(b"ab\ncd", 4), (2, 2));
        assert_eq!(position(b"ab\n", 99), (2, 1));
    }

    #[test]
    fn expected_errors_match_code_and_place() {
        let section = ProgramSection {
            stage: Stage::Vertex,
            form: ProgramForm::Assembly,
            text: b"!!NVvp5.0\nMOV x;\n".to_vec(),
            line: 1,
        };
        let code = Code::from_id("E0102").unwrap();
        let other = Code::from_id("E0101").unwrap();
        let found = Diagnostic::error(code, Span::new(14, 15), "wrong");
        let expect = |code, place| matches(&ExpectedError { code, place }, &found, &section);
        assert!(expect(code, None));
        assert!(!expect(other, None));
        assert!(expect(code, Some(ExpectedPlace::Start(14))));
        assert!(expect(
            code,
            Some(ExpectedPlace::Bytes { start: 14, end: 15 })
        ));
        assert!(!expect(
            code,
            Some(ExpectedPlace::Bytes { start: 14, end: 16 })
        ));
        assert!(expect(
            code,
            Some(ExpectedPlace::Position { line: 2, column: 5 })
        ));
        assert!(!expect(code, Some(ExpectedPlace::WholeProgram)));
    }
}
