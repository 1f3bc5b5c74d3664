//! Binding paths and array indices.

use super::{Expected, Input, Parsed, accept, advance, expect, fail_at, go_to, peek, token};
use crate::ast::{Base, Bracket, Index, Path, Relative, Segment, SuffixKind};
use crate::codes::Code;
use crate::lex::{self, Kind, Token};
use crate::names::NameId;
use crate::syntax::{fail_with, peek_kind};
use glasm_ir::Span;
use winnow::Parser;
use winnow::combinator::{delimited, opt, preceded};

/// A binding path whose first word was taken already: all words and brackets, a swizzle at the end included. Its number and end.
pub(super) fn path(input: &mut Input<'_, '_>, name: NameId, word: Span) -> Parsed<(u32, u32)> {
    let first = input.state.ast.segments.len() as u32;
    let (mut segment, mut end) = ((name, word.start), word.end);
    loop {
        let brackets = brackets(input, &mut end)?;
        let (name, start) = segment;
        input.state.ast.segments.push(Segment {
            name,
            brackets,
            span: Span::new(start, end),
        });
        if !accept(input, Kind::Dot) {
            break;
        }
        let word = expect(input, Kind::Ident, Expected::Name)?;
        segment = (input.state.intern(word), word.start());
        end = word.end();
    }
    let ast = &mut input.state.ast;
    let count = ast.segments.len() as u32 - first;
    ast.paths.push(Path {
        first,
        count,
        span: Span::new(word.start, end),
    });
    Ok((ast.paths.len() as u32 - 1, end))
}

/// The text of the path that begins at byte `start`: paths of the same text name the same thing, so what was found for one holds for all.
/// `None` if a point or a bracket follows behind blanks, because the path then goes on behind this text.
pub(super) fn text_ahead(input: &Input<'_, '_>, start: u32) -> Option<Span> {
    let rest = &input.state.ast.text[start as usize..];
    let bytes = rest.iter().take_while(|&&byte| lex::is_of_path(byte));
    let length = bytes.count();
    let goes_on = matches!(
        lex::without_blanks(&rest[length..]).first(),
        Some(b'.' | b'[')
    );
    (!goes_on).then(|| Span::new(start, start + length as u32))
}

/// A path in a declaration, from its first word on. `image` is no reserved word.
pub(super) fn whole_path(input: &mut Input<'_, '_>) -> Parsed<u32> {
    let word = peek(input);
    if word.kind() != Kind::Ident {
        return Err(fail_at(input, Expected::Binding));
    }
    let name = input.state.intern(word);
    if !input.state.is_reserved(name) && input.state.text(word) != b"image" {
        return Err(fail_with(input, Expected::Binding, Code::UnexpectedToken));
    }
    advance(input);
    path(input, name, word.span()).map(|(path, _)| path)
}

fn brackets(input: &mut Input<'_, '_>, end: &mut u32) -> Parsed<[Bracket; 2]> {
    let mut brackets = [Bracket::None; 2];
    for bracket in &mut brackets {
        if peek(input).kind() != Kind::OpenBracket {
            break;
        }
        let (content, close) = (
            delimited(
                token(Kind::OpenBracket),
                bracket_content,
                winnow::combinator::empty,
            ),
            token(Kind::CloseBracket),
        )
            .parse_next(input)?;
        *bracket = content;
        *end = close.end();
    }
    Ok(brackets)
}

/// `n`, `a..b` or a run-time index.
fn bracket_content(input: &mut Input<'_, '_>) -> Parsed<Bracket> {
    match peek(input).kind() {
        Kind::Int => {
            let first = small_int(input)?;
            let last = opt(preceded(dot_dot, small_int)).parse_next(input)?;
            Ok(last.map_or(Bracket::One(first), |last| Bracket::Range(first, last)))
        }
        Kind::Ident if !input.state.in_index => relative(input).map(Bracket::Relative),
        _ => Err(fail_at(input, Expected::Brackets)),
    }
}

fn dot_dot(input: &mut Input<'_, '_>) -> Parsed<Token> {
    if peek(input).kind() == Kind::DotDot {
        Ok(advance(input))
    } else {
        use winnow::error::ModalError;
        Err(fail_at(input, Expected::Token(Kind::DotDot)).backtrack())
    }
}

/// An integer up to 2^32 - 1; larger ones give that value, which is beyond every limit.
pub(super) fn small_int(input: &mut Input<'_, '_>) -> Parsed<u32> {
    let digits = peek(input);
    decimal(input, digits)?;
    if digits.kind() != Kind::Int {
        return Err(fail_at(input, Expected::Integer));
    }
    go_to(input, digits.end() as usize);
    Ok(small(input.state.text(digits)))
}

/// Fails at a hexadecimal number where the language has none: in ARB programs. `word` is the next token.
#[inline]
pub(super) fn decimal(input: &Input<'_, '_>, word: Token) -> Parsed<()> {
    if !input.state.facts.hexadecimal && input.state.text(word).starts_with(b"0x") {
        return Err(fail_with(input, Expected::Number, Code::BadNumber));
    }
    Ok(())
}

/// The value of an integer up to 2^32 - 1.
#[inline]
pub(super) fn small(digits: &[u8]) -> u32 {
    match *digits {
        [digit] => u32::from(digit - b'0'),
        _ => u32::try_from(int_value(digits).0).unwrap_or(u32::MAX),
    }
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
            None => return (u64::MAX, true),
        }
    }
    (value, false)
}

/// Indices behind a variable name. `end` becomes the end of the last bracket.
#[inline]
pub(super) fn indices(input: &mut Input<'_, '_>, end: &mut u32) -> Parsed<Index> {
    if input.input.first() != Some(&b'[') {
        return Ok(Index::None);
    }
    let first = index(input, end)?;
    if input.input.first() != Some(&b'[') {
        return Ok(first);
    }
    let second = index(input, end)?;
    input.state.ast.pairs.push([first, second]);
    Ok(Index::Pair(input.state.ast.pairs.len() as u32 - 1))
}

fn index(input: &mut Input<'_, '_>, end: &mut u32) -> Parsed<Index> {
    advance(input);
    let content = match input.input.first() {
        Some(&byte) if lex::is_letter(byte) => relative(input).map(Index::Relative)?,
        _ => small_int(input).map(Index::Const)?,
    };
    let bracket = Expected::Token(Kind::CloseBracket);
    *end = expect(input, Kind::CloseBracket, bracket)?.end();
    Ok(content)
}

/// `variable.component + offset`; a missing component is x.
fn relative(input: &mut Input<'_, '_>) -> Parsed<u32> {
    let word = advance(input);
    let name = input.state.intern(word);
    // A reserved word begins a binding, which the typed languages take as index and the ARB languages do not.
    let reserved = input.state.is_reserved(name);
    if reserved && input.state.facts.address_registers {
        return Err(fail_with(input, Expected::Brackets, Code::IndexVariable));
    }
    let (base, lane, end) = if reserved {
        // The brackets of this binding hold numbers only, so that indices do not nest without end.
        input.state.in_index = true;
        let parsed = path(input, name, word.span());
        input.state.in_index = false;
        let (path, end) = parsed?;
        (Base::Path(path), 0, end)
    } else if input.state.facts.address_registers && peek(input).kind() != Kind::Dot {
        return Err(fail_with(input, Expected::Component, Code::ScalarSuffix));
    } else if peek(input).kind() == Kind::Dot {
        advance(input);
        let component = peek(input);
        let suffix = (component.kind() == Kind::Ident)
            .then(|| input.state.letters.suffix(input.state.text(component)));
        let Some(SuffixKind::One(lane)) = suffix.and_then(Result::ok).map(|suffix| suffix.kind())
        else {
            return Err(fail_with(input, Expected::Component, Code::ScalarSuffix));
        };
        (Base::Name(name), lane, advance(input).end())
    } else {
        (Base::Name(name), 0, word.end())
    };
    let (offset, end) = match peek_kind(input, 0) {
        sign @ (Kind::Plus | Kind::Minus) => {
            advance(input);
            let end = peek(input).end();
            let value = i64::from(small_int(input)?);
            (if sign == Kind::Minus { -value } else { value }, end)
        }
        _ => (0, end),
    };
    let span = Span::new(word.start(), end);
    input.state.ast.relatives.push(Relative {
        base,
        lane,
        offset,
        span,
    });
    Ok(input.state.ast.relatives.len() as u32 - 1)
}
