//! Operands: registers with their indices, swizzles, signs and masks. TGSI, section "Instruction
//! Set".
//!
//! Registers whose indices are numbers have a fast path, which saves 290 of 4,500 retired
//! instructions per instruction of a straight program.

use super::input::{
    Input, Result, accept, advance, fail_with, last_end, mark, parse_close_bracket,
    parse_open_bracket, parse_uint, peek, peek_kind, peek_rest, skip, take_word,
};
use crate::codes::Code;
use crate::lang::limits;
use crate::tgsi::ast::{DynamicIndex, Index, IndexPosition, Operand, Register, RelativeIndex};
use crate::tgsi::declaration_tables::RegisterFile;
use crate::tgsi::lex::{Token, TokenKind};
use crate::tgsi::opcodes::begins_statement;
use crate::tgsi::syntax_error::{SyntaxError, SyntaxErrorKind};
use glasm_ir::{Span, Swizzle, WriteMask};
use winnow::Parser as _;
use winnow::combinator::delimited;
use winnow::stream::Stream as _;

/// Nesting of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RegisterNesting {
    Outer,
    /// The index of another register: its index is a number.
    Index,
}

/// Lanes of the components x, y, z, w, and four more for r, g, b, a; larger numbers for all other
/// bytes.
static COMPONENT_LANES: [u8; 256] = {
    let mut letters = [u8::MAX; 256];
    let mut lane = 0;
    while lane < 8 {
        let letter = b"xyzwrgba"[lane];
        letters[letter as usize] = lane as u8;
        letters[letter.to_ascii_uppercase() as usize] = lane as u8;
        lane += 1;
    }
    letters
};

/// Parses a register with its indices: `<file> [<index>]` or `<file> [<index>] [<index>]`.
pub(super) fn parse_register(input: &mut Input<'_, '_>) -> Result<Register> {
    match parse_register_fast(input) {
        Some(register) => Ok(register),
        None => parse_register_slow(input),
    }
}

/// Parses a register with any indices.
fn parse_register_slow(input: &mut Input<'_, '_>) -> Result<Register> {
    let register = parse_register_at(input, RegisterNesting::Outer)?;
    let is_relative = register.index.relative.is_some()
        || register.outer.is_some_and(|outer| outer.relative.is_some());
    if is_relative {
        record_dynamic_index(input, &register);
    }
    Ok(register)
}

/// Parses a register whose indices are small numbers without the id of an array. Returns `None`,
/// and consumes nothing, if something else follows.
fn parse_register_fast(input: &mut Input<'_, '_>) -> Option<Register> {
    let text = input.state.ast.text;
    let (first, rest) = (peek(input), peek_rest(input));
    let number = match_number_bracket(rest, text)?;
    let (outer, index, count) = if rest[3].kind() == TokenKind::OpenBracket {
        let inner = match_number_bracket(&rest[3..], text)?;
        (Some(Index::from_number(number)), inner, 7)
    } else {
        (None, number, 4)
    };
    let register = Register {
        file: RegisterFile::from_word(first.text(text))?,
        outer,
        index: Index::from_number(index),
        span: Span::new(first.start(), rest[count - 2].end()),
    };
    skip(input, count);
    Some(register)
}

/// Returns the number of up to four digits in brackets that `tokens` begin with; `None` for other
/// tokens, or if a parenthesis follows.
#[inline]
fn match_number_bracket(tokens: &[Token], text: &[u8]) -> Option<i32> {
    let [open, number, close, next, ..] = tokens else {
        return None;
    };
    let is_plain = open.kind() == TokenKind::OpenBracket
        && number.kind() == TokenKind::Int
        && close.kind() == TokenKind::CloseBracket
        && next.kind() != TokenKind::OpenParen;
    let digits = number.text(text);
    // Fewer digits than those of the limit of register numbers.
    if !is_plain || digits.len() > 4 {
        return None;
    }
    let value = |number, digit: &u8| number * 10 + i32::from(digit - b'0');
    Some(digits.iter().fold(0, value))
}

/// Adds the dynamically indexed file or array of a register to the tree, if one of its indices is
/// dynamic.
#[cold]
fn record_dynamic_index(input: &mut Input<'_, '_>, register: &Register) {
    let file = register.file;
    let mut insert = |array, position| {
        let indexed = DynamicIndex {
            file,
            array,
            position,
        };
        input.state.ast.dynamic_indices.insert(indexed);
    };
    if register.outer.is_some_and(|it| it.relative.is_some()) {
        insert(0, IndexPosition::Outer);
    }
    if register.index.relative.is_some() {
        insert(register.index.array, IndexPosition::Inner);
    }
}

/// Parses a register: file, and one or two pairs of brackets with indices. `nesting` distinguishes
/// registers within an index.
fn parse_register_at(input: &mut Input<'_, '_>, nesting: RegisterNesting) -> Result<Register> {
    let start = peek(input).start();
    let file = parse_file(input)?;
    let first_index = parse_register_bracket(input, nesting)?;
    let (outer, index) = if peek_kind(input) == TokenKind::OpenBracket {
        (Some(first_index), parse_register_bracket(input, nesting)?)
    } else {
        (None, first_index)
    };
    Ok(Register {
        file,
        outer,
        index,
        span: Span::new(start, last_end(input)),
    })
}

/// Parses the keyword of a register file.
pub(super) fn parse_file(input: &mut Input<'_, '_>) -> Result<RegisterFile> {
    // No file has a name that begins with digits, so that the token is the whole word.
    if let Some(file) = RegisterFile::from_word(peek(input).text(input.state.ast.text)) {
        advance(input);
        return Ok(file);
    }
    Err(fail_at_file(input))
}

/// Returns the failure of the next word, which is not a register file, and consumes it.
fn fail_at_file(input: &mut Input<'_, '_>) -> Box<SyntaxError> {
    let before = input.checkpoint();
    let word = take_word(input);
    if word.text.is_empty() {
        return fail_with(input, Code::RegisterFile, "a register");
    }
    if begins_statement(&word) {
        // It is not an operand: the next statement begins here.
        input.reset(&before);
        let message = SyntaxErrorKind::Text("an operand is missing");
        let place = input.state.keyword;
        return SyntaxError::new(place, Code::MissingOperand, message);
    }
    SyntaxError::new(
        word.span(),
        Code::RegisterFile,
        SyntaxErrorKind::RegisterFile,
    )
}

/// Parses a constant or dynamic index in brackets, with the array id that may follow.
fn parse_register_bracket(input: &mut Input<'_, '_>, nesting: RegisterNesting) -> Result<Index> {
    parse_open_bracket(input)?;
    let mut index = if peek_kind(input) == TokenKind::Int {
        Index::from_number(parse_register_number(input)? as i32)
    } else {
        parse_register_bracket_index(input, nesting)?
    };
    parse_close_bracket(input)?;
    let next = peek(input);
    // No whitespace precedes the id of an array: after whitespace a guard begins.
    if next.kind() == TokenKind::OpenParen && next.is_glued() {
        index.array = parse_array_id(input, Code::RegisterIndex)?;
    }
    Ok(index)
}

/// Parses the number of a register. Fails for numbers beyond the limit.
#[inline(always)]
pub(super) fn parse_register_number(input: &mut Input<'_, '_>) -> Result<u32> {
    let (number, span) = parse_uint(input, Code::RegisterIndex)?;
    // Tables have an entry for each number up to the largest one that is declared.
    if number < limits::TGSI_REGISTERS {
        return Ok(number);
    }
    let message = SyntaxErrorKind::NumberTooLarge("register", limits::TGSI_REGISTERS - 1);
    Err(SyntaxError::new(span, Code::IndexOutOfBounds, message))
}

/// Parses the id of an array in parentheses; `code` is that of the failure if it is not a number.
/// Fails for ids beyond the limit.
pub(super) fn parse_array_id(input: &mut Input<'_, '_>, code: Code) -> Result<u32> {
    mark(TokenKind::OpenParen, code, "`(`").parse_next(input)?;
    let (id, span) = parse_uint(input, code)?;
    if id >= limits::TGSI_ARRAYS {
        let message = SyntaxErrorKind::NumberTooLarge("array", limits::TGSI_ARRAYS - 1);
        return Err(SyntaxError::new(span, Code::IndexOutOfBounds, message));
    }
    mark(TokenKind::CloseParen, Code::UnexpectedToken, "`)`").parse_next(input)?;
    Ok(id)
}

/// Parses an index after the open bracket, up to the closing one, that is not a plain number: a
/// negative number, or a register with an optional component (by default x) and offset, which is
/// added to the tree. Within an index (`nesting`) registers are errors.
#[inline(never)]
fn parse_register_bracket_index(
    input: &mut Input<'_, '_>,
    nesting: RegisterNesting,
) -> Result<Index> {
    if peek_kind(input) == TokenKind::Minus {
        return Ok(Index::from_number(parse_index_offset(input)?));
    }
    // Indices in indices would be parsed without limit.
    if peek_kind(input) != TokenKind::Word || nesting == RegisterNesting::Index {
        let expected = "a number or a register";
        return Err(fail_with(input, Code::RegisterIndex, expected));
    }
    let register = parse_register_at(input, RegisterNesting::Index)?;
    // Without a component the index is x.
    let lane = if accept(input, TokenKind::Dot) {
        parse_index_lane(input)?
    } else {
        0
    };
    let offset = match peek_kind(input) {
        TokenKind::Plus | TokenKind::Minus => parse_index_offset(input)?,
        _ => 0,
    };
    let relatives = &mut input.state.ast.relatives;
    relatives.push(RelativeIndex { register, lane });
    Ok(Index {
        relative: Some(relatives.len() as u32 - 1),
        ..Index::from_number(offset)
    })
}

/// Parses the lane of a register that is an index, after its dot.
fn parse_index_lane(input: &mut Input<'_, '_>) -> Result<u8> {
    let token = peek(input);
    let text = &input.state.ast.text[token.span().range()];
    let letter = text.first().map_or(0, u8::to_ascii_lowercase);
    let Some(lane) = b"xyzw".iter().position(|&it| it == letter) else {
        return Err(fail_with(input, Code::SwizzleLetters, "x, y, z or w"));
    };
    advance(input);
    if text.len() > 1 {
        let rest = Span::new(token.start() + 1, token.end());
        let expected = SyntaxErrorKind::Expected("`]`");
        return Err(SyntaxError::new(rest, Code::RegisterIndex, expected));
    }
    Ok(lane as u8)
}

/// Parses the constant offset of a dynamic index: a sign and a number.
fn parse_index_offset(input: &mut Input<'_, '_>) -> Result<i32> {
    let sign = advance(input);
    let offset = parse_register_number(input)? as i32;
    Ok(if sign.kind() == TokenKind::Minus {
        -offset
    } else {
        offset
    })
}

/// Parses a register and adds an operand without signs, swizzle and mask to the tree. Returns the
/// number of the operand.
fn push_register(input: &mut Input<'_, '_>) -> Result<usize> {
    let operand = |register| Operand {
        register,
        swizzle: Swizzle::XYZW,
        mask: WriteMask::XYZW,
        negate: false,
        absolute: false,
        end: 0,
    };
    match parse_register_fast(input) {
        Some(register) => input.state.ast.operands.push(operand(register)),
        None => {
            let register = parse_register_slow(input)?;
            input.state.ast.operands.push(operand(register));
        }
    }
    Ok(input.state.ast.operands.len() - 1)
}

/// Parses a result and adds it to the tree: register and write mask.
pub(super) fn parse_dst_operand(input: &mut Input<'_, '_>) -> Result<()> {
    let number = push_register(input)?;
    let mask = parse_opt_writemask(input);
    complete_operand(input, number, mask, |operand, mask| operand.mask = mask)
}

/// Completes operand `number` with what follows its register. If that is wrong, the operand is
/// removed from the tree.
fn complete_operand<T>(
    input: &mut Input<'_, '_>,
    number: usize,
    suffix: Result<T>,
    set_suffix: impl FnOnce(&mut Operand, T),
) -> Result<()> {
    let end = last_end(input);
    let operands = &mut input.state.ast.operands;
    match suffix {
        Ok(suffix) => {
            operands[number].end = end;
            set_suffix(&mut operands[number], suffix);
            Ok(())
        }
        Err(failure) => {
            operands.truncate(number);
            Err(failure)
        }
    }
}

/// Parses a source and adds it to the tree: register and swizzle, perhaps with bars, perhaps with a
/// sign before them.
pub(super) fn parse_src_operand(input: &mut Input<'_, '_>) -> Result<()> {
    let negate = accept(input, TokenKind::Minus);
    if peek_kind(input) == TokenKind::Bar {
        return parse_absolute(input, negate);
    }
    parse_src_register(input, negate)
}

/// Parses an operand between bars, its absolute value. TGSI has no sign within the bars.
#[cold]
fn parse_absolute(input: &mut Input<'_, '_>, negate: bool) -> Result<()> {
    let bar = advance(input);
    parse_src_register(input, negate)?;
    if let Some(operand) = input.state.ast.operands.last_mut() {
        operand.absolute = true;
    }
    if !accept(input, TokenKind::Bar) {
        let message = SyntaxErrorKind::Text("unclosed absolute value: missing `|`");
        return Err(SyntaxError::new(bar.span(), Code::Bars, message));
    }
    Ok(())
}

/// Parses a register and a swizzle, and adds them to the tree. If only the swizzle is wrong, the
/// register is added.
fn parse_src_register(input: &mut Input<'_, '_>, negate: bool) -> Result<()> {
    let number = push_register(input)?;
    let swizzle = parse_optional_swizzle(input);
    let end = last_end(input);
    let operand = &mut input.state.ast.operands[number];
    (operand.negate, operand.end) = (negate, end);
    operand.swizzle = swizzle?;
    Ok(())
}

/// Parses a resource and adds it to the tree: register and swizzle.
pub(super) fn parse_resource(input: &mut Input<'_, '_>) -> Result<()> {
    parse_src_register(input, false)
}

/// Parses a texel offset and adds it to the tree: register and a swizzle of three components.
pub(super) fn parse_texoffset_operand(input: &mut Input<'_, '_>) -> Result<()> {
    let number = push_register(input)?;
    let swizzle = parse_offset_swizzle(input);
    complete_operand(input, number, swizzle, |operand, swizzle| {
        operand.swizzle = swizzle
    })
}

/// Parses the swizzle of an offset: a dot and up to three components; `xyzw` without a dot.
fn parse_offset_swizzle(input: &mut Input<'_, '_>) -> Result<Swizzle> {
    if !accept(input, TokenKind::Dot) {
        return Ok(Swizzle::XYZW);
    }
    let span = super::input::peek_word(input);
    if span.range().len() > 3 {
        let message = SyntaxErrorKind::TokenDetail("offsets have three components");
        return Err(SyntaxError::new(span, Code::SwizzleLetters, message));
    }
    // Three components instead of four: the short form that only extended programs have elsewhere.
    let is_extended = std::mem::replace(&mut input.state.is_extended, true);
    let swizzle = parse_swizzle(input);
    input.state.is_extended = is_extended;
    swizzle
}

/// Parses a dot and a swizzle; `xyzw` without a dot.
pub(super) fn parse_optional_swizzle(input: &mut Input<'_, '_>) -> Result<Swizzle> {
    if accept(input, TokenKind::Dot) {
        parse_swizzle(input)
    } else {
        Ok(Swizzle::XYZW)
    }
}

/// Parses the components of a swizzle, after the dot; four of x, y, z and w are the fast path.
fn parse_swizzle(input: &mut Input<'_, '_>) -> Result<Swizzle> {
    let token = peek(input);
    let text = &input.state.ast.text[token.span().range()];
    if let &[x, y, z, w] = text {
        let lanes = [x, y, z, w].map(|letter| COMPONENT_LANES[letter as usize]);
        // One test for all four: lanes are 0 to 3, r, g, b, a are 4 to 7, other bytes 255.
        if lanes[0] | lanes[1] | lanes[2] | lanes[3] <= 3 {
            input.next_token();
            return Ok(Swizzle::new(lanes));
        }
    }
    parse_swizzle_slow(input)
}

/// Parses a swizzle that is not four of x, y, z and w.
#[inline(never)]
fn parse_swizzle_slow(input: &mut Input<'_, '_>) -> Result<Swizzle> {
    let word = take_word(input);
    let count = word.text.len();
    if count == 0 {
        let expected = "four of x, y, z, w";
        return Err(fail_with(input, Code::SwizzleLetters, expected));
    }
    let fail = || {
        let message = SyntaxErrorKind::TokenDetail("a swizzle is four of x, y, z, w");
        Err(SyntaxError::new(word.span(), Code::SwizzleLetters, message))
    };
    // Shipped programs have `.x` and `.xyz`, which documents display and readers refuse, and r, g,
    // b, a.
    let (least, most) = if input.state.is_extended {
        (1, 7)
    } else {
        (4, 3)
    };
    if !(least..=4).contains(&count) {
        return fail();
    }
    let mut lanes = [0; 4];
    for (number, lane) in lanes.iter_mut().enumerate() {
        // Of one to three components the last one is repeated.
        let letter = word.text[number.min(count - 1)];
        let found = COMPONENT_LANES[letter as usize];
        if found > most {
            return fail();
        }
        *lane = found % 4;
    }
    Ok(Swizzle::new(lanes))
}

/// Parses a dot and a write mask; all components if there is no dot. Fails for components in
/// another order than x, y, z, w.
pub(super) fn parse_opt_writemask(input: &mut Input<'_, '_>) -> Result<WriteMask> {
    if !accept(input, TokenKind::Dot) {
        return Ok(WriteMask::XYZW);
    }
    let word = take_word(input);
    let mut mask = 0u8;
    let mut is_ordered = !word.text.is_empty();
    for &letter in word.text {
        // Beyond the four lanes no bit is left.
        let bit = 1u8
            .checked_shl(COMPONENT_LANES[letter as usize].into())
            .unwrap_or(0)
            & 15;
        // The bit is above all bits before it; other bytes have no bit, so they fail here, too.
        is_ordered &= bit > mask;
        mask |= bit;
    }
    if is_ordered {
        return Ok(WriteMask(mask));
    }
    if word.text.is_empty() {
        return Err(fail_with(input, Code::MaskOrder, "components"));
    }
    let message = SyntaxErrorKind::TokenDetail("a mask has some of x, y, z, w in this order");
    Err(SyntaxError::new(word.span(), Code::MaskOrder, message))
}

/// Parses the first and last register of a declaration: `a]` or `a..b]`. Fails if the last one is
/// before the first one.
pub(super) fn parse_register_dcl_bracket(input: &mut Input<'_, '_>) -> Result<(u32, u32)> {
    let start = peek(input).start();
    let first = parse_register_number(input)?;
    let mut last = first;
    if accept(input, TokenKind::Dot) {
        // Both dots are adjacent.
        let next = peek(input);
        if !(next.kind() == TokenKind::Dot && next.is_glued()) {
            return Err(fail_with(input, Code::RegisterIndex, "`.`"));
        }
        advance(input);
        last = parse_register_number(input)?;
    }
    let end = last_end(input);
    parse_close_bracket(input)?;
    if last < first {
        let span = Span::new(start, end);
        let message = SyntaxErrorKind::ReversedRange(first, last);
        return Err(SyntaxError::new(span, Code::RangeReversed, message));
    }
    Ok((first, last))
}

/// Parses a number of up to 8 bits in brackets, if there are brackets, else 0.
pub(super) fn parse_opt_semantic_index(input: &mut Input<'_, '_>) -> Result<u32> {
    if peek_kind(input) != TokenKind::OpenBracket {
        return Ok(0);
    }
    let mut index = delimited(
        parse_open_bracket,
        parse_semantic_index,
        parse_close_bracket,
    );
    index.parse_next(input)
}

/// Parses the index of a semantic, which is at most 255.
fn parse_semantic_index(input: &mut Input<'_, '_>) -> Result<u32> {
    let (number, span) = parse_uint(input, Code::RegisterIndex)?;
    // Indices of semantics have eight bits in the IR.
    if number <= u32::from(u8::MAX) {
        return Ok(number);
    }
    let message = SyntaxErrorKind::NumberTooLarge("semantic", u8::MAX.into());
    Err(SyntaxError::new(span, Code::IndexOutOfBounds, message))
}
