//! The progress bar of `glasm run`, and messages that do not break it.

use crate::console::{Console, Fatal};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// A progress bar on a terminal: how many scripts are done, how many failed, how long it will take, and which script runs.
#[derive(Clone)]
pub(crate) struct Progress {
    bar: ProgressBar,
    console: Option<Console>,
}

impl Progress {
    /// A bar for this many runs of scripts: visible only for users, on a terminal, and for more
    /// than one run.
    pub(crate) fn new(console: Console, runs: usize) -> Self {
        let bar = console.progress(runs);
        let template = "{bar:30} {pos}/{len}{prefix}, {eta} left  {wide_msg}";
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(250));
        }
        Self {
            bar,
            console: Some(console),
        }
    }

    /// No bar, and no one who listens.
    #[cfg(test)]
    pub(crate) fn hidden() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            console: None,
        }
    }

    /// A script begins.
    pub(crate) fn begin(&self, script: &str) {
        self.bar.set_message(script.to_owned());
    }

    /// A script is done; `failed` have failed by now.
    pub(crate) fn done(&self, failed: usize) {
        self.bar.inc(1);
        if failed > 0 {
            self.bar.set_prefix(format!(", {failed} failed"));
        }
    }

    /// Prints to standard error.
    pub(crate) fn err(&self, text: &str) {
        if let Some(console) = self.console {
            self.bar.suspend(|| console.err(text));
        }
    }

    /// Prints to standard output.
    pub(crate) fn out(&self, text: &str) -> Result<(), Fatal> {
        match self.console {
            Some(console) => self.bar.suspend(|| console.out(text)),
            None => Ok(()),
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
