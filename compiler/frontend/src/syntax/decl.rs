//! Declarations.

use super::cursor::{Expected, Parsed, Syntax};
use super::define;
use super::keywords::DeclWord;
use super::numbers::{sign, signed_number, small_int, vector};
use super::path::whole_path;
use super::vocabulary::Leader;
use crate::ast::{Decl, DeclKind, Item, Size, Statement, VarMods};
use crate::codes::Code;
use crate::lang::declarations::Argument;
use crate::lex::TokenKind;
use crate::names::NameId;
use glasm_ir::Span;

/// A declaration, modifiers first, whose first word was taken.
pub(super) fn declaration(input: &mut Syntax<'_>, first: Span, word: DeclWord) -> Parsed<()> {
    let (kind, mods) = match word {
        DeclWord::Keyword(kind) => (kind, VarMods::empty()),
        DeclWord::Modifier(modifier) => modifiers(input, modifier)?,
    };
    let first_item = input.ast.items.len() as u32;
    let mut decl = Decl {
        kind,
        mods,
        name: None,
        size: Size::Single,
        size2: Size::Single,
        first_item,
        item_count: 0,
        span: first,
    };
    body(input, &mut decl)?;
    // The semicolon belongs to the declaration, blanks behind it do not.
    decl.span.end = input.position() + 1;
    input.expect(TokenKind::Semicolon, Expected::EndOfDecl)?;
    let reading = &mut input.ast;
    decl.item_count = reading.items.len() as u32 - first_item;
    let number = reading.decls.len() as u32;
    reading.decls.push(decl);
    input.statement = Some(Statement::Decl(number));
    Ok(())
}

/// The words behind the first modifier up to the keyword.
fn modifiers(input: &mut Syntax<'_>, mut mods: VarMods) -> Parsed<(DeclKind, VarMods)> {
    loop {
        let before = input.position();
        let (name, word) = input.expect_name(Expected::Token(TokenKind::Ident))?;
        match input.leader(name) {
            // Which modifiers the keyword takes is checked by the rules.
            Leader::Decl(DeclWord::Keyword(kind)) => return Ok((kind, mods)),
            Leader::Decl(DeclWord::Modifier(modifier)) => {
                add_modifier(input, &mut mods, modifier, word)
            }
            _ => {
                input.go_to(before);
                return Err(input.fail_at(Expected::Token(TokenKind::Ident)));
            }
        }
    }
}

/// Adds a modifier; repeated or contradicting ones are errors.
fn add_modifier(input: &mut Syntax<'_>, mods: &mut VarMods, modifier: VarMods, word: Span) {
    let text = String::from_utf8_lossy(&input.ast.text[word.range()]);
    let reports = &mut input.reports;
    if modifier.intersects(VarMods::ANY_TYPE) && mods.intersects(VarMods::ANY_TYPE) {
        reports.error(
            Code::TypeModifierTwice,
            word,
            format!("`{text}` is a second data type"),
        );
    } else if modifier.intersects(VarMods::ANY_SIZE) && mods.intersects(VarMods::ANY_SIZE) {
        reports.error(
            Code::SizeModifierTwice,
            word,
            format!("`{text}` is a second size"),
        );
    } else if mods.intersects(modifier) {
        reports.error(
            Code::InterpolationTwice,
            word,
            format!("`{text}` is repeated"),
        );
    } else {
        *mods |= modifier;
    }
}

/// What follows the keyword.
fn body(input: &mut Syntax<'_>, decl: &mut Decl) -> Parsed<()> {
    match decl.kind {
        DeclKind::Temp | DeclKind::Address => {
            temp_name(input)?;
            while input.accept(TokenKind::Comma) {
                temp_name(input)?;
            }
        }
        DeclKind::GroupSize | DeclKind::SharedMemory => numbers(input)?,
        DeclKind::SecondaryViewLayerOffset => signed_integer(input)?,
        DeclKind::Program(declaration) => {
            input.ast.declared |= declaration.bit();
            argument(input, declaration.info().argument)?;
        }
        DeclKind::Alias => {
            decl.name = Some(new_name(input)?);
            input.expect(TokenKind::Equals, Expected::Token(TokenKind::Equals))?;
            let item = alias_target(input)?;
            input.ast.items.push(item);
        }
        DeclKind::Declare | DeclKind::Define => define::value(input, decl)?,
        DeclKind::SubroutineType => {
            // Not `new_name`: a type may be declared several times, each time with more labels. ARB_shader_subroutine section 2.X.2.
            decl.name = Some(input.expect_name(Expected::Name)?);
            labels(input)?;
        }
        DeclKind::Subroutine => {
            let (ty, span) = input.expect_name(Expected::Name)?;
            input.ast.items.push(Item::Name(ty, Size::Single, span));
            decl.name = Some(new_name(input)?);
            decl.size = size(input)?;
            input.expect(TokenKind::Equals, Expected::Token(TokenKind::Equals))?;
            initializer(input, decl)?;
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
        | DeclKind::Counter => bound_variable(input, decl)?,
    }
    Ok(())
}

/// A name with sizes, and what it is bound to.
fn bound_variable(input: &mut Syntax<'_>, decl: &mut Decl) -> Parsed<()> {
    decl.name = Some(new_name(input)?);
    // ARB programs have arrays of parameters only.
    if input.facts.arrays || decl.kind == DeclKind::Param {
        decl.size = size(input)?;
    }
    if input.facts.arrays {
        decl.size2 = size(input)?;
    }
    // The grammar of NV_shader_atomic_counters has no equals sign.
    if decl.kind != DeclKind::Counter || input.is_at(TokenKind::Equals) {
        input.expect(TokenKind::Equals, Expected::Token(TokenKind::Equals))?;
    }
    initializer(input, decl)
}

/// What an alias names: a variable, or a binding, which the checker may take.
fn alias_target(input: &mut Syntax<'_>) -> Parsed<Item> {
    let before = input.position();
    let (old, word) = input.expect_name(Expected::Name)?;
    if !input.is_reserved(old) {
        return Ok(Item::Name(old, Size::Single, word));
    }
    input.go_to(before);
    whole_path(input).map(Item::Path)
}

/// Labels in braces; there may be none. ARB_shader_subroutine section 2.X.2.
fn labels(input: &mut Syntax<'_>) -> Parsed<()> {
    let brace = Expected::Token(TokenKind::OpenBrace);
    input.expect(TokenKind::OpenBrace, brace)?;
    if input.accept(TokenKind::CloseBrace) {
        return Ok(());
    }
    loop {
        let (name, span) = input.expect_name(Expected::Label)?;
        let label = Item::Name(name, Size::Single, span);
        input.ast.items.push(label);
        if !input.accept(TokenKind::Comma) {
            break;
        }
    }
    input.close(TokenKind::CloseBrace).map(drop)
}

/// Integers up to the semicolon; commas between them are optional. NV_compute_program5 section 2.X.7.Y.
fn numbers(input: &mut Syntax<'_>) -> Parsed<()> {
    loop {
        let span = input.peek().span();
        let value = small_int(input)?;
        input.ast.items.push(Item::Number(value, span));
        let comma = input.accept(TokenKind::Comma);
        if !comma && input.peek().kind() != TokenKind::Int {
            return Ok(());
        }
    }
}

/// What stands behind PRIMITIVE_IN and its like.
fn argument(input: &mut Syntax<'_>, argument: Argument) -> Parsed<()> {
    let item = match argument {
        Argument::None => return Ok(()),
        Argument::Word(_) => {
            let (name, span) = input.expect_name(Expected::Name)?;
            Item::Name(name, Size::Single, span)
        }
        Argument::Number => {
            let span = input.peek().span();
            Item::Number(small_int(input)?, span)
        }
        Argument::Result => Item::Path(whole_path(input)?),
    };
    input.ast.items.push(item);
    Ok(())
}

/// An integer with an optional sign, kept by its bits. Numbers out of range become the nearest ones.
fn signed_integer(input: &mut Syntax<'_>) -> Parsed<()> {
    let start = input.peek().span();
    let is_negative = sign(input) == Some(TokenKind::Minus);
    let end = input.peek().span();
    let magnitude = small_int(input)?.min(i32::MAX as u32) as i32;
    let value = if is_negative { -magnitude } else { magnitude };
    let item = Item::Number(value as u32, start.to(end));
    input.ast.items.push(item);
    Ok(())
}

/// A name that is free to be declared.
pub(super) fn new_name(input: &mut Syntax<'_>) -> Parsed<(NameId, Span)> {
    let (name, word) = input.expect_name(Expected::Name)?;
    if input.is_reserved(name) {
        input.go_to(word.start);
        return Err(input.fail_at(Expected::FreeName));
    }
    // From here on the name wins over a condition of the same spelling.
    input.words[name.index()].declared = true;
    Ok((name, word))
}

fn temp_name(input: &mut Syntax<'_>) -> Parsed<()> {
    let (name, span) = new_name(input)?;
    let size = match input.facts.arrays {
        true => size(input)?,
        false => Size::Single,
    };
    input.ast.items.push(Item::Name(name, size, span));
    Ok(())
}

/// Nothing, `[]` or `[n]`.
fn size(input: &mut Syntax<'_>) -> Parsed<Size> {
    if !input.accept(TokenKind::OpenBracket) {
        return Ok(Size::Single);
    }
    let digits = input.peek();
    let size = match digits.kind() {
        TokenKind::Int => Size::Of(small_int(input)?, digits.span()),
        // Else the bracket that is missing is the mistake.
        _ => Size::Open,
    };
    input.close(TokenKind::CloseBracket)?;
    Ok(size)
}

/// A single binding, or bindings in braces. `{1, 2, 3, 4}` for a variable that is no array is one constant.
fn initializer(input: &mut Syntax<'_>, decl: &Decl) -> Parsed<()> {
    // `ATTRIB a[] = vertex.attrib[0..3]`: a range without braces, which ARB programs do not know.
    let braces = input.is_at(TokenKind::OpenBrace) || !input.facts.bare_ranges;
    if decl.size == Size::Single || !braces {
        return item(input);
    }
    input.expect(TokenKind::OpenBrace, Expected::Token(TokenKind::OpenBrace))?;
    item(input)?;
    while input.accept(TokenKind::Comma) {
        item(input)?;
    }
    input.close(TokenKind::CloseBrace)?;
    Ok(())
}

/// A binding or a constant.
fn item(input: &mut Syntax<'_>) -> Parsed<()> {
    let item = match input.peek().kind() {
        TokenKind::Ident => Item::Path(whole_path(input)?),
        TokenKind::Int | TokenKind::Float | TokenKind::Plus | TokenKind::Minus => {
            Item::Scalar(signed_number(input)?)
        }
        TokenKind::OpenBrace => {
            let (first, count, span) = vector(input)?;
            Item::Vector { first, count, span }
        }
        _ => return Err(input.fail_at(Expected::Binding)),
    };
    input.ast.items.push(item);
    Ok(())
}
