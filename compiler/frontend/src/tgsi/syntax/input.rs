//! Input of the grammar: tokens, with the state of the parser.

use crate::codes::Code;
use crate::tgsi::ast::Ast;
use crate::tgsi::lex::{Token, TokenKind, Word};
use crate::tgsi::syntax_error::{SyntaxError, SyntaxErrorKind};
use crate::token;
pub(super) use crate::token::{
    accept, advance, last_end, peek, peek_after, peek_kind, peek_rest, seek, skip,
};
use glasm_ir::Span;
use winnow::Parser as _;
use winnow::error::ParserError;

/// Tokens to parse, the last of which is [`TokenKind::End`], with the state of the parser.
pub(super) type Input<'t, 's> = token::Input<'t, TokenKind, State<'s>>;

/// Result of a grammar function.
pub(super) type Result<T> = std::result::Result<T, Box<SyntaxError>>;

/// State of the parser of a program.
pub(super) struct State<'s> {
    pub(super) ast: Ast<'s>,
    /// True if extensions of shipped programs are parsed: comments, short swizzles, `r`, `g`, `b`
    /// and `a`.
    pub(super) is_extended: bool,
    /// Keyword or opcode of the statement that is parsed.
    pub(super) keyword: Span,
}

impl std::fmt::Debug for State<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl ParserError<Input<'_, '_>> for Box<SyntaxError> {
    type Inner = Self;

    fn from_input(input: &Input<'_, '_>) -> Self {
        fail(input, "something else")
    }

    fn into_inner(self) -> std::result::Result<Self, Self> {
        Ok(self)
    }
}

/// Parses a mark such as `[`; `code` is that of the failure if the next token is not `expected`.
#[inline(always)]
pub(super) fn mark<'t, 's: 't>(
    kind: TokenKind,
    code: Code,
    expected: &'static str,
) -> impl winnow::Parser<Input<'t, 's>, Token, Box<SyntaxError>> {
    token::token(kind, move |input: &Input<'t, 's>| {
        fail_with(input, code, expected)
    })
}

/// Parses `[`.
#[inline(always)]
pub(super) fn parse_open_bracket(input: &mut Input<'_, '_>) -> Result<Token> {
    mark(TokenKind::OpenBracket, Code::RegisterIndex, "`[`").parse_next(input)
}

/// Parses `]`.
#[inline(always)]
pub(super) fn parse_close_bracket(input: &mut Input<'_, '_>) -> Result<Token> {
    mark(TokenKind::CloseBracket, Code::RegisterIndex, "`]`").parse_next(input)
}

/// Parses decimal digits; numbers beyond 32 bits are saturated. `code` is that of the failure if
/// there are no digits.
pub(super) fn parse_uint(input: &mut Input<'_, '_>, code: Code) -> Result<(u32, Span)> {
    let token = mark(TokenKind::Int, code, "a number").parse_next(input)?;
    Ok((int_value(input, token), token.span()))
}

/// Returns the value of a token of decimal digits, saturated at 32 bits.
pub(super) fn int_value(input: &Input<'_, '_>, token: Token) -> u32 {
    let digits = &input.state.ast.text[token.span().range()];
    digits.iter().fold(0u32, |number, byte| {
        number
            .saturating_mul(10)
            .saturating_add(u32::from(byte - b'0'))
    })
}

/// Consumes and returns a word; an empty one if none follows.
pub(super) fn take_word<'s>(input: &mut Input<'_, 's>) -> Word<'s> {
    let span = peek_word(input);
    let text = &input.state.ast.text[span.range()];
    if !text.is_empty() {
        let first = advance(input);
        if first.end() != span.end {
            advance(input);
        }
    }
    Word {
        text,
        start: span.start,
    }
}

/// Returns the span of the next token if it is a word, which may begin with digits, else an empty
/// one at its start.
pub(super) fn peek_word(input: &Input<'_, '_>) -> Span {
    let token = peek(input);
    match token.kind() {
        TokenKind::Word => token.span(),
        TokenKind::Int => peek_after_digits(input, token),
        _ => Span::new(token.start(), token.start()),
    }
}

/// Returns the span of the word that begins with the next digits.
#[cold]
fn peek_after_digits(input: &Input<'_, '_>, digits: Token) -> Span {
    let next = peek_after(input, 1);
    let end = if next.kind() == TokenKind::Word && next.is_glued() {
        next.end()
    } else {
        digits.end()
    };
    Span::new(digits.start(), end)
}

/// Returns the span of the next token for messages: a word, one byte, or empty at the end of the
/// program.
#[cold]
pub(super) fn peek_span(input: &Input<'_, '_>) -> Span {
    let word = peek_word(input);
    if word.range().is_empty() {
        peek(input).span()
    } else {
        word
    }
}

/// Returns the failure of the next token, which does not match the grammar.
pub(super) fn fail(input: &Input<'_, '_>, expected: &'static str) -> Box<SyntaxError> {
    fail_with(input, Code::UnexpectedToken, expected)
}

/// Returns the failure of the next token, which does not match the grammar, with a certain code.
pub(super) fn fail_with(
    input: &Input<'_, '_>,
    code: Code,
    expected: &'static str,
) -> Box<SyntaxError> {
    SyntaxError::new(peek_span(input), code, SyntaxErrorKind::Expected(expected))
}
