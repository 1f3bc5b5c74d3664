//! Checked program to IR.
//!
//! Most instructions become one IR instruction. Composite ones are spelled out by the functions that the opcode table names:
//! they compute into hidden registers and write the result with one last instruction, so that all operands are read before
//! anything is written, and mask, guard, clamp and condition codes apply once.

mod address;
mod alu;
mod composite;
mod context;
mod convert;
mod direct;
mod expand;
mod flow;
mod fog;
mod formula;
mod handle;
mod image;
mod kill;
mod loops;
mod memory;
mod operand;
mod pack;
mod resource;
mod result;
mod sparse;
pub(crate) mod tables;
mod texture;

use crate::kept::Scratch;
use crate::lang::options::Features;
use crate::rules::Checked;
use context::{InstCx, Lowerer};
use glasm_ir::Program;
use glasm_ir::program::Modes;

/// Translates a checked program.
pub(crate) fn lower(checked: &Checked<'_>, scratch: &mut Scratch) -> Program {
    let mut lowerer = Lowerer::new(checked, scratch);
    lowerer.modes();
    // Arrays with run-time index need consecutive slots, so they take theirs before the routines use single bindings.
    lowerer.relative_arrays();
    lowerer.routines();
    scratch.lowering = lowerer.tables;
    lowerer.builder.program
}

impl Lowerer<'_> {
    /// What holds for the program as a whole.
    fn modes(&mut self) {
        let features = self.checked.features;
        let workgroup_size = match features.contains(Features::VARIABLE_GROUP_SIZE) {
            true => [0; 3],
            false => self.checked.group_size,
        };
        self.builder.program.modes = Modes {
            workgroup_size,
            secondary_view_layer_offset: self.checked.second_layer_offset.unwrap_or(0),
            ..self.checked.modes
        };
    }
}
