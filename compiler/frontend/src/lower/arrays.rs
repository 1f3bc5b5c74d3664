//! Dynamically indexed arrays: their elements get consecutive slots before any other use of them.

use super::resource::Resources;
use crate::check::{Var, VarKind};
use crate::vars::Holder;
use glasm_ir::{Base, ParamSource};

impl Resources<'_> {
    /// Assigns consecutive slots to arrays with dynamic index, before other bindings take some of
    /// them.
    pub(super) fn add_relative_arrays(&mut self) {
        // Before all others: slots that several arrays share must be in an order that suits each of
        // them.
        self.add_shared_slots();
        for (var, info) in self.checked.vars.iter().enumerate() {
            let Some(count) = info.array.filter(|_| info.relative) else {
                continue;
            };
            match info.kind {
                VarKind::Attrib { first } => {
                    *self.tables.place(var as u32, 0) = self.add_attrib_array(info, first, count);
                }
                VarKind::Param { first } | VarKind::Subroutine { first, .. } => {
                    let start = self.add_param_array(info, first, count);
                    *self.tables.place(var as u32, 0) = Some(start);
                }
                VarKind::Result { first } => self.add_result_array(info, first, count),
                // Temporaries get their register where they are named first; resources have no
                // slots.
                VarKind::Temp
                | VarKind::Codes
                | VarKind::Address
                | VarKind::WritableParam
                | VarKind::Argument
                | VarKind::Buffer(_)
                | VarKind::Texture { .. }
                | VarKind::Image { .. }
                | VarKind::Shared { .. }
                | VarKind::Poisoned => {}
            }
        }
    }

    /// Adds the slots of an attribute array with dynamic index.
    fn add_attrib_array(&mut self, info: &Var, first: u32, count: u32) -> Option<Base> {
        let checked = self.checked;
        let mut start = None;
        for binding in &checked.attribs[first as usize..][..count as usize] {
            let base = info.base.unwrap_or(binding.base);
            let slot = if binding.holder == Holder::default() {
                Base::Input(self.get_input(*binding, base, info.width()))
            } else {
                self.get_held_slot(*binding, base)
            };
            // The first slot represents the array: element n is that of n slots further on. The
            // checker ensures that no two arrays of a vertex or a fragment program share bindings,
            // so that none of these slots was there before.
            start.get_or_insert(slot);
        }
        start
    }

    /// Adds the slots of a parameter array that is indexed at run time.
    fn add_param_array(&mut self, info: &Var, first: u32, count: u32) -> Base {
        let zero = glasm_ir::Param {
            source: ParamSource::Literal([0; 4]),
        };
        let has_ends = self.has_zero_ends(info);
        let params = &mut self.builder.program.params;
        let start = params.next_id();
        if has_ends {
            params.push(zero);
        }
        for number in first..first + count {
            let source = self.checked.params[number as usize];
            // Constants become parameters here, because elements must be contiguous.
            let id = params.push(glasm_ir::Param { source });
            // Operands that name one of these parameters outside of the array read the slot that it
            // has in it.
            self.tables.params.insert(source, id);
        }
        if has_ends {
            params.push(zero);
        }
        Base::Param(start)
    }
}
