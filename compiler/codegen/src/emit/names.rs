//! Debug information of instructions.

use crate::builder::{Home, Lane};
use crate::emit::cx::FunctionEmitter;
use crate::interface::names::output_name;
use crate::words::ValueWord;
use glasm_ir::{Dst, RegisterId, Span, Storage, WriteMask};
use spirv::Op;

impl FunctionEmitter<'_> {
    /// Records the source line of the following instructions.
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

    /// Names the lanes of a result after its register. Values that existed before retain their
    /// names.
    #[inline]
    pub(super) fn name_result(&mut self, dst: &Dst, lanes: u8, values: &[Lane; 4]) {
        if self.w.has_names {
            self.name_lanes(dst.register, lanes, values);
        }
    }

    fn name_lanes(&mut self, register: RegisterId, lanes: u8, values: &[Lane; 4]) {
        let mut last = ValueWord::NONE;
        for value in WriteMask(lanes).lanes().map(|lane| values[lane].id()) {
            // Ids increase, so smaller ones existed before the instruction.
            if value.is_some() && value != last && value.0 >= self.first_unnamed {
                self.name_value(register, value);
            }
            last = value;
        }
        self.first_unnamed = self.w.bound();
    }

    /// Names the phi of lanes of a register.
    #[inline]
    pub(super) fn name_phi(&mut self, slot: u32, value: ValueWord) {
        if self.options.debug.names {
            let register = self.analysis.slot_register[slot as usize];
            if self.program.register_name(register).is_some() {
                self.name_value(register, value);
            } else {
                // Loop counters, condition codes and similar registers do not occur in the source.
                self.w.name(value, || "carried".to_owned());
            }
        }
    }

    /// Names a value after its register; results without a variable in the source after their
    /// binding.
    fn name_value(&mut self, register: RegisterId, value: ValueWord) {
        // Parameters and inputs have separate names, and constants are shared.
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
