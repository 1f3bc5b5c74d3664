//! Where control is while a text is read: open blocks, subroutines, and the arrays that are filled where the program begins.

use crate::memory::{take, take_map};
use glasm_ir::{BlockId, Cond, RegisterId, RoutineId, Span};
use rustc_hash::FxHashMap;

/// What is open.
#[derive(Clone, Debug)]
pub(super) enum OpenConstruct {
    If {
        cond: Cond,
        then: Option<BlockId>,
        then_ends: bool,
        has_else: bool,
    },
    Loop {
        has_break: bool,
    },
    Switch {
        selector: RegisterId,
        sections: Vec<Section>,
        /// The labels of the section that is open.
        current: Option<(Vec<u32>, bool)>,
        has_default: bool,
    },
}

impl OpenConstruct {
    /// The opcode that opens it.
    pub(super) const fn opcode(&self) -> &'static str {
        match self {
            Self::If { .. } => "IF",
            Self::Loop { .. } => "BGNLOOP",
            Self::Switch { .. } => "SWITCH",
        }
    }
}

/// A block that is open.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) open: OpenConstruct,
    /// Values kept when it began.
    pub(super) kept: usize,
    /// Whether nothing leads to it, so that nothing is made of it.
    pub(super) is_dead: bool,
    pub(super) span: Span,
}

/// Where control is.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    pub(super) levels: Vec<Level>,
    /// Whether nothing leads here.
    pub(super) dead: bool,
    /// Instructions so far.
    pub(super) count: u32,
    /// Blocks that are open beyond the deepest ones, of which nothing is made.
    pub(super) beyond: u32,
    /// Where END stands.
    pub(super) ended: Option<Span>,
    /// Whether the text begins with a subroutine, so that `END` may come later, or not at all.
    pub(super) is_entered: bool,
    /// The subroutine that is open: its numbers, and where it begins.
    pub(super) subroutine: Option<([u32; 2], Span)>,
    pub(super) subroutines: Vec<Subroutine>,
    /// Routines by the label that CAL names, with where it stands.
    pub(super) called: FxHashMap<u32, (RoutineId, Span)>,
    pub(super) calls: Vec<Call>,
}

impl Nesting {
    /// Where control begins, with the memory that another program used.
    pub(super) fn emptied(mut self) -> Self {
        Self {
            levels: take(&mut self.levels),
            dead: false,
            count: 0,
            beyond: 0,
            ended: None,
            is_entered: false,
            subroutine: None,
            subroutines: take(&mut self.subroutines),
            called: take_map(&mut self.called),
            calls: take(&mut self.calls),
        }
    }

    /// Whether nothing leads here.
    pub(super) fn is_dead(&self) -> bool {
        self.dead
    }
}

/// What fills an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rows {
    Immediates,
    /// `IMMX` of the text of 2010.
    Old,
    SamplePlaces,
}

/// An array that is filled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filled {
    pub(super) rows: Rows,
    pub(super) array: RegisterId,
    pub(super) len: u32,
}

/// A subroutine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subroutine {
    /// Its number among all instructions, and the printed one.
    pub(super) numbers: [u32; 2],
    pub(super) body: BlockId,
    /// The routine of the program that it is, from main (0) on.
    pub(super) index: usize,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// The routine that it stands in, from main (0) on.
    pub(super) caller: usize,
    pub(super) label: u32,
    pub(super) span: Span,
}

/// A part of a switch, between two labels.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// The values that lead here.
    pub(super) values: Vec<u32>,
    pub(super) is_default: bool,
    pub(super) block: BlockId,
    /// Whether its end is reached, so that the next section follows.
    pub(super) falls: bool,
}

impl Section {
    /// `labels`: its values, and whether DEFAULT is among its labels.
    pub(super) fn new(labels: (Vec<u32>, bool), block: BlockId, falls: bool) -> Self {
        let (values, is_default) = labels;
        Self {
            values,
            is_default,
            block,
            falls,
        }
    }
}
