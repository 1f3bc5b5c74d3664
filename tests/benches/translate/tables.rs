//! The figures as text, as Markdown with the marks beside them, and as JSON.

use super::pairs::{self, Times};
use super::retired::{Count, Family, Who, fit};
use super::{Row, marks};
use glasm_tests::generator::{PrimitiveStage, RegisterLanguage, Spelling, Variant};
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
pub(crate) fn markdown(rows: &[Row], heap: &Value, counts: &[Count], pairs: &Times) -> String {
    let mut text = String::new();
    if !counts.is_empty() {
        real(&mut text, counts);
        registers(&mut text, counts);
        primitives(&mut text, counts);
        peers(&mut text, counts);
        growth(&mut text, counts);
    }
    times(&mut text, rows);
    pairs::table(&mut text, pairs);
    stages(&mut text, rows);
    sizes(&mut text, rows);
    peaks(&mut text, heap);
    compared(&mut text, &marks::all(rows, heap, counts, pairs));
    text
}

/// What programs like real ones cost.
fn real(text: &mut String, counts: &[Count]) {
    let programs: Vec<&Count> = counts
        .iter()
        .filter(|count| count.subject.family == Family::Real)
        .collect();
    let operations: usize = programs.iter().map(|count| count.subject.operations).sum();
    let spirv: usize = programs.iter().map(|count| count.spirv).sum();
    let Some(fit) = fit(counts, Family::Real) else {
        return;
    };
    text.push_str("### Programs like real ones, instructions retired\n\n");
    text.push_str("| programs | mean size | fixed | per instruction | SPIR-V instructions each |\n|--:|--:|--:|--:|--:|\n");
    let _ = writeln!(
        text,
        "| {} | {:.0} | {:.0} | {:.0} | {:.2} |\n",
        programs.len(),
        operations as f64 / programs.len() as f64,
        fit.fixed,
        fit.each,
        spirv as f64 / operations as f64
    );
}

/// Writes the cost of programs of the register family, compared with the same programs with declared variables.
fn registers(text: &mut String, counts: &[Count]) {
    text.push_str(
        "### Programs of the register family, compared with the same programs in ARB syntax, instructions retired\n\n",
    );
    text.push_str("| language | programs | mean size | each, with the fixed part | in ARB syntax | ratio | fixed | in ARB syntax | per instruction | in ARB syntax | SPIR-V instructions each | in ARB syntax |\n");
    let _ = writeln!(text, "|---|{}", "--:|".repeat(11));
    for language in RegisterLanguage::ALL {
        let families = [Spelling::Registers, Spelling::Declared]
            .map(|spelling| Family::Register(language, spelling));
        let [own, arb] = families.map(|family| Total::of(counts, family));
        let fits = families.map(|family| fit(counts, family));
        let [Some(own_fit), Some(arb_fit)] = fits else {
            continue;
        };
        let _ = writeln!(
            text,
            "| {} | {:.0} | {:.0} | {:.0} | {:.0} | {:.2} | {:.0} | {:.0} | {:.0} | {:.0} | {:.2} | {:.2} |",
            language.name(),
            own.programs,
            own.operations / own.programs,
            own.retired / own.operations,
            arb.retired / arb.operations,
            own.retired / arb.retired,
            own_fit.fixed,
            arb_fit.fixed,
            own_fit.each,
            arb_fit.each,
            own.spirv / own.operations,
            arb.spirv / arb.operations
        );
    }
    text.push('\n');
}

/// What programs of the stages between vertices and fragments cost.
fn primitives(text: &mut String, counts: &[Count]) {
    text.push_str("### Programs of geometry and tessellation stages, instructions retired\n\n");
    text.push_str("| stage | programs | mean size | retired each | SPIR-V instructions each |\n|---|--:|--:|--:|--:|\n");
    for stage in PrimitiveStage::ALL {
        let total = Total::of(counts, Family::Primitive(stage));
        let _ = writeln!(
            text,
            "| {} | {:.0} | {:.0} | {:.0} | {:.2} |",
            stage.name(),
            total.programs,
            total.operations / total.programs,
            total.retired / total.operations,
            total.spirv / total.operations
        );
    }
    text.push('\n');
}

/// Sums over the programs of a family.
#[derive(Default)]
pub(crate) struct Total {
    programs: f64,
    operations: f64,
    pub(crate) retired: f64,
    spirv: f64,
}

impl Total {
    pub(crate) fn of(counts: &[Count], family: Family) -> Self {
        let mut total = Self::default();
        for count in counts.iter().filter(|count| count.subject.family == family) {
            total.programs += 1.0;
            total.operations += count.subject.operations as f64;
            total.retired += count.retired;
            total.spirv += count.spirv as f64;
        }
        total
    }
}

/// Writes the retired instructions, compared with those of naga.
fn peers(text: &mut String, counts: &[Count]) {
    text.push_str("### Compared with naga, instructions retired per instruction\n\n");
    text.push_str(
        "| program | instructions | glasm | naga | naga / glasm | glasm, from TGSI | naga / glasm |\n|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for variant in Variant::ALL {
        let of = |who| {
            let family = Family::Peer(variant);
            let wanted =
                move |count: &&Count| count.subject.family == family && count.subject.who == who;
            counts.iter().filter(wanted)
        };
        let glasm = of(Who::Glasm).zip(of(Who::Tgsi));
        for ((glasm, tgsi), naga) in glasm.zip(of(Who::Naga)) {
            let _ = writeln!(
                text,
                "| {} | {} | {:.0} | {:.0} | {:.0} x | {:.0} | {:.0} x |",
                variant.name(),
                glasm.subject.operations,
                glasm.each(),
                naga.each(),
                naga.retired / glasm.retired,
                tgsi.each(),
                naga.retired / tgsi.retired
            );
        }
    }
}

/// How the cost of each shape grows.
fn growth(text: &mut String, counts: &[Count]) {
    text.push_str("\n### Growth, instructions retired per instruction\n\n");
    text.push_str(
        "| shape | instructions | retired each | SPIR-V instructions each |\n|---|--:|--:|--:|\n",
    );
    for count in counts {
        let Family::Shape(shape) = count.subject.family else {
            continue;
        };
        let operations = count.subject.operations;
        let _ = writeln!(
            text,
            "| {} | {operations} | {:.0} | {:.2} |",
            shape.name(),
            count.each(),
            count.spirv as f64 / operations as f64
        );
    }
    text.push('\n');
}

fn times(text: &mut String, rows: &[Row]) {
    text.push_str("### Text to SPIR-V\n\n");
    text.push_str(
        "| program | instructions | glasm, us | ns per instruction | naga, us | naga / glasm | from TGSI, ns per instruction | naga / glasm |\n",
    );
    text.push_str("|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} | {:.0} | {} |",
            row.name,
            row.operations,
            row.total / 1e3,
            row.per_operation(row.total),
            row.naga.map_or_else(
                || "- | - | - | -".to_owned(),
                |naga| format!(
                    "{:.0} | {:.0} x | {:.0} | {:.0} x",
                    naga.time / 1e3,
                    naga.time / row.total,
                    row.per_operation(naga.tgsi),
                    naga.time / naga.tgsi
                )
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

fn compared(text: &mut String, marks: &[marks::Mark]) {
    text.push_str("\n### Marks\n\n| mark | goal | at the least | measured | reached |\n|---|--:|--:|--:|---|\n");
    for mark in marks {
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
    text.push_str("\n### Heap\n\nAllocations of a compiler that has translated the program before, and those of the result alone.\n\n");
    text.push_str("| program | size | source, bytes | peak, bytes | peak per source byte | allocations | of the result |\n");
    text.push_str("|---|--:|--:|--:|--:|--:|--:|\n");
    for row in heap.as_array().into_iter().flatten() {
        let (source, peak) = (
            row["source"].as_f64().unwrap_or(1.0),
            row["peak"].as_f64().unwrap_or(0.0),
        );
        let variant = row["variant"].as_str().unwrap_or_default();
        let _ = writeln!(
            text,
            "| {variant} | {} | {source} | {peak} | {:.1} | {} | {} |",
            row["size"],
            peak / source,
            row["allocations"],
            row["of_result"]
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
            "tgsi_ns": row.naga.map(|naga| naga.tgsi),
            "naga_bytes": row.naga.map(|naga| naga.bytes),
        })
    };
    rows.iter().map(row).collect()
}
