//! Numbers: `<int>`, `<constantScalar>`, `<constantVector>`. NV_gpu_program4 section 2.X.2.

use super::input::{
    Expected, Input, Result, accept, advance, fail, fail_with, mark, peek, peek_kind,
};
use crate::ast::Literal;
use crate::codes::Code;
use crate::lex::{Token, TokenKind};
use glasm_ir::Span;
use winnow::Parser as _;
use winnow::combinator::separated;
use winnow::token::one_of;

/// Parses `<int>`; values beyond 2^32 - 1 are saturated to that value, which is beyond every limit.
/// Fails for hexadecimal numbers where the language has none.
pub(super) fn parse_int(input: &mut Input<'_, '_>) -> Result<u32> {
    let digits = peek(input);
    check_decimal(input, digits)?;
    // After the check, which has the better message for hexadecimal numbers.
    if digits.kind() != TokenKind::Int {
        return Err(fail(input, Expected::Integer));
    }
    advance(input);
    let (value, _) = parse_int_digits(input.state.text(digits));
    Ok(u32::try_from(value).unwrap_or(u32::MAX))
}

/// Fails at a hexadecimal number where the language has none: in ARB programs. `word` is the next
/// token.
fn check_decimal(input: &Input<'_, '_>, word: Token) -> Result<()> {
    if !input.state.facts.hexadecimal && input.state.text(word).starts_with(b"0x") {
        return Err(fail_with(input, Expected::Number, Code::BadNumber));
    }
    Ok(())
}

/// Returns the value of a decimal or hexadecimal integer, and true if it was too large for 64 bits,
/// for which the value is the largest one.
pub(super) fn parse_int_digits(text: &[u8]) -> (u64, bool) {
    match text {
        [b'0', b'x', digits @ ..] => digits_value::<16>(digits),
        digits => digits_value::<10>(digits),
    }
}

/// Returns the value of digits, and true if it was too large for 64 bits, for which the value is
/// the largest one.
fn digits_value<const RADIX: u32>(digits: &[u8]) -> (u64, bool) {
    let mut value = 0u64;
    for &digit in digits {
        let digit = u64::from((digit as char).to_digit(RADIX).unwrap_or(0));
        let next = value.checked_mul(u64::from(RADIX));
        match next.and_then(|value| value.checked_add(digit)) {
            Some(next) => value = next,
            // Beyond 64 bits: the largest number, which every range check refuses.
            None => return (u64::MAX, true),
        }
    }
    (value, false)
}

/// Parses `<optSign> ::= /* empty */ | "-" | "+"`; `None` if it is empty.
pub(super) fn parse_opt_sign(input: &mut Input<'_, '_>) -> Option<TokenKind> {
    let sign = peek_kind(input);
    let is_sign = matches!(sign, TokenKind::Minus | TokenKind::Plus);
    is_sign.then(|| advance(input).kind())
}

/// Parses an integer with a sign, whose magnitude saturates as [`parse_int`] does.
pub(super) fn parse_signed_int(input: &mut Input<'_, '_>) -> Result<i64> {
    let is_negative = parse_opt_sign(input) == Some(TokenKind::Minus);
    let magnitude = i64::from(parse_int(input)?);
    Ok(if is_negative { -magnitude } else { magnitude })
}

/// Parses `<constantScalar>` after its optional sign, appends the literal to the AST and returns
/// its index. Numbers too large are recorded, not refused.
pub(super) fn parse_constant_scalar(
    input: &mut Input<'_, '_>,
    sign: Option<TokenKind>,
) -> Result<u32> {
    let word = peek(input);
    if !matches!(word.kind(), TokenKind::Int | TokenKind::Float) {
        return Err(fail(input, Expected::Number));
    }
    check_decimal(input, word)?;
    advance(input);
    let (int, overflow) = match word.kind() {
        TokenKind::Int => {
            let (value, overflow) = parse_int_digits(input.state.text(word));
            (Some(value), overflow)
        }
        // The value of a float depends on the type that it is read as, so only its span is stored.
        _ => (None, false),
    };
    Ok(push_literal(
        input,
        Literal {
            negative: sign == Some(TokenKind::Minus),
            int,
            overflow,
            span: word.span(),
        },
    ))
}

/// Appends a literal to the AST and returns its index.
pub(super) fn push_literal(input: &mut Input<'_, '_>, literal: Literal) -> u32 {
    let literals = &mut input.state.ast.literals;
    literals.push(literal);
    literals.len() as u32 - 1
}

/// Parses `<signedConstantScalar> ::= <optSign> <constantScalar>`, appends the literal to the AST
/// and returns its index.
pub(super) fn parse_signed_constant_scalar(input: &mut Input<'_, '_>) -> Result<u32> {
    let sign = parse_opt_sign(input);
    parse_constant_scalar(input, sign)
}

/// Parses `<constantVector> ::= "{" <constantVectorList> "}"`, one to four numbers, and appends
/// them to the AST: returns first literal, number of literals, and span.
pub(super) fn parse_constant_vector(input: &mut Input<'_, '_>) -> Result<(u32, u8, Span)> {
    let open = mark(TokenKind::OpenBrace).parse_next(input)?;
    let first = input.state.ast.literals.len() as u32;
    let mut component_list = separated(1..=4, parse_vector_component, one_of(TokenKind::Comma));
    let () = component_list.parse_next(input)?;
    let count = input.state.ast.literals.len() as u32 - first;
    if accept(input, TokenKind::Comma) {
        let expected = Expected::Token(TokenKind::CloseBrace);
        return Err(fail_with(input, expected, Code::ComponentCount));
    }
    let close = mark(TokenKind::CloseBrace).parse_next(input)?;
    Ok((first, count as u8, open.span().to(close.span())))
}

/// Parses a component of a vector, a number, or the name of one where programs have such names, and
/// appends its literal to the AST.
fn parse_vector_component(input: &mut Input<'_, '_>) -> Result<()> {
    let has_names = input.state.facts.fragment_names().is_some();
    if has_names && peek_kind(input) == TokenKind::Ident {
        parse_number_name(input);
        return Ok(());
    }
    parse_signed_constant_scalar(input).map(drop)
}

/// Parses the name of a number as a component of a vector, and appends to the AST a literal of
/// value 0 and the name, by which the checker replaces it. NV_fragment_program section 3.11.2.
fn parse_number_name(input: &mut Input<'_, '_>) {
    let span = advance(input).span();
    let name = input.state.intern(span);
    let literal = Literal {
        negative: false,
        int: Some(0),
        overflow: false,
        // Empty, so that it has no digits and is zero as a float, too.
        span: Span::new(span.start, span.start),
    };
    let index = push_literal(input, literal);
    let named = &mut input.state.ast.named_literals;
    named.push((index, name, span));
}
