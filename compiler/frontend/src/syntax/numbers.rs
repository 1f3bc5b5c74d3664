//! Numbers: integers in brackets, literals with their signs, vectors of them.

use super::cursor::{Expected, Parsed, Syntax};
use crate::ast::Literal;
use crate::codes::Code;
use crate::lex::{Token, TokenKind};
use glasm_ir::Span;

/// Takes the digit that stands alone in brackets, as most numbers there do.
#[inline(always)]
pub(super) fn one_digit(input: &mut Syntax<'_>) -> Option<u32> {
    let [digit @ b'0'..=b'9', b']', ..] = *input.rest else {
        return None;
    };
    input.rest = &input.rest[1..];
    Some(u32::from(digit - b'0'))
}

/// An integer up to 2^32 - 1; larger ones give that value, which is beyond every limit.
pub(super) fn small_int(input: &mut Syntax<'_>) -> Parsed<u32> {
    if let Some(digit) = one_digit(input) {
        return Ok(digit);
    }
    let digits = input.peek();
    decimal(input, digits)?;
    // Behind `decimal`, which has the better message for hexadecimal numbers.
    if digits.kind() != TokenKind::Int {
        return Err(input.fail_at(Expected::Integer));
    }
    input.go_to(digits.end());
    Ok(match *input.text(digits) {
        // An integer of two bytes has two decimal digits, for `0x` needs a third.
        [tens, ones] => u32::from(tens - b'0') * 10 + u32::from(ones - b'0'),
        ref text => u32::try_from(int_value(text).0).unwrap_or(u32::MAX),
    })
}

/// Fails at a hexadecimal number where the language has none: in ARB programs. `word` is the next token.
#[inline]
pub(super) fn decimal(input: &Syntax<'_>, word: Token) -> Parsed<()> {
    if !input.facts.hexadecimal && input.text(word).starts_with(b"0x") {
        return Err(input.fail_with(Expected::Number, Code::BadNumber));
    }
    Ok(())
}

/// The value of a decimal or hexadecimal integer, and whether it was too large for 64 bits.
pub(super) fn int_value(text: &[u8]) -> (u64, bool) {
    let (digits, radix) = match text {
        [b'0', b'x', digits @ ..] => (digits, 16),
        digits => (digits, 10),
    };
    let mut value = 0u64;
    for &digit in digits {
        let digit = u64::from((digit as char).to_digit(radix).unwrap_or(0));
        match value
            .checked_mul(u64::from(radix))
            .and_then(|value| value.checked_add(digit))
        {
            Some(next) => value = next,
            // Beyond 64 bits: the largest number, which every range check refuses.
            None => return (u64::MAX, true),
        }
    }
    (value, false)
}

/// An optional sign.
#[inline]
pub(super) fn sign(input: &mut Syntax<'_>) -> Option<TokenKind> {
    let sign = match input.rest.first() {
        Some(b'-') => TokenKind::Minus,
        Some(b'+') => TokenKind::Plus,
        _ => return None,
    };
    input.skip(1);
    Some(sign)
}

/// Takes the number `word` into the literal table.
pub(super) fn number(input: &mut Syntax<'_>, word: Token, sign: Option<TokenKind>) -> Parsed<u32> {
    decimal(input, word)?;
    input.go_to(word.end());
    let (int, overflow) = match word.kind() {
        TokenKind::Int => {
            let (value, overflow) = int_value(input.text(word));
            (Some(value), overflow)
        }
        // The value of a float depends on the type that it is read as, so only its place is kept.
        _ => (None, false),
    };
    let literals = &mut input.ast.literals;
    literals.push(Literal {
        negative: sign == Some(TokenKind::Minus),
        int,
        overflow,
        span: word.span(),
    });
    Ok(literals.len() as u32 - 1)
}

/// A number with optional sign.
pub(super) fn signed_number(input: &mut Syntax<'_>) -> Parsed<u32> {
    let sign = sign(input);
    let word = input.peek();
    match word.kind() {
        TokenKind::Int | TokenKind::Float => number(input, word, sign),
        _ => Err(input.fail_at(Expected::Number)),
    }
}

/// `{ number, ... }` with one to four numbers: the first literal, how many there are, and the place.
pub(super) fn vector(input: &mut Syntax<'_>) -> Parsed<(u32, u8, Span)> {
    let start = input.position();
    input.skip(1);
    let first = component(input)?;
    let mut count = 1;
    while input.accept(TokenKind::Comma) {
        if count == 4 {
            let expected = Expected::Token(TokenKind::CloseBrace);
            return Err(input.fail_with(expected, Code::ComponentCount));
        }
        component(input)?;
        count += 1;
    }
    let end = input.close(TokenKind::CloseBrace)?;
    Ok((first, count, Span::new(start, end)))
}

/// A component of a vector: a number, or the name of one where programs have such names.
fn component(input: &mut Syntax<'_>) -> Parsed<u32> {
    match input.facts.fragment_names().is_some() && input.is_at_name() {
        true => named_number(input),
        false => signed_number(input),
    }
}

/// Parses the name of a number as a component of a vector: one more literal, whose value follows from declarations.
/// NV_fragment_program section 3.11.2.
pub(super) fn named_number(input: &mut Syntax<'_>) -> Parsed<u32> {
    let (name, span) = input.take_name();
    let index = input.ast.literals.len() as u32;
    input.ast.literals.push(Literal {
        negative: false,
        int: Some(0),
        overflow: false,
        // Empty, so that it has no digits and is zero as a float, too.
        span: Span::new(span.start, span.start),
    });
    input.ast.named_literals.push((index, name, span));
    Ok(index)
}
