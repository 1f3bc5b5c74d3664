//! Opcodes, as the tables of the compiler have them.

use super::tgsi;
use super::topic::{Group, Topic, format_programs};
use glasm::frontend::lang::Stages;
use glasm::frontend::lang::arb::Forms;
use glasm::frontend::lang::modifiers::{Mods, base_name};
use glasm::frontend::lang::opcodes::{self, OpcodeInfo, OperandKind, ResultKind, TypeRule};
use glasm::frontend::source::{Family, Version};
use std::collections::BTreeMap;

/// Finds the opcodes of this name, one for each family of languages that has it.
pub(super) fn find(name: &str) -> Vec<Topic> {
    let rows = opcodes::lookup(name).map(build_topic);
    rows.chain(tgsi::find_opcode(name)).collect()
}

fn build_topic(info: &OpcodeInfo) -> Topic {
    let operands: Vec<&str> = info.operands.iter().map(|operand| operand.text()).collect();
    let operands = operands.join(", ");
    let mut fields = if info.arb != Forms::NONE {
        list_arb_fields(info, operands)
    } else if info.names_registers() {
        list_register_fields(info, operands)
    } else {
        list_typed_fields(info, operands)
    };
    fields.retain(|(_, value)| !value.is_empty());
    Topic {
        syntax: Some(format_syntax(info)),
        fields,
        ..Topic::new(Group::Opcode, info.name, info.text)
    }
}

fn list_typed_fields(info: &OpcodeInfo, operands: String) -> Vec<(&'static str, String)> {
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
        ("result", describe_result(info.result).to_owned()),
        ("operands", operands),
        ("types", types),
        ("modifiers", list_modifiers(info.mods)),
        ("programs", format_programs(info.stages)),
        ("since", format!("version {}{early}", info.since.name())),
        ("see", info.section().to_owned()),
    ]
}

/// Returns the fields of an opcode of ARB programs.
fn list_arb_fields(info: &OpcodeInfo, operands: String) -> Vec<(&'static str, String)> {
    let form = |form: Option<glasm::frontend::lang::arb::Form>| {
        let Some(form) = form else {
            return String::new();
        };
        let needs = if form.needs.is_empty() {
            "yes".to_owned()
        } else {
            format!("with OPTION {}", form.needs.option())
        };
        match list_modifiers(form.mods).as_str() {
            "" => needs,
            suffixes => format!("{needs}; suffixes, some with options: {suffixes}"),
        }
    };
    vec![
        ("language", "ARB programs".to_owned()),
        ("result", describe_result(info.result).to_owned()),
        ("operands", operands),
        ("vertex", form(info.arb.vertex)),
        ("fragment", form(info.arb.fragment)),
        ("see", info.section().to_owned()),
    ]
}

/// Returns the fields of an opcode of the languages with registers.
fn list_register_fields(info: &OpcodeInfo, operands: String) -> Vec<(&'static str, String)> {
    let languages = match (info.stages, info.since) {
        (Stages::FRAGMENT, _) => "!!FP1.0",
        (_, Version::V1_0) => "!!VP1.0, !!VP1.1, !!VSP1.0",
        (_, Version::V1_1) => "!!VP1.1",
        _ => "!!VP2.0",
    };
    vec![
        ("language", languages.to_owned()),
        ("result", describe_result(info.result).to_owned()),
        ("operands", operands),
        ("suffixes", list_modifiers(info.mods)),
        ("see", info.section().to_owned()),
    ]
}

/// Formats the syntax: `ADD result, a, b;`
fn format_syntax(info: &OpcodeInfo) -> String {
    let result = (info.result != ResultKind::None).then(|| "result".to_owned());
    let operands = info
        .operands
        .iter()
        .zip('a'..)
        .map(|(operand, letter)| format_operand(*operand, letter));
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

/// Formats an operand in the syntax line: literally, or as a letter.
fn format_operand(operand: OperandKind, letter: char) -> String {
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

const fn describe_result(result: ResultKind) -> &'static str {
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

/// Lists the spellings of modifiers, suffixes first.
fn list_modifiers(mods: Mods) -> String {
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

/// Lists all opcodes with a line about each; where families differ, that of the newest.
pub(super) fn list_lines() -> BTreeMap<&'static str, &'static str> {
    let families = Family::ALL.iter().rev();
    let rows = families.flat_map(|&family| opcodes::rows(family));
    let rows = rows.map(|info| (info.name, info.text));
    tgsi::list_opcode_lines().chain(rows).collect()
}
