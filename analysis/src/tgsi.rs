//! Outline of TGSI programs: statements begin with a number, a declaration's keyword or an opcode,
//! and have no end mark.

use crate::outline::{Outline, StatementKind, Token, TokenClass, TokenRole};
use glasm::Dialect;
use glasm::frontend::tgsi::lex::{self, TokenKind};
use glasm::frontend::tgsi::reference::{self, OpcodeEntry};
use glasm::frontend::vocabulary::BlockEdge;
use glasm::ir::Span;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Words that begin declarations and immediates.
const KEYWORDS: [&str; 3] = ["DCL", "IMM", "PROPERTY"];

/// Returns the outline of a program, whose header is at `header`; `text` ends with the program.
pub(crate) fn build_outline(text: &[u8], dialect: Dialect, header: Span) -> Outline {
    let tokens = merge_words(&lex::lex(text, header.end as usize));
    let mut outline = Outline::from_header(dialect, header);
    let mut statement: Vec<Token> = Vec::new();
    let mut kind = StatementKind::Other;
    let mut number = false;
    let mut writes = false;
    for (index, token) in tokens.iter().enumerate() {
        let after = tokens.get(index + 1).map(|next| next.kind);
        let before = statement.last().map(|_| tokens[index - 1]);
        let is_number = token.kind == TokenKind::Int && after == Some(TokenKind::Colon);
        let start = find_start(text, token, before);
        // A number begins a statement unless it is the label of a branch.
        let begins_with_number =
            is_number && before.is_none_or(|before| before.kind != TokenKind::Colon);
        if begins_with_number || start.is_some() && !number {
            if !statement.is_empty() {
                outline.push(kind, std::mem::take(&mut statement));
            }
            kind = StatementKind::Other;
        }
        number = begins_with_number || number && token.kind != TokenKind::Word;
        if begins_with_number {
            let mut label = Token::new(token.span, TokenClass::Label);
            label.role = TokenRole::Definition;
            statement.push(label);
            continue;
        }
        if let Some(start) = start.filter(|_| kind == StatementKind::Other) {
            kind = start;
            writes = has_result(&text[token.span.range()]);
            statement.push(Token::new(token.span, first_class(kind)));
            continue;
        }
        let place = Place {
            statement: &statement,
            kind,
            before: before.map(|before| before.kind),
            writes,
        };
        statement.push(classify(text, token, &place));
    }
    if !statement.is_empty() {
        outline.push(kind, statement);
    }
    outline
}

/// A token, or an integer with the word that follows it directly: `2D`.
#[derive(Clone, Copy)]
struct MergedToken {
    kind: TokenKind,
    span: Span,
}

/// Joins integers with the words that follow them directly, and removes the end of the program.
fn merge_words(tokens: &[lex::Token]) -> Vec<MergedToken> {
    let mut merged: Vec<MergedToken> = Vec::with_capacity(tokens.len());
    for token in tokens.iter().filter(|it| it.kind() != TokenKind::End) {
        match merged.last_mut() {
            Some(last)
                if last.kind == TokenKind::Int
                    && token.kind() == TokenKind::Word
                    && last.span.end == token.start() =>
            {
                last.kind = TokenKind::Word;
                last.span.end = token.end();
            }
            Some(_) | None => merged.push(MergedToken {
                kind: token.kind(),
                span: token.span(),
            }),
        }
    }
    merged
}

/// Returns the kind of the statement that a token begins, after the token `before` of the open
/// statement; `None` if it continues that statement.
fn find_start(
    text: &[u8],
    token: &MergedToken,
    before: Option<MergedToken>,
) -> Option<StatementKind> {
    if token.kind != TokenKind::Word {
        return None;
    }
    let may_begin = before.is_none_or(|before| {
        let is_word = before.kind == TokenKind::Word;
        let is_property = is_word && text[before.span.range()].eq_ignore_ascii_case(b"PROPERTY");
        !is_property
            && !matches!(
                before.kind,
                TokenKind::Comma
                    | TokenKind::Dot
                    | TokenKind::OpenBracket
                    | TokenKind::OpenParen
                    | TokenKind::OpenBrace
                    | TokenKind::Plus
                    | TokenKind::Minus
                    | TokenKind::Bar
                    | TokenKind::Bang
            )
    });
    let word = std::str::from_utf8(&text[token.span.range()]).ok()?;
    if !may_begin {
        return None;
    }
    if KEYWORDS
        .iter()
        .any(|keyword| keyword.eq_ignore_ascii_case(word))
    {
        return Some(StatementKind::Declaration(None));
    }
    if word.eq_ignore_ascii_case("END") {
        return Some(StatementKind::End);
    }
    find_opcode(word).map(|opcode| StatementKind::Instruction(opcode.edge))
}

/// Returns the opcode of a word, which may have suffixes.
fn find_opcode(word: &str) -> Option<OpcodeTraits> {
    match vocabulary().get(word.to_ascii_uppercase().as_str()) {
        Some(WordClass::Opcode(opcode)) => Some(*opcode),
        Some(WordClass::Class(_)) => None,
        // Suffixes begin with an underscore.
        None if !word.contains('_') => None,
        None => reference::find_opcode(word).map(|entry| OpcodeTraits::from_entry(&entry)),
    }
}

/// Returns the class of the first word of a statement.
fn first_class(kind: StatementKind) -> TokenClass {
    match kind {
        StatementKind::Instruction(_) => TokenClass::Opcode,
        StatementKind::Header
        | StatementKind::Declaration(_)
        | StatementKind::Option
        | StatementKind::Label
        | StatementKind::End
        | StatementKind::Other => TokenClass::Keyword,
    }
}

/// What the classification needs to know about an opcode.
#[derive(Clone, Copy)]
struct OpcodeTraits {
    edge: Option<BlockEdge>,
    has_result: bool,
}

impl OpcodeTraits {
    /// Returns the traits of an entry of the table.
    fn from_entry(entry: &OpcodeEntry) -> Self {
        Self {
            edge: entry.edge,
            has_result: entry.syntax.contains(" result"),
        }
    }
}

/// Class of a word of the tables.
#[derive(Clone, Copy)]
enum WordClass {
    Opcode(OpcodeTraits),
    Class(TokenClass),
}

/// Returns the words of all tables, in upper case, with their classes. No opcode has the name of
/// another word.
fn vocabulary() -> &'static HashMap<&'static str, WordClass> {
    static WORDS: OnceLock<HashMap<&'static str, WordClass>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let opcodes = reference::opcodes();
        let opcodes = opcodes.map(|it| (it.name, WordClass::Opcode(OpcodeTraits::from_entry(&it))));
        let targets = reference::texture_targets().map(|it| (it.name, TokenClass::Target));
        let properties = reference::properties().map(|it| (it.name, TokenClass::Semantic));
        let semantics = reference::semantics().map(|it| (it.name, TokenClass::Semantic));
        let files = reference::register_files().map(|it| (it.name, TokenClass::Register));
        let others = targets.chain(properties).chain(semantics).chain(files);
        let others = others.map(|(name, class)| (name, WordClass::Class(class)));
        others.chain(opcodes).collect()
    })
}

/// Position of a token in its statement.
struct Place<'a> {
    /// Tokens before it.
    statement: &'a [Token],
    kind: StatementKind,
    before: Option<TokenKind>,
    /// True if the opcode has a result.
    writes: bool,
}

/// Returns true if a word is an opcode that has a result.
fn has_result(word: &[u8]) -> bool {
    let word = std::str::from_utf8(word).unwrap_or_default();
    find_opcode(word).is_some_and(|opcode| opcode.has_result)
}

/// Returns a token that does not begin a statement with its class.
fn classify(text: &[u8], token: &MergedToken, place: &Place<'_>) -> Token {
    let class = match token.kind {
        TokenKind::Int if is_label(place) => TokenClass::Label,
        TokenKind::Int => TokenClass::Number,
        TokenKind::Word => classify_word(&text[token.span.range()], place),
        TokenKind::Other | TokenKind::End => TokenClass::Other,
        TokenKind::Dot
        | TokenKind::Comma
        | TokenKind::Colon
        | TokenKind::OpenBracket
        | TokenKind::CloseBracket
        | TokenKind::OpenParen
        | TokenKind::CloseParen
        | TokenKind::OpenBrace
        | TokenKind::CloseBrace
        | TokenKind::Plus
        | TokenKind::Minus
        | TokenKind::Bar
        | TokenKind::Bang => TokenClass::Punctuation,
    };
    let mut classified = Token::new(token.span, class);
    if class == TokenClass::Register {
        classified.role = find_role(place);
    }
    classified
}

/// Returns true if an integer is the label of a branch or a call: it follows a colon.
fn is_label(place: &Place<'_>) -> bool {
    place.before == Some(TokenKind::Colon) && place.statement.len() > 2
}

/// Returns the role of a register: declarations define the first one, instructions with a result
/// write it.
fn find_role(place: &Place<'_>) -> TokenRole {
    let is_first = !(place.statement.iter()).any(|it| it.class == TokenClass::Register);
    match place.kind {
        StatementKind::Declaration(_) if is_first => TokenRole::Definition,
        StatementKind::Instruction(_) if is_first && place.writes => TokenRole::Write,
        StatementKind::Declaration(_)
        | StatementKind::Instruction(_)
        | StatementKind::Header
        | StatementKind::Option
        | StatementKind::Label
        | StatementKind::End
        | StatementKind::Other => TokenRole::Use,
    }
}

/// Returns the class of a word that does not begin a statement.
fn classify_word(word: &[u8], place: &Place<'_>) -> TokenClass {
    // `2D` is a target, `5e3` is a part of a number.
    let begins_with_digit = word.first().is_some_and(u8::is_ascii_digit);
    if place.before == Some(TokenKind::Dot) && !begins_with_digit {
        return TokenClass::Swizzle;
    }
    let upper = String::from_utf8_lossy(word).to_ascii_uppercase();
    match vocabulary().get(upper.as_str()) {
        Some(WordClass::Class(class)) => *class,
        Some(WordClass::Opcode(_)) | None if begins_with_digit => TokenClass::Number,
        Some(WordClass::Opcode(_)) | None if place.kind == StatementKind::Other => {
            TokenClass::Other
        }
        Some(WordClass::Opcode(_)) | None => TokenClass::Keyword,
    }
}
