//! Opcodes, as the tables of the compiler have them.

use super::entry::{Category, Entry, format_program_types};
use super::tgsi;
use glasm::Dialect;
use glasm::frontend::lang::Stages;
use glasm::frontend::lang::arb::ArbAvailability;
use glasm::frontend::lang::modifiers::{ModifierFlags, base_name};
use glasm::frontend::lang::opcodes::{self, OpcodeInfo, OperandKind, ResultKind, TypeRule};
use glasm::frontend::source::{Family, Version};
use std::collections::BTreeMap;

/// Returns the entries of an opcode, one for each family of languages that has it; empty if the
/// name is unknown.
pub(super) fn find_opcode(name: &str) -> Vec<Entry> {
    let rows = opcodes::find_in_all_families(name).map(build_opcode_entry);
    rows.chain(tgsi::find_opcode(name)).collect()
}

/// Returns the entry of an opcode in a language, whose name may have suffixes; `None` if its family
/// does not have the opcode.
pub(super) fn find_opcode_in(name: &str, dialect: Dialect) -> Option<Entry> {
    if dialect.family() == Family::Tgsi {
        return tgsi::find_opcode(name);
    }
    let (opcode, _) = opcodes::split_suffixes(dialect.family(), name.as_bytes())?;
    Some(build_opcode_entry(opcode.info()))
}

/// Builds the entry of an opcode: its operands, modifiers, and the programs that accept it.
fn build_opcode_entry(info: &OpcodeInfo) -> Entry {
    let operands: Vec<&str> = info
        .operands
        .iter()
        .map(|operand| operand.notation())
        .collect();
    let operands = operands.join(", ");
    let mut fields = if info.arb != ArbAvailability::NONE {
        list_arb_fields(info, operands)
    } else if info.names_registers() {
        list_register_fields(info, operands)
    } else {
        list_typed_fields(info, operands)
    };
    fields.retain(|(_, value)| !value.is_empty());
    Entry {
        syntax: Some(format_syntax(info)),
        fields,
        ..Entry::new(Category::Opcode, info.name, info.description)
    }
}

/// Returns the labeled properties of an opcode of the typed languages: result, operands, types,
/// modifiers, programs, first version, and section of the specification. Values may be empty.
fn list_typed_fields(info: &OpcodeInfo, operands: String) -> Vec<(&'static str, String)> {
    let mut types = info.type_modifiers().join(" ");
    if info.rule == TypeRule::Arithmetic && !types.is_empty() {
        types += &format!(" ({} if none is given)", base_name(info.default));
    }
    let early = if info.early.is_empty() {
        String::new()
    } else {
        format!(", before that under OPTION {}", info.early.first_option())
    };
    vec![
        ("result", describe_result(info.result).to_owned()),
        ("operands", operands),
        ("types", types),
        ("modifiers", list_modifiers(info.mods)),
        ("programs", format_program_types(info.stages)),
        ("since", format!("version {}{early}", info.since.name())),
        ("section", info.spec_section().to_owned()),
    ]
}

/// Returns the labeled properties of an opcode of ARB programs: result, operands, programs with
/// required options and suffixes, and section of the specification. Values may be empty.
fn list_arb_fields(info: &OpcodeInfo, operands: String) -> Vec<(&'static str, String)> {
    let form = |form: Option<glasm::frontend::lang::arb::ArbForm>| {
        let Some(form) = form else {
            return String::new();
        };
        let requirement = if form.required_features.is_empty() {
            "yes".to_owned()
        } else {
            format!("with OPTION {}", form.required_features.first_option())
        };
        match list_modifiers(form.mods).as_str() {
            "" => requirement,
            suffixes => format!("{requirement}; suffixes, some with options: {suffixes}"),
        }
    };
    vec![
        ("language", "ARB programs".to_owned()),
        ("result", describe_result(info.result).to_owned()),
        ("operands", operands),
        ("vertex", form(info.arb.vertex)),
        ("fragment", form(info.arb.fragment)),
        ("section", info.spec_section().to_owned()),
    ]
}

/// Returns the labeled properties of an opcode of the languages with registers: headers, result,
/// operands, suffixes, and section of the specification. Values may be empty.
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
        ("section", info.spec_section().to_owned()),
    ]
}

/// Formats the syntax, such as `ADD result, a, b;`, with placeholders for required suffixes such as
/// `.type`.
fn format_syntax(info: &OpcodeInfo) -> String {
    let result = (info.result != ResultKind::None).then(|| "result".to_owned());
    let operands = info
        .operands
        .iter()
        .zip('a'..)
        .map(|(operand, letter)| format_operand(*operand, letter));
    let operands_text: Vec<String> = result.into_iter().chain(operands).collect();
    let suffixes = [
        (TypeRule::Storage, ".type"),
        (TypeRule::Atomic, ".operation.type"),
        (TypeRule::Convert, ".to.from"),
    ];
    let suffix = suffixes
        .iter()
        .find(|(rule, _)| *rule == info.rule)
        .map_or("", |(_, suffix)| suffix);
    format!("{}{suffix} {}", info.name, operands_text.join(", "))
        .trim_end()
        .to_owned()
        + ";"
}

/// Formats an operand in the syntax line: its fixed words if its kind has some, otherwise `letter`.
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

/// Returns the description of the result type of an opcode; empty if it has none.
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

/// Formats the spellings of modifiers, separated by spaces, suffixes for precision first. Modifiers
/// with numbers are omitted.
fn list_modifiers(mods: ModifierFlags) -> String {
    let suffixes = [
        (ModifierFlags::FULL, "R"),
        (ModifierFlags::HALF, "H"),
        (ModifierFlags::FIXED, "X"),
    ]
    .into_iter()
    .filter(|(flag, _)| mods.contains(*flag))
    .map(|(_, word)| word);
    let words = mods
        .difference(
            ModifierFlags::ANY_PRECISION
                .union(ModifierFlags::FIXED)
                .union(ModifierFlags::NUMBERED),
        )
        .iter_names()
        .map(|(name, _)| name);
    suffixes.chain(words).collect::<Vec<_>>().join(" ")
}

/// Returns all opcodes with a line about each, in alphabetical order; where families differ, the
/// line is that of the first family, and never that of TGSI if another one has the opcode.
pub(super) fn list_opcode_lines() -> BTreeMap<&'static str, &'static str> {
    let families = Family::ALL.iter().rev();
    let rows = families.flat_map(|&family| opcodes::family_opcodes(family));
    let rows = rows.map(|info| (info.name, info.description));
    tgsi::list_opcode_lines().chain(rows).collect()
}
