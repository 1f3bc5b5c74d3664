//! Progress of runs of scripts.

use crate::console::{Console, Fatal};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Progress bar on a terminal: the numbers of scripts that are done and that failed, the
/// remaining time, and the current script.
#[derive(Clone)]
pub(crate) struct Progress {
    bar: ProgressBar,
    console: Option<Console>,
}

impl Progress {
    /// Creates a bar for this many runs of scripts: visible only on terminals, for human-readable
    /// messages, and for more than one run. It is redrawn regularly.
    pub(crate) fn new(console: Console, runs: usize) -> Self {
        let bar = console.create_progress_bar(runs);
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

    /// Creates progress without a bar.
    #[cfg(test)]
    pub(crate) fn new_hidden() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            console: None,
        }
    }

    /// Shows that a script begins.
    pub(crate) fn begin_script(&self, script: &str) {
        self.bar.set_message(script.to_owned());
    }

    /// Advances the bar by one script; `failed` is the number of failures until now.
    pub(crate) fn finish_script(&self, failed: usize) {
        self.bar.inc(1);
        if failed > 0 {
            self.bar.set_prefix(format!(", {failed} failed"));
        }
    }

    /// Prints to standard error without breaking the bar; nothing for hidden progress.
    pub(crate) fn write_err(&self, text: &str) {
        if let Some(console) = self.console {
            self.bar.suspend(|| console.write_err(text));
        }
    }

    /// Prints to standard output without breaking the bar; nothing for hidden progress.
    pub(crate) fn write_out(&self, text: &str) -> Result<(), Fatal> {
        match self.console {
            Some(console) => self.bar.suspend(|| console.write_out(text)),
            None => Ok(()),
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
