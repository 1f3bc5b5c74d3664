//! Places of opcodes and modifiers. The statement is read again for them, because nothing keeps them: only messages need them.

use super::Checker;
use crate::lang::modifiers::{self, Mods};
use crate::lex::{Kind, Token, lex};
use crate::statement::Inst;
use glasm_ir::Span;

impl Checker<'_> {
    /// The tokens of an instruction, read again.
    pub(super) fn tokens(&self, inst: &Inst) -> Vec<Token> {
        lex(
            &self.syntax.reading.text[..inst.span.end as usize],
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
            .take_while(|pair| pair[0].kind() == Kind::Dot)
            .map(|pair| pair[1]);
        let mut found = words.filter(|word| matches(word.text(self.syntax.reading.text)));
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
}
