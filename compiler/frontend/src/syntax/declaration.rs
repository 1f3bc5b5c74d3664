//! `<namingStatement>` and the other declarations. NV_gpu_program4 section 2.X.2,
//! NV_fragment_program section 3.11.2.

use super::binding::parse_declared_path;
use super::input::{
    Expected, Failure, Input, Result, accept, fail, identifier, last_end, mark, peek, peek_kind,
    token,
};
use super::literal::{
    parse_constant_vector, parse_int, parse_signed_constant_scalar, parse_signed_int,
};
use super::statement_keywords::{DeclWord, StatementStart};
use crate::ast::{ArraySize, Decl, DeclItem, DeclKind, Statement, VarMods};
use crate::codes::Code;
use crate::interner::NameId;
use crate::lang::options::Argument;
use crate::lex::{Token, TokenKind};
use glasm_ir::Span;
use winnow::Parser as _;
use winnow::combinator::{delimited, opt, separated};
use winnow::token::one_of;

/// Parses the remainder of a declaration, which begins with a modifier or its keyword `word`, and
/// appends it with its items to the AST. After a failure its items may remain in the AST.
pub(super) fn parse_naming_statement(
    input: &mut Input<'_, '_>,
    first_word: Token,
    word: DeclWord,
) -> Result<()> {
    let (kind, mods) = match word {
        DeclWord::Keyword(kind) => (kind, VarMods::empty()),
        DeclWord::Modifier(modifier) => parse_var_mods(input, modifier)?,
    };
    let first_item = input.state.ast.items.len() as u32;
    let mut decl = Decl {
        kind,
        mods,
        name: None,
        size: ArraySize::NotArray,
        second_size: ArraySize::NotArray,
        first_item,
        item_count: 0,
        span: first_word.span(),
    };
    parse_declaration(input, &mut decl)?;
    token(TokenKind::Semicolon, Expected::EndOfDecl).parse_next(input)?;
    decl.span.end = last_end(input);
    let ast = &mut input.state.ast;
    decl.item_count = ast.items.len() as u32 - first_item;
    let index = ast.decls.len() as u32;
    ast.decls.push(decl);
    ast.statements.push(Statement::Decl(index));
    Ok(())
}

/// Parses the remaining modifiers of `<varMods>` after the first one, and the keyword; returns its
/// kind and all modifiers.
fn parse_var_mods(input: &mut Input<'_, '_>, mut mods: VarMods) -> Result<(DeclKind, VarMods)> {
    let expected = Expected::Token(TokenKind::Ident);
    loop {
        let word = peek(input);
        let (name, span) = identifier(expected).parse_next(input)?;
        match input.state.leader(name) {
            // The checker decides which modifiers the keyword takes.
            StatementStart::Decl(DeclWord::Keyword(kind)) => return Ok((kind, mods)),
            StatementStart::Decl(DeclWord::Modifier(modifier)) => {
                add_var_modifier(input, &mut mods, modifier, span);
            }
            StatementStart::Opcode(..)
            | StatementStart::Option
            | StatementStart::End
            | StatementStart::RemovedWord
            | StatementStart::Unknown
            | StatementStart::OtherWord => {
                return Err(Failure::at(word, expected, Code::UnexpectedToken));
            }
        }
    }
}

/// Adds `<varModifier>`. One that repeats or contradicts an earlier one is reported and not added.
fn add_var_modifier(input: &mut Input<'_, '_>, mods: &mut VarMods, modifier: VarMods, word: Span) {
    let text = String::from_utf8_lossy(&input.state.ast.text[word.range()]);
    let is_second = |kind: VarMods| modifier.intersects(kind) && mods.intersects(kind);
    let (code, message) = if is_second(VarMods::ANY_TYPE) {
        let message = format!("`{text}` is a second data type");
        (Code::TypeModifierTwice, message)
    } else if is_second(VarMods::ANY_SIZE) {
        (
            Code::SizeModifierTwice,
            format!("`{text}` is a second size"),
        )
    } else if mods.intersects(modifier) {
        (Code::InterpolationTwice, format!("`{text}` is repeated"))
    } else {
        *mods |= modifier;
        return;
    };
    input.state.reports.report_error(code, word, message);
}

/// Parses the remainder of a declaration after the keyword, as its kind requires, without the
/// semicolon. Sets name and sizes of `decl` and appends its items to the AST.
fn parse_declaration(input: &mut Input<'_, '_>, decl: &mut Decl) -> Result<()> {
    match decl.kind {
        DeclKind::Temp | DeclKind::Address => parse_var_name_list(input),
        DeclKind::GroupSize | DeclKind::SharedMemory => parse_group_size_list(input),
        DeclKind::SecondaryViewLayerOffset => parse_layer_offset(input),
        DeclKind::Program(declaration) => {
            input.state.ast.declared_program_kinds |= declaration.bit();
            parse_argument(input, declaration.info().argument)
        }
        DeclKind::Alias => {
            decl.name = Some(parse_establish_name(input)?);
            mark(TokenKind::Equals).parse_next(input)?;
            parse_established_name(input)
        }
        DeclKind::Declare | DeclKind::Define => parse_value_declaration(input, decl),
        DeclKind::SubroutineType => {
            // Not `<establishName>`: a type may be declared several times, each time with more
            // labels. ARB_shader_subroutine section 2.X.2.
            decl.name = Some(identifier(Expected::Name).parse_next(input)?);
            parse_label_list(input)
        }
        DeclKind::Subroutine => {
            let (ty, span) = identifier(Expected::Name).parse_next(input)?;
            push_item(input, DeclItem::Name(ty, ArraySize::NotArray, span));
            decl.name = Some(parse_establish_name(input)?);
            decl.size = parse_opt_array_size(input)?;
            mark(TokenKind::Equals).parse_next(input)?;
            parse_initializer(input, decl)
        }
        DeclKind::Attrib
        | DeclKind::Param
        | DeclKind::Output
        | DeclKind::Buffer
        | DeclKind::Buffer4
        | DeclKind::Cbuffer
        | DeclKind::Texture
        | DeclKind::Image
        | DeclKind::Shared
        | DeclKind::Storage
        | DeclKind::Counter => parse_bound_variable(input, decl),
    }
}

/// Appends an item to the list of the AST, from which the open declaration takes its range.
fn push_item(input: &mut Input<'_, '_>, item: DeclItem) {
    input.state.ast.items.push(item);
}

/// Parses the remainder of `<ATTRIB_statement>`, `<PARAM_statement>`, `<OUTPUT_statement>`,
/// `<BUFFER_statement>` and similar ones after the keyword: a name with sizes, which it sets in
/// `decl`, and its bindings, which it appends to the AST's items.
fn parse_bound_variable(input: &mut Input<'_, '_>, decl: &mut Decl) -> Result<()> {
    decl.name = Some(parse_establish_name(input)?);
    let has_arrays = input.state.facts.all_arrays;
    // ARB programs have arrays of parameters only.
    if has_arrays || decl.kind == DeclKind::Param {
        decl.size = parse_opt_array_size(input)?;
    }
    if has_arrays {
        decl.second_size = parse_opt_array_size(input)?;
    }
    // The grammar of NV_shader_atomic_counters has no equals sign.
    if !accept(input, TokenKind::Equals) && decl.kind != DeclKind::Counter {
        return Err(fail(input, Expected::Token(TokenKind::Equals)));
    }
    parse_initializer(input, decl)
}

/// Parses `<establishedName>` of ALIAS, a variable, or a binding, which the rules may accept, and
/// appends it to the AST's items.
fn parse_established_name(input: &mut Input<'_, '_>) -> Result<()> {
    let word = peek(input);
    let item = if word.kind() == TokenKind::Ident && {
        let name = input.state.intern(word.span());
        input.state.is_reserved(name)
    } {
        DeclItem::Path(parse_declared_path(input)?)
    } else {
        let (name, span) = identifier(Expected::Name).parse_next(input)?;
        DeclItem::Name(name, ArraySize::NotArray, span)
    };
    push_item(input, item);
    Ok(())
}

/// Parses the labels of SUBROUTINETYPE in braces and appends them to the AST's items; there may be
/// none. ARB_shader_subroutine section 2.X.2.
fn parse_label_list(input: &mut Input<'_, '_>) -> Result<()> {
    mark(TokenKind::OpenBrace).parse_next(input)?;
    if accept(input, TokenKind::CloseBrace) {
        return Ok(());
    }
    let label = |input: &mut Input<'_, '_>| {
        let (name, span) = identifier(Expected::Label).parse_next(input)?;
        push_item(input, DeclItem::Name(name, ArraySize::NotArray, span));
        Ok(())
    };
    let () = separated(1.., label, one_of(TokenKind::Comma)).parse_next(input)?;
    mark(TokenKind::CloseBrace).parse_next(input).map(drop)
}

/// Parses one or more integers, separated by optional commas, and appends them to the AST's items.
/// NV_compute_program5 section 2.X.7.Y.
fn parse_group_size_list(input: &mut Input<'_, '_>) -> Result<()> {
    loop {
        let span = peek(input).span();
        let value = parse_int(input)?;
        push_item(input, DeclItem::Number(value, span));
        if !accept(input, TokenKind::Comma) && peek_kind(input) != TokenKind::Int {
            return Ok(());
        }
    }
}

/// Parses the argument of PRIMITIVE_IN and similar declarations, if they have one, and appends it
/// to the AST's items. Words are checked later.
fn parse_argument(input: &mut Input<'_, '_>, argument: Argument) -> Result<()> {
    let item = match argument {
        Argument::None => return Ok(()),
        Argument::Word(_) => {
            let (name, span) = identifier(Expected::Name).parse_next(input)?;
            DeclItem::Name(name, ArraySize::NotArray, span)
        }
        Argument::Number => {
            let span = peek(input).span();
            DeclItem::Number(parse_int(input)?, span)
        }
        Argument::Result => DeclItem::Path(parse_declared_path(input)?),
    };
    push_item(input, item);
    Ok(())
}

/// Parses the integer of SECONDARY_VIEW_LAYER_OFFSET and appends it to the AST's items by its bits.
/// A value beyond 32 bits is clamped. NV_stereo_view_rendering.
fn parse_layer_offset(input: &mut Input<'_, '_>) -> Result<()> {
    let start = peek(input).span();
    let value = parse_signed_int(input)?;
    let value = value.clamp(-i64::from(i32::MAX), i64::from(i32::MAX)) as i32;
    let span = Span::new(start.start, last_end(input));
    push_item(input, DeclItem::Number(value as u32, span));
    Ok(())
}

/// Parses `<establishName>` and records it as declared. Fails for reserved words.
fn parse_establish_name(input: &mut Input<'_, '_>) -> Result<(NameId, Span)> {
    let word = peek(input);
    let (name, span) = identifier(Expected::Name).parse_next(input)?;
    if input.state.is_reserved(name) {
        return Err(Failure::at(word, Expected::FreeName, Code::ReservedName));
    }
    // From here on the name takes precedence over a condition of the same spelling.
    input.state.words[name.index()].is_declared = true;
    Ok((name, span))
}

/// Parses `<varNameList> ::= <establishName> | <establishName> "," <varNameList>`, each name with
/// its size if the language has arrays of all variables, and appends the names to the AST's items.
fn parse_var_name_list(input: &mut Input<'_, '_>) -> Result<()> {
    let name = |input: &mut Input<'_, '_>| {
        let (name, span) = parse_establish_name(input)?;
        let size = if input.state.facts.all_arrays {
            parse_opt_array_size(input)?
        } else {
            ArraySize::NotArray
        };
        push_item(input, DeclItem::Name(name, size, span));
        Ok(())
    };
    separated(1.., name, one_of(TokenKind::Comma)).parse_next(input)
}

/// Parses `<optArraySize> ::= /* empty */ | "[" "]" | "[" <int> "]"`; returns `NotArray` for the
/// first form and `Unsized` for the second.
fn parse_opt_array_size(input: &mut Input<'_, '_>) -> Result<ArraySize> {
    let size = |input: &mut Input<'_, '_>| {
        let digits = peek(input);
        // Otherwise the missing bracket is the mistake.
        if digits.kind() != TokenKind::Int {
            return Ok(ArraySize::Unsized);
        }
        parse_int(input).map(|size| ArraySize::Sized(size, digits.span()))
    };
    let close = mark(TokenKind::CloseBracket);
    let size = opt(delimited(one_of(TokenKind::OpenBracket), size, close)).parse_next(input)?;
    Ok(size.unwrap_or(ArraySize::NotArray))
}

/// Parses `<paramSingleInit>`, `<paramMultipleInit>` and similar rules after the equals sign, a
/// single binding, or bindings in braces, and appends them to the AST's items. `{1, 2, 3, 4}` for a
/// variable that is not an array is one constant.
fn parse_initializer(input: &mut Input<'_, '_>, decl: &Decl) -> Result<()> {
    // `ATTRIB a[] = vertex.attrib[0..3]`: a range without braces, which ARB programs do not have.
    let is_bare = peek_kind(input) != TokenKind::OpenBrace && input.state.facts.bare_ranges;
    if decl.size == ArraySize::NotArray || is_bare {
        return parse_initializer_item(input);
    }
    let list = separated(1.., parse_initializer_item, one_of(TokenKind::Comma));
    let (open, close) = (mark(TokenKind::OpenBrace), mark(TokenKind::CloseBrace));
    delimited(open, list, close).parse_next(input)
}

/// Parses `<paramUseDM>`, `<attribUseD>` and similar rules, a binding or a constant, and appends it
/// to the AST's items.
fn parse_initializer_item(input: &mut Input<'_, '_>) -> Result<()> {
    let item = match peek_kind(input) {
        TokenKind::Ident => DeclItem::Path(parse_declared_path(input)?),
        TokenKind::Int | TokenKind::Float | TokenKind::Plus | TokenKind::Minus => {
            DeclItem::Scalar(parse_signed_constant_scalar(input)?)
        }
        TokenKind::OpenBrace => parse_vector_item(input)?,
        _ => return Err(fail(input, Expected::Binding)),
    };
    push_item(input, item);
    Ok(())
}

/// Parses a constant vector in braces as an item of a declaration, which the caller appends; its
/// literals are added to the AST.
fn parse_vector_item(input: &mut Input<'_, '_>) -> Result<DeclItem> {
    let (first, count, span) = parse_constant_vector(input)?;
    Ok(DeclItem::Vector { first, count, span })
}

/// Parses DECLARE and DEFINE after the keyword: sets the name of `decl`, and appends its value to
/// the AST's items. A parameter may have no value, and is zero then. NV_fragment_program section
/// 3.11.2, namedConstant and namedParameter.
fn parse_value_declaration(input: &mut Input<'_, '_>, decl: &mut Decl) -> Result<()> {
    decl.name = Some(parse_establish_name(input)?);
    if decl.kind == DeclKind::Declare && peek_kind(input) != TokenKind::Equals {
        return Ok(());
    }
    mark(TokenKind::Equals).parse_next(input)?;
    let item = match peek_kind(input) {
        TokenKind::Ident => {
            let (name, span) = identifier(Expected::Name).parse_next(input)?;
            // A name has no sign: the grammar allows one before numbers only.
            DeclItem::Name(name, ArraySize::NotArray, span)
        }
        TokenKind::OpenBrace => parse_vector_item(input)?,
        _ => DeclItem::Scalar(parse_signed_constant_scalar(input)?),
    };
    push_item(input, item);
    Ok(())
}
