//! What names stand for: variables that are declared, or made where a name is used first.

use super::Checker;
use super::checker::Named;
use crate::codes::Code;
use crate::names::NameId;
use crate::suggest::suggest;
use glasm_ir::Span;

impl Checker<'_> {
    /// The variable of a name; reports a name that is not declared, once.
    #[inline]
    pub(super) fn var_of(&mut self, name: NameId, span: Span) -> Option<u32> {
        match self.symbols[name.index()].named {
            Named::Var(var) => Some(var),
            // Its declaration was reported, or its first use.
            Named::Poisoned => None,
            Named::SubroutineType => {
                let text = self.name_text(name);
                let message = format!("`{text}` is a SUBROUTINETYPE");
                self.error(Code::OperandNotVariable, span, message);
                None
            }
            Named::Nothing => self.undeclared(name, span),
        }
    }

    #[cold]
    pub(super) fn undeclared(&mut self, name: NameId, span: Span) -> Option<u32> {
        if let Some(registers) = self.facts.registers {
            // Registers are declared by their first use.
            return self.register(registers, name, span);
        }
        self.undeclared_variable(name, span)
    }

    /// A name that no declaration has: the address register of loops, or an error.
    #[cold]
    pub(super) fn undeclared_variable(&mut self, name: NameId, span: Span) -> Option<u32> {
        if self.is_loop_index(name) {
            return Some(self.declare_loop_index(name));
        }
        let span = self.named_span(span);
        // One report for each name. `poison_names` takes it back if a declaration of the name follows that could not be read.
        self.symbols[name.index()].named = Named::Poisoned;
        let text = self.name_text(name);
        let declared: Vec<String> = (self.ast.names.iter())
            .filter(|(other, _)| matches!(self.symbols[other.index()].named, Named::Var(_)))
            .map(|(_, text)| String::from_utf8_lossy(text).into_owned())
            .collect();
        let close = suggest(&text, declared.iter().map(String::as_str));
        // The name alone: the operand goes on with an index or a suffix.
        let span = Span::new(span.start, span.start + text.len() as u32);
        let message = format!("`{text}` is not declared");
        let notes = close.into_iter().collect();
        self.error_with(Code::UndeclaredName, span, message, notes);
        self.undeclared.push((name, span));
        None
    }

    /// Whether an undeclared name is `CC`, a result that keeps nothing but its condition codes. The examples of
    /// NV_vertex_program2_option section 2.14.4.X and NV_fragment_program2 section 3.11.5.X write to it, though their grammars do not
    /// have it.
    #[cold]
    pub(super) fn is_codes_target(&self, name: NameId) -> bool {
        let sets = self.facts.instruction_sets;
        self.program.features.intersects(sets) && self.ast.names.text(name) == b"CC"
    }
}
