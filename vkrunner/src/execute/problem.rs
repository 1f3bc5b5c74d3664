//! Why commands do not succeed.

use crate::error::Error;
use glasm_scripts::runner;

/// Why a command did not succeed.
pub(crate) type Problem = runner::Problem<Error>;

/// What most commands give.
pub(super) type Done = Result<(), Problem>;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::System(error)
    }
}
