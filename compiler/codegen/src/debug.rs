//! Debug information: names of values, lines of instructions.

use crate::builder::{ModuleWriter, ValueBuilder};
use crate::words::ValueWord;
use glasm_ir::Span;
use spirv::Op;

/// Program string, for line numbers.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'a> {
    /// Name, usually a path.
    pub name: &'a str,
    /// Bytes of the program string that spans refer to.
    pub text: &'a [u8],
}

/// Line numbers of byte positions.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    /// First byte of each line.
    starts: Vec<u32>,
    file: ValueWord,
    last: (u32, u32),
}

impl<'a> Lines<'a> {
    /// Locates the lines of `source` and declares its name.
    pub(crate) fn new(source: SourceText<'a>, w: &mut ModuleWriter) -> Self {
        let mut starts = vec![0];
        for (position, &byte) in source.text.iter().enumerate() {
            if byte == b'\n' {
                starts.push(position as u32 + 1);
            }
        }
        let file = w.object();
        w.strings.op_string(Op::String, &[file.0], source.name, &[]);
        Self {
            text: source.text,
            starts,
            file,
            last: (0, 0),
        }
    }

    /// Emits the line of `span` unless it is the current line.
    pub(crate) fn write(&mut self, span: Span, w: &mut ValueBuilder) {
        if span.start as usize >= self.text.len() {
            return;
        }
        // The first line starts at 0, so at least one exists.
        let line = self.starts.partition_point(|&start| start <= span.start) as u32;
        let column = span.start - self.starts[line as usize - 1] + 1;
        if self.last != (line, column) {
            self.last = (line, column);
            w.body.op(Op::Line, &[self.file.0, line, column]);
        }
    }
}
