//! Handles in the place of textures and images. NV_bindless_texture, changes to section 2.X.2.

use super::operand::{operand, suffix};
use super::{Expected, Input, Parsed, advance, expect, peek, peek_kind};
use crate::ast::{Index, Operand, Signs, Suffix};
use crate::lex::Kind;
use glasm_ir::Span;

/// Whether `handle (` stands ahead. A variable may have that name, but no parenthesis follows a variable.
pub(super) fn handle_ahead(input: &Input<'_, '_>) -> bool {
    let word = peek(input);
    word.kind() == Kind::Ident
        && input.state.text(word) == b"handle"
        && peek_kind(input, 1) == Kind::OpenParen
}

/// A texture operand without a name, and the operand that is its handle.
pub(super) type Handle = (Operand, Operand);

/// `handle(v.c)`. What may stand in the parentheses is checked later.
pub(super) fn handle(input: &mut Input<'_, '_>) -> Parsed<Handle> {
    let start = advance(input).start();
    advance(input);
    let handle = operand(input)?;
    let close = expect(input, Kind::CloseParen, Expected::Token(Kind::CloseParen))?;
    let texture = Operand {
        base: handle.base,
        index: Index::None,
        suffix: Suffix::NONE,
        signs: Signs::empty(),
        span: Span::new(start, close.end()),
    };
    Ok((texture, handle))
}

/// `handle(v.c)` with the component that gathers select.
pub(super) fn texture_handle(input: &mut Input<'_, '_>) -> Parsed<Handle> {
    let (mut texture, handle) = handle(input)?;
    texture.suffix = suffix(input, &mut texture.span.end)?;
    Ok((texture, handle))
}
