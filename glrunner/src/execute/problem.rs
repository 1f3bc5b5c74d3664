//! Why commands do not succeed.

use crate::error::Error;
use glasm_scripts::runner;

/// Why a command did not succeed.
pub(crate) type Problem = runner::Problem<Error>;

/// What most commands give.
pub(super) type Done = Result<(), Problem>;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let lacks = matches!(error, Error::MissingCommand(_) | Error::MissingExtension(_));
        match lacks {
            true => Self::Lacking(error.to_string()),
            false => Self::System(error),
        }
    }
}

/// What extensions of NV have that no driver of today with these programs offers.
pub(super) fn unused(what: &str) -> Problem {
    Problem::Lacking(format!("{what} are not set through OpenGL"))
}
