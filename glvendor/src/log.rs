//! Messages on the standard error stream: a line for each failure, more with `GLASM_LOG=info`, none
//! with `GLASM_LOG=off`.

use std::fmt::Display;
use std::sync::LazyLock;

/// Amount of messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    Off,
    Error,
    Info,
}

static LEVEL: LazyLock<Level> = LazyLock::new(|| match std::env::var("GLASM_LOG").as_deref() {
    Ok("off") => Level::Off,
    Ok("info" | "debug") => Level::Info,
    _ => Level::Error,
});

fn say(level: Level, message: impl Display) {
    if *LEVEL >= level {
        use std::io::Write;
        // Write errors are ignored: the stream may be closed.
        let _ = writeln!(std::io::stderr(), "glasm: {message}");
    }
}

/// Reports an error.
pub(crate) fn error(message: impl Display) {
    say(Level::Error, message);
}

/// Reports a loaded or combined program.
pub(crate) fn info(message: impl Display) {
    say(Level::Info, message);
}
