//! DEFINE and DECLARE: names of constants and of parameters. NV_fragment_program section 3.11.2.

use super::cursor::{Expected, Parsed, Syntax};
use super::decl::new_name;
use super::numbers::{signed_number, vector};
use crate::ast::{Decl, DeclKind, Item, Size};
use crate::lex::TokenKind;

/// The name and its value, without which a parameter is zero.
pub(super) fn value(input: &mut Syntax<'_>, decl: &mut Decl) -> Parsed<()> {
    decl.name = Some(new_name(input)?);
    if decl.kind == DeclKind::Declare && !input.is_at(TokenKind::Equals) {
        return Ok(());
    }
    input.expect(TokenKind::Equals, Expected::Token(TokenKind::Equals))?;
    let item = constant(input)?;
    input.ast.items.push(item);
    Ok(())
}

/// A number, a vector, or the name of one.
fn constant(input: &mut Syntax<'_>) -> Parsed<Item> {
    if input.is_at_name() {
        let (name, span) = input.take_name();
        // A name has no sign: the grammar has one before numbers only.
        return Ok(Item::Name(name, Size::Single, span));
    }
    if input.is_at(TokenKind::OpenBrace) {
        let (first, count, span) = vector(input)?;
        return Ok(Item::Vector { first, count, span });
    }
    signed_number(input).map(Item::Scalar)
}
