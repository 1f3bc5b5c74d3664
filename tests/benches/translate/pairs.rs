//! What a pair of a vertex and a fragment program costs: from text, and again where the programs are loaded.

use super::measure::Budget;
use glasm::{Compiler, Options, Program, Source, Varyings};
use glasm_tests::generator::{RegisterLanguage, Spelling, register_real};
use std::fmt::Write;
use std::hint::black_box;

/// Pairs of programs like real ones, each with the next.
const PAIRS: usize = 20;

/// A pair, and its texts.
struct Pair {
    texts: [String; 2],
    programs: [Program; 2],
}

/// Mean nanoseconds for a pair.
pub(crate) struct Times {
    /// Mean instructions of both.
    operations: f64,
    /// Both texts to modules, each by itself.
    apart: f64,
    /// Both texts loaded and linked.
    linked: f64,
    /// Loaded programs linked.
    pub(crate) again: f64,
    /// Loaded programs emitted, each by itself.
    emitted: f64,
    /// The same with a complete interface.
    complete: f64,
}

fn pair(number: usize) -> Result<(Pair, usize), String> {
    let languages = [RegisterLanguage::TgsiVertex, RegisterLanguage::TgsiFragment];
    let made = languages.map(|language| register_real(language, Spelling::Declared, number));
    let operations = made.iter().map(|it| it.instructions).sum();
    let load = |text: &str| {
        let source = Source::new("generated", text);
        Program::load(&source).map_err(|errors| errors.render(&source))
    };
    let programs = [load(&made[0].text)?, load(&made[1].text)?];
    let texts = made.map(|it| it.text);
    Ok((Pair { texts, programs }, operations))
}

/// Measures everything.
pub(crate) fn measure(budget: Budget) -> Result<Times, String> {
    let pairs = (0..PAIRS).map(pair).collect::<Result<Vec<_>, _>>()?;
    let operations: usize = pairs.iter().map(|it| it.1).sum();
    let options = Options::default();
    let mut complete = Options::default();
    complete.interface.outputs = Varyings::AllLocations(Varyings::GUARANTEED);
    let mut compilers = [(); 5].map(|()| Compiler::new());
    let [apart, linked, again, emitted, completed] = &mut compilers;
    let each = |work: &mut dyn FnMut(&Pair)| pairs.iter().for_each(|it| work(&it.0));
    let times = budget.time_together([
        &mut || {
            each(&mut |pair| {
                for text in &pair.texts {
                    let source = Source::new("generated", text);
                    drop(black_box(apart.compile(&source, &options)));
                }
            });
        },
        &mut || {
            each(&mut |pair| {
                let mut load = |text| linked.load(&Source::new("generated", text));
                let loaded: Vec<_> = pair
                    .texts
                    .iter()
                    .filter_map(|text| load(text).ok())
                    .collect();
                let programs: Vec<_> = loaded.iter().collect();
                drop(black_box(linked.link(&programs, &options)));
            });
        },
        &mut || each(&mut |pair| drop(black_box(again.link(&pair.programs.each_ref(), &options)))),
        &mut || {
            each(&mut |pair| {
                for program in &pair.programs {
                    drop(black_box(emitted.compile_program(program, &options)));
                }
            });
        },
        &mut || {
            each(&mut |pair| {
                let [vertex, fragment] = &pair.programs;
                drop(black_box(completed.compile_program(vertex, &complete)));
                drop(black_box(completed.compile_program(fragment, &options)));
            });
        },
    ]);
    let [apart, linked, again, emitted, complete] = times.map(|time| time / PAIRS as f64);
    Ok(Times {
        operations: operations as f64 / PAIRS as f64,
        apart,
        linked,
        again,
        emitted,
        complete,
    })
}

/// The table.
pub(crate) fn table(text: &mut String, times: &Times) {
    let us = |time: f64| time / 1e3;
    let _ = writeln!(
        text,
        "### A vertex and a fragment program like real ones, microseconds for both\n\n\
         | pairs | mean size | sources compiled alone | sources linked | programs linked again | programs compiled alone | programs with complete interface |\n\
         |--:|--:|--:|--:|--:|--:|--:|\n\
         | {PAIRS} | {:.0} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |\n",
        times.operations,
        us(times.apart),
        us(times.linked),
        us(times.again),
        us(times.emitted),
        us(times.complete),
    );
}
