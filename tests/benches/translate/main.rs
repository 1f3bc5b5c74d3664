//! Time from program text to SPIR-V on generated programs, by stage, next to naga on the same shaders in GLSL.
//!
//! `--quick` measures for a shorter time; words such as `straight` or `1000` choose programs. Without such words, instructions retired
//! are counted, too. With `GLASM_BENCH_OUT` set, writes `translate.json`, `retired.json` and `tables.md` into that folder.
#![expect(clippy::print_stdout, reason = "prints its figures")]

mod marks;
mod measure;
mod pairs;
mod peers;
mod retired;
mod stages;
mod tables;

use glasm::{Compiler, Options, Source, compile};
use glasm_tests::generator::{Variant, mix, program};
use measure::Budget;
use std::error::Error;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Duration;

/// Operations of the generated programs.
const SIZES: [usize; 4] = [10, 100, 1000, 10_000];

/// Times that everything is measured. What other programs do to a shared machine lasts for seconds, longer than one measurement;
/// the fastest pass is the one that they disturbed least.
const PASSES: usize = 3;

/// Seed of all programs.
const SEED: u64 = 1;

/// Name of programs with integers, 64-bit types, textures and memory.
pub(crate) const MIX: &str = "mix";

/// A program to measure.
struct Subject {
    name: &'static str,
    /// Size that was asked for.
    size: usize,
    operations: usize,
    assembly: String,
    /// The same in GLSL and in TGSI, as far as naga takes it.
    others: Option<[String; 2]>,
}

/// What is compared with a program: the same one in other spellings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Naga {
    /// GLSL to SPIR-V.
    pub(crate) time: f64,
    /// Bytes of its SPIR-V.
    pub(crate) bytes: usize,
    /// This compiler, TGSI to SPIR-V.
    pub(crate) tgsi: f64,
}

/// Everything measured on one program. Times are in nanoseconds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Row {
    /// Kind of program.
    pub(crate) name: &'static str,
    /// Size that was asked for.
    pub(crate) size: usize,
    /// Operations that the source really has.
    pub(crate) operations: usize,
    /// Bytes of source text.
    pub(crate) source_bytes: usize,
    /// Text to SPIR-V.
    pub(crate) total: f64,
    /// Each stage by name.
    pub(crate) stages: Vec<(&'static str, f64)>,
    /// SPIR-V instructions.
    pub(crate) instructions: usize,
    /// Bytes of SPIR-V.
    pub(crate) module_bytes: usize,
    /// The same with naga.
    pub(crate) naga: Option<Naga>,
}

impl Row {
    /// Takes over the times of another pass that are shorter.
    fn keep_faster(&mut self, other: &Self) {
        self.total = self.total.min(other.total);
        if let Some((naga, other)) = self.naga.as_mut().zip(other.naga) {
            naga.time = naga.time.min(other.time);
            naga.tgsi = naga.tgsi.min(other.tgsi);
        }
        for ((_, time), (_, other)) in self.stages.iter_mut().zip(&other.stages) {
            *time = time.min(*other);
        }
    }

    /// Nanoseconds for each operation of the source.
    pub(crate) fn per_operation(&self, time: f64) -> f64 {
        // Counts of this size are exact as f64.
        time / self.operations as f64
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let quick = words.iter().any(|word| word == retired::QUICK);
    if words.iter().any(|word| word == retired::WORD) {
        retired::run_below_valgrind(quick);
        return Ok(());
    }
    let counts = if words.iter().all(|word| word.starts_with('-')) {
        retired::measure(quick)?
    } else {
        Vec::new()
    };
    let budget = Budget(Duration::from_millis(if quick { 40 } else { 200 }));
    let subjects = subjects(&words);
    let mut rows: Vec<Row> = Vec::new();
    for pass in 0..if quick { 1 } else { PASSES } {
        for (index, subject) in subjects.iter().enumerate() {
            let row = measure(subject, budget)?;
            match rows.get_mut(index) {
                Some(known) => known.keep_faster(&row),
                None => rows.push(row),
            }
            println!("pass {pass}: {}", tables::line(&rows[index]));
        }
    }
    let out = std::env::var_os("GLASM_BENCH_OUT").map(PathBuf::from);
    let heap = out
        .as_ref()
        .and_then(|out| std::fs::read_to_string(out.join("heap.json")).ok());
    let heap = heap
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let pairs = pairs::measure(budget)?;
    let tables = tables::markdown(&rows, &heap, &counts, &pairs);
    println!("\n{tables}");
    if let Some(out) = out {
        std::fs::write(out.join("tables.md"), &tables)?;
        std::fs::write(
            out.join("translate.json"),
            format!("{:#}\n", tables::json(&rows)),
        )?;
        let counts = format!("{:#}\n", retired::json(&counts));
        std::fs::write(out.join("retired.json"), counts)?;
    }
    Ok(())
}

/// The programs that the words on the command line ask for.
fn subjects(words: &[String]) -> Vec<Subject> {
    let shapes = Variant::ALL.into_iter().map(Some).chain([None]);
    let all = shapes.flat_map(|shape| SIZES.map(|size| (shape, size)));
    all.filter(|(shape, size)| {
        wanted(words, shape.map_or(MIX, Variant::name)) && wanted(words, &size.to_string())
    })
    .map(|(shape, size)| match shape {
        Some(variant) => {
            let generated = program(variant, size, SEED);
            Subject {
                name: variant.name(),
                size,
                operations: generated.operations,
                assembly: generated.assembly(),
                others: Some([generated.glsl(), generated.tgsi()]),
            }
        }
        None => {
            let (assembly, operations) = mix(size, SEED);
            Subject {
                name: MIX,
                size,
                operations,
                assembly,
                others: None,
            }
        }
    })
    .collect()
}

/// Whether the words on the command line ask for `name`: if they name others of its kind, they must name it.
fn wanted(words: &[String], name: &str) -> bool {
    let number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut same_kind = words
        .iter()
        .filter(|word| !word.starts_with('-') && number(word) == number(name))
        .peekable();
    same_kind.peek().is_none() || same_kind.any(|word| word == name)
}

fn measure(subject: &Subject, budget: Budget) -> Result<Row, String> {
    let source = Source::new("generated", &subject.assembly);
    let options = Options::default();
    let shader = compile(&source, &options).map_err(|errors| errors.render(&source))?;
    let stages = stages::measure(&source, &options, budget)?;
    let mut compiler = Compiler::new();
    let mut compile = || drop(black_box(compiler.compile(&source, &options)));
    let (total, naga) = match &subject.others {
        None => (budget.time_together([&mut compile])[0], None),
        Some([glsl, tgsi]) => {
            let bytes = peers::naga(glsl)?.len() * 4;
            let tgsi = Source::new("generated", tgsi);
            let mut other = Compiler::new();
            // Together, so that their ratios hold on a busy machine too.
            let [total, tgsi, time] = budget.time_together([
                &mut compile,
                &mut || drop(black_box(other.compile(&tgsi, &options))),
                &mut || drop(black_box(peers::naga(glsl))),
            ]);
            (total, Some(Naga { time, bytes, tgsi }))
        }
    };
    Ok(Row {
        name: subject.name,
        size: subject.size,
        operations: subject.operations,
        source_bytes: subject.assembly.len(),
        total,
        stages,
        instructions: instructions(&shader.words),
        module_bytes: shader.words.len() * 4,
        naga,
    })
}

/// Instructions of a module: after the header of five words, each names its own length.
fn instructions(words: &[u32]) -> usize {
    let mut rest = words.get(5..).unwrap_or_default();
    let mut count = 0;
    while let Some(first) = rest.first() {
        rest = rest
            .get((*first >> 16).max(1) as usize..)
            .unwrap_or_default();
        count += 1;
    }
    count
}
