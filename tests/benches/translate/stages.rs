//! What each stage of a translation takes. A stage consumes what the one before it made, so each figure is the difference of two
//! runs: up to the end of the stage, and up to its beginning.

use super::measure::Budget;
use glasm::frontend::stages::{Reports, check, lex, lower, parse, start};
use glasm::{Compiler, Options, Source};
use std::hint::black_box;

/// Names of the stages, in order.
const NAMES: [&str; 5] = ["lex", "parse", "check", "lower", "emit"];

/// Nanoseconds of each stage. The program must compile.
pub(crate) fn measure(
    source: &Source<'_>,
    options: &Options,
    budget: Budget,
) -> Result<Vec<(&'static str, f64)>, String> {
    let (dialect, body) = start(source).map_err(|errors| errors.render(source))?;
    let lexed = || lex(source.text, body);
    let parsed = || parse(dialect, source.text, lexed(), Reports::new());
    let checked = || {
        let (ast, reports) = parsed();
        check(ast, reports)
    };
    let mut compiler = Compiler::new();
    let ends = budget.time_together([
        &mut || drop(black_box(lexed())),
        &mut || drop(black_box(parsed())),
        &mut || drop(black_box(checked())),
        &mut || {
            let (checked, reports) = checked();
            drop(black_box((checked.as_ref().map(lower), reports)));
        },
        &mut || drop(black_box(compiler.compile(source, options))),
    ]);
    let starts = [0.0, ends[0], ends[1], ends[2], ends[3]];
    // A stage that costs less than the noise must not come out negative.
    let times = ends
        .iter()
        .zip(starts)
        .map(|(end, start)| (end - start).max(0.0));
    Ok(NAMES.into_iter().zip(times).collect())
}
