//! What the words of a language mean at the start of a statement: opcodes, declarations, END and OPTION.
//!
//! The table of a language is made when the first program of it is read. Almost every word may also be a name, so that the grammar
//! decides by position.

use super::decl::{self, DeclWord};
use crate::ast::Suffix;
use crate::lang::modifiers::{Modifier, Mods};
use crate::lang::opcodes::{self, Opcode};
use crate::names::Named;
use crate::source::Dialect;
use glasm_ir::WriteMask;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// What a word means at the start of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leader {
    /// An opcode, with the suffixes that are part of the word.
    Opcode(Opcode, Mods),
    Decl(DeclWord),
    Option,
    End,
    /// An opcode of older languages.
    Old,
    /// In no table: perhaps an opcode with suffixes, which is found out when the word begins a statement.
    Unknown,
    Other,
}

/// What is known of a name as a word, read off the tables once per name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub(crate) leader: Leader,
    /// What it means behind the point of an opcode, once that was asked.
    pub(super) modifier: Option<Option<Modifier>>,
    /// Whether it begins bindings and can be no name.
    pub(super) reserved: bool,
    /// Whether a declaration before has this name.
    pub(super) declared: bool,
    /// What it stands for by the declarations before.
    pub(crate) named: Named,
    /// The variable and the suffix of a binding path that was an operand before.
    pub(crate) operand: Option<(u32, Suffix)>,
    /// The variable and the mask of a binding path that was a result before.
    pub(crate) result: Option<(u32, WriteMask)>,
}

/// The words of a language.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    words: FxHashMap<&'static [u8], Word>,
}

impl Word {
    pub(super) const fn new(leader: Leader) -> Self {
        Self {
            leader,
            modifier: None,
            reserved: false,
            declared: false,
            named: Named::Nothing,
            operand: None,
            result: None,
        }
    }
}

impl Vocabulary {
    /// The words of a language.
    pub(super) fn of(dialect: Dialect) -> &'static Self {
        static TABLES: [OnceLock<Vocabulary>; Dialect::ALL.len()] =
            [const { OnceLock::new() }; Dialect::ALL.len()];
        TABLES[dialect as usize].get_or_init(|| Self::new(dialect))
    }

    fn new(dialect: Dialect) -> Self {
        let family = dialect.family();
        let mut words = FxHashMap::default();
        let mut add = |text: &'static str, leader| {
            words.insert(text.as_bytes(), Word::new(leader));
        };
        let facts = dialect.facts();
        // The order matters where a word is in several lists: the last one wins.
        for text in facts.old_words {
            add(text, Leader::Old);
        }
        for (text, word) in decl::words(family) {
            add(text, Leader::Decl(word));
        }
        for row in opcodes::rows(family) {
            if let Some(opcode) = Opcode::exact(family, row.name.as_bytes()) {
                add(row.name, Leader::Opcode(opcode, Mods::empty()));
            }
        }
        add("END", Leader::End);
        add("OPTION", Leader::Option);
        for text in facts.reserved_words {
            let word = Word {
                reserved: true,
                ..Word::new(Leader::Other)
            };
            words.insert(text.as_bytes(), word);
        }
        Self { words }
    }

    /// What `text` means.
    pub(super) fn word(&self, text: &[u8]) -> Word {
        let found = self.words.get(text).copied();
        found.unwrap_or(Word::new(Leader::Unknown))
    }
}
