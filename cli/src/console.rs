//! Output of the commands: messages to standard error, results to standard output, and, on
//! terminals, the progress bar of `glasm run` with messages that do not break it.

use crate::args::{Color, ConsoleArgs, MessageFormat};
use glasm::{Diagnostics, Source};
use glasm_scripts::results::Failure;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// Result of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// All is well.
    Success,
    /// A program or script failed.
    Failed,
}

impl Status {
    /// Returns `Failed` if there are failures, else `Success`.
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

/// Why a command could not do its work at all: wrong usage, no device, an output that cannot be
/// written. Exit status 2.
#[derive(Debug)]
pub(crate) struct Fatal(pub(crate) String);

impl Fatal {
    /// Returns the error of a failed operation on `what`, a file or stream.
    pub(crate) fn from_io(what: impl std::fmt::Display, error: &io::Error) -> Self {
        Self(format!("{what}: {error}"))
    }
}

/// Makes the console of Windows interpret colors, for this process. Returns false if it cannot:
/// consoles before Windows 10 print the codes.
#[cfg(windows)]
fn enable_colors() -> bool {
    anstyle_query::windows::enable_ansi_colors() == Some(true)
}

/// Returns true: terminals of other systems interpret colors.
#[cfg(not(windows))]
fn enable_colors() -> bool {
    true
}

/// Replaces control characters, which a terminal interprets, with U+FFFD; line ends and tabs
/// remain.
pub(crate) fn replace_control_characters(text: &str) -> String {
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
    /// Creates the console of the command line. `auto` enables colors if standard error is a
    /// terminal that supports them and `NO_COLOR` is unset or empty.
    pub(crate) fn new(args: ConsoleArgs) -> Self {
        let styled = match args.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                // https://no-color.org: set and not empty, regardless of the value.
                let is_disabled =
                    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
                io::stderr().is_terminal() && !is_disabled && !is_dumb && enable_colors()
            }
        };
        Self {
            format: args.message_format,
            styled,
        }
    }

    /// Returns true if messages are JSON objects, for tools.
    pub(crate) fn is_json(self) -> bool {
        self.format == MessageFormat::Json
    }

    /// Returns true if output to standard error may have colors.
    #[cfg(feature = "run")]
    pub(crate) fn is_styled(self) -> bool {
        self.styled
    }

    /// Formats the messages about one program, ready to print: as JSON, one object on each line, or
    /// for users with lines of the source, in color if the console is styled.
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

    /// Formats a failure of the script `name`, ready to print, with line and column if it has them.
    pub(crate) fn format_failure(self, name: &str, failure: &Failure) -> String {
        let number = |number: Option<u32>| number.map_or(String::new(), |it| format!(":{it}"));
        let position =
            number(failure.line) + &number(failure.column.filter(|_| failure.line.is_some()));
        match self.format {
            MessageFormat::Json => Self::format_json_record("error", Some(name), failure),
            MessageFormat::Human => {
                self.format_error(Some(&format!("{name}{position}")), &failure.message)
            }
        }
    }

    /// Formats a warning without position and code, ready to print.
    pub(crate) fn format_warning(self, message: &str) -> String {
        match self.format {
            MessageFormat::Json => {
                let failure = Failure::new(None, message);
                Self::format_json_record("warning", None, &failure)
            }
            MessageFormat::Human if self.styled => {
                format!("\x1b[1;33mwarning\x1b[0m: {message}\n")
            }
            MessageFormat::Human => format!("warning: {message}\n"),
        }
    }

    /// Formats a message without code as a JSON object with the fields of a diagnostic, and a line
    /// end.
    fn format_json_record(severity: &str, name: Option<&str>, failure: &Failure) -> String {
        let record = serde_json::json!({
            "code": null, "severity": severity, "message": failure.message, "name": name,
            "start": null, "end": null, "line": failure.line, "column": failure.column, "notes": [],
        });
        format!("{record}\n")
    }

    /// Formats a message without position and code, ready to print. In JSON it has the fields of a
    /// diagnostic.
    pub(crate) fn format_error(self, name: Option<&str>, message: &str) -> String {
        if self.is_json() {
            return Self::format_json_record("error", name, &Failure::new(None, message));
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

    /// Prints to standard error; failures are ignored, because they cannot be reported.
    pub(crate) fn write_err(self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    /// Prints to standard output and flushes it. A closed pipe is not an error.
    pub(crate) fn write_out(self, bytes: impl AsRef<[u8]>) -> Result<(), Fatal> {
        let mut stdout = io::stdout().lock();
        match stdout
            .write_all(bytes.as_ref())
            .and_then(|()| stdout.flush())
        {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Fatal::from_io("standard output", &error))
            }
            _ => Ok(()),
        }
    }

    /// Returns a progress bar for this many steps: visible only on terminals, for human-readable
    /// messages, and for more than one step.
    pub(crate) fn create_progress_bar(self, steps: usize) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
        if steps < 2 || self.is_json() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.with_style(style)
    }
}

/// Formats a count and its noun: `1 file`, `2 files`.
pub(crate) fn format_count(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
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
