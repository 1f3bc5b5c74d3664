//! Outputs as operands: registers that are written, and outputs that are read back.

use super::Register;
use crate::tgsi::check::Parsed;
use crate::tgsi::operand::TgsiResolver;
use crate::tgsi::symbols::{Array, row};
use glasm_ir::{Base, Index, IndexTerm, Src, Stage, WriteMask};

impl TgsiResolver<'_> {
    /// Returns an output that is written, and its components that exist.
    pub(in crate::tgsi) fn resolve_written_output(
        &mut self,
        register: &Register,
    ) -> Parsed<(Src, WriteMask)> {
        let Some(number) = register.number.known() else {
            let array = self.output_array(register)?;
            let source = self.emit.array_element(&array, register);
            return Ok((source, WriteMask::XYZW));
        };
        // Outputs have no semantic without a declaration, unlike temporaries, so this is an error
        // also where programs are read leniently.
        let Some(output) = row(&self.declared.outputs, number as usize) else {
            return Err(self.report_undeclared(register));
        };
        // A dropped output is written nevertheless, because the program may read it back.
        Ok((self.emit.place(output.place), output.usage))
    }

    fn output_array(&mut self, register: &Register) -> Parsed<Array> {
        match self.declared.array_of_output(register.number) {
            Some(array) => Ok(array),
            None => Err(self.report_undeclared(register)),
        }
    }

    /// Returns an output that is read back.
    pub(in crate::tgsi) fn resolve_read_output(&mut self, register: &Register) -> Parsed<Src> {
        if self.check.stage == Stage::TessControl {
            return self.resolve_shared_output(register);
        }
        Ok(self.resolve_written_output(register)?.0)
    }

    /// Returns an output of any vertex of the patch, or of the patch: values that other invocations
    /// have written are visible, too.
    fn resolve_shared_output(&mut self, register: &Register) -> Parsed<Src> {
        let vertex = register.outer.map(|outer| outer.term);
        let (first, len, element) = match register.number.known() {
            Some(number) => (number as u32, 1, IndexTerm::constant(0)),
            None => {
                let array = self.output_array(register)?;
                (array.first, array.len, register.number.from(array.first))
            }
        };
        let Some(output) = row(&self.declared.outputs, first as usize) else {
            return Err(self.report_undeclared(register));
        };
        // Levels and distances are in registers, which no other invocation reads.
        let Some(id) = output.output else {
            return Ok(self.emit.place(output.place));
        };
        if output.per_vertex {
            self.check
                .check_vertex(register, self.properties.patch_vertices())?;
        }
        let index = Index {
            element,
            len,
            vertex: vertex.filter(|_| output.per_vertex),
        };
        Ok(self.emit.indexed(Base::Output(id), index))
    }
}
