//! Handles in the place of textures and images. NV_bindless_texture, changes to section 2.X.2.

use super::cursor::{Parsed, Syntax};
use super::operand::{operand, suffix};
use crate::ast::{Index, Operand, Signs, Suffix};
use crate::lex::TokenKind;
use glasm_ir::Span;

/// Whether `handle (` stands ahead. A variable may have that name, but no parenthesis follows a variable.
pub(super) fn handle_ahead(input: &Syntax<'_>) -> bool {
    // A cheap look first: hardly any operand begins like this.
    input.rest.starts_with(b"handle")
        && input.text(input.peek()) == b"handle"
        && input.peek_kind(1) == TokenKind::OpenParen
}

/// A texture operand without a name, and the operand that is its handle.
pub(super) type Handle = (Operand, Operand);

/// `handle(v.c)`. What may stand in the parentheses is checked later.
pub(super) fn handle(input: &mut Syntax<'_>) -> Parsed<Handle> {
    let start = input.advance().start();
    input.advance();
    let handle = operand(input)?;
    let end = input.close(TokenKind::CloseParen)?;
    let texture = Operand {
        base: handle.base,
        index: Index::None,
        suffix: Suffix::NONE,
        signs: Signs::empty(),
        span: Span::new(start, end),
    };
    Ok((texture, handle))
}

/// `handle(v.c)` with the component that gathers select.
pub(super) fn texture_handle(input: &mut Syntax<'_>) -> Parsed<Handle> {
    let (mut texture, handle) = handle(input)?;
    texture.suffix = suffix(input, &mut texture.span.end)?;
    Ok((texture, handle))
}
