//! Programs of a script, for users that do not run it.

use super::model::Script;
use super::section::{
    ProgramForm, ProgramSection, SectionKind, is_blank_or_comment, split_sections,
};
use glasm::ProgramType;
use std::fmt;

/// Label that distinguishes an assembly program from the others of its script. Displays as part of
/// a file name: `fragment`, or `fragment.red` for the program that `load fragment red` loads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ProgramLabel {
    /// Type that the program must have.
    pub program_type: ProgramType,
    /// Name by which commands load it.
    pub name: Option<String>,
}

impl fmt::Display for ProgramLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.program_type.word();
        match &self.name {
            Some(name) => write!(f, "{word}.{name}"),
            None => f.write_str(word),
        }
    }
}

/// Returns true if a source is a script: its first line that is neither empty nor a comment is the
/// header of a section. No program begins with one.
pub fn is_script(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n');
    let first = lines.find(|line| !is_blank_or_comment(line));
    first.is_some_and(|line| line.starts_with(b"["))
}

/// Returns the assembly programs of a script, in its order. Other sections are not parsed, so that
/// this does not validate the script.
pub fn program_labels(text: &[u8]) -> Vec<ProgramLabel> {
    let sections = split_sections(text, &mut Vec::new()).into_iter();
    let label = |program_type, name| Some(ProgramLabel { program_type, name });
    let labels = sections.filter_map(|section| match section.kind {
        SectionKind::Program(program_type, ProgramForm::Assembly)
        | SectionKind::RepeatedProgram(program_type) => label(program_type, None),
        SectionKind::SpareProgram(program_type) => {
            label(program_type, Some(section.name.to_owned()))
        }
        SectionKind::Program(
            _,
            ProgramForm::Ir
            | ProgramForm::Glsl
            | ProgramForm::SpirvText
            | ProgramForm::SpirvWords
            | ProgramForm::PassThrough
            | ProgramForm::FixedFunction,
        )
        | SectionKind::Comment
        | SectionKind::Require
        | SectionKind::VertexData
        | SectionKind::Indices
        | SectionKind::Test => None,
    });
    labels.collect()
}

impl Script {
    /// Returns the assembly programs, in the order of the script, those that commands load among
    /// them.
    pub fn assembly_sections(&self) -> Vec<(ProgramLabel, &ProgramSection)> {
        let own = self.programs.iter().map(|section| (None, section));
        let spares = self.spares.iter();
        let spares = spares.map(|spare| (Some(spare.name.clone()), &spare.program));
        let all = own.chain(spares);
        let all = all.filter(|(_, section)| section.form == ProgramForm::Assembly);
        let labeled = all.map(|(name, section)| {
            let program_type = section.program_type;
            (ProgramLabel { program_type, name }, section)
        });
        let mut list: Vec<_> = labeled.collect();
        list.sort_by_key(|(_, section)| section.line);
        list
    }
}

/// Reads the ids on the `# covers:` lines of a script, which may be anywhere in it.
pub fn read_covers(text: &[u8]) -> Vec<String> {
    let mut ids = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let Some(comment) = line.trim_ascii_start().strip_prefix(b"#") else {
            continue;
        };
        if let Some(list) = comment.trim_ascii_start().strip_prefix(b"covers:") {
            ids.extend(
                String::from_utf8_lossy(list)
                    .split_ascii_whitespace()
                    .map(str::to_owned),
            );
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# note\n\n[fragment program red]\nr\n[vertex program repeated]\nv\n[geometry shader passthrough]\n\
                        [fragment program]\nf\n[test]\nload fragment red\n";

    #[test]
    fn assembly_programs_are_found_in_their_order() {
        let labels: Vec<String> = program_labels(TEXT.as_bytes())
            .iter()
            .map(ProgramLabel::to_string)
            .collect();
        assert_eq!(labels, ["fragment.red", "vertex", "fragment"]);
        let script = Script::parse(TEXT.as_bytes()).unwrap();
        let sections = script.assembly_sections();
        let of_script: Vec<String> = sections
            .iter()
            .map(|(label, _)| label.to_string())
            .collect();
        assert_eq!(of_script, labels);
        assert_eq!(sections[0].1.text, b"r\n");
    }

    #[test]
    fn scripts_are_known_by_their_first_header() {
        for text in ["[test]\n", "# c\n\n  # d\n[require]\n", TEXT] {
            assert!(is_script(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "#[test]\n",
            "!!NVvp5.0\n[test]\n",
            "# c\n!!ARBvp1.0\nEND\n",
        ] {
            assert!(!is_script(text.as_bytes()), "{text}");
        }
    }
}
