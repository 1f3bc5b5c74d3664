//! Binding paths and array indices.

use super::cursor::{Expected, Parsed, Syntax};
use super::numbers::{one_digit, sign, small_int};
use super::register;
use crate::ast::{Base, Bracket, Index, Path, Relative, Segment, SuffixKind};
use crate::codes::Code;
use crate::lang::paths;
use crate::lex::{self, TokenKind};
use crate::names::NameId;
use glasm_ir::Span;

/// A binding path whose first word was taken already: all words and brackets, a swizzle at the end included. Its number and end.
pub(super) fn path(input: &mut Syntax<'_>, first: Span) -> Parsed<(u32, u32)> {
    let first_segment = input.ast.segments.len() as u32;
    let (_, first_key) = lex::name(&input.ast.text[first.start as usize..]);
    let (mut word, mut key, mut end) = (first, first_key, first.end);
    let mut path_key = paths::START;
    loop {
        let brackets = match input.is_at(TokenKind::OpenBracket) {
            true => some_brackets(input, &mut end)?,
            false => [Bracket::None; 2],
        };
        // The key of a path is made on the way, so that the table of bindings is asked with one number. That brackets are there is part of
        // it, what they hold is not.
        path_key = paths::step(path_key, key, brackets[0] != Bracket::None);
        input.ast.segments.push(Segment {
            word,
            brackets,
            span: Span::new(word.start, end),
            key: path_key,
        });
        if !input.accept(TokenKind::Dot) {
            break;
        }
        (word, key) = path_word(input)?;
        end = word.end;
    }
    let reading = &mut input.ast;
    reading.paths.push(Path {
        first: first_segment,
        count: reading.segments.len() as u32 - first_segment,
        name: None,
        span: Span::new(first.start, end),
    });
    Ok((reading.paths.len() as u32 - 1, end))
}

/// Takes a word of a path, which is no name of the program: its place and its key.
#[inline]
fn path_word(input: &mut Syntax<'_>) -> Parsed<(Span, u64)> {
    if !input.is_at_name() {
        return Err(input.fail_at(Expected::Name));
    }
    let (start, (length, key)) = (input.position(), lex::name(input.rest));
    input.skip(length);
    Ok((Span::new(start, start + length as u32), key))
}

/// A path that is an operand or a result: what it stands for is kept under its text. `known` is the text that was ahead, if it is that of
/// the whole path.
pub(super) fn named_path(
    input: &mut Syntax<'_>,
    first: Span,
    known: Option<(Span, NameId)>,
) -> Parsed<(u32, u32)> {
    let (path, end) = path(input, first)?;
    let name = match known {
        // The text that was ahead may end before the path does, if blanks stand in between.
        Some((text, name)) if text.end == end => name,
        _ => input.path_name(Span::new(first.start, end)),
    };
    input.ast.paths[path as usize].name = Some(name);
    Ok((path, end))
}

/// The text of the path that begins at byte `start`: paths of the same text name the same thing, so what was found for one holds for all.
/// `None` if a point or a bracket follows behind blanks, because the path then goes on behind this text.
pub(super) fn text_ahead(input: &Syntax<'_>, start: u32) -> Option<Span> {
    let rest = &input.ast.text[start as usize..];
    let end = rest.iter().position(|&byte| !lex::is_of_path(byte));
    let length = end.unwrap_or(rest.len());
    let goes_on = matches!(
        lex::without_blanks(&rest[length..]).first(),
        Some(b'.' | b'[')
    );
    (!goes_on).then(|| Span::new(start, start + length as u32))
}

/// A path in a declaration, from its first word on. `image` is no reserved word.
pub(super) fn whole_path(input: &mut Syntax<'_>) -> Parsed<u32> {
    let (name, word) = input.expect_name(Expected::Binding)?;
    // `image` begins the bindings of IMAGE only, so that other programs may use it as a name.
    if !input.is_reserved(name) && input.ast.names.text(name) != b"image" {
        input.go_to(word.start);
        return Err(input.fail_with(Expected::Binding, Code::UnexpectedToken));
    }
    path(input, word).map(|(path, _)| path)
}

fn some_brackets(input: &mut Syntax<'_>, end: &mut u32) -> Parsed<[Bracket; 2]> {
    let mut brackets = [Bracket::None; 2];
    for bracket in &mut brackets {
        if !input.accept(TokenKind::OpenBracket) {
            break;
        }
        *bracket = bracket_content(input)?;
        *end = input.close(TokenKind::CloseBracket)?;
    }
    Ok(brackets)
}

/// `n`, `a..b` or a run-time index.
fn bracket_content(input: &mut Syntax<'_>) -> Parsed<Bracket> {
    if let Some(digit) = one_digit(input) {
        return Ok(Bracket::One(digit));
    }
    match input.peek().kind() {
        TokenKind::Int => {
            let first = small_int(input)?;
            if !input.rest.starts_with(b"..") {
                return Ok(Bracket::One(first));
            }
            // The two points, which are one token: there is no blank between them.
            input.skip(2);
            small_int(input).map(|last| Bracket::Range(first, last))
        }
        // Whether the binding may have a run-time index is for the rules to say.
        TokenKind::Ident if !input.in_index => relative(input).map(Bracket::Relative),
        _ => Err(input.fail_at(Expected::Brackets)),
    }
}

/// Indices behind a variable name. `end` becomes the end of the last bracket.
#[inline(always)]
pub(super) fn indices(input: &mut Syntax<'_>, end: &mut u32) -> Parsed<Index> {
    if !input.is_at(TokenKind::OpenBracket) {
        return Ok(Index::None);
    }
    let first = index(input, end)?;
    match input.is_at(TokenKind::OpenBracket) {
        true => second_index(input, first, end),
        false => Ok(first),
    }
}

#[inline(never)]
fn second_index(input: &mut Syntax<'_>, first: Index, end: &mut u32) -> Parsed<Index> {
    let second = index(input, end)?;
    input.ast.pairs.push([first, second]);
    Ok(Index::Pair(input.ast.pairs.len() as u32 - 1))
}

#[inline(always)]
fn index(input: &mut Syntax<'_>, end: &mut u32) -> Parsed<Index> {
    // Most indices have one digit.
    if let [b'[', digit @ b'0'..=b'9', b']', ..] = *input.rest {
        *end = input.position() + 3;
        input.skip(3);
        return Ok(Index::Const(u32::from(digit - b'0')));
    }
    other_index(input, end)
}

#[inline(never)]
fn other_index(input: &mut Syntax<'_>, end: &mut u32) -> Parsed<Index> {
    input.skip(1);
    let content = match input.is_at_name() {
        true => relative(input).map(Index::Relative)?,
        false => small_int(input).map(Index::Const)?,
    };
    *end = input.close(TokenKind::CloseBracket)?;
    Ok(content)
}

/// `variable.component + offset`; a missing component is x.
fn relative(input: &mut Syntax<'_>) -> Parsed<u32> {
    let (name, word) = input.take_name();
    // A reserved word begins a binding, which the typed languages take as index and the ARB languages do not.
    let (base, lane, end) = match input.is_reserved(name) {
        true => index_path(input, word)?,
        false => {
            let (lane, end) = index_component(input, word)?;
            // What the name stands for is looked up when the instruction is checked.
            (Base::Name(name), lane, end)
        }
    };
    let (offset, end) = index_offset(input, end)?;
    let span = Span::new(word.start, end);
    input.ast.relatives.push(Relative {
        base,
        lane,
        offset,
        span,
    });
    Ok(input.ast.relatives.len() as u32 - 1)
}

/// A binding as index, whose first word was taken: base, component and end.
fn index_path(input: &mut Syntax<'_>, word: Span) -> Parsed<(Base, u8, u32)> {
    if input.facts.address_registers {
        return Err(input.fail_with(Expected::Brackets, Code::IndexVariable));
    }
    // The brackets of this binding hold numbers only, so that indices do not nest without end.
    input.in_index = true;
    let parsed = named_path(input, word, None);
    input.in_index = false;
    let (path, end) = parsed?;
    Ok((Base::Path(path), 0, end))
}

/// The component of an index variable, which stands at `word`, and where it ends.
fn index_component(input: &mut Syntax<'_>, word: Span) -> Parsed<(u8, u32)> {
    // Blanks behind the word do not belong to it, so its end is kept before anything is taken.
    let end = word.end;
    if !input.accept(TokenKind::Dot) {
        if input.facts.registers.is_some() {
            return Err(register::no_index(input, word));
        }
        return match input.facts.address_registers {
            true => Err(input.fail_with(Expected::Component, Code::ScalarSuffix)),
            false => Ok((0, end)),
        };
    }
    let component = input.peek();
    // An index is a scalar: exactly one letter. NV_gpu_program4 section 2.X.2, addrUseS.
    let suffix = (component.kind() == TokenKind::Ident)
        .then(|| input.letters.suffix(input.text(component)).ok())
        .flatten();
    let Some(SuffixKind::One(lane)) = suffix.map(|suffix| suffix.kind()) else {
        return Err(input.fail_with(Expected::Component, Code::ScalarSuffix));
    };
    Ok((lane, input.advance().end()))
}

/// The number that is added to an index, and where it ends.
fn index_offset(input: &mut Syntax<'_>, end: u32) -> Parsed<(i64, u32)> {
    let Some(sign) = sign(input) else {
        return Ok((0, end));
    };
    let end = input.peek().end();
    let value = i64::from(small_int(input)?);
    let offset = if sign == TokenKind::Minus {
        -value
    } else {
        value
    };
    Ok((offset, end))
}
