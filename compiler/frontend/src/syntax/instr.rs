//! Instruction lines.

use super::handle::{handle, handle_ahead, texture_handle};
use super::operand::{condition, operand, optional_condition, push_operand, result};
use super::{
    Expected, Input, Parsed, accept, advance, ahead, expect, fail_at, fail_with, go_to, peek,
    peek_kind, position, skip,
};
use crate::ast::{
    Base, ExtComponent, ExtSelect, Extra, Index, Inst, Offset, Operand, Signs, Suffix, TexPart,
};
use crate::codes::Code;
use crate::lang::modifiers::{Modifiers, Mods};
use crate::lang::opcodes::{Opcode, OperandKind, ResultKind};
use crate::lang::targets;
use crate::lex::{Kind, Token};
use glasm_ir::Span;

/// An instruction whose first word stands ahead and was found to be `opcode` with the suffixes `mods`.
#[inline]
pub(super) fn instruction(
    input: &mut Input<'_, '_>,
    word: Token,
    (opcode, mods): (Opcode, Mods),
) -> Parsed<()> {
    go_to(input, word.end() as usize);
    input.state.ast.operands.clear();
    input.state.ast.textures.clear();
    let mut modifiers = Modifiers::new(mods);
    if input.input.first() == Some(&b'.') && peek(input).kind() == Kind::Dot {
        modifiers = add_modifiers(input, modifiers)?;
    }
    let info = opcode.info();
    // Most opcodes have a result and operands only, which the lines below read without a look at their kinds.
    if !info.plain {
        let start = Start {
            opcode,
            word,
            modifiers,
        };
        return unusual_instruction(input, start);
    }
    let mut separated = true;
    let mut dst = None;
    if info.result != ResultKind::None {
        dst = Some(result(input)?);
        separated = false;
    }
    for _ in 0..info.operands.len() {
        if !separated {
            comma(input)?;
        }
        push_operand(input)?;
        separated = false;
    }
    let end = semicolon(input)?;
    let span = Span::new(word.start(), end);
    input.state.read_inst(Inst {
        opcode,
        operand_count: info.operands.len() as u8,
        broken: false,
        modifiers,
        dst,
        cond: None,
        extra: Extra::None,
        span,
    });
    Ok(())
}

/// What stands before the operands.
#[derive(Clone, Copy)]
struct Start {
    opcode: Opcode,
    word: Token,
    modifiers: Modifiers,
}

/// Flow control, textures, SWZ, KIL.
#[inline(never)]
fn unusual_instruction(input: &mut Input<'_, '_>, start: Start) -> Parsed<()> {
    let Start {
        opcode,
        word,
        modifiers,
    } = start;
    let mut inst = Inst {
        opcode,
        operand_count: 0,
        broken: false,
        modifiers,
        dst: None,
        cond: None,
        extra: Extra::None,
        span: word.span(),
    };
    let parsed = rest(input, &mut inst);
    if parsed.is_err() {
        // A block whose first line has errors is open all the same; else its END would be an error, too.
        if !opcode.info().is_block() {
            return parsed;
        }
        inst.broken = true;
    }
    inst.operand_count = input.state.ast.operands.len() as u8;
    input.state.read_inst(inst);
    parsed
}

fn rest(input: &mut Input<'_, '_>, inst: &mut Inst) -> Parsed<()> {
    let info = inst.opcode.info();
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
            comma(input)?;
        }
        operand_of_kind(input, inst, kind)?;
        separated = false;
    }
    inst.span.end = semicolon(input)?;
    Ok(())
}

/// A comma between operands.
#[inline]
fn comma(input: &mut Input<'_, '_>) -> Parsed<()> {
    if input.input.first() != Some(&b',') {
        return Err(fail_at(input, Expected::Comma));
    }
    skip(input, 1);
    Ok(())
}

/// The semicolon behind an instruction, and where the instruction ends: blanks before the semicolon do not count.
#[inline]
fn semicolon(input: &mut Input<'_, '_>) -> Parsed<u32> {
    if input.input.first() != Some(&b';') {
        return Err(fail_at(input, Expected::Semicolon));
    }
    let close = position(input);
    skip(input, 1);
    match input.state.ast.text[..close].last() {
        Some(b' ' | b'\t' | b'\n' | b'\r') => Ok(end_before(input.state.ast.text, close)),
        _ => Ok(close as u32),
    }
}

/// The end of what stands before the blanks before `close`.
#[cold]
fn end_before(text: &[u8], close: usize) -> u32 {
    let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let blanks = text[..close].iter().rev().take_while(blank);
    (close - blanks.count()) as u32
}

fn operand_of_kind(input: &mut Input<'_, '_>, inst: &mut Inst, kind: OperandKind) -> Parsed<()> {
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
        | OperandKind::AddressRegister => push_operand(input)?,
        OperandKind::Count => {
            if peek(input).kind() != Kind::Semicolon {
                let operand = operand(input)?;
                input.state.ast.operands.push(operand);
            }
        }
        OperandKind::Cond => {
            let cond = match input.state.facts.optional_parentheses {
                true => optional_condition(input)?,
                false => Some(condition(input)?),
            };
            inst.cond = Some(cond.ok_or_else(|| fail_at(input, Expected::Condition))?);
        }
        OperandKind::Kill => kill(input, inst)?,
        OperandKind::Subroutine => {
            let operand = operand(input)?;
            input.state.ast.operands.push(operand);
        }
        OperandKind::Label => {
            let word = expect(input, Kind::Ident, Expected::Label)?;
            let name = input.state.intern(word);
            inst.extra = Extra::Label(name, word.span());
        }
        OperandKind::ExtSwizzle => {
            let components = extended_swizzle(input)?;
            inst.extra = Extra::ExtSwizzle(components);
        }
        OperandKind::Texture => texture(input, inst)?,
        OperandKind::Image => {
            image(input, inst)?;
            comma(input)?;
            image_target(input)?;
        }
        OperandKind::ImageUnit => image(input, inst)?,
        OperandKind::ImageTarget => image_target(input)?,
        OperandKind::OptCond => {}
    }
    Ok(())
}

/// A condition, or a vector if a variable of that name is declared.
fn kill(input: &mut Input<'_, '_>, inst: &mut Inst) -> Parsed<()> {
    let word = peek(input);
    if word.kind() == Kind::OpenParen && input.state.facts.optional_parentheses {
        inst.cond = optional_condition(input)?;
    } else if word.kind() == Kind::Ident && input.state.test(word).is_some() {
        inst.cond = Some(condition(input)?);
    } else {
        let operand = operand(input)?;
        input.state.ast.operands.push(operand);
    }
    Ok(())
}

/// The words behind points of the opcode.
#[inline(never)]
fn add_modifiers(input: &mut Input<'_, '_>, mut modifiers: Modifiers) -> Parsed<Modifiers> {
    if !input.state.facts.dotted_modifiers {
        return Err(fail_at(input, Expected::Result));
    }
    while accept(input, Kind::Dot) {
        let word = peek(input);
        if word.kind() != Kind::Ident {
            return Err(fail_at(input, Expected::Modifier));
        }
        let name = input.state.intern(word);
        let Some(modifier) = input.state.modifier(name) else {
            return Err(fail_at(input, Expected::Modifier));
        };
        if modifiers.add(modifier) {
            let text = input.state.ast.names.display(name);
            let message = format!("`{text}` repeats or contradicts another modifier of its kind");
            input
                .state
                .reports
                .error(Code::ModifierTwice, word.span(), message);
        }
        advance(input);
    }
    Ok(modifiers)
}

/// Four of `x y z w r g b a 0 1`, each with optional sign.
fn extended_swizzle(input: &mut Input<'_, '_>) -> Parsed<[ExtComponent; 4]> {
    let mut components = [ExtComponent {
        select: ExtSelect::Zero,
        negate: false,
    }; 4];
    let mut sets = u8::MAX;
    for (lane, component) in components.iter_mut().enumerate() {
        if lane > 0 {
            comma(input)?;
        }
        let negate = match peek(input).kind() {
            sign @ (Kind::Plus | Kind::Minus) => {
                advance(input);
                sign == Kind::Minus
            }
            _ => false,
        };
        let word = peek(input);
        let text = input.state.text(word);
        let select = match (word.kind(), text) {
            (Kind::Int, b"0") => Some(ExtSelect::Zero),
            (Kind::Int, b"1") => Some(ExtSelect::One),
            (Kind::Ident, &[letter]) => input.state.letters.component(letter).map(|(lane, set)| {
                // Each letter leaves the sets that it is in: none is left once both were used.
                sets &= set;
                ExtSelect::Lane(lane)
            }),
            _ => None,
        };
        if sets == 0 && !input.state.facts.mixed_extended_swizzle {
            return Err(fail_with(input, Expected::ExtSwizzle, Code::SwizzleMixed));
        }
        let Some(select) = select else {
            return Err(fail_at(input, Expected::ExtSwizzle));
        };
        advance(input);
        *component = ExtComponent { select, negate };
    }
    Ok(components)
}

/// `texture, target` with optional offset. Operands that stand before the texture beyond those of the opcode, such as the
/// reference of SHADOWARRAYCUBE, go to the operands.
fn texture(input: &mut Input<'_, '_>, inst: &mut Inst) -> Parsed<()> {
    let (mut texture, mut handle) = texture_name(input)?;
    let mut extra = 0;
    loop {
        if peek(input).kind() != Kind::Comma {
            return Err(fail_at(input, Expected::Comma));
        }
        // How many operands stand before the texture depends on the target, which stands behind it: the texture is what a target follows.
        if target_ahead(input) || extra == 2 || handle.is_some() {
            break;
        }
        if !operand_ahead(input) {
            advance(input);
            return Err(fail_at(input, Expected::Target));
        }
        advance(input);
        input.state.ast.operands.push(texture);
        extra += 1;
        (texture, handle) = texture_name(input)?;
    }
    advance(input);
    let word = peek(input);
    let Some(target) = targets::lookup(input.state.text(word)) else {
        return Err(fail_at(input, Expected::Target));
    };
    advance(input);
    let (offset, offset_span) = offset(input)?;
    let part = TexPart {
        texture,
        handle,
        target: target as u8,
        target_span: word.span(),
        offset,
        offset_span,
    };
    inst.extra = Extra::Texture(input.state.ast.textures.len() as u32);
    input.state.ast.textures.push(part);
    Ok(())
}

/// A unit such as `texture[0]`, whose word need not be reserved. Anything else is read as operand, for the checker to refuse.
fn unit(input: &mut Input<'_, '_>, word: &[u8]) -> Parsed<Operand> {
    let first = peek(input);
    if first.kind() != Kind::Ident || input.state.text(first) != word {
        return operand(input);
    }
    advance(input);
    let name = input.state.intern(first);
    let (path, end) = super::path::path(input, name, first.span())?;
    Ok(Operand {
        base: Base::Path(path),
        index: Index::None,
        suffix: Suffix::NONE,
        signs: Signs::empty(),
        span: Span::new(first.start(), end),
    })
}

/// The name of a texture, or its handle.
fn texture_name(input: &mut Input<'_, '_>) -> Parsed<(Operand, Option<Operand>)> {
    if !input.state.facts.texture_names {
        return Ok((unit(input, b"texture")?, None));
    }
    if handle_ahead(input) {
        return texture_handle(input).map(|(texture, handle)| (texture, Some(handle)));
    }
    Ok((operand(input)?, None))
}

/// An image unit, an image variable or the handle of an image; the target of the part follows later.
fn image(input: &mut Input<'_, '_>, inst: &mut Inst) -> Parsed<()> {
    let word = peek(input);
    let (image, by_handle) = if handle_ahead(input) {
        handle(input).map(|(image, handle)| (image, Some(handle)))?
    } else if input.state.is_declared(word) {
        (operand(input)?, None)
    } else {
        (unit(input, b"image")?, None)
    };
    inst.extra = Extra::Texture(input.state.ast.textures.len() as u32);
    input.state.ast.textures.push(TexPart {
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
fn image_target(input: &mut Input<'_, '_>) -> Parsed<()> {
    let word = peek(input);
    let Some(target) = targets::lookup(input.state.text(word)) else {
        return Err(fail_at(input, Expected::Target));
    };
    advance(input);
    if let Some(part) = input.state.ast.textures.last_mut() {
        part.target = target as u8;
        part.target_span = word.span();
    }
    Ok(())
}

/// Whether a comma and then a word in the place of a target follow: nothing or an offset stands behind it.
fn target_ahead(input: &mut Input<'_, '_>) -> bool {
    let Some(word) = ahead(input).nth(1) else {
        return false;
    };
    let known = matches!(word.kind(), Kind::Ident | Kind::Word)
        && targets::lookup(input.state.text(word)).is_some();
    known
        && (peek_kind(input, 2) != Kind::Comma
            || matches!(peek_kind(input, 3), Kind::OpenParen | Kind::Ident))
}

/// Whether a comma, an operand and again a comma follow, so that the operand cannot be the last word of a texture part.
fn operand_ahead(input: &Input<'_, '_>) -> bool {
    let ahead = ahead(input)
        .skip(1)
        .take_while(|token| token.kind() != Kind::Semicolon);
    let mut depth = 0i32;
    let mut commas = 0;
    for token in ahead {
        match token.kind() {
            Kind::OpenBracket | Kind::OpenBrace | Kind::OpenParen => depth += 1,
            Kind::CloseBracket | Kind::CloseBrace | Kind::CloseParen => depth -= 1,
            Kind::Comma if depth == 0 => commas += 1,
            _ => {}
        }
    }
    commas > 0
}

/// `, (a, b, c)`, `(a, b, c)`, `, offset(v)` or `offset(v)`.
fn offset(input: &mut Input<'_, '_>) -> Parsed<(Offset, Span)> {
    if !input.state.facts.texel_offsets {
        return Ok((Offset::None, peek(input).span()));
    }
    let comma = peek(input).kind() == Kind::Comma;
    let start = ahead(input).nth(usize::from(comma)).unwrap_or(peek(input));
    match start.kind() {
        Kind::OpenParen => {
            if comma {
                advance(input);
            }
            constant_offset(input, start)
        }
        Kind::Ident if input.state.text(start) == b"offset" => {
            if comma {
                advance(input);
            }
            advance(input);
            expect(input, Kind::OpenParen, Expected::Offset)?;
            let operand = operand(input)?;
            let close = expect(input, Kind::CloseParen, Expected::Token(Kind::CloseParen))?;
            input.state.ast.operands.push(operand);
            Ok((Offset::Dynamic, start.span().to(close.span())))
        }
        _ => Ok((Offset::None, start.span())),
    }
}

fn constant_offset(input: &mut Input<'_, '_>, start: Token) -> Parsed<(Offset, Span)> {
    advance(input);
    let mut components = [0; 3];
    for (index, component) in components.iter_mut().enumerate() {
        if index > 0 && !accept(input, Kind::Comma) {
            break;
        }
        let minus = peek(input).kind() == Kind::Minus;
        if minus || peek(input).kind() == Kind::Plus {
            advance(input);
        }
        let value = i64::from(super::path::small_int(input)?);
        *component = if minus { -value } else { value };
    }
    let close = expect(input, Kind::CloseParen, Expected::Token(Kind::CloseParen))?;
    Ok((Offset::Constant(components), start.span().to(close.span())))
}
