//! Traces as JSON. docs/tools.md describes the keys, which remain the same in later versions.

use super::comparison::{Comparison, VertexComparison};
use super::scene::Report;
use glasm::ir::{Stage, Type, Width};
use glasm_scene::trace::json::{format_float, format_statement, format_values};
use glasm_scene::trace::names::name_output;
use serde_json::{Value, json};

/// Returns the JSON form of a report.
pub(super) fn format_report(report: &Report<'_>, with_ir: bool) -> Value {
    let program = &report.located.invocation.program;
    let source = report.scene.find_source(program);
    let statements = report.shown.iter().map(|number| {
        let statement = &report.trace.statements[*number];
        format_statement(&program.ir, &source, statement, *number, with_ir)
    });
    let firsts = report.trace.list_first_findings();
    let findings = firsts
        .iter()
        .map(|first| json!({ "kind": first.finding.word(), "statement": first.statement }));
    let results = report.trace.list_results(program.ir.stage);
    let results = results.iter().map(|(name, ty, lanes)| {
        json!({ "name": name, "type": ty.name(), "values": format_values(*ty, lanes) })
    });
    let discarded = report.trace.result.as_ref();
    json!({
        "file": report.scene.path.display().to_string(),
        "stage": program.ir.stage.name(),
        "invocation": report.located.description,
        "command_line": report.located.line,
        "drawn": !report.located.is_rejected,
        "discarded": discarded.is_some_and(|result| result.is_discarded),
        "statements": statements.collect::<Vec<_>>(),
        "omitted": report.omitted,
        "end": report.trace.end,
        "first_findings": findings.collect::<Vec<_>>(),
        "results": results.collect::<Vec<_>>(),
        "limitations": report.located.limitations,
        "device": format_comparison(&report.comparison, program.ir.stage),
    })
}

/// Returns the JSON form of the comparison with the device.
fn format_comparison(comparison: &Comparison, stage: Stage) -> Value {
    match comparison {
        Comparison::None(reason) => json!({ "compared": false, "reason": reason }),
        Comparison::Results {
            device,
            attachments,
            buffers,
            vertices,
        } => {
            let number = |value: &f64| {
                let bits = u64::from((*value as f32).to_bits());
                format_float(Type::F32, bits)
            };
            let color = |values: &[f64; 4]| values.iter().map(number).collect::<Vec<_>>();
            let attachments = attachments.iter().map(|it| {
                json!({
                    "attachment": it.number,
                    "simulated": color(&it.simulated),
                    "observed": color(&it.observed),
                    "agrees": it.agrees,
                })
            });
            let buffers = buffers.iter().map(|it| {
                json!({
                    "buffer": it.name,
                    "agrees": it.difference.is_none(),
                    "offset": it.difference.map(|it| it.offset),
                    "simulated": it.difference.map(|it| it.simulated),
                    "observed": it.difference.map(|it| it.observed),
                })
            });
            json!({
                "compared": true,
                "name": device,
                "agrees": !comparison.is_different(),
                "attachments": attachments.collect::<Vec<_>>(),
                "buffers": buffers.collect::<Vec<_>>(),
                "vertices": vertices.iter().map(|it| format_vertex(it, stage)).collect::<Vec<_>>(),
            })
        }
    }
}

/// Returns the JSON form of the comparison of a result of a vertex.
fn format_vertex(vertex: &VertexComparison, stage: Stage) -> Value {
    let ty = vertex
        .result
        .map_or(Type::U32, |result| Type::from_base(result.base, Width::W32));
    let values = |words: &[u32]| {
        let words: Vec<u64> = words.iter().copied().map(u64::from).collect();
        format_values(ty, &words)
    };
    json!({
        "vertex": vertex.number,
        "name": vertex.result.map(|result| name_output(result.semantic, stage)),
        "simulated": values(&vertex.simulated),
        "observed": values(&vertex.observed),
        "agrees": vertex.agrees,
    })
}
