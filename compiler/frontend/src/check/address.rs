//! Address registers: those that programs of the ARB languages declare, and A0, the index of loops. ARB_vertex_program section 2.14.3.5,
//! NV_vertex_program2_option, NV_fragment_program2 section 3.11.3.Y.

use super::{Checker, VarKind};
use crate::ast::{Base, Inst, Operand, Relative, Signs, SuffixKind};
use crate::codes::Code;
use crate::lang::arb::limits;
use crate::lang::lenient::Rule;
use crate::lang::register::Registers;
use glasm_ir::{CondTest, Span, WriteMask};

impl Checker<'_> {
    /// Checks that POPA writes all components. NV_vertex_program3 section 2.14.5.43.
    pub(super) fn check_address_mask(&mut self, inst: &Inst) {
        let Some(dst) = inst.dst else { return };
        // The section demands the test TR: a guard that is written with it hides nothing.
        let always = dst
            .guard
            .is_none_or(|guard| guard.test.test == CondTest::True);
        let message = "POPA writes all components of an address register";
        if dst.mask != WriteMask::XYZW {
            self.error(Code::AddressRegister, dst.span, message);
        // The section refuses this, but drivers load it: the flow of control stays the same, only the write is guarded.
        } else if !always {
            self.lenient(Rule::GuardedPop, dst.span, message);
        }
    }

    /// An operand that is an address register as a whole.
    pub(super) fn address_operand(&mut self, operand: &Operand, var: u32) {
        let kind = self.program.vars[var as usize].kind;
        // ARA and PUSHA take the whole register: `<instOperandAddrVNS>` of NV_vertex_program2_option section 2.14.2 has neither swizzle nor sign.
        let bare = operand.suffix.kind() == SuffixKind::None && operand.signs == Signs::empty();
        if kind != VarKind::Address && kind != VarKind::Poisoned || !bare {
            let message = "an address register without suffix and sign is expected";
            self.error(Code::AddressRegister, operand.span, message);
        }
    }

    /// A run-time index: a component of an address register, plus a number.
    pub(super) fn address_index(&mut self, relative: u32) {
        let info = self.ast.relatives[relative as usize];
        match self.facts.registers {
            Some(registers) => self.register_offset(registers, info),
            None => self.address_offset(info.offset, info.span),
        }
        // Else it is a variable already.
        let Base::Name(name) = info.base else { return };
        let Some(var) = self.var_of(name, info.span) else {
            return;
        };
        let kind = self.program.vars[var as usize].kind;
        if kind == VarKind::Poisoned {
            return;
        }
        let is_loop_index = self.program.loop_index == Some(var);
        let offsets = limits::LOOP_INDEX_OFFSETS;
        if is_loop_index && !offsets.contains(&info.offset) {
            let (offset, most) = (info.offset, offsets.end());
            let message = format!("the offset {offset} is not in 0 to {most}");
            self.error(Code::IndexOffset, info.span, message);
        }
        // ARB_vertex_program section 2.14.3.5 and NV_fragment_program2 section 3.11.3.Y: only x of these registers is accessible.
        let has_x_only = self.is_plain_arb() || is_loop_index;
        if kind != VarKind::Address || has_x_only && info.lane != 0 {
            let text = self.var_text(var);
            let message = match kind == VarKind::Address {
                true => format!("only component x of {text} can be an index"),
                false => format!("{text} cannot be an index; use an address register"),
            };
            // In programs of registers nothing else can stand in such brackets, so the register itself is what is wrong.
            let code = match self.facts.registers {
                Some(_) => Code::AddressRegister,
                None => Code::IndexVariable,
            };
            return self.error(code, info.span, message);
        }
        self.ast.relatives[relative as usize].base = Base::Var(var);
    }

    /// What programs of registers add to an address register. NV_vertex_program section 2.14.1.7, NV_vertex_program2 section 2.14.1.7.
    fn register_offset(&mut self, registers: &Registers, info: Relative) {
        let (low, high) = registers.offsets;
        if info.offset < low || info.offset > high {
            let offset = info.offset;
            let message = format!("the offset {offset} is not in {low} to {high}");
            self.error(Code::IndexOffset, info.span, message);
        }
    }

    /// What plain programs add to an address register. ARB_vertex_program section 2.14.2.
    fn address_offset(&mut self, offset: i64, span: Span) {
        let offsets = limits::ADDRESS_OFFSETS;
        if self.is_plain_arb() && !offsets.contains(&offset) {
            let (low, high) = (offsets.start(), offsets.end());
            let message = format!("the offset {offset} is not in {low} to {high}");
            self.lenient(Rule::LargeOffset, span, message);
        }
    }
}
