//! Traces as text.

use super::comparison::{AttachmentComparison, BufferComparison, Comparison, VertexComparison};
use super::scene::Report;
use glasm::ir::print::print_inst;
use glasm::ir::{BaseType, Program, Stage, Type, Width};
use glasm_scene::trace::names::{
    NamedValue, describe_operand, describe_result, find_source_index, format_bits, format_codes,
    format_value, name_operand_of, name_output,
};
use glasm_scene::trace::{
    Finding, FirstFinding, InstructionRecord, SourceLines, Statement, format_flow, format_lanes,
};
use glasm_scripts::software::CapturedResult;
use std::fmt::Write as _;

/// How values are printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Hexadecimal bits instead of numbers.
    pub(super) bits: bool,
    /// Instructions of the IR below statements.
    pub(super) ir: bool,
}

/// Differences of vertices that are printed.
const MAX_VERTEX_LINES: usize = 16;

/// Formats a report: the invocation, the statements, the results and the comparison.
pub(super) fn format_report(report: &Report<'_>, style: Style) -> String {
    let program = &report.located.invocation.program;
    let source = report.scene.find_source(program);
    let firsts = report.trace.list_first_findings();
    let path = report.scene.path.display();
    let mut text = format!(
        "{path}: {} program, {}, command at line {}{}\n",
        program.ir.stage.name(),
        report.located.description,
        report.located.line,
        if report.located.is_rejected {
            " (the fragment is not drawn)"
        } else {
            ""
        }
    );
    for number in &report.shown {
        let statement = &report.trace.statements[*number];
        let own: Vec<&FirstFinding> = firsts.iter().filter(|it| it.statement == *number).collect();
        text += &format_statement(&program.ir, &source, statement, style);
        for finding in &statement.findings {
            let is_first = own.iter().any(|first| first.finding == *finding);
            text += &format_finding(&program.ir, statement, *finding, is_first);
        }
    }
    if report.omitted > 0 {
        let _ = writeln!(
            text,
            "{} more statements; --max-statements, --watch and --last-write select others",
            report.omitted
        );
    }
    if let Some(end) = &report.trace.end {
        let _ = writeln!(text, "{end}");
    }
    for (name, ty, lanes) in report.trace.list_results(program.ir.stage) {
        let _ = writeln!(text, "{name} = {}", format_lanes(ty, &lanes));
    }
    let discarded = report.trace.result.as_ref();
    if discarded.is_some_and(|result| result.is_discarded) {
        text += "the fragment was discarded\n";
    }
    for limitation in &report.located.limitations {
        let _ = writeln!(text, "note: {limitation}");
    }
    let has_notes = !report.located.limitations.is_empty();
    text + &format_comparison(&report.comparison, program.ir.stage, has_notes)
}

/// Formats a statement: its line, text, operands, results and changes of control flow.
pub(super) fn format_statement(
    program: &Program,
    source: &SourceLines<'_>,
    statement: &Statement,
    style: Style,
) -> String {
    let indent = "  ".repeat(statement.depth.min(16));
    let mut text = String::new();
    if let Some(span) = statement.span {
        let _ = write!(
            text,
            "{:>5}  {indent}{}",
            source.find_line(span),
            source.find_text(span)
        );
    } else if !statement.flow.is_empty() {
        let _ = write!(text, "       {indent}");
    } else if style.ir {
        let _ = write!(text, "       {indent}(no statement)");
    } else {
        return text;
    }
    for (number, flow) in statement.flow.iter().enumerate() {
        let separator = match (number, statement.span) {
            (0, Some(_)) => "  -- ",
            (0, None) => "-- ",
            (_, _) => ", ",
        };
        text += separator;
        text += &format_flow(program, *flow);
    }
    text.push('\n');
    let values = |values: &[NamedValue]| {
        let values: Vec<String> = values.iter().map(|it| format_named(it, style)).collect();
        values.join(", ")
    };
    if !statement.operands.is_empty() {
        let _ = writeln!(text, "         {indent}{}", values(&statement.operands));
    }
    if !statement.results.is_empty() {
        let codes = statement.codes.map_or_else(String::new, |(codes, lanes)| {
            format!(" [{}]", format_codes(&codes, lanes))
        });
        let results = values(&statement.results);
        let _ = writeln!(text, "         {indent}=> {results}{codes}");
    } else if statement.instructions.iter().any(is_unwritten) && statement.span.is_some() {
        let _ = writeln!(
            text,
            "         {indent}=> nothing is written: the condition is false"
        );
    }
    if style.ir {
        for record in &statement.instructions {
            let _ = writeln!(
                text,
                "         {indent}{}",
                format_ir(program, record, style)
            );
        }
    }
    text
}

/// Returns true if an instruction has a destination that no lane of was written.
fn is_unwritten(record: &InstructionRecord) -> bool {
    record
        .result
        .is_some_and(|result| result.written.is_empty())
}

/// Formats an instruction of the IR with its operands and its result.
fn format_ir(program: &Program, record: &InstructionRecord, style: Style) -> String {
    let Some(inst) = program.insts.get(record.index) else {
        return String::new();
    };
    let operands = record.operands.iter().enumerate();
    let operands = operands.filter_map(|(number, operand)| {
        let value = describe_operand(program, inst, number, operand)?;
        Some(format_numbers(&value, style))
    });
    let operands: Vec<String> = operands.collect();
    let result = record.result.as_ref();
    let result = result.and_then(|result| describe_result(program, inst, result));
    let result = result.map_or_else(String::new, |value| {
        format!(" = {}", format_numbers(&value, style))
    });
    format!(
        "{}    ; {}{result}",
        print_inst(program, inst),
        operands.join(", ")
    )
}

/// Formats the lanes of a value without its name.
fn format_numbers(value: &NamedValue, style: Style) -> String {
    if style.bits {
        let bits: Vec<String> = value
            .bits
            .iter()
            .map(|it| format_bits(value.ty, *it))
            .collect();
        return match &bits[..] {
            [one] => one.clone(),
            _ => format!("({})", bits.join(", ")),
        };
    }
    format_lanes(value.ty, &value.bits)
}

/// Formats a value with its name.
fn format_named(value: &NamedValue, style: Style) -> String {
    format!("{} = {}", value.text, format_numbers(value, style))
}

/// Formats a finding in a separate line.
fn format_finding(
    program: &Program,
    statement: &Statement,
    finding: Finding,
    is_first: bool,
) -> String {
    let first = if is_first { "first " } else { "" };
    let what = match finding {
        Finding::Nan => format!("{first}NaN of finite operands"),
        Finding::Infinity => format!("{first}infinity of finite operands"),
        Finding::Uninitialized(number) => {
            let name = find_instruction(statement, finding).and_then(|record| {
                let inst = program.insts.get(record.index)?;
                let operand = record.operands.get(number)?;
                Some(name_operand_of(program, inst, number, operand))
            });
            let name = name.unwrap_or_default();
            format!("{first}read of {name}, which nothing has written")
        }
        Finding::IndexOutOfBounds { requested, len } => {
            let index = find_instruction(statement, finding).and_then(|record| {
                let inst = program.insts.get(record.index)?;
                let mut operands = record.operands.iter().enumerate();
                operands.find_map(|(number, operand)| {
                    let element = operand.element.filter(|it| it.requested == requested)?;
                    Some(find_source_index(
                        program,
                        program.source(inst, number),
                        element,
                    ))
                })
            });
            let (requested, len) = index.map_or((requested, len), |it| (it.requested, it.len));
            format!("{first}index out of bounds: {requested} in an array of {len}")
        }
        Finding::AccessOutOfBounds => format!("{first}access out of bounds"),
    };
    format!("       ^ {what}\n")
}

/// Returns the instruction of a statement with a finding.
fn find_instruction(statement: &Statement, finding: Finding) -> Option<&InstructionRecord> {
    let mut instructions = statement.instructions.iter();
    instructions.find(|record| record.findings.contains(&finding))
}

/// Formats the comparison with the device.
fn format_comparison(comparison: &Comparison, stage: Stage, has_notes: bool) -> String {
    match comparison {
        Comparison::None(reason) => format!("device: not compared ({reason})\n"),
        Comparison::Results {
            device,
            attachments,
            buffers,
            vertices,
        } => {
            let lines = attachments.iter();
            let lines = lines.map(|it| format_attachment(device, it, has_notes));
            let buffers = buffers.iter().map(|it| format_buffer(device, it));
            let text: String = lines.chain(buffers).collect();
            text + &format_vertices(device, vertices, stage)
        }
    }
}

/// Formats the comparison of captured vertices: the first differences, or that there is none.
fn format_vertices(device: &str, vertices: &[VertexComparison], stage: Stage) -> String {
    let Some(last) = vertices.last() else {
        return String::new();
    };
    let differing: Vec<&VertexComparison> = vertices.iter().filter(|it| !it.agrees).collect();
    if differing.is_empty() {
        let count = match last.number {
            0 => "1 vertex agrees".to_owned(),
            number => format!("{} vertices agree", number + 1),
        };
        return format!("results of {count} with {device}\n");
    }
    let values = |words: &[u32], result: &Option<CapturedResult>| {
        let base = result.map_or(BaseType::UnsignedInt, |result| result.base);
        let words: Vec<u64> = words.iter().copied().map(u64::from).collect();
        format_lanes(Type::from_base(base, Width::W32), &words)
    };
    let lines = differing.iter().take(MAX_VERTEX_LINES).map(|it| {
        let number = it.number;
        match &it.result {
            None if it.observed.is_empty() => format!("vertex {number}: missing on {device}\n"),
            None => format!("vertex {number}: only on {device}\n"),
            Some(result) => format!(
                "vertex {number}: {} = {}, differs from {device}: {}\n",
                name_output(result.semantic, stage),
                values(&it.simulated, &it.result),
                values(&it.observed, &it.result)
            ),
        }
    });
    let mut text: String = lines.collect();
    if differing.len() > MAX_VERTEX_LINES {
        let rest = differing.len() - MAX_VERTEX_LINES;
        let _ = writeln!(text, "{rest} more differences; --json lists all");
    }
    text
}

/// Formats the comparison of a buffer.
fn format_buffer(device: &str, buffer: &BufferComparison) -> String {
    let name = &buffer.name;
    match buffer.difference {
        None => format!("{name} after the dispatch: agrees with {device}\n"),
        Some(difference) => format!(
            "{name} after the dispatch: {:#x} at offset {}, differs from {device}: {:#x}\n",
            difference.simulated, difference.offset, difference.observed
        ),
    }
}

/// Formats the comparison of an attachment; `has_notes` if the simulation leaves something out.
fn format_attachment(device: &str, attachment: &AttachmentComparison, has_notes: bool) -> String {
    let color = |values: &[f64; 4]| {
        let values = values.iter().take(attachment.components);
        let values: Vec<String> = values.map(|value| format_number(*value)).collect();
        format!("({})", values.join(", "))
    };
    let (verdict, remark) = match (attachment.agrees, has_notes) {
        (true, _) => ("agrees with", ""),
        (false, false) => ("differs from", ""),
        (false, true) => ("differs from", " (see the notes)"),
    };
    format!(
        "attachment {}: {}, {verdict} {device}: {}{remark}\n",
        attachment.number,
        color(&attachment.simulated),
        color(&attachment.observed)
    )
}

/// Formats a component of a color.
fn format_number(value: f64) -> String {
    let single = value as f32;
    format_value(Type::F32, u64::from(single.to_bits()))
}
