//! Operands, results, conditions and constants.

use super::cursor::{Expected, Failure, Parsed, Syntax};
use super::numbers::{int_value, number, sign, vector};
use super::path;
use super::register;
use crate::ast::{Base, Cond, Dst, Index, Literal, Operand, Signs, Suffix};
use crate::codes::Code;
use crate::lang::conditions::{self, SPARSE_REGISTER};
use crate::lex::{self, Token, TokenKind};
use crate::source::Version;
use glasm_ir::{Span, WriteMask};

/// An operand of an instruction like most, the first byte of which tells whether it is a name.
#[inline(always)]
pub(super) fn usual_operand(input: &mut Syntax<'_>) -> Parsed<Operand> {
    let start = input.position();
    match input.is_at_name() {
        true => named_operand(input, start),
        false => operand(input),
    }
}

/// A vector or scalar operand with signs and bars. What it may be is checked later.
#[inline(never)]
pub(super) fn operand(input: &mut Syntax<'_>) -> Parsed<Operand> {
    let start = input.position();
    match *input.rest {
        [letter, ..] if lex::is_letter(letter) => named_operand(input, start),
        // The one sign of most operands that have any.
        [b'-', letter, ..] if lex::is_letter(letter) => {
            input.skip(1);
            let mut operand = named_operand(input, start)?;
            operand.signs = Signs::INNER | Signs::WRITTEN;
            Ok(operand)
        }
        [b'-' | b'+' | b'|', ..] => signed_operand(input, start),
        _ => constant_operand(input, start),
    }
}

/// An operand that begins with a sign or a bar.
fn signed_operand(input: &mut Syntax<'_>, start: u32) -> Parsed<Operand> {
    let outer = sign(input);
    let bars = input.accept(TokenKind::Bar);
    let inner = if bars { sign(input) } else { outer };
    let mut signs = Signs::empty();
    signs.set(Signs::ABS, bars);
    signs.set(Signs::OUTER, bars && outer == Some(TokenKind::Minus));
    // Without bars the one sign there is counts as the inner one.
    signs.set(Signs::INNER, inner == Some(TokenKind::Minus));
    // A plus does nothing, but some languages and operands take no sign at all.
    signs.set(Signs::WRITTEN, outer.is_some() || inner.is_some());
    let mut operand = match input.is_at_name() {
        true => named_operand(input, start)?,
        false => constant_operand(input, start)?,
    };
    operand.signs = signs;
    if bars {
        operand.span.end = input.close(TokenKind::Bar)?;
    }
    if let (Base::Scalar(literal), true) = (operand.base, signs.contains(Signs::INNER)) {
        // It is a sign of the operand, and the constant knows it, too: that of a float goes into its bits.
        input.ast.literals[literal as usize].negative = true;
    }
    Ok(operand)
}

/// A variable with index and suffix, or a binding.
#[inline(always)]
fn named_operand(input: &mut Syntax<'_>, start: u32) -> Parsed<Operand> {
    let (name, word) = input.take_name();
    let mut end = word.end;
    // In languages with registers the letters of their files are the reserved words.
    let (base, index, suffix) = if input.is_reserved(name) {
        if let Some(registers) = input.facts.registers {
            let index = register::element(input, (registers, word), &mut end)?;
            (Base::Name(name), index, suffix(input, &mut end)?)
        } else {
            let (base, suffix) = bound_operand(input, word, &mut end)?;
            (base, Index::None, suffix)
        }
    } else {
        let index = path::indices(input, &mut end)?;
        (Base::Name(name), index, suffix(input, &mut end)?)
    };
    Ok(Operand {
        base,
        index,
        suffix,
        signs: Signs::empty(),
        span: Span::new(start, end),
    })
}

/// The rest of a binding whose first word was taken. `end` becomes its end.
#[inline(never)]
fn bound_operand(input: &mut Syntax<'_>, word: Span, end: &mut u32) -> Parsed<(Base, Suffix)> {
    let text = path::text_ahead(input, word.start);
    let name = text.map(|text| input.path_name(text));
    let path;
    (path, *end) = path::named_path(input, word, text.zip(name))?;
    Ok((Base::Path(path), Suffix::NONE))
}

/// A number or a vector of numbers.
fn constant_operand(input: &mut Syntax<'_>, start: u32) -> Parsed<Operand> {
    // Vertex programs of registers have no numbers as operands: constants come from the parameters c[n].
    if input.facts.registers.is_some_and(|it| !it.literals) {
        return Err(input.fail_at(Expected::Operand));
    }
    let word = input.peek();
    let mut span = Span::new(start, word.end());
    let (base, suffix) = match word.kind() {
        TokenKind::Int | TokenKind::Float => {
            let literal = number(input, word, None)?;
            // In the typed languages a number is all four components already. NV_gpu_program4 section 2.X.2, constantScalar.
            let suffix = match input.facts.suffixed_numbers {
                false => Suffix::NONE,
                true => suffix(input, &mut span.end)?,
            };
            (Base::Scalar(literal), suffix)
        }
        // The lexer takes the point of `2.x` into the number, so the whole is a word to it.
        TokenKind::Word if input.facts.suffixed_numbers => number_with_suffix(input, word)?,
        TokenKind::OpenBrace => {
            let (first, count, braces) = vector(input)?;
            span.end = braces.end;
            let base = Base::Vector { first, count };
            (base, suffix(input, &mut span.end)?)
        }
        _ => return Err(input.fail_at(Expected::Operand)),
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
fn number_with_suffix(input: &mut Syntax<'_>, word: Token) -> Parsed<(Base, Suffix)> {
    let text = input.text(word);
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    // Digits and then the point: words such as `2D` have none.
    let suffix = match text.get(digits) {
        Some(b'.') => input.letters.suffix(&text[digits + 1..]).ok(),
        _ => None,
    };
    let Some(suffix) = suffix else {
        return Err(input.fail_at(Expected::Operand));
    };
    input.advance();
    let span = Span::new(word.start(), word.start() + digits as u32);
    let (value, overflow) = int_value(&text[..digits]);
    input.ast.literals.push(Literal {
        negative: false,
        int: Some(value),
        overflow,
        span,
    });
    let literal = input.ast.literals.len() as u32 - 1;
    Ok((Base::Scalar(literal), suffix))
}

/// The components behind a variable. `end` becomes their end.
#[inline(always)]
pub(super) fn suffix(input: &mut Syntax<'_>, end: &mut u32) -> Parsed<Suffix> {
    // One letter, the most frequent suffix; `next` decides that the word is no longer than that.
    if let [b'.', one, next, ..] = *input.rest
        && !lex::is_of_word(next)
        && let Some(lane) = input.letters.lane(one)
    {
        *end = input.position() + 2;
        input.skip(2);
        if input.is_at_name() {
            return spread_suffix(input, Suffix::one(lane), end);
        }
        return Ok(Suffix::one(lane));
    }
    match input.is_at(TokenKind::Dot) {
        true => long_suffix(input, end),
        false => Ok(Suffix::NONE),
    }
}

#[inline(never)]
fn long_suffix(input: &mut Syntax<'_>, end: &mut u32) -> Parsed<Suffix> {
    if let [b'.', a, b, c, d, next, ..] = *input.rest
        && !lex::is_of_word(next)
        && let Some(suffix) = input.letters.four([a, b, c, d])
    {
        *end = input.position() + 5;
        input.skip(5);
        return Ok(suffix);
    }
    let letters = letters_ahead(input, Expected::Component)?;
    match input.letters.suffix(letters) {
        Ok(suffix) => {
            *end = take_letters(input, letters);
            match input.is_at_name() {
                true => spread_suffix(input, suffix, end),
                false => Ok(suffix),
            }
        }
        // Two or three letters are too few only if none follow behind blanks: `R0.xy zw`.
        Err(Code::SwizzleLength) if input.facts.registers.is_some() => {
            let place = input.position();
            *end = take_letters(input, letters);
            match spread_suffix(input, Suffix::NONE, end)? {
                // Back to the first letter, where the message belongs.
                Suffix::NONE => {
                    input.go_to(place);
                    Err(input.fail_with(Expected::Component, Code::SwizzleLength))
                }
                suffix => Ok(suffix),
            }
        }
        Err(code) => Err(input.fail_with(Expected::Component, code)),
    }
}

/// A suffix whose letters may stand apart, the first ones of which were taken and end at `end`; `suffix` if no others follow.
#[cold]
fn spread_suffix(input: &mut Syntax<'_>, suffix: Suffix, end: &mut u32) -> Parsed<Suffix> {
    let Some(letters) = register::spread_letters(input, *end) else {
        // What stands there is for the caller to refuse.
        return Ok(suffix);
    };
    *end = letters.end;
    let suffix = input.letters.suffix(letters.text());
    suffix.map_err(|code| input.fail_with(Expected::Component, code))
}

/// Takes a point and finds the word behind it.
#[inline(always)]
fn letters_ahead<'s>(input: &mut Syntax<'s>, expected: Expected) -> Parsed<&'s [u8]> {
    input.skip(1);
    match input.is_at_name() {
        true => Ok(&input.rest[..lex::word_length(input.rest)]),
        false => Err(input.fail_at(expected)),
    }
}

/// Takes the letters that stand ahead: their end.
#[inline(always)]
fn take_letters(input: &mut Syntax<'_>, letters: &[u8]) -> u32 {
    let end = input.position() + letters.len() as u32;
    input.skip(letters.len());
    end
}

/// A result: variable or binding, mask, condition-code mask.
#[inline(always)]
pub(super) fn result(input: &mut Syntax<'_>) -> Parsed<Dst> {
    if !input.is_at_name() {
        return Err(no_result(input));
    }
    let (name, word) = input.take_name();
    let mut dst = Dst {
        base: Base::Name(name),
        index: Index::None,
        mask: WriteMask::XYZW,
        guard: None,
        span: word,
    };
    if input.is_reserved(name) {
        bound_result(input, &mut dst)?;
    } else {
        dst.index = path::indices(input, &mut dst.span.end)?;
        dst.mask = mask(input, &mut dst.span.end)?;
    }
    if input.accept(TokenKind::OpenParen) {
        dst.guard = Some(condition(input)?);
        input.close(TokenKind::CloseParen)?;
    }
    Ok(dst)
}

/// The rest of a result that is a binding.
#[inline(never)]
fn bound_result(input: &mut Syntax<'_>, dst: &mut Dst) -> Parsed<()> {
    if let Some(registers) = input.facts.registers {
        dst.index = register::element(input, (registers, dst.span), &mut dst.span.end)?;
        dst.mask = mask(input, &mut dst.span.end)?;
        return Ok(());
    }
    // The text holds the mask, too: `result.color.xyz` and `result.color` are two entries for one variable.
    let text = path::text_ahead(input, dst.span.start);
    let name = text.map(|text| input.path_name(text));
    let (path, end) = path::named_path(input, dst.span, text.zip(name))?;
    dst.base = Base::Path(path);
    dst.span.end = end;
    Ok(())
}

#[cold]
fn no_result(input: &Syntax<'_>) -> Failure {
    let code = match input.peek().kind() {
        TokenKind::Semicolon => Code::MissingOperand,
        // A constant in the place of a result is read well, but cannot be written.
        TokenKind::Int | TokenKind::Float | TokenKind::OpenBrace => Code::WriteReadOnly,
        _ => return input.fail_at(Expected::Result),
    };
    input.fail_with(Expected::Result, code)
}

/// The write mask behind a result. `end` becomes its end.
#[inline(always)]
fn mask(input: &mut Syntax<'_>, end: &mut u32) -> Parsed<WriteMask> {
    match input.is_at(TokenKind::Dot) {
        true => written_mask(input, end),
        false => Ok(WriteMask::XYZW),
    }
}

#[inline(never)]
fn written_mask(input: &mut Syntax<'_>, end: &mut u32) -> Parsed<WriteMask> {
    if let Some((mask, length)) = input.letters.mask_ahead(&input.rest[1..]) {
        *end = input.position() + 1 + length as u32;
        input.skip(1 + length);
        return match input.is_at_name() {
            true => spread_mask(input, mask, end),
            false => Ok(mask),
        };
    }
    let letters = letters_ahead(input, Expected::Mask)?;
    match input.letters.mask(letters) {
        Ok(mask) => {
            *end = take_letters(input, letters);
            match input.is_at_name() {
                true => spread_mask(input, mask, end),
                false => Ok(mask),
            }
        }
        Err(code) => Err(input.fail_with(Expected::Mask, code)),
    }
}

/// A mask whose letters may stand apart, the first ones of which were taken and end at `end`.
#[cold]
fn spread_mask(input: &mut Syntax<'_>, mask: WriteMask, end: &mut u32) -> Parsed<WriteMask> {
    let Some(letters) = register::spread_letters(input, *end) else {
        // What stands there is for the caller to refuse.
        return Ok(mask);
    };
    *end = letters.end;
    let mask = input.letters.mask(letters.text());
    mask.map_err(|code| input.fail_with(Expected::Mask, code))
}

/// A condition such as `GT1.x`.
pub(super) fn condition(input: &mut Syntax<'_>) -> Parsed<Cond> {
    let word = input.peek();
    // Only here are these words conditions: anywhere else they may be names of variables.
    let test = if word.kind() == TokenKind::Ident {
        conditions::lookup(input.ast.dialect.family(), input.text(word))
    } else {
        None
    };
    let Some(test) = test else {
        return Err(input.fail_at(Expected::Condition));
    };
    // Before the word is taken, for a message at it.
    if conditions::is_numbered(input.text(word)) {
        numbered_condition(input)?;
    }
    input.advance();
    if test.register == SPARSE_REGISTER && input.ast.dialect.version() < Version::V5_0 {
        let message = "residency needs language version 5.0";
        let span = word.span();
        input.reports.error(Code::FeatureNewer, span, message);
    }
    let swizzle = suffix(input, &mut 0)?.swizzle();
    Ok(Cond { test, swizzle })
}

/// A test with a number, such as `GT1`: some languages have one register only, others get the second one by an option. A program that
/// lacks the option for conditions altogether gets that error from the rules instead.
fn numbered_condition(input: &mut Syntax<'_>) -> Parsed<()> {
    let Some(needs) = input.facts.numbered_conditions else {
        return Err(input.fail_at(Expected::Condition));
    };
    let (features, any) = (input.features, input.facts.conditions);
    if !features.contains(needs) && features.contains(any) {
        let message = format!("conditions with a number need OPTION {}", needs.option());
        let span = input.peek().span();
        let reports = &mut input.reports;
        reports.error(Code::FeatureOption, span, message);
    }
    Ok(())
}

/// A condition with or without parentheses, which ARB programs need; `None` at the end of the statement.
pub(super) fn optional_condition(input: &mut Syntax<'_>) -> Parsed<Option<Cond>> {
    if input.accept(TokenKind::OpenParen) {
        let cond = condition(input)?;
        input.close(TokenKind::CloseParen)?;
        return Ok(Some(cond));
    }
    // The grammar wants parentheses behind BRK, CAL, CONT and RET; programs in the texts' own examples leave them out.
    match input.facts.optional_parentheses && input.is_at_name() {
        true => condition(input).map(Some),
        false => Ok(None),
    }
}
