//! Parsing of a script from its source.
//!
//! Everything that does not depend on the device is decided during parsing: pipeline state, clear
//! values, and tolerances in force are stored with each command, buffer sizes are known at the end,
//! and every invalid line is reported.

use super::model::Requirements;
use super::model::Script;
use super::require::framebuffer;
use super::section::{
    AlternateProgram, ProgramForm, ProgramSection, Section, SectionKind, logical_lines,
    split_sections,
};
use super::source_map::SourceMap;
use super::test::{TestParser, parse_command, parser};
use super::tokenizer::{LineError, ScriptError, WordCursor};
use super::vertex_data::VertexData;
use super::{alternate_programs, require, stages};

impl Script {
    /// Parses a script that is to be run, and adds the stages that draws need.
    ///
    /// # Errors
    /// If lines cannot be parsed (all errors, in order), or if stages are missing or cannot be
    /// combined.
    pub fn parse_runnable(text: &[u8]) -> Result<Self, Vec<ScriptError>> {
        let mut script = Self::parse(text)?;
        script.complete_stages().map_err(|error| vec![error])?;
        Ok(script)
    }

    /// Adds the stages that draws need and the script omits to its programs.
    ///
    /// # Errors
    /// If stages are missing or cannot be combined.
    pub fn complete_stages(&mut self) -> Result<(), ScriptError> {
        stages::add_missing_stages(&mut self.programs, &self.steps, &self.requirements)
    }

    /// Parses a script.
    ///
    /// # Errors
    /// If it is not valid: all errors, sorted by line and column. Errors that concern the script as
    /// a whole are only found if all lines are valid.
    pub fn parse(text: &[u8]) -> Result<Self, Vec<ScriptError>> {
        let mut errors = Vec::new();
        let sections = split_sections(text, &mut errors);
        if sections.is_empty() && errors.is_empty() {
            let message = "the script is empty: it has no section";
            errors.push(ScriptError::new(1, 1, message));
        }
        // Parsing of commands depends on the framebuffer and the convention of the requirements.
        let mut requirements = Requirements::default();
        parse_sections(
            &sections,
            SectionKind::Require,
            &mut errors,
            |line, words| require::parse_requirement(&mut requirements, line, words),
        );
        if let Some(message) = framebuffer::size_error(&requirements) {
            errors.push(ScriptError::new(requirements.framebuffer_line, 1, message));
        }
        let mut indices = Vec::new();
        parse_sections(&sections, SectionKind::Indices, &mut errors, |_, words| {
            parse_indices(&mut indices, words)
        });
        let vertex_data = parse_vertex_data(&sections, &mut errors);
        // `load` names program sections, which may follow `[test]`.
        let alternates: Vec<AlternateProgram> = sections
            .iter()
            .filter_map(alternate_programs::parse_alternate_program)
            .collect();
        let mut test = TestParser::new(&requirements, &alternates);
        parse_sections(&sections, SectionKind::Test, &mut errors, |line, words| {
            parse_command(&mut test, line, words)
        });
        let test = parser::finish_test_section(test, &mut errors);
        requirements.unmet.extend(test.unmet);
        let mut programs = Vec::new();
        for section in &sections {
            programs.extend(parse_program_section(section, &mut errors));
        }
        let mut script = Self {
            text: text.into(),
            requirements,
            programs,
            alternates,
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
            script.check_alternates(&mut errors);
            script.resolve_stream_outputs(&mut errors);
        }
        if errors.is_empty() {
            return Ok(script);
        }
        // Sections are parsed in a different order than they appear.
        errors.sort_by_key(|error| (error.line, error.column));
        Err(errors)
    }
}

/// Returns the program of a section that contains a program of the pipeline; `None` for other
/// sections. Repeated lines are expanded and SPIR-V words converted to bytes, whose errors are
/// reported; programs are not parsed.
fn parse_program_section(
    section: &Section<'_>,
    errors: &mut Vec<ScriptError>,
) -> Option<ProgramSection> {
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
            source_map: SourceMap::from_section(section),
        }),
        SectionKind::RepeatedProgram(program_type) => {
            let (text, origin) = alternate_programs::expand_repeats(section, errors);
            Some(ProgramSection {
                program_type,
                stage: program_type.stage(),
                form: ProgramForm::Assembly,
                text,
                line: section.line,
                source_map: origin,
            })
        }
        SectionKind::AlternateProgram(_)
        | SectionKind::Comment
        | SectionKind::Require
        | SectionKind::VertexData
        | SectionKind::Indices
        | SectionKind::Test => None,
    }
}

/// Passes the words of every line, except for empty ones, of the sections of a kind to `parse`,
/// with the line number. Reports its errors and continues with the next line.
fn parse_sections(
    sections: &[Section<'_>],
    kind: SectionKind,
    errors: &mut Vec<ScriptError>,
    mut parse: impl FnMut(u32, &mut WordCursor<'_>) -> Result<(), LineError>,
) {
    for section in sections.iter().filter(|section| section.kind == kind) {
        for (line, text) in logical_lines(section, errors) {
            let result = WordCursor::split(&text).and_then(|mut words| {
                if words.is_empty() {
                    Ok(())
                } else {
                    parse(line, &mut words)
                }
            });
            errors.extend(
                result
                    .err()
                    .map(|error| ScriptError::from_line_error(line, error)),
            );
        }
    }
}

/// Returns the bytes of a module that is given as hexadecimal words without prefix. Reports invalid
/// words, and if there were no errors before, a module that is too short or does not begin with the
/// magic number.
fn parse_module_words(section: &Section<'_>, errors: &mut Vec<ScriptError>) -> Vec<u8> {
    let mut bytes = Vec::new();
    parse_sections(
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

/// Appends the vertex indices of a line of the `[indices]` section. Returns an error if a word is
/// not a number.
fn parse_indices(indices: &mut Vec<u32>, words: &mut WordCursor<'_>) -> Result<(), LineError> {
    while !words.is_empty() {
        indices.push(words.parse_u32("an index")?);
    }
    Ok(())
}

/// Parses the `[vertex data]` section: the header and a line for each vertex. Returns `None` if
/// there is none, or if its header is invalid, whose error alone is reported then.
fn parse_vertex_data(
    sections: &[Section<'_>],
    errors: &mut Vec<ScriptError>,
) -> Option<VertexData> {
    let mut data: Option<VertexData> = None;
    let mut header_is_bad = false;
    parse_sections(
        sections,
        SectionKind::VertexData,
        errors,
        |_, words| match &mut data {
            // Lines of values cannot be checked without the header.
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
