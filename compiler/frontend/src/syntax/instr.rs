//! Instruction lines.

use super::cursor::{Expected, Parsed, Syntax};
use super::handle::{handle, handle_ahead, texture_handle};
use super::numbers::{self, sign};
use super::operand::{condition, operand, optional_condition, result, usual_operand};
use super::{path, register};
use crate::ast::{
    Base, ExtComponent, ExtSelect, Extra, Index, Inst, Offset, Operand, Signs, Suffix, TexPart,
};
use crate::codes::Code;
use crate::lang::modifiers::{self, Modifiers, Mods};
use crate::lang::opcodes::{Opcode, OperandKind, ResultKind};
use crate::lang::register::FragmentNames;
use crate::lang::targets;
use crate::lex::{Token, TokenKind};
use glasm_ir::Span;

/// An instruction whose first word was found to be `opcode` with the suffixes `mods`.
#[inline]
pub(super) fn instruction(
    input: &mut Syntax<'_>,
    word: Span,
    (opcode, mods): (Opcode, Mods),
) -> Parsed<()> {
    let first_operand = input.ast.operands.len() as u32;
    let mut modifiers = Modifiers::new(mods);
    if input.is_at(TokenKind::Dot) {
        modifiers = add_modifiers(input, modifiers)?;
    }
    let info = opcode.info();
    // Most opcodes have a result and operands only, which the lines below read without a look at their kinds.
    if !info.plain {
        let start = Opening {
            opcode,
            word,
            modifiers,
            first_operand,
        };
        return unusual_instruction(input, start);
    }
    let operands = info.operands.len();
    let dst = match info.result {
        ResultKind::None => {
            parse_first_operand(input, operands)?;
            None
        }
        _ => Some(result(input)?),
    };
    // Without a result, the first operand was read above, and no comma stands before it.
    for _ in usize::from(dst.is_none())..operands {
        input.expect_comma()?;
        let operand = usual_operand(input)?;
        input.ast.operands.push(operand);
    }
    let end = semicolon(input)?;
    input.push_inst(Inst {
        opcode,
        first_operand,
        operand_count: info.operands.len() as u8,
        broken: false,
        modifiers,
        dst,
        cond: None,
        extra: Extra::None,
        span: Span::new(word.start, end),
    });
    Ok(())
}

/// The first operand of an instruction without result, if it has any.
#[inline(never)]
fn parse_first_operand(input: &mut Syntax<'_>, operands: usize) -> Parsed<()> {
    match operands {
        0 => Ok(()),
        _ => some_operand(input),
    }
}

/// What stands before the operands.
#[derive(Clone, Copy)]
struct Opening {
    opcode: Opcode,
    word: Span,
    modifiers: Modifiers,
    first_operand: u32,
}

/// Flow control, textures, SWZ, KIL.
#[inline(never)]
fn unusual_instruction(input: &mut Syntax<'_>, start: Opening) -> Parsed<()> {
    let Opening {
        opcode,
        word,
        modifiers,
        first_operand,
    } = start;
    let mut inst = Inst {
        opcode,
        first_operand,
        operand_count: 0,
        broken: false,
        modifiers,
        dst: None,
        cond: None,
        extra: Extra::None,
        span: word,
    };
    let parsed = rest(input, &mut inst);
    if parsed.is_err() {
        // A block whose first line has errors is open all the same; else its END would be an error, too.
        if !opcode.info().is_block() {
            return parsed;
        }
        // The rules then only open the block.
        inst.broken = true;
    }
    inst.operand_count = (input.ast.operands.len() - first_operand as usize) as u8;
    input.push_inst(inst);
    parsed
}

fn rest(input: &mut Syntax<'_>, inst: &mut Inst) -> Parsed<()> {
    let info = inst.opcode.info();
    // No comma stands before the first operand of an opcode without result.
    let mut separated = true;
    if info.result != ResultKind::None {
        inst.dst = Some(result(input)?);
        separated = false;
    }
    for &kind in info.operands {
        if matches!(kind, OperandKind::OptCond) {
            // A condition follows the label or the opcode without a comma.
            inst.cond = optional_condition(input)?;
            continue;
        }
        if !separated {
            input.expect(TokenKind::Comma, Expected::Comma)?;
        }
        operand_of_kind(input, inst, kind)?;
        separated = false;
    }
    inst.span.end = semicolon(input)?;
    Ok(())
}

/// The semicolon behind an instruction, and where the instruction ends: blanks before the semicolon do not count.
#[inline(always)]
fn semicolon(input: &mut Syntax<'_>) -> Parsed<u32> {
    let close = input.position();
    match *input.rest {
        // Most lines end here. Blanks and the `#` of comments are no greater than `#`: nothing else is to be skipped.
        [b';', b'\n', next, ..] if next > b'#' => input.rest = &input.rest[2..],
        _ => input.expect(TokenKind::Semicolon, Expected::Semicolon)?,
    }
    match input.ast.text[..close as usize].last() {
        Some(b' ' | b'\t' | b'\n' | b'\r') => Ok(end_before(input.ast.text, close as usize)),
        _ => Ok(close),
    }
}

/// The end of what stands before the blanks before `close`.
#[cold]
fn end_before(text: &[u8], close: usize) -> u32 {
    let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let blanks = text[..close].iter().rev().take_while(blank);
    (close - blanks.count()) as u32
}

fn operand_of_kind(input: &mut Syntax<'_>, inst: &mut Inst, kind: OperandKind) -> Parsed<()> {
    match kind {
        OperandKind::V
        | OperandKind::Vf
        | OperandKind::Vs
        | OperandKind::Vu
        | OperandKind::S
        | OperandKind::Su
        | OperandKind::Address
        | OperandKind::Plain
        | OperandKind::ConstMem
        | OperandKind::SharedMem
        | OperandKind::StorageMem
        | OperandKind::CounterMem
        | OperandKind::Sv
        | OperandKind::AddressRegister
        | OperandKind::Subroutine => some_operand(input)?,
        // REP without a count loops until BRK or RET ends it. NV_gpu_program4 section 2.X.8.Z.
        OperandKind::Count => {
            if !input.is_at(TokenKind::Semicolon) {
                some_operand(input)?;
            }
        }
        OperandKind::Cond => {
            // IF has a condition without parentheses in every grammar; shipped programs of the typed languages write some.
            let cond = match input.facts.optional_parentheses {
                true => optional_condition(input)?,
                false => Some(condition(input)?),
            };
            inst.cond = Some(cond.ok_or_else(|| input.fail_at(Expected::Condition))?);
        }
        OperandKind::Kill => kill(input, inst)?,
        OperandKind::Label => {
            let (name, span) = input.expect_name(Expected::Label)?;
            inst.extra = Extra::Label(name, span);
        }
        OperandKind::ExtSwizzle => {
            let components = extended_swizzle(input)?;
            inst.extra = Extra::ExtSwizzle(components);
        }
        OperandKind::Texture => texture(input, inst)?,
        OperandKind::Image => {
            image(input, inst)?;
            input.expect(TokenKind::Comma, Expected::Comma)?;
            image_target(input)?;
        }
        OperandKind::ImageUnit => image(input, inst)?,
        OperandKind::ImageTarget => image_target(input)?,
        OperandKind::OptCond => {}
    }
    Ok(())
}

/// Adds an operand to those of an instruction that has others.
fn some_operand(input: &mut Syntax<'_>) -> Parsed<()> {
    let operand = operand(input)?;
    input.ast.operands.push(operand);
    Ok(())
}

/// A condition, or a vector if a variable of that name is declared.
fn kill(input: &mut Syntax<'_>, inst: &mut Inst) -> Parsed<()> {
    let word = input.peek();
    if word.kind() == TokenKind::OpenParen && input.facts.optional_parentheses {
        // In parentheses there can only be a condition: no vector begins with one.
        inst.cond = optional_condition(input)?;
    } else if word.kind() == TokenKind::Ident && input.test(word).is_some() {
        inst.cond = Some(condition(input)?);
    } else {
        some_operand(input)?;
    }
    Ok(())
}

/// The words behind points of the opcode.
#[inline(never)]
fn add_modifiers(input: &mut Syntax<'_>, mut modifiers: Modifiers) -> Parsed<Modifiers> {
    if !input.facts.dotted_modifiers {
        return Err(input.fail_at(Expected::Result));
    }
    // In any order, unlike suffixes of the opcode. Only the two types of CVT are told apart by theirs.
    while input.accept(TokenKind::Dot) {
        let word = input.peek();
        let Some(modifier) = modifiers::lookup(input.text(word)) else {
            return Err(input.fail_at(Expected::Modifier));
        };
        if modifiers.add(modifier) {
            let text = String::from_utf8_lossy(input.text(word));
            let message = format!("`{text}` repeats or contradicts another modifier of its kind");
            let reports = &mut input.reports;
            reports.error(Code::ModifierTwice, word.span(), message);
        }
        input.go_to(word.end());
    }
    Ok(modifiers)
}

/// Four of `x y z w r g b a 0 1`, each with optional sign.
fn extended_swizzle(input: &mut Syntax<'_>) -> Parsed<[ExtComponent; 4]> {
    let mut components = [ExtComponent {
        select: ExtSelect::Zero,
        negate: false,
    }; 4];
    // Every bit is set, for a swizzle of nothing but 0 and 1 is of no set and not mixed.
    let mut sets = u8::MAX;
    for (lane, component) in components.iter_mut().enumerate() {
        if lane > 0 {
            input.expect(TokenKind::Comma, Expected::Comma)?;
        }
        let negate = sign(input) == Some(TokenKind::Minus);
        let word = input.peek();
        let text = input.text(word);
        let select = match (word.kind(), text) {
            (TokenKind::Int, b"0") => Some(ExtSelect::Zero),
            (TokenKind::Int, b"1") => Some(ExtSelect::One),
            (TokenKind::Ident, &[letter]) => input.letters.component(letter).map(|(lane, set)| {
                // Each letter leaves the sets that it is in: none is left once both were used.
                sets &= set;
                ExtSelect::Lane(lane)
            }),
            _ => None,
        };
        if sets == 0 && !input.facts.mixed_extended_swizzle {
            return Err(input.fail_with(Expected::ExtSwizzle, Code::SwizzleMixed));
        }
        let Some(select) = select else {
            return Err(input.fail_at(Expected::ExtSwizzle));
        };
        input.advance();
        *component = ExtComponent { select, negate };
    }
    Ok(components)
}

/// `texture, target` with optional offset. Operands that stand before the texture beyond those of the opcode, such as the
/// reference of SHADOWARRAYCUBE, go to the operands.
fn texture(input: &mut Syntax<'_>, inst: &mut Inst) -> Parsed<()> {
    if let Some(fragment) = input.facts.fragment_names() {
        return named_unit(input, inst, fragment);
    }
    let (mut texture, mut handle) = texture_name(input)?;
    let mut extra = 0;
    loop {
        if !input.is_at(TokenKind::Comma) {
            return Err(input.fail_at(Expected::Comma));
        }
        // How many operands stand before the texture depends on the target, which stands behind it: the texture is what a target follows.
        if target_ahead(input) || extra == 2 || handle.is_some() {
            break;
        }
        if !operand_ahead(input) {
            input.advance();
            return Err(input.fail_at(Expected::Target));
        }
        input.advance();
        input.ast.operands.push(texture);
        // Two at most, which is what the longest forms have; the loop ends there even if commas go on.
        extra += 1;
        (texture, handle) = texture_name(input)?;
    }
    input.advance();
    let (target, target_span) = target(input)?;
    let (offset, offset_span) = offset(input)?;
    let part = TexPart {
        texture,
        handle,
        target,
        target_span,
        offset,
        offset_span,
    };
    inst.extra = Extra::Texture(input.ast.textures.len() as u32);
    input.ast.textures.push(part);
    Ok(())
}

/// `TEX0, 2D`. NV_fragment_program section 3.11.3.
fn named_unit(input: &mut Syntax<'_>, inst: &mut Inst, names: &FragmentNames) -> Parsed<()> {
    let texture = register::unit(input, names)?;
    input.expect(TokenKind::Comma, Expected::Comma)?;
    let (target, target_span) = target(input)?;
    inst.extra = Extra::Texture(input.ast.textures.len() as u32);
    input.ast.textures.push(TexPart {
        texture,
        handle: None,
        target,
        target_span,
        offset: Offset::None,
        offset_span: target_span,
    });
    Ok(())
}

/// A unit such as `texture[0]`, whose word need not be reserved. Anything else is read as operand, for the checker to refuse.
fn unit(input: &mut Syntax<'_>, word: &[u8]) -> Parsed<Operand> {
    let first = input.peek();
    if first.kind() != TokenKind::Ident || input.text(first) != word {
        return operand(input);
    }
    let (_, word) = input.take_name();
    let (path, end) = path::named_path(input, word, None)?;
    Ok(Operand {
        base: Base::Path(path),
        index: Index::None,
        suffix: Suffix::NONE,
        signs: Signs::empty(),
        span: Span::new(word.start, end),
    })
}

/// The name of a texture, or its handle.
fn texture_name(input: &mut Syntax<'_>) -> Parsed<(Operand, Option<Operand>)> {
    if !input.facts.texture_names {
        return Ok((unit(input, b"texture")?, None));
    }
    if handle_ahead(input) {
        return texture_handle(input).map(|(texture, handle)| (texture, Some(handle)));
    }
    Ok((operand(input)?, None))
}

/// An image unit, an image variable or the handle of an image; the target of the part follows later.
fn image(input: &mut Syntax<'_>, inst: &mut Inst) -> Parsed<()> {
    let word = input.peek();
    let (image, by_handle) = if handle_ahead(input) {
        handle(input).map(|(image, handle)| (image, Some(handle)))?
    } else if input.is_declared(word) {
        (operand(input)?, None)
    } else {
        (unit(input, b"image")?, None)
    };
    // The part is filled in twice: the target of an image stands behind further operands.
    inst.extra = Extra::Texture(input.ast.textures.len() as u32);
    input.ast.textures.push(TexPart {
        texture: image,
        handle: by_handle,
        target: 0,
        target_span: image.span,
        offset: Offset::None,
        offset_span: image.span,
    });
    Ok(())
}

/// The target of the image part that was read last.
fn image_target(input: &mut Syntax<'_>) -> Parsed<()> {
    let (target, span) = target(input)?;
    if let Some(part) = input.ast.textures.last_mut() {
        part.target = target;
        part.target_span = span;
    }
    Ok(())
}

/// A texture target: its row and its place.
fn target(input: &mut Syntax<'_>) -> Parsed<(u8, Span)> {
    let word = input.peek();
    let Some(target) = targets::lookup(input.text(word)) else {
        return Err(input.fail_at(Expected::Target));
    };
    input.advance();
    Ok((target as u8, word.span()))
}

/// Whether a comma and then a word in the place of a target follow: nothing or an offset stands behind it.
fn target_ahead(input: &mut Syntax<'_>) -> bool {
    let Some(word) = input.ahead().nth(1) else {
        return false;
    };
    // Names such as CUBE may be variables: a target is the last word, or has an offset behind it.
    let known = matches!(word.kind(), TokenKind::Ident | TokenKind::Word)
        && targets::lookup(input.text(word)).is_some();
    known
        && (input.peek_kind(2) != TokenKind::Comma
            || matches!(input.peek_kind(3), TokenKind::OpenParen | TokenKind::Ident))
}

/// Whether a comma, an operand and again a comma follow, so that the operand cannot be the last word of a texture part.
fn operand_ahead(input: &Syntax<'_>) -> bool {
    let ahead = input
        .ahead()
        .skip(1)
        .take_while(|token| token.kind() != TokenKind::Semicolon);
    let mut depth = 0i32;
    // Commas inside of brackets are those of a vector or an offset.
    for token in ahead {
        match token.kind() {
            TokenKind::OpenBracket | TokenKind::OpenBrace | TokenKind::OpenParen => depth += 1,
            TokenKind::CloseBracket | TokenKind::CloseBrace | TokenKind::CloseParen => depth -= 1,
            TokenKind::Comma if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// `, (a, b, c)`, `(a, b, c)`, `, offset(v)` or `offset(v)`.
fn offset(input: &mut Syntax<'_>) -> Parsed<(Offset, Span)> {
    if !input.facts.texel_offsets {
        return Ok((Offset::None, input.peek().span()));
    }
    let comma = input.is_at(TokenKind::Comma);
    let start = input
        .ahead()
        .nth(usize::from(comma))
        .unwrap_or(input.peek());
    match start.kind() {
        TokenKind::OpenParen => {
            if comma {
                input.advance();
            }
            constant_offset(input, start)
        }
        TokenKind::Ident if input.text(start) == b"offset" => {
            if comma {
                input.advance();
            }
            input.advance();
            input.expect(TokenKind::OpenParen, Expected::Offset)?;
            let operand = operand(input)?;
            let end = input.close(TokenKind::CloseParen)?;
            input.ast.operands.push(operand);
            Ok((Offset::Dynamic, Span::new(start.start(), end)))
        }
        _ => Ok((Offset::None, start.span())),
    }
}

fn constant_offset(input: &mut Syntax<'_>, start: Token) -> Parsed<(Offset, Span)> {
    input.advance();
    // One to three components; those that are missing are zero. NV_gpu_program4 section 2.X.4.4.
    let mut components = [0; 3];
    for (index, component) in components.iter_mut().enumerate() {
        if index > 0 && !input.accept(TokenKind::Comma) {
            break;
        }
        let is_negative = sign(input) == Some(TokenKind::Minus);
        let value = i64::from(numbers::small_int(input)?);
        *component = if is_negative { -value } else { value };
    }
    let end = input.close(TokenKind::CloseParen)?;
    let span = Span::new(start.start(), end);
    Ok((Offset::Constant(components), span))
}
