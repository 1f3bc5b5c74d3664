//! Statements of traces as JSON. docs/tools.md describes the keys, which remain the same in later
//! versions.

use super::format_flow;
use super::lines::SourceLines;
use super::names::{
    NamedValue, describe_operand, describe_result, format_bits, format_codes, format_tested_codes,
};
use super::recorder::InstructionRecord;
use super::statements::{Flow, Statement};
use glasm::ir::interp::to_f64;
use glasm::ir::print::print_inst;
use glasm::ir::{BaseType, Program, Type};
use serde_json::{Value, json};

/// Returns the JSON form of a statement with its index in the run.
pub fn format_statement(
    program: &Program,
    source: &SourceLines<'_>,
    statement: &Statement,
    number: usize,
    with_ir: bool,
) -> Value {
    let findings: Vec<&str> = statement
        .findings
        .iter()
        .map(|finding| finding.word())
        .collect();
    let flow: Vec<Value> = statement
        .flow
        .iter()
        .map(|flow| format_flow_value(program, *flow))
        .collect();
    let mut value = json!({
        "index": number,
        "line": statement.span.map(|span| source.find_line(span)),
        "text": statement.span.map(|span| source.find_text(span)),
        "depth": statement.depth,
        "operands": statement.operands.iter().map(format_named).collect::<Vec<_>>(),
        "results": statement.results.iter().map(format_named).collect::<Vec<_>>(),
        "codes": statement.codes.map(|(codes, lanes)| format_codes(&codes, lanes)),
        "flow": flow,
        "findings": findings,
    });
    if with_ir && let Some(object) = value.as_object_mut() {
        let instructions = statement.instructions.iter();
        let instructions = instructions.map(|record| format_instruction(program, record));
        object.insert("ir".to_owned(), instructions.collect());
    }
    value
}

/// Returns the JSON form of an instruction.
fn format_instruction(program: &Program, record: &InstructionRecord) -> Value {
    let Some(inst) = program.insts.get(record.index) else {
        return Value::Null;
    };
    let operands = record.operands.iter().enumerate();
    let operands =
        operands.filter_map(|(number, operand)| describe_operand(program, inst, number, operand));
    let result = record.result.as_ref();
    let result = result.and_then(|result| describe_result(program, inst, result));
    let findings: Vec<&str> = record
        .findings
        .iter()
        .map(|finding| finding.word())
        .collect();
    json!({
        "index": record.index,
        "text": print_inst(program, inst),
        "operands": operands.map(|value| format_named(&value)).collect::<Vec<_>>(),
        "result": result.map(|value| format_named(&value)),
        "findings": findings,
    })
}

/// Returns the JSON form of a change of control flow.
fn format_flow_value(program: &Program, flow: Flow) -> Value {
    let kind = match flow {
        Flow::Branch(..) => "branch",
        Flow::Iteration(_) => "iteration",
        Flow::Switch(_) => "switch",
        Flow::Break => "break",
        Flow::Continue => "continue",
        Flow::Call(_) => "call",
        Flow::Return => "return",
    };
    let value = match flow {
        Flow::Branch(is_taken, _) => json!(is_taken),
        Flow::Iteration(number) => json!(number),
        Flow::Switch(value) => json!(value),
        Flow::Call(_) => json!(format_flow(program, flow).trim_start_matches("calls ")),
        Flow::Break | Flow::Continue | Flow::Return => Value::Null,
    };
    let codes = if let Flow::Branch(_, Some(codes)) = flow {
        Some(format_tested_codes(&codes))
    } else {
        None
    };
    json!({ "kind": kind, "value": value, "codes": codes })
}

/// Returns the JSON form of a value with its name.
fn format_named(value: &NamedValue) -> Value {
    let bits = value.bits.iter().map(|bits| format_bits(value.ty, *bits));
    json!({
        "name": value.name,
        "text": value.text,
        "type": value.ty.name(),
        "values": format_values(value.ty, &value.bits),
        "bits": bits.collect::<Vec<_>>(),
    })
}

/// Returns numbers; NaN and infinities, which JSON lacks, are strings.
pub fn format_values(ty: Type, bits: &[u64]) -> Vec<Value> {
    let value = |bits: &u64| match ty.base() {
        BaseType::Float => format_float(ty, *bits),
        BaseType::UnsignedInt => json!(*bits),
        BaseType::SignedInt => {
            let shift = 64 - ty.width().bits();
            json!(((*bits << shift) as i64) >> shift)
        }
    };
    bits.iter().map(value).collect()
}

/// Returns a float as a number with the fewest digits that identify it.
pub fn format_float(ty: Type, bits: u64) -> Value {
    let number = to_f64(ty, bits);
    if number.is_nan() {
        json!("NaN")
    } else if number.is_infinite() {
        json!(if number > 0.0 { "+Inf" } else { "-Inf" })
    } else if ty == Type::F64 {
        json!(number)
    } else {
        let shortest = format!("{:?}", number as f32);
        shortest
            .parse::<f64>()
            .map_or(Value::Null, |number| json!(number))
    }
}
