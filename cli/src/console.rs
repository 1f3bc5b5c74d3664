//! What the commands say: messages to standard error, results to standard output, progress on terminals.

use crate::args::{Color, ConsoleArgs, MessageFormat};
use glasm::{Diagnostics, Source};
use glasm_scripts::outcome::Failure;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// All is well.
    Success,
    /// A program or script failed.
    Failed,
}

impl Status {
    /// `Failed` if anything failed.
    pub(crate) fn from_failures(failures: usize) -> Self {
        if failures == 0 {
            Self::Success
        } else {
            Self::Failed
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::Success => Self::SUCCESS,
            Status::Failed => Self::from(1),
        }
    }
}

/// Why a command could not do its work at all: wrong usage, no device, an output that cannot be written. Exit status 2.
#[derive(Debug)]
pub(crate) struct Fatal(pub(crate) String);

impl Fatal {
    /// A file that cannot be written, or the like.
    pub(crate) fn io(what: impl std::fmt::Display, error: &io::Error) -> Self {
        Self(format!("{what}: {error}"))
    }
}

/// Replaces characters that a terminal obeys instead of showing them with U+FFFD; line ends and tabs stay.
pub(crate) fn printable(text: &str) -> String {
    let shown = |character: char| match character {
        '\n' | '\t' => character,
        _ if character.is_control() => char::REPLACEMENT_CHARACTER,
        _ => character,
    };
    text.chars().map(shown).collect()
}

/// Form and destination of messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    format: MessageFormat,
    styled: bool,
}

impl Console {
    /// Decides about colors.
    pub(crate) fn new(args: ConsoleArgs) -> Self {
        let styled = match args.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                // https://no-color.org: set and not empty, whatever the value.
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
                io::stderr().is_terminal() && !refused && !dumb
            }
        };
        Self {
            format: args.message_format,
            styled,
        }
    }

    /// Returns whether messages are for tools.
    pub(crate) fn is_json(self) -> bool {
        self.format == MessageFormat::Json
    }

    /// Returns whether text on standard error may have colors.
    #[cfg(feature = "run")]
    pub(crate) fn is_styled(self) -> bool {
        self.styled
    }

    /// Returns the messages about one program, ready to print.
    pub(crate) fn format_diagnostics(
        self,
        diagnostics: &Diagnostics,
        source: &Source<'_>,
    ) -> String {
        match self.format {
            MessageFormat::Json => diagnostics
                .to_json_lines(source)
                .iter()
                .map(|line| format!("{line}\n"))
                .collect(),
            MessageFormat::Human if self.styled => diagnostics.render_styled(source),
            MessageFormat::Human => diagnostics.render(source),
        }
    }

    /// Returns a failure of a script, ready to print.
    pub(crate) fn format_failure(self, name: &str, failure: &Failure) -> String {
        let number = |number: Option<u32>| number.map_or(String::new(), |it| format!(":{it}"));
        let place =
            number(failure.line) + &number(failure.column.filter(|_| failure.line.is_some()));
        match self.format {
            MessageFormat::Json => Self::record("error", Some(name), failure),
            MessageFormat::Human => {
                self.format_error(Some(&format!("{name}{place}")), &failure.message)
            }
        }
    }

    /// Returns a warning without position and code, ready to print.
    #[cfg(feature = "run")]
    pub(crate) fn format_warning(self, message: &str) -> String {
        match self.format {
            MessageFormat::Json => {
                let failure = Failure::new(None, message);
                Self::record("warning", None, &failure)
            }
            MessageFormat::Human if self.styled => {
                format!("\x1b[1;33mwarning\x1b[0m: {message}\n")
            }
            MessageFormat::Human => format!("warning: {message}\n"),
        }
    }

    /// Returns a message without code in the fields of a diagnostic.
    fn record(severity: &str, name: Option<&str>, failure: &Failure) -> String {
        let record = serde_json::json!({
            "code": null, "severity": severity, "message": failure.message, "name": name,
            "start": null, "end": null, "line": failure.line, "column": failure.column, "notes": [],
        });
        format!("{record}\n")
    }

    /// Returns a message without position and code, ready to print. In JSON it has the fields of a
    /// diagnostic.
    pub(crate) fn format_error(self, name: Option<&str>, message: &str) -> String {
        if self.is_json() {
            return Self::record("error", name, &Failure::new(None, message));
        }
        let message = message.trim_end();
        let (red, reset) = if self.styled {
            ("\x1b[1;91m", "\x1b[0m")
        } else {
            ("", "")
        };
        match name {
            Some(name) => format!("{red}error{reset}: {name}: {message}\n"),
            None => format!("{red}error{reset}: {message}\n"),
        }
    }

    /// Prints to standard error. There is no one to tell if that fails.
    pub(crate) fn err(self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    /// Prints to standard output. A reader who has gone away is not an error.
    pub(crate) fn out(self, bytes: impl AsRef<[u8]>) -> Result<(), Fatal> {
        let mut stdout = io::stdout().lock();
        match stdout
            .write_all(bytes.as_ref())
            .and_then(|()| stdout.flush())
        {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Fatal::io("standard output", &error))
            }
            _ => Ok(()),
        }
    }

    /// Returns a progress bar for this many steps: visible only for users, on a terminal, and for
    /// more than one step.
    pub(crate) fn progress(self, steps: usize) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
        if steps < 2 || self.is_json() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.with_style(style)
    }
}

/// `1 file`, `2 files`.
pub(crate) fn plural(count: usize, word: &str) -> String {
    if count == 1 {
        format!("1 {word}")
    } else {
        format!("{count} {word}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn console(format: MessageFormat, color: Color) -> Console {
        Console::new(ConsoleArgs {
            message_format: format,
            color,
        })
    }

    #[test]
    fn errors_without_place_have_both_forms() {
        let human = console(MessageFormat::Human, Color::Never);
        assert_eq!(
            human.format_error(Some("a.vp"), "gone\n"),
            "error: a.vp: gone\n"
        );
        assert!(
            console(MessageFormat::Human, Color::Always)
                .format_error(None, "x")
                .starts_with("\x1b[")
        );
        let failure = Failure {
            line: Some(3),
            column: Some(4),
            message: "bad".into(),
        };
        assert_eq!(human.format_failure("a", &failure), "error: a:3:4: bad\n");
        assert_eq!(
            human.format_failure("a", &Failure::new(None, "bad")),
            "error: a: bad\n"
        );
        let json = console(MessageFormat::Json, Color::Never).format_failure("a", &failure);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json["line"], &json["column"]), (&3.into(), &4.into()));
        let json: serde_json::Value = serde_json::from_str(
            &console(MessageFormat::Json, Color::Always).format_error(None, "a \"b\""),
        )
        .unwrap();
        assert_eq!(json["message"], "a \"b\"");
        assert_eq!(json["severity"], "error");
    }
}
