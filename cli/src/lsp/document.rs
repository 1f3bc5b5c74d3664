//! A document of an editor: its text, the programs in it, and the positions of their bytes.
//!
//! A document is a file of programs, a script, or any other text that contains programs in string
//! literals, such as a source in C.

use super::position_map::PositionMap;
use glasm::Code;
use glasm_analysis::{
    ColumnUnit, LineColumn, LineIndex, MAX_SOURCE_BYTES, Program, ProgramContext,
};
use glasm_extract::{Form, Scanner};
use glasm_scripts::script::{Script, ScriptError, find_assembly_programs, is_script};
use lsp_types::{Position, Range};
use std::sync::Arc;

/// Programs of a document at most: each of them is compiled when the document changes.
const MAX_PROGRAMS: usize = 200;

/// A program of a document.
pub(super) struct DocumentProgram {
    /// The program.
    pub(super) program: Program,
    /// Positions of its bytes in the document.
    pub(super) map: PositionMap,
}

/// A document.
pub(super) struct Document {
    /// The text.
    pub(super) text: String,
    /// Version that the editor counts.
    pub(super) version: i32,
    lines: LineIndex,
    unit: ColumnUnit,
    /// The programs, in the order of the document.
    pub(super) programs: Vec<DocumentProgram>,
    /// Errors of a script in its sections that are not programs.
    pub(super) script_errors: Vec<ScriptError>,
    /// Codes of errors that a script expects.
    pub(super) expected_codes: Vec<Code>,
    /// True if the document is a file of programs or a script.
    pub(super) is_language: bool,
    /// True if the document is too large.
    pub(super) is_too_large: bool,
}

impl Document {
    /// Analyzes a document; columns are counted in `unit`. `scanner` finds programs in literals,
    /// and `is_language` is true if the editor treats it as a program or script.
    pub(super) fn new(
        text: String,
        version: i32,
        unit: ColumnUnit,
        scanner: &Scanner,
        is_language: bool,
    ) -> Self {
        let mut document = Self {
            lines: LineIndex::new(&text),
            is_too_large: text.len() > MAX_SOURCE_BYTES,
            text,
            version,
            unit,
            programs: Vec::new(),
            script_errors: Vec::new(),
            expected_codes: Vec::new(),
            is_language,
        };
        if document.is_too_large {
            return document;
        }
        let bytes: Arc<[u8]> = Arc::from(document.text.as_bytes());
        if is_script(&bytes) {
            document.read_script(&bytes);
        } else if is_language || begins_with_header(&bytes) {
            document.read_programs(&bytes);
        } else {
            document.scan_literals(scanner);
        }
        document.programs.truncate(MAX_PROGRAMS);
        document
    }

    /// Analyzes the programs of a script.
    fn read_script(&mut self, text: &Arc<[u8]>) {
        self.is_language = true;
        let mut context = ProgramContext::default();
        match Script::parse(text) {
            Ok(script) => {
                context.acceptance = script.requirements.acceptance;
                context.tgsi = script.requirements.tgsi;
                let expected = script.expected_errors().into_iter();
                self.expected_codes = expected.map(|(_, error)| error.code).collect();
            }
            Err(errors) => self.script_errors = errors,
        }
        let sections = find_assembly_programs(text).into_iter();
        for (program_type, range) in sections.take(MAX_PROGRAMS) {
            let context = ProgramContext {
                program_type: Some(program_type),
                ..context
            };
            if let Some(program) = Program::analyze_range(text, range, &context) {
                self.programs.push(DocumentProgram {
                    program,
                    map: PositionMap::identity(),
                });
            }
        }
    }

    /// Analyzes the programs of a file of programs.
    fn read_programs(&mut self, text: &Arc<[u8]>) {
        self.is_language = true;
        let programs = Program::analyze_all(text, &ProgramContext::default());
        let programs = programs.into_iter().map(|program| DocumentProgram {
            program,
            map: PositionMap::identity(),
        });
        self.programs.extend(programs);
    }

    /// Analyzes the programs in string literals.
    fn scan_literals(&mut self, scanner: &Scanner) {
        let found = scanner.scan(self.text.as_bytes());
        let literals = found.programs.into_iter().filter(|found| {
            // Text without quotation marks may be a comment that quotes a program.
            matches!(found.decoding.form, Form::Literal | Form::Text)
                && !found.source_runs.is_empty()
        });
        for found in literals.take(MAX_PROGRAMS) {
            let text: Arc<[u8]> = Arc::from(found.text);
            let length = text.len();
            let program = Program::analyze_range(&text, 0..length, &ProgramContext::default());
            if let Some(program) = program {
                let end = (found.offset + found.length) as u32;
                self.programs.push(DocumentProgram {
                    program,
                    map: PositionMap::from_runs(&found.source_runs, length, end),
                });
            }
        }
    }

    /// Returns the program that contains a byte of the document, with the byte of the program.
    pub(super) fn find_program(&self, offset: u32) -> Option<(&DocumentProgram, u32)> {
        let programs = self.programs.iter();
        let mut found = programs.filter_map(|it| {
            let span = it.map.to_document(it.program.span)?;
            let is_inside = span.start <= offset && offset <= span.end;
            is_inside.then(|| Some((it, it.map.to_program(offset)?)))?
        });
        // Where two programs meet, the position belongs to the second one.
        let first = found.next()?;
        Some(found.next().unwrap_or(first))
    }

    /// Returns the byte of a position.
    pub(super) fn get_offset(&self, position: Position) -> u32 {
        let position = LineColumn {
            line: position.line,
            column: position.character,
        };
        self.lines.offset(position, self.unit)
    }

    /// Returns the position of a byte.
    pub(super) fn get_position(&self, offset: u32) -> Position {
        let position = self.lines.position(offset, self.unit);
        Position::new(position.line, position.column)
    }

    /// Returns the positions of the bytes of a span.
    pub(super) fn get_range(&self, span: glasm::ir::Span) -> Range {
        Range::new(self.get_position(span.start), self.get_position(span.end))
    }

    /// Returns the positions of a span of a program; `None` if no byte of it is in the document.
    pub(super) fn find_program_range(
        &self,
        program: &DocumentProgram,
        span: glasm::ir::Span,
    ) -> Option<Range> {
        Some(self.get_range(program.map.to_document(span)?))
    }

    /// Returns the positions of a span of a program that an edit can replace: its bytes are those
    /// of the document.
    pub(super) fn find_editable_range(
        &self,
        program: &DocumentProgram,
        span: glasm::ir::Span,
    ) -> Option<Range> {
        let range = program.map.to_document(span)?;
        let in_document = self.text.as_bytes().get(range.range())?;
        let in_program = program.program.text.get(span.range())?;
        (in_document == in_program).then(|| self.get_range(range))
    }
}

/// Returns true if a text begins with the header of a program, after comments and whitespace.
fn begins_with_header(text: &[u8]) -> bool {
    let Some(part) = glasm::split_programs(text).next() else {
        return false;
    };
    let before = &text[..part.header as usize];
    let mut lines = before.split(|byte| *byte == b'\n');
    let is_blank = |line: &[u8]| {
        let line = line.trim_ascii();
        line.is_empty() || line.starts_with(b"#") || line == b"\xEF\xBB\xBF"
    };
    part.dialect.is_some() && lines.all(is_blank)
}
