//! Elements of memory as operands of instructions: CBUFFER, STORAGE, COUNTER and SHARED variables.
//! NV_shader_storage_buffer_object and NV_shader_atomic_counters section 2.X.3.Y,
//! NV_compute_program5 section 2.X.7.Y.

use crate::ast::{Inst, InstTypes, Operand, OperandBase};
use crate::check::context::RuleCx;
use crate::check::operands::context::{MemoryKind, OperandRules};
use crate::codes::Code;
use crate::lang::modifiers::ModifierFlags;
use crate::variables::VarKind;
use glasm_ir::Span;

impl OperandRules<'_, '_> {
    /// Resolves an operand that must be an element of a variable in this kind of memory, and checks
    /// its index. Reports other operands, and suffixes and signs, which only CBUFFER elements have.
    pub(crate) fn check_memory_operand(&mut self, operand: &mut Operand, kind: MemoryKind) {
        // Bindings of memory cannot be used directly: NV_compute_program5 section 2.X.3.Y and
        // similar sections require a declaration.
        let OperandBase::Name(name) = operand.base else {
            return report_wrong_memory(&mut self.resolver.cx, operand.span, kind);
        };
        let Some(var) = self.resolver.resolve_name(name, operand.span) else {
            return;
        };
        let var_kind = self.resolver.program.vars[var as usize].kind;
        if var_kind == VarKind::Poisoned {
            return;
        }
        if !kind.accepts(var_kind) {
            return report_wrong_memory(&mut self.resolver.cx, operand.span, kind);
        }
        operand.base = OperandBase::Var(var);
        // LDC loads values, which a suffix and signs can change as in any operand; the other
        // operands name a memory location.
        if kind != MemoryKind::Constant && !(operand.suffix.is_none() && operand.signs.is_empty()) {
            let message = "this operand has no suffix, sign or absolute value";
            self.resolver
                .cx
                .report_error(Code::MemoryOperand, operand.span, message);
        }
        self.check_index(var, operand.index, operand.span);
    }

    /// Reports an access to shared memory in a program that declares no size, and one with a
    /// constant address that ends beyond it. NV_compute_program5 section 2.X.7.Y.
    pub(crate) fn check_shared_access(&mut self, operands: &[Operand], types: InstTypes) {
        // The address is the last operand of LDS, STS and ATOMS, regardless of the operands before
        // it.
        let Some(operand) = operands.last() else {
            return;
        };
        let size = self.resolver.program.shared_bytes;
        let end = self.resolver.program.find_access_end(operand, types);
        if self.resolver.program_declarations.shared_memory.is_none() {
            let message = "the program declares no SHARED_MEMORY";
            self.resolver
                .cx
                .report_error(Code::SharedMissing, operand.span, message);
        } else if end.is_some_and(|end| end > u64::from(size)) {
            let message = format!("the access ends beyond the {size} bytes of shared memory");
            self.resolver
                .cx
                .report_error(Code::SharedBounds, operand.span, message);
        }
    }
}

/// Reports an operand that is not a variable of the kind of memory that the instruction accesses.
fn report_wrong_memory(cx: &mut RuleCx<'_>, span: Span, kind: MemoryKind) {
    let message = format!("this operand must be a {} variable", kind.keyword());
    cx.report_error(Code::MemoryOperand, span, message);
}

/// Reports an ATOMCTR without an operation. NV_shader_atomic_counters section 2.X.8.Z.
pub(crate) fn check_counter_operation(cx: &mut RuleCx<'_>, inst: &Inst) {
    if !inst.modifiers.mods().intersects(ModifierFlags::ANY_COUNTER) {
        let message = "`ATOMCTR` needs one of the operations INCR, DECR and GET";
        let span = cx.opcode_span(inst);
        cx.report_error(Code::AtomModifiers, span, message);
    }
}
