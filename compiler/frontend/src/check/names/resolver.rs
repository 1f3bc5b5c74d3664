//! Names: variables that are declared, or created where a name is used first.

use crate::check::context::RuleCx;
use crate::check::names::symbols::{Declared, Named, Symbols};
use crate::check::program::checked::Checked;
use crate::codes::Code;
use crate::lang::options::Features;
use crate::names::NameId;
use crate::suggest::suggest;
use crate::vars::{Implicit, Var, VarKind};
use glasm_ir::Span;

/// Program with the tables of its names and bindings: context of rules that look up names.
pub(crate) struct Resolver<'a, 's> {
    pub(crate) cx: RuleCx<'s>,
    pub(crate) program: &'a mut Checked,
    pub(crate) symbols: &'a mut Symbols,
    pub(crate) declared: &'a mut Declared,
}

impl Resolver<'_, '_> {
    /// Returns the name of a variable for messages.
    pub(crate) fn var_text(&self, var: u32) -> String {
        self.program.var_text(&self.cx.ast.names, var)
    }

    /// Returns true if a name is that of the address register of loops, which is declared by its
    /// first use. NV_fragment_program2 section 3.11.3.Y.
    pub(crate) fn is_loop_index(&self, name: NameId) -> bool {
        self.program.loop_index.is_none()
            && self.cx.has_option(Features::NV_FRAGMENT_2)
            && self.cx.ast.names.text(name) == b"A0"
    }

    /// Declares the address register of loops.
    pub(crate) fn declare_loop_index(&mut self, name: NameId) -> u32 {
        let var = Var {
            name: Some(name),
            // It has no declaration in the source.
            ..Var::unnamed(VarKind::Address, Span::default())
        };
        let number = self.program.vars.len() as u32;
        self.program.vars.push(var);
        self.symbols.entries[name.index()].named = Named::Var(number);
        self.program.loop_index = Some(number);
        number
    }
}

impl Resolver<'_, '_> {
    /// Returns the variable of a name; reports a name that is not declared, once.
    #[inline]
    pub(crate) fn find_var(&mut self, name: NameId, span: Span) -> Option<u32> {
        match self.symbols.entries[name.index()].named {
            Named::Var(var) => Some(var),
            // Its declaration was reported, or its first use.
            Named::Poisoned => None,
            Named::SubroutineType => {
                let text = self.cx.name_text(name);
                let message = format!("`{text}` is a SUBROUTINETYPE");
                self.cx.error(Code::OperandNotVariable, span, message);
                None
            }
            Named::Nothing => self.resolve_undeclared(name, span),
        }
    }

    #[cold]
    pub(crate) fn resolve_undeclared(&mut self, name: NameId, span: Span) -> Option<u32> {
        if let Some(registers) = self.cx.facts.registers {
            // Registers are declared by their first use.
            return self.declare_register(registers, name, span);
        }
        self.resolve_undeclared_variable(name, span)
    }

    /// Returns the variable of an undeclared name: the address register of loops, or an error.
    #[cold]
    pub(crate) fn resolve_undeclared_variable(&mut self, name: NameId, span: Span) -> Option<u32> {
        if self.is_loop_index(name) {
            return Some(self.declare_loop_index(name));
        }
        let span = self.cx.named_span(span);
        // One report for each name. `poison_names` retracts it if a declaration of the name follows
        // that could not be parsed.
        self.symbols.entries[name.index()].named = Named::Poisoned;
        let text = self.cx.name_text(name);
        let declared: Vec<String> = (self.cx.ast.names.iter())
            .filter(|(other, _)| matches!(self.symbols.entries[other.index()].named, Named::Var(_)))
            .map(|(_, text)| String::from_utf8_lossy(text).into_owned())
            .collect();
        let close = suggest(&text, declared.iter().map(String::as_str));
        // The name alone: the operand continues with an index or a suffix.
        let span = Span::new(span.start, span.start + text.len() as u32);
        let message = format!("`{text}` is not declared");
        let notes = close.into_iter().collect();
        self.cx
            .error_with(Code::UndeclaredName, span, message, notes);
        self.symbols.undeclared.push((name, span));
        None
    }

    /// Marks the next `count` names of a declaration with a syntax error: neither their later nor
    /// their earlier uses are reported in addition.
    #[cold]
    pub(crate) fn poison_names(&mut self, count: u32, error: u32) {
        self.resolve_named_literals(error);
        let first = self.symbols.poisoned;
        self.symbols.poisoned += count as usize;
        for index in first..self.symbols.poisoned {
            self.poison_name(self.cx.ast.poisoned[index]);
        }
    }

    fn poison_name(&mut self, name: NameId) {
        // A name that already denotes something is unchanged: only the declaration that failed is
        // void.
        let named = &mut self.symbols.entries[name.index()].named;
        if *named == Named::Nothing {
            *named = Named::Poisoned;
        }
        let undeclared = self.symbols.undeclared.iter();
        for &(_, span) in undeclared.filter(|(other, _)| *other == name) {
            self.cx.reports.retract(Code::UndeclaredName, span);
        }
    }

    /// Returns the variable that instructions with result `CC` write. The name remains undeclared,
    /// so that it cannot be read.
    pub(crate) fn make_codes_target(&mut self, span: Span) -> u32 {
        self.get_implicit(Implicit::CodesTarget, span, |_| VarKind::Temp)
    }
}
