//! Operands, results and conditions of instructions. NV_gpu_program4 section 2.X.2,
//! ARB_vertex_program section 2.14.2.

use super::input::{
    Expected, Failure, Input, Result, accept, advance, fail, fail_with, last_end, mark, peek,
    peek_kind,
};
use super::literal::{
    parse_constant_scalar, parse_constant_vector, parse_int_digits, parse_opt_sign, push_literal,
};
use super::{binding, register};
use crate::ast::{Cond, Dst, Index, Literal, Operand, OperandBase, Signs, Suffix};
use crate::codes::Code;
use crate::lang::modifiers::{self, SPARSE_REGISTER};
use crate::lex::{Token, TokenKind};
use crate::source::Version;
use glasm_ir::{Span, WriteMask};
use winnow::Parser as _;
use winnow::combinator::delimited;

/// Parses `<instOperandV>`, `<instOperandS>` and `<instOperandVNS>`: a vector or scalar operand
/// with signs and bars. The kind is checked later, and the operand is not added to the AST's list.
#[inline(never)]
pub(super) fn parse_operand(input: &mut Input<'_, '_>) -> Result<Operand> {
    match peek_kind(input) {
        TokenKind::Ident => parse_variable_use(input),
        TokenKind::Minus | TokenKind::Plus | TokenKind::Bar => parse_signed_operand(input),
        _ => parse_constant_operand(input),
    }
}

/// Parses an operand that begins with a sign or a bar: `<instOperandAbsV> ::= <operandAbsNeg> "|"
/// <instOperandBaseV> "|"`, `<instOperandBaseV> ::= <operandNeg> ...`. A minus directly before a
/// number is also stored in its literal.
#[inline(never)]
pub(super) fn parse_signed_operand(input: &mut Input<'_, '_>) -> Result<Operand> {
    let start = peek(input).start();
    let outer = parse_opt_sign(input);
    let has_bars = accept(input, TokenKind::Bar);
    // Without bars the only sign is treated as the inner one.
    let inner = if has_bars {
        parse_opt_sign(input)
    } else {
        outer
    };
    let mut operand = match peek_kind(input) {
        TokenKind::Ident => parse_variable_use(input)?,
        _ => parse_constant_operand(input)?,
    };
    if has_bars {
        mark(TokenKind::Bar).parse_next(input)?;
        operand.span.end = last_end(input);
    }
    operand.span.start = start;
    let is_minus = |sign: Option<TokenKind>| sign == Some(TokenKind::Minus);
    let signs = &mut operand.signs;
    signs.set(Signs::ABS, has_bars);
    signs.set(Signs::OUTER, has_bars && is_minus(outer));
    signs.set(Signs::INNER, is_minus(inner));
    // A plus has no effect, but some languages and operands take no sign at all.
    signs.set(Signs::WRITTEN, outer.is_some() || inner.is_some());
    if let (OperandBase::Scalar(literal), true) = (operand.base, is_minus(inner)) {
        // It is a sign of the operand, and of the constant, too: that of a float is applied to its
        // bits.
        input.state.ast.literals[literal as usize].negative = true;
    }
    Ok(operand)
}

/// Parses `<attribUseV>`, `<tempUseV>`, `<paramUseV>` and similar rules: a variable with index and
/// suffix, or a binding, whose suffix remains a part of its path. Interns its name.
#[inline(always)]
pub(super) fn parse_variable_use(input: &mut Input<'_, '_>) -> Result<Operand> {
    let word = advance(input);
    let name = input.state.intern(word.span());
    let (base, index, suffix) = if !input.state.is_reserved(name) {
        let index = binding::parse_opt_array_mem(input)?;
        (OperandBase::Name(name), index, parse_suffix(input)?)
    } else if let Some(registers) = input.state.facts.registers {
        // In languages with registers the names of register files are the reserved words.
        let index = register::parse_register_brackets(input, registers, word)?;
        (OperandBase::Name(name), index, parse_suffix(input)?)
    } else {
        let path = binding::parse_named_path(input, word)?;
        (OperandBase::Path(path), Index::None, Suffix::NONE)
    };
    Ok(Operand {
        base,
        index,
        suffix,
        signs: Signs::empty(),
        span: Span::new(word.start(), last_end(input)),
    })
}

/// Parses `<constantVector> <swizzleSuffix>` and `<constantScalar>` as an operand without sign;
/// adds the literals to the AST. Fails in languages that have no constants as operands.
#[inline(never)]
pub(super) fn parse_constant_operand(input: &mut Input<'_, '_>) -> Result<Operand> {
    let facts = input.state.facts;
    // Vertex programs of registers have no numbers as operands: constants are in the parameters
    // c[n].
    if facts.registers.is_some_and(|it| !it.allows_literals) {
        return Err(fail(input, Expected::Operand));
    }
    let word = peek(input);
    let (base, suffix) = match word.kind() {
        TokenKind::Int | TokenKind::Float => {
            let literal = parse_constant_scalar(input, None)?;
            // In the typed languages a number represents all four components. NV_gpu_program4
            // section 2.X.2, constantScalar.
            let suffix = if facts.suffixed_numbers {
                parse_suffix(input)?
            } else {
                Suffix::NONE
            };
            (OperandBase::Scalar(literal), suffix)
        }
        // The lexer includes the point of `2.x` in the number, so the whole is a word token.
        TokenKind::Word if facts.suffixed_numbers => parse_suffixed_number(input, word)?,
        TokenKind::OpenBrace => {
            let (first, count, _) = parse_constant_vector(input)?;
            (OperandBase::Vector { first, count }, parse_suffix(input)?)
        }
        _ => return Err(fail(input, Expected::Operand)),
    };
    Ok(Operand {
        base,
        index: Index::None,
        suffix,
        signs: Signs::empty(),
        span: Span::new(word.start(), last_end(input)),
    })
}

/// Parses a number whose point is that of a suffix as well: `2.x`; adds its literal to the AST.
/// Fails for other words. ARB_vertex_program section 2.14.2.
fn parse_suffixed_number(input: &mut Input<'_, '_>, word: Token) -> Result<(OperandBase, Suffix)> {
    let text = input.state.text(word);
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(count);
    // Digits and then the point: words such as `2D` do not match.
    let letters = rest.strip_prefix(b".");
    let suffix = letters.and_then(|letters| input.state.letters.parse_suffix(letters).ok());
    let Some(suffix) = suffix else {
        return Err(fail(input, Expected::Operand));
    };
    advance(input);
    let (value, overflow) = parse_int_digits(digits);
    let literal = Literal {
        negative: false,
        int: Some(value),
        overflow,
        span: Span::new(word.start(), word.start() + count as u32),
    };
    Ok((OperandBase::Scalar(push_literal(input, literal)), suffix))
}

/// Parses `<swizzleSuffix>` or `<scalarSuffix>`, if there is a point; else returns no suffix.
#[inline(always)]
pub(super) fn parse_suffix(input: &mut Input<'_, '_>) -> Result<Suffix> {
    if accept(input, TokenKind::Dot) {
        parse_suffix_letters(input)
    } else {
        Ok(Suffix::NONE)
    }
}

/// Parses the characters of `<swizzleSuffix>` or `<scalarSuffix>`, after the point. In languages
/// with numbered registers whitespace may be between them.
#[inline(never)]
fn parse_suffix_letters(input: &mut Input<'_, '_>) -> Result<Suffix> {
    let word = peek(input);
    if word.kind() != TokenKind::Ident {
        return Err(fail(input, Expected::Component));
    }
    let letters = input.state.letters;
    match letters.parse_suffix(input.state.text(word)) {
        Ok(suffix) => {
            advance(input);
            if !register::may_continue_swizzle(input) {
                return Ok(suffix);
            }
            match register::parse_spaced_swizzle(input, word) {
                None => Ok(suffix),
                Some(spread) => letters
                    .parse_suffix(spread.letters())
                    .map_err(|code| fail_with(input, Expected::Component, code)),
            }
        }
        // Two or three components are too few only if none follow after whitespace: `R0.xy zw`.
        Err(Code::SwizzleLength) if input.state.facts.registers.is_some() => {
            advance(input);
            let spread = register::parse_spaced_swizzle(input, word);
            let Some(spread) = spread else {
                return Err(Failure::at(word, Expected::Component, Code::SwizzleLength));
            };
            letters
                .parse_suffix(spread.letters())
                .map_err(|code| fail_with(input, Expected::Component, code))
        }
        Err(code) => Err(fail_with(input, Expected::Component, code)),
    }
}

/// Parses `<instResult> ::= <instResultCC> | <instResultBase>`: variable or binding,
/// `<optWriteMask>`, `<ccMask>`. The mask of a binding remains a part of its path; all components
/// are set until it is resolved.
pub(super) fn parse_inst_result(input: &mut Input<'_, '_>) -> Result<Dst> {
    if peek_kind(input) != TokenKind::Ident {
        return Err(err_at_result(input));
    }
    let word = advance(input);
    let name = input.state.intern(word.span());
    let (base, index, mask) = if !input.state.is_reserved(name) {
        let index = binding::parse_opt_array_mem(input)?;
        (OperandBase::Name(name), index, parse_opt_write_mask(input)?)
    } else if let Some(registers) = input.state.facts.registers {
        let index = register::parse_register_brackets(input, registers, word)?;
        (OperandBase::Name(name), index, parse_opt_write_mask(input)?)
    } else {
        // The mask is the end of the path: only the table of bindings determines the end of a
        // binding.
        let path = binding::parse_named_path(input, word)?;
        (OperandBase::Path(path), Index::None, WriteMask::XYZW)
    };
    let span = Span::new(word.start(), last_end(input));
    let guard = if accept(input, TokenKind::OpenParen) {
        let guard = parse_cc_mask_rule(input)?;
        mark(TokenKind::CloseParen).parse_next(input)?;
        Some(guard)
    } else {
        None
    };
    Ok(Dst {
        base,
        index,
        mask,
        guard,
        span,
    })
}

/// Returns the failure at a token where the result of an instruction is expected: a missing
/// operand, a constant, or any other token.
fn err_at_result(input: &Input<'_, '_>) -> Failure {
    let code = match peek_kind(input) {
        TokenKind::Semicolon => Code::MissingOperand,
        // A constant instead of a result is parsed correctly, but cannot be written.
        TokenKind::Int | TokenKind::Float | TokenKind::OpenBrace => Code::WriteReadOnly,
        _ => return fail(input, Expected::Result),
    };
    fail_with(input, Expected::Result, code)
}

/// Parses `<optWriteMask>`; without a mask all components are written.
#[inline(always)]
fn parse_opt_write_mask(input: &mut Input<'_, '_>) -> Result<WriteMask> {
    if accept(input, TokenKind::Dot) {
        parse_mask_letters(input)
    } else {
        Ok(WriteMask::XYZW)
    }
}

/// Parses the characters of `<xyzwMask>` or `<rgbaMask>`, after the point. In languages with
/// numbered registers whitespace may be between them.
#[inline(never)]
fn parse_mask_letters(input: &mut Input<'_, '_>) -> Result<WriteMask> {
    let word = peek(input);
    if word.kind() != TokenKind::Ident {
        return Err(fail(input, Expected::Mask));
    }
    let letters = input.state.letters;
    let mask = letters.parse_mask(input.state.text(word));
    let mask = mask.map_err(|code| fail_with(input, Expected::Mask, code))?;
    advance(input);
    if !register::may_continue_swizzle(input) {
        return Ok(mask);
    }
    match register::parse_spaced_swizzle(input, word) {
        None => Ok(mask),
        Some(spread) => letters
            .parse_mask(spread.letters())
            .map_err(|code| fail_with(input, Expected::Mask, code)),
    }
}

/// Parses `<ccMaskRule>` with the suffix of the register that it tests, such as `GT1.x`. Reports a
/// number or a test of sparse textures that the version or the options do not have.
pub(super) fn parse_cc_mask_rule(input: &mut Input<'_, '_>) -> Result<Cond> {
    let word = peek(input);
    let text = input.state.text(word);
    // Only here are these words conditions: anywhere else they may be names of variables.
    let family = input.state.ast.dialect.family();
    let test = (word.kind() == TokenKind::Ident)
        .then(|| modifiers::find_test(family, text))
        .flatten()
        .ok_or_else(|| fail(input, Expected::Condition))?;
    if modifiers::is_numbered(text) {
        check_numbered_condition(input)?;
    }
    advance(input);
    if test.register == SPARSE_REGISTER && input.state.ast.dialect.version() < Version::V5_0 {
        let message = "residency needs language version 5.0";
        let reports = &mut input.state.reports;
        reports.report_error(Code::FeatureNewer, word.span(), message);
    }
    let swizzle = parse_suffix(input)?.swizzle();
    Ok(Cond { test, swizzle })
}

/// Checks a test with a number, such as `GT1`: fails in languages with one register, and reports it
/// without the option that adds the second one. In a program without the option for conditions the
/// checker reports that instead.
fn check_numbered_condition(input: &mut Input<'_, '_>) -> Result<()> {
    let Some(needs) = input.state.facts.numbered_conditions else {
        return Err(fail(input, Expected::Condition));
    };
    let (features, any) = (input.state.features, input.state.facts.conditions);
    if !features.contains(needs) && features.contains(any) {
        let message = format!(
            "conditions with a number need OPTION {}",
            needs.first_option()
        );
        let span = peek(input).span();
        let reports = &mut input.state.reports;
        reports.report_error(Code::FeatureOption, span, message);
    }
    Ok(())
}

/// Parses `<optBranchCond> ::= /* empty */ | <ccMask>`; `None` without a condition. The grammar
/// requires parentheses after BRK, CAL, CONT and RET; programs in the examples of the
/// specifications leave them out, where the language has them optional.
pub(super) fn parse_opt_branch_cond(input: &mut Input<'_, '_>) -> Result<Option<Cond>> {
    match peek_kind(input) {
        TokenKind::OpenParen => {
            let (open, close) = (mark(TokenKind::OpenParen), mark(TokenKind::CloseParen));
            let mut cc_mask = delimited(open, parse_cc_mask_rule, close);
            cc_mask.parse_next(input).map(Some)
        }
        TokenKind::Ident if input.state.facts.optional_parentheses => {
            parse_cc_mask_rule(input).map(Some)
        }
        _ => Ok(None),
    }
}
