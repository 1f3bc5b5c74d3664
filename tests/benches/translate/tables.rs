//! The figures as text, as Markdown with the marks beside them, and as JSON.

use super::{Row, marks};
use serde_json::{Value, json};
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// One row for the terminal.
pub(crate) fn line(row: &Row) -> String {
    let stages: Vec<String> = row
        .stages
        .iter()
        .map(|(name, time)| format!("{name} {:.0}", row.per_operation(*time)))
        .collect();
    format!(
        "{:<8} {:>5}: {:>9.1} us, {:>5.0} ns per instruction ({}){}",
        row.name,
        row.size,
        row.total / 1e3,
        row.per_operation(row.total),
        stages.join(", "),
        row.naga.map_or_else(String::new, |naga| format!(
            ", naga {:>9.1} us, {:>4.0} x",
            naga.time / 1e3,
            naga.time / row.total
        ))
    )
}

/// All tables.
pub(crate) fn markdown(rows: &[Row], heap: &Value) -> String {
    let mut text = String::new();
    times(&mut text, rows);
    stages(&mut text, rows);
    sizes(&mut text, rows);
    peaks(&mut text, heap);
    compared(&mut text, rows, heap);
    text
}

fn times(text: &mut String, rows: &[Row]) {
    text.push_str("### Text to SPIR-V\n\n");
    text.push_str(
        "| program | instructions | glasm, us | ns per instruction | naga, us | naga / glasm |\n",
    );
    text.push_str("|---|--:|--:|--:|--:|--:|\n");
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} | {:.0} | {} |",
            row.name,
            row.operations,
            row.total / 1e3,
            row.per_operation(row.total),
            row.naga.map_or_else(
                || "- | -".to_owned(),
                |naga| format!("{:.0} | {:.0} x", naga.time / 1e3, naga.time / row.total)
            )
        );
    }
}

fn stages(text: &mut String, rows: &[Row]) {
    text.push_str("\n### Stages, ns per instruction\n\n| program | instructions |");
    let names: Vec<&str> = rows
        .first()
        .map(|row| row.stages.iter().map(|(name, _)| *name).collect())
        .unwrap_or_default();
    let _ = writeln!(text, " {} |", names.join(" | "));
    let _ = writeln!(text, "|---|--:|{}", "--:|".repeat(names.len()));
    for row in rows {
        let times: Vec<String> = row
            .stages
            .iter()
            .map(|(_, time)| format!("{:.0}", row.per_operation(*time)))
            .collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            row.name,
            row.operations,
            times.join(" | ")
        );
    }
}

fn sizes(text: &mut String, rows: &[Row]) {
    text.push_str("\n### Size of the module\n\n");
    text.push_str(
        "| program | instructions | SPIR-V instructions each | bytes each | naga, bytes each |\n",
    );
    text.push_str("|---|--:|--:|--:|--:|\n");
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.0} | {} |",
            row.name,
            row.operations,
            instructions_each(row),
            bytes_each(row),
            row.naga.map_or_else(
                || "-".to_owned(),
                |naga| format!("{:.0}", row.per_operation(naga.bytes as f64))
            )
        );
    }
}

pub(crate) fn instructions_each(row: &Row) -> f64 {
    row.per_operation(row.instructions as f64)
}

pub(crate) fn bytes_each(row: &Row) -> f64 {
    row.per_operation(row.module_bytes as f64)
}

fn compared(text: &mut String, rows: &[Row], heap: &Value) {
    text.push_str("\n### Marks\n\n| mark | goal | at the least | measured | reached |\n|---|--:|--:|--:|---|\n");
    for mark in marks::all(rows, heap) {
        let digits = match mark.goal {
            0.0..1.0 => 4,
            1.0..10.0 => 2,
            _ => 0,
        };
        let measured = mark.measured.map_or_else(
            || "-".to_owned(),
            |value| format!("{value:.digits$} {}", mark.unit),
        );
        let reached = match mark.measured {
            None => "not measured",
            Some(value) if value <= mark.goal => "goal",
            Some(value) if value <= mark.least => "at the least",
            Some(_) => "no",
        };
        let _ = writeln!(
            text,
            "| {} | {:.digits$} {unit} | {:.digits$} {unit} | {measured} | {reached} |",
            mark.what,
            mark.goal,
            mark.least,
            unit = mark.unit
        );
    }
}

fn peaks(text: &mut String, heap: &Value) {
    text.push_str("\n### Peak heap\n\n| program | size | source, bytes | peak, bytes | peak per source byte |\n");
    text.push_str("|---|--:|--:|--:|--:|\n");
    for row in heap.as_array().into_iter().flatten() {
        let (source, peak) = (
            row["source"].as_f64().unwrap_or(1.0),
            row["peak"].as_f64().unwrap_or(0.0),
        );
        let variant = row["variant"].as_str().unwrap_or_default();
        let _ = writeln!(
            text,
            "| {variant} | {} | {source} | {peak} | {:.1} |",
            row["size"],
            peak / source
        );
    }
}

/// All rows for other tools.
pub(crate) fn json(rows: &[Row]) -> Value {
    let stages = |row: &Row| {
        row.stages
            .iter()
            .map(|(name, time)| ((*name).to_owned(), json!(time)))
            .collect::<serde_json::Map<_, _>>()
    };
    let row = |row: &Row| {
        json!({
            "variant": row.name,
            "size": row.size,
            "operations": row.operations,
            "source_bytes": row.source_bytes,
            "total_ns": row.total,
            "stages_ns": stages(row),
            "spirv_instructions": row.instructions,
            "spirv_bytes": row.module_bytes,
            "naga_ns": row.naga.map(|naga| naga.time),
            "naga_bytes": row.naga.map(|naga| naga.bytes),
        })
    };
    rows.iter().map(row).collect()
}
