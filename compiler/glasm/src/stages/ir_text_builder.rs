//! Builder of programs in the text form of the IR.

use glasm_ir::{Program, Semantic};
use std::fmt::{Arguments, Write};

/// A program under construction: modes, then inputs and outputs, which are numbered from 0 on, then
/// code.
///
/// Register `rN` is the register of output N; temporaries follow.
#[derive(Debug, Default)]
pub(crate) struct IrTextBuilder {
    modes: String,
    inputs: String,
    input_count: usize,
    outputs: Vec<(Semantic, &'static str)>,
    temps: usize,
    code: String,
}

impl IrTextBuilder {
    /// Returns the builder of a program of a stage, with its modes as lines, each of which ends
    /// with a line feed.
    pub(crate) fn new(stage: &str, modes: Arguments<'_>) -> Self {
        Self {
            modes: format!("program {stage}\n{modes}"),
            ..Self::default()
        }
    }

    /// Declares an input with the properties that follow its semantic in the text form; returns its
    /// name.
    pub(crate) fn declare_input(&mut self, semantic: Semantic, properties: &str) -> String {
        let number = self.input_count;
        self.input_count += 1;
        // Writing to a string does not fail.
        let _ = writeln!(self.inputs, "in{number}: {semantic} {properties}");
        format!("in{number}")
    }

    /// Declares an output of floats; returns its register. All outputs must be declared before the
    /// first temporary.
    pub(crate) fn declare_output(&mut self, semantic: Semantic) -> String {
        self.declare_typed_output(semantic, "float")
    }

    /// Declares an output whose base type has the keyword `base`; returns its register. All outputs
    /// must be declared before the first temporary.
    pub(crate) fn declare_typed_output(
        &mut self,
        semantic: Semantic,
        base: &'static str,
    ) -> String {
        debug_assert_eq!(self.temps, 0, "registers are numbered in their order");
        self.outputs.push((semantic, base));
        format!("r{}", self.outputs.len() - 1)
    }

    /// Declares a 32-bit temporary; returns its register. No output may be declared after it.
    pub(crate) fn declare_temp(&mut self) -> String {
        self.temps += 1;
        format!("r{}", self.outputs.len() + self.temps - 1)
    }

    /// Appends a line of code.
    pub(crate) fn push_line(&mut self, line: Arguments<'_>) {
        let _ = writeln!(self.code, "{line}");
    }

    /// Parses the text and returns the program; panics if the text is malformed.
    pub(crate) fn finish(&self) -> Program {
        let text = self.build_text();
        let program = glasm_ir::parse(&text);
        program.unwrap_or_else(|error| unreachable!("{error} in:\n{text}"))
    }

    /// Returns the text of the program, which [`finish`](Self::finish) parses: modes, declarations
    /// and the main routine.
    fn build_text(&self) -> String {
        let mut text = self.modes.clone();
        for number in 0..self.outputs.len() {
            let _ = writeln!(text, "r{number}: output32 out{number}");
        }
        for number in 0..self.temps {
            let _ = writeln!(text, "r{}: temp32", self.outputs.len() + number);
        }
        text += &self.inputs;
        for ((semantic, base), number) in self.outputs.iter().zip(0..) {
            let _ = writeln!(text, "out{number}: {semantic} {base}");
        }
        let code = &self.code;
        text + &format!("routine fn0 {{\n{code}}}\nmain fn0\n")
    }
}

/// Returns a literal with these bits.
pub(crate) fn format_bits_literal(bits: u32) -> String {
    format!("{{0x{bits:x}}}")
}
