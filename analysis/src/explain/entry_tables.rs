//! Entries of each group: the only module other than the answer that depends on all tables.

use super::entry::{Category, Entry};
use super::{bindings, opcodes, options_and_targets, tgsi};
use glasm::Code;
use glasm::frontend::codes::LenientRule;

impl Category {
    /// Returns the names of the group, each with a line about it; where languages differ, that of
    /// the first.
    pub fn list_lines(self) -> Vec<(String, String)> {
        let owned = |(name, about): (&str, &str)| (name.to_owned(), about.to_owned());
        match self {
            Self::Opcode => opcodes::list_opcode_lines()
                .into_iter()
                .map(owned)
                .collect(),
            Self::Error => {
                let codes = Code::ALL.iter();
                let codes = codes.map(|code| (code.id(), code.title()));
                codes.map(owned).collect()
            }
            Self::Option => options_and_targets::list_option_lines(),
            Self::Declaration => options_and_targets::list_declaration_lines(),
            Self::Binding => bindings::list_binding_lines(),
            Self::State => bindings::list_state_lines(),
            Self::Target => options_and_targets::list_target_lines(),
            Self::File => tgsi::list_file_lines(),
            Self::Semantic => tgsi::list_semantic_lines(),
            Self::Property => tgsi::list_property_lines(),
            Self::Language => options_and_targets::list_language_lines(),
        }
    }

    /// Returns the entries of a name in the group, several where languages differ; empty if the
    /// name is unknown.
    pub fn find_entries(self, name: &str) -> Vec<Entry> {
        match self {
            Self::Opcode => opcodes::find_opcode(name),
            Self::Error => Code::from_id(name)
                .map(build_error_code_entry)
                .into_iter()
                .collect(),
            Self::Option => options_and_targets::find_option(name),
            Self::Declaration => options_and_targets::find_declaration(name),
            Self::Binding => bindings::find_binding(name),
            Self::State => bindings::find_state(name),
            Self::Target => options_and_targets::find_target(name),
            Self::File => tgsi::find_file(name),
            Self::Semantic => tgsi::find_semantic(name),
            Self::Property => tgsi::find_property(name),
            Self::Language => options_and_targets::find_language(name),
        }
    }
}

/// Builds the entry of an error code: its explanation, followed by the rules that make it a warning
/// without `--strict`.
fn build_error_code_entry(code: Code) -> Entry {
    let mut text = code.explanation().to_owned();
    let rules = LenientRule::ALL.iter().map(|rule| rule.info());
    for rule in rules.filter(|rule| rule.code == code) {
        let accepted = format!("`{}`: {}", rule.example, rule.accepted);
        text += &format!(
            "\nShipped programs do this, so it is a warning without --strict: {accepted}."
        );
    }
    Entry {
        description: text,
        ..Entry::new(Category::Error, code.id(), code.title())
    }
}
