//! Debug information: names of values, lines of instructions.

use super::context::FunctionEmitter;
use crate::builder::{Lane, ModuleWriter, ValueBuilder, ValueOrigin};
use crate::interface::names::output_name;
use crate::spirv_writer::ValueWord;
use glasm_ir::{Dst, RegisterId, Span, Storage, WriteMask};
use spirv::Op;

impl FunctionEmitter<'_> {
    /// Emits `OpLine` for the following instructions if the module has debug information.
    #[inline(always)]
    pub(super) fn record_line(&mut self, span: Span) {
        if self.lines.is_some() {
            self.emit_line(span);
        }
    }

    /// Emits an `OpLine` for a source position if the module has line numbers and the position
    /// differs from the last one.
    fn emit_line(&mut self, span: Span) {
        if let Some(lines) = &mut self.lines {
            lines.emit_line(span, self.builder);
        }
    }

    /// Names the lanes of a result after its register, if the module has names. Values that existed
    /// before retain their names.
    pub(super) fn name_result(&mut self, dst: &Dst, lanes: u8, values: &[Lane; 4]) {
        if self.builder.has_names {
            self.name_lanes(dst.register, lanes, values);
        }
    }

    /// Names the values that were created since the last call for lanes of `register`, each once.
    fn name_lanes(&mut self, register: RegisterId, lanes: u8, values: &[Lane; 4]) {
        let mut last = ValueWord::NONE;
        for value in WriteMask(lanes).lanes().map(|lane| values[lane].id()) {
            // Ids increase, so smaller ones existed before the instruction.
            if value.is_some() && value != last && value.0 >= self.first_unnamed {
                self.name_value(register, value);
            }
            last = value;
        }
        self.first_unnamed = self.builder.bound();
    }

    /// Names a phi after the register whose lanes it merges, if the module has names. Registers
    /// without a name are loop-carried values.
    pub(super) fn name_phi(&mut self, slot: u32, value: ValueWord) {
        if self.options.debug.names {
            let register = self.analysis.slot_register[slot as usize];
            if self.program.register_name(register).is_some() {
                self.name_value(register, value);
            } else {
                // Loop counters, condition codes and similar registers do not occur in the source.
                self.builder
                    .name_object(value, || "loop_carried".to_owned());
            }
        }
    }

    /// Names a value of the function body after its register; results without a variable in the
    /// source after their binding. Values outside of the body and other registers without a name
    /// are not named.
    fn name_value(&mut self, register: RegisterId, value: ValueWord) {
        // Parameters and inputs have separate names, and constants are shared.
        if self.builder.value_info(value).origin != ValueOrigin::Body {
            return;
        }
        if let Some(name) = self.program.register_name(register) {
            self.builder
                .names
                .push_string_inst(Op::Name, &[value.0], name, &[]);
        } else if let Storage::Output(output) = self.program.registers[register].storage {
            let semantic = self.program.outputs[output].semantic;
            self.builder.name_object(value, || output_name(semantic));
        }
    }
}

/// Program string, for line numbers.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'a> {
    /// Name, usually a path.
    pub name: &'a str,
    /// Bytes of the program string that spans refer to.
    pub text: &'a [u8],
}

/// Line numbers of byte positions.
#[derive(Debug)]
pub(crate) struct LineTable<'a> {
    text: &'a [u8],
    /// First byte of each line.
    starts: Vec<u32>,
    file: ValueWord,
    last_emitted: (u32, u32),
}

impl<'a> LineTable<'a> {
    /// Locates the line starts of `source` and emits its file name as an `OpString` of the module.
    pub(crate) fn new(source: SourceText<'a>, module: &mut ModuleWriter) -> Self {
        let mut starts = vec![0];
        for (position, &byte) in source.text.iter().enumerate() {
            if byte == b'\n' {
                starts.push(position as u32 + 1);
            }
        }
        let file = module.new_object();
        module
            .strings
            .push_string_inst(Op::String, &[file.0], source.name, &[]);
        Self {
            text: source.text,
            starts,
            file,
            last_emitted: (0, 0),
        }
    }

    /// Emits `OpLine` with line and column of the start of `span`, counted from 1, unless they are
    /// current already. Emits nothing for positions beyond the source.
    pub(crate) fn emit_line(&mut self, span: Span, builder: &mut ValueBuilder) {
        if span.start as usize >= self.text.len() {
            return;
        }
        // The first line starts at 0, so at least one exists.
        let line = self.starts.partition_point(|&start| start <= span.start) as u32;
        let column = span.start - self.starts[line as usize - 1] + 1;
        if self.last_emitted != (line, column) {
            self.last_emitted = (line, column);
            builder
                .body
                .push_inst(Op::Line, &[self.file.0, line, column]);
        }
    }
}
