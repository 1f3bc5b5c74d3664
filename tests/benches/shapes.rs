//! Time that one megabyte of each shape takes: programs from text to SPIR-V, scripts until they are parsed. No program may hold up an
//! application for longer than the mark says.
//!
//! Words choose the shapes whose names contain one of them. With `GLASM_BENCH_OUT` set, writes
//! `shapes.md` into that directory.
#![expect(clippy::print_stdout, reason = "prints its figures")]

use glasm::{Compiler, Options, Source};
use glasm_scripts::script::Script;
use glasm_tests::clock;
use glasm_tests::shapes::{self, Reader, Shape};
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Bytes of a text.
const SIZE: usize = 1 << 20;
/// The most that a text may take.
const MARK: Duration = Duration::from_millis(300);
/// Times that each text is read; the shortest time counts.
const PASSES: usize = 3;

/// Returns the time that a shape takes, and whether the text loads.
fn measure(shape: Shape) -> (Duration, bool) {
    let text = shape.text(SIZE);
    let mut loads = false;
    let mut pass = || match shape.reader {
        Reader::Compiler => {
            let source = Source::new("shape", &text);
            let mut compiler = Compiler::new();
            clock::time(|| loads = compiler.compile(&source, &Options::default()).is_ok())
        }
        Reader::Script => clock::time(|| loads = Script::parse(text.as_bytes()).is_ok()),
    };
    let best = (0..PASSES).map(|_| pass()).min();
    (best.unwrap_or_default(), loads)
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    let mut table =
        String::from("### One megabyte of each shape\n\n| shape | loads | ms |\n|---|---|--:|\n");
    let mut slow = Vec::new();
    for shape in shapes::all().filter(|shape| wanted(shape.name)) {
        let (time, loads) = measure(shape);
        let loads = if loads { "yes" } else { "no" };
        let ms = time.as_secs_f64() * 1e3;
        println!("{:<40} {loads:<3} {ms:>8.1} ms", shape.name);
        writeln!(table, "| {} | {loads} | {ms:.1} |", shape.name)?;
        if time > MARK {
            slow.push(shape.name);
        }
    }
    let mark = MARK.as_millis();
    let verdict = if slow.is_empty() {
        format!("None takes longer than the mark of {mark} ms.")
    } else {
        format!("Longer than the mark of {mark} ms: {}.", slow.join(", "))
    };
    println!("\n{verdict}");
    writeln!(table, "\n{verdict}")?;
    if let Some(out) = std::env::var_os("GLASM_BENCH_OUT") {
        std::fs::write(PathBuf::from(out).join("shapes.md"), table)?;
    }
    Ok(())
}
