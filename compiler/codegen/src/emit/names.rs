//! Debug information of instructions.

use crate::builder::{Home, Lane};
use crate::emit::cx::FunctionEmitter;
use crate::interface::names::output_name;
use crate::words::ValueWord;
use glasm_ir::{Dst, RegisterId, Span, Storage, WriteMask};
use spirv::Op;

impl FunctionEmitter<'_> {
    /// Notes the source line of what follows.
    #[inline(always)]
    pub(super) fn note_line(&mut self, span: Span) {
        if self.lines.is_some() {
            self.write_line(span);
        }
    }

    fn write_line(&mut self, span: Span) {
        if let Some(lines) = &mut self.lines {
            lines.write(span, self.w);
        }
    }

    /// Names the lanes of a result after its register. Values that were there before keep the names
    /// that they have.
    #[inline]
    pub(super) fn name_result(&mut self, dst: &Dst, lanes: u8, values: &[Lane; 4]) {
        if self.w.has_names {
            self.name_lanes(dst.register, lanes, values);
        }
    }

    fn name_lanes(&mut self, register: RegisterId, lanes: u8, values: &[Lane; 4]) {
        let mut last = ValueWord::NONE;
        for value in WriteMask(lanes).lanes().map(|lane| values[lane].id()) {
            // Ids count up, so that smaller ones were there before the instruction.
            if value.is_some() && value != last && value.0 >= self.first_unnamed {
                self.name_value(register, value);
            }
            last = value;
        }
        self.first_unnamed = self.w.bound();
    }

    /// Names the value in which lanes of a register meet.
    #[inline]
    pub(super) fn name_phi(&mut self, slot: u32, value: ValueWord) {
        if self.options.debug.names {
            let register = self.analysis.slot_register[slot as usize];
            if self.program.register_name(register).is_some() {
                self.name_value(register, value);
            } else {
                // Counters of loops, condition codes and the like: nothing in the source has their
                // name.
                self.w.name(value, || "carried".to_owned());
            }
        }
    }

    /// Results without a variable of the source have the name of their binding.
    fn name_value(&mut self, register: RegisterId, value: ValueWord) {
        // Parameters and inputs have names of their own, and constants belong to nobody.
        if self.w.info(value).home != Home::Body {
            return;
        }
        if let Some(name) = self.program.register_name(register) {
            self.w.names.op_string(Op::Name, &[value.0], name, &[]);
        } else if let Storage::Output(output) = self.program.registers[register].storage {
            let semantic = self.program.outputs[output].semantic;
            self.w.name(value, || output_name(semantic));
        }
    }
}
