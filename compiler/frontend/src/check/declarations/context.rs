//! Context of the rules for declarations.

use crate::check::names::resolver::Resolver;
use crate::lang::bindings::BindingInfo;
use crate::names::NameId;
use crate::vars::BufferLayout;
use rustc_hash::FxHashMap;

/// What declarations count and compare.
#[derive(Debug, Default)]
pub(crate) struct DeclarationState {
    /// Attributes or results of the declaration that is being checked, by entry and number.
    pub(crate) io_elements: Vec<(&'static BindingInfo, u32)>,
    /// Number of elements of temporaries.
    pub(crate) temporaries: u64,
    /// Number of address registers.
    pub(crate) addresses: u64,
    /// Number of elements of parameter arrays.
    pub(crate) parameters: u64,
    /// The type of each `program.subroutine[n]`.
    pub(crate) subroutine_params: FxHashMap<u32, NameId>,
    /// Layout of each program parameter buffer, BUFFER against BUFFER4.
    pub(crate) buffer_layouts: FxHashMap<u32, BufferLayout>,
}

impl DeclarationState {
    /// Removes all entries.
    pub(crate) fn reset(&mut self) {
        self.io_elements.clear();
        (self.temporaries, self.addresses, self.parameters) = (0, 0, 0);
        self.subroutine_params.clear();
        self.buffer_layouts.clear();
    }
}

/// Rules for declarations, which make variables.
pub(crate) struct DeclarationRules<'r, 'a, 's> {
    pub(crate) resolver: &'r mut Resolver<'a, 's>,
    pub(crate) state: &'r mut DeclarationState,
}
