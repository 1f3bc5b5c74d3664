//! Instructions: opcode, operands, and the parts that follow them.

use super::input::{
    Input, Result, accept, advance, fail, fail_with, last_end, peek, peek_after, peek_kind,
    peek_span, peek_word, take_word,
};
use super::operand::{
    parse_dst_operand, parse_optional_swizzle, parse_register, parse_resource, parse_src_operand,
    parse_texoffset_operand,
};
use crate::codes::Code;
use crate::tgsi::ast::{AccessQualifiers, Inst, PredicateGuard, StatementKind, TrailingOperand};
use crate::tgsi::declaration_tables::RegisterFile;
use crate::tgsi::lex::{TokenKind, Word};
use crate::tgsi::opcodes::{
    ExtraOperands, Flow, Lookup, Memory, OpcodeLowering, OpcodeRow, ViewLookup, begins_statement,
    is_resource,
};
use crate::tgsi::syntax_error::{SyntaxError, SyntaxErrorKind};
use crate::tgsi::texture_targets::{self, TextureTarget};
use glasm_ir::Span;
use glasm_ir::resource::MemFlags;
use winnow::stream::Stream as _;

/// Parses the rest of an instruction, whose opcode is a word, and adds it to the tree. With a
/// syntax error the tree has the parts before it.
pub(super) fn parse_instruction(
    input: &mut Input<'_, '_>,
    word: &Word<'_>,
    printed: Option<u32>,
    guard: Option<u32>,
    kind: &mut StatementKind,
) -> Result<()> {
    let span = word.span();
    let Some((row, suffixes)) = OpcodeRow::from_word(word) else {
        *kind = StatementKind::UnknownOpcode(span);
        return Err(SyntaxError::new(
            span,
            Code::UnknownOpcode,
            SyntaxErrorKind::Opcode,
        ));
    };
    input.state.keyword = span;
    let first_operand = input.state.ast.operands.len() as u32;
    let mut inst = Inst {
        opcode_row: row,
        modifiers: suffixes,
        guard,
        printed_number: printed,
        opcode: span,
        span,
        first_operand,
        operand_count: 0,
        source_count: 0,
        trailing: TrailingOperand::None,
    };
    let parsed = parse_operands(input, &mut inst);
    if parsed.is_ok() {
        inst.span.end = last_end(input);
    }
    let ast = &mut input.state.ast;
    inst.operand_count = ast.operands.len() as u32 - first_operand;
    *kind = StatementKind::Inst(ast.insts.len() as u32);
    ast.insts.push(inst);
    parsed
}

/// Parses the predicate before an instruction: `(PRED[0].x)` or `(!PRED[0].x)`.
#[cold]
pub(super) fn parse_guard(input: &mut Input<'_, '_>) -> Result<u32> {
    advance(input);
    let is_inverted = accept(input, TokenKind::Bang);
    let register = parse_register(input)?;
    if register.file != RegisterFile::Pred {
        let message = SyntaxErrorKind::Text("a predicate is expected here");
        return Err(SyntaxError::new(
            register.span,
            Code::OperandNotVariable,
            message,
        ));
    }
    let swizzle = parse_optional_swizzle(input)?;
    if !accept(input, TokenKind::CloseParen) {
        return Err(fail(input, "`)`"));
    }
    let guards = &mut input.state.ast.guards;
    guards.push(PredicateGuard {
        register,
        is_inverted,
        swizzle,
    });
    Ok(guards.len() as u32 - 1)
}

/// Parses the operands of an opcode and the parts that follow them.
fn parse_operands(input: &mut Input<'_, '_>, inst: &mut Inst) -> Result<()> {
    let row = inst.opcode_row;
    // STORE has a result that is a resource.
    if row.results > 0 {
        parse_dst_operand(input)?;
        if row.results > 1 {
            parse_comma(input, row, 1)?;
            parse_dst_operand(input)?;
        }
    }
    let sources = input.state.ast.operands.len();
    // Few opcodes have resources; the others have sources of one kind.
    let parsed = if row.has_resource_sources() {
        parse_resource_sources(input, row)
    } else {
        parse_sources(input, row)
    };
    inst.source_count = (input.state.ast.operands.len() - sources) as u32;
    parsed?;
    parse_trailing_operands(input, inst)
}

/// Parses the sources that the opcode takes, separated by commas from each other and from the
/// results.
fn parse_sources(input: &mut Input<'_, '_>, row: &'static OpcodeRow) -> Result<()> {
    for number in row.results..row.results + row.sources {
        if number > 0 {
            parse_comma(input, row, number)?;
        }
        parse_src_operand(input)?;
    }
    Ok(())
}

/// Parses sources of which some are resources, or may be missing.
#[inline(never)]
fn parse_resource_sources(input: &mut Input<'_, '_>, row: &'static OpcodeRow) -> Result<()> {
    // Streams were none in 2010.
    let may_lack = matches!(
        row.lower,
        OpcodeLowering::Emit | OpcodeLowering::EndPrimitive
    );
    for number in 0..row.sources {
        let before = number + row.results;
        if before > 0 {
            parse_comma(input, row, before)?;
        } else if may_lack && !is_operand_next(input) {
            // The next instruction begins here, or the program ends.
            break;
        }
        // The component that TG4 gathers may be part of the sampler.
        let is_short = number == 1
            && matches!(row.lower, OpcodeLowering::Lookup(Lookup::Gather))
            && is_sampler_next(input);
        if is_short || is_resource(row, number.into()) {
            parse_resource(input)?;
        } else {
            parse_src_operand(input)?;
        }
        if is_short {
            break;
        }
    }
    Ok(())
}

/// Returns true if an operand follows: a register, perhaps after a sign or a bar.
fn is_operand_next(input: &Input<'_, '_>) -> bool {
    if matches!(peek_kind(input), TokenKind::Minus | TokenKind::Bar) {
        return true;
    }
    let word = &input.state.ast.text[peek_word(input).range()];
    let next = peek_after(input, 1).kind();
    // A bracket, because labels of flow control and opcodes are words, too.
    RegisterFile::from_word(word).is_some() && next == TokenKind::OpenBracket
}

/// Returns true if the next word is the register file SAMP.
fn is_sampler_next(input: &Input<'_, '_>) -> bool {
    let word = &input.state.ast.text[peek_word(input).range()];
    word.eq_ignore_ascii_case(b"SAMP")
}

/// Parses the comma after `number` operands; the error at the end of a statement is a missing
/// operand.
fn parse_comma(input: &mut Input<'_, '_>, row: &'static OpcodeRow, number: u8) -> Result<()> {
    if accept(input, TokenKind::Comma) {
        return Ok(());
    }
    if !is_statement_end(input) {
        return Err(fail(input, "`,`"));
    }
    let message = SyntaxErrorKind::OperandCount(row, number);
    let place = input.state.keyword;
    Err(SyntaxError::new(place, Code::MissingOperand, message))
}

/// Returns true if a line or the program ends here, or a statement begins.
#[cold]
fn is_statement_end(input: &Input<'_, '_>) -> bool {
    let text = input.state.ast.text;
    let next = peek_word(input);
    let start = next.start as usize;
    let before = text[..start].iter().rposition(|&byte| byte > b' ');
    let ends_line = text[before.map_or(0, |at| at + 1)..start].contains(&b'\n');
    let word = Word {
        text: &text[next.range()],
        start: next.start,
    };
    ends_line
        || matches!(peek_kind(input), TokenKind::End | TokenKind::Int)
        || begins_statement(&word)
}

/// Parses the operands after the registers, as the opcode requires: texture target, offsets, memory
/// qualifiers or label.
fn parse_trailing_operands(input: &mut Input<'_, '_>, inst: &mut Inst) -> Result<()> {
    match inst.opcode_row.lower.extra_operands() {
        ExtraOperands::Sampler | ExtraOperands::Memory(Memory::SamplerHandle) => {
            parse_texture_target(input, inst)?;
        }
        ExtraOperands::View(_) => parse_offsets(input, inst)?,
        ExtraOperands::Memory(_) => parse_qualifiers(input, inst)?,
        ExtraOperands::Label => parse_label(input, inst)?,
        ExtraOperands::None => {}
    }
    // An operand after this comma exceeds the operands of every opcode.
    if peek_kind(input) == TokenKind::Comma {
        return Err(fail_as_extra_operand(input, inst.opcode_row));
    }
    Ok(())
}

/// Returns the error about an operand after the last one that the opcode takes.
fn fail_as_extra_operand(input: &Input<'_, '_>, row: &'static OpcodeRow) -> Box<SyntaxError> {
    let message = SyntaxErrorKind::OperandCount(row, 0);
    SyntaxError::new(peek_span(input), Code::ExtraOperand, message)
}

/// Returns the failure of a word that is not a texture target.
pub(super) fn fail_at_target(input: &Input<'_, '_>, word: &Word<'_>) -> Box<SyntaxError> {
    if word.text.is_empty() {
        return fail_with(input, Code::TargetUnknown, "a target");
    }
    SyntaxError::new(word.span(), Code::TargetUnknown, SyntaxErrorKind::Target)
}

/// Parses a comma, a texture target and the texel offsets after it.
fn parse_texture_target(input: &mut Input<'_, '_>, inst: &mut Inst) -> Result<()> {
    if !accept(input, TokenKind::Comma) {
        let expected = "`,` and a texture target";
        return Err(fail_with(input, Code::TargetUnknown, expected));
    }
    let word = take_word(input);
    let Some(target) = TextureTarget::from_word(&word) else {
        return Err(fail_at_target(input, &word));
    };
    inst.trailing = TrailingOperand::Texture(target, word.span());
    // The offsets of a lookup follow its target, those of a view the operands.
    parse_offsets(input, inst)
}

/// Parses up to four texel offsets, one for each texel of a gather.
fn parse_offsets(input: &mut Input<'_, '_>, inst: &Inst) -> Result<()> {
    // SAMPLE_INFO that was printed by the table of opcodes has a second source.
    let is_source = inst.opcode_row.lower == OpcodeLowering::ViewLookup(ViewLookup::SampleInfo);
    // TG4 may have four, one for each texel; all other lookups take the first one.
    for _ in 0..4 {
        if !accept(input, TokenKind::Comma) {
            break;
        }
        if is_source {
            parse_src_operand(input)?;
        } else {
            parse_texoffset_operand(input)?;
        }
    }
    Ok(())
}

/// Parses qualifiers, target and format of an access, in any order.
fn parse_qualifiers(input: &mut Input<'_, '_>, inst: &mut Inst) -> Result<()> {
    if peek_kind(input) != TokenKind::Comma {
        return Ok(());
    }
    let mut access = AccessQualifiers::default();
    while accept(input, TokenKind::Comma) {
        let before = input.checkpoint();
        let word = take_word(input);
        if word.is("COHERENT") {
            access.flags |= MemFlags::COHERENT;
        } else if word.is("VOLATILE") {
            access.flags |= MemFlags::VOLATILE;
        } else if word.is("RESTRICT") || word.is("STREAM_CACHE_POLICY") {
            // Promises and hints that are not needed here.
        } else if let Some(target) = TextureTarget::from_word(&word) {
            access.target = Some(target);
        } else if let Some(ty) = texture_targets::parse_format_type(&word) {
            access.ty = ty;
            access.has_32bit_texels = texture_targets::is_32bit_format(word.text);
        // A register cannot be a qualifier, so the message is about operands.
        } else if RegisterFile::from_word(word.text).is_some() {
            input.reset(&before);
            return Err(fail_as_extra_operand(input, inst.opcode_row));
        } else {
            return Err(fail_at_target(input, &word));
        }
    }
    let accesses = &mut input.state.ast.qualifiers;
    inst.trailing = TrailingOperand::Qualifiers(accesses.len() as u32);
    accesses.push(access);
    Ok(())
}

/// Parses the label of flow control. Only that of CAL is used: others may be stale.
fn parse_label(input: &mut Input<'_, '_>, inst: &mut Inst) -> Result<()> {
    let is_routine = OpcodeLowering::Flow(Flow::Subroutine) == inst.opcode_row.lower
        || OpcodeLowering::Flow(Flow::Call) == inst.opcode_row.lower;
    input.state.ast.has_subroutines |= is_routine;
    let colon = peek(input);
    if accept(input, TokenKind::Colon) {
        let number = peek(input);
        if number.kind() != TokenKind::Int {
            return Err(fail(input, "the number of an instruction"));
        }
        let label = super::input::int_value(input, number);
        advance(input);
        inst.trailing = TrailingOperand::Label(label, Span::new(colon.start(), number.end()));
    }
    Ok(())
}
