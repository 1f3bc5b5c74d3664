//! Edits that fix what a diagnostic reports, and other locations that it is about.

use crate::outline::{StatementKind, TokenClass, TokenRole};
use crate::program::Program;
use glasm::frontend::lang::options::find_any_option;
use glasm::frontend::vocabulary::parse_spelling_hint;
use glasm::ir::Span;
use glasm::{Code, Diagnostic, Dialect, Family, Location};

/// Replacement of bytes of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextEdit {
    /// The replaced bytes.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// An edit that fixes what a diagnostic reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// Description in one line.
    pub title: String,
    /// The edit.
    pub edit: TextEdit,
}

impl Fix {
    /// Creates a fix.
    fn new(title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            edit: TextEdit {
                span,
                text: text.into(),
            },
        }
    }
}

/// Returns the edits that fix what a diagnostic of a program reports, the most likely first; empty
/// if there is none.
pub fn find_fixes(program: &Program, diagnostic: &Diagnostic) -> Vec<Fix> {
    let mut fixes = Vec::new();
    let span = match diagnostic.location {
        Location::Span(span) => span,
        Location::WholeProgram => Span::new(program.span.end, program.span.end),
    };
    let hints = diagnostic.notes.iter();
    for hint in hints.filter_map(|note| parse_spelling_hint(note)) {
        fixes.extend(fix_spelling(program, diagnostic, span, hint));
    }
    fixes.extend(fix_by_code(program, diagnostic, span));
    fixes
}

/// Returns the fix that the code of a diagnostic implies.
fn fix_by_code(program: &Program, diagnostic: &Diagnostic, span: Span) -> Option<Fix> {
    let message = diagnostic.message.as_str();
    if diagnostic.code == Code::MissingEnd {
        return Some(fix_missing_end(program));
    }
    if diagnostic.code == Code::FeatureOption {
        return fix_missing_option(program, message);
    }
    if diagnostic.code == Code::FeatureNewer {
        return fix_old_version(program, message);
    }
    if diagnostic.code == Code::UndeclaredName {
        return fix_undeclared(program, span);
    }
    if message.starts_with("expected `;`") {
        return fix_missing_mark(program, span, ";");
    }
    if message.starts_with("expected `,`") {
        return fix_missing_mark(program, span, ",");
    }
    None
}

/// Returns the fix that replaces a misspelled word: the one that the message quotes, or all of the
/// span.
fn fix_spelling(program: &Program, diagnostic: &Diagnostic, span: Span, hint: &str) -> Option<Fix> {
    let text = program.text.get(span.range())?;
    let quoted = list_quoted(&diagnostic.message);
    let wrong = quoted.iter().find_map(|word| {
        let at = find_word(text, word.as_bytes())?;
        Some((at, word.len()))
    });
    let (at, length) = wrong.unwrap_or((0, text.len()));
    // The message names the word without its suffixes, or the span is more than a word.
    if text[at..at + length].iter().any(u8::is_ascii_whitespace) {
        return None;
    }
    let start = span.start + at as u32;
    let span = Span::new(start, start + length as u32);
    Some(Fix::new(format!("Replace with `{hint}`"), span, hint))
}

/// Returns the words that a message has in backquotes.
fn list_quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

/// Returns the position of a word in text, where it is not a part of a longer word.
fn find_word(text: &[u8], word: &[u8]) -> Option<usize> {
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let mut windows = text.windows(word.len().max(1)).enumerate();
    let found = windows.find(|(at, window)| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        *window == word && !is_word(before) && !is_word(text.get(at + word.len()))
    });
    found.map(|(at, _)| at)
}

/// Returns the fix that ends a program.
fn fix_missing_end(program: &Program) -> Fix {
    let tokens = program.outline.tokens.last();
    let last = tokens.map_or(program.span.start, |token| token.span.end);
    // After the comment that may follow the last token.
    let rest = &program.text[last as usize..program.span.end as usize];
    let at = last + rest.trim_ascii_end().len() as u32;
    let line_start = Span::new(at, at);
    Fix::new("Add `END`", line_start, "\nEND")
}

/// Returns the fix that adds the option that a message names.
fn fix_missing_option(program: &Program, message: &str) -> Option<Fix> {
    let (_, name) = message.rsplit_once("OPTION ")?;
    let name = name.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    let option = find_any_option(name.into_iter().next()?.as_bytes())?;
    if !option.is_known_in(program.dialect()?) {
        return None;
    }
    let at = find_end_of_options(program)?;
    let text = format!("\nOPTION {};", option.name);
    Some(Fix::new(
        format!("Add `OPTION {}`", option.name),
        Span::new(at, at),
        text,
    ))
}

/// Returns the byte after the last option, or after the header.
fn find_end_of_options(program: &Program) -> Option<u32> {
    let outline = &program.outline;
    let mut leading = outline.statements.iter().take_while(|statement| {
        matches!(
            statement.kind,
            StatementKind::Header | StatementKind::Option
        )
    });
    let mut last = leading.next()?;
    for statement in leading {
        last = statement;
    }
    Some(outline.statement_span(last).end)
}

/// Returns the fix that replaces the header by that of the version that a message names.
fn fix_old_version(program: &Program, message: &str) -> Option<Fix> {
    let (_, version) = message.rsplit_once("language version ")?;
    let dialect = program.dialect()?;
    let same_type = |other: &&Dialect| {
        other.family() == dialect.family()
            && other.program_type() == dialect.program_type()
            && other.version().name() == version
    };
    let newer = Dialect::ALL.iter().find(same_type)?;
    let header = program.outline.tokens.first()?.span;
    let title = format!("Change the header to `{}`", newer.header());
    Some(Fix::new(title, header, newer.header()))
}

/// Returns the fix that declares a temporary variable.
fn fix_undeclared(program: &Program, span: Span) -> Option<Fix> {
    let family = program.dialect()?.family();
    if !matches!(family, Family::Typed | Family::Arb) {
        return None;
    }
    let name = std::str::from_utf8(program.text.get(span.range())?).ok()?;
    let index = program.outline.find_token(span.start)?;
    if program.outline.tokens[index].class != TokenClass::Variable {
        return None;
    }
    let at = find_end_of_declarations(program)?;
    let title = format!("Declare `{name}` as a temporary variable");
    let text = format!("\nTEMP {name};");
    Some(Fix::new(title, Span::new(at, at), text))
}

/// Returns the byte after the last of the declarations and options before the first instruction.
fn find_end_of_declarations(program: &Program) -> Option<u32> {
    let outline = &program.outline;
    let mut statements = outline.statements.iter();
    let is_instruction = |kind| matches!(kind, StatementKind::Instruction(_));
    let first = statements
        .position(|it| is_instruction(it.kind) || it.kind == StatementKind::Label)
        .unwrap_or(outline.statements.len());
    let before = &outline.statements[..first];
    let last = before.iter().rfind(|it| {
        matches!(
            it.kind,
            StatementKind::Header | StatementKind::Option | StatementKind::Declaration(_)
        )
    })?;
    Some(outline.statement_span(last).end)
}

/// Returns the fix that adds a mark after the token before the one that was found instead.
fn fix_missing_mark(program: &Program, span: Span, mark: &str) -> Option<Fix> {
    let tokens = &program.outline.tokens;
    let after = tokens.partition_point(|token| token.span.end <= span.start);
    let end = tokens.get(after.checked_sub(1)?)?.span.end;
    Some(Fix::new(format!("Add `{mark}`"), Span::new(end, end), mark))
}

/// Returns other locations that a diagnostic is about, with what is there: the declarations of the
/// names that its message quotes, and the start of the block that it ends.
pub fn find_related(program: &Program, diagnostic: &Diagnostic) -> Vec<(Span, String)> {
    let own = match diagnostic.location {
        Location::Span(span) => span,
        Location::WholeProgram => Span::default(),
    };
    let mut related = Vec::new();
    for word in list_quoted(&diagnostic.message) {
        let mut tokens = program.outline.tokens.iter();
        let declared = tokens.find(|token| {
            token.role == TokenRole::Definition
                && matches!(token.class, TokenClass::Variable | TokenClass::Label)
                && program.token_bytes(token) == word.as_bytes()
        });
        let Some(declared) = declared else {
            continue;
        };
        let is_own = own.start <= declared.span.start && declared.span.end <= own.end;
        if !is_own && !related.iter().any(|(span, _)| *span == declared.span) {
            related.push((declared.span, format!("`{word}` is declared here")));
        }
    }
    related
}
