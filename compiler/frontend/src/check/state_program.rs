//! Rules of vertex state programs: they write parameters, and have no results. NV_vertex_program section 2.14.4.

use super::Checker;
use crate::ast::{Dst, Index};
use crate::codes::Code;

impl Checker<'_> {
    /// A parameter as the result of an instruction: it is named by its number.
    pub(super) fn written_parameter(&mut self, dst: &Dst, var: u32) {
        self.registers.parameters = true;
        let span = self.register_span(dst.span);
        // "Writes using relative addressing are not supported": NV_vertex_program section 2.14.1.3.
        if matches!(dst.index, Index::Relative(_)) {
            let message = "a parameter with a run-time index can only be read";
            return self.error(Code::WriteReadOnly, span, message);
        }
        self.index(var, dst.index, span);
    }

    /// Checks rules that need the whole program.
    pub(super) fn check_state_program(&mut self) {
        // A statement with an error may be the one that was meant to.
        if !self.registers.parameters && !self.has_errors() {
            let message = "the program writes no component of a parameter, such as `c[0]`";
            self.whole(Code::NoParameterWritten, message);
        }
    }
}
