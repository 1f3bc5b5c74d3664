//! Binding paths such as `state.material.ambient` and array indices: `<arrayMem>` and the rules
//! that it consists of. NV_gpu_program4 section 2.X.2.

use super::input::{
    Expected, Failure, Input, Result, accept, advance, fail, fail_with, identifier, last_end, mark,
    peek, peek_kind,
};
use super::literal::{parse_int, parse_opt_sign};
use super::register;
use crate::ast::{Base, Bracket, Index, Path, Relative, Segment, SuffixKind};
use crate::codes::Code;
use crate::lang::paths;
use crate::lex::{self, Token, TokenKind};
use glasm_ir::Span;
use winnow::Parser as _;

/// Parses the rest of a binding path: all words and brackets, a suffix at the end included. Returns
/// its index.
fn parse_path(input: &mut Input<'_, '_>, first: Token) -> Result<u32> {
    let first_segment = input.state.ast.segments.len() as u32;
    let mut word = first;
    let mut key = paths::START;
    loop {
        let brackets = parse_brackets(input)?;
        // The key of a path includes it, so that the table of bindings is searched for one number.
        // The presence of brackets is part of the key, their contents are not.
        let word_key = lex::key_at(input.state.ast.text, word.span());
        key = paths::step(key, word_key, brackets[0] != Bracket::None);
        let span = Span::new(word.start(), last_end(input));
        input.state.ast.segments.push(Segment {
            word: word.span(),
            brackets,
            span,
            key,
        });
        if !accept(input, TokenKind::Dot) {
            break;
        }
        if peek_kind(input) != TokenKind::Ident {
            return Err(fail(input, Expected::Name));
        }
        word = advance(input);
    }
    let span = Span::new(first.start(), last_end(input));
    let ast = &mut input.state.ast;
    ast.paths.push(Path {
        first: first_segment,
        count: ast.segments.len() as u32 - first_segment,
        name: None,
        span,
    });
    Ok(ast.paths.len() as u32 - 1)
}

/// Parses the rest of a path that is an operand or a result, which has a name: the same path
/// denotes the same binding everywhere.
pub(super) fn parse_named_path(input: &mut Input<'_, '_>, first: Token) -> Result<u32> {
    let path = parse_path(input, first)?;
    let span = input.state.ast.paths[path as usize].span;
    let name = input.state.intern_path(span);
    input.state.ast.paths[path as usize].name = Some(name);
    Ok(path)
}

/// Parses a path in a declaration: `<attribUseD>`, `<paramUseDB>`, `<resultUseD>` or a similar
/// rule. Returns its index.
pub(super) fn parse_declared_path(input: &mut Input<'_, '_>) -> Result<u32> {
    let word = peek(input);
    let (name, _) = identifier(Expected::Binding).parse_next(input)?;
    // `image` begins the bindings of IMAGE only, so that other programs may use it as a name: it is
    // not a reserved word.
    if !input.state.is_reserved(name) && input.state.text(word) != b"image" {
        return Err(Failure::at(word, Expected::Binding, Code::UnexpectedToken));
    }
    parse_path(input, word)
}

/// Parses up to two `<arrayMemAbs>` or `<arrayRange>` of a word in a path.
fn parse_brackets(input: &mut Input<'_, '_>) -> Result<[Bracket; 2]> {
    let mut brackets = [Bracket::None; 2];
    for bracket in &mut brackets {
        if !accept(input, TokenKind::OpenBracket) {
            break;
        }
        *bracket = parse_bracket(input)?;
        mark(TokenKind::CloseBracket).parse_next(input)?;
    }
    Ok(brackets)
}

/// Parses the contents of brackets in a path: `<int>`, `<int> ".." <int>` or a relative index.
fn parse_bracket(input: &mut Input<'_, '_>) -> Result<Bracket> {
    match peek_kind(input) {
        TokenKind::Int => {
            let first = parse_int(input)?;
            if !accept(input, TokenKind::DotDot) {
                return Ok(Bracket::One(first));
            }
            parse_int(input).map(|last| Bracket::Range(first, last))
        }
        // The checker decides if the binding may have a relative index.
        TokenKind::Ident if !input.state.in_index => {
            parse_array_mem_rel(input).map(Bracket::Relative)
        }
        _ => Err(fail(input, Expected::Brackets)),
    }
}

/// Parses `<optArrayMem>`, twice where a variable has two indices.
#[inline(always)]
pub(super) fn parse_opt_array_mem(input: &mut Input<'_, '_>) -> Result<Index> {
    match peek_kind(input) {
        TokenKind::OpenBracket => parse_array_mems(input),
        _ => Ok(Index::None),
    }
}

/// Parses one `<arrayMem>` or two.
#[inline(never)]
fn parse_array_mems(input: &mut Input<'_, '_>) -> Result<Index> {
    let first = parse_array_mem(input)?;
    if peek_kind(input) != TokenKind::OpenBracket {
        return Ok(first);
    }
    let second = parse_array_mem(input)?;
    let pairs = &mut input.state.ast.pairs;
    pairs.push([first, second]);
    Ok(Index::Pair(pairs.len() as u32 - 1))
}

/// Parses `<arrayMem> ::= <arrayMemAbs> | <arrayMemRel>`.
fn parse_array_mem(input: &mut Input<'_, '_>) -> Result<Index> {
    mark(TokenKind::OpenBracket).parse_next(input)?;
    let index = match peek_kind(input) {
        TokenKind::Ident => Index::Relative(parse_array_mem_rel(input)?),
        _ => Index::Const(parse_int(input)?),
    };
    mark(TokenKind::CloseBracket).parse_next(input)?;
    Ok(index)
}

/// Parses the contents of the brackets of
/// `<arrayMemRel> ::= "[" <arrayMemReg> <arrayMemOffset> "]"`; a missing component is x.
fn parse_array_mem_rel(input: &mut Input<'_, '_>) -> Result<u32> {
    let word = advance(input);
    let name = input.state.intern(word.span());
    // A reserved word begins a binding, which the typed languages take as index and the ARB
    // languages do not.
    let (base, lane) = if input.state.is_reserved(name) {
        (parse_index_path(input, word)?, 0)
    } else {
        // The name is resolved when the instruction is checked.
        (Base::Name(name), parse_index_component(input, word)?)
    };
    let offset = parse_array_mem_offset(input)?;
    let span = Span::new(word.start(), last_end(input));
    let relatives = &mut input.state.ast.relatives;
    relatives.push(Relative {
        base,
        lane,
        offset,
        span,
    });
    Ok(relatives.len() as u32 - 1)
}

/// Parses the rest of a binding that is an index.
fn parse_index_path(input: &mut Input<'_, '_>, word: Token) -> Result<Base> {
    if input.state.facts.address_registers {
        return Err(fail_with(input, Expected::Brackets, Code::IndexVariable));
    }
    // The brackets of this binding hold numbers only, so that indices do not nest without end.
    input.state.in_index = true;
    let parsed = parse_named_path(input, word);
    input.state.in_index = false;
    parsed.map(Base::Path)
}

/// Parses the component of an index variable: exactly one character. NV_gpu_program4 section 2.X.2,
/// addrUseS.
fn parse_index_component(input: &mut Input<'_, '_>, word: Token) -> Result<u8> {
    if !accept(input, TokenKind::Dot) {
        let facts = input.state.facts;
        if facts.registers.is_some() {
            return Err(register::fail_at_index(input, word));
        }
        return if facts.address_registers {
            Err(fail_with(input, Expected::Component, Code::ScalarSuffix))
        } else {
            Ok(0)
        };
    }
    let component = peek(input);
    let suffix = (component.kind() == TokenKind::Ident)
        .then(|| input.state.letters.suffix(input.state.text(component)).ok())
        .flatten();
    let Some(SuffixKind::One(lane)) = suffix.map(|suffix| suffix.kind()) else {
        return Err(fail_with(input, Expected::Component, Code::ScalarSuffix));
    };
    advance(input);
    Ok(lane)
}

/// Parses `<arrayMemOffset> ::= /* empty */ | "+" <int> | "-" <int>`.
fn parse_array_mem_offset(input: &mut Input<'_, '_>) -> Result<i64> {
    let Some(sign) = parse_opt_sign(input) else {
        return Ok(0);
    };
    let value = i64::from(parse_int(input)?);
    Ok(if sign == TokenKind::Minus {
        -value
    } else {
        value
    })
}
