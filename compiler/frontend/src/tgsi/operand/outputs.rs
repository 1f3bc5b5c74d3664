//! Outputs as operands: where they are written, and what is read back.

use super::{Number, Register};
use crate::tgsi::state::{Array, Parsed, Translation, row, within};
use glasm_ir::{Base, Index, IndexTerm, Src, Stage, WriteMask};

impl Translation<'_> {
    /// Returns an output that is written, and the components of it that exist.
    pub(super) fn written_output(&mut self, register: &Register) -> Parsed<(Src, WriteMask)> {
        let Some(number) = register.number.known() else {
            let array = self.output_array(register)?;
            let source = self.array_element(&array, register);
            return Ok((source, WriteMask::XYZW));
        };
        // Outputs have no meaning without a declaration, unlike temporaries, so this is an error also where texts are read leniently.
        let Some(output) = row(&self.declared.outputs, number as usize) else {
            return Err(self.missing_declaration(register));
        };
        // One that is dropped is written all the same, because the program may read it back.
        Ok((self.place(output.place), output.usage))
    }

    /// The array that a register with a run-time index names: by its id, or else by the number that the index is added to.
    pub(crate) fn array_of_output(&self, number: Number) -> Option<Array> {
        let arrays = &self.declared.output_arrays;
        let by_number = |array: &Array| within(number.term.offset, array.first, array.len);
        let found = match number.array {
            0 => {
                let found = arrays.iter().find(|(_, array)| by_number(array));
                // The number may lie outside of all arrays; with an index, some array is meant.
                found.or(arrays.first())
            }
            id => arrays.iter().find(|it| it.0 == id),
        };
        found.map(|&(_, array)| array)
    }

    fn output_array(&mut self, register: &Register) -> Parsed<Array> {
        match self.array_of_output(register.number) {
            Some(array) => Ok(array),
            None => Err(self.missing_declaration(register)),
        }
    }

    /// An output that is read back.
    pub(super) fn read_output(&mut self, register: &Register) -> Parsed<Src> {
        if self.stage == Stage::TessControl {
            return self.shared_output(register);
        }
        Ok(self.written_output(register)?.0)
    }

    /// An output of any vertex of the patch, or of the patch: what other invocations have written counts, too.
    fn shared_output(&mut self, register: &Register) -> Parsed<Src> {
        let vertex = register.outer.map(|outer| outer.term);
        let (first, len, element) = match register.number.known() {
            Some(number) => (number as u32, 1, IndexTerm::constant(0)),
            None => {
                let array = self.output_array(register)?;
                (array.first, array.len, register.number.from(array.first))
            }
        };
        let Some(output) = row(&self.declared.outputs, first as usize) else {
            return Err(self.missing_declaration(register));
        };
        // Levels and distances are kept in registers, which no other invocation reads.
        let Some(id) = output.output else {
            return Ok(self.place(output.place));
        };
        if output.per_vertex {
            self.check_vertex(register, self.properties.patch_vertices())?;
        }
        let index = Index {
            element,
            len,
            vertex: vertex.filter(|_| output.per_vertex),
        };
        Ok(self.indexed(Base::Output(id), index))
    }
}
