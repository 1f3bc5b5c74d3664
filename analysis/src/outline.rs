//! Tokens of a program with their classes, and its statements: what an editor needs to know about
//! a program even while it has errors.
//!
//! The lexers are those of the compiler. Classes follow from positions in a statement, from the
//! tables of the languages and from the names that the program declares, so that each statement is
//! classified on its own and an error affects no other.

use glasm::Dialect;
use glasm::frontend::ast::DeclKind;
use glasm::frontend::vocabulary::BlockEdge;
use glasm::ir::Span;
use std::ops::Range;

/// Class of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenClass {
    /// The header of the program.
    Header,
    /// An opcode with its suffixes.
    Opcode,
    /// A modifier of an opcode or of a declaration.
    Modifier,
    /// A keyword.
    Keyword,
    /// The name of an option.
    Option,
    /// A label or subroutine.
    Label,
    /// A name that the program declares.
    Variable,
    /// A register that the language names; in TGSI a register file.
    Register,
    /// A word of a binding, such as both of `vertex.position`.
    Binding,
    /// A texture target.
    Target,
    /// A condition test.
    Condition,
    /// Components: a swizzle or write mask.
    Swizzle,
    /// A semantic or property of TGSI.
    Semantic,
    /// A number.
    Number,
    /// A punctuation mark or sign.
    Punctuation,
    /// Anything else, such as bytes that no language has and text after `END`.
    Other,
}

/// Whether a token declares, writes or uses what it names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenRole {
    /// Reads it, or names it in another way.
    Use,
    /// Declares it.
    Definition,
    /// Writes it as the result of an instruction.
    Write,
}

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Position in the source.
    pub span: Span,
    /// Class.
    pub class: TokenClass,
    /// Role of a name.
    pub role: TokenRole,
}

impl Token {
    /// Returns a token that names nothing.
    pub(crate) fn new(span: Span, class: TokenClass) -> Self {
        Self {
            span,
            class,
            role: TokenRole::Use,
        }
    }
}

/// Kind of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// The header of the program.
    Header,
    /// An instruction, with its position in a block of control flow.
    Instruction(Option<BlockEdge>),
    /// A declaration; the kind is `None` if the keyword is missing or a word of TGSI.
    Declaration(Option<DeclKind>),
    /// `OPTION`.
    Option,
    /// A label.
    Label,
    /// `END`.
    End,
    /// Anything else.
    Other,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// Its tokens, as indices into [`Outline::tokens`].
    pub tokens: Range<usize>,
    /// Kind.
    pub kind: StatementKind,
}

/// The tokens and statements of a program.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Language; `None` if the header is unknown, and then the lists are empty.
    pub dialect: Option<Dialect>,
    /// Tokens in source order, the header first.
    pub tokens: Vec<Token>,
    /// Statements in source order, the header first. They contain all tokens.
    pub statements: Vec<Statement>,
}

impl Outline {
    /// Returns the outline of a program without a known language.
    pub(crate) fn without_language() -> Self {
        Self {
            dialect: None,
            tokens: Vec::new(),
            statements: Vec::new(),
        }
    }

    /// Returns the outline of a program of which only the header was read.
    pub(crate) fn from_header(dialect: Dialect, header: Span) -> Self {
        Self {
            dialect: Some(dialect),
            tokens: vec![Token::new(header, TokenClass::Header)],
            statements: vec![Statement {
                tokens: 0..1,
                kind: StatementKind::Header,
            }],
        }
    }

    /// Appends a statement with its tokens.
    pub(crate) fn push(&mut self, kind: StatementKind, tokens: impl IntoIterator<Item = Token>) {
        let first = self.tokens.len();
        self.tokens.extend(tokens);
        self.statements.push(Statement {
            tokens: first..self.tokens.len(),
            kind,
        });
    }

    /// Returns the index of the token that contains a byte or ends at it, a word rather than a
    /// mark if two tokens meet there; `None` in whitespace and comments.
    pub fn find_token(&self, offset: u32) -> Option<usize> {
        let after = self
            .tokens
            .partition_point(|token| token.span.start <= offset);
        let index = after.checked_sub(1)?;
        let token = &self.tokens[index];
        let is_mark = token.class == TokenClass::Punctuation;
        if (token.span.start == offset && is_mark || token.span.end < offset) && index > 0 {
            let before = &self.tokens[index - 1];
            if before.span.end == offset && before.class != TokenClass::Punctuation {
                return Some(index - 1);
            }
        }
        (offset <= token.span.end).then_some(index)
    }

    /// Returns the index of the statement with the token `index`.
    pub fn find_statement(&self, index: usize) -> Option<usize> {
        let after = self
            .statements
            .partition_point(|statement| statement.tokens.start <= index);
        after.checked_sub(1)
    }

    /// Returns the tokens of a statement.
    pub fn statement_tokens(&self, statement: &Statement) -> &[Token] {
        &self.tokens[statement.tokens.clone()]
    }

    /// Returns the span of a statement from its first token to its last.
    pub fn statement_span(&self, statement: &Statement) -> Span {
        let tokens = self.statement_tokens(statement);
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => Span::new(first.span.start, last.span.end),
            (Some(_) | None, _) => Span::default(),
        }
    }
}
