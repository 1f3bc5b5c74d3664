//! Tables of names and bindings: the entity that each name denotes, and the bindings that have a
//! variable.

use crate::ast::{Literal, Suffix};
use crate::codes::Code;
use crate::lang::declarations::{DECLARATIONS, Declaration};
use crate::names::NameId;
use crate::vars::{Implicit, VarKind};
use glasm_ir::{Span, WriteMask};
use rustc_hash::FxHashMap;

/// Entity that a name denotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Named {
    #[default]
    Nothing,
    /// Variable by its index.
    Var(u32),
    SubroutineType,
    /// A mistake was reported already.
    Poisoned,
}

/// Resolution of a name or a binding path at the current statement.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Symbol {
    pub(crate) named: Named,
    /// Variable and suffix of a binding path that was an operand before.
    pub(crate) operand: Option<(u32, Suffix)>,
    /// Variable and mask of a binding path that was a result before.
    pub(crate) result: Option<(u32, WriteMask)>,
}

/// Resolved names and bindings of a program.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    /// Resolution of each name.
    pub(crate) entries: Vec<Symbol>,
    /// Names of single numbers, which vectors may hold.
    pub(crate) numbers: FxHashMap<NameId, Literal>,
    /// Number of literals in [`Ast::named_literals`] that are resolved.
    pub(crate) named_literals: usize,
    /// Number of names in [`Ast::poisoned`] that are marked.
    pub(crate) poisoned: usize,
    /// Names that were reported as not declared.
    pub(crate) undeclared: Vec<(NameId, Span)>,
    /// Unnamed variables of bindings.
    pub(crate) implicit: FxHashMap<Implicit, u32>,
    /// Arrays of all bindings of an entry, for each entry of which some binding has a dynamic
    /// index.
    pub(crate) relative_rows: FxHashMap<&'static str, VarKind>,
    /// Vertex attribute slots: bound by conventional name, by number.
    pub(crate) slots: [[bool; 2]; 16],
    /// Size of the register temporaries that instructions name, which share one limit with results.
    pub(crate) register_room: u32,
    /// Number of open LOOP blocks, inside of which A0 has a value.
    pub(crate) open_loops: usize,
}

impl Symbols {
    /// Prepares the tables for a program with so many names.
    pub(crate) fn reset(&mut self, name_count: usize) {
        self.entries.clear();
        self.entries.resize(name_count, Symbol::default());
        self.numbers.clear();
        self.undeclared.clear();
        self.implicit.clear();
        self.relative_rows.clear();
        (self.named_literals, self.poisoned) = (0, 0);
        self.slots = Default::default();
        (self.register_room, self.open_loops) = (0, 0);
    }
}

/// Declarations about the program as a whole that were checked.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    /// Positions of the first declaration of each kind.
    pub(crate) positions: [Option<u32>; DECLARATIONS.len()],
    /// Errors that depend on a later declaration: the declaration and the largest number that was
    /// reported.
    pub(crate) early_errors: Vec<(Declaration, Code, u32)>,
    /// True if there is a GROUP_SIZE.
    pub(crate) has_group_size: bool,
    /// Position of the first SHARED_MEMORY.
    pub(crate) shared_memory: Option<u32>,
}

impl Declared {
    /// Removes all declarations.
    pub(crate) fn reset(&mut self) {
        self.early_errors.clear();
        self.positions = Default::default();
        (self.has_group_size, self.shared_memory) = (false, None);
    }
}
