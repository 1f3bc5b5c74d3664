//! Binding paths such as `state.material.ambient` and array indices: `<arrayMem>` and the rules
//! that it consists of. NV_gpu_program4 section 2.X.2.

use super::input::{
    Expected, Failure, Input, Result, accept, advance, fail, fail_with, identifier, last_end, mark,
    peek, peek_kind,
};
use super::literal::{parse_int, parse_opt_sign};
use super::register;
use crate::ast::{
    BindingPath, DynamicIndex, Index, OperandBase, PathBracket, PathSegment, SuffixKind,
};
use crate::codes::Code;
use crate::lang::binding_paths;
use crate::lex::{self, Token, TokenKind};
use glasm_ir::Span;
use winnow::Parser as _;

/// Parses the remainder of a binding path after its first word: all words and brackets, a suffix at
/// the end included. Appends it to the AST, without a name, and returns its index.
fn parse_path(input: &mut Input<'_, '_>, first_word: Token) -> Result<u32> {
    let first_segment = input.state.ast.segments.len() as u32;
    let mut word = first_word;
    let mut key = binding_paths::EMPTY_PATH_KEY;
    loop {
        let brackets = parse_brackets(input)?;
        // The key of a path includes it, so that the table of bindings is searched for one number.
        // The presence of brackets is part of the key, their contents are not.
        let word_key = lex::key_at(input.state.ast.text, word.span());
        key = binding_paths::extend_path_key(key, word_key, brackets[0] != PathBracket::None);
        let span = Span::new(word.start(), last_end(input));
        input.state.ast.segments.push(PathSegment {
            word_span: word.span(),
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
    let span = Span::new(first_word.start(), last_end(input));
    let ast = &mut input.state.ast;
    ast.paths.push(BindingPath {
        first_segment,
        segment_count: ast.segments.len() as u32 - first_segment,
        name: None,
        span,
    });
    Ok(ast.paths.len() as u32 - 1)
}

/// Parses the remainder of a path that is an operand or a result, appends it to the AST and returns
/// its index. Its spelling is interned as its name: the same path denotes the same binding
/// everywhere.
pub(super) fn parse_named_path(input: &mut Input<'_, '_>, first: Token) -> Result<u32> {
    let path = parse_path(input, first)?;
    let span = input.state.ast.paths[path as usize].span;
    let name = input.state.intern_path(span);
    input.state.ast.paths[path as usize].name = Some(name);
    Ok(path)
}

/// Parses a path in a declaration: `<attribUseD>`, `<paramUseDB>`, `<resultUseD>` or a similar
/// rule. Appends it to the AST and returns its index; fails for words that begin no binding.
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

/// Parses up to two `<arrayMemAbs>` or `<arrayRange>` after a word in a path; there may be none.
fn parse_brackets(input: &mut Input<'_, '_>) -> Result<[PathBracket; 2]> {
    let mut brackets = [PathBracket::None; 2];
    for bracket in &mut brackets {
        if !accept(input, TokenKind::OpenBracket) {
            break;
        }
        *bracket = parse_bracket(input)?;
        mark(TokenKind::CloseBracket).parse_next(input)?;
    }
    Ok(brackets)
}

/// Parses the contents of brackets in a path: `<int>`, `<int> ".." <int>` or a relative index,
/// which cannot be within another index.
fn parse_bracket(input: &mut Input<'_, '_>) -> Result<PathBracket> {
    match peek_kind(input) {
        TokenKind::Int => {
            let first = parse_int(input)?;
            if !accept(input, TokenKind::DotDot) {
                return Ok(PathBracket::Single(first));
            }
            parse_int(input).map(|last| PathBracket::Range(first, last))
        }
        // The checker decides if the binding may have a relative index.
        TokenKind::Ident if !input.state.in_index => {
            parse_array_mem_rel(input).map(PathBracket::Relative)
        }
        _ => Err(fail(input, Expected::Brackets)),
    }
}

/// Parses `<optArrayMem>`, twice where a variable has two indices; `Index::None` without brackets.
#[inline(always)]
pub(super) fn parse_opt_array_mem(input: &mut Input<'_, '_>) -> Result<Index> {
    if peek_kind(input) != TokenKind::OpenBracket {
        return Ok(Index::None);
    }
    let first = parse_single_array_mem(input)?;
    if peek_kind(input) == TokenKind::OpenBracket {
        parse_second_array_mem(input, first)
    } else {
        Ok(first)
    }
}

/// Parses the second of two indices in brackets, appends both to the AST as a pair and returns
/// that.
fn parse_second_array_mem(input: &mut Input<'_, '_>, first: Index) -> Result<Index> {
    let second = parse_single_array_mem(input)?;
    let pairs = &mut input.state.ast.index_pairs;
    pairs.push([first, second]);
    Ok(Index::Pair(pairs.len() as u32 - 1))
}

/// Parses `<arrayMem> ::= <arrayMemAbs> | <arrayMemRel>`, an index in brackets; a relative one is
/// appended to the AST.
fn parse_single_array_mem(input: &mut Input<'_, '_>) -> Result<Index> {
    mark(TokenKind::OpenBracket).parse_next(input)?;
    let index = match peek_kind(input) {
        TokenKind::Ident => Index::Relative(parse_array_mem_rel(input)?),
        _ => Index::Const(parse_int(input)?),
    };
    mark(TokenKind::CloseBracket).parse_next(input)?;
    Ok(index)
}

/// Parses the contents of the brackets of `<arrayMemRel> ::= "[" <arrayMemReg> <arrayMemOffset>
/// "]"`, appends the index to the AST and returns its number there; a missing component is x.
fn parse_array_mem_rel(input: &mut Input<'_, '_>) -> Result<u32> {
    let word = advance(input);
    let name = input.state.intern(word.span());
    // A reserved word begins a binding, which the typed languages take as index and the ARB
    // languages do not.
    let (base, lane) = if input.state.is_reserved(name) {
        (parse_index_path(input, word)?, 0)
    } else {
        // The name is resolved when the instruction is checked.
        (OperandBase::Name(name), parse_index_component(input, word)?)
    };
    let offset = parse_array_mem_offset(input)?;
    let span = Span::new(word.start(), last_end(input));
    let relatives = &mut input.state.ast.relative_indices;
    relatives.push(DynamicIndex {
        base,
        lane,
        offset,
        span,
    });
    Ok(relatives.len() as u32 - 1)
}

/// Parses the remainder of a binding that is used as a dynamic index; fails in languages with
/// address registers. Its own indices must be constant.
fn parse_index_path(input: &mut Input<'_, '_>, word: Token) -> Result<OperandBase> {
    if input.state.facts.address_registers {
        return Err(fail_with(input, Expected::Brackets, Code::IndexVariable));
    }
    // The brackets of this binding hold numbers only, so that indices do not nest without end.
    input.state.in_index = true;
    let parsed = parse_named_path(input, word);
    input.state.in_index = false;
    parsed.map(OperandBase::Path)
}

/// Parses the component of an index variable, exactly one character. Without a point it is x in
/// typed languages, and fails in those with address registers. NV_gpu_program4 section 2.X.2,
/// addrUseS.
fn parse_index_component(input: &mut Input<'_, '_>, word: Token) -> Result<u8> {
    if !accept(input, TokenKind::Dot) {
        let facts = input.state.facts;
        if facts.registers.is_some() {
            return Err(register::err_at_index(input, word));
        }
        return if facts.address_registers {
            Err(fail_with(input, Expected::Component, Code::ScalarSuffix))
        } else {
            Ok(0)
        };
    }
    let component = peek(input);
    let suffix = (component.kind() == TokenKind::Ident)
        .then(|| {
            input
                .state
                .letters
                .parse_suffix(input.state.text(component))
                .ok()
        })
        .flatten();
    let Some(SuffixKind::Component(lane)) = suffix.map(|suffix| suffix.kind()) else {
        return Err(fail_with(input, Expected::Component, Code::ScalarSuffix));
    };
    advance(input);
    Ok(lane)
}

/// Parses `<arrayMemOffset> ::= /* empty */ | "+" <int> | "-" <int>`; 0 if it is empty.
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
