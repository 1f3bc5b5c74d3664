//! The words of TGSI: opcodes, register files, semantics, properties and targets.

use super::entry::{Category, Entry, format_program_types};
use glasm::frontend::lang::Stages;
use glasm::frontend::tgsi::reference::{
    self, FileUse, OpcodeEntry, PropertyEntry, RegisterFileEntry, SemanticEntry, SyntaxGeneration,
    TextureTargetEntry,
};

/// Value of the field `language`.
const LANGUAGE: &str = "TGSI";

/// Returns the description of the version of TGSI's document that defines a word.
const fn describe_era(era: SyntaxGeneration) -> &'static str {
    match era {
        SyntaxGeneration::Current => "current",
        SyntaxGeneration::Removed => "that of 2010, or its time",
    }
}

/// Returns the names of all opcodes with their formulas.
pub(super) fn list_opcode_lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    reference::opcodes().map(|word| (word.name, word.formula))
}

/// Returns the entry of an opcode, whose name may have suffixes; `None` if it is unknown.
pub(super) fn find_opcode(name: &str) -> Option<Entry> {
    reference::find_opcode(name).map(build_opcode_entry)
}

/// Builds the entry of an opcode: its formula, syntax, programs, and the document that defines it.
fn build_opcode_entry(word: OpcodeEntry) -> Entry {
    let refused = match word.era {
        SyntaxGeneration::Current => "",
        SyntaxGeneration::Removed => "; refused by --strict",
    };
    Entry {
        syntax: Some(word.syntax),
        fields: vec![
            ("language", LANGUAGE.to_owned()),
            ("programs", format_program_types(word.stages)),
            ("document", format!("{}{refused}", describe_era(word.era))),
        ],
        ..Entry::new(Category::Opcode, word.name, word.formula)
    }
}

/// Returns the names of all register files with their descriptions.
pub(super) fn list_file_lines() -> Vec<(String, String)> {
    let files = reference::register_files();
    let lines = files.map(|word| (word.name.to_owned(), word.description.to_owned()));
    lines.collect()
}

/// Returns the entry of a register file, regardless of case; empty if the name is unknown.
pub(super) fn find_file(name: &str) -> Vec<Entry> {
    let mut files = reference::register_files();
    let file = files.find(|word| word.name.eq_ignore_ascii_case(name));
    file.map(build_file_entry).into_iter().collect()
}

/// Builds the entry of a register file: its accesses, and the document that defines it.
fn build_file_entry(word: RegisterFileEntry) -> Entry {
    let usage = match word.usage {
        FileUse::Written => "instructions read and write them",
        FileUse::Read => "instructions read them",
        FileUse::Resource => "instructions name them as resources",
    };
    Entry {
        fields: vec![
            ("language", LANGUAGE.to_owned()),
            ("registers", usage.to_owned()),
            ("document", describe_era(word.era).to_owned()),
        ],
        ..Entry::new(Category::File, word.name, word.description)
    }
}

/// Returns the names of all semantics with their descriptions.
pub(super) fn list_semantic_lines() -> Vec<(String, String)> {
    let semantics = reference::semantics();
    let lines = semantics.map(|word| (word.name.to_owned(), word.description.to_owned()));
    lines.collect()
}

/// Returns the entry of a semantic, regardless of case; empty if the name is unknown.
pub(super) fn find_semantic(name: &str) -> Vec<Entry> {
    let mut semantics = reference::semantics();
    let semantic = semantics.find(|word| word.name.eq_ignore_ascii_case(name));
    semantic.map(build_semantic_entry).into_iter().collect()
}

/// Builds the entry of a semantic of TGSI: the programs that may declare it as input, system value
/// or output.
fn build_semantic_entry(word: SemanticEntry) -> Entry {
    let stages = |stages: Stages| match stages {
        Stages::NONE => "no programs".to_owned(),
        stages => format!("{} programs", format_program_types(stages)),
    };
    let mut fields = vec![("language", LANGUAGE.to_owned())];
    let kinds = [
        ("DCL IN", word.inputs),
        ("DCL SV", word.system_values),
        ("DCL OUT", word.outputs),
    ];
    fields.extend(kinds.map(|(kind, those)| (kind, stages(those))));
    Entry {
        fields,
        ..Entry::new(Category::Semantic, word.name, word.description)
    }
}

/// Returns the names of all properties with their descriptions.
pub(super) fn list_property_lines() -> Vec<(String, String)> {
    let properties = reference::properties();
    let lines = properties.map(|word| (word.name.to_owned(), word.description.to_owned()));
    lines.collect()
}

/// Returns the entry of a property, regardless of case; empty if the name is unknown.
pub(super) fn find_property(name: &str) -> Vec<Entry> {
    let mut properties = reference::properties();
    let property = properties.find(|word| word.name.eq_ignore_ascii_case(name));
    property.map(build_property_entry).into_iter().collect()
}

/// Builds the entry of a property: its syntax, value and programs.
fn build_property_entry(word: PropertyEntry) -> Entry {
    Entry {
        syntax: Some(format!("PROPERTY {} value", word.name)),
        fields: vec![
            ("language", LANGUAGE.to_owned()),
            ("value", word.value),
            ("programs", format_program_types(word.stages)),
        ],
        ..Entry::new(Category::Property, word.name, word.description)
    }
}

/// Returns the names of all texture targets with their descriptions.
pub(super) fn list_target_lines() -> Vec<(String, String)> {
    let lines =
        reference::texture_targets().map(|word| (word.name.to_owned(), describe_target(word)));
    lines.collect()
}

/// Returns the entry of a texture target, regardless of case, with the component that is compared;
/// `None` if the name is unknown.
pub(super) fn find_target(name: &str) -> Option<Entry> {
    let mut targets = reference::texture_targets();
    let target = targets.find(|word| word.name.eq_ignore_ascii_case(name))?;
    let mut fields = vec![("language", LANGUAGE.to_owned())];
    if !target.reference.is_empty() {
        fields.push(("compared", target.reference.to_owned()));
    }
    Some(Entry {
        fields,
        ..Entry::new(Category::Target, target.name, describe_target(target))
    })
}

/// Returns the description of a texture target, and whether its depths are compared with a
/// reference.
fn describe_target(word: TextureTargetEntry) -> String {
    match word.reference {
        "" => word.description.to_owned(),
        _ => format!("{}, whose depths are compared", word.description),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_show_operands_stages_and_age() {
        let text = |name: &str| {
            find_opcode(name)
                .map(|topic| topic.format_text())
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
        let face = find_semantic("face")[0].format_text();
        assert!(face.contains("DCL OUT    no programs\n"), "{face}");
        assert!(face.contains("DCL SV     fragment programs\n"), "{face}");
        let file = find_file("hwatomic")[0].format_text();
        assert!(
            file.contains("registers  instructions name them as resources\n"),
            "{file}"
        );
        let property = find_property("FS_COORD_ORIGIN")[0].format_text();
        assert!(
            property.contains("value      UPPER_LEFT, LOWER_LEFT\n"),
            "{property}"
        );
        let target = find_target("SHADOW2D_ARRAY").map(|topic| topic.format_text());
        assert!(target.is_some_and(|text| text.contains("compared   w of the coordinate\n")));
    }
}
