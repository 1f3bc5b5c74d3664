//! Open blocks, jumps and critical sections.

use crate::lang::opcodes::FlowOp;
use crate::names::NameId;
use glasm_ir::flow::{BasicBlockId, LabelId};
use glasm_ir::{Id, Span};

/// An open block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenBlock {
    pub(crate) kind: Block,
    pub(crate) span: Span,
    /// A REP without count that has seen neither a BRK for it nor a RET inside.
    pub(crate) endless: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Block {
    If,
    Else,
    Rep,
    Loop,
}

impl Block {
    pub(crate) fn is_loop(self) -> bool {
        matches!(self, Self::Rep | Self::Loop)
    }

    /// Returns the word that opens it; the closing word is `END` followed by this.
    pub(crate) fn word(self) -> &'static str {
        // ELSE does not open a block: ENDIF closes both.
        match self {
            Self::If | Self::Else => "IF",
            Self::Rep => "REP",
            Self::Loop => "LOOP",
        }
    }
}

/// A branch, or a call of a label or of the labels of a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jump {
    pub(crate) from: BasicBlockId,
    pub(crate) target: Target,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Branch(NameId),
    Label(NameId),
    Type(NameId),
}

/// An FSIB or FSIE.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    pub(crate) op: FlowOp,
    pub(crate) block: BasicBlockId,
    /// True if it is inside of IF or REP.
    pub(crate) in_block: bool,
    pub(crate) span: Span,
}

/// Flow control of the statements up to the current one.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    pub(crate) open: Vec<OpenBlock>,
    pub(crate) jumps: Vec<Jump>,
    /// FSIB and FSIE.
    pub(crate) interlocks: Vec<Section>,
    /// Too many blocks are open.
    pub(crate) too_deep: bool,
}

impl Flow {
    /// Removes all entries.
    pub(crate) fn reset(&mut self) {
        self.open.clear();
        self.jumps.clear();
        self.interlocks.clear();
        self.too_deep = false;
    }
}

/// Returns the label of a name.
pub(crate) fn label_of(name: NameId) -> LabelId {
    // Labels have a separate name space, so the number of the name can be that of the label.
    LabelId::new(name.index())
}

/// Returns the name of a label.
pub(crate) fn name_of(label: LabelId) -> NameId {
    NameId::of(label.index())
}
