//! Operands, results, conditions and constants.

use super::{
    Expected, Failure, Input, Parsed, accept, advance, expect, fail_at, fail_with, go_to, path,
    peek, peek_kind, position, skip, take_name,
};
use crate::ast::{Base, Cond, Dst, Index, Literal, Operand, Signs, Suffix};
use crate::codes::Code;
use crate::lang::conditions::{self, SPARSE_REGISTER};
use crate::lex::{self, Kind, Token};
use crate::names::NameId;
use crate::source::{Dialect, Version};
use crate::syntax::path::int_value;
use glasm_ir::{Span, Swizzle, WriteMask};

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
        match dialect.facts().rgba {
            true => Self(&BOTH_SETS),
            false => Self(&ONE_SET),
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
                // A set that all four letters are of: its bit is in each code.
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
            // Components in order have growing bits, so this refuses repeated ones, too.
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

/// Adds an operand to those of the instruction.
#[inline]
pub(super) fn push_operand(input: &mut Input<'_, '_>) -> Parsed<()> {
    let start = position(input) as u32;
    let operand = match input.input.first() {
        Some(&byte) if lex::is_letter(byte) => named_operand(input, start)?,
        _ => operand(input)?,
    };
    input.state.ast.operands.push(operand);
    Ok(())
}

/// A vector or scalar operand with signs and bars. What it may be is checked later.
#[inline(never)]
pub(super) fn operand(input: &mut Input<'_, '_>) -> Parsed<Operand> {
    let start = position(input) as u32;
    match input.input.first() {
        Some(&byte) if lex::is_letter(byte) => named_operand(input, start),
        Some(b'-' | b'+' | b'|') => signed_operand(input, start),
        _ => constant_operand(input, start),
    }
}

/// An operand that begins with a sign or a bar.
fn signed_operand(input: &mut Input<'_, '_>, start: u32) -> Parsed<Operand> {
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
    let mut operand = match input.input.first() {
        Some(&byte) if lex::is_letter(byte) => named_operand(input, start)?,
        _ => constant_operand(input, start)?,
    };
    operand.signs = signs;
    if bars {
        operand.span.end = expect(input, Kind::Bar, Expected::Token(Kind::Bar))?.end();
    }
    if let (Base::Scalar(literal), true) = (operand.base, signs.contains(Signs::INNER)) {
        // It is a sign of the operand, and the constant knows it, too: an unsigned operand cannot be negative.
        input.state.ast.literals[literal as usize].negative = true;
    }
    Ok(operand)
}

/// An optional sign: whether it is a minus, and whether there is one.
pub(super) fn sign(input: &mut Input<'_, '_>) -> (bool, bool) {
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

/// A variable with index and suffix, or a binding.
#[inline(always)]
fn named_operand(input: &mut Input<'_, '_>, start: u32) -> Parsed<Operand> {
    let (name, word_end) = take_name(input);
    let mut operand = Operand {
        base: Base::Name(name),
        index: Index::None,
        suffix: Suffix::NONE,
        signs: Signs::empty(),
        span: Span::new(start, word_end),
    };
    if input.state.is_reserved(name) {
        let length = input.state.ast.names.text(name).len() as u32;
        bound_operand(input, (name, word_end - length), &mut operand)?;
        return Ok(operand);
    }
    operand.index = path::indices(input, &mut operand.span.end)?;
    operand.suffix = suffix(input, &mut operand.span.end)?;
    Ok(operand)
}

/// The rest of a binding whose first word, at a byte, was taken.
fn bound_operand(
    input: &mut Input<'_, '_>,
    (name, start): (NameId, u32),
    operand: &mut Operand,
) -> Parsed<()> {
    let text = path::text_ahead(input, start);
    if let Some(text) = text
        && let Some((var, suffix)) = input.state.path_word(text).operand
    {
        (operand.base, operand.suffix) = (Base::Var(var), suffix);
        operand.span.end = text.end;
        go_to(input, text.end as usize);
        return Ok(());
    }
    let word = Span::new(start, operand.span.end);
    let (path, end) = path::path(input, name, word)?;
    operand.base = Base::Path(path);
    operand.span.end = end;
    Ok(())
}

/// A number or a vector of numbers.
fn constant_operand(input: &mut Input<'_, '_>, start: u32) -> Parsed<Operand> {
    let word = peek(input);
    let mut span = Span::new(start, word.end());
    let (base, suffix) = match word.kind() {
        Kind::Int | Kind::Float => {
            let literal = number(input, word, Sign::Plus)?;
            let suffix = match input.state.facts.suffixed_numbers {
                false => Suffix::NONE,
                true => suffix(input, &mut span.end)?,
            };
            (Base::Scalar(literal), suffix)
        }
        // The lexer takes the point of `2.x` into the number, so the whole is a word to it.
        Kind::Word if input.state.facts.suffixed_numbers => number_with_suffix(input, word)?,
        Kind::OpenBrace => {
            let (base, braces) = vector(input)?;
            span.end = braces.end;
            (base, suffix(input, &mut span.end)?)
        }
        _ => return Err(fail_at(input, Expected::Operand)),
    };
    Ok(Operand {
        base,
        index: Index::None,
        suffix,
        signs: Signs::empty(),
        span,
    })
}

/// A number whose point is that of a suffix as well: `2.x`. ARB_vertex_program section 2.14.2.
fn number_with_suffix(input: &mut Input<'_, '_>, word: Token) -> Parsed<(Base, Suffix)> {
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
    Ok((Base::Scalar(literal), suffix))
}

/// The components behind a variable. `end` becomes their end.
#[inline(always)]
pub(super) fn suffix(input: &mut Input<'_, '_>, end: &mut u32) -> Parsed<Suffix> {
    let Some(letters) = letters_ahead(input, Expected::Component)? else {
        return Ok(Suffix::NONE);
    };
    match input.state.letters.suffix(letters) {
        Ok(suffix) => {
            *end = take_letters(input, letters);
            Ok(suffix)
        }
        Err(code) => Err(fail_with(input, Expected::Component, code)),
    }
}

/// Takes a point, if there is one, and finds the word behind it.
#[inline(always)]
fn letters_ahead<'s>(input: &mut Input<'_, 's>, expected: Expected) -> Parsed<Option<&'s [u8]>> {
    match *input.input {
        // The point is skipped without what follows it, because no blank stands there.
        [b'.', letter, ..] if lex::is_letter(letter) => {
            input.input = &input.input[1..];
            Ok(Some(&input.input[..lex::word_length(input.input)]))
        }
        [b'.', ..] => letters_behind(input, expected),
        _ => Ok(None),
    }
}

/// The word behind a point and blanks.
#[cold]
fn letters_behind<'s>(input: &mut Input<'_, 's>, expected: Expected) -> Parsed<Option<&'s [u8]>> {
    if !accept(input, Kind::Dot) {
        return Ok(None);
    }
    match peek(input) {
        letters if letters.kind() == Kind::Ident => Ok(Some(input.state.text(letters))),
        _ => Err(fail_at(input, expected)),
    }
}

/// Takes the letters that stand ahead: their end.
#[inline(always)]
fn take_letters(input: &mut Input<'_, '_>, letters: &[u8]) -> u32 {
    let end = (position(input) + letters.len()) as u32;
    skip(input, letters.len());
    end
}

/// The sign of a number in a constant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Plus,
    Minus,
}

/// Takes the number `word` into the literal table.
pub(super) fn number(input: &mut Input<'_, '_>, word: Token, sign: Sign) -> Parsed<u32> {
    path::decimal(input, word)?;
    go_to(input, word.end() as usize);
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
pub(super) fn signed_number(input: &mut Input<'_, '_>) -> Parsed<u32> {
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
pub(super) fn vector(input: &mut Input<'_, '_>) -> Parsed<(Base, Span)> {
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
pub(super) fn result(input: &mut Input<'_, '_>) -> Parsed<Dst> {
    if !input
        .input
        .first()
        .is_some_and(|&byte| lex::is_letter(byte))
    {
        return Err(no_result(input));
    }
    let start = position(input) as u32;
    let (name, end) = take_name(input);
    let mut dst = Dst {
        base: Base::Name(name),
        index: Index::None,
        mask: WriteMask::XYZW,
        guard: None,
        span: Span::new(start, end),
    };
    if input.state.is_reserved(name) {
        bound_result(input, name, &mut dst)?;
    } else {
        dst.index = path::indices(input, &mut dst.span.end)?;
        dst.mask = mask(input, &mut dst.span.end)?;
    }
    if input.input.first() == Some(&b'(') {
        advance(input);
        dst.guard = Some(condition(input)?);
        expect(input, Kind::CloseParen, Expected::Token(Kind::CloseParen))?;
    }
    Ok(dst)
}

/// The rest of a result that is a binding.
fn bound_result(input: &mut Input<'_, '_>, name: NameId, dst: &mut Dst) -> Parsed<()> {
    let text = path::text_ahead(input, dst.span.start);
    if let Some(text) = text
        && let Some((var, mask)) = input.state.path_word(text).result
    {
        (dst.base, dst.mask) = (Base::Var(var), mask);
        dst.span.end = text.end;
        go_to(input, text.end as usize);
        return Ok(());
    }
    let (path, end) = path::path(input, name, dst.span)?;
    dst.base = Base::Path(path);
    dst.span.end = end;
    Ok(())
}

#[cold]
fn no_result(input: &Input<'_, '_>) -> Failure {
    let code = match peek(input).kind() {
        Kind::Semicolon => Code::MissingOperand,
        // A constant in the place of a result is read well, but cannot be written.
        Kind::Int | Kind::Float | Kind::OpenBrace => Code::WriteReadOnly,
        _ => return fail_at(input, Expected::Result),
    };
    fail_with(input, Expected::Result, code)
}

#[inline(always)]
fn mask(input: &mut Input<'_, '_>, end: &mut u32) -> Parsed<WriteMask> {
    let Some(letters) = letters_ahead(input, Expected::Mask)? else {
        return Ok(WriteMask::XYZW);
    };
    match input.state.letters.mask(letters) {
        Ok(mask) => {
            *end = take_letters(input, letters);
            Ok(mask)
        }
        Err(code) => Err(fail_with(input, Expected::Mask, code)),
    }
}

/// A condition such as `GT1.x`.
pub(super) fn condition(input: &mut Input<'_, '_>) -> Parsed<Cond> {
    let word = peek(input);
    let test = if word.kind() == Kind::Ident {
        conditions::lookup(input.state.ast.dialect.family(), input.state.text(word))
    } else {
        None
    };
    let Some(test) = test else {
        return Err(fail_at(input, Expected::Condition));
    };
    if conditions::is_numbered(input.state.text(word)) {
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

/// A test with a number, such as `GT1`: some languages have one register only, others get the second one by an option. A program that
/// lacks the option for conditions altogether gets that error from the rules instead.
fn numbered_condition(input: &mut Input<'_, '_>) -> Parsed<()> {
    let Some(needs) = input.state.facts.numbered_conditions else {
        return Err(fail_at(input, Expected::Condition));
    };
    let (features, any) = (input.state.features, input.state.facts.conditions);
    if !features.contains(needs) && features.contains(any) {
        let message = format!("conditions with a number need OPTION {}", needs.option());
        let span = peek(input).span();
        let reports = &mut input.state.reports;
        reports.error(Code::FeatureOption, span, message);
    }
    Ok(())
}

/// A condition with or without parentheses, which ARB programs need; `None` at the end of the statement.
pub(super) fn optional_condition(input: &mut Input<'_, '_>) -> Parsed<Option<Cond>> {
    match peek_kind(input, 0) {
        Kind::OpenParen => {
            advance(input);
            let cond = condition(input)?;
            expect(input, Kind::CloseParen, Expected::Token(Kind::CloseParen))?;
            Ok(Some(cond))
        }
        Kind::Ident if input.state.facts.optional_parentheses => condition(input).map(Some),
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
