//! Runs the same work on many programs in parallel and prints their messages in order. A panic
//! becomes the message of its program, and the work on the others continues.

use crate::console::{Console, Fatal};
use crate::inputs::Input;
use glasm_scripts::results::Failure;
use glasm_scripts::script::ScriptError;
use rayon::prelude::*;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// Stack of the worker threads, as much as main threads usually have.
pub(crate) const STACK_SIZE: usize = 8 << 20;

/// Result of one input.
#[derive(Clone, Default, Debug)]
pub(crate) struct InputResult {
    /// Messages, ready to print.
    pub(crate) messages: String,
    /// Bytes for standard output.
    pub(crate) output: Vec<u8>,
    /// True if it failed.
    pub(crate) failed: bool,
    /// Number of its programs.
    pub(crate) programs: usize,
    /// Number of scripts that have the errors that they expect.
    pub(crate) scripts_with_expected_errors: usize,
}

/// Results of all inputs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct BatchTotals {
    /// Inputs that failed.
    pub(crate) failed: usize,
    /// Programs in all inputs.
    pub(crate) programs: usize,
    /// Scripts that have the errors that they expect.
    pub(crate) scripts_with_expected_errors: usize,
}

impl InputResult {
    /// Returns the result of an input that failed with these messages.
    pub(crate) fn from_failure(messages: String) -> Self {
        Self {
            messages,
            failed: true,
            ..Self::default()
        }
    }

    /// Returns the failed result of a script that cannot be parsed, with a message for each error,
    /// ready to print.
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

/// Reads all inputs and calls `work` for each on several threads, with a progress bar. Afterwards
/// prints their messages to standard error and their outputs to standard output, in the order of
/// `inputs`, and returns the sums of the results. Inputs that cannot be read, and panics, are
/// failed results.
pub(crate) fn run_batch(
    inputs: &[Input],
    console: Console,
    work: impl Fn(&Input, &[u8]) -> InputResult + Sync,
) -> Result<BatchTotals, Fatal> {
    let threads = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK_SIZE)
        .build()
        .map_err(|error| Fatal(format!("threads cannot be started: {error}")))?;
    let bar = console.create_progress_bar(inputs.len());
    let process_input = |input: &Input| {
        let done = catch_panic(|| match input.read() {
            Ok(text) => work(input, &text),
            Err(error) => InputResult::from_failure(
                console.format_error(Some(&input.name()), &error.to_string()),
            ),
        });
        bar.inc(1);
        done.unwrap_or_else(|panic| {
            let message =
                format!("internal error of glasm on this program, please report it: {panic}");
            InputResult::from_failure(console.format_error(Some(&input.name()), &message))
        })
    };
    let all: Vec<InputResult> = threads.install(|| inputs.par_iter().map(process_input).collect());
    bar.finish_and_clear();
    for done in &all {
        console.write_err(&done.messages);
        if !done.output.is_empty() {
            console.write_out(&done.output)?;
        }
    }
    let sum = |count: fn(&InputResult) -> usize| all.iter().map(count).sum();
    Ok(BatchTotals {
        failed: sum(|done| usize::from(done.failed)),
        programs: sum(|done| done.programs),
        scripts_with_expected_errors: sum(|done| done.scripts_with_expected_errors),
    })
}

thread_local! {
    /// `None` outside of [`catch_panic`], else the message of the last panic.
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `work`; if it panics, returns the message and the source location of the panic instead of
/// printing them. The first call installs a panic hook, which forwards the panics of other code to
/// the previous hook.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |info| {
            // The hook applies to the whole process: panics of other threads and other code are
            // printed by the previous hook.
            let kept = LAST_PANIC.with_borrow_mut(|last| match last {
                Some(last) => {
                    *last = info.to_string().replace('\n', " ");
                    true
                }
                None => false,
            });
            if !kept {
                print(info);
            }
        }));
    });
    // Guarded work may guard parts of itself.
    let outer = LAST_PANIC.replace(Some(String::new()));
    let result = catch_unwind(AssertUnwindSafe(work));
    let message = LAST_PANIC.replace(outer).unwrap_or_default();
    result.map_err(|_| message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_messages() {
        assert_eq!(catch_panic(|| 3), Ok(3));
        let message = catch_panic(|| -> u8 { panic!("out of cheese") }).unwrap_err();
        assert!(
            message.contains("out of cheese") && message.contains("batch.rs"),
            "{message}"
        );
    }

    #[test]
    fn guards_nest() {
        let outer = catch_panic(|| {
            assert!(catch_panic(|| panic!("inner")).is_err());
            panic!("outer")
        });
        let message: Result<(), String> = outer;
        assert!(message.unwrap_err().contains("outer"));
    }
}
