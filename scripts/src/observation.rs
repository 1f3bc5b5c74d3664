//! What programs leave to be seen, recorded so that two runs of a script can be compared.

use crate::format::Format;
use glasm::ir::Stage;

/// What was seen at one place of a script: the bytes of a picture or of a buffer, and how to read them.
#[derive(Clone, PartialEq, Debug)]
pub struct Observation {
    /// Line of the probe that looked; `None` for what was left at the end of the script.
    pub line: Option<u32>,
    /// What was looked at, as messages call it: `attachment 0`, ``buffer `out` ``.
    pub subject: String,
    /// How the bytes are to be read.
    pub layout: ObservedLayout,
    /// The bytes, tightly packed, row 0 of pictures first.
    pub bytes: Vec<u8>,
}

/// How the bytes of an [`Observation`] are to be read.
#[derive(Clone, PartialEq, Debug)]
pub enum ObservedLayout {
    /// Texels of a picture so many texels wide.
    Texels {
        /// The format of a texel.
        format: Format,
        /// Texels of a row.
        width: u32,
        /// X and y of the first texel in the whole picture.
        origin: [u32; 2],
    },
    /// 32-bit words of which nobody says whether they are integers or floats.
    Words,
    /// A count, 64 bits.
    Count,
}

/// Whether a program was accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The stage that the program is for.
    pub stage: Stage,
    /// Number of the program among those that the script has for the stage, 0 for the one it starts with.
    pub number: usize,
    /// `None` if it was accepted.
    pub rejected: Option<Rejection>,
}

/// Why a program was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection {
    /// Byte of the program string where the error is, as `GL_PROGRAM_ERROR_POSITION_ARB` gives it.
    pub position: Option<usize>,
    /// The message.
    pub message: String,
}
