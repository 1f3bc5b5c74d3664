//! What is known of a program when its header was read: where every reader of it begins.

use crate::report::Reports;
use crate::source::{Dialect, ProgramType, TgsiOptions};

/// A program whose header was read.
pub(crate) struct Start<'s> {
    pub(crate) dialect: Dialect,
    /// The text up to the end of the program. Positions in it are those of the whole text.
    pub(crate) text: &'s [u8],
    /// The byte behind the header.
    pub(crate) body: usize,
    /// The program type that the caller asked for.
    pub(crate) wanted: Option<ProgramType>,
    pub(crate) reports: Reports,
    /// What a TGSI text leaves open.
    pub(crate) tgsi: TgsiOptions,
}
