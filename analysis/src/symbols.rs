//! Names of a program: what declares them, where they are used, and renaming them.

use crate::outline::{Statement, StatementKind, Token, TokenClass, TokenRole};
use crate::program::{Program, ProgramContext};
use glasm::Severity;
use glasm::frontend::ast::DeclKind;
use glasm::ir::Span;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Bytes of a statement that are shown at most.
const MAX_DETAIL: usize = 120;

/// Bytes of a name at most.
const MAX_NAME: usize = 1024;

/// Kind of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    /// A temporary or address register.
    Temporary,
    /// An attribute.
    Attribute,
    /// A parameter.
    Parameter,
    /// A result.
    Result,
    /// A constant.
    Constant,
    /// A buffer, shared memory or counters.
    Buffer,
    /// A texture or image.
    Texture,
    /// A type of subroutines.
    SubroutineType,
    /// A label.
    Label,
    /// Anything else, such as an alias.
    Other,
}

/// A name that a program declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name; in TGSI the registers, such as `TEMP[0..3]`.
    pub name: String,
    /// Kind.
    pub kind: SymbolKind,
    /// The name in the source.
    pub name_span: Span,
    /// The statement that declares it.
    pub span: Span,
    /// The statement, in one line.
    pub detail: String,
}

/// Returns the symbols that a program declares, in source order.
pub fn list_symbols(program: &Program) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for statement in &program.outline.statements {
        let tokens = program.outline.statement_tokens(statement);
        for (index, token) in tokens.iter().enumerate() {
            if token.role != TokenRole::Definition {
                continue;
            }
            let end = find_name_end(program, tokens, index);
            // The numbers of instructions are labels, of which only subroutines are named.
            if program.ignores_case()
                && token.class == TokenClass::Label
                && !is_subroutine(program, tokens)
            {
                continue;
            }
            let name_span = Span::new(token.span.start, end);
            symbols.push(Symbol {
                name: collapse_blanks(&program.text[name_span.range()]),
                kind: find_kind(program, statement, token),
                name_span,
                span: program.outline.statement_span(statement),
                detail: describe_statement(program, statement),
            });
        }
    }
    symbols
}

/// Returns the end of a name: a register of TGSI includes its brackets.
fn find_name_end(program: &Program, tokens: &[Token], index: usize) -> u32 {
    let is_register = tokens[index].class == TokenClass::Register && program.ignores_case();
    let following = tokens[index + 1..].iter();
    let mut end = tokens[index].span.end;
    for token in following.take_while(|_| is_register) {
        let is_bracket = matches!(program.token_bytes(token), b"[" | b"]" | b".");
        if !is_bracket && token.class != TokenClass::Number {
            break;
        }
        // A write mask follows.
        if program.token_bytes(token) == b"." && program.text.get(end as usize - 1) == Some(&b']') {
            break;
        }
        end = token.span.end;
    }
    end
}

/// Returns true if the statement of TGSI begins a subroutine.
fn is_subroutine(program: &Program, tokens: &[Token]) -> bool {
    let opcode = tokens.iter().find(|it| it.class == TokenClass::Opcode);
    opcode.is_some_and(|token| program.token_bytes(token).eq_ignore_ascii_case(b"BGNSUB"))
}

/// Returns the kind of a name that a statement declares.
fn find_kind(program: &Program, statement: &Statement, token: &Token) -> SymbolKind {
    match (statement.kind, token.class) {
        (_, TokenClass::Label) => SymbolKind::Label,
        (StatementKind::Declaration(Some(kind)), _) => match kind {
            DeclKind::Temp | DeclKind::Address => SymbolKind::Temporary,
            DeclKind::Attrib => SymbolKind::Attribute,
            DeclKind::Param | DeclKind::Declare => SymbolKind::Parameter,
            DeclKind::Output => SymbolKind::Result,
            DeclKind::Define => SymbolKind::Constant,
            DeclKind::Buffer
            | DeclKind::Buffer4
            | DeclKind::Cbuffer
            | DeclKind::Shared
            | DeclKind::Storage
            | DeclKind::Counter
            | DeclKind::SharedMemory => SymbolKind::Buffer,
            DeclKind::Texture | DeclKind::Image => SymbolKind::Texture,
            DeclKind::SubroutineType => SymbolKind::SubroutineType,
            DeclKind::Alias
            | DeclKind::Subroutine
            | DeclKind::GroupSize
            | DeclKind::SecondaryViewLayerOffset
            | DeclKind::Program(_) => SymbolKind::Other,
        },
        _ => match program.token_text(token).to_ascii_uppercase().as_str() {
            "TEMP" | "ADDR" | "PRED" => SymbolKind::Temporary,
            "IN" | "SV" => SymbolKind::Attribute,
            "OUT" => SymbolKind::Result,
            "CONST" => SymbolKind::Parameter,
            "SAMP" | "SVIEW" | "IMAGE" => SymbolKind::Texture,
            "BUFFER" | "MEMORY" | "HWATOMIC" => SymbolKind::Buffer,
            _ => SymbolKind::Other,
        },
    }
}

/// Returns a statement in one line, cut after [`MAX_DETAIL`] bytes.
pub(crate) fn describe_statement(program: &Program, statement: &Statement) -> String {
    let span = program.outline.statement_span(statement);
    let bytes = &program.text[span.range()];
    let shown = &bytes[..bytes.len().min(MAX_DETAIL)];
    let mut text = collapse_blanks(shown);
    if shown.len() < bytes.len() {
        text.push('\u{2026}');
    }
    text
}

/// Returns text with each run of whitespace replaced by a space.
fn collapse_blanks(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// What a token names.
#[derive(Clone, PartialEq, Eq)]
enum Name<'p> {
    /// A variable, label or register of a language other than TGSI.
    Word(TokenClass, &'p [u8]),
    /// A register of TGSI: file and number.
    Register(Vec<u8>, u32),
    /// A label of TGSI.
    Number(u32),
}

/// Returns what the token `index` names; `None` if it is not a name.
fn find_name(program: &Program, index: usize) -> Option<Name<'_>> {
    let token = &program.outline.tokens[index];
    let text = program.token_bytes(token);
    if !program.ignores_case() {
        let is_name = matches!(
            token.class,
            TokenClass::Variable | TokenClass::Label | TokenClass::Register
        );
        return is_name.then_some(Name::Word(token.class, text));
    }
    if token.class == TokenClass::Label {
        return parse_number(text).map(Name::Number);
    }
    if token.class != TokenClass::Register {
        return None;
    }
    let numbers = find_register_numbers(program, index)?;
    Some(Name::Register(text.to_ascii_uppercase(), *numbers.start()))
}

/// Returns the value of decimal digits.
fn parse_number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Returns the numbers in the brackets after a register file of TGSI, the last ones of two; `None`
/// without brackets or if the number is dynamic.
fn find_register_numbers(program: &Program, index: usize) -> Option<RangeInclusive<u32>> {
    let tokens = &program.outline.tokens;
    let bytes = |at: usize| tokens.get(at).map_or(&[][..], |it| program.token_bytes(it));
    let mut at = index + 1;
    let mut found = None;
    while bytes(at) == b"[" {
        let first = parse_number(bytes(at + 1));
        if bytes(at + 1) == b"]" {
            at += 2;
        } else if bytes(at + 2) == b"." && bytes(at + 3) == b"." {
            found = Some(first?..=parse_number(bytes(at + 4))?);
            at += 6;
        } else if bytes(at + 2) == b"]" {
            found = Some(first?..=first?);
            at += 3;
        } else {
            return None;
        }
    }
    found
}

/// Returns true if the token `index` names `name`, or declares it in a range.
fn names(program: &Program, index: usize, name: &Name<'_>) -> bool {
    let token = &program.outline.tokens[index];
    let text = program.token_bytes(token);
    match name {
        Name::Word(class, word) => token.class == *class && text == *word,
        Name::Number(number) => {
            token.class == TokenClass::Label && parse_number(text) == Some(*number)
        }
        Name::Register(file, number) => {
            token.class == TokenClass::Register
                && text.eq_ignore_ascii_case(file)
                && find_register_numbers(program, index).is_some_and(|it| it.contains(number))
        }
    }
}

/// Returns all tokens that name the same as the token at a byte, in source order; empty if it is
/// not a name.
pub fn find_occurrences(program: &Program, offset: u32) -> Vec<Token> {
    let Some(name) = (program.outline.find_token(offset)).and_then(|it| find_name(program, it))
    else {
        return Vec::new();
    };
    let tokens = program.outline.tokens.iter().enumerate();
    let found = tokens.filter(|(index, _)| names(program, *index, &name));
    found.map(|(_, token)| *token).collect()
}

/// Returns the declaration of the name at a byte: the first of several. `None` if it is not a name,
/// or not declared in the program.
pub fn find_definition(program: &Program, offset: u32) -> Option<Token> {
    let occurrences = find_occurrences(program, offset);
    let declared = occurrences
        .iter()
        .find(|token| token.role == TokenRole::Definition);
    declared
        .copied()
        .or_else(|| find_immediate(program, offset))
}

/// Returns the keyword that declares an immediate of TGSI, which are numbered in source order.
fn find_immediate(program: &Program, offset: u32) -> Option<Token> {
    let index = program.outline.find_token(offset)?;
    let Some(Name::Register(file, number)) = find_name(program, index) else {
        return None;
    };
    let first_tokens = program.outline.statements.iter();
    let first_tokens = first_tokens.filter_map(|it| program.outline.statement_tokens(it).first());
    let mut immediates =
        first_tokens.filter(|token| program.token_bytes(token).eq_ignore_ascii_case(b"IMM"));
    let declared = immediates.nth(number as usize).copied();
    declared.filter(|_| file == b"IMM")
}

/// A renaming.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rename {
    /// The positions of the name in the source.
    pub spans: Vec<Span>,
}

/// Returns the positions of the name at a byte that a renaming to `new_name` changes.
///
/// # Errors
/// A message if the name is not one that the program declares, or if the program would be another
/// one: `new_name` is not a name, is in use, or denotes something else in the language.
pub fn rename(program: &Program, offset: u32, new_name: &str) -> Result<Rename, String> {
    let spans = find_renamable(program, offset)?;
    check_new_name(program, &spans, new_name)?;
    Ok(Rename { spans })
}

/// Returns the positions of the name at a byte if it can be renamed.
///
/// # Errors
/// A message if the name is not one that the program declares.
pub fn find_renamable(program: &Program, offset: u32) -> Result<Vec<Span>, String> {
    if program.ignores_case() {
        return Err("registers and labels of TGSI have numbers, not names".to_owned());
    }
    let occurrences = find_occurrences(program, offset);
    let is_declared = occurrences
        .iter()
        .any(|token| token.role == TokenRole::Definition);
    match occurrences.first() {
        None => Err("there is no name here".to_owned()),
        Some(token) if !is_declared => Err(format!(
            "`{}` is not declared in this program",
            program.token_text(token)
        )),
        Some(_) => Ok(occurrences.iter().map(|token| token.span).collect()),
    }
}

/// Checks that a program with a new name instead of an old one has the same tokens and no new
/// errors.
fn check_new_name(program: &Program, spans: &[Span], new_name: &str) -> Result<(), String> {
    let bytes = new_name.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let is_name = bytes.first().is_some_and(|first| !first.is_ascii_digit())
        && bytes.iter().all(is_word)
        && bytes.len() <= MAX_NAME;
    if !is_name {
        return Err(format!("`{new_name}` is not a name"));
    }
    let is_used = program.outline.tokens.iter().any(|token| {
        matches!(token.class, TokenClass::Variable | TokenClass::Label)
            && program.token_bytes(token) == bytes
    });
    let old_name = spans.first().map(|span| &program.text[span.range()]);
    if is_used && old_name != Some(bytes) {
        return Err(format!("the program uses `{new_name}` already"));
    }
    let text = replace_spans(&program.text[..program.span.end as usize], spans, bytes);
    let text: Arc<[u8]> = Arc::from(&text[program.span.start as usize..]);
    let context = ProgramContext {
        program_type: program.dialect().map(|it| it.program_type()),
        ..ProgramContext::default()
    };
    let renamed = Program::analyze_all(&text, &context);
    let count_errors = |program: &Program| {
        let list = program.diagnostics.list.iter();
        list.filter(|it| it.severity != Severity::Warning).count()
    };
    let classes = |program: &Program| -> Vec<TokenClass> {
        program.outline.tokens.iter().map(|it| it.class).collect()
    };
    let is_same = renamed.first().is_some_and(|renamed| {
        classes(renamed) == classes(program) && count_errors(renamed) <= count_errors(program)
    });
    if is_same {
        Ok(())
    } else {
        Err(format!(
            "`{new_name}` denotes something else in this language"
        ))
    }
}

/// Returns a source with all spans, which are in order, replaced by `new`.
fn replace_spans(text: &[u8], spans: &[Span], new: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(text.len() + spans.len() * new.len());
    let mut at = 0;
    for span in spans {
        replaced.extend_from_slice(&text[at..span.start as usize]);
        replaced.extend_from_slice(new);
        at = span.end as usize;
    }
    replaced.extend_from_slice(&text[at..]);
    replaced
}
