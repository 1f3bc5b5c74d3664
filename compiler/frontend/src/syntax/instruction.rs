//! `<instruction>`, with the operands that only some instructions have. NV_gpu_program4 section
//! 2.X.2.

use super::input::{
    Expected, Input, Result, advance, fail, fail_with, identifier, last_end, mark, parse_comma,
    peek, peek_kind, peek_kind_after, token,
};
use super::literal::{parse_opt_sign, parse_signed_int};
use super::operand::{
    parse_cc_mask_rule, parse_inst_result, parse_operand, parse_operand_inline,
    parse_opt_branch_cond,
};
use super::{binding, register};
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
use winnow::Parser as _;
use winnow::combinator::{delimited, preceded, repeat, separated};
use winnow::token::one_of;

/// Parses the rest of `<instruction> ";"`, whose first word is an opcode with suffixes.
///
/// All instructions follow one rule: `<op> <opModifiers> <instResult> "," <operand> "," <operand>`,
/// of which the table entry of the opcode defines the parts.
pub(super) fn parse_instruction(
    input: &mut Input<'_, '_>,
    word: Token,
    (opcode, suffixes): (Opcode, Mods),
) -> Result<()> {
    let modifiers = parse_op_modifiers(input, Modifiers::new(suffixes))?;
    let first_operand = input.state.ast.operands.len() as u32;
    let mut inst = Inst {
        opcode,
        first_operand,
        operand_count: 0,
        broken: false,
        modifiers,
        dst: None,
        cond: None,
        extra: Extra::None,
        span: word.span(),
    };
    let parsed = parse_operands(input, &mut inst);
    if parsed.is_err() {
        // A block whose first statement has errors is open nevertheless; else its END would be an
        // error, too.
        if !opcode.info().opens_block() {
            return parsed;
        }
        // The rules then only open the block.
        inst.broken = true;
    }
    inst.operand_count = (input.state.ast.operands.len() - first_operand as usize) as u8;
    input.state.push_inst(inst);
    parsed
}

/// Parses result and operands of an instruction, and the semicolon.
fn parse_operands(input: &mut Input<'_, '_>, inst: &mut Inst) -> Result<()> {
    let info = inst.opcode.info();
    // No comma precedes the first operand of an opcode without result.
    let mut is_first = true;
    if info.result != ResultKind::None {
        inst.dst = Some(parse_inst_result(input)?);
        is_first = false;
    }
    for &kind in info.operands {
        if kind == OperandKind::OptCond {
            // A condition follows the label or the opcode without a comma.
            inst.cond = parse_opt_branch_cond(input)?;
            continue;
        }
        if !is_first {
            parse_comma(input)?;
        }
        parse_operand_of(input, inst, kind)?;
        is_first = false;
    }
    let end = last_end(input);
    token(TokenKind::Semicolon, Expected::Semicolon).parse_next(input)?;
    inst.span.end = end;
    Ok(())
}

fn parse_operand_of(input: &mut Input<'_, '_>, inst: &mut Inst, kind: OperandKind) -> Result<()> {
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
        | OperandKind::Subroutine => push_operand(input)?,
        // REP without a count loops until BRK or RET ends it. NV_gpu_program4 section 2.X.8.Z.
        OperandKind::Count => {
            if peek_kind(input) != TokenKind::Semicolon {
                push_operand(input)?;
            }
        }
        OperandKind::Cond => {
            // IF has a condition without parentheses in every grammar; shipped programs of the
            // typed languages write some.
            let cond = if input.state.facts.optional_parentheses {
                parse_opt_branch_cond(input)?
            } else {
                Some(parse_cc_mask_rule(input)?)
            };
            inst.cond = Some(cond.ok_or_else(|| fail(input, Expected::Condition))?);
        }
        OperandKind::Kill => parse_kill(input, inst)?,
        OperandKind::Label => {
            let (name, span) = identifier(Expected::Label).parse_next(input)?;
            inst.extra = Extra::Label(name, span);
        }
        OperandKind::ExtSwizzle => {
            inst.extra = Extra::ExtSwizzle(parse_extended_swizzle(input)?);
        }
        OperandKind::Texture => parse_tex_access(input, inst)?,
        OperandKind::Image => {
            parse_image(input, inst)?;
            parse_comma(input)?;
            parse_image_target(input)?;
        }
        OperandKind::ImageUnit => parse_image(input, inst)?,
        OperandKind::ImageTarget => parse_image_target(input)?,
        OperandKind::OptCond => {}
    }
    Ok(())
}

/// Parses an operand and adds it to those of the instruction.
#[inline(never)]
fn push_operand(input: &mut Input<'_, '_>) -> Result<()> {
    let operand = parse_operand_inline(input)?;
    input.state.ast.operands.push(operand);
    Ok(())
}

/// Parses the operand of KIL: a condition, or a vector if a variable of that name is declared.
fn parse_kill(input: &mut Input<'_, '_>, inst: &mut Inst) -> Result<()> {
    let word = peek(input);
    if word.kind() == TokenKind::OpenParen && input.state.facts.optional_parentheses {
        // Parentheses can only contain a condition: no vector begins with one.
        inst.cond = parse_opt_branch_cond(input)?;
        return Ok(());
    }
    if word.kind() == TokenKind::Ident && input.state.test(word).is_some() {
        inst.cond = Some(parse_cc_mask_rule(input)?);
        return Ok(());
    }
    push_operand(input)
}

/// Parses `<opModifiers> ::= <opModifierItem> <opModifiers> | /* empty */` with
/// `<opModifierItem> ::= "." <opModifier>`, in any order, unlike suffixes of the opcode: only the
/// two types of CVT are distinguished by their order.
fn parse_op_modifiers(input: &mut Input<'_, '_>, mut modifiers: Modifiers) -> Result<Modifiers> {
    if peek_kind(input) != TokenKind::Dot {
        return Ok(modifiers);
    }
    if !input.state.facts.dotted_modifiers {
        return Err(fail(input, Expected::Result));
    }
    let op_modifier = |input: &mut Input<'_, '_>| parse_op_modifier(input, &mut modifiers);
    let () = repeat(1.., preceded(one_of(TokenKind::Dot), op_modifier)).parse_next(input)?;
    Ok(modifiers)
}

/// Parses `<opModifier>` and adds it to others.
fn parse_op_modifier(input: &mut Input<'_, '_>, modifiers: &mut Modifiers) -> Result<()> {
    let word = peek(input);
    let Some(modifier) = modifiers::lookup(input.state.text(word)) else {
        return Err(fail(input, Expected::Modifier));
    };
    if modifiers.add(modifier) {
        let text = String::from_utf8_lossy(input.state.text(word));
        let message = format!("`{text}` repeats or contradicts another modifier of its kind");
        let reports = &mut input.state.reports;
        reports.error(Code::ModifierTwice, word.span(), message);
    }
    advance(input);
    Ok(())
}

/// Parses `<extendedSwizzle>`: four of `x y z w r g b a 0 1`, each with optional sign.
fn parse_extended_swizzle(input: &mut Input<'_, '_>) -> Result<[ExtComponent; 4]> {
    let mut components = [ExtComponent {
        select: ExtSelect::Zero,
        negate: false,
    }; 4];
    // Every bit is set, for a swizzle of only 0 and 1 is of no set and not mixed.
    let mut sets = u8::MAX;
    for (lane, component) in components.iter_mut().enumerate() {
        if lane > 0 {
            parse_comma(input)?;
        }
        let negate = parse_opt_sign(input) == Some(TokenKind::Minus);
        let word = peek(input);
        let select = match (word.kind(), input.state.text(word)) {
            (TokenKind::Int, b"0") => Some(ExtSelect::Zero),
            (TokenKind::Int, b"1") => Some(ExtSelect::One),
            (TokenKind::Ident, &[letter]) => {
                let found = input.state.letters.component(letter);
                found.map(|(lane, set)| {
                    // Each character leaves the sets that contain it: none is left once both were
                    // used.
                    sets &= set;
                    ExtSelect::Lane(lane)
                })
            }
            _ => None,
        };
        if sets == 0 && !input.state.facts.mixed_extended_swizzle {
            return Err(fail_with(input, Expected::ExtSwizzle, Code::SwizzleMixed));
        }
        let Some(select) = select else {
            return Err(fail(input, Expected::ExtSwizzle));
        };
        advance(input);
        *component = ExtComponent { select, negate };
    }
    Ok(components)
}

/// Parses
/// `<texAccess> ::= <texImageUnit> "," <texTarget> | <texImageUnit> "," <texTarget> "," <texOffset>`.
///
/// Operands before the texture beyond those of the opcode, such as the reference of
/// SHADOWARRAYCUBE, are added to the operands.
fn parse_tex_access(input: &mut Input<'_, '_>, inst: &mut Inst) -> Result<()> {
    if let Some(fragment) = input.state.facts.fragment_names() {
        return parse_unit_access(input, inst, fragment);
    }
    let (mut texture, mut handle) = parse_texture(input)?;
    let mut extra = 0;
    loop {
        if peek_kind(input) != TokenKind::Comma {
            return Err(fail(input, Expected::Comma));
        }
        // The number of operands before the texture depends on the target, which follows it: the
        // operand that a target follows is the texture. The longest forms have two more.
        if is_target_next(input) || extra == 2 || handle.is_some() {
            break;
        }
        if !is_operand_next(input) {
            advance(input);
            return Err(fail(input, Expected::Target));
        }
        advance(input);
        input.state.ast.operands.push(texture);
        extra += 1;
        (texture, handle) = parse_texture(input)?;
    }
    advance(input);
    let (target, target_span) = parse_tex_target(input)?;
    let (offset, offset_span) = parse_opt_tex_offset(input)?;
    push_part(
        input,
        inst,
        TexPart {
            texture,
            handle,
            target,
            target_span,
            offset,
            offset_span,
        },
    );
    Ok(())
}

/// Adds the texture or image part of an instruction.
fn push_part(input: &mut Input<'_, '_>, inst: &mut Inst, part: TexPart) {
    let parts = &mut input.state.ast.textures;
    inst.extra = Extra::Texture(parts.len() as u32);
    parts.push(part);
}

/// Parses `TEX0, 2D`. NV_fragment_program section 3.11.3.
fn parse_unit_access(
    input: &mut Input<'_, '_>,
    inst: &mut Inst,
    names: &FragmentNames,
) -> Result<()> {
    let texture = register::parse_unit(input, names)?;
    parse_comma(input)?;
    let (target, target_span) = parse_tex_target(input)?;
    push_part(
        input,
        inst,
        TexPart {
            texture,
            handle: None,
            target,
            target_span,
            offset: Offset::None,
            offset_span: target_span,
        },
    );
    Ok(())
}

/// Parses `<texImageUnit>`, the name of a texture or its handle.
fn parse_texture(input: &mut Input<'_, '_>) -> Result<(Operand, Option<Operand>)> {
    if !input.state.facts.texture_names {
        return Ok((parse_image_unit(input, b"texture")?, None));
    }
    if !is_handle_next(input) {
        return Ok((parse_operand(input)?, None));
    }
    let (mut texture, handle) = parse_handle(input)?;
    // The component that gathers select.
    texture.suffix = super::operand::parse_suffix(input)?;
    texture.span.end = last_end(input);
    Ok((texture, Some(handle)))
}

/// Parses a unit such as `texture[0]`, whose word need not be reserved. Anything else is parsed as
/// operand, which the checker refuses.
fn parse_image_unit(input: &mut Input<'_, '_>, keyword: &[u8]) -> Result<Operand> {
    let word = peek(input);
    if word.kind() != TokenKind::Ident || input.state.text(word) != keyword {
        return parse_operand(input);
    }
    advance(input);
    let path = binding::parse_named_path(input, word)?;
    Ok(Operand {
        base: Base::Path(path),
        index: Index::None,
        suffix: Suffix::NONE,
        signs: Signs::empty(),
        span: Span::new(word.start(), last_end(input)),
    })
}

/// Returns true if `handle (` follows. A variable may have that name, but no parenthesis follows a
/// variable.
fn is_handle_next(input: &Input<'_, '_>) -> bool {
    let word = peek(input);
    word.kind() == TokenKind::Ident
        && peek_kind_after(input, 1) == TokenKind::OpenParen
        && input.state.text(word) == b"handle"
}

/// Parses `handle(v.c)`: a texture operand without a name, and the operand that is its handle. The
/// kind of operand is checked later. NV_bindless_texture, changes to section 2.X.2.
fn parse_handle(input: &mut Input<'_, '_>) -> Result<(Operand, Operand)> {
    let start = advance(input).start();
    let (open, close) = (mark(TokenKind::OpenParen), mark(TokenKind::CloseParen));
    let handle = delimited(open, parse_operand, close).parse_next(input)?;
    let texture = Operand {
        base: handle.base,
        index: Index::None,
        suffix: Suffix::NONE,
        signs: Signs::empty(),
        span: Span::new(start, last_end(input)),
    };
    Ok((texture, handle))
}

/// Parses an image unit, an image variable or the handle of an image; the target of the part
/// follows later.
fn parse_image(input: &mut Input<'_, '_>, inst: &mut Inst) -> Result<()> {
    let word = peek(input);
    let (image, handle) = if is_handle_next(input) {
        parse_handle(input).map(|(image, handle)| (image, Some(handle)))?
    } else if input.state.is_declared(word) {
        (parse_operand(input)?, None)
    } else {
        (parse_image_unit(input, b"image")?, None)
    };
    push_part(
        input,
        inst,
        TexPart {
            texture: image,
            handle,
            target: 0,
            target_span: image.span,
            offset: Offset::None,
            offset_span: image.span,
        },
    );
    Ok(())
}

/// Parses the target of the image part that was parsed last: further operands precede it.
fn parse_image_target(input: &mut Input<'_, '_>) -> Result<()> {
    let (target, span) = parse_tex_target(input)?;
    if let Some(part) = input.state.ast.textures.last_mut() {
        part.target = target;
        part.target_span = span;
    }
    Ok(())
}

/// Parses `<texTarget>`; returns its index in the target table and its span.
fn parse_tex_target(input: &mut Input<'_, '_>) -> Result<(u8, Span)> {
    let word = peek(input);
    let Some(target) = targets::lookup(input.state.text(word)) else {
        return Err(fail(input, Expected::Target));
    };
    advance(input);
    Ok((target as u8, word.span()))
}

/// Returns true if a comma and then a target follow: after a target the part ends or an offset
/// follows.
fn is_target_next(input: &Input<'_, '_>) -> bool {
    let Some(&word) = input.get(1) else {
        return false;
    };
    // Names such as CUBE may be variables: a target is the last word, or has an offset after it.
    let is_known = matches!(word.kind(), TokenKind::Ident | TokenKind::Word)
        && targets::lookup(input.state.text(word)).is_some();
    is_known
        && (peek_kind_after(input, 2) != TokenKind::Comma
            || matches!(
                peek_kind_after(input, 3),
                TokenKind::OpenParen | TokenKind::Ident
            ))
}

/// Returns true if a comma, an operand and again a comma follow, so that the operand cannot be the
/// last word of a texture part.
fn is_operand_next(input: &Input<'_, '_>) -> bool {
    let statement = input.iter().skip(1);
    let mut depth = 0i32;
    // Commas inside of brackets are those of a vector or an offset.
    for token in statement {
        match token.kind() {
            TokenKind::Semicolon | TokenKind::End => return false,
            TokenKind::OpenBracket | TokenKind::OpenBrace | TokenKind::OpenParen => depth += 1,
            TokenKind::CloseBracket | TokenKind::CloseBrace | TokenKind::CloseParen => depth -= 1,
            TokenKind::Comma if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// Parses `<texOffset>`, with a comma before it or without, if there is one: constants, or
/// `offset(v)` of NV_gpu_program5.
fn parse_opt_tex_offset(input: &mut Input<'_, '_>) -> Result<(Offset, Span)> {
    let start = peek(input);
    if !input.state.facts.texel_offsets {
        return Ok((Offset::None, start.span()));
    }
    let has_comma = start.kind() == TokenKind::Comma;
    let word = input.get(usize::from(has_comma)).copied().unwrap_or(start);
    let is_dynamic = word.kind() == TokenKind::Ident && input.state.text(word) == b"offset";
    if word.kind() != TokenKind::OpenParen && !is_dynamic {
        return Ok((Offset::None, word.span()));
    }
    if has_comma {
        advance(input);
    }
    let offset = if is_dynamic {
        advance(input);
        token(TokenKind::OpenParen, Expected::Offset).parse_next(input)?;
        let operand = parse_operand(input)?;
        mark(TokenKind::CloseParen).parse_next(input)?;
        input.state.ast.operands.push(operand);
        Offset::Dynamic
    } else {
        Offset::Constant(parse_tex_offset(input)?)
    };
    Ok((offset, Span::new(word.start(), last_end(input))))
}

/// Parses `<texOffset> ::= "(" <texOffsetComp> "," <texOffsetComp> "," <texOffsetComp> ")"`;
/// components that are missing are zero. NV_gpu_program4 section 2.X.4.4.
fn parse_tex_offset(input: &mut Input<'_, '_>) -> Result<[i64; 3]> {
    let mut components = [0; 3];
    let mut left = components.iter_mut();
    let component = |input: &mut Input<'_, '_>| {
        let value = parse_signed_int(input)?;
        if let Some(component) = left.next() {
            *component = value;
        }
        Ok(())
    };
    let list = separated(1..=3, component, one_of(TokenKind::Comma));
    let (open, close) = (mark(TokenKind::OpenParen), mark(TokenKind::CloseParen));
    let () = delimited(open, list, close).parse_next(input)?;
    Ok(components)
}
