//! The words of TGSI: opcodes, register files, semantics, properties and targets.

use super::topic::{Group, Topic, programs};
use glasm::frontend::lang::Stages;
use glasm::frontend::tgsi::catalog::{
    self, Era, FileUse, FileWord, OpcodeWord, PropertyWord, SemanticWord, TargetWord,
};

/// What is in the field `language`.
const LANGUAGE: &str = "TGSI";

/// In which documents a word is.
const fn era_text(era: Era) -> &'static str {
    match era {
        Era::Current => "current",
        Era::Removed => "that of 2010, or its time",
    }
}

/// Returns all opcodes.
pub(super) fn opcode_lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    catalog::opcodes().map(|word| (word.name, word.text))
}

/// Finds the opcode of this name, suffixes allowed.
pub(super) fn find_opcode(name: &str) -> Option<Topic> {
    catalog::opcode(name).map(opcode_topic)
}

fn opcode_topic(word: OpcodeWord) -> Topic {
    let refused = match word.era {
        Era::Current => "",
        Era::Removed => "; refused by --strict",
    };
    Topic {
        syntax: Some(word.syntax),
        fields: vec![
            ("language", LANGUAGE.to_owned()),
            ("programs", programs(word.stages)),
            ("document", format!("{}{refused}", era_text(word.era))),
        ],
        ..Topic::new(Group::Opcode, word.name, word.text)
    }
}

/// Returns all register files.
pub(super) fn file_lines() -> Vec<(String, String)> {
    let files = catalog::files();
    let lines = files.map(|word| (word.name.to_owned(), word.text.to_owned()));
    lines.collect()
}

/// Finds the register file of this name.
pub(super) fn find_file(name: &str) -> Vec<Topic> {
    let mut files = catalog::files();
    let file = files.find(|word| word.name.eq_ignore_ascii_case(name));
    file.map(file_topic).into_iter().collect()
}

fn file_topic(word: FileWord) -> Topic {
    let usage = match word.usage {
        FileUse::Written => "instructions read and write them",
        FileUse::Read => "instructions read them",
        FileUse::Resource => "instructions name them as resources",
    };
    Topic {
        fields: vec![
            ("language", LANGUAGE.to_owned()),
            ("registers", usage.to_owned()),
            ("document", era_text(word.era).to_owned()),
        ],
        ..Topic::new(Group::File, word.name, word.text)
    }
}

/// Returns all semantics.
pub(super) fn semantic_lines() -> Vec<(String, String)> {
    let semantics = catalog::semantics();
    let lines = semantics.map(|word| (word.name.to_owned(), word.text.to_owned()));
    lines.collect()
}

/// Finds the semantic of this name.
pub(super) fn find_semantic(name: &str) -> Vec<Topic> {
    let mut semantics = catalog::semantics();
    let semantic = semantics.find(|word| word.name.eq_ignore_ascii_case(name));
    semantic.map(semantic_topic).into_iter().collect()
}

fn semantic_topic(word: SemanticWord) -> Topic {
    let stages = |stages: Stages| match stages {
        Stages::NONE => "no programs".to_owned(),
        stages => format!("{} programs", programs(stages)),
    };
    let mut fields = vec![("language", LANGUAGE.to_owned())];
    let kinds = [
        ("DCL IN", word.inputs),
        ("DCL SV", word.values),
        ("DCL OUT", word.outputs),
    ];
    fields.extend(kinds.map(|(kind, those)| (kind, stages(those))));
    Topic {
        fields,
        ..Topic::new(Group::Semantic, word.name, word.text)
    }
}

/// Returns all properties.
pub(super) fn property_lines() -> Vec<(String, String)> {
    let properties = catalog::properties();
    let lines = properties.map(|word| (word.name.to_owned(), word.text.to_owned()));
    lines.collect()
}

/// Finds the property of this name.
pub(super) fn find_property(name: &str) -> Vec<Topic> {
    let mut properties = catalog::properties();
    let property = properties.find(|word| word.name.eq_ignore_ascii_case(name));
    property.map(property_topic).into_iter().collect()
}

fn property_topic(word: PropertyWord) -> Topic {
    Topic {
        syntax: Some(format!("PROPERTY {} value", word.name)),
        fields: vec![
            ("language", LANGUAGE.to_owned()),
            ("value", word.value),
            ("programs", programs(word.stages)),
        ],
        ..Topic::new(Group::Property, word.name, word.text)
    }
}

/// Returns all targets.
pub(super) fn target_lines() -> Vec<(String, String)> {
    let lines = catalog::targets().map(|word| (word.name.to_owned(), target_about(word)));
    lines.collect()
}

/// Finds the target of this name.
pub(super) fn find_target(name: &str) -> Option<Topic> {
    let mut targets = catalog::targets();
    let target = targets.find(|word| word.name.eq_ignore_ascii_case(name))?;
    let mut fields = vec![("language", LANGUAGE.to_owned())];
    if !target.reference.is_empty() {
        fields.push(("compared", target.reference.to_owned()));
    }
    Some(Topic {
        fields,
        ..Topic::new(Group::Target, target.name, target_about(target))
    })
}

fn target_about(word: TargetWord) -> String {
    match word.reference {
        "" => word.text.to_owned(),
        _ => format!("{}, whose depths are compared", word.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_show_operands_stages_and_age() {
        let text = |name: &str| {
            find_opcode(name)
                .map(|topic| topic.text())
                .unwrap_or_default()
        };
        let mad = text("mad");
        assert!(mad.starts_with("MAD: a * b + c"), "{mad}");
        assert!(mad.contains("\n  MAD result, a, b, c\n"), "{mad}");
        assert!(
            mad.contains("programs   all\n") && mad.contains("document   current\n"),
            "{mad}"
        );
        assert!(text("DDX").contains("programs   fragment\n"));
        assert!(
            text("XPD").contains("document   that of 2010, or its time; refused by --strict\n")
        );
        assert!(text("TXP_SAT").contains("  TXP result, a, SAMP[n], target\n"));
    }

    #[test]
    fn declarations_name_their_stages() {
        let face = find_semantic("face")[0].text();
        assert!(face.contains("DCL OUT    no programs\n"), "{face}");
        assert!(face.contains("DCL SV     fragment programs\n"), "{face}");
        let file = find_file("hwatomic")[0].text();
        assert!(
            file.contains("registers  instructions name them as resources\n"),
            "{file}"
        );
        let property = find_property("FS_COORD_ORIGIN")[0].text();
        assert!(
            property.contains("value      UPPER_LEFT, LOWER_LEFT\n"),
            "{property}"
        );
        let target = find_target("SHADOW2D_ARRAY").map(|topic| topic.text());
        assert!(target.is_some_and(|text| text.contains("compared   w of the coordinate\n")));
    }
}
