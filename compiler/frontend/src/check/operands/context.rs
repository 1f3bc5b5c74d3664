//! Context of the rules for operands and results.

use crate::check::names::Resolver;
use crate::variables::{BufferLayout, VarKind, VarSize};
use glasm_ir::Semantic;
use rustc_hash::FxHashMap;

/// Shape that an operand must have.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OperandShape {
    Vector,
    Scalar,
    /// A value without suffix and signs.
    Plain,
    /// Element of memory.
    Memory(MemoryKind),
    /// Address register without suffix and sign.
    AddressRegister,
}

/// The variables that a memory operand takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemoryKind {
    Constant,
    Shared,
    Storage,
    Counter,
}

impl MemoryKind {
    /// Returns the keyword that declares variables of this memory.
    pub(super) const fn keyword(self) -> &'static str {
        match self {
            Self::Constant => "CBUFFER",
            Self::Shared => "SHARED",
            Self::Storage => "STORAGE",
            Self::Counter => "COUNTER",
        }
    }

    /// Returns true if an operand of this memory kind can be a variable of `kind`.
    pub(super) fn accepts(self, kind: VarKind) -> bool {
        let layout = match self {
            Self::Shared => return matches!(kind, VarKind::Shared { .. }),
            Self::Constant => BufferLayout::Bytes,
            Self::Storage => BufferLayout::Storage,
            Self::Counter => BufferLayout::Counter,
        };
        matches!(kind, VarKind::Buffer(view) if view.layout == layout)
    }
}

/// Use of the registers of a program by its instructions.
#[derive(Debug, Default)]
pub(crate) struct RegisterStats {
    /// A bit for each result that an instruction writes.
    pub(crate) written_results: u32,
    /// True if the program was found to write its color under two precisions.
    pub(crate) has_two_colors: bool,
    /// True if an instruction writes a parameter.
    pub(crate) writes_parameter: bool,
}

/// Use of resources that are limited for the program as a whole, by its instructions.
#[derive(Debug, Default)]
pub(crate) struct OperandState {
    /// Sizes of results written through declared variables.
    pub(crate) result_sizes: FxHashMap<Semantic, VarSize>,
    /// Entry of the target used with each texture image unit.
    pub(crate) unit_targets: FxHashMap<u32, u8>,
    /// Use of the registers of a program.
    pub(crate) registers: RegisterStats,
}

impl OperandState {
    /// Clears the state for another program.
    pub(crate) fn reset(&mut self) {
        self.result_sizes.clear();
        self.unit_targets.clear();
        self.registers = RegisterStats::default();
    }
}

/// Rules for operands and results: names in them become variables.
pub(crate) struct OperandRules<'a, 's> {
    pub(crate) resolver: Resolver<'a, 's>,
    pub(crate) state: &'a mut OperandState,
}
