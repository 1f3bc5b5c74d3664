//! Peak heap of one compilation, in bytes per source byte, and the allocations of a compiler that is kept, for generated programs. Writes
//! `$GLASM_BENCH_OUT/heap.json`, which the benchmark `translate` puts into its tables. A program of its own, because counting allocations
//! slows them down.
#![expect(clippy::print_stdout, reason = "prints its figures")]

use allocation_counter::AllocationInfo;
use glasm::{Compiler, Options, Shader, Source};
use glasm_tests::generator::{Variant, mix, program, real};
use serde_json::{Value, json};
use std::error::Error;
use std::path::PathBuf;

/// Programs like real ones that are measured, by their numbers.
const REAL: [usize; 3] = [0, 1, 2];

fn main() -> Result<(), Box<dyn Error>> {
    let mut rows = Vec::new();
    let texts = Variant::ALL.map(|variant| {
        let text = move |size| program(variant, size, 1).assembly();
        (
            variant.name(),
            Box::new(text) as Box<dyn Fn(usize) -> String>,
        )
    });
    let mixed: Box<dyn Fn(usize) -> String> = Box::new(|size| mix(size, 1).0);
    for (name, text) in texts.into_iter().chain([("mix", mixed)]) {
        for size in [100, 1000, 10_000] {
            rows.push(row(name, size, &text(size))?);
        }
    }
    for number in REAL {
        let real = real(number);
        rows.push(row("real", real.instructions, &real.text)?);
    }
    if let Some(out) = std::env::var_os("GLASM_BENCH_OUT") {
        std::fs::write(
            PathBuf::from(out).join("heap.json"),
            format!("{:#}\n", json!(rows)),
        )?;
    }
    Ok(())
}

/// Measures a program.
fn row(name: &str, size: usize, text: &str) -> Result<Value, String> {
    let (peak, _) = compile(&mut Compiler::new(), text)?;
    let mut kept = Compiler::new();
    // What grows has grown the second time.
    for _ in 0..2 {
        compile(&mut kept, text)?;
    }
    let (steady, shader) = compile(&mut kept, text)?;
    let result = allocation_counter::measure(|| drop(shader.clone()));
    // Counts of this size are exact as f64.
    let per_byte = peak.bytes_max as f64 / text.len() as f64;
    println!(
        "{name:<8} {size:>6}: {:>9} bytes, {per_byte:.1} for each source byte; {} allocations, {} of them for the result",
        peak.bytes_max, steady.count_total, result.count_total
    );
    Ok(json!({
        "variant": name,
        "size": size,
        "source": text.len(),
        "peak": peak.bytes_max,
        "allocations": steady.count_total,
        "of_result": result.count_total,
    }))
}

/// Compiles `text` and counts what that takes of the heap.
fn compile(compiler: &mut Compiler, text: &str) -> Result<(AllocationInfo, Shader), String> {
    let source = Source::new("generated", text);
    let mut shader = None;
    let info = allocation_counter::measure(|| {
        shader = Some(compiler.compile(&source, &Options::default()));
    });
    match shader {
        Some(Ok(shader)) => Ok((info, shader)),
        Some(Err(errors)) => Err(errors.render(&source)),
        None => Err("nothing was compiled".to_owned()),
    }
}
