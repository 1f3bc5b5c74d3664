//! The blocks that a recorder is in.
//!
//! Below the recorder and the builder, because the builder keeps the memory of these lists for the next recorder.

use super::pieces::Kept;
use crate::inst::Cond;
use crate::program::BlockId;
use crate::span::Span;

/// An open block of the text.
#[derive(Debug)]
pub(super) enum Open {
    If {
        cond: Cond,
        span: Span,
        then: Option<BlockId>,
    },
    Loop {
        kept: Vec<Kept>,
        /// Instructions of each round outside of other blocks.
        steps: u32,
        span: Span,
    },
    /// A loop whose body is complete.
    Round {
        kept: Vec<Kept>,
        body: BlockId,
        span: Span,
    },
}

/// Memory for the open blocks of recorders, one after the other.
#[derive(Debug, Default)]
pub(crate) struct OpenBlocks(pub(super) Vec<Open>);
