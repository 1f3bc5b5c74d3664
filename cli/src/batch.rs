//! Runs the same work on many programs in parallel and prints their messages in order.

use crate::console::{Console, Fatal};
use crate::guard::catch_panic;
use crate::inputs::Input;
use glasm_scripts::outcome::Failure;
use glasm_scripts::script::ScriptError;
use rayon::prelude::*;

/// Stack of the worker threads, as much as main threads usually have.
const STACK_SIZE: usize = 8 << 20;

/// Result of one input.
#[derive(Clone, Default, Debug)]
pub(crate) struct Done {
    /// Messages, ready to print.
    pub(crate) messages: String,
    /// Bytes for standard output.
    pub(crate) output: Vec<u8>,
    /// True if it failed.
    pub(crate) failed: bool,
    /// Number of its programs.
    pub(crate) programs: usize,
    /// Number of scripts that have the errors that they expect.
    pub(crate) expected: usize,
}

/// Results of all inputs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Totals {
    /// Inputs that failed.
    pub(crate) failed: usize,
    /// Programs in all inputs.
    pub(crate) programs: usize,
    /// Scripts that have the errors that they expect.
    pub(crate) expected: usize,
}

impl Done {
    /// Returns the result of an input that failed with these messages.
    pub(crate) fn from_failure(messages: String) -> Self {
        Self {
            messages,
            failed: true,
            ..Self::default()
        }
    }

    /// Returns the result of a script that cannot be read.
    pub(crate) fn from_script_errors(name: &str, errors: &[ScriptError], console: Console) -> Self {
        let failure = |error: &ScriptError| Failure {
            line: Some(error.line),
            column: Some(error.column),
            message: error.message.clone(),
        };
        let messages = errors
            .iter()
            .map(|error| console.format_failure(name, &failure(error)));
        Self::from_failure(messages.collect())
    }
}

/// Reads and works on all inputs. Prints their messages and outputs in the order of `inputs`.
pub(crate) fn run_batch(
    inputs: &[Input],
    console: Console,
    work: impl Fn(&Input, &[u8]) -> Done + Sync,
) -> Result<Totals, Fatal> {
    let threads = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK_SIZE)
        .build()
        .map_err(|error| Fatal(format!("threads cannot be started: {error}")))?;
    let bar = console.create_progress_bar(inputs.len());
    let one = |input: &Input| {
        let done = catch_panic(|| match input.read() {
            Ok(text) => work(input, &text),
            Err(error) => {
                Done::from_failure(console.format_error(Some(&input.name()), &error.to_string()))
            }
        });
        bar.inc(1);
        done.unwrap_or_else(|panic| {
            let message = format!("glasm failed on this program, please report it: {panic}");
            Done::from_failure(console.format_error(Some(&input.name()), &message))
        })
    };
    let all: Vec<Done> = threads.install(|| inputs.par_iter().map(one).collect());
    bar.finish_and_clear();
    for done in &all {
        console.err(&done.messages);
        if !done.output.is_empty() {
            console.write_out(&done.output)?;
        }
    }
    let sum = |count: fn(&Done) -> usize| all.iter().map(count).sum();
    Ok(Totals {
        failed: sum(|done| usize::from(done.failed)),
        programs: sum(|done| done.programs),
        expected: sum(|done| done.expected),
    })
}
