//! State of a program after its header was read, from which parsing starts.

use crate::report::Reports;
use crate::source::{Dialect, ProgramType, TgsiOptions};

/// A program whose header was read.
pub(crate) struct Start<'s> {
    pub(crate) dialect: Dialect,
    /// The source up to the end of the program. Positions in it are those of the whole source.
    pub(crate) text: &'s [u8],
    /// Offset of the byte after the header.
    pub(crate) body: usize,
    /// The program type that the caller requested.
    pub(crate) wanted: Option<ProgramType>,
    pub(crate) reports: Reports,
    /// Parameters that a TGSI source does not contain.
    pub(crate) tgsi: TgsiOptions,
}
