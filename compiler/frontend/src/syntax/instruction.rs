//! `<instruction>`, with the operands that only some instructions have. NV_gpu_program4 section
//! 2.X.2.

use super::input::{
    Expected, Input, Result, advance, fail, fail_with, identifier, last_end, mark, parse_comma,
    peek, peek_after, peek_kind, token,
};
use super::literal::{parse_opt_sign, parse_signed_int};
use super::operand::{
    parse_cc_mask_rule, parse_constant_operand, parse_inst_result, parse_operand,
    parse_opt_branch_cond, parse_signed_operand, parse_variable_use,
};
use super::{binding, register};
use crate::ast::{
    ExtComponent, ExtSelect, ExtraPart, Index, Inst, Operand, OperandBase, Signs, Suffix,
    TexelOffsetArg, TextureAccess,
};
use crate::codes::Code;
use crate::lang::modifiers::{self, ModifierFlags, Modifiers};
use crate::lang::opcodes::{Opcode, OperandKind, ResultKind};
use crate::lang::register::FragmentNames;
use crate::lang::texture_targets;
use crate::lex::{Token, TokenKind};
use glasm_ir::Span;
use winnow::Parser as _;
use winnow::combinator::{delimited, preceded, repeat, separated};
use winnow::token::one_of;

/// Parses the remainder of `<instruction> ";"`, whose first word is an opcode with suffixes, and
/// appends the instruction to the AST. After a syntax error it is appended only if it opens a
/// block, marked as incorrect.
///
/// All instructions follow one rule: `<op> <opModifiers> <instResult> "," <operand> "," <operand>`,
/// of which the table entry of the opcode defines the parts.
pub(super) fn parse_instruction(
    input: &mut Input<'_, '_>,
    word: Token,
    (opcode, suffixes): (Opcode, ModifierFlags),
) -> Result<()> {
    let modifiers = parse_op_modifiers(input, Modifiers::new(suffixes))?;
    let first_operand = input.state.ast.operands.len() as u32;
    let mut inst = Inst {
        opcode,
        first_operand,
        operand_count: 0,
        has_syntax_error: false,
        modifiers,
        dst: None,
        cond: None,
        extra: ExtraPart::None,
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
        inst.has_syntax_error = true;
    }
    inst.operand_count = (input.state.ast.operands.len() - first_operand as usize) as u8;
    input.state.push_inst(inst);
    parsed
}

/// Parses result and operands of an instruction, and the semicolon, into `inst` and the AST's list
/// of operands. Sets the end of the instruction's span to that of its last token before the
/// semicolon.
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
        if kind.is_listed() {
            push_operand(input)?;
        } else {
            parse_unlisted_operand(input, inst, kind)?;
        }
        is_first = false;
    }
    let end = last_end(input);
    token(TokenKind::Semicolon, Expected::Semicolon).parse_next(input)?;
    inst.span.end = end;
    Ok(())
}

/// Parses an operand that is stored in other fields of `inst` than its list of operands, such as a
/// label, a condition or a texture, or that may be missing.
#[inline(never)]
fn parse_unlisted_operand(
    input: &mut Input<'_, '_>,
    inst: &mut Inst,
    kind: OperandKind,
) -> Result<()> {
    match kind {
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
            inst.extra = ExtraPart::Label(name, span);
        }
        OperandKind::ExtSwizzle => {
            inst.extra = ExtraPart::ExtSwizzle(parse_extended_swizzle(input)?);
        }
        OperandKind::Texture => parse_tex_access(input, inst)?,
        OperandKind::Image => {
            parse_image(input, inst)?;
            parse_comma(input)?;
            parse_image_target(input)?;
        }
        OperandKind::ImageUnit => parse_image(input, inst)?,
        OperandKind::ImageTarget => parse_image_target(input)?,
        _ => push_operand(input)?,
    }
    Ok(())
}

/// Parses a variable or constant with signs and suffix, and appends it to the AST's list of
/// operands.
#[inline(never)]
fn push_operand(input: &mut Input<'_, '_>) -> Result<()> {
    let operand = match peek_kind(input) {
        TokenKind::Ident => parse_variable_use(input)?,
        TokenKind::Minus | TokenKind::Plus | TokenKind::Bar => parse_signed_operand(input)?,
        _ => parse_constant_operand(input)?,
    };
    input.state.ast.operands.push(operand);
    Ok(())
}

/// Parses the operand of KIL. Sets the condition of `inst` if the word is a condition test that no
/// declared variable hides, or a parenthesis where the language allows it; otherwise appends a
/// vector to the AST's list of operands.
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

/// Parses `<opModifiers> ::= <opModifierItem> <opModifiers> | /* empty */` with `<opModifierItem>
/// ::= "." <opModifier>`, in any order, unlike suffixes of the opcode: only the two types of CVT
/// are distinguished by their order. Returns `modifiers` with those added; a dot is a syntax error
/// in languages without such modifiers.
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

/// Parses `<opModifier>` and adds it to `modifiers`. Reports repeated and contradictory ones and
/// continues; an unknown word is a syntax error.
fn parse_op_modifier(input: &mut Input<'_, '_>, modifiers: &mut Modifiers) -> Result<()> {
    let word = peek(input);
    let Some(modifier) = modifiers::find_modifier(input.state.text(word)) else {
        return Err(fail(input, Expected::Modifier));
    };
    if modifiers.add(modifier) {
        let text = String::from_utf8_lossy(input.state.text(word));
        let message = format!("`{text}` repeats or contradicts another modifier of its kind");
        let reports = &mut input.state.reports;
        reports.report_error(Code::ModifierTwice, word.span(), message);
    }
    advance(input);
    Ok(())
}

/// Parses `<extendedSwizzle>`: four of `x y z w r g b a 0 1`, each with optional sign and separated
/// by commas. Components of both sets in one swizzle are a syntax error in languages that do not
/// allow it.
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
                let lane_and_set = input.state.letters.component(letter);
                lane_and_set.map(|(lane, set)| {
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

/// Parses `<texAccess> ::= <texImageUnit> "," <texTarget> | <texImageUnit> "," <texTarget> ","
/// <texOffset>` and adds it to `inst` and the AST.
///
/// Operands before the texture beyond those of the opcode, such as the reference of
/// SHADOWARRAYCUBE, are added to the operands.
fn parse_tex_access(input: &mut Input<'_, '_>, inst: &mut Inst) -> Result<()> {
    if let Some(fragment) = input.state.facts.fragment_names() {
        return parse_unit_access(input, inst, fragment);
    }
    let (mut texture, mut handle) = parse_texture(input)?;
    let mut extra_operands = 0;
    loop {
        if peek_kind(input) != TokenKind::Comma {
            return Err(fail(input, Expected::Comma));
        }
        // The number of operands before the texture depends on the target, which follows it: the
        // operand that a target follows is the texture. The longest forms have two more.
        if is_target_next(input) || extra_operands == 2 || handle.is_some() {
            break;
        }
        if !is_operand_next(input) {
            advance(input);
            return Err(fail(input, Expected::Target));
        }
        advance(input);
        input.state.ast.operands.push(texture);
        extra_operands += 1;
        (texture, handle) = parse_texture(input)?;
    }
    advance(input);
    let (target, target_span) = parse_tex_target(input)?;
    let (offset, offset_span) = parse_opt_tex_offset(input)?;
    push_texture_access(
        input,
        inst,
        TextureAccess {
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

/// Appends the texture or image operand of an instruction to the AST and refers to it in `inst`.
fn push_texture_access(input: &mut Input<'_, '_>, inst: &mut Inst, part: TextureAccess) {
    let parts = &mut input.state.ast.texture_accesses;
    inst.extra = ExtraPart::Texture(parts.len() as u32);
    parts.push(part);
}

/// Parses a texture unit with its target, such as `TEX0, 2D`, and adds it to `inst` and the AST.
/// NV_fragment_program section 3.11.3.
fn parse_unit_access(
    input: &mut Input<'_, '_>,
    inst: &mut Inst,
    names: &FragmentNames,
) -> Result<()> {
    let texture = register::parse_texture_unit(input, names)?;
    parse_comma(input)?;
    let (target, target_span) = parse_tex_target(input)?;
    push_texture_access(
        input,
        inst,
        TextureAccess {
            texture,
            handle: None,
            target,
            target_span,
            offset: TexelOffsetArg::None,
            offset_span: target_span,
        },
    );
    Ok(())
}

/// Parses a texture operand: `<texImageUnit>`, the name of a texture, or `handle(v.c)`. Returns the
/// operand and, for a handle, the operand that contains it; other operands are parsed as well and
/// refused by the checker.
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

/// Parses a unit such as `texture[0]`, whose word `keyword` need not be reserved. Any other operand
/// is parsed as such, which the checker refuses.
fn parse_image_unit(input: &mut Input<'_, '_>, keyword: &[u8]) -> Result<Operand> {
    let word = peek(input);
    if word.kind() != TokenKind::Ident || input.state.text(word) != keyword {
        return parse_operand(input);
    }
    advance(input);
    let path = binding::parse_named_path(input, word)?;
    Ok(Operand {
        base: OperandBase::Path(path),
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
        && peek_after(input, 1).kind() == TokenKind::OpenParen
        && input.state.text(word) == b"handle"
}

/// Parses `handle(v.c)` of a texture or image. Returns the operand of the resource, which has the
/// base of the handle and neither index nor suffix, and the operand that is the handle. The kind of
/// operand is checked later. NV_bindless_texture, changes to section 2.X.2.
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

/// Parses an image unit, an image variable or the handle of an image, and adds it to `inst` and the
/// AST. Its target is preliminary until [`parse_image_target`] sets it.
fn parse_image(input: &mut Input<'_, '_>, inst: &mut Inst) -> Result<()> {
    let word = peek(input);
    let (image, handle) = if is_handle_next(input) {
        parse_handle(input).map(|(image, handle)| (image, Some(handle)))?
    } else if input.state.is_declared(word) {
        (parse_operand(input)?, None)
    } else {
        (parse_image_unit(input, b"image")?, None)
    };
    push_texture_access(
        input,
        inst,
        TextureAccess {
            texture: image,
            handle,
            target: 0,
            target_span: image.span,
            offset: TexelOffsetArg::None,
            offset_span: image.span,
        },
    );
    Ok(())
}

/// Parses the target of the image operand that was parsed last, and sets it there: further operands
/// may precede it.
fn parse_image_target(input: &mut Input<'_, '_>) -> Result<()> {
    let (target, span) = parse_tex_target(input)?;
    if let Some(part) = input.state.ast.texture_accesses.last_mut() {
        part.target = target;
        part.target_span = span;
    }
    Ok(())
}

/// Parses `<texTarget>`; returns its index in the target table and its span. Fails for unknown
/// words; whether the language has the target is checked later.
fn parse_tex_target(input: &mut Input<'_, '_>) -> Result<(u8, Span)> {
    let word = peek(input);
    let Some(target) = texture_targets::find_target(input.state.text(word)) else {
        return Err(fail(input, Expected::Target));
    };
    advance(input);
    Ok((target as u8, word.span()))
}

/// Returns true if the next tokens are a comma and the texture target that ends the operand:
/// nothing or an offset follows the target. The parser is at the comma.
fn is_target_next(input: &Input<'_, '_>) -> bool {
    let word = peek_after(input, 1);
    // Names such as CUBE may be variables: a target is the last word, or has an offset after it.
    let is_known = matches!(word.kind(), TokenKind::Ident | TokenKind::Word)
        && texture_targets::find_target(input.state.text(word)).is_some();
    is_known
        && (peek_after(input, 2).kind() != TokenKind::Comma
            || matches!(
                peek_after(input, 3).kind(),
                TokenKind::OpenParen | TokenKind::Ident
            ))
}

/// Returns true if a second comma outside of brackets follows in the statement after the one that
/// is next, so that the operand between them cannot be the last word of a texture operand. The
/// parser is at the first comma.
fn is_operand_next(input: &Input<'_, '_>) -> bool {
    let statement = input.rest().iter().skip(1);
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
/// `offset(v)` of NV_gpu_program5, whose operand is appended to the AST's operands. Returns the
/// offset and its span, or `None` and the span of the next word; languages without offsets never
/// have one.
fn parse_opt_tex_offset(input: &mut Input<'_, '_>) -> Result<(TexelOffsetArg, Span)> {
    let start = peek(input);
    if !input.state.facts.texel_offsets {
        return Ok((TexelOffsetArg::None, start.span()));
    }
    let has_comma = start.kind() == TokenKind::Comma;
    let word = peek_after(input, usize::from(has_comma));
    let is_dynamic = word.kind() == TokenKind::Ident && input.state.text(word) == b"offset";
    if word.kind() != TokenKind::OpenParen && !is_dynamic {
        return Ok((TexelOffsetArg::None, word.span()));
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
        TexelOffsetArg::Dynamic
    } else {
        TexelOffsetArg::Constant(parse_tex_offset(input)?)
    };
    Ok((offset, Span::new(word.start(), last_end(input))))
}

/// Parses `<texOffset> ::= "(" <texOffsetComp> "," <texOffsetComp> "," <texOffsetComp> ")"` with
/// one to three components, in texels; components that are missing are zero. NV_gpu_program4
/// section 2.X.4.4.
fn parse_tex_offset(input: &mut Input<'_, '_>) -> Result<[i64; 3]> {
    let mut components = [0; 3];
    let mut remaining_components = components.iter_mut();
    let component = |input: &mut Input<'_, '_>| {
        let value = parse_signed_int(input)?;
        if let Some(component) = remaining_components.next() {
            *component = value;
        }
        Ok(())
    };
    let component_list = separated(1..=3, component, one_of(TokenKind::Comma));
    let (open, close) = (mark(TokenKind::OpenParen), mark(TokenKind::CloseParen));
    let () = delimited(open, component_list, close).parse_next(input)?;
    Ok(components)
}
