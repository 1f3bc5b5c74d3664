//! Open blocks, jumps and critical sections.

use crate::lang::opcodes::FlowOp;
use crate::names::NameId;
use glasm_ir::flow::{BasicBlockId, LabelId};
use glasm_ir::{Id, Span};

/// An open block.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenBlock {
    pub(super) kind: Block,
    pub(super) span: Span,
    /// A REP without count that has seen neither a BRK of its own nor a RET inside.
    pub(super) endless: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Block {
    If,
    Else,
    Rep,
    Loop,
}

impl Block {
    pub(super) fn is_loop(self) -> bool {
        matches!(self, Self::Rep | Self::Loop)
    }

    /// The word that opens it; that which closes it is `END` and this.
    pub(super) fn word(self) -> &'static str {
        // ELSE is no block of its own: ENDIF closes both.
        match self {
            Self::If | Self::Else => "IF",
            Self::Rep => "REP",
            Self::Loop => "LOOP",
        }
    }
}

/// A branch, or a call of a label or of the labels of a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump {
    pub(super) from: BasicBlockId,
    pub(super) target: Target,
    pub(super) span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Branch(NameId),
    Label(NameId),
    Type(NameId),
}

/// An FSIB or FSIE.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    pub(super) op: FlowOp,
    pub(super) block: BasicBlockId,
    /// Whether it is inside of IF or REP.
    pub(super) in_block: bool,
    pub(super) span: Span,
}

/// Flow control of the statements so far.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    pub(super) open: Vec<OpenBlock>,
    pub(super) jumps: Vec<Jump>,
    /// FSIB and FSIE.
    pub(super) interlocks: Vec<Section>,
    /// Too many blocks are open.
    pub(super) too_deep: bool,
}

impl Flow {
    /// Removes everything but the memory.
    pub(super) fn emptied(mut self) -> Self {
        self.open.clear();
        self.jumps.clear();
        self.interlocks.clear();
        Self {
            too_deep: false,
            ..self
        }
    }
}

/// Returns the label of a name.
pub(crate) fn label_of(name: NameId) -> LabelId {
    // Labels have a name space of their own, so the number of the name can be that of the label.
    LabelId::new(name.index())
}

/// Returns the name of a label.
pub(crate) fn name_of(label: LabelId) -> NameId {
    NameId::of(label.index())
}
