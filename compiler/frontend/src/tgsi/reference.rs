//! The words of TGSI with a description of one line each, for users and tools: a view of the tables
//! that the compiler itself reads.

use super::declaration_tables::{self, RegisterFile, ValueDomain};
use super::lex::Word;
use super::opcodes::{self, Memory, OpcodeLowering, is_resource};
use super::semantics::SemanticName;
use super::texture_targets::{Reference, TextureTarget};
use crate::lang::Stages;
use crate::lang::opcode_info::BlockEdge;
use crate::lang::state::describe_target;
use crate::source::TgsiOptions;
use glasm_ir::Stage;

pub use super::opcodes::SyntaxGeneration;

/// An opcode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpcodeEntry {
    /// Its name.
    pub name: &'static str,
    /// Formula of the result. Sources are `a`, `b` and so on in the order of the operands,
    /// resources included.
    pub formula: &'static str,
    /// Syntax of the instruction: `MAD result, a, b, c`.
    pub syntax: String,
    /// The stages that have it.
    pub stages: Stages,
    /// Period in which the word was in use.
    pub era: SyntaxGeneration,
    /// Position in a block of control flow, if it begins or ends one.
    pub edge: Option<BlockEdge>,
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
pub struct RegisterFileEntry {
    /// Its name.
    pub name: &'static str,
    /// Contents of its registers.
    pub description: &'static str,
    /// Use of its registers by instructions.
    pub usage: FileUse,
    /// Period in which the word was in use.
    pub era: SyntaxGeneration,
}

/// A semantic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SemanticEntry {
    /// Its name.
    pub name: &'static str,
    /// Human-readable description.
    pub description: &'static str,
    /// The stages that have it as an input.
    pub inputs: Stages,
    /// The stages that have it as a system value.
    pub system_values: Stages,
    /// The stages that have it as an output.
    pub outputs: Stages,
}

/// A property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyEntry {
    /// Its name.
    pub name: &'static str,
    /// Human-readable description.
    pub description: &'static str,
    /// Values that it takes: words, or a range of numbers.
    pub value: String,
    /// The stages that have it.
    pub stages: Stages,
}

/// A target of textures or images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextureTargetEntry {
    /// Its name.
    pub name: &'static str,
    /// Human-readable description.
    pub description: &'static str,
    /// Position of the comparison reference; empty if there is none.
    pub reference: &'static str,
}

/// Returns the reference entries of all opcodes.
pub fn opcodes() -> impl Iterator<Item = OpcodeEntry> {
    opcodes::rows().iter().map(OpcodeEntry::from_row)
}

/// Returns the opcode of a word, with or without suffixes, in upper or lower case.
pub fn find_opcode(word: &str) -> Option<OpcodeEntry> {
    let word = Word {
        text: word.as_bytes(),
        start: 0,
    };
    opcodes::OpcodeRow::from_word(&word).map(|(row, _)| OpcodeEntry::from_row(row))
}

/// Returns the reference entries of all register files.
pub fn register_files() -> impl Iterator<Item = RegisterFileEntry> {
    RegisterFile::ALL.iter().map(|&file| RegisterFileEntry {
        name: file.word(),
        description: file.text(),
        usage: match file.access() {
            declaration_tables::FileAccess::Write => FileUse::Written,
            declaration_tables::FileAccess::Read => FileUse::Read,
            declaration_tables::FileAccess::Resource => FileUse::Resource,
        },
        era: file.era(),
    })
}

/// Returns the reference entries of all semantics, one per spelling, with the stages that have
/// them.
pub fn semantics() -> impl Iterator<Item = SemanticEntry> {
    let options = TgsiOptions::default();
    SemanticName::words_and_names().map(move |(name, semantic)| {
        let that_have = |has: &dyn Fn(Stage) -> bool| {
            let stages = Stage::ALL.iter().map(|(stage, _)| *stage);
            let stages = stages.filter(|stage| has(*stage)).map(Stages::from_stage);
            stages.fold(Stages::NONE, Stages::union)
        };
        // Attributes of vertices have numbers only.
        let has_inputs = |stage| !matches!(stage, Stage::Vertex | Stage::Compute);
        let input = |stage| has_inputs(stage) && is_readable(semantic, stage, false);
        let value = |stage| is_readable(semantic, stage, true);
        SemanticEntry {
            name,
            description: semantic.text(),
            inputs: that_have(&input),
            system_values: that_have(&value),
            outputs: that_have(&|stage| semantic.output_target(0, stage, &options).is_some()),
        }
    })
}

/// Returns true if programs of this stage read the semantic as an input, or as a system value if
/// `is_value`.
fn is_readable(semantic: SemanticName, stage: Stage, is_value: bool) -> bool {
    semantic.input_kind(0, stage, is_value, false).is_some()
}

/// Returns the reference entries of all properties, one per spelling.
pub fn properties() -> impl Iterator<Item = PropertyEntry> {
    declaration_tables::rows().iter().map(|row| PropertyEntry {
        name: row.name,
        description: row.text,
        value: match row.value {
            declaration_tables::ANY_NUMBER => "a number from 0 on".to_owned(),
            ValueDomain::Number(low, high) => format!("a number from {low} to {high}"),
            ValueDomain::Word(words) => {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                words.join(", ")
            }
        },
        stages: row.stages,
    })
}

/// Returns the reference entries of all texture targets, one per spelling.
pub fn texture_targets() -> impl Iterator<Item = TextureTargetEntry> {
    TextureTarget::rows().iter().map(|row| TextureTargetEntry {
        name: row.word,
        description: describe_target(row.target),
        reference: match row.reference {
            Reference::None => "",
            Reference::Lane(2) => "z of the coordinate",
            Reference::Lane(_) => "w of the coordinate",
            Reference::Operand => "the second operand: x, or y after a bias or a level",
        },
    })
}

impl OpcodeEntry {
    /// Creates the reference entry of an opcode from its table entry.
    fn from_row(row: &opcodes::OpcodeRow) -> Self {
        Self {
            name: row.name,
            formula: row.text,
            syntax: format_syntax(row),
            stages: row.stages,
            era: row.era,
            edge: find_block_edge(row.lower),
        }
    }
}

/// Returns the position of an opcode in a block; subroutines are blocks, too.
fn find_block_edge(lower: OpcodeLowering) -> Option<BlockEdge> {
    use opcodes::Flow;
    let edges = [
        (
            BlockEdge::Start,
            &[Flow::Loop, Flow::Subroutine, Flow::Switch][..],
        ),
        (BlockEdge::Middle, &[Flow::Else]),
        (
            BlockEdge::End,
            &[
                Flow::EndIf,
                Flow::EndLoop,
                Flow::EndSubroutine,
                Flow::EndSwitch,
            ],
        ),
    ];
    let OpcodeLowering::Flow(flow) = lower else {
        return None;
    };
    let found = edges.iter().find(|(_, flows)| flows.contains(&flow));
    let is_if = matches!(flow, Flow::If(_)).then_some(BlockEdge::Start);
    found.map(|(edge, _)| *edge).or(is_if)
}

/// Returns the syntax of an opcode, such as `MAD result, a, b, c`, with words for resources and for
/// the parts after the operands.
fn format_syntax(row: &opcodes::OpcodeRow) -> String {
    let is_store = row.lower == OpcodeLowering::Memory(Memory::Store);
    let results = match (row.results, is_store) {
        (0, _) => &[][..],
        (_, true) => &["resource"],
        (1, false) => &["result"],
        (_, false) => &["result", "result"],
    };
    let mut places: Vec<String> = results.iter().map(|&place| place.to_owned()).collect();
    for (number, letter) in (0..usize::from(row.sources)).zip('a'..) {
        places.push(if is_resource(row, number) {
            resource_operand_name(row.lower, number).to_owned()
        } else {
            letter.to_string()
        });
    }
    if has_target(row.lower) {
        places.push("target".to_owned());
    }
    let label = if row.lower == OpcodeLowering::Flow(opcodes::Flow::Call) {
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
const fn has_target(lower: OpcodeLowering) -> bool {
    matches!(
        lower,
        OpcodeLowering::Lookup(_) | OpcodeLowering::Memory(Memory::SamplerHandle)
    )
}

/// Returns the notation of the resource that is source `number` of an opcode, such as `SAMP[n]`.
fn resource_operand_name(lower: OpcodeLowering, number: usize) -> &'static str {
    match (lower, number) {
        // Opcodes with a target name no other resource.
        _ if has_target(lower) => "SAMP[n]",
        (OpcodeLowering::ViewLookup(_), 2) => "SAMP[n]",
        (OpcodeLowering::ViewLookup(_), _) => "SVIEW[n]",
        (OpcodeLowering::Memory(Memory::ImageHandle), _) => "IMAGE[n]",
        (OpcodeLowering::Memory(Memory::ReadColor), _) => "OUT[n]",
        _ => "resource",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_a_text() {
        let opcodes = opcodes().map(|it| (it.name, it.formula));
        let files = register_files().map(|it| (it.name, it.description));
        let semantics = semantics().map(|it| (it.name, it.description));
        let properties = properties().map(|it| (it.name, it.description));
        let targets = texture_targets().map(|it| (it.name, it.description));
        let all = opcodes.chain(files).chain(semantics);
        for (name, text) in all.chain(properties).chain(targets) {
            assert!(!text.is_empty() && !text.ends_with('.'), "{name}: {text}");
            assert!(text.len() <= 105, "{name}: {text}");
        }
    }

    #[test]
    fn syntax_shows_resources() {
        let syntax = |name: &str| find_opcode(name).map(|it| it.syntax).unwrap_or_default();
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
        assert_eq!(find_opcode("mov_sat").map(|it| it.name), Some("MOV"));
        assert_eq!(find_opcode("MOVE"), None);
        let edge = |name: &str| find_opcode(name).and_then(|it| it.edge);
        assert_eq!(edge("UIF"), Some(BlockEdge::Start));
        assert_eq!(edge("ELSE"), Some(BlockEdge::Middle));
        assert_eq!(edge("ENDSUB"), Some(BlockEdge::End));
        assert_eq!(edge("BRK"), None);
    }

    #[test]
    fn semantics_tell_their_stages() {
        let of = |name: &str| semantics().find(|it| it.name == name).unwrap();
        let position = of("POSITION");
        assert_eq!(position.outputs, Stages::VERTICES | Stages::FRAGMENT);
        assert_eq!(of("THREAD_ID").system_values, Stages::COMPUTE);
        assert_eq!(of("THREAD_ID").inputs, Stages::NONE);
        assert_eq!(of("VERTEXID").inputs, Stages::NONE);
        assert_eq!(of("PRIMID").description, of("PRIM_ID").description);
    }
}
