//! Words of TGSI.

use super::{Completion, CompletionKind, Place, list_components};
use crate::symbols::SymbolKind;
use glasm::frontend::tgsi::reference;

impl Place<'_> {
    /// Returns the words of TGSI.
    pub(super) fn complete_tgsi(&self) -> Vec<Completion> {
        let numbered = self.text_before(1) == b":" && self.before.len() == 2;
        let Some(first) = self.before.first().filter(|_| !numbered) else {
            return self.list_tgsi_first_words(numbered);
        };
        if self.text_before(1) == b"." {
            return list_components();
        }
        let stage = self.dialect.stage();
        match self.program.token_text(first).to_ascii_uppercase().as_str() {
            "DCL" if self.before.len() == 1 => reference::register_files()
                .map(|it| Completion::new(CompletionKind::Register, it.name, it.description))
                .collect(),
            "DCL" => reference::semantics()
                .filter(|it| {
                    let stages = it.inputs | it.outputs | it.system_values;
                    stages.contains_stage(stage)
                })
                .map(|it| Completion::new(CompletionKind::Semantic, it.name, it.description))
                .collect(),
            "PROPERTY" if self.before.len() == 1 => reference::properties()
                .filter(|it| it.stages.contains_stage(stage))
                .map(|it| Completion::new(CompletionKind::Semantic, it.name, it.description))
                .collect(),
            "PROPERTY" => self.list_property_values(),
            "IMM" => Vec::new(),
            _ => self.list_tgsi_operands(),
        }
    }

    /// Returns the values of the property before the word.
    fn list_property_values(&self) -> Vec<Completion> {
        let name = self.before.get(1).map(|it| self.program.token_text(it));
        let mut properties = reference::properties();
        let found =
            properties.find(|it| name.is_some_and(|name| it.name.eq_ignore_ascii_case(name)));
        let value = found.map(|it| it.value).unwrap_or_default();
        // Numbers are described by a sentence.
        let words = value.split(", ").filter(|word| !word.contains(' '));
        words
            .map(|word| Completion::new(CompletionKind::Semantic, word, ""))
            .collect()
    }

    /// Returns the words that begin statements of TGSI; only opcodes follow a number.
    fn list_tgsi_first_words(&self, numbered: bool) -> Vec<Completion> {
        let stage = self.dialect.stage();
        let opcodes = reference::opcodes()
            .filter(|it| it.stages.contains_stage(stage))
            .map(|it| Completion::new(CompletionKind::Opcode, it.name, it.formula));
        let keywords = ["DCL", "IMM", "PROPERTY"].into_iter().filter(|_| !numbered);
        let keywords = keywords.map(|it| Completion::new(CompletionKind::Keyword, it, ""));
        opcodes.chain(keywords).collect()
    }

    /// Returns the declared registers and the targets of TGSI.
    fn list_tgsi_operands(&self) -> Vec<Completion> {
        let mut words = self.list_names(|symbol| symbol.kind != SymbolKind::Label);
        for word in &mut words {
            // `TEMP[0..3]` declares several.
            if let Some((first, _)) = word.label.split_once("..") {
                word.label = format!("{first}]");
            }
        }
        words.extend(
            reference::texture_targets()
                .map(|it| Completion::new(CompletionKind::Target, it.name, it.description)),
        );
        words
    }
}
