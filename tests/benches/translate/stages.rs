//! What each stage of a translation takes. A stage consumes what the one before it made, so each figure is the difference of two
//! runs: up to the end of the stage, and up to its beginning.

use super::measure::Budget;
use glasm::frontend::{Scratch, TranslationStage, run_until};
use glasm::{Compiler, Options, Source};
use std::hint::black_box;

/// Names of the stages, in order.
const NAMES: [&str; 3] = ["check", "lower", "emit"];

/// Nanoseconds of each stage. The program must compile.
pub(crate) fn measure(
    source: &Source<'_>,
    options: &Options,
    budget: Budget,
) -> Result<Vec<(&'static str, f64)>, String> {
    let mut memories = [(); 2].map(|()| Scratch::new());
    run_until(&mut memories[0], source, TranslationStage::Lower)
        .map_err(|errors| errors.render(source))?;
    let [check, lower] = &mut memories;
    let mut compiler = Compiler::new();
    let run = |scratch: &mut Scratch, last| drop(black_box(run_until(scratch, source, last)));
    let ends = budget.time_together([
        &mut || run(check, TranslationStage::Check),
        &mut || run(lower, TranslationStage::Lower),
        &mut || drop(black_box(compiler.compile(source, options))),
    ]);
    let starts = [0.0, ends[0], ends[1]];
    // A stage that costs less than the noise must not come out negative.
    let times = ends
        .iter()
        .zip(starts)
        .map(|(end, start)| (end - start).max(0.0));
    Ok(NAMES.into_iter().zip(times).collect())
}
