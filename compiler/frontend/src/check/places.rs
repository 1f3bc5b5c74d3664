//! Places of opcodes, modifiers, registers and items. The statement is read again for them, because nothing keeps them: only messages need them.

use super::Checker;
use crate::ast::{Inst, Item};
use crate::lang::modifiers::{self, Mods};
use crate::lex::{Token, TokenKind, lex};
use glasm_ir::Span;

impl Checker<'_> {
    /// The tokens of an instruction, read again.
    pub(super) fn tokens(&self, inst: &Inst) -> Vec<Token> {
        lex(
            &self.ast.text[..inst.span.end as usize],
            inst.span.start as usize,
        )
    }

    pub(super) fn opcode_span(&self, inst: &Inst) -> Span {
        self.tokens(inst)[0].span()
    }

    /// The place of the modifier that `matches`, or of the opcode with its suffixes.
    pub(super) fn modifier_span(&self, inst: &Inst, matches: impl Fn(&[u8]) -> bool) -> Span {
        // Pairs of a point and a word follow the opcode.
        let tokens = self.tokens(inst);
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

    /// The operand without signs and bars in programs of registers, but with its suffix.
    pub(super) fn value_span(&self, operand: Span) -> Span {
        if self.facts.registers.is_none() {
            return operand;
        }
        let text = self.text_at(operand);
        let before = text.iter().take_while(|&&byte| is_sign(byte)).count() as u32;
        // The bar that closes an absolute value.
        let behind = text.iter().rev().take_while(|&&byte| is_sign(byte)).count() as u32;
        Span::new(operand.start + before, operand.end - behind)
    }

    /// The register of an operand, without signs, bars and suffix.
    pub(super) fn register_span(&self, operand: Span) -> Span {
        let text = self.text_at(operand);
        let skipped = text.iter().take_while(|&&byte| is_sign(byte)).count();
        let register = &text[skipped..];
        // Registers of files end with their bracket, all others with their name.
        let end = match register.iter().position(|&byte| byte == b']') {
            Some(bracket) => bracket + 1,
            None => crate::lex::word_length(register),
        };
        let start = operand.start + skipped as u32;
        Span::new(start, start + end as u32)
    }
}

/// What stands around a value that it is no part of: signs, bars and blanks.
fn is_sign(byte: u8) -> bool {
    matches!(byte, b'-' | b'+' | b'|') || byte.is_ascii_whitespace()
}
