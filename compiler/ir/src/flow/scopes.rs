//! Open structured blocks of a tree that is being built.

use crate::inst::{Cond, WriteMask};
use crate::program::{BlockId, RegisterId};
use crate::span::Span;
use crate::types::Type;

/// Lanes of a register that belong to one run of a loop: a call in the loop may run it again, so it saves and restores them.
#[derive(Clone, Copy, Debug)]
pub struct SavedLanes {
    /// The register.
    pub register: RegisterId,
    /// Its lanes.
    pub lanes: WriteMask,
    /// How they are moved.
    pub ty: Type,
}

/// An open structured block.
#[derive(Debug)]
pub(super) enum Scope {
    If {
        cond: Cond,
        span: Span,
        then: Option<BlockId>,
    },
    Loop {
        saved: Vec<SavedLanes>,
        /// Instructions of each iteration outside of other blocks.
        steps: u32,
        span: Span,
    },
    /// A loop whose body is complete.
    LoopEnd {
        saved: Vec<SavedLanes>,
        body: BlockId,
        span: Span,
    },
}

/// Memory for the open blocks of one tree builder after the other.
#[derive(Debug, Default)]
pub(crate) struct Scopes(pub(super) Vec<Scope>);
