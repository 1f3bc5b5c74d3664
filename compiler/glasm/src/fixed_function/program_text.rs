//! Programs under construction.

use std::collections::HashSet;
use std::fmt::{Arguments, Write};

/// The text of a program under construction.
#[derive(Default)]
pub(super) struct ProgramText {
    pub(super) body: String,
}

impl ProgramText {
    /// Appends an instruction, without its semicolon, which is added.
    pub(super) fn push_line(&mut self, line: Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.body, "{line};");
    }

    /// Returns the declaration of those temporaries in `names` that the instructions name; empty if
    /// they name none.
    pub(super) fn build_temp_declaration<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
    ) -> String {
        // Operands are between these separators, and the part before a dot is the name: the
        // generated instructions use no other syntax.
        let operands = self.body.split([' ', ',', '-', ';', '\n']);
        let named: HashSet<&str> = operands.filter_map(|word| word.split('.').next()).collect();
        let used: Vec<&str> = names.filter(|name| named.contains(name)).collect();
        if used.is_empty() {
            String::new()
        } else {
            format!("TEMP {};\n", used.join(", "))
        }
    }
}

/// Temporaries of a program that have the texels of all units, with the instructions that compute
/// them.
#[derive(Default)]
pub(super) struct ComputedTexels {
    pub(super) text: ProgramText,
    pub(super) temporaries: Vec<String>,
    /// Bit n: unit n has no texel that its texture environment could use.
    pub(super) passing_units: u8,
}
