//! Contents of each group: the only module that depends on all tables.

use super::topic::{Group, Topic};
use super::{bindings, opcodes, tables, tgsi};
use glasm::Code;
use glasm::frontend::lang::lenient::Rule;

impl Group {
    /// Lists the entries of the group, with a line about each; where languages differ, that of the
    /// first.
    pub(super) fn list_lines(self) -> Vec<(String, String)> {
        let owned = |(name, about): (&str, &str)| (name.to_owned(), about.to_owned());
        match self {
            Self::Opcode => opcodes::list_lines().into_iter().map(owned).collect(),
            Self::Error => {
                let codes = Code::ALL.iter();
                let codes = codes.map(|code| (code.id(), code.title()));
                codes.map(owned).collect()
            }
            Self::Option => tables::list_option_lines(),
            Self::Declaration => tables::list_declaration_lines(),
            Self::Binding => bindings::list_lines(),
            Self::State => bindings::list_state_lines(),
            Self::Target => tables::list_target_lines(),
            Self::File => tgsi::list_file_lines(),
            Self::Semantic => tgsi::list_semantic_lines(),
            Self::Property => tgsi::list_property_lines(),
            Self::Language => tables::list_language_lines(),
        }
    }

    /// Finds the topics of a name; several entries where languages differ.
    pub(super) fn find(self, name: &str) -> Vec<Topic> {
        match self {
            Self::Opcode => opcodes::find(name),
            Self::Error => Code::from_id(name)
                .map(build_code_topic)
                .into_iter()
                .collect(),
            Self::Option => tables::find_option(name),
            Self::Declaration => tables::find_declaration(name),
            Self::Binding => bindings::find(name),
            Self::State => bindings::find_state(name),
            Self::Target => tables::find_target(name),
            Self::File => tgsi::find_file(name),
            Self::Semantic => tgsi::find_semantic(name),
            Self::Property => tgsi::find_property(name),
            Self::Language => tables::find_language(name),
        }
    }
}

fn build_code_topic(code: Code) -> Topic {
    let mut text = code.explanation().to_owned();
    let rules = Rule::ALL.iter().map(|rule| rule.info());
    for rule in rules.filter(|rule| rule.code == code) {
        let accepted = format!("`{}`: {}", rule.example, rule.accepted);
        text += &format!(
            "\nShipped programs do this, so it is a warning without --strict: {accepted}."
        );
    }
    Topic {
        text,
        ..Topic::new(Group::Error, code.id(), code.title())
    }
}
