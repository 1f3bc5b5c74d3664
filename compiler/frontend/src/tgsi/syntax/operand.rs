//! Operands: registers with their indices, swizzles, signs and masks. TGSI, section "Instruction
//! Set".

use super::input::{
    Input, Result, accept, advance, fail_with, last_end, mark, parse_close_bracket,
    parse_open_bracket, parse_uint, peek, peek_kind, take_word,
};
use crate::codes::Code;
use crate::lang::limits;
use crate::tgsi::ast::{Index, Indexed, Operand, Position, Register, Relative};
use crate::tgsi::failure::{Failure, Message};
use crate::tgsi::files::File;
use crate::tgsi::lex::TokenKind;
use crate::tgsi::opcodes::begins_statement;
use glasm_ir::{Span, Swizzle, WriteMask};
use winnow::Parser as _;
use winnow::combinator::delimited;
use winnow::stream::Stream as _;

/// Nesting of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Depth {
    Operand,
    /// The index of another register: its index is a number.
    Index,
}

/// Lanes of the components x, y, z, w, and four more for r, g, b, a; larger numbers for all other
/// bytes.
static LETTERS: [u8; 256] = {
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
#[inline]
pub(super) fn parse_register(input: &mut Input<'_, '_>) -> Result<Register> {
    let register = parse_register_at(input, Depth::Operand)?;
    let is_relative = register.index.relative.is_some()
        || register.outer.is_some_and(|outer| outer.relative.is_some());
    if is_relative {
        note_indexed(input, &register);
    }
    Ok(register)
}

/// Adds the dynamically indexed file or array of a register to the tree.
#[cold]
fn note_indexed(input: &mut Input<'_, '_>, register: &Register) {
    let file = register.file;
    let mut insert = |array, position| {
        let indexed = Indexed {
            file,
            array,
            position,
        };
        input.state.ast.indexed.insert(indexed);
    };
    if register.outer.is_some_and(|it| it.relative.is_some()) {
        insert(0, Position::Outer);
    }
    if register.index.relative.is_some() {
        insert(register.index.array, Position::Element);
    }
}

#[inline]
fn parse_register_at(input: &mut Input<'_, '_>, depth: Depth) -> Result<Register> {
    let start = peek(input).start;
    let file = parse_file(input)?;
    let first = parse_register_bracket(input, depth)?;
    let (outer, index) = if peek_kind(input) == TokenKind::OpenBracket {
        (Some(first), parse_register_bracket(input, depth)?)
    } else {
        (None, first)
    };
    Ok(Register {
        file,
        outer,
        index,
        span: Span::new(start, last_end(input)),
    })
}

/// Parses the name of a register file.
#[inline]
pub(super) fn parse_file(input: &mut Input<'_, '_>) -> Result<File> {
    let before = input.checkpoint();
    let word = take_word(input);
    if let Some(file) = File::of(word.text) {
        return Ok(file);
    }
    if word.text.is_empty() {
        return Err(fail_with(input, Code::RegisterFile, "a register"));
    }
    if begins_statement(&word) {
        // It is not an operand: the next statement begins here.
        input.reset(&before);
        let message = Message::Fixed("an operand is missing");
        let place = input.state.keyword;
        return Err(Failure::new(place, Code::MissingOperand, message));
    }
    let message = Message::RegisterFile;
    Err(Failure::new(word.span(), Code::RegisterFile, message))
}

/// Parses an index in brackets, and the array id after it.
#[inline]
fn parse_register_bracket(input: &mut Input<'_, '_>, depth: Depth) -> Result<Index> {
    parse_open_bracket(input)?;
    let mut index = if peek_kind(input) == TokenKind::Int {
        Index {
            relative: None,
            offset: parse_register_number(input)? as i32,
            array: 0,
        }
    } else {
        parse_register_bracket_index(input, depth)?
    };
    parse_close_bracket(input)?;
    let next = peek(input);
    // No whitespace precedes the id of an array: after whitespace a guard begins.
    if next.kind == TokenKind::OpenParen && next.is_glued() {
        index.array = parse_array_id(input, Code::RegisterIndex)?;
    }
    Ok(index)
}

/// Parses the number of a register.
#[inline]
pub(super) fn parse_register_number(input: &mut Input<'_, '_>) -> Result<u32> {
    let (number, span) = parse_uint(input, Code::RegisterIndex)?;
    // Tables have an entry for each number up to the largest one that is declared.
    if number < limits::TGSI_REGISTERS {
        return Ok(number);
    }
    let message = Message::UpTo("registers", limits::TGSI_REGISTERS - 1);
    Err(Failure::new(span, Code::IndexOutOfBounds, message))
}

/// Parses the id of an array in parentheses; `code` is that of the failure if it is not a number.
pub(super) fn parse_array_id(input: &mut Input<'_, '_>, code: Code) -> Result<u32> {
    mark(TokenKind::OpenParen, code, "`(`").parse_next(input)?;
    let (id, span) = parse_uint(input, code)?;
    if id >= limits::TGSI_ARRAYS {
        let message = Message::UpTo("arrays", limits::TGSI_ARRAYS - 1);
        return Err(Failure::new(span, Code::IndexOutOfBounds, message));
    }
    mark(TokenKind::CloseParen, Code::UnexpectedToken, "`)`").parse_next(input)?;
    Ok(id)
}

/// Parses an index other than a plain number: a negative one, or a register with an offset.
#[inline(never)]
fn parse_register_bracket_index(input: &mut Input<'_, '_>, depth: Depth) -> Result<Index> {
    let constant = |offset| Index {
        relative: None,
        offset,
        array: 0,
    };
    if peek_kind(input) == TokenKind::Minus {
        return Ok(constant(parse_index_offset(input)?));
    }
    // Indices in indices would be parsed without limit.
    if peek_kind(input) != TokenKind::Word || depth == Depth::Index {
        let expected = "a number or a register";
        return Err(fail_with(input, Code::RegisterIndex, expected));
    }
    let register = parse_register_at(input, Depth::Index)?;
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
    relatives.push(Relative { register, lane });
    Ok(Index {
        relative: Some(relatives.len() as u32 - 1),
        ..constant(offset)
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
        let rest = Span::new(token.start + 1, token.end);
        let expected = Message::Expected("`]`");
        return Err(Failure::new(rest, Code::RegisterIndex, expected));
    }
    Ok(lane as u8)
}

/// Parses a sign and a number.
fn parse_index_offset(input: &mut Input<'_, '_>) -> Result<i32> {
    let sign = advance(input);
    let offset = parse_register_number(input)? as i32;
    Ok(if sign.kind == TokenKind::Minus {
        -offset
    } else {
        offset
    })
}

/// Adds an operand without signs to the tree.
#[inline]
fn push_operand<'i>(input: &'i mut Input<'_, '_>, register: Register) -> &'i mut Operand {
    let end = last_end(input);
    let operands = &mut input.state.ast.operands;
    let last = operands.len();
    operands.push(Operand {
        register,
        swizzle: Swizzle::XYZW,
        mask: WriteMask::XYZW,
        negate: false,
        abs: false,
        end,
    });
    &mut operands[last]
}

/// Parses a result and adds it to the tree: register and write mask.
#[inline]
pub(super) fn parse_dst_operand(input: &mut Input<'_, '_>) -> Result<()> {
    let register = parse_register(input)?;
    let mask = parse_opt_writemask(input)?;
    push_operand(input, register).mask = mask;
    Ok(())
}

/// Parses a source and adds it to the tree: register and swizzle, perhaps with bars, perhaps with a
/// sign before them.
#[inline]
pub(super) fn parse_src_operand(input: &mut Input<'_, '_>) -> Result<()> {
    let negate = accept(input, TokenKind::Minus);
    if peek_kind(input) == TokenKind::Bar {
        return parse_absolute(input, negate);
    }
    parse_src_register(input, negate)
}

/// Parses an absolute value. TGSI has no sign within the bars.
#[cold]
fn parse_absolute(input: &mut Input<'_, '_>, negate: bool) -> Result<()> {
    let bar = advance(input);
    parse_src_register(input, negate)?;
    if let Some(operand) = input.state.ast.operands.last_mut() {
        operand.abs = true;
    }
    if !accept(input, TokenKind::Bar) {
        let message = Message::Fixed("the bar of an absolute value has no other one");
        return Err(Failure::new(bar.span(), Code::Bars, message));
    }
    Ok(())
}

/// Parses a register and a swizzle, and adds them to the tree. If only the swizzle is wrong, the
/// register is added.
#[inline]
fn parse_src_register(input: &mut Input<'_, '_>, negate: bool) -> Result<()> {
    let register = parse_register(input)?;
    let swizzle = parse_optional_swizzle(input);
    let operand = push_operand(input, register);
    operand.negate = negate;
    operand.swizzle = swizzle?;
    Ok(())
}

/// Parses a resource and adds it to the tree: register and swizzle.
pub(super) fn parse_resource(input: &mut Input<'_, '_>) -> Result<()> {
    parse_src_register(input, false)
}

/// Parses a texel offset and adds it to the tree: register and a swizzle of three components.
pub(super) fn parse_texoffset_operand(input: &mut Input<'_, '_>) -> Result<()> {
    let register = parse_register(input)?;
    let swizzle = parse_offset_swizzle(input);
    push_operand(input, register).swizzle = swizzle?;
    Ok(())
}

/// Parses the swizzle of an offset: a dot and up to three components.
fn parse_offset_swizzle(input: &mut Input<'_, '_>) -> Result<Swizzle> {
    if !accept(input, TokenKind::Dot) {
        return Ok(Swizzle::XYZW);
    }
    let span = super::input::peek_word(input);
    if span.range().len() > 3 {
        let message = Message::About("offsets have three components");
        return Err(Failure::new(span, Code::SwizzleLetters, message));
    }
    // Three components instead of four: the short form that only extended programs have elsewhere.
    let is_extended = std::mem::replace(&mut input.state.is_extended, true);
    let swizzle = parse_swizzle(input);
    input.state.is_extended = is_extended;
    swizzle
}

/// Parses a dot and a swizzle, if there is a dot.
#[inline]
pub(super) fn parse_optional_swizzle(input: &mut Input<'_, '_>) -> Result<Swizzle> {
    if accept(input, TokenKind::Dot) {
        parse_swizzle(input)
    } else {
        Ok(Swizzle::XYZW)
    }
}

/// Parses the components of a swizzle.
#[inline]
fn parse_swizzle(input: &mut Input<'_, '_>) -> Result<Swizzle> {
    let token = peek(input);
    let text = &input.state.ast.text[token.span().range()];
    if let &[x, y, z, w] = text {
        let lanes = [x, y, z, w].map(|letter| LETTERS[letter as usize]);
        // One test for all four: lanes are 0 to 3, r, g, b, a are 4 to 7, other bytes 255.
        if lanes[0] | lanes[1] | lanes[2] | lanes[3] <= 3 {
            input.next_token();
            return Ok(Swizzle::new(lanes));
        }
    }
    parse_other_swizzle(input)
}

/// Parses a swizzle that is not four of x, y, z and w.
#[inline(never)]
fn parse_other_swizzle(input: &mut Input<'_, '_>) -> Result<Swizzle> {
    let word = take_word(input);
    let count = word.text.len();
    if count == 0 {
        let expected = "four of x, y, z, w";
        return Err(fail_with(input, Code::SwizzleLetters, expected));
    }
    let failure = Failure::new(
        word.span(),
        Code::SwizzleLetters,
        Message::About("a swizzle is four of x, y, z, w"),
    );
    // Shipped programs have `.x` and `.xyz`, which documents display and readers refuse, and r, g,
    // b, a.
    let (least, most) = if input.state.is_extended {
        (1, 7)
    } else {
        (4, 3)
    };
    if !(least..=4).contains(&count) {
        return Err(failure);
    }
    let mut lanes = [0; 4];
    for (number, lane) in lanes.iter_mut().enumerate() {
        // Of one to three components the last one is repeated.
        let letter = word.text[number.min(count - 1)];
        let found = LETTERS[letter as usize];
        if found > most {
            return Err(failure);
        }
        *lane = found % 4;
    }
    Ok(Swizzle::new(lanes))
}

/// Parses a dot and a write mask, if there is a dot.
#[inline]
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
            .checked_shl(LETTERS[letter as usize].into())
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
    let message = Message::About("a mask has some of x, y, z, w in this order");
    Err(Failure::new(word.span(), Code::MaskOrder, message))
}

/// Parses the registers of a declaration: `a]` or `a..b]`.
pub(super) fn parse_register_dcl_bracket(input: &mut Input<'_, '_>) -> Result<(u32, u32)> {
    let start = peek(input).start;
    let first = parse_register_number(input)?;
    let mut last = first;
    if accept(input, TokenKind::Dot) {
        // Both dots are adjacent.
        let next = peek(input);
        if !(next.kind == TokenKind::Dot && next.is_glued()) {
            return Err(fail_with(input, Code::RegisterIndex, "`.`"));
        }
        advance(input);
        last = parse_register_number(input)?;
    }
    let end = last_end(input);
    parse_close_bracket(input)?;
    if last < first {
        let span = Span::new(start, end);
        let message = Message::Reversed(first, last);
        return Err(Failure::new(span, Code::RangeReversed, message));
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

fn parse_semantic_index(input: &mut Input<'_, '_>) -> Result<u32> {
    let (number, span) = parse_uint(input, Code::RegisterIndex)?;
    // Indices of semantics have eight bits in the IR.
    if number <= u32::from(u8::MAX) {
        return Ok(number);
    }
    let message = Message::UpTo("semantics", u8::MAX.into());
    Err(Failure::new(span, Code::IndexOutOfBounds, message))
}
