//! The words of TGSI with a description of one line each, for users and tools: a view of the tables
//! that the compiler itself reads.

use super::files::{self, File};
use super::lex::Word;
use super::opcodes::{self, Lower, Memory, is_resource};
use super::property::{self, Value};
use super::semantics::Name;
use super::targets::{Reference, Target};
use crate::lang::Stages;
use crate::lang::meanings::target_text;
use crate::source::TgsiOptions;
use glasm_ir::Stage;

pub use super::opcodes::Era;

/// An opcode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpcodeWord {
    /// Its name.
    pub name: &'static str,
    /// Formula of the result. Sources are `a`, `b` and so on in the order of the operands,
    /// resources included.
    pub text: &'static str,
    /// Syntax of the instruction: `MAD result, a, b, c`.
    pub syntax: String,
    /// The stages that have it.
    pub stages: Stages,
    /// Period in which the word was in use.
    pub era: Era,
}

/// Use of the registers of a file by instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileUse {
    /// Read and write them.
    Written,
    /// Read them.
    Read,
    /// Name them as resources.
    Resource,
}

/// A register file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileWord {
    /// Its name.
    pub name: &'static str,
    /// Contents of its registers.
    pub text: &'static str,
    /// Use of its registers by instructions.
    pub usage: FileUse,
    /// Period in which the word was in use.
    pub era: Era,
}

/// A semantic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SemanticWord {
    /// Its name.
    pub name: &'static str,
    /// Human-readable description.
    pub text: &'static str,
    /// The stages that have it as an input.
    pub inputs: Stages,
    /// The stages that have it as a system value.
    pub values: Stages,
    /// The stages that have it as an output.
    pub outputs: Stages,
}

/// A property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyWord {
    /// Its name.
    pub name: &'static str,
    /// Human-readable description.
    pub text: &'static str,
    /// Values that it takes: words, or a range of numbers.
    pub value: String,
    /// The stages that have it.
    pub stages: Stages,
}

/// A target of textures or images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TargetWord {
    /// Its name.
    pub name: &'static str,
    /// Human-readable description.
    pub text: &'static str,
    /// Position of the comparison reference; empty if there is none.
    pub reference: &'static str,
}

/// Returns all opcodes.
pub fn opcodes() -> impl Iterator<Item = OpcodeWord> {
    opcodes::rows().iter().map(OpcodeWord::of)
}

/// Returns the opcode of a word, with or without suffixes, in upper or lower case.
pub fn opcode(word: &str) -> Option<OpcodeWord> {
    let word = Word {
        text: word.as_bytes(),
        start: 0,
    };
    opcodes::Row::of(&word).map(|(row, _)| OpcodeWord::of(row))
}

/// Returns all register files.
pub fn files() -> impl Iterator<Item = FileWord> {
    File::ALL.iter().map(|&file| FileWord {
        name: file.word(),
        text: file.text(),
        usage: match file.access() {
            files::Access::Write => FileUse::Written,
            files::Access::Read => FileUse::Read,
            files::Access::Resource => FileUse::Resource,
        },
        era: file.era(),
    })
}

/// Returns all semantics, each spelling once.
pub fn semantics() -> impl Iterator<Item = SemanticWord> {
    let options = TgsiOptions::default();
    Name::all().map(move |(name, semantic)| {
        let that_have = |has: &dyn Fn(Stage) -> bool| {
            let stages = Stage::ALL.iter().map(|(stage, _)| *stage);
            let stages = stages.filter(|stage| has(*stage)).map(Stages::of);
            stages.fold(Stages::NONE, Stages::union)
        };
        // Attributes of vertices have numbers only.
        let has_inputs = |stage| !matches!(stage, Stage::Vertex | Stage::Compute);
        let input = |stage| has_inputs(stage) && is_read(semantic, stage, false);
        let value = |stage| is_read(semantic, stage, true);
        SemanticWord {
            name,
            text: semantic.text(),
            inputs: that_have(&input),
            values: that_have(&value),
            outputs: that_have(&|stage| semantic.sink(0, stage, &options).is_some()),
        }
    })
}

fn is_read(semantic: Name, stage: Stage, is_value: bool) -> bool {
    semantic.content(0, stage, is_value, false).is_some()
}

/// Returns all properties, each spelling once.
pub fn properties() -> impl Iterator<Item = PropertyWord> {
    property::rows().iter().map(|row| PropertyWord {
        name: row.name,
        text: row.text,
        value: match row.value {
            property::ANY => "a number from 0 on".to_owned(),
            Value::Number(low, high) => format!("a number from {low} to {high}"),
            Value::Word(words) => {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                words.join(", ")
            }
        },
        stages: row.stages,
    })
}

/// Returns all targets, each spelling once.
pub fn targets() -> impl Iterator<Item = TargetWord> {
    Target::rows().iter().map(|row| TargetWord {
        name: row.word,
        text: target_text(row.target),
        reference: match row.reference {
            Reference::None => "",
            Reference::Lane(2) => "z of the coordinate",
            Reference::Lane(_) => "w of the coordinate",
            Reference::Operand => "the second operand: x, behind a bias or a level y",
        },
    })
}

impl OpcodeWord {
    fn of(row: &opcodes::Row) -> Self {
        Self {
            name: row.name,
            text: row.text,
            syntax: syntax(row),
            stages: row.stages,
            era: row.era,
        }
    }
}

/// Returns the syntax of an opcode, such as `MAD result, a, b, c`, with words for resources and for
/// the parts after the operands.
fn syntax(row: &opcodes::Row) -> String {
    let is_store = row.lower == Lower::Memory(Memory::Store);
    let results = match (row.results, is_store) {
        (0, _) => &[][..],
        (_, true) => &["resource"],
        (1, false) => &["result"],
        (_, false) => &["result", "result"],
    };
    let mut places: Vec<String> = results.iter().map(|&place| place.to_owned()).collect();
    for (number, letter) in (0..usize::from(row.sources)).zip('a'..) {
        places.push(if is_resource(row, number) {
            resource(row.lower, number).to_owned()
        } else {
            letter.to_string()
        });
    }
    if has_target(row.lower) {
        places.push("target".to_owned());
    }
    let label = if row.lower == Lower::Flow(opcodes::Flow::Call) {
        " :label"
    } else {
        ""
    };
    format!("{} {}", row.name, places.join(", "))
        .trim_end()
        .to_owned()
        + label
}

/// Returns true if the target of the texture follows the operands.
const fn has_target(lower: Lower) -> bool {
    matches!(
        lower,
        Lower::Lookup(_) | Lower::Memory(Memory::SamplerHandle)
    )
}

/// Returns the word for the resource that is a source.
fn resource(lower: Lower, number: usize) -> &'static str {
    match (lower, number) {
        // Opcodes with a target name no other resource.
        _ if has_target(lower) => "SAMP[n]",
        (Lower::ViewLookup(_), 2) => "SAMP[n]",
        (Lower::ViewLookup(_), _) => "SVIEW[n]",
        (Lower::Memory(Memory::ImageHandle), _) => "IMAGE[n]",
        (Lower::Memory(Memory::ReadColor), _) => "OUT[n]",
        _ => "resource",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_a_text() {
        let opcodes = opcodes().map(|it| (it.name, it.text));
        let files = files().map(|it| (it.name, it.text));
        let semantics = semantics().map(|it| (it.name, it.text));
        let properties = properties().map(|it| (it.name, it.text));
        let targets = targets().map(|it| (it.name, it.text));
        let all = opcodes.chain(files).chain(semantics);
        for (name, text) in all.chain(properties).chain(targets) {
            assert!(!text.is_empty() && !text.ends_with('.'), "{name}: {text}");
            assert!(text.len() <= 105, "{name}: {text}");
        }
    }

    #[test]
    fn syntax_shows_resources() {
        let syntax = |name: &str| opcode(name).map(|it| it.syntax).unwrap_or_default();
        for expected in [
            "MAD result, a, b, c",
            "TEX result, a, SAMP[n], target",
            "TG4 result, a, b, SAMP[n], target",
            "SAMPLE_D result, a, SVIEW[n], SAMP[n], d, e",
            "STORE resource, a, b",
            "ATOMCAS result, resource, b, c, d",
            "SAMP2HND result, SAMP[n], target",
            "FBFETCH result, OUT[n]",
            "DFRACEXP result, result, a",
            "CAL :label",
            "ENDIF",
        ] {
            let name = expected.split(' ').next().unwrap_or_default();
            assert_eq!(syntax(name), expected);
        }
        assert_eq!(opcode("mov_sat").map(|it| it.name), Some("MOV"));
        assert_eq!(opcode("MOVE"), None);
    }

    #[test]
    fn semantics_tell_their_stages() {
        let of = |name: &str| semantics().find(|it| it.name == name).unwrap();
        let position = of("POSITION");
        assert_eq!(position.outputs, Stages::VERTICES | Stages::FRAGMENT);
        assert_eq!(of("THREAD_ID").values, Stages::COMPUTE);
        assert_eq!(of("THREAD_ID").inputs, Stages::NONE);
        assert_eq!(of("VERTEXID").inputs, Stages::NONE);
        assert_eq!(of("PRIMID").text, of("PRIM_ID").text);
    }
}
