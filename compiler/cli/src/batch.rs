//! Runs the same work on many programs in parallel and prints what they have to say in order.

use crate::console::{Console, Fatal};
use crate::guard::guarded;
use crate::inputs::Input;
use rayon::prelude::*;

/// Stack of the worker threads, as much as main threads usually have.
const STACK_SIZE: usize = 8 << 20;

/// What became of one program.
#[derive(Clone, Default, Debug)]
pub(crate) struct Done {
    /// Messages, ready to print.
    pub(crate) messages: String,
    /// Bytes for standard output.
    pub(crate) output: Vec<u8>,
    /// Whether it failed.
    pub(crate) failed: bool,
}

impl Done {
    /// Failed for this reason.
    pub(crate) fn failed(messages: String) -> Self {
        Self {
            messages,
            output: Vec::new(),
            failed: true,
        }
    }
}

/// Reads and works on all programs. Prints their messages and outputs in the order of `inputs`; returns how many failed.
pub(crate) fn run_batch(
    inputs: &[Input],
    console: Console,
    work: impl Fn(&Input, &[u8]) -> Done + Sync,
) -> Result<usize, Fatal> {
    let threads = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK_SIZE)
        .build()
        .map_err(|error| Fatal(format!("threads cannot be started: {error}")))?;
    let bar = console.progress(inputs.len());
    let one = |input: &Input| {
        let done = guarded(|| match input.read() {
            Ok(text) => work(input, &text),
            Err(error) => {
                Done::failed(console.format_error(Some(&input.name()), &error.to_string()))
            }
        });
        bar.inc(1);
        done.unwrap_or_else(|panic| {
            let message = format!("glasm failed on this program, please report it: {panic}");
            Done::failed(console.format_error(Some(&input.name()), &message))
        })
    };
    let all: Vec<Done> = threads.install(|| inputs.par_iter().map(one).collect());
    bar.finish_and_clear();
    for done in &all {
        console.err(&done.messages);
        if !done.output.is_empty() {
            console.out(&done.output)?;
        }
    }
    Ok(all.iter().filter(|done| done.failed).count())
}
