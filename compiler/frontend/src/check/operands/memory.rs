//! Elements of memory as operands of instructions: CBUFFER, STORAGE, COUNTER and SHARED variables.
//! NV_shader_storage_buffer_object and NV_shader_atomic_counters section 2.X.3.Y,
//! NV_compute_program5 section 2.X.7.Y.

use crate::ast::{Base, Inst, InstTypes, Operand};
use crate::check::context::RuleCx;
use crate::check::operands::context::{MemoryKind, OperandRules};
use crate::codes::Code;
use crate::lang::modifiers::Mods;
use crate::vars::VarKind;
use glasm_ir::Span;

impl OperandRules<'_, '_> {
    /// Checks an operand that is an element of a variable in memory.
    pub(crate) fn check_memory_operand(&mut self, operand: &mut Operand, kind: MemoryKind) {
        // Bindings of memory cannot be used directly: NV_compute_program5 section 2.X.3.Y and
        // similar sections require a declaration.
        let Base::Name(name) = operand.base else {
            return report_wrong_memory(&mut self.resolver.cx, operand.span, kind);
        };
        let Some(var) = self.resolver.find_var(name, operand.span) else {
            return;
        };
        let found = self.resolver.program.vars[var as usize].kind;
        if found == VarKind::Poisoned {
            return;
        }
        if !kind.takes(found) {
            return report_wrong_memory(&mut self.resolver.cx, operand.span, kind);
        }
        operand.base = Base::Var(var);
        // LDC loads values, which a suffix and signs can change as in any operand; the other
        // operands name a memory location.
        if kind != MemoryKind::Constant && !(operand.suffix.is_none() && operand.signs.is_empty()) {
            let message = "this operand has no suffix, sign or absolute value";
            self.resolver
                .cx
                .error(Code::MemoryOperand, operand.span, message);
        }
        self.check_index(var, operand.index, operand.span);
    }

    /// Checks that an access with a constant address ends within the declared shared memory.
    /// NV_compute_program5 section 2.X.7.Y.
    pub(crate) fn check_shared_access(&mut self, operands: &[Operand], types: InstTypes) {
        // The address is the last operand of LDS, STS and ATOMS, regardless of the operands before
        // it.
        let Some(operand) = operands.last() else {
            return;
        };
        let size = self.resolver.program.shared_bytes;
        let end = self
            .resolver
            .program
            .find_end_of_access(operand, types)
            .unwrap_or(0);
        if self.resolver.declared.shared_memory.is_none() {
            let message = "the program declares no SHARED_MEMORY";
            self.resolver
                .cx
                .error(Code::SharedMissing, operand.span, message);
        } else if end > u64::from(size) {
            let message = format!("the access ends behind the {size} bytes of shared memory");
            self.resolver
                .cx
                .error(Code::SharedBounds, operand.span, message);
        }
    }
}

fn report_wrong_memory(cx: &mut RuleCx<'_>, span: Span, kind: MemoryKind) {
    let message = format!("this operand must be a {} variable", kind.word());
    cx.error(Code::MemoryOperand, span, message);
}

/// Checks that ATOMCTR has one operation. NV_shader_atomic_counters section 2.X.8.Z.
pub(crate) fn check_counter_operation(cx: &mut RuleCx<'_>, inst: &Inst) {
    if !inst.modifiers.mods().intersects(Mods::ANY_COUNTER) {
        let message = "`ATOMCTR` needs one of the operations INCR, DECR and GET";
        let span = cx.opcode_span(inst);
        cx.error(Code::AtomModifiers, span, message);
    }
}
