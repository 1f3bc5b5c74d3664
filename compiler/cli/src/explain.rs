//! `glasm explain`: opcodes and error codes, from the tables that the compiler itself reads.

use crate::args::ExplainArgs;
use crate::console::{Console, Fatal, Status};
use glasm::Code;
use glasm::frontend::lang::arb::Forms;
use glasm::frontend::lang::modifiers::{Mods, base_name};
use glasm::frontend::lang::opcodes::{self, OpcodeInfo, OperandKind, ResultKind, TypeRule};
use glasm::frontend::lang::{Stages, stage_name};
use glasm::frontend::source::Family;
use glasm::ir::Stage;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Characters of a line of running text.
const WIDTH: usize = 80;

/// Prints what is known about an opcode or error code, or the list of all.
pub(crate) fn explain(args: &ExplainArgs, console: Console) -> Result<Status, Fatal> {
    let text = match &args.topic {
        None => list(),
        Some(topic) => explain_topic(topic)?,
    };
    console.out(text)?;
    Ok(Status::Success)
}

fn explain_topic(topic: &str) -> Result<String, Fatal> {
    if let Some(code) = Code::from_id(topic) {
        return Ok(explain_code(code));
    }
    let rows: Vec<String> = opcodes::lookup(topic).map(explain_opcode).collect();
    if !rows.is_empty() {
        return Ok(rows.join("\n"));
    }
    let upper = topic.to_ascii_uppercase();
    let ids = Code::ALL.iter().map(|code| code.id());
    let close: Vec<&str> = opcode_lines()
        .into_keys()
        .chain(ids)
        .filter(|name| upper.len() > 1 && alike(name, &upper))
        .take(12)
        .collect();
    let hint = if close.is_empty() {
        String::new()
    } else {
        format!("; there are {}", close.join(", "))
    };
    Err(Fatal(format!(
        "`{topic}` is neither an opcode nor an error code{hint}; `glasm explain` lists all"
    )))
}

/// Whether two names share their start: two letters, or all but the last of a code.
fn alike(name: &str, wanted: &str) -> bool {
    let length = if name.starts_with('E') && name.len() == 5 {
        4
    } else {
        2
    };
    matches!((name.get(..length), wanted.get(..length)), (Some(name), Some(wanted)) if name == wanted)
}

fn explain_code(code: Code) -> String {
    format!(
        "{}: {}\n\n{}",
        code.id(),
        code.title(),
        wrap(code.explanation())
    )
}

fn explain_opcode(info: &OpcodeInfo) -> String {
    let mut text = format!("{}: {}\n\n  {}\n\n", info.name, info.text, syntax(info));
    let operands: Vec<&str> = info.operands.iter().map(|operand| operand.text()).collect();
    let modifiers = modifiers(info.mods);
    if info.arb != Forms::NONE {
        return text + &explain_arb(info, &operands.join(", "));
    }
    let mut types = info.types().join(" ");
    if info.rule == TypeRule::Arithmetic && !types.is_empty() {
        let _ = write!(types, " ({} if none is given)", base_name(info.default));
    }
    let option = info.option.map_or(String::new(), |option| {
        format!(", before that under OPTION {}", option.option())
    });
    let rows = [
        ("result", result_text(info.result).to_owned()),
        ("operands", operands.join(", ")),
        ("types", types),
        ("modifiers", modifiers),
        ("programs", programs(info.stages)),
        ("since", format!("version {}{option}", info.since.name())),
        ("see", info.section().to_owned()),
    ];
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "  {name:<10} {value}");
    }
    if !info.is_translated() {
        text.push_str("\nglasm checks this opcode but cannot translate it yet.\n");
    }
    text
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

/// How an operand stands in the syntax line: literally, or as a letter.
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

/// The words of modifiers, suffixes first.
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

fn programs(stages: Stages) -> String {
    if stages == Stages::ALL {
        return "all".to_owned();
    }
    let all = [
        Stage::Vertex,
        Stage::TessControl,
        Stage::TessEval,
        Stage::Geometry,
        Stage::Fragment,
        Stage::Compute,
    ];
    all.into_iter()
        .filter(|stage| stages.has(*stage))
        .map(stage_name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The part on an opcode of ARB programs.
fn explain_arb(info: &OpcodeInfo, operands: &str) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "  {:<10} ARB programs", "language");
    let rows = [("result", result_text(info.result)), ("operands", operands)];
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "  {name:<10} {value}");
    }
    let forms = [("vertex", info.arb.vertex), ("fragment", info.arb.fragment)];
    for (name, form) in forms {
        let Some(form) = form else { continue };
        let needs = match form.needs.is_empty() {
            true => "yes".to_owned(),
            false => format!("with OPTION {}", form.needs.option()),
        };
        let suffixes = modifiers(form.mods);
        let suffixes = match suffixes.is_empty() {
            true => String::new(),
            false => format!("; suffixes, some with options: {suffixes}"),
        };
        let _ = writeln!(text, "  {name:<10} {needs}{suffixes}");
    }
    let _ = writeln!(text, "  {:<10} {}", "see", info.section());
    if !info.is_translated() {
        text.push_str("\nglasm checks this opcode but cannot translate it yet.\n");
    }
    text
}

/// All opcodes with a line about each; where families differ, that of the newest.
fn opcode_lines() -> BTreeMap<&'static str, &'static str> {
    let families = Family::ALL.iter().rev();
    families
        .flat_map(|&family| opcodes::rows(family))
        .map(|info| (info.name, info.text))
        .collect()
}

/// All opcodes and codes, a line each.
fn list() -> String {
    let mut text = String::from("Opcodes:\n");
    for (name, about) in opcode_lines() {
        let _ = writeln!(text, "  {name:<7} {about}");
    }
    text.push_str("\nError codes:\n");
    for code in Code::ALL {
        let _ = writeln!(text, "  {:<7} {}", code.id(), code.title());
    }
    text
}

/// Running text in lines, each with its line end.
fn wrap(text: &str) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        if column > 0 && column + 1 + word.chars().count() > WIDTH {
            wrapped.push('\n');
            column = 0;
        } else if column > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += word.chars().count();
    }
    wrapped + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_of_the_list_is_explained() {
        for name in list()
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        {
            let text = explain_topic(&name.to_lowercase()).unwrap();
            assert!(text.starts_with(&format!("{name}: ")), "{text}");
            assert!(
                text.lines().all(|line| line.chars().count() <= 120),
                "{text}"
            );
        }
    }

    #[test]
    fn opcodes_show_their_shape() {
        let text = explain_topic("mad").unwrap();
        assert!(
            text.contains("  MAD result, a, b, c;\n") && text.contains("(F if none is given)"),
            "{text}"
        );
        assert!(
            explain_topic("TEX")
                .unwrap()
                .contains("TEX result, a, texture[n], target;")
        );
        assert!(
            explain_topic("DDX")
                .unwrap()
                .contains("programs   fragment\n")
        );
        assert!(explain_topic("ENDIF").unwrap().contains("\n  ENDIF;\n"));
    }

    #[test]
    fn unknown_topics_get_suggestions() {
        let Err(Fatal(message)) = explain_topic("MADD") else {
            panic!("explained")
        };
        assert!(message.contains("MAD, MAX"), "{message}");
        let Err(Fatal(message)) = explain_topic("\u{e9}\u{e9}") else {
            panic!("explained")
        };
        assert!(
            message.ends_with("; `glasm explain` lists all"),
            "{message}"
        );
    }

    #[test]
    fn running_text_is_wrapped() {
        assert_eq!(wrap("one two"), "one two\n");
        let long = wrap(&"word ".repeat(40));
        assert!(long.lines().count() > 1 && long.lines().all(|line| line.len() <= WIDTH));
    }
}
