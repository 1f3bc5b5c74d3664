//! Peak heap of one compilation, in bytes per source byte, for generated programs. Writes `$GLASM_BENCH_OUT/heap.json`, which the
//! benchmark `translate` puts into its tables. A program of its own, because counting allocations slows them down.
#![expect(clippy::print_stdout, reason = "prints its figures")]

use glasm::{Compiler, Options, Source};
use glasm_tests::generator::{Variant, mix, program};
use peak_alloc::PeakAlloc;
use serde_json::json;
use std::error::Error;
use std::path::PathBuf;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

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
            let text = text(size);
            let peak = peak(&text)?;
            // Counts of this size are exact as f64.
            let per_byte = peak as f64 / text.len() as f64;
            println!("{name:<8} {size:>6}: {peak:>9} bytes, {per_byte:.1} for each source byte");
            rows.push(json!({ "variant": name, "size": size, "source": text.len(), "peak": peak }));
        }
    }
    if let Some(out) = std::env::var_os("GLASM_BENCH_OUT") {
        std::fs::write(
            PathBuf::from(out).join("heap.json"),
            format!("{:#}\n", json!(rows)),
        )?;
    }
    Ok(())
}

/// Bytes above what was in use before, at the worst moment of compiling `text` with a new compiler.
fn peak(text: &str) -> Result<usize, String> {
    let source = Source::new("generated", text);
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let shader = Compiler::new().compile(&source, &Options::default());
    let peak = HEAP.peak_usage().saturating_sub(before);
    match shader {
        Ok(_) => Ok(peak),
        Err(errors) => Err(errors.render(&source)),
    }
}
