//! Opcodes, as the tables of the compiler have them.

use super::tgsi;
use super::topic::{Group, Topic, programs};
use glasm::frontend::lang::Stages;
use glasm::frontend::lang::arb::Forms;
use glasm::frontend::lang::modifiers::{Mods, base_name};
use glasm::frontend::lang::opcodes::{self, OpcodeInfo, OperandKind, ResultKind, TypeRule};
use glasm::frontend::source::{Family, Version};
use std::collections::BTreeMap;

/// Finds the opcodes of this name, one for each family of languages that has it.
pub(super) fn find(name: &str) -> Vec<Topic> {
    let rows = opcodes::lookup(name).map(topic);
    rows.chain(tgsi::find_opcode(name)).collect()
}

fn topic(info: &OpcodeInfo) -> Topic {
    let operands: Vec<&str> = info.operands.iter().map(|operand| operand.text()).collect();
    let operands = operands.join(", ");
    let mut fields = if info.arb != Forms::NONE {
        arb_fields(info, operands)
    } else if info.names_registers() {
        register_fields(info, operands)
    } else {
        typed_fields(info, operands)
    };
    fields.retain(|(_, value)| !value.is_empty());
    Topic {
        syntax: Some(syntax(info)),
        fields,
        ..Topic::new(Group::Opcode, info.name, info.text)
    }
}

fn typed_fields(info: &OpcodeInfo, operands: String) -> Vec<(&'static str, String)> {
    let mut types = info.types().join(" ");
    if info.rule == TypeRule::Arithmetic && !types.is_empty() {
        types += &format!(" ({} if none is given)", base_name(info.default));
    }
    let early = if info.early.is_empty() {
        String::new()
    } else {
        format!(", before that under OPTION {}", info.early.option())
    };
    vec![
        ("result", result_text(info.result).to_owned()),
        ("operands", operands),
        ("types", types),
        ("modifiers", modifiers(info.mods)),
        ("programs", programs(info.stages)),
        ("since", format!("version {}{early}", info.since.name())),
        ("see", info.section().to_owned()),
    ]
}

/// Those of an opcode of ARB programs.
fn arb_fields(info: &OpcodeInfo, operands: String) -> Vec<(&'static str, String)> {
    let form = |form: Option<glasm::frontend::lang::arb::Form>| {
        let Some(form) = form else {
            return String::new();
        };
        let needs = if form.needs.is_empty() {
            "yes".to_owned()
        } else {
            format!("with OPTION {}", form.needs.option())
        };
        match modifiers(form.mods).as_str() {
            "" => needs,
            suffixes => format!("{needs}; suffixes, some with options: {suffixes}"),
        }
    };
    vec![
        ("language", "ARB programs".to_owned()),
        ("result", result_text(info.result).to_owned()),
        ("operands", operands),
        ("vertex", form(info.arb.vertex)),
        ("fragment", form(info.arb.fragment)),
        ("see", info.section().to_owned()),
    ]
}

/// Those of an opcode of the languages with registers.
fn register_fields(info: &OpcodeInfo, operands: String) -> Vec<(&'static str, String)> {
    let languages = match (info.stages, info.since) {
        (Stages::FRAGMENT, _) => "!!FP1.0",
        (_, Version::V1_0) => "!!VP1.0, !!VP1.1, !!VSP1.0",
        (_, Version::V1_1) => "!!VP1.1",
        _ => "!!VP2.0",
    };
    vec![
        ("language", languages.to_owned()),
        ("result", result_text(info.result).to_owned()),
        ("operands", operands),
        ("suffixes", modifiers(info.mods)),
        ("see", info.section().to_owned()),
    ]
}

/// `ADD result, a, b;`
fn syntax(info: &OpcodeInfo) -> String {
    let result = (info.result != ResultKind::None).then(|| "result".to_owned());
    let operands = info
        .operands
        .iter()
        .zip('a'..)
        .map(|(operand, letter)| place(*operand, letter));
    let places: Vec<String> = result.into_iter().chain(operands).collect();
    let suffixes = [
        (TypeRule::Storage, ".type"),
        (TypeRule::Atomic, ".operation.type"),
        (TypeRule::Convert, ".to.from"),
    ];
    let suffix = suffixes
        .iter()
        .find(|(rule, _)| *rule == info.rule)
        .map_or("", |(_, suffix)| suffix);
    format!("{}{suffix} {}", info.name, places.join(", "))
        .trim_end()
        .to_owned()
        + ";"
}

/// Returns how an operand is written in the syntax line: literally, or as a letter.
fn place(operand: OperandKind, letter: char) -> String {
    let literal = [
        (OperandKind::Texture, "texture[n], target"),
        (OperandKind::Label, "label"),
        (OperandKind::Subroutine, "variable"),
        (OperandKind::Cond, "condition"),
        (OperandKind::OptCond, "(condition)"),
    ];
    let text = literal
        .iter()
        .find(|(kind, _)| *kind == operand)
        .map(|(_, text)| (*text).to_owned());
    text.unwrap_or_else(|| letter.to_string())
}

const fn result_text(result: ResultKind) -> &'static str {
    match result {
        ResultKind::None => "",
        ResultKind::V => "vector",
        ResultKind::Vf => "vector of floats",
        ResultKind::Vs => "vector of signed integers",
        ResultKind::Vu => "vector of unsigned integers",
        ResultKind::S => "scalar, written to every component",
        ResultKind::Address => "address register",
    }
}

/// Returns the words of modifiers, suffixes first.
fn modifiers(mods: Mods) -> String {
    let suffixes = [(Mods::FULL, "R"), (Mods::HALF, "H"), (Mods::FIXED, "X")]
        .into_iter()
        .filter(|(flag, _)| mods.contains(*flag))
        .map(|(_, word)| word);
    let words = mods
        .difference(Mods::ANY_PRECISION.union(Mods::FIXED).union(Mods::NUMBERED))
        .iter_names()
        .map(|(name, _)| name);
    suffixes.chain(words).collect::<Vec<_>>().join(" ")
}

/// Returns all opcodes with a line about each; where families differ, that of the newest.
pub(super) fn lines() -> BTreeMap<&'static str, &'static str> {
    let families = Family::ALL.iter().rev();
    let rows = families.flat_map(|&family| opcodes::rows(family));
    let rows = rows.map(|info| (info.name, info.text));
    tgsi::opcode_lines().chain(rows).collect()
}
