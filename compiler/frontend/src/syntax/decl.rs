//! Declarations.

use super::operand::{sign, signed_number, vector};
use super::path::{small_int, whole_path};
use super::{Expected, Input, Parsed, Read, accept, advance, expect, fail_at, peek, token};
use crate::ast::{Base, Decl, DeclKind, Item, Size, VarMods};
use crate::codes::Code;
use crate::lex::Kind;
use crate::names::NameId;
use crate::source::Family;
use glasm_ir::Span;
use winnow::Parser;
use winnow::combinator::{delimited, dispatch, opt, separated};

/// A word that starts a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeclWord {
    /// The keyword of a statement.
    Keyword(DeclKind),
    /// A modifier before the keyword.
    Modifier(VarMods),
}

/// Families that have a declaration word.
const BOTH: &[Family] = &[Family::Typed, Family::Arb];
const TYPED: &[Family] = &[Family::Typed];
const ARB: &[Family] = &[Family::Arb];

static KEYWORDS: &[(&str, DeclWord, &[Family])] = &[
    ("ADDRESS", DeclWord::Keyword(DeclKind::Address), ARB),
    ("TEMP", DeclWord::Keyword(DeclKind::Temp), BOTH),
    ("ATTRIB", DeclWord::Keyword(DeclKind::Attrib), BOTH),
    ("PARAM", DeclWord::Keyword(DeclKind::Param), BOTH),
    ("OUTPUT", DeclWord::Keyword(DeclKind::Output), BOTH),
    ("ALIAS", DeclWord::Keyword(DeclKind::Alias), BOTH),
    ("BUFFER", DeclWord::Keyword(DeclKind::Buffer), TYPED),
    ("BUFFER4", DeclWord::Keyword(DeclKind::Buffer4), TYPED),
    ("CBUFFER", DeclWord::Keyword(DeclKind::Cbuffer), TYPED),
    ("TEXTURE", DeclWord::Keyword(DeclKind::Texture), TYPED),
    ("IMAGE", DeclWord::Keyword(DeclKind::Image), TYPED),
    ("SHARED", DeclWord::Keyword(DeclKind::Shared), TYPED),
    ("STORAGE", DeclWord::Keyword(DeclKind::Storage), TYPED),
    ("COUNTER", DeclWord::Keyword(DeclKind::Counter), TYPED),
    ("GROUP_SIZE", DeclWord::Keyword(DeclKind::GroupSize), TYPED),
    (
        "SHARED_MEMORY",
        DeclWord::Keyword(DeclKind::SharedMemory),
        TYPED,
    ),
    (
        "SECONDARY_VIEW_LAYER_OFFSET",
        DeclWord::Keyword(DeclKind::SecondaryViewLayerOffset),
        TYPED,
    ),
    // The heading and the text of NV_stereo_view_rendering write it so, its grammar does not.
    (
        "NV_SECONDARY_VIEW_LAYER_OFFSET",
        DeclWord::Keyword(DeclKind::SecondaryViewLayerOffset),
        TYPED,
    ),
    (
        "SUBROUTINETYPE",
        DeclWord::Keyword(DeclKind::SubroutineType),
        TYPED,
    ),
    ("SUBROUTINE", DeclWord::Keyword(DeclKind::Subroutine), TYPED),
    ("SHORT", DeclWord::Modifier(VarMods::SHORT), BOTH),
    ("LONG", DeclWord::Modifier(VarMods::LONG), BOTH),
    ("INT", DeclWord::Modifier(VarMods::INT), TYPED),
    ("UINT", DeclWord::Modifier(VarMods::UINT), TYPED),
    ("FLOAT", DeclWord::Modifier(VarMods::FLOAT), TYPED),
    ("FLAT", DeclWord::Modifier(VarMods::FLAT), TYPED),
    ("CENTROID", DeclWord::Modifier(VarMods::CENTROID), TYPED),
    (
        "NOPERSPECTIVE",
        DeclWord::Modifier(VarMods::NOPERSPECTIVE),
        TYPED,
    ),
    ("SAMPLE", DeclWord::Modifier(VarMods::SAMPLE), TYPED),
];

/// The declaration words of a family.
pub(super) fn words(family: Family) -> impl Iterator<Item = (&'static str, DeclWord)> {
    KEYWORDS
        .iter()
        .filter(move |(.., families)| families.contains(&family))
        .map(|&(text, word, _)| (text, word))
}

/// The declaration word that `text` spells.
pub(super) fn word(family: Family, text: &[u8]) -> Option<DeclWord> {
    KEYWORDS
        .iter()
        .find(|(name, _, families)| name.as_bytes() == text && families.contains(&family))
        .map(|&(_, word, _)| word)
}

/// A declaration, modifiers first.
pub(super) fn declaration(input: &mut Input<'_, '_>) -> Parsed<()> {
    let start = peek(input).start();
    let mut mods = VarMods::empty();
    let kind = loop {
        let keyword = peek(input);
        let found = if keyword.kind() == Kind::Ident {
            word(input.state.ast.dialect.family(), input.state.text(keyword))
        } else {
            None
        };
        match found {
            Some(DeclWord::Modifier(modifier)) => add_modifier(input, &mut mods, modifier),
            Some(DeclWord::Keyword(kind)) => break kind,
            None => return Err(fail_at(input, Expected::Token(Kind::Ident))),
        }
        advance(input);
    };
    advance(input);
    let first_item = input.state.ast.items.len() as u32;
    let mut decl = Decl {
        kind,
        mods,
        name: None,
        size: Size::Single,
        size2: Size::Single,
        first_item,
        item_count: 0,
        span: Span::new(start, start),
    };
    body(input, &mut decl)?;
    decl.span.end = expect(input, Kind::Semicolon, Expected::EndOfDecl)?.end();
    let ast = &mut input.state.ast;
    decl.item_count = ast.items.len() as u32 - first_item;
    let number = ast.decls.len() as u32;
    ast.decls.push(decl);
    input.state.read = Some(Read::Decl(number));
    Ok(())
}

/// Adds a modifier; repeated or contradicting ones are errors.
fn add_modifier(input: &mut Input<'_, '_>, mods: &mut VarMods, modifier: VarMods) {
    let word = peek(input);
    let text = String::from_utf8_lossy(input.state.text(word)).into_owned();
    let reports = &mut input.state.reports;
    if modifier.intersects(VarMods::ANY_TYPE) && mods.intersects(VarMods::ANY_TYPE) {
        reports.error(
            Code::TypeModifierTwice,
            word.span(),
            format!("`{text}` is a second data type"),
        );
    } else if modifier.intersects(VarMods::ANY_SIZE) && mods.intersects(VarMods::ANY_SIZE) {
        reports.error(
            Code::SizeModifierTwice,
            word.span(),
            format!("`{text}` is a second size"),
        );
    } else if mods.intersects(modifier) {
        reports.error(
            Code::InterpolationTwice,
            word.span(),
            format!("`{text}` is repeated"),
        );
    } else {
        *mods |= modifier;
    }
}

/// What follows the keyword.
fn body(input: &mut Input<'_, '_>, decl: &mut Decl) -> Parsed<()> {
    match decl.kind {
        DeclKind::Temp | DeclKind::Address => {
            let _: () = separated(1.., temp_name, comma).parse_next(input)?;
        }
        DeclKind::GroupSize | DeclKind::SharedMemory => numbers(input)?,
        DeclKind::SecondaryViewLayerOffset => signed_integer(input)?,
        DeclKind::Alias => {
            decl.name = Some(new_name(input)?);
            expect(input, Kind::Equals, Expected::Token(Kind::Equals))?;
            let item = alias_target(input)?;
            input.state.ast.items.push(item);
        }
        DeclKind::SubroutineType => {
            let word = expect(input, Kind::Ident, Expected::Name)?;
            decl.name = Some((input.state.intern(word), word.span()));
            labels(input)?;
        }
        DeclKind::Subroutine => {
            let word = expect(input, Kind::Ident, Expected::Name)?;
            let ty = input.state.intern(word);
            let item = Item::Name(ty, Size::Single, word.span());
            input.state.ast.items.push(item);
            decl.name = Some(new_name(input)?);
            decl.size = size(input)?;
            expect(input, Kind::Equals, Expected::Token(Kind::Equals))?;
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
        | DeclKind::Counter => {
            decl.name = Some(new_name(input)?);
            if input.state.facts.arrays || decl.kind == DeclKind::Param {
                decl.size = size(input)?;
            }
            if input.state.facts.arrays {
                decl.size2 = size(input)?;
            }
            // The grammar of NV_shader_atomic_counters has no equals sign.
            if decl.kind != DeclKind::Counter || peek(input).kind() == Kind::Equals {
                expect(input, Kind::Equals, Expected::Token(Kind::Equals))?;
            }
            initializer(input, decl)?;
        }
    }
    Ok(())
}

/// What an alias names: a variable, or a binding, which the checker may take.
fn alias_target(input: &mut Input<'_, '_>) -> Parsed<Item> {
    let word = peek(input);
    if word.kind() == Kind::Ident {
        let name = input.state.intern(word);
        if input.state.is_reserved(name) {
            return whole_path(input).map(Item::Path);
        }
    }
    let word = expect(input, Kind::Ident, Expected::Name)?;
    let old = input.state.intern(word);
    Ok(Item::Name(old, Size::Single, word.span()))
}

/// Labels in braces; there may be none.
fn labels(input: &mut Input<'_, '_>) -> Parsed<()> {
    let brace = Expected::Token(Kind::OpenBrace);
    expect(input, Kind::OpenBrace, brace)?;
    while !accept(input, Kind::CloseBrace) {
        let word = expect(input, Kind::Ident, Expected::Label)?;
        let name = input.state.intern(word);
        let item = Item::Name(name, Size::Single, word.span());
        input.state.ast.items.push(item);
        if peek(input).kind() != Kind::CloseBrace {
            expect(input, Kind::Comma, Expected::Token(Kind::CloseBrace))?;
        }
    }
    Ok(())
}

/// Integers up to the semicolon; commas between them are optional. NV_compute_program5 section 2.X.7.Y.
fn numbers(input: &mut Input<'_, '_>) -> Parsed<()> {
    loop {
        let span = peek(input).span();
        let value = small_int(input)?;
        input.state.ast.items.push(Item::Number(value, span));
        let comma = accept(input, Kind::Comma);
        if !comma && peek(input).kind() != Kind::Int {
            return Ok(());
        }
    }
}

/// An integer with an optional sign, kept by its bits. Numbers out of range become the nearest ones.
fn signed_integer(input: &mut Input<'_, '_>) -> Parsed<()> {
    let start = peek(input).span();
    let (is_negative, _) = sign(input);
    let end = peek(input).span();
    let magnitude = small_int(input)?.min(i32::MAX as u32) as i32;
    let value = if is_negative { -magnitude } else { magnitude };
    let item = Item::Number(value as u32, start.to(end));
    input.state.ast.items.push(item);
    Ok(())
}

/// A comma, or the end of a list.
fn comma(input: &mut Input<'_, '_>) -> Parsed<()> {
    use winnow::error::ModalError;
    if accept(input, Kind::Comma) {
        Ok(())
    } else {
        Err(fail_at(input, Expected::EndOfDecl).backtrack())
    }
}

/// A name that is free to be declared.
fn new_name(input: &mut Input<'_, '_>) -> Parsed<(NameId, Span)> {
    let word = peek(input);
    if word.kind() != Kind::Ident {
        return Err(fail_at(input, Expected::Name));
    }
    let name = input.state.intern(word);
    if input.state.is_reserved(name) {
        return Err(fail_at(input, Expected::FreeName));
    }
    advance(input);
    input.state.declare(name);
    Ok((name, word.span()))
}

fn temp_name(input: &mut Input<'_, '_>) -> Parsed<()> {
    let (name, span) = new_name(input)?;
    let size = match input.state.facts.arrays {
        true => size(input)?,
        false => Size::Single,
    };
    input.state.ast.items.push(Item::Name(name, size, span));
    Ok(())
}

/// Nothing, `[]` or `[n]`.
fn size(input: &mut Input<'_, '_>) -> Parsed<Size> {
    if peek(input).kind() != Kind::OpenBracket {
        return Ok(Size::Single);
    }
    let number = delimited(
        token(Kind::OpenBracket),
        opt(optional_int),
        token(Kind::CloseBracket),
    )
    .parse_next(input)?;
    Ok(number.map_or(Size::Open, |(value, span)| Size::Of(value, span)))
}

fn optional_int(input: &mut Input<'_, '_>) -> Parsed<(u32, Span)> {
    use winnow::error::ModalError;
    let span = peek(input).span();
    match peek(input).kind() {
        Kind::Int => small_int(input).map(|value| (value, span)),
        _ => Err(fail_at(input, Expected::Integer).backtrack()),
    }
}

/// A single binding, or bindings in braces. `{1, 2, 3, 4}` for a variable that is no array is one constant.
fn initializer(input: &mut Input<'_, '_>, decl: &Decl) -> Parsed<()> {
    let braces = peek(input).kind() == Kind::OpenBrace || !input.state.facts.bare_ranges;
    if decl.size == Size::Single || !braces {
        return item(input);
    }
    delimited(
        token(Kind::OpenBrace),
        separated(1.., item, comma),
        token(Kind::CloseBrace),
    )
    .parse_next(input)
}

/// A binding or a constant.
fn item(input: &mut Input<'_, '_>) -> Parsed<()> {
    let item = dispatch! { next_kind;
        Kind::Ident => whole_path.map(Item::Path),
        Kind::Int | Kind::Float | Kind::Plus | Kind::Minus => signed_number.map(Item::Scalar),
        Kind::OpenBrace => braces,
        _ => no_item,
    }
    .parse_next(input)?;
    input.state.ast.items.push(item);
    Ok(())
}

fn next_kind(input: &mut Input<'_, '_>) -> Parsed<Kind> {
    Ok(peek(input).kind())
}

fn no_item(input: &mut Input<'_, '_>) -> Parsed<Item> {
    Err(fail_at(input, Expected::Binding))
}

fn braces(input: &mut Input<'_, '_>) -> Parsed<Item> {
    match vector(input)? {
        (Base::Vector { first, count }, span) => Ok(Item::Vector { first, count, span }),
        _ => Err(fail_at(input, Expected::Binding)),
    }
}
