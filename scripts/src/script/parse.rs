//! Parsing of a script from its source.
//!
//! Everything that does not depend on the device is decided during parsing: pipeline state, clear
//! values, and tolerances in force are stored with each command, buffer sizes are known at the end,
//! and every invalid line is reported.

use super::model::Script;
use super::origin::Origin;
use super::require::framebuffer;
use super::requirements::Requirements;
use super::section::{
    ProgramForm, ProgramSection, Section, SectionKind, Spare, logical_lines, split_sections,
};
use super::test::{TestParser, finish, parse_line};
use super::vertex_data::VertexData;
use super::words::{LineError, ScriptError, Words};
use super::{require, spare, stages};

impl Script {
    /// Reads a script that is to be run: all bad lines are reported, in order, and stages that
    /// draws need are added.
    ///
    /// # Errors
    /// If lines cannot be parsed, or if stages are missing or cannot be combined.
    pub fn read(text: &[u8]) -> Result<Self, Vec<ScriptError>> {
        let mut script = Self::parse(text)?;
        script.complete_stages().map_err(|error| vec![error])?;
        Ok(script)
    }

    /// Adds the stages that draws need and the script omits.
    ///
    /// # Errors
    /// If stages are missing or cannot be combined.
    pub fn complete_stages(&mut self) -> Result<(), ScriptError> {
        stages::complete(&mut self.programs, &self.steps, &self.requirements)
    }

    /// Reads a script; all bad lines are reported, in order.
    pub fn parse(text: &[u8]) -> Result<Self, Vec<ScriptError>> {
        let mut errors = Vec::new();
        let sections = split_sections(text, &mut errors);
        if sections.is_empty() && errors.is_empty() {
            errors.push(ScriptError {
                line: 1,
                column: 1,
                message: "the script is empty: it has no section".to_owned(),
            });
        }
        // Parsing of commands depends on the framebuffer and the convention of the requirements.
        let mut requirements = Requirements::default();
        for_sections(
            &sections,
            SectionKind::Require,
            &mut errors,
            |line, words| require::parse_requirement(&mut requirements, line, words),
        );
        if let Some(message) = framebuffer::excess(&requirements) {
            errors.push(ScriptError::new(requirements.framebuffer_line, 1, message));
        }
        let mut indices = Vec::new();
        for_sections(&sections, SectionKind::Indices, &mut errors, |_, words| {
            parse_indices(&mut indices, words)
        });
        let vertex_data = parse_vertex_data(&sections, &mut errors);
        // `load` names program sections, which may follow `[test]`.
        let spares: Vec<Spare> = sections.iter().filter_map(spare::read_spare).collect();
        let mut test = TestParser::new(&requirements, &spares);
        for_sections(&sections, SectionKind::Test, &mut errors, |line, words| {
            parse_line(&mut test, line, words)
        });
        let test = finish(test, &mut errors);
        requirements.unmet.extend(test.unmet);
        let mut programs = Vec::new();
        for section in &sections {
            programs.extend(program_section(section, &mut errors));
        }
        let mut script = Self {
            text: text.into(),
            requirements,
            programs,
            spares,
            vertex_data,
            indices,
            buffers: test.buffers,
            push_size: test.push_size,
            entry_names: test.entry_names,
            param_names: test.param_names,
            feedback: test.feedback,
            steps: test.steps,
        };
        if errors.is_empty() {
            // A line that could not be read may be the one that loads a program or captures a
            // result.
            script.check_spares(&mut errors);
            script.resolve_streams(&mut errors);
        }
        if errors.is_empty() {
            return Ok(script);
        }
        // Sections are parsed in a different order than they appear.
        errors.sort_by_key(|error| (error.line, error.column));
        Err(errors)
    }
}

fn program_section(section: &Section<'_>, errors: &mut Vec<ScriptError>) -> Option<ProgramSection> {
    match section.kind {
        SectionKind::Program(program_type, form) => Some(ProgramSection {
            program_type,
            stage: program_type.stage(),
            form,
            text: match form {
                ProgramForm::SpirvWords => parse_module_words(section, errors),
                ProgramForm::Assembly
                | ProgramForm::Ir
                | ProgramForm::Glsl
                | ProgramForm::SpirvText
                | ProgramForm::PassThrough
                | ProgramForm::FixedFunction => section.body.to_vec(),
            },
            line: section.line,
            origin: Origin::of(section),
        }),
        SectionKind::RepeatedProgram(program_type) => {
            let (text, origin) = spare::expand(section, errors);
            Some(ProgramSection {
                program_type,
                stage: program_type.stage(),
                form: ProgramForm::Assembly,
                text,
                line: section.line,
                origin,
            })
        }
        SectionKind::SpareProgram(_)
        | SectionKind::Comment
        | SectionKind::Require
        | SectionKind::VertexData
        | SectionKind::Indices
        | SectionKind::Test => None,
    }
}

/// Passes every line of the sections of a kind to `parse`.
fn for_sections(
    sections: &[Section<'_>],
    kind: SectionKind,
    errors: &mut Vec<ScriptError>,
    mut parse: impl FnMut(u32, &mut Words<'_>) -> Result<(), LineError>,
) {
    for section in sections.iter().filter(|section| section.kind == kind) {
        for (line, text) in logical_lines(section, errors) {
            let result = Words::split(&text).and_then(|mut words| {
                if words.is_empty() {
                    Ok(())
                } else {
                    parse(line, &mut words)
                }
            });
            errors.extend(result.err().map(|error| ScriptError::at(line, error)));
        }
    }
}

/// Parses the bytes of a module that is given as hexadecimal words without prefix.
fn parse_module_words(section: &Section<'_>, errors: &mut Vec<ScriptError>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for_sections(
        std::slice::from_ref(section),
        section.kind,
        errors,
        |_, words| {
            while !words.is_empty() {
                let word = words.parse_with("a hexadecimal word", |word| {
                    let digits = word.bytes().all(|byte| byte.is_ascii_hexdigit());
                    u32::from_str_radix(word, 16).ok().filter(|_| digits)
                })?;
                bytes.extend(word.to_le_bytes());
            }
            Ok(())
        },
    );
    // If a word could not be parsed, the bytes differ from those in the script.
    let magic = bytes.get(..4) == Some(&0x0723_0203u32.to_le_bytes());
    let complete = errors.is_empty();
    if complete && (!magic || bytes.len() < 20) {
        errors.push(ScriptError::new(
            section.line,
            1,
            "this is no SPIR-V module",
        ));
    }
    bytes
}

fn parse_indices(indices: &mut Vec<u32>, words: &mut Words<'_>) -> Result<(), LineError> {
    while !words.is_empty() {
        indices.push(words.unsigned32("an index")?);
    }
    Ok(())
}

fn parse_vertex_data(
    sections: &[Section<'_>],
    errors: &mut Vec<ScriptError>,
) -> Option<VertexData> {
    let mut data: Option<VertexData> = None;
    let mut header_is_bad = false;
    for_sections(
        sections,
        SectionKind::VertexData,
        errors,
        |_, words| match &mut data {
            // Rows of values cannot be checked without the header.
            None if header_is_bad => Ok(()),
            None => {
                header_is_bad = true;
                data = Some(VertexData::parse_header(words)?);
                Ok(())
            }
            Some(data) => data.parse_row(words),
        },
    );
    data
}
