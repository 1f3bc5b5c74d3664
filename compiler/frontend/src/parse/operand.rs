//! Operands, results, conditions and constants.

use super::{
    Expected, Failure, Input, Parsed, accept, advance, expect, fail_at, fail_with, path, peek,
    peek_kind,
};
use crate::ast::{Base, Cond, Dst, Index, Literal, Operand, Signs, Suffix};
use crate::codes::Code;
use crate::lang::conditions::{self, SPARSE_REGISTER};
use crate::lang::options::Features;
use crate::lex::{Kind, Token};
use crate::parse::path::int_value;
use crate::source::{Dialect, Family, Version};
use glasm_ir::{Span, Stage, Swizzle, WriteMask};
use winnow::stream::{Stream, TokenSlice};

/// A set of component letters, by byte: lane in the low bits, 4 for `rgba`, 8 for `xyzw`; 0 for other bytes.
type LetterTable = [u8; 256];

const fn letter_table(letters: [(&[u8; 4], u8); 2]) -> LetterTable {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 2 {
        let (word, mark) = letters[set];
        let mut lane = 0;
        while lane < 4 {
            table[word[lane] as usize] = mark | lane as u8;
            lane += 1;
        }
        set += 1;
    }
    table
}

static BOTH_SETS: LetterTable = letter_table([(b"xyzw", XYZW), (b"rgba", RGBA)]);
static ONE_SET: LetterTable = letter_table([(b"xyzw", XYZW), (b"xyzw", XYZW)]);
const RGBA: u8 = 4;
const XYZW: u8 = 8;

/// The letters that select components in a language.
#[derive(Clone, Copy)]
pub(crate) struct Letters(&'static LetterTable);

impl Letters {
    /// The letters of a language: vertex programs of the ARB family have no `rgba`.
    pub(crate) fn of(dialect: Dialect) -> Self {
        match (dialect.family(), dialect.stage()) {
            (Family::Arb, Stage::Vertex) => Self(&ONE_SET),
            (Family::Arb | Family::Typed, _) => Self(&BOTH_SETS),
        }
    }

    #[inline]
    fn code(self, letter: u8) -> u8 {
        self.0[letter as usize]
    }

    /// The component of a letter, and the set that it is of.
    pub(super) fn component(self, letter: u8) -> Option<(u8, u8)> {
        let code = self.code(letter);
        (code != 0).then_some((code & 3, code & (XYZW | RGBA)))
    }

    /// The suffix that the letters behind a point spell.
    #[inline]
    pub(crate) fn suffix(self, text: &[u8]) -> Result<Suffix, Code> {
        match *text {
            [one] => match self.code(one) {
                0 => Err(Code::UnexpectedToken),
                code => Ok(Suffix::one(code & 3)),
            },
            [a, b, c, d] => {
                let codes = [a, b, c, d].map(|letter| self.code(letter));
                if codes[0] & codes[1] & codes[2] & codes[3] & (XYZW | RGBA) != 0 {
                    Ok(Suffix::four(Swizzle::new(codes)))
                } else if codes.contains(&0) {
                    Err(Code::UnexpectedToken)
                } else {
                    Err(Code::SwizzleMixed)
                }
            }
            _ if !text.is_empty()
                && text.len() < 4
                && text.iter().all(|&letter| self.code(letter) != 0) =>
            {
                Err(Code::SwizzleLength)
            }
            _ => Err(Code::UnexpectedToken),
        }
    }

    /// The write mask that the letters behind a point spell.
    #[inline]
    pub(crate) fn mask(self, text: &[u8]) -> Result<WriteMask, Code> {
        let mut mask = 0u8;
        let mut sets = XYZW | RGBA;
        for &letter in text {
            let code = self.code(letter);
            if code == 0 || text.len() > 4 {
                return Err(Code::UnexpectedToken);
            }
            let bit = 1 << (code & 3);
            if mask >= bit {
                return Err(Code::MaskOrder);
            }
            mask |= bit;
            sets &= code;
        }
        if sets == 0 {
            Err(Code::SwizzleMixed)
        } else {
            Ok(WriteMask(mask))
        }
    }
}

/// A vector or scalar operand with signs and bars, added to the operands. What it may be is checked later.
///
/// Names with sign, constant index and suffix, which most operands are, take the direct way: the operand is put together from
/// registers, where the general way would write its parts to memory and read them back at once.
#[inline(always)]
pub(super) fn push_operand(input: &mut Input<'_, '_, '_>) -> Parsed<()> {
    let first = peek(input);
    let minus = first.kind() == Kind::Minus;
    let word = if minus {
        input.input.get(1).copied().unwrap_or(first)
    } else {
        first
    };
    if word.kind() != Kind::Ident {
        return push_unusual(input);
    }
    let name = input.state.intern(word);
    let behind = 1 + usize::from(minus);
    if input.state.is_reserved(name) {
        return push_unusual(input);
    }
    let signs = if minus {
        Signs::INNER.union(Signs::WRITTEN)
    } else {
        Signs::empty()
    };
    let (mut behind, mut end, mut index) = (behind, word.end(), Index::None);
    if peek_kind(input, behind) == Kind::OpenBracket {
        let short = peek_kind(input, behind + 1) == Kind::Int
            && peek_kind(input, behind + 2) == Kind::CloseBracket
            && peek_kind(input, behind + 3) != Kind::OpenBracket;
        if !short {
            return push_unusual(input);
        }
        let digits = input.input[behind + 1];
        index = Index::Const(path::small(input.state.text(digits)));
        end = digits.end() + 1;
        behind += 3;
    }
    let mut suffix = Suffix::NONE;
    if peek_kind(input, behind) == Kind::Dot {
        let letters = input.input.get(behind + 1).copied().unwrap_or(first);
        match input.state.letters.suffix(input.state.text(letters)) {
            Ok(found) if letters.kind() == Kind::Ident => suffix = found,
            _ => return push_unusual(input),
        }
        end = letters.end();
        behind += 2;
    }
    input.input = TokenSlice::new(&take(input.input)[behind..]);
    let span = Span::new(first.start(), end);
    input.state.ast.operands.push(Operand {
        base: Base::Name(name),
        index,
        suffix,
        signs,
        span,
    });
    Ok(())
}

#[inline(always)]
fn take<'t>(tokens: TokenSlice<'t, Token>) -> &'t [Token] {
    tokens.peek_slice(tokens.len())
}

#[inline(never)]
fn push_unusual(input: &mut Input<'_, '_, '_>) -> Parsed<()> {
    let operand = operand(input)?;
    input.state.ast.operands.push(operand);
    Ok(())
}

/// An operand of any form.
pub(super) fn operand(input: &mut Input<'_, '_, '_>) -> Parsed<Operand> {
    let start = peek(input).start();
    let (minus, mut written) = sign(input);
    let mut signs = Signs::empty();
    let bars = accept(input, Kind::Bar);
    if bars {
        signs |= Signs::ABS;
        signs.set(Signs::OUTER, minus);
        let (inner, again) = sign(input);
        signs.set(Signs::INNER, inner);
        written |= again;
    } else {
        signs.set(Signs::INNER, minus);
    }
    signs.set(Signs::WRITTEN, written);
    let (base, index, suffix, mut end) = operand_base(input)?;
    if bars {
        end = expect(input, Kind::Bar, Expected::Token(Kind::Bar))?.end();
    }
    if let (Base::Scalar(literal), true) = (base, signs.contains(Signs::INNER)) {
        // It is a sign of the operand, and the constant knows it, too: an unsigned operand cannot be negative.
        input.state.ast.literals[literal as usize].negative = true;
    }
    Ok(Operand {
        base,
        index,
        suffix,
        signs,
        span: Span::new(start, end),
    })
}

/// An optional sign: whether it is a minus, and whether there is one.
pub(super) fn sign(input: &mut Input<'_, '_, '_>) -> (bool, bool) {
    match peek(input).kind() {
        Kind::Minus => {
            advance(input);
            (true, true)
        }
        Kind::Plus => {
            advance(input);
            (false, true)
        }
        _ => (false, false),
    }
}

fn operand_base(input: &mut Input<'_, '_, '_>) -> Parsed<(Base, Index, Suffix, u32)> {
    let word = peek(input);
    match word.kind() {
        Kind::Ident => {
            advance(input);
            let name = input.state.intern(word);
            if input.state.is_reserved(name) {
                let (path, end) = path::path(input, word, name)?;
                return Ok((Base::Path(path), Index::None, Suffix::NONE, end));
            }
            let mut end = word.end();
            let index = path::indices(input, &mut end)?;
            let suffix = suffix(input, &mut end)?;
            Ok((Base::Name(name), index, suffix, end))
        }
        Kind::Int | Kind::Float => {
            let literal = number(input, word, Sign::Plus)?;
            let mut end = word.end();
            let suffix = match input.state.family {
                Family::Typed => Suffix::NONE,
                Family::Arb => suffix(input, &mut end)?,
            };
            Ok((Base::Scalar(literal), Index::None, suffix, end))
        }
        Kind::Word if input.state.family == Family::Arb => number_with_suffix(input, word),
        Kind::OpenBrace => {
            let (base, span) = vector(input)?;
            let mut end = span.end;
            let suffix = suffix(input, &mut end)?;
            Ok((base, Index::None, suffix, end))
        }
        _ => Err(fail_at(input, Expected::Operand)),
    }
}

/// A number whose point is that of a suffix as well: `2.x`. ARB_vertex_program section 2.14.2.
fn number_with_suffix(
    input: &mut Input<'_, '_, '_>,
    word: Token,
) -> Parsed<(Base, Index, Suffix, u32)> {
    let text = input.state.text(word);
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let suffix = match text.get(digits) {
        Some(b'.') => input.state.letters.suffix(&text[digits + 1..]).ok(),
        _ => None,
    };
    let Some(suffix) = suffix else {
        return Err(fail_at(input, Expected::Operand));
    };
    advance(input);
    let span = Span::new(word.start(), word.start() + digits as u32);
    let (value, overflow) = int_value(&text[..digits]);
    input.state.ast.literals.push(Literal {
        negative: false,
        int: Some(value),
        overflow,
        span,
    });
    let literal = input.state.ast.literals.len() as u32 - 1;
    Ok((Base::Scalar(literal), Index::None, suffix, word.end()))
}

pub(super) fn suffix(input: &mut Input<'_, '_, '_>, end: &mut u32) -> Parsed<Suffix> {
    if !accept(input, Kind::Dot) {
        return Ok(Suffix::NONE);
    }
    let letters = peek(input);
    if letters.kind() != Kind::Ident {
        return Err(fail_at(input, Expected::Component));
    }
    match input.state.letters.suffix(input.state.text(letters)) {
        Ok(suffix) => {
            *end = advance(input).end();
            Ok(suffix)
        }
        Err(code) => Err(fail_with(input, Expected::Component, code)),
    }
}

/// The sign of a number in a constant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Plus,
    Minus,
}

/// Takes the number `word` into the literal table.
pub(super) fn number(input: &mut Input<'_, '_, '_>, word: Token, sign: Sign) -> Parsed<u32> {
    path::decimal(input)?;
    advance(input);
    let (int, overflow) = match word.kind() {
        Kind::Int => {
            let (value, overflow) = int_value(input.state.text(word));
            (Some(value), overflow)
        }
        _ => (None, false),
    };
    let literals = &mut input.state.ast.literals;
    literals.push(Literal {
        negative: sign == Sign::Minus,
        int,
        overflow,
        span: word.span(),
    });
    Ok(literals.len() as u32 - 1)
}

/// A number with optional sign.
pub(super) fn signed_number(input: &mut Input<'_, '_, '_>) -> Parsed<u32> {
    let sign = if sign(input).0 {
        Sign::Minus
    } else {
        Sign::Plus
    };
    let word = peek(input);
    match word.kind() {
        Kind::Int | Kind::Float => number(input, word, sign),
        _ => Err(fail_at(input, Expected::Number)),
    }
}

/// `{ number, ... }` with one to four numbers.
pub(super) fn vector(input: &mut Input<'_, '_, '_>) -> Parsed<(Base, Span)> {
    let open = advance(input);
    let first = signed_number(input)?;
    let mut count = 1;
    while accept(input, Kind::Comma) {
        if count == 4 {
            return Err(fail_with(
                input,
                Expected::Token(Kind::CloseBrace),
                Code::ComponentCount,
            ));
        }
        signed_number(input)?;
        count += 1;
    }
    let close = expect(input, Kind::CloseBrace, Expected::Token(Kind::CloseBrace))?;
    Ok((Base::Vector { first, count }, open.span().to(close.span())))
}

/// A result: variable or binding, mask, condition-code mask.
#[inline(always)]
pub(super) fn result(input: &mut Input<'_, '_, '_>) -> Parsed<Dst> {
    let word = peek(input);
    if word.kind() != Kind::Ident {
        return Err(no_result(input));
    }
    let name = input.state.intern(word);
    if input.state.is_reserved(name) || peek_kind(input, 1) == Kind::OpenBracket {
        return unusual_result(input);
    }
    let (mut mask, mut end, mut behind) = (WriteMask::XYZW, word.end(), 1);
    if peek_kind(input, 1) == Kind::Dot {
        let letters = input.input.get(2).copied().unwrap_or(word);
        match input.state.letters.mask(input.state.text(letters)) {
            Ok(found) if letters.kind() == Kind::Ident => mask = found,
            _ => return unusual_result(input),
        }
        end = letters.end();
        behind = 3;
    }
    if peek_kind(input, behind) == Kind::OpenParen {
        return unusual_result(input);
    }
    input.input = TokenSlice::new(&take(input.input)[behind..]);
    Ok(Dst {
        base: Base::Name(name),
        index: Index::None,
        mask,
        guard: None,
        span: Span::new(word.start(), end),
    })
}

#[cold]
fn no_result(input: &Input<'_, '_, '_>) -> Failure {
    let code = match peek(input).kind() {
        Kind::Semicolon => Code::MissingOperand,
        Kind::Int | Kind::Float | Kind::OpenBrace => Code::WriteReadOnly,
        _ => return fail_at(input, Expected::Result),
    };
    fail_with(input, Expected::Result, code)
}

/// A result with binding, index or guard.
#[inline(never)]
fn unusual_result(input: &mut Input<'_, '_, '_>) -> Parsed<Dst> {
    let word = advance(input);
    let name = input.state.intern(word);
    let mut end = word.end();
    let (base, index, mask) = if input.state.is_reserved(name) {
        let (path, path_end) = path::path(input, word, name)?;
        end = path_end;
        (Base::Path(path), Index::None, WriteMask::XYZW)
    } else {
        let index = path::indices(input, &mut end)?;
        (Base::Name(name), index, mask(input, &mut end)?)
    };
    let span = Span::new(word.start(), end);
    let guard = if accept(input, Kind::OpenParen) {
        let guard = condition(input)?;
        expect(input, Kind::CloseParen, Expected::Token(Kind::CloseParen))?;
        Some(guard)
    } else {
        None
    };
    Ok(Dst {
        base,
        index,
        mask,
        guard,
        span,
    })
}

fn mask(input: &mut Input<'_, '_, '_>, end: &mut u32) -> Parsed<WriteMask> {
    if !accept(input, Kind::Dot) {
        return Ok(WriteMask::XYZW);
    }
    let letters = peek(input);
    if letters.kind() != Kind::Ident {
        return Err(fail_at(input, Expected::Mask));
    }
    match input.state.letters.mask(input.state.text(letters)) {
        Ok(mask) => {
            *end = advance(input).end();
            Ok(mask)
        }
        Err(code) => Err(fail_with(input, Expected::Mask, code)),
    }
}

/// A condition such as `GT1.x`.
pub(super) fn condition(input: &mut Input<'_, '_, '_>) -> Parsed<Cond> {
    let word = peek(input);
    let test = if word.kind() == Kind::Ident {
        conditions::lookup(input.state.family, input.state.text(word))
    } else {
        None
    };
    let Some(test) = test else {
        return Err(fail_at(input, Expected::Condition));
    };
    if input.state.family == Family::Arb && conditions::is_numbered(input.state.text(word)) {
        numbered_condition(input)?;
    }
    advance(input);
    if test.register == SPARSE_REGISTER && input.state.ast.dialect.version() < Version::V5_0 {
        let message = "residency needs language version 5.0";
        let span = word.span();
        input.state.reports.error(Code::FeatureNewer, span, message);
    }
    let swizzle = suffix(input, &mut 0)?.swizzle();
    Ok(Cond { test, swizzle })
}

/// A rule with a number in an ARB program: NV_vertex_program3 has the second register. Programs without any conditions are told
/// that by the checker.
fn numbered_condition(input: &mut Input<'_, '_, '_>) -> Parsed<()> {
    let (features, word) = (input.state.features, peek(input));
    if input.state.ast.dialect.stage() != Stage::Vertex {
        return Err(fail_at(input, Expected::Condition));
    }
    if features.contains(Features::NV_VERTEX_2) && !features.contains(Features::NV_VERTEX_3) {
        let message = "conditions with a number need OPTION NV_vertex_program3";
        let span = word.span();
        input
            .state
            .reports
            .error(Code::FeatureOption, span, message);
    }
    Ok(())
}

/// A condition with or without parentheses, which ARB programs need; `None` at the end of the statement.
pub(super) fn optional_condition(input: &mut Input<'_, '_, '_>) -> Parsed<Option<Cond>> {
    match peek_kind(input, 0) {
        Kind::OpenParen => {
            advance(input);
            let cond = condition(input)?;
            expect(input, Kind::CloseParen, Expected::Token(Kind::CloseParen))?;
            Ok(Some(cond))
        }
        Kind::Ident if input.state.family == Family::Typed => condition(input).map(Some),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_have_one_or_four_letters() {
        let decode_suffix = |text: &[u8]| Letters(&BOTH_SETS).suffix(text);
        assert_eq!(decode_suffix(b"y"), Ok(Suffix::one(1)));
        assert_eq!(decode_suffix(b"a"), Ok(Suffix::one(3)));
        assert_eq!(
            decode_suffix(b"wzyx"),
            Ok(Suffix::four(Swizzle::new([3, 2, 1, 0])))
        );
        assert_eq!(
            decode_suffix(b"bgra"),
            Ok(Suffix::four(Swizzle::new([2, 1, 0, 3])))
        );
        assert_eq!(decode_suffix(b"xyz"), Err(Code::SwizzleLength));
        assert_eq!(decode_suffix(b"xyba"), Err(Code::SwizzleMixed));
        assert_eq!(decode_suffix(b"s"), Err(Code::UnexpectedToken));
        assert_eq!(decode_suffix(b"xyzwx"), Err(Code::UnexpectedToken));
    }

    #[test]
    fn masks_are_in_order() {
        let decode_mask = |text: &[u8]| Letters(&BOTH_SETS).mask(text);
        assert_eq!(decode_mask(b"xyzw"), Ok(WriteMask(15)));
        assert_eq!(decode_mask(b"ga"), Ok(WriteMask(10)));
        assert_eq!(decode_mask(b"yx"), Err(Code::MaskOrder));
        assert_eq!(decode_mask(b"xx"), Err(Code::MaskOrder));
        assert_eq!(decode_mask(b"xg"), Err(Code::SwizzleMixed));
        assert_eq!(decode_mask(b"xq"), Err(Code::UnexpectedToken));
    }

    #[test]
    fn some_languages_have_one_set_of_letters() {
        let letters = Letters::of(Dialect::ArbVp1_0);
        assert_eq!(letters.suffix(b"rrrr"), Err(Code::UnexpectedToken));
        assert_eq!(letters.mask(b"r"), Err(Code::UnexpectedToken));
        assert_eq!(letters.mask(b"xw"), Ok(WriteMask(9)));
    }
}
