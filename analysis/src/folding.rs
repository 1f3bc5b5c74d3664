//! Parts of a program that an editor can hide: blocks of control flow and runs of comments.

use crate::outline::{Outline, StatementKind};
use crate::program::Program;
use glasm::frontend::vocabulary::BlockEdge;
use glasm::ir::Span;

/// Kind of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoldKind {
    /// A block of control flow.
    Block,
    /// Comments in consecutive lines.
    Comment,
}

/// A part that can be hidden, from its first byte to its last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoldRange {
    /// Its bytes, those of the instruction that ends a block excluded.
    pub span: Span,
    /// Kind.
    pub kind: FoldKind,
}

/// Returns the parts of a program that can be hidden, in the order of their ends.
pub fn list_folds(program: &Program) -> Vec<FoldRange> {
    let outline = &program.outline;
    let mut folds = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    let mut last_end = 0;
    for statement in &outline.statements {
        let span = outline.statement_span(statement);
        if let StatementKind::Instruction(Some(edge)) = statement.kind {
            if edge != BlockEdge::Start
                && let Some(start) = open.pop()
            {
                folds.push(FoldRange {
                    span: Span::new(start, last_end),
                    kind: FoldKind::Block,
                });
            }
            if edge != BlockEdge::End {
                open.push(span.start);
            }
        }
        last_end = span.end;
    }
    folds.extend(list_comment_runs(program));
    folds
}

/// Returns the comments of a program in source order, without the line ends after them.
pub fn list_comments(program: &Program) -> Vec<Span> {
    find_comments(&program.text, &program.outline, program.span)
}

/// Returns the runs of comments in consecutive lines that have nothing else.
fn list_comment_runs(program: &Program) -> Vec<FoldRange> {
    let mut runs: Vec<(Span, usize)> = Vec::new();
    let comments = find_comments(&program.text, &program.outline, program.span);
    for span in comments {
        let before = &program.text[..span.start as usize];
        let line_start = before.iter().rposition(|byte| *byte == b'\n');
        let line_start = line_start.map_or(0, |at| at + 1);
        if !before[line_start..].trim_ascii().is_empty() {
            continue;
        }
        match runs.last_mut() {
            Some((run, lines)) if is_next_line(&program.text, *run, span) => {
                run.end = span.end;
                *lines += 1;
            }
            Some(_) | None => runs.push((span, 1)),
        }
    }
    let long = runs.into_iter();
    let long =
        long.filter(|(span, lines)| *lines > 1 || program.text[span.range()].contains(&b'\n'));
    long.map(|(span, _)| FoldRange {
        span,
        kind: FoldKind::Comment,
    })
    .collect()
}

/// Returns true if a comment is in the line after another one, with whitespace between them.
fn is_next_line(text: &[u8], before: Span, after: Span) -> bool {
    let gap = &text[before.end as usize..after.start as usize];
    let line_ends = gap.iter().filter(|byte| **byte == b'\n').count();
    gap.trim_ascii().is_empty() && line_ends == 1
}

/// Returns the comments of a program in source order, without the line ends after them: everything
/// between its tokens that is not whitespace.
pub(crate) fn find_comments(text: &[u8], outline: &Outline, program: Span) -> Vec<Span> {
    let mut comments = Vec::new();
    let mut at = program.start;
    let end = std::iter::once(program.end);
    let gaps = outline.tokens.iter().map(|token| token.span.start);
    let ends = outline.tokens.iter().map(|token| token.span.end);
    for (gap_end, next) in gaps.chain(end).zip(ends.chain([program.end])) {
        push_comments(text, Span::new(at, gap_end.max(at)), &mut comments);
        at = next.max(at);
    }
    comments
}

/// Appends the comments in a gap between tokens.
fn push_comments(text: &[u8], gap: Span, comments: &mut Vec<Span>) {
    let mut at = gap.start as usize;
    let end = gap.end as usize;
    while at < end {
        let rest = &text[at..end];
        let length = if rest.starts_with(b"/*") {
            let close = rest[2..].windows(2).position(|pair| pair == b"*/");
            close.map_or(rest.len(), |close| close + 4)
        } else if rest[0] == b'#' || rest.starts_with(b"//") {
            let close = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            close.unwrap_or(rest.len())
        } else {
            at += 1;
            continue;
        };
        comments.push(Span::new(at as u32, (at + length) as u32));
        at += length;
    }
}
