//! Words that may be written at a position, according to the language, its version and the options
//! of the program.

mod assembly;
mod tgsi;

use crate::folding::find_comments;
use crate::outline::{StatementKind, Token};
use crate::program::Program;
use crate::symbols::{Symbol, SymbolKind, list_symbols};
use glasm::frontend::lang::dialect_traits::describe_dialect;
use glasm::ir::Span;
use glasm::{Dialect, Family};

/// Kind of a completion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompletionKind {
    /// The header of a language.
    Header,
    /// An opcode.
    Opcode,
    /// A keyword.
    Keyword,
    /// A modifier.
    Modifier,
    /// An option.
    Option,
    /// A name that the program declares.
    Variable,
    /// A label.
    Label,
    /// A binding, or a word of one.
    Binding,
    /// A register of the language.
    Register,
    /// A texture target.
    Target,
    /// A condition test.
    Condition,
    /// Components.
    Swizzle,
    /// A semantic or property of TGSI, or a value of one.
    Semantic,
}

/// A word that may be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The word.
    pub label: String,
    /// Kind.
    pub kind: CompletionKind,
    /// Description in one line; may be empty.
    pub detail: String,
}

impl Completion {
    /// Creates a completion.
    fn new(kind: CompletionKind, label: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            kind,
            detail: detail.into(),
        }
    }
}

/// The words that may be written at a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CompletionList {
    /// The word before and after the position, which a completion replaces.
    pub replaced: Span,
    /// The words.
    pub list: Vec<Completion>,
}

/// Returns the words that may be written at a byte, where a part of one may be; none in comments.
pub fn complete(program: &Program, offset: u32) -> CompletionList {
    let offset = offset.min(program.text.len() as u32);
    let replaced = find_replaced(&program.text, offset);
    let empty = CompletionList {
        replaced,
        list: Vec::new(),
    };
    let Some(dialect) = program.dialect() else {
        let header = find_replaced_header(&program.text, offset);
        return CompletionList {
            replaced: header,
            list: list_headers(),
        };
    };
    let header = program.outline.tokens.first().map(|it| it.span);
    if header.is_some_and(|header| offset <= header.end) {
        let replaced = header.unwrap_or_default();
        return CompletionList {
            replaced,
            list: list_headers(),
        };
    }
    if is_in_comment(program, offset) {
        return empty;
    }
    let place = Place::find(program, dialect, replaced.start);
    let list = if dialect.family() == Family::Tgsi {
        place.complete_tgsi()
    } else {
        place.complete_assembly()
    };
    CompletionList { replaced, list }
}

/// Returns the bytes of the word around a byte.
fn find_replaced(text: &[u8], offset: u32) -> Span {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let (before, after) = text.split_at(offset as usize);
    let length = before.iter().rev().take_while(|it| is_word(it)).count();
    let rest = after.iter().take_while(|it| is_word(it)).count();
    Span::new(offset - length as u32, offset + rest as u32)
}

/// Returns the bytes around a byte that are neither whitespace nor a quotation mark.
fn find_replaced_header(text: &[u8], offset: u32) -> Span {
    let is_part = |byte: &u8| byte.is_ascii_graphic() && *byte != b'"';
    let (before, after) = text.split_at(offset as usize);
    let length = before.iter().rev().take_while(|it| is_part(it)).count();
    let rest = after.iter().take_while(|it| is_part(it)).count();
    Span::new(offset - length as u32, offset + rest as u32)
}

/// Returns the headers of all languages.
fn list_headers() -> Vec<Completion> {
    let all = Dialect::ALL.iter();
    all.map(|dialect| {
        Completion::new(
            CompletionKind::Header,
            dialect.header(),
            describe_dialect(*dialect),
        )
    })
    .collect()
}

/// Returns true if a byte is in a comment.
fn is_in_comment(program: &Program, offset: u32) -> bool {
    let comments = find_comments(&program.text, &program.outline, program.span);
    comments
        .iter()
        .any(|comment| comment.start < offset && offset <= comment.end)
}

/// Returns the components of a vector.
fn list_components() -> Vec<Completion> {
    let letters = ["x", "y", "z", "w"];
    letters
        .map(|it| Completion::new(CompletionKind::Swizzle, it, ""))
        .into()
}

/// A position in a statement.
struct Place<'p> {
    program: &'p Program,
    dialect: Dialect,
    /// Tokens of the open statement before the word.
    before: &'p [Token],
    /// Index of the first of them in all tokens.
    first: usize,
}

impl<'p> Place<'p> {
    /// Finds the open statement before a byte.
    fn find(program: &'p Program, dialect: Dialect, offset: u32) -> Self {
        let outline = &program.outline;
        let end = outline
            .tokens
            .partition_point(|token| token.span.end <= offset && token.span.start < offset);
        let statement = end.checked_sub(1).and_then(|it| outline.find_statement(it));
        let first = statement.map_or(end, |index| {
            let statement = &outline.statements[index];
            let last = outline.tokens[statement.tokens.clone()].last();
            let is_closed = last.is_some_and(|last| {
                let mark = program.token_bytes(last);
                last.span.end <= offset
                    && (mark == b";"
                        || matches!(
                            statement.kind,
                            StatementKind::Header | StatementKind::Label | StatementKind::End
                        ))
            });
            // TGSI has no end mark: a statement ends with its line.
            let is_line_over = dialect.family() == Family::Tgsi
                && last.is_some_and(|last| {
                    let gap = last.span.end.min(offset) as usize..offset as usize;
                    program.text[gap].contains(&b'\n')
                });
            if is_closed || is_line_over {
                end
            } else {
                statement.tokens.start
            }
        });
        Self {
            program,
            dialect,
            before: &outline.tokens[first..end],
            first,
        }
    }

    /// Returns the bytes of the token `back` tokens before the word; empty if the statement has
    /// none.
    fn text_before(&self, back: usize) -> &'p [u8] {
        let index = self.before.len().checked_sub(back);
        let token = index.and_then(|index| self.before.get(index));
        token.map_or(&[][..], |token| self.program.token_bytes(token))
    }

    /// Returns the declared names that `is_wanted` accepts.
    fn list_names(&self, is_wanted: impl Fn(&Symbol) -> bool) -> Vec<Completion> {
        let symbols = list_symbols(self.program).into_iter();
        let wanted = symbols.filter(|symbol| is_wanted(symbol));
        wanted
            .map(|symbol| {
                let kind = if symbol.kind == SymbolKind::Label {
                    CompletionKind::Label
                } else {
                    CompletionKind::Variable
                };
                Completion::new(kind, symbol.name, symbol.detail)
            })
            .collect()
    }
}
