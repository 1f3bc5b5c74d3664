//! Elements of memory as operands of instructions: CBUFFER, STORAGE, COUNTER and SHARED variables. NV_shader_storage_buffer_object and
//! NV_shader_atomic_counters section 2.X.3.Y, NV_compute_program5 section 2.X.7.Y.

use super::{Checker, InstTypes, VarKind};
use crate::ast::{Base, Index, Inst, Operand};
use crate::codes::Code;
use crate::lang::modifiers::Mods;
use crate::vars::BufferLayout;
use glasm_ir::Span;

/// The variables that a memory operand takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MemoryKind {
    Constant,
    Shared,
    Storage,
    Counter,
}

impl MemoryKind {
    /// What declares the variables.
    const fn word(self) -> &'static str {
        match self {
            Self::Constant => "CBUFFER",
            Self::Shared => "SHARED",
            Self::Storage => "STORAGE",
            Self::Counter => "COUNTER",
        }
    }

    fn takes(self, kind: VarKind) -> bool {
        let layout = match self {
            Self::Shared => return matches!(kind, VarKind::Shared { .. }),
            Self::Constant => BufferLayout::Bytes,
            Self::Storage => BufferLayout::Storage,
            Self::Counter => BufferLayout::Counter,
        };
        matches!(kind, VarKind::Buffer(view) if view.layout == layout)
    }
}

impl Checker<'_> {
    /// An element of a variable that lies in memory.
    pub(super) fn memory_operand(&mut self, operand: &mut Operand, kind: MemoryKind) {
        // Bindings of memory cannot be used directly: NV_compute_program5 section 2.X.3.Y and its like want a declaration.
        let Base::Name(name) = operand.base else {
            return self.report_wrong_memory(operand.span, kind);
        };
        let Some(var) = self.var_of(name, operand.span) else {
            return;
        };
        let found = self.program.vars[var as usize].kind;
        if found == VarKind::Poisoned {
            return;
        }
        if !kind.takes(found) {
            return self.report_wrong_memory(operand.span, kind);
        }
        operand.base = Base::Var(var);
        // LDC loads values, which a suffix and signs can change as in any operand; the others name a place.
        if kind != MemoryKind::Constant && !(operand.suffix.is_none() && operand.signs.is_empty()) {
            let message = "this operand has no suffix, sign or absolute value";
            self.error(Code::MemoryOperand, operand.span, message);
        }
        self.index(var, operand.index, operand.span);
    }

    fn report_wrong_memory(&mut self, span: Span, kind: MemoryKind) {
        let message = format!("this operand must be a {} variable", kind.word());
        self.error(Code::MemoryOperand, span, message);
    }

    /// ATOMCTR has one operation. NV_shader_atomic_counters section 2.X.8.Z.
    pub(super) fn counter_operation(&mut self, inst: &Inst) {
        if !inst.modifiers.mods().intersects(Mods::ANY_COUNTER) {
            let message = "`ATOMCTR` needs one of the operations INCR, DECR and GET";
            let span = self.opcode_span(inst);
            self.error(Code::AtomModifiers, span, message);
        }
    }

    /// Checks that an access with a constant address ends within the declared shared memory. NV_compute_program5 section 2.X.7.Y.
    pub(super) fn check_shared_access(&mut self, operands: &[Operand], types: InstTypes) {
        // The address is the last operand of LDS, STS and ATOMS, whatever stands before it.
        let Some(operand) = operands.last() else {
            return;
        };
        let size = self.program.shared_bytes;
        let end = self.end_of_access(operand, types).unwrap_or(0);
        if self.shared_declared.is_none() {
            let message = "the program declares no SHARED_MEMORY";
            self.error(Code::SharedMissing, operand.span, message);
        } else if end > u64::from(size) {
            let message = format!("the access ends behind the {size} bytes of shared memory");
            self.error(Code::SharedBounds, operand.span, message);
        }
    }

    /// The byte of shared memory that an access ends before, if the text says it.
    fn end_of_access(&self, operand: &Operand, types: InstTypes) -> Option<u64> {
        let (_, var) = self.program.var(operand.base)?;
        let VarKind::Shared { start } = var.kind else {
            return None;
        };
        let index = match operand.index {
            Index::Const(index) => index,
            Index::None => 0,
            // Addresses that are computed at run time are not known here.
            Index::Relative(_) | Index::Pair(_) => return None,
        };
        // The index of a SHARED variable counts bytes.
        let bytes = types.ty.width().bytes() * u32::from(types.components);
        // In 64 bits, because start and index may be any numbers of 32 bits.
        Some(u64::from(start) + u64::from(index) + u64::from(bytes))
    }
}
