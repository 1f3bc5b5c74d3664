//! Formatting: indentation of blocks, one statement per line, and spaces around marks.
//!
//! Only whitespace between tokens changes. Line breaks within statements, single empty lines and
//! comments remain, and the result is compared with the source token by token: if anything but
//! whitespace differs, nothing is formatted.

use crate::folding::find_comments;
use crate::outline::{StatementKind, Token, TokenClass};
use crate::program::{Program, build_outline};
use glasm::Family;
use glasm::frontend::split_programs;
use glasm::frontend::vocabulary::BlockEdge;
use glasm::ir::Span;

/// Columns that blocks are indented by at most.
const MAX_INDENT: usize = 64;

/// Options of formatting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormatOptions {
    /// Spaces of a level of indentation.
    pub indent: usize,
    /// True if a level is a tab.
    pub uses_tabs: bool,
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self {
            indent: 2,
            uses_tabs: false,
        }
    }
}

/// Returns the formatted program, which replaces [`Program::span`]; `None` if it is formatted
/// already, or if its language is unknown.
pub fn format_program(program: &Program, options: &FormatOptions) -> Option<Vec<u8>> {
    let dialect = program.dialect()?;
    let source = &program.text[program.span.range()];
    let header_end = program.outline.tokens.first()?.span.end;
    let mut writer = Writer {
        text: &program.text,
        out: program.text[program.span.start as usize..header_end as usize].to_vec(),
        comments: find_comments(&program.text, &program.outline, program.span),
        next_comment: 0,
        line_end: find_line_end(source),
        options: *options,
        depth: 0,
        is_tgsi: dialect.family() == Family::Tgsi,
        at: header_end,
    };
    writer.skip_comments_before(header_end);
    for statement in program.outline.statements.iter().skip(1) {
        let tokens = program.outline.statement_tokens(statement);
        writer.write_statement(tokens, statement.kind);
        // Only in TGSI statements may follow.
        if statement.kind == StatementKind::End && !writer.is_tgsi {
            break;
        }
    }
    let rest = &program.text[writer.at as usize..program.span.end as usize];
    if rest.is_empty() {
        writer.out.extend_from_slice(writer.line_end);
    }
    writer.out.extend_from_slice(rest);
    let formatted = writer.out;
    (formatted != source && has_same_content(program, &formatted)).then_some(formatted)
}

/// Returns the line end that a source uses first.
fn find_line_end(source: &[u8]) -> &'static [u8] {
    let line_feed = source.iter().position(|byte| *byte == b'\n');
    match line_feed {
        Some(at) if at > 0 && source[at - 1] == b'\r' => b"\r\n",
        Some(_) | None => b"\n",
    }
}

/// Returns true if two programs differ in whitespace only: they have the same tokens and comments.
fn has_same_content(program: &Program, formatted: &[u8]) -> bool {
    let Some(part) = split_programs(formatted).next() else {
        return false;
    };
    let outline = build_outline(formatted, &part);
    let words = |text: &[u8], tokens: &[Token]| -> Vec<Vec<u8>> {
        let tokens = tokens.iter();
        tokens.map(|it| text[it.span.range()].to_vec()).collect()
    };
    let comments = |text: &[u8], spans: &[Span]| -> Vec<Vec<u8>> {
        let spans = spans.iter();
        spans
            .map(|it| text[it.range()].trim_ascii_end().to_vec())
            .collect()
    };
    let old_comments = find_comments(&program.text, &program.outline, program.span);
    let new_comments = find_comments(formatted, &outline, part.span);
    part.span.range().len() == formatted.len()
        && words(&program.text, &program.outline.tokens) == words(formatted, &outline.tokens)
        && comments(&program.text, &old_comments) == comments(formatted, &new_comments)
}

/// The formatted program under construction.
struct Writer<'t> {
    text: &'t [u8],
    out: Vec<u8>,
    comments: Vec<Span>,
    /// Index of the first comment that is not written yet.
    next_comment: usize,
    line_end: &'static [u8],
    options: FormatOptions,
    /// Open blocks.
    depth: usize,
    is_tgsi: bool,
    /// Everything before this byte is written.
    at: u32,
}

impl Writer<'_> {
    /// Skips the comments that are before a byte and were written verbatim.
    fn skip_comments_before(&mut self, offset: u32) {
        self.next_comment = self.comments.partition_point(|it| it.start < offset);
    }

    /// Writes a statement with the comments before it and in it.
    fn write_statement(&mut self, tokens: &[Token], kind: StatementKind) {
        let edge = match kind {
            StatementKind::Instruction(edge) => edge,
            StatementKind::Header
            | StatementKind::Declaration(_)
            | StatementKind::Option
            | StatementKind::Label
            | StatementKind::End
            | StatementKind::Other => None,
        };
        let Some(first) = tokens.first() else {
            return;
        };
        // Comments before the end of a block are in the block.
        self.write_comments_before(first.span.start, self.depth);
        if edge.is_some_and(|edge| edge != BlockEdge::Start) {
            self.depth = self.depth.saturating_sub(1);
        }
        self.begin_statement(first);
        let (mut previous, mut rest) = (first, &tokens[1..]);
        if self.is_tgsi
            && first.class == TokenClass::Label
            && let [colon, opcode, ..] = rest
        {
            self.write_token(colon);
            self.write_comments_before(opcode.span.start, self.depth);
            self.out.push(b' ');
            self.push_indent(self.depth);
            self.write_token(opcode);
            (previous, rest) = (opcode, &rest[2..]);
        }
        for token in rest {
            self.write_gap(previous, token, kind);
            self.write_token(token);
            previous = token;
        }
        if edge.is_some_and(|edge| edge != BlockEdge::End) {
            self.depth += 1;
        }
    }

    /// Begins the line of a statement and writes its first token. A statement remains in the line
    /// of its label, and in TGSI in that of the statement before it.
    fn begin_statement(&mut self, first: &Token) {
        let gap = self.gap_before(first.span.start);
        let lines = count_line_ends(gap);
        // After errors the front end of TGSI continues with the next line, so that line ends may
        // not be added.
        let continues_line = lines == 0 && (self.is_tgsi || self.out.last() == Some(&b':'));
        if continues_line {
            self.out.push(b' ');
            return self.write_token(first);
        }
        self.push_line_ends(lines.clamp(1, 2));
        if self.is_tgsi && first.class == TokenClass::Label {
            // The numbers of instructions are printed with three columns.
            let width = first.span.range().len();
            self.out
                .extend(std::iter::repeat_n(b' ', 3usize.saturating_sub(width)));
        } else {
            self.push_indent(self.depth);
        }
        self.write_token(first);
    }

    /// Returns the bytes between what is written and a byte.
    fn gap_before(&self, offset: u32) -> &[u8] {
        &self.text[self.at as usize..offset as usize]
    }

    /// Writes a token.
    fn write_token(&mut self, token: &Token) {
        self.out.extend_from_slice(&self.text[token.span.range()]);
        self.at = token.span.end;
    }

    /// Writes the comments before a byte: in the line that is open, or each at the start of a line,
    /// indented by `depth` blocks.
    fn write_comments_before(&mut self, offset: u32, depth: usize) {
        while let Some(comment) = self.comments.get(self.next_comment).copied() {
            if comment.start >= offset {
                return;
            }
            let gap = self.gap_before(comment.start);
            let lines = count_line_ends(gap);
            if lines == 0 {
                let blanks = gap.to_vec();
                let blanks = if blanks.is_empty() {
                    vec![b' ']
                } else {
                    blanks
                };
                self.out.extend(blanks);
            } else {
                self.push_line_ends(lines.min(2));
                self.push_indent(depth);
            }
            let text = self.text[comment.range()].trim_ascii_end();
            self.out.extend_from_slice(text);
            self.at = comment.end;
            self.next_comment += 1;
        }
    }

    /// Writes the whitespace and comments between two tokens of a statement.
    fn write_gap(&mut self, previous: &Token, token: &Token, kind: StatementKind) {
        let next = self.comments.get(self.next_comment);
        let has_comment = next.is_some_and(|comment| comment.start < token.span.start);
        self.write_comments_before(token.span.start, self.depth + 1);
        let gap = self.gap_before(token.span.start);
        if count_line_ends(gap) > 0 {
            self.push_line_ends(1);
            self.push_indent(self.depth + 1);
        } else if has_comment || self.needs_space(previous, token, kind) {
            self.out.push(b' ');
        }
    }

    /// Returns true if a space separates two tokens of a line. Tokens without a mark that decides
    /// it are separated if they were in the source, because points and signs depend on that.
    fn needs_space(&self, previous: &Token, token: &Token, kind: StatementKind) -> bool {
        let text = |token: &Token| &self.text[token.span.range()];
        let was_separated = previous.span.end < token.span.start;
        match (text(previous), text(token)) {
            (_, b"," | b";" | b"]" | b")") | (b"[" | b"(", _) => false,
            (_, b":") if kind == StatementKind::Label => false,
            (b"," | b"=", _) | (_, b"=") => true,
            _ => was_separated,
        }
    }

    /// Ends the line, and leaves `count - 1` lines empty. Whitespace at the end of the line was
    /// never written.
    fn push_line_ends(&mut self, count: usize) {
        for _ in 0..count {
            self.out.extend_from_slice(self.line_end);
        }
    }

    /// Writes the indentation of a line.
    fn push_indent(&mut self, depth: usize) {
        let (byte, count) = if self.options.uses_tabs {
            (b'\t', depth)
        } else {
            (b' ', depth.saturating_mul(self.options.indent))
        };
        self.out
            .extend(std::iter::repeat_n(byte, count.min(MAX_INDENT)));
    }
}

/// Returns the number of line ends in whitespace.
fn count_line_ends(gap: &[u8]) -> usize {
    let ends = gap.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => gap.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    ends.count()
}
