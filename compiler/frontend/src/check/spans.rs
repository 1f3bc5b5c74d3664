//! Spans of opcodes, modifiers, registers and items, for messages.

use super::Checker;
use crate::ast::{Inst, Item};
use crate::lang::modifiers::{self, Mods};
use crate::lex::{Token, TokenKind};
use glasm_ir::Span;

impl Checker<'_> {
    pub(super) fn opcode_span(&self, inst: &Inst) -> Span {
        self.ast.tokens_in(inst.span)[0].span()
    }

    /// Returns the span of the modifier that `matches`, or of the opcode with its suffixes.
    pub(super) fn modifier_span(&self, inst: &Inst, matches: impl Fn(&[u8]) -> bool) -> Span {
        let tokens = self.ast.tokens_in(inst.span);
        // Pairs of a point and a word follow the opcode.
        let words = tokens[1..]
            .chunks_exact(2)
            .take_while(|pair| pair[0].kind() == TokenKind::Dot)
            .map(|pair| pair[1]);
        let mut found = words.filter(|word| matches(word.text(self.ast.text)));
        found.next().unwrap_or(tokens[0]).span()
    }

    pub(super) fn flag_span(&self, inst: &Inst, flags: Mods) -> Span {
        let wanted = |word: &[u8]| match modifiers::lookup(word) {
            Some(modifiers::Modifier::Flag(flag)) => flags.intersects(flag),
            Some(modifiers::Modifier::Type(_) | modifiers::Modifier::Atomic(_)) | None => false,
        };
        self.modifier_span(inst, wanted)
    }

    pub(super) fn type_span(&self, inst: &Inst, number: usize) -> Span {
        let ty = modifiers::Modifier::Type(inst.modifiers.data_type(number));
        self.modifier_span(inst, |word| modifiers::lookup(word) == Some(ty))
    }

    pub(super) fn text_at(&self, span: Span) -> &[u8] {
        &self.ast.text[span.range()]
    }

    /// The place of an item.
    pub(super) fn item_span(&self, item: Item) -> Span {
        let reading = &self.ast;
        match item {
            Item::Name(_, _, span) | Item::Vector { span, .. } | Item::Number(_, span) => span,
            Item::Path(path) => reading.paths[path as usize].span,
            Item::Scalar(literal) => reading.literals[literal as usize].span,
        }
    }

    /// What an operand or a result names, without signs, bars and suffix in programs of registers.
    pub(super) fn named_span(&self, span: Span) -> Span {
        match self.facts.registers {
            Some(_) => self.register_span(span),
            None => span,
        }
    }

    /// Returns the span of an operand without signs and bars in programs of registers, but with its suffix.
    pub(super) fn value_span(&self, operand: Span) -> Span {
        if self.facts.registers.is_none() {
            return operand;
        }
        let mut value = self
            .ast
            .tokens_in(operand)
            .iter()
            .filter(|it| !is_sign(**it));
        let first = value.next().map_or(operand, |token| token.span());
        value
            .next_back()
            .map_or(first, |last| first.to(last.span()))
    }

    /// Returns the span of the register of an operand, without signs, bars and suffix.
    pub(super) fn register_span(&self, operand: Span) -> Span {
        let tokens = self.ast.tokens_in(operand).iter();
        let mut register = tokens.skip_while(|it| is_sign(**it));
        let first = register.next().map_or(operand, |token| token.span());
        // Registers of files end with their bracket, all others with their name.
        let bracket = register.find(|it| it.kind() == TokenKind::CloseBracket);
        bracket.map_or(first, |bracket| first.to(bracket.span()))
    }
}

/// Whether a token is a sign or a bar around a value.
fn is_sign(token: Token) -> bool {
    matches!(
        token.kind(),
        TokenKind::Minus | TokenKind::Plus | TokenKind::Bar
    )
}
