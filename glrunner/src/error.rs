//! Errors of the runner itself, and reasons why commands of a script fail.

use glasm_scripts::runner;

/// Errors of the runner.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The machine lacks the library that opens devices.
    #[error("the {name} library cannot be loaded: {reason}")]
    Library {
        /// Interface of the library: EGL or WGL.
        name: &'static str,
        /// Message of the system.
        reason: String,
    },
    /// A call of EGL or WGL failed.
    #[error("{call} failed: {reason}")]
    WindowSystem {
        /// Call.
        call: &'static str,
        /// Message of EGL or Windows.
        reason: String,
    },
    /// A device cannot be used without a window.
    #[error("the driver lacks {0}")]
    MissingExtension(&'static str),
    /// No device matches the selection.
    #[error("no OpenGL device {wanted}; there {available}")]
    NoDevice {
        /// Choice.
        wanted: String,
        /// Names of the available devices.
        available: String,
    },
    /// A device supports no context of OpenGL 2.1 or later with the compatibility profile.
    #[error("no OpenGL context with the compatibility profile: {0}")]
    NoContext(String),
    /// This thread has a context already.
    #[error("another OpenGL context is in use on this thread")]
    ContextInUse,
    /// The driver lacks a command.
    #[error("the driver lacks the command {0}")]
    MissingCommand(&'static str),
    /// OpenGL reported errors.
    #[error("{what}: {}", messages.join("; "))]
    Gl {
        /// Operation that failed.
        what: &'static str,
        /// Names of errors and messages of the driver.
        messages: Vec<String>,
    },
    /// A length or size differs from the one that OpenGL would read or write.
    #[error("{what}: {length} bytes instead of {needed}")]
    Length {
        /// Operation that failed.
        what: &'static str,
        /// Available number of bytes.
        length: usize,
        /// Number of bytes that OpenGL would access.
        needed: usize,
    },
    /// Client format that the runner does not support.
    #[error("no texel size is known for format {format:#06x} with type {ty:#06x}")]
    UnknownFormat {
        /// GL format.
        format: u32,
        /// GL type.
        ty: u32,
    },
    /// The driver cannot render to the attachments.
    #[error("the framebuffer is not complete: {0}")]
    Incomplete(String),
    /// A framebuffer lacks the attachment that was to be read.
    #[error("the framebuffer has no such {0} attachment")]
    NoAttachment(&'static str),
    /// A shader of the runner's own does not compile.
    #[error("a shader that reads samples does not compile: {0}")]
    NoShader(String),
}

/// Reason why a command did not succeed.
pub(crate) type Problem = runner::CommandError<Error>;

/// Result of most commands.
pub(crate) type CommandResult = Result<(), Problem>;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let lacks = matches!(error, Error::MissingCommand(_) | Error::MissingExtension(_));
        if lacks {
            Self::Unsupported(error.to_string())
        } else {
            Self::System(error)
        }
    }
}

/// Returns the problem that skips a script which needs parts of NV extensions that no current
/// driver with these programs supports; `what` names them.
pub(crate) fn skip_unsupported_nv(what: &str) -> Problem {
    Problem::Unsupported(format!("{what} are not set through OpenGL"))
}
