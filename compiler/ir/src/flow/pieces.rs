//! Pieces of the text as they were recorded.

use super::rules::LabelId;
use crate::inst::{Cond, WriteMask};
use crate::program::{BlockId, NameId, RegisterId};
use crate::span::Span;
use crate::types::Type;

/// Lanes of a register that belong to one run of a loop: a call in the loop may run it anew, so it saves and restores them.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The register.
    pub register: RegisterId,
    /// Its lanes.
    pub lanes: WriteMask,
    /// How they are moved.
    pub ty: Type,
}

/// How a piece ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// Goes on with the next piece, if the language does that.
    Next,
    /// A branch; without a condition it is always taken.
    Branch {
        cond: Option<Cond>,
        to: LabelId,
        span: Span,
    },
    Return,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code {
    pub(super) name: Option<NameId>,
    pub(super) block: BlockId,
    pub(super) end: End,
}
