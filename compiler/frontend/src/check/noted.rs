//! What rules note while a program is read, because later statements or the end of the program depend on it.

use crate::lang::declarations::Declaration;
use crate::vars::{IoBinding, Side};
use glasm_ir::{Span, WriteMask};

/// The declarations so far, and what waits for later ones.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    /// Bits of [`Declaration`].
    pub(super) seen: u16,
    /// The vertices that were named before it was known how many there are, each beyond those before.
    pub(super) vertices: [Vec<(u32, Span)>; 2],
    /// The first binding of patches before the input primitive was known.
    pub(super) patch: Option<Span>,
    /// The first EMITS before the output primitive was known.
    pub(super) streams: Option<Span>,
    /// Accesses of shared memory before its size was known.
    pub(super) shared: Vec<SharedAccess>,
}

/// An access of shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedAccess {
    /// The byte that it ends before, 0 if that is known at run time only.
    pub(super) end: u64,
    pub(super) span: Span,
}

impl Declarations {
    pub(super) fn has(&self, declaration: Declaration) -> bool {
        self.seen & declaration.bit() != 0
    }

    /// Notes a vertex.
    pub(super) fn late_vertex(&mut self, side: Side, number: u32, span: Span) {
        let list = &mut self.vertices[side as usize];
        // Which number is the first one too many shows only later. Ascending ones suffice: a smaller one can only fail where one before it does,
        // and the list stays as short as the limit of vertices.
        if list.last().is_none_or(|(last, _)| number > *last) {
            list.push((number, span));
        }
    }

    pub(super) fn take_late_vertices(&mut self, side: Side) -> Vec<(u32, Span)> {
        std::mem::take(&mut self.vertices[side as usize])
    }
}

/// A result that vertices take from those that come in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) binding: IoBinding,
    pub(crate) mask: WriteMask,
    pub(super) span: Span,
}

/// What instructions have used of the registers of a program.
#[derive(Debug, Default)]
pub(super) struct RegisterUse {
    /// A bit for each result that an instruction writes.
    pub(super) results: u32,
    /// What the temporaries count that instructions name, where they and results share room.
    pub(super) room: u32,
    /// Whether the program was found to write its color under two precisions.
    pub(super) has_two_colors: bool,
    /// Whether an instruction writes a parameter.
    pub(super) parameters: bool,
}
