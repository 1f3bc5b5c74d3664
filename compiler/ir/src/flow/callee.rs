//! Calls before labels are settled: routines whose numbers stand for labels.

use super::rules::LabelId;
use crate::arena::Id;
use crate::program::{Node, RoutineId};
use crate::span::Span;

/// From this number on routines stand for labels, until all labels are settled.
const FIRST_LABEL: usize = 1 << 31;
/// The routine that stands for the end of the program.
const END_LABEL: usize = u32::MAX as usize - 1;

/// A call of a label.
pub(super) fn call(label: LabelId, span: Span) -> Node {
    let number = (FIRST_LABEL + label.index()).min(END_LABEL - 1);
    Node::Call(RoutineId::new(number), span)
}

/// Ends the program.
pub(super) fn end() -> Node {
    Node::Call(RoutineId::new(END_LABEL), Span::default())
}

/// What a call calls before labels are settled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Callee {
    Routine,
    Label(LabelId),
    End,
}

impl Callee {
    pub(super) fn of(routine: RoutineId) -> Self {
        match routine.index() {
            END_LABEL => Self::End,
            number if number >= FIRST_LABEL => Self::Label(LabelId::new(number - FIRST_LABEL)),
            _ => Self::Routine,
        }
    }
}
