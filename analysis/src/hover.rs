//! Explanation of the word at a position: the text of `glasm explain`, or the declaration of a
//! name.

use crate::explain::{Category, Entry, find_program_entries};
use crate::outline::{StatementKind, Token, TokenClass, TokenRole};
use crate::program::Program;
use crate::symbols::{describe_statement, find_definition, find_occurrences};
use glasm::ir::Span;

/// Explanation of a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// The word in the source; all words of a binding.
    pub span: Span,
    /// The explanation, in lines of text.
    pub text: String,
}

/// Returns the explanation of the word at a byte; `None` if there is nothing to explain.
pub fn hover(program: &Program, offset: u32) -> Option<Hover> {
    let index = program.outline.find_token(offset)?;
    let token = program.outline.tokens[index];
    match token.class {
        TokenClass::Header => explain_token(program, token, Category::Language),
        TokenClass::Opcode => explain_token(program, token, Category::Opcode),
        TokenClass::Option => explain_token(program, token, Category::Option),
        TokenClass::Target => explain_token(program, token, Category::Target),
        TokenClass::Keyword => explain_token(program, token, Category::Declaration),
        TokenClass::Semantic => explain_token(program, token, Category::Semantic)
            .or_else(|| explain_token(program, token, Category::Property)),
        TokenClass::Binding => explain_binding(program, index),
        // The modifiers that an opcode takes are in its explanation.
        TokenClass::Modifier => explain_opcode(program, index),
        TokenClass::Variable | TokenClass::Label => describe_name(program, token),
        TokenClass::Register => {
            describe_name(program, token).or_else(|| explain_token(program, token, Category::File))
        }
        TokenClass::Condition
        | TokenClass::Swizzle
        | TokenClass::Number
        | TokenClass::Punctuation
        | TokenClass::Other => None,
    }
}

/// Returns the explanation of a token as a name of a group, in the language of the program.
fn explain_token(program: &Program, token: Token, category: Category) -> Option<Hover> {
    let dialect = program.dialect()?;
    let name = program.token_text(&token);
    let entries = find_program_entries(category, name, dialect);
    format_entries(&entries, token.span)
}

/// Formats entries as a hover; `None` if there are none.
fn format_entries(entries: &[Entry], span: Span) -> Option<Hover> {
    let texts: Vec<String> = entries.iter().map(Entry::format_text).collect();
    (!texts.is_empty()).then(|| Hover {
        span,
        text: texts.join("\n"),
    })
}

/// Returns the explanation of the opcode of the instruction with the token `index`.
fn explain_opcode(program: &Program, index: usize) -> Option<Hover> {
    let statement = &program.outline.statements[program.outline.find_statement(index)?];
    let first = program.outline.statement_tokens(statement).first()?;
    let is_opcode = first.class == TokenClass::Opcode;
    let found = is_opcode.then(|| explain_token(program, *first, Category::Opcode));
    let span = program.outline.tokens[index].span;
    found.flatten().map(|found| Hover { span, ..found })
}

/// Returns the explanation of the binding with the token `index`; its longest part that has one.
fn explain_binding(program: &Program, index: usize) -> Option<Hover> {
    let dialect = program.dialect()?;
    let (first, mut last) = find_path(program, index);
    while last >= first {
        let tokens = &program.outline.tokens;
        let span = Span::new(tokens[first].span.start, tokens[last].span.end);
        let path = String::from_utf8_lossy(&program.text[span.range()]).into_owned();
        for category in [Category::Binding, Category::State] {
            let entries = find_program_entries(category, &path, dialect);
            if let Some(found) = format_entries(&entries, span) {
                return Some(found);
            }
        }
        last = last.checked_sub(1)?;
    }
    None
}

/// Returns the first and the last token of the binding path with the token `index`, which is a word
/// of it: words, points and brackets of one statement.
pub(crate) fn find_path(program: &Program, index: usize) -> (usize, usize) {
    let tokens = &program.outline.tokens;
    let text = |at: usize| program.token_bytes(&tokens[at]);
    let mut first = index;
    while first >= 2 && text(first - 1) == b"." {
        let mut before = first - 2;
        if text(before) == b"]" {
            while before > 0 && text(before) != b"[" {
                before -= 1;
            }
            before = before.saturating_sub(1);
        }
        if tokens[before].class != TokenClass::Binding {
            break;
        }
        first = before;
    }
    let mut last = first;
    let mut at = first + 1;
    while at < tokens.len() {
        let is_word = tokens[at].class == TokenClass::Binding && text(at - 1) == b".";
        let is_end = text(at) == b"]";
        let in_brackets = text(at) == b"[" || tokens[at].class == TokenClass::Number;
        if is_word || is_end {
            last = at;
        } else if !in_brackets && text(at) != b"." && text(at) != b".." {
            break;
        }
        at += 1;
    }
    (first, last)
}

/// Returns the declaration of a name, and how often the program uses it; `None` if the program does
/// not declare it.
fn describe_name(program: &Program, token: Token) -> Option<Hover> {
    let offset = token.span.start;
    let declared = find_definition(program, offset)?;
    let index = program.outline.find_token(declared.span.start)?;
    let statement = &program.outline.statements[program.outline.find_statement(index)?];
    let occurrences = find_occurrences(program, offset);
    let count = |role: TokenRole| occurrences.iter().filter(|it| it.role == role).count();
    let (reads, writes) = (count(TokenRole::Use), count(TokenRole::Write));
    let uses = if statement.kind == StatementKind::Label || token.class == TokenClass::Label {
        format!("named {reads} times")
    } else {
        format!("written {writes} times, read {reads} times")
    };
    Some(Hover {
        span: token.span,
        text: format!("{}\n\n{uses}\n", describe_statement(program, statement)),
    })
}
