//! Debug information of instructions.

use super::Emit;
use crate::gather::Lane;
use crate::writer::Home;
use glasm_ir::{Dst, Span};
use spirv::Op;

impl Emit<'_> {
    /// Notes the source line of what follows.
    #[inline]
    pub(super) fn line(&mut self, span: Span) {
        if let Some(lines) = &mut self.lines {
            lines.write(span, &mut self.w);
        }
    }

    /// Names a result after its register.
    #[inline]
    pub(super) fn name_result(&mut self, dst: &Dst, value: Lane) {
        if !self.options.debug.names || !value.id.is_some() {
            return;
        }
        let Some(name) = self.program.register_name(dst.register) else {
            return;
        };
        if self.w.info(value.id).home == Home::Body {
            self.w.names.op_string(Op::Name, &[value.id.0], name, &[]);
        }
    }
}
