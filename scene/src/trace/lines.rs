//! Positions of a program in the source that users know.

use glasm::frontend::diag::LineMap;
use glasm::ir::Span;
use glasm_scripts::script::{ProgramSection, Script};
use glasm_scripts::software::StageProgram;

/// Lines of the source of a program.
#[derive(Debug)]
pub struct SourceLines<'s> {
    script: &'s Script,
    section: &'s ProgramSection,
    /// Lines before the program in its file; `None` if the program is in a script.
    lines_before: Option<usize>,
    lines: LineMap<'s>,
    is_generated: bool,
}

impl<'s> SourceLines<'s> {
    /// Returns the lines of a program of a script. `file` is the source that contains the program
    /// if the script was generated around it.
    pub fn new(script: &'s Script, file: Option<&[u8]>, program: &'s StageProgram) -> Self {
        let section = &program.section;
        let position = file.and_then(|file| {
            let text = section.text.trim_ascii_end();
            let mut windows = file.windows(text.len().max(1));
            windows.position(|window| window == text).map(|start| {
                let before = file[..start].iter();
                before.filter(|byte| **byte == b'\n').count()
            })
        });
        Self {
            script,
            section,
            lines_before: position,
            lines: LineMap::new(&section.text),
            is_generated: program.is_generated(),
        }
    }

    /// Returns the line of the file, or the script, for a span of the program; of generated programs
    /// the line of the program.
    pub fn find_line(&self, span: Span) -> usize {
        let own = self.lines.position_at(span.start as usize).line;
        if let Some(before) = self.lines_before {
            return before + own;
        }
        if self.is_generated {
            return own;
        }
        let position = self.script.position(self.section, span.start as usize);
        position.map_or(own, |position| position.line)
    }

    /// Returns the text of a span in one line, from the start of the statement on its first line.
    pub fn find_text(&self, span: Span) -> String {
        let text = &self.section.text;
        let before = text.get(..span.start as usize).unwrap_or_default();
        let begins_statement = |byte: &u8| matches!(byte, b'\n' | b';' | b':');
        let start = before.iter().rposition(begins_statement);
        let range = start.map_or(0, |start| start + 1)..span.end as usize;
        let text = text.get(range).unwrap_or_default();
        let text = String::from_utf8_lossy(text);
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ")
    }
}
